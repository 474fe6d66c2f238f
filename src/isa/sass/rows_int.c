/* Rows of integer, logic, shift, move and predicate operations (docs/maxwell.md, "Field values"). */
#include "isa/sass/rows_alu.h"

#define AB(text) text " {Rd@0}{.CC@47}, {Ra@8}, "

/* XMAD's immediate has the sign of B, which bit 49 tells. */
#define XMAD_IMMEDIATE(letter, value)                                                                               \
    {                                                                                                               \
        "@XMAD{sign:xsign@48-49}{.PSL@36}{mode:xcop@50-52}{.MRG@37}{.X@38} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, {" letter \
        "@20-35}, {Rc@39}",                                                                                         \
            TOP(0xfec0) | BIT(49), TOP(0x3600) | (value), BIT(56), SASS_ALL, SASS_TIMED(SASS_FIXED), &does_XMAD     \
    }

DOES(BFE, bfe, "bit field extract",
     "pos = b & 0xff, len = b >> 8 & 0xff; .BREV reverses the bits of a first\n"
     ".U32: d = (a >> pos) cut to min(len, 32) bits, 0 where pos >= 32\n"
     "signed: bit i of d = bit pos + i of a for i < len and pos + i < 32, else bit min(31, pos + len - 1) of a\n"
     "len = 0: d = 0",
     DOC_ARITHMETIC);
DOES(BFI, bfi, "bit field insert",
     "pos = b & 0xff, len = b >> 8 & 0xff\nd = c with its bits pos .. pos + min(len, 32) - 1 replaced by the low bits "
     "of a\n"
     "bits past 31 are dropped",
     DOC_ARITHMETIC);
DOES(CSET, cset, "condition code test to register", "d = (test of CC) bop p ? 0xffffffff : 0 (.BF: 1.0 : 0)",
     DOC_COMPARES);
DOES(CSETP, csetp, "condition code test to predicate", "p = (test of CC) bop r; q = !(test of CC) bop r", DOC_COMPARES);
DOES(FLO, flo, "find leading one",
     "d = number of the top bit set, 0xffffffff where there is none\n"
     "signed (no .U32): a negative value is inverted first; .SH: 31 - number",
     DOC_ARITHMETIC);
DOES(IADD, iadd, "integer addition",
     "d = a + b (minus: two's complement); .PO: a + b + 1; .SAT: limited to signed 32 bits" CARRY
     "; with .SAT C and O are those of the whole sum (named choice)",
     DOC_ARITHMETIC, .codes = SASS_BIT_C);
DOES(IADD3, iadd3, "sum of three",
     "d = a + b + c; .H0, .H1: a half, zero-extended\n.RS: ((a + b) as 33 bits >> 16) + c; .LS: ((a + b) << 16) + "
     "c" CARRY "; with .RS and .LS the carry of .X joins c (named choice)",
     DOC_ARITHMETIC, .codes = SASS_BIT_C);
DOES(IADD32I, iadd, "integer addition of a constant", "d = a + b; .PO: a + b + 1" CARRY, DOC_ARITHMETIC,
     .codes = SASS_BIT_C);
DOES(ICMP, icmp, "select by a comparison with 0", "d = (c cmp 0) ? a : b; c is signed unless .U32", DOC_COMPARES);
DOES(IMAD, imad, "integer multiply-add",
     "d = a * b + c, low 32 bits; .HI: the product's upper 32 bits + c; .SAT limits the sum as of IADD" CARRY,
     DOC_ARITHMETIC);
DOES(IMAD32I, imad, "integer multiply-add of a constant",
     "d = a * b + d, low 32 bits; .HI: the product's upper 32 bits + d", DOC_ARITHMETIC);
DOES(IMADSP, imadsp, "multiply-add of parts", "d = part(a) * part(b) + part(c), low 32 bits", DOC_ARITHMETIC);
DOES(IMNMX, imnmx, "integer minimum or maximum",
     "d = p ? min(a, b) : max(a, b); signed unless .U32\n"
     ".XHI with .CC on the upper words: sets Z = equal, C = a was taken; .XLO: where Z the lower words decide, else C",
     DOC_COMPARES);
DOES(IMUL, imul, "integer multiplication", "d = a * b, low 32 bits; .HI: upper 32 bits", DOC_ARITHMETIC);
DOES(IMUL32I, imul, "integer multiplication by a constant", "d = a * b, low 32 bits; .HI: upper 32 bits",
     DOC_ARITHMETIC);
DOES(ISCADD, iscadd, "scaled addition", "d = (a << s) + b; minus applies to the shifted value; .PO: + 1" CARRY,
     DOC_ARITHMETIC);
DOES(ISCADD32I, iscadd, "scaled addition of a constant", "d = (a << s) + b" CARRY, DOC_ARITHMETIC);
DOES(ISET, iset, "integer comparison to register",
     "d = ((a cmp b) bop p) ? 0xffffffff : 0 (.BF: 1.0 : 0); signed unless .U32; .X as ISETP", DOC_COMPARES);
DOES(ISETP, isetp, "integer comparison to predicates",
     "p = (a cmp b) bop r; q = !(a cmp b) bop r; signed unless .U32\n"
     ".X: the upper words of a longer comparison after IADD RZ.CC: of a - b - (1 - C); EQ also wants Z",
     DOC_COMPARES);
DOES(LEA, lea, "address computation",
     "d = (a << s) + b; .HI: d = ({c:a} >> (32 - s)) + b\nthe predicate: the result is 0" CARRY, DOC_ARITHMETIC,
     .codes = SASS_BIT_C);
DOES(LOP, lop, "bitwise operation",
     "d = a AND, OR, XOR b (each may be inverted); PASS_B: b\n"
     "predicate: .T true, .Z d == 0, .NZ d != 0, else false; .CC: Z and S, C = 0",
     DOC_ARITHMETIC);
DOES(LOP3, lop3, "any bitwise operation of three",
     "bit i of d = bit (a_i << 2 | b_i << 1 | c_i) of the table\npredicate: .T true, .Z d == 0, .NZ d != 0, else false",
     DOC_ARITHMETIC);
DOES(LOP32I, lop, "bitwise operation with a constant", "d = a AND, OR, XOR b (each may be inverted); PASS_B: b",
     DOC_ARITHMETIC);
DOES(MOV, mov, "move", "d = b in the lanes of each quad that the mask names (0xf: all)", DOC_ARITHMETIC);
DOES(MOV32I, mov, "move of a constant", "d = b in the lanes of each quad that the mask names (0xf: all)",
     DOC_ARITHMETIC);
DOES(P2R, p2r, "predicates to register", "d = a with the bits of the mask b replaced by P0..P6 (PR) or the flags (CC)",
     "Predicates and condition codes");
DOES(POPC, popc, "count of bits", "d = number of bits set in b (or ~b)", DOC_ARITHMETIC);
DOES(PRMT, prmt, "permute bytes",
     "bytes 0-3 = a, 4-7 = c; byte i of d = byte (nibble i of b) & 7; nibble bit 3: eight times that byte's bit 7\n"
     "k = b & 3: F4E k .. k+3; B4E k .. k-3; RC8 k, k, k, k; ECL max(k, i); ECR min(k, i); RC16 0,1,0,1 or 2,3,2,3",
     DOC_ARITHMETIC);
DOES(PSET, pset, "predicates to register", "d = ((x f y) g z) ? 0xffffffff : 0 (.BF: 1.0 : 0)",
     "Predicates and condition codes");
DOES(PSETP, psetp, "predicate logic", "p = (x f y) g z; q = !(x f y) g z", "Predicates and condition codes");
DOES(R2P, r2p, "register to predicates", "P0..P6 (PR) or the flags (CC) whose bit is set in b = bits of a",
     "Predicates and condition codes");
DOES(SEL, sel, "select", "d = p ? a : b", DOC_COMPARES);
#define SHF_DOES                                                                                                    \
    "funnel shift",                                                                                                 \
        "V = {c:a}; w = 64 with .U64 and .S64, else 32; n = .W ? b & (w - 1) : min(b, w)\n"                         \
        ".L: d = upper word of V << n; .R: d = lower word of V >> n, arithmetic for .S64\n"                         \
        ".R.HI: d = upper word of V >> n\n"                                                                         \
        ".X, .XHI (.HI as well): words of longer shifts: Z only where it was set; .X keeps S, C, O; .XHI keeps C\n" \
        "named choices; the launch stops at .L.HI and .L.XHI",                                                      \
        DOC_ARITHMETIC, .codes = SASS_BITS_ALL
DOES(SHF_L, shf_left, SHF_DOES);
DOES(SHF_R, shf_right, SHF_DOES);
DOES(SHL, shl, "shift left", "d = a << b, 0 where b >= 32; .W: b & 31; .X: the codes as SHF.X", DOC_ARITHMETIC,
     .codes = SASS_BITS_ALL);
DOES(SHR, shr, "shift right",
     "d = a >> b, arithmetic unless .U32; b >= 32: copies of the sign, or 0; .W: b & 31; .BREV reverses a first\n"
     ".X, .XHI: the codes as of SHF",
     DOC_ARITHMETIC, .codes = SASS_BITS_ALL);
DOES(XMAD, xmad, "16-bit multiply-add",
     "p = half(a) * half(b), low halves or .H1, signed or unsigned by .S16/.U16 (none: both unsigned); .PSL: p <<= 16\n"
     "c': c; .CLO c & 0xffff; .CHI c >> 16; .CBCC c + (b << 16);\n"
     ".CSFU c - 0x10000 if a's half < 0 and b's other half != 0, and once more with a and b exchanged\n"
     "sum = p + c'; d = sum; .MRG: d = (sum & 0xffff) | (b << 16)   (b: all 32 bits of it)" CARRY,
     "Arithmetic", .codes = SASS_BIT_C);

const struct isa_row sass_rows_int[] = {
    /* ---- bit fields ---- */
    ALU(BFE, 0x00, "i", AB("BFE{.U32@!48}{.BREV@40}"), "", "", BIT(39) | BITS(41, 46) | BITS(49, 50), SASS_FIXED),
    ALU3(BFI, 0xfff8, 0x5bf0, 0x53f0, 0x36f0, "i", AB("BFI"), "", "", BITS(48, 50), SASS_FIXED),
    ALU(FLO, 0x30, "i", "FLO{.U32@!48}{.SH@41} {Rd@0}{.CC@47}, ", " ~40", "",
        BITS(8, 15) | BIT(39) | BITS(42, 46) | BITS(49, 50), SASS_IS_SPECIAL),
    ALU(POPC, 0x08, "i", "POPC {Rd@0}, ", " ~40", "", BITS(8, 15) | BIT(39) | BITS(41, 50), SASS_IS_SPECIAL),
    ALU3(PRMT, 0xfff0, 0x5bc0, 0x53c0, 0x36c0, "i", "PRMT{prmt@48-51} {Rd@0}, {Ra@8}, ", "", "", BIT(47), SASS_FIXED),

    /* ---- sums; both signs negative = .PO: a + b + 1 ---- */
    ALU(IADD, 0x10, "i", "IADD{.SAT@50}{.X@43} {Rd@0}{.CC@47}, {Ra@8 -49}, ", " -48", "", BITS(39, 42) | BITS(44, 46),
        SASS_FIXED),
    ALU2(IADD, 0xfffb, 0x5c13, 0x3813, "i", AB("IADD.PO{.SAT@50}{.X@43}"), "", "", BITS(39, 42) | BITS(44, 46),
         SASS_FIXED | ISA_OVER | SASS_PLUS_ONE),
    ROW(IADD32I, "@IADD32I{.SAT@54}{.X@53} {Rd@0}{.CC@52}, {Ra@8 -56}, {i@20-51}", 0xfe80, 0x1c00, 0, SASS_FIXED),
    ROW(IADD32I, "@IADD32I.PO{.SAT@54}{.X@53} {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}", 0xff80, 0x1d80, 0,
        SASS_FIXED | SASS_PLUS_ONE),
    ROW(IADD3,
        "@IADD3{lrs@37-38}{.X@48} {Rd@0}{.CC@47}, {Ra@8 -51 .half@35-36}, {Rb@20 -50 .half@33-34}, {Rc@39 -49 "
        ".half@31-32}",
        0xfff0, 0x5cc0, BITS(28, 30), SASS_FIXED),
    ROW(IADD3, "@IADD3{.X@48} {Rd@0}{.CC@47}, {Ra@8 -51}, {c@20-38 -50}, {Rc@39 -49}", 0xfff0, 0x4cc0, 0, SASS_FIXED),
    ROW(IADD3, "@IADD3{.X@48} {Rd@0}{.CC@47}, {Ra@8 -51}, {u@20-38,56 -50}, {Rc@39 -49}", 0xfef0, 0x38c0, 0,
        SASS_FIXED),
    ALU(ISCADD, 0x18, "i", "ISCADD {Rd@0}{.CC@47}, {Ra@8 -49}, ", " -48", ", {x@39-43}", BITS(44, 46) | BIT(50),
        SASS_FIXED),
    ALU2(ISCADD, 0xfffb, 0x5c1b, 0x381b, "i", AB("ISCADD.PO"), "", ", {x@39-43}", BITS(44, 46) | BIT(50),
         SASS_FIXED | ISA_OVER | SASS_PLUS_ONE),
    ROW(ISCADD32I, "@ISCADD32I {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}, {x@53-57}", 0xfc00, 0x1400, 0, SASS_FIXED),
    ALU2(LEA, 0xfff8, 0x5bd0, 0x36d0, "i", "LEA{.X@46} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 -45}, ", "",
         "<, {x@39-43 =0}>", BIT(44), SASS_FIXED),
    ROW(LEA, "@LEA.HI{.X@38} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 -37}, {Rb@20}, {Rc@39}<, {x@28-32 =0}>", 0xfff8,
        0x5bd8, BITS(33, 36), SASS_FIXED),
    ROW(LEA, "@LEA.HI{.X@57} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 -56}, {c@20-38}, {Rc@39}<, {x@51-55 =0}>", 0xfc00,
        0x1800, 0, SASS_FIXED),

    /* ---- products; not of fixed latency on Maxwell, but XMAD is ---- */
    ALU3(IMAD, 0xff80, 0x5a00, 0x5200, 0x3400, "i",
         "IMAD{sign:mulsign@48-48,53}{.HI@54}{.SAT@50}{.X@49} {Rd@0}{.CC@47}, {Ra@8 -52}, ", "", " -51", 0, 0),
    ALU3(IMAD, 0xff98, 0x5a18, 0x5218, 0x3418, "i", AB("IMAD{sign:mulsign@48-48,53}{.HI@54}.PO{.SAT@50}{.X@49}"), "",
         "", 0, ISA_OVER | SASS_PLUS_ONE),
    ROW(IMAD32I, "@IMAD32I{sign:mulsign@54-54,57}{.HI@53} {Rd@0}{.CC@52}, {Ra@8 -56}, {i@20-51}, {Rs@0 -55}", 0xfc00,
        0x1000, 0, 0),
    ROW(IMAD32I, "@IMAD32I{sign:mulsign@54-54,57}{.HI@53}.PO {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}, {Rs@0}", 0xfd80, 0x1180,
        0, ISA_OVER | SASS_PLUS_ONE),
    ALU3(IMADSP, 0xff80, 0x5a80, 0x5280, 0x3480, "i", AB("IMADSP{spa@48-50}{spb@53-54}{spc@51-52?48,53}"), "", "", 0,
         0),
    ALU(IMUL, 0x38, "i", AB("IMUL{sign:mulsign@40-41}{.HI@39}"), "", "", BITS(42, 46) | BITS(48, 50), 0),
    ROW(IMUL32I, "@IMUL32I{sign:mulsign@54-55}{.HI@53} {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}", 0xff00, 0x1f00, 0, 0),
    ROW(XMAD,
        "@XMAD{sign:xsign@48-49}{.PSL@36}{mode:xcop@50-52}{.MRG@37}{.X@38} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, {Rb@20 "
        ".h1@35}, "
        "{Rc@39}",
        0xffc0, 0x5b00, BITS(28, 34), SASS_FIXED),
    XMAD_IMMEDIATE("u", 0),
    XMAD_IMMEDIATE("i", BIT(49)), /* B is signed */
    ROW(XMAD,
        "@XMAD{sign:xsign@48-49}{.PSL@55}{mode:xcop2@50-51}{.MRG@56}{.X@54} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, "
        "{C@20-38 .h1@52}, {Rc@39}",
        0xfe00, 0x4e00, 0, SASS_FIXED),
    ROW(XMAD,
        "@XMAD{sign:xsign@48-49}{mode:xcop2@50-51}{.X@54} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, {Rc@39 .h1@52}, {c@20-38}",
        0xff80, 0x5100, 0, SASS_FIXED),

    /* ---- comparisons ---- */
    ALU3(ICMP, 0xfff0, 0x5b40, 0x5340, 0x3640, "i", "ICMP{cmp:cmp3@49-51}{.U32@!48} {Rd@0}, {Ra@8}, ", "", "", BIT(47),
         SASS_FIXED),
    ALU2(ISET, 0xfff0, 0x5b50, 0x3650, "i", AB("ISET{.BF@44}{cmp:cmp3@49-51}{.U32@!48}{.X@43}{bop@45-46}"), "",
         ", {Pc@39 !42}", 0, SASS_FIXED),
    ALU2(ISETP, 0xfff0, 0x5b60, 0x3660, "i",
         "ISETP{cmp:cmp3@49-51}{.U32@!48}{.X@43}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8}, ", "", ", {Pc@39 !42}",
         BITS(6, 7) | BIT(44) | BIT(47), SASS_FIXED),
    ALU(IMNMX, 0x20, "i", AB("IMNMX{.U32@!48}{minmaxx@43-44}"), "", ", {Pc@39 !42}", BITS(45, 46) | BITS(49, 50),
        SASS_FIXED),
    ALU(SEL, 0xa0, "i", "SEL {Rd@0}, {Ra@8}, ", "", ", {Pc@39 !42}", BITS(43, 50), SASS_FIXED),

    /* ---- logic ---- */
    ALU(LOP, 0x40, "i", "LOP{lop@41-42}{.X@43}{predop@44-45} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 ~39}, ", " ~40", "",
        BIT(46), SASS_FIXED),
    ROW(LOP32I, "@LOP32I{lop@53-54}{.X@57} {Rd@0}{.CC@52}, {Ra@8 ~55}, {u@20-51 ~56}", 0xfc00, 0x0400, 0, SASS_FIXED),
    ROW(LOP3, "@LOP3.LUT{.X@38}{predop@36-37} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8}, {Rb@20}, {Rc@39}, {x@28-35}",
        0xfff8, 0x5be0, 0, SASS_FIXED),
    ROW(LOP3, "@LOP3.LUT{.X@56} {Rd@0}{.CC@47}, {Ra@8}, {c@20-38}, {Rc@39}, {x@48-55}", 0xfe00, 0x0200, 0, SASS_FIXED),
    ROW(LOP3, "@LOP3.LUT{.X@57} {Rd@0}{.CC@47}, {Ra@8}, {i@20-38,56}, {Rc@39}, {x@48-55}", 0xfc00, 0x3c00, 0,
        SASS_FIXED),

    /* ---- shifts ---- */
    ALU(SHL, 0x48, "i", AB("SHL{.W@39}{.X@43}"), "", "", BITS(40, 42) | BITS(44, 46) | BITS(48, 50), SASS_FIXED),
    ALU(SHR, 0x28, "i", AB("SHR{.U32@!48}{.W@39}{words:shrx@43-44}{.BREV@40}"), "", "",
        BITS(41, 42) | BITS(45, 46) | BITS(49, 50), SASS_FIXED),
    ROW(SHF_L, "@SHF.L{.W@50}{width:shfmax@37-38}{words:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {Rb@20}, {Rc@39}", 0xfff8,
        0x5bf8, BITS(28, 36), SASS_FIXED),
    ROW(SHF_L, "@SHF.L{.W@50}{width:shfmax@37-38}{words:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {u@20-25}, {Rc@39}", 0xfef8,
        0x36f8, BITS(26, 36) | BIT(56), SASS_FIXED),
    ROW(SHF_R, "@SHF.R{.W@50}{width:shfmax@37-38}{words:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {Rb@20}, {Rc@39}", 0xfff8,
        0x5cf8, BITS(28, 36), SASS_FIXED),
    ROW(SHF_R, "@SHF.R{.W@50}{width:shfmax@37-38}{words:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {u@20-25}, {Rc@39}", 0xfef8,
        0x38f8, BITS(26, 36) | BIT(56), SASS_FIXED),

    /* ---- moves; 39-42 and 12-15: lanes of the quad that are written ---- */
    ALU(MOV, 0x98, "i", "MOV {Rd@0}, ", "", "<, {x@39-42 =15}>", BITS(8, 15) | BITS(43, 50), SASS_FIXED),
    ROW(MOV32I, "@MOV32I {Rd@0}, {u@20-51}<, {x@12-15 =15}>", 0xfff0, 0x0100, BITS(8, 11), SASS_FIXED),
    ALU(P2R, 0xe8, "mask:i", "P2R{byte@41-42} {Rd@0}, {ccpr@40}, {Ra@8}, ", "", "", BIT(39) | BITS(43, 50),
        SASS_FIXED | SASS_MOVES_PREDICATES),
    ALU(R2P, 0xf0, "mask:u", "R2P {ccpr@40}, {Ra@8 .byte@41-42}, ", "", "", BITS(0, 7) | BIT(39) | BITS(43, 50),
        SASS_FIXED | SASS_MOVES_PREDICATES),

    /* ---- predicates and condition codes ---- */
    ROW(PSET, "@PSET{.BF@44}{ab:bop@24-25}{bop@45-46} {Rd@0}{.CC@47}, {Pa@12 !15}, {Pb@29 !32}, {Pc@39 !42}", 0xfff8,
        0x5088, BITS(8, 11) | BITS(20, 23) | BITS(26, 28) | BITS(33, 38) | BIT(43) | BITS(48, 50), SASS_FIXED),
    ROW(PSETP, "@PSETP{ab:bop@24-25}{bop@45-46} {Pd@3}, {Pq@0}, {Pa@12 !15}, {Pb@29 !32}, {Pc@39 !42}", 0xfff8, 0x5090,
        BITS(6, 11) | BITS(20, 23) | BITS(26, 28) | BITS(33, 38) | BITS(43, 44) | BITS(47, 50), SASS_FIXED),
    ROW(CSET, "@CSET{.BF@44}{cc:cccode@8-12}{bop@45-46} {Rd@0}{.CC@47}, CC, {Pc@39 !42}", 0xfff8, 0x5098,
        BITS(13, 15) | BITS(20, 38) | BIT(43) | BITS(48, 50), SASS_FIXED | SASS_READS_CC),
    ROW(CSETP, "@CSETP{cc:cccode@8-12}{bop@45-46} {Pd@3}, {Pq@0}, CC, {Pc@39 !42}", 0xfff8, 0x50a0,
        BITS(6, 7) | BITS(13, 15) | BITS(20, 38) | BITS(43, 44) | BITS(47, 50), SASS_FIXED | SASS_READS_CC),
};

const unsigned sass_nrows_int = sizeof sass_rows_int / sizeof sass_rows_int[0];

/* Rows of integer, logic, shift, move and predicate operations (docs/maxwell.md, "Field values"). */
#include "isa/sass/rows_alu.h"

#define AB(text) text " {Rd@0}{.CC@47}, {Ra@8}, "

/* XMAD's immediate has the sign of B, which bit 49 tells. */
#define XMAD_IMMEDIATE(letter, value)                                                                               \
    {                                                                                                               \
        "@XMAD{sign:xsign@48-49}{.PSL@36}{mode:xcop@50-52}{.MRG@37}{.X@38} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, {" letter \
        "@20-35}, {Rc@39}",                                                                                         \
            TOP(0xfec0) | BIT(49), TOP(0x3600) | (value), BIT(56), SASS_ALL, SASS_TIMED(ISA_FIXED)                  \
    }

const struct isa_row sass_rows_int[] = {
    /* ---- bit fields ---- */
    ALU(0x00, "i", AB("BFE{.U32@!48}{.BREV@40}"), "", "", BIT(39) | BITS(41, 46) | BITS(49, 50), ISA_FIXED),
    ALU3(0xfff8, 0x5bf0, 0x53f0, 0x36f0, "i", AB("BFI"), "", "", BITS(48, 50), ISA_FIXED),
    ALU(0x30, "i", "FLO{.U32@!48}{.SH@41} {Rd@0}{.CC@47}, ", " ~40", "",
        BITS(8, 15) | BIT(39) | BITS(42, 46) | BITS(49, 50), SASS_IS_SPECIAL),
    ALU(0x08, "i", "POPC {Rd@0}, ", " ~40", "", BITS(8, 15) | BIT(39) | BITS(41, 50), SASS_IS_SPECIAL),
    ALU3(0xfff0, 0x5bc0, 0x53c0, 0x36c0, "i", "PRMT{prmt@48-51} {Rd@0}, {Ra@8}, ", "", "", BIT(47), ISA_FIXED),

    /* ---- sums; both signs negative = .PO: a + b + 1 ---- */
    ALU(0x10, "i", "IADD{.SAT@50}{.X@43} {Rd@0}{.CC@47}, {Ra@8 -49}, ", " -48", "", BITS(39, 42) | BITS(44, 46),
        ISA_FIXED),
    ALU2(0xfffb, 0x5c13, 0x3813, "i", AB("IADD.PO{.SAT@50}{.X@43}"), "", "", BITS(39, 42) | BITS(44, 46),
         ISA_FIXED | ISA_OVER),
    ROW("@IADD32I{.SAT@54}{.X@53} {Rd@0}{.CC@52}, {Ra@8 -56}, {i@20-51}", 0xfe80, 0x1c00, 0, ISA_FIXED),
    ROW("@IADD32I.PO{.SAT@54}{.X@53} {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}", 0xff80, 0x1d80, 0, ISA_FIXED),
    ROW("@IADD3{lrs@37-38}{.X@48} {Rd@0}{.CC@47}, {Ra@8 -51 .half@35-36}, {Rb@20 -50 .half@33-34}, {Rc@39 -49 "
        ".half@31-32}",
        0xfff0, 0x5cc0, BITS(28, 30), ISA_FIXED),
    ROW("@IADD3{.X@48} {Rd@0}{.CC@47}, {Ra@8 -51}, {c@20-38 -50}, {Rc@39 -49}", 0xfff0, 0x4cc0, 0, ISA_FIXED),
    ROW("@IADD3{.X@48} {Rd@0}{.CC@47}, {Ra@8 -51}, {u@20-38,56 -50}, {Rc@39 -49}", 0xfef0, 0x38c0, 0, ISA_FIXED),
    ALU(0x18, "i", "ISCADD {Rd@0}{.CC@47}, {Ra@8 -49}, ", " -48", ", {x@39-43}", BITS(44, 46) | BIT(50), ISA_FIXED),
    ALU2(0xfffb, 0x5c1b, 0x381b, "i", AB("ISCADD.PO"), "", ", {x@39-43}", BITS(44, 46) | BIT(50), ISA_FIXED | ISA_OVER),
    ROW("@ISCADD32I {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}, {x@53-57}", 0xfc00, 0x1400, 0, ISA_FIXED),
    ALU2(0xfff8, 0x5bd0, 0x36d0, "i", "LEA{.X@46} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 -45}, ", "", "<, {x@39-43 =0}>",
         BIT(44), ISA_FIXED),
    ROW("@LEA.HI{.X@38} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 -37}, {Rb@20}, {Rc@39}<, {x@28-32 =0}>", 0xfff8, 0x5bd8,
        BITS(33, 36), ISA_FIXED),
    ROW("@LEA.HI{.X@57} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 -56}, {c@20-38}, {Rc@39}<, {x@51-55 =0}>", 0xfc00, 0x1800,
        0, ISA_FIXED),

    /* ---- products; not of fixed latency on Maxwell, but XMAD is ---- */
    ALU3(0xff80, 0x5a00, 0x5200, 0x3400, "i",
         "IMAD{sign:mulsign@48-48,53}{.HI@54}{.SAT@50}{.X@49} {Rd@0}{.CC@47}, {Ra@8 -52}, ", "", " -51", 0, 0),
    ALU3(0xff98, 0x5a18, 0x5218, 0x3418, "i", AB("IMAD{sign:mulsign@48-48,53}{.HI@54}.PO{.SAT@50}{.X@49}"), "", "", 0,
         ISA_OVER),
    ROW("@IMAD32I{sign:mulsign@54-54,57}{.HI@53} {Rd@0}{.CC@52}, {Ra@8 -56}, {i@20-51}, {Rs@0 -55}", 0xfc00, 0x1000, 0,
        0),
    ROW("@IMAD32I{sign:mulsign@54-54,57}{.HI@53}.PO {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}, {Rs@0}", 0xfd80, 0x1180, 0,
        ISA_OVER),
    ALU3(0xff80, 0x5a80, 0x5280, 0x3480, "i", AB("IMADSP{spa@48-50}{spb@53-54}{spc@51-52?48,53}"), "", "", 0, 0),
    ALU(0x38, "i", AB("IMUL{sign:mulsign@40-41}{.HI@39}"), "", "", BITS(42, 46) | BITS(48, 50), 0),
    ROW("@IMUL32I{sign:mulsign@54-55}{.HI@53} {Rd@0}{.CC@52}, {Ra@8}, {i@20-51}", 0xff00, 0x1f00, 0, 0),
    ROW("@XMAD{sign:xsign@48-49}{.PSL@36}{mode:xcop@50-52}{.MRG@37}{.X@38} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, {Rb@20 "
        ".h1@35}, "
        "{Rc@39}",
        0xffc0, 0x5b00, BITS(28, 34), ISA_FIXED),
    XMAD_IMMEDIATE("u", 0),
    XMAD_IMMEDIATE("i", BIT(49)), /* B is signed */
    ROW("@XMAD{sign:xsign@48-49}{.PSL@55}{mode:xcop2@50-51}{.MRG@56}{.X@54} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, "
        "{C@20-38 .h1@52}, {Rc@39}",
        0xfe00, 0x4e00, 0, ISA_FIXED),
    ROW("@XMAD{sign:xsign@48-49}{mode:xcop2@50-51}{.X@54} {Rd@0}{.CC@47}, {Ra@8 .h1@53}, {Rc@39 .h1@52}, {c@20-38}",
        0xff80, 0x5100, 0, ISA_FIXED),

    /* ---- comparisons ---- */
    ALU3(0xfff0, 0x5b40, 0x5340, 0x3640, "i", "ICMP{cmp:cmp3@49-51}{.U32@!48} {Rd@0}, {Ra@8}, ", "", "", BIT(47),
         ISA_FIXED),
    ALU2(0xfff0, 0x5b50, 0x3650, "i", AB("ISET{.BF@44}{cmp:cmp3@49-51}{.U32@!48}{.X@43}{bop@45-46}"), "",
         ", {Pc@39 !42}", 0, ISA_FIXED),
    ALU2(0xfff0, 0x5b60, 0x3660, "i", "ISETP{cmp:cmp3@49-51}{.U32@!48}{.X@43}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8}, ", "",
         ", {Pc@39 !42}", BITS(6, 7) | BIT(44) | BIT(47), ISA_FIXED),
    ALU(0x20, "i", AB("IMNMX{.U32@!48}{minmaxx@43-44}"), "", ", {Pc@39 !42}", BITS(45, 46) | BITS(49, 50), ISA_FIXED),
    ALU(0xa0, "i", "SEL {Rd@0}, {Ra@8}, ", "", ", {Pc@39 !42}", BITS(43, 50), ISA_FIXED),

    /* ---- logic ---- */
    ALU(0x40, "i", "LOP{lop@41-42}{.X@43}{predop@44-45} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8 ~39}, ", " ~40", "",
        BIT(46), ISA_FIXED),
    ROW("@LOP32I{lop@53-54}{.X@57} {Rd@0}{.CC@52}, {Ra@8 ~55}, {u@20-51 ~56}", 0xfc00, 0x0400, 0, ISA_FIXED),
    ROW("@LOP3.LUT{.X@38}{predop@36-37} <{Ps@48 =7}, >{Rd@0}{.CC@47}, {Ra@8}, {Rb@20}, {Rc@39}, {x@28-35}", 0xfff8,
        0x5be0, 0, ISA_FIXED),
    ROW("@LOP3.LUT{.X@56} {Rd@0}{.CC@47}, {Ra@8}, {c@20-38}, {Rc@39}, {x@48-55}", 0xfe00, 0x0200, 0, ISA_FIXED),
    ROW("@LOP3.LUT{.X@57} {Rd@0}{.CC@47}, {Ra@8}, {i@20-38,56}, {Rc@39}, {x@48-55}", 0xfc00, 0x3c00, 0, ISA_FIXED),

    /* ---- shifts ---- */
    ALU(0x48, "i", AB("SHL{.W@39}{.X@43}"), "", "", BITS(40, 42) | BITS(44, 46) | BITS(48, 50), ISA_FIXED),
    ALU(0x28, "i", AB("SHR{.U32@!48}{.W@39}{mode:shrx@43-44}{.BREV@40}"), "", "",
        BITS(41, 42) | BITS(45, 46) | BITS(49, 50), ISA_FIXED),
    ROW("@SHF.L{.W@50}{width:shfmax@37-38}{mode:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {Rb@20}, {Rc@39}", 0xfff8, 0x5bf8,
        BITS(28, 36), ISA_FIXED),
    ROW("@SHF.L{.W@50}{width:shfmax@37-38}{mode:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {u@20-25}, {Rc@39}", 0xfef8, 0x36f8,
        BITS(26, 36) | BIT(56), ISA_FIXED),
    ROW("@SHF.R{.W@50}{width:shfmax@37-38}{mode:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {Rb@20}, {Rc@39}", 0xfff8, 0x5cf8,
        BITS(28, 36), ISA_FIXED),
    ROW("@SHF.R{.W@50}{width:shfmax@37-38}{mode:shfx@48-49} {Rd@0}{.CC@47}, {Ra@8}, {u@20-25}, {Rc@39}", 0xfef8, 0x38f8,
        BITS(26, 36) | BIT(56), ISA_FIXED),

    /* ---- moves; 39-42 and 12-15: lanes of the quad that are written ---- */
    ALU(0x98, "i", "MOV {Rd@0}, ", "", "<, {x@39-42 =15}>", BITS(8, 15) | BITS(43, 50), ISA_FIXED),
    ROW("@MOV32I {Rd@0}, {u@20-51}<, {x@12-15 =15}>", 0xfff0, 0x0100, BITS(8, 11), ISA_FIXED),
    ALU(0xe8, "i", "P2R{byte@41-42} {Rd@0}, {ccpr@40}, {Ra@8}, ", "", "", BIT(39) | BITS(43, 50),
        ISA_FIXED | SASS_MOVES_PREDICATES),
    ALU(0xf0, "u", "R2P {ccpr@40}, {Ra@8 .byte@41-42}, ", "", "", BITS(0, 7) | BIT(39) | BITS(43, 50),
        ISA_FIXED | SASS_MOVES_PREDICATES),

    /* ---- predicates and condition codes ---- */
    ROW("@PSET{.BF@44}{ab:bop@24-25}{bop@45-46} {Rd@0}{.CC@47}, {Pa@12 !15}, {Pb@29 !32}, {Pc@39 !42}", 0xfff8, 0x5088,
        BITS(8, 11) | BITS(20, 23) | BITS(26, 28) | BITS(33, 38) | BIT(43) | BITS(48, 50), ISA_FIXED),
    ROW("@PSETP{ab:bop@24-25}{bop@45-46} {Pd@3}, {Pq@0}, {Pa@12 !15}, {Pb@29 !32}, {Pc@39 !42}", 0xfff8, 0x5090,
        BITS(6, 11) | BITS(20, 23) | BITS(26, 28) | BITS(33, 38) | BITS(43, 44) | BITS(47, 50), ISA_FIXED),
    ROW("@CSET{.BF@44}{cc:cccode@8-12}{bop@45-46} {Rd@0}{.CC@47}, CC, {Pc@39 !42}", 0xfff8, 0x5098,
        BITS(13, 15) | BITS(20, 38) | BIT(43) | BITS(48, 50), ISA_FIXED | SASS_READS_CC),
    ROW("@CSETP{cc:cccode@8-12}{bop@45-46} {Pd@3}, {Pq@0}, CC, {Pc@39 !42}", 0xfff8, 0x50a0,
        BITS(6, 7) | BITS(13, 15) | BITS(20, 38) | BITS(43, 44) | BITS(47, 50), ISA_FIXED | SASS_READS_CC),
};

const unsigned sass_nrows_int = sizeof sass_rows_int / sizeof sass_rows_int[0];

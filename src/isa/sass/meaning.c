/* One entry for each mnemonic: what it does, as a formula where there is one, and where that is written.
 *
 * Notation: d, a, b, c = the registers Rd, Ra, Rb (or its constant or immediate), Rc; words of 32 bits; {hi:lo} = 64
 * bits; CC = the condition code flags Z, S, C, O. The rules are those that lower_*.c carries out. */
#include "isa/sass/meaning.h"

#include <string.h>

#define SUMS     "Arithmetic"
#define LOGIC    "Arithmetic"
#define SHIFTS   "Arithmetic"
#define COMPARES "Predicates and condition codes, Arithmetic"
#define CONVERTS "Conversions"
#define FLOATS   "Floating point"
#define WARPS    "9.3 (warp operations and no-ops)"
#define FLOW     "Divergence"
#define VIDEO    "7, 9.3; PTX ISA, Scalar Video Instructions"
#define HALVES   "7; PTX ISA, Half Precision Floating Point Instructions"
#define TEXTURES "Field values"
#define GRAPHICS "Field values"

#define CARRY                                                                                                          \
    "\n.CC: C = carry out of bit 31, Z = result is 0, S = bit 31, O = signed overflow\n.X: adds C; an operand with a " \
    "minus enters inverted, without the 1 that it adds otherwise"
#define FUSED         "a * b + c, rounded once"
#define FTZ32         "\n.FTZ: subnormal inputs and results become zeros of their sign"
#define FORWARD_SIGNS "\nbars come before the minus"

static const struct sass_meaning meanings[] = {
    {"AL2P", "graphics: attribute address to physical address", "d = physical address of the attribute at a + offset",
     GRAPHICS, true},
    {"ALD", "graphics: load of attributes", "d.. = attributes at a + offset of vertex c", GRAPHICS, true},
    {"AST", "graphics: store of attributes", "attributes at a + offset of vertex c = d..", GRAPHICS, true},
    {"ATOM", "atomic operation on global memory (generic address) that returns the old value",
     "old = M[address]; M[address] = op(old, b); d = old\n"
     "ADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; DEC old == 0 || old > b ? b : old - 1;\n"
     "AND, OR, XOR bitwise; EXCH b; CAS old == compare ? swap : old; Ps = a page is not valid: false here",
     "Other memory instructions", false},
    {"ATOMS", "atomic operation on shared memory",
     "old = S[address]; S[address] = op(old, b); d = old\n"
     "ADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; DEC old == 0 || old > b ? b : old - 1;\n"
     "AND, OR, XOR bitwise; EXCH b; CAS old == compare ? swap : old\n"
     "CAST: as CAS, but d = 1 where the swap was made, else 0, in a pair for .64; the old value is not told\n"
     "CAST.SPIN: as CAST for one lane of those whose addresses lie in one bank; the others get 0 and do not touch "
     "memory",
     "Shared atomics", false},
    {"B2R", "barrier result to register", "d, p = count and truth of the last BAR.RED", "Field values", false},
    {"BAR", "block barrier",
     "SYNC: waits until `count` threads (all, if not given) have come; ARV: comes and does not wait\n"
     "RED: as SYNC and reduces a predicate over the threads: POPC counts, AND, OR; read by B2R.RESULT\n"
     "warps count whole: 32 each; the launch stops at SCAN",
     "Field values, Divergence", false},
    {"BFE", "bit field extract",
     "pos = b & 0xff, len = b >> 8 & 0xff; .BREV reverses the bits of a first\n"
     ".U32: d = (a >> pos) cut to min(len, 32) bits, 0 where pos >= 32\n"
     "signed: bit i of d = bit pos + i of a for i < len and pos + i < 32, else bit min(31, pos + len - 1) of a\n"
     "len = 0: d = 0",
     LOGIC, false},
    {"BFI", "bit field insert",
     "pos = b & 0xff, len = b >> 8 & 0xff\nd = c with its bits pos .. pos + min(len, 32) - 1 replaced by the low bits "
     "of a\n"
     "bits past 31 are dropped",
     LOGIC, false},
    {"BPT", "breakpoint or trap", "TRAP: the launch stops; PAUSE, INT: brkpt; at other kinds it stops as well",
     "Field values", false},
    {"BRA", "branch",
     "threads whose guard and CC test hold go to the target; when others stay, a token for them is pushed", FLOW,
     false},
    {"BRK", "leave the loop that the innermost PBK opened", "threads wait for the others at PBK's target", FLOW, false},
    {"BRX", "branch to an address in a register",
     "pc = address of the next instruction + offset + a, or + c[bank][a + offset]", FLOW, false},
    {"CAL", "call", "pushes the address behind it for RET; pc = target", FLOW, false},
    {"CCTL", "cache control", "no effect: caches cannot be seen", WARPS, false},
    {"CCTLL", "cache control, local memory", "no effect: caches cannot be seen", WARPS, false},
    {"CCTLT", "cache control, texture", "no effect: caches cannot be seen", WARPS, false},
    {"CONT", "go to the next turn of the loop that the innermost PCNT opened",
     "threads wait for the others at PCNT's target", FLOW, false},
    {"CS2R", "special register to register", "d = special register", "Constant bank 0", false},
    {"CSET", "condition code test to register", "d = (test of CC) bop p ? 0xffffffff : 0 (.BF: 1.0 : 0)", COMPARES,
     false},
    {"CSETP", "condition code test to predicate", "p = (test of CC) bop r; q = !(test of CC) bop r", COMPARES, false},
    {"DADD", "f64 addition", "d = a + b" FORWARD_SIGNS, FLOATS, false},
    {"DEPBAR", "wait for scoreboards", "no effect: results are there at once", WARPS, false},
    {"DFMA", "f64 fused multiply-add", "d = " FUSED, FLOATS, false},
    {"DMNMX", "f64 minimum or maximum", "d = p ? min(a, b) : max(a, b); NaN loses against a number", FLOATS, false},
    {"DMUL", "f64 multiplication", "d = a * b", FLOATS, false},
    {"DSET", "f64 comparison to register", "d = ((a cmp b) bop p) ? 0xffffffff : 0 (.BF: 1.0 : 0)", COMPARES, false},
    {"DSETP", "f64 comparison to predicates", "p = (a cmp b) bop r; q = !(a cmp b) bop r", COMPARES, false},
    {"EXIT", "end of the thread", "threads whose guard and CC test hold end, and leave every token", FLOW, false},
    {"F2F", "float to float",
     "d = a in the other format, rounded; .SAT limits to [0, 1]\n"
     "equal formats: ROUND, FLOOR, CEIL, TRUNC round to an integer",
     CONVERTS, false},
    {"F2I", "float to integer",
     "d = a rounded to an integer (nearest even, FLOOR, CEIL, TRUNC), limited to the range of the type;\n"
     "16 bits are extended by the type\n"
     "NaN: 0 from f32 to 32 bits; 0x80000000 or 0x8000000000000000 where only one side has 64 bits",
     CONVERTS, false},
    {"FADD", "f32 addition", "d = a + b; .SAT limits to [0, 1]" FORWARD_SIGNS FTZ32, FLOATS, false},
    {"FADD32I", "f32 addition of a constant", "d = a + b" FORWARD_SIGNS FTZ32, FLOATS, false},
    {"FCHK", "does a / b need the slow path",
     "p = an exponent of a or b lies outside 66..190; a true answer is always right", FLOATS, false},
    {"FCMP", "select by an f32 comparison with 0", "d = (c cmp 0) ? a : b", COMPARES, false},
    {"FFMA", "f32 fused multiply-add", "d = " FUSED "; .SAT limits to [0, 1]" FTZ32 "\n.FMZ: also 0 * x = 0", FLOATS,
     false},
    {"FFMA32I", "f32 fused multiply-add of a constant", "d = a * b + d, rounded once; .SAT limits to [0, 1]" FTZ32,
     FLOATS, false},
    {"FLO", "find leading one",
     "d = number of the top bit set, 0xffffffff where there is none\n"
     "signed (no .U32): a negative value is inverted first; .SH: 31 - number",
     LOGIC, false},
    {"FMNMX", "f32 minimum or maximum", "d = p ? min(a, b) : max(a, b); NaN loses against a number" FTZ32, FLOATS,
     false},
    {"FMUL", "f32 multiplication",
     "d = a * b * scale (.D2 .. .M8); .SAT limits to [0, 1]" FTZ32 "\n.FMZ: also 0 * x = 0", FLOATS, false},
    {"FMUL32I", "f32 multiplication by a constant", "d = a * b; .SAT limits to [0, 1]" FTZ32 "\n.FMZ: also 0 * x = 0",
     FLOATS, false},
    {"FSET", "f32 comparison to register", "d = ((a cmp b) bop p) ? 0xffffffff : 0 (.BF: 1.0 : 0)" FTZ32, COMPARES,
     false},
    {"FSETP", "f32 comparison to predicates", "p = (a cmp b) bop r; q = !(a cmp b) bop r" FTZ32, COMPARES, false},
    {"FSWZADD", "f32 sum with signs by lane of the quad",
     "d = +-a + +-b: each lane's two letters say the signs of a and b: P plus, N minus; Z: zero", FLOATS, false},
    {"GETCRSPTR", "pointer of the call and return stack", "d = stack pointer of the warp", GRAPHICS, true},
    {"GETLMEMBASE", "base of local memory", "d = base", GRAPHICS, true},
    {"HADD2", "f16x2 addition", "d = a + b in each half; .SAT limits to [0, 1]", HALVES, false},
    {"HADD2_32I", "f16x2 addition of constants", "d = a + {high:low} in each half", HALVES, false},
    {"HFMA2", "f16x2 fused multiply-add", "d = " FUSED ", in each half", HALVES, false},
    {"HFMA2_32I", "f16x2 fused multiply-add of constants", "d = a * {high:low} + d, rounded once, in each half", HALVES,
     false},
    {"HMUL2", "f16x2 multiplication", "d = a * b in each half", HALVES, false},
    {"HMUL2_32I", "f16x2 multiplication by constants", "d = a * {high:low} in each half", HALVES, false},
    {"HSET2", "f16x2 comparison to register", "each half of d = ((a cmp b) bop p) ? 0xffff : 0 (.BF: 1.0 : 0)", HALVES,
     false},
    {"HSETP2", "f16x2 comparison to predicates",
     "p = (low halves compare) bop r; q = (high halves compare) bop r; .H_AND: p = both, q = not both", HALVES, false},
    {"I2F", "integer to float", "d = the integer, rounded; bars and minus apply to the integer", CONVERTS, false},
    {"I2I", "integer to integer",
     "the part of a that its type names, extended, then bars, then minus\n"
     ".SAT: limited to the destination's range, and extended by its sign; else cut to its width, and zeros above",
     CONVERTS, false},
    {"IADD", "integer addition",
     "d = a + b (minus: two's complement); .PO: a + b + 1; .SAT: limited to signed 32 bits" CARRY
     "; with .SAT C and O are those of the whole sum (named choice)",
     SUMS, false},
    {"IADD3", "sum of three",
     "d = a + b + c; .H0, .H1: a half, zero-extended\n.RS: ((a + b) as 33 bits >> 16) + c; .LS: ((a + b) << 16) + "
     "c" CARRY "; with .RS and .LS the carry of .X joins c (named choice)",
     SUMS, false},
    {"IADD32I", "integer addition of a constant", "d = a + b; .PO: a + b + 1" CARRY, SUMS, false},
    {"ICMP", "select by a comparison with 0", "d = (c cmp 0) ? a : b; c is signed unless .U32", COMPARES, false},
    {"IDE", "interrupts on or off", "no effect", GRAPHICS, false},
    {"IMAD", "integer multiply-add",
     "d = a * b + c, low 32 bits; .HI: the product's upper 32 bits + c; .SAT limits the sum as of IADD" CARRY, SUMS,
     false},
    {"IMAD32I", "integer multiply-add of a constant",
     "d = a * b + d, low 32 bits; .HI: the product's upper 32 bits + d", SUMS, false},
    {"IMADSP", "multiply-add of parts", "d = part(a) * part(b) + part(c), low 32 bits", SUMS, false},
    {"IMNMX", "integer minimum or maximum",
     "d = p ? min(a, b) : max(a, b); signed unless .U32\n"
     ".XHI with .CC on the upper words: sets Z = equal, C = a was taken; .XLO: where Z the lower words decide, else C",
     COMPARES, false},
    {"IMUL", "integer multiplication", "d = a * b, low 32 bits; .HI: upper 32 bits", SUMS, false},
    {"IMUL32I", "integer multiplication by a constant", "d = a * b, low 32 bits; .HI: upper 32 bits", SUMS, false},
    {"IPA", "graphics: interpolation of an attribute", "d = attribute at the pixel, times b", GRAPHICS, true},
    {"ISBERD", "graphics: read of an internal buffer", "d = buffer[a]", GRAPHICS, true},
    {"ISCADD", "scaled addition", "d = (a << s) + b; minus applies to the shifted value; .PO: + 1" CARRY, SUMS, false},
    {"ISCADD32I", "scaled addition of a constant", "d = (a << s) + b" CARRY, SUMS, false},
    {"ISET", "integer comparison to register",
     "d = ((a cmp b) bop p) ? 0xffffffff : 0 (.BF: 1.0 : 0); signed unless .U32; .X as ISETP", COMPARES, false},
    {"ISETP", "integer comparison to predicates",
     "p = (a cmp b) bop r; q = !(a cmp b) bop r; signed unless .U32\n"
     ".X: the upper words of a longer comparison after IADD RZ.CC: of a - b - (1 - C); EQ also wants Z",
     COMPARES, false},
    {"JCAL", "call of an absolute address", "pushes the address behind it for RET; pc = address", FLOW, false},
    {"JMP", "jump to an absolute address", "pc = address", FLOW, false},
    {"JMX", "jump to an absolute address in a register", "pc = a + offset, or c[bank][a + offset]", FLOW, false},
    {"KIL", "end of the thread, of a pixel", "threads whose guard and CC test hold end, as by EXIT", FLOW, false},
    {"LD", "load from a generic address",
     "d = M[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest\n"
     ".U8, .U16 are zero-extended, .S8, .S16 sign-extended; the predicate has no effect",
     "Other memory instructions, Constant bank 0", false},
    {"LDC", "load from a constant bank",
     "d = c[bank][a + offset]\n"
     ".IS: c[bank + (a >> 16)][(a & 0xffff) + offset]; .IL, .ISL: the same of the sum a + offset (named choices)",
     "Other memory instructions, Constant bank 0", false},
    {"LDG", "load from global memory",
     "d = G[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest\n"
     ".U8, .U16 are zero-extended, .S8, .S16 sign-extended; Ps = a page is not valid: false here",
     "Other memory instructions", false},
    {"LDL", "load from local memory",
     "d = L[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest",
     "Other memory instructions", false},
    {"LDS", "load from shared memory",
     "d = S[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest",
     "Other memory instructions", false},
    {"LEA", "address computation",
     "d = (a << s) + b; .HI: d = ({c:a} >> (32 - s)) + b\nthe predicate: the result is 0" CARRY, SUMS, false},
    {"LEPC", "program counter", "d = address of this instruction", GRAPHICS, false},
    {"LONGJMP", "leave to the innermost PLONGJMP", "threads wait for the others at its target", FLOW, false},
    {"LOP", "bitwise operation",
     "d = a AND, OR, XOR b (each may be inverted); PASS_B: b\n"
     "predicate: .T true, .Z d == 0, .NZ d != 0, else false; .CC: Z and S, C = 0",
     LOGIC, false},
    {"LOP3", "any bitwise operation of three",
     "bit i of d = bit (a_i << 2 | b_i << 1 | c_i) of the table\npredicate: .T true, .Z d == 0, .NZ d != 0, else false",
     LOGIC, false},
    {"LOP32I", "bitwise operation with a constant", "d = a AND, OR, XOR b (each may be inverted); PASS_B: b", LOGIC,
     false},
    {"MEMBAR", "memory fence", "orders the thread's accesses for the threads of the scope", WARPS, false},
    {"MOV", "move", "d = b in the lanes of each quad that the mask names (0xf: all)", LOGIC, false},
    {"MOV32I", "move of a constant", "d = b in the lanes of each quad that the mask names (0xf: all)", LOGIC, false},
    {"MUFU", "special functions",
     "d = cos, sin, 2^a, log2 a, 1/a, 1/sqrt(a), sqrt(a) (from SM 5.2 on); subnormals are flushed\n"
     "RCP64H, RSQ64H: upper word of a double to the upper word of its reciprocal (square root)\n"
     "approximations on the hardware; here correctly rounded (named choice)",
     FLOATS, false},
    {"NOP", "nothing", "no effect", WARPS, false},
    {"OUT", "graphics: emit a vertex", "d = next output handle", GRAPHICS, true},
    {"P2R", "predicates to register", "d = a with the bits of the mask b replaced by P0..P6 (PR) or the flags (CC)",
     "Predicates and condition codes", false},
    {"PBK", "open a loop that BRK leaves", "pushes a token with the active threads and the target", FLOW, false},
    {"PCNT", "open a loop turn that CONT ends", "pushes a token with the active threads and the target", FLOW, false},
    {"PEXIT", "where to go when all have ended", "pushes a token with the active threads and the target", FLOW, false},
    {"PIXLD", "graphics: pixel data", "d = data of the pixel", GRAPHICS, true},
    {"PLONGJMP", "open what LONGJMP leaves", "pushes a token with the active threads and the target", FLOW, false},
    {"POPC", "count of bits", "d = number of bits set in b (or ~b)", LOGIC, false},
    {"PRET", "set the address that RET goes to", "pushes a return token with the active threads and the target", FLOW,
     false},
    {"PRMT", "permute bytes",
     "bytes 0-3 = a, 4-7 = c; byte i of d = byte (nibble i of b) & 7; nibble bit 3: eight times that byte's bit 7\n"
     "k = b & 3: F4E k .. k+3; B4E k .. k-3; RC8 k, k, k, k; ECL max(k, i); ECR min(k, i); RC16 0,1,0,1 or 2,3,2,3",
     LOGIC, false},
    {"PSET", "predicates to register", "d = ((x f y) g z) ? 0xffffffff : 0 (.BF: 1.0 : 0)",
     "Predicates and condition codes", false},
    {"PSETP", "predicate logic", "p = (x f y) g z; q = !(x f y) g z", "Predicates and condition codes", false},
    {"R2B", "register to barrier state", "barrier state = b", GRAPHICS, true},
    {"R2P", "register to predicates", "P0..P6 (PR) or the flags (CC) whose bit is set in b = bits of a",
     "Predicates and condition codes", false},
    {"RAM", "restore the active threads", "no effect: brackets code for quads around SHFL and FSWZADD", FLOW, false},
    {"RED", "atomic operation on global memory without a result",
     "M[address] = op(M[address], b)\nADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; "
     "DEC old == 0 || old > b ? b : old - 1;\nAND, OR, XOR bitwise",
     "Other memory instructions", false},
    {"RET", "return", "threads go to the address of the innermost CAL, JCAL or PRET", FLOW, false},
    {"RRO", "range reduction for MUFU", "d = a with its signs: MUFU takes the plain value here", FLOATS, false},
    {"RTT", "return from a trap", "ends the trap handler", GRAPHICS, true},
    {"S2R", "special register to register", "d = special register; those of graphics and of the machine are 0",
     "Constant bank 0", false},
    {"SAM", "save the active threads", "no effect: brackets code for quads around SHFL and FSWZADD", FLOW, false},
    {"SEL", "select", "d = p ? a : b", COMPARES, false},
    {"SETCRSPTR", "set the pointer of the call and return stack", "stack pointer of the warp = a", GRAPHICS, true},
    {"SETLMEMBASE", "set the base of local memory", "base = a", GRAPHICS, true},
    {"SHF", "funnel shift",
     "V = {c:a}; w = 64 with .U64 and .S64, else 32; n = .W ? b & (w - 1) : min(b, w)\n"
     ".L: d = upper word of V << n; .R: d = lower word of V >> n, arithmetic for .S64\n"
     ".R.HI: d = upper word of V >> n\n"
     ".X, .XHI (.HI as well): words of longer shifts: Z only where it was set; .X keeps S, C, O; .XHI keeps C\n"
     "named choices; the launch stops at .L.HI and .L.XHI",
     SHIFTS, false},
    {"SHFL", "shuffle between lanes",
     "seg = c >> 8 & 0x1f, clamp = c & 0x1f; low = lane & seg; high = low | (clamp & ~seg)\n"
     "UP j = lane - b, valid where j >= high; DOWN j = lane + b; BFLY j = lane ^ b; IDX j = low | (b & ~seg): where j "
     "<= high\n"
     "d = a of lane j; not valid: own a; p = valid",
     WARPS, false},
    {"SHL", "shift left", "d = a << b, 0 where b >= 32; .W: b & 31; .X: the codes as SHF.X", SHIFTS, false},
    {"SHR", "shift right",
     "d = a >> b, arithmetic unless .U32; b >= 32: copies of the sign, or 0; .W: b & 31; .BREV reverses a first\n"
     ".X, .XHI: the codes as of SHF",
     SHIFTS, false},
    {"SSY", "set the place where threads come together",
     "pushes a token with the active threads and the target, for SYNC", FLOW, false},
    {"ST", "store to a generic address",
     "M[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros; the predicate has no effect",
     "Other memory instructions, Constant bank 0", false},
    {"STG", "store to global memory", "G[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros",
     "Other memory instructions", false},
    {"STL", "store to local memory", "L[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros",
     "Other memory instructions", false},
    {"STP", "graphics: stop", "-", GRAPHICS, true},
    {"STS", "store to shared memory", "S[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros",
     "Other memory instructions", false},
    {"SUATOM", "atomic operation on a surface that returns the old value",
     "old = texel[address]; texel[address] = op(old, b); d = old\n"
     "ADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; DEC old == 0 || old > b ? b : old - 1;\n"
     "AND, OR, XOR bitwise; EXCH b; CAS old == compare ? swap : old",
     "Surfaces", false},
    {"SULD", "surface load",
     ".D: d = the bits at the address; .U8, .U16 zero-extended, .S8, .S16 sign-extended; .64, .128 into 2, 4 "
     "registers\n"
     ".P: d.. = the components of the mask, converted from the surface's format",
     "Surfaces", false},
    {"SURED", "atomic operation on a surface without a result",
     "texel[address] = op(old, data)\nADD old + data; MIN, MAX by the type's sign; INC old >= data ? 0 : old + 1; "
     "DEC old == 0 || old > data ? data : old - 1;\nAND, OR, XOR bitwise",
     "Surfaces", false},
    {"SUST", "surface store",
     ".D: the bits at the address = data; .64, .128 from 2, 4 registers\n"
     ".P: texel = the components of the mask, converted to the surface's format; components that are not named are 0",
     "Surfaces", false},
    {"SYNC", "come together", "threads wait for the others at the target of the innermost SSY", FLOW, false},
    {"TEX", "texture fetch with filtering", "d.. = texture(coordinates)", TEXTURES, true},
    {"TEXS", "texture fetch, short form", "d.. = texture(coordinates)", TEXTURES, true},
    {"TLD", "texel fetch", "d.. = texel[coordinates]", TEXTURES, true},
    {"TLD4", "fetch of one component of four texels", "d.. = component of the four nearest texels", TEXTURES, true},
    {"TLD4S", "fetch of one component of four texels, short form", "d.. = component of the four nearest texels",
     TEXTURES, true},
    {"TLDS", "texel fetch, short form", "d.. = texel[coordinates]", TEXTURES, true},
    {"TMML", "level of detail that a fetch would use", "d.. = level", TEXTURES, true},
    {"TXA", "texture address", "-", TEXTURES, true},
    {"TXD", "texture fetch with derivatives", "d.. = texture(coordinates, derivatives)", TEXTURES, true},
    {"TXQ", "texture query", "d.. = field of the texture header: the size runs, of a surface too", TEXTURES, false},
    {"VABSDIFF", "absolute difference of parts", "d = |a - b|; third operand: added, min, max, or merged into", VIDEO,
     false},
    {"VABSDIFF4", "absolute differences of bytes", "d = |a_i - b_i| for the bytes of the mask; .ACC: their sum + c",
     VIDEO, false},
    {"VADD", "sum of parts", "d = +-a +- b; .PO: + 1; .SAT limits; third operand: added, min, max, or merged into",
     VIDEO, false},
    {"VMAD", "multiply-add of parts", "d = +-(a * b) +- c; .SHR_7, .SHR_15: shifted right; .PO: + 1; .SAT limits",
     VIDEO, false},
    {"VMNMX", "minimum or maximum of parts",
     "d = min(a, b), .MX: max(a, b); .SAT limits; third operand: added, min, max, or merged into", VIDEO, false},
    {"VOTE", "vote of the warp",
     "d = mask of the active threads whose predicate holds; p = ALL, ANY, EQ (all alike); the launch stops at .VTG",
     WARPS, false},
    {"VSET", "comparison of parts to register", "d = (a cmp b) ? 1 : 0; third operand: added, min, max, or merged into",
     VIDEO, false},
    {"VSETP", "comparison of parts to predicates", "p = (a cmp b) bop r; q = !(a cmp b) bop r", VIDEO, false},
    {"VSHL", "shift left of parts", "d = a << b; .W: b & 31, else at most 32; .SAT limits; third operand as VADD",
     VIDEO, false},
    {"VSHR", "shift right of parts", "d = a >> b; .W: b & 31, else at most 32; .SAT limits; third operand as VADD",
     VIDEO, false},
    {"XMAD", "16-bit multiply-add",
     "p = half(a) * half(b), low halves or .H1, signed or unsigned by .S16/.U16 (none: both unsigned); .PSL: p <<= 16\n"
     "c': c; .CLO c & 0xffff; .CHI c >> 16; .CBCC c + (b << 16);\n"
     ".CSFU c - 0x10000 if a's half < 0 and b's other half != 0, and once more with a and b exchanged\n"
     "sum = p + c'; d = sum; .MRG: d = (sum & 0xffff) | (b << 16)   (b: all 32 bits of it)" CARRY,
     "Arithmetic", false},
};
enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

const struct sass_meaning *sass_meaning_at(unsigned index)
{
    return index < MEANINGS ? &meanings[index] : NULL;
}

const struct sass_meaning *sass_meaning_find(const char *mnemonic, size_t length)
{
    for (unsigned i = 0; i < MEANINGS; i++)
        if (strlen(meanings[i].mnemonic) == length && memcmp(meanings[i].mnemonic, mnemonic, length) == 0)
            return &meanings[i];
    return NULL;
}

/* Rows of f32 and f64 operations and of conversions (docs/maxwell.md, "Field values"). */
#include "isa/sass/rows_alu.h"

#define AB(text) text " {Rd@0}{.CC@47}, {Ra@8}, "

/* Conversions print a constant as c[0x0] [0x140] where the operand can be cut into parts. */
#define CONVERT_REG(does, opcode, before, b, ignored) \
    ROW(does, "@" before "{Rb@20" b "}", 0xfff8, 0x5c00 | (opcode), (ignored) | BITS(28, 38), SASS_IS_CONVERT)
#define CONVERT_CONST(does, opcode, before, b, ignored) \
    ROW(does, "@" before "{C@20-38" b "}", 0xfff8, 0x4c00 | (opcode), ignored, SASS_IS_CONVERT)

/* F2F and F2I: the immediate's kind depends on the source format, bits 10-11: 0 (reserved) and 2 an f32, 1 an f16 in
 * the low 16 bits, 3 an f64. `mask`, `value`: more bits that tell a row from others. */
#define SOURCE(does, text, opcode16, mask16, mask, value, ignored, flags)                                      \
    {                                                                                                          \
        (text), TOP(mask16) | (mask), TOP(opcode16) | (value), (ignored), SASS_ALL, SASS_IS_CONVERT | (flags), \
            &does_##does                                                                                       \
    }

/* F2F of other source formats than f16: bit 41 does nothing. */
#define F2F_WIDE(kind, before, mask, value, ignored, flags)                                                            \
    SOURCE(F2F, "@" before "{Rb@20 -45 |49}", 0x5ca8, 0xfff8, mask, value, (ignored) | BIT(41) | BITS(28, 38), flags), \
        SOURCE(F2F, "@" before "{c@20-38 -45 |49}", 0x4ca8, 0xfff8, mask, value, (ignored) | BIT(41), flags),          \
        SOURCE(F2F, "@" before "{" kind "@20-38,56 -45 |49}", 0x38a8, 0xfef8, mask, value, (ignored) | BIT(41), flags)
#define F2F_F16(before, mask, value, ignored, flags)                                                                \
    SOURCE(F2F, "@" before "{Rb@20 -45 |49 .h1@41}", 0x5ca8, 0xfff8, mask, value, (ignored) | BITS(28, 38), flags), \
        SOURCE(F2F, "@" before "{C@20-38 -45 |49 .h1@41}", 0x4ca8, 0xfff8, mask, value, ignored, flags),            \
        SOURCE(F2F, "@" before "{h@20-35 -45 |49 .h1@41}", 0x38a8, 0xfef8, mask, value,                             \
               (ignored) | BITS(36, 38) | BIT(56), flags)

/* SM 5.2 brought MUFU.SQRT. */
#define MUFU(archs, function)                                                                  \
    {                                                                                          \
        "@MUFU{" function "@20-23}{.SAT@50} {Rd@0}, {Ra@8 -48 |46}", TOP(0xfff8), TOP(0x5080), \
            BITS(24, 45) | BIT(47) | BIT(49), archs, SASS_IS_SPECIAL, &does_MUFU               \
    }

/* From one format to another it rounds, from a format to itself it may round to an integer (bit 42). */
#define F2F_ROUND "F2F{.FTZ@44}{to:fdst@8-9}{from:fsrc@10-11}{round@39-40}{.SAT@50} {Rd@0}{.CC@47}, "
#define F2F_SAME  "F2F{.FTZ@44}{to:fdst@8-9}{from:fsrc@10-11}{round:pass@39-40,42}{.SAT@50} {Rd@0}{.CC@47}, "
#define F2F_IDLE  (BITS(12, 15) | BIT(43) | BIT(46) | BIT(48))

#define F2I_TEXT "F2I{.FTZ@44}{to:f2idst@8-9,12}{from:fsrc@10-11}{round:iround@39-40} {Rd@0}{.CC@47}, "
#define F2I_IDLE (BITS(13, 15) | BITS(42, 43) | BIT(46) | BIT(48) | BIT(50))
#define F2I_IMMEDIATE(field, mask, value, ignored, flags) \
    SOURCE(F2I, "@" F2I_TEXT "{" field " -45 |49 .h1@41}", 0x38b0, 0xfef8, mask, value, F2I_IDLE | (ignored), flags)

#define I2F_TEXT "I2F{to:i2fdst@8-9}{from:i2fsrc@10-11,13}{round@39-40} {Rd@0}{.CC@47}, "
#define I2F_IDLE (BIT(12) | BITS(14, 15) | BITS(43, 44) | BIT(46) | BIT(48) | BIT(50))
#define I2I_TEXT "I2I{to:i2idst@8-9,12}{from:i2isrc@10-11,13}{.SAT@50} {Rd@0}{.CC@47}, "
#define I2I_IDLE (BITS(14, 15) | BITS(39, 40) | BITS(43, 44) | BIT(46) | BIT(48))
#define PART     " -45 |49 .part@41-42?10-11"

#define SIGNS_B " -45 |49"
/* Additions take B through the third port: its reuse bit is the one of slot C (recorded words with control bits). */
#define SIGNS_ADD SIGNS_B " r83"

DOES(DADD, dadd, "f64 addition", "d = a + b" FORWARD_SIGNS, DOC_FLOATS);
DOES(DFMA, dfma, "f64 fused multiply-add", "d = " FUSED, DOC_FLOATS);
DOES(DMNMX, dmnmx, "f64 minimum or maximum", "d = p ? min(a, b) : max(a, b); NaN loses against a number", DOC_FLOATS);
DOES(DMUL, dmul, "f64 multiplication", "d = a * b", DOC_FLOATS);
DOES(DSET, dset, "f64 comparison to register", "d = ((a cmp b) bop p) ? 0xffffffff : 0 (.BF: 1.0 : 0)", DOC_COMPARES);
DOES(DSETP, dsetp, "f64 comparison to predicates", "p = (a cmp b) bop r; q = !(a cmp b) bop r", DOC_COMPARES);
DOES(F2F, f2f, "float to float",
     "d = a in the other format, rounded; .SAT limits to [0, 1]\n"
     "equal formats: ROUND, FLOOR, CEIL, TRUNC round to an integer",
     DOC_CONVERSIONS);
DOES(F2I, f2i, "float to integer",
     "d = a rounded to an integer (nearest even, FLOOR, CEIL, TRUNC), limited to the range of the type;\n"
     "16 bits are extended by the type\n"
     "NaN: 0 from f32 to 32 bits; 0x80000000 or 0x8000000000000000 where only one side has 64 bits",
     DOC_CONVERSIONS);
DOES(FADD, fadd, "f32 addition", "d = a + b; .SAT limits to [0, 1]" FORWARD_SIGNS FTZ32, DOC_FLOATS);
DOES(FADD32I, fadd, "f32 addition of a constant", "d = a + b" FORWARD_SIGNS FTZ32, DOC_FLOATS);
DOES(FCHK, fchk, "does a / b need the slow path",
     "p = an exponent of a or b lies outside 66..190; a true answer is always right", DOC_FLOATS);
DOES(FCMP, fcmp, "select by an f32 comparison with 0", "d = (c cmp 0) ? a : b", DOC_COMPARES);
DOES(FFMA, ffma, "f32 fused multiply-add", "d = " FUSED "; .SAT limits to [0, 1]" FTZ32 "\n.FMZ: also 0 * x = 0",
     DOC_FLOATS);
DOES(FFMA32I, ffma, "f32 fused multiply-add of a constant", "d = a * b + d, rounded once; .SAT limits to [0, 1]" FTZ32,
     DOC_FLOATS);
DOES(FMNMX, fmnmx, "f32 minimum or maximum", "d = p ? min(a, b) : max(a, b); NaN loses against a number" FTZ32,
     DOC_FLOATS);
DOES(FMUL, fmul, "f32 multiplication",
     "d = a * b * scale (.D2 .. .M8); .SAT limits to [0, 1]" FTZ32 "\n.FMZ: also 0 * x = 0", DOC_FLOATS);
DOES(FMUL32I, fmul, "f32 multiplication by a constant",
     "d = a * b; .SAT limits to [0, 1]" FTZ32 "\n.FMZ: also 0 * x = 0", DOC_FLOATS);
DOES(FSET, fset, "f32 comparison to register", "d = ((a cmp b) bop p) ? 0xffffffff : 0 (.BF: 1.0 : 0)" FTZ32,
     DOC_COMPARES);
DOES(FSETP, fsetp, "f32 comparison to predicates", "p = (a cmp b) bop r; q = !(a cmp b) bop r" FTZ32, DOC_COMPARES);
DOES(FSWZADD, fswzadd, "f32 sum with signs by lane of the quad",
     "d = +-a + +-b: each lane's two letters say the signs of a and b: P plus, N minus; Z: zero", DOC_FLOATS);
DOES(I2F, i2f, "integer to float", "d = the integer, rounded; bars and minus apply to the integer", DOC_CONVERSIONS);
DOES(I2I, i2i, "integer to integer",
     "the part of a that its type names, extended, then bars, then minus\n"
     ".SAT: limited to the destination's range, and extended by its sign; else cut to its width, and zeros above",
     DOC_CONVERSIONS);
DOES(MUFU, mufu, "special functions",
     "d = cos, sin, 2^a, log2 a, 1/a, 1/sqrt(a), sqrt(a) (from SM 5.2 on); subnormals are flushed\n"
     "RCP64H, RSQ64H: upper word of a double to the upper word of its reciprocal (square root)\n"
     "approximations: the bits that an H100 has for PTX's .approx.ftz forms (named choice)",
     DOC_FLOATS);
DOES(RRO, rro, "range reduction for MUFU", "d = a with its signs: MUFU takes the plain value here", DOC_FLOATS);

const struct isa_row sass_rows_float[] = {
    /* ---- f32 ---- */
    ALU(FADD, 0x58, "f", "FADD{.FTZ@44}{round@39-40}{.SAT@50} {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_ADD, "",
        BITS(41, 43), SASS_FIXED),
    ROW(FADD32I, "@FADD32I{.FTZ@55} {Rd@0}{.CC@52}, {Ra@8 -56 |54}, {f@20-51 -53 |57}", 0xfc00, 0x0800, 0, SASS_FIXED),
    ALU(FMUL, 0x68, "f", AB("FMUL{fmz@44-45}{scale@41-43}{round@39-40}{.SAT@50}"), " -48", "", BIT(46) | BIT(49),
        SASS_FIXED),
    ROW(FMUL32I, "@FMUL32I{fmz@53-54}{.SAT@55} {Rd@0}{.CC@52}, {Ra@8}, {f@20-51}", 0xff00, 0x1e00, 0, SASS_FIXED),
    ALU3(FFMA, 0xff80, 0x5980, 0x5180, 0x3280, "f", AB("FFMA{fmz@53-54}{round@51-52}{.SAT@50}"), " -48", " -49", 0,
         SASS_FIXED),
    ROW(FFMA32I, "@FFMA32I{fmz@53-54}{.SAT@55} {Rd@0}{.CC@52}, {Ra@8 -56}, {f@20-51}, {Rs@0 -57 r83}", 0xfc00, 0x0c00,
        0, SASS_FIXED),
    ALU(FMNMX, 0x60, "f", "FMNMX{.FTZ@44} {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_B, ", {Pc@39 !42}",
        BIT(43) | BIT(50), SASS_FIXED),
    ALU2(FSET, 0xff00, 0x5800, 0x3000, "f",
         "FSET{.BF@52}{cmp:cmp4@48-51}{.FTZ@55}{bop@45-46} {Rd@0}{.CC@47}, {Ra@8 -43 |54}, ", " -53 |44",
         ", {Pc@39 !42}", 0, SASS_FIXED),
    ALU2(FSETP, 0xfff0, 0x5bb0, 0x36b0, "f",
         "FSETP{cmp:cmp4@48-51}{.FTZ@47}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8 -43 |7}, ", " -6 |44", ", {Pc@39 !42}", 0,
         SASS_FIXED),
    ALU3(FCMP, 0xfff0, 0x5ba0, 0x53a0, 0x36a0, "f", "FCMP{cmp:fcmp@48-51}{.FTZ@47} {Rd@0}, {Ra@8}, ", "", "", 0,
         SASS_FIXED),
    ALU(FCHK, 0x88, "f", "FCHK{chk@39-44} {Pd@3}, {Ra@8 -48 |46}, ", SIGNS_B, "",
        BITS(0, 2) | BITS(6, 7) | BIT(47) | BIT(50), SASS_FIXED),
    /* signs of the four lanes of a quad, two bits a lane */
    ROW(FSWZADD, "@FSWZADD{.FTZ@44}{round@39-40}{.NDV@38} {Rd@0}{.CC@47}, {Ra@8}, {Rb@20 r83}, {pn@28-35}", 0xfff8,
        0x50f8, BITS(36, 37) | BITS(41, 43) | BITS(45, 46) | BITS(48, 50), SASS_FIXED),
    MUFU(SASS_SM50, "mufu:mufu"),
    MUFU(SASS_SPARSE, "mufu:mufu52"),
    ALU(RRO, 0x90, "f", "RRO{rro@39} {Rd@0}, ", SIGNS_B, "", BITS(8, 15) | BITS(40, 44) | BITS(46, 48) | BIT(50),
        SASS_FIXED),

    /* ---- f64 ---- */
    ALU(DADD, 0x70, "g", "DADD{round@39-40} {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_ADD, "", BITS(41, 44) | BIT(50),
        SASS_KEEPS | SASS_IS_DOUBLE),
    ALU(DMUL, 0x80, "g", AB("DMUL{round@39-40}"), " -48", "", BITS(41, 46) | BITS(49, 50), SASS_KEEPS | SASS_IS_DOUBLE),
    ALU3(DFMA, 0xfff0, 0x5b70, 0x5370, 0x3670, "g", AB("DFMA{round@50-51}"), " -48", " -49", 0,
         SASS_KEEPS | SASS_IS_DOUBLE),
    ALU(DMNMX, 0x50, "g", "DMNMX {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_B, ", {Pc@39 !42}", BITS(43, 44) | BIT(50),
        SASS_IS_DOUBLE),
    ALU2(DSET, 0xff80, 0x5900, 0x3200, "g", "DSET{.BF@52}{cmp:cmp4@48-51}{bop@45-46} {Rd@0}{.CC@47}, {Ra@8 -43 |54}, ",
         " -53 |44", ", {Pc@39 !42}", 0, SASS_IS_DOUBLE | SASS_IS_NARROW),
    ALU2(DSETP, 0xfff0, 0x5b80, 0x3680, "g", "DSETP{cmp:cmp4@48-51}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8 -43 |7}, ",
         " -6 |44", ", {Pc@39 !42}", BIT(47), SASS_IS_DOUBLE),

    /* ---- conversions ---- */
    F2F_WIDE("f", F2F_ROUND, BITS(10, 11), 0, F2F_IDLE | BIT(42), 0),
    F2F_WIDE("f", F2F_ROUND, BITS(10, 11), BIT(11), F2F_IDLE | BIT(42), 0),
    F2F_WIDE("g", F2F_ROUND, BITS(10, 11), BITS(10, 11), F2F_IDLE | BIT(42), 0),
    F2F_F16(F2F_ROUND, BITS(10, 11), BIT(10), F2F_IDLE | BIT(42), 0),
    F2F_WIDE("f", F2F_SAME, BITS(8, 11), 0, F2F_IDLE, ISA_OVER),
    F2F_WIDE("f", F2F_SAME, BITS(8, 11), BIT(9) | BIT(11), F2F_IDLE, ISA_OVER),
    F2F_WIDE("g", F2F_SAME, BITS(8, 11), BITS(8, 11), F2F_IDLE, ISA_OVER),
    F2F_F16(F2F_SAME, BITS(8, 11), BIT(8) | BIT(10), F2F_IDLE, ISA_OVER),
    CONVERT_REG(F2I, 0xb0, F2I_TEXT, " -45 |49 .h1@41", F2I_IDLE),
    CONVERT_CONST(F2I, 0xb0, F2I_TEXT, " -45 |49 .h1@41", F2I_IDLE),
    F2I_IMMEDIATE("f@20-38,56", 0, 0, 0, 0),
    F2I_IMMEDIATE("h@20-35", BITS(10, 11), BIT(10), BITS(36, 38) | BIT(56), ISA_OVER),
    F2I_IMMEDIATE("g@20-38,56", BITS(10, 11), BITS(10, 11), 0, ISA_OVER),
    CONVERT_REG(I2F, 0xb8, I2F_TEXT, PART, I2F_IDLE),
    CONVERT_CONST(I2F, 0xb8, I2F_TEXT, PART, I2F_IDLE),
    ROW(I2F, "@" I2F_TEXT "{i@20-38,56" PART "}", 0xfef8, 0x38b8, I2F_IDLE, SASS_IS_CONVERT),
    CONVERT_REG(I2I, 0xe0, I2I_TEXT, PART, I2I_IDLE),
    CONVERT_CONST(I2I, 0xe0, I2I_TEXT, PART, I2I_IDLE),
    ROW(I2I, "@" I2I_TEXT "{i@20-38,56" PART "}", 0xfef8, 0x38e0, I2I_IDLE, SASS_IS_CONVERT),
};

const unsigned sass_nrows_float = sizeof sass_rows_float / sizeof sass_rows_float[0];

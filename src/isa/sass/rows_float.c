/* Rows of f32 and f64 operations and of conversions (docs/maxwell.md, "Field values"). */
#include "isa/sass/rows_alu.h"

#define AB(text) text " {Rd@0}{.CC@47}, {Ra@8}, "

/* Conversions print a constant as c[0x0] [0x140] where the operand can be cut into parts. */
#define CONVERT_REG(opcode, before, b, ignored) \
    ROW("@" before "{Rb@20" b "}", 0xfff8, 0x5c00 | (opcode), (ignored) | BITS(28, 38), SASS_IS_CONVERT)
#define CONVERT_CONST(opcode, before, b, ignored) \
    ROW("@" before "{C@20-38" b "}", 0xfff8, 0x4c00 | (opcode), ignored, SASS_IS_CONVERT)

/* F2F and F2I: the immediate's kind depends on the source format, bits 10-11: 0 (reserved) and 2 an f32, 1 an f16 in
 * the low 16 bits, 3 an f64. `mask`, `value`: more bits that tell a row from others. */
#define SOURCE(text, opcode16, mask16, mask, value, ignored, flags)                                           \
    {                                                                                                         \
        (text), TOP(mask16) | (mask), TOP(opcode16) | (value), (ignored), SASS_ALL, SASS_IS_CONVERT | (flags) \
    }

/* F2F of other source formats than f16: bit 41 does nothing. */
#define F2F_WIDE(kind, before, mask, value, ignored, flags)                                                       \
    SOURCE("@" before "{Rb@20 -45 |49}", 0x5ca8, 0xfff8, mask, value, (ignored) | BIT(41) | BITS(28, 38), flags), \
        SOURCE("@" before "{c@20-38 -45 |49}", 0x4ca8, 0xfff8, mask, value, (ignored) | BIT(41), flags),          \
        SOURCE("@" before "{" kind "@20-38,56 -45 |49}", 0x38a8, 0xfef8, mask, value, (ignored) | BIT(41), flags)
#define F2F_F16(before, mask, value, ignored, flags)                                                                   \
    SOURCE("@" before "{Rb@20 -45 |49 .h1@41}", 0x5ca8, 0xfff8, mask, value, (ignored) | BITS(28, 38), flags),         \
        SOURCE("@" before "{C@20-38 -45 |49 .h1@41}", 0x4ca8, 0xfff8, mask, value, ignored, flags),                    \
        SOURCE("@" before "{h@20-35 -45 |49 .h1@41}", 0x38a8, 0xfef8, mask, value, (ignored) | BITS(36, 38) | BIT(56), \
               flags)

/* SM 5.2 brought MUFU.SQRT. */
#define MUFU(archs, function)                                                                  \
    {                                                                                          \
        "@MUFU{" function "@20-23}{.SAT@50} {Rd@0}, {Ra@8 -48 |46}", TOP(0xfff8), TOP(0x5080), \
            BITS(24, 45) | BIT(47) | BIT(49), archs, SASS_IS_SPECIAL                           \
    }

/* From one format to another it rounds, from a format to itself it may round to an integer (bit 42). */
#define F2F_ROUND "F2F{.FTZ@44}{to:fdst@8-9}{from:fsrc@10-11}{round@39-40}{.SAT@50} {Rd@0}{.CC@47}, "
#define F2F_SAME  "F2F{.FTZ@44}{to:fdst@8-9}{from:fsrc@10-11}{round:pass@39-40,42}{.SAT@50} {Rd@0}{.CC@47}, "
#define F2F_IDLE  (BITS(12, 15) | BIT(43) | BIT(46) | BIT(48))

#define F2I      "F2I{.FTZ@44}{to:f2idst@8-9,12}{from:fsrc@10-11}{round:iround@39-40} {Rd@0}{.CC@47}, "
#define F2I_IDLE (BITS(13, 15) | BITS(42, 43) | BIT(46) | BIT(48) | BIT(50))
#define F2I_IMMEDIATE(field, mask, value, ignored, flags) \
    SOURCE("@" F2I "{" field " -45 |49 .h1@41}", 0x38b0, 0xfef8, mask, value, F2I_IDLE | (ignored), flags)

#define I2F      "I2F{to:i2fdst@8-9}{from:i2fsrc@10-11,13}{round@39-40} {Rd@0}{.CC@47}, "
#define I2F_IDLE (BIT(12) | BITS(14, 15) | BITS(43, 44) | BIT(46) | BIT(48) | BIT(50))
#define I2I      "I2I{to:i2idst@8-9,12}{from:i2isrc@10-11,13}{.SAT@50} {Rd@0}{.CC@47}, "
#define I2I_IDLE (BITS(14, 15) | BITS(39, 40) | BITS(43, 44) | BIT(46) | BIT(48))
#define PART     " -45 |49 .part@41-42?10-11"

#define SIGNS_B " -45 |49"
/* Additions take B through the third port: its reuse bit is the one of slot C (recorded words with control bits). */
#define SIGNS_ADD SIGNS_B " r83"

const struct isa_row sass_rows_float[] = {
    /* ---- f32 ---- */
    ALU(0x58, "f", "FADD{.FTZ@44}{round@39-40}{.SAT@50} {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_ADD, "", BITS(41, 43),
        ISA_FIXED),
    ROW("@FADD32I{.FTZ@55} {Rd@0}{.CC@52}, {Ra@8 -56 |54}, {f@20-51 -53 |57}", 0xfc00, 0x0800, 0, ISA_FIXED),
    ALU(0x68, "f", AB("FMUL{fmz@44-45}{scale@41-43}{round@39-40}{.SAT@50}"), " -48", "", BIT(46) | BIT(49), ISA_FIXED),
    ROW("@FMUL32I{fmz@53-54}{.SAT@55} {Rd@0}{.CC@52}, {Ra@8}, {f@20-51}", 0xff00, 0x1e00, 0, ISA_FIXED),
    ALU3(0xff80, 0x5980, 0x5180, 0x3280, "f", AB("FFMA{fmz@53-54}{round@51-52}{.SAT@50}"), " -48", " -49", 0,
         ISA_FIXED),
    ROW("@FFMA32I{fmz@53-54}{.SAT@55} {Rd@0}{.CC@52}, {Ra@8 -56}, {f@20-51}, {Rs@0 -57 r83}", 0xfc00, 0x0c00, 0,
        ISA_FIXED),
    ALU(0x60, "f", "FMNMX{.FTZ@44} {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_B, ", {Pc@39 !42}", BIT(43) | BIT(50),
        ISA_FIXED),
    ALU2(0xff00, 0x5800, 0x3000, "f",
         "FSET{.BF@52}{cmp:cmp4@48-51}{.FTZ@55}{bop@45-46} {Rd@0}{.CC@47}, {Ra@8 -43 |54}, ", " -53 |44",
         ", {Pc@39 !42}", 0, ISA_FIXED),
    ALU2(0xfff0, 0x5bb0, 0x36b0, "f", "FSETP{cmp:cmp4@48-51}{.FTZ@47}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8 -43 |7}, ",
         " -6 |44", ", {Pc@39 !42}", 0, ISA_FIXED),
    ALU3(0xfff0, 0x5ba0, 0x53a0, 0x36a0, "f", "FCMP{cmp:fcmp@48-51}{.FTZ@47} {Rd@0}, {Ra@8}, ", "", "", 0, ISA_FIXED),
    ALU(0x88, "f", "FCHK{chk@39-44} {Pd@3}, {Ra@8 -48 |46}, ", SIGNS_B, "", BITS(0, 2) | BITS(6, 7) | BIT(47) | BIT(50),
        ISA_FIXED),
    /* signs of the four lanes of a quad, two bits a lane */
    ROW("@FSWZADD{.FTZ@44}{round@39-40}{.NDV@38} {Rd@0}{.CC@47}, {Ra@8}, {Rb@20 r83}, {pn@28-35}", 0xfff8, 0x50f8,
        BITS(36, 37) | BITS(41, 43) | BITS(45, 46) | BITS(48, 50), ISA_FIXED),
    MUFU(SASS_SM50, "mufu:mufu"),
    MUFU(SASS_SPARSE, "mufu:mufu52"),
    ALU(0x90, "f", "RRO{rro@39} {Rd@0}, ", SIGNS_B, "", BITS(8, 15) | BITS(40, 44) | BITS(46, 48) | BIT(50), ISA_FIXED),

    /* ---- f64 ---- */
    ALU(0x70, "g", "DADD{round@39-40} {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_ADD, "", BITS(41, 44) | BIT(50),
        SASS_KEEPS | SASS_IS_DOUBLE),
    ALU(0x80, "g", AB("DMUL{round@39-40}"), " -48", "", BITS(41, 46) | BITS(49, 50), SASS_KEEPS | SASS_IS_DOUBLE),
    ALU3(0xfff0, 0x5b70, 0x5370, 0x3670, "g", AB("DFMA{round@50-51}"), " -48", " -49", 0, SASS_KEEPS | SASS_IS_DOUBLE),
    ALU(0x50, "g", "DMNMX {Rd@0}{.CC@47}, {Ra@8 -48 |46}, ", SIGNS_B, ", {Pc@39 !42}", BITS(43, 44) | BIT(50),
        SASS_IS_DOUBLE),
    ALU2(0xff80, 0x5900, 0x3200, "g", "DSET{.BF@52}{cmp:cmp4@48-51}{bop@45-46} {Rd@0}{.CC@47}, {Ra@8 -43 |54}, ",
         " -53 |44", ", {Pc@39 !42}", 0, SASS_IS_DOUBLE | SASS_IS_NARROW),
    ALU2(0xfff0, 0x5b80, 0x3680, "g", "DSETP{cmp:cmp4@48-51}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8 -43 |7}, ", " -6 |44",
         ", {Pc@39 !42}", BIT(47), SASS_IS_DOUBLE),

    /* ---- conversions ---- */
    F2F_WIDE("f", F2F_ROUND, BITS(10, 11), 0, F2F_IDLE | BIT(42), 0),
    F2F_WIDE("f", F2F_ROUND, BITS(10, 11), BIT(11), F2F_IDLE | BIT(42), 0),
    F2F_WIDE("g", F2F_ROUND, BITS(10, 11), BITS(10, 11), F2F_IDLE | BIT(42), 0),
    F2F_F16(F2F_ROUND, BITS(10, 11), BIT(10), F2F_IDLE | BIT(42), 0),
    F2F_WIDE("f", F2F_SAME, BITS(8, 11), 0, F2F_IDLE, ISA_OVER),
    F2F_WIDE("f", F2F_SAME, BITS(8, 11), BIT(9) | BIT(11), F2F_IDLE, ISA_OVER),
    F2F_WIDE("g", F2F_SAME, BITS(8, 11), BITS(8, 11), F2F_IDLE, ISA_OVER),
    F2F_F16(F2F_SAME, BITS(8, 11), BIT(8) | BIT(10), F2F_IDLE, ISA_OVER),
    CONVERT_REG(0xb0, F2I, " -45 |49 .h1@41", F2I_IDLE),
    CONVERT_CONST(0xb0, F2I, " -45 |49 .h1@41", F2I_IDLE),
    F2I_IMMEDIATE("f@20-38,56", 0, 0, 0, 0),
    F2I_IMMEDIATE("h@20-35", BITS(10, 11), BIT(10), BITS(36, 38) | BIT(56), ISA_OVER),
    F2I_IMMEDIATE("g@20-38,56", BITS(10, 11), BITS(10, 11), 0, ISA_OVER),
    CONVERT_REG(0xb8, I2F, PART, I2F_IDLE),
    CONVERT_CONST(0xb8, I2F, PART, I2F_IDLE),
    ROW("@" I2F "{i@20-38,56" PART "}", 0xfef8, 0x38b8, I2F_IDLE, SASS_IS_CONVERT),
    CONVERT_REG(0xe0, I2I, PART, I2I_IDLE),
    CONVERT_CONST(0xe0, I2I, PART, I2I_IDLE),
    ROW("@" I2I "{i@20-38,56" PART "}", 0xfef8, 0x38e0, I2I_IDLE, SASS_IS_CONVERT),
};

const unsigned sass_nrows_float = sizeof sass_rows_float / sizeof sass_rows_float[0];

/* Rows of operations on pairs of f16, which SM 5.3 has (docs/maxwell.md, "Field values"); the vendor's disassembler
 * knows them for SM 5.2 as well. An immediate pair is written upper half first. */
#include "isa/sass/rows_alu.h"

#define HALF(does, text, mask16, value16, ignored, flags)                                                \
    {                                                                                                    \
        (text), TOP(mask16), TOP(value16), (ignored), SASS_SPARSE, SASS_REUSABLE | (flags), &does_##does \
    }
/* Ten upper bits of each half. */
#define PAIR   "{h@30-38,56}, {h@20-29}"
#define PAIR32 "{h@36-51}, {h@20-35}"

#define ADD_IDLE (BITS(40, 42) | BITS(45, 46))
#define MUL_IDLE (BITS(41, 42) | BITS(45, 46))

DOES(HADD2, hadd2, "f16x2 addition", "d = a + b in each half; .SAT limits to [0, 1]", DOC_HALVES);
DOES(HADD2_32I, hadd2, "f16x2 addition of constants", "d = a + {high:low} in each half", DOC_HALVES);
DOES(HFMA2, hfma2, "f16x2 fused multiply-add", "d = " FUSED ", in each half", DOC_HALVES);
DOES(HFMA2_32I, hfma2, "f16x2 fused multiply-add of constants", "d = a * {high:low} + d, rounded once, in each half",
     DOC_HALVES);
DOES(HMUL2, hmul2, "f16x2 multiplication", "d = a * b in each half", DOC_HALVES);
DOES(HMUL2_32I, hmul2, "f16x2 multiplication by constants", "d = a * {high:low} in each half", DOC_HALVES);
DOES(HSET2, hset2, "f16x2 comparison to register", "each half of d = ((a cmp b) bop p) ? 0xffff : 0 (.BF: 1.0 : 0)",
     DOC_HALVES);
DOES(HSETP2, hsetp2, "f16x2 comparison to predicates",
     "p = (low halves compare) bop r; q = (high halves compare) bop r; .H_AND: p = both, q = not both", DOC_HALVES);

const struct isa_row sass_rows_half[] = {
    HALF(HADD2,
         "@HADD2{ofmt@49-50}{.FTZ@39}{.SAT@32} {Rd@0}, {Ra@8 -43 |44 .hsw@47-48}, {Rb@20 -31 |30 r83 .hsw@28-29}",
         0xfff8, 0x5d10, BITS(33, 38) | ADD_IDLE, 0),
    HALF(HADD2, "@HADD2{ofmt@49-50}{.FTZ@39}{.SAT@52} {Rd@0}, {Ra@8 -43 |44 .hsw@47-48}, " PAIR, 0xfe80, 0x7a00,
         ADD_IDLE | BIT(51) | BITS(53, 54), 0),
    HALF(HADD2, "@HADD2{ofmt@49-50}{.FTZ@39}{.SAT@52} {Rd@0}, {Ra@8 -43 |44 .hsw@47-48}, {c@20-38 -56 |54}", 0xfe80,
         0x7a80, ADD_IDLE | BIT(51) | BIT(53), 0),
    HALF(HADD2_32I, "@HADD2_32I{.FTZ@55}{.SAT@52} {Rd@0}, {Ra@8 -56 .hsw@53-54}, " PAIR32, 0xfe00, 0x2c00, 0, 0),

    HALF(HMUL2, "@HMUL2{ofmt@49-50}{fmz:hfmz@39-40}{.SAT@32} {Rd@0}, {Ra@8 |44 .hsw@47-48}, {Rb@20 -31 |30 .hsw@28-29}",
         0xfff8, 0x5d08, BITS(33, 38) | BIT(43) | MUL_IDLE, 0),
    HALF(HMUL2, "@HMUL2{ofmt@49-50}{fmz:hfmz@39-40}{.SAT@52} {Rd@0}, {Ra@8 -43 |44 .hsw@47-48}, " PAIR, 0xfe80, 0x7800,
         MUL_IDLE | BIT(51) | BITS(53, 54), 0),
    HALF(HMUL2, "@HMUL2{ofmt@49-50}{fmz:hfmz@39-40}{.SAT@52} {Rd@0}, {Ra@8 |44 .hsw@47-48}, {c@20-38 -43 |54}", 0xfe80,
         0x7880, MUL_IDLE | BIT(51) | BIT(53) | BIT(56), 0),
    HALF(HMUL2_32I, "@HMUL2_32I{fmz:hfmz@55-56}{.SAT@52} {Rd@0}, {Ra@8 .hsw@53-54}, " PAIR32, 0xfe00, 0x2a00, 0, 0),

    HALF(HFMA2,
         "@HFMA2{ofmt@49-50}{fmz:hfmz@37-38}{.SAT@32} {Rd@0}, {Ra@8 .hsw@47-48}, {Rb@20 -31 .hsw@28-29}, "
         "{Rc@39 -30 .hsw@35-36}",
         0xfff8, 0x5d00, BITS(33, 34), 0),
    HALF(HFMA2,
         "@HFMA2{ofmt@49-50}{fmz:hfmz@57-58}{.SAT@52} {Rd@0}, {Ra@8 .hsw@47-48}, " PAIR ", {Rc@39 -51 .hsw@53-54}",
         0xf880, 0x7000, 0, 0),
    HALF(HFMA2,
         "@HFMA2{ofmt@49-50}{fmz:hfmz@57-58}{.SAT@52} {Rd@0}, {Ra@8 .hsw@47-48}, {c@20-38 -56}, {Rc@39 -51 .hsw@53-54}",
         0xf880, 0x7080, 0, 0),
    HALF(HFMA2,
         "@HFMA2{ofmt@49-50}{fmz@57-58}{.SAT@52} {Rd@0}, {Ra@8 .hsw@47-48}, {Rc@39 -56 .hsw@53-54}, {c@20-38 -51}",
         0xf880, 0x6080, 0, SASS_STRICT),
    HALF(HFMA2_32I, "@HFMA2_32I{fmz@55-56} {Rd@0}, {Ra@8 .hsw@53-54}, " PAIR32 ", {Rs@0 -52 r83}", 0xfe00, 0x2800, 0,
         SASS_STRICT),

    HALF(HSET2,
         "@HSET2{.BF@49}{cmp:cmp4@35-38}{.FTZ@50}{bop:hbop@45-46} {Rd@0}, {Ra@8 -43 |44 .hsw@47-48}, "
         "{Rb@20 -31 |30 .hsw@28-29}, {Pc@39 !42}",
         0xfff8, 0x5d18, BITS(32, 34), 0),
    HALF(HSET2,
         "@HSET2{.BF@53}{cmp:cmp4@49-52}{.FTZ@54}{bop:hbop@45-46} {Rd@0}, {Ra@8 -43 |44 .hsw@47-48}, " PAIR
         ", {Pc@39 !42}",
         0xfe80, 0x7c00, 0, 0),
    HALF(HSET2,
         "@HSET2{.BF@53}{cmp:cmp4@49-52}{.FTZ@54}{bop:hbop@45-46} {Rd@0}, {Ra@8 -43 |44 .hsw@47-48}, {c@20-38 -56}, "
         "{Pc@39 !42}",
         0xfe80, 0x7c80, 0, 0),

    HALF(HSETP2,
         "@HSETP2{cmp:cmp4@35-38}{.H_AND@49}{.FTZ@6}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8 -43 |44 .hsw@47-48}, "
         "{Rb@20 -31 |30 .hsw@28-29}, {Pc@39 !42}",
         0xfff8, 0x5d20, BIT(7) | BITS(32, 34) | BIT(50), SASS_STRICT),
    HALF(HSETP2,
         "@HSETP2{cmp:cmp4@49-52}{.H_AND@53}{.FTZ@6}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8 -43 |44 .hsw@47-48}, " PAIR
         ", {Pc@39 !42}",
         0xfe80, 0x7e00, BIT(7) | BIT(54), SASS_STRICT),
    HALF(HSETP2,
         "@HSETP2{cmp:cmp4@49-52}{.H_AND@53}{.FTZ@6}{bop@45-46} {Pd@3}, {Pq@0}, {Ra@8 -43 |44 .hsw@47-48}, "
         "{c@20-38 -56 |54}, {Pc@39 !42}",
         0xfe80, 0x7e80, BIT(7), SASS_STRICT),
};

const unsigned sass_nrows_half = sizeof sass_rows_half / sizeof sass_rows_half[0];

/* Rows of float-only instructions, comparison and selection. Notation: row.h. */
#include "isa/ptx/lower.h"
#include "isa/ptx/rows.h"

#define RND    "rn|rz|rm|rp"
#define UNARY  "d>t a:t"
#define BINARY "d>t a:t b:t"
#define TRIPLE "d>t a:t b:t c:t"

static const struct ptx_pattern fma_forms[] = {
    FORM(RND " ftz? sat? f32", TRIPLE, fma),
    FORM(RND " f64", TRIPLE, fma),
    GATED(42, 53, "rn ftz? sat? f16|f16x2", TRIPLE, fma),
    GATED(70, 80, "rn ftz? relu f16|f16x2", TRIPLE, fma),
    GATED(70, 80, "rn relu? bf16|bf16x2", TRIPLE, fma),
    {RND " ftz? f32x2", TRIPLE, .version = 86, .target = 100, .op = LANE_OP_fma, .lower = lower_f32x2},
    {RND " sat? f32 f16", "d>t a:u% b:u% c:t", .version = 86, .target = 100, .op = LANE_OP_fma, .lower = lower_mixed},
    {RND " sat? f32 bf16", "d>t a:h% b:h% c:t", .version = 86, .target = 100, .op = LANE_OP_fma,
     .check = check_mixed_bf16, .lower = lower_mixed},
    /* .oob tells a NaN that came from outside a tensor, whose bits are not documented, from others */
    {"rn oob sat? f16|f16x2", TRIPLE, .version = 81, .target = 90, .lower = ptx_lower_unsupported},
    {"rn oob relu? f16|f16x2|bf16|bf16x2", TRIPLE, .version = 81, .target = 90, .lower = ptx_lower_unsupported},
};
DEFINE(fma, "fma", "a * b + c with one rounding", NULL, NULL)

static const struct ptx_pattern rcp_forms[] = {
    FORM("approx ftz? f32", UNARY, rcp),
    FORM(RND " ftz? f32", UNARY, rcp),
    FORM(RND " f64", UNARY, rcp),
    GATED(21, 20, "approx ftz f64", UNARY, rcp64h),
};
DEFINE(rcp, "rcp", "reciprocal", NULL, NULL)
static const struct ptx_pattern sqrt_forms[] = {
    FORM("approx ftz? f32", UNARY, sqrt),
    FORM(RND " ftz? f32", UNARY, sqrt),
    FORM(RND " f64", UNARY, sqrt),
};
DEFINE(sqrt, "sqrt", "square root", NULL, NULL)
static const struct ptx_pattern rsqrt_forms[] = {
    FORM("approx ftz? f32", UNARY, rsqrt),
    FORM("approx f64", UNARY, rsqrt),
    GATED(40, 20, "approx ftz f64", UNARY, rsqrt64h),
};
DEFINE(rsqrt, "rsqrt", "reciprocal of the square root", NULL, NULL)
static const struct ptx_pattern sin_forms[] = {FORM("approx ftz? f32", UNARY, sin)};
DEFINE(sin, "sin", "sine", NULL, NULL)
static const struct ptx_pattern cos_forms[] = {FORM("approx ftz? f32", UNARY, cos)};
DEFINE(cos, "cos", "cosine", NULL, NULL)
static const struct ptx_pattern lg2_forms[] = {FORM("approx ftz? f32", UNARY, lg2)};
DEFINE(lg2, "lg2", "logarithm to base 2", NULL, NULL)
static const struct ptx_pattern ex2_forms[] = {
    FORM("approx ftz? f32", UNARY, ex2),
    GATED(70, 75, "approx f16|f16x2", UNARY, ex2),
    GATED(78, 90, "approx ftz bf16|bf16x2", UNARY, ex2),
};
DEFINE(ex2, "ex2", "power of 2", NULL, NULL)
static const struct ptx_pattern tanh_forms[] = {
    GATED(70, 75, "approx f32", UNARY, tanh),
    GATED(70, 75, "approx f16|f16x2", UNARY, tanh),
    GATED(78, 90, "approx bf16|bf16x2", UNARY, tanh),
};
DEFINE(tanh, "tanh", "hyperbolic tangent", NULL, NULL)
static const struct ptx_pattern copysign_forms[] = {FORM("f32|f64", BINARY, copysign)};
DEFINE(copysign, "copysign", "sign of a, magnitude of b", NULL, NULL)
static const struct ptx_pattern testp_forms[] = {
    MODE("finite f32|f64", "p>p a:t", testp, LANE_TESTP_FINITE),
    MODE("infinite f32|f64", "p>p a:t", testp, LANE_TESTP_INFINITE),
    MODE("number f32|f64", "p>p a:t", testp, LANE_TESTP_NUMBER),
    MODE("notanumber f32|f64", "p>p a:t", testp, LANE_TESTP_NOTANUMBER),
    MODE("normal f32|f64", "p>p a:t", testp, LANE_TESTP_NORMAL),
    MODE("subnormal f32|f64", "p>p a:t", testp, LANE_TESTP_SUBNORMAL),
};
DEFINE(testp, "testp", "tests a float's class", NULL, NULL)

/* -- comparison -- */
#define BOOL     " and|or|xor? "
#define CMP_BITS "eq|ne"
#define CMP_S    "eq|ne|lt|le|gt|ge"
#define CMP_U    CMP_S "|lo|ls|hi|hs"
#define CMP_F    CMP_S "|equ|neu|ltu|leu|gtu|geu|num|nan"
#define SETP     "p>p|_ a:t b:t c:p!?"

static const struct ptx_pattern setp_forms[] = {
    FORM(CMP_BITS BOOL "b16|b32|b64", SETP, setp),
    FORM(CMP_S BOOL "s16|s32|s64", SETP, setp),
    FORM(CMP_U BOOL "u16|u32|u64", SETP, setp),
    FORM(CMP_F BOOL "ftz? f32", SETP, setp),
    FORM(CMP_F BOOL "f64", SETP, setp),
    GATED(42, 53, CMP_F BOOL "ftz? f16", SETP, setp),
    GATED(42, 53, CMP_F BOOL "ftz? f16x2", SETP, setp2),
    GATED(78, 90, CMP_F BOOL "bf16", SETP, setp),
    GATED(78, 90, CMP_F BOOL "bf16x2", SETP, setp2),
};
DEFINE(setp, "setp", "compares and sets predicates", check_boolop, lower_setp)

#define SET   "d>t a:u b:u c:p!?"
#define SET_D "u32|s32|f32"
static const struct ptx_pattern set_forms[] = {
    FORM(CMP_BITS BOOL SET_D " b16|b32|b64", SET, setp),
    FORM(CMP_S BOOL SET_D " s16|s32|s64", SET, setp),
    FORM(CMP_U BOOL SET_D " u16|u32|u64", SET, setp),
    FORM(CMP_F BOOL "ftz? " SET_D " f32", SET, setp),
    FORM(CMP_F BOOL SET_D " f64", SET, setp),
    GATED(42, 53, CMP_F BOOL "ftz? f16|u16@65|s16@65|u32@65|s32@65 f16", SET, setp),
    GATED(42, 53, CMP_F BOOL "ftz? f16x2|u32@65|s32@65 f16x2", SET, set2),
    GATED(78, 90, CMP_F BOOL "bf16|u16|s16|u32|s32 bf16", SET, setp),
    GATED(78, 90, CMP_F BOOL "bf16x2|u32|s32 bf16x2", SET, set2),
    GATED(78, 90, CMP_BITS BOOL "bf16 b16|b32|b64", SET, setp),
    GATED(78, 90, CMP_S BOOL "bf16 s16|s32|s64", SET, setp),
    GATED(78, 90, CMP_U BOOL "bf16 u16|u32|u64", SET, setp),
    GATED(78, 90, CMP_F BOOL "bf16 f16|f32|f64", SET, setp),
    GATED(42, 53, CMP_BITS BOOL "f16 b16|b32|b64", SET, setp),
    GATED(42, 53, CMP_S BOOL "f16 s16|s32|s64", SET, setp),
    GATED(42, 53, CMP_U BOOL "f16 u16|u32|u64", SET, setp),
    GATED(42, 53, CMP_F BOOL "ftz? f16 f32", SET, setp),
    GATED(42, 53, CMP_F BOOL "f16 f64", SET, setp),
};
DEFINE(set, "set", "compares and sets a value: 1.0, or all ones", check_boolop, lower_set)

static const struct ptx_pattern selp_forms[] = {
    FORM("b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "d>t a:t b:t c:p!", selp)};
DEFINE(selp, "selp", "c ? a : b", NULL, lower_select)
static const struct ptx_pattern slct_forms[] = {
    FORM("b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 s32", "d>t a:t b:t c:u", slct),
    FORM("ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 f32", "d>t a:t b:t c:u", slct),
};
DEFINE(slct, "slct", "c >= 0 ? a : b", NULL, lower_select)

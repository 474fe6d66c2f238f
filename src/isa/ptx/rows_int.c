/* Rows of integer, bit and packed-integer instructions. Notation: row.h. Gates: PTX ISA, "PTX ISA Notes" and "Target
 * ISA Notes" of each instruction. */
#include "isa/ptx/lower.h"
#include "isa/ptx/rows.h"

#define VIA(mods, operands, op_, lower_)                     \
    {                                                        \
        mods, operands, .op = LANE_OP_##op_, .lower = lower_ \
    }
#define MIXED(mods, operands, op_, check_)                                                                           \
    {                                                                                                                \
        RND mods, operands, .version = 86, .target = 100, .op = LANE_OP_##op_, .check = check_, .lower = lower_mixed \
    }

#define PLAIN(id, text, summary) DEFINE(id, text, summary, NULL, NULL)

#define RND    "rn|rz|rm|rp"
#define INT    "u16|u32|u64|s16|s32|s64"
#define CARRY  "u32|s32|u64@43|s64@43"
#define BITS   "b16|b32|b64"
#define UNARY  "d>t a:t"
#define BINARY "d>t a:t b:t"
#define TRIPLE "d>t a:t b:t c:t"

/* add, sub, mul, mad and min, max, abs, neg have integer and float forms; both live here, side by side. */
static const struct ptx_pattern add_forms[] = {
    FORM(INT, BINARY, add),
    FORM("sat s32", BINARY, add),
    GATED(80, 90, "u16x2|s16x2", BINARY, add),
    VIA("cc " CARRY, BINARY, addc, lower_carry),
    FORM(RND "? ftz? sat? f32", BINARY, add),
    FORM(RND "? f64", BINARY, add),
    GATED(42, 53, "rn? ftz? sat? f16|f16x2", BINARY, add),
    GATED(78, 90, "rn? bf16|bf16x2", BINARY, add),
    {RND "? ftz? f32x2", BINARY, .version = 86, .target = 100, .op = LANE_OP_add, .lower = lower_f32x2},
    MIXED("? sat? f32 f16", "d>t a:u% c:t", add, NULL),
    MIXED("? sat? f32 bf16", "d>t a:h% c:t", add, check_mixed_bf16),
};
PLAIN(add, "add", "adds two values")

static const struct ptx_pattern sub_forms[] = {
    FORM(INT, BINARY, sub),
    FORM("sat s32", BINARY, sub),
    VIA("cc " CARRY, BINARY, subc, lower_carry),
    FORM(RND "? ftz? sat? f32", BINARY, sub),
    FORM(RND "? f64", BINARY, sub),
    GATED(42, 53, "rn? ftz? sat? f16|f16x2", BINARY, sub),
    GATED(78, 90, "rn? bf16|bf16x2", BINARY, sub),
    {RND "? ftz? f32x2", BINARY, .version = 86, .target = 100, .op = LANE_OP_sub, .lower = lower_f32x2},
    MIXED("? sat? f32 f16", "d>t a:u% c:t", sub, NULL),
    MIXED("? sat? f32 bf16", "d>t a:h% c:t", sub, check_mixed_bf16),
};
PLAIN(sub, "sub", "subtracts b from a")

static const struct ptx_pattern addc_forms[] = {VIA("cc? " CARRY, BINARY, addc, lower_carry)};
PLAIN(addc, "addc", "adds two values and the carry")
static const struct ptx_pattern subc_forms[] = {VIA("cc? " CARRY, BINARY, subc, lower_carry)};
PLAIN(subc, "subc", "subtracts b and the borrow from a")

static const struct ptx_pattern mul_forms[] = {
    FORM("lo " INT, BINARY, mul),
    FORM("hi " INT, BINARY, mulhi),
    FORM("wide u16|u32|s16|s32", "d>w a:t b:t", mulwide),
    FORM(RND "? ftz? sat? f32", BINARY, mul),
    FORM(RND "? f64", BINARY, mul),
    GATED(42, 53, "rn? ftz? sat? f16|f16x2", BINARY, mul),
    GATED(78, 90, "rn? bf16|bf16x2", BINARY, mul),
    {RND "? ftz? f32x2", BINARY, .version = 86, .target = 100, .op = LANE_OP_mul, .lower = lower_f32x2},
};
PLAIN(mul, "mul", "multiplies: low half, high half, full product, or float")

static const struct ptx_pattern mad_forms[] = {
    FORM("lo " INT, TRIPLE, mad),
    FORM("hi " INT, TRIPLE, madhi),
    FORM("hi sat s32", TRIPLE, madhi),
    FORM("wide u16|u32|s16|s32", "d>w a:t b:t c:w", madwide),
    {"lo cc " CARRY, TRIPLE, .version = 30, .target = 20, .op = LANE_OP_madc, .mode = 0, .lower = lower_carry},
    {"hi cc " CARRY, TRIPLE, .version = 30, .target = 20, .op = LANE_OP_madc, .mode = 1, .lower = lower_carry},
    FORM(RND " ftz? sat? f32", TRIPLE, fma),
    FORM(RND " f64", TRIPLE, fma),
};
PLAIN(mad, "mad", "multiplies and adds: a * b + c")

static const struct ptx_pattern madc_forms[] = {
    {"lo cc? " CARRY, TRIPLE, .version = 30, .target = 20, .op = LANE_OP_madc, .mode = 0, .lower = lower_carry},
    {"hi cc? " CARRY, TRIPLE, .version = 30, .target = 20, .op = LANE_OP_madc, .mode = 1, .lower = lower_carry},
};
PLAIN(madc, "madc", "half of a * b, plus c and the carry")

static const struct ptx_pattern mul24_forms[] = {MODE("lo u32|s32", BINARY, mul24, 0),
                                                 MODE("hi u32|s32", BINARY, mul24, 1)};
PLAIN(mul24, "mul24", "24-bit multiply: low 32 or high 32 of the 48-bit product")
static const struct ptx_pattern mad24_forms[] = {
    MODE("lo u32|s32", TRIPLE, mad24, 0),
    MODE("hi u32|s32", TRIPLE, mad24, 1),
    MODE("hi sat s32", TRIPLE, mad24, 1),
};
PLAIN(mad24, "mad24", "24-bit multiply and add")
static const struct ptx_pattern sad_forms[] = {FORM(INT, TRIPLE, sad)};
PLAIN(sad, "sad", "c + |a - b|")

static const struct ptx_pattern div_forms[] = {
    FORM(INT, BINARY, div),
    FORM("approx|full ftz? f32", BINARY, div),
    FORM(RND " ftz? f32", BINARY, div),
    FORM(RND " f64", BINARY, div),
};
PLAIN(div, "div", "divides a by b")
static const struct ptx_pattern rem_forms[] = {FORM(INT, BINARY, rem)};
PLAIN(rem, "rem", "remainder of a by b")

static const struct ptx_pattern abs_forms[] = {
    FORM("s16|s32|s64", UNARY, abs),
    FORM("ftz? f32", UNARY, abs),
    FORM("f64", UNARY, abs),
    GATED(65, 53, "ftz? f16|f16x2", UNARY, abs),
    GATED(70, 80, "bf16|bf16x2", UNARY, abs),
};
PLAIN(abs, "abs", "absolute value")
static const struct ptx_pattern neg_forms[] = {
    FORM("s16|s32|s64", UNARY, neg),
    FORM("ftz? f32", UNARY, neg),
    FORM("f64", UNARY, neg),
    GATED(60, 53, "ftz? f16|f16x2", UNARY, neg),
    GATED(70, 80, "bf16|bf16x2", UNARY, neg),
};
PLAIN(neg, "neg", "negates")

static const struct ptx_pattern min_forms[] = {
    FORM(INT, BINARY, min),
    GATED(80, 90, "relu s32", BINARY, min),
    GATED(80, 90, "u16x2", BINARY, min),
    GATED(80, 90, "relu? s16x2", BINARY, min),
    {"ftz? NaN@70/80? f32", "d>t a:t b:t c:t?", .op = LANE_OP_min, .check = check_three, .lower = lower_three},
    GATED(72, 86, "ftz? NaN? xorsign abs f32", BINARY, min),
    FORM("f64", BINARY, min),
    GATED(70, 80, "ftz? NaN? f16|f16x2", BINARY, min),
    GATED(72, 86, "ftz? NaN? xorsign abs f16|f16x2", BINARY, min),
    GATED(70, 80, "NaN? bf16|bf16x2", BINARY, min),
    GATED(72, 86, "NaN? xorsign abs bf16|bf16x2", BINARY, min),
};
PLAIN(min, "min", "the smaller of two values")
static const struct ptx_pattern max_forms[] = {
    FORM(INT, BINARY, max),
    GATED(80, 90, "relu s32", BINARY, max),
    GATED(80, 90, "u16x2", BINARY, max),
    GATED(80, 90, "relu? s16x2", BINARY, max),
    {"ftz? NaN@70/80? f32", "d>t a:t b:t c:t?", .op = LANE_OP_max, .check = check_three, .lower = lower_three},
    GATED(72, 86, "ftz? NaN? xorsign abs f32", BINARY, max),
    FORM("f64", BINARY, max),
    GATED(70, 80, "ftz? NaN? f16|f16x2", BINARY, max),
    GATED(72, 86, "ftz? NaN? xorsign abs f16|f16x2", BINARY, max),
    GATED(70, 80, "NaN? bf16|bf16x2", BINARY, max),
    GATED(72, 86, "NaN? xorsign abs bf16|bf16x2", BINARY, max),
};
PLAIN(max, "max", "the larger of two values")

/* -- bits -- */
static const struct ptx_pattern and_forms[] = {FORM(BITS, BINARY, and), FORM("pred", "d>t a:t! b:t!", and)};
PLAIN(and, "and", "bitwise and")
static const struct ptx_pattern or_forms[] = {FORM(BITS, BINARY, or), FORM("pred", "d>t a:t! b:t!", or)};
PLAIN(or, "or", "bitwise or")
static const struct ptx_pattern xor_forms[] = {FORM(BITS, BINARY, xor), FORM("pred", "d>t a:t! b:t!", xor)};
PLAIN(xor, "xor", "bitwise exclusive or")
static const struct ptx_pattern not_forms[] = {FORM(BITS, UNARY, not ), FORM("pred", "d>t a:t!", not )};
PLAIN(not, "not", "bitwise complement")
static const struct ptx_pattern cnot_forms[] = {FORM(BITS, UNARY, cnot)};
PLAIN(cnot, "cnot", "C's logical not: a == 0 ? 1 : 0")

static const struct ptx_pattern lop3_forms[] = {
    {"b32", "d>t a:t b:t c:t lut:4#", .version = 43, .target = 50, .lower = lower_lop3},
    {"or|and b32", "d>t|_ a:t b:t c:t lut:4# q:p!", .version = 82, .target = 70, .check = check_pipe,
     .lower = lower_lop3},
};
PLAIN(lop3, "lop3", "any bitwise function of three inputs, by look-up table")

static const struct ptx_pattern shl_forms[] = {FORM(BITS, "d>t a:t b:4", shl)};
PLAIN(shl, "shl", "shifts left; amounts above the width give 0")
static const struct ptx_pattern shr_forms[] = {FORM(BITS "|" INT, "d>t a:t b:4", shr)};
PLAIN(shr, "shr", "shifts right; signed types fill with the sign")
static const struct ptx_pattern shf_forms[] = {
    {"l clamp|wrap b32", "d>t a:t b:t c:4", .version = 31, .target = 32, .op = LANE_OP_shf, .mode = 0},
    {"r clamp|wrap b32", "d>t a:t b:t c:4", .version = 31, .target = 32, .op = LANE_OP_shf, .mode = 1},
};
PLAIN(shf, "shf", "funnel shift of {b, a} by c")

static const struct ptx_pattern bfe_forms[] = {FORM("u32|s32|u64|s64", "d>t a:t b:4 c:4", bfe)};
PLAIN(bfe, "bfe", "extracts c bits from position b")
static const struct ptx_pattern bfi_forms[] = {FORM("b32|b64", "f>t a:t b:t c:4 d:4", bfi)};
PLAIN(bfi, "bfi", "inserts d bits of a into b at position c")
static const struct ptx_pattern bfind_forms[] = {FORM("shiftamt? u32|s32|u64|s64", "d>4 a:t", bfind)};
PLAIN(bfind, "bfind", "position of the most significant non-sign bit")
static const struct ptx_pattern brev_forms[] = {FORM("b32|b64", UNARY, brev)};
PLAIN(brev, "brev", "reverses the bits")
static const struct ptx_pattern clz_forms[] = {FORM("b32|b64", "d>4 a:t", clz)};
PLAIN(clz, "clz", "counts leading zeros")
static const struct ptx_pattern popc_forms[] = {FORM("b32|b64", "d>4 a:t", popc)};
PLAIN(popc, "popc", "counts ones")
static const struct ptx_pattern fns_forms[] = {GATED(60, 30, "b32", "d>t mask:4 base:4 offset:4", fns)};
PLAIN(fns, "fns", "finds the n-th set bit")
static const struct ptx_pattern bmsk_forms[] = {GATED(76, 70, "clamp|wrap b32", "d>t a:4 b:4", bmsk)};
PLAIN(bmsk, "bmsk", "mask of b ones from position a")
static const struct ptx_pattern szext_forms[] = {GATED(76, 70, "clamp|wrap u32|s32", "d>t a:t b:4", szext)};
PLAIN(szext, "szext", "sign- or zero-extends from bit b")

static const struct ptx_pattern prmt_forms[] = {
    MODE("b32", "d>t a:t b:t c:t", prmt, LANE_PRMT_IDX),       MODE("b32 f4e", "d>t a:t b:t c:t", prmt, LANE_PRMT_F4E),
    MODE("b32 b4e", "d>t a:t b:t c:t", prmt, LANE_PRMT_B4E),   MODE("b32 rc8", "d>t a:t b:t c:t", prmt, LANE_PRMT_RC8),
    MODE("b32 ecl", "d>t a:t b:t c:t", prmt, LANE_PRMT_ECL),   MODE("b32 ecr", "d>t a:t b:t c:t", prmt, LANE_PRMT_ECR),
    MODE("b32 rc16", "d>t a:t b:t c:t", prmt, LANE_PRMT_RC16),
};
PLAIN(prmt, "prmt", "picks bytes of {b, a}")

static const struct ptx_pattern dp4a_forms[] = {GATED(50, 61, "u32|s32 u32|s32", "d>4 a:t b:u c:4", dp4a)};
PLAIN(dp4a, "dp4a", "dot product of 4 bytes, plus c")
static const struct ptx_pattern dp2a_forms[] = {
    {"lo u32|s32 u32|s32", "d>4 a:t b:u c:4", .version = 50, .target = 61, .op = LANE_OP_dp2a, .mode = 0},
    {"hi u32|s32 u32|s32", "d>4 a:t b:u c:4", .version = 50, .target = 61, .op = LANE_OP_dp2a, .mode = 1},
};
PLAIN(dp2a, "dp2a", "dot product of 2 halves with bytes, plus c")

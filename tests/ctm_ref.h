/* One processor of R580 in plain C, an ALU or OUTPUT instruction at a time: written from docs/ctm.md and the guide's
 * tables, apart from the lowering. Numbers are bits; every operation flushes subnormals of what it takes and gives and
 * gives one NaN, 0x7fffffff. */
#ifndef ATOLL_TESTS_CTM_REF_H
#define ATOLL_TESTS_CTM_REF_H

#include <math.h>
#include <string.h>

#include "isa/ctm/ctm.h"

struct ctm_ref {
    uint32_t temp[CTM_TEMPS][CTM_CHANNELS];
    uint32_t output[CTM_OUTPUTS][CTM_CHANNELS];
    uint32_t cond; /* conditional output value */
    bool pred[CTM_CHANNELS], alu_result;
    bool inactive; /* by flow control */
    int32_t al;
    bool zero_times, uncached; /* of the program */
    const uint32_t (*constant)[CTM_CHANNELS];
};

/* What an instruction computed, for those who send it elsewhere (uncached outputs). */
struct ctm_ref_result {
    uint32_t value[CTM_CHANNELS];
    bool writes[CTM_CHANNELS]; /* active, and the predicate of the channel allows it */
};

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static inline float ref_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t ref_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline bool ref_nan(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

static inline uint32_t ref_flush(uint32_t x)
{
    return x & 0x7f800000 ? x : x & 0x80000000;
}

static inline bool ref_zero(uint32_t x)
{
    return !(x & 0x7f800000);
}

static inline uint32_t ref_clean(uint32_t x)
{
    return ref_nan(x) ? 0x7fffffff : ref_flush(x);
}

/* Rounded to f32 before it is looked at: never more precise. */
static inline uint32_t ref_number(double exact_enough)
{
    return ref_clean(ref_bits((float)exact_enough));
}

/* Double has more than twice the digits of f32: rounding twice is rounding once (of sums and products). */
static inline uint32_t ref_add(uint32_t a, uint32_t b)
{
    return ref_number((double)ref_float(ref_flush(a)) + (double)ref_float(ref_flush(b)));
}

static inline uint32_t ref_negate(uint32_t a)
{
    return a ^ 0x80000000;
}

static inline uint32_t ref_multiply(const struct ctm_ref *p, uint32_t a, uint32_t b)
{
    uint32_t product = ref_number((double)ref_float(ref_flush(a)) * (double)ref_float(ref_flush(b)));
    if (p->zero_times && (ref_zero(a) || ref_zero(b)) && ref_nan(product))
        return 0;
    return product;
}

/* -1, 0, 1; 2: a NaN. */
static inline int ref_order(uint32_t a, uint32_t b)
{
    float x = ref_float(ref_flush(a)), y = ref_float(ref_flush(b));
    return ref_nan(a) || ref_nan(b) ? 2 : x < y ? -1 : x > y;
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static inline uint32_t ref_source(const struct ctm_ref *p, const struct ctm_inst *inst, unsigned n, unsigned channel)
{
    unsigned shift = 10 * n, word = inst->word[channel == 3 ? 2 : 1];
    unsigned address = word >> shift & 255, is_constant = word >> (shift + 8) & 1, relative = word >> (shift + 9) & 1;
    unsigned plus = relative ? (unsigned)p->al : 0;
    if (is_constant)
        return p->constant[(address + plus) & 255][channel];
    if (!(address & 128))
        return p->temp[(address + plus) & 127][channel];
    unsigned e = address >> 3 & 15, m = address & 7;
    return ref_bits(e ? ldexpf(1 + (float)m / 8, (int)e - 7) : ldexpf((float)m / 8, -6));
}

static inline uint32_t ref_srcp(const struct ctm_ref *p, const struct ctm_inst *inst, unsigned channel)
{
    const uint32_t one = 0x3f800000, two = 0x40000000;
    struct ctm_ref plain = {0};
    uint32_t s0 = ref_source(p, inst, 0, channel), s1 = ref_source(p, inst, 1, channel);
    switch (inst->word[channel == 3 ? 2 : 1] >> 30) {
    case 0:
        return ref_add(one, ref_negate(ref_multiply(&plain, two, s0)));
    case 1:
        return ref_add(s1, ref_negate(s0));
    case 2:
        return ref_add(s1, s0);
    }
    return ref_add(one, ref_negate(s0));
}

static inline uint32_t ref_modify(uint32_t x, unsigned mod)
{
    switch (mod) {
    case 1:
        return x ^ 0x80000000;
    case 2:
        return x & 0x7fffffff;
    case 3:
        return x | 0x80000000;
    }
    return x;
}

/* Bits of the word where the fields of A, B, C begin: select, first swizzle, modifier. */
static inline uint32_t ref_operand(const struct ctm_ref *p, const struct ctm_inst *inst, unsigned arg, unsigned channel)
{
    static const unsigned char rgb[3][4] = {{3, 0, 2, 11}, {3, 13, 15, 24}, {5, 12, 14, 23}};
    static const unsigned char alpha[3][4] = {{4, 12, 14, 17}, {4, 19, 21, 24}, {5, 25, 27, 30}};
    static const uint32_t fixed[4] = {0, 0x3f000000, 0x3f800000, 0};
    const unsigned char *at = channel == 3 ? alpha[arg] : rgb[arg];
    uint32_t word = inst->word[at[0]], select = word >> at[1] & 3, mod = word >> at[3] & 3;
    uint32_t swizzle = word >> (at[2] + (channel == 3 ? 0 : 3 * channel)) & 7;
    uint32_t x = swizzle > 3   ? fixed[swizzle - 4]
                 : select == 3 ? ref_srcp(p, inst, swizzle)
                               : ref_source(p, inst, select, swizzle);
    return ref_modify(x, mod);
}

/* ---- operations ----------------------------------------------------------------------------------------------- */

/* By the names of the RGB unit; the alpha unit's are translated. */
static inline uint32_t ref_common(const struct ctm_ref *const quad[4], unsigned self, const struct ctm_inst *inst,
                                  unsigned op, unsigned channel)
{
    const struct ctm_ref *p = quad[self];
    uint32_t a = ref_operand(p, inst, 0, channel), b = ref_operand(p, inst, 1, channel),
             c = ref_operand(p, inst, 2, channel);
    static const unsigned char mod_words[3][3] = {{3, 11, 17}, {3, 24, 24}, {5, 23, 30}};
    unsigned alpha = channel == 3;
    bool nan = ref_nan(a) || ref_nan(b);
    switch (op) {
    case CTM_RGB_MIN:
        return ref_order(a, b) == -1 ? a : b;
    case CTM_RGB_MAX:
        return nan || (ref_zero(a) && ref_zero(b)) ? b : ref_order(a, b) >= 0 ? a : b;
    case CTM_RGB_CND:
        return nan || ref_nan(c) ? b : ref_order(c, 0x3f000000) == 1 ? a : b;
    case CTM_RGB_CMP:
        return nan || ref_nan(c) ? b : ref_order(c, 0) >= 0 ? a : b;
    case CTM_RGB_FRC: {
        float x = ref_float(ref_flush(a));
        return ref_add(a, ref_negate(ref_bits(floorf(x))));
    }
    case CTM_RGB_MDH:
    case CTM_RGB_MDV:
        a = ref_modify(ref_source(quad[0], inst, 0, channel), inst->word[alpha ? 4 : 3] >> mod_words[0][1 + alpha] & 3);
        c = ref_modify(ref_source(quad[op == CTM_RGB_MDH ? 1 : 2], inst, 0, channel),
                       inst->word[5] >> mod_words[2][1 + alpha] & 3);
        break;
    }
    return ref_add(ref_multiply(p, a, b), c);
}

static inline uint32_t ref_dot(const struct ctm_ref *p, const struct ctm_inst *inst, unsigned op)
{
    uint32_t sum = ref_multiply(p, ref_operand(p, inst, 0, 0), ref_operand(p, inst, 1, 0));
    sum = ref_add(sum, ref_multiply(p, ref_operand(p, inst, 0, 1), ref_operand(p, inst, 1, 1)));
    if (op == CTM_RGB_D2A)
        return ref_add(sum, ref_operand(p, inst, 2, 2));
    sum = ref_add(sum, ref_multiply(p, ref_operand(p, inst, 0, 2), ref_operand(p, inst, 1, 2)));
    if (op == CTM_RGB_DP4)
        sum = ref_add(sum, ref_multiply(p, ref_operand(p, inst, 0, 3), ref_operand(p, inst, 1, 3)));
    return sum;
}

/* Through long double, which is rounded the right way but once in some 2^40 results. */
static inline uint32_t ref_turn(uint32_t a, bool cosine)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    long double x = ref_float(a), part = x - rintl(x), y;
    if (ref_nan(a) || isinf(ref_float(a)))
        return 0x7fffffff;
    if (!cosine && (part == 0 || fabsl(part) == 0.5L))
        return a & 0x80000000;
    if (cosine && fabsl(part) == 0.25L)
        return 0;
    y = cosine ? cosl(2 * pi * part) : sinl(2 * pi * part);
    return ref_clean(ref_bits((float)y));
}

static inline uint32_t ref_scalar(unsigned alpha_op, uint32_t a)
{
    a = ref_flush(a);
    float x = ref_float(a);
    if (ref_nan(a))
        return 0x7fffffff;
    switch (alpha_op) {
    case CTM_ALPHA_EX2:
        return ref_clean(ref_bits((float)exp2l(x)));
    case CTM_ALPHA_LN2:
        return x < 0 ? 0x7fffffff : ref_clean(ref_bits((float)log2l(x)));
    case CTM_ALPHA_RCP:
        return ref_clean(ref_bits(1 / x));
    case CTM_ALPHA_RSQ:
        return x < 0 ? 0x7fffffff : x == 0 ? 0x7f800000 | a : ref_clean(ref_bits((float)(1 / sqrtl(x))));
    case CTM_ALPHA_SIN:
        return ref_turn(a, false);
    }
    return ref_turn(a, true);
}

static inline bool ref_is_scalar(unsigned alpha_op)
{
    return alpha_op >= CTM_ALPHA_EX2 && alpha_op <= CTM_ALPHA_COS;
}

/* A channel before the output modifier. */
static inline uint32_t ref_unit(const struct ctm_ref *const quad[4], unsigned self, const struct ctm_inst *inst,
                                unsigned channel)
{
    static const unsigned char as_rgb[16] = {
        [CTM_ALPHA_MAD] = CTM_RGB_MAD, [CTM_ALPHA_MIN] = CTM_RGB_MIN, [CTM_ALPHA_MAX] = CTM_RGB_MAX,
        [CTM_ALPHA_CND] = CTM_RGB_CND, [CTM_ALPHA_CMP] = CTM_RGB_CMP, [CTM_ALPHA_FRC] = CTM_RGB_FRC,
        [CTM_ALPHA_MDH] = CTM_RGB_MDH, [CTM_ALPHA_MDV] = CTM_RGB_MDV};
    const struct ctm_ref *p = quad[self];
    unsigned rgb_op = inst->word[5] & 15, alpha_op = inst->word[4] & 15;
    bool dot = rgb_op == CTM_RGB_DP3 || rgb_op == CTM_RGB_DP4 || rgb_op == CTM_RGB_D2A;
    if (channel == 3 ? alpha_op == CTM_ALPHA_DP : dot)
        return ref_dot(p, inst, rgb_op);
    if (channel == 3 ? ref_is_scalar(alpha_op) : rgb_op == CTM_RGB_SOP)
        return ref_scalar(alpha_op, ref_operand(p, inst, 0, 3));
    return ref_common(quad, self, inst, channel == 3 ? as_rgb[alpha_op] : rgb_op, channel);
}

/* OMOD and clamp. */
static inline uint32_t ref_finish(const struct ctm_inst *inst, unsigned channel, uint32_t x)
{
    static const float factors[7] = {1, 2, 4, 8, 0.5f, 0.25f, 0.125f};
    unsigned omod = inst->word[channel == 3 ? 4 : 3] >> 26 & 7;
    bool clamp = inst->word[0] >> (channel == 3 ? 20 : 19) & 1;
    if (omod == CTM_OMOD_DISABLED)
        return x;
    x = ref_number((double)ref_float(ref_flush(ref_clean(x))) * (double)factors[omod]);
    if (!clamp)
        return x;
    return ref_nan(x) || ref_float(x) <= 0 ? 0 : ref_float(x) > 1 ? 0x3f800000 : x;
}

/* 0 equal, 1 less, 2 greater or equal, 3 not equal to 0: predicates. */
static inline bool ref_test(unsigned test, uint32_t x)
{
    bool zero = ref_zero(x), nan = ref_nan(x), negative = x >> 31;
    switch (test) {
    case 0:
        return zero;
    case 1:
        return !zero && !nan && negative;
    case 2:
        return !nan && (zero || !negative);
    }
    return !zero;
}

static inline bool ref_may_write(const struct ctm_ref *p, const struct ctm_inst *inst, unsigned channel)
{
    unsigned select = inst->word[0] >> (channel == 3 ? 25 : 3) & 7;
    bool inverted = inst->word[0] >> (channel == 3 ? 22 : 6) & 1, keeps = inst->word[0] >> 7 & 1;
    if (p->inactive && !keeps)
        return false;
    return select == 0 || p->pred[select == 1 ? channel : select - 2] != inverted;
}

/* The instruction carried out by processor `self` of a quad (0 top left, 1 top right, 2 and 3 below), all of which are
 * as they were before it; `after` is that processor. Who has no quad gives itself four times. */
static inline struct ctm_ref_result ctm_ref_alu(const struct ctm_ref *const quad[4], unsigned self,
                                                const struct ctm_inst *inst, struct ctm_ref *after)
{
    const struct ctm_ref *p = quad[self];
    struct ctm_ref_result r;
    struct ctm_ref out = *p;
    bool output = (inst->word[0] & 3) == CTM_TYPE_OUTPUT;
    unsigned wmask = inst->word[0] >> 11 & 15, omask = inst->word[0] >> 15 & 15;
    bool alu = inst->word[3] >> 31, from_alpha = inst->word[0] >> 21 & 1, w = output && inst->word[4] >> 31;
    unsigned needs = wmask | omask | (alu ? from_alpha ? 8 : 1 : 0) | (w ? 8 : 0);
    for (unsigned c = 0; c < CTM_CHANNELS; c++) {
        r.writes[c] = ref_may_write(p, inst, c);
        r.value[c] = needs >> c & 1 ? ref_finish(inst, c, ref_unit(quad, self, inst, c)) : 0;
        unsigned address = inst->word[c == 3 ? 4 : 5] >> 4 & 127, relative = inst->word[c == 3 ? 4 : 5] >> 11 & 1;
        unsigned target = inst->word[c == 3 ? 4 : 3] >> 29 & 3;
        if (!r.writes[c])
            continue;
        if (wmask >> c & 1)
            out.temp[(address + (relative ? (unsigned)p->al : 0)) & 127][c] = r.value[c];
        if (omask >> c & 1 && output && !p->uncached)
            out.output[target][c] = r.value[c];
        if (omask >> c & 1 && !output)
            out.pred[c] = ref_test(target, r.value[c]);
        if (c == 3 && w)
            out.cond = r.value[3];
    }
    if (alu && (!p->inactive || inst->word[0] >> 7 & 1))
        out.alu_result = ref_test(inst->word[0] >> 23 & 3, r.value[from_alpha ? 3 : 0]);
    *after = out;
    return r;
}

#endif

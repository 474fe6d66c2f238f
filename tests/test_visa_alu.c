/* What vISA's arithmetic gives, against plain C, at all SIMD widths. */
#include "visa_run.h"

#include <math.h>

#define N(a) (sizeof(a) / sizeof *(a))

typedef uint32_t want_fn(uint32_t a, uint32_t b, uint32_t c);
struct one {
    const char *text; /* # is the execution size */
    want_fn *want;
};

static float f(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, 4);
    return v;
}

static uint32_t u(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, 4);
    return bits;
}

#define WANT(name, expression)                               \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c) \
    {                                                        \
        (void)a, (void)b, (void)c;                           \
        return (uint32_t)(expression);                       \
    }
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))

WANT(w_add, a + b)
WANT(w_sub, a - b)
WANT(w_abs_add, (uint32_t)llabs((int32_t)a) + b)
WANT(w_add_sat, CLAMP((int64_t)(int32_t)a + (int32_t)b, INT32_MIN, INT32_MAX))
WANT(w_uadd_sat, (uint64_t)a + b > UINT32_MAX ? UINT32_MAX : a + b)
WANT(w_mixed_sat, CLAMP((int64_t)a - (int32_t)b, INT32_MIN, INT32_MAX))
WANT(w_mul, a *b)
WANT(w_mulh, ((int64_t)(int32_t)a * (int32_t)b) >> 32)
WANT(w_umulh, ((uint64_t)a * b) >> 32)
WANT(w_mad, a *b + c)
WANT(w_avg, ((int64_t)(int32_t)a + (int32_t)b + 1) >> 1)
WANT(w_shl, a << (b & 31))
WANT(w_shr, a >> (b & 31))
WANT(w_asr, (int32_t)a >> (b & 31))
WANT(w_rol, (b & 31) ? a << (b & 31) | a >> (32 - (b & 31)) : a)
WANT(w_ror, (b & 31) ? a >> (b & 31) | a << (32 - (b & 31)) : a)
WANT(w_andn, a & ~b)
WANT(w_xor, a ^ b)
WANT(w_not, ~a)
WANT(w_min, (int32_t)a < (int32_t)b ? a : b)
WANT(w_umax, a > b ? a : b)
WANT(w_mixed_min, (int64_t)(int32_t)a < (int64_t)b ? a : b)
WANT(w_cbit, __builtin_popcount(a))
WANT(w_lzd, a ? __builtin_clz(a) : 32)
WANT(w_fbl, a ? __builtin_ctz(a) : -1)
WANT(w_ufbh, a ? __builtin_clz(a) : -1)
WANT(w_fbh, a == 0 || a == 0xFFFFFFFF ? -1 : __builtin_clz((int32_t)a < 0 ? ~a : a))
WANT(w_bfn, (~a & b) | (a & c))
WANT(w_add3, a + b + c)
WANT(w_carry, (uint64_t)a + b > UINT32_MAX)
WANT(w_borrow, a < b)
WANT(w_madw_high, ((uint64_t)a * b + c) >> 32)
WANT(w_madw_low, a *b + c)
WANT(w_div, b ? (a == 0x80000000 && b == 0xFFFFFFFF ? a : (uint32_t)((int32_t)a / (int32_t)b)) : 0xFFFFFFFF)
WANT(w_mod, b ? (b == 0xFFFFFFFF ? 0 : (uint32_t)((int32_t)a % (int32_t)b)) : UINT32_MAX)
WANT(w_cmp, (int32_t)a < (int32_t)b ? 1 : 0)
WANT(w_ucmp, a < b ? 0xFFFFFFFF : 0)
WANT(w_cmp_neg, (int64_t)(int32_t)a == -(int64_t)(int32_t)b ? 1 : 0)
WANT(w_sel, (int32_t)a > (int32_t)b ? a : c)
WANT(w_word, (int16_t)a)
WANT(w_uword, (uint16_t)a)
WANT(w_byte, (int8_t)a)
WANT(w_byte_sat, (uint32_t)CLAMP((int32_t)a, -128, 127))
WANT(w_high_word, (int16_t)(a >> 16))
WANT(w_sub_word, (int16_t)a - (int16_t)b)
WANT(w_fadd, u(f(a) + f(b)))
WANT(w_ffma, u(fmaf(f(a), f(b), f(c))))
WANT(w_fsat, u(f(a) > 1 ? 1 : f(a) > 0 ? f(a) : 0))
WANT(w_toint, isnan(f(a)) ? 0 : f(a) >= 2147483648.0f ? INT32_MAX : f(a) < -2147483648.0f ? INT32_MIN : (int32_t)f(a))
WANT(w_tofloat, u((float)(int32_t)a))
WANT(w_floor, u(floorf(f(a))))
WANT(w_even, u(rintf(f(a))))
WANT(w_fneg, a ^ 0x80000000)
WANT(w_fcmp, f(a) < f(b))
WANT(w_fne, !(f(a) == f(b)))
WANT(w_bfe_signed, (int32_t)((a >> 5) << 20) >> 20)
WANT(w_bfe, (a >> 5) & 0xFFF)
WANT(w_bfi, (b & ~(0xFFu << 8)) | (a & 0xFF) << 8)
WANT(w_brev, ({
         uint32_t r = 0;
         for (int i = 0; i < 32; i++)
             r |= (a >> i & 1) << (31 - i);
         r;
     }))
WANT(w_dp4a, ({
         int32_t sum = (int32_t)c;
         for (int i = 0; i < 4; i++)
             sum = (int32_t)((uint32_t)sum + (uint32_t)((int8_t)(a >> 8 * i) * (int8_t)(b >> 8 * i)));
         sum;
     }))

WANT(w_dp4a_sat, ({
         int64_t sum = (int32_t)c;
         for (int i = 0; i < 4; i++)
             sum += (int8_t)(-a >> 8 * i) * (int8_t)(b >> 8 * i);
         CLAMP(sum, INT32_MIN, INT32_MAX);
     }))
WANT(w_fmax_one, f(a) > 1 ? a : 0x3F800000)

static const struct one tests[] = {
    {"add (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_add},
    {"add (M1, #) R(0,0)<1> A(0,0)<1;1,0> (-)B(0,0)<1;1,0>", w_sub},
    {"add (M1, #) R(0,0)<1> (abs)A(0,0)<1;1,0> B(0,0)<1;1,0>", w_abs_add},
    {"add.sat (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_add_sat},
    {"add.sat (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_uadd_sat},
    {"add.sat (M1, #) R(0,0)<1> UA(0,0)<1;1,0> (-)B(0,0)<1;1,0>", w_mixed_sat},
    {"mul (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_mul},
    {"mulh (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_mulh},
    {"mulh (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_umulh},
    {"mad (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>", w_mad},
    {"avg (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_avg},
    {"shl (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_shl},
    {"shr (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_shr},
    {"asr (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_asr},
    {"rol (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_rol},
    {"ror (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_ror},
    {"and (M1, #) R(0,0)<1> A(0,0)<1;1,0> (~)B(0,0)<1;1,0>", w_andn},
    {"xor (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_xor},
    {"not (M1, #) R(0,0)<1> A(0,0)<1;1,0>", w_not},
    {"min (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_min},
    {"max (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_umax},
    {"min (M1, #) R(0,0)<1> A(0,0)<1;1,0> UB(0,0)<1;1,0>", w_mixed_min},
    {"cbit (M1, #) UR(0,0)<1> UA(0,0)<1;1,0>", w_cbit},
    {"lzd (M1, #) UR(0,0)<1> UA(0,0)<1;1,0>", w_lzd},
    {"fbl (M1, #) UR(0,0)<1> UA(0,0)<1;1,0>", w_fbl},
    {"fbh (M1, #) UR(0,0)<1> UA(0,0)<1;1,0>", w_ufbh},
    {"fbh (M1, #) UR(0,0)<1> A(0,0)<1;1,0>", w_fbh},
    /* bit of a + 2 * bit of b + 4 * bit of c: (~a & b) | (a & c) is true at 2, 6; 5, 7 */
    {"bfn.xe4 (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0> UC(0,0)<1;1,0>", w_bfn},
    {"add3 (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>", w_add3},
    {"addc (M1, #) UC(0,0)<1> UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_carry},
    {"subb (M1, #) UC(0,0)<1> UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_borrow},
    {"div (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_div},
    {"mod (M1, #) R(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_mod},
    {"cmp.lt (M1, #) P1 A(0,0)<1;1,0> B(0,0)<1;1,0>\n(P1) mov (M1, #) R(0,0)<1> 0x1:d", w_cmp},
    {"cmp.lt (M1, #) UR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_ucmp},
    {"cmp.eq (M1, #) P1 A(0,0)<1;1,0> (-)B(0,0)<1;1,0>\n(P1) mov (M1, #) R(0,0)<1> 0x1:d", w_cmp_neg},
    {"cmp.gt (M1, #) P2 A(0,0)<1;1,0> B(0,0)<1;1,0>\n(!P2) sel (M1, #) R(0,0)<1> C(0,0)<1;1,0> A(0,0)<1;1,0>", w_sel},
    {"mov (M1, #) R(0,0)<1> WA(0,0)<2;1,0>", w_word},
    {"mov (M1, #) R(0,0)<1> UWA(0,0)<2;1,0>", w_uword},
    {"mov (M1, #) R(0,0)<1> BA(0,0)<4;1,0>", w_byte},
    {"mov.sat (M1, #) BB(0,0)<4> A(0,0)<1;1,0>\nmov (M1, #) R(0,0)<1> BB(0,0)<4;1,0>", w_byte_sat},
    {"mov (M1, #) R(0,0)<1> WA(0,1)<2;1,0>", w_high_word},
    {"add (M1, #) R(0,0)<1> WA(0,0)<2;1,0> (-)WB(0,0)<2;1,0>", w_sub_word},
    {"add (M1, #) FR(0,0)<1> FA(0,0)<1;1,0> FB(0,0)<1;1,0>", w_fadd},
    {"mad (M1, #) FR(0,0)<1> FA(0,0)<1;1,0> FB(0,0)<1;1,0> FC(0,0)<1;1,0>", w_ffma},
    {"mov.sat (M1, #) FR(0,0)<1> FA(0,0)<1;1,0>", w_fsat},
    {"mov (M1, #) R(0,0)<1> FA(0,0)<1;1,0>", w_toint},
    {"mov (M1, #) FR(0,0)<1> A(0,0)<1;1,0>", w_tofloat},
    {"rndd (M1, #) FR(0,0)<1> FA(0,0)<1;1,0>", w_floor},
    {"rnde (M1, #) FR(0,0)<1> FA(0,0)<1;1,0>", w_even},
    {"mov (M1, #) FR(0,0)<1> (-)FA(0,0)<1;1,0>", w_fneg},
    {"cmp.lt (M1, #) P1 FA(0,0)<1;1,0> FB(0,0)<1;1,0>\n(P1) mov (M1, #) R(0,0)<1> 0x1:d", w_fcmp},
    {"cmp.ne (M1, #) P1 FA(0,0)<1;1,0> FB(0,0)<1;1,0>\n(P1) mov (M1, #) R(0,0)<1> 0x1:d", w_fne},
    {"bfe (M1, #) R(0,0)<1> 0xc:d 0x5:d A(0,0)<1;1,0>", w_bfe_signed},
    {"bfe (M1, #) UR(0,0)<1> 0xc:ud 0x5:ud UA(0,0)<1;1,0>", w_bfe},
    {"bfi (M1, #) UR(0,0)<1> 0x8:ud 0x8:ud UA(0,0)<1;1,0> UB(0,0)<1;1,0>", w_bfi},
    {"bfrev (M1, #) UR(0,0)<1> UA(0,0)<1;1,0>", w_brev},
    {"dp4a (M1, #) R(0,0)<1> C(0,0)<1;1,0> A(0,0)<1;1,0> B(0,0)<1;1,0>", w_dp4a},
    {".decl W v_type=G type=ud num_elts=64 align=GRF\n"
     "madw (M1, #) W(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0> UC(0,0)<1;1,0>\nmov (M1, #) UR(0,0)<1> W(0,0)<1;1,0>",
     w_madw_low},
    {"dp4a.sat (M1, #) R(0,0)<1> C(0,0)<1;1,0> (-)A(0,0)<1;1,0> B(0,0)<1;1,0>", w_dp4a_sat},
    /* what does not round runs where a rounding is set */
    {"or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x30:ud\nmax (M1, #) FR(0,0)<1> FA(0,0)<1;1,0> 0x3f800000:f",
     w_fmax_one},
};

static const uint32_t values[] = {0,          1,          2,          3,          5,          31,         32,
                                  33,         127,        128,        255,        256,        0x7FFF,     0x8000,
                                  0xFFFF,     0x10000,    0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE,
                                  0x12345678, 0xDEADBEEF, 0x3F800000, 0xBF800000, 0x40490FDB, 0x3F000000, 0x00000001,
                                  0x80000000, 0x4B800001, 0x7F800000, 0x4F000000};
enum { VALUES = N(values), COUNT = VALUES * VALUES };

static void inputs(uint32_t *in)
{
    for (unsigned i = 0; i < COUNT; i++) {
        in[i] = values[i % VALUES];
        in[COUNT + i] = values[i / VALUES];
        in[2 * COUNT + i] = values[(i * 7 + 3) % VALUES];
    }
}

static bool is_nan(uint32_t v)
{
    return (v & 0x7FFFFFFF) > 0x7F800000;
}

static void check_one(const struct one *one, unsigned simd)
{
    static uint32_t in[3 * COUNT], out[COUNT];
    struct visa_run t;
    char *body = sized(one->text, simd);
    inputs(in);
    visa_open_groups(&t, simd, 32, body, in, COUNT);
    if (!visa_launch_it(&t, out))
        fail_msg("%s: %s", body, t.error.message);
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t want = one->want(in[i], in[COUNT + i], in[2 * COUNT + i]);
        bool floats = strstr(one->text, "FR(") != NULL;
        if (out[i] != want && !(floats && is_nan(want) && is_nan(out[i])))
            fail_msg("%s: a 0x%x, b 0x%x, c 0x%x: 0x%x, wanted 0x%x", body, in[i], in[COUNT + i], in[2 * COUNT + i],
                     out[i], want);
    }
    visa_close(&t);
    free(body);
}

static void operations_give_what_c_gives(void **state)
{
    static const unsigned widths[] = {8, 16, 32};
    (void)state;
    for (size_t i = 0; i < N(tests); i++)
        for (size_t w = 0; w < N(widths); w++)
            check_one(&tests[i], widths[w]);
}

static void high_halves_lie_behind_low_ones(void **state)
{
    static const struct one one = {".decl W v_type=G type=ud num_elts=64 align=GRF\n"
                                   "madw (M1, 16) W(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0> UC(0,0)<1;1,0>\n"
                                   "mov (M1, 16) UR(0,0)<1> W(2,0)<1;1,0>",
                                   w_madw_high};
    (void)state;
    check_one(&one, 16);
}

static uint32_t run_one(unsigned simd, const char *body, struct atoll_error *error)
{
    static uint32_t in[3 * 32], out[32];
    struct visa_run t;
    visa_open(&t, simd, body, in, 32);
    bool ok = visa_launch_it(&t, out);
    *error = t.error;
    visa_close(&t);
    return ok ? out[20] : UINT32_MAX;
}

/* Halves that look alike are carried out as one: elements of packed immediates begin anew in each. */
static void packed_immediates_begin_anew(void **state)
{
    struct atoll_error error;
    (void)state;
    assert_int_equal(run_one(32, "mov (M1, 16) R(0,0)<1> 0x76543210:v\nmov (M5, 16) R(2,0)<1> 0x76543210:v", &error),
                     4);
}

/* What has no meaning stops whoever gets there with a message. */
static void integer_operations_refuse_floats(void **state)
{
    static const struct {
        const char *body, *message;
    } wrong[] = {
        {"shr (M1, 16) UR(0,0)<1> FA(0,0)<1;1,0> UB(0,0)<1;1,0>", "not supported: shr of floats"},
        {"mod (M1, 16) FR(0,0)<1> FA(0,0)<1;1,0> FB(0,0)<1;1,0>", "not supported: mod of floats"},
        {"rol (M1, 16) BA(0,0)<1> BA(0,0)<1;1,0> BB(0,0)<1;1,0>", "not supported: rol of bytes"},
        {"dp4a (M1, 16) R(0,0)<1> C(0,0)<1;1,0> WA(0,0)<1;1,0> WB(0,0)<1;1,0>", "dp4a of sources that are no dwords"},
        {"madw (M1, 16) QR(0,0)<1> UA(0,0)<1;1,0> UB(0,0)<1;1,0> UC(0,0)<1;1,0>", "madw to what are no dwords"},
    };
    (void)state;
    for (size_t i = 0; i < N(wrong); i++) {
        struct atoll_error error;
        assert_int_equal(run_one(16, wrong[i].body, &error), UINT32_MAX);
        if (!strstr(error.message, wrong[i].message))
            fail_msg("%s: %s", wrong[i].body, error.message);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(packed_immediates_begin_anew),
        cmocka_unit_test(integer_operations_refuse_floats),
        cmocka_unit_test(operations_give_what_c_gives),
        cmocka_unit_test(high_halves_lie_behind_low_ones),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

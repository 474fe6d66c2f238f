/* Atomics on shared memory of Maxwell: every operation and size against plain C, the pairs of CAS and CAST, the lanes
 * that SPIN lets try, faults; and what the launch tells of contention. Facts: sass.md section 3. */
#include "sass_rig.h"

enum { SHARED_BYTES = 4096 };

struct row {
    uint64_t executions, lanes, passes, conflicts, distinct[33];
};

static void on_contention(void *user, const struct atoll_contention *c)
{
    struct row *sum = user;
    sum->executions += c->executions;
    sum->lanes += c->lanes;
    sum->passes += c->passes;
    sum->conflicts += c->bank_conflicts;
    for (unsigned i = 0; i < 33; i++)
        sum->distinct[i] += c->distinct_addresses[i];
    assert_memory_equal(c->place, "k:", 2);
}

static void open(struct sass_rig *t, const char *text)
{
    sass_rig_open(t, text);
    t->launch.dynamic_shared = SHARED_BYTES;
}

/* Plain meaning of an operation on 32 or 64 bits. */
static uint64_t meaning(const char *op, bool wide, bool is_signed, uint64_t old, uint64_t b)
{
    bool less = is_signed ? (wide ? (int64_t)old < (int64_t)b : (int32_t)old < (int32_t)b) : old < b;
    if (!strcmp(op, "ADD"))
        return old + b;
    if (!strcmp(op, "MIN"))
        return less ? old : b;
    if (!strcmp(op, "MAX"))
        return less ? b : old;
    if (!strcmp(op, "INC"))
        return old >= b ? 0 : old + 1;
    if (!strcmp(op, "DEC"))
        return old == 0 || old > b ? b : old - 1;
    if (!strcmp(op, "AND"))
        return old & b;
    if (!strcmp(op, "OR"))
        return old | b;
    if (!strcmp(op, "XOR"))
        return old ^ b;
    return b;
}

static const char *const edges32[] = {"0", "1", "0x7fffffff", "0x80000000", "0xffffffff"};

static uint64_t pick(unsigned n, unsigned k)
{
    uint64_t random = (n * UINT64_C(0x9e3779b97f4a7c15) + k * UINT64_C(0xbf58476d1ce4e5b9)) ^ (uint64_t)n << 40;
    return (n + k) % 3 ? random * UINT64_C(0x94d049bb133111eb) : strtoull(edges32[(n / 3 + k) % 5], NULL, 0);
}

/* Each lane has a word of its own: value R8 (R9), operand R10 (R11); old value to R0 (R1), new one to R2 (R3). */
static void test_operation(const char *op, const char *size, bool wide, bool is_signed)
{
    struct sass_rig t;
    char text[1024];
    const char *w = wide ? ".64" : "";
    snprintf(text, sizeof text,
             "S2R R20, SR_LANEID;\nSHL R20, R20, 0x3;\nSTS%s [R20+0x100], R8;\nATOMS.%s%s R0, [R20+0x100], R10;\n"
             "LDS%s R2, [R20+0x100];",
             w, op, size, w);
    open(&t, text);
    for (unsigned n = 0; n < SASS_CASES; n++)
        for (unsigned k = 0; k < 2; k++) {
            uint64_t value = pick(n, k);
            t.in[n][2 * k] = (uint32_t)value;
            t.in[n][2 * k + 1] = (uint32_t)(value >> 32);
        }
    sass_rig_run(&t);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
        uint64_t old = pick(n, 0) & mask, b = pick(n, 1) & mask;
        uint64_t result = meaning(op, wide, is_signed, old, b) & mask;
        uint64_t got_old = t.out[n][0] | (wide ? (uint64_t)t.out[n][1] << 32 : 0);
        uint64_t got = t.out[n][2] | (wide ? (uint64_t)t.out[n][3] << 32 : 0);
        if (got_old != old || got != result)
            fail_msg("ATOMS.%s%s: %llx, %llx gives old %llx, new %llx, wanted %llx", op, size, (unsigned long long)old,
                     (unsigned long long)b, (unsigned long long)got_old, (unsigned long long)got,
                     (unsigned long long)result);
    }
    sass_rig_close(&t);
}

static void test_operations(void **state)
{
    static const char *const ops[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"};
    (void)state;
    for (unsigned i = 0; i < 9; i++) {
        test_operation(ops[i], "", false, false);
        if (i != 3 && i != 4)
            test_operation(ops[i], ".S32", false, true);
    }
    test_operation("EXCH", ".U64", true, false);
}

/* R8 (R9): in memory; R10.. compare, R11 or R12.. new. CAS gives the old value, CAST whether it swapped. */
static void test_swap(const char *kind, bool wide)
{
    struct sass_rig t;
    char text[1024];
    const char *w = wide ? ".64" : "";
    snprintf(text, sizeof text,
             "S2R R20, SR_LANEID;\nSHL R20, R20, 0x3;\nSTS%s [R20+0x100], R8;\nMOV32I R1, 0x2222;\n"
             "ATOMS.%s%s R0, [R20+0x100], R12, R%u;\n"
             "LDS%s R2, [R20+0x100];",
             w, kind, w, wide ? 14 : 13, w);
    open(&t, text);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        t.in[n][0] = (uint32_t)pick(n, 0);
        t.in[n][1] = (uint32_t)pick(n, 1);
        for (unsigned k = 4; k < 8; k++)
            t.in[n][k] = (uint32_t)pick(n, k);
        if (n & 1) {
            t.in[n][4] = t.in[n][0];
            if (wide)
                t.in[n][5] = t.in[n][1];
        }
    }
    sass_rig_run(&t);
    for (unsigned n = 0; n < SASS_CASES; n++) {
        bool hit = t.in[n][4] == t.in[n][0] && (!wide || t.in[n][5] == t.in[n][1]);
        bool tells = strcmp(kind, "CAS") != 0;
        /* 64-bit words of lanes 16 apart lie in one bank, 32-bit ones here as well: SPIN lets the lower one try. */
        if (strstr(kind, "SPIN") && n % 32 >= 16)
            hit = false;
        assert_int_equal(t.out[n][0], tells ? (unsigned)hit : t.in[n][0]);
        if (wide) /* the result has the size of the memory */
            assert_int_equal(t.out[n][1], tells ? 0 : t.in[n][1]);
        assert_int_equal(t.out[n][2], hit ? t.in[n][wide ? 6 : 5] : t.in[n][0]);
        if (wide)
            assert_int_equal(t.out[n][3], hit ? t.in[n][7] : t.in[n][1]);
    }
    sass_rig_close(&t);
}

static void test_swaps(void **state)
{
    (void)state;
    for (unsigned wide = 0; wide < 2; wide++) {
        test_swap("CAS", wide);
        test_swap("CAST", wide);
        test_swap("CAST.SPIN", wide);
    }
}

/* One execution by 32 lanes that swap 0 for 1 in words `stride` bytes apart. */
static struct row contend(const char *kind, unsigned stride, unsigned *swapped)
{
    struct sass_rig t;
    struct row row = {0};
    char text[1024];
    snprintf(text, sizeof text,
             "S2R R20, SR_LANEID;\nMOV32I R21, 0x%x;\nXMAD R20, R20, R21, RZ;\nMOV R12, RZ;\nMOV32I R13, 0x1;\n"
             "ATOMS.%s R0, [R20], R12, R13;",
             stride, kind);
    open(&t, text);
    t.launch.grid[0] = 1;
    t.launch.contention = on_contention;
    t.launch.user = &row;
    sass_rig_run(&t);
    *swapped = 0;
    for (unsigned n = 0; n < 32; n++)
        *swapped += strcmp(kind, "CAS") == 0 ? t.out[n][0] == 0 : t.out[n][0] == 1;
    sass_rig_close(&t);
    return row;
}

static void test_contention(void **state)
{
    unsigned swapped;
    (void)state;
    struct row row = contend("CAS", 0, &swapped);
    assert_int_equal(swapped, 1);
    assert_int_equal(row.executions, 1);
    assert_int_equal(row.lanes, 32);
    assert_int_equal(row.passes, 32);
    assert_int_equal(row.conflicts, 0);
    assert_int_equal(row.distinct[1], 1);
    row = contend("CAST.SPIN", 0, &swapped); /* one lane tries, in one pass */
    assert_int_equal(swapped, 1);
    assert_int_equal(row.lanes, 1);
    assert_int_equal(row.passes, 1);
    row = contend("CAS", 4, &swapped); /* a bank each */
    assert_int_equal(swapped, 32);
    assert_int_equal(row.passes, 1);
    assert_int_equal(row.conflicts, 0);
    assert_int_equal(row.distinct[32], 1);
    row = contend("CAS", 128, &swapped); /* all in bank 0 */
    assert_int_equal(swapped, 32);
    assert_int_equal(row.passes, 1);
    assert_int_equal(row.conflicts, 31);
    row = contend("CAST.SPIN", 128, &swapped);
    assert_int_equal(swapped, 1);
    row = contend("CAST.SPIN", 4, &swapped);
    assert_int_equal(swapped, 32);
    row = contend("CAST.SPIN", 8, &swapped);
    assert_int_equal(swapped, 16);
}

static void test_faults(void **state)
{
    static const struct {
        const char *text, *wanted;
    } faults[] = {
        {"MOV32I R20, 0x1002;\nATOMS.ADD R0, [R20+-0x1000], R8;", "misaligned"},
        {"MOV32I R20, 0x4;\nATOMS.EXCH.U64 R0, [R20], R8;", "misaligned"},
        {"MOV32I R20, 0x1000;\nATOMS.ADD R0, [R20], R8;", "shared"},
        {"ATOMS.ADD R0, [0xfffffc], R8;", "shared"},
        {"MOV R20, RZ;\nATOMS.ADD R0, [R20+-0x4], R8;", "shared"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct sass_rig t;
        open(&t, faults[i].text);
        if (sass_rig_try(&t) || !strstr(t.error.message, faults[i].wanted))
            fail_msg("%s: %s", faults[i].text, t.error.message);
        sass_rig_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations), cmocka_unit_test(test_swaps),
                                       cmocka_unit_test(test_contention), cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table of vISA's atomic operations: what it says is what memory does, for every size; instructions find their
 * rows; `explain` says what the table says. */
#include "base/half.h"
#include "isa/visa/atomics.h"
#include "isa/visa/stream.h"
#include "mem/atomic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

static const struct visa_atomic *find(const struct visa_atomic *table, const char *name)
{
    unsigned op = visa_atomic_named(table, name, strlen(name), false);
    assert_true(op < VISA_ATOMICS);
    return &table[op];
}

/* What an operation makes of `old` with two operands, of which src is the first; what it gives goes to *dst. */
static uint64_t does(const struct visa_atomic *atomic, unsigned bits, uint64_t old, const char *first, uint64_t src0,
                     uint64_t src1, uint64_t *dst)
{
    const struct atomic_row *row = atomic_find((enum lane_atomic)atomic->lane, visa_atomic_type(atomic, bits));
    assert_non_null(row);
    uint64_t data = !atomic->data ? atomic->constant : strcmp(atomic->data, first) == 0 ? src0 : src1, memory = old;
    uint64_t compare = atomic->compare && strcmp(atomic->compare, first) == 0 ? src0 : src1;
    *dst = 0;
    if (atomic->compare)
        row->plain(&memory, dst, &compare, &data, false, LANE_RELAXED);
    else
        row->plain(&memory, dst, &data, NULL, false, LANE_RELAXED);
    return memory;
}

/* docs/visa.md, "Atomics" */
static void operations(void **state)
{
    static const struct {
        const char *name, *lsc;
        unsigned bits;
        uint64_t old, src0, src1, memory, dst;
    } cases[] = {
        {"add", "iadd", 32, UINT32_MAX, 2, 0, 1, UINT32_MAX},
        {"sub", "isub", 16, 1, 2, 0, 0xffff, 1},
        {"inc", "iinc", 64, UINT64_MAX, 9, 9, 0, UINT64_MAX},
        {"inc", "iinc", 32, UINT32_MAX, 9, 9, 0, UINT32_MAX},
        {"dec", "idec", 32, 0, 9, 9, UINT32_MAX, 0},
        {"min", "umin", 32, 0x80000000, 1, 0, 1, 0x80000000},
        {"max", "umax", 16, 0x8000, 1, 0, 0x8000, 0x8000},
        {"minsint", "smin", 16, 0x8000, 1, 0, 0x8000, 0x8000},
        {"maxsint", "smax", 32, 0x80000000, 1, 0, 1, 0x80000000},
        {"xchg", "store", 16, 7, 8, 0, 8, 7},
        {"and", "and", 32, 6, 3, 0, 2, 6},
        {"or", "or", 64, 6, 3, 0, 7, 6},
        {"xor", "xor", 16, 6, 3, 0, 5, 6},
        {"predec", NULL, 32, 0, 9, 9, UINT32_MAX, UINT32_MAX},
        {"predec", NULL, 16, 5, 9, 9, 4, 4},
        {NULL, "load", 32, 5, 9, 9, 5, 5},
        {"cmpxchg", NULL, 32, 5, 9, 5, 9, 5}, /* src1 is compared */
        {"cmpxchg", NULL, 32, 5, 5, 9, 5, 5},
        {NULL, "icas", 32, 5, 5, 9, 9, 5}, /* the first one is */
        {"fcmpwr", "fcas", 32, 0x80000000, 0, 9, 9, 0x80000000},
        {"fcmpwr", "fcas", 32, 0x7fc00000, 0x7fc00000, 9, 0x7fc00000, 0x7fc00000},
        {"fmax", "fmax", 32, 0x3f800000, 0x40000000, 0, 0x40000000, 0x3f800000},
        {"fmin", "fmin", 16, 0x3c00, 0xbc00, 0, 0xbc00, 0x3c00},
        {"fadd", "fadd", 32, 0x3f800000, 0x3f800000, 0, 0x40000000, 0x3f800000},
        {"fsub", "fsub", 16, 0x4000, 0x3c00, 0, 0x3c00, 0x4000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t dst;
        if (cases[i].name) {
            assert_int_equal(does(find(visa_atomics, cases[i].name), cases[i].bits, cases[i].old, "src0", cases[i].src0,
                                  cases[i].src1, &dst),
                             cases[i].memory);
            assert_int_equal(dst, cases[i].dst);
        }
        if (cases[i].lsc) {
            assert_int_equal(does(find(visa_lsc_atomics, cases[i].lsc), cases[i].bits, cases[i].old, "src1",
                                  cases[i].src0, cases[i].src1, &dst),
                             cases[i].memory);
            assert_int_equal(dst, cases[i].dst);
        }
    }
}

/* Every operation is there for 16, 32 and 64 bits, and what it gives is what the row says. */
static void all_sizes(void **state)
{
    (void)state;
    unsigned count = 0;
    for (unsigned i = 0; i < 2 * VISA_ATOMICS; i++) {
        const struct visa_atomic *atomic = i & 1 ? &visa_lsc_atomics[i / 2] : &visa_atomics[i / 2];
        for (unsigned bits = 16; atomic->name && bits <= 64; bits *= 2) {
            uint64_t dst, memory = does(atomic, bits, 1, "src0", 2, 3, &dst);
            assert_int_equal(dst, atomic->gives_new ? memory : 1);
            count++;
        }
    }
    assert_int_equal(count, 3 * (19 + 19));
}

static void instructions_find_rows(void **state)
{
    static const struct {
        const char *text, *name;
        unsigned bits;
    } cases[] = {
        {"typed_atomic.minsint (M1, 8) T6 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0", "minsint", 32},
        {"typed_atomic.op14 (M1, 8) T6 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0", NULL, 32},
        {"typed_atomic.add.16 (M1, 8) T6 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0", "add", 16},
        {"typed_atomic.add.width5 (M1, 8) T6 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0 V0.0", "add", 32},
        {"svm_atomic.cmpxchg.64 (M1, 8) V0.0 V0.0 V0.0 V0.0", "cmpxchg", 64},
        {"dword_atomic.fcmpwr (M1, 8) T6 V0.0 V0.0 V0.0 V0.0", "fcmpwr", 32},
        {"lsc_atomic_icas.ugm (M1, 8) V0:d64 flat[V0]:a64 V0 V0", "icas", 64},
        {"lsc_atomic_iinc.ugm (M1, 8) V0:d16c32 flat[V0]:a64 V0 V0", "iinc", 16},
    };
    struct atoll_error error = {0};
    struct atoll_isa *isa;
    const struct visa_table *table = visa_table(NULL);
    (void)state;
    assert_true(atoll_isa_open("visa", &isa, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[128];
        size_t used;
        struct arena arena = {0};
        struct visa_inst inst;
        if (!atoll_isa_encode(isa, cases[i].text, strlen(cases[i].text), 0, true, bytes, sizeof bytes, &used, &error))
            fail_msg("%s: %s", cases[i].text, error.message);
        struct wire wire = {.bytes = bytes, .size = used};
        struct visa_stream stream = {.wire = &wire, .arena = &arena, .version = VISA_VERSION, .table = table};
        assert_true(visa_move_inst(&stream, &inst));
        const struct visa_form *form = visa_form(table, inst.row);
        const struct visa_atomic *atomic = visa_atomic_of(form, &inst);
        if (cases[i].name)
            assert_string_equal(atomic->name, cases[i].name);
        else
            assert_null(atomic);
        assert_int_equal(visa_atomic_bits(form, &inst), cases[i].bits);
        arena_free(&arena);
    }
    atoll_isa_close(isa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations), cmocka_unit_test(all_sizes),
                                       cmocka_unit_test(instructions_find_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table of atomic operations. Source: docs/visa.md, "Atomics". */
#include "isa/visa/atomics.h"

#include <string.h>
#include <strings.h>

#define OF(lane_name, kind_name) .lane = LANE_ATOMIC_##lane_name, .kind = VISA_ATOMIC_##kind_name
#define BY(text, lane_name, kind_name, role, expression)                            \
    {                                                                               \
        .name = text, OF(lane_name, kind_name), .data = role, .formula = expression \
    }
#define ALONE(text, lane_name, number, expression)                                       \
    {                                                                                    \
        .name = text, OF(lane_name, UNSIGNED), .constant = number, .formula = expression \
    }

/* clang-format off */
/* cmpxchg compares with src1, fcmpwr with src0: so the documentation. */
const struct visa_atomic visa_atomics[VISA_ATOMICS] = {
    [0] = BY("add", ADD, UNSIGNED, "src0", "old + src0"),
    [1] = BY("sub", SUB, UNSIGNED, "src0", "old - src0"),
    [2] = ALONE("inc", ADD, 1, "old + 1"),
    [3] = ALONE("dec", SUB, 1, "old - 1"),
    [4] = BY("min", MIN, UNSIGNED, "src0", "min(old, src0), unsigned"),
    [5] = BY("max", MAX, UNSIGNED, "src0", "max(old, src0), unsigned"),
    [6] = BY("xchg", EXCH, UNSIGNED, "src0", "src0"),
    [7] = {.name = "cmpxchg", OF(CAS, UNSIGNED), .data = "src0", .compare = "src1",
           .formula = "old == src1 ? src0 : old"},
    [8] = BY("and", AND, UNSIGNED, "src0", "old & src0"),
    [9] = BY("or", OR, UNSIGNED, "src0", "old | src0"),
    [10] = BY("xor", XOR, UNSIGNED, "src0", "old ^ src0"),
    [11] = {.name = "minsint", .page = "imin", OF(MIN, SIGNED), .data = "src0", .formula = "min(old, src0), signed"},
    [12] = {.name = "maxsint", .page = "imax", OF(MAX, SIGNED), .data = "src0", .formula = "max(old, src0), signed"},
    [13] = {.name = "predec", OF(PREDEC, UNSIGNED), .constant = 1, .gives_new = true, .formula = "old - 1"},
    [16] = BY("fmax", MAX, FLOAT, "src0", "max(old, src0), float"),
    [17] = BY("fmin", MIN, FLOAT, "src0", "min(old, src0), float"),
    [18] = {.name = "fcmpwr", OF(FCAS, FLOAT), .data = "src1", .compare = "src0",
            .formula = "old == src0 ? src1 : old, compared as floats"},
    [19] = BY("fadd", ADD, FLOAT, "src0", "old + src0, float"),
    [20] = BY("fsub", SUB, FLOAT, "src0", "old - src0, float"),
};

/* Of these, src1 and src2 are the operands, and what is compared with comes first. */
const struct visa_atomic visa_lsc_atomics[VISA_ATOMICS] = {
    [8] = ALONE("iinc", ADD, 1, "old + 1"),
    [9] = ALONE("idec", SUB, 1, "old - 1"),
    [10] = ALONE("load", OR, 0, "old"),
    [11] = BY("store", EXCH, UNSIGNED, "src1", "src1"),
    [12] = BY("iadd", ADD, UNSIGNED, "src1", "old + src1"),
    [13] = BY("isub", SUB, UNSIGNED, "src1", "old - src1"),
    [14] = BY("smin", MIN, SIGNED, "src1", "min(old, src1), signed"),
    [15] = BY("smax", MAX, SIGNED, "src1", "max(old, src1), signed"),
    [16] = BY("umin", MIN, UNSIGNED, "src1", "min(old, src1), unsigned"),
    [17] = BY("umax", MAX, UNSIGNED, "src1", "max(old, src1), unsigned"),
    [18] = {.name = "icas", OF(CAS, UNSIGNED), .data = "src2", .compare = "src1",
            .formula = "old == src1 ? src2 : old"},
    [19] = BY("fadd", ADD, FLOAT, "src1", "old + src1, float"),
    [20] = BY("fsub", SUB, FLOAT, "src1", "old - src1, float"),
    [21] = BY("fmin", MIN, FLOAT, "src1", "min(old, src1), float"),
    [22] = BY("fmax", MAX, FLOAT, "src1", "max(old, src1), float"),
    [23] = {.name = "fcas", OF(FCAS, FLOAT), .data = "src2", .compare = "src1",
            .formula = "old == src1 ? src2 : old, compared as floats"},
    [24] = BY("and", AND, UNSIGNED, "src1", "old & src1"),
    [25] = BY("or", OR, UNSIGNED, "src1", "old | src1"),
    [26] = BY("xor", XOR, UNSIGNED, "src1", "old ^ src1"),
};
/* clang-format on */

/* The code in bits 0-4 of the operation byte, the width in those above. */
static unsigned operation(const struct visa_form *form, const struct visa_inst *inst)
{
    return (unsigned)visa_operand(form, inst, "op")->value & 255;
}

const struct visa_atomic *visa_atomic_of(const struct visa_form *form, const struct visa_inst *inst)
{
    const struct visa_atomic *atomic = form->row->is & VISA_IS_LSC
                                           ? &visa_lsc_atomics[form->sub % VISA_ATOMICS]
                                           : &visa_atomics[operation(form, inst) % VISA_ATOMICS];
    return atomic->name ? atomic : NULL;
}

/* svm_atomic has 64 bits too; of the others any width but 16 is 32 (docs/visa.md, "Atomics"). */
unsigned visa_atomic_bits(const struct visa_form *form, const struct visa_inst *inst)
{
    if (form->row->is & VISA_IS_LSC) {
        enum { D32 = 3, D64, D16C32 = 6 };
        uint64_t size = visa_operand(form, inst, "data")->value;
        return size == D32 ? 32 : size == D64 ? 64 : size == D16C32 ? 16 : 0;
    }
    unsigned width = operation(form, inst) >> 5;
    bool svm = visa_row_id(form->row) == VISA_ROW_svm_atomic;
    return width == 1 ? 16 : svm && width == 2 ? 64 : svm && width > 2 ? 0 : 32;
}

enum lane_type visa_atomic_type(const struct visa_atomic *atomic, unsigned bits)
{
    static const uint8_t types[VISA_ATOMIC_KINDS][3] = {
        {LANE_U16, LANE_U32, LANE_U64}, {LANE_S16, LANE_S32, LANE_S64}, {LANE_F16, LANE_F32, LANE_F64}};
    return (enum lane_type)types[atomic->kind][bits == 16 ? 0 : bits == 32 ? 1 : 2];
}

static bool same(const char *word, const char *name, size_t length, bool fold)
{
    return word && strlen(word) == length && (fold ? strncasecmp(word, name, length) : memcmp(word, name, length)) == 0;
}

unsigned visa_atomic_named(const struct visa_atomic *table, const char *name, size_t length, bool fold)
{
    for (unsigned i = 0; i < VISA_ATOMICS; i++)
        if (same(table[i].name, name, length, fold) || same(table[i].page, name, length, fold))
            return i;
    return VISA_ATOMICS;
}

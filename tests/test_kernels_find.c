/* The table of meanings. Every pure instruction that the rows of ops.h allow has a row, and a kernel in every
 * instruction set, gives the same bits in all of them whatever the operands, and may have its destination among its
 * sources. */
#include "kernels_run.h"

static bool is_pure(unsigned op)
{
    switch (op) { /* these belong to the interpreter; pack and unpack have operand lists (test_kernels_int.c) */
    case LANE_OP_sreg:
    case LANE_OP_frame:
    case LANE_OP_isspacep:
    case LANE_OP_pack:
    case LANE_OP_unpack:
        return false;
    }
    return lane_is(op, LANE_PURE);
}

/* Whether a row's list of types has this one. */
static bool type_allowed(const char *types, enum lane_type type)
{
    static const char *const letters[128] = {
        ['p'] = "pred ",
        ['b'] = "b8 b16 b32 b64 ",
        ['q'] = "b8 b16 b32 b64 b128 ",
        ['i'] = "u8 u16 u32 u64 s8 s16 s32 s64 ",
        ['n'] = "u16 u32 u64 s16 s32 s64 ",
        ['m'] = "u32 s32 u64 s64 ",
        ['f'] = "f32 f64 ",
        ['h'] = "f16 bf16 f16x2 bf16x2 ",
        ['k'] = "u16x2 s16x2 ",
        ['s'] = "e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2 ",
    };
    char word[16], list[240] = " ";
    for (const char *at = types; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t length = strcspn(at, " ");
        const char *group = length == 1 ? letters[(unsigned char)*at] : NULL;
        if (group)
            strcat(list, group);
        else
            strcat(strncat(list, at, length), " ");
    }
    snprintf(word, sizeof word, " %s ", lane_type_name(type));
    return strstr(list, word) != NULL;
}

static bool is_int(unsigned type)
{
    return (type >= LANE_U8 && type <= LANE_S64) || (type >= LANE_B8 && type <= LANE_B64);
}

static bool is_scalar_float(unsigned type)
{
    return type >= LANE_F16 && type <= LANE_F64;
}

static bool is_small(unsigned type)
{
    return type >= LANE_E4M3X2 && type <= LANE_UE8M0X2;
}

/* The rounding modes that make sense. */
static bool round_allowed(const struct lane_inst *inst)
{
    if (inst->type == LANE_UE8M0X2 && inst->op != LANE_OP_cvtrs)
        return inst->round == LANE_RZ || inst->round == LANE_RP;
    if (inst->type == LANE_TF32)
        return inst->round == LANE_RN || inst->round == LANE_RZ || inst->round == LANE_RNA;
    if (is_small(inst->type) || is_small(inst->type2))
        return inst->round == LANE_RN;
    if (inst->op == LANE_OP_cvtpack)
        return inst->type2 == LANE_F32 ? inst->round <= LANE_RP || inst->round == LANE_RNA : inst->round == LANE_RN;
    if (inst->op != LANE_OP_cvt)
        return inst->type == LANE_F32 || inst->type == LANE_F64 ? inst->round <= LANE_RP : inst->round == LANE_RN;
    if (is_int(inst->type))
        return is_int(inst->type2) ? inst->round == LANE_RN : inst->round >= LANE_RNI && inst->round <= LANE_RPI;
    if (inst->type == inst->type2)
        return inst->round == LANE_RN || (inst->round >= LANE_RNI && inst->round <= LANE_RPI);
    bool narrows = is_scalar_float(inst->type2) && inst->type < LANE_F32;
    return inst->round <= LANE_RP || (inst->round == LANE_RNA && narrows);
}

/* Packed types are converted between halves and small floats, ue8m0 and bf16. */
static bool converts(unsigned to, unsigned from)
{
    if (to == LANE_TF32)
        return from == LANE_F32;
    if (to == LANE_UE8M0X2 || from == LANE_UE8M0X2)
        return to == LANE_BF16X2 || from == LANE_BF16X2;
    if (is_small(to) || is_small(from))
        return from == LANE_F16X2 || from == LANE_BF16X2 || to == LANE_F16X2;
    return (is_int(from) || is_scalar_float(from)) && to < LANE_F16X2;
}

static bool type2_allowed(const struct lane_inst *inst)
{
    switch (inst->op) {
    case LANE_OP_slct:
        return inst->type2 == LANE_S32 || inst->type2 == LANE_F32;
    case LANE_OP_dp4a:
    case LANE_OP_dp2a:
    case LANE_OP_vabsdiff:
        return inst->type2 == LANE_U32 || inst->type2 == LANE_S32;
    case LANE_OP_cvt:
        return converts(inst->type, inst->type2);
    case LANE_OP_cvtpack:
        return inst->type2 == (inst->type == LANE_U16X2 || inst->type == LANE_S16X2 ? LANE_S32 : LANE_F32);
    case LANE_OP_cvtrs:
        return inst->type2 == LANE_F32 && inst->type != LANE_UE8M0X2;
    }
    return inst->type2 == LANE_VOID;
}

static bool cmp_allowed(const struct lane_inst *inst)
{
    return is_int(inst->type) ? inst->cmp <= LANE_GE : inst->cmp < LANE_CMPS;
}

static unsigned mode_count(unsigned op)
{
    switch (op) {
    case LANE_OP_prmt:
        return LANE_PRMTS;
    case LANE_OP_testp:
        return LANE_TESTPS;
    case LANE_OP_vabsdiff:
        return 5;
    }
    return 2;
}

/* Flag sets worth trying where an operation has flags; one that does not exist is skipped, but the first always does.
 */
static const uint8_t flag_sets[] = {
    0,           LANE_FTZ,   LANE_SAT, LANE_FTZ | LANE_SAT, LANE_RELU,           LANE_FTZ | LANE_RELU,
    LANE_APPROX, LANE_CLAMP, LANE_NAN, LANE_ABS | LANE_FTZ, LANE_ABS | LANE_NAN,
};

static uint64_t seed = 88172645463325252ull;

/* Half of the operands: random bits; half: bit patterns at the edges of all formats. */
static void fill(struct kernel_lanes *lanes)
{
    static const uint64_t edges[] = {
        0,
        1,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7c00,
        0x7c01,
        0x0400,
        0x3c00,
        0x3f80,
        0x7f80,
        0x7f81,
        0x80000000,
        0x7fffffff,
        0xffffffff,
        0x7f800000,
        0xff800001,
        31,
        32,
        0x00800000,
        0x00400000,
        0x3f800000,
        0x4f000000,
        63,
        64,
        0x7ff0000000000000,
        0x8000000000000000,
        0x7fffffffffffffff,
        0x0010000000000000,
        0x3ff0000000000000,
        0x41e0000000000000,
        0xfff0000000000001,
        0xffffffffffffffff,
    };
    for (unsigned slot = KERNEL_A; slot < KERNEL_SLOTS; slot++) {
        uint64_t *words = KERNEL_SLOT(lanes, uint64_t, slot);
        for (unsigned i = 0; i < KERNEL_SLOT_BYTES / 8; i++) {
            uint64_t r = kernel_random(&seed), edge = edges[kernel_random(&seed) % (sizeof edges / sizeof *edges)];
            uint64_t packed = (edge & UINT32_MAX) | edges[r % 28] << 32;
            words[i] = r >> 60 < 6 ? r : r >> 60 < 9 ? edge : r >> 60 < 13 ? packed : r & 0x0000ffff0000ffff;
        }
    }
}

static unsigned tried;

static void try(const struct lane_inst *inst)
{
    struct kernel_lanes lanes;
    for (unsigned i = 0; i < 16; i++) {
        fill(&lanes);
        kernel_run(inst, &lanes);
    }
    tried++;
}

/* Combinations with and without each flag: the plain one must exist; others if any set has them. */
static void try_flags(struct lane_inst inst, const struct lane_row *row)
{
    for (unsigned i = 0; i < (strchr(row->uses, 'f') ? sizeof flag_sets : 1); i++) {
        inst.flags = flag_sets[i];
        if (inst.op == LANE_OP_vabsdiff && inst.mode != 2 && inst.mode != 4)
            continue;
        if (inst.flags == 0 || meaning_find_base(&inst))
            try(&inst);
    }
}

static void try_fields(struct lane_inst inst, const struct lane_row *row)
{
    unsigned rounds = strchr(row->uses, 'r') ? LANE_ROUNDS : 1, cmps = strchr(row->uses, 'c') ? LANE_CMPS : 1;
    unsigned modes = strchr(row->uses, 'm') ? mode_count(inst.op) : 1;
    for (inst.round = 0; inst.round < rounds; inst.round++)
        for (inst.cmp = 0; round_allowed(&inst) && inst.cmp < cmps; inst.cmp++)
            for (inst.mode = 0; cmp_allowed(&inst) && inst.mode < modes; inst.mode++)
                try_flags(inst, row);
}

static void test_every_instruction_has_a_kernel(void **state)
{
    (void)state;
    for (unsigned op = 0; op < LANE_OPS; op++) {
        const struct lane_row *row = &lane_rows[op];
        for (unsigned type = 0; type < LANE_TYPES && is_pure(op); type++) {
            struct lane_inst inst = {.op = (uint16_t)op, .type = (uint8_t)type, .aux = 0x1b};
            if (!type_allowed(row->types, type))
                continue;
            for (inst.type2 = 0; inst.type2 < LANE_TYPES; inst.type2++)
                if (type2_allowed(&inst))
                    try_fields(inst, row);
        }
    }
    print_message("%u instructions tried\n", tried);
    assert_true(tried > 3000);
}

static void test_lop3_tables(void **state)
{
    (void)state;
    for (uint32_t table = 0; table < 256; table++) {
        struct lane_inst inst = {.op = LANE_OP_lop3, .type = LANE_B32, .aux = table};
        try(&inst);
    }
}

/* What must not be ignored is not there. */
static void test_unknown_combinations_have_none(void **state)
{
    static const struct lane_inst none[] = {
        {.op = LANE_OP_add, .type = LANE_F64, .flags = LANE_SAT},
        {.op = LANE_OP_add, .type = LANE_F32, .round = LANE_RNI},
        {.op = LANE_OP_add, .type = LANE_F32, .flags = LANE_RELU},
        {.op = LANE_OP_add, .type = LANE_F16, .round = LANE_RZ},
        {.op = LANE_OP_fma, .type = LANE_F16, .flags = LANE_SAT | LANE_RELU},
        {.op = LANE_OP_cvt, .type = LANE_S32, .type2 = LANE_F32, .round = LANE_RN},
        {.op = LANE_OP_setp, .type = LANE_U32, .cmp = LANE_LTU},
        {.op = LANE_OP_cvtpack, .type = LANE_E4M3X2, .type2 = LANE_F32, .round = LANE_RP},
        {.op = LANE_OP_cvtpack, .type = LANE_E4M3X2, .type2 = LANE_F32, .flags = LANE_SAT},
        {.op = LANE_OP_cvt, .type = LANE_E4M3X2, .type2 = LANE_E5M2X2},
        {.op = LANE_OP_cvt, .type = LANE_UE8M0X2, .type2 = LANE_BF16X2, .round = LANE_RN},
        {.op = LANE_OP_ld, .type = LANE_U32},
        {.op = LANE_OP_bra},
        {.op = LANE_OP_ex2, .type = LANE_F32, .flags = LANE_SAT},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(meaning_find_base(&none[i]));
}

/* ---- the rows ---------------------------------------------------------------------------------------------- */

static unsigned counted(const struct meaning *row)
{
    return (MEANING_FLAGS & ~(unsigned)row->ignored) | row->asked;
}

/* No instruction fits both, or one is for constants and goes first. */
static bool disjoint(const struct meaning *a, const struct meaning *b)
{
    if (a->aux != b->aux)
        return true;
    return (a->type2 && b->type2 && a->type2 != b->type2) || (a->cmp && b->cmp && a->cmp != b->cmp) ||
           (a->mode && b->mode && a->mode != b->mode) || (a->rounds && b->rounds && !(a->rounds & b->rounds)) ||
           ((a->flags ^ b->flags) & counted(a) & counted(b));
}

static unsigned row_key(const struct meaning *row)
{
    unsigned type = row->type >= LANE_B8 && row->type <= LANE_B64 ? row->type - LANE_B8 + LANE_U8 : row->type;
    return row->op * LANE_TYPES + type;
}

static void test_rows_are_sorted_and_disjoint(void **state)
{
    const struct meaning *row, *other;
    (void)state;
    for (size_t i = 0; (row = meaning_row_base(i)); i++)
        for (size_t k = i + 1; (other = meaning_row_base(k)) && row_key(other) <= row_key(row); k++) {
            if (row_key(other) < row_key(row) || (!row->aux && other->aux))
                fail_msg("%s is not sorted before %s", row->name, other->name);
            if (!disjoint(row, other))
                fail_msg("%s and %s are for the same instruction", row->name, other->name);
        }
}

/* A name is that of one function: engines may ask for it by name. */
static void test_names_are_unique(void **state)
{
    const struct meaning *row, *other;
    (void)state;
    for (size_t i = 0; (row = meaning_row_base(i)); i++)
        for (size_t k = 0; k < i && (other = meaning_row_base(k)); k++)
            if ((strcmp(row->name, other->name) == 0) != (row->run == other->run))
                fail_msg("%s and %s: two names of a function, or two functions of a name", row->name, other->name);
}

/* Rows are for instructions that there are: operations that compute, types that their rows of ops.h list, fields that
 * they use. */
static void test_rows_are_for_operations(void **state)
{
    const struct meaning *row;
    size_t count = 0;
    (void)state;
    for (; (row = meaning_row_base(count)); count++) {
        const struct lane_row *op = &lane_rows[row->op];
        assert_true(lane_is(row->op, LANE_PURE));
        if (!type_allowed(op->types, row->type) &&
            !(row->type >= LANE_U8 && row->type <= LANE_U64 && type_allowed(op->types, row->type - LANE_U8 + LANE_B8)))
            fail_msg("%s: %s has no type %s", row->name, op->name, lane_type_name(row->type));
        if ((row->type2 && !lane_uses(op, '2')) || (row->cmp && !lane_uses(op, 'c')) ||
            (row->mode && !lane_uses(op, 'm')) || (row->rounds && !lane_uses(op, 'r')) ||
            (row->flags && !lane_uses(op, 'f')) || (row->aux && !lane_uses(op, 'n')))
            fail_msg("%s asks for a field that %s has not", row->name, op->name);
        assert_false(row->flags & ~counted(row));
    }
    print_message("%zu rows\n", count);
    assert_true(count > 1500);
}

/* Every operation that computes has rows for all of its types, but those that ask the machine. */
static void test_operations_have_rows(void **state)
{
    bool found[LANE_OPS][LANE_TYPES] = {{false}};
    const struct meaning *row;
    (void)state;
    for (size_t i = 0; (row = meaning_row_base(i)); i++)
        found[row->op][row_key(row) % LANE_TYPES] = true;
    for (unsigned op = 0; op < LANE_OPS; op++)
        for (unsigned type = 0; type < LANE_TYPES; type++) {
            bool asks = op == LANE_OP_sreg || op == LANE_OP_frame || op == LANE_OP_isspacep;
            /* Two parts at least; ue8m0 is not rounded by random bits. */
            bool exists = op == LANE_OP_cvtrs ? type != LANE_UE8M0X2
                                              : type != LANE_B8 || (op != LANE_OP_pack && op != LANE_OP_unpack);
            struct meaning like = {.op = (uint8_t)op, .type = (uint8_t)type};
            if (lane_is(op, LANE_PURE) && !asks && exists && type_allowed(lane_rows[op].types, type) &&
                !found[op][row_key(&like) % LANE_TYPES])
                fail_msg("%s.%s has no meaning", lane_rows[op].name, lane_type_name(type));
        }
}

/* The other instruction sets of the host have the same rows. */
static void test_sets_agree(void **state)
{
    (void)state;
#if defined(__x86_64__)
    const struct meaning *row;
    size_t after = offsetof(struct meaning, op), bytes = sizeof *row - after;
    for (size_t i = 0; (row = meaning_row_base(i)); i++) {
        assert_memory_equal(&row->op, (const char *)meaning_row_v3(i) + after, bytes);
        assert_memory_equal(&row->op, (const char *)meaning_row_v4(i) + after, bytes);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_instruction_has_a_kernel),
        cmocka_unit_test(test_lop3_tables),
        cmocka_unit_test(test_unknown_combinations_have_none),
        cmocka_unit_test(test_rows_are_sorted_and_disjoint),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_rows_are_for_operations),
        cmocka_unit_test(test_operations_have_rows),
        cmocka_unit_test(test_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

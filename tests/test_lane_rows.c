/* The properties of operations in ops.h: their words fit each other, and verifier, decoder and engine do what they say.
 * Each operation is tried, as one instruction of a small kernel that is made from its row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hard.h"
#include "engine/interp/step.h"
#include "lane/form.h"

static void words_fit_each_other(void **state)
{
    (void)state;
    for (unsigned op = 0; op < LANE_OPS; op++) {
        const struct lane_row *row = &lane_rows[op];
        const unsigned changes = LANE_WRITES | LANE_UPDATES | LANE_TEXELS | LANE_OBJECT;
        bool access = lane_aux(row) == 'a';
        const unsigned pure = LANE_PURE | LANE_CLOCK | LANE_TRAPS | LANE_MAKES_NAN;
        if (lane_is(op, LANE_PURE) && (row->is & ~pure || access || !*row->dst))
            fail_msg("%s: pure, and more", row->name);
        if (lane_is(op, LANE_MAKES_NAN) && (!lane_is(op, LANE_PURE) || !strchr(row->types, 'f')))
            fail_msg("%s: a NaN of no floats", row->name);
        if (lane_is(op, changes) && !lane_is(op, LANE_SHARES))
            fail_msg("%s: changes what nobody sees", row->name);
        if (lane_is(op, LANE_TEXELS | LANE_OBJECT | LANE_UPDATES) && !access)
            fail_msg("%s: accesses nothing", row->name);
        if (lane_is(op, LANE_UPDATES) && !lane_is(op, LANE_WRITES))
            fail_msg("%s: an update that writes nothing", row->name);
        if (lane_is(op, LANE_ENDS) && (*row->dst || lane_is(op, LANE_STOPS)))
            fail_msg("%s: ends a block, and gives a result or stops", row->name);
    }
}

static void types_of_bits(void **state)
{
    (void)state;
    for (unsigned type = LANE_PRED; type <= LANE_B128; type++)
        assert_int_equal(lane_bits_type(lane_type_bits((enum lane_type)type)), type);
}

static void special_registers(void **state)
{
    (void)state;
    for (unsigned sreg = 0; sreg < LANE_SREGS; sreg++) {
        assert_false(lane_sreg_is(sreg, LANE_SREG_CLOCKS) && lane_sreg_is(sreg, LANE_SREG_FIXED | LANE_SREG_LANES));
        bool place = sreg >= LANE_SREG_CTAID_X && sreg <= LANE_SREG_CTAID_Z;
        assert_true(lane_sreg_is(sreg, LANE_SREG_FIXED | LANE_SREG_CLOCKS) != place);
    }
    assert_false(lane_sreg_is(LANE_SREGS, UINT32_MAX));
    assert_false(lane_is(LANE_OPS, UINT32_MAX));
}

/* ---- one instruction of each operation -------------------------------------------------------------------- */

struct sample {
    struct lane_module module;
    struct lane_builder b;
    struct lane_operand never; /* a predicate that nobody writes */
};

static enum lane_type sample_type(const struct lane_row *row)
{
    static const enum lane_type tried[] = {LANE_VOID, LANE_B32, LANE_U32, LANE_S32, LANE_F32, LANE_F64, LANE_F16X2};
    static const char *const letters[] = {".", "b q", "i n m", "i n m", "f", "f", "h"};
    for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++)
        for (const char *p = row->types; *p; p += strcspn(p, " "), p += *p == ' ') {
            size_t length = strcspn(p, " ");
            if (length == 1
                    ? strchr(letters[i], *p) != NULL
                    : strncmp(p, lane_type_name(tried[i]), length) == 0 && lane_type_name(tried[i])[length] == 0)
                return tried[i];
        }
    fail_msg("%s: no sample of types '%s'", row->name, row->types);
    return LANE_VOID;
}

static struct lane_operand sample_operand(struct sample *s, const struct lane_inst *inst, char letter)
{
    unsigned width = lane_letter_width(inst, letter);
    return lane_reg(&s->b, width ? width : letter == 'a' ? 64 : 32, NULL);
}

/* How often the letter before '*' is. */
static unsigned repeats(const struct lane_inst *inst, bool dst)
{
    if (inst->op == LANE_OP_pack || inst->op == LANE_OP_unpack)
        return 2;
    if (inst->op == LANE_OP_syscall)
        return dst ? 2 : 1; /* malloc */
    return inst->op == LANE_OP_call ? 0 : 1;
}

static unsigned sample_operands(struct sample *s, const struct lane_inst *inst, bool dst, struct lane_operand *to)
{
    const char *letters = dst ? lane_rows[inst->op].dst : lane_rows[inst->op].src;
    size_t length = strlen(letters);
    bool star = length > 1 && letters[length - 1] == '*';
    unsigned n = (unsigned)length;
    if (star)
        n = (unsigned)length - 2 + repeats(inst, dst);
    if (!dst && (inst->op == LANE_OP_sust || inst->op == LANE_OP_sured || inst->op == LANE_OP_suatom))
        n++; /* a coordinate too */
    for (unsigned i = 0; i < n; i++)
        to[i] = sample_operand(s, inst, lane_letter(letters, i));
    return n;
}

static void sample_aux(struct sample *s, struct lane_inst *inst, uint32_t next)
{
    bool surface = lane_is(inst->op, LANE_TEXELS), object = lane_is(inst->op, LANE_OBJECT);
    struct lane_access access = {.space = surface  ? LANE_SURFACE
                                          : object ? LANE_SHARED
                                                   : LANE_GLOBAL,
                                 .type = object ? LANE_B64 : LANE_U32,
                                 .vec = 1};
    switch (lane_aux(&lane_rows[inst->op])) {
    case 'a':
        inst->aux = lane_access(&s->b, &access);
        break;
    case 'b':
        inst->aux = next;
        break;
    case 't':
        inst->aux = lane_table(&s->b, &next, 1);
        break;
    case 'k':
        inst->aux = lane_call(&s->b, &(struct lane_call){.function = 1});
        break;
    case 's':
        inst->aux = lane_string(&s->b, "a sample");
        break;
    }
}

/* The instruction, guarded by a predicate that is never true or not guarded at all. */
static void emit_sample(struct sample *s, unsigned op, bool guarded, uint32_t next)
{
    const struct lane_row *row = &lane_rows[op];
    struct lane_inst proto = {.op = (uint16_t)op, .type = (uint8_t)sample_type(row)};
    struct lane_operand dst[8], src[8];
    if (lane_uses(row, '2'))
        proto.type2 = op == LANE_OP_pack || op == LANE_OP_unpack     ? LANE_B16
                      : op == LANE_OP_cvtpack || op == LANE_OP_cvtrs ? LANE_F32
                                                                     : LANE_S32;
    if (op == LANE_OP_isspacep)
        proto.mode = LANE_SHARED;
    if (op == LANE_OP_vabsdiff)
        proto.mode = 2;
    if (op == LANE_OP_syscall)
        proto.mode = LANE_SYSCALL_MALLOC;
    unsigned ndst = sample_operands(s, &proto, true, dst), nsrc = sample_operands(s, &proto, false, src);
    if (op == LANE_OP_barred)
        dst[1] = (struct lane_operand){LANE_NONE, 0};
    sample_aux(s, &proto, next);
    if (guarded)
        s->b.guard = s->never;
    struct lane_inst *inst = lane_emit(&s->b, (enum lane_op)op, (enum lane_type)proto.type, ndst, dst, nsrc, src);
    s->b.guard = (struct lane_operand){LANE_NONE, 0};
    inst->type2 = proto.type2;
    inst->mode = proto.mode;
    inst->aux = proto.aux;
}

static void emit(struct sample *s, enum lane_op op)
{
    lane_emit(&s->b, op, LANE_VOID, 0, NULL, 0, NULL);
}

static void sample_begin(struct sample *s, unsigned op)
{
    *s = (struct sample){0};
    assert_int_equal(lane_add_func(&s->module), 0);
    assert_int_equal(lane_add_func(&s->module), 1);
    s->module.funcs[1].name = "callee";
    lane_begin(&s->b, &s->module, 1);
    emit(s, LANE_OP_ret);
    assert_true(lane_end(&s->b, NULL));
    s->module.funcs[0].name = "k";
    s->module.funcs[0].kernel = true;
    s->module.funcs[0].stacked = lane_is(op, LANE_TOKEN_OP);
    lane_begin(&s->b, &s->module, 0);
    s->never = lane_reg(&s->b, 1, NULL);
}

static void must_verify(struct sample *s)
{
    struct atoll_error error;
    if (!lane_end(&s->b, &error) || !lane_verify(&s->module, &error))
        fail_msg("%s", error.message);
}

static void verifier_knows_what_ends_a_block(void **state)
{
    (void)state;
    for (unsigned op = 0; op < LANE_OPS; op++) {
        struct sample s;
        struct atoll_error error;
        sample_begin(&s, op);
        emit_sample(&s, op, false, 0);
        emit(&s, LANE_OP_exit);
        bool ok = lane_end(&s.b, &error) && lane_verify(&s.module, &error);
        if (ok == lane_is(op, LANE_ENDS) || (!ok && !strstr(error.message, "in the middle of a block")))
            fail_msg("%s in the middle of a block: %s", lane_rows[op].name, ok ? "taken" : error.message);
        lane_module_free(&s.module);

        sample_begin(&s, op);
        emit_sample(&s, op, false, 0);
        ok = lane_end(&s.b, &error) && lane_verify(&s.module, &error);
        if (ok != lane_is(op, LANE_ENDS | LANE_STOPS) || (!ok && !strstr(error.message, "falls off the end")))
            fail_msg("%s at the end of a function: %s", lane_rows[op].name, ok ? "taken" : error.message);
        lane_module_free(&s.module);
    }
}

/* b0 sends half of the lanes to b2, where they wait; b1 has the operation, guarded by a predicate that is never true:
 * nothing of it may happen, and each instruction counts once. */
static void sample_kernel(struct sample *s, unsigned op)
{
    sample_begin(s, op);
    struct lane_operand lane = lane_reg(&s->b, 32, NULL), low = lane_reg(&s->b, 1, NULL);
    lane_emit(&s->b, LANE_OP_sreg, LANE_B32, 1, &lane, 0, NULL)->mode = LANE_SREG_LANEID;
    lane_emit(&s->b, LANE_OP_setp, LANE_U32, 1, &low, 2, (struct lane_operand[]){lane, lane_imm(&s->b, 32, 16)})->cmp =
        LANE_LT;
    s->b.guard = low;
    emit(s, LANE_OP_bra);
    s->b.func->insts[s->b.func->ninsts - 1].aux = 2;
    s->b.guard = (struct lane_operand){LANE_NONE, 0};
    assert_int_equal(lane_block(&s->b), 1);
    if (!lane_is(op, LANE_ENDS))
        emit_sample(s, op, true, 2);
    emit_sample(s, op, true, 2);
    assert_int_equal(lane_block(&s->b), 2);
    emit(s, LANE_OP_exit);
    must_verify(s);
}

static void run_sample(struct sample *s, struct device *device, unsigned op, enum atoll_order order)
{
    struct program *program;
    struct atoll_stats stats;
    struct atoll_error error;
    struct atoll_launch_options launch = {.grid = {1, 1, 1},
                                          .block = {32, 1, 1},
                                          .order = order,
                                          .policy = ATOLL_POLICY_FRONTIER,
                                          .instruction_limit = 1000};
    if (!program_create(device, &s->module, 0, NULL, &program, &error) ||
        !program_launch(program, "k", &launch, &stats, NULL, &error))
        fail_msg("%s, guarded: %s", lane_rows[op].name, error.message);
    /* What is called is a part of the kernel, so a call is a branch: in the hard build lanes have no more turns then.
     */
    uint64_t wanted = op == LANE_OP_call ? HARD(6, 7) : lane_is(op, LANE_ENDS) ? 5 : 6;
    if (stats.warp_instructions != wanted)
        fail_msg("%s, guarded: %u warp instructions", lane_rows[op].name, (unsigned)stats.warp_instructions);
    program_destroy(program);
}

static void guarded_operations_do_nothing(void **state)
{
    (void)state;
    struct device *device;
    assert_true(device_create(UINT64_C(1) << 30, &device, NULL));
    for (unsigned op = 0; op < LANE_OPS; op++)
        for (int order = 0; order < 3; order++) {
            struct sample s;
            sample_kernel(&s, op);
            run_sample(&s, device, op, (enum atoll_order)order);
            lane_module_free(&s.module);
        }
    device_destroy(device);
}

/* Points, handlers and slots of the decoded program. */
static void check_decoded(const struct program *program, unsigned op)
{
    const struct func *func = &program->funcs[0];
    for (uint32_t i = 0; i < func->ndecoded; i++) {
        const struct decoded *info = &func->decoded[i];
        const struct step *step = func->points[0] + i;
        if (info->op != op)
            continue;
        bool points = info->after == info->before + 1 && func_decoded(func, info->before) == info &&
                      func_decoded(func, info->after) == info + 1;
        if (lane_is(op, LANE_WAITS) &&
            (!points || func->points[info->before] != step || func->points[info->after] != step + 1))
            fail_msg("%s: no points of its own", lane_rows[op].name);
        if (lane_is(op, LANE_PURE) && !lane_is(op, LANE_TRAPS) && step->go)
            fail_msg("%s: pure, with a handler", lane_rows[op].name);
        if (lane_is(op, LANE_ENDS | LANE_STOPS | LANE_WAITS | LANE_YIELDS | LANE_TRAPS) && !step->go &&
            !(lane_is(op, LANE_PURE) && lane_type_float(info->inst->type)))
            fail_msg("%s: no handler", lane_rows[op].name);
    }
}

static void decoder_follows_the_table(void **state)
{
    (void)state;
    struct device *device;
    assert_true(device_create(UINT64_C(1) << 30, &device, NULL));
    for (unsigned op = 0; op < LANE_OPS; op++) {
        struct sample s;
        struct program *program;
        struct atoll_error error;
        sample_kernel(&s, op);
        if (!program_create(device, &s.module, 0, NULL, &program, &error))
            fail_msg("%s: %s", lane_rows[op].name, error.message);
        check_decoded(program, op);
        program_destroy(program);
        lane_module_free(&s.module);
    }
    device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_fit_each_other),
        cmocka_unit_test(types_of_bits),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(verifier_knows_what_ends_a_block),
        cmocka_unit_test(guarded_operations_do_nothing),
        cmocka_unit_test(decoder_follows_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

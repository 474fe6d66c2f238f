/* Random words of CTM's flow control, by the engine and by the group's reference (tests/ctm_flow_ref.h). */
#include "ctm_flow_make.h"

/* CTM_FLOW_CASES: how many, in place of the usual number. */
static unsigned cases(unsigned usual)
{
    const char *given = getenv("CTM_FLOW_CASES");
    return given ? (unsigned)strtoul(given, NULL, 10) : usual;
}

static void random_ints(struct make *m)
{
    for (unsigned i = 0; i < 4; i++) {
        m->ref.ints[i][0] = (uint8_t)draw(m, 4);
        m->ref.ints[i][1] = (uint8_t)draw(m, 256);
        m->ref.ints[i][2] = (uint8_t)draw(m, 256);
        m->ref.bools[i] = draw(m, 2);
    }
}

static void random_fc(struct make *m, uint32_t count)
{
    static const uint8_t functions[] = {0, 0xff, 0x0f, 0xf0, 0x33, 0xcc, 0x55, 0xaa};
    unsigned function = draw(m, 4) ? functions[draw(m, 8)] : draw(m, 256);
    unsigned op = draw(m, 2) ? CTM_FC_JUMP : draw(m, 8), a_op = draw(m, 5) ? CTM_A_NONE : 1 + draw(m, 2);
    uint32_t address = draw(m, 3) ? make_at(m) + 1 + draw(m, 6) : draw(m, count + 1);
    uint32_t at = make_fc(m, function, draw(m, 2), op, a_op, draw(m, 3), draw(m, 3), draw(m, 3), !draw(m, 5), address);
    struct ctm_inst *inst = make_inst(m, at);
    ctm_set(inst, CTM_RGB_PRED_SEL, draw(m, 3) ? CTM_PRED_RRRR + draw(m, 3) : CTM_PRED_NONE);
    ctm_set(inst, CTM_RGB_PRED_INV, draw(m, 2));
    ctm_set(inst, CTM_INT_ADDR, draw(m, 4));
    ctm_set(inst, CTM_BOOL_ADDR, draw(m, 4));
    ctm_set(inst, CTM_LAST, !draw(m, 40));
}

static void random_inst(struct make *m, uint32_t count)
{
    switch (draw(m, 5)) {
    case 0:
        make_do(m, (struct ref_inst){.kind = REF_MIX,
                                     .constant = 5 + draw(m, 200),
                                     .relative = !draw(m, 3),
                                     .write_inactive = !draw(m, 8)});
        break;
    case 1:
        make_do(m, (struct ref_inst){.kind = REF_TEST,
                                     .constant = 5 + draw(m, 200),
                                     .compare = draw(m, 4),
                                     .alu = draw(m, 3),
                                     .preds = draw(m, 8),
                                     .write_inactive = !draw(m, 8)});
        ctm_set(make_inst(m, make_at(m) - 1), CTM_LAST, !draw(m, 40));
        break;
    default:
        random_fc(m, count);
    }
}

static void random_program(struct make *m)
{
    uint32_t count = 6 + draw(m, 30);
    make_again(m, draw(m, 6));
    random_ints(m);
    make_first(m);
    make_test(m, 7, CTM_LESS, true, 1);
    make_test(m, 8, CTM_LESS, false, 2);
    while (make_at(m) < count)
        random_inst(m, count);
    make_out(m);
}

static void compare(struct make *m, uint32_t width, uint32_t height, unsigned number)
{
    const char *trap = m->group.trap;
    bool ok = make_run(m, width, height);
    if (ok == !trap && (ok ? make_same(m) : strstr(m->run.error.message, trap) != NULL))
        return;
    make_print(m);
    fail_msg("program %u of %ux%u: %s, not %s", number, width, height, ok ? "it ends" : m->run.error.message,
             trap ? trap : "as the reference has it");
}

static void unstructured(void **state)
{
    (void)state;
    struct make m;
    unsigned ended = 0, trapped = 0, count = cases(4000);
    make_open(&m, 1);
    for (unsigned i = 0; i < count; i++) {
        uint32_t width = draw(&m, 3) ? CTM_BLOCK_X : 1 + draw(&m, CTM_BLOCK_X), height = 1 + draw(&m, CTM_BLOCK_Y);
        random_program(&m);
        if (!make_refer(&m, width, height, 2000))
            continue;
        *(m.group.trap ? &trapped : &ended) += 1;
        compare(&m, width, height, i);
    }
    assert_true(ended > count / 8 && trapped > count / 8);
    make_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unstructured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

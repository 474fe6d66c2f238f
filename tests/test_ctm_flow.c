/* Flow control of CTM by hand: the rows of the table of statements, traps of the stacks, ends of programs, and what the
 * lane program costs where nobody can be inactive. Each also by the group's reference (tests/ctm_flow_ref.h). */
#include "ctm_flow_make.h"

enum { NO_OP = CTM_B_NONE, DECR = CTM_B_DECR, INCR = CTM_B_INCR };

/* A MIX adds its constant's green, since c0.g is 1; of c[k] it is 2^k here. It leaves red as it is. */
static void open_counting(struct make *m)
{
    make_open(m, 7);
    for (unsigned i = 0; i < CTM_FLOATS; i++) {
        m->ref.constants[i][0] = i ? 0 : 1;
        m->ref.constants[i][1] = (float)(1 << i % 24);
    }
    make_again(m, true);
}

/* r1.r is the column; c10.a to c18.a are its numbers. */
static void columns(struct make *m)
{
    m->ref.constants[1][1] = 0;
    for (unsigned i = 0; i <= 8; i++)
        m->ref.constants[10 + i][3] = (float)i;
    make_do(m, (struct ref_inst){.kind = REF_MIX, .constant = 1, .first = true});
}

/* The ALU result: is the column below `column`? */
static void below(struct make *m, unsigned column)
{
    make_test(m, 10 + column, CTM_LESS, true, 0);
}

static uint32_t fc_if(struct make *m, bool has_else)
{
    return make_fc(m, 0x0f, false, CTM_FC_JUMP, CTM_A_NONE, INCR, has_else ? INCR : NO_OP, 0, false, 0);
}

static uint32_t fc_else(struct make *m)
{
    return make_fc(m, 0, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, DECR, 1, true, 0);
}

static void fc_endif(struct make *m, unsigned count)
{
    make_fc(m, 0, true, CTM_FC_JUMP, CTM_A_NONE, DECR, NO_OP, count, false, 0);
}

/* Runs over a group, compares with the reference, and gives the green of each column as a number. */
static void run_columns(struct make *m, uint32_t got[8])
{
    make_out(m);
    m->run.program.info[CTM_INFO_US_CODE_ADDR] = (make_at(m) - 1) << 16;
    assert_true(make_refer(m, 8, 4, 1000));
    assert_null(m->group.trap);
    if (!make_run(m, 8, 4))
        fail_msg("%s", m->run.error.message);
    assert_true(make_same(m));
    for (unsigned i = 0; i < 8; i++)
        got[i] = (uint32_t)m->texels[0][i][1]; /* of the first row, where r0.g is 0 */
}

/* mix 10: only below 4; mix 11: the others; mix 12: all. */
static void if_else(void **state)
{
    (void)state;
    static const uint8_t bounds[] = {4, 8, 0};
    for (unsigned k = 0; k < 6; k++) {
        struct make m;
        uint32_t got[8], at, end;
        bool has_else = k & 1;
        open_counting(&m);
        columns(&m);
        below(&m, bounds[k / 2]);
        at = fc_if(&m, has_else);
        make_mix(&m, 10);
        end = at;
        if (has_else) {
            end = fc_else(&m);
            make_target(&m, at, end + 1);
            make_mix(&m, 11);
        }
        fc_endif(&m, 1);
        make_target(&m, end, make_at(&m));
        make_mix(&m, 12);
        run_columns(&m, got);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(got[i] & 0x1fff, 1 << 12 | (i < bounds[k / 2] ? 1 << 10 : has_else ? 1 << 11 : 0));
        make_close(&m);
    }
}

/* Three IFs whose ENDIFs are one: a jump leaves the levels outside of it (guide p.44). */
static void three_ifs(void **state)
{
    (void)state;
    for (unsigned all = 0; all < 4; all++) { /* which of them nobody takes; 3: none */
        struct make m;
        uint32_t got[8], at[3];
        open_counting(&m);
        columns(&m);
        for (unsigned k = 0; k < 3; k++) {
            below(&m, k == all ? 0 : 6 - 2 * k);
            at[k] = make_fc(&m, 0x0f, false, CTM_FC_JUMP, CTM_A_NONE, INCR, k ? DECR : NO_OP, k, false, 0);
            make_mix(&m, 10 + k);
        }
        fc_endif(&m, 3);
        for (unsigned k = 0; k < 3; k++)
            make_target(&m, at[k], make_at(&m));
        make_mix(&m, 13);
        run_columns(&m, got);
        for (unsigned i = 0; i < 8; i++) {
            uint32_t want = 1 << 13;
            for (unsigned k = 0; k < all && k < 3; k++)
                want |= i < 6 - 2 * k ? 1u << (10 + k) : 0;
            assert_int_equal(got[i] & 0x3fff, want);
        }
        make_close(&m);
    }
}

static void write_inactive(void **state)
{
    (void)state;
    struct make m;
    uint32_t got[8];
    open_counting(&m);
    columns(&m);
    below(&m, 4);
    uint32_t at = fc_if(&m, false);
    make_mix(&m, 10);
    make_do(&m, (struct ref_inst){.kind = REF_MIX, .constant = 11, .write_inactive = true});
    fc_endif(&m, 1);
    make_target(&m, at, make_at(&m));
    run_columns(&m, got);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(got[i], i < 4 ? 3 << 10 : 2 << 10);
    make_close(&m);
}

/* ---- loops and calls ---- */

static uint32_t fc_loop(struct make *m, unsigned op, unsigned constant)
{
    uint32_t at = make_fc(m, 0, false, op, CTM_A_NONE, NO_OP, NO_OP, 0, false, 0);
    ctm_set(make_inst(m, at), CTM_INT_ADDR, constant);
    return at;
}

static void fc_end(struct make *m, uint32_t loop)
{
    unsigned op = ctm_get(make_inst(m, loop), CTM_FC_OP) == CTM_FC_LOOP ? CTM_FC_ENDLOOP : CTM_FC_ENDREP;
    uint32_t at = make_fc(m, 0xff, true, op, CTM_A_NONE, NO_OP, NO_OP, 0, false, loop + 1);
    ctm_set(make_inst(m, at), CTM_INT_ADDR, ctm_get(make_inst(m, loop), CTM_INT_ADDR));
    make_target(m, loop, at + 1);
}

/* A loop of 3 rounds from 20 by -2 within one of 2 rounds from 0 by 5; after them aL is 0 again. */
static void rounds(void **state)
{
    (void)state;
    struct make m;
    uint32_t got[8], want = 0;
    open_counting(&m);
    memcpy(m.ref.ints[0], (uint8_t[]){3, 20, 254, 9}, 4);
    memcpy(m.ref.ints[1], (uint8_t[]){2, 0, 5, 9}, 4);
    memcpy(m.ref.ints[2], (uint8_t[]){0, 7, 7, 7}, 4);
    struct ref_inst mix = {.kind = REF_MIX, .constant = 3, .relative = true};
    columns(&m);
    uint32_t outer = fc_loop(&m, CTM_FC_LOOP, 1), inner = fc_loop(&m, CTM_FC_LOOP, 0);
    make_do(&m, mix); /* c23, c21, c19 */
    fc_end(&m, inner);
    make_do(&m, mix); /* c3, c8 */
    uint32_t never = fc_loop(&m, CTM_FC_REP, 2);
    make_mix(&m, 12);
    fc_end(&m, never);
    fc_end(&m, outer);
    make_do(&m, mix); /* c3 */
    run_columns(&m, got);
    for (unsigned k = 0; k < 2; k++)
        want += (1u << 23) + (1u << 21) + (1u << 19) + (k ? 1u << 8 : 1u << 3);
    want += 1 << 3;
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(got[i], want);
    make_close(&m);
}

static void fails(struct make *m, const char *what)
{
    make_out(m);
    m->run.program.info[CTM_INFO_US_CODE_ADDR] = (make_at(m) - 1) << 16;
    assert_true(make_refer(m, 8, 4, 1000));
    if (make_run(m, 8, 4))
        fail_msg("it ends, without: %s", what);
    if (!strstr(m->run.error.message, what) || !m->group.trap || !strstr(what, m->group.trap))
        fail_msg("%s; %s; wanted: %s", m->run.error.message, m->group.trap ? m->group.trap : "no trap", what);
    assert_int_equal(m->run.error.status, ATOLL_TRAP);
    assert_string_equal(m->run.trap.cause, strstr(what, "overflows") ? "stack-overflow" : "stack-underflow");
    make_close(m);
}

/* `depth` loops, calls, branches in each other; full or partial flow control. */
static void nest(struct make *m, char what, unsigned depth, bool full)
{
    uint32_t loop[40] = {0};
    open_counting(m);
    make_again(m, full);
    memcpy(m->ref.ints[0], (uint8_t[]){2, 0, 0, 0}, 4);
    columns(m);
    for (unsigned k = 0; k < depth; k++) {
        make_test(m, 10 + (k % 7) + 1, CTM_GREATER_EQUAL, true, 0);
        if (what == 'l')
            loop[k] = fc_loop(m, k % 2 ? CTM_FC_LOOP : CTM_FC_REP, 0);
        else if (what == 'c')
            make_fc(m, 0xff, true, CTM_FC_JUMP, CTM_A_PUSH, NO_OP, NO_OP, 0, false, make_at(m) + 1);
        else
            make_fc(m, 0, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, k ? INCR : NO_OP, 0, !k, make_at(m) + 1);
    }
    make_mix(m, 10);
    for (unsigned k = depth; k-- > 0;)
        if (what == 'l')
            fc_end(m, loop[k]);
        else if (what == 'b')
            fc_endif(m, 1);
}

static void depths(void **state)
{
    (void)state;
    static const struct {
        char what;
        unsigned depth;
        bool full;
        const char *trap;
    } each[] = {
        {'l', 4, true, NULL},
        {'l', 5, true, "the loop stack overflows: REP with 4 loops open, in full flow control"},
        {'l', 1, false, "the loop stack overflows: REP with 0 loops open, in partial flow control"},
        {'c', 4, true, NULL},
        {'c', 5, true, "the address stack overflows: PUSH with 4 calls open, in full flow control"},
        {'c', 1, false, "the address stack overflows: PUSH with 0 calls open, in partial flow control"},
        {'b', 32, true, NULL},
        {'b', 33, true, "the branch counter overflows: 32 branches deep, in full flow control"},
        {'b', 6, false, NULL},
        {'b', 7, false, "the branch counter overflows: 6 branches deep, in partial flow control"},
    };
    for (unsigned i = 0; i < sizeof each / sizeof *each; i++) {
        struct make m;
        uint32_t got[8];
        nest(&m, each[i].what, each[i].depth, each[i].full);
        if (each[i].trap) {
            fails(&m, each[i].trap);
            continue;
        }
        run_columns(&m, got);
        make_close(&m);
    }
}

static void underflows(void **state)
{
    (void)state;
    struct make m;
    open_counting(&m);
    make_fc(&m, 0xff, false, CTM_FC_JUMP, CTM_A_POP, NO_OP, NO_OP, 0, false, 0);
    fails(&m, "the address stack underflows: POP without a call");
    open_counting(&m);
    columns(&m);
    below(&m, 3); /* some want to leave, the group does not */
    make_fc(&m, 0xf0, false, CTM_FC_BREAKREP, CTM_A_NONE, NO_OP, NO_OP, 0, false, 0);
    fails(&m, "the loop stack underflows: BREAKREP outside of loops");
    open_counting(&m);
    make_fc(&m, 0xff, false, CTM_FC_CONTINUE, CTM_A_NONE, NO_OP, NO_OP, 0, false, 0);
    fails(&m, "the loop stack underflows: CONTINUE outside of loops");
}

/* Words without a meaning, and ways out of the program. */
static void outside(void **state)
{
    (void)state;
    struct make m;
    static const struct {
        enum ctm_field field;
        const char *trap;
    } each[] = {{CTM_A_OP, "flow control with A_OP 3, which has no meaning"},
                {CTM_B_OP0, "flow control with B_OP0 3, which has no meaning"},
                {CTM_B_OP1, "flow control with B_OP1 3, which has no meaning"},
                {CTM_RGB_PRED_SEL, "flow control with RGB_PRED_SEL 7, which has no meaning"}};
    for (unsigned i = 0; i < 4; i++) {
        open_counting(&m);
        uint32_t at = make_fc(&m, 0xcc, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, NO_OP, 0, false, 1);
        ctm_set(make_inst(&m, at), each[i].field, 7);
        make_out(&m);
        assert_false(make_run(&m, 8, 4));
        assert_non_null(strstr(m.run.error.message, each[i].trap));
        assert_string_equal(m.run.trap.cause, "bad-instruction");
        make_close(&m);
    }
    open_counting(&m);
    make_fc(&m, 0xff, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, NO_OP, 0, false, 300);
    make_out(&m);
    assert_false(make_run(&m, 8, 4));
    assert_non_null(strstr(m.run.error.message, "a jump to instruction 300: the program has 2"));
    make_close(&m);
    open_counting(&m);
    make_fc(&m, 0xff, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, NO_OP, 0, false, 2);
    make_out(&m);
    make_mix(&m, 10);
    m.run.program.info[CTM_INFO_US_CODE_ADDR] = 1 << 16;
    assert_false(make_run(&m, 8, 4));
    assert_non_null(strstr(m.run.error.message, "control runs past the program's last instruction, 2"));
    make_close(&m);
    open_counting(&m); /* for ever */
    make_fc(&m, 0xff, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, NO_OP, 0, false, 0);
    make_out(&m);
    m.run.launch.instruction_limit = 100000;
    assert_false(make_run(&m, 8, 4));
    assert_int_equal(m.run.error.status, ATOLL_LIMIT);
    make_close(&m);
}

/* ENDLOOP without a loop goes on, as a loop without a round does that jumps to its ENDLOOP. */
static void loops_of_mesa(void **state)
{
    (void)state;
    struct make m;
    uint32_t got[8];
    open_counting(&m);
    columns(&m);
    uint32_t loop = fc_loop(&m, CTM_FC_LOOP, 0); /* of 0 rounds */
    make_mix(&m, 10);
    fc_end(&m, loop);
    make_target(&m, loop, make_at(&m) - 1);
    make_mix(&m, 11);
    run_columns(&m, got);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(got[i], 1 << 11);
    make_close(&m);
}

/* LAST ends the program only if nobody is inactive; at END even a jump does not go on. */
static void ends(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        struct make m;
        open_counting(&m);
        columns(&m);
        make_out(&m);
        if (k) {
            below(&m, k == 1 ? 4 : 7);
            make_target(&m, make_fc(&m, 0x0f, false, CTM_FC_JUMP, CTM_A_NONE, INCR, NO_OP, 0, false, 0), make_at(&m));
        }
        make_mix(&m, 10);
        make_out(&m);
        ctm_set(make_inst(&m, make_at(&m) - 1), CTM_LAST, 1);
        make_mix(&m, 11);
        make_out(&m);
        make_fc(&m, 0xff, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, NO_OP, 0, false, 0);
        assert_true(make_refer(&m, 8, 4, 1000));
        assert_true(make_run(&m, 8, 4));
        assert_true(make_same(&m));
        assert_int_equal((uint32_t)m.texels[0][0][1], k ? 3 << 10 : 1 << 10);
        assert_int_equal((uint32_t)m.texels[0][7][1], k ? 0 : 1 << 10);
        make_close(&m);
    }
}

/* mix 10 and then mix 11, which does not mind who is active, in an inner loop that all who come to it leave between
 * them; those below 4 wait for the outer loop's next round, and need nothing of what a BREAK jumps over. */
static void break_within_continued(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++) { /* odd: with a CONTINUE of the inner loop that nobody takes */
        unsigned op = k < 2 ? CTM_FC_LOOP : CTM_FC_REP;
        struct make m;
        uint32_t got[8];
        open_counting(&m);
        memcpy(m.ref.ints[0], (uint8_t[]){2, 0, 0, 0}, 4);
        columns(&m);
        uint32_t outer = fc_loop(&m, op, 0);
        below(&m, 4);
        uint32_t again = make_fc(&m, 0xf0, false, CTM_FC_CONTINUE, CTM_A_NONE, NO_OP, DECR, 0, false, 0);
        uint32_t inner = fc_loop(&m, op, 0);
        below(&m, 0);
        uint32_t never = make_fc(&m, k & 1 ? 0xf0 : 0, !(k & 1), k & 1 ? CTM_FC_CONTINUE : CTM_FC_JUMP, CTM_A_NONE,
                                 NO_OP, NO_OP, 0, false, 0);
        make_mix(&m, 10);
        unsigned breaks = op == CTM_FC_LOOP ? CTM_FC_BREAKLOOP : CTM_FC_BREAKREP;
        uint32_t leave = make_fc(&m, 0xff, false, breaks, CTM_A_NONE, NO_OP, DECR, 0, false, 0);
        make_do(&m, (struct ref_inst){.kind = REF_MIX, .constant = 11, .write_inactive = true});
        make_target(&m, never, make_at(&m));
        fc_end(&m, inner);
        make_target(&m, leave, make_at(&m));
        make_target(&m, again, make_at(&m));
        fc_end(&m, outer);
        run_columns(&m, got);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(got[i], i < 4 ? 0 : 2 << 10);
        make_close(&m);
    }
}

enum { KILLS_IF, KILLS_BREAK, KILLS_CONTINUE, KILLS_COUNT };

/* Who is killed in a branch or a loop holds nobody up: those below 6 are in it, and those below 3 are killed there. */
static void kills(void **state)
{
    (void)state;
    for (unsigned where = 0; where < KILLS_COUNT; where++) {
        struct make m;
        uint32_t got[8], leave = 0;
        open_counting(&m);
        memcpy(m.ref.ints[0], (uint8_t[]){3, 0, 0, 0}, 4);
        columns(&m);
        uint32_t loop = fc_loop(&m, CTM_FC_REP, 0);
        below(&m, 6);
        uint32_t at = fc_if(&m, false);
        make_kill(&m, 13);
        make_mix(&m, 10);
        if (where)
            leave = make_fc(&m, 0xff, false, where == KILLS_BREAK ? CTM_FC_BREAKREP : CTM_FC_CONTINUE, CTM_A_NONE,
                            NO_OP, DECR, 1, false, 0);
        fc_endif(&m, 1);
        make_target(&m, at, make_at(&m));
        make_mix(&m, 11);
        fc_end(&m, loop);
        if (where)
            make_target(&m, leave, where == KILLS_BREAK ? make_at(&m) : make_at(&m) - 1);
        make_mix(&m, 12);
        run_columns(&m, got);
        for (unsigned i = 0; i < 8; i++) {
            unsigned rounds_10 = where == KILLS_BREAK ? 1 : 3, rounds_11 = where == KILLS_IF ? 3 : 0;
            uint32_t want = i < 3 ? 0 : i < 6 ? (rounds_10 << 10) + (rounds_11 << 11) : 3 << 11;
            assert_int_equal(got[i], i < 3 ? 0 : want + (1 << 12));
        }
        make_close(&m);
    }
}

/* What is killed has no say: all others leave the loop, or jump, over a mix that does not mind who is active. */
static void kills_decide(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        struct make m;
        uint32_t got[8], loop = 0, at;
        open_counting(&m);
        memcpy(m.ref.ints[0], (uint8_t[]){2, 0, 0, 0}, 4);
        columns(&m);
        if (k)
            loop = fc_loop(&m, CTM_FC_REP, 0);
        make_kill(&m, 14);
        make_test(&m, 14, CTM_GREATER_EQUAL, true, 0);
        at = make_fc(&m, 0xf0, false, k ? CTM_FC_BREAKREP : CTM_FC_JUMP, CTM_A_NONE, NO_OP, NO_OP, 0, false, 0);
        make_do(&m, (struct ref_inst){.kind = REF_MIX, .constant = 11, .write_inactive = true});
        if (k)
            fc_end(&m, loop);
        make_target(&m, at, make_at(&m));
        make_mix(&m, 12);
        run_columns(&m, got);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(got[i], i < 4 ? 0 : 1 << 12);
        make_close(&m);
    }
}

/* The last processor's end is the group's, in the midst of a branch of a loop: an endless one after it does not matter.
 */
static void kills_all(void **state)
{
    (void)state;
    struct make m;
    open_counting(&m);
    memcpy(m.ref.ints[0], (uint8_t[]){3, 0, 0, 0}, 4);
    columns(&m);
    make_kill(&m, 14);
    make_out(&m);
    uint32_t loop = fc_loop(&m, CTM_FC_REP, 0);
    below(&m, 8);
    fc_if(&m, false);
    make_kill(&m, 18);
    make_fc(&m, 0xff, false, CTM_FC_JUMP, CTM_A_NONE, NO_OP, NO_OP, 0, false, make_at(&m));
    fc_endif(&m, 1);
    fc_end(&m, loop);
    make_out(&m);
    assert_true(make_refer(&m, 8, 4, 1000));
    assert_null(m.group.trap);
    m.run.launch.instruction_limit = 100000;
    if (!make_run(&m, 8, 4))
        fail_msg("%s", m.run.error.message);
    assert_true(make_same(&m));
    make_close(&m);
}

/* LAST minds who has left a loop, or its round, but not who was killed. */
static void last_in_loops(void **state)
{
    (void)state;
    static const unsigned ops[] = {CTM_FC_BREAKREP, CTM_FC_CONTINUE, CTM_FC_JUMP};
    for (unsigned k = 0; k < 3; k++) {
        struct make m;
        open_counting(&m);
        memcpy(m.ref.ints[0], (uint8_t[]){2, 0, 0, 0}, 4);
        columns(&m);
        uint32_t loop = fc_loop(&m, CTM_FC_REP, 0), leave = 0, branch = 0;
        below(&m, 4);
        if (ops[k] == CTM_FC_JUMP) { /* in a branch that all take */
            below(&m, 8);
            branch = fc_if(&m, false);
            make_kill(&m, 14);
        } else
            leave = make_fc(&m, 0xf0, false, ops[k], CTM_A_NONE, NO_OP, DECR, 0, false, 0);
        make_mix(&m, 10);
        make_do(&m, (struct ref_inst){.kind = REF_OUT, .last = true});
        if (branch) {
            fc_endif(&m, 1);
            make_target(&m, branch, make_at(&m));
        }
        fc_end(&m, loop);
        if (leave)
            make_target(&m, leave, ops[k] == CTM_FC_BREAKREP ? make_at(&m) : make_at(&m) - 1);
        make_mix(&m, 11);
        make_do(&m, (struct ref_inst){.kind = REF_OUT, .last = true});
        make_mix(&m, 12);
        make_out(&m);
        m.run.program.info[CTM_INFO_US_CODE_ADDR] = (make_at(&m) - 1) << 16;
        assert_true(make_refer(&m, 8, 4, 1000));
        if (!make_run(&m, 8, 4))
            fail_msg("%s", m.run.error.message);
        assert_true(make_same(&m));
        bool killed = ops[k] == CTM_FC_JUMP;
        assert_int_equal((uint32_t)m.texels[0][0][1], killed ? 0 : 1 << 11);
        assert_int_equal((uint32_t)m.texels[0][7][1], killed ? 1 << 10 : (2 << 10) + (1 << 11));
        make_close(&m);
    }
}

/* ---- what it costs ---- */

static unsigned count(const struct make *m, enum lane_op op, bool guarded)
{
    const struct lane_func *f = &m->run.lanes.funcs[0];
    unsigned n = 0;
    for (uint32_t i = 0; i < f->ninsts; i++)
        n += f->insts[i].op == op && (!guarded || f->insts[i].guard.kind != LANE_NONE);
    return n;
}

/* Loops and calls that nobody leaves alone ask nobody, and guard nothing. */
static void sure_is_cheap(void **state)
{
    (void)state;
    struct make m;
    for (unsigned flows = 0; flows < 2; flows++) {
        static unsigned votes, guarded;
        open_counting(&m);
        uint32_t loop = flows ? fc_loop(&m, CTM_FC_LOOP, 0) : 0;
        make_mix(&m, 10);
        uint32_t call = flows ? make_fc(&m, 0xff, true, CTM_FC_JUMP, CTM_A_PUSH, NO_OP, NO_OP, 0, false, 0) : 0;
        if (flows)
            fc_end(&m, loop);
        make_out(&m);
        uint32_t end = make_at(&m) - 1;
        if (flows) {
            make_target(&m, call, make_at(&m));
            make_mix(&m, 11);
            make_fc(&m, 0xff, false, CTM_FC_JUMP, CTM_A_POP, NO_OP, NO_OP, 0, false, 0);
        }
        m.run.program.info[CTM_INFO_US_CODE_ADDR] = end << 16;
        assert_true(ctm_run_lower(&m.run));
        assert_true(!flows || (count(&m, LANE_OP_vote, false) == votes && count(&m, LANE_OP_mov, true) == guarded));
        assert_true(!flows || !count(&m, LANE_OP_brx, false));
        votes = count(&m, LANE_OP_vote, false);
        guarded = count(&m, LANE_OP_mov, true);
        make_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(if_else),        cmocka_unit_test(three_ifs),
        cmocka_unit_test(write_inactive), cmocka_unit_test(rounds),
        cmocka_unit_test(depths),         cmocka_unit_test(underflows),
        cmocka_unit_test(outside),        cmocka_unit_test(loops_of_mesa),
        cmocka_unit_test(ends),           cmocka_unit_test(break_within_continued),
        cmocka_unit_test(kills),          cmocka_unit_test(kills_decide),
        cmocka_unit_test(kills_all),      cmocka_unit_test(last_in_loops),
        cmocka_unit_test(sure_is_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

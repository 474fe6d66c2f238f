/* Random programs with CTM's flow control: words of any kind, by the group's reference (tests/ctm_flow_ref.h), and
 * structured ones, by what they mean for each processor alone. */
#include "ctm_flow_make.h"
#include "given.h"
#include "isa/ctm/parse.h"

/* CTM_FLOW_CASES: how many, in place of the usual number. */
static unsigned cases(unsigned usual)
{
    return (unsigned)given("CTM_FLOW_CASES", usual, 1);
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

/* A comparison whose difference is kept, for kills. */
static struct ref_inst random_difference(struct make *m)
{
    return (struct ref_inst){.kind = REF_TEST,
                             .constant = 5 + draw(m, 200),
                             .compare = CTM_LESS,
                             .preds = draw(m, 8),
                             .alu = draw(m, 2),
                             .keep = true};
}

static struct ref_inst random_kill(struct make *m)
{
    return (struct ref_inst){.kind = REF_KILL,
                             .constant = draw(m, 3),
                             .select = draw(m, 2) ? CTM_PRED_RRRR + draw(m, 3) : CTM_PRED_NONE,
                             .inverted = draw(m, 2),
                             .write_inactive = !draw(m, 8)};
}

static void random_inst(struct make *m, uint32_t count)
{
    switch (draw(m, 5)) {
    case 0:
        if (!draw(m, 6)) {
            make_do(m, random_difference(m));
            make_do(m, random_kill(m));
            break;
        }
        make_do(m, (struct ref_inst){.kind = REF_MIX,
                                     .constant = 5 + draw(m, 200),
                                     .relative = !draw(m, 3),
                                     .write_inactive = !draw(m, 8)});
        if (!draw(m, 8))
            make_out(m);
        break;
    case 1:
        make_do(m, (struct ref_inst){.kind = REF_TEST,
                                     .constant = 5 + draw(m, 200),
                                     .compare = draw(m, 4),
                                     .alu = draw(m, 3),
                                     .preds = draw(m, 8),
                                     .write_inactive = !draw(m, 8),
                                     .last = !draw(m, 40)});
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

/* ---- structured programs, each processor by itself --------------------------------------------------------------- */

enum { NODES = 400, SUBS = 4, MAIN = SUBS, LISTS = SUBS + 1, INSTS = 440 };

enum node_kind { DO, IF, LOOP, REP, BREAK, CONTINUE, CALL };
struct node {
    enum node_kind kind;
    struct ref_inst what;
    struct ctm_inst condition; /* JUMP_FUNC: where it holds */
    unsigned number;           /* constant of a loop; subroutine */
    bool has_else;
    struct node *body, *other, *next;
};

struct tree {
    struct make make;
    struct node nodes[NODES];
    unsigned nnodes, insts, list; /* list: at hand */
    struct node *lists[LISTS];    /* subroutines call those with larger numbers */
    unsigned most_ifs, most_loops;
    bool full, calls_some, counts[SUBS];
    bool together; /* also what each processor by itself does not tell: WRITE_INACTIVE, LAST */
    /* Code. */
    uint32_t start[SUBS], calls[NODES], ncalls, leaves[NODES], nleaves;
    unsigned called[NODES];
};

/* How deep a list may nest: together four calls and four loops. */
static const uint8_t loops_of[LISTS] = {1, 1, 0, 0, 2};

static void random_condition(struct make *m, struct ctm_inst *inst)
{
    static const uint8_t functions[] = {0x0f, 0xf0, 0xf0, 0xf0, 0x33, 0xcc, 0x55, 0xaa};
    ctm_set(inst, CTM_JUMP_FUNC, draw(m, 8) ? functions[draw(m, 8)] : draw(m, 256));
    ctm_set(inst, CTM_RGB_PRED_SEL, CTM_PRED_RRRR + draw(m, 3));
    ctm_set(inst, CTM_RGB_PRED_INV, draw(m, 2));
    ctm_set(inst, CTM_BOOL_ADDR, draw(m, 4));
}

static struct node *grow(struct tree *t, enum node_kind kind)
{
    assert_true(t->nnodes < NODES);
    struct node *n = &t->nodes[t->nnodes++];
    *n = (struct node){.kind = kind};
    t->insts += kind == DO ? 1 : 3;
    return n;
}

static struct node *grow_list(struct tree *t, unsigned ifs, unsigned loops, bool in_loop, unsigned most);

static void grow_condition(struct tree *t, struct node ***end, struct node *n)
{
    random_condition(&t->make, &n->condition);
    if (!draw(&t->make, 5))
        return; /* the ALU result is lost */
    struct node *test = grow(t, DO);
    test->what = (struct ref_inst){.kind = REF_TEST,
                                   .constant = 5 + draw(&t->make, 200),
                                   .compare = draw(&t->make, 4) ? CTM_LESS : draw(&t->make, 4),
                                   .alu = true,
                                   .preds = draw(&t->make, 3) ? 0 : draw(&t->make, 8)};
    test->next = **end;
    **end = test;
    *end = &test->next;
}

static enum node_kind random_kind(struct tree *t, unsigned ifs, unsigned loops, bool in_loop)
{
    struct make *m = &t->make;
    unsigned kind = draw(m, 12);
    bool room = t->insts < INSTS - 60;
    if (kind < 4 && ifs && room)
        return IF;
    if (kind < 6 && loops && room && t->full)
        return draw(m, 2) ? LOOP : REP;
    if (kind < 8 && in_loop)
        return draw(m, 2) ? BREAK : CONTINUE;
    if (kind == 8 && t->full && t->calls_some && t->list != SUBS - 1)
        return CALL;
    return DO;
}

/* What is not flow control. */
static void grow_do(struct tree *t, struct node ***end, struct node *n)
{
    struct make *m = &t->make;
    n->what = (struct ref_inst){.kind = REF_MIX, .constant = 5 + draw(m, 200), .relative = !draw(m, 4)};
    if (!draw(m, 12)) {
        struct node *test = grow(t, DO);
        test->what = random_difference(m);
        n->what = random_kill(m);
        test->next = n;
        **end = test;
        *end = &test->next;
    } else if (!draw(m, 12))
        n->what = (struct ref_inst){.kind = REF_OUT};
    n->what.write_inactive &= t->together;
    if (t->together && n->what.kind != REF_OUT) {
        n->what.write_inactive |= !draw(m, 6);
        n->what.last = !draw(m, 12);
    }
}

static struct node *grow_one(struct tree *t, struct node ***end, unsigned ifs, unsigned loops, bool in_loop)
{
    struct make *m = &t->make;
    enum node_kind kind = random_kind(t, ifs, loops, in_loop);
    struct node *n = grow(t, kind);
    ctm_set(&n->condition, CTM_JUMP_FUNC, 0xff);
    **end = n;
    if (kind == DO)
        grow_do(t, end, n);
    if (kind == IF || (kind >= BREAK && draw(m, 2)))
        grow_condition(t, end, n);
    if (kind == IF) {
        n->has_else = draw(m, 2);
        n->body = grow_list(t, ifs - 1, loops, in_loop, 4);
        n->other = n->has_else ? grow_list(t, ifs - 1, loops, in_loop, 4) : NULL;
    } else if (kind == LOOP || kind == REP) {
        n->number = draw(m, 4);
        n->body = grow_list(t, ifs, loops - 1, true, 5);
    } else if (kind == CALL) {
        n->number = t->list == MAIN ? draw(m, SUBS) : t->list + 1 + draw(m, SUBS - 1 - t->list);
        t->counts[n->number] |= ctm_get(&n->condition, CTM_JUMP_FUNC) != 0xff;
    }
    return n;
}

static struct node *grow_list(struct tree *t, unsigned ifs, unsigned loops, bool in_loop, unsigned most)
{
    struct node *first = NULL, **end = &first;
    for (unsigned i = 1 + draw(&t->make, most); i && t->insts < INSTS - 20; i--)
        end = &grow_one(t, &end, ifs, loops, in_loop)->next;
    return first;
}

static void grow_tree(struct tree *t)
{
    t->full = draw(&t->make, 5);
    t->calls_some = draw(&t->make, 2);
    t->together = !draw(&t->make, 3);
    t->nnodes = t->insts = 0;
    memset(t->counts, 0, sizeof t->counts);
    random_ints(&t->make);
    for (t->list = MAIN + 1; t->list-- > 0;)
        t->lists[t->list] = t->list < MAIN && !t->full ? NULL
                                                       : grow_list(t, t->list == MAIN ? 6 : 3, loops_of[t->list], false,
                                                                   t->list < MAIN ? 3 : 9);
}

/* ---- its code: the table of statements ---- */

struct inside { /* of a loop */
    unsigned ifs;
    bool rep;
    uint32_t first; /* of those that leave it, in `leaves` */
};

static uint32_t code(struct tree *t, enum ctm_statement statement, const struct ctm_inst *condition,
                     struct ctm_flow_words words)
{
    struct make *m = &t->make;
    struct ctm_inst inst = condition ? *condition : (struct ctm_inst){{0}};
    words.func = (uint8_t)ctm_get(&inst, CTM_JUMP_FUNC);
    ctm_set(&inst, CTM_TYPE, CTM_TYPE_FC);
    ctm_flow_words(statement, &words, &inst);
    m->ref.kinds[make_at(m)] = (struct ref_inst){.kind = REF_FC};
    ctm_run_add(&m->run, inst);
    return make_at(m) - 1;
}

static void code_list(struct tree *t, const struct node *n, struct inside in);

static void code_if(struct tree *t, const struct node *n, struct inside in)
{
    struct make *m = &t->make;
    uint32_t at = code(t, CTM_IF, &n->condition, (struct ctm_flow_words){.counts = n->has_else});
    in.ifs++;
    code_list(t, n->body, in);
    if (n->has_else) {
        uint32_t other = code(t, CTM_ELSE, NULL, (struct ctm_flow_words){0});
        make_target(m, at, make_at(m));
        at = other;
        code_list(t, n->other, in);
    }
    code(t, CTM_ENDIF, NULL, (struct ctm_flow_words){0});
    make_target(m, at, make_at(m));
}

static void code_loop(struct tree *t, const struct node *n)
{
    struct make *m = &t->make;
    struct inside in = {.rep = n->kind == REP, .first = t->nleaves};
    uint32_t at = code(t, in.rep ? CTM_REP : CTM_LOOP, NULL, (struct ctm_flow_words){0});
    code_list(t, n->body, in);
    uint32_t end = code(t, in.rep ? CTM_ENDREP : CTM_ENDLOOP, NULL, (struct ctm_flow_words){.target = at + 1});
    make_target(m, at, end + 1);
    ctm_set(make_inst(m, at), CTM_INT_ADDR, n->number);
    ctm_set(make_inst(m, end), CTM_INT_ADDR, n->number);
    while (t->nleaves > in.first) {
        struct ctm_inst *leave = make_inst(m, t->leaves[--t->nleaves]);
        ctm_set(leave, CTM_JUMP_ADDR, ctm_get(leave, CTM_FC_OP) == CTM_FC_CONTINUE ? end : end + 1);
    }
}

static void code_list(struct tree *t, const struct node *n, struct inside in)
{
    for (; n; n = n->next) {
        struct ctm_flow_words words = {.depth = (uint8_t)in.ifs, .in_rep = in.rep};
        if (n->kind == DO)
            make_do(&t->make, n->what);
        else if (n->kind == IF)
            code_if(t, n, in);
        else if (n->kind == LOOP || n->kind == REP)
            code_loop(t, n);
        else if (n->kind == CALL) {
            words.counts = t->counts[n->number];
            t->called[t->ncalls] = n->number;
            t->calls[t->ncalls++] = code(t, CTM_CALL, &n->condition, words);
        } else
            t->leaves[t->nleaves++] = code(t, n->kind == BREAK ? CTM_BREAK : CTM_CONTINUE, &n->condition, words);
    }
}

static void code_tree(struct tree *t)
{
    struct make *m = &t->make;
    t->ncalls = t->nleaves = 0;
    make_again(m, t->full);
    make_first(m);
    code_list(t, t->lists[MAIN], (struct inside){0});
    make_out(m);
    uint32_t end = make_at(m) - 1;
    for (unsigned s = 0; s < SUBS && t->full; s++) {
        t->start[s] = make_at(m);
        code_list(t, t->lists[s], (struct inside){0});
        code(t, CTM_RETURN, NULL, (struct ctm_flow_words){.counts = t->counts[s]});
    }
    for (uint32_t i = 0; i < t->ncalls; i++)
        make_target(m, t->calls[i], t->start[t->called[i]]);
    m->run.program.info[CTM_INFO_US_CODE_ADDR] = end << 16;
}

/* ---- what it means for one processor ---- */

struct alone {
    const struct tree *tree;
    struct ref_lane lane;
    int al;
};
enum way { ON, OUT, AGAIN, GONE };

static enum way mean_list(struct alone *a, const struct node *n);

static enum way mean_loop(struct alone *a, const struct node *n)
{
    const uint8_t *constant = a->tree->make.ref.ints[n->number];
    int al = a->al;
    if (n->kind == LOOP)
        a->al = constant[1];
    for (unsigned i = 0; i < constant[0]; i++) {
        a->lane.alu = false;
        enum way way = mean_list(a, n->body);
        if (way == GONE)
            return GONE;
        if (way == OUT)
            break;
        if (n->kind == LOOP)
            a->al += (int8_t)constant[2];
    }
    a->al = al;
    return ON;
}

static enum way mean_one(struct alone *a, const struct node *n)
{
    const struct ref_program *ref = &a->tree->make.ref;
    if (n->kind == DO) {
        ref_do(ref, &n->what, a->al, &a->lane);
        return a->lane.alive ? ON : GONE;
    }
    bool holds = ref_wants(&n->condition, ref, &a->lane);
    enum way way = ON;
    a->lane.alu = false;
    if (n->kind == IF)
        way = mean_list(a, holds ? n->body : n->other);
    else if (n->kind == LOOP || n->kind == REP)
        way = mean_loop(a, n);
    else if (n->kind == CALL && holds)
        way = mean_list(a, a->tree->lists[n->number]);
    else if (n->kind != CALL && holds)
        way = n->kind == BREAK ? OUT : AGAIN;
    a->lane.alu = false;
    return way;
}

static enum way mean_list(struct alone *a, const struct node *n)
{
    for (; n; n = n->next) {
        enum way way = mean_one(a, n);
        if (way != ON)
            return way;
    }
    return ON;
}

/* Whether the processor is gone. */
static bool alone_compare(const struct tree *t, unsigned i, unsigned j, unsigned number)
{
    const struct make *m = &t->make;
    struct alone a = {.tree = t};
    ref_lane_start(&a.lane, i, j);
    for (unsigned k = 0; k < 4; k++)
        ref_do(&m->ref, &m->ref.kinds[k], 0, &a.lane);
    static const float nothing[3];
    const float *want = mean_list(&a, t->lists[MAIN]) == GONE ? nothing : a.lane.r1;
    if (!memcmp(want, m->texels[j][i], sizeof nothing))
        return want == nothing;
    make_print(m);
    fail_msg("program %u, (%u, %u): %a %a %a, not %a %a %a", number, i, j, m->texels[j][i][0], m->texels[j][i][1],
             m->texels[j][i][2], want[0], want[1], want[2]);
    return false;
}

/* Are processors on their own ways (docs/ctm.md, "Apart")? They meet at the end. */
static bool goes_apart(const struct make *m)
{
    const struct lane_func *f = &m->run.lanes.funcs[0];
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (f->insts[i].op == LANE_OP_barwarp)
            return true;
    return false;
}

/* The group with one program counter does the same, where processors have gone apart. Returns whether they had. */
static bool together_compare(struct tree *t, uint32_t width, uint32_t height, unsigned number)
{
    struct make *m = &t->make;
    float texels[MAKE_HEIGHT][MAKE_WIDTH][CTM_CHANNELS];
    if (!goes_apart(m))
        return false;
    memcpy(texels, m->texels, sizeof texels);
    m->run.together = true;
    ctm_run_reload(&m->run);
    if (!make_run(m, width, height) || goes_apart(m) || memcmp(texels, m->texels, sizeof texels) != 0) {
        make_print(m);
        fail_msg("program %u: apart and together", number);
    }
    m->run.together = false;
    return true;
}

static void structured(void **state)
{
    (void)state;
    struct tree *t = calloc(1, sizeof *t);
    unsigned count = cases(4000), some_gone = 0, apart = 0;
    assert_non_null(t);
    make_open(&t->make, 2);
    for (unsigned i = 0; i < count; i++) {
        grow_tree(t);
        code_tree(t);
        bool small = t->together || draw(&t->make, 5);
        uint32_t width = 1 + draw(&t->make, small ? CTM_BLOCK_X : MAKE_WIDTH);
        uint32_t height = 1 + draw(&t->make, small ? CTM_BLOCK_Y : MAKE_HEIGHT);
        if (!make_run(&t->make, width, height)) {
            make_print(&t->make);
            fail_msg("program %u: %s", i, t->make.run.error.message);
        }
        unsigned gone = 0;
        for (unsigned k = 0; k < width * height && !t->together; k++)
            gone += alone_compare(t, k % width, k / width, i);
        some_gone += gone && gone < width * height;
        if (small && make_refer(&t->make, width, height, 100000) && !make_same(&t->make)) {
            make_print(&t->make);
            fail_msg("program %u: by the group's reference", i);
        }
        apart += together_compare(t, width, height, i);
    }
    print_message("%u of %u apart\n", apart, count);
    assert_true(some_gone > count / 50 && apart > count / 5);
    make_close(&t->make);
    free(t);
}

/* One field of one FC instruction is another: hardly a statement any more, and by the group's reference. */
static void nearly_structured(void **state)
{
    static const uint8_t fields[] = {CTM_FC_OP,  CTM_JUMP_FUNC, CTM_JUMP_ANY,  CTM_A_OP,     CTM_B_OP0, CTM_B_OP1,
                                     CTM_B_ELSE, CTM_B_POP_CNT, CTM_JUMP_ADDR, CTM_INT_ADDR, CTM_LAST};
    (void)state;
    struct tree *t = calloc(1, sizeof *t);
    struct make *m = &t->make;
    unsigned count = cases(2000), compared = 0;
    assert_non_null(t);
    make_open(m, 3);
    for (unsigned i = 0; i < count; i++) {
        uint32_t width = 1 + draw(m, CTM_BLOCK_X), height = 1 + draw(m, CTM_BLOCK_Y), at;
        grow_tree(t);
        code_tree(t);
        at = draw(m, make_at(m));
        while (at < make_at(m) && m->ref.kinds[at].kind != REF_FC)
            at++;
        if (at == make_at(m))
            continue;
        enum ctm_field field = (enum ctm_field)fields[draw(m, sizeof fields)];
        ctm_set(make_inst(m, at), field, field == CTM_JUMP_ADDR ? at + 4 - draw(m, 8) : draw(m, 3));
        if (!make_refer(m, width, height, 2000))
            continue;
        compare(m, width, height, i);
        compared++;
    }
    assert_true(compared > count / 4);
    make_close(m);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unstructured), cmocka_unit_test(structured),
                                       cmocka_unit_test(nearly_structured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

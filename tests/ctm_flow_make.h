/* CTM programs with flow control: made of words and, beside them, of what tests/ctm_flow_ref.h knows; run by both. */
#ifndef ATOLL_TESTS_CTM_FLOW_MAKE_H
#define ATOLL_TESTS_CTM_FLOW_MAKE_H

#include "ctm_flow_ref.h"

enum { MAKE_WIDTH = 3 * CTM_BLOCK_X, MAKE_HEIGHT = 3 * CTM_BLOCK_Y }; /* of output 0, r1 of each index pair */
#define MAKE_FULL (1u << 31)

struct make {
    struct ctm_run run;
    struct ref_program ref;
    struct surface *out;
    struct ref_group group;
    float texels[MAKE_HEIGHT][MAKE_WIDTH][CTM_CHANNELS];
    uint64_t random;
};

static inline uint32_t draw(struct make *m, uint32_t n)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)(m->random >> 33) % n;
}

static inline void make_open(struct make *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    ctm_run_begin(&m->run);
    m->run.launch.instruction_limit = 5000000;
    m->out = ctm_run_surface(&m->run, CTM_PARAM_OUTPUTS, "rgba32float", MAKE_WIDTH, MAKE_HEIGHT);
    m->random = seed * 0x9e3779b97f4a7c15u | 1;
    for (unsigned i = 0; i < CTM_FLOATS; i++)
        for (unsigned c = 0; c < CTM_CHANNELS; c++)
            m->ref.constants[i][c] = (float)(1 + draw(m, 1000)) / (c == 1 ? 1.0f : c == 3 ? 1000.0f : 2048.0f);
    m->ref.constants[0][0] = 0.5f;
    m->ref.constants[0][1] = 1;
    m->ref.constants[0][2] = 0.75f;
}

static inline void make_close(struct make *m)
{
    ctm_run_end(&m->run);
}

/* The next program. */
static inline void make_again(struct make *m, bool full)
{
    ctm_run_again(&m->run);
    m->run.program.info[CTM_INFO_US_FC_CTRL] = full ? MAKE_FULL : 0;
}

static inline uint32_t make_at(const struct make *m)
{
    return m->run.program.ninsts;
}

static inline struct ctm_inst *make_inst(struct make *m, uint32_t at)
{
    return &m->run.insts[at];
}

static inline void make_do(struct make *m, struct ref_inst k)
{
    m->ref.kinds[make_at(m)] = k;
    ctm_run_add(&m->run, ref_words(&k));
}

static inline void make_mix(struct make *m, unsigned constant)
{
    make_do(m, (struct ref_inst){.kind = REF_MIX, .constant = constant});
}

/* r1 from the index pair. */
static inline void make_first(struct make *m)
{
    make_do(m, (struct ref_inst){.kind = REF_MIX, .constant = 1, .first = true});
    for (unsigned i = 0; i < 3; i++)
        make_mix(m, 2 + i);
}

/* Who is below constant `constant` (its alpha) is gone. */
static inline void make_kill(struct make *m, unsigned constant)
{
    make_do(m, (struct ref_inst){.kind = REF_TEST, .constant = constant, .keep = true});
    make_do(m, (struct ref_inst){.kind = REF_KILL, .select = CTM_PRED_NONE});
}

/* A comparison with constant `constant`, into the ALU result and predicates `preds`. */
static inline void make_test(struct make *m, unsigned constant, unsigned compare, bool alu, unsigned preds)
{
    make_do(m,
            (struct ref_inst){.kind = REF_TEST, .constant = constant, .compare = compare, .alu = alu, .preds = preds});
}

static inline void make_out(struct make *m)
{
    make_do(m, (struct ref_inst){.kind = REF_OUT});
}

/* A row of the table of statements (docs/ctm.md, "Statements"). */
static inline uint32_t make_fc(struct make *m, unsigned function, bool any, unsigned op, unsigned a_op, unsigned b_op0,
                               unsigned b_op1, unsigned pop, bool b_else, unsigned address)
{
    struct ctm_inst inst = {{0}};
    ctm_set(&inst, CTM_TYPE, CTM_TYPE_FC);
    ctm_set(&inst, CTM_JUMP_FUNC, function);
    ctm_set(&inst, CTM_JUMP_ANY, any);
    ctm_set(&inst, CTM_FC_OP, op);
    ctm_set(&inst, CTM_A_OP, a_op);
    ctm_set(&inst, CTM_B_OP0, b_op0);
    ctm_set(&inst, CTM_B_OP1, b_op1);
    ctm_set(&inst, CTM_B_POP_CNT, pop);
    ctm_set(&inst, CTM_B_ELSE, b_else);
    ctm_set(&inst, CTM_JUMP_ADDR, address);
    m->ref.kinds[make_at(m)] = (struct ref_inst){.kind = REF_FC};
    ctm_run_add(&m->run, inst);
    return make_at(m) - 1;
}

static inline void make_target(struct make *m, uint32_t at, uint32_t target)
{
    ctm_set(make_inst(m, at), CTM_JUMP_ADDR, target);
}

static inline void make_print(const struct make *m)
{
    for (uint32_t i = 0; i < make_at(m); i++) {
        const struct ctm_inst *inst = &m->run.insts[i];
        const struct ref_inst *k = &m->ref.kinds[i];
        if (k->kind != REF_FC)
            print_message("%u: kind %u constant %u compare %u preds %u rel %d alu %d keep %d pred %u inv %d inactive "
                          "%d last %u\n",
                          i, k->kind, k->constant, k->compare, k->preds, k->relative, k->alu, k->keep, k->select,
                          k->inverted, k->write_inactive, ctm_get(inst, CTM_LAST));
        else
            print_message(
                "%u: FC op %u func %02x any %u a %u b0 %u b1 %u pop %u else %u addr %u int %u bool %u pred %u "
                "inv %u last %u\n",
                i, ctm_get(inst, CTM_FC_OP), ctm_get(inst, CTM_JUMP_FUNC), ctm_get(inst, CTM_JUMP_ANY),
                ctm_get(inst, CTM_A_OP), ctm_get(inst, CTM_B_OP0), ctm_get(inst, CTM_B_OP1),
                ctm_get(inst, CTM_B_POP_CNT), ctm_get(inst, CTM_B_ELSE), ctm_get(inst, CTM_JUMP_ADDR),
                ctm_get(inst, CTM_INT_ADDR), ctm_get(inst, CTM_BOOL_ADDR), ctm_get(inst, CTM_RGB_PRED_SEL),
                ctm_get(inst, CTM_RGB_PRED_INV), ctm_get(inst, CTM_LAST));
    }
}

/* By the engine, over width x height index pairs: texels, or false and m->run.error. */
static inline bool make_run(struct make *m, uint32_t width, uint32_t height)
{
    memset(m->texels, 0, sizeof m->texels);
    assert_true(surface_upload(m->out, m->texels, sizeof m->texels, NULL));
    ref_constants(&m->run, &m->ref);
    m->run.launch.grid[0] = width;
    m->run.launch.grid[1] = height;
    bool ok = ctm_run_go(&m->run);
    ctm_run_texels(m->out, m->texels);
    return ok;
}

/* By the group's reference, in at most `steps`; false: there was no end. */
static inline bool make_refer(struct make *m, uint32_t width, uint32_t height, unsigned steps)
{
    struct ref_group *g = &m->group;
    *g = (struct ref_group){.program = &m->run.program, .ref = &m->ref, .pc = ctm_start(&m->run.program)};
    for (unsigned l = 0; l < REF_LANES; l++) {
        ref_lane_start(&g->lane[l], l % CTM_BLOCK_X, l / CTM_BLOCK_X);
        g->lane[l].alive = l % CTM_BLOCK_X < width && l / CTM_BLOCK_X < height;
    }
    while (steps && ref_step(g))
        steps--;
    return steps;
}

/* Who is not in the domain, or gone, writes nothing. */
static inline bool make_same(const struct make *m)
{
    static const float nothing[3];
    for (unsigned l = 0; l < REF_LANES; l++) {
        const struct ref_lane *lane = &m->group.lane[l];
        if (memcmp(m->texels[l / CTM_BLOCK_X][l % CTM_BLOCK_X], lane->alive ? lane->out : nothing, sizeof nothing) != 0)
            return false;
    }
    return true;
}

#endif

/* A group of 32 processors of R580 with one program counter, step by step: docs/ctm.md, "Flow control", as plain C that
 * knows nothing of the lowering. Beside FC instructions it knows the few that these tests are made of. */
#ifndef ATOLL_TESTS_CTM_FLOW_REF_H
#define ATOLL_TESTS_CTM_FLOW_REF_H

#include "ctm_run.h"

enum { REF_LANES = CTM_BLOCK_X * CTM_BLOCK_Y, REF_CHANNELS = 3 };

/* r1.rgb = r1.rgb (of `first` r0.rgb) * c0.rgb + c[k].rgb, and k may have aL added; a comparison of r1.r with c[k].a,
 * into the ALU result or predicates, and the difference to r2.rgb if it is kept; a kill by r2, where `select` (a
 * predicate) lets it; r1 to output 0. */
enum ref_kind { REF_MIX, REF_TEST, REF_KILL, REF_OUT, REF_FC };

struct ref_inst {
    enum ref_kind kind;
    unsigned constant, compare, preds; /* preds: set of predicate bits */
    unsigned select;                   /* RGB_PRED_SEL of a kill */
    bool first, relative, alu, keep, inverted, write_inactive, last;
};

struct ref_program {
    struct ref_inst kinds[CTM_SLOTS];
    float constants[CTM_FLOATS][CTM_CHANNELS];
    uint8_t ints[CTM_INTS][4];
    bool bools[CTM_BOOLS];
};

struct ref_lane {
    bool alive, alu, pred[CTM_CHANNELS];
    float r0[CTM_CHANNELS], r1[CTM_CHANNELS], r2, out[CTM_CHANNELS];
    int branch; /* -1: active */
    unsigned brk, cont;
};

struct ref_frame {
    unsigned count;
    int al, branch[REF_LANES];
};

struct ref_group {
    const struct ctm_program *program;
    const struct ref_program *ref;
    struct ref_lane lane[REF_LANES];
    struct ref_frame frame[CTM_LOOP_STACK];
    uint32_t address[CTM_ADDRESS_STACK], pc;
    unsigned loops, calls;
    int al;
    const char *trap; /* what its message says */
};

static inline bool ref_holds(unsigned compare, float v)
{
    return compare == CTM_EQUAL ? v == 0 : compare == CTM_LESS ? v < 0 : compare == CTM_GREATER_EQUAL ? v >= 0 : v != 0;
}

static inline void ref_mix(const struct ref_program *ref, const struct ref_inst *k, int al, struct ref_lane *lane)
{
    const float *c = ref->constants[(k->constant + (unsigned)(k->relative ? al : 0)) % CTM_FLOATS];
    for (unsigned i = 0; i < REF_CHANNELS; i++) {
        volatile float product = (k->first ? lane->r0 : lane->r1)[i] * ref->constants[0][i]; /* rounded by itself */
        lane->r1[i] = product + c[i];
    }
}

static inline void ref_do(const struct ref_program *ref, const struct ref_inst *k, int al, struct ref_lane *lane)
{
    if (k->kind == REF_MIX)
        ref_mix(ref, k, al, lane);
    else if (k->kind == REF_OUT)
        memcpy(lane->out, lane->r1, sizeof lane->out);
    else if (k->kind == REF_KILL) {
        bool pred = k->select == CTM_PRED_NONE || (lane->pred[k->select - CTM_PRED_RRRR] ^ k->inverted);
        lane->alive &= !pred || !(lane->r2 < 0);
    } else {
        float difference = lane->r1[0] - ref->constants[k->constant][3];
        bool holds = ref_holds(k->compare, difference);
        lane->r2 = k->keep ? difference : lane->r2;
        lane->alu = k->alu ? holds : lane->alu;
        for (unsigned c = 0; c < CTM_CHANNELS; c++)
            lane->pred[c] = k->preds >> c & 1 ? holds : lane->pred[c];
    }
}

static inline bool ref_active(const struct ref_lane *l)
{
    return l->branch < 0 && !l->brk && !l->cont && l->alive;
}

/* Bit of JUMP_FUNC for a processor. */
static inline bool ref_wants(const struct ctm_inst *inst, const struct ref_program *ref, const struct ref_lane *l)
{
    unsigned sel = ctm_get(inst, CTM_RGB_PRED_SEL);
    bool pred = sel == CTM_PRED_NONE || (l->pred[sel - CTM_PRED_RRRR] ^ ctm_get(inst, CTM_RGB_PRED_INV));
    unsigned index = (unsigned)l->alu << 2 | (unsigned)pred << 1 | ref->bools[ctm_get(inst, CTM_BOOL_ADDR)];
    return ctm_get(inst, CTM_JUMP_FUNC) >> index & 1;
}

static inline bool ref_decide(struct ref_group *g, bool jump_any, const bool *wants)
{
    bool any = false, all = true;
    for (unsigned i = 0; i < REF_LANES; i++) {
        any |= ref_active(&g->lane[i]) && wants[i];
        all &= !ref_active(&g->lane[i]) || wants[i];
    }
    return jump_any ? any : all;
}

static inline bool ref_leave(struct ref_group *g, const struct ctm_inst *inst, const bool *wants)
{
    bool round = ctm_get(inst, CTM_FC_OP) == CTM_FC_CONTINUE, marked = false, needed = false;
    for (unsigned i = 0; i < REF_LANES; i++) {
        struct ref_lane *l = &g->lane[i];
        if (!ref_active(l) || !wants[i])
            continue;
        marked = true;
        *(round ? &l->cont : &l->brk) = g->loops;
    }
    for (unsigned i = 0; i < REF_LANES; i++) {
        const struct ref_lane *l = &g->lane[i];
        bool waits = l->cont && (round || l->cont < g->loops);
        needed |= l->alive && l->branch < (int)ctm_get(inst, CTM_B_POP_CNT) && !l->brk && !waits;
    }
    if (!g->loops && (marked || !needed))
        g->trap = "the loop stack underflows";
    return !needed;
}

static inline void ref_branch(struct ref_group *g, const struct ctm_inst *inst, bool jump, const bool *wants)
{
    unsigned op = ctm_get(inst, jump ? CTM_B_OP1 : CTM_B_OP0), pop = ctm_get(inst, CTM_B_POP_CNT);
    int most = (ctm_full_flow(g->program) ? 32 : 6) - 1;
    for (unsigned i = 0; i < REF_LANES; i++) {
        struct ref_lane *l = &g->lane[i];
        if (op == CTM_B_DECR && l->branch >= 0) {
            l->branch -= (int)pop;
            l->branch = l->branch < 0 ? -1 : l->branch;
        } else if (op == CTM_B_INCR && l->branch >= 0) {
            if (++l->branch > most && l->alive)
                g->trap = "the branch counter overflows";
        } else if (op == CTM_B_INCR && ref_active(l) && wants[i] != jump)
            l->branch = 0;
    }
}

static inline void ref_pop_break(struct ref_group *g, bool with_al)
{
    struct ref_frame *f = &g->frame[g->loops - 1];
    for (unsigned i = 0; i < REF_LANES; i++) {
        struct ref_lane *l = &g->lane[i];
        l->branch = f->branch[i];
        l->brk = l->brk == g->loops ? 0 : l->brk;
        l->cont = l->cont == g->loops ? 0 : l->cont;
    }
    g->al = with_al ? f->al : g->al;
    g->loops--;
}

static inline void ref_push_loop(struct ref_group *g, const struct ctm_inst *inst, unsigned count)
{
    if (g->loops >= (ctm_full_flow(g->program) ? 4u : 0u)) {
        g->trap = "the loop stack overflows";
        return;
    }
    struct ref_frame *f = &g->frame[g->loops++];
    *f = (struct ref_frame){.count = count, .al = g->al};
    for (unsigned i = 0; i < REF_LANES; i++)
        f->branch[i] = g->lane[i].branch;
    if (ctm_get(inst, CTM_FC_OP) == CTM_FC_LOOP)
        g->al = g->ref->ints[ctm_get(inst, CTM_INT_ADDR)][1];
}

static inline void ref_pop_round(struct ref_group *g, bool with_al)
{
    if (!g->loops)
        return;
    g->al = with_al ? g->frame[g->loops - 1].al : g->al;
    for (unsigned i = 0; i < REF_LANES; i++)
        g->lane[i].brk = g->lane[i].brk == g->loops ? 0 : g->lane[i].brk;
    g->loops--;
}

static inline uint32_t ref_address(struct ref_group *g, const struct ctm_inst *inst)
{
    unsigned op = ctm_get(inst, CTM_A_OP);
    if (op == CTM_A_PUSH && g->calls >= (ctm_full_flow(g->program) ? 4u : 0u))
        g->trap = "the address stack overflows";
    else if (op == CTM_A_PUSH)
        g->address[g->calls++] = g->pc + 1;
    else if (op == CTM_A_POP && !g->calls)
        g->trap = "the address stack underflows";
    else if (op == CTM_A_POP)
        return g->address[--g->calls];
    return ctm_get(inst, CTM_JUMP_ADDR);
}

static inline void ref_else(struct ref_group *g)
{
    for (unsigned i = 0; i < REF_LANES; i++) {
        struct ref_lane *l = &g->lane[i];
        if (!l->brk && !l->cont)
            l->branch = ref_active(l) ? 0 : l->branch == 0 ? -1 : l->branch;
    }
}

static inline void ref_flow(struct ref_group *g, const struct ctm_inst *inst)
{
    unsigned op = ctm_get(inst, CTM_FC_OP);
    const uint8_t *constant = g->ref->ints[ctm_get(inst, CTM_INT_ADDR)];
    bool wants[REF_LANES], jump;
    if (ctm_get(inst, CTM_B_ELSE))
        ref_else(g);
    for (unsigned i = 0; i < REF_LANES; i++) {
        wants[i] = ref_wants(inst, g->ref, &g->lane[i]);
        if ((op == CTM_FC_ENDLOOP || op == CTM_FC_ENDREP) && g->loops && g->lane[i].cont == g->loops)
            g->lane[i].cont = 0;
    }
    jump = ref_decide(g, ctm_get(inst, CTM_JUMP_ANY), wants);
    if ((op == CTM_FC_LOOP || op == CTM_FC_REP) && !constant[0])
        jump = true;
    if ((op == CTM_FC_ENDLOOP || op == CTM_FC_ENDREP) && (!g->loops || --g->frame[g->loops - 1].count == 0))
        jump = false;
    if (op >= CTM_FC_BREAKLOOP)
        jump = ref_leave(g, inst, wants);
    if (g->trap)
        return;
    ref_branch(g, inst, jump, wants);
    if (g->trap)
        return;
    if ((op == CTM_FC_LOOP || op == CTM_FC_REP) && !jump)
        ref_push_loop(g, inst, constant[0]);
    if (op == CTM_FC_ENDLOOP && jump)
        g->al += (int8_t)constant[2];
    if ((op == CTM_FC_ENDLOOP || op == CTM_FC_ENDREP) && !jump)
        ref_pop_round(g, op == CTM_FC_ENDLOOP);
    if ((op == CTM_FC_BREAKLOOP || op == CTM_FC_BREAKREP) && jump)
        ref_pop_break(g, op == CTM_FC_BREAKLOOP);
    for (unsigned i = 0; i < REF_LANES; i++)
        g->lane[i].alu = false;
    if (!g->trap)
        g->pc = jump ? ref_address(g, inst) : g->pc + 1;
}

/* One instruction; false: the program is over, or g->trap says why not. */
static inline bool ref_step(struct ref_group *g)
{
    uint32_t pc = g->pc;
    if (pc >= g->program->ninsts) {
        g->trap = "the program";
        return false;
    }
    const struct ctm_inst *inst = &g->program->insts[pc];
    const struct ref_inst *k = &g->ref->kinds[pc];
    if (k->kind == REF_FC)
        ref_flow(g, inst);
    else
        for (unsigned i = 0, n = g->pc++ < UINT32_MAX ? REF_LANES : 0; i < n; i++)
            if (ref_active(&g->lane[i]) || (k->write_inactive && k->kind != REF_KILL))
                ref_do(g->ref, k, g->al, &g->lane[i]);
    bool waits = false, alive = false;
    for (unsigned i = 0; i < REF_LANES; i++) {
        waits |= g->lane[i].alive && !ref_active(&g->lane[i]);
        alive |= g->lane[i].alive;
    }
    return !g->trap && alive && pc != ctm_end(g->program) && !(ctm_get(inst, CTM_LAST) && !waits);
}

/* ---- the words of what is not flow control ---------------------------------------------------------------------- */

static inline struct ctm_inst ref_kill_words(const struct ref_inst *k)
{
    struct ctm_inst inst = ctm_blank(CTM_TYPE_TEX);
    ctm_set(&inst, CTM_TEX_INST, CTM_TEX_KILL);
    ctm_set(&inst, CTM_SRC_ADDR, 2);
    ctm_set(&inst, CTM_RGB_WMASK, 1u << k->constant % REF_CHANNELS); /* all three are the same */
    ctm_set(&inst, CTM_RGB_PRED_SEL, k->select);
    ctm_set(&inst, CTM_RGB_PRED_INV, k->inverted);
    return inst;
}

static inline struct ctm_inst ref_words(const struct ref_inst *k)
{
    static const uint8_t swizzles[][3] = {{CTM_RED_SWIZ_A, CTM_GREEN_SWIZ_A, CTM_BLUE_SWIZ_A},
                                          {CTM_RED_SWIZ_B, CTM_GREEN_SWIZ_B, CTM_BLUE_SWIZ_B},
                                          {CTM_RED_SWIZ_C, CTM_GREEN_SWIZ_C, CTM_BLUE_SWIZ_C}};
    struct ctm_inst inst = k->kind == REF_OUT    ? ctm_copy_out(1, 0)
                           : k->kind == REF_KILL ? ref_kill_words(k)
                                                 : ctm_blank(CTM_TYPE_ALU);
    ctm_set(&inst, CTM_WRITE_INACTIVE, k->write_inactive);
    ctm_set(&inst, CTM_LAST, k->last);
    if (k->kind == REF_OUT || k->kind == REF_KILL)
        return inst;
    ctm_set(&inst, CTM_RGB_ADDR0,
            k->first ? CTM_INDEX_TEMP : 1); /* r1 * c0 + c[k]; of a test r1.r * 1 + -c[k].a in all channels */
    ctm_set(&inst, CTM_RGB_ADDR1, 0);
    ctm_set(&inst, CTM_RGB_ADDR1_CONST, 1);
    ctm_set(&inst, CTM_RGB_SEL_B, 1);
    bool test = k->kind == REF_TEST;
    for (unsigned c = 0; c < REF_CHANNELS; c++) {
        ctm_set(&inst, (enum ctm_field)swizzles[0][c], test ? CTM_SWIZ_R : c);
        ctm_set(&inst, (enum ctm_field)swizzles[1][c], test ? CTM_SWIZ_ONE : c);
        ctm_set(&inst, (enum ctm_field)swizzles[2][c], test ? CTM_SWIZ_A : c);
    }
    ctm_set(&inst, CTM_RGB_SEL_C, 2);
    ctm_set(&inst, test ? CTM_ALPHA_ADDR2 : CTM_RGB_ADDR2, k->constant);
    ctm_set(&inst, test ? CTM_ALPHA_ADDR2_CONST : CTM_RGB_ADDR2_CONST, 1);
    ctm_set(&inst, CTM_RGB_ADDR2_REL, k->relative);
    ctm_set(&inst, CTM_RGB_OP, CTM_RGB_MAD);
    ctm_set(&inst, CTM_RGB_WMASK, !test || k->keep ? 7 : 0);
    ctm_set(&inst, CTM_RGB_ADDRD, test ? 2 : 1);
    if (!test)
        return inst;
    ctm_set(&inst, CTM_RGB_MOD_C, CTM_IMOD_NEG);
    ctm_set(&inst, CTM_ALU_WMASK, k->alu);
    ctm_set(&inst, CTM_ALU_RESULT_OP, k->compare);
    ctm_set(&inst, CTM_RGB_OMASK, k->preds);
    ctm_set(&inst, CTM_RGB_TARGET, k->compare);
    return inst;
}

/* ---- running it ------------------------------------------------------------------------------------------------- */

static inline void ref_lane_start(struct ref_lane *l, unsigned i, unsigned j)
{
    *l = (struct ref_lane){.alive = true, .branch = -1, .r0 = {(float)i, (float)j, 0, 1}};
}

static inline void ref_constants(struct ctm_run *t, const struct ref_program *ref)
{
    memcpy(t->params + CTM_PARAM_FLOATS, ref->constants, sizeof ref->constants);
    memcpy(t->params + CTM_PARAM_INTS, ref->ints, sizeof ref->ints);
    for (unsigned i = 0; i < CTM_BOOLS; i++)
        ctm_run_u32(t, CTM_PARAM_BOOLS + 4 * i, ref->bools[i]);
}

#endif

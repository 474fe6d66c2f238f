/* Programs of CTM from bytes: statements nested a few deep around random instructions, in some programs any flow
 * instruction; then a launch. Once the bytes are over, a generator that they seed goes on. */
#include "ctm_gen.h"

#include <string.h>

#include "isa/ctm/parse.h"
#include "isa/ctm/text.h"

enum { WORK = 9 /* temporaries that programs use */, BUDGET = 90, NEST = 3, LOOPS = 2, CALLS = 8, LEAVES = 32 };

struct gen {
    const uint8_t *data;
    size_t size;
    uint64_t state; /* once the bytes are over */
    struct ctm_case *out;
    bool uncached, wild, relative;
    bool waits;                       /* the next instruction waits */
    bool counts;                      /* calls have conditions */
    uint32_t calls[CALLS], ncalls;    /* to the subroutine */
    uint32_t leaves[LEAVES], nleaves; /* BREAK and CONTINUE whose target is not known yet */
};

/* Where a list of instructions is. */
struct inside {
    unsigned ifs, loops, depth; /* ifs: within the innermost loop */
    bool rep, sub;
};

static uint32_t random32(struct gen *g)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++) {
        g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint8_t byte = (uint8_t)(g->state >> 56);
        if (g->size)
            byte = *g->data++, g->size--;
        value = value << 8 | byte;
    }
    return value;
}

static uint32_t below(struct gen *g, uint32_t n)
{
    if (g->size) {
        g->size--;
        return *g->data++ % n;
    }
    return random32(g) % n;
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

static uint32_t emit(struct gen *g, struct ctm_inst inst)
{
    struct ctm_program *p = &g->out->program;
    if (g->waits)
        ctm_set(&inst, CTM_TEX_SEM_WAIT, 1);
    g->waits = false;
    if (p->ninsts == CTM_SLOTS)
        return CTM_SLOTS - 1;
    p->insts[p->ninsts] = inst;
    return p->ninsts++;
}

static void set(struct ctm_inst *inst, int field, uint32_t value)
{
    ctm_set(inst, (enum ctm_field)field, value);
}

static uint32_t source(struct gen *g)
{
    uint32_t kind = below(g, 8), address = kind == 5 ? below(g, 256) : kind > 5 ? 128 | below(g, 128) : below(g, WORK);
    bool relative = g->relative && kind <= 5 && !below(g, 4);
    return address | (uint32_t)(kind == 5) << 8 | (uint32_t)relative << 9;
}

static void operations(struct gen *g, struct ctm_inst *inst)
{
    static const uint8_t rgb_ops[] = {CTM_RGB_MAD, CTM_RGB_MAD, CTM_RGB_DP3, CTM_RGB_DP4, CTM_RGB_D2A,
                                      CTM_RGB_MIN, CTM_RGB_MAX, CTM_RGB_CND, CTM_RGB_CMP, CTM_RGB_FRC,
                                      CTM_RGB_SOP, CTM_RGB_MDH, CTM_RGB_MDV};
    static const uint8_t others[] = {CTM_ALPHA_MAD, CTM_ALPHA_MIN, CTM_ALPHA_MAX, CTM_ALPHA_CND,
                                     CTM_ALPHA_CMP, CTM_ALPHA_FRC, CTM_ALPHA_MDH, CTM_ALPHA_MDV};
    uint32_t rgb = rgb_ops[below(g, sizeof rgb_ops)], alpha = CTM_ALPHA_EX2 + below(g, 6);
    bool dot = rgb == CTM_RGB_DP3 || rgb == CTM_RGB_DP4 || rgb == CTM_RGB_D2A;
    if (rgb != CTM_RGB_SOP && below(g, 3))
        alpha = dot && below(g, 2) ? CTM_ALPHA_DP : others[below(g, sizeof others)];
    bool rgb_moves = rgb >= CTM_RGB_MIN && rgb <= CTM_RGB_CMP,
         alpha_moves = alpha >= CTM_ALPHA_MIN && alpha <= CTM_ALPHA_CMP;
    set(inst, CTM_RGB_OP, g->wild && !below(g, 16) ? below(g, 16) : rgb);
    set(inst, CTM_ALPHA_OP, g->wild && !below(g, 16) ? below(g, 16) : alpha);
    set(inst, CTM_RGB_OMOD, below(g, 2) ? 0 : below(g, rgb_moves ? 8 : 7));
    set(inst, CTM_ALPHA_OMOD, below(g, 2) ? 0 : below(g, alpha_moves ? 8 : 7));
}

static void predicates(struct gen *g, struct ctm_inst *inst)
{
    set(inst, CTM_RGB_PRED_SEL, below(g, 2) ? 0 : below(g, g->wild ? 8 : 6));
    set(inst, CTM_ALPHA_PRED_SEL, below(g, 2) ? 0 : below(g, 6));
    set(inst, CTM_LAST, !g->out->plain && !below(g, 32));
    set(inst, CTM_WRITE_INACTIVE, !below(g, 8));
}

static void add_alu(struct gen *g)
{
    struct ctm_inst inst;
    for (unsigned w = 0; w < CTM_WORDS; w++)
        inst.word[w] = random32(g);
    for (unsigned w = 1; w <= 2; w++) {
        inst.word[w] &= 0xc0000000;
        for (unsigned n = 0; n < 3; n++)
            inst.word[w] |= source(g) << 10 * n;
    }
    set(&inst, CTM_TYPE, g->uncached || below(g, 4) ? CTM_TYPE_ALU : CTM_TYPE_OUTPUT);
    set(&inst, CTM_TEX_SEM_WAIT, below(g, 2));
    predicates(g, &inst);
    operations(g, &inst);
    set(&inst, CTM_RGB_ADDRD, 1 + below(g, WORK - 1));
    set(&inst, CTM_ALPHA_ADDRD, below(g, 2) ? ctm_get(&inst, CTM_RGB_ADDRD) : 1 + below(g, WORK - 1));
    bool relative = g->relative && !g->uncached;
    set(&inst, CTM_RGB_ADDRD_REL, relative && !below(g, 4));
    set(&inst, CTM_ALPHA_ADDRD_REL, relative && !below(g, 4));
    (void)emit(g, inst);
}

/* OUTPUT of rS by MIN of it and itself, bits as they are. */
static void add_copy_out(struct gen *g, unsigned temp, unsigned target)
{
    struct ctm_inst inst = {{0}};
    set(&inst, CTM_TYPE, CTM_TYPE_OUTPUT);
    set(&inst, CTM_TEX_SEM_WAIT, 1);
    set(&inst, CTM_RGB_ADDR0, temp);
    set(&inst, CTM_ALPHA_ADDR0, temp);
    for (unsigned c = 0; c < 3; c++) {
        set(&inst, CTM_RED_SWIZ_A + (int)c, c);
        set(&inst, CTM_RED_SWIZ_B + (int)c, c);
    }
    set(&inst, CTM_ALPHA_SWIZ_A, 3);
    set(&inst, CTM_ALPHA_SWIZ_B, 3);
    set(&inst, CTM_RGB_OP, CTM_RGB_MIN);
    set(&inst, CTM_ALPHA_OP, CTM_ALPHA_MIN);
    set(&inst, CTM_RGB_OMOD, CTM_OMOD_DISABLED);
    set(&inst, CTM_ALPHA_OMOD, CTM_OMOD_DISABLED);
    set(&inst, CTM_RGB_OMASK, 7);
    set(&inst, CTM_ALPHA_OMASK, 1);
    set(&inst, CTM_RGB_TARGET, target);
    set(&inst, CTM_ALPHA_TARGET, target);
    (void)emit(g, inst);
}

/* An uncached write of rS.r at (r0.r, r0.g), where nobody else writes: MAD of rS.r00, 111 and r0.0rg. */
static void add_send(struct gen *g, unsigned temp)
{
    struct ctm_inst inst = {{0}};
    static const uint8_t swizzles[9] = {0, 4, 4, 6, 6, 6, 4, 0, 1};
    static const enum ctm_field fields[9] = {CTM_RED_SWIZ_A, CTM_GREEN_SWIZ_A, CTM_BLUE_SWIZ_A,
                                             CTM_RED_SWIZ_B, CTM_GREEN_SWIZ_B, CTM_BLUE_SWIZ_B,
                                             CTM_RED_SWIZ_C, CTM_GREEN_SWIZ_C, CTM_BLUE_SWIZ_C};
    for (unsigned i = 0; i < 9; i++)
        ctm_set(&inst, fields[i], swizzles[i]);
    set(&inst, CTM_TYPE, CTM_TYPE_OUTPUT);
    set(&inst, CTM_TEX_SEM_WAIT, g->out->guarded || below(g, 2));
    set(&inst, CTM_RGB_ADDR0, temp);
    set(&inst, CTM_RGB_SEL_C, 1); /* r0 */
    predicates(g, &inst);
    set(&inst, CTM_RGB_OMASK, 7);
    set(&inst, CTM_RGB_TARGET, g->out->guarded ? below(g, 2) * 2 + 1 : below(g, 4));
    (void)emit(g, inst);
    g->waits = g->out->guarded;
}

static struct ctm_inst texture(struct gen *g, enum ctm_tex_inst op)
{
    struct ctm_inst inst = {{0}};
    set(&inst, CTM_TYPE, CTM_TYPE_TEX);
    predicates(g, &inst);
    set(&inst, CTM_RGB_WMASK, below(g, 4) ? 7 : below(g, 8));
    set(&inst, CTM_ALPHA_WMASK, below(g, 4) != 0);
    set(&inst, CTM_TEX_INST, op);
    set(&inst, CTM_TEX_UNSCALED, below(g, 4) != 0);
    set(&inst, CTM_TEX_IGNORE_UNCOVERED, below(g, 2));
    inst.word[2] = random32(g) & 0xff00ff00;
    inst.word[3] = random32(g);
    return inst;
}

static void own_element(struct ctm_inst *inst)
{
    set(inst, CTM_TEX_INST, CTM_TEX_UNCACHED);
    set(inst, CTM_TEX_ID, GEN_OWN_INPUT);
    set(inst, CTM_TEX_UNSCALED, 1);
    set(inst, CTM_SRC_ADDR, CTM_INDEX_TEMP);
    set(inst, CTM_SRC_ADDR_REL, 0);
    set(inst, CTM_SRC_S_SWIZ, 0);
    set(inst, CTM_SRC_T_SWIZ, 1);
}

/* One to three lookups; of guarded programs they write different temporaries that none of them reads, the last acquires
 * and what follows waits. */
static void add_lookups(struct gen *g)
{
    unsigned count = 1 + below(g, 3), base = below(g, WORK - 1), read = below(g, WORK);
    bool guarded = g->out->guarded, alone = count == 1;
    for (unsigned k = 0; k < count; k++) {
        struct ctm_inst inst = texture(g, CTM_TEX_LOOKUP + (below(g, 2) ? 0 : 2 + below(g, 5)));
        unsigned to = guarded ? 1 + (base + k) % (WORK - 1) : 1 + below(g, WORK - 1);
        unsigned from = !guarded ? below(g, WORK) : alone ? read : 0;
        uint32_t input = below(g, CTM_INPUTS);
        set(&inst, CTM_TEX_ID, input + (g->uncached && input == GEN_OWN_INPUT));
        set(&inst, CTM_DST_ADDR, to);
        set(&inst, CTM_SRC_ADDR, from);
        bool relative = g->relative && (alone || !guarded);
        set(&inst, CTM_SRC_ADDR_REL, relative && !below(g, 4));
        set(&inst, CTM_DST_ADDR_REL, relative && !g->uncached && !below(g, 4));
        if (g->uncached && !below(g, 3))
            own_element(&inst);
        set(&inst, CTM_TEX_SEM_ACQUIRE, guarded ? k + 1 == count : below(g, 2));
        set(&inst, CTM_TEX_SEM_WAIT, below(g, 3) == 0);
        (void)emit(g, inst);
    }
    g->waits = guarded;
}

static void add_kill(struct gen *g)
{
    struct ctm_inst inst = texture(g, CTM_TEX_KILL);
    set(&inst, CTM_RGB_WMASK, 1u << below(g, 3));
    set(&inst, CTM_ALPHA_WMASK, 0);
    set(&inst, CTM_SRC_ADDR, below(g, WORK));
    (void)emit(g, inst);
}

static void add_inst(struct gen *g)
{
    unsigned kind = g->out->plain ? 0 : below(g, 16);
    if (kind >= 10 && kind < 15)
        add_lookups(g);
    else if (kind == 15 && below(g, 2))
        add_kill(g);
    else if (g->uncached && kind >= 7)
        add_send(g, below(g, WORK));
    else
        add_alu(g);
}

/* ---- flow control ----------------------------------------------------------------------------------------- */

static uint32_t add_statement(struct gen *g, enum ctm_statement statement, struct ctm_flow_words words, bool condition)
{
    static const uint8_t functions[] = {0x0f, 0xf0, 0xf0, 0x33, 0xcc, 0x55, 0xaa, 0x3c};
    struct ctm_inst inst = {{0}};
    words.func = condition ? functions[below(g, sizeof functions)] : 0xff;
    set(&inst, CTM_RGB_PRED_SEL, CTM_PRED_RRRR + below(g, 4));
    set(&inst, CTM_RGB_PRED_INV, below(g, 2));
    set(&inst, CTM_BOOL_ADDR, below(g, 4));
    set(&inst, CTM_TYPE, CTM_TYPE_FC);
    ctm_flow_words(statement, &words, &inst);
    return emit(g, inst);
}

static void land(struct gen *g, uint32_t at, uint32_t target)
{
    ctm_set(&g->out->insts[at], CTM_JUMP_ADDR, target);
}

static void add_list(struct gen *g, struct inside in);

static void add_if(struct gen *g, struct inside in)
{
    const struct ctm_program *p = &g->out->program;
    bool other = below(g, 2);
    uint32_t at = add_statement(g, CTM_IF, (struct ctm_flow_words){.counts = other}, true);
    in.ifs++;
    in.depth++;
    add_list(g, in);
    if (other) {
        uint32_t middle = add_statement(g, CTM_ELSE, (struct ctm_flow_words){0}, false);
        land(g, at, p->ninsts);
        at = middle;
        add_list(g, in);
    }
    (void)add_statement(g, CTM_ENDIF, (struct ctm_flow_words){0}, false);
    land(g, at, p->ninsts);
}

static void add_loop(struct gen *g, struct inside in)
{
    uint32_t first = g->nleaves, number = below(g, 4);
    in.rep = below(g, 2);
    bool relative = g->relative;
    g->relative = true;
    uint32_t at = add_statement(g, in.rep ? CTM_REP : CTM_LOOP, (struct ctm_flow_words){0}, false);
    in.ifs = 0;
    in.depth++;
    in.loops++;
    add_list(g, in);
    struct ctm_flow_words words = {.target = at + 1};
    uint32_t end = add_statement(g, in.rep ? CTM_ENDREP : CTM_ENDLOOP, words, false);
    land(g, at, end + 1);
    ctm_set(&g->out->insts[at], CTM_INT_ADDR, number);
    ctm_set(&g->out->insts[end], CTM_INT_ADDR, number);
    while (g->nleaves > first) {
        uint32_t leave = g->leaves[--g->nleaves];
        bool again = ctm_get(&g->out->insts[leave], CTM_FC_OP) == CTM_FC_CONTINUE;
        land(g, leave, again ? end : end + 1);
    }
    g->relative = relative;
}

static void add_leave(struct gen *g, struct inside in)
{
    struct ctm_flow_words words = {.depth = (uint8_t)in.ifs, .in_rep = in.rep};
    if (g->nleaves < LEAVES)
        g->leaves[g->nleaves++] = add_statement(g, below(g, 2) ? CTM_BREAK : CTM_CONTINUE, words, below(g, 4) != 0);
}

/* Anything, mostly to what follows. */
static void add_wild(struct gen *g)
{
    struct ctm_inst inst = {{0}};
    inst.word[2] = random32(g);
    set(&inst, CTM_TYPE, CTM_TYPE_FC);
    set(&inst, CTM_RGB_PRED_SEL, below(g, 6));
    set(&inst, CTM_BOOL_ADDR, below(g, 4));
    set(&inst, CTM_INT_ADDR, below(g, 4));
    set(&inst, CTM_A_OP, below(g, 4) ? 0 : below(g, 4));
    set(&inst, CTM_B_OP0, below(g, 3));
    set(&inst, CTM_B_OP1, below(g, 3));
    uint32_t at = g->out->program.ninsts;
    set(&inst, CTM_JUMP_ADDR, below(g, 3) ? at + 1 + below(g, 4) : below(g, at + 8));
    (void)emit(g, inst);
}

static void add_node(struct gen *g, struct inside in)
{
    unsigned kind = g->out->plain ? 15 : below(g, 16);
    if (kind < 3 && in.depth < NEST)
        add_if(g, in);
    else if (kind < 5 && in.depth < NEST && in.loops < LOOPS)
        add_loop(g, in);
    else if (kind < 7 && in.loops)
        add_leave(g, in);
    else if (kind == 7 && !in.sub && g->ncalls < CALLS)
        g->calls[g->ncalls++] = add_statement(g, CTM_CALL, (struct ctm_flow_words){.counts = g->counts}, g->counts);
    else if (g->wild && kind < 10)
        add_wild(g);
    else
        add_inst(g);
}

static void add_list(struct gen *g, struct inside in)
{
    for (unsigned n = 1 + below(g, in.depth ? 5 : 14); n && g->out->program.ninsts < BUDGET; n--)
        add_node(g, in);
}

/* ---- the launch ------------------------------------------------------------------------------------------- */

static uint32_t any_float(struct gen *g)
{
    static const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                       0x3f800000, 0xbf800000, 0x3f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                       0xff800000, 0x7fffffff, 0x7f800001, 0xffc00000, 0x3f7fffff, 0x40000000};
    uint32_t kind = below(g, 8), r = random32(g);
    if (kind == 0)
        return r;
    if (kind == 1)
        return special[r % (sizeof special / sizeof *special)];
    return (r & 0x807fffff) | (121 + (r >> 8) % 14) << 23;
}

static void put(struct gen *g, unsigned offset, uint32_t value)
{
    memcpy(g->out->params + offset, &value, sizeof value);
}

static void parameters(struct gen *g)
{
    struct ctm_case *c = g->out;
    for (unsigned k = 0; k < 2; k++) {
        c->grid[k] = 1 + below(g, k ? 10 : 20);
        put(g, CTM_PARAM_DOMAIN + 4 * k, below(g, 5));
    }
    if (below(g, 2))
        for (unsigned k = 0; k < 2; k++)
            put(g, CTM_PARAM_DOMAIN + 8 + 4 * k, 1 + below(g, c->grid[k]));
    if (!c->plain) {
        put(g, CTM_PARAM_COND_VAL, any_float(g));
        put(g, CTM_PARAM_COND_TEST, below(g, 2) ? 0 : below(g, 8));
        put(g, CTM_PARAM_COND_LOC, below(g, 2));
        put(g, CTM_PARAM_OUT_MASK, below(g, 2) ? 0 : below(g, 16));
        put(g, CTM_PARAM_COND_MASK, below(g, 2));
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned char loop[4] = {(unsigned char)below(g, 4), (unsigned char)below(g, 9), (unsigned char)below(g, 9)};
        loop[2] = (unsigned char)(loop[2] - 4);
        memcpy(c->params + CTM_PARAM_INTS + 4 * i, loop, sizeof loop);
        put(g, CTM_PARAM_BOOLS + 4 * i, below(g, 2));
    }
    c->formats = below(g, 256);
    c->seed = below(g, 256);
}

/* Temporaries begin as constants times the place, so that processors differ. */
static void add_values(struct gen *g)
{
    for (unsigned temp = 1; temp < WORK; temp += 1 + below(g, 3)) {
        struct ctm_inst inst = {{0}};
        set(&inst, CTM_RGB_ADDR1, below(g, 256));
        set(&inst, CTM_ALPHA_ADDR1, below(g, 256));
        set(&inst, CTM_RGB_ADDR1_CONST, 1);
        set(&inst, CTM_ALPHA_ADDR1_CONST, 1);
        set(&inst, CTM_RGB_SEL_B, 1);
        set(&inst, CTM_ALPHA_SEL_B, 1);
        inst.word[5] = random32(g) & 0x0ffff000; /* C: r0, or the constant */
        for (unsigned k = 0; k < 3; k++) {
            set(&inst, CTM_RED_SWIZ_A + (int)k, below(g, 2));
            set(&inst, CTM_RED_SWIZ_B + (int)k, below(g, 3));
        }
        set(&inst, CTM_RGB_ADDRD, temp);
        set(&inst, CTM_ALPHA_ADDRD, temp);
        set(&inst, CTM_RGB_WMASK, 7);
        set(&inst, CTM_ALPHA_WMASK, 1);
        set(&inst, CTM_RGB_OMASK, below(g, 8));
        set(&inst, CTM_RGB_TARGET, below(g, 4));
        (void)emit(g, inst);
    }
}

static void subroutine(struct gen *g)
{
    uint32_t start = g->out->program.ninsts;
    for (uint32_t i = 0; i < g->ncalls; i++)
        land(g, g->calls[i], start);
    add_list(g, (struct inside){.sub = true, .depth = 1});
    (void)add_statement(g, CTM_RETURN, (struct ctm_flow_words){.counts = g->counts}, false);
}

static void add_end(struct gen *g)
{
    unsigned outputs = 1 + below(g, CTM_OUTPUTS);
    for (unsigned o = 0; o < outputs; o++) {
        if (g->uncached)
            add_send(g, 1 + o);
        else
            add_copy_out(g, 1 + below(g, WORK - 1), o);
    }
}

void ctm_generate(const uint8_t *data, size_t size, struct ctm_case *out)
{
    struct gen gen = {.data = data, .size = size, .state = size, .out = out}, *g = &gen;
    memset(out, 0, sizeof *out);
    out->program.name = "main";
    out->program.insts = out->insts;
    for (size_t i = 0; i < size; i++)
        g->state = (g->state ^ data[i]) * UINT64_C(0x9e3779b97f4a7c15);
    unsigned kind = below(g, 16);
    out->plain = kind < 4;
    g->wild = kind == 4 || kind == 5;
    g->uncached = kind == 6 || kind == 7;
    out->guarded = !out->plain && below(g, 2);
    out->tex_write = (enum ctm_tex_write)below(g, 3);
    g->counts = below(g, 2);
    g->relative = !out->plain && !below(g, 8);
    add_values(g);
    add_list(g, (struct inside){0});
    add_end(g);
    uint32_t end = out->program.ninsts - 1;
    if (g->ncalls)
        subroutine(g);
    parameters(g);
    for (unsigned i = 0; i < 4 * CTM_FLOATS; i++)
        put(g, CTM_PARAM_FLOATS + 4 * i, any_float(g));
    out->program.info[CTM_INFO_UMRT] = g->uncached;
    ctm_derive(&out->program);
    out->program.info[CTM_INFO_US_CODE_ADDR] = end << 16;
    out->program.info[CTM_INFO_US_CONFIG] |= below(g, 4) ? 0 : 2;
    if (g->wild)
        out->program.info[CTM_INFO_US_FC_CTRL] = (uint32_t)(below(g, 4) != 0) << 31;
}

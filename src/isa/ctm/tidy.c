/* What a straight program computes twice it computes once; what nobody reads it does not compute.
 *
 * Control only goes forward in such a program (lower.c), so in the order of instructions a register's value is that of
 * its last definition before. A pure instruction is the same as one before if operation and operands are, and nobody
 * has written the operands between them; and the one before must have been executed: it is in the same block, or in the
 * first, by which all come. */
#include "isa/ctm/lower.h"

#include <string.h>

enum { NOBODY = UINT32_MAX };

struct tidy {
    struct lane_func *f;
    struct lane_operand *stands; /* for a register: what is read instead, LANE_NONE: itself */
    uint32_t *written;           /* of a register: definitions so far */
    uint32_t *all;               /* and in all */
    uint32_t *versions;          /* of operands: what `written` was */
    uint32_t *block;             /* of instructions */
    uint32_t *table, slots;      /* instructions by hash, NOBODY: none; a power of two */
    bool *drop;                  /* instructions */
};

static bool make(struct arena *arena, struct lane_func *f, struct tidy *t)
{
    *t = (struct tidy){.f = f, .slots = 64};
    while (t->slots < 2 * f->ninsts)
        t->slots *= 2;
    t->stands = arena_array(arena, (size_t)f->nregs + 1, sizeof *t->stands);
    t->written = arena_array(arena, (size_t)f->nregs + 1, sizeof *t->written);
    t->all = arena_array(arena, (size_t)f->nregs + 1, sizeof *t->all);
    t->versions = arena_array(arena, (size_t)f->noperands + 1, sizeof *t->versions);
    t->block = arena_array(arena, (size_t)f->ninsts + 1, sizeof *t->block);
    t->table = arena_array(arena, t->slots, sizeof *t->table);
    t->drop = arena_array(arena, (size_t)f->ninsts + 1, sizeof *t->drop);
    return t->stands && t->written && t->all && t->versions && t->block && t->table && t->drop;
}

/* A load of a parameter at a constant address: they lie in the parameter space. */
static bool is_param(const struct lane_func *f, const struct lane_inst *inst)
{
    return inst->op == LANE_OP_ld && f->accesses[inst->aux].space == LANE_PARAM &&
           f->operands[inst->first + 1].kind == LANE_CONST;
}

/* The result depends on nothing but the operands, the launch and the place in the grid; nothing else happens. */
static bool is_pure(const struct lane_func *f, const struct lane_inst *inst)
{
    if (inst->op == LANE_OP_sreg)
        return lane_sreg_is(inst->mode, LANE_SREG_FIXED) || inst->mode == LANE_SREG_CTAID_X ||
               inst->mode == LANE_SREG_CTAID_Y;
    bool traps = lane_is(inst->op, LANE_TRAPS) && !lane_type_float(inst->type);
    return inst->ndst == 1 && (is_param(f, inst) || (lane_is(inst->op, LANE_PURE) && !traps));
}

static bool same_aux(const struct lane_func *f, const struct lane_inst *a, const struct lane_inst *b)
{
    if (a->op != LANE_OP_ld)
        return a->aux == b->aux;
    const struct lane_access *x = &f->accesses[a->aux], *y = &f->accesses[b->aux];
    return x->space == y->space && x->type == y->type && x->vec == y->vec && x->offset == y->offset;
}

static bool same(const struct tidy *t, uint32_t i, uint32_t k)
{
    const struct lane_inst *a = &t->f->insts[i], *b = &t->f->insts[k];
    if (a->op != b->op || a->type != b->type || a->type2 != b->type2 || a->round != b->round || a->flags != b->flags ||
        a->cmp != b->cmp || a->mode != b->mode || a->nsrc != b->nsrc || !same_aux(t->f, a, b))
        return false;
    for (unsigned s = 1; s <= a->nsrc; s++) {
        struct lane_operand x = t->f->operands[a->first + s], y = t->f->operands[b->first + s];
        if (x.kind != y.kind || x.index != y.index || t->versions[a->first + s] != t->versions[b->first + s])
            return false;
    }
    return t->block[i] == t->block[k] || t->block[k] == 0;
}

static uint32_t hash_of(const struct tidy *t, uint32_t i)
{
    const struct lane_inst *inst = &t->f->insts[i];
    uint32_t hash = inst->op * 31u + inst->type;
    for (unsigned s = 1; s <= inst->nsrc; s++) {
        struct lane_operand op = t->f->operands[inst->first + s];
        hash = (hash ^ ((uint32_t)op.index << 2 | (uint32_t)op.kind)) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    return hash;
}

/* An instruction before that is the same; else this one is noted. */
static uint32_t find(struct tidy *t, uint32_t i)
{
    uint32_t at = hash_of(t, i) & (t->slots - 1);
    for (; t->table[at] != NOBODY; at = (at + 1) & (t->slots - 1))
        if (same(t, i, t->table[at]))
            return t->table[at];
    t->table[at] = i;
    return NOBODY;
}

static struct lane_operand read_as(const struct tidy *t, struct lane_operand op)
{
    bool other = op.kind == LANE_REG && t->stands[op.index].kind != LANE_NONE;
    return other ? t->stands[op.index] : op;
}

static void look_at(struct tidy *t, uint32_t i)
{
    struct lane_inst *inst = &t->f->insts[i];
    struct lane_operand *op = &t->f->operands[inst->first];
    inst->guard = read_as(t, inst->guard);
    for (unsigned s = inst->ndst; s < (unsigned)inst->ndst + inst->nsrc; s++) {
        op[s] = read_as(t, op[s]);
        t->versions[inst->first + s] = op[s].kind == LANE_REG ? t->written[op[s].index] : 0;
    }
    bool once = inst->ndst == 1 && op[0].kind == LANE_REG && t->all[op[0].index] == 1;
    if (once && inst->guard.kind == LANE_NONE && is_pure(t->f, inst)) {
        uint32_t before = find(t, i);
        if (before != NOBODY) {
            t->stands[op[0].index] = t->f->operands[t->f->insts[before].first];
            t->drop[i] = true;
        }
    }
    for (unsigned d = 0; d < inst->ndst; d++)
        if (op[d].kind == LANE_REG)
            t->written[op[d].index]++;
}

static void find_same(struct tidy *t)
{
    struct lane_func *f = t->f;
    memset(t->table, 0xff, t->slots * sizeof *t->table);
    for (uint32_t b = 0; b < f->nblocks; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].first + f->blocks[b].count; i++) {
            t->block[i] = b;
            for (unsigned d = 0; d < f->insts[i].ndst; d++)
                if (f->operands[f->insts[i].first + d].kind == LANE_REG)
                    t->all[f->operands[f->insts[i].first + d].index]++;
        }
    for (uint32_t i = 0; i < f->ninsts; i++)
        look_at(t, i);
}

/* From the last instruction on: what reads it comes after it. */
static void find_unread(struct tidy *t, bool *read)
{
    struct lane_func *f = t->f;
    for (uint32_t i = f->ninsts; i-- > 0;) {
        const struct lane_inst *inst = &f->insts[i];
        const struct lane_operand *op = &f->operands[inst->first];
        t->drop[i] = t->drop[i] || (is_pure(f, inst) && op[0].kind == LANE_REG && !read[op[0].index]);
        for (unsigned s = inst->ndst; s < (unsigned)inst->ndst + inst->nsrc && !t->drop[i]; s++)
            if (op[s].kind == LANE_REG)
                read[op[s].index] = true;
        if (inst->guard.kind == LANE_REG && !t->drop[i])
            read[inst->guard.index] = true;
    }
}

static void take_out(struct tidy *t)
{
    struct lane_func *f = t->f;
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->nblocks; b++) {
        uint32_t first = f->blocks[b].first, count = f->blocks[b].count;
        f->blocks[b].first = n;
        for (uint32_t i = first; i < first + count; i++)
            if (!t->drop[i])
                f->insts[n++] = f->insts[i];
        f->blocks[b].count = n - f->blocks[b].first;
    }
    f->ninsts = n;
}

bool ctm_tidy(struct ctm_lower *l)
{
    struct arena scratch = {0};
    struct tidy t;
    if (l->b->failed)
        return true;
    bool ok = make(&scratch, l->b->func, &t);
    bool *read = ok ? arena_array(&scratch, (size_t)l->b->func->nregs + 1, sizeof *read) : NULL;
    if (read) {
        find_same(&t);
        find_unread(&t, read);
        take_out(&t);
    }
    arena_free(&scratch);
    return read || error_memory(l->error);
}

/* The texture semaphore: whoever acquires it waits first, and somebody waits for it (guide p.37). */
#include "isa/ctm/check_inner.h"

#include <string.h>

static bool is_fc_with(const struct ctm_inst *inst, enum ctm_a_op op)
{
    return ctm_get(inst, CTM_TYPE) == CTM_TYPE_FC && ctm_get(inst, CTM_A_OP) == op;
}

static bool acquires(const struct ctm_program *program, const struct ctm_inst *inst)
{
    uint32_t type = ctm_get(inst, CTM_TYPE), target = ctm_get(inst, CTM_RGB_TARGET);
    if (type == CTM_TYPE_TEX)
        return ctm_get(inst, CTM_TEX_SEM_ACQUIRE);
    return type == CTM_TYPE_OUTPUT && ctm_uncached(program) &&
           (target == CTM_UMRT_SAME_ACQUIRE || target == CTM_UMRT_OWN_ACQUIRE);
}

/* A walk along all ways: instructions that were come to, and those that are still to be gone on from. */
struct walk {
    const struct ctm_program *program;
    bool *seen;
    uint32_t *todo;
    uint32_t ntodo;
    bool returned;
};

static void walk_add(struct walk *w, uint32_t at)
{
    if (at < w->program->ninsts && !w->seen[at]) {
        w->seen[at] = true;
        w->todo[w->ntodo++] = at;
    }
}

/* What comes after an instruction; a return goes on behind every call. */
static void walk_on(struct walk *w, uint32_t at)
{
    struct ctm_ways ways;
    ctm_ways(w->program, at, &ways);
    for (unsigned i = 0; i < ways.count; i++)
        walk_add(w, ways.next[i]);
    for (uint32_t i = 0; i < w->program->ninsts && ways.returns && !w->returned; i++)
        if (is_fc_with(&w->program->insts[i], CTM_A_PUSH))
            walk_add(w, i + 1);
    w->returned |= ways.returns;
}

/* What becomes of the semaphore that the instruction `at` acquires: whether somebody waits for it; *other: an
 * instruction that acquires it before that without waiting itself, CHECK_PROGRAM: there is none. */
static bool waited_for(struct walk *w, uint32_t at, uint32_t *other)
{
    bool waited = false;
    *other = CHECK_PROGRAM;
    memset(w->seen, 0, w->program->ninsts * sizeof *w->seen);
    w->returned = false;
    w->ntodo = 0;
    walk_on(w, at);
    while (w->ntodo) {
        uint32_t i = w->todo[--w->ntodo];
        const struct ctm_inst *inst = &w->program->insts[i];
        if (ctm_get(inst, CTM_TEX_SEM_WAIT)) {
            waited = true;
            continue;
        }
        if (acquires(w->program, inst) && i < *other)
            *other = i;
        walk_on(w, i);
    }
    return waited;
}

bool ctm_check_semaphore(struct check *c)
{
    const struct ctm_program *p = c->program;
    struct walk w = {.program = p,
                     .seen = arena_array(&c->arena, p->ninsts + 1, sizeof *w.seen),
                     .todo = arena_array(&c->arena, p->ninsts + 1, sizeof *w.todo)};
    if (!w.seen || !w.todo)
        return false;
    for (uint32_t at = 0; at < p->ninsts; at++) {
        uint32_t other;
        if (!acquires(p, &p->insts[at]))
            continue;
        if (!waited_for(&w, at, &other))
            rule_error(c, at, "acquire-without-wait", "it acquires the semaphore, and nothing behind it waits for it");
        if (other != CHECK_PROGRAM)
            rule_error(c, other, "acquired-twice",
                       "it acquires the semaphore without TEX_SEM_WAIT, and instruction %u can still hold it", at);
        else if (!ctm_get(&p->insts[at], CTM_TEX_SEM_WAIT))
            rule_warn(c, at, "acquire-without-wait", "it acquires the semaphore and should have TEX_SEM_WAIT, too");
    }
    return true;
}

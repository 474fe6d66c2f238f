/* Where the results of lookups and uncached writes may be under way, and which of them somebody could see come late.
 * docs/ctm.md, "Late results".
 *
 * A group of processors has one program counter, so all of it is either before or past the instruction that writes a
 * result: what is known is known of all. Where control may have come on several ways it is not, and a register says. */
#include "isa/ctm/texture.h"

#include "isa/ctm/effects.h"

#include <string.h>

/* ---- what instructions do ----------------------------------------------------------------------------------- */

static bool is_uncached_write(const struct ctm_program *program, const struct ctm_inst *inst)
{
    return ctm_uncached(program) && ctm_get(inst, CTM_TYPE) == CTM_TYPE_OUTPUT && (ctm_get(inst, CTM_RGB_OMASK) & 1);
}

bool texture_acquires(const struct ctm_program *program, const struct ctm_inst *inst)
{
    unsigned target = ctm_get(inst, CTM_RGB_TARGET);
    if (ctm_get(inst, CTM_TYPE) == CTM_TYPE_TEX)
        return ctm_get(inst, CTM_TEX_SEM_ACQUIRE);
    return ctm_uncached(program) && ctm_get(inst, CTM_TYPE) == CTM_TYPE_OUTPUT &&
           (target == CTM_UMRT_SAME_ACQUIRE || target == CTM_UMRT_OWN_ACQUIRE);
}

/* A temporary of `access` may be one that the lookup writes. */
static bool meets(const struct ctm_access *access, const struct late *late)
{
    if (access->place != CTM_PLACE_TEMP || !(access->channels & late->channels))
        return false;
    return access->relative || late->relative || access->number == late->dst;
}

bool texture_touches(const struct ctm_inst *inst, const struct late *late)
{
    struct ctm_effects effects;
    bool found = false;
    ctm_effects(inst, &effects);
    for (unsigned i = 0; i < CTM_READS; i++)
        found |= meets(&effects.reads[i], late);
    for (unsigned i = 0; i < CTM_UNITS && ctm_get(inst, CTM_TYPE) != CTM_TYPE_TEX; i++)
        found |= meets(&effects.writes[i], late);
    return found;
}

bool texture_same_place(const struct late *a, const struct late *b)
{
    if (a->writes || b->writes)
        return a->writes && b->writes;
    return (a->channels & b->channels) && (a->relative || b->relative || a->dst == b->dst);
}

static void add_late(struct ctm_lower *l, uint32_t pc)
{
    struct ctm_texture *t = l->texture;
    const struct ctm_inst *inst = &l->program->insts[pc];
    struct late *late = &t->late[t->count];
    *late = (struct late){.pc = pc};
    t->issued[pc] = CTM_SLOTS;
    if (is_uncached_write(l->program, inst)) {
        late->writes = true;
        late->channels = 1;
    } else if (ctm_is_lookup(inst)) {
        late->dst = (uint8_t)ctm_get(inst, CTM_DST_ADDR);
        late->relative = ctm_get(inst, CTM_DST_ADDR_REL);
        late->channels = (uint8_t)(ctm_get(inst, CTM_RGB_WMASK) | ctm_get(inst, CTM_ALPHA_WMASK) << 3);
    } else {
        return;
    }
    t->issued[pc] = t->count++;
}

/* ---- the walk ----------------------------------------------------------------------------------------------- */

static bool set_join(struct texture_set *to, const struct texture_set *from)
{
    return bitset_merge(to->bits, from->bits, TEXTURE_SET_WORDS);
}

static void set_move(struct texture_set *to, struct texture_set *from)
{
    set_join(to, from);
    *from = (struct texture_set){0};
}

static bool join(struct texture_state *to, const struct texture_state *from)
{
    bool changed = !to->reached;
    to->reached = true;
    changed |= set_join(&to->done, &from->done);
    changed |= set_join(&to->open, &from->open);
    changed |= set_join(&to->covered, &from->covered);
    return changed;
}

static void finish(struct texture_state *state, uint32_t n)
{
    texture_add(&state->done, n);
    texture_remove(&state->open, n);
    texture_remove(&state->covered, n);
}

void texture_waited(const struct ctm_lower *l, uint32_t pc, struct texture_state *state)
{
    const struct ctm_texture *t = l->texture;
    const struct ctm_inst *inst = &l->program->insts[pc];
    if (ctm_get(inst, CTM_TEX_SEM_WAIT))
        set_move(&state->done, &state->covered);
    /* In a seeded order what an instruction would see may have come before it, too. */
    for (uint32_t n = 0; l->tex_write == CTM_TEX_SEEDED && n < t->count; n++)
        if (texture_pending(state, n))
            texture_add(&state->done, n);
}

/* After the instruction. */
static void step(const struct ctm_lower *l, uint32_t pc, struct texture_state *state)
{
    const struct ctm_texture *t = l->texture;
    uint32_t own = t->issued[pc];
    texture_waited(l, pc, state);
    if (own != CTM_SLOTS) {
        for (uint32_t n = 0; n < t->count; n++)
            if (bitset_has(t->late[own].before, n) && texture_pending(state, n))
                finish(state, n);
        texture_remove(&state->done, own);
        texture_remove(&state->covered, own);
        texture_add(&state->open, own);
    }
    if (texture_acquires(l->program, &l->program->insts[pc]))
        set_move(&state->covered, &state->open);
}

/* Instructions where a group may go on; the last of struct ctm_texture.at stands for the end. */
static uint32_t ways(const struct ctm_lower *l, uint32_t pc, uint32_t *to)
{
    const struct ctm_program *p = l->program;
    const struct ctm_inst *inst = &p->insts[pc];
    bool kills = ctm_get(inst, CTM_TYPE) == CTM_TYPE_TEX && ctm_get(inst, CTM_TEX_INST) == CTM_TEX_KILL;
    uint32_t n = ctm_flow_ways(l, pc, to);
    if (pc == ctm_end(p) || ctm_get(inst, CTM_LAST) || kills)
        to[n++] = p->ninsts;
    return n;
}

static bool walk(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    uint32_t n = l->program->ninsts, nwork = 0, *work = arena_array(l->arena, n + 1, sizeof *work);
    uint32_t *to = arena_array(l->arena, n + 3, sizeof *to);
    bool *queued = arena_array(l->arena, n + 1, sizeof *queued);
    if (!work || !to || !queued)
        return error_memory(l->error);
    memset(t->at, 0, (n + 1) * sizeof *t->at);
    struct texture_state *start = &t->at[ctm_start(l->program)];
    start->reached = true;
    for (uint32_t i = 0; i < t->count; i++)
        texture_add(&start->done, i);
    work[nwork++] = ctm_start(l->program);
    while (nwork) {
        uint32_t pc = work[--nwork];
        struct texture_state state = t->at[pc];
        queued[pc] = false;
        step(l, pc, &state);
        for (uint32_t k = ways(l, pc, to); k-- > 0;)
            if (join(&t->at[to[k]], &state) && to[k] < n && !queued[to[k]]) {
                queued[to[k]] = true;
                work[nwork++] = to[k];
            }
    }
    return true;
}

/* ---- order -------------------------------------------------------------------------------------------------- */

/* Is `n` under way when `own` is issued? */
static bool pends_at(const struct ctm_lower *l, uint32_t n, uint32_t own)
{
    const struct ctm_texture *t = l->texture;
    struct texture_state state = t->at[t->late[own].pc];
    texture_waited(l, t->late[own].pc, &state);
    return state.reached && texture_pending(&state, n);
}

/* Results for one place are written in the order in which they were issued. That is the order of the program, unless
 * something further down may be under way when something further up is issued, in a loop: of two such the former is
 * written when the other is issued (docs/ctm.md, "Choices", order of late results). So is the former result of the same
 * instruction, unless both go to the same registers. */
static void find_before(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    for (uint32_t a = 0; a < t->count; a++) {
        const struct late *late = &t->late[a];
        struct texture_state state = t->at[late->pc];
        texture_waited(l, late->pc, &state);
        bool covers = texture_acquires(l->program, &l->program->insts[late->pc]);
        if (late->writes || late->relative || (texture_has(&state.covered, a) && !covers))
            bitset_add(late->before, a);
        for (uint32_t b = 0; b < a; b++)
            if (texture_same_place(late, &t->late[b]) && pends_at(l, a, b)) {
                bitset_add(late->before, b);
                bitset_add(t->late[b].before, a);
            }
    }
}

/* ---- what is late ------------------------------------------------------------------------------------------- */

/* Somebody could see it: an instruction that has to do with the register while it is under way, a lookup that reads
 * memory. */
static bool seen(const struct ctm_lower *l, uint32_t n)
{
    const struct ctm_texture *t = l->texture;
    const struct late *late = &t->late[n];
    for (uint32_t pc = 0; pc < l->program->ninsts; pc++) {
        const struct ctm_inst *inst = &l->program->insts[pc];
        struct texture_state state = t->at[pc];
        if (!state.reached)
            continue;
        texture_waited(l, pc, &state);
        if (texture_pending(&state, n) && (late->writes ? ctm_is_lookup(inst) : texture_touches(inst, late)))
            return true;
    }
    return false;
}

/* What is issued while something late for the same place is under way comes after it. */
static bool follow(const struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture;
    bool changed = false;
    for (uint32_t a = 0; a < t->count; a++)
        for (uint32_t b = 0; b < t->count && !t->late[a].deferred; b++)
            if (t->late[b].deferred && texture_same_place(&t->late[a], &t->late[b]) &&
                (t->late[a].writes || pends_at(l, b, a)))
                t->late[a].deferred = changed = true;
    return changed;
}

/* Whether it is known, wherever it may be written, that it is under way and covered. */
static void find_dynamic(const struct ctm_lower *l, uint32_t n)
{
    struct ctm_texture *t = l->texture;
    struct late *late = &t->late[n];
    late->dynamic = l->tex_write == CTM_TEX_SEEDED;
    for (uint32_t pc = 0; pc <= l->program->ninsts; pc++) {
        struct texture_state state = t->at[pc];
        bool end = pc == l->program->ninsts, open = texture_has(&state.open, n), done = texture_has(&state.done, n);
        bool waits = !end && ctm_get(&l->program->insts[pc], CTM_TEX_SEM_WAIT);
        if (waits && texture_has(&state.covered, n)) {
            late->dynamic |= open || done || pc <= late->pc; /* masks are made in the order of the program */
            late->mixed |= open;
        }
        if (end) {
            late->dynamic |= texture_pending(&state, n) && done;
            continue;
        }
        texture_waited(l, pc, &state);
        uint32_t own = t->issued[pc];
        bool first = own != CTM_SLOTS && bitset_has(t->late[own].before, n);
        if (texture_pending(&state, n) && (own == n || (first && texture_has(&state.done, n))))
            late->dynamic = true;
    }
}

static bool room_make(struct ctm_lower *l)
{
    struct ctm_texture *t = l->texture = arena_alloc(l->arena, sizeof *l->texture);
    if (!t)
        return error_memory(l->error);
    *t = (struct ctm_texture){.count = 0};
    t->at = arena_array(l->arena, l->program->ninsts + 1, sizeof *t->at);
    for (uint32_t pc = 0; pc < l->program->ninsts; pc++)
        add_late(l, pc);
    for (uint32_t i = 0; i < t->count; i++)
        if (!(t->late[i].before = arena_array(l->arena, TEXTURE_SET_WORDS, sizeof *t->late[i].before)))
            return error_memory(l->error);
    return t->at || error_memory(l->error);
}

bool texture_look(struct ctm_lower *l)
{
    if (!room_make(l))
        return false;
    struct ctm_texture *t = l->texture;
    if (l->tex_write == CTM_TEX_IMMEDIATE || !t->count)
        return true;
    if (!walk(l))
        return false;
    find_before(l);
    if (!walk(l))
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        t->late[i].deferred = seen(l, i);
    while (follow(l)) {
    }
    for (uint32_t i = 0; i < t->count; i++)
        if (t->late[i].deferred)
            find_dynamic(l, i);
    return true;
}

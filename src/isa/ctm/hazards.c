/* Lookups, uncached writes and the ALU result along all ways through a program, as one processor alone takes them (a
 * group's others wait where it does not go): docs/ctm.md, "Hazards". */
#include "isa/ctm/hazards.h"
#include "base/bitset.h"

#include "isa/ctm/effects.h"

#include <assert.h>
#include <string.h>

enum { WORDS = CTM_SLOTS / 64 };

/* The ALU result: what it can be. */
enum { RESULT_NEVER = 1, RESULT_KEPT = 2, RESULT_LOST = 4 };

/* Instructions by their numbers: lookups and uncached writes that can be under way. */
struct state {
    uint64_t open[WORDS], held[WORDS]; /* no semaphore says when they are done; the one that is held does */
    uint8_t result;
    bool reached;
};

struct hazards {
    const struct ctm_program *program;
    struct ctm_effects *effects;
    struct state *in, returned; /* before each instruction; behind each call */
    struct text *out;           /* NULL: nothing is reported yet */
    unsigned count;
};

static bool join(struct state *into, const struct state *from)
{
    uint64_t news = !into->reached;
    for (unsigned i = 0; i < WORDS; i++) {
        news |= (from->open[i] & ~into->open[i]) | (from->held[i] & ~into->held[i]);
        into->open[i] |= from->open[i];
        into->held[i] |= from->held[i];
    }
    news |= from->result & ~(unsigned)into->result;
    into->result |= from->result;
    into->reached = true;
    return news != 0;
}

/* ---- reports ---------------------------------------------------------------------------------------------- */

static void place(const struct hazards *h, uint32_t at)
{
    text_printf(h->out, "instruction %u", at);
    if (h->program->lines)
        text_printf(h->out, " (line %u)", h->program->lines[at]);
}

static void channels(const struct hazards *h, unsigned number, unsigned mask)
{
    text_printf(h->out, "r%u.", number);
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (mask >> c & 1)
            text_add(h->out, &"rgba"[c], 1);
}

static void report_begin(struct hazards *h, uint32_t at)
{
    h->count++;
    place(h, at);
    text_puts(h->out, ": ");
}

static void report_late(struct hazards *h, const struct state *s, uint32_t at, unsigned number, unsigned mask,
                        const char *done, uint32_t lookup)
{
    report_begin(h, at);
    channels(h, number, mask);
    text_printf(h->out, " is %s while the lookup of ", done);
    place(h, lookup);
    text_printf(h->out, " can be under way: %s\n",
                bitset_has(s->open, lookup) ? "no TEX_SEM_ACQUIRE covers it"
                                            : "no TEX_SEM_WAIT since its TEX_SEM_ACQUIRE");
}

/* Addresses with aL added could be any: nothing is said of them. */
static unsigned meet(const struct ctm_access *a, const struct ctm_access *b)
{
    return a->place == CTM_PLACE_TEMP && b->place == CTM_PLACE_TEMP && a->number == b->number && !a->relative &&
                   !b->relative
               ? a->channels & b->channels
               : 0;
}

/* An access of the instruction against all lookups that can be under way. */
static void late_check(struct hazards *h, const struct state *s, uint32_t at, const struct ctm_access *access,
                       const char *done)
{
    for (uint32_t i = 0; i < h->program->ninsts && access->channels; i++) {
        if (!bitset_has(s->open, i) && !bitset_has(s->held, i))
            continue;
        unsigned mask = ctm_is_lookup(&h->program->insts[i]) ? meet(access, &h->effects[i].writes[0]) : 0;
        if (mask)
            report_late(h, s, at, access->number, mask, done, i);
    }
}

static void uncached_check(struct hazards *h, const struct state *s, uint32_t at)
{
    for (uint32_t i = 0; i < h->program->ninsts; i++)
        if ((bitset_has(s->open, i) || bitset_has(s->held, i)) && !ctm_is_lookup(&h->program->insts[i])) {
            report_begin(h, at);
            text_puts(h->out, "an uncached read while the uncached write of ");
            place(h, i);
            text_printf(h->out, " can be under way: %s\n",
                        bitset_has(s->open, i) ? "it acquires no semaphore"
                                               : "no TEX_SEM_WAIT since it acquired the semaphore");
        }
}

static void result_check(struct hazards *h, const struct state *s, uint32_t at)
{
    if (s->result & RESULT_LOST) {
        report_begin(h, at);
        text_puts(h->out, "decides by the ALU result, which an earlier flow-control instruction has ended\n");
    } else if (s->result & RESULT_NEVER) {
        report_begin(h, at);
        text_puts(h->out, "decides by the ALU result, which nothing has written\n");
    }
}

/* guide p.30: a presubtract of what the instruction just before writes needs NOP there; R5xx: so does src0 of MDH. */
static void early_check(struct hazards *h, uint32_t at)
{
    const struct ctm_inst *before = at ? &h->program->insts[at - 1] : NULL;
    if (!before || ctm_get(before, CTM_TYPE) > CTM_TYPE_OUTPUT || ctm_get(before, CTM_NOP) || !h->in[at - 1].reached ||
        at - 1 == ctm_end(h->program))
        return;
    for (unsigned i = 0; i < CTM_READS; i++) {
        struct ctm_access read = h->effects[at].reads[i];
        read.channels = read.early;
        for (unsigned unit = 0; unit < CTM_UNITS; unit++) {
            unsigned mask = meet(&read, &h->effects[at - 1].writes[unit]);
            if (!mask)
                continue;
            report_begin(h, at);
            channels(h, read.number, mask);
            text_puts(h->out, " is read too early: ");
            place(h, at - 1);
            text_puts(h->out, " writes it and has no NOP\n");
        }
    }
}

static void check(struct hazards *h, const struct state *s, uint32_t at)
{
    const struct ctm_inst *inst = &h->program->insts[at];
    const struct ctm_effects *e = &h->effects[at];
    uint32_t type = ctm_get(inst, CTM_TYPE);
    for (unsigned i = 0; i < CTM_READS; i++)
        late_check(h, s, at, &e->reads[i], "read");
    for (unsigned i = 0; i < CTM_UNITS && !ctm_is_lookup(inst); i++) /* lookups land in their order */
        late_check(h, s, at, &e->writes[i], "written");
    if (type == CTM_TYPE_TEX && ctm_get(inst, CTM_TEX_INST) == CTM_TEX_UNCACHED)
        uncached_check(h, s, at);
    if (type == CTM_TYPE_FC && ctm_asks_alu_result(inst))
        result_check(h, s, at);
    if (type == CTM_TYPE_ALU || type == CTM_TYPE_OUTPUT)
        early_check(h, at);
}

/* ---- an instruction, and all ways ------------------------------------------------------------------------- */

/* A semaphore that is acquired is held until what went before is done: of a lookup, lookups; of an uncached write, all.
 */
static void acquire(const struct hazards *h, struct state *s, bool lookups)
{
    for (uint32_t i = 0; i < h->program->ninsts; i++)
        if (bitset_has(s->open, i) && (!lookups || ctm_is_lookup(&h->program->insts[i]))) {
            bitset_remove(s->open, i);
            bitset_add(s->held, i);
        }
}

static void step(const struct hazards *h, struct state *s, uint32_t at)
{
    const struct ctm_inst *inst = &h->program->insts[at];
    switch ((enum ctm_type)ctm_get(inst, CTM_TYPE)) {
    case CTM_TYPE_TEX:
        if (ctm_is_lookup(inst)) {
            bitset_add(s->open, at);
            bitset_remove(s->held, at);
        }
        if (ctm_get(inst, CTM_TEX_SEM_ACQUIRE))
            acquire(h, s, true);
        return;
    case CTM_TYPE_OUTPUT:
        if (ctm_uncached(h->program) && ctm_get(inst, CTM_RGB_OMASK)) {
            uint32_t target = ctm_get(inst, CTM_RGB_TARGET);
            bitset_add(s->open, at);
            bitset_remove(s->held, at);
            if (target == CTM_UMRT_SAME_ACQUIRE || target == CTM_UMRT_OWN_ACQUIRE)
                acquire(h, s, false);
        }
        /* fall through */
    case CTM_TYPE_ALU:
        if (ctm_get(inst, CTM_ALU_WMASK))
            s->result = RESULT_KEPT;
        return;
    case CTM_TYPE_FC:
        if (s->result & (RESULT_KEPT | RESULT_LOST))
            s->result = (uint8_t)((s->result & RESULT_NEVER) | RESULT_LOST);
        return;
    }
}

/* Whether anything was news to an instruction behind. */
static bool visit(struct hazards *h, uint32_t at)
{
    const struct ctm_inst *inst = &h->program->insts[at];
    struct state s = h->in[at];
    struct ctm_ways ways;
    bool news = false;
    if (!s.reached)
        return false;
    if (ctm_get(inst, CTM_TEX_SEM_WAIT))
        memset(s.held, 0, sizeof s.held);
    if (h->out)
        check(h, &s, at);
    step(h, &s, at);
    ctm_ways(h->program, at, &ways);
    for (unsigned i = 0; i < ways.count; i++)
        news |= join(&h->in[ways.next[i]], &s);
    if (ways.returns)
        news |= join(&h->returned, &s);
    if (ctm_get(inst, CTM_TYPE) == CTM_TYPE_FC && ctm_get(inst, CTM_A_OP) == CTM_A_PUSH && h->returned.reached &&
        at + 1 < h->program->ninsts)
        news |= join(&h->in[at + 1], &h->returned);
    return news;
}

static bool visit_all(struct hazards *h)
{
    bool news = false;
    for (uint32_t at = 0; at < h->program->ninsts; at++)
        news |= visit(h, at);
    return news;
}

bool ctm_hazards(const struct ctm_program *program, struct text *out, unsigned *count)
{
    struct arena arena = {0};
    assert(program->ninsts <= CTM_SLOTS);
    struct hazards h = {.program = program,
                        .effects = arena_array(&arena, program->ninsts, sizeof *h.effects),
                        .in = arena_array(&arena, program->ninsts, sizeof *h.in)};
    bool ok = h.effects && h.in;
    for (uint32_t i = 0; ok && i < program->ninsts; i++)
        ctm_effects(&program->insts[i], &h.effects[i]);
    if (ok && ctm_start(program) < program->ninsts) {
        h.in[ctm_start(program)] = (struct state){.reached = true, .result = RESULT_NEVER};
        while (visit_all(&h))
            continue;
        h.out = out;
        visit_all(&h);
    }
    *count += h.count;
    arena_free(&arena);
    return ok;
}

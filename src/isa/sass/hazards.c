/* Hazards: registers and predicates that are used before they are ready, by the control bits of the code.
 *
 * Results of fixed latency must be as many cycles old as effects.c says, counted along the stalls; a branch that is
 * taken takes longer than any of them. Results of unknown latency, and sources that an instruction may still have to
 * read, belong to a scoreboard and must have been waited for. Both are followed for the lanes in which the instruction
 * ran: what was written under @P0 is not pending under @!P0, nor where a branch by P0 was not taken, until P0 is
 * written again. What became false together with a guard is known to be false there: after `@!P1 R2P PR, RZ, 0x78` what
 * runs under P3 does not run where P1 is false.
 *
 * Named choices: what goes to one unit (shared memory and shuffles; global memory, surfaces and textures; conversions
 * and special functions; doubles; the rest) finishes in order, so a result without a scoreboard is covered by any later
 * one of its unit that has one, and a later result of the unit may be written over an earlier one (docs/sass.md,
 * Hazards; ptxas relies on both); CS2R and the rest are taken to be ready; a source without any scoreboard is taken to
 * have been read in time; DEPBAR.LE SBn, k waits for all but the last k that were given SBn. */
#include "isa/sass/hazards.h"
#include "base/bitset.h"
#include "base/hard.h"
#include "isa/sass/lines.h"

#include <stdio.h>
#include <string.h>

enum {
    NO_LANES_LIMIT = 8, /* conditions kept apart for one place; more are taken for all lanes */
    UNIT_SHARED = 1,    /* shared memory and shuffles */
    UNIT_GLOBAL = 2,    /* global and local memory, surfaces, textures */
    UNIT_SPECIAL = 4,   /* conversions and special functions */
    UNIT_DOUBLE = 8,
};

/* The unit that an instruction of unknown latency goes to. */
static uint8_t unit_of(const struct sass_insn *insn)
{
    const uint64_t global = SASS_IS_GLOBAL | SASS_IS_LOCAL | SASS_IS_GENERIC | SASS_IS_SURFACE | SASS_IS_TEXTURE;
    uint64_t class = insn->form ? insn->form->row->flags : 0;
    return class & (SASS_IS_SHARED | SASS_IS_SHUFFLE)    ? UNIT_SHARED
           : class & global                              ? UNIT_GLOBAL
           : class & (SASS_IS_SPECIAL | SASS_IS_CONVERT) ? UNIT_SPECIAL
           : class & SASS_IS_DOUBLE                      ? UNIT_DOUBLE
                                                         : 0;
}

static bool touches(const uint64_t set[4], unsigned pred, unsigned place)
{
    return place < HAZARD_REGISTERS ? bitset_has(set, place) : (pred >> (place - HAZARD_REGISTERS) & 1) != 0;
}

static bool reads(const struct sass_effects *e, unsigned place)
{
    return touches(e->reads, e->pred_reads, place);
}

static bool writes(const struct sass_effects *e, unsigned place)
{
    return touches(e->writes, e->pred_writes, place);
}

/* ---- reports ----------------------------------------------------------------------------------------- */

enum { NAME = 16 };

static void place_name(unsigned place, char name[NAME])
{
    if (place < HAZARD_REGISTERS)
        snprintf(name, NAME, "R%u", place);
    else if (place == HAZARD_REGISTERS + SASS_CC)
        strcpy(name, "CC");
    else
        snprintf(name, NAME, "P%u", place - HAZARD_REGISTERS);
}

static unsigned lowest(unsigned mask)
{
    unsigned n = 0;
    while (!(mask >> n & 1))
        n++;
    return n;
}

static void report(struct hazard_checker *c, size_t index, const struct hazard *h, bool read)
{
    char name[NAME], text[ISA_TEXT];
    const struct sass_insn *insn = &c->code->insns[index];
    if (!c->reporting)
        return;
    c->found++;
    place_name(h->place, name);
    struct lane_line from = sass_lines_find(c->lines, c->section, sass_address(index));
    if (from.source) {
        lane_source_print(from.source, c->report);
        text_puts(c->report, ", ");
    }
    isa_print(c->code->table, insn->form, &insn->word, sass_address(index), text);
    text_printf(c->report, "%s+0x%04llx: %s: %s ", c->name, (unsigned long long)sass_address(index), text, name);
    const char *done = read ? "is read" : "is overwritten";
    if (h->kind == HAZARD_FIXED)
        text_printf(c->report, "is ready %u cycles later (written at 0x%04x)", h->ready - c->state.now,
                    (unsigned)sass_address(h->writer));
    else if (h->kind == HAZARD_SOURCE)
        text_printf(c->report, "is overwritten before it has been read: scoreboard %u is not waited for",
                    lowest(h->boards));
    else if (h->boards)
        text_printf(c->report, "%s before its result: scoreboard %u is not waited for", done, lowest(h->boards));
    else
        text_printf(c->report, "%s while its result is pending without a scoreboard", done);
    text_puts(c->report, "\n");
}

/* ---- the state --------------------------------------------------------------------------------------- */

static void drop(struct hazard_state *s, unsigned i)
{
    s->items[i] = s->items[--s->count];
}

static bool is_inside(struct hazard_lanes part, struct hazard_lanes whole)
{
    return !(whole.on & ~part.on) && !(whole.off & ~part.off);
}

/* Whether `old` is released by the same things as `item`, which then need only make it younger or later. */
static bool is_same(const struct hazard *old, const struct hazard *item)
{
    return old->place == item->place && old->kind == item->kind && old->boards == item->boards &&
           old->unit == item->unit && old->open == item->open;
}

static bool join(struct hazard *old, const struct hazard *item)
{
    bool changed = false;
    for (unsigned b = 0; b < SASS_SCOREBOARDS; b++)
        if (item->age[b] < old->age[b]) {
            old->age[b] = item->age[b];
            changed = true;
        }
    if (item->ready > old->ready) {
        old->ready = item->ready;
        old->writer = item->writer;
        changed = true;
    }
    return changed;
}

bool hazard_add(struct hazard_checker *c, struct hazard_state *s, const struct hazard *item)
{
    unsigned alike = 0;
    struct hazard added = *item;
    for (unsigned i = 0; i < s->count; i++) {
        struct hazard *old = &s->items[i];
        if (!is_same(old, item))
            continue;
        if (is_inside(item->lanes, old->lanes))
            return join(old, item);
        alike++;
    }
    if (alike >= NO_LANES_LIMIT)
        added.lanes = (struct hazard_lanes){0, 0};
    if (s->count == s->room) {
        unsigned room = s->room ? 2 * s->room : HARD(32, 1);
        struct hazard *grown = arena_grow(&c->arena, s->items, s->count, room, sizeof *grown);
        if (!grown) {
            c->failed = true;
            return false;
        }
        s->items = grown;
        s->room = room;
    }
    s->items[s->count++] = added;
    return true;
}

/* Scoreboards that are waited for; only what `least` later instructions were given them, too. */
static void wait(struct hazard_state *s, unsigned mask, unsigned least)
{
    for (unsigned i = 0; mask && i < s->count;) {
        const struct hazard *h = &s->items[i];
        bool done = false;
        for (unsigned b = 0; b < SASS_SCOREBOARDS; b++)
            done |= h->boards & mask & 1u << b && h->age[b] >= least;
        if (done)
            drop(s, i);
        else
            i++;
    }
}

/* DEPBAR {5,4}  or  DEPBAR.LE SB5, 0x2 */
static void wait_depbar(const struct hazard_checker *c, struct hazard_state *s, const struct sass_insn *insn)
{
    const struct isa_table *table = c->code->table;
    const struct isa_element *boards = insn->form ? isa_role(table, insn->form, SASS_ROLE_boards) : NULL;
    if (!boards)
        return;
    wait(s, (unsigned)isa_get(&insn->word, &boards->field), 0);
    const struct isa_element *count = isa_role(table, insn->form, SASS_ROLE_count);
    if (count)
        wait(s, 1u << isa_value(table, insn->form, &insn->word, SASS_ROLE_scoreboard, 0),
             (unsigned)isa_get(&insn->word, &count->field));
}

/* A scoreboard is given: what has it is one older; what its unit does before tells by it, too: sources have been read,
 * and of a result those without a scoreboard of their own. */
static void board_given(struct hazard_state *s, unsigned bit, unsigned unit, bool result)
{
    unsigned board = lowest(bit);
    for (unsigned i = 0; i < s->count; i++) {
        struct hazard *h = &s->items[i];
        if (h->boards & bit)
            h->age[board] = (uint8_t)(h->age[board] + (h->age[board] < UINT8_MAX));
        if (h->unit & unit && (h->kind == HAZARD_SOURCE || (result && h->open)) && !(h->boards & bit)) {
            h->boards |= (uint8_t)bit;
            h->age[board] = 0;
        }
    }
}

/* ---- one instruction --------------------------------------------------------------------------------- */

struct hazard_lanes hazard_guard(const struct hazard_checker *c, size_t index)
{
    const struct sass_insn *insn = &c->code->insns[index];
    struct hazard_lanes lanes = {0, 0};
    unsigned guard = insn->form ? sass_guard(c->code->table, insn->form, &insn->word) : 7, p = guard & 7;
    if (p < 7)
        *(guard > 7 ? &lanes.off : &lanes.on) = (uint8_t)(1u << p);
    return lanes;
}

/* Where P3 is true P1 is, too: so P3 is false where P1 is. */
struct hazard_lanes hazard_known(const struct hazard_state *s, struct hazard_lanes lanes)
{
    struct hazard_lanes known = lanes;
    for (unsigned p = 0; p < HAZARD_PREDICATES; p++) {
        if (lanes.on >> p & 1)
            known = hazard_both(known, s->with[p]);
        if (!hazard_meet(lanes, s->with[p]))
            known.off |= (uint8_t)(1u << p);
    }
    return known;
}

/* R2P PR, RZ, mask: these predicates become false. The mask is a number; one in a register may name fewer. */
static bool is_clearing(const struct isa_table *table, const struct sass_insn *insn)
{
    if (!insn->form || !isa_all(insn->form, SASS_MOVES_PREDICATES) || insn->form->role[SASS_ROLE_Rd])
        return false;
    return insn->form->role[SASS_ROLE_mask] &&
           isa_number(isa_role(table, insn->form, SASS_ROLE_Ra), &insn->word) == HAZARD_REGISTERS;
}

struct step {
    struct hazard_checker *c;
    size_t index;
    const struct sass_effects *e;
    struct hazard_lanes lanes; /* in which it runs */
    struct hazard_lanes known; /* the same, with what else is known of them */
    bool clears;               /* the predicates that it writes become false */
    uint8_t guard;             /* predicate, a bit */
    uint8_t unit;
    uint8_t wr, rd; /* scoreboards, a bit or 0 */
};

/* Whether a use of an item's place comes too early. */
static bool is_early(const struct step *p, const struct hazard *h, bool read, bool write)
{
    const struct hazard_state *s = &p->c->state;
    if (h->kind == HAZARD_FIXED)
        return read && h->ready > s->now + (h->place < HAZARD_REGISTERS ? p->e->late : 0u);
    bool in_order = h->unit & p->unit;
    if (h->kind == HAZARD_SOURCE)
        return write && !in_order;
    return read || (write && !in_order);
}

static void check(const struct step *p)
{
    struct hazard_state *s = &p->c->state;
    for (unsigned i = 0; i < s->count;) {
        struct hazard h = s->items[i];
        bool guard = h.place >= HAZARD_REGISTERS && p->guard >> (h.place - HAZARD_REGISTERS) & 1;
        bool meets = hazard_meet(h.lanes, guard ? s->lanes : p->known);
        bool read = reads(p->e, h.place);
        if (meets && is_early(p, &h, read, writes(p->e, h.place))) {
            report(p->c, p->index, &h, read);
            drop(s, i); /* said once */
        } else
            i++;
    }
}

/* What the instruction writes is not pending from before in the lanes in which it runs. In the others a result of fixed
 * latency is ready, too, when the instruction's scoreboard has been waited for: ptxas writes `MOV R0, RZ; @P0 LDG R0`,
 * waits and takes R0 for ready. */
static void overwrite(const struct step *p)
{
    struct hazard_state *s = &p->c->state;
    struct hazard_lanes guard = hazard_guard(p->c, p->index);
    for (unsigned i = 0; i < s->count;) {
        struct hazard *h = &s->items[i];
        bool over = h->kind != HAZARD_SOURCE && writes(p->e, h->place);
        if (over && is_inside(hazard_both(h->lanes, s->lanes), p->lanes)) {
            drop(s, i);
            continue;
        }
        struct hazard_lanes rest = hazard_both(h->lanes, (struct hazard_lanes){guard.off, guard.on});
        if (over && hazard_meet(rest, rest))
            h->lanes = rest;
        if (over && h->kind == HAZARD_FIXED && p->e->variable) {
            h->boards = p->wr;
            h->unit = p->unit;
            h->open = !p->wr;
        }
        i++;
    }
}

static void add_places(const struct step *p, struct hazard h, const uint64_t set[4], unsigned preds)
{
    for (unsigned k = 0; k < 5; k++)
        for (uint64_t rest = k < 4 ? set[k] : preds; rest; rest &= rest - 1) {
            unsigned n = (unsigned)__builtin_ctzll(rest);
            h.place = (uint16_t)(k < 4 ? 64 * k + n : HAZARD_REGISTERS + n);
            hazard_add(p->c, &p->c->state, &h);
        }
}

/* Whoever has its result has read its sources: either scoreboard will do. Predicates are read when it issues. */
static void add_pending(const struct step *p)
{
    struct hazard h = {.lanes = p->known, .unit = p->unit};
    if (p->wr)
        board_given(&p->c->state, p->wr, p->unit, true);
    if (p->rd && p->rd != p->wr)
        board_given(&p->c->state, p->rd, p->unit, false);
    h.kind = HAZARD_RESULT;
    h.boards = p->wr;
    h.open = !p->wr;
    if (p->wr || p->unit) /* what has neither is taken to be ready */
        add_places(p, h, p->e->writes, p->e->pred_writes);
    h.kind = HAZARD_SOURCE;
    h.boards = p->wr | p->rd;
    h.open = false;
    if (p->rd)
        add_places(p, h, p->e->reads, 0);
}

static void add_fixed(const struct step *p)
{
    static const uint64_t none[4];
    const uint8_t cc = 1u << SASS_CC;
    struct hazard h = {.kind = HAZARD_FIXED, .lanes = p->known, .writer = (uint32_t)p->index};
    uint8_t same = p->clears ? hazard_guard(p->c, p->index).off : 0; /* was false there before */
    h.ready = p->c->state.now + p->e->latency;
    add_places(p, h, p->e->writes, p->e->pred_writes & cc);
    h.ready = p->c->state.now + p->e->pred_latency;
    add_places(p, h, none, p->e->pred_writes & ~cc & ~same & 0xffu);
}

/* What is known of other predicates where one is true. A predicate that is written under a guard is true where it was,
 * or where the guard holds; one that becomes false there is true only elsewhere. */
static void learn(const struct step *p)
{
    struct hazard_state *s = &p->c->state;
    struct hazard_lanes guard = hazard_guard(p->c, p->index);
    uint8_t written = p->e->pred_writes & 0x7f;
    if (p->clears) /* where it was false before nothing changes */
        written &= (uint8_t)~guard.off;
    if ((guard.on | guard.off) & written)
        guard = (struct hazard_lanes){0, 0};
    for (unsigned n = 0; n < HAZARD_PREDICATES; n++) {
        struct hazard_lanes *with = &s->with[n];
        if (written >> n & 1 && p->clears)
            *with = hazard_both(*with, (struct hazard_lanes){guard.off, guard.on});
        else if (written >> n & 1)
            *with = (struct hazard_lanes){with->on & guard.on, with->off & guard.off};
        with->on &= (uint8_t)~written;
        with->off &= (uint8_t)~written;
    }
}

/* Predicates that have been written no longer tell the lanes of what was pending - but in lanes that kept theirs. */
static void forget(const struct step *p)
{
    struct hazard_state *s = &p->c->state;
    struct hazard_lanes guard = hazard_guard(p->c, p->index);
    uint8_t keep = (uint8_t)~p->e->pred_writes;
    if (!(p->e->pred_writes & 0x7f))
        return;
    for (unsigned i = 0; i <= s->count; i++) {
        struct hazard_lanes *lanes = i < s->count ? &s->items[i].lanes : &s->lanes;
        if (hazard_meet(*lanes, guard))
            *lanes = (struct hazard_lanes){lanes->on & keep, lanes->off & keep};
    }
}

static uint8_t board_bit(unsigned control, unsigned at)
{
    unsigned board = control >> at & 7;
    return board < SASS_SCOREBOARDS ? (uint8_t)(1u << board) : 0;
}

static void pass(struct hazard_state *s, unsigned cycles)
{
    s->now += cycles;
    for (unsigned i = 0; i < s->count;)
        if (s->items[i].kind == HAZARD_FIXED && s->items[i].ready <= s->now)
            drop(s, i);
        else
            i++;
}

void hazard_step(struct hazard_checker *c, size_t index)
{
    const struct sass_insn *insn = &c->code->insns[index];
    unsigned control = (unsigned)insn->word.part[1];
    struct hazard_lanes guard = hazard_guard(c, index);
    if (!insn->form)
        return;
    struct step p = {.c = c, .index = index, .e = &c->effects[index], .lanes = hazard_both(c->state.lanes, guard)};
    p.known = hazard_known(&c->state, p.lanes);
    p.clears = is_clearing(c->code->table, insn);
    p.guard = guard.on | guard.off;
    p.unit = unit_of(insn);
    p.wr = board_bit(control, SASS_WR);
    p.rd = board_bit(control, SASS_RD);
    wait(&c->state, control >> SASS_WAIT & 63, 0);
    wait_depbar(c, &c->state, insn);
    if (hazard_meet(p.lanes, p.lanes)) {
        check(&p);
        overwrite(&p);
        if (p.e->variable)
            add_pending(&p);
        else
            add_fixed(&p);
        forget(&p);
        learn(&p);
    }
    pass(&c->state, control & 15);
}

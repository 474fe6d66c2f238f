/* Hazards: registers and predicates that are used before they are ready, by the control bits of the code.
 *
 * Two kinds. Results of fixed latency must be as many cycles old as effects.c says: counted along the stalls, within a
 * basic block (a branch takes longer than any of them). Results of unknown latency, and sources that an instruction may
 * still have to read, belong to a scoreboard and must have been waited for: followed through the flow graph to a
 * fixpoint, a register being pending when it is on any path.
 *
 * Named choices: what goes to one unit (shared memory and shuffles; global memory, surfaces and textures; conversions
 * and special functions; the rest) finishes in order, so a result without a scoreboard is covered by any later one of
 * its unit that has one (facts: sass.md section 2; ptxas relies on it); CS2R and the rest are taken to be ready; a
 * source without any scoreboard is taken to have been read in time, and what textures read is not followed; DEPBAR.LE
 * SBn, k waits for all but the last k that were given SBn; calls, returns and indirect branches end what is known. */
#include "isa/sass/code.h"

#include <stdio.h>
#include <string.h>

enum {
    REGISTERS = 255,
    PREDICATES = 8,
    PLACES = REGISTERS + PREDICATES,
    BOARDS = (1 << SASS_SCOREBOARDS) - 1,
    OPEN_SHARED = 1 << 6,  /* no scoreboard of its own: any later one of the same unit will do; shared memory */
    OPEN_GLOBAL = 1 << 7,  /* ... global and local memory, surfaces, textures */
    OPEN_SPECIAL = 1 << 8, /* ... conversions and special functions */
    OPEN = OPEN_SHARED | OPEN_GLOBAL | OPEN_SPECIAL,
};

/* What a register or predicate (index REGISTERS + p) waits for: bits of scoreboards, and OPEN; of a read, its unit. */
struct state {
    uint16_t write[PLACES];
    uint16_t read[PLACES];
    uint8_t age[PLACES]; /* how many later instructions have used the scoreboard */
};

struct block {
    size_t first, end; /* instructions */
    size_t next[2];    /* blocks; SIZE_MAX = none */
    struct state *in;
    bool reached, queued;
};

struct checker {
    const struct sass_code *code;
    const char *name;
    struct text *report;
    struct arena arena;
    struct sass_effects *effects;
    struct block *blocks;
    size_t nblocks, *block_of; /* of instructions */
    uint64_t ready[PLACES];    /* cycle at which a fixed result is ready */
    uint32_t writer[PLACES];
    uint64_t now;
    unsigned found;
    bool reporting;
};

static bool touches(const uint64_t set[4], unsigned pred, unsigned place)
{
    return place < REGISTERS ? (set[place / 64] >> place % 64 & 1) != 0 : (pred >> (place - REGISTERS) & 1) != 0;
}

static bool reads(const struct sass_effects *e, unsigned place)
{
    return touches(e->reads, e->pred_reads, place);
}

static bool writes(const struct sass_effects *e, unsigned place)
{
    return touches(e->writes, e->pred_writes, place);
}

static bool is(const struct sass_insn *insn, const char *mnemonics)
{
    return insn->form && isa_is(insn->form, mnemonics);
}

/* The unit that an instruction of unknown latency goes to, as a bit of OPEN. */
static unsigned unit_of(const struct sass_insn *insn)
{
    static const char global[] =
        "LD LDG LDL ST STG STL ATOM RED SULD SUST SURED SUATOM TEX TEXS TLD TLDS TLD4 TLD4S TXD TXQ";
    return is(insn, "LDS STS ATOMS SHFL")              ? OPEN_SHARED
           : is(insn, global)                          ? OPEN_GLOBAL
           : is(insn, "MUFU I2I I2F F2I F2F POPC FLO") ? OPEN_SPECIAL
                                                       : 0u;
}

/* ---- reports ----------------------------------------------------------------------------------------- */

enum { NAME = 16 };

static void place_name(unsigned place, char name[NAME])
{
    if (place < REGISTERS)
        snprintf(name, NAME, "R%u", place);
    else if (place == REGISTERS + SASS_CC)
        strcpy(name, "CC");
    else
        snprintf(name, NAME, "P%u", place - REGISTERS);
}

static void report(struct checker *c, size_t index, unsigned place, const char *format, unsigned a, unsigned b)
{
    char name[NAME], text[ISA_TEXT];
    const struct sass_insn *insn = &c->code->insns[index];
    if (!c->reporting)
        return;
    c->found++;
    place_name(place, name);
    isa_print(c->code->table, insn->form, &insn->word, sass_address(index), text);
    text_printf(c->report, "%s+0x%04llx: %s: %s ", c->name, (unsigned long long)sass_address(index), text, name);
    text_printf(c->report, format, a, b); // NOLINT: formats are those below
    text_puts(c->report, "\n");
}

/* ---- one instruction --------------------------------------------------------------------------------- */

static unsigned lowest(unsigned mask)
{
    unsigned n = 0;
    while (!(mask >> n & 1))
        n++;
    return n;
}

static void check_boards(struct checker *c, struct state *s, size_t index, unsigned place, bool read, bool write)
{
    unsigned pending = s->write[place], reading = s->read[place];
    if (reading & unit_of(&c->code->insns[index]))
        reading = 0; /* in order: its sources are read, and its result is there, later */
    if (!read && pending & OPEN & unit_of(&c->code->insns[index]))
        return; /* in order */
    const char *done = read ? "is read" : "is overwritten";
    char format[100];
    if (pending & OPEN && !(pending & BOARDS))
        snprintf(format, sizeof format, "%s while its result is pending without a scoreboard", done);
    else if (pending)
        snprintf(format, sizeof format, "%s before its result: scoreboard %%u is not waited for", done);
    else if (write && reading)
        snprintf(format, sizeof format, "is overwritten before it has been read: scoreboard %%u is not waited for");
    else
        return;
    report(c, index, place, format, pending & BOARDS ? lowest(pending) : reading ? lowest(reading) : 0, 0);
    s->write[place] = s->read[place] = 0; /* said once */
}

static void check_fixed(struct checker *c, size_t index, unsigned place)
{
    if (c->ready[place] <= c->now + (place < REGISTERS ? c->effects[index].late : 0u))
        return;
    report(c, index, place, "is ready %u cycles later (written at 0x%04x)", (unsigned)(c->ready[place] - c->now),
           (unsigned)sass_address(c->writer[place]));
    c->ready[place] = 0;
}

static void wait(struct state *s, unsigned mask, unsigned least_age)
{
    if (!mask)
        return;
    for (unsigned p = 0; p < PLACES; p++) {
        if (s->age[p] < least_age)
            continue;
        s->write[p] = (uint16_t)(s->write[p] & OPEN && s->write[p] & mask ? 0u : s->write[p] & ~mask);
        if (s->read[p] & mask)
            s->read[p] = 0;
    }
}

/* DEPBAR {5,4}  or  DEPBAR.LE SB5, 0x2 (facts: sass.md section 7: set 0-5, count 20-25, SB 26-28, LE 29) */
static void wait_depbar(const struct checker *c, struct state *s, size_t index)
{
    const struct sass_insn *insn = &c->code->insns[index];
    uint64_t word = insn->word.part[0];
    if (!is(insn, "DEPBAR"))
        return;
    wait(s, (unsigned)word & 63, 0);
    if (word >> 29 & 1)
        wait(s, 1u << (word >> 26 & 7), (unsigned)(word >> 20) & 63);
}

/* A scoreboard is given: what waits for any of its unit gets it, what has it is one older. */
static void board_given(struct state *s, unsigned board, unsigned unit)
{
    for (unsigned p = 0; p < PLACES; p++) {
        if ((s->write[p] | s->read[p]) >> board & 1 && s->age[p] < UINT8_MAX)
            s->age[p]++;
        if (s->write[p] & unit) {
            if (!(s->write[p] & BOARDS))
                s->age[p] = 0;
            s->write[p] = (uint16_t)(s->write[p] | 1u << board);
        }
    }
}

static void set_pending(struct checker *c, struct state *s, size_t index)
{
    const struct sass_effects *e = &c->effects[index];
    unsigned control = (unsigned)c->code->insns[index].word.part[1];
    unsigned wr = control >> SASS_WR & 7, rd = control >> SASS_RD & 7;
    unsigned unit = unit_of(&c->code->insns[index]);
    if (wr < SASS_SCOREBOARDS)
        board_given(s, wr, unit);
    if (rd < SASS_SCOREBOARDS && rd != wr)
        board_given(s, rd, 0);
    for (unsigned p = 0; p < PLACES; p++) {
        if (writes(e, p)) {
            s->write[p] = (uint16_t)(wr < SASS_SCOREBOARDS ? 1u << wr : unit);
            s->age[p] = 0;
        }
        /* Whoever has its result has read its sources: either scoreboard will do. The last reader counts: sources are
         * read in order. Predicates are read when the instruction issues. */
        if (p < REGISTERS && reads(e, p) && !e->vague && rd < SASS_SCOREBOARDS) {
            s->read[p] = (uint16_t)(1u << rd | (wr < SASS_SCOREBOARDS ? 1u << wr : 0u) | unit);
            s->age[p] = 0;
        }
    }
}

static void step(struct checker *c, struct state *s, size_t index)
{
    const struct sass_effects *e = &c->effects[index];
    unsigned control = (unsigned)c->code->insns[index].word.part[1];
    if (!c->code->insns[index].form)
        return;
    wait(s, control >> SASS_WAIT & 63, 0);
    wait_depbar(c, s, index);
    for (unsigned p = 0; p < PLACES; p++) {
        bool read = !e->vague && reads(e, p), write = writes(e, p);
        if (read || write)
            check_boards(c, s, index, p, read, write);
        if (read)
            check_fixed(c, index, p);
    }
    if (e->variable)
        set_pending(c, s, index);
    for (unsigned p = 0; p < PLACES; p++)
        if (writes(e, p)) {
            c->ready[p] =
                e->variable ? 0 : c->now + (p < REGISTERS || p == REGISTERS + SASS_CC ? e->latency : e->pred_latency);
            c->writer[p] = (uint32_t)index;
        }
    c->now += control & 15;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static bool is_guarded(const struct sass_insn *insn)
{
    return (insn->word.part[0] >> 16 & 15) != 7 || (insn->word.part[0] & 31) != 15;
}

static const char ends[] = "EXIT RET BRX JMP JMX BRK CONT SYNC KIL LONGJMP";

/* The instruction that a branch names; the code's count when none. */
static size_t branch_target(const struct sass_code *code, size_t index)
{
    struct isa_operand operands[8];
    const struct sass_insn *insn = &code->insns[index];
    unsigned n = insn->form ? isa_operands(code->table, insn->form, &insn->word, sass_address(index), operands, 8) : 0;
    for (unsigned i = 0; i < n && i < 8; i++)
        if (operands[i].kind == ISA_TARGET && sass_index_of((uint64_t)operands[i].value) < code->count)
            return (size_t)sass_index_of((uint64_t)operands[i].value);
    return code->count;
}

static bool blocks_find(struct checker *c)
{
    const struct sass_code *code = c->code;
    bool *starts = arena_array(&c->arena, code->count + 1, sizeof *starts);
    c->block_of = arena_array(&c->arena, code->count + 1, sizeof *c->block_of);
    if (!starts || !c->block_of)
        return false;
    starts[0] = true;
    for (size_t i = 0; i < code->count; i++)
        if (c->effects[i].flow) {
            starts[branch_target(code, i)] = true; /* also where SSY and its like point to */
            if (!is(&code->insns[i], "SSY PBK PCNT PRET SAM RAM"))
                starts[i + 1] = true;
        }
    for (size_t i = 0; i < code->count; i++)
        c->nblocks += starts[i];
    c->blocks = arena_array(&c->arena, c->nblocks, sizeof *c->blocks);
    if (!c->blocks)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < code->count; i++) {
        if (starts[i])
            c->blocks[n++].first = i;
        c->block_of[i] = n - 1;
        c->blocks[n - 1].end = i + 1;
    }
    return true;
}

static void blocks_join(struct checker *c)
{
    const struct sass_code *code = c->code;
    for (size_t b = 0; b < c->nblocks; b++) {
        struct block *block = &c->blocks[b];
        const struct sass_insn *last = &code->insns[block->end - 1];
        bool falls = block->end < code->count, jump = is(last, "BRA");
        if ((jump || is(last, ends)) && !is_guarded(last))
            falls = false;
        size_t target = jump ? branch_target(code, block->end - 1) : code->count;
        block->next[0] = falls && !is(last, "CAL JCAL") ? b + 1 : SIZE_MAX;
        block->next[1] = target < code->count ? c->block_of[target] : SIZE_MAX;
    }
}

/* Takes the pending marks of `from` over; whether there were new ones. */
static bool state_join(struct state *to, const struct state *from)
{
    bool changed = false;
    for (unsigned p = 0; p < PLACES; p++) {
        uint16_t write = to->write[p] | from->write[p];
        uint16_t read = (uint16_t)(to->read[p] | from->read[p]);
        changed |= write != to->write[p] || read != to->read[p];
        if ((from->write[p] | from->read[p]) && (!(to->write[p] | to->read[p]) || from->age[p] < to->age[p])) {
            to->age[p] = from->age[p];
            changed = true;
        }
        to->write[p] = write;
        to->read[p] = read;
    }
    return changed;
}

static void block_run(struct checker *c, const struct block *block, struct state *state)
{
    c->now = 0;
    memset(c->ready, 0, sizeof c->ready);
    for (size_t i = block->first; i < block->end; i++)
        step(c, state, i);
}

static bool flow(struct checker *c)
{
    size_t *queue = arena_array(&c->arena, c->nblocks + 1, sizeof *queue), head = 0, held = 0;
    if (!queue)
        return false;
    for (size_t b = 0; b < c->nblocks; b++) {
        c->blocks[b].in = arena_alloc(&c->arena, sizeof *c->blocks[b].in);
        if (!c->blocks[b].in)
            return false;
        queue[held++] = b;
        c->blocks[b].queued = true;
    }
    while (held) {
        struct block *block = &c->blocks[queue[head]];
        head = (head + 1) % c->nblocks;
        held--;
        block->queued = false;
        struct state state = *block->in;
        block_run(c, block, &state);
        for (unsigned i = 0; i < 2; i++) {
            size_t next = block->next[i];
            if (next == SIZE_MAX || next >= c->nblocks || !state_join(c->blocks[next].in, &state))
                continue;
            if (!c->blocks[next].queued) {
                queue[(head + held++) % c->nblocks] = next;
                c->blocks[next].queued = true;
            }
        }
    }
    return true;
}

static bool check(struct checker *c)
{
    c->effects = arena_array(&c->arena, c->code->count, sizeof *c->effects);
    if (!c->effects)
        return false;
    for (size_t i = 0; i < c->code->count; i++)
        sass_effects(c->code, i, &c->effects[i]);
    if (!blocks_find(c))
        return false;
    blocks_join(c);
    if (!flow(c))
        return false;
    c->reporting = true;
    for (size_t b = 0; b < c->nblocks; b++) {
        struct state state = *c->blocks[b].in;
        block_run(c, &c->blocks[b], &state);
    }
    return true;
}

unsigned sass_hazards(const struct sass_code *code, const char *name, struct text *report_to)
{
    struct checker c = {.code = code, .name = name, .report = report_to};
    if (code->count && !check(&c))
        report_to->failed = true;
    arena_free(&c.arena);
    return c.found;
}

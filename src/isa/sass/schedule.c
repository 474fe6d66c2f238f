/* Control bits for code that has none: correct on any reading of the hardware's rules, and slow.
 *
 * An instruction of unknown latency releases a scoreboard when its result is written (wr) or, without one, when its
 * sources have been read (rd); with both, both. Whatever touches one of its registers or predicates waits: readers and
 * writers of results, writers of sources. Six scoreboards go round; one that is still in use is waited for before it is
 * given again. All other instructions stall 15 cycles, more than any fixed latency. Branches and everything that
 * changes the flow wait for all scoreboards, so that no block needs to know another. */
#include "isa/sass/code.h"

#include <string.h>

enum { ALL = (1 << SASS_SCOREBOARDS) - 1, STALL = 15, NONE = 7 };

struct board {
    uint64_t writes[4], reads[4]; /* registers that will be written, will be read */
    uint8_t pred_writes, pred_reads;
    bool used;
};

struct scheduler {
    struct board boards[SASS_SCOREBOARDS];
    unsigned next;
};

static bool meet(const uint64_t a[4], const uint64_t b[4])
{
    return ((a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3])) != 0;
}

static bool clashes(const struct board *b, const struct sass_effects *e)
{
    return meet(b->writes, e->reads) || meet(b->writes, e->writes) || meet(b->reads, e->writes) ||
           (b->pred_writes & (e->pred_reads | e->pred_writes)) || (b->pred_reads & e->pred_writes);
}

static void board_clear(struct scheduler *s, unsigned mask)
{
    for (unsigned n = 0; n < SASS_SCOREBOARDS; n++)
        if (mask >> n & 1)
            s->boards[n] = (struct board){0};
}

/* A free scoreboard; the next one in turn has to be waited for when none is. */
static unsigned board_take(struct scheduler *s, unsigned *wait)
{
    for (unsigned i = 0; i < SASS_SCOREBOARDS; i++) {
        unsigned n = (s->next + i) % SASS_SCOREBOARDS;
        if (!s->boards[n].used) {
            s->next = (n + 1) % SASS_SCOREBOARDS;
            s->boards[n].used = true;
            return n;
        }
    }
    unsigned n = s->next;
    s->next = (n + 1) % SASS_SCOREBOARDS;
    *wait |= 1u << n;
    s->boards[n] = (struct board){.used = true};
    return n;
}

static bool any(const uint64_t set[4], uint8_t pred)
{
    return (set[0] | set[1] | set[2] | set[3]) != 0 || pred != 0;
}

static void insn_schedule(struct scheduler *s, struct sass_insn *insn, const struct sass_effects *e)
{
    unsigned wait = 0, wr = NONE, rd = NONE;
    for (unsigned n = 0; n < SASS_SCOREBOARDS; n++)
        if (s->boards[n].used && (e->flow || clashes(&s->boards[n], e)))
            wait |= 1u << n;
    board_clear(s, wait);
    if (e->variable && any(e->writes, e->pred_writes)) {
        wr = board_take(s, &wait);
        memcpy(s->boards[wr].writes, e->writes, sizeof e->writes);
        s->boards[wr].pred_writes = e->pred_writes;
    }
    if (e->variable && any(e->reads, e->pred_reads)) {
        rd = board_take(s, &wait);
        memcpy(s->boards[rd].reads, e->reads, sizeof e->reads);
        s->boards[rd].pred_reads = e->pred_reads;
    }
    uint64_t reuse = insn->word.part[1] & (UINT64_C(15) << SASS_REUSE);
    insn->word.part[1] =
        reuse | (uint64_t)wait << SASS_WAIT | (uint64_t)rd << SASS_RD | (uint64_t)wr << SASS_WR | STALL;
    insn->controlled = true;
}

/* What given control bits say about the scoreboards. */
static void insn_follow(struct scheduler *s, const struct sass_insn *insn, const struct sass_effects *e)
{
    unsigned control = (unsigned)insn->word.part[1], wr = control >> SASS_WR & 7, rd = control >> SASS_RD & 7;
    board_clear(s, control >> SASS_WAIT & ALL);
    for (unsigned i = 0; i < 2; i++) {
        unsigned n = i ? rd : wr;
        if (n >= SASS_SCOREBOARDS)
            continue;
        s->boards[n].used = true;
        for (unsigned k = 0; k < 4; k++)
            (i ? s->boards[n].reads : s->boards[n].writes)[k] |= i ? e->reads[k] : e->writes[k];
        if (i)
            s->boards[n].pred_reads |= e->pred_reads;
        else
            s->boards[n].pred_writes |= e->pred_writes;
    }
}

static unsigned highest(const uint64_t set[4])
{
    for (unsigned k = 4; k-- > 0;)
        if (set[k])
            return 64 * k + 64 - (unsigned)__builtin_clzll(set[k]);
    return 0;
}

unsigned sass_schedule(struct sass_code *code)
{
    struct scheduler s = {.next = 0};
    uint64_t touched[4] = {0};
    for (size_t i = 0; i < code->count; i++) {
        struct sass_effects effects;
        sass_effects(code, i, &effects);
        if (code->insns[i].controlled)
            insn_follow(&s, &code->insns[i], &effects);
        else
            insn_schedule(&s, &code->insns[i], &effects);
        for (unsigned k = 0; k < 4; k++)
            touched[k] |= effects.reads[k] | effects.writes[k];
    }
    return highest(touched);
}

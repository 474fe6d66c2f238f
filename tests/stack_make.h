/* Makes random structured programs with tokens. */
#ifndef ATOLL_TESTS_STACK_MAKE_H
#define ATOLL_TESTS_STACK_MAKE_H

#include "lanes_run.h"

enum { TEXT = 1 << 17, LABELS = 4096, FUNCTIONS = 2, LOOPS = 2 };

struct gen {
    char text[TEXT];
    size_t length;
    uint32_t labels, blocks, at[LABELS]; /* of a label: its block */
    uint64_t random;
    uint32_t functions[FUNCTIONS], function; /* labels; number of the function being made, FUNCTIONS: the kernel */
    int loops, budget;
    bool watched; /* what runs together, and in which order, is seen; no jump tables, a function has one caller at most
                   */
    bool called[FUNCTIONS];
};

static inline uint32_t draw(struct gen *g, uint32_t n)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (uint32_t)(g->random >> 33) % n;
}

/* <12> in the text stands for the block of label 12. */
static inline void say(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g->length += (size_t)vsnprintf(g->text + g->length, TEXT - g->length, format, args);
    va_end(args);
    assert_true(g->length < TEXT);
}

static inline uint32_t label(struct gen *g)
{
    assert_true(g->labels < LABELS);
    return g->labels++;
}

static inline void place(struct gen *g, uint32_t l)
{
    g->at[l] = ++g->blocks;
    say(g, "b%u:\n", g->blocks);
}

static inline void next_block(struct gen *g)
{
    place(g, label(g));
}

/* p0: differs from lane to lane. */
static inline void condition(struct gen *g, uint32_t bits)
{
    say(g, "  r2 = shr.b32 r1, %u\n  r2 = and.b32 r2, %u\n  p0 = setp.eq.u32 r2, 0\n", draw(g, 24), bits);
}

static inline void statements(struct gen *g, int depth);

static inline void mix(struct gen *g)
{
    say(g, "  r1 = mul.u32 r1, %u\n  r1 = add.u32 r1, r0\n  r2 = shr.b32 r1, 15\n  r1 = xor.b32 r1, r2\n",
        draw(g, 1u << 30) * 2 + 1);
    if (g->watched)
        say(g, "  r2 = activemask\n  r1 = xor.b32 r1, r2\n  r2 = atom.global.add.u32 [rd1+4096], r1\n"
               "  r1 = add.u32 r1, r2\n");
}

static inline void two_sides(struct gen *g, int depth)
{
    uint32_t end = label(g), other = label(g);
    say(g, "  push.sync <%u>\n", end);
    condition(g, 1);
    if (draw(g, 2)) { /* a guarded pop instead of a branch */
        say(g, "  @p0 pop.sync\n");
        next_block(g);
        statements(g, depth);
    } else {
        say(g, "  @p0 bra <%u>\n", other);
        next_block(g);
        statements(g, depth);
        say(g, "  pop.sync\n");
        place(g, other);
        statements(g, depth);
    }
    say(g, "  pop.sync\n");
    place(g, end);
}

static inline void choice(struct gen *g, int depth)
{
    uint32_t end = label(g), ways[3] = {label(g), label(g), label(g)};
    say(g, "  push.sync <%u>\n  r2 = shr.b32 r1, %u\n  r2 = and.b32 r2, 3\n  brx r2 {<%u>, <%u>, <%u>, <%u>}\n", end,
        draw(g, 24), ways[0], ways[1], ways[2], ways[0]);
    for (int i = 0; i < 3; i++) {
        place(g, ways[i]);
        statements(g, depth);
        say(g, "  pop.sync\n");
    }
    place(g, end);
}

/* Each level of loops has its counter: the kernel's r4 and r5, the functions' r6 and r7. */
static inline void loop(struct gen *g, int depth)
{
    uint32_t head = label(g), end = label(g), more = label(g);
    uint32_t counter = (g->function == FUNCTIONS ? 4 : 6 + g->function) + (uint32_t)g->loops++;
    say(g, "  r%u = and.b32 r1, 7\n  push.break <%u>\n", counter, end);
    place(g, head);
    say(g, "  push.continue <%u>\n  p0 = setp.eq.u32 r%u, 0\n  @p0 pop.break\n", more, counter);
    next_block(g);
    statements(g, depth);
    say(g, "  pop.continue\n");
    place(g, more);
    say(g, "  r%u = sub.u32 r%u, 1\n  bra <%u>\n", counter, counter, head);
    place(g, end);
    g->loops--;
}

static inline void call(struct gen *g)
{
    uint32_t first = g->function == FUNCTIONS ? 0 : g->function + 1; /* no recursion */
    uint32_t which = first + draw(g, FUNCTIONS - first);
    if (g->watched && g->called[which])
        return;
    uint32_t back = label(g);
    g->called[which] = true;
    say(g, "  push.return <%u>\n  bra <%u>\n", back, g->functions[which]);
    place(g, back);
}

/* Some lanes leave: a loop, a turn of it, a function, or for good. */
static inline void leave(struct gen *g)
{
    uint32_t way = draw(g, 8);
    condition(g, way == 0 ? 31 : 3);
    if (way == 0)
        say(g, "  st.global.b32 [rd0], r1\n  @p0 exit\n");
    else if (way < 4 && g->function < FUNCTIONS)
        say(g, "  @p0 pop.return\n");
    else if (g->loops)
        say(g, "  @p0 pop.%s\n", way & 1 ? "break" : "continue");
    else
        return;
    next_block(g);
}

static inline void statements(struct gen *g, int depth)
{
    for (uint32_t n = 1 + draw(g, 3); n-- > 0 && g->budget-- > 0;) {
        mix(g);
        uint32_t what = depth > 0 ? draw(g, 10) : 9;
        bool kernel = g->function == FUNCTIONS;
        if (what < 3)
            two_sides(g, depth - 1);
        else if (what == 3 && !g->watched)
            choice(g, depth - 1);
        else if (what < 6 && g->loops < (kernel ? LOOPS : 1))
            loop(g, depth - 1);
        else if (what == 6 && g->function + 1 != FUNCTIONS)
            call(g);
        else
            leave(g);
    }
}

static inline void generate(struct gen *g, uint64_t seed, bool watched, char *body)
{
    memset(g, 0, sizeof *g);
    g->watched = watched;
    g->random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (int f = 0; f < FUNCTIONS; f++)
        g->functions[f] = label(g);
    g->function = FUNCTIONS;
    g->budget = 40;
    say(g, "  r1 = mul.u32 r0, 0x9e3779b1\n");
    statements(g, 4);
    say(g, "  st.global.b32 [rd0], r1\n  exit\n");
    for (g->function = 0; g->function < FUNCTIONS; g->function++) {
        place(g, g->functions[g->function]);
        g->budget = 12;
        statements(g, 3);
        say(g, "  pop.return\n");
    }
    for (const char *from = g->text; *from; from++)
        if (*from == '<')
            body += sprintf(body, "b%u", g->at[strtoul(from + 1, (char **)(uintptr_t)&from, 10)]);
        else
            *body++ = *from;
    *body = 0;
}

#endif

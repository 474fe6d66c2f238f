/* Messages that move elements of memory for each channel: what registers and memory have afterwards. */
#ifndef ATOLL_TESTS_VISA_MOVES_H
#define ATOLL_TESTS_VISA_MOVES_H

#include "visa_message.h"

struct moves {
    char text[80];
    bool flat, store;
    unsigned bytes, held;      /* of an element in memory, in a register: the rest is 0 */
    unsigned count, deltas[8]; /* elements, and where they lie in memory from a channel's offset on */
    unsigned from;             /* byte of a register's element where memory's begins */
    unsigned scale;            /* not 0: what offsets are multiplied with */
    unsigned side;             /* not 0: elements lie side by side, each channel has so many bytes */
};

static inline unsigned component_of(const struct moves *m, unsigned n)
{
    return n * m->held < 32 ? 32 : n * m->held;
}

static inline void fill(const struct moves *m, struct shot *s)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        uint32_t at = i * 5 % 32 * 64;
        if (at == 1024)
            at = 0x80000000; /* item 9 is there, half outside with more than 2 bytes */
        if (m->count * m->bytes <= 32)
            at += i % 4 * m->bytes;
        s->in[i] = i == 9 ? 1024 - m->deltas[0] : at;
        if (m->flat)
            s->in[i] = i * 5 % 32 * 64;
        s->in[i] /= m->scale ? m->scale : 1;
        s->in[2 * ITEMS + i] = i * 7 % 3;
    }
}

static inline void model(const struct moves *m, const struct shot *s, const struct shot_run *r, unsigned char *want)
{
    shot_begin(r, want);
    for (unsigned item = 0; item < ITEMS; item++) {
        unsigned thread = item / s->simd, lane = item % s->simd, i = lane - s->first;
        if (lane < s->first || i >= s->n || !carries(s, thread, lane))
            continue;
        for (unsigned k = 0; k < m->count; k++) {
            uint64_t at = (uint64_t)s->in[item] * (m->scale ? m->scale : 1) + m->deltas[k];
            unsigned in = m->side ? i * m->side + k * m->bytes : k * component_of(m, s->n) + i * m->held;
            bool inside = m->flat || at + m->bytes <= BOUND;
            unsigned char *d = want + DUMP_AT + thread * FILE_BYTES + in;
            if (m->store && inside)
                memcpy(want + at, r->before + FILE_AT + in + m->from, m->bytes);
            if (!m->store)
                memset(d, 0, m->side ? m->bytes : m->held);
            if (!m->store && inside)
                memcpy(d + m->from, r->before + at, m->bytes);
        }
    }
}

static inline void run_moves(const struct moves *m)
{
    static struct shot_run r;
    static unsigned char want[MEMORY];
    for (unsigned w = 0; w < COUNT(widths); w++)
        for (unsigned who = 0; who < WHOS; who++) {
            struct shot s = {.simd = widths[w].simd,
                             .n = widths[w].n,
                             .first = widths[w].first,
                             .who = (enum who)who,
                             .text = m->text};
            unsigned element = m->side || m->held < 4 ? 0 : m->held;
            s.bytes = m->side ? s.n * m->side : m->count * component_of(m, s.n);
            s.apart = (w + who) % 2 && s.n >= 8 ? element : 0;
            fill(m, &s);
            shoot(&r, &s);
            model(m, &s, &r, want);
            shot_check(&s, &r, want);
        }
}

#endif

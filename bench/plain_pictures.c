/* W9 and W10 in plain C: what programs do with pictures. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

/* ---- W9: 5 x 5 filter -------------------------------------------------------------------------------------------- */

static const int weights[5][5] = {
    {1, 4, 7, 4, 1}, {4, 16, 26, 16, 4}, {7, 26, 41, 26, 7}, {4, 16, 26, 16, 4}, {1, 4, 7, 4, 1},
};

static int clamped(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Near the left and the right edge. */
static void w9_texel(const uint8_t *const rows[5], uint8_t *out, int x, int n)
{
    for (int c = 0; c < 4; c++) {
        int sum = 136;
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 5; k++)
                sum += weights[j][k] * rows[j][4 * clamped(x + k - 2, n) + c];
        out[4 * x + c] = (uint8_t)(sum / 273);
    }
}

static void w9_row(const uint8_t *restrict a, const uint8_t *restrict b, const uint8_t *restrict c,
                   const uint8_t *restrict d, const uint8_t *restrict e, uint8_t *restrict out, int n)
{
    for (int i = 8; i < 4 * (n - 2); i++) {
        int sum = 136;
#pragma GCC unroll 5
        for (int k = 0; k < 5; k++) {
            int at = i + 4 * (k - 2);
            sum += weights[0][k] * a[at] + weights[1][k] * b[at] + weights[2][k] * c[at] + weights[3][k] * d[at] +
                   weights[4][k] * e[at];
        }
        out[i] = (uint8_t)(sum / 273);
    }
}

static void w9_rows(const struct plain *p, int y, const uint8_t *rows[5])
{
    for (int j = 0; j < 5; j++)
        rows[j] = (const uint8_t *)(p->in + (size_t)clamped(y + j - 2, p->n) * (size_t)p->n);
}

static void w9_edges(const uint8_t *const rows[5], uint8_t *out, int n)
{
    for (int x = 0; x < n; x += x == 1 && n > 4 ? n - 3 : 1)
        w9_texel(rows, out, x, n);
}

void plain_w9(struct plain *p)
{
    int n = p->n;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (int y = 0; y < n; y++) {
        const uint8_t *rows[5];
        uint8_t *out = (uint8_t *)(p->out + (size_t)y * (size_t)n);
        w9_rows(p, y, rows);
        w9_row(rows[0], rows[1], rows[2], rows[3], rows[4], out, n);
        w9_edges(rows, out, n);
    }
}

/* Rows 0 and 4, 1 and 3 have the same weights, and so have columns: three sums of a column, each used in two places.
 * They stay below 27286; what they add up to needs 17 bits. */
static void w9_columns(const uint8_t *const rows[5], uint16_t *restrict outer, uint16_t *restrict inner,
                       uint16_t *restrict middle, int n)
{
    const uint8_t *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2], *restrict d = rows[3],
                            *restrict e = rows[4];
    for (int i = 0; i < 4 * n; i++) {
        uint16_t far = (uint16_t)(a[i] + e[i]), near = (uint16_t)(b[i] + d[i]), own = c[i];
        outer[i] = (uint16_t)(far + 4 * near + 7 * own);
        inner[i] = (uint16_t)(4 * far + 16 * near + 26 * own);
        middle[i] = (uint16_t)(7 * far + 26 * near + 41 * own);
    }
}

static void w9_sum(const uint16_t *restrict outer, const uint16_t *restrict inner, const uint16_t *restrict middle,
                   uint8_t *restrict out, int n)
{
    for (int i = 8; i < 4 * (n - 2); i++) {
        uint32_t sum = 136u + outer[i - 8] + outer[i + 8] + inner[i - 4] + inner[i + 4] + middle[i];
        out[i] = (uint8_t)(sum / 273);
    }
}

void plain_w9_best(struct plain *p)
{
    int n = p->n;
#pragma omp parallel num_threads(p->threads)
    {
        uint16_t *sums = malloc(3 * 4 * (size_t)n * sizeof *sums);
        uint16_t *inner = sums + 4 * (size_t)n, *middle = inner + 4 * (size_t)n;
#pragma omp for schedule(static)
        for (int y = 0; y < n; y++) {
            const uint8_t *rows[5];
            uint8_t *out = (uint8_t *)(p->out + (size_t)y * (size_t)n);
            w9_rows(p, y, rows);
            w9_columns(rows, sums, inner, middle, n);
            w9_sum(sums, inner, middle, out, n);
            w9_edges(rows, out, n);
        }
        free(sums);
    }
}

/* ---- W10: connected components ----------------------------------------------------------------------------------- */

#define NONE 0xffffffffu

static uint32_t load(const uint32_t *label)
{
    return __atomic_load_n(label, __ATOMIC_RELAXED);
}

static uint32_t find(const uint32_t *labels, uint32_t i)
{
    uint32_t parent = load(&labels[i]);
    while (parent != i) {
        i = parent;
        parent = load(&labels[i]);
    }
    return i;
}

static uint32_t fetch_min(uint32_t *label, uint32_t value)
{
    uint32_t old = load(label);
    while (old > value && !__atomic_compare_exchange_n(label, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
}

static void unite(uint32_t *labels, uint32_t a, uint32_t b)
{
    a = find(labels, a);
    b = find(labels, b);
    while (a != b) {
        if (a < b) {
            uint32_t c = a;
            a = b;
            b = c;
        }
        uint32_t old = fetch_min(&labels[a], b);
        a = old == a ? b : old;
    }
}

static void w10_init(const uint8_t *picture, uint32_t *labels, size_t n, size_t y)
{
    for (size_t x = 0, i = y * n; x < n; x++, i++) {
        bool top = y > 0 && picture[i - n], left = x > 0 && picture[i - 1];
        labels[i] = !picture[i] ? NONE : (uint32_t)(top ? i - n : left ? i - 1 : i);
    }
}

static void w10_resolve(const uint8_t *picture, uint32_t *labels, size_t n, size_t y)
{
    for (size_t i = y * n; i < (y + 1) * n; i++)
        if (picture[i])
            __atomic_store_n(&labels[i], find(labels, (uint32_t)i), __ATOMIC_RELAXED);
}

static void w10_merge(const uint8_t *picture, uint32_t *labels, size_t n, size_t y)
{
    for (size_t i = y * n + 1; y > 0 && i < (y + 1) * n; i++)
        if (picture[i] && picture[i - 1] && picture[i - n] && !picture[i - n - 1])
            unite(labels, (uint32_t)i, (uint32_t)i - 1);
}

void plain_w10(struct plain *p)
{
    static void (*const passes[])(const uint8_t *, uint32_t *, size_t, size_t) = {w10_init, w10_resolve, w10_merge,
                                                                                  w10_resolve};
    const uint8_t *picture = (const uint8_t *)p->in;
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
#pragma omp parallel for schedule(static) num_threads(p->threads)
        for (int y = 0; y < p->n; y++)
            passes[pass](picture, p->out, (size_t)p->n, (size_t)y);
    }
}

/* The root, to which all on the way are hung. */
static uint32_t root(uint32_t *labels, uint32_t i)
{
    uint32_t top = i;
    while (labels[top] != top)
        top = labels[top];
    while (labels[i] != top) {
        uint32_t next = labels[i];
        labels[i] = top;
        i = next;
    }
    return top;
}

static uint32_t join(uint32_t *labels, uint32_t a, uint32_t b)
{
    a = root(labels, a);
    b = root(labels, b);
    uint32_t low = a < b ? a : b;
    labels[a > b ? a : b] = low;
    return low;
}

/* Rows from `first` to `last`, by one thread. */
static void w10_strip(const uint8_t *picture, uint32_t *labels, size_t n, size_t first, size_t last)
{
    for (size_t y = first; y < last; y++) {
        uint32_t run = NONE; /* label of the pixel to the left */
        bool corner = false; /* the one above that is set */
        for (size_t x = 0, i = y * n; x < n; x++, i++) {
            bool top = y > first && picture[i - n];
            if (!picture[i])
                run = NONE;
            else if (run == NONE)
                run = top ? labels[i - n] : (uint32_t)i;
            else if (top && !corner)
                run = join(labels, run, labels[i - n]);
            labels[i] = run;
            corner = top;
        }
    }
}

/* Strips of rows, one a thread; then their seams; then what each pixel hangs on. */
void plain_w10_best(struct plain *p)
{
    const uint8_t *picture = (const uint8_t *)p->in;
    uint32_t *labels = p->out;
    size_t n = (size_t)p->n, strips = (size_t)p->threads;
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (size_t s = 0; s < strips; s++)
        w10_strip(picture, labels, n, n * s / strips, n * (s + 1) / strips);
    for (size_t s = 1; s < strips; s++)
        for (size_t i = n * s / strips * n, end = i + n; i < end && i >= n; i++)
            if (picture[i] && picture[i - n])
                join(labels, labels[i], labels[i - n]);
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (int y = 0; y < p->n; y++)
        for (size_t i = (size_t)y * n; i < ((size_t)y + 1) * n; i++)
            if (labels[i] != NONE)
                __atomic_store_n(&labels[i], find(labels, (uint32_t)i), __ATOMIC_RELAXED);
}

/* Every atom, red and sured operation, hammered by many threads on several host threads. Nothing is assumed about the
 * order, but that there is one:
 *
 *   atom   An operation leads a word from its old value to a new one. All operations can have happened one by one
 * exactly when these steps are the edges of an Eulerian trail from the first to the last value: each value is left as
 *          often as it is reached (but for the ends), and the edges hang together. For add of 1 this says that each of
 *          0..n-1 is returned once; for exch that what was written and what was found are the same multisets; for cas
 *          that those that succeed form a chain.
 *   red, sured   Operands are such that the last value does not depend on the order; it is computed one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"
#include "base/half.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { BLOCKS = 8 };
#else
enum { BLOCKS = 64 };
#endif
enum {
    THREADS = 64, /* of a block */
    STEPS = 4,    /* operations of a thread */
    COUNT = BLOCKS * THREADS * STEPS,
    WORDS = 32,
    SLOT = 16,   /* bytes of an operand or a result in its array */
    NONZERO = 64 /* one operand in so many of the halves' additions: their sums stay exact in 8 bits */
};

typedef unsigned __int128 wide;

enum kind { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC };

struct row {
    const char *name; /* after atom.global. or sured. */
    enum kind kind;
    char format;       /* of an element: u, s, f(loat of its bits), b(float16) */
    unsigned bits;     /* of an element: what is indivisible */
    unsigned elements; /* of the access */
    unsigned reg_bits; /* of a register, which may hold two halves */
    bool red, shared;  /* has such a form */
};

static const struct row rows[] = {
    {"add.u32", ADD, 'u', 32, 1, 32, true, true},
    {"add.s32", ADD, 's', 32, 1, 32, true, true},
    {"add.u64", ADD, 'u', 64, 1, 64, true, true},
    {"add.f32", ADD, 'f', 32, 1, 32, true, true},
    {"add.f64", ADD, 'f', 64, 1, 64, true, true},
    {"add.noftz.f16", ADD, 'f', 16, 1, 16, true, true},
    {"add.noftz.f16x2", ADD, 'f', 16, 2, 32, true, true},
    {"add.noftz.bf16", ADD, 'b', 16, 1, 16, true, true},
    {"add.noftz.bf16x2", ADD, 'b', 16, 2, 32, true, true},
    {"min.u32", MIN, 'u', 32, 1, 32, true, true},
    {"min.s32", MIN, 's', 32, 1, 32, true, true},
    {"min.u64", MIN, 'u', 64, 1, 64, true, true},
    {"min.s64", MIN, 's', 64, 1, 64, true, true},
    {"max.u32", MAX, 'u', 32, 1, 32, true, true},
    {"max.s32", MAX, 's', 32, 1, 32, true, true},
    {"max.u64", MAX, 'u', 64, 1, 64, true, true},
    {"max.s64", MAX, 's', 64, 1, 64, true, true},
    {"and.b32", AND, 'u', 32, 1, 32, true, true},
    {"and.b64", AND, 'u', 64, 1, 64, true, true},
    {"or.b32", OR, 'u', 32, 1, 32, true, true},
    {"or.b64", OR, 'u', 64, 1, 64, true, true},
    {"xor.b32", XOR, 'u', 32, 1, 32, true, true},
    {"xor.b64", XOR, 'u', 64, 1, 64, true, true},
    {"exch.b32", EXCH, 'u', 32, 1, 32, false, true},
    {"exch.b64", EXCH, 'u', 64, 1, 64, false, true},
    {"exch.b128", EXCH, 'u', 128, 1, 128, false, true},
    {"cas.b16", CAS, 'u', 16, 1, 16, false, true},
    {"cas.b32", CAS, 'u', 32, 1, 32, false, true},
    {"cas.b64", CAS, 'u', 64, 1, 64, false, true},
    {"cas.b128", CAS, 'u', 128, 1, 128, false, true},
    {"inc.u32", INC, 'u', 32, 1, 32, true, true},
    {"dec.u32", DEC, 'u', 32, 1, 32, true, true},
    {"add.v2.f32", ADD, 'f', 32, 2, 32, true, false},
    {"add.v4.f32", ADD, 'f', 32, 4, 32, true, false},
    {"add.noftz.v2.f16", ADD, 'f', 16, 2, 16, true, false},
    {"add.noftz.v4.f16", ADD, 'f', 16, 4, 16, true, false},
    {"add.noftz.v8.f16", ADD, 'f', 16, 8, 16, true, false},
    {"add.noftz.v2.bf16", ADD, 'b', 16, 2, 16, true, false},
    {"add.noftz.v8.bf16", ADD, 'b', 16, 8, 16, true, false},
    {"add.noftz.v2.f16x2", ADD, 'f', 16, 4, 32, true, false},
    {"add.noftz.v4.bf16x2", ADD, 'b', 16, 8, 32, true, false},
    {"min.noftz.v2.f16", MIN, 'f', 16, 2, 16, true, false},
    {"max.noftz.v8.bf16", MAX, 'b', 16, 8, 16, true, false},
    {"max.noftz.v4.f16x2", MAX, 'f', 16, 8, 32, true, false},
};

static const struct row surface_rows[] = {
    {"b.add.2d.u32", ADD, 'u', 32, 1, 32, true, false}, {"b.add.2d.s32", ADD, 's', 32, 1, 32, true, false},
    {"b.add.2d.u64", ADD, 'u', 64, 1, 64, true, false}, {"b.min.2d.u32", MIN, 'u', 32, 1, 32, true, false},
    {"b.min.2d.s32", MIN, 's', 32, 1, 32, true, false}, {"b.min.2d.u64", MIN, 'u', 64, 1, 64, true, false},
    {"b.min.2d.s64", MIN, 's', 64, 1, 64, true, false}, {"b.max.2d.u32", MAX, 'u', 32, 1, 32, true, false},
    {"b.max.2d.s32", MAX, 's', 32, 1, 32, true, false}, {"b.max.2d.u64", MAX, 'u', 64, 1, 64, true, false},
    {"b.max.2d.s64", MAX, 's', 64, 1, 64, true, false}, {"b.and.2d.b32", AND, 'u', 32, 1, 32, true, false},
    {"b.or.2d.b32", OR, 'u', 32, 1, 32, true, false},   {"p.add.2d.b32", ADD, 'u', 32, 1, 32, true, false},
    {"p.and.2d.b32", AND, 'u', 32, 1, 32, true, false}, {"p.or.2d.b32", OR, 'u', 32, 1, 32, true, false},
    {"p.min.2d.b32", MIN, 'u', 32, 1, 32, true, false}, {"p.max.2d.b32", MAX, 's', 32, 1, 32, true, false},
    {"p.min.2d.b64", MIN, 's', 64, 1, 64, true, false}, {"p.max.2d.b64", MAX, 'u', 64, 1, 64, true, false},
};

/* ---- what an operation means ---------------------------------------------------------------------------------- */

static double to_double(const struct row *row, wide v)
{
    if (row->bits == 64)
        return f64_from_bits((uint64_t)v);
    if (row->bits == 32)
        return (double)f32_from_bits((uint32_t)v);
    return (double)(row->format == 'b' ? bf16_to_f32((uint16_t)v) : f16_to_f32((uint16_t)v));
}

static wide from_double(const struct row *row, double v)
{
    if (row->bits == 64)
        return f64_bits(v);
    if (row->bits == 32)
        return f32_bits((float)v);
    return row->format == 'b' ? bf16_from_f32((float)v, HALF_RN) : f16_from_f32((float)v, HALF_RN);
}

static bool less(const struct row *row, wide a, wide b)
{
    if (row->format == 'u')
        return a < b;
    if (row->format == 's' && row->bits == 32)
        return (int32_t)a < (int32_t)b;
    return row->format == 's' ? (int64_t)a < (int64_t)b : to_double(row, a) < to_double(row, b);
}

static wide cut(const struct row *row, wide v)
{
    return row->bits < 128 ? v & (((wide)1 << row->bits) - 1) : v;
}

static wide apply(const struct row *row, wide a, wide b, wide c)
{
    switch (row->kind) {
    case ADD:
        if (row->format == 'u' || row->format == 's')
            return cut(row, a + b);
        return from_double(row, to_double(row, a) + to_double(row, b));
    case MIN:
        return less(row, b, a) ? b : a;
    case MAX:
        return less(row, a, b) ? b : a;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case EXCH:
        return b;
    case CAS:
        return a == b ? c : a;
    case INC:
        return a >= b ? 0 : a + 1;
    default:
        return a == 0 || a > b ? b : a - 1;
    }
}

/* ---- operands --------------------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 11;
}

/* A value that makes the operation interesting; `second` is the new value of cas. */
static wide operand(const struct row *row, uint64_t *random, bool second)
{
    uint64_t r = next(random);
    bool is_float = row->format == 'f' || row->format == 'b';
    if (row->kind == INC || row->kind == DEC)
        return 10;        /* one limit for all: the last value then depends on their number only */
    if (row->kind == CAS) /* few values, so that some succeed; all bits of them differ */
        return cut(row,
                   (r % 3 + second) % 4 * ((wide)UINT64_C(0x5555555555555555) << 64 | UINT64_C(0x5555555555555555)));
    if (row->kind == EXCH)
        return cut(row, (wide)r << 64 | r);
    if (is_float && row->kind == ADD)
        return from_double(row, row->bits == 16 ? (r % NONZERO ? 0 : r & 0x1000 ? 1 : -1) : (double)(int)(r % 17) - 8);
    if (is_float)
        return from_double(row, (double)(int)(r % 201) - 100);
    if (row->kind == AND || row->kind == OR) { /* one bit, now and then */
        wide bit = cut(row, (wide)1 << (r >> 8) % row->bits);
        return row->kind == AND ? cut(row, ~bit) : bit;
    }
    return cut(row, (wide)(r ^ next(random) << 32));
}

/* ---- a run ------------------------------------------------------------------------------------------------ */

/* How threads meet: all at one word; at four words, at random; eight neighbours at one word; side by side. */
enum layout { LAYOUT_ONE, LAYOUT_RANDOM, LAYOUT_EIGHTS, LAYOUT_ROW, LAYOUTS };

struct stress {
    struct atoll_device *device;
    uint64_t words, b, c, where, old;  /* device addresses */
    struct atoll_surface *surfaces[2]; /* r32uint, r32sint */
    unsigned char first[WORDS * SLOT], last[WORDS * SLOT];
    unsigned char b_bytes[COUNT * SLOT], c_bytes[COUNT * SLOT], old_bytes[COUNT * SLOT];
    uint32_t places[COUNT]; /* byte offset of the word of operation i */
    struct atoll_error error;
};

static void must(bool ok, const struct stress *s, const char *what)
{
    if (!ok)
        fail_msg("%s: %u: %s", what, s->error.line, s->error.message);
}

static unsigned access_bytes(const struct row *row)
{
    return row->bits * row->elements / 8;
}

static wide element(const struct row *row, const unsigned char *at, unsigned index)
{
    wide v = 0;
    memcpy(&v, at + index * row->bits / 8, row->bits / 8);
    return v;
}

static void fill(const struct row *row, unsigned char *at, uint64_t *random, bool second)
{
    for (unsigned e = 0; e < row->elements; e++) {
        wide v = operand(row, random, second);
        memcpy(at + e * row->bits / 8, &v, row->bits / 8);
    }
}

static void prepare(struct stress *s, const struct row *row, enum layout layout)
{
    uint64_t random = (uint64_t)(row - rows) * 977 + layout;
    memset(s->first, row->kind == AND ? 0xff : 0, sizeof s->first);
    memset(s->old_bytes, 0xee, sizeof s->old_bytes);
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned word = layout == LAYOUT_ONE      ? 0
                        : layout == LAYOUT_RANDOM ? (unsigned)next(&random) % 4
                        : layout == LAYOUT_EIGHTS ? i / 8 % 4
                                                  : i % WORDS;
        s->places[i] = word * access_bytes(row);
        fill(row, s->b_bytes + i * SLOT, &random, false);
        fill(row, s->c_bytes + i * SLOT, &random, true);
    }
    must(atoll_memory_write(s->device, s->words, s->first, sizeof s->first, &s->error) &&
             atoll_memory_write(s->device, s->b, s->b_bytes, sizeof s->b_bytes, &s->error) &&
             atoll_memory_write(s->device, s->c, s->c_bytes, sizeof s->c_bytes, &s->error) &&
             atoll_memory_write(s->device, s->old, s->old_bytes, sizeof s->old_bytes, &s->error) &&
             atoll_memory_write(s->device, s->where, s->places, sizeof s->places, &s->error) &&
             atoll_surface_write(s->surfaces[0], s->first, sizeof s->first, &s->error) &&
             atoll_surface_write(s->surfaces[1], s->first, sizeof s->first, &s->error),
         s, row->name);
}

/* "%b0" or "{%b0, %b1}" */
static const char *tuple(const struct row *row, char name, char text[80])
{
    unsigned n = access_bytes(row) * 8 / row->reg_bits;
    int at = sprintf(text, n > 1 ? "{" : "");
    for (unsigned i = 0; i < n; i++)
        at += sprintf(text + at, i ? ", %%%c%u" : "%%%c%u", name, i);
    strcpy(text + at, n > 1 ? "}" : "");
    return text;
}

enum form { ATOM, RED, ATOM_SHARED, RED_SHARED, SURED };

static int write_operation(char *text, const struct row *row, enum form form, const char *order)
{
    char b[80], c[80], d[80];
    tuple(row, 'b', b), tuple(row, 'c', c), tuple(row, 'd', d);
    if (form == SURED)
        return sprintf(text, "sured.%s.trap [%%surface, {%%at, %%zero}], %s;\n", row->name, b);
    const char *space = form == ATOM || form == RED ? "global" : "shared";
    const char *word = form == ATOM || form == RED ? "%word" : "%near";
    if (form == RED || form == RED_SHARED)
        return sprintf(text, "red%s.%s.%s [%s], %s;\n", order, space, row->name, word, b);
    return sprintf(text, "atom%s.%s.%s %s, [%s], %s%s%s;\n", order, space, row->name, d, word, b,
                   row->kind == CAS ? ", " : "", row->kind == CAS ? c : "");
}

/* Memory to registers and back: operands lie in slots as the registers lie side by side. */
static int write_moves(char *text, const struct row *row, bool load, char name, const char *address)
{
    int at = 0;
    for (unsigned i = 0; i < access_bytes(row) * 8 / row->reg_bits; i++) {
        unsigned offset = i * row->reg_bits / 8;
        if (load)
            at += sprintf(text + at, "ld.global.b%u %%%c%u, [%s + %u];\n", row->reg_bits, name, i, address, offset);
        else
            at += sprintf(text + at, "st.global.b%u [%s + %u], %%%c%u;\n", row->reg_bits, address, offset, name, i);
    }
    return at;
}

/* Shared words are copied from the words in memory by the first warp, and back at the end. */
static int write_copy(char *text, bool back)
{
    int at = sprintf(text, "%ssetp.ge.u32 %%is, %%me, %d;\n@%%is bra %s;\n", back ? "bar.sync 0;\n" : "", WORDS,
                     back ? "END" : "START");
    at += sprintf(text + at,
                  "mul.lo.u32 %%at, %%me, %d;\nmov.u32 %%near, near_words;\nadd.u32 %%near, %%near, %%at;\n"
                  "cvt.u64.u32 %%word, %%at;\nadd.u64 %%word, %%words, %%word;\n",
                  SLOT);
    for (int i = 0; i < SLOT; i += 8)
        at += sprintf(text + at,
                      back ? "ld.shared.u64 %%wide, [%%near + %d];\nst.global.u64 [%%word + %d], %%wide;\n"
                           : "ld.global.u64 %%wide, [%%word + %d];\nst.shared.u64 [%%near + %d], %%wide;\n",
                      i, i);
    return at + sprintf(text + at, back ? "END:\n" : "START:\nbar.sync 0;\n");
}

static int write_head(char *text, const struct row *row)
{
    return sprintf(
        text,
        ".version 8.3\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 near_words[%d];\n"
        ".visible .entry k(.param .u64 words, .param .u64 b, .param .u64 c, .param .u64 where, .param .u64 old, "
        ".param .u64 surface)\n{\n.reg .b%u %%b<8>, %%c<8>, %%d<8>;\n"
        ".reg .b32 %%me, %%n, %%i, %%at, %%near, %%zero, %%step;\n"
        ".reg .b64 %%words, %%word, %%surface, %%from, %%to, %%wide, %%offset;\n.reg .pred %%is;\n"
        "ld.param.u64 %%words, [words];\nld.param.u64 %%surface, [surface];\nmov.u32 %%zero, 0;\nmov.u32 %%me, "
        "%%tid.x;\n"
        "mov.u32 %%i, %%ctaid.x;\nmov.u32 %%n, %%ntid.x;\nmad.lo.u32 %%i, %%i, %%n, %%me;\n"
        "mov.u32 %%at, %%nctaid.x;\nmul.lo.u32 %%n, %%n, %%at;\nmov.u32 %%step, 0;\n",
        WORDS * SLOT, row->reg_bits);
}

/* Thread t does operations t, t + threads, ...: lanes have neighbours' places. */
static void write_kernel(char *text, const struct row *row, enum form form, const char *order)
{
    bool near = form == ATOM_SHARED || form == RED_SHARED;
    int at = write_head(text, row);
    if (near)
        at += write_copy(text + at, false);
    at += sprintf(text + at,
                  "AGAIN:\nld.param.u64 %%from, [where];\nmul.wide.u32 %%wide, %%i, 4;\n"
                  "add.u64 %%from, %%from, %%wide;\nld.global.u32 %%at, [%%from];\n"
                  "cvt.u64.u32 %%offset, %%at;\nadd.u64 %%word, %%words, %%offset;\n"
                  "mov.u32 %%near, near_words;\nadd.u32 %%near, %%near, %%at;\nmul.wide.u32 %%wide, %%i, %d;\n",
                  SLOT);
    if (row->name[0] == 'p') /* x counts elements */
        at += sprintf(text + at, "div.u32 %%at, %%at, %u;\n", row->bits / 8);
    at += sprintf(text + at, "ld.param.u64 %%from, [b];\nadd.u64 %%from, %%from, %%wide;\n");
    at += write_moves(text + at, row, true, 'b', "%from");
    at += sprintf(text + at, "ld.param.u64 %%from, [c];\nadd.u64 %%from, %%from, %%wide;\n");
    at += write_moves(text + at, row, true, 'c', "%from");
    at += write_operation(text + at, row, form, order);
    if (form == ATOM || form == ATOM_SHARED) {
        at += sprintf(text + at, "ld.param.u64 %%to, [old];\nadd.u64 %%to, %%to, %%wide;\n");
        at += write_moves(text + at, row, false, 'd', "%to");
    }
    at += sprintf(text + at,
                  "add.u32 %%i, %%i, %%n;\nadd.u32 %%step, %%step, 1;\nsetp.lt.u32 %%is, %%step, %d;\n"
                  "@%%is bra AGAIN;\n",
                  near ? COUNT / 512 : STEPS);
    if (near)
        at += write_copy(text + at, true);
    sprintf(text + at, "ret;\n}\n");
}

static void launch(struct stress *s, const struct row *row, enum form form, const char *order)
{
    char text[8192];
    struct atoll_module *module = NULL;
    struct atoll_kernel *kernel = NULL;
    bool near = form == ATOM_SHARED || form == RED_SHARED;
    struct atoll_surface *surface = s->surfaces[row->format == 's'];
    uint64_t arguments[] = {s->words, s->b, s->c, s->where, s->old, atoll_surface_handle(surface)};
    write_kernel(text, row, form, order);
    if (!atoll_module_load(s->device, text, strlen(text), NULL, &module, &s->error))
        fail_msg("%u: %s\n%s", s->error.line, s->error.message, text);
    must(atoll_module_kernel(module, "k", &kernel, &s->error), s, row->name);
    struct atoll_launch_options how = {.grid = {near ? 1 : BLOCKS, 1, 1},
                                       .block = {near ? 512 : THREADS, 1, 1},
                                       .parameters = arguments,
                                       .parameter_bytes = sizeof arguments,
                                       .threads = 4};
    must(atoll_launch(kernel, &how, NULL, NULL, &s->error), s, row->name);
    if (form == SURED)
        must(atoll_surface_read(surface, s->last, sizeof s->last, &s->error), s, row->name);
    else
        must(atoll_memory_read(s->device, s->words, s->last, sizeof s->last, &s->error), s, row->name);
    must(atoll_memory_read(s->device, s->old, s->old_bytes, sizeof s->old_bytes, &s->error), s, row->name);
    atoll_module_destroy(module);
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

struct edge {
    wide from, to;
};

static int compare_wide(const void *a, const void *b)
{
    const wide *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static unsigned find_value(const wide *values, unsigned n, wide v)
{
    const wide *at = bsearch(&v, values, n, sizeof v, compare_wide);
    return at ? (unsigned)(at - values) : n;
}

static unsigned root(unsigned *parent, unsigned i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Is there a trail from `first` to `last` that goes over every edge once? NULL, or why not. */
static const char *find_trail(const struct edge *edges, unsigned n, wide first, wide last)
{
    wide *values = malloc((2 * (size_t)n + 2) * sizeof *values);
    unsigned *parent = malloc((2 * (size_t)n + 2) * sizeof *parent), count = 0;
    int *balance = calloc(2 * (size_t)n + 2, sizeof *balance);
    const char *why = NULL;
    assert_true(values && parent && balance);
    for (unsigned i = 0; i < n; i++)
        values[2 * i] = edges[i].from, values[2 * i + 1] = edges[i].to;
    values[2 * n] = first, values[2 * n + 1] = last;
    qsort(values, 2 * (size_t)n + 2, sizeof *values, compare_wide);
    for (unsigned i = 0; i < 2 * n + 2; i++)
        if (!count || values[count - 1] != values[i])
            values[count++] = values[i];
    for (unsigned i = 0; i < count; i++)
        parent[i] = i;
    for (unsigned i = 0; i < n; i++) {
        unsigned from = find_value(values, count, edges[i].from), to = find_value(values, count, edges[i].to);
        balance[from]++, balance[to]--;
        parent[root(parent, from)] = root(parent, to);
    }
    balance[find_value(values, count, first)]--;
    balance[find_value(values, count, last)]++;
    for (unsigned i = 0; i < count; i++) {
        if (balance[i])
            why = "a value was not left as often as it was reached";
        if (root(parent, i) != root(parent, find_value(values, count, first)))
            why = "a value was found that was never there";
    }
    free(values), free(parent), free(balance);
    return why;
}

static void check_trails(const struct stress *s, const struct row *row, enum layout layout, const char *form)
{
    struct edge *edges = malloc(COUNT * sizeof *edges);
    unsigned bytes = access_bytes(row);
    assert_non_null(edges);
    for (unsigned word = 0; word < WORDS; word++)
        for (unsigned e = 0; e < row->elements; e++) {
            unsigned n = 0;
            for (unsigned i = 0; i < COUNT; i++) {
                if (s->places[i] != word * bytes)
                    continue;
                wide old = element(row, s->old_bytes + i * SLOT, e);
                edges[n++] = (struct edge){old, apply(row, old, element(row, s->b_bytes + i * SLOT, e),
                                                      element(row, s->c_bytes + i * SLOT, e))};
            }
            const char *why =
                find_trail(edges, n, element(row, s->first + word * bytes, e), element(row, s->last + word * bytes, e));
            if (why)
                fail_msg("%s.%s, layout %d, word %u, element %u: %s", form, row->name, (int)layout, word, e, why);
        }
    free(edges);
}

static void check_last(struct stress *s, const struct row *row, enum layout layout, const char *form)
{
    unsigned bytes = access_bytes(row);
    unsigned char want[sizeof s->first];
    memcpy(want, s->first, sizeof want);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned e = 0; e < row->elements; e++) {
            unsigned char *at = want + s->places[i];
            wide v = apply(row, element(row, at, e), element(row, s->b_bytes + i * SLOT, e), 0);
            memcpy(at + e * row->bits / 8, &v, row->bits / 8);
        }
    for (unsigned i = 0; i < sizeof want; i++)
        if (want[i] != s->last[i])
            fail_msg("%s.%s, layout %d: byte %u (of words of %u bytes) is 0x%02x, not 0x%02x", form, row->name,
                     (int)layout, i, bytes, s->last[i], want[i]);
}

static void *open_stress(void)
{
    struct stress *s = calloc(1, sizeof *s);
    assert_non_null(s);
    must(atoll_device_create(NULL, &s->device, &s->error) &&
             atoll_memory_alloc(s->device, sizeof s->first, &s->words, &s->error) &&
             atoll_memory_alloc(s->device, sizeof s->b_bytes, &s->b, &s->error) &&
             atoll_memory_alloc(s->device, sizeof s->c_bytes, &s->c, &s->error) &&
             atoll_memory_alloc(s->device, sizeof s->places, &s->where, &s->error) &&
             atoll_memory_alloc(s->device, sizeof s->old_bytes, &s->old, &s->error),
         s, "device");
    for (unsigned i = 0; i < 2; i++) {
        struct atoll_surface_desc desc = {
            .dimension = ATOLL_DIM_2D, .width = sizeof s->first / 4, .height = 1, .format = i ? "r32sint" : "r32uint"};
        must(atoll_surface_create(s->device, &desc, &s->surfaces[i], &s->error), s, "surface");
    }
    return s;
}

static void close_stress(struct stress *s)
{
    atoll_surface_destroy(s->surfaces[0]);
    atoll_surface_destroy(s->surfaces[1]);
    atoll_device_destroy(s->device);
    free(s);
}

static const char *const orders[LAYOUTS] = {"", ".relaxed.gpu", ".acq_rel.sys", ".release.gpu"};

static void atoms(void **state)
{
    struct stress *s = open_stress();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (enum layout layout = 0; layout < LAYOUTS; layout++) {
            prepare(s, &rows[i], layout);
            launch(s, &rows[i], ATOM, orders[layout]);
            check_trails(s, &rows[i], layout, "atom.global");
            if (!rows[i].shared)
                continue;
            prepare(s, &rows[i], layout);
            launch(s, &rows[i], ATOM_SHARED, orders[layout]);
            check_trails(s, &rows[i], layout, "atom.shared");
        }
    close_stress(s);
}

static void reds(void **state)
{
    struct stress *s = open_stress();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (enum layout layout = 0; layout < LAYOUTS && rows[i].red; layout++) {
            const char *order = layout == LAYOUT_EIGHTS ? ".release.sys" : orders[layout];
            prepare(s, &rows[i], layout);
            launch(s, &rows[i], RED, order);
            check_last(s, &rows[i], layout, "red.global");
            if (!rows[i].shared)
                continue;
            prepare(s, &rows[i], layout);
            launch(s, &rows[i], RED_SHARED, order);
            check_last(s, &rows[i], layout, "red.shared");
        }
    close_stress(s);
}

static void sureds(void **state)
{
    struct stress *s = open_stress();
    (void)state;
    for (size_t i = 0; i < sizeof surface_rows / sizeof *surface_rows; i++)
        for (enum layout layout = 0; layout < LAYOUTS; layout++) {
            prepare(s, &surface_rows[i], layout);
            launch(s, &surface_rows[i], SURED, "");
            check_last(s, &surface_rows[i], layout, "sured");
        }
    close_stress(s);
}

/* The judge itself: it must see what a lost or torn update leaves behind. */
static void finds_lost_updates(void **state)
{
    (void)state;
    struct edge good[] = {{1, 2}, {0, 1}, {2, 0}, {0, 3}};
    struct edge lost[] = {{0, 1}, {0, 1}};
    struct edge torn[] = {{0, 1}, {7, 8}, {8, 7}};
    assert_null(find_trail(good, 4, 0, 3));
    assert_null(find_trail(NULL, 0, 5, 5));
    assert_non_null(find_trail(good, 4, 0, 2));
    assert_non_null(find_trail(lost, 2, 0, 1));
    assert_non_null(find_trail(torn, 3, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms),
        cmocka_unit_test(reds),
        cmocka_unit_test(sureds),
        cmocka_unit_test(finds_lost_updates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

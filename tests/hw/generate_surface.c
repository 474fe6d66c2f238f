/* Cases of suld, sust and suq.
 *
 * Input of a thread or shot: four coordinates as the operand lists them (16 bytes), then the data of a store. Texels
 * have their top bits clear and stored bytes have theirs set, so that every byte of a store is seen. */
#include "generate.h"

#include <stdarg.h>
#include <string.h>

enum { ROW = 24, HEIGHT = 3, DEPTH = 4, LAYERS = 3, COORDS = 16, REGS = 8 /* first data register */ };

static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "1d_buffer"};
enum { BUFFER = 5 /* which is a name of 1d for the driver */ };

/* .v4.b64 exceeds 128 bits. */
static const struct shape {
    const char *type;
    unsigned vec;
} shapes[] = {
    {"b8", 1},  {"b8", 2},  {"b8", 4},  {"b16", 1}, {"b16", 2}, {"b16", 4},
    {"b32", 1}, {"b32", 2}, {"b32", 4}, {"b64", 1}, {"b64", 2},
};

static void set_surface(struct hw_case *c, enum atoll_dimension dimension, uint32_t width, const char *format)
{
    c->has_surface = true;
    c->dimension = dimension;
    c->width = width;
    c->height = dimension >= ATOLL_DIM_2D ? HEIGHT : 0;
    c->depth = dimension == ATOLL_DIM_3D ? DEPTH : 0;
    c->layers = dimension == ATOLL_DIM_1D_ARRAY || dimension == ATOLL_DIM_2D_ARRAY ? LAYERS : 0;
    snprintf(c->format, sizeof c->format, "%s", format);
    c->texels.size = 0;
    uint64_t size = hw_texel_bytes(c);
    for (uint64_t i = 0; i < size; i++)
        hw_word(&c->texels, ((i * 37 + 11) ^ (i / 128 * 5)) & 0x7f, 1);
}

/* suld.b.2d.cg.v4.b32.clamp */
static void instruction(struct hw_text *text, const struct hw_spec *spec, const char *cache)
{
    static const char *const names[] = {[HW_SULD] = "suld.b", [HW_SUST_B] = "sust.b", [HW_SUST_P] = "sust.p"};
    hw_add(text, "%s.%s%s%s", names[spec->op], spec->geometry->name, *cache ? "." : "", cache);
    if (spec->vec > 1)
        hw_add(text, ".v%u", spec->vec);
    hw_add(text, ".%s.%s", spec->type->name, hw_clamp_name(spec->clamp));
}

static unsigned tuple_width(const struct hw_geometry *geometry)
{
    size_t axes = strlen(geometry->axes);
    return axes == 3 ? 4 : (unsigned)axes;
}

static void body(struct hw_case *c, const char *cache)
{
    const struct hw_spec *spec = &c->spec;
    unsigned bytes = spec->type->bytes;
    hw_add(&c->ptx, "ld.global.v4.u32 {%%r4,%%r5,%%r6,%%r7}, [%%rd1];\n");
    if (spec->op != HW_SULD)
        hw_fetch(&c->ptx, ".global", bytes, REGS, spec->vec, "%rd1", COORDS);
    instruction(&c->ptx, spec, cache);
    hw_add(&c->ptx, " ");
    if (spec->op == HW_SULD) {
        hw_tuple(&c->ptx, bytes, REGS, spec->vec, true);
        hw_add(&c->ptx, ", ");
    }
    hw_add(&c->ptx, "[%%rd2, ");
    hw_tuple(&c->ptx, 4, 4, tuple_width(spec->geometry), true);
    hw_add(&c->ptx, "]");
    if (spec->op != HW_SULD) {
        hw_add(&c->ptx, ", ");
        hw_tuple(&c->ptx, bytes, REGS, spec->vec, true);
    }
    hw_add(&c->ptx, ";\n");
    if (spec->op == HW_SULD)
        hw_store(&c->ptx, ".global", bytes, REGS, spec->vec, "%rd0", 0);
}

static void put_point(struct hw_case *c, const struct hw_point *point, unsigned number)
{
    for (unsigned i = 0; i < 4; i++)
        hw_word(&c->in, (uint32_t)point->at[i], 4);
    if (c->spec.op == HW_SULD)
        return;
    unsigned size = hw_register_bytes(c->spec.type->bytes) * c->spec.vec;
    for (unsigned i = 0; i < size; i++)
        hw_word(&c->in, 0x80 | ((number * 29 + i) & 0x7f), 1);
    hw_pad(&c->in, 16);
}

/* What the cases of one instruction share. */
struct form {
    struct hw_cases *cases;
    struct hw_spec spec;
    const char *cache, *format;
    uint32_t width;
};

/* One case of some positions: a load has a thread for each, a store a launch for each (stores may overlap). */
__attribute__((format(printf, 5, 6))) static void
emit(const struct form *f, enum hw_class class, const struct hw_point *points, unsigned count, const char *name, ...)
{
    struct hw_case *c = hw_case_new(f->cases);
    struct hw_text text = {0};
    char suffix[64];
    va_list list;
    va_start(list, name);
    vsnprintf(suffix, sizeof suffix, name, list);
    va_end(list);
    c->class = class;
    c->spec = f->spec;
    instruction(&text, &f->spec, f->cache);
    snprintf(c->name, sizeof c->name, "%.60s/%s", text.data, suffix);
    hw_free(&text);
    set_surface(c, f->spec.geometry->dimension, f->width, f->format);
    for (unsigned i = 0; i < count; i++)
        put_point(c, &points[i], i);
    bool load = f->spec.op == HW_SULD;
    unsigned in_step = (unsigned)c->in.size / count;
    unsigned out_step = load ? (hw_register_bytes(f->spec.type->bytes) * f->spec.vec + 15) / 16 * 16 : 0;
    c->threads = load ? count : 1;
    c->shots = load ? 1 : count;
    c->in_bytes = in_step * c->threads;
    c->out_bytes = out_step * c->threads;
    bool buffer = strcmp(f->spec.geometry->name, "1d_buffer") == 0;
    hw_kernel(c, buffer ? 65 : 64, in_step, out_step);
    body(c, f->cache);
    hw_kernel_end(c);
}

static unsigned pick(const struct hw_point *from, unsigned count, enum hw_class class, struct hw_point *to)
{
    unsigned picked = 0;
    for (unsigned i = 0; i < count; i++)
        if (from[i].class == class)
            to[picked++] = from[i];
    return picked;
}

/* .clamp and .zero: all positions, a case for each class. */
static void emit_classes(const struct form *f, const struct hw_point *points, unsigned count)
{
    struct hw_point some[HW_POINTS];
    for (unsigned class = 0; class < HW_CLASSES; class ++) {
        unsigned picked = pick(points, count, (enum hw_class) class, some);
        if (picked)
            emit(f, (enum hw_class) class, some, picked, "edges-%s", hw_class_name((enum hw_class) class));
    }
}

/* .trap: what is inside at once, and each fault by itself; all of them for b32, the first ones for other types. */
static void emit_traps(const struct form *f, const struct hw_point *points, unsigned count)
{
    struct hw_point some[HW_POINTS] = {0};
    unsigned picked = 0, faults = 0;
    bool all = f->spec.vec == 1 && strcmp(f->spec.type->name, "b32") == 0;
    for (unsigned i = 0; i < count; i++)
        if (!points[i].outside)
            some[picked++] = points[i];
    emit(f, some[0].class, some, picked, "inside");
    for (unsigned i = 0; i < count; i++)
        if (points[i].outside && (all || faults < 1))
            emit(f, points[i].class, &points[i], 1, "outside-%u", faults++);
}

static void edges(const struct form *f)
{
    struct hw_point points[HW_POINTS];
    bool samples = f->spec.op == HW_SUST_P;
    unsigned size = samples ? 1 : f->spec.type->bytes * f->spec.vec;
    struct hw_case probe = {.spec = f->spec};
    set_surface(&probe, f->spec.geometry->dimension, f->width, f->format);
    unsigned count = hw_points(&probe, samples ? f->width : ROW / size, size, points);
    hw_free(&probe.texels);
    if (samples && f->spec.geometry->axes[0] == 'l')
        for (unsigned i = 0; i < count; i++)
            points[i].class = HW_OPEN;
    if (f->spec.clamp == HW_TRAP)
        emit_traps(f, points, count);
    else
        emit_classes(f, points, count);
}

/* Faults under every policy (RTX 3060 measurement). */
static void misaligned(const struct form *f)
{
    unsigned size = f->spec.type->bytes * f->spec.vec;
    for (unsigned x = 1; x < size; x = x == 1 && size > 2 ? size / 2 : size)
        emit(f, HW_MEASURED, &(struct hw_point){.at = {(int32_t)x, 1}}, 1, "misaligned-%u", x);
}

/* Where lane `lane` of a warp goes when many go to few places: of each pattern. */
static unsigned meeting(unsigned pattern, unsigned lane)
{
    const unsigned places[] = {lane % 4, lane / 8, lane * 11 % 32 % 3, 0, (31 - lane) / 2 % 3, lane >= 24, lane >= 16};
    return places[pattern];
}
enum { MEETINGS = 7 };

/* A warp's lanes store to the same texels with one instruction: a launch for each pattern. */
static void collisions(const struct form *f)
{
    struct hw_case *c = hw_case_new(f->cases);
    struct hw_text text = {0};
    const char *axes = f->spec.geometry->axes;
    c->class = HW_OPEN;
    c->spec = f->spec;
    instruction(&text, &f->spec, f->cache);
    snprintf(c->name, sizeof c->name, "%.60s/collisions", text.data);
    hw_free(&text);
    set_surface(c, f->spec.geometry->dimension, f->width, f->format);
    for (unsigned i = 0; i < 32 * MEETINGS; i++) {
        struct hw_point point = {.at = {1, 1, 1, 1}};
        int32_t size = f->spec.op == HW_SUST_P ? 1 : (int32_t)(f->spec.type->bytes * f->spec.vec);
        point.at[axes[0] == 'l'] = (int32_t)meeting(i / 32, i % 32) * size;
        put_point(c, &point, i);
    }
    unsigned in_step = (unsigned)c->in.size / (32 * MEETINGS);
    c->threads = 32;
    c->shots = MEETINGS;
    c->in_bytes = in_step * c->threads;
    hw_kernel(c, 64, in_step, 0);
    body(c, f->cache);
    hw_kernel_end(c);
}

static void bytes_forms(struct hw_cases *cases, enum hw_op op)
{
    for (size_t g = 0; g < HW_COUNT(geometries); g++)
        for (size_t s = 0; s < HW_COUNT(shapes); s++)
            for (unsigned clamp = 0; clamp < 3; clamp++) {
                struct form f = {cases, {.op = op}, "", "r8uint", ROW};
                f.spec.geometry = hw_geometry(geometries[g]);
                f.spec.type = hw_type(shapes[s].type);
                f.spec.vec = shapes[s].vec;
                f.spec.clamp = (enum hw_clamp)clamp;
                edges(&f);
                if (strcmp(geometries[g], "2d") == 0)
                    misaligned(&f);
                if (op == HW_SUST_B && clamp == HW_ZERO && g < BUFFER)
                    collisions(&f);
            }
}

/* Every row length from 1 to 17 bytes; where no whole access fits, .clamp has no place to go to. */
static void row_lengths(struct hw_cases *cases, enum hw_op op, unsigned step)
{
    for (unsigned row = 1; row <= 17; row += row < 3 ? 1 : step)
        for (size_t s = 0; s < HW_COUNT(shapes); s++)
            for (unsigned clamp = HW_CLAMP; clamp <= HW_ZERO; clamp++) {
                struct form f = {cases, {.op = op}, "", "r8uint", row};
                f.spec.geometry = hw_geometry("1d");
                f.spec.type = hw_type(shapes[s].type);
                f.spec.vec = shapes[s].vec;
                f.spec.clamp = (enum hw_clamp)clamp;
                unsigned size = f.spec.type->bytes * f.spec.vec, count = 0;
                struct hw_point points[HW_POINTS];
                for (int32_t x = -(int32_t)size; x < (int32_t)(row + 2 * size) && count < HW_POINTS; x += (int32_t)size)
                    points[count++] = (struct hw_point){.at = {x}};
                bool fits = size <= row;
                enum hw_class class = clamp == HW_ZERO ? HW_ISA : fits ? HW_MEASURED : HW_CHOICE;
                emit(&f, class, points, count, "row-%u", row);
            }
}

/* Cache words change nothing that one thread sees. */
static void cache_words(struct hw_cases *cases)
{
    static const struct {
        enum hw_op op;
        const char *word;
    } words[] = {{HW_SULD, "ca"},   {HW_SULD, "cg"},   {HW_SULD, "cs"},   {HW_SULD, "cv"},
                 {HW_SUST_B, "wb"}, {HW_SUST_B, "cg"}, {HW_SUST_B, "cs"}, {HW_SUST_B, "wt"},
                 {HW_SUST_P, "wb"}, {HW_SUST_P, "cg"}, {HW_SUST_P, "cs"}, {HW_SUST_P, "wt"}};
    for (size_t w = 0; w < HW_COUNT(words); w++)
        for (size_t g = 0; g < HW_COUNT(geometries); g++) {
            struct form f = {cases, {.op = words[w].op, .vec = 1, .clamp = HW_CLAMP}, words[w].word, "r8uint", ROW};
            f.spec.geometry = hw_geometry(geometries[g]);
            f.spec.type = hw_type("b32");
            edges(&f);
        }
}

/* sust.p counts samples: texels of 8 bytes and of 4. */
static void sample_forms(struct hw_cases *cases)
{
    static const unsigned vecs[] = {1, 2, 4};
    for (size_t g = 0; g < HW_COUNT(geometries); g++)
        for (size_t v = 0; v < HW_COUNT(vecs); v++)
            for (unsigned clamp = 0; clamp < 3; clamp++) {
                struct form f = {cases, {.op = HW_SUST_P, .vec = vecs[v], .clamp = (enum hw_clamp)clamp}, "", "", 5};
                f.format = vecs[v] == 1 ? "r32uint" : vecs[v] == 2 ? "rg32uint" : "rgba32uint";
                f.spec.geometry = hw_geometry(geometries[g]);
                f.spec.type = hw_type("b32");
                edges(&f);
                if (clamp == HW_ZERO && g < BUFFER)
                    collisions(&f);
            }
}

/* ---- conversions of sust.p --------------------------------------------------------------------------------- */

static const uint32_t integers[] = {
    0,          1,          2,          0x7e,       0x7f,       0x80,       0xfe,       0xff,       0x100,
    0x3ff,      0x400,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001,
    0xffffff7f, 0xffffff80, 0xffffff81, 0xffff7fff, 0xffff8000, 0xffff8001, 0xfffffffe, 0xffffffff,
};
/* f32: around f16's rounding, smallest and largest values. */
static const uint32_t numbers[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f801000, 0x3f801001, 0x3f803000, 0x3f802fff, 0x3eaaaaab,
    0x477fe000, 0x477fefff, 0x477ff000, 0x47800000, 0xc77ff000, 0x501502f9, 0xd01502f9, 0x38800000, 0x387fffff,
    0x33800000, 0x337fffff, 0x33000000, 0xb3800000, 0x33c00000, 0x7f7fffff, 0xff7fffff, 0x00000001, 0x807fffff,
};
static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7fffffff, 0x7f802000, 0x7fa00000, 0xffa02000, 0x7f900000};
static const uint32_t infinities[] = {0x7f800000, 0xff800000, 0x7f800001, 0x7f801fff, 0xff800fff};
/* Of unorm and snorm: fractions of 255, 127, 1023, 3 and 65535, their halves, what lies outside, specials. */
static const uint32_t fractions[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0xbfc00000,
    0x3b808081, 0x3b008081, 0x3bc0c0c1, 0x3b000000, 0x3f7f7f7f, 0x3f7fffff, 0xbf7fffff, 0x3c010204,
    0x3b810204, 0xbb810204, 0x3a802008, 0x3a002008, 0x3eaaaaab, 0x3e2aaaab, 0x37800080, 0x37000080,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fffffff, 0x00000001, 0xbf810204, 0x3f810204,
};

static void convert(struct hw_cases *cases, const struct hw_format *format, unsigned vec, const char *what,
                    const uint32_t *values, unsigned count, enum hw_class class)
{
    struct hw_case *c = hw_case_new(cases);
    c->class = class;
    c->spec = (struct hw_spec){HW_SUST_P, hw_geometry("1d"), hw_type("b32"), vec, HW_TRAP, NULL, HW_GLOBAL, 0};
    snprintf(c->name, sizeof c->name, "sust.p.v%u.b32/%s-%s", vec, format->name, what);
    set_surface(c, ATOLL_DIM_1D, count, format->name);
    for (unsigned i = 0; i < count; i++) {
        hw_word(&c->in, i, 4);
        hw_word(&c->in, 0, 4);
        hw_word(&c->in, 0, 8);
        for (unsigned lane = 0; lane < 4; lane++)
            hw_word(&c->in, values[(i + 5 * lane) % count], 4);
    }
    c->threads = count;
    c->in_bytes = 32 * count;
    hw_kernel(c, 64, 32, 0);
    body(c, "");
    hw_kernel_end(c);
}

static void conversions(struct hw_cases *cases)
{
    struct hw_format format;
    for (unsigned i = 0; hw_format_at(i, &format); i++)
        for (unsigned vec = 1; vec <= 4; vec *= 2) {
            if (format.kind == 'u' || format.kind == 'i')
                convert(cases, &format, vec, "integers", integers, HW_COUNT(integers), HW_MEASURED);
            else if (format.kind != 'f')
                convert(cases, &format, vec, "fractions", fractions, HW_COUNT(fractions), HW_OPEN);
            else {
                convert(cases, &format, vec, "numbers", numbers, HW_COUNT(numbers), HW_MEASURED);
                convert(cases, &format, vec, "nans", nans, HW_COUNT(nans), HW_MEASURED);
                convert(cases, &format, vec, "infinities", infinities, HW_COUNT(infinities),
                        format.bits == 32 ? HW_MEASURED : HW_OPEN);
            }
        }
}

/* ---- suq ------------------------------------------------------------------------------------------------------ */

static void query(struct hw_cases *cases, const char *what, const char *geometry, const char *format)
{
    struct hw_case *c = hw_case_new(cases);
    bool fixed = strcmp(what, "width") == 0 || (strcmp(what, "height") == 0 && strcmp(geometry, "2d") == 0);
    c->class = fixed ? HW_ISA : HW_OPEN;
    c->spec = (struct hw_spec){.op = HW_SUQ, .geometry = hw_geometry(geometry), .atomic = what};
    snprintf(c->name, sizeof c->name, "suq.%s.b32/%s-%s", what, geometry, format);
    set_surface(c, c->spec.geometry->dimension, 7, format);
    c->out_bytes = 16;
    hw_kernel(c, 64, 0, 0);
    hw_add(&c->ptx, "suq.%s.b32 %%r4, [%%rd2];\nst.global.b32 [%%rd0], %%r4;\n", what);
    hw_kernel_end(c);
}

static void queries(struct hw_cases *cases)
{
    static const char *const fields[] = {"width",         "height",     "depth",        "channel_data_type",
                                         "channel_order", "array_size", "memory_layout"};
    struct hw_format format;
    for (size_t f = 0; f < HW_COUNT(fields); f++) {
        for (size_t g = 0; g < 5; g++)
            query(cases, fields[f], geometries[g], "rgba8uint");
        for (unsigned i = 0; strncmp(fields[f], "channel", 7) == 0 && hw_format_at(i, &format); i++)
            if (strcmp(format.name, "rgba8uint") != 0)
                query(cases, fields[f], "2d", format.name);
    }
}

void hw_generate_surfaces(struct hw_cases *cases)
{
    bytes_forms(cases, HW_SULD);
    bytes_forms(cases, HW_SUST_B);
    row_lengths(cases, HW_SULD, 1);
    row_lengths(cases, HW_SUST_B, 3);
    cache_words(cases);
    sample_forms(cases);
    conversions(cases);
    queries(cases);
}

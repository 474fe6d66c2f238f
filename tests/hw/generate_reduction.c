/* Cases of sured. Input of a shot: four coordinates as the operand lists them, then the value. */
#include "generate.h"

#include <string.h>

enum { WIDTH = 6, HEIGHT = 3, DEPTH = 4, VALUE = 16 };

static const struct reduction {
    enum hw_op op;
    const char *atomic, *types; /* separated by spaces */
} reductions[] = {
    {HW_SURED_B, "add", "u32 s32 u64"},
    {HW_SURED_B, "min", "u32 s32 u64 s64"},
    {HW_SURED_B, "max", "u32 s32 u64 s64"},
    {HW_SURED_B, "and", "b32"},
    {HW_SURED_B, "or", "b32"},
    {HW_SURED_P, "add", "b32"},
    {HW_SURED_P, "and", "b32"},
    {HW_SURED_P, "or", "b32"},
    {HW_SURED_P, "min", "b32 b64"},
    {HW_SURED_P, "max", "b32 b64"},
};

static const char *const geometries[] = {"1d", "2d", "3d", "1d_buffer"};

/* Both signs in each half, so that 32- and 64-bit comparisons of either sign differ. */
static const uint32_t edges[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x12345678,
                                 0xfffffffe, 0x80000001, 0x55555555, 0xaaaaaaaa, 2};

static void set_surface(struct hw_case *c, const char *format, uint32_t width)
{
    c->has_surface = true;
    c->dimension = c->spec.geometry->dimension;
    c->width = width;
    c->height = c->dimension == ATOLL_DIM_1D ? 0 : HEIGHT;
    c->depth = c->dimension == ATOLL_DIM_3D ? DEPTH : 0;
    snprintf(c->format, sizeof c->format, "%s", format);
    c->texels.size = 0;
    uint64_t size = hw_texel_bytes(c);
    for (unsigned i = 0; c->texels.size < size; i++)
        hw_word(&c->texels, edges[(i * 7 + i / 11) % HW_COUNT(edges)], 4);
    c->texels.size = (size_t)size;
}

static void instruction(struct hw_text *text, const struct hw_spec *spec)
{
    hw_add(text, "sured.%c.%s.%s.%s.%s", spec->op == HW_SURED_B ? 'b' : 'p', spec->atomic, spec->geometry->name,
           spec->type->name, hw_clamp_name(spec->clamp));
}

static void body(struct hw_case *c)
{
    unsigned bytes = c->spec.type->bytes, axes = (unsigned)strlen(c->spec.geometry->axes);
    hw_add(&c->ptx, "ld.global.v4.u32 {%%r4,%%r5,%%r6,%%r7}, [%%rd1];\n");
    hw_fetch(&c->ptx, ".global", bytes, 8, 1, "%rd1", VALUE);
    instruction(&c->ptx, &c->spec);
    hw_add(&c->ptx, " [%%rd2, ");
    hw_tuple(&c->ptx, 4, 4, axes == 3 ? 4 : axes, true);
    hw_add(&c->ptx, "], %s;\n", hw_register(bytes, 8).name);
}

static void put(struct hw_case *c, const int32_t at[4], unsigned number)
{
    for (unsigned i = 0; i < 4; i++)
        hw_word(&c->in, (uint32_t)at[i], 4);
    for (unsigned i = 0; i < 4; i++)
        hw_word(&c->in, edges[(number + 3 * i) % HW_COUNT(edges)], 4);
}

static struct hw_case *begin(struct hw_cases *cases, const struct hw_spec *spec, const char *format, uint32_t width,
                             const char *suffix)
{
    struct hw_case *c = hw_case_new(cases);
    struct hw_text text = {0};
    c->spec = *spec;
    instruction(&text, spec);
    snprintf(c->name, sizeof c->name, "%.60s/%s-%s", text.data, format, suffix);
    hw_free(&text);
    set_surface(c, format, width);
    return c;
}

static void finish(struct hw_case *c, enum hw_class class, unsigned threads)
{
    c->class = class;
    c->threads = threads;
    c->shots = (unsigned)c->in.size / 32 / threads;
    c->in_bytes = 32 * threads;
    bool late = c->spec.op == HW_SURED_P ? c->spec.type->bytes == 8
                                         : c->spec.type->bytes == 8 && strcmp(c->spec.atomic, "add") != 0;
    hw_kernel(c, late ? 81 : 64, 32, 0);
    body(c);
    hw_kernel_end(c);
}

/* UINT formats compare unsigned and SINT formats signed (PTX ISA, sured); for others nothing is known. */
static enum hw_class format_class(const struct hw_spec *spec, const char *format)
{
    struct hw_format found;
    bool plain = hw_format(format, &found) && found.bytes == spec->type->bytes && strchr("ui", found.kind);
    return plain ? HW_ISA : HW_OPEN;
}

static void points_case(struct hw_cases *cases, const struct hw_spec *spec, const char *format)
{
    struct hw_point points[HW_POINTS];
    struct hw_case probe = {.spec = *spec};
    unsigned bytes = spec->type->bytes;
    set_surface(&probe, format, WIDTH);
    unsigned count = hw_points(&probe, WIDTH, spec->op == HW_SURED_B ? bytes : 1, points), faults = 0;
    hw_free(&probe.texels);
    bool buffer = strcmp(spec->geometry->name, "1d_buffer") == 0;
    struct hw_case *c = begin(cases, spec, format, WIDTH, "inside");
    for (unsigned i = 0; i < count; i++)
        if (!points[i].outside)
            put(c, points[i].at, i);
    finish(c, buffer ? HW_OPEN : format_class(spec, format), 1);
    if (spec->clamp != HW_TRAP) {
        c = begin(cases, spec, format, WIDTH, "outside");
        for (unsigned i = 0; i < count; i++)
            if (points[i].outside)
                put(c, points[i].at, i);
        finish(c, HW_OPEN, 1);
        return;
    }
    for (unsigned i = 0; i < count && faults < 3; i++)
        if (points[i].outside) {
            char suffix[32];
            snprintf(suffix, sizeof suffix, "outside-%u", faults++);
            c = begin(cases, spec, format, WIDTH, suffix);
            put(c, points[i].at, i);
            finish(c, HW_ISA, 1);
        }
}

/* Every pair of edges: texel and value, a thread each. */
static void pairs_case(struct hw_cases *cases, const struct hw_spec *spec, const char *format)
{
    enum { PAIRS = HW_COUNT(edges) * HW_COUNT(edges) };
    struct hw_case *c = begin(cases, spec, format, PAIRS, "pairs");
    struct hw_format found;
    unsigned bytes = spec->type->bytes;
    if (!hw_format(format, &found))
        return;
    /* Positions are the reduction's elements; a smaller texel leaves room for fewer of them. */
    unsigned room = (unsigned)(c->texels.size / bytes), count = PAIRS < room ? PAIRS : room;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned word = 0; word < bytes / 4; word++)
            memcpy(c->texels.data + (size_t)i * bytes + 4 * word,
                   &edges[(i / HW_COUNT(edges) + 3 * word) % HW_COUNT(edges)], 4);
        put(c, (int32_t[4]){(int32_t)(spec->op == HW_SURED_B ? i * bytes : i)}, i % HW_COUNT(edges));
    }
    finish(c, format_class(spec, format), count);
}

static void misaligned(struct hw_cases *cases, const struct hw_spec *spec, const char *format)
{
    for (int32_t x = 1; x < spec->type->bytes; x *= 2) {
        char suffix[32];
        snprintf(suffix, sizeof suffix, "misaligned-%d", (int)x);
        struct hw_case *c = begin(cases, spec, format, WIDTH, suffix);
        put(c, (int32_t[4]){x, 1}, 0);
        finish(c, HW_OPEN, 1);
    }
}

/* 256 threads on one texel. */
static void contention(struct hw_cases *cases, const struct hw_spec *spec, const char *format)
{
    struct hw_case *c = begin(cases, spec, format, WIDTH, "contention");
    for (unsigned i = 0; i < 256; i++)
        put(c, (int32_t[4]){spec->op == HW_SURED_B ? spec->type->bytes : 1, 1}, i % HW_COUNT(edges));
    finish(c, HW_ISA, 256);
}

static void values(struct hw_cases *cases, const struct hw_spec *spec, const char *format)
{
    static const char *const odd[] = {"r32float",   "rgba8uint",  "rgba8sint", "rg16sint", "rg16float",
                                      "rgba8unorm", "rgba8snorm", "r8uint",    "r16sint"};
    struct hw_format found;
    bool wide = spec->type->bytes == 8;
    pairs_case(cases, spec, format);
    pairs_case(cases, spec, wide ? "rg32sint" : "r32sint");
    for (size_t i = 0; i < HW_COUNT(odd); i++)
        if (hw_format(odd[i], &found) && (spec->op == HW_SURED_P || found.bytes == spec->type->bytes))
            pairs_case(cases, spec, odd[i]);
    contention(cases, spec, format);
}

static void forms(struct hw_cases *cases, const struct reduction *r, const char *type)
{
    struct hw_spec spec = {.op = r->op, .type = hw_type(type), .vec = 1, .atomic = r->atomic};
    const char *format = spec.type->bytes == 8 ? "rg32uint" : "r32uint";
    for (size_t g = 0; g < HW_COUNT(geometries); g++)
        for (unsigned clamp = 0; clamp < 3; clamp++) {
            spec.geometry = hw_geometry(geometries[g]);
            spec.clamp = (enum hw_clamp)clamp;
            points_case(cases, &spec, format);
            if (strcmp(geometries[g], "2d") == 0 && r->op == HW_SURED_B)
                misaligned(cases, &spec, format);
        }
    spec.clamp = HW_ZERO;
    spec.geometry = hw_geometry("1d");
    values(cases, &spec, format);
}

void hw_generate_reductions(struct hw_cases *cases)
{
    for (size_t i = 0; i < HW_COUNT(reductions); i++) {
        char types[32], *rest = types;
        snprintf(types, sizeof types, "%s", reductions[i].types);
        for (char *type; (type = strsep(&rest, " "));)
            forms(cases, &reductions[i], type);
    }
}

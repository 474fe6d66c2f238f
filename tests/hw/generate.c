/* What the generators share: kernels around one instruction, types, geometries, positions on a surface. */
#include "generate.h"

#include <limits.h>
#include <string.h>

static const struct hw_type types[] = {
    {"b8", 1, 'b', 1},    {"b16", 2, 'b', 1},  {"b32", 4, 'b', 1},    {"b64", 8, 'b', 1}, {"b128", 16, 'b', 1},
    {"u32", 4, 'u', 1},   {"u64", 8, 'u', 1},  {"s32", 4, 's', 1},    {"s64", 8, 's', 1}, {"f16", 2, 'f', 1},
    {"f16x2", 4, 'f', 2}, {"bf16", 2, 'g', 1}, {"bf16x2", 4, 'g', 2}, {"f32", 4, 'f', 1}, {"f64", 8, 'f', 1},
};

const struct hw_type *hw_type(const char *name)
{
    for (size_t i = 0; i < HW_COUNT(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

/* a2d and 3d take four elements; the last is ignored. A 1D buffer is a 1D array to CUDA. */
static const struct hw_geometry geometries[] = {
    {"1d", "x", ATOLL_DIM_1D},         {"2d", "xy", ATOLL_DIM_2D},         {"3d", "xyz", ATOLL_DIM_3D},
    {"a1d", "lx", ATOLL_DIM_1D_ARRAY}, {"a2d", "lxy", ATOLL_DIM_2D_ARRAY}, {"1d_buffer", "x", ATOLL_DIM_1D},
};

const struct hw_geometry *hw_geometry(const char *name)
{
    for (size_t i = 0; i < HW_COUNT(geometries); i++)
        if (strcmp(geometries[i].name, name) == 0)
            return &geometries[i];
    return NULL;
}

const char *hw_clamp_name(enum hw_clamp clamp)
{
    return clamp == HW_TRAP ? "trap" : clamp == HW_CLAMP ? "clamp" : "zero";
}

/* ---- kernels ------------------------------------------------------------------------------------------------- */

void hw_kernel(struct hw_case *c, unsigned version, unsigned in_step, unsigned out_step)
{
    hw_add(&c->ptx,
           ".version %u.%u\n.target sm_%u\n.address_size 64\n"
           ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 s)\n{\n"
           ".reg .b16 %%h<24>; .reg .b32 %%r<24>; .reg .b64 %%rd<24>;%s\n"
           "ld.param.u64 %%rd0, [out]; ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [s];\n"
           "mov.u32 %%r0, %%tid.x;\n"
           "mul.wide.u32 %%rd3, %%r0, %u; add.u64 %%rd1, %%rd1, %%rd3;\n"
           "mul.wide.u32 %%rd3, %%r0, %u; add.u64 %%rd0, %%rd0, %%rd3;\n",
           version / 10, version % 10, c->sm, version >= 83 ? " .reg .b128 %q<24>;" : "", in_step, out_step);
}

void hw_kernel_end(struct hw_case *c)
{
    hw_add(&c->ptx, "ret;\n}\n");
}

unsigned hw_register_bytes(unsigned bytes)
{
    return bytes < 2 ? 2 : bytes;
}

struct hw_register hw_register(unsigned bytes, unsigned i)
{
    struct hw_register reg;
    const char *class = bytes <= 2 ? "h" : bytes == 4 ? "r" : bytes == 8 ? "rd" : "q";
    snprintf(reg.name, sizeof reg.name, "%%%s%u", class, i % 100);
    return reg;
}

void hw_tuple(struct hw_text *text, unsigned bytes, unsigned first, unsigned count, bool braces)
{
    for (unsigned i = 0; i < count; i++)
        hw_add(text, "%s%s", i ? "," : braces ? "{" : "", hw_register(bytes, first + i).name);
    hw_add(text, "%s", braces ? "}" : "");
}

static void move_wide(struct hw_text *text, const char *space, unsigned first, bool load, const char *base, unsigned at)
{
    struct hw_register q = hw_register(16, first);
    if (load)
        hw_add(text, "ld%s.v2.b64 {%%rd20,%%rd21}, [%s+%u]; mov.b128 %s, {%%rd20,%%rd21};\n", space, base, at, q.name);
    else
        hw_add(text, "mov.b128 {%%rd20,%%rd21}, %s; st%s.v2.b64 [%s+%u], {%%rd20,%%rd21};\n", q.name, space, base, at);
}

void hw_fetch(struct hw_text *text, const char *space, unsigned bytes, unsigned first, unsigned count, const char *base,
              unsigned at)
{
    unsigned step = hw_register_bytes(bytes);
    for (unsigned i = 0; i < count; i++)
        if (bytes == 16)
            move_wide(text, space, first + i, true, base, at + i * step);
        else
            hw_add(text, "ld%s.b%u %s, [%s+%u];\n", space, 8 * step, hw_register(bytes, first + i).name, base,
                   at + i * step);
}

void hw_store(struct hw_text *text, const char *space, unsigned bytes, unsigned first, unsigned count, const char *base,
              unsigned at)
{
    unsigned step = hw_register_bytes(bytes);
    for (unsigned i = 0; i < count; i++)
        if (bytes == 16)
            move_wide(text, space, first + i, false, base, at + i * step);
        else
            hw_add(text, "st%s.b%u [%s+%u], %s;\n", space, 8 * step, base, at + i * step,
                   hw_register(bytes, first + i).name);
}

void hw_word(struct hw_text *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        hw_put(bytes, &(unsigned char){(unsigned char)(i < 8 ? value >> 8 * i : 0)}, 1);
}

void hw_pad(struct hw_text *bytes, size_t multiple)
{
    while (bytes->size % multiple)
        hw_put(bytes, "\xa5", 1);
}

/* ---- positions ------------------------------------------------------------------------------------------------ */

static uint32_t extent(const struct hw_case *c, char axis, unsigned positions)
{
    switch (axis) {
    case 'x':
        return positions;
    case 'y':
        return c->height;
    case 'z':
        return c->depth;
    default:
        return c->layers;
    }
}

/* What answers for a position outside: see the evidence in docs/hardware.md. */
static enum hw_class classify(const struct hw_case *c, char axis, int32_t value)
{
    const struct hw_spec *spec = &c->spec;
    bool layered = spec->geometry->axes[0] == 'l', buffer = spec->geometry->name[1] == 'd' && spec->geometry->name[2];
    if (buffer || spec->op == HW_SURED_B || spec->op == HW_SURED_P || (spec->op == HW_SUST_P && layered))
        return HW_OPEN;
    if (spec->clamp == HW_CLAMP && layered && axis != 'l' && value < 0)
        return HW_OPEN;
    return spec->clamp == HW_CLAMP ? HW_MEASURED : HW_ISA;
}

struct builder {
    const struct hw_case *c;
    struct hw_point *points;
    unsigned count, positions, scale;
};

/* A position inside, another one each time. */
static struct hw_point inside(const struct builder *b)
{
    struct hw_point point = {0};
    const char *axes = b->c->spec.geometry->axes;
    for (unsigned i = 0; axes[i]; i++) {
        uint32_t count = extent(b->c, axes[i], b->positions);
        uint32_t value = count ? (b->count + i) % count : 0;
        point.at[i] = (int32_t)(axes[i] == 'x' ? value * b->scale : value);
    }
    if (!axes[1])
        return point;
    point.at[3] = axes[2] ? point.at[2] : 0;
    return point;
}

static void move(const struct builder *b, struct hw_point *point, unsigned axis, int64_t value)
{
    char name = b->c->spec.geometry->axes[axis];
    uint32_t count = extent(b->c, name, b->positions);
    if (name == 'x') {
        int64_t scale = b->scale, low = INT32_MIN / scale, high = INT32_MAX / scale;
        value = value < low ? low : value > high ? high : value;
        point->at[axis] = (int32_t)(value * scale);
    } else
        point->at[axis] = (int32_t)(uint32_t)value;
    bool outside = name == 'l' ? (uint32_t)value >= count : (int32_t)value < 0 || (int32_t)value >= (int32_t)count;
    if (!outside)
        return;
    enum hw_class class = classify(b->c, name, point->at[axis]);
    point->class = point->outside && point->class > class ? point->class : class;
    point->outside = true;
}

static void add(struct builder *b, struct hw_point point)
{
    if (b->count < HW_POINTS)
        b->points[b->count++] = point;
}

unsigned hw_points(const struct hw_case *c, unsigned positions, unsigned scale, struct hw_point points[HW_POINTS])
{
    struct builder b = {c, points, 0, positions, scale};
    const char *axes = c->spec.geometry->axes;
    unsigned count = (unsigned)strlen(axes);
    bool buffer = strcmp(c->spec.geometry->name, "1d_buffer") == 0;
    for (unsigned axis = 0; axis < count; axis++) {
        int64_t end = extent(c, axes[axis], positions);
        const int64_t values[] = {0, end - 1, end, end + 1, -1, -2, 1 << 10, 65536, -65536, INT32_MAX, INT32_MIN};
        for (size_t i = 0; i < HW_COUNT(values); i++) {
            struct hw_point point = inside(&b);
            point.class = buffer ? HW_OPEN : HW_ISA;
            move(&b, &point, axis, values[i]);
            add(&b, point);
        }
    }
    for (unsigned axis = 1; axis < count; axis++)
        for (int sign = 0; sign < 2; sign++) {
            struct hw_point point = inside(&b);
            for (unsigned i = 0; i <= axis; i++)
                move(&b, &point, i, sign ? -3 : 5000);
            add(&b, point);
        }
    return b.count;
}

/* What was open and a record has answered (docs/hardware.md), so that it stays as it is. Names do not change: those
 * with a class in them keep the one that they were made with. */
static bool is_answered(const struct hw_case *c)
{
    static const char *const open[] = {"/generic-local", "suq.channel_", "suq.array_size", "suq.memory_layout"};
    if (c->class == HW_CHOICE)
        return strstr(c->name, "/row-") || strncmp(c->name, "{div,rem}", 9) == 0;
    for (unsigned i = 0; i < HW_COUNT(open); i++)
        if (strstr(c->name, open[i]))
            return false;
    return c->class == HW_OPEN;
}

void hw_generate(struct hw_cases *cases)
{
    hw_generate_surfaces(cases);
    hw_generate_reductions(cases);
    hw_generate_atomics(cases);
    hw_generate_pure(cases);
    for (size_t i = 0; i < cases->count; i++)
        if (is_answered(&cases->at[i]))
            cases->at[i].class = HW_MEASURED;
}

bool hw_cases_take(struct hw_cases *cases, const char *path)
{
    char message[256] = "cannot be read";
    if (!path) {
        hw_generate(cases);
        return true;
    }
    FILE *file = fopen(path, "r");
    bool ok = file && hw_cases_read(file, cases, message);
    if (!ok)
        fprintf(stderr, "%s: %s\n", path, message);
    if (file)
        fclose(file);
    return ok;
}

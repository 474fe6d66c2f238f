/* Runs CTM programs that are made from the input (ctm_gen.c) in the ways there are, and compares: two instruction sets
 * of the host do the same to the last bit and trap alike; other orders of groups and several host threads give the same
 * memory; processors that go apart do as their group would; programs that wait for their lookups do not see when
 * results are written; ALU instructions are as plain C has them (ctm_ref.h); an ordinary launch (src/isa/ctm/units.c)
 * does what one does that is told the same in other words. */
#include <string.h>

#include "../ctm_ref.h"
#include "base/text.h"
#include "ctm_gen.h"
#include "engine/run.h"
#include "fuzz.h"
#include "isa/ctm/text.h"
#include "mem/format.h"
#include "mem/layout.h"
#include "mem/surface.h"

enum { WIDTH = 24, HEIGHT = 14, READS = 5, FORMATS = 5, KEPT = CTM_OUTPUTS + 1, BYTES = 1 << 14 };

struct machine {
    struct device *device;
    struct surface *reads[READS], *outs[FORMATS][2][CTM_OUTPUTS], *conds[2];
};

struct outcome {
    unsigned char memory[KEPT][BYTES];
    struct atoll_stats stats;
    struct atoll_error error;
    struct atoll_trap trap;
    bool good;
};

struct way {
    const char *name;
    bool best; /* the host's best instruction set; else the plainest */
    enum atoll_order order;
    int tex_write; /* of guarded programs alone; -1: the case's */
    bool together; /* groups keep to one program counter */
    enum atoll_engine engine;
};
static const struct way ways[] = {
    {"base", false, ATOLL_ORDER_DETERMINISTIC, -1, false, ATOLL_ENGINE_INTERPRETER},
    {"best", true, ATOLL_ORDER_DETERMINISTIC, -1, false, ATOLL_ENGINE_INTERPRETER},
    {"seeded", true, ATOLL_ORDER_SEEDED, -1, false, ATOLL_ENGINE_INTERPRETER},
    {"parallel", true, ATOLL_ORDER_PARALLEL, -1, false, ATOLL_ENGINE_INTERPRETER},
    {"compiled", true, ATOLL_ORDER_DETERMINISTIC, -1, false, ATOLL_ENGINE_JIT},
    {"together", true, ATOLL_ORDER_DETERMINISTIC, -1, true, ATOLL_ENGINE_INTERPRETER},
    {"deferred", true, ATOLL_ORDER_DETERMINISTIC, CTM_TEX_DEFERRED, false, ATOLL_ENGINE_INTERPRETER},
    {"immediate", true, ATOLL_ORDER_DETERMINISTIC, CTM_TEX_IMMEDIATE, false, ATOLL_ENGINE_INTERPRETER},
    {"late", true, ATOLL_ORDER_DETERMINISTIC, CTM_TEX_SEEDED, false, ATOLL_ENGINE_INTERPRETER},
};
enum { WAYS = sizeof ways / sizeof *ways, OWN = 6 /* the first that are of the case's own tex_write */ };

/* ---- the machine ------------------------------------------------------------------------------------------ */

static struct surface *make(struct device *device, const char *format, bool tiled, bool quad, uint32_t width)
{
    struct surface_shape shape = {.dim = LANE_DIM_2D,
                                  .width = width,
                                  .height = HEIGHT,
                                  .format = format_find(format),
                                  .layout = layout_find(tiled ? "tile-r580" : "pitch"),
                                  .quad = quad};
    struct surface *s;
    struct atoll_error error;
    fuzz_check(surface_make(&shape, &s, &error) && device_add_surface(device, s, DEVICE_HEADER_ANY, &error));
    fuzz_check(s->size <= BYTES);
    for (uint64_t i = 0; i < s->size; i++)
        s->texels[i] = (unsigned char)(i * 0x9e3779b97f4a7c15u >> 56 & (i % 4 == 3 ? 0x43 : 0xff));
    return s;
}

static const struct machine *machine(void)
{
    static const char *const formats[FORMATS] = {"rgba32float", "rg32float", "rgba8unorm", "r32float", "r16unorm"};
    static struct machine made;
    struct machine *m = &made;
    struct atoll_error error;
    if (m->device)
        return m;
    fuzz_check(device_create(UINT64_C(1) << 28, &m->device, &error));
    for (unsigned i = 0; i < READS; i++)
        m->reads[i] = make(m->device, formats[i], i % 2, i >= 3, 9 + i);
    for (unsigned i = 0; i < FORMATS * 2 * CTM_OUTPUTS; i++)
        m->outs[i / 8][i / 4 % 2][i % 4] = make(m->device, formats[i / 8], i / 4 % 2, false, WIDTH - i % 4);
    for (unsigned i = 0; i < 2; i++)
        m->conds[i] = make(m->device, formats[3 + i], i, false, WIDTH);
    return m;
}

/* Output `o` of a case: uncached ones have elements of 32 bits, plain ones hold what the program gives. */
static struct surface *output_of(const struct machine *m, const struct ctm_case *c, unsigned o)
{
    unsigned format = c->plain ? 0 : ctm_uncached(&c->program) ? 2 + c->formats % 2 : (c->formats + o) % FORMATS;
    return m->outs[format][(c->formats / 8 + o) % 2][o];
}

static void surfaces_of(const struct machine *m, const struct ctm_case *c, struct surface *kept[KEPT])
{
    for (unsigned o = 0; o < CTM_OUTPUTS; o++)
        kept[o] = output_of(m, c, o);
    kept[CTM_OUTPUTS] = m->conds[c->formats / 16 % 2];
}

static void bind(const struct machine *m, struct ctm_case *c)
{
    struct surface *kept[KEPT];
    surfaces_of(m, c, kept);
    for (unsigned i = 0; i < CTM_INPUTS; i++) {
        bool own = ctm_uncached(&c->program) && i == GEN_OWN_INPUT;
        memcpy(c->params + CTM_PARAM_INPUTS + 8 * i, &(own ? kept[0] : m->reads[i % READS])->handle, 8);
    }
    for (unsigned o = 0; o < CTM_OUTPUTS; o++)
        memcpy(c->params + CTM_PARAM_OUTPUTS + 8 * o, &kept[o]->handle, 8);
    memcpy(c->params + CTM_PARAM_COND, &kept[CTM_OUTPUTS]->handle, 8);
}

/* ---- one way ---------------------------------------------------------------------------------------------- */

static void run_way(const struct machine *m, struct program *program, const struct ctm_case *c, const struct way *way,
                    struct outcome *out)
{
    struct surface *kept[KEPT];
    struct atoll_launch_options launch = {.grid = {c->grid[0], c->grid[1], 1},
                                          .parameters = c->params,
                                          .parameter_bytes = sizeof c->params,
                                          .threads = 2,
                                          .order = way->order,
                                          .seed = c->seed,
                                          .engine = way->engine,
                                          .no_cache = true,
                                          .instruction_limit = 100000};
    memset(out, 0, sizeof *out);
    surfaces_of(m, c, kept);
    for (unsigned i = 0; i < KEPT; i++)
        for (uint64_t k = 0; k < kept[i]->size; k++)
            kept[i]->texels[k] = (unsigned char)(i + k % 61);
    out->good = program_launch(program, c->program.name, &launch, &out->stats, &out->trap, &out->error);
    out->stats.seconds = out->stats.compile_seconds = 0;
    out->stats.compiled_blocks = out->stats.compiled = out->stats.cached = 0;
    out->stats.stepped = 0;
    out->stats.not_compiled = NULL;
    for (unsigned i = 0; i < KEPT; i++)
        memcpy(out->memory[i], kept[i]->texels, (size_t)kept[i]->size);
}

static void print(const struct ctm_case *c)
{
    struct text text = {0};
    ctm_print(&c->program, &text);
    fprintf(stderr, "%s\n%u x %u index pairs, domain", text_ok(&text) ? text.bytes : "", c->grid[0], c->grid[1]);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t value;
        memcpy(&value, c->params + CTM_PARAM_DOMAIN + 4 * i, sizeof value);
        fprintf(stderr, " %u", value);
    }
    fprintf(stderr, ", tex_write %d, %s\n", (int)c->tex_write, c->guarded ? "guarded" : "not guarded");
}

/* Says what went wrong and ends. */
static void differ(const struct ctm_case *c, const struct way *way, const char *what, const struct outcome *a,
                   const struct outcome *b)
{
    print(c);
    fprintf(stderr, "%s: %s\n%s: %s\n%s: %s\n", way->name, what, ways[0].name, a->good ? "ok" : a->error.message,
            way->name, b->good ? "ok" : b->error.message);
    for (unsigned i = 0, told = 0; i < KEPT; i++)
        for (unsigned k = 0; k < BYTES && told < 8; k++)
            if (a->memory[i][k] != b->memory[i][k])
                fprintf(stderr, "surface %u, byte %u: %02x, %02x\n", i, k, a->memory[i][k], b->memory[i][k]), told++;
    abort();
}

/* `same`: instructions and their order are the same. */
static void compare(const struct ctm_case *c, const struct way *way, const struct outcome *a, const struct outcome *b)
{
    bool same = way == &ways[1], one = c->grid[0] <= CTM_BLOCK_X && c->grid[1] <= CTM_BLOCK_Y;
    bool limited = a->error.status == ATOLL_LIMIT || b->error.status == ATOLL_LIMIT;
    if (limited && !same)
        return; /* counts differ, and which group comes to the limit */
    if (a->good != b->good || (!a->good && a->error.status != b->error.status && (same || one)))
        differ(c, way, "another end", a, b);
    if ((same || one) && !a->good && !limited && strcmp(a->error.message, b->error.message) != 0)
        differ(c, way, "another message", a, b);
    if ((same || one) && !a->good && !limited &&
        (strcmp(a->trap.cause ? a->trap.cause : "", b->trap.cause ? b->trap.cause : "") != 0 ||
         a->trap.line != b->trap.line))
        differ(c, way, "another trap", a, b);
    if ((same || a->good) && memcmp(a->memory, b->memory, sizeof a->memory) != 0)
        differ(c, way, "other memory", a, b);
    if (same && memcmp(&a->stats, &b->stats, sizeof a->stats) != 0)
        differ(c, way, "other counters", a, b);
}

/* ---- plain C ---------------------------------------------------------------------------------------------- */

struct group {
    struct ctm_ref lane[CTM_BLOCK_Y][CTM_BLOCK_X];
};

static void refer(const struct ctm_case *c, const uint32_t corner[2], struct group *g)
{
    static uint32_t constants[CTM_FLOATS][CTM_CHANNELS];
    static struct group before;
    memcpy(constants, c->params + CTM_PARAM_FLOATS, sizeof constants);
    memset(g, 0, sizeof *g);
    for (unsigned n = 0; n < CTM_BLOCK_X * CTM_BLOCK_Y; n++) {
        struct ctm_ref *p = &g->lane[n / CTM_BLOCK_X][n % CTM_BLOCK_X];
        p->constant = constants;
        p->zero_times = ctm_zero_times(&c->program);
        p->temp[CTM_INDEX_TEMP][0] = ref_bits((float)(corner[0] + n % CTM_BLOCK_X));
        p->temp[CTM_INDEX_TEMP][1] = ref_bits((float)(corner[1] + n / CTM_BLOCK_X));
        p->temp[CTM_INDEX_TEMP][3] = ref_bits(1);
    }
    for (uint32_t pc = 0; pc < c->program.ninsts; pc++) {
        before = *g;
        for (unsigned n = 0; n < CTM_BLOCK_X * CTM_BLOCK_Y; n++) {
            unsigned x = n % CTM_BLOCK_X, y = n / CTM_BLOCK_X, left = x & ~1u, top = y & ~1u;
            const struct ctm_ref *const quad[4] = {&before.lane[top][left], &before.lane[top][left + 1],
                                                   &before.lane[top + 1][left], &before.lane[top + 1][left + 1]};
            (void)ctm_ref_alu(quad, x % 2 + y % 2 * 2, &c->insts[pc], &g->lane[y][x]);
        }
    }
}

static void pair_check(const struct ctm_case *c, const struct ctm_ref *p, struct surface *const kept[KEPT], uint32_t i,
                       uint32_t j)
{
    for (unsigned o = 0; o < CTM_OUTPUTS; o++) {
        uint32_t texel[4];
        const struct surface *s = kept[o];
        if (!ctm_has(&c->program.outputs, o) || i >= s->width || j >= s->height)
            continue;
        memcpy(texel, s->texels + s->layout->offset(s, (uint64_t)i * s->format->bytes, j, 0), sizeof texel);
        for (unsigned k = 0; k < CTM_CHANNELS; k++)
            if (texel[k] != p->output[o][k]) {
                print(c);
                fprintf(stderr, "(%u, %u), output %u, channel %u: 0x%08x, not 0x%08x\n", i, j, o, k, texel[k],
                        p->output[o][k]);
                abort();
            }
    }
}

/* Outputs as the last way left them. */
static void check_plain(const struct machine *m, const struct ctm_case *c)
{
    static struct group g;
    struct surface *kept[KEPT];
    uint32_t domain[4];
    surfaces_of(m, c, kept);
    memcpy(domain, c->params + CTM_PARAM_DOMAIN, sizeof domain);
    uint32_t width = domain[2] ? domain[2] : c->grid[0], height = domain[2] ? domain[3] : c->grid[1];
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t corner[2] = {domain[0] + x - x % CTM_BLOCK_X, domain[1] + y - y % CTM_BLOCK_Y};
            if (x % CTM_BLOCK_X == 0)
                refer(c, corner, &g);
            pair_check(c, &g.lane[y % CTM_BLOCK_Y][x % CTM_BLOCK_X], kept, domain[0] + x, domain[1] + y);
        }
}

/* ---- all ways --------------------------------------------------------------------------------------------- */

struct loaded {
    struct arena arena;
    struct lane_module lanes;
    struct program *program; /* refers to `lanes` */
};

static void load(const struct machine *m, const struct ctm_case *c, const struct way *way, struct loaded *out)
{
    struct atoll_error error = {0};
    enum ctm_tex_write tex_write = way->tex_write < 0 ? c->tex_write : (enum ctm_tex_write)way->tex_write;
    *out = (struct loaded){.program = NULL};
    if (ctm_lower_program(&out->arena, &c->program, tex_write, way->together, &out->lanes, &error) &&
        lane_verify(&out->lanes, &error) &&
        program_create_on(way->best ? executor_best() : executor_portable(), m->device, &out->lanes, 0, NULL,
                          &out->program, &error))
        return;
    print(c);
    fprintf(stderr, "%s\n", error.message);
    abort();
}

static void unload(struct loaded *l)
{
    program_destroy(l->program);
    lane_module_free(&l->lanes);
    arena_free(&l->arena);
}

/* The case as an ordinary launch: whole groups, no test, no masks. */
static void make_usual(const struct ctm_case *from, struct ctm_case *c)
{
    static const unsigned states[] = {CTM_PARAM_DOMAIN + 8, CTM_PARAM_DOMAIN + 12, CTM_PARAM_COND_TEST,
                                      CTM_PARAM_OUT_MASK, CTM_PARAM_COND_MASK};
    *c = *from;
    c->program.insts = c->insts;
    c->grid[0] = (c->grid[0] + CTM_BLOCK_X - 1) / CTM_BLOCK_X * CTM_BLOCK_X;
    c->grid[1] = (c->grid[1] + CTM_BLOCK_Y - 1) / CTM_BLOCK_Y * CTM_BLOCK_Y;
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
        memset(c->params + states[i], 0, 4);
}

/* The same by way of a domain that ends a group before the grid does: not an ordinary launch. */
static void check_usual(const struct machine *m, const struct ctm_case *from)
{
    static struct outcome usual, other;
    static struct ctm_case c;
    struct loaded loaded;
    make_usual(from, &c);
    load(m, &c, &ways[1], &loaded);
    run_way(m, loaded.program, &c, &ways[1], &usual);
    memcpy(c.params + CTM_PARAM_DOMAIN + 8, c.grid, sizeof c.grid);
    c.grid[0] += CTM_BLOCK_X;
    run_way(m, loaded.program, &c, &ways[1], &other);
    unload(&loaded);
    if (usual.error.status == ATOLL_LIMIT || other.error.status == ATOLL_LIMIT)
        return;
    if (usual.good != other.good || strcmp(usual.error.message, other.error.message) != 0)
        differ(&c, &ways[1], "not as an ordinary launch ends", &usual, &other);
    if (memcmp(usual.memory, other.memory, sizeof usual.memory) != 0)
        differ(&c, &ways[1], "other memory than of an ordinary launch", &usual, &other);
}

static void check(const struct machine *m, const struct ctm_case *c)
{
    static struct outcome first, other;
    struct atoll_error error;
    struct loaded loaded;
    for (size_t i = 0; i < (c->guarded ? WAYS : OWN); i++) {
        if (i < 2 || i >= OWN || ways[i].together) { /* orders are of the same program */
            if (i)
                unload(&loaded);
            load(m, c, &ways[i], &loaded);
        }
        if (!atoll_engine_available(ways[i].engine, &error))
            continue;
        run_way(m, loaded.program, c, &ways[i], i ? &other : &first);
        if (i)
            compare(c, &ways[i], &first, &other);
        else if (!first.good)
            fuzz_check(first.error.status != ATOLL_OK && first.error.message[0]);
    }
    unload(&loaded);
    if (getenv("FUZZ_TELL"))
        fprintf(stderr, "%s\n", first.good ? "ok" : first.error.message);
    if (c->plain && !first.good)
        differ(c, &ways[0], "does not end", &first, &first);
    if (c->plain)
        check_plain(m, c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ctm_case c;
    const struct machine *m = machine();
    ctm_generate(data, size, &c);
    bind(m, &c);
    check(m, &c);
    check_usual(m, &c);
    return 0;
}

/* start_program: what the units hold becomes the parameters of a launch. docs/ctm.md, "Units". */
#include "machine/inside.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- clients: surfaces over the memory -------------------------------------------------------------------- */

/* The formats of set_*_fmt (docs/ctm.md, "Memory"). */
static const struct {
    const char *name;
    unsigned bytes, channels;
} formats[] = {
    {"r16unorm", 2, 1}, {"rgba8unorm", 4, 4}, {"r32float", 4, 1}, {"rg32float", 8, 2}, {"rgba32float", 16, 4},
};
enum { FORMATS = sizeof formats / sizeof formats[0], TILED = 1, QUADS = 2 };

void machine_client_drop(struct machine_client *client)
{
    atoll_surface_destroy(client->surface);
    client->surface = NULL;
}

/* Who a client is, for messages. */
struct who {
    const char *kind, *command;
    int number; /* below 0: there is only one */
};

static bool client_wrong(const struct who *who, const char *what, struct atoll_error *error)
{
    if (who->number < 0)
        return error_set(error, ATOLL_INPUT, "%s%s", who->kind, what);
    return error_set(error, ATOLL_INPUT, "%s %d%s", who->kind, who->number, what);
}

/* Bytes of a client's elements: rows of `pitch`, or whole macro-tiles of 2048 bytes. */
static uint64_t client_bytes(const struct machine_client *client)
{
    uint64_t bytes = formats[client->format].bytes, height = client->height;
    if (client->tiling & TILED) {
        uint64_t rows = bytes == 16 ? 8 : 16;
        height = (height + rows - 1) / rows * rows;
    }
    return bytes * client->pitch * height;
}

static bool client_check(const struct machine *m, const struct machine_client *client, const struct who *who,
                         struct atoll_error *error)
{
    char text[200];
    if (!client->set) {
        snprintf(text, sizeof text, " has no format: %s was not issued", who->command);
        return client_wrong(who, text, error);
    }
    if (client->format >= FORMATS)
        return client_wrong(who, " has a reserved format", error);
    unsigned macro = formats[client->format].bytes == 2 ? 64 : formats[client->format].bytes == 4 ? 32 : 16;
    if (!client->pitch || !client->height)
        return client_wrong(who, client->pitch ? ": height 0" : ": pitch 0", error);
    if (client->tiling & TILED && client->pitch % macro) {
        snprintf(text, sizeof text, ": pitch %u: tiles of this format want a multiple of %u", client->pitch, macro);
        return client_wrong(who, text, error);
    }
    if (!machine_holds(m, client->base, client_bytes(client))) {
        snprintf(text, sizeof text, ": %" PRIu64 " bytes at 0x%08x are outside of the memory", client_bytes(client),
                 client->base);
        return client_wrong(who, text, error);
    }
    return true;
}

/* A surface of the client's elements at `address`. Two by two elements are an input's only (guide p.10). */
static bool surface_over(const struct machine *m, const struct machine_client *client, bool input, uint64_t address,
                         struct atoll_surface **surface, struct atoll_error *error)
{
    bool tiled = client->tiling & TILED;
    struct atoll_surface_desc desc = {
        .dimension = ATOLL_DIM_2D,
        .width = client->pitch,
        .height = client->height,
        .format = formats[client->format].name,
        .layout = {tiled ? "tile-r580" : "pitch", {(uint64_t)client->pitch * formats[client->format].bytes}},
        .quad = input && client->tiling & QUADS,
        .address = address,
    };
    return atoll_surface_create(m->device, &desc, surface, error);
}

static bool client_surface(struct machine *m, struct machine_client *client, const struct who *who, bool input,
                           uint64_t *handle, struct atoll_error *error)
{
    if (!client->surface) {
        if (!client_check(m, client, who, error))
            return false;
        if (input && client->tiling & QUADS && formats[client->format].channels != 1)
            return client_wrong(who, ": elements two by two want a format of one channel", error);
        const struct machine_memory *memory = machine_holds(m, client->base, 1);
        if (!surface_over(m, client, input, memory->address + (client->base - memory->base), &client->surface, error))
            return false;
    }
    *handle = atoll_surface_handle(client->surface);
    return true;
}

bool machine_surface(struct machine *m, const char *name, struct atoll_surface **surface, struct atoll_error *error)
{
    uint64_t handle;
    char known[8];
    struct who who = {"the conditional output buffer", "set_cond_out_fmt", -1};
    struct machine_client *client = strcmp(name, "cond") == 0 ? &m->cond : NULL;
    for (int i = 0; i < CTM_INPUTS + CTM_OUTPUTS && !client; i++) {
        bool input = i < CTM_INPUTS;
        who = input ? (struct who){"input", "set_inp_fmt", i} : (struct who){"output", "set_out_fmt", i - CTM_INPUTS};
        snprintf(known, sizeof known, "%s%d", input ? "in" : "out", who.number);
        if (strcmp(name, known) == 0)
            client = input ? &m->inputs[who.number] : &m->outputs[who.number];
    }
    if (!client)
        return error_set(error, ATOLL_USAGE, "'%.200s': wanted in0 to in15, out0 to out3 or cond", name);
    if (!client_surface(m, client, &who, strncmp(name, "in", 2) == 0, &handle, error))
        return false;
    *surface = client->surface;
    return true;
}

/* ---- a start ---------------------------------------------------------------------------------------------- */

struct start {
    struct machine *m;
    uint8_t *block; /* parameters */
    struct machine_writes writes[CTM_OUTPUTS + 1];
    unsigned nwrites;
    /* Inputs as their cache shows them, in the seeded order. */
    struct atoll_surface *views[CTM_INPUTS];
    uint64_t copies[CTM_INPUTS];
    struct atoll_error *error;
};

static void parameter(struct start *s, uint32_t offset, uint32_t value)
{
    bytes_put(s->block + offset, value, 4);
}

/* An input by way of the input cache: a copy of its memory, with the lines of the cache over it. */
static bool input_view(struct start *s, unsigned number, uint64_t *handle)
{
    struct machine *m = s->m;
    const struct machine_client *client = &m->inputs[number];
    uint64_t size = client_bytes(client);
    if (!atoll_memory_alloc(m->device, size, &s->copies[number], s->error))
        return false;
    uint8_t *copy = atoll_memory_map(m->device, s->copies[number], size, s->error);
    memcpy(copy, machine_at(m, client->base, size), size);
    if (!machine_read_through(m, CACHE_INPUT, client->base, size, copy, s->error) ||
        !surface_over(m, client, true, s->copies[number], &s->views[number], s->error))
        return false;
    *handle = atoll_surface_handle(s->views[number]);
    return true;
}

static bool bind_inputs(struct start *s)
{
    struct machine *m = s->m;
    for (unsigned i = 0; i < CTM_INPUTS; i++) {
        uint64_t handle;
        const struct who who = {"input", "set_inp_fmt", (int)i};
        if (!ctm_has(&m->program.listed.inputs, i))
            continue;
        if (!client_surface(m, &m->inputs[i], &who, true, &handle, s->error))
            return false;
        if (machine_seeded(m) && !ctm_has(&m->program.uncached, i) && !input_view(s, i, &handle))
            return false;
        bytes_put(s->block + CTM_PARAM_INPUTS + 8 * i, handle, 8);
    }
    return true;
}

static bool writes_through(struct start *s, enum machine_cache cache, const struct machine_client *client)
{
    return machine_writes_begin(s->m, cache, client->base, client_bytes(client), &s->writes[s->nwrites++], s->error);
}

static bool bind_outputs(struct start *s)
{
    struct machine *m = s->m;
    for (unsigned i = 0; i < CTM_OUTPUTS; i++) {
        uint64_t handle;
        const struct who who = {"output", "set_out_fmt", (int)i};
        if (!ctm_has(&m->program.listed.outputs, i))
            continue;
        if (!client_surface(m, &m->outputs[i], &who, false, &handle, s->error) ||
            (!ctm_uncached(&m->program.listed) && !writes_through(s, CACHE_OUT, &m->outputs[i])))
            return false;
        bytes_put(s->block + CTM_PARAM_OUTPUTS + 8 * i, handle, 8);
    }
    return true;
}

/* The conditional output buffer, where the state asks for it: to compare with, or to write. */
static bool bind_cond(struct start *s)
{
    struct machine *m = s->m;
    const struct who who = {"the conditional output buffer", "set_cond_out_fmt", -1};
    uint64_t handle;
    bool compared = m->cond_test != 0 && m->cond_test != 7;
    if (!compared && !m->cond_out_mask)
        return true;
    if (m->cond.set && m->cond.format < FORMATS && m->cond.format != 0 && m->cond.format != 2)
        return client_wrong(&who, ": wanted UINT16_1 or FLOAT32_1", s->error);
    if (!client_surface(m, &m->cond, &who, false, &handle, s->error) || !writes_through(s, CACHE_COND, &m->cond))
        return false;
    bytes_put(s->block + CTM_PARAM_COND, handle, 8);
    return true;
}

/* Constants of a kind, which lie at fixed places from a base on. What is not listed may be outside of the memory. */
static bool bind_constants(struct start *s, unsigned kind, const char *name, const char *command, unsigned size,
                           const struct ctm_set *listed, uint8_t *to)
{
    struct machine *m = s->m;
    const struct machine_client *client = &m->consts[kind];
    unsigned count = kind ? CTM_INTS : CTM_FLOATS, there = 0;
    uint64_t room = 0;
    const uint8_t *memory = client->set ? machine_from(m, client->base, &room) : NULL;
    if (memory) {
        there = room / size < count ? (unsigned)(room / size) : count;
        memcpy(to, memory, (size_t)there * size);
        if (!machine_read_through(m, (enum machine_cache)(CACHE_CONSTF + kind), client->base, (uint64_t)there * size,
                                  to, s->error))
            return false;
    }
    for (unsigned i = there; listed && i < count; i++) {
        if (!ctm_has(listed, i))
            continue;
        if (!client->set)
            return error_set(s->error, ATOLL_INPUT, "the program reads %s constant %u: %s was not issued", name, i,
                             command);
        return error_set(s->error, ATOLL_INPUT, "%s constant %u, %u bytes at 0x%08" PRIx64 ", is outside of the memory",
                         name, i, size, client->base + (uint64_t)i * size);
    }
    return true;
}

static bool bind_all(struct start *s)
{
    struct machine *m = s->m;
    parameter(s, CTM_PARAM_COND_VAL, m->cond_val);
    parameter(s, CTM_PARAM_COND_TEST, m->cond_test ^ 7);
    parameter(s, CTM_PARAM_COND_LOC, m->cond_loc);
    parameter(s, CTM_PARAM_OUT_MASK, ~m->out_mask & 15);
    parameter(s, CTM_PARAM_COND_MASK, m->cond_out_mask);
    parameter(s, CTM_PARAM_DOMAIN, m->domain[0]);
    parameter(s, CTM_PARAM_DOMAIN + 4, m->domain[1]);
    parameter(s, CTM_PARAM_DOMAIN + 8, m->domain[2] - m->domain[0] + 1);
    parameter(s, CTM_PARAM_DOMAIN + 12, m->domain[3] - m->domain[1] + 1);
    const struct ctm_program *listed = &m->program.listed;
    return bind_constants(s, 0, "float", "set_constf_fmt", 16, &listed->floats, s->block + CTM_PARAM_FLOATS) &&
           bind_constants(s, 1, "integer", "set_consti_fmt", 4, &listed->ints, s->block + CTM_PARAM_INTS) &&
           bind_constants(s, 2, "boolean", "set_constb_fmt", 4, NULL, s->block + CTM_PARAM_BOOLS) && bind_inputs(s) &&
           bind_outputs(s) && bind_cond(s);
}

/* ---- the launch ------------------------------------------------------------------------------------------- */

static void stats_add(struct machine *m, const struct atoll_stats *done)
{
    struct atoll_stats *sum = &m->stats->launched;
    m->stats->launches++;
    sum->blocks += done->blocks;
    sum->warps += done->warps;
    sum->warp_instructions += done->warp_instructions;
    sum->lane_instructions += done->lane_instructions;
    sum->divergent_branches += done->divergent_branches;
    sum->barriers += done->barriers;
    sum->global_accesses += done->global_accesses;
    sum->shared_accesses += done->shared_accesses;
    sum->local_accesses += done->local_accesses;
    sum->surface_accesses += done->surface_accesses;
    sum->atomics += done->atomics;
    sum->seconds += done->seconds;
    sum->compiled_blocks += done->compiled_blocks;
    sum->compiled += done->compiled;
    sum->cached += done->cached;
    sum->compile_seconds += done->compile_seconds;
    sum->stepped += done->stepped;
    sum->not_compiled = done->not_compiled ? done->not_compiled : sum->not_compiled;
    /* The choice of a clock: a warp's instruction. */
    if (m->counters.running) {
        m->counters.clocks += (uint32_t)done->warp_instructions;
        m->counters.busy += (uint32_t)done->warp_instructions;
    }
}

static bool limits(struct machine *m, struct atoll_launch_options *launch, struct atoll_error *error)
{
    if (m->options.instruction_limit && !m->left)
        return error_set(error, ATOLL_LIMIT, "the instruction limit of %" PRIu64 " is reached",
                         m->options.instruction_limit);
    launch->instruction_limit = m->left;
    if (m->deadline > 0) {
        double left = m->deadline - machine_clock();
        launch->time_limit = left > 1e-6 ? left : 1e-6;
    }
    return true;
}

static bool run(struct start *s)
{
    struct machine *m = s->m;
    uint32_t width = m->domain[2] - m->domain[0] + 1, height = m->domain[3] - m->domain[1] + 1;
    struct atoll_launch_options launch = {
        .grid = {width, height, 1}, /* index pairs */
        .parameters = s->block,
        .parameter_bytes = m->program.parameter_bytes,
        .threads = m->options.threads,
        .order = m->options.order,
        .engine = m->options.engine,
        .no_cache = m->options.no_cache,
        .seed = m->options.seed + m->launches,
        .interrupt = m->options.interrupt,
    };
    struct atoll_stats done = {0};
    if (!limits(m, &launch, s->error))
        return false;
    bool ok = atoll_launch(m->program.kernel, &launch, &done, NULL, s->error);
    stats_add(m, &done);
    if (m->options.instruction_limit)
        m->left -= m->left < done.warp_instructions ? m->left : done.warp_instructions;
    return ok;
}

/* What was written goes through the caches, whether or not the launch came to its end. */
static bool finish(struct start *s, bool ok)
{
    while (s->nwrites) /* those that overlap nest */
        ok = machine_writes_end(s->m, &s->writes[--s->nwrites], ok ? s->error : NULL) && ok;
    for (unsigned i = 0; i < CTM_INPUTS; i++) {
        atoll_surface_destroy(s->views[i]);
        if (s->copies[i])
            atoll_memory_free(s->m->device, s->copies[i], NULL);
    }
    free(s->block);
    s->m->launches++;
    return ok;
}

bool machine_start(struct machine *m, struct atoll_error *error)
{
    if (!machine_program(m, error))
        return false;
    struct start s = {.m = m, .error = error};
    size_t bytes = m->program.parameter_bytes > CTM_PARAM_BYTES ? m->program.parameter_bytes : CTM_PARAM_BYTES;
    s.block = calloc(1, bytes);
    if (!s.block)
        return error_memory(error);
    /* A domain that ends before it begins has no index pairs. */
    bool none = m->domain[2] < m->domain[0] || m->domain[3] < m->domain[1];
    return finish(&s, bind_all(&s) && (none || run(&s)));
}

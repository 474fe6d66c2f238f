/* Runs litmus tests: the kernel of a test, many instances a launch, for seeds of the seeded order and on two host
 * threads, and counts the outcomes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

enum { INSTANCES = 64 /* blocks of a launch */, SPINS = 200 };

struct bench {
    const struct litmus *test;
    const struct litmus_run *options;
    struct litmus_kernel text;
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_surface *surface;
    struct litmus_outcomes *outcomes;
    uint64_t memory, again, results;
    unsigned char *start, *texels; /* what memory and surface hold at the start of a launch */
    unsigned char *after;          /* the texels at its end */
    uint64_t *read;
    uint64_t memory_bytes, results_bytes, surface_bytes;
    struct atoll_error *error;
    bool told;        /* `error` is set */
    bool loops;       /* threads may wait for each other */
    bool weak, check; /* this launch is in the weak order, is checked */
};

/* ---- preparing ------------------------------------------------------------------------------------------------ */

static const struct litmus_cell *cell_of(const struct bench *b, unsigned long line)
{
    return line && line <= LITMUS_LINES ? b->text.cells[line - 1] : NULL;
}

static void tell(void *user, const struct atoll_diagnostic *d)
{
    struct bench *b = user;
    const struct litmus_cell *cell = cell_of(b, d->line);
    if (d->severity != ATOLL_ERROR || b->told)
        return;
    b->told = true;
    if (cell)
        error_at(b->error, ATOLL_INPUT, cell->line, cell->column, "%s\n    %.*s", d->message, (int)cell->size,
                 cell->text);
    else
        error_set(b->error, ATOLL_INPUT, "in line %u of the kernel: %s\n    %.*s", d->line, d->message,
                  (int)d->line_length, d->line_text);
}

static unsigned instances_of(const struct bench *b, enum atoll_order order)
{
    return (order == ATOLL_ORDER_SEEDED ? LITMUS_BLOCKS : INSTANCES) / b->test->blocks;
}

/* Whether a thread may go back: only then can it wait for another one. */
static bool has_labels(const struct litmus *test)
{
    for (unsigned i = 0; i < test->nthreads; i++)
        for (unsigned k = 0; k < test->nrows; k++)
            if (test->threads[i].cells[k].size &&
                memchr(test->threads[i].cells[k].text, ':', test->threads[i].cells[k].size))
                return true;
    return false;
}

static bool prepare_start(struct bench *b, unsigned instances, uint64_t row)
{
    const struct litmus *t = b->test;
    b->start = calloc(1, b->memory_bytes);
    b->texels = calloc(1, b->surface_bytes);
    b->after = calloc(1, b->surface_bytes);
    b->read = calloc(1, b->results_bytes);
    if (!b->start || !b->texels || !b->after || !b->read)
        return error_memory(b->error);
    for (unsigned i = 0; i < instances; i++)
        for (unsigned k = 0; k < t->nplaces; k++) {
            const uint64_t *initial = &t->places[t->places[k].memory].initial;
            memcpy(b->start + i * litmus_stride(t) + k * LITMUS_PLACE_BYTES, initial, 8);
            if (!litmus_overlaid(t))
                memcpy(b->texels + i * row + k * LITMUS_TEXEL_BYTES, initial, 8);
        }
    return true;
}

static bool prepare_memory(struct bench *b)
{
    const struct litmus *t = b->test;
    unsigned instances = instances_of(b, ATOLL_ORDER_PARALLEL);
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D,
                                      .width = (t->nplaces + 1) * LITMUS_TEXEL_BYTES / 4,
                                      .height = instances,
                                      .format = "r32uint"};
    b->memory_bytes = instances * litmus_stride(t);
    b->results_bytes = instances * sizeof(uint64_t[LITMUS_OBSERVED]);
    if (!atoll_memory_alloc(b->device, b->memory_bytes, &b->memory, b->error) ||
        !atoll_memory_alloc(b->device, b->results_bytes, &b->results, b->error))
        return false;
    if (litmus_aliased(t) && !atoll_memory_alias(b->device, b->memory, &b->again, b->error))
        return false;
    if (litmus_overlaid(t)) {
        desc.width = (uint32_t)litmus_stride(t) / 4;
        desc.layout = (struct atoll_layout){"pitch", {litmus_stride(t)}};
        desc.address = b->memory;
    }
    b->surface_bytes = (uint64_t)desc.width * desc.height * 4;
    return atoll_surface_create(b->device, &desc, &b->surface, b->error) &&
           prepare_start(b, instances, (uint64_t)desc.width * 4);
}

static bool prepare(struct bench *b)
{
    struct atoll_module_options options = {.diagnose = tell, .user = b};
    struct atoll_error error;
    bool ok = litmus_emit(b->test, &b->text, b->error) && atoll_device_create(NULL, &b->device, b->error);
    if (ok && !atoll_module_load(b->device, b->text.text, b->text.size, &options, &b->module, &error)) {
        if (!b->told)
            *b->error = error;
        return false;
    }
    return ok && atoll_module_kernel(b->module, "litmus", &b->kernel, b->error) && prepare_memory(b);
}

static void release(struct bench *b)
{
    atoll_surface_destroy(b->surface);
    atoll_module_destroy(b->module);
    atoll_device_destroy(b->device);
    free(b->text.text);
    free(b->start);
    free(b->texels);
    free(b->after);
    free(b->read);
}

/* ---- running -------------------------------------------------------------------------------------------------- */

static uint64_t value_of(const struct bench *b, unsigned instance, unsigned index, const unsigned char *memory)
{
    const struct litmus *t = b->test;
    const struct litmus_observed *o = &t->observed[index];
    uint64_t value = b->read[instance * LITMUS_OBSERVED + index];
    enum litmus_space space = o->thread < 0 ? t->places[o->place].space : LITMUS_SHARED;
    if (space == LITMUS_GLOBAL || (space == LITMUS_SURFACE && litmus_overlaid(t)))
        memcpy(&value, memory + instance * litmus_stride(t) + t->places[o->place].memory * LITMUS_PLACE_BYTES, 8);
    else if (space == LITMUS_SURFACE)
        memcpy(&value, b->after + ((uint64_t)instance * (t->nplaces + 1) + o->place) * LITMUS_TEXEL_BYTES, 8);
    return o->bits < 64 ? value & ((UINT64_C(1) << o->bits) - 1) : value;
}

static bool count(struct bench *b, unsigned instance, enum atoll_order order, const unsigned char *memory)
{
    uint64_t values[LITMUS_OBSERVED] = {0};
    for (unsigned k = 0; k < b->test->nobserved; k++)
        values[k] = value_of(b, instance, k, memory);
    if (!litmus_passes(b->test, values))
        return true;
    struct litmus_outcome *outcome = litmus_outcome(b->outcomes, b->test, values);
    if (!outcome)
        return error_set(b->error, ATOLL_LIMIT, "too many outcomes to count");
    outcome->weak += b->weak;
    outcome->seeded += order == ATOLL_ORDER_SEEDED && !b->weak;
    outcome->parallel += order == ATOLL_ORDER_PARALLEL;
    return true;
}

/* Lines of the kernel in a message become those of the test. The first one is the place of the error if it has none. */
static void retell(struct bench *b)
{
    static const char file[] = "<memory>:", lines[] = "at line ";
    char told[sizeof b->error->message];
    size_t n = 0;
    const char *p = b->error->message;
    while (*p && n + 60 < sizeof told) {
        bool in_file = strncmp(p, file, sizeof file - 1) == 0;
        if (!in_file && strncmp(p, lines, sizeof lines - 1) != 0) {
            told[n++] = *p++;
            continue;
        }
        char *end;
        unsigned long line = strtoul(p + (in_file ? sizeof file : sizeof lines) - 1, &end, 10);
        const struct litmus_cell *cell = cell_of(b, line);
        n += (size_t)snprintf(told + n, sizeof told - n, cell ? "%sline %lu" : "%sline %lu of the kernel around it",
                              in_file ? "" : "at ", cell ? cell->line : line);
        if (cell && !b->error->line) {
            b->error->line = cell->line;
            b->error->column = cell->column;
        }
        p = end;
    }
    told[n] = 0;
    memcpy(b->error->message, told, n + 1);
}

static bool launch_failed(struct bench *b, const struct atoll_trap *trap)
{
    const struct litmus_cell *cell = cell_of(b, trap->line);
    b->error->line = cell ? cell->line : 0;
    b->error->column = cell ? cell->column : 0;
    retell(b);
    return false;
}

static bool launch(struct bench *b, enum atoll_order order, uint64_t seed, unsigned instances)
{
    const struct litmus_run *run = b->options;
    struct atoll_trap trap = {0};
    struct {
        uint64_t memory, results, surface;
        uint32_t spins, unused;
        uint64_t again;
    } arguments = {b->memory, b->results, atoll_surface_handle(b->surface), order == ATOLL_ORDER_PARALLEL ? SPINS : 0,
                   0,         b->again};
    struct atoll_launch_options options = {.grid = {b->test->blocks, instances, 1},
                                           .block = {b->test->block_threads, 1, 1},
                                           .parameters = &arguments,
                                           .parameter_bytes = sizeof arguments,
                                           .threads = 2,
                                           .order = order,
                                           /* Else a host thread runs a block to its end before it begins the next. */
                                           .cooperative = order == ATOLL_ORDER_PARALLEL && b->loops,
                                           .seed = seed,
                                           .weak = b->weak,
                                           .checks = b->check ? ATOLL_CHECK_RACE : 0,
                                           .finding = run->finding,
                                           .user = run->user,
                                           .instruction_limit = 100000000};
    return atoll_launch(b->kernel, &options, NULL, &trap, b->error) || launch_failed(b, &trap);
}

static bool run_once(struct bench *b, enum atoll_order order, uint64_t seed)
{
    unsigned instances = instances_of(b, order);
    bool own = !litmus_overlaid(b->test);
    if (!atoll_memory_write(b->device, b->memory, b->start, instances * litmus_stride(b->test), b->error) ||
        (own && !atoll_surface_write(b->surface, b->texels, b->surface_bytes, b->error)) ||
        !launch(b, order, seed, instances) ||
        !atoll_memory_read(b->device, b->results, b->read, b->results_bytes, b->error) ||
        (own && !atoll_surface_read(b->surface, b->after, b->surface_bytes, b->error)))
        return false;
    const unsigned char *memory = atoll_memory_map(b->device, b->memory, b->memory_bytes, b->error);
    for (unsigned i = 0; memory && i < instances; i++)
        if (!count(b, i, order, memory))
            return false;
    return memory != NULL;
}

bool litmus_run(const struct litmus *test, const struct litmus_run *options, struct litmus_outcomes *outcomes,
                struct atoll_error *error)
{
    struct bench bench = {.test = test, .options = options, .outcomes = outcomes, .error = error};
    *error = (struct atoll_error){0};
    outcomes->count = 0;
    bench.loops = has_labels(test);
    bool ok = prepare(&bench);
    for (unsigned i = 0; ok && i < options->seeds; i++)
        ok = run_once(&bench, ATOLL_ORDER_SEEDED, i + 1);
    for (unsigned i = 0; ok && i < options->parallel; i++)
        ok = run_once(&bench, ATOLL_ORDER_PARALLEL, 0);
    bench.weak = true;
    for (unsigned i = 0; ok && i < options->weak; i++)
        ok = run_once(&bench, ATOLL_ORDER_SEEDED, i + 1);
    bench.check = true;
    for (unsigned i = 0; ok && i < options->checked; i++) {
        bench.weak = options->weak && i % 2; /* what is read matters to who has passed on what */
        ok = run_once(&bench, ATOLL_ORDER_SEEDED, i + 1);
    }
    if (ok)
        litmus_sort(outcomes);
    release(&bench);
    return ok;
}

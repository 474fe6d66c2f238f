/* Runs a litmus test through a driver: many instances a launch, in layouts that make different things likely, and
 * counts what they end with. */
#include "litmus.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SHAPES = 6,
    BLOCKS_A_UNIT = 8, /* fewer than a multiprocessor holds: all blocks are resident at once */
    THREADS_A_UNIT = 1024,
    SPINS = 512, /* looks for the other threads before a test */
    LINE = 128,  /* bytes of a cache line of the device */
    NEAR = 16    /* bytes of the widest access */
};

/* How the instances of a launch lie. */
struct shape {
    unsigned lanes; /* 0, or 31: each lane has an instance */
    unsigned rows, instances;
    uint32_t stride, step; /* memory: instance * stride + place * step */
    size_t bytes;
    uint64_t start; /* on the device: what memory holds at the start */
};

struct bench {
    const struct cuda *cuda;
    const struct hwl_case *c;
    struct hwl_result *result;
    void *module, *function, *array;
    uint64_t memory, again, results, surface, random;
    uint64_t handle;     /* of memory at two addresses, */
    size_t mapped_bytes; /* and its size; 0: it has one */
    struct shape shapes[SHAPES];
    unsigned nshapes, most; /* instances */
    size_t memory_bytes, results_bytes, texel_bytes;
    unsigned char *host; /* memory at the start, at the end */
    uint64_t *read;
    unsigned char *texels, *after;
    unsigned last; /* outcome: the next one is often the same */
    char log[512];
};

static bool check(struct bench *b, enum hw_status status, int error, const char *what)
{
    const char *name = NULL;
    struct hwl_result *r = b->result;
    if (error == CUDA_OK)
        return true;
    b->cuda->error_name(error, &name);
    r->status = status;
    snprintf(r->detail, sizeof r->detail, "%d %s %s %.60s", error, name ? name : "?", what, b->log);
    for (char *at = r->detail; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    return false;
}

static bool fail(struct bench *b, const char *what)
{
    b->result->status = HW_ERROR;
    snprintf(b->result->detail, sizeof b->result->detail, "%s", what);
    return false;
}

/* xorshift64* */
static uint32_t random_word(struct bench *b)
{
    b->random ^= b->random >> 12;
    b->random ^= b->random << 25;
    b->random ^= b->random >> 27;
    return (uint32_t)(b->random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

/* ---- preparing -------------------------------------------------------------------------------------------------- */

/* Far: locations have lines of their own. Near: those of neighbours share lines. Arrays: each location is an array. */
enum lie { FAR, NEARBY, ARRAYS };

static void shape(struct bench *b, bool lanes, unsigned share, enum lie lie, unsigned units)
{
    const struct hwl_case *c = b->c;
    struct shape *s = &b->shapes[b->nshapes++];
    unsigned a_unit = THREADS_A_UNIT / ((c->threads + 31) / 32 * 32);
    unsigned blocks = units * (a_unit > BLOCKS_A_UNIT ? BLOCKS_A_UNIT : a_unit ? a_unit : 1) / c->blocks;
    for (s->rows = 1; s->rows * 2 <= blocks && s->rows < 1024; s->rows *= 2)
        ;
    s->rows = s->rows / share ? s->rows / share : 1;
    s->lanes = c->lanes == HWL_LANES_ALWAYS || (lanes && c->lanes) ? 31 : 0;
    s->instances = s->rows * (s->lanes + 1);
    s->step = lie == FAR ? LINE : lie == NEARBY ? NEAR : s->instances * NEAR;
    s->stride = lie == ARRAYS ? NEAR : (c->nplaces + 1) * s->step;
    s->bytes = (size_t)s->instances * (c->nplaces + 1) * (lie == FAR ? LINE : NEAR);
    b->memory_bytes = s->bytes > b->memory_bytes ? s->bytes : b->memory_bytes;
    b->most = s->instances > b->most ? s->instances : b->most;
}

static void shape_all(struct bench *b, unsigned units)
{
    shape(b, true, 1, FAR, units);
    shape(b, true, 4, NEARBY, units);
    shape(b, true, 16, ARRAYS, units);
    shape(b, false, 1, NEARBY, units);
    shape(b, false, 4, FAR, units);
    shape(b, true, 1, ARRAYS, units);
    b->results_bytes = (size_t)b->most * HWL_VALUES * sizeof *b->read;
    b->texel_bytes = (size_t)b->most * (b->c->nplaces + 1) * HWL_TEXEL_BYTES;
}

static bool upload_start(struct bench *b, struct shape *s)
{
    memset(b->host, 0, s->bytes);
    for (unsigned i = 0; i < s->instances; i++)
        for (unsigned k = 0; k < b->c->nplaces; k++)
            memcpy(b->host + (size_t)i * s->stride + (size_t)k * s->step, &b->c->initial[k], 8);
    return check(b, HW_ERROR, b->cuda->alloc(&s->start, s->bytes), "cuMemAlloc") &&
           check(b, HW_ERROR, b->cuda->to_device(s->start, b->host, s->bytes), "cuMemcpyHtoD");
}

static bool make_surface(struct bench *b)
{
    struct cuda_array_desc desc = {.width = (b->c->nplaces + 1) * HWL_TEXEL_BYTES / 4,
                                   .height = b->most,
                                   .format = 0x03, /* CU_AD_FORMAT_UNSIGNED_INT32 */
                                   .channels = 1,
                                   .flags = CUDA_SURFACE};
    if (!b->c->surface)
        return true;
    for (unsigned i = 0; i < b->most; i++)
        for (unsigned k = 0; k < b->c->nplaces; k++)
            memcpy(b->texels + ((size_t)i * (b->c->nplaces + 1) + k) * HWL_TEXEL_BYTES, &b->c->initial[k], 8);
    if (!check(b, HW_ERROR, b->cuda->array_create(&b->array, &desc), "cuArray3DCreate"))
        return false;
    struct cuda_resource resource = {.is.array = b->array};
    return check(b, HW_ERROR, b->cuda->surface_create(&b->surface, &resource), "cuSurfObjectCreate");
}

/* An address of memory that was made. */
static bool map(struct bench *b, const struct cuda_location *location, uint64_t *address)
{
    const struct cuda *cuda = b->cuda;
    struct cuda_access access = {.location = *location, .flags = 3};
    return check(b, HW_ERROR, cuda->memory_reserve(address, b->mapped_bytes, 0, 0, 0), "cuMemAddressReserve") &&
           check(b, HW_ERROR, cuda->memory_map(*address, b->mapped_bytes, 0, b->handle, 0), "cuMemMap") &&
           check(b, HW_ERROR, cuda->memory_access(*address, b->mapped_bytes, &access, 1), "cuMemSetAccess");
}

static bool make_memory(struct bench *b, int device)
{
    const struct cuda *cuda = b->cuda;
    struct cuda_allocation allocation = {.kind = 1, .location = {1, device}};
    size_t unit = 1;
    if (!b->c->aliased) {
        bool ok = check(b, HW_ERROR, cuda->alloc(&b->memory, b->memory_bytes), "cuMemAlloc");
        b->again = b->memory;
        return ok;
    }
    if (!check(b, HW_ERROR, cuda->memory_granularity(&unit, &allocation, 0), "cuMemGetAllocationGranularity"))
        return false;
    b->mapped_bytes = (b->memory_bytes + unit - 1) / unit * unit;
    return check(b, HW_ERROR, cuda->memory_create(&b->handle, b->mapped_bytes, &allocation, 0), "cuMemCreate") &&
           map(b, &allocation.location, &b->memory) && map(b, &allocation.location, &b->again);
}

static void free_memory(const struct bench *b)
{
    const struct cuda *cuda = b->cuda;
    if (!b->mapped_bytes) {
        cuda->free_memory(b->memory);
        return;
    }
    cuda->memory_unmap(b->again, b->mapped_bytes);
    cuda->memory_unreserve(b->again, b->mapped_bytes);
    cuda->memory_unmap(b->memory, b->mapped_bytes);
    cuda->memory_unreserve(b->memory, b->mapped_bytes);
    cuda->memory_release(b->handle);
}

static bool open(struct bench *b, const struct hwl_effort *effort)
{
    const struct cuda *cuda = b->cuda;
    int options[] = {CUDA_JIT_LOG, CUDA_JIT_LOG_SIZE};
    void *values[] = {b->log, (void *)(uintptr_t)sizeof b->log};
    shape_all(b, effort->units);
    b->host = calloc(1, b->memory_bytes);
    b->read = calloc(1, b->results_bytes);
    b->texels = calloc(1, b->texel_bytes);
    b->after = calloc(1, b->texel_bytes);
    if (!b->host || !b->read || !b->texels || !b->after)
        return fail(b, "no memory left");
    bool ok = check(b, HW_ERROR, cuda->module_load(&b->module, b->c->ptx.data, 2, options, values), "load") &&
              check(b, HW_ERROR, cuda->function(&b->function, b->module, "litmus"), "cuModuleGetFunction") &&
              check(b, HW_ERROR, cuda->alloc(&b->results, b->results_bytes), "cuMemAlloc") &&
              make_memory(b, effort->device) && make_surface(b);
    for (unsigned i = 0; ok && i < SHAPES; i++)
        ok = upload_start(b, &b->shapes[i]);
    return ok;
}

static void shut(struct bench *b)
{
    const struct cuda *cuda = b->cuda;
    bool usable = b->result->status == HW_RAN; /* nothing can be freed in a context that is gone */
    for (unsigned i = 0; usable && i < SHAPES; i++)
        cuda->free_memory(b->shapes[i].start);
    if (usable && b->surface)
        cuda->surface_destroy(b->surface);
    if (usable && b->array)
        cuda->array_destroy(b->array);
    if (usable) {
        cuda->free_memory(b->results);
        free_memory(b);
        cuda->module_unload(b->module);
    }
    free(b->host);
    free(b->read);
    free(b->texels);
    free(b->after);
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

static int copy_texels(const struct bench *b, void *host, bool up)
{
    size_t row = (size_t)(b->c->nplaces + 1) * HWL_TEXEL_BYTES;
    struct cuda_copy_end memory = {.kind = CUDA_HOST, .host = host, .pitch = row, .height = b->most};
    struct cuda_copy_end array = {.kind = CUDA_ARRAY, .array = b->array};
    struct cuda_copy copy = {
        .from = up ? memory : array, .to = up ? array : memory, .width_bytes = row, .height = b->most, .depth = 1};
    return b->array ? b->cuda->copy(&copy) : CUDA_OK;
}

static bool launch(struct bench *b, const struct shape *s)
{
    const struct hwl_case *c = b->c;
    uint32_t spins = SPINS, stride = s->stride, step = s->step, lanes = s->lanes, mask = s->instances - 1;
    uint32_t factor = random_word(b) % 2 ? random_word(b) | 1 : 1, delay = random_word(b) % 2 ? random_word(b) | 1 : 0;
    void *parameters[] = {&b->memory, &b->results, &b->surface, &spins, &b->again, &stride,
                          &step,      &lanes,      &factor,     &mask,  &delay};
    unsigned threads = s->lanes ? (c->threads + 31) / 32 * 32 : c->threads;
    return check(b, HW_ERROR, b->cuda->on_device(b->memory, s->start, s->bytes), "cuMemcpyDtoD") &&
           check(b, HW_ERROR, copy_texels(b, b->texels, true), "cuMemcpy3D") &&
           check(b, HW_ERROR,
                 b->cuda->launch(b->function, c->blocks, s->rows, 1, threads, 1, 1, 0, NULL, parameters, NULL),
                 "cuLaunchKernel") &&
           check(b, HW_FAULT, b->cuda->synchronize(), "");
}

static bool looks_at(const struct hwl_case *c, enum hwl_where where)
{
    for (unsigned k = 0; k < c->nvalues; k++)
        if (c->values[k].where == where)
            return true;
    return false;
}

static bool fetch(struct bench *b, const struct shape *s)
{
    size_t results = (size_t)s->instances * HWL_VALUES * sizeof *b->read;
    return (!looks_at(b->c, HWL_RESULT) ||
            check(b, HW_ERROR, b->cuda->to_host(b->read, b->results, results), "cuMemcpyDtoH")) &&
           (!looks_at(b->c, HWL_MEMORY) ||
            check(b, HW_ERROR, b->cuda->to_host(b->host, b->memory, s->bytes), "cuMemcpyDtoH")) &&
           (!looks_at(b->c, HWL_SURFACE) || check(b, HW_ERROR, copy_texels(b, b->after, false), "cuMemcpy3D"));
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static uint64_t value_of(const struct bench *b, const struct shape *s, unsigned instance, unsigned index)
{
    const struct hwl_value *v = &b->c->values[index];
    uint64_t value = b->read[(size_t)instance * HWL_VALUES + index];
    if (v->where == HWL_MEMORY)
        memcpy(&value, b->host + (size_t)instance * s->stride + (size_t)v->place * s->step, 8);
    else if (v->where == HWL_SURFACE)
        memcpy(&value, b->after + ((size_t)instance * (b->c->nplaces + 1) + v->place) * HWL_TEXEL_BYTES, 8);
    return v->bits < 64 ? value & ((UINT64_C(1) << v->bits) - 1) : value;
}

static bool count(struct bench *b, const uint64_t *values)
{
    struct hwl_result *r = b->result;
    size_t size = r->nvalues * sizeof *values;
    unsigned i = b->last;
    if (i >= r->count || memcmp(r->outcomes[i].values, values, size) != 0)
        for (i = 0; i < r->count && memcmp(r->outcomes[i].values, values, size) != 0; i++)
            ;
    if (i == HWL_OUTCOMES)
        return fail(b, "too many outcomes to count");
    if (i == r->count) {
        r->outcomes[r->count++].times = 0;
        memcpy(r->outcomes[i].values, values, size);
    }
    r->outcomes[i].times++;
    b->last = i;
    return true;
}

static bool shoot(struct bench *b, const struct shape *s)
{
    if (!launch(b, s) || !fetch(b, s))
        return false;
    for (unsigned i = 0; i < s->instances; i++) {
        uint64_t values[HWL_VALUES] = {0};
        for (unsigned k = 0; k < b->c->nvalues; k++)
            values[k] = value_of(b, s, i, k);
        if (!count(b, values))
            return false;
    }
    b->result->launches++;
    b->result->instances += s->instances;
    return true;
}

/* ---- a test ------------------------------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_outcomes(const void *a, const void *b)
{
    const struct hwl_outcome *x = a, *y = b;
    for (unsigned i = 0; i < HWL_VALUES; i++)
        if (x->values[i] != y->values[i])
            return x->values[i] < y->values[i] ? -1 : 1;
    return 0;
}

void hwl_run(const struct cuda *cuda, const struct hwl_case *c, const struct hwl_effort *effort, struct hwl_result *r)
{
    struct bench b = {.cuda = cuda, .c = c, .result = r, .random = effort->seed * 2654435761u + 1};
    memset(r, 0, sizeof *r);
    memcpy(r->name, c->name, sizeof r->name);
    r->digest = c->digest;
    r->nvalues = c->nvalues;
    bool ok = open(&b, effort);
    double end = now() + effort->seconds; /* what preparing takes does not count */
    for (unsigned i = 0; ok && (effort->launches ? i < effort->launches : i < SHAPES || now() < end); i++)
        ok = shoot(&b, &b.shapes[i % SHAPES]);
    qsort(r->outcomes, r->count, sizeof *r->outcomes, compare_outcomes);
    shut(&b);
}

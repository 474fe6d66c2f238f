/* Runs of random kernels through the functions of a driver: random.h. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { CUDA_UINT32 = 3 /* CU_AD_FORMAT_UNSIGNED_INT32 */ };

/* What a kernel holds on the device. */
struct bench {
    const struct cuda *cuda;
    struct hwr_result *result;
    void *module, *function, *arrays[DIFFERENTIAL_SURFACES];
    uint64_t in, out, scratch, surfaces[DIFFERENTIAL_SURFACES];
    unsigned blocks, threads;
    char log[512];
};

static bool check(const struct bench *b, enum hw_status status, int error, const char *what)
{
    const char *name = NULL;
    if (error == CUDA_OK)
        return true;
    struct hwr_result *r = b->result;
    b->cuda->error_name(error, &name);
    r->status = status;
    snprintf(r->detail, sizeof r->detail, "%d %s %s %.60s", error, name ? name : "?", what, b->log);
    for (char *at = r->detail; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    return false;
}

static bool is_layered(const struct differential_surface *s)
{
    return s->dimension == ATOLL_DIM_1D_ARRAY || s->dimension == ATOLL_DIM_2D_ARRAY;
}

static bool make_surface(struct bench *b, unsigned i)
{
    const struct differential_surface *s = &differential_surfaces[i];
    bool flat = s->dimension == ATOLL_DIM_1D || s->dimension == ATOLL_DIM_1D_ARRAY;
    bool deep = s->dimension == ATOLL_DIM_3D || is_layered(s);
    struct cuda_array_desc desc = {.width = s->width,
                                   .height = flat ? 0 : s->height,
                                   .depth = deep ? s->depth : 0,
                                   .format = CUDA_UINT32,
                                   .channels = s->texel_bytes / 4,
                                   .flags = CUDA_SURFACE | (is_layered(s) ? CUDA_LAYERED : 0u)};
    if (!check(b, HW_ERROR, b->cuda->array_create(&b->arrays[i], &desc), "cuArray3DCreate"))
        return false;
    struct cuda_resource resource = {.is.array = b->arrays[i]};
    return check(b, HW_ERROR, b->cuda->surface_create(&b->surfaces[i], &resource), "cuSurfObjectCreate");
}

/* Kernels that use surfaces reach them by reference, too. */
static bool bind_references(const struct bench *b)
{
    if (!b->cuda->reference || !b->cuda->reference_bind) {
        b->result->status = HW_SKIP;
        snprintf(b->result->detail, sizeof b->result->detail, "the driver has no surface references");
        return false;
    }
    for (unsigned i = 0; i < DIFFERENTIAL_SURFACES; i++) {
        char name[] = "ref1";
        void *reference;
        name[3] = (char)('1' + i);
        if (!check(b, HW_ERROR, b->cuda->reference(&reference, b->module, name), "cuModuleGetSurfRef") ||
            !check(b, HW_ERROR, b->cuda->reference_bind(reference, b->arrays[i], 0), "cuSurfRefSetArray"))
            return false;
    }
    return true;
}

static bool open(struct bench *b, const char *text)
{
    const struct cuda *cuda = b->cuda;
    int options[] = {CUDA_JIT_LOG, CUDA_JIT_LOG_SIZE};
    void *values[] = {b->log, (void *)(uintptr_t)sizeof b->log};
    if (!check(b, HW_ERROR, cuda->module_load(&b->module, text, 2, options, values), "load") ||
        !check(b, HW_ERROR, cuda->function(&b->function, b->module, "kernel"), "cuModuleGetFunction") ||
        !check(b, HW_ERROR, cuda->alloc(&b->in, DIFFERENTIAL_BYTES), "cuMemAlloc") ||
        !check(b, HW_ERROR, cuda->alloc(&b->out, DIFFERENTIAL_OUT), "cuMemAlloc") ||
        !check(b, HW_ERROR, cuda->alloc(&b->scratch, DIFFERENTIAL_SCRATCHES), "cuMemAlloc"))
        return false;
    for (unsigned i = 0; i < DIFFERENTIAL_SURFACES; i++)
        if (!make_surface(b, i))
            return false;
    return differential_kind(b->result->seed & ~HWR_FUSED) != DIFFERENTIAL_SURFACE || bind_references(b);
}

static void shut(struct bench *b)
{
    for (unsigned i = 0; i < DIFFERENTIAL_SURFACES; i++) {
        if (b->surfaces[i])
            b->cuda->surface_destroy(b->surfaces[i]);
        if (b->arrays[i])
            b->cuda->array_destroy(b->arrays[i]);
    }
    if (b->scratch)
        b->cuda->free_memory(b->scratch);
    if (b->out)
        b->cuda->free_memory(b->out);
    if (b->in)
        b->cuda->free_memory(b->in);
    if (b->module)
        b->cuda->module_unload(b->module);
}

/* All texels between an array and tightly packed host memory. Layers lie along z, for 1D arrays too. */
static int copy_texels(const struct bench *b, unsigned i, void *host, bool up)
{
    const struct differential_surface *s = &differential_surfaces[i];
    size_t row = (size_t)s->width * s->texel_bytes;
    struct cuda_copy_end memory = {.kind = CUDA_HOST, .host = host, .pitch = row, .height = s->height};
    struct cuda_copy_end array = {.kind = CUDA_ARRAY, .array = b->arrays[i]};
    struct cuda_copy copy = {.from = up ? memory : array,
                             .to = up ? array : memory,
                             .width_bytes = row,
                             .height = s->height,
                             .depth = s->depth};
    return b->cuda->copy(&copy);
}

static bool prepare(const struct bench *b, uint8_t *in)
{
    static const uint8_t zeros[DIFFERENTIAL_OUT];
    for (unsigned i = 0; i < DIFFERENTIAL_SURFACES; i++)
        if (!check(b, HW_ERROR, copy_texels(b, i, in, true), "cuMemcpy3D"))
            return false;
    return check(b, HW_ERROR, b->cuda->to_device(b->in, in, DIFFERENTIAL_BYTES), "cuMemcpyHtoD") &&
           check(b, HW_ERROR, b->cuda->to_device(b->out, zeros, DIFFERENTIAL_OUT), "cuMemcpyHtoD") &&
           check(b, HW_ERROR, b->cuda->to_device(b->scratch, in, DIFFERENTIAL_SCRATCHES), "cuMemcpyHtoD");
}

static bool launch(struct bench *b, uint32_t number)
{
    struct differential_words words = differential_words(number);
    void *parameters[3 + DIFFERENTIAL_SURFACES + 2] = {&b->in, &b->out, &b->scratch};
    for (unsigned i = 0; i < DIFFERENTIAL_SURFACES; i++)
        parameters[3 + i] = &b->surfaces[i];
    parameters[3 + DIFFERENTIAL_SURFACES] = words.words;
    parameters[4 + DIFFERENTIAL_SURFACES] = &words.real;
    return check(b, HW_ERROR,
                 b->cuda->launch(b->function, b->blocks, 1, 1, b->threads, 1, 1, 0, NULL, parameters, NULL),
                 "cuLaunchKernel") &&
           check(b, HW_FAULT, b->cuda->synchronize(), "");
}

static bool fetch(const struct bench *b, struct hwr_left *left)
{
    memset(left, 0, sizeof *left);
    for (unsigned i = 0; i < DIFFERENTIAL_SURFACES; i++)
        if (!check(b, HW_ERROR, copy_texels(b, i, left->texels[i], false), "cuMemcpy3D"))
            return false;
    return check(b, HW_ERROR, b->cuda->to_host(left->out, b->out, DIFFERENTIAL_OUT), "cuMemcpyDtoH") &&
           check(b, HW_ERROR, b->cuda->to_host(left->scratch, b->scratch, DIFFERENTIAL_SCRATCHES), "cuMemcpyDtoH");
}

static bool shoot(struct bench *b, unsigned input, struct hwr_left *left)
{
    uint8_t in[DIFFERENTIAL_BYTES];
    differential_fill(in, DIFFERENTIAL_FIRST + input);
    if (!prepare(b, in) || !launch(b, DIFFERENTIAL_FIRST + input) || !fetch(b, left))
        return false;
    b->result->left[input] = hw_digest(0, left, sizeof *left);
    return true;
}

void hwr_run(const struct cuda *cuda, uint32_t seed, struct hwr_result *r, struct hwr_left *left)
{
    struct text text = hwr_text(seed);
    *r = (struct hwr_result){.seed = seed, .digest = hw_digest(0, text.bytes, text.length), .status = HW_ERROR};
    bool alone =
        differential_kind(seed & ~HWR_FUSED) == DIFFERENTIAL_SURFACE; /* what a single warp does has an order */
    struct bench b = {.cuda = cuda,
                      .result = r,
                      .blocks = alone ? 1 : DIFFERENTIAL_BLOCKS,
                      .threads = alone ? 32 : DIFFERENTIAL_THREADS};
    if (open(&b, text.bytes)) {
        r->status = HW_RAN;
        for (unsigned i = 0; i < HWR_INPUTS && shoot(&b, i, &left[i]); i++)
            ;
    }
    if (r->status != HW_FAULT) /* nothing can be freed in a context that is gone */
        shut(&b);
    text_free(&text);
}

static bool is_same(const struct hwr_result *a, const struct hwr_result *b)
{
    return a->status == b->status && (a->status != HW_RAN || memcmp(a->left, b->left, sizeof a->left) == 0);
}

bool hwr_compare(const struct cuda *cuda, const struct hwr_result *recorded, struct hwr_left *left,
                 struct hwr_sums *sums)
{
    struct hwr_result now;
    hwr_result_begin(&now, recorded->seed);
    if (now.digest != recorded->digest) {
        sums->stale++;
        return false;
    }
    if (recorded->status == HW_ERROR || recorded->status == HW_HANG || recorded->status == HW_SKIP) {
        printf("%u: %s %s\n", recorded->seed, hw_status_name(recorded->status), recorded->detail);
        sums->failed++;
        return false;
    }
    hwr_run(cuda, recorded->seed, &now, left);
    bool same = is_same(recorded, &now);
    if (!same && hwr_known(recorded->seed)) {
        sums->known++;
        return true;
    }
    bool surface = differential_kind(recorded->seed & ~HWR_FUSED) == DIFFERENTIAL_SURFACE;
    if (!same && surface && now.status == recorded->status && sums->has_races &&
        sums->has_races(cuda, recorded->seed)) {
        sums->open++;
        return true;
    }
    if (!same)
        printf("%u differs: %s %s; in Atoll %s %s\n", recorded->seed, hw_status_name(recorded->status),
               recorded->detail, hw_status_name(now.status), now.detail);
    sums->same += same;
    sums->differ += !same;
    return !same;
}

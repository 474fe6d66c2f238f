/* hw_record: runs the cases on a GPU through the CUDA driver API and writes what it returns.
 *
 *   hw_record [--cases FILE] [--device N] [--only TEXT] [--jobs N] RESULTS
 *
 * Needs libcuda.so.1 only. Exit status: 0 recorded, 2 cannot, 77 no GPU here (skipped). */
#include "../number.h"
#include "workers.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS = 30 /* a case may take, its compilation included */ };

struct options {
    const char *cases, *only, *results;
    int device, jobs;
};

/* What the functions of the job need. */
struct record {
    const struct hw_cases *cases;
    const char *only;
};

struct bench { /* what one case holds on the device */
    const struct cuda *cuda;
    const struct hw_case *c;
    void *module, *function, *array;
    uint64_t in, out, surface;
    unsigned char *out_bytes, *texels;
    char log[512];
};

/* ---- one case ------------------------------------------------------------------------------------------------ */

static bool check(const struct bench *b, struct hw_result *r, enum hw_status status, unsigned shot, int error,
                  const char *what)
{
    const char *name = NULL;
    if (error == CUDA_OK)
        return true;
    b->cuda->error_name(error, &name);
    r->status = status;
    r->shot = shot;
    snprintf(r->detail, sizeof r->detail, "%d %s %s %.60s", error, name ? name : "?", what, b->log);
    for (char *at = r->detail; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    return false;
}

static bool make_surface(struct bench *b, struct hw_result *r)
{
    const struct hw_case *c = b->c;
    struct hw_format format;
    if (!c->has_surface)
        return true;
    if (!hw_format(c->format, &format))
        return false;
    bool layered = c->layers != 0;
    struct cuda_array_desc desc = {.width = c->width,
                                   .height = c->height,
                                   .depth = layered ? c->layers : c->depth,
                                   .format = (int)format.array,
                                   .channels = format.channels,
                                   .flags = CUDA_SURFACE | (layered ? CUDA_LAYERED : 0u)};
    if (!check(b, r, HW_ERROR, 0, b->cuda->array_create(&b->array, &desc), "cuArray3DCreate"))
        return false;
    struct cuda_resource resource = {.is.array = b->array};
    return check(b, r, HW_ERROR, 0, b->cuda->surface_create(&b->surface, &resource), "cuSurfObjectCreate");
}

static bool open(struct bench *b, struct hw_result *r)
{
    const struct hw_case *c = b->c;
    const struct cuda *cuda = b->cuda;
    int options[] = {CUDA_JIT_LOG, CUDA_JIT_LOG_SIZE};
    void *values[] = {b->log, (void *)(uintptr_t)sizeof b->log};
    b->out_bytes = malloc(c->out_bytes + 1u);
    b->texels = malloc(c->texels.size + 1);
    return b->out_bytes && b->texels &&
           check(b, r, HW_ERROR, 0, cuda->module_load(&b->module, c->ptx.data, 2, options, values), "load") &&
           check(b, r, HW_ERROR, 0, cuda->function(&b->function, b->module, "k"), "cuModuleGetFunction") &&
           check(b, r, HW_ERROR, 0, cuda->alloc(&b->in, c->in_bytes + 16u), "cuMemAlloc") &&
           check(b, r, HW_ERROR, 0, cuda->alloc(&b->out, c->out_bytes + 16u), "cuMemAlloc") && make_surface(b, r);
}

static void shut(struct bench *b)
{
    if (b->surface)
        b->cuda->surface_destroy(b->surface);
    if (b->array)
        b->cuda->array_destroy(b->array);
    if (b->out)
        b->cuda->free_memory(b->out);
    if (b->in)
        b->cuda->free_memory(b->in);
    if (b->module)
        b->cuda->module_unload(b->module);
    free(b->out_bytes);
    free(b->texels);
}

/* All texels between the array and tightly packed host memory. Layers lie along z, for 1D arrays too. */
static int copy_texels(const struct bench *b, void *host, bool up)
{
    const struct hw_case *c = b->c;
    struct hw_format format;
    if (!c->has_surface || !hw_format(c->format, &format))
        return CUDA_OK;
    size_t row = (size_t)c->width * format.bytes, rows = c->height ? c->height : 1;
    struct cuda_copy_end memory = {.kind = CUDA_HOST, .host = host, .pitch = row, .height = rows};
    struct cuda_copy_end array = {.kind = CUDA_ARRAY, .array = b->array};
    struct cuda_copy copy = {
        .from = up ? memory : array, .to = up ? array : memory, .width_bytes = row, .height = rows};
    copy.depth = c->layers ? c->layers : c->depth ? c->depth : 1;
    return b->cuda->copy(&copy);
}

static bool prepare(struct bench *b, struct hw_result *r, unsigned shot)
{
    const struct hw_case *c = b->c;
    const char *in = c->in.data + (size_t)shot * c->in_bytes;
    memset(b->out_bytes, HW_FILL, c->out_bytes);
    memcpy(b->texels, c->texels.data ? c->texels.data : "", c->texels.size);
    return (!c->out_bytes ||
            check(b, r, HW_ERROR, shot, b->cuda->to_device(b->out, b->out_bytes, c->out_bytes), "cuMemcpyHtoD")) &&
           (!c->in_bytes || check(b, r, HW_ERROR, shot, b->cuda->to_device(b->in, in, c->in_bytes), "cuMemcpyHtoD")) &&
           check(b, r, HW_ERROR, shot, copy_texels(b, b->texels, true), "cuMemcpy3D");
}

static bool shoot(struct bench *b, struct hw_result *r, unsigned shot)
{
    const struct hw_case *c = b->c;
    void *parameters[] = {&b->out, &b->in, &b->surface};
    if (!prepare(b, r, shot) ||
        !check(b, r, HW_ERROR, shot, b->cuda->launch(b->function, 1, 1, 1, c->threads, 1, 1, 0, NULL, parameters, NULL),
               "cuLaunchKernel") ||
        !check(b, r, HW_FAULT, shot, b->cuda->synchronize(), ""))
        return false;
    if ((c->out_bytes &&
         !check(b, r, HW_ERROR, shot, b->cuda->to_host(b->out_bytes, b->out, c->out_bytes), "cuMemcpyDtoH")) ||
        !check(b, r, HW_ERROR, shot, copy_texels(b, b->texels, false), "cuMemcpy3D"))
        return false;
    hw_result_shot(r, c, b->out_bytes, b->texels);
    return true;
}

static void run_case(const struct hw_worker *w, const struct hw_case *c, struct hw_result *r)
{
    struct bench b = {.cuda = &w->cuda, .c = c};
    hw_result_begin(r, c);
    if ((unsigned)(10 * w->gpu.major + w->gpu.minor) < c->sm) {
        r->status = HW_SKIP;
        snprintf(r->detail, sizeof r->detail, "needs sm_%u", c->sm);
        return;
    }
    r->status = HW_ERROR;
    snprintf(r->detail, sizeof r->detail, "no memory");
    if (open(&b, r)) {
        r->status = HW_RAN;
        r->detail[0] = 0;
        for (unsigned shot = 0; shot < c->shots && shoot(&b, r, shot); shot++)
            ;
    }
    if (r->status != HW_FAULT) /* nothing can be freed in a context that is gone */
        shut(&b);
}

/* ---- the job -------------------------------------------------------------------------------------------------- */

static void write_result(FILE *file, const struct hw_result *r)
{
    struct hw_text text = {0};
    hw_result_text(&text, r);
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
}

static const struct hw_case *case_at(const struct hw_job *job, size_t item)
{
    return &((const struct record *)job->of)->cases->at[item];
}

static unsigned case_seconds(const struct hw_job *job, size_t item)
{
    const char *only = ((const struct record *)job->of)->only;
    return !only || strstr(case_at(job, item)->name, only) ? SECONDS : 0;
}

static bool record_case(const struct hw_job *job, const struct hw_worker *w, size_t item)
{
    struct hw_result result;
    run_case(w, case_at(job, item), &result);
    write_result(w->file, &result);
    bool well = result.status == HW_RAN || result.status == HW_SKIP;
    hw_result_free(&result);
    return well;
}

static void bury_case(const struct hw_job *job, size_t item, int signal, FILE *file)
{
    struct hw_result r;
    hw_result_begin(&r, case_at(job, item));
    r.status = hw_buried(signal, r.detail, sizeof r.detail);
    write_result(file, &r);
    hw_result_free(&r);
}

static void write_head(const struct hw_origin *origin, FILE *file)
{
    struct hw_results header = {.origin = *origin};
    struct hw_text text = {0};
    hw_results_header(&text, &header);
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

static bool take_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--cases") == 0 && more)
            o->cases = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && more)
            o->only = argv[++i];
        else if (strcmp(argv[i], "--device") == 0 && more && number_read_int(argv[i + 1], 0, &o->device))
            i++;
        else if (strcmp(argv[i], "--jobs") == 0 && more && number_read_int(argv[i + 1], 1, &o->jobs))
            i++;
        else if (argv[i][0] != '-' && !o->results)
            o->results = argv[i];
        else
            return false;
    }
    return o->results != NULL && o->jobs <= HW_MOST_JOBS;
}

int main(int argc, char **argv)
{
    struct options options = {.jobs = 1};
    struct hw_cases cases = {0};
    if (!take_options(argc, argv, &options)) {
        fputs("usage: hw_record [--cases FILE] [--device N] [--only TEXT] [--jobs N] RESULTS\n", stderr);
        return 2;
    }
    if (!hw_cases_take(&cases, options.cases))
        return 2;
    struct record record = {&cases, options.only};
    struct hw_job job = {.program = "hw_record",
                         .results = options.results,
                         .device = options.device,
                         .jobs = options.jobs,
                         .count = cases.count,
                         .of = &record,
                         .seconds = case_seconds,
                         .run = record_case,
                         .bury = bury_case,
                         .head = write_head};
    int status = hw_work(&job);
    hw_cases_free(&cases);
    return status;
}

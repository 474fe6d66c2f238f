/* Fuzzes what runs vISA: containers, texts, and texts that are made from the input (visa_gen.c) where its first byte is
 * 0xff. What loads is launched with buffers and surfaces bound, under an instruction limit: it ends, well or with an
 * error that is told. */
#include <string.h>

#include "atoll.h"
#include "fuzz.h"
#include "visa_gen.h"

enum { BUFFER = 4096, WORDS = 512 };

struct machine {
    struct atoll_device *device;
    struct atoll_surface *surface;
    uint64_t buffer;
};

static struct machine *machine(void)
{
    static struct machine made;
    struct machine *m = &made;
    struct atoll_error error;
    struct atoll_device_options options = {.memory_limit = UINT64_C(1) << 26};
    struct atoll_surface_desc desc = {.dimension = ATOLL_DIM_2D, .width = 16, .height = 8, .format = "rgba8unorm"};
    if (m->device)
        return m;
    fuzz_check(atoll_device_create(&options, &m->device, &error));
    fuzz_check(atoll_memory_alloc(m->device, BUFFER, &m->buffer, &error));
    fuzz_check(atoll_surface_create(m->device, &desc, &m->surface, &error));
    return m;
}

/* A value for a parameter: every third place for a buffer stays empty. */
static void fill(const struct machine *m, const struct atoll_parameter_info *p, unsigned char *at)
{
    uint64_t slot[3] = {m->buffer, BUFFER, atoll_surface_handle(m->surface)};
    if (strcmp(p->type, "bti") == 0 && p->offset / 24 % 3 != 2)
        memcpy(at, slot, sizeof slot);
    else if (strcmp(p->type, "sampler") != 0 && p->size <= sizeof slot)
        memcpy(at, slot, p->size);
}

static void launch(const struct machine *m, struct atoll_kernel *kernel)
{
    struct atoll_kernel_info info;
    struct atoll_error error = {0};
    atoll_kernel_describe(kernel, &info);
    unsigned char *parameters = calloc(1, info.parameter_bytes + 1u);
    fuzz_check(parameters != NULL);
    for (unsigned i = 0; i < info.parameters; i++) {
        struct atoll_parameter_info p;
        fuzz_check(atoll_kernel_parameter(kernel, i, &p, &error));
        fuzz_check(p.offset <= info.parameter_bytes && p.size <= info.parameter_bytes - p.offset);
        fill(m, &p, parameters + p.offset);
    }
    struct atoll_launch_options options = {.grid = {2, 1, 1},
                                           .block = {info.warp_lanes + info.warp_lanes / 2, 1, 1},
                                           .parameters = parameters,
                                           .parameter_bytes = info.parameter_bytes,
                                           .order = ATOLL_ORDER_DETERMINISTIC,
                                           .instruction_limit = 20000,
                                           .time_limit = 5};
    if (!atoll_launch(kernel, &options, NULL, NULL, &error))
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    free(parameters);
}

static void tell(void *user, const struct atoll_diagnostic *d)
{
    (void)user;
    if (d->severity == ATOLL_ERROR)
        fprintf(stderr, "%u:%u: %s: %.*s\n", d->line, d->column, d->message, (int)d->line_length, d->line_text);
}

static void run(const char *bytes, size_t size)
{
    const struct machine *m = machine();
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_error error = {0};
    struct atoll_module_options options = {.simd = size % 5 == 4 ? 16 : 0, .abi = size % 7 == 6 ? "opencl" : NULL};
    if (getenv("FUZZ_TELL"))
        options.diagnose = tell;
    if (!atoll_module_load(m->device, bytes, size, &options, &module, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
        if (!getenv("FUZZ_TELL"))
            fuzz_check(strncmp(error.message, "lane program", 12) != 0);
        if (getenv("FUZZ_TELL"))
            fprintf(stderr, "%u: %s\n%.*s\n", error.line, error.message, (int)size, bytes);
        return;
    }
    for (unsigned i = 0; i < 4 && (kernel = atoll_module_kernel_at(module, i)); i++)
        launch(m, kernel);
    atoll_module_destroy(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text text = {0};
    if (!size || data[0] != 0xff) {
        run((const char *)data, size);
        return 0;
    }
    visa_generate(data + 1, size - 1, &text);
    run(text.bytes, text.length);
    text_free(&text);
    return 0;
}

/* atoll run --stream: a command stream of CTM over memory from files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/chars.h"
#include "cli/content.h"
#include "cli/run.h"
#include "machine/machine.h"
#include "machine/stream.h"

#define STREAM_LARGEST (UINT64_C(1) << 30) /* bytes of a stream */

struct streamed {
    struct arena *arena;
    const struct run_options *options;
    struct machine *machine;
};

static bool number(const char **at, const char *end, uint64_t *value)
{
    struct digits digits;
    bool hex = end - *at > 2 && (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x';
    const char *from = *at + (hex ? 2 : 0);
    *at = digits_read(from, end, hex ? 16 : 10, &digits);
    *value = digits.value;
    return *at > from && !digits.large;
}

/* ADDRESS or ADDRESS:SIZE. */
static bool range_parse(const char *text, const char *end, uint64_t *address, uint64_t *size)
{
    *size = 0;
    if (!number(&text, end, address) || *address > UINT32_MAX)
        return false;
    if (text < end && *text == ':') {
        text++;
        if (!number(&text, end, size) || !*size)
            return false;
    }
    return text == end;
}

/* ---- memory ------------------------------------------------------------------------------------------------ */

static bool memory_fill(const struct streamed *s, uint64_t address, uint64_t size, const char *path,
                        const struct content *content, struct atoll_error *error)
{
    if (size && content->size > size)
        return error_set(error, ATOLL_USAGE, "--memory: %.500s has %" PRIu64 " bytes, more than %" PRIu64, path,
                         content->size, size);
    bool there = machine_at(s->machine, (uint32_t)address, size ? size : content->size);
    if (!there && !machine_memory(s->machine, (uint32_t)address, size ? size : content->size, NULL, error))
        return false;
    if (content->size)
        memcpy(machine_at(s->machine, (uint32_t)address, content->size), content->elements, (size_t)content->size);
    return true;
}

/* ADDRESS=FILE, ADDRESS:SIZE, ADDRESS:SIZE=FILE: what lies in memory that is there already is written to it. */
static bool memory_make(const struct streamed *s, const char *text, struct atoll_error *error)
{
    const char *equals = strchr(text, '='), *end = equals ? equals : text + strlen(text);
    uint64_t address, size;
    struct content content = {0};
    if (!range_parse(text, end, &address, &size) || (!size && !equals) || (equals && !equals[1]))
        return error_set(error, ATOLL_USAGE, "--memory %.500s: wanted ADDRESS=FILE or ADDRESS:SIZE[=FILE]", text);
    if (equals && !content_read(equals + 1, &content, error))
        return false;
    if (equals && !content.size) {
        content_free(&content);
        return error_set(error, ATOLL_INPUT, "%.500s: empty", equals + 1);
    }
    bool ok = memory_fill(s, address, size, equals ? equals + 1 : "", &content, error);
    content_free(&content);
    return ok;
}

/* ---- saving ------------------------------------------------------------------------------------------------- */

/* Bytes of memory at ADDRESS:SIZE, or an input, an output or "cond" as the stream left it; to be freed. */
static bool saved_bytes(const struct streamed *s, const char *name, void **bytes, uint64_t *size,
                        struct atoll_surface_desc *desc, struct atoll_error *error)
{
    uint64_t address;
    struct atoll_surface *surface = NULL;
    *bytes = NULL;
    const void *memory = NULL;
    if (range_parse(name, name + strlen(name), &address, size) && *size) {
        memory = machine_at(s->machine, (uint32_t)address, *size);
        if (!memory)
            return error_set(error, ATOLL_USAGE, "--save %.200s: outside of the memory", name);
    } else if (machine_surface(s->machine, name, &surface, error)) {
        *size = atoll_surface_size(surface);
        atoll_surface_describe(surface, desc);
    } else
        return false;
    *bytes = malloc((size_t)*size);
    if (!*bytes)
        return error_memory(error);
    if (memory)
        memcpy(*bytes, memory, (size_t)*size);
    return memory || atoll_surface_read(surface, *bytes, *size, error);
}

static bool stage(const struct streamed *s, const char *name, const char *path, struct staged *staged,
                  struct atoll_error *error)
{
    enum file_kind kind = FILE_RAW;
    void *bytes;
    uint64_t size = 0;
    struct atoll_surface_desc desc = {0};
    struct text out = {0};
    file_kind(path, &kind);
    bool ok = saved_bytes(s, name, &bytes, &size, &desc, error);
    if (ok && kind == FILE_PNG)
        ok = desc.width ? surface_png(&desc, bytes, &out, error)
                        : error_set(error, ATOLL_USAGE,
                                    "--save %.200s=%.300s: only in0, out0 ... and cond are pictures", name, path);
    if (ok && kind == FILE_NPY) {
        struct array plain = {.kind = 'u', .bytes = 1, .ndims = 1, .dims = {size}, .count = size};
        struct array array = desc.width ? surface_array(&desc) : plain;
        npy_write(&array, bytes, &out);
        ok = text_ok(&out) || error_memory(error);
    }
    bool raw = kind == FILE_RAW;
    ok = ok && file_stage(path, raw ? bytes : out.bytes, raw ? (size_t)size : out.length, staged, error);
    text_free(&out);
    free(bytes);
    return ok;
}

/* Said before a long run: what no file of the end could be. */
static bool saves_check(const struct list *saves, struct atoll_error *error)
{
    enum file_kind kind;
    for (unsigned i = 0; i < saves->count; i++) {
        const char *equals = strchr(saves->items[i], '=');
        if (!equals || equals == saves->items[i] || !file_kind(equals + 1, &kind))
            return error_set(error, ATOLL_USAGE,
                             "--save %.300s: wanted ADDRESS:SIZE=FILE or out0=FILE, a .png, .npy, .raw or .bin",
                             saves->items[i]);
        if (!file_writable(equals + 1, error))
            return false;
        for (unsigned j = 0; j < i; j++)
            if (file_same(strchr(saves->items[j], '=') + 1, equals + 1))
                return error_set(error, ATOLL_USAGE, "two --save go to %.300s", equals + 1);
    }
    return true;
}

static bool save(const struct streamed *s, struct atoll_error *error)
{
    const struct list *saves = &s->options->saves;
    struct staged *staged = arena_array(s->arena, saves->count, sizeof *staged);
    bool ok = staged || !saves->count || error_memory(error);
    for (unsigned i = 0; i < saves->count && ok; i++) {
        const char *equals = strchr(saves->items[i], '=');
        const char *name = arena_text(s->arena, saves->items[i], (size_t)(equals - saves->items[i]));
        ok = name ? stage(s, name, equals + 1, &staged[i], error) : error_memory(error);
    }
    ok = ok && file_commit(staged, saves->count, error);
    for (unsigned i = 0; i < saves->count && staged; i++)
        file_discard(&staged[i]);
    return ok;
}

/* ---- the run ------------------------------------------------------------------------------------------------ */

static void note(void *user, const char *text)
{
    const struct run_options *o = user;
    if (!o->quiet)
        fprintf(stderr, "atoll: note: %s\n", text);
}

/* Options of kernels say nothing of streams. */
static bool options_fit(const struct run_options *o, const struct list *plain, struct atoll_error *error)
{
    const struct {
        bool given;
        const char *name;
    } foreign[] = {
        {o->kernel, "--kernel"},
        {o->grid.given, "--grid"},
        {o->block.given, "--block"},
        {o->args.count, "--arg"},
        {o->lets.count, "--let"},
        {o->binds.count, "--bind"},
        {o->vars.count, "--var"},
        {o->dump, "--dump"},
        {o->trace, "--trace"},
        {o->limit_trace || o->trace_warp.given || o->trace_block || o->trace_lines, "options of the trace"},
        {o->expects.count, "--expect"},
        {o->diffs.count, "--diff"},
        {o->weak, "--weak"},
        {o->seeds, "--seeds"},
        {o->policy, "--policy"},
        {o->cooperative, "--cooperative"},
        {o->shared, "--shared"},
        {o->source.target, "--target"},
        {o->source.abi, "--abi"},
        {o->source.simd, "--simd"},
        {o->source.version, "--ptx-version"},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (foreign[i].given)
            return error_set(error, ATOLL_USAGE, "--stream and %s exclude each other", foreign[i].name);
    return plain->count == 1 || error_set(error, ATOLL_USAGE, "--stream: wanted one file, not %u", plain->count);
}

static bool run_words(const struct streamed *s, const char *path, struct atoll_error *error)
{
    struct blob blob = {0};
    struct machine_stats stats = {0};
    if (!file_read(path, STREAM_LARGEST, &blob, error))
        return false;
    bool ok = machine_run(s->machine, blob.bytes, blob.size, &stats, error) || error_in(path, error);
    blob_free(&blob);
    if (s->options->stats_form) {
        fprintf(stderr, "%-20s %16" PRIu64 "\n%-20s %16" PRIu64 "\n", "commands", stats.commands, "launches",
                stats.launches);
        stats_print(&stats.launched, stderr);
    }
    return ok;
}

int run_stream(struct arena *arena, const struct run_options *o, const struct list *plain)
{
    struct atoll_device_options limit = {.memory_limit = o->memory_limit};
    struct atoll_device *device = NULL;
    struct atoll_error error = {0};
    struct machine_options machine = {
        .order = o->deterministic ? ATOLL_ORDER_DETERMINISTIC
                 : o->seed.given  ? ATOLL_ORDER_SEEDED
                                  : ATOLL_ORDER_PARALLEL,
        .seed = o->seed.value,
        .threads = o->threads,
        .no_cache = o->no_cache,
        .tex_write = o->source.tex_write,
        .instruction_limit = o->limit_instructions,
        .time_limit = o->timeout,
        .interrupt = run_interrupt(),
        .note = note,
        .user = (void *)(uintptr_t)o,
    };
    struct streamed s = {.arena = arena, .options = o};
    bool ok = options_fit(o, plain, &error) && engine_given(o, &machine.engine, &error) &&
              saves_check(&o->saves, &error) && atoll_device_create(&limit, &device, &error) &&
              machine_create(device, &machine, &s.machine, &error);
    for (unsigned i = 0; i < o->memory.count && ok; i++)
        ok = memory_make(&s, o->memory.items[i], &error);
    ok = ok && run_words(&s, plain->items[0], &error) && save(&s, &error);
    machine_destroy(s.machine);
    atoll_device_destroy(device);
    return ok ? EXIT_OK : cli_fail(&error);
}

/* The parameter block, and what is filled in when the command line does not say it. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cli/fields.h"
#include "cli/run.h"

void run_note(const struct run *run, const char *format, ...)
{
    va_list args;
    if (!run->notes)
        return;
    fputs("atoll: note: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\n", stderr);
}

/* ---- given ---------------------------------------------------------------------------------------------------- */

static bool mismatch(const struct object *object, const struct atoll_parameter_info *p, const char *given,
                     struct atoll_error *error)
{
    char count[32] = "";
    if (p->count != 1)
        snprintf(count, sizeof count, "[%" PRIu32 "]", p->count);
    return error_set(error, ATOLL_USAGE, "--arg %.100s=%.100s: parameter %" PRIu32 " (%.100s) is %s%s, not %.400s",
                     object->argument.name, object->argument.value, object->parameter, p->name, p->type, count, given);
}

/* What was meant where the name of a file stands for a pointer. */
static const char *file_hint(const char *text)
{
    static const char *const endings[] = {".npy", ".raw", ".bin", ".png"};
    const char *ending = strrchr(text, '.');
    size_t i = 0;
    while (i < 4 && (!ending || strcmp(ending, endings[i]) != 0))
        i++;
    if (i == 3)
        return "; a picture is surface:FILE.png";
    return i < 3 || *text == '@' || access(text, F_OK) == 0 ? "; the contents of a file are buffer:@FILE" : "";
}

/* A bare number takes the parameter's own type. */
static bool put_number(const struct object *object, const struct atoll_parameter_info *p, unsigned char *out,
                       struct atoll_error *error)
{
    const struct value_type *type = value_type_find(p->type, strlen(p->type));
    if (!type || (p->count != 1 && !p->optional))
        return mismatch(object, p, "a single number (arrays and structs: bytes:HEX or TYPE:N,N,...)", error);
    struct atoll_error inner = {0};
    const char *text = object->argument.number;
    /* Compilers make every int a .u32: a negative number is one of the same width. */
    const char sign[] = {'s', type->name[1], type->name[2], 0};
    const struct value_type *own = *text == '-' && type->class == 'u' ? value_type_find(sign, strlen(sign)) : type;
    if (value_parse(own, text, strlen(text), out, &inner))
        return true;
    if (own != type) /* both are wanted */
        error_set(&inner, ATOLL_USAGE, "'%.100s' is no number of type %s: wanted -%" PRIu64 " to %" PRIu64, text,
                  type->name, UINT64_C(1) << (8 * type->bytes - 1), UINT64_MAX >> (64 - 8 * type->bytes));
    return error_set(error, inner.status, "--arg %.100s: %.600s%s", object->argument.name, inner.message,
                     parameter_holds_handle(p, false) ? file_hint(text) : "");
}

/* Whether elements agree in width and in being a float. Bit types are anything, and so are arrays of bytes: structs. */
static bool elements_fit(const struct value_type *given, const struct value_type *own, uint32_t count)
{
    if (!given || !own || own->class == 'b' || (own->bytes == 1 && count != 1))
        return true;
    return given->bytes == own->bytes && (given->class == 'b' || (given->class == 'f') == (own->class == 'f'));
}

/* Numbers must agree in their elements and in their size, bytes and structs in their size alone. */
static bool put_values(const struct object *object, const struct atoll_parameter_info *p, unsigned char *out,
                       struct atoll_error *error)
{
    const struct argument *a = &object->argument;
    const struct value_type *given = a->type, *own = value_type_find(p->type, strlen(p->type));
    uint64_t bytes = a->count * (given ? given->bytes : 1);
    char what[100];
    snprintf(what, sizeof what, "%" PRIu64 " x %s (%" PRIu64 " bytes)", a->count, given ? given->name : "byte", bytes);
    bool some = p->optional && p->count != 1 && bytes < p->size && bytes % (p->size / p->count) == 0; /* the first */
    if (bytes != p->size && !some)
        return mismatch(object, p, a->count == 1 && given ? given->name : what, error);
    if (!elements_fit(given, own, p->count))
        return mismatch(object, p, a->count == 1 ? given->name : what, error);
    memcpy(out, a->values, (size_t)bytes);
    return true;
}

/* A struct for anything that says no more than its size; pointers for what can hold one too. */
static bool put_fields(struct run *run, const struct object *object, const struct atoll_parameter_info *p,
                       unsigned char *out, struct atoll_error *error)
{
    struct text bytes = {0}, layout = {0};
    struct atoll_error inner = {0};
    const struct value_type *own = value_type_find(p->type, strlen(p->type));
    bool plain = p->count != 1 || (own && own->class == 'b');
    bool pointer = parameter_holds_handle(p, true) && strncmp(object->argument.fields, "ptr:", 4) == 0;
    bool ok = fields_build(object->argument.fields, object_address, run, &bytes, &layout, &inner) ||
              error_set(error, inner.status, "--arg %.100s: %.600s", object->argument.name, inner.message);
    if (ok && (bytes.length != p->size || !(plain || pointer))) {
        char what[400];
        snprintf(what, sizeof what, "a struct of %zu bytes: %.300s", bytes.length, layout.bytes ? layout.bytes : "");
        ok = mismatch(object, p, what, error);
    }
    if (ok)
        memcpy(out, bytes.bytes, bytes.length);
    text_free(&bytes);
    text_free(&layout);
    return ok;
}

/* Address, size, handle. */
static void put_slot(const struct object *object, unsigned char *out)
{
    uint64_t words[3] = {object->address, object->size};
    if (object->surface) {
        words[0] = words[1] = 0;
        words[2] = atoll_surface_handle(object->surface);
    }
    memcpy(out, words, sizeof words);
}

/* Where the bytes begin in shared memory: the first directly behind what the kernel and --shared have, others at the
 * largest alignment of OpenCL's types. */
static bool put_local(struct run *run, const struct object *object, const struct atoll_parameter_info *p,
                      unsigned char *out, struct atoll_error *error)
{
    enum { ALIGN = 128, MOST = 1 << 24 /* more than any block has */ };
    uint64_t at = run->info.shared_bytes + run->shared_bytes;
    if (run->local_given)
        at = (at + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
    run->local_given = true;
    run->shared_bytes = at + object->argument.count - run->info.shared_bytes;
    memcpy(out, &at, p->size);
    return run->shared_bytes <= MOST ||
           error_set(error, ATOLL_USAGE, "--arg %.100s=%.100s: more shared memory than a block can have",
                     object->argument.name, object->argument.value);
}

static bool put_object(struct run *run, const struct object *object, const struct atoll_parameter_info *p,
                       unsigned char *out, struct atoll_error *error)
{
    uint64_t word = object->address;
    if (parameter_is_slot(p)) {
        put_slot(object, out);
        return true;
    }
    switch (object->argument.kind) {
    case ARGUMENT_SAMPLER:
        memcpy(out, object->argument.sampler, SAMPLER_BYTES);
        return true;
    case ARGUMENT_LOCAL:
        return put_local(run, object, p, out, error);
    case ARGUMENT_FIELDS:
        return put_fields(run, object, p, out, error);
    case ARGUMENT_NUMBER:
        return put_number(object, p, out, error);
    case ARGUMENT_VALUES:
        return put_values(object, p, out, error);
    case ARGUMENT_SURFACE:
        word = atoll_surface_handle(object->surface);
        break;
    case ARGUMENT_BUFFER:
        break;
    }
    memcpy(out, &word, sizeof word);
    return true;
}

/* What went where. */
static void note_given(const struct run *run, uint32_t index)
{
    enum { MOST = 80 };
    const struct argument *a = &run->given[index]->argument;
    bool cut = strlen(a->value) > MOST;
    run_note(run, "parameter %" PRIu32 " (%s %s): %.*s%s", index, run->parameters[index].type,
             parameter_label(run, index), cut ? MOST - 3 : MOST, a->value, cut ? "..." : "");
}

/* ---- not given -------------------------------------------------------------------------------------------------- */

static bool is_size(const struct atoll_parameter_info *p)
{
    const struct value_type *type = value_type_find(p->type, strlen(p->type));
    return type && type->class != 'f' && type->bytes == 4 && p->count == 1;
}

/* Extent `index` of an object, as kernels take them after it: elements of a buffer; width, height, and depth or layers
 * of a surface. False: there is none. */
static bool extent(const struct object *object, unsigned index, uint64_t *value, const char **what)
{
    struct atoll_surface_desc d;
    if (object->argument.kind == ARGUMENT_BUFFER) {
        *what = "elements";
        *value = object->array.count;
        return index == 0;
    }
    atoll_surface_describe(object->surface, &d);
    level_extents(&d);
    bool height = d.dimension == ATOLL_DIM_2D || d.dimension == ATOLL_DIM_2D_ARRAY || d.dimension == ATOLL_DIM_3D;
    bool layers = d.dimension == ATOLL_DIM_1D_ARRAY || d.dimension == ATOLL_DIM_2D_ARRAY;
    *what = index == 0 ? "width" : index == 1 && height ? "height" : layers ? "layers" : "depth";
    *value = index == 0 ? d.width : index == 1 && height ? d.height : layers ? d.layers : d.depth;
    return index == 0 || (index == 1 && height) ||
           (index == (height ? 2u : 1u) && (layers || d.dimension == ATOLL_DIM_3D));
}

/* A 32-bit integer that is not given, in a row of them directly after a buffer or surface, is that one's size. */
static bool put_default(const struct run *run, uint32_t index, unsigned char *out, struct atoll_error *error)
{
    const struct atoll_parameter_info *p = &run->parameters[index];
    uint32_t first = index;
    if (parameter_is_sampler(p)) {
        run_note(run, "parameter %" PRIu32 " (%s %s) is not given: nearest,clamp,unnormalized", index, p->type,
                 parameter_label(run, index));
        sampler_usual(out);
        return true;
    }
    if (parameter_is_slot(p)) {
        run_note(run, "parameter %" PRIu32 " (%s %s) is not given: nothing is bound, an access traps", index, p->type,
                 parameter_label(run, index));
        return true;
    }
    if (p->optional) {
        if (!p->usual)
            run_note(run, "parameter %" PRIu32 " (%s %s) is not given: %s", index, p->type, parameter_label(run, index),
                     parameter_holds_handle(p, true) ? "nothing is bound, an access traps" : "0");
        return true;
    }
    while (is_size(p) && first > 0 && is_size(&run->parameters[first - 1]))
        first--;
    const struct object *owner = is_size(p) && first > 0 ? run->given[first - 1] : NULL;
    const char *what = "";
    bool sized = owner && (owner->argument.kind == ARGUMENT_BUFFER || owner->argument.kind == ARGUMENT_SURFACE);
    uint64_t value = 0;
    if (!sized || !extent(owner, index - first, &value, &what) || value > INT32_MAX)
        return error_set(error, ATOLL_USAGE, "parameter %" PRIu32 " (%s %.200s) of kernel '%.200s' is not given", index,
                         p->type, parameter_label(run, index), kernel_called(run));
    run_note(run, "parameter %" PRIu32 " (%s %s) is not given: %" PRIu64 ", the %s of '%s'", index, p->type,
             parameter_label(run, index), value, what, owner->argument.name);
    uint32_t word = (uint32_t)value;
    memcpy(out, &word, sizeof word);
    return true;
}

bool run_values(struct run *run, struct atoll_error *error)
{
    run->explain = true;
    run->shared_bytes = run->options->shared;
    run->block = arena_alloc(run->arena, run->info.parameter_bytes);
    if (!run->block)
        return error_memory(error);
    for (uint32_t i = 0; i < run->info.parameters; i++) {
        unsigned char *out = run->block + run->parameters[i].offset;
        if (run->given[i] ? !put_object(run, run->given[i], &run->parameters[i], out, error)
                          : !put_default(run, i, out, error))
            return false;
        if (run->given[i])
            note_given(run, i);
    }
    run->explain = false;
    run->launch.parameters = run->block;
    run->launch.parameter_bytes = run->info.parameter_bytes;
    return true;
}

/* ---- grid and block ---------------------------------------------------------------------------------------------- */

/* The first surface or buffer in the order of the parameters. */
static const struct object *first_object(const struct run *run)
{
    for (uint32_t i = 0; i < run->info.parameters; i++) {
        const struct object *object = run->given[i];
        if (object && (object->argument.kind == ARGUMENT_BUFFER || object->argument.kind == ARGUMENT_SURFACE))
            return object;
    }
    return NULL;
}

static void choose_block(struct run *run, const uint64_t extents[3])
{
    const uint32_t *required = run->info.required_block, warp = run->info.warp_lanes;
    uint32_t *block = run->launch.block;
    block[0] = required[0] ? required[0] : warp ? warp : extents[1] > 1 ? 16 : extents[0] > 1 ? 256 : 1;
    block[1] = required[0] ? required[1] : extents[1] > 1 && !warp ? 16 : 1;
    block[2] = required[0] ? required[2] : 1;
    uint64_t most = run->info.max_block[0];
    for (int i = 1; i < 3; i++)
        most *= run->info.max_block[i] ? run->info.max_block[i] : 1;
    while (!required[0] && most && (uint64_t)block[0] * block[1] > most)
        block[block[1] > 1 && block[1] >= block[0]] /= 2;
    for (int i = 0; i < 3; i++)
        block[i] = block[i] ? block[i] : 1;
}

/* A grid of threads: as given, or for all texels or elements of the object. */
static bool shape_threads(struct run *run, const uint64_t extents[3], const struct object *object,
                          struct atoll_error *error)
{
    uint32_t *grid = run->launch.grid;
    if (run->options->block.given)
        return error_set(error, ATOLL_USAGE, "--block: kernel '%.200s' has its own; --grid is its threads",
                         kernel_called(run));
    memcpy(grid, run->options->grid.size, sizeof run->launch.grid);
    if (run->options->grid.given)
        return true;
    for (int i = 0; i < 3; i++)
        grid[i] = extents[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)extents[i];
    if (object)
        run_note(run, "grid of %" PRIu32 "x%" PRIu32 "x%" PRIu32 " threads: covers '%s'", grid[0], grid[1], grid[2],
                 object->argument.name);
    return true;
}

bool run_shape(struct run *run, struct atoll_error *error)
{
    const struct object *object = first_object(run);
    const char *what;
    uint64_t extents[3] = {1, 1, 1}, value;
    for (unsigned i = 0; object && i < 3; i++)
        if (extent(object, i, &value, &what) && value) /* a block for no elements: the kernel's own test ends it */
            extents[i] = value;
    if (run->info.thread_grid)
        return shape_threads(run, extents, object, error);
    uint32_t *grid = run->launch.grid, *block = run->launch.block;
    memcpy(grid, run->options->grid.size, sizeof run->launch.grid);
    memcpy(block, run->options->block.size, sizeof run->launch.block);
    if (!run->options->block.given)
        choose_block(run, run->options->grid.given && !run->info.required_block[0] ? (uint64_t[3]){1, 1, 1} : extents);
    for (int i = 0; i < 3 && !run->options->grid.given; i++) {
        uint64_t blocks = (extents[i] + block[i] - 1) / block[i];
        if (blocks > UINT32_MAX)
            return error_set(error, ATOLL_USAGE, "give --grid: '%.200s' is too large to cover by default",
                             object->argument.name);
        grid[i] = (uint32_t)blocks;
    }
    if (object && (!run->options->grid.given || !run->options->block.given))
        run_note(run, "grid %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", block %" PRIu32 "x%" PRIu32 "x%" PRIu32 "%s%s%s",
                 grid[0], grid[1], grid[2], block[0], block[1], block[2], run->options->grid.given ? "" : ": covers '",
                 run->options->grid.given ? "" : object->argument.name, run->options->grid.given ? "" : "'");
    return true;
}

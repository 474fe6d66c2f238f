/* --abi=NAME[:FILE]: the text that tells a module what its kernels' arguments are. */
#include "cli/argument.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "file/file.h"

#define DESCRIPTION_LARGEST (UINT64_C(1) << 26) /* bytes */

bool abi_open(struct arena *arena, const struct source_options *options, struct atoll_module_options *load,
              struct atoll_error *error)
{
    const char *colon = options->abi ? strchr(options->abi, ':') : NULL;
    struct blob blob;
    load->abi = options->abi;
    load->abi_text = options->abi_text;
    if (!colon)
        return true;
    load->abi = arena_text(arena, options->abi, (size_t)(colon - options->abi));
    if (!load->abi)
        return error_memory(error);
    if (!file_read(colon + 1, DESCRIPTION_LARGEST, &blob, error))
        return false;
    load->abi_text = arena_text(arena, (const char *)blob.bytes, blob.size);
    blob_free(&blob);
    return load->abi_text || error_memory(error);
}

/* ---- what the arguments of the command line are ----------------------------------------------------------------- */

/* In the order of enum atoll_dimension. */
static const char *const dimensions[] = {"1d", "1dbuffer", "1darray", "2d", "2darray", "3d"};

bool abi_word(const struct argument *a)
{
    bool number = a->name[strspn(a->name, "0123456789")] == 0;
    return !number && a->kind == ARGUMENT_NUMBER && a->number[strspn(a->number, "abcdefghijklmnopqrstuvwxyz_")] == 0;
}

/* The surface that an argument names, or itself. */
static const struct argument *surface_of(const struct argument *list, uint32_t count, const struct argument *a)
{
    for (uint32_t i = 0; a->alias && i < count; i++)
        if (list[i].kind == ARGUMENT_SURFACE && !list[i].alias && strcmp(list[i].name, a->alias) == 0)
            return &list[i];
    return a;
}

static void describe(const struct argument *list, uint32_t count, const struct argument *a, struct text *out)
{
    const struct argument *surface = surface_of(list, count, a);
    switch (a->kind) {
    case ARGUMENT_BUFFER:
        text_puts(out, a->access && strcmp(a->access, "constant") == 0 ? "constant" : "global");
        break;
    case ARGUMENT_SURFACE:
        text_printf(out, "image:%s%s%s", surface->desc.width ? dimensions[surface->desc.dimension] : "2d",
                    a->access ? ":" : "", a->access ? a->access : "");
        break;
    case ARGUMENT_LOCAL:
    case ARGUMENT_SAMPLER:
        text_puts(out, a->kind == ARGUMENT_LOCAL ? "local" : "sampler");
        break;
    case ARGUMENT_NUMBER: /* as large as its input */
        text_puts(out, "value");
        break;
    case ARGUMENT_VALUES:
    case ARGUMENT_FIELDS:
        text_printf(out, "value:%llu",
                    (unsigned long long)a->count * (a->kind == ARGUMENT_VALUES && a->type ? a->type->bytes : 1));
        break;
    }
}

bool abi_arguments(struct arena *arena, const struct list *args, const char *kernel, const char **list,
                   struct atoll_error *error)
{
    struct argument *parsed = arena_array(arena, args->count, sizeof *parsed);
    struct text out = {0};
    if (!parsed)
        return error_memory(error);
    for (uint32_t i = 0; i < args->count; i++)
        if (!argument_parse(arena, "--arg", args->items[i], &parsed[i], error))
            return false;
    if (kernel && !strpbrk(kernel, "(<: ")) /* a name of the module's own */
        text_printf(&out, "kernel=%s\n", kernel);
    for (uint32_t i = 0; i < args->count; i++) {
        const struct argument *a = &parsed[i];
        text_printf(&out, "%s=", a->name);
        if (abi_word(a))
            text_puts(&out, a->number);
        else if (a->name[strspn(a->name, "0123456789")])
            text_puts(&out, "parameter");
        else
            describe(parsed, args->count, a, &out);
        text_puts(&out, "\n");
    }
    bool ok = text_ok(&out);
    *list = ok ? arena_text(arena, out.bytes ? out.bytes : "", out.length) : NULL;
    text_free(&out);
    return *list || error_memory(error);
}

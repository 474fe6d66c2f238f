/* The .ze_info of ocloc: YAML as LLVM's writer makes it, of which the parts on one kernel are read. A key is on a line
 * of its own, blocks are told by their columns, and a "- " begins an item of a list. */
#include "isa/visa/abi.h"

#include "mem/sampler.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, FIELDS = 16, WORD = 200 };

struct field {
    const char *key, *value;
};

struct zeinfo {
    struct abi *abi;
    struct {
        size_t column;
        const char *key; /* of a block; NULL: an item */
    } open[DEPTH];
    unsigned depth;
    bool ours;                   /* within the kernel */
    const char *section;         /* the list that items belong to */
    struct field fields[FIELDS]; /* of the item that is read */
    unsigned nfields;
};

/* ---- items ------------------------------------------------------------------------------------------------ */

static const char *text_of(const struct zeinfo *z, const char *key)
{
    for (unsigned i = 0; i < z->nfields; i++)
        if (strcmp(z->fields[i].key, key) == 0)
            return z->fields[i].value;
    return "";
}

static bool is(const struct zeinfo *z, const char *key, const char *value)
{
    return strcmp(text_of(z, key), value) == 0;
}

/* `otherwise` where the item does not say it. */
static bool number_of(const struct zeinfo *z, const char *key, uint32_t most, uint32_t otherwise, uint32_t *value)
{
    const char *text = text_of(z, key);
    char *end;
    *value = otherwise;
    if (!*text)
        return true;
    unsigned long long n = strtoull(text, &end, 10);
    *value = (uint32_t)n;
    return (*text >= '0' && *text <= '9' && *end == 0 && n <= most) ||
           abi_fail(z->abi, ATOLL_INPUT, "its .ze_info: %s: %.60s; wanted a number up to %u", key, text, most);
}

static struct abi_argument *argument_at(struct abi *abi, uint32_t index)
{
    while (abi->count <= index)
        abi->arguments[abi->count++] =
            (struct abi_argument){.input = UINT32_MAX, .bti = VISA_NO_BTI, .sampler = UINT32_MAX};
    return &abi->arguments[index];
}

static unsigned image_dimension(const char *type)
{
    static const char *const types[ABI_DIMENSIONS] = {"",         "image_1d",       "image_1d_buffer", "image_2d",
                                                      "image_3d", "image_1d_array", "image_2d_array"};
    unsigned dimension = abi_name(types, ABI_DIMENSIONS, type, strlen(type));
    return dimension < ABI_DIMENSIONS ? dimension : 0;
}

static void argument_kind(const struct zeinfo *z, struct abi_argument *a)
{
    static const struct {
        const char *space;
        enum abi_kind kind;
    } kinds[] = {{"global", ABI_GLOBAL},
                 {"constant", ABI_CONSTANT},
                 {"local", ABI_LOCAL},
                 {"image", ABI_IMAGE},
                 {"sampler", ABI_SAMPLER}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is(z, "addrspace", kinds[i].space))
            a->kind = (uint8_t)kinds[i].kind;
    if (is(z, "arg_type", "arg_byvalue"))
        a->kind = ABI_VALUE;
    a->dimension = (uint8_t)image_dimension(text_of(z, "image_type"));
    a->access = is(z, "access_type", "readonly")    ? ABI_READ
                : is(z, "access_type", "writeonly") ? ABI_WRITE
                : is(z, "access_type", "readwrite") ? ABI_READ_WRITE
                                                    : a->access;
}

/* What the kernel's own argument has at a place of the payload. */
static bool argument_piece(const struct zeinfo *z, struct abi_piece *piece, struct abi_argument *a)
{
    bool pointer = is(z, "arg_type", "arg_bypointer");
    if (pointer || is(z, "arg_type", "arg_byvalue"))
        argument_kind(z, a);
    if (a->kind == ABI_NONE && is(z, "arg_type", "buffer_address"))
        a->kind = ABI_GLOBAL;
    if (is(z, "arg_type", "buffer_size"))
        piece->source = 8; /* of the slot: address, size, handle */
    if (a->kind == ABI_VALUE && piece->source + piece->size > a->size)
        a->size = piece->source + piece->size;
    return pointer ? number_of(z, "sampler_index", VISA_SAMPLERS - 1, a->sampler, &a->sampler) : true;
}

static bool payload_item(struct zeinfo *z)
{
    static const char *const own[] = {"arg_bypointer", "arg_byvalue", "buffer_address", "buffer_size"};
    const char *type = text_of(z, "arg_type");
    struct abi_piece piece = {0};
    uint32_t index;
    if (!number_of(z, "offset", 4096, 0, &piece.offset) || !number_of(z, "size", 4096, 0, &piece.size) ||
        !number_of(z, "source_offset", 4096, 0, &piece.source) ||
        !number_of(z, "arg_index", ABI_ARGUMENTS - 1, UINT32_MAX, &index))
        return false;
    struct abi_argument *a = index == UINT32_MAX ? NULL : argument_at(z->abi, index);
    piece.argument = index;
    if (abi_name(own, 4, type, strlen(type)) < 4) {
        if (!a)
            return abi_fail(z->abi, ATOLL_INPUT, "its .ze_info has an %.60s without arg_index", type);
        piece.what = ABI_ARGUMENT;
        if (!argument_piece(z, &piece, a))
            return false;
    } else if (!(piece.what = abi_words_find(type)))
        piece.unknown = type;
    return piece.size == 0 || abi_piece(z->abi, &piece);
}

static bool thread_item(struct zeinfo *z)
{
    if (!is(z, "arg_type", "local_id"))
        return abi_fail(z->abi, ATOLL_UNSUPPORTED, "not supported: %.60s of each thread", text_of(z, "arg_type"));
    return number_of(z, "size", 4096, 0, &z->abi->per_thread);
}

static bool table_item(struct zeinfo *z)
{
    uint32_t bti, index;
    if (!number_of(z, "bti_value", VISA_BTIS - 1, VISA_NO_BTI, &bti) ||
        !number_of(z, "arg_index", ABI_ARGUMENTS - 1, UINT32_MAX, &index))
        return false;
    if (index != UINT32_MAX)
        argument_at(z->abi, index)->bti = bti;
    return true;
}

static bool sampler_item(struct zeinfo *z)
{
    static const char *const modes[] = {"none", "clamp_edge", "clamp_border", "repeat", "mirror"};
    static const uint8_t wraps[] = {SAMPLER_EDGE, SAMPLER_EDGE, SAMPLER_BORDER, SAMPLER_REPEAT, SAMPLER_MIRROR};
    struct abi *abi = z->abi;
    const char *mode = text_of(z, "addrmode");
    unsigned m = *mode ? abi_name(modes, 5, mode, strlen(mode)) : 0;
    if (m == 5 || (!is(z, "filtermode", "nearest") && !is(z, "filtermode", "linear")))
        return abi_fail(abi, ATOLL_UNSUPPORTED, "not supported: a sampler of addrmode %.40s, filtermode %.40s", mode,
                        text_of(z, "filtermode"));
    if (abi->nsamplers == VISA_SAMPLERS)
        return abi_fail(abi, ATOLL_INPUT, "its .ze_info has more than %d samplers", VISA_SAMPLERS);
    struct sampler_state state = {.bound = 1,
                                  .filter = is(z, "filtermode", "linear") ? SAMPLER_LINEAR : SAMPLER_NEAREST,
                                  .normalized = is(z, "normalized", "true"),
                                  .wrap = {wraps[m], wraps[m], wraps[m]}};
    struct abi_inline_sampler *sampler = &abi->samplers[abi->nsamplers++];
    memcpy(sampler->state, &state, sizeof sampler->state);
    return number_of(z, "sampler_index", VISA_SAMPLERS - 1, 0, &sampler->index);
}

static bool memory_item(struct zeinfo *z)
{
    uint32_t size;
    if (!number_of(z, "size", 1 << 19, 0, &size))
        return false;
    if (is(z, "usage", "private_space") && size > z->abi->private_bytes)
        z->abi->private_bytes = size;
    if (is(z, "type", "scratch") && size > z->abi->scratch_bytes)
        z->abi->scratch_bytes = size;
    return true;
}

/* "uint;4" */
static const char *command_line_type(const char *type)
{
    static const char *const names[] = {"char;1", "uchar;1", "short;2", "ushort;2", "int;4",    "uint;4",
                                        "long;8", "ulong;8", "half;2",  "float;4",  "double;8", "bool;1"};
    static const char *const types[] = {"s8",  "u8",  "s16", "u16", "s32", "u32",
                                        "s64", "u64", "f16", "f32", "f64", "u8"};
    unsigned i = abi_name(names, 12, type, strlen(type));
    return i < 12 ? types[i] : NULL;
}

static bool info_item(struct zeinfo *z)
{
    uint32_t index;
    if (!number_of(z, "index", ABI_ARGUMENTS - 1, UINT32_MAX, &index))
        return false;
    if (index < z->abi->count) {
        struct abi_argument *a = &z->abi->arguments[index];
        const char *type = text_of(z, "type_name");
        a->name = *text_of(z, "name") ? text_of(z, "name") : NULL;
        a->type = command_line_type(type);
        if (a->type && a->kind == ABI_VALUE) { /* the payload has at least 4 bytes of it */
            uint32_t bytes = (uint32_t)strtoul(strchr(type, ';') + 1, NULL, 10);
            a->size = bytes < a->size ? bytes : a->size;
        }
    }
    return true;
}

/* The item is complete. */
static bool item_take(struct zeinfo *z)
{
    static const struct {
        const char *section;
        bool (*take)(struct zeinfo *z);
    } sections[] = {{"payload_arguments", payload_item},        {"per_thread_payload_arguments", thread_item},
                    {"binding_table_indices", table_item},      {"inline_samplers", sampler_item},
                    {"per_thread_memory_buffers", memory_item}, {"args_info", info_item}};
    bool ok = true;
    for (size_t i = 0; ok && z->ours && z->nfields && z->section && i < sizeof sections / sizeof *sections; i++)
        if (strcmp(z->section, sections[i].section) == 0)
            ok = sections[i].take(z);
    z->nfields = 0;
    return ok;
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* [ 8, 1, 1 ] */
static bool three(const struct zeinfo *z, const char *text, uint32_t out[3])
{
    char *end;
    for (unsigned i = 0; i < 3; i++) {
        text += strspn(text, "[, ");
        unsigned long n = strtoul(text, &end, 10);
        if (end == text || n > 1024)
            return abi_fail(z->abi, ATOLL_INPUT, "its .ze_info: required_work_group_size: wanted three numbers");
        out[i] = (uint32_t)n;
        text = end;
    }
    return true;
}

static bool environment(struct zeinfo *z, const char *key, const char *value)
{
    struct abi *abi = z->abi;
    z->fields[0] = (struct field){key, value};
    z->nfields = 1;
    bool ok = true;
    if (strcmp(key, "simd_size") == 0)
        ok = number_of(z, key, 32, 0, &abi->simd);
    else if (strcmp(key, "slm_size") == 0)
        ok = number_of(z, key, 1 << 20, 0, &abi->slm_bytes);
    else if (strcmp(key, "required_work_group_size") == 0)
        ok = three(z, value, abi->required);
    z->nfields = 0;
    return ok;
}

/* The innermost open block. */
static const char *block(const struct zeinfo *z)
{
    for (unsigned i = z->depth; i > 0; i--)
        if (z->open[i - 1].key)
            return z->open[i - 1].key;
    return "";
}

static bool take(struct zeinfo *z, const char *key, const char *value)
{
    const char *in = block(z);
    if (strcmp(key, "name") == 0 && (strcmp(in, "kernels") == 0 || strcmp(in, "kernels_misc_info") == 0)) {
        z->ours = strcmp(value, z->abi->l->object->name) == 0;
        z->abi->found |= z->ours;
        return true;
    }
    if (!z->ours)
        return true;
    if (strcmp(in, "execution_env") == 0)
        return environment(z, key, value);
    z->section = in;
    if (z->nfields < FIELDS)
        z->fields[z->nfields++] = (struct field){key, value};
    return true;
}

static bool push(struct zeinfo *z, size_t column, const char *key)
{
    if (z->depth == DEPTH)
        return abi_fail(z->abi, ATOLL_INPUT, "its .ze_info is nested too deep");
    z->open[z->depth].column = column;
    z->open[z->depth++].key = key;
    return true;
}

/* Closes what does not hold a line at this column. */
static void close_to(struct zeinfo *z, size_t column, bool item)
{
    while (z->depth && (z->open[z->depth - 1].column > column ||
                        (z->open[z->depth - 1].column == column && !(item && z->open[z->depth - 1].key))))
        z->depth--;
}

/* "key:  value", the value perhaps in quotes. False: this is no such line. */
static bool split(char *line, char **key, char **value)
{
    char *colon = strchr(line, ':');
    if (!colon || (colon[1] != 0 && colon[1] != ' '))
        return false;
    *colon = 0;
    *key = line;
    *value = colon + 1 + strspn(colon + 1, " ");
    size_t length = strlen(*value);
    if (length > 1 && (**value == '\'' || **value == '"') && (*value)[length - 1] == **value) {
        (*value)[length - 1] = 0;
        ++*value;
    }
    return true;
}

static bool line_read(struct zeinfo *z, char *line)
{
    size_t column = strspn(line, " ");
    char *at = line + column, *key, *value;
    bool item = at[0] == '-' && at[1] == ' ';
    if (*at == 0 || *at == '#' || strcmp(at, "---") == 0 || strcmp(at, "...") == 0)
        return true;
    if (item || z->depth == 0 || z->open[z->depth - 1].column >= column)
        if (!item_take(z))
            return false;
    close_to(z, column, item);
    if (item) {
        if (!push(z, column, NULL))
            return false;
        at += 2;
        at += strspn(at, " ");
    }
    if (!split(at, &key, &value))
        return abi_fail(z->abi, ATOLL_INPUT, "its .ze_info: '%.60s': wanted 'key: value'", at);
    return *value ? take(z, key, value) : push(z, (size_t)(at - line), key);
}

bool abi_zeinfo(struct abi *abi, const char *text)
{
    struct zeinfo z = {.abi = abi};
    char *copy = arena_text(abi->l->arena, text, strlen(text));
    if (!copy)
        return error_memory(abi->l->error);
    for (char *at = copy, *next; at; at = next) {
        next = strchr(at, '\n');
        if (next)
            *next++ = 0;
        size_t length = strlen(at);
        while (length && strchr(" \t\r", at[length - 1]))
            at[--length] = 0;
        if (!line_read(&z, at))
            return false;
    }
    abi->placed = true;
    return item_take(&z);
}

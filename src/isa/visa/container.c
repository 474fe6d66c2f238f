/* The container of vISA (.isa), read and written by the same functions. Format: docs/visa.md, "The file". */
#include "isa/visa/stream.h"

#include <stdio.h>
#include <string.h>

enum {
    MAGIC = 0x41534943, /* "CISA" */
    LEAST_KERNELS = 20, /* bytes of the smallest description of one */
};

/* A container on its way. */
struct container {
    struct wire wire;
    struct visa_stream stream;
    struct arena *arena;
    struct visa_module *module;
};

bool visa_is_container(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "CISA", 4) == 0;
}

static void *room(struct container *c, uint64_t count, size_t size)
{
    void *array = arena_array(c->arena, (size_t)count + 1, size);
    if (!array)
        wire_fail(&c->wire, c->wire.at, "no memory");
    return array;
}

/* Reading: room for `count` elements of at least `least` bytes in the file. NULL: that cannot be. */
static void *list(struct container *c, uint64_t count, size_t least, size_t size, const char *what)
{
    return wire_count(&c->wire, count, least, what) ? room(c, count, size) : NULL;
}

/* ---- the object's declarations ---------------------------------------------------------------------------- */

static void string_index(struct container *c, const struct visa_object *o, uint32_t *index)
{
    size_t at = c->wire.at;
    visa_move_index(&c->stream, index);
    if (wire_reads(&c->wire) && !c->wire.failed && *index >= o->nstrings)
        wire_fail(&c->wire, at, "string %u of %u", *index, o->nstrings);
}

static void attribute(struct container *c, const struct visa_object *o, struct visa_attribute *a)
{
    string_index(c, o, &a->name);
    wire_u8(&c->wire, &a->size);
    wire_bytes(&c->wire, a->size, &a->value);
}

static void attributes(struct container *c, const struct visa_object *o, uint32_t count, struct visa_attribute **all)
{
    if (wire_reads(&c->wire))
        *all = list(c, count, 3, sizeof **all, "attributes");
    for (uint32_t i = 0; *all && i < count && !c->wire.failed; i++)
        attribute(c, o, &(*all)[i]);
}

static void var_attributes(struct container *c, const struct visa_object *o, struct visa_var *var)
{
    wire_u8(&c->wire, &var->nattributes);
    attributes(c, o, var->nattributes, &var->attributes);
}

static void general(struct container *c, const struct visa_object *o, struct visa_var *var)
{
    size_t at = c->wire.at;
    uint8_t bits = (uint8_t)(var->type | var->align << 4);
    string_index(c, o, &var->name);
    wire_u8(&c->wire, &bits);
    var->type = bits & 15;
    var->align = bits >> 4;
    wire_u16(&c->wire, &var->elements);
    visa_move_index(&c->stream, &var->alias);
    wire_u16(&c->wire, &var->alias_bytes);
    wire_u8(&c->wire, &var->alias_scope);
    bool known = var->alias < VISA_FIRST_G ? visa_predefined[var->alias].name != NULL
                                           : var->alias - VISA_FIRST_G < o->nvars[VISA_G];
    if (wire_reads(&c->wire) && !c->wire.failed && !known)
        wire_fail(&c->wire, at, "an alias of variable %u of %u", var->alias, VISA_FIRST_G + o->nvars[VISA_G]);
    var_attributes(c, o, var);
}

static void declared(struct container *c, const struct visa_object *o, enum visa_space space, struct visa_var *var)
{
    if (space == VISA_G) {
        general(c, o, var);
        return;
    }
    string_index(c, o, &var->name);
    if (space == VISA_L)
        wire_u8(&c->wire, &var->kind);
    else
        wire_u16(&c->wire, &var->elements);
    var_attributes(c, o, var);
}

static const char *const space_names[VISA_SPACES] = {"variables", "addresses", "predicates",   "labels",
                                                     "samplers",  "surfaces",  "VME variables"};

static void space_count(struct container *c, enum visa_space space, uint32_t *count)
{
    uint64_t n = *count;
    if (space == VISA_G)
        visa_move_index(&c->stream, count);
    else
        wire_uint(&c->wire, space == VISA_A || space == VISA_P || space == VISA_L ? 2 : 1, &n);
    if (space != VISA_G)
        *count = (uint32_t)n;
}

static void declarations(struct container *c, struct visa_object *o)
{
    for (enum visa_space space = VISA_G; space < VISA_SPACES && !c->wire.failed; space++) {
        space_count(c, space, &o->nvars[space]);
        if (wire_reads(&c->wire))
            o->vars[space] = list(c, o->nvars[space], 4, sizeof(struct visa_var), space_names[space]);
        for (uint32_t i = 0; o->vars[space] && i < o->nvars[space] && !c->wire.failed; i++)
            declared(c, o, space, &o->vars[space][i]);
    }
}

static enum visa_space input_space(const struct visa_input *input)
{
    static const enum visa_space spaces[] = {VISA_G, VISA_S, VISA_T, VISA_SPACES};
    return spaces[input->kind & 3];
}

static void input(struct container *c, const struct visa_object *o, struct visa_input *in)
{
    size_t at = c->wire.at;
    uint16_t offset = (uint16_t)in->offset;
    wire_u8(&c->wire, &in->kind);
    visa_move_index(&c->stream, &in->id);
    wire_u16(&c->wire, &offset);
    wire_u16(&c->wire, &in->size);
    in->offset = (int16_t)offset;
    if (!wire_reads(&c->wire) || c->wire.failed)
        return;
    if (input_space(in) == VISA_SPACES || !visa_declared(o, input_space(in), in->id))
        wire_fail(&c->wire, at, "an input of kind 0x%02X for variable %u, which there is not", in->kind, in->id);
}

static void inputs(struct container *c, struct visa_object *o)
{
    uint64_t count = o->ninputs;
    wire_uint(&c->wire, c->stream.version < 35 ? 1 : 4, &count);
    o->ninputs = (uint32_t)count;
    if (wire_reads(&c->wire))
        o->inputs = list(c, count, 7, sizeof *o->inputs, "inputs");
    for (uint32_t i = 0; o->inputs && i < o->ninputs && !c->wire.failed; i++)
        input(c, o, &o->inputs[i]);
}

static void strings(struct container *c, struct visa_object *o)
{
    visa_move_index(&c->stream, &o->nstrings);
    if (wire_reads(&c->wire))
        o->strings = list(c, o->nstrings, 1, sizeof *o->strings, "strings");
    for (uint32_t i = 0; o->strings && i < o->nstrings && !c->wire.failed; i++)
        wire_string(&c->wire, &o->strings[i]);
    string_index(c, o, &o->name_string);
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

static void read_insts(struct container *c, struct visa_object *o, size_t start, size_t end)
{
    uint32_t capacity = 0;
    while (c->wire.at < end && !c->wire.failed) {
        if (o->ninsts == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            struct visa_inst *more = arena_grow(c->arena, o->insts, o->ninsts, capacity, sizeof *more);
            if (!more) {
                wire_fail(&c->wire, c->wire.at, "no memory");
                return;
            }
            o->insts = more;
        }
        struct visa_inst *inst = &o->insts[o->ninsts];
        *inst = (struct visa_inst){0};
        if (!visa_move_inst(&c->stream, inst))
            return;
        inst->pos -= (uint32_t)start;
        o->ninsts++;
    }
    if (!c->wire.failed && c->wire.at != end)
        wire_fail(&c->wire, end, "an instruction goes beyond the end of the instructions");
}

static void write_insts(struct container *c, const struct visa_object *o)
{
    for (uint32_t i = 0; i < o->ninsts; i++) {
        struct visa_inst inst = o->insts[i];
        visa_move_inst(&c->stream, &inst);
    }
}

/* The instructions stand behind the attributes, at `entry`, which counts from the object's start. */
static void read_body(struct container *c, struct visa_object *o, size_t start, size_t end)
{
    uint32_t size = 0, entry = 0;
    wire_u32(&c->wire, &size);
    wire_u32(&c->wire, &entry);
    if (o->function) {
        wire_u8(&c->wire, &o->input_size);
        wire_u8(&c->wire, &o->return_size);
    }
    uint16_t count = 0;
    wire_u16(&c->wire, &count);
    o->nattributes = count;
    attributes(c, o, count, &o->attributes);
    if (c->wire.failed)
        return;
    if (entry > end - start || size > end - start - entry) {
        wire_fail(&c->wire, start, "instructions at %u, %u bytes, of an object of %zu", entry, size, end - start);
        return;
    }
    o->entry = entry;
    c->wire.at = start + entry;
    c->stream.object = o;
    read_insts(c, o, start, start + entry + size);
}

static void read_object(struct container *c, struct visa_object *o, uint32_t offset, uint32_t size)
{
    size_t whole = c->wire.size, at = c->wire.at;
    if (offset > whole || size > whole - offset) {
        wire_fail(&c->wire, at, "'%.60s' is said to stand at %u, %u bytes, in a file of %zu", o->name, offset, size,
                  whole);
        return;
    }
    c->wire.at = offset;
    c->wire.size = (size_t)offset + size;
    strings(c, o);
    declarations(c, o);
    if (!o->function)
        inputs(c, o);
    read_body(c, o, offset, (size_t)offset + size);
    c->wire.size = whole;
    if (!c->wire.failed)
        c->wire.at = at;
}

/* ---- the file's header ------------------------------------------------------------------------------------ */

static void short_name(struct container *c, const char **name)
{
    uint64_t length = *name ? strlen(*name) : 0;
    const char *bytes = *name;
    wire_uint(&c->wire, c->stream.version < 37 ? 1 : 2, &length);
    wire_bytes(&c->wire, length, &bytes);
    if (!wire_reads(&c->wire) || c->wire.failed)
        return;
    char *copy = arena_text(c->arena, bytes, length);
    *name = copy ? copy : "";
    if (strlen(*name) != length)
        wire_fail(&c->wire, c->wire.at - length, "a name with a 0 in it");
}

/* Tables of symbols that nobody fills any more. */
static void skip_symbols(struct container *c)
{
    uint16_t count = 0;
    const char *skipped = NULL;
    wire_u16(&c->wire, &count);
    if (wire_reads(&c->wire))
        wire_bytes(&c->wire, (size_t)count * 4, &skipped);
}

/* Machine code is not what the file is read for: one that is cut off has no bytes. */
static void read_gen(struct container *c, struct visa_gen *gen)
{
    uint32_t offset = 0;
    wire_u8(&c->wire, &gen->platform);
    wire_u32(&c->wire, &offset);
    wire_u32(&c->wire, &gen->size);
    if (!c->wire.failed && offset <= c->wire.size && gen->size <= c->wire.size - offset)
        gen->bytes = (const char *)c->wire.bytes + offset;
}

static void read_gens(struct container *c, struct visa_object *o)
{
    wire_u8(&c->wire, &o->ngen);
    o->gen = list(c, o->ngen, 9, sizeof *o->gen, "machine codes");
    for (unsigned i = 0; o->gen && i < o->ngen && !c->wire.failed; i++)
        read_gen(c, &o->gen[i]);
}

static void read_info(struct container *c, struct visa_object *o)
{
    uint32_t offset = 0, size = 0, input_offset = 0;
    if (o->function)
        wire_u8(&c->wire, &o->linkage);
    short_name(c, &o->name);
    wire_u32(&c->wire, &offset);
    wire_u32(&c->wire, &size);
    if (!o->function)
        wire_u32(&c->wire, &input_offset);
    skip_symbols(c);
    skip_symbols(c);
    if (!o->function)
        read_gens(c, o);
    if (!c->wire.failed)
        read_object(c, o, offset, size);
}

static struct visa_object *read_infos(struct container *c, uint16_t *count, bool function)
{
    wire_u16(&c->wire, count);
    struct visa_object *all = list(c, *count, LEAST_KERNELS, sizeof *all, function ? "functions" : "kernels");
    for (unsigned i = 0; all && i < *count && !c->wire.failed; i++) {
        all[i].function = function;
        read_info(c, &all[i]);
    }
    return all;
}

/* Variables of the whole file: there are none in practice; their places are passed over. */
static void read_file_scope(struct container *c)
{
    uint16_t count = 0, elements = 0;
    uint8_t byte = 0, nattributes = 0;
    const char *name = "";
    wire_u16(&c->wire, &count);
    for (unsigned i = 0; i < count && !c->wire.failed; i++) {
        wire_u8(&c->wire, &byte);
        short_name(c, &name);
        wire_u8(&c->wire, &byte);
        wire_u16(&c->wire, &elements);
        wire_u8(&c->wire, &nattributes);
        for (unsigned k = 0; k < nattributes && !c->wire.failed; k++) {
            struct visa_object none = {.nstrings = UINT32_MAX};
            struct visa_attribute skipped;
            attribute(c, &none, &skipped);
        }
    }
}

static void read_file(struct container *c)
{
    uint32_t magic = 0;
    struct visa_module *m = c->module;
    wire_u32(&c->wire, &magic);
    wire_u8(&c->wire, &m->major);
    wire_u8(&c->wire, &m->minor);
    if (!c->wire.failed && magic != MAGIC)
        wire_fail(&c->wire, 0, "0x%08X where the mark of vISA files stands (0x%08X, \"CISA\")", magic, MAGIC);
    else if (!c->wire.failed && m->major < 3)
        wire_fail(&c->wire, 4, "version %u.%u: 3.0 and later are read", m->major, m->minor);
    c->stream.version = m->major * 10u + (m->minor > 9 ? 9u : m->minor);
    if (c->wire.failed)
        return;
    m->kernels = read_infos(c, &m->nkernels, false);
    read_file_scope(c);
    m->functions = read_infos(c, &m->nfunctions, true);
}

bool visa_read(struct arena *arena, const void *bytes, size_t size, struct visa_module *module,
               struct atoll_error *error)
{
    struct container c = {.wire = {.bytes = bytes, .size = size}, .arena = arena, .module = module};
    c.stream = (struct visa_stream){.wire = &c.wire, .arena = arena, .table = visa_table(error)};
    *module = (struct visa_module){0};
    if (!c.stream.table)
        return false;
    read_file(&c);
    return !c.wire.failed || error_set(error, ATOLL_INVALID, "byte %zu: %s", c.wire.at, c.wire.reason);
}

/* ---- writing ---------------------------------------------------------------------------------------------- */

/* An object in bytes, and where its inputs stand in it. */
struct written {
    struct text bytes;
    uint32_t inputs;
};

static void write_body(struct container *c, struct visa_object *o)
{
    struct text code = {0};
    struct container inner = *c;
    inner.wire = (struct wire){.out = &code};
    inner.stream.wire = &inner.wire;
    write_insts(&inner, o);
    uint32_t size = (uint32_t)code.length, entry;
    uint16_t count = (uint16_t)o->nattributes;
    const char *bytes = code.bytes;
    wire_u32(&c->wire, &size);
    /* What comes between: entry, sizes of functions, attributes. */
    size_t between = 4 + (o->function ? 2 : 0) + 2;
    for (unsigned i = 0; i < count; i++)
        between += 5u + o->attributes[i].size;
    entry = (uint32_t)(c->wire.at + between);
    wire_u32(&c->wire, &entry);
    if (o->function) {
        wire_u8(&c->wire, &o->input_size);
        wire_u8(&c->wire, &o->return_size);
    }
    wire_u16(&c->wire, &count);
    attributes(c, o, count, &o->attributes);
    wire_bytes(&c->wire, code.length, &bytes);
    if (code.failed)
        c->wire.out->failed = true;
    text_free(&code);
}

/* The functions of both directions want an object that they could change; writing changes nothing. */
static void write_object(struct container *c, const struct visa_object *given, struct written *out)
{
    struct visa_object o = *given;
    c->wire = (struct wire){.out = &out->bytes};
    c->stream.version = VISA_VERSION;
    strings(c, &o);
    declarations(c, &o);
    out->inputs = (uint32_t)c->wire.at;
    if (!o.function)
        inputs(c, &o);
    write_body(c, &o);
}

static void write_info(struct container *c, const struct visa_object *o, const struct written *object, uint32_t *offset)
{
    uint32_t size = (uint32_t)object->bytes.length, input_offset = *offset + object->inputs;
    uint8_t none = 0, linkage = o->linkage;
    const char *name = o->name;
    if (o->function)
        wire_u8(&c->wire, &linkage);
    short_name(c, &name);
    wire_u32(&c->wire, offset);
    wire_u32(&c->wire, &size);
    if (!o->function)
        wire_u32(&c->wire, &input_offset);
    skip_symbols(c);
    skip_symbols(c);
    if (!o->function)
        wire_u8(&c->wire, &none);
    *offset += size;
}

static void write_header(struct container *c, const struct written *objects, uint32_t offset)
{
    const struct visa_module *m = c->module;
    uint32_t magic = MAGIC;
    uint8_t major = VISA_VERSION / 10, minor = VISA_VERSION % 10;
    uint16_t kernels = m->nkernels, functions = m->nfunctions, none = 0;
    wire_u32(&c->wire, &magic);
    wire_u8(&c->wire, &major);
    wire_u8(&c->wire, &minor);
    wire_u16(&c->wire, &kernels);
    for (unsigned i = 0; i < kernels; i++)
        write_info(c, &m->kernels[i], &objects[i], &offset);
    wire_u16(&c->wire, &none);
    wire_u16(&c->wire, &functions);
    for (unsigned i = 0; i < functions; i++)
        write_info(c, &m->functions[i], &objects[kernels + i], &offset);
}

/* The length of the header does not depend on the offsets in it: it is written twice. */
static void write_file(struct container *c, const struct written *objects, struct text *out)
{
    struct text header = {0};
    unsigned count = c->module->nkernels + c->module->nfunctions;
    c->wire = (struct wire){.out = &header};
    write_header(c, objects, 0);
    uint32_t length = (uint32_t)header.length;
    bool ok = text_ok(&header);
    text_free(&header);
    c->wire = (struct wire){.out = out};
    write_header(c, objects, length);
    for (unsigned i = 0; i < count; i++) {
        text_add(out, objects[i].bytes.bytes, objects[i].bytes.length);
        ok = ok && text_ok(&objects[i].bytes);
    }
    out->failed = out->failed || !ok;
}

bool visa_write(const struct visa_module *module, struct text *out, struct atoll_error *error)
{
    struct arena arena = {0};
    struct container c = {.arena = &arena, .module = (struct visa_module *)module};
    unsigned count = (unsigned)module->nkernels + module->nfunctions;
    struct written *objects = arena_array(&arena, (size_t)count + 1, sizeof *objects);
    c.stream =
        (struct visa_stream){.wire = &c.wire, .arena = &arena, .version = VISA_VERSION, .table = visa_table(error)};
    if (objects && c.stream.table) {
        for (unsigned i = 0; i < count; i++)
            write_object(&c, i < module->nkernels ? &module->kernels[i] : &module->functions[i - module->nkernels],
                         &objects[i]);
        write_file(&c, objects, out);
        for (unsigned i = 0; i < count; i++)
            text_free(&objects[i].bytes);
    }
    arena_free(&arena);
    return c.stream.table && ((objects && text_ok(out)) || error_memory(error));
}

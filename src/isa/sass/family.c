/* Maxwell SASS as a family: cubins, and the text of one, to modules. */
#include "isa/sass/family.h"

#include "base/text.h"
#include "isa/diag.h"
#include "isa/sass/code.h"
#include "isa/sass/explain.h"
#include "isa/sass/header.h"
#include "isa/sass/link.h"
#include "isa/sass/reference.h"
#include "isa/sass/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sass_front {
    const struct isa_table *table;
    const struct family_source *sources;
    struct sass_module *modules; /* of each source */
    struct sass_module joined;   /* of all, where there are several, or one that is not linked */
    unsigned count;              /* of `modules` so far */
};

static const struct sass_front *own(const struct front *front)
{
    return (const struct sass_front *)front;
}

static bool text_read(const struct sass_front *front, const struct family_source *source,
                      const struct atoll_module_options *given, struct sass_module *m, struct atoll_error *error)
{
    struct atoll_error first = {0};
    struct atoll_module_options options = *given;
    options.file = source->file;
    struct diag diag = {
        .source = source->text, .size = source->size, .options = &options, .first = &first, .hold = true};
    return sass_assemble(front->table, source->text, source->size, SASS_ARCH_50, &diag, m, error);
}

static bool cubin_read(const struct family_source *source, struct sass_module *m, struct atoll_error *error)
{
    struct atoll_error why = {0};
    return sass_read(source->text, source->size, m, &why) ||
           error_set(error, why.status, "%.300s: %s", source->file, why.message);
}

/* ---- operand rules ------------------------------------------------------------------------------------- */

/* What the check of a module has found. */
struct findings {
    const struct family_source *source;
    const struct atoll_module_options *options;
    struct atoll_error *error;
    unsigned errors;
};

/* An instruction that breaks a rule runs here, but the reference forbids it: a warning; an error where `strict`. */
static void rule_report(struct findings *f, const char *section, uint64_t address, const char *text, const char *wanted)
{
    char message[ISA_TEXT + 700];
    const char *name = strncmp(section, ".text.", 6) == 0 ? section + 6 : section;
    snprintf(message, sizeof message, "%.200s+0x%" PRIx64 ": %s: wanted %s", name, address, text, wanted);
    struct atoll_diagnostic out = {.severity = f->options->strict ? ATOLL_ERROR : ATOLL_WARNING,
                                   .code = "operand-rule",
                                   .message = message,
                                   .file = f->source->file};
    if (f->options->strict && !f->errors++)
        error_set(f->error, ATOLL_INVALID, "%s", message);
    if (f->options->diagnose)
        f->options->diagnose(f->options->user, &out);
}

static bool section_check(const struct sass_front *front, const struct sass_module *m, const struct sass_section *s,
                          struct findings *f)
{
    struct arena arena = {0};
    struct sass_code insns = {.table = front->table};
    bool ok = sass_arch_of(m->arch, &insns.arch) && sass_decode(&arena, s->bytes, s->size, &insns, f->error);
    unsigned most = f->options->max_errors;
    for (size_t i = 0; ok && i < insns.count && !(most && f->errors >= most); i++) {
        const struct sass_insn *insn = &insns.insns[i];
        struct isa_mistake mistake;
        char text[ISA_TEXT];
        if (!insn->form || sass_rules(front->table, insn->form, &insn->word, &mistake))
            continue;
        isa_print(front->table, insn->form, &insn->word, sass_address(i), text);
        rule_report(f, s->name, sass_address(i), text, mistake.wanted);
    }
    arena_free(&arena);
    return ok;
}

/* Of text the assembler checks them. */
static bool cubin_check(const struct sass_front *front, const struct family_source *source, const struct sass_module *m,
                        const struct atoll_module_options *options, struct atoll_error *error)
{
    struct findings f = {.source = source, .options = options, .error = error};
    bool ok = true;
    if (!options->diagnose && !options->strict)
        return true;
    for (uint32_t i = 1; ok && i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (s->type == SASS_PROGBITS && s->flags & SASS_EXECUTE)
            ok = section_check(front, m, s, &f);
    }
    return ok && !f.errors;
}

static bool source_load(struct sass_front *front, const struct family_source *source,
                        const struct atoll_module_options *options, struct sass_module *m, struct atoll_error *error)
{
    if (!sass_is_elf(source->text, source->size))
        return text_read(front, source, options, m, error);
    return cubin_read(source, m, error) && cubin_check(front, source, m, options, error);
}

static bool sources_load(struct sass_front *front, const struct family_load *load, struct atoll_error *error)
{
    front->modules = arena_array(load->arena, load->count, sizeof *front->modules);
    if (!front->modules)
        return error_memory(error);
    while (front->count < load->count) {
        unsigned i = front->count++;
        if (!source_load(front, &load->sources[i], load->options, &front->modules[i], error))
            return false;
    }
    return true;
}

static void link_report(const struct family_load *load, enum atoll_severity severity, const char *code,
                        const char *message)
{
    struct atoll_diagnostic out = {.severity = severity, .code = code, .message = message, .file = load->file};
    if (load->options->diagnose)
        load->options->diagnose(load->options->user, &out);
}

/* Names that no file defines. False: there are some, and `strict` refuses them. */
static bool missing_report(const struct sass_module *joined, const struct family_load *load, struct atoll_error *error)
{
    bool strict = load->options->strict;
    for (unsigned i = 0; i < joined->nwarnings; i++)
        link_report(load, strict ? ATOLL_ERROR : ATOLL_WARNING, "link-undefined", joined->warnings[i].text);
    return !strict || !joined->nwarnings || error_set(error, ATOLL_INVALID, "%.500s", joined->warnings[0].text);
}

/* Line tables that cannot be read are left out: what they say is not needed. */
static bool module_lower(const struct isa_table *table, const struct sass_module *module,
                         const struct family_load *load, struct atoll_error *error)
{
    bool broken = false;
    if (!sass_lower(table, module, load->lanes, &broken, error))
        return false;
    if (broken)
        link_report(load, ATOLL_WARNING, "bad-lines",
                    "not all of .debug_line and .nv_debug_line_sass can be read: source lines are missing");
    return true;
}

/* A file that is linked is lowered as it is. */
static bool sources_lower(struct sass_front *front, const struct family_load *load, struct atoll_error *error)
{
    if (front->count == 1 && !front->modules[0].relocatable)
        return module_lower(front->table, &front->modules[0], load, error);
    struct sass_part *parts = arena_array(load->arena, front->count, sizeof *parts);
    if (!parts)
        return error_memory(error);
    for (unsigned i = 0; i < front->count; i++)
        parts[i] = (struct sass_part){&front->modules[i], load->sources[i].file};
    if (!sass_join_files(front->table, parts, front->count, &front->joined, error)) {
        if (error->status == ATOLL_INVALID)
            link_report(load, ATOLL_ERROR, "link-mismatch", error->message);
        return false;
    }
    return missing_report(&front->joined, load, error) && module_lower(front->table, &front->joined, load, error);
}

static bool load(struct family_load *load, struct atoll_error *error)
{
    struct sass_front *front = arena_alloc(load->arena, sizeof *front);
    if (!front)
        return error_memory(error);
    *front = (struct sass_front){.sources = load->sources, .table = sass_table(error)};
    if (!front->table)
        return false;
    load->front = (struct front *)front;
    return sources_load(front, load, error) && sources_lower(front, load, error);
}

static void unload(struct front *given)
{
    struct sass_front *front = (struct sass_front *)given;
    sass_free(&front->joined);
    for (unsigned i = 0; i < front->count; i++)
        sass_free(&front->modules[i]);
}

/* ---- out -------------------------------------------------------------------------------------------------- */

static bool print(const struct front *given, struct text *out, struct atoll_error *error)
{
    const struct sass_front *front = own(given);
    struct sass_listing options = {0};
    bool ok = true;
    for (unsigned i = 0; ok && i < front->count; i++) {
        if (front->count > 1)
            text_printf(out, "%s// %s\n", i ? "\n" : "", front->sources[i].file);
        ok = sass_list_module(front->table, &front->modules[i], &options, out, error);
    }
    return ok;
}

static void target(const struct front *front, unsigned source, struct family_target *out)
{
    const struct sass_module *module = &own(front)->modules[source];
    *out = (struct family_target){"cubin of tools", module->toolkit, module->arch, 64, 0};
}

/* A copy of a section with its relocations applied, as far as they are of symbols of this file. */
static bool section_copy(const struct sass_module *module, const char *name, struct arena *arena,
                         struct dwarf_section *out)
{
    uint32_t index = sass_find_section(module, name);
    const struct sass_section *section = &module->sections[index];
    *out = (struct dwarf_section){0};
    if (!index || !section->bytes || sass_is_empty(section->type))
        return true;
    uint8_t *bytes = arena_alloc(arena, section->size + 1);
    if (!bytes)
        return false;
    memcpy(bytes, section->bytes, section->size);
    for (unsigned i = 0; i < module->nrelocations; i++) {
        const struct sass_relocation *r = &module->relocations[i];
        if (r->section == index && (r->type == SASS_R_32 || r->type == SASS_R_64) && r->symbol < module->nsymbols)
            sass_relocate(r, module->symbols[r->symbol].value, bytes, section->size, NULL);
    }
    *out = (struct dwarf_section){bytes, section->size};
    return true;
}

/* The PTX that a file was made from lies in it with lines that end with 0. */
static bool debug(const struct front *front, unsigned source, struct arena *arena, struct family_debug *out)
{
    const struct sass_module *sass = &own(front)->modules[source];
    struct dwarf_section ptx;
    if (!section_copy(sass, ".debug_info", arena, &out->dwarf.info) ||
        !section_copy(sass, ".debug_abbrev", arena, &out->dwarf.abbrev) ||
        !section_copy(sass, ".debug_str", arena, &out->dwarf.str) ||
        !section_copy(sass, ".debug_line_str", arena, &out->dwarf.line_str) ||
        !section_copy(sass, ".nv_debug_ptx_txt", arena, &ptx))
        return false;
    if (!ptx.bytes)
        return true;
    char *text = arena_text(arena, (const char *)ptx.bytes, ptx.size);
    for (size_t i = 0; text && i < ptx.size; i++)
        text[i] = text[i] ? text[i] : '\n';
    out->text = text;
    out->size = ptx.size;
    return text != NULL;
}

static bool explain(const char *instruction, unsigned machine, struct arena *arena, struct family_explained *found,
                    struct atoll_error *error)
{
    return sass_explain(instruction, machine == FAMILY_ANY ? SASS_ARCHS : machine, arena, found, error);
}

/* ---- headers ---------------------------------------------------------------------------------------------- */

static bool header_encode(const struct surface *surface, uint64_t address, void *bytes, struct atoll_error *error)
{
    struct sass_header header;
    if (!sass_header_encode(surface, address, &header, error))
        return false;
    sass_header_write(&header, bytes);
    return true;
}

static bool header_decode(const void *bytes, struct surface_shape *shape, uint64_t *address, struct atoll_error *error)
{
    struct sass_header header;
    sass_header_read(bytes, &header);
    return sass_header_decode(&header, shape, address, error);
}

static bool header_field(const void *bytes, unsigned index, struct family_field *field)
{
    struct sass_header header;
    sass_header_read(bytes, &header);
    return sass_header_field(&header, index, field);
}

static const struct family_headers headers = {SASS_HEADER_BYTES, SASS_HEADER_LAST, header_encode, header_decode,
                                              header_field};

/* In the order of enum sass_arch. */
static const char *const machines[] = {"SM50", "SM52", "SM53", NULL};

const struct family sass_family = {
    .name = "sass",
    .title = "machine code",
    .machines = machines,
    /* CUDA C++ programming guide, technical specifications: compute capability 5.x; but all of the window that
     * addresses reach can be had of shared memory. */
    .limits = {.grid = {INT32_MAX, 65535, 65535},
               .block = {1024, 1024, 64},
               .block_threads = 1024,
               .shared_bytes = 1 << 24,
               .shared_text = "the window of 16 MiB",
               .required = ".reqntid",
               .at_most = ".maxntid"},
    .takes = sass_takes,
    .load = load,
    .unload = unload,
    .print = print,
    .insns = print,
    .target = target,
    .debug = debug,
    .explains = sass_explain_takes,
    .explain = explain,
    .list = sass_list,
    .code = &sass_family_code,
    .headers = &headers,
};

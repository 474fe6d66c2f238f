/* Modules that are machine code: cubins, and the text of one (Maxwell SASS). */
#include "api/api.h"

#include "base/text.h"
#include "isa/dwarf.h"
#include "isa/sass/code.h"
#include "isa/sass/link.h"
#include "isa/sass/rules.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code {
    struct isa_table table;
    struct sass_module *modules; /* of each part */
    struct sass_module joined;   /* of all, where there are several, or one that is not linked */
    unsigned count;              /* of `modules` so far */
};

/* Directives that only the text of machine code begins with; PTX begins with .version. */
static const char *const directives[] = {"elftype", "elfversion", "headerflags", "insn",
                                         "kernel",  "norules",    "param",       "section"};

static const char *skip_comments(const char *at, const char *end)
{
    for (;;) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (end - at < 2 || (*at != '/' && *at != '#'))
            return at;
        if (at[1] == '/' || *at == '#') {
            while (at < end && *at != '\n')
                at++;
        } else if (at[1] == '*') {
            at += 2;
            while (end - at >= 2 && !(at[0] == '*' && at[1] == '/'))
                at++;
            at = end - at >= 2 ? at + 2 : end;
        } else {
            return at;
        }
    }
}

/* ".shared 16": in PTX a type or alignment stands there. */
static bool size_directive(const char *at, const char *end)
{
    static const char *const names[] = {".shared", ".local"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        const char *number = at + length;
        if ((size_t)(end - at) <= length || memcmp(at, names[i], length) != 0)
            continue;
        while (number < end && (*number == ' ' || *number == '\t'))
            number++;
        return number > at + length && number < end && isdigit((unsigned char)*number);
    }
    return false;
}

bool code_recognise(const char *text, size_t size)
{
    const char *end = text + size, *at;
    if (size >= 4 && memcmp(text, "\177ELF", 4) == 0)
        return true;
    at = skip_comments(text, end);
    if (size_directive(at, end))
        return true;
    for (size_t i = 0; at < end && *at == '.' && i < sizeof directives / sizeof *directives; i++) {
        size_t length = strlen(directives[i]);
        if ((size_t)(end - at) > length + 1 && memcmp(at + 1, directives[i], length) == 0 &&
            isspace((unsigned char)at[length + 1]))
            return true;
    }
    /* An instruction: "MOV R0, R1", "{ ...", "@P0 ..." */
    return end - at >= 2 &&
           ((isupper((unsigned char)at[0]) && (isupper((unsigned char)at[1]) || isdigit((unsigned char)at[1]))) ||
            *at == '{' || (*at == '@' && (at[1] == 'P' || at[1] == '!')));
}

bool code_is_ptx(const char *text, size_t size)
{
    static const char version[] = ".version";
    size_t length = sizeof version - 1;
    const char *end = text + size, *at = skip_comments(text, end);
    return (size_t)(end - at) > length && memcmp(at, version, length) == 0 && isspace((unsigned char)at[length]);
}

static bool is_elf(const struct part *part)
{
    return part->size >= 4 && memcmp(part->source, "\177ELF", 4) == 0;
}

static bool part_read(const struct code *code, const struct part *part, struct sass_module *m,
                      struct atoll_error *error)
{
    if (is_elf(part)) {
        struct atoll_error why = {0};
        return sass_read(part->source, part->size, m, &why) ||
               error_set(error, why.status, "%.300s: %s", part->file, why.message);
    }
    return sass_assemble(&code->table, part->source, part->size, SASS_ARCH_50, m, error);
}

/* Tells of a place in a text, with its line. */
static void place_report(const struct part *part, const struct atoll_module_options *options,
                         struct atoll_diagnostic out)
{
    const char *line = part->source, *end = line + part->size;
    for (uint32_t n = 1; n < out.line && line < end; n++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        line = next ? next + 1 : end;
    }
    const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    out.file = part->file;
    out.line_text = line;
    out.line_length = (size_t)((stop ? stop : end) - line);
    if (options->diagnose)
        options->diagnose(options->user, &out);
}

static void mistake_report(const struct part *part, const struct atoll_module_options *options,
                           struct atoll_error *error)
{
    error->status = ATOLL_INVALID;
    place_report(part, options,
                 (struct atoll_diagnostic){.severity = ATOLL_ERROR,
                                           .code = "syntax",
                                           .message = error->message,
                                           .line = error->line,
                                           .column = error->column});
}

/* What the assembler read, and its writer is to be told of. False: there is some, and `strict` refuses it. */
static bool warnings_report(const struct part *part, const struct sass_module *m,
                            const struct atoll_module_options *options, struct atoll_error *error)
{
    for (unsigned i = 0; i < m->nwarnings; i++) {
        const struct sass_warning *w = &m->warnings[i];
        place_report(part, options,
                     (struct atoll_diagnostic){.severity = options->strict ? ATOLL_ERROR : ATOLL_WARNING,
                                               .code = "spelling",
                                               .message = w->text,
                                               .line = w->line,
                                               .column = w->column});
    }
    return !options->strict || !m->nwarnings ||
           error_at(error, ATOLL_INVALID, m->warnings[0].line, m->warnings[0].column, "%s", m->warnings[0].text);
}

/* ---- operand rules ------------------------------------------------------------------------------------- */

/* What the check of a module has found. */
struct findings {
    const struct part *part;
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
                                   .file = f->part->file};
    if (f->options->strict && !f->errors++)
        error_set(f->error, ATOLL_INVALID, "%s", message);
    if (f->options->diagnose)
        f->options->diagnose(f->options->user, &out);
}

static bool section_check(const struct code *code, const struct sass_module *m, const struct sass_section *s,
                          struct findings *f)
{
    struct arena arena = {0};
    struct sass_code insns = {.table = &code->table};
    bool ok = sass_arch_of(m->arch, &insns.arch) && sass_decode(&arena, s->bytes, s->size, &insns, f->error);
    unsigned most = f->options->max_errors;
    for (size_t i = 0; ok && i < insns.count && !(most && f->errors >= most); i++) {
        const struct sass_insn *insn = &insns.insns[i];
        struct isa_mistake mistake;
        char text[ISA_TEXT];
        if (!insn->form || sass_rules(&code->table, insn->form, &insn->word, &mistake))
            continue;
        isa_print(&code->table, insn->form, &insn->word, sass_address(i), text);
        rule_report(f, s->name, sass_address(i), text, mistake.wanted);
    }
    arena_free(&arena);
    return ok;
}

/* Of a cubin: text has been checked by the assembler. */
static bool part_check(const struct code *code, const struct part *part, const struct sass_module *m,
                       const struct atoll_module_options *options, struct atoll_error *error)
{
    struct findings f = {.part = part, .options = options, .error = error};
    bool ok = true;
    if (!is_elf(part) || (!options->diagnose && !options->strict))
        return true;
    for (uint32_t i = 1; ok && i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (s->type == SASS_PROGBITS && s->flags & SASS_EXECUTE)
            ok = section_check(code, m, s, &f);
    }
    return ok && !f.errors;
}

static bool part_load(struct code *code, const struct part *part, const struct atoll_module_options *options,
                      struct sass_module *m, struct atoll_error *error)
{
    if (part_read(code, part, m, error))
        return warnings_report(part, m, options, error) && part_check(code, part, m, options, error);
    if (error->line && !is_elf(part))
        mistake_report(part, options, error);
    return false;
}

static bool parts_load(struct atoll_module *module, const struct atoll_module_options *options,
                       struct atoll_error *error)
{
    struct code *code = module->code;
    code->modules = arena_array(&module->arena, module->nparts, sizeof *code->modules);
    if (!code->modules)
        return error_memory(error);
    while (code->count < module->nparts) {
        unsigned i = code->count++;
        if (!part_load(code, &module->parts[i], options, &code->modules[i], error))
            return false;
    }
    return true;
}

/* What does not fit together is told as a diagnostic, too. */
static bool join_report(const struct atoll_module *module, const struct atoll_module_options *options,
                        const struct atoll_error *error)
{
    struct atoll_diagnostic out = {
        .severity = ATOLL_ERROR, .code = "link-mismatch", .message = error->message, .file = module->file};
    if (error->status == ATOLL_INVALID && options->diagnose)
        options->diagnose(options->user, &out);
    return false;
}

/* Names that no file defines. False: there are some, and `strict` refuses them. */
static bool missing_report(const struct atoll_module *module, const struct atoll_module_options *options,
                           struct atoll_error *error)
{
    const struct sass_module *m = &module->code->joined;
    for (unsigned i = 0; i < m->nwarnings; i++) {
        struct atoll_diagnostic out = {.severity = options->strict ? ATOLL_ERROR : ATOLL_WARNING,
                                       .code = "link-undefined",
                                       .message = m->warnings[i].text,
                                       .file = module->file};
        if (options->diagnose)
            options->diagnose(options->user, &out);
    }
    return !options->strict || !m->nwarnings || error_set(error, ATOLL_INVALID, "%.500s", m->warnings[0].text);
}

/* A file that is linked is lowered as it is. */
static bool parts_lower(struct atoll_module *module, const struct atoll_module_options *options,
                        struct atoll_error *error)
{
    struct code *code = module->code;
    if (code->count == 1 && !code->modules[0].relocatable)
        return sass_lower(&code->table, &code->modules[0], &module->lanes, error);
    struct sass_part *parts = arena_array(&module->arena, code->count, sizeof *parts);
    if (!parts)
        return error_memory(error);
    for (unsigned i = 0; i < code->count; i++)
        parts[i] = (struct sass_part){&code->modules[i], module->parts[i].file};
    if (!sass_join_files(&code->table, parts, code->count, &code->joined, error))
        return join_report(module, options, error);
    return missing_report(module, options, error) && sass_lower(&code->table, &code->joined, &module->lanes, error);
}

bool code_load(struct atoll_module *module, const struct atoll_module_options *options, struct atoll_error *error)
{
    struct isa_table table;
    if (!sass_open(&table, error))
        return false;
    module->code = calloc(1, sizeof *module->code);
    if (!module->code) {
        isa_close(&table);
        return error_memory(error);
    }
    module->code->table = table;
    return parts_load(module, options, error) && parts_lower(module, options, error);
}

void code_free(struct atoll_module *module)
{
    if (!module->code)
        return;
    sass_free(&module->code->joined);
    for (unsigned i = 0; i < module->code->count; i++)
        sass_free(&module->code->modules[i]);
    isa_close(&module->code->table);
    free(module->code);
}

bool code_list(const struct atoll_module *module, struct text *out, struct atoll_error *error)
{
    struct sass_listing options = {0};
    bool ok = true;
    for (unsigned i = 0; ok && i < module->nparts; i++) {
        if (module->nparts > 1)
            text_printf(out, "%s// %s\n", i ? "\n" : "", module->parts[i].file);
        ok = sass_list_module(&module->code->table, &module->code->modules[i], &options, out, error);
    }
    return ok;
}

void code_target(const struct atoll_module *module, unsigned *arch, unsigned *toolkit)
{
    *arch = module->code->modules[0].arch;
    *toolkit = module->code->modules[0].toolkit;
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

bool code_debug(const struct atoll_module *module, unsigned part, struct arena *arena, struct dwarf *dwarf, char **text,
                size_t *size)
{
    const struct sass_module *sass = &module->code->modules[part];
    struct dwarf_section ptx;
    *text = NULL;
    if (!section_copy(sass, ".debug_info", arena, &dwarf->info) ||
        !section_copy(sass, ".debug_abbrev", arena, &dwarf->abbrev) ||
        !section_copy(sass, ".debug_str", arena, &dwarf->str) ||
        !section_copy(sass, ".debug_line_str", arena, &dwarf->line_str) ||
        !section_copy(sass, ".nv_debug_ptx_txt", arena, &ptx))
        return false;
    if (!ptx.bytes)
        return true;
    /* Lines end with 0 there. */
    *text = arena_text(arena, (const char *)ptx.bytes, ptx.size);
    *size = ptx.size;
    for (size_t i = 0; *text && i < ptx.size; i++)
        if ((*text)[i] == 0)
            (*text)[i] = '\n';
    return *text != NULL;
}

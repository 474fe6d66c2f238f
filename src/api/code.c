/* Modules that are machine code: cubins, and the text of one (Maxwell SASS). */
#include "api/api.h"

#include "base/text.h"
#include "isa/sass/code.h"
#include "isa/sass/link.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct code {
    struct isa_table table;
    struct sass_module module;
};

/* Directives that only the text of machine code begins with; PTX begins with .version. */
static const char *const directives[] = {"elftype", "elfversion", "headerflags", "insn",
                                         "kernel",  "norules",    "param",       "section"};

static const char *skip_comments(const char *at, const char *end)
{
    for (;;) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (end - at < 2 || *at != '/')
            return at;
        if (at[1] == '/') {
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

bool code_recognise(const char *text, size_t size)
{
    const char *end = text + size, *at;
    if (size >= 4 && memcmp(text, "\177ELF", 4) == 0)
        return true;
    at = skip_comments(text, end);
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

static bool code_read(struct atoll_module *module, struct atoll_error *error)
{
    struct code *code = module->code;
    if (module->size >= 4 && memcmp(module->source, "\177ELF", 4) == 0)
        return sass_read(module->source, module->size, &code->module, error);
    return sass_assemble(&code->table, module->source, module->size, SASS_ARCH_50, &code->module, error);
}

bool code_load(struct atoll_module *module, struct atoll_error *error)
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
    return code_read(module, error) && sass_lower(&module->code->table, &module->code->module, &module->lanes, error);
}

void code_free(struct atoll_module *module)
{
    if (!module->code)
        return;
    sass_free(&module->code->module);
    isa_close(&module->code->table);
    free(module->code);
}

bool code_list(const struct atoll_module *module, struct text *out, struct atoll_error *error)
{
    struct sass_listing options = {0};
    return sass_list_module(&module->code->table, &module->code->module, &options, out, error);
}

void code_target(const struct atoll_module *module, unsigned *arch, unsigned *toolkit)
{
    *arch = module->code->module.arch;
    *toolkit = module->code->module.toolkit;
}

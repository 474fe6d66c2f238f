/* Text to a word, beyond what the rows say: spellings of the sources that nvdisasm does not print, and what to say of
 * texts that are nearly right. */
#include "isa/sass/parse.h"

#include "isa/sass/code.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

static size_t skip_blanks(const char *text, size_t length, size_t at)
{
    while (at < length && is_blank(text[at]))
        at++;
    return at;
}

/* Where the mnemonic begins: after the guard. */
static size_t mnemonic_place(const char *text, size_t length)
{
    size_t at = skip_blanks(text, length, 0);
    if (at < length && text[at] == '@')
        while (at < length && !is_blank(text[at]))
            at++;
    return skip_blanks(text, length, at);
}

static bool begins(const char *text, size_t length, size_t at, const char *word)
{
    size_t more = strlen(word);
    return length - at >= more && memcmp(text + at, word, more) == 0;
}

/* The vendor's disassembler leaves the offset 0 of an indirect call away: "JMX R2". */
static size_t with_offset(const char *text, size_t length, char copy[ISA_TEXT])
{
    size_t at = mnemonic_place(text, length);
    if (!begins(text, length, at, "JMX ") && !begins(text, length, at, "BRX "))
        return 0;
    int made = snprintf(copy, ISA_TEXT, "%.*s 0x0", (int)(length < ISA_TEXT ? length : ISA_TEXT), text);
    return made < ISA_TEXT ? (size_t)made : 0;
}

/* "SUATOM.D.BA.1D.U64.TRAP": .ADD goes after the dimension. */
static size_t with_operation(const char *text, size_t length, char copy[ISA_TEXT])
{
    static const char *const dimensions[] = {".1D", ".2D", ".3D", ".1D_BUFFER", ".1D_ARRAY", ".2D_ARRAY"};
    size_t at = mnemonic_place(text, length), behind = 0;
    if (!begins(text, length, at, "SUATOM."))
        return 0;
    for (; at < length && !is_blank(text[at]); at++)
        for (unsigned i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
            size_t end = at + strlen(dimensions[i]);
            if (begins(text, length, at, dimensions[i]) && (end == length || text[end] == '.' || is_blank(text[end])))
                behind = end;
        }
    int made = behind && length < ISA_TEXT
                   ? snprintf(copy, ISA_TEXT, "%.*s.ADD%.*s", (int)behind, text, (int)(length - behind), text + behind)
                   : ISA_TEXT;
    return made < ISA_TEXT ? (size_t)made : 0;
}

static void add_hint(struct isa_mistake *mistake, const char *hint)
{
    size_t used = strlen(mistake->wanted);
    snprintf(mistake->wanted + used, sizeof mistake->wanted - used, "%s", hint);
}

/* Replaces what is wanted where a later architecture has the instruction. */
static void say_architecture(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                             uint64_t address, struct isa_mistake *mistake)
{
    for (unsigned other = arch + 1; other < SASS_ARCHS; other++) {
        struct isa_word word = {{0, SASS_CONTROL_NEUTRAL}};
        if (!isa_parse(table, text, length, other, address, &word, NULL))
            continue;
        unsigned number = sass_arch_number(other);
        snprintf(mistake->wanted, sizeof mistake->wanted,
                 "an instruction of SM%u: this one needs SM%u (-b SM%u, or .headerflags @\"EF_CUDA_SM%u\" in the text)",
                 sass_arch_number(arch), number, number, number);
        return;
    }
}

/* Which register follows Rb depends on the size; the reference's own example has the two mixed up. */
static void say_pair(const char *text, size_t length, struct isa_mistake *mistake)
{
    size_t at = mnemonic_place(text, length);
    bool swaps = begins(text, length, at, "ATOMS.CAS") || begins(text, length, at, "ATOM.");
    if (swaps && strstr(mistake->wanted, "follows from another operand"))
        add_hint(mistake, "; .U32 takes Rb and Rb+1, .U64 Rb and Rb+2");
}

struct nearest sass_nearest(const struct isa_table *table, unsigned arch, const char *word, size_t length)
{
    struct nearest nearest = nearest_to(word, length);
    for (unsigned i = 0; i < table->nforms; i++) {
        const struct isa_form *form = &table->forms[table->by_name[i]];
        char name[NEAREST_LONGEST + 1];
        snprintf(name, sizeof name, "%.*s", (int)form->mnemonic_length, form->mnemonic);
        if (arch == SASS_ARCHS || form->row->archs >> arch & 1)
            nearest_try(&nearest, name);
    }
    return nearest;
}

/* Where nothing is called like that. */
static void say_nearest(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                        struct isa_mistake *mistake)
{
    size_t at = mnemonic_place(text, length), end = at;
    char hint[NEAREST_HINT];
    if (mistake->at != at || strncmp(mistake->wanted, "an instruction", 14) != 0)
        return;
    while (end < length && !is_blank(text[end]) && text[end] != '.' && text[end] != ';')
        end++;
    struct nearest nearest = sass_nearest(table, arch, text + at, end - at);
    nearest_hint(&nearest, hint);
    add_hint(mistake, hint);
}

const struct isa_form *sass_parse(const struct isa_table *table, const char *text, size_t length, unsigned arch,
                                  uint64_t address, struct isa_word *word, struct isa_mistake *mistake,
                                  const char **warning)
{
    char copy[ISA_TEXT];
    size_t made;
    if (warning)
        *warning = NULL;
    const struct isa_form *form = isa_parse(table, text, length, arch, address, word, mistake);
    if (!form && (made = with_offset(text, length, copy)) != 0)
        form = isa_parse(table, copy, made, arch, address, word, NULL);
    if (!form && (made = with_operation(text, length, copy)) != 0) {
        form = isa_parse(table, copy, made, arch, address, word, NULL);
        if (form && warning)
            *warning = "SUATOM without an operation is read as .ADD";
    }
    if (!form && mistake) {
        say_pair(text, length, mistake);
        say_nearest(table, text, length, arch, mistake);
        say_architecture(table, text, length, arch, address, mistake);
    }
    return form;
}

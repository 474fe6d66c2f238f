/* Operand rules of Maxwell instructions. Sources: the instruction reference of SUATOM and ATOMS (facts: sass.md
 * sections 3 and 4); for loads and stores what the vendor's compiler keeps to in all its output (section 5). */
#include "isa/sass/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct checked {
    const struct isa_table *table;
    const struct isa_form *form;
    const struct isa_word *word;
    struct isa_mistake *mistake;
};

static bool wanted(const struct checked *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (c->mistake) {
        c->mistake->at = 0;
        vsnprintf(c->mistake->wanted, sizeof c->mistake->wanted, format, list);
    }
    va_end(list);
    return false;
}

/* Whether a name stands in a list with blanks between its names. */
static bool in_list(const char *list, const char *name, size_t length)
{
    for (const char *at = list; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, length) == 0 && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}

static bool is(const struct checked *c, const char *mnemonics)
{
    return in_list(mnemonics, c->form->mnemonic, c->form->mnemonic_length);
}

static unsigned bits(const struct checked *c, unsigned low, unsigned count)
{
    return (unsigned)(c->word->part[0] >> low) & ((1u << count) - 1);
}

/* ---- reserved values ----------------------------------------------------------------------------------- */

static bool reserved(const struct isa_names *names, uint64_t value)
{
    const char *text = value < names->count ? names->text[value] : names->rest;
    return text && (strstr(text, "INVALID") || strstr(text, "???"));
}

/* Values that have no meaning are written as INVALID... or ???n. */
static bool no_reserved(const struct checked *c)
{
    const struct isa_element *e = &c->table->elements[c->form->first];
    for (unsigned i = 0; i < c->form->count; i++)
        if ((e[i].names && reserved(e[i].names, isa_get(c->word, &e[i].field))) ||
            (e[i].suffix && reserved(e[i].suffix, isa_get(c->word, &e[i].suffix_field)))) {
            char text[ISA_TEXT];
            isa_print(c->table, c->form, c->word, 0, text);
            return wanted(c, "no reserved value, as in '%.60s'", text);
        }
    return true;
}

/* ---- operations and types ------------------------------------------------------------------------------ */

static const struct {
    const char *mnemonics, *operations, *types; /* types: the spellings' beginnings */
} legal[] = {
    {"ATOMS", "ADD MIN MAX AND OR XOR", "U32 S32"},
    {"ATOMS", "INC DEC", "U32"},
    {"ATOMS", "EXCH", "U32 S32 U64"},
    {"SUATOM SURED", "ADD", "U32 S32 SD32 U64 F32 F16x2"},
    {"SUATOM SURED", "MIN MAX", "U32 S32 SD32 U64 S64 SD64 F16x2"},
    {"SUATOM SURED", "INC DEC", "U32"},
    {"SUATOM SURED", "AND OR XOR", "U32 S32 SD32 U64"},
    {"SUATOM", "EXCH CAS", "U32 S32 U64"},
};

/* The first name of a spelling: ".F32.FTZ.RN" -> "F32", "|.U32|.32" -> "U32", "" -> "". */
static size_t first_name(const char *spelling, const char **name)
{
    *name = spelling + strspn(spelling, "|.");
    return strcspn(*name, "|.");
}

static bool type_fits(const struct checked *c)
{
    const char *type, *operation;
    const char *size = isa_spelling(c->table, c->form, c->word, is(c, "ATOMS") ? "atomssize" : "size");
    size_t type_length = first_name(size, &type);
    size_t length = first_name(isa_spelling(c->table, c->form, c->word, "op"), &operation);
    if (!length && strstr(c->form->row->text, ".CAS")) {
        operation = "CAS";
        length = 3;
    }
    for (unsigned i = 0; type_length && i < sizeof legal / sizeof legal[0]; i++)
        if (is(c, legal[i].mnemonics) && in_list(legal[i].operations, operation, length) &&
            !in_list(legal[i].types, type, type_length))
            return wanted(c, "a type that .%.*s takes: %s (not %.*s)", (int)length, operation, legal[i].types,
                          (int)type_length, type);
    return true;
}

/* ---- registers -------------------------------------------------------------------------------------------- */

/* Registers that stand together begin at a multiple of their number (3: of 4), below R255; RZ stands for all of them.
 */
static bool aligned(const struct checked *c, const char *what, unsigned number, unsigned count)
{
    unsigned unit = count == 3 ? 4 : count;
    if (number == 255)
        return true;
    if (number % unit)
        return wanted(c, "%s in a register that is a multiple of %u, not R%u", what, unit, number);
    return number + count <= 255 || wanted(c, "%s in registers up to R254, not from R%u", what, number);
}

static unsigned words_of(const char *spelling)
{
    return strstr(spelling, "128") ? 4 : strstr(spelling, "64") ? 2 : 1;
}

/* 1D, 1D_BUFFER, 1D_ARRAY, 2D, 2D_ARRAY, 3D */
static const uint8_t coordinates[] = {1, 1, 2, 2, 3, 3, 1, 1};

static bool surface_fits(const struct checked *c)
{
    const char *size = isa_spelling(c->table, c->form, c->word, "size");
    unsigned words = words_of(size), dimension = isa_value(c->table, c->form, c->word, "dim", 0);
    bool atomic = is(c, "SUATOM"), cas = strstr(c->form->row->text, ".CAS") != NULL;
    bool handle_in_register = strstr(c->form->row->text, "{R@39}") != NULL;
    if (atomic && bits(c, 8, 8) == 255)
        return wanted(c, "coordinates in registers, not RZ");
    if (atomic && handle_in_register && bits(c, 39, 8) == 255)
        return wanted(c, "a handle in a register, not RZ");
    return aligned(c, "coordinates", bits(c, 8, 8), coordinates[dimension & 7]) &&
           aligned(c, is(c, "SUST SURED") ? "data" : "the result", bits(c, 0, 8), words) &&
           (!atomic || aligned(c, cas ? "compare and swap value" : "data", bits(c, 20, 8), cas ? 2 * words : words));
}

static bool shared_atomic_fits(const struct checked *c)
{
    const char *text = c->form->row->text;
    bool cas = strstr(text, "{castkind") != NULL;
    unsigned words =
        cas ? (strstr(text, ".64") ? 2 : 1) : words_of(isa_spelling(c->table, c->form, c->word, "atomssize"));
    if (cas && (bits(c, 28, 2) == 2 || bits(c, 20, 8) == 255))
        return wanted(c, "a register to compare with, not RZ");
    return aligned(c, "the result", bits(c, 0, 8), words) &&
           aligned(c, cas ? "compare and swap value" : "data", bits(c, 20, 8), cas ? 2 * words : words);
}

/* Where the data of loads and stores, and of atomics on global memory, stand. */
static bool memory_fits(const struct checked *c)
{
    const char *text = c->form->row->text;
    bool cas = strstr(text, ".CAS") != NULL;
    unsigned words = words_of(isa_spelling(c->table, c->form, c->word, "size"));
    if (cas)
        words = strstr(text, ".CAS.64") ? 2 : 1;
    if (isa_has(c->table, c->form, c->word, ".E") && !aligned(c, "a 64-bit address", bits(c, 8, 8), 2))
        return false;
    return aligned(c, "data", bits(c, 0, 8), words) &&
           (!is(c, "ATOM") ||
            aligned(c, cas ? "compare and swap value" : "data", bits(c, 20, 8), cas ? 2 * words : words));
}

bool sass_rules(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                struct isa_mistake *mistake)
{
    const struct checked c = {table, form, word, mistake};
    if (!no_reserved(&c))
        return false;
    /* All mnemonics below begin with one of these: most instructions are done here. */
    if (!strchr("ALRS", form->mnemonic[0]))
        return true;
    if (!type_fits(&c))
        return false;
    if (is(&c, "SUATOM SULD SUST SURED"))
        return surface_fits(&c);
    if (is(&c, "ATOMS"))
        return shared_atomic_fits(&c);
    if (is(&c, "LD ST LDG STG LDS STS LDL STL LDC ATOM RED"))
        return memory_fits(&c);
    return true;
}

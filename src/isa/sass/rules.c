/* Operand rules of Maxwell instructions. Sources: the instruction reference of SUATOM and ATOMS
 * (docs/maxwell.md, "Shared atomics", "Surfaces"); for loads and stores what the vendor's compiler keeps to in all its
 * output ("Other memory instructions"). */
#include "isa/sass/rules.h"

#include "base/text.h"
#include "isa/sass/code.h"
#include "isa/sass/parts.h"
#include "isa/sass/rows.h"
#include "lane/lane.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct checked {
    const struct isa_table *table;
    const struct isa_form *form;
    const struct isa_word *word;
    struct isa_mistake *mistake;
    const char *text; /* that the word was read from; may be empty */
    size_t length;
};

static bool wanted(const struct checked *c, size_t at, const char *format, ...) PRINTF_LIKE(3, 4);

static bool wanted(const struct checked *c, size_t at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (c->mistake) {
        c->mistake->at = at;
        vsnprintf(c->mistake->wanted, sizeof c->mistake->wanted, format, list);
    }
    va_end(list);
    return false;
}

static bool has_role(const struct checked *c, enum sass_role role)
{
    return c->form->role[role] != 0;
}

/* ---- places in the text ----------------------------------------------------------------------------------- */

/* Number of the operand in a role among those that are written; 0 = the first. */
static unsigned operand_number(const struct checked *c, enum sass_role role)
{
    struct isa_operand operands[16];
    const struct isa_element *e = &c->table->elements[c->form->first];
    unsigned count = isa_operands(c->table, c->form, c->word, 0, operands, 16), seen = 0, written = 0;
    for (unsigned i = sass_behind_guard(c->table, c->form); i < c->form->count && seen < count; i++) {
        if (e[i].kind == ISA_LITERAL || e[i].kind == ISA_FLAG || e[i].kind == ISA_NAME)
            continue;
        if (e[i].role == role)
            return written;
        written += !operands[seen++].defaulted;
    }
    return 0;
}

/* Where an operand begins in the text: after the guard, the mnemonic and as many commas as operands. */
static size_t operand_place(const struct checked *c, enum sass_role role)
{
    unsigned number = operand_number(c, role), depth = 0;
    size_t i = 0;
    if (i < c->length && c->text[i] == '@')
        i += strcspn(c->text, " \t");
    while (i < c->length && (c->text[i] == ' ' || c->text[i] == '\t'))
        i++;
    while (i < c->length && c->text[i] != ' ' && c->text[i] != '\t' && c->text[i] != '[')
        i++;
    for (; i < c->length && (number || c->text[i] == ' ' || c->text[i] == '\t'); i++) {
        depth += c->text[i] == '[';
        depth -= c->text[i] == ']' && depth;
        number -= c->text[i] == ',' && !depth && number;
    }
    return i < c->length ? i : 0;
}

/* Where ".name" is in the text. */
static size_t modifier_place(const struct checked *c, const char *name, size_t length)
{
    for (size_t i = 0; i + 1 + length <= c->length; i++)
        if (c->text[i] == '.' && memcmp(c->text + i + 1, name, length) == 0)
            return i;
    return 0;
}

/* ---- reserved values ----------------------------------------------------------------------------------- */

static bool no_reserved(const struct checked *c)
{
    const struct isa_element *e = &c->table->elements[c->form->first];
    for (unsigned i = 0; i < c->form->count; i++)
        if ((e[i].names && sass_reserved(e[i].names, isa_get(c->word, &e[i].field))) ||
            (e[i].suffix && sass_reserved(e[i].suffix, isa_get(c->word, &e[i].suffix_field)))) {
            char text[ISA_TEXT];
            isa_print(c->table, c->form, c->word, 0, text);
            return wanted(c, 0, "no reserved value, as in '%.60s'", text);
        }
    return true;
}

/* ---- operations and types ------------------------------------------------------------------------------ */

enum { OP_CAS = SASS_OPERATION_COUNT, OPERATIONS, NONE = 255, MOST = 7 };

#define BARE(id, text) &text[1],
static const char *const operation_names[OPERATIONS] = {SASS_OPERATIONS(BARE) "CAS"};
#undef BARE
static const char *const type_names[SASS_SUATOMTYPE_COUNT] = {
    [SASS_TYPE_U32] = "U32",     [SASS_TYPE_S32] = "S32", [SASS_TYPE_U64] = "U64",   [SASS_TYPE_F32] = "F32",
    [SASS_TYPE_F16X2] = "F16x2", [SASS_TYPE_S64] = "S64", [SASS_TYPE_SD32] = "SD32", [SASS_TYPE_SD64] = "SD64"};

#define OPS(...)          \
    {                     \
        __VA_ARGS__, NONE \
    }
#define TYPES(...)        \
    {                     \
        __VA_ARGS__, NONE \
    }
static const struct {
    uint32_t where;                                /* SASS_IS_SHARED, SASS_IS_SURFACE */
    uint8_t operations[MOST + 1], types[MOST + 1]; /* as they are told */
    bool told;                                     /* only where the old value is a result */
} legal[] = {
    {SASS_IS_SHARED, OPS(SASS_OP_ADD, SASS_OP_MIN, SASS_OP_MAX, SASS_OP_AND, SASS_OP_OR, SASS_OP_XOR),
     TYPES(SASS_TYPE_U32, SASS_TYPE_S32), true},
    {SASS_IS_SHARED, OPS(SASS_OP_INC, SASS_OP_DEC), TYPES(SASS_TYPE_U32), true},
    {SASS_IS_SHARED, OPS(SASS_OP_EXCH), TYPES(SASS_TYPE_U32, SASS_TYPE_S32, SASS_TYPE_U64), true},
    {SASS_IS_SURFACE, OPS(SASS_OP_ADD),
     TYPES(SASS_TYPE_U32, SASS_TYPE_S32, SASS_TYPE_SD32, SASS_TYPE_U64, SASS_TYPE_F32, SASS_TYPE_F16X2), false},
    {SASS_IS_SURFACE, OPS(SASS_OP_MIN, SASS_OP_MAX),
     TYPES(SASS_TYPE_U32, SASS_TYPE_S32, SASS_TYPE_SD32, SASS_TYPE_U64, SASS_TYPE_S64, SASS_TYPE_SD64, SASS_TYPE_F16X2),
     false},
    {SASS_IS_SURFACE, OPS(SASS_OP_INC, SASS_OP_DEC), TYPES(SASS_TYPE_U32), false},
    {SASS_IS_SURFACE, OPS(SASS_OP_AND, SASS_OP_OR, SASS_OP_XOR),
     TYPES(SASS_TYPE_U32, SASS_TYPE_S32, SASS_TYPE_SD32, SASS_TYPE_U64), false},
    {SASS_IS_SURFACE, OPS(SASS_OP_EXCH, OP_CAS), TYPES(SASS_TYPE_U32, SASS_TYPE_S32, SASS_TYPE_U64), true},
};
#undef OPS
#undef TYPES

static bool listed(const uint8_t *list, unsigned value)
{
    while (*list != NONE && *list != value)
        list++;
    return *list != NONE;
}

/* "ADD MIN MAX" */
static void list_text(const uint8_t *list, const char *const *names, struct text *out)
{
    for (; *list != NONE; list++)
        text_printf(out, "%s%s", names[*list], list[1] != NONE ? " " : "");
}

/* Whether an entry is of the instruction, and of its operation where one is given. */
static bool is_legal(const struct checked *c, unsigned i, unsigned operation)
{
    return isa_all(c->form, SASS_IS_ATOMIC | legal[i].where) && (!legal[i].told || has_role(c, SASS_ROLE_Rd)) &&
           (operation == NONE || listed(legal[i].operations, operation));
}

static unsigned operation_of(const struct checked *c)
{
    unsigned operation = isa_value(c->table, c->form, c->word, SASS_ROLE_op, NONE);
    if (isa_all(c->form, SASS_IS_SURFACE | SASS_IS_SWAP))
        return OP_CAS;
    return operation < SASS_OPERATION_COUNT && isa_any(c->form, SASS_IS_ATOMIC) ? operation : NONE;
}

/* The type by the names of atomics on surfaces and on shared memory. */
static unsigned type_of(const struct checked *c)
{
    static const uint8_t shared[] = {SASS_TYPE_U32, SASS_TYPE_S32, SASS_TYPE_U64, SASS_TYPE_S64};
    const struct isa_element *e = isa_role(c->table, c->form, SASS_ROLE_size);
    if (e && e->names == &sass_names[SASS_LIST_atomssize])
        return shared[isa_get(c->word, &e->field) & 3];
    return e && isa_any(c->form, SASS_IS_SURFACE) ? (unsigned)isa_get(c->word, &e->field) : NONE;
}

static bool type_fits(const struct checked *c)
{
    unsigned operation = operation_of(c), type = type_of(c);
    for (unsigned i = 0; operation != NONE && type != NONE && i < sizeof legal / sizeof legal[0]; i++) {
        if (!is_legal(c, i, operation) || listed(legal[i].types, type))
            continue;
        struct text types = {0};
        list_text(legal[i].types, type_names, &types);
        wanted(c, modifier_place(c, type_names[type], strlen(type_names[type])), "a type that .%s takes: %s (not %s)",
               operation_names[operation], types.bytes ? types.bytes : "", type_names[type]);
        text_free(&types);
        return false;
    }
    return true;
}

/* ---- registers -------------------------------------------------------------------------------------------- */

/* Registers that an instruction takes together. */
struct demand {
    const char *what;
    const char *not_zero; /* what is wanted where RZ cannot be, else NULL */
    uint8_t role;         /* enum sass_role, of the operand */
    uint8_t count;        /* of registers */
    bool loose;           /* nothing is known of where they begin */
    bool half;            /* of twice as many, the rest of which is RZ: they begin where those would */
};
enum { DEMANDS = 4 };

/* Registers that are together begin at a multiple of their number (3: of 4), below R255; RZ stands for all of them.
 */
static unsigned unit_of(const struct demand *d)
{
    return d->loose ? 1 : d->count == 3 ? 4 : d->half ? 2 * d->count : d->count;
}

static bool demand_met(const struct checked *c, const struct demand *d)
{
    unsigned number = isa_number(isa_role(c->table, c->form, d->role), c->word);
    if (number == 255)
        return !d->not_zero || wanted(c, operand_place(c, d->role), "%s, not RZ", d->not_zero);
    if (number % unit_of(d))
        return wanted(c, operand_place(c, d->role), "%s in a register that is a multiple of %u, not R%u", d->what,
                      unit_of(d), number);
    return number + d->count <= 255 ||
           wanted(c, operand_place(c, d->role), "%s in registers up to R254, not from R%u", d->what, number);
}

/* Where the data of a load or store are, and the result of an atomic. */
static struct demand data_demand(const struct checked *c, const char *what, uint8_t words)
{
    uint8_t role = has_role(c, SASS_ROLE_Rd) ? SASS_ROLE_Rd : SASS_ROLE_Rs;
    return (struct demand){what, NULL, role, words, !has_role(c, SASS_ROLE_size), false}; /* .P: components */
}

static unsigned surface_demands(const struct checked *c, struct demand d[DEMANDS])
{
    bool result = has_role(c, SASS_ROLE_Rd), atomic = result && isa_any(c->form, SASS_IS_ATOMIC);
    bool cas = isa_any(c->form, SASS_IS_SWAP);
    uint8_t words = sass_data_registers(c->table, c->form, c->word),
            coordinates = sass_coordinates(isa_value(c->table, c->form, c->word, SASS_ROLE_dim, 0));
    unsigned count = 0;
    d[count++] = (struct demand){
        "coordinates", atomic ? "coordinates in registers" : NULL, SASS_ROLE_Ra, coordinates, false, false};
    if (has_role(c, SASS_ROLE_Rc))
        d[count++] =
            (struct demand){"a handle", atomic ? "a handle in a register" : NULL, SASS_ROLE_Rc, 1, false, false};
    d[count++] = data_demand(c, result ? "the result" : "data", words);
    if (atomic)
        d[count++] = (struct demand){cas ? "compare and swap value" : "data", NULL,  SASS_ROLE_Rb,
                                     (uint8_t)(cas ? 2 * words : words),      false, false};
    return count;
}

/* Data of an atomic on memory; of a compare and swap `words` registers each. Where one of the two values is RZ only the
 * other is read: its register may be the last that a pair would begin at. */
static struct demand operand_demand(const struct checked *c, uint8_t words, const char *not_zero)
{
    bool compare = has_role(c, SASS_ROLE_Rb), both = compare && has_role(c, SASS_ROLE_Rx);
    if (!isa_any(c->form, SASS_IS_SWAP))
        return (struct demand){"data", NULL, SASS_ROLE_Rb, words, false, false};
    return (struct demand){both      ? "compare and swap value"
                           : compare ? "compare value"
                                     : "swap value",
                           not_zero,
                           compare ? SASS_ROLE_Rb : SASS_ROLE_Rx,
                           (uint8_t)(both ? 2 * words : words),
                           false,
                           !both};
}

static unsigned memory_demands(const struct checked *c, struct demand d[DEMANDS])
{
    bool shared = isa_all(c->form, SASS_IS_SHARED | SASS_IS_ATOMIC);
    uint8_t words = sass_data_registers(c->table, c->form, c->word);
    unsigned count = 0;
    if (isa_has(c->table, c->form, c->word, SASS_MOD_E))
        d[count++] = (struct demand){"a 64-bit address", NULL, SASS_ROLE_Ra, 2, false, false};
    d[count++] = data_demand(c, shared ? "the result" : "data", words);
    if (isa_any(c->form, SASS_IS_ATOMIC) && has_role(c, SASS_ROLE_Rd))
        d[count++] = operand_demand(c, words, shared ? "a register to compare with" : NULL);
    return count;
}

static unsigned demands(const struct checked *c, struct demand d[DEMANDS])
{
    if (isa_any(c->form, SASS_IS_SURFACE))
        return surface_demands(c, d);
    return isa_any(c->form, SASS_IS_MEMORY) ? memory_demands(c, d) : 0;
}

static bool has_reserved(const struct isa_names *names, const struct isa_field *field)
{
    uint64_t all = field->width < 16 ? (uint64_t)1 << field->width : 1 << 16;
    for (uint64_t value = 0; names && value < all && value <= names->count; value++) /* from the count on: the rest */
        if (sass_reserved(names, value))
            return true;
    return false;
}

bool sass_rules_concern(const struct isa_table *table, const struct isa_form *form)
{
    const struct isa_element *e = &table->elements[form->first];
    for (unsigned i = 0; i < form->count; i++)
        if (has_reserved(e[i].names, &e[i].field) || has_reserved(e[i].suffix, &e[i].suffix_field))
            return true;
    return !(form->row->flags & SASS_FIXED) || isa_any(form, SASS_IS_SURFACE | SASS_IS_MEMORY);
}

/* The pair of a CAS that compares with RZ: it decodes, hardware is said not to have it (docs/maxwell.md, "Shared
 * atomics"). */
static bool compares_with_zero(const struct checked *c)
{
    return isa_all(c->form, SASS_IS_SHARED | SASS_IS_SWAP) && !has_role(c, SASS_ROLE_Rb);
}

/* Released scoreboards are numbers of 3 bits: 7 is none, and the disassembler takes 6 as well. */
static bool no_scoreboard(const struct isa_word *word)
{
    return (word->part[1] >> SASS_WR & 7) == SASS_SCOREBOARDS || (word->part[1] >> SASS_RD & 7) == SASS_SCOREBOARDS;
}

bool sass_rules_read(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                     const char *text, size_t length, struct isa_mistake *mistake)
{
    const struct checked c = {table, form, word, mistake, text, length};
    struct demand d[DEMANDS];
    if (no_scoreboard(word))
        return wanted(&c, length, "scoreboards from 0 to 5, not 6");
    if (!no_reserved(&c))
        return false;
    if (!isa_any(form, SASS_IS_SURFACE | SASS_IS_MEMORY))
        return true;
    if (isa_any(form, SASS_IS_ATOMIC) && !type_fits(&c))
        return false;
    if (compares_with_zero(&c))
        return wanted(&c, operand_place(&c, SASS_ROLE_Rx), "a register to compare with, not RZ");
    unsigned count = demands(&c, d);
    for (unsigned i = 0; i < count; i++)
        if (!demand_met(&c, &d[i]))
            return false;
    return true;
}

bool sass_rules(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                struct isa_mistake *mistake)
{
    return sass_rules_read(table, form, word, "", 0, mistake);
}

/* ---- the rules in words ------------------------------------------------------------------------------------- */

static void demand_text(const struct demand *d, struct text *out)
{
    static const char *const units[] = {"", "", "an even register", "", "a multiple of 4"};
    text_printf(out, "%s: %s in ", sass_role_name(d->role), d->what);
    if (d->count == 1)
        text_printf(out, "one register%s", d->half ? ", an even one" : "");
    else
        text_printf(out, "%u registers%s%s", d->count, *units[unit_of(d)] ? " from " : "", units[unit_of(d)]);
    text_puts(out, d->not_zero ? "; not RZ\n" : "\n");
}

static void types_text(const struct checked *c, unsigned operation, struct text *out)
{
    for (unsigned i = 0; i < sizeof legal / sizeof legal[0]; i++) {
        if (!is_legal(c, i, operation))
            continue;
        const uint8_t one[] = {(uint8_t)operation, NONE};
        text_puts(out, "types of ");
        list_text(operation == NONE ? legal[i].operations : one, operation_names, out);
        text_puts(out, ": ");
        list_text(legal[i].types, type_names, out);
        text_puts(out, "\n");
    }
}

/* Without a word: what holds whatever the size. */
static void general_text(const struct checked *c, struct text *out)
{
    const struct isa_form *form = c->form;
    bool surface = isa_any(form, SASS_IS_SURFACE), old = isa_any(form, SASS_IS_ATOMIC) && has_role(c, SASS_ROLE_Rd);
    types_text(c, NONE, out);
    if (surface)
        text_printf(out, "Ra: 1 coordinate in any register, 2 from an even one, 3 from a multiple of 4%s\n",
                    old ? "; not RZ, nor is Rc" : "");
    if (surface || isa_any(form, SASS_IS_MEMORY))
        text_puts(out, "data of 64 bits from an even register, of 128 from a multiple of 4\n");
    if (old)
        text_puts(out, "CAS: compare and swap value side by side, from a multiple of the registers of both\n");
    if (isa_all(form, SASS_IS_SHARED | SASS_IS_ATOMIC))
        text_puts(out, "CAS: the compare value is not RZ\n");
    if (isa_any(form, SASS_IS_GLOBAL | SASS_IS_GENERIC))
        text_puts(out, ".E: the address in an even register and the next\n");
}

void sass_rules_text(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                     struct text *out)
{
    const struct checked c = {table, form, word, NULL, "", 0};
    struct demand d[DEMANDS];
    if (!word) {
        general_text(&c, out);
        return;
    }
    unsigned count = demands(&c, d);
    for (unsigned i = 0; i < count; i++)
        demand_text(&d[i], out);
    unsigned operation = operation_of(&c);
    if (operation != NONE)
        types_text(&c, operation, out);
    struct isa_mistake mistake;
    if (!sass_rules(table, form, word, &mistake))
        text_printf(out, "as it stands the assembler refuses it: wanted %s\n", mistake.wanted);
}

/* `explain` for Maxwell: finds the forms that a text means and takes them apart by their rows. What instructions do
 * comes from meaning.c, what holds for addresses and registers from explain_facts.c and rules.c. */
#include "isa/sass/explain.h"

#include "base/nearest.h"

#include "isa/diag.h"
#include "isa/sass/code.h"
#include "isa/sass/control.h"
#include "isa/sass/meaning.h"
#include "isa/sass/parse.h"
#include "isa/sass/parts.h"
#include "isa/sass/rows.h"
#include "isa/sass/sass.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 64, FORMS = 128, TEXT_LONGEST = 400 };

/* ---- what the text is ------------------------------------------------------------------------------------------ */

static const char *skip_guard(const char *text)
{
    text += strspn(text, " \t\r\n");
    if (*text == '@')
        text += strcspn(text, " \t");
    return text + strspn(text, " \t\r\n");
}

/* A word in hexadecimal alone in its text. */
static bool read_word(const char *text, uint64_t *word)
{
    text += strspn(text, " \t\r\n");
    bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (prefix ? 2 : 0);
    size_t count = strspn(digits, "0123456789abcdefABCDEF");
    if (!count || count > 16 || (!prefix && count != 16) || digits[count + strspn(digits + count, " \t\r\n")])
        return false;
    return sscanf(digits, "%16" SCNx64, word) == 1;
}

bool sass_explain_takes(const char *text)
{
    uint64_t word;
    const char *at = skip_guard(text);
    size_t name = strcspn(at, ". \t"); /* no mnemonic of Maxwell has an underscore */
    return read_word(text, &word) || (isupper((unsigned char)*at) && !memchr(at, '_', name));
}

/* ---- bits ------------------------------------------------------------------------------------------------------- */

struct drawing {
    char above[WORD], below[WORD]; /* by bit: value or '-', and letter of the part */
};

static void draw(struct drawing *d, const struct isa_row *row, const struct isa_word *word)
{
    for (unsigned bit = 0; bit < WORD; bit++) {
        bool opcode = row->mask >> bit & 1;
        d->above[bit] = word     ? (word->part[0] >> bit & 1 ? '1' : '0')
                        : opcode ? (row->value >> bit & 1 ? '1' : '0')
                                 : '-';
        d->below[bit] = opcode ? '#' : '.';
    }
}

/* 63 first, a blank between groups of 16. */
static void put_bits(const char bits[WORD], struct text *out)
{
    for (unsigned bit = WORD; bit-- > 0;) {
        text_add(out, &bits[bit], 1);
        if (bit % 16 == 0)
            text_puts(out, bit ? " " : "\n");
    }
}

/* "56, 38-20" */
static void place_text(const struct isa_field *field, char out[SASS_PART_TEXT])
{
    size_t n = 0;
    out[0] = 0;
    for (unsigned i = field->owned; i-- > 0;) {
        unsigned low = field->piece[i].low, high = low + field->piece[i].width - 1;
        n += (size_t)snprintf(out + n, SASS_PART_TEXT - n, high == low ? "%s%u" : "%s%u-%u", n ? ", " : "", high, low);
    }
}

/* Gives a part its letter in the picture; false: all its bits are another's already. */
static bool part_draw(struct drawing *d, const struct sass_part *part, char letter)
{
    bool any = false;
    for (unsigned i = 0; i < part->field.owned; i++)
        for (unsigned k = 0; k < part->field.piece[i].width; k++) {
            char *at = &d->below[(part->field.piece[i].low + k) & (WORD - 1)];
            any = any || *at == '.';
            *at = *at == '.' ? letter : *at;
        }
    return any;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The first spelling of a value, with its dot; at most SASS_PART_TEXT bytes. */
static void value_text(const struct isa_names *names, uint64_t value, char out[SASS_PART_TEXT])
{
    const char *text = value < names->count ? names->text[value] : NULL;
    if (text)
        snprintf(out, SASS_PART_TEXT, "%.*s", (int)strcspn(text, " "), text);
    else if (value >= names->count && names->rest)
        snprintf(out, SASS_PART_TEXT, "reserved");
    else
        snprintf(out, SASS_PART_TEXT, "refused");
}

static void put_named(const struct isa_names *names, uint64_t value, struct text *out)
{
    char text[SASS_PART_TEXT];
    value_text(names, value, text);
    const char *meaning = sass_value_meaning(names, value);
    text_printf(out, " = %" PRIu64, value);
    if (*text)
        text_printf(out, " %s", text);
    if (meaning)
        text_printf(out, ": %s", meaning);
}

static void put_register(uint64_t number, unsigned zero, char letter, struct text *out)
{
    if (number == zero)
        text_printf(out, " = %cZ", letter);
    else
        text_printf(out, " = %c%" PRIu64, letter, number);
}

static void put_flag(const struct isa_element *e, bool known, uint64_t value, struct text *out)
{
    const char *meaning = sass_flag_meaning(e);
    if (known)
        text_printf(out, " = %" PRIu64, value);
    if (known && (value != 0) == e->inverted)
        text_puts(out, ": not set");
    else if (meaning)
        text_printf(out, ": %s", meaning);
}

/* `full`: operands are known too. */
static void put_value(const struct sass_part *part, const struct isa_word *word, bool full, struct text *out)
{
    const struct isa_element *e = part->element;
    bool modifier = part->role == PART_VALUE && (e->kind == ISA_NAME || e->kind == ISA_FLAG);
    if (part->role == PART_VALUE && e->kind == ISA_FLAG) {
        put_flag(e, word != NULL, word ? isa_get(word, &part->field) : 0, out);
        return;
    }
    if (!word || (!full && !modifier))
        return;
    uint64_t value = isa_get(word, part->role == PART_VALUE ? &e->field : &part->field);
    if (modifier)
        put_named(e->names, value, out);
    else if (part->role == PART_SUFFIX)
        put_named(e->suffix, isa_get(word, &e->suffix_field), out);
    else if (part->role == PART_GUARD || (part->role == PART_VALUE && e->kind == ISA_PREDICATE)) {
        value = e->letter == 'p' && part->role != PART_GUARD ? 7 - value : value;
        text_printf(out, value == 7 ? " = PT" : " = P%u", (unsigned)value);
    } else if (part->role == PART_VALUE && (e->kind == ISA_REGISTER || e->kind == ISA_ADDRESS))
        put_register(value, 255, 'R', out);
    else
        text_printf(out, part->role == PART_SIGN ? " = %" PRIu64 : " = 0x%" PRIx64, value);
}

void sass_bits_fact(const struct explained *x, struct text *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    bool full = !x->others;
    struct drawing d;
    struct sass_part parts[SASS_PARTS];
    struct text legend = {0};
    unsigned count = sass_parts(x->table, x->form, parts), next = 0;
    draw(&d, x->form->row, full ? x->word : NULL);
    for (unsigned i = 0; i < count; i++) {
        char place[SASS_PART_TEXT], letter = letters[next % (sizeof letters - 1)];
        if (!part_draw(&d, &parts[i], letter))
            continue;
        next++;
        place_text(&parts[i].field, place);
        text_printf(&legend, "%c  %-9s %s", letter, place, parts[i].name);
        put_value(&parts[i], x->word, full, &legend);
        text_puts(&legend, "\n");
    }
    text_puts(out, "63            48 47            32 31            16 15             0\n");
    put_bits(d.above, out);
    put_bits(d.below, out);
    text_puts(out, "#  opcode");
    text_puts(out, x->form->row->ignored ? "   .  ignored\n" : "\n");
    text_add(out, legend.bytes ? legend.bytes : "", legend.length);
    out->failed = out->failed || legend.failed;
    text_free(&legend);
}

/* ---- forms ------------------------------------------------------------------------------------------------ */

static void put_form(const struct isa_table *table, const struct isa_form *form, struct text *out)
{
    sass_form_syntax(table, form, out);
    text_puts(out, "   (SM ");
    sass_archs_write(form->row->archs, out);
    text_puts(out, ")\n  ");
    sass_bits_write(table, form, out);
    text_puts(out, "\n");
}

void sass_form_fact(const struct explained *x, struct text *out)
{
    sass_form_syntax(x->table, x->form, out);
}

void sass_forms_fact(const struct explained *x, struct text *out)
{
    put_form(x->table, x->form, out);
    for (unsigned i = 0; i < x->nothers; i++)
        put_form(x->table, x->others[i], out);
}

void sass_others_fact(const struct explained *x, struct text *out)
{
    for (unsigned i = 0; i < x->nothers; i++)
        put_form(x->table, x->others[i], out);
}

/* ---- a mnemonic alone ------------------------------------------------------------------------------------------- */

/* The forms of a mnemonic on an architecture (SASS_ARCHS: on any), in the order of the rows. */
static unsigned forms_of(const struct isa_table *table, const char *name, size_t length, unsigned arch,
                         const struct isa_form *forms[FORMS])
{
    unsigned count = 0;
    for (unsigned i = 0; i < table->nforms && count < FORMS; i++) {
        const struct isa_form *form = &table->forms[table->by_name[i]];
        if (isa_mnemonic_compare(form, name, length) == 0 && (arch == SASS_ARCHS || form->row->archs >> arch & 1))
            forms[count++] = form;
    }
    return count;
}

/* The values of a list of names that mean something beyond their name. */
static void explain_list(const struct isa_names *names, struct text *out)
{
    unsigned told = 0;
    for (unsigned i = 0; i < names->count; i++) {
        const char *meaning = sass_reserved(names, i) ? NULL : sass_value_meaning(names, i);
        char text[SASS_PART_TEXT];
        if (!meaning)
            continue;
        value_text(names, i, text);
        if (!told++)
            text_printf(out, "%s\n", names->name);
        text_printf(out, "  %-12s %s\n", *text ? text : "-", meaning);
    }
}

/* Lists that were told already. */
struct seen {
    const struct isa_names *lists[SASS_PARTS];
    unsigned count;
};

static void form_values(const struct isa_table *table, const struct isa_form *form, struct seen *seen, struct text *out)
{
    for (unsigned k = 0; k < form->count; k++) {
        const struct isa_element *e = &table->elements[form->first + k];
        const struct isa_names *names = e->kind == ISA_NAME ? e->names : e->suffix;
        bool known = !names || seen->count == SASS_PARTS;
        for (unsigned n = 0; n < seen->count && !known; n++)
            known = seen->lists[n] == names;
        if (known)
            continue;
        seen->lists[seen->count++] = names;
        explain_list(names, out);
    }
}

void sass_values_fact(const struct explained *x, struct text *out)
{
    struct seen seen = {.count = 0};
    text_puts(out, ""); /* the title stands alone where lists mean nothing beyond their names */
    form_values(x->table, x->form, &seen, out);
    for (unsigned i = 0; i < x->nothers; i++)
        form_values(x->table, x->others[i], &seen, out);
    if (seen.count == 0)
        text_puts(out, "none\n");
}

/* ---- a mnemonic with modifiers ---------------------------------------------------------------------------- */

/* Length of mnemonic and modifiers. */
static size_t head_length(const char *text)
{
    return strcspn(text, " \t\r\n[;");
}

/* A word of the form with the lowest values that are not refused, registers 0. */
static void sample(const struct isa_table *table, const struct isa_form *form, struct isa_word *word)
{
    const struct isa_element *e = &table->elements[form->first];
    *word = (struct isa_word){{form->row->value, SASS_CONTROL_NEUTRAL}};
    for (unsigned i = 0; i < form->count; i++) {
        if (e[i].has_fallback && e[i].kind != ISA_NAME && e[i].field.owned == e[i].field.pieces)
            isa_put(word, &e[i].field, e[i].fallback);
        for (uint64_t value = 0; e[i].kind == ISA_NAME && !e[i].names->rest && value < e[i].names->count; value++)
            if (e[i].names->text[value]) {
                if (e[i].field.owned == e[i].field.pieces)
                    isa_put(word, &e[i].field, value);
                break;
            }
    }
    word->part[0] = (word->part[0] & ~form->row->mask) | form->row->value;
}

/* Whether a form can be written with this head; its word then has the modifiers. */
static bool form_fits(const struct isa_table *table, const struct isa_form *form, const char *head, size_t length,
                      unsigned arch, struct isa_word *word, struct isa_mistake *mistake)
{
    char text[ISA_TEXT + TEXT_LONGEST], operands[ISA_TEXT];
    sample(table, form, word);
    isa_print(table, form, word, 0, operands);
    const char *from = skip_guard(operands);
    from += head_length(from);
    int size = snprintf(text, sizeof text, "%.*s%s", (int)length, head, from);
    *word = (struct isa_word){{0, SASS_CONTROL_NEUTRAL}};
    return isa_parse(table, text, (size_t)size, arch, 0, word, mistake) == form;
}

struct found {
    const struct isa_form *form[FORMS];
    struct isa_word word; /* of the first */
    unsigned count;
    unsigned archs;             /* that have forms with the head: bit per architecture */
    struct isa_mistake mistake; /* the one that is furthest in the text */
};

static void note_mistake(struct found *found, const struct isa_mistake *mistake)
{
    if (mistake->wanted[0] && (!found->mistake.wanted[0] || mistake->at > found->mistake.at))
        found->mistake = *mistake;
}

/* Adds the forms of one architecture to those of the first that has any. */
static void find_forms(const struct isa_table *table, const char *head, size_t length, size_t name, unsigned arch,
                       struct found *found)
{
    const struct isa_form *forms[FORMS];
    unsigned count = forms_of(table, head, name, arch, forms);
    bool first = !found->count;
    for (unsigned i = 0; i < count; i++) {
        struct isa_mistake mistake = {0};
        struct isa_word word;
        if (form_fits(table, forms[i], head, length, arch, &word, &mistake)) {
            found->archs |= 1u << arch;
            if (!found->count)
                found->word = word;
            if (first)
                found->form[found->count++] = forms[i];
        } else {
            char *read = mistake.at >= length ? strstr(mistake.wanted, ", not ") : NULL;
            if (read) /* operands of form_fits */
                snprintf(read, DIAG_READ, ", not the end");
            note_mistake(found, &mistake);
        }
    }
}

void sass_archs_fact(const struct explained *x, struct text *out)
{
    for (unsigned arch = 0, more = 0; arch < SASS_ARCHS; arch++)
        if (x->archs >> arch & 1)
            text_printf(out, more++ ? " SM%u" : "SM%u", sass_arch_number(arch));
}

/* ---- a whole instruction ---------------------------------------------------------------------------------- */

void sass_word_fact(const struct explained *x, struct text *out)
{
    if (x->others)
        return;
    text_printf(out, "%016" PRIx64 " on", x->word->part[0]);
    for (unsigned arch = 0; arch < SASS_ARCHS; arch++)
        if (isa_find(x->table, x->word, arch, NULL))
            text_printf(out, " SM%u", sass_arch_number(arch));
}

void sass_control_fact(const struct explained *x, struct text *out)
{
    struct text line = {0};
    if (!x->controlled)
        return;
    control_print((uint32_t)x->word->part[1], true, &line);
    text_add(out, line.bytes + 1, line.length - 1); /* without the blank before the first */
    text_free(&line);
}

/* ---- what was found --------------------------------------------------------------------------------------- */

/* A call of sass_explain. */
struct explaining {
    const struct isa_table *table;
    unsigned arch;
    struct arena *arena;
    struct family_explained *out;
    struct atoll_error *error;
};

/* Keeps `x`, `word` and forms, and the name it goes by. */
static bool found_keep(const struct explaining *e, struct explained x, const struct isa_word *word,
                       const struct isa_form *const *forms, unsigned count, const char *name, size_t length)
{
    struct explained *kept = arena_alloc(e->arena, sizeof *kept);
    struct isa_word *word_kept = arena_alloc(e->arena, sizeof *word_kept);
    const struct isa_form **others = arena_array(e->arena, count + 1, sizeof(void *));
    char *name_kept = arena_text(e->arena, name, length);
    if (!kept || !word_kept || !others || !name_kept)
        return error_memory(e->error);
    *kept = x;
    kept->table = e->table;
    if (word)
        kept->word = memcpy(word_kept, word, sizeof *word);
    if (count) {
        memcpy(others, forms, count * sizeof *others);
        kept->form = others[0];
        kept->others = others + 1;
        kept->nothers = count - 1;
    }
    *e->out = (struct family_explained){.warning = e->out->warning,
                                        .name = name_kept,
                                        .length = length,
                                        .summary = sass_does(kept->form)->summary,
                                        .what = kept,
                                        .facts = word ? sass_facts : sass_mnemonic_facts};
    return true;
}

static bool whole_keep(const struct explaining *e, const struct isa_form *form, const struct isa_word *word,
                       bool controlled)
{
    char text[ISA_TEXT];
    size_t length = isa_print(e->table, form, word, 8, text);
    return found_keep(e, (struct explained){.form = form, .controlled = controlled}, word, NULL, 0, text, length);
}

static bool explain_word(const struct explaining *e, uint64_t bits)
{
    struct isa_word word = {{bits, SASS_CONTROL_NEUTRAL}};
    const char *why = NULL;
    for (unsigned a = 0; a < SASS_ARCHS; a++) {
        const struct isa_form *form = e->arch == SASS_ARCHS || e->arch == a ? isa_find(e->table, &word, a, &why) : NULL;
        if (form)
            return whole_keep(e, form, &word, false);
    }
    return error_set(e->error, ATOLL_USAGE, "%016" PRIx64 " is no instruction of Maxwell: %s", bits,
                     why ? why : "no such instruction");
}

/* Text with operands, or all of it: an instruction. NULL after noting the mistake. */
static const struct isa_form *read_line(const struct explaining *e, const char *text, size_t length,
                                        struct found *found, bool *controlled)
{
    size_t end = control_find(text, length), at = 0;
    uint32_t control = SASS_CONTROL_NEUTRAL;
    while (end < length && (text[length - 1] == ';' || isspace((unsigned char)text[length - 1])))
        length--;
    *controlled = end < length;
    if (end < length && !control_parse(text + end, length - end, &control, &at)) {
        char read[DIAG_READ];
        diag_read(text + end + at, text + length, read);
        snprintf(found->mistake.wanted, sizeof found->mistake.wanted, "%s%s", CONTROL_WANTED, read);
        found->mistake.at = end + at;
        return NULL;
    }
    while (end && isspace((unsigned char)text[end - 1]))
        end--;
    found->word = (struct isa_word){{0, SASS_CONTROL_NEUTRAL}};
    for (unsigned a = 0; a < SASS_ARCHS; a++) {
        struct isa_mistake mistake = {0};
        const char *warning = NULL;
        const struct isa_form *form = e->arch == SASS_ARCHS || e->arch == a
                                          ? sass_parse(e->table, text, end, a, 8, &found->word, &mistake, &warning)
                                          : NULL;
        if (form) {
            found->word.part[1] = control;
            e->out->warning = warning;
            return form;
        }
        note_mistake(found, &mistake);
    }
    return NULL;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

static bool mnemonic_meant(const struct explaining *e, const char *head, size_t length)
{
    struct nearest nearest = sass_nearest(e->table, e->arch, head, length);
    return error_nearest(e->error, &nearest);
}

static bool explain_text(const struct explaining *e, const char *text)
{
    struct found found = {0};
    const struct isa_form *forms[FORMS], *form;
    const char *head = skip_guard(text);
    size_t length = head_length(head), name = strcspn(head, ". \t\r\n[;"), all = strlen(text);
    bool controlled;
    while (all && (isspace((unsigned char)text[all - 1])))
        all--;
    bool bare = head + length + strspn(head + length, "; ") == text + all;
    unsigned count = forms_of(e->table, head, name, e->arch, forms);
    if (!count) {
        error_at(e->error, ATOLL_USAGE, 1, (uint32_t)(head - text) + 1, "'%.*s' is no instruction of Maxwell%s",
                 (int)(name < 60 ? name : 60), head, e->arch == SASS_ARCHS ? "" : " on this architecture");
        return mnemonic_meant(e, head, name);
    }
    if (bare && length == name)
        return found_keep(e, (struct explained){0}, NULL, forms, count, forms[0]->mnemonic, forms[0]->mnemonic_length);
    for (unsigned a = 0; bare && a < SASS_ARCHS; a++)
        if (e->arch == SASS_ARCHS || e->arch == a)
            find_forms(e->table, head, length, name, a, &found);
    if (found.count)
        return found_keep(e, (struct explained){.archs = found.archs}, &found.word, found.form, found.count, head,
                          length);
    if (!bare && (form = read_line(e, text, all, &found, &controlled)))
        return whole_keep(e, form, &found.word, controlled);
    return error_at(e->error, ATOLL_USAGE, 1, (uint32_t)(bare ? head - text : 0) + (uint32_t)found.mistake.at + 1,
                    "wanted %s", found.mistake.wanted);
}

bool sass_explain(const char *text, unsigned arch, struct arena *arena, struct family_explained *found,
                  struct atoll_error *error)
{
    uint64_t word;
    if (strlen(text) > TEXT_LONGEST)
        return error_set(error, ATOLL_USAGE, "the text is longer than any instruction");
    const struct explaining e = {sass_table(error), arch, arena, found, error};
    return e.table && (read_word(text, &word) ? explain_word(&e, word) : explain_text(&e, text));
}

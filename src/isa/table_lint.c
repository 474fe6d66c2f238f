/* Proofs on the rows of a family: the bits of every row, rows that could mean one word, texts that do not read back. */
#include "base/text.h"
#include "isa/table.h"

#include <stdio.h>
#include <string.h>

struct lint {
    const struct isa_table *table;
    struct text *report;
    const struct isa_form *form;
    unsigned breaks;
    uint64_t seed;
};

static void broken(struct lint *lint, const char *what, const char *more)
{
    lint->breaks++;
    text_printf(lint->report, "\"%s\": %s%s\n", lint->form->row->text, what, more);
}

/* ---- bits ------------------------------------------------------------------------------------------------- */

static struct isa_word row_mask(const struct isa_row *row)
{
    return (struct isa_word){{row->mask}};
}

static struct isa_word row_ignored(const struct isa_row *row)
{
    return (struct isa_word){{row->ignored}};
}

static struct isa_word row_value(const struct isa_row *row)
{
    return (struct isa_word){{row->value}};
}

static void bit_broken(struct lint *lint, unsigned bit, const char *what)
{
    char text[40];
    snprintf(text, sizeof text, "bit %u ", bit);
    broken(lint, text, what);
}

static struct isa_word both(struct isa_word a, struct isa_word b)
{
    for (unsigned i = 0; i < ISA_PARTS; i++)
        a.part[i] &= b.part[i];
    return a;
}

static struct isa_word either(struct isa_word a, struct isa_word b)
{
    for (unsigned i = 0; i < ISA_PARTS; i++)
        a.part[i] |= b.part[i];
    return a;
}

static void bits_broken(struct lint *lint, struct isa_word bits, const char *what)
{
    for (unsigned bit = 0; bit < lint->table->family.bits; bit++)
        if (isa_bit(&bits, bit))
            bit_broken(lint, bit, what);
}

/* The bits that a field owns. */
static struct isa_word field_bits(const struct isa_field *field)
{
    struct isa_word bits = {{0}};
    struct isa_field owned = *field;
    owned.pieces = field->owned;
    isa_put(&bits, &owned, ~UINT64_C(0));
    return bits;
}

static struct isa_word one_bit(uint8_t bit)
{
    struct isa_word bits = {{0}};
    if (bit != ISA_NONE)
        bits.part[bit / 64] = UINT64_C(1) << bit % 64;
    return bits;
}

static bool same_field(const struct isa_element *a, const struct isa_element *b)
{
    return a->kind == b->kind && a->kind != ISA_LITERAL && memcmp(&a->field, &b->field, sizeof a->field) == 0;
}

static bool field_again(const struct isa_element *elements, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (same_field(&elements[k], &elements[i]))
            return true;
    return false;
}

static bool within(struct isa_word a, struct isa_word b)
{
    struct isa_word all = both(a, b);
    return memcmp(&all, &a, sizeof a) == 0;
}

/* Names may lie on each other's bits and on those of the mask (a row that a value tells apart). Other fields may not,
 * unless the mask settles all of their bits. */
static void form_bits(struct lint *lint)
{
    const struct isa_row *row = lint->form->row;
    const struct isa_element *e = &lint->table->elements[lint->form->first];
    struct isa_word mask = row_mask(row), ignored = row_ignored(row), value = row_value(row), names = {{0}};
    struct isa_word once = either(mask, ignored);
    bits_broken(lint, both(mask, ignored), "is of the opcode and ignored");
    for (unsigned i = 0; i < ISA_PARTS; i++)
        value.part[i] &= ~mask.part[i];
    bits_broken(lint, value, "is set in the value but not in the mask");
    for (unsigned i = 0; i < lint->form->count; i++) {
        if (e[i].suffix)
            names = either(names, field_bits(&e[i].suffix_field));
        if (e[i].kind == ISA_NAME)
            names = either(names, field_bits(&e[i].field));
        struct isa_word own[6] = {one_bit(e[i].neg), one_bit(e[i].abs), one_bit(e[i].inv), one_bit(e[i].not )};
        if (e[i].kind != ISA_LITERAL && e[i].kind != ISA_NAME && !field_again(e, i))
            own[4] = field_bits(&e[i].field);
        if (e[i].extra.pieces)
            own[5] = field_bits(&e[i].extra);
        for (unsigned k = 0; k < 6; k++) {
            if (within(own[k], mask))
                continue;
            bits_broken(lint, both(once, own[k]), "is named twice");
            once = either(once, own[k]);
        }
    }
    bits_broken(lint, both(names, ignored), "is named and ignored");
    once = either(once, names);
    for (unsigned i = 0; i < ISA_PARTS; i++)
        once.part[i] = ~once.part[i];
    bits_broken(lint, once, "is not accounted for");
}

/* Registers and predicates have a role where the family has any. */
static void form_roles(struct lint *lint)
{
    const struct isa_element *e = &lint->table->elements[lint->form->first];
    for (unsigned i = 0; lint->table->family.nroles && i < lint->form->count; i++)
        if ((e[i].kind == ISA_REGISTER || e[i].kind == ISA_PREDICATE || e[i].kind == ISA_ADDRESS) && !e[i].role)
            bit_broken(lint, e[i].field.piece[0].low, "begins an operand without a role");
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

static unsigned mask_count(const struct isa_row *row)
{
    return (unsigned)__builtin_popcountll(row->mask);
}

static bool rows_meet(const struct isa_row *a, const struct isa_row *b)
{
    return (a->archs & b->archs) && !((a->value ^ b->value) & a->mask & b->mask);
}

/* Whether a third row, more special than both, has all words that two rows share. */
static bool meeting_decided(const struct lint *lint, const struct isa_row *a, const struct isa_row *b)
{
    unsigned most = mask_count(a) > mask_count(b) ? mask_count(a) : mask_count(b);
    for (unsigned i = 0; i < lint->table->nforms; i++) {
        const struct isa_row *row = lint->table->forms[i].row;
        uint64_t shared = a->value | b->value;
        if (row->flags & ISA_OVER && mask_count(row) > most && !(row->mask & ~(a->mask | b->mask)) &&
            row->value == (shared & row->mask) && !(a->archs & b->archs & ~row->archs))
            return true;
    }
    return false;
}

static void form_rows(struct lint *lint)
{
    const struct isa_row *row = lint->form->row;
    for (const struct isa_form *other = lint->form + 1; other < lint->table->forms + lint->table->nforms; other++) {
        if (!rows_meet(row, other->row))
            continue;
        unsigned own = mask_count(row), others = mask_count(other->row);
        const struct isa_row *special = own > others ? row : other->row;
        if ((own == others || !(special->flags & ISA_OVER)) && !meeting_decided(lint, row, other->row))
            broken(lint, "can mean a word of ", other->row->text);
    }
}

/* ---- texts ---------------------------------------------------------------------------------------------------- */

/* What is written for a word must be read as the same row and be written the same again. (Not always the same word:
 * .PASS stands for three values, a NaN's text has no payload.) */
static void word_reads_back(struct lint *lint, const struct isa_word *word, unsigned arch)
{
    char text[ISA_TEXT], again[ISA_TEXT], why[ISA_TEXT + 200];
    struct isa_mistake mistake;
    struct isa_word read = {{0}};
    const struct isa_form *form = isa_find(lint->table, word, arch, NULL);
    if (form != lint->form)
        return;
    size_t length = isa_print(lint->table, form, word, 0, text);
    const struct isa_form *back = isa_parse(lint->table, text, length, arch, 0, &read, &mistake);
    if (!back) {
        snprintf(why, sizeof why, "%.250s | wanted at %zu: %s", text, mistake.at, mistake.wanted);
        broken(lint, "writes what it cannot read: ", why);
        return;
    }
    isa_print(lint->table, back, &read, 0, again);
    if (strcmp(text, again) != 0) {
        snprintf(why, sizeof why, "%.250s | %.250s", text, again);
        broken(lint, "is read as something else: ", why);
    }
}

/* Repeatable noise (splitmix64): lint says the same every time. */
static uint64_t noise(struct lint *lint)
{
    uint64_t value = lint->seed += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* A word of the row. density: 0 = few bits set, 1 = half of them, 2 = most; `bits` of the family, not those above
 * them. */
static struct isa_word word_random(struct lint *lint, unsigned density)
{
    struct isa_word word = {{0}};
    for (unsigned i = 0; i < ISA_PARTS && 64 * i < lint->table->family.bits; i++) {
        unsigned left = lint->table->family.bits - 64 * i;
        uint64_t more = density == 1 ? 0 : noise(lint) & noise(lint);
        word.part[i] = density == 0 ? more : noise(lint) | more;
        word.part[i] &= left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
    }
    return word;
}

/* The same as a word of the row. */
static struct isa_word word_of_row(const struct lint *lint, struct isa_word word)
{
    struct isa_word mask = row_mask(lint->form->row), value = row_value(lint->form->row);
    for (unsigned i = 0; i < ISA_PARTS; i++)
        word.part[i] = (word.part[i] & ~mask.part[i]) | value.part[i];
    return word;
}

static void field_ends_read_back(struct lint *lint, const struct isa_field *field, unsigned arch)
{
    uint64_t last = field->width < 64 ? (UINT64_C(1) << field->width) - 1 : ~UINT64_C(0);
    const uint64_t ends[] = {0, 1, last, last / 2, last / 2 + 1};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        for (unsigned density = 0; density < 3; density++) {
            struct isa_word word = word_random(lint, density);
            isa_put(&word, field, ends[i]);
            word = word_of_row(lint, word);
            word_reads_back(lint, &word, arch);
        }
}

enum { PAIR_BITS = 14, RANDOM_WORDS = 200, NAMED = 64 /* fields of names of a row */ };

static void pair_reads_back(struct lint *lint, const struct isa_field *a, const struct isa_field *b, unsigned arch)
{
    if (a->width + b->width > PAIR_BITS)
        return;
    for (uint64_t i = 0; i >> (a->width + b->width) == 0; i++) {
        struct isa_word word = word_random(lint, 1);
        isa_put(&word, a, i);
        isa_put(&word, b, i >> a->width);
        word = word_of_row(lint, word);
        word_reads_back(lint, &word, arch);
    }
}

/* The ends of operands, every value of every two fields of names and flags, random words. */
static void form_texts(struct lint *lint, unsigned arch)
{
    const struct isa_element *e = &lint->table->elements[lint->form->first];
    const struct isa_field *named[NAMED];
    unsigned count = 0;
    for (unsigned i = 0; i < lint->form->count; i++) {
        if ((e[i].kind == ISA_NAME || e[i].kind == ISA_FLAG) && count < NAMED)
            named[count++] = &e[i].field;
        else if (e[i].kind != ISA_LITERAL)
            field_ends_read_back(lint, &e[i].field, arch);
        if (e[i].suffix && count < NAMED)
            named[count++] = &e[i].suffix_field;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = i; k < count; k++)
            pair_reads_back(lint, named[i], named[k], arch);
    for (unsigned i = 0; i < RANDOM_WORDS; i++) {
        struct isa_word word = word_of_row(lint, word_random(lint, i % 3));
        word_reads_back(lint, &word, arch);
    }
}

unsigned isa_lint(const struct isa_table *table, struct text *report)
{
    struct lint lint = {.table = table, .report = report};
    for (unsigned i = 0; i < table->nforms; i++) {
        lint.form = &table->forms[i];
        form_bits(&lint);
        form_roles(&lint);
        form_rows(&lint);
        for (unsigned arch = 0; arch < 16; arch++)
            if (lint.form->row->archs >> arch & 1)
                form_texts(&lint, arch);
    }
    return lint.breaks;
}

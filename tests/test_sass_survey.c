/* Every form of Maxwell's instructions with the values of its fields - all combinations, or many of them - is lowered
 * to a lane program that the verifier accepts; what does not run is one of the gaps that are known by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/sass/code.h"
#include "isa/sass/link.h"

enum { BATCH = 64, FIELDS = 64, COMBINATIONS = 400 };

/* The known gaps (docs/conformance.md, "Named errors"), by the start of their message; reserved spellings beside. */
static struct {
    const char *message;
    bool seen;
} gaps[] = {
    /* textures, graphics */
    {"TEX", 0},
    {"TLD", 0},
    {"TMML", 0},
    {"TX", 0},
    {"AL2P", 0},
    {"ALD", 0},
    {"AST", 0},
    {"IPA", 0},
    {"ISBERD", 0},
    {"OUT", 0},
    {"PIXLD", 0},
    {"STP", 0},
    {"VOTE.VTG", 0},
    {"condition code test", 0},
    /* the machine */
    {"R2B", 0},
    {"B2R of barriers", 0},
    {"BAR.SCAN", 0},
    {"BAR.SYNCALL", 0},
    {"RTT", 0},
    {"GETCRSPTR", 0},
    {"SETCRSPTR", 0},
    {"GETLMEMBASE", 0},
    {"SETLMEMBASE", 0},
    {"BPT.", 0},
    /* operations and types that do not go together */
    {"ATOM", 0},
    {"RED.", 0},
    {".", 0}, /* of surfaces: ".INC has no meaning for .F32.FTZ.RN" */
    {" has no meaning", 0},
    /* of some lanes only: those whose index says so */
    {"LDC.", 0},
    /* parts and directions without a meaning */
    {"reserved part of a register", 0},
    {"SHF.L", 0},
};

static struct isa_table table;
static unsigned arch;
static char texts[BATCH][ISA_TEXT];
static unsigned waiting;

static void check_gap(const char *message, const char *place)
{
    static const char start[] = "not supported: ";
    assert_int_equal(strncmp(message, start, sizeof start - 1), 0);
    message += sizeof start - 1;
    if (strstr(place, "INVALID") || strstr(place, "???") || strstr(message, "reserved scale"))
        return;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (strncmp(message, gaps[i].message, strlen(gaps[i].message)) == 0) {
            gaps[i].seen = true;
            return;
        }
    fail_msg("%s: an unknown gap: %s", place, message);
}

/* All that wait, as one kernel; condition codes are read after each. */
static void lower_batch(void)
{
    struct text source = {0};
    struct sass_module module;
    struct lane_module lanes = {0};
    struct atoll_error error = {0};
    if (!waiting)
        return;
    text_puts(&source, ".norules\n");
    for (unsigned i = 0; i < waiting; i++)
        text_printf(&source, "%s;\nP2R R0, CC, RZ, 0xf;\n", texts[i]);
    text_puts(&source, "EXIT;\n");
    if (!sass_assemble(&table, source.bytes, source.length, arch, NULL, &module, &error) ||
        !sass_lower(&table, &module, &lanes, NULL, &error) || !lane_verify(&lanes, &error))
        fail_msg("%s ...: %s", texts[0], error.message);
    const struct lane_func *f = &lanes.funcs[0];
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (f->insts[i].op == LANE_OP_unsupported)
            check_gap(f->strings[f->insts[i].aux], f->places[f->insts[i].line - 1].name);
    lane_module_free(&lanes);
    sass_free(&module);
    text_free(&source);
    waiting = 0;
}

static void add_word(const struct isa_word *word)
{
    const struct isa_form *form = isa_find(&table, word, arch, NULL);
    if (!form)
        return;
    isa_print(&table, form, word, sass_address(2 * waiting), texts[waiting]);
    if (++waiting == BATCH)
        lower_batch();
}

/* The fields of a form that choose what it does, and a word with plain values in the others. */
struct subject {
    struct isa_word word;
    struct isa_field field[FIELDS];
    unsigned values[FIELDS], count;
};

static void add_field(struct subject *s, const struct isa_field *field)
{
    assert_true(s->count < FIELDS);
    s->values[s->count] = 1u << field->width;
    s->field[s->count++] = *field;
}

static void add_bit(struct subject *s, unsigned bit)
{
    struct isa_field field = {.pieces = 1, .width = 1, .owned = 1};
    field.piece[0].low = (uint8_t)bit;
    field.piece[0].width = 1;
    if (bit != ISA_NONE)
        add_field(s, &field);
}

static void add_element(struct subject *s, const struct isa_element *e, unsigned *reg)
{
    bool guard = e->kind == ISA_PREDICATE && e->field.piece[0].low == 16; /* P0: what follows is reached as well */
    switch (e->kind) {
    case ISA_FLAG:
    case ISA_NAME:
        add_field(s, &e->field);
        break;
    case ISA_REGISTER:
        isa_put(&s->word, &e->field, *reg += 4);
        break;
    case ISA_PREDICATE:
        isa_put(&s->word, &e->field, guard ? 0 : 2);
        break;
    case ISA_CONSTANT: /* c[0x0][0x140] */
        isa_put(&s->word, &e->field, e->letter == 'b' ? 0x140 : 0x50);
        break;
    case ISA_LITERAL:
        return;
    default:
        isa_put(&s->word, &e->field, 8);
    }
    if (guard)
        return;
    add_bit(s, e->neg);
    add_bit(s, e->abs);
    add_bit(s, e->inv);
    add_bit(s, e->not );
    if (e->suffix)
        add_field(s, &e->suffix_field);
}

static void survey_form(const struct isa_form *form)
{
    struct subject s = {.word = {{form->row->value, SASS_CONTROL_NEUTRAL}}};
    unsigned reg = 0, all = 1;
    uint32_t seed = form->number;
    for (unsigned i = 0; i < form->count; i++)
        add_element(&s, &table.elements[form->first + i], &reg);
    for (unsigned i = 0; i < s.count; i++)
        all = all > COMBINATIONS ? all : all * s.values[i];
    for (unsigned n = 0; n < (all < COMBINATIONS ? all : COMBINATIONS); n++) {
        struct isa_word word = s.word;
        unsigned rest = n;
        for (unsigned i = 0; i < s.count; i++) {
            seed = seed * 747796405u + 2891336453u;
            isa_put(&word, &s.field[i], all <= COMBINATIONS ? rest % s.values[i] : (seed >> 16) % s.values[i]);
            rest /= s.values[i];
        }
        add_word(&word);
    }
}

static void every_form(void **state)
{
    struct atoll_error error = {0};
    (void)state;
    assert_true(sass_open(&table, &error));
    for (arch = 0; arch < SASS_ARCHS; arch++) {
        for (unsigned n = 0; n < table.nforms; n++)
            if (table.forms[n].row->archs >> arch & 1)
                survey_form(&table.forms[n]);
        lower_batch();
    }
    isa_close(&table);
}

/* A gap that is closed leaves the list. */
static void no_gap_is_closed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        if (!gaps[i].seen)
            fail_msg("'%s' is no gap any more", gaps[i].message);
}

int main(void)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(every_form), cmocka_unit_test(no_gap_is_closed)};
    return cmocka_run_group_tests(all, NULL, NULL);
}

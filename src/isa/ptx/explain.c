/* `explain`: takes one instruction apart by its row. What is particular about surfaces and atomics comes from
 * explain_surface.c and explain_atomic.c, what words mean from explain_words.c. */
#include "isa/ptx/explain.h"
#include "base/chars.h"
#include "base/nearest.h"
#include "isa/ptx/check.h"
#include "isa/ptx/check_mods.h"
#include "isa/ptx/surface.h"

#include <limits.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return char_word(c) || c == ':';
}

/* After blanks and a guard. */
static uint32_t skip_guard(const char *text)
{
    uint32_t at = 0;
    while (is_space(text[at]))
        at++;
    if (text[at] == '@')
        while (text[at] != 0 && !is_space(text[at]))
            at++;
    while (is_space(text[at]))
        at++;
    return at;
}

static struct span read_word(const char *text, uint32_t at)
{
    struct span span = {at, 0};
    while (is_word(text[at + span.length]))
        span.length++;
    return span;
}

/* spans: room for INSN_MODS */
static bool read_insn(const char *text, struct insn *insn, struct span *spans, struct atoll_error *error)
{
    *insn = (struct insn){.name = read_word(text, skip_guard(text)), .mod_spans = spans};
    insn->row = ptx_row_find(text + insn->name.pos, insn->name.length);
    if (insn->row == NULL) {
        struct nearest nearest = nearest_to(text + insn->name.pos, insn->name.length);
        for (unsigned i = 0; ptx_row_at(i); i++)
            nearest_try(&nearest, ptx_row_name(ptx_row_at(i)));
        error_at(error, ATOLL_USAGE, 1, insn->name.pos + 1, "'%.*s' is no instruction of PTX",
                 (int)(insn->name.length < 60 ? insn->name.length : 60), text + insn->name.pos);
        return error_nearest(error, &nearest);
    }
    uint32_t at = insn->name.pos + insn->name.length;
    while (text[at] == '.') {
        struct span span = read_word(text, at + 1);
        if (insn->nmods == INSN_MODS)
            return error_at(error, ATOLL_USAGE, 1, at + 1, "more than %d modifiers", INSN_MODS);
        insn->mods[insn->nmods] = (uint16_t)ptx_keyword_find(text + span.pos, span.length);
        spans[insn->nmods++] = span;
        at = span.pos + span.length;
    }
    return true;
}

static bool is_surface(const struct ptx_row *row)
{
    return row == &ptx_row_suld || row == &ptx_row_sust || row == &ptx_row_sured;
}

/* The form, with the newest version and target; NULL after filling *error. */
static const struct ptx_form *find_form(const char *text, const struct insn *insn, struct arena *arena,
                                        struct atoll_error *error)
{
    size_t size = strlen(text);
    struct diag diag = {.source = text, .size = size, .first = error};
    struct ptx_module module = {
        .arena = arena, .source = text, .size = size, .version = UINT_MAX, .target = UINT_MAX, .target_suffix = 'a'};
    struct checker checker = {.module = &module, .diag = &diag, .matcher = PTX_MATCHER(arena)};
    const struct ptx_form *form = check_modifiers(&checker, insn);
    if (form != NULL && is_surface(insn->row) && !surface_check_form(&checker, insn, form))
        form = NULL;
    if (form == NULL && diag.errors == 0)
        error_memory(error);
    else if (form == NULL)
        error->status = ATOLL_USAGE; /* as an unknown mnemonic */
    return form;
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

static void gate_text(unsigned version, unsigned target, struct text *out)
{
    if (version != 0)
        text_printf(out, "PTX %u.%u", version / 10, version % 10);
    if (target != 0)
        text_printf(out, "%ssm_%u", version != 0 ? ", " : "", target);
}

/* ".3d .a1d .a2d: PTX 3.0, sm_20" for the words that have the gate of `first`, which none before had. */
static bool add_gate(const struct ptx_pattern *pattern, const struct ptx_word *first, const char *before,
                     struct text *out)
{
    struct ptx_slot slot;
    struct ptx_word word;
    bool reached = false;
    struct text words = {0};
    for (const char *at = pattern->mods; ptx_next_slot(&at, &slot);)
        for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);) {
            if (word.version != first->version || word.target != first->target || word.lenient != first->lenient)
                continue;
            if (!reached && word.keyword != first->keyword) {
                text_free(&words);
                return false; /* listed with that word */
            }
            reached = true;
            text_printf(&words, "%s.%s", words.length > 0 ? " " : "", ptx_keyword_text((enum ptx_keyword)word.keyword));
        }
    text_printf(out, "%s%s: ", before, words.length > 0 ? words.bytes : "");
    gate_text(first->version, first->target, out);
    if (first->lenient)
        text_printf(out, "%sptxas only", first->version != 0 || first->target != 0 ? ", " : "");
    text_free(&words);
    return true;
}

void ptx_gates_text(const struct ptx_row *row, const struct ptx_pattern *pattern, const char *before, struct text *out)
{
    struct ptx_slot slot;
    struct ptx_word word;
    if (pattern->version != 0 || pattern->target != 0 || pattern->only != NULL) {
        text_puts(out, before);
        gate_text(pattern->version, pattern->target, out);
        if (pattern->only != NULL)
            text_printf(out, "%sonly %s", pattern->version != 0 || pattern->target != 0 ? ", " : "", pattern->only);
    }
    for (const char *at = pattern->mods; ptx_next_slot(&at, &slot);)
        for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);)
            if (word.version != 0 || word.target != 0 || word.lenient)
                add_gate(pattern, &word, before, out);
    if (is_surface(row) || row == &ptx_row_suq) {
        text_printf(out, "%sa surface by its handle: ", before);
        gate_text(SURFACE_HANDLE_VERSION, SURFACE_HANDLE_TARGET, out);
    }
}

/* The gate of a word in a pattern, 0 if it has none. */
static struct ptx_word find_word(const struct ptx_pattern *pattern, uint16_t keyword)
{
    struct ptx_slot slot;
    struct ptx_word word;
    for (const char *at = pattern->mods; ptx_next_slot(&at, &slot);)
        for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);)
            if (word.keyword == keyword)
                return word;
    return (struct ptx_word){.keyword = keyword};
}

void ptx_words_fact(const struct explained *x, struct text *out)
{
    const struct insn *insn = &x->insn;
    for (unsigned i = 0; i < insn->nmods; i++) {
        const char *meaning = ptx_word_meaning(x->form->row, insn->mods[i]);
        struct ptx_word word = find_word(x->form->pattern, insn->mods[i]);
        text_printf(out, ".%-12.*s %s", (int)insn->mod_spans[i].length, x->text + insn->mod_spans[i].pos,
                    meaning != NULL ? meaning : "-");
        if (word.version != 0 || word.target != 0) {
            text_puts(out, " (");
            gate_text(word.version, word.target, out);
            text_puts(out, ")");
        }
        if (word.lenient)
            text_puts(out, " (ptxas only; the PTX ISA does not have it)");
        text_puts(out, "\n");
    }
}

static const char *operand_type(const struct ptx_token *token, const struct ptx_form *form)
{
    if (token->letter == 'm')
        return "[register], [register+constant], [variable] or [variable+constant]";
    if (token->letter == 'l')
        return "a label";
    uint16_t type = ptx_token_type(token, form);
    return type != 0 ? ptx_keyword_text((enum ptx_keyword)type) : "any";
}

static void operands(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    struct ptx_token token;
    if (form->pattern->operands == NULL)
        return;
    for (const char *at = form->pattern->operands; ptx_next_token(&at, &token);) {
        bool word = token.letter == 'm' || token.letter == 'l' || ptx_token_type(&token, form) == 0;
        text_printf(out, "%.*s: %s%s%s", (int)token.name_length, token.name, token.dest ? "result, " : "",
                    word ? "" : ".", operand_type(&token, form));
        text_printf(out, "%s%s%s%s%s\n", token.letter == 'x' && form->vec > 1 ? ", a vector" : "",
                    token.relaxed || token.letter == 'x' ? ", or a wider register" : "",
                    token.immediate ? ", a constant" : "", token.sink ? ", or '_'" : "",
                    token.optional ? " (may be missing)" : "");
    }
}

void ptx_needs_fact(const struct explained *x, struct text *out)
{
    const struct ptx_form *form = x->form;
    unsigned version = form->pattern->version, target = form->pattern->target;
    for (unsigned i = 0; i < x->insn.nmods; i++) {
        struct ptx_word word = find_word(form->pattern, x->insn.mods[i]);
        version = word.version > version ? word.version : version;
        target = word.target > target ? word.target : target;
    }
    if (version == 0 && target == 0 && form->pattern->only == NULL)
        return;
    gate_text(version, target, out);
    if (form->pattern->only != NULL)
        text_printf(out, "%sone of the targets %s", version != 0 || target != 0 ? ", " : "", form->pattern->only);
    text_puts(out, "\n");
    if (!is_surface(form->row) && form->row != &ptx_row_suq)
        return;
    text_puts(out, "with a handle for a: ");
    gate_text(version > SURFACE_HANDLE_VERSION ? version : SURFACE_HANDLE_VERSION,
              target > SURFACE_HANDLE_TARGET ? target : SURFACE_HANDLE_TARGET, out);
    text_puts(out, "\n");
}

void ptx_form_text(const struct ptx_row *row, const struct ptx_pattern *pattern, struct text *out)
{
    ptx_pattern_text(row, pattern, out);
    if (row == &ptx_row_suld)
        text_puts(out, " d, [a, b]");
    else if (row == &ptx_row_sust || row == &ptx_row_sured)
        text_puts(out, " [a, b], c");
    else if (row == &ptx_row_suq)
        text_puts(out, " d, [a]");
    else if (row == &ptx_row_atom)
        text_puts(out, strstr(pattern->mods, " cas ") != NULL ? " d, [a], b, c" : " d, [a], b{, policy}");
    else if (row == &ptx_row_red && strncmp(pattern->mods, "async", 5) == 0)
        text_puts(out, strstr(pattern->mods, "mbarrier") != NULL ? " [a], b, [mbarrier]" : " [a], b");
    else if (row == &ptx_row_red)
        text_puts(out, " [a], b{, policy}");
}

void ptx_form_fact(const struct explained *x, struct text *out)
{
    ptx_form_text(x->form->row, x->form->pattern, out);
}

void ptx_source_fact(const struct explained *x, struct text *out)
{
    text_printf(out, "PTX ISA, \"%s\"; what combines with what is as ptxas 13.0 has it", x->form->row->name);
}

static void forms(const struct explained *x, struct text *out)
{
    const struct ptx_row *row = x->insn.row;
    for (unsigned i = 0; i < row->npatterns; i++) {
        ptx_form_text(row, &row->patterns[i], out);
        ptx_gates_text(row, &row->patterns[i], "\n    ", out);
        text_puts(out, "\n");
    }
}

static const struct family_fact *facts_of(const struct ptx_row *row)
{
    static const struct family_fact others[] = {PTX_FACTS_FIRST, {"operands", operands}, PTX_FACTS_LAST};
    if (is_surface(row))
        return ptx_surface_facts;
    if (row == &ptx_row_suq)
        return ptx_query_facts;
    return row == &ptx_row_atom || row == &ptx_row_red ? ptx_atomic_facts : others;
}

bool ptx_explain(const char *instruction, struct arena *arena, struct family_explained *found,
                 struct atoll_error *error)
{
    static const struct family_fact mnemonic[] = {{"forms", forms}, {NULL, NULL}};
    struct explained *x = arena_alloc(arena, sizeof *x);
    struct span *spans = arena_array(arena, INSN_MODS, sizeof *spans);
    if (x == NULL || spans == NULL)
        return error_memory(error);
    x->text = instruction;
    if (!read_insn(instruction, &x->insn, spans, error))
        return false;
    const struct insn *insn = &x->insn;
    const struct span *last = insn->nmods != 0 ? &spans[insn->nmods - 1] : &insn->name;
    *found = (struct family_explained){.name = instruction + insn->name.pos,
                                       .length = last->pos + last->length - insn->name.pos,
                                       .summary = insn->row->summary,
                                       .what = x,
                                       .facts = mnemonic};
    if (insn->nmods == 0)
        return true;
    x->form = find_form(instruction, insn, arena, error);
    found->facts = facts_of(insn->row);
    return x->form != NULL;
}

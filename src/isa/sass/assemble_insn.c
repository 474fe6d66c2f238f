/* The assembler's instructions: each is read where it is; those that name labels are read when all are known. */
#include "isa/sass/assemble.h"

#include "base/hard.h"
#include "isa/diag.h"
#include "isa/sass/control.h"
#include "isa/sass/parse.h"
#include "isa/sass/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

/* ---- one instruction --------------------------------------------------------------------------------- */

static bool insn_add(struct asm_cursor *c, const struct sass_insn *insn)
{
    struct asm_section *s = asm_section_current(c);
    if (!s)
        return false;
    if (s->ninsns == s->room) {
        size_t room = s->room ? s->room * 2 : HARD(64, 1);
        struct sass_insn *insns = realloc(s->insns, room * sizeof *insns);
        if (!insns)
            return error_memory(c->as->error);
        s->insns = insns;
        s->room = room;
    }
    s->insns[s->ninsns++] = *insn;
    return true;
}

static bool annotations(struct asm_cursor *c, const char *start, const char *end, struct sass_insn *insn)
{
    uint32_t control = SASS_CONTROL_NEUTRAL;
    size_t at;
    if (start == end)
        return true;
    if (!control_parse(start, (size_t)(end - start), &control, &at)) {
        c->at = start + at;
        return asm_mistake_here(c, CONTROL_WANTED);
    }
    insn->word.part[1] = control;
    insn->controlled = true;
    return true;
}

/* ".insn 0x0123456789abcdef" */
static bool raw_take(struct asm_cursor *c, const char *end, struct sass_insn *insn)
{
    struct asm_cursor inner = *c;
    inner.at += strlen(".insn");
    inner.end = end;
    if (!asm_number(&inner, &insn->word.part[0]) || !asm_end(&inner))
        return false;
    insn->form = isa_find(c->as->table, &insn->word, c->as->arch, NULL);
    return true;
}

static void warn(struct assembler *as, const char *warning, uint32_t line, uint32_t column)
{
    struct sass_module *m = as->module;
    m->warnings = arena_append(&m->arena, m->warnings, m->nwarnings, sizeof *m->warnings);
    as->no_memory |= !m->warnings;
    if (m->warnings)
        m->warnings[m->nwarnings++] = (struct sass_warning){warning, line, column, as->line_at + column - 1};
}

/* Reads text[0..length), which is at `column`, as instruction `index` of its section. `mistake` may be NULL. */
static bool insn_read(struct assembler *as, const char *text, size_t length, uint32_t column, size_t index,
                      bool no_rules, struct sass_insn *insn, struct isa_mistake *mistake)
{
    uint64_t reuse = insn->word.part[1] & UINT64_C(15) << SASS_REUSE;
    const char *warning;
    insn->form = sass_parse(as->table, text, length, as->arch, sass_address(index), &insn->word, mistake, &warning);
    if (!insn->form)
        return false;
    insn->word.part[1] |= reuse;
    if (!no_rules && !sass_rules_read(as->table, insn->form, &insn->word, text, length, mistake))
        return false;
    if (warning)
        warn(as, warning, insn->line, column);
    return true;
}

static bool control_check(struct assembler *as, const struct sass_insn *insn, uint32_t column)
{
    const char *why = insn->form && insn->controlled ? sass_control_refused(insn->form, &insn->word) : NULL;
    return !why || error_at(as->error, ATOLL_INPUT, insn->line, column, "%s", why);
}

/* The instruction once more, for what is wrong with it. */
static bool insn_mistake(struct assembler *as, const char *text, size_t length, size_t index, bool no_rules,
                         struct sass_insn insn, uint32_t column)
{
    struct isa_mistake mistake = {0};
    insn_read(as, text, length, column, index, no_rules, &insn, &mistake);
    return error_at(as->error, ATOLL_INPUT, insn.line, column + (uint32_t)mistake.at, "wanted %s", mistake.wanted);
}

/* ---- instructions that name labels or symbols --------------------------------------------------------- */

static bool late_add(struct asm_cursor *c, const char *text, size_t length, uint32_t column)
{
    struct assembler *as = c->as;
    as->late = arena_append(&as->arena, as->late, as->nlate, sizeof *as->late);
    text = arena_text(&as->arena, text, length);
    if (!as->late || !text)
        return error_memory(as->error);
    as->late[as->nlate++] = (struct asm_late){.text = text,
                                              .section = as->current,
                                              .length = (uint32_t)length,
                                              .line = as->line,
                                              .column = column,
                                              .line_at = as->line_at,
                                              .index = as->sections[as->current - 1].ninsns,
                                              .no_rules = as->no_rules};
    return true;
}

static bool late_read(struct assembler *as, const struct asm_late *late)
{
    char text[ISA_TEXT];
    size_t length = 0;
    struct sass_insn *insn = &as->sections[late->section - 1].insns[late->index];
    if (!asm_symbols_resolve(as, late, text, &length))
        return false;
    if (!insn_read(as, text, length, late->column, late->index, late->no_rules, insn, NULL))
        return insn_mistake(as, text, length, late->index, late->no_rules, *insn, late->column);
    return control_check(as, insn, late->column);
}

/* ---- a line's instruction ---------------------------------------------------------------------------- */

static bool place_check(struct asm_cursor *c)
{
    const struct asm_section *s = asm_section_current(c);
    if (!s)
        return false;
    return s->code ||
           asm_mistake(c, s->data.length ? "no instruction among data" : "an instruction only in a section of code");
}

bool asm_insn_take(struct asm_cursor *c, const char *end)
{
    struct assembler *as = c->as;
    struct sass_insn insn = {.line = as->line};
    const char *mark = c->at + control_find(c->at, (size_t)(end - c->at)), *last = mark, *text = c->at;
    uint32_t column = (uint32_t)(text - c->start) + 1;
    insn.word.part[1] = SASS_CONTROL_NEUTRAL;
    if (!place_check(c) || !annotations(c, mark, end, &insn))
        return false;
    while (last > text && is_blank(last[-1]))
        last--;
    size_t length = (size_t)(last - text), index = as->sections[as->current - 1].ninsns;
    if (length == 0)
        return asm_mistake(c, "an instruction");
    if (length > 5 && memcmp(text, ".insn", 5) == 0) {
        if (!raw_take(c, last, &insn))
            return false;
    } else if (insn_read(as, text, length, column, index, as->no_rules, &insn, NULL)) {
        if (!control_check(as, &insn, column))
            return false;
    } else if (!insn.form && asm_names_symbol(c->as->table, text, length)) {
        if (!late_add(c, text, length, column))
            return false;
    } else
        return insn_mistake(as, text, length, index, as->no_rules, insn, column);
    c->at = end;
    return insn_add(c, &insn);
}

/* ---- a section of code ------------------------------------------------------------------------------- */

uint64_t asm_label_offset(const struct assembler *as, const struct asm_label *label)
{
    const struct asm_section *s = &as->sections[label->section - 1];
    if (!s->ninsns)
        return label->at;
    if (label->at >= s->ninsns)
        return s->data.length;
    return sass_label_address(label->at);
}

bool asm_code_encode(struct assembler *as, uint32_t section)
{
    struct asm_section *s = &as->sections[section - 1];
    struct sass_code code = {.table = as->table, .arch = as->arch, .insns = s->insns, .count = s->ninsns};
    if (!s->code || s->ninsns == 0)
        return true;
    for (size_t i = 0; i < code.count; i++)
        s->scheduled |= !s->insns[i].controlled;
    unsigned registers = sass_schedule(&code);
    if (!s->registers_given)
        s->registers = registers;
    size_t size = (size_t)sass_code_size(code.count);
    char *bytes = arena_alloc(&as->arena, size);
    if (!bytes)
        return error_memory(as->error);
    sass_encode(&code, (uint8_t *)bytes);
    text_add(&s->data, bytes, size);
    return text_ok(&s->data) || error_memory(as->error);
}

bool asm_late_read(struct assembler *as)
{
    for (unsigned i = 0; i < as->nlate; i++) {
        as->line_at = as->late[i].line_at;
        if (!late_read(as, &as->late[i]) && !asm_go_on(as))
            return false;
    }
    return !as->diag || as->diag->errors == 0;
}

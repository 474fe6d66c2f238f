/* Code as text: a line an instruction, labels for targets, dual-issued pairs in braces. */
#include "isa/sass/list_code.h"

#include "isa/sass/control.h"
#include "isa/sass/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 16, HEX_COLUMN = 90 };

struct code_lister {
    const struct sass_code *code;
    const struct sass_listing *options;
    struct text *out;
    const uint32_t *labels; /* number of the label before instruction i, plus 1; NULL = targets stay numbers */
    uint64_t start;         /* address of the first bundle */
};

bool list_is_code(const struct sass_section *s)
{
    for (uint64_t at = 0; at < s->size; at += SASS_BUNDLE)
        if (s->bytes[at + 7] >> 7)
            return false;
    return true;
}

/* The instruction that a branch goes to; false: none that a label can say. A label before the first instruction of a
 * bundle means the address of the bundle, as ptxas writes it; the address of that instruction stays a number. */
static bool target_of(const struct sass_code *code, size_t index, uint64_t *target)
{
    struct isa_operand operands[OPERANDS];
    const struct sass_insn *insn = &code->insns[index];
    if (!insn->form || !(insn->form->row->flags & ISA_FIXED))
        return false;
    unsigned n = isa_operands(code->table, insn->form, &insn->word, sass_address(index), operands, OPERANDS);
    for (unsigned i = 0; i < n && i < OPERANDS; i++)
        if (operands[i].kind == ISA_TARGET) {
            uint64_t at = (uint64_t)operands[i].value;
            *target = sass_index_of(at);
            return at % 8 == 0 && at % SASS_BUNDLE != 8 && at < sass_code_size(code->count) && *target < code->count;
        }
    return false;
}

/* ---- one line ---------------------------------------------------------------------------------------- */

/* Replaces the target's number, which ends the text, by a label. */
static void put_label(char text[ISA_TEXT], uint64_t address, uint32_t label)
{
    char number[32], name[40];
    int length = snprintf(number, sizeof number, "0x%" PRIx64, address);
    snprintf(name, sizeof name, "`(.L_x_%u)", label);
    size_t have = strlen(text);
    if (have >= (size_t)length && have + sizeof name < ISA_TEXT && strcmp(text + have - length, number) == 0)
        strcpy(text + have - length, name);
}

/* What the assembler makes of the text: the word itself, but for bits that have no meaning; and its reuse bits. */
static void read_back(const struct sass_code *code, size_t index, const char *text, bool *same, bool *reuse)
{
    const struct sass_insn *insn = &code->insns[index];
    struct isa_word word = {{0}};
    bool ok = isa_parse(code->table, text, strlen(text), code->arch, sass_address(index), &word, NULL) != NULL;
    *same = ok && word.part[0] == insn->word.part[0];
    *reuse = ok && word.part[1] >> SASS_REUSE == insn->word.part[1] >> SASS_REUSE;
}

/* Whether the instruction issues with the next one (facts: sass.md section 2). */
static bool is_dual(const struct sass_code *code, size_t index)
{
    uint64_t control = code->insns[index].word.part[1];
    return index + 1 < code->count && code->insns[index].form && code->insns[index + 1].form && (control & 15) == 0 &&
           control >> SASS_YIELD & 1;
}

static void list_raw(const struct code_lister *l, size_t index)
{
    const struct sass_insn *insn = &l->code->insns[index];
    text_printf(l->out, ".insn 0x%016" PRIx64, insn->word.part[0]);
    if (l->options->control)
        control_print((uint32_t)insn->word.part[1], true, l->out);
}

/* With control bits the listing is loss-free: a word of which the text would lose something is written as a number. */
static void insn_text(const struct code_lister *l, size_t index)
{
    const struct sass_insn *insn = &l->code->insns[index];
    char text[ISA_TEXT];
    bool same = true, reuse = true;
    uint64_t target;
    if (insn->form) {
        isa_print(l->code->table, insn->form, &insn->word, sass_address(index), text);
        if (l->options->control)
            read_back(l->code, index, text, &same, &reuse);
    }
    if (!insn->form || !same) {
        list_raw(l, index);
        return;
    }
    if (l->labels && target_of(l->code, index, &target))
        put_label(text, sass_label_address(target), l->labels[target] - 1);
    text_puts(l->out, text);
    if (l->options->control)
        control_print((uint32_t)insn->word.part[1], !reuse, l->out);
}

/* Address and brace before an instruction, formatted by hand: a large part of what a listing costs. */
static void list_address(const struct code_lister *l, uint64_t address, bool open)
{
    char head[64] = "        /*", digits[16];
    size_t n = 10, count = 0;
    do
        digits[count++] = "0123456789abcdef"[address & 15];
    while ((address >>= 4) || count < 4);
    while (count)
        head[n++] = digits[--count];
    memcpy(head + n, "*/                   ", 21);
    if (open)
        head[n + 11] = '{';
    text_add(l->out, head, n + 21);
}

static void list_reason(const struct code_lister *l, const struct sass_insn *insn)
{
    const char *why = NULL;
    const struct isa_form *form = isa_find(l->code->table, &insn->word, l->code->arch, &why);
    if (form)
        why = sass_control_refused(form, &insn->word);
    text_printf(l->out, " // %s", why ? why : "no such instruction");
}

static void list_line(const struct code_lister *l, size_t index, bool open, bool close)
{
    const struct sass_insn *insn = &l->code->insns[index];
    size_t start = l->out->length;
    list_address(l, l->start + sass_address(index), open);
    insn_text(l, index);
    text_puts(l->out, close ? " ;        }" : " ;");
    if (l->options->hex) {
        size_t width = l->out->length - start;
        text_printf(l->out, "%*s/* 0x%016" PRIx64 " */", width < HEX_COLUMN ? (int)(HEX_COLUMN - width) : 1, "",
                    insn->word.part[0]);
    }
    if (!insn->form)
        list_reason(l, insn);
    text_add(l->out, "\n", 1);
}

static void list_control_word(const struct code_lister *l, size_t index)
{
    uint64_t word = 0;
    for (size_t slot = 0; slot < 3 && index + slot < l->code->count; slot++)
        word |= l->code->insns[index + slot].word.part[1] << slot * SASS_CONTROL_BITS;
    text_printf(l->out, "%*s/* 0x%016" PRIx64 " */\n", HEX_COLUMN, "", word);
}

/* Code that breaks rules says so, or it would not be read back. */
static void list_rules(const struct sass_code *code, struct text *out)
{
    const struct isa_table *table = code->table;
    enum { UNKNOWN, FREE, CONCERNED };
    uint8_t *concerned = calloc(table->nforms, 1); /* without it every word is looked at */
    for (size_t i = 0; concerned && i < code->count; i++) {
        const struct isa_form *form = code->insns[i].form;
        if (form && concerned[form - table->forms] == UNKNOWN)
            concerned[form - table->forms] = sass_rules_concern(table, form) ? CONCERNED : FREE;
    }
    for (size_t i = 0; i < code->count; i++) {
        const struct isa_form *form = code->insns[i].form;
        if (!form || (concerned && concerned[form - table->forms] == FREE))
            continue;
        if (!sass_rules(table, form, &code->insns[i].word, NULL)) {
            text_puts(out, "\t.norules\n");
            break;
        }
    }
    free(concerned);
}

/* What stands before instruction `index`; at the end of the code index == count. */
typedef void list_before(void *user, size_t index, struct text *out);

static void list_insns(const struct code_lister *l, list_before *before, void *user)
{
    bool open = false;
    for (size_t i = 0; i < l->code->count; i++) {
        if (before)
            before(user, i, l->out);
        if (l->labels && l->labels[i])
            text_printf(l->out, ".L_x_%u:\n", l->labels[i] - 1);
        if (l->options->hex && i % 3 == 0)
            list_control_word(l, i);
        bool close = open;
        open = !close && is_dual(l->code, i);
        list_line(l, i, open, close);
    }
    if (before)
        before(user, l->code->count, l->out);
}

/* ---- sections ---------------------------------------------------------------------------------------- */

struct symbol_cursor {
    struct lister *lister;
    struct list_label *labels;
    unsigned count, next;
    const uint32_t *ends; /* number of the label at the end of a bundle, plus 1; by bundle */
};

static void before_insn(void *user, size_t index, struct text *out)
{
    struct symbol_cursor *c = user;
    if (index % 3 && index != 0)
        return;
    uint64_t at = index / 3 * SASS_BUNDLE;
    if (c->ends[at / SASS_BUNDLE])
        text_printf(out, ".L_x_%u:\n", c->ends[at / SASS_BUNDLE] - 1);
    for (; c->next < c->count && c->labels[c->next].value <= at; c->next++) {
        list_name(out, c->lister->module->symbols[c->labels[c->next].symbol].name);
        text_puts(out, ":\n");
    }
}

static void list_symbol_head(struct lister *l, uint32_t symbol, uint32_t end)
{
    static const char *const visibility[] = {"STV_DEFAULT", "STV_INTERNAL", "STV_HIDDEN", "STV_PROTECTED"};
    const struct sass_symbol *s = &l->module->symbols[symbol];
    const char *bind = sass_word_of(sass_symbol_binds, s->info >> 4);
    if (bind && s->info >> 4) {
        text_printf(l->out, "        .%-14s ", bind);
        list_name(l->out, s->name);
        text_puts(l->out, "\n");
    }
    text_puts(l->out, "        .type           ");
    list_name(l->out, s->name);
    text_printf(l->out, ",@%s\n        .size           ", sass_word_of(sass_symbol_types, s->info & 15));
    list_name(l->out, s->name);
    text_printf(l->out, ",(.L_x_%u - ", end);
    list_name(l->out, s->name);
    text_puts(l->out, ")\n        .other          ");
    list_name(l->out, s->name);
    text_printf(l->out, ",@\"%s%s\"\n", s->other & SASS_ENTRY ? "STO_CUDA_ENTRY " : "", visibility[s->other & 3]);
}

/* Numbers the targets of branches in the order of the code, then the ends of functions. */
static void labels_number(struct lister *l, const struct sass_code *code, uint32_t *labels)
{
    uint64_t target;
    for (size_t i = 0; i < code->count; i++)
        if (target_of(code, i, &target))
            labels[target] = 1;
    for (size_t i = 0; i < code->count; i++)
        if (labels[i])
            labels[i] = ++l->next_label;
}

bool list_text(struct lister *l, uint32_t section)
{
    const struct sass_section *s = &l->module->sections[section];
    struct sass_code code = {.table = l->table};
    struct symbol_cursor cursor = {.lister = l};
    if (!sass_arch_of(l->module->arch, &code.arch) || !sass_decode(&l->arena, s->bytes, s->size, &code, l->error) ||
        !list_labels_of(l, section, &cursor.labels, &cursor.count))
        return false;
    uint32_t *labels = arena_array(&l->arena, code.count, sizeof *labels);
    uint32_t *ends = arena_array(&l->arena, s->size / SASS_BUNDLE + 1, sizeof *ends);
    if (!labels || !ends)
        return error_memory(l->error);
    list_rules(&code, l->out);
    labels_number(l, &code, labels);
    for (unsigned i = 0; i < cursor.count; i++) {
        const struct sass_symbol *symbol = &l->module->symbols[cursor.labels[i].symbol];
        uint32_t *end = &ends[(symbol->value + symbol->size) / SASS_BUNDLE];
        if (!*end)
            *end = ++l->next_label;
        list_symbol_head(l, cursor.labels[i].symbol, *end - 1);
    }
    list_name(l->out, s->name);
    text_puts(l->out, ":\n");
    cursor.ends = ends;
    struct code_lister lister = {.code = &code, .options = &l->options, .out = l->out, .labels = labels};
    list_insns(&lister, before_insn, &cursor);
    return true;
}

bool sass_list_code(const struct sass_code *code, const struct sass_listing *options, struct text *out,
                    struct atoll_error *error)
{
    struct code_lister lister = {.code = code, .options = options, .out = out};
    text_printf(out, "\t.headerflags\t@\"EF_CUDA_SM%u EF_CUDA_VIRTUAL_SM(EF_CUDA_SM%u)\"\n",
                sass_arch_number(code->arch), sass_arch_number(code->arch));
    list_rules(code, out);
    list_insns(&lister, NULL, NULL);
    return text_ok(out) || error_memory(error);
}

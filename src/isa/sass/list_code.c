/* Code as text: a line an instruction, labels for targets, dual-issued pairs in braces. */
#include "isa/sass/list_code.h"

#include "base/pages.h"
#include "isa/sass/control.h"
#include "isa/sass/rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a line of nvdisasm 11.8:
 *
 *   8               25        35                              (address and word are comments)
 *   03e8             {     @P0 LOP.PASS_B R4, RZ, ~R5 ;        0x5c47...
 *   03f0                       BRA `(.L_x_3)         }
 *
 * Guards are right-aligned before the text. Text and the ';' or '}' have a blank between that is missing where the
 * control bits are those of padding. Words are in a column of their own, two blanks after the longest line, and
 * below a '}'. */
enum { BRACE = 25, TEXT = 35, LINE = TEXT + 32 + ISA_TEXT };

struct code_lister {
    const struct sass_code *code;
    const struct sass_listing *options;
    struct text *out;
    struct lister *module;                /* NULL: raw code, targets are numbers */
    struct list_code *place;              /* of the module */
    unsigned symbol, reference, indirect; /* the next ones of place */
    uint64_t at;                          /* 8 * the next label that was not yet written */
    struct list_columns columns;
    bool below; /* the word of the last line, which closed a pair, is yet to be written */
};

bool list_is_code(const struct sass_section *s)
{
    for (uint64_t at = 0; at < s->size; at += SASS_BUNDLE)
        if (s->bytes[at + 7] >> 7)
            return false;
    return true;
}

/* ---- one line ---------------------------------------------------------------------------------------- */

/* What the assembler makes of the text: the word itself, but for bits that have no meaning; and its reuse bits. */
static void read_back(const struct sass_code *code, size_t index, const char *text, bool *same, bool *reuse)
{
    const struct sass_insn *insn = &code->insns[index];
    struct isa_word word = {{0}};
    bool ok = isa_parse(code->table, text, strlen(text), code->arch, sass_address(index), &word, NULL) != NULL;
    *same = ok && word.part[0] == insn->word.part[0];
    *reuse = ok && word.part[1] >> SASS_REUSE == insn->word.part[1] >> SASS_REUSE;
}

/* The control bits of padding; nothing is where others may be noted. */
static bool is_bare(const struct sass_insn *insn)
{
    return insn->word.part[1] == SASS_CONTROL_NEUTRAL || !insn->form;
}

/* What is written instead of a number of instruction `index`, in `name`. */
static const struct isa_spelled *spell(struct code_lister *l, size_t index, struct isa_spelled *spelled,
                                       struct text *name)
{
    const struct list_code *c = l->place;
    uint64_t target, address = sass_address(index);
    if (!c)
        return NULL;
    name->length = 0;
    spelled->low = 0;
    while (l->reference < c->nrelocations && c->relocations[l->reference]->offset < address)
        l->reference++;
    if (l->reference < c->nrelocations && c->relocations[l->reference]->offset == address)
        spelled->low = list_relocation(l->module, c->relocations[l->reference], name);
    if (!spelled->low && list_target(l->module, c, index, &target)) {
        list_target_name(l->module, c, index, target, name);
        spelled->low = 20; /* all targets begin there */
    }
    spelled->text = name->bytes;
    spelled->length = name->length;
    return spelled->low && text_ok(name) ? spelled : NULL;
}

/* The text of an instruction at `line`, which has ISA_TEXT bytes, guard first; its length. */
static size_t print(struct code_lister *l, size_t index, char *line, struct text *name)
{
    const struct sass_insn *insn = &l->code->insns[index];
    struct isa_spelled spelled;
    if (!insn->form && !insn->word.part[0]) { /* nvdisasm takes 0 for it */
        memcpy(line, "NOP", 4);
        return 3;
    }
    if (!insn->form)
        return (size_t)snprintf(line, ISA_TEXT, ".insn 0x%016" PRIx64, insn->word.part[0]);
    return isa_print_spelled(l->code->table, insn->form, &insn->word, l->options->base + sass_address(index),
                             spell(l, index, &spelled, name), line);
}

/* Address and brace before an instruction; returns their end. By hand: a large part of what a listing costs. */
static char *put_head(char *line, uint64_t address, bool open)
{
    static const char blank[TEXT + 1] = "        /*0000*/                   ";
    static const char hex[] = "0123456789abcdef";
    unsigned digits = 4;
    memcpy(line, blank, TEXT);
    if (address > 0xffff) {
        for (digits = 5; digits < 16 && address >> 4 * digits; digits++)
            continue;
        memcpy(line + 10 + digits, blank + 14, TEXT - 14);
    }
    for (unsigned i = 0; i < digits; i++)
        line[10 + i] = hex[address >> 4 * (digits - 1 - i) & 15];
    if (open)
        line[BRACE + digits - 4] = '{';
    return line + TEXT + digits - 4;
}

/* Moves text[0..length) so that its guard is before its column. */
static size_t hang_guard(char *text, size_t length)
{
    const char *blank = *text == '@' ? memchr(text, ' ', length) : NULL;
    if (!blank)
        return length;
    size_t guard = (size_t)(blank - text) + 1;
    memmove(text - guard, text, length);
    return length - guard;
}

static void list_reason(const struct code_lister *l, const struct sass_insn *insn)
{
    const char *why = NULL;
    const struct isa_form *form = isa_find(l->code->table, &insn->word, l->code->arch, &why);
    if (form)
        why = sass_control_refused(form, &insn->word);
    text_printf(l->out, " // %s", why ? why : "no such instruction");
}

/* With control bits the listing is loss-free: a word of which the text would lose something is written as a number. */
static void list_controlled(struct code_lister *l, size_t index, char *line, size_t length)
{
    const struct sass_insn *insn = &l->code->insns[index];
    bool same = false, reuse = true;
    char plain[ISA_TEXT];
    if (insn->form) {
        isa_print(l->code->table, insn->form, &insn->word, sass_address(index), plain);
        read_back(l->code, index, plain, &same, &reuse);
    }
    if (!same)
        length = (size_t)snprintf(line, ISA_TEXT, ".insn 0x%016" PRIx64, insn->word.part[0]);
    else {
        length = hang_guard(line, length);
        length -= line[length - 1] == ' '; /* after +INF */
    }
    l->out->length += length;
    control_print((uint32_t)insn->word.part[1], !same || !reuse, l->out);
}

static const struct list_indirect *indirect_at(struct code_lister *l, uint64_t address)
{
    const struct list_code *c = l->place;
    if (!c || l->options->no_dataflow)
        return NULL;
    while (l->indirect < c->nindirect && c->indirect[l->indirect].address < address)
        l->indirect++;
    return l->indirect < c->nindirect && c->indirect[l->indirect].address == address ? &c->indirect[l->indirect] : NULL;
}

static void pad(struct text *out, size_t start, unsigned column)
{
    size_t width = out->length - start;
    text_printf(out, "%*s", width < column ? (int)(column - width) : 0, "");
}

/* (*"BRANCH_TARGETS .L_x_8,.L_x_9"*), each label once */
static void list_note(const struct code_lister *l, const struct list_indirect *indirect, struct text *out)
{
    struct list_code *c = l->place;
    const char *before = "(*\"BRANCH_TARGETS ";
    if (!indirect->count) {
        text_puts(out, "(*\"INDIRECT_CALL\"*)");
        return;
    }
    c->notes++;
    for (uint32_t i = 0; i < indirect->count; i++) {
        uint64_t target = list_pair(c, bytes_u32(indirect->targets + (size_t)4 * i));
        bool known = target % 8 == 0 && target < c->size && c->labels[target / 8];
        if (known && c->noted[target / 8] == c->notes)
            continue;
        text_puts(out, before);
        before = ",";
        if (known) {
            c->noted[target / 8] = c->notes;
            text_printf(out, ".L_x_%u", c->labels[target / 8] - 1);
        } else
            text_printf(out, "0x%" PRIx64, target);
    }
    text_puts(out, "\"*)");
}

static void list_line(struct code_lister *l, size_t index, bool open, bool close, struct text *name)
{
    const struct sass_insn *insn = &l->code->insns[index];
    uint64_t address = sass_address(index);
    size_t start = l->out->length;
    char *line = text_room(l->out, LINE);
    if (!line)
        return;
    char *text = put_head(line, l->options->base + address, open);
    size_t length = print(l, index, text, name);
    const struct list_indirect *indirect = indirect_at(l, address);
    bool bare = is_bare(insn) || indirect;
    l->out->length += (size_t)(text - line);
    if (l->options->control) {
        list_controlled(l, index, text, length);
        text_puts(l->out, close ? " ;        }" : " ;");
    } else {
        l->out->length += hang_guard(text, length);
        if (indirect) {
            pad(l->out, start, l->columns.notes);
            list_note(l, indirect, l->out);
        }
        if (close)
            text_add(l->out, &"         }"[bare], 10 - bare);
        else
            text_add(l->out, &" ;"[bare], 2 - bare);
    }
    l->below = l->options->hex && close && !l->options->control;
    if (l->options->hex && !l->below) {
        pad(l->out, start, l->columns.words);
        text_printf(l->out, "/* 0x%016" PRIx64 " */", insn->word.part[0]);
    }
    if (!insn->form && insn->word.part[0])
        list_reason(l, insn);
    text_add(l->out, "\n", 1);
}

static void list_word(const struct code_lister *l, uint64_t word)
{
    text_printf(l->out, "%*s/* 0x%016" PRIx64 " */\n", (int)l->columns.words, "", word);
}

/* Words that have lines of their own: that of the pair's end before `index`, which labels may have come after, and the
 * control word. */
static void list_words(struct code_lister *l, size_t index)
{
    if (l->below)
        list_word(l, l->code->insns[index - 1].word.part[0]);
    l->below = false;
    if (!l->options->hex || index % 3 || index == l->code->count)
        return;
    uint64_t word = 0;
    for (size_t slot = 0; slot < 3 && index + slot < l->code->count; slot++)
        word |= l->code->insns[index + slot].word.part[1] << slot * SASS_CONTROL_BITS;
    list_word(l, word);
}

/* Columns come from all lines, as they are with the guard as a part of the text; that of notes not from a pair's end.
 */
static unsigned notes_measure(struct code_lister l, struct text *name)
{
    char line[LINE];
    unsigned widest = 0;
    bool open = false;
    for (size_t i = 0; i < l.code->count; i++) {
        char *text = put_head(line, l.options->base + sass_address(i), false);
        unsigned end = (unsigned)((size_t)(text - line) + print(&l, i, text, name)) + 2;
        bool close = open;
        open = !close && list_is_dual(l.code, l.place, l.options, i);
        widest = end > widest && !close ? end : widest;
    }
    return widest;
}

static unsigned words_measure(struct code_lister l, struct text *name)
{
    struct text note = {0};
    char line[LINE];
    bool open = false;
    unsigned widest = 0;
    for (size_t i = 0; i < l.code->count; i++) {
        char *text = put_head(line, l.options->base + sass_address(i), false);
        unsigned end = (unsigned)((size_t)(text - line) + print(&l, i, text, name));
        const struct list_indirect *indirect = indirect_at(&l, sass_address(i));
        bool close = open, bare = is_bare(&l.code->insns[i]) || indirect;
        open = !close && list_is_dual(l.code, l.place, l.options, i);
        if (indirect) {
            note.length = 0;
            list_note(&l, indirect, &note);
            end = l.columns.notes + (unsigned)note.length;
        }
        end += close ? 10u - (bare && !indirect) : indirect ? 2u : 4u - bare;
        widest = end > widest ? end : widest;
    }
    text_free(&note);
    return widest;
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

static void list_symbol_head(struct lister *l, const struct list_code *c, uint32_t symbol)
{
    const struct sass_symbol *s = &l->module->symbols[symbol];
    const char *bind = sass_word_of(sass_symbol_binds, s->info >> 4);
    const char *type = sass_word_of(sass_symbol_types, s->info & 15);
    uint64_t end = s->value + s->size;
    bool known = end % 8 == 0 && end <= c->size;
    if (bind && s->info >> 4) {
        text_printf(l->out, "        .%-14s ", bind);
        list_name(l->out, s->name);
        text_puts(l->out, "\n");
    }
    text_puts(l->out, "        .type           ");
    list_name(l->out, s->name);
    text_printf(l->out, ",@%s\n        .size           ", type);
    list_name(l->out, s->name);
    const char *next = known ? list_name_at(l, c, end) : NULL;
    if (known && (c->labels[end / 8] || next)) {
        text_puts(l->out, ",(");
        if (c->labels[end / 8])
            text_printf(l->out, ".L_x_%u", c->labels[end / 8] - 1);
        else
            list_name(l->out, next);
        text_puts(l->out, " - ");
        list_name(l->out, s->name);
        text_puts(l->out, ")\n");
    } else
        text_printf(l->out, ",0x%" PRIx64 "\n", s->size);
    list_other(l, "        .other          ", s);
}

/* Labels and symbols of all addresses up to this one. */
static void list_marks(struct code_lister *l, uint64_t address)
{
    const struct list_code *c = l->place;
    for (; l->at <= address; l->at += 8) {
        if (c->labels[l->at / 8])
            text_printf(l->out, ".L_x_%u:\n", c->labels[l->at / 8] - 1);
        for (; l->symbol < c->nsymbols && list_mark_place(c, c->symbols[l->symbol].value) <= l->at; l->symbol++) {
            uint32_t symbol = c->symbols[l->symbol].symbol, number = c->symbols[l->symbol].number;
            if (number) {
                text_printf(l->out, ".L_x_%u:\n", number - 1);
                continue;
            }
            if ((l->module->module->symbols[symbol].info & 15) == SASS_FUNC)
                list_symbol_head(l->module, c, symbol);
            list_name(l->out, l->module->module->symbols[symbol].name);
            text_puts(l->out, ":\n");
        }
    }
}

static void list_insns(struct code_lister *l)
{
    struct text name = {0};
    bool open = false;
    for (size_t i = 0; i < l->code->count; i++) {
        bool close = open;
        open = !close && list_is_dual(l->code, l->place, l->options, i);
        if (l->place)
            list_marks(l, sass_address(i));
        list_words(l, i);
        list_line(l, i, open, close, &name);
    }
    if (l->place)
        list_marks(l, l->place->size);
    list_words(l, l->code->count);
    if (!text_ok(&name))
        l->out->failed = true;
    text_free(&name);
}

/* ---- sections ---------------------------------------------------------------------------------------- */

/* Room for all lines at once, as large listings are written through once. */
static bool text_expect(struct text *out, size_t lines, bool hex)
{
    size_t size = lines * (hex ? 128 : 72);
    char *room = text_room(out, size);
    if (!room)
        return false;
    pages_large(room, size);
    return true;
}

static struct code_lister lister_of(struct lister *l, uint32_t section)
{
    struct list_code *c = &l->codes[section];
    return (struct code_lister){
        .code = &c->code, .options = &l->options, .out = l->out, .module = l, .place = c, .columns = l->columns};
}

void list_columns(struct lister *l)
{
    struct text name = {0};
    bool noted = false;
    for (uint32_t i = 1; i < l->module->nsections; i++)
        noted |= l->codes[i].nindirect && !l->options.no_dataflow;
    for (unsigned turn = 0; turn < 2; turn++) /* the column of notes moves that of words */
        for (uint32_t i = 1; i < l->module->nsections; i++) {
            unsigned *column = turn ? &l->columns.words : &l->columns.notes, widest = 0;
            if (!l->codes[i].code.insns || !(turn ? l->options.hex : noted))
                continue;
            widest = (turn ? words_measure : notes_measure)(lister_of(l, i), &name);
            *column = widest > *column ? widest : *column;
        }
    if (!text_ok(&name))
        l->out->failed = true;
    text_free(&name);
}

bool list_text(struct lister *l, uint32_t section)
{
    struct list_code *c = &l->codes[section];
    struct code_lister lister = lister_of(l, section);
    if (!text_expect(l->out, c->code.count, l->options.hex))
        return error_memory(l->error);
    if (l->options.control) {
        list_rules(&c->code, l->out);
        list_name(l->out, l->module->sections[section].name);
        text_puts(l->out, ":\n");
    }
    list_insns(&lister);
    return true;
}

bool sass_list_code(const struct sass_code *code, const struct sass_listing *options, struct text *out,
                    struct atoll_error *error)
{
    struct code_lister lister = {.code = code, .options = options, .out = out};
    unsigned arch = sass_arch_number(code->arch);
    text_printf(out, "\t.headerflags    @\"EF_CUDA_SM%u EF_CUDA_PTX_SM(EF_CUDA_SM%u)\"\n", arch, arch);
    if (!text_expect(out, code->count, options->hex))
        return error_memory(error);
    if (options->control)
        list_rules(code, out);
    if (options->hex)
        lister.columns.words = words_measure(lister, NULL); /* no names */
    list_insns(&lister);
    return text_ok(out) || error_memory(error);
}

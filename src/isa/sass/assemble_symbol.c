/* Labels and symbols where numbers are, as the vendor's disassembler writes them:
 *
 *   in code    BRA `(.L_x_0)   MOV32I R2, 32@lo(v)   32@hi((v + 0x8))   `(f)   c[`(v)]   [`((v + 0x4))]
 *              BRX R4 `(((.L_x_3 - .) - 0x8))
 *   in data    (.L_2 - .L_1)   .L_x_0@srel   (.L_x_0@srel + 0x8)   (k + .L_x_0@srel)   ((k + .L_x_0@srel) + 0x8)
 *              index@(v)   v   fun@R_CUDA_G64((v + 0x8))
 *              [20@lo(0x0)=fun@R_CUDA_SURF_HEADER_INDEX(v)]   [20@lo(0x0)=v]
 *
 * Labels become numbers, symbols places for relocations. */
#include "isa/sass/assemble.h"

#include <stdio.h>
#include <string.h>

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t';
}

/* ---- symbols ------------------------------------------------------------------------------------------ */

struct expression {
    const char *name;
    uint64_t addend;
    bool relative; /* to the instruction */
};

/* "(NAME - .) - 0x8", after the first parenthesis. */
static bool relative_take(struct asm_cursor *c, struct expression *e)
{
    static const char wanted[] = "((label - .) - 0x8)";
    uint64_t less;
    const char *here = NULL;
    e->relative = true;
    e->name = asm_name(c);
    if (e->name && asm_char(c, '-'))
        here = asm_name(c);
    if (!here || strcmp(here, ".") != 0 || !asm_char(c, ')') || !asm_char(c, '-'))
        return asm_mistake(c, wanted);
    if (!asm_number(c, &less))
        return false;
    e->addend = 0 - less;
    return asm_want(c, ')', wanted);
}

/* NAME, (NAME + 0x8) or ((NAME - .) - 0x8) */
static bool expression_take(struct asm_cursor *c, struct expression *e)
{
    bool inner = asm_char(c, '(');
    *e = (struct expression){0};
    if (inner && asm_char(c, '('))
        return relative_take(c, e);
    e->name = asm_name(c);
    if (!e->name)
        return asm_mistake(c, "a symbol");
    if (inner && asm_char(c, '+') && !asm_number(c, &e->addend)) /* "+ -0x8" too */
        return false;
    return !inner || asm_want(c, ')', "(symbol + 0x8)");
}

static bool relocation_add(struct assembler *as, struct asm_relocation relocation, unsigned symbol_type)
{
    as->relocations = arena_append(&as->arena, as->relocations, as->nrelocations, sizeof *as->relocations);
    if (!as->relocations)
        return error_memory(as->error);
    as->relocations[as->nrelocations++] = relocation;
    if (as->symbols_listed || asm_symbol_find(as, relocation.symbol))
        return true;
    struct asm_symbol *s = asm_symbol_named(as, relocation.symbol);
    if (!s)
        return false;
    s->info = (uint8_t)(1 << 4 | symbol_type);
    s->where = 0; /* defined elsewhere, until the text says more */
    return true;
}

/* ---- in code ------------------------------------------------------------------------------------------ */

/* The use of a symbol in an instruction: text[from..to) stands for it. */
struct use {
    size_t from, to;
    size_t bracket, inside; /* of a constant: its '[', where the bank is missing, and what follows it */
    struct expression symbol;
    enum { USE_PLAIN, USE_LOW, USE_HIGH, USE_CONSTANT, USE_ADDRESS } kind;
    bool descriptor; /* of a function: fun@fdesc(f) */
};

/* The first form of the mnemonic of an instruction's text; NULL: there is none. */
static const struct isa_form *form_named(const struct isa_table *table, const char *text, size_t length)
{
    size_t at = 0;
    if (length && *text == '@')
        while (at < length && !is_blank(text[at]))
            at++;
    while (at < length && is_blank(text[at]))
        at++;
    uint32_t first = namemap_find(&table->mnemonics, text + at, isa_mnemonic(text + at, text + length));
    return first == UINT32_MAX ? NULL : &table->forms[table->by_name[first]];
}

static bool takes_target(const struct isa_table *table, const char *text, size_t length)
{
    const struct isa_form *form = form_named(table, text, length);
    unsigned i = 0;
    while (form && i < form->count && table->elements[form->first + i].kind != ISA_TARGET)
        i++;
    return form && i < form->count;
}

static bool starts(const char *text, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* Where a symbol begins that is written as such: ` or 32@. */
static size_t symbol_find(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '`' || starts(text + i, length - i, "32@lo(") || starts(text + i, length - i, "32@hi("))
            return i;
    return length;
}

/* The bare label that ends a branch, or the text's length. */
static size_t label_find(const struct isa_table *table, const char *text, size_t length)
{
    size_t at = length;
    if (!takes_target(table, text, length))
        return length;
    while (at > 0 && !is_blank(text[at - 1]) && text[at - 1] != ',')
        at--;
    bool number = text[at] >= '0' && text[at] <= '9', bracket = memchr(text + at, '[', length - at) != NULL;
    return number || bracket ? length : at;
}

bool asm_names_symbol(const struct isa_table *table, const char *text, size_t length)
{
    return symbol_find(text, length) < length || label_find(table, text, length) < length;
}

/* What is in brackets is an address: [`(v)], [R4+`(v)]; or a constant: c[`(v)], c[R4+`(v)]. */
static bool bracket_take(const char *text, size_t length, struct use *use)
{
    size_t at = use->from;
    if (use->to == length || text[use->to] != ']')
        return true;
    while (at > 0 && text[at - 1] != '[' && text[at - 1] != ',')
        at--;
    if (at == 0 || text[at - 1] != '[')
        return true;
    size_t name = at - 1; /* "c [" of operands that are printed c[0x0] [0x140] */
    while (name > 0 && is_blank(text[name - 1]))
        name--;
    bool constant =
        name > 0 && text[name - 1] == 'c' && (name == 1 || is_blank(text[name - 2]) || strchr(",-|~", text[name - 2]));
    use->kind = constant ? USE_CONSTANT : USE_ADDRESS;
    use->bracket = constant ? name : 0;
    use->inside = at;
    return true;
}

/* symbol, (symbol + 0x8) or fun@fdesc(symbol) */
static bool descriptor_take(struct asm_cursor *c, struct use *use)
{
    static const char descriptor[] = "fun@fdesc(";
    size_t n = sizeof descriptor - 1;
    use->descriptor = starts(c->at, (size_t)(c->end - c->at), descriptor);
    if (!use->descriptor)
        return expression_take(c, &use->symbol);
    c->at += n;
    return expression_take(c, &use->symbol) && asm_want(c, ')', "fun@fdesc(function)");
}

static bool use_take(struct asm_cursor *c, struct use *use)
{
    size_t length = (size_t)(c->end - c->start), at = symbol_find(c->start, length);
    *use = (struct use){.from = at};
    if (at == length) {
        use->from = label_find(c->as->table, c->start, length);
        c->at = c->start + use->from;
        use->symbol.name = asm_name(c);
        use->to = length;
        return (use->symbol.name && c->at == c->end) || asm_mistake(c, "a label");
    }
    c->at = c->start + at + (*(c->start + at) == '`' ? 1 : 5);
    if (c->at[-1] != '`')
        use->kind = c->at[-1] == 'o' ? USE_LOW : USE_HIGH;
    if (!asm_want(c, '(', "`(symbol)") || !descriptor_take(c, use) || !asm_want(c, ')', "`(symbol)"))
        return false;
    use->to = (size_t)(c->at - c->start);
    return use->kind != USE_PLAIN || bracket_take(c->start, length, use);
}

/* What the linker does to the place. The text of `(v) does not tell what it is; what the vendor's compiler has: 16 bits
 * of variables in constant banks, 24 in shared memory, a slot of surfaces and textures, 32 of all else. */
static uint32_t relocation_type(const struct assembler *as, const struct use *use, const char *text, size_t length)
{
    static const char bank[] = ".nv.constant";
    const struct asm_symbol *s = asm_symbol_find(as, use->symbol.name);
    const char *section = s && s->where ? as->sections[s->where - 1].name : "";
    bool constant = s && (s->other & SASS_STATE_SPACE) == SASS_CONSTANT_SPACE;
    switch (use->kind) {
    case USE_LOW:
        return use->descriptor ? SASS_R_FUNC_DESC32_LO_20 : SASS_R_ABS32_LO_20;
    case USE_HIGH:
        return use->descriptor ? SASS_R_FUNC_DESC32_HI_20 : SASS_R_ABS32_HI_20;
    case USE_CONSTANT:
        return starts(text, length, "LDC") ? SASS_R_CONST_FIELD21_20 : SASS_R_CONST_FIELD19_20;
    case USE_ADDRESS:
        return SASS_R_ABS24_20;
    default:
        if (use->descriptor)
            return SASS_R_FUNC_DESC32_20;
        if (s && (s->info & 15) >= SASS_TEXTURE && (s->info & 15) <= SASS_SURFACE)
            return SASS_R_BINDLESSOFF13_36;
        if (s && (s->other & SASS_STATE_SPACE) == SASS_SHARED_SPACE)
            return SASS_R_ABS24_20;
        return constant || strncmp(section, bank, sizeof bank - 1) == 0 ? SASS_R_ABS16_20 : SASS_R_ABS32_20;
    }
}

bool asm_symbols_resolve(struct assembler *as, const struct asm_late *late, char out[ISA_TEXT], size_t *length)
{
    struct asm_cursor c = {as, late->text, late->text, late->text + late->length, late->column - 1};
    struct use use;
    char number[40] = "0x0";
    as->line = late->line;
    if (!use_take(&c, &use))
        return false;
    if (late->length + sizeof number >= ISA_TEXT)
        return asm_mistake(&c, "a shorter instruction");
    if (use.kind == USE_PLAIN && (use.symbol.relative || takes_target(as->table, late->text, late->length))) {
        const struct asm_label *label = asm_label_find(as, late->section, use.symbol.name, strlen(use.symbol.name));
        if (!label)
            return error_at(as->error, ATOLL_INPUT, late->line,
                            late->column + (uint32_t)use.from + (late->text[use.from] == '`' ? 2 : 0),
                            "no label '%.200s'", use.symbol.name);
        uint64_t at = sass_label_address(label->at) + use.symbol.addend;
        at -= use.symbol.relative ? sass_address(late->index) : 0;
        snprintf(number, sizeof number, use.symbol.relative && at >> 63 ? "-0x%llx" : "0x%llx",
                 (unsigned long long)(use.symbol.relative && at >> 63 ? 0 - at : at));
    } else {
        const struct isa_form *form = form_named(as->table, late->text, late->length);
        unsigned type = form && sass_calls_address(form) ? SASS_FUNC : SASS_NOTYPE;
        if (!relocation_add(as,
                            (struct asm_relocation){use.symbol.name, late->section,
                                                    relocation_type(as, &use, late->text, late->length), late->line,
                                                    sass_address(late->index), use.symbol.addend},
                            type))
            return false;
    }
    size_t inside = use.bracket ? use.inside : 0;
    *length = (size_t)snprintf(out, ISA_TEXT, "%.*s%s%.*s%s%.*s", (int)use.bracket, late->text,
                               use.bracket ? "[0x0][" : "", (int)(use.from - inside), late->text + inside, number,
                               (int)(late->length - use.to), late->text + use.to);
    return true;
}

/* ---- in data ------------------------------------------------------------------------------------------ */

static bool value_add(struct asm_cursor *c, struct asm_value value)
{
    struct assembler *as = c->as;
    value.section = as->current;
    value.line = as->line;
    value.column = (uint32_t)(c->at - c->start) + 1;
    value.offset = as->sections[as->current - 1].data.length;
    as->values = arena_append(&as->arena, as->values, as->nvalues, sizeof *as->values);
    if (!as->values)
        return error_memory(as->error);
    as->values[as->nvalues++] = value;
    return true;
}

static bool place_add(struct asm_cursor *c, struct expression e, uint32_t type)
{
    const struct assembler *as = c->as;
    return relocation_add(c->as,
                          (struct asm_relocation){e.name, as->current, type, as->line,
                                                  as->sections[as->current - 1].data.length, e.addend},
                          SASS_NOTYPE);
}

/* "label" of "label@srel": offsets count from the section. */
static const char *label_name(struct asm_cursor *c, const char *name)
{
    static const char end[] = "@srel";
    size_t length = strlen(name), n = sizeof end - 1;
    if (length <= n || strcmp(name + length - n, end) != 0)
        return NULL;
    const char *label = arena_text(&c->as->module->arena, name, length - n);
    c->as->no_memory = c->as->no_memory || !label;
    return label;
}

/* label@srel) or label@srel) + 0x8), after `symbol +`: a relocation; what is added lies in the data. */
static bool sum_take(struct asm_cursor *c, const char *symbol, unsigned bytes, bool inner)
{
    static const char wanted[] = "(symbol + label@srel) or ((symbol + label@srel) + 0x8)";
    struct asm_value value = {.bytes = bytes};
    const char *name = asm_name(c);
    value.plus = name ? label_name(c, name) : NULL;
    if (!value.plus || bytes < 4)
        return asm_mistake(c, value.plus ? "a number: addresses have 4 or 8 bytes" : wanted);
    if (inner && (!asm_want(c, ')', wanted) || !asm_want(c, '+', wanted) || !asm_number(c, &value.addend)))
        return false;
    return asm_want(c, ')', wanted) &&
           place_add(c, (struct expression){.name = symbol}, bytes == 8 ? SASS_R_64 : SASS_R_32) && value_add(c, value);
}

/* (A - B), (A@srel + 0x8), (symbol + A@srel), ((symbol + A@srel) + 0x8) */
static bool difference_take(struct asm_cursor *c, unsigned bytes)
{
    static const char wanted[] = "(label - label), (label@srel + 0x8) or (symbol + label@srel)";
    bool inner = asm_char(c, '(');
    struct asm_value value = {.bytes = bytes, .plus = asm_name(c)};
    if (!value.plus)
        return asm_mistake(c, wanted);
    const char *label = inner ? NULL : label_name(c, value.plus);
    if (label) {
        value.plus = label;
        if (!asm_want(c, '+', wanted) || !asm_number(c, &value.addend))
            return false;
    } else if (asm_char(c, '+')) {
        return sum_take(c, value.plus, bytes, inner);
    } else if (inner || !asm_want(c, '-', wanted) || !(value.minus = asm_name(c)))
        return asm_mistake(c, wanted);
    return asm_want(c, ')', wanted) && value_add(c, value);
}

/* NAME, fun@TYPE(NAME) */
static bool place_take(struct asm_cursor *c, const char *name, uint32_t type)
{
    struct expression e = {.name = name};
    if (!starts(name, strlen(name), "fun@"))
        return place_add(c, e, type);
    if (!sass_relocation_type(name + 4, &type))
        return asm_mistake(c, "a type of relocation as R_CUDA_32");
    return asm_want(c, '(', "(symbol)") && expression_take(c, &e) && asm_want(c, ')', "(symbol)") &&
           place_add(c, e, type);
}

/* [20@lo(0x0)=...] */
static bool bits_take(struct asm_cursor *c, uint64_t *held)
{
    static const char wanted[] = "[20@lo(0x0)=symbol]";
    const char *name = asm_name(c);
    if (!name || strcmp(name, "20@lo") != 0 || !asm_char(c, '('))
        return asm_mistake(c, wanted);
    if (!asm_number(c, held) || !asm_want(c, ')', wanted) || !asm_want(c, '=', wanted))
        return false;
    name = asm_name(c);
    if (!name)
        return asm_mistake(c, wanted);
    return place_take(c, name, SASS_R_TEX_HEADER) && asm_want(c, ']', wanted);
}

static bool index_take(struct asm_cursor *c)
{
    const char *name = asm_char(c, '(') ? asm_name(c) : NULL;
    if (!name || !asm_char(c, ')'))
        return asm_mistake(c, "index@(symbol)");
    return asm_fixup_add(c, name, 0, c->as->sections[c->as->current - 1].data.length);
}

/* str_index@("text"): the offset of a string in .strtab, where it is put. */
static bool string_take(struct asm_cursor *c, uint64_t *held)
{
    struct assembler *as = c->as;
    size_t length;
    uint32_t current = as->current;
    const char *text = asm_char(c, '(') ? asm_string(c, &length) : NULL;
    if (!text || !asm_char(c, ')'))
        return asm_mistake(c, "str_index@(\"string\")");
    struct asm_section *s = asm_section_start(as, ".strtab", SASS_STRTAB, 0);
    as->current = current;
    if (!s)
        return false;
    if (s->data.length == 0)
        text_add(&s->data, "", 1);
    *held = s->data.length;
    text_add(&s->data, text, length + 1);
    return text_ok(&s->data) || error_memory(as->error);
}

bool asm_value_take(struct asm_cursor *c, unsigned bytes, uint64_t *held, bool *taken)
{
    *held = 0;
    asm_blanks(c);
    *taken = c->at < c->end && *c->at != '-' && !(*c->at >= '0' && *c->at <= '9');
    if (!*taken)
        return true;
    if (asm_char(c, '('))
        return difference_take(c, bytes);
    if (bytes == 4 && asm_char(c, '['))
        return bits_take(c, held);
    const char *name = asm_name(c), *label;
    if (!name)
        return asm_mistake(c, "a number");
    if (bytes == 4 && strcmp(name, "index@") == 0)
        return index_take(c);
    if (bytes == 4 && strcmp(name, "str_index@") == 0)
        return string_take(c, held);
    if ((label = label_name(c, name)))
        return value_add(c, (struct asm_value){.bytes = bytes, .plus = label});
    if (strchr(name, '@') && !starts(name, strlen(name), "fun@"))
        return asm_mistake(c, "a number, a symbol, index@(symbol), label@srel or fun@R_CUDA_32(symbol)");
    if (bytes < 4)
        return asm_mistake(c, "a number: addresses have 4 or 8 bytes");
    return place_take(c, name, bytes == 8 ? SASS_R_64 : SASS_R_32);
}

/* A label as data of a section sees it: of its own, of the code that the section belongs to, of any. */
static const struct asm_label *label_seen(const struct assembler *as, uint32_t section, const char *name)
{
    size_t length = strlen(name);
    const struct asm_label *label = asm_label_find(as, section, name, length);
    const char *dot = strchr(as->sections[section - 1].name + 1, '.');
    char text[1024];
    if (dot && strncmp(dot, ".info.", 6) == 0)
        dot += 5;
    else if (dot)
        dot = strchr(dot + 1, '.');
    if (!label && dot && snprintf(text, sizeof text, ".text%s", dot) < (int)sizeof text)
        label = asm_label_find(as, asm_section_named(as, text), name, length);
    uint32_t any = label ? 0 : namemap_find(&as->label_names, name, length);
    return label ? label : any == UINT32_MAX ? NULL : &as->labels[any];
}

bool asm_values_resolve(struct assembler *as)
{
    for (unsigned i = 0; i < as->nvalues; i++) {
        const struct asm_value *v = &as->values[i];
        const struct asm_label *plus = label_seen(as, v->section, v->plus);
        const struct asm_label *minus = v->minus ? label_seen(as, v->section, v->minus) : NULL;
        if (!plus || (v->minus && !minus))
            return error_at(as->error, ATOLL_INPUT, v->line, v->column, "no label '%.200s'", plus ? v->minus : v->plus);
        uint64_t value = asm_label_offset(as, plus) + v->addend - (minus ? asm_label_offset(as, minus) : 0);
        if (v->bytes < 8 && value >> 8 * v->bytes && ~value >> (8 * v->bytes - 1))
            return error_at(as->error, ATOLL_INPUT, v->line, v->column, "wanted a difference of %u bytes", v->bytes);
        bytes_put(as->sections[v->section - 1].data.bytes + v->offset, value, v->bytes);
    }
    return true;
}

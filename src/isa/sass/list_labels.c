/* Names for addresses in listings of code: labels, numbered as nvdisasm 11.8 numbers them, functions, relocations.
 *
 * .L_x_N are numbered through the file: first the symbols of sections of code that have no name; then the targets of
 * branches, section by section in the order of the branches, one number for an address; then for each record of
 * EIATTR_INDIRECT_BRANCH_TARGETS the instruction and its targets; then the ends of functions, in the order of the
 * symbols. The last two take a number even where the address has one already, which then stays unused. Branches to the
 * start of a function, or to a symbol without a type, name it, and so does the size of a function that ends at one. */
#include "base/hard.h"
#include "isa/sass/list_code.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_function(const struct sass_symbol *s)
{
    return (s->info & 15) == SASS_FUNC;
}

/* The last symbol there of these types, a bit each. */
static const char *symbol_at(const struct lister *l, const struct list_code *c, uint64_t address, unsigned types)
{
    unsigned low = 0, high = c->nsymbols;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (list_mark_place(c, c->symbols[middle].value) < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < c->nsymbols && list_mark_place(c, c->symbols[low].value) == address; low++) {
        const struct sass_symbol *s = &l->module->symbols[c->symbols[low].symbol];
        if (types >> (s->info & 15) & 1 && s->name[0])
            return s->name;
    }
    return NULL;
}

/* At a place between functions only a label names the end of the one: a function names its own beginning. */
const char *list_name_at(const struct lister *l, const struct list_code *c, uint64_t address)
{
    unsigned types = 1u << SASS_NOTYPE | (address % SASS_BUNDLE ? 1u << SASS_FUNC : 0u);
    return l->options.control ? NULL : symbol_at(l, c, address, types);
}

/* BRX R4 -0x100 jumps relative to itself, too; linked files have the number. */
static bool relative_target(const struct lister *l, const struct sass_insn *insn, uint64_t address, uint64_t *target)
{
    struct isa_operand operands[4];
    if (!l->module->relocatable || !sass_branches_by_value(insn->form))
        return false;
    unsigned n = isa_operands(l->table, insn->form, &insn->word, address, operands, 4);
    for (unsigned i = 0; i < n && i < 4; i++)
        if (operands[i].kind == ISA_NUMBER) {
            *target = address + 8 + (uint64_t)operands[i].value;
            return *target % 8 == 0;
        }
    return false;
}

/* A label before the first instruction of a bundle means to the assembler the address of the bundle, as ptxas writes
 * it; where nothing may be lost the address of that instruction stays a number. nvdisasm takes both for the same. */
bool list_target(const struct lister *l, const struct list_code *c, size_t index, uint64_t *target)
{
    const struct sass_insn *insn = &c->code.insns[index];
    if (!insn->form || !l->branches[insn->form - l->table->forms])
        return false;
    if (!isa_target(l->table, insn->form, &insn->word, sass_address(index), target))
        return !l->options.control && relative_target(l, insn, sass_address(index), target) && *target < c->size;
    if (*target % 8 || *target >= c->size)
        return false;
    if (l->options.control)
        return *target % SASS_BUNDLE != 8;
    *target = list_place(*target);
    return true;
}

void list_target_name(const struct lister *l, const struct list_code *c, size_t index, uint64_t target,
                      struct text *out)
{
    const struct isa_form *form = c->code.insns[index].form;
    uint32_t label = c->labels[target / 8];
    if (sass_branches_by_value(form)) {
        text_printf(out, "`(((.L_x_%u - .) - 0x8))", label - 1);
    } else if (label) {
        text_printf(out, "`(.L_x_%u)", label - 1);
    } else {
        text_puts(out, "`(");
        /* linkers put sections after their functions: (.text.f) */
        list_name(out, symbol_at(l, c, target, 1u << SASS_NOTYPE | 1u << SASS_FUNC | 1u << SASS_SECTION));
        text_puts(out, ")");
    }
}

/* A number is used up, whether the address has one or not. */
static void label_take(struct lister *l, struct list_code *c, uint64_t address)
{
    l->next_label++;
    if (address % 8 == 0 && address <= c->size && !c->labels[address / 8])
        c->labels[address / 8] = l->next_label;
}

static void branches_number(struct lister *l, struct list_code *c)
{
    uint64_t target;
    for (size_t i = 0; i < c->code.count; i++) {
        if (!list_target(l, c, i, &target))
            continue;
        if (sass_branches_by_value(c->code.insns[i].form))
            label_take(l, c, target);
        if (c->labels[target / 8] || list_name_at(l, c, target))
            continue;
        c->labels[target / 8] = ++l->next_label;
    }
}

/* A branch to the second instruction of a pair: they are written one by one, so that the label says which. Labels of
 * pairs that no branch goes to stand before the first. */
bool list_is_dual(const struct sass_code *code, const struct list_code *place, const struct sass_listing *options,
                  size_t index)
{
    uint64_t control = code->insns[index].word.part[1];
    return (control & 15) == 0 && control >> SASS_YIELD & 1 && !options->no_vliw && index + 1 < code->count &&
           code->insns[index].form && code->insns[index + 1].form &&
           !(place && place->labels[sass_address(index + 1) / 8]);
}

/* ---- indirect branches ------------------------------------------------------------------------------- */

/* The labels of branches, which take pairs apart, are numbered by now. */
static bool pairs_find(struct lister *l, struct list_code *c)
{
    c->second = arena_array(&l->arena, c->code.count + 1, sizeof *c->second);
    c->noted = arena_array(&l->arena, c->size / 8 + 1, sizeof *c->noted);
    if (!c->second || !c->noted)
        return error_memory(l->error);
    for (size_t i = 0; i < c->code.count; i++)
        c->second[i + 1] = !c->second[i] && list_is_dual(&c->code, c, &l->options, i);
    return true;
}

uint64_t list_pair(const struct list_code *c, uint64_t address)
{
    uint64_t place = list_place(address), index = sass_index_of(place);
    bool inside = place % 8 == 0 && place < c->size && c->second && c->second[index];
    return inside ? sass_address(index - 1) : place;
}

static bool indirect_add(struct lister *l, struct list_code *c, const uint8_t *record, uint32_t count)
{
    if (c->nindirect == c->room) {
        unsigned room = c->room ? 2 * c->room : HARD(16, 1);
        struct list_indirect *grown = arena_grow(&l->arena, c->indirect, c->room, room, sizeof *grown);
        if (!grown)
            return error_memory(l->error);
        c->indirect = grown;
        c->room = room;
    }
    c->indirect[c->nindirect++] = (struct list_indirect){bytes_u32(record), record + 12, count};
    label_take(l, c, list_pair(c, bytes_u32(record)));
    for (uint32_t i = 0; i < count; i++)
        label_take(l, c, list_pair(c, bytes_u32(record + 12 + (size_t)4 * i)));
    return true;
}

/* Records of the attribute:  u32 address | u16 0 | u16 0 | u32 count | u32 targets[count] */
static bool indirect_read(struct lister *l, struct list_code *c, const struct sass_attribute *a)
{
    if (!c->second && !pairs_find(l, c))
        return false;
    for (uint32_t at = 0; a->value - at >= 12;) {
        uint32_t count = bytes_u32(a->payload + at + 8);
        if (count > (a->value - at - 12) / 4)
            return true; /* what is no record has no labels */
        if (!indirect_add(l, c, a->payload + at, count))
            return false;
        at += 12 + 4 * count;
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct list_indirect *p = a, *q = b;
    return (p->address > q->address) - (p->address < q->address);
}

static bool indirects_number(struct lister *l, uint32_t section)
{
    const struct sass_section *s = &l->module->sections[section];
    if (!s->info || s->info >= l->module->nsections || !l->codes[s->info].code.insns)
        return true;
    struct list_code *c = &l->codes[s->info];
    struct sass_attribute a;
    for (uint64_t at = 0; list_attribute_at(s, at, &a);) {
        if (a.format == SASS_FORMAT_BYTES && a.code == SASS_A_BRANCH_TARGETS && !indirect_read(l, c, &a))
            return false;
        at += 4 + (a.format == SASS_FORMAT_BYTES ? a.value : 0u);
    }
    if (c->nindirect)
        qsort(c->indirect, c->nindirect, sizeof *c->indirect, by_address);
    return true;
}

/* ---- labels that data name --------------------------------------------------------------------------- */

/* Words of debugging sections that are a function and an offset, by their relocations. */
static void debug_number(struct lister *l, uint32_t section)
{
    const struct sass_module *m = l->module;
    const struct sass_section *s = &m->sections[section];
    const struct list_code *data = &l->codes[section];
    for (unsigned i = 0; i < data->nrelocations; i++) {
        const struct sass_relocation *r = data->relocations[i];
        if (r->type != SASS_R_64 || !s->bytes || s->size < 8 || r->offset > s->size - 8)
            continue;
        const struct sass_symbol *symbol = &m->symbols[r->symbol];
        uint64_t offset = r->has_addend ? (uint64_t)r->addend : bytes_u64(s->bytes + r->offset);
        struct list_code *c = symbol->section < m->nsections ? &l->codes[symbol->section] : NULL;
        if (!offset || !c || !c->code.insns)
            continue;
        uint64_t address = symbol->value + offset, place = address < c->size ? list_pair(c, address) : address;
        if (place % 8 == 0 && place <= c->size && !c->labels[place / 8])
            label_take(l, c, place);
    }
}

/* Whether the words of data[at..end) are targets that have labels, as those of an indirect branch: a jump table. */
static bool is_jump_table(const struct list_code *c, const struct sass_section *data, uint64_t at, uint64_t end)
{
    if (end <= at || end > data->size || (end - at) % 4)
        return false;
    for (; at < end; at += 4) {
        uint64_t target = list_pair(c, bytes_u32(data->bytes + at));
        if (target % 8 || target >= c->size || !c->labels[target / 8])
            return false;
    }
    return true;
}

/* By symbol: whether code has it as a constant operand with an index. */
static bool *indexed_find(struct lister *l)
{
    const struct sass_module *m = l->module;
    bool *indexed = arena_array(&l->arena, m->nsymbols, sizeof *indexed);
    for (unsigned i = 0; indexed && i < m->nrelocations; i++)
        if (m->relocations[i].type == SASS_R_CONST_FIELD21_20)
            indexed[m->relocations[i].symbol] = true;
    return indexed;
}

static int by_value(const void *a, const void *b)
{
    const struct list_label *p = a, *q = b;
    return (p->value > q->value) - (p->value < q->value);
}

/* Jump tables of relocatable files: objects in the constants of a function that its code indexes. Unlike the targets
 * of attributes, words that name a control word are labels of their own, before that of the instruction. */
static bool tables_number(struct lister *l, uint32_t section, const bool *indexed)
{
    const struct sass_module *m = l->module;
    const struct sass_section *s = &m->sections[section];
    unsigned count = 0;
    if (!s->bytes || !s->info || s->info >= m->nsections || !l->codes[s->info].nindirect)
        return true;
    struct list_code *c = &l->codes[s->info];
    struct list_label *objects = arena_array(&l->arena, m->nsymbols, sizeof *objects);
    if (!objects)
        return error_memory(l->error);
    for (uint32_t i = 1; i < m->nsymbols; i++)
        if (indexed[i] && m->symbols[i].section == section)
            objects[count++] = (struct list_label){.value = m->symbols[i].value, .symbol = i};
    qsort(objects, count, sizeof *objects, by_value);
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = objects[i].value, end = at + m->symbols[objects[i].symbol].size;
        if (is_jump_table(c, s, at, end))
            for (; at < end; at += 4)
                label_take(l, c, bytes_u32(s->bytes + at));
    }
    return true;
}

/* In the order of the sections. */
static bool data_number(struct lister *l)
{
    const struct sass_module *m = l->module;
    const bool *indexed = indexed_find(l);
    if (!indexed)
        return error_memory(l->error);
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (s->type == SASS_INFO && !indirects_number(l, i))
            return false;
        if (s->type == SASS_INFO || l->codes[i].code.insns)
            continue;
        if (!tables_number(l, i, indexed))
            return false;
        if (sass_is_debugging(s))
            debug_number(l, i);
    }
    return true;
}

/* ---- relocations ------------------------------------------------------------------------------------- */

unsigned list_relocation(const struct lister *l, const struct sass_relocation *r, struct text *out)
{
    const struct sass_relocation_kind *kind = sass_relocation_kind(r->type);
    unsigned low = kind ? kind->low : 0;
    if (!low || r->symbol >= l->module->nsymbols || !l->module->symbols[r->symbol].name[0])
        return 0;
    bool desc = kind->value & SASS_VALUE_DESCRIPTOR;
    text_puts(out, kind->value & SASS_VALUE_LOW ? "32@lo(" : kind->value & SASS_VALUE_HIGH ? "32@hi(" : "`(");
    text_puts(out, desc ? "fun@fdesc(" : "");
    if (r->addend)
        text_puts(out, "(");
    list_name(out, l->module->symbols[r->symbol].name);
    if (r->addend)
        text_printf(out, r->addend < 0 ? " + -0x%" PRIx64 ")" : " + 0x%" PRIx64 ")",
                    r->addend < 0 ? 0 - (uint64_t)r->addend : (uint64_t)r->addend);
    text_puts(out, desc ? "))" : ")");
    return low;
}

static int by_place(const void *a, const void *b)
{
    const struct sass_relocation *p = *(const struct sass_relocation *const *)a,
                                 *q = *(const struct sass_relocation *const *)b;
    if (p->section != q->section)
        return p->section < q->section ? -1 : 1;
    return (p->offset > q->offset) - (p->offset < q->offset);
}

static bool relocations_sort(struct lister *l)
{
    const struct sass_module *m = l->module;
    const struct sass_relocation **sorted = arena_array(&l->arena, m->nrelocations + 1, sizeof *sorted);
    if (!sorted)
        return error_memory(l->error);
    for (unsigned i = 0; i < m->nrelocations; i++)
        sorted[i] = &m->relocations[i];
    if (m->nrelocations)
        qsort(sorted, m->nrelocations, sizeof(void *), by_place);
    for (unsigned i = 0; i < m->nrelocations; i++) {
        struct list_code *c = &l->codes[sorted[i]->section];
        if (!c->nrelocations++)
            c->relocations = &sorted[i];
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void nameless_number(struct lister *l, struct list_code *c)
{
    for (unsigned i = 0; i < c->nsymbols; i++)
        if (!l->module->symbols[c->symbols[i].symbol].name[0])
            c->symbols[i].number = ++l->next_label;
}

static void ends_number(struct lister *l)
{
    const struct sass_module *m = l->module;
    for (uint32_t i = 1; i < m->nsymbols; i++) {
        const struct sass_symbol *s = &m->symbols[i];
        if (s->section >= m->nsections || !l->codes[s->section].code.insns || !is_function(s) ||
            (l->options.control && !l->labels[i]))
            continue;
        struct list_code *c = &l->codes[s->section];
        uint64_t end = s->value + s->size;
        if (list_name_at(l, c, end))
            l->next_label++;
        else
            label_take(l, c, end);
    }
}

static bool code_take(struct lister *l, uint32_t section)
{
    const struct sass_section *s = &l->module->sections[section];
    struct list_code *c = &l->codes[section];
    *c = (struct list_code){.code = {.table = l->table}, .section = section, .size = s->size};
    if (!sass_arch_of(l->module->arch, &c->code.arch) ||
        !sass_decode(&l->arena, s->bytes, s->size, &c->code, l->error) ||
        !list_labels_of(l, section, &c->symbols, &c->nsymbols))
        return false;
    c->labels = arena_array(&l->arena, s->size / 8 + 1, sizeof *c->labels);
    return c->labels || error_memory(l->error);
}

/* Looking at every instruction's operands would be much of the time of a listing. */
static bool branches_find(struct lister *l)
{
    l->branches = arena_array(&l->arena, l->table->nforms + 1, sizeof *l->branches);
    if (!l->branches)
        return error_memory(l->error);
    for (unsigned i = 0; i < l->table->nforms; i++) {
        const struct isa_form *form = &l->table->forms[i];
        uint64_t target;
        l->branches[i] = form->row->flags & SASS_FIXED &&
                         (sass_branches_by_value(form) ||
                          isa_target(l->table, form, &(struct isa_word){{form->row->value}}, 0, &target));
    }
    return true;
}

bool list_codes(struct lister *l)
{
    const struct sass_module *m = l->module;
    if (!branches_find(l))
        return false;
    l->codes = arena_array(&l->arena, m->nsections, sizeof *l->codes);
    if (!l->codes)
        return error_memory(l->error);
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (!sass_is_text(s) || s->size % SASS_BUNDLE || !list_is_code(s))
            continue;
        if (!code_take(l, i))
            return false;
        nameless_number(l, &l->codes[i]);
    }
    for (uint32_t i = 1; i < m->nsections; i++)
        if (l->codes[i].code.insns)
            branches_number(l, &l->codes[i]);
    if (l->options.code && !relocations_sort(l)) /* whole listings have the relocations themselves */
        return false;
    if (!l->options.control && !data_number(l))
        return false;
    ends_number(l);
    return true;
}

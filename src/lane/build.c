/* The builder of lane programs: appends to the growing arrays of one function. Everything lives in the module's arena;
 * an array that outgrows its room is copied into twice the room, the old one stays until the module goes. */
#include "base/hard.h"
#include "base/search.h"
#include "lane/lane.h"

#include <assert.h>
#include <string.h>

enum { FIRST_ROOM = HARD(16, 1), MAX_COUNT = 1 << 28 };

/* Makes room for `more` elements after the first `count`. Returns the array, or NULL (and fails) without memory. */
static void *room(struct lane_builder *b, void *array, uint32_t count, uint32_t more, uint32_t *capacity, size_t size)
{
    if (more > MAX_COUNT || count > MAX_COUNT - more) {
        b->failed = true;
        return NULL;
    }
    assert(count <= *capacity && (array || count == 0));
    if (array && *capacity - count >= more)
        return array;
    uint32_t wanted = *capacity ? *capacity * 2 : FIRST_ROOM;
    while (wanted < count + more)
        wanted *= 2;
    assert(wanted - count >= more);
    void *bigger = arena_grow(&b->module->arena, array, count, wanted, size);
    if (!bigger)
        b->failed = true;
    else
        *capacity = wanted;
    return bigger;
}

uint32_t lane_add_func(struct lane_module *module)
{
    if (module->nfuncs >= MAX_COUNT)
        return UINT32_MAX;
    struct lane_func *funcs = arena_append(&module->arena, module->funcs, module->nfuncs, sizeof *funcs);
    if (!funcs)
        return UINT32_MAX;
    module->funcs = funcs;
    return module->nfuncs++;
}

uint32_t lane_add_symbol(struct lane_module *module, const struct lane_symbol *symbol)
{
    if (module->nsymbols >= MAX_COUNT)
        return 0;
    struct lane_symbol *symbols = arena_append(&module->arena, module->symbols, module->nsymbols, sizeof *symbols);
    if (!symbols)
        return 0;
    module->symbols = symbols;
    symbols[module->nsymbols] = *symbol;
    return ++module->nsymbols;
}

void lane_begin(struct lane_builder *b, struct lane_module *module, uint32_t func)
{
    *b = (struct lane_builder){.module = module, .consts = {.arena = &module->arena}};
    if (func < module->nfuncs)
        b->func = &module->funcs[func];
    else {
        b->func = &b->none;
        b->failed = true;
    }
}

/* The array of names exists from the first named register on, and is then as long as that of widths. */
static bool grow_names(struct lane_builder *b, uint32_t count)
{
    struct lane_func *f = b->func;
    if (b->cap_names == b->cap_regs)
        return true;
    const char **names = arena_grow(&b->module->arena, f->names, f->names ? count : 0, b->cap_regs, sizeof *names);
    if (!names)
        return false;
    f->names = names;
    b->cap_names = b->cap_regs;
    return true;
}

struct lane_operand lane_reg(struct lane_builder *b, unsigned width, const char *name)
{
    struct lane_func *f = b->func;
    uint8_t *widths = room(b, f->widths, f->nregs, 1, &b->cap_regs, sizeof *widths);
    if (!widths)
        return (struct lane_operand){LANE_NONE, 0};
    f->widths = widths;
    assert(f->nregs < b->cap_regs);
    uint32_t index = f->nregs++;
    widths[index] = (uint8_t)width;
    if ((name || f->names) && !grow_names(b, index))
        b->failed = true;
    else if (name && !(f->names[index] = arena_text(&b->module->arena, name, strlen(name))))
        b->failed = true;
    return (struct lane_operand){LANE_REG, index & LANE_INDEX_MASK};
}

/* ---- constants: the same value once ---------------------------------------------------------- */

static struct lane_operand intern(struct lane_builder *b, struct lane_const c)
{
    struct lane_func *f = b->func;
    uint32_t index = namemap_find(&b->consts, &c, sizeof c);
    assert(index == UINT32_MAX || index < f->nconsts);
    if (index != UINT32_MAX)
        return (struct lane_operand){LANE_CONST, index & LANE_INDEX_MASK};
    struct lane_const *consts = room(b, f->consts, f->nconsts, 1, &b->cap_consts, sizeof *consts);
    if (!consts)
        return (struct lane_operand){LANE_NONE, 0};
    f->consts = consts;
    consts[f->nconsts] = c;
    /* The key stays when the array moves: the module's arena keeps the old one. */
    if (!namemap_add(&b->consts, &consts[f->nconsts], sizeof c, f->nconsts)) {
        b->failed = true;
        return (struct lane_operand){LANE_NONE, 0};
    }
    return (struct lane_operand){LANE_CONST, f->nconsts++ & LANE_INDEX_MASK};
}

struct lane_operand lane_imm(struct lane_builder *b, unsigned width, uint64_t value)
{
    if (width < 64)
        value &= ((uint64_t)1 << width) - 1;
    return intern(b, (struct lane_const){.lo = value, .width = width});
}

struct lane_operand lane_imm128(struct lane_builder *b, uint64_t lo, uint64_t hi)
{
    return intern(b, (struct lane_const){.lo = lo, .hi = hi, .width = 128});
}

struct lane_operand lane_address(struct lane_builder *b, unsigned width, uint32_t symbol, int64_t addend)
{
    return intern(b, (struct lane_const){.lo = (uint64_t)addend, .symbol = symbol, .width = width});
}

/* ---- code -------------------------------------------------------------------------------------- */

uint32_t lane_block(struct lane_builder *b)
{
    struct lane_func *f = b->func;
    struct lane_block *blocks = room(b, f->blocks, f->nblocks, 1, &b->cap_blocks, sizeof *blocks);
    if (!blocks)
        return 0;
    f->blocks = blocks;
    blocks[f->nblocks] = (struct lane_block){.first = f->ninsts};
    return f->nblocks++;
}

/* Appends operands; returns the index of the first. */
static uint32_t add_operands(struct lane_builder *b, unsigned ndst, const struct lane_operand *dst, unsigned nsrc,
                             const struct lane_operand *src)
{
    struct lane_func *f = b->func;
    struct lane_operand *operands = room(b, f->operands, f->noperands, ndst + nsrc, &b->cap_operands, sizeof *operands);
    if (!operands)
        return 0;
    f->operands = operands;
    uint32_t first = f->noperands;
    if (ndst)
        memcpy(operands + first, dst, ndst * sizeof *dst);
    if (nsrc)
        memcpy(operands + first + ndst, src, nsrc * sizeof *src);
    f->noperands += ndst + nsrc;
    assert(f->noperands <= b->cap_operands);
    return first;
}

struct lane_inst *lane_emit(struct lane_builder *b, enum lane_op op, enum lane_type type, unsigned ndst,
                            const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src)
{
    struct lane_func *f = b->func;
    struct lane_inst inst = {
        .op = (uint16_t)op,
        .type = (uint8_t)type,
        .ndst = (uint8_t)ndst,
        .nsrc = (uint8_t)nsrc,
        .guard = b->guard,
        .guard_not = b->guard_not,
        .line = b->line,
    };
    b->dummy = inst;
    if (ndst > UINT8_MAX || nsrc > UINT8_MAX)
        b->failed = true;
    if (f->nblocks == 0)
        lane_block(b);
    if (b->failed)
        return &b->dummy;
    inst.first = add_operands(b, ndst, dst, nsrc, src);
    struct lane_inst *insts = room(b, f->insts, f->ninsts, 1, &b->cap_insts, sizeof *insts);
    if (!insts || b->failed)
        return &b->dummy;
    f->insts = insts;
    insts[f->ninsts] = inst;
    f->blocks[f->nblocks - 1].count++;
    return &insts[f->ninsts++];
}

/* ---- side tables ------------------------------------------------------------------------------- */

uint32_t lane_access(struct lane_builder *b, const struct lane_access *access)
{
    struct lane_func *f = b->func;
    struct lane_access *accesses = room(b, f->accesses, f->naccesses, 1, &b->cap_accesses, sizeof *accesses);
    if (!accesses)
        return 0;
    f->accesses = accesses;
    accesses[f->naccesses] = *access;
    return f->naccesses++;
}

/* A copy of slots in the arena; NULL for none. */
static struct lane_slot *copy_slots(struct lane_builder *b, const struct lane_slot *slots, uint32_t count)
{
    if (count == 0)
        return NULL;
    struct lane_slot *copy = arena_grow(&b->module->arena, slots, count, count, sizeof *slots);
    if (!copy)
        b->failed = true;
    return copy;
}

uint32_t lane_call(struct lane_builder *b, const struct lane_call *call)
{
    struct lane_func *f = b->func;
    struct lane_call *calls = room(b, f->calls, f->ncalls, 1, &b->cap_calls, sizeof *calls);
    if (!calls)
        return 0;
    f->calls = calls;
    calls[f->ncalls] = *call;
    calls[f->ncalls].args = copy_slots(b, call->args, call->nargs);
    calls[f->ncalls].results = copy_slots(b, call->results, call->nresults);
    return b->failed ? 0 : f->ncalls++;
}

uint32_t lane_table(struct lane_builder *b, const uint32_t *blocks, uint32_t count)
{
    struct lane_func *f = b->func;
    struct lane_table *tables = room(b, f->tables, f->ntables, 1, &b->cap_tables, sizeof *tables);
    if (!tables)
        return 0;
    f->tables = tables;
    uint32_t *copy = arena_grow(&b->module->arena, blocks, count, count, sizeof *blocks);
    if (!copy) {
        b->failed = true;
        return 0;
    }
    tables[f->ntables] = (struct lane_table){count, copy};
    return f->ntables++;
}

uint32_t lane_string(struct lane_builder *b, const char *string)
{
    struct lane_func *f = b->func;
    const char **strings = room(b, f->strings, f->nstrings, 1, &b->cap_strings, sizeof *strings);
    if (!strings)
        return 0;
    f->strings = strings;
    strings[f->nstrings] = arena_text(&b->module->arena, string, strlen(string));
    if (!strings[f->nstrings]) {
        b->failed = true;
        return 0;
    }
    return f->nstrings++;
}

uint32_t lane_place(struct lane_builder *b, const char *name, uint32_t address, uint32_t line)
{
    struct lane_func *f = b->func;
    struct lane_place *places = room(b, f->places, f->nplaces, 1, &b->cap_places, sizeof *places);
    if (!places)
        return 0;
    f->places = places;
    places[f->nplaces] = (struct lane_place){arena_text(&b->module->arena, name, strlen(name)), address, line};
    b->failed |= !places[f->nplaces].name;
    return ++f->nplaces;
}

void lane_source(struct lane_builder *b, const struct lane_line *from)
{
    struct lane_func *f = b->func;
    struct lane_line *last = f->nsources ? &f->sources[f->nsources - 1] : NULL;
    bool known = from->source || from->text;
    if (last ? last->source == from->source && last->text == from->text : !known)
        return;
    if (last && last->line >= b->line) {
        last->source = from->source;
        last->text = from->text;
        return;
    }
    struct lane_line *sources = room(b, f->sources, f->nsources, 1, &b->cap_sources, sizeof *sources);
    if (!sources)
        return;
    f->sources = sources;
    sources[f->nsources++] = (struct lane_line){b->line, from->text, from->source};
}

const struct lane_line *lane_source_of(const struct lane_func *func, uint32_t line)
{
    const struct lane_line *lines = func->sources, *found;
    if (!func->nsources)
        return NULL;
    uint32_t behind = search_keys(&lines->line, sizeof lines->line, func->nsources, sizeof *lines, (uint64_t)line + 1);
    found = behind ? &lines[behind - 1] : NULL;
    return found && (found->source || found->text) ? found : NULL;
}

void lane_word(struct lane_builder *b, const struct lane_word *word)
{
    struct lane_func *f = b->func;
    struct lane_word *words = room(b, f->words, f->nwords, 1, &b->cap_words, sizeof *words);
    if (!words)
        return;
    f->words = words;
    words[f->nwords++] = *word;
}

uint32_t lane_local(struct lane_builder *b, uint32_t size, uint32_t align)
{
    assert(!align || (align & (align - 1)) == 0);
    uint64_t mask = align ? (uint64_t)align - 1 : 0;
    uint64_t at = (b->func->local_bytes + mask) & ~mask;
    if (at + size > UINT32_MAX) {
        b->failed = true;
        return 0;
    }
    b->func->local_bytes = (uint32_t)(at + size);
    return (uint32_t)at;
}

bool lane_end(struct lane_builder *b, struct atoll_error *error)
{
    if (b->failed)
        return error_memory(error);
    b->func->defined = true;
    return true;
}

void lane_module_free(struct lane_module *module)
{
    arena_free(&module->arena);
    *module = (struct lane_module){0};
}

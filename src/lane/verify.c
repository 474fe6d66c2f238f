/* The verifier: everything that the engines rely on, checked once, so that they repeat none of it. A module may come
 * from text that somebody wrote to hurt; only the arrays themselves (pointer and count) are taken for granted.
 *
 *   module -> symbols, functions -> parameters, constants, calls, tables, blocks -> instructions -> operands
 */
#include "lane/verify.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lane/form.h"
#include "lane/names.h"

bool verify_fail(const struct verifier *v, const char *format, ...)
{
    char text[400], place[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (v->inst)
        snprintf(place, sizeof place, "function '%.200s', block %u, instruction %u (%s, line %u)", v->func->name,
                 v->block, (unsigned)(v->inst - v->func->insts),
                 v->inst->op < LANE_OPS ? lane_rows[v->inst->op].name : "?", v->inst->line);
    else if (v->func)
        snprintf(place, sizeof place, "function '%.200s'", v->func->name ? v->func->name : "?");
    else
        snprintf(place, sizeof place, "module");
    return error_at(v->error, ATOLL_INVALID, v->inst ? v->inst->line : 0, 0, "lane program: %s: %s", place, text);
}

static bool power_of_two(uint32_t value)
{
    return value && (value & (value - 1)) == 0;
}

static bool good_align(uint32_t align)
{
    return power_of_two(align) && align <= LANE_ALIGN_LARGEST;
}

/* ---- types ------------------------------------------------------------------------------------- */

/* Whether a type belongs to one of the letters of ops.h. */
static bool type_in_class(enum lane_type type, char class)
{
    unsigned bits = lane_type_bits(type);
    bool integer = type >= LANE_U8 && type <= LANE_S64;
    switch (class) {
    case 'p':
        return type == LANE_PRED;
    case 'b':
        return type >= LANE_B8 && type <= LANE_B64;
    case 'q':
        return type >= LANE_B8 && type <= LANE_B128;
    case 'i':
        return integer;
    case 'n':
        return integer && bits >= 16;
    case 'm':
        return integer && bits >= 32;
    case 'f':
        return type == LANE_F32 || type == LANE_F64;
    case 'h':
        return type == LANE_F16 || type == LANE_BF16 || type == LANE_F16X2 || type == LANE_BF16X2;
    case 'k':
        return type == LANE_U16X2 || type == LANE_S16X2;
    case 's':
        return type >= LANE_E4M3X2 && type <= LANE_UE8M0X2;
    case '.':
        return type == LANE_VOID;
    default:
        return false;
    }
}

/* `list`: class letters and type names with blanks between. */
static bool type_in_list(enum lane_type type, const char *list)
{
    const char *name = lane_type_name(type);
    for (const char *p = list; *p;) {
        size_t length = strcspn(p, " ");
        if (length == 1 ? type_in_class(type, *p) : strlen(name) == length && memcmp(p, name, length) == 0)
            return true;
        p += length;
        p += *p == ' ';
    }
    return false;
}

/* What .type2 may be. */
static const char *type2_list(enum lane_op op)
{
    switch (op) {
    case LANE_OP_slct:
        return "s32 f32";
    case LANE_OP_pack:
    case LANE_OP_unpack:
        return "b i f h k";
    case LANE_OP_cvt:
        return "i b f h s";
    case LANE_OP_cvtpack:
        return "f32 s32 u32 b32";
    case LANE_OP_cvtrs:
        return "f32";
    default: /* dp4a, dp2a, vabsdiff: the signedness of the other operand */
        return "u32 s32";
    }
}

static bool check_types(const struct verifier *v)
{
    const struct lane_inst *inst = v->inst;
    const struct lane_row *row = &lane_rows[inst->op];
    if (inst->type >= LANE_TYPES || !type_in_list(inst->type, row->types))
        return verify_fail(v, "type %s, wanted one of '%s'", lane_type_name(inst->type), row->types);
    if (!lane_uses(row, '2'))
        return inst->type2 == 0 || verify_fail(v, "a second type on an operation that has none");
    if (inst->type2 >= LANE_TYPES || !type_in_list(inst->type2, type2_list(inst->op)))
        return verify_fail(v, "second type %s, wanted one of '%s'", lane_type_name(inst->type2), type2_list(inst->op));
    unsigned parts = inst->op == LANE_OP_pack ? inst->nsrc : inst->ndst;
    if ((inst->op == LANE_OP_pack || inst->op == LANE_OP_unpack) &&
        parts * lane_type_bits(inst->type2) != lane_type_bits(inst->type))
        return verify_fail(v, "%u x %s is not %s", parts, lane_type_name(inst->type2), lane_type_name(inst->type));
    return true;
}

/* ---- operands ---------------------------------------------------------------------------------- */

static bool check_kind(const struct verifier *v, struct lane_operand o, bool dst, unsigned index)
{
    const char *what = dst ? "destination" : "source";
    if (o.kind == LANE_REG && o.index >= v->func->nregs)
        return verify_fail(v, "%s %u is register %u of %u", what, index, (unsigned)o.index, v->func->nregs);
    if (o.kind == LANE_CONST && dst)
        return verify_fail(v, "destination %u is a constant", index);
    if (o.kind == LANE_CONST && o.index >= v->func->nconsts)
        return verify_fail(v, "source %u is constant %u of %u", index, (unsigned)o.index, v->func->nconsts);
    if (o.kind != LANE_REG && o.kind != LANE_CONST && o.kind != LANE_NONE)
        return verify_fail(v, "%s %u has no such kind", what, index);
    return true;
}

/* Whether a row lets an operand be absent. */
static bool may_be_none(const struct lane_inst *inst, char letter, bool dst, unsigned index)
{
    if (letter == 'o')
        return true;
    if (!dst)
        return false;
    if (inst->op == LANE_OP_barred) /* popc has the first destination, and/or the second */
        return index == 0 && inst->mode != 0;
    return letter == 'x' || inst->op == LANE_OP_unpack || inst->op == LANE_OP_mbararrive || inst->op == LANE_OP_sample;
}

static bool check_operand(const struct verifier *v, struct lane_operand o, bool dst, unsigned index)
{
    const struct lane_inst *inst = v->inst;
    const struct lane_row *row = &lane_rows[inst->op];
    char letter = lane_letter(dst ? row->dst : row->src, index);
    const char *what = dst ? "destination" : "source";
    if (!check_kind(v, o, dst, index))
        return false;
    if (o.kind == LANE_NONE)
        return may_be_none(inst, letter, dst, index) || verify_fail(v, "%s %u is missing", what, index);
    unsigned width = o.kind == LANE_REG ? v->func->widths[o.index] : v->func->consts[o.index].width;
    unsigned want = lane_letter_width(inst, letter);
    if (letter == 'a' && width != 32 && width != 64)
        return verify_fail(v, "address of %u bits, wanted 32 or 64", width);
    if (want && width != want)
        return verify_fail(v, "%s %u has %u bits, wanted %u", what, index, width, want);
    return true;
}

static bool check_operands(const struct verifier *v)
{
    const struct lane_inst *inst = v->inst;
    const struct lane_row *row = &lane_rows[inst->op];
    uint32_t count = (uint32_t)inst->ndst + inst->nsrc;
    if (count > v->func->noperands || inst->first > v->func->noperands - count)
        return verify_fail(v, "operands %u to %u of %u", inst->first, inst->first + count, v->func->noperands);
    if (!lane_count_fits(row->dst, inst->ndst))
        return verify_fail(v, "%u destinations, wanted '%s'", inst->ndst, row->dst);
    if (!lane_count_fits(row->src, inst->nsrc))
        return verify_fail(v, "%u sources, wanted '%s'", inst->nsrc, row->src);
    const struct lane_operand *o = v->func->operands + inst->first;
    for (unsigned i = 0; i < inst->ndst; i++)
        if (!check_operand(v, o[i], true, i))
            return false;
    for (unsigned i = 0; i < inst->nsrc; i++)
        if (!check_operand(v, o[inst->ndst + i], false, i))
            return false;
    return true;
}

static bool check_guard(const struct verifier *v)
{
    struct lane_operand g = v->inst->guard;
    if (g.kind == LANE_NONE)
        return !v->inst->guard_not || verify_fail(v, "a negated guard that is missing");
    if (g.kind != LANE_REG || g.index >= v->func->nregs || v->func->widths[g.index] != 1)
        return verify_fail(v, "the guard is not a predicate register");
    return true;
}

/* ---- other fields ------------------------------------------------------------------------------ */

static bool check_round(const struct verifier *v)
{
    unsigned round = v->inst->round;
    if (!lane_uses(&lane_rows[v->inst->op], 'r'))
        return round == 0 || verify_fail(v, "a rounding on an operation that has none");
    bool conversion = v->inst->op == LANE_OP_cvt || v->inst->op == LANE_OP_cvtpack;
    if (round >= LANE_ROUNDS || (!conversion && round > LANE_RP))
        return verify_fail(v, "rounding %u, wanted %s", round, conversion ? "rn to rna" : "rn to rp");
    return true;
}

static bool check_cmp(const struct verifier *v)
{
    unsigned cmp = v->inst->cmp, type = v->inst->type;
    if (!lane_uses(&lane_rows[v->inst->op], 'c'))
        return cmp == 0 || verify_fail(v, "a comparison on an operation that has none");
    unsigned last = lane_type_float(type) ? LANE_NANS : type_in_class(type, 'b') ? LANE_NE : LANE_GE;
    if (cmp > last)
        return verify_fail(v, "comparison %u of %s, the last is %s", cmp, lane_type_name(type),
                           lane_cmp_names.names[last]);
    return true;
}

/* handle, sampler, coordinates, and what the mode adds; only a gather has a component. */
static bool check_sample(const struct verifier *v)
{
    static const uint8_t sources[LANE_SAMPLES] = {
        [LANE_SAMPLE_LOD] = 7,     [LANE_SAMPLE_LOD_C] = 8,  [LANE_SAMPLE_GRAD] = 12,
        [LANE_SAMPLE_GRAD_C] = 13, [LANE_SAMPLE_GATHER] = 8, [LANE_SAMPLE_GATHER_C] = 9};
    const struct lane_inst *inst = v->inst;
    bool gathers = inst->mode == LANE_SAMPLE_GATHER || inst->mode == LANE_SAMPLE_GATHER_C;
    if (inst->nsrc != sources[inst->mode])
        return verify_fail(v, "%u sources, wanted %u", inst->nsrc, sources[inst->mode]);
    return inst->aux >> (gathers ? LANE_SAMPLE_CHANNEL + 2 : LANE_SAMPLE_CHANNEL) == 0 ||
           verify_fail(v, "no such offsets and component: 0x%x", inst->aux);
}

/* Modes that the list of names cannot tell alone. */
static bool check_special_mode(const struct verifier *v)
{
    const struct lane_inst *inst = v->inst;
    static const struct {
        uint8_t ndst, nsrc;
    } calls[LANE_SYSCALLS] = {[LANE_SYSCALL_VPRINTF] = {1, 2},
                              [LANE_SYSCALL_MALLOC] = {2, 1},
                              [LANE_SYSCALL_FREE] = {0, 1},
                              [LANE_SYSCALL_ASSERTFAIL] = {0, 5}};
    if (inst->op == LANE_OP_redux && inst->mode > LANE_ATOMIC_XOR)
        return verify_fail(v, "redux has no %s", lane_atomic_names.names[inst->mode]);
    if (inst->op == LANE_OP_redux && inst->type == LANE_F32 && inst->mode != LANE_ATOMIC_MIN &&
        inst->mode != LANE_ATOMIC_MAX)
        return verify_fail(v, "redux of f32 has only min and max");
    if (inst->op == LANE_OP_isspacep && (inst->mode == LANE_GENERIC || inst->mode == LANE_SURFACE))
        return verify_fail(v, "isspacep of the %s space", lane_space_names.names[inst->mode]);
    const struct lane_operand *o = v->func->operands + inst->first;
    if (inst->op == LANE_OP_barred && (inst->mode ? o[1].kind == LANE_NONE : o[1].kind != LANE_NONE))
        return verify_fail(v, "barred has its %s destination only", inst->mode ? "second" : "first");
    if (inst->op == LANE_OP_barred && inst->mode && o[0].kind != LANE_NONE)
        return verify_fail(v, "barred has its second destination only");
    if (inst->op == LANE_OP_syscall && (inst->ndst != calls[inst->mode].ndst || inst->nsrc != calls[inst->mode].nsrc))
        return verify_fail(v, "%u destinations and %u sources, wanted %u and %u", inst->ndst, inst->nsrc,
                           calls[inst->mode].ndst, calls[inst->mode].nsrc);
    return true;
}

static bool check_mode(const struct verifier *v)
{
    const struct lane_names *names = lane_mode_names(v->inst->op);
    if (!lane_uses(&lane_rows[v->inst->op], 'm'))
        return v->inst->mode == 0 || verify_fail(v, "a mode on an operation that has none");
    if (!names || !lane_name(names, v->inst->mode))
        return verify_fail(v, "no such mode %u", v->inst->mode);
    return v->inst->op == LANE_OP_sample ? check_sample(v) : check_special_mode(v);
}

static bool slot_fits(const struct verifier *v, const struct lane_slot *slot)
{
    uint32_t room = v->func->local_bytes;
    return good_align(slot->align) && slot->local % slot->align == 0 && slot->size <= room &&
           slot->local <= room - slot->size;
}

static bool check_slots(const struct verifier *v, const char *what, const struct lane_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!slot_fits(v, &slots[i]))
            return verify_fail(v, "%s %u (%u bytes at %u, alignment %u) does not fit the frame of %u bytes", what, i,
                               slots[i].size, slots[i].local, slots[i].align, v->func->local_bytes);
    return true;
}

/* Sizes of what the caller passes and what the callee takes. */
static bool same_sizes(const struct verifier *v, const char *what, const struct lane_slot *a, uint32_t na,
                       const struct lane_slot *b, uint32_t nb)
{
    if (na != nb)
        return verify_fail(v, "%u %ss, the callee has %u", na, what, nb);
    for (uint32_t i = 0; i < na; i++)
        if (a[i].size != b[i].size)
            return verify_fail(v, "%s %u has %u bytes, the callee's %u", what, i, a[i].size, b[i].size);
    return true;
}

static bool check_call(const struct verifier *v)
{
    if (v->inst->aux >= v->func->ncalls)
        return verify_fail(v, "call %u of %u", v->inst->aux, v->func->ncalls);
    const struct lane_call *call = &v->func->calls[v->inst->aux];
    if (!check_slots(v, "argument", call->args, call->nargs) ||
        !check_slots(v, "result", call->results, call->nresults))
        return false;
    if (call->function == UINT32_MAX)
        return v->inst->nsrc == 1 || verify_fail(v, "an indirect call takes one source");
    if (v->inst->nsrc != 0)
        return verify_fail(v, "a direct call takes no source");
    if (call->function >= v->module->nfuncs)
        return verify_fail(v, "calls function %u of %u", call->function, v->module->nfuncs);
    const struct lane_func *callee = &v->module->funcs[call->function];
    if (callee->kernel || !callee->defined)
        return verify_fail(v, "calls function %u, which %s", call->function,
                           callee->kernel ? "is a kernel" : "has no body");
    return same_sizes(v, "argument", call->args, call->nargs, callee->params, callee->nparams) &&
           same_sizes(v, "result", call->results, call->nresults, callee->results, callee->nresults);
}

static bool check_number(const struct verifier *v)
{
    const struct lane_inst *inst = v->inst;
    uint32_t local = v->func->local_bytes;
    switch (inst->op) {
    case LANE_OP_frame:
        return inst->aux <= local || verify_fail(v, "byte %u of a local frame of %u bytes", inst->aux, local);
    case LANE_OP_sample:
        return true; /* check_sample */
    case LANE_OP_lop3:
        return inst->aux <= 255 || verify_fail(v, "a look-up table of more than 8 bits");
    default:
        assert(inst->op == LANE_OP_mad16);
        return (inst->aux <= LANE_MAD16_ALL && __builtin_popcount(inst->aux & LANE_MAD16_C_MODES) <= 1) ||
               verify_fail(v, "no such mode %u of mad16", inst->aux);
    }
}

static bool check_aux(const struct verifier *v)
{
    const struct lane_inst *inst = v->inst;
    const struct lane_func *f = v->func;
    switch (lane_aux(&lane_rows[inst->op])) {
    case 'a':
        return verify_access(v);
    case 'n':
        return check_number(v);
    case 'b':
        return inst->aux < f->nblocks || verify_fail(v, "leads to block %u of %u", inst->aux, f->nblocks);
    case 't':
        return inst->aux < f->ntables || verify_fail(v, "jump table %u of %u", inst->aux, f->ntables);
    case 'k':
        return check_call(v);
    case 's':
        return (inst->aux < f->nstrings && f->strings[inst->aux]) ||
               verify_fail(v, "message %u of %u", inst->aux, f->nstrings);
    default:
        return inst->aux == 0 || verify_fail(v, "an immediate on an operation that has none");
    }
}

/* Tokens and calls with frames of their own exclude each other. */
static bool check_tokens(const struct verifier *v)
{
    unsigned op = v->inst->op;
    if (lane_is(op, LANE_TOKEN_OP) && !v->func->stacked)
        return verify_fail(v, "%s in a function that is not stacked", lane_rows[op].name);
    return op != LANE_OP_call || !v->func->stacked || verify_fail(v, "a call in a stacked function");
}

/* What lanes that do not run can take part in. */
static bool check_whole(const struct verifier *v)
{
    unsigned op = v->inst->op;
    return !(v->inst->flags & LANE_WHOLE) || lane_whole(op) ||
           verify_fail(v, "%s of the whole warp", lane_rows[op].name);
}

static bool is_constant(const struct verifier *v, unsigned operand, uint64_t value)
{
    struct lane_operand op = v->func->operands[v->inst->first + operand];
    const struct lane_const *c = &v->func->consts[op.index];
    return op.kind == LANE_CONST && c->lo == value && !c->symbol;
}

/* What would find out that other warps lie beside its own. */
static bool check_packable(const struct verifier *v)
{
    const struct lane_inst *inst = v->inst;
    if (!v->func->packable || !lane_is(inst->op, LANE_WAITS | LANE_YIELDS | LANE_WARP | LANE_OBJECT) ||
        inst->op == LANE_OP_brx || (inst->op == LANE_OP_ballot && inst->flags & LANE_WHOLE) ||
        (inst->op == LANE_OP_shfl && inst->flags & LANE_WHOLE && inst->mode == LANE_SHFL_IDX) ||
        (inst->op == LANE_OP_bar && inst->mode == LANE_BAR_SYNC && is_constant(v, 1, 0)))
        return true;
    return verify_fail(v, "%s in a kernel whose warps can be packed", lane_rows[inst->op].name);
}

static bool check_inst(const struct verifier *v)
{
    if (v->inst->op >= LANE_OPS)
        return verify_fail(v, "no such operation %u", v->inst->op);
    if ((v->inst->flags & ~LANE_WHOLE) && !lane_uses(&lane_rows[v->inst->op], 'f'))
        return verify_fail(v, "flags 0x%x on an operation that has none", v->inst->flags);
    return check_whole(v) && check_types(v) && check_operands(v) && check_guard(v) && check_round(v) && check_cmp(v) &&
           check_mode(v) && check_aux(v) && check_tokens(v) && check_packable(v);
}

/* ---- functions --------------------------------------------------------------------------------- */

/* Nothing runs past it. */
static bool ends_function(const struct lane_inst *inst)
{
    return inst->guard.kind == LANE_NONE && lane_is(inst->op, LANE_ENDS | LANE_STOPS);
}

static bool check_block(struct verifier *v, uint32_t index, uint32_t *next)
{
    const struct lane_func *f = v->func;
    const struct lane_block *block = &f->blocks[index];
    if (block->first != *next || block->count > f->ninsts - *next)
        return verify_fail(v, "block %u has instructions %u to %u; wanted to begin at %u, of %u", index, block->first,
                           block->first + block->count, *next, f->ninsts);
    *next += block->count;
    v->block = index;
    for (uint32_t i = 0; i < block->count; i++) {
        v->inst = &f->insts[block->first + i];
        if (!check_inst(v))
            return false;
        if (i + 1 < block->count && lane_is(v->inst->op, LANE_ENDS))
            return verify_fail(v, "control leaves in the middle of a block");
    }
    v->inst = NULL;
    return true;
}

static bool check_blocks(struct verifier *v)
{
    const struct lane_func *f = v->func;
    uint32_t next = 0;
    for (uint32_t i = 0; i < f->nblocks; i++)
        if (!check_block(v, i, &next))
            return false;
    if (next != f->ninsts)
        return verify_fail(v, "%u instructions, %u of them in blocks", f->ninsts, next);
    if (f->nblocks == 0 || f->blocks[f->nblocks - 1].count == 0 || !ends_function(&f->insts[f->ninsts - 1]))
        return verify_fail(v, "control falls off the end of the last block");
    return true;
}

static bool good_width(unsigned width)
{
    return width == 1 || width == 8 || width == 16 || width == 32 || width == 64 || width == 128;
}

static bool check_const(const struct verifier *v, const struct lane_const *c, uint32_t index)
{
    if (!good_width(c->width))
        return verify_fail(v, "constant %u has %u bits", index, c->width);
    if (c->symbol > v->module->nsymbols)
        return verify_fail(v, "constant %u is the address of symbol %u of %u", index, c->symbol, v->module->nsymbols);
    if (c->symbol)
        return (c->hi == 0 && (c->width == 32 || c->width == 64)) ||
               verify_fail(v, "constant %u is an address of %u bits", index, c->width);
    if ((c->width < 128 && c->hi) || (c->width < 64 && c->lo >> c->width))
        return verify_fail(v, "constant %u has bits beyond its %u", index, c->width);
    return true;
}

static bool check_tables(const struct verifier *v)
{
    const struct lane_func *f = v->func;
    for (uint32_t i = 0; i < f->nregs; i++)
        if (!good_width(f->widths[i]))
            return verify_fail(v, "register %u has %u bits", i, f->widths[i]);
    for (uint32_t i = 0; i < f->nconsts; i++)
        if (!check_const(v, &f->consts[i], i))
            return false;
    for (uint32_t i = 0; i < f->ntables; i++)
        for (uint32_t j = 0; j < f->tables[i].count; j++)
            if (f->tables[i].blocks[j] >= f->nblocks)
                return verify_fail(v, "jump table %u leads to block %u of %u", i, f->tables[i].blocks[j], f->nblocks);
    return true;
}

static bool check_entry(const struct lane_word *word)
{
    bool known = word->nentry > 0 && word->nentry <= LANE_ENTRY_WORDS;
    for (unsigned i = 0; known && i < word->nentry; i++)
        known = word->entry[i] <= LANE_SUQS;
    return known;
}

static bool check_words(const struct verifier *v)
{
    const struct lane_func *f = v->func;
    uint32_t space = lane_param_space(f);
    if (space > LANE_PARAM_BYTES || f->param_bytes > space || f->param_at > space - f->param_bytes)
        return verify_fail(v, "%u bytes of parameters at %u of %u, at most %u", f->param_bytes, f->param_at, space,
                           LANE_PARAM_BYTES);
    for (uint32_t i = 0; i < f->nwords; i++) {
        const struct lane_word *w = &f->words[i];
        if (!lane_name(&lane_word_names, w->kind) || (w->size != 4 && w->size != 8) || w->size > space ||
            w->offset > space - w->size)
            return verify_fail(v, "word %u: %u bytes at %u of the parameters", i, w->size, w->offset);
        if (w->kind == LANE_WORD_ADDRESS && (w->symbol == 0 || w->symbol > v->module->nsymbols ||
                                             v->module->symbols[w->symbol - 1].kind == LANE_SYMBOL_SHARED))
            return verify_fail(v, "word %u: the address of symbol %u", i, w->symbol);
        if (w->kind == LANE_WORD_SURFACE &&
            (w->nentry != 1 || w->entry[0] >= LANE_SUQS || space < 8 || w->from > space - 8))
            return verify_fail(v, "word %u: one attribute of the surface whose handle is at %u", i, w->from);
        if (w->kind == LANE_WORD_SURFACES && !check_entry(w))
            return verify_fail(v, "word %u: an entry of 1 to %d attributes of a surface", i, LANE_ENTRY_WORDS);
    }
    return true;
}

static bool check_kernel_params(const struct verifier *v)
{
    const struct lane_func *f = v->func;
    if (!check_words(v))
        return false;
    for (uint32_t i = 0; i < f->nkparams; i++) {
        const struct lane_param *p = &f->kparams[i];
        if (!p->name || !p->type)
            return verify_fail(v, "parameter %u has no name or type", i);
        if (!good_align(p->align) || p->offset % p->align || p->size > f->param_bytes ||
            p->offset > f->param_bytes - p->size)
            return verify_fail(v, "parameter %u (%u bytes at %u, alignment %u) does not fit %u bytes", i, p->size,
                               p->offset, p->align, f->param_bytes);
    }
    if (f->nparams || f->nresults)
        return verify_fail(v, "a kernel with parameters of a device function");
    return true;
}

static bool check_func(struct verifier *v)
{
    const struct lane_func *f = v->func;
    if (!f->name)
        return verify_fail(v, "a function without a name");
    if (f->local_bytes > LANE_LOCAL_BYTES)
        return verify_fail(v, "%u bytes of local memory, at most %u", f->local_bytes, LANE_LOCAL_BYTES);
    if (f->regfile_bytes > LANE_REGFILE_BYTES)
        return verify_fail(v, "%u bytes of registers of the warp, at most %u", f->regfile_bytes, LANE_REGFILE_BYTES);
    if (f->warp_lanes && f->warp_lanes != 8 && f->warp_lanes != 16 && f->warp_lanes != LANES)
        return verify_fail(v, "%u lanes in a warp, wanted 8, 16 or 32", f->warp_lanes);
    if (!f->kernel && (f->regfile_bytes || f->warp_lanes))
        return verify_fail(v, "a device function that says what a warp is");
    if (f->packable && ((f->warp_lanes != 8 && f->warp_lanes != 16) || f->regfile_bytes || f->stacked))
        return verify_fail(v, "warps of %u lanes, %u bytes of registers%s, to be packed", f->warp_lanes,
                           f->regfile_bytes, f->stacked ? ", tokens" : "");
    if (!check_slots(v, "parameter", f->params, f->nparams) || !check_slots(v, "result", f->results, f->nresults))
        return false;
    if (!f->kernel && (f->nkparams || f->param_bytes || f->param_at || f->param_space || f->nwords))
        return verify_fail(v, "a device function with parameters of a kernel");
    if (f->thread_grid && (!f->kernel || !f->required_block[0]))
        return verify_fail(v, "a grid of threads, and no required block");
    if (f->stacked && !f->kernel)
        return verify_fail(v, "a stacked function that is not a kernel");
    if (f->independent && (!f->kernel || f->stacked || f->warp_lanes))
        return verify_fail(v, "lanes that are independent, of %s",
                           f->kernel ? "a kernel whose lanes keep step" : "a device function");
    if (f->kernel && !check_kernel_params(v))
        return false;
    if (!f->defined)
        return f->ninsts == 0 || verify_fail(v, "a declared function with a body");
    return check_tables(v) && check_blocks(v);
}

/* ---- symbols ----------------------------------------------------------------------------------- */

static bool check_relocs(const struct verifier *v, const struct lane_symbol *s)
{
    for (uint32_t i = 0; i < s->nrelocs; i++) {
        const struct lane_reloc *r = &s->relocs[i];
        if (r->size == 0 || r->size > 8 || r->size > s->size || r->offset > s->size - r->size)
            return verify_fail(v, "symbol '%.200s': an address of %u bytes at %u", s->name, r->size, r->offset);
        if (r->symbol == 0 || r->symbol > v->module->nsymbols)
            return verify_fail(v, "symbol '%.200s': the address of symbol %u of %u", s->name, r->symbol,
                               v->module->nsymbols);
        if (v->module->symbols[r->symbol - 1].kind == LANE_SYMBOL_SHARED)
            return verify_fail(v, "symbol '%.200s': the address of a shared variable", s->name);
    }
    return true;
}

static bool check_symbol(const struct verifier *v, const struct lane_symbol *s, uint32_t number)
{
    if (!s->name)
        return verify_fail(v, "symbol %u has no name", number);
    if (!lane_name(&lane_symbol_names, s->kind))
        return verify_fail(v, "symbol '%.200s': no such kind %u", s->name, s->kind);
    if (s->kind == LANE_SYMBOL_FUNCTION)
        return s->function < v->module->nfuncs ||
               verify_fail(v, "symbol '%.200s': function %u of %u", s->name, s->function, v->module->nfuncs);
    if (!good_align(s->align))
        return verify_fail(v, "symbol '%.200s': alignment %u", s->name, s->align);
    if (s->inside) {
        if (s->kind != LANE_SYMBOL_GLOBAL || s->inside >= number || s->init || s->nrelocs)
            return verify_fail(v, "symbol '%.200s': no name for bytes of symbol %u", s->name, s->inside);
        const struct lane_symbol *whole = &v->module->symbols[s->inside - 1];
        if (whole->kind != LANE_SYMBOL_GLOBAL || whole->inside || s->at > whole->size || s->size > whole->size - s->at)
            return verify_fail(v, "symbol '%.200s': does not lie in '%.200s'", s->name, whole->name);
    }
    if (s->kind == LANE_SYMBOL_SHARED && (s->init || s->nrelocs))
        return verify_fail(v, "symbol '%.200s': an initial value in shared memory", s->name);
    if (s->kind == LANE_SYMBOL_SURFREF && (s->size != (uint64_t)s->count * 8 || (s->count && !s->surfrefs)))
        return verify_fail(v, "symbol '%.200s': %u surface references in %llu bytes", s->name, s->count,
                           (unsigned long long)s->size);
    return check_relocs(v, s);
}

bool lane_verify(const struct lane_module *module, struct atoll_error *error)
{
    struct verifier v = {.module = module, .error = error};
    for (uint32_t i = 0; i < module->nsymbols; i++)
        if (!check_symbol(&v, &module->symbols[i], i + 1))
            return false;
    for (uint32_t i = 0; i < module->nfuncs; i++) {
        v.func = &module->funcs[i];
        v.inst = NULL;
        if (!check_func(&v))
            return false;
    }
    return true;
}

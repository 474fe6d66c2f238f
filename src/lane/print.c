/* Prints lane programs as text; docs/lane.md describes the form. What the verifier accepts comes back from the parser
 * as it was; what it would reject is printed as far as it makes sense and never read beyond its arrays. */
#include <inttypes.h>
#include <string.h>

#include "base/namemap.h"
#include "base/text.h"
#include "lane/form.h"
#include "lane/names.h"
#include "lane/scan.h"

struct printer {
    struct text *out;
    const struct lane_module *module;
    const struct lane_func *func;
    struct namemap symbols, funcs, regs;
};

/* ---- words -------------------------------------------------------------------------------------- */

/* A quoted string: printable ASCII as it is, everything else as \xNN. */
static void quoted(struct text *out, const char *string)
{
    text_puts(out, "\"");
    for (const unsigned char *p = (const unsigned char *)(string ? string : ""); *p; p++)
        if (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
            text_add(out, (const char *)p, 1);
        else
            text_printf(out, "\\x%02x", *p);
    text_puts(out, "\"");
}

static void named(struct text *out, const struct lane_names *names, unsigned value)
{
    const char *name = lane_name(names, value);
    text_printf(out, ".%s", name ? name : "?");
}

static bool has_name(const struct namemap *map, const char *name, uint32_t index)
{
    return name && scan_is_word_text(name, strlen(name)) && namemap_find(map, name, strlen(name)) == index;
}

static void reg(struct printer *p, uint32_t index)
{
    const char *name = p->func->names && index < p->func->nregs ? p->func->names[index] : NULL;
    if (has_name(&p->regs, name, index))
        text_puts(p->out, name);
    else
        text_printf(p->out, "%%%" PRIu32, index);
}

/* `number` counts from 1. */
static void symbol(struct printer *p, uint32_t number)
{
    const char *name = number && number <= p->module->nsymbols ? p->module->symbols[number - 1].name : NULL;
    if (has_name(&p->symbols, name, number - 1))
        text_puts(p->out, name);
    else
        text_printf(p->out, "#%" PRIu32, number);
}

static void function(struct printer *p, uint32_t index)
{
    const char *name = index < p->module->nfuncs ? p->module->funcs[index].name : NULL;
    if (has_name(&p->funcs, name, index))
        text_puts(p->out, name);
    else
        text_printf(p->out, "#%" PRIu32, index);
}

static void signed_offset(struct text *out, int64_t offset)
{
    if (offset)
        text_printf(out, "%+" PRId64, offset);
}

/* ---- operands ----------------------------------------------------------------------------------- */

/* A constant; its width follows when it is not the one that the operand must have. */
static void constant(struct printer *p, const struct lane_const *c, unsigned expected)
{
    if (c->symbol) {
        text_puts(p->out, "&");
        symbol(p, c->symbol);
        signed_offset(p->out, (int64_t)c->lo);
    } else if (c->hi)
        text_printf(p->out, "0x%" PRIx64 "%016" PRIx64, c->hi, c->lo);
    else if (c->lo < 100000)
        text_printf(p->out, "%" PRIu64, c->lo);
    else
        text_printf(p->out, "0x%" PRIx64, c->lo);
    if (c->width != expected)
        text_printf(p->out, ":%" PRIu32, c->width);
}

static void operand(struct printer *p, struct lane_operand o, unsigned expected)
{
    if (o.kind == LANE_REG)
        reg(p, o.index);
    else if (o.kind == LANE_CONST && o.index < p->func->nconsts)
        constant(p, &p->func->consts[o.index], expected);
    else
        text_puts(p->out, o.kind == LANE_NONE ? "_" : "?");
}

static void operands(struct printer *p, const struct lane_inst *inst, bool dst, const struct lane_access *access)
{
    const struct lane_row *row = &lane_rows[inst->op];
    unsigned count = dst ? inst->ndst : inst->nsrc;
    uint64_t first = (uint64_t)inst->first + (dst ? 0 : inst->ndst);
    for (unsigned i = 0; i < count; i++) {
        char letter = lane_letter(dst ? row->dst : row->src, i);
        struct lane_operand o = {LANE_NONE, 0};
        if (first + i < p->func->noperands)
            o = p->func->operands[first + i];
        text_puts(p->out, i ? ", " : dst ? "" : " ");
        if (letter == 'a')
            text_puts(p->out, "[");
        operand(p, o, lane_letter_width(inst, letter));
        if (letter == 'a' && access)
            signed_offset(p->out, access->offset);
        if (letter == 'a')
            text_puts(p->out, "]");
    }
    if (dst && count)
        text_puts(p->out, " = ");
}

/* ---- instructions ------------------------------------------------------------------------------- */

/* .space .atomic | .atomic .dim .clamp .unit .level .p .fixed .snorm .short .tuple .residency, then .bounded .readonly
 * .order .scope .ftz .nan .vec .type */
static void access_suffix(struct text *out, const struct lane_inst *inst, const struct lane_access *a)
{
    bool surface = lane_is(inst->op, LANE_TEXELS);
    if (!surface)
        named(out, &lane_space_names, a->space);
    if (lane_is(inst->op, LANE_UPDATES))
        named(out, &lane_atomic_names, a->atomic);
    if (surface) {
        named(out, &lane_dim_names, a->dim);
        named(out, &lane_clamp_names, a->clamp);
        named(out, &lane_unit_names, a->unit);
        text_puts(out, a->level ? ".level" : "");
        text_puts(out, a->formatted ? ".p" : "");
        text_puts(out, a->fixed ? ".fixed" : "");
        text_puts(out, a->snorm ? ".snorm" : "");
        text_puts(out, a->short_rows ? ".short" : "");
        text_puts(out, a->uniform_tuple ? ".tuple" : "");
        text_puts(out, a->residency ? ".residency" : "");
    }
    text_puts(out, a->bounded ? ".bounded" : "");
    text_puts(out, a->read_only ? ".readonly" : "");
    if (a->order)
        named(out, &lane_order_names, a->order);
    if (a->scope)
        named(out, &lane_scope_names, a->scope);
    text_puts(out, a->flags & LANE_FTZ ? ".ftz" : "");
    text_puts(out, a->keeps_nan ? ".nan" : "");
    if (a->vec != 1)
        text_printf(out, ".v%u", a->vec);
    text_printf(out, ".%s", lane_type_name(a->type));
}

/* .mode .cmp .round .flags .type .type2 */
static void suffix(struct text *out, const struct lane_inst *inst)
{
    const struct lane_row *row = &lane_rows[inst->op];
    if (lane_uses(row, 'm') && lane_mode_names(inst->op))
        named(out, lane_mode_names(inst->op), inst->mode);
    if (lane_uses(row, 'c'))
        named(out, &lane_cmp_names, inst->cmp);
    if (inst->round)
        named(out, &lane_round_names, inst->round);
    for (unsigned bit = 0; bit < lane_flag_names.count; bit++)
        if (inst->flags >> bit & 1)
            named(out, &lane_flag_names, bit);
    if (strcmp(row->types, ".") != 0)
        text_printf(out, ".%s", lane_type_name(inst->type));
    if (lane_uses(row, '2'))
        text_printf(out, ".%s", lane_type_name(inst->type2));
}

static void slots(struct text *out, const struct lane_slot *slot, uint32_t count)
{
    text_puts(out, "(");
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "%s%" PRIu32 ":%" PRIu32 ":%" PRIu32, i ? ", " : "", slot[i].local, slot[i].size,
                    slot[i].align);
    text_puts(out, ")");
}

/* Before the operands: the function, or * for the one whose address is the source. */
static void call_target(struct printer *p, const struct lane_inst *inst)
{
    const struct lane_func *f = p->func;
    text_puts(p->out, " ");
    if (inst->aux < f->ncalls && f->calls[inst->aux].function != UINT32_MAX)
        function(p, f->calls[inst->aux].function);
    else
        text_puts(p->out, "*");
}

static void call_slots(struct printer *p, const struct lane_inst *inst)
{
    if (inst->aux >= p->func->ncalls)
        return;
    const struct lane_call *call = &p->func->calls[inst->aux];
    text_puts(p->out, " ");
    slots(p->out, call->args, call->nargs);
    text_puts(p->out, " -> ");
    slots(p->out, call->results, call->nresults);
}

static void table(struct printer *p, const struct lane_inst *inst)
{
    text_puts(p->out, " {");
    if (inst->aux < p->func->ntables)
        for (uint32_t i = 0; i < p->func->tables[inst->aux].count; i++)
            text_printf(p->out, "%sb%" PRIu32, i ? ", " : "", p->func->tables[inst->aux].blocks[i]);
    text_puts(p->out, "}");
}

/* What the immediate stands for, after the operands. */
static void immediate(struct printer *p, const struct lane_inst *inst)
{
    switch (lane_aux(&lane_rows[inst->op])) {
    case 'n':
        text_printf(p->out, "%s#%" PRIu32, inst->nsrc ? ", " : " ", inst->aux);
        break;
    case 'b':
        text_printf(p->out, " b%" PRIu32, inst->aux);
        break;
    case 't':
        table(p, inst);
        break;
    case 'k':
        call_slots(p, inst);
        break;
    case 's':
        text_puts(p->out, " ");
        quoted(p->out, inst->aux < p->func->nstrings ? p->func->strings[inst->aux] : "?");
        break;
    default:
        break;
    }
}

static void instruction(struct printer *p, const struct lane_inst *inst)
{
    text_puts(p->out, "    ");
    if (inst->op >= LANE_OPS) {
        text_puts(p->out, "?\n");
        return;
    }
    const struct lane_row *row = &lane_rows[inst->op];
    const struct lane_access *access =
        lane_aux(row) == 'a' && inst->aux < p->func->naccesses ? &p->func->accesses[inst->aux] : NULL;
    if (inst->guard.kind != LANE_NONE) {
        text_puts(p->out, inst->guard_not ? "@!" : "@");
        operand(p, inst->guard, 1);
        text_puts(p->out, " ");
    }
    operands(p, inst, true, access);
    text_puts(p->out, row->name);
    suffix(p->out, inst);
    if (access)
        access_suffix(p->out, inst, access);
    if (lane_aux(row) == 'k')
        call_target(p, inst);
    operands(p, inst, false, access);
    immediate(p, inst);
    if (inst->line)
        text_printf(p->out, " !%" PRIu32, inst->line);
    text_puts(p->out, "\n");
}

/* ---- functions ----------------------------------------------------------------------------------- */

static void extents(struct text *out, const char *word, const uint32_t e[3])
{
    if (e[0] || e[1] || e[2])
        text_printf(out, " %s %" PRIu32 " %" PRIu32 " %" PRIu32, word, e[0], e[1], e[2]);
}

static void header(struct printer *p)
{
    const struct lane_func *f = p->func;
    text_puts(p->out, f->kernel ? "\nkernel " : "\nfunc ");
    quoted(p->out, f->name);
    if (!f->defined)
        text_puts(p->out, " extern");
    if (f->stacked)
        text_puts(p->out, " stacked");
    if (f->independent)
        text_puts(p->out, " independent");
    if (f->file) {
        text_puts(p->out, " file ");
        quoted(p->out, f->file);
    }
    if (f->line)
        text_printf(p->out, " line %" PRIu32, f->line);
    if (f->warp_lanes)
        text_printf(p->out, " lanes %" PRIu32, f->warp_lanes);
    if (f->packable)
        text_puts(p->out, " packable");
    if (f->regfile_bytes)
        text_printf(p->out, " regfile %" PRIu32, f->regfile_bytes);
    if (f->local_bytes)
        text_printf(p->out, " local %" PRIu32, f->local_bytes);
    if (f->param_bytes)
        text_printf(p->out, " params %" PRIu32, f->param_bytes);
    if (f->param_space)
        text_printf(p->out, " at %" PRIu32 " space %" PRIu32, f->param_at, f->param_space);
    extents(p->out, "required", f->required_block);
    extents(p->out, "max", f->max_block);
    text_puts(p->out, f->thread_grid ? " threads" : "");
    text_puts(p->out, " {\n");
}

static void frame_slots(struct text *out, const char *word, const struct lane_slot *slot, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "  %s %" PRIu32 ":%" PRIu32 ":%" PRIu32 "\n", word, slot[i].local, slot[i].size,
                    slot[i].align);
}

static void kernel_params(struct printer *p)
{
    for (uint32_t i = 0; i < p->func->nkparams; i++) {
        const struct lane_param *param = &p->func->kparams[i];
        text_puts(p->out, "  param ");
        quoted(p->out, param->name);
        text_puts(p->out, " ");
        quoted(p->out, param->type);
        text_printf(p->out, " offset %" PRIu32 " size %" PRIu32 " align %" PRIu32 " count %" PRIu32 "%s", param->offset,
                    param->size, param->align, param->count, param->pointer ? " pointer" : "");
        text_puts(p->out, param->usual ? " usual" : param->optional ? " optional" : "");
        if (param->source) {
            text_puts(p->out, " source ");
            quoted(p->out, param->source);
        }
        text_puts(p->out, "\n");
    }
}

static void word_entry(struct printer *p, const struct lane_word *word)
{
    for (unsigned i = 0; i < word->nentry; i++) {
        const char *name = lane_name(lane_mode_names(LANE_OP_suq), word->entry[i]);
        text_printf(p->out, "%s%s", i ? " " : " (", name ? name : "zero");
    }
    text_puts(p->out, word->nentry ? ")" : " ()");
}

static void param_words(struct printer *p)
{
    for (uint32_t i = 0; i < p->func->nwords; i++) {
        const struct lane_word *word = &p->func->words[i];
        const char *name = lane_name(&lane_word_names, word->kind);
        text_printf(p->out, "  word %" PRIu32 " size %" PRIu32 " %s", word->offset, word->size, name ? name : "?");
        if (word->kind == LANE_WORD_ADDRESS) {
            text_puts(p->out, " &");
            symbol(p, word->symbol);
        }
        if (word->kind == LANE_WORD_SURFACES || word->kind == LANE_WORD_SURFACE)
            word_entry(p, word);
        if (word->kind == LANE_WORD_SURFACE)
            text_printf(p->out, " from %" PRIu32, word->from);
        if (word->kind == LANE_WORD_VALUE)
            text_printf(p->out, " %" PRIu64, word->value);
        text_puts(p->out, "\n");
    }
}

/* Runs of one width, eight to a line: a word, a quoted name, or - for none. */
static void registers(struct printer *p)
{
    const struct lane_func *f = p->func;
    unsigned in_line = 0;
    for (uint32_t i = 0; i < f->nregs; i++) {
        const char *name = f->names ? f->names[i] : NULL;
        if (i == 0 || f->widths[i] != f->widths[i - 1] || in_line == 8) {
            text_printf(p->out, "%s  reg %u", i ? "\n" : "", f->widths[i]);
            in_line = 0;
        }
        text_puts(p->out, " ");
        if (!name)
            text_puts(p->out, "-");
        else if (scan_is_word_text(name, strlen(name)))
            text_puts(p->out, name);
        else
            quoted(p->out, name);
        in_line++;
    }
    text_puts(p->out, f->nregs ? "\n" : "");
}

static void print_func(struct printer *p, const struct lane_func *f)
{
    p->func = f;
    for (uint32_t i = 0; f->names && i < f->nregs; i++)
        if (f->names[i] && !namemap_add(&p->regs, f->names[i], strlen(f->names[i]), i))
            p->out->failed = true;
    header(p);
    kernel_params(p);
    param_words(p);
    frame_slots(p->out, "arg", f->params, f->nparams);
    frame_slots(p->out, "result", f->results, f->nresults);
    registers(p);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        const struct lane_block *block = &f->blocks[i];
        text_printf(p->out, "b%" PRIu32 ":\n", i);
        for (uint32_t j = 0; j < block->count && (uint64_t)block->first + j < f->ninsts; j++)
            instruction(p, &f->insts[block->first + j]);
    }
    text_puts(p->out, "}\n");
    namemap_free(&p->regs);
}

/* ---- symbols -------------------------------------------------------------------------------------- */

static void initial_bytes(struct text *out, const struct lane_symbol *s)
{
    static const char digits[] = "0123456789abcdef";
    enum { IN_LINE = 32 };
    for (uint64_t i = 0; s->init && i < s->size; i++) {
        if (i % IN_LINE == 0)
            text_puts(out, i ? "\n  init " : "  init ");
        char pair[2] = {digits[s->init[i] >> 4], digits[s->init[i] & 15]};
        text_add(out, pair, 2);
    }
    text_puts(out, s->init && s->size ? "\n" : "");
}

static void surfrefs(struct text *out, const struct lane_symbol *s)
{
    for (uint32_t i = 0; s->kind == LANE_SYMBOL_SURFREF && s->surfrefs && i < s->count; i++) {
        const struct lane_surfref_init *r = &s->surfrefs[i];
        if (r->given)
            text_printf(out,
                        "  surfref %" PRIu32 " width %" PRIu32 " height %" PRIu32 " depth %" PRIu32 " type %" PRIu32
                        " order %" PRIu32 " layers %" PRIu32 " layout %" PRIu32 "\n",
                        i, r->width, r->height, r->depth, r->channel_data_type, r->channel_order, r->array_size,
                        r->memory_layout);
    }
}

static void print_symbol(struct printer *p, const struct lane_symbol *s)
{
    text_puts(p->out, "symbol ");
    quoted(p->out, s->name);
    text_printf(p->out, " %s", lane_name(&lane_symbol_names, s->kind) ? lane_symbol_names.names[s->kind] : "?");
    if (s->kind == LANE_SYMBOL_FUNCTION) {
        text_puts(p->out, " ");
        function(p, s->function);
    }
    text_printf(p->out, " size %" PRIu64 " align %" PRIu32, s->size, s->align);
    if (s->kind == LANE_SYMBOL_SURFREF)
        text_printf(p->out, " count %" PRIu32, s->count);
    text_puts(p->out, s->constant ? " constant" : "");
    text_puts(p->out, s->dynamic ? " dynamic" : "");
    text_puts(p->out, s->external ? " external" : "");
    text_puts(p->out, s->managed ? " managed" : "");
    if (s->inside) {
        text_puts(p->out, " inside &");
        symbol(p, s->inside);
        text_printf(p->out, " at %" PRIu64, s->at);
    }
    text_puts(p->out, "\n");
    initial_bytes(p->out, s);
    for (uint32_t i = 0; i < s->nrelocs; i++) {
        text_printf(p->out, "  reloc %" PRIu32 " size %" PRIu32 " &", s->relocs[i].offset, s->relocs[i].size);
        symbol(p, s->relocs[i].symbol);
        signed_offset(p->out, s->relocs[i].addend);
        text_puts(p->out, "\n");
    }
    surfrefs(p->out, s);
}

void lane_print(const struct lane_module *module, struct text *out)
{
    struct printer p = {.out = out, .module = module};
    for (uint32_t i = 0; i < module->nsymbols; i++)
        if (module->symbols[i].name &&
            !namemap_add(&p.symbols, module->symbols[i].name, strlen(module->symbols[i].name), i))
            out->failed = true;
    for (uint32_t i = 0; i < module->nfuncs; i++)
        if (module->funcs[i].name && !namemap_add(&p.funcs, module->funcs[i].name, strlen(module->funcs[i].name), i))
            out->failed = true;
    text_puts(out, "lanes 1\n");
    for (uint32_t i = 0; i < module->nsymbols; i++)
        print_symbol(&p, &module->symbols[i]);
    for (uint32_t i = 0; i < module->nfuncs; i++)
        print_func(&p, &module->funcs[i]);
    namemap_free(&p.symbols);
    namemap_free(&p.funcs);
}

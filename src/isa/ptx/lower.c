/* Lowers a checked PTX module: symbols with their initial bytes (lower_data.c), then every function: parameters,
 * blocks and instructions. The rows of the instructions do the lowering; operands are in lower_operand.c. */
#include "isa/ptx/lower.h"
#include "isa/ptx/lower_data.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- names of the current function ------------------------------------------------------------------ */

struct lower_entry *lower_entry(struct lowerer *l, const struct ptx_decl *decl, uint32_t number, uint32_t part,
                                bool *fresh)
{
    struct lower_entry key = {decl, number, part, 0}, *e;
    enum { LENGTH = offsetof(struct lower_entry, value) };
    *fresh = false;
    if ((e = (struct lower_entry *)namemap_key(&l->state->entries, &key, LENGTH)) != NULL)
        return e;
    e = arena_alloc(l->arena, sizeof(*e));
    if (e != NULL)
        *e = key;
    if (e == NULL || !namemap_add(&l->state->entries, e, LENGTH, 0)) {
        l->b.failed = true;
        return NULL;
    }
    *fresh = true;
    return e;
}

/* ---- blocks ----------------------------------------------------------------------------------------- */

/* Starts a block unless the current one is still empty. */
static uint32_t begin_block(struct lowerer *l)
{
    struct lane_func *f = l->b.func;
    l->state->ended = false;
    if (f->nblocks > 0 && f->blocks[f->nblocks - 1].count == 0)
        return f->nblocks - 1;
    return lane_block(&l->b);
}

static void lower_label(struct lowerer *l, const struct ptx_decl *label)
{
    bool fresh;
    uint32_t block = begin_block(l);
    struct lower_entry *e = lower_entry(l, label, 0, ENTRY_BLOCK, &fresh);
    if (e != NULL)
        e->value = block;
}

static struct lower_fixup *new_fixup(struct lowerer *l, const struct ptx_decl *label)
{
    struct lower_state *s = l->state;
    if (s->nfixups == s->cap_fixups) {
        uint32_t capacity = s->cap_fixups == 0 ? 64 : s->cap_fixups * 2;
        struct lower_fixup *fixups = arena_grow(l->arena, s->fixups, s->nfixups, capacity, sizeof(*fixups));
        if (fixups == NULL) {
            l->b.failed = true;
            return NULL;
        }
        s->fixups = fixups;
        s->cap_fixups = capacity;
    }
    s->fixups[s->nfixups] = (struct lower_fixup){.label = label};
    return &s->fixups[s->nfixups++];
}

void lower_fixup(struct lowerer *l, const struct ptx_decl *label)
{
    struct lower_fixup *fixup = new_fixup(l, label);
    if (fixup != NULL)
        fixup->inst = l->b.func->ninsts - 1;
}

void lower_table_fixup(struct lowerer *l, const struct ptx_decl *label, uint32_t table, uint32_t slot)
{
    struct lower_fixup *fixup = new_fixup(l, label);
    if (fixup == NULL)
        return;
    fixup->in_table = true;
    fixup->table = table;
    fixup->slot = slot;
}

static void apply_fixups(struct lowerer *l)
{
    struct lane_func *f = l->b.func;
    for (uint32_t i = 0; i < l->state->nfixups && !l->b.failed; i++) {
        const struct lower_fixup *fixup = &l->state->fixups[i];
        bool fresh;
        const struct lower_entry *e = lower_entry(l, fixup->label, 0, ENTRY_BLOCK, &fresh);
        uint32_t block = e != NULL ? e->value : 0;
        if (fixup->in_table)
            f->tables[fixup->table].blocks[fixup->slot] = block;
        else
            f->insts[fixup->inst].aux = block;
    }
}

void lower_guard_set(struct lowerer *l, struct lower_guard guard)
{
    l->b.guard = guard.p;
    l->b.guard_not = guard.negated;
}

/* A guard and another predicate. */
static struct lane_operand narrowed(struct lowerer *l, struct lower_guard guard, struct lane_operand p)
{
    struct lane_operand src[2] = {p, guard.p}, both = p;
    if (guard.p.kind == LANE_NONE)
        return p;
    if (guard.negated) {
        src[1] = lower_temp(l, PTX_pred);
        lane_emit(&l->b, LANE_OP_not, LANE_PRED, 1, &src[1], 1, &guard.p);
    }
    both = lower_temp(l, PTX_pred);
    lane_emit(&l->b, LANE_OP_and, LANE_PRED, 1, &both, 2, src);
    return both;
}

struct lower_guard lower_under(struct lowerer *l, struct lane_operand p)
{
    struct lower_guard outer = {l->b.guard, l->b.guard_not};
    lower_guard_set(l, (struct lower_guard){{LANE_NONE, 0}, false});
    lower_guard_set(l, (struct lower_guard){narrowed(l, outer, p), false});
    return outer;
}

void lower_refuse(struct lowerer *l, struct lane_operand p, const char *what)
{
    struct lower_guard outer = lower_under(l, p);
    lower_unsupported(l, "%s", what);
    lower_guard_set(l, outer);
}

uint32_t lower_skip_others(struct lowerer *l)
{
    l->b.guard_not = true;
    lane_emit(&l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    uint32_t jump = l->b.func->ninsts - 1;
    begin_block(l);
    lower_guard_set(l, (struct lower_guard){{LANE_NONE, 0}, false});
    return jump;
}

void lower_skipped(struct lowerer *l, uint32_t jump)
{
    uint32_t block = begin_block(l);
    if (!l->b.failed)
        l->b.func->insts[jump].aux = block;
}

/* ---- instructions ------------------------------------------------------------------------------------ */

void lower_unsupported(struct lowerer *l, const char *format, ...)
{
    char message[512] = "not supported: ";
    size_t used = strlen(message);
    va_list args;
    va_start(args, format);
    vsnprintf(message + used, sizeof(message) - used, format, args);
    va_end(args);
    struct lane_inst *inst = lane_emit(&l->b, LANE_OP_unsupported, LANE_VOID, 0, NULL, 0, NULL);
    inst->aux = lane_string(&l->b, message);
}

void ptx_lower_unsupported(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    const struct span *last = insn->nmods > 0 ? &insn->mod_spans[insn->nmods - 1] : &insn->name;
    uint32_t length = last->pos + last->length - insn->name.pos;
    if (last->pos < insn->name.pos || length > 200)
        lower_unsupported(l, "%s", form->row->name);
    else
        lower_unsupported(l, "%.*s", (int)length, l->module->source + insn->name.pos);
}

void ptx_lower_nothing(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    (void)l;
    (void)insn;
    (void)form;
}

static void lower_insn(struct lowerer *l, const struct insn *insn)
{
    const struct ptx_form *form = insn->row != NULL ? ptx_match(&l->matcher, insn) : NULL;
    if (l->state->ended)
        begin_block(l);
    l->state->insn = insn;
    l->b.failed |= l->matcher.failed;
    if (form == NULL) {
        lower_unsupported(l, "%.*s", (int)(insn->name.length < 200 ? insn->name.length : 200),
                          l->module->source + insn->name.pos);
        return;
    }
    l->b.guard_not = insn->guard_not;
    if (insn->guard != NULL && insn->guard->kind == INSN_REG)
        l->b.guard = lower_register(l, insn->guard->decl, insn->guard->number, insn->guard->part);
    ptx_lower_fn *lower = form->pattern->lower != NULL ? form->pattern->lower : form->row->lower;
    (lower != NULL ? lower : ptx_lower_simple)(l, insn, form);
    l->b.guard = (struct lane_operand){LANE_NONE, 0};
    l->b.guard_not = false;
}

/* ---- functions --------------------------------------------------------------------------------------- */

static const char *copy_name(struct lowerer *l, const char *name)
{
    const char *copy = arena_text(&l->out->arena, name, strlen(name));
    l->b.failed |= copy == NULL;
    return copy;
}

/* Kernel parameters lie one after the other, each at its alignment (PTX ISA, "Kernel Function Parameters"). */
static void lower_kernel_params(struct lowerer *l)
{
    const struct ptx_func *f = l->func;
    struct lane_param *params = arena_array(&l->out->arena, f->nparams, sizeof(*params));
    uint64_t offset = 0;
    if (params == NULL && f->nparams > 0) {
        l->b.failed = true;
        return;
    }
    for (uint32_t i = 0; i < f->nparams; i++) {
        struct ptx_decl *decl = f->params[i];
        uint64_t size = lower_decl_bytes(decl), align = lower_decl_align(decl);
        offset = (offset + align - 1) / align * align;
        decl->id = (uint32_t)offset;
        params[i] = (struct lane_param){.name = copy_name(l, decl->name),
                                        .type = ptx_keyword_text(decl->type),
                                        .offset = (uint32_t)offset,
                                        .size = (uint32_t)size,
                                        .align = (uint32_t)align,
                                        .count = (uint32_t)decl->elements,
                                        .pointer = decl->pointer};
        offset += size;
        if (offset > UINT16_MAX + 1)
            l->b.failed = true;
    }
    l->b.func->kparams = params;
    l->b.func->nkparams = f->nparams;
    l->b.func->param_bytes = (uint32_t)offset;
}

static struct lane_slot *lower_slots(struct lowerer *l, struct ptx_decl *const *decls, uint32_t count)
{
    struct lane_slot *slots = arena_array(&l->out->arena, count, sizeof(*slots));
    if (slots == NULL && count > 0) {
        l->b.failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        slots[i] = (struct lane_slot){lower_local(l, decls[i]), (uint32_t)lower_decl_bytes(decls[i]),
                                      lower_decl_align(decls[i])};
    return slots;
}

static void lower_device_params(struct lowerer *l)
{
    const struct ptx_func *f = l->func;
    struct lane_func *out = l->b.func;
    out->results = lower_slots(l, f->results, f->nresults);
    out->params = lower_slots(l, f->params, f->nparams);
    out->nresults = f->nresults;
    out->nparams = f->nparams;
    for (uint32_t i = 0; f->has_body && i < f->nparams; i++) /* .reg parameters arrive in the frame like all others */
        if (f->params[i]->space == PTX_reg)
            lower_load(l, lower_register(l, f->params[i], 0, 0), ptx_type_lane(f->params[i]->type), LANE_LOCAL,
                       lower_local(l, f->params[i]));
}

/* From there on lanes are scheduled on their own, and the memory model holds (PTX ISA, "Memory Consistency Model"). */
enum { FIRST_INDEPENDENT = 70 };

static void lower_signature(struct lowerer *l)
{
    struct lane_func *out = l->b.func;
    const struct ptx_func *f = l->func;
    out->name = copy_name(l, f->decl->name);
    out->file = l->module->file != NULL ? copy_name(l, l->module->file) : NULL;
    out->kernel = f->entry;
    out->independent = f->entry && l->module->target >= FIRST_INDEPENDENT;
    memcpy(out->required_block, f->reqntid, sizeof(out->required_block));
    memcpy(out->max_block, f->maxntid, sizeof(out->max_block));
    if (f->entry)
        lower_kernel_params(l);
    else
        lower_device_params(l);
}

static void lower_body(struct lowerer *l, struct diag *place)
{
    const struct ptx_func *f = l->func;
    bool closed = false;
    const uint32_t *cluster = f->reqnctapercluster; /* all 0 without the directive */
    if ((uint64_t)cluster[0] * cluster[1] * cluster[2] > 1)
        lower_unsupported(l, "clusters of more than one block (.reqnctapercluster)");
    for (uint32_t i = 0; i < f->nstmts && !l->b.failed; i++) {
        const struct ptx_stmt *stmt = &f->stmts[i];
        if (stmt->kind == PTX_STMT_LABEL) {
            lower_label(l, stmt->decl);
            closed = false;
        } else if (stmt->kind == PTX_STMT_INSN) {
            uint32_t column;
            diag_place(place, stmt->insn->name.pos, &l->b.line, &column);
            if (l->lines != NULL)
                lower_line(l);
            lower_insn(l, stmt->insn);
            closed = l->state->ended && stmt->insn->guard == NULL;
        } else if (l->lines != NULL && stmt->kind == PTX_STMT_DIRECTIVE && stmt->loc != NULL) {
            lower_loc(l, stmt->loc);
        }
    }
    if (closed)
        return;
    if (l->state->ended)
        begin_block(l);
    lower_ret(l, NULL, NULL);
}

static bool lower_func(struct lowerer *l, const struct ptx_func *f, struct diag *place)
{
    struct lower_state state = {.entries = {.arena = l->arena}, .carry = {LANE_NONE, 0}};
    uint32_t column;
    l->func = f;
    l->state = &state;
    lane_begin(&l->b, l->out, f->decl->id);
    diag_place(place, f->decl->span.pos, &l->b.line, &column);
    l->b.func->line = l->b.line;
    lower_signature(l);
    if (l->lines != NULL)
        lower_lines_begin(l);
    if (!f->has_body)
        return !l->b.failed || error_memory(l->error);
    lower_body(l, place);
    apply_fixups(l);
    if (l->module->fmad && !fuse_products(l))
        return error_memory(l->error);
    return lane_end(&l->b, l->error);
}

/* ---- modules ---------------------------------------------------------------------------------------- */

const struct ptx_func *lower_definition(const struct ptx_func *f)
{
    return f->decl->func != NULL ? f->decl->func : f;
}

static bool number_funcs(struct lowerer *l)
{
    for (uint32_t i = 0; i < l->module->nfuncs; i++) {
        struct ptx_func *f = l->module->funcs[i];
        if (lower_definition(f) != f)
            continue;
        f->decl->id = lane_add_func(l->out);
        if (f->decl->id == UINT32_MAX)
            return error_memory(l->error);
    }
    return true;
}

static bool lower_funcs(struct lowerer *l)
{
    struct diag place = {.source = l->module->source, .size = l->module->size};
    bool ok = lower_lines_open(l) || error_memory(l->error);
    for (uint32_t i = 0; ok && i < l->module->nfuncs; i++)
        if (lower_definition(l->module->funcs[i]) == l->module->funcs[i])
            ok = lower_func(l, l->module->funcs[i], &place);
    lower_lines_close(l);
    return ok;
}

bool ptx_lower_all(struct ptx_module *const *modules, unsigned count, struct lane_module *out,
                   struct atoll_error *error)
{
    static bool (*const passes[])(struct lowerer * l) = {number_funcs, lower_symbols, lower_symbol_bytes, lower_funcs};
    struct lowerer l = {
        .out = out, .arena = modules[0]->arena, .error = error, .matcher = PTX_MATCHER(modules[0]->arena)};
    uint32_t functions = 1;
    for (unsigned m = 0; m < count; m++)
        functions += modules[m]->nfuncs;
    l.function_symbols = arena_array(l.arena, functions, sizeof(*l.function_symbols));
    if (l.function_symbols == NULL)
        return error_memory(error);
    for (unsigned pass = 0; pass < sizeof passes / sizeof *passes; pass++)
        for (unsigned m = 0; m < count; m++) {
            l.module = modules[m];
            if (!passes[pass](&l))
                return false;
        }
    return true;
}

bool ptx_lower(struct ptx_module *module, struct lane_module *out, struct atoll_error *error)
{
    return ptx_lower_all(&module, 1, out, error);
}

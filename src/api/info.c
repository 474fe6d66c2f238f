/* Texts about a module: what it holds and uses, plain and as JSON. */
#include "api/api.h"

#include "base/mangled.h"
#include "base/text.h"
#include "engine/plan/reach.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- features -------------------------------------------------------------------------------------------- */

enum feature {
    USES_SURFACES,
    USES_SURFACE_REDUCTIONS,
    USES_SURFACE_ATOMICS,
    USES_GLOBAL_ATOMICS,
    USES_SHARED_ATOMICS,
    USES_GENERIC_ATOMICS,
    USES_BARRIERS,
    USES_WARP_EXCHANGE,
    USES_CALLS,
    USES_INDIRECT_CALLS,
    USES_PRINTF,
    USES_HEAP,
    USES_ASSERT,
    USES_F64,
    USES_HALF,
    FEATURES
};

static const char *const feature_names[FEATURES] = {
    [USES_SURFACES] = "surfaces",
    [USES_SURFACE_REDUCTIONS] = "surface-reductions",
    [USES_SURFACE_ATOMICS] = "surface-atomics",
    [USES_GLOBAL_ATOMICS] = "global-atomics",
    [USES_SHARED_ATOMICS] = "shared-atomics",
    [USES_GENERIC_ATOMICS] = "generic-atomics",
    [USES_BARRIERS] = "barriers",
    [USES_WARP_EXCHANGE] = "warp-exchange",
    [USES_CALLS] = "calls",
    [USES_INDIRECT_CALLS] = "indirect-calls",
    [USES_PRINTF] = "printf",
    [USES_HEAP] = "heap",
    [USES_ASSERT] = "assert",
    [USES_F64] = "f64",
    [USES_HALF] = "half-floats",
};

/* What the mere presence of an operation says, feature + 1; 0 = nothing. */
static const uint8_t feature_of_op[LANE_OPS] = {
    [LANE_OP_suld] = USES_SURFACES + 1,          [LANE_OP_sust] = USES_SURFACES + 1,
    [LANE_OP_suq] = USES_SURFACES + 1,           [LANE_OP_sured] = USES_SURFACE_REDUCTIONS + 1,
    [LANE_OP_suql] = USES_SURFACES + 1,          [LANE_OP_sample] = USES_SURFACES + 1,
    [LANE_OP_suatom] = USES_SURFACE_ATOMICS + 1, [LANE_OP_bar] = USES_BARRIERS + 1,
    [LANE_OP_barred] = USES_BARRIERS + 1,        [LANE_OP_shfl] = USES_WARP_EXCHANGE + 1,
    [LANE_OP_vote] = USES_WARP_EXCHANGE + 1,     [LANE_OP_ballot] = USES_WARP_EXCHANGE + 1,
    [LANE_OP_match] = USES_WARP_EXCHANGE + 1,    [LANE_OP_redux] = USES_WARP_EXCHANGE + 1,
    [LANE_OP_elect] = USES_WARP_EXCHANGE + 1,    [LANE_OP_call] = USES_CALLS + 1,
};

static const uint8_t feature_of_syscall[LANE_SYSCALLS] = {
    [LANE_SYSCALL_VPRINTF] = USES_PRINTF,
    [LANE_SYSCALL_MALLOC] = USES_HEAP,
    [LANE_SYSCALL_FREE] = USES_HEAP,
    [LANE_SYSCALL_ASSERTFAIL] = USES_ASSERT,
};

/* One kernel with the functions that it may run. */
struct summary {
    const struct lane_func *func;
    struct arena arena; /* of `reach` */
    struct reach reach;
    uint64_t instructions;
    uint32_t features; /* set of enum feature */
};

static uint32_t inst_features(const struct lane_func *func, const struct lane_inst *inst)
{
    uint32_t set = 0;
    if (feature_of_op[inst->op])
        set |= UINT32_C(1) << (feature_of_op[inst->op] - 1);
    if (inst->op == LANE_OP_syscall)
        set |= UINT32_C(1) << feature_of_syscall[inst->mode];
    if (inst->op == LANE_OP_atom || inst->op == LANE_OP_red) {
        uint8_t space = func->accesses[inst->aux].space;
        set |= UINT32_C(1) << (space == LANE_SHARED    ? USES_SHARED_ATOMICS
                               : space == LANE_GENERIC ? USES_GENERIC_ATOMICS
                                                       : USES_GLOBAL_ATOMICS);
    }
    if (inst->type == LANE_F64)
        set |= UINT32_C(1) << USES_F64;
    if (inst->type == LANE_F16 || inst->type == LANE_BF16 || inst->type == LANE_F16X2 || inst->type == LANE_BF16X2)
        set |= UINT32_C(1) << USES_HALF;
    return set;
}

static bool summarize(const struct lane_module *module, uint32_t func, struct summary *s)
{
    *s = (struct summary){.func = &module->funcs[func]};
    if (!reach_find(module, func, &s->arena, &s->reach))
        return false;
    for (uint32_t i = 0; i < s->reach.count; i++) {
        const struct lane_func *f = &module->funcs[s->reach.funcs[i]];
        s->instructions += f->ninsts;
        for (uint32_t k = 0; k < f->ninsts; k++)
            s->features |= inst_features(f, &f->insts[k]);
    }
    if (s->reach.indirect)
        s->features |= UINT32_C(1) << USES_INDIRECT_CALLS;
    return true;
}

/* Without memory `out` fails. */
static bool summary_open(const struct lane_module *module, uint32_t func, struct summary *s, struct text *out)
{
    if (summarize(module, func, s))
        return true;
    out->failed = true;
    arena_free(&s->arena);
    return false;
}

/* The known gaps a kernel would run into, in order: `next` starts at 0. NULL = no more. */
static const char *unsupported_next(const struct lane_func *func, uint32_t *next, uint32_t *line)
{
    while (*next < func->ninsts) {
        const struct lane_inst *inst = &func->insts[(*next)++];
        if (inst->op == LANE_OP_unsupported) {
            bool placed = func->places && inst->line && inst->line <= func->nplaces;
            *line = placed ? func->places[inst->line - 1].address : inst->line;
            return func->strings[inst->aux];
        }
    }
    return NULL;
}

/* ---- plain ------------------------------------------------------------------------------------------------- */

static void print_block(struct text *out, const char *directive, const uint32_t block[3])
{
    if (block[0])
        text_printf(out, "  %s: %" PRIu32 " x %" PRIu32 " x %" PRIu32 " threads\n", directive, block[0],
                    block[1] ? block[1] : 1, block[2] ? block[2] : 1);
}

static void print_params(struct text *out, const struct atoll_kernel *kernel)
{
    const struct lane_func *func = &kernel->module->lanes.funcs[kernel->func];
    text_printf(out, "  parameters: %" PRIu32 " (%" PRIu32 " bytes)\n", func->nkparams, func->param_bytes);
    for (uint32_t i = 0; i < func->nkparams; i++) {
        const struct lane_param *p = &func->kparams[i];
        text_printf(out, "    %" PRIu32 "  offset %-5" PRIu32 " %s", i, p->offset, p->type);
        if (p->count != 1)
            text_printf(out, "[%" PRIu32 "]", p->count);
        const char *source = kernel_source_name(kernel, i);
        text_printf(out, "  %s%s%s%s%s%s\n", p->name, source ? " (" : "", source ? source : "", source ? ")" : "",
                    p->pointer ? " (.ptr)" : "", p->optional ? ", optional" : "");
    }
}

/* Items that a family tells of, list by list. */
struct telling {
    struct text *out;
    const char *list; /* under way; NULL: none yet */
};

static bool list_begins(struct telling *t, const struct family_told *told)
{
    bool begins = !t->list || strcmp(t->list, told->list) != 0;
    t->list = told->list;
    return begins;
}

static void print_told(void *user, const struct family_told *told)
{
    struct telling *t = user;
    if (list_begins(t, told))
        text_printf(t->out, "  %s:\n", told->list);
    text_printf(t->out, "    %s", told->name);
    if (told->placed)
        text_printf(t->out, "  offset %" PRIu32 "  %" PRIu32 " bytes", told->offset, told->size);
    if (told->value)
        text_printf(t->out, "  %s", told->value);
    text_puts(t->out, "\n");
}

static void kernel_tell(const struct atoll_kernel *kernel, family_told_fn *told, struct telling *t)
{
    const struct atoll_module *module = kernel->module;
    if (module->family->tell)
        module->family->tell(module->front, (unsigned)(kernel - module->kernels), told, t);
}

static void json_string(struct text *out, const char *name, const char *value)
{
    text_printf(out, "\"%s\":", name);
    text_json(out, value, strlen(value));
}

/* Tells what C++ calls a kernel, where its symbol is made of that. */
static void tell_source_name(const char *symbol, bool json, struct text *out)
{
    struct arena arena = {0};
    const char *plain = mangled_name(&arena, symbol);
    if (plain && json) {
        text_puts(out, ",");
        json_string(out, "source_name", plain);
    } else if (plain)
        text_printf(out, "  in C++: %s\n", plain);
    arena_free(&arena);
}

static void print_kernel(const struct atoll_kernel *kernel, struct text *out)
{
    const struct lane_module *module = &kernel->module->lanes;
    struct summary s;
    if (!summary_open(module, kernel->func, &s, out))
        return;
    text_printf(out, "kernel %s", s.func->name);
    if (s.func->line) /* machine code has none */
        text_printf(out, " (line %" PRIu32 ")", s.func->line);
    text_puts(out, "\n");
    tell_source_name(s.func->name, false, out);
    print_params(out, kernel);
    if (s.func->warp_lanes)
        text_printf(out, "  threads a warp: %" PRIu32 "\n", s.func->warp_lanes);
    kernel_tell(kernel, print_told, &(struct telling){.out = out});
    text_printf(out, "  shared: %" PRIu64 " bytes%s\n", s.reach.shared_bytes,
                s.reach.dynamic_shared ? " and dynamic" : "");
    text_printf(out, "  local: %" PRIu32 " bytes a thread\n", s.func->local_bytes);
    text_printf(out, "  registers: %" PRIu32 "\n  instructions: %" PRIu64 "\n", s.func->nregs, s.instructions);
    print_block(out, ".reqntid", s.func->required_block);
    print_block(out, ".maxntid", s.func->max_block);
    const char *comma = "  uses: ";
    for (int f = 0; f < FEATURES; f++)
        if (s.features >> f & 1) {
            text_printf(out, "%s%s", comma, feature_names[f]);
            comma = ", ";
        }
    text_puts(out, s.features ? "\n" : "");
    for (uint32_t i = 0; i < s.reach.count; i++) {
        const char *what;
        for (uint32_t next = 0, line; (what = unsupported_next(&module->funcs[s.reach.funcs[i]], &next, &line));)
            text_printf(
                out, s.func->places ? "  cannot run: /*%04" PRIx32 "*/: %s\n" : "  cannot run: line %" PRIu32 ": %s\n",
                line, what);
    }
    arena_free(&s.arena);
}

static const char *symbol_kind(const struct lane_symbol *symbol)
{
    switch (symbol->kind) {
    case LANE_SYMBOL_GLOBAL:
        return symbol->constant ? "const" : "global";
    case LANE_SYMBOL_SHARED:
        return symbol->dynamic ? "dynamic shared" : "shared";
    case LANE_SYMBOL_SURFREF:
        return "surfref";
    default:
        return NULL; /* functions are listed with the kernels */
    }
}

void module_info(const struct atoll_module *module, struct text *out)
{
    for (unsigned i = 0; i < module->nsources; i++) {
        struct family_target target;
        module->family->target(module->front, i, &target);
        text_printf(out, "module %s: %s %u.%u, ", module->sources[i].file, target.kind, target.version / 10,
                    target.version % 10);
        if (target.arch)
            text_printf(out, "sm_%u%.1s, ", target.arch, &target.suffix);
        text_printf(out, "%u-bit addresses\n", target.address_size);
    }
    for (uint32_t i = 0; i < module->lanes.nsymbols; i++) {
        const struct lane_symbol *symbol = &module->lanes.symbols[i];
        if (symbol_kind(symbol))
            text_printf(out, "%s %s: %" PRIu64 " bytes\n", symbol_kind(symbol), symbol->name, symbol->size);
    }
    for (uint32_t i = 0; i < module->nkernels; i++)
        print_kernel(&module->kernels[i], out);
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static void json_block(struct text *out, const char *name, const uint32_t block[3])
{
    if (block[0])
        text_printf(out, "\"%s\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],", name, block[0], block[1] ? block[1] : 1,
                    block[2] ? block[2] : 1);
}

static void json_params(struct text *out, const struct atoll_kernel *kernel)
{
    const struct lane_func *func = &kernel->module->lanes.funcs[kernel->func];
    text_puts(out, "\"parameters\":[");
    for (uint32_t i = 0; i < func->nkparams; i++) {
        const struct lane_param *p = &func->kparams[i];
        text_puts(out, i ? ",{" : "{");
        json_string(out, "name", p->name);
        text_puts(out, ",");
        const char *source = kernel_source_name(kernel, i);
        if (source) {
            json_string(out, "source_name", source);
            text_puts(out, ",");
        }
        json_string(out, "type", p->type);
        text_printf(out,
                    ",\"offset\":%" PRIu32 ",\"size\":%" PRIu32 ",\"align\":%" PRIu32 ",\"count\":%" PRIu32
                    ",\"pointer\":%s%s}",
                    p->offset, p->size, p->align, p->count, p->pointer ? "true" : "false",
                    p->optional ? ",\"optional\":true" : "");
    }
    text_puts(out, "],");
}

static void json_features(struct text *out, uint32_t features)
{
    const char *comma = "";
    text_puts(out, "\"uses\":[");
    for (int f = 0; f < FEATURES; f++)
        if (features >> f & 1) {
            text_printf(out, "%s\"%s\"", comma, feature_names[f]);
            comma = ",";
        }
    text_puts(out, "],");
}

static void json_unsupported(const struct lane_module *module, const struct summary *s, struct text *out)
{
    const char *comma = "", *what;
    text_puts(out, "\"unsupported\":[");
    for (uint32_t i = 0; i < s->reach.count; i++)
        for (uint32_t next = 0, line; (what = unsupported_next(&module->funcs[s->reach.funcs[i]], &next, &line));) {
            text_printf(out, "%s{\"line\":%" PRIu32 ",", comma, line);
            json_string(out, "what", what);
            text_puts(out, "}");
            comma = ",";
        }
    text_puts(out, "]");
}

static void json_told(void *user, const struct family_told *told)
{
    struct telling *t = user;
    bool first = !t->list;
    if (list_begins(t, told))
        text_printf(t->out, "%s\"%s\":[{", first ? "" : "],", told->list);
    else
        text_puts(t->out, ",{");
    json_string(t->out, "name", told->name);
    if (told->placed)
        text_printf(t->out, ",\"offset\":%" PRIu32 ",\"size\":%" PRIu32, told->offset, told->size);
    if (told->value) {
        text_puts(t->out, ",");
        json_string(t->out, "value", told->value);
    }
    text_puts(t->out, "}");
}

static void json_tell(const struct atoll_kernel *kernel, struct text *out)
{
    struct telling t = {.out = out};
    kernel_tell(kernel, json_told, &t);
    if (t.list)
        text_puts(out, "],");
}

static void json_kernel(const struct atoll_kernel *kernel, struct text *out)
{
    const struct lane_module *module = &kernel->module->lanes;
    struct summary s;
    if (!summary_open(module, kernel->func, &s, out))
        return;
    text_puts(out, "{");
    json_string(out, "name", s.func->name);
    tell_source_name(s.func->name, true, out);
    text_printf(out, ",\"line\":%" PRIu32 ",\"parameter_bytes\":%" PRIu32 ",", s.func->line, s.func->param_bytes);
    json_params(out, kernel);
    if (s.func->warp_lanes)
        text_printf(out, "\"warp_lanes\":%" PRIu32 ",", s.func->warp_lanes);
    json_tell(kernel, out);
    text_printf(out,
                "\"shared_bytes\":%" PRIu64 ",\"dynamic_shared\":%s,\"local_bytes\":%" PRIu32 ",\"registers\":%" PRIu32
                ",\"instructions\":%" PRIu64 ",",
                s.reach.shared_bytes, s.reach.dynamic_shared ? "true" : "false", s.func->local_bytes, s.func->nregs,
                s.instructions);
    json_block(out, "required_block", s.func->required_block);
    json_block(out, "max_block", s.func->max_block);
    json_features(out, s.features);
    json_unsupported(module, &s, out);
    text_puts(out, "}");
    arena_free(&s.arena);
}

void module_info_json(const struct atoll_module *module, struct text *out)
{
    struct family_target target;
    const char *comma = "";
    module->family->target(module->front, 0, &target);
    text_puts(out, "{\"atoll\":{\"version\":1,\"kind\":\"info\"},");
    json_string(out, "file", module->file);
    for (unsigned i = 0; i < module->nsources && module->nsources > 1; i++) {
        text_puts(out, i ? "," : ",\"files\":[");
        text_json(out, module->sources[i].file, strlen(module->sources[i].file));
        text_puts(out, i + 1 < module->nsources ? "" : "]");
    }
    text_printf(out, ",\"version\":\"%u.%u\",", target.version / 10, target.version % 10);
    if (target.arch)
        text_printf(out, "\"target\":\"sm_%u%.1s\",", target.arch, &target.suffix);
    text_printf(out, "\"address_size\":%u,\"variables\":[", target.address_size);
    for (uint32_t i = 0; i < module->lanes.nsymbols; i++) {
        const struct lane_symbol *symbol = &module->lanes.symbols[i];
        if (!symbol_kind(symbol))
            continue;
        text_printf(out, "%s{", comma);
        json_string(out, "name", symbol->name);
        text_puts(out, ",");
        json_string(out, "kind", symbol_kind(symbol));
        text_printf(out, ",\"size\":%" PRIu64 ",\"align\":%" PRIu32 ",\"count\":%" PRIu32 "}", symbol->size,
                    symbol->align, symbol->count);
        comma = ",";
    }
    text_puts(out, "],\"kernels\":[");
    for (uint32_t i = 0; i < module->nkernels; i++) {
        text_puts(out, i ? "," : "");
        json_kernel(&module->kernels[i], out);
    }
    text_puts(out, "]}\n");
}

/* Lowering of call: arguments and results in the local frame, host services, and the address of functions. */
#include "isa/ptx/lower.h"

#include <string.h>

enum { MAX_ARGS = 255 };

struct call {
    const struct insn_operand *results, *target, *params, *proto; /* NULL = absent */
    const struct ptx_func *signature;                             /* NULL = unknown */
    bool indirect;
};

static struct call read_call(const struct insn *insn)
{
    struct call call = {0};
    unsigned next = 0;
    const struct insn_operand *ops = insn->operands;
    if (next < insn->noperands && ops[next].kind == INSN_ARGS)
        call.results = &ops[next++];
    call.target = &ops[next++];
    if (next < insn->noperands && ops[next].kind == INSN_ARGS)
        call.params = &ops[next++];
    if (next < insn->noperands)
        call.proto = &ops[next];
    call.indirect = call.target->kind == INSN_REG;
    const struct ptx_decl *decl = call.indirect && call.proto != NULL ? call.proto->decl : call.target->decl;
    if (decl != NULL && decl->kind == PTX_DECL_TARGETS)
        decl = decl->ntargets > 0 ? decl->targets[0].decl : NULL;
    call.signature = decl != NULL ? decl->func : NULL;
    return call;
}

static bool is_param(const struct insn_operand *op)
{
    return op->kind == INSN_SYMBOL && op->decl != NULL && op->decl->kind == PTX_DECL_FPARAM &&
           op->decl->space != PTX_reg;
}

static struct lane_slot slot_of(struct lowerer *l, const struct ptx_decl *decl)
{
    return (struct lane_slot){lower_local(l, decl), (uint32_t)lower_decl_bytes(decl), lower_decl_align(decl)};
}

/* A place in the frame for a value that travels in a register. */
static struct lane_slot fresh_slot(struct lowerer *l, const struct ptx_decl *formal)
{
    uint32_t size = (uint32_t)lower_decl_bytes(formal), align = lower_decl_align(formal);
    return (struct lane_slot){lane_local(&l->b, size, align), size, align};
}

static struct lane_slot argument(struct lowerer *l, const struct insn_operand *op, const struct ptx_decl *formal)
{
    if (is_param(op))
        return slot_of(l, op->decl);
    struct lane_slot slot = fresh_slot(l, formal);
    struct lane_operand value;
    if (op->kind == INSN_SYMBOL && op->decl != NULL && op->decl->kind == PTX_DECL_PARAM) {
        value = lower_temp(l, formal->type);
        lower_load(l, value, ptx_type_lane(formal->type), LANE_PARAM, op->decl->id);
    } else {
        value = lower_source(l, op, formal->type);
    }
    lower_store(l, ptx_type_lane(formal->type), slot.local, value);
    return slot;
}

static struct lane_slot result(struct lowerer *l, const struct insn_operand *op, const struct ptx_decl *formal)
{
    return is_param(op) ? slot_of(l, op->decl) : fresh_slot(l, formal);
}

static void take_results(struct lowerer *l, const struct call *call, const struct lane_slot *slots)
{
    for (uint32_t i = 0; call->results != NULL && i < call->results->count; i++) {
        const struct insn_operand *op = &call->results->children[i];
        if (op->kind != INSN_REG)
            continue;
        uint16_t type = call->signature->results[i]->type;
        struct lane_operand d = lower_dest(l, op, type, true);
        lower_load(l, d, ptx_type_lane(type), LANE_LOCAL, slots[i].local);
        lower_finish(l, op, type, d);
    }
}

static void emit_call(struct lowerer *l, const struct call *call, const struct ptx_form *form)
{
    struct lane_slot args[MAX_ARGS], results[MAX_ARGS];
    struct lane_call c = {.function = UINT32_MAX, .args = args, .results = results};
    const struct ptx_func *f = call->signature;
    for (; call->params != NULL && c.nargs < call->params->count && c.nargs < f->nparams; c.nargs++)
        args[c.nargs] = argument(l, &call->params->children[c.nargs], f->params[c.nargs]);
    for (; call->results != NULL && c.nresults < call->results->count && c.nresults < f->nresults; c.nresults++)
        results[c.nresults] = result(l, &call->results->children[c.nresults], f->results[c.nresults]);
    struct lane_operand target = {LANE_NONE, 0};
    if (call->indirect)
        target = lower_source(l, call->target, PTX_u64);
    else
        c.function = f->decl->id;
    uint32_t index = lane_call(&l->b, &c);
    struct lane_inst *inst = lane_emit(&l->b, LANE_OP_call, LANE_VOID, 0, NULL, call->indirect ? 1 : 0, &target);
    inst->aux = index;
    inst->flags = lower_flags(form);
    take_results(l, call, results);
}

/* ---- host services --------------------------------------------------------------------------------------------- */

static const struct service {
    const char *name;
    uint8_t call, args;
    bool result, wide; /* returns a value; of 64 bits */
} services[] = {
    {"vprintf", LANE_SYSCALL_VPRINTF, 2, true, false},
    {"malloc", LANE_SYSCALL_MALLOC, 1, true, true},
    {"free", LANE_SYSCALL_FREE, 1, false, false},
    {"__assertfail", LANE_SYSCALL_ASSERTFAIL, 5, false, false},
};

static const struct service *find_service(const char *name)
{
    for (unsigned i = 0; i < sizeof(services) / sizeof(services[0]); i++)
        if (strcmp(services[i].name, name) == 0)
            return &services[i];
    return NULL;
}

bool lower_is_service(const char *name)
{
    return find_service(name) != NULL;
}

/* An argument as 64 bits, whatever the size of its parameter. */
static struct lane_operand wide_argument(struct lowerer *l, const struct insn_operand *op)
{
    if (!is_param(op))
        return lower_source(l, op, PTX_u64);
    uint64_t bytes = lower_decl_bytes(op->decl);
    enum lane_type type = bytes >= 8 ? LANE_U64 : bytes >= 4 ? LANE_U32 : bytes >= 2 ? LANE_U16 : LANE_U8;
    struct lane_operand value = lower_temp(l, PTX_u64);
    lower_load(l, value, type, LANE_LOCAL, lower_local(l, op->decl));
    return value;
}

static void service_result(struct lowerer *l, const struct insn_operand *op, struct lane_operand value, bool wide)
{
    uint16_t type = wide ? PTX_u64 : PTX_u32;
    if (is_param(op)) {
        lower_store(l, ptx_type_lane(type), lower_local(l, op->decl), value);
        return;
    }
    if (op->kind != INSN_REG)
        return;
    struct lane_operand d = lower_dest(l, op, type, true);
    lower_emit(l, LANE_OP_mov, wide ? PTX_b64 : PTX_b32, 1, &d, 1, &value);
    lower_finish(l, op, type, d);
}

static void emit_service(struct lowerer *l, const struct call *call, const struct service *service)
{
    struct lane_operand src[8], dst[2] = {lower_temp(l, PTX_u32), {LANE_NONE, 0}}, value = dst[0];
    for (unsigned i = 0; i < service->args; i++)
        src[i] = wide_argument(l, &call->params->children[i]);
    unsigned ndst = service->result ? (service->wide ? 2 : 1) : 0;
    if (service->wide)
        dst[1] = lower_temp(l, PTX_u32);
    lane_emit(&l->b, LANE_OP_syscall, LANE_VOID, ndst, dst, service->args, src)->mode = service->call;
    if (service->wide) {
        value = lower_temp(l, PTX_u64);
        lower_emit(l, LANE_OP_pack, PTX_b64, 1, &value, 2, dst)->type2 = LANE_B32;
    }
    if (service->result && call->results != NULL && call->results->count > 0)
        service_result(l, &call->results->children[0], value, service->wide);
}

void lower_call(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct call call = read_call(insn);
    if (call.signature == NULL) {
        lower_unsupported(l, "call without a signature");
        return;
    }
    if (!call.indirect && !call.signature->has_body) {
        const char *name = call.signature->decl->name;
        const struct service *service = find_service(name);
        if (service != NULL && call.params != NULL && call.params->count == service->args)
            emit_service(l, &call, service);
        else
            lower_unsupported(l, "call of the external function %.100s", name);
        return;
    }
    emit_call(l, &call, form);
}

uint32_t lower_function_symbol(struct lowerer *l, const struct ptx_func *func)
{
    const struct ptx_func *f = lower_definition(func);
    uint32_t *number = &l->function_symbols[f->decl->id];
    if (*number != 0)
        return *number;
    struct lane_symbol symbol = {.kind = LANE_SYMBOL_FUNCTION,
                                 .function = f->decl->id,
                                 .align = 1,
                                 .name = arena_text(&l->out->arena, f->decl->name, strlen(f->decl->name))};
    *number = symbol.name != NULL ? lane_add_symbol(l->out, &symbol) : 0;
    l->b.failed |= *number == 0;
    return *number;
}

/* What single instructions want beyond their row's notation. The rules are those that ptxas 13 was seen to apply. */
#include "isa/ptx/check.h"

#include <string.h>

bool check_boolop(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    bool has = insn->noperands == 4;
    if (has && form->op == 0)
        return check_error(c, insn->operands[3].span, "operand-count",
                           "a fourth operand needs a boolean operation: .and .or .xor");
    if (!has && form->op != 0)
        return check_error(c, insn->name, "operand-count", "'%s' with .%s needs a fourth operand", form->row->name,
                           ptx_keyword_text(form->op));
    if (insn->operands[0].kind == INSN_PIPE && (form->types[0] == PTX_bf16 || form->types[0] == PTX_f16))
        return check_error(c, insn->operands[0].span, "operand-type", "setp of one half has one predicate");
    return true;
}

bool check_three(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    return insn->noperands < 4 || check_gate(c, insn->operands[3].span, 88, 100, "a third value");
}

bool check_pipe(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (insn->operands[0].kind == INSN_PIPE)
        return true;
    return check_error(c, insn->operands[0].span, "operand-type", "'%s' needs a predicate output: d|p",
                       form->row->name);
}

/* ---- mov ------------------------------------------------------------------------------------------- */

static bool check_parts(struct checker *c, const struct insn_operand *op, uint16_t type, bool dest)
{
    unsigned count = op->kind == INSN_TUPLE ? op->count : op->decl->vec;
    uint16_t part = count > 0 ? ptx_bits_type(ptx_type_bits(type) / count) : 0;
    if (ptx_type_kind(type) != 'b' || part == 0 || ptx_type_bits(part) * count != ptx_type_bits(type) || count > 4)
        return check_error(c, op->span, "operand-type", "a vector of %u cannot be moved as .%s", count,
                           ptx_keyword_text(type));
    if (op->kind == INSN_REG)
        return ptx_type_fits(op->decl->type, part, false) ||
               check_error(c, op->span, "operand-type", "the register's elements are .%s; .%s is wanted",
                           ptx_keyword_text(op->decl->type), ptx_keyword_text(part));
    bool ok = true;
    for (unsigned i = 0; i < count; i++) {
        const struct insn_operand *child = &op->children[i];
        if (dest && child->kind == INSN_SINK)
            continue;
        ok &= dest ? check_dest(c, child, part, false) : check_source(c, child, part, false);
    }
    return ok;
}

static bool check_mov_sreg(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    uint16_t is = (uint16_t)ptx_sreg_type((unsigned)op->value);
    unsigned have = ptx_type_bits(is), want = ptx_type_bits(type);
    if (ptx_type_kind(type) != 'f' && (have == want || (have == 32 && want == 16)))
        return true;
    return check_error(c, op->span, "operand-type", "%%%s is .%s; .%s is wanted", ptx_sreg_name((unsigned)op->value),
                       ptx_keyword_text(is), ptx_keyword_text(type));
}

static bool check_mov_symbol(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    const struct ptx_decl *decl = op->decl;
    char kind = ptx_type_kind(type);
    if (decl == NULL || decl->kind == PTX_DECL_LABEL || decl->kind == PTX_DECL_PROTO || decl->kind == PTX_DECL_TARGETS)
        return check_error(c, op->span, "operand-type", "this name has no address to move");
    if (kind == 'f' || kind == 'p' || ptx_type_bits(type) > 64)
        return check_error(c, op->span, "operand-type", "an address cannot be moved as .%s", ptx_keyword_text(type));
    if (ptx_type_kind(decl->type) == 'o' && ptx_type_bits(type) != 64)
        return check_error(c, op->span, "operand-type", "indirect access to '%s' requires .u64", decl->name);
    return true;
}

bool check_mov(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (insn->noperands != 2)
        return check_error(c, insn->name, "operand-count", "'mov' takes 2 operands, not %u", insn->noperands);
    const struct insn_operand *d = &insn->operands[0], *a = &insn->operands[1];
    uint16_t type = form->types[0];
    bool ok = insn_is_vector(d) ? check_parts(c, d, type, true) : check_dest(c, d, type, false);
    if (a->kind == INSN_SREG && ptx_sreg_width((unsigned)a->value) > 1)
        return check_error(c, a->span, "operand-type", "%%%s is a vector; write .x, .y or .z, or mov.v4",
                           ptx_sreg_name((unsigned)a->value));
    if (a->kind == INSN_SREG)
        return check_mov_sreg(c, a, type) && ok;
    if (a->kind == INSN_SYMBOL)
        return check_mov_symbol(c, a, type) && ok;
    if (a->kind == INSN_NOT && type == PTX_pred)
        return check_source(c, &a->children[0], type, false) && ok;
    return (insn_is_vector(a) ? check_parts(c, a, type, false) : check_source(c, a, type, false)) && ok;
}

static bool check_elements(struct checker *c, const struct insn_operand *op, uint16_t type, unsigned vec, bool dest)
{
    if (op->kind == INSN_BAD)
        return false;
    if (!insn_is_vector(op) || (op->kind == INSN_TUPLE ? op->count : op->decl->vec) != vec)
        return check_error(c, op->span, "operand-type", "a vector of %u elements is wanted", vec);
    if (op->kind == INSN_REG)
        return ptx_type_fits(op->decl->type, type, false) ||
               check_error(c, op->span, "operand-type", "the register's elements are .%s; .%s is wanted",
                           ptx_keyword_text(op->decl->type), ptx_keyword_text(type));
    bool ok = true;
    for (unsigned i = 0; i < vec; i++)
        if (dest && op->children[i].kind != INSN_SINK)
            ok &= check_dest(c, &op->children[i], type, false);
        else if (!dest)
            ok &= check_source(c, &op->children[i], type, false);
    return ok;
}

bool check_mov_vector(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *a = &insn->operands[1];
    bool ok = check_elements(c, &insn->operands[0], form->types[0], form->vec, true);
    if (a->kind != INSN_SREG)
        return check_elements(c, a, form->types[0], form->vec, false) && ok;
    if (ptx_sreg_width((unsigned)a->value) == form->vec)
        return check_mov_sreg(c, a, form->types[0]) && ok;
    return check_error(c, a->span, "operand-type", "%%%s is no vector of %u", ptx_sreg_name((unsigned)a->value),
                       form->vec);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* At most 128 bits; 256 with 32-bit or 64-bit elements from global memory (PTX 8.8, sm_100). */
static bool check_vector_size(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned element = ptx_type_bits(form->types[0]), bits = element * form->vec;
    if (bits <= 128 && form->vec <= 4)
        return true;
    bool wide = bits == 256 && (element == 32 || element == 64) && form->row != &ptx_row_ldu;
    if (!wide || (form->space != 0 && form->space != PTX_global))
        return check_error(c, insn->name, "illegal-modifier", "%u elements of .%s exceed the limit of 128 bits",
                           form->vec, ptx_keyword_text(form->types[0]));
    return check_gate(c, insn->name, 88, 100, "a 256-bit access");
}

static bool check_policy(struct checker *c, const struct insn *insn, const struct ptx_form *form, unsigned plain)
{
    bool has = insn->noperands > plain;
    if (has == ptx_form_has(form, PTX_L2__cache_hint))
        return true;
    return check_error(c, insn->name, "operand-count",
                       has ? "a cache policy operand needs .L2::cache_hint"
                           : ".L2::cache_hint needs a cache policy operand");
}

bool check_ld(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_vector_size(c, insn, form) && check_policy(c, insn, form, 2);
}

bool check_st(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *base = &insn->operands[0].children[0];
    if (base->kind == INSN_SYMBOL && base->decl != NULL && base->decl->kind == PTX_DECL_PARAM)
        return check_error(c, base->span, "operand-space", "'%s' is a kernel parameter; it cannot be written",
                           base->decl->name);
    return check_vector_size(c, insn, form) && check_policy(c, insn, form, 2);
}

bool check_line_size(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (insn->operands[1].value == 128)
        return true;
    return check_error(c, insn->operands[1].span, "operand-range", "'%s' works on lines of 128 bytes", form->row->name);
}

/* Can every value of an integer type be held by another? */
static bool holds(uint16_t to, uint16_t from)
{
    unsigned a = ptx_type_bits(to), b = ptx_type_bits(from);
    if (ptx_type_kind(to) == ptx_type_kind(from))
        return a >= b;
    return ptx_type_kind(to) == 's' && a > b;
}

bool check_cvt(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    uint16_t to = form->types[0], from = form->types[1];
    const struct insn_operand *a = &insn->operands[1];
    if (a->kind == INSN_SREG && (ptx_type_kind(to) == 'f' || ptx_sreg_width((unsigned)a->value) > 1))
        return check_error(c, a->span, "operand-type", "%%%s cannot be converted here; mov it first",
                           ptx_sreg_name((unsigned)a->value));
    if (!ptx_form_has(form, PTX_sat) || ptx_type_kind(to) == 'f' || ptx_type_kind(from) == 'f' || !holds(to, from) ||
        ptx_form_has(form, PTX_pack))
        return true;
    return check_error(c, insn->name, "illegal-modifier", "cvt.sat is not allowed where .%s holds every .%s",
                       ptx_keyword_text(to), ptx_keyword_text(from));
}

/* fp8 came to sm_89 after sm_90 (PTX ISA, cvt, "PTX ISA Notes"). */
bool check_cvt_fp8(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    return c->module->target != 89 || check_gate(c, insn->name, 81, 89, "fp8 on sm_89");
}

/* ptxas takes any register of 32 bits for the .bf16x2 of these. */
bool check_cvt_ue8m0(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *op = &insn->operands[form->types[0] == PTX_bf16x2 ? 0 : 1];
    uint16_t type = ptx_operand_type(op);
    return (type != 0 && ptx_type_bits(type) == 32) ||
           check_error(c, op->span, "operand-type", "a register of 32 bits is wanted");
}

bool check_mixed_bf16(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    for (unsigned i = 1; i + 1U < insn->noperands; i++)
        if (ptx_operand_type(&insn->operands[i]) == PTX_f16)
            return check_error(c, insn->operands[i].span, "operand-type", "register is .f16; .%s is wanted",
                               ptx_keyword_text(form->types[1]));
    return true;
}

/* Values to be packed are integers; c alone has any 32 bits. */
bool check_cvt_pack(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    for (unsigned i = 0; i < 3; i++) {
        uint16_t type = ptx_operand_type(&insn->operands[i]);
        if (type != 0 && ptx_type_kind(type) == 'f')
            return check_error(c, insn->operands[i].span, "operand-type", "cvt.pack takes integers; this is .%s",
                               ptx_keyword_text(type));
    }
    return true;
}

static bool check_random_bits(struct checker *c, const struct insn_operand *op)
{
    return ptx_operand_type(op) == PTX_b32 ||
           check_error(c, op->span, "operand-type", "random bits are a register of type .b32");
}

bool check_cvt_random(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_cvt(c, insn, form) && check_random_bits(c, &insn->operands[3]);
}

bool check_cvt_random4(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (insn->noperands != 3)
        return check_error(c, insn->name, "operand-count",
                           "cvt.rs takes d, {a, b, e, f}, rbits here; %u operands given", insn->noperands);
    const struct insn_operand *from = &insn->operands[1];
    if (from->kind != INSN_TUPLE || from->count != 4)
        return check_error(c, from->span, "operand-type", "four values {a, b, e, f} are wanted");
    bool ok = check_dest(c, &insn->operands[0], form->types[0], false);
    for (unsigned i = 0; i < 4; i++)
        ok &= check_source(c, &from->children[i], PTX_f32, false);
    return check_random_bits(c, &insn->operands[2]) && ok;
}

static bool same_space(uint16_t a, uint16_t b)
{
    const char *x = ptx_keyword_text(a), *y = ptx_keyword_text(b);
    size_t n = strcspn(x, ":");
    return n == strcspn(y, ":") && memcmp(x, y, n) == 0;
}

bool check_cvta(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (insn->noperands != 2)
        return check_error(c, insn->name, "operand-count", "'cvta' takes 2 operands, not %u", insn->noperands);
    const struct insn_operand *a = &insn->operands[1];
    bool ok = check_dest(c, &insn->operands[0], form->types[0], false);
    if (a->kind != INSN_SYMBOL)
        return check_source(c, a, form->types[0], false) && ok;
    const struct ptx_decl *decl = a->decl;
    bool variable =
        decl != NULL && (decl->kind == PTX_DECL_VAR || decl->kind == PTX_DECL_PARAM || decl->kind == PTX_DECL_FPARAM);
    if (!variable)
        return check_error(c, a->span, "operand-type", "this name has no address in .%s",
                           ptx_keyword_text(form->space));
    if (!same_space(decl->space, form->space))
        return check_error(c, a->span, "operand-space", "'%s' is in .%s, not in .%s", decl->name,
                           ptx_keyword_text(decl->space), ptx_keyword_text(form->space));
    return ok;
}

bool check_isspacep(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *a = &insn->operands[1];
    (void)form;
    uint16_t type = ptx_operand_type(a);
    if (type != 0 && ptx_type_bits(type) == 32)
        return check_source(c, a, PTX_u32, false);
    return check_source(c, a, PTX_u64, false);
}

/* A register, or a constant above 0 and up to 1. */
bool check_fraction(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    const struct insn_operand *a = insn->noperands > 1 ? &insn->operands[1] : NULL;
    double value = 1;
    if (a == NULL)
        return true;
    if (!check_source(c, a, PTX_f32, false))
        return false;
    if (a->kind == INSN_F64) {
        memcpy(&value, &a->value, sizeof(value));
    } else if (a->kind == INSN_F32) {
        uint32_t bits = (uint32_t)a->value;
        float single;
        memcpy(&single, &bits, sizeof(single));
        value = single;
    }
    return (value > 0 && value <= 1) ||
           check_error(c, a->span, "operand-range", "the fraction must be above 0 and at most 1");
}

bool check_st_async(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_vector_size(c, insn, form);
}

/* The size is a register of 64 bits or a multiple of 8; the value can only be 0. */
bool check_st_bulk(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    const struct insn_operand *size = &insn->operands[1], *value = &insn->operands[2];
    if (size->kind == INSN_INT && (size->value % 8 != 0 || size->value > 16777216))
        return check_error(c, size->span, "operand-range", "the size must be a multiple of 8, at most 16777216");
    if (size->kind != INSN_INT && !check_source(c, size, PTX_u64, false))
        return false;
    return (value->kind == INSN_INT && value->value == 0) ||
           check_error(c, value->span, "operand-range", "st.bulk stores 0 only");
}

/* ---- flow ------------------------------------------------------------------------------------------- */

bool check_brx(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    const struct insn_operand *list = &insn->operands[1];
    if (list->kind == INSN_SYMBOL && list->decl != NULL && list->decl->kind == PTX_DECL_TARGETS)
        return true;
    return check_error(c, list->span, "operand-type", "brx.idx needs the name of a .branchtargets list");
}

static uint64_t decl_bytes(const struct ptx_decl *decl)
{
    return decl->elements * (decl->vec > 1 ? decl->vec : 1) * (ptx_type_bits(decl->type) / 8);
}

static bool check_arg(struct checker *c, const struct insn_operand *op, const struct ptx_decl *formal, bool result)
{
    if (op->kind == INSN_SYMBOL && op->decl != NULL &&
        (op->decl->kind == PTX_DECL_FPARAM || op->decl->kind == PTX_DECL_PARAM)) {
        if (decl_bytes(op->decl) == decl_bytes(formal) || formal->unsized)
            return true;
        return check_error(c, op->span, "operand-type", "'%s' has %llu bytes; the parameter has %llu", op->decl->name,
                           (unsigned long long)decl_bytes(op->decl), (unsigned long long)decl_bytes(formal));
    }
    if (result)
        return op->kind == INSN_SINK || check_dest(c, op, formal->type, false);
    return check_source(c, op, formal->type, false);
}

static bool check_args(struct checker *c, const struct insn *insn, const struct insn_operand *args,
                       struct ptx_decl *const *formals, uint32_t count, bool result)
{
    uint32_t given = args != NULL ? args->count : 0;
    if (given != count)
        return check_error(c, args != NULL ? args->span : insn->name, "operand-count",
                           "the function has %u %s%s; %u given", count, result ? "result" : "parameter",
                           count == 1 ? "" : "s", given);
    bool ok = true;
    for (uint32_t i = 0; i < count; i++)
        ok &= check_arg(c, &args->children[i], formals[i], result);
    return ok;
}

static bool check_callee(struct checker *c, const struct insn *insn, const struct insn_operand *target,
                         const struct insn_operand *proto, const struct ptx_func **signature)
{
    *signature = NULL;
    if (target->kind == INSN_BAD)
        return false;
    if (target->kind == INSN_SYMBOL && target->decl != NULL && target->decl->kind == PTX_DECL_FUNC) {
        *signature = target->decl->func;
        if (target->decl->func != NULL && target->decl->func->entry)
            return check_error(c, target->span, "operand-type", "'%s' is an .entry; it cannot be called",
                               target->decl->name);
        return true;
    }
    if (target->kind != INSN_REG)
        return check_error(c, target->span, "operand-type",
                           "call needs a function or a register that holds its address");
    if (!check_source(c, target, PTX_u64, false))
        return false;
    if (proto == NULL || proto->kind != INSN_SYMBOL || proto->decl == NULL ||
        (proto->decl->kind != PTX_DECL_PROTO && proto->decl->kind != PTX_DECL_TARGETS))
        return check_error(c, insn->name, "operand-count",
                           "an indirect call needs a .callprototype or .calltargets name");
    if (proto->decl->kind == PTX_DECL_PROTO)
        *signature = proto->decl->func;
    else if (proto->decl->ntargets > 0 && proto->decl->targets[0].decl != NULL)
        *signature = proto->decl->targets[0].decl->func;
    return true;
}

bool check_call(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    unsigned next = 0;
    const struct insn_operand *ops = insn->operands, *results = NULL, *params = NULL, *proto = NULL;
    if (next < insn->noperands && ops[next].kind == INSN_ARGS)
        results = &ops[next++];
    if (next >= insn->noperands)
        return check_error(c, insn->name, "operand-count", "call needs a function");
    const struct insn_operand *target = &ops[next++];
    if (next < insn->noperands && ops[next].kind == INSN_ARGS)
        params = &ops[next++];
    if (next < insn->noperands)
        proto = &ops[next++];
    if (next < insn->noperands)
        return check_error(c, ops[next].span, "operand-count", "call takes no further operand");
    const struct ptx_func *signature;
    if (!check_callee(c, insn, target, proto, &signature))
        return false;
    if (signature == NULL)
        return true;
    bool ok = check_args(c, insn, results, signature->results, signature->nresults, true);
    return check_args(c, insn, params, signature->params, signature->nparams, false) && ok;
}

/* ---- barriers and warps ------------------------------------------------------------------------------- */

bool check_bar(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned first = ptx_form_has(form, PTX_red) ? 1 : 0;
    unsigned count = insn->noperands - first - first; /* without destination and predicate */
    if (ptx_form_has(form, PTX_warp) || insn->noperands <= first)
        return true;
    const struct insn_operand *number = &insn->operands[first];
    if (number->kind == INSN_INT && number->value > 15)
        return check_error(c, number->span, "operand-range", "barrier %lld does not exist; barriers are 0 to 15",
                           (long long)number->value);
    const struct insn_operand *threads = count > 1 ? &insn->operands[first + 1] : NULL;
    if (threads != NULL && threads->kind == INSN_INT && threads->value % LANES != 0)
        return check_error(c, threads->span, "operand-range",
                           "the thread count %lld is not a multiple of the warp size", (long long)threads->value);
    return true;
}

bool check_pmevent(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    uint64_t most = ptx_form_has(form, PTX_mask) ? 65535 : 15;
    return insn->operands[0].value <= most ||
           check_error(c, insn->operands[0].span, "operand-range", "events are 0 to %llu", (unsigned long long)most);
}

bool check_setmaxnreg(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    uint64_t count = insn->operands[0].value;
    return (count >= 24 && count <= 256 && count % 8 == 0) ||
           check_error(c, insn->operands[0].span, "operand-range", "the count must be 24 to 256, in steps of 8");
}

bool check_no_sync(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (c->module->version < 64 || c->module->target < 70)
        return true;
    return check_error(c, insn->name, "missing-modifier",
                       "'%s' without .sync is gone on sm_70 and higher from PTX 6.4; write .sync and a member mask",
                       form->row->name);
}

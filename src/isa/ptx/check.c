/* Validates instructions against their rows: modifiers, gates, operands by the row's notation. What a row wants beyond
 * its notation is in check_rows.c; declarations are in check_decl.c; messages about modifiers in check_mods.c. */
#include "isa/ptx/check.h"
#include "isa/ptx/check_mods.h"
#include "isa/ptx/tuple.h"
#include "isa/ptx/vector.h"

#include <stdarg.h>
#include <stdio.h>

bool check_error(struct checker *c, struct span span, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_report_list(c->diag, ATOLL_ERROR, code, span.pos, span.length, format, args);
    va_end(args);
    return false;
}

bool check_count_is(struct checker *c, const struct insn *insn, unsigned count)
{
    return insn->noperands == count ||
           check_error(c, insn->name, "operand-count", "'%s' takes %u operands here, not %u", insn->row->name, count,
                       insn->noperands);
}

bool check_gate(struct checker *c, struct span span, unsigned version, unsigned target, const char *what)
{
    if (version > c->module->version)
        return check_error(c, span, "needs-version", "%s needs PTX %u.%u; the module says %u.%u", what, version / 10,
                           version % 10, c->module->version / 10, c->module->version % 10);
    if (target > c->module->target)
        return check_error(c, span, "needs-target", "%s needs sm_%u; the module says sm_%u", what, target,
                           c->module->target);
    return true;
}

/* ---- operands ------------------------------------------------------------------------------------- */

uint16_t ptx_operand_type(const struct insn_operand *op)
{
    return op->kind == INSN_REG && op->decl != NULL ? op->decl->type : 0;
}

/* PTX ISA, "Type Checking": .b types agree with everything of their size, integers with integers, a float with the
 * same float. ptxas treats .f16x2 registers as .b32, except where a plain .f32 is wanted. */
bool ptx_type_fits(uint16_t reg, uint16_t want, bool relaxed)
{
    char have = ptx_type_kind(reg), need = ptx_type_kind(want);
    if (have == 'p' || need == 'p')
        return have == need;
    if (have == 'o' || have == 0)
        return false;
    bool same = ptx_type_bits(reg) == ptx_type_bits(want);
    bool wider = relaxed && ptx_type_bits(reg) > ptx_type_bits(want);
    if (reg == PTX_f16x2 || reg == PTX_bf16x2 || reg == PTX_f32x2)
        return same && (need != 'f' || want == reg);
    if (need == 'b' || have == 'b')
        return same || wider;
    if (need == 'f')
        return reg == want;
    return have != 'f' && (same || wider);
}

static bool wrong_register(struct checker *c, const struct insn_operand *op, uint16_t type, bool relaxed)
{
    uint16_t reg = op->decl->type;
    if (op->decl->vec > 1 && op->part == 0)
        return check_error(c, op->span, "operand-type", "a vector register stands where one .%s value is wanted",
                           ptx_keyword_text(type));
    return check_error(c, op->span, "operand-type", "register is .%s; .%s%s is wanted", ptx_keyword_text(reg),
                       ptx_keyword_text(type), relaxed ? " or a wider one of its kind" : "");
}

static bool check_register(struct checker *c, const struct insn_operand *op, uint16_t type, bool relaxed)
{
    bool whole_vector = op->decl->vec > 1 && op->part == 0;
    if (!whole_vector && ptx_type_fits(op->decl->type, type, relaxed))
        return true;
    return wrong_register(c, op, type, relaxed);
}

static bool check_immediate(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    char kind = ptx_type_kind(type);
    const char *name = ptx_keyword_text(type);
    if (op->kind == INSN_INT && (type == PTX_u16x2 || type == PTX_s16x2))
        return check_error(c, op->span, "operand-type", "packed .%s has no constants here", name);
    if (op->kind == INSN_INT)
        return kind != 'f' ||
               check_error(c, op->span, "operand-type",
                           "an integer stands where .%s is wanted; write a float (0f3f800000, 1.0)", name);
    unsigned bits = op->kind == INSN_F32 ? 32 : 64;
    if (type == PTX_f32 || type == PTX_f64 || (kind == 'b' && ptx_type_bits(type) == bits))
        return true;
    return check_error(c, op->span, "operand-type", "a float stands where .%s is wanted", name);
}

static const char *kind_name(const struct insn_operand *op)
{
    static const char *const names[] = {
        [INSN_NONE] = "nothing",      [INSN_REG] = "a register",           [INSN_SREG] = "a special register",
        [INSN_SYMBOL] = "a name",     [INSN_INT] = "an integer",           [INSN_F32] = "a float",
        [INSN_F64] = "a float",       [INSN_TUPLE] = "a vector",           [INSN_ARGS] = "an argument list",
        [INSN_MEM] = "an address",    [INSN_PIPE] = "a pair d|p",          [INSN_NOT] = "a negated predicate",
        [INSN_SINK] = "the sink '_'", [INSN_BAD] = "something unreadable",
    };
    return names[op->kind];
}

static bool wrong_kind(struct checker *c, const struct insn_operand *op, const char *wanted, uint16_t type)
{
    return check_error(c, op->span, "operand-type", "%s stands where %s%s is wanted", kind_name(op), wanted,
                       type != 0 ? ptx_keyword_text(type) : "");
}

bool check_source(struct checker *c, const struct insn_operand *op, uint16_t type, bool relaxed)
{
    switch (op->kind) {
    case INSN_BAD:
        return false;
    case INSN_REG:
        return check_register(c, op, type, relaxed);
    case INSN_INT:
    case INSN_F32:
    case INSN_F64:
        return check_immediate(c, op, type);
    case INSN_SREG:
        return check_error(c, op->span, "operand-type", "special registers are read by mov (and cvt) only");
    default:
        return wrong_kind(c, op, "a source of type .", type);
    }
}

bool check_dest(struct checker *c, const struct insn_operand *op, uint16_t type, bool relaxed)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind == INSN_REG)
        return check_register(c, op, type, relaxed);
    return wrong_kind(c, op, "a destination register of type .", type);
}

/* relaxed: registers may be wider than the type. */
static bool check_elements(struct checker *c, const struct insn_operand *op, uint16_t type, unsigned vec, bool dest,
                           bool relaxed)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind == INSN_REG && op->decl->vec > 1 && op->part == 0) {
        if (op->decl->vec != vec)
            return check_error(c, op->span, "operand-type", "a register of %u elements stands where %u are wanted",
                               op->decl->vec, vec);
        return ptx_type_fits(op->decl->type, type, relaxed) || wrong_register(c, op, type, relaxed);
    }
    if (op->kind != INSN_TUPLE) {
        if (vec > 1)
            return wrong_kind(c, op, "a vector of elements of type .", type);
        return dest ? check_dest(c, op, type, relaxed) : check_source(c, op, type, relaxed);
    }
    if (op->count != vec)
        return check_error(c, op->span, "operand-type", "a vector of %u stands where %u elements are wanted", op->count,
                           vec);
    bool ok = true;
    unsigned size = 0; /* of the elements' registers: all the same */
    for (unsigned i = 0; i < op->count; i++) {
        const struct insn_operand *child = &op->children[i];
        if (dest && child->kind == INSN_SINK)
            continue;
        ok &= dest ? check_dest(c, child, type, relaxed) : check_source(c, child, type, relaxed);
        unsigned bits = ptx_type_bits(ptx_operand_type(child));
        if (ok && bits != 0 && size != 0 && bits != size)
            return check_error(c, child->span, "operand-type", "the registers of a vector must have one size");
        size = bits != 0 ? bits : size;
    }
    return ok;
}

bool check_data(struct checker *c, const struct insn_operand *op, uint16_t type, unsigned vec, bool dest)
{
    return check_elements(c, op, type, vec, dest, true);
}

/* ---- addresses ------------------------------------------------------------------------------------ */

/* .shared::cta and friends name the same variables. */
static uint16_t plain_space(uint16_t space)
{
    switch (space) {
    case PTX_shared__cta:
    case PTX_shared__cluster:
        return PTX_shared;
    case PTX_param__entry:
    case PTX_param__func:
        return PTX_param;
    default:
        return space;
    }
}

static bool check_symbol_space(struct checker *c, const struct insn_operand *op, uint16_t space)
{
    const struct ptx_decl *decl = op->decl;
    if (decl->kind != PTX_DECL_VAR && decl->kind != PTX_DECL_PARAM && decl->kind != PTX_DECL_FPARAM)
        return check_error(c, op->span, "operand-type", "'%s' is not a variable", decl->name);
    if (ptx_type_kind(decl->type) == 'o')
        return check_error(c, op->span, "operand-type", "'%s' is an opaque .%s; it has no bytes to access", decl->name,
                           ptx_keyword_text(decl->type));
    uint16_t is = plain_space(decl->space), want = plain_space(space);
    if (want == is || (want == 0 && is != PTX_param && is != PTX_const))
        return true;
    return check_error(c, op->span, "operand-space", "'%s' is in .%s; the instruction accesses %s%s", decl->name,
                       ptx_keyword_text(is), want != 0 ? "." : "generic memory",
                       want != 0 ? ptx_keyword_text(want) : "");
}

bool check_address(struct checker *c, const struct insn_operand *op, uint16_t space)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind != INSN_MEM || op->count == 0)
        return wrong_kind(c, op, "an address in brackets", 0);
    if (op->count > 1)
        return check_error(c, op->span, "operand-type", "coordinates do not belong into this address");
    const struct insn_operand *base = &op->children[0];
    if (base->kind == INSN_SYMBOL && base->decl != NULL)
        return check_symbol_space(c, base, space);
    if (base->kind == INSN_INT)
        return plain_space(space) == PTX_local ||
               check_error(c, base->span, "operand-type", "immediate addresses exist in .local only");
    if (base->kind != INSN_REG)
        return base->kind != INSN_BAD && wrong_kind(c, base, "a register or a variable", 0);
    uint16_t type = base->decl->type;
    char kind = ptx_type_kind(type);
    if ((kind == 'b' || kind == 'u' || kind == 's') && ptx_type_bits(type) >= 16 && ptx_type_bits(type) <= 64 &&
        base->decl->vec <= 1)
        return true;
    if (base->decl->vec > 1)
        return check_error(c, base->span, "operand-type", "neither a vector nor one of its elements is an address");
    return check_error(c, base->span, "operand-type", "a register of type .%s cannot hold an address",
                       ptx_keyword_text(type));
}

/* Which instructions ptxas holds to .address_size: plain accesses to global and generic memory, and cvta whatever its
 * space; not the asynchronous ones, bulk, tensor maps, matrices and
 * policies. */
static bool has_address_size(const struct ptx_form *form)
{
    static const struct ptx_row *const accesses[] = {
        &ptx_row_ld,       &ptx_row_ldu,       &ptx_row_st,      &ptx_row_atom,          &ptx_row_red,
        &ptx_row_prefetch, &ptx_row_prefetchu, &ptx_row_discard, &ptx_row_applypriority, &ptx_row_mbarrier,
        &ptx_row_multimem,
    };
    if (form->row == &ptx_row_cvta)
        return true;
    if ((form->space != 0 && form->space != PTX_global) || ptx_form_has(form, PTX_async) ||
        ptx_form_has(form, PTX_bulk) || ptx_form_has(form, PTX_tensormap))
        return false;
    for (unsigned i = 0; i < sizeof accesses / sizeof accesses[0]; i++)
        if (form->row == accesses[i])
            return true;
    return false;
}

/* .address_size 64 and an address in fewer bits: to ptxas 32 bits make a program of 32-bit addresses, which sm_90 does
 * not have (below, releases before 12.4 take it with a warning); 16 bits it warns of. */
static bool check_address_size(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (c->module->address_size != 64 || !has_address_size(form))
        return true;
    bool cvta = form->row == &ptx_row_cvta;
    for (unsigned i = 0; i < insn->noperands; i++) {
        const struct insn_operand *op = &insn->operands[i];
        bool memory = op->kind == INSN_MEM && op->count > 0;
        if (cvta ? i != 1 : !memory)
            continue;
        unsigned bits = ptx_type_bits(cvta ? form->types[0] : ptx_operand_type(&op->children[0]));
        if (bits == 32 && c->module->target >= 90)
            return check_error(c, op->span, "address-size",
                               "an address of 32 bits in a module of .address_size 64; sm_90 and above have no others");
        if (bits == 16 || bits == 32)
            return check_lenient(c, op->span, "address-size", "an address of %u bits in a module of .address_size 64",
                                 bits);
    }
    return true;
}

/* ---- operands by notation --------------------------------------------------------------------------- */

static uint16_t twice(uint16_t type)
{
    switch (type) {
    case PTX_u16:
        return PTX_u32;
    case PTX_s16:
        return PTX_s32;
    case PTX_u32:
        return PTX_u64;
    case PTX_s32:
        return PTX_s64;
    default:
        return PTX_b64;
    }
}

uint16_t ptx_token_type(const struct ptx_token *token, const struct ptx_form *form)
{
    switch (token->letter) {
    case 't':
    case 'x':
    case 'y':
        return form->types[0];
    case 'u':
        return form->types[1];
    case 'v':
        return form->types[2];
    case 'w':
        return twice(form->types[0]);
    case 'p':
        return PTX_pred;
    case '4':
        return PTX_u32;
    case '8':
        return PTX_u64;
    case 'h':
        return PTX_b16;
    default:
        return 0;
    }
}

static bool check_pair(struct checker *c, const struct insn_operand *op, const struct ptx_token *token, uint16_t type)
{
    const struct insn_operand *d = &op->children[0], *p = &op->children[1];
    bool ok = (d->kind == INSN_SINK && token->sink) || check_dest(c, d, type, token->relaxed);
    return (p->kind == INSN_SINK || check_dest(c, p, PTX_pred, false)) && ok;
}

static bool check_scalar_source(struct checker *c, const struct insn_operand *op, const struct ptx_token *token,
                                uint16_t type)
{
    if (op->kind == INSN_NOT && token->negatable)
        return check_source(c, &op->children[0], type, false);
    if (op->kind == INSN_SREG && token->relaxed) /* cvt */
        return ptx_type_fits((uint16_t)ptx_sreg_type((unsigned)op->value), type, true) ||
               check_error(c, op->span, "operand-type", "the special register has another size than .%s",
                           ptx_keyword_text(type));
    bool immediate = op->kind == INSN_INT || op->kind == INSN_F32 || op->kind == INSN_F64;
    if (token->immediate && !immediate && op->kind != INSN_BAD)
        return wrong_kind(c, op, "a constant", 0);
    if (token->no_immediate && immediate)
        return wrong_kind(c, op, "a register", 0);
    return check_source(c, op, type, token->relaxed);
}

bool check_operand(struct checker *c, const struct insn_operand *op, const struct ptx_token *token, uint16_t type)
{
    if (op->kind == INSN_BAD)
        return false;
    if (!token->dest)
        return check_scalar_source(c, op, token, type);
    if (op->kind == INSN_PIPE && token->pipe)
        return check_pair(c, op, token, type);
    if (op->kind == INSN_SINK && token->sink)
        return true;
    return check_dest(c, op, type, token->relaxed);
}

static bool check_label(struct checker *c, const struct insn_operand *op)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind == INSN_SYMBOL && op->decl != NULL && op->decl->kind == PTX_DECL_LABEL)
        return true;
    return wrong_kind(c, op, "a label", 0);
}

static bool check_token(struct checker *c, const struct insn_operand *op, const struct ptx_token *token,
                        const struct ptx_form *form)
{
    switch (token->letter) {
    case '*':
        return op->kind != INSN_BAD;
    case 'm':
        return check_address(c, op, form->space);
    case 'n':
        return check_address(c, op, form->space2);
    case 's':
        return check_address(c, op, PTX_shared);
    case 'g':
        return check_address(c, op, 0);
    case 'c':
        return check_tensor_memory(c, op);
    case 'l':
        return check_label(c, op);
    case 'x':
        return check_data(c, op, form->types[0], form->vec, token->dest);
    case 'y':
        return check_elements(c, op, form->types[0], form->vec, token->dest, false);
    default: {
        struct ptx_token exact = *token; /* ptxas relaxes no conversion of .bf16 */
        exact.relaxed &= !ptx_form_has(form, PTX_bf16);
        return check_operand(c, op, &exact, ptx_token_type(token, form));
    }
    }
}

static bool check_count(struct checker *c, const struct insn *insn, const struct ptx_form *form, unsigned *spare)
{
    unsigned least = 0, most = 0;
    struct ptx_token token;
    for (const char *at = form->pattern->operands; ptx_next_token(&at, &token);) {
        least += !token.optional;
        most++;
    }
    *spare = insn->noperands - least;
    if (insn->noperands >= least && insn->noperands <= most)
        return true;
    if (least == most)
        return check_error(c, insn->name, "operand-count", "'%s' takes %u operand%s here, not %u", form->row->name,
                           most, most == 1 ? "" : "s", insn->noperands);
    return check_error(c, insn->name, "operand-count", "'%s' takes %u to %u operands here, not %u", form->row->name,
                       least, most, insn->noperands);
}

static bool check_operands(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned spare, next = 0;
    if (!check_count(c, insn, form, &spare))
        return false;
    bool ok = true;
    struct ptx_token token;
    for (const char *at = form->pattern->operands; ptx_next_token(&at, &token);) {
        if (token.optional && spare == 0)
            continue;
        spare -= token.optional;
        ok &= check_token(c, &insn->operands[next++], &token, form);
    }
    return ok;
}

/* ---- instructions ---------------------------------------------------------------------------------- */

static bool check_guard(struct checker *c, const struct insn *insn)
{
    const struct insn_operand *guard = insn->guard;
    if (guard == NULL)
        return true;
    if (guard->kind == INSN_BAD)
        return false;
    if (guard->kind == INSN_REG && guard->decl->type == PTX_pred && (guard->decl->vec <= 1 || guard->part != 0))
        return true;
    return check_error(c, guard->span, "operand-type", "a guard must be a predicate register");
}

static void check_insn(struct checker *c, const struct insn *insn)
{
    check_guard(c, insn);
    if (insn->row == NULL)
        return;
    const struct ptx_form *form = check_modifiers(c, insn);
    if (form == NULL)
        return;
    if (form->pattern->operands != NULL && !check_operands(c, insn, form))
        return;
    ptx_check_fn *more = form->pattern->check != NULL ? form->pattern->check : form->row->check;
    if (more == NULL || more(c, insn, form))
        check_address_size(c, insn, form);
}

static void check_body(void *user, struct ptx_module *module, struct ptx_func *func)
{
    struct checker *c = user;
    c->module = module;
    c->func = func;
    check_frame(c);
    for (uint32_t j = 0; j < func->nstmts && !c->diag->stop; j++)
        if (func->stmts[j].kind == PTX_STMT_INSN)
            check_insn(c, func->stmts[j].insn);
        else if (func->stmts[j].kind == PTX_STMT_DECL)
            check_init(c, func->stmts[j].decl);
}

static struct checker make_checker(struct arena *arena, struct diag *diag)
{
    return (struct checker){
        .diag = diag, .matcher = PTX_MATCHER(arena), .strict = diag->options != NULL && diag->options->strict};
}

bool ptx_check(struct ptx_module *module, struct diag *diag)
{
    unsigned before = diag->errors;
    struct checker c = make_checker(module->arena, diag);
    c.module = module;
    check_declarations(&c);
    for (uint32_t i = 0; i < module->nfuncs && !diag->stop; i++)
        check_body(&c, module, module->funcs[i]);
    diag->no_memory |= c.matcher.failed;
    return diag->errors == before;
}

bool ptx_validate(struct diag *diag)
{
    struct arena arena = {0};
    struct checker c = make_checker(&arena, diag);
    bool ok = ptx_parse_bodies(&arena, diag, check_body, &c, &c.module);
    if (ok && !diag->stop)
        check_declarations(&c);
    arena_free(&arena);
    return ok && !c.matcher.failed;
}

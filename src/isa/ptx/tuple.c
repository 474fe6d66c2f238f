/* Tuples {a, b, ...}: their elements, and the type that ptxas gives them as a whole. */
#include "isa/ptx/tuple.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool check_lenient(struct checker *c, struct span span, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_report_list(c->diag, c->strict ? ATOLL_ERROR : ATOLL_WARNING, code, span.pos, span.length, format, args);
    va_end(args);
    return !c->strict;
}

bool tuple_open(const struct insn_operand *op, struct tuple *tuple)
{
    bool vector = op->kind == INSN_REG && op->decl->vec > 1 && op->part == 0;
    *tuple = (struct tuple){.count = 1, .braces = vector || op->kind == INSN_TUPLE};
    if (op->kind == INSN_TUPLE)
        tuple->count = op->count;
    else if (vector)
        tuple->count = op->decl->vec;
    if (tuple->count > TUPLE_MOST)
        return false;
    for (unsigned i = 0; i < tuple->count; i++) {
        tuple->at[i] = op->kind == INSN_TUPLE ? op->children[i] : *op;
        if (vector)
            tuple->at[i].part = (uint8_t)(i + 1);
    }
    return true;
}

static bool is_constant(const struct insn_operand *op)
{
    return op->kind == INSN_INT || op->kind == INSN_F32 || op->kind == INSN_F64;
}

/* Part of a vector: %v.x, %tid.x */
static bool is_part(const struct insn_operand *op)
{
    return (op->kind == INSN_REG && op->part != 0) ||
           (op->kind == INSN_SREG && strchr(ptx_sreg_name((unsigned)op->value), '.') != NULL);
}

static char register_kind(uint16_t type)
{
    char kind = ptx_type_kind(type);
    if (type == PTX_f16x2 || type == PTX_bf16x2 || type == PTX_f32x2)
        return 'x';
    return kind == 'u' || kind == 's' ? 'i' : kind;
}

/* One element alone; kind 0: it cannot be one. Special registers go together with everything of their size; so do
 * predicates, which count as 32 bits, with untyped registers. */
static struct element element_of(const struct insn_operand *op, unsigned constant_bits)
{
    uint16_t type;
    switch (op->kind) {
    case INSN_REG:
        type = op->decl->type;
        if (op->decl->vec > 1 && op->part == 0)
            return (struct element){0};
        if (type == PTX_pred)
            return (struct element){.kind = 'p', .type = type, .bits = 32, .odd = true};
        return (struct element){.kind = register_kind(type),
                                .type = type,
                                .bits = ptx_type_bits(type),
                                .odd = register_kind(type) == 'f' || register_kind(type) == 'x'};
    case INSN_SREG:
        return (struct element){.kind = 'b', .bits = ptx_type_bits((uint16_t)ptx_sreg_type((unsigned)op->value))};
    case INSN_INT:
        return (struct element){.kind = 'i', .constants = true};
    case INSN_F32:
    case INSN_F64:
        return (struct element){.kind = 'f',
                                .type = op->kind == INSN_F32 ? PTX_f32 : PTX_f64,
                                .bits = constant_bits,
                                .constants = true,
                                .odd = true};
    case INSN_SINK:
        return (struct element){.kind = '_'};
    default:
        return (struct element){0};
    }
}

static bool check_pair(struct checker *c, const struct element *first, const struct element *last,
                       const struct element *next, const struct insn_operand *op)
{
    if (last->kind != next->kind && last->kind != 'b' && next->kind != 'b')
        return check_error(c, op->span, "operand-type",
                           "this element does not go with the one before it: integers and "
                           "floats of different kinds do not mix");
    if (first->bits != 0 && !next->constants && next->bits != first->bits)
        return check_error(c, op->span, "operand-type", "an element of %u bits follows one of %u bits", next->bits,
                           first->bits);
    return true;
}

static bool check_parts(struct checker *c, const struct tuple *tuple)
{
    bool constants = false;
    for (unsigned i = 0; i < tuple->count; i++)
        constants |= is_constant(&tuple->at[i]);
    for (unsigned i = 0; constants && i < tuple->count; i++)
        if (is_part(&tuple->at[i]))
            return check_error(c, tuple->at[i].span, "operand-type",
                               "parts of vectors do not stand beside constants; move it to a register");
    return true;
}

bool tuple_join(struct checker *c, const struct tuple *tuple, unsigned constant_bits, struct element *element)
{
    struct element last = {0};
    *element = (struct element){.kind = '_'};
    for (unsigned i = 0; i < tuple->count; i++) {
        const struct insn_operand *op = &tuple->at[i];
        if (op->kind == INSN_BAD)
            return false;
        struct element next = element_of(op, constant_bits);
        if (next.kind == 0 || next.kind == 'o')
            return check_error(c, op->span, "operand-type", "a register or a constant is wanted as an element");
        if (next.kind == '_')
            continue;
        if (last.kind == 0) {
            *element = last = next;
            continue;
        }
        if (!check_pair(c, element, &last, &next, op))
            return false;
        if (element->kind != next.kind || element->type != next.type)
            element->type = 0, element->kind = element->kind == next.kind ? next.kind : 'b';
        element->constants &= next.constants;
        element->odd |= next.odd || (element->bits == 0 && !next.constants && next.bits != 32);
        last = next;
    }
    return check_parts(c, tuple);
}

bool tuple_stores(const struct insn_operand *op)
{
    return op->kind == INSN_REG && op->decl->type != PTX_pred;
}

bool tuple_destinations(struct checker *c, const struct insn_operand *op, const struct tuple *tuple)
{
    unsigned sinks = 0;
    for (unsigned i = 0; i < tuple->count; i++) {
        const struct insn_operand *at = &tuple->at[i];
        sinks += at->kind == INSN_SINK;
        if (at->kind == INSN_SINK || at->kind == INSN_BAD || tuple_stores(at))
            continue;
        if (at->kind != INSN_REG && at->kind != INSN_SREG)
            return check_error(c, at->span, "operand-type", "a destination must be a register");
        if (!check_lenient(c, at->span, "odd-destination",
                           "this is no register for data; the value written there is dropped"))
            return false;
    }
    return sinks < tuple->count ||
           check_error(c, op->span, "operand-type", "at least one destination must be a register");
}

bool tuple_sources(struct checker *c, const struct tuple *tuple)
{
    for (unsigned i = 0; i < tuple->count; i++)
        if (tuple->at[i].kind == INSN_SINK)
            return check_error(c, tuple->at[i].span, "operand-type", "the sink '_' is no source");
    return true;
}

struct lane_operand tuple_source(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    if (op->kind != INSN_REG || op->decl->type != PTX_pred)
        return lower_source(l, op, type);
    uint16_t bits = ptx_type_bits(type) == 64 ? PTX_b64 : PTX_b32;
    struct lane_operand number = lower_temp(l, bits);
    struct lane_operand src[3] = {lower_const(l, bits, 1), lower_const(l, bits, 0), lower_source(l, op, PTX_pred)};
    lower_emit(l, LANE_OP_selp, bits, 1, &number, 3, src);
    return number;
}

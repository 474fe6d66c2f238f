/* Tuples {a, b, ...}: their elements, and the type that ptxas gives them as a whole. */
#include "isa/ptx/tuple.h"

#include <stdarg.h>
#include <stdio.h>

bool check_lenient(struct checker *c, struct span span, const char *code, const char *format, ...)
{
    char message[800];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    diag_report(c->diag, c->strict ? ATOLL_ERROR : ATOLL_WARNING, code, span.pos, span.length, "%s", message);
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

/* One element alone. False: it cannot be an element. */
static bool element_of(const struct insn_operand *op, unsigned constant_bits, struct element *element)
{
    uint16_t type;
    *element = (struct element){0};
    switch (op->kind) {
    case INSN_REG:
        type = op->decl->type;
        break;
    case INSN_SREG: /* special registers join with everything of their size */
        type = (uint16_t)ptx_sreg_type((unsigned)op->value);
        *element = (struct element){.kind = 'b', .bits = ptx_type_bits(type), .sreg = true};
        return true;
    case INSN_INT:
        element->kind = 'I';
        return true;
    case INSN_F32:
    case INSN_F64:
        *element = (struct element){.kind = 'F', .bits = constant_bits, .float_part = true};
        return true;
    case INSN_SINK:
        element->kind = '_';
        return true;
    default:
        return false;
    }
    char kind = ptx_type_kind(type);
    bool packed = type == PTX_f16x2 || type == PTX_bf16x2 || type == PTX_f32x2;
    element->kind = kind == 'u' || kind == 's' ? 'i' : packed ? 'x' : kind;
    element->bits = ptx_type_bits(type);
    element->float_part = kind == 'f' && !packed;
    return (kind == 'b' || kind == 'u' || kind == 's' || kind == 'f') && (op->decl->vec <= 1 || op->part != 0);
}

/* What a pair of kinds becomes; 0 = they do not go together. Sinks and the leading integer constant are apart. */
static char join_kinds(char a, char b)
{
    static const struct {
        char a;
        const char *with, *gives;
    } table[] = {
        {'b', "bifxIF", "bbbbbb"},
        {'i', "biI", "bii"},
        {'f', "bfF", "bff"},
        {'x', "bx", "bx"},
        {'I', "biI", "biI"},
        {'F', "bfF", "bfF"},
    };
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        for (unsigned j = 0; table[i].a == a && table[i].with[j] != 0; j++)
            if (table[i].with[j] == b)
                return table[i].gives[j];
    return 0;
}

static bool join(struct checker *c, struct element *all, const struct element *next, const struct insn_operand *op)
{
    bool constant = next->kind == 'I' || next->kind == 'F';
    char kind = join_kinds(all->kind, next->kind);
    if (kind == 0 || (all->kind != 'I' && !constant && all->bits != next->bits))
        return check_error(c, op->span, "operand-type",
                           "this element does not go with those before it: the elements of a vector have one size, and "
                           "integers and floats do not mix");
    if (all->kind == 'I' && next->kind != 'I') {
        all->mixed = true;
        all->bits = next->bits;
    }
    all->kind = kind;
    all->float_part |= next->float_part;
    all->sreg |= next->sreg;
    return true;
}

bool tuple_join(struct checker *c, const struct tuple *tuple, unsigned constant_bits, struct element *element)
{
    bool started = false;
    *element = (struct element){.kind = '_'};
    for (unsigned i = 0; i < tuple->count; i++) {
        const struct insn_operand *op = &tuple->at[i];
        struct element next;
        if (op->kind == INSN_BAD)
            return false;
        if (!element_of(op, constant_bits, &next))
            return check_error(c, op->span, "operand-type", "a register or a constant is wanted as an element");
        if (next.kind == '_')
            continue;
        if (started && !join(c, element, &next, op))
            return false;
        if (!started)
            *element = next;
        started = true;
    }
    return true;
}

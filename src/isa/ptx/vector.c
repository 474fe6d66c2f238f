/* Operands of instructions that are known, not executed. */
#include "isa/ptx/vector.h"

bool check_vector(struct checker *c, const struct insn_operand *op, unsigned count, uint16_t type, bool dest)
{
    bool ok = true;
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind != INSN_TUPLE || op->count != count)
        return check_error(c, op->span, "operand-count", "a vector of %u element%s of type .%s is wanted", count,
                           count == 1 ? "" : "s", ptx_keyword_text((enum ptx_keyword)type));
    for (unsigned i = 0; i < count; i++) {
        const struct insn_operand *child = &op->children[i];
        if (dest)
            ok &= child->kind == INSN_SINK || check_dest(c, child, type, false);
        else
            ok &= check_source(c, child, type, false);
    }
    return ok;
}

static bool check_integer(struct checker *c, const struct insn_operand *op)
{
    return check_source(c, op, PTX_u32, false);
}

bool check_tensor(struct checker *c, const struct insn_operand *op, unsigned count)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind != INSN_MEM || op->count != 2)
        return check_error(c, op->span, "operand-type", "[tensor map, {coordinates}] is wanted");
    struct insn_operand map = *op;
    map.count = 1;
    const struct insn_operand *at = &op->children[1];
    if (!check_address(c, &map, 0) || at->kind == INSN_BAD)
        return false;
    if (at->kind != INSN_TUPLE || at->count != count)
        return check_error(c, at->span, "operand-count", "a vector of %u coordinate%s is wanted", count,
                           count == 1 ? "" : "s");
    bool ok = true;
    for (unsigned i = 0; i < count; i++)
        ok &= check_integer(c, &at->children[i]);
    return ok;
}

bool check_tensor_memory(struct checker *c, const struct insn_operand *op)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind != INSN_MEM || op->count != 1 || op->children[0].kind != INSN_REG)
        return check_error(c, op->span, "operand-type", "[register] or [register+constant] is wanted: Tensor Memory");
    return check_integer(c, &op->children[0]);
}

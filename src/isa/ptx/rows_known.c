/* Rows of instructions that Atoll knows but does not execute: their modifiers and operands are not checked beyond
 * version and target, and running one stops the launch with its name. */
#include "isa/ptx/row.h"

#define KNOWN(id, version_, target_, summary_)                                                \
    static const struct ptx_pattern id##_forms[] = {                                          \
        {"*", NULL, .version = version_, .target = target_, .lower = ptx_lower_unsupported}}; \
    const struct ptx_row ptx_row_##id = {#id, summary_, PTX_PATTERNS(id##_forms), NULL, ptx_lower_unsupported};

/* What is asked must be a texture (or, of txq, a sampler): a surface or a plain variable is none. */
static bool check_texture(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    for (unsigned i = 0; i < insn->noperands; i++) {
        const struct insn_operand *op = &insn->operands[i];
        const struct insn_operand *base = op->kind == INSN_MEM && op->count > 0 ? &op->children[0] : NULL;
        if (base != NULL && base->kind == INSN_SYMBOL && base->decl != NULL && base->decl->type != PTX_texref &&
            base->decl->type != PTX_samplerref)
            return check_error(c, base->span, "operand-type", "'%s' is no .texref", base->decl->name);
    }
    return true;
}

#define TEXTURE(id, version_, target_, summary_)                                              \
    static const struct ptx_pattern id##_forms[] = {                                          \
        {"*", NULL, .version = version_, .target = target_, .lower = ptx_lower_unsupported}}; \
    const struct ptx_row ptx_row_##id = {#id, summary_, PTX_PATTERNS(id##_forms), check_texture, ptx_lower_unsupported};

TEXTURE(tex, 0, 0, "texture look-up")
TEXTURE(tld4, 31, 20, "texture gather")
TEXTURE(txq, 20, 0, "texture query")
KNOWN(wmma, 60, 70, "matrix multiply of a warp")
KNOWN(mma, 64, 70, "matrix multiply of a warp")
KNOWN(wgmma, 80, 90, "matrix multiply of a warp group")
KNOWN(ldmatrix, 65, 75, "loads matrices")
KNOWN(stmatrix, 78, 90, "stores matrices")
KNOWN(movmatrix, 78, 75, "transposes a matrix in registers")
KNOWN(cp, 70, 80, "asynchronous copy")
KNOWN(tensormap, 83, 90, "changes a tensor map")
KNOWN(multimem, 81, 90, "multi-device memory")
KNOWN(clusterlaunchcontrol, 86, 100, "cancels clusters not yet launched")

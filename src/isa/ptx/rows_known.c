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
KNOWN(vabsdiff, 20, 20, "video: absolute difference")
KNOWN(vadd, 20, 20, "video: add")
KNOWN(vadd2, 30, 30, "video: add 2 halves")
KNOWN(vadd4, 30, 30, "video: add 4 bytes")
KNOWN(vavrg2, 30, 30, "video: average of 2 halves")
KNOWN(vavrg4, 30, 30, "video: average of 4 bytes")
KNOWN(vmad, 20, 20, "video: multiply and add")
KNOWN(vmax, 20, 20, "video: maximum")
KNOWN(vmax2, 30, 30, "video: maximum of 2 halves")
KNOWN(vmax4, 30, 30, "video: maximum of 4 bytes")
KNOWN(vmin, 20, 20, "video: minimum")
KNOWN(vmin2, 30, 30, "video: minimum of 2 halves")
KNOWN(vmin4, 30, 30, "video: minimum of 4 bytes")
KNOWN(vset, 20, 20, "video: compare")
KNOWN(vset2, 30, 30, "video: compare 2 halves")
KNOWN(vset4, 30, 30, "video: compare 4 bytes")
KNOWN(vshl, 20, 20, "video: shift left")
KNOWN(vshr, 20, 20, "video: shift right")
KNOWN(vsub, 20, 20, "video: subtract")
KNOWN(vsub2, 30, 30, "video: subtract 2 halves")
KNOWN(vsub4, 30, 30, "video: subtract 4 bytes")

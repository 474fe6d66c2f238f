/* tcgen05: the matrix unit of sm_100 and its Tensor Memory. Checked as ptxas 13.0 does it, not executed. PTX ISA,
 * "TensorCore 5th Generation Family Instructions". Targets: sm_100 and sm_110 with a suffix; what only some of them
 * have says so. */
#include "isa/ptx/check.h"
#include "isa/ptx/vector.h"

#define FORM(check_, mods, operands) GATED(86, "100f 110f", check_, mods, operands)
#define GATED(version_, targets, check_, mods, operands)                                      \
    {                                                                                         \
        mods, operands, .version = version_, .target = 100, .only = targets, .check = check_, \
                        .lower = ptx_lower_unsupported                                        \
    }

#define CTAS "cta_group::1|cta_group::2"
#define NUM  "x1|x2|x4|x8|x16|x32|x64|x128"

/* Columns are taken in powers of two from 32 to 512. */
static bool check_columns(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *count = &insn->operands[1];
    uint64_t value = count->value;
    (void)form;
    return count->kind != INSN_INT || (value >= 32 && value <= 512 && (value & (value - 1)) == 0) ||
           check_error(c, count->span, "operand-range", "the number of columns is a power of two from 32 to 512");
}

/* Registers of a load or store: .num times the 32-bit columns a lane has of the shape. */
static unsigned count_registers(const struct ptx_form *form)
{
    static const uint16_t nums[] = {PTX_x1, PTX_x2, PTX_x4, PTX_x8, PTX_x16, PTX_x32, PTX_x64, PTX_x128};
    unsigned each = ptx_form_has(form, PTX__16x256b) ? 4 : ptx_form_has(form, PTX__16x128b) ? 2 : 1;
    for (unsigned i = 0; i < sizeof(nums) / sizeof(nums[0]); i++)
        if (ptx_form_has(form, (enum ptx_keyword)nums[i]))
            return each << i;
    return each;
}

static bool check_tmem_data(struct checker *c, const struct insn *insn, const struct ptx_form *form,
                            const struct insn_operand *op, bool dest)
{
    unsigned count = count_registers(form);
    if (count > 128)
        return check_error(c, insn->name, "illegal-modifier", "%u registers are more than the 128 there can be", count);
    for (unsigned i = 0; dest && op->kind == INSN_TUPLE && i < op->count; i++)
        if (op->children[i].kind == INSN_SINK)
            return check_error(c, op->children[i].span, "operand-type", "'_' cannot be a destination here");
    return check_vector(c, op, count, form->types[0], dest);
}

static bool check_tmem_load(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_tmem_data(c, insn, form, &insn->operands[0], true);
}

/* The vector comes last. */
static bool check_tmem_store(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_tmem_data(c, insn, form, &insn->operands[insn->noperands - 1U], false);
}

/* ---- mma ---------------------------------------------------------------------------------------------------- */

/* The operands of one instruction, taken one after the other. */
struct operands {
    struct checker *c;
    const struct insn *insn;
    unsigned next;
    bool ok;
};

static const struct insn_operand *take_operand(struct operands *o)
{
    return o->next < o->insn->noperands ? &o->insn->operands[o->next++] : NULL;
}

static void take_tensor_memory(struct operands *o)
{
    const struct insn_operand *op = take_operand(o);
    o->ok &= op != NULL && check_tensor_memory(o->c, op);
}

static void take_source(struct operands *o, uint16_t type)
{
    const struct insn_operand *op = take_operand(o);
    if (op != NULL && type == PTX_pred && op->kind == INSN_NOT)
        op = &op->children[0];
    o->ok &= op != NULL && check_source(o->c, op, type, false);
}

/* A matrix: a descriptor, or [address] in Tensor Memory; *memory: it is the latter. */
static void take_matrix(struct operands *o, bool *memory)
{
    *memory = o->next < o->insn->noperands && o->insn->operands[o->next].kind == INSN_MEM;
    if (*memory)
        take_tensor_memory(o);
    else
        take_source(o, PTX_u64);
}

/* {r, ...}: lanes whose columns stay as they are; four registers, or eight with two CTAs. */
static void take_mask(struct operands *o, const struct ptx_form *form)
{
    const struct insn_operand *op = o->next < o->insn->noperands ? &o->insn->operands[o->next] : NULL;
    if (op == NULL || op->kind != INSN_TUPLE)
        return;
    o->next++;
    o->ok &= check_vector(o->c, op, ptx_form_has(form, PTX_cta_group__2) ? 8 : 4, PTX_u32, false);
}

static bool all_taken(struct operands *o, bool enough)
{
    if (enough && o->next == o->insn->noperands)
        return true;
    return check_error(o->c, o->insn->name, "operand-count", "%u operands do not belong to this form of tcgen05.mma",
                       o->insn->noperands);
}

/* A scale of the input, 0 to 15: .kind::f16 and .kind::tf32 on the sm_100 family, .kind::i8. */
static bool check_input_scale(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    const struct ptx_module *module = c->module;
    bool floats = ptx_form_has(form, PTX_kind__f16) || ptx_form_has(form, PTX_kind__tf32);
    if (!floats && !ptx_form_has(form, PTX_kind__i8))
        return check_error(c, op->span, "operand-count", "this kind has no scale of its input");
    if (floats && !ptx_target_has("100f", module->target, module->target_suffix))
        return check_error(c, op->span, "needs-target", "a scale of the input needs the family of sm_100f");
    return (op->kind == INSN_INT && op->value <= 15) ||
           check_error(c, op->span, "operand-range", "the scale is a constant from 0 to 15");
}

/* .ashift moves the rows of a matrix in Tensor Memory. */
static bool check_shift(struct checker *c, const struct insn *insn, const struct ptx_form *form, bool memory)
{
    return !ptx_form_has(form, PTX_ashift) || memory ||
           check_error(c, insn->name, "operand-type", ".ashift needs a matrix in Tensor Memory");
}

/* [d], a, b, {[metadata],} idesc. False: there are too few operands. */
static bool take_mma(struct operands *o, const struct ptx_form *form, bool *memory)
{
    if (o->insn->noperands < 5U + ptx_form_has(form, PTX_sp))
        return false;
    take_tensor_memory(o);
    take_matrix(o, memory);
    take_source(o, PTX_u64);
    if (ptx_form_has(form, PTX_sp))
        take_tensor_memory(o);
    take_source(o, PTX_u32);
    return true;
}

/* [d], a, b, {[metadata],} idesc, {{mask},} enable {, scale} */
static bool check_mma(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct operands o = {.c = c, .insn = insn, .ok = true};
    unsigned before = c->diag->errors;
    bool memory;
    if (!take_mma(&o, form, &memory))
        return all_taken(&o, false);
    if (ptx_form_has(form, PTX_block_scale)) {
        take_tensor_memory(&o);
        take_tensor_memory(&o);
    } else {
        take_mask(&o, form);
    }
    take_source(&o, PTX_pred);
    if (!o.ok)
        return c->diag->errors > before || all_taken(&o, false);
    const struct insn_operand *scale = !ptx_form_has(form, PTX_block_scale) ? take_operand(&o) : NULL;
    return all_taken(&o, true) && (scale == NULL || check_input_scale(c, scale, form)) &&
           check_shift(c, insn, form, memory);
}

/* [d], a, b, {[metadata],} idesc, enable {, columns without effect} */
static bool check_mma_ws(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct operands o = {.c = c, .insn = insn, .ok = true};
    unsigned before = c->diag->errors;
    bool memory;
    if (!take_mma(&o, form, &memory))
        return all_taken(&o, false);
    take_source(&o, PTX_pred);
    if (o.ok && o.next < insn->noperands)
        take_source(&o, PTX_u64);
    return all_taken(&o, o.ok || c->diag->errors > before);
}

/* ---- the row -------------------------------------------------------------------------------------------------- */

#define COLLECT_A "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?"
#define COLLECT_B(n) \
    "collector::b" #n "::fill|collector::b" #n "::use|collector::b" #n "::lastuse|collector::b" #n "::discard"
#define COLLECT                       COLLECT_B(0) "|" COLLECT_B(1) "|" COLLECT_B(2) "|" COLLECT_B(3) "?"
#define MMA(version, targets, mods)   GATED(version, targets, check_mma, "mma! sp? " CTAS " " mods, NULL)
#define DENSE(version, targets, mods) GATED(version, targets, check_mma, "mma! " CTAS " " mods, NULL)
#define SPARSE(version, mods)         GATED(version, "100a 103a 110a", check_mma, "mma! sp " CTAS " " mods, NULL)
#define KINDS                         "kind::f16|kind::tf32|kind::f8f6f4"
/* .fill and .use do not go with .ashift. */
#define SHIFT  " ashift collector::a::lastuse|collector::a::discard?"
#define PACKED "b8x16 b6x16_p32|b4x16_p64"
#define COPY(shape) \
    FORM(NULL, "cp! " CTAS " " shape, "a:c s:8"), FORM(NULL, "cp! " CTAS " " shape " " PACKED, "a:c s:8")

static const struct ptx_pattern tcgen05_forms[] = {
    FORM(check_columns, "alloc! " CTAS " sync aligned shared::cta? b32", "a:s columns:4"),
    FORM(check_columns, "dealloc! " CTAS " sync aligned b32", "a:4 columns:4"),
    FORM(NULL, "relinquish_alloc_permit! " CTAS " sync aligned", ""),
    FORM(NULL, "wait::ld|wait::st! sync aligned", ""),
    FORM(NULL, "fence::before_thread_sync|fence::after_thread_sync!", ""),
    FORM(check_tmem_load, "ld! sync aligned- 32x32b|16x64b|16x128b|16x256b " NUM " pack::16b? b32", "d>* a:c"),
    FORM(check_tmem_load, "ld! sync aligned- 16x32bx2 " NUM " pack::16b? b32", "d>* a:c split:4#"),
    GATED(88, "103f 110f", check_tmem_load, "ld! red! sync aligned- 32x32b x2|x4|x8|x16|x32|x64|x128 min|max u32|s32",
          "d>* e>t a:c"),
    GATED(88, "103f 110f", check_tmem_load,
          "ld! red! sync aligned- 32x32b x2|x4|x8|x16|x32|x64|x128 min|max abs? NaN? f32", "d>* e>t a:c"),
    GATED(88, "103f 110f", check_tmem_load, "ld! red! sync aligned- 16x32bx2 x2|x4|x8|x16|x32|x64|x128 min|max u32|s32",
          "d>* e>t a:c split:4#"),
    GATED(88, "103f 110f", check_tmem_load,
          "ld! red! sync aligned- 16x32bx2 x2|x4|x8|x16|x32|x64|x128 min|max abs? NaN? f32", "d>* e>t a:c split:4#"),
    FORM(check_tmem_store, "st! sync aligned- 32x32b|16x64b|16x128b|16x256b " NUM " unpack::16b? b32", "a:c b:*"),
    FORM(check_tmem_store, "st! sync aligned- 16x32bx2 " NUM " unpack::16b? b32", "a:c split:4# b:*"),
    COPY("128x256b|4x256b|128x128b"),
    COPY("64x128b warpx2::02_13|warpx2::01_23"),
    COPY("32x128b warpx4"),
    GATED(86, "100a 103a 110a", NULL, "shift! " CTAS " down", "a:c"),
    FORM(NULL, "commit! " CTAS " mbarrier::arrive::one shared::cluster? b64", "bar:s"),
    FORM(NULL, "commit! " CTAS " mbarrier::arrive::one shared::cluster? multicast::cluster b64", "bar:s mask:h%"),
    MMA(86, "100f 110f", KINDS " " COLLECT_A),
    MMA(86, "100f 110f", KINDS SHIFT),
    MMA(86, "100a 110a", "kind::i8 " COLLECT_A),
    MMA(86, "100a 110a", "kind::i8" SHIFT),
    MMA(88, "100f 110f", "kind::mxf8f6f4 block_scale block32? " COLLECT_A),
    DENSE(88, "100f 110f", "kind::mxf4 block_scale block32? " COLLECT_A),
    DENSE(88, "100f 110f", "kind::mxf4nvf4 block_scale block16|block32 " COLLECT_A),
    SPARSE(88, "kind::mxf4 block_scale block32? " COLLECT_A),
    SPARSE(88, "kind::mxf4nvf4 block_scale block16|block32 " COLLECT_A),
    MMA(86, "100a 103a 110a", "kind::mxf8f6f4 block_scale scale_vec::1X " COLLECT_A),
    MMA(86, "100a 103a 110a", "kind::mxf4 block_scale scale_vec::2X " COLLECT_A),
    MMA(87, "100a 103a 110a", "kind::mxf4nvf4 block_scale scale_vec::2X|scale_vec::4X " COLLECT_A),
    FORM(check_mma_ws, "mma! ws! sp? cta_group::1 " KINDS " " COLLECT, NULL),
    GATED(86, "100a 110a", check_mma_ws, "mma! ws! sp? cta_group::1 kind::i8 " COLLECT, NULL),
};

const struct ptx_row ptx_row_tcgen05 = {"tcgen05", "matrix unit and Tensor Memory of sm_100; not executed",
                                        PTX_PATTERNS(tcgen05_forms), NULL, ptx_lower_unsupported};

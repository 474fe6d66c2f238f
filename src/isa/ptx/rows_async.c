/* Rows of asynchronous copies and of what goes with them: cp, tensormap, multimem, clusterlaunchcontrol. They are
 * checked as ptxas 13.0 does it; of them copies of plain bytes are executed. PTX ISA, "Data Movement and
 * Conversion Instructions: Asynchronous copy". */
#include "isa/ptx/lower.h"
#include "isa/ptx/rows.h"
#include "isa/ptx/vector.h"

#define HINT  "L2::cache_hint?"
#define BYTES "mbarrier::complete_tx::bytes"

static bool is_constant(const struct insn_operand *op)
{
    return op->kind == INSN_INT;
}

/* ---- cp.async ----------------------------------------------------------------------------------------------- */

/* .cg copies 16 bytes, .ca 4, 8 or 16. */
static bool check_copy_size(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    bool all = ptx_form_has(form, PTX_ca);
    if (is_constant(op) && (op->value == 16 || (all && (op->value == 4 || op->value == 8))))
        return true;
    return op->kind != INSN_BAD &&
           check_error(c, op->span, "operand-range", "the size is %s", all ? "4, 8 or 16" : "16");
}

/* [d], [a], size {, bytes to read or a predicate to ignore them} {, policy} */
static bool check_copy(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned policy = ptx_form_has(form, PTX_L2__cache_hint), extra = insn->noperands - 3 - policy;
    if (insn->noperands < 3 + policy || extra > 1)
        return check_error(c, insn->name, "operand-count", "cp.async takes %u or %u operands here, not %u", 3 + policy,
                           4 + policy, insn->noperands);
    bool ok = check_copy_size(c, &insn->operands[2], form);
    const struct insn_operand *read = extra != 0 ? &insn->operands[3] : NULL;
    if (read != NULL && read->kind == INSN_NOT)
        ok &= check_source(c, &read->children[0], PTX_pred, false);
    else if (read != NULL)
        ok &= check_source(c, read, ptx_operand_type(read) == PTX_pred ? PTX_pred : PTX_u32, false);
    return (policy == 0 || check_source(c, &insn->operands[3 + extra], PTX_b64, false)) && ok;
}

/* ---- cp.async.bulk ------------------------------------------------------------------------------------------ */

/* The size is a register or a multiple of 16. */
static bool check_bulk_size(struct checker *c, const struct insn_operand *op)
{
    if (is_constant(op) && op->value % 16 != 0)
        return check_error(c, op->span, "operand-range", "the size must be a multiple of 16");
    return check_source(c, op, PTX_u32, false);
}

/* What words add at the end: .multicast::cluster a mask, .L2::cache_hint a policy, .cp_mask a mask of bytes. */
static unsigned count_extras(const struct ptx_form *form)
{
    return (unsigned)ptx_form_has(form, PTX_multicast__cluster) + ptx_form_has(form, PTX_L2__cache_hint) +
           ptx_form_has(form, PTX_cp_mask);
}

static bool check_extras(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    bool ok = true;
    if (ptx_form_has(form, PTX_multicast__cluster))
        ok &= check_source(c, op++, PTX_b16, false);
    if (ptx_form_has(form, PTX_L2__cache_hint))
        ok &= check_source(c, op++, PTX_b64, false);
    return (!ptx_form_has(form, PTX_cp_mask) || check_source(c, op, PTX_b16, false)) && ok;
}

/* [d], [a], size {, [mbarrier]} {, masks and policy} */
static bool check_bulk(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    bool barrier = ptx_form_has(form, PTX_mbarrier__complete_tx__bytes);
    if (!check_count_is(c, insn, 3 + barrier + count_extras(form)))
        return false;
    const struct insn_operand *op = insn->operands;
    bool ok = check_address(c, &op[0], form->space);
    ok &= check_address(c, &op[1], form->space2);
    ok &= check_bulk_size(c, &op[2]);
    if (barrier)
        ok &= check_address(c, &op[3], PTX_shared);
    return check_extras(c, &op[3 + barrier], form) && ok;
}

/* [a], size {, policy} */
static bool check_bulk_prefetch(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_count_is(c, insn, 2 + count_extras(form)) && check_address(c, &insn->operands[0], form->space) &&
           check_bulk_size(c, &insn->operands[1]) && check_extras(c, &insn->operands[2], form);
}

/* ---- cp.async.bulk.tensor ------------------------------------------------------------------------------------ */

static unsigned dimensions(const struct ptx_form *form)
{
    static const uint16_t geometries[] = {PTX__1d, PTX__2d, PTX__3d, PTX__4d, PTX__5d};
    for (unsigned i = 0; i < 5; i++)
        if (ptx_form_has(form, (enum ptx_keyword)geometries[i]))
            return i + 1;
    return 1;
}

/* Four rows are one column and four row numbers. */
static unsigned coordinates(const struct ptx_form *form)
{
    bool rows = ptx_form_has(form, PTX_tile__gather4) || ptx_form_has(form, PTX_tile__scatter4);
    return rows ? 5 : dimensions(form);
}

/* Offsets of .im2col, one a spatial dimension; two of .im2col::w. 0 = none. */
static unsigned count_offsets(const struct ptx_form *form)
{
    if (ptx_form_has(form, PTX_im2col__w) || ptx_form_has(form, PTX_im2col__w__128))
        return 2;
    return ptx_form_has(form, PTX_im2col) ? dimensions(form) - 2 : 0;
}

/* To shared memory: [d], [map, {c}], [mbarrier] {, {offsets}} {, mask} {, policy} */
static bool check_tensor_load(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned offsets = count_offsets(form), used = 3;
    if (!check_count_is(c, insn, 3U + (offsets != 0) + count_extras(form)))
        return false;
    bool ok = check_address(c, &insn->operands[0], form->space);
    ok &= check_tensor(c, &insn->operands[1], coordinates(form));
    ok &= check_address(c, &insn->operands[2], PTX_shared);
    if (offsets != 0)
        ok &= check_vector(c, &insn->operands[used++], offsets, PTX_u16, false);
    return check_extras(c, &insn->operands[used], form) && ok;
}

/* From shared memory: [map, {c}], [a] {, policy} */
static bool check_tensor_store(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_count_is(c, insn, 2 + count_extras(form)) && check_tensor(c, &insn->operands[0], coordinates(form)) &&
           check_address(c, &insn->operands[1], PTX_shared) && check_extras(c, &insn->operands[2], form);
}

/* [map, {c}] {, {offsets}} {, policy} */
static bool check_tensor_prefetch(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned offsets = count_offsets(form), used = 1;
    if (!check_count_is(c, insn, 1U + (offsets != 0) + count_extras(form)))
        return false;
    bool ok = check_tensor(c, &insn->operands[0], coordinates(form));
    if (offsets != 0)
        ok &= check_vector(c, &insn->operands[used++], offsets, PTX_u16, false);
    return check_extras(c, &insn->operands[used], form) && ok;
}

#define COPY(version_, target_, check_, lower_, mods, operands)                                  \
    {                                                                                            \
        mods, operands, .version = version_, .target = target_, .check = check_, .lower = lower_ \
    }
#define DIMS                       "1d|2d|3d|4d|5d"
#define BULK(...)                  KNOWN(80, 90, check_bulk, __VA_ARGS__, NULL)
#define BULK_COPY(version, ...)    COPY(version, 90, check_bulk, lower_bulk_copy, __VA_ARGS__, NULL)
#define TO_CLUSTER                 "shared::cluster global " BYTES " multicast::cluster? " HINT " "
#define TO_CTA                     "shared::cta global " BYTES " " HINT " "
#define LOADS(version, what, mods) KNOWN(version, 90, check_tensor_load, "async! bulk! tensor! " what " " mods, NULL)
#define LOADS_ONLY(what, mods)     ONLY(86, "100f 110f", check_tensor_load, "async! bulk! tensor! " what " " mods, NULL)
#define STORES(version, target, check, what) \
    KNOWN(version, target, check, what " global shared::cta bulk_group " HINT, NULL)
#define PREFETCH "async! bulk! prefetch! tensor! L2 global " HINT " "
#define REDUCES  "reduce! async! bulk! "
#define TO_GROUP "global shared::cta bulk_group " HINT " "

static const struct ptx_pattern cp_forms[] = {
    COPY(70, 80, check_copy, lower_copy,
         "async! ca|cg shared|shared::cta@78 global L2::cache_hint@74? L2::64B@74|L2::128B@74|L2::256B@74?",
         "d:m a:n size:* read:*? policy:*?"),
    COPY(70, 80, NULL, ptx_lower_nothing, "async! commit_group!", ""),
    COPY(70, 80, NULL, ptx_lower_nothing, "async! wait_group!", "n:4#"),
    COPY(70, 80, NULL, ptx_lower_nothing, "async! wait_all!", ""),
    COPY(70, 80, NULL, lower_copy_arrive, "async! mbarrier! arrive! noinc@71? shared|shared::cta@78? b64", "a:m"),
    BULK_COPY(80, "async! bulk! " TO_CLUSTER),
    BULK_COPY(86, "async! bulk! " TO_CTA),
    BULK_COPY(80, "async! bulk! shared::cluster shared::cta " BYTES),
    BULK_COPY(80, "async! bulk! " TO_GROUP),
    KNOWN(86, 100, check_bulk, "async! bulk! " TO_GROUP "cp_mask", NULL),
    COPY(80, 90, NULL, ptx_lower_nothing, "async! bulk! commit_group!", ""),
    COPY(80, 90, NULL, ptx_lower_nothing, "async! bulk! wait_group! read?", "n:4#"),
    COPY(80, 90, check_bulk_prefetch, ptx_lower_nothing, "async! bulk! prefetch! L2 global " HINT, NULL),
    BULK(REDUCES "shared::cluster shared::cta " BYTES " add u32|s32|u64"),
    BULK(REDUCES "shared::cluster shared::cta " BYTES " min|max u32|s32"),
    BULK(REDUCES "shared::cluster shared::cta " BYTES " inc|dec u32"),
    BULK(REDUCES "shared::cluster shared::cta " BYTES " and|or|xor b32"),
    BULK(REDUCES TO_GROUP "add u32|s32|u64|f32|f64"),
    BULK(REDUCES TO_GROUP "add noftz f16|bf16"),
    BULK(REDUCES TO_GROUP "min|max u32|s32|u64|s64|f16|bf16"),
    BULK(REDUCES TO_GROUP "inc|dec u32"),
    BULK(REDUCES TO_GROUP "and|or|xor b32|b64"),
    LOADS(80, DIMS, TO_CLUSTER "tile?"),
    LOADS(80, "3d|4d|5d", TO_CLUSTER "im2col"),
    LOADS(86, DIMS, TO_CTA "tile?"),
    LOADS(86, "3d|4d|5d", TO_CTA "im2col"),
    KNOWN(86, 100, check_tensor_load, "async! bulk! tensor! 2d " TO_CTA "tile::gather4", NULL),
    LOADS_ONLY("2d", TO_CLUSTER "cta_group::1|cta_group::2? tile::gather4"),
    LOADS_ONLY("2d", TO_CTA "cta_group::1|cta_group::2 tile::gather4"),
    LOADS_ONLY(DIMS, TO_CLUSTER "cta_group::1|cta_group::2 tile?"),
    LOADS_ONLY(DIMS, TO_CTA "cta_group::1|cta_group::2 tile?"),
    LOADS_ONLY("3d|4d|5d", TO_CLUSTER "cta_group::1|cta_group::2 im2col"),
    LOADS_ONLY("3d|4d|5d", TO_CTA "cta_group::1|cta_group::2 im2col"),
    LOADS_ONLY("3d|4d|5d", TO_CLUSTER "cta_group::1|cta_group::2? im2col::w|im2col::w::128"),
    LOADS_ONLY("3d|4d|5d", TO_CTA "cta_group::1|cta_group::2? im2col::w|im2col::w::128"),
    STORES(80, 90, check_tensor_store, "async! bulk! tensor! " DIMS " tile?"),
    STORES(80, 90, check_tensor_store, "async! bulk! tensor! 3d|4d|5d im2col_no_offs"),
    ONLY(86, "100f 110f", check_tensor_store, "async! bulk! tensor! 2d tile::scatter4 " TO_GROUP, NULL),
    KNOWN(80, 90, check_tensor_prefetch, PREFETCH DIMS " tile?", NULL),
    KNOWN(80, 90, check_tensor_prefetch, PREFETCH "3d|4d|5d im2col", NULL),
    ONLY(86, "100f 110f", check_tensor_prefetch, PREFETCH "2d tile::gather4", NULL),
    ONLY(86, "100f 110f", check_tensor_prefetch, PREFETCH "3d|4d|5d im2col::w|im2col::w::128", NULL),
    STORES(80, 90, check_tensor_store, REDUCES "tensor! " DIMS " add|min|max|inc|dec|and|or|xor tile?"),
    STORES(80, 90, check_tensor_store, REDUCES "tensor! 3d|4d|5d add|min|max|inc|dec|and|or|xor im2col_no_offs"),
};
DEFINE_KNOWN(cp, "asynchronous copy; reductions, tensors and copies for several blocks are not executed")

/* ---- tensormap ----------------------------------------------------------------------------------------------- */

/* The largest constant of a field, by the tables of the PTX ISA ("tensormap.replace"). */
static uint64_t largest_value(const struct checker *c, const struct ptx_form *form)
{
    bool hopper = c->module->target < 100;
    if (ptx_form_has(form, PTX_elemtype))
        return hopper ? 12 : 15;
    if (ptx_form_has(form, PTX_swizzle_mode))
        return ptx_target_has("103a", c->module->target, c->module->target_suffix) ? 4 : 3;
    if (ptx_form_has(form, PTX_swizzle_atomicity))
        return 3;
    return ptx_form_has(form, PTX_interleave_layout) ? 2 : 1;
}

static bool check_field(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *value = &insn->operands[1];
    uint64_t most = largest_value(c, form);
    if (ptx_form_has(form, PTX_elemtype) && value->value > 12 && value->value <= most &&
        !check_gate(c, value->span, 87, 100, "this element type"))
        return false;
    return value->value <= most || check_error(c, value->span, "operand-range",
                                               "the value is a constant from 0 to %llu", (unsigned long long)most);
}

/* The number of a dimension. */
static bool check_ordinal(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *ordinal = &insn->operands[1];
    (void)form;
    return ordinal->value <= 4 || check_error(c, ordinal->span, "operand-range", "dimensions are 0 to 4");
}

static bool check_line(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    return insn->operands[2].value == 128 ||
           check_error(c, insn->operands[2].span, "operand-range", "a tensor map has 128 bytes");
}

#define REPLACE(check, mods, operands) \
    ONLY(83, "90a 100f 110f 120f", check, "replace! tile global|shared::cta? b1024 " mods, operands)
static const struct ptx_pattern tensormap_forms[] = {
    REPLACE(NULL, "global_address b64", "a:m value:8"),
    REPLACE(NULL, "rank b32", "a:m value:4"),
    REPLACE(check_ordinal, "box_dim|global_dim|element_stride b32", "a:m dimension:4# value:4"),
    REPLACE(check_ordinal, "global_stride b64", "a:m dimension:4# value:8"),
    REPLACE(check_field, "elemtype|interleave_layout|swizzle_mode|fill_mode b32", "a:m value:4#"),
    ONLY(86, "100f 110f 120f", check_field, "replace! tile global|shared::cta? b1024 swizzle_atomicity b32",
         "a:m value:4#"),
    KNOWN(83, 90, check_line,
          "cp_fenceproxy! global shared::cta tensormap::generic release cta|cluster|gpu|sys sync aligned",
          "d:m a:n size:4#"),
};
DEFINE_KNOWN(tensormap, "changes a tensor map; not executed")

/* ---- multimem ------------------------------------------------------------------------------------------------ */

#define MULTIMEM(version, mods, operands) KNOWN(version, 90, NULL, mods, operands)
#define WIDE(mods, operands)              ONLY(86, "100f 110f 120a 121a", NULL, mods, operands)
#define LOAD(order, mods)                 "ld_reduce! " order " global? " mods
#define WEAK                              "weak?"
#define STRONG                            "relaxed|acquire cta|cluster|gpu|sys"
#define STORE_STRONG                      "relaxed|release cta|cluster|gpu|sys"
#define LOADS_OF(order)                                                           \
    MULTIMEM(81, LOAD(order, "add u32|s32|u64|f64"), "d>y a:m"),                  \
        MULTIMEM(81, LOAD(order, "min|max u32|s32|u64|s64"), "d>y a:m"),          \
        MULTIMEM(81, LOAD(order, "and|or|xor b32|b64"), "d>y a:m"),               \
        MULTIMEM(81, LOAD(order, "add v2|v4? f32"), "d>y a:m"),                   \
        MULTIMEM(81, LOAD(order, "add|min|max v2|v4? f16x2|bf16x2"), "d>y a:m"),  \
        MULTIMEM(81, LOAD(order, "add|min|max v2|v4|v8 f16|bf16"), "d>y a:m"),    \
        MULTIMEM(82, LOAD(order, "add acc::f32 v2|v4? f16x2|bf16x2"), "d>y a:m"), \
        MULTIMEM(82, LOAD(order, "add acc::f32 v2|v4|v8 f16|bf16"), "d>y a:m"),   \
        WIDE(LOAD(order, "add acc::f16 v2|v4? e4m3x4|e5m2x4"), "d>y a:m"),        \
        WIDE(LOAD(order, "add|min|max v2|v4? e4m3x4|e5m2x4"), "d>y a:m"),         \
        WIDE(LOAD(order, "add acc::f16 v2|v4|v8 e4m3x2|e5m2x2"), "d>y a:m"),      \
        WIDE(LOAD(order, "add|min|max v2|v4|v8 e4m3x2|e5m2x2"), "d>y a:m")
#define STORES_OF(order)                                                          \
    MULTIMEM(81, "st! " order " global? b32|b64|u32|u64|s32|s64|f64", "a:m b:y"), \
        MULTIMEM(81, "st! " order " global? v2|v4? f32|f16x2|bf16x2", "a:m b:y"), \
        MULTIMEM(81, "st! " order " global? v2|v4|v8 f16|bf16", "a:m b:y"),       \
        WIDE("st! " order " global? v2|v4? e4m3x4|e5m2x4", "a:m b:y"),            \
        WIDE("st! " order " global? v2|v4|v8 e4m3x2|e5m2x2", "a:m b:y")
#define REDS_OF(order)                                                                     \
    MULTIMEM(81, "red! " order " global? add u32|s32|u64|f64", "a:m b:y"),                 \
        MULTIMEM(81, "red! " order " global? min|max u32|s32|u64|s64", "a:m b:y"),         \
        MULTIMEM(81, "red! " order " global? and|or|xor b32|b64", "a:m b:y"),              \
        MULTIMEM(81, "red! " order " global? add v2|v4? f32", "a:m b:y"),                  \
        MULTIMEM(81, "red! " order " global? add|min|max v2|v4? f16x2|bf16x2", "a:m b:y"), \
        MULTIMEM(81, "red! " order " global? add|min|max v2|v4|v8 f16|bf16", "a:m b:y"),   \
        MULTIMEM(81, "red! " order " global? add acc::f32 v2|v4? f16x2|bf16x2", "a:m b:y")

static const struct ptx_pattern multimem_forms[] = {
    LOADS_OF(WEAK), LOADS_OF(STRONG), STORES_OF(WEAK), STORES_OF(STORE_STRONG), REDS_OF(""), REDS_OF(STORE_STRONG),
};
DEFINE_KNOWN(multimem, "memory of several devices; not executed")

/* ---- clusterlaunchcontrol ------------------------------------------------------------------------------------- */

static const struct ptx_pattern clusterlaunchcontrol_forms[] = {
    KNOWN(86, 100, NULL, "try_cancel! async! shared::cta? " BYTES " b128", "d:m bar:m"),
    ONLY(86, "100f 110f 120f", NULL, "try_cancel! async! shared::cta? " BYTES " multicast::cluster::all b128",
         "d:m bar:m"),
    KNOWN(86, 100, NULL, "query_cancel! is_canceled pred b128", "p>t a:u"),
    KNOWN(86, 100, NULL, "query_cancel! get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128", "d>t a:u"),
    KNOWN(86, 100, NULL, "query_cancel! get_first_ctaid v4 b32 b128", "d>y a:u"),
};
DEFINE_KNOWN(clusterlaunchcontrol, "cancels clusters not yet launched; not executed")

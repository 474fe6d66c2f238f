/* Rows of the matrix instructions of a warp and a warp group: mma, wmma, wgmma, ldmatrix, stmatrix, movmatrix. They are
 * checked as ptxas 13.0 does it, not executed. Shapes, types and the registers of a fragment: PTX ISA, "Warp Level
 * Matrix Multiply-Accumulate Instructions" and "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
 */
#include "isa/ptx/rows.h"
#include "isa/ptx/vector.h"

#include <stdio.h>
#include <string.h>

/* ---- fragments ---------------------------------------------------------------------------------------------- */

/* One matrix of an operation as a lane holds it. */
struct fragment {
    unsigned count; /* registers */
    uint16_t type;  /* that each must fit */
};

static unsigned element_bits(uint16_t type, bool packed)
{
    switch (type) {
    case PTX_e4m3:
    case PTX_e5m2:
    case PTX_e3m2:
    case PTX_e2m3:
    case PTX_e2m1:
        return packed ? 4 : 8; /* narrow floats fill a byte, except with .kind::mxf4 and .kind::mxf4nvf4 */
    case PTX_s4:
    case PTX_u4:
        return 4;
    case PTX_b1:
        return 1;
    default:
        return ptx_type_bits(type);
    }
}

/* `rows` x `columns` elements over the 32 lanes. Accumulators of .f32 and .f64 take registers of that type, everything
 * else untyped or integer ones. */
static struct fragment fragment(unsigned rows, unsigned columns, uint16_t type, bool packed, bool accumulator)
{
    unsigned bits = element_bits(type, packed), wide = bits == 64 ? 64 : 32;
    unsigned count = rows * columns * bits / (wide * LANES);
    uint16_t holds = bits == 64 ? PTX_f64 : type == PTX_f32 && accumulator ? PTX_f32 : PTX_u32;
    return (struct fragment){.count = count > 0 ? count : 1, .type = holds};
}

static bool check_fragment(struct checker *c, const struct insn_operand *op, struct fragment fragment, bool dest)
{
    return check_vector(c, op, fragment.count, fragment.type, dest);
}

struct shape {
    unsigned m, n, k;
};

/* Numbers of the modifier m<M>n<N>k<K>. */
static struct shape shape_of(const struct checker *c, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->nmods; i++) {
        char text[24] = {0};
        struct shape shape;
        struct span span = insn->mod_spans[i];
        if (span.length >= sizeof(text))
            continue;
        memcpy(text, c->module->source + span.pos, span.length);
        if (sscanf(text, "m%3un%3uk%3u", &shape.m, &shape.n, &shape.k) == 3)
            return shape;
    }
    return (struct shape){0};
}

/* A constant in least .. most. */
static bool check_range(struct checker *c, const struct insn_operand *op, int64_t least, int64_t most, const char *what)
{
    if (op->kind == INSN_INT && (int64_t)op->value >= least && (int64_t)op->value <= most)
        return true;
    return op->kind != INSN_BAD && check_error(c, op->span, "operand-range", "%s must be a constant from %lld to %lld",
                                               what, (long long)least, (long long)most);
}

/* ---- mma ---------------------------------------------------------------------------------------------------- */

static bool is_sparse(const struct ptx_form *form)
{
    return ptx_form_has(form, PTX_sp) || ptx_form_has(form, PTX_sp__ordered_metadata);
}

/* Which lanes of each four give the metadata can be chosen while a row of B has 256 bits: of 16 bits and more one of
 * four, else two; with 512 bits one half of them, or nothing. */
static int64_t largest_selector(const struct ptx_form *form, unsigned k, bool packed)
{
    unsigned bits = form->types[1] == PTX_tf32 ? 32 : element_bits(form->types[1], packed);
    bool wide = bits >= 16;
    return k * bits <= 256 ? (wide ? 3 : 1) : wide;
}

static bool check_scale(struct checker *c, const struct insn_operand *scale, const struct insn_operand *ids)
{
    return check_source(c, scale, PTX_u32, false) && check_vector(c, ids, 2, PTX_u16, false);
}

/* .xor.popc and .and.popc are one word in two. */
static bool check_popc(struct checker *c, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->nmods; i++)
        if (insn->mods[i] == PTX_popc && (i == 0 || (insn->mods[i - 1] != PTX_xor && insn->mods[i - 1] != PTX_and)))
            return check_error(c, insn->mod_spans[i], "illegal-modifier", ".popc follows .xor or .and at once");
    return true;
}

static bool check_mma(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct shape s = shape_of(c, insn);
    bool sparse = is_sparse(form), scaled = ptx_form_has(form, PTX_block_scale);
    bool packed = ptx_form_has(form, PTX_kind__mxf4) || ptx_form_has(form, PTX_kind__mxf4nvf4);
    const uint16_t *t = form->types;
    const struct insn_operand *op = insn->operands;
    if (!check_popc(c, insn) || !check_count_is(c, insn, 4U + 2 * sparse + 4 * scaled))
        return false;
    unsigned times = s.m == 8 && t[1] == PTX_f16 ? 4 : 1; /* m8n8k4 of .f16 is four products at once */
    bool ok = check_fragment(c, &op[0], fragment(s.m * times, s.n, t[0], packed, true), true);
    ok &= check_fragment(c, &op[1], fragment(s.m * times, sparse ? s.k / 2 : s.k, t[1], packed, false), false);
    ok &= check_fragment(c, &op[2], fragment(s.k * times, s.n, t[2], packed, false), false);
    ok &= check_fragment(c, &op[3], fragment(s.m * times, s.n, t[3], packed, true), false);
    op += 4;
    if (sparse) {
        ok &= check_source(c, &op[0], PTX_u32, false);
        ok &= check_range(c, &op[1], 0, largest_selector(form, s.k, packed), "the selector");
        op += 2;
    }
    return (!scaled || (check_scale(c, &op[0], &op[1]) && check_scale(c, &op[2], &op[3]))) && ok;
}

#define MMA(version, target, mods) KNOWN(version, target, check_mma, "sync aligned " mods, NULL)
#define MMA_ONLY(targets, mods)    ONLY(86, targets, check_mma, "sync aligned " mods, NULL)
#define ROUND                      "rn|rz|rm|rp?"
#define FP8                        "e4m3|e5m2"
#define FP864                      "e4m3|e5m2|e3m2|e2m3|e2m1"
#define INT8                       "s8|u8"
#define INT4                       "s4|u4"

static const struct ptx_pattern mma_forms[] = {
    MMA(64, 70, "m8n8k4 row|col row|col f16 f16 f16 f16"),
    MMA(64, 70, "m8n8k4 row|col row|col f32 f16 f16 f16|f32"),
    MMA(65, 75, "m16n8k8 row col f16 f16 f16 f16"),
    MMA(65, 75, "m16n8k8 row col f32 f16 f16 f32"),
    MMA(70, 80, "m16n8k16 row col f16 f16 f16 f16"),
    MMA(70, 80, "m16n8k16 row col f32 f16 f16 f32"),
    MMA(70, 80, "m16n8k8|m16n8k16 row col f32 bf16 bf16 f32"),
    MMA(70, 80, "m16n8k4|m16n8k8 row col f32 tf32 tf32 f32"),
    MMA(84, 89, "m16n8k32 row col f32 " FP8 " " FP8 " f32"),
    MMA(87, 89, "m16n8k16 row col f32 " FP8 " " FP8 " f32"),
    MMA(87, 89, "m16n8k16|m16n8k32 row col f16 " FP8 " " FP8 " f16"),
    MMA(70, 80, "m8n8k4 row col " ROUND " f64 f64 f64 f64"),
    MMA(78, 90, "m16n8k4|m16n8k8|m16n8k16 row col " ROUND " f64 f64 f64 f64"),
    MMA(65, 75, "m8n8k16 row col satfinite? s32 " INT8 " " INT8 " s32"),
    MMA(65, 75, "m8n8k32 row col satfinite? s32 " INT4 " " INT4 " s32"),
    MMA(70, 80, "m16n8k16|m16n8k32 row col satfinite? s32 " INT8 " " INT8 " s32"),
    MMA(70, 80, "m16n8k32|m16n8k64 row col satfinite? s32 " INT4 " " INT4 " s32"),
    MMA(70, 75, "m8n8k128 row col s32 b1 b1 s32 xor popc"),
    MMA(70, 80, "m16n8k128|m16n8k256 row col s32 b1 b1 s32 xor popc"),
    MMA(71, 80, "m8n8k128|m16n8k128|m16n8k256 row col s32 b1 b1 s32 and popc"),
    MMA_ONLY("100f 110f 120f", "m16n8k16|m16n8k32 row col kind::f8f6f4 f32 " FP8 " " FP8 " f32"),
    MMA_ONLY("100f 110f 120f", "m16n8k16|m16n8k32 row col kind::f8f6f4 f16 " FP8 " " FP8 " f16"),
    MMA_ONLY("120f", "m16n8k32 row col kind::f8f6f4 f32 " FP864 " " FP864 " f32"),
    MMA_ONLY("120f", "m16n8k32 row col kind::f8f6f4 f16 " FP864 " " FP864 " f16"),
    MMA_ONLY("120f", "m16n8k32 row col kind::mxf8f6f4 block_scale scale_vec::1X? f32 " FP864 " " FP864 " f32 ue8m0"),
    MMA_ONLY("120f", "m16n8k64 row col kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0"),
    MMA_ONLY("120f", "m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::2X f32 e2m1 e2m1 f32 ue8m0"),
    MMA_ONLY("120f", "m16n8k64 row col kind::mxf4nvf4 block_scale scale_vec::4X f32 e2m1 e2m1 f32 ue4m3"),
#define SPARSE(version, sp)                                                                     \
    MMA(version, 80, sp " m16n8k8|m16n8k16 row col f32 tf32 tf32 f32"),                         \
        MMA(version, 80, sp " m16n8k16|m16n8k32 row col f16 f16 f16 f16"),                      \
        MMA(version, 80, sp " m16n8k16|m16n8k32 row col f32 f16 f16 f32"),                      \
        MMA(version, 80, sp " m16n8k16|m16n8k32 row col f32 bf16 bf16 f32"),                    \
        MMA(version, 80, sp " m16n8k32|m16n8k64 row col satfinite? s32 " INT8 " " INT8 " s32"), \
        MMA(version, 80, sp " m16n8k64|m16n8k128 row col satfinite? s32 " INT4 " " INT4 " s32")
    SPARSE(71, "sp"),
    SPARSE(85, "sp::ordered_metadata"),
    MMA(84, 89, "sp m16n8k64 row col f32 " FP8 " " FP8 " f32"),
#define ORDERED "sp::ordered_metadata row col "
    MMA(85, 89, ORDERED "m16n8k64 f32 " FP8 " " FP8 " f32"),
    MMA_ONLY("100f 110f 120f", ORDERED "m16n8k64 kind::f8f6f4 f32 " FP8 " " FP8 " f32"),
    MMA_ONLY("120f", ORDERED "m16n8k64 f16 " FP8 " " FP8 " f16"),
    MMA_ONLY("120f", ORDERED "m16n8k64 kind::f8f6f4 f32 " FP864 " " FP864 " f32"),
    MMA_ONLY("120f", ORDERED "m16n8k64 kind::f8f6f4 f16 " FP864 " " FP864 " f16"),
    MMA_ONLY("120f", ORDERED "m16n8k64 kind::mxf8f6f4 block_scale scale_vec::1X? f32 " FP864 " " FP864 " f32 ue8m0"),
    MMA_ONLY("120a 121a", ORDERED "m16n8k128 kind::mxf4 block_scale scale_vec::2X? f32 e2m1 e2m1 f32 ue8m0"),
    MMA_ONLY("120a 121a", ORDERED "m16n8k128 kind::mxf4nvf4 block_scale scale_vec::2X f32 e2m1 e2m1 f32 ue8m0"),
    MMA_ONLY("120a 121a", ORDERED "m16n8k128 kind::mxf4nvf4 block_scale scale_vec::4X f32 e2m1 e2m1 f32 ue4m3"),
};
DEFINE_KNOWN(mma, "matrix multiply of a warp; not executed")

/* ---- wmma --------------------------------------------------------------------------------------------------- */

/* The matrices a and b of .f16 are held twice. */
static struct fragment wmma_fragment(struct shape s, char matrix, uint16_t type)
{
    unsigned rows = matrix == 'b' ? s.k : s.m, columns = matrix == 'a' ? s.k : s.n;
    bool accumulator = matrix == 'c';
    if (type == PTX_f16 && !accumulator)
        return (struct fragment){.count = 8, .type = PTX_u32};
    return fragment(rows, columns, type, false, accumulator);
}

static bool check_stride(struct checker *c, const struct insn *insn)
{
    return insn->noperands < 3 || check_source(c, &insn->operands[2], PTX_u32, false);
}

static bool count_two_or_three(struct checker *c, const struct insn *insn)
{
    return insn->noperands == 2 || insn->noperands == 3 ||
           check_error(c, insn->name, "operand-count", "'wmma' takes 2 or 3 operands here, not %u", insn->noperands);
}

static bool check_wmma_load(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    char matrix = ptx_form_has(form, PTX_a) ? 'a' : ptx_form_has(form, PTX_b) ? 'b' : 'c';
    if (!count_two_or_three(c, insn))
        return false;
    bool ok = check_fragment(c, &insn->operands[0], wmma_fragment(shape_of(c, insn), matrix, form->types[0]), true);
    return check_address(c, &insn->operands[1], form->space) && check_stride(c, insn) && ok;
}

static bool check_wmma_store(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (!count_two_or_three(c, insn))
        return false;
    bool ok = check_address(c, &insn->operands[0], form->space);
    struct fragment d = wmma_fragment(shape_of(c, insn), 'c', form->types[0]);
    return check_fragment(c, &insn->operands[1], d, false) && check_stride(c, insn) && ok;
}

/* Two types are those of d and c, with a and b of .f16. */
static bool check_wmma(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct shape s = shape_of(c, insn);
    bool two = form->ntypes == 2;
    uint16_t a = two ? PTX_f16 : form->types[1], b = two ? PTX_f16 : form->types[2];
    if (!check_popc(c, insn) || !check_count_is(c, insn, 4))
        return false;
    bool ok = check_fragment(c, &insn->operands[0], wmma_fragment(s, 'c', form->types[0]), true);
    ok &= check_fragment(c, &insn->operands[1], wmma_fragment(s, 'a', a), false);
    ok &= check_fragment(c, &insn->operands[2], wmma_fragment(s, 'b', b), false);
    return check_fragment(c, &insn->operands[3], wmma_fragment(s, 'c', form->types[form->ntypes - 1]), false) && ok;
}

/* .satfinite with .f16 ended with PTX 6.4. */
static bool check_wmma_sat(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (ptx_form_has(form, PTX_satfinite) && c->module->version >= 65)
        return check_error(c, insn->name, "illegal-modifier", "wmma.mma.satfinite of .f16 is gone from PTX 6.5");
    return check_wmma(c, insn, form);
}

#define CUBES "m16n16k16|m8n32k16|m32n8k16"
#define SPACE "global|shared|shared::cta@78?"
#define LOAD(version, target, matrix, layout, rest) \
    KNOWN(version, target, check_wmma_load, "load! " matrix "! sync aligned " layout " " SPACE " " rest, NULL)
#define STORE(version, target, rest) \
    KNOWN(version, target, check_wmma_store, "store! d! sync aligned row|col " SPACE " " rest, NULL)
#define WMMA(version, target, rest) KNOWN(version, target, check_wmma, "mma! sync aligned " rest, NULL)

static const struct ptx_pattern wmma_forms[] = {
    LOAD(60, 70, "a|b", "row|col", "m16n16k16|m8n32k16@61|m32n8k16@61 f16"),
    LOAD(60, 70, "c", "row|col", "m16n16k16|m8n32k16@61|m32n8k16@61 f16|f32"),
    LOAD(70, 80, "a|b", "row|col", CUBES " bf16"),
    LOAD(70, 80, "a|b", "row|col", "m16n16k8 tf32"),
    LOAD(70, 80, "c", "row|col", "m16n16k8 f32"),
    LOAD(63, 72, "a|b", "row|col", CUBES " s8|u8"),
    LOAD(63, 72, "c", "row|col", CUBES " s32"),
    LOAD(63, 75, "a", "row", "m8n8k32 s4|u4"),
    LOAD(63, 75, "b", "col", "m8n8k32 s4|u4"),
    LOAD(63, 75, "a", "row", "m8n8k128 b1"),
    LOAD(63, 75, "b", "col", "m8n8k128 b1"),
    LOAD(63, 75, "c", "row|col", "m8n8k32|m8n8k128 s32"),
    LOAD(70, 80, "a|b|c", "row|col", "m8n8k4 f64"),
    STORE(60, 70, "m16n16k16|m8n32k16@61|m32n8k16@61 f16|f32"),
    STORE(70, 80, "m16n16k8 f32"),
    STORE(63, 72, CUBES " s32"),
    STORE(63, 75, "m8n8k32|m8n8k128 s32"),
    STORE(70, 80, "m8n8k4 f64"),
    KNOWN(60, 70, check_wmma_sat,
          "mma! sync aligned row|col row|col m16n16k16|m8n32k16@61|m32n8k16@61 f16|f32 f16|f32 satfinite?", NULL),
    WMMA(70, 80, "row|col row|col " CUBES " f32 bf16 bf16 f32"),
    WMMA(70, 80, "row|col row|col m16n16k8 f32 tf32 tf32 f32"),
    WMMA(63, 72, "row|col row|col " CUBES " s32 s8 s8 s32 satfinite?"),
    WMMA(63, 72, "row|col row|col " CUBES " s32 u8 u8 s32 satfinite?"),
    WMMA(63, 75, "row col m8n8k32 s32 s4 s4 s32 satfinite?"),
    WMMA(63, 75, "row col m8n8k32 s32 u4 u4 s32 satfinite?"),
    WMMA(63, 75, "xor popc row col m8n8k128 s32 b1 b1 s32"),
    WMMA(71, 80, "and popc row col m8n8k128 s32 b1 b1 s32"),
    WMMA(70, 80, "row|col row|col m8n8k4 f64 f64 f64 f64 " ROUND),
};
DEFINE_KNOWN(wmma, "matrix multiply of a warp; not executed")

/* ---- wgmma -------------------------------------------------------------------------------------------------- */

/* N counts in steps of 8 up to 256; with integers in steps of 16 from 32 on. */
static bool check_wgmma_n(struct checker *c, const struct insn *insn, unsigned n, bool integers)
{
    bool fine = n >= 8 && n <= 256 && n % 8 == 0 && (!integers || n <= 32 || n % 16 == 0);
    return fine || check_error(c, insn->name, "illegal-modifier",
                               integers ? "N is 8, 16, 24, or a multiple of 16 from 32 to 256; %u was written"
                                        : "N is a multiple of 8 from 8 to 256; %u was written",
                               n);
}

/* Factors -1 and 1 for floats, then 0 or 1 for the matrices of 16 bits in shared memory that are transposed. */
static bool check_wgmma_constants(struct checker *c, const struct insn_operand *op, unsigned factors, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool factor = i < factors;
        if (!check_range(c, &op[i], factor ? -1 : 0, 1, factor ? "the factor" : "the layout"))
            return false;
        if (factor && op[i].value == 0)
            return check_error(c, op[i].span, "operand-range", "the factor is -1 or 1");
    }
    return true;
}

static bool check_wgmma(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct shape s = shape_of(c, insn);
    bool sparse = is_sparse(form), integers = form->types[0] == PTX_s32;
    bool half = form->types[1] == PTX_f16 || form->types[1] == PTX_bf16;
    const struct insn_operand *op = insn->operands;
    if (!check_popc(c, insn) || !check_wgmma_n(c, insn, s.n, integers))
        return false;
    bool registers = insn->noperands > 1 && op[1].kind == INSN_TUPLE;
    unsigned constants = integers ? 0 : 2 + (half ? 2U - registers : 0);
    if (!check_count_is(c, insn, 4U + 2 * sparse + constants))
        return false;
    /* A warp of the four has 16 of the 64 rows. */
    bool ok = check_fragment(c, &op[0], fragment(16, s.n, form->types[0], false, true), true);
    ok &= registers ? check_vector(c, &op[1], 4, PTX_u32, false) : check_source(c, &op[1], PTX_u64, false);
    ok &= check_source(c, &op[2], PTX_u64, false);
    op += 3;
    if (sparse) {
        bool two = form->types[1] == PTX_tf32 || half;
        ok &= check_source(c, &op[0], PTX_u32, false) && check_range(c, &op[1], 0, two ? 1 : 0, "the selector");
        op += 2;
    }
    const struct insn_operand *scale = op[0].kind == INSN_NOT ? &op[0].children[0] : &op[0];
    return check_source(c, scale, PTX_pred, false) && check_wgmma_constants(c, &op[1], 2, constants) && ok;
}

#define WGMMA(version, mods)   ONLY(version, "90a", check_wgmma, "mma_async! " mods, NULL)
#define GROUP(mods, operands_) ONLY(80, "90a", NULL, mods, operands_)

static const struct ptx_pattern wgmma_forms[] = {
    GROUP("fence! sync aligned-", ""),
    GROUP("commit_group! sync aligned-", ""),
    GROUP("wait_group! sync aligned-", "n:4#"),
    WGMMA(80, "sync aligned- m64nNk16 f16|f32 f16 f16"),
    WGMMA(80, "sync aligned- m64nNk16 f32 bf16 bf16"),
    WGMMA(80, "sync aligned- m64nNk8 f32 tf32 tf32"),
    WGMMA(80, "sync aligned- m64nNk32 f16|f32 " FP8 " " FP8),
    WGMMA(80, "sync aligned- m64nNk32 satfinite? s32 " INT8 " " INT8),
    WGMMA(80, "sync aligned- m64nNk256 s32 b1 b1 and popc"),
    WGMMA(82, "sp sync aligned- m64nNk32 f16|f32 f16 f16"),
    WGMMA(82, "sp sync aligned- m64nNk32 f32 bf16 bf16"),
    WGMMA(82, "sp sync aligned- m64nNk16 f32 tf32 tf32"),
    WGMMA(82, "sp sync aligned- m64nNk64 f16|f32 " FP8 " " FP8),
    WGMMA(82, "sp sync aligned- m64nNk64 satfinite? s32 " INT8 " " INT8),
};
DEFINE_KNOWN(wgmma, "matrix multiply of a warp group; not executed")

/* ---- matrices and memory ------------------------------------------------------------------------------------- */

/* .x1 .x2 .x4, twice as many registers with 16 x 16 elements. */
static unsigned matrices(const struct ptx_form *form)
{
    unsigned count = ptx_form_has(form, PTX_x4) ? 4 : ptx_form_has(form, PTX_x2) ? 2 : 1;
    return ptx_form_has(form, PTX_m16n16) ? 2 * count : count;
}

static bool check_ldmatrix(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_vector(c, &insn->operands[0], matrices(form), PTX_b32, true);
}

static bool check_stmatrix(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_vector(c, &insn->operands[1], matrices(form), PTX_b32, false);
}

#define SHARED "shared|shared::cta@78?"
static const struct ptx_pattern ldmatrix_forms[] = {
    KNOWN(65, 75, check_ldmatrix, "sync aligned m8n8 x1|x2|x4 trans? " SHARED " b16", "d>* a:m"),
    ONLY(86, "100f 110f 120f", check_ldmatrix, "sync aligned m16n16 x1|x2 trans " SHARED " b8", "d>* a:m"),
    ONLY(86, "100f 110f 120f", check_ldmatrix, "sync aligned m16n16 x1|x2 trans " SHARED " b8x16 b6x16_p32|b4x16_p64",
         "d>* a:m"),
    ONLY(86, "100f 110f 120f", check_ldmatrix, "sync aligned m8n16 x1|x2|x4 " SHARED " b8x16 b6x16_p32|b4x16_p64",
         "d>* a:m"),
};
DEFINE_KNOWN(ldmatrix, "loads matrices; not executed")
static const struct ptx_pattern stmatrix_forms[] = {
    KNOWN(78, 90, check_stmatrix, "sync aligned m8n8 x1|x2|x4 trans? " SHARED " b16", "a:m b:*"),
    ONLY(86, "100f 110f 120f", check_stmatrix, "sync aligned m16n8 x1|x2|x4 trans " SHARED " b8", "a:m b:*"),
};
DEFINE_KNOWN(stmatrix, "stores matrices; not executed")
static const struct ptx_pattern movmatrix_forms[] = {
    KNOWN(78, 75, NULL, "sync aligned m8n8 trans b16", "d>* a:*"),
};
static bool check_movmatrix(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *a = &insn->operands[1];
    (void)form;
    if (a->kind != INSN_REG && a->kind != INSN_BAD)
        return check_error(c, a->span, "operand-type", "a register is wanted");
    return check_dest(c, &insn->operands[0], PTX_b32, false) && check_source(c, a, PTX_b32, false);
}
const struct ptx_row ptx_row_movmatrix = {"movmatrix", "transposes a matrix in registers; not executed",
                                          PTX_PATTERNS(movmatrix_forms), check_movmatrix, ptx_lower_unsupported};

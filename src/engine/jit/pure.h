/* Compiled forms of pure operations: what pure.c and the files of its families share.
 *
 * The meanings (engine/meaning) are the law. The row of an instruction there says which of its flags count; a form has
 * no other look at flags. A form makes the values of the destinations, of all 32 lanes, as the interpreter's kernel
 * would. */
#ifndef ATOLL_ENGINE_JIT_PURE_H
#define ATOLL_ENGINE_JIT_PURE_H

#include "engine/jit/emit.h"

enum { PURE_RESULTS = 16 };

struct pure {
    struct emit *e;
    const struct decoded *at;
    const struct lane_inst *inst;
    const struct meaning *row; /* NULL: the operation asks the machine */
    unsigned flags;            /* that count */
    unsigned bits, count;      /* of an element of the type; how many a register has: 64 of packed types */
    LLVMValueRef results[PURE_RESULTS];
};

/* Sets results, or stores them itself. False: there is no compiled form, nothing was emitted. */
typedef bool pure_fn(struct pure *p);

/* The forms of an operation for a set of types (PURE_TYPE), where no flags count but `flags`. */
struct pure_form {
    uint16_t op;
    uint8_t flags;
    uint32_t types;
    pure_fn *emit;
};

#define PURE_TYPE(name) (1u << LANE_##name)
#define PURE_BITS       (PURE_TYPE(B8) | PURE_TYPE(B16) | PURE_TYPE(B32) | PURE_TYPE(B64))
#define PURE_UNSIGNED   (PURE_TYPE(U8) | PURE_TYPE(U16) | PURE_TYPE(U32) | PURE_TYPE(U64))
#define PURE_SIGNED     (PURE_TYPE(S8) | PURE_TYPE(S16) | PURE_TYPE(S32) | PURE_TYPE(S64))
#define PURE_INTS       (PURE_BITS | PURE_UNSIGNED | PURE_SIGNED)
#define PURE_PACKED     (PURE_TYPE(U16X2) | PURE_TYPE(S16X2))
#define PURE_FLOATS     (PURE_TYPE(F32) | PURE_TYPE(F64))
#define PURE_F16S       (PURE_TYPE(F16) | PURE_TYPE(F16X2))
#define PURE_HALVES     (PURE_F16S | PURE_TYPE(BF16) | PURE_TYPE(BF16X2))
#define PURE_ALL        UINT32_MAX

/* Tables of the families, each ends with a row without a function. */
extern const struct pure_form pure_moves[], pure_ints[], pure_bits[], pure_floats[], pure_halves[], pure_cvts[],
    pure_divisions[], pure_machine[], pure_approx[], pure_interpolated[];

/* ---- values --------------------------------------------------------------------------------------------------------
 */

typedef LLVMValueRef value;

/* Source k, as a vector of the type's elements where it is as wide as the type. */
value pure_source(struct pure *p, unsigned k);
/* Source k where it is a constant that LLVM must not know, or not as it is; else NULL. */
value pure_hidden(struct pure *p, unsigned k);
/* Source k for who computes with it as an f32: hidden, or loose (emit_loose). */
value pure_loose(struct pure *p, unsigned k);
/* A vector of p->count elements that all are `bits` wide and have this value. */
value pure_same(struct pure *p, unsigned bits, uint64_t x);
LLVMTypeRef pure_vector(struct pure *p, LLVMTypeRef element);
/* Result k: any vector as long as the register. */
void pure_result(struct pure *p, unsigned k, value x);

/* Integers of another width: extends by `is_signed`, or truncates. */
value pure_resize(struct pure *p, value x, unsigned from, unsigned to, bool is_signed);
value pure_call1(struct pure *p, const char *name, value a);
value pure_call2(struct pure *p, const char *name, value a, value b);
value pure_call3(struct pure *p, const char *name, value a, value b, value c);

/* A type of one number of 16 bits. */
static inline bool pure_is_half(unsigned type)
{
    return type == LANE_F16 || type == LANE_BF16;
}

static inline value pure_add(struct pure *p, value a, value b)
{
    return p->e->llvm->BuildAdd(p->e->builder, a, b, "");
}

static inline value pure_sub(struct pure *p, value a, value b)
{
    return p->e->llvm->BuildSub(p->e->builder, a, b, "");
}

static inline value pure_mul(struct pure *p, value a, value b)
{
    return p->e->llvm->BuildMul(p->e->builder, a, b, "");
}

static inline value pure_and(struct pure *p, value a, value b)
{
    return p->e->llvm->BuildAnd(p->e->builder, a, b, "");
}

static inline value pure_or(struct pure *p, value a, value b)
{
    return p->e->llvm->BuildOr(p->e->builder, a, b, "");
}

static inline value pure_xor(struct pure *p, value a, value b)
{
    return p->e->llvm->BuildXor(p->e->builder, a, b, "");
}

static inline value pure_not(struct pure *p, value a)
{
    return p->e->llvm->BuildNot(p->e->builder, a, "");
}

/* By amounts less than the width. */
static inline value pure_shl(struct pure *p, value a, value n)
{
    return p->e->llvm->BuildShl(p->e->builder, a, n, "");
}

static inline value pure_shr(struct pure *p, value a, value n, bool is_signed)
{
    return is_signed ? p->e->llvm->BuildAShr(p->e->builder, a, n, "") : p->e->llvm->BuildLShr(p->e->builder, a, n, "");
}

static inline value pure_select(struct pure *p, value c, value a, value b)
{
    return p->e->llvm->BuildSelect(p->e->builder, c, a, b, "");
}

static inline value pure_icmp(struct pure *p, LLVMIntPredicate how, value a, value b)
{
    return p->e->llvm->BuildICmp(p->e->builder, how, a, b, "");
}

static inline value pure_fcmp(struct pure *p, LLVMRealPredicate how, value a, value b)
{
    return p->e->llvm->BuildFCmp(p->e->builder, how, a, b, "");
}

static inline value pure_cast(struct pure *p, value a, LLVMTypeRef type)
{
    return p->e->llvm->BuildBitCast(p->e->builder, a, type, "");
}

/* Pairs of the same width side by side, `low` in the low bits; the other way round. `bits`: of a part; n elements. */
value pure_join(struct pure *p, value low, value high, unsigned bits);
void pure_split(struct pure *p, value whole, unsigned bits, value *low, value *high);

/* ---- floats (pure_float.c) -----------------------------------------------------------------------------------------
 */

/* Floats of the host: their type, of 32 and 64 bits; bits as floats and back. */
LLVMTypeRef pure_float_type(struct pure *p, unsigned bits);
value pure_to_float(struct pure *p, value bits, unsigned width);
value pure_from_float(struct pure *p, value x, unsigned width);
value pure_real(struct pure *p, unsigned bits, uint64_t pattern); /* a constant, by its bits */
/* FTZ of the bits of a float; `exponent` are its exponent's bits. */
value pure_flush(struct pure *p, value bits, unsigned width, uint64_t exponent);
/* FTZ of an f32 where it is `tiny`; is one that rounds as twice this one does? (kernels.h: f32_flush_if) */
value pure_flush_where(struct pure *p, value tiny, value x);
value pure_below_half(struct pure *p, value twice);
/* kernels.h: f32_finish, f64_finish (of nsrc operands, the one whose NaN counts first), clamps. */
value pure_clamp(struct pure *p, value x, unsigned bits);
value pure_finish32(struct pure *p, value x, bool ftz, bool sat);
value pure_finish64(struct pure *p, value x, const value *operands, unsigned nsrc);
/* mul of f32, finished: pure_finish32. */
value pure_product(struct pure *p, value x, value y, bool ftz);
/* Rounds to an integral value as RNI..RPI say; as it is for other modes. */
value pure_integral(struct pure *p, value x, unsigned round);
/* Does the host round to integral values, and to and from f16, in one instruction? */
bool pure_host_integral(const struct pure *p);
bool pure_host_f16(const struct pure *p);

/* ---- halves (pure_half.c) ------------------------------------------------------------------------------------------
 */

/* f16 or bf16 (elements of 16 bits) as f32, exactly; back, in a mode RN..RNA, with the canonical NaN. */
value pure_widen(struct pure *p, value half, bool bf16);
value pure_narrow(struct pure *p, value x, bool bf16, unsigned round);
/* kernels.h: half_finish; of `flags` SAT and RELU count. */
value pure_finish16(struct pure *p, value half, bool bf16, unsigned flags);
/* f64 as f32, rounded to odd. */
value pure_odd(struct pure *p, value x);
bool pure_is_bf16(unsigned type);

#endif

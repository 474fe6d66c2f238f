/* What the instructions between accesses compute, and what atomic ones write. */
#include "base/half.h"
#include "litmus/program.h"

struct program_value program_cut(struct program_value value, unsigned bits)
{
    if (bits < 64)
        value.part[0] &= (UINT64_C(1) << bits) - 1;
    if (bits <= 64)
        value.part[1] = 0;
    return value;
}

static int64_t extend(uint64_t value, unsigned bits)
{
    unsigned shift = bits < 64 ? 64 - bits : 0;
    return (int64_t)(value << shift) >> shift;
}

static bool less(const struct program_insn *insn, uint64_t a, uint64_t b)
{
    return insn->is_signed ? extend(a, insn->bits) < extend(b, insn->bits) : a < b;
}

static uint64_t divide(const struct program_insn *insn, uint64_t a, uint64_t b)
{
    if (b == 0)
        return UINT64_MAX; /* as docs/design.md, "Named choices", has it */
    if (!insn->is_signed)
        return a / b;
    int64_t x = extend(a, insn->bits), y = extend(b, insn->bits);
    return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
}

static uint64_t add_halves(uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 32; i += 16) {
        double x = (double)f16_to_f32((uint16_t)(a >> i)), y = (double)f16_to_f32((uint16_t)(b >> i));
        sum |= (uint64_t)f16_from_f64(x + y, HALF_RN) << i; /* the sum of two halves is exact in an f64 */
    }
    return sum;
}

static uint32_t flush(const struct program_insn *insn, uint32_t bits)
{
    return insn->flushes && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static uint64_t add_floats(const struct program_insn *insn, uint32_t a, uint32_t b)
{
    float x = f32_from_bits(flush(insn, a)), y = f32_from_bits(flush(insn, b));
    uint32_t sum = f32_bits(x + y);
    bool nan = (sum & 0x7fffffff) > 0x7f800000;
    return nan ? 0x7fffffff : flush(insn, sum);
}

/* Of the operations that instructions and atomics share. */
static uint64_t apply(const struct program_insn *insn, uint64_t a, uint64_t b)
{
    switch (insn->operation) {
    case PROGRAM_ADD:
        return a + b;
    case PROGRAM_SUB:
        return a - b;
    case PROGRAM_MUL:
        return a * b;
    case PROGRAM_DIV:
        return divide(insn, a, b);
    case PROGRAM_AND:
        return a & b;
    case PROGRAM_OR:
        return a | b;
    case PROGRAM_XOR:
        return a ^ b;
    case PROGRAM_NOT:
        return ~a;
    case PROGRAM_SHL:
        return b < insn->bits ? a << b : 0;
    case PROGRAM_SHR:
        if (b >= insn->bits)
            return insn->is_signed && extend(a, insn->bits) < 0 ? UINT64_MAX : 0;
        return insn->is_signed ? (uint64_t)(extend(a, insn->bits) >> b) : a >> b;
    case PROGRAM_MIN:
        return less(insn, b, a) ? b : a;
    case PROGRAM_MAX:
        return less(insn, a, b) ? b : a;
    case PROGRAM_INC:
        return a >= b ? 0 : a + 1;
    case PROGRAM_DEC:
        return a == 0 || a > b ? b : a - 1;
    case PROGRAM_ADD_F32:
        return add_floats(insn, (uint32_t)a, (uint32_t)b);
    case PROGRAM_ADD_F16X2:
        return add_halves(a, b);
    case PROGRAM_EQ:
        return a == b;
    case PROGRAM_NE:
        return a != b;
    case PROGRAM_LT:
        return less(insn, a, b);
    case PROGRAM_LE:
        return !less(insn, b, a);
    case PROGRAM_GT:
        return less(insn, b, a);
    case PROGRAM_GE:
        return !less(insn, a, b);
    default:
        return b; /* exch */
    }
}

/* Elements one behind the other make one number. */
static struct program_value join(const struct program_insn *insn, const struct program_value *from)
{
    struct program_value value = {0};
    unsigned bits = insn->bits / insn->nfrom;
    for (unsigned i = 0; i < insn->nfrom; i++) {
        struct program_value part = program_cut(from[i], bits);
        unsigned at = i * bits;
        value.part[at / 64] |= part.part[0] << at % 64;
        if (bits == 128)
            value = part;
    }
    return value;
}

struct program_value program_compute(const struct program_insn *insn, const struct program_value *from)
{
    if (insn->operation == PROGRAM_MOVE)
        return program_cut(join(insn, from), insn->bits);
    if (insn->operation == PROGRAM_SELECT)
        return program_cut(from[2].part[0] & 1 ? from[0] : from[1], insn->bits);
    uint64_t a = program_cut(from[0], insn->bits).part[0];
    uint64_t b = insn->nfrom > 1 ? program_cut(from[1], insn->bits).part[0] : 0;
    return program_cut((struct program_value){{apply(insn, a, b)}}, insn->bits);
}

bool program_atomic(const struct program_insn *insn, struct program_value old, const struct program_value *from,
                    struct program_value *value)
{
    struct program_value first = program_cut(from[0], insn->bits);
    *value = first;
    if (insn->operation == PROGRAM_CAS) {
        *value = program_cut(from[1], insn->bits);
        return program_same(old, first);
    }
    if (insn->operation != PROGRAM_EXCH)
        *value = program_cut((struct program_value){{apply(insn, old.part[0], first.part[0])}}, insn->bits);
    return true;
}

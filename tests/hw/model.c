/* The documented rules in plain C, written from the PTX ISA and the published measurements, not from the library:
 * what a case of class isa or measured must give. */
#include "hw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COORDS = 16, DATA = 16, ATOMIC_IN = 48, ATOMIC_OUT = 32, NO_PLACE = -1, FAULT = -2 };

struct state {
    const struct hw_case *c;
    const struct hw_spec *spec;
    struct hw_format format;
    unsigned char *texels, *out;
    const char *fault;
};

static uint64_t get(const void *bytes, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size > 8 ? 8 : size); /* little-endian hosts only, as the library */
    return value;
}

/* ---- where an access goes --------------------------------------------------------------------------------------- */

/* Index 0..count-1 after the policy, NO_PLACE for .zero and where there is no place to clamp to, FAULT for .trap. */
static int64_t settle(int64_t at, int64_t count, enum hw_clamp clamp)
{
    if (at >= 0 && at < count)
        return at;
    if (clamp == HW_TRAP)
        return FAULT;
    return clamp == HW_ZERO || count == 0 ? NO_PLACE : at < 0 ? 0 : count - 1;
}

/* Byte offset of an access in the packed texels. */
static int64_t locate(const struct state *s, const unsigned char *in)
{
    const struct hw_case *c = s->c;
    bool bytes = s->spec->op == HW_SULD || s->spec->op == HW_SUST_B || s->spec->op == HW_SURED_B;
    int64_t size = s->spec->op == HW_SUST_P ? s->format.bytes : (int64_t)s->spec->type->bytes * s->spec->vec;
    int64_t row = (int64_t)c->width * s->format.bytes, height = c->height ? c->height : 1, offset = 0;
    bool dropped = false;
    for (unsigned i = 0; s->spec->geometry->axes[i]; i++) {
        char axis = s->spec->geometry->axes[i];
        uint32_t raw = (uint32_t)get(in + 4 * i, 4);
        int64_t at = axis == 'l' ? (int64_t)(raw & 0xffff) : (int32_t)raw;
        if (axis == 'x' && bytes && at % size != 0)
            return FAULT;
        if (axis == 'x' && bytes)
            at /= size;
        int64_t count = axis == 'x' ? row / size : axis == 'y' ? c->height : axis == 'z' ? c->depth : c->layers;
        at = settle(at, count, s->spec->clamp);
        if (at == FAULT)
            return FAULT;
        dropped = dropped || at == NO_PLACE;
        offset += at * (axis == 'x' ? size : axis == 'y' ? row : row * height);
    }
    return dropped ? NO_PLACE : offset;
}

/* ---- surfaces --------------------------------------------------------------------------------------------- */

static uint32_t half_toward_zero(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    uint32_t sign = bits >> 16 & 0x8000;
    double m = fabs((double)f);
    int exponent;
    if (f != f)
        return sign | 0x7c00 | (bits >> 13 & 0x3ff ? bits >> 13 & 0x3ff : 1);
    if (isinf(m))
        return sign | 0x7c00;
    if (m >= 65504)
        return sign | 0x7bff;
    if (m < 0x1p-14)
        return sign | (uint32_t)floor(m * 0x1p24);
    double fraction = frexp(m, &exponent); /* 0.5 .. 1 */
    return sign | ((uint32_t)(exponent + 14) << 10) | ((uint32_t)floor(fraction * 2048) - 1024);
}

/* To a fraction of so many bits: four bits more, then the nearest code, the lower one of two. */
static uint32_t fraction(uint32_t v, unsigned bits, bool is_signed)
{
    float f;
    memcpy(&f, &v, 4);
    double m = f != f || (!is_signed && f < 0) ? 0 : fmin(fabs((double)f), 1), grid = ldexp(1, (int)bits + 4);
    double code = ceil(floor(m * grid) * (ldexp(1, (int)bits) - 1) / grid - 0.5);
    return (uint32_t)(int32_t)(f < 0 ? -code : code);
}

static uint32_t convert(const struct hw_format *format, uint32_t v)
{
    if (format->kind == 'n')
        return fraction(v, format->bits, false);
    if (format->kind == 's')
        return fraction(v, format->bits - 1u, true);
    int64_t high = (INT64_C(1) << (format->bits - 1)) - 1, s = (int32_t)v;
    if (format->kind == 'u')
        return format->bits < 32 && v >> format->bits ? (1u << format->bits) - 1 : v;
    if (format->kind == 'i')
        return (uint32_t)(s > high ? high : s < -high - 1 ? -high - 1 : s);
    return format->bits == 16 ? half_toward_zero(v) : v;
}

static void store_converted(const struct state *s, unsigned char *texel, const unsigned char *data)
{
    unsigned bytes = s->format.bits / 8u;
    for (unsigned channel = 0; channel < s->format.channels; channel++) {
        uint32_t lane = channel < s->spec->vec ? (uint32_t)get(data + 4 * channel, 4) : 0; /* missing lanes: 0 */
        uint32_t value = convert(&s->format, lane);
        memcpy(texel + channel * bytes, &value, bytes);
    }
}

static uint64_t combine(const char *op, const struct hw_type *type, bool is_signed, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned shift = 64 - 8u * type->bytes;
    int64_t sa = (int64_t)(a << shift) >> shift, sb = (int64_t)(b << shift) >> shift;
    bool less = is_signed ? sa < sb : a < b;
    switch (op[0] * 256 + op[1]) {
    case 'a' * 256 + 'd':
        return a + b;
    case 'a' * 256 + 'n':
        return a & b;
    case 'o' * 256 + 'r':
        return a | b;
    case 'x' * 256 + 'o':
        return a ^ b;
    case 'm' * 256 + 'i':
        return less ? a : b;
    case 'm' * 256 + 'a':
        return less ? b : a;
    case 'i' * 256 + 'n':
        return a >= b ? 0 : a + 1;
    case 'd' * 256 + 'e':
        return a == 0 || a > b ? b : a - 1;
    case 'c' * 256 + 'a':
        return a == b ? c : a;
    default: /* exch */
        return b;
    }
}

static bool surface_thread(struct state *s, const unsigned char *in, unsigned char *out)
{
    const struct hw_type *type = s->spec->type;
    int64_t at = locate(s, in);
    unsigned width = type->bytes == 1 ? 2 : type->bytes; /* of a register */
    if (at == FAULT)
        return false;
    for (unsigned i = 0; i < s->spec->vec && s->spec->op == HW_SULD; i++) {
        memset(out + i * width, 0, width);
        if (at != NO_PLACE)
            memcpy(out + i * width, s->texels + at + i * type->bytes, type->bytes);
    }
    for (unsigned i = 0; i < s->spec->vec && s->spec->op == HW_SUST_B && at != NO_PLACE; i++)
        memcpy(s->texels + at + i * type->bytes, in + DATA + i * width, type->bytes);
    if (s->spec->op == HW_SUST_P && at != NO_PLACE)
        store_converted(s, s->texels + at, in + DATA);
    if ((s->spec->op == HW_SURED_B || s->spec->op == HW_SURED_P) && at != NO_PLACE) {
        bool of_format = s->format.kind == 'i' || s->format.kind == 's';
        bool is_signed = s->spec->op == HW_SURED_P ? of_format : type->kind == 's';
        uint64_t old = get(s->texels + at, type->bytes), value = get(in + DATA, type->bytes);
        value = combine(s->spec->atomic, type, is_signed, old, value, 0);
        memcpy(s->texels + at, &value, type->bytes);
    }
    return true;
}

/* ---- atomics ---------------------------------------------------------------------------------------------- */

static float flush(float f)
{
    return f != 0 && fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

/* An H100 keeps a NaN: global memory that of the operand or else its own, as it is; shared memory is loaded and added
 * to, which keeps what was loaded or else the operand's, quieted. */
static void add_double(bool global, unsigned char *slot, const unsigned char *b)
{
    double x, y;
    memcpy(&x, slot, 8);
    memcpy(&y, b, 8);
    const unsigned char *kept = global ? isnan(y) ? b : slot : isnan(x) ? slot : b;
    double sum = x + y;
    if (isnan(x) || isnan(y))
        memmove(slot, kept, 8);
    else
        memcpy(slot, &sum, 8);
    if ((isnan(x) || isnan(y)) && !global)
        slot[6] |= 8;
    else if (!isnan(x) && !isnan(y) && isnan(sum))
        memcpy(slot, &(uint64_t){0xfff8000000000000}, 8);
}

/* f32 on global memory flushes what it reads and what it writes; elsewhere, and for f64, nothing is flushed. */
static void add_float(const struct hw_spec *spec, unsigned char *slot, const unsigned char *b)
{
    bool flushes = spec->space == HW_GLOBAL || spec->space == HW_GENERIC_GLOBAL;
    if (spec->type->bytes == 8) {
        add_double(flushes, slot, b);
        return;
    }
    float x, y;
    memcpy(&x, slot, 4);
    memcpy(&y, b, 4);
    volatile float sum = flushes ? flush(x) + flush(y) : x + y;
    x = flushes ? flush(sum) : sum;
    memcpy(slot, isnan(x) ? &(uint32_t){0x7fffffff} : (const void *)&x, 4);
}

static void atomic_thread(const struct hw_spec *spec, const unsigned char *in, unsigned char *out)
{
    unsigned bytes = spec->type->bytes;
    unsigned char *slot = out + 16 + spec->at;
    memcpy(out + 16, in, 16);
    if (spec->op == HW_ATOM)
        memcpy(out, slot, (size_t)bytes * spec->vec);
    for (unsigned i = 0; i < spec->vec; i++, slot += bytes) {
        const unsigned char *b = in + 16 + i * bytes, *c = in + 32 + i * bytes;
        bool cas = spec->atomic[0] == 'c';
        if (spec->type->kind == 'f')
            add_float(spec, slot, b);
        else if (bytes == 16) {
            if (!cas || memcmp(slot, b, 16) == 0)
                memcpy(slot, cas ? c : b, 16);
        } else {
            uint64_t value = combine(spec->atomic, spec->type, spec->type->kind == 's', get(slot, bytes), get(b, bytes),
                                     get(c, bytes));
            memcpy(slot, &value, bytes);
        }
    }
}

/* ---- a case ----------------------------------------------------------------------------------------------- */

static bool covered(const struct hw_case *c)
{
    const struct hw_spec *spec = &c->spec;
    bool half = spec->type &&
                (spec->type->kind == 'g' || (spec->type->kind == 'f' && spec->type->bytes / spec->type->packed == 2));
    return c->class <= HW_MEASURED && spec->op != HW_OTHER && spec->op != HW_SUQ && !half;
}

/* The thread whose store comes at place `turn`, so that the last to one place stays, as an H100 has it: a warp stores
 * 128 bytes of texels at a time, backwards; the first 8 lanes alone where there are three coordinates. */
static unsigned in_turn(const struct state *s, unsigned turn)
{
    const struct hw_spec *spec = s->spec;
    unsigned bytes = spec->op == HW_SUST_P ? s->format.bytes : spec->type->bytes * spec->vec;
    unsigned lanes = bytes <= 4 ? 32 : 128 / bytes;
    unsigned lane = turn % 32, first = lane / lanes * lanes, end = first + lanes;
    if (strlen(spec->geometry->axes) == 3 && lane < 8)
        end = end < 8 ? end : 8;
    else if (strlen(spec->geometry->axes) == 3)
        first = first > 8 ? first : 8;
    return turn - lane + first + end - 1 - lane;
}

static bool shoot(struct state *s, unsigned shot)
{
    const struct hw_case *c = s->c;
    const unsigned char *in = (const unsigned char *)c->in.data + (size_t)shot * c->in_bytes;
    unsigned in_step = c->in_bytes / c->threads, out_step = c->out_bytes / c->threads;
    bool atomic = s->spec->op == HW_ATOM || s->spec->op == HW_RED;
    if (atomic && s->spec->at % (s->spec->type->bytes * s->spec->vec) != 0)
        return false;
    bool store = s->spec->op == HW_SUST_B || s->spec->op == HW_SUST_P;
    for (unsigned turn = 0; turn < (c->threads + 31) / 32 * 32; turn++) {
        unsigned i = store ? in_turn(s, turn) : turn;
        if (i >= c->threads)
            continue;
        if (atomic)
            atomic_thread(s->spec, in + i * in_step, s->out + i * out_step);
        else if (!surface_thread(s, in + i * in_step, s->out + i * out_step))
            return false;
    }
    return true;
}

bool hw_model(const struct hw_case *c, struct hw_result *result)
{
    struct state s = {.c = c, .spec = &c->spec};
    if (!covered(c) || (c->has_surface && (!hw_format(c->format, &s.format) || s.format.bits % 8 != 0)))
        return false; /* texels of whole bytes */
    hw_result_begin(result, c);
    s.texels = malloc(c->texels.size + 1);
    s.out = malloc(c->out_bytes + 1u);
    for (unsigned shot = 0; s.texels && s.out && shot < c->shots && result->status == HW_RAN; shot++) {
        if (c->texels.size)
            memcpy(s.texels, c->texels.data, c->texels.size);
        memset(s.out, HW_FILL, c->out_bytes);
        if (shoot(&s, shot))
            hw_result_shot(result, c, s.out, s.texels);
        else {
            result->status = HW_FAULT;
            result->shot = shot;
        }
    }
    free(s.texels);
    free(s.out);
    return true;
}

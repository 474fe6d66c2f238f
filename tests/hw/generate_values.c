/* Values of operands: edges of every type, and random bits with interesting exponents. */
#include "generate_pure.h"

#include <string.h>

/* Pairs are made of the first PAIRED; instructions with one operand take all. */
enum { PAIRED = 16, MOST = 40 };

struct list {
    unsigned count;
    uint64_t at[MOST];
};

static const struct list integers[4] = {
    {16, {0, 1, 2, 7, 0x7f, 0x80, 0x81, 0xff, 0xfe, 0x100, 0x17f, 0x1234, 0x8000, 0xff80, 0xffff, 0x55aa}},
    {16, {0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff, 0xfffe, 0x1234, 0xbeef, 0x0ff0}},
    {22, {0,          1,          2,          31,         0x7fff,     0x8000,     0xffff,     0x10000,
          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x12345678, 0xdeadbeef, 0x00ff00ff,
          0x01000001, 0x00fffffe, 0xff800000, 0x7fffff80, 0x01000003, 0x80}},
    {22,
     {0,
      1,
      0x7fffffff,
      0x80000000,
      0xffffffff,
      0x100000000,
      0x7fffffffffffffff,
      0x8000000000000000,
      0x8000000000000001,
      0xffffffffffffffff,
      0xfffffffffffffffe,
      0x123456789abcdef0,
      0xdeadbeefcafe1234,
      0xffffffff80000000,
      3,
      0x00ff00ff00ff00ff,
      0x20000000000001,
      0x1fffffffffffff,
      0x20000000000003,
      0x7ffffffffffffc00,
      0x7fffff8000000001,
      0x8000}}};
static const struct list amounts = {16, {0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256, 0x80000000, 0xffffffff}};
static const struct list smalls = {12, {0, 1, 2, 5, 31, 33, 0xffffffff, 0xfffffffe, 0xfffffffb, 0xffffffe0, 32, 8}};
static const struct list lanes = {9, {0, 1, 2, 7, 15, 16, 30, 31, 20}};
static const struct list limits = {8, {0x1f, 0, 0x181f, 0x1c03, 0x0f0f, 0x1000, 0x1e01, 0x0707}};

/* numbers, then what NaNs and infinities need */
static const struct list floats32[2] = {
    {38, {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x4b800000, 0x33800000,
          0x3dcccccd, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x807fffff, 0x00000001, 0x40490fdb, 0xc0200000,
          0x3f000000, 0x3fc00000, 0xbf000000, 0x46fffe00, 0x477fff00, 0x477fefff, 0x477ff000, 0x4f000000,
          0xcf000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x43e00000, 0x43e80000,
          0x43e7ffff, 0x47600000, 0x47700000, 0x387fe000, 0x33000001, 0x3b000000}},
    {11,
     {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f812345, 0xff812345, 0, 0x80000000, 0x3f800000,
      0x00000001}}};
static const struct list floats64[2] = {
    {36,
     {0,
      0x8000000000000000,
      0x3ff0000000000000,
      0xbff0000000000000,
      0x3ff0000000000001,
      0x3fefffffffffffff,
      0x4340000000000000,
      0x3ca0000000000000,
      0x3fb999999999999a,
      0x7fefffffffffffff,
      0xffefffffffffffff,
      0x0010000000000000,
      0x800fffffffffffff,
      1,
      0x400921fb54442d18,
      0xc004000000000000,
      0x3fe0000000000000,
      0x3ff8000000000000,
      0x40dfffc000000000,
      0x40effe0000000000,
      0x41dfffffffe00000,
      0x41e0000000000000,
      0xc1e0000000200000,
      0x41efffffffe00000,
      0x41f0000000000000,
      0x43dfffffffffffff,
      0x43e0000000000000,
      0x43efffffffffffff,
      0x47efffffe0000000,
      0x47efffffefffffff,
      0x47effffff0000000,
      0x3810000000000000,
      0x380fffffffffffff,
      0x36a0000000000000,
      0x3690000000000001,
      0x3ff0000010000000}},
    {10,
     {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000012345678,
      0x7ff0000012345678, 0xfff5555500000000, 0, 0x8000000000000000, 0x3ff0000000000000}}};
static const struct list halves[2] = {
    {26, {0,      0x8000, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x6800, 0x1000, 0x2e66, 0x7bff, 0xfbff, 0x0400, 0x83ff,
          0x0001, 0x4248, 0xc100, 0x3800, 0x3e00, 0xb800, 0x77ff, 0x5bf8, 0x5f00, 0x5f40, 0x5f3f, 0x5af9, 0x1801}},
    {10, {0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7e55, 0x7c55, 0xfc55, 0, 0x8000, 0x3c00}}};
static const struct list bhalves[2] = {
    {24, {0,      0x8000, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x4380, 0x3b80, 0x3dcd, 0x7f7f, 0xff7f, 0x0080,
          0x807f, 0x0001, 0x4049, 0xc020, 0x3f00, 0x3fc0, 0xbf00, 0x477f, 0x4f00, 0x4f80, 0x43e0, 0x3380}},
    {10, {0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7fd5, 0x7f95, 0xff95, 0, 0x8000, 0x3f80}}};

/* ---- types ---------------------------------------------------------------------------------------------------- */

static const struct pure_type types[] = {
    {"u8", 2, 'i', 1, 0},     {"s8", 2, 'i', 1, 0},  {"u16", 2, 'i', 1, 0},   {"s16", 2, 'i', 1, 0},
    {"b16", 2, 'i', 1, 0},    {"u32", 4, 'i', 1, 0}, {"s32", 4, 'i', 1, 0},   {"b32", 4, 'i', 1, 0},
    {"u64", 8, 'i', 1, 0},    {"s64", 8, 'i', 1, 0}, {"b64", 8, 'i', 1, 0},   {"u16x2", 4, 'i', 2, 0},
    {"s16x2", 4, 'i', 2, 0},  {"f16", 2, 'f', 1, 0}, {"f16x2", 4, 'f', 2, 0}, {"bf16", 2, 'g', 1, 0},
    {"bf16x2", 4, 'g', 2, 0}, {"f32", 4, 'f', 1, 0}, {"f64", 8, 'f', 1, 0},   {"tf32", 4, 'f', 1, 0},
    {"n", 4, 'n', 1, 0},      {"l", 4, 'l', 1, 0},   {"k", 4, 'k', 1, 0},     {"c", 4, 'c', 1, 0},
    {"p", 1, 'p', 1, 0},      {"m4", 4, 'm', 1, 0},  {"m8", 8, 'm', 1, 0},    {"m16", 16, 'm', 1, 0},
    {"q8", 2, 'q', 1, 0},
};

struct pure_type pure_type(const char *name, size_t length)
{
    bool nonzero = length && name[length - 1] == '*';
    length -= nonzero;
    for (size_t i = 0; i < HW_COUNT(types); i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) {
            struct pure_type type = types[i];
            type.nonzero = nonzero;
            return type;
        }
    return (struct pure_type){.name = name};
}

bool pure_is_float(struct pure_type type)
{
    return type.kind == 'f' || type.kind == 'g';
}

static const struct list *list_of(struct pure_type type, enum pure_set set)
{
    unsigned bytes = type.bytes / type.packed, special = set == PURE_NANS;
    switch (type.kind) {
    case 'f':
        return bytes == 2 ? &halves[special] : bytes == 4 ? &floats32[special] : &floats64[special];
    case 'g':
        return &bhalves[special];
    case 'n':
        return &amounts;
    case 'l':
        return &lanes;
    case 'k':
        return &smalls;
    case 'c':
        return &limits;
    default:
        return &integers[type.name[1] == '8' ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
    }
}

unsigned pure_edges(struct pure_type type, enum pure_set set, bool alone)
{
    if (type.kind == 'p')
        return 2;
    if (type.kind == 'q')
        return 256;
    unsigned count = list_of(type, set)->count;
    return alone || count < PAIRED ? count : PAIRED;
}

/* ---- random bits ------------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Exponents mostly near 1.0, so that operands meet; fractions that are random, short, or all but short. */
static uint64_t random_float(uint64_t bits, unsigned exponent_bits, unsigned fraction_bits)
{
    uint64_t most = (1u << exponent_bits) - 1, bias = most / 2, fraction = mix(bits), kind = bits >> 8 & 7;
    uint64_t spread = bias < 24 ? bias / 2 : 12, exponent = bias + (bits >> 16) % (2 * spread) - spread;
    if (kind == 0)
        exponent = (bits >> 16) % most; /* any, subnormals too */
    if (kind == 1 || kind == 2)
        fraction &= ~(uint64_t)0 << (fraction_bits - 3);
    if (kind == 3)
        fraction &= 7;
    fraction &= ((uint64_t)1 << fraction_bits) - 1;
    return (bits & 1) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

/* A third of the integers is small or nearly -1. */
static uint64_t random_integer(uint64_t bits, unsigned size)
{
    uint64_t value = mix(bits);
    if (bits % 3 == 0) {
        value >>= 64 - 8 * size + (bits >> 8) % (8 * size);
        value = bits & 16 ? ~value : value;
    }
    return size == 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

static uint64_t random_part(struct pure_type type, uint64_t bits)
{
    unsigned bytes = type.bytes / type.packed;
    switch (type.kind) {
    case 'f':
        return bytes == 2   ? random_float(bits, 5, 10)
               : bytes == 4 ? random_float(bits, 8, 23)
                            : random_float(bits, 11, 52);
    case 'g':
        return random_float(bits, 8, 7);
    case 'n':
        return bits & 1 ? bits >> 8 & 31 : bits >> 8 & 127;
    case 'l':
        return bits >> 8 & 31;
    case 'k':
        return (uint32_t)((bits >> 8) % 67 - 33);
    case 'c':
        return bits >> 8 & 0x1f1f;
    case 'p':
        return bits >> 8 & 1;
    default:
        return random_integer(bits, bytes);
    }
}

/* ---- one value ----------------------------------------------------------------------------------------------------
 */

static uint64_t part(struct pure_type type, enum pure_set set, unsigned i, unsigned operand)
{
    if (set == PURE_RANDOM || type.kind == 'm')
        return random_part(type, mix(16 * (uint64_t)i + operand));
    if (type.kind == 'p')
        return i % 2;
    if (type.kind == 'q')
        return i % 256 | (i * 7 + 3) % 256 << 8;
    const struct list *list = list_of(type, set);
    return list->at[i % list->count];
}

uint64_t pure_value(struct pure_type type, enum pure_set set, unsigned i, unsigned operand)
{
    uint64_t value = part(type, set, i, operand);
    if (type.packed == 2) /* the other half walks the values in another order */
        value = (value & 0xffff) | (part(type, set, set == PURE_RANDOM ? i + 5000 : 7 * i + 3, operand) & 0xffff) << 16;
    uint64_t ones = type.bytes >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * type.bytes) - 1;
    if (type.nonzero && (value == 0 || value == ones))
        value = value ? 5 : 3;
    return value;
}

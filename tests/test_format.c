/* The format table and the conversion of texels both ways. */
#include "base/half.h"
#include "mem/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t store(const char *name, uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
    uint32_t rgba[4] = {r, g, b, a};
    uint64_t texel[2] = {0};
    format_store(format_find(name), false, rgba, texel);
    return texel[0];
}

static uint64_t store_f(const char *name, float r, float g, float b, float a)
{
    return store(name, f32_bits(r), f32_bits(g), f32_bits(b), f32_bits(a));
}

static uint32_t load_r(const char *name, uint64_t texel)
{
    uint32_t rgba[4];
    uint64_t words[2] = {texel, 0};
    format_load(format_find(name), words, rgba);
    return rgba[0];
}

static void table_is_consistent(void **unused)
{
    (void)unused;
    unsigned n = 0;
    for (const struct format *f; (f = format_at(n)); n++) {
        assert_ptr_equal(format_find(f->name), f);
        unsigned bits = 0, channels = 0;
        uint32_t taken[4] = {0};
        for (unsigned c = 0; c < 4; c++) {
            if (!f->bits[c])
                continue;
            channels++;
            bits += f->bits[c];
            assert_true(f->shift[c] % 32 + f->bits[c] <= 32); /* never across a word */
            uint32_t mask = UINT32_MAX >> (32 - f->bits[c]) << f->shift[c] % 32;
            assert_int_equal(taken[f->shift[c] / 32] & mask, 0);
            taken[f->shift[c] / 32] |= mask;
        }
        assert_int_equal(bits, 8 * f->bytes);
        assert_int_equal(channels, f->channels);
        assert_int_equal(f->bytes & (f->bytes - 1), 0);
    }
    assert_int_equal(n, 40);
    assert_null(format_find("r8"));
    assert_null(format_find(NULL));
    assert_int_equal(format_find("rgba16float")->cl_type, 0x10dd);
    assert_int_equal(format_find("rg32sint")->cl_order, 0x10b2);
}

/* Every texel that a format can hold survives load and store; formats of up to 16 bits a channel, one channel varied.
 */
static void load_then_store_is_identity(void **unused)
{
    (void)unused;
    for (unsigned n = 0; format_at(n); n++) {
        const struct format *f = format_at(n);
        for (uint32_t c = 0; c < 0x10000; c++) {
            uint64_t texel[2] = {0}, back[2] = {0};
            uint32_t rgba[4];
            unsigned channel = c % f->channels;
            unsigned bits = f->bits[channel];
            uint32_t value = bits == 32 ? c * 0x9e3779b1u : c & ((1u << bits) - 1);
            if (f->kind == FORMAT_SNORM && value == 1u << (bits - 1))
                continue; /* -max - 1 reads -1 like -max and is never written */
            bool half_special = f->kind == FORMAT_FLOAT && bits == 16 && (value & 0x7fff) == 0x7c00;
            bool small_special = f->kind == FORMAT_FLOAT && bits < 16 && value == 31u << (bits - 5);
            if (half_special || small_special)
                continue; /* infinity is never written */
            texel[f->shift[channel] / 64] |= (uint64_t)value << f->shift[channel] % 64;
            format_load(f, texel, rgba);
            format_store(f, false, rgba, back);
            assert_memory_equal(texel, back, f->bytes);
        }
    }
}

static void integers_saturate(void **unused)
{
    (void)unused;
    assert_int_equal(store("r8uint", 256, 0, 0, 0), 255);
    assert_int_equal(store("r8uint", UINT32_MAX, 0, 0, 0), 255);
    assert_int_equal(store("r16uint", 65536, 0, 0, 0), 65535);
    assert_int_equal(store("r8sint", (uint32_t)-129, 0, 0, 0), 0x80);
    assert_int_equal(store("r8sint", 128, 0, 0, 0), 0x7f);
    assert_int_equal(store("rg16sint", (uint32_t)INT32_MIN, INT32_MAX, 0, 0), 0x7fff8000);
    assert_int_equal(store("r32sint", 0x80000000, 0, 0, 0), 0x80000000);
    assert_int_equal(store("rgb10a2uint", 1024, 1023, 1, 4), 0x3ffu | 0x3ffu << 10 | 1u << 20 | 3u << 30);
    assert_int_equal(load_r("r8sint", 0x80), (uint32_t)-128);
}

/* RTX 3060 measurements. */
static void floats_round_toward_zero(void **unused)
{
    (void)unused;
    assert_int_equal(store_f("r16float", 65519.0f, 0, 0, 0), 0x7bff);
    assert_int_equal(store_f("r16float", 1e30f, 0, 0, 0), 0x7bff);
    assert_int_equal(store_f("r16float", -1e30f, 0, 0, 0), 0xfbff);
    assert_int_equal(store_f("r16float", 1.0009765f, 0, 0, 0), 0x3c00); /* just below 1 + 2^-10 */
    assert_int_equal(store_f("r16float", 0x1.fffp-25f, 0, 0, 0), 0);
    assert_int_equal(store_f("r16float", -0.0f, 0, 0, 0), 0x8000);
    assert_int_equal(store("r32float", 0x7f800001, 0, 0, 0), 0x7f800001); /* bits, not values */
    assert_int_equal(store("r32float", 1, 0, 0, 0), 1);
}

static void infinity_and_nan_of_narrow_floats(void **unused)
{
    (void)unused;
    assert_int_equal(store_f("r16float", INFINITY, 0, 0, 0), 0x7c00);
    assert_int_equal(store_f("r16float", -INFINITY, 0, 0, 0), 0xfc00);
    assert_int_equal(store("r16float", 0x7fd55555, 0, 0, 0), 0x7c00 | 0x2aa);
    assert_int_equal(store("r16float", 0xff800001, 0, 0, 0), 0xfc01); /* the payload's top is 0: still a NaN */
    assert_int_equal(store_f("r11g11b10float", 1.0f, 0.5f, 2.0f, 0), 0x3c0u | 0x380u << 11 | 0x200u << 22);
    assert_int_equal(store_f("r11g11b10float", -1.0f, -INFINITY, -0.0f, 0), 0);
    assert_int_equal(store_f("r11g11b10float", INFINITY, 1e9f, 1e9f, 0), 0x7c0u | 0x7bfu << 11 | 0x3dfu << 22);
    uint64_t nan = store("r11g11b10float", 0x7fc00000, 0xffc00000, 0x7f800001, 0);
    assert_true((nan & 0x7ff) > 0x7c0);
    assert_true((nan >> 11 & 0x7ff) > 0x7c0);
    assert_true((nan >> 22) > 0x3e0);
}

/* The least values that an H100 stores as a code; one bit below is the code before. */
static void normalised_in_fixed_point(void **unused)
{
    static const struct {
        const char *format;
        unsigned lane, shift;
        uint32_t mask, code, least;
    } of[] = {
        {"r8unorm", 0, 0, 0xff, 1, 0x3b100000},        {"r8unorm", 0, 0, 0xff, 2, 0x3bc80000},
        {"r8unorm", 0, 0, 0xff, 128, 0x3f001000},      {"r8unorm", 0, 0, 0xff, 255, 0x3f7f8000},
        {"r16unorm", 0, 0, 0xffff, 1, 0x37100000},     {"r16unorm", 0, 0, 0xffff, 65535, 0x3f7fff80},
        {"r8snorm", 0, 0, 0xff, 1, 0x3b900000},        {"r8snorm", 0, 0, 0xff, 127, 0x3f7f0000},
        {"r16snorm", 0, 0, 0xffff, 1, 0x37900000},     {"r16snorm", 0, 0, 0xffff, 32767, 0x3f7fff00},
        {"rgb10a2unorm", 0, 0, 0x3ff, 1, 0x3a100000},  {"rgb10a2unorm", 0, 0, 0x3ff, 1023, 0x3f7fe000},
        {"rgb10a2unorm", 1, 10, 0x3ff, 2, 0x3ac80000}, {"rgb10a2unorm", 3, 30, 3, 1, 0x3e3fb000},
        {"rgb10a2unorm", 3, 30, 3, 2, 0x3f000400},     {"rgb10a2unorm", 3, 30, 3, 3, 0x3f501800},
    };
    (void)unused;
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        for (unsigned below = 0; below < 2; below++) {
            bool both = of[i].format[strlen(of[i].format) - 5] == 's'; /* a number's negative has the code's negative */
            uint32_t rgba[4] = {0}, texel = 0;
            rgba[of[i].lane] = of[i].least - below;
            format_store(format_find(of[i].format), true, rgba, &texel);
            assert_int_equal(texel >> of[i].shift & of[i].mask, of[i].code - below);
            rgba[of[i].lane] |= 0x80000000;
            format_store(format_find(of[i].format), true, rgba, &texel);
            assert_int_equal(texel >> of[i].shift & of[i].mask, both ? (below - of[i].code) & of[i].mask : 0);
        }
    uint32_t special[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x40000000}, texel;
    format_store(format_find("rgba8unorm"), true, special, &texel);
    assert_int_equal(texel, 0xff00ff00);
    format_store(format_find("rgba8snorm"), true, special, &texel);
    assert_int_equal(texel, 0x7f817f00);
}

static void normalised_integers(void **unused)
{
    (void)unused;
    assert_int_equal(store_f("rgba8unorm", 1.0f, 0.5f, -1.0f, 2.0f), 0xff0080ff);
    assert_int_equal(store_f("bgra8unorm", 1.0f, 0.0f, 0.2f, 1.0f), 0xffff0033);
    assert_int_equal(store_f("r8unorm", NAN, 0, 0, 0), 0);
    assert_int_equal(store_f("r8snorm", NAN, 0, 0, 0), 0);
    assert_int_equal(store_f("r8snorm", -5.0f, 0, 0, 0), 0x81);
    assert_int_equal(store_f("r16snorm", -1.0f, 0, 0, 0), 0x8001);
    assert_int_equal(store_f("r8unorm", INFINITY, 0, 0, 0), 255);
    assert_int_equal(store_f("rgb10a2unorm", 1.0f, 0, 0.5f, 1.0f), 0x3ffu | 512u << 20 | 3u << 30);
    assert_int_equal(load_r("r8snorm", 0x80), f32_bits(-1.0f));
    assert_int_equal(load_r("r8unorm", 128), f32_bits(128.0f / 255.0f));
}

/* Rounding is exact: against long double, around every half-way point. */
static void unorm_rounds_half_to_even(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        unsigned max;
    } formats[] = {{"r8unorm", 255}, {"r16unorm", 65535}, {"r8snorm", 127}, {"r16snorm", 32767}};
    for (unsigned n = 0; n < 4; n++)
        for (unsigned i = 0; i < 2 * formats[n].max; i++) {
            uint32_t bits = f32_bits((float)((i + 0.5) / 2 / formats[n].max));
            for (uint32_t near = bits - 2; near <= bits + 2; near++) {
                long double exact = (long double)f32_from_bits(near) * formats[n].max;
                assert_int_equal(store(formats[n].name, near, 0, 0, 0), (uint64_t)rintl(exact));
            }
        }
}

static void absent_channels_read_zero_and_one(void **unused)
{
    (void)unused;
    uint32_t rgba[4];
    format_load(format_find("r32uint"), &(uint32_t){7}, rgba);
    assert_memory_equal(rgba, ((uint32_t[]){7, 0, 0, 1}), sizeof rgba);
    format_load(format_find("rg8unorm"), &(uint16_t){0xffff}, rgba);
    assert_memory_equal(rgba, ((uint32_t[]){0x3f800000, 0x3f800000, 0, 0x3f800000}), sizeof rgba);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_consistent),
        cmocka_unit_test(load_then_store_is_identity),
        cmocka_unit_test(integers_saturate),
        cmocka_unit_test(floats_round_toward_zero),
        cmocka_unit_test(infinity_and_nan_of_narrow_floats),
        cmocka_unit_test(normalised_in_fixed_point),
        cmocka_unit_test(normalised_integers),
        cmocka_unit_test(unorm_rounds_half_to_even),
        cmocka_unit_test(absent_channels_read_zero_and_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sampling one lane. docs/sampling.md has the rules and their sources; in short:
 *
 *   level of detail -> one or two mip levels -> of each coordinate one or two texels and their weights
 *   -> texels, wrapped or replaced by the border -> compared with the reference -> their sum
 *
 * All of it is in f64, and the sum is rounded once, to f32: nothing depends on the host or its C library. */
#include "mem/sampler.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/half.h"

#define FAR     0x1p31 /* texels or images: outside of every image */
#define F32_NAN UINT32_C(0x7fffffff)

_Static_assert(LANE_SAMPLE_LOD_C == LANE_SAMPLE_LOD + 1 && LANE_SAMPLE_GRAD_C == LANE_SAMPLE_GRAD + 1 &&
                   LANE_SAMPLE_GATHER_C == LANE_SAMPLE_GATHER + 1 && LANE_SAMPLE_LOD % 2 == 0,
               "a comparison is bit 0 of the mode");

bool sampler_valid(const struct sampler_state *state)
{
    static const uint8_t zeros[sizeof state->zero];
    for (unsigned k = 0; k < 3; k++)
        if (state->wrap[k] >= SAMPLER_WRAPS)
            return false;
    return state->bound == 1 && state->filter < SAMPLER_FILTERS && state->mip < SAMPLER_MIPS &&
           state->normalized <= 1 && state->compare < SAMPLER_COMPARES && state->border < SAMPLER_BORDERS &&
           memcmp(state->zero, zeros, sizeof zeros) == 0;
}

/* ---- level of detail ------------------------------------------------------------------------------------ */

/* log2 of a positive finite number, rounded down to 16 bits after the point: squares of the mantissa give them one by
 * one (the error of 16 roundings stays below 2^-36). */
static double log2_floor(double x)
{
    enum { BITS = 16 };
    int exponent;
    double mantissa = 2 * frexp(x, &exponent), result = exponent - 1;
    for (int bit = 1; bit <= BITS; bit++) {
        mantissa *= mantissa;
        if (mantissa >= 2) {
            mantissa /= 2;
            result += ldexp(1, -bit);
        }
    }
    return result;
}

/* log2 of the longer of the two gradients, in texels of the base level. */
static double gradient_lod(const struct surface *surface, const struct sampler_state *state, const float gradient[3][2])
{
    const double extent[3] = {surface->width, surface->height, surface->depth};
    unsigned last = lane_has_axis(surface->dim, LANE_AXIS_SLICE) ? 2 : lane_has_axis(surface->dim, LANE_AXIS_ROW);
    double square[2] = {0, 0};
    for (unsigned k = 0; k <= last; k++)
        for (unsigned direction = 0; direction < 2; direction++) {
            double step = gradient[k][direction] * (state->normalized ? extent[k] : 1);
            square[direction] += step * step;
        }
    if (isnan(square[0]) || isnan(square[1]))
        return 0;
    double longer = square[0] > square[1] ? square[0] : square[1];
    if (isinf(longer))
        return LEVELS_LARGEST;
    return longer > 0 ? log2_floor(longer) / 2 : 0;
}

/* The levels to read: *first, and with the weight *rest the next one too. */
static void choose_levels(const struct surface *surface, const struct sampler_state *state, const struct sample *sample,
                          bool linear, uint32_t *first, double *rest)
{
    double last = surface_levels(surface) - 1, lod = sample->lod;
    *first = 0;
    *rest = 0;
    if (last == 0 || state->mip == SAMPLER_MIP_NONE || !state->normalized)
        return;
    if (sampler_kind(sample->mode) == LANE_SAMPLE_GRAD)
        lod = gradient_lod(surface, state, sample->gradient);
    lod = lod > 0 ? lod : 0; /* NaN too */
    lod = lod < last ? lod : last;
    if (state->mip == SAMPLER_MIP_LINEAR && linear) {
        *first = (uint32_t)lod;
        *rest = lod - *first;
    } else {
        *first = (uint32_t)(ceil(lod + 0.5) - 1);
    }
}

/* ---- coordinates ---------------------------------------------------------------------------------------- */

/* What one coordinate selects: one texel, or two neighbours and their weights. */
struct pick {
    int64_t at[2]; /* wrapped; -1 is the border */
    double weight[2];
    unsigned count;
};

static int64_t mirrored(int64_t i)
{
    return i < 0 ? -1 - i : i;
}

/* Where texel i of a row of `size` is. */
static int64_t wrap(enum sampler_wrap mode, int64_t i, int64_t size)
{
    switch (mode) {
    case SAMPLER_REPEAT:
        i %= size;
        return i < 0 ? i + size : i;
    case SAMPLER_MIRROR:
        i %= 2 * size;
        i = i < 0 ? i + 2 * size : i;
        return i < size ? i : 2 * size - 1 - i;
    case SAMPLER_BORDER:
        return i >= 0 && i < size ? i : -1;
    case SAMPLER_MIRROR_ONCE:
        i = mirrored(i);
        break;
    default: /* SAMPLER_EDGE */
        break;
    }
    return i < 0 ? 0 : i < size ? i : size - 1;
}

/* The coordinate in texels. Where images repeat it is first brought near 0, exactly; elsewhere what is FAR is out of
 * range, and stays so. */
static double in_texels(const struct sampler_state *state, enum sampler_wrap mode, float coord, double size)
{
    double x = isnan(coord) ? 0 : coord;
    if (mode == SAMPLER_REPEAT || mode == SAMPLER_MIRROR)
        x = isinf(x) ? 0 : fmod(x, state->normalized ? 2 : 2 * size);
    x = x > FAR ? FAR : x < -FAR ? -FAR : x;
    return state->normalized ? x * size : x;
}

/* Whether x lies in an image that is mirrored: texels there include their right edge, not the left one. */
static bool descends(enum sampler_wrap mode, double x, double size)
{
    if (mode == SAMPLER_MIRROR_ONCE)
        return x < 0;
    return mode == SAMPLER_MIRROR && fmod(floor(x / size), 2) != 0;
}

static struct pick pick_texels(const struct sampler_state *state, unsigned k, const struct sample *sample,
                               uint32_t size, bool linear)
{
    enum sampler_wrap mode = (enum sampler_wrap)state->wrap[k];
    double x = in_texels(state, mode, sample->coord[k], size) - (linear ? 0.5 : 0);
    double below = !linear && descends(mode, x, size) ? ceil(x) - 1 : floor(x);
    int64_t i = (int64_t)below + sample->offset[k];
    struct pick pick = {.count = linear ? 2 : 1, .weight = {1, 0}};
    pick.at[0] = wrap(mode, i, size);
    pick.at[1] = wrap(mode, i + 1, size);
    if (linear) {
        pick.weight[1] = x - below;
        pick.weight[0] = 1 - pick.weight[1];
    }
    return pick;
}

/* The layer nearest to the coordinate, halves to even, in range. */
static struct pick pick_layer(float coord, uint32_t layers)
{
    double x = isnan(coord) ? 0 : coord, last = layers - 1;
    x = x > 0 ? x : 0;
    x = x < last ? x : last;
    double below = floor(x), rest = x - below;
    int64_t layer = (int64_t)below;
    layer += rest > 0.5 || (rest == 0.5 && layer % 2 == 1);
    return (struct pick){.at = {layer}, .weight = {1}, .count = 1};
}

/* Column, row and slice or layer. Of a gather the two are u and v; of other coordinates the nearest. */
static void pick_all(const struct surface *surface, const struct sampler_state *state, const struct sample *sample,
                     bool linear, struct pick pick[3])
{
    const struct lane_geometry *geometry = &lane_geometries[surface->dim];
    bool gather = sampler_kind(sample->mode) == LANE_SAMPLE_GATHER;
    pick[0] = pick_texels(state, 0, sample, surface->width, linear);
    pick[1] = pick[2] = (struct pick){.at = {0}, .weight = {1}, .count = 1};
    for (unsigned k = 1; k < geometry->coordinates; k++) {
        if (geometry->axes[k - 1] == LANE_AXIS_LAYER)
            pick[2] = pick_layer(sample->coord[k], surface->layers);
        else if (geometry->axes[k - 1] == LANE_AXIS_ROW)
            pick[1] = pick_texels(state, k, sample, surface->height, linear);
        else
            pick[2] = pick_texels(state, k, sample, surface->depth, linear && !gather);
    }
}

/* ---- texels --------------------------------------------------------------------------------------------- */

static bool is_integer(const struct surface *surface)
{
    return surface->format->kind == FORMAT_UINT || surface->format->kind == FORMAT_SINT;
}

/* Components that the format lacks are what format_load makes of a texel of zeros. */
static void border(const struct surface *surface, enum sampler_border color, uint32_t rgba[4])
{
    static const unsigned char zeros[16];
    uint32_t one = format_one(surface->format);
    format_load(surface->format, zeros, rgba);
    for (unsigned c = 0; c < 4; c++)
        if (surface->format->bits[c])
            rgba[c] = color == SAMPLER_OPAQUE_WHITE || (color == SAMPLER_OPAQUE_BLACK && c == 3) ? one : 0;
}

/* Whole, as far as the host's memory accesses are. */
static void copy_texel(unsigned char to[16], const unsigned char *from, unsigned bytes)
{
    switch (bytes) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, 16);
        break;
    }
}

static void load_texel(const struct surface *surface, const struct sampler_state *state, const int64_t at[3],
                       uint32_t rgba[4])
{
    unsigned bytes = surface->format->bytes;
    unsigned char texel[16];
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        border(surface, (enum sampler_border)state->border, rgba);
        return;
    }
    uint64_t offset = surface->layout->offset(surface, (uint64_t)at[0] * bytes, (uint32_t)at[1], (uint32_t)at[2]);
    assert(offset + bytes <= surface->size);
    if (surface_missing(surface, offset)) {
        memset(rgba, 0, 4 * sizeof *rgba);
        return;
    }
    copy_texel(texel, surface->texels + offset, bytes);
    format_load(surface->format, texel, rgba);
}

static bool passes(enum sampler_compare compare, double reference, double texel)
{
    switch (compare) {
    case SAMPLER_LESS:
        return reference < texel;
    case SAMPLER_EQUAL:
        return reference == texel;
    case SAMPLER_LESS_EQUAL:
        return reference <= texel;
    case SAMPLER_GREATER:
        return reference > texel;
    case SAMPLER_NOT_EQUAL:
        return reference != texel;
    case SAMPLER_GREATER_EQUAL:
        return reference >= texel;
    default:
        return compare == SAMPLER_ALWAYS;
    }
}

/* The texel's R becomes 1.0 or 0.0, and so do all components. */
static void compare_texel(const struct surface *surface, const struct sampler_state *state, double reference,
                          uint32_t rgba[4])
{
    uint8_t kind = surface->format->kind;
    double texel = f32_from_bits(rgba[0]);
    if (is_integer(surface))
        texel = kind == FORMAT_UINT ? (double)rgba[0] : (double)(int32_t)rgba[0];
    if (kind == FORMAT_UNORM) /* NaN stays */
        reference = reference < 0 ? 0 : reference > 1 ? 1 : reference;
    uint32_t result = passes((enum sampler_compare)state->compare, reference, texel) ? f32_bits(1) : 0;
    for (unsigned c = 0; c < 4; c++)
        rgba[c] = result;
}

/* The texel at one of the picks of each coordinate, after the comparison. */
static void fetch(const struct surface *surface, const struct sampler_state *state, const struct sample *sample,
                  const struct pick pick[3], const unsigned which[3], uint32_t rgba[4])
{
    const int64_t at[3] = {pick[0].at[which[0]], pick[1].at[which[1]], pick[2].at[which[2]]};
    load_texel(surface, state, at, rgba);
    if (sampler_compares(sample->mode))
        compare_texel(surface, state, sample->reference, rgba);
}

/* ---- sums ----------------------------------------------------------------------------------------------- */

struct sum {
    double value[4];
    uint32_t texel[4]; /* the last one */
    unsigned texels;
};

/* One level. Texels of weight 0 are not looked at. */
static void add_level(const struct surface *surface, const struct sampler_state *state, const struct sample *sample,
                      bool linear, double weight, struct sum *sum)
{
    struct pick pick[3];
    pick_all(surface, state, sample, linear, pick);
    for (unsigned n = 0; n < 8; n++) {
        const unsigned which[3] = {n & 1, n >> 1 & 1, n >> 2};
        if (which[0] >= pick[0].count || which[1] >= pick[1].count || which[2] >= pick[2].count)
            continue;
        double part = weight * pick[0].weight[which[0]] * pick[1].weight[which[1]] * pick[2].weight[which[2]];
        if (part == 0)
            continue;
        fetch(surface, state, sample, pick, which, sum->texel);
        sum->texels++;
        for (unsigned c = 0; c < 4; c++)
            sum->value[c] += part * f32_from_bits(sum->texel[c]);
    }
}

/* A single texel is given as it is: its weight is 1. */
static void finish(const struct sum *sum, uint32_t rgba[4])
{
    for (unsigned c = 0; c < 4; c++) {
        float value = (float)sum->value[c];
        rgba[c] = sum->texels == 1 ? sum->texel[c] : isnan(value) ? F32_NAN : f32_bits(value);
    }
}

static void gather(const struct surface *surface, const struct sampler_state *state, const struct sample *sample,
                   uint32_t rgba[4])
{
    static const unsigned places[4][3] = {{0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    struct pick pick[3];
    pick_all(surface, state, sample, true, pick);
    if (pick[1].count == 1) /* one row: it is above and below */
        pick[1].at[1] = pick[1].at[0];
    for (unsigned n = 0; n < 4; n++) {
        uint32_t texel[4];
        fetch(surface, state, sample, pick, places[n], texel);
        rgba[n] = texel[sample->channel];
    }
}

void sampler_sample(const struct surface *surface, const struct sampler_state *state, const struct sample *sample,
                    uint32_t rgba[4])
{
    /* Integers are not mixed; truth values are. */
    bool mixes = !is_integer(surface) || sampler_compares(sample->mode);
    bool linear = mixes && state->filter == SAMPLER_LINEAR;
    uint32_t first;
    double rest;
    memset(rgba, 0, 4 * sizeof *rgba);
    if (surface->disabled)
        return;
    if (sampler_kind(sample->mode) == LANE_SAMPLE_GATHER) {
        gather(surface, state, sample, rgba);
        return;
    }
    choose_levels(surface, state, sample, mixes, &first, &rest);
    struct sum sum = {.texels = 0};
    for (uint32_t n = 0; n <= (rest > 0); n++) {
        struct surface view;
        const struct surface *level = surface;
        if (first + n) {
            surface_at_level(surface, first + n, &view);
            level = &view;
        }
        add_level(level, state, sample, linear, n ? rest : 1 - rest, &sum);
    }
    finish(&sum, rgba);
}

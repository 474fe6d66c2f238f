/* Maxwell texture headers: the table of fields, and the way from and to a surface's shape. */
#include "isa/sass/header.h"

#include "isa/family.h"

#include "base/bytes.h"
#include "mem/layout.h"

#include <inttypes.h>

/* ---- fields --------------------------------------------------------------------------------------------- */

enum version { V_BUFFER, V_PITCH_KEY, V_PITCH, V_BLOCK, V_BLOCK_KEY, VERSIONS };

/* Versions that have a field. */
enum {
    BUFFER = 1 << V_BUFFER,
    PITCH = 1 << V_PITCH | 1 << V_PITCH_KEY,
    BLOCK = 1 << V_BLOCK | 1 << V_BLOCK_KEY,
    PLANE = PITCH | BLOCK,
    ALL = BUFFER | PLANE,
};

enum field {
    F_COMPONENTS,
    F_R_TYPE,
    F_G_TYPE,
    F_B_TYPE,
    F_A_TYPE,
    F_X_SOURCE,
    F_Y_SOURCE,
    F_Z_SOURCE,
    F_W_SOURCE,
    F_PACK,
    F_ADDRESS_HIGH,
    F_VERSION,
    F_BUFFER_ADDRESS,
    F_BUFFER_WIDTH_HIGH,
    F_BUFFER_WIDTH_LOW,
    F_PITCH_ADDRESS,
    F_PITCH,
    F_BLOCK_ADDRESS,
    F_GOBS_WIDTH,
    F_GOBS_HEIGHT,
    F_GOBS_DEPTH,
    F_SPARSE,
    F_TILE_WIDTH,
    F_MAX_MIP,
    F_WIDTH,
    F_SRGB,
    F_TEXTURE_TYPE,
    F_BORDER,
    F_HEIGHT,
    F_DEPTH,
    F_NORMALIZED,
    F_VIEW_MIN,
    F_VIEW_MAX,
    F_MSAA,
    FIELDS
};

/* Named values of fields, by value; NULL = reserved. */
static const char *const type_names[] = {
    NULL, "SNORM", "UNORM", "SINT", "UINT", "SNORM_FORCE_FP16", "UNORM_FORCE_FP16", "FLOAT"};
static const char *const source_names[] = {"ZERO", NULL, "R", "G", "B", "A", "ONE_INT", "ONE_FLOAT"};
static const char *const version_names[8] = {"1D_BUFFER", "PITCH_COLOR_KEY", "PITCH", "BLOCKLINEAR",
                                             "BLOCKLINEAR_COLOR_KEY"};
static const char *const dimension_names[16] = {"1D",       "2D",        "3D",           "CUBE",      "1D_ARRAY",
                                                "2D_ARRAY", "1D_BUFFER", "2D_NO_MIPMAP", "CUBE_ARRAY"};

/* A field is `value + bias` shifted left by `shift`. */
static const struct row {
    const char *name;
    uint8_t low, bits, versions, shift, bias;
    const char *const *names;
} rows[FIELDS] = {
    [F_COMPONENTS] = {"COMPONENTS", 0, 7, ALL, 0, 0, NULL},
    [F_R_TYPE] = {"R_DATA_TYPE", 7, 3, ALL, 0, 0, type_names},
    [F_G_TYPE] = {"G_DATA_TYPE", 10, 3, ALL, 0, 0, type_names},
    [F_B_TYPE] = {"B_DATA_TYPE", 13, 3, ALL, 0, 0, type_names},
    [F_A_TYPE] = {"A_DATA_TYPE", 16, 3, ALL, 0, 0, type_names},
    [F_X_SOURCE] = {"X_SOURCE", 19, 3, ALL, 0, 0, source_names},
    [F_Y_SOURCE] = {"Y_SOURCE", 22, 3, ALL, 0, 0, source_names},
    [F_Z_SOURCE] = {"Z_SOURCE", 25, 3, ALL, 0, 0, source_names},
    [F_W_SOURCE] = {"W_SOURCE", 28, 3, ALL, 0, 0, source_names},
    [F_PACK] = {"PACK_COMPONENTS", 31, 1, ALL, 0, 0, NULL},
    [F_VERSION] = {"HEADER_VERSION", 85, 3, ALL, 0, 0, version_names},
    [F_ADDRESS_HIGH] = {"ADDRESS_BITS_47_TO_32", 64, 16, ALL, 0, 0, NULL},
    [F_BUFFER_ADDRESS] = {"ADDRESS_BITS_31_TO_0", 32, 32, BUFFER, 0, 0, NULL},
    [F_PITCH_ADDRESS] = {"ADDRESS_BITS_31_TO_5", 37, 27, PITCH, 5, 0, NULL},
    [F_BLOCK_ADDRESS] = {"ADDRESS_BITS_31_TO_9", 41, 23, BLOCK, 9, 0, NULL},
    [F_BUFFER_WIDTH_HIGH] = {"WIDTH_MINUS_ONE_BITS_31_TO_16", 96, 16, BUFFER, 0, 0, NULL},
    [F_BUFFER_WIDTH_LOW] = {"WIDTH_MINUS_ONE_BITS_15_TO_0", 128, 16, BUFFER, 0, 0, NULL},
    [F_PITCH] = {"PITCH_BITS_20_TO_5", 96, 16, PITCH, 5, 0, NULL},
    [F_GOBS_WIDTH] = {"GOBS_PER_BLOCK_WIDTH", 96, 3, BLOCK, 0, 0, NULL},
    [F_GOBS_HEIGHT] = {"GOBS_PER_BLOCK_HEIGHT", 99, 3, BLOCK, 0, 0, NULL},
    [F_GOBS_DEPTH] = {"GOBS_PER_BLOCK_DEPTH", 102, 3, BLOCK, 0, 0, NULL},
    [F_SPARSE] = {"SPARSE", 105, 1, BLOCK, 0, 0, NULL},
    [F_TILE_WIDTH] = {"TILE_WIDTH_IN_GOBS", 106, 3, BLOCK, 0, 0, NULL},
    [F_MAX_MIP] = {"MAX_MIP_LEVEL", 124, 4, PLANE, 0, 0, NULL},
    [F_WIDTH] = {"WIDTH_MINUS_ONE", 128, 16, PLANE, 0, 1, NULL},
    [F_SRGB] = {"S_R_G_B_CONVERSION", 150, 1, PLANE, 0, 0, NULL},
    [F_TEXTURE_TYPE] = {"TEXTURE_TYPE", 151, 4, ALL, 0, 0, dimension_names},
    [F_BORDER] = {"BORDER_SIZE", 157, 3, PLANE, 0, 0, NULL},
    [F_HEIGHT] = {"HEIGHT_MINUS_ONE", 160, 16, PLANE, 0, 1, NULL},
    [F_DEPTH] = {"DEPTH_MINUS_ONE", 176, 14, PLANE, 0, 1, NULL},
    [F_NORMALIZED] = {"NORMALIZED_COORDS", 191, 1, PLANE, 0, 0, NULL},
    [F_VIEW_MIN] = {"RES_VIEW_MIN_MIP_LEVEL", 224, 4, PLANE, 0, 0, NULL},
    [F_VIEW_MAX] = {"RES_VIEW_MAX_MIP_LEVEL", 228, 4, PLANE, 0, 0, NULL},
    [F_MSAA] = {"MULTI_SAMPLE_COUNT", 232, 4, PLANE, 0, 0, NULL},
};

static uint64_t ones(const struct row *row)
{
    return UINT64_MAX >> (64 - row->bits);
}

/* The bits of a field, as they are; no field crosses a word. */
static uint32_t get_bits(const struct sass_header *h, enum field field)
{
    return h->word[rows[field].low / 32] >> rows[field].low % 32 & (uint32_t)ones(&rows[field]);
}

/* The value that they stand for. */
static uint64_t get(const struct sass_header *h, enum field field)
{
    return ((uint64_t)get_bits(h, field) << rows[field].shift) + rows[field].bias;
}

/* False: the field cannot hold it. */
static bool put(struct sass_header *h, enum field field, uint64_t value)
{
    const struct row *row = &rows[field];
    uint64_t bits = (value - row->bias) >> row->shift;
    if (value < row->bias || bits > ones(row) || (bits << row->shift) + row->bias != value)
        return false;
    h->word[row->low / 32] &= ~((uint32_t)ones(row) << row->low % 32);
    h->word[row->low / 32] |= (uint32_t)bits << row->low % 32;
    return true;
}

/* ---- formats --------------------------------------------------------------------------------------------- */

/* Component sizes, the first in the texel's lowest bits. Those of formats that no surface has are here for their names.
 */
static const struct components {
    const char *name;
    uint8_t code, bits[4];
} components[] = {
    {"R32_G32_B32_A32", 0x01, {32, 32, 32, 32}},
    {"R32_G32_B32", 0x02, {32, 32, 32}},
    {"R16_G16_B16_A16", 0x03, {16, 16, 16, 16}},
    {"R32_G32", 0x04, {32, 32}},
    {"A8B8G8R8", 0x08, {8, 8, 8, 8}},
    {"A2B10G10R10", 0x09, {10, 10, 10, 2}},
    {"R16_G16", 0x0c, {16, 16}},
    {"R32", 0x0f, {32}},
    {"G8R8", 0x18, {8, 8}},
    {"R16", 0x1b, {16}},
    {"R8", 0x1d, {8}},
    {"B10G11R11", 0x21, {11, 11, 10}},
    {"X8B8G8R8", 0x07, {0}},
};
enum { COMPONENTS = sizeof components / sizeof components[0] };

static const struct components *components_find(uint32_t code)
{
    for (unsigned i = 0; i < COMPONENTS; i++)
        if (components[i].code == code)
            return &components[i];
    return NULL;
}

enum { SOURCE_ZERO = 0, SOURCE_R = 2, SOURCE_ONE_INT = 6, SOURCE_ONE_FLOAT = 7 };

static const uint8_t types[] = {
    [FORMAT_SNORM] = 1, [FORMAT_UNORM] = 2, [FORMAT_SINT] = 3, [FORMAT_UINT] = 4, [FORMAT_FLOAT] = 7};

/* The component of `c` in which channel `channel` of the format lies; -1: in none. */
static int component_of(const struct components *c, const struct format *f, unsigned channel)
{
    unsigned at = 0;
    for (int k = 0; k < 4 && c->bits[k]; at += c->bits[k++])
        if (f->bits[channel] == c->bits[k] && f->shift[channel] == at)
            return k;
    return -1;
}

/* Whether every channel is a component, and there are no more. */
static bool components_fit(const struct components *c, const struct format *f)
{
    unsigned count = 0;
    while (count < 4 && c->bits[count])
        count++;
    for (unsigned channel = 0; channel < f->channels; channel++)
        if (component_of(c, f, channel) < 0)
            return false;
    return count == f->channels;
}

/* Where channel `channel` of a format comes from. */
static uint32_t source_of(const struct components *c, const struct format *f, unsigned channel)
{
    bool integer = f->kind == FORMAT_UINT || f->kind == FORMAT_SINT;
    if (channel < f->channels)
        return (uint32_t)(SOURCE_R + component_of(c, f, channel));
    return channel < 3 ? SOURCE_ZERO : integer ? SOURCE_ONE_INT : SOURCE_ONE_FLOAT;
}

static bool put_format(struct sass_header *h, const struct format *f, struct atoll_error *error)
{
    for (unsigned i = 0; i < COMPONENTS; i++) {
        if (!components_fit(&components[i], f))
            continue;
        put(h, F_COMPONENTS, components[i].code);
        for (unsigned channel = 0; channel < 4; channel++) {
            put(h, F_R_TYPE + channel, types[f->kind]);
            put(h, F_X_SOURCE + channel, source_of(&components[i], f, channel));
        }
        return true;
    }
    return error_set(error, ATOLL_USAGE, "texture header: Maxwell has no format %s", f->name);
}

/* How many of a format's channels come from where the header says: orders of channels are told apart by it. Named
 * choice: surface instructions follow the order of a format that has one (bgra8unorm), any other swizzle has no effect.
 */
static unsigned agreement(const struct sass_header *h, const struct components *c, const struct format *f)
{
    unsigned same = 0;
    for (unsigned channel = 0; channel < f->channels; channel++)
        same += get_bits(h, F_X_SOURCE + channel) == source_of(c, f, channel);
    return same;
}

static bool get_format(const struct sass_header *h, const struct format **format, struct atoll_error *error)
{
    const struct components *c = components_find(get_bits(h, F_COMPONENTS));
    uint32_t type = get_bits(h, F_R_TYPE);
    if (!c)
        return error_set(error, ATOLL_INPUT, "texture header: component sizes 0x%02x are not those of a surface format",
                         get_bits(h, F_COMPONENTS));
    for (unsigned k = 1; k < 4 && c->bits[k]; k++)
        if (get_bits(h, F_R_TYPE + k) != type)
            return error_set(error, ATOLL_UNSUPPORTED,
                             "not supported: texture header with components of several types");
    *format = NULL;
    unsigned best = 0;
    for (unsigned i = 0; format_at(i); i++) {
        const struct format *f = format_at(i);
        if (types[f->kind] != type || !components_fit(c, f) || (*format && agreement(h, c, f) <= best))
            continue;
        *format = f;
        best = agreement(h, c, f);
    }
    return *format || error_set(error, ATOLL_INPUT, "texture header: there is no surface format %s of type %s", c->name,
                                type_names[type] ? type_names[type] : "0 (reserved)");
}

/* ---- encode ---------------------------------------------------------------------------------------------- */

enum { TEXTURE_2D = 1, TEXTURE_3D = 2, TEXTURE_CUBE = 3, TEXTURE_2D_NO_MIPMAP = 7, TEXTURE_CUBE_ARRAY = 8 };

static const uint8_t texture_types[LANE_DIMS] = {
    [LANE_DIM_1D] = 0,          [LANE_DIM_1D_BUFFER] = 6, [LANE_DIM_1D_ARRAY] = 4,
    [LANE_DIM_2D] = TEXTURE_2D, [LANE_DIM_2D_ARRAY] = 5,  [LANE_DIM_3D] = TEXTURE_3D,
};

static bool put_checked(struct sass_header *h, enum field field, const char *what, uint64_t value,
                        struct atoll_error *error)
{
    return put(h, field, value) || error_set(error, ATOLL_USAGE, "texture header: %s %" PRIu64 " does not fit in %s",
                                             what, value, rows[field].name);
}

static bool put_address(struct sass_header *h, enum field low, uint64_t address, struct atoll_error *error)
{
    if (!put(h, low, address & UINT32_MAX))
        return error_set(error, ATOLL_USAGE, "texture header: address 0x%" PRIx64 " is not a multiple of %u", address,
                         1u << rows[low].shift);
    return put_checked(h, F_ADDRESS_HIGH, "address bits from 32", address >> 32, error);
}

static bool put_buffer(struct sass_header *h, const struct surface *s, uint64_t address, struct atoll_error *error)
{
    put(h, F_VERSION, V_BUFFER);
    put(h, F_BUFFER_WIDTH_HIGH, (s->width - 1) >> 16);
    put(h, F_BUFFER_WIDTH_LOW, (s->width - 1) & 0xffff);
    if (address % s->format->bytes)
        return error_set(error, ATOLL_USAGE, "texture header: address 0x%" PRIx64 " is not a multiple of %u", address,
                         s->format->bytes);
    return put_address(h, F_BUFFER_ADDRESS, address, error);
}

static bool put_pitch(struct sass_header *h, const struct surface *s, uint64_t address, struct atoll_error *error)
{
    put(h, F_VERSION, V_PITCH);
    if (s->slices > 1)
        return error_set(error, ATOLL_USAGE,
                         "texture header: %" PRIu32
                         " slices or layers: those of a surface of layout pitch have no place",
                         s->slices);
    if (s->dim == LANE_DIM_2D)
        put(h, F_TEXTURE_TYPE, TEXTURE_2D_NO_MIPMAP);
    return put_checked(h, F_PITCH, "pitch", s->pitch, error) && put_address(h, F_PITCH_ADDRESS, address, error);
}

static bool put_block(struct sass_header *h, const struct surface *s, uint64_t address, struct atoll_error *error)
{
    put(h, F_VERSION, V_BLOCK);
    put(h, F_GOBS_HEIGHT, block_log2(s->shape.settings[BLOCK_HEIGHT]));
    put(h, F_GOBS_DEPTH, block_log2(s->shape.settings[BLOCK_DEPTH]));
    put(h, F_SPARSE, s->missing != NULL);
    return put_address(h, F_BLOCK_ADDRESS, address, error);
}

/* BORDER_SIZE 7: the sampler's colour, as Mesa writes it. */
static bool put_plane(struct sass_header *h, const struct surface *s, struct atoll_error *error)
{
    const struct surface_shape *shape = &s->shape;
    put(h, F_BORDER, 7);
    put(h, F_MAX_MIP, shape->levels - 1);
    put(h, F_VIEW_MIN, shape->level);
    put(h, F_VIEW_MAX, shape->levels - 1);
    return put_checked(h, F_WIDTH, "width", shape->width, error) &&
           put_checked(h, F_HEIGHT, "height", shape->height, error) &&
           put_checked(h, F_DEPTH, "depth or layers", shape->depth > shape->layers ? shape->depth : shape->layers,
                       error);
}

bool sass_header_encode(const struct surface *surface, uint64_t address, struct sass_header *header,
                        struct atoll_error *error)
{
    const struct surface *s = surface;
    *header = (struct sass_header){0};
    if (!put_format(header, s->format, error))
        return false;
    if (!s->layout->linear && !s->layout->blocks)
        return error_set(error, ATOLL_USAGE, "a texture header has no word for the layout %s", s->layout->name);
    put(header, F_TEXTURE_TYPE, texture_types[s->dim]);
    if (s->dim == LANE_DIM_1D_BUFFER)
        return put_buffer(header, s, address, error);
    return put_plane(header, s, error) &&
           (s->layout->linear ? put_pitch(header, s, address, error) : put_block(header, s, address, error));
}

/* ---- decode ---------------------------------------------------------------------------------------------- */

static bool get_dimension(const struct sass_header *h, struct surface_shape *shape, struct atoll_error *error)
{
    uint32_t type = get_bits(h, F_TEXTURE_TYPE), cubes = 0;
    uint64_t depth = get(h, F_DEPTH);
    if (type == TEXTURE_2D_NO_MIPMAP)
        type = TEXTURE_2D;
    if (type == TEXTURE_CUBE || type == TEXTURE_CUBE_ARRAY) {
        cubes = 6;
        type = texture_types[LANE_DIM_2D_ARRAY];
    }
    shape->dim = 0;
    while (shape->dim < LANE_DIMS && texture_types[shape->dim] != type)
        shape->dim++;
    if (shape->dim == LANE_DIMS || shape->dim == LANE_DIM_1D_BUFFER)
        return error_set(error, ATOLL_INPUT, "texture header: texture type %" PRIu32 " does not belong to its version",
                         get_bits(h, F_TEXTURE_TYPE));
    if (shape->dim == LANE_DIM_3D)
        shape->depth = (uint32_t)depth;
    else
        shape->layers = (uint32_t)depth * (cubes ? cubes : 1);
    shape->width = (uint32_t)get(h, F_WIDTH);
    shape->height = (uint32_t)get(h, F_HEIGHT);
    return true;
}

static bool get_levels(const struct sass_header *h, struct surface_shape *shape, struct atoll_error *error)
{
    shape->levels = get_bits(h, F_MAX_MIP) + 1;
    shape->level = get_bits(h, F_VIEW_MIN);
    if (shape->level < shape->levels)
        return true;
    return error_set(error, ATOLL_INPUT, "texture header: view of mip level %" PRIu32 ", the last is %" PRIu32,
                     shape->level, shape->levels - 1);
}

static bool get_block(const struct sass_header *h, struct surface_shape *shape, struct atoll_error *error)
{
    if (get_bits(h, F_GOBS_WIDTH) || get_bits(h, F_TILE_WIDTH))
        return error_set(error, ATOLL_UNSUPPORTED,
                         "not supported: texture header with blocks or tiles of several GOBs "
                         "side by side");
    shape->layout = layout_find("block-linear");
    shape->settings[BLOCK_HEIGHT] = UINT64_C(1) << get_bits(h, F_GOBS_HEIGHT);
    shape->settings[BLOCK_DEPTH] = UINT64_C(1) << get_bits(h, F_GOBS_DEPTH);
    return true;
}

static bool get_buffer(const struct sass_header *h, struct surface_shape *shape, struct atoll_error *error)
{
    uint64_t width = ((uint64_t)get_bits(h, F_BUFFER_WIDTH_HIGH) << 16 | get_bits(h, F_BUFFER_WIDTH_LOW)) + 1;
    shape->dim = LANE_DIM_1D_BUFFER;
    shape->layout = layout_find("pitch");
    shape->width = (uint32_t)width;
    return width <= UINT32_MAX || error_set(error, ATOLL_INPUT, "texture header: a 1D buffer of 2^32 texels");
}

static bool get_plane(const struct sass_header *h, enum version version, struct surface_shape *shape,
                      struct atoll_error *error)
{
    if (get_bits(h, F_SRGB))
        return error_set(error, ATOLL_UNSUPPORTED, "not supported: texture header with sRGB conversion");
    if (!get_dimension(h, shape, error) || !get_levels(h, shape, error))
        return false;
    if (version == V_BLOCK)
        return get_block(h, shape, error);
    shape->layout = layout_find("pitch");
    shape->settings[PITCH_BYTES] = get(h, F_PITCH);
    return true;
}

bool sass_header_decode(const struct sass_header *header, struct surface_shape *shape, uint64_t *address,
                        struct atoll_error *error)
{
    static const enum field low[] = {
        [V_BUFFER] = F_BUFFER_ADDRESS, [V_PITCH] = F_PITCH_ADDRESS, [V_BLOCK] = F_BLOCK_ADDRESS};
    enum version version = (enum version)get_bits(header, F_VERSION);
    *shape = (struct surface_shape){0};
    if (version >= VERSIONS)
        return error_set(error, ATOLL_INPUT, "texture header: there is no version %u", (unsigned)version);
    if (version == V_PITCH_KEY || version == V_BLOCK_KEY)
        return error_set(error, ATOLL_UNSUPPORTED, "not supported: texture header of version %s",
                         version_names[version]);
    if (get_bits(header, F_PACK))
        return error_set(error, ATOLL_UNSUPPORTED, "not supported: texture header with packed components");
    if (!get_format(header, &shape->format, error))
        return false;
    *address = get(header, low[version]) | (uint64_t)get_bits(header, F_ADDRESS_HIGH) << 32;
    return version == V_BUFFER ? get_buffer(header, shape, error) : get_plane(header, version, shape, error);
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

bool sass_header_field(const struct sass_header *header, unsigned index, struct family_field *field)
{
    uint32_t version = get_bits(header, F_VERSION), known = version < VERSIONS ? 1u << version : ALL;
    if (index >= FIELDS)
        return false;
    const struct row *row = &rows[index];
    *field = (struct family_field){.bits = get_bits(header, index)};
    if (!(row->versions & known))
        return true;
    field->name = row->name;
    if (index == F_COMPONENTS) {
        field->hex_digits = 2;
        field->meaning = components_find(field->bits) ? components_find(field->bits)->name : "?";
    } else if (row->names) {
        field->meaning = row->names[field->bits] ? row->names[field->bits] : "?";
    } else {
        field->hex_digits = row->bits > 16 || row->shift || index == F_ADDRESS_HIGH;
    }
    return true;
}

/* ---- bytes ----------------------------------------------------------------------------------------------- */

void sass_header_write(const struct sass_header *header, unsigned char bytes[SASS_HEADER_BYTES])
{
    for (unsigned i = 0; i < SASS_HEADER_BYTES / 4; i++)
        bytes_put(bytes + 4 * i, header->word[i], 4);
}

void sass_header_read(const unsigned char bytes[SASS_HEADER_BYTES], struct sass_header *header)
{
    for (unsigned i = 0; i < SASS_HEADER_BYTES / 4; i++)
        header->word[i] = bytes_u32(bytes + 4 * i);
}

/* vISA's LSC messages: loads and stores of DG2 and PVC. Source: docs/visa.md, "LSC". */
#include "isa/visa/alu.h"
#include "isa/visa/memory.h"

#include <string.h>

enum { SFID_UGM, SFID_UGML, SFID_TGM, SFID_SLM };
enum { MODEL_FLAT = 1, MODEL_BSS, MODEL_SS, MODEL_BTI, MODEL_ARG };
enum { A16 = 1, A32, A64 };
enum { D8 = 1, D16, D32, D64, D8C32, D16C32, D16C32H };
enum { TRANSPOSED = 2 };

static struct lane_operand none(void)
{
    return (struct lane_operand){LANE_NONE, 0};
}

/* ---- data ----------------------------------------------------------------------------------------------------------
 */

/* Bytes of an element in memory and in a register, and from which byte on it lies there. */
struct shape {
    unsigned memory, held, from, elements;
    bool transposed;
};

static bool shape_of(struct visa_lower *l, struct shape *s)
{
    static const struct shape sizes[8] = {
        [D8] = {.memory = 1, .held = 1},
        [D16] = {.memory = 2, .held = 2},
        [D32] = {.memory = 4, .held = 4},
        [D64] = {.memory = 8, .held = 8},
        [D8C32] = {.memory = 1, .held = 4},
        [D16C32] = {.memory = 2, .held = 4},
        [D16C32H] = {.memory = 2, .held = 4, .from = 2},
    };
    static const uint8_t counts[9] = {1, 1, 2, 3, 4, 8, 16, 32, 64};
    bool quad = l->inst->row->is & VISA_IS_QUAD; /* its channels count, and stand in the field of elements, too */
    uint64_t size = visa_number_in(l, "data"), elements = quad ? 1 : visa_number_in(l, "elems");
    if (size < D8 || size > D16C32H || elements > 8) {
        visa_stop(l, "LSC: data of a size or count that there is not");
        return false;
    }
    *s = sizes[size];
    s->elements = counts[elements];
    s->transposed = visa_number_in(l, "order") == TRANSPOSED;
    return true;
}

/* An element as the register has it. */
static struct lane_operand widened(struct visa_lower *l, const struct shape *s, struct lane_operand v)
{
    if (s->memory == s->held)
        return v;
    v = visa_cvt(l, LANE_U32, s->memory == 1 ? LANE_U8 : LANE_U16, v);
    return s->from ? visa_two(l, LANE_OP_shl, LANE_B32, v, lane_imm(l->b, 32, 8 * s->from)) : v;
}

/* ---- where
 * ----------------------------------------------------------------------------------------------------------- */

/* The index that a surface operand says: a number, or what a variable holds. */
static struct lane_operand surface_index(struct visa_lower *l)
{
    return visa_convert(l, visa_uniform(l, visa_operand_in(l, "surface")), VISA_UD, false).v;
}

static bool buffer_of(struct visa_lower *l, struct visa_buffer *buffer)
{
    uint64_t model = visa_number_in(l, "model"), sfid = visa_number_in(l, "sfid");
    if (sfid == SFID_SLM) {
        *buffer = (struct visa_buffer){.space = LANE_SHARED};
        return true;
    }
    if (model == MODEL_FLAT) {
        *buffer = visa_flat(l);
        return true;
    }
    if (model == MODEL_BTI)
        return visa_buffer_at(l, surface_index(l), buffer);
    visa_stop(l, "not supported: LSC with surface state by %s",
              model == MODEL_BSS  ? "bss"
              : model == MODEL_SS ? "ss"
                                  : "arg");
    return false;
}

/* scale * base + offset, of the instruction's channels (or, of transposed data, of the first). */
bool visa_lsc_place(struct visa_lower *l, const char *role, struct visa_buffer *buffer, struct lane_operand *at)
{
    const struct visa_operand *base = visa_operand_in(l, role);
    uint64_t size = visa_number_in(l, "asize"), scale = visa_number_in(l, "scale");
    int32_t offset = (int32_t)visa_number_in(l, "offset");
    unsigned bytes = size == A64 ? 8 : size == A16 ? 2 : 4;
    if (!buffer_of(l, buffer))
        return false;
    bool flat = visa_is_flat(buffer);
    enum lane_type type = flat ? LANE_U64 : LANE_U32, from = bytes == 8 ? LANE_U64 : bytes == 4 ? LANE_U32 : LANE_U16;
    struct lane_operand a = visa_get_raw(l, base, 0, bytes, bytes < 4 ? 4 : bytes);
    if (from != type)
        a = visa_cvt(l, type, from, a);
    if (scale > 1)
        a = visa_two(l, LANE_OP_mul, type, a, lane_imm(l->b, lane_type_bits(type), scale));
    if (offset)
        a = visa_two(l, LANE_OP_add, type, a, lane_imm(l->b, lane_type_bits(type), (uint64_t)(int64_t)offset));
    *at = a;
    return true;
}

struct lane_operand visa_lsc_handle(struct visa_lower *l)
{
    if (visa_number_in(l, "model") == MODEL_BTI)
        return visa_handle_at(l, surface_index(l), 't');
    visa_stop(l, "not supported: LSC on texels whose surface is not given by bti");
    return none();
}

/* ---- loads and stores ---------------------------------------------------------------------------------------------
 */

/* Transposed: one address, elements one after the other in memory and in registers; whichever lanes run. */
static void transposed(struct visa_lower *l, const struct shape *s, const struct visa_operand *raw, bool store)
{
    struct visa_buffer buffer;
    struct lane_operand at;
    visa_as_block(l, 32);
    l->channels = 1;
    l->scalar = true;
    if (!visa_lsc_place(l, "base", &buffer, &at))
        return;
    bool wide = visa_is_flat(&buffer);
    for (unsigned first = 0; first < s->elements; first += 32) {
        visa_as_block(l, s->elements - first < 32 ? s->elements - first : 32);
        l->scalar = l->channels == 1; /* all lanes have the same element then */
        struct lane_operand own = lane_imm(l->b, 32, s->memory), place = at;
        if (!l->scalar) {
            own = visa_two(l, LANE_OP_mul, LANE_U32, l->laneid, own);
            if (wide)
                own = visa_cvt(l, LANE_U64, LANE_U32, own);
            place = visa_two(l, LANE_OP_add, wide ? LANE_U64 : LANE_U32, at, own);
        }
        if (store)
            visa_memory_store(l, &buffer, place, s->memory * first, s->memory,
                              visa_get_raw(l, raw, s->held * first + s->from, s->memory, s->held));
        else
            visa_put_raw(l, raw, s->held * first, s->held, s->held,
                         widened(l, s, visa_memory_load(l, &buffer, place, s->memory * first, s->memory)));
    }
}

/* Element v of every channel in registers of its own. channels: of quads; else all. */
static void straight(struct visa_lower *l, const struct shape *s, const struct visa_operand *raw, const char *role,
                     const uint8_t *which, unsigned count, bool store)
{
    struct visa_buffer buffer;
    struct lane_operand at, v[64];
    if (!visa_lsc_place(l, role, &buffer, &at))
        return;
    for (unsigned i = 0; i < count; i++) {
        uint32_t more = s->memory * (which ? which[i] : i), from = i * visa_component(l, s->held);
        if (store)
            visa_memory_store(l, &buffer, at, more, s->memory,
                              visa_get_raw(l, raw, from + s->from, s->memory, s->held));
        else
            v[i] = visa_memory_load(l, &buffer, at, more, s->memory);
    }
    for (unsigned i = 0; i < count && !store; i++)
        visa_put_raw(l, raw, i * visa_component(l, s->held), s->held, s->held, widened(l, s, v[i]));
}

/* Channel i's elements begin at base + i * pitch. mode 1: store. */
void visa_lsc_strided(struct visa_lower *l, const struct visa_does *does)
{
    const struct visa_operand *raw = visa_operand_in(l, does->mode ? "src1" : "dst");
    struct visa_buffer buffer;
    struct lane_operand at, v[64];
    struct shape s;
    unsigned channels = l->channels;
    if (!shape_of(l, &s))
        return;
    struct lane_operand pitch = visa_convert(l, visa_uniform(l, visa_operand_in(l, "pitch")), VISA_UD, false).v;
    l->channels = 1;
    bool known = visa_lsc_place(l, "base", &buffer, &at);
    l->channels = channels;
    if (!known)
        return;
    bool wide = visa_is_flat(&buffer);
    struct lane_operand index = visa_two(l, LANE_OP_sub, LANE_U32, l->laneid, lane_imm(l->b, 32, l->first));
    struct lane_operand own = visa_two(l, LANE_OP_mul, LANE_U32, index, pitch);
    if (wide)
        own = visa_cvt(l, LANE_U64, LANE_U32, own);
    at = visa_two(l, LANE_OP_add, wide ? LANE_U64 : LANE_U32, at, own);
    for (unsigned i = 0; i < s.elements; i++)
        if (does->mode)
            visa_memory_store(l, &buffer, at, s.memory * i, s.memory,
                              visa_get_raw(l, raw, i * visa_component(l, s.held) + s.from, s.memory, s.held));
        else
            v[i] = visa_memory_load(l, &buffer, at, s.memory * i, s.memory);
    for (unsigned i = 0; i < s.elements && !does->mode; i++)
        visa_put_raw(l, raw, i * visa_component(l, s.held), s.held, s.held, widened(l, &s, v[i]));
}

static void access(struct visa_lower *l, bool store)
{
    const struct visa_operand *raw = visa_operand_in(l, store ? "src1" : "dst");
    struct shape s;
    uint8_t channels[4];
    if (!shape_of(l, &s) || (!store && visa_is_null(raw))) /* without destination a hint to the caches */
        return;
    if (l->inst->row->is & VISA_IS_QUAD) {
        unsigned count = visa_channels_of(visa_number_in(l, "channels"), channels);
        straight(l, &s, raw, "base", channels, count, store);
    } else if (s.transposed)
        transposed(l, &s, raw, store);
    else
        straight(l, &s, raw, "base", NULL, s.elements, store);
}

void visa_lsc_load(struct visa_lower *l, const struct visa_does *does)
{
    (void)does;
    access(l, false);
}

void visa_lsc_store(struct visa_lower *l, const struct visa_does *does)
{
    (void)does;
    access(l, true);
}

/* ---- blocks of two dimensions --------------------------------------------------------------------------------------
 */

/* A block as it lies in registers: rows (transposed: columns) at a pitch of the next power of two; vnni: of as many
 * rows as elements fit in a dword, those of one column side by side. Source: Intel's page LSC_UNTYPED, LOAD_BLOCK2D. */
struct block2d {
    unsigned bytes, blocks, width, height; /* of an element; blocks; elements */
    bool transposed, vnni;
    unsigned packed;      /* elements of a dword, 1 without vnni */
    unsigned pitch, size; /* elements from row to row, from block to block */
    struct lane_operand base, limit_x, limit_y, row_bytes, x, y;
};

static unsigned power_up(unsigned n)
{
    unsigned up = 1;
    while (up < n)
        up *= 2;
    return up;
}

static bool block2d_shape(struct visa_lower *l, struct block2d *b)
{
    uint64_t size = visa_number_in(l, "data");
    *b = (struct block2d){.bytes = size >= D8 && size <= D64 ? 1u << (size - D8) : 0,
                          .blocks = (unsigned)visa_number_in(l, "blocks"),
                          .width = (unsigned)visa_number_in(l, "width"),
                          .height = (unsigned)visa_number_in(l, "height"),
                          .transposed = visa_number_in(l, "order") == TRANSPOSED,
                          .vnni = visa_number_in(l, "vnni") != 0};
    enum { LARGEST = 8192 /* bytes of all blocks */ };
    if (!b->bytes || !b->blocks || b->blocks > 4 || !b->width || b->width > 64 || !b->height || b->height > 64 ||
        (b->vnni && b->bytes > 2)) {
        visa_stop(l, "%s: a block of a size that there is not", l->inst->row->name);
        return false;
    }
    b->packed = b->vnni ? 4 / b->bytes : 1;
    b->pitch = power_up(b->transposed ? b->height : b->width);
    unsigned rows = b->transposed ? b->width : b->height, row = l->grf / b->bytes;
    rows = (rows + b->packed - 1) / b->packed * b->packed;
    b->size = (rows * b->pitch + row - 1) / row * row;
    if (b->size * b->bytes * b->blocks > LARGEST) {
        visa_stop(l, "%s: blocks of more than %d bytes", l->inst->row->name, LARGEST);
        return false;
    }
    return true;
}

/* Width in bytes, height and pitch are given less one. */
static void block2d_place(struct visa_lower *l, struct block2d *b)
{
    const char *const roles[] = {"w", "h", "pitch"};
    struct lane_operand v[3];
    for (unsigned i = 0; i < 3; i++) {
        v[i] = visa_convert(l, visa_uniform(l, visa_operand_in(l, roles[i])), VISA_UD, false).v;
        v[i] = visa_two(l, LANE_OP_add, LANE_U32, v[i], lane_imm(l->b, 32, 1));
    }
    b->limit_x = v[0];
    b->limit_y = v[1];
    b->row_bytes = v[2];
    b->base = visa_convert(l, visa_uniform(l, visa_operand_in(l, "base")), VISA_UQ, false).v;
    b->x = visa_convert(l, visa_uniform(l, visa_operand_in(l, "x")), VISA_D, false).v;
    b->y = visa_convert(l, visa_uniform(l, visa_operand_in(l, "y")), VISA_D, false).v;
}

static struct lane_operand bits_of(struct visa_lower *l, struct lane_operand v, unsigned from, unsigned count)
{
    if (from)
        v = visa_two(l, LANE_OP_shr, LANE_U32, v, lane_imm(l->b, 32, from));
    return visa_two(l, LANE_OP_and, LANE_B32, v, lane_imm(l->b, 32, (1u << count) - 1));
}

/* Elements first, first + 1 ... of a block's registers, one a lane; what lies outside is 0 (of the surface: inferred).
 */
static struct lane_operand block2d_elements(struct visa_lower *l, const struct block2d *b, unsigned block,
                                            unsigned first)
{
    struct visa_buffer flat = visa_flat(l);
    unsigned packed = (unsigned)__builtin_ctz(b->packed), pitch = (unsigned)__builtin_ctz(b->pitch);
    struct lane_operand i = visa_two(l, LANE_OP_add, LANE_U32, l->laneid, lane_imm(l->b, 32, first));
    struct lane_operand inner = bits_of(l, i, packed, pitch);
    struct lane_operand outer = visa_two(l, LANE_OP_shr, LANE_U32, i, lane_imm(l->b, 32, packed + pitch));
    if (b->vnni) {
        outer = visa_two(l, LANE_OP_shl, LANE_B32, outer, lane_imm(l->b, 32, packed));
        outer = visa_two(l, LANE_OP_or, LANE_B32, outer, bits_of(l, i, 0, packed));
    }
    struct lane_operand x = b->transposed ? outer : inner, y = b->transposed ? inner : outer;
    struct lane_operand in = visa_and(l, visa_compare(l, LANE_LT, LANE_U32, x, lane_imm(l->b, 32, b->width)),
                                      visa_compare(l, LANE_LT, LANE_U32, y, lane_imm(l->b, 32, b->height)));
    x = visa_two(l, LANE_OP_add, LANE_U32, x, lane_imm(l->b, 32, block * b->width));
    x = visa_two(l, LANE_OP_add, LANE_U32, x, b->x);
    x = visa_two(l, LANE_OP_mul, LANE_U32, x, lane_imm(l->b, 32, b->bytes));
    y = visa_two(l, LANE_OP_add, LANE_U32, y, b->y);
    in = visa_and(l, in, visa_compare(l, LANE_LT, LANE_U32, x, b->limit_x));
    in = visa_and(l, in, visa_compare(l, LANE_LT, LANE_U32, y, b->limit_y));
    struct lane_operand at =
        visa_pure(l, LANE_OP_madwide, LANE_U32, 64, 3, (struct lane_operand[]){y, b->row_bytes, b->base});
    at = visa_two(l, LANE_OP_add, LANE_U64, at, visa_cvt(l, LANE_U64, LANE_U32, x));
    l->guard = in;
    struct lane_operand v = visa_memory_load(l, &flat, at, 0, b->bytes);
    l->guard = none();
    return visa_three(l, LANE_OP_selp, visa_bits_type(b->bytes), v, lane_imm(l->b, 8 * b->bytes, 0), in);
}

void visa_lsc_load_block2d(struct visa_lower *l, const struct visa_does *does)
{
    struct block2d b;
    const struct visa_operand *dst = visa_operand_in(l, "dst");
    (void)does;
    if (visa_is_null(dst) || !block2d_shape(l, &b))
        return; /* nothing but a hint to the caches */
    visa_as_block(l, 32);
    block2d_place(l, &b);
    for (unsigned block = 0; block < b.blocks; block++)
        for (unsigned first = 0; first < b.size; first += 32) {
            visa_as_block(l, b.size - first < 32 ? b.size - first : 32);
            visa_put_raw(l, dst, (block * b.size + first) * b.bytes, b.bytes, b.bytes,
                         block2d_elements(l, &b, block, first));
        }
}

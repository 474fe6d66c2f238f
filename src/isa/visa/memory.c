/* vISA's messages to buffers. Source of layouts and bounds: docs/visa.md, "Running". */
#include "isa/visa/memory.h"

#include "isa/visa/alu.h"
#include "mem/space.h"

#include <string.h>

enum { SLM_BITS = 0x0FFFFFFF /* of an address in shared local memory: bits above say only that it is one */ };

static struct lane_operand none(void)
{
    return (struct lane_operand){LANE_NONE, 0};
}

/* ---- what a surface is --------------------------------------------------------------------------------------- */

/* The words of the slot of an index that is known only when it runs. */
static void slot_load(struct visa_lower *l, struct lane_operand index, struct lane_operand words[3])
{
    struct lane_operand at = visa_two(l, LANE_OP_mul, LANE_U32, index, lane_imm(l->b, 32, VISA_BTI_BYTES));
    uint32_t first = l->collecting || l->launch.bti_at[0] == VISA_NOT_NAMED ? 0 : l->launch.bti_at[0];
    for (unsigned i = 0; i < 3; i++) {
        words[i] = lane_reg(l->b, 64, NULL);
        struct lane_inst *inst = lane_emit(l->b, LANE_OP_ld, LANE_VOID, 1, &words[i], 1, &at);
        inst->aux = lane_access(
            l->b, &(struct lane_access){.space = LANE_PARAM, .type = LANE_B64, .vec = 1, .offset = first + 8 * i});
        if (l->no_mask || l->scalar)
            inst->flags |= LANE_WHOLE;
    }
    memset(l->used.btis, true, sizeof l->used.btis);
}

void visa_slot_bound(struct visa_lower *l, struct lane_operand words[2])
{
    struct lane_operand none = visa_compare(l, LANE_EQ, LANE_U64, words[0], lane_imm(l->b, 64, 0));
    words[0] = visa_three(l, LANE_OP_selp, LANE_B64, lane_imm(l->b, 64, SPACE_UNBOUND), words[0], none);
    words[1] = visa_three(l, LANE_OP_selp, LANE_B64, lane_imm(l->b, 64, UINT64_MAX), words[1], none);
}

static bool constant_of(const struct visa_lower *l, struct lane_operand v, uint32_t *value)
{
    if (v.kind != LANE_CONST || l->b->failed)
        return false;
    *value = (uint32_t)l->b->func->consts[v.index].lo;
    return true;
}

struct visa_buffer visa_flat(const struct visa_lower *l)
{
    return (struct visa_buffer){.space = l->launch.private_base ? LANE_GENERIC : LANE_GLOBAL};
}

bool visa_buffer_at(struct visa_lower *l, struct lane_operand index, struct visa_buffer *buffer)
{
    uint32_t number;
    struct lane_operand words[3];
    *buffer = (struct visa_buffer){.space = LANE_GLOBAL, .bounded = true, .slot = VISA_BTIS};
    if (!constant_of(l, index, &number)) {
        slot_load(l, index, words);
        visa_slot_bound(l, words);
        buffer->address = words[0];
        buffer->size = words[1];
        return true;
    }
    if (number == VISA_BTI_SLM) {
        *buffer = (struct visa_buffer){.space = LANE_SHARED};
        return true;
    }
    if (number == VISA_BTI_STATELESS) { /* of the thread, not of its channels */
        *buffer = (struct visa_buffer){.space = LANE_REGFILE, .from = visa_scratch_at(l)};
        l->used.scratch = true;
        return true;
    }
    if (number == VISA_BTI_BINDLESS || number == VISA_BTI_BSS || number >= VISA_BTIS) {
        visa_stop(l, "not supported: a buffer by its surface state (index %u)", number);
        return false;
    }
    l->used.btis[number] = l->used.buffer[number] = true;
    buffer->slot = (uint16_t)number;
    buffer->address = l->collecting ? lane_reg(l->b, 64, NULL) : l->slot_address[number];
    return true;
}

bool visa_buffer_of(struct visa_lower *l, const struct visa_operand *surface, struct visa_buffer *buffer)
{
    return visa_buffer_at(l, visa_get(l, surface).v, buffer);
}

struct lane_operand visa_handle_at(struct visa_lower *l, struct lane_operand index, char kind)
{
    uint32_t number;
    struct lane_operand words[3];
    if (!constant_of(l, index, &number)) {
        slot_load(l, index, words);
        return words[2];
    }
    if (number == VISA_BTI_SLM || number == VISA_BTI_STATELESS || number == VISA_BTI_BINDLESS ||
        number == VISA_BTI_BSS || number >= VISA_BTIS) {
        visa_stop(l, "not supported: texels of the reserved index %u", number);
        return none();
    }
    l->used.btis[number] = true;
    *(kind == 's' ? &l->used.sampled[number] : &l->used.typed[number]) = true;
    return l->collecting ? lane_reg(l->b, 64, NULL) : l->slot_handle[number];
}

struct lane_operand visa_handle_of(struct visa_lower *l, const struct visa_operand *surface, char kind)
{
    return visa_handle_at(l, visa_get(l, surface).v, kind);
}

/* ---- accesses -------------------------------------------------------------------------------------------------- */

/* An address of the buffer's space, and who of the channels may go there (LANE_NONE: all). */
struct place {
    struct lane_operand address, inside;
    int64_t offset;
};

/* How many offsets there are from which on `reach` bytes lie in the buffer: made at the start for each slot. */
static struct lane_operand limit_of(struct visa_lower *l, const struct visa_buffer *buffer, uint32_t reach)
{
    if (buffer->slot == VISA_BTIS) {
        struct lane_operand end = lane_imm(l->b, 64, reach - 1), zero = lane_imm(l->b, 64, 0);
        struct lane_operand fits = visa_compare(l, LANE_GT, LANE_U64, buffer->size, end);
        return visa_three(l, LANE_OP_selp, LANE_B64, visa_two(l, LANE_OP_sub, LANE_U64, buffer->size, end), zero, fits);
    }
    unsigned i = 0;
    while (i < l->nlimits && (l->limits[i].slot != buffer->slot || l->limits[i].reach != reach))
        i++;
    if (i == l->nlimits && !l->collecting)
        i = 0; /* there is no memory: the first pass has said so */
    if (i == l->nlimits) {
        struct visa_limit *limits = arena_append(l->arena, l->limits, l->nlimits, sizeof *limits);
        if (!limits) {
            l->failed = true;
            return lane_imm(l->b, 64, 0);
        }
        l->limits = limits;
        limits[l->nlimits++] = (struct visa_limit){.slot = buffer->slot, .reach = reach};
    }
    return l->collecting ? lane_reg(l->b, 64, NULL) : l->limits[i].reg;
}

static struct place place_of(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand offset,
                             uint32_t more, unsigned bytes)
{
    struct place p = {.address = offset, .inside = none(), .offset = (int64_t)more + buffer->from};
    if (buffer->space == LANE_SHARED)
        p.address = visa_two(l, LANE_OP_and, LANE_B32, offset, lane_imm(l->b, 32, SLM_BITS));
    if (!buffer->bounded)
        return p;
    struct lane_operand at = visa_cvt(l, LANE_U64, LANE_U32, offset);
    p.inside = visa_compare(l, LANE_LT, LANE_U64, at, limit_of(l, buffer, more + bytes));
    p.address = visa_two(l, LANE_OP_add, LANE_U64, buffer->address, at);
    return p;
}

/* Does the guard of an access say just that it lies in the buffer? */
static bool is_bounded(const struct lane_inst *inst, const struct place *p)
{
    return p->inside.kind == LANE_REG && inst->guard.kind == LANE_REG && inst->guard.index == p->inside.index &&
           !inst->guard_not;
}

static void set_access(struct visa_lower *l, struct lane_inst *inst, const struct visa_buffer *buffer,
                       const struct place *p, enum lane_type type)
{
    inst->aux = lane_access(l->b, &(struct lane_access){.space = buffer->space,
                                                        .type = (uint8_t)type,
                                                        .vec = 1,
                                                        .offset = p->offset,
                                                        .bounded = is_bounded(inst, p)});
}

struct lane_operand visa_memory_load(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand offset,
                                     uint32_t more, unsigned bytes)
{
    struct place p = place_of(l, buffer, offset, more, bytes);
    struct lane_operand d = lane_reg(l->b, 8 * bytes, NULL);
    unsigned whole = l->no_mask || l->scalar ? LANE_WHOLE : 0;
    bool zeros = p.inside.kind != LANE_NONE || (l->scalar && l->guard.kind != LANE_NONE);
    if (zeros) {
        struct lane_operand zero = lane_imm(l->b, 8 * bytes, 0);
        lane_emit(l->b, LANE_OP_mov, visa_bits_type(bytes), 1, &d, 1, &zero)->flags |= (uint16_t)whole;
    }
    struct lane_inst *inst;
    if (l->scalar) { /* all lanes load the same */
        struct lane_operand guard = l->guard;
        if (guard.kind != LANE_NONE && l->guard_not)
            guard = visa_one(l, LANE_OP_not, LANE_PRED, guard);
        guard = visa_and(l, guard, p.inside);
        inst = lane_emit(l->b, LANE_OP_ld, LANE_VOID, 1, &d, 1, &p.address);
        inst->guard = guard;
        inst->flags |= LANE_WHOLE;
    } else
        inst = visa_masked_if(l, p.inside, LANE_OP_ld, 1, &d, 1, &p.address);
    set_access(l, inst, buffer, &p, visa_bits_type(bytes));
    l->loaded = zeros ? UINT32_MAX : d.index;
    return d;
}

void visa_memory_store(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand offset,
                       uint32_t more, unsigned bytes, struct lane_operand value)
{
    struct place p = place_of(l, buffer, offset, more, bytes);
    struct lane_operand src[2] = {p.address, value};
    set_access(l, visa_masked_if(l, p.inside, LANE_OP_st, 0, NULL, 2, src), buffer, &p, visa_bits_type(bytes));
}

struct lane_operand visa_atomic_at(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand offset,
                                   uint32_t more, enum lane_atomic op, enum lane_type type, unsigned ndata,
                                   const struct lane_operand *data, bool wanted)
{
    unsigned bits = lane_type_bits(type);
    if (buffer->space == LANE_REGFILE) {
        visa_stop(l, "not supported: an atomic operation on scratch memory");
        return none();
    }
    struct place p = place_of(l, buffer, offset, more, bits / 8);
    struct lane_operand d = wanted ? lane_reg(l->b, bits, NULL) : none(), src[3] = {p.address};
    memcpy(src + 1, data, ndata * sizeof *data);
    if (wanted && p.inside.kind != LANE_NONE) {
        struct lane_operand zero = lane_imm(l->b, bits, 0);
        lane_emit(l->b, LANE_OP_mov, visa_bits_type(bits / 8), 1, &d, 1, &zero)->flags |=
            (uint16_t)(l->no_mask || l->scalar ? LANE_WHOLE : 0);
    }
    struct lane_inst *inst =
        visa_masked_if(l, p.inside, wanted ? LANE_OP_atom : LANE_OP_red, wanted, &d, 1 + ndata, src);
    inst->aux = lane_access(l->b, &(struct lane_access){.space = buffer->space,
                                                        .type = (uint8_t)type,
                                                        .vec = 1,
                                                        .atomic = (uint8_t)op,
                                                        .order = LANE_RELAXED,
                                                        .scope = LANE_SCOPE_GPU,
                                                        .offset = p.offset,
                                                        .bounded = is_bounded(inst, &p)});
    return wanted && l->scalar ? visa_broadcast(l, d, bits, l->first) : d;
}

/* ---- shapes of data -----------------------------------------------------------------------------------------------
 */

struct visa_value visa_uniform(struct visa_lower *l, const struct visa_operand *op)
{
    unsigned first = l->first, channels = l->channels;
    bool scalar = l->scalar;
    l->channels = 1;
    l->scalar = true;
    struct visa_value v = visa_source(l, op, false);
    l->first = first;
    l->channels = channels;
    l->scalar = scalar;
    return v;
}

void visa_as_block(struct visa_lower *l, unsigned count)
{
    l->first = 0;
    l->channels = count;
    l->no_mask = true;
    l->scalar = false;
    l->guard = none();
    l->guard_not = false;
}

unsigned visa_channels_of(uint64_t mask, uint8_t out[4])
{
    unsigned count = 0;
    for (uint8_t c = 0; c < 4; c++)
        if (mask >> c & 1)
            out[count++] = c;
    return count;
}

uint32_t visa_component(const struct visa_lower *l, unsigned bytes)
{
    uint32_t all = l->channels * bytes;
    return all < l->grf ? l->grf : all;
}

/* ---- gather and scatter by offsets --------------------------------------------------------------------------------
 */

/* The message's offset that all channels share, and each channel's. */
static struct lane_operand offset_of(struct visa_lower *l)
{
    struct lane_operand all = visa_convert(l, visa_uniform(l, visa_operand_in(l, "global")), VISA_UD, false).v;
    struct lane_operand own = visa_get_raw(l, visa_operand_in(l, "offsets"), 0, 4, 4);
    uint32_t constant;
    if (constant_of(l, all, &constant) && constant == 0)
        return own;
    return visa_two(l, LANE_OP_add, LANE_U32, own, all);
}

/* Elements of 1, 2, 4 bytes in dwords, of 8 in qwords; a dword's other bytes are 0 (named choice). */
void visa_gather_scaled(struct visa_lower *l, const struct visa_does *does)
{
    static const uint8_t types[5] = {0, LANE_U8, LANE_U16, 0, LANE_U32};
    struct visa_buffer buffer;
    unsigned bytes = 1u << (visa_number_in(l, "count") & 3);
    (void)does;
    if (!visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer))
        return;
    struct lane_operand v = visa_memory_load(l, &buffer, offset_of(l), 0, bytes);
    if (bytes < 4)
        v = visa_cvt(l, LANE_U32, types[bytes], v);
    visa_put_raw(l, visa_operand_in(l, "dst"), 0, bytes < 4 ? 4 : bytes, bytes < 4 ? 4 : bytes, v);
}

void visa_scatter_scaled(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_buffer buffer;
    unsigned bytes = 1u << (visa_number_in(l, "count") & 3);
    (void)does;
    if (!visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer))
        return;
    struct lane_operand at = offset_of(l);
    visa_memory_store(l, &buffer, at, 0, bytes,
                      visa_get_raw(l, visa_operand_in(l, "src"), 0, bytes, bytes < 4 ? 4 : bytes));
}

/* Dwords at offset, + 4, + 8, + 12 of the channels R, G, B, A that the mask has. */
static void gather4(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand at)
{
    uint8_t channels[4];
    unsigned count = visa_channels_of(visa_number_in(l, "channels"), channels);
    struct lane_operand v[4];
    for (unsigned i = 0; i < count; i++)
        v[i] = visa_memory_load(l, buffer, at, 4u * channels[i], 4);
    for (unsigned i = 0; i < count; i++)
        visa_put_raw(l, visa_operand_in(l, "dst"), i * visa_component(l, 4), 4, 4, v[i]);
}

static void scatter4(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand at)
{
    uint8_t channels[4];
    unsigned count = visa_channels_of(visa_number_in(l, "channels"), channels);
    for (unsigned i = 0; i < count; i++)
        visa_memory_store(l, buffer, at, 4u * channels[i], 4,
                          visa_get_raw(l, visa_operand_in(l, "src"), i * visa_component(l, 4), 4, 4));
}

void visa_gather4_scaled(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_buffer buffer;
    (void)does;
    if (visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer))
        gather4(l, &buffer, offset_of(l));
}

void visa_scatter4_scaled(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_buffer buffer;
    (void)does;
    if (visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer))
        scatter4(l, &buffer, offset_of(l));
}

/* The first gathers: offsets count elements; 8, 16 or 1 channels. mode 1: scatter. */
void visa_old_gather(struct visa_lower *l, const struct visa_does *does)
{
    static const uint8_t types[5] = {0, LANE_U8, LANE_U16, 0, LANE_U32};
    struct visa_buffer buffer;
    unsigned code = (unsigned)visa_number_in(l, "size") & 3, bytes = 1u << code,
             exec = (unsigned)visa_number_in(l, "exec");
    l->channels = (exec & 15) == 0 ? 8 : (exec & 15) == 1 ? 16 : 1;
    l->first = (exec >> 4 & 7) * 4;
    l->no_mask = exec >> 7 & 1;
    l->scalar = l->channels == 1;
    if (code > 2 || l->first + l->channels > 32) {
        visa_stop(l, "gather, scatter: elements or channels that there are not");
        return;
    }
    if (!visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer))
        return;
    struct lane_operand at = visa_two(l, LANE_OP_shl, LANE_B32, offset_of(l), lane_imm(l->b, 32, code));
    if (does->mode) {
        visa_memory_store(l, &buffer, at, 0, bytes, visa_get_raw(l, visa_operand_in(l, "src"), 0, bytes, 4));
        return;
    }
    struct lane_operand v = visa_memory_load(l, &buffer, at, 0, bytes);
    if (bytes < 4)
        v = visa_cvt(l, LANE_U32, types[bytes], v);
    visa_put_raw(l, visa_operand_in(l, "dst"), 0, 4, 4, v);
}

/* Qwords: element j of a channel 8 * j bytes on. mode 1: scatter. */
void visa_qw_gather(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_buffer buffer;
    unsigned count = 1u << (visa_number_in(l, "count") & 3);
    struct lane_operand v[8];
    if (!visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer))
        return;
    struct lane_operand at = visa_get_raw(l, visa_operand_in(l, "offsets"), 0, 4, 4);
    for (unsigned j = 0; j < count; j++)
        if (does->mode)
            visa_memory_store(l, &buffer, at, 8 * j, 8,
                              visa_get_raw(l, visa_operand_in(l, "src"), j * visa_component(l, 8), 8, 8));
        else
            v[j] = visa_memory_load(l, &buffer, at, 8 * j, 8);
    for (unsigned j = 0; j < count && !does->mode; j++)
        visa_put_raw(l, visa_operand_in(l, "dst"), j * visa_component(l, 8), 8, 8, v[j]);
}

/* ---- blocks of owords ----------------------------------------------------------------------------------------------
 */

/* `dwords` dwords from an address of all lanes on, 32 at a time. */
static void block(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand at, unsigned dwords,
                  const struct visa_operand *raw, bool store)
{
    bool wide = visa_is_flat(buffer);
    for (unsigned first = 0; first < dwords; first += 32) {
        visa_as_block(l, dwords - first < 32 ? dwords - first : 32);
        struct lane_operand own = visa_two(l, LANE_OP_shl, LANE_B32, l->laneid, lane_imm(l->b, 32, 2)), place;
        if (wide)
            place = visa_two(l, LANE_OP_add, LANE_U64, at, visa_cvt(l, LANE_U64, LANE_U32, own));
        else
            place = visa_two(l, LANE_OP_add, LANE_U32, at, own);
        if (store)
            visa_memory_store(l, buffer, place, 4 * first, 4, visa_get_raw(l, raw, 4 * first, 4, 4));
        else
            visa_put_raw(l, raw, 4 * first, 4, 4, visa_memory_load(l, buffer, place, 4 * first, 4));
    }
}

/* mode 1: the offset counts bytes. */
static void oword(struct visa_lower *l, bool bytes, bool store)
{
    struct visa_buffer buffer;
    unsigned dwords = 4u << (visa_number_in(l, "size") & 7);
    visa_as_block(l, 32);
    if (dwords > 64 || !visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer)) {
        if (dwords > 64)
            visa_stop(l, "a block of more than 16 owords");
        return;
    }
    struct lane_operand at = visa_convert(l, visa_uniform(l, visa_operand_in(l, "offset")), VISA_UD, false).v;
    if (!bytes)
        at = visa_two(l, LANE_OP_shl, LANE_B32, at, lane_imm(l->b, 32, 4));
    block(l, &buffer, at, dwords, visa_operand_in(l, store ? "src" : "dst"), store);
}

void visa_oword_ld(struct visa_lower *l, const struct visa_does *does)
{
    oword(l, does->mode, false);
}

void visa_oword_st(struct visa_lower *l, const struct visa_does *does)
{
    oword(l, does->mode, true);
}

/* mode 1: store. */
void visa_svm_block(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_buffer buffer = visa_flat(l);
    unsigned dwords = 4u << (visa_number_in(l, "size") & 7);
    visa_as_block(l, 32);
    if (dwords > 512) {
        visa_stop(l, "a block of more than 128 owords");
        return;
    }
    struct lane_operand at = visa_convert(l, visa_uniform(l, visa_operand_in(l, "address")), VISA_UQ, false).v;
    block(l, &buffer, at, dwords, visa_operand_in(l, does->mode ? "src" : "dst"), does->mode);
}

/* ---- shared virtual memory -----------------------------------------------------------------------------------------
 */

/* Blocks of 1, 4, 8 bytes, `count` of them one after the other: blocks of 4 and 8 each in registers of their own, those
 * of 1 side by side in dwords. */
static void svm_blocks(struct visa_lower *l, bool store)
{
    struct visa_buffer buffer = visa_flat(l);
    static const uint8_t sizes[4] = {1, 4, 8, 8};
    unsigned bytes = sizes[visa_number_in(l, "block") & 3], count = 1u << (visa_number_in(l, "count") & 3);
    const struct visa_operand *raw = visa_operand_in(l, store ? "src" : "dst");
    struct lane_operand at = visa_get_raw(l, visa_operand_in(l, "address"), 0, 8, 8), v[8];
    unsigned step = count < 4 ? 4 : count;
    for (unsigned j = 0; j < count; j++) {
        uint32_t from = bytes == 1 ? j : j * visa_component(l, bytes);
        if (store)
            visa_memory_store(l, &buffer, at, j * bytes, bytes,
                              visa_get_raw(l, raw, from, bytes, bytes == 1 ? step : bytes));
        else
            v[j] = visa_memory_load(l, &buffer, at, j * bytes, bytes);
    }
    for (unsigned j = 0; j < count && !store; j++)
        visa_put_raw(l, raw, bytes == 1 ? j : j * visa_component(l, bytes), bytes, bytes == 1 ? step : bytes, v[j]);
}

void visa_svm_gather(struct visa_lower *l, const struct visa_does *does)
{
    (void)does;
    svm_blocks(l, false);
}

void visa_svm_scatter(struct visa_lower *l, const struct visa_does *does)
{
    (void)does;
    svm_blocks(l, true);
}

/* base + offsets[i], all of 64 bits. mode 1: scatter. */
void visa_svm_gather4(struct visa_lower *l, const struct visa_does *does)
{
    struct visa_buffer buffer = visa_flat(l);
    struct lane_operand base = visa_convert(l, visa_uniform(l, visa_operand_in(l, "base")), VISA_UQ, false).v;
    struct lane_operand own = visa_get_raw(l, visa_operand_in(l, "offsets"), 0, 8, 8);
    struct lane_operand at = visa_two(l, LANE_OP_add, LANE_U64, own, base);
    if (does->mode)
        scatter4(l, &buffer, at);
    else
        gather4(l, &buffer, at);
}

/* ---- rectangles of bytes
 * --------------------------------------------------------------------------------------------- */

/* Rows of a rectangle lie in registers at a pitch of the next power of two, at least 4 bytes. mode 1: write. */
void visa_media(struct visa_lower *l, const struct visa_does *does)
{
    unsigned width = (unsigned)visa_number_in(l, "width"), height = (unsigned)visa_number_in(l, "height"), pitch = 4;
    const struct visa_operand *raw = visa_operand_in(l, does->mode ? "src" : "dst");
    while (pitch < width)
        pitch *= 2;
    if (!width || !height || width > 64 || pitch * height > 4096) {
        visa_stop(l, "a rectangle of %u x %u bytes", width, height);
        return;
    }
    visa_as_block(l, 32);
    struct lane_operand handle = visa_handle_of(l, visa_operand_in(l, "surface"), 't');
    if (handle.kind == LANE_NONE)
        return;
    struct lane_operand x = visa_convert(l, visa_uniform(l, visa_operand_in(l, "x")), VISA_D, false).v;
    struct lane_operand y = visa_convert(l, visa_uniform(l, visa_operand_in(l, "y")), VISA_D, false).v;
    for (unsigned row = 0; row < height; row++)
        for (unsigned first = 0; first < width; first += 32) {
            visa_as_block(l, width - first < 32 ? width - first : 32);
            struct lane_operand at = visa_two(l, LANE_OP_add, LANE_S32, x, lane_imm(l->b, 32, first));
            struct lane_operand src[4] = {handle, visa_two(l, LANE_OP_add, LANE_S32, at, l->laneid),
                                          visa_two(l, LANE_OP_add, LANE_S32, y, lane_imm(l->b, 32, row))};
            struct lane_access access = {.space = LANE_SURFACE,
                                         .type = LANE_B8,
                                         .vec = 1,
                                         .dim = LANE_DIM_2D,
                                         .clamp = LANE_CLAMP_ZERO,
                                         .unit = LANE_UNIT_BYTE};
            if (does->mode) {
                src[3] = visa_get_raw(l, raw, row * pitch + first, 1, 1);
                uint32_t aux = lane_access(l->b, &access);
                visa_masked(l, LANE_OP_sust, 0, NULL, 4, src)->aux = aux;
                continue;
            }
            struct lane_operand d = lane_reg(l->b, 8, NULL);
            uint32_t aux = lane_access(l->b, &access);
            visa_masked(l, LANE_OP_suld, 1, &d, 3, src)->aux = aux;
            visa_put_raw(l, raw, row * pitch + first, 1, 1, d);
        }
}

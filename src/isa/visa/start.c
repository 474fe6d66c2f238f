/* What a vISA kernel finds when it starts: registers that do not change, inputs, r0. Source: docs/visa.md, "Running".
 */
#include "isa/visa/memory.h"
#include "mem/sampler.h"

#include <string.h>

/* ---- small helpers: everything here is for the whole warp ------------------------------------------------------- */

static struct lane_operand emit_one(struct visa_lower *l, enum lane_op op, enum lane_type type, unsigned bits,
                                    unsigned nsrc, const struct lane_operand *src)
{
    return visa_pure(l, op, type, bits, nsrc, src);
}

static struct lane_operand sreg(struct visa_lower *l, enum lane_sreg which)
{
    struct lane_operand d = emit_one(l, LANE_OP_sreg, LANE_B32, 32, 0, NULL);
    visa_last(l)->mode = (uint8_t)which;
    return d;
}

static struct lane_operand imm(struct visa_lower *l, uint32_t value)
{
    return lane_imm(l->b, 32, value);
}

static struct lane_operand load(struct visa_lower *l, enum lane_space space, enum lane_type type,
                                struct lane_operand address, int64_t offset, struct lane_operand guard)
{
    struct lane_operand d = lane_reg(l->b, lane_type_bits(type), NULL);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_ld, LANE_VOID, 1, &d, 1, &address);
    inst->aux = lane_access(
        l->b, &(struct lane_access){.space = (uint8_t)space, .type = (uint8_t)type, .vec = 1, .offset = offset});
    inst->flags |= LANE_WHOLE;
    inst->guard = guard;
    return d;
}

static void file_store(struct visa_lower *l, enum lane_type type, struct lane_operand address, int64_t offset,
                       struct lane_operand value, struct lane_operand guard)
{
    struct lane_inst *inst =
        lane_emit(l->b, LANE_OP_st, LANE_VOID, 0, NULL, 2, (struct lane_operand[]){address, value});
    inst->aux = lane_access(
        l->b, &(struct lane_access){.space = LANE_REGFILE, .type = (uint8_t)type, .vec = 1, .offset = offset});
    inst->flags |= LANE_WHOLE;
    inst->guard = guard;
}

static struct lane_operand none(void)
{
    return (struct lane_operand){LANE_NONE, 0};
}

/* Values that nothing else needs: the instruction that made one, if it was the last, writes it there. */
static void move(struct visa_lower *l, struct lane_operand reg, unsigned bytes, struct lane_operand value)
{
    struct lane_func *f = l->b->func;
    struct lane_inst *last = visa_last(l);
    if (!l->b->failed && value.kind == LANE_REG && value.index == f->nregs - 1 && last->op == LANE_OP_sreg &&
        f->operands[last->first].index == value.index) {
        f->operands[last->first] = reg;
        f->nregs--;
        return;
    }
    lane_emit(l->b, LANE_OP_mov, visa_bits_type(bytes), 1, &reg, 1, &value)->flags |= LANE_WHOLE;
}

/* laneid - first */
static struct lane_operand index_from(struct visa_lower *l, unsigned first)
{
    return first ? visa_two(l, LANE_OP_sub, LANE_U32, l->laneid, imm(l, first)) : l->laneid;
}

static struct lane_operand in_range(struct visa_lower *l, unsigned first, unsigned count)
{
    return visa_compare(l, LANE_LT, LANE_U32, index_from(l, first), imm(l, count));
}

/* ---- ranges, patterns, slots ----------------------------------------------------------------------------------------
 */

static unsigned log2_of(unsigned n)
{
    return (unsigned)__builtin_ctz(n);
}

/* ((i / width) * vertical + (i % width) * horizontal) * bytes, 0 in other lanes. */
static void pattern_make(struct visa_lower *l, struct visa_pattern *p)
{
    struct lane_operand i = index_from(l, p->first), row = i, sum;
    if (p->width > 1)
        row = visa_two(l, LANE_OP_shr, LANE_U32, i, imm(l, log2_of(p->width)));
    sum = visa_two(l, LANE_OP_mul, LANE_U32, row, imm(l, (uint32_t)p->vertical * p->bytes));
    if (p->width > 1 && p->horizontal) {
        struct lane_operand column = visa_two(l, LANE_OP_and, LANE_B32, i, imm(l, p->width - 1u));
        column = visa_two(l, LANE_OP_mul, LANE_U32, column, imm(l, (uint32_t)p->horizontal * p->bytes));
        sum = visa_two(l, LANE_OP_add, LANE_U32, sum, column);
    }
    p->reg = visa_three(l, LANE_OP_selp, LANE_B32, sum, imm(l, 0), in_range(l, p->first, p->count));
}

static void slots_make(struct visa_lower *l)
{
    for (unsigned i = 0; i < VISA_BTIS; i++) {
        uint32_t at = l->launch.bti_at[i];
        if (!l->used.btis[i] || at == VISA_NOT_NAMED)
            continue;
        if (l->used.buffer[i]) {
            struct lane_operand words[2] = {load(l, LANE_PARAM, LANE_B64, imm(l, 0), at, none()),
                                            load(l, LANE_PARAM, LANE_B64, imm(l, 0), at + 8, none())};
            visa_slot_bound(l, words);
            l->slot_address[i] = words[0];
            l->slot_size[i] = words[1];
        }
        if (l->used.typed[i] || l->used.sampled[i])
            l->slot_handle[i] = load(l, LANE_PARAM, LANE_B64, imm(l, 0), at + 16, none());
    }
    for (unsigned i = 0; i < VISA_SAMPLERS; i++) {
        uint32_t at = l->launch.sampler_at[i];
        if (!l->used.samplers[i] || at == VISA_NOT_NAMED)
            continue;
        l->sampler_state[i][0] = load(l, LANE_PARAM, LANE_B64, imm(l, 0), at, none());
        l->sampler_state[i][1] = load(l, LANE_PARAM, LANE_B64, imm(l, 0), at + 8, none());
    }
}

static void limits_make(struct visa_lower *l)
{
    for (uint32_t i = 0; i < l->nlimits; i++) {
        struct lane_operand size = l->slot_size[l->limits[i].slot], end = lane_imm(l->b, 64, l->limits[i].reach - 1);
        struct lane_operand fits = visa_compare(l, LANE_GT, LANE_U64, size, end);
        l->limits[i].reg = visa_three(l, LANE_OP_selp, LANE_B64, visa_two(l, LANE_OP_sub, LANE_U64, size, end),
                                      lane_imm(l->b, 64, 0), fits);
    }
}

/* ---- bytes into variables --------------------------------------------------------------------------------------- */

/* Bytes of a space, of which `at` is byte 0 of the root. */
struct bytes {
    enum lane_space space;
    int64_t at;
    int32_t low, high; /* the root's bytes that there are */
};

/* Each lane its element; of a register that other variables share those of its own channels. */
static void lanes_fill(struct visa_lower *l, const struct visa_part *part, const struct bytes *from)
{
    struct lane_operand at = visa_two(l, LANE_OP_mul, LANE_U32, l->laneid, imm(l, (uint32_t)part->stride));
    struct lane_operand guard = in_range(l, part->first, part->end - part->first);
    struct lane_operand v = load(l, from->space, visa_bits_type(part->bytes), at, from->at + part->base, guard);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_mov, visa_bits_type(part->bytes), 1, &part->reg, 1, &v);
    inst->flags |= LANE_WHOLE;
    if (part->lanes & ~visa_mask(part->first, part->end - part->first))
        inst->guard = guard;
}

/* 32 elements at a time. */
static void file_fill(struct visa_lower *l, const struct visa_root *root, int32_t low, int32_t high,
                      const struct bytes *from)
{
    unsigned unit = (high - low) % 4 || low % 4 ? 1 : 4, step = 32 * unit;
    struct lane_operand at = visa_two(l, LANE_OP_mul, LANE_U32, l->laneid, imm(l, unit));
    for (int32_t x = low; x < high; x += (int32_t)step) {
        unsigned count = (unsigned)(high - x) < step ? (unsigned)(high - x) / unit : 32;
        struct lane_operand guard = in_range(l, 0, count);
        struct lane_operand v = load(l, from->space, visa_bits_type(unit), at, from->at + x, guard);
        file_store(l, visa_bits_type(unit), at, (int64_t)root->file_at + x, v, guard);
    }
}

static void root_fill(struct visa_lower *l, const struct visa_root *root, const struct bytes *from)
{
    for (uint32_t i = 0; i < root->nparts; i++) {
        const struct visa_part *part = &root->parts[i];
        int32_t low = part->low > from->low ? part->low : from->low;
        int32_t high = part->high < from->high ? part->high : from->high;
        if (low >= high)
            continue;
        if (part->place == VISA_IN_SCALAR)
            move(l, part->reg, part->bytes,
                 load(l, from->space, visa_bits_type(part->bytes), imm(l, 0), from->at + part->low, none()));
        else if (part->place == VISA_IN_LANES)
            lanes_fill(l, part, from);
        else
            file_fill(l, root, low, high, from);
    }
    if (root->addressed && !root->nparts) /* seen by address alone */
        file_fill(l, root, from->low, from->high, from);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* The register that holds local ids and nothing else; NULL: they lie otherwise. */
static struct visa_part *ids_part(struct visa_lower *l, uint32_t input)
{
    const struct visa_home *home = &l->launch.inputs[input];
    int32_t at;
    uint32_t id = visa_home_root(l->object, l->object->inputs[input].id, &at);
    struct visa_touch t = {.root = id, .at = at, .low = at, .bytes = 2, .first = home->first, .stride = 2};
    if (home->kind != VISA_HOME_LOCAL_ID || !l->roots[id].nparts)
        return NULL;
    struct visa_part *part = visa_home_find(l, &t);
    return part->place == VISA_IN_LANES && part->bytes == 2 ? part : NULL;
}

/* Lanes of a register that get the local ids of an axis. */
static uint32_t ids_lanes(struct visa_lower *l, struct lane_operand reg, unsigned axis)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < l->object->ninputs; i++) {
        const struct visa_home *home = &l->launch.inputs[i];
        const struct visa_part *part = ids_part(l, i);
        if (part && part->reg.index == reg.index && home->axis == axis)
            lanes |= visa_mask(home->first, visa_ids_count(l, home));
    }
    return lanes;
}

static void local_ids(struct visa_lower *l, uint32_t number)
{
    static const uint8_t axes[3] = {LANE_SREG_TID_X, LANE_SREG_TID_Y, LANE_SREG_TID_Z};
    const struct visa_input *input = &l->object->inputs[number];
    const struct visa_home *home = &l->launch.inputs[number];
    struct visa_operand op = {.class = VISA_RAW, .id = input->id};
    const struct visa_part *part = ids_part(l, number);
    bool alone = part && !(part->lanes & ~ids_lanes(l, part->reg, home->axis));
    int32_t at;
    if (!l->roots[visa_home_root(l->object, input->id, &at)].nparts)
        return; /* nobody reads them */
    for (uint32_t i = 0; alone && i < number; i++) {
        const struct visa_part *before = ids_part(l, i);
        if (before && before->reg.index == part->reg.index)
            return;
    }
    struct lane_operand id = sreg(l, axes[home->axis % 3]);
    if (alone) { /* the first of the halves that share it writes it for all */
        struct lane_inst *inst = lane_emit(l->b, LANE_OP_cvt, LANE_U16, 1, &part->reg, 1, &id);
        inst->type2 = LANE_U32;
        inst->flags |= LANE_WHOLE;
        return;
    }
    l->first = home->first;
    l->channels = visa_ids_count(l, home);
    l->no_mask = true;
    visa_put_raw(l, &op, 0, 2, 2, visa_cvt(l, LANE_U16, LANE_U32, id));
    l->first = 0;
    l->channels = 32;
}

/* What OpenCL's runtime tells of a sampler: its addressing mode as Intel's compiler numbers them (none 0, clamp 1, edge
 * 2, repeat 3, mirrored 4), 8 where it is normalized, all ones where it takes the nearest texel and has a border. */
static struct lane_operand sampler_word(struct visa_lower *l, const struct visa_home *home)
{
    /* bytes of src/mem/sampler.h: 1 filter, 3 normalized, 5 wrap; numbers of modes by enum sampler_wrap, 4 bits each */
    struct lane_operand modes = imm(l, 0x01243), low = load(l, LANE_PARAM, LANE_B32, imm(l, 0), home->at, none()),
                        wrap = load(l, LANE_PARAM, LANE_U8, imm(l, 0), home->at + 5, none()), p;
    wrap = visa_cvt(l, LANE_U32, LANE_U8, wrap);
    if (home->axis == VISA_SAMPLER_NORMALIZED)
        return visa_two(l, LANE_OP_shl, LANE_B32, visa_two(l, LANE_OP_shr, LANE_U32, low, imm(l, 24)), imm(l, 3));
    if (home->axis == VISA_SAMPLER_ADDRESS) {
        modes = visa_two(l, LANE_OP_shr, LANE_U32, modes, visa_two(l, LANE_OP_shl, LANE_B32, wrap, imm(l, 2)));
        return visa_two(l, LANE_OP_and, LANE_B32, modes, imm(l, 15));
    }
    low = visa_two(l, LANE_OP_and, LANE_B32, low, imm(l, 0xff00)); /* 0: SAMPLER_NEAREST */
    low = visa_two(l, LANE_OP_or, LANE_B32, low, wrap);
    p = visa_compare(l, LANE_EQ, LANE_U32, low, imm(l, SAMPLER_NEAREST << 8 | SAMPLER_BORDER));
    return visa_three(l, LANE_OP_selp, LANE_B32, imm(l, UINT32_MAX), imm(l, 0), p);
}

static void sampler_fill(struct visa_lower *l, const struct visa_input *input, const struct visa_home *home)
{
    struct visa_operand op = {.class = VISA_RAW, .id = input->id};
    struct lane_operand v = sampler_word(l, home);
    l->channels = 1;
    l->scalar = true;
    visa_put_raw(l, &op, 0, 4, 4, v);
    l->scalar = false;
    l->channels = 32;
}

static void input_fill(struct visa_lower *l, uint32_t number)
{
    const struct visa_input *input = &l->object->inputs[number];
    const struct visa_home *home = &l->launch.inputs[number];
    int32_t at;
    if (home->kind == VISA_HOME_LOCAL_ID)
        local_ids(l, number);
    if (home->kind == VISA_HOME_SAMPLER)
        sampler_fill(l, input, home);
    if (home->kind != VISA_HOME_BYTES)
        return;
    const struct visa_root *root = &l->roots[visa_home_root(l->object, input->id, &at)];
    struct bytes from = {LANE_PARAM, (int64_t)home->at - at, at, at + input->size};
    if (from.high > (int32_t)root->bytes)
        from.high = (int32_t)root->bytes;
    root_fill(l, root, &from);
}

/* ---- r0 and its like -----------------------------------------------------------------------------------------------
 */

/* The number of a hardware thread as sr0.0 has it: bits 3 and 6 are 0, the thread's number lies around them. */
static struct lane_operand thread_number(struct visa_lower *l)
{
    struct lane_operand n = sreg(l, LANE_SREG_CTAID_Z), low, high;
    if (l->launch.private_base) /* each thread's private memory begins at the one base */
        return imm(l, 0);
    n = visa_three(l, LANE_OP_mad, LANE_U32, n, sreg(l, LANE_SREG_NCTAID_Y), sreg(l, LANE_SREG_CTAID_Y));
    n = visa_three(l, LANE_OP_mad, LANE_U32, n, sreg(l, LANE_SREG_NCTAID_X), sreg(l, LANE_SREG_CTAID_X));
    n = visa_three(l, LANE_OP_mad, LANE_U32, n, sreg(l, LANE_SREG_NWARPID), sreg(l, LANE_SREG_WARPID));
    for (unsigned bit = 3; bit <= 6; bit += 3) {
        low = visa_two(l, LANE_OP_and, LANE_B32, n, imm(l, (1u << bit) - 1));
        high = visa_two(l, LANE_OP_shl, LANE_B32, visa_two(l, LANE_OP_shr, LANE_U32, n, imm(l, bit)), imm(l, bit + 1));
        n = visa_two(l, LANE_OP_or, LANE_B32, low, high);
    }
    return visa_two(l, LANE_OP_and, LANE_B32, n, imm(l, 0x3FFF));
}

static struct lane_operand dispatch_mask(struct visa_lower *l)
{
    struct lane_operand p = lane_reg(l->b, 1, NULL), yes = lane_imm(l->b, 1, 1), d = lane_reg(l->b, 32, NULL);
    lane_emit(l->b, LANE_OP_mov, LANE_PRED, 1, &p, 1, &yes); /* not of the whole warp: those that run */
    struct lane_operand src[2] = {p, imm(l, UINT32_MAX)};
    lane_emit(l->b, LANE_OP_ballot, LANE_VOID, 1, &d, 2, src)->flags |= LANE_WHOLE;
    return d;
}

/* A dword of r0 or sr0. */
static struct lane_operand predefined_word(struct visa_lower *l, uint32_t id, unsigned number)
{
    static const uint8_t of_r0[8] = {
        [1] = LANE_SREG_CTAID_X, [2] = LANE_SREG_WARPID, [6] = LANE_SREG_CTAID_Y, [7] = LANE_SREG_CTAID_Z};
    if (id == VISA_SR0)
        return number == 0 ? thread_number(l) : number == 2 ? dispatch_mask(l) : imm(l, 0);
    return number < 8 && of_r0[number] ? sreg(l, of_r0[number]) : imm(l, 0);
}

/* A part of at most 8 bytes, from the words that it lies in. */
static void scalar_from_words(struct visa_lower *l, uint32_t id, const struct visa_part *part)
{
    unsigned first = (unsigned)part->low / 4, shift = 8 * ((unsigned)part->low % 4);
    struct lane_operand two[2] = {predefined_word(l, id, first)};
    if (part->bytes == 4 && shift == 0) {
        move(l, part->reg, 4, two[0]);
        return;
    }
    two[1] = predefined_word(l, id, first + 1);
    struct lane_operand v = emit_one(l, LANE_OP_pack, LANE_B64, 64, 2, two);
    visa_last(l)->type2 = LANE_B32;
    if (shift)
        v = visa_two(l, LANE_OP_shr, LANE_B64, v, imm(l, shift));
    static const uint8_t types[9] = {0, LANE_U8, LANE_U16, 0, LANE_U32};
    if (part->bytes < 8)
        v = visa_cvt(l, types[part->bytes], LANE_U64, v);
    move(l, part->reg, part->bytes, v);
}

static void predefined_fill(struct visa_lower *l, uint32_t id)
{
    const struct visa_root *root = &l->roots[id];
    for (unsigned i = 0; root->filed && i < root->bytes / 4; i++)
        file_store(l, LANE_B32, imm(l, 0), root->file_at + 4 * i, predefined_word(l, id, i), none());
    for (uint32_t i = 0; i < root->nparts; i++)
        if (root->parts[i].place == VISA_IN_SCALAR)
            scalar_from_words(l, id, &root->parts[i]);
}

/* ---- all of it
 * --------------------------------------------------------------------------------------------------------- */

void visa_start(struct visa_lower *l)
{
    static const uint8_t predefined[] = {VISA_R0, VISA_SR0};
    l->first = 0;
    l->channels = 32;
    l->members = 1;
    l->no_mask = true;
    l->scalar = false;
    l->guard = none();
    l->guard_not = false;
    l->laneid = sreg(l, LANE_SREG_LANEID);
    visa_home_begin(l);
    for (unsigned first = 0; first < 32; first++)
        for (unsigned count = 0; first + count <= 32; count++)
            if (l->ranges[first][count].asked)
                l->ranges[first][count].pred = in_range(l, first, count);
    for (unsigned i = 0; i < l->npatterns; i++)
        pattern_make(l, &l->patterns[i]);
    slots_make(l);
    limits_make(l);
    for (unsigned i = 0; i < sizeof predefined; i++)
        predefined_fill(l, predefined[i]);
    for (uint32_t i = 0; i < l->object->ninputs; i++)
        input_fill(l, i);
}

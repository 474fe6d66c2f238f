/* The value check: results that are no numbers, or not those of the source. */
#include "tap/value.h"

#include "atoll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void value_tell(const struct value *value, const struct value_fault *fault, const struct tap_step *step, uint32_t site,
                uint32_t lanes)
{
    const struct value_slot *slot = &value->slots[step->slot];
    const struct tap_finding finding = {
        .check = "value",
        .cause = fault->cause,
        .why = fault->why,
        .does = fault->does,
        .now = {.site = site,
                .block = slot->block.number,
                .thread = tap_thread(slot->block.warp_lanes, step->warp, (unsigned)__builtin_ctz(lanes))},
        .before = {.site = TAP_NO_SITE},
    };
    value->launch->engine->found(value->launch->engine->self, &finding);
}

static const struct value_fault zero = {"division-by-zero", "divides by zero", NULL,
                                        "an integer divided by zero is not defined"};
static const struct value_fault shift = {"shift", "shifts", NULL,
                                         "by as many bits as the value has, or more, and what comes of it is used"};
static const struct value_fault born = {"nan", "makes a NaN", NULL, "of operands that are none, and uses it"};
static const struct value_fault clamps = {"clamped-conversion", "converts to an integer", NULL,
                                          "a float that has none there, and uses what comes of it"};

/* ---- integers ---------------------------------------------------------------------------------------------------- */

/* Lanes whose bytes of a row are all zero. */
static uint32_t zeros(const void *row, unsigned bytes)
{
    static const unsigned char nothing[8];
    uint32_t lanes = 0;
    for (unsigned l = 0; row && l < LANES; l++)
        lanes |= (uint32_t)(memcmp((const char *)row + (size_t)l * bytes, nothing, bytes) == 0) << l;
    return lanes;
}

static void division(const struct value *value, const struct tap_step *step)
{
    unsigned bytes = lane_type_bits(step->inst->type) / 8;
    uint32_t lanes = zeros(value_row(value, step, step->inst->ndst + 1u), bytes) & step->lanes;
    if (lanes)
        value_tell(value, &zero, step, step->site, lanes);
}

static uint32_t beyond(const uint32_t *by, uint32_t most)
{
    uint32_t lanes = 0;
    for (unsigned l = 0; l < LANES; l++)
        lanes |= (uint32_t)(by[l] > most) << l;
    return lanes;
}

static void shifted(struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    const uint32_t *by = value_row(value, step, step->inst->ndst + 1u);
    uint32_t bits = lane_type_bits(step->inst->type), any = 0;
    for (unsigned l = 0; by && l < LANES; l++)
        any |= by[l] >= bits;
    if (!any || !(beyond(by, bits - 1) & step->lanes))
        return;
    uint32_t lanes = beyond(by, value_shift_most(value, step)) & step->lanes;
    if (lanes)
        marks_add(&warp->marks, step, 0, lanes, &shift);
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

static uint32_t nans16(const uint16_t *row, unsigned most, unsigned each)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < each * LANES; i++)
        lanes |= (uint32_t)((uint16_t)(row[i] << 1) > most) << i / each;
    return lanes;
}

static uint32_t nans32(const uint32_t *row)
{
    uint32_t any = 0, lanes = 0;
    for (unsigned l = 0; l < LANES; l++)
        any |= row[l] << 1 > UINT32_C(0xff000000);
    for (unsigned l = 0; any && l < LANES; l++)
        lanes |= (uint32_t)(row[l] << 1 > UINT32_C(0xff000000)) << l;
    return lanes;
}

static uint32_t nans64(const uint64_t *row)
{
    uint32_t lanes = 0;
    for (unsigned l = 0; l < LANES; l++)
        lanes |= (uint32_t)(row[l] << 1 > UINT64_C(0xffe0000000000000)) << l;
    return lanes;
}

/* Lanes that have a NaN in a row of this type. */
static uint32_t nans(const void *row, unsigned type)
{
    enum { HALF = 0xf800, BRAIN = 0xff00 };
    if (!row)
        return 0;
    switch (type) {
    case LANE_F32:
        return nans32(row);
    case LANE_F64:
        return nans64(row);
    case LANE_F16:
        return nans16(row, HALF, 1);
    case LANE_BF16:
        return nans16(row, BRAIN, 1);
    case LANE_F16X2:
        return nans16(row, HALF, 2);
    case LANE_BF16X2:
        return nans16(row, BRAIN, 2);
    default:
        return 0;
    }
}

/* The results of the last operation that makes NaNs of numbers: no other instruction has run since. */
static void look_back(struct value *value)
{
    const struct tap_step *step = &value->pending;
    const struct lane_inst *inst = step->inst;
    struct value_slot *slot = &value->slots[step->slot];
    uint32_t lanes = nans(value_row(value, step, 0), inst->type) & step->lanes;
    for (unsigned s = 0; lanes && s < inst->nsrc; s++)
        lanes &= ~value->sources[s];
    if (lanes)
        marks_add(&slot->warps[step->warp].marks, step, 0, lanes, &born);
    value->pending.lanes = 0;
}

static void look_forward(struct value *value, const struct tap_step *step)
{
    unsigned nsrc = step->inst->nsrc < VALUE_SOURCES ? step->inst->nsrc : VALUE_SOURCES;
    value->pending = *step;
    for (unsigned s = 0; s < nsrc; s++) /* the result may take the place of one */
        value->sources[s] = nans(value_row(value, step, step->inst->ndst + s), step->inst->type);
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

static double float_of(const void *row, unsigned type, unsigned lane)
{
    float f;
    double d;
    if (type == LANE_F32) {
        memcpy(&f, (const char *)row + lane * sizeof f, sizeof f);
        return f;
    }
    memcpy(&d, (const char *)row + lane * sizeof d, sizeof d);
    return d;
}

static double rounded(double x, unsigned round)
{
    switch (round) {
    case LANE_RMI:
        return floor(x);
    case LANE_RPI:
        return ceil(x);
    case LANE_RNI:
        return nearbyint(x);
    default:
        return trunc(x);
    }
}

static bool is_integer(unsigned type)
{
    return type >= LANE_U8 && type <= LANE_S64;
}

/* Of floats of 16 bits nothing is beyond 32 bits. */
static void converted(const struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    const struct lane_inst *inst = step->inst;
    const void *row = value_row(value, step, inst->ndst);
    bool wants = (inst->type2 == LANE_F32 || inst->type2 == LANE_F64) && is_integer(inst->type) && row;
    if (!wants || inst->flags & LANE_SAT) /* .sat asks for it */
        return;
    unsigned bits = lane_type_bits(inst->type), sign = lane_type_signed(inst->type);
    double past = ldexp(1, (int)(bits - sign)), least = sign ? -past : 0;
    uint32_t lanes = 0;
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        double x = rounded(float_of(row, inst->type2, lane), inst->round);
        lanes |= (uint32_t) !(x >= least && x < past) << lane;
    }
    if (lanes)
        marks_add(&warp->marks, step, 0, lanes, &clamps);
}

/* Lanes for which nothing of a number is left in what is made of it: a NaN beside it makes one of it, as it would
 * whatever the number was, and one or two of its bits select something, as quadrants do in sines. */
static uint32_t drowned(const struct value *value, const struct tap_step *step)
{
    enum { FEW = 2 };
    const struct lane_inst *inst = step->inst;
    uint32_t lanes = 0;
    for (unsigned s = 0; lane_is(inst->op, LANE_MAKES_NAN) && s < inst->nsrc; s++)
        lanes |= nans(value_row(value, step, inst->ndst + s), inst->type);
    for (unsigned s = 0; inst->op == LANE_OP_and && s < inst->nsrc; s++) {
        struct lane_operand operand = tap_operand(step, inst->ndst + s);
        if (operand.kind == LANE_CONST && __builtin_popcountll(step->func->consts[operand.index].lo) <= FEW)
            lanes = UINT32_MAX;
    }
    return lanes & step->lanes;
}

/* Lanes whose NaN ends here (PTX ISA, "cvt", "add": with .sat, NaN results are flushed to +0.0). */
static uint32_t flushed(const struct value *value, const struct tap_step *step)
{
    const struct lane_inst *inst = step->inst;
    bool converts = inst->op == LANE_OP_cvt;
    uint32_t lanes = 0;
    if (!(inst->flags & LANE_SAT) || !lane_type_float((enum lane_type)inst->type) ||
        !(converts || lane_is(inst->op, LANE_MAKES_NAN)))
        return 0;
    for (unsigned s = 0; s < inst->nsrc; s++)
        lanes |= nans(value_row(value, step, inst->ndst + s), converts ? inst->type2 : inst->type);
    return lanes & step->lanes;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static void used(void *state, const struct tap_step *step, const struct mark *mark, uint32_t lanes)
{
    value_tell(state, mark->what, step, mark->site, lanes);
}

static void look(struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    const struct lane_inst *inst = step->inst;
    bool lockstep = value->launch->lockstep;
    switch (inst->op) {
    case LANE_OP_div:
    case LANE_OP_rem:
        if (!lane_type_float(inst->type))
            division(value, step);
        break;
    case LANE_OP_shl:
    case LANE_OP_shr:
        if (!lockstep)
            shifted(value, warp, step);
        break;
    case LANE_OP_cvt:
        if (!lockstep)
            converted(value, warp, step);
        break;
    default:
        break;
    }
    if (!lockstep && lane_is(inst->op, LANE_MAKES_NAN) && lane_type_float(inst->type))
        look_forward(value, step);
}

static bool step(void *state, const struct tap_step *event)
{
    struct value *value = state;
    struct value_warp *warp = &value->slots[event->slot].warps[event->warp];
    if (value->pending.lanes)
        look_back(value);
    if (event->waits || !event->lanes)
        return true;
    if (warp->marks.count) {
        marks_step(&warp->marks, event, value->launch->engine, &(struct mark_user){used, state, &born});
        if (warp->marks.count && lane_is(event->inst->op, LANE_PURE)) {
            marks_drop(&warp->marks, event, drowned(value, event), &clamps);
            marks_drop(&warp->marks, event, flushed(value, event), &born);
        }
    }
    value_flow(value, warp, event);
    if (lane_is(event->inst->op, LANE_PURE))
        look(value, warp, event);
    return true;
}

static bool call(void *state, const struct tap_call *event)
{
    struct value *value = state;
    struct value_warp *warp = &value->slots[event->slot].warps[event->warp];
    marks_call(&warp->marks, event);
    value_flow_call(warp, event);
    return true;
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

static bool block(void *state, const struct tap_block *event)
{
    struct value *value = state;
    struct value_slot *slot = &value->slots[event->slot];
    uint32_t count = (event->threads + event->warp_lanes - 1) / event->warp_lanes;
    slot->block = *event;
    if (count > slot->room) {
        uint64_t more = (count - slot->room) * sizeof *slot->warps;
        struct value_warp *warps = NULL;
        if (!value->launch->most || value->taken + more <= value->launch->most)
            warps = realloc(slot->warps, count * sizeof *warps);
        if (!warps)
            return false;
        slot->warps = warps;
        slot->room = count;
        value->taken += more;
    }
    slot->nwarps = count;
    for (uint32_t i = 0; i < count; i++)
        slot->warps[i].marks.count = slot->warps[i].nflows = 0;
    return true;
}

static void close(void *state)
{
    struct value *value = state;
    for (uint32_t i = 0; value && value->slots && i < value->launch->slots; i++)
        free(value->slots[i].warps);
    if (value) {
        value_forget(value);
        free(value->slots);
        free(value->shifts);
    }
    free(value);
}

static bool open(const struct tap_launch *launch, void **state)
{
    struct value *value = calloc(1, sizeof *value);
    if (!value)
        return false;
    value->launch = launch;
    value->looks = VALUE_LOOKS;
    value->slots = calloc(launch->slots, sizeof *value->slots);
    value->taken = launch->slots * sizeof *value->slots;
    *state = value;
    if (value->slots && (!launch->most || value->taken <= launch->most))
        return true;
    close(value);
    *state = NULL;
    return false;
}

const struct check check_value = {
    .name = "value",
    .bit = ATOLL_CHECK_VALUE,
    .open = open,
    .close = close,
    .block = block,
    .step = step,
    .access = value_access,
    .call = call,
    .freed = value_freed,
};

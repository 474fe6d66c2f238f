/* sample and suql, lane by lane (mem/sampler.h has the meaning). */
#include "mem/sampler.h"
#include "base/half.h"
#include "engine/interp/set.h"

#include <string.h>

/* Sources, in this order; those of a mode follow (lane/ops.h). */
enum {
    SOURCE_SURFACE,
    SOURCE_SAMPLER_LOW,
    SOURCE_SAMPLER_HIGH,
    SOURCE_COORDINATES,
    SOURCE_MODE = SOURCE_COORDINATES + 3
};

static uint64_t source(const struct warp *w, const struct decoded *info, unsigned index, unsigned lane)
{
    return decoded_operand(w, info, info->ndst + index, lane);
}

static uint32_t word(const struct warp *w, const struct decoded *info, unsigned index, unsigned lane)
{
    return (uint32_t)source(w, info, index, lane);
}

/* The surface of a lane's handle; NULL after a trap. */
static const struct surface *surface_of(struct warp *w, const struct step *s, unsigned lane)
{
    uint32_t lanes = UINT32_C(1) << lane;
    const struct surface_ref *ref = warp_handle(w, s->info, lanes, source(w, s->info, SOURCE_SURFACE, lane));
    return ref ? warp_bound(w, s->info, lanes, ref) : NULL;
}

/* The sampler of a lane. False after a trap: nothing is bound, or these bytes are no sampler. */
static bool sampler_of(struct warp *w, const struct step *s, unsigned lane, struct sampler_state *state)
{
    const uint64_t words[2] = {source(w, s->info, SOURCE_SAMPLER_LOW, lane),
                               source(w, s->info, SOURCE_SAMPLER_HIGH, lane)};
    memcpy(state, words, sizeof *state);
    if (!state->bound && !words[0] && !words[1])
        warp_trap(w, s->info, UINT32_C(1) << lane, "unbound-sampler", 0, NULL, "no sampler is bound");
    else if (!sampler_valid(state))
        warp_trap(w, s->info, UINT32_C(1) << lane, "bad-sampler", 0, NULL, "0x%016llx 0x%016llx is no sampler",
                  (unsigned long long)words[0], (unsigned long long)words[1]);
    else
        return true;
    return false;
}

/* What the lane's operands ask for. */
static struct sample sample_of(const struct warp *w, const struct decoded *info, unsigned lane)
{
    struct sample sample = {.mode = info->inst->mode, .channel = info->inst->aux >> LANE_SAMPLE_CHANNEL & 3};
    unsigned next = SOURCE_MODE;
    for (unsigned k = 0; k < 3; k++) {
        int32_t offset = (int32_t)(info->inst->aux >> (8 - 4 * k) & 15);
        sample.offset[k] = offset < 8 ? offset : offset - 16;
        sample.coord[k] = f32_from_bits(word(w, info, SOURCE_COORDINATES + k, lane));
    }
    unsigned kind = sampler_kind(sample.mode);
    if (kind == LANE_SAMPLE_LOD)
        sample.lod = f32_from_bits(word(w, info, next++, lane));
    for (unsigned k = 0; kind == LANE_SAMPLE_GRAD && k < 6; k++)
        sample.gradient[k / 2][k % 2] = f32_from_bits(word(w, info, next++, lane));
    for (unsigned k = 0; kind == LANE_SAMPLE_GATHER && k < 2; k++)
        sample.offset[k] += sampler_gather_offset(word(w, info, next++, lane));
    if (sampler_compares(sample.mode))
        sample.reference = f32_from_bits(word(w, info, next, lane));
    return sample;
}

/* False after a trap. */
static bool sample_lane(struct warp *w, const struct step *s, unsigned lane)
{
    const struct decoded *info = s->info;
    struct sampler_state state;
    const struct surface *surface = surface_of(w, s, lane);
    if (!surface || !sampler_of(w, s, lane, &state))
        return false;
    if (w->worker->held.any)
        held_merge_surface(&w->worker->held, surface);
    struct sample sample = sample_of(w, info, lane);
    uint32_t rgba[4];
    sampler_sample(surface, &state, &sample, rgba);
    for (unsigned k = 0; k < info->ndst; k++)
        if (info->bits[k])
            memcpy(w->frame.regs + info->offsets[k] + 4 * (size_t)lane, &rgba[k], 4);
    return true;
}

static const struct step *go_sample(struct warp *w, const struct step *s)
{
    uint32_t lanes = step_lanes(w, s);
    w->accesses[LANE_SURFACE] += lanes != 0;
    for (; lanes; lanes &= lanes - 1)
        if (!sample_lane(w, s, (unsigned)__builtin_ctz(lanes)))
            return NULL;
    return s + 1;
}

static const struct step *go_suql(struct warp *w, const struct step *s)
{
    for (uint32_t lanes = step_lanes(w, s); lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        const struct surface *surface = surface_of(w, s, lane);
        if (!surface)
            return NULL;
        uint32_t value = surface_level_query(surface, s->info->inst->mode, word(w, s->info, 1, lane));
        memcpy(w->frame.regs + s->at.d + 4 * (size_t)lane, &value, 4);
    }
    return s + 1;
}

step_fn *sampler_handler(unsigned op)
{
    return op == LANE_OP_sample ? go_sample : op == LANE_OP_suql ? go_suql : NULL;
}

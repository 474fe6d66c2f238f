/* Frames between compiled parts of a block. */
#include "engine/jit/frames.h"
#include "base/bytes.h"

#include <string.h>

/* Does the frame have lane 0 alone of a slot, when a part begins at a segment? */
static bool is_thin(const struct flow *flow, uint32_t segment, uint32_t slot)
{
    return bitset_has(flow->live + (size_t)segment * flow->slot_words, slot) &&
           flow_forms(flow, segment)[slot] < FORM_UNSEEN;
}

static uint64_t get(const unsigned char *reg, unsigned bits, unsigned lane)
{
    return bytes_get(reg + (size_t)lane * (bits / 8), bits / 8);
}

static void set(unsigned char *reg, unsigned bits, unsigned lane, uint64_t value)
{
    bytes_put(reg + (size_t)lane * (bits / 8), value, bits / 8);
}

static uint64_t added(const struct flow *flow, uint32_t segment, uint32_t slot, unsigned lane)
{
    return flow_added(flow, flow_forms(flow, segment)[slot], lane);
}

void frames_unfold(const struct flow *flow, uint32_t segment, unsigned char *regs)
{
    for (uint32_t slot = 0; slot < flow->nslots; slot++) {
        unsigned char *reg = regs + flow->slots[slot];
        unsigned bits = flow->slot_bits[slot];
        if (!is_thin(flow, segment, slot) || bits == 1) /* a predicate is one word */
            continue;
        uint64_t first = get(reg, bits, 0);
        for (unsigned l = 1; l < LANES; l++)
            set(reg, bits, l, first + added(flow, segment, slot, l));
    }
}

static bool fold_predicate(unsigned char *reg, uint32_t live)
{
    uint32_t word;
    memcpy(&word, reg, sizeof word);
    bool any = word & live;
    if (any && (word & live) != live)
        return false;
    word = any ? ALL_LANES : 0;
    memcpy(reg, &word, sizeof word);
    return true;
}

static bool fold(const struct flow *flow, uint32_t segment, uint32_t slot, unsigned char *reg, uint32_t live)
{
    unsigned bits = flow->slot_bits[slot], lane = (unsigned)__builtin_ctz(live);
    uint64_t first = get(reg, bits, lane) - added(flow, segment, slot, lane), mask = UINT64_MAX >> (64 - bits);
    for (uint32_t left = live; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if ((get(reg, bits, l) ^ (first + added(flow, segment, slot, l))) & mask)
            return false;
    }
    set(reg, bits, 0, first);
    return true;
}

bool frames_fold(const struct flow *flow, uint32_t segment, unsigned char *regs, uint32_t live)
{
    for (uint32_t slot = 0; slot < flow->nslots; slot++) {
        unsigned char *reg = regs + flow->slots[slot];
        if (is_thin(flow, segment, slot) &&
            !(flow->slot_bits[slot] == 1 ? fold_predicate(reg, live) : fold(flow, segment, slot, reg, live)))
            return false;
    }
    return true;
}

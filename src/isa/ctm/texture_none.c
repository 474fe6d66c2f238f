/* Lookups, until they are there: programs without them run. */
#include "isa/ctm/lower.h"

bool ctm_texture_begin(struct ctm_lower *l)
{
    (void)l;
    return true;
}

void ctm_texture_at(struct ctm_lower *l)
{
    (void)l;
}

void ctm_texture(struct ctm_lower *l)
{
    ctm_stop(l, "not supported: texture instructions");
}

void ctm_uncached_output(struct ctm_lower *l, const struct lane_operand value[CTM_CHANNELS])
{
    (void)value;
    ctm_stop(l, "not supported: uncached outputs");
}

void ctm_texture_end(struct ctm_lower *l)
{
    (void)l;
}

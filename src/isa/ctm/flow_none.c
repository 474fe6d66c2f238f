/* Flow control, until it is there: programs without it run. */
#include "isa/ctm/lower.h"

bool ctm_flow_begin(struct ctm_lower *l)
{
    (void)l;
    return true;
}

void ctm_flow_at(struct ctm_lower *l)
{
    (void)l;
}

struct lane_operand ctm_flow_active(struct ctm_lower *l)
{
    (void)l;
    return (struct lane_operand){LANE_NONE, 0};
}

void ctm_flow(struct ctm_lower *l)
{
    ctm_stop(l, "not supported: flow control");
}

void ctm_flow_kill(struct ctm_lower *l, struct lane_operand gone)
{
    (void)gone;
    ctm_stop(l, "not supported: TEX_INST_KILL_LT_0");
}

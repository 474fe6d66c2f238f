/* What of a random kernel nothing orders, as Atoll's race check says. */
#include "driver_atoll.h"
#include "random.h"

bool hwr_has_races(const struct cuda *cuda, uint32_t seed)
{
    static struct hwr_left left[HWR_INPUTS];
    struct hwr_result result;
    hw_atoll_look_for_races(true);
    hwr_run(cuda, seed, &result, left);
    bool has = hw_atoll_races() != 0;
    hw_atoll_look_for_races(false);
    return has;
}

/* Findings of the check of uninitialised values (init.h). */
#include "tap/init.h"

static const char *const causes[INIT_KINDS] = {
    [INIT_REGISTER] = "register", [INIT_SHARED] = "shared", [INIT_LOCAL] = "local",
    [INIT_HEAP] = "heap",         [INIT_GLOBAL] = "global", [INIT_SURFACE] = "surface",
};
static const char *const whys[INIT_KINDS] = {
    [INIT_REGISTER] = "it comes from a register that nobody has written",
    [INIT_SHARED] = "it comes from shared memory that nobody has written",
    [INIT_LOCAL] = "it comes from local memory that nobody has written",
    [INIT_HEAP] = "it comes from memory of malloc that nobody has written",
    [INIT_GLOBAL] = "it comes from global memory that nobody has written",
    [INIT_SURFACE] = "it comes from texels that nobody has written",
};

uint32_t init_number(struct init *init, const struct tap_access *access)
{
    if (init->numbers + 1 >= INIT_NUMBERS)
        return 0;
    uint32_t number = ++init->numbers;
    struct origin *origin = &init->origins[number % ORIGINS];
    *origin = (struct origin){.number = number,
                              .site = access->site,
                              .warp = access->warp,
                              .element = access->element,
                              .block = init->slots[access->slot].block.number};
    for (uint32_t left = access->lanes; left; left &= left - 1)
        origin->address[__builtin_ctz(left)] = access->address[__builtin_ctz(left)];
    return number;
}

static struct tap_side side_of(const struct init *init, unsigned lane)
{
    const struct init_slot *slot = &init->slots[init->step->slot];
    return (struct tap_side){.site = init->step->site,
                             .block = slot->block.number,
                             .thread = tap_thread(slot->block.warp_lanes, init->step->warp, lane)};
}

void init_tell(struct init *init, unsigned lane, uint32_t origin, const char *does)
{
    const struct tap_engine *engine = init->launch->engine;
    unsigned kind = init_kind(origin), reader = origin >> INIT_LANE_SHIFT & (LANES - 1);
    uint32_t number = origin & (INIT_NUMBERS - 1);
    const struct origin *from = &init->origins[number % ORIGINS];
    struct tap_origin memory = {.shared = kind == INIT_SHARED, .surface = kind == INIT_SURFACE};
    struct tap_finding found = {.check = "init",
                                .cause = causes[kind],
                                .does = does,
                                .why = whys[kind],
                                .now = side_of(init, lane),
                                .before.site = TAP_NO_SITE};
    if (number && from->number == number) {
        memory.local = kind == INIT_LOCAL;
        memory.address = from->address[reader];
        memory.element = from->element;
        found.before =
            (struct tap_side){.site = from->site,
                              .block = from->block,
                              .thread = tap_thread(init->slots[init->step->slot].block.warp_lanes, from->warp, reader)};
        found.origin = &memory;
        found.why = "nobody has written that";
    }
    engine->found(engine->self, &found);
}

void init_use(struct init *init, unsigned operand, uint32_t lanes, const char *does)
{
    const struct tap_step *step = init->step;
    struct lane_operand used = operand == UINT32_MAX ? step->inst->guard : tap_operand(step, operand);
    uint32_t origin, threads = tap_threads(init->slots[step->slot].block.warp_lanes);
    for (uint32_t left = lanes & init_mask(init, used) & threads; left; left &= left - 1) {
        init_get(init, used, (unsigned)__builtin_ctz(left), &origin);
        init_tell(init, (unsigned)__builtin_ctz(left), origin, does);
    }
    init_define(init, used, lanes);
}

void init_tell_update(struct init *init, const struct tap_access *access, unsigned lane, unsigned kind)
{
    const struct tap_engine *engine = init->launch->engine;
    struct tap_finding found = {.check = "init",
                                .cause = causes[kind],
                                .does = "updates",
                                .why = "nobody has written it before",
                                .now = side_of(init, lane),
                                .before.site = TAP_NO_SITE,
                                .access = init->step->func && !access->registers ? access : NULL,
                                .lane = lane};
    found.now.kind = TAP_UPDATE;
    engine->found(engine->self, &found);
}

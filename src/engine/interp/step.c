/* Steps of a decoded function. */
#include "engine/interp/step.h"

#include "lane/form.h"

#include <assert.h>
#include <string.h>

/* The constant at `offset` of the frame, the same for all lanes. */
static bool constant_u32(const struct func *func, uint32_t offset, uint32_t *value)
{
    if (offset == KERNEL_NONE || offset < func->constants_at)
        return false;
    memcpy(value, func->constants + (offset - func->constants_at), sizeof *value);
    return true;
}

/* What go_bar_sync assumes. */
bool step_bind_plain_bar(struct step *step)
{
    uint32_t id, count;
    const struct func *func = step->info->func;
    if (step->info->op != LANE_OP_bar || step->info->inst->mode != LANE_BAR_SYNC || step->guard != KERNEL_NONE ||
        !constant_u32(func, step->at.a, &id) || !constant_u32(func, step->at.b, &count) || id >= BARRIERS || count != 0)
        return false;
    step->at.aux = id;
    return true;
}

static bool make(const struct func *func, const struct decoded *info, bind_fn *bind, struct step *step,
                 struct atoll_error *error)
{
    const struct lane_inst *inst = info->inst;
    const uint32_t *at = info->offsets, *src = info->nsrc ? at + info->ndst : NULL;
    bool fall = info->op == DECODED_FALL,
         leads = fall || (info->op < LANE_OPS && lane_aux(&lane_rows[info->op]) == 'b');
    assert(!leads || info->target < func->npoints);
    assert(info->guard == KERNEL_NONE || info->guard + 4 <= func->frame_bytes);
    *step = (struct step){.at = {.d = info->ndst > 0 ? at[0] : KERNEL_NONE,
                                 .d2 = info->ndst > 1 ? at[1] : KERNEL_NONE,
                                 .a = info->nsrc > 0 ? src[0] : KERNEL_NONE,
                                 .b = info->nsrc > 1 ? src[1] : KERNEL_NONE,
                                 .c = info->nsrc > 2 ? src[2] : KERNEL_NONE,
                                 .e = info->nsrc > 3 ? src[3] : KERNEL_NONE,
                                 .aux = leads ? info->target : inst->aux,
                                 .more = at},
                          .count = info->count,
                          .next = info->next,
                          .info = info,
                          .guard = info->guard,
                          .guard_flip = info->guard_flip};
    if (lane_is(info->op, LANE_TOKEN_OP))
        step->at.b = inst->mode;
    if (leads)
        step->at.more = &func->points[info->target];
    return bind(step) || error_at(error, ATOLL_UNSUPPORTED, inst->line, 0, "not supported: %s.%s",
                                  lane_rows[inst->op].name, lane_type_name(inst->type));
}

bool step_prepare(struct program *program, struct func *func, bind_fn *bind, struct atoll_error *error)
{
    struct arena *arena = &program->arena;
    struct step *steps = arena_array(arena, (size_t)func->ndecoded + 1, sizeof *steps);
    struct step *once = arena_array(arena, (size_t)func->ninvariants + 1, sizeof *once);
    func->points = arena_array(arena, (size_t)func->npoints + 1, sizeof *func->points);
    if (!steps || !once || !func->points)
        return error_memory(error);
    for (uint32_t i = 0; i < func->ninvariants; i++)
        if (!make(func, &func->invariants[i], bind, &once[i], error))
            return false;
    for (uint32_t i = 0; i < func->ndecoded; i++)
        if (!make(func, &func->decoded[i], bind, &steps[i], error))
            return false;
    for (uint32_t i = 0; i <= func->npoints; i++) {
        assert(func->decoded_at[i] <= func->ndecoded && (i == 0 || func->decoded_at[i - 1] <= func->decoded_at[i]));
        func->points[i] = &steps[func->decoded_at[i]];
    }
    func->once = once;
    return true;
}

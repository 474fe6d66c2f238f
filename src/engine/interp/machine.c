/* Operations without effect on memory that look at the machine: special registers, addresses of frames, windows of the
 * address space; and fences. Compiled once per instruction set of the host. */
#include "engine/interp/set.h"
#include "engine/meaning/kernels.h"
#include "mem/device.h"
#include "mem/space.h"

#include <string.h>
#include <time.h>

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Registers with one value for the warp. */
static uint64_t sreg_value(struct warp *w, unsigned mode)
{
    const struct run *run = w->worker->run;
    switch (mode) {
    case LANE_SREG_NTID_X:
    case LANE_SREG_NTID_Y:
    case LANE_SREG_NTID_Z:
        return run->block[mode - LANE_SREG_NTID_X];
    case LANE_SREG_CTAID_X:
    case LANE_SREG_CTAID_Y:
    case LANE_SREG_CTAID_Z:
        return w->block->id[mode - LANE_SREG_CTAID_X];
    case LANE_SREG_NCTAID_X:
    case LANE_SREG_NCTAID_Y:
    case LANE_SREG_NCTAID_Z:
        return run->grid[mode - LANE_SREG_NCTAID_X];
    case LANE_SREG_NWARPID:
        return BLOCK_THREADS / run->thread_lanes;
    case LANE_SREG_NSMID:
    case LANE_SREG_ONE:
        return 1;
    case LANE_SREG_CLOCK:
    case LANE_SREG_CLOCK64:
    case LANE_SREG_GLOBALTIMER:
    case LANE_SREG_GLOBALTIMER_LO:
        return run->launch->order == ATOLL_ORDER_PARALLEL ? nanoseconds() : w->instructions + w->clock++;
    case LANE_SREG_CLOCK_HI:
    case LANE_SREG_GLOBALTIMER_HI:
        return (run->launch->order == ATOLL_ORDER_PARALLEL ? nanoseconds() : w->instructions + w->clock++) >> 32;
    case LANE_SREG_DYNAMIC_SMEM:
        return run->launch->dynamic_shared;
    case LANE_SREG_TOTAL_SMEM:
        return w->block->shared_bytes - run->program->reserved_bytes;
    case LANE_SREG_AGGR_SMEM:
        return w->block->shared_bytes;
    case LANE_SREG_RESERVED_BEGIN:
    case LANE_SREG_RESERVED_END:
    case LANE_SREG_RESERVED_0:
    case LANE_SREG_RESERVED_1:
        return lane_reserved(mode);
    case LANE_SREG_WORKSPACE:
        return run->workspace;
    case LANE_SREG_WORKSPACE_HIGH:
        return run->workspace >> 32;
    case LANE_SREG_HELPERS:
        return run->launch->helper_lanes;
    default: /* smid, gridid, zero: one multiprocessor, one grid */
        return 0;
    }
}

static uint32_t lane_mask(unsigned mode, unsigned lane)
{
    uint32_t bit = UINT32_C(1) << lane;
    switch (mode) {
    case LANE_SREG_LANEMASK_EQ:
        return bit;
    case LANE_SREG_LANEMASK_LT:
        return bit - 1;
    case LANE_SREG_LANEMASK_LE:
        return bit | (bit - 1);
    case LANE_SREG_LANEMASK_GT:
        return ~(bit | (bit - 1));
    default:
        return ~(bit - 1);
    }
}

static void run_sreg_tid(struct frame *f, const struct kernel_operands *s)
{
    memcpy(f->regs + s->d, step_warp(f)->tid[step_of(s)->info->inst->mode - LANE_SREG_TID_X], 4 * LANES);
}

static void run_sreg_lane(struct frame *f, const struct kernel_operands *s)
{
    uint32_t *d = KERNEL_REG(uint32_t, s->d);
    unsigned mode = step_of(s)->info->inst->mode, n = step_of(s)->info->func->thread_lanes;
    for (unsigned l = 0; l < LANES; l++)
        d[l] = mode == LANE_SREG_LANEID ? l % n : lane_mask(mode, l % n);
}

/* Of packed warps each its own. */
static void run_sreg_warp(struct frame *f, const struct kernel_operands *s)
{
    uint32_t *d = KERNEL_REG(uint32_t, s->d);
    const struct func *func = step_of(s)->info->func;
    unsigned n = func_packs(func) ? func->thread_lanes : LANES;
    for (unsigned l = 0; l < LANES; l++)
        d[l] = step_warp(f)->number * (LANES / n) + l / n;
}

/* One value for all lanes, into the result of a step. */
static void set_result(struct frame *f, const struct kernel_operands *s, uint64_t value)
{
    if (step_of(s)->info->bits[0] == 64) {
        uint64_t *d = KERNEL_REG(uint64_t, s->d);
        LANE_LOOP(LANES)
        d[l] = value;
    } else {
        uint32_t *d = KERNEL_REG(uint32_t, s->d);
        LANE_LOOP(LANES)
        d[l] = (uint32_t)value;
    }
}

static void run_sreg(struct frame *f, const struct kernel_operands *s)
{
    set_result(f, s, sreg_value(step_warp(f), step_of(s)->info->inst->mode));
}

static void run_frame_address(struct frame *f, const struct kernel_operands *s)
{
    set_result(f, s, step_warp(f)->local + (uint64_t)s->aux);
}

static void run_activemask(struct frame *f, const struct kernel_operands *s)
{
    set_result(f, s, step_lanes(step_warp(f), step_of(s))); /* PTX ISA, activemask: lanes whose guard is false give 0 */
}

/* Variables in constant memory have global addresses: which those are, their allocation says (an H100 says no of other
 * global addresses). *block: one that was found last. */
static bool is_constant(struct frame *f, uint64_t address, struct space_block *block)
{
    struct space *space = device_space(step_warp(f)->worker->run->program->device);
    if (address - block->address >= block->size && !space_find(space, address, block))
        return false;
    return block->readonly;
}

static void run_isspacep(struct frame *f, const struct kernel_operands *s)
{
    const uint64_t *a = KERNEL_REG(const uint64_t, s->a);
    struct space_block block = {0};
    uint32_t bits = 0;
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t v = a[l];
        bool in;
        switch (step_of(s)->info->inst->mode) {
        case LANE_SHARED:
            in = v - SPACE_SHARED < SPACE_WINDOW;
            break;
        case LANE_LOCAL:
            in = v - SPACE_LOCAL < SPACE_WINDOW;
            break;
        case LANE_PARAM:
            in = v - SPACE_PARAM < SPACE_PARAM_WINDOW;
            break;
        case LANE_CONSTANT:
            in = is_constant(f, v, &block);
            break;
        default:
            in = v >= SPACE_GLOBAL;
        }
        bits |= (uint32_t)in << l;
    }
    memcpy(f->regs + s->d, &bits, 4);
}

static void run_fence(struct frame *f, const struct kernel_operands *s)
{
    (void)s;
    held_merge(&step_warp(f)->worker->held);
    atomic_thread_fence(memory_order_seq_cst);
}

static void run_fence_inside(struct frame *f, const struct kernel_operands *s)
{
    (void)s;
    held_merge(&step_warp(f)->worker->held);
    atomic_signal_fence(memory_order_seq_cst);
}

static void run_nothing(struct frame *f, const struct kernel_operands *s)
{
    (void)f;
    (void)s;
}

static kernel_fn *find_sreg(unsigned mode)
{
    if (mode <= LANE_SREG_TID_Z)
        return run_sreg_tid;
    if (lane_sreg_is(mode, LANE_SREG_LANES))
        return run_sreg_lane;
    if (mode == LANE_SREG_WARPID)
        return run_sreg_warp;
    return run_sreg;
}

kernel_fn *KERNEL_NAME(machine_find)(const struct lane_inst *inst)
{
    switch (inst->op) {
    case LANE_OP_sreg:
        return find_sreg(inst->mode);
    case LANE_OP_frame:
        return run_frame_address;
    case LANE_OP_activemask:
        return run_activemask;
    case LANE_OP_isspacep:
        return run_isspacep;
    case LANE_OP_fence:
        return lane_fence_inside(inst->mode) ? run_fence_inside : run_fence;
    case LANE_OP_brkpt:
        return run_nothing;
    default:
        return NULL;
    }
}

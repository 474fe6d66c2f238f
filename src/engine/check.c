/* Checked launches: the events that checks get (tap/check.h), made of what a warp is about to do. */
#include "engine/check.h"

#include "mem/lanes.h"

#include <stdlib.h>
#include <string.h>

/* ---- addresses -------------------------------------------------------------------------------------------------- */

uint32_t checked_lanes(const struct warp *w, const struct decoded *at)
{
    uint32_t exec = at->inst->flags & LANE_WHOLE ? func_whole(w->func, w->frame.exec) : w->frame.exec;
    return at->guard == KERNEL_NONE ? exec : exec & guard_true(w, at->guard, at->guard_flip);
}

uint64_t checked_address(const struct warp *w, const struct decoded *at, unsigned lane)
{
    uint64_t sum = decoded_operand(w, at, at->ndst, lane) + (uint64_t)at->access->offset;
    return at->bits[at->ndst] == 64 ? sum : (uint32_t)sum; /* as the access computes it (interp/memory.c) */
}

/* Where the host has it; NULL: nowhere, the access will trap. */
static const unsigned char *in_global(struct checking *c, const struct decoded *at, uint64_t address, uint64_t bytes)
{
    struct space_block *block = &c->blocks[at->site];
    if (address - block->address >= block->size && !space_find(c->space, address, block))
        return NULL;
    return bytes <= block->size - (address - block->address) ? block->host + (address - block->address) : NULL;
}

/* May a load read another value than memory has (tap/weak.h)? */
static bool is_plain(const struct decoded *at)
{
    return at->op == LANE_OP_ld || (at->op == LANE_OP_suld && !at->access->formatted);
}

static bool tell(struct checking *c, struct tap_access *event)
{
    event->stale = 0;
    return !event->lanes ||
           ((!c->weak || weak_look(c->weak, event, is_plain(c->sites[event->site]))) && tap_access(&c->tap, event));
}

/* Generic addresses may lie in either. */
static void sort_lane(struct checking *c, struct warp *w, const struct decoded *at, unsigned lane,
                      struct tap_access *global, struct tap_access *shared)
{
    uint64_t address = checked_address(w, at, lane), bytes = global->bytes;
    unsigned space = at->access->space;
    if (space == LANE_GENERIC && address - SPACE_SHARED < SPACE_WINDOW) {
        address -= SPACE_SHARED;
        space = LANE_SHARED;
    }
    struct tap_access *event = space == LANE_SHARED ? shared : global;
    const unsigned char *host = NULL;
    if (address % bytes)
        return;
    if (space != LANE_SHARED)
        host = address >= SPACE_GLOBAL ? in_global(c, at, address, bytes) : NULL;
    else if (address < w->block->shared_bytes && bytes <= w->block->shared_bytes - address)
        host = w->block->shared + address;
    if (!host)
        return;
    event->lanes |= UINT32_C(1) << lane;
    event->at[lane] = host;
    event->address[lane] = address;
}

static uint8_t access_kind(unsigned op)
{
    if (op == LANE_OP_mbarwait)
        return TAP_LOAD;
    if (op == LANE_OP_mbarinit ||
        op == LANE_OP_mbarinval) /* PTX ISA, "mbarrier": nothing that others may do meanwhile */
        return TAP_STORE;
    if (lane_is(op, LANE_UPDATES) || lane_is(op, LANE_OBJECT))
        return TAP_UPDATE;
    return lane_is(op, LANE_WRITES) ? TAP_STORE : TAP_LOAD;
}

void check_describe(struct checking *c, const struct warp *w, const struct decoded *at, struct tap_access *event)
{
    event->slot = (uint32_t)(w->block - w->worker->blocks);
    event->warp = w->number;
    event->lanes = 0;
    event->site = at->site;
    event->kind = access_kind(at->op);
    event->proxy = TAP_GENERIC;
    event->order = at->access->order;
    event->scope = at->access->scope;
    event->shared = event->registers = false;
    event->heap = c->blocks[at->site].heap;
    event->read_only = at->access->read_only;
    event->returns = event->kind == TAP_LOAD || at->op == LANE_OP_atom || at->op == LANE_OP_suatom;
    event->bytes = at->bytes * at->access->vec;
    event->element = at->bytes;
    event->texel = 0;
    event->func = at->func->lane;
    event->inst = at->inst;
    event->engine = c;
    c->warp = w;
}

/* What each lane accesses, be it active or not. */
static void lane_addresses(const struct warp *w, const struct decoded *at, uint64_t *restrict addresses)
{
    const unsigned char *regs = w->frame.regs + at->offsets[at->ndst];
    uint64_t offset = (uint64_t)at->access->offset;
    uint32_t narrow[LANES];
    if (at->bits[at->ndst] == 64) {
        memcpy(addresses, regs, LANES * sizeof *addresses);
        for (unsigned l = 0; l < LANES; l++)
            addresses[l] += offset;
        return;
    }
    memcpy(narrow, regs, sizeof narrow);
    for (unsigned l = 0; l < LANES; l++)
        addresses[l] = narrow[l] + (uint32_t)offset;
}

/* Lanes whose addresses lie where those of this instruction lay last, or in the block's shared memory, into `event`;
 * the others are returned. All lanes are computed, also those that do not run. */
static uint32_t sort_usual(const struct checking *c, const struct warp *w, const struct decoded *at, uint32_t lanes,
                           struct tap_access *event)
{
    const struct space_block *block = &c->blocks[at->site];
    bool shared = event->shared;
    uint64_t base = shared ? 0 : block->address, size = shared ? w->block->shared_bytes : block->size;
    uint64_t first = (uint64_t)(shared ? w->block->shared : block->host), bytes = event->bytes, last = size - bytes;
    uint64_t *restrict addresses = event->address, places[LANES];
    int64_t beyond[LANES]; /* negative: out of range, or misaligned */
    if (size < bytes)
        return lanes;
    lane_addresses(w, at, addresses);
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t from = addresses[l] - base;
        beyond[l] = (int64_t)(from | (last - from) | (0 - (addresses[l] & (bytes - 1))));
        places[l] = first + from;
    }
    memcpy(event->at, places, sizeof event->at);
    uint32_t rest = lanes_negative(beyond) & lanes;
    event->lanes = lanes & ~rest;
    return rest;
}

/* Of a space that is known to be one. */
static bool memory_usual(struct checking *c, const struct warp *w, const struct decoded *at, uint32_t lanes,
                         struct tap_access *event, uint32_t *rest)
{
    *rest = lanes;
    event->shared = at->access->space == LANE_SHARED;
    if (lanes && !(event->bytes & (event->bytes - 1)) && (event->shared || c->blocks[at->site].size))
        *rest = sort_usual(c, w, at, lanes, event);
    return tell(c, event);
}

/* Memory of the thread alone, or that is never written: only whether it is there. */
static bool alone(struct checking *c, struct warp *w, const struct decoded *at, uint32_t *skip)
{
    struct tap_access event;
    uint32_t lanes = checked_lanes(w, at);
    if (!c->tap.faults || !lanes || (at->uniform && !checked_traps(c, w, at, lanes)))
        return true;
    check_describe(c, w, at, &event);
    *skip = checked_faults(c, w, at, &event, lanes);
    return true;
}

static bool memory(struct checking *c, struct warp *w, const struct decoded *at, uint32_t *skip)
{
    struct tap_access global, shared;
    unsigned space = at->access->space;
    if (at->op == LANE_OP_prefetch)
        return true;
    if (at->access->bounded && c->tap.borders)
        checked_beyond(c, w, at);
    if (space == LANE_LOCAL || space == LANE_REGFILE)
        return alone(c, w, at, skip) && check_local(c, w, at, checked_lanes(w, at) & ~*skip);
    if (space != LANE_GENERIC && space != LANE_GLOBAL && space != LANE_SHARED)
        return alone(c, w, at, skip);
    if (space_generation(c->space) != c->generation) {
        memset(c->blocks, 0, w->worker->run->program->sites * sizeof *c->blocks);
        c->generation = space_generation(c->space);
    }
    check_describe(c, w, at, &global);
    if (lane_is(at->op, LANE_OBJECT)) { /* PTX ISA, "mbarrier": arrivals release, tests acquire, within the block */
        global.bytes = global.element = sizeof(uint64_t);
        global.order = at->op == LANE_OP_mbarwait ? LANE_ACQUIRE : LANE_RELEASE;
        global.order = global.kind == TAP_STORE ? LANE_WEAK : global.order;
        global.scope = LANE_SCOPE_CTA;
    }
    uint32_t rest;
    if (!memory_usual(c, w, at, checked_lanes(w, at), &global, &rest))
        return false;
    if (!rest)
        return true;
    global.lanes = 0;
    global.shared = false;
    shared = global;
    shared.shared = true;
    for (uint32_t left = rest; left; left &= left - 1)
        sort_lane(c, w, at, (unsigned)__builtin_ctz(left), &global, &shared);
    global.heap = c->blocks[at->site].heap; /* where they lie is known now */
    rest &= ~(global.lanes | shared.lanes);
    if (c->tap.faults && rest)
        *skip = checked_faults(c, w, at, &global, rest);
    return tell(c, &global) && tell(c, &shared) && check_local(c, w, at, rest & ~*skip);
}

/* ---- surfaces ------------------------------------------------------------------------------------------------- */

void checked_coordinate(const struct warp *w, const struct decoded *at, unsigned lane, int32_t coord[3])
{
    unsigned n = lane_geometries[at->access->dim].coordinates;
    for (unsigned i = 0; i < n; i++)
        coord[i] = (int32_t)decoded_operand(w, at, at->ndst + 1 + i, lane);
}

uint32_t checked_texel_bytes(const struct surface *surface, const struct decoded *at)
{
    const struct lane_access *access = at->access;
    bool stores = at->op == LANE_OP_sust || at->op == LANE_OP_suld;
    if (access->formatted && stores)
        return surface->format->bytes;
    return lane_type_bits(access->type) / 8 * access->vec;
}

static const unsigned char *in_surface(struct checking *c, struct warp *w, const struct decoded *at, unsigned lane,
                                       struct tap_access *event)
{
    uint64_t handle = decoded_operand(w, at, at->ndst, lane), offset;
    int32_t coord[3] = {0, 0, 0};
    struct surface view;
    bool skip;
    const struct surface_ref *ref = device_surface(w->worker->run->program->device, handle);
    const struct surface *surface = ref ? ref->surface : NULL;
    if (!surface)
        return NULL;
    checked_coordinate(w, at, lane, coord);
    if (at->access->level) {
        unsigned n = lane_geometries[at->access->dim].coordinates;
        surface_at_level(surface, (uint32_t)decoded_operand(w, at, at->ndst + 1 + n, lane), &view);
        surface = &view;
    }
    uint32_t bytes = checked_texel_bytes(surface, at);
    if ((event->lanes && bytes != event->bytes) || !bytes || (bytes & (bytes - 1)) || bytes > surface->row_bytes ||
        surface_resolve(surface, at->access, coord, bytes, &offset, &skip) != SURFACE_OK || skip)
        return NULL;
    event->bytes = bytes;
    event->texel = surface->format->bytes;
    event->address[lane] = handle;
    (void)c;
    return surface->texels + offset;
}

/* Have these lanes this handle? Mostly all have. */
static bool same_operand(const struct warp *w, const struct decoded *at, uint32_t lanes, uint64_t handle)
{
    const uint64_t *handles = (const void *)(w->frame.regs + at->offsets[at->ndst]);
    uint64_t other = 0;
    for (unsigned l = 0; l < LANES; l++)
        other |= handles[l] ^ handle;
    for (unsigned l = 0; other && l < LANES; l++)
        if (lanes >> l & 1 && handles[l] != handle)
            return false;
    return true;
}

/* Where the lanes' texels are in memory; of lanes out of range, nowhere. */
static void texel_places(const struct surface *surface, const int32_t *const coord[3], uint32_t scale, bool slices,
                         struct tap_access *event)
{
    const uint32_t *x = (const void *)coord[0], *y = (const void *)coord[1], *z = (const void *)coord[2];
    uint64_t places[LANES];
    lanes_places(places, (uint64_t)surface->texels, x, scale, y, (uint32_t)surface->pitch);
    for (unsigned l = 0; slices && l < LANES; l++)
        places[l] += z[l] * surface->slice_pitch;
    memcpy(event->at, places, sizeof event->at);
}

static void fetch_ahead(const struct tap_access *event)
{
    for (unsigned l = 0; l < LANES; l += LANES / 2)
        __builtin_prefetch(event->at[l] + TAP_AHEAD);
}

/* Lanes whose texels are in range, where all name one surface of plain rows, into `event`; the others are returned. */
static uint32_t texels_usual(struct checking *c, struct warp *w, const struct decoded *at, uint32_t lanes,
                             struct tap_access *event)
{
    static const int32_t zeros[LANES];
    const struct lane_geometry *geometry = &lane_geometries[at->access->dim];
    uint64_t handle = lanes ? decoded_operand(w, at, at->ndst, (unsigned)__builtin_ctz(lanes)) : 0;
    bool one = at->uniform || same_operand(w, at, lanes, handle);
    const struct surface_ref *ref = one ? device_surface(w->worker->run->program->device, handle) : NULL;
    const struct surface *surface = ref ? ref->surface : NULL;
    uint32_t bytes = surface ? checked_texel_bytes(surface, at) : 0;
    if (!surface || !surface->direct || !surface->layout->linear || surface->pitch > UINT32_MAX || at->access->level ||
        at->access->dim == LANE_DIM_ANY || !surface_dim_fits(surface->dim, at->access->dim) || !bytes ||
        (bytes & (bytes - 1)) || bytes > surface->row_bytes)
        return lanes;
    const int32_t *coord[3] = {zeros, zeros, zeros}; /* x, y, z or layer */
    for (unsigned i = 0; i < geometry->coordinates; i++) {
        unsigned axis = i == 0 ? 0 : geometry->axes[i - 1] == LANE_AXIS_ROW ? 1 : 2;
        coord[axis] = (const void *)(w->frame.regs + at->offsets[at->ndst + 1 + i]);
    }
    uint32_t scale = at->access->unit == LANE_UNIT_BYTE ? 1 : bytes;
    uint32_t in = lanes_upto(coord[0], (uint32_t)(surface->row_bytes - bytes) / scale);
    in &= scale == 1 ? ~lanes_test(coord[0], bytes - 1) : UINT32_MAX;
    in &= coord[1] != zeros ? lanes_upto(coord[1], surface->height - 1) : UINT32_MAX;
    in &= coord[2] != zeros ? lanes_upto(coord[2], surface->slices - 1) : UINT32_MAX;
    texel_places(surface, coord, scale, coord[2] != zeros, event);
    for (unsigned l = 0; l < LANES; l++)
        event->address[l] = handle;
    fetch_ahead(event);
    event->bytes = bytes;
    event->texel = surface->format->bytes;
    event->lanes = lanes & in;
    (void)c;
    return lanes & ~in;
}

static bool texels(struct checking *c, struct warp *w, const struct decoded *at, uint32_t *skip)
{
    struct tap_access event;
    check_describe(c, w, at, &event);
    event.proxy = c->launch.lockstep ? TAP_GENERIC : TAP_SURFACE;
    uint32_t unusual = texels_usual(c, w, at, checked_lanes(w, at), &event);
    for (uint32_t left = unusual; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        event.at[lane] = in_surface(c, w, at, lane, &event);
        if (event.at[lane])
            event.lanes |= UINT32_C(1) << lane;
    }
    if ((c->tap.faults || c->tap.borders) && unusual)
        *skip = checked_texel_faults(c, w, at, &event, unusual);
    event.element = event.kind == TAP_UPDATE ? lane_type_bits(at->access->type) / 8 : event.bytes;
    return tell(c, &event);
}

/* The heap orders who frees memory before who gets it next. */
static bool heap_freed(struct checking *c, const struct warp *w, const struct decoded *at)
{
    for (uint32_t left = checked_lanes(w, at); left; left &= left - 1) {
        struct space_block block;
        uint64_t address = decoded_operand(w, at, at->ndst, (unsigned)__builtin_ctz(left));
        if (!space_find(c->space, address, &block) || !block.heap)
            continue;
        const struct tap_freed freed = {block.host, block.size};
        if (!tap_freed(&c->tap, &freed))
            return false;
    }
    return true;
}

void check_no_memory(struct run *run)
{
    const struct space *space = device_space(run->program->device);
    char title[TITLE_BYTES];
    kernel_title(run, title);
    run_stop(run, ATOLL_MEMORY,
             "kernel '%s': out of memory for what the checks keep of the launch: the device's memory limit "
             "of %llu bytes leaves %llu for it",
             title, (unsigned long long)space_limit(space), (unsigned long long)space_room(space));
}

static bool no_memory(struct run *run)
{
    check_no_memory(run);
    return false;
}

void check_malloc(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address, uint64_t bytes)
{
    struct checking *c = w->worker->run->checking;
    struct space_block block;
    if (!c || !space_find(c->space, address, &block))
        return;
    const struct tap_malloc got = {.slot = (uint32_t)(w->block - w->worker->blocks),
                                   .warp = w->number,
                                   .lane = lane,
                                   .site = at->site,
                                   .at = block.host,
                                   .bytes = bytes};
    if (!tap_made(&c->tap, &got))
        no_memory(w->worker->run);
}

/* ---- an instruction ---------------------------------------------------------------------------------------------- */

static bool look(struct checking *c, struct warp *w, const struct decoded *at, uint32_t *skip)
{
    c->last = at;
    if (c->tap.steps && !check_step(c, w, at))
        return false;
    if (c->tap.meets && check_gathers(at) && !check_meets(c, w, at))
        return false;
    if (lane_is(at->op, LANE_TEXELS))
        return !c->tap.accesses || texels(c, w, at, skip);
    if (at->access)
        return !c->tap.accesses || memory(c, w, at, skip);
    switch (at->op) {
    case LANE_OP_fence:
        return check_fence(c, w, at);
    case LANE_OP_bar:
    case LANE_OP_barred:
        return check_comes(c, w, at);
    case LANE_OP_barwarp:
        return check_warp_sync(c, w, at);
    case LANE_OP_syscall:
        return at->inst->mode != LANE_SYSCALL_FREE || heap_freed(c, w, at);
    default:
        return true;
    }
}

bool warp_check(struct warp *w, const struct decoded *at, uint32_t *skip)
{
    struct run *run = w->worker->run;
    *skip = 0;
    if (run->launch->trace)
        warp_trace(w, at);
    return !run->checking || at->op >= LANE_OPS || look(run->checking, w, at, skip) || no_memory(run);
}

void warp_weak(struct warp *w, const struct decoded *at)
{
    struct run *run = w->worker->run;
    const struct weak_patch *patches;
    uint32_t count;
    if (!weak_done(run->checking->weak, &patches, &count))
        no_memory(run);
    for (uint32_t i = 0; i < count; i++) {
        const struct weak_patch *patch = &patches[i];
        for (unsigned k = 0, from = 0; k < at->ndst; k++) {
            unsigned bytes = at->bits[k] / 8u;
            if (from >= patch->offset && from + bytes <= (unsigned)patch->offset + patch->size &&
                at->offsets[k] != KERNEL_NONE)
                memcpy(w->frame.regs + at->offsets[k] + patch->lane * bytes, patch->bytes + (from - patch->offset),
                       bytes);
            from += at->bytes;
        }
    }
}

/* ---- a launch --------------------------------------------------------------------------------------------------- */

bool check_block(struct block *block, uint64_t number)
{
    struct run *run = block->worker->run;
    const struct tap_block event = {.slot = (uint32_t)(block - block->worker->blocks),
                                    .number = number,
                                    .threads = block->threads,
                                    .warp_lanes = block->warp_lanes,
                                    .shared = block->shared,
                                    .shared_bytes = block->shared_bytes,
                                    .shared_written = run->program->reserved_bytes};
    return tap_block(&run->checking->tap, &event) || no_memory(run);
}

void check_barrier(const struct block *block, uint32_t id)
{
    struct run *run = block->worker->run;
    const struct barrier *barrier = &block->barriers[id];
    struct tap_barrier event = {.slot = (uint32_t)(block - block->worker->blocks), .id = id};
    memcpy(event.arrived, barrier->arrived.bits, sizeof event.arrived);
    event.whole = warps_within(&block->live_warps, &barrier->arrived);
    for (uint32_t i = 0; i < block->nwarps; i++) {
        event.live[i] = block->warps[i].live;
        event.waiting[i] = block->warps[i].barrier_lanes[id] & ~block->warps[i].came[id];
    }
    if (!tap_barrier(&run->checking->tap, &event))
        no_memory(run);
}

void check_exit(const struct warp *w, uint32_t lanes)
{
    struct checking *c = w->worker->run->checking;
    const struct tap_exit event = {(uint32_t)(w->block - w->worker->blocks), w->number, lanes, c->last->site};
    if (!tap_exit(&c->tap, &event))
        no_memory(w->worker->run);
}

void check_stuck(const struct block *block, const struct warp *warp, const struct decoded *at)
{
    const struct tap_stuck event = {.slot = (uint32_t)(block - block->worker->blocks),
                                    .warp = warp ? warp->number : 0,
                                    .lanes = warp ? warp->frame.exec : 0,
                                    .site = warp ? at->site : TAP_NO_SITE};
    if (!tap_stuck(&block->worker->run->checking->tap, &event))
        no_memory(block->worker->run);
}

static void checking_free(struct checking *c)
{
    tap_close(&c->tap);
    watching_free(&c->watching);
    findings_free(&c->findings);
    free(c->sites);
    free(c->blocks);
    free(c->ranges);
    free(c);
}

const char *check_name(unsigned index)
{
    return check_at(index) ? check_at(index)->name : NULL;
}

unsigned check_bit(unsigned index)
{
    return check_at(index) ? check_at(index)->bit : 0;
}

unsigned checks_known(void)
{
    unsigned known = 0;
    for (unsigned i = 0; check_at(i); i++)
        known |= check_at(i)->bit;
    return known;
}

/* The weak order hears of what the checks hear of, before them. */
static bool weak_join(struct checking *c)
{
    c->weak = weak_open(&c->launch, c->run->launch->seed);
    c->tap.accesses = true;
    return c->weak && tap_add(&c->tap, &check_weak, c->weak);
}

/* What `look` does nothing with is not shown to it. */
static bool is_looked(const struct checking *c, const struct decoded *at)
{
    if (c->run->launch->trace || (at->op < LANE_OPS && c->tap.steps))
        return true;
    if (at->op >= LANE_OPS)
        return false;
    return at->access || lane_is(at->op, LANE_TEXELS) || lane_is(at->op, LANE_ENDS) || check_gathers(at) ||
           at->op == LANE_OP_fence || at->op == LANE_OP_bar || at->op == LANE_OP_barred || at->op == LANE_OP_barwarp ||
           at->op == LANE_OP_syscall;
}

/* Instructions by their sites; which operations are looked at. */
static void find_looked(struct checking *c)
{
    const struct program *program = c->run->program;
    for (uint32_t f = 0; f < program->module->nfuncs; f++)
        for (uint32_t i = 0; i < program->funcs[f].ndecoded; i++) {
            const struct decoded *at = &program->funcs[f].decoded[i];
            c->looked[at->op] = c->looked[at->op] || is_looked(c, at);
            if (at->op < LANE_OPS)
                c->sites[at->site] = at;
        }
    c->last = program->funcs[program->kernel].decoded;
    c->run->looked = c->looked;
}

/* Are there accesses to memory that is never written, as the program says? */
static bool reads_only(const struct lane_module *module)
{
    bool some = false;
    for (uint32_t f = 0; f < module->nfuncs; f++)
        for (uint32_t i = 0; i < module->funcs[f].naccesses; i++)
            some |= module->funcs[f].accesses[i].read_only;
    return some;
}

bool check_open(struct run *run, struct atoll_error *error)
{
    const struct lane_func *kernel = &run->program->module->funcs[run->program->kernel];
    uint32_t sites = run->program->sites + 1;
    struct checking *c = launch_checked(run->launch) ? calloc(1, sizeof *c) : NULL;
    unsigned checks = run->launch->checks;
    checks |= checks & ATOLL_CHECK_OUTPUTS ? ATOLL_CHECK_INIT : 0u;
    if (!(checks & ATOLL_CHECK_INIT))
        space_settle(device_space(run->program->device));
    if (!launch_checked(run->launch))
        return true;
    if (!c)
        return error_memory(error);
    c->run = run;
    c->space = device_space(run->program->device);
    c->sites = calloc(sites, sizeof *c->sites);
    c->blocks = calloc(sites, sizeof *c->blocks);
    c->launch = (struct tap_launch){.engine = &c->engine,
                                    .slots = resident_blocks(run, 0),
                                    .sites = sites,
                                    .read_only = reads_only(run->program->module),
                                    .lockstep = kernel->stacked || kernel->warp_lanes || kernel->thread_grid,
                                    .by_bytes = kernel->warp_lanes != 0,
                                    .most = space_room(c->space)};
    c->engine = (struct tap_engine){.self = c,
                                    .found = finding_found,
                                    .stores_same = finding_same,
                                    .stores_alike = finding_alike,
                                    .value = check_value_of,
                                    .local = check_where_local,
                                    .shuffled = check_shuffled,
                                    .stands = check_stands,
                                    .row = check_row,
                                    .object = check_object,
                                    .symbol = finding_symbol,
                                    .pointee = finding_pointee,
                                    .beside = finding_beside,
                                    .touched = watch_touched,
                                    .ran = watch_ran,
                                    .counted = watch_counted};
    if (!watching_open(c, error)) {
        checking_free(c);
        return false;
    }
    bool follows = checks & ATOLL_CHECK_INIT;
    if (c->sites && c->blocks && (!follows || check_unwritten(c)) && tap_open(&c->tap, checks, &c->launch) &&
        (!run->launch->weak || weak_join(c))) {
        find_looked(c);
        run->checking = c;
        return true;
    }
    checking_free(c);
    return error_memory(error);
}

void check_close(struct run *run, struct atoll_stats *stats)
{
    if (!run->checking)
        return;
    run->checking->warp = NULL; /* host threads and their warps are gone */
    tap_end(&run->checking->tap);
    if (run->launch->checks & ATOLL_CHECK_OUTPUTS)
        check_outputs(run->checking);
    if (run->launch->checks & (ATOLL_CHECK_INIT | ATOLL_CHECK_OUTPUTS))
        check_settle(run->checking);
    watching_tell(run->checking, stats);
    findings_tell(run->checking, stats);
    checking_free(run->checking);
    run->checking = NULL;
}

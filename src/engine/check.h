/* Checked launches: what the engine keeps for checks (tap/check.h), and what was found. */
#ifndef ATOLL_ENGINE_CHECK_H
#define ATOLL_ENGINE_CHECK_H

#include "engine/run.h"
#include "tap/weak.h"

struct finding;

struct findings {
    struct finding *list; /* at most launch->max_findings, in the order in which they were found */
    uint32_t count, room;
    struct finding_key *keys; /* pairs of instructions: which finding they are */
    uint32_t nkeys, room_keys;
    uint64_t untold, untold_times; /* beyond that: of the launch as a whole; times that anything was found */
};

/* What is watched besides what checks look at (watch.c). */
struct watching {
    struct tap_watch *watches;
    struct tap_heat *heats;
    uint64_t touches, touches_untold, slices, slices_untold;
};

struct checking {
    struct run *run;
    struct tap tap;
    struct weak *weak; /* of the weak order; NULL: memory is as it is */
    struct tap_launch launch;
    struct tap_engine engine;
    struct space *space;
    const struct decoded **sites; /* instructions, by site */
    bool looked[DECODED_OPS];     /* run.looked */
    struct space_block *blocks;   /* the allocation that each site found last, of `generation` */
    uint64_t generation;
    const struct warp *warp;    /* of the access under way */
    const struct decoded *last; /* instruction that was looked at */
    struct tap_step step;       /* it, for checks */
    struct findings findings;
    struct tap_range *ranges; /* of the device's memory: what nobody has written before the launch */
    uint32_t nranges, room_ranges;
    struct watching watching;
};

/* Lanes that run an instruction with its guard; the address that one accesses. */
uint32_t checked_lanes(const struct warp *w, const struct decoded *at);
uint64_t checked_address(const struct warp *w, const struct decoded *at, unsigned lane);
/* check_fault.c: of lanes that do not lie where they should: those that would trap, told, with zeros as results. */
uint32_t checked_faults(struct checking *c, struct warp *w, const struct decoded *at, const struct tap_access *access,
                        uint32_t lanes);
/* Tells what a bounded access (struct lane_access) leaves out. */
void checked_beyond(struct checking *c, struct warp *w, const struct decoded *at);
uint32_t checked_texel_faults(struct checking *c, struct warp *w, const struct decoded *at,
                              const struct tap_access *access, uint32_t lanes);
/* Would the first of these lanes trap? */
bool checked_traps(struct checking *c, struct warp *w, const struct decoded *at, uint32_t lanes);
/* Of a surface access: bytes of the texel, as surface_resolve wants them; the coordinates of a lane. */
uint32_t checked_texel_bytes(const struct surface *surface, const struct decoded *at);
void checked_coordinate(const struct warp *w, const struct decoded *at, unsigned lane, int32_t coord[3]);

/* An access event without lanes. */
void check_describe(struct checking *c, const struct warp *w, const struct decoded *at, struct tap_access *event);
void check_no_memory(struct run *run);

/* check_warp.c: an instruction as a step; a fence; lanes that come to a barrier of the block, to one of the warp; an
 * operation of the warp that lanes wait for each other at, if it is one and all have come. False: there is no memory.
 */
bool check_step(struct checking *c, const struct warp *w, const struct decoded *at);
bool check_fence(struct checking *c, const struct warp *w, const struct decoded *at);
bool check_comes(struct checking *c, const struct warp *w, const struct decoded *at);
bool check_warp_sync(struct checking *c, const struct warp *w, const struct decoded *at);
bool check_gathers(const struct decoded *at);
bool check_meets(struct checking *c, const struct warp *w, const struct decoded *at);
/* What checks ask of a step (struct tap_engine): the row and a lane's value of an operand; where a lane stands. */
const void *check_row(const struct tap_step *step, unsigned operand);
uint64_t check_value_of(const struct tap_step *step, unsigned operand, unsigned lane);
uint32_t check_object(const unsigned char *at, bool *odd);
const struct lane_inst *check_stands(const struct tap_step *step, unsigned lane, uint32_t *site);

/* check_memory.c: an access to local memory, if it is one, as an event; the lane that a lane of a shuffle reads. */
bool check_local(struct checking *c, struct warp *w, const struct decoded *at, uint32_t lanes);
unsigned check_shuffled(const struct tap_step *step, unsigned lane);
/* Where in its local memory a lane loads or stores. */
bool check_where_local(const struct tap_step *step, unsigned lane, uint32_t *at);
/* What nobody has written goes into `launch`; afterwards the device learns what the launch has written. */
bool check_unwritten(struct checking *c);
void check_settle(struct checking *c);
/* A surface with memory of its own that is not known to be written; NULL: there is none with this handle. */
const struct surface *check_own_surface(const struct checking *c, uint32_t index);
/* check_outputs.c: what the launch has left unwritten, as findings. */
void check_outputs(struct checking *c);

/* finding.c: what checks have found, in words. */
void finding_found(void *checking, const struct tap_finding *found);
bool finding_same(const struct tap_access *access, unsigned lane);
bool finding_symbol(const void *checking, uint32_t symbol, struct tap_owner *owner);
bool finding_pointee(const void *checking, uint32_t offset, struct tap_owner *owner);
bool finding_beside(const void *checking, uint64_t start, uint64_t address, char out[TAP_BESIDE]);
bool finding_alike(const struct tap_access *access, unsigned lane, unsigned other);
/* One of the launch as a whole. */
void finding_whole(struct checking *c, const char *check, const char *cause, const char *memory, const char *message);
void findings_tell(struct checking *c, struct atoll_stats *stats);
void findings_free(struct findings *findings);

/* A side of a finding, or of an access that is watched: who and where. */
void finding_side(const struct run *run, const struct tap_side *side, const struct decoded *at, const char *place,
                  struct atoll_finding_side *out);

/* watch.c: where the host has what is watched; what was seen, told to who launched. */
bool watching_open(struct checking *c, struct atoll_error *error);
void watching_free(struct watching *watching);
/* Counts of texels, and how much was seen. */
void watching_tell(struct checking *c, struct atoll_stats *stats);
void watch_touched(void *checking, const struct tap_touch *touch);
void watch_ran(void *checking, const struct tap_slice *slice);
void watch_counted(void *checking, uint32_t site, const struct tap_count *count);

#endif

/* The machine's parts: what its units hold between commands. */
#ifndef ATOLL_MACHINE_INSIDE_H
#define ATOLL_MACHINE_INSIDE_H

#include "isa/ctm/launch.h"
#include "machine/machine.h"
#include "machine/stream.h"

enum { MACHINE_MEMORIES = 16, MACHINE_LINE = 64 /* bytes of a line of a cache */ };

/* ---- MC --------------------------------------------------------------------------------------------------- */

struct machine_memory {
    uint64_t base, size; /* of the device's 32-bit space */
    uint64_t address;    /* in the device memory of Atoll */
    uint8_t *host;
};

/* A client of the memory controller. */
struct machine_client {
    bool set; /* its command was issued */
    uint32_t base, pitch, height;
    uint8_t tiling, format;
    struct atoll_surface *surface; /* over the memory; made when first needed, NULL: not yet */
};

enum machine_cache { CACHE_INST, CACHE_INPUT, CACHE_OUT, CACHE_COND, CACHE_CONSTF, CACHE_CONSTI, CACHE_CONSTB, CACHES };

/* A line of a cache, and which of its bytes memory does not have yet. */
struct machine_line {
    uint32_t address;
    uint64_t dirty;
    uint8_t bytes[MACHINE_LINE];
};

struct machine_lines {
    struct machine_line *line;
    size_t count, room;
};

/* ---- the program ------------------------------------------------------------------------------------------ */

struct machine_program {
    struct arena arena;
    uint8_t *image; /* the executable that it was loaded from; NULL: none is */
    size_t size;
    struct ctm_program listed; /* what its notes tell */
    struct ctm_set uncached;   /* inputs that it reads past the cache */
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    uint32_t parameter_bytes;
};

struct machine {
    struct atoll_device *device;
    struct machine_options options;
    struct machine_memory memory[MACHINE_MEMORIES];
    unsigned memories;

    /* PE */
    uint32_t domain[4]; /* i0, j0, i1, j1 */
    uint32_t cond_val;  /* bits of a float */
    struct {
        bool enabled, running;
        uint32_t clocks, busy;
    } counters;
    /* CO */
    uint32_t cond_test, cond_loc;
    /* MC */
    struct machine_client inputs[CTM_INPUTS], outputs[CTM_OUTPUTS], cond, inst;
    struct machine_client consts[3]; /* float, int, bool */
    uint32_t out_mask, cond_out_mask;
    struct machine_lines caches[CACHES];

    struct machine_program program;
    uint64_t launches; /* since power-on: what a seed draws depends on it */
    bool noted;        /* of set_params */
    uint64_t left;     /* warp instructions of this stream */
    double deadline;   /* of this stream, in seconds of the monotonic clock; 0 = none */
    struct machine_stats *stats;
};

static inline bool machine_seeded(const struct machine *m)
{
    return m->options.order == ATOLL_ORDER_SEEDED;
}

/* machine.c: the memory that holds [address, address + size); NULL: none does. */
const struct machine_memory *machine_holds(const struct machine *m, uint64_t address, uint64_t size);
/* The same, from `address` on as far as memory goes: *size; NULL: there is none. */
uint8_t *machine_from(const struct machine *m, uint64_t address, uint64_t *size);
double machine_clock(void);

/* state.c: one command; `words` are its parameters. */
bool machine_command(struct machine *m, enum stream_command command, const uint32_t *words, struct atoll_error *error);
void machine_power_on(struct machine *m);

/* program.c: the program at set_inst_fmt's base, loaded if it is not yet. */
bool machine_program(struct machine *m, struct atoll_error *error);
void machine_program_drop(struct machine *m);

/* start.c: start_program. */
bool machine_start(struct machine *m, struct atoll_error *error);
void machine_client_drop(struct machine_client *client);

/* view.c: what clients see of memory through their caches, in the seeded order. */

/* Lays the lines of a cache over a copy of [base, base + size), then draws which lines stay in the cache. */
bool machine_read_through(struct machine *m, enum machine_cache cache, uint32_t base, uint64_t size, uint8_t *copy,
                          struct atoll_error *error);
/* Of a range that a launch writes in place: `old` is what memory had, `seen` what the launch found. */
struct machine_writes {
    enum machine_cache cache;
    uint32_t base;
    uint64_t size;
    uint8_t *old, *seen;
    uint64_t *dirty; /* of each line */
};
bool machine_writes_begin(struct machine *m, enum machine_cache cache, uint32_t base, uint64_t size,
                          struct machine_writes *writes, struct atoll_error *error);
/* After the launch: some lines reach memory, others stay in the cache. Frees what begin made; `writes` may be zeros. */
bool machine_writes_end(struct machine *m, struct machine_writes *writes, struct atoll_error *error);
void machine_flush(struct machine *m, enum machine_cache cache);
void machine_invalidate(struct machine *m, enum machine_cache cache);

#endif

/* ATI's CTM device as a command stream sees it: arenas of memory at 32-bit addresses, and the units PE, CO and MC,
 * whose state commands set. start_program is a launch. Made of public functions alone (atoll.h), so that it can live in
 * the program and in libctm. Sources: docs/ctm.md, "Units". */
#ifndef ATOLL_MACHINE_MACHINE_H
#define ATOLL_MACHINE_MACHINE_H

#include "base/error.h"

struct machine;

struct machine_options {
    enum atoll_order order; /* seeded: caches are modelled, too (docs/ctm.md, "Caches") */
    uint64_t seed;
    unsigned threads;              /* host threads; 0 = all processors */
    enum atoll_engine engine;      /* as in atoll_launch_options */
    bool no_cache;                 /* likewise */
    const char *tex_write;         /* when lookups are written: a name that modules know; NULL = theirs */
    uint64_t instruction_limit;    /* warp instructions of a stream; 0 = none */
    double time_limit;             /* seconds of a stream; 0 = none */
    const volatile int *interrupt; /* as in atoll_launch_options; may be NULL */
    /* Of what is not carried out, once; may be NULL. */
    void (*note)(void *user, const char *text);
    void *user;
};

/* What a stream did. */
struct machine_stats {
    uint64_t commands, launches;
    struct atoll_stats launched; /* sums over the launches */
};

/* After power-on. The device is the machine's as long as it lives: memory of both goes when the device is destroyed. */
bool machine_create(struct atoll_device *device, const struct machine_options *options, struct machine **machine,
                    struct atoll_error *error);
void machine_destroy(struct machine *machine);

/* Memory of zeros at [base, base + size): base is a multiple of 2048, and no two overlap. *host is where it is; it may
 * be NULL. */
bool machine_memory(struct machine *machine, uint32_t base, uint64_t size, void **host, struct atoll_error *error);
/* Where bytes of that memory are; NULL: they are not all in one piece of it. */
void *machine_at(const struct machine *machine, uint32_t address, uint64_t size);

/* What a client's elements are, as the last commands left it: "in0" to "in15", "out0" to "out3", "cond". The surface is
 * the machine's, until the next command. */
bool machine_surface(struct machine *machine, const char *name, struct atoll_surface **surface,
                     struct atoll_error *error);

/* Carries out a command stream. A failure names the word and command of the stream where it ended; state and memory are
 * then as the commands before left them. `stats` may be NULL. */
bool machine_run(struct machine *machine, const void *words, size_t size, struct machine_stats *stats,
                 struct atoll_error *error);

#endif

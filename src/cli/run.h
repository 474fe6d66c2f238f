/* atoll run: its parts. */
#ifndef ATOLL_CLI_RUN_H
#define ATOLL_CLI_RUN_H

#include "base/nearest.h"
#include "base/sha256.h"
#include "cli/argument.h"
#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/content.h"
#include "cli/reports.h"

struct run_options {
    struct source_options source;
    uint32_t max_errors;
    const char *kernel, *dump, *trace, *trace_block, *trace_lines, *div_zero, *policy, *engine;
    struct seed trace_warp;
    uint64_t limit_trace;
    struct list checks, args, lets, saves, binds, vars, memory, expects, diffs, reports, history, profiles;
    uint64_t history_lines, profile_slices;
    const char *stats_form;      /* "": rows; NULL: none */
    const char *contention_form; /* the same */
    double tolerance;
    struct shape grid, block;
    struct seed seed;
    uint64_t limit_instructions, memory_limit;
    uint32_t shared, threads, helper_lanes, seeds;
    double timeout;
    bool deterministic, weak, cooperative, quiet, stream, no_cache;
};

#define NOT_PLACED UINT32_MAX

/* An argument (or bound surface) and what became of it. */
struct object {
    struct argument argument;
    uint32_t parameter;            /* NOT_PLACED: none */
    uint64_t address, size;        /* buffers; size of their array, too */
    struct array array;            /* buffers: elements and shape for .npy */
    struct atoll_surface *surface; /* surfaces */
    bool told;                     /* the module was told: no parameter */
    bool alias;                    /* shares address or surface with another object */
};

/* One --save or --diff, or what an --expect is about. */
struct saving {
    const char *option, *name, *path;
    const struct object *object;   /* NULL: variable */
    uint64_t address, size;        /* of the variable */
    const struct text *difference; /* --diff: the bytes of its picture, once there are some; NULL otherwise */
};

/* One --expect. */
struct expecting {
    struct saving found;          /* `path` is the file of what is expected */
    struct content content;       /* the file */
    void *texels;                 /* a picture's, in the surface's format; NULL: they are content.elements */
    struct comparison comparison; /* what it is compared as */
    bool pictured;                /* a --diff wants the picture */
    struct text picture;
};

struct run {
    struct arena *arena;
    const struct run_options *options;
    const char *path;           /* of the module */
    const struct list *modules; /* all files of it */
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    struct atoll_kernel_info info;
    struct atoll_parameter_info *parameters; /* info.parameters of them */
    struct object **given;                   /* the object of each parameter; NULL = none */
    const char **named;                      /* what --kernel calls each parameter; NULL = it does not say */
    struct object *objects;                  /* --arg, then --let, then --bind, in the order of the command line */
    uint32_t nargs, nlets, nobjects;
    struct saving *saves; /* --save, then --diff */
    uint32_t nsaves;
    struct expecting *expects;
    uint32_t nexpects;
    struct orders *orders;   /* that it is one of; NULL: it is the only one */
    bool differs;            /* from what was expected */
    unsigned char *block;    /* parameters */
    uint64_t shared_bytes;   /* dynamic: --shared, and what arguments ask for */
    bool explain;            /* print the kernel's parameters after the error */
    bool local_given;        /* an argument has shared memory */
    bool notes;              /* print what was filled in by default */
    bool input_taken;        /* something was read from the standard input */
    struct list inputs;      /* files that were read: the module's, those of arguments and the like */
    uint64_t findings;       /* of --check */
    struct history *history; /* run_history.c; of each --history */
    struct profile *profile; /* run_profile.c; NULL: none */
    struct report report;    /* nfiles 0: none is wanted */
    struct atoll_trap trap;
    struct atoll_launch_options launch;
    struct atoll_trace_filter trace_filter;
};

/* The line on a terminal that tells how far it is. */
struct progress {
    bool terminal, shown;
    double began, told; /* of many orders: when they began, when it was told last; seconds */
};

/* --seeds: what the orders of a launch have given so far. */
enum { ORDER_SEEDS = 16, ORDER_PLACES = 32 };
struct order_result {
    uint8_t hash[SHA256_BYTES];
    uint64_t seeds, told[ORDER_SEEDS]; /* how many, the first of them */
    struct text difference;            /* from the first order's: the first places, as far as they are told */
    uint32_t places;
    size_t ends[ORDER_PLACES]; /* of the text of each place */
};
struct order_output {
    void *bytes; /* that the first order left; NULL: it is no output */
    uint64_t size;
};
struct orders {
    uint64_t first, now, taken; /* seeds; orders that came to their end */
    uint64_t wanted;            /* orders */
    struct progress progress;   /* of all of them */
    uint64_t findings;          /* of --check, of all of them */
    struct report report;       /* of all of them */
    struct order_output *outputs;
    struct order_result *results;
    uint32_t noutputs, nresults;
};

/* run_seeds.c: all of them; the exit code. Takes what a launch has left. */
int run_seeds(const struct run_options *options, const struct list *plain);
bool orders_take(struct orders *orders, const struct run *run, struct atoll_error *error);

/* run.c: one launch, perhaps of many; the exit code. */
int run_order(struct arena *arena, const struct run_options *options, const struct list *plain, struct orders *orders);

/* run.c: the flag that Ctrl-C sets, from now on. */
const volatile int *run_interrupt(void);

/* run_options.c: whether the options are ones that go together. */
bool run_options_check(const struct run_options *o, struct atoll_error *error);
/* The engine that --engine names, if there is one here; without it *engine stays. */
bool engine_given(const struct run_options *o, enum atoll_engine *engine, struct atoll_error *error);

/* run_stream.c: a command stream of CTM; the exit code. */
int run_stream(struct arena *arena, const struct run_options *options, const struct list *plain);

/* run_kernel.c: finds the kernel; *prototype gets the list of parameters after its name, or stays NULL. */
bool run_kernel(struct run *run, const char **prototype, struct atoll_error *error);
/* The kernel as C++ calls it, else its symbol. */
const char *kernel_called(const struct run *run);
/* Takes the names of the parameters from "(A, B, ...)". */
bool run_prototype(struct run *run, const char *prototype, struct atoll_error *error);

/* run_place.c: decides which parameter each --arg means (the rule is in docs/cli.md). */
bool run_place(struct run *run, struct atoll_error *error);
/* The parameter's name, as --kernel, debug information or the module's text has it; NULL: only names that a compiler
 * made up. */
const char *parameter_name(const struct run *run, uint32_t index);
/* The same, or the name that the compiler made up. */
const char *parameter_label(const struct run *run, uint32_t index);
/* The object of an argument called `name`, or given for the parameter that `name` means; NULL: none. */
struct object *object_find(const struct run *run, const char *name);
/* For the error where there is none. */
struct nearest object_nearest(const struct run *run, const char *name);
/* Device address of NAME or NAME+BYTES: a buffer or variable; of a surface, its handle. `run`: a struct run. */
bool object_address(void *run, const char *name, uint64_t *address, struct atoll_error *error);
/* The kernel's parameters and what was given for each. */
void run_explain(const struct run *run, struct text *out);
/* Whether a parameter can hold a device address or a surface handle. */
bool parameter_holds_handle(const struct atoll_parameter_info *parameter, bool surface);
/* Whether it is a place for a buffer or a surface, which need not be given: address, size, handle. */
bool parameter_is_slot(const struct atoll_parameter_info *parameter);
bool parameter_is_sampler(const struct atoll_parameter_info *parameter); /* the same of samplers */

/* run_make.c: makes buffers and surfaces, binds surface references, sets variables. */
bool run_make(struct run *run, struct atoll_error *error);
/* Reads a file, the standard input once. `size` as of content_read_sized. */
bool run_input(struct run *run, const char *path, uint64_t size, struct content *content, struct atoll_error *error);
/* From the extents of a surface to those of the mip level that kernels see. */
void level_extents(struct atoll_surface_desc *desc);

/* Prints "atoll: note: ..." unless --quiet. */
void run_note(const struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);

/* run_values.c: fills the parameter block; parameters that were not given, and the grid, by default. */
bool run_values(struct run *run, struct atoll_error *error);
bool run_shape(struct run *run, struct atoll_error *error);

/* run_expect.c: reads what --expect names before the launch; compares after it, and tells what differs. */
bool run_expects(struct run *run, struct atoll_error *error);
bool run_expect(struct run *run, struct atoll_error *error);
void run_expects_free(struct run *run);

/* run_save.c: takes NAME=FILE apart and finds what has the name: a buffer, surface or variable. */
bool saving_parse(const struct run *run, const char *option, const char *text, struct saving *saving,
                  struct atoll_error *error);
/* Its bytes as they are now, to be freed. */
bool saving_bytes(const struct run *run, const struct saving *saving, void **bytes, uint64_t *size,
                  struct atoll_error *error);
/* Resolves --save and --diff before the launch; writes after it. */
bool run_saves(struct run *run, struct atoll_error *error);
bool run_save(struct run *run, struct atoll_error *error);

/* run_trace.c: --trace-block and the like, to run->trace_filter. */
bool run_trace(struct run *run, struct atoll_error *error);

/* The note that nothing was traced. */
void run_traced_nothing(const struct run *run);

/* run_reports.c: what the reports of the launch say of it, before it and when all is over; the exit code is *code. */
bool run_reports(struct run *run, struct atoll_error *error);
void run_ordered(struct run *run);
/* No other output of the run goes to `path`: traces, results, reports, and the first `profiles` of --profile. */
bool run_alone(const struct run *run, const char *option, const char *given, const char *path, unsigned profiles,
               struct atoll_error *error);
/* An output that no input is overwritten by; `option` with its dashes. */
bool run_spares(const struct list *inputs, const char *option, const char *given, const char *path,
                struct atoll_error *error);
void run_reported(struct run *run, const struct atoll_error *why, int *code);
/* Writes them; `failed`: the run has an exit code that goes before one of theirs. */
void reports_finish(struct report *report, bool failed, int *code);

/* run_history.c: what --history watches; a line for each access. */
bool run_history(struct run *run, struct atoll_error *error);
void history_print(const struct run *run, const struct atoll_touch *touch, struct text *out);
/* False: no memory. */
bool history_report(const struct run *run, const struct atoll_touch *touch, struct report *report);

/* run_profile.c: --profile, before the launch, while it runs, and after it. */
bool run_profile(struct run *run, struct atoll_error *error);
void profile_slice(struct profile *profile, const struct atoll_slice *slice);
void profile_line(struct profile *profile, const struct atoll_line_count *line);
bool profile_write(struct run *run, const struct atoll_stats *stats, struct atoll_error *error);
void profile_free(struct profile *profile);

/* run_progress.c, run_report.c */
void progress_show(struct progress *progress, const struct atoll_progress *now);
void progress_clear(struct progress *progress);
/* The same of many orders; `now` of the one that runs, NULL: it begins. */
void progress_show_orders(struct orders *orders, const struct atoll_progress *now);
void finding_print(const struct atoll_finding *finding, FILE *stream);
void stats_print(const struct atoll_stats *stats, FILE *stream);
/* The same, and rows of atomics, as a line of JSON. */
void stats_json(const struct report *report, FILE *stream);
/* A row of an atomic on shared memory, and all of them under their heading. */
/* A row; with their head. `form`: "csv", or rows for people (NULL too). */
void contention_print(const struct atoll_contention *row, const char *form, FILE *stream);
void contention_show(const char *rows, const char *form, FILE *stream);

#endif

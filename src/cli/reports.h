/* Reports of a launch, for machines and people: atoll run --report. What happened is collected once, and written in
 * each of the formats that are asked for. */
#ifndef ATOLL_CLI_REPORTS_H
#define ATOLL_CLI_REPORTS_H

#include "base/arena.h"
#include "base/json.h"
#include "cli/cli.h"

enum report_what {
    REPORT_FINDING,    /* of a check */
    REPORT_TRAP,       /* the kernel stopped */
    REPORT_LIMIT,      /* it was stopped: a limit, an interrupt */
    REPORT_ERROR,      /* anything else that ended the run */
    REPORT_DIFFERENCE, /* from a file of --expect */
    REPORT_ORDERS,     /* of --seeds: an order gave another result than the first */
};

/* Something that is wrong. */
struct report_item {
    enum report_what what;
    const char *check;   /* "race", "trap", "limit", "error", "expect", "seeds" */
    const char *cause;   /* a word */
    const char *message; /* all of it in a line */
    const char *memory;  /* "": of none */
    const char *name;    /* REPORT_DIFFERENCE: what differs, and from which file; else NULL */
    const char *file;
    uint64_t count;
    unsigned nsides; /* 0: no place is known */
    struct atoll_finding_side sides[2];
    uint64_t address; /* of a trap */
    int64_t coordinate[3];
    uint64_t seed; /* of --seeds: the order that it is of, or the first one that gave this result */
};

/* A file that is written, or "-". */
struct report_file {
    const struct report_format *format;
    const char *given, *path; /* as on the command line; without the format */
};

/* An access to what --history watches. */
struct report_touch {
    const char *watched, *operation, *before, *after, *order;
    uint64_t when;
    uint32_t lanes;
    bool surface;
    struct atoll_finding_side side;
};

struct report {
    struct arena *arena;
    struct report_file *files;
    unsigned nfiles;
    const char *folder; /* where atoll runs; NULL: not known */
    const char *module, *kernel, *order;
    const char *const *checks; /* that were asked for, nchecks of them */
    const char *const *expects;
    unsigned nchecks, nexpects;
    uint32_t grid[3], block[3];
    uint64_t seed;
    uint64_t seeds, now; /* of --seeds: how many orders; the seed of the one that runs */
    struct report_item *items;
    unsigned nitems;
    uint64_t untold, untold_times; /* findings beyond those, and how often they were found */
    struct atoll_stats stats;
    struct atoll_contention *contention;
    unsigned ncontention;
    struct report_touch *touches;
    unsigned ntouches;
    bool watches; /* --history was asked for */
    bool began;   /* the launch: before that there is nothing to report */
    int code;     /* the exit code */
};

struct report_format {
    const char *name;   /* "sarif" */
    const char *ending; /* ".sarif" */
    void (*write)(const struct report *report, struct text *out);
};
extern const struct report_format report_sarif, report_junit, report_json, report_html, report_github;
const char *report_format_name(unsigned index); /* NULL past the end */

/* What --report says: FORMAT:FILE, a file with the ending of a format, "github". */
bool reports_parse(struct report *report, const struct list *given, struct atoll_error *error);
/* Whether they can probably be written. */
bool reports_check(const struct report *report, struct atoll_error *error);
/* False: no memory. */
bool report_finding(struct report *report, const struct atoll_finding *finding);
bool report_contention(struct report *report, const struct atoll_contention *row);
/* `watched`: as given; `before`, `after`: the values in words. */
bool report_touched(struct report *report, const char *watched, const struct atoll_touch *touch, const char *before,
                    const char *after);
bool report_difference(struct report *report, const char *name, const char *file, const char *message);
/* Of --seeds: `message` says of which seeds the result is, and how it differs. */
bool report_orders(struct report *report, uint64_t seed, uint64_t count, const char *message);
/* Why the run ended; `trap` holds of ATOLL_TRAP. */
bool report_end(struct report *report, const struct atoll_error *why, const struct atoll_trap *trap);
/* All of them, or none. */
bool reports_write(const struct report *report, struct atoll_error *error);

/* What the formats share. */

/* Where a side is told to be: a place in the source, else the line of the module's text. False: only in words. Of calls
 * that were inlined it is the innermost one in files of the user: those with relative names, below the folder where
 * atoll runs, or below that of the outermost place; else the outermost. Headers of a toolkit are none. */
struct report_place {
    const char *file;
    uint32_t line, column; /* column 0: not told */
};
uint32_t report_chosen(const struct report *report,
                       const struct atoll_finding_side *side); /* of places; there are some */
bool report_source(const struct report *report, const struct atoll_place *at, struct report_place *place);
bool report_place(const struct report *report, const struct atoll_finding_side *side, struct report_place *place);
/* "thread (1, 0, 0) of block (0, 0, 0)" */
void report_thread(const struct atoll_finding_side *side, struct text *out);
/* Whether it is about what the kernel does, not about what ended the launch. */
bool report_is_verdict(const struct report_item *item);
/* " with seed 7", of --seeds; else nothing. */
void report_seed(const struct report *report, const struct report_item *item, struct text *out);
/* "ok", "findings", "differs", "trap", "limit", "interrupted", "error". */
const char *report_status(const struct report *report);
/* "12 (4096 times)": findings that are not told */
void report_untold(uint64_t findings, uint64_t times, struct text *out);
/* The members of counters, and of rows of atomics, in an open object. */
void report_stats(struct json *json, const struct atoll_stats *stats);
void report_contended(struct json *json, const struct atoll_contention *rows, unsigned count);
const char *report_word(enum atoll_status status);

#endif

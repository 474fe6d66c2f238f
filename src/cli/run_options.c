/* Options of atoll run that do not go together, and words that they do not have. */
#include <inttypes.h>
#include <string.h>

#include "cli/run.h"

bool engine_given(const struct run_options *o, enum atoll_engine *engine, struct atoll_error *error)
{
    return !o->engine || (atoll_engine_find(o->engine, engine, error) && atoll_engine_available(*engine, error));
}

/* What makes a launch one that is watched, interpreted and on one host thread; NULL: nothing. */
static const char *watcher(const struct run_options *o)
{
    return o->checks.count     ? "--check"
           : o->history.count  ? "--history"
           : o->profiles.count ? "--profile"
           : o->weak           ? "--weak"
                               : NULL;
}

/* Launches that compiled code does not run. */
static bool engine_fits(const struct run_options *o, struct atoll_error *error)
{
    const char *other = watcher(o);
    if (!other)
        other = o->seeds ? "--seeds" : o->seed.given ? "--seed" : o->trace ? "--trace" : NULL;
    return !other || o->stream || !o->engine || strcmp(o->engine, "jit") != 0 ||
           error_set(error, ATOLL_USAGE, "--engine=jit and %s exclude each other: such launches are interpreted",
                     other);
}

static bool threads_fit(const struct run_options *o, struct atoll_error *error)
{
    const char *other = watcher(o);
    if (!other)
        other = o->deterministic ? "--deterministic" : o->seeds ? "--seeds" : o->seed.given ? "--seed" : NULL;
    return !other || o->stream || o->threads <= 1 ||
           error_set(error, ATOLL_USAGE,
                     "--threads=%" PRIu32 " and %s exclude each other: such launches have one host thread", o->threads,
                     other);
}

bool run_options_check(const struct run_options *o, struct atoll_error *error)
{
    const char *seeded = o->seed.given ? "--seed" : o->weak ? "--weak" : o->seeds ? "--seeds" : NULL;
    if (o->deterministic && seeded)
        return error_set(error, ATOLL_USAGE, "--deterministic and %s exclude each other", seeded);
    if (!engine_fits(o, error) || !threads_fit(o, error))
        return false;
    uint64_t first = o->seed.given ? o->seed.value : 1;
    if (o->seeds && first > UINT64_MAX - (o->seeds - 1))
        return error_set(error, ATOLL_USAGE, "--seeds=%" PRIu32 ": the last would be beyond the largest seed",
                         o->seeds);
    if (o->seeds && o->dump)
        return error_set(error, ATOLL_USAGE, "--seeds and --dump exclude each other");
    if (o->div_zero && strcmp(o->div_zero, "trap") != 0 && strcmp(o->div_zero, "ones") != 0)
        return error_set(error, ATOLL_USAGE, "--div-zero=%.100s: wanted trap or ones", o->div_zero);
    if (o->policy && strcmp(o->policy, "frontier") != 0 && strcmp(o->policy, "stack") != 0)
        return error_set(error, ATOLL_USAGE, "--policy=%.100s: wanted frontier or stack", o->policy);
    if ((o->reports.count || o->history.count || o->profiles.count) && o->stream)
        return error_set(error, ATOLL_USAGE, "--%s: there are none of command streams",
                         o->reports.count   ? "report"
                         : o->history.count ? "history"
                                            : "profile");
    if (o->stats_form && *o->stats_form && strcmp(o->stats_form, "json") != 0)
        return error_set(error, ATOLL_USAGE, "--stats=%.100s: wanted --stats or --stats=json", o->stats_form);
    if (o->contention_form && *o->contention_form && strcmp(o->contention_form, "csv") != 0)
        return error_set(error, ATOLL_USAGE, "--contention=%.100s: wanted --contention or --contention=csv",
                         o->contention_form);
    if (o->contention_form && o->stream)
        return error_set(error, ATOLL_USAGE, "--contention: atomics of command streams are not counted");
    if (o->stats_form && *o->stats_form && o->stream)
        return error_set(error, ATOLL_USAGE, "--stats=json: there is none of command streams");
    if (o->checks.count && o->stream)
        return error_set(error, ATOLL_USAGE, "--check: command streams are not checked");
    if (o->dump && strcmp(o->dump, "insn") != 0 && strcmp(o->dump, "lanes") != 0)
        return error_set(error, ATOLL_USAGE, "--dump=%.100s: wanted insn or lanes", o->dump);
    return true;
}

/* Which lines of the trace are wanted. */
#include "cli/run.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Up to `most` numbers with `between` between them. Returns how many; 0: it is something else. */
static unsigned parse_numbers(const char *text, char between, unsigned most, uint32_t *numbers)
{
    for (unsigned n = 0; n < most; text++) {
        char *end;
        errno = 0;
        unsigned long long value = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : UINT64_MAX;
        if (value > UINT32_MAX || errno)
            return 0;
        numbers[n++] = (uint32_t)value;
        if (!*end)
            return n;
        if (*end != between)
            return 0;
        text = end;
    }
    return 0;
}

static bool refuse(struct atoll_error *error, const char *option, const char *text, const char *wanted)
{
    return error_set(error, ATOLL_USAGE, "--%s=%.100s is not %s", option, text, wanted);
}

bool run_trace(struct run *run, struct atoll_error *error)
{
    const struct run_options *o = run->options;
    struct atoll_trace_filter *filter = &run->trace_filter;
    uint32_t lines[2];
    if (!o->trace && (o->trace_block || o->trace_warp.given || o->trace_lines || o->limit_trace))
        return error_set(error, ATOLL_USAGE, "there is no trace (--trace=FILE) to choose lines of");
    if (o->trace_block && !parse_numbers(o->trace_block, ',', 3, filter->block))
        return refuse(error, "trace-block", o->trace_block, "the number of a block, as 4 or 4,0,0");
    if (o->trace && !run_spares(&run->inputs, "--trace", o->trace, o->trace, error))
        return false;
    filter->one_block = o->trace_block != NULL;
    if (o->trace_warp.value > UINT32_MAX)
        return error_set(error, ATOLL_USAGE, "--trace-warp is not the number of a warp");
    filter->one_warp = o->trace_warp.given;
    filter->warp = (uint32_t)o->trace_warp.value;
    if (!o->trace_lines)
        return true;
    unsigned n = parse_numbers(o->trace_lines, '-', 2, lines);
    if (!n || !lines[0] || (n == 2 && lines[1] < lines[0]))
        return refuse(error, "trace-lines", o->trace_lines, "a line, as 12, or lines, as 12-20");
    filter->first_line = lines[0];
    filter->last_line = lines[n - 1];
    return true;
}

void run_traced_nothing(const struct run *run)
{
    const struct run_options *o = run->options;
    const uint32_t *grid = run->launch.grid, *block = run->launch.block;
    if (!o->trace_block && !o->trace_warp.given && !o->trace_lines)
        return;
    struct text what = {0};
    if (o->trace_block)
        text_printf(&what, " --trace-block=%s", o->trace_block);
    if (o->trace_warp.given)
        text_printf(&what, " --trace-warp=%" PRIu64, o->trace_warp.value);
    if (o->trace_lines)
        text_printf(&what, " --trace-lines=%s", o->trace_lines);
    if (text_ok(&what))
        run_note(run, "the trace is empty: nothing that ran is of%s (grid %ux%ux%u, block %ux%ux%u)", what.bytes,
                 grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    text_free(&what);
}

/* The line that tells how far a launch is: on a terminal, over and over, in one row of it. */
#include <inttypes.h>
#include <sys/ioctl.h>
#include <time.h>

#include "cli/run.h"

#define PROGRESS_AFTER 0.5 /* seconds: shorter launches show nothing */
#define PROGRESS_EVERY 0.1 /* seconds, of orders */

/* "7 s", "12:07", "1:12:07" */
static void put_duration(double seconds, struct text *out)
{
    uint64_t whole = (uint64_t)seconds;
    if (whole < 60)
        text_printf(out, "%" PRIu64 " s", whole);
    else if (whole < 3600)
        text_printf(out, "%" PRIu64 ":%02u", whole / 60, (unsigned)(whole % 60));
    else
        text_printf(out, "%" PRIu64 ":%02u:%02u", whole / 3600, (unsigned)(whole / 60 % 60), (unsigned)(whole % 60));
}

/* The time so far, and what is left if that goes like what is done. */
static void put_times(double seconds, double done, struct text *out)
{
    text_puts(out, ", ");
    put_duration(seconds, out);
    if (done > 0) {
        text_puts(out, ", ");
        put_duration(seconds / done - seconds + 0.5, out);
        text_puts(out, " left");
    }
}

static unsigned columns(void)
{
    struct winsize size;
    return ioctl(fileno(stderr), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* A line that wrapped could not be written over; one in the last column wraps on some terminals. */
static void put_line(struct progress *progress, struct text *line)
{
    size_t most = columns() - 1u;
    if (text_ok(line))
        fprintf(stderr, "\r\033[K%.*s", (int)(line->length < most ? line->length : most), line->bytes);
    progress->shown = true;
    text_free(line);
}

void progress_show(struct progress *progress, const struct atoll_progress *now)
{
    struct text line = {0};
    if (!progress->terminal || now->seconds < PROGRESS_AFTER)
        return;
    double done = now->blocks_total ? (double)now->blocks_done / (double)now->blocks_total : 0;
    text_printf(&line, "%" PRIu64 " of %" PRIu64 " blocks (%.0f %%), %.1f M warp instructions/s", now->blocks_done,
                now->blocks_total, 100 * done, (double)now->instructions / now->seconds / 1e6);
    put_times(now->seconds, done, &line);
    put_line(progress, &line);
}

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Orders can be short: the line is not written for each. */
void progress_show_orders(struct orders *orders, const struct atoll_progress *now)
{
    struct progress *progress = &orders->progress;
    struct text line = {0};
    double at = clock_seconds();
    if (progress->began == 0)
        progress->began = at;
    double seconds = at - progress->began;
    if (!progress->terminal || seconds < PROGRESS_AFTER || at - progress->told < PROGRESS_EVERY)
        return;
    progress->told = at;
    double part = now && now->blocks_total ? (double)now->blocks_done / (double)now->blocks_total : 0;
    text_printf(&line, "order %" PRIu64 " of %" PRIu64, orders->taken + 1, orders->wanted);
    put_times(seconds, ((double)orders->taken + part) / (double)orders->wanted, &line);
    put_line(progress, &line);
}

void progress_clear(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

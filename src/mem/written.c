/* Ranges of bytes that have been written (written.h). */
#include "mem/written.h"

#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum { RANGES_MOST = 4096, FIRST_RANGES = 4 };

void written_free(struct written *written)
{
    if (written)
        free(written->ranges);
    free(written);
}

static void give_up(struct written *written)
{
    free(written->ranges);
    written->ranges = NULL;
    written->count = written->room = 0;
    written->all = true;
}

static bool reserve(struct written *written)
{
    if (written->count < written->room)
        return true;
    uint32_t more = written->room ? 2 * written->room : FIRST_RANGES;
    struct written_range *ranges = more <= RANGES_MOST ? realloc(written->ranges, more * sizeof *ranges) : NULL;
    if (!ranges)
        return false;
    written->ranges = ranges;
    written->room = more;
    return true;
}

/* The number of ranges that end before `at`. */
static uint32_t before(const struct written *written, uint64_t at)
{
    return written->count ? search_not_below(&written->ranges->to, written->count, sizeof *written->ranges, at) : 0;
}

void written_add(struct written *written, uint64_t from, uint64_t to)
{
    if (written->all || from >= to)
        return;
    uint32_t first = before(written, from), end = first;
    for (; end < written->count && written->ranges[end].from <= to; end++) {
        from = from < written->ranges[end].from ? from : written->ranges[end].from;
        to = to > written->ranges[end].to ? to : written->ranges[end].to;
    }
    if (end == first && !reserve(written)) {
        give_up(written);
        return;
    }
    memmove(written->ranges + first + 1, written->ranges + end, (written->count - end) * sizeof *written->ranges);
    written->count = written->count - (end - first) + 1;
    written->ranges[first] = (struct written_range){from, to};
}

bool written_gap(const struct written *written, uint64_t from, uint64_t size, struct written_range *gap)
{
    if (written->all)
        return false;
    uint32_t i = before(written, from);
    if (i < written->count && written->ranges[i].from <= from) {
        from = written->ranges[i].to > from ? written->ranges[i].to : from;
        i++;
    }
    gap->from = from;
    gap->to = i < written->count && written->ranges[i].from < size ? written->ranges[i].from : size;
    return from < size;
}

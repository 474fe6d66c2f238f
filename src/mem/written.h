/* What of a piece of memory has been written since it was made: ranges of bytes, for the check of uninitialised memory
 * (docs/checks.md, "init"). Memory that has no such list counts as written. */
#ifndef ATOLL_MEM_WRITTEN_H
#define ATOLL_MEM_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

struct written_range {
    uint64_t from, to;
};

struct written {
    struct written_range *ranges; /* ascending, apart from each other */
    uint32_t count, room;
    bool all;       /* all of it is, or so many ranges that they are given up */
    uint64_t since; /* of its owner: when it was made */
};

void written_free(struct written *written);
void written_add(struct written *written, uint64_t from, uint64_t to);
/* The first bytes from `from` on that nobody has written, up to `size`; false: there are none. */
bool written_gap(const struct written *written, uint64_t from, uint64_t size, struct written_range *gap);

#endif

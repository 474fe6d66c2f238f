/* libctm's settings, from the environment: clients of 2006 know of none. docs/ctm.md, "Environment". */
#ifndef ATOLL_CTM_SETTINGS_H
#define ATOLL_CTM_SETTINGS_H

#include "machine/machine.h"

struct settings {
    struct machine_options machine;
    const char *errors; /* a file that mistakes are appended to; NULL: none */
    uint32_t first_id;
};

bool settings_read(struct settings *settings, struct atoll_error *error);
/* Appends a line to the file of mistakes, if there is one. */
void settings_tell(const struct settings *settings, const char *message);

#endif

/* Names of checks. */
#include "base/error.h"
#include "engine/engine.h"

#include <stdio.h>
#include <string.h>

const char *atoll_check_name(unsigned index)
{
    return check_name(index);
}

static bool find(const char *name, size_t length, unsigned *checks)
{
    if (length == 3 && memcmp(name, "all", 3) == 0) {
        *checks |= ATOLL_CHECK_ALL;
        return true;
    }
    for (unsigned i = 0; atoll_check_name(i); i++)
        if (strlen(atoll_check_name(i)) == length && memcmp(atoll_check_name(i), name, length) == 0) {
            *checks |= check_bit(i);
            return true;
        }
    return false;
}

bool atoll_check_find(const char *names, unsigned *checks, struct atoll_error *error)
{
    if (!names || !checks)
        return error_set(error, ATOLL_USAGE, "atoll_check_find: %s is NULL", names ? "checks" : "names");
    char known[200] = "all";
    for (unsigned i = 0; atoll_check_name(i); i++) {
        size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, ", %s", atoll_check_name(i));
    }
    *checks = 0;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        if (!find(at, length, checks))
            return error_set(error, ATOLL_USAGE, "no check '%.*s': wanted %s", (int)(length < 100 ? length : 100), at,
                             known);
    }
    return true;
}

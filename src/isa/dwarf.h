/* Debug information (DWARF 2 to 5): the names that a source gives to the parameters of its functions. Whoever makes
 * code with debug information writes it, in whatever family; nothing else of it is read. */
#ifndef ATOLL_ISA_DWARF_H
#define ATOLL_ISA_DWARF_H

#include <stddef.h>
#include <stdint.h>

struct dwarf_section {
    const uint8_t *bytes;
    size_t size;
};

struct dwarf {
    struct dwarf_section info, abbrev, str, line_str; /* .debug_info and so on; relocated */
};

/* Calls `found` for each parameter of each function: the function's name for linkers (its own, if it has none), the
 * position from 0 among the function's parameters, and the parameter's name ("" if it has none). A function may come
 * several times. Reading ends without a word where the information is broken. */
typedef void dwarf_found(void *user, const char *function, uint32_t position, const char *name);
void dwarf_parameters(const struct dwarf *dwarf, dwarf_found *found, void *user);

#endif

/* Debug information (DWARF 2 to 5): the names that a source gives to the parameters of its functions, and the lines
 * that code comes from. Whoever makes code with debug information writes it, in whatever family; nothing else of it is
 * read. */
#ifndef ATOLL_ISA_DWARF_H
#define ATOLL_ISA_DWARF_H

#include <stdbool.h>
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

/* A row of a line table: from `address` on up to the next row of its sequence code comes from this line. */
struct dwarf_row {
    uint64_t address;
    size_t address_at;             /* where in the section the sequence's address stands: relocations name it */
    uint32_t number;               /* in its sequence, from 1 */
    const char *directory, *file;  /* NULL: not told */
    uint32_t file_number, program; /* the file's in its table; which line table of the section, from 0 */
    uint32_t line, column;
    uint32_t caller;      /* the row, by number, of the call that was inlined here; 0: none */
    const char *function; /* that was inlined, by its symbol; NULL: not told */
    bool end;             /* of the sequence: no line; the address is behind the last */
};

/* Calls `found` for each row of the section's line tables, in the order they are in. The strings live as long as the
 * sections. Reading ends where the information is broken, or `found` returns false. */
enum dwarf_verdict { DWARF_READ, DWARF_BROKEN, DWARF_STOPPED, DWARF_NO_MEMORY };
typedef bool dwarf_row_found(void *user, const struct dwarf_row *row);
enum dwarf_verdict dwarf_lines(const struct dwarf_section *lines, const struct dwarf_section *str,
                               const struct dwarf_section *line_str, dwarf_row_found *found, void *user);

#endif

/* FIELDS: what a struct or an array of pointers is made of.
 *
 *   FIELDS   FIELD[,FIELD...]
 *   FIELD    TYPE:NUMBER          at the alignment of its type, as in C
 *            ptr:NAME[+BYTES]     the address of a buffer or variable; the handle of a surface; ptr:0
 *            NUMBER or NAME       of the type of the field before it
 *            bytes:HEX            as they are, not aligned
 *            align:N              what follows is at a multiple of N, and the struct has this alignment
 *            {FIELDS}             a struct within the struct
 *
 * A struct ends at a multiple of its alignment. */
#ifndef ATOLL_CLI_FIELDS_H
#define ATOLL_CLI_FIELDS_H

#include "base/error.h"
#include "base/text.h"

/* Gives the value of a pointer. */
typedef bool fields_address(void *user, const char *name, uint64_t *address, struct atoll_error *error);

/* Appends the struct's bytes to `out`; `address` may be NULL: pointers are 0. `layout` (may be NULL) gets what lies
 * where: "f32 0, ptr 8". */
bool fields_build(const char *text, fields_address *address, void *user, struct text *out, struct text *layout,
                  struct atoll_error *error);

#endif

/* Streams of single instructions. */
#ifndef ATOLL_CLI_WORDS_H
#define ATOLL_CLI_WORDS_H

#include "base/error.h"

enum words_mode {
    WORDS_DISASSEMBLE, /* numbers as struct family_hex has them -> text, or "? reason" */
    WORDS_ASSEMBLE,    /* "text [TAB address]" -> numbers, or "? reason" */
    WORDS_FILTER,      /* instructions -> numbers; comments and blank lines are skipped; the first mistake ends it */
};

struct family_hex;

/* Lines of file descriptor `input`, one line of standard output each. `hex`: of the family of `isa`. */
bool words_run(const struct atoll_isa *isa, const struct family_hex *hex, enum words_mode mode, int input,
               struct atoll_error *error);

#endif

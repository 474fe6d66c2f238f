/* Streams of single instructions. */
#ifndef ATOLL_CLI_WORDS_H
#define ATOLL_CLI_WORDS_H

#include "base/error.h"

enum words_mode {
    WORDS_DISASSEMBLE, /* "word [address [control]]" -> text, or "? reason" */
    WORDS_ASSEMBLE,    /* "text [TAB address]" -> word, or "? reason" */
    WORDS_FILTER,      /* instructions -> words; comments and blank lines are skipped; the first mistake ends it */
};

/* Lines of file descriptor `input`, one line of standard output each. */
bool words_run(const struct atoll_isa *isa, enum words_mode mode, int input, struct atoll_error *error);

#endif

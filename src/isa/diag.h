/* Diagnostics about a text: place, what was read, what was wanted. Every text front end reports through this. */
#ifndef ATOLL_ISA_DIAG_H
#define ATOLL_ISA_DIAG_H

#include "base/arena.h"
#include "base/error.h"

#include <stdarg.h>

enum { DIAG_BLOCKS = 256, DIAG_READ = 48, DIAG_HELD = 100000 };

/* A message that waits for its place in the order of lines. */
struct diag_held {
    uint32_t pos, length, number; /* number: in the order of reports */
    enum atoll_severity severity;
    const char *code;
    char *message;
};

/* A source text and where its messages go. Fill source (NULL: there is none, and messages have no place), size,
 * options; zero the rest. */
struct diag {
    const char *source;
    size_t size;
    const struct atoll_module_options *options; /* may be NULL */
    unsigned errors, warnings;
    unsigned told;  /* errors handed on; `errors` counts those that are held, too */
    bool stop;      /* max_errors reached: producers should wind up */
    bool no_memory; /* memory ran out: there is no verdict */
    bool hold; /* keep messages (at most DIAG_HELD) until diag_flush hands them on by place: passes go over the text
                * several times */
    struct atoll_error *first; /* gets the first error (status ATOLL_INVALID, line, column, message); may be NULL */
    /* Cache of the last look-up: the line that holds `seen` starts at line_pos, has number `line` (0 = none yet); the
     * last line whose end was looked for starts at end_of and ends at line_end. */
    uint32_t line_pos, line, seen, end_of, line_end;
    struct diag_held *held;
    uint32_t nheld, held_capacity;
    bool indexed; /* the text is divided into DIAG_BLOCKS blocks: start and number of the line that each begins in */
    uint32_t block_pos[DIAG_BLOCKS], block_line[DIAG_BLOCKS];
};

/* Reports a message about source[pos .. pos+length). `code` is a stable short name ("unknown-opcode"). */
void diag_report(struct diag *diag, enum atoll_severity severity, const char *code, uint32_t pos, uint32_t length,
                 const char *format, ...) PRINTF_LIKE(6, 7);

void diag_report_list(struct diag *diag, enum atoll_severity severity, const char *code, uint32_t pos, uint32_t length,
                      const char *format, va_list args);

/* Hands on what was held, by place, and holds no more. */
void diag_flush(struct diag *diag);

/* Line and column, from 1, of byte `pos`. */
void diag_place(struct diag *diag, uint32_t pos, uint32_t *line, uint32_t *column);

/* What is at a place where something else was wanted: ", not 'R300'", ", not the end". At most 32 bytes of it. */
void diag_read(const char *at, const char *end, char out[DIAG_READ]);

#endif

/* Reading the words, numbers and strings of the lane program's text form. Lines matter; blanks and // comments do not.
 * Every function that returns false has filled the error, unless it is named accept or at. */
#ifndef ATOLL_LANE_SCAN_H
#define ATOLL_LANE_SCAN_H

#include "base/arena.h"
#include "base/error.h"

struct scan {
    const char *at, *end, *line_start;
    uint32_t line; /* from 1 */
    struct atoll_error *error;
};

/* A word of the text, where it lies. */
struct word {
    const char *start;
    size_t length;
};

void scan_begin(struct scan *s, const char *text, size_t size, struct atoll_error *error);
/* "line:column: message" at the cursor. Always false. */
bool scan_fail(struct scan *s, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same at a place of the current line that was read before. */
bool scan_fail_at(struct scan *s, const char *where, const char *format, ...) PRINTF_LIKE(3, 4);

/* Skips blanks; the byte at the cursor, 0 at the end of the text. Newlines are not blanks. */
char scan_peek(struct scan *s);
bool scan_accept(struct scan *s, char c);
bool scan_expect(struct scan *s, char c);
/* The rest of the line is empty: goes to the next line. */
bool scan_end_line(struct scan *s);
bool scan_at_end_of_line(struct scan *s);
/* Goes to the next line, whatever this one holds. False at the end of the text. */
bool scan_skip_line(struct scan *s);
/* Goes to the next line that holds something. False at the end of the text. */
bool scan_next_line(struct scan *s);

/* A plain word: letters, digits, _ $ % and dots, not beginning with a digit or a dot, not "_" alone, and not a number
 * of ours (%12). The text form writes a thing by its name when the name is a plain word and the thing is the first of
 * that name, and by its number otherwise; printer and parser decide it here, alike. */
bool scan_is_word_text(const char *name, size_t length);
bool scan_is_word_byte(char c);

bool scan_at_word(struct scan *s);
bool scan_word(struct scan *s, struct word *word);
bool scan_is(struct word word, const char *text);
/* Reads the word `text` if it is there. */
bool scan_accept_word(struct scan *s, const char *text);
/* Decimal or 0x hexadecimal, up to 128 bits. */
bool scan_number128(struct scan *s, uint64_t *lo, uint64_t *hi);
bool scan_u64(struct scan *s, uint64_t *value);
bool scan_u32(struct scan *s, uint32_t *value);
/* +n or -n, or 0 if neither sign is there. */
bool scan_offset(struct scan *s, int64_t *value);
/* "...": a terminated copy in the arena. */
bool scan_string(struct scan *s, struct arena *arena, const char **string);

#endif

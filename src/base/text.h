/* A growing text. Failure to grow is sticky: check text_ok once at the end. */
#ifndef ATOLL_BASE_TEXT_H
#define ATOLL_BASE_TEXT_H

#include "base/error.h"

struct text {
    char *bytes; /* terminated once anything was added */
    size_t length, capacity;
    bool failed;
};

void text_add(struct text *text, const char *bytes, size_t length);
void text_puts(struct text *text, const char *string);
/* At least `more` bytes to write to at bytes + length; who writes adds to `length`, and leaves a byte for the
 * terminator, which is not kept up until something is added. NULL: no memory. */
char *text_room(struct text *text, size_t more);
void text_printf(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
/* A number in its first `count` bytes, the low byte first; at most 8. */
void text_number(struct text *text, uint64_t value, unsigned count);
/* A JSON string with its quotes; bytes that are not printable ASCII or valid UTF-8 are escaped. */
void text_json(struct text *text, const char *bytes, size_t length);
/* Text of XML or HTML, of elements and of attributes: valid UTF-8 without characters that XML forbids; what is none,
 * and control characters, become U+FFFD (XML 1.0, "Characters"). */
void text_markup(struct text *text, const char *bytes, size_t length);
static inline bool text_ok(const struct text *text)
{
    return !text->failed;
}
void text_free(struct text *text);

/* Whether a word is in a list with blanks between: "SULD SUST". */
bool text_list_has(const char *list, const char *word, size_t length);

#endif

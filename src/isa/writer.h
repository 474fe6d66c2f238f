/* Writing the text of an instruction into a buffer of fixed size. What does not fit is lost. */
#ifndef ATOLL_ISA_WRITER_H
#define ATOLL_ISA_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct isa_writer {
    char *at, *end;   /* end: room for the terminator stays after it */
    const char *kept; /* blanks before it are no end to be dropped */
    const struct isa_spelled *spelled;
};

static inline void writer_put(struct isa_writer *w, const char *text, size_t length)
{
    size_t room = (size_t)(w->end - w->at);
    if (length > room)
        length = room;
    if (length > 16) {
        memcpy(w->at, text, length);
    } else if (length >= 8) { /* short ones, nearly all, as two words that overlap */
        memcpy(w->at, text, 8);
        memcpy(w->at + length - 8, text + length - 8, 8);
    } else if (length >= 4) {
        memcpy(w->at, text, 4);
        memcpy(w->at + length - 4, text + length - 4, 4);
    } else if (length) {
        w->at[0] = text[0];
        w->at[length / 2] = text[length / 2];
        w->at[length - 1] = text[length - 1];
    }
    w->at += length;
}

static inline void writer_text(struct isa_writer *w, const char *text)
{
    writer_put(w, text, strlen(text));
}

static inline void writer_char(struct isa_writer *w, char c)
{
    if (w->at < w->end)
        *w->at++ = c;
}

void writer_decimal(struct isa_writer *w, uint64_t value);
void writer_hex(struct isa_writer *w, uint64_t value);
void writer_signed_hex(struct isa_writer *w, int64_t value);

#endif

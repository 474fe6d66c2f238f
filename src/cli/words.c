/* Streams of single instructions, a line each, through one pair of large buffers: atoll dis --words, atoll asm -b. */
#include "cli/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/chars.h"
#include "isa/family.h"

enum { BUFFER = 1 << 20, LINE_ROOM = ATOLL_INSTRUCTION_TEXT + 256 /* what one line of input can become */ };

struct stream {
    const struct atoll_isa *isa;
    const struct family_hex *hex;
    enum words_mode mode;
    struct atoll_error *error;
    uint64_t line;
    char *in, *out;
    size_t held, made; /* bytes in the buffers */
};

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* "0x1f" or "1F" up to a blank or the end. NULL: no number of at most 16 digits. */
static const char *hex_take(const char *p, const char *end, uint64_t *value)
{
    struct digits digits;
    if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
        p += 2;
    const char *first = p;
    p = digits_read(p, end, 16, &digits);
    *value = digits.value;
    if (p == first || p - first > 16 || (p < end && !blank(*p)))
        return NULL;
    while (p < end && blank(*p))
        p++;
    return p;
}

static void add(struct stream *s, const char *text, size_t length)
{
    if (length > LINE_ROOM)
        length = LINE_ROOM;
    memcpy(s->out + s->made, text, length);
    s->made += length;
}

static void add_refusal(struct stream *s, const char *reason)
{
    add(s, "? ", 2);
    add(s, reason, strlen(reason));
}

static void add_bytes(struct stream *s, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += s->hex->bytes) {
        if (at)
            add(s, " ", 1);
        for (size_t i = s->hex->bytes; i-- > 0;) {
            const char digits[] = {"0123456789abcdef"[bytes[at + i] >> 4], "0123456789abcdef"[bytes[at + i] & 15]};
            add(s, digits, sizeof digits);
        }
    }
}

/* NUMBER... [ADDRESS [EXTRA]]: the bytes of an instruction. */
static bool line_read(const struct stream *s, const char *p, const char *end, uint8_t bytes[FAMILY_HEX], size_t *size,
                      uint64_t *address)
{
    const struct family_hex *hex = s->hex;
    uint64_t number;
    *address = 0;
    *size = 0;
    while (p < end && blank(*p))
        p++;
    for (unsigned n = 0; hex->count ? n < hex->count : !n || p < end; n++) {
        p = *size + hex->bytes > FAMILY_HEX ? NULL : hex_take(p, end, &number);
        if (!p || (hex->bytes < 8 && number >> 8 * hex->bytes))
            return false;
        bytes_put(bytes + *size, number, hex->bytes);
        *size += hex->bytes;
    }
    if (p < end && !(p = hex_take(p, end, address)))
        return false;
    if (p < end && hex->extra) {
        p = hex_take(p, end, &number);
        bytes_put(bytes + *size, number, hex->extra);
        *size += hex->extra;
    }
    return p == end;
}

static void disassemble(struct stream *s, const char *p, const char *end)
{
    uint64_t address;
    uint8_t bytes[FAMILY_HEX + 8];
    size_t size;
    char text[ATOLL_INSTRUCTION_TEXT];
    struct atoll_error error;
    if (!line_read(s, p, end, bytes, &size, &address)) {
        add(s, "? wanted ", strlen("? wanted "));
        add(s, s->hex->wanted, strlen(s->hex->wanted));
    } else if (atoll_isa_decode(s->isa, bytes, size, address, text, NULL, &error))
        add(s, text, strlen(text));
    else
        add_refusal(s, error.message);
}

/* TEXT [TAB ADDRESS] -> the bytes of an instruction */
static bool assemble(struct stream *s, const char *p, const char *end, uint8_t bytes[FAMILY_HEX], size_t *size,
                     struct atoll_error *error)
{
    const struct family_hex *hex = s->hex;
    const char *tab = memchr(p, '\t', (size_t)(end - p));
    uint64_t address = 0;
    if (tab && s->mode == WORDS_ASSEMBLE && hex_take(tab + 1, end, &address) != end)
        return error_at(error, ATOLL_INPUT, 1, (uint32_t)(tab - p) + 2, "wanted a hexadecimal address");
    size_t length = (size_t)((tab && s->mode == WORDS_ASSEMBLE ? tab : end) - p);
    size_t room = hex->count ? (size_t)hex->count * hex->bytes : FAMILY_HEX;
    return atoll_isa_encode(s->isa, p, length, address, s->mode == WORDS_FILTER, bytes, room, size, error);
}

static void assemble_line(struct stream *s, const char *p, const char *end)
{
    uint8_t bytes[FAMILY_HEX];
    size_t size;
    struct atoll_error error;
    if (assemble(s, p, end, bytes, &size, &error))
        add_bytes(s, bytes, size);
    else
        add_refusal(s, error.message);
}

static bool flush(struct stream *s)
{
    for (size_t at = 0; at < s->made;) {
        ssize_t wrote = write(STDOUT_FILENO, s->out + at, s->made - at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return error_set(s->error, ATOLL_SYSTEM, "cannot write to the standard output: %s", strerror(errno));
        at += (size_t)wrote;
    }
    s->made = 0;
    return true;
}

/* What may be before an instruction of a listing: blanks, its address in a comment, the brace of a pair. */
static const char *skip_before(const char *p, const char *end)
{
    for (;;) {
        while (p < end && (blank(*p) || *p == '{' || *p == '}'))
            p++;
        if (end - p < 2 || p[0] != '/' || p[1] != '*')
            return p;
        for (p += 2; end - p >= 2 && !(p[0] == '*' && p[1] == '/');)
            p++;
        p = end - p >= 2 ? p + 2 : end;
    }
}

static bool filter_piece(struct stream *s, const char *start, const char *p, const char *end)
{
    uint8_t bytes[FAMILY_HEX];
    size_t size;
    struct atoll_error error = {0};
    unsigned line = (unsigned)s->line, column = (unsigned)(p - start);
    if (!assemble(s, p, end, bytes, &size, &error))
        return error_at(s->error, ATOLL_INPUT, (uint32_t)s->line, column + error.column, "line %u, column %u: %s", line,
                        column + error.column, error.message);
    if (error.message[0])
        fprintf(stderr, "atoll: warning: line %u, column %u: %s\n", line, column + error.column, error.message);
    add_bytes(s, bytes, size);
    return true;
}

/* A line for a person, of any number of instructions: comments and blank lines are skipped, mistakes end it. */
static bool filter_line(struct stream *s, const char *p, const char *end, bool *said)
{
    const char *start = p;
    *said = false;
    for (const char *q = p; q < end; q++)
        if (*q == '#' || (q + 1 < end && q[0] == '/' && q[1] == '/'))
            end = q;
    while ((p = skip_before(p, end)) < end) {
        const char *stop = memchr(p, ';', (size_t)(end - p));
        if (!stop)
            stop = end;
        if (stop > p && *said)
            s->out[s->made++] = '\n';
        if (stop > p && !filter_piece(s, start, p, stop))
            return false;
        *said |= stop > p;
        if (s->made + 2 * LINE_ROOM > BUFFER && !flush(s))
            return false;
        p = stop < end ? stop + 1 : end;
    }
    return true;
}

static bool line_take(struct stream *s, const char *p, const char *end)
{
    bool said = true;
    s->line++;
    if (end > p && end[-1] == '\r')
        end--;
    if (s->mode == WORDS_DISASSEMBLE)
        disassemble(s, p, end);
    else if (s->mode == WORDS_ASSEMBLE)
        assemble_line(s, p, end);
    else if (!filter_line(s, p, end, &said))
        return false;
    if (said)
        s->out[s->made++] = '\n';
    return s->made + 2 * LINE_ROOM <= BUFFER || flush(s);
}

/* The whole lines of the buffer; the rest moves to its front. */
static bool lines_take(struct stream *s, bool last)
{
    const char *p = s->in, *end = s->in + s->held;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline && !last)
            break;
        if (!line_take(s, p, newline ? newline : end))
            return false;
        p = newline ? newline + 1 : end;
    }
    s->held = (size_t)(end - p);
    memmove(s->in, p, s->held);
    if (s->held == BUFFER)
        return error_at(s->error, ATOLL_INPUT, (uint32_t)s->line + 1, 1, "a line of more than %d bytes", BUFFER);
    return flush(s); /* whoever feeds us line by line wants the answers */
}

static bool run(struct stream *s, int input)
{
    for (;;) {
        ssize_t got = read(input, s->in + s->held, BUFFER - s->held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(s->error, ATOLL_SYSTEM, "cannot read: %s", strerror(errno));
        s->held += (size_t)got;
        if (!lines_take(s, got == 0) || got == 0)
            return got == 0 && s->error->status == ATOLL_OK;
    }
}

bool words_run(const struct atoll_isa *isa, const struct family_hex *hex, enum words_mode mode, int input,
               struct atoll_error *error)
{
    struct stream s = {
        .isa = isa, .hex = hex, .mode = mode, .error = error, .in = malloc(BUFFER), .out = malloc(BUFFER)};
    *error = (struct atoll_error){0};
    bool ok = s.in && s.out ? run(&s, input) : error_memory(error);
    if (!ok && s.out) {
        struct atoll_error ignored = {0};
        s.error = &ignored;
        flush(&s); /* what was right before the mistake */
    }
    free(s.in);
    free(s.out);
    return ok;
}

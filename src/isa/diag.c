/* Diagnostics: counts, places, holds, hands to the caller. Places are found in about constant time, so that thousands
 * of messages stay cheap: forward from the last one, or from the nearest of DIAG_BLOCKS points of the text. */
#include "isa/diag.h"
#include "base/chars.h"
#include "base/hard.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves the cache forward to `pos`, which lies after `seen`. */
static void advance(struct diag *diag, uint32_t pos)
{
    for (;;) {
        const char *from = diag->source + diag->seen;
        const char *newline = memchr(from, '\n', pos - diag->seen);
        if (!newline)
            break;
        diag->line++;
        diag->seen = diag->line_pos = (uint32_t)(newline - diag->source) + 1;
    }
    diag->seen = pos;
}

static uint32_t block_size(const struct diag *diag)
{
    return (uint32_t)(diag->size / DIAG_BLOCKS) + 1;
}

static void restart(struct diag *diag, uint32_t seen, uint32_t line_pos, uint32_t line)
{
    diag->seen = seen;
    diag->line_pos = line_pos;
    diag->line = line;
}

static void build_index(struct diag *diag)
{
    uint32_t size = block_size(diag);
    restart(diag, 0, 0, 1);
    for (uint32_t i = 0; i < DIAG_BLOCKS && (size_t)i * size <= diag->size; i++) {
        advance(diag, i * size);
        diag->block_pos[i] = diag->line_pos;
        diag->block_line[i] = diag->line;
    }
    diag->indexed = true;
}

void diag_place(struct diag *diag, uint32_t pos, uint32_t *line, uint32_t *column)
{
    if (pos > diag->size)
        pos = (uint32_t)diag->size;
    if (diag->line == 0)
        restart(diag, 0, 0, 1);
    if (pos < diag->line_pos || (pos > diag->seen && pos - diag->seen > block_size(diag))) {
        if (!diag->indexed)
            build_index(diag);
        uint32_t block = pos / block_size(diag);
        restart(diag, block * block_size(diag), diag->block_pos[block], diag->block_line[block]);
    }
    if (pos > diag->seen)
        advance(diag, pos);
    *line = diag->line;
    *column = pos - diag->line_pos + 1;
}

/* End of the line that the cache is on. */
static uint32_t line_end(struct diag *diag)
{
    if (diag->line_end == 0 || diag->end_of != diag->line_pos) {
        const char *start = diag->source + diag->line_pos;
        const char *end = diag->size ? memchr(start, '\n', diag->size - diag->line_pos) : NULL;
        diag->line_end = end ? (uint32_t)(end - diag->source) : (uint32_t)diag->size;
        diag->end_of = diag->line_pos;
    }
    uint32_t end = diag->line_end;
    if (end > diag->line_pos && diag->source[end - 1] == '\r')
        end--;
    return end;
}

/* Control characters (a pasted newline, say) would break "one line a message". */
static void one_line(char *message)
{
    for (; *message; message++)
        if ((unsigned char)*message < 0x20 || *message == 0x7f)
            *message = ' ';
}

/* One error more handed on; sets `stop` at the last that is wanted. */
static void count_told(struct diag *diag)
{
    diag->told++;
    if (diag->options && diag->options->max_errors && diag->told >= diag->options->max_errors)
        diag->stop = true;
}

static void tell(struct diag *diag, const struct diag_held *m)
{
    if (diag->stop)
        return;
    uint32_t line = 0, column = 0;
    if (diag->source)
        diag_place(diag, m->pos, &line, &column);
    if (m->severity == ATOLL_ERROR) {
        count_told(diag);
        if (diag->told == 1)
            error_at(diag->first, ATOLL_INVALID, line, column, "%s", m->message);
    }
    const struct atoll_module_options *options = diag->options;
    if (!options || !options->diagnose)
        return;
    struct atoll_diagnostic out = {
        .severity = m->severity,
        .code = m->code,
        .message = m->message,
        .file = options->file ? options->file : "<memory>",
        .line = line,
        .column = column,
        .length = m->length,
        .line_text = diag->source ? diag->source + diag->line_pos : "",
    };
    out.line_length = diag->source ? line_end(diag) - diag->line_pos : 0;
    options->diagnose(options->user, &out);
}

/* False: no room, or no memory. */
static bool hold(struct diag *diag, const struct diag_held *m)
{
    if (diag->nheld == DIAG_HELD)
        return false;
    if (diag->nheld == diag->held_capacity) {
        uint32_t capacity = diag->held_capacity ? diag->held_capacity * 2 : HARD(64, 1);
        struct diag_held *held = realloc(diag->held, capacity * sizeof *held);
        if (!held)
            return false;
        diag->held = held;
        diag->held_capacity = capacity;
    }
    struct diag_held *place = &diag->held[diag->nheld];
    *place = *m;
    place->number = diag->nheld;
    place->message = strdup(m->message);
    diag->nheld += place->message != NULL;
    return place->message != NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct diag_held *x = a, *y = b;
    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void diag_flush(struct diag *diag)
{
    diag->hold = false;
    if (diag->nheld)
        qsort(diag->held, diag->nheld, sizeof *diag->held, by_place);
    for (uint32_t i = 0; i < diag->nheld; i++) {
        tell(diag, &diag->held[i]);
        free(diag->held[i].message);
    }
    free(diag->held);
    diag->held = NULL;
    diag->nheld = diag->held_capacity = 0;
}

void diag_report(struct diag *diag, enum atoll_severity severity, const char *code, uint32_t pos, uint32_t length,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_report_list(diag, severity, code, pos, length, format, args);
    va_end(args);
}

void diag_report_list(struct diag *diag, enum atoll_severity severity, const char *code, uint32_t pos, uint32_t length,
                      const char *format, va_list args)
{
    if (diag->stop)
        return;
    char message[700];
    vsnprintf(message, sizeof message, format, args);
    one_line(message);
    diag->errors += severity == ATOLL_ERROR;
    diag->warnings += severity == ATOLL_WARNING;
    struct diag_held m = {.pos = pos, .length = length, .severity = severity, .code = code, .message = message};
    if (diag->hold && hold(diag, &m))
        return;
    diag_flush(diag);
    tell(diag, &m);
}

void diag_read(const char *at, const char *end, char out[DIAG_READ])
{
    enum { MOST = 32 };
    char read[MOST + 1] = {0};
    size_t length = 1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at >= end || *at == '\r' || *at == '\n') {
        snprintf(out, DIAG_READ, ", not the end");
        return;
    }
    bool whole = *at == '&' || *at == '?', number = *at >= '0' && *at <= '9';
    if (whole || char_word(*at) || strchr(".@!-~", *at))
        while (length < (size_t)(end - at) && (char_word(at[length]) || (number && at[length] == '.') ||
                                               (whole && at[length] != ' ' && at[length] != '\t')))
            length++;
    size_t shown = length < MOST ? length : MOST;
    for (size_t i = 0; i < shown; i++)
        read[i] = (char)(at[i] < ' ' || at[i] > '~' ? '?' : at[i]);
    snprintf(out, DIAG_READ, ", not '%s%s'", read, length > MOST ? "..." : "");
}

/* Command streams: the table of commands, and the text of a stream. Source: docs/ctm.md, "Command stream". */
#ifndef ATOLL_MACHINE_STREAM_H
#define ATOLL_MACHINE_STREAM_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"

enum {
    STREAM_FIELDS = 6,     /* of a command, at most */
    STREAM_PARAMETERS = 4, /* the same of parameter words */
};

enum stream_command {
#define COMMAND(name, ...) STREAM_##name,
#include "machine/commands.inc"
#undef COMMAND
    STREAM_COMMANDS
};

/* How a field is read and written. PLACE: the bits as they stand in the word, the others 0 (an address in 31:11, a
 * pitch in 12:2). */
enum stream_kind {
    STREAM_NUMBER,
    STREAM_PLACE,
    STREAM_FLOAT,
    STREAM_TILING,
    STREAM_FORMAT,
    STREAM_CONDITION,
    STREAM_LOCATION
};
enum stream_sure { STREAM_STATED, STREAM_HIGH, STREAM_GOOD, STREAM_LOW };
enum stream_running { STREAM_UNKNOWN, STREAM_YES, STREAM_NO };

struct stream_field {
    const char *name; /* NULL: past the last */
    uint8_t parameter, high, low, kind;
};

struct stream_row {
    const char *name;
    uint8_t operation, parameters, sure, running;
    const char *says;
    struct stream_field fields[STREAM_FIELDS];
};
extern const struct stream_row stream_rows[STREAM_COMMANDS];

static inline uint32_t stream_mask(const struct stream_field *field)
{
    return (uint32_t)((UINT64_C(2) << field->high) - (UINT64_C(1) << field->low));
}
/* The field's bits, moved down unless it is a PLACE. */
uint32_t stream_get(const struct stream_field *field, uint32_t word);
uint32_t stream_put(const struct stream_field *field, uint32_t value);
uint32_t stream_opcode(enum stream_command command);
/* Bits of a parameter word that no field has. */
uint32_t stream_reserved(const struct stream_row *row, unsigned parameter);

/* The names of values of a kind, STREAM_NAMES of them; NULL in the list: reserved. NULL: the kind has no names. */
enum { STREAM_NAMES = 8 };
const char *const *stream_names(enum stream_kind kind);

/* Words of 32 bits, the low byte first. */
struct stream {
    const uint8_t *bytes;
    size_t words;
};
static inline uint32_t stream_word(const struct stream *stream, size_t at)
{
    return bytes_u32(stream->bytes + 4 * at);
}
/* False: `size` is no number of words. */
bool stream_open(const void *bytes, size_t size, struct stream *stream, struct atoll_error *error);

/* What stands at a word of a stream. */
struct stream_item {
    const struct stream_row *row; /* NULL: no command of the table */
    uint32_t words;               /* with the opcode; 1 where it is no opcode at all */
    bool packet;                  /* it has the form of an opcode, which tells `words` */
};
/* `at` is before the end. False: the command does not end within the stream. */
bool stream_next(const struct stream *stream, size_t at, struct stream_item *item, struct atoll_error *error);

/* Appends the text of a stream, a command a line: its fields, and reserved bits where they are not 0. What has the form
 * of a command and is none of the table is `.packet` and its words, other words are `.word`. stream_parse gives the
 * same words back. On failure (a stream that ends within a command) the text has what is before. */
bool stream_print(const struct stream *stream, struct text *out, struct atoll_error *error);
/* Appends the bytes of the stream that a text describes. Fields that are not named are 0. */
bool stream_parse(const char *text, size_t length, struct text *out, struct atoll_error *error);

#endif

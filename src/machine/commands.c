/* The table of commands, and what their words say. */
#include "machine/stream.h"

#define FIELD(name, parameter, high, low, kind)    \
    {                                              \
#name, parameter, high, low, STREAM_##kind \
    }
#define BASE(parameter) FIELD(base, parameter, 31, 11, PLACE)
#define FORMAT(parameter)                                                            \
    FIELD(pitch, parameter, 12, 2, PLACE), FIELD(tiling, parameter, 17, 16, TILING), \
        FIELD(format, parameter, 26, 24, FORMAT)
#define NO_FIELDS \
    {             \
        0         \
    }

const struct stream_row stream_rows[STREAM_COMMANDS] = {
#define COMMAND(name, operation, parameters, sure, running, says, ...) \
    {#name, operation, parameters, STREAM_##sure, STREAM_##running, says, {__VA_ARGS__}},
#include "machine/commands.inc"
#undef COMMAND
};

uint32_t stream_get(const struct stream_field *field, uint32_t word)
{
    uint32_t bits = word & stream_mask(field);
    return field->kind == STREAM_PLACE ? bits : bits >> field->low;
}

uint32_t stream_put(const struct stream_field *field, uint32_t value)
{
    return (field->kind == STREAM_PLACE ? value : value << field->low) & stream_mask(field);
}

/* The choice of all opcodes: the two that the guide states have this form (docs/ctm.md, "Command stream"). */
static uint32_t opcode_of(const struct stream_row *row)
{
    return 0xc0000000u | (row->parameters - 1u) << 16 | (uint32_t)row->operation << 8;
}

uint32_t stream_opcode(enum stream_command command)
{
    return opcode_of(&stream_rows[command]);
}

uint32_t stream_reserved(const struct stream_row *row, unsigned parameter)
{
    uint32_t bits = UINT32_MAX;
    for (unsigned i = 0; i < STREAM_FIELDS && row->fields[i].name; i++)
        if (row->fields[i].parameter == parameter)
            bits &= ~stream_mask(&row->fields[i]);
    return bits;
}

const char *const *stream_names(enum stream_kind kind)
{
    static const char *const tilings[STREAM_NAMES] = {"LINEAR", "TILED", "LINEAR_INP_2X2", "TILED_INP_2X2"};
    static const char *const formats[STREAM_NAMES] = {"UINT16_1", "UINT8_4", "FLOAT32_1", "FLOAT32_2", "FLOAT32_4"};
    static const char *const conditions[STREAM_NAMES] = {"never", "lt", "le", "eq", "ge", "gt", "ne", "always"};
    static const char *const locations[STREAM_NAMES] = {"DPP", "PE"};
    switch (kind) {
    case STREAM_TILING:
        return tilings;
    case STREAM_FORMAT:
        return formats;
    case STREAM_CONDITION:
        return conditions;
    case STREAM_LOCATION:
        return locations;
    default:
        return NULL;
    }
}

static const struct stream_row *row_of(uint32_t opcode)
{
    for (unsigned i = 0; i < STREAM_COMMANDS; i++)
        if (opcode_of(&stream_rows[i]) == opcode)
            return &stream_rows[i];
    return NULL;
}

bool stream_open(const void *bytes, size_t size, struct stream *stream, struct atoll_error *error)
{
    *stream = (struct stream){bytes, size / 4};
    return size % 4 == 0 || error_set(error, ATOLL_INPUT, "a command stream of %zu bytes: words have 4 bytes", size);
}

bool stream_next(const struct stream *stream, size_t at, struct stream_item *item, struct atoll_error *error)
{
    uint32_t opcode = stream_word(stream, at);
    size_t left = stream->words - at;
    bool packet = opcode >> 30 == 3;
    *item = (struct stream_item){row_of(opcode), packet ? (opcode >> 16 & 0x3fff) + 2 : 1, packet};
    return item->words <= left ||
           error_set(error, ATOLL_INPUT,
                     "word %zu (%s%s0x%08x): the stream ends within the command, after %zu of %u words", at,
                     item->row ? item->row->name : "opcode", item->row ? ", " : " ", opcode, left, item->words);
}

/* The small language of --arg, --bind and --var: NAME=VALUE.
 *
 *   VALUE    1024                          a number of the parameter's own type
 *            TYPE:NUMBER[,NUMBER...]       u32:1024   f32:0.5   u32:1,2,3,4 (arrays and structs)
 *            bytes:HEX                     bytes:00ff17
 *            struct:FIELDS                 a struct (fields.h)
 *            ptr:NAME[+BYTES][,...]        pointers, as in a struct
 *            buffer:@FILE                  a numpy array, the pixels of a PNG file, the bytes of any other file
 *            buffer:TYPE[N]                N zeros; N may be 0
 *            buffer:TYPE[N]=NUMBER         N times the number
 *            buffer:TYPE[]=NUMBER,...      these numbers
 *            buffer:TYPE[N]@FILE           a file that must have this size
 *            buffer:struct:FIELDS          a struct, or some
 *            buffer:ptr[N]=NAME[+BYTES][,...]   pointers: [N], [] and lists as above
 *            buffer:NAME[+BYTES]           the buffer of another --arg or --let, or the rest of it from there
 *            buffer:alias:NAME             the same memory at a second address
 *            surface:FILE.png[:FORMAT][:SETTING...]   a picture
 *            surface:FORMAT:GEOMETRY[:SETTING...]     zeros
 *            surface:FORMAT:GEOMETRY=NUMBER[,NUMBER...][:SETTING...]   every texel: one number, or one a channel
 *            surface:FORMAT:GEOMETRY[:SETTING...]:@FILE   the texels, tightly packed, or a picture
 *            surface:NAME                  the surface of another --arg
 *            sampler:WORD[,WORD...]        linear,repeat,normalized (sampler.c has the words)
 *            constant:buffer:...           what the kernel's source says of it, for --abi;
 *                                          read: write: read_write: before surface:...
 *            local:BYTES                   so many bytes of shared memory; the parameter gets where they begin
 *   TYPE     u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 f16 f32 f64
 *   SETTING  block-linear  tile-x  tile-y  tile-4  tile-r580  pitch[=BYTES]  block-height=GOBS  block-depth=GOBS
 *            levels=N  level=N  index=N  disabled  quad
 *            missing=TILE[-TILE][,...]: tiles of 64 KiB that are not resident
 *            at=NAME[+BYTES]: it lies over a buffer
 *   GEOMETRY WxH  1d:W  1dbuffer:W  1darray:WxL  2d:WxH  2darray:WxHxL  3d:WxHxD  cube:W  cubearray:WxN
 */
#ifndef ATOLL_CLI_ARGUMENT_H
#define ATOLL_CLI_ARGUMENT_H

#include "base/arena.h"
#include "base/error.h"

/* A scalar type by its PTX name. */
struct value_type {
    const char *name;
    char class;     /* 'u', 's', 'b', 'f'; 'p' pointer */
    unsigned bytes; /* 1, 2, 4, 8 */
};
const struct value_type *value_type_at(unsigned index); /* NULL past the end */
const struct value_type *value_type_find(const char *name, size_t length);
/* Writes type->bytes bytes. Numbers out of the type's range are errors, never cut off. */
bool value_parse(const struct value_type *type, const char *text, size_t length, void *out, struct atoll_error *error);
/* "1,2,3": memory of the arena with *count values. */
bool values_parse(struct arena *arena, const struct value_type *type, const char *text, void **values, uint64_t *count,
                  struct atoll_error *error);
/* "00ff17" */
bool bytes_parse(struct arena *arena, const char *text, void **bytes, uint64_t *count, struct atoll_error *error);

/* "2darray:640x480x3": dimension and extents of a surface. */
bool format_unknown(const char *name, struct atoll_error *error); /* says so, and which it may mean; false */
bool geometry_parse(const char *text, struct atoll_surface_desc *desc, struct atoll_error *error);
/* The last '+' of NAME+BYTES and its number, decimal or 0x; NULL: the text has none. */
const char *offset_find(const char *text, uint64_t *bytes);
/* "0,4-7": takes the first range off *text. False: that is no range. */
bool ranges_next(const char **text, uint64_t *first, uint64_t *last);

/* What was said of the layout, in any order; 0 = nothing. */
struct layout_settings {
    uint64_t pitch, block_height, block_depth;
};

enum argument_kind {
    ARGUMENT_NUMBER,
    ARGUMENT_VALUES,
    ARGUMENT_FIELDS,
    ARGUMENT_BUFFER,
    ARGUMENT_SURFACE,
    ARGUMENT_LOCAL,
    ARGUMENT_SAMPLER
};
enum { SAMPLER_BYTES = 16 };

struct argument {
    const char *name, *value; /* as given */
    enum argument_kind kind;
    const char *number;            /* NUMBER: its text */
    const struct value_type *type; /* VALUES, BUFFER; NULL = bytes */
    void *values;                  /* VALUES; BUFFER and SURFACE: what to fill with; NULL = none */
    uint64_t count;                /* VALUES: of values (of bytes with type NULL); LOCAL: bytes */
    const char *fields;            /* FIELDS; BUFFER: pointers or a struct to fill with; NULL = none */
    bool sized;                    /* BUFFER: it was said how many elements there are */
    uint64_t elements;             /* BUFFER: how many; not sized: as many as the file has */
    uint64_t fills;                /* BUFFER: numbers to fill with */
    const char *fill;              /* SURFACE: text of the numbers to fill with; NULL = zeros */
    const char *file;              /* BUFFER, SURFACE: NULL = none */
    const char *alias;             /* BUFFER, SURFACE: name of another argument; for surfaces perhaps a file */
    bool second;                   /* BUFFER: the other one's memory at an address of its own */
    const char *over;              /* SURFACE: the buffer whose bytes are its texels, NAME[+BYTES]; NULL = none */
    const char *format;            /* SURFACE: NULL = the picture's own */
    const char *access;            /* BUFFER, SURFACE: "constant", "read" ...; NULL = not said */
    unsigned char sampler[SAMPLER_BYTES];
    const char *missing;            /* SURFACE: ranges of tiles; NULL = none */
    struct atoll_surface_desc desc; /* SURFACE with a geometry; width 0 = the picture's; without `settings` */
    struct layout_settings settings;
};

/* Parses NAME=VALUE (`option` is for messages: "--arg"). Everything is allocated in the arena. */
bool argument_parse(struct arena *arena, const char *option, const char *text, struct argument *argument,
                    struct atoll_error *error);

/* sampler.c: the bytes of "linear,repeat"; of a sampler of which nothing is said: nearest, clamp, unnormalized. */
bool sampler_parse(const char *text, unsigned char state[SAMPLER_BYTES], struct atoll_error *error);
void sampler_usual(unsigned char state[SAMPLER_BYTES]);

/* abi.c: whether the value is a name of what a launch knows, for an input. */
bool abi_word(const struct argument *argument);

/* The description of a SURFACE with its layout's settings. */
bool argument_surface(const struct argument *argument, struct atoll_surface_desc *desc, struct atoll_error *error);

#endif

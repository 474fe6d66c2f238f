/* A family of instruction sets: all that the public functions ask of one. families.c has the list; nothing outside of
 * src/isa names a family.
 *
 * A row may leave out (NULL) what its family does not have: text that is assembled, code in bytes, headers. */
#ifndef ATOLL_ISA_FAMILY_H
#define ATOLL_ISA_FAMILY_H

#include "base/arena.h"
#include "base/error.h"
#include "isa/dwarf.h"

struct family;
struct lane_module;
struct surface;
struct surface_shape;
struct text;

/* One of the texts (or files of bytes) of a module. */
struct family_source {
    const char *file; /* for messages */
    const char *text;
    size_t size;
};

/* What was written, as its family keeps it: a struct of the family's own, which only the family looks into. */
struct front;

/* A module on its way in. */
struct family_load {
    const struct family_source *sources;
    unsigned count;                             /* of sources, at least 1; all of the family */
    const char *file;                           /* the names of all: "a.cubin, b.cubin" */
    const struct atoll_module_options *options; /* what is wrong is told there */
    struct arena *arena;                        /* lives as long as the module */
    struct front *front;                        /* out; `unload` frees it, also after a failure */
    struct lane_module *lanes;                  /* out */
};

/* "PTX 8.3, sm_90a, 64-bit addresses": kind, version (10 * major + minor), "sm_", arch, suffix. */
struct family_target {
    const char *kind;
    unsigned version, arch, address_size; /* arch 0: none */
    char suffix;                          /* 0 = none */
};

/* What debug information says of one source. */
struct family_debug {
    struct dwarf dwarf;
    const char *text; /* what the source was made from, where it is kept; of another family. NULL: it is not */
    size_t size;
};

/* A parameter's name in the source, "" where it has none. */
typedef void family_name_fn(void *user, const char *function, uint32_t position, const char *name);

/* Something that a kernel declares, for `atoll info`. */
struct family_told {
    const char *list; /* what it is one of: "inputs" */
    const char *name;
    const char *value;     /* NULL: none */
    bool placed;           /* it has a place: */
    uint32_t offset, size; /* bytes */
};
/* Items of one list come one after the other. */
typedef void family_told_fn(void *user, const struct family_told *told);

/* ---- explain ----------------------------------------------------------------------------------------------- */

/* What an instruction, or a part of one, was found to be: a struct of the family's own, in the arena of the call. */
struct explained;

/* One thing that is said of it: lines under a title. */
struct family_fact {
    const char *title;
    /* The title is left out where nothing is added, not even an empty text. */
    void (*write)(const struct explained *what, struct text *out);
};

struct family_explained {
    const char *warning; /* said first; NULL: nothing */
    const char *name;
    size_t length; /* of the name */
    const char *summary;
    const struct explained *what;
    const struct family_fact *facts; /* in this order; title NULL at the end */
};

/* ---- machine code ----------------------------------------------------------------------------------------- */

/* One of the family's instruction sets, opened: its rows are compiled. Never changes. */
struct family_machine {
    const struct family *family;
    unsigned machine; /* index in the family's `machines` */
    const void *rows; /* compiled, as the family keeps them */
};

/* An instruction as a line of hexadecimal numbers: `count` numbers of `bytes` bytes, the low byte first in memory; 0:
 * as many as there are. Where they are counted, an address may follow, and then what may come with an instruction: a
 * number of `extra` bytes (0: none). */
struct family_hex {
    uint8_t bytes, count, extra;
    const char *wanted; /* what a line has, in words */
};
enum { FAMILY_HEX = 128 /* bytes of an instruction in such a line, at most */ };

/* What families with a binary form offer besides. */
struct family_code {
    struct family_hex hex;
    /* The rows, compiled once per process. NULL: no memory. */
    const void *(*rows)(struct atoll_error *error);
    /* Proves what can be proved of the rows: adds a line for each break, and counts them. Returns the number of rows.
     */
    unsigned (*lint)(const void *rows, struct text *out, unsigned *breaks);
    /* The instruction at the start of bytes[0..size): its text (ISA_TEXT bytes) and how many bytes it takes. False:
     * there is none; `error` says why. */
    bool (*decode)(const struct family_machine *m, const void *bytes, size_t size, uint64_t address, char *text,
                   size_t *used, struct atoll_error *error);
    /* One instruction of text to at most `room` bytes, and how many it takes; `rules`: operand rules hold, too. */
    bool (*encode)(const struct family_machine *m, const char *text, size_t length, uint64_t address, bool rules,
                   void *bytes, size_t room, size_t *used, struct atoll_error *error);
    /* A module of bytes as text; where `raw`, code alone. */
    bool (*disassemble)(const struct family_machine *m, bool raw, const void *bytes, size_t size,
                        const struct atoll_listing_options *options, struct text *out, struct atoll_error *error);
    /* Text to a module of bytes. All mistakes, and what else its writer is to be told of, go where `options` says;
     * NULL: the first mistake, or the first warning (status ATOLL_OK, line, message), goes to `error`. */
    bool (*assemble)(const struct family_machine *m, const char *text, size_t length,
                     const struct atoll_module_options *options, struct text *out, struct atoll_error *error);
    /* A line for each result that is used before it is ready, in a module of bytes or text; adds to *count. */
    /* NULL: the family has none to tell. */
    bool (*hazards)(const struct family_machine *m, const void *bytes, size_t size, struct text *out, unsigned *count,
                    struct atoll_error *error);
};

/* A field of a header: its bits, what they are called (NULL: they are a number), and whether they are read as
 * hexadecimal.
 */
struct family_field {
    const char *name, *meaning;
    uint32_t bits;
    unsigned hex_digits; /* at least; 0: decimal */
};

/* Headers by which the hardware knows surfaces. */
struct family_headers {
    size_t bytes;  /* of one */
    uint32_t last; /* the largest index that a handle can hold */
    bool (*encode)(const struct surface *surface, uint64_t address, void *header, struct atoll_error *error);
    bool (*decode)(const void *header, struct surface_shape *shape, uint64_t *address, struct atoll_error *error);
    /* The field `index` of those that headers can have. False: there are no more. A header may lack some: name NULL. */
    bool (*field)(const void *header, unsigned index, struct family_field *field);
};

/* What a launch may ask for. */
struct family_limits {
    uint32_t grid[3], block[3]; /* blocks, threads a block */
    uint32_t block_threads;
    uint64_t shared_bytes;          /* that a block can have */
    const char *shared_text;        /* the same in words */
    const char *required, *at_most; /* what a kernel says of its blocks: ".reqntid", ".maxntid" */
};

/* ---- the row ---------------------------------------------------------------------------------------------- */

struct family {
    const char *name;            /* "sass" */
    const char *title;           /* "machine code": what messages call its modules */
    const char *const *machines; /* its instruction sets, NULL at the end; the first is meant where none is named */
    const char *not_code;        /* what is said of its text where code was wanted; NULL: nothing */
    struct family_limits limits;
    bool simd;                     /* the threads of a warp may be asked for (atoll_module_options.simd) */
    const char *const *abis;       /* that may be asked for, NULL at the end; NULL: none */
    const char *const *tex_writes; /* likewise: when results of lookups can be written */

    /* Whether this is a module of the family, by how it begins. */
    bool (*takes)(const char *text, size_t size);
    bool (*load)(struct family_load *load, struct atoll_error *error);
    /* What `load` says of one source, in less memory; nothing is kept. NULL: load it. */
    bool (*check)(const struct family_source *source, const struct atoll_module_options *options,
                  struct atoll_error *error);
    void (*unload)(struct front *front); /* NULL: it lies in the arena */
    bool (*print)(const struct front *front, struct text *out, struct atoll_error *error); /* canonical text */
    bool (*insns)(const struct front *front, struct text *out, struct atoll_error *error); /* one a line */
    void (*target)(const struct front *front, unsigned source, struct family_target *target);
    /* What kernel `number` declares besides parameters. NULL: nothing. */
    void (*tell)(const struct front *front, unsigned number, family_told_fn *told, void *user);
    bool (*debug)(const struct front *front, unsigned source, struct arena *arena, struct family_debug *debug);
    /* The names that a text gives to parameters of kernels. False without memory. */
    bool (*parameter_names)(struct arena *arena, const char *text, size_t size, family_name_fn *found, void *user);

    bool (*explains)(const char *instruction); /* whether this looks like an instruction of the family */
    /* What there is to say of an instruction; machine: of `machines`, or FAMILY_ANY. family_explain prints it. */
    bool (*explain)(const char *instruction, unsigned machine, struct arena *arena, struct family_explained *found,
                    struct atoll_error *error);
    void (*list)(unsigned flags, struct text *out); /* enum atoll_list_flag */

    const struct family_code *code;
    const struct family_headers *headers;
};

enum { FAMILY_ANY = 255 };

/* All families, NULL at the end. A text that none takes is the first's, whose reader says what is wrong. */
extern const struct family *const families[];

const struct family *family_of_text(const char *text, size_t size);
const struct family *family_find(const char *name); /* NULL: there is none of this name */
/* The family and number of an instruction set ("SM50"; upper or lower case); NULL: there is none. */
const struct family *family_of_machine(const char *name, unsigned *machine);
/* The largest index that handles of all families can hold. */
uint32_t family_last_header(void);
/* The first family that has code in bytes; that has headers. */
const struct family *family_of_code(void);
const struct family *family_of_headers(void);
/* Where a text begins, past blanks and comments of any family. */
const char *family_skip_comments(const char *at, const char *end);
/* Explains an instruction, or a part of one, on one of the family's machines (FAMILY_ANY: on any). */
bool family_explain(const struct family *family, const char *instruction, unsigned machine, struct text *out,
                    struct atoll_error *error);
/* The same as an object of JSON in a list (docs/json.md, "Instructions"). */
struct json;
bool family_explain_json(const struct family *family, const char *instruction, unsigned machine, struct json *json,
                         struct atoll_error *error);
/* The family whose instruction this looks like; the first, where it is none's. */
const struct family *family_that_explains(const char *instruction);
/* "PTX, SM50, SM52": all instruction sets, or those of families with a binary form. */
void family_list_machines(bool code, struct text *out);

#endif

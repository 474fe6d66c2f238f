/* Hardware conformance: test cases that a GPU and Atoll both run, and the files that carry them.
 *
 * A case is a small PTX module with one kernel k(out, in, s), a surface or none, and input bytes. It is launched
 * `shots` times as one block of `threads` threads. Before each shot
 *   - `in` holds the shot's slice of the input,
 *   - every byte of `out` is HW_FILL,
 *   - the surface holds `texels`.
 * A result is what `out` and the surface hold after each shot, or the fault that ended the case.
 * The formats of both files are described in docs/hardware.md. */
#ifndef ATOLL_TESTS_HW_H
#define ATOLL_TESTS_HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "atoll.h" /* enum atoll_dimension; recording links nothing of the library */

enum { HW_VERSION = 1, HW_FILL = 0xee, HW_NAME = 128, HW_MOST_THREADS = 1024, HW_MOST_SHOTS = 4096 };

/* ---- bytes and text ------------------------------------------------------------------------------------ */

/* Grows as needed; `data` ends with a zero byte that `size` does not count. Running out of memory ends the program. */
struct hw_text {
    char *data;
    size_t size, room;
};
void hw_put(struct hw_text *text, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void hw_add(struct hw_text *text, const char *format, ...);
void hw_hex(struct hw_text *text, const void *bytes, size_t size); /* "-" for no bytes */
void hw_free(struct hw_text *text);
/* Decodes what hw_hex wrote. */
bool hw_unhex(const char *hex, struct hw_text *bytes);
uint64_t hw_digest(uint64_t digest, const void *bytes, size_t size); /* FNV-1a; begin with 0 */

/* ---- what an instruction does, for the model ------------------------------------------------------------- */

enum hw_op { HW_OTHER, HW_SULD, HW_SUST_B, HW_SUST_P, HW_SURED_B, HW_SURED_P, HW_SUQ, HW_ATOM, HW_RED };
enum hw_clamp { HW_TRAP, HW_CLAMP, HW_ZERO };
enum hw_space { HW_GLOBAL, HW_SHARED, HW_GENERIC_GLOBAL, HW_GENERIC_SHARED, HW_GENERIC_LOCAL, HW_SPACES };

/* kind: 'b' bits, 'u' and 's' integers, 'f' IEEE floats, 'g' bfloat16. */
struct hw_type {
    const char *name;
    uint8_t bytes; /* of one element */
    char kind;
    uint8_t packed; /* numbers in an element: 2 for f16x2 */
};

/* A geometry of surface instructions. axes: meaning of the operand's elements in order; l = layer. */
struct hw_geometry {
    const char *name, *axes;
    enum atoll_dimension dimension;
};

struct hw_spec {
    enum hw_op op;
    const struct hw_geometry *geometry;
    const struct hw_type *type;
    unsigned vec; /* elements: 1, 2, 4, 8 */
    enum hw_clamp clamp;
    const char *atomic; /* "add" ... */
    enum hw_space space;
    unsigned at; /* atom, red: byte of the 16-byte slot that the address names */
};

/* ---- formats of surfaces ----------------------------------------------------------------------------------- */

struct hw_format {
    char name[16];
    char kind;     /* n unorm, s snorm, u uint, i sint, f float: as in atoll_format_info */
    uint8_t bytes; /* of a texel */
    uint8_t channels;
    uint8_t bits;   /* of the first channel */
    unsigned array; /* CUarray_format (cuda.h) */
};
bool hw_format(const char *name, struct hw_format *format);
bool hw_format_at(unsigned index, struct hw_format *format); /* false past the end */
const char *hw_dimension_name(enum atoll_dimension dimension);

/* ---- cases -------------------------------------------------------------------------------------------------- */

/* What fixes the answer. Differences in the first two are errors; the other two are questions to the hardware. */
enum hw_class {
    HW_ISA,      /* the PTX ISA */
    HW_MEASURED, /* published measurements (RTX 3060) */
    HW_CHOICE,   /* undefined by the vendor: a named choice of Atoll */
    HW_OPEN,     /* a question of docs/hardware.md */
    HW_CLASSES
};
const char *hw_class_name(enum hw_class class);

struct hw_case {
    char name[HW_NAME];
    enum hw_class class;
    unsigned sm; /* least compute capability: 75 */
    bool has_surface;
    enum atoll_dimension dimension;
    uint32_t width, height, depth, layers; /* 0 where unused */
    char format[16];
    unsigned shots, threads;
    uint32_t in_bytes, out_bytes; /* of one shot */
    struct hw_text texels, in, ptx;
    struct hw_spec spec; /* only of generated cases; not in the file */
};
uint64_t hw_case_digest(const struct hw_case *c);
uint64_t hw_texel_bytes(const struct hw_case *c); /* of the whole surface */
void hw_case_write(FILE *file, const struct hw_case *c);

struct hw_cases {
    struct hw_case *at;
    size_t count, room;
};
/* Appends an empty case. The pointer holds until the next one is added. */
struct hw_case *hw_case_new(struct hw_cases *cases);
void hw_cases_free(struct hw_cases *cases);
void hw_cases_write(FILE *file, const struct hw_cases *cases);
/* message: what is wrong, with the line. */
bool hw_cases_read(FILE *file, struct hw_cases *cases, char message[256]);
/* Those of a file; NULL: generated ones. False: the message has been printed. */
bool hw_cases_take(struct hw_cases *cases, const char *path);

/* All cases, the same every time. */
void hw_generate(struct hw_cases *cases);
void hw_generate_surfaces(struct hw_cases *cases);
void hw_generate_reductions(struct hw_cases *cases);
void hw_generate_atomics(struct hw_cases *cases);
void hw_generate_pure(struct hw_cases *cases); /* of these: */
void hw_generate_integers(struct hw_cases *cases);
void hw_generate_floats(struct hw_cases *cases);
void hw_generate_conversions(struct hw_cases *cases);
void hw_generate_warp(struct hw_cases *cases);

/* ---- results ------------------------------------------------------------------------------------------------ */

enum hw_status {
    HW_RAN,
    HW_FAULT, /* the launch failed: `detail` is the error's name, `shot` where */
    HW_SKIP,  /* the device cannot run it */
    HW_ERROR, /* could not be tried: the module does not load ... */
    HW_HANG,  /* did not end in time */
    HW_STATUSES
};
const char *hw_status_name(enum hw_status status);

struct hw_result {
    char name[HW_NAME];
    uint64_t digest; /* of the case it was made with */
    enum hw_status status;
    unsigned shot;
    char detail[160];
    struct hw_text out;     /* hexadecimal, all shots */
    struct hw_text surface; /* a word a shot: OFFSET:HEX,OFFSET:HEX... of changed bytes, "-" for none */
};
void hw_result_begin(struct hw_result *result, const struct hw_case *c);
void hw_result_free(struct hw_result *result);
/* Adds what one shot left. */
void hw_result_shot(struct hw_result *result, const struct hw_case *c, const void *out, const void *texels);
bool hw_result_same(const struct hw_result *a, const struct hw_result *b);

/* Who returned results; its lines of a file: a key and its words. */
struct hw_origin {
    char source[16]; /* "gpu" or "atoll" */
    char device[128], driver[64], compute[16];
};
void hw_origin_text(struct hw_text *text, const struct hw_origin *origin);
bool hw_origin_read(struct hw_origin *origin, const char *key, const char *words);
/* Copies a text; false: it has no room. */
bool hw_keep(char *to, size_t room, const char *text);

struct hw_results {
    struct hw_origin origin;
    struct hw_result *at;
    size_t count, room;
};
void hw_results_header(struct hw_text *text, const struct hw_results *results);
void hw_result_text(struct hw_text *text, const struct hw_result *result);
void hw_results_free(struct hw_results *results);
bool hw_results_read(FILE *file, struct hw_results *results, char message[256]);
/* A file of results to read, packed by gzip or not; NULL: it cannot be read. Needs zlib (open.c). */
FILE *hw_results_open(const char *path);
const struct hw_result *hw_results_find(const struct hw_results *results, const char *name);

/* ---- running ------------------------------------------------------------------------------------------------ */

/* Runs a case through atoll.h. */
void hw_run(const struct hw_case *c, struct hw_result *result);
/* What the rules say, computed in plain C; false: the model does not cover the case. */
bool hw_model(const struct hw_case *c, struct hw_result *result);

#endif

/* The command line: what the sub-commands share. */
#ifndef ATOLL_CLI_CLI_H
#define ATOLL_CLI_CLI_H

#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"

/* Exit codes (docs/cli.md). */
enum cli_exit {
    EXIT_OK = 0,
    EXIT_KERNEL = 1,      /* the kernel trapped, the module does not validate, or results differ */
    EXIT_USAGE = 2,       /* the command line is wrong */
    EXIT_INPUT = 3,       /* a file is missing, broken or cannot be written */
    EXIT_LIMIT = 4,       /* instruction, time or memory limit reached */
    EXIT_INTERRUPT = 130, /* stopped by Ctrl-C: 128 + SIGINT, as shells count */
    EXIT_UNREAD = 141     /* nobody returns it: the signal ends the program */
};

int cli_exit_of(enum atoll_status status);
/* Prints "atoll: error: ..." and returns the exit code. */
int cli_fail(const struct atoll_error *error);
/* Puts the file, and line and column where there are some, before a message of the library. Always false. */
bool error_in(const char *path, struct atoll_error *error);
/* Writes to the standard output; returns `code`, or, when that fails, says so and returns its exit code. Everything
 * that a command prints goes this way: buffers of <stdio.h> forget why they could not be written. */
int cli_put(const char *bytes, size_t size, int code);
/* The same for a text, which it frees. */
int cli_put_text(struct text *text, int code);

/* ---- options.c ------------------------------------------------------------------------------------------- */

enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_LIST,     /* struct list: may be given any number of times */
    OPTION_U32,      /* uint32_t */
    OPTION_U64,      /* uint64_t */
    OPTION_U32_SOME, /* the same, from 1: 0 stands for the default */
    OPTION_U64_SOME,
    OPTION_SEED,    /* struct seed */
    OPTION_WORD,    /* const char *: a word that may be left out, --name or --name=WORD; then it is "" */
    OPTION_COUNT,   /* struct seed: a number from 1 that may be left out, --name or --name=N */
    OPTION_SECONDS, /* double, at least 0 */
    OPTION_REAL,    /* double, at least 0, finite */
    OPTION_SHAPE,   /* struct shape: "64", "64x64", "8x8x8" */
    OPTION_VERSION, /* unsigned, 10 * major + minor: "8.1" */
};

struct list {
    const char **items; /* terminated by NULL once anything was added */
    unsigned count;
};

struct shape {
    uint32_t size[3];
    bool given;
};

struct seed {
    uint64_t value;
    bool given;
};

struct option {
    const char *name;     /* without the dashes */
    char letter;          /* short form, 0 = none */
    const char *argument; /* for --help; NULL = a flag */
    enum option_kind kind;
    size_t offset;    /* in the command's options */
    const char *help; /* lines separated by '\n'; {code}, {all}: instruction sets with a binary form, all */
};

enum { FILES_MOST = 1 << 20 }; /* files of a command that takes any number */

struct command {
    const char *name;
    const char *synopsis; /* after the name: "FILE [options]" */
    const char *summary;
    const struct option *options; /* ends with a NULL name */
    const char *notes;            /* printed below the options; may be NULL */
    unsigned least, most;         /* files and other plain arguments */
    size_t size;                  /* of the options */
    /* Runs it. `options` has been filled; `plain` holds the plain arguments. */
    int (*run)(const struct command *command, struct arena *arena, const void *options, const struct list *plain);
};

/* Fills *options (command->size zeroed bytes) and *plain. */
bool options_parse(const struct command *command, struct arena *arena, int argc, char **argv, void *options,
                   struct list *plain, struct atoll_error *error);
void options_help(const struct command *command, struct text *out);
/* A line of help, in which {code} stands for the instruction sets with a binary form, {all} for all. */
void options_line(const char *line, size_t length, struct text *out);
bool list_add(struct arena *arena, struct list *list, const char *item);
/* "1024x768x3": 1 to `most` numbers from 1 to 2^32-1; *count gets how many. */
bool shape_parse(const char *text, unsigned most, uint32_t size[3], unsigned *count);

extern const struct command command_run, command_check, command_info, command_fmt, command_dis, command_asm,
    command_list, command_explain, command_surface, command_lint, command_litmus, command_diff, command_completion;
/* main.c: all of them, in the order of --help; NULL past the last. */
const struct command *command_at(unsigned index);

/* dis_json.c: a listing as a document. False: no memory. */
struct text;
bool dis_json(const char *path, const char *text, size_t length, struct text *out);
/* A stream of single instructions from a file (mode: enum words_mode); the exit code. */
int cli_words(const char *isa_name, const char *path, int mode);

/* ---- stream.c: command streams -------------------------------------------------------------------------------- */

/* A command stream to text, or text to one; NULL: the standard output. The exit code. */
int cli_stream_print(const char *path, const char *output);
int cli_stream_assemble(const char *path, const char *output);

/* ---- source.c: the module of a command --------------------------------------------------------------------- */

/* Options of all commands that read a module; part of their options. */
struct source_options {
    const char *target;
    const char *diagnostics; /* "text", "json" */
    unsigned version;
    uint32_t max_errors;
    uint32_t simd;
    const char *abi;      /* NAME or NAME:FILE */
    const char *abi_text; /* where no file is given; no option of its own */
    const char *tex_write;
    bool strict, fmad;
};

/* clang-format off */
#define MESSAGE_FORM_OPTIONS(type, member)                                                                             \
    {"strict", 0, NULL, OPTION_FLAG, offsetof(type, member.strict),                                                    \
     "reject what the vendor's assembler lets through by oversight"},                                                  \
    {"diagnostics", 0, "text|json", OPTION_TEXT, offsetof(type, member.diagnostics),                                   \
     "form of the messages; json: one object a line, on standard output"}
#define MESSAGE_OPTIONS(type, member)                                                                                  \
    {"max-errors", 0, "N", OPTION_U32_SOME, offsetof(type, member.max_errors),                                         \
     "stop after N errors (default: never)"},                                                                          \
    MESSAGE_FORM_OPTIONS(type, member)
#define TARGET_OPTIONS(type, member)                                                                                   \
    {"target", 0, "NAME", OPTION_TEXT, offsetof(type, member.target), "check as for another target: sm_NN; of vISA a platform, SKL ..."},   \
    {"ptx-version", 0, "N.N", OPTION_VERSION, offsetof(type, member.version),                                          \
     "check as if the module said .version N.N"}
#define SOURCE_OPTIONS(type, member) TARGET_OPTIONS(type, member), MESSAGE_OPTIONS(type, member)
/* Of commands that look at kernels as they are launched. */
#define LAUNCH_OPTIONS(type, member)                                                                                   \
    {"simd", 0, "8|16|32", OPTION_U32, offsetof(type, member.simd),                                                    \
     "threads a warp, where a vISA kernel does not say it (default: its widest instruction)"},                         \
    {"abi", 0, "NAME[:FILE]", OPTION_TEXT, offsetof(type, member.abi),                                                 \
     "how kernels get their arguments: opencl (vISA of ocloc; FILE: its .ze_info, or a list)"},                        \
    {"tex-write", 0, "deferred|immediate|seeded", OPTION_TEXT, offsetof(type, member.tex_write),                       \
     "when CTM's lookups are written: where their semaphore is waited for (default), at once, at a time by --seed"},    \
    {"fmad", 0, NULL, OPTION_FLAG, offsetof(type, member.fmad),                                                        \
     "fuse products and sums of PTX without rounding modifiers, as ptxas does by default"}
/* clang-format on */

struct json;

/* Counts of what was printed. */
struct diagnosed {
    unsigned errors, warnings;
    bool json, colors;
    struct json *collected;       /* a list that gets them, instead of being printed; NULL: they are */
    struct atoll_error unwritten; /* status ATOLL_OK: all of it was printed */
};

/* A file that is a module; one without a byte is none. */
struct blob;
bool module_read(const char *path, struct blob *blob, struct atoll_error *error);
/* Reads and loads a module ("-" = standard input), or several files joined as one, and prints its diagnostics. `device`
 * may be NULL. On failure the message has been printed and *code holds the exit code. */
struct atoll_module *sources_load(const struct list *paths, const struct source_options *options,
                                  struct atoll_device *device, struct diagnosed *diagnosed, int *code);
/* Writes a text about a module to a file, NULL: the standard output; returns the exit code. */
int sources_text(const struct list *paths, const struct source_options *options, enum atoll_text what,
                 const char *output);

/* Validates them only; gives the exit code. */
int sources_check(const struct list *paths, const struct source_options *options, struct diagnosed *diagnosed);

/* ---- abi.c ---------------------------------------------------------------------------------------------------- */

/* Fills abi and abi_text of `load`. */
bool abi_open(struct arena *arena, const struct source_options *options, struct atoll_module_options *load,
              struct atoll_error *error);
/* What the --arg of the command line are, as a list for abi_text; `kernel` may be NULL. */
bool abi_arguments(struct arena *arena, const struct list *args, const char *kernel, const char **list,
                   struct atoll_error *error);

/* ---- diagnose.c ---------------------------------------------------------------------------------------------- */

/* The callback for atoll_module_options; `user` is a struct diagnosed. */
void diagnose_print(void *user, const struct atoll_diagnostic *diagnostic);
/* One diagnostic as text, as clang prints it, or as a JSON object and a newline. */
void diagnose_text(const struct atoll_diagnostic *diagnostic, bool colors, struct text *out);
void diagnose_json(const struct atoll_diagnostic *diagnostic, struct text *out);
/* Whether to use colours on this stream: a terminal, no NO_COLOR, TERM not "dumb". */
bool diagnose_colors(FILE *stream);
/* --diagnostics: "text", "json"; NULL: text. */
bool diagnose_form(const char *form, struct diagnosed *diagnosed, struct atoll_error *error);

#endif

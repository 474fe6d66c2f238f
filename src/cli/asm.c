/* atoll asm: text to machine code. */

#include <string.h>

#include "cli/cli.h"
#include "cli/words.h"
#include "file/file.h"

#define ASM_LARGEST (UINT64_C(1) << 30) /* bytes of text */

struct asm_options {
    struct source_options messages; /* strict, max_errors, diagnostics */
    const char *isa, *output;
    bool words, stream;
};

static const struct option options[] = {
    {"binary", 'b', "ISA", OPTION_TEXT, offsetof(struct asm_options, isa),
     "instruction set: {code}; without -o: print the word of each instruction"},
    {"words", 0, NULL, OPTION_FLAG, offsetof(struct asm_options, words),
     "a text a line in (behind a tab, where wanted, its address), a word a line out;\n"
     "'?' and the reason where the text is no instruction"},
    {"stream", 0, NULL, OPTION_FLAG, offsetof(struct asm_options, stream),
     "the text is one of a command stream of CTM, as atoll dis --stream prints it"},
    {"output", 'o', "FILE", OPTION_TEXT, offsetof(struct asm_options, output),
     "write a cubin; of vISA a container, of CTM an executable"},
    MESSAGE_OPTIONS(struct asm_options, messages),
    {0},
};

/* Exit code 3 whatever is wrong with the text: it is a file that is broken. */
static int assemble(const struct asm_options *o, const char *path)
{
    struct atoll_error error = {0};
    struct blob blob = {0};
    struct diagnosed seen = {0};
    struct atoll_module_options told = {.file = strcmp(path, "-") == 0 ? "<stdin>" : path,
                                        .max_errors = o->messages.max_errors,
                                        .strict = o->messages.strict,
                                        .diagnose = diagnose_print,
                                        .user = &seen};
    char *bytes = NULL;
    size_t size = 0;
    bool ok = diagnose_form(o->messages.diagnostics, &seen, &error) && file_read(path, ASM_LARGEST, &blob, &error) &&
              (atoll_assemble((const char *)blob.bytes, blob.size, o->isa, &told, &bytes, &size, &error) ||
               error_in(path, &error)) &&
              file_write(o->output, bytes, size, &error);
    blob_free(&blob);
    atoll_text_free(bytes);
    if (!ok && seen.unwritten.status != ATOLL_OK)
        error = seen.unwritten;
    if (ok)
        return EXIT_OK;
    return error.status == ATOLL_INVALID && seen.errors ? EXIT_INPUT : cli_fail(&error);
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct asm_options *o = given;
    struct atoll_error error = {0};
    if (o->words)
        return cli_words(o->isa, plain->items[0], WORDS_ASSEMBLE);
    if (o->stream)
        return cli_stream_assemble(plain->items[0], o->output);
    if (o->output)
        return assemble(o, plain->items[0]);
    if (o->isa)
        return cli_words(o->isa, plain->items[0], WORDS_FILTER);
    error_set(&error, ATOLL_USAGE, "atoll asm: where to? -o FILE writes a cubin, -b SM50 prints words");
    return cli_fail(&error);
}

const struct command command_asm = {
    .name = "asm",
    .synopsis = "FILE.sass -o FILE.cubin | -b SM50 FILE.sass",
    .summary = "assemble a module or single instructions",
    .options = options,
    .notes = "  atoll asm k.sass -o k.cubin\n"
             "  atoll asm k.visaasm -o k.isa                    (Intel vISA)\n"
             "  atoll asm k.dpp -o k.elf                        (ATI's CTM)\n"
             "  nvdisasm k.cubin | atoll asm - -o new.cubin     (what nvdisasm and cuobjdump -sass write is read too)\n"
             "  echo 'SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100' | atoll asm -b SM50 -\n",
    .least = 1,
    .most = 1,
    .size = sizeof(struct asm_options),
    .run = run_command,
};

/* atoll dis: machine code, and containers of vISA, to text. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/words.h"
#include "file/file.h"
#include "isa/family.h"

#define DIS_LARGEST (UINT64_C(1) << 30) /* bytes of a cubin or of raw code */

struct dis_options {
    const char *isa, *output;
    uint64_t base;
    bool words, stream, hex, control, code, no_vliw, no_dataflow, json;
};

static const struct option options[] = {
    {"binary", 'b', "ISA", OPTION_TEXT, offsetof(struct dis_options, isa),
     "the file is raw code of this instruction set: {code}"},
    {"words", 0, NULL, OPTION_FLAG, offsetof(struct dis_options, words),
     "a hexadecimal word a line in (behind it, where wanted, address and control bits),\n"
     "a text a line out; '?' and the reason where the word is no instruction"},
    {"stream", 0, NULL, OPTION_FLAG, offsetof(struct dis_options, stream),
     "the file is a command stream of CTM: its commands with their fields"},
    {"hex", 0, NULL, OPTION_FLAG, offsetof(struct dis_options, hex), "print the words beside the text"},
    {"code", 'c', NULL, OPTION_FLAG, offsetof(struct dis_options, code), "only sections of code"},
    {"no-vliw", 0, NULL, OPTION_FLAG, offsetof(struct dis_options, no_vliw),
     "no braces around instructions that issue together"},
    {"no-dataflow", 0, NULL, OPTION_FLAG, offsetof(struct dis_options, no_dataflow),
     "no targets behind branches that the branch stack or a table decides"},
    {"control", 0, NULL, OPTION_FLAG, offsetof(struct dis_options, control),
     "print the scheduling fields, which atoll asm reads back"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(struct dis_options, json),
     "as JSON (docs/json.md): a line each, with section, address, word"},
    {"base", 0, "ADDRESS", OPTION_U64, offsetof(struct dis_options, base), "address of the first byte of raw code"},
    {"output", 'o', "FILE", OPTION_TEXT, offsetof(struct dis_options, output),
     "where to write (default: standard output)"},
    {0},
};

int cli_words(const char *isa_name, const char *path, int mode)
{
    struct atoll_error error = {0};
    struct atoll_isa *isa;
    unsigned machine;
    if (!atoll_isa_open(isa_name, &isa, &error))
        return cli_fail(&error);
    const struct family *family = isa_name ? family_of_machine(isa_name, &machine) : family_of_code();
    int input = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    bool ok = input < 0 ? error_set(&error, ATOLL_INPUT, "%.500s: cannot be read", path)
                        : words_run(isa, &family->code->hex, (enum words_mode)mode, input, &error);
    if (input > STDIN_FILENO)
        close(input);
    atoll_isa_close(isa);
    return ok ? EXIT_OK : cli_fail(&error);
}

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    (void)command, (void)arena;
    const struct dis_options *o = given;
    struct atoll_error error = {0};
    struct blob blob = {0};
    struct atoll_listing_options listing = {.isa = o->isa,
                                            .hex = o->hex || o->json,
                                            .control = o->control,
                                            .code = o->code,
                                            .no_vliw = o->no_vliw,
                                            .no_dataflow = o->no_dataflow,
                                            .base = o->base};
    struct text document = {0};
    char *text = NULL;
    size_t length = 0;
    if (o->json && (o->words || o->stream)) {
        error_set(&error, ATOLL_USAGE, "atoll dis: --json is of files of code, not of --%s",
                  o->words ? "words" : "stream");
        return cli_fail(&error);
    }
    if (o->words)
        return cli_words(o->isa, plain->items[0], WORDS_DISASSEMBLE);
    if (o->stream)
        return cli_stream_print(plain->items[0], o->output);
    bool ok = (listing.isa ? file_read(plain->items[0], DIS_LARGEST, &blob, &error)
                           : module_read(plain->items[0], &blob, &error)) &&
              (atoll_disassemble(blob.bytes, blob.size, &listing, &text, &length, &error) ||
               error_in(plain->items[0], &error));
    blob_free(&blob);
    if (ok && o->json)
        ok = dis_json(plain->items[0], text, length, &document) || error_memory(&error);
    ok = ok && file_write(o->output ? o->output : "-", o->json ? document.bytes : text,
                          o->json ? document.length : length, &error);
    text_free(&document);
    atoll_text_free(text);
    return ok ? EXIT_OK : cli_fail(&error);
}

const struct command command_dis = {
    .name = "dis",
    .synopsis = "FILE.cubin [options]",
    .summary = "disassemble a cubin, raw code or single words",
    .options = options,
    .notes = "atoll dis k.cubin --control prints all there is: atoll asm makes the same cubin of it.\n"
             "atoll dis k.isa prints a container of Intel vISA, whose kernels atoll asm makes to the same bytes.\n"
             "atoll dis k.elf prints an executable of ATI's CTM; R580 has six words a line.\n"
             "  printf 'ea01e39007371ec3\\n' | atoll dis -b SM50 --words -\n",
    .least = 1,
    .most = 1,
    .size = sizeof(struct dis_options),
    .run = run_command,
};

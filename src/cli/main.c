/* atoll: the command line. */
#include "base/nearest.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct command *const commands[] = {
    &command_run,    &command_check, &command_info,       &command_fmt,     &command_dis,
    &command_asm,    &command_list,  &command_explain,    &command_surface, &command_lint,
    &command_litmus, &command_diff,  &command_completion,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const struct command *command_at(unsigned index)
{
    return index < COMMANDS ? commands[index] : NULL;
}

/* The list of docs/cli.md, in short. */
static const struct {
    enum cli_exit code;
    const char *meaning;
} exits[] = {
    {EXIT_OK, "done"},
    {EXIT_KERNEL,
     "the kernel trapped or cannot be run; the module is not valid; what was checked has faults; results differ"},
    {EXIT_USAGE, "the command line is wrong"},
    {EXIT_INPUT, "a file is missing, broken or cannot be written"},
    {EXIT_LIMIT, "a limit was reached: instructions, time, memory"},
    {EXIT_INTERRUPT, "interrupted"},
    {EXIT_UNREAD, "as shells say it: whoever read the standard output has left (SIGPIPE)"},
};

static void usage(struct text *out)
{
    text_puts(out, "usage: atoll COMMAND ...\n\nRuns GPU kernels on a CPU, exactly.\n\ncommands:\n");
    for (int i = 0; i < COMMANDS; i++)
        text_printf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    text_puts(out, "\n  atoll help COMMAND        options of a command; atoll COMMAND --help too\n"
                   "  atoll version             version, and which engines there are\n\nexit codes:\n");
    for (size_t i = 0; i < sizeof exits / sizeof exits[0]; i++)
        text_printf(out, "  %-3d  %s\n", exits[i].code, exits[i].meaning);
}

static int usage_print(void)
{
    struct text out = {0};
    usage(&out);
    return cli_put_text(&out, EXIT_OK);
}

/* The word after `atoll` is no command (NULL: there is none): that, and what would be right. */
static int usage_fail(const char *word)
{
    struct text out = {0};
    usage(&out);
    if (word) {
        struct nearest nearest = nearest_to(word, strlen(word));
        struct atoll_error error;
        for (int i = 0; i < COMMANDS; i++)
            nearest_try(&nearest, commands[i]->name);
        nearest_try(&nearest, "help");
        nearest_try(&nearest, "version");
        error_set(&error, ATOLL_USAGE, "unknown command '%.200s'", word);
        error_nearest(&error, &nearest);
        fprintf(stderr, "atoll: error: %s\n\n", error.message);
    }
    fputs(text_ok(&out) ? out.bytes : "", stderr);
    text_free(&out);
    return EXIT_USAGE;
}

static int print_help(const struct command *command)
{
    struct text out = {0};
    options_help(command, &out);
    return cli_put_text(&out, EXIT_OK);
}

static int print_version(void)
{
    struct text out = {0};
    text_printf(&out, "atoll %s\nengines:", atoll_version());
    struct atoll_error error;
    const char *name;
    for (unsigned i = ATOLL_ENGINE_INTERPRETER; (name = atoll_engine_name((enum atoll_engine)i)); i++)
        if (atoll_engine_available((enum atoll_engine)i, &error))
            text_printf(&out, " %s", name);
        else
            text_printf(&out, " (no %s: %s)", name, error.message);
    text_puts(&out, "\n");
    return cli_put_text(&out, EXIT_OK);
}

static int command_start(const struct command *command, int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return print_help(command);
    struct arena arena = {0};
    struct atoll_error error = {0};
    struct list plain = {0};
    int code;
    void *options = arena_alloc(&arena, command->size);
    if (!options) {
        error_memory(&error);
        code = cli_fail(&error);
    } else if (options_parse(command, &arena, argc, argv, options, &plain, &error))
        code = command->run(command, &arena, options, &plain);
    else
        code = cli_fail(&error);
    arena_free(&arena);
    return code;
}

static const struct command *command_find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

static bool is(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* A file that is opened while 0, 1 or 2 is closed would get that number, and what is printed. */
static void standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    standard_files();
    if (argc < 2)
        return usage_fail(NULL);
    bool help = is(argv[1], "help", "--help", "-h");
    if (is(argv[1], "version", "--version", "--version"))
        return print_version();
    const struct command *command = command_find(argv[help && argc > 2 ? 2 : 1]);
    if (help && argc > 2)
        return command ? print_help(command) : usage_fail(argv[2]);
    if (help)
        return usage_print();
    return command ? command_start(command, argc - 2, argv + 2) : usage_fail(argv[1]);
}

/* atoll: the command line. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_run, &command_check, &command_info,    &command_fmt,     &command_dis,
    &command_asm, &command_list,  &command_explain, &command_surface, &command_lint,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int print_usage(FILE *stream)
{
    fputs("usage: atoll COMMAND ...\n\nRuns GPU kernels on a CPU, exactly.\n\ncommands:\n", stream);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n  atoll COMMAND --help      options of a command\n"
          "  atoll --version           version\n\n"
          "exit codes: 0 done; 1 kernel trapped or module invalid; 2 wrong command line;\n"
          "3 file missing or broken; 4 limit reached; 130 interrupted\n",
          stream);
    return stream == stderr ? EXIT_USAGE : EXIT_OK;
}

static int print_help(const struct command *command)
{
    struct text out = {0};
    options_help(command, &out);
    if (text_ok(&out))
        fwrite(out.bytes, 1, out.length, stdout);
    text_free(&out);
    return EXIT_OK;
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

int main(int argc, char **argv)
{
    if (argc < 2)
        return print_usage(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return cli_finish(print_usage(stdout));
    if (strcmp(argv[1], "--version") == 0) {
        printf("atoll %s\n", atoll_version());
        return cli_finish(EXIT_OK);
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return cli_finish(command_start(commands[i], argc - 2, argv + 2));
    fprintf(stderr, "atoll: error: unknown command '%s'\n\n", argv[1]);
    return print_usage(stderr);
}

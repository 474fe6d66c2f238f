/* Completion for shells, made of the tables of commands and options: what --help shows. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be said ----------------------------------------------------------------------------------------------
 */

static const char *const others[] = {"help", "version"};
enum { OTHERS = sizeof others / sizeof others[0] };

/* "auto|interp|jit" are words to choose from, with blanks then; "FILE" is not. False: there is no choice. */
static bool choices(const struct option *option, struct text *out)
{
    const char *words = option->argument;
    if (!words || !strchr(words, '|'))
        return false;
    for (const char *p = words; *p; p++)
        if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && !strchr("|-_", *p))
            return false;
    for (const char *p = words; *p; p++)
        text_add(out, *p == '|' ? " " : p, 1);
    return true;
}

/* The first line of help, without what ends words in any shell. */
static void describe(const char *help, struct text *out)
{
    struct text line = {0};
    options_line(help, strcspn(help, "\n"), &line);
    for (size_t i = 0; i < line.length; i++)
        text_add(out, strchr("'\"`$\\[]:", line.bytes[i]) ? " " : &line.bytes[i], 1);
    out->failed = out->failed || line.failed;
    text_free(&line);
}

static void command_names(struct text *out)
{
    for (unsigned i = 0; command_at(i); i++)
        text_printf(out, "%s%s", i ? " " : "", command_at(i)->name);
    for (unsigned i = 0; i < OTHERS; i++)
        text_printf(out, " %s", others[i]);
}

/* ---- bash ----------------------------------------------------------------------------------------------------------
 */

/* --option=word comes as three words. */
static const char bash_head[] = "# bash completion of atoll: source <(atoll completion bash)\n"
                                "_atoll()\n"
                                "{\n"
                                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
                                "    local command=${COMP_WORDS[1]}\n"
                                "    COMPREPLY=()\n"
                                "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                "    [ \"$word\" != = ] || word=\n"
                                "    if [ \"$COMP_CWORD\" -eq 1 ] || [ \"$command\" = help ]; then\n";

static const char bash_tail[] = "    case $word in\n"
                                "    -*) ;;\n"
                                "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") && return ;;\n"
                                "    esac\n"
                                "    case $command in\n";

static void bash_choices(const struct command *command, struct text *out)
{
    for (const struct option *o = command->options; o->name; o++) {
        struct text words = {0};
        if (choices(o, &words)) {
            text_printf(out, "    %s:--%s", command->name, o->name);
            if (o->letter)
                text_printf(out, " | %s:-%c", command->name, o->letter);
            text_printf(out, ") words=\"%s\" ;;\n", words.bytes);
        }
        text_free(&words);
    }
}

static void bash_options(const struct command *command, struct text *out)
{
    text_printf(out, "    %s) words=\"--help", command->name);
    for (const struct option *o = command->options; o->name; o++)
        text_printf(out, " --%s", o->name);
    text_puts(out, "\" ;;\n");
}

static void bash(struct text *out)
{
    static const char reply[] = "mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")";
    text_puts(out, bash_head);
    text_puts(out, "        words=\"");
    command_names(out);
    text_printf(out, "\"\n        %s && return\n    fi\n    case $command:$before in\n", reply);
    for (unsigned i = 0; command_at(i); i++)
        bash_choices(command_at(i), out);
    text_printf(out, "    esac\n    if [ -n \"$words\" ]; then\n        %s && return\n    fi\n%s", reply, bash_tail);
    for (unsigned i = 0; command_at(i); i++)
        bash_options(command_at(i), out);
    text_printf(out, "    esac\n    %s\n}\ncomplete -o filenames -F _atoll atoll\n", reply);
}

/* ---- zsh -----------------------------------------------------------------------------------------------------------
 */

static void zsh_option(const struct option *o, struct text *out)
{
    struct text words = {0};
    text_printf(out, " \\\n            '*--%s%s[", o->name, o->argument ? "=" : "");
    describe(o->help, out);
    text_puts(out, "]");
    if (choices(o, &words))
        text_printf(out, ":choice:(%s)", words.bytes);
    else if (o->argument)
        text_puts(out, ":argument:_files");
    text_puts(out, "'");
    text_free(&words);
}

static void zsh(struct text *out)
{
    text_puts(out, "#compdef atoll\n# zsh completion of atoll: atoll completion zsh > _atoll, in a folder of $fpath\n"
                   "_atoll() {\n    local -a commands=(\n");
    for (unsigned i = 0; command_at(i); i++) {
        text_printf(out, "        '%s:", command_at(i)->name);
        describe(command_at(i)->summary, out);
        text_puts(out, "'\n");
    }
    text_puts(out,
              "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
              "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (unsigned i = 0; command_at(i); i++) {
        text_printf(out, "        %s) _arguments", command_at(i)->name);
        for (const struct option *o = command_at(i)->options; o->name; o++)
            zsh_option(o, out);
        text_puts(out, " \\\n            '--help[print the options]' '*:file:_files' ;;\n");
    }
    text_puts(out, "        help) _describe command commands ;;\n    esac\n}\n_atoll \"$@\"\n");
}

/* ---- fish ----------------------------------------------------------------------------------------------------------
 */

static void fish_option(const struct command *command, const struct option *o, struct text *out)
{
    struct text words = {0};
    text_printf(out, "complete -c atoll -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter)
        text_printf(out, " -s %c", o->letter);
    if (choices(o, &words))
        text_printf(out, " -x -a '%s'", words.bytes);
    else if (o->argument)
        text_puts(out, " -r");
    text_puts(out, " -d '");
    describe(o->help, out);
    text_puts(out, "'\n");
    text_free(&words);
}

static void fish(struct text *out)
{
    text_puts(out, "# fish completion of atoll: atoll completion fish > ~/.config/fish/completions/atoll.fish\n");
    for (unsigned i = 0; command_at(i); i++) {
        text_printf(out, "complete -c atoll -f -n __fish_use_subcommand -a %s -d '", command_at(i)->name);
        describe(command_at(i)->summary, out);
        text_puts(out, "'\n");
        for (const struct option *o = command_at(i)->options; o->name; o++)
            fish_option(command_at(i), o, out);
    }
}

/* ---- the command ---------------------------------------------------------------------------------------------------
 */

static const struct option options[] = {{0}};

static int run_command(const struct command *command, struct arena *arena, const void *given, const struct list *plain)
{
    static const struct {
        const char *name;
        void (*write)(struct text *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    (void)command, (void)arena, (void)given;
    struct text out = {0};
    struct atoll_error error;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(plain->items[0], shells[i].name) == 0) {
            shells[i].write(&out);
            return cli_put_text(&out, EXIT_OK);
        }
    error_set(&error, ATOLL_USAGE, "there is no completion for '%.100s': wanted bash, zsh or fish", plain->items[0]);
    return cli_fail(&error);
}

const struct command command_completion = {
    .name = "completion",
    .synopsis = "bash | zsh | fish",
    .summary = "print what a shell completes commands and options by",
    .options = options,
    .notes = "bash: source <(atoll completion bash)\n"
             "zsh:  atoll completion zsh > _atoll, in a folder of $fpath\n"
             "fish: atoll completion fish > ~/.config/fish/completions/atoll.fish\n",
    .least = 1,
    .most = 1,
    .size = 1,
    .run = run_command,
};

/* Completion for shells, made of the tables of commands and options: what --help shows. */
#include "cli/argument.h"
#include "cli/cli.h"
#include "cli/reports.h"
#include "isa/family.h"
#include "mem/surface.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can be said ----------------------------------------------------------------------------------------------
 */

static const char *const others[] = {"help", "version"};
enum { OTHERS = sizeof others / sizeof others[0] };

/* What VALUE of NAME=VALUE begins with, besides the types of numbers. */
static const char *const kinds[] = {"buffer:", "surface:", "sampler:", "struct:", "bytes:", "local:"};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void word_add(struct text *out, const char *word, const char *ending)
{
    text_printf(out, "%s%s%s", out->length ? " " : "", word, ending);
}

/* What an option takes. */
enum values {
    VALUES_NONE,   /* it is a flag */
    VALUES_ONE,    /* one of its words */
    VALUES_LIST,   /* some of them, with commas between */
    VALUES_OR_NOT, /* a word behind '=', or nothing */
    VALUES_BEFORE, /* a word with a colon, a file behind it */
    VALUES_FILE,   /* a file, or what nobody can list */
    VALUES_NAMED   /* NAME=VALUE */
};

/* "auto|interp|jit" as words with blanks between; false: there is no choice. */
static bool choices(const char *argument, size_t length, struct text *out)
{
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)argument[i]) && !isdigit((unsigned char)argument[i]) && !strchr("|-_", argument[i]))
            return false;
    for (size_t i = 0; i < length; i++)
        text_add(out, argument[i] == '|' ? " " : argument + i, 1);
    return true;
}

/* Instruction sets: those that the help of the option tells, else all. */
static void machines(const struct option *option, struct text *out)
{
    struct text names = {0};
    family_list_machines(strstr(option->help, "{code}") != NULL, &names);
    for (size_t i = 0; i < names.length; i++)
        if (names.bytes[i] != ',')
            text_add(out, names.bytes + i, 1);
    out->failed = out->failed || names.failed;
    text_free(&names);
}

static void formats(struct text *out)
{
    for (unsigned i = 0; atoll_format_name(i); i++)
        word_add(out, atoll_format_name(i), "");
}

/* Arguments that stand for words of other tables. */
static enum values table_values(const struct option *option, struct text *out)
{
    const char *argument = option->argument;
    if (strcmp(argument, "ISA") == 0)
        machines(option, out);
    else if (strcmp(argument, "FORMAT") == 0)
        formats(out);
    else if (strcmp(argument, "LAYOUT") == 0)
        for (unsigned i = 0; layout_at(i); i++)
            word_add(out, layout_at(i)->name, "");
    else if (strcmp(argument, "[FORMAT:]FILE") == 0) {
        for (unsigned i = 0; report_format_name(i); i++)
            word_add(out, report_format_name(i), ":");
        return VALUES_BEFORE;
    } else
        return strcmp(argument, "NAME=VALUE") == 0 || strncmp(argument, "S=surface:", 10) == 0 ? VALUES_NAMED
                                                                                               : VALUES_FILE;
    return VALUES_ONE;
}

static enum values values_of(const struct option *option, struct text *out)
{
    static const char list[] = "[,...]";
    const char *argument = option->argument;
    size_t length = argument ? strlen(argument) : 0;
    if (!argument)
        return VALUES_NONE;
    if (argument[0] == '[' && argument[1] == '=')
        return choices(argument + 2, length - 3, out) ? VALUES_OR_NOT : VALUES_NONE;
    if (length > strlen(list) && strcmp(argument + length - strlen(list), list) == 0)
        return choices(argument, length - strlen(list), out) ? VALUES_LIST : VALUES_FILE;
    return strchr(argument, '|') && choices(argument, length, out) ? VALUES_ONE : table_values(option, out);
}

/* The words that a command begins with, which its synopsis has: "pack PICTURE ... | unpack FILE". False: none. */
static bool actions(const struct command *command, struct text *out)
{
    for (const char *p = command->synopsis; p; p = strchr(p, '|')) {
        p += strspn(p, "| ");
        size_t length = strcspn(p, " ");
        struct text word = {0};
        if (*p != '-' && choices(p, length, &word) && text_ok(&word))
            word_add(out, word.bytes, "");
        text_free(&word);
    }
    return out->length > 0;
}

/* Help up to its first semicolon, with a backslash before each of `marks`; "'" becomes what `quote` says. */
static void describe(const char *help, const char *marks, const char *quote, struct text *out)
{
    struct text line = {0};
    options_line(help, strlen(help), &line);
    unsigned depth = 0;
    for (size_t i = 0; i < line.length && (depth || line.bytes[i] != ';'); i++) {
        char c = line.bytes[i] == '\n' ? ' ' : line.bytes[i];
        depth += c == '(';
        depth -= c == ')' && depth;
        if (c == '\'')
            text_puts(out, quote);
        else
            text_printf(out, "%s%c", strchr(marks, c) ? "\\" : "", c);
    }
    out->failed = out->failed || line.failed;
    text_free(&line);
}

static void command_names(struct text *out)
{
    for (unsigned i = 0; command_at(i); i++)
        word_add(out, command_at(i)->name, "");
    for (unsigned i = 0; i < OTHERS; i++)
        word_add(out, others[i], "");
}

/* ---- bash ----------------------------------------------------------------------------------------------------------
 */

/* bash cuts words at '=', ':' and '@', each a word of its own; what is replaced is what stands behind the last. */
static const char bash_head[] =
    "# bash completion of atoll: source <(atoll completion bash)\n"
    "_atoll()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words files list action\n"
    "    local full before value tail i\n"
    "    COMPREPLY=() words='' files='' list='' action='' full='' before=''\n"
    "    case $command in\n";

static const char bash_words[] =
    "    esac\n"
    "    for ((i = 2; i <= COMP_CWORD; i++)); do\n"
    "        if [[ -n $full && ( ${COMP_WORDS[i]} == [=:@]* || $full == *[=:@] ) ]]; then\n"
    "            full+=${COMP_WORDS[i]}\n"
    "            continue\n"
    "        fi\n"
    "        [[ -z $full || \" $action \" != *\" $full \"* ]] || action=''\n"
    "        before=$full full=${COMP_WORDS[i]}\n"
    "    done\n"
    "    value=$full\n"
    "    [[ $full != --*=* ]] || before=${full%%=*}= value=${full#*=}\n"
    "    [[ -n ${cur//[=:@]/} ]] || cur=''\n"
    "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
    "        value=$cur command=''\n";

static const char bash_middle[] = "    tail=${value##*[=:@]}\n"
                                  "    [[ -z $list ]] || tail=${tail##*,}\n"
                                  "    if [[ -z $words && -z $files ]]; then\n"
                                  "        if [[ $full == -* && $full != *=* ]]; then\n"
                                  "            case $command in\n";

static const char bash_tail[] =
    "            esac\n"
    "        elif [[ -n $action ]]; then\n"
    "            words=$action\n"
    "        else\n"
    "            files=1\n"
    "        fi\n"
    "    fi\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$tail\" || :; [[ -z $files ]] "
    "|| compgen -f -- \"$tail\")\n"
    "    [[ ${#COMPREPLY[@]} -gt 0 ]] || return 0\n"
    "    if [[ ${COMPREPLY[0]} == *: ]]; then\n" /* names of files would get a backslash before the colon */
    "        compopt -o nospace 2>/dev/null || :\n"
    "    elif [[ -n $files ]]; then\n"
    "        compopt -o filenames 2>/dev/null || :\n"
    "    fi\n"
    "    COMPREPLY=(\"${COMPREPLY[@]/#/\"${cur%\"$tail\"}\"}\")\n"
    "}\n"
    "complete -F _atoll atoll\n";

static void bash_named(struct text *out)
{
    text_puts(out, "case $value in\n        *=surface:*:*) files=1 ;;\n        *=surface:*) files=1 words=\"");
    struct text words = {0}, begins = {0}, types = {0};
    formats(&words);
    for (unsigned i = 0; value_type_at(i); i++) {
        word_add(&types, value_type_at(i)->name, "");
        word_add(&begins, value_type_at(i)->name, ":");
    }
    for (unsigned i = 0; i < KINDS; i++)
        word_add(&begins, kinds[i], "");
    if (text_ok(&words) && text_ok(&begins) && text_ok(&types))
        text_printf(out,
                    "%s\" ;;\n        *=buffer:*@*) files=1 ;;\n        *=buffer:*) words=\"%s struct:\" ;;\n"
                    "        *=*:*) files=1 ;;\n        *=*) words=\"%s\" ;;\n        *) files=1 ;;\n        esac",
                    words.bytes, types.bytes, begins.bytes);
    out->failed = out->failed || words.failed || begins.failed || types.failed;
    text_free(&words);
    text_free(&begins);
    text_free(&types);
}

static void bash_values(const struct command *command, struct text *out)
{
    for (const struct option *o = command->options; o->name; o++) {
        struct text words = {0};
        enum values values = values_of(o, &words);
        if (values == VALUES_NONE)
            continue;
        text_printf(out, "    %s:--%s=", command->name, o->name);
        if (values != VALUES_OR_NOT)
            text_printf(out, " | %s:--%s", command->name, o->name);
        if (o->letter)
            text_printf(out, " | %s:-%c", command->name, o->letter);
        text_puts(out, ") ");
        if (values == VALUES_NAMED)
            bash_named(out);
        else
            text_puts(out, values == VALUES_LIST     ? "list=1 "
                           : values == VALUES_BEFORE ? "files=1; [[ $value == *:* ]] || "
                           : values == VALUES_FILE   ? "files=1"
                                                     : "");
        if (words.length && text_ok(&words))
            text_printf(out, "words=\"%s\"", words.bytes);
        text_puts(out, " ;;\n");
        text_free(&words);
    }
}

static void bash_options(const struct command *command, struct text *out)
{
    text_printf(out, "            %s) words=\"--help", command->name);
    for (const struct option *o = command->options; o->name; o++)
        text_printf(out, " --%s", o->name);
    text_puts(out, "\" ;;\n");
}

static void bash_actions(const struct command *command, struct text *out)
{
    struct text words = {0};
    if (actions(command, &words) && text_ok(&words))
        text_printf(out, "    %s) action=\"%s\" ;;\n", command->name, words.bytes);
    text_free(&words);
}

static void bash(struct text *out)
{
    struct text names = {0};
    command_names(&names);
    text_puts(out, bash_head);
    text_printf(out, "    help) action=\"%s\" ;;\n", text_ok(&names) ? names.bytes : "");
    for (unsigned i = 0; command_at(i); i++)
        bash_actions(command_at(i), out);
    text_printf(out, "%s        words=\"%s\"\n    fi\n    case $command:$before in\n", bash_words,
                text_ok(&names) ? names.bytes : "");
    for (unsigned i = 0; command_at(i); i++)
        bash_values(command_at(i), out);
    text_printf(out, "    esac\n%s", bash_middle);
    for (unsigned i = 0; command_at(i); i++)
        bash_options(command_at(i), out);
    text_puts(out, bash_tail);
    out->failed = out->failed || names.failed;
    text_free(&names);
}

/* ---- zsh -----------------------------------------------------------------------------------------------------------
 */

static const char zsh_marks[] = ":[]\\", zsh_quote[] = "'\\''";

static void zsh_spec(const struct option *o, const char *dashes, const char *name, const char *behind, struct text *out)
{
    struct text words = {0};
    enum values values = values_of(o, &words);
    text_printf(out, " \\\n            '*%s%s%s[", dashes, name,
                values == VALUES_NONE     ? ""
                : values == VALUES_OR_NOT ? "=-"
                                          : behind);
    describe(o->help, zsh_marks, zsh_quote, out);
    text_puts(out, "]");
    const char *text = words.length && text_ok(&words) ? words.bytes : "";
    if (values == VALUES_ONE)
        text_printf(out, ":choice:(%s)", text);
    else if (values == VALUES_LIST)
        text_printf(out, ":choice:_values -s , choice %s", text);
    else if (values == VALUES_OR_NOT)
        text_printf(out, "::choice:(%s)", text);
    else if (values != VALUES_NONE)
        text_puts(out, ":argument:_files");
    text_puts(out, "'");
    text_free(&words);
}

static void zsh_option(const struct option *o, struct text *out)
{
    const char letter[] = {o->letter, 0};
    zsh_spec(o, "--", o->name, "=", out);
    if (o->letter)
        zsh_spec(o, "-", letter, "+", out);
}

static void zsh_command(const struct command *command, struct text *out)
{
    struct text words = {0};
    text_printf(out, "        %s) _arguments", command->name);
    for (const struct option *o = command->options; o->name; o++)
        zsh_option(o, out);
    text_puts(out, " \\\n            '--help[print the options]'");
    if (actions(command, &words) && text_ok(&words))
        text_printf(out, " '1:word:(%s)'", words.bytes);
    text_puts(out, " '*:file:_files' ;;\n");
    text_free(&words);
}

static void zsh(struct text *out)
{
    text_puts(out, "#compdef atoll\n# zsh completion of atoll: atoll completion zsh > _atoll, in a folder of $fpath\n"
                   "_atoll() {\n    local -a commands=(\n");
    for (unsigned i = 0; command_at(i); i++) {
        text_printf(out, "        '%s:", command_at(i)->name);
        describe(command_at(i)->summary, ":\\", zsh_quote, out);
        text_puts(out, "'\n");
    }
    text_puts(out,
              "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
              "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (unsigned i = 0; command_at(i); i++)
        zsh_command(command_at(i), out);
    text_puts(out, "        help) _describe command commands ;;\n    esac\n}\n_atoll \"$@\"\n");
}

/* ---- fish ----------------------------------------------------------------------------------------------------------
 */

static void fish_describe(const char *help, struct text *out)
{
    text_puts(out, " -d '");
    describe(help, "\\", "\\'", out);
    text_puts(out, "'\n");
}

static void fish_option(const struct command *command, const struct option *o, struct text *out)
{
    struct text words = {0};
    enum values values = values_of(o, &words);
    text_printf(out, "complete -c atoll -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter)
        text_printf(out, " -s %c", o->letter);
    const char *text = words.length && text_ok(&words) ? words.bytes : "";
    if (values == VALUES_ONE)
        text_printf(out, " -x -a '%s'", text);
    else if (values == VALUES_LIST)
        text_printf(out, " -x -a '(__fish_append , %s)'", text);
    else if (values == VALUES_BEFORE)
        text_printf(out, " -r -a '%s'", text);
    else if (values != VALUES_NONE && values != VALUES_OR_NOT)
        text_puts(out, " -r");
    fish_describe(o->help, out);
    /* fish knows no value that may be left out: with one, it is another word */
    if (values == VALUES_OR_NOT && words.length)
        text_printf(out, "complete -c atoll -n '__fish_seen_subcommand_from %s' -a '--%s=%s'\n", command->name, o->name,
                    text);
    text_free(&words);
}

/* The first word behind a command; files only behind that. */
static void fish_actions(const char *command, const char *words, struct text *out)
{
    text_printf(out,
                "complete -c atoll -f -n '__fish_seen_subcommand_from %s; and not string match -qr -- \"^[^-]\" "
                "(commandline -opc)[3..-1]' -a '%s'\n",
                command, words);
}

static void fish(struct text *out)
{
    struct text names = {0};
    command_names(&names);
    text_puts(out, "# fish completion of atoll: atoll completion fish > ~/.config/fish/completions/atoll.fish\n");
    for (unsigned i = 0; command_at(i); i++) {
        struct text words = {0};
        text_printf(out, "complete -c atoll -f -n __fish_use_subcommand -a %s", command_at(i)->name);
        fish_describe(command_at(i)->summary, out);
        if (actions(command_at(i), &words) && text_ok(&words))
            fish_actions(command_at(i)->name, words.bytes, out);
        for (const struct option *o = command_at(i)->options; o->name; o++)
            fish_option(command_at(i), o, out);
        text_free(&words);
    }
    fish_actions("help", text_ok(&names) ? names.bytes : "", out);
    text_free(&names);
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

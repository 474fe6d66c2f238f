/* Programs of CTM's text: directives, labels, one instruction a line. docs/ctm.md, "Programs". */
#include "base/chars.h"
#include "base/namemap.h"
#include "isa/ctm/parse.h"
#include "isa/ctm/text.h"
#include "isa/family.h"

#include <string.h>
#include <strings.h>

enum { MOST_BYTES = 1 << 26 };

/* What a program says besides its instructions. */
enum directive {
    D_INPUTS,
    D_OUTPUTS,
    D_FLOATS,
    D_INTS,
    D_CONDOUT,
    D_EARLY_EXIT,
    D_TEMPS,
    D_FLOW,
    D_UNCACHED,
    D_ZERO_TIMES,
    D_START,
    D_END,
    D_INFO,
    D_DPP,
    DIRECTIVES
};
static const struct {
    const char *name, *prefix; /* prefix: numbers of lists may have it */
    uint16_t least, most;
} directives[DIRECTIVES] = {
    {"inputs", "s", 0, CTM_INPUTS - 1},
    {"outputs", "out", 0, CTM_OUTPUTS - 1},
    {"floats", "c", 0, CTM_FLOATS - 1},
    {"ints", "i", 0, CTM_INTS - 1},
    {"condout", NULL, 0, 1},
    {"early_exit", NULL, 0, 1},
    {"temps", NULL, 1, CTM_TEMPS},
    {"flow", NULL, 0, 1},
    {"uncached", NULL, 0, 1},
    {"zero_times", NULL, 0, 1},
    {"start", NULL, 0, CTM_SLOTS - 1},
    {"end", NULL, 0, CTM_SLOTS - 1},
    {"info", NULL, 0, CTM_INFO_WORDS - 1},
    {"dpp", NULL, 0, 0},
};

struct assembler {
    struct arena *arena;
    struct ctm_parser p;
    struct ctm_program *program;
    struct ctm_line *lines;
    uint32_t count, line; /* of instructions; number of the line at hand */
    struct namemap labels;
    bool too_many, no_memory;
    bool given[DIRECTIVES], info_given[CTM_INFO_WORDS];
    uint32_t value[DIRECTIVES], info[CTM_INFO_WORDS];
    struct ctm_set list[D_INTS + 1];
};

/* ---- directives ------------------------------------------------------------------------------------------- */

static bool parse_member(struct ctm_parser *p, enum directive d, uint32_t *number)
{
    const char *prefix = directives[d].prefix;
    size_t length = strlen(prefix);
    ctm_blanks(p);
    if ((size_t)(p->end - p->at) > length && strncasecmp(p->at, prefix, length) == 0)
        p->at += length;
    return ctm_number(p, directives[d].most, "a number", number);
}

/* s0, s3-s5, or none */
static bool parse_list(struct assembler *a, enum directive d)
{
    struct ctm_parser *p = &a->p;
    uint32_t from, to;
    if (ctm_word(p, "none"))
        return true;
    do {
        if (!parse_member(p, d, &from))
            return false;
        to = from;
        if (ctm_byte(p, '-') && !parse_member(p, d, &to))
            return false;
        if (to < from)
            return ctm_wanted(p, "a range that goes up");
        for (uint32_t i = from; i <= to; i++)
            ctm_add(&a->list[d], i);
    } while (ctm_byte(p, ','));
    return true;
}

static bool parse_info(struct assembler *a)
{
    uint32_t number, value;
    if (!ctm_number(&a->p, CTM_INFO_WORDS - 1, "the number of a word", &number) ||
        !ctm_number(&a->p, UINT32_MAX, "a value", &value))
        return false;
    a->info_given[number] = true;
    a->info[number] = value;
    return true;
}

static bool parse_setting(struct assembler *a, enum directive d)
{
    struct ctm_parser *p = &a->p;
    if (d == D_FLOW) {
        a->value[d] = ctm_word(p, "full");
        return a->value[d] || ctm_word(p, "partial") || ctm_wanted(p, "full or partial");
    }
    ctm_blanks(p);
    if (directives[d].most == 1 && p->at == p->end) {
        a->value[d] = 1;
        return true;
    }
    if (!ctm_number(p, directives[d].most, "a number", &a->value[d]))
        return false;
    return a->value[d] >= directives[d].least || ctm_wanted(p, "at least 1");
}

static bool parse_name(struct assembler *a)
{
    const char *name;
    size_t length = ctm_name(&a->p, &name);
    if (!length)
        return true;
    a->p.at += length;
    a->program->name = arena_text(a->arena, name, length);
    a->no_memory |= !a->program->name;
    return true;
}

static bool parse_directive(struct assembler *a)
{
    struct ctm_parser *p = &a->p;
    unsigned d = 0;
    while (d < DIRECTIVES && !ctm_word(p, directives[d].name))
        d++;
    if (d == DIRECTIVES)
        return ctm_wanted(p, "one of .dpp .inputs .outputs .floats .ints .condout .early_exit .temps .flow .uncached "
                             ".zero_times .start .end .info");
    if (a->given[d] && d != D_INFO)
        return ctm_wrong(p, ctm_place(p), 0, ".%s is written twice", directives[d].name);
    a->given[d] = true;
    bool ok = d == D_DPP    ? parse_name(a)
              : d == D_INFO ? parse_info(a)
              : d <= D_INTS ? parse_list(a, (enum directive)d)
                            : parse_setting(a, (enum directive)d);
    ctm_blanks(p);
    return ok && (p->at == p->end || ctm_wanted(p, "the end of the line"));
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* "name:" or the instruction's number and a colon; false: none is here. */
static bool take_label(struct assembler *a)
{
    struct ctm_parser *p = &a->p;
    const char *name, *start = p->at;
    size_t length = ctm_name(p, &name);
    uint32_t at = ctm_place(p), number = a->count;
    if (!length && (p->at == p->end || *p->at < '0' || *p->at > '9'))
        return false;
    p->at += length;
    if (!length && !ctm_number(p, CTM_SLOTS, "the number of the instruction", &number))
        return false;
    if (!ctm_byte(p, ':')) {
        p->at = start;
        return false;
    }
    if (number != a->count)
        return ctm_wrong(p, at, 1, "this is instruction %u, not %u", a->count, number);
    if (length && namemap_find(&a->labels, name, length) != UINT32_MAX)
        return ctm_wrong(p, at, (uint32_t)length, "label '%.*s' is there twice", (int)(length > 60 ? 60 : length),
                         name);
    if (length)
        a->no_memory |= !namemap_add(&a->labels, name, length, a->count);
    return true;
}

static void take_line(struct assembler *a)
{
    struct ctm_parser *p = &a->p;
    struct ctm_line spare = {0}, *line = a->count < CTM_SLOTS ? &a->lines[a->count] : &spare;
    p->bad = false;
    while (take_label(a))
        continue;
    ctm_blanks(p);
    if (p->bad || p->at == p->end)
        return;
    if (*p->at == '.') {
        p->at++;
        parse_directive(a);
        return;
    }
    *line = (struct ctm_line){.at = ctm_place(p), .line = a->line};
    memset(p->named, 0, sizeof p->named);
    bool ok = ctm_parse_line(p, line);
    memcpy(line->named, p->named, sizeof line->named);
    line->length = ctm_place(p) - line->at;
    if (!ok) /* keep its place: others may be wrong, too */
        line->statement = CTM_RAW;
    if (a->count < CTM_SLOTS) {
        a->count++;
    } else if (!a->too_many) {
        a->too_many = true;
        ctm_wrong(p, line->at, 1, "a program has at most %u instructions", CTM_SLOTS);
    }
}

/* Where a comment that begins at `at` ends; NULL: none begins here. */
static char *comment_end(char *at, char *end)
{
    if (*at == '/' && at + 1 < end && at[1] == '*') {
        for (char *c = at + 2; c + 1 < end; c++)
            if (c[0] == '*' && c[1] == '/')
                return c + 2;
        return end;
    }
    if (*at != '#' && !(*at == '/' && at + 1 < end && at[1] == '/'))
        return NULL;
    char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

/* A copy in which comments are blanks; lines stay where they are. */
static char *without_comments(struct arena *arena, const char *text, size_t size)
{
    char *copy = arena_alloc(arena, size + 1), *end = copy ? copy + size : NULL;
    if (copy && size)
        memcpy(copy, text, size);
    for (char *at = copy; at < end;) {
        char *to = comment_end(at, end);
        if (!to)
            at++;
        for (; to && at < to; at++)
            if (*at != '\n')
                *at = ' ';
    }
    return copy;
}

static void take_lines(struct assembler *a, const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    while (at < end && !a->no_memory && !a->p.diag->stop) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        a->line++;
        a->p.at = at;
        a->p.end = newline ? newline : end;
        at = newline ? newline + 1 : end;
        take_line(a);
    }
}

/* ---- the program ------------------------------------------------------------------------------------------ */

static void find_labels(struct assembler *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        struct ctm_line *line = &a->lines[i];
        if (!line->label)
            continue;
        line->target = namemap_find(&a->labels, line->label, line->label_length);
        if (line->target == UINT32_MAX || line->target >= CTM_SLOTS) {
            diag_report(a->p.diag, ATOLL_ERROR, "label", line->label_at, line->label_length,
                        line->target == UINT32_MAX ? "no label '%.*s'" : "label '%.*s' is past instruction 511",
                        (int)(line->label_length > 60 ? 60 : line->label_length), line->label);
            line->target = 0;
        }
        if (line->statement == CTM_RAW)
            ctm_set(&line->inst, CTM_JUMP_ADDR, line->target);
    }
}

static void set_bits(uint32_t *word, unsigned high, unsigned low, uint32_t value)
{
    uint32_t mask = UINT32_MAX >> (31 - high + low) << low;
    *word = (*word & ~mask) | (value << low & mask);
}

/* What directives say, over what follows from the code. */
static void apply_directives(struct assembler *a)
{
    struct ctm_program *program = a->program;
    uint32_t *info = program->info;
    struct ctm_set *const sets[] = {&program->inputs, &program->outputs, &program->floats, &program->ints};
    info[CTM_INFO_UMRT] = a->value[D_UNCACHED];
    if (a->info_given[CTM_INFO_UMRT])
        info[CTM_INFO_UMRT] = a->info[CTM_INFO_UMRT];
    ctm_derive(program);
    for (unsigned d = 0; d <= D_INTS; d++)
        if (a->given[d])
            *sets[d] = a->list[d];
    if (a->given[D_CONDOUT])
        info[CTM_INFO_FG_DEPTH_SRC] = program->condout = a->value[D_CONDOUT] != 0;
    if (a->given[D_EARLY_EXIT])
        program->early_exit = a->value[D_EARLY_EXIT];
    if (a->given[D_TEMPS])
        info[CTM_INFO_US_PIXSIZE] = a->value[D_TEMPS] - 1;
    if (a->given[D_FLOW])
        info[CTM_INFO_US_FC_CTRL] = a->value[D_FLOW] << 31;
    if (a->given[D_ZERO_TIMES])
        info[CTM_INFO_US_CONFIG] = a->value[D_ZERO_TIMES] << 1;
    if (a->given[D_START])
        set_bits(&info[CTM_INFO_US_CODE_ADDR], 8, 0, a->value[D_START]);
    if (a->given[D_END])
        set_bits(&info[CTM_INFO_US_CODE_ADDR], 24, 16, a->value[D_END]);
    for (unsigned i = 0; i < CTM_INFO_WORDS; i++)
        if (a->info_given[i])
            info[i] = a->info[i];
}

/* Outputs are cached or uncached, all of a program alike: docs/ctm.md, "Programs". */
static void check_outputs(struct assembler *a)
{
    bool uncached = ctm_uncached(a->program);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct ctm_named *wrong = &a->lines[i].named[!uncached];
        if (wrong->length)
            diag_report(a->p.diag, ATOLL_ERROR, "output-kind", wrong->at, wrong->length,
                        uncached ? "outputs are uncached (.uncached): wanted umrt_same, umrt_same_acquire, umrt_own or "
                                   "umrt_own_acquire"
                                 : "an uncached output in a program without .uncached: wanted out0 to out3");
    }
}

static bool build(struct assembler *a)
{
    struct ctm_program *program = a->program;
    struct diag *diag = a->p.diag;
    find_labels(a);
    if (a->no_memory || !ctm_statements(a->arena, diag, a->lines, a->count))
        return false;
    if (!a->count && !diag->errors)
        diag_report(diag, ATOLL_ERROR, "empty", 0, 0, "a program has at least one instruction");
    program->insts = arena_array(a->arena, a->count + 1, sizeof *program->insts);
    program->lines = arena_array(a->arena, a->count + 1, sizeof *program->lines);
    if (!program->insts || !program->lines)
        return false;
    program->ninsts = a->count;
    for (uint32_t i = 0; i < a->count; i++) {
        program->insts[i] = a->lines[i].inst;
        program->lines[i] = a->lines[i].line;
    }
    apply_directives(a);
    check_outputs(a);
    return true;
}

bool ctm_assemble(struct arena *arena, const char *text, size_t size, const struct atoll_module_options *options,
                  struct ctm_program *program, struct atoll_error *error)
{
    struct atoll_error first = {0};
    if (size > MOST_BYTES)
        return error_set(error, ATOLL_INPUT, "a text of more than %u bytes", MOST_BYTES);
    struct diag diag = {.source = text, .size = size, .options = options, .first = &first, .hold = true};
    struct assembler a = {.arena = arena, .program = program, .labels = {.arena = arena}};
    *program = (struct ctm_program){.name = "main"};
    const char *copy = without_comments(arena, text, size);
    a.lines = arena_array(arena, CTM_SLOTS, sizeof *a.lines);
    if (!copy || !a.lines)
        return error_memory(error);
    a.p = (struct ctm_parser){.diag = &diag, .base = copy, .inside = true};
    take_lines(&a, copy, size);
    bool built = build(&a);
    diag_flush(&diag);
    if (!built || diag.no_memory)
        return error_memory(error);
    if (!diag.errors)
        return true;
    if (error)
        *error = first;
    return false;
}

/* "3: ": whichever instruction of its program it was. */
static void skip_number(struct ctm_parser *p)
{
    const char *start = p->at;
    ctm_blanks(p);
    const char *digits = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
    if (p->at == digits || !ctm_byte(p, ':'))
        p->at = start;
}

bool ctm_parse_inst(const char *text, size_t length, struct ctm_inst *inst, struct atoll_error *error)
{
    struct atoll_error first = {0};
    struct diag diag = {.source = text, .size = length, .first = &first};
    struct ctm_parser p = {.diag = &diag, .base = text, .at = text, .end = text + length};
    struct ctm_line line = {0};
    skip_number(&p);
    bool ok = ctm_parse_line(&p, &line);
    *inst = line.inst;
    if (!ok && error)
        *error = first;
    return ok;
}

/* ---- whether a text is one of CTM ------------------------------------------------------------------------- */

/* r4.rg =, out0 =: no other family's text begins so. */
static bool is_assignment(struct ctm_parser *p)
{
    const char *name;
    size_t length = ctm_name(p, &name), digits = length;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    bool known = (digits == 1 && (name[0] | 0x20) == 'r') || (digits == 3 && strncasecmp(name, "out", 3) == 0);
    if (!known || digits == length)
        return false;
    p->at += length;
    if (ctm_byte(p, '.'))
        p->at += ctm_name(p, &name);
    return ctm_byte(p, '=') || ctm_byte(p, ',');
}

bool ctm_takes_text(const char *text, size_t size)
{
    const char *end = text + size, *at = family_skip_comments(text, end), *name;
    struct ctm_parser p = {.base = text, .at = at, .end = end};
    if (at < end && *at == '.') {
        p.at++;
        return ctm_word(&p, "dpp");
    }
    while (p.at < end && *p.at >= '0' && *p.at <= '9')
        p.at++;
    if (p.at > at && !ctm_byte(&p, ':'))
        return false;
    size_t length = ctm_name(&p, &name);
    if (ctm_op_find(ctm_tex_ops, CTM_TEX_OPS, name, length) < CTM_TEX_OPS)
        return true;
    if (ctm_word(&p, "FC")) {
        length = ctm_name(&p, &name);
        return ctm_op_find(ctm_fc_ops, CTM_FC_OPS, name, length) < CTM_FC_OPS;
    }
    return is_assignment(&p);
}

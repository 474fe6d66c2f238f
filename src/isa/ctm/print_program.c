/* Programs of CTM as text: directives where they say other than the code, labels, instructions. */
#include "base/text.h"
#include "isa/ctm/print.h"
#include "isa/ctm/recover.h"
#include "isa/ctm/text.h"

#include <string.h>

enum { LINE = 2 * ISA_TEXT };

/* ---- directives ------------------------------------------------------------------------------------------- */

static bool same_set(const struct ctm_set *a, const struct ctm_set *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void put_list(struct text *out, const char *name, const char *prefix, const struct ctm_set *set, unsigned most)
{
    bool any = false;
    text_printf(out, ".%s ", name);
    for (unsigned i = 0; i < most; i++) {
        unsigned last = i;
        if (!ctm_has(set, i))
            continue;
        while (last + 1 < most && ctm_has(set, last + 1))
            last++;
        text_printf(out, "%s%s%u", any ? ", " : "", prefix, i);
        if (last > i)
            text_printf(out, "-%s%u", prefix, last);
        any = true;
        i = last;
    }
    text_puts(out, any ? "\n" : "none\n");
}

static void put_notes(const struct ctm_program *program, const struct ctm_program *usual, struct text *out)
{
    if (!same_set(&program->inputs, &usual->inputs))
        put_list(out, "inputs", "s", &program->inputs, CTM_INPUTS);
    if (!same_set(&program->outputs, &usual->outputs))
        put_list(out, "outputs", "out", &program->outputs, CTM_OUTPUTS);
    if (!same_set(&program->floats, &usual->floats))
        put_list(out, "floats", "c", &program->floats, CTM_FLOATS);
    if (!same_set(&program->ints, &usual->ints))
        put_list(out, "ints", "i", &program->ints, CTM_INTS);
    if (program->condout != usual->condout)
        text_printf(out, ".condout %d\n", program->condout);
    if (program->early_exit != usual->early_exit)
        text_printf(out, ".early_exit %d\n", program->early_exit);
}

/* Words of the program information by their directives, where these say all of them. */
static void put_info(const struct ctm_program *program, const struct ctm_program *usual, struct text *out)
{
    const uint32_t *info = program->info;
    for (unsigned i = 0; i < CTM_INFO_WORDS; i++) {
        uint32_t is = info[i];
        bool depth = i == CTM_INFO_FG_DEPTH_SRC && program->condout != usual->condout && is == program->condout;
        if ((is == usual->info[i] && !(i == CTM_INFO_FG_DEPTH_SRC && program->condout != usual->condout)) || depth)
            continue;
        if (i == CTM_INFO_US_PIXSIZE && is < CTM_TEMPS)
            text_printf(out, ".temps %u\n", is + 1);
        else if (i == CTM_INFO_US_FC_CTRL && (is & ~(1u << 31)) == 0)
            text_printf(out, ".flow %s\n", is ? "full" : "partial");
        else if (i == CTM_INFO_US_CONFIG && is == 2)
            text_puts(out, ".zero_times\n");
        else
            text_printf(out, ".info %u 0x%x\n", i, is);
    }
    if (ctm_uncached(program) && info[CTM_INFO_UMRT] == 1)
        text_puts(out, ".uncached\n");
}

/* ---- code ------------------------------------------------------------------------------------------------- */

/* Instructions that something names: by a label. ENDIF and the like name nobody. */
static void find_targets(const struct ctm_program *program, const struct ctm_line *lines, bool targets[CTM_SLOTS + 1])
{
    for (uint32_t i = 0; i < program->ninsts; i++) {
        bool names = lines[i].statement == CTM_RAW || lines[i].statement == CTM_CALL;
        uint32_t to = ctm_get(&program->insts[i], CTM_JUMP_ADDR);
        if (names && ctm_get(&program->insts[i], CTM_TYPE) == CTM_TYPE_FC && to <= program->ninsts &&
            (to || lines[i].statement == CTM_CALL))
            targets[to] = true;
    }
}

static void put_condition(struct isa_writer *w, const struct ctm_inst *inst, unsigned func)
{
    bool inverted = func == (CTM_FUNC_ALU ^ 255) || func == (CTM_FUNC_PRED ^ 255) || func == (CTM_FUNC_BOOL ^ 255);
    unsigned plain = inverted ? func ^ 255 : func;
    writer_text(w, inverted ? "!" : "");
    if (plain == CTM_FUNC_ALU) {
        writer_text(w, "alu");
    } else if (plain == CTM_FUNC_PRED) {
        writer_text(w, ctm_pred_names[ctm_get(inst, CTM_RGB_PRED_SEL)]);
    } else {
        writer_char(w, 'b');
        writer_decimal(w, ctm_get(inst, CTM_BOOL_ADDR));
    }
}

static void put_statement(struct isa_writer *w, const struct ctm_line *line)
{
    bool loop = line->statement == CTM_LOOP || line->statement == CTM_REP;
    writer_text(w, ctm_statement_names[line->statement]);
    if (line->statement == CTM_CALL) {
        writer_text(w, " L");
        writer_decimal(w, line->target);
    }
    if (loop) {
        writer_text(w, " i");
        writer_decimal(w, ctm_get(&line->inst, CTM_INT_ADDR));
    } else if (line->statement == CTM_IF || (line->func != CTM_FUNC_ALWAYS && line->func != CTM_FUNC_NEVER)) {
        writer_text(w, line->statement == CTM_IF ? " " : " IF ");
        put_condition(w, &line->inst, line->func);
    }
}

/* A statement with the flags that it has besides, and annotations for what is other than its line gives. */
static void print_statement(const struct ctm_inst *inst, const struct ctm_line *line, char *out, size_t size)
{
    struct isa_writer w = {.at = out, .end = out + size - 1};
    struct ctm_inst flags = *inst, expected;
    struct ctm_line read = {0};
    struct diag diag = {.source = out, .size = size};
    ctm_set(&flags, CTM_ALU_WAIT, 0);
    put_statement(&w, line);
    ctm_print_flags(&w, &flags);
    struct ctm_parser p = {.diag = &diag, .base = out, .at = out, .end = w.at, .inside = true};
    ctm_parse_line(&p, &read);
    if (line->statement == CTM_ENDLOOP || line->statement == CTM_ENDREP)
        ctm_set(&read.inst, CTM_INT_ADDR, ctm_get(&line->inst, CTM_INT_ADDR));
    ctm_expected(line, &read.inst, &expected);
    ctm_print_annotations(&w, inst, &expected);
    *w.at = 0;
}

static void print_code(const struct ctm_program *program, const struct ctm_line *lines, struct text *out)
{
    bool targets[CTM_SLOTS + 1] = {false}, uncached = ctm_uncached(program);
    unsigned depth = 1;
    find_targets(program, lines, targets);
    for (uint32_t i = 0; i < program->ninsts; i++) {
        const struct ctm_inst *inst = &program->insts[i];
        unsigned statement = lines[i].statement;
        uint32_t to = ctm_get(inst, CTM_JUMP_ADDR);
        bool fc = ctm_get(inst, CTM_TYPE) == CTM_TYPE_FC;
        char line[LINE];
        if (statement != CTM_RAW)
            print_statement(inst, &lines[i], line, sizeof line);
        else
            ctm_print_as(inst, &(struct ctm_print_as){fc && to <= program->ninsts && targets[to], uncached}, line,
                         sizeof line);
        bool ends = statement == CTM_ENDIF || statement == CTM_ENDLOOP || statement == CTM_ENDREP;
        depth -= ends;
        if (targets[i])
            text_printf(out, "L%u:\n", i);
        text_printf(out, "%*s%s\n", (int)(4 * (depth < 16 ? depth - (statement == CTM_ELSE) : 16)), "", line);
        depth += statement == CTM_IF || statement == CTM_LOOP || statement == CTM_REP;
    }
    if (targets[program->ninsts])
        text_printf(out, "L%u:\n", program->ninsts);
}

void ctm_print(const struct ctm_program *program, struct text *out)
{
    struct arena arena = {0};
    struct ctm_program usual = *program;
    struct ctm_line *lines = arena_array(&arena, program->ninsts + 1, sizeof *lines);
    bool named = strcmp(program->name, "main") != 0;
    if (!lines || !ctm_recover(&arena, program, lines)) {
        out->failed = true;
    } else {
        ctm_derive(&usual);
        text_printf(out, ".dpp%s%s\n", named ? " " : "", named ? program->name : "");
        put_notes(program, &usual, out);
        put_info(program, &usual, out);
        print_code(program, lines, out);
    }
    arena_free(&arena);
}

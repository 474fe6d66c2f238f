/* Programs of CTM as text: directives where they say other than the code, labels, instructions. */
#include "base/text.h"
#include "isa/ctm/print.h"
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

static void find_targets(const struct ctm_program *program, bool targets[CTM_SLOTS + 1])
{
    for (uint32_t i = 0; i < program->ninsts; i++)
        if (ctm_get(&program->insts[i], CTM_TYPE) == CTM_TYPE_FC) {
            uint32_t to = ctm_get(&program->insts[i], CTM_JUMP_ADDR);
            if (to && to <= program->ninsts)
                targets[to] = true;
        }
}

void ctm_print(const struct ctm_program *program, struct text *out)
{
    bool targets[CTM_SLOTS + 1] = {false};
    struct ctm_program usual = *program;
    ctm_derive(&usual);
    text_printf(out, ".dpp%s%s\n", strcmp(program->name, "main") == 0 ? "" : " ",
                strcmp(program->name, "main") == 0 ? "" : program->name);
    put_notes(program, &usual, out);
    put_info(program, &usual, out);
    find_targets(program, targets);
    for (uint32_t i = 0; i < program->ninsts; i++) {
        const struct ctm_inst *inst = &program->insts[i];
        uint32_t to = ctm_get(inst, CTM_JUMP_ADDR);
        const struct ctm_print_as as = {.labels =
                                            ctm_get(inst, CTM_TYPE) == CTM_TYPE_FC && to <= CTM_SLOTS && targets[to],
                                        .uncached = ctm_uncached(program)};
        char line[LINE];
        ctm_print_as(inst, &as, line, sizeof line);
        if (targets[i])
            text_printf(out, "L%u:\n", i);
        text_printf(out, "    %s\n", line);
    }
    if (program->ninsts <= CTM_SLOTS && targets[program->ninsts])
        text_printf(out, "L%u:\n", program->ninsts);
}

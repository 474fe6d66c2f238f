/* A kernel and the functions that it reaches as one object: functions become subroutines with variables of their own,
 * calls on the stack become calls of those. Names count from the kernel's on, function by function. */
#include "isa/visa/merge.h"

#include "isa/visa/rows.h"

#include <string.h>

static const char *string_of(const struct visa_object *o, uint64_t number)
{
    return number < o->nstrings ? o->strings[number] : "";
}

unsigned visa_merged_function(const struct visa_merged *merged, const char *name)
{
    for (unsigned i = 0; i < merged->count; i++)
        if (strcmp(merged->functions[i].object->name, name) == 0)
            return i;
    return merged->count;
}

const struct visa_operand *visa_called(const struct visa_inst *inst)
{
    enum visa_row_id row = visa_row_id(inst->row);
    return row == VISA_ROW_fcall || row == VISA_ROW_faddr ? &inst->ops[0] : NULL;
}

/* ---- who is reached -----------------------------------------------------------------------------------------------
 */

static bool reach(struct arena *arena, const struct visa_module *module, const struct visa_object *from,
                  struct visa_merged *merged)
{
    for (uint32_t i = 0; i < from->ninsts; i++) {
        const struct visa_operand *called = visa_called(&from->insts[i]);
        if (!called)
            continue;
        const char *name = string_of(from, called->value);
        for (unsigned f = 0; f < module->nfunctions; f++) {
            if (strcmp(module->functions[f].name, name) != 0 || visa_merged_function(merged, name) < merged->count)
                continue;
            struct visa_merged_function *list = arena_append(arena, merged->functions, merged->count, sizeof *list);
            if (!list)
                return false;
            merged->functions = list;
            list[merged->count++] = (struct visa_merged_function){.object = &module->functions[f]};
        }
    }
    return true;
}

/* ---- putting together ----------------------------------------------------------------------------------------------
 */

/* What is added to numbers of a function. */
struct shift {
    uint32_t space[VISA_SPACES], strings, label; /* label: of the function itself */
};

static void move_operand(struct arena *arena, const struct shift *s, struct visa_operand *op);

static uint32_t moved(uint32_t id, uint32_t first, uint32_t by)
{
    return id >= first ? id + by : id;
}

static void move_predicate(const struct shift *s, uint64_t *word)
{
    uint64_t id = *word & VISA_PRED_ID;
    if (id)
        *word = (*word & ~(uint64_t)VISA_PRED_ID) | ((id + s->space[VISA_P]) & VISA_PRED_ID);
}

static void move_list(struct arena *arena, const struct shift *s, struct visa_operand *op)
{
    struct visa_operand *copy = arena_grow(arena, op->list, op->value, op->value ? op->value : 1, sizeof *copy);
    for (uint64_t i = 0; copy && i < op->value; i++)
        move_operand(arena, s, &copy[i]);
    op->list = copy;
}

static void move_operand(struct arena *arena, const struct shift *s, struct visa_operand *op)
{
    uint64_t id = op->id;
    switch (op->class) {
    case VISA_GENERAL:
    case VISA_RAW:
        op->id = moved(op->id, VISA_FIRST_G, s->space[VISA_G]);
        break;
    case VISA_ADDRESS:
    case VISA_INDIRECT:
        op->id += s->space[VISA_A];
        break;
    case VISA_PREDICATE:
        move_predicate(s, &op->value);
        move_predicate(s, &id);
        op->id = (uint32_t)id;
        break;
    case VISA_ADDRESS_OF:
    case VISA_STATE:
        op->id = op->space == VISA_G   ? moved(op->id, VISA_FIRST_G, s->space[VISA_G])
                 : op->space == VISA_S ? op->id + s->space[VISA_S]
                                       : moved(op->id, VISA_FIRST_T, s->space[VISA_T]);
        break;
    case VISA_SURFACE:
        op->id = moved(op->id, VISA_FIRST_T, s->space[VISA_T]);
        break;
    case VISA_SAMPLER:
        op->id += s->space[VISA_S];
        break;
    case VISA_LABEL:
        op->id += s->space[VISA_L];
        break;
    case VISA_LIST_OF:
        move_list(arena, s, op);
        break;
    default:
        break;
    }
}

/* Operands that are strings. */
static void move_strings(const struct shift *s, struct visa_inst *inst)
{
    enum visa_row_id row = visa_row_id(inst->row);
    if (row == VISA_ROW_fcall || row == VISA_ROW_faddr || row == VISA_ROW_file)
        inst->ops[0].value += s->strings;
}

static bool insts_add(struct arena *arena, struct visa_object *to, const struct visa_object *from,
                      const struct shift *s)
{
    for (uint32_t i = 0; i < from->ninsts; i++) {
        struct visa_inst *inst = &to->insts[to->ninsts++];
        uint64_t word = from->insts[i].predicate;
        *inst = from->insts[i];
        inst->ops = arena_grow(arena, inst->ops, inst->nops, inst->nops ? inst->nops : 1, sizeof *inst->ops);
        if (!inst->ops)
            return false;
        move_predicate(s, &word);
        inst->predicate = (uint16_t)word;
        for (unsigned k = 0; k < inst->nops; k++)
            move_operand(arena, s, &inst->ops[k]);
        move_strings(s, inst);
        if (visa_row_id(inst->row) == VISA_ROW_fret)
            inst->row = &visa_rows[VISA_ROW_ret];
    }
    return true;
}

static bool vars_add(struct arena *arena, struct visa_object *to, const struct visa_object *from, const struct shift *s)
{
    for (unsigned space = 0; space < VISA_SPACES; space++) {
        uint32_t before = to->nvars[space], count = from->nvars[space];
        struct visa_var *vars = arena_grow(arena, to->vars[space], before, before + count + 1, sizeof *vars);
        if (!vars)
            return false;
        to->vars[space] = vars;
        for (uint32_t i = 0; i < count; i++) {
            vars[before + i] = from->vars[space][i];
            vars[before + i].name += s->strings;
            if (space == VISA_G && vars[before + i].alias >= VISA_FIRST_G)
                vars[before + i].alias += s->space[VISA_G];
        }
        to->nvars[space] += count;
    }
    return true;
}

static bool strings_add(struct arena *arena, struct visa_object *to, const struct visa_object *from)
{
    const char **strings =
        arena_grow(arena, to->strings, to->nstrings, to->nstrings + from->nstrings + 1, sizeof *strings);
    if (!strings)
        return false;
    if (from->nstrings)
        memcpy(strings + to->nstrings, from->strings, from->nstrings * sizeof *strings);
    to->strings = strings;
    to->nstrings += from->nstrings;
    return true;
}

/* The label of a function, and the instruction that begins it. */
static bool entry_add(struct arena *arena, struct visa_object *to, const struct visa_object *from)
{
    uint32_t label = to->nvars[VISA_L];
    struct visa_var *labels = arena_grow(arena, to->vars[VISA_L], label, label + 1, sizeof *labels);
    struct visa_operand *op = arena_alloc(arena, sizeof *op);
    if (!labels || !op)
        return false;
    labels[label] = (struct visa_var){.kind = VISA_LABEL_SUBROUTINE};
    to->vars[VISA_L] = labels;
    to->nvars[VISA_L]++;
    *op = (struct visa_operand){.class = VISA_LABEL, .id = label};
    to->insts[to->ninsts++] = (struct visa_inst){
        .row = &visa_rows[VISA_ROW_subroutine], .nops = 1, .ops = op, .line = from->ninsts ? from->insts[0].line : 1};
    return true;
}

/* The instruction that begins the body of a function says nothing: its label is the function's own. */
static void body_begins(struct visa_object *to, uint32_t first)
{
    if (first < to->ninsts && visa_row_id(to->insts[first].row) == VISA_ROW_subroutine)
        to->insts[first].row = &visa_rows[VISA_ROW_label];
}

static bool function_add(struct arena *arena, struct visa_object *to, struct visa_merged_function *function)
{
    const struct visa_object *from = function->object;
    struct shift s = {.strings = to->nstrings};
    function->label = to->nvars[VISA_L];
    if (!entry_add(arena, to, from))
        return false;
    memcpy(s.space, to->nvars, sizeof s.space);
    uint32_t first = to->ninsts;
    bool ok = strings_add(arena, to, from) && vars_add(arena, to, from, &s) && insts_add(arena, to, from, &s);
    if (ok)
        body_begins(to, first);
    return ok;
}

bool visa_merge(struct arena *arena, const struct visa_module *module, const struct visa_object *kernel,
                struct visa_merged *merged)
{
    *merged = (struct visa_merged){.object = kernel};
    if (!reach(arena, module, kernel, merged))
        return false;
    for (unsigned i = 0; i < merged->count; i++)
        if (!reach(arena, module, merged->functions[i].object, merged))
            return false;
    if (!merged->count)
        return true;
    struct visa_object *all = arena_alloc(arena, sizeof *all);
    uint32_t insts = kernel->ninsts;
    for (unsigned i = 0; i < merged->count; i++)
        insts += merged->functions[i].object->ninsts + 1;
    struct visa_inst *list = arena_grow(arena, kernel->insts, kernel->ninsts, insts + 1, sizeof *list);
    if (!all || !list)
        return false;
    *all = *kernel;
    all->insts = list;
    for (unsigned i = 0; i < merged->count; i++)
        if (!function_add(arena, all, &merged->functions[i]))
            return false;
    merged->object = all;
    return true;
}

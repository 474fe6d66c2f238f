/* Which parameter an --arg means:
 *
 *   1. NAME is a number: the parameter of this position, from 0.
 *   2. NAME is a parameter's name, or what follows a '_' in exactly one parameter's name ("param_0", "src").
 *   3. Any other NAME (compilers drop the names of the source): after all others are placed, in the order of the
 * command line, the first free parameter; buffers and surfaces skip parameters that cannot hold an address.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run.h"

bool parameter_holds_handle(const struct atoll_parameter_info *parameter, bool surface)
{
    if (parameter->count != 1 || parameter->size != 8)
        return false;
    const struct value_type *type = value_type_find(parameter->type, strlen(parameter->type));
    return type ? type->class != 'f' : surface && strcmp(parameter->type, "surfref") == 0;
}

static bool holds_handle(const struct object *object, const struct atoll_parameter_info *parameter)
{
    bool surface = object->argument.kind == ARGUMENT_SURFACE;
    return (!surface && object->argument.kind != ARGUMENT_BUFFER) || parameter_holds_handle(parameter, surface);
}

static bool is_number(const char *name)
{
    return name[strspn(name, "0123456789")] == 0;
}

/* Whether `name` is the parameter's name or what follows a '_' in it. */
static bool names(const struct atoll_parameter_info *parameter, const char *name)
{
    size_t length = strlen(parameter->name), tail = strlen(name);
    if (length < tail || strcmp(parameter->name + length - tail, name) != 0)
        return false;
    return length == tail || parameter->name[length - tail - 1] == '_';
}

/* Rules 1 and 2; *index stays NOT_PLACED if neither applies. */
static bool find_named(const struct run *run, const char *name, uint32_t *index, struct atoll_error *error)
{
    *index = NOT_PLACED;
    if (is_number(name)) {
        unsigned long number = strtoul(name, NULL, 10);
        if (number >= run->info.parameters)
            return error_set(error, ATOLL_USAGE, "--arg %.200s: kernel '%.200s' has %" PRIu32 " parameters, from 0",
                             name, run->info.name, run->info.parameters);
        *index = (uint32_t)number;
        return true;
    }
    for (uint32_t i = 0; i < run->info.parameters; i++) {
        if (strcmp(run->parameters[i].name, name) == 0) {
            *index = i;
            return true;
        }
        if (names(&run->parameters[i], name) && *index != NOT_PLACED)
            return error_set(error, ATOLL_USAGE, "--arg %.200s: could be parameter '%.200s' or '%.200s'", name,
                             run->parameters[*index].name, run->parameters[i].name);
        if (names(&run->parameters[i], name))
            *index = i;
    }
    return true;
}

static bool put(struct run *run, struct object *object, uint32_t index, struct atoll_error *error)
{
    const struct atoll_parameter_info *parameter = &run->parameters[index];
    if (run->given[index])
        return error_set(error, ATOLL_USAGE,
                         "parameter %" PRIu32 " (%.200s) is given twice: --arg %.100s and --arg %.100s", index,
                         parameter->name, run->given[index]->argument.name, object->argument.name);
    if (!holds_handle(object, parameter))
        return error_set(error, ATOLL_USAGE,
                         "--arg %.100s: a %s is a 64-bit address, but parameter %" PRIu32 " (%.200s) is %s",
                         object->argument.name, object->argument.kind == ARGUMENT_SURFACE ? "surface" : "buffer", index,
                         parameter->name, parameter->type);
    run->given[index] = object;
    object->parameter = index;
    return true;
}

static bool put_next(struct run *run, struct object *object, struct atoll_error *error)
{
    for (uint32_t i = 0; i < run->info.parameters; i++)
        if (!run->given[i] && holds_handle(object, &run->parameters[i]))
            return put(run, object, i, error);
    return error_set(error, ATOLL_USAGE, "--arg %.200s: kernel '%.200s' has no free parameter left for it",
                     object->argument.name, run->info.name);
}

bool run_place(struct run *run, struct atoll_error *error)
{
    run->explain = true; /* until all is well */
    for (uint32_t i = 0; i < run->nobjects; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(run->objects[i].argument.name, run->objects[k].argument.name) == 0)
                return error_set(error, ATOLL_USAGE, "'%.200s' is given twice", run->objects[i].argument.name);
    for (uint32_t i = 0; i < run->nargs; i++) {
        uint32_t index;
        if (!find_named(run, run->objects[i].argument.name, &index, error))
            return false;
        if (index != NOT_PLACED && !put(run, &run->objects[i], index, error))
            return false;
    }
    for (uint32_t i = 0; i < run->nargs; i++)
        if (run->objects[i].parameter == NOT_PLACED && !put_next(run, &run->objects[i], error))
            return false;
    run->explain = false;
    return true;
}

void run_explain(const struct run *run, struct text *out)
{
    text_printf(out, "kernel %s takes:\n", run->info.name);
    for (uint32_t i = 0; i < run->info.parameters; i++) {
        const struct atoll_parameter_info *p = &run->parameters[i];
        text_printf(out, "  %" PRIu32 "  offset %-4" PRIu32 " %s", i, p->offset, p->type);
        if (p->count != 1)
            text_printf(out, "[%" PRIu32 "]", p->count);
        text_printf(out, " %s", p->name);
        if (run->given[i])
            text_printf(out, "  <- %s=%s", run->given[i]->argument.name, run->given[i]->argument.value);
        text_puts(out, "\n");
    }
    if (run->info.parameters == 0)
        text_puts(out, "  no parameters\n");
    for (uint32_t i = 0; i < run->nargs; i++)
        if (run->objects[i].parameter == NOT_PLACED)
            text_printf(out, "  not placed: %s=%s\n", run->objects[i].argument.name, run->objects[i].argument.value);
}

/* What names mean: which parameter an --arg gives, which object a buffer:NAME is.
 *
 * The NAME of an --arg is
 *   1. a number: the parameter of this position, from 0;
 *   2. the name that --kernel 'KERNEL(A, B...)' gives a parameter;
 *   3. the name that the module's text gives it, or debug information of the module;
 *   4. what its name in the module has after KERNEL_: compilers put that before all of them (nvcc: KERNEL_param_0).
 * Any other name is an error. */
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

bool parameter_is_slot(const struct atoll_parameter_info *parameter)
{
    return strcmp(parameter->type, "bti") == 0;
}

bool parameter_is_sampler(const struct atoll_parameter_info *parameter)
{
    return strcmp(parameter->type, "sampler") == 0;
}

static bool is_memory(const struct object *object)
{
    return object->argument.kind == ARGUMENT_SURFACE || object->argument.kind == ARGUMENT_BUFFER;
}

/* Whether it can be of use for the parameter. Numbers are looked at when their bytes are made. */
static bool fits(const struct object *object, const struct atoll_parameter_info *parameter)
{
    if (parameter_is_slot(parameter))
        return is_memory(object);
    if (parameter_is_sampler(parameter) || object->argument.kind == ARGUMENT_SAMPLER)
        return parameter_is_sampler(parameter) && object->argument.kind == ARGUMENT_SAMPLER;
    if (object->argument.kind == ARGUMENT_LOCAL) {
        const struct value_type *type = value_type_find(parameter->type, strlen(parameter->type));
        return type && type->class != 'f' && type->bytes >= 4 && parameter->count == 1;
    }
    return !is_memory(object) || parameter_holds_handle(parameter, object->argument.kind == ARGUMENT_SURFACE);
}

/* ---- names of parameters ---------------------------------------------------------------------------------- */

static bool is_number(const char *name)
{
    return name[strspn(name, "0123456789")] == 0;
}

/* The name without what compilers put before it: KERNEL_; of CUDA before 4.0, __cudaparm_KERNEL_. */
static const char *bare_name(const struct run *run, const char *name)
{
    static const char old[] = "__cudaparm_";
    size_t length = strlen(run->info.name);
    const char *at = strncmp(name, old, sizeof old - 1) == 0 ? name + sizeof old - 1 : name;
    return strncmp(at, run->info.name, length) == 0 && at[length] == '_' && at[length + 1] ? at + length + 1 : name;
}

/* "param_0" of nvcc and LLVM, "p0" of machine code. */
static bool made_up(const char *name, uint32_t index)
{
    char made[32];
    snprintf(made, sizeof made, "param_%" PRIu32, index);
    return strcmp(name, made) == 0 || (name[0] == 'p' && strcmp(name + 1, made + 6) == 0);
}

const char *parameter_name(const struct run *run, uint32_t index)
{
    const struct atoll_parameter_info *p = &run->parameters[index];
    const char *bare = bare_name(run, p->name);
    return run->named[index] ? run->named[index] : p->source_name ? p->source_name : made_up(bare, index) ? NULL : bare;
}

const char *parameter_label(const struct run *run, uint32_t index)
{
    const char *name = parameter_name(run, index);
    return name ? name : run->parameters[index].name;
}

/* The first parameter whose name by one of the rules 2 to 4 is `name`; NOT_PLACED: none. */
static uint32_t find_name(const struct run *run, const char *name)
{
    for (int rule = 0; rule < 4; rule++)
        for (uint32_t i = 0; i < run->info.parameters; i++) {
            const struct atoll_parameter_info *p = &run->parameters[i];
            const char *candidates[] = {run->named[i], p->name, p->source_name, bare_name(run, p->name)};
            if (candidates[rule] && strcmp(candidates[rule], name) == 0)
                return i;
        }
    return NOT_PLACED;
}

static uint32_t find_parameter(const struct run *run, const char *name)
{
    if (!is_number(name))
        return find_name(run, name);
    unsigned long number = strtoul(name, NULL, 10);
    return number < run->info.parameters ? (uint32_t)number : NOT_PLACED;
}

static bool unknown(const struct run *run, const char *name, struct atoll_error *error)
{
    bool names = false;
    for (uint32_t i = 0; i < run->info.parameters; i++)
        names |= parameter_name(run, i) != NULL;
    if (is_number(name))
        return error_set(error, ATOLL_USAGE, "--arg %.200s: kernel '%.200s' has %" PRIu32 " parameters, from 0", name,
                         kernel_called(run), run->info.parameters);
    error_set(error, ATOLL_USAGE, "--arg %.200s: kernel '%.200s' has no parameter of this name%s", name,
              kernel_called(run),
              names || run->info.parameters == 0
                  ? ""
                  : ", and the module does not tell the names of the source: give numbers, or the names in "
                    "order, as in --kernel 'KERNEL(A, B)'");
    struct nearest nearest = nearest_to(name, strlen(name));
    for (uint32_t i = 0; i < run->info.parameters; i++) {
        nearest_try(&nearest, parameter_name(run, i));
        nearest_try(&nearest, bare_name(run, run->parameters[i].name));
        nearest_try(&nearest, run->parameters[i].name);
    }
    return error_nearest(error, &nearest);
}

/* ---- placing ---------------------------------------------------------------------------------------------- */

static bool misfit(const struct run *run, const struct object *object, uint32_t index, struct atoll_error *error)
{
    const struct atoll_parameter_info *parameter = &run->parameters[index];
    bool bytes = run->info.token_stack && parameter->count > 8 && parameter->count % 8 == 0;
    char count[16] = "";
    if (parameter_is_slot(parameter))
        return error_set(error, ATOLL_USAGE,
                         "--arg %.100s: parameter %" PRIu32 " (%.200s) wants buffer:... or surface:...",
                         object->argument.name, index, parameter_label(run, index));
    if (parameter_is_sampler(parameter))
        return error_set(error, ATOLL_USAGE, "--arg %.100s: parameter %" PRIu32 " (%.200s) wants sampler:...",
                         object->argument.name, index, parameter_label(run, index));
    if (parameter->count != 1)
        snprintf(count, sizeof count, "[%" PRIu32 "]", parameter->count);
    return error_set(error, ATOLL_USAGE, "--arg %.100s: %s, but parameter %" PRIu32 " (%.200s) is %s%s%s",
                     object->argument.name,
                     object->argument.kind == ARGUMENT_SAMPLER   ? "a sampler has 16 bytes"
                     : object->argument.kind == ARGUMENT_LOCAL   ? "a place in shared memory is 32 or 64 bits"
                     : object->argument.kind == ARGUMENT_SURFACE ? "a surface is a 64-bit address"
                                                                 : "a buffer is a 64-bit address",
                     index, parameter_label(run, index), parameter->type, count,
                     bytes ? " (text of machine code declares addresses by .param 8, 8)" : "");
}

static bool put(struct run *run, struct object *object, uint32_t index, struct atoll_error *error)
{
    if (run->given[index])
        return error_set(error, ATOLL_USAGE,
                         "parameter %" PRIu32 " (%.200s) is given twice: --arg %.100s and --arg %.100s", index,
                         parameter_label(run, index), run->given[index]->argument.name, object->argument.name);
    if (!fits(object, &run->parameters[index]))
        return misfit(run, object, index, error);
    run->given[index] = object;
    object->parameter = index;
    return true;
}

/* Whether a --let is one: a buffer or surface whose name is not a parameter's. */
static bool let_check(const struct run *run, const struct object *object, struct atoll_error *error)
{
    const struct argument *a = &object->argument;
    if (a->kind != ARGUMENT_BUFFER && a->kind != ARGUMENT_SURFACE)
        return error_set(error, ATOLL_USAGE, "--let %.200s: wanted buffer:... or surface:...", a->name);
    return find_parameter(run, a->name) == NOT_PLACED ||
           error_set(error, ATOLL_USAGE, "--let %.200s: this is a parameter of the kernel: give it by --arg", a->name);
}

bool run_place(struct run *run, struct atoll_error *error)
{
    run->explain = true; /* until all is well */
    for (uint32_t i = 0; i < run->nobjects; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(run->objects[i].argument.name, run->objects[k].argument.name) == 0)
                return error_set(error, ATOLL_USAGE, "'%.200s' is given twice", run->objects[i].argument.name);
    for (uint32_t i = 0; i < run->nargs; i++) {
        if (run->objects[i].told)
            continue;
        uint32_t index = find_parameter(run, run->objects[i].argument.name);
        if (index == NOT_PLACED)
            return unknown(run, run->objects[i].argument.name, error);
        if (!put(run, &run->objects[i], index, error))
            return false;
    }
    for (uint32_t i = run->nargs; i < run->nargs + run->nlets; i++)
        if (!let_check(run, &run->objects[i], error))
            return false;
    run->explain = false;
    return true;
}

void run_explain(const struct run *run, struct text *out)
{
    text_printf(out, "kernel %s takes:\n", kernel_called(run));
    for (uint32_t i = 0; i < run->info.parameters; i++) {
        const struct atoll_parameter_info *p = &run->parameters[i];
        const char *label = parameter_label(run, i);
        text_printf(out, "  %" PRIu32 "  offset %-4" PRIu32 " %s", i, p->offset, p->type);
        if (p->count != 1)
            text_printf(out, "[%" PRIu32 "]", p->count);
        text_printf(out, " %s", p->name);
        if (strcmp(label, p->name) != 0)
            text_printf(out, " (%s)", label);
        if (run->given[i])
            text_printf(out, "  <- %s=%s", run->given[i]->argument.name, run->given[i]->argument.value);
        text_puts(out, "\n");
    }
    if (run->info.parameters == 0)
        text_puts(out, "  no parameters\n");
    for (uint32_t i = 0; i < run->nargs; i++)
        if (run->objects[i].parameter == NOT_PLACED && !run->objects[i].told && run->objects[i].argument.name)
            text_printf(out, "  not placed: %s=%s\n", run->objects[i].argument.name, run->objects[i].argument.value);
}

/* ---- objects ---------------------------------------------------------------------------------------------- */

struct object *object_find(const struct run *run, const char *name)
{
    for (uint32_t i = 0; i < run->nobjects; i++)
        if (strcmp(run->objects[i].argument.name, name) == 0)
            return &run->objects[i];
    uint32_t index = find_parameter(run, name);
    return index == NOT_PLACED ? NULL : run->given[index];
}

/* The name of what --arg, --let and --bind gave that `name` may mean, or of its parameter. */
struct nearest object_nearest(const struct run *run, const char *name)
{
    struct nearest nearest = nearest_to(name, strlen(name));
    for (uint32_t i = 0; i < run->nobjects; i++)
        nearest_try(&nearest, run->objects[i].argument.name);
    for (uint32_t i = 0; i < run->info.parameters; i++)
        if (run->given[i])
            nearest_try(&nearest, parameter_name(run, i));
    return nearest;
}

static bool object_missing(const struct run *run, const char *name, struct atoll_error *error)
{
    struct nearest nearest = object_nearest(run, name);
    error_set(error, ATOLL_USAGE, "'%.200s' is no buffer, surface or variable; --let NAME=buffer:... makes one", name);
    return error_nearest(error, &nearest);
}

/* Where NAME begins, and how many bytes it has. */
static bool base_address(const struct run *run, const char *name, uint64_t *address, uint64_t *size,
                         struct atoll_error *error)
{
    const struct object *object = object_find(run, name);
    *size = 0;
    if (!object)
        return atoll_module_variable(run->module, name, address, size, NULL) || object_missing(run, name, error);
    if (object->argument.kind != ARGUMENT_BUFFER && object->argument.kind != ARGUMENT_SURFACE)
        return error_set(error, ATOLL_USAGE, "'%.200s' is no buffer or surface", name);
    *address = object->surface ? atoll_surface_handle(object->surface) : object->address;
    *size = object->surface ? 0 : object->size;
    return true;
}

bool object_address(void *user, const char *name, uint64_t *address, struct atoll_error *error)
{
    const struct run *run = user;
    uint64_t offset, size;
    const char *plus = offset_find(name, &offset);
    if (!plus)
        return base_address(run, name, address, &size, error);
    const char *base = arena_text(run->arena, name, (size_t)(plus - name));
    if (!base)
        return error_memory(error);
    if (!base_address(run, base, address, &size, error))
        return false;
    *address += offset;
    return offset <= size ||
           error_set(error, ATOLL_USAGE, "'%.200s' is outside: '%.200s' has %" PRIu64 " bytes", name, base, size);
}

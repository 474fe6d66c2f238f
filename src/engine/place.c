/* Where things are, in the words of who wrote them: instructions in the source, in the text and in machine code; names
 * of kernels. All of it is found when it is to be told: a run without faults does nothing for it. */
#include "engine/run.h"

#include "base/mangled.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { SOURCE_BYTES = 500, TEXT_LINE_BYTES = 60, MACHINE_BYTES = 301 };

/* ---- names ------------------------------------------------------------------------------------------------- */

/* What C++ calls a symbol, else the symbol; in the arena, which may be out of memory. */
static const char *plain_name(struct arena *arena, const char *symbol)
{
    const char *plain = mangled_name(arena, symbol);
    return plain ? plain : symbol;
}

static bool name_is_shared(const struct lane_module *module, uint32_t kernel, const char *name)
{
    bool shared = false;
    for (uint32_t i = 0; i < module->nfuncs && !shared; i++) {
        struct arena arena = {0};
        if (i != kernel && module->funcs[i].kernel)
            shared = strcmp(plain_name(&arena, module->funcs[i].name), name) == 0;
        arena_free(&arena);
    }
    return shared;
}

void kernel_title(const struct run *run, char title[TITLE_BYTES])
{
    const struct lane_module *module = run->program->module;
    const char *symbol = module->funcs[run->program->kernel].name;
    struct arena arena = {0};
    const char *name = plain_name(&arena, symbol);
    if (name != symbol && name_is_shared(module, run->program->kernel, name))
        snprintf(title, TITLE_BYTES, "%.190s (%.190s)", name, symbol);
    else
        snprintf(title, TITLE_BYTES, "%.390s", name);
    arena_free(&arena);
}

/* ---- places in the source ---------------------------------------------------------------------------------- */

/* An instruction, or a call that is none any more (engine/plan/inline.h). */
struct spot {
    const struct lane_func *func;
    uint32_t line;
};

static struct spot spot_of(const struct decoded *at)
{
    return (struct spot){decoded_written(at), at->inst->line};
}

static const struct lane_source *source_of(struct spot spot)
{
    const struct lane_line *line = lane_source_of(spot.func, spot.line);
    return line ? line->source : NULL;
}

/* "" where nothing is told of it. */
static void print_source(struct spot spot, const char *after, char out[SOURCE_BYTES])
{
    const struct lane_source *source = source_of(spot);
    struct text text = {0};
    out[0] = 0;
    if (!source)
        return;
    lane_source_print(source, &text);
    if (text_ok(&text))
        snprintf(out, SOURCE_BYTES, "%.480s%s", text.bytes, after);
    text_free(&text);
}

static void fill_place(struct atoll_place *place, const struct lane_source *source)
{
    struct arena arena = {0};
    *place = (struct atoll_place){.file = source->file, .line = source->line, .column = source->column};
    if (source->function)
        snprintf(place->function, sizeof place->function, "%s", plain_name(&arena, source->function));
    arena_free(&arena);
}

void decoded_sources(const struct decoded *at, struct atoll_place places[ATOLL_INLINED], uint32_t *nplaces)
{
    *nplaces = 0;
    for (const struct lane_source *source = source_of(spot_of(at)); source; source = source->caller) {
        uint32_t i = *nplaces < ATOLL_INLINED ? (*nplaces)++ : ATOLL_INLINED - 1;
        fill_place(&places[i], source);
    }
}

/* ---- who called ---------------------------------------------------------------------------------------------- */

enum { CALLS = 16, CALLS_TOLD = 3 /* of more the last is the outermost */ };

/* The one call of a function; NULL: there are several, or none that names it. */
static const struct decoded *only_call(const struct run *run, const struct func *callee)
{
    const struct program *program = run->program;
    uint32_t index = (uint32_t)(callee - program->funcs);
    const struct decoded *found = NULL;
    for (uint32_t f = 0; f < program->module->nfuncs; f++) {
        const struct func *func = &program->funcs[f];
        for (uint32_t i = 0; func->ready && i < func->ndecoded; i++) {
            const struct decoded *at = &func->decoded[i];
            if (at->op != LANE_OP_call || at->call->function != index)
                continue;
            if (found)
                return NULL;
            found = at;
        }
    }
    return found;
}

/* The activation in which a lane is at an instruction, or waits before or behind it; 0: none, or the kernel. */
static uint32_t activation_of(const struct warp *warp, unsigned lane, const struct decoded *at)
{
    for (uint32_t i = 0; warp->ncalls && i <= warp->last_activation; i++) {
        const struct activation *a = &warp->activations[i];
        bool here = i == warp->here;
        const struct func *func = here ? warp->func : a->func;
        if (!func || !((here ? warp->waiting : a->waiting) >> lane & 1))
            continue;
        bool single = here ? warp->single : a->single;
        uint32_t lowest = here ? warp->lowest : a->lowest, point = here ? warp->at[lane] : a->at[lane];
        const struct decoded *next = func_decoded(func, single ? lowest : point);
        return func == at->func && (next == at || next == at + 1) ? i : 0;
    }
    return warp->ncalls && warp->func == at->func ? warp->here : 0; /* it runs */
}

/* The calls that led to an instruction, innermost first: of the activation that is there (0: it is not known), or as
 * far as there is but one. Calls that are part of the kernel's code were not made in an activation. */
static unsigned find_calls(const struct run *run, const struct warp *warp, uint32_t here, const struct decoded *at,
                           struct spot calls[CALLS])
{
    unsigned count = 0;
    for (const struct inlining *from = at->from; from && count < CALLS; from = from->caller)
        calls[count++] = (struct spot){from->by, from->line};
    while (count < CALLS && at && !at->func->lane->kernel) {
        const struct activation *a = here ? &warp->activations[here] : NULL;
        at = a ? func_decoded(warp->activations[a->caller].func, a->back) - 1 : only_call(run, at->func);
        here = a ? a->caller : 0;
        if (at)
            calls[count++] = spot_of(at);
    }
    return count;
}

static void print_calls(const struct run *run, const struct warp *warp, uint32_t here, const struct decoded *at,
                        char place[PLACE_BYTES])
{
    struct spot calls[CALLS];
    unsigned count = find_calls(run, warp, here, at, calls);
    for (unsigned i = 0; i < count; i++) {
        char source[SOURCE_BYTES];
        size_t used = strlen(place);
        print_source(calls[i], "", source);
        if (!source[0] && !calls[i].func->places) /* no lines of a source: those of the text */
            snprintf(source, sizeof source, "%.300s:%u", calls[i].func->file ? calls[i].func->file : run->file,
                     calls[i].line);
        if (source[0] && (i < CALLS_TOLD - 1 || i == count - 1))
            snprintf(place + used, PLACE_BYTES - used, "%s, called at %.200s", i >= CALLS_TOLD ? ", ..." : "", source);
    }
}

void add_calls(const struct run *run, const struct warp *warp, const struct decoded *at, char place[PLACE_BYTES])
{
    print_calls(run, warp, warp && warp->func == at->func && warp->ncalls ? warp->here : 0, at, place);
}

void add_calls_of(const struct warp *warp, unsigned lane, const struct decoded *at, char place[PLACE_BYTES])
{
    print_calls(warp->worker->run, warp, activation_of(warp, lane, at), at, place);
}

/* ---- places in the text, or in machine code ------------------------------------------------------------------ */

const struct decoded *decoded_standing(const struct decoded *at)
{
    while (at->inst->line == 0 && at + 1 < at->func->decoded + at->func->ndecoded)
        at++;
    return at;
}

uint32_t warp_place(const struct warp *warp, const struct decoded *at, char place[PLACE_BYTES])
{
    return decoded_place(warp->worker->run, at, place);
}

/* NULL: an instruction of a text, or none. */
static const struct lane_place *machine_place(const struct decoded *at)
{
    const struct lane_func *func = decoded_written(at);
    uint32_t line = at->inst->line;
    return func->places && line && line <= func->nplaces ? &func->places[line - 1] : NULL;
}

/* Of machine code that keeps the text it was made from. */
static void print_text_line(const struct decoded *at, char out[TEXT_LINE_BYTES])
{
    const struct lane_line *line = lane_source_of(decoded_written(at), at->inst->line);
    out[0] = 0;
    if (line && line->text)
        snprintf(out, TEXT_LINE_BYTES, " (line %u of the text it was made from)", line->text);
}

/* The name of a place, its function as C++ calls it. */
static void print_machine(const struct lane_place *machine, char out[MACHINE_BYTES])
{
    struct arena arena = {0};
    size_t length = strcspn(machine->name, " ");
    const char *symbol = arena_text(&arena, machine->name, length);
    snprintf(out, MACHINE_BYTES, "%.150s%.150s", symbol ? plain_name(&arena, symbol) : "",
             machine->name + (symbol ? length : 0));
    arena_free(&arena);
}

const char *decoded_file(const struct run *run, const struct decoded *at)
{
    const struct lane_place *machine = machine_place(at);
    const char *file = decoded_written(at)->file;
    return machine && !machine->line ? NULL : file ? file : run->file;
}

uint32_t decoded_line(const struct decoded *at)
{
    const struct lane_place *machine = machine_place(at);
    return !machine ? at->inst->line : machine->line ? machine->line : machine->address;
}

uint32_t decoded_place(const struct run *run, const struct decoded *at, char place[PLACE_BYTES])
{
    const struct lane_place *machine = machine_place(at);
    const char *file = decoded_written(at)->file ? decoded_written(at)->file : run->file;
    char source[SOURCE_BYTES], text[TEXT_LINE_BYTES], name[MACHINE_BYTES];
    print_source(spot_of(at), ", ", source);
    print_text_line(at, text);
    if (machine)
        print_machine(machine, name);
    if (machine && machine->line)
        snprintf(place, PLACE_BYTES, "%s%.300s:%u: %s%s", source, file, machine->line, name, text);
    else if (machine)
        snprintf(place, PLACE_BYTES, "%s%.300s: %s%s", source, file, name, text);
    else
        snprintf(place, PLACE_BYTES, "%s%.300s:%u", source, file, at->inst->line);
    return decoded_line(at);
}

void short_place(const struct decoded *at, char place[PLACE_BYTES])
{
    const struct lane_place *machine = machine_place(at);
    char source[SOURCE_BYTES], name[MACHINE_BYTES];
    print_source(spot_of(at), ", ", source);
    if (machine)
        print_machine(machine, name);
    if (machine)
        snprintf(place, PLACE_BYTES, "%s%.100s", source, name);
    else
        snprintf(place, PLACE_BYTES, "%sline %u", source, at->inst->line);
}

void trace_place(const struct decoded *at, char place[PLACE_BYTES])
{
    const struct lane_func *func = decoded_written(at);
    const struct lane_place *machine = machine_place(at);
    char source[SOURCE_BYTES];
    print_source(spot_of(at), " ", source);
    if (!func->places)
        snprintf(place, PLACE_BYTES, "%sline %u", source, at->inst->line);
    else if (!machine)
        snprintf(place, PLACE_BYTES, "%.200s start:", func->name);
    else
        snprintf(place, PLACE_BYTES, "%s%.300s:", source, machine->name);
}

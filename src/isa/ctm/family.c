/* ATI's CTM as a family: executables and text to modules. */
#include "isa/ctm/family.h"

#include "isa/ctm/elf.h"
#include "isa/ctm/explain.h"
#include "isa/ctm/lower.h"
#include "isa/ctm/text.h"

#include <stdio.h>
#include <string.h>

struct ctm_front {
    const struct family_source *sources;
    struct ctm_program *programs; /* of each source */
    unsigned count;
};

static const struct ctm_front *own(const struct front *front)
{
    return (const struct ctm_front *)front;
}

/* ---- in --------------------------------------------------------------------------------------------------- */

bool ctm_takes(const char *text, size_t size)
{
    return ctm_is_elf(text, size) || ctm_takes_text(text, size);
}

static bool verdict_give(const struct ctm_program *program, enum ctm_verdict verdict, const char *text, size_t size,
                         const struct atoll_module_options *options, struct atoll_error *error)
{
    struct atoll_error first = {0};
    struct diag diag = {
        .source = program->lines ? text : NULL, .size = size, .options = options, .first = &first, .hold = true};
    bool judged = ctm_check(program, options && options->strict ? CTM_VERDICT_STRICT : verdict, &diag);
    diag_flush(&diag);
    if (!judged)
        return error_memory(error);
    if (diag.errors && error)
        *error = first;
    return !diag.errors;
}

static bool bytes_load(struct arena *arena, const char *bytes, size_t size, const struct atoll_module_options *options,
                       struct ctm_program *program, struct atoll_error *error)
{
    struct atoll_error why = {0};
    if (ctm_elf_read(arena, bytes, size, program, &why))
        return true;
    return options && options->file ? error_set(error, why.status, "%.300s: %s", options->file, why.message)
                                    : error_set(error, why.status, "%s", why.message);
}

bool ctm_load(struct arena *arena, const char *text, size_t size, const struct atoll_module_options *options,
              const enum ctm_verdict *verdict, struct ctm_program *program, struct atoll_error *error)
{
    bool ok = ctm_is_elf(text, size) ? bytes_load(arena, text, size, options, program, error)
                                     : ctm_assemble(arena, text, size, options, program, error);
    return ok && (!verdict || verdict_give(program, *verdict, text, size, options, error));
}

static const char *const tex_writes[] = {
    [CTM_TEX_DEFERRED] = "deferred", [CTM_TEX_IMMEDIATE] = "immediate", [CTM_TEX_SEEDED] = "seeded", NULL};

static enum ctm_tex_write tex_write_of(const struct atoll_module_options *options)
{
    for (unsigned i = 0; options->tex_write && tex_writes[i]; i++)
        if (strcmp(options->tex_write, tex_writes[i]) == 0)
            return (enum ctm_tex_write)i;
    return CTM_TEX_DEFERRED;
}

static bool load(struct family_load *load, struct atoll_error *error)
{
    static const enum ctm_verdict verdict = CTM_VERDICT_RUN;
    struct ctm_front *front = arena_alloc(load->arena, sizeof *front);
    struct ctm_program *programs = arena_array(load->arena, load->count, sizeof *programs);
    if (!front || !programs)
        return error_memory(error);
    *front = (struct ctm_front){load->sources, programs, load->count};
    load->front = (struct front *)front;
    for (unsigned i = 0; i < load->count; i++) {
        const struct family_source *source = &load->sources[i];
        struct atoll_module_options options = *load->options;
        options.file = source->file;
        if (i)
            return error_set(error, ATOLL_UNSUPPORTED, "%.300s: programs of CTM are not joined: one file, one program",
                             source->file);
        if (!ctm_load(load->arena, source->text, source->size, &options, &verdict, &programs[i], error) ||
            !ctm_lower_program(load->arena, &programs[i], tex_write_of(&options), false, load->lanes, error))
            return false;
    }
    return true;
}

static bool check(const struct family_source *source, const struct atoll_module_options *given,
                  struct atoll_error *error)
{
    static const enum ctm_verdict verdict = CTM_VERDICT_CHECK;
    struct arena arena = {0};
    struct ctm_program program;
    struct atoll_module_options options = *given;
    options.file = source->file;
    bool ok = ctm_load(&arena, source->text, source->size, &options, &verdict, &program, error);
    arena_free(&arena);
    return ok;
}

/* ---- out -------------------------------------------------------------------------------------------------- */

static bool print(const struct front *given, struct text *out, struct atoll_error *error)
{
    const struct ctm_front *front = own(given);
    (void)error;
    for (unsigned i = 0; i < front->count; i++)
        ctm_print(&front->programs[i], out);
    return true;
}

static bool insns(const struct front *given, struct text *out, struct atoll_error *error)
{
    const struct ctm_front *front = own(given);
    (void)error;
    for (unsigned i = 0; i < front->count; i++) {
        const struct ctm_program *p = &front->programs[i];
        text_printf(out, "%s:\n", p->name);
        for (uint32_t k = 0; k < p->ninsts; k++) {
            char text[ISA_TEXT];
            ctm_print_inst(&p->insts[k], text);
            if (p->lines)
                text_printf(out, "%6u  %s\n", p->lines[k], text);
            else
                text_printf(out, "%6u: %s\n", k, text);
        }
    }
    return true;
}

static void target(const struct front *front, unsigned source, struct family_target *out)
{
    (void)front, (void)source;
    *out = (struct family_target){.kind = "CTM", .version = 10, .address_size = 32};
}

static void tell_list(const struct ctm_program *p, enum ctm_note note, const char *list, const char *prefix,
                      family_told_fn *told, void *user)
{
    const struct ctm_set *set = (const void *)((const char *)p + ctm_notes[note].set);
    for (uint32_t i = 0; i < ctm_notes[note].numbers; i++)
        if (ctm_has(set, i)) {
            char name[16];
            snprintf(name, sizeof name, "%s%u", prefix, i);
            told(user, &(struct family_told){.list = list, .name = name});
        }
}

static void tell_number(const char *list, const char *name, const char *format, uint32_t number, family_told_fn *told,
                        void *user)
{
    char value[16];
    snprintf(value, sizeof value, format, number);
    told(user, &(struct family_told){.list = list, .name = name, .value = value});
}

/* Words of the program information as they are, and what they say. */
static void tell_info(const struct ctm_program *p, family_told_fn *told, void *user)
{
    static const char *const names[] = {
        [CTM_INFO_ONE] = "reserved",
        [CTM_INFO_FG_DEPTH_SRC] = "FG_DEPTH_SRC",
        [CTM_INFO_US_CONFIG] = "US_CONFIG",
        [CTM_INFO_US_PIXSIZE] = "US_PIXSIZE",
        [CTM_INFO_US_FC_CTRL] = "US_FC_CTRL",
        [CTM_INFO_US_CODE_ADDR] = "US_CODE_ADDR",
        [CTM_INFO_US_CODE_RANGE] = "US_CODE_RANGE",
        [CTM_INFO_US_CODE_OFFSET] = "US_CODE_OFFSET",
        [CTM_INFO_US_W_FMT] = "US_W_FMT",
        [CTM_INFO_UMRT] = "uncached",
    };
    static const char list[] = "program information";
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        tell_number(list, names[i], "0x%08x", p->info[i], told, user);
}

static void tell_program(const struct ctm_program *p, family_told_fn *told, void *user)
{
    static const char list[] = "program";
    tell_number(list, "instructions", "%u", p->ninsts, told, user);
    tell_number(list, "first", "%u", ctm_start(p), told, user);
    tell_number(list, "last", "%u", ctm_end(p), told, user);
    tell_number(list, "temporaries", "%u", (p->info[CTM_INFO_US_PIXSIZE] & (CTM_TEMPS - 1)) + 1, told, user);
    told(user,
         &(struct family_told){.list = list, .name = "flow control", .value = ctm_full_flow(p) ? "full" : "partial"});
    told(user,
         &(struct family_told){.list = list, .name = "outputs", .value = ctm_uncached(p) ? "uncached" : "cached"});
    told(user, &(struct family_told){
                   .list = list, .name = "zero times anything", .value = ctm_zero_times(p) ? "zero" : "as IEEE 754"});
}

static void tell(const struct front *given, unsigned number, family_told_fn *told, void *user)
{
    const struct ctm_front *front = own(given);
    if (number >= front->count)
        return;
    const struct ctm_program *p = &front->programs[number];
    tell_list(p, CTM_NOTE_INPUTS, "inputs", "in", told, user);
    tell_list(p, CTM_NOTE_OUTPUTS, "outputs", "out", told, user);
    tell_list(p, CTM_NOTE_FLOATS, "float constants", "c", told, user);
    tell_list(p, CTM_NOTE_INTS, "integer constants", "i", told, user);
    tell_number("notes", ctm_notes[CTM_NOTE_CONDOUT].name, "%u", p->condout, told, user);
    tell_number("notes", ctm_notes[CTM_NOTE_EARLYEXIT].name, "%u", p->early_exit, told, user);
    tell_program(p, told, user);
    tell_info(p, told, user);
}

/* ---- the row ---------------------------------------------------------------------------------------------- */

static const char *const machines[] = {"R580", NULL};

const struct family ctm_family = {
    .name = "ctm",
    .title = "CTM",
    .machines = machines,
    /* Index pairs of 12 bits each (guide p.14), in blocks whose shape programs say (launch.h). */
    .limits = {.grid = {4096, 4096, 1}, /* index pairs: a grid counts threads */
               .block = {CTM_WIDE_X, CTM_WIDE_Y, 1},
               .block_threads = CTM_BLOCK,
               .shared_bytes = 0,
               .shared_text = "none",
               .required = "the group of processors",
               .at_most = "the group of processors"},
    .tex_writes = tex_writes,
    .takes = ctm_takes,
    .load = load,
    .check = check,
    .print = print,
    .insns = insns,
    .target = target,
    .tell = tell,
    .explains = ctm_explains,
    .explain = ctm_explain,
    .list = ctm_list,
    .code = &ctm_family_code,
};

/* From .loc and .file to the table of source lines of each function (lane_func.sources). Source: PTX ISA, "Debugging
 * Directives: .loc" and ".file".
 *
 *   .loc 1 18 9                                                      what follows comes from line 18 of file 1
 *   .loc 2 4 5, function_name $L__info_string1, inlined_at 1 18 9    line 4 of file 2, of a function called at 1 18 9
 *
 *   .loc 1 0 9                                                      of no line: as what stands before it
 *
 * What inlined_at names is the last .loc of the same function with these numbers, which may be inlined itself. So a
 * chain of callers goes back in the text, and ends. */
#include "isa/ptx/debug.h"
#include "isa/ptx/lower.h"

#include <string.h>

struct lower_lines {
    struct arena arena;    /* of all maps */
    struct namemap files;  /* by number: index in `names` */
    const char **names;    /* of files, as long as the lane module */
    struct namemap labels; /* of .debug_str: offset */
    struct dwarf_section strings;
    struct arena places_arena; /* of the function */
    struct namemap places;     /* by file, line, column: struct known, the last of them */
    struct lane_line next;     /* what is said of the next instruction */
};

/* A place that a .loc has named. */
struct known {
    uint32_t place[3]; /* the key */
    const struct lane_source *source;
};

static bool map_files(struct lowerer *l, struct lower_lines *lines)
{
    const struct ptx_module *m = l->module;
    lines->names = arena_array(&lines->arena, m->nfiles, sizeof *lines->names);
    for (uint32_t i = 0; i < m->nfiles && lines->names; i++) {
        const struct ptx_file *file = &m->files[i];
        if (!file->name)
            continue;
        lines->names[i] = arena_text(&l->out->arena, file->name, strlen(file->name));
        if (!lines->names[i] || !namemap_add(&lines->files, &file->number, sizeof file->number, i))
            return false;
    }
    return lines->names != NULL;
}

bool lower_lines_open(struct lowerer *l)
{
    l->lines = NULL;
    if (l->module->nfiles == 0)
        return true;
    struct lower_lines *lines = l->lines = arena_alloc(l->arena, sizeof *lines);
    if (!lines)
        return false;
    lines->files.arena = lines->labels.arena = &lines->arena;
    return map_files(l, lines) && ptx_debug_strings(l->module, &lines->arena, &lines->labels, &lines->strings);
}

void lower_lines_close(struct lowerer *l)
{
    if (l->lines)
        arena_free(&l->lines->places_arena);
    if (l->lines)
        arena_free(&l->lines->arena);
    l->lines = NULL;
}

void lower_lines_begin(struct lowerer *l)
{
    arena_free(&l->lines->places_arena);
    l->lines->places = (struct namemap){.arena = &l->lines->places_arena};
    l->lines->next = (struct lane_line){0};
}

static const char *keep(struct lowerer *l, const char *text)
{
    const char *copy = arena_text(&l->out->arena, text, strlen(text));
    l->b.failed |= !copy;
    return copy;
}

/* The name that a label of .debug_str stands for; NULL: there is none. */
static const char *function_name(struct lowerer *l, const struct ptx_loc *loc)
{
    const struct lower_lines *lines = l->lines;
    const char *label = l->module->source + loc->function.pos;
    uint64_t at = *label == '.' ? 0 : namemap_find(&lines->labels, label, loc->function.length);
    if (at == UINT32_MAX || at + loc->offset < at || at + loc->offset >= lines->strings.size)
        return NULL;
    const char *name = (const char *)lines->strings.bytes + at + loc->offset; /* a 0 is behind all of them */
    return *name ? keep(l, name) : NULL;
}

/* File and line; NULL: no .file has the number, or a caller has no line. */
static struct lane_source *new_source(struct lowerer *l, const uint32_t place[3])
{
    uint32_t file = namemap_find(&l->lines->files, &place[0], sizeof place[0]);
    if (file == UINT32_MAX || place[1] == 0)
        return NULL;
    struct lane_source *source = arena_alloc(&l->out->arena, sizeof *source);
    l->b.failed |= !source;
    if (source)
        *source = (struct lane_source){.file = l->lines->names[file], .line = place[1], .column = place[2]};
    return source;
}

static void know(struct lowerer *l, const uint32_t place[3], const struct lane_source *source)
{
    struct known *known = (struct known *)namemap_key(&l->lines->places, place, sizeof known->place);
    if (!known) {
        known = arena_alloc(&l->lines->places_arena, sizeof *known);
        if (known)
            memcpy(known->place, place, sizeof known->place);
        l->b.failed |= !known || !namemap_add(&l->lines->places, known, sizeof known->place, 0);
    }
    if (known)
        known->source = source;
}

/* A place of another function has no caller here. */
static const struct lane_source *caller_of(struct lowerer *l, const struct ptx_loc *loc)
{
    const struct known *known = namemap_key(&l->lines->places, loc->caller, sizeof loc->caller);
    return known ? known->source : new_source(l, loc->caller);
}

void lower_loc(struct lowerer *l, const struct ptx_loc *loc)
{
    if (loc->place[1] == 0) /* what a compiler moves or makes has no line of its own: it stands behind one that has */
        return;
    struct lane_source *source = new_source(l, loc->place);
    l->lines->next.source = source;
    if (source && loc->function.length) {
        source->function = function_name(l, loc);
        source->caller = caller_of(l, loc);
    }
    if (source)
        know(l, loc->place, source);
}

void lower_line(struct lowerer *l)
{
    lane_source(&l->b, &l->lines->next);
}

/* From the line tables of a cubin to source lines by section and offset. */
#include "isa/sass/lines.h"

#include "isa/dwarf.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of file names with their folders, as many as the section has and this; files beyond have no folder. Many files
 * of a hostile table can have one long folder. */
enum { PATHS_FREE = 1 << 16 };

struct reading {
    const struct sass_module *module;
    struct arena *arena, *keep;
    uint32_t debug;                             /* the section that is read */
    const struct sass_relocation **relocations; /* of it, by offset */
    size_t nrelocations;
    struct sass_line *rows;
    size_t nrows;
    bool text;              /* lines are of the text, not of the source */
    size_t sequence;        /* its first row */
    uint32_t section;       /* of the sequence's code; 0: not known */
    uint64_t base;          /* what its addresses are counted from */
    const char *path;       /* of the file of the last row */
    uint32_t file, program; /* which that was */
    uint64_t paths;         /* bytes that paths may still take */
    bool no_memory, homeless;
};

static int by_offset(const void *a, const void *b)
{
    const struct sass_relocation *x = *(const struct sass_relocation *const *)a,
                                 *y = *(const struct sass_relocation *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool relocations_sort(struct reading *r)
{
    const struct sass_module *m = r->module;
    r->nrelocations = 0;
    r->relocations = arena_array(r->arena, (size_t)m->nrelocations + 1, sizeof *r->relocations);
    if (!r->relocations)
        return false;
    for (unsigned i = 0; i < m->nrelocations; i++)
        if (m->relocations[i].section == r->debug)
            r->relocations[r->nrelocations++] = &m->relocations[i];
    qsort(r->relocations, r->nrelocations, sizeof *r->relocations, by_offset);
    return true;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The code that a sequence is of: its address is that of a symbol. */
static void sequence_begin(struct reading *r, const struct dwarf_row *row)
{
    const struct sass_relocation key = {.offset = row->address_at}, *wanted = &key;
    const struct sass_relocation **found =
        bsearch(&wanted, r->relocations, r->nrelocations, sizeof *r->relocations, by_offset);
    const struct sass_symbol *symbol =
        found && (*found)->symbol < r->module->nsymbols ? &r->module->symbols[(*found)->symbol] : NULL;
    r->sequence = r->nrows;
    r->section = symbol && symbol->section < r->module->nsections ? symbol->section : 0;
    r->base = symbol ? symbol->value + (uint64_t)((*found)->has_addend ? (*found)->addend : 0) : 0;
    r->homeless |= !r->section;
}

/* Folder and name, if there is room for them. */
static const char *path_of(struct reading *r, const struct dwarf_row *row)
{
    if (r->path && r->file == row->file_number && r->program == row->program)
        return r->path;
    bool whole = !row->directory || !*row->directory || row->file[0] == '/';
    size_t folder = whole ? 0 : strlen(row->directory), name = strlen(row->file), bytes = folder + name + 2;
    if (bytes > r->paths) {
        folder = 0;
        bytes = name + 2;
    }
    if (bytes > r->paths)
        return "?";
    char *path = arena_alloc(r->keep, bytes);
    if (!path)
        return NULL;
    r->paths -= bytes;
    if (folder) {
        memcpy(path, row->directory, folder);
        path[folder++] = '/';
    }
    memcpy(path + folder, row->file, name);
    r->path = path;
    r->file = row->file_number;
    r->program = row->program;
    return path;
}

/* Callers are rows of the sequence, further up. */
static const struct lane_source *source_of(struct reading *r, const struct dwarf_row *row)
{
    const struct lane_source *caller = row->caller ? r->rows[r->sequence + row->caller - 1].source : NULL;
    struct lane_source *source = arena_alloc(r->keep, sizeof *source);
    const char *path = path_of(r, row);
    if (!source || !path) {
        r->no_memory = true;
        return NULL;
    }
    *source = (struct lane_source){.file = path, .line = row->line, .column = row->column, .caller = caller};
    if (row->function)
        source->function = arena_text(r->keep, row->function, strlen(row->function));
    r->no_memory |= row->function && !source->function;
    return source;
}

static bool on_row(void *user, const struct dwarf_row *row)
{
    struct reading *r = user;
    if (row->number == 1)
        sequence_begin(r, row);
    r->rows = arena_append(r->arena, r->rows, r->nrows, sizeof *r->rows);
    if (!r->rows) {
        r->no_memory = true;
        return false;
    }
    struct sass_line *line = &r->rows[r->nrows];
    *line = (struct sass_line){.at = r->base + row->address, .section = r->section, .order = (uint32_t)r->nrows};
    r->nrows++;
    if (row->end || row->line == 0)
        return true;
    if (r->text)
        line->text = row->line;
    else if (row->file)
        line->source = source_of(r, row);
    return !r->no_memory;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct sass_line *x = a, *y = b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The section of this name that is of the same file as another. */
static struct dwarf_section beside(const struct sass_module *m, uint32_t section, const char *name)
{
    for (uint32_t i = 1; i < m->nsections; i++) {
        const struct sass_section *s = &m->sections[i];
        if (s->bytes && s->file == m->sections[section].file && strcmp(s->name, name) == 0)
            return (struct dwarf_section){s->bytes, s->size};
    }
    return (struct dwarf_section){NULL, 0};
}

static bool section_read(struct reading *r, uint32_t section, bool *broken)
{
    const struct sass_section *s = &r->module->sections[section];
    struct dwarf_section bytes = {s->bytes, s->size};
    struct dwarf_section str = beside(r->module, section, ".debug_str");
    struct dwarf_section line_str = beside(r->module, section, ".debug_line_str");
    r->debug = section;
    r->paths = PATHS_FREE + s->size;
    r->path = NULL;
    r->homeless = false;
    if (!relocations_sort(r))
        return false;
    enum dwarf_verdict verdict = dwarf_lines(&bytes, &str, &line_str, on_row, r);
    *broken |= verdict == DWARF_BROKEN || r->homeless;
    return verdict != DWARF_NO_MEMORY && !r->no_memory;
}

/* All sections of a name: files that are joined have one each. */
static bool table_read(struct reading *r, const char *name, struct sass_line **rows, size_t *count, bool *broken)
{
    r->rows = NULL;
    r->nrows = 0;
    for (uint32_t i = 1; i < r->module->nsections; i++) {
        const struct sass_section *s = &r->module->sections[i];
        if (s->bytes && s->size <= UINT32_MAX && strcmp(s->name, name) == 0 && !section_read(r, i, broken))
            return false;
    }
    if (r->nrows)
        qsort(r->rows, r->nrows, sizeof *r->rows, by_place);
    *rows = r->rows;
    *count = r->nrows;
    return true;
}

bool sass_lines_read(const struct sass_module *module, struct arena *arena, struct arena *keep,
                     struct sass_lines *lines)
{
    struct reading r = {.module = module, .arena = arena, .keep = keep};
    *lines = (struct sass_lines){0};
    if (!table_read(&r, ".debug_line", &lines->source, &lines->nsource, &lines->broken))
        return false;
    r.text = true;
    return table_read(&r, ".nv_debug_line_sass", &lines->text, &lines->ntext, &lines->broken);
}

/* The last row of the section at or before an offset; NULL: there is none. */
static const struct sass_line *row_at(const struct sass_line *rows, size_t count, uint32_t section, uint64_t offset)
{
    const struct sass_line key = {.section = section, .at = offset, .order = UINT32_MAX};
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_place(&rows[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && rows[low - 1].section == section ? &rows[low - 1] : NULL;
}

struct lane_line sass_lines_find(const struct sass_lines *lines, uint32_t section, uint64_t offset)
{
    const struct sass_line *source = row_at(lines->source, lines->nsource, section, offset);
    const struct sass_line *text = row_at(lines->text, lines->ntext, section, offset);
    return (struct lane_line){.text = text ? text->text : 0, .source = source ? source->source : NULL};
}

/* Reading line tables. Source: DWARF Debugging Information Format, version 5, section 6.2; versions 2 to 4 differ in
 * the header only. What nvcc adds (elfutils 0.189, libdw/dwarf_getsrclines.c: DW_LNE_NVIDIA_*):
 *
 *   header            4 bytes more at its end, if there is room before the program: where its names are in .debug_str
 *   90: ULEB row, ULEB name    what follows was inlined at this row of the sequence; 0: it was not
 *   91: ULEB name              only the name
 *
 *   .debug_line    length, version, [address size, segment size], header length, instruction length, [operations],
 *                  is_stmt, line base, line range, opcode base, lengths of opcodes, directories, files | program
 */
#include "isa/dwarf_read.h"

#include "base/arena.h"

enum {
    COPY = 1,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    SET_COLUMN,
    NEGATE_STMT,
    BASIC_BLOCK,
    CONST_ADD_PC,
    FIXED_ADVANCE_PC
};
enum { END_SEQUENCE = 1, SET_ADDRESS = 2, DEFINE_FILE = 3, INLINED_CALL = 0x90, FUNCTION_NAME = 0x91 };
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };
enum { FORM_STRP = 0x0e, FORM_LINE_STRP = 0x1f, FORM_STRING = 0x08, FORM_UDATA = 0x0f, FORM_BLOCK = 0x09 };
#define STRINGS_MOST (UINT64_C(1) << 28) /* bytes of strings looked at: many entries can name one long string */
#define NO_NAMES     UINT64_MAX

struct file {
    const char *name;
    uint64_t directory;
};

struct names {
    struct file *items;
    size_t count;
};

struct table {
    const struct dwarf_section *lines, *str, *line_str;
    struct arena arena; /* of one table at a time */
    struct names directories, files;
    unsigned version, offset_size, length_of_insn, line_range, opcode_base;
    int line_base;
    uint8_t lengths[256]; /* of opcodes: how many operands */
    uint64_t names;       /* where names of functions begin in .debug_str; NO_NAMES: there are none */
    uint32_t program;
    uint64_t strings; /* bytes of strings looked at */
    bool no_memory, stopped;
    dwarf_row_found *found;
    void *user;
};

/* A string of another section; NULL: none. */
static const char *string_of(struct table *t, const struct dwarf_section *section, uint64_t offset)
{
    struct reader r = reader_at(section, offset, section->size);
    const char *text = r.broken || t->strings >= STRINGS_MOST ? NULL : string_here(&r);
    t->strings += text ? strlen(text) + 1 : 0;
    return text;
}

static int64_t get_sleb(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end;) {
        uint8_t byte = *r->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
        if (!(byte & 0x80))
            return (int64_t)(byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value);
    }
    r->broken = true;
    return 0;
}

/* ---- header -------------------------------------------------------------------------------------------- */

static void add_name(struct table *t, struct names *names, struct file file)
{
    struct file *items = arena_append(&t->arena, names->items, names->count, sizeof *items);
    t->no_memory |= !items;
    if (!items)
        return;
    names->items = items;
    items[names->count++] = file;
}

/* Versions 2 to 4: strings, ended by an empty one; behind the names of files directory, time and size. */
static void old_names(struct table *t, struct reader *r, struct names *names, bool files)
{
    while (!r->broken && !t->no_memory) {
        struct file file = {string_here(r), 0};
        if (!file.name || !*file.name)
            return;
        if (files) {
            file.directory = get_uleb(r);
            get_uleb(r);
            get_uleb(r);
        }
        add_name(t, names, file);
    }
}

/* A value of an entry: a string, or a number. */
static void entry_value(struct table *t, struct reader *r, uint64_t form, const char **text, uint64_t *number)
{
    static const struct {
        uint8_t form, size;
    } sizes[] = {{0x0b, 1}, {0x05, 2}, {0x06, 4}, {0x07, 8}, {0x1e, 16}};
    *text = NULL;
    *number = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (form == sizes[i].form) {
            *number = get(r, sizes[i].size);
            return;
        }
    if (form == FORM_STRING)
        *text = string_here(r);
    else if (form == FORM_STRP)
        *text = string_of(t, t->str, get(r, t->offset_size));
    else if (form == FORM_LINE_STRP)
        *text = string_of(t, t->line_str, get(r, t->offset_size));
    else if (form == FORM_UDATA)
        *number = get_uleb(r);
    else if (form == FORM_BLOCK)
        skip(r, get_uleb(r));
    else
        r->broken = true;
}

/* Version 5: a format - pairs of content and form -, and entries in it. */
static void new_names(struct table *t, struct reader *r, struct names *names)
{
    struct {
        uint64_t content, form;
    } format[255];
    unsigned columns = (unsigned)get(r, 1);
    for (unsigned i = 0; i < columns; i++) {
        format[i].content = get_uleb(r);
        format[i].form = get_uleb(r);
    }
    uint64_t count = get_uleb(r);
    r->broken |= columns == 0 && count > 0;
    for (uint64_t i = 0; i < count && !r->broken && !t->no_memory; i++) {
        struct file file = {NULL, 0};
        for (unsigned k = 0; k < columns; k++) {
            const char *text;
            uint64_t number;
            entry_value(t, r, format[k].form, &text, &number);
            if (format[k].content == CONTENT_PATH)
                file.name = text;
            else if (format[k].content == CONTENT_DIRECTORY)
                file.directory = number;
        }
        add_name(t, names, file);
    }
}

static void names_read(struct table *t, struct reader *r)
{
    t->directories = t->files = (struct names){NULL, 0};
    if (t->version >= 5) {
        new_names(t, r, &t->directories);
        new_names(t, r, &t->files);
    } else {
        old_names(t, r, &t->directories, false);
        old_names(t, r, &t->files, true);
    }
}

/* At the version; *r is at the program then. */
static void header_read(struct table *t, struct reader *r)
{
    t->version = (unsigned)get(r, 2);
    if (t->version < 2 || t->version > 5)
        r->broken = true;
    if (t->version >= 5)
        get(r, 2);
    uint64_t length = get(r, t->offset_size);
    r->broken |= length > (uint64_t)(r->end - r->at);
    if (r->broken)
        return;
    struct reader header = {r->at, r->at + length, false};
    t->length_of_insn = (unsigned)get(&header, 1);
    if (t->version >= 4)
        get(&header, 1);
    get(&header, 1);
    t->line_base = (int8_t)get(&header, 1);
    t->line_range = (unsigned)get(&header, 1);
    t->opcode_base = (unsigned)get(&header, 1);
    for (unsigned i = 1; i < t->opcode_base; i++)
        t->lengths[i] = (uint8_t)get(&header, 1);
    names_read(t, &header);
    t->names = header.end - header.at >= 4 ? get(&header, 4) : NO_NAMES;
    r->broken |= header.broken || t->line_range == 0 || t->opcode_base == 0;
    r->at += length;
}

/* ---- program ------------------------------------------------------------------------------------------- */

/* The registers of the machine. */
struct state {
    struct dwarf_row row;
    uint64_t file;
    uint64_t caller, name; /* name: NO_NAMES: none */
};

static void state_begin(const struct table *t, struct state *s)
{
    *s = (struct state){.row = {.line = 1, .number = 1, .program = t->program}, .file = 1, .name = NO_NAMES};
}

static void find_file(const struct table *t, struct state *s)
{
    unsigned first = t->version >= 5 ? 0 : 1;
    const struct file *file =
        s->file >= first && s->file - first < t->files.count ? &t->files.items[s->file - first] : NULL;
    s->row.file = file ? file->name : NULL;
    s->row.file_number = (uint32_t)s->file;
    s->row.directory = file && file->directory >= first && file->directory - first < t->directories.count
                           ? t->directories.items[file->directory - first].name
                           : NULL;
}

static void put_row(struct table *t, struct state *s, bool end)
{
    find_file(t, s);
    s->row.end = end;
    s->row.caller = s->caller < s->row.number ? (uint32_t)s->caller : 0;
    s->row.function = s->row.caller && s->name != NO_NAMES ? string_of(t, t->str, s->name) : NULL;
    t->stopped |= !t->found(t->user, &s->row);
    s->row.number++;
    if (end)
        state_begin(t, s);
}

static void set_name(const struct table *t, struct state *s, uint64_t offset)
{
    s->name = t->names == NO_NAMES || offset > UINT32_MAX ? NO_NAMES : t->names + offset;
}

static void extended(struct table *t, struct reader *r, struct state *s)
{
    uint64_t length = get_uleb(r);
    if (length == 0 || length > (uint64_t)(r->end - r->at)) {
        r->broken = true;
        return;
    }
    struct reader inside = {r->at, r->at + length, false};
    r->at += length;
    unsigned opcode = (unsigned)get(&inside, 1);
    if (opcode == END_SEQUENCE) {
        put_row(t, s, true);
    } else if (opcode == SET_ADDRESS) {
        s->row.address_at = (size_t)(inside.at - t->lines->bytes);
        s->row.address = get(&inside, length - 1 < 8 ? (unsigned)(length - 1) : 8);
    } else if (opcode == DEFINE_FILE) {
        struct file file = {string_here(&inside), 0};
        file.directory = get_uleb(&inside);
        add_name(t, &t->files, file);
    } else if (opcode == INLINED_CALL) {
        s->caller = get_uleb(&inside);
        set_name(t, s, get_uleb(&inside));
    } else if (opcode == FUNCTION_NAME) {
        set_name(t, s, get_uleb(&inside));
    }
    r->broken |= inside.broken;
}

static void advance(const struct table *t, struct state *s, uint64_t operations)
{
    s->row.address += operations * t->length_of_insn;
}

static void standard(struct table *t, struct reader *r, struct state *s, unsigned opcode)
{
    switch (opcode) {
    case COPY:
        put_row(t, s, false);
        break;
    case ADVANCE_PC:
        advance(t, s, get_uleb(r));
        break;
    case ADVANCE_LINE:
        s->row.line += (uint32_t)get_sleb(r);
        break;
    case SET_FILE:
        s->file = get_uleb(r);
        break;
    case SET_COLUMN:
        s->row.column = (uint32_t)get_uleb(r);
        break;
    case CONST_ADD_PC:
        advance(t, s, (255 - t->opcode_base) / t->line_range);
        break;
    case FIXED_ADVANCE_PC:
        s->row.address += get(r, 2);
        break;
    default:
        for (unsigned i = 0; i < t->lengths[opcode]; i++)
            get_uleb(r);
    }
}

static void program_run(struct table *t, struct reader *r)
{
    struct state s;
    state_begin(t, &s);
    while (r->at < r->end && !r->broken && !t->no_memory && !t->stopped) {
        unsigned opcode = *r->at++;
        if (opcode == 0) {
            extended(t, r, &s);
        } else if (opcode < t->opcode_base) {
            standard(t, r, &s, opcode);
        } else {
            opcode -= t->opcode_base;
            advance(t, &s, opcode / t->line_range);
            s.row.line += (uint32_t)(t->line_base + (int)(opcode % t->line_range));
            put_row(t, &s, false);
        }
    }
}

enum dwarf_verdict dwarf_lines(const struct dwarf_section *lines, const struct dwarf_section *str,
                               const struct dwarf_section *line_str, dwarf_row_found *found, void *user)
{
    struct table t = {.lines = lines, .str = str, .line_str = line_str, .found = found, .user = user};
    struct reader all = reader_at(lines, 0, lines->size);
    while (all.at < all.end && !all.broken && !t.no_memory && !t.stopped) {
        uint64_t length = get(&all, 4);
        t.offset_size = length == 0xffffffff ? 8 : 4;
        if (t.offset_size == 8)
            length = get(&all, 8);
        if (all.broken || length > (uint64_t)(all.end - all.at)) {
            all.broken = true;
            break;
        }
        struct reader table = {all.at, all.at + length, false};
        all.at += length;
        header_read(&t, &table);
        if (!table.broken && !t.no_memory)
            program_run(&t, &table);
        all.broken |= table.broken;
        t.program++;
        arena_free(&t.arena);
    }
    return t.no_memory ? DWARF_NO_MEMORY : t.stopped ? DWARF_STOPPED : all.broken ? DWARF_BROKEN : DWARF_READ;
}

/* `explain` and `list` for vISA: forms by their names, instructions of text or bytes taken apart by their rows. */
#include "isa/visa/explain.h"
#include "base/json.h"

#include "isa/diag.h"
#include "isa/visa/check_inner.h"
#include "isa/visa/explain_inner.h"
#include "isa/visa/family.h"
#include "isa/visa/means.h"
#include "isa/visa/parse.h"
#include "isa/visa/print.h"
#include "isa/visa/stream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FORMS = 64, BYTES = 512 };

struct explained {
    const struct visa_form *forms[FORMS]; /* that the name means */
    unsigned nforms;
    const struct visa_object *object; /* of an instruction; NULL: a name alone */
    const struct visa_inst *inst;
    const char *bytes; /* of the instruction */
    size_t nbytes;
    unsigned atomic; /* the operation of atomics; VISA_ATOMICS: all */
    unsigned bits;   /* of the value in memory, where it is said; 0: it is not */
};

/* ---- finding ---------------------------------------------------------------------------------------------- */

/* The name that an instruction begins with: past a predicate, up to a dot or a blank. */
static size_t name_of(const char **text)
{
    *text += strspn(*text, " \t");
    if (**text == '(') {
        *text += strcspn(*text, ")");
        *text += strspn(*text, ") \t");
    }
    return strcspn(*text, ". \t\n(");
}

static bool row_is(const struct visa_row *row, const char *name, size_t length)
{
    return strlen(row->name) == length && length && strncasecmp(row->name, name, length) == 0;
}

static void find_forms(const struct visa_table *table, const char *name, size_t length, struct explained *e)
{
    for (unsigned i = 0; i < VISA_ROWS && e->nforms < FORMS; i++)
        if (row_is(&visa_rows[i], name, length))
            e->forms[e->nforms++] = &table->forms[i];
}

bool visa_explains(const char *instruction)
{
    const char *at = instruction;
    size_t length = name_of(&at);
    bool underscore = memchr(at, '_', length) != NULL;
    for (unsigned i = 0; underscore && i < VISA_ROWS; i++)
        if (row_is(&visa_rows[i], at, length))
            return true;
    return false;
}

/* Bytes in hexadecimal, blanks between or none. */
static size_t hex_bytes(const char *text, uint8_t bytes[BYTES])
{
    size_t count = 0;
    for (const char *at = text; *at && count < BYTES;) {
        char digits[3] = {at[0], at[1], 0};
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
            return 0;
        bytes[count++] = (uint8_t)strtoul(digits, NULL, 16);
        at += 2;
    }
    return count;
}

static bool take_bytes(const struct visa_table *table, struct arena *arena, const uint8_t *bytes, size_t size,
                       struct explained *e, struct atoll_error *error)
{
    struct wire wire = {.bytes = bytes, .size = size};
    struct visa_stream stream = {.wire = &wire, .arena = arena, .version = VISA_VERSION, .table = table};
    struct visa_inst *inst = arena_alloc(arena, sizeof *inst);
    struct visa_object *object = arena_alloc(arena, sizeof *object);
    if (!inst || !object)
        return error_memory(error);
    if (!visa_move_inst(&stream, inst))
        return error_set(error, ATOLL_INPUT, "byte %zu: %s", wire.at, wire.reason);
    e->inst = inst;
    e->object = object;
    return true;
}

static bool take_text(struct arena *arena, const char *text, struct explained *e, struct atoll_error *error)
{
    struct atoll_error first = {0};
    struct diag diag = {.source = text, .size = strlen(text), .first = &first};
    struct visa_object *object = arena_alloc(arena, sizeof *object);
    if (!object || !visa_parse_line(arena, &diag, object))
        return error_memory(error);
    if (diag.errors || object->ninsts != 1)
        return error_set(error, ATOLL_INPUT, "%s", diag.errors ? first.message : "wanted one instruction");
    e->object = object;
    e->inst = &object->insts[0];
    return true;
}

/* ---- operations of atomics -------------------------------------------------------------------------------- */

static bool no_operation(const struct visa_row *row, const char *name, size_t length, struct atoll_error *error)
{
    struct text names = {0};
    for (unsigned i = 0; i < VISA_ATOMICS; i++)
        if (visa_atomics[i].name)
            text_printf(&names, "%s%s", names.length ? ", " : "", visa_atomics[i].name);
    bool ok = text_ok(&names) ? error_set(error, ATOLL_INPUT, "'%s' has no operation '%.*s': it has %s", row->name,
                                          (int)(length < 60 ? length : 60), name, names.bytes)
                              : error_memory(error);
    text_free(&names);
    return ok;
}

/* ".cmpxchg.16" after the name; nothing: all operations. */
static bool take_operation(const struct visa_row *row, const char *at, struct explained *e, struct atoll_error *error)
{
    size_t length = *at == '.' ? strcspn(at + 1, ". \t(") : 0;
    if (!length)
        return true;
    e->atomic = visa_atomic_named(visa_atomics, at + 1, length, true);
    if (e->atomic == VISA_ATOMICS)
        return no_operation(row, at + 1, length, error);
    at += 1 + length;
    e->bits = *at == '.' ? (unsigned)strtoul(at + 1, NULL, 10) : 32;
    if (e->bits != 16 && e->bits != 32 && (e->bits != 64 || row != &visa_rows[VISA_ROW_svm_atomic]))
        return error_set(error, ATOLL_INPUT, "'%s' has no width '%.60s'", row->name, at);
    return true;
}

/* What is said of the operation: by the instruction, or by what follows the name at `at`. */
static bool find_operation(struct explained *e, const char *at, struct atoll_error *error)
{
    const struct visa_form *form = e->forms[0];
    const struct visa_atomic *atomics = visa_explained_atomics(form);
    e->atomic = VISA_ATOMICS;
    if (!atomics)
        return true;
    if (form->row->is & VISA_IS_LSC)
        e->atomic = form->sub;
    if (e->inst) {
        const struct visa_atomic *atomic = visa_atomic_of(form, e->inst);
        e->atomic = atomic ? (unsigned)(atomic - atomics) : VISA_ATOMICS; /* a reserved one: the list of all */
        e->bits = visa_atomic_bits(form, e->inst);
    }
    return e->inst || form->row->is & VISA_IS_LSC || take_operation(form->row, at, e, error);
}

static bool make_bytes(const struct visa_table *table, struct arena *arena, struct explained *e)
{
    struct text out = {0};
    struct wire wire = {.out = &out};
    struct visa_stream stream = {.wire = &wire, .arena = arena, .version = VISA_VERSION, .table = table};
    struct visa_inst inst = *e->inst;
    bool ok = visa_move_inst(&stream, &inst) && text_ok(&out);
    if (ok) {
        e->bytes = arena_text(arena, out.bytes, out.length);
        e->nbytes = out.length;
    }
    text_free(&out);
    return ok && e->bytes;
}

/* ---- what is said ----------------------------------------------------------------------------------------- */

static void put_kind(struct text *out, const struct visa_field *f)
{
    static const char *const what[] = {
        [VISA_FIELD_DESTINATION] = "vector operand",  [VISA_FIELD_SOURCE] = "vector operand",
        [VISA_FIELD_RAW] = "raw operand, 6 bytes",    [VISA_FIELD_SURFACE] = "surface, 1 byte",
        [VISA_FIELD_SAMPLER] = "sampler, 1 byte",     [VISA_FIELD_LABEL] = "label, 2 bytes",
        [VISA_FIELD_FUNCTION] = "function, 2 bytes",  [VISA_FIELD_FILE] = "file, 4 bytes",
        [VISA_FIELD_LABELS] = "labels, 2 bytes each", [VISA_FIELD_RAWS] = "raw operands, 6 bytes each",
        [VISA_FIELD_TARGETS] = "what the mode says",
    };
    if (f->kind->code == VISA_FIELD_NUMBER)
        text_printf(out, "%u byte%s", f->kind->bytes, f->kind->bytes > 1 ? "s" : "");
    else
        text_puts(out, what[f->kind->code]);
}

static void put_words(struct text *out, const struct visa_kind *kind)
{
    for (unsigned i = 0; i < kind->count; i++)
        text_printf(out, "%s %u %s", i ? "," : ":", i, *kind->words[i] ? kind->words[i] : "nothing");
}

static void put_fields(struct text *out, const struct visa_form *form)
{
    text_printf(out, "0x%02X\n", form->row->opcode);
    for (unsigned i = 0; i < form->nfields; i++) {
        const struct visa_field *f = &form->fields[i];
        switch ((enum visa_field_code)f->kind->code) {
        case VISA_FIELD_EXEC:
            text_puts(out, "execution byte: log2 of the channels, mask in bits 4-6, no mask in bit 7\n");
            break;
        case VISA_FIELD_PREDICATE:
            text_puts(out, "predicate, 2 bytes: number in bits 0-11, any 13, all 14, inverse 15\n");
            break;
        case VISA_FIELD_CONSTANT:
            text_printf(out, "0x%02X\n", f->value);
            break;
        case VISA_FIELD_COUNT:
            text_puts(out, "how many come in the list, 1 byte\n");
            break;
        default:
            text_printf(out, "%s: ", f->role);
            put_kind(out, f);
            put_words(out, f->kind);
            text_puts(out, "\n");
        }
    }
}

static void write_syntax(const struct explained *e, struct text *out)
{
    for (unsigned i = 0; i < e->nforms; i++) {
        visa_put_template(out, e->forms[i]);
        text_puts(out, "\n");
    }
}

static void write_fields(const struct explained *e, struct text *out)
{
    for (unsigned i = 0; i < e->nforms; i++)
        put_fields(out, e->forms[i]);
}

static void write_instruction(const struct explained *e, struct text *out)
{
    if (!e->inst)
        return;
    visa_print_inst(e->object, e->inst, out);
    text_puts(out, "\n");
    for (size_t i = 0; i < e->nbytes; i++)
        text_printf(out, "%s%02x", i ? " " : "", (unsigned char)e->bytes[i]);
    text_printf(out, "   (%zu bytes)\n", e->nbytes);
}

static void write_meaning(const struct explained *e, struct text *out)
{
    for (unsigned i = 0; i < e->nforms && !visa_explained_atomics(e->forms[i]); i++)
        text_printf(out, "%s\n", visa_means(e->forms[i]->row));
}

static void write_operations(const struct explained *e, struct text *out)
{
    if (visa_explained_atomics(e->forms[0]))
        visa_explain_operations(e->forms[0], e->atomic, e->bits, out);
}

static void write_operands(const struct explained *e, struct text *out)
{
    for (unsigned i = 0; i < e->nforms && visa_explained_atomics(e->forms[i]); i++)
        visa_explain_operands(e->forms[i], e->atomic, e->bits, out);
}

static void write_channels(const struct explained *e, struct text *out)
{
    if (visa_explained_atomics(e->forms[0]))
        visa_explain_channels(e->forms[e->nforms - 1], out);
}

static void write_platforms(const struct explained *e, struct text *out)
{
    visa_explain_platforms(e->forms[0], e->atomic, e->bits, out);
}

static void write_sources(const struct explained *e, struct text *out)
{
    const struct visa_row *row = e->forms[0]->row;
    text_printf(out, "docs/visa.md: The file, Operands in bytes, Forms%s%s, Verdicts\n",
                row->is & VISA_IS_ATOMIC ? ", Atomics" : "", row->is & VISA_IS_LSC ? ", LSC" : "");
}

static const struct family_fact facts[] = {{"Instruction", write_instruction}, {"Text", write_syntax},
                                           {"Meaning", write_meaning},         {"Operation", write_operations},
                                           {"Operands", write_operands},       {"Channels", write_channels},
                                           {"Platforms", write_platforms},     {"Bytes", write_fields},
                                           {"Sources", write_sources},         {0}};

static const char *summary_of(const struct visa_row *row)
{
    static const struct {
        uint32_t is;
        const char *summary;
    } summaries[] = {
        {VISA_IS_ATOMIC | VISA_IS_SURFACE, "an atomic operation on texels"},
        {VISA_IS_ATOMIC, "an atomic operation on memory"},
        {VISA_IS_SURFACE, "an access to texels"},
        {VISA_IS_BLOCK, "an access to a block of memory, whatever the mask"},
        {VISA_IS_MEMORY, "an access to memory"},
        {VISA_IS_SAMPLER, "a message to the sampler"},
        {VISA_IS_FLOW, "control flow"},
        {VISA_IS_SYNC, "synchronisation"},
        {VISA_IS_DEBUG, "says where code comes from"},
        {VISA_IS_MEDIA, "a message of the fixed functions"},
    };
    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
        if ((row->is & summaries[i].is) == summaries[i].is)
            return summaries[i].summary;
    return "computes channel by channel";
}

bool visa_explain(const char *instruction, unsigned machine, struct arena *arena, struct family_explained *found,
                  struct atoll_error *error)
{
    const struct visa_table *table = visa_table(error);
    struct explained *e = arena_alloc(arena, sizeof *e);
    const char *name = instruction;
    uint8_t bytes[BYTES];
    (void)machine;
    if (!table || !e)
        return table ? error_memory(error) : false;
    size_t length = name_of(&name), count = hex_bytes(instruction, bytes);
    bool alone = !name[length + strcspn(name + length, " \t")];
    if (count > 1 && !take_bytes(table, arena, bytes, count, e, error))
        return false;
    if (count <= 1 && !alone && !take_text(arena, instruction, e, error))
        return false;
    if (e->inst)
        e->forms[e->nforms++] = visa_form(table, e->inst->row);
    else
        find_forms(table, name, length, e);
    if (!e->nforms)
        return error_set(error, ATOLL_INPUT, "'%.*s' is no instruction of vISA", (int)(length < 60 ? length : 60),
                         name);
    if (e->inst && !make_bytes(table, arena, e))
        return error_memory(error);
    if (!find_operation(e, name + length, error))
        return false;
    const struct visa_row *row = e->forms[0]->row;
    *found = (struct family_explained){
        .name = row->name, .length = strlen(row->name), .summary = summary_of(row), .what = e, .facts = facts};
    return true;
}

/* ---- list ------------------------------------------------------------------------------------------------- */

/* "op:atomic E P surface:S": what follows the opcode, as rows.h has it. */
static void put_layout(struct text *out, const struct visa_form *form)
{
    text_printf(out, "%02X", form->row->opcode);
    for (unsigned i = 0; i < form->nfields; i++) {
        const struct visa_field *f = &form->fields[i];
        if (f->kind->code == VISA_FIELD_CONSTANT)
            text_printf(out, " %02X", f->value);
        else if (*f->role)
            text_printf(out, " %s:%s", f->role, f->kind->name);
        else
            text_printf(out, " %s", f->kind->name);
    }
}

/* In a table bars end a cell. */
static void put_cell(struct text *out, const char *text)
{
    for (const char *at = text; *at; at++)
        text_add(out, *at == '|' ? "\\|" : at, *at == '|' ? 2 : 1);
}

static void put_row(struct text *out, const struct visa_form *form)
{
    text_puts(out, "| `");
    put_layout(out, form);
    text_puts(out, "` | `");
    visa_put_template(out, form);
    const struct visa_atomic *atomic = form->row->is & VISA_IS_LSC ? visa_explained_atomics(form) : NULL;
    text_puts(out, atomic ? "` | memory = " : "` | ");
    put_cell(out, atomic ? atomic[form->sub].formula : visa_means(form->row));
    text_printf(out, "%s | %s |\n", atomic ? "; dst = old" : "", visa_platforms[visa_rule(form->row)->first].name);
}

/* Numbers of the rows that are listed. */
static void put_kinds(struct text *out)
{
    text_puts(out, "\n| number | bytes | words |\n|---|---|---|\n");
    for (unsigned i = 0; i < visa_nkinds; i++) {
        const struct visa_kind *kind = &visa_kinds[i];
        if (kind->code != VISA_FIELD_NUMBER)
            continue;
        text_printf(out, "| %s | %u |", kind->name, kind->bytes);
        for (unsigned n = 0; n < kind->count; n++)
            if (*kind->words[n])
                text_printf(out, " %u `%s`", n, kind->words[n]);
        for (unsigned n = 0; n < VISA_ATOMICS && kind->style == VISA_STYLE_ATOMIC; n++)
            if (visa_atomics[n].name)
                text_printf(out, " %u `%s`", n, visa_atomics[n].name);
        text_puts(out, " |\n");
    }
}

static void list_json(const struct visa_table *table, unsigned flags, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '[');
    for (unsigned i = 0; table && i < VISA_ROWS; i++) {
        const struct visa_row *row = &visa_rows[i];
        struct text syntax = {0};
        if (flags & ATOLL_LIST_SURFACE && !(row->is & (VISA_IS_SURFACE | VISA_IS_ATOMIC)))
            continue;
        visa_put_template(&syntax, &table->forms[i]);
        json_open(&json, NULL, '{');
        json_string(&json, "name", row->name);
        json_number(&json, "opcode", row->opcode);
        json_bytes(&json, "syntax", syntax.bytes, syntax.length);
        json_close(&json, '}');
        out->failed |= syntax.failed;
        text_free(&syntax);
    }
    json_close(&json, ']');
}

void visa_list(unsigned flags, struct text *out)
{
    const struct visa_table *table = visa_table(NULL);
    bool markdown = flags & ATOLL_LIST_MARKDOWN;
    out->failed = out->failed || !table;
    if (flags & ATOLL_LIST_JSON) {
        list_json(table, flags, out);
        return;
    }
    text_puts(out, markdown ? "| bytes | text | meaning | from |\n|---|---|---|---|\n" : "");
    for (unsigned i = 0; table && i < VISA_ROWS; i++) {
        const struct visa_row *row = &visa_rows[i];
        if (flags & ATOLL_LIST_SURFACE && !(row->is & (VISA_IS_SURFACE | VISA_IS_ATOMIC)))
            continue;
        if (markdown) {
            put_row(out, &table->forms[i]);
            continue;
        }
        text_printf(out, "0x%02X  ", row->opcode);
        visa_put_template(out, &table->forms[i]);
        text_puts(out, "\n");
    }
    if (markdown)
        put_kinds(out);
}

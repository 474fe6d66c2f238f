/* The rows of vISA, and their compilation: fields of bytes, pieces of text. */
#include "isa/visa/rows.h"

#include "base/once.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct visa_row visa_rows[VISA_ROWS] = {
#define VISA_ROW(id, name, opcode, fields, text, is) [VISA_ROW_##id] = {name, opcode, fields, text, is},
#include "isa/visa/rows.inc"
#undef VISA_ROW
};

static bool broken(const struct visa_row *row, const char *what, struct atoll_error *error)
{
    return error_set(error, ATOLL_INVALID, "row %s (0x%02X): %s", row->name, row->opcode, what);
}

/* ---- fields ----------------------------------------------------------------------------------------------- */

static const struct visa_kind *kind_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < visa_nkinds; i++)
        if (strlen(visa_kinds[i].name) == length && memcmp(visa_kinds[i].name, name, length) == 0)
            return &visa_kinds[i];
    return NULL;
}

static bool is_list(const struct visa_kind *kind)
{
    return kind->code == VISA_FIELD_LABELS || kind->code == VISA_FIELD_RAWS;
}

/* One word of the fields: "E", "=5", "dst:D". */
static bool field_compile(struct visa_form *form, const char *word, size_t length, struct atoll_error *error)
{
    const char *colon = memchr(word, ':', length);
    size_t role = colon ? (size_t)(colon - word) : 0;
    const char *kind = colon ? colon + 1 : word;
    if (form->nfields == VISA_FIELDS || role >= sizeof form->fields[0].role)
        return broken(form->row, "too many fields, or a long role", error);
    struct visa_field *field = &form->fields[form->nfields++];
    *field = (struct visa_field){.kind = kind_find(kind, *word == '=' ? 1 : (size_t)(word + length - kind))};
    if (!field->kind)
        return broken(form->row, "an unknown kind of field", error);
    memcpy(field->role, word, role);
    if (field->kind->code == VISA_FIELD_CONSTANT)
        field->value = (uint8_t)strtoul(word + 1, NULL, 10);
    else if (field->role[0])
        field->operand = form->noperands++;
    for (unsigned i = 0; is_list(field->kind) && i < form->nfields; i++)
        if (form->fields[i].kind->code == VISA_FIELD_COUNT)
            form->fields[i].operand = field->operand;
    return true;
}

/* Constants tell rows of one opcode apart: they come first, or after the execution byte. */
static bool sub_find(struct visa_form *form, struct atoll_error *error)
{
    form->sub_at = -1;
    for (unsigned i = 0; i < form->nfields; i++) {
        if (form->fields[i].kind->code != VISA_FIELD_CONSTANT)
            continue;
        if (i > 1 || (i == 1 && form->fields[0].kind->code != VISA_FIELD_EXEC))
            return broken(form->row, "a constant that is not in front", error);
        form->sub_at = (int8_t)i;
        form->sub = form->fields[i].value;
    }
    return true;
}

static bool fields_compile(struct visa_form *form, struct atoll_error *error)
{
    for (const char *at = form->row->fields; *at;) {
        size_t length = strcspn(at, " ");
        if (!field_compile(form, at, length, error))
            return false;
        at += length + strspn(at + length, " ");
    }
    return form->noperands <= VISA_OPERANDS ? sub_find(form, error) : broken(form->row, "too many operands", error);
}

/* ---- text ------------------------------------------------------------------------------------------------- */

static bool piece_add(struct visa_form *form, struct visa_piece piece, struct atoll_error *error)
{
    if (form->npieces == VISA_PIECES)
        return broken(form->row, "too many pieces of text", error);
    form->pieces[form->npieces++] = piece;
    return true;
}

static unsigned field_of_role(const struct visa_form *form, const char *role, size_t length)
{
    for (unsigned i = 0; i < form->nfields; i++)
        if (strlen(form->fields[i].role) == length && memcmp(form->fields[i].role, role, length) == 0)
            return i;
    return VISA_FIELDS;
}

/* What stands in braces: a role, or a composite. */
static bool brace_compile(struct visa_form *form, const char *name, size_t length, struct atoll_error *error)
{
    unsigned field = field_of_role(form, name, length);
    struct visa_piece piece = {.code = field < VISA_FIELDS ? VISA_PIECE_FIELD : VISA_PIECE_OWN,
                               .field = (uint8_t)field,
                               .text = name,
                               .length = (uint8_t)length};
    return piece_add(form, piece, error);
}

static bool text_compile(struct visa_form *form, const char *text, struct atoll_error *error)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "{ ");
        bool ok = true;
        if (length) {
            ok = piece_add(form, (struct visa_piece){VISA_PIECE_LITERAL, 0, at, (uint8_t)length}, error);
        } else if (*at == ' ') {
            length = 1;
            ok = piece_add(form, (struct visa_piece){VISA_PIECE_BLANK, 0, at, 1}, error);
        } else {
            length = strcspn(at, "}") + 1;
            ok = brace_compile(form, at + 1, length - 2, error);
        }
        if (!ok)
            return false;
        at += length;
    }
    return true;
}

/* "{P}NAME{sat} {E}" and every operand. */
static bool default_compile(struct visa_form *form, struct atoll_error *error)
{
    const char *name = form->row->name;
    if (!text_compile(form, "{P}", error) ||
        !piece_add(form, (struct visa_piece){VISA_PIECE_LITERAL, 0, name, (uint8_t)strlen(name)}, error) ||
        !text_compile(form, "{sat} {E}", error))
        return false;
    for (unsigned i = 0; i < form->nfields; i++) {
        const struct visa_field *field = &form->fields[i];
        if (field->role[0] &&
            (!text_compile(form, " ", error) || !brace_compile(form, field->role, strlen(field->role), error)))
            return false;
    }
    return true;
}

/* ---- the table -------------------------------------------------------------------------------------------- */

static bool table_compile(struct visa_table *table, struct atoll_error *error)
{
    for (unsigned i = VISA_ROWS; i-- > 0;) {
        struct visa_form *form = &table->forms[i];
        form->row = &visa_rows[i];
        bool ok = fields_compile(form, error) &&
                  (form->row->text ? text_compile(form, form->row->text, error) : default_compile(form, error));
        if (!ok)
            return false;
        form->next = table->of_opcode[form->row->opcode];
        table->of_opcode[form->row->opcode] = (uint8_t)(i + 1);
    }
    return true;
}

_Static_assert(VISA_ROWS < 255, "rows are counted in a byte");

const struct visa_table *visa_table(struct atoll_error *error)
{
    MADE_ONCE(struct visa_table) compiled;
    struct visa_table *table = once_get(compiled), *first;
    if (table)
        return table;
    table = calloc(1, sizeof *table);
    if (!table || !table_compile(table, error)) {
        if (!table)
            error_memory(error);
        free(table);
        return NULL;
    }
    if (once_keep(compiled, table, first))
        return table;
    free(table);
    return first;
}

const struct visa_form *visa_form_of(const struct visa_table *table, const uint8_t *bytes, size_t size)
{
    for (unsigned n = table->of_opcode[bytes[0]]; n; n = table->forms[n - 1].next) {
        const struct visa_form *form = &table->forms[n - 1];
        size_t at = 1 + (size_t)form->sub_at;
        if (form->sub_at < 0 || (at < size && bytes[at] == form->sub))
            return form;
    }
    return NULL;
}

const struct visa_operand *visa_operand(const struct visa_form *form, const struct visa_inst *inst, const char *role)
{
    for (unsigned i = 0; i < form->nfields; i++)
        if (strcmp(form->fields[i].role, role) == 0)
            return form->fields[i].operand < inst->nops ? &inst->ops[form->fields[i].operand] : NULL;
    return NULL;
}

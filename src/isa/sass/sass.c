/* The family: one list of rows, where the control slot's bits lie. */
#include "isa/sass/sass.h"

#include "base/once.h"
#include "isa/sass/rows.h"
#include "lane/lane.h"

#include <assert.h>
#include <stdlib.h>

static const struct {
    const struct isa_row *rows;
    const unsigned *count;
} files[] = {
    {sass_rows_int, &sass_nrows_int},         {sass_rows_float, &sass_nrows_float},
    {sass_rows_half, &sass_nrows_half},       {sass_rows_video, &sass_nrows_video},
    {sass_rows_memory, &sass_nrows_memory},   {sass_rows_surface, &sass_nrows_surface},
    {sass_rows_texture, &sass_nrows_texture}, {sass_rows_flow, &sass_nrows_flow},
};

enum { FILES = sizeof files / sizeof files[0] };

static const char *const roles[] = {NULL,
#define ROLE(name) #name,
                                    SASS_OPERAND_ROLES(ROLE) SASS_LABELS(ROLE)
#undef ROLE
#define MODIFIER(name) "." #name,
                                        SASS_MODIFIERS(MODIFIER)
#undef MODIFIER
};

const char *sass_role_name(unsigned role)
{
    return roles[role == SASS_ROLE_Rs   ? SASS_ROLE_Rd
                 : role == SASS_ROLE_Rx ? SASS_ROLE_Rb
                 : role == SASS_ROLE_Pr ? SASS_ROLE_Ps
                                        : role];
}

bool sass_open(struct isa_table *table, struct atoll_error *error)
{
    const struct isa_family family = {.name = "sass",
                                      .names = sass_names,
                                      .nnames = sass_nnames,
                                      .bits = 64,
                                      .index_low = 51,
                                      .guard = "<@{Pg@16 !19 =7} >",
                                      .index_bits = 13,
                                      .kinds = sass_kinds,
                                      .nkinds = sass_nkinds,
                                      .mark = ".reuse",
                                      .mark_bit = sass_reuse_bit,
                                      .roles = roles,
                                      .nroles = SASS_ROLES_END - 1};
    static_assert((int)SASS_ROLES_END <= (int)ISA_ROLES, "a form has no room for the roles");
    struct isa_list lists[FILES];
    for (unsigned i = 0; i < FILES; i++)
        lists[i] = (struct isa_list){files[i].rows, *files[i].count};
    return isa_open(&family, lists, FILES, table, error);
}

MADE_ONCE(struct isa_table) compiled;

const struct isa_table *sass_table(struct atoll_error *error)
{
    struct isa_table *table = once_get(compiled), *first;
    if (table)
        return table;
    table = malloc(sizeof *table);
    if (!table || !sass_open(table, error)) {
        if (!table)
            error_memory(error);
        free(table);
        return NULL;
    }
    if (once_keep(compiled, table, first))
        return table;
    isa_close(table);
    free(table);
    return first;
}

const char *sass_control_refused(const struct isa_form *form, const struct isa_word *word)
{
    unsigned control = (unsigned)word->part[1];
    if (form->row->flags & SASS_FIXED && (control >> 5 & 0x3f) != 0x3f)
        return "an instruction of fixed latency releases no scoreboard";
    if (form->row->flags & SASS_STRICT && control >> 20 & 1)
        return "bit 20 of the control bits is not used";
    return NULL;
}

bool sass_bound_header(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                       uint32_t *offset)
{
    const struct isa_element *e = isa_role(table, form, SASS_ROLE_Header);
    *offset = e ? (uint32_t)isa_get(word, &e->field) * 4 : 0;
    return e;
}

unsigned sass_guard(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word)
{
    const struct isa_element *e = isa_role(table, form, SASS_ROLE_Pg);
    return e ? (unsigned)isa_get(word, &e->field) | isa_bit(word, e->not ) << 3 : 7;
}

unsigned sass_element_bytes(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word)
{
    static const uint8_t bytes[SASS_LISTS][16] = {
        [SASS_LIST_lssize] = {1, 1, 2, 2, 4, 8, 16},
        [SASS_LIST_ldsize] = {1, 1, 2, 2, 4, 8, 16, 16},
        [SASS_LIST_ldcsize] = {1, 1, 2, 2, 4, 8},
        [SASS_LIST_ldssize] = {1, 1, 2, 2, 4, 8, 16, 0, 1, 1, 2, 2, 4, 8, 16},
        [SASS_LIST_casbit] = {4, 8},
        [SASS_LIST_atomssize] = {4, 4, 8, 8},
        [SASS_LIST_atomsize] = {4, 4, 8, 4, 16, 8},
        [SASS_LIST_atomsize52] = {4, 4, 8, 4, 4, 8},
        [SASS_LIST_suatomsize] = {4, 4, 8, 4, 0, 8, 4, 8},
        [SASS_LIST_suatomsize52] = {4, 4, 8, 4, 4, 8, 4, 8},
    };
    const struct isa_element *e = isa_role(table, form, SASS_ROLE_size);
    unsigned size = e ? bytes[e->names - sass_names][isa_get(word, &e->field) & 15] : 0;
    return size ? size : 4;
}

uint8_t sass_data_registers(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word)
{
    unsigned mask = isa_value(table, form, word, SASS_ROLE_rgba, 16), bytes = sass_element_bytes(table, form, word);
    return (uint8_t)(mask < 16 ? (unsigned)__builtin_popcount(mask) : bytes > 4 ? bytes / 4 : 1);
}

uint8_t sass_coordinates(unsigned dim)
{
    return dim < LANE_DIMS ? lane_geometries[dim].coordinates : 1;
}

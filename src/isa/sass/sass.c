/* The family: one list of rows, where the control slot's bits lie. */
#include "isa/sass/sass.h"

#include "base/once.h"
#include "isa/sass/rows.h"

#include <stdlib.h>
#include <string.h>

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

/* Behind each word the mnemonics that it is said of. */
static const struct {
    uint32_t trait;
    const char *mnemonics;
} traits[] = {
    {SASS_STORES, "ST STG STS STL RED SUST SURED STP"},
    {SASS_DOUBLES, "DADD DMUL DFMA DMNMX DSET DSETP"},
    {SASS_SURFACES, "SUATOM SULD SUST SURED"},
    {SASS_TEXTURES, "TEX TEXS TLD TLDS TLD4 TLD4S TXD TXQ TMML TXA"},
    {SASS_SHORT_TEXTURES, "TEXS TLDS TLD4S"},
    {SASS_MEMORY, "LD LDG LDS LDL LDC ST STG STS STL ATOM RED"},
    {SASS_SHARED_ATOMICS, "ATOMS"},
    {SASS_CONVERSIONS, "F2F F2I I2F"},
    {SASS_FLOW, "BRA BRX JMP JMX CAL JCAL RET EXIT BRK CONT SYNC KIL LONGJMP SSY PBK PCNT PRET PEXIT PLONGJMP BPT RTT "
                "IDE RAM SAM"},
    {SASS_PREDICATE_SETS, "P2R R2P"},
    {SASS_READS_CC, "CSET CSETP"},
};

static uint32_t sass_traits(const struct isa_form *form)
{
    uint32_t set = 0;
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
        if (isa_is(form, traits[i].mnemonics))
            set |= traits[i].trait;
    return set;
}

bool sass_open(struct isa_table *table, struct atoll_error *error)
{
    /* The three register slots of an instruction and their reuse bits (docs/maxwell.md, "Control bits"). */
    const struct isa_family family = {.name = "sass",
                                      .names = sass_names,
                                      .nnames = sass_nnames,
                                      .bits = 64,
                                      .index_low = 51,
                                      .guard = "<@{P@16 !19 =7} >",
                                      .reuse = {{8, 64 + 17}, {20, 64 + 18}, {39, 64 + 19}},
                                      .traits = sass_traits};
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
    if (form->row->flags & ISA_FIXED && (control >> 5 & 0x3f) != 0x3f)
        return "an instruction of fixed latency releases no scoreboard";
    if (form->row->flags & ISA_STRICT && control >> 20 & 1)
        return "bit 20 of the control bits is not used";
    return NULL;
}

bool sass_bound_header(const struct isa_form *form, const struct isa_word *word, uint32_t *offset)
{
    if (!(form->traits & (SASS_SURFACES | SASS_TEXTURES)) || !strstr(form->row->text, "{x@36-48}"))
        return false;
    *offset = (uint32_t)(word->part[0] >> 36 & 0x1fff) * 4;
    return true;
}

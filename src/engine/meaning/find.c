/* The table of meanings: the rows of all families, found by operation and type. */
#include "engine/meaning/families.h"

#include <stdlib.h>

#include "base/once.h"

#define ROWS_OF(family) KERNEL_NAME(meanings_##family),
static const struct meaning *const families[] = {MEANING_FAMILIES(ROWS_OF)};
enum { FAMILIES = sizeof families / sizeof *families, KEYS = LANE_OPS * LANE_TYPES };

/* Where the rows of an operation and a type are in `rows`: from starts[key] to starts[key + 1]. */
struct index {
    uint16_t starts[KEYS + 1];
    const struct meaning *rows[];
};

/* b8..b64 are as u8..u64. */
static unsigned plain(unsigned type)
{
    return type >= LANE_B8 && type <= LANE_B64 ? type - LANE_B8 + LANE_U8 : type;
}

static unsigned key_of(unsigned op, unsigned type)
{
    return op * LANE_TYPES + plain(type);
}

/* Of the parts that pack and unpack have only the width counts. */
static unsigned source_of(const struct lane_inst *inst)
{
    bool parts = inst->op == LANE_OP_pack || inst->op == LANE_OP_unpack;
    unsigned bits = parts ? lane_type_bits(inst->type2) : 0;
    return !parts ? plain(inst->type2) : bits == 8 ? LANE_U8 : bits == 16 ? LANE_U16 : bits == 32 ? LANE_U32 : LANE_U64;
}

static bool fits(const struct meaning *row, const struct lane_inst *inst)
{
    unsigned counts = (MEANING_FLAGS & ~(unsigned)row->ignored) | row->asked;
    return row->op == inst->op && plain(row->type) == plain(inst->type) && !((row->flags ^ inst->flags) & counts) &&
           (!row->type2 || plain(row->type2 - 1u) == source_of(inst)) &&
           (!row->rounds || row->rounds >> inst->round & 1) && (!row->cmp || row->cmp - 1u == inst->cmp) &&
           (!row->mode || row->mode - 1u == inst->mode) && (!row->aux || row->aux - 1u == inst->aux);
}

/* Counting sort by key. Rows with an aux come before those without. */
static struct index *make_index(void)
{
    size_t count = 0;
    for (unsigned i = 0; i < FAMILIES; i++)
        for (const struct meaning *row = families[i]; row->run; row++)
            count++;
    struct index *index = calloc(1, sizeof *index + count * sizeof *index->rows);
    if (!index)
        return NULL;
    for (unsigned i = 0; i < FAMILIES; i++)
        for (const struct meaning *row = families[i]; row->run; row++)
            index->starts[key_of(row->op, row->type)]++;
    for (unsigned key = 0, sum = 0; key <= KEYS; key++)
        index->starts[key] = (uint16_t)(sum += index->starts[key]);
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = FAMILIES; i-- > 0;)
            for (const struct meaning *row = families[i]; row->run; row++)
                if ((row->aux != 0) == pass)
                    index->rows[--index->starts[key_of(row->op, row->type)]] = row;
    return index;
}

MADE_ONCE(struct index) made;

static const struct index *get_index(void)
{
    struct index *index = once_get(made), *first;
    if (index)
        return index;
    index = make_index();
    if (index && !once_keep(made, index, first)) {
        free(index);
        index = first;
    }
    return index;
}

/* Without memory for an index: all rows, those with an aux first. */
static const struct meaning *search(const struct lane_inst *inst)
{
    const struct meaning *found = NULL;
    for (unsigned i = 0; i < FAMILIES; i++)
        for (const struct meaning *row = families[i]; row->run; row++)
            if (fits(row, inst) && (!found || row->aux))
                found = row;
    return found;
}

const struct meaning *KERNEL_NAME(meaning_find)(const struct lane_inst *inst)
{
    const struct index *index = get_index();
    if (!index)
        return search(inst);
    unsigned key = key_of(inst->op, inst->type);
    for (unsigned i = index->starts[key]; i < index->starts[key + 1]; i++)
        if (fits(index->rows[i], inst))
            return index->rows[i];
    return NULL;
}

const struct meaning *KERNEL_NAME(meaning_row)(size_t i)
{
    const struct index *index = get_index();
    return index && i < index->starts[KEYS] ? index->rows[i] : NULL;
}

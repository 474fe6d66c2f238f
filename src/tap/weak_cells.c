/* What is kept of memory for the weak order: the values that cells have had (weak.h). */
#include "tap/weak_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t place_of(const struct weak_table *table, uint64_t at)
{
    size_t i = (size_t)((at * UINT64_C(0x9e3779b97f4a7c15)) >> 24) & (table->room - 1);
    while (table->cells[i].at && table->cells[i].at != at)
        i = (i + 1) & (table->room - 1);
    return i;
}

struct weak_cell *weak_cell_find(const struct weak_table *table, uint64_t at)
{
    if (!table->count)
        return NULL;
    struct weak_cell *cell = &table->cells[place_of(table, at)];
    return cell->at ? cell : NULL;
}

static bool grow(struct weak *weak, struct weak_table *table)
{
    struct weak_table old = *table;
    size_t more = old.room ? 2 * old.room : WEAK_FIRST;
    struct weak_cell *cells = room_take(&weak->room, more * sizeof *cells);
    if (!cells)
        return false;
    table->cells = cells;
    table->room = more;
    for (size_t i = 0; i < old.room; i++)
        if (old.cells[i].at)
            table->cells[place_of(table, old.cells[i].at)] = old.cells[i];
    room_give(&weak->room, old.cells, old.room * sizeof *cells);
    return true;
}

struct weak_cell *weak_cell_make(struct weak *weak, struct weak_table *table, uint64_t at)
{
    if (2 * table->count >= table->room && !grow(weak, table))
        return NULL;
    struct weak_cell *cell = &table->cells[place_of(table, at)];
    if (cell->at)
        return cell;
    table->count++;
    *cell = (struct weak_cell){.at = at, .count = 1, .messages[0] = {.block = UINT64_MAX}};
    memcpy(&cell->messages[0].image, (const void *)(uintptr_t)at, WEAK_CELL);
    return cell;
}

static void message_drop(struct weak *weak, struct weak_message *message)
{
    for (unsigned reach = 0; reach < REACHES; reach++)
        weak_drop(&weak->room, &message->passed[reach]);
}

void weak_table_clear(struct weak *weak, struct weak_table *table)
{
    for (size_t i = 0; table->count && i < table->room; i++)
        for (uint32_t k = 0; table->cells[i].at && k < table->cells[i].count; k++)
            message_drop(weak, &table->cells[i].messages[k]);
    if (table->count)
        memset(table->cells, 0, table->room * sizeof *table->cells);
    table->count = 0;
}

/* What was passed on is forgotten with the values, so everybody sees all that there is now. */
void weak_forget(struct weak *weak)
{
    weak_table_clear(weak, &weak->global);
    for (uint32_t i = 0; i < weak->launch->slots; i++)
        weak_table_clear(weak, &weak->slots[i].shared);
    weak->floor = weak->now;
}

void weak_cell_collapse(struct weak *weak, struct weak_cell *cell)
{
    for (uint32_t i = 0; i + 1 < cell->count; i++)
        message_drop(weak, &cell->messages[i]);
    cell->messages[0] = cell->messages[cell->count - 1];
    cell->count = 1;
}

struct weak_message *weak_message_put(struct weak *weak, struct weak_cell *cell, uint32_t *place)
{
    struct weak_message *messages = cell->messages;
    assert(*place <= cell->count && (*place || cell->count < WEAK_HISTORY));
    if (cell->count == WEAK_HISTORY) {
        message_drop(weak, &messages[0]);
        memmove(messages, messages + 1, (--cell->count) * sizeof *messages);
        --*place;
    }
    memmove(messages + *place + 1, messages + *place, (cell->count++ - *place) * sizeof *messages);
    const struct weak_message *before = *place ? &messages[*place - 1] : NULL;
    messages[*place] = (struct weak_message){.block = before ? before->block : UINT64_MAX};
    for (unsigned reach = 0; before && reach < REACHES; reach++)
        messages[*place].passed[reach] = weak_share(before->passed[reach]);
    return &messages[*place];
}

void weak_message_pass(struct weak *weak, struct weak_cell *cell, uint32_t place, unsigned reach,
                       const struct weak_view *view, uint64_t block)
{
    for (uint32_t i = place; i < cell->count && !weak_view_empty(view); i++) {
        struct weak_message *message = &cell->messages[i];
        if (reach == REACH_CTA && message->block != block) {
            /* Another block's: what it passes on to that block goes to all. More than is asked for, never less. */
            if (message->passed[REACH_CTA])
                weak_add(&weak->room, &message->passed[REACH_ALL], &message->passed[REACH_CTA]->view);
            weak_drop(&weak->room, &message->passed[REACH_CTA]);
            message->block = block;
        }
        weak_add(&weak->room, &message->passed[reach], view);
    }
}

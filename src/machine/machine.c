/* The machine: its memory, and the loop over the commands of a stream. */
#include "machine/inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool machine_create(struct atoll_device *device, const struct machine_options *options, struct machine **machine,
                    struct atoll_error *error)
{
    struct machine *m = *machine = calloc(1, sizeof *m);
    if (!m)
        return error_memory(error);
    m->device = device;
    if (options)
        m->options = *options;
    machine_power_on(m);
    return true;
}

void machine_destroy(struct machine *machine)
{
    if (!machine)
        return;
    machine_program_drop(machine);
    for (unsigned i = 0; i < CTM_INPUTS; i++)
        machine_client_drop(&machine->inputs[i]);
    for (unsigned i = 0; i < CTM_OUTPUTS; i++)
        machine_client_drop(&machine->outputs[i]);
    machine_client_drop(&machine->cond);
    for (unsigned i = 0; i < CACHES; i++)
        free(machine->caches[i].line);
    for (unsigned i = 0; i < machine->memories; i++)
        atoll_memory_free(machine->device, machine->memory[i].address, NULL);
    free(machine);
}

/* ---- memory ----------------------------------------------------------------------------------------------- */

bool machine_memory(struct machine *m, uint32_t base, uint64_t size, void **host, struct atoll_error *error)
{
    struct machine_memory memory = {.base = base, .size = size};
    if (m->memories == MACHINE_MEMORIES)
        return error_set(error, ATOLL_LIMIT, "more than %d pieces of memory", MACHINE_MEMORIES);
    if (base % 2048 || !size || size > (UINT64_C(1) << 32) - base)
        return error_set(error, ATOLL_USAGE,
                         "memory of %" PRIu64 " bytes at 0x%08x: wanted a multiple of 2048 as its base, and 1 byte or "
                         "more below 2^32",
                         size, base);
    for (unsigned i = 0; i < m->memories; i++) {
        const struct machine_memory *other = &m->memory[i];
        if (base < other->base + other->size && other->base < base + size)
            return error_set(error, ATOLL_USAGE,
                             "memory of %" PRIu64 " bytes at 0x%08x overlaps that of %" PRIu64 " bytes at 0x%08" PRIx64,
                             size, base, other->size, other->base);
    }
    if (!atoll_memory_alloc(m->device, size, &memory.address, error))
        return false;
    memory.host = atoll_memory_map(m->device, memory.address, size, error);
    if (host)
        *host = memory.host;
    m->memory[m->memories++] = memory;
    return true;
}

const struct machine_memory *machine_holds(const struct machine *m, uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < m->memories; i++) {
        const struct machine_memory *memory = &m->memory[i];
        if (address >= memory->base && address - memory->base < memory->size &&
            size <= memory->size - (address - memory->base))
            return memory;
    }
    return NULL;
}

void *machine_at(const struct machine *m, uint32_t address, uint64_t size)
{
    const struct machine_memory *memory = machine_holds(m, address, size);
    return memory ? memory->host + (address - memory->base) : NULL;
}

uint8_t *machine_from(const struct machine *m, uint64_t address, uint64_t *size)
{
    const struct machine_memory *memory = machine_holds(m, address, 1);
    if (!memory)
        return NULL;
    *size = memory->size - (address - memory->base);
    return memory->host + (address - memory->base);
}

/* ---- streams ---------------------------------------------------------------------------------------------- */

double machine_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Between commands, as engines do between turns of warps. */
static bool goes_on(const struct machine *m, struct atoll_error *error)
{
    if (m->options.interrupt && __atomic_load_n(m->options.interrupt, __ATOMIC_RELAXED))
        return error_set(error, ATOLL_INTERRUPTED, "interrupted");
    if (m->deadline != 0 && machine_clock() > m->deadline)
        return error_set(error, ATOLL_LIMIT, "the time limit of %g s is reached", m->options.time_limit);
    return true;
}

/* Puts the word and command before a message. */
static bool placed(size_t at, const struct stream_row *row, struct atoll_error *error)
{
    if (!error)
        return false;
    struct atoll_error said = *error;
    error_set(error, said.status, "word %zu (%s): %.900s", at, row->name, said.message);
    error->line = said.line;
    error->column = said.column;
    return false;
}

static bool command_at(struct machine *m, const struct stream *stream, size_t at, struct stream_item *item,
                       struct atoll_error *error)
{
    uint32_t words[STREAM_PARAMETERS] = {0};
    if (!stream_next(stream, at, item, error))
        return false;
    if (!item->row)
        return error_set(error, ATOLL_INPUT, "word %zu: 0x%08x is no opcode%s", at, stream_word(stream, at),
                         item->packet ? " of a known command" : "");
    for (unsigned i = 0; i < item->row->parameters; i++)
        words[i] = stream_word(stream, at + 1 + i);
    /* The choice of a clock: a word that the PE reads. */
    if (m->counters.running)
        m->counters.clocks += item->words;
    m->stats->commands++;
    return (goes_on(m, error) && machine_command(m, (enum stream_command)(item->row - stream_rows), words, error)) ||
           placed(at, item->row, error);
}

bool machine_run(struct machine *m, const void *bytes, size_t size, struct machine_stats *stats,
                 struct atoll_error *error)
{
    struct machine_stats unwanted;
    struct stream stream;
    struct stream_item item;
    m->stats = stats ? stats : &unwanted;
    *m->stats = (struct machine_stats){0};
    m->left = m->options.instruction_limit;
    m->deadline = m->options.time_limit > 0 ? machine_clock() + m->options.time_limit : 0;
    if (!stream_open(bytes, size, &stream, error))
        return false;
    for (size_t at = 0; at < stream.words; at += item.words)
        if (!command_at(m, &stream, at, &item, error))
            return false;
    return true;
}

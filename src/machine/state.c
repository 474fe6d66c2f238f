/* The commands that set the state of PE, CO and MC, and those of caches and counters. State stays until the same
 * command sets it again (guide p.25, 26); words of reserved bits are ignored. docs/ctm.md, "Units". */
#include "machine/inside.h"

#include "base/bytes.h"

/* After power-on: docs/ctm.md, "Choices". Zeros mean that too, but for these. */
void machine_power_on(struct machine *m)
{
    m->out_mask = 0xf;
    m->cond_test = 7; /* always */
}

/* A field of the command by its place in the row. */
static uint32_t field(enum stream_command command, const uint32_t *words, unsigned number)
{
    const struct stream_field *f = &stream_rows[command].fields[number];
    return stream_get(f, words[f->parameter]);
}

/* Base, format and height from field `first` on, as all commands of MC's clients have them. */
static void client_set(struct machine_client *client, enum stream_command command, const uint32_t *words,
                       unsigned first)
{
    machine_client_drop(client);
    client->set = true;
    client->base = field(command, words, first);
    client->pitch = field(command, words, first + 1);
    client->tiling = (uint8_t)field(command, words, first + 2);
    client->format = (uint8_t)field(command, words, first + 3);
    client->height = stream_rows[command].fields[first + 4].name ? field(command, words, first + 4) : 0;
}

static void counters_start(struct machine *m)
{
    if (!m->counters.enabled)
        return;
    m->counters.running = true;
    m->counters.clocks = m->counters.busy = 0;
}

static bool counters_read(const struct machine *m, uint32_t base, struct atoll_error *error)
{
    if (!m->counters.enabled)
        return true;
    uint8_t *at = machine_at(m, base, 8);
    if (!at)
        return error_set(error, ATOLL_INPUT, "8 bytes of counters at 0x%08x are outside of the memory", base);
    bytes_put(at, m->counters.clocks, 4);
    bytes_put(at + 4, m->counters.busy, 4);
    return true;
}

static void note_params(struct machine *m)
{
    if (!m->noted && m->options.note)
        m->options.note(m->options.user, "set_params is ignored: there are no interpolants, programs begin with the "
                                         "index pair in r0");
    m->noted = true;
}

static void set_format(struct machine *m, enum stream_command command, const uint32_t *words)
{
    switch (command) {
    case STREAM_set_inst_fmt:
        client_set(&m->inst, command, words, 0);
        break;
    case STREAM_set_inp_fmt:
        client_set(&m->inputs[field(command, words, 0)], command, words, 1);
        break;
    case STREAM_set_out_fmt:
        client_set(&m->outputs[field(command, words, 0)], command, words, 1);
        break;
    case STREAM_set_cond_out_fmt:
        client_set(&m->cond, command, words, 0);
        break;
    default:
        client_set(&m->consts[command - STREAM_set_constf_fmt], command, words, 0);
        break;
    }
}

static void caches(struct machine *m, enum stream_command command)
{
    switch (command) {
    case STREAM_inv_inst_cache:
        machine_invalidate(m, CACHE_INST);
        break;
    case STREAM_inv_inp_cache:
        machine_invalidate(m, CACHE_INPUT);
        break;
    case STREAM_flush_out_cache:
        machine_flush(m, CACHE_OUT);
        break;
    case STREAM_inv_cond_out_cache:
        machine_invalidate(m, CACHE_COND);
        break;
    case STREAM_flush_cond_out_cache:
        machine_flush(m, CACHE_COND);
        break;
    case STREAM_inv_constf_cache:
        machine_invalidate(m, CACHE_CONSTF);
        break;
    case STREAM_inv_consti_cache:
        machine_invalidate(m, CACHE_CONSTI);
        break;
    default:
        machine_invalidate(m, CACHE_CONSTB);
        break;
    }
}

static void counters(struct machine *m, enum stream_command command, const uint32_t *words)
{
    if (command == STREAM_init_perf_counters) {
        m->counters.enabled = field(command, words, 0);
        m->counters.running = false;
        m->counters.clocks = m->counters.busy = 0;
    } else if (command == STREAM_start_perf_counters)
        counters_start(m);
    else
        m->counters.running = false;
}

bool machine_command(struct machine *m, enum stream_command command, const uint32_t *words, struct atoll_error *error)
{
    switch (command) {
    case STREAM_set_cond_val:
        m->cond_val = words[0];
        return true;
    case STREAM_set_domain:
        for (unsigned i = 0; i < 4; i++)
            m->domain[i] = field(command, words, i);
        return true;
    case STREAM_start_program:
        return machine_start(m, error);
    case STREAM_wait_idle:
        return true; /* they are: a start_program ends before the next command begins */
    case STREAM_init_perf_counters:
    case STREAM_start_perf_counters:
    case STREAM_stop_perf_counters:
        counters(m, command, words);
        return true;
    case STREAM_read_perf_counters:
        return counters_read(m, field(command, words, 0), error);
    case STREAM_set_out_mask:
        m->out_mask = field(command, words, 0);
        return true;
    case STREAM_set_cond_out_mask:
        m->cond_out_mask = field(command, words, 0);
        return true;
    case STREAM_set_cond_test:
        m->cond_test = field(command, words, 0);
        return true;
    case STREAM_set_cond_loc:
        m->cond_loc = field(command, words, 0);
        return true;
    case STREAM_set_params:
        note_params(m);
        return true;
    case STREAM_set_inst_fmt:
    case STREAM_set_inp_fmt:
    case STREAM_set_out_fmt:
    case STREAM_set_cond_out_fmt:
    case STREAM_set_constf_fmt:
    case STREAM_set_consti_fmt:
    case STREAM_set_constb_fmt:
        set_format(m, command, words);
        return true;
    default:
        caches(m, command);
        return true;
    }
}

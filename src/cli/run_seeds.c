/* --seeds: the same launch in many orders, from the same inputs; which of them give other results. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run.h"
#include "file/file.h"

/* ---- what an order gives ------------------------------------------------------------------------------------------
 */

static bool is_output(const struct object *object)
{
    return !object->alias && (object->surface || object->argument.kind == ARGUMENT_BUFFER);
}

static struct comparison comparison_of(const struct object *object)
{
    struct comparison c = {.array = object->array, .channels = 1};
    struct atoll_surface_desc desc;
    if (!object->surface)
        return c;
    atoll_surface_describe(object->surface, &desc);
    level_extents(&desc);
    const struct format *format = format_find(desc.format);
    c.array = surface_array(&desc);
    c.texels = true;
    c.channels = format->channels > 1 && c.array.bytes == format->bytes ? 1 : format->channels;
    return c;
}

/* An element in which an object is not as the first order left it; gives the byte behind it. */
static uint64_t tell_difference(const struct orders *orders, const struct object *object, const unsigned char *now,
                                const unsigned char *first, uint64_t at, struct text *out)
{
    struct comparison c = comparison_of(object);
    text_printf(out, "%s ", object->argument.name);
    if (c.array.bytes && at / c.array.bytes < c.array.count)
        compare_tell_at(&c, at / c.array.bytes, now, out);
    else
        text_printf(out, "byte %" PRIu64 ": 0x%02x", at, now[at]);
    text_printf(out, "; with seed %" PRIu64 ": ", orders->first);
    if (c.array.bytes && at / c.array.bytes < c.array.count)
        compare_value(&c.array, first, at / c.array.bytes, out);
    else
        text_printf(out, "0x%02x", first[at]);
    return c.array.bytes && at / c.array.bytes < c.array.count ? (at / c.array.bytes + 1) * c.array.bytes : at + 1;
}

static uint64_t next_difference(const unsigned char *a, const unsigned char *b, uint64_t from, uint64_t size)
{
    uint64_t i = from;
    while (i < size && a[i] == b[i])
        i++;
    return i;
}

/* Several places: orders may agree in the first of them. */
static void look_at(const struct orders *orders, uint32_t index, const struct object *object,
                    const unsigned char *bytes, uint64_t size, struct order_result *made)
{
    const unsigned char *first = orders->outputs[index].bytes;
    uint64_t at = 0;
    while (made->places < ORDER_PLACES && (at = next_difference(bytes, first, at, size)) < size) {
        text_puts(&made->difference, made->places ? "; " : "");
        at = tell_difference(orders, object, bytes, first, at, &made->difference);
        made->ends[made->places++] = made->difference.length;
    }
}

/* Of the first order all is kept. */
static bool keep_first(struct orders *orders, const struct run *run, struct atoll_error *error)
{
    orders->noutputs = run->nobjects;
    orders->outputs = calloc(run->nobjects + 1u, sizeof *orders->outputs);
    if (!orders->outputs)
        return error_memory(error);
    for (uint32_t i = 0; i < run->nobjects; i++) {
        const struct saving saving = {.object = &run->objects[i]};
        if (is_output(&run->objects[i]) &&
            !saving_bytes(run, &saving, &orders->outputs[i].bytes, &orders->outputs[i].size, error))
            return false;
    }
    return true;
}

/* The hash of all outputs, and where they are not as they were. */
static bool look(const struct orders *orders, const struct run *run, struct order_result *made,
                 struct atoll_error *error)
{
    struct sha256 sha;
    sha256_begin(&sha);
    for (uint32_t i = 0; i < run->nobjects; i++) {
        const struct object *object = &run->objects[i];
        const struct saving saving = {.object = object};
        void *bytes;
        uint64_t size;
        if (!is_output(object))
            continue;
        if (!saving_bytes(run, &saving, &bytes, &size, error))
            return false;
        sha256_add(&sha, bytes, size);
        look_at(orders, i, object, bytes, size, made);
        free(bytes);
    }
    sha256_end(&sha, made->hash);
    return true;
}

bool orders_take(struct orders *orders, const struct run *run, struct atoll_error *error)
{
    struct order_result made = {.seeds = 1, .told = {orders->now}};
    if (!orders->taken && !keep_first(orders, run, error))
        return false;
    if (!look(orders, run, &made, error))
        return false;
    orders->taken++;
    for (uint32_t i = 0; i < orders->nresults; i++) {
        struct order_result *result = &orders->results[i];
        if (memcmp(result->hash, made.hash, sizeof made.hash) != 0)
            continue;
        if (result->seeds < ORDER_SEEDS)
            result->told[result->seeds] = orders->now;
        result->seeds++;
        text_free(&made.difference);
        return true;
    }
    struct order_result *more = realloc(orders->results, (orders->nresults + 1u) * sizeof *more);
    if (!more || (made.difference.length && !text_ok(&made.difference))) {
        text_free(&made.difference);
        orders->results = more ? more : orders->results;
        return error_memory(error);
    }
    orders->results = more;
    orders->results[orders->nresults++] = made;
    return true;
}

/* ---- all of them --------------------------------------------------------------------------------------------------
 */

/* How many of its places tell a result from all others. */
static uint32_t places_needed(const struct orders *orders, const struct order_result *result)
{
    uint32_t needed = 1;
    for (uint32_t i = 0; i < orders->nresults; i++) {
        const struct order_result *other = &orders->results[i];
        while (other != result && needed <= result->places && other->places >= needed &&
               other->ends[needed - 1] == result->ends[needed - 1] &&
               memcmp(other->difference.bytes, result->difference.bytes, result->ends[needed - 1]) == 0)
            needed++;
    }
    return needed;
}

static void tell_places(const struct orders *orders, const struct order_result *result, struct text *out)
{
    uint32_t needed = places_needed(orders, result);
    uint32_t told = needed < result->places ? needed : result->places;
    text_printf(out, ": %.*s", (int)result->ends[told - 1], result->difference.bytes);
    if (needed <= ORDER_PLACES)
        return;
    text_puts(out, "; SHA-256 of all ");
    for (unsigned i = 0; i < 8; i++)
        text_printf(out, "%02x", result->hash[i]);
}

static void tell_result(const struct orders *orders, const struct order_result *result, struct text *out)
{
    text_puts(out, result->seeds == 1 ? "seed" : "seeds");
    for (uint64_t i = 0; i < result->seeds && i < ORDER_SEEDS; i++)
        text_printf(out, "%s%" PRIu64, i ? ", " : " ", result->told[i]);
    if (result->seeds > ORDER_SEEDS)
        text_printf(out, " and %" PRIu64 " more", result->seeds - ORDER_SEEDS);
    if (result->places)
        tell_places(orders, result, out);
}

/* The first result is the one that the others differ from. */
static bool report_all(struct orders *orders)
{
    bool ok = true;
    for (uint32_t i = 1; i < orders->nresults && ok; i++) {
        const struct order_result *result = &orders->results[i];
        struct text line = {0};
        tell_result(orders, result, &line);
        ok = text_ok(&line) && report_orders(&orders->report, result->told[0], result->seeds, line.bytes);
        text_free(&line);
    }
    return ok;
}

/* Whether something else is written to the standard output: then what the orders gave goes to standard error. */
static bool output_taken(const struct orders *orders, const struct run_options *o)
{
    bool taken = o->trace && file_same(o->trace, "-");
    for (unsigned i = 0; i < orders->report.nfiles; i++)
        taken |= orders->report.files[i].path && file_same(orders->report.files[i].path, "-");
    for (unsigned i = 0; i < o->saves.count; i++) {
        const char *equals = strchr(o->saves.items[i], '=');
        taken |= equals && file_same(equals + 1, "-");
    }
    return taken;
}

/* `code`: of the orders, or why there are no more. */
static int tell_all(const struct orders *orders, bool aside, int code)
{
    struct text out = {0};
    if (orders->taken < orders->wanted)
        text_printf(&out, "after %" PRIu64 " of ", orders->taken);
    text_printf(&out, "%" PRIu64 " orders, seeds %" PRIu64 " to %" PRIu64 ": ", orders->wanted, orders->first,
                orders->first + orders->taken - 1);
    if (orders->nresults == 1)
        text_puts(&out, "one result\n");
    else
        text_printf(&out, "%" PRIu32 " different results\n", orders->nresults);
    for (uint32_t i = 0; orders->nresults > 1 && i < orders->nresults; i++) {
        text_puts(&out, "  ");
        tell_result(orders, &orders->results[i], &out);
        text_puts(&out, "\n");
    }
    if (orders->nresults > 1 && code == EXIT_OK)
        code = EXIT_KERNEL;
    if (!aside || !text_ok(&out))
        return cli_put_text(&out, code);
    fwrite(out.bytes, 1, out.length, stderr);
    text_free(&out);
    return code;
}

/* Of the orders after the first: what there is one of is the first's. */
static struct run_options later(const struct run_options *given)
{
    struct run_options o = *given;
    o.saves = o.diffs = o.reports = o.history = o.profiles = (struct list){0};
    o.trace = o.trace_block = o.trace_lines = NULL;
    o.trace_warp = (struct seed){0};
    o.limit_trace = 0;
    o.stats_form = NULL;
    o.contention_form = NULL;
    o.quiet = true;
    return o;
}

static void orders_free(struct orders *orders)
{
    for (uint32_t i = 0; i < orders->nresults; i++)
        text_free(&orders->results[i].difference);
    for (uint32_t i = 0; orders->outputs && i < orders->noutputs; i++)
        free(orders->outputs[i].bytes);
    free(orders->results);
    free(orders->outputs);
}

/* One of them; false: it did not come to its end. */
static bool run_one(struct orders *orders, const struct run_options *given, const struct list *plain, int *code)
{
    struct run_options o = orders->taken ? later(given) : *given;
    struct arena arena = {0};
    uint64_t taken = orders->taken, findings = orders->findings;
    progress_show_orders(orders, NULL);
    orders->now = orders->report.now = orders->first + taken;
    o.seed = (struct seed){orders->now, true};
    int one = run_order(&arena, &o, plain, orders);
    arena_free(&arena);
    if (one != EXIT_OK)
        progress_clear(&orders->progress);
    if (orders->taken == taken || (one != EXIT_OK && one != EXIT_KERNEL)) {
        if (one == EXIT_KERNEL || one == EXIT_LIMIT)
            fprintf(stderr, "atoll: note: with seed %" PRIu64 "\n", orders->now);
        *code = one;
        return false;
    }
    if (one == EXIT_KERNEL && *code == EXIT_OK)
        fprintf(stderr, "atoll: note: %s with seed %" PRIu64 "\n",
                orders->findings > findings ? "found" : "not as expected", orders->now);
    *code = one == EXIT_KERNEL ? one : *code;
    return true;
}

int run_seeds(const struct run_options *given, const struct list *plain)
{
    struct arena arena = {0};
    struct orders orders = {.first = given->seed.given ? given->seed.value : 1,
                            .wanted = given->seeds,
                            .progress.terminal = !given->quiet && isatty(STDERR_FILENO),
                            .report.arena = &arena};
    int code = EXIT_OK;
    bool ended = true;
    for (uint64_t i = 0; i < given->seeds && ended; i++)
        ended = run_one(&orders, given, plain, &code);
    orders.report.seeds = orders.taken ? orders.taken : 1;
    struct atoll_error error;
    progress_clear(&orders.progress);
    if (orders.taken)
        code = tell_all(&orders, output_taken(&orders, given), code);
    if (orders.taken && !report_all(&orders) && !error_memory(&error))
        code = cli_fail(&error);
    reports_finish(&orders.report, !ended, &code);
    orders_free(&orders);
    arena_free(&arena);
    return code;
}

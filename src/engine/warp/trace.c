/* Lines of a launch's trace: who, where, what, and what the lanes have.
 *
 *   block (0,0,0) warp 0 lanes ffffffff line 12 ld.u32 [global 0x100000000+4*lane] = {7, 9, ...}
 *
 * Values of lanes that differ evenly are told by the first of all lanes and the difference, values that are the same
 * once. Before an instruction is carried out a line has what it reads; after it, if the warp goes straight on, what it
 * gave. */
#include "engine/warp/trace.h"
#include "lane/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct values {
    uint64_t lane[LANES];
    uint32_t lanes; /* that count */
    unsigned bits;
    enum lane_type type; /* how they are written */
};

static void add_number(struct text *text, const struct values *v, uint64_t value)
{
    uint64_t mask = UINT64_MAX >> (64 - v->bits), sign = UINT64_C(1) << (v->bits - 1);
    float single;
    double real;
    value &= mask;
    if (v->type == LANE_F32 && v->bits == 32) {
        memcpy(&single, &value, sizeof single);
        if (isnan(single))
            text_printf(text, "nan(0x%08x)", (unsigned)value);
        else
            text_printf(text, "%.9g", (double)single);
    } else if (v->type == LANE_F64 && v->bits == 64) {
        memcpy(&real, &value, sizeof real);
        text_printf(text, "%.17g", real);
    } else if (lane_type_signed(v->type)) {
        text_printf(text, "%lld", (long long)((value ^ sign) - sign));
    } else if (v->type >= LANE_U8 && v->type <= LANE_U64) {
        text_printf(text, "%llu", (unsigned long long)value);
    } else {
        text_printf(text, "0x%llx", (unsigned long long)value);
    }
}

/* Have lanes first + step * their number? */
static bool are_even(const struct values *v, uint64_t *first, uint64_t *step)
{
    uint64_t mask = UINT64_MAX >> (64 - v->bits);
    unsigned a = (unsigned)__builtin_ctz(v->lanes);
    uint32_t others = v->lanes & (v->lanes - 1);
    unsigned b = others ? (unsigned)__builtin_ctz(others) : a;
    *step = others && b == a + 1 ? (v->lane[b] - v->lane[a]) & mask : 0;
    *first = v->lane[a] - *step * a;
    for (uint32_t left = v->lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if ((v->lane[l] ^ (*first + *step * l)) & mask)
            return false;
    }
    return !*step || !lane_type_float(v->type);
}

static void add_values(struct text *text, const struct values *v)
{
    uint64_t first, step, mask = UINT64_MAX >> (64 - v->bits);
    if (are_even(v, &first, &step)) {
        bool down = step >> (v->bits - 1);
        add_number(text, v, first);
        if (step)
            text_printf(text, "%c%llu*lane", down ? '-' : '+', (unsigned long long)((down ? 0 - step : step) & mask));
        return;
    }
    text_puts(text, "{");
    for (uint32_t left = v->lanes; left; left &= left - 1) {
        add_number(text, v, v->lane[__builtin_ctz(left)]);
        text_puts(text, left & (left - 1) ? ", " : "}");
    }
}

/* Predicates are told as the lanes that have them. */
static void add_operand(struct text *text, const struct warp *w, const struct decoded *at, unsigned k, uint32_t lanes,
                        enum lane_type type)
{
    struct values v = {.lanes = lanes, .bits = at->bits[k], .type = type};
    uint32_t word;
    if (v.bits == 1) {
        memcpy(&word, w->frame.regs + at->offsets[k], sizeof word);
        text_printf(text, "lanes %08x", word & lanes);
        return;
    }
    if (v.bits > 64) {
        text_puts(text, "128 bits");
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        v.lane[l] = decoded_operand(w, at, k, l);
    add_values(text, &v);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* By what a source is to be written: conversions have two types. */
static enum lane_type source_type(const struct decoded *at)
{
    if (at->access)
        return at->access->type;
    return at->inst->type2 ? at->inst->type2 : at->inst->type;
}

static void add_address(struct text *text, const struct warp *w, const struct decoded *at, uint32_t lanes)
{
    struct values v = {.lanes = lanes, .bits = at->bits[at->ndst], .type = LANE_B64};
    for (unsigned l = 0; l < LANES; l++)
        v.lane[l] = decoded_operand(w, at, at->ndst, l) + (uint64_t)at->access->offset;
    text_printf(text, " [%s ", lane_name(&lane_space_names, at->access->space));
    add_values(text, &v);
    text_puts(text, "]");
}

/* The handle, then coordinates. Returns how many operands that were. */
static unsigned add_texel(struct text *text, const struct warp *w, const struct decoded *at, uint32_t lanes)
{
    unsigned n = lane_geometries[at->access->dim].coordinates;
    text_puts(text, " [surface ");
    add_operand(text, w, at, at->ndst, lanes, LANE_B64);
    for (unsigned i = 0; i < n; i++) {
        text_puts(text, i ? ", " : " at (");
        add_operand(text, w, at, at->ndst + 1 + i, lanes, LANE_S32);
    }
    text_puts(text, ")]");
    return 1 + n;
}

static void add_sources(struct text *text, const struct warp *w, const struct decoded *at, uint32_t lanes)
{
    unsigned k = at->ndst, end = (unsigned)at->ndst + at->nsrc;
    const char *before = " ";
    if (at->access && lane_is(at->op, LANE_TEXELS)) {
        k += add_texel(text, w, at, lanes);
    } else if (at->access && at->bits[k] >= 32 && at->bits[k] <= 64) {
        add_address(text, w, at, lanes);
        k++;
    }
    for (; k < end; k++, before = ", ")
        if (at->bits[k]) {
            text_puts(text, before);
            add_operand(text, w, at, k, lanes, source_type(at));
        }
}

static void add_results(struct text *text, const struct warp *w, const struct decoded *at, uint32_t lanes)
{
    const char *before = " = ";
    for (unsigned k = 0; k < at->ndst; k++)
        if (at->bits[k]) {
            text_puts(text, before);
            add_operand(text, w, at, k, lanes, at->access ? at->access->type : at->inst->type);
            before = ", ";
        }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool has_line(const struct decoded *at, const struct atoll_trace_filter *filter)
{
    struct atoll_place places[ATOLL_INLINED];
    uint32_t n, line;
    decoded_sources(at, places, &n);
    line = n ? places[0].line : decoded_written(at)->places ? 0 : at->inst->line;
    return !filter->last_line || (line >= filter->first_line && line <= filter->last_line);
}

static bool is_wanted(const struct warp *w, const struct decoded *at)
{
    const struct atoll_trace_filter *filter = w->worker->run->launch->trace_filter;
    if (at->op >= LANE_OPS)
        return false;
    if (!filter)
        return true;
    return (!filter->one_block || memcmp(filter->block, w->block->id, sizeof filter->block) == 0) &&
           (!filter->one_warp || filter->warp == w->number) && has_line(at, filter);
}

static void tell(struct run *run, struct text *line)
{
    text_puts(line, "\n");
    while (text_ok(line) && atomic_flag_test_and_set(&run->print_lock))
        ;
    if (text_ok(line)) {
        run->launch->trace(run->launch->user, line->bytes, line->length);
        atomic_flag_clear(&run->print_lock);
    }
    text_free(line);
}

static void begin_line(const struct warp *w, const struct decoded *at, uint32_t lanes, struct text *line)
{
    enum lane_type type = at->access ? at->access->type : at->inst->type;
    const uint32_t *b = w->block->id;
    char place[PLACE_BYTES];
    trace_place(at, place);
    text_printf(line, "block (%u,%u,%u) warp %u lanes %08x %s %s", b[0], b[1], b[2], w->number, lanes, place,
                lane_rows[at->inst->op].name);
    if (at->access && lane_is(at->op, LANE_UPDATES))
        text_printf(line, ".%s", lane_name(&lane_atomic_names, at->access->atomic));
    if (type)
        text_printf(line, ".%s", lane_type_name(type));
    if (lanes)
        add_sources(line, w, at, lanes);
}

void warp_trace(struct warp *w, const struct decoded *at)
{
    struct text line = {0};
    if (!is_wanted(w, at))
        return;
    begin_line(w, at, decoded_lanes(w, at), &line);
    tell(w->worker->run, &line);
}

/* What prints something itself, or does not come back here, has its line first. */
static bool has_results(const struct decoded *at)
{
    return at->ndst && (at->access || lane_is(at->op, LANE_PURE | LANE_WARP));
}

void traced_begin(struct traced *traced, struct warp *w, const struct decoded *at)
{
    *traced = (struct traced){.at = NULL};
    if (!has_results(at)) {
        warp_trace(w, at);
    } else if (is_wanted(w, at)) {
        traced->at = at;
        traced->lanes = decoded_lanes(w, at);
        begin_line(w, at, traced->lanes, &traced->line);
    }
}

void traced_end(struct traced *traced, struct warp *w, bool went)
{
    if (!traced->at)
        return;
    if (went && traced->lanes)
        add_results(&traced->line, w, traced->at, traced->lanes);
    tell(w->worker->run, &traced->line);
}

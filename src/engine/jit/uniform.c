/* How the lanes that run differ in what a slot holds, and so which branches they all take, whatever a launch gives
 * them.
 *
 * Of each slot, at the start of each segment, its *form* is known: one value in all lanes; or a value and what each bit
 * of a lane's number adds to it (struct lanes_by), as thread indices have it and what is computed of them; or nothing.
 * Compiled code then needs one value for all lanes. A result has a form if its sources have, and the operation keeps
 * it. It has none under a guard in which lanes differ, if instructions of the whole warp see what others write, or if
 * lanes that wait elsewhere meanwhile will see what they had in the slot before: two lanes that meet then come by
 * different ways. Who waits depends on which branches part lanes, and that on the forms: the search begins with forms
 * that have not been seen, which only ever become less, and ends when nothing changes. */
#include "engine/jit/jit.h"
#include "engine/meaning/kernel.h"

#include <assert.h>
#include <string.h>

/* ---- forms --------------------------------------------------------------------------------------------------------
 */

static uint64_t sign_extended(uint64_t x, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1), mask = UINT64_MAX >> (64 - bits);
    return ((x & mask) ^ sign) - sign;
}

/* The number of a form of registers of `bits`. */
static uint8_t number(struct flow *flow, const struct lanes_by *by, unsigned bits)
{
    struct lanes_by form;
    if (bits > 64)
        return FORM_NONE;
    for (unsigned i = 0; i < LANE_BITS; i++)
        form.by[i] = bits == 1 ? 0 : sign_extended(by->by[i], bits);
    for (unsigned i = 0; i < flow->nforms; i++)
        if (!memcmp(&flow->forms[i], &form, sizeof form))
            return (uint8_t)i;
    if (flow->nforms == FORM_UNSEEN)
        return FORM_NONE;
    flow->forms[flow->nforms] = form;
    return (uint8_t)flow->nforms++;
}

uint8_t uniform_form(const struct flow *flow, const uint8_t *state, uint32_t offset)
{
    if (offset >= flow->func->constants_at)
        return FORM_SAME;
    return flow_fixed(flow, offset) ? flow->fixed_form[offset / 4] : state[flow->slot_of[offset / 4]];
}

static bool same(uint8_t form)
{
    return form == FORM_SAME;
}

/* a * x + b * y. */
static uint8_t sum(struct flow *flow, uint8_t a, uint64_t x, uint8_t b, uint64_t y, unsigned bits)
{
    struct lanes_by form;
    for (unsigned i = 0; i < LANE_BITS; i++)
        form.by[i] = flow->forms[a].by[i] * x + flow->forms[b].by[i] * y;
    return number(flow, &form, bits);
}

static bool constant_of(const struct flow *flow, const struct decoded *at, unsigned k, uint64_t *value)
{
    uint32_t offset = at->offsets[k];
    *value = 0;
    if (!at->bits[k] || offset < flow->func->constants_at || at->bits[k] > 64 || at->bits[k] == 1)
        return false;
    memcpy(value, flow->func->constants + (offset - flow->func->constants_at), at->bits[k] / 8);
    return true;
}

/* ---- operations ----------------------------------------------------------------------------------------------------
 */

/* What the sources of an instruction have. */
struct sources {
    struct flow *flow;
    const struct decoded *at;
    uint8_t form[4];
    unsigned bits; /* of the result */
};

void uniform_range(const struct flow *flow, uint8_t form, int64_t *least, int64_t *most)
{
    *least = *most = 0;
    for (unsigned i = 0; i < LANE_BITS; i++) {
        int64_t by = (int64_t)flow->forms[form].by[i];
        *(by < 0 ? least : most) += by;
    }
}

/* Extending it would wrap around in some lane, most likely. */
static bool is_scattered(const struct sources *s, uint8_t form, unsigned bits)
{
    int64_t least, most;
    if (bits >= s->bits)
        return false;
    uniform_range(s->flow, form, &least, &most);
    return most - least >= INT64_C(1) << (bits - 1);
}

/* Source 0 times source 1, plus source `more` (0: none); of results twice as wide, sources are extended first. */
static uint8_t product(const struct sources *s, unsigned more, bool wide)
{
    uint64_t factor[2];
    uint8_t plus = more ? s->form[more] : FORM_SAME, form[2] = {s->form[0], s->form[1]};
    unsigned bits = s->at->bits[s->at->ndst];
    for (unsigned k = 0; k < 2; k++) {
        bool known = constant_of(s->flow, s->at, s->at->ndst + k, &factor[k]);
        if (wide && lane_type_signed(s->at->inst->type))
            factor[k] = sign_extended(factor[k], bits);
        if (!known && !same(form[!k]))
            return FORM_NONE;
    }
    if (same(form[0]) && same(form[1]))
        return plus;
    unsigned by = same(form[0]) ? 0 : 1;
    if (is_scattered(s, form[!by], bits))
        return FORM_NONE;
    return sum(s->flow, form[!by], factor[by], plus, 1, s->bits);
}

static uint8_t shifted(const struct sources *s)
{
    uint64_t by;
    if (!constant_of(s->flow, s->at, s->at->ndst + 1u, &by) || by >= s->bits)
        return FORM_NONE;
    return sum(s->flow, s->form[0], UINT64_C(1) << by, FORM_SAME, 0, s->bits);
}

/* Of a product of halves that is the same in all lanes, and is added to something. */
static uint8_t added(const struct sources *s)
{
    bool plain = !(s->at->inst->aux & (LANE_MAD16_C_LOW | LANE_MAD16_C_HIGH | LANE_MAD16_MERGE));
    return same(s->form[0]) && same(s->form[1]) && plain ? s->form[2] : FORM_NONE;
}

static uint8_t converted(const struct sources *s)
{
    if (!jit_is_int(s->at->inst->type2) || is_scattered(s, s->form[0], s->at->bits[s->at->ndst]))
        return FORM_NONE;
    return sum(s->flow, s->form[0], 1, FORM_SAME, 0, s->bits);
}

/* The form of a result of which not all sources are the same in all lanes. */
static uint8_t derived(const struct sources *s)
{
    const struct lane_inst *inst = s->at->inst;
    switch (inst->op) {
    case LANE_OP_mov:
        return s->form[0];
    case LANE_OP_selp:
        return same(s->form[2]) && s->form[0] == s->form[1] ? s->form[0] : FORM_NONE;
    case LANE_OP_add:
        return sum(s->flow, s->form[0], 1, s->form[1], 1, s->bits);
    case LANE_OP_sub:
        return sum(s->flow, s->form[0], 1, s->form[1], UINT64_MAX, s->bits);
    case LANE_OP_neg:
        return sum(s->flow, s->form[0], UINT64_MAX, FORM_SAME, 0, s->bits);
    case LANE_OP_mul:
        return product(s, 0, false);
    case LANE_OP_mad:
        return product(s, 2, false);
    case LANE_OP_mulwide:
        return product(s, 0, true);
    case LANE_OP_madwide:
        return product(s, 2, true);
    case LANE_OP_mad16:
        return added(s);
    case LANE_OP_shl:
        return shifted(s);
    case LANE_OP_cvt:
        return converted(s);
    default:
        return FORM_NONE;
    }
}

/* Do lanes find the same at one address? Each has local memory and registers of its own; and others may store between
 * strong loads of one lane and of the next. */
static bool loads_same(const struct lane_access *access)
{
    bool shared = access->space == LANE_GLOBAL || access->space == LANE_CONSTANT || access->space == LANE_SHARED;
    return access->space == LANE_PARAM || (shared && access->order == LANE_WEAK);
}

/* Does an operation give lanes with the same operands the same results? */
static bool is_even(const struct decoded *at)
{
    if (at->op >= LANE_OPS)
        return false;
    if (at->op == LANE_OP_sreg)
        return !lane_sreg_is(at->inst->mode, LANE_SREG_LANES | LANE_SREG_CLOCKS) &&
               !(at->inst->mode == LANE_SREG_WARPID && func_packs(at->func));
    if (at->op == LANE_OP_ld)
        return loads_same(at->access);
    return lane_is(at->op, LANE_PURE);
}

static bool plain(const struct decoded *at)
{
    const struct meaning *row = meaning_find_base(at->inst);
    return row && !row->flags && at->ndst == 1 && at->nsrc <= 4;
}

/* Of the results of an instruction, whoever carries it out. */
static uint8_t result(struct flow *flow, const struct decoded *at, unsigned k, const uint8_t *state)
{
    struct sources s = {.flow = flow, .at = at, .bits = at->bits[k]};
    bool all_same = true;
    if (!is_even(at))
        return FORM_NONE;
    for (unsigned i = 0; i < at->nsrc; i++) {
        unsigned source = at->ndst + i;
        uint8_t form = at->bits[source] ? uniform_form(flow, state, at->offsets[source]) : FORM_SAME;
        if (form == FORM_NONE || form == FORM_UNSEEN)
            return FORM_NONE;
        all_same = all_same && same(form);
        if (i < 4)
            s.form[i] = form;
    }
    if (all_same)
        return at->bits[k] > 64 ? FORM_NONE : FORM_SAME;
    return plain(at) && (jit_is_int(at->inst->type)) ? derived(&s) : FORM_NONE;
}

bool uniform_may_widen(const struct decoded *at)
{
    bool is = at->op == LANE_OP_mulwide || at->op == LANE_OP_madwide || at->op == LANE_OP_cvt;
    return is && at->bits[at->ndst] < at->bits[0];
}

bool uniform_widens(const struct flow *flow, const struct decoded *at, const uint8_t *state, unsigned *k)
{
    if (!uniform_may_widen(at))
        return false;
    for (*k = at->ndst; *k < at->ndst + (at->op == LANE_OP_cvt ? 1u : 2u); ++*k) {
        uint32_t offset = at->offsets[*k];
        if (same(uniform_form(flow, state, offset)) || at->bits[*k] >= at->bits[0])
            continue;
        uint64_t below = flow_varies(flow, offset) ? 0 : flow->fixed_below[offset / 4];
        return !below || below > UINT64_C(1) << (at->bits[*k] - 1);
    }
    return false;
}

/* ---- invariants -----------------------------------------------------------------------------------------------------
 */

/* Thread indices, by the shape of the block; numbers of lanes. */
static bool sreg_form(struct flow *flow, unsigned mode, uint8_t *form)
{
    struct lanes_by by = {{0}};
    for (unsigned i = 0; i < LANE_BITS; i++) /* each of packed warps counts its own */
        by.by[i] = UINT64_C(1) << i < flow->func->thread_lanes ? UINT64_C(1) << i : 0;
    if (mode <= LANE_SREG_TID_Z) {
        const struct tids *tids = flow->tids;
        unsigned axis = mode - LANE_SREG_TID_X;
        if (!tids->known[axis])
            return false;
        for (unsigned i = 0; i < LANE_BITS; i++)
            by.by[i] = tids->by[axis][i];
    } else if (mode != LANE_SREG_LANEID) {
        return false;
    }
    *form = number(flow, &by, 32);
    return true;
}

/* What all lanes have in a source is below this; 0: it is not known. */
static uint64_t below(const struct flow *flow, const struct decoded *at, unsigned i)
{
    uint64_t value;
    unsigned k = at->ndst + i;
    if (constant_of(flow, at, k, &value))
        return value < FORM_BELOW ? value + 1 : 0;
    uint32_t offset = at->offsets[k];
    return offset < flow->func->constants_at && flow_fixed(flow, offset) ? flow->fixed_below[offset / 4] : 0;
}

/* What is below that is an integer of a type. 0: it may be one below 0, or no integer. */
static uint64_t counted(uint64_t below, unsigned type)
{
    uint64_t sign = jit_is_int(type) ? UINT64_C(1) << (lane_type_bits(type) - 1) : 0;
    return sign && (below <= sign || !lane_type_signed(type)) ? below : 0;
}

/* The same of the result of an invariant. */
static uint64_t result_below(const struct flow *flow, const struct decoded *at)
{
    uint64_t a = at->nsrc ? below(flow, at, 0) : 0, b = at->nsrc > 1 ? below(flow, at, 1) : 0, r = 0;
    switch (at->op) {
    case LANE_OP_sreg:
        r = lane_sreg_is(at->inst->mode, LANE_SREG_LANES) && at->inst->mode <= LANE_SREG_TID_Z ? FLOW_TIDS : 0;
        r = at->inst->mode == LANE_SREG_LANEID ? LANES : r;
        break;
    case LANE_OP_mov:
        r = a;
        break;
    case LANE_OP_cvt:
        r = counted(counted(a, at->inst->type2), at->inst->type);
        break;
    case LANE_OP_add:
        r = a && b ? a + b : 0;
        break;
    case LANE_OP_mul:
        r = a * b;
        break;
    case LANE_OP_mulwide:
        r = counted(a, at->inst->type) * counted(b, at->inst->type);
        break;
    case LANE_OP_shl:
        r = a && b && b <= 16 ? a << (b - 1) : 0;
        break;
    }
    if (at->bits[0] == 16)
        return r < FORM_BELOW16 ? r : 0;
    return r < FORM_BELOW && (at->bits[0] == 32 || at->bits[0] == 64) ? r : 0;
}

/* They are carried out for all lanes, once, in order. */
static void form_invariant(struct flow *flow, const struct decoded *at)
{
    unsigned k;
    for (unsigned i = 0; i < at->ndst; i++) {
        if (!at->bits[i])
            continue;
        uint8_t form = result(flow, at, i, NULL);
        if (at->same)
            form = FORM_SAME;
        else if (at->op == LANE_OP_sreg && !sreg_form(flow, at->inst->mode, &form))
            form = FORM_NONE;
        if (form != FORM_NONE && uniform_widens(flow, at, NULL, &k))
            form = FORM_NONE;
        flow->fixed_form[at->offsets[i] / 4] = form;
    }
    if (at->ndst == 1 && at->bits[0] && (at->op == LANE_OP_sreg || (plain(at) && jit_is_int(at->inst->type))))
        flow->fixed_below[at->offsets[0] / 4] = (uint32_t)result_below(flow, at);
}

/* ---- instructions ---------------------------------------------------------------------------------------------------
 */

/* Is it seen what lanes that do not carry it out have in the result? What instructions of the whole warp touch has a
 * form if these alone write it, and then in all lanes, as what they read has it. */
static bool is_seen(const struct flow *flow, uint32_t segment, const struct decoded *at, unsigned k)
{
    bool whole = at->inst->flags & LANE_WHOLE;
    return (whole ? at->guard != KERNEL_NONE : at->whole) || flow_waits_for(flow, segment, at->offsets[k]);
}

uint8_t uniform_result(struct flow *flow, uint32_t segment, const struct decoded *at, unsigned k, const uint8_t *state)
{
    uint8_t form = is_seen(flow, segment, at, k) ? FORM_NONE : result(flow, at, k, state);
    if (at->guard == KERNEL_NONE)
        return form;
    bool kept = same(uniform_form(flow, state, at->guard)) && form == state[flow->slot_of[at->offsets[k] / 4]];
    return kept ? form : FORM_NONE;
}

void uniform_pass(struct flow *flow, uint32_t segment, const struct decoded *at, uint8_t *state)
{
    uint8_t forms[256];
    for (unsigned k = 0; k < at->ndst; k++)
        forms[k] = at->bits[k] ? uniform_result(flow, segment, at, k, state) : FORM_NONE;
    for (unsigned k = 0; k < at->ndst; k++)
        if (at->bits[k])
            state[flow->slot_of[at->offsets[k] / 4]] = forms[k];
}

/* ---- segments -------------------------------------------------------------------------------------------------------
 */

/* What may come together: a form that both have, or none. Has it changed? */
static bool meet(uint8_t *form, uint8_t other)
{
    uint8_t met = *form == FORM_UNSEEN ? other : other == FORM_UNSEEN || other == *form ? *form : FORM_NONE;
    bool changed = met != *form;
    *form = met;
    return changed;
}

static bool meet_all(uint8_t *forms, const uint8_t *others, uint32_t n)
{
    bool changed = false;
    for (uint32_t i = 0; i < n; i++)
        changed |= meet(&forms[i], others[i]);
    return changed;
}

/* Forms at the end of a segment, in `state`. False: no lanes have come to it. */
static bool pass_segment(struct flow *flow, uint32_t segment, uint8_t *state)
{
    const struct segment *here = &flow->segments[segment];
    if (flow->nslots && flow_forms(flow, segment)[0] == FORM_UNSEEN)
        return false;
    memcpy(state, flow_forms(flow, segment), flow->nslots);
    for (uint32_t i = 0; i < here->count; i++)
        uniform_pass(flow, segment, &flow->func->decoded[here->first + i], state);
    return true;
}

static bool pass_on(struct flow *flow, uint32_t segment, uint8_t *state)
{
    const struct segment *here = &flow->segments[segment];
    bool changed = false;
    if (!pass_segment(flow, segment, state))
        return false;
    for (uint32_t i = 0; i < here->nto; i++)
        changed |= meet_all(flow_forms(flow, here->to[i]), state, flow->nslots);
    if (here->leaves && segment + 1 < flow->nsegments)
        changed |= meet_all(flow_forms(flow, segment + 1), state, flow->nslots);
    return changed;
}

/* What lanes that wait need has one form here and where they wait: so there is one place where it is kept. */
static bool agree(const struct flow *flow, uint32_t segment, uint32_t other)
{
    const uint64_t *live = flow->live + (size_t)other * flow->slot_words;
    uint8_t *here = flow_forms(flow, segment), *there = flow_forms(flow, other);
    bool changed = false;
    for (uint32_t w = 0; w < flow->slot_words; w++)
        for (uint64_t bits = live[w]; bits; bits &= bits - 1) {
            uint32_t slot = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (here[slot] != FORM_UNSEEN && there[slot] != FORM_UNSEEN && here[slot] != there[slot]) {
                here[slot] = there[slot] = FORM_NONE;
                changed = true;
            }
        }
    return changed;
}

static bool agree_all(const struct flow *flow)
{
    bool changed = false;
    for (uint32_t s = 0; s < flow->nsegments; s++)
        for (uint32_t w = 0; w < flow->words; w++)
            for (uint64_t bits = flow_waits(flow, s)[w]; bits; bits &= bits - 1)
                changed |= agree(flow, s, w * 64 + (uint32_t)__builtin_ctzll(bits));
    return changed;
}

/* Can lanes part at the end of a segment? */
static bool parts(struct flow *flow, uint32_t segment, uint8_t *state)
{
    const struct segment *here = &flow->segments[segment];
    const struct decoded *last = &flow->func->decoded[here->first + here->count - 1];
    if (last->guard == KERNEL_NONE && last->op != LANE_OP_brx)
        return false;
    if (last->op != LANE_OP_bra || !pass_segment(flow, segment, state))
        return true;
    return !same(uniform_form(flow, state, last->guard));
}

static void find_whole(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->func->ndecoded; i++) {
        const struct decoded *at = &flow->func->decoded[i];
        for (unsigned k = 0; k < (unsigned)at->ndst + at->nsrc && at->op < LANE_OPS; k++)
            if (at->bits[k] && flow_varies(flow, at->offsets[k]) &&
                (at->inst->flags & LANE_WHOLE || (at->whole && k < at->ndst)))
                bitset_add(flow->whole, flow->slot_of[at->offsets[k] / 4]);
    }
}

/* Nothing is known where there is too much to know, or where lanes that do not run are seen everywhere. */
static bool begin(struct arena *arena, struct flow *flow)
{
    size_t words4 = flow->func->constants_at / 4 + 1, n = (size_t)flow->nsegments * flow->nslots;
    flow->formless = n > FORM_SLOTS || flow->func->every != ALL_LANES;
    flow->fixed_form = arena_array(arena, words4, 1);
    flow->fixed_below = arena_array(arena, words4, sizeof *flow->fixed_below);
    flow->forms = arena_array(arena, FORM_UNSEEN, sizeof *flow->forms);
    flow->at_start = arena_array(arena, n + 1, 1);
    flow->whole = arena_array(arena, flow->slot_words + 1, sizeof *flow->whole);
    if (!flow->whole || !flow->fixed_form || !flow->fixed_below || !flow->forms || !flow->at_start)
        return false;
    flow->nforms = 1; /* FORM_SAME adds nothing */
    find_whole(flow);
    for (uint32_t i = 0; i < flow->func->ninvariants; i++)
        form_invariant(flow, &flow->func->invariants[i]);
    memset(flow->at_start, flow->formless ? FORM_NONE : FORM_UNSEEN, n);
    for (uint32_t i = 0; i < flow->nslots && !flow->formless; i++) /* zeros */
        flow->at_start[i] = flow->slot_bits[i] > 64 ? FORM_NONE : FORM_SAME;
    return true;
}

bool uniform_find(struct arena *arena, struct flow *flow, bool *changed)
{
    uint8_t *state = arena_array(arena, flow->nslots + 1, 1);
    if (!state || (!flow->at_start && !begin(arena, flow)))
        return false;
    for (bool again = !flow->formless; again;) {
        again = false;
        for (uint32_t s = 0; s < flow->nsegments; s++)
            again |= pass_on(flow, s, state);
        again |= agree_all(flow);
    }
    *changed = false;
    for (uint32_t s = 0; s < flow->nsegments; s++) {
        struct segment *segment = &flow->segments[s];
        if (segment->parts || !parts(flow, s, state))
            continue;
        segment->parts = true;
        *changed = true;
    }
    return true;
}

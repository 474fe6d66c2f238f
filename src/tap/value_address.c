/* Arithmetic of 32 bits that overflows on the way to an address of 64: a[i * j] with ints. What a sum or a product
 * would be is kept until it fits again, is widened, or goes where it is no index any more. */
#include "tap/value.h"

static const struct value_fault overflow = {
    "address-overflow", "computes with 32 bits", NULL,
    "the result does not fit, and an address is made of it: widen an operand before"};

/* ---- what is on the way ------------------------------------------------------------------------------------------ */

static struct flow *flow_of(struct value_warp *warp, const struct tap_step *step, struct lane_operand operand,
                            bool wide)
{
    for (uint32_t i = 0; i < warp->nflows && operand.kind == LANE_REG; i++) {
        struct flow *flow = &warp->flows[i];
        if (flow->reg == operand.index && flow->activation == step->activation && flow->wide == wide &&
            flow->lanes & step->lanes)
            return flow;
    }
    return NULL;
}

/* Old flows of what the instruction writes end. */
static void overwrite(struct value_warp *warp, const struct tap_step *step)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < warp->nflows; i++) {
        struct flow *flow = &warp->flows[i];
        bool mine = flow->activation == step->activation, gone = mine && step->inst->op == LANE_OP_ret;
        for (unsigned d = 0; mine && d < step->inst->ndst; d++)
            gone |= tap_operand(step, d).kind == LANE_REG && tap_operand(step, d).index == flow->reg;
        flow->lanes &= gone || step->inst->op == LANE_OP_exit ? ~step->lanes : UINT32_MAX;
        if (flow->lanes && kept != i)
            warp->flows[kept] = *flow;
        kept += flow->lanes != 0;
    }
    warp->nflows = kept;
}

static void put(struct value_warp *warp, const struct flow *flow)
{
    if (warp->nflows == FLOWS) {
        for (uint32_t i = 1; i < FLOWS; i++)
            warp->flows[i - 1] = warp->flows[i];
        warp->nflows--;
    }
    warp->flows[warp->nflows++] = *flow;
}

static void add(struct value_warp *warp, const struct tap_step *step, const struct flow *flow)
{
    overwrite(warp, step);
    put(warp, flow);
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static bool is_32(unsigned type)
{
    return type == LANE_U32 || type == LANE_S32 || type == LANE_B32;
}

/* A shift to the left is a product, as compilers make it of one. */
static int64_t shifted(int64_t a, int32_t by)
{
    int64_t result;
    if ((uint32_t)by >= 32)
        return 0; /* PTX ISA, "shl" */
    return __builtin_mul_overflow(a, INT64_C(1) << by, &result) ? INT64_MAX : result;
}

/* Does a signed sum, difference, product overflow in some lane, whether it runs or not? Looked at for all lanes at
 * once: mostly it does not. */
static bool may_overflow(unsigned op, const int32_t *a, const int32_t *b, const int32_t *c)
{
    uint32_t any = 0;
    for (unsigned l = 0; l < LANES; l++) {
        int64_t exact = op == LANE_OP_add   ? (int64_t)a[l] + b[l]
                        : op == LANE_OP_sub ? (int64_t)a[l] - b[l]
                        : op == LANE_OP_shl ? shifted(a[l], b[l])
                        : op == LANE_OP_mul ? (int64_t)a[l] * b[l]
                                            : (int64_t)a[l] * b[l] + c[l];
        any |= exact != (int32_t)exact;
    }
    return any;
}

/* What it would be. Beyond 64 bits it stays far out. */
static int64_t compute(unsigned op, int64_t a, int64_t b, int64_t c)
{
    int64_t result;
    if (op == LANE_OP_shl)
        return shifted(a, (int32_t)b);
    bool far = op == LANE_OP_add   ? __builtin_add_overflow(a, b, &result)
               : op == LANE_OP_sub ? __builtin_sub_overflow(a, b, &result)
                                   : __builtin_mul_overflow(a, b, &result);
    if (op == LANE_OP_mad)
        far |= __builtin_add_overflow(result, c, &result);
    return far ? INT64_MAX : result;
}

/* A number of 32 bits, as a lane has it. */
struct number {
    int32_t held;         /* as signed */
    int64_t exact;        /* what it would be */
    int64_t below, above; /* how many times 2^32 less or more, if numbers are not signed */
    bool whole, divided;  /* it fits, signed or not; somebody has divided what is held */
};

static struct number number_of(const struct flow *flow, const int32_t *row, unsigned lane)
{
    if (!flow || !(flow->lanes >> lane & 1))
        return (struct number){.held = row[lane], .exact = row[lane], .above = row[lane] < 0, .whole = true};
    return (struct number){row[lane], flow->exact[lane],        flow->below[lane], flow->above[lane],
                           false,     flow->divided >> lane & 1};
}

static struct number times(struct number a, int64_t by, int64_t exact)
{
    int64_t below = 0, above = 0, most = by < 0 ? -(by + 1) : by;
    if (most < UINT8_MAX && !a.whole) {
        below = (by < 0 ? a.above : a.below) * most;
        above = (by < 0 ? a.below : a.above) * most;
    }
    return (struct number){.exact = exact, .below = below, .above = above};
}

static struct number sum(struct number a, struct number b, bool minus)
{
    return (struct number){.exact = compute(minus ? LANE_OP_sub : LANE_OP_add, a.exact, b.exact, 0),
                           .below = a.below + (minus ? b.above : b.below),
                           .above = a.above + (minus ? b.below : b.above)};
}

static int64_t negative(int64_t a)
{
    return a == INT64_MIN ? INT64_MAX : -a;
}

/* Is h less `product` what a division leaves of h? Then it is right, whatever h was made by, and whether the product
 * has a sign or not. Compilers make h % 61 of h - h / 61 * 61. A smaller product says nothing, unless h was divided. */
static bool remains(struct number h, int64_t product)
{
    if ((!h.divided && !(h.whole && product > INT32_MAX)) || product > UINT32_MAX || product < INT32_MIN)
        return false; /* or it is more than h can be */
    int64_t left = (int64_t)(uint32_t)h.held - product, sign = h.held - product;
    if (product == 0 || (left >= 0 && left < product))
        return true;
    bool less = product < 0 ? sign > product && sign <= 0 : sign < product && sign >= 0;
    return h.divided && less;
}

/* What lane's instruction gives; *right: it is no overflow, whatever the numbers say. */
static struct number result_of(unsigned op, struct number a, struct number b, struct number c, bool *right)
{
    struct number product;
    switch (op) {
    case LANE_OP_add:
        *right = remains(a, negative(b.exact)) || remains(b, negative(a.exact));
        return sum(a, b, false);
    case LANE_OP_sub:
        *right = remains(a, b.exact);
        return sum(a, b, true);
    case LANE_OP_shl:
        return times(a, shifted(1, b.held), compute(op, a.exact, b.exact, 0));
    default:
        product = b.whole ? times(a, b.exact, compute(LANE_OP_mul, a.exact, b.exact, 0))
                          : times(b, a.exact, compute(LANE_OP_mul, a.exact, b.exact, 0));
        *right = op == LANE_OP_mad && remains(c, negative(product.exact));
        return op == LANE_OP_mad ? sum(product, c, false) : product;
    }
}

static uint8_t few(int64_t count)
{
    return count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
}

static void arithmetic(const struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    static const int32_t nothing[LANES];
    const struct lane_inst *inst = step->inst;
    unsigned n = inst->ndst, op = inst->op;
    const int32_t *a = value_row(value, step, n), *b = value_row(value, step, n + 1);
    const int32_t *c = op == LANE_OP_mad ? value_row(value, step, n + 2) : nothing;
    if (!a || !b || !c || (!warp->nflows && !may_overflow(op, a, b, c)))
        return;
    struct flow *fa = flow_of(warp, step, tap_operand(step, n), false);
    struct flow *fb = flow_of(warp, step, tap_operand(step, n + 1), false);
    struct flow *fc = op == LANE_OP_mad ? flow_of(warp, step, tap_operand(step, n + 2), false) : NULL;
    const struct flow *from = fa ? fa : fb ? fb : fc;
    if (!from && !may_overflow(op, a, b, c)) {
        overwrite(warp, step);
        return;
    }
    struct flow made = {.activation = step->activation, .reg = tap_operand(step, 0).index};
    made.site = from ? from->site : step->site;
    for (uint32_t left = step->lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        bool right = false;
        struct number is = result_of(op, number_of(fa, a, l), number_of(fb, b, l), number_of(fc, c, l), &right);
        made.exact[l] = is.exact;
        made.below[l] = few(is.below);
        made.above[l] = few(is.above);
        made.lanes |= (uint32_t)(!right && is.exact != (int32_t)is.exact) << l;
    }
    if (made.lanes)
        add(warp, step, &made);
    else if (warp->nflows)
        overwrite(warp, step);
}

/* Lanes divide what is held of a flow, or shift it to the right: so do all that have the same number. */
static void divided(struct value_warp *warp, const struct tap_step *step, const struct flow *flow)
{
    uint32_t lanes = flow->lanes & step->lanes, site = flow->site;
    for (uint32_t i = 0; i < warp->nflows; i++) {
        struct flow *same = &warp->flows[i];
        for (uint32_t left = same->site == site ? lanes & same->lanes : 0; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            same->divided |= same->exact[l] == flow->exact[l] ? left & -left : 0;
        }
    }
}

static bool divides(const struct lane_inst *inst)
{
    return inst->op == LANE_OP_div || inst->op == LANE_OP_mulhi || inst->op == LANE_OP_shr;
}

static void division(struct value_warp *warp, const struct tap_step *step)
{
    for (unsigned s = 0; s < step->inst->nsrc; s++) {
        struct lane_operand operand = tap_operand(step, step->inst->ndst + s);
        const struct flow *narrow = flow_of(warp, step, operand, false), *wide = flow_of(warp, step, operand, true);
        if (narrow || wide)
            divided(warp, step, narrow ? narrow : wide);
    }
    overwrite(warp, step);
}

/* ---- from 32 bits to 64 ------------------------------------------------------------------------------------------ */

/* Lanes of a narrow flow whose value is not what was meant, widened with that sign. Without one, numbers that it is
 * made of may have had none either. */
static uint32_t lost(const struct flow *flow, bool sign)
{
    uint32_t lanes = 0;
    for (unsigned l = 0; l < LANES; l++) {
        int64_t exact = flow->exact[l], high = exact >> 32;
        bool kept = sign ? exact == (int32_t)exact : high <= flow->below[l] && -high <= flow->above[l];
        lanes |= (uint32_t)!kept << l;
    }
    return lanes & flow->lanes;
}

static bool widens(const struct lane_inst *inst)
{
    bool half = inst->type2 == LANE_U32 || inst->type2 == LANE_S32;
    return inst->op == LANE_OP_mulwide || inst->op == LANE_OP_madwide ||
           (inst->op == LANE_OP_cvt && half && lane_type_bits(inst->type) == 64 && !lane_type_float(inst->type));
}

static bool carries(const struct lane_inst *inst)
{
    bool same = inst->op == LANE_OP_mov || inst->op == LANE_OP_selp;
    bool sum = inst->op == LANE_OP_add || inst->op == LANE_OP_sub || inst->op == LANE_OP_mul ||
               inst->op == LANE_OP_mad || inst->op == LANE_OP_shl;
    return same || (sum && !lane_type_float(inst->type) && lane_type_bits(inst->type) == 64);
}

/* Does lane `lane` take source s? */
static bool takes(const struct value *value, const struct tap_step *step, unsigned s, unsigned lane)
{
    return step->inst->op != LANE_OP_selp ||
           value->launch->engine->value(step, step->inst->ndst + 2u, lane) == (s == 0);
}

static void carry(const struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    const struct lane_inst *inst = step->inst;
    bool wide = widens(inst);
    struct flow made = {.lanes = 0};
    for (unsigned s = 0; s < inst->nsrc; s++) {
        struct flow *narrow = flow_of(warp, step, tap_operand(step, inst->ndst + s), false);
        struct flow *old = flow_of(warp, step, tap_operand(step, inst->ndst + s), true);
        const struct flow *from = old ? old : narrow;
        bool sign = lane_type_signed(inst->op == LANE_OP_cvt ? inst->type2 : inst->type);
        uint32_t lanes = old ? old->lanes : !narrow ? 0 : wide ? lost(narrow, sign) : narrow->lanes;
        lanes &= step->lanes;
        if (!lanes || made.lanes)
            continue;
        for (uint32_t left = lanes; left; left &= left - 1)
            if (!takes(value, step, s, (unsigned)__builtin_ctz(left)))
                lanes &= ~(left & -left);
        made = *from;
        made.lanes = lanes;
        made.wide = old || wide;
    }
    made.activation = step->activation;
    made.reg = tap_operand(step, 0).index;
    if (made.lanes)
        add(warp, step, &made);
    else
        overwrite(warp, step);
}

/* ---- local memory: what is not optimized has its variables there ---------------------------------------------------
 */

/* Flows hold 32 or 64 bits, which are stored and loaded as a whole. */
static uint32_t flow_bytes(const struct flow *flow)
{
    return flow->wide ? 8 : 4;
}

static void drop_memory(struct value_warp *warp, uint32_t lanes, uint32_t at, uint32_t bytes)
{
    for (uint32_t i = 0; i < warp->nflows; i++) {
        struct flow *flow = &warp->flows[i];
        if (flow->activation == MARK_MEMORY && flow->reg < at + bytes && at < flow->reg + flow_bytes(flow))
            flow->lanes &= ~lanes;
    }
}

static void store(struct value_warp *warp, const struct tap_step *step, const struct mark_place *place, uint32_t lanes)
{
    uint32_t at = place->at[__builtin_ctz(lanes)];
    unsigned values = step->inst->nsrc - 1u;
    drop_memory(warp, lanes, at, values * place->element);
    for (unsigned k = 0; k < values; k++) {
        const struct flow *flow = flow_of(warp, step, tap_operand(step, step->inst->ndst + 1 + k), place->element == 8);
        struct flow copy;
        if (!flow || flow_bytes(flow) != place->element)
            continue;
        copy = *flow;
        copy.activation = MARK_MEMORY;
        copy.reg = at + k * place->element;
        copy.lanes &= lanes;
        put(warp, &copy);
    }
}

static void load(struct value_warp *warp, const struct tap_step *step, const struct mark_place *place, uint32_t lanes)
{
    for (unsigned d = 0; d < step->inst->ndst; d++)
        for (uint32_t i = 0; i < warp->nflows; i++) {
            struct flow copy = warp->flows[i];
            if (copy.activation != MARK_MEMORY || !(copy.lanes & lanes) || flow_bytes(&copy) != place->element ||
                copy.reg != place->at[__builtin_ctz(lanes)] + d * place->element)
                continue;
            copy.activation = step->activation;
            copy.reg = tap_operand(step, d).index;
            copy.lanes &= lanes;
            if (tap_operand(step, d).kind == LANE_REG)
                put(warp, &copy);
            break;
        }
}

static void through_memory(const struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    struct mark_place place;
    mark_place(step, value->launch->engine, &place);
    for (uint32_t same, left = place.lanes; left; left &= ~same) {
        same = mark_place_like_first(&place, left);
        if (step->inst->op == LANE_OP_st)
            store(warp, step, &place, same);
        else
            load(warp, step, &place, same);
    }
}

void value_flow_call(struct value_warp *warp, const struct tap_call *call)
{
    uint32_t count = call->returns ? call->call->nresults : call->call->nargs, before = warp->nflows;
    const struct lane_slot *caller = call->returns ? call->call->results : call->call->args;
    const struct lane_slot *callee = call->returns ? call->callee->results : call->callee->params;
    if (before && !call->returns)
        drop_memory(warp, call->lanes, call->callee_at, call->callee->local_bytes);
    for (uint32_t i = 0; before && i < count; i++) {
        uint32_t outer = call->caller_at + caller[i].local, inner = call->callee_at + callee[i].local;
        drop_memory(warp, call->lanes, call->returns ? outer : inner, caller[i].size);
        for (uint32_t k = 0; k < before && warp->nflows < FLOWS; k++) {
            struct flow copy = warp->flows[k];
            if (copy.activation != MARK_MEMORY || copy.reg != (call->returns ? inner : outer))
                continue;
            copy.reg = call->returns ? outer : inner;
            copy.lanes &= call->lanes;
            put(warp, &copy);
        }
    }
}

static bool accesses(const struct tap_step *step)
{
    unsigned op = step->inst->op;
    return (op == LANE_OP_ld || op == LANE_OP_st || op == LANE_OP_atom || op == LANE_OP_red) &&
           step->func->accesses[step->inst->aux].space != LANE_PARAM;
}

static void reach(const struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    struct flow *flow = flow_of(warp, step, tap_operand(step, step->inst->ndst), true);
    if (flow) {
        value_tell(value, &overflow, step, flow->site, flow->lanes & step->lanes);
        flow->lanes &= ~step->lanes;
    }
    overwrite(warp, step);
    if (warp->nflows)
        through_memory(value, warp, step);
}

void value_flow(const struct value *value, struct value_warp *warp, const struct tap_step *step)
{
    const struct lane_inst *inst = step->inst;
    bool sum = inst->op == LANE_OP_add || inst->op == LANE_OP_sub || inst->op == LANE_OP_mul ||
               inst->op == LANE_OP_mad || inst->op == LANE_OP_shl;
    if (sum && is_32(inst->type) && !(inst->flags & LANE_SAT))
        arithmetic(value, warp, step);
    else if (!warp->nflows)
        return;
    else if (widens(inst) || carries(inst))
        carry(value, warp, step);
    else if (accesses(step))
        reach(value, warp, step);
    else if (divides(inst))
        division(warp, step);
    else
        overwrite(warp, step);
}

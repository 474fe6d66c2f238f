/* What a line says of the two units, to words: which unit computes what, and in which slots their sources lie. */
#include "isa/ctm/parse.h"

#include <string.h>

enum { NEED_RGB = 1, NEED_ALPHA = 2, REQUESTS = CTM_UNITS * CTM_ARGS };

/* What a unit is to do. */
struct unit_plan {
    const struct ctm_part *part;
    bool there, keeps; /* keeps: its results go to the part's destinations; else another unit takes them */
    uint8_t op, args;
    const struct ctm_operand *arg[CTM_ARGS];
    uint8_t letter[CTM_ARGS][CTM_CHANNELS];
};

/* A source that must lie in one of the slots. */
struct request {
    const struct ctm_operand *operand;
    uint8_t need, units, arg; /* NEED_..; a bit for each unit that selects it */
};

struct encoder {
    struct ctm_parser *p;
    struct ctm_inst *inst;
    struct unit_plan unit[CTM_UNITS];
    struct request request[REQUESTS];
    unsigned requests;
    uint16_t address[CTM_UNITS][CTM_SLOTS_OF_UNIT];
    bool used[CTM_UNITS][CTM_SLOTS_OF_UNIT];
    bool has_srcp[CTM_UNITS];
    uint8_t srcp[CTM_UNITS];
};

/* ---- which unit does what --------------------------------------------------------------------------------- */

static unsigned op_of(const struct ctm_part *part, unsigned unit)
{
    return ctm_op_find(ctm_units[unit].ops, CTM_OPS, part->name, part->length);
}

static void plan(struct encoder *e, unsigned unit, const struct ctm_part *part, unsigned op, bool keeps)
{
    struct unit_plan *u = &e->unit[unit];
    *u = (struct unit_plan){.part = part, .there = true, .keeps = keeps, .op = (uint8_t)op, .args = part->args};
    for (unsigned i = 0; i < part->args; i++)
        u->arg[i] = &part->arg[i];
}

static bool check_args(struct encoder *e, const struct ctm_part *part, const struct ctm_op_row *row)
{
    if (part->args >= row->args)
        return true;
    return ctm_wrong(e->p, part->at, part->length, "%s has %u operands, not %u", row->name, row->args, part->args);
}

static bool is_dot(unsigned op)
{
    return op == CTM_RGB_DP3 || op == CTM_RGB_DP4 || op == CTM_RGB_D2A;
}

static bool is_scalar(unsigned op)
{
    return op >= CTM_ALPHA_EX2 && op <= CTM_ALPHA_COS;
}

/* One operation for whatever channels its destinations name. */
static bool plan_joined(struct encoder *e, const struct ctm_part *part)
{
    unsigned rgb = op_of(part, CTM_RGB), alpha = op_of(part, CTM_ALPHA);
    bool to_rgb = part->channels & 7, to_alpha = part->channels & 8;
    if (!part->channels)
        return ctm_wrong(e->p, part->at, part->length,
                         "no channel is written: which unit computes is said by '|', RGB before it and alpha after it");
    if (rgb < CTM_OPS && is_dot(rgb)) {
        plan(e, CTM_RGB, part, rgb, to_rgb);
        if (to_alpha || rgb == CTM_RGB_DP4)
            plan(e, CTM_ALPHA, part, CTM_ALPHA_DP, to_alpha);
        return check_args(e, part, &ctm_rgb_ops[rgb]);
    }
    if (rgb == CTM_OPS && is_scalar(alpha)) {
        plan(e, CTM_ALPHA, part, alpha, to_alpha);
        if (to_rgb)
            plan(e, CTM_RGB, part, CTM_RGB_SOP, true);
        e->unit[CTM_RGB].args = 0;
        return check_args(e, part, &ctm_alpha_ops[alpha]);
    }
    if ((to_rgb && rgb == CTM_OPS) || (to_alpha && alpha == CTM_OPS))
        return ctm_wrong(e->p, part->at, part->length, "%s has no %.*s: write the operations apart, RGB | alpha",
                         to_rgb && rgb == CTM_OPS ? "RGB" : "alpha", (int)part->length, part->name);
    if (to_rgb)
        plan(e, CTM_RGB, part, rgb, true);
    if (to_alpha)
        plan(e, CTM_ALPHA, part, alpha, true);
    return check_args(e, part, to_rgb ? &ctm_rgb_ops[rgb] : &ctm_alpha_ops[alpha]);
}

static bool plan_apart(struct encoder *e, const struct ctm_part *part, unsigned unit)
{
    static const char *const names[] = {"RGB", "alpha"};
    if (part->channels & ~ctm_units[unit].channels)
        return ctm_wrong(e->p, part->at, part->length, "the operation %s '|' writes %s alone",
                         unit == CTM_RGB ? "before" : "after", unit == CTM_RGB ? "r, g, b" : "a");
    if (part->shape == CTM_SHAPE_EMPTY)
        return true;
    unsigned op = op_of(part, unit);
    if (op == CTM_OPS)
        return ctm_wrong(e->p, part->at, part->length, "%s has no %.*s", names[unit], (int)part->length, part->name);
    plan(e, unit, part, op, true);
    return check_args(e, part, &ctm_units[unit].ops[op]);
}

/* ---- swizzles --------------------------------------------------------------------------------------------- */

/* The letters of an operand for a unit; `both`: it is also the other unit's. */
static bool take_letters(struct encoder *e, const struct ctm_operand *o, unsigned unit, bool both, bool dot,
                         uint8_t out[CTM_CHANNELS])
{
    unsigned want = both ? 4 : unit == CTM_RGB ? 3 : 1;
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        out[c] = o->letters == 0 ? (uint8_t)c : o->letter[o->letters == 1 ? 0 : c];
    if (o->letters == 3 && dot && both)
        out[3] = CTM_SWIZ_A;
    else if (o->letters > 1 && o->letters != want)
        return ctm_wrong(e->p, o->at, o->length, "wanted a swizzle of %s here",
                         want == 4   ? "1 or 4 letters, since r, g, b and a are written"
                         : want == 3 ? "1 or 3 letters, since a is not written"
                                     : "1 letter");
    return true;
}

static bool letters_of(struct encoder *e)
{
    const struct unit_plan *rgb = &e->unit[CTM_RGB], *alpha = &e->unit[CTM_ALPHA];
    bool joined = rgb->there && alpha->there && rgb->part == alpha->part;
    for (unsigned u = 0; u < CTM_UNITS; u++) {
        struct unit_plan *plan = &e->unit[u];
        bool both = joined && rgb->args && alpha->args;
        for (unsigned i = 0; i < plan->args; i++)
            if (!take_letters(e, plan->arg[i], u, both, joined && is_dot(rgb->op), plan->letter[i]))
                return false;
    }
    return true;
}

/* Which addresses the letters of a unit ask for. */
static uint8_t need_of(const struct unit_plan *plan, unsigned unit, unsigned arg)
{
    uint8_t need = 0;
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (ctm_units[unit].channels >> c & 1 && plan->letter[arg][c] <= CTM_SWIZ_A)
            need |= plan->letter[arg][c] == CTM_SWIZ_A ? NEED_ALPHA : NEED_RGB;
    return need;
}

/* ---- slots ------------------------------------------------------------------------------------------------ */

static bool pin(struct encoder *e, const struct ctm_operand *o, unsigned slot, uint8_t need)
{
    for (unsigned u = 0; u < CTM_UNITS; u++) {
        if (!(need >> u & 1))
            continue;
        if (e->used[u][slot] && e->address[u][slot] != o->address[slot])
            return ctm_wrong(e->p, o->at, o->length, "presubtract reads src0 and src1, where other sources lie");
        e->used[u][slot] = true;
        e->address[u][slot] = o->address[slot];
    }
    return true;
}

static bool take_srcp(struct encoder *e, const struct ctm_operand *o, uint8_t need)
{
    for (unsigned u = 0; u < CTM_UNITS; u++) {
        if (!(need >> u & 1))
            continue;
        if (e->has_srcp[u] && e->srcp[u] != o->srcp)
            return ctm_wrong(e->p, o->at, o->length, "a unit has one presubtract");
        e->has_srcp[u] = true;
        e->srcp[u] = o->srcp;
    }
    bool two = o->srcp == CTM_SRCP_SUB || o->srcp == CTM_SRCP_ADD;
    return pin(e, o, 0, need) && (!two || pin(e, o, 1, need));
}

static bool ask(struct encoder *e, const struct ctm_operand *o, unsigned arg, uint8_t units, uint8_t need)
{
    unsigned select = o->kind == CTM_OPERAND_SRCP ? CTM_SEL_SRCP : o->slot;
    for (unsigned u = 0; u < CTM_UNITS; u++)
        if (units >> u & 1)
            ctm_set(e->inst, ctm_units[u].sel[arg], select);
    if (o->kind == CTM_OPERAND_SRCP)
        return take_srcp(e, o, need);
    if (o->kind == CTM_OPERAND_SOURCE && need)
        e->request[e->requests++] = (struct request){o, need, units, (uint8_t)arg};
    return true;
}

/* Operands that both units have are asked for once. */
static bool ask_all(struct encoder *e)
{
    const struct unit_plan *rgb = &e->unit[CTM_RGB], *alpha = &e->unit[CTM_ALPHA];
    bool joined = rgb->part == alpha->part;
    for (unsigned i = 0; i < CTM_ARGS && joined; i++) {
        uint8_t units = (uint8_t)((i < rgb->args ? 1 : 0) | (i < alpha->args ? 2 : 0));
        uint8_t need =
            (uint8_t)((units & 1 ? need_of(rgb, CTM_RGB, i) : 0) | (units & 2 ? need_of(alpha, CTM_ALPHA, i) : 0));
        if (units && !ask(e, units & 1 ? rgb->arg[i] : alpha->arg[i], i, units, need))
            return false;
    }
    for (unsigned u = 0; u < CTM_UNITS && !joined; u++)
        for (unsigned i = 0; i < e->unit[u].args; i++)
            if (!ask(e, e->unit[u].arg[i], i, (uint8_t)(1u << u), need_of(&e->unit[u], u, i)))
                return false;
    return true;
}

/* How well a slot suits: how many of the addresses that are needed it has already; -1: it has others. */
static int suits(const struct encoder *e, const struct request *r, unsigned slot)
{
    int quality = 0;
    for (unsigned u = 0; u < CTM_UNITS; u++) {
        if (!(r->need >> u & 1) || !e->used[u][slot])
            continue;
        if (e->address[u][slot] != r->operand->address[0])
            return -1;
        quality++;
    }
    return quality;
}

/* Sources in their order, each in the slot that suits best, the first of these (so does Mesa); another one where that
 * leaves no room for the rest. */
static bool place(struct encoder *e, unsigned number)
{
    if (number == e->requests)
        return true;
    const struct request *r = &e->request[number];
    for (int quality = CTM_UNITS; quality >= 0; quality--)
        for (unsigned slot = 0; slot < CTM_SLOTS_OF_UNIT; slot++) {
            if (suits(e, r, slot) != quality)
                continue;
            const struct encoder before = *e;
            for (unsigned u = 0; u < CTM_UNITS; u++) {
                if (r->need >> u & 1) {
                    e->used[u][slot] = true;
                    e->address[u][slot] = r->operand->address[0];
                }
                if (r->units >> u & 1)
                    ctm_set(e->inst, ctm_units[u].sel[r->arg], slot);
            }
            if (place(e, number + 1))
                return true;
            *e = before;
        }
    return false;
}

static bool find_slots(struct encoder *e, const struct ctm_sources *sources)
{
    for (unsigned u = 0; u < CTM_UNITS; u++)
        for (unsigned s = 0; s < CTM_SLOTS_OF_UNIT; s++) {
            e->address[u][s] = sources->given ? sources->address[u][s] : CTM_ADDRESS_UNUSED;
            e->used[u][s] = sources->given;
        }
    if (!ask_all(e))
        return false;
    if (!place(e, 0)) {
        const struct ctm_operand *o = e->request[e->requests - 1].operand;
        if (sources->given)
            return ctm_wrong(e->p, o->at, o->length, "a source is not in src(...)");
        return ctm_wrong(e->p, o->at, o->length,
                         "no room for a source: each unit reads three registers, constants or numbers at most");
    }
    for (unsigned u = 0; u < CTM_UNITS; u++) {
        for (unsigned s = 0; s < CTM_SLOTS_OF_UNIT; s++)
            ctm_set_address(e->inst, u, s, e->address[u][s]);
        ctm_set(e->inst, ctm_units[u].srcp, e->srcp[u]);
    }
    return true;
}

/* ---- fields ----------------------------------------------------------------------------------------------- */

static void put_operands(struct encoder *e, unsigned unit)
{
    const struct ctm_unit *fields = &ctm_units[unit];
    const struct unit_plan *plan = &e->unit[unit];
    for (unsigned i = 0; i < plan->args; i++) {
        for (unsigned c = 0; c < CTM_CHANNELS; c++)
            if (fields->channels >> c & 1)
                ctm_set(e->inst, fields->swizzle[i][c], plan->letter[i][c]);
        ctm_set(e->inst, fields->mod[i], plan->arg[i]->mod);
    }
}

/* A move that is not scaled or clamped keeps all bits. */
static unsigned omod_of(const struct ctm_part *part)
{
    return part->has_omod                                  ? part->omod
           : part->shape == CTM_SHAPE_MOVE && !part->clamp ? CTM_OMOD_DISABLED
                                                           : CTM_OMOD_U1;
}

static void put_results(struct encoder *e, unsigned unit, const struct ctm_part *part)
{
    const struct ctm_unit *fields = &ctm_units[unit];
    unsigned shift = unit == CTM_RGB ? 0 : 3;
    ctm_set(e->inst, fields->wmask, (unsigned)(part->wmask & fields->channels) >> shift);
    ctm_set(e->inst, fields->omask, (unsigned)(part->omask & fields->channels) >> shift);
    ctm_set(e->inst, fields->addrd, part->addrd & 127u);
    ctm_set(e->inst, fields->addrd_rel, (unsigned)part->addrd >> 7);
    ctm_set(e->inst, fields->target, part->target);
    ctm_set(e->inst, fields->omod, omod_of(part));
    ctm_set(e->inst, fields->clamp, part->clamp);
}

/* What a word has once. */
static bool put_shared(struct encoder *e, const struct ctm_part *parts, unsigned count)
{
    unsigned predicates = 0, results = 0;
    for (unsigned i = 0; i < count; i++) {
        predicates |= parts[i].omask && !parts[i].output;
        results += parts[i].alu;
        if (parts[i].output || parts[i].cond)
            ctm_set(e->inst, CTM_TYPE, CTM_TYPE_OUTPUT);
        if (parts[i].cond)
            ctm_set(e->inst, CTM_W_OMASK, 1);
        if (parts[i].alu) {
            ctm_set(e->inst, CTM_ALU_WMASK, 1);
            ctm_set(e->inst, CTM_ALU_RESULT_SEL, parts[i].alu_alpha || (count == 2 && i == CTM_ALPHA));
            ctm_set(e->inst, CTM_ALU_RESULT_OP, parts[i].alu_op);
        }
    }
    if (results > 1)
        return ctm_wrong(e->p, parts[1].at, parts[1].length, "the ALU result is written twice in one instruction");
    if (predicates && ctm_get(e->inst, CTM_TYPE) == CTM_TYPE_OUTPUT)
        return ctm_wrong(e->p, parts[0].at, parts[0].length, "an instruction writes outputs or predicates, not both");
    return true;
}

bool ctm_encode(struct ctm_parser *p, const struct ctm_part *parts, unsigned count, const struct ctm_sources *sources,
                struct ctm_inst *inst)
{
    struct encoder e = {.p = p, .inst = inst};
    bool ok = count == 1 ? plan_joined(&e, &parts[0])
                         : plan_apart(&e, &parts[CTM_RGB], CTM_RGB) && plan_apart(&e, &parts[CTM_ALPHA], CTM_ALPHA);
    if (!ok || !put_shared(&e, parts, count) || !letters_of(&e) || !find_slots(&e, sources))
        return false;
    for (unsigned u = 0; u < CTM_UNITS; u++) {
        const struct unit_plan *plan = &e.unit[u];
        if (!plan->there)
            continue;
        ctm_set(inst, ctm_units[u].op, plan->op);
        put_operands(&e, u);
        if (plan->keeps)
            put_results(&e, u, plan->part);
    }
    return true;
}

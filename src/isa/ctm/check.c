/* Rules of single instructions. Sources of the rules: docs/ctm.md, "Checks". */
#include "isa/ctm/check_inner.h"

#include "isa/ctm/explain.h"

#include <stdio.h>
#include <string.h>

/* ---- reports ---------------------------------------------------------------------------------------------- */

static void report(struct check *c, enum atoll_severity severity, uint32_t at, const char *code, const char *format,
                   va_list args)
{
    char message[500], where[40] = "";
    uint32_t pos = 0, length = 0;
    vsnprintf(message, sizeof message, format, args);
    if (at != CHECK_PROGRAM) {
        snprintf(where, sizeof where, "instruction %u: ", at);
        pos = c->pos[at];
        const char *source = c->diag->source, *end = NULL;
        if (source && pos < c->diag->size)
            end = memchr(source + pos, '\n', c->diag->size - pos);
        length = end ? (uint32_t)(end - (source + pos)) : 0;
    }
    diag_report(c->diag, severity, code, pos, length, "%s%s", where, message);
}

void rule_broken(struct check *c, uint32_t at, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(c, ATOLL_ERROR, at, code, format, args);
    va_end(args);
}

void rule_error(struct check *c, uint32_t at, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(c, c->verdict == CTM_VERDICT_RUN ? ATOLL_WARNING : ATOLL_ERROR, at, code, format, args);
    va_end(args);
}

void rule_warn(struct check *c, uint32_t at, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (c->verdict != CTM_VERDICT_RUN)
        report(c, c->verdict == CTM_VERDICT_STRICT ? ATOLL_ERROR : ATOLL_WARNING, at, code, format, args);
    va_end(args);
}

/* Where the lines of instructions begin; they ascend, but for texts that an include or a macro might one day shuffle.
 */
static void places_find(struct check *c)
{
    const struct ctm_program *p = c->program;
    uint32_t line = 1, pos = 0;
    for (uint32_t i = 0; i < p->ninsts && p->lines && c->diag->source; i++) {
        if (p->lines[i] < line)
            line = 1, pos = 0;
        while (line < p->lines[i]) {
            const char *from = c->diag->source + pos, *newline = memchr(from, '\n', c->diag->size - pos);
            if (!newline)
                break;
            pos += (uint32_t)(newline - from) + 1;
            line++;
        }
        c->pos[i] = pos;
        while (c->pos[i] < c->diag->size && (c->diag->source[c->pos[i]] == ' ' || c->diag->source[c->pos[i]] == '\t'))
            c->pos[i]++;
    }
}

/* ---- units ------------------------------------------------------------------------------------------------ */

static bool takes_exact(unsigned unit, uint32_t op)
{
    return unit == CTM_RGB ? op == CTM_RGB_MIN || op == CTM_RGB_MAX || op == CTM_RGB_CND || op == CTM_RGB_CMP
                           : op == CTM_ALPHA_MIN || op == CTM_ALPHA_MAX || op == CTM_ALPHA_CND || op == CTM_ALPHA_CMP;
}

static bool is_transcendental(uint32_t alpha_op)
{
    return alpha_op >= CTM_ALPHA_EX2 && alpha_op <= CTM_ALPHA_COS;
}

static const char *const unit_names[CTM_UNITS] = {"RGB", "alpha"};

/* guide p.33: without the output modifier nothing is clamped, and only some operations do without. */
static void modifier_check(struct check *c, uint32_t at, unsigned unit)
{
    const struct ctm_inst *inst = &c->program->insts[at];
    const struct ctm_unit *u = &ctm_units[unit];
    uint32_t op = ctm_get(inst, u->op);
    if (ctm_get(inst, u->omod) != CTM_OMOD_DISABLED || !c->effects[at].kept[unit])
        return;
    if (!takes_exact(unit, op))
        rule_error(c, at, "omod-disabled", "OMOD_DISABLED with %s of %s; wanted MIN, MAX, CND or CMP", u->ops[op].name,
                   unit_names[unit]);
    if (ctm_get(inst, u->clamp))
        rule_error(c, at, "omod-clamp", "OMOD_DISABLED with a clamp of %s: one excludes the other", unit_names[unit]);
}

/* guide p.32: what copies the other unit's result wants one there. */
static void pair_check(struct check *c, uint32_t at)
{
    const struct ctm_inst *inst = &c->program->insts[at];
    const struct ctm_effects *e = &c->effects[at];
    uint32_t rgb = ctm_get(inst, CTM_RGB_OP), alpha = ctm_get(inst, CTM_ALPHA_OP);
    if (e->kept[CTM_ALPHA] && alpha == CTM_ALPHA_DP && !ctm_is_dot(rgb))
        rule_error(c, at, "dp-alone", "DP of alpha with %s of RGB; wanted DP3, DP4 or D2A", ctm_rgb_ops[rgb].name);
    if (e->kept[CTM_RGB] && rgb == CTM_RGB_SOP && !is_transcendental(alpha))
        rule_error(c, at, "sop-alone", "SOP of RGB with %s of alpha; wanted EX2, LN2, RCP, RSQ, SIN or COS",
                   ctm_alpha_ops[alpha].name);
}

static void unit_check(struct check *c, uint32_t at, unsigned unit)
{
    const struct ctm_inst *inst = &c->program->insts[at];
    const struct ctm_unit *u = &ctm_units[unit];
    uint32_t op = ctm_get(inst, u->op);
    if (!u->ops[op].guide)
        rule_error(c, at, "reserved-opcode", "operation %u of %s is reserved", op, unit_names[unit]);
    modifier_check(c, at, unit);
}

static void sources_check(struct check *c, uint32_t at)
{
    const struct ctm_effects *e = &c->effects[at];
    if (e->unused_swizzle)
        rule_warn(c, at, "unused-swizzle", "swizzle 7 in a channel that is kept: it has no meaning");
    for (unsigned i = 0; i < CTM_READS; i++)
        if (e->reads[i].channels && e->reads[i].place == CTM_PLACE_INLINE && e->reads[i].relative)
            rule_error(c, at, "relative-inline", "aL is added to an inline constant: that is undefined");
}

/* guide p.35: an uncached output has all channels, or none. */
static void output_check(struct check *c, uint32_t at)
{
    const struct ctm_inst *inst = &c->program->insts[at];
    uint32_t mask = ctm_get(inst, CTM_RGB_OMASK) | ctm_get(inst, CTM_ALPHA_OMASK) << 3;
    if (ctm_uncached(c->program) && mask != 0 && mask != 15)
        rule_error(c, at, "uncached-mask", "an uncached OUTPUT of %u channels; wanted all four or none",
                   (unsigned)__builtin_popcount(mask));
    if (ctm_get(inst, CTM_ALU_WMASK))
        rule_warn(c, at, "alu-result-output", "an OUTPUT writes the ALU result, which drivers of the device refuse");
}

/* ---- all types -------------------------------------------------------------------------------------------- */

static void unassigned(struct check *c, uint32_t at, enum ctm_field field, uint32_t first)
{
    uint32_t value = ctm_get(&c->program->insts[at], field);
    if (value >= first)
        rule_error(c, at, "unassigned-value", "%s is %u, which means nothing", ctm_fields[field].name, value);
}

static void fc_check(struct check *c, uint32_t at)
{
    const struct ctm_inst *inst = &c->program->insts[at];
    unassigned(c, at, CTM_A_OP, 3);
    unassigned(c, at, CTM_B_OP0, 3);
    unassigned(c, at, CTM_B_OP1, 3);
    if (ctm_get(inst, CTM_RGB_PRED_SEL) == CTM_PRED_RGBA)
        (ctm_asks_predicate(inst) ? rule_error : rule_warn)(
            c, at, "fc-predicate", "flow control by a predicate a channel; wanted one for the instruction");
}

static void reserved_check(struct check *c, uint32_t at)
{
    const struct ctm_inst *inst = &c->program->insts[at];
    enum ctm_type type = (enum ctm_type)ctm_get(inst, CTM_TYPE);
    for (unsigned i = 0; i < CTM_WORDS; i++) {
        uint32_t bits = inst->word[i] & ctm_reserved_bits(type, i);
        if (bits)
            rule_warn(c, at, "reserved-bits", "reserved bits 0x%x of W%u are set", bits, i);
    }
}

static void inst_check(struct check *c, uint32_t at)
{
    uint32_t type = ctm_get(&c->program->insts[at], CTM_TYPE);
    unassigned(c, at, CTM_RGB_PRED_SEL, 6);
    if (type == CTM_TYPE_FC)
        fc_check(c, at);
    else
        unassigned(c, at, CTM_ALPHA_PRED_SEL, 6);
    if (type == CTM_TYPE_ALU || type == CTM_TYPE_OUTPUT) {
        unit_check(c, at, CTM_RGB);
        unit_check(c, at, CTM_ALPHA);
        pair_check(c, at);
        sources_check(c, at);
    }
    if (type == CTM_TYPE_OUTPUT)
        output_check(c, at);
    reserved_check(c, at);
}

/* guide p.27: the last instruction that is executed is an OUTPUT. */
static void last_check(struct check *c)
{
    const struct ctm_program *p = c->program;
    uint32_t end = ctm_end(p), start = ctm_start(p);
    if (start >= p->ninsts || end >= p->ninsts) {
        rule_broken(c, CHECK_PROGRAM, "code-range", "the program goes from instruction %u to %u, and has %u", start,
                    end, p->ninsts);
        return;
    }
    for (uint32_t i = 0; i < p->ninsts; i++) {
        const struct ctm_inst *inst = &p->insts[i];
        bool output = ctm_get(inst, CTM_TYPE) == CTM_TYPE_OUTPUT;
        if (i == end && !output)
            rule_error(c, i, "last-not-output", "the last instruction is no OUTPUT");
        else if (i == end && !ctm_get(inst, CTM_TEX_SEM_WAIT))
            rule_warn(c, i, "last-without-wait", "the last instruction should have TEX_SEM_WAIT");
        else if (i != end && !output && ctm_get(inst, CTM_LAST))
            rule_error(c, i, "last-not-output", "LAST in an instruction that is no OUTPUT");
    }
}

bool ctm_check(const struct ctm_program *program, enum ctm_verdict verdict, struct diag *diag)
{
    struct check c = {.program = program, .diag = diag, .verdict = verdict};
    c.effects = arena_array(&c.arena, program->ninsts + 1, sizeof *c.effects);
    c.pos = arena_array(&c.arena, program->ninsts + 1, sizeof *c.pos);
    bool ok = c.effects && c.pos;
    if (ok) {
        places_find(&c);
        for (uint32_t i = 0; i < program->ninsts; i++) {
            ctm_effects(&program->insts[i], &c.effects[i]);
            inst_check(&c, i);
        }
        last_check(&c);
        ctm_check_notes(&c);
    }
    ok = ok && ctm_check_depth(&c) && ctm_check_semaphore(&c);
    arena_free(&c.arena);
    return ok;
}

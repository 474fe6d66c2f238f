/* CTM programs to lane programs: the walk over the instructions, and where what they name lives. */
#include "isa/ctm/lower.h"

#include "isa/ctm/effects.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    TO_END = UINT32_MAX,  /* target of a branch to the epilogue, whose block is not known yet */
    TEMP_BYTES = 4 * 128, /* a temporary in the space regfile: four channels of 32 lanes */
    PRED_FIRST = CTM_PRED_RRRR
};

/* ---- emitting ------------------------------------------------------------------------------------------------- */

static bool same(struct lane_operand a, struct lane_operand b)
{
    return a.kind == b.kind && a.index == b.index;
}

static struct lane_inst *stop(struct ctm_lower *l, enum lane_op op, const char *format, va_list args)
{
    char message[300];
    vsnprintf(message, sizeof message, format, args);
    uint32_t string = lane_string(l->b, message);
    struct lane_inst *inst = lane_emit(l->b, op, LANE_VOID, 0, NULL, 0, NULL);
    inst->aux = string;
    return inst;
}

void ctm_stop(struct ctm_lower *l, const char *format, ...)
{
    va_list args;
    struct lane_operand running = ctm_running(l);
    va_start(args, format);
    stop(l, LANE_OP_unsupported, format, args)->guard = running;
    va_end(args);
}

void ctm_fault(struct ctm_lower *l, struct lane_operand guard, enum lane_fault cause, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct lane_inst *inst = stop(l, LANE_OP_fault, format, args);
    va_end(args);
    inst->mode = (uint8_t)cause;
    inst->guard = guard;
}

void ctm_finish(struct ctm_lower *l)
{
    lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL)->aux = TO_END;
}

static struct lane_operand pure(struct ctm_lower *l, enum lane_op op, enum lane_type type, unsigned nsrc,
                                const struct lane_operand *src)
{
    struct lane_operand d = lane_reg(l->b, lane_type_bits(type), NULL);
    lane_emit(l->b, op, type, 1, &d, nsrc, src);
    return d;
}

struct lane_operand ctm_one(struct ctm_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a)
{
    return pure(l, op, type, 1, &a);
}

struct lane_operand ctm_two(struct ctm_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                            struct lane_operand b)
{
    return pure(l, op, type, 2, (struct lane_operand[]){a, b});
}

struct lane_operand ctm_sreg(struct ctm_lower *l, enum lane_sreg which)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL);
    lane_emit(l->b, LANE_OP_sreg, LANE_B32, 1, &d, 0, NULL)->mode = (uint8_t)which;
    return d;
}

struct lane_operand ctm_compare(struct ctm_lower *l, enum lane_cmp cmp, enum lane_type type, struct lane_operand a,
                                struct lane_operand b)
{
    struct lane_operand d = lane_reg(l->b, 1, NULL);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_setp, type, 1, &d, 2, (struct lane_operand[]){a, b});
    inst->cmp = (uint8_t)cmp;
    if (type == LANE_F32)
        inst->flags |= LANE_FTZ;
    return d;
}

struct lane_operand ctm_u32(struct ctm_lower *l, uint32_t value)
{
    return lane_imm(l->b, 32, value);
}

struct lane_operand ctm_float(struct ctm_lower *l, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return ctm_u32(l, bits);
}

static unsigned width_of(const struct ctm_lower *l, struct lane_operand op)
{
    const struct lane_func *f = l->b->func;
    if (l->b->failed)
        return 32;
    return op.kind == LANE_REG ? f->widths[op.index] : f->consts[op.index].width;
}

void ctm_move(struct ctm_lower *l, struct lane_operand guard, struct lane_operand dst, struct lane_operand src)
{
    if (same(dst, src))
        return;
    enum lane_type type = width_of(l, dst) == 1 ? LANE_PRED : LANE_B32;
    lane_emit(l->b, LANE_OP_mov, type, 1, &dst, 1, &src)->guard = guard;
}

static bool touches(const struct lane_func *f, const struct lane_inst *inst, struct lane_operand op)
{
    bool found = same(inst->guard, op);
    for (unsigned k = 0; k < (unsigned)inst->ndst + inst->nsrc; k++)
        found |= same(f->operands[inst->first + k], op);
    return found;
}

/* The pure operation of the instruction at hand that made `src`, if it might as well write `dst` where it is: nothing
 * after it has to do with either of them, and the guard is known there. NULL: there is none. */
static struct lane_inst *maker(const struct ctm_lower *l, struct lane_operand guard, struct lane_operand dst,
                               struct lane_operand src)
{
    struct lane_func *f = l->b->func;
    uint32_t block = f->nblocks ? f->blocks[f->nblocks - 1].first : 0, first = l->first > block ? l->first : block;
    if (src.kind != LANE_REG || l->b->failed)
        return NULL;
    for (uint32_t i = f->ninsts; i-- > first;) {
        struct lane_inst *inst = &f->insts[i];
        if (inst->ndst == 1 && same(f->operands[inst->first], src)) {
            bool plain = inst->guard.kind == LANE_NONE && lane_is(inst->op, LANE_PURE) && !same(src, guard);
            return plain ? inst : NULL;
        }
        bool guards = guard.kind != LANE_NONE && inst->ndst && same(f->operands[inst->first], guard);
        if (guards || touches(f, inst, src) || touches(f, inst, dst))
            return NULL;
    }
    return NULL;
}

void ctm_give(struct ctm_lower *l, struct lane_operand guard, struct lane_operand dst, struct lane_operand src)
{
    struct lane_inst *inst = maker(l, guard, dst, src);
    if (!inst) {
        ctm_move(l, guard, dst, src);
        return;
    }
    l->b->func->operands[inst->first] = dst;
    inst->guard = guard;
}

/* ---- the parameter space --------------------------------------------------------------------------------------- */

static struct lane_operand load(struct ctm_lower *l, enum lane_space space, enum lane_type type,
                                struct lane_operand address, int64_t offset)
{
    struct lane_operand d = lane_reg(l->b, lane_type_bits(type), NULL);
    struct lane_access access = {.space = (uint8_t)space, .type = (uint8_t)type, .vec = 1, .offset = offset};
    uint32_t aux = lane_access(l->b, &access);
    lane_emit(l->b, LANE_OP_ld, LANE_VOID, 1, &d, 1, &address)->aux = aux;
    return d;
}

struct lane_operand ctm_param(struct ctm_lower *l, uint32_t offset)
{
    return load(l, LANE_PARAM, LANE_B32, ctm_u32(l, offset), 0);
}

struct lane_operand ctm_param64(struct ctm_lower *l, uint32_t offset)
{
    return load(l, LANE_PARAM, LANE_B64, ctm_u32(l, offset), 0);
}

/* number + aL, below `count` (a power of two), in units of `bytes`. */
static struct lane_operand indexed(struct ctm_lower *l, unsigned number, unsigned count, unsigned bytes)
{
    struct lane_operand at = ctm_two(l, LANE_OP_add, LANE_S32, l->al, ctm_u32(l, number));
    at = ctm_two(l, LANE_OP_and, LANE_B32, at, ctm_u32(l, count - 1));
    return ctm_two(l, LANE_OP_mul, LANE_U32, at, ctm_u32(l, bytes));
}

/* A constant at a number is loaded once; where control can go round its first use, before anything else
 * (prologue_end). */
struct lane_operand ctm_read_const(struct ctm_lower *l, unsigned number, bool relative, unsigned channel)
{
    uint32_t offset = CTM_PARAM_FLOATS + 4 * channel;
    struct lane_operand *kept = &l->constant[number % CTM_FLOATS][channel];
    if (relative)
        return load(l, LANE_PARAM, LANE_B32, indexed(l, number, CTM_FLOATS, 16), offset);
    if (kept->kind == LANE_NONE)
        *kept = l->flows ? lane_reg(l->b, 32, NULL) : ctm_param(l, offset + 16 * number);
    return *kept;
}

/* ---- registers --------------------------------------------------------------------------------------------------
 * All start as 0 (docs/ctm.md, "Choices"). A register that is read before it was written is 0 in the lane program only
 * where it has more than one definition; so what a straight program has not written yet is the constant, and one with
 * flow control clears its registers at the start (prologue_end). In a straight program a temporary is a name: of the
 * value that it got last, whose register nobody writes again. So ctm_tidy can tell what is computed twice. */

static struct lane_operand *made(struct ctm_lower *l, struct lane_operand *reg, unsigned width)
{
    if (reg->kind == LANE_NONE)
        *reg = lane_reg(l->b, width, NULL);
    return reg;
}

/* One that some lanes write first: others have what it starts with. */
static struct lane_operand begun(struct ctm_lower *l, struct lane_operand *reg, unsigned width,
                                 struct lane_operand guard)
{
    bool first = reg->kind == LANE_NONE && !l->flows && guard.kind != LANE_NONE;
    made(l, reg, width);
    if (first)
        ctm_move(l, none, *reg, lane_imm(l->b, width, 0));
    return *reg;
}

static struct lane_operand reg_read(struct ctm_lower *l, struct lane_operand *reg, bool written)
{
    return written || l->flows ? *made(l, reg, 32) : ctm_u32(l, 0);
}

static struct lane_operand temp_address(struct ctm_lower *l, unsigned number, bool relative, unsigned channel)
{
    struct lane_operand lane = ctm_two(l, LANE_OP_shl, LANE_B32, ctm_sreg(l, LANE_SREG_LANEID), ctm_u32(l, 2));
    uint32_t at = 128 * channel;
    if (!relative)
        return ctm_two(l, LANE_OP_add, LANE_U32, lane, ctm_u32(l, at + TEMP_BYTES * number));
    lane = ctm_two(l, LANE_OP_add, LANE_U32, lane, ctm_u32(l, at));
    return ctm_two(l, LANE_OP_add, LANE_U32, lane, indexed(l, number, CTM_TEMPS, TEMP_BYTES));
}

struct lane_operand ctm_read_temp(struct ctm_lower *l, unsigned number, bool relative, unsigned channel)
{
    assert(number < CTM_TEMPS && channel < CTM_CHANNELS && (!relative || l->temps_indexed));
    if (l->temps_indexed)
        return load(l, LANE_REGFILE, LANE_B32, temp_address(l, number, relative, channel), 0);
    return reg_read(l, &l->temp[number][channel], l->temp_written[number] >> channel & 1);
}

static struct lane_operand choose(struct ctm_lower *l, struct lane_operand p, struct lane_operand a,
                                  struct lane_operand b)
{
    struct lane_operand d = lane_reg(l->b, 32, NULL), src[] = {a, b, p};
    lane_emit(l->b, LANE_OP_selp, LANE_B32, 1, &d, 3, src);
    return d;
}

void ctm_write_temp(struct ctm_lower *l, unsigned number, bool relative, unsigned channel, struct lane_operand guard,
                    struct lane_operand value)
{
    assert(number < CTM_TEMPS && channel < CTM_CHANNELS && (!relative || l->temps_indexed));
    if (l->temps_indexed) {
        struct lane_access access = {.space = LANE_REGFILE, .type = LANE_B32, .vec = 1};
        uint32_t aux = lane_access(l->b, &access);
        struct lane_operand src[] = {temp_address(l, number, relative, channel), value};
        struct lane_inst *inst = lane_emit(l->b, LANE_OP_st, LANE_VOID, 0, NULL, 2, src);
        inst->guard = guard;
        inst->aux = aux;
        return;
    }
    struct lane_operand *temp = &l->temp[number][channel];
    bool written = l->temp_written[number] >> channel & 1;
    l->temp_written[number] |= (uint8_t)(1u << channel);
    if (l->flows)
        ctm_give(l, guard, *made(l, temp, 32), value);
    else if (guard.kind == LANE_NONE)
        *temp = value;
    else
        *temp = choose(l, guard, value, written ? *temp : ctm_u32(l, 0));
}

struct lane_operand ctm_define_temp(struct ctm_lower *l, unsigned number, unsigned channel)
{
    assert(number < CTM_TEMPS && channel < CTM_CHANNELS && !l->temps_indexed);
    l->temp_written[number] |= (uint8_t)(1u << channel);
    if (!l->flows)
        l->temp[number][channel] = lane_reg(l->b, 32, NULL);
    return *made(l, &l->temp[number][channel], 32);
}

void ctm_write_output(struct ctm_lower *l, unsigned output, unsigned channel, struct lane_operand guard,
                      struct lane_operand value)
{
    l->output_written[output] |= (uint8_t)(1u << channel);
    ctm_give(l, guard, begun(l, &l->output[output][channel], 32, guard), value);
}

struct lane_operand ctm_read_output(struct ctm_lower *l, unsigned output, unsigned channel)
{
    bool written = l->output_written[output] >> channel & 1;
    return written ? l->output[output][channel] : ctm_u32(l, 0);
}

void ctm_write_cond(struct ctm_lower *l, struct lane_operand guard, struct lane_operand value)
{
    l->cond_written = true;
    ctm_give(l, guard, begun(l, &l->cond_out, 32, guard), value);
}

struct lane_operand ctm_read_cond(struct ctm_lower *l)
{
    return l->cond_written ? l->cond_out : ctm_u32(l, 0);
}

void ctm_write_pred(struct ctm_lower *l, unsigned channel, struct lane_operand guard, struct lane_operand value)
{
    l->pred_written |= (uint8_t)(1u << channel);
    ctm_give(l, guard, begun(l, &l->pred[channel], 1, guard), value);
}

struct lane_operand ctm_read_pred(struct ctm_lower *l, unsigned channel)
{
    if (l->pred_written >> channel & 1 || l->flows)
        return *made(l, &l->pred[channel], 1);
    struct lane_operand no = lane_reg(l->b, 1, NULL);
    ctm_move(l, none, no, lane_imm(l->b, 1, 0));
    return no;
}

/* ---- who writes -------------------------------------------------------------------------------------------------
 */

struct lane_operand ctm_both(struct ctm_lower *l, struct lane_operand p, struct lane_operand q)
{
    if (p.kind == LANE_NONE || q.kind == LANE_NONE)
        return p.kind == LANE_NONE ? q : p;
    return ctm_two(l, LANE_OP_and, LANE_PRED, p, q);
}

struct lane_operand ctm_running(struct ctm_lower *l)
{
    return ctm_in(l, CTM_WRITE_INACTIVE) ? none : ctm_flow_active(l);
}

/* The predicate of a channel as it is before the instruction at hand, which may write it. */
static struct lane_operand predicate(struct ctm_lower *l, unsigned channel)
{
    bool alpha = channel == 3;
    unsigned sel = ctm_in(l, alpha ? CTM_ALPHA_PRED_SEL : CTM_RGB_PRED_SEL);
    bool inverted = ctm_in(l, alpha ? CTM_ALPHA_PRED_INV : CTM_RGB_PRED_INV);
    if (sel == CTM_PRED_NONE)
        return none;
    if (sel > CTM_PRED_AAAA) {
        ctm_stop(l, "not supported: %s_PRED_SEL %u has no meaning", alpha ? "ALPHA" : "RGB", sel);
        return none;
    }
    struct lane_operand p = ctm_read_pred(l, sel == CTM_PRED_RGBA ? channel : sel - PRED_FIRST);
    bool writes = ctm_in(l, CTM_TYPE) == CTM_TYPE_ALU && (ctm_in(l, CTM_RGB_OMASK) || ctm_in(l, CTM_ALPHA_OMASK));
    if (inverted)
        return ctm_one(l, LANE_OP_not, LANE_PRED, p);
    return writes ? ctm_one(l, LANE_OP_mov, LANE_PRED, p) : p;
}

struct lane_operand ctm_writes(struct ctm_lower *l, unsigned channel)
{
    if (!(l->writes_made >> channel & 1)) {
        l->writes_made |= (uint8_t)(1u << channel);
        l->writes[channel] = ctm_both(l, ctm_running(l), predicate(l, channel));
    }
    return l->writes[channel];
}

/* ---- one instruction --------------------------------------------------------------------------------------------
 */

/* Traps name the line of the text, or the instruction. */
static void place(struct ctm_lower *l)
{
    static const char *const types[] = {"ALU", "OUTPUT", "FC", "TEX"};
    const struct ctm_program *p = l->program;
    if (p->lines) {
        l->b->line = p->lines[l->pc];
        return;
    }
    char name[120];
    snprintf(name, sizeof name, "%.80s, instruction %u (%s)", p->name, (unsigned)l->pc, types[ctm_in(l, CTM_TYPE)]);
    l->b->line = lane_place(l->b, name, l->pc, 0);
}

static void inst_lower(struct ctm_lower *l)
{
    l->inst = &l->program->insts[l->pc];
    place(l);
    ctm_flow_at(l);
    if (!ctm_flow_reached(l))
        return;
    l->first = l->b->func->ninsts;
    l->writes_made = 0;
    ctm_texture_at(l);
    switch (ctm_in(l, CTM_TYPE)) {
    case CTM_TYPE_FC:
        ctm_flow(l);
        break;
    case CTM_TYPE_TEX:
        ctm_texture(l);
        break;
    default:
        ctm_alu(l);
    }
    if (!l->flows)
        return; /* the end comes next, or the next instruction (insts_lower) */
    if (l->pc == ctm_end(l->program)) {
        ctm_finish(l);
        lane_block(l->b);
    } else if (ctm_in(l, CTM_LAST))
        ctm_flow_last(l);
}

bool ctm_move_up(struct ctm_lower *l, uint32_t from, uint32_t block, uint32_t at)
{
    struct lane_func *f = l->b->func;
    uint32_t n = f->ninsts - from;
    struct lane_inst *moved = arena_array(l->arena, n, sizeof *moved);
    if (l->b->failed || !moved) {
        l->b->failed = true;
        return false;
    }
    memcpy(moved, f->insts + from, n * sizeof *moved);
    memmove(f->insts + at + n, f->insts + at, (from - at) * sizeof *moved);
    memcpy(f->insts + at, moved, n * sizeof *moved);
    f->blocks[block].count += n;
    f->blocks[f->nblocks - 1].count -= n;
    for (uint32_t b = block + 1; b < f->nblocks; b++)
        f->blocks[b].first += n;
    return true;
}

/* ---- a program --------------------------------------------------------------------------------------------------
 */

static void look_through(struct ctm_lower *l)
{
    for (uint32_t i = 0; i < l->program->ninsts; i++) {
        const struct ctm_inst *inst = &l->program->insts[i];
        l->temps_indexed |= ctm_adds_al(inst, true);
        l->flows |= ctm_get(inst, CTM_TYPE) == CTM_TYPE_FC;
    }
}

/* What was named on the way is cleared and loaded, before anything else: `entry` is the branch that comes here. */
static void prologue_end(struct ctm_lower *l, uint32_t entry, uint32_t begin)
{
    struct lane_operand zero = ctm_u32(l, 0), no = lane_imm(l->b, 1, 0);
    struct lane_operand *const sets[] = {&l->temp[0][0], &l->output[0][0], &l->cond_out, &l->pred[0], &l->alu_result};
    static const uint16_t counts[] = {CTM_TEMPS * CTM_CHANNELS, CTM_OUTPUTS * CTM_CHANNELS, 1, CTM_CHANNELS, 1};
    uint32_t block = lane_block(l->b);
    if (!l->b->failed)
        l->b->func->insts[entry].aux = block;
    for (unsigned s = 0; s < sizeof sets / sizeof *sets; s++)
        for (unsigned i = 0; i < counts[s]; i++)
            if (sets[s][i].kind == LANE_REG)
                ctm_move(l, none, sets[s][i], s < 3 ? zero : no);
    for (unsigned i = 0; i < CTM_FLOATS * CTM_CHANNELS; i++) {
        struct lane_operand reg = l->constant[i / CTM_CHANNELS][i % CTM_CHANNELS];
        struct lane_operand address = ctm_u32(l, CTM_PARAM_FLOATS + 4 * i);
        if (reg.kind == LANE_NONE)
            continue;
        uint32_t aux = lane_access(l->b, &(struct lane_access){.space = LANE_PARAM, .type = LANE_B32, .vec = 1});
        lane_emit(l->b, LANE_OP_ld, LANE_VOID, 1, &reg, 1, &address)->aux = aux;
    }
    lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL)->aux = begin;
}

/* Branches to the end of the program, which begins here, learn where that is. */
static void ends_resolve(const struct ctm_lower *l)
{
    uint32_t block = TO_END;
    for (uint32_t i = 0, n = l->b->func->ninsts; i < n && !l->b->failed; i++) {
        if (l->b->func->insts[i].op != LANE_OP_bra || l->b->func->insts[i].aux != TO_END)
            continue;
        if (block == TO_END)
            block = lane_block(l->b);
        l->b->func->insts[i].aux = block;
    }
}

/* An instruction that nobody gets to, behind LAST: its outputs are stored all the same, as what nobody wrote. */
static void inst_pass(struct ctm_lower *l)
{
    const struct ctm_inst *inst = &l->program->insts[l->pc];
    if (ctm_get(inst, CTM_TYPE) != CTM_TYPE_OUTPUT || ctm_uncached(l->program))
        return;
    if (ctm_get(inst, CTM_RGB_OMASK))
        l->output_named[ctm_get(inst, CTM_RGB_TARGET)] = true;
    if (ctm_get(inst, CTM_ALPHA_OMASK))
        l->output_named[ctm_get(inst, CTM_ALPHA_TARGET)] = true;
}

/* From the first instruction to the last that can be reached: those behind the end are, by flow control. */
static void insts_lower(struct ctm_lower *l)
{
    uint32_t begin = l->flows ? 0 : ctm_start(l->program), n = l->program->ninsts;
    uint32_t end = !l->flows && ctm_end(l->program) < n ? ctm_end(l->program) + 1 : n;
    bool over = false;
    for (l->pc = begin; l->pc < end && !l->failed; l->pc++) {
        if (over)
            inst_pass(l);
        else
            inst_lower(l);
        over = over || (!l->flows && ctm_in(l, CTM_LAST));
    }
    if (l->flows || begin >= end)
        ctm_flow_end(l);
}

/* What comes before the program and the program; `begin` starts it. */
static bool program(struct ctm_lower *l, void (*units_begin)(struct ctm_lower *))
{
    units_begin(l);
    if (!ctm_flow_begin(l) || !ctm_texture_begin(l) || !ctm_flow_start(l))
        return false;
    insts_lower(l);
    ends_resolve(l);
    l->first = l->b->func->ninsts;
    l->writes_made = 0;
    ctm_flow_meet(l);
    ctm_texture_end(l);
    return true;
}

/* The program of plain launches, which no others come to. */
static bool plain_body(struct ctm_lower *l)
{
    struct ctm_lower *before = arena_alloc(l->arena, sizeof *before);
    if (!before || !ctm_plain_begin(l))
        return error_memory(l->error);
    *before = *l;
    before->plain = NULL;
    if (!program(l, ctm_units_begin_plain))
        return false;
    ctm_units_end_plain(l);
    before->usual = ctm_plain_end(l);
    before->failed = l->failed;
    memcpy(before->scaled, l->scaled, sizeof l->scaled);
    *l = *before;
    place(l);
    return !l->failed;
}

static bool body(struct ctm_lower *l)
{
    uint32_t entry = 0, begin = lane_block(l->b);
    if (l->flows) {
        entry = l->b->func->ninsts;
        lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
        begin = lane_block(l->b);
    }
    l->inst = &l->program->insts[0];
    place(l);
    l->first = l->b->func->ninsts;
    ctm_units_state(l);
    if ((ctm_plain_can(l) && !plain_body(l)) || !program(l, ctm_units_begin))
        return false;
    ctm_units_end(l);
    if (l->flows)
        prologue_end(l, entry, begin);
    return !l->failed;
}

static void func_begin(struct ctm_lower *l)
{
    struct lane_func *f = l->b->func;
    f->name = l->program->name;
    f->kernel = f->defined = true;
    f->regfile_bytes = l->temps_indexed ? CTM_TEMPS * TEMP_BYTES : 0;
    f->line = l->program->lines ? l->program->lines[0] : 0;
    ctm_launch_parameters(l->program, l->wide, l->b);
    for (unsigned a = 0; a < 2; a++)
        l->block[a] = f->required_block[a];
}

/* Lowers what has been looked through, as a function of its own. */
static bool lower(struct ctm_lower *l, struct lane_module *lanes)
{
    struct lane_builder b;
    uint32_t func = lane_add_func(lanes);
    if (func == UINT32_MAX)
        return error_memory(l->error);
    lane_begin(&b, lanes, func);
    l->b = &b;
    l->al = lane_imm(&b, 32, 0);
    func_begin(l);
    return body(l) && (l->flows ? !ctm_flow_apart(l) || ctm_rotate(l) : ctm_tidy(l)) && lane_end(&b, l->error);
}

/* Whether processors take their own ways is known once the program has been gone through: it is lowered twice then. */
static bool find_wide(struct ctm_lower *l)
{
    struct ctm_lower *once = arena_alloc(l->arena, sizeof *once);
    struct lane_module lanes = {0};
    if (!once)
        return error_memory(l->error);
    *once = *l;
    bool ok = lower(once, &lanes);
    l->wide = ok && ctm_flow_apart(once);
    lane_module_free(&lanes);
    return ok;
}

bool ctm_lower_program(struct arena *arena, const struct ctm_program *program, enum ctm_tex_write tex_write,
                       bool together, struct lane_module *lanes, struct atoll_error *error)
{
    if (!program->ninsts)
        return error_set(error, ATOLL_INPUT, "the program has no instructions");
    if (program->ninsts > CTM_SLOTS)
        return error_set(error, ATOLL_INPUT, "the program has %u instructions: at most %u fit", program->ninsts,
                         (unsigned)CTM_SLOTS);
    if (ctm_start(program) >= program->ninsts || ctm_end(program) >= program->ninsts)
        return error_set(error, ATOLL_INPUT,
                         "the program begins at instruction %u and ends after %u: it has instructions 0 to %u",
                         ctm_start(program), ctm_end(program), program->ninsts - 1);
    struct ctm_lower *l = arena_alloc(arena, sizeof *l);
    if (!l)
        return error_memory(error);
    *l = (struct ctm_lower){
        .arena = arena, .program = program, .tex_write = tex_write, .together = together, .error = error};
    look_through(l);
    l->wide = ctm_plain_wide(l);
    return (!l->flows || find_wide(l)) && lower(l, lanes);
}

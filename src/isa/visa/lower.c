/* vISA kernels to lane programs: the passes over a kernel. */
#include "isa/visa/alu.h"
#include "isa/visa/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PASSES = 64 };

/* ---- what functions of rows ask for --------------------------------------------------------------------------- */

void visa_stop(struct visa_lower *l, const char *format, ...)
{
    char message[300];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct lane_inst *inst = lane_emit(l->b, LANE_OP_unsupported, LANE_VOID, 0, NULL, 0, NULL);
    inst->aux = lane_string(l->b, message);
}

const struct visa_operand *visa_operand_in(const struct visa_lower *l, const char *role)
{
    return visa_operand(l->form, l->inst, role);
}

uint64_t visa_number_in(const struct visa_lower *l, const char *role)
{
    const struct visa_operand *op = visa_operand_in(l, role);
    return op ? op->value : 0;
}

/* ---- one instruction ----------------------------------------------------------------------------------------------
 */

bool visa_sets_modes(const struct visa_lower *l, const struct visa_inst *inst)
{
    const struct visa_operand *ops = inst->ops;
    enum visa_row_id row = visa_row_id(inst->row);
    int32_t at;
    if (inst->nops < 2 || ops[0].class != VISA_GENERAL || visa_home_root(l->object, ops[0].id, &at) != VISA_CR0 ||
        ops[inst->nops - 1].class != VISA_IMMEDIATE || inst->predicate & VISA_PRED_ID)
        return false;
    bool own = inst->nops == 3 && ops[1].class == VISA_GENERAL && visa_home_root(l->object, ops[1].id, &at) == VISA_CR0;
    return row == VISA_ROW_mov || (own && (row == VISA_ROW_or || row == VISA_ROW_and || row == VISA_ROW_xor));
}

/* What %cr0 holds after an instruction that writes it, where that is known. */
static void follow_cr0(struct visa_lower *l, const struct visa_inst *inst)
{
    struct visa_known *known = &l->known[VISA_KNOWN_CR0];
    const struct visa_operand *ops = inst->ops;
    int32_t at;
    if (!inst->nops || ops[0].class != VISA_GENERAL || visa_home_root(l->object, ops[0].id, &at) != VISA_CR0)
        return;
    uint32_t v = (uint32_t)ops[inst->nops - 1].value, old = known->value;
    enum visa_row_id row = visa_row_id(inst->row);
    if (!visa_sets_modes(l, inst))
        *known = (struct visa_known){0};
    else if (row == VISA_ROW_mov)
        *known = (struct visa_known){v, true};
    else
        known->value = row == VISA_ROW_or ? old | v : row == VISA_ROW_and ? old & v : old ^ v;
}

static void inst_begin(struct visa_lower *l, const struct visa_inst *inst, struct visa_fusion fusion)
{
    l->members = fusion.members;
    l->period = fusion.period;
    l->apart = false;
    l->inst = inst;
    l->form = visa_form(l->table, inst->row);
    l->b->line = inst->line;
    if (!inst->line) {
        char place[200];
        uint32_t at = l->object->entry + inst->pos;
        snprintf(place, sizeof place, "%.100s, byte 0x%x: %s", l->object->name, (unsigned)at, inst->row->name);
        l->b->line = lane_place(l->b, place, at, 0);
    }
    l->first = visa_exec_first(inst->exec);
    l->channels = visa_exec_channels(inst->exec);
    visa_lanes_seen(l, l->first + l->channels);
    l->no_mask = inst->exec & VISA_NO_MASK;
    l->scalar = l->channels == 1;
    l->guard = (struct lane_operand){LANE_NONE, 0};
    l->guard_not = false;
    l->loaded = UINT32_MAX;
}

static bool has_floats(const struct visa_lower *l)
{
    bool found = false;
    for (unsigned i = 0; i < l->inst->nops; i++) {
        const struct visa_operand *op = &l->inst->ops[i];
        bool typed = op->class == VISA_GENERAL || op->class == VISA_INDIRECT || op->class == VISA_IMMEDIATE;
        found |= typed && visa_type_float(visa_operand_own_type(l, op));
    }
    return found;
}

void visa_inst_lower(struct visa_lower *l, const struct visa_inst *inst, struct visa_fusion fusion)
{
    const struct visa_does *does = &visa_does[visa_row_id(inst->row)];
    inst_begin(l, inst, fusion);
    if (l->first + l->channels > 32) {
        visa_stop(l, "channels %u to %u: a hardware thread has 32", l->first, l->first + l->channels - 1);
        return;
    }
    if (!does->lower) {
        visa_stop(l, "not supported: %s is not run", inst->row->name[0] ? inst->row->name : "this instruction");
        return;
    }
    if (does->integers && has_floats(l)) {
        visa_stop(l, "not supported: %s of floats", inst->row->name);
        return;
    }
    bool flow = inst->row->is & VISA_IS_FLOW;
    if (!flow && (inst->predicate & VISA_PRED_ID) && does->lower != visa_sel)
        l->guard = visa_predicate(l, inst->predicate, &l->guard_not);
    bool unread = !l->collecting && !l->modes_read && !l->roots[VISA_CR0].addressed && visa_sets_modes(l, inst);
    if (!unread)
        does->lower(l, does);
    follow_cr0(l, inst);
}

/* ---- passes ---------------------------------------------------------------------------------------------------------
 */

static void pass_begin(struct visa_lower *l)
{
    struct lane_func *f = l->b->func;
    f->name = l->object->name;
    f->kernel = f->defined = true;
    memcpy(l->known, l->always, sizeof l->known);
    l->known[VISA_KNOWN_CR0] = (struct visa_known){0, true};
    l->open = true;
    for (uint32_t i = 1; i <= l->object->nvars[VISA_P]; i++)
        l->preds[i] = lane_reg(l->b, 1, NULL);
    l->preds[0] = lane_imm(l->b, 1, 1);
    for (unsigned s = 0; s < VISA_KNOWNS; s++)
        l->state[s] = (struct lane_operand){LANE_NONE, 0};
    for (unsigned s = VISA_KNOWN_T; s < VISA_KNOWNS; s++)
        if (!l->always[s].known)
            l->state[s] = lane_reg(l->b, 32, NULL);
    for (uint32_t s = 0; s < l->nsections; s++) {
        l->sections[s].calling = 0;
        l->sections[s].back =
            l->sections[s].label == UINT32_MAX ? (struct lane_operand){LANE_NONE, 0} : lane_reg(l->b, 32, NULL);
    }
    lane_block(l->b);
}

static void sections_lower(struct visa_lower *l)
{
    uint32_t main = 0;
    if (l->sections[0].next != 0 || l->nsections > 1) {
        struct lane_inst *inst = lane_emit(l->b, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
        inst->aux = l->sections[main].block;
    }
    for (uint32_t s = 0; s < l->nsections; s++)
        visa_section_lower(l, l->sections[s].next);
}

unsigned visa_ids_count(const struct visa_lower *l, const struct visa_home *home)
{
    return l->simd - home->first < 16 ? l->simd - home->first : 16;
}

/* Local ids are written at the start, by their lanes alone where halves come to share a register, which is not known
 * before the pass is over. */
static void inputs_range(struct visa_lower *l)
{
    l->no_mask = true;
    for (uint32_t i = 0; i < l->object->ninputs; i++)
        if (l->launch.inputs[i].kind == VISA_HOME_LOCAL_ID)
            visa_range(l, l->launch.inputs[i].first, visa_ids_count(l, &l->launch.inputs[i]));
}

static bool collect(struct visa_lower *l)
{
    struct lane_module scratch = {0};
    struct lane_builder b;
    uint32_t func = lane_add_func(&scratch);
    lane_begin(&b, &scratch, func);
    l->b = &b;
    l->collecting = true;
    l->pass++;
    l->changed = false;
    l->npatterns = l->nlimits = 0;
    memset(l->ranges, 0, sizeof l->ranges);
    l->limits = NULL;
    l->laneid = lane_reg(&b, 32, NULL);
    if (l->decided)
        visa_home_begin(l);
    for (uint32_t i = 0; i < l->nroots && !l->decided; i++)
        l->roots[i].ntouches = 0; /* of one pass, all of them */
    pass_begin(l);
    if (l->decided)
        inputs_range(l);
    sections_lower(l);
    l->failed |= b.failed;
    lane_module_free(&scratch);
    if (l->too_long)
        return error_set(l->error, ATOLL_UNSUPPORTED, "not supported: kernel '%.200s' is too long", l->object->name);
    return !l->failed || error_memory(l->error);
}

static bool emit(struct visa_lower *l, const struct atoll_module_options *options, struct lane_module *lanes)
{
    struct lane_builder b;
    uint32_t func = lane_add_func(lanes);
    if (func == UINT32_MAX)
        return error_memory(l->error);
    lane_begin(&b, lanes, func);
    l->b = &b;
    l->collecting = false;
    l->pass++;
    pass_begin(l);
    if (!visa_launch_make(l->arena, l->object, options, &l->used, &b, &l->launch, l->error))
        return false;
    b.func->warp_lanes = l->simd;
    b.func->packable = l->packable;
    b.func->regfile_bytes = visa_scratch_at(l);
    if (l->launch.scratch_bytes > LANE_REGFILE_BYTES - b.func->regfile_bytes)
        return error_set(l->error, ATOLL_UNSUPPORTED, "not supported: kernel '%.200s': %" PRIu32 " bytes of scratch",
                         l->object->name, l->launch.scratch_bytes);
    b.func->regfile_bytes += l->launch.scratch_bytes;
    visa_start(l);
    sections_lower(l);
    return lane_end(&b, l->error);
}

/* ---- a kernel
 * ---------------------------------------------------------------------------------------------------------- */

static uint32_t root_bytes(const struct visa_object *object, uint32_t id)
{
    unsigned type = visa_var_type(object, id);
    return id == VISA_SP || id == VISA_FP ? 8 : visa_type_bytes(type) * visa_var_elements(object, id);
}

static bool lower_make(struct visa_lower *l)
{
    const struct visa_object *o = l->object;
    uint32_t naddresses = o->nvars[VISA_A];
    l->nroots = VISA_FIRST_G + o->nvars[VISA_G] + naddresses;
    l->roots = arena_array(l->arena, l->nroots, sizeof *l->roots);
    l->preds = arena_array(l->arena, o->nvars[VISA_P] + 1, sizeof *l->preds);
    l->pred_first = arena_array(l->arena, o->nvars[VISA_P] + 1, sizeof *l->pred_first);
    l->pred_end = arena_array(l->arena, o->nvars[VISA_P] + 1, sizeof *l->pred_end);
    l->labels = arena_array(l->arena, o->nvars[VISA_L] + 1, sizeof *l->labels);
    l->fused = arena_array(l->arena, o->ninsts + 1, sizeof *l->fused);
    if (!l->roots || !l->preds || !l->pred_first || !l->pred_end || !l->labels || !l->fused)
        return error_memory(l->error);
    for (uint32_t i = 0; i <= o->nvars[VISA_P]; i++)
        l->pred_first[i] = 32;
    for (uint32_t i = 0; i < VISA_FIRST_G + o->nvars[VISA_G]; i++)
        l->roots[i].bytes = root_bytes(o, i);
    for (uint32_t i = 0; i < naddresses; i++)
        l->roots[visa_root_of_address(l, i)].bytes = 2u * o->vars[VISA_A][i].elements;
    return visa_sections_make(l);
}

/* State variables that hold the same number wherever it is known to be read: those with one constant, and those that
 * nobody writes, which get an index of their own. */
static void states_find(struct visa_lower *l)
{
    static const uint8_t fixed[VISA_FIRST_T] = {254, 1, 2, 251, 252, 255}; /* docs/visa.md, "Running" */
    const struct visa_object *o = l->object;
    struct visa_known *always = l->always;
    bool written[VISA_KNOWNS] = {false};
    for (unsigned i = 0; i < VISA_FIRST_T; i++)
        always[VISA_KNOWN_T + i] = (struct visa_known){fixed[i], true};
    for (uint32_t i = 0; i < o->ninsts; i++) {
        const struct visa_operand *ops = o->insts[i].ops;
        if (!o->insts[i].nops || ops[0].class != VISA_STATE)
            continue;
        unsigned s = ops[0].space == VISA_S ? VISA_KNOWN_S + (ops[0].id & 31) : VISA_KNOWN_T + (ops[0].id & 255);
        bool constant = o->insts[i].nops == 2 && ops[1].class == VISA_IMMEDIATE && !o->insts[i].predicate;
        bool same = !written[s] || (always[s].known && always[s].value == (uint32_t)ops[1].value);
        always[s] = (struct visa_known){(uint32_t)ops[1].value, constant && same};
        written[s] = true;
    }
    unsigned own = VISA_OWN_BTI;
    for (uint32_t i = 0; i < o->nvars[VISA_T] && i + VISA_FIRST_T < 256; i++) {
        struct visa_known *k = &always[VISA_KNOWN_T + VISA_FIRST_T + i];
        if (!written[VISA_KNOWN_T + VISA_FIRST_T + i])
            *k = (struct visa_known){own < 240 ? own++ : own, true};
    }
    for (uint32_t i = 0; i < 32; i++)
        if (!written[VISA_KNOWN_S + i])
            always[VISA_KNOWN_S + i] = (struct visa_known){i, true};
    l->used.nsurfaces = o->nvars[VISA_T] + VISA_FIRST_T < 256 ? o->nvars[VISA_T] + VISA_FIRST_T : 256;
    for (uint32_t i = 0; i < l->used.nsurfaces; i++)
        l->of_surface[i] = always[VISA_KNOWN_T + i].known ? always[VISA_KNOWN_T + i].value : VISA_NO_BTI;
    l->used.of_surface = l->of_surface;
}

static bool scalar_touch(struct visa_lower *l, uint32_t id, unsigned bytes)
{
    int32_t at;
    struct visa_touch t = {.root = visa_home_root(l->object, id, &at),
                           .shape = VISA_SCALAR,
                           .bytes = (uint8_t)bytes,
                           .count = 1,
                           .span = bytes};
    t.at = t.low = at;
    return visa_home_touch(l, &t);
}

/* Local ids are written at the start, an element a lane. */
static bool inputs_touch(struct visa_lower *l)
{
    const struct visa_object *o = l->object;
    for (uint32_t i = 0; i < o->ninputs; i++) {
        int32_t at;
        const struct visa_home *home = &l->launch.inputs[i];
        if (home->kind == VISA_HOME_SAMPLER && !scalar_touch(l, o->inputs[i].id, 4))
            return error_memory(l->error);
        if (home->kind != VISA_HOME_LOCAL_ID)
            continue;
        unsigned first = home->first, count = visa_ids_count(l, home);
        struct visa_touch t = {.root = visa_home_root(o, o->inputs[i].id, &at),
                               .shape = VISA_CHANNELWISE,
                               .stride = 2,
                               .bytes = 2,
                               .first = (uint8_t)first,
                               .count = (uint8_t)count,
                               .span = 2 * count};
        if (!l->roots[t.root].ntouches && !l->roots[t.root].addressed)
            continue; /* nobody reads them */
        t.at = t.low = at;
        if (!visa_home_touch(l, &t))
            return error_memory(l->error);
    }
    return true;
}

static bool input_named(const struct visa_lower *l, const struct visa_input *input)
{
    int32_t at;
    const struct visa_root *root = &l->roots[visa_home_root(l->object, input->id, &at)];
    return root->ntouches || root->addressed;
}

/* What the launch gives, asked of a function that is thrown away: homes depend on it. */
static bool launch_ask(struct visa_lower *l, const struct atoll_module_options *options)
{
    struct lane_module scratch = {0};
    struct lane_builder b;
    bool *named = arena_array(l->arena, (size_t)l->object->ninputs + 1, sizeof *named);
    if (!named)
        return error_memory(l->error);
    for (uint32_t i = 0; i < l->object->ninputs; i++)
        named[i] = (l->object->inputs[i].kind & 3) == VISA_INPUT_GENERAL && input_named(l, &l->object->inputs[i]);
    l->used.inputs = named;
    lane_begin(&b, &scratch, lane_add_func(&scratch));
    bool ok = visa_launch_make(l->arena, l->object, options, &l->used, &b, &l->launch, l->error);
    l->simd = l->launch.simd;
    ok = ok && inputs_touch(l);
    lane_module_free(&scratch);
    return ok;
}

/* Nothing of a thread reaches past its lanes, lies in bytes of its own or depends on when the whole of it comes to a
 * barrier: several can be one warp of the engine. */
static bool can_pack(const struct visa_lower *l)
{
    return l->simd < 32 && l->widest <= l->simd && !l->file_bytes && !l->used.scratch && !l->alone;
}

static bool kernel_lower(struct visa_lower *l, const struct atoll_module_options *options, struct lane_module *lanes)
{
    if (!visa_home_check(l->object, l->error) || !lower_make(l))
        return false;
    states_find(l);
    for (unsigned pass = 0; pass == 0 || l->changed; pass++)
        if (pass == PASSES)
            return error_set(l->error, ATOLL_UNSUPPORTED, "not supported: kernel '%.200s' changes %%cr0 in circles",
                             l->object->name);
        else if (!collect(l))
            return false;
    if (!launch_ask(l, options) || !visa_home_decide(l))
        return false;
    l->decided = true;
    l->packable = can_pack(l);
    return collect(l) && (!l->changed || collect(l)) && emit(l, options, lanes);
}

bool visa_lower_kernel(struct arena *arena, const struct visa_module *module, const struct visa_object *kernel,
                       const struct atoll_module_options *options, struct lane_module *lanes, struct atoll_error *error)
{
    struct visa_lower *l = arena_alloc(arena, sizeof *l);
    if (!l)
        return error_memory(error);
    *l = (struct visa_lower){.arena = arena, .object = kernel, .table = visa_table(error), .simd = 32, .error = error};
    enum visa_platform platform = options && options->target ? visa_platform_find(options->target) : VISA_PLATFORMS;
    l->grf = platform == VISA_PVC || platform == VISA_PVCXT ? VISA_GRF_PVC : VISA_GRF;
    if (!visa_merge(arena, module, kernel, &l->merged))
        return error_memory(error);
    l->object = l->merged.object;
    return l->table && kernel_lower(l, options, lanes);
}

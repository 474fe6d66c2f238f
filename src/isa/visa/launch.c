/* The launch of a kernel as it is written: each input is a parameter of its name. */
#include "isa/visa/launch.h"

#include "isa/visa/abi.h"
#include "isa/visa/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    SIMD_LEAST = 8,
    SLM_MOST = 64,            /* KiB; docs/visa.md, "Shared local memory" */
    SCRATCH_USUAL = 64 * 1024 /* of a thread that nothing says how much it needs */
};

/* ---- parameters ------------------------------------------------------------------------------------------- */

bool launch_param(struct launcher *l, const char *name, const char *source, const char *type, uint32_t size,
                  uint32_t align, uint32_t count, uint32_t *at)
{
    struct lane_func *f = l->b->func;
    struct arena *arena = &l->b->module->arena;
    struct lane_param param = {.type = type, .size = size, .align = align, .count = count};
    param.name = arena_text(arena, name, strlen(name));
    param.source = source ? arena_text(arena, source, strlen(source)) : NULL;
    param.offset = (f->param_bytes + align - 1) & ~(align - 1);
    f->kparams = arena_append(arena, f->kparams, f->nkparams, sizeof param);
    if (!param.name || (source && !param.source) || !f->kparams)
        return error_memory(l->error);
    f->kparams[f->nkparams++] = param;
    f->param_bytes = l->bytes = param.offset + size;
    *at = param.offset;
    return true;
}

const char *launch_input_name(const struct launcher *l, uint32_t index)
{
    static const enum visa_space spaces[] = {
        [VISA_INPUT_GENERAL] = VISA_G, [VISA_INPUT_SAMPLER] = VISA_S, [VISA_INPUT_SURFACE] = VISA_T};
    const struct visa_input *input = &l->object->inputs[index];
    unsigned class = input->kind & 3;
    const char *name = class <= VISA_INPUT_SURFACE ? visa_name(l->object, spaces[class], input->id) : NULL;
    return name ? name : "?";
}

const char *launch_input_type(const struct launcher *l, uint32_t index, uint32_t *bytes)
{
    static const char *const types[VISA_TYPES] = {
        [VISA_UD] = "u32", [VISA_D] = "s32",  [VISA_UW] = "u16",  [VISA_W] = "s16",
        [VISA_UB] = "u8",  [VISA_B] = "s8",   [VISA_DF] = "f64",  [VISA_F] = "f32",
        [VISA_V] = "b32",  [VISA_VF] = "b32", [VISA_BOOL] = "b8", [VISA_UQ] = "u64",
        [VISA_UV] = "b32", [VISA_Q] = "s64",  [VISA_HF] = "f16",  [VISA_BF] = "b16"};
    const struct visa_input *input = &l->object->inputs[index];
    unsigned type = visa_var_type(l->object, input->id);
    *bytes = visa_type_bytes(type);
    if (*bytes && input->size && input->size % *bytes == 0)
        return types[type];
    *bytes = 1;
    return "b8";
}

bool launch_input(struct launcher *l, uint32_t index)
{
    const struct visa_input *input = &l->object->inputs[index];
    struct visa_home *home = &l->out->inputs[index];
    uint32_t bytes;
    const char *type = launch_input_type(l, index, &bytes);
    home->kind = VISA_HOME_BYTES;
    return launch_param(l, launch_input_name(l, index), NULL, type, input->size, bytes, input->size / bytes, &home->at);
}

/* The variable that means this index alone, where there is one. */
static const char *surface_name(const struct launcher *l, uint32_t bti)
{
    const struct visa_used *used = l->used;
    for (uint32_t id = VISA_FIRST_T; used->of_surface && id < used->nsurfaces; id++)
        if (used->of_surface[id] == bti)
            return visa_name(l->object, VISA_T, id);
    return NULL;
}

bool launch_slots(struct launcher *l)
{
    char name[16];
    for (uint32_t i = 0; i < VISA_BTIS; i++) {
        snprintf(name, sizeof name, "bti%" PRIu32, i);
        if (l->used->btis[i] && l->out->bti_at[i] == VISA_NOT_NAMED &&
            !launch_param(l, name, surface_name(l, i), "bti", VISA_BTI_BYTES, 8, 1, &l->out->bti_at[i]))
            return false;
    }
    for (uint32_t i = 0; i < VISA_SAMPLERS; i++) {
        snprintf(name, sizeof name, "sampler%" PRIu32, i);
        if (l->used->samplers[i] && l->out->sampler_at[i] == VISA_NOT_NAMED &&
            !launch_param(l, name, NULL, "sampler", VISA_SAMPLER_BYTES, 8, 1, &l->out->sampler_at[i]))
            return false;
    }
    return true;
}

/* ---- the hardware thread ---------------------------------------------------------------------------------- */

/* The widest that instructions under the mask are, at the channels where they are. */
static unsigned widest(const struct visa_object *object)
{
    unsigned simd = SIMD_LEAST;
    for (uint32_t i = 0; i < object->ninsts; i++) {
        unsigned exec = object->insts[i].exec, last = visa_exec_first(exec) + visa_exec_channels(exec);
        while (!(exec & VISA_NO_MASK) && simd < last && simd < VISA_CHANNELS)
            simd *= 2;
    }
    return simd;
}

static bool good_simd(unsigned simd)
{
    return simd == 8 || simd == 16 || simd == 32;
}

bool launch_simd(struct launcher *l, unsigned given)
{
    const struct visa_object *o = l->object;
    const struct visa_attribute *attribute = visa_attribute(o, o->attributes, o->nattributes, "SimdSize");
    unsigned own = attribute ? (unsigned)visa_attribute_value(attribute) : 0, asked = l->options->simd;
    if (own && !good_simd(own))
        return error_set(l->error, ATOLL_UNSUPPORTED, "kernel '%.200s': not supported: SimdSize=%u; wanted 8, 16 or 32",
                         o->name, own);
    if (asked && !good_simd(asked)) {
        error_set(l->error, ATOLL_USAGE, "%u threads a warp: wanted 8, 16 or 32", asked);
        return error_option(l->error, ATOLL_OPTION_SIMD);
    }
    own = own ? own : given;
    if (own && asked && own != asked) {
        error_set(l->error, ATOLL_USAGE, "kernel '%.200s' has %u threads a warp%s; asked for: %u", o->name, own,
                  attribute ? " (SimdSize)" : "", asked);
        return error_option(l->error, ATOLL_OPTION_SIMD);
    }
    if (attribute && given && own != given)
        return error_set(l->error, ATOLL_INPUT,
                         "kernel '%.200s' has SimdSize=%u; its description says %u: it is of another compilation",
                         o->name, own, given);
    l->out->simd = own ? own : asked ? asked : widest(o);
    l->b->func->warp_lanes = l->out->simd;
    return true;
}

/* Static shared memory: SLMSize counts KiB, as Intel's compilers for C for Metal write it. */
static bool slm_find(struct launcher *l)
{
    const struct visa_object *o = l->object;
    const struct visa_attribute *attribute = visa_attribute(o, o->attributes, o->nattributes, "SLMSize");
    uint32_t kib = attribute ? (uint32_t)visa_attribute_value(attribute) : 0;
    if (kib > SLM_MOST)
        return error_set(l->error, ATOLL_INPUT, "kernel '%.200s': SLMSize=%" PRIu32 " KiB, at most %d", o->name, kib,
                         SLM_MOST);
    if (kib * 1024 > l->out->slm_bytes)
        l->out->slm_bytes = kib * 1024;
    return true;
}

/* Shared memory as a symbol; code says plain numbers, from 0. To be named is to be used. */
static bool slm_add(struct launcher *l)
{
    struct lane_symbol symbol = {.kind = LANE_SYMBOL_SHARED, .align = 16, .size = l->out->slm_bytes, .name = "%slm"};
    if (!symbol.size)
        return true;
    uint32_t number = lane_add_symbol(l->b->module, &symbol);
    if (!number)
        return error_memory(l->error);
    lane_address(l->b, 32, number, 0);
    return true;
}

/* Private memory: as the description says; as Intel's compiler says where what it spills begins; else enough. Behind
 * %scratch it is the thread's, behind flat addresses each lane's. */
static bool scratch_find(struct launcher *l)
{
    const struct visa_object *o = l->object;
    const struct visa_attribute *attribute = visa_attribute(o, o->attributes, o->nattributes, "SpillMemOffset");
    uint32_t bytes = attribute ? (uint32_t)visa_attribute_value(attribute) : 0;
    uint32_t *local = &l->b->func->local_bytes;
    if (!l->used->scratch && !l->out->private_base)
        return true;
    if (!*local && bytes > LANE_LOCAL_BYTES)
        return error_set(l->error, ATOLL_UNSUPPORTED, "not supported: kernel '%.200s': SpillMemOffset=%" PRIu32,
                         o->name, bytes);
    if (!*local)
        *local = bytes ? bytes : SCRATCH_USUAL;
    l->out->scratch_bytes = l->used->scratch ? *local : 0;
    *local = l->out->private_base ? *local : 0;
    return true;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

static bool plain(struct launcher *l)
{
    if (!launch_simd(l, 0))
        return false;
    for (uint32_t i = 0; i < l->object->ninputs; i++)
        if ((l->object->inputs[i].kind & 3) == VISA_INPUT_GENERAL && !launch_input(l, i))
            return false;
    return launch_slots(l);
}

static bool homes_make(struct launcher *l)
{
    struct visa_launch *out = l->out;
    *out = (struct visa_launch){.inputs = arena_array(l->arena, l->object->ninputs, sizeof *out->inputs)};
    memset(out->bti_at, 0xff, sizeof out->bti_at);
    memset(out->sampler_at, 0xff, sizeof out->sampler_at);
    return out->inputs || error_memory(l->error);
}

bool visa_launch_make(struct arena *arena, const struct visa_object *object, const struct atoll_module_options *options,
                      const struct visa_used *used, struct lane_builder *b, struct visa_launch *out,
                      struct atoll_error *error)
{
    struct launcher l = {
        .arena = arena, .object = object, .options = options, .used = used, .b = b, .out = out, .error = error};
    if (!homes_make(&l) || !(options->abi ? abi_opencl(&l) : plain(&l)) || !slm_find(&l) || !slm_add(&l) ||
        !scratch_find(&l))
        return false;
    b->func->param_space = (l.bytes + 7) & ~UINT32_C(7);
    return !b->failed || error_memory(error);
}

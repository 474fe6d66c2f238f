/* The ABI of Intel's OpenCL kernels: parameters are the kernel's arguments; what lies among the registers at the start
 * comes from them, from what the launch knows, and from the ids of the threads. */
#include "isa/visa/abi.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const visa_abis[] = {"opencl", NULL};

/* ---- what the launch knows ---------------------------------------------------------------------------------- */

#define VECTOR(text, first)                                                           \
    {                                                                                 \
        .name = (text), .size = 12, .count = 3, .bytes = 4, .kind = LANE_WORD_##first \
    }
#define IMAGE(text, what)                                                                                    \
    {                                                                                                        \
        .name = (text), .size = 4, .count = 1, .bytes = 4, .kind = LANE_WORD_SURFACE, .suq = LANE_SUQ_##what \
    }
const struct abi_words abi_words[] = {
    {.name = "global_id_offset", .size = 12, .zero = true},
    VECTOR("local_size", NTID_X),
    VECTOR("enqueued_local_size", NTID_X),
    VECTOR("group_count", NCTAID_X),
    VECTOR("global_size", THREADS_X),
    {.name = "work_dimensions", .size = 4, .count = 1, .bytes = 4, .kind = LANE_WORD_DIMENSIONS},
    {.name = "private_base_stateless", .size = 8, .count = 1, .bytes = 8, .kind = LANE_WORD_LOCAL},
    {.name = "buffer_offset", .size = 4, .zero = true},
    IMAGE("image_width", FIRST),
    IMAGE("image_height", SECOND),
    IMAGE("image_depth", THIRD),
    IMAGE("image_channel_data_type", CHANNEL_DATA_TYPE),
    IMAGE("image_channel_order", CHANNEL_ORDER),
    IMAGE("image_array_size", ARRAY_SIZE),
    {.name = "sampler_address", .size = 4, .sampler = VISA_SAMPLER_ADDRESS},
    {.name = "sampler_normalized", .size = 4, .sampler = VISA_SAMPLER_NORMALIZED},
    {.name = "sampler_snap_wa", .size = 4, .sampler = VISA_SAMPLER_SNAP},
    {0},
};

unsigned abi_words_find(const char *name)
{
    for (unsigned i = 0; abi_words[i].name; i++)
        if (strcmp(abi_words[i].name, name) == 0)
            return ABI_WORDS + i;
    return 0;
}

/* ---- helpers ------------------------------------------------------------------------------------------------ */

bool abi_fail(const struct abi *abi, enum atoll_status status, const char *format, ...)
{
    char message[700];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return error_set(abi->l->error, status, "kernel '%.200s': %s", abi->l->object->name, message);
}

unsigned abi_name(const char *const *names, unsigned count, const char *text, size_t length)
{
    unsigned i = 0;
    while (i < count && (strlen(names[i]) != length || memcmp(names[i], text, length) != 0))
        i++;
    return i;
}

bool abi_piece(struct abi *abi, const struct abi_piece *piece)
{
    abi->pieces = arena_append(abi->l->arena, abi->pieces, abi->npieces, sizeof *piece);
    if (!abi->pieces)
        return error_memory(abi->l->error);
    abi->pieces[abi->npieces++] = *piece;
    return true;
}

static bool is_general(const struct visa_input *input)
{
    return (input->kind & 3) == VISA_INPUT_GENERAL;
}

const uint32_t *abi_inputs(const struct abi *abi, uint32_t *count)
{
    const struct visa_object *o = abi->l->object;
    uint32_t *order = arena_array(abi->l->arena, (size_t)o->ninputs + 1, sizeof *order);
    *count = 0;
    for (uint32_t i = 0; order && i < o->ninputs; i++) {
        uint32_t at = *count;
        if (!is_general(&o->inputs[i]))
            continue;
        for (; at > 0 && o->inputs[order[at - 1]].offset > o->inputs[i].offset; at--)
            order[at] = order[at - 1];
        order[at] = i;
        ++*count;
    }
    return order;
}

/* ---- parameters ---------------------------------------------------------------------------------------------- */

static const char *bits_of_size(uint32_t size)
{
    return size == 8 ? "b64" : size == 4 ? "b32" : size == 2 ? "b16" : "b8";
}

static bool value_param(struct abi *abi, struct abi_argument *a, const char *name)
{
    struct launcher *l = abi->l;
    uint32_t bytes = 0, room = a->size < 4 ? 4 : a->size; /* as the payload has it */
    const char *type = a->type;
    if (!type && a->input != UINT32_MAX)
        type = launch_input_type(l, a->input, &bytes);
    if (a->type || bytes > a->size || (bytes && a->size % bytes))
        bytes = 0;
    if (!bytes) {
        bytes = a->size == 8 || a->size == 4 || a->size == 2 ? a->size : 1;
        type = a->type ? a->type : bits_of_size(bytes);
    }
    if (!launch_param(l, name, a->name, type, a->size, bytes > 8 ? 8 : bytes, a->size / bytes, &a->at))
        return false;
    /* Inputs may be wider than what they hold: nothing else is read then. */
    if (a->input != UINT32_MAX && l->object->inputs[a->input].size > room)
        room = l->object->inputs[a->input].size;
    l->b->func->param_bytes = l->bytes = a->at + room;
    return true;
}

static bool argument_param(struct abi *abi, uint32_t index)
{
    struct abi_argument *a = &abi->arguments[index];
    char name[16];
    snprintf(name, sizeof name, "arg%" PRIu32, index);
    switch (a->kind) {
    case ABI_GLOBAL:
    case ABI_CONSTANT:
    case ABI_IMAGE:
        return launch_param(abi->l, name, a->name, "bti", VISA_BTI_BYTES, 8, 1, &a->at);
    case ABI_LOCAL:
        return launch_param(abi->l, name, a->name, "u64", 8, 8, 1, &a->at);
    case ABI_SAMPLER:
        return launch_param(abi->l, name, a->name, "sampler", VISA_SAMPLER_BYTES, 8, 1, &a->at);
    case ABI_VALUE:
        return (a->size && a->size <= 4096) ? value_param(abi, a, name)
                                            : abi_fail(abi, ATOLL_INPUT, "argument %" PRIu32 " has no size", index);
    default:
        return abi_fail(abi, ATOLL_UNSUPPORTED, "not supported: the kind of argument %" PRIu32, index);
    }
}

/* Indices of arguments are told to the lowering; those of samplers count samplers. */
static void argument_index(struct abi *abi, const struct abi_argument *a, uint32_t *samplers)
{
    struct visa_launch *out = abi->l->out;
    if (a->bti < VISA_BTIS)
        out->bti_at[a->bti] = a->at;
    if (a->kind != ABI_SAMPLER)
        return;
    uint32_t index = a->sampler < VISA_SAMPLERS ? a->sampler : *samplers;
    ++*samplers;
    if (index < VISA_SAMPLERS)
        out->sampler_at[index] = a->at;
}

static bool parameters(struct abi *abi)
{
    uint32_t samplers = 0;
    for (uint32_t i = 0; i < abi->count; i++) {
        if (!argument_param(abi, i))
            return false;
        argument_index(abi, &abi->arguments[i], &samplers);
    }
    return true;
}

/* ---- further room of the parameter space ------------------------------------------------------------------------ */

static uint32_t room(struct abi *abi, uint32_t bytes)
{
    uint32_t at = (abi->l->bytes + 7) & ~UINT32_C(7);
    abi->l->bytes = at + bytes;
    return at;
}

static void inline_samplers(struct abi *abi)
{
    for (uint32_t i = 0; i < abi->nsamplers; i++) {
        const struct abi_inline_sampler *s = &abi->samplers[i];
        uint32_t at = room(abi, VISA_SAMPLER_BYTES);
        for (uint32_t k = 0; k < 2; k++) {
            struct lane_word word = {.offset = at + 8 * k, .size = 8, .kind = LANE_WORD_VALUE, .value = s->state[k]};
            lane_word(abi->l->b, &word);
        }
        abi->l->out->sampler_at[s->index] = at;
    }
}

/* Words of a piece that lie in [from, from + size) of the payload, which is at `at`. */
static bool piece_words(struct abi *abi, const struct abi_piece *piece, uint32_t from, uint32_t size, uint32_t at)
{
    const struct abi_words *w = &abi_words[piece->what - ABI_WORDS];
    for (uint32_t k = 0; !w->zero && k < w->count; k++) {
        uint32_t offset = piece->offset + k * w->bytes;
        struct lane_word word = {.size = w->bytes, .kind = w->kind};
        if (offset < from || offset + w->bytes > from + size)
            continue;
        word.offset = at + offset - from;
        if (w->kind == LANE_WORD_SURFACE) {
            if (piece->argument >= abi->count || abi->arguments[piece->argument].kind != ABI_IMAGE)
                return abi_fail(abi, ATOLL_INPUT, "%s of an argument that is no image", w->name);
            word.from = abi->arguments[piece->argument].at + 16;
            word.entry[word.nentry++] = w->suq;
        } else
            word.kind = (uint8_t)(w->kind + k);
        lane_word(abi->l->b, &word);
    }
    return true;
}

/* ---- homes ------------------------------------------------------------------------------------------------------ */

static bool overlaps(const struct abi_piece *piece, uint32_t from, uint32_t size)
{
    return piece->offset < from + size && piece->offset + piece->size > from;
}

static const struct abi_piece *piece_at(const struct abi *abi, uint32_t offset)
{
    for (uint32_t i = 0; i < abi->npieces; i++)
        if (abi->pieces[i].offset <= offset && offset < abi->pieces[i].offset + abi->pieces[i].size)
            return &abi->pieces[i];
    return NULL;
}

static bool strange(const struct abi *abi, uint32_t index, const char *what)
{
    const struct visa_input *input = &abi->l->object->inputs[index];
    return abi_fail(abi, ATOLL_INPUT, "input %s at offset %d (%u bytes): %s", launch_input_name(abi->l, index),
                    input->offset, input->size, what);
}

/* A vector of 16-bit ids a register, of x, y and z; two registers each for 32 threads. */
static bool id_home(struct abi *abi, uint32_t index)
{
    const struct visa_input *input = &abi->l->object->inputs[index];
    struct visa_home *home = &abi->l->out->inputs[index];
    uint32_t axis = (abi->l->out->simd == 32 ? 2 : 1) * ABI_GRF, at = (uint32_t)input->offset - ABI_GRF;
    if (input->offset < ABI_GRF || at + input->size > abi->per_thread || at % axis + input->size > axis || at % 2 ||
        at / axis > 2)
        return strange(abi, index,
                       "its description has local ids there, and no vector of them is like this: it is of "
                       "another compilation");
    *home =
        (struct visa_home){.kind = VISA_HOME_LOCAL_ID, .axis = (uint8_t)(at / axis), .first = (uint8_t)(at % axis / 2)};
    return true;
}

/* Whether all of the input are bytes of one argument, one after the other. */
static bool of_argument(const struct abi *abi, const struct abi_piece *piece, uint32_t from, uint32_t size)
{
    const struct abi_argument *a = &abi->arguments[piece->argument];
    for (uint32_t i = 0; i < abi->npieces; i++) {
        const struct abi_piece *p = &abi->pieces[i];
        if (overlaps(p, from, size) && (p->unknown || p->what != ABI_ARGUMENT || p->argument != piece->argument ||
                                        p->source - p->offset != piece->source - piece->offset))
            return false;
    }
    uint32_t bytes = a->kind == ABI_VALUE ? (a->size > size ? a->size : size) : a->kind == ABI_LOCAL ? 8 : 16;
    return piece->source + (from - piece->offset) + size <= bytes;
}

/* What else lies in the payload: room of its own with the words of the launch. */
static bool words_home(struct abi *abi, uint32_t index, uint32_t from)
{
    const struct visa_input *input = &abi->l->object->inputs[index];
    struct visa_home *home = &abi->l->out->inputs[index];
    *home = (struct visa_home){.kind = VISA_HOME_BYTES, .at = room(abi, input->size)};
    for (uint32_t i = 0; i < abi->npieces; i++) {
        const struct abi_piece *p = &abi->pieces[i];
        if (!overlaps(p, from, input->size))
            continue;
        if (p->unknown)
            return abi_fail(abi, ATOLL_UNSUPPORTED, "not supported: input %s, which is its %.60s",
                            launch_input_name(abi->l, index), p->unknown);
        if (p->what < ABI_WORDS)
            return strange(abi, index, "not supported: an argument together with something else");
        if (!piece_words(abi, p, from, input->size, home->at))
            return false;
    }
    return true;
}

static bool sampler_home(struct abi *abi, uint32_t index, const struct abi_piece *piece)
{
    const struct abi_words *w = &abi_words[piece->what - ABI_WORDS];
    uint32_t argument = piece->argument;
    for (uint32_t i = 0; i < abi->count && argument == UINT32_MAX; i++) /* of the first, where it is not said */
        if (abi->arguments[i].kind == ABI_SAMPLER)
            argument = i;
    if (argument >= abi->count || abi->arguments[argument].kind != ABI_SAMPLER)
        return abi_fail(abi, ATOLL_INPUT, "%s of an argument that is no sampler", w->name);
    if (abi->l->object->inputs[index].size != w->size)
        return strange(abi, index, "a word of a sampler has 4 bytes");
    abi->l->out->inputs[index] =
        (struct visa_home){.kind = VISA_HOME_SAMPLER, .axis = w->sampler, .at = abi->arguments[argument].at};
    return true;
}

static bool payload_home(struct abi *abi, uint32_t index)
{
    const struct visa_input *input = &abi->l->object->inputs[index];
    struct visa_home *home = &abi->l->out->inputs[index];
    uint32_t from = (uint32_t)input->offset - abi->payload;
    const struct abi_piece *piece = piece_at(abi, from);
    if (home->kind != VISA_HOME_NONE)
        return true; /* a parameter of its own */
    if (!piece || (piece->offset != from && piece->what != ABI_ARGUMENT))
        return strange(abi, index, "its description has nothing that begins there: it is of another compilation");
    if (piece->what >= ABI_WORDS && abi_words[piece->what - ABI_WORDS].sampler)
        return sampler_home(abi, index, piece);
    if (piece->what != ABI_ARGUMENT || piece->unknown)
        return words_home(abi, index, from);
    if (!of_argument(abi, piece, from, input->size))
        return strange(abi, index, "not supported: parts of several arguments, or more than its argument has");
    *home = (struct visa_home){.kind = VISA_HOME_BYTES,
                               .at = abi->arguments[piece->argument].at + piece->source + (from - piece->offset)};
    return true;
}

/* Inputs that the list calls parameters. */
static bool own_parameters(struct abi *abi)
{
    const struct visa_object *o = abi->l->object;
    for (uint32_t i = 0; i < o->ninputs; i++) {
        bool payload = is_general(&o->inputs[i]) && (uint32_t)o->inputs[i].offset >= abi->payload;
        const struct abi_piece *piece = payload ? piece_at(abi, (uint32_t)o->inputs[i].offset - abi->payload) : NULL;
        if (piece && piece->what == ABI_PARAMETER && !launch_input(abi->l, i))
            return false;
    }
    return true;
}

static bool homes(struct abi *abi)
{
    const struct visa_object *o = abi->l->object;
    for (uint32_t i = 0; i < o->ninputs; i++) {
        if (!is_general(&o->inputs[i]))
            continue;
        bool below = o->inputs[i].offset < (int)abi->payload;
        if (below ? !id_home(abi, i) : !payload_home(abi, i))
            return false;
    }
    return true;
}

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

/* How many inputs begin where pieces do, with the payload there. */
static uint32_t inputs_placed(const struct abi *abi, uint32_t payload)
{
    const struct visa_object *o = abi->l->object;
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->ninputs; i++) {
        const struct abi_piece *piece =
            (uint32_t)o->inputs[i].offset < payload ? NULL : piece_at(abi, (uint32_t)o->inputs[i].offset - payload);
        count += piece && piece->offset == (uint32_t)o->inputs[i].offset - payload;
    }
    return count;
}

/* Without local ids the register after r0 is left out on some platforms, which the kernel does not name. */
static void payload_find(struct abi *abi)
{
    abi->payload = ABI_GRF + abi->per_thread;
    if (!abi->per_thread && inputs_placed(abi, 2 * ABI_GRF) > inputs_placed(abi, ABI_GRF))
        abi->payload = 2 * ABI_GRF;
}

static bool described(struct abi *abi)
{
    const char *text = abi->l->options->abi_text ? abi->l->options->abi_text : "";
    const char *at = text + strspn(text, " \t\r\n");
    bool zeinfo = strncmp(at, "---", 3) == 0 || strncmp(at, "version:", 8) == 0 || strncmp(at, "kernels:", 8) == 0;
    if (zeinfo ? !abi_zeinfo(abi, text) : !abi_list(abi, text))
        return false;
    return abi->found ||
           abi_fail(abi, ATOLL_UNSUPPORTED, "the description of the arguments has nothing on this kernel");
}

/* Each thread has memory of its own at the one base, and its bytes behind those of the threads before it. */
static bool private_memory(struct abi *abi)
{
    struct launcher *l = abi->l;
    uint64_t bytes = (uint64_t)abi->private_bytes * l->out->simd;
    if (bytes < abi->scratch_bytes)
        bytes = abi->scratch_bytes;
    if (bytes > LANE_LOCAL_BYTES)
        return abi_fail(abi, ATOLL_UNSUPPORTED, "not supported: %" PRIu64 " bytes of private memory", bytes);
    l->b->func->local_bytes = (uint32_t)bytes;
    for (uint32_t i = 0; i < l->object->ninputs; i++) {
        const struct visa_input *input = &l->object->inputs[i];
        const struct abi_piece *piece = is_general(input) && (uint32_t)input->offset >= abi->payload
                                            ? piece_at(abi, (uint32_t)input->offset - abi->payload)
                                            : NULL;
        l->out->private_base |= piece && piece->what == abi_words_find("private_base_stateless") &&
                                (bytes || (l->used->inputs && l->used->inputs[i]));
    }
    return true;
}

static bool made(struct abi *abi)
{
    struct launcher *l = abi->l;
    if (!described(abi) || !launch_simd(l, abi->simd))
        return false;
    if (abi->placed)
        payload_find(abi);
    else if (!abi_deduce(abi))
        return false;
    l->out->slm_bytes = abi->slm_bytes;
    memcpy(l->b->func->required_block, abi->required, sizeof abi->required);
    if (!private_memory(abi))
        return false;
    for (uint32_t i = 0; i < abi->nsamplers; i++)
        l->out->sampler_at[abi->samplers[i].index] = 0; /* no parameter; its place comes behind them */
    if (!parameters(abi) || !own_parameters(abi) || !launch_slots(l))
        return false;
    inline_samplers(abi);
    return homes(abi);
}

bool abi_opencl(struct launcher *l)
{
    struct abi *abi = arena_alloc(l->arena, sizeof *abi);
    if (!abi)
        return error_memory(l->error);
    abi->l = l;
    return made(abi);
}

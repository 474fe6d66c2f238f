/* Where the arguments of a list lie among the inputs, and which binding-table indices they have, by the rules of
 * Intel's OpenCL compiler (docs/visa.md, "The launch"). What these rules leave open is an error that names the input.
 */
#include "isa/visa/abi.h"

#include <string.h>

#define FILE_HINT "the .ze_info of the same compilation would tell (--abi=opencl:FILE)"

struct deduce {
    struct abi *abi;
    const uint32_t *order; /* general inputs by offset */
    uint32_t count, next;
    uint32_t at; /* where the next argument may begin */
};

static const struct visa_input *input_at(const struct deduce *d, uint32_t i)
{
    return &d->abi->l->object->inputs[d->order[i]];
}

static const char *name_at(const struct deduce *d, uint32_t i)
{
    return launch_input_name(d->abi->l, d->order[i]);
}

static bool add(struct deduce *d, const struct visa_input *input, unsigned what, uint32_t argument)
{
    struct abi_piece piece = {
        .offset = (uint32_t)input->offset - d->abi->payload, .size = input->size, .what = what, .argument = argument};
    return abi_piece(d->abi, &piece);
}

/* ---- where the payload begins ------------------------------------------------------------------------------ */

/* Local ids are vectors of 16 bits from the first register on; the header is a vector of 8 dwords. */
static bool begin(struct deduce *d)
{
    struct abi *abi = d->abi;
    const struct visa_input *first = d->count ? input_at(d, 0) : NULL;
    unsigned simd = abi->l->out->simd;
    abi->payload = ABI_GRF;
    if (!first)
        return true;
    if (first->offset == ABI_GRF && visa_type_bytes(visa_var_type(abi->l->object, first->id)) == 2)
        abi->per_thread = simd == 32 ? 6 * ABI_GRF : 3 * ABI_GRF;
    else if (first->offset >= 3 * ABI_GRF || (first->offset == 2 * ABI_GRF && first->size == ABI_HEADER))
        abi->payload = 2 * ABI_GRF; /* a blank register: Gen9 to Gen12 */
    abi->payload += abi->per_thread;
    while (d->next < d->count && (uint32_t)input_at(d, d->next)->offset < abi->payload)
        d->next++;
    d->at = abi->payload + ABI_HEADER;
    if (d->next < d->count && (uint32_t)input_at(d, d->next)->offset == abi->payload) {
        struct abi_piece size = {.offset = 12, .size = 12, .what = abi_words_find("local_size")};
        struct abi_piece zero = {.offset = 0, .size = 12, .what = abi_words_find("global_id_offset")};
        d->next++;
        return abi_piece(abi, &zero) && abi_piece(abi, &size);
    }
    return true;
}

/* ---- arguments --------------------------------------------------------------------------------------------- */

static uint32_t align_up(uint32_t at, uint32_t align)
{
    return (at + align - 1) & ~(align - 1);
}

static bool argument(struct deduce *d, uint32_t index)
{
    struct abi *abi = d->abi;
    struct abi_argument *a = &abi->arguments[index];
    if (d->next == d->count)
        return abi_fail(abi, ATOLL_USAGE, "no input is left for argument %u (%s): has the kernel so many?", index,
                        abi_kind_names[a->kind]);
    const struct visa_input *input = input_at(d, d->next);
    uint32_t offset = (uint32_t)input->offset, size = a->kind == ABI_VALUE ? a->size : 8;
    size = size ? size : input->size;
    uint32_t align = 4;
    while (align < size && align < 128)
        align *= 2; /* vectors of three as those of four */
    uint32_t wanted = align_up(d->at, align), slot = size > align ? size : align;
    bool pointer = a->kind == ABI_GLOBAL || a->kind == ABI_CONSTANT;
    if (offset != wanted || input->size > slot || (pointer && input->size != 8))
        return abi_fail(abi, ATOLL_USAGE,
                        "argument %u (%s) would be %u bytes at offset %u, but input %s has %u at %u: one of the "
                        "arguments before it is of another kind, or a struct; " FILE_HINT,
                        index, abi_kind_names[a->kind], size, wanted, name_at(d, d->next), input->size, offset);
    d->at = offset + slot;
    a->input = d->order[d->next++];
    a->size = a->kind == ABI_VALUE ? size : 0;
    return add(d, input, ABI_ARGUMENT, index);
}

static bool arguments(struct deduce *d)
{
    static const enum abi_kind kinds[] = {ABI_LOCAL, ABI_GLOBAL, ABI_CONSTANT, ABI_VALUE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t i = 0; i < d->abi->count; i++)
            if (d->abi->arguments[i].kind == kinds[k] && !argument(d, i))
                return false;
    return true;
}

/* ---- implicit inputs ---------------------------------------------------------------------------------------- */

static uint32_t count_kind(const struct abi *abi, enum abi_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < abi->count; i++)
        count += abi->arguments[i].kind == kind;
    return count;
}

static unsigned named(const struct abi *abi, const char *name)
{
    for (uint32_t i = 0; i < abi->nnamed; i++)
        if (strcmp(abi->named[i].name, name) == 0)
            return abi->named[i].what;
    return 0;
}

/* Inputs that are left and have so many bytes, up to the first of `until` bytes. */
static uint32_t count_size(const struct deduce *d, uint32_t size, uint32_t until)
{
    uint32_t count = 0;
    for (uint32_t i = d->next; i < d->count && input_at(d, i)->size != until; i++)
        count += input_at(d, i)->size == size;
    return count;
}

/* Of the scalars before the vectors: an offset for each buffer or for none, then perhaps the number of dimensions.
 * `place`: the how many-th it is. 0: not decided. */
static unsigned scalar(const struct deduce *d, uint32_t place)
{
    uint32_t buffers = count_kind(d->abi, ABI_GLOBAL) + count_kind(d->abi, ABI_CONSTANT);
    uint32_t scalars = count_size(d, 4, 12);
    bool images = count_kind(d->abi, ABI_IMAGE) && !count_size(d, 12, 0); /* their sizes could be meant */
    if (images)
        return 0;
    if (buffers > 1 && (scalars == buffers || scalars == buffers + 1) && place < buffers)
        return abi_words_find("buffer_offset");
    if (buffers == 1 && scalars == 2 && place == 0)
        return abi_words_find("buffer_offset");
    bool last = scalars == buffers + 1 || (scalars == 1 && buffers != 1);
    return last && place == scalars - 1 ? abi_words_find("work_dimensions") : 0;
}

/* The vectors are in this order, each there or not. */
static unsigned vector(const struct deduce *d, uint32_t place)
{
    static const char *const names[] = {"group_count", "global_size", "local_size", "enqueued_local_size"};
    return count_size(d, 12, 0) == 4 ? abi_words_find(names[place]) : 0;
}

static bool undecided(const struct deduce *d, uint32_t i)
{
    const struct visa_input *input = input_at(d, i);
    return abi_fail(d->abi, ATOLL_USAGE,
                    "input %s at offset %d (%u bytes) is not an argument, and nothing tells which it is: %s. Give it: "
                    "-a %s=u32:..., or -a %s=NAME of these; " FILE_HINT,
                    name_at(d, i), input->offset, input->size,
                    input->size == 12  ? "group_count, global_size, local_size or enqueued_local_size"
                    : input->size == 4 ? "buffer_offset, work_dimensions, or a size of an image"
                                       : "nothing of this size is known",
                    name_at(d, i), name_at(d, i));
}

static bool implicit(struct deduce *d)
{
    uint32_t scalars = 0, vectors = 0;
    for (uint32_t i = d->next; i < d->count; i++) {
        const struct visa_input *input = input_at(d, i);
        unsigned what = 0;
        if (input->size == 8 && count_size(d, 8, 0) == 1)
            what = abi_words_find("private_base_stateless");
        else if (input->size == 4)
            what = vectors ? 0 : scalar(d, scalars++);
        else if (input->size == 12)
            what = vector(d, vectors++);
        unsigned given = named(d->abi, name_at(d, i));
        what = given ? given : what;
        if (!what)
            return undecided(d, i);
        if (!add(d, input, what, UINT32_MAX))
            return false;
    }
    return true;
}

/* ---- binding-table indices ------------------------------------------------------------------------------------ */

/* What an index is used as tells how many images are read only: those come first, then buffers. */
static bool reads_fit(const struct abi *abi, uint32_t reads, uint32_t buffers)
{
    const struct visa_used *u = abi->l->used;
    for (uint32_t i = 0; i < VISA_OWN_BTI; i++) {
        bool image = i < reads || i >= reads + buffers;
        if (image ? u->buffer[i] : u->typed[i] || u->sampled[i])
            return false;
        if (i < reads ? u->typed[i] : image && u->sampled[i] && !u->typed[i])
            return false; /* an image that is never written is read only (choice) */
    }
    return true;
}

static uint32_t count_access(const struct abi *abi, enum abi_access access)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < abi->count; i++)
        count += abi->arguments[i].kind == ABI_IMAGE && abi->arguments[i].access == access;
    return count;
}

/* Says of all images whether they are read only. */
static bool find_access(struct abi *abi)
{
    uint32_t images = count_kind(abi, ABI_IMAGE), unsaid = count_access(abi, ABI_UNSAID);
    uint32_t least = count_access(abi, ABI_READ), fits = 0, reads = 0;
    uint32_t buffers = count_kind(abi, ABI_GLOBAL) + count_kind(abi, ABI_CONSTANT);
    for (uint32_t r = least; unsaid && r <= least + unsaid; r++)
        if (reads_fit(abi, r, buffers)) {
            fits++;
            reads = r;
        }
    bool known = !unsaid || (fits == 1 && (reads == least || reads == least + unsaid));
    if (!known)
        return abi_fail(abi, ATOLL_USAGE,
                        "which of its %u images are read only is not told by what it does with them: say it, as in "
                        "-a 0=read:surface:..., -a 1=write:surface:...; " FILE_HINT,
                        images);
    for (uint32_t i = 0; i < abi->count; i++)
        if (abi->arguments[i].kind == ABI_IMAGE && abi->arguments[i].access == ABI_UNSAID)
            abi->arguments[i].access = reads > least ? ABI_READ : ABI_READ_WRITE;
    return true;
}

static void number_images(struct abi *abi, bool reads, uint32_t *next)
{
    for (unsigned dimension = 0; dimension < ABI_DIMENSIONS; dimension++)
        for (uint32_t i = 0; i < abi->count; i++) {
            struct abi_argument *a = &abi->arguments[i];
            if (a->kind == ABI_IMAGE && a->dimension == dimension && (a->access == ABI_READ) == reads)
                a->bti = (*next)++;
        }
}

static void number_buffers(struct abi *abi, enum abi_kind kind, uint32_t *next)
{
    for (uint32_t i = 0; i < abi->count; i++)
        if (abi->arguments[i].kind == kind)
            abi->arguments[i].bti = (*next)++;
}

static bool indices(struct abi *abi)
{
    uint32_t next = 0;
    if (!find_access(abi))
        return false;
    number_images(abi, true, &next);
    number_buffers(abi, ABI_GLOBAL, &next);
    number_buffers(abi, ABI_CONSTANT, &next);
    for (uint32_t i = 0; i < abi->npieces; i++)
        next += abi->pieces[i].what == abi_words_find("private_base_stateless");
    number_images(abi, false, &next);
    return next <= VISA_OWN_BTI || abi_fail(abi, ATOLL_UNSUPPORTED, "not supported: %u surfaces", next);
}

bool abi_deduce(struct abi *abi)
{
    struct deduce d = {.abi = abi};
    d.order = abi_inputs(abi, &d.count);
    if (!d.order)
        return error_memory(abi->l->error);
    return begin(&d) && arguments(&d) && implicit(&d) && indices(abi);
}

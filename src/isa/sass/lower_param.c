/* The parameter space of a kernel is its constant bank 0 (docs/maxwell.md, "Constant bank 0"): launch words up to
 * 0x140, then the parameters, then slots for surface and texture references. */
#include "isa/sass/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is where; everything else up to the parameters is zero. */
#define WORD(at, what)                                      \
    {                                                       \
        .offset = (at), .size = 4, .kind = LANE_WORD_##what \
    }
static const struct lane_word launch_words[] = {
    WORD(0x00, SHARED),    WORD(0x04, LOCAL),    WORD(0x08, NTID_X),         WORD(0x0c, NTID_Y),
    WORD(0x10, NTID_Z),    WORD(0x14, NCTAID_X), WORD(0x18, NCTAID_Y),       WORD(0x1c, NCTAID_Z),
    WORD(0x20, STACK),     WORD(0xfc, DYNAMIC),  WORD(0x34, WORKSPACE_HIGH), /* %envreg1 of ptxas 11.8 */
    WORD(0x38, WORKSPACE),                                                   /* %envreg2 */
};
enum {
    SURFACES = 0xc0,      /* 64 bits: address of the table of surfaces */
    CONSTANT_BASE = 0xd0, /* 64 bits: generic address of bank 3 */
    SPACE_MOST = 1 << 15  /* bytes: what surface instructions can name (13 bits of words), and the verifier's limit */
};

/* Of the table of surfaces, as ptxas 11.8 and 12.4 read it (docs/maxwell.md, "Constant bank 0"). */
static const struct lane_word surfaces = {
    .offset = SURFACES,
    .size = 8,
    .kind = LANE_WORD_SURFACES,
    .nentry = SASS_SURFACE_ENTRY / 4,
    .entry = {LANE_SUQ_FIRST, LANE_SUQ_SECOND, LANE_SUQ_THIRD, LANE_SUQ_CHANNEL_DATA_TYPE, LANE_SUQ_CHANNEL_ORDER,
              LANE_SUQ_MEMORY_LAYOUT, LANE_SUQS, LANE_SUQ_ARRAY_SIZE},
};

/* Local memory where the need is unknown: recursion, pointers to functions. CUDA's own limit is 512 KiB. */
enum { STACK_UNKNOWN = 1 << 19, STACK_LEAST = 1024 };

/* suq of all but width and height reads the table of surfaces, whose entries have the size that this symbol tells. */
static bool reads_surfaces(const struct sass_module *m)
{
    for (uint32_t i = 0; i < m->nsymbols; i++)
        if (strcmp(m->symbols[i].name, SASS_SURFACE_SIZE) == 0)
            return true;
    return false;
}

static bool words_add(struct sass_lowerer *l)
{
    const struct sass_module *m = l->linked->module;
    if (reads_surfaces(m)) {
        lane_word(&l->b, &surfaces);
    }
    for (size_t i = 0; i < sizeof launch_words / sizeof *launch_words; i++)
        lane_word(&l->b, &launch_words[i]);
    uint32_t variable = m->constant3 ? l->linked->variables[m->constant3] : 0;
    if (variable) {
        struct lane_word word = {.offset = CONSTANT_BASE, .size = 8, .kind = LANE_WORD_ADDRESS, .symbol = variable};
        lane_word(&l->b, &word);
    }
    return !l->b.failed || error_memory(l->error);
}

/* The lane symbol of a surface reference. */
static uint32_t reference_symbol(struct sass_lowerer *l, const char *name)
{
    struct lane_module *out = l->linked->out;
    for (uint32_t n = 1; n <= out->nsymbols; n++)
        if (out->symbols[n - 1].kind == LANE_SYMBOL_SURFREF && strcmp(out->symbols[n - 1].name, name) == 0)
            return n;
    struct lane_symbol symbol = {.kind = LANE_SYMBOL_SURFREF, .size = 8, .align = 8, .count = 1};
    symbol.name = arena_text(&out->arena, name, strlen(name));
    symbol.surfrefs = arena_array(&out->arena, 1, sizeof *symbol.surfrefs);
    return symbol.name && symbol.surfrefs ? lane_add_symbol(out, &symbol) : 0;
}

/* Relocations of .nv.constant0.K: slots that hold handles of references. */
static bool slots_add(struct sass_lowerer *l, uint64_t space)
{
    const struct sass_module *m = l->linked->module;
    uint32_t section = l->function->constant[0];
    unsigned count = 0;
    const struct sass_relocation *const *list = section ? sass_link_relocations(l->linked, section, &count) : NULL;
    for (unsigned i = 0; i < count; i++) {
        const struct sass_relocation *r = list[i];
        if (r->type == SASS_R_TEX_HEADER)
            continue; /* textures: an error when one is fetched from */
        if (r->type != SASS_R_SURF_HEADER || r->offset > space - 4) {
            const char *name = sass_relocation_name(r->type);
            return error_set(l->error, ATOLL_UNSUPPORTED, "not supported: relocation %s (type %u) at %s+0x%" PRIx64,
                             name ? name : "of unknown kind", r->type, m->sections[section].name, r->offset);
        }
        struct lane_word word = {.offset = (uint32_t)r->offset,
                                 .size = 4,
                                 .kind = LANE_WORD_ADDRESS,
                                 .symbol = reference_symbol(l, m->symbols[r->symbol].name)};
        if (!word.symbol)
            return error_memory(l->error);
        lane_word(&l->b, &word);
    }
    return true;
}

/* How code names words of the parameters: bits of a byte for each. */
enum { NAMED_WORD = 1, NAMED_HEADER = 2 };
struct named {
    uint8_t *words;
    uint32_t at, most, bytes; /* of the first; how many there may be; how many the words span */
};

static void name_word(struct named *n, int64_t at, uint8_t how)
{
    if (at < n->at || at >= (int64_t)n->at + n->most)
        return;
    uint32_t word = (uint32_t)(at - n->at) / 4;
    n->words[word] |= how;
    n->bytes = 4 * word + 4 > n->bytes ? 4 * word + 4 : n->bytes;
}

/* The words of the parameters that an instruction names, as constants or as headers' indexes. */
static void name_words(struct sass_lowerer *l, const struct sass_insn *insn, struct named *n)
{
    struct isa_operand op[SASS_OPERANDS];
    uint32_t header;
    unsigned count = isa_operands(l->table, insn->form, &insn->word, 0, op, SASS_OPERANDS);
    for (unsigned k = 0; k < count; k++)
        if (op[k].kind == ISA_CONSTANT && op[k].bank == 0)
            name_word(n, op[k].value, NAMED_WORD);
    if (l->function->surface_bank == 0 && sass_bound_header(l->table, insn->form, &insn->word, &header))
        name_word(n, header, NAMED_HEADER);
}

static void find_named(struct sass_lowerer *l, struct named *n)
{
    for (unsigned t = 0; t < l->linked->ntexts; t++) {
        const struct sass_code *code = &l->linked->texts[t].code;
        for (size_t i = 0; i < code->count; i++)
            if (code->insns[i].form)
                name_words(l, &code->insns[i], n);
    }
}

/* Bytes of the parameter at a word: two words at a multiple of 8 that are both named are one of 8 bytes; so are a
 * header and a word that nothing names, as CUDA's surface objects have it; all others are words. */
static uint32_t named_size(const struct named *n, uint32_t offset)
{
    const uint8_t *word = n->words + offset / 4;
    if (offset % 8 || offset + 8 > n->most)
        return 4;
    return word[0] & NAMED_HEADER ? word[1] ? 4 : 8 : word[0] && word[1] == NAMED_WORD ? 8 : 4;
}

/* Nothing tells integers from floats. */
static const char *type_of_size(uint32_t size)
{
    return size == 8 ? "b64" : size == 4 ? "b32" : size == 2 ? "b16" : "b8";
}

static bool space_check(struct sass_lowerer *l, uint64_t bytes)
{
    return bytes <= SPACE_MOST || error_set(l->error, ATOLL_UNSUPPORTED,
                                            "not supported: kernel '%.200s' with parameters at 0x%x in a constant bank "
                                            "of %" PRIu64 " bytes (at most %d)",
                                            l->function->name, l->b.func->param_at, bytes, SPACE_MOST);
}

/* Plain text may leave its parameters unsaid. */
static bool parameters_guess(struct sass_lowerer *l)
{
    enum { MOST = SASS_PARAMETERS_MOST };
    struct lane_func *out = l->b.func;
    struct arena *arena = &l->linked->out->arena;
    struct named named = {.words = arena_array(l->arena, MOST / 4 + 2, 1), .at = out->param_at, .most = MOST};
    if (!named.words)
        return error_memory(l->error);
    /* An .nv.info.K says how many bytes there are: none for a kernel beside others that have some. */
    if (l->function->info && l->function->cbank_size < MOST)
        named.most = l->function->cbank_size;
    find_named(l, &named);
    uint32_t bytes = named.bytes ? named.bytes - 4 + named_size(&named, named.bytes - 4) : 0;
    out->kparams = arena_array(arena, bytes / 4 + 1, sizeof *out->kparams);
    if (!out->kparams)
        return error_memory(l->error);
    for (uint32_t offset = 0; offset < bytes;) {
        uint32_t size = named_size(&named, offset);
        char name[16];
        int length = snprintf(name, sizeof name, "p%" PRIu32, out->nkparams);
        struct lane_param *param = &out->kparams[out->nkparams++];
        *param = (struct lane_param){.name = arena_text(arena, name, (size_t)length),
                                     .type = type_of_size(size),
                                     .offset = offset,
                                     .size = size,
                                     .align = size,
                                     .count = 1,
                                     .pointer = size == 8};
        if (!param->name)
            return error_memory(l->error);
        offset += size;
    }
    out->param_bytes = bytes;
    if (out->param_at + bytes > out->param_space)
        out->param_space = (out->param_at + bytes + 7) & ~UINT32_C(7);
    return space_check(l, out->param_space);
}

static bool parameters_add(struct sass_lowerer *l)
{
    const struct sass_function *f = l->function;
    if (f->nparameters == 0)
        return parameters_guess(l);
    struct lane_func *out = l->b.func;
    struct arena *arena = &l->linked->out->arena;
    out->kparams = arena_array(arena, f->nparameters + 1, sizeof *out->kparams);
    if (!out->kparams)
        return error_memory(l->error);
    for (unsigned i = 0; i < f->nparameters; i++) {
        const struct sass_parameter *p = &f->parameters[i];
        char name[16];
        int length = snprintf(name, sizeof name, "p%u", i);
        uint32_t align = p->size && (p->size & (p->size - 1)) == 0 && p->size <= 16 ? p->size : 1;
        while (p->offset % align)
            align /= 2;
        if ((uint64_t)p->offset + p->size > out->param_bytes)
            return error_set(l->error, ATOLL_INPUT, "kernel '%.200s': parameter %u does not fit %u bytes", f->name, i,
                             out->param_bytes);
        bool scalar = align == p->size && p->size <= 8; /* all else is bytes, as structures are */
        out->kparams[out->nkparams++] = (struct lane_param){.name = arena_text(arena, name, (size_t)length),
                                                            .type = scalar ? type_of_size(p->size) : "b8",
                                                            .offset = p->offset,
                                                            .size = p->size,
                                                            .align = align,
                                                            .count = scalar ? 1 : p->size,
                                                            .pointer = scalar && p->size == 8};
        if (!out->kparams[i].name)
            return error_memory(l->error);
    }
    return true;
}

/* The bank's size: its section, or the parameters alone where there is none (plain text). */
static bool space_find(struct sass_lowerer *l, uint64_t *space)
{
    const struct sass_function *f = l->function;
    struct lane_func *out = l->b.func;
    const struct sass_section *bank = &l->linked->module->sections[f->constant[0]];
    out->param_at = f->cbank_offset ? f->cbank_offset : SASS_PARAMETERS;
    out->param_bytes = f->cbank_size;
    for (unsigned i = 0; i < f->nparameters; i++)
        if (f->parameters[i].offset + f->parameters[i].size > out->param_bytes)
            out->param_bytes = f->parameters[i].offset + f->parameters[i].size;
    *space = (uint64_t)out->param_at + out->param_bytes;
    if (f->constant[0] && bank->size > *space)
        *space = bank->size;
    if (out->param_at < CONSTANT_BASE + 8)
        return error_set(l->error, ATOLL_INPUT, "kernel '%.200s': parameters at 0x%x, among the launch words", f->name,
                         out->param_at);
    if (*space < SASS_PARAMETERS)
        *space = SASS_PARAMETERS;
    *space = (*space + 7) & ~UINT64_C(7);
    out->param_space = (uint32_t)*space;
    return space_check(l, *space);
}

static bool shared_add(struct sass_lowerer *l)
{
    const struct sass_function *f = l->function;
    struct lane_module *out = l->linked->out;
    if (!f->shared)
        return true;
    if (f->shared_size > SASS_SHARED_MOST)
        return error_set(l->error, ATOLL_INPUT, "kernel '%.200s': %" PRIu64 " bytes of shared memory", f->name,
                         f->shared_size);
    const char *name = l->linked->module->sections[f->shared].name;
    struct lane_symbol symbol = {.kind = LANE_SYMBOL_SHARED, .size = f->shared_size, .align = 16};
    symbol.dynamic = f->shared_size == 0;
    symbol.name = arena_text(&out->arena, name, strlen(name));
    uint32_t number = symbol.name ? lane_add_symbol(out, &symbol) : 0;
    if (!number)
        return error_memory(l->error);
    lane_address(&l->b, 32, number, 0); /* to be named is to be used; the code says plain numbers, from 0 */
    return true;
}

/* The attributes are all ones where functions call themselves or one that is not known (ptxas 11.8, 12.4). */
static uint64_t stack_bytes(const struct sass_function *f)
{
    if (f->min_stack == UINT32_MAX || f->max_stack == UINT32_MAX)
        return STACK_UNKNOWN;
    uint64_t bytes = f->min_stack > f->frame_size ? f->min_stack : f->frame_size;
    bytes = (bytes > f->max_stack ? bytes : f->max_stack) + f->local_size;
    if (bytes < STACK_LEAST)
        bytes = STACK_LEAST;
    return (bytes + 15) & ~UINT64_C(15);
}

bool sass_lower_parameters(struct sass_lowerer *l)
{
    const struct sass_function *f = l->function;
    struct lane_func *out = l->b.func;
    uint64_t space;
    out->name = arena_text(&l->linked->out->arena, f->name, strlen(f->name));
    out->kernel = out->stacked = true;
    if (!out->name)
        return error_memory(l->error);
    memcpy(out->max_block, f->max_threads, sizeof out->max_block);
    memcpy(out->required_block, f->required_threads, sizeof out->required_block);
    if (stack_bytes(f) > STACK_UNKNOWN)
        return error_set(l->error, ATOLL_UNSUPPORTED,
                         "not supported: kernel '%.200s' with %" PRIu64 " bytes of local memory (at most %d)", f->name,
                         stack_bytes(f), STACK_UNKNOWN);
    out->local_bytes = (uint32_t)stack_bytes(f);
    if (!space_find(l, &space) || !parameters_add(l))
        return false;
    space = out->param_space;
    l->flow->nconstants = (uint32_t)(space / 4);
    l->flow->constants = arena_array(l->arena, l->flow->nconstants, sizeof *l->flow->constants);
    if (!l->flow->constants)
        return error_memory(l->error);
    return words_add(l) && slots_add(l, space) && shared_add(l);
}

/* The kernel calls. What ptxas says in an executable file holds for all that it calls (all ones: see above). Where
 * nothing is said - plain text without .local, relocatable files - calls may nest without end. */
void sass_lower_stack(struct sass_lowerer *l)
{
    bool known = l->function->min_stack && !l->linked->module->relocatable;
    if (!known && l->b.func->local_bytes < STACK_UNKNOWN)
        l->b.func->local_bytes = STACK_UNKNOWN;
}

/* Variables of a module as symbols: their bytes, the addresses in them, and the fields of surface references. */
#include "isa/ptx/lower_data.h"
#include "base/bytes.h"
#include "base/half.h"
#include "isa/ptx/init_walk.h"
#include "mem/space.h"

#include <string.h>

/* ---- initial bytes -------------------------------------------------------------------------------------- */

struct image {
    struct lowerer *l;
    const struct ptx_decl *decl;
    uint8_t *bytes;
    uint64_t size, element; /* of the variable; of one element */
    struct lane_reloc *relocs;
    uint32_t nrelocs, cap_relocs;
    bool failed;
};

static void add_reloc(struct image *image, const struct lane_reloc *reloc)
{
    if (image->nrelocs == image->cap_relocs) {
        uint32_t capacity = image->cap_relocs == 0 ? 16 : image->cap_relocs * 2;
        struct lane_reloc *grown =
            arena_grow(&image->l->out->arena, image->relocs, image->nrelocs, capacity, sizeof(*grown));
        if (grown == NULL) {
            image->failed = true;
            return;
        }
        image->relocs = grown;
        image->cap_relocs = capacity;
    }
    image->relocs[image->nrelocs++] = *reloc;
}

/* Address bytes come singly, 0xFF(sym), 0xFF00(sym) ...: byte n continues the relocation of bytes 0 to n - 1, which
 * check_init has seen to. */
static void put_address_byte(struct image *image, uint64_t offset, const struct lane_reloc *whole, unsigned byte)
{
    struct lane_reloc *last = image->nrelocs > 0 ? &image->relocs[image->nrelocs - 1] : NULL;
    if (byte == 0) {
        struct lane_reloc first = *whole;
        first.size = 1;
        add_reloc(image, &first);
    } else if (last != NULL && last->size == byte && last->offset + byte == offset && last->symbol == whole->symbol &&
               last->addend == whole->addend) {
        last->size++;
    } else {
        image->failed = !error_set(image->l->error, ATOLL_UNSUPPORTED,
                                   "not supported: byte %u of an address without the bytes before it, in '%s'", byte,
                                   image->decl->name);
    }
}

static void put_symbol(struct image *image, uint64_t offset, const struct ptx_init *init)
{
    const struct ptx_decl *decl = init->decl;
    struct lane_reloc reloc = {
        .offset = (uint32_t)offset, .size = (uint32_t)image->element, .addend = (int64_t)init->value};
    if (decl == NULL)
        return;
    if (decl->kind == PTX_DECL_FUNC)
        reloc.symbol = lower_function_symbol(image->l, decl->func);
    else if (decl->kind == PTX_DECL_VAR && decl->space != PTX_local)
        reloc.symbol = decl->id;
    if (init->generic && decl->space == PTX_shared)
        reloc.addend += (int64_t)SPACE_SHARED;
    if (reloc.symbol == 0)
        return;
    if (init->mask_byte != 0)
        put_address_byte(image, offset, &reloc, init->mask_byte - 1u);
    else
        add_reloc(image, &reloc);
}

static double as_double(const struct ptx_init *init)
{
    double wide;
    float narrow;
    uint32_t single = (uint32_t)init->value;
    if (init->kind == PTX_INIT_F32) {
        memcpy(&narrow, &single, sizeof(narrow));
        return (double)narrow;
    }
    if (init->kind == PTX_INIT_F64) {
        memcpy(&wide, &init->value, sizeof(wide));
        return wide;
    }
    return (double)(int64_t)init->value;
}

/* The bits of a number as an element of the variable: floats convert between each other, bit types keep the bits. */
static uint64_t number_bits(const struct ptx_init *init, uint16_t type)
{
    float narrow;
    uint32_t single;
    if (ptx_type_kind(type) != 'f' || (init->kind == PTX_INIT_F32 && type == PTX_f32))
        return init->value;
    double wide = as_double(init);
    if (type == PTX_f64) {
        uint64_t bits;
        memcpy(&bits, &wide, sizeof(bits));
        return bits;
    }
    if (type == PTX_f16 || type == PTX_bf16) {
        if (init->kind == PTX_INIT_INT)
            return init->value; /* halves are written as bits */
        return type == PTX_f16 ? f16_from_f64(wide, HALF_RN) : bf16_from_f64(wide, HALF_RN);
    }
    if (type != PTX_f32)
        return init->value;
    narrow = (float)wide;
    memcpy(&single, &narrow, sizeof(single));
    return single;
}

static void put_string(struct image *image, uint64_t offset, const struct ptx_init *init)
{
    const char *text = image->l->module->source + init->name.pos;
    for (uint32_t i = 0; i < init->name.length && offset < image->size; i++, offset++)
        image->bytes[offset] = (uint8_t)text[i];
}

static bool put(void *user, uint64_t offset, const struct ptx_init *init)
{
    struct image *image = user;
    if (init->kind == PTX_INIT_SYMBOL) {
        put_symbol(image, offset, init);
    } else if (init->kind == PTX_INIT_STRING) {
        put_string(image, offset, init);
    } else {
        uint64_t bits = number_bits(init, image->decl->type);
        bytes_put(image->bytes + offset, bits, image->element < 8 ? (unsigned)image->element : 8);
    }
    return !image->failed;
}

static bool initial_bytes(struct lowerer *l, const struct ptx_decl *decl, struct lane_symbol *symbol)
{
    struct image image = {.l = l, .decl = decl, .size = symbol->size, .element = ptx_type_bits(decl->type) / 8};
    image.bytes = arena_alloc(&l->out->arena, symbol->size);
    if (image.bytes == NULL)
        return error_memory(l->error);
    if (!init_walk(decl, image.size, put, &image))
        return l->error->status != ATOLL_OK ? false : error_memory(l->error);
    symbol->init = image.bytes;
    symbol->relocs = image.relocs;
    symbol->nrelocs = image.nrelocs;
    return true;
}

/* ---- surface references ------------------------------------------------------------------------------------ */

static void set_field(const struct ptx_module *module, struct lane_surfref_init *out, const struct ptx_init *field)
{
    const struct {
        const char *name;
        uint32_t *value;
    } fields[] = {
        {"width", &out->width},
        {"height", &out->height},
        {"depth", &out->depth},
        {"channel_data_type", &out->channel_data_type},
        {"channel_order", &out->channel_order},
        {"array_size", &out->array_size},
        {"memory_layout", &out->memory_layout},
    };
    for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (field->name.length == strlen(fields[i].name) &&
            memcmp(module->source + field->name.pos, fields[i].name, field->name.length) == 0)
            *fields[i].value = (uint32_t)(field->count > 0 ? field->children[0].value : field->value);
    out->given = true;
}

/* {width = 4, ...} fills element *next; a list of lists fills one element each. */
static void surfref_fields(const struct ptx_module *module, const struct ptx_init *init, struct lane_surfref_init *out,
                           uint32_t count, uint32_t *next)
{
    bool leaf = true;
    if (init->kind == PTX_INIT_FIELD) {
        set_field(module, &out[*next], init);
        return;
    }
    for (uint32_t i = 0; i < init->count && *next < count; i++) {
        leaf &= init->children[i].kind != PTX_INIT_LIST;
        surfref_fields(module, &init->children[i], out, count, next);
    }
    *next += leaf;
}

static bool surfref_symbol(struct lowerer *l, const struct ptx_decl *decl, struct lane_symbol *symbol)
{
    symbol->kind = LANE_SYMBOL_SURFREF;
    symbol->count = (uint32_t)decl->elements;
    symbol->surfrefs = arena_array(&l->out->arena, symbol->count, sizeof(*symbol->surfrefs));
    if (symbol->surfrefs == NULL)
        return error_memory(l->error);
    uint32_t next = 0;
    if (decl->init != NULL)
        surfref_fields(l->module, decl->init, symbol->surfrefs, symbol->count, &next);
    return true;
}

/* ---- symbols --------------------------------------------------------------------------------------------------- */

static bool add_symbol(struct lowerer *l, struct ptx_decl *decl)
{
    struct lane_symbol symbol = {
        .kind = decl->space == PTX_shared ? LANE_SYMBOL_SHARED : LANE_SYMBOL_GLOBAL,
        .name = arena_text(&l->out->arena, decl->name, strlen(decl->name)),
        .constant = decl->space == PTX_const,
        .external = (decl->linkage & PTX_LINK_EXTERN) != 0 && !(decl->space == PTX_shared && decl->unsized),
        .dynamic = decl->space == PTX_shared && decl->unsized,
        .managed = decl->managed,
        .size = decl->unsized && decl->init == NULL ? 0 : lower_decl_bytes(decl),
        .align = lower_decl_align(decl) > decl->link_align ? lower_decl_align(decl) : decl->link_align,
    };
    if (symbol.name == NULL)
        return error_memory(l->error);
    if (decl->type == PTX_surfref && !surfref_symbol(l, decl, &symbol))
        return false;
    decl->id = lane_add_symbol(l->out, &symbol);
    return decl->id != 0 || error_memory(l->error);
}

/* Variables that become symbols: not registers, parameters or local memory. */
static bool is_symbol(const struct ptx_decl *decl)
{
    return decl != NULL && decl->kind == PTX_DECL_VAR &&
           (decl->space == PTX_global || decl->space == PTX_const || decl->space == PTX_shared);
}

/* Names of module scope: a declaration (.extern) shares the symbol of the definition. */
static bool add_module_variables(struct lowerer *l)
{
    const struct ptx_module *m = l->module;
    struct namemap ids = {.arena = l->arena};
    for (unsigned pass = 0; pass < 2; pass++) { /* definitions first */
        for (uint32_t i = 0; i < m->nitems; i++) {
            struct ptx_decl *decl = m->items[i].decl;
            if (m->items[i].kind != PTX_ITEM_DECL || !is_symbol(decl) || decl->linked != NULL ||
                ((decl->linkage & PTX_LINK_EXTERN) != 0) != (pass == 1))
                continue;
            uint32_t known = namemap_find(&ids, decl->name, strlen(decl->name));
            if (known != UINT32_MAX)
                decl->id = known;
            else if (!add_symbol(l, decl))
                return false;
            else if (!namemap_add(&ids, decl->name, strlen(decl->name), decl->id))
                return error_memory(l->error);
        }
    }
    return true;
}

static bool add_function_variables(struct lowerer *l)
{
    for (uint32_t i = 0; i < l->module->nfuncs; i++) {
        const struct ptx_func *f = l->module->funcs[i];
        for (uint32_t j = 0; j < f->nstmts; j++)
            if (f->stmts[j].kind == PTX_STMT_DECL && is_symbol(f->stmts[j].decl) && !add_symbol(l, f->stmts[j].decl))
                return false;
    }
    return true;
}

static bool initialise(struct lowerer *l, const struct ptx_decl *decl)
{
    if (!is_symbol(decl) || decl->init == NULL || decl->linked != NULL || ptx_type_kind(decl->type) == 'o')
        return true;
    struct lane_symbol copy = l->out->symbols[decl->id - 1]; /* the array may move: function symbols are added */
    if (copy.init != NULL || copy.size == 0)
        return true;
    if (!initial_bytes(l, decl, &copy))
        return false;
    l->out->symbols[decl->id - 1] = copy;
    return true;
}

bool lower_symbols(struct lowerer *l)
{
    return add_module_variables(l) && add_function_variables(l);
}

bool lower_symbol_bytes(struct lowerer *l)
{
    const struct ptx_module *m = l->module;
    for (uint32_t i = 0; i < m->nitems; i++)
        if (m->items[i].kind == PTX_ITEM_DECL && m->items[i].decl->linked != NULL)
            m->items[i].decl->id = m->items[i].decl->linked->id;
    for (uint32_t i = 0; i < m->nitems; i++)
        if (m->items[i].kind == PTX_ITEM_DECL && !initialise(l, m->items[i].decl))
            return false;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        for (uint32_t j = 0; j < m->funcs[i]->nstmts; j++)
            if (m->funcs[i]->stmts[j].kind == PTX_STMT_DECL && !initialise(l, m->funcs[i]->stmts[j].decl))
                return false;
    return true;
}

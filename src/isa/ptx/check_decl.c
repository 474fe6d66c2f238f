/* Rules about the declarations of a module as a whole; what concerns one declaration alone is the parser's. */
#include "isa/ptx/check.h"
#include "isa/ptx/init_walk.h"
#include "isa/ptx/lower.h"

enum {
    CONST_BYTES = 65536,            /* PTX ISA, "Constant State Space" */
    LOCAL_BYTES = LANE_LOCAL_BYTES, /* 512 KiB: PTX ISA, "Local State Space" */
    /* Parameters of a kernel: PTX ISA, "Kernel Function Parameters", has 4096 bytes, and 32764 from PTX 8.1 and sm_70;
     * ptxas 13.0 takes 4352 everywhere. */
    PARAM_BYTES = 32764,
    PARAM_BYTES_ONCE = 4352,
};

static bool check_const_size(struct checker *c)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < c->module->nitems; i++) {
        const struct ptx_item *item = &c->module->items[i];
        if (item->kind != PTX_ITEM_DECL || item->decl == NULL || item->decl->kind != PTX_DECL_VAR ||
            item->decl->space != PTX_const || (item->decl->linkage & PTX_LINK_EXTERN) != 0)
            continue;
        uint64_t bytes = lower_decl_bytes(item->decl);
        total += bytes;
        if (bytes > CONST_BYTES || total > CONST_BYTES)
            return check_error(c, item->decl->span, "too-large",
                               "'%s' brings the constants of the module to %llu bytes; %d are possible",
                               item->decl->name, (unsigned long long)total, CONST_BYTES);
    }
    return true;
}

static bool check_results(struct checker *c, const struct ptx_func *f)
{
    for (uint32_t i = 0; f->nresults > 1 && i < f->nresults; i++)
        if (f->results[i]->space != PTX_reg)
            return check_error(c, f->results[i]->span, "bad-space", "several results must be in .reg");
    return true;
}

static uint64_t place_behind(uint64_t offset, const struct ptx_decl *decl)
{
    uint64_t align = lower_decl_align(decl), bytes = lower_decl_bytes(decl);
    offset = (offset + align - 1) / align * align;
    return offset > UINT64_MAX - bytes ? UINT64_MAX / 2 : offset + bytes;
}

static bool check_kernel_params(struct checker *c, const struct ptx_func *f)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; f->entry && i < f->nparams; i++) {
        bytes = place_behind(bytes, f->params[i]);
        if (bytes > PARAM_BYTES)
            return check_error(c, f->params[i]->span, "too-large",
                               "'%s' brings the parameters to %llu bytes; %d are possible", f->params[i]->name,
                               (unsigned long long)bytes, PARAM_BYTES);
    }
    return bytes <= PARAM_BYTES_ONCE || check_gate(c, f->decl->span, 81, 70, "more than 4352 bytes of parameters");
}

/* What lies in the frame: variables and parameters that something names; of a function its own, all of them. */
static uint64_t frame_bytes(const struct ptx_func *f)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; !f->entry && i < f->nresults; i++)
        bytes = place_behind(bytes, f->results[i]);
    for (uint32_t i = 0; !f->entry && i < f->nparams; i++)
        bytes = place_behind(bytes, f->params[i]);
    for (uint32_t i = 0; i < f->nstmts && bytes <= LOCAL_BYTES; i++) {
        const struct ptx_decl *decl = f->stmts[i].kind == PTX_STMT_DECL ? f->stmts[i].decl : NULL;
        bool local = decl != NULL && decl->used &&
                     ((decl->kind == PTX_DECL_VAR && decl->space == PTX_local) ||
                      (decl->kind == PTX_DECL_FPARAM && decl->space == PTX_param));
        bytes = local ? place_behind(bytes, decl) : bytes;
    }
    return bytes;
}

void check_frame(struct checker *c)
{
    uint64_t bytes = frame_bytes(c->func);
    if (bytes > LOCAL_BYTES)
        check_error(c, c->func->decl->span, "too-large", "'%s' wants %llu bytes of local memory; a thread has %d",
                    c->func->decl->name, (unsigned long long)bytes, LOCAL_BYTES);
}

/* The bytes of an address that were seen last. */
struct address_bytes {
    const struct ptx_init *first;
    uint64_t offset;
    unsigned count;
};

/* 0xFF00(name) is byte 1 of an address and is after byte 0: what a device loads is whole addresses. */
static bool address_in_order(void *user, uint64_t offset, const struct ptx_init *value)
{
    struct address_bytes *seen = user;
    if (value->kind != PTX_INIT_SYMBOL || value->decl == NULL || value->mask_byte == 0)
        return true;
    unsigned byte = value->mask_byte - 1u;
    if (byte == 0)
        *seen = (struct address_bytes){value, offset, 1};
    else if (seen->first == NULL || seen->count != byte || seen->offset + byte != offset ||
             seen->first->decl != value->decl || seen->first->value != value->value)
        return false;
    else
        seen->count++;
    return true;
}

struct init_check {
    struct checker *c;
    const struct ptx_decl *decl;
    struct address_bytes seen;
};

static bool check_value(void *user, uint64_t offset, const struct ptx_init *value)
{
    struct init_check *check = user;
    return address_in_order(&check->seen, offset, value) ||
           check_error(check->c, value->span, "not-supported",
                       "byte %u of an address without the bytes before it, in '%s'", value->mask_byte - 1u,
                       check->decl->name);
}

void check_init(struct checker *c, const struct ptx_decl *decl)
{
    struct init_check check = {.c = c, .decl = decl};
    if (decl != NULL && decl->kind == PTX_DECL_VAR && decl->init != NULL && ptx_type_kind(decl->type) != 'o')
        init_walk(decl, lower_decl_bytes(decl), check_value, &check);
}

bool check_declarations(struct checker *c)
{
    bool ok = check_const_size(c);
    for (uint32_t i = 0; i < c->module->nfuncs; i++)
        ok &= check_results(c, c->module->funcs[i]) && check_kernel_params(c, c->module->funcs[i]);
    for (uint32_t i = 0; i < c->module->nitems; i++)
        if (c->module->items[i].kind == PTX_ITEM_DECL)
            check_init(c, c->module->items[i].decl);
    return ok;
}

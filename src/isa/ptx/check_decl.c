/* Rules about the declarations of a module as a whole; what concerns one declaration alone is the parser's. */
#include "isa/ptx/check.h"

enum { CONST_BYTES = 65536 }; /* PTX ISA, "Constant State Space" */

static uint64_t bytes_of(const struct ptx_decl *decl)
{
    return decl->elements * (decl->vec > 1 ? decl->vec : 1) * ((ptx_type_bits(decl->type) + 7) / 8);
}

static bool check_const_size(struct checker *c)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < c->module->nitems; i++) {
        const struct ptx_item *item = &c->module->items[i];
        if (item->kind != PTX_ITEM_DECL || item->decl == NULL || item->decl->kind != PTX_DECL_VAR ||
            item->decl->space != PTX_const || (item->decl->linkage & PTX_LINK_EXTERN) != 0)
            continue;
        uint64_t bytes = bytes_of(item->decl);
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

bool check_declarations(struct checker *c)
{
    bool ok = check_const_size(c);
    for (uint32_t i = 0; i < c->module->nfuncs; i++)
        ok &= check_results(c, c->module->funcs[i]);
    return ok;
}

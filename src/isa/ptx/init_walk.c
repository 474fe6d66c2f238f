/* Where the values of an initialiser lie in the variable. */
#include "isa/ptx/init_walk.h"
#include "isa/ptx/row.h"

struct walk {
    const struct ptx_decl *decl;
    uint64_t size, element; /* of the variable; of one element */
    init_visit_fn *visit;
    void *user;
};

/* Bytes of one element of a list at a depth: the inner dimensions (and the vector) times the element. */
static uint64_t stride(const struct walk *w, unsigned depth)
{
    uint64_t bytes = w->element;
    if (depth < w->decl->ndims && w->decl->vec > 1)
        bytes *= w->decl->vec;
    for (unsigned i = depth + 1; i < w->decl->ndims; i++)
        bytes *= w->decl->dims[i];
    return bytes;
}

static bool walk(const struct walk *w, uint64_t offset, const struct ptx_init *init, unsigned depth)
{
    if (init->kind != PTX_INIT_LIST)
        return w->element == 0 || offset > w->size || w->element > w->size - offset || w->visit(w->user, offset, init);
    for (uint32_t i = 0; i < init->count && offset < w->size; i++) {
        const struct ptx_init *child = &init->children[i];
        if (!walk(w, offset, child, depth + 1))
            return false;
        offset += child->kind == PTX_INIT_LIST ? stride(w, depth) : w->element;
    }
    return true;
}

bool init_walk(const struct ptx_decl *decl, uint64_t size, init_visit_fn *visit, void *user)
{
    struct walk w = {decl, size, ptx_type_bits(decl->type) / 8, visit, user};
    return walk(&w, 0, decl->init, 0);
}

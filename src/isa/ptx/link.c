/* Several modules as one: what is .visible, .weak, .common or .extern has one meaning in all of them; other names stay
 * apart. The rules are those of nvlink 13.0, asked with objects of ptxas -c:
 *
 *   - one definition that is neither .weak nor .common stands for all; two are an error
 *   - else the first .weak one; else the largest .common one
 *   - declarations agree in space, size (where both have one), managed or not; functions in their parameters
 *   - a .common variable may not be larger than the definition that it gives way to
 *   - a variable that is declared has to be defined; a function only if a kernel gets to it, or its address is kept
 *   - an .extern .shared array without a size is dynamic shared memory unless somebody defines it */
#include "isa/ptx/lower.h"

#include "base/namemap.h"

#include <string.h>

/* What a declaration has to offer. */
enum rank { UNDEFINED, COMMON, WEAK, STRONG };

struct meaning {
    struct ptx_decl *decl; /* the best so far */
    uint32_t module;
};

struct linker {
    struct ptx_module *const *modules;
    struct diag *diags;
    unsigned count;
    struct arena *arena;
    struct namemap names; /* to meanings */
    struct meaning *meanings;
    uint32_t nmeanings;
    bool no_memory;
};

static void complain(struct linker *l, uint32_t module, struct span span, const char *code, const char *text,
                     const struct ptx_decl *decl, const struct meaning *other)
{
    uint32_t line = 0, column = 0;
    if (other != NULL)
        diag_place(&l->diags[other->module], other->decl->span.pos, &line, &column);
    if (other != NULL)
        diag_report(&l->diags[module], ATOLL_ERROR, code, span.pos, span.length, "'%.200s' %s %s:%u", decl->name, text,
                    l->modules[other->module]->file, line);
    else
        diag_report(&l->diags[module], ATOLL_ERROR, code, span.pos, span.length, "'%.200s' %s", decl->name, text);
}

static bool is_dynamic(const struct ptx_decl *decl)
{
    return decl->kind == PTX_DECL_VAR && decl->space == PTX_shared && decl->unsized &&
           (decl->linkage & PTX_LINK_EXTERN) != 0;
}

static enum rank rank_of(const struct ptx_decl *decl)
{
    bool defined = decl->kind == PTX_DECL_FUNC ? decl->func->has_body : (decl->linkage & PTX_LINK_EXTERN) == 0;
    if (!defined)
        return UNDEFINED;
    return decl->linkage & PTX_LINK_COMMON ? COMMON : decl->linkage & PTX_LINK_WEAK ? WEAK : STRONG;
}

/* ---- agreement ------------------------------------------------------------------------------------------ */

static bool same_parameters(struct ptx_decl *const *a, struct ptx_decl *const *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (lower_decl_bytes(a[i]) != lower_decl_bytes(b[i]) || (a[i]->ndims == 0) != (b[i]->ndims == 0) ||
            (ptx_type_kind(a[i]->type) == 'f') != (ptx_type_kind(b[i]->type) == 'f'))
            return false;
    return true;
}

static const char *functions_differ(const struct ptx_func *a, const struct ptx_func *b)
{
    if (a->entry != b->entry)
        return "is a kernel in one file and a function in the other:";
    bool same = a->nparams == b->nparams && a->nresults == b->nresults &&
                same_parameters(a->results, b->results, a->nresults) &&
                same_parameters(a->params, b->params, a->nparams);
    return same ? NULL : "has other parameters or results than in";
}

static const char *variables_differ(const struct ptx_decl *a, const struct ptx_decl *b)
{
    bool opaque = ptx_type_kind(a->type) == 'o' || ptx_type_kind(b->type) == 'o';
    if (a->space != b->space || (opaque && a->type != b->type))
        return "is in another state space than in";
    if (a->managed != b->managed)
        return "is managed in one file and not in the other:";
    bool common = (a->linkage & PTX_LINK_COMMON) != 0 || (b->linkage & PTX_LINK_COMMON) != 0;
    if (!common && a->elements != 0 && b->elements != 0 && lower_decl_bytes(a) != lower_decl_bytes(b))
        return "has another size than in";
    return NULL;
}

static const char *differ(const struct ptx_decl *a, const struct ptx_decl *b)
{
    if (a->kind != b->kind)
        return "is a function in one file and a variable in the other:";
    return a->kind == PTX_DECL_FUNC ? functions_differ(a->func, b->func) : variables_differ(a, b);
}

/* ---- meanings ------------------------------------------------------------------------------------------- */

/* A .common variable that gives way to a definition must fit into it. */
static bool fits(const struct ptx_decl *common, const struct ptx_decl *definition)
{
    return rank_of(common) != COMMON || rank_of(definition) <= COMMON ||
           lower_decl_bytes(common) <= lower_decl_bytes(definition);
}

static void join(struct linker *l, struct meaning *known, uint32_t module, struct ptx_decl *decl)
{
    enum rank old = rank_of(known->decl), new = rank_of(decl);
    const char *what = differ(known->decl, decl);
    if (what != NULL)
        complain(l, module, decl->span, "link-mismatch", what, decl, known);
    else if (old == STRONG && new == STRONG)
        complain(l, module, decl->span, "link-duplicate", "is defined in", decl, known);
    else if (!fits(decl, known->decl) || !fits(known->decl, decl))
        complain(l, module, decl->span, "link-mismatch", ".common is larger than the definition, see", decl, known);
    if (new > old || (new == COMMON &&old == COMMON &&lower_decl_bytes(decl) > lower_decl_bytes(known->decl)))
        *known = (struct meaning){decl, module};
}

static struct meaning *meaning_of(struct linker *l, const struct ptx_decl *decl)
{
    uint32_t index = namemap_find(&l->names, decl->name, strlen(decl->name));
    return index != UINT32_MAX ? &l->meanings[index] : NULL;
}

static void declare(struct linker *l, uint32_t module, struct ptx_decl *decl)
{
    struct meaning *known = meaning_of(l, decl);
    if (known != NULL) {
        join(l, known, module, decl);
        return;
    }
    l->meanings[l->nmeanings] = (struct meaning){decl, module};
    l->no_memory |= !namemap_add(&l->names, decl->name, strlen(decl->name), l->nmeanings++);
}

/* Item i if other modules can see it. */
static struct ptx_decl *shown(const struct ptx_module *m, uint32_t i)
{
    const struct ptx_item *item = &m->items[i];
    struct ptx_decl *decl = item->decl;
    if (item->kind == PTX_ITEM_DIRECTIVE || decl == NULL || decl->linkage == PTX_LINK_NONE)
        return NULL;
    if (decl->kind == PTX_DECL_FUNC)
        return decl->repeated ? NULL : decl;
    return decl->kind == PTX_DECL_VAR ? decl : NULL;
}

static void for_shown(struct linker *l, void (*visit)(struct linker *l, uint32_t module, struct ptx_decl *decl))
{
    for (uint32_t m = 0; m < l->count; m++)
        for (uint32_t i = 0; i < l->modules[m]->nitems; i++)
            if (shown(l->modules[m], i) != NULL)
                visit(l, m, shown(l->modules[m], i));
}

/* A declaration gets the meaning of its name. */
static void bind(struct linker *l, uint32_t module, struct ptx_decl *decl)
{
    struct ptx_decl *best = meaning_of(l, decl)->decl;
    (void)module;
    if (best == decl || best->kind != decl->kind)
        return;
    if (decl->kind == PTX_DECL_FUNC) {
        decl->func->decl->func = best->func; /* the body is with a declaration of its own */
        decl->func = best->func;
        return;
    }
    uint32_t align = lower_decl_align(decl);
    decl->linked = best;
    best->link_align = align > best->link_align ? align : best->link_align;
}

static void undefined_variable(struct linker *l, uint32_t module, struct ptx_decl *decl)
{
    const struct meaning *m = meaning_of(l, decl);
    if (m->decl == decl && decl->kind == PTX_DECL_VAR && rank_of(decl) == UNDEFINED && !is_dynamic(decl))
        complain(l, module, decl->span, "link-undefined", "is defined in none of the files", decl, NULL);
}

/* ---- functions that are reached --------------------------------------------------------------------------- */

struct walk {
    struct linker *l;
    struct ptx_func **reached;
    uint32_t count, *module; /* of each reached function; where the walk is */
    uint32_t here;
};

static void reach(struct walk *w, const struct ptx_decl *decl, struct span span, uint32_t module)
{
    if (decl == NULL || decl->kind != PTX_DECL_FUNC || decl->func == NULL || decl->func->reached)
        return;
    decl->func->reached = true;
    if (decl->func->has_body) {
        const struct meaning *m = decl->linkage != PTX_LINK_NONE ? meaning_of(w->l, decl) : NULL;
        w->module[w->count] = m != NULL ? m->module : module;
        w->reached[w->count++] = decl->func;
    } else if (!lower_is_service(decl->name)) {
        complain(w->l, module, span, "link-undefined", "is defined in none of the files", decl, NULL);
    }
}

static void reach_operand(struct walk *w, const struct insn_operand *op)
{
    if (op->kind == INSN_SYMBOL && op->decl != NULL)
        reach(w, op->decl, op->span, w->here);
    const struct ptx_decl *list = op->kind == INSN_SYMBOL ? op->decl : NULL;
    if (list != NULL && list->kind == PTX_DECL_TARGETS)
        for (uint32_t i = 0; i < list->ntargets; i++)
            reach(w, list->targets[i].decl, op->span, w->here);
    for (uint32_t i = 0; op->children != NULL && i < op->count; i++)
        reach_operand(w, &op->children[i]);
}

static void reach_init(struct walk *w, const struct ptx_init *init)
{
    if (init->kind == PTX_INIT_SYMBOL)
        reach(w, init->decl, init->span, w->here);
    for (uint32_t i = 0; i < init->count; i++)
        reach_init(w, &init->children[i]);
}

static void reach_body(struct walk *w, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->nstmts; i++) {
        const struct ptx_stmt *stmt = &f->stmts[i];
        if (stmt->kind == PTX_STMT_DECL && stmt->decl->init != NULL)
            reach_init(w, stmt->decl->init);
        for (unsigned k = 0; stmt->kind == PTX_STMT_INSN && k < stmt->insn->noperands; k++)
            reach_operand(w, &stmt->insn->operands[k]);
    }
}

/* From all kernels and initial values on. */
static void undefined_functions(struct linker *l)
{
    uint32_t total = 0;
    for (unsigned m = 0; m < l->count; m++)
        total += l->modules[m]->nfuncs;
    struct walk w = {.l = l,
                     .reached = arena_array(l->arena, total + 1, sizeof(struct ptx_func *)),
                     .module = arena_array(l->arena, total + 1, sizeof(uint32_t))};
    l->no_memory |= w.reached == NULL || w.module == NULL;
    if (l->no_memory)
        return;
    for (w.here = 0; w.here < l->count; w.here++) {
        const struct ptx_module *m = l->modules[w.here];
        for (uint32_t i = 0; i < m->nfuncs; i++)
            if (m->funcs[i]->entry && m->funcs[i]->has_body)
                reach(&w, m->funcs[i]->decl, m->funcs[i]->decl->span, w.here);
        for (uint32_t i = 0; i < m->nitems; i++)
            if (m->items[i].kind == PTX_ITEM_DECL && m->items[i].decl->init != NULL)
                reach_init(&w, m->items[i].decl->init);
    }
    for (uint32_t i = 0; i < w.count; i++) {
        w.here = w.module[i];
        reach_body(&w, w.reached[i]);
    }
}

static bool same_addresses(struct linker *l)
{
    for (unsigned m = 1; m < l->count; m++)
        if (l->modules[m]->address_size != l->modules[0]->address_size)
            diag_report(&l->diags[m], ATOLL_ERROR, "link-mismatch", l->modules[m]->version_span.pos,
                        l->modules[m]->version_span.length, "addresses have %u bits; in %s they have %u",
                        l->modules[m]->address_size, l->modules[0]->file, l->modules[0]->address_size);
    return true;
}

bool ptx_link(struct ptx_module *const *modules, struct diag *diags, unsigned count)
{
    uint32_t items = 0;
    struct linker l = {.modules = modules, .diags = diags, .count = count, .arena = modules[0]->arena};
    for (unsigned m = 0; m < count; m++)
        items += modules[m]->nitems;
    l.meanings = arena_array(l.arena, items + 1, sizeof *l.meanings);
    l.no_memory = l.meanings == NULL || !same_addresses(&l);
    if (!l.no_memory)
        for_shown(&l, declare);
    if (!l.no_memory) {
        for_shown(&l, bind);
        for_shown(&l, undefined_variable);
        undefined_functions(&l);
    }
    namemap_free(&l.names);
    return !l.no_memory;
}

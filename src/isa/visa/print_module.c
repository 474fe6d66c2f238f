/* A module of vISA as text: declarations in the order of their names, instructions. */
#include "isa/visa/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const aligns[] = {"byte", "word",  "dword", "qword",   "oword",
                                     "GRF",  "GRFx2", "hword", "wordx32", "wordx64"};

static const struct {
    const char *name;
    char kind; /* b: bool, i: number, s: string */
} known[] = {
    {"Extern", 'b'},         {"NoBarrier", 'b'},
    {"Callable", 'b'},       {"Caller", 'b'},
    {"Composable", 'b'},     {"Entry", 'b'},
    {"SepSpillPvtSS", 'b'},  {"LTO_InvokeOptTarget", 'b'},
    {"Target", 't'},         {"SLMSize", 'i'},
    {"SpillMemOffset", 'i'}, {"ArgSize", 'i'},
    {"RetValSize", 'i'},     {"PerThreadInputSize", 'i'},
    {"SimdSize", 'i'},       {"CrossThreadInputSize", 'i'},
    {"NBarrierCnt", 'i'},    {"OutputAsmPath", 's'},
    {"AsmName", 's'},        {"Input", 'b'},
    {"Output", 'b'},         {"PayloadLiveOut", 'b'},
    {"Input_Output", 'b'},   {"NoWidening", 'b'},
    {"DoNotSpill", 'b'},     {"Scope", 'i'},
    {"SurfaceUsage", 'i'},
};

char visa_attribute_kind(const char *name)
{
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].kind;
    return 0;
}

static void put_bytes(struct text *out, const struct visa_attribute *a)
{
    char copy[VISA_ATTRIBUTE + 1] = {0};
    memcpy(copy, a->value, a->size);
    visa_put_quoted(out, copy);
}

/* name, name=3, name="text". Of an attribute that nobody knows, four bytes and fewer are a number. */
static void put_attribute(struct text *out, const struct visa_object *o, const struct visa_attribute *a)
{
    const char *name = o->strings[a->name];
    char kind = visa_attribute_kind(name);
    text_puts(out, name);
    if (kind == 'b' || a->size == 0)
        return;
    if (kind == 't')
        text_puts(out, visa_attribute_value(a) ? "=\"3d\"" : "=\"cm\"");
    else if (kind == 's' || a->size > 4) {
        text_puts(out, "=");
        put_bytes(out, a);
    } else
        text_printf(out, "=%" PRId32, visa_attribute_value(a));
}

static void put_attributes(struct text *out, const struct visa_object *o, const struct visa_var *var)
{
    for (unsigned i = 0; i < var->nattributes; i++) {
        text_puts(out, i ? ", " : " attrs={");
        put_attribute(out, o, &var->attributes[i]);
    }
    text_puts(out, var->nattributes ? "}" : "");
}

static void put_declaration(struct text *out, const struct visa_object *o, enum visa_space space,
                            const struct visa_var *var)
{
    static const char letters[VISA_SPACES] = "GAPLSTE";
    text_printf(out, ".decl %s v_type=%c", o->strings[var->name], letters[space]);
    if (space == VISA_G)
        text_printf(out, " type=%s", visa_type_names[var->type]);
    text_printf(out, " num_elts=%u", var->elements);
    if (space == VISA_G && var->align)
        text_printf(out, " align=%s", var->align < 10 ? aligns[var->align] : "byte");
    if (var->alias)
        text_printf(out, " alias=<%s, %u>", visa_name(o, VISA_G, var->alias), var->alias_bytes);
    put_attributes(out, o, var);
    text_puts(out, "\n");
}

/* ---- the order of declarations ---------------------------------------------------------------------------- */

struct declared {
    const struct visa_var *var;
    enum visa_space space;
    uint32_t order;
};

static int by_name(const void *a, const void *b)
{
    const struct declared *x = a, *y = b;
    if (x->var->name != y->var->name)
        return x->var->name < y->var->name ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static const enum visa_space written[] = {VISA_G, VISA_A, VISA_P, VISA_S, VISA_T};

/* Names are numbered as they come: declarations in the order of their names' numbers give the same numbers again. An
 * alias may not come before what it is of, and spaces keep their order, which tells indexes. */
static void put_declarations(struct text *out, const struct visa_object *o)
{
    size_t count = 0, room = 1;
    bool ordered = true;
    for (unsigned s = 0; s < sizeof written / sizeof *written; s++)
        room += o->nvars[written[s]];
    struct declared *all = malloc(room * sizeof *all);
    out->failed = out->failed || !all;
    for (unsigned s = 0; all && s < sizeof written / sizeof *written; s++)
        for (uint32_t i = 0; i < o->nvars[written[s]]; i++) {
            const struct visa_var *var = &o->vars[written[s]][i];
            ordered = ordered && (!i || var[-1].name < var->name);
            all[count] = (struct declared){var, written[s], (uint32_t)count};
            count++;
        }
    if (all && ordered)
        qsort(all, count, sizeof *all, by_name);
    for (size_t i = 0; i < count; i++)
        put_declaration(out, o, all[i].space, all[i].var);
    free(all);
}

static void put_inputs(struct text *out, const struct visa_object *o)
{
    static const enum visa_space spaces[] = {VISA_G, VISA_S, VISA_T, VISA_G};
    for (uint32_t i = 0; i < o->ninputs; i++) {
        const struct visa_input *in = &o->inputs[i];
        const char *name = visa_name(o, spaces[in->kind & 3], in->id);
        if (in->kind >> 3)
            text_printf(out, ".implicit_UNDEFINED_%u %s", in->kind >> 3, name);
        else
            text_printf(out, ".input %s", name);
        text_printf(out, " offset=%d size=%u\n", in->offset, in->size);
    }
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

static void put_inst(struct text *out, const struct visa_object *o, const struct visa_inst *inst)
{
    bool label = inst->row == &visa_rows[VISA_ROW_label] || inst->row == &visa_rows[VISA_ROW_subroutine];
    text_puts(out, label ? "\n" : "    ");
    visa_print_inst(o, inst, out);
    text_puts(out, "\n");
}

/* The last string that declarations and attributes name, but for the last attribute. */
static uint32_t last_declared(const struct visa_object *o)
{
    uint32_t last = 0;
    for (unsigned s = 0; s < sizeof written / sizeof *written; s++)
        for (uint32_t i = 0; i < o->nvars[written[s]]; i++) {
            const struct visa_var *var = &o->vars[written[s]][i];
            last = var->name > last ? var->name : last;
            for (unsigned k = 0; k < var->nattributes; k++)
                last = var->attributes[k].name > last ? var->attributes[k].name : last;
        }
    for (uint32_t i = 0; i + 1 < o->nattributes; i++)
        last = o->attributes[i].name > last ? o->attributes[i].name : last;
    return last;
}

/* Target that a reader of text would add to the end: its name comes after those that instructions brought. Written, it
 * would come before them. */
static bool implied(const struct visa_object *o, uint32_t index)
{
    enum { PREDEFINED = 28 };
    const struct visa_attribute *a = &o->attributes[index];
    if (index + 1 != o->nattributes || a->size != 1 || a->value[0] != 1 || a->name + 1 != o->nstrings ||
        strcmp(o->strings[a->name], "Target") != 0)
        return false;
    uint32_t last = last_declared(o);
    return a->name > (last < PREDEFINED ? PREDEFINED : last + 1);
}

static void put_object(struct text *out, const struct visa_object *given)
{
    struct arena arena = {0};
    struct visa_object object;
    const struct visa_object *o = &object;
    if (!visa_printable(&arena, given, &object)) {
        out->failed = true;
        arena_free(&arena);
        return;
    }
    text_puts(out, o->function ? "\n.global_function " : "\n.kernel ");
    visa_put_quoted(out, o->name);
    text_puts(out, "\n");
    put_declarations(out, o);
    put_inputs(out, o);
    for (uint32_t i = 0; i < o->nattributes && !implied(given, i); i++) {
        text_puts(out, ".kernel_attr ");
        put_attribute(out, o, &o->attributes[i]);
        text_puts(out, "\n");
    }
    for (uint32_t i = 0; i < o->ninsts; i++)
        put_inst(out, o, &o->insts[i]);
    arena_free(&arena);
}

void visa_print(const struct visa_module *module, struct text *out)
{
    text_printf(out, ".version %u.%u\n", module->major, module->minor);
    for (unsigned i = 0; i < module->nkernels; i++)
        put_object(out, &module->kernels[i]);
    for (unsigned i = 0; i < module->nfunctions; i++)
        put_object(out, &module->functions[i]);
}

/* Instructions of Dartagnan's dialect as PTX: with types, addresses in brackets, and comparisons before branches. What
 * PTX has no instruction for is a named error: such tests can be judged, not run. */
#include <stdio.h>

#include "base/chars.h"
#include "litmus/kernel.h"

static const char *const orders[] = {
    [ORDER_WEAK] = "weak",       [ORDER_RELAXED] = "relaxed", [ORDER_ACQUIRE] = "acquire",
    [ORDER_RELEASE] = "release", [ORDER_ACQ_REL] = "acq_rel", [ORDER_SC] = "sc",
};
static const char *const scopes[] = {[SCOPE_CTA] = "cta", [SCOPE_GPU] = "gpu", [SCOPE_SYS] = "sys"};
static const char *const operations[] = {
    [PROGRAM_MOVE] = "mov",    [PROGRAM_ADD] = "add",   [PROGRAM_SUB] = "sub", [PROGRAM_MUL] = "mul.lo",
    [PROGRAM_DIV] = "div",     [PROGRAM_AND] = "and",   [PROGRAM_OR] = "or",   [PROGRAM_XOR] = "xor",
    [PROGRAM_MIN] = "min",     [PROGRAM_MAX] = "max",   [PROGRAM_INC] = "inc", [PROGRAM_DEC] = "dec",
    [PROGRAM_EXCH] = "exch",   [PROGRAM_CAS] = "cas",   [PROGRAM_EQ] = "eq",   [PROGRAM_NE] = "ne",
    [PROGRAM_LT] = "lt",       [PROGRAM_LE] = "le",     [PROGRAM_GT] = "gt",   [PROGRAM_GE] = "ge",
    [PROGRAM_SELECT] = "selp", [PROGRAM_ALWAYS] = "bra"};

enum { MOST_BARRIERS = 16 /* of a block: PTX ISA, "bar" */ };

static bool refuse(struct writer *w, const char *what)
{
    return error_at(w->error, ATOLL_UNSUPPORTED, w->cell->line, w->cell->column, "%.*s: %s", (int)w->cell->size,
                    w->cell->text, what);
}

struct spelling {
    char text[LITMUS_NAME + 40];
};

static struct spelling operand(const struct writer *w, unsigned thread, const struct program_operand *o)
{
    struct spelling s;
    if (o->constant)
        snprintf(s.text, sizeof s.text, "%lld", (long long)o->value.part[0]);
    else
        snprintf(s.text, sizeof s.text, "%%%s", w->program->threads[thread].names[o->reg]);
    return s;
}

/* "%x_at", or "%surface, {64, %row}" */
static struct spelling address(const struct writer *w, const struct program_insn *insn)
{
    struct spelling s;
    const struct litmus *t = w->test;
    if (insn->proxy == LITMUS_SURFACES)
        snprintf(s.text, sizeof s.text, "%%surface, {%u, %%row}", kernel_texel(t, insn->place));
    else
        snprintf(s.text, sizeof s.text, "%%%s_at", t->places[insn->place].name);
    return s;
}

/* Surface instructions have no order but their own; PTX has no atomic one that gives the old value. */
static bool surface_access(struct writer *w, unsigned thread, const struct program_insn *insn)
{
    struct spelling at = address(w, insn), value = operand(w, thread, &insn->from[0]);
    if (insn->kind == PROGRAM_ATOMIC ? insn->order > ORDER_RELAXED : insn->order != ORDER_WEAK)
        return refuse(w, "PTX has no surface instruction of that order, this cannot be run");
    if (insn->kind == PROGRAM_ATOMIC &&
        (insn->nto ||
         (insn->operation != PROGRAM_ADD && insn->operation != PROGRAM_AND && insn->operation != PROGRAM_OR)))
        return refuse(w, "PTX has no such surface reduction, this cannot be run");
    if (insn->kind == PROGRAM_LOAD)
        kernel_say(w, "suld.b.2d.b32.trap {%s}, [%s];\n", operand(w, thread, &insn->to[0]).text, at.text);
    else if (insn->kind == PROGRAM_STORE)
        kernel_say(w, "sust.b.2d.b32.trap [%s], {%s};\n", at.text, value.text);
    else
        kernel_say(w, "sured.b.%s.2d.%s.trap [%s], %s;\n", operations[insn->operation],
                   insn->operation == PROGRAM_ADD ? "u32" : "b32", at.text, value.text);
    return true;
}

/* ".relaxed.gpu" */
static struct spelling order(const struct program_insn *insn)
{
    struct spelling s;
    snprintf(s.text, sizeof s.text, insn->order == ORDER_WEAK ? ".%s" : ".%s.%s", orders[insn->order],
             scopes[insn->scope]);
    return s;
}

static bool atomic(struct writer *w, unsigned thread, const struct program_insn *insn)
{
    struct spelling at = address(w, insn), how = order(insn);
    struct program_operand value = insn->from[0];
    enum program_operation operation = insn->operation;
    if (operation == PROGRAM_SUB && value.constant) {
        operation = PROGRAM_ADD;
        value.value.part[0] = (uint64_t) - (int64_t)value.value.part[0];
    }
    if (operation == PROGRAM_SUB || operation == PROGRAM_MUL || operation == PROGRAM_DIV)
        return refuse(w, "PTX has no such atomic operation, this cannot be run");
    const char *type = operation == PROGRAM_ADD                               ? "u32"
                       : operation >= PROGRAM_MIN && operation <= PROGRAM_MAX ? "s32"
                                                                              : "b32";
    kernel_say(w, "%s%s.global.%s.%s ", insn->nto ? "atom" : "red", how.text, operations[operation], type);
    if (insn->nto)
        kernel_say(w, "%s, ", operand(w, thread, &insn->to[0]).text);
    kernel_say(w, "[%s], %s", at.text, operand(w, thread, &value).text);
    if (operation == PROGRAM_CAS)
        kernel_say(w, ", %s", operand(w, thread, &insn->from[1]).text);
    kernel_say(w, ";\n");
    return true;
}

static bool access(struct writer *w, unsigned thread, const struct program_insn *insn)
{
    struct spelling at = address(w, insn), how = order(insn);
    if (insn->proxy == LITMUS_SURFACES)
        return surface_access(w, thread, insn);
    if (insn->proxy == LITMUS_CONSTANTS)
        return refuse(w, "memory that a kernel writes is no constant memory, this cannot be run");
    if (insn->kind == PROGRAM_ATOMIC)
        return atomic(w, thread, insn);
    if (insn->proxy == LITMUS_TEXTURES && insn->order != ORDER_WEAK)
        return refuse(w, "PTX has no texture instruction of that order, this cannot be run");
    if (insn->kind == PROGRAM_STORE)
        kernel_say(w, "st%s.global.u32 [%s], %s;\n", how.text, at.text, operand(w, thread, &insn->from[0]).text);
    else
        kernel_say(w, "ld%s.u32 %s, [%s];\n", insn->proxy == LITMUS_TEXTURES ? ".global.nc" : how.text,
                   operand(w, thread, &insn->to[0]).text, at.text);
    return true;
}

static bool same_barrier(const struct program_insn *a, const struct program_insn *b)
{
    return a->kind == PROGRAM_BARRIER && b->kind == PROGRAM_BARRIER && a->warp == b->warp && a->named == b->named &&
           a->instance == b->instance && a->from[0].value.part[0] == b->from[0].value.part[0];
}

/* Threads that come to a barrier of the block: whole warps count. */
static unsigned comers(const struct writer *w, unsigned thread, const struct program_insn *insn, bool *arrive)
{
    unsigned count = 0;
    for (unsigned i = 0; i < w->test->nthreads; i++) {
        bool comes = false;
        for (unsigned k = 0; k < w->program->threads[i].count; k++) {
            const struct program_insn *other = &w->program->threads[i].insns[k];
            bool here = same_barrier(other, insn) && w->test->threads[i].block == w->test->threads[thread].block;
            comes |= here;
            *arrive |= here && other->arrives_only;
        }
        count += comes;
    }
    return count;
}

/* The barrier of PTX for a named one: those get numbers as they come in the test, from the last one down. */
static unsigned number_of(const struct writer *w, const struct program_insn *insn)
{
    const struct program_insn *named[LITMUS_THREADS * LITMUS_ROWS];
    unsigned count = 0, k;
    for (unsigned i = 0; i < w->test->nthreads; i++)
        for (unsigned row = 0; row < w->program->threads[i].count; row++) {
            const struct program_insn *other = &w->program->threads[i].insns[row];
            for (k = 0; k < count && !same_barrier(named[k], other); k++)
                ;
            if (k == count && other->kind == PROGRAM_BARRIER && other->named)
                named[count++] = other;
        }
    for (k = 0; k < count && !same_barrier(named[k], insn); k++)
        ;
    return MOST_BARRIERS - 1 - k; /* wraps where there are too many: no barrier of PTX */
}

static bool uses_number(const struct writer *w, unsigned number)
{
    for (unsigned i = 0; i < w->test->nthreads; i++)
        for (unsigned k = 0; k < w->program->threads[i].count; k++) {
            const struct program_insn *insn = &w->program->threads[i].insns[k];
            if (insn->kind == PROGRAM_BARRIER && !insn->named && insn->from[0].value.part[0] == number)
                return true;
        }
    return false;
}

static bool named_barrier(struct writer *w, unsigned thread, const struct program_insn *insn)
{
    bool arrive = false;
    unsigned count = comers(w, thread, insn, &arrive), number = number_of(w, insn);
    const struct program_operand *quorum = &insn->from[1];
    if (insn->nfrom > 1 && !(quorum->constant && quorum->value.part[0] == count))
        return refuse(w, "PTX has no barrier that passes when some of its threads have come, this cannot be run");
    if (number >= MOST_BARRIERS || uses_number(w, number))
        return refuse(w, "more barriers than PTX has, this cannot be run");
    kernel_say(w, "bar.%s %u, %u;\n", insn->arrives_only ? "arrive" : "sync", number, 32 * count);
    return true;
}

static bool barrier(struct writer *w, unsigned thread, const struct program_insn *insn)
{
    bool arrive = false;
    for (unsigned i = 0; i < w->test->nthreads; i++)
        for (unsigned k = 0; k < w->program->threads[i].count; k++) {
            const struct program_insn *other = &w->program->threads[i].insns[k];
            if (other->kind == PROGRAM_BARRIER && !other->from[0].constant)
                return refuse(
                    w, "a barrier's number is in a register: who comes to which is not known, this cannot be run");
        }
    if (insn->named)
        return named_barrier(w, thread, insn);
    unsigned count = comers(w, thread, insn, &arrive), number = (unsigned)insn->from[0].value.part[0];
    if (arrive)
        kernel_say(w, "bar.%s %u, %u;\n", insn->arrives_only ? "arrive" : "sync", number, 32 * count);
    else
        kernel_say(w, "bar.sync %u;\n", number);
    return true;
}

static void compute(struct writer *w, unsigned thread, const struct program_insn *insn)
{
    bool plain = insn->operation >= PROGRAM_AND && insn->operation <= PROGRAM_XOR;
    kernel_say(w, "%s.%s %s", operations[insn->operation], plain || insn->operation == PROGRAM_MOVE ? "b32" : "s32",
               operand(w, thread, &insn->to[0]).text);
    for (unsigned i = 0; i < insn->nfrom; i++)
        kernel_say(w, ", %s", operand(w, thread, &insn->from[i]).text);
    kernel_say(w, ";\n");
}

/* Of the word that the cell begins with. */
static int word_size(const struct litmus_cell *cell)
{
    int size = 0;
    while (size < (int)cell->size && char_word(cell->text[size]))
        size++;
    return size;
}

static void branch(struct writer *w, unsigned thread, const struct program_insn *insn)
{
    const struct litmus_cell *label = &w->test->threads[thread].cells[insn->target];
    if (insn->operation != PROGRAM_ALWAYS)
        kernel_say(w, "setp.%s.s32 %%is, %s, %s;\n@%%is ", operations[insn->operation],
                   operand(w, thread, &insn->from[0]).text, operand(w, thread, &insn->from[1]).text);
    kernel_say(w, "bra %.*s;\n", word_size(label), label->text);
}

bool kernel_bare_cell(struct writer *w, unsigned thread, unsigned row)
{
    const struct program_insn *insn = &w->program->threads[thread].insns[row];
    int label = word_size(w->cell);
    if (label < (int)w->cell->size && w->cell->text[label] == ':')
        kernel_say(w, "%.*s:\n", label, w->cell->text);
    switch (insn->kind) {
    case PROGRAM_LOAD:
    case PROGRAM_STORE:
    case PROGRAM_ATOMIC:
        return access(w, thread, insn);
    case PROGRAM_FENCE:
        kernel_say(w, "fence%s;\n", order(insn).text);
        return true;
    case PROGRAM_PROXY_FENCE:
        if (insn->alias)
            kernel_say(w, "fence.proxy.alias;\n");
        w->kernel->lacks_fence |= !insn->alias; /* of the others PTX has no instruction: one proxy here */
        return true;
    case PROGRAM_BARRIER:
        return barrier(w, thread, insn);
    case PROGRAM_BRANCH:
        branch(w, thread, insn);
        return true;
    case PROGRAM_COMPUTE:
        compute(w, thread, insn);
        return true;
    default:
        return true;
    }
}

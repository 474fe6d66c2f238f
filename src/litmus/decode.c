/* The instructions of a litmus test as the models see them. A cell is a mnemonic of words with points between and
 * operands with commas between; what each word means is in tables. Dartagnan's dialect has no types and no brackets,
 * and branches that compare. */
#include <stdlib.h>
#include <string.h>

#include "base/chars.h"
#include "litmus/program.h"
#include "litmus/reader.h"

enum { WORDS = 12, OPERANDS = 6 };

struct word {
    const char *text;
    size_t size;
};

enum operand_kind { OPERAND_REGISTER, OPERAND_NUMBER, OPERAND_MEMORY, OPERAND_LIST, OPERAND_WORD };
struct operand {
    enum operand_kind kind;
    const char *text; /* where it stands */
    size_t size;
    struct program_operand items[PROGRAM_VECTOR]; /* of a list; else the first */
    unsigned count, place, offset;
};

struct decoder {
    const struct litmus *test;
    struct program_thread *thread;
    const struct litmus_cell *cell;
    const char *at, *end;
    struct word words[WORDS];
    struct operand operands[OPERANDS];
    unsigned nwords, noperands;
    bool typed;
    struct program_insn *insn;
    struct atoll_error *error;
};

static bool fail(struct decoder *d, const char *at, const char *what)
{
    size_t size = 0;
    while (at + size < d->end && size < 40 &&
           (char_word(at[size]) || strchr(".@%[{}+-", at[size]) || (at[size] == ']' && at[0] == '[')))
        size++;
    return error_at(d->error, ATOLL_UNSUPPORTED, d->cell->line, d->cell->column + (uint32_t)(at - d->cell->text),
                    "'%.*s': %s", (int)size, at, what);
}

static bool is(struct word word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

static void skip(struct decoder *d)
{
    while (d->at < d->end && (*d->at == ' ' || (*d->at >= '\t' && *d->at <= '\r')))
        d->at++;
}

static bool accept(struct decoder *d, char c)
{
    skip(d);
    if (d->at >= d->end || *d->at != c)
        return false;
    d->at++;
    return true;
}

static struct word take_word(struct decoder *d)
{
    skip(d);
    if (d->test->bare)
        accept(d, '%');
    struct word word = {.text = d->at};
    while (d->at < d->end && char_word(*d->at))
        d->at++;
    word.size = (size_t)(d->at - word.text);
    return word;
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

/* The number of a register within the thread. */
static bool find_register(struct decoder *d, struct word word, unsigned *reg)
{
    struct program_thread *t = d->thread;
    for (*reg = 0; *reg < t->nnames; ++*reg)
        if (strlen(t->names[*reg]) == word.size && memcmp(t->names[*reg], word.text, word.size) == 0)
            return true;
    if (t->nnames == PROGRAM_NAMES || word.size >= sizeof t->names[0])
        return fail(d, word.text, "more registers than the models take");
    memcpy(t->names[t->nnames], word.text, word.size);
    t->bits[t->nnames++] = litmus_register_bits(d->test, word.text, word.size);
    return true;
}

/* Decimal, 0x..., 0f... (the bits of an f32). */
static bool take_number(struct decoder *d, struct program_value *value)
{
    bool minus = accept(d, '-');
    skip(d);
    const char *start = d->at;
    bool prefix = d->end - d->at > 2 && d->at[0] == '0' && ((d->at[1] | 32) == 'x' || (d->at[1] | 32) == 'f');
    struct digits digits;
    d->at = digits_read(prefix ? start + 2 : start, d->end, prefix ? 16 : 10, &digits);
    if (d->at == start + (prefix ? 2 : 0) || digits.large || (d->at < d->end && char_word(*d->at)))
        return fail(d, start, "a number was expected");
    uint64_t high = minus && digits.value ? UINT64_MAX : 0;
    *value = (struct program_value){{minus ? 0 - digits.value : digits.value, high}};
    return true;
}

static bool at_number(const struct decoder *d)
{
    return d->at < d->end && (char_digit(*d->at) < 10 || *d->at == '-');
}

/* A name where a value was expected. */
static bool fail_name(struct decoder *d, struct word word)
{
    bool known = litmus_find_place(d->test, word.text, word.size) < d->test->nplaces;
    bool is_name = word.size && char_digit(word.text[0]) > 9;
    return fail(d, word.text,
                known     ? "the models take a location as the address of an access, not as a value"
                : is_name ? "neither a register nor a number, and no location of this name is declared"
                          : "neither a register nor a number");
}

static bool take_item(struct decoder *d, struct program_operand *item)
{
    skip(d);
    item->constant = at_number(d);
    if (item->constant)
        return take_number(d, &item->value);
    struct word word = take_word(d);
    if (!litmus_register_bits(d->test, word.text, word.size))
        return fail_name(d, word);
    return find_register(d, word, &item->reg);
}

/* Behind '[': "x]", "x + 4]". */
static bool take_memory(struct decoder *d, struct operand *operand)
{
    struct word word = take_word(d);
    struct program_value offset = {0};
    operand->kind = OPERAND_MEMORY;
    operand->place = litmus_find_place(d->test, word.text, word.size);
    if (operand->place == d->test->nplaces)
        return fail(d, word.text,
                    litmus_register_bits(d->test, word.text, word.size)
                        ? "the models take locations as addresses, no registers"
                        : "no location of this name is declared: the values before the threads name all");
    if (accept(d, '+') && !take_number(d, &offset))
        return false;
    operand->offset = (unsigned)offset.part[0];
    if (offset.part[0] >= 16)
        return fail(d, word.text, "a location has 16 bytes");
    return accept(d, ']') || fail(d, d->at, "']' was expected");
}

static bool take_list(struct decoder *d, struct operand *operand)
{
    operand->kind = OPERAND_LIST;
    do {
        if (operand->count == PROGRAM_VECTOR)
            return fail(d, operand->text, "more than four elements");
        if (!take_item(d, &operand->items[operand->count++]))
            return false;
    } while (accept(d, ','));
    return accept(d, '}') || fail(d, d->at, "'}' was expected");
}

static bool take_operand(struct decoder *d, struct operand *operand)
{
    skip(d);
    *operand = (struct operand){.text = d->at};
    if (accept(d, '['))
        return take_memory(d, operand);
    if (accept(d, '{'))
        return take_list(d, operand);
    operand->kind = OPERAND_NUMBER;
    operand->count = 1;
    if (at_number(d))
        return take_item(d, &operand->items[0]);
    const char *start = d->at;
    struct word word = take_word(d);
    operand->size = word.size;
    if (!word.size)
        return fail(d, start, "the models do not know this operand");
    operand->place = litmus_find_place(d->test, word.text, word.size);
    operand->kind = OPERAND_WORD;
    if (litmus_register_bits(d->test, word.text, word.size)) {
        operand->kind = OPERAND_REGISTER;
        return find_register(d, word, &operand->items[0].reg);
    }
    if (d->test->bare && operand->place < d->test->nplaces)
        operand->kind = OPERAND_MEMORY;
    return true;
}

/* ---- words of the mnemonic ------------------------------------------------------------------------------------ */

/* Words that say one thing, and what. */
static const struct {
    const char *text;
    int order, scope; /* -1: nothing */
} orders[] = {
    {"weak", ORDER_WEAK, -1},
    {"relaxed", ORDER_RELAXED, -1},
    {"acquire", ORDER_ACQUIRE, -1},
    {"release", ORDER_RELEASE, -1},
    {"acq_rel", ORDER_ACQ_REL, -1},
    {"sc", ORDER_SC, -1},
    {"volatile", ORDER_RELAXED, SCOPE_SYS}, /* PTX ISA, "ld": as .relaxed.sys, with more for the compiler */
    {"mmio", ORDER_RELAXED, SCOPE_SYS},
    {"cta", -1, SCOPE_CTA},
    {"cluster", -1, SCOPE_CTA}, /* of one block, as the test says nothing of others */
    {"gpu", -1, SCOPE_GPU},
    {"gl", -1, SCOPE_GPU},
    {"sys", -1, SCOPE_SYS},
};

static const struct {
    const char *text;
    enum program_operation operation;
} operations[] = {
    {"add", PROGRAM_ADD}, {"plus", PROGRAM_ADD}, {"sub", PROGRAM_SUB}, {"mul", PROGRAM_MUL},   {"div", PROGRAM_DIV},
    {"and", PROGRAM_AND}, {"or", PROGRAM_OR},    {"xor", PROGRAM_XOR}, {"min", PROGRAM_MIN},   {"max", PROGRAM_MAX},
    {"inc", PROGRAM_INC}, {"dec", PROGRAM_DEC},  {"cas", PROGRAM_CAS}, {"exch", PROGRAM_EXCH}, {"eq", PROGRAM_EQ},
    {"ne", PROGRAM_NE},   {"lt", PROGRAM_LT},    {"le", PROGRAM_LE},   {"gt", PROGRAM_GT},     {"ge", PROGRAM_GE},
};

/* Words that change nothing here: spaces, cache operators, geometry, what happens out of range. */
static const char ignored[] = "global shared ca cg cs lu cv wb wt b p 1d 2d trap clamp zero noftz lo aligned v2 v4";

static bool in_list(const char *list, struct word word)
{
    for (const char *p = list; *p; p += *p == ' ') {
        size_t size = strcspn(p, " ");
        if (size == word.size && memcmp(p, word.text, size) == 0)
            return true;
        p += size;
    }
    return false;
}

/* "u32", "b128", "f16x2" */
static bool type_word(struct decoder *d, struct word word)
{
    static const char *const sizes[] = {"8", "16", "32", "64", "128"};
    struct program_insn *insn = d->insn;
    if (is(word, "f16x2")) {
        insn->bits = 32;
        insn->operation = insn->operation == PROGRAM_ADD ? PROGRAM_ADD_F16X2 : PROGRAM_DIV;
        return true;
    }
    if (word.size < 2 || !strchr("busf", word.text[0]))
        return false;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (is((struct word){word.text + 1, word.size - 1}, sizes[i])) {
            if (d->typed) /* cvt: the second is what is read */
                return true;
            insn->bits = 8u << i;
            insn->is_signed = word.text[0] == 's';
            bool adds = insn->operation == PROGRAM_ADD && word.text[0] == 'f';
            insn->operation = adds ? PROGRAM_ADD_F32 : insn->operation;
            return (!adds || insn->bits == 32);
        }
    return false;
}

static bool apply_word(struct decoder *d, struct word word)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (is(word, orders[i].text)) {
            if (orders[i].order >= 0)
                d->insn->order = (enum program_order)orders[i].order;
            if (orders[i].scope >= 0)
                d->insn->scope = (enum program_scope)orders[i].scope;
            return true;
        }
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (is(word, operations[i].text)) {
            d->insn->operation = operations[i].operation;
            return true;
        }
    if (type_word(d, word)) {
        d->typed = true;
        return true;
    }
    if (is(word, "nc"))
        d->insn->proxy = LITMUS_TEXTURES; /* PTX ISA, "Scope and applicability of the model" */
    else if (is(word, "const"))
        d->insn->proxy = LITMUS_CONSTANTS;
    else
        return in_list(ignored, word) || fail(d, word.text, "the models do not know this");
    return true;
}

static bool apply_words(struct decoder *d)
{
    if (d->test->bare) {
        d->insn->bits = 32;
        d->insn->is_signed = true;
    }
    for (unsigned i = 1; i < d->nwords; i++)
        if (!apply_word(d, d->words[i]))
            return false;
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

static bool put(struct decoder *d, struct program_operand *items, unsigned *count, unsigned most,
                const struct operand *operand)
{
    if (operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_NUMBER && operand->kind != OPERAND_LIST)
        return fail_name(d, (struct word){operand->text, operand->size});
    for (unsigned i = 0; i < operand->count; i++) {
        if (*count == most)
            return fail(d, operand->text, "too many operands");
        items[(*count)++] = operand->items[i];
    }
    return true;
}

static bool put_to(struct decoder *d, unsigned index)
{
    if (index >= d->noperands || d->operands[index].kind == OPERAND_NUMBER)
        return fail(d, d->cell->text, "a register for the result was expected");
    return put(d, d->insn->to, &d->insn->nto, PROGRAM_VECTOR, &d->operands[index]);
}

static bool put_from(struct decoder *d, unsigned first)
{
    for (unsigned i = first; i < d->noperands; i++)
        if (!put(d, d->insn->from, &d->insn->nfrom, PROGRAM_SOURCES, &d->operands[i]))
            return false;
    return true;
}

static bool put_memory(struct decoder *d, unsigned index)
{
    if (index >= d->noperands)
        return fail(d, d->cell->text, "a location was expected behind it");
    if (d->operands[index].kind != OPERAND_MEMORY)
        return fail(d, d->operands[index].text,
                    d->test->bare ? "a location was expected here" : "a location in brackets was expected here");
    const struct operand *operand = &d->operands[index];
    const struct litmus_place *place = &d->test->places[operand->place];
    d->insn->place = operand->place;
    d->insn->offset = operand->offset;
    d->insn->flushes = place->space != LITMUS_SHARED;
    if (!d->insn->bits)
        return fail(d, d->cell->text, "a type is missing");
    bool surfaces = d->insn->proxy == LITMUS_SURFACES;
    if (!d->test->bare && surfaces != (place->proxy == LITMUS_SURFACES))
        return fail(d, operand->text,
                    surfaces ? "not in a surface, the instruction is only for one"
                             : "in a surface, the instruction is not for one");
    return true;
}

/* An access is of elements one behind the other, within the 16 bytes of the location. */
static bool check_access(struct decoder *d, unsigned elements)
{
    unsigned bytes = d->insn->bits / 8;
    return (d->insn->offset % bytes == 0 && d->insn->offset + bytes * elements <= 16) ||
           fail(d, d->cell->text, "not within the 16 bytes of the location, or not aligned");
}

static bool decode_load(struct decoder *d)
{
    if (d->test->bare && d->noperands == 2 && d->operands[1].kind != OPERAND_MEMORY) {
        d->insn->kind = PROGRAM_COMPUTE; /* "ld.weak r0, 1" */
        d->insn->operation = PROGRAM_MOVE;
        return put_to(d, 0) && put_from(d, 1);
    }
    return put_to(d, 0) && put_memory(d, 1) && check_access(d, d->insn->nto);
}

static bool decode_store(struct decoder *d)
{
    if (!put_memory(d, 0) || !put_from(d, 1))
        return false;
    return d->insn->nfrom ? check_access(d, d->insn->nfrom) : fail(d, d->cell->text, "a value was expected");
}

static bool decode_atomic(struct decoder *d, bool result)
{
    unsigned at = result ? 1 : 0;
    d->insn->order = d->insn->order == ORDER_WEAK ? ORDER_RELAXED : d->insn->order;
    if ((result && !put_to(d, 0)) || !put_memory(d, at) || !put_from(d, at + 1) || !check_access(d, 1))
        return false;
    unsigned wanted = d->insn->operation == PROGRAM_CAS ? 2 : 1;
    bool known = d->insn->operation != PROGRAM_MOVE && d->insn->operation < PROGRAM_EQ;
    return (known && d->insn->nfrom == wanted) || fail(d, d->cell->text, "the models do not know this form");
}

static bool decode_fence(struct decoder *d)
{
    struct program_insn *insn = d->insn;
    static const char *const proxies[] = {"generic", "surface", "texture", "constant"};
    bool proxy = d->nwords > 1 && is(d->words[1], "proxy");
    if (!proxy && is(d->words[0], "membar"))
        insn->order = ORDER_SC; /* PTX ISA, "membar, fence": a synonym of fence.sc */
    if (!proxy)
        return apply_words(d) && (insn->order >= ORDER_ACQUIRE || fail(d, d->cell->text, "a fence without an order"));
    insn->kind = PROGRAM_PROXY_FENCE;
    insn->alias = d->nwords == 3 && is(d->words[2], "alias");
    for (unsigned i = 0; i < LITMUS_PROXIES; i++)
        if (d->nwords == 3 && is(d->words[2], proxies[i])) {
            insn->proxy = (enum litmus_proxy)i;
            return true;
        }
    return insn->alias || fail(d, d->words[0].text, "the models do not know this proxy");
}

/* "bar.cta.sync I, B, Q": an instance, the number of the barrier, a quorum. */
static bool decode_named_barrier(struct decoder *d)
{
    const struct operand *instance = &d->operands[0];
    if (instance->kind != OPERAND_NUMBER)
        return fail(d, instance->text, "the instance of a barrier, the operand before its number, is a number");
    d->insn->named = true;
    d->insn->instance = (unsigned)instance->items[0].value.part[0];
    return put_from(d, 1);
}

/* All lanes of the warp. */
static bool decode_warp_barrier(struct decoder *d)
{
    const struct operand *mask = &d->operands[0];
    bool all =
        d->noperands == 1 && mask->kind == OPERAND_NUMBER && (uint32_t)mask->items[0].value.part[0] == UINT32_MAX;
    d->insn->from[0] = (struct program_operand){.constant = true};
    d->insn->nfrom = 1;
    return all || fail(d, d->noperands ? mask->text : d->cell->text,
                       "the models know barriers of a warp for all its lanes: one operand, 0xffffffff");
}

static bool decode_barrier(struct decoder *d)
{
    struct program_insn *insn = d->insn;
    unsigned waits = 0, arrives = 0, most = d->test->bare ? 3 : 2;
    for (unsigned i = 1; i < d->nwords; i++) {
        waits += is(d->words[i], "sync");
        arrives += is(d->words[i], "arrive");
        insn->warp |= is(d->words[i], "warp");
        if (!is(d->words[i], "sync") && !is(d->words[i], "arrive") && !is(d->words[i], "cta") &&
            !is(d->words[i], "aligned") && !is(d->words[i], "warp"))
            return fail(d, d->words[i].text, "the models do not know this barrier");
    }
    insn->arrives_only = arrives != 0;
    if (waits + arrives != 1)
        return fail(d, d->cell->text, "a barrier that syncs or arrives was expected");
    if (insn->warp)
        return decode_warp_barrier(d);
    if (!d->noperands || d->noperands > most)
        return fail(d, d->noperands ? d->operands[most].text : d->cell->text,
                    d->test->bare ? "a barrier has a number, or an instance, a number and perhaps a quorum"
                                  : "a barrier has a number and perhaps a count of threads");
    if (!d->test->bare && d->operands[0].kind != OPERAND_NUMBER)
        return fail(d, d->operands[0].text, "the models take the number of a barrier, no register");
    return d->test->bare && d->noperands > 1 ? decode_named_barrier(d) : put_from(d, 0);
}

/* The target stays a word until all labels are known. */
static bool decode_branch(struct decoder *d)
{
    struct program_insn *insn = d->insn;
    insn->operation = PROGRAM_ALWAYS;
    if (d->words[0].text[0] == 'b' && d->test->bare) { /* beq r0, 1, LABEL */
        struct word how = {d->words[0].text + 1, d->words[0].size - 1};
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            if (is(how, operations[i].text))
                insn->operation = operations[i].operation;
        insn->bits = 32;
        insn->is_signed = true;
        bool sound = d->noperands == 3;
        d->noperands -= sound;
        return put_from(d, 0) &&
               ((sound && insn->nfrom == 2) || fail(d, d->cell->text, "two values and a label were expected"));
    }
    return d->noperands == 1 || fail(d, d->cell->text, "a label was expected");
}

static bool decode_compute(struct decoder *d, enum program_operation operation, unsigned sources)
{
    struct program_insn *insn = d->insn;
    insn->operation = operation;
    if (!apply_words(d))
        return false;
    if (!insn->bits || (insn->operation == PROGRAM_ADD_F32 || insn->operation == PROGRAM_ADD_F16X2))
        return fail(d, d->cell->text, "the models do not know this type");
    if (!put_to(d, 0) || !put_from(d, 1))
        return false;
    bool vector = operation == PROGRAM_MOVE && insn->nfrom >= 1;
    return vector || insn->nfrom == sources || fail(d, d->cell->text, "the models do not know this form");
}

/* ---- mnemonics ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum program_operation operation;
    unsigned sources;
} computes[] = {
    {"mov", PROGRAM_MOVE, 1}, {"cvt", PROGRAM_MOVE, 1}, {"add", PROGRAM_ADD, 2},     {"sub", PROGRAM_SUB, 2},
    {"mul", PROGRAM_MUL, 2},  {"div", PROGRAM_DIV, 2},  {"and", PROGRAM_AND, 2},     {"or", PROGRAM_OR, 2},
    {"xor", PROGRAM_XOR, 2},  {"not", PROGRAM_NOT, 1},  {"shl", PROGRAM_SHL, 2},     {"shr", PROGRAM_SHR, 2},
    {"min", PROGRAM_MIN, 2},  {"max", PROGRAM_MAX, 2},  {"selp", PROGRAM_SELECT, 3}, {"setp", PROGRAM_EQ, 2},
};

static const struct {
    const char *name;
    enum program_kind kind;
    enum litmus_proxy proxy;
    bool result;
} accesses[] = {
    {"ld", PROGRAM_LOAD, LITMUS_GENERIC, true},     {"suld", PROGRAM_LOAD, LITMUS_SURFACES, true},
    {"tld", PROGRAM_LOAD, LITMUS_TEXTURES, true},   {"cold", PROGRAM_LOAD, LITMUS_CONSTANTS, true},
    {"st", PROGRAM_STORE, LITMUS_GENERIC, false},   {"sust", PROGRAM_STORE, LITMUS_SURFACES, false},
    {"atom", PROGRAM_ATOMIC, LITMUS_GENERIC, true}, {"suatom", PROGRAM_ATOMIC, LITMUS_SURFACES, true},
    {"red", PROGRAM_ATOMIC, LITMUS_GENERIC, false}, {"sured", PROGRAM_ATOMIC, LITMUS_SURFACES, false},
};

static bool decode_access(struct decoder *d, unsigned row)
{
    struct program_insn *insn = d->insn;
    insn->kind = accesses[row].kind;
    insn->proxy = accesses[row].proxy;
    bool atomic = insn->kind == PROGRAM_ATOMIC;
    /* PTX ISA, "atom": .relaxed and .gpu unless said; docs/memory-model.md, "Orders": sured is relaxed, of the system.
     */
    insn->scope = atomic && insn->proxy == LITMUS_GENERIC ? SCOPE_GPU : SCOPE_SYS;
    if (!apply_words(d))
        return false;
    return atomic                       ? decode_atomic(d, accesses[row].result)
           : insn->kind == PROGRAM_LOAD ? decode_load(d)
                                        : decode_store(d);
}

static bool decode_mnemonic(struct decoder *d)
{
    struct word name = d->words[0];
    for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (is(name, accesses[i].name) &&
            (d->test->bare || (!is(name, "tld") && !is(name, "cold") && !is(name, "suatom"))))
            return decode_access(d, i);
    bool branch = is(name, "bra") ||
                  (d->test->bare && (is(name, "goto") || (name.size == 3 && name.text[0] == 'b' && !is(name, "bar"))));
    d->insn->kind = branch                                    ? PROGRAM_BRANCH
                    : is(name, "fence") || is(name, "membar") ? PROGRAM_FENCE
                    : is(name, "bar") || is(name, "barrier")  ? PROGRAM_BARRIER
                                                              : PROGRAM_COMPUTE;
    if (branch)
        return decode_branch(d);
    if (d->insn->kind == PROGRAM_FENCE)
        return decode_fence(d);
    if (d->insn->kind == PROGRAM_BARRIER)
        return decode_barrier(d);
    for (unsigned i = 0; i < sizeof computes / sizeof *computes; i++)
        if (is(name, computes[i].name))
            return decode_compute(d, computes[i].operation, computes[i].sources);
    return fail(d, name.text, "the models do not know this instruction");
}

static bool take_guard(struct decoder *d)
{
    d->insn->guard = -1;
    if (!accept(d, '@'))
        return true;
    d->insn->guard_not = accept(d, '!');
    struct word word = take_word(d);
    unsigned reg;
    if (litmus_register_bits(d->test, word.text, word.size) != 1)
        return fail(d, word.text, "a predicate was expected");
    if (!find_register(d, word, &reg))
        return false;
    d->insn->guard = (int)reg;
    return true;
}

/* Words and operands of the cell. */
static bool take_parts(struct decoder *d)
{
    do {
        if (d->nwords == WORDS)
            return fail(d, d->cell->text, "a mnemonic of too many words");
        struct word word = take_word(d);
        if (!word.size)
            return fail(d, d->at < d->end ? d->at : d->cell->text, "an instruction was expected");
        d->words[d->nwords++] = word;
    } while (accept(d, '.'));
    skip(d);
    if (d->at == d->end)
        return true;
    do {
        if (d->noperands == OPERANDS)
            return fail(d, d->cell->text, "too many operands");
        if (!take_operand(d, &d->operands[d->noperands++]))
            return false;
    } while (accept(d, ','));
    return d->at == d->end || fail(d, d->at, "the end of the instruction was expected");
}

/* "LABEL:" alone in its cell. */
static bool label_of(const struct litmus_cell *cell, struct word *label)
{
    *label = (struct word){cell->text, 0};
    while (label->size < cell->size && char_word(cell->text[label->size]))
        label->size++;
    return label->size && label->size < cell->size && cell->text[label->size] == ':';
}

bool litmus_accessed(const struct litmus *test, const struct litmus_cell *cell, const char **name, size_t *size)
{
    struct word label, mnemonic;
    struct decoder d = {.test = test, .cell = cell, .at = cell->text, .end = cell->text + cell->size};
    d.at += label_of(cell, &label) ? label.size + 1 : 0;
    mnemonic = take_word(&d);
    unsigned row = 0, rows = sizeof accesses / sizeof *accesses;
    while (row < rows && !is(mnemonic, accesses[row].name))
        row++;
    while (accept(&d, '.'))
        take_word(&d);
    if (row < rows && accesses[row].result) { /* the location is behind it */
        take_word(&d);
        row = accept(&d, ',') ? row : rows;
    }
    accept(&d, '[');
    skip(&d);
    struct word word = row < rows ? take_word(&d) : (struct word){0};
    bool number = word.size && char_digit(word.text[0]) < 10;
    size_t digits = 1; /* r99 is a register, too, one that there is not */
    while (digits < word.size && char_digit(word.text[digits]) < 10)
        digits++;
    *name = word.text;
    *size = word.size;
    return word.size && !number && !(word.text[0] == 'r' && digits > 1 && digits == word.size);
}

static bool decode_cell(struct decoder *d)
{
    struct word label;
    if (!d->cell->size)
        return true;
    if (label_of(d->cell, &label)) {
        d->at += label.size + 1;
        skip(d);
        if (d->at == d->end)
            return true;
    }
    return take_guard(d) && take_parts(d) && decode_mnemonic(d);
}

static bool find_label(struct decoder *d, struct word wanted, unsigned thread, unsigned *target)
{
    struct word label;
    for (*target = 0; *target < d->test->nrows; ++*target)
        if (label_of(&d->test->threads[thread].cells[*target], &label) && label.size == wanted.size &&
            memcmp(label.text, wanted.text, label.size) == 0)
            return true;
    return fail(d, wanted.text, "no such label in this thread");
}

static bool decode_thread(const struct litmus *test, unsigned index, struct program_thread *thread,
                          struct atoll_error *error)
{
    thread->count = test->nrows;
    for (unsigned i = 0; i < test->nrows; i++) {
        const struct litmus_cell *cell = &test->threads[index].cells[i];
        struct decoder d = {.test = test,
                            .thread = thread,
                            .cell = cell,
                            .at = cell->text,
                            .end = cell->text + cell->size,
                            .insn = &thread->insns[i],
                            .error = error};
        *d.insn = (struct program_insn){.guard = -1, .cell = cell, .scope = SCOPE_SYS};
        if (!decode_cell(&d))
            return false;
        if (d.insn->kind == PROGRAM_BRANCH) {
            /* The last operand, which decode_branch does not count. */
            unsigned last = d.insn->operation == PROGRAM_ALWAYS ? 0 : 2;
            struct word word = {d.operands[last].text, d.operands[last].size};
            if (!find_label(&d, word, index, &d.insn->target))
                return false;
        }
    }
    return true;
}

bool litmus_decode(const struct litmus *test, struct program *program, struct atoll_error *error)
{
    *program = (struct program){0};
    for (unsigned i = 0; i < test->nthreads; i++)
        if (!decode_thread(test, i, &program->threads[i], error))
            return false;
    return true;
}

uint64_t program_initial(const struct litmus *test, unsigned thread, const char *name)
{
    for (unsigned i = test->nregisters; i-- > 0;)
        if (test->registers[i].thread == thread && strcmp(test->registers[i].name, name) == 0)
            return test->registers[i].value;
    return 0;
}

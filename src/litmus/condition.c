/* Conditions of litmus tests: read as a tree of nodes, and what they say of an outcome. */
#include <string.h>

#include "base/chars.h"
#include "litmus/reader.h"

enum { DEEPEST = 64 /* parentheses and negations of a condition */ };

static bool add_node(struct reader *r, struct litmus_node node, unsigned *index)
{
    if (r->test->nnodes == LITMUS_NODES)
        return litmus_fail(r, r->at, "the conditions are too long");
    *index = r->test->nnodes++;
    r->test->nodes[*index] = node;
    return true;
}

static bool add_observed(struct reader *r, const char *start, const struct litmus_observed *want, unsigned *index)
{
    struct litmus *t = r->test;
    for (*index = 0; *index < t->nobserved; ++*index)
        if (t->observed[*index].thread == want->thread && !strcmp(t->observed[*index].name, want->name))
            return true;
    if (t->nobserved == LITMUS_OBSERVED)
        return litmus_fail(r, start, "conditions name more than %d values", LITMUS_OBSERVED);
    t->observed[t->nobserved++] = *want;
    return true;
}

static bool read_value(struct reader *r, unsigned *index)
{
    struct litmus_observed want = {.thread = -1};
    litmus_skip(r);
    const char *start = r->at;
    if (litmus_at_thread(r)) {
        unsigned thread = 0;
        if (!litmus_thread(r, &thread))
            return false;
        if (thread >= r->test->nthreads)
            return litmus_fail(r, start, "there is no thread P%u", thread);
        want.thread = (int)thread;
        if (!litmus_name(r, want.name, "a register"))
            return false;
        want.bits = litmus_register_bits(r->test, want.name, strlen(want.name));
        if (!want.bits || want.bits > 64)
            return litmus_fail(r, start, "'%s' is no register that can be looked at", want.name);
        return add_observed(r, start, &want, index);
    }
    if (!litmus_name(r, want.name, "P0:register or a location"))
        return false;
    want.place = litmus_find_place(r->test, want.name, strlen(want.name));
    if (want.place == r->test->nplaces)
        return litmus_fail(r, start,
                           r->test->bare ? "'%s' has no initial value, and no instruction accesses it"
                                         : "'%s' has no initial value",
                           want.name);
    want.bits = r->test->places[want.place].bits;
    return add_observed(r, start, &want, index);
}

static bool compare(enum litmus_operation operation, uint64_t left, uint64_t right)
{
    switch (operation) {
    case LITMUS_EQ:
        return left == right;
    case LITMUS_NE:
        return left != right;
    case LITMUS_LT:
        return left < right;
    case LITMUS_LE:
        return left <= right;
    case LITMUS_GE:
        return left >= right;
    default:
        return left > right;
    }
}

static bool read_operation(struct reader *r, enum litmus_operation *operation)
{
    static const struct {
        const char *text;
        enum litmus_operation operation;
    } rows[] = {{"!=", LITMUS_NE}, {"<=", LITMUS_LE}, {">=", LITMUS_GE}, {"<", LITMUS_LT},
                {">", LITMUS_GT},  {"==", LITMUS_EQ}, {"=", LITMUS_EQ}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (litmus_accept(r, rows[i].text)) {
            *operation = rows[i].operation;
            return true;
        }
    return litmus_wanted(r, "'=', '!=', '<' or '>'");
}

/* One side of a comparison: a number, or an observed value. */
struct side {
    bool constant;
    uint64_t value;
    unsigned index;
};

static bool read_side(struct reader *r, struct side *side)
{
    litmus_skip(r);
    side->constant = !litmus_at_thread(r) && r->at < r->end && (char_digit(*r->at) < 10 || *r->at == '-');
    return side->constant ? litmus_number(r, &side->value) : read_value(r, &side->index);
}

/* Whether two numbers compare is known at once. */
static bool add_known(struct reader *r, bool holds, unsigned *index)
{
    unsigned always = 0;
    if (holds)
        return add_node(r, (struct litmus_node){.operation = LITMUS_TRUE}, index);
    return add_node(r, (struct litmus_node){.operation = LITMUS_TRUE}, &always) &&
           add_node(r, (struct litmus_node){.operation = LITMUS_NOT, .left = always}, index);
}

static bool read_comparison(struct reader *r, unsigned *index)
{
    static const enum litmus_operation turned[] = {
        [LITMUS_EQ] = LITMUS_EQ, [LITMUS_NE] = LITMUS_NE, [LITMUS_LT] = LITMUS_GT,
        [LITMUS_LE] = LITMUS_GE, [LITMUS_GT] = LITMUS_LT, [LITMUS_GE] = LITMUS_LE};
    struct side left = {0}, right = {0};
    enum litmus_operation operation = LITMUS_EQ;
    if (litmus_accept(r, "true"))
        return add_known(r, true, index);
    if (!read_side(r, &left) || !read_operation(r, &operation) || !read_side(r, &right))
        return false;
    if (left.constant && right.constant)
        return add_known(r, compare(operation, left.value, right.value), index);
    if (left.constant) {
        struct side number = left;
        left = right;
        right = number;
        operation = turned[operation];
    }
    struct litmus_node node = {
        .operation = operation, .left = left.index, .right = right.index, .constant = right.constant};
    node.value = litmus_cut(right.value, r->test->observed[left.index].bits);
    return add_node(r, node, index);
}

static bool read_or(struct reader *r, unsigned *index);

static bool read_factor(struct reader *r, unsigned *index)
{
    bool ok;
    if (++r->depth > DEEPEST)
        return litmus_fail(r, r->at, "the condition is nested more than %d deep", DEEPEST);
    if (litmus_accept(r, "~") || litmus_accept(r, "not")) {
        unsigned inner = 0;
        ok = read_factor(r, &inner) && add_node(r, (struct litmus_node){.operation = LITMUS_NOT, .left = inner}, index);
    } else if (litmus_accept(r, "(")) {
        ok = read_or(r, index) && litmus_expect(r, ")");
    } else {
        ok = read_comparison(r, index);
    }
    r->depth--;
    return ok;
}

static bool read_and(struct reader *r, unsigned *index)
{
    if (!read_factor(r, index))
        return false;
    while (litmus_accept(r, "/\\") || litmus_accept(r, "&&")) {
        struct litmus_node node = {.operation = LITMUS_AND, .left = *index};
        if (!read_factor(r, &node.right) || !add_node(r, node, index))
            return false;
    }
    return true;
}

static bool read_or(struct reader *r, unsigned *index)
{
    if (!read_and(r, index))
        return false;
    while (litmus_accept(r, "\\/") || litmus_accept(r, "||")) {
        struct litmus_node node = {.operation = LITMUS_OR, .left = *index};
        if (!read_and(r, &node.right) || !add_node(r, node, index))
            return false;
    }
    return true;
}

static bool read_quantifier(struct reader *r, enum litmus_quantifier *quantifier)
{
    if (litmus_accept(r, "exists"))
        *quantifier = LITMUS_EXISTS;
    else if (litmus_accept(r, "~exists") || (litmus_accept(r, "~") && litmus_accept(r, "exists")))
        *quantifier = LITMUS_NOT_EXISTS;
    else if (litmus_accept(r, "forall"))
        *quantifier = LITMUS_FORALL;
    else if (litmus_accept(r, "sometimes"))
        *quantifier = LITMUS_SOMETIMES;
    else if (litmus_accept(r, "filter"))
        *quantifier = LITMUS_FILTER;
    else
        return false;
    return true;
}

bool litmus_at_condition(const struct reader *r)
{
    struct reader look = *r;
    enum litmus_quantifier quantifier;
    return read_quantifier(&look, &quantifier);
}

bool litmus_locations(struct reader *r)
{
    unsigned index;
    if (!litmus_expect(r, "["))
        return false;
    while (!litmus_accept(r, "]")) {
        if (!read_value(r, &index))
            return false;
        if (!litmus_accept(r, ";") && !(litmus_skip(r), r->at < r->end && *r->at == ']'))
            return litmus_wanted(r, "';' or ']'");
    }
    return true;
}

bool litmus_condition(struct reader *r)
{
    struct litmus *t = r->test;
    struct litmus_condition *condition = &t->conditions[t->nconditions];
    litmus_skip(r);
    const char *start = r->at;
    if (t->nconditions == LITMUS_CONDITIONS)
        return litmus_fail(r, start, "more than %d conditions", LITMUS_CONDITIONS);
    if (!read_quantifier(r, &condition->quantifier))
        return litmus_wanted(r, "exists, ~exists, forall or sometimes");
    if (!read_or(r, &condition->root))
        return false;
    condition->line = litmus_locate(r, start).line;
    condition->text = start;
    condition->size = (size_t)(r->at - start);
    while (strchr(" \t\r\n\v\f", start[condition->size - 1]))
        condition->size--;
    t->nconditions++;
    return true;
}

bool litmus_holds(const struct litmus *test, unsigned index, const uint64_t *values)
{
    const struct litmus_node *node = &test->nodes[index];
    if (node->operation == LITMUS_TRUE)
        return true;
    if (node->operation == LITMUS_NOT)
        return !litmus_holds(test, node->left, values);
    if (node->operation == LITMUS_AND)
        return litmus_holds(test, node->left, values) && litmus_holds(test, node->right, values);
    if (node->operation == LITMUS_OR)
        return litmus_holds(test, node->left, values) || litmus_holds(test, node->right, values);
    uint64_t left = values[node->left], right = node->constant ? node->value : values[node->right];
    return compare(node->operation, left, right);
}

bool litmus_passes(const struct litmus *test, const uint64_t *values)
{
    for (unsigned i = 0; i < test->nconditions; i++)
        if (test->conditions[i].quantifier == LITMUS_FILTER && !litmus_holds(test, test->conditions[i].root, values))
            return false;
    return true;
}

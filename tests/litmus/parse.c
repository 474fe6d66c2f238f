/* Reads litmus tests. One cursor over a copy of the text in which comments are blanks; the first error ends it. */
#include "litmus.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 /* parentheses and negations of a condition */ };

struct reader {
    struct litmus *test;
    const char *at, *end;
    struct litmus_error *error;
    unsigned depth;
};

static bool fail_at(struct reader *r, const char *place, const char *format, ...)
{
    va_list args;
    const char *line = r->test->source;
    r->error->line = 1;
    for (const char *p = r->test->source; p < place; p++)
        if (*p == '\n') {
            r->error->line++;
            line = p + 1;
        }
    r->error->column = (uint32_t)(place - line) + 1;
    va_start(args, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, args);
    va_end(args);
    return false;
}

/* What is at the cursor, for messages. */
static const char *here(const struct reader *r, char text[24])
{
    size_t n = 0;
    if (r->at >= r->end)
        return strcpy(text, "the end of the file");
    text[n++] = '\'';
    for (const char *p = r->at; p < r->end && n < 18 && (n == 1 || isalnum((unsigned char)*p)); p++)
        text[n++] = isprint((unsigned char)*p) ? *p : '?';
    text[n++] = '\'';
    text[n] = 0;
    return text;
}

static bool fail_wanted(struct reader *r, const char *wanted)
{
    char text[24];
    return fail_at(r, r->at, "%s where %s was expected", here(r, text), wanted);
}

static void skip(struct reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool accept(struct reader *r, const char *text)
{
    size_t n = strlen(text);
    skip(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    if (is_word(text[n - 1]) && r->at + n < r->end && is_word(r->at[n]))
        return false;
    r->at += n;
    return true;
}

static bool expect(struct reader *r, const char *text)
{
    char wanted[24];
    if (accept(r, text))
        return true;
    snprintf(wanted, sizeof wanted, "'%s'", text);
    return fail_wanted(r, wanted);
}

static bool read_name(struct reader *r, char name[LITMUS_NAME], const char *wanted)
{
    skip(r);
    const char *start = r->at;
    if (r->at >= r->end || !is_word(*r->at) || isdigit((unsigned char)*r->at))
        return fail_wanted(r, wanted);
    while (r->at < r->end && is_word(*r->at))
        r->at++;
    size_t size = (size_t)(r->at - start);
    if (size >= LITMUS_NAME)
        return fail_at(r, start, "a name of more than %d letters", LITMUS_NAME - 1);
    memcpy(name, start, size);
    name[size] = 0;
    return true;
}

/* Decimal or 0x...; a minus wraps in 64 bits. */
static bool read_number(struct reader *r, uint64_t *value)
{
    bool minus = accept(r, "-");
    skip(r);
    const char *start = r->at;
    uint64_t base = 10, v = 0;
    if (r->end - r->at > 2 && r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X')) {
        base = 16;
        r->at += 2;
    }
    const char *digits = r->at;
    for (; r->at < r->end && is_word(*r->at); r->at++) {
        int c = tolower((unsigned char)*r->at);
        uint64_t digit = isdigit(c) ? (uint64_t)(c - '0') : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10 : 99;
        if (digit >= base)
            return fail_wanted(r, "a digit");
        if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v))
            return fail_at(r, start, "the number does not fit in 64 bits");
    }
    if (r->at == digits)
        return fail_wanted(r, "a number");
    *value = minus ? 0 - v : v;
    return true;
}

unsigned litmus_register_bits(const char *name, size_t size)
{
    static const struct {
        const char *prefix;
        unsigned bits;
    } kinds[] = {{"rd", 64}, {"r", 32}, {"h", 16}, {"f", 32}, {"p", 1}, {"q", 128}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].prefix);
        unsigned number = 0;
        if (size <= n || size > n + 2 || memcmp(name, kinds[i].prefix, n) != 0)
            continue;
        for (size_t k = n; k < size; k++)
            number = isdigit((unsigned char)name[k]) ? 10 * number + (unsigned)(name[k] - '0') : 1000;
        return number < LITMUS_NUMBERS ? kinds[i].bits : 0;
    }
    return 0;
}

unsigned litmus_find_place(const struct litmus *test, const char *name, size_t size)
{
    unsigned i = 0;
    while (i < test->nplaces && (strlen(test->places[i].name) != size || memcmp(test->places[i].name, name, size)))
        i++;
    return i;
}

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* "P1" or "1", then ":". */
static bool read_thread(struct reader *r, unsigned *thread)
{
    uint64_t number;
    skip(r);
    if (r->at < r->end && *r->at == 'P')
        r->at++;
    const char *start = r->at;
    if (!read_number(r, &number))
        return false;
    if (number >= LITMUS_THREADS)
        return fail_at(r, start, "thread %llu: a test has at most %d", (unsigned long long)number, LITMUS_THREADS);
    *thread = (unsigned)number;
    return expect(r, ":");
}

/* Is a thread with a colon here, not a location? */
static bool at_thread(struct reader *r)
{
    skip(r);
    const char *p = r->at;
    if (p < r->end && *p == 'P')
        p++;
    const char *digits = p;
    while (p < r->end && isdigit((unsigned char)*p))
        p++;
    return p > digits && p < r->end && *p == ':';
}

/* ---- title and initial values -------------------------------------------------------------------------------- */

static bool read_title(struct reader *r)
{
    if (!expect(r, "PTX"))
        return false;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
    size_t n = 0;
    for (; r->at < r->end && !isspace((unsigned char)*r->at); r->at++) {
        if (!isgraph((unsigned char)*r->at) || n + 1 >= sizeof r->test->name)
            return fail_at(r, r->at, "a name of at most %zu printable letters was expected", sizeof r->test->name - 1);
        r->test->name[n++] = *r->at;
    }
    if (!n)
        return fail_wanted(r, "the name of the test");
    if (accept(r, "\"")) {
        const char *start = r->at;
        while (r->at < r->end && *r->at != '"' && *r->at != '\n')
            r->at++;
        size_t size = (size_t)(r->at - start);
        if (r->at >= r->end || *r->at != '"' || size >= sizeof r->test->about)
            return fail_at(r, start, "a description ends with '\"' on its line and has at most %zu letters",
                           sizeof r->test->about - 1);
        memcpy(r->test->about, start, size);
        r->at++;
    }
    r->test->racy = accept(r, "racy");
    return true;
}

static bool read_register_value(struct reader *r)
{
    struct litmus *t = r->test;
    struct litmus_register *reg = &t->registers[t->nregisters];
    if (t->nregisters == LITMUS_REGISTERS)
        return fail_at(r, r->at, "more than %d registers with values", LITMUS_REGISTERS);
    if (!read_thread(r, &reg->thread))
        return false;
    skip(r);
    const char *start = r->at;
    if (!read_name(r, reg->name, "a register"))
        return false;
    unsigned bits = litmus_register_bits(reg->name, strlen(reg->name));
    if (bits != 32 && bits != 64)
        return fail_at(r, start, "'%s' is no register r0 to r%d or rd0 to rd%d", reg->name, LITMUS_NUMBERS - 1,
                       LITMUS_NUMBERS - 1);
    if (!expect(r, "=") || !read_number(r, &reg->value))
        return false;
    reg->value = cut(reg->value, bits);
    t->nregisters++;
    return true;
}

static bool read_place(struct reader *r)
{
    struct litmus *t = r->test;
    struct litmus_place *place = &t->places[t->nplaces];
    if (t->nplaces == LITMUS_PLACES)
        return fail_at(r, r->at, "more than %d locations", LITMUS_PLACES);
    *place = (struct litmus_place){.bits = 32};
    if (accept(r, ".shared"))
        place->space = LITMUS_SHARED;
    else if (accept(r, ".surface"))
        place->space = LITMUS_SURFACE;
    else
        accept(r, ".global");
    place->bits = accept(r, ".b8") ? 8 : accept(r, ".b16") ? 16 : accept(r, ".b64") ? 64 : 32;
    if (place->bits == 32)
        accept(r, ".b32");
    skip(r);
    const char *start = r->at;
    if (!read_name(r, place->name, "a location"))
        return false;
    if (litmus_register_bits(place->name, strlen(place->name)))
        return fail_at(r, start, "'%s' is the name of a register", place->name);
    if (litmus_find_place(t, place->name, strlen(place->name)) < t->nplaces)
        return fail_at(r, start, "'%s' has a value already", place->name);
    if (!expect(r, "=") || !read_number(r, &place->initial))
        return false;
    place->initial = cut(place->initial, place->bits);
    t->nplaces++;
    return true;
}

static bool read_values(struct reader *r)
{
    if (!expect(r, "{"))
        return false;
    while (!accept(r, "}")) {
        if (!(at_thread(r) ? read_register_value(r) : read_place(r)))
            return false;
        if (!accept(r, ";")) {
            skip(r);
            if (r->at >= r->end || *r->at != '}')
                return fail_wanted(r, "';' or '}'");
        }
    }
    return true;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static bool read_coordinate(struct reader *r, uint64_t limit, uint64_t *value)
{
    skip(r);
    const char *start = r->at;
    if (!read_number(r, value))
        return false;
    return *value < limit ||
           fail_at(r, start, "%llu: at most %llu", (unsigned long long)*value, (unsigned long long)limit - 1);
}

/* block N, warp N, lane N, thread N */
static bool read_position(struct reader *r, struct litmus_thread *thread)
{
    uint64_t block = thread->block, warp = 0, lane = 0, flat = UINT64_MAX;
    const char *start = r->at;
    do {
        bool ok = accept(r, "block") || accept(r, "cta") ? read_coordinate(r, LITMUS_BLOCKS, &block)
                  : accept(r, "warp")                    ? read_coordinate(r, 32, &warp)
                  : accept(r, "lane")                    ? read_coordinate(r, 32, &lane)
                  : accept(r, "thread")                  ? read_coordinate(r, 1024, &flat)
                                                         : fail_wanted(r, "'block', 'warp', 'lane' or 'thread'");
        if (!ok)
            return false;
    } while (accept(r, ","));
    if (flat != UINT64_MAX && (warp || lane))
        return fail_at(r, start, "a thread is named by 'thread' or by 'warp' and 'lane', not by both");
    thread->block = (uint32_t)block;
    thread->thread = (uint32_t)(flat != UINT64_MAX ? flat : 32 * warp + lane);
    return true;
}

static bool read_header(struct reader *r)
{
    struct litmus *t = r->test;
    do {
        uint64_t number;
        struct litmus_thread *thread = &t->threads[t->nthreads];
        skip(r);
        const char *start = r->at;
        if (t->nthreads == LITMUS_THREADS)
            return fail_at(r, start, "more than %d threads", LITMUS_THREADS);
        if (r->at >= r->end || *r->at != 'P')
            return fail_wanted(r, "a thread (P0, P1, ...)");
        r->at++;
        if (!read_number(r, &number))
            return false;
        if (number != t->nthreads)
            return fail_at(r, start, "thread P%llu where P%u was expected", (unsigned long long)number, t->nthreads);
        thread->block = t->nthreads;
        if (accept(r, "@") && !read_position(r, thread))
            return false;
        for (unsigned i = 0; i < t->nthreads; i++)
            if (t->threads[i].block == thread->block && t->threads[i].thread == thread->thread)
                return fail_at(r, start, "P%u and P%u are the same thread", i, t->nthreads);
        t->nthreads++;
        t->blocks = thread->block >= t->blocks ? thread->block + 1 : t->blocks;
        t->block_threads = thread->thread >= t->block_threads ? thread->thread + 1 : t->block_threads;
    } while (accept(r, "|"));
    return expect(r, ";");
}

/* Up to a '|' or ';' outside of brackets. */
static bool read_cell(struct reader *r, struct litmus_cell *cell)
{
    unsigned open = 0;
    skip(r);
    const char *start = r->at, *last = start;
    for (; r->at < r->end && (open || (*r->at != '|' && *r->at != ';')); r->at++) {
        unsigned char c = (unsigned char)*r->at;
        if (!isprint(c) && !isspace(c))
            return fail_at(r, r->at, "a byte that is no text (0x%02x)", c);
        if (open && c == ';')
            return fail_at(r, r->at, "';' inside of brackets");
        open += c == '[' || c == '{' || c == '(';
        open -= open && (c == ']' || c == '}' || c == ')');
        if (!isspace(c))
            last = r->at + 1;
    }
    if (r->at >= r->end)
        return fail_at(r, start, "an instruction without an end: '|' or ';' was expected");
    struct litmus_error place = {0};
    struct reader locate = {.test = r->test, .error = &place};
    fail_at(&locate, start, "%s", "");
    *cell =
        (struct litmus_cell){.text = start, .size = (size_t)(last - start), .line = place.line, .column = place.column};
    return true;
}

static bool read_row(struct reader *r)
{
    struct litmus *t = r->test;
    skip(r);
    const char *start = r->at;
    if (t->nrows == LITMUS_ROWS)
        return fail_at(r, start, "more than %d rows of instructions", LITMUS_ROWS);
    for (unsigned i = 0; i < t->nthreads; i++) {
        if (!read_cell(r, &t->threads[i].cells[t->nrows]))
            return false;
        bool ends = *r->at == ';';
        if (ends != (i + 1 == t->nthreads))
            return fail_at(r, r->at, "this row has %s columns than there are threads (%u)", ends ? "fewer" : "more",
                           t->nthreads);
        r->at++;
    }
    t->nrows++;
    return true;
}

/* ---- conditions ------------------------------------------------------------------------------------------- */

static bool add_node(struct reader *r, struct litmus_node node, unsigned *index)
{
    if (r->test->nnodes == LITMUS_NODES)
        return fail_at(r, r->at, "the conditions are too long");
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
        return fail_at(r, start, "conditions name more than %d values", LITMUS_OBSERVED);
    t->observed[t->nobserved++] = *want;
    return true;
}

static bool read_value(struct reader *r, unsigned *index)
{
    struct litmus_observed want = {.thread = -1};
    skip(r);
    const char *start = r->at;
    if (at_thread(r)) {
        unsigned thread = 0;
        if (!read_thread(r, &thread))
            return false;
        if (thread >= r->test->nthreads)
            return fail_at(r, start, "there is no thread P%u", thread);
        want.thread = (int)thread;
        if (!read_name(r, want.name, "a register"))
            return false;
        want.bits = litmus_register_bits(want.name, strlen(want.name));
        if (!want.bits || want.bits > 64)
            return fail_at(r, start, "'%s' is no register that can be looked at", want.name);
        return add_observed(r, start, &want, index);
    }
    if (!read_name(r, want.name, "P0:register or a location"))
        return false;
    want.place = litmus_find_place(r->test, want.name, strlen(want.name));
    if (want.place == r->test->nplaces)
        return fail_at(r, start, "'%s' has no initial value", want.name);
    want.bits = r->test->places[want.place].bits;
    return add_observed(r, start, &want, index);
}

static bool read_comparison(struct reader *r, unsigned *index)
{
    struct litmus_node node = {.operation = LITMUS_EQ};
    if (accept(r, "true"))
        return add_node(r, node = (struct litmus_node){.operation = LITMUS_TRUE}, index);
    if (!read_value(r, &node.left))
        return false;
    if (accept(r, "!="))
        node.operation = LITMUS_NE;
    else if (accept(r, "<"))
        node.operation = LITMUS_LT;
    else if (accept(r, ">"))
        node.operation = LITMUS_GT;
    else if (!accept(r, "==") && !accept(r, "="))
        return fail_wanted(r, "'=', '!=', '<' or '>'");
    skip(r);
    node.constant = !at_thread(r) && r->at < r->end && (isdigit((unsigned char)*r->at) || *r->at == '-');
    if (!(node.constant ? read_number(r, &node.value) : read_value(r, &node.right)))
        return false;
    node.value = cut(node.value, r->test->observed[node.left].bits);
    return add_node(r, node, index);
}

static bool read_or(struct reader *r, unsigned *index);

static bool read_factor(struct reader *r, unsigned *index)
{
    bool ok;
    if (++r->depth > DEEPEST)
        return fail_at(r, r->at, "the condition is nested more than %d deep", DEEPEST);
    if (accept(r, "~") || accept(r, "not")) {
        unsigned inner = 0;
        ok = read_factor(r, &inner) && add_node(r, (struct litmus_node){.operation = LITMUS_NOT, .left = inner}, index);
    } else if (accept(r, "(")) {
        ok = read_or(r, index) && expect(r, ")");
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
    while (accept(r, "/\\") || accept(r, "&&")) {
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
    while (accept(r, "\\/") || accept(r, "||")) {
        struct litmus_node node = {.operation = LITMUS_OR, .left = *index};
        if (!read_and(r, &node.right) || !add_node(r, node, index))
            return false;
    }
    return true;
}

static bool read_quantifier(struct reader *r, enum litmus_quantifier *quantifier)
{
    if (accept(r, "exists"))
        *quantifier = LITMUS_EXISTS;
    else if (accept(r, "~exists") || (accept(r, "~") && accept(r, "exists")))
        *quantifier = LITMUS_NOT_EXISTS;
    else if (accept(r, "forall"))
        *quantifier = LITMUS_FORALL;
    else if (accept(r, "sometimes"))
        *quantifier = LITMUS_SOMETIMES;
    else
        return false;
    return true;
}

static bool read_condition(struct reader *r)
{
    struct litmus *t = r->test;
    struct litmus_condition *condition = &t->conditions[t->nconditions];
    struct litmus_error place;
    struct reader locate = {.test = t, .error = &place};
    skip(r);
    const char *start = r->at;
    if (t->nconditions == LITMUS_CONDITIONS)
        return fail_at(r, start, "more than %d conditions", LITMUS_CONDITIONS);
    if (!read_quantifier(r, &condition->quantifier))
        return fail_wanted(r, "exists, ~exists, forall or sometimes");
    if (!expect(r, "(") || !read_or(r, &condition->root) || !expect(r, ")"))
        return false;
    fail_at(&locate, start, "%s", "");
    condition->line = place.line;
    condition->text = start;
    condition->size = (size_t)(r->at - start);
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
    switch (node->operation) {
    case LITMUS_EQ:
        return left == right;
    case LITMUS_NE:
        return left != right;
    case LITMUS_LT:
        return left < right;
    default:
        return left > right;
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

/* Comments, // to the end of the line and (* nested *), become blanks: places stay. */
static bool blank_comments(struct reader *r, char *text, size_t size)
{
    unsigned depth = 0;
    size_t opened = 0;
    for (size_t i = 0; i < size; i++) {
        bool two = i + 1 < size;
        if (two && text[i] == '(' && text[i + 1] == '*') {
            opened = depth++ ? opened : i;
            text[i] = text[i + 1] = ' ';
            i++;
        } else if (two && depth && text[i] == '*' && text[i + 1] == ')') {
            depth--;
            text[i] = text[i + 1] = ' ';
            i++;
        } else if (two && !depth && text[i] == '/' && text[i + 1] == '/') {
            for (; i < size && text[i] != '\n'; i++)
                text[i] = ' ';
        } else if (depth && text[i] != '\n') {
            text[i] = ' ';
        }
    }
    return !depth || fail_at(r, text + opened, "a comment without an end");
}

static bool at_condition(const struct reader *r)
{
    struct reader look = *r;
    enum litmus_quantifier quantifier;
    return read_quantifier(&look, &quantifier);
}

/* Shared memory is seen from one block only. */
static bool check_shared(struct reader *r)
{
    struct litmus *t = r->test;
    for (unsigned i = 0; i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_SHARED && t->blocks > 1)
            return fail_at(r, r->test->source, "'%s' is in shared memory: all threads must be in block 0",
                           t->places[i].name);
    for (unsigned i = 0; i < t->nregisters; i++)
        if (t->registers[i].thread >= t->nthreads)
            return fail_at(r, r->test->source, "register %s of P%u has a value, but there is no such thread",
                           t->registers[i].name, t->registers[i].thread);
    return true;
}

static bool read_test(struct reader *r)
{
    struct litmus *t = r->test;
    if (!read_title(r) || !read_values(r) || !read_header(r))
        return false;
    while (!at_condition(r)) {
        skip(r);
        if (r->at >= r->end)
            return fail_wanted(r, "an instruction or a condition");
        if (!read_row(r))
            return false;
    }
    for (skip(r); r->at < r->end; skip(r))
        if (!read_condition(r))
            return false;
    return t->nplaces + t->nrows ? check_shared(r) : fail_wanted(r, "an instruction");
}

bool litmus_parse(struct litmus *test, const char *text, size_t size, struct litmus_error *error)
{
    *test = (struct litmus){.source = malloc(size + 1)};
    *error = (struct litmus_error){.line = 1, .column = 1};
    if (!test->source || size > LITMUS_SIZE) {
        snprintf(error->message, sizeof error->message, "a file of more than %d bytes", LITMUS_SIZE);
        litmus_free(test);
        return false;
    }
    memcpy(test->source, text, size);
    test->source[size] = 0;
    struct reader reader = {.test = test, .at = test->source, .end = test->source + size, .error = error};
    if (blank_comments(&reader, test->source, size) && read_test(&reader))
        return true;
    litmus_free(test);
    return false;
}

void litmus_free(struct litmus *test)
{
    free(test->source);
    test->source = NULL;
}

/* Reads litmus tests: the title, initial values and columns of threads. One cursor over a copy of the text in which
 * comments are blanks. */
#include "litmus/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chars.h"

static bool is_digit(char c)
{
    return char_digit(c) < 10;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_print(char c)
{
    return c >= ' ' && c <= '~';
}

struct reader_place litmus_locate(const struct reader *r, const char *at)
{
    struct reader_place place = {1, 1};
    const char *line = r->test->source;
    for (const char *p = line; p < at; p++)
        if (*p == '\n') {
            place.line++;
            line = p + 1;
        }
    place.column = (uint32_t)(at - line) + 1;
    return place;
}

bool litmus_fail(struct reader *r, const char *at, const char *format, ...)
{
    va_list args;
    char message[300];
    struct reader_place place = litmus_locate(r, at);
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return error_at(r->error, ATOLL_INPUT, place.line, place.column, "%s", message);
}

/* What is at the cursor, for messages. */
static const char *here(const struct reader *r, char text[24])
{
    size_t n = 0;
    if (r->at >= r->end)
        return strcpy(text, "the end of the file");
    text[n++] = '\'';
    for (const char *p = r->at; p < r->end && n < 18 && (n == 1 || char_word(*p)); p++)
        text[n++] = is_print(*p) ? *p : '?';
    text[n++] = '\'';
    text[n] = 0;
    return text;
}

bool litmus_wanted(struct reader *r, const char *wanted)
{
    char text[24];
    return litmus_fail(r, r->at, "%s where %s was expected", here(r, text), wanted);
}

void litmus_skip(struct reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

bool litmus_accept(struct reader *r, const char *text)
{
    size_t n = strlen(text);
    litmus_skip(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    if (char_word(text[n - 1]) && r->at + n < r->end && char_word(r->at[n]))
        return false;
    r->at += n;
    return true;
}

bool litmus_expect(struct reader *r, const char *text)
{
    char wanted[24];
    if (litmus_accept(r, text))
        return true;
    snprintf(wanted, sizeof wanted, "'%s'", text);
    return litmus_wanted(r, wanted);
}

bool litmus_name(struct reader *r, char name[LITMUS_NAME], const char *wanted)
{
    litmus_skip(r);
    if (r->test->bare)
        litmus_accept(r, "%");
    const char *start = r->at;
    if (r->at >= r->end || !char_word(*r->at) || is_digit(*r->at))
        return litmus_wanted(r, wanted);
    while (r->at < r->end && char_word(*r->at))
        r->at++;
    size_t size = (size_t)(r->at - start);
    if (size >= LITMUS_NAME)
        return litmus_fail(r, start, "a name of more than %d letters", LITMUS_NAME - 1);
    memcpy(name, start, size);
    name[size] = 0;
    return true;
}

bool litmus_number(struct reader *r, uint64_t *value)
{
    bool minus = litmus_accept(r, "-");
    litmus_skip(r);
    const char *start = r->at;
    bool hex = r->end - r->at > 2 && r->at[0] == '0' && (r->at[1] | 32) == 'x';
    const char *first = hex ? r->at + 2 : r->at;
    struct digits digits;
    r->at = digits_read(first, r->end, hex ? 16 : 10, &digits);
    if (r->at < r->end && char_word(*r->at) && r->at > first)
        return litmus_wanted(r, "a digit");
    if (digits.large)
        return litmus_fail(r, start, "the number does not fit in 64 bits");
    if (r->at == first)
        return litmus_wanted(r, "a number");
    *value = minus ? 0 - digits.value : digits.value;
    return true;
}

/* The number at the end of a register's name, LITMUS_BARE_NUMBERS if it is none or too large. */
static unsigned number_of(const char *digits, size_t size)
{
    unsigned number = 0;
    for (size_t k = 0; k < size; k++)
        number = is_digit(digits[k]) ? 10 * number + char_digit(digits[k]) : 1000;
    return size && size < 3 && number < LITMUS_BARE_NUMBERS ? number : LITMUS_BARE_NUMBERS;
}

unsigned litmus_register_bits(const struct litmus *test, const char *name, size_t size)
{
    static const struct {
        const char *prefix;
        unsigned bits;
    } kinds[] = {{"rd", 64}, {"r", 32}, {"h", 16}, {"f", 32}, {"p", 1}, {"q", 128}};
    if (test->bare)
        return size > 1 && name[0] == 'r' && number_of(name + 1, size - 1) < LITMUS_BARE_NUMBERS ? 32 : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].prefix);
        if (size > n && memcmp(name, kinds[i].prefix, n) == 0 && number_of(name + n, size - n) < LITMUS_NUMBERS)
            return kinds[i].bits;
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

uint64_t litmus_cut(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* "P1" or "1", then ":". */
bool litmus_thread(struct reader *r, unsigned *thread)
{
    uint64_t number;
    litmus_skip(r);
    if (r->at < r->end && *r->at == 'P')
        r->at++;
    const char *start = r->at;
    if (!litmus_number(r, &number))
        return false;
    if (number >= LITMUS_THREADS)
        return litmus_fail(r, start, "thread %llu: a test has at most %d", (unsigned long long)number, LITMUS_THREADS);
    *thread = (unsigned)number;
    return litmus_expect(r, ":");
}

/* Is a thread with a colon here, not a location? */
bool litmus_at_thread(struct reader *r)
{
    litmus_skip(r);
    const char *p = r->at;
    if (p < r->end && *p == 'P')
        p++;
    const char *digits = p;
    while (p < r->end && is_digit(*p))
        p++;
    return p > digits && p < r->end && *p == ':';
}

/* ---- title and initial values -------------------------------------------------------------------------------- */

/* "...", on one line. */
static bool read_about(struct reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n')
        r->at++;
    size_t size = (size_t)(r->at - start);
    if (r->at == r->end || *r->at != '"' || size >= sizeof r->test->about)
        return litmus_fail(r, start, "a description ends with '\"' on its line and has at most %zu letters",
                           sizeof r->test->about - 1);
    r->at++;
    memcpy(r->test->about, start, size);
    return true;
}

/* Whether a '{' is the one that ends the head of a test: not within a description, or the first of its line. */
static bool ends_head(const char *text, const char *at, bool quoted)
{
    const char *p = at;
    while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return *at == '{' && (!quoted || p == text || p[-1] == '\n');
}

/* In the dialect all before the '{' is description, with quotes within it or around it. */
static void read_free_about(struct reader *r)
{
    bool quoted = false;
    litmus_skip(r);
    const char *start = r->at, *last;
    for (; r->at < r->end && !ends_head(r->test->source, r->at, quoted); r->at++)
        quoted ^= *r->at == '"';
    for (last = r->at; last > start && (is_blank(last[-1]) || last[-1] == '"'); last--)
        ;
    while (start < last && (is_blank(*start) || *start == '"'))
        start++;
    size_t size = (size_t)(last - start), room = sizeof r->test->about - 1;
    memcpy(r->test->about, start, size < room ? size : room);
    for (char *p = r->test->about; *p; p++)
        *p = is_blank(*p) ? ' ' : *p;
}

static bool read_title(struct reader *r)
{
    if (!litmus_expect(r, "PTX"))
        return false;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
    size_t n = 0;
    for (; r->at < r->end && !is_blank(*r->at); r->at++) {
        if (!is_print(*r->at) || n + 1 >= sizeof r->test->name)
            return litmus_fail(r, r->at, "a name of at most %zu printable letters was expected",
                               sizeof r->test->name - 1);
        r->test->name[n++] = *r->at;
    }
    if (!n)
        return litmus_wanted(r, "the name of the test");
    if (r->test->bare) {
        read_free_about(r);
        return true;
    }
    if (litmus_accept(r, "\"") && !read_about(r))
        return false;
    r->test->racy = litmus_accept(r, "racy");
    return true;
}

static bool read_register_value(struct reader *r)
{
    struct litmus *t = r->test;
    struct litmus_register *reg = &t->registers[t->nregisters];
    if (t->nregisters == LITMUS_REGISTERS)
        return litmus_fail(r, r->at, "more than %d registers with values", LITMUS_REGISTERS);
    struct reader_place place = litmus_locate(r, r->at);
    if (!litmus_thread(r, &reg->thread))
        return false;
    litmus_skip(r);
    const char *start = r->at;
    if (!litmus_name(r, reg->name, "a register"))
        return false;
    unsigned bits = litmus_register_bits(t, reg->name, strlen(reg->name));
    if (bits != 32 && bits != 64)
        return litmus_fail(r, start, "'%s' is no register r0 to r%d or rd0 to rd%d", reg->name, LITMUS_NUMBERS - 1,
                           LITMUS_NUMBERS - 1);
    if (!litmus_expect(r, "=") || !litmus_number(r, &reg->value))
        return false;
    reg->value = litmus_cut(reg->value, bits);
    reg->line = place.line;
    reg->column = place.column;
    t->nregisters++;
    return true;
}

/* "@ surface aliases x": a name for the memory of x that is used through that proxy; "@ generic": a second address. */
static bool read_alias(struct reader *r, struct litmus_place *place)
{
    static const char *const proxies[] = {"generic", "surface", "texture", "constant"};
    struct litmus *t = r->test;
    char name[LITMUS_NAME];
    unsigned proxy = 0;
    while (proxy < LITMUS_PROXIES && !litmus_accept(r, proxies[proxy]))
        proxy++;
    if (proxy == LITMUS_PROXIES)
        return litmus_wanted(r, "'generic', 'surface', 'texture' or 'constant'");
    place->proxy = (enum litmus_proxy)proxy;
    if (r->test->bare && !litmus_accept(r, "virtually"))
        litmus_accept(r, "physically"); /* of older tests */
    if (!litmus_expect(r, "aliases"))
        return false;
    litmus_skip(r);
    const char *start = r->at;
    if (!litmus_name(r, name, "a location"))
        return false;
    unsigned of = litmus_find_place(t, name, strlen(name));
    if (of == t->nplaces)
        return litmus_fail(r, start, "'%s' has no initial value before this", name);
    if (t->places[of].space != LITMUS_GLOBAL)
        return litmus_fail(r, start, "'%s' is not in global memory", name);
    unsigned self = t->nplaces;
    place->memory = t->places[of].memory;
    place->address = place->proxy == LITMUS_GENERIC ? self : t->places[of].address;
    place->bits = t->places[of].bits;
    place->initial = t->places[of].initial;
    return true;
}

static bool read_initial(struct reader *r, struct litmus_place *place)
{
    if (!litmus_expect(r, "="))
        return false;
    litmus_skip(r);
    if (r->test->bare && r->at < r->end && (*r->at == '&' || (char_word(*r->at) && !is_digit(*r->at))))
        return litmus_fail(r, r->at, "an address as an initial value is not known here");
    if (!litmus_number(r, &place->initial))
        return false;
    place->initial = litmus_cut(place->initial, place->bits);
    return true;
}

static void read_space(struct reader *r, struct litmus_place *place)
{
    static const struct {
        const char *word;
        unsigned bits;
    } sizes[] = {{".b8", 8}, {".b16", 16}, {".b32", 32}, {".b64", 64}};
    if (litmus_accept(r, ".shared"))
        place->space = LITMUS_SHARED;
    else if (litmus_accept(r, ".surface"))
        place->space = LITMUS_SURFACE;
    else
        litmus_accept(r, ".global");
    place->proxy = place->space == LITMUS_SURFACE ? LITMUS_SURFACES : LITMUS_GENERIC;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (litmus_accept(r, sizes[i].word)) {
            place->bits = sizes[i].bits;
            return;
        }
}

static bool read_place(struct reader *r)
{
    struct litmus *t = r->test;
    struct litmus_place *place = &t->places[t->nplaces];
    if (t->nplaces == LITMUS_PLACES)
        return litmus_fail(r, r->at, "more than %d locations", LITMUS_PLACES);
    *place = (struct litmus_place){.bits = 32, .memory = t->nplaces, .address = t->nplaces};
    read_space(r, place);
    litmus_skip(r);
    const char *start = r->at;
    if (!litmus_name(r, place->name, "a location"))
        return false;
    if (litmus_register_bits(t, place->name, strlen(place->name)))
        return litmus_fail(r, start, "'%s' is the name of a register", place->name);
    if (litmus_find_place(t, place->name, strlen(place->name)) < t->nplaces)
        return litmus_fail(r, start, "'%s' has a value already", place->name);
    if (!(litmus_accept(r, "@") ? read_alias(r, place) : read_initial(r, place)))
        return false;
    t->nplaces++;
    return true;
}

static bool read_values(struct reader *r)
{
    if (!litmus_expect(r, "{"))
        return false;
    while (!litmus_accept(r, "}")) {
        if (!(litmus_at_thread(r) ? read_register_value(r) : read_place(r)))
            return false;
        if (!litmus_accept(r, ";")) {
            litmus_skip(r);
            if (r->at >= r->end || *r->at != '}')
                return litmus_wanted(r, "';' or '}'");
        }
    }
    return !r->test->bare || litmus_accept(r, ";") || true;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static bool read_coordinate(struct reader *r, uint64_t limit, uint64_t *value)
{
    litmus_skip(r);
    const char *start = r->at;
    if (!litmus_number(r, value))
        return false;
    return *value < limit ||
           litmus_fail(r, start, "%llu: at most %llu", (unsigned long long)*value, (unsigned long long)limit - 1);
}

/* block N, warp N, lane N, thread N, device N */
static bool read_position(struct reader *r, struct litmus_thread *thread)
{
    static const struct {
        const char *word;
        unsigned what;
        uint64_t limit;
    } words[] = {{"block", 0, LITMUS_BLOCKS}, {"cta", 0, LITMUS_BLOCKS}, {"warp", 1, 32}, {"lane", 2, 32},
                 {"thread", 3, 1024},         {"device", 4, 8},          {"gpu", 4, 8}};
    enum { WORDS = sizeof words / sizeof *words };
    uint64_t at[] = {thread->block, 0, 0, UINT64_MAX, 0};
    const char *start = r->at;
    do {
        unsigned i = 0;
        while (i < WORDS && !litmus_accept(r, words[i].word))
            i++;
        if (i == WORDS)
            return litmus_wanted(r, "'block', 'warp', 'lane', 'thread' or 'device'");
        if (!read_coordinate(r, words[i].limit, &at[words[i].what]))
            return false;
    } while (litmus_accept(r, ","));
    if (at[3] != UINT64_MAX && (at[1] || at[2]))
        return litmus_fail(r, start, "a thread is named by 'thread' or by 'warp' and 'lane', not by both");
    thread->block = (uint32_t)at[0];
    thread->thread = (uint32_t)(at[3] != UINT64_MAX ? at[3] : 32 * at[1] + at[2]);
    thread->device = (uint32_t)at[4];
    return true;
}

/* Dartagnan numbers blocks within a device and does not tell threads of a block apart: blocks get numbers of their own,
 * and each thread of a block a warp. */
static void number_threads(struct litmus *t)
{
    uint32_t blocks[LITMUS_THREADS];
    for (unsigned i = 0; i < t->nthreads; i++)
        blocks[i] = t->threads[i].block;
    t->blocks = t->block_threads = 0;
    for (unsigned i = 0; i < t->nthreads; i++) {
        struct litmus_thread *self = &t->threads[i];
        self->block = t->blocks;
        self->thread = 0;
        for (unsigned k = 0; k < i; k++)
            if (blocks[k] == blocks[i] && t->threads[k].device == self->device) {
                self->block = t->threads[k].block;
                self->thread = t->threads[k].thread + 32;
            }
        t->blocks = self->block >= t->blocks ? self->block + 1 : t->blocks;
        t->block_threads = self->thread >= t->block_threads ? self->thread + 1 : t->block_threads;
    }
}

/* The thread that was just read beside those before. */
static bool check_thread(struct reader *r, const char *start)
{
    struct litmus *t = r->test;
    const struct litmus_thread *self = &t->threads[t->nthreads];
    for (unsigned i = 0; i < t->nthreads && !t->bare; i++) {
        const struct litmus_thread *other = &t->threads[i];
        if (other->block == self->block && other->thread == self->thread)
            return litmus_fail(r, start, "P%u and P%u are the same thread", i, t->nthreads);
        if (other->block == self->block && other->device != self->device)
            return litmus_fail(r, start, "P%u and P%u are in one block on two devices", i, t->nthreads);
    }
    return true;
}

static bool read_column(struct reader *r)
{
    struct litmus *t = r->test;
    uint64_t number;
    struct litmus_thread *thread = &t->threads[t->nthreads];
    litmus_skip(r);
    const char *start = r->at;
    if (t->nthreads == LITMUS_THREADS)
        return litmus_fail(r, start, "more than %d threads", LITMUS_THREADS);
    if (r->at >= r->end || *r->at != 'P')
        return litmus_wanted(r, "a thread (P0, P1, ...)");
    r->at++;
    if (!litmus_number(r, &number))
        return false;
    if (number != t->nthreads)
        return litmus_fail(r, start, "thread P%llu where P%u was expected", (unsigned long long)number, t->nthreads);
    thread->block = t->nthreads;
    if ((litmus_accept(r, "@") && !read_position(r, thread)) || !check_thread(r, start))
        return false;
    t->nthreads++;
    t->blocks = thread->block >= t->blocks ? thread->block + 1 : t->blocks;
    t->block_threads = thread->thread >= t->block_threads ? thread->thread + 1 : t->block_threads;
    return true;
}

static bool read_header(struct reader *r)
{
    do {
        if (!read_column(r))
            return false;
    } while (litmus_accept(r, "|"));
    if (r->test->bare)
        number_threads(r->test);
    return litmus_expect(r, ";");
}

/* Up to a '|' or ';' outside of brackets. */
static bool read_cell(struct reader *r, struct litmus_cell *cell)
{
    unsigned open = 0;
    litmus_skip(r);
    const char *start = r->at, *last = start;
    for (; r->at < r->end && (open || (*r->at != '|' && *r->at != ';')); r->at++) {
        unsigned char c = (unsigned char)*r->at;
        if (!is_print(*r->at) && !is_blank(*r->at))
            return litmus_fail(r, r->at, "a byte that is no text (0x%02x)", c);
        if (open && c == ';')
            return litmus_fail(r, r->at, "';' inside of brackets");
        open += c == '[' || c == '{' || c == '(';
        open -= open && (c == ']' || c == '}' || c == ')');
        if (!is_blank(*r->at))
            last = r->at + 1;
    }
    if (r->at >= r->end)
        return litmus_fail(r, start, "an instruction without an end: '|' or ';' was expected");
    struct reader_place place = litmus_locate(r, start);
    *cell =
        (struct litmus_cell){.text = start, .size = (size_t)(last - start), .line = place.line, .column = place.column};
    return true;
}

/* In the dialect a location without an initial value is a new one, of 0. */
static bool add_accessed(struct reader *r, const struct litmus_cell *cell)
{
    struct litmus *t = r->test;
    const char *name;
    size_t size;
    if (!t->bare || !litmus_accessed(t, cell, &name, &size) || litmus_find_place(t, name, size) < t->nplaces)
        return true;
    if (t->nplaces == LITMUS_PLACES)
        return litmus_fail(r, name, "more than %d locations", LITMUS_PLACES);
    if (size >= LITMUS_NAME)
        return litmus_fail(r, name, "a name of more than %d letters", LITMUS_NAME - 1);
    struct litmus_place *place = &t->places[t->nplaces];
    *place = (struct litmus_place){.bits = 32, .memory = t->nplaces, .address = t->nplaces};
    memcpy(place->name, name, size);
    t->nplaces++;
    return true;
}

static bool read_row(struct reader *r)
{
    struct litmus *t = r->test;
    litmus_skip(r);
    const char *start = r->at;
    if (t->nrows == LITMUS_ROWS)
        return litmus_fail(r, start, "more than %d rows of instructions", LITMUS_ROWS);
    for (unsigned i = 0; i < t->nthreads; i++) {
        struct litmus_cell *cell = &t->threads[i].cells[t->nrows];
        if (!read_cell(r, cell) || !add_accessed(r, cell))
            return false;
        bool ends = *r->at == ';';
        if (ends != (i + 1 == t->nthreads))
            return litmus_fail(r, r->at, "this row has %s columns than there are threads (%u)", ends ? "fewer" : "more",
                               t->nthreads);
        r->at++;
    }
    t->nrows++;
    return true;
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

/* The end of a comment that begins at `i`, where blanks stand then; size + 1: it has none. */
static size_t blank_nested(char *text, size_t i, size_t size)
{
    unsigned depth = 0;
    do {
        bool two = i + 1 < size;
        bool opens = two && text[i] == '(' && text[i + 1] == '*', closes = two && text[i] == '*' && text[i + 1] == ')';
        depth += opens;
        depth -= closes;
        for (unsigned k = 0; k < 1u + (opens || closes); k++, i++)
            text[i] = text[i] == '\n' ? '\n' : ' ';
    } while (depth && i < size);
    return depth ? size + 1 : i;
}

/* Comments, // to the end of the line and (* nested *), become blanks: places stay. Descriptions are left alone. */
static bool blank_comments(struct reader *r, char *text, size_t size)
{
    bool quoted = false, head = true;
    for (size_t i = 0; i < size;) {
        head = head && !ends_head(text, text + i, quoted);
        quoted = head && quoted != (text[i] == '"');
        bool two = i + 1 < size && !quoted;
        if (two && text[i] == '(' && text[i + 1] == '*') {
            size_t opened = i;
            i = blank_nested(text, i, size);
            if (i > size)
                return litmus_fail(r, text + opened, "a comment without an end");
        } else if (two && text[i] == '/' && text[i + 1] == '/') {
            while (i < size && text[i] != '\n')
                text[i++] = ' ';
        } else {
            i++;
        }
    }
    return true;
}

/* Dartagnan's dialect says of each thread which device it is on: "P0@cta 0,gpu 0". */
static bool is_bare(const char *text)
{
    const char *header = strchr(text, '}');
    const char *thread = header ? strchr(header, 'P') : NULL;
    const char *stop = thread ? strchr(thread, ';') : NULL;
    const char *word = thread ? strstr(thread, "gpu ") : NULL;
    return word && stop && word < stop;
}

/* Shared memory is seen from one block only; registers belong to threads that are there. */
static bool check_whole(struct reader *r)
{
    struct litmus *t = r->test;
    for (unsigned i = 0; i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_SHARED && t->blocks > 1)
            return litmus_fail(r, r->test->source, "'%s' is in shared memory: all threads must be in block 0",
                               t->places[i].name);
    for (unsigned i = 0; i < t->nregisters; i++)
        if (t->registers[i].thread >= t->nthreads && !t->bare)
            return error_at(r->error, ATOLL_INPUT, t->registers[i].line, t->registers[i].column,
                            "register %s of P%u has a value, but there is no such thread", t->registers[i].name,
                            t->registers[i].thread);
    return true;
}

static bool read_test(struct reader *r)
{
    struct litmus *t = r->test;
    if (!read_title(r) || !read_values(r) || !read_header(r))
        return false;
    for (bool listed = false; !listed && !litmus_at_condition(r);) {
        litmus_skip(r);
        if (litmus_accept(r, "locations")) {
            listed = true;
            if (!litmus_locations(r))
                return false;
            continue;
        }
        if (r->at >= r->end)
            return litmus_wanted(r, "an instruction or a condition");
        if (!read_row(r))
            return false;
    }
    for (litmus_skip(r); r->at < r->end; litmus_skip(r))
        if (!litmus_condition(r))
            return false;
    return t->nplaces + t->nrows ? check_whole(r) : litmus_wanted(r, "an instruction");
}

bool litmus_parse(struct litmus *test, const char *text, size_t size, struct atoll_error *error)
{
    *test = (struct litmus){0};
    if (size > LITMUS_SIZE)
        return error_at(error, ATOLL_INPUT, 1, 1, "a file of more than %d bytes", LITMUS_SIZE);
    test->source = malloc(size + 1);
    if (!test->source)
        return error_memory(error);
    memcpy(test->source, text, size);
    test->source[size] = 0;
    struct reader reader = {.test = test, .at = test->source, .end = test->source + size, .error = error};
    if (blank_comments(&reader, test->source, size)) {
        test->bare = is_bare(test->source);
        if (read_test(&reader))
            return true;
    }
    litmus_free(test);
    return false;
}

void litmus_free(struct litmus *test)
{
    free(test->source);
    test->source = NULL;
}

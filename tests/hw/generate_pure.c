/* Cases of instructions whose results depend on registers alone, and of loads and stores. A thread has one vector of
 * operands, and a result of each form of its case.
 *
 *   input of a thread:   the sources, each aligned to its size; of a predicate the byte 0 or 1
 *   output of a thread:  the destinations of the first form, of the second ...; of a predicate the byte 0 or 1
 */
#include "generate_pure.h"

#include <stdlib.h>
#include <string.h>

enum { FORMS = 16, OPERANDS = 4, SOURCE = 8, DEST = 14, MOST_PAIRS = 256, RANDOM = 128, RANDOM_ALONE = 256 };

/* ---- notation --------------------------------------------------------------------------------------------------- */

static unsigned expansions(const char *form)
{
    unsigned count = 1;
    for (const char *at = form; (at = strchr(at, '{')); at++) {
        unsigned words = 1;
        for (const char *c = at; *c != '}'; c++)
            words += *c == ',';
        count *= words;
    }
    return count;
}

/* Appends word number `index` of the group at `group`; returns what follows the group. */
static const char *choose(struct hw_text *out, const char *group, unsigned index)
{
    const char *end = strchr(group, '}'), *word = group + 1;
    for (; index; index--)
        word = strchr(word, ',') + 1;
    hw_put(out, word, strcspn(word, ",}"));
    return end + 1;
}

static void expand(struct hw_text *out, const char *form, unsigned index)
{
    while (*form) {
        size_t plain = strcspn(form, "{");
        hw_put(out, form, plain);
        form += plain;
        if (!*form)
            return;
        unsigned later = expansions(strchr(form, '}'));
        form = choose(out, form, index / later);
        index %= later;
    }
}

/* `text` with `word` for every ~. */
static void substitute(struct hw_text *out, const char *text, const char *word)
{
    for (; *text; text++)
        if (*text == '~')
            hw_add(out, "%s", word);
        else
            hw_put(out, text, 1);
}

/* ---- operands --------------------------------------------------------------------------------------------------- */

struct operand {
    struct pure_type type;
    unsigned at; /* in the thread's input or output of one form */
};
struct operands {
    struct operand dest[OPERANDS], source[OPERANDS];
    unsigned dests, sources, dest_bytes, source_bytes, align; /* align: of a form's output */
};

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

static unsigned place(struct operand *operand, unsigned at)
{
    unsigned size = operand->type.bytes;
    operand->at = (at + size - 1) / size * size;
    return operand->at + size;
}

static void read_operands(struct operands *o, const char *text)
{
    bool sources = false;
    *o = (struct operands){.align = 1};
    for (size_t length; *text; text += length + (text[length] == ' ')) {
        length = strcspn(text, " ");
        if (*text == ':') {
            sources = true;
            continue;
        }
        struct operand operand = {.type = pure_type(text, length)};
        unsigned *count = sources ? &o->sources : &o->dests, *bytes = sources ? &o->source_bytes : &o->dest_bytes;
        if (!operand.type.bytes || *count == OPERANDS)
            fail("operands", text);
        *bytes = place(&operand, *bytes);
        (sources ? o->source : o->dest)[(*count)++] = operand;
        if (!sources && operand.type.bytes > o->align)
            o->align = operand.type.bytes;
    }
    o->dest_bytes = (o->dest_bytes + o->align - 1) / o->align * o->align;
    o->source_bytes = (o->source_bytes + 15) / 16 * 16;
}

static struct hw_register reg(const struct operand *operand, unsigned number)
{
    struct hw_register predicate;
    snprintf(predicate.name, sizeof predicate.name, "%%p%u", number % 100);
    return operand->type.kind == 'p' ? predicate : hw_register(operand->type.bytes, number);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------
 */

static void fetch(struct hw_text *t, const struct operand *operand, unsigned number)
{
    if (operand->type.kind == 'p')
        hw_add(t, "ld.global.u8 %%r23, [%%rd1+%u];\nsetp.ne.b32 %%p%u, %%r23, 0;\n", operand->at, number);
    else if (operand->type.kind != 'm')
        hw_fetch(t, ".global", operand->type.bytes, number, 1, "%rd1", operand->at);
}

static void store(struct hw_text *t, const struct operand *operand, unsigned number, unsigned at)
{
    if (operand->type.kind == 'p')
        hw_add(t, "selp.b32 %%r23, 1, 0, %%p%u;\nst.global.u8 [%%rd0+%u], %%r23;\n", number, at);
    else if (operand->type.kind != 'm')
        hw_store(t, ".global", operand->type.bytes, number, 1, "%rd0", at);
}

/* What a letter after $ stands for. */
static void put_letter(struct hw_text *t, const struct operands *o, char letter, unsigned number)
{
    static const char dests[] = "defg", sources[] = "abci", places[] = "DEFG", offsets[] = "ABCI";
    const char *at;
    if (letter == '@')
        hw_add(t, "%u", number);
    else if ((at = strchr(dests, letter)))
        hw_add(t, "%s", reg(&o->dest[at - dests], DEST + (unsigned)(at - dests)).name);
    else if ((at = strchr(sources, letter)))
        hw_add(t, "%s", reg(&o->source[at - sources], SOURCE + (unsigned)(at - sources)).name);
    else if ((at = strchr(places, letter)))
        hw_add(t, "%u", number * o->dest_bytes + o->dest[at - places].at);
    else if ((at = strchr(offsets, letter)))
        hw_add(t, "%u", o->source[at - offsets].at);
}

static void put_form(struct hw_text *t, const struct operands *o, const char *form, unsigned number)
{
    bool short_form = !strchr(form, ' ');
    for (; *form; form++)
        if (*form == '$')
            put_letter(t, o, *++form, number);
        else
            hw_put(t, *form == '(' ? "{" : *form == ')' ? "}" : form, 1);
    if (short_form) {
        hw_add(t, " %s", reg(&o->dest[0], DEST).name);
        for (unsigned i = 0; i < o->sources; i++)
            hw_add(t, ", %s", reg(&o->source[i], SOURCE + i).name);
        hw_add(t, ";");
    }
    hw_add(t, "\n");
}

static void kernel(struct hw_case *c, const struct operands *o, const char *form, unsigned first, unsigned count,
                   unsigned version)
{
    hw_kernel(c, version, o->source_bytes, count * o->dest_bytes);
    hw_add(&c->ptx, ".reg .pred %%p<24>;\n");
    for (unsigned i = 0; i < o->sources; i++)
        fetch(&c->ptx, &o->source[i], SOURCE + i);
    for (unsigned number = 0; number < count; number++) {
        struct hw_text one = {0};
        expand(&one, form, first + number);
        put_form(&c->ptx, o, one.data, number);
        for (unsigned i = 0; i < o->dests; i++)
            store(&c->ptx, &o->dest[i], DEST + i, number * o->dest_bytes + o->dest[i].at);
        hw_free(&one);
    }
    hw_kernel_end(c);
}

/* ---- inputs -------------------------------------------------------------------------------------------------------
 */

static unsigned edge_count(const struct operands *o, unsigned i, enum pure_set set)
{
    return o->source[i].type.kind == 'm' ? 1 : pure_edges(o->source[i].type, set, o->sources == 1);
}

static unsigned combinations(const struct operands *o, enum pure_set set)
{
    unsigned total = 1;
    for (unsigned i = 0; i < o->sources; i++)
        total *= edge_count(o, i, set);
    return total;
}

static unsigned vectors(const struct operands *o, enum pure_set set)
{
    if (set == PURE_RANDOM || !o->sources)
        return o->sources == 1 ? RANDOM_ALONE : RANDOM;
    unsigned total = combinations(o, set);
    return total > MOST_PAIRS ? MOST_PAIRS : total;
}

/* Combination number `i` of those that are taken; where there are too many they are spread over all. */
static unsigned pick(unsigned i, unsigned total, unsigned taken)
{
    return total <= taken ? i % total : (unsigned)((uint64_t)i * total / taken + (i * 7) % (total / taken));
}

static void put_vector(struct hw_case *c, const struct operands *o, enum pure_set set, unsigned thread)
{
    size_t begin = c->in.size;
    unsigned index = set == PURE_RANDOM ? 0 : pick(thread, combinations(o, set), vectors(o, set));
    for (unsigned i = 0; i < o->sources; i++) {
        const struct operand *operand = &o->source[i];
        unsigned count = edge_count(o, i, set);
        while (c->in.size < begin + operand->at)
            hw_word(&c->in, 0xa5, 1);
        if (operand->type.kind == 'm')
            for (unsigned byte = 0; byte < operand->type.bytes; byte += 4)
                hw_word(&c->in, pure_value(pure_type("b32", 3), PURE_RANDOM, thread, byte), 4);
        else
            hw_word(&c->in, pure_value(operand->type, set, set == PURE_RANDOM ? thread : index % count, i),
                    operand->type.bytes);
        index /= count;
    }
    while (c->in.size < begin + o->source_bytes)
        hw_word(&c->in, 0xa5, 1);
}

/* ---- cases --------------------------------------------------------------------------------------------------------
 */

struct job {
    const struct pure_row *row;
    struct operands operands;
    const char *form, *name; /* with the word of `each` in them */
};

static const char *set_name(const struct job *job, enum pure_set set)
{
    bool floats = false;
    for (unsigned i = 0; i < job->operands.sources; i++)
        floats |= pure_is_float(job->operands.source[i].type);
    if (set == PURE_EDGES)
        return floats ? "numbers" : "edges";
    return set == PURE_NANS ? floats ? "nans" : NULL : "random";
}

/* What comparisons say of NaNs the ISA fixes; NaN results it hardly does, an H100 told them. */
static enum hw_class classify(const struct job *job, enum pure_set set)
{
    static const char *const comparisons[] = {"set", "testp", "slct", "selp"};
    bool compares = false;
    for (size_t i = 0; i < HW_COUNT(comparisons); i++)
        compares |= strncmp(job->form, comparisons[i], strlen(comparisons[i])) == 0;
    return set == PURE_NANS && job->row->class == HW_ISA && !compares ? HW_MEASURED : job->row->class;
}

static void add_case(struct hw_cases *cases, const struct job *job, enum pure_set set, unsigned first)
{
    const struct pure_row *row = job->row;
    const struct operands *o = &job->operands;
    unsigned forms = expansions(job->form), count = forms - first < FORMS ? forms - first : FORMS;
    struct hw_case *c = hw_case_new(cases);
    int word = (int)strcspn(job->name, " ");
    c->sm = row->sm ? row->sm : 75;
    c->class = classify(job, set);
    c->threads = row->threads ? row->threads : vectors(o, set);
    snprintf(c->name, sizeof c->name, "%.*s/%s%s%s%s%s", word < 80 ? word : 80, job->name, row->set ? row->set : "",
             row->set ? "-" : "", set_name(job, set), row->tag ? "-" : "", row->tag ? row->tag : "");
    if (forms > FORMS)
        snprintf(c->name + strlen(c->name), sizeof c->name - strlen(c->name), "-%u", first / FORMS);
    for (unsigned thread = 0; thread < c->threads; thread++)
        put_vector(c, o, set, thread);
    c->in_bytes = c->threads * o->source_bytes;
    c->out_bytes = c->threads * count * o->dest_bytes;
    kernel(c, o, job->form, first, count, row->version ? row->version : 78);
}

static void add_word(struct hw_cases *cases, const struct pure_row *row, const char *word)
{
    struct hw_text form = {0}, operands = {0}, name = {0};
    struct job job = {.row = row};
    substitute(&form, row->form, word);
    substitute(&operands, row->operands, word);
    substitute(&name, row->name ? row->name : row->form, word);
    read_operands(&job.operands, operands.data);
    job.form = form.data;
    job.name = name.data;
    for (unsigned set = 0; set < PURE_SETS; set++)
        for (unsigned first = 0; set_name(&job, (enum pure_set)set) && first < expansions(form.data); first += FORMS)
            add_case(cases, &job, (enum pure_set)set, first);
    hw_free(&form);
    hw_free(&operands);
    hw_free(&name);
}

void pure_rows(struct hw_cases *cases, const struct pure_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char words[128], *rest = words;
        snprintf(words, sizeof words, "%s", rows[i].each ? rows[i].each : "-");
        for (char *word; (word = strsep(&rest, " "));)
            add_word(cases, &rows[i], word);
    }
}

void hw_generate_pure(struct hw_cases *cases)
{
    hw_generate_integers(cases);
    hw_generate_floats(cases);
    hw_generate_conversions(cases);
    hw_generate_warp(cases);
}

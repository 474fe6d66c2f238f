/* Mutations of PTX that know its grammar, for the targets that read PTX: libFuzzer calls LLVMFuzzerCustomMutator. One
 * instruction is changed a time: its modifiers are shuffled, doubled, dropped or exchanged for words of other
 * instructions, its operands swapped, dropped, doubled or taken from elsewhere, its mnemonic or guard exchanged; or a
 * fresh surface or atomic instruction takes its place. The text around stays, so that what comes out is mostly a module
 * that is read to its end. */
#include "fuzz.h"

#include <string.h>

#include "base/text.h"

#include "../ptx_forms.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
/* libFuzzer's own, on bytes. Not there without libFuzzer. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { PIECES = 40 };

/* An instruction cut into pieces of the text: "@p mnemonic.word.word operand, operand" without its ';'. */
struct piece {
    const char *start;
    size_t length;
};
struct cut {
    struct piece guard, mnemonic, words[PIECES], operands[PIECES];
    unsigned nwords, noperands;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct piece trim(const char *start, const char *end)
{
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    return (struct piece){start, (size_t)(end - start)};
}

static void cut_operands(const char *at, const char *end, struct cut *cut)
{
    const char *start = at;
    int depth = 0;
    for (; at <= end && cut->noperands < PIECES; at++) {
        if (at == end || (*at == ',' && depth <= 0)) {
            struct piece piece = trim(start, at);
            if (piece.length > 0)
                cut->operands[cut->noperands++] = piece;
            start = at + 1;
        } else if (*at == '{' || *at == '[' || *at == '(') {
            depth++;
        } else if (*at == '}' || *at == ']' || *at == ')') {
            depth--;
        }
    }
}

static void cut_insn(struct piece insn, struct cut *cut)
{
    const char *at = insn.start, *end = at + insn.length;
    *cut = (struct cut){.guard = {at, 0}};
    if (at < end && *at == '@') {
        while (at < end && !is_blank(*at))
            at++;
        cut->guard.length = (size_t)(at - cut->guard.start);
        at = trim(at, end).start;
    }
    const char *word = at;
    for (bool first = true; at <= end; at++)
        if (at == end || *at == '.' || is_blank(*at)) {
            struct piece piece = {word, (size_t)(at - word)};
            if (first)
                cut->mnemonic = piece;
            else if (cut->nwords < PIECES)
                cut->words[cut->nwords++] = piece;
            first = false;
            word = at + 1;
            if (at == end || is_blank(*at))
                break;
        }
    cut_operands(at, end, cut);
}

static void write_insn(const struct cut *cut, struct text *out)
{
    text_add(out, cut->guard.start, cut->guard.length);
    text_puts(out, cut->guard.length ? " " : "");
    text_add(out, cut->mnemonic.start, cut->mnemonic.length);
    for (unsigned i = 0; i < cut->nwords; i++) {
        text_puts(out, ".");
        text_add(out, cut->words[i].start, cut->words[i].length);
    }
    for (unsigned i = 0; i < cut->noperands; i++) {
        text_puts(out, i ? ", " : " ");
        text_add(out, cut->operands[i].start, cut->operands[i].length);
    }
}

/* ---- finding instructions ---------------------------------------------------------------------------------- */

/* The statement that ends at the first ';' after `from`, or at the first of all; false if there is none. */
static bool find_insn(const char *text, size_t size, size_t from, struct piece *insn)
{
    const char *end = memchr(text + from, ';', size - from);
    if (!end)
        end = memchr(text, ';', size);
    if (!end)
        return false;
    const char *start = end;
    int depth = 0; /* braces of operands stay inside */
    for (; start > text && start[-1] != ';' && start[-1] != '\n'; start--) {
        char c = start[-1];
        depth += c == '}' ? 1 : c == '{' ? -1 : 0;
        if (depth < 0 || (c == ':' && start[0] != ':' && (start - 1 == text || start[-2] != ':')))
            break;
    }
    *insn = trim(start, end);
    return insn->length > 0 && insn->start[0] != '.'; /* no declaration */
}

static bool random_insn(struct forms *f, const char *text, size_t size, struct piece *insn)
{
    for (unsigned tries = 0; tries < 20; tries++)
        if (find_insn(text, size, forms_random(f, (unsigned)size), insn))
            return true;
    return false;
}

/* ---- mutations ---------------------------------------------------------------------------------------------- */

static struct piece piece_of(const char *text)
{
    return (struct piece){text, strlen(text)};
}

static struct piece any_word(struct forms *f)
{
    return piece_of(ptx_keyword_text((enum ptx_keyword)forms_random(f, PTX_KEYWORDS)));
}

static void remove_piece(struct piece *pieces, unsigned *count, unsigned index)
{
    for (unsigned i = index; i + 1 < *count; i++)
        pieces[i] = pieces[i + 1];
    --*count;
}

static void insert_piece(struct piece *pieces, unsigned *count, unsigned index, struct piece piece)
{
    if (*count == PIECES)
        return;
    for (unsigned i = *count; i > index; i--)
        pieces[i] = pieces[i - 1];
    pieces[index] = piece;
    ++*count;
}

static void swap_pieces(struct forms *f, struct piece *pieces, unsigned count)
{
    unsigned a = forms_random(f, count), b = forms_random(f, count);
    struct piece piece = pieces[a];
    pieces[a] = pieces[b];
    pieces[b] = piece;
}

static void mutate_words(struct forms *f, struct cut *cut)
{
    unsigned n = cut->nwords, at = n ? forms_random(f, n) : 0;
    switch (forms_random(f, n ? 5 : 1)) {
    case 0:
        insert_piece(cut->words, &cut->nwords, n ? at : 0, any_word(f));
        break;
    case 1:
        for (unsigned i = 0; i < n; i++)
            swap_pieces(f, cut->words, n);
        break;
    case 2:
        insert_piece(cut->words, &cut->nwords, forms_random(f, n + 1), cut->words[at]);
        break;
    case 3:
        cut->words[at] = any_word(f);
        break;
    default:
        remove_piece(cut->words, &cut->nwords, at);
        break;
    }
}

/* An operand of some other instruction, or a word that is one somewhere. */
static struct piece any_operand(struct forms *f, const char *text, size_t size)
{
    struct piece insn;
    struct cut other;
    if (forms_random(f, 3) && random_insn(f, text, size, &insn)) {
        cut_insn(insn, &other);
        if (other.noperands)
            return other.operands[forms_random(f, other.noperands)];
    }
    return piece_of(FORMS_PICK(f, "_", "0", "-1", "0x8000000000000000", "0f7FC00000", "0d3FF0000000000000", "%tid.x",
                               "{%r1,%r2}", "{%r1,%r2,%r3,%r4}", "{_}", "{}", "[%rd1]", "[%rd1+8]", "[S, {%r1}]", "[S]",
                               "!%p1", "%p1|%p2", "%r1.x", "%v4_1", "%hx1", "%q1", "S", "SH+4", "[SH]", "[0]", "(%r1)",
                               "%nothing"));
}

static void mutate_operands(struct forms *f, struct cut *cut, const char *text, size_t size)
{
    unsigned n = cut->noperands, at = n ? forms_random(f, n) : 0;
    switch (forms_random(f, n ? 5 : 1)) {
    case 0:
        insert_piece(cut->operands, &cut->noperands, at, any_operand(f, text, size));
        break;
    case 1:
        swap_pieces(f, cut->operands, n);
        break;
    case 2:
        insert_piece(cut->operands, &cut->noperands, forms_random(f, n + 1), cut->operands[at]);
        break;
    case 3:
        remove_piece(cut->operands, &cut->noperands, at);
        break;
    default:
        cut->operands[at] = any_operand(f, text, size);
        break;
    }
}

static struct piece any_mnemonic(struct forms *f)
{
    unsigned rows = 0;
    while (ptx_row_at(rows))
        rows++;
    return piece_of(ptx_row_at(forms_random(f, rows))->name);
}

/* What takes the instruction's place, without ';'. */
static void mutate_insn(struct forms *f, struct piece insn, const char *text, size_t size, struct text *out)
{
    struct cut cut;
    cut_insn(insn, &cut);
    unsigned kind = forms_random(f, 20);
    if (kind < 8) {
        mutate_words(f, &cut);
    } else if (kind < 15) {
        mutate_operands(f, &cut, text, size);
    } else if (kind == 15) {
        cut.mnemonic = any_mnemonic(f);
    } else if (kind == 16) {
        cut.guard = piece_of(FORMS_PICK(f, "", "@%p1", "@!%p1", "@%r1", "@"));
    } else if (kind == 17) { /* twice */
        write_insn(&cut, out);
        text_puts(out, "; ");
    } else if (kind == 18) {
        f->mistakes = forms_random(f, 10);
        forms_next(f, out);
        out->length -= out->length > 0; /* its ';' */
        return;
    }
    if (kind != 19 || forms_random(f, 2))
        write_insn(&cut, out);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct forms f = {.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    struct text out = {0};
    struct piece insn;
    const char *text = (const char *)data;
    for (unsigned i = 0; i < 8; i++)
        forms_random(&f, 2);
    bool bytes = forms_random(&f, 16) == 0;
    if (LLVMFuzzerMutate && (bytes || size == 0))
        return LLVMFuzzerMutate(data, size, most);
    if (size == 0 || size > UINT32_MAX || !random_insn(&f, text, size, &insn))
        return size;
    text_add(&out, text, (size_t)(insn.start - text));
    mutate_insn(&f, insn, text, size, &out);
    text_add(&out, insn.start + insn.length, size - (size_t)(insn.start + insn.length - text));
    if (text_ok(&out) && out.length <= most) {
        memcpy(data, out.bytes, out.length);
        size = out.length;
    }
    text_free(&out);
    return size;
}

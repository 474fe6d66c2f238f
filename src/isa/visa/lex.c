/* Text of vISA to words. Where several could stand at a place the longest one does, whatever comes after it. */
#include "isa/visa/lex.h"

#include "base/chars.h"

#include <string.h>

enum { LETTER = 1, DIGIT = 2, HEX = 4, LABEL = 8, BLANK = 16 };

#define X (LETTER | HEX | LABEL)
#define L (LETTER | LABEL)
#define D (DIGIT | HEX | LABEL)
/* What a byte may be part of. */
static const uint8_t classes[256] = {
    ['\t'] = BLANK, [' '] = BLANK, ['$'] = LABEL, ['@'] = LABEL, ['?'] = LABEL, ['-'] = LABEL, ['_'] = L, ['0'] = D,
    ['1'] = D,      ['2'] = D,     ['3'] = D,     ['4'] = D,     ['5'] = D,     ['6'] = D,     ['7'] = D, ['8'] = D,
    ['9'] = D,      ['A'] = X,     ['B'] = X,     ['C'] = X,     ['D'] = X,     ['E'] = X,     ['F'] = X, ['G'] = L,
    ['H'] = L,      ['I'] = L,     ['J'] = L,     ['K'] = L,     ['L'] = L,     ['M'] = L,     ['N'] = L, ['O'] = L,
    ['P'] = L,      ['Q'] = L,     ['R'] = L,     ['S'] = L,     ['T'] = L,     ['U'] = L,     ['V'] = L, ['W'] = L,
    ['X'] = L,      ['Y'] = L,     ['Z'] = L,     ['a'] = X,     ['b'] = X,     ['c'] = X,     ['d'] = X, ['e'] = X,
    ['f'] = X,      ['g'] = L,     ['h'] = L,     ['i'] = L,     ['j'] = L,     ['k'] = L,     ['l'] = L, ['m'] = L,
    ['n'] = L,      ['o'] = L,     ['p'] = L,     ['q'] = L,     ['r'] = L,     ['s'] = L,     ['t'] = L, ['u'] = L,
    ['v'] = L,      ['w'] = L,     ['x'] = L,     ['y'] = L,     ['z'] = L,
};
#undef X
#undef L
#undef D

static inline unsigned byte_class(char c)
{
    return classes[(unsigned char)c];
}

static inline const char *run(const char *at, const char *end, unsigned wanted)
{
    while (at < end && (byte_class(*at) & wanted))
        at++;
    return at;
}

static bool starts(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

static void take(struct visa_lexer *l, struct visa_token *t, unsigned kind, size_t length)
{
    t->kind = (uint8_t)kind;
    t->length = (uint32_t)length;
    l->at = l->start + t->pos + length;
}

/* ---- what words have none of ------------------------------------------------------------------------------ */

/* " \" and a newline join lines, with the empty lines before them. What was looked through once need not be again. */
static bool continuation(struct visa_lexer *l)
{
    const char *at = l->at;
    uint32_t lines = 0;
    if (at < l->blanks_end)
        return false;
    while (at < l->end && (*at == ' ' || *at == '\t' || *at == '\n'))
        lines += *at++ == '\n';
    if (at == l->at || !starts(at, l->end, "\\\n")) {
        l->blanks_end = at;
        return false;
    }
    l->at = at + 2;
    l->line += lines + 1;
    return true;
}

static bool comment(struct visa_lexer *l, struct visa_token *t)
{
    const char *at = l->at + 2;
    if (l->at[1] == '/') {
        at = memchr(at, '\n', (size_t)(l->end - at));
        l->at = at ? at : l->end;
        return true;
    }
    t->pos = (uint32_t)(l->at - l->start);
    while (at < l->end) {
        const char *star = memchr(at, '*', (size_t)(l->end - at));
        for (const char *c = at; c < (star ? star : l->end); c++)
            l->line += *c == '\n';
        if (!star || star + 1 == l->end)
            break;
        at = star + 1;
        if (*at == '/') {
            l->at = at + 1;
            return true;
        }
    }
    t->line = l->line;
    t->value = VISA_BROKEN_COMMENT;
    take(l, t, VISA_TOKEN_BROKEN, (size_t)(l->end - l->at));
    return false;
}

/* Blanks, comments, joined lines. False: *t is a comment without an end. */
static bool skip(struct visa_lexer *l, struct visa_token *t)
{
    for (;;) {
        if (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\n') && continuation(l))
            continue;
        while (l->at < l->end && (*l->at == ' ' || *l->at == '\t'))
            l->at++;
        if (l->at + 1 >= l->end || *l->at != '/' || (l->at[1] != '/' && l->at[1] != '*'))
            return true;
        if (!comment(l, t))
            return false;
    }
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static bool copy_found(struct visa_lexer *l, struct visa_token *t, const struct visa_token *found, size_t length)
{
    if (!found)
        return false;
    t->class = found->class;
    t->value = found->value;
    take(l, t, found->kind, length);
    return true;
}

/* A declaration's word with '=' after it. */
static bool equals(struct visa_lexer *l, struct visa_token *t, const char *end_of_name)
{
    static const char *const names[] = {"num_elts", "align", "offset", "size", "alias", "attrs", "v_name"};
    const char *begin = l->start + t->pos, *at = end_of_name;
    while (at < l->end && *at == ' ')
        at++;
    if (at == l->end || *at != '=')
        return false;
    size_t length = (size_t)(end_of_name - begin);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], begin, length) == 0) {
            t->value = i;
            take(l, t, VISA_TOKEN_EQUALS, (size_t)(at + 1 - begin));
            return true;
        }
    return false;
}

/* The longest of a list that is at a place; the list's index in *which. 0: none. */
static size_t longest(const char *const *list, unsigned count, const char *at, const char *end, unsigned *which)
{
    size_t best = 0;
    for (unsigned i = 0; i < count && at < end; i++)
        if (list[i][0] == *at && strlen(list[i]) > best && starts(at, end, list[i])) {
            best = strlen(list[i]);
            *which = i;
        }
    return best;
}

struct spelled {
    const char *text;
    uint8_t type;
};

static size_t longest_type(const struct spelled *list, unsigned count, const char *at, const char *end, uint64_t *type)
{
    size_t best = 0;
    for (unsigned i = 0; i < count && at < end; i++)
        if (list[i].text[0] == *at && strlen(list[i].text) > best && starts(at, end, list[i].text)) {
            best = strlen(list[i].text);
            *type = list[i].type;
        }
    return best;
}

/* "type=ud", "v_type = G". */
static bool declared(struct visa_lexer *l, struct visa_token *t, const char *end_of_name)
{
    static const struct spelled types[] = {
        {"ud", VISA_UD}, {"d", VISA_D},       {"uw", VISA_UW},     {"w", VISA_W},   {"ub", VISA_UB}, {"b", VISA_B},
        {"df", VISA_DF}, {"f", VISA_F},       {"bool", VISA_BOOL}, {"uq", VISA_UQ}, {"q", VISA_Q},   {"UD", VISA_UD},
        {"D", VISA_D},   {"UW", VISA_UW},     {"W", VISA_W},       {"UB", VISA_UB}, {"B", VISA_B},   {"DF", VISA_DF},
        {"F", VISA_F},   {"Bool", VISA_BOOL}, {"BOOL", VISA_BOOL}, {"UQ", VISA_UQ}, {"Q", VISA_Q},   {"hf", VISA_HF},
        {"HF", VISA_HF}, {"bf", VISA_BF},     {"BF", VISA_BF},
    };
    static const struct spelled kinds[] = {{"G", VISA_G}, {"A", VISA_A}, {"P", VISA_P}, {"S", VISA_S}, {"T", VISA_T}};
    const char *begin = l->start + t->pos, *at = end_of_name;
    bool type = end_of_name - begin == 4 && memcmp(begin, "type", 4) == 0;
    if (!type && (end_of_name - begin != 6 || memcmp(begin, "v_type", 6) != 0))
        return false;
    while (at < l->end && *at == ' ')
        at++;
    if (at == l->end || *at++ != '=')
        return false;
    while (at < l->end && *at == ' ')
        at++;
    size_t length = type ? longest_type(types, sizeof types / sizeof *types, at, l->end, &t->value)
                         : longest_type(kinds, sizeof kinds / sizeof *kinds, at, l->end, &t->value);
    if (length)
        take(l, t, type ? VISA_TOKEN_DECLTYPE : VISA_TOKEN_DECLKIND, (size_t)(at + length - begin));
    return length != 0;
}

/* Mnemonics that have a dot within: nbarrier.wait, dpas.s8.s8.8.8, bfn.x1A. 0: no such. */
static size_t dotted_mnemonic(const char *begin, const char *dot, const char *end)
{
    static const char *const whole[] = {"nbarrier.signal", "nbarrier.wait", "sbarrier.signal", "sbarrier.wait",
                                        "lifetime.start",  "lifetime.end",  "add3.o"};
    unsigned which;
    size_t length = longest(whole, sizeof whole / sizeof *whole, begin, end, &which);
    if (length > (size_t)(dot - begin))
        return length;
    const char *at = dot + 1;
    if (dot - begin == 3 && memcmp(begin, "bfn", 3) == 0 && at < end && *at == 'x' && run(at + 1, end, HEX) > at + 1)
        return (size_t)(run(at + 1, end, HEX) - begin);
    bool wide = dot - begin == 5 && memcmp(begin, "dpasw", 5) == 0;
    if (!wide && (dot - begin != 4 || memcmp(begin, "dpas", 4) != 0))
        return 0;
    if (!wide && starts(at, end, "tf32.tf32."))
        at += 10;
    else if (end - at > 6 && memchr("sSuUbBhH", at[0], 8) && memchr("1248fF", at[1], 6) && at[2] == '.' &&
             memchr("sSuUbBhH", at[3], 8) && memchr("1248fF", at[4], 6) && at[5] == '.')
        at += 6;
    else
        return 0;
    bool counts = end - at >= 3 && memchr("1248", at[0], 4) && at[1] == '.' && at[2] >= '1' && at[2] <= '8';
    return counts ? (size_t)(at + 3 - begin) : 0;
}

static void name(struct visa_lexer *l, struct visa_token *t)
{
    const char *begin = l->at, *at = run(l->at, l->end, LETTER | DIGIT);
    size_t length = (size_t)(at - begin);
    if (at < l->end && *at == '.') {
        size_t whole = dotted_mnemonic(begin, at, l->end);
        bool partly = whole && (*begin == 'd' || *begin == 'b');
        if (whole && copy_found(l, t, visa_words_find(l->words, begin, partly ? length + 1 : whole), whole))
            return;
    } else if (at < l->end && (*at == '=' || *at == ' ') && (equals(l, t, at) || declared(l, t, at))) {
        return;
    }
    if (length == 1 && *begin == 'r' && at < l->end && *at == '[')
        take(l, t, VISA_TOKEN_INDIRECT, 2);
    else if (!copy_found(l, t, visa_words_find(l->words, begin, length), length))
        take(l, t, VISA_TOKEN_NAME, length);
}

static bool label(struct visa_lexer *l, struct visa_token *t)
{
    if ((l->at > l->start && l->at[-1] != '\n') || !(byte_class(*l->at) & (LETTER | LABEL)) || *l->at == '-' ||
        (byte_class(*l->at) & DIGIT))
        return false;
    const char *at = run(l->at, l->end, LABEL);
    if (at == l->end || *at != ':')
        return false;
    take(l, t, VISA_TOKEN_LABEL, (size_t)(at + 1 - l->at));
    return true;
}

static void builtin(struct visa_lexer *l, struct visa_token *t)
{
    static const char *const special[] = {"%null", "%sizeof", "%DispatchSimd"};
    const char *begin = l->at, *at = begin + 1;
    if (at == l->end || !(byte_class(*at) & LETTER)) {
        t->value = '%';
        take(l, t, VISA_TOKEN_PUNCTUATION, 1);
        return;
    }
    at = run(at, l->end, LETTER | DIGIT);
    unsigned kind = VISA_TOKEN_BUILTIN;
    for (unsigned i = 0; i < 3; i++)
        if (strlen(special[i]) == (size_t)(at - begin) && memcmp(special[i], begin, (size_t)(at - begin)) == 0)
            kind = VISA_TOKEN_NULL + i;
    take(l, t, kind, (size_t)(at - begin));
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

/* Digits as Intel's tool reads them: to the largest of 64 bits, then the lower half with its sign. */
static uint64_t decimal(const char *at, const char *end)
{
    struct digits digits;
    digits_read(at, end, 10, &digits);
    return digits.large || digits.value > INT64_MAX ? UINT64_MAX : (uint64_t)(int64_t)(int32_t)(uint32_t)digits.value;
}

/* The length of a float's literal with its type; 0: there is none here. */
static size_t float_literal(const char *begin, const char *digits_end, const char *end, bool *wide)
{
    const char *at = digits_end, *fraction;
    bool point = at < end && *at == '.' && (fraction = run(at + 1, end, DIGIT)) > at + 1, exponent = false;
    if (point)
        at = fraction;
    if (end - at > 2 && (*at == 'e' || *at == 'E') && (at[1] == '+' || at[1] == '-') &&
        run(at + 2, end, DIGIT) > at + 2) {
        at = run(at + 2, end, DIGIT);
        exponent = true;
    }
    if (!point && !exponent)
        return 0;
    *wide = starts(at, end, ":df");
    if (!*wide && !starts(at, end, ":f"))
        return 0;
    return (size_t)(at - begin) + (*wide ? 3 : 2);
}

static bool hex(struct visa_lexer *l, struct visa_token *t)
{
    const char *begin = l->at;
    if (l->end - begin < 3 || *begin != '0' || (begin[1] != 'x' && begin[1] != 'X') || !(byte_class(begin[2]) & HEX))
        return false;
    struct digits digits;
    const char *at = digits_read(begin + 2, l->end, 16, &digits);
    bool fits = at - begin <= 18;
    t->value = fits ? digits.value : VISA_BROKEN_HEX;
    take(l, t, fits ? VISA_TOKEN_HEX : VISA_TOKEN_BROKEN, (size_t)(at - begin));
    return true;
}

static void number(struct visa_lexer *l, struct visa_token *t)
{
    static const char *const aligns[] = {"2GRF", "32word", "64word"};
    static const uint8_t codes[] = {6, 8, 9};
    const char *begin = l->at, *at = run(begin, l->end, DIGIT);
    bool wide = false;
    unsigned which = 0;
    if (hex(l, t))
        return;
    bool plain = at == l->end || !(*at == '.' || (byte_class(*at) & LETTER));
    size_t length = plain ? 0 : float_literal(begin, at, l->end, &wide);
    if (plain) {
        t->value = decimal(begin, at);
        take(l, t, VISA_TOKEN_DECIMAL, (size_t)(at - begin));
    } else if (length) {
        take(l, t, wide ? VISA_TOKEN_F64 : VISA_TOKEN_F32, length);
    } else if ((length = longest(aligns, 3, begin, l->end, &which)) != 0) {
        t->value = codes[which];
        take(l, t, VISA_TOKEN_ALIGN, length);
    } else {
        t->value = decimal(begin, at);
        take(l, t, VISA_TOKEN_DECIMAL, (size_t)(at - begin));
    }
}

/* ---- what begins with a sign ------------------------------------------------------------------------------ */

/* The length of the data's shape that LSC has; 0: none. */
static size_t shape(const char *colon, const char *end)
{
    static const char *const sizes[] = {"64", "32", "16", "8", "8c32", "16c32", "16c32h"};
    static const char *const elements[] = {"x64", "x32", "x16", "x8", "x4", "x3", "x2", "x1"};
    const char *at = colon + 1;
    unsigned which;
    if (at == end || (*at != 'd' && *at != 'u'))
        return 0;
    size_t length = longest(sizes, 7, ++at, end, &which);
    if (!length)
        return 0;
    at += length;
    if (at + 1 < end && *at == '.' && memchr("xyzw", at[1], 4)) {
        const char *c = at + 1;
        for (const char *letter = "xyzw"; *letter; letter++)
            c += c < end && *c == *letter;
        return (size_t)(c - colon);
    }
    if (at + 1 < end && *at == '.' && at[1] >= '1' && at[1] <= '9') { /* 2x32x32nt */
        const char *c = run(at + 1, end, DIGIT), *good = NULL;
        for (unsigned i = 0; i < 2 && c + 1 < end && *c == 'x' && c[1] >= '1' && c[1] <= '9'; i++)
            good = c = run(c + 1, end, DIGIT);
        for (unsigned i = 0; good && i < 2 && good < end && (*good == 'n' || *good == 't'); i++)
            good++;
        if (good)
            return (size_t)(good - colon);
    }
    at += longest(elements, 8, at, end, &which);
    return (size_t)(at - colon) + (at < end && *at == 't');
}

static void colon(struct visa_lexer *l, struct visa_token *t)
{
    static const struct spelled types[] = {
        {"ud", VISA_UD}, {"d", VISA_D},   {"uw", VISA_UW},     {"w", VISA_W},       {"ub", VISA_UB},
        {"b", VISA_B},   {"df", VISA_DF}, {"DF", VISA_DF},     {"f", VISA_F},       {"F", VISA_F},
        {"hf", VISA_HF}, {"HF", VISA_HF}, {"bool", VISA_BOOL}, {"BOOL", VISA_BOOL}, {"Bool", VISA_BOOL},
        {"UD", VISA_UD}, {"D", VISA_D},   {"UW", VISA_UW},     {"W", VISA_W},       {"UB", VISA_UB},
        {"B", VISA_B},   {"q", VISA_Q},   {"uq", VISA_UQ},     {"Q", VISA_Q},       {"UQ", VISA_UQ},
        {"v", VISA_V},   {"vf", VISA_VF}, {"V", VISA_V},       {"VF", VISA_VF},     {"uv", VISA_UV},
    };
    static const char *const addresses[] = {"a16", "a32", "a64"};
    const char *at = l->at + 1;
    unsigned which = 0;
    size_t typed = longest_type(types, sizeof types / sizeof *types, at, l->end, &t->value);
    size_t shaped = shape(l->at, l->end);
    size_t address = longest(addresses, 3, at, l->end, &which);
    if (shaped > typed + 1) {
        take(l, t, VISA_TOKEN_SHAPE, shaped);
    } else if (address) {
        t->value = which + 1;
        take(l, t, VISA_TOKEN_ASIZE, address + 1);
    } else if (typed) {
        take(l, t, VISA_TOKEN_TYPE, typed + 1);
    } else {
        t->value = ':';
        take(l, t, VISA_TOKEN_PUNCTUATION, 1);
    }
}

/* Letters of a list in its order, each once at most, of either case where `fold`; sets their bits. */
static size_t letters(const char *at, const char *end, const char *list, bool fold, uint64_t *bits)
{
    const char *begin = at;
    *bits = 0;
    for (unsigned i = 0; list[i]; i++)
        if (at < end && (*at == list[i] || (fold && *at == (list[i] | 32)))) {
            *bits |= 1u << i;
            at++;
        }
    return (size_t)(at - begin);
}

/* .E .IS .L1: letters in their order. */
static size_t fence_options(const char *at, const char *end, uint64_t *bits)
{
    size_t length = letters(at, end, "EISCR", false, bits);
    if (end - at >= (ptrdiff_t)length + 2 && memcmp(at + length, "L1", 2) == 0) {
        *bits |= 64;
        length += 2;
    }
    return length;
}

/* .<SI><RTI> */
static size_t target_options(const char *at, const char *end)
{
    const char *begin = at;
    while (at < end && *at == '<') {
        const char *c = at + 1;
        while (c < end && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')))
            c++;
        if (c == at + 1 || c == end || *c != '>')
            break;
        at = c + 1;
    }
    return (size_t)(at - begin);
}

static bool implicit(struct visa_lexer *l, struct visa_token *t)
{
    if (!starts(l->at, l->end, ".implicit"))
        return false;
    t->class = VISA_DOT_DIRECTIVE;
    t->value = VISA_DIRECTIVE_IMPLICIT;
    take(l, t, VISA_TOKEN_DOTTED, (size_t)(run(l->at + 1, l->end, LABEL) - l->at));
    return true;
}

enum { LONGEST_DOTTED = 16 }; /* of the words in words.c */

static void dot(struct visa_lexer *l, struct visa_token *t)
{
    static const char *const outputs[] = {"16-full", "16-downsampled", "8-full", "8-downsampled"};
    const char *at = l->at + 1, *end = run(at, l->end, LETTER | DIGIT);
    uint64_t bits;
    unsigned which = 0;
    if (implicit(l, t))
        return;
    size_t most = (size_t)(end - at) < LONGEST_DOTTED ? (size_t)(end - at) : LONGEST_DOTTED;
    size_t channels = letters(at, l->end, "RGBA", true, &bits);
    uint64_t mask = bits;
    size_t options = fence_options(at, l->end, &bits);
    for (size_t length = most; length && length > options && length >= channels; length--)
        if (copy_found(l, t, visa_words_dotted(l->words, at, length), length + 1))
            return;
    size_t length = at < l->end && *at == '<' ? target_options(at, l->end) : 0;
    if (length) {
        t->class = VISA_DOT_TARGET;
    } else if ((length = longest(outputs, 4, at, l->end, &which)) != 0) {
        t->class = VISA_DOT_OUTPUT;
        t->value = which;
    } else if (channels || options) {
        t->class = channels >= options ? VISA_DOT_CHANNELS : VISA_DOT_OPTIONS;
        t->value = channels >= options ? mask : bits;
        length = channels >= options ? channels : options;
    }
    if (!length)
        t->value = '.';
    take(l, t, length ? VISA_TOKEN_DOTTED : VISA_TOKEN_PUNCTUATION, length + 1);
}

static void parenthesis(struct visa_lexer *l, struct visa_token *t)
{
    static const char *const modifiers[] = {"(abs)", "(-)", "(-abs)", "(~)"};
    static const uint8_t codes[] = {VISA_ABS, VISA_NEG, VISA_NEG_ABS, VISA_NOT};
    unsigned which = 0;
    bool may = l->at + 1 < l->end && (l->at[1] == '-' || l->at[1] == 'a' || l->at[1] == '~');
    size_t length = may ? longest(modifiers, 4, l->at, l->end, &which) : 0;
    t->value = length ? codes[which] : '(';
    take(l, t, length ? VISA_TOKEN_MODIFIER : VISA_TOKEN_PUNCTUATION, length ? length : 1);
}

static void string(struct visa_lexer *l, struct visa_token *t)
{
    const char *at = l->at + 1;
    while (at < l->end && *at != '"' && *at != '\n')
        at += *at == '\\' && at + 1 < l->end && at[1] != '\n' ? 2 : 1;
    bool whole = at < l->end && *at == '"';
    t->value = VISA_BROKEN_STRING;
    take(l, t, whole ? VISA_TOKEN_STRING : VISA_TOKEN_BROKEN, (size_t)(at - l->at) + whole);
}

static void punctuation(struct visa_lexer *l, struct visa_token *t)
{
    static const char *const known[] = {">>>", ">>", "<<", "<=", ">=", "==", "!="};
    unsigned which = 0;
    bool may = l->at + 1 < l->end && (l->at[1] == '=' || l->at[1] == '<' || l->at[1] == '>');
    size_t length = may ? longest(known, sizeof known / sizeof *known, l->at, l->end, &which) : 0;
    if (!length)
        length = memchr("*+-=&^|~!,;/?){}<>[]", *l->at, 20) ? 1 : 0;
    t->value = 0;
    for (size_t i = 0; i < length; i++)
        t->value |= (uint64_t)(unsigned char)l->at[i] << (8 * i);
    take(l, t, length ? VISA_TOKEN_PUNCTUATION : VISA_TOKEN_INVALID, length ? length : 1);
}

void visa_lex(struct visa_lexer *l, struct visa_token *t)
{
    *t = (struct visa_token){0};
    if (!skip(l, t))
        return;
    t->pos = (uint32_t)(l->at - l->start);
    t->line = l->line;
    if (l->at == l->end)
        return;
    unsigned class = byte_class(*l->at);
    if (*l->at == '\n') {
        l->line++;
        take(l, t, VISA_TOKEN_NEWLINE, 1);
    } else if ((class & LABEL) && label(l, t)) {
        return;
    } else if (class & LETTER) {
        name(l, t);
    } else if (class & DIGIT) {
        number(l, t);
    } else if (*l->at == '.') {
        dot(l, t);
    } else if (*l->at == ':') {
        colon(l, t);
    } else if (*l->at == '%') {
        builtin(l, t);
    } else if (*l->at == '(') {
        parenthesis(l, t);
    } else if (*l->at == '"') {
        string(l, t);
    } else {
        punctuation(l, t);
    }
}

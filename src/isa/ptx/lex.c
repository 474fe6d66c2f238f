/* The lexer of PTX text.
 *
 *   name      [a-zA-Z][a-zA-Z0-9_$]* | [_$%][a-zA-Z0-9_$]+ | _           (PTX ISA 4.4)
 *   dot       . word (:: word)*        word of letters, digits and _ ; ".5" and ".5e3" are numbers
 *   integer   0x1F 0b101 017 42, with an optional U                       (PTX ISA 4.5.1)
 *   float     0f######## 0d################ 1.5 1. .5 1e-3                (PTX ISA 4.5.2)
 *   comments  // to the end of the line, slash-star, # to the end of the line (as ptxas reads it)
 */
#include "isa/ptx/lex.h"
#include "base/chars.h"
#include "base/decimal.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE = 1, FOLLOW = 2, START = 4, DIGIT = 8, WORD = 16 };

#define LETTER (FOLLOW | START | WORD)
#define DIGITS (FOLLOW | DIGIT | WORD)
static const uint8_t classes[256] = {
    [' '] = SPACE,  ['\t'] = SPACE, ['\r'] = SPACE, ['\n'] = SPACE, ['_'] = LETTER, ['$'] = FOLLOW | START,
    ['%'] = START,  ['0'] = DIGITS, ['1'] = DIGITS, ['2'] = DIGITS, ['3'] = DIGITS, ['4'] = DIGITS,
    ['5'] = DIGITS, ['6'] = DIGITS, ['7'] = DIGITS, ['8'] = DIGITS, ['9'] = DIGITS, ['A'] = LETTER,
    ['B'] = LETTER, ['C'] = LETTER, ['D'] = LETTER, ['E'] = LETTER, ['F'] = LETTER, ['G'] = LETTER,
    ['H'] = LETTER, ['I'] = LETTER, ['J'] = LETTER, ['K'] = LETTER, ['L'] = LETTER, ['M'] = LETTER,
    ['N'] = LETTER, ['O'] = LETTER, ['P'] = LETTER, ['Q'] = LETTER, ['R'] = LETTER, ['S'] = LETTER,
    ['T'] = LETTER, ['U'] = LETTER, ['V'] = LETTER, ['W'] = LETTER, ['X'] = LETTER, ['Y'] = LETTER,
    ['Z'] = LETTER, ['a'] = LETTER, ['b'] = LETTER, ['c'] = LETTER, ['d'] = LETTER, ['e'] = LETTER,
    ['f'] = LETTER, ['g'] = LETTER, ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER, ['k'] = LETTER,
    ['l'] = LETTER, ['m'] = LETTER, ['n'] = LETTER, ['o'] = LETTER, ['p'] = LETTER, ['q'] = LETTER,
    ['r'] = LETTER, ['s'] = LETTER, ['t'] = LETTER, ['u'] = LETTER, ['v'] = LETTER, ['w'] = LETTER,
    ['x'] = LETTER, ['y'] = LETTER, ['z'] = LETTER,
};

static bool is(const struct lexer *lexer, uint32_t pos, uint8_t class)
{
    return pos < lexer->size && classes[(unsigned char)lexer->text[pos]] & class;
}

static char at(const struct lexer *lexer, uint32_t pos)
{
    return pos < lexer->size ? lexer->text[pos] : 0;
}

bool lex_name_char(char c)
{
    return classes[(unsigned char)c] & FOLLOW;
}

static uint32_t line_end(const struct lexer *lexer, uint32_t pos)
{
    const char *end = memchr(lexer->text + pos, '\n', lexer->size - pos);
    return end ? (uint32_t)(end - lexer->text) : lexer->size;
}

/* Skips one slash-star comment; false when it does not end. */
static bool skip_comment(struct lexer *lexer, struct token *token)
{
    uint32_t pos = lexer->pos + 2;
    for (;;) {
        const char *star = pos < lexer->size ? memchr(lexer->text + pos, '*', lexer->size - pos) : NULL;
        if (!star)
            return false;
        uint32_t found = (uint32_t)(star - lexer->text);
        if (memchr(lexer->text + pos, '\n', found - pos))
            token->first = true;
        if (at(lexer, found + 1) == '/') {
            lexer->pos = found + 2;
            return true;
        }
        pos = found + 1;
    }
}

/* Skips blanks and comments; false at the end of the text or of an open comment. */
static bool skip_blanks(struct lexer *lexer, struct token *token)
{
    while (lexer->pos < lexer->size) {
        char c = lexer->text[lexer->pos];
        if (classes[(unsigned char)c] & SPACE) {
            if (c == '\n')
                token->first = true;
            lexer->pos++;
        } else if (c == '#' || (c == '/' && at(lexer, lexer->pos + 1) == '/')) {
            lexer->pos = line_end(lexer, lexer->pos);
        } else if (c == '/' && at(lexer, lexer->pos + 1) == '*') {
            if (!skip_comment(lexer, token)) {
                token->problem = TOKEN_OPEN_COMMENT;
                return false;
            }
        } else {
            return true;
        }
    }
    return false;
}

/* Digits of `base` from pos on; returns the place after them. */
static uint32_t digits(const struct lexer *lexer, uint32_t pos, unsigned base, struct token *token)
{
    struct digits read;
    const char *end = digits_read(lexer->text + pos, lexer->text + lexer->size, base, &read);
    token->value = read.value; /* where it is too large: modulo 2^64, as ptxas reads it */
    if (read.large)
        token->problem = TOKEN_OVERFLOW;
    return (uint32_t)(end - lexer->text);
}

/* A decimal number with a point or an exponent; ptxas' own limit is not known, 511 bytes are more than any has. */
static bool decimal_value(const char *text, size_t length, uint64_t *bits)
{
    enum { MOST = 511 };
    double value;
    size_t used;
    if (length > MOST || !decimal_double(text, length, &value, &used))
        return false;
    memcpy(bits, &value, sizeof value);
    return used == length && value <= DBL_MAX;
}

/* End of the decimal float that starts at pos, 0 if there is none (a plain integer, say). */
static uint32_t decimal_end(const struct lexer *lexer, uint32_t pos)
{
    uint32_t start = pos;
    while (is(lexer, pos, DIGIT))
        pos++;
    bool point = at(lexer, pos) == '.';
    if (point) {
        pos++;
        if (pos == start + 1 && !is(lexer, pos, DIGIT))
            return 0;
        while (is(lexer, pos, DIGIT))
            pos++;
    }
    if (at(lexer, pos) == 'e' || at(lexer, pos) == 'E') {
        uint32_t digit = pos + 1;
        if (at(lexer, digit) == '+' || at(lexer, digit) == '-')
            digit++;
        if (is(lexer, digit, DIGIT)) {
            while (is(lexer, digit, DIGIT))
                digit++;
            return digit;
        }
    }
    return point ? pos : 0;
}

static uint32_t lex_integer(const struct lexer *lexer, struct token *token)
{
    uint32_t start = token->pos, pos;
    char second = at(lexer, start + 1);
    token->kind = TOKEN_INT;
    if (lexer->text[start] != '0' || !(classes[(unsigned char)second] & FOLLOW))
        pos = digits(lexer, start, 10, token);
    else if (second == 'x' || second == 'X')
        pos = digits(lexer, start + 2, 16, token);
    else if (second == 'b' || second == 'B')
        pos = digits(lexer, start + 2, 2, token);
    else if (second == 'U')
        pos = start + 1;
    else
        pos = digits(lexer, start + 1, 8, token);
    if (pos == start + 2 && !(classes[(unsigned char)second] & DIGIT) && second != 'U' && pos > start + 1)
        token->problem = TOKEN_BAD_NUMBER; /* 0x, 0b */
    token->is_unsigned = token->value > INT64_MAX;
    if (at(lexer, pos) == 'U') {
        token->is_unsigned = true;
        pos++;
    }
    return pos;
}

static uint32_t lex_bits(const struct lexer *lexer, struct token *token, uint16_t kind, uint32_t count)
{
    uint32_t start = token->pos + 2, pos = digits(lexer, start, 16, token);
    token->kind = kind;
    token->problem = pos - start == count ? TOKEN_FINE : TOKEN_BAD_NUMBER;
    return pos;
}

static void lex_number(struct lexer *lexer, struct token *token)
{
    char second = at(lexer, token->pos + 1);
    bool zero = lexer->text[token->pos] == '0';
    uint32_t pos;
    if (zero && (second == 'f' || second == 'F')) {
        pos = lex_bits(lexer, token, TOKEN_F32, 8);
    } else if (zero && (second == 'd' || second == 'D')) {
        pos = lex_bits(lexer, token, TOKEN_F64, 16);
    } else if (!(zero && (second == 'x' || second == 'X')) && (pos = decimal_end(lexer, token->pos)) != 0) {
        token->kind = TOKEN_F64;
        token->decimal = true;
        if (!decimal_value(lexer->text + token->pos, pos - token->pos, &token->value))
            token->problem = TOKEN_BAD_NUMBER;
    } else {
        pos = lex_integer(lexer, token);
    }
    for (; is(lexer, pos, FOLLOW); pos++)
        token->problem = TOKEN_BAD_NUMBER;
    lexer->pos = pos;
}

static void lex_dot(struct lexer *lexer, struct token *token)
{
    uint32_t pos = lexer->pos + 1;
    if (is(lexer, pos, DIGIT)) {
        uint32_t end = decimal_end(lexer, lexer->pos);
        if (end && !is(lexer, end, FOLLOW)) { /* ".5", but ".1d" is a word */
            lex_number(lexer, token);
            return;
        }
    }
    if (!is(lexer, pos, WORD)) {
        token->kind = '.';
        lexer->pos = pos;
        return;
    }
    for (;;) {
        while (is(lexer, pos, WORD))
            pos++;
        if (at(lexer, pos) != ':' || at(lexer, pos + 1) != ':' || !is(lexer, pos + 2, WORD))
            break;
        pos += 2;
    }
    token->kind = TOKEN_DOT;
    lexer->pos = pos;
}

static void lex_string(struct lexer *lexer, struct token *token)
{
    uint32_t pos = lexer->pos + 1;
    token->kind = TOKEN_STRING;
    for (; pos < lexer->size && lexer->text[pos] != '\n'; pos++) {
        if (lexer->text[pos] == '"') {
            lexer->pos = pos + 1;
            return;
        }
        if (lexer->text[pos] == '\\' && at(lexer, pos + 1) != '\n')
            pos++;
    }
    token->problem = TOKEN_OPEN_STRING;
    lexer->pos = pos < lexer->size ? pos : lexer->size;
}

static void lex_punctuation(struct lexer *lexer, struct token *token)
{
    static const struct {
        char text[3];
        uint16_t kind;
    } doubles[] = {{"<<", TOKEN_SHL}, {">>", TOKEN_SHR}, {"<=", TOKEN_LE},  {">=", TOKEN_GE},
                   {"==", TOKEN_EQ},  {"!=", TOKEN_NE},  {"&&", TOKEN_AND}, {"||", TOKEN_OR}};
    char c = lexer->text[lexer->pos], second = at(lexer, lexer->pos + 1);
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
        if (c == doubles[i].text[0] && second == doubles[i].text[1]) {
            token->kind = doubles[i].kind;
            lexer->pos += 2;
            return;
        }
    }
    token->kind = (unsigned char)c;
    lexer->pos++;
}

static const char singles[] = "()[]{},;:+-*/%&|^~!?<>=@";

/* A run of bytes that start nothing. */
static void lex_bad(struct lexer *lexer, struct token *token)
{
    token->kind = TOKEN_BAD;
    do
        lexer->pos++;
    while (lexer->pos < lexer->size &&
           ((unsigned char)lexer->text[lexer->pos] >= 0x80 || (unsigned char)lexer->text[lexer->pos] < 9));
}

static void lex_name(struct lexer *lexer, struct token *token)
{
    uint32_t pos = lexer->pos + 1;
    while (pos < lexer->size && classes[(unsigned char)lexer->text[pos]] & FOLLOW)
        pos++;
    token->kind = TOKEN_NAME;
    lexer->pos = pos;
}

void lex_next(struct lexer *lexer, struct token *token)
{
    *token = (struct token){.first = lexer->pos == 0};
    if (!skip_blanks(lexer, token)) {
        token->pos = token->problem ? lexer->pos : lexer->size;
        token->length = token->problem ? 2 : 0;
        lexer->pos = lexer->size;
        return;
    }
    token->pos = lexer->pos;
    char c = lexer->text[lexer->pos];
    uint8_t class = classes[(unsigned char)c];
    if (class & START && ((c != '%' && c != '$') || is(lexer, lexer->pos + 1, FOLLOW)))
        lex_name(lexer, token);
    else if (class & DIGIT)
        lex_number(lexer, token);
    else if (c == '.')
        lex_dot(lexer, token);
    else if (c == '"')
        lex_string(lexer, token);
    else if (c && strchr(singles, c))
        lex_punctuation(lexer, token);
    else
        lex_bad(lexer, token);
    token->length = lexer->pos - token->pos;
}

/* A reader of mangled names. Source: Itanium C++ ABI, 5.1 "External Names (a.k.a. Mangling)", whose productions the
 * functions below are named after. Read are names, template arguments and the types in them; of expressions, only those
 * that are an address of a function or object. What is not understood gives no name at all.
 *
 *   _Z N 2ns 4fill I f Li256E E E v...     ns::fill<float, 256>
 *
 * S_, S0_, S1_ ... stand for what was read before: every prefix of a nested name, every template name, every type that
 * is not built in. */
#include "base/mangled.h"
#include "base/nearest.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 100, NAME_MOST = 4000, KEPT_MOST = 400 };

struct reader {
    const char *at;
    struct arena *arena;
    struct text out;
    const char *kept[KEPT_MOST]; /* S_, S0_ ... */
    unsigned nkept, depth;
    bool bad;
};

static bool type(struct reader *r);
static bool name(struct reader *r, bool is_type);
static bool encoding(struct reader *r);

static bool fail(struct reader *r)
{
    r->bad = true;
    return false;
}

static bool accept(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool put(struct reader *r, const char *bytes, size_t length)
{
    text_add(&r->out, bytes, length);
    return (r->out.length <= NAME_MOST && text_ok(&r->out)) || fail(r);
}

static bool puts_(struct reader *r, const char *text)
{
    return put(r, text, strlen(text));
}

/* Writes `text` before what was written from `start` on. */
static bool put_before(struct reader *r, size_t start, const char *text)
{
    size_t length = strlen(text), rest = r->out.length - start;
    if (!puts_(r, text))
        return false;
    memmove(r->out.bytes + start + length, r->out.bytes + start, rest);
    memcpy(r->out.bytes + start, text, length);
    return true;
}

/* What was written from `start` on can be meant by the next S..._. */
static bool keep(struct reader *r, size_t start)
{
    if (r->nkept == KEPT_MOST || !text_ok(&r->out))
        return fail(r);
    const char *copy = arena_text(r->arena, r->out.bytes + start, r->out.length - start);
    r->kept[r->nkept++] = copy;
    return copy || fail(r);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* <source-name>: length and letters */
static bool source_name(struct reader *r)
{
    size_t length = 0;
    while (is_digit(*r->at) && length <= NAME_MOST)
        length = length * 10 + (size_t)(*r->at++ - '0');
    if (length == 0 || length > NAME_MOST || strnlen(r->at, length) < length)
        return fail(r);
    const char *text = r->at;
    r->at += length;
    /* What has no name, or is no one else's business, gets one from the compiler. */
    bool hidden = strncmp(text, "_GLOBAL__N_", 11) == 0 || strncmp(text, "_INTERNAL_", 10) == 0;
    bool ok = hidden ? puts_(r, "(anonymous namespace)") : put(r, text, length);
    while (ok && accept(r, "B")) { /* abi tags */
        ok = puts_(r, "[abi:") && source_name(r) && puts_(r, "]");
    }
    return ok;
}

/* <number> _, or _ alone: closes what it counts. */
static bool counter(struct reader *r)
{
    while (is_digit(*r->at))
        r->at++;
    return accept(r, "_") || fail(r);
}

/* Types up to E, with commas; v alone is no type. */
static bool types_to_end(struct reader *r)
{
    const char *comma = "";
    if (accept(r, "v"))
        return accept(r, "E") || fail(r);
    while (!accept(r, "E")) {
        if (!puts_(r, comma) || !type(r))
            return fail(r);
        comma = ",";
    }
    return true;
}

/* <unnamed-type-name>: Ut_ and lambdas Ul types E _ */
static bool unnamed(struct reader *r)
{
    if (accept(r, "Ut"))
        return puts_(r, "{unnamed}") && counter(r);
    return accept(r, "Ul") && puts_(r, "{lambda(") && types_to_end(r) && puts_(r, ")}") && counter(r);
}

static bool unqualified_name(struct reader *r)
{
    accept(r, "L"); /* internal linkage */
    if (is_digit(*r->at))
        return source_name(r);
    return unnamed(r) || fail(r);
}

/* <seq-id>: S_ is number 0, S0_ 1, in base 36 */
static bool seq(struct reader *r, unsigned *number)
{
    unsigned n = 0;
    bool any = false;
    while ((is_digit(*r->at) || (*r->at >= 'A' && *r->at <= 'Z')) && n < KEPT_MOST) {
        n = 36 * n + (unsigned)(is_digit(*r->at) ? *r->at - '0' : *r->at - 'A' + 10);
        any = true;
        r->at++;
    }
    *number = any ? n + 1 : 0;
    return accept(r, "_") || fail(r);
}

/* <substitution>, after its S. St, the prefix of a name, is not one of these. */
static bool substitution(struct reader *r)
{
    static const struct {
        const char *code, *text;
    } known[] = {{"a", "std::allocator"}, {"b", "std::basic_string"}, {"s", "std::string"},
                 {"i", "std::istream"},   {"o", "std::ostream"},      {"d", "std::iostream"}};
    unsigned number;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (accept(r, known[i].code))
            return puts_(r, known[i].text);
    if (!seq(r, &number) || number >= r->nkept)
        return fail(r);
    return puts_(r, r->kept[number]);
}

/* <expr-primary>, after its L: a number of a type, or a function or object */
static bool literal(struct reader *r)
{
    if (accept(r, "_Z"))
        return encoding(r) && (accept(r, "E") || fail(r));
    size_t start = r->out.length;
    char letter = *r->at;
    if (!type(r))
        return false;
    if (letter == 'b' && (*r->at == '0' || *r->at == '1') && r->at[1] == 'E') {
        r->out.length = start;
        return puts_(r, *r->at == '1' ? "true" : "false") && (r->at += 2);
    }
    /* Numbers of built-in types are written bare, others with their type. */
    if (strchr("chastijlmxynowfdeg", letter))
        r->out.length = start;
    else if (!put_before(r, start, "(") || !puts_(r, ")"))
        return false;
    if (accept(r, "n") && !puts_(r, "-"))
        return false;
    size_t length = strspn(r->at, "0123456789abcdef");
    bool ok = put(r, r->at, length);
    r->at += length;
    return ok && (accept(r, "E") || fail(r));
}

/* <template-arg>s up to E */
static bool template_args_rest(struct reader *r, const char *comma)
{
    while (!accept(r, "E")) {
        size_t before = r->out.length;
        if (!puts_(r, comma))
            return false;
        bool pack = accept(r, "J");
        size_t start = r->out.length;
        bool ok = pack                ? template_args_rest(r, "")
                  : accept(r, "XadL") ? accept(r, "_Z") && encoding(r) && accept(r, "EE")
                  : accept(r, "L")    ? literal(r)
                                      : type(r);
        if (!ok || r->bad)
            return fail(r);
        if (pack && r->out.length == start)
            r->out.length = before; /* an empty pack */
        else
            comma = ",";
    }
    return true;
}

static bool template_args(struct reader *r)
{
    if (++r->depth > DEPTH_MOST)
        return fail(r);
    bool ok = puts_(r, "<") && template_args_rest(r, "") && puts_(r, ">");
    r->depth--;
    return ok;
}

/* <nested-name>, after its N. Everything but the whole of it is kept: that only if it is a type. */
static bool nested_name(struct reader *r, bool is_type)
{
    size_t start = r->out.length;
    bool first = true, kept = true;
    r->at += strspn(r->at, "rVKRO");
    while (!accept(r, "E")) {
        if (*r->at == 'I') {
            if (first || (!kept && !keep(r, start)))
                return fail(r);
            r->at++;
            if (!template_args(r))
                return false;
            kept = false;
            continue;
        }
        if (!kept && !keep(r, start))
            return false;
        if (!first && !puts_(r, "::"))
            return false;
        kept = false;
        if (accept(r, "St")) {
            if (!first || !puts_(r, "std"))
                return fail(r);
            kept = true;
        } else if (accept(r, "S")) {
            if (!first || !substitution(r))
                return fail(r);
            kept = true;
        } else if (!unqualified_name(r)) {
            return false;
        }
        first = false;
    }
    return !first && (!is_type || kept || keep(r, start));
}

/* <local-name>, after its Z: what is in a function */
static bool local_name(struct reader *r, bool is_type)
{
    size_t start = r->out.length;
    if (!encoding(r) || !accept(r, "E") || !puts_(r, "::"))
        return fail(r);
    if (accept(r, "d"))
        counter(r);
    if (!name(r, false))
        return false;
    if (accept(r, "_") && !accept(r, "_"))
        r->at += strspn(r->at, "0123456789");
    return !is_type || keep(r, start);
}

/* <unscoped-name> or <unscoped-template-name> with its arguments */
static bool unscoped_name(struct reader *r, bool is_type)
{
    size_t start = r->out.length;
    bool old = false;
    if (accept(r, "St")) {
        if (!puts_(r, "std::") || !unqualified_name(r))
            return fail(r);
    } else if (accept(r, "S")) {
        old = true;
        if (!substitution(r))
            return false;
    } else if (!unqualified_name(r)) {
        return false;
    }
    if (*r->at == 'I') {
        if (!old && !keep(r, start))
            return false;
        r->at++;
        if (!template_args(r))
            return false;
        old = false;
    }
    return !is_type || old || keep(r, start);
}

static bool name(struct reader *r, bool is_type)
{
    if (++r->depth > DEPTH_MOST)
        return fail(r);
    bool ok = accept(r, "N")   ? nested_name(r, is_type)
              : accept(r, "Z") ? local_name(r, is_type)
                               : unscoped_name(r, is_type);
    r->depth--;
    return ok && !r->bad;
}

/* <encoding>: a function with the types of its parameters, which are read and not written; or an object */
static bool encoding(struct reader *r)
{
    if (!name(r, false))
        return false;
    size_t length = r->out.length;
    while (*r->at && *r->at != 'E' && *r->at != '.')
        if (!type(r))
            return false;
    r->out.length = length;
    return true;
}

/* ---- types -------------------------------------------------------------------------------------------- */

static const char *builtin(struct reader *r)
{
    static const struct {
        const char *code, *text;
    } types[] = {{"v", "void"},        {"w", "wchar_t"},
                 {"b", "bool"},        {"c", "char"},
                 {"a", "signed char"}, {"h", "unsigned char"},
                 {"s", "short"},       {"t", "unsigned short"},
                 {"i", "int"},         {"j", "unsigned int"},
                 {"l", "long"},        {"m", "unsigned long"},
                 {"x", "long long"},   {"y", "unsigned long long"},
                 {"n", "__int128"},    {"o", "unsigned __int128"},
                 {"f", "float"},       {"d", "double"},
                 {"e", "long double"}, {"g", "__float128"},
                 {"z", "..."},         {"Di", "char32_t"},
                 {"Ds", "char16_t"},   {"Du", "char8_t"},
                 {"Da", "auto"},       {"Dn", "std::nullptr_t"},
                 {"Dh", "half"},       {"DF16_", "_Float16"},
                 {"DF16b", "__bf16"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (accept(r, types[i].code))
            return types[i].text;
    return NULL;
}

/* "const float" but "float*const" */
static bool qualified_type(struct reader *r)
{
    size_t start = r->out.length;
    bool is_volatile = false, is_const = false;
    accept(r, "r");
    is_volatile = accept(r, "V");
    is_const = accept(r, "K");
    if (!type(r))
        return false;
    char last = r->out.length > start ? r->out.bytes[r->out.length - 1] : 0;
    bool behind = last == '*' || last == '&';
    if (is_volatile && !(behind ? puts_(r, "volatile") : put_before(r, start, "volatile ")))
        return false;
    if (is_const && !(behind ? puts_(r, "const") : put_before(r, start, "const ")))
        return false;
    return keep(r, start);
}

/* A type made of another: its text after that. */
static bool made_type(struct reader *r, const char *text)
{
    size_t start = r->out.length;
    return type(r) && puts_(r, text) && keep(r, start);
}

static bool function_type(struct reader *r)
{
    size_t start = r->out.length;
    accept(r, "Y"); /* extern "C" */
    return type(r) && puts_(r, "(") && types_to_end(r) && puts_(r, ")") && keep(r, start);
}

/* A <number> _ <element type>; Dv <number> _ <element type> */
static bool array_type(struct reader *r, const char *open, const char *close)
{
    size_t start = r->out.length, length = strspn(r->at, "0123456789");
    const char *digits = r->at;
    r->at += length;
    return accept(r, "_") && type(r) && puts_(r, open) && put(r, digits, length) && puts_(r, close) && keep(r, start);
}

static bool template_param(struct reader *r)
{
    size_t start = r->out.length;
    if (!puts_(r, "T") || !counter(r) || !keep(r, start))
        return false;
    return *r->at != 'I' || (r->at++ && template_args(r) && keep(r, start));
}

static bool type_of_any_kind(struct reader *r)
{
    const char *text;
    if (*r->at == 'r' || *r->at == 'V' || *r->at == 'K')
        return qualified_type(r);
    if (accept(r, "P"))
        return made_type(r, "*");
    if (accept(r, "R"))
        return made_type(r, "&");
    if (accept(r, "O"))
        return made_type(r, "&&");
    if (accept(r, "Dp"))
        return made_type(r, "...");
    if (accept(r, "F"))
        return function_type(r);
    if (accept(r, "A"))
        return array_type(r, "[", "]") || fail(r);
    if (accept(r, "Dv"))
        return array_type(r, " vector(", ")") || fail(r);
    if (*r->at == 'T' && strchr("_0123456789", r->at[1]) && r->at[1])
        return r->at++ && template_param(r);
    if (accept(r, "u")) {
        size_t start = r->out.length;
        return source_name(r) && keep(r, start);
    }
    if ((text = builtin(r)))
        return puts_(r, text);
    return strchr("NZSL0123456789U", *r->at) && *r->at ? name(r, true) : fail(r);
}

static bool type(struct reader *r)
{
    if (r->bad || ++r->depth > DEPTH_MOST)
        return fail(r);
    bool ok = type_of_any_kind(r);
    r->depth--;
    return (ok && !r->bad) || fail(r);
}

/* ---- all ---------------------------------------------------------------------------------------------- */

const char *mangled_name(struct arena *arena, const char *symbol)
{
    struct reader r = {.at = symbol, .arena = arena};
    const char *made = NULL;
    if (accept(&r, "_Z") && name(&r, false) && text_ok(&r.out))
        made = arena_text(arena, r.out.bytes, r.out.length);
    text_free(&r.out);
    return made;
}

/* Whether two texts agree but for blanks. */
static bool same(const char *a, size_t length, const char *b)
{
    const char *end = a + length;
    for (;;) {
        while (a < end && *a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (a == end || !*b)
            return a == end && !*b;
        if (*a++ != *b++)
            return false;
    }
}

/* Where the template arguments of a function's own name begin, or its end. */
static size_t base_length(const char *full)
{
    size_t length = strlen(full), base = length;
    int open = 0;
    for (bool more = length && full[length - 1] == '>'; more; more = base > 0 && open > 0) {
        base--;
        open += full[base] == '>' ? 1 : full[base] == '<' ? -1 : 0;
    }
    return base;
}

bool mangled_is(const char *full, const char *name)
{
    if (strncmp(name, "void ", 5) == 0) /* of a template other programs tell what it returns, too */
        name += 5;
    size_t length = strlen(full), base = base_length(full);
    int open = 0;
    for (size_t at = 0; at < length; at++) {
        bool start = open == 0 && (at == 0 || (at >= 2 && full[at - 1] == ':' && full[at - 2] == ':'));
        if (start && (same(full + at, length - at, name) || (at < base && same(full + at, base - at, name))))
            return true;
        open += full[at] == '<' ? 1 : full[at] == '>' ? -1 : 0;
    }
    return false;
}

void mangled_nearest(const char *full, struct nearest *nearest)
{
    size_t base = base_length(full);
    int open = 0;
    for (size_t at = 0; at < base; at++) {
        char bare[NEAREST_LONGEST + 1];
        if (open == 0 && (at == 0 || (at >= 2 && full[at - 1] == ':' && full[at - 2] == ':'))) {
            nearest_try(nearest, full + at);
            if (base - at < sizeof bare) {
                snprintf(bare, sizeof bare, "%.*s", (int)(base - at), full + at);
                nearest_try(nearest, bare);
            }
        }
        open += full[at] == '<' ? 1 : full[at] == '>' ? -1 : 0;
    }
}

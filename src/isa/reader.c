/* Small readers of text: what any template is made of. */
#include "isa/reader.h"

#include "isa/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reader_wanted(const struct isa_reader *r, const char *what)
{
    struct isa_mistake *mistake = r->mistake;
    size_t at = (size_t)(r->at - r->start);
    if (!mistake)
        return false;
    size_t used = strlen(mistake->wanted);
    if (at > mistake->at || !used) {
        mistake->at = at;
        snprintf(mistake->wanted, sizeof mistake->wanted - DIAG_READ, "%s", what);
    } else if (at == mistake->at && !strstr(mistake->wanted, what) &&
               used + strlen(what) + 5 + DIAG_READ < sizeof mistake->wanted) { /* another form */
        snprintf(mistake->wanted + used, sizeof mistake->wanted - used, " or %s", what);
    }
    return false;
}

bool reader_wanted_as(const struct isa_reader *r, const char *format, ...)
{
    char what[120];
    va_list list;
    if (!r->mistake)
        return false;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return reader_wanted(r, what);
}

bool reader_wanted_name(const struct isa_reader *r, const struct isa_names *names)
{
    char what[120] = "one of";
    size_t used = strlen(what);
    for (unsigned i = 0; r->mistake && i < names->count; i++) {
        const char *text = names->text[i];
        if (!text || !*text)
            continue;
        if (used + strlen(text) + 5 > sizeof what) {
            snprintf(what + used, sizeof what - used, " ...");
            break;
        }
        used += (size_t)snprintf(what + used, sizeof what - used, " %s", text);
    }
    return reader_wanted(r, what);
}

bool reader_take(struct isa_reader *r, const char *text, size_t length)
{
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    const char *after = r->at + length;
    if (length && after < r->end && char_word(text[length - 1]) && char_word(*after))
        return false;
    r->at = after;
    return true;
}

/* The place in a literal that the text departs from: a word or modifier is wanted whole, where it begins. */
static bool literal_wanted(const struct isa_reader *r, const char *text, size_t length, size_t at)
{
    size_t from = at, to = at;
    if (!r->mistake || (!char_word(text[at]) && text[at] != '.'))
        return reader_wanted_as(r, "'%c'", text[at]);
    while (from && char_word(text[from]) && (char_word(text[from - 1]) || text[from - 1] == '.'))
        from--;
    for (to = from + 1; to < length && char_word(text[to]);)
        to++;
    struct isa_reader begin = *r;
    begin.at -= at - from;
    return reader_wanted_as(&begin, "%.*s", (int)(to - from), text + from);
}

bool reader_literal(struct isa_reader *r, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ' ') {
            bool free = i && !char_word(text[i - 1]);
            if (!free && r->at < r->end && !reader_blank(*r->at) && r->at > r->start && char_word(r->at[-1]) &&
                char_word(*r->at))
                return reader_wanted(r, "a blank");
            reader_blanks(r);
            continue;
        }
        if (text[i] == ',')
            reader_blanks(r);
        if (!reader_byte(r, text[i]))
            return literal_wanted(r, text, length, i);
    }
    return true;
}

bool reader_integer(struct isa_reader *r, struct isa_integer *value)
{
    const char *at = r->at;
    value->minus = at < r->end && *at == '-';
    at += value->minus;
    bool hex = r->end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x';
    if (hex)
        at += 2;
    struct digits digits;
    const char *end = digits_read(at, r->end, hex ? 16 : 10, &digits);
    if (end == at || digits.large || (end < r->end && char_word(*end)))
        return reader_wanted(r, "a number such as 0x10");
    value->magnitude = digits.value;
    r->at = end;
    return true;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

/* The length of a spelling if it is in the text, else 0. */
static size_t spelling_length(const struct isa_reader *r, const char *text)
{
    const char *at = r->at;
    while (*text && at < r->end && *at == *text) {
        at++;
        text++;
    }
    bool whole = !*text && at > r->at && (at == r->end || !char_word(at[-1]) || !char_word(*at));
    return whole ? (size_t)(at - r->at) : 0;
}

bool reader_entry(const struct isa_reader *r, const struct isa_names *names, unsigned value, size_t *length)
{
    if (!names->text[value])
        return false;
    *length = spelling_length(r, names->text[value]);
    for (const struct isa_also *also = names->also; !*length && also && also->text; also++)
        if (also->value == value)
            *length = spelling_length(r, also->text);
    return *length || !*names->text[value];
}

const char *isa_name_called(const struct isa_names *names, uint64_t value)
{
    const char *text = value < names->count ? names->text[value] : NULL;
    for (const struct isa_also *also = names->also; text && !*text && also && also->text; also++)
        if (also->value == value)
            return also->text;
    return text ? text : "";
}

bool reader_rest(struct isa_reader *r, const struct isa_names *names, uint64_t *value)
{
    const char *hole = strchr(names->rest, '%');
    size_t head = hole ? (size_t)(hole - names->rest) : 0;
    if (!hole || (size_t)(r->end - r->at) <= head || memcmp(r->at, names->rest, head) != 0)
        return false;
    const char *digits = r->at + head;
    char *end;
    char copy[16] = {0};
    size_t room = (size_t)(r->end - digits);
    memcpy(copy, digits, room < 15 ? room : 15);
    if (!char_word(copy[0]))
        return false;
    *value = strtoull(copy, &end, hole[1] == 'X' ? 16 : 10);
    if (end == copy || char_word(*end) || *value < names->count)
        return false;
    struct isa_reader after = *r;
    after.at = digits + (end - copy);
    const char *tail = hole + 2;
    if (*tail && !reader_take(&after, tail, strlen(tail)))
        return false;
    *r = after;
    return true;
}

size_t isa_rest_print(const struct isa_names *names, uint64_t value, char out[ISA_REST])
{
    const char *hole = strchr(names->rest, '%'); /* "%u" or "%X" */
    int length = (int)(hole ? hole - names->rest : (long)strlen(names->rest));
    snprintf(out, ISA_REST, hole && hole[1] == 'X' ? "%.*s%X%s" : "%.*s%u%s", length, names->rest, (unsigned)value,
             hole ? hole + 2 : "");
    return strlen(out);
}

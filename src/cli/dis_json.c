/* atoll dis --json: a listing, taken apart line by line. What is looked at is what listings of all families have in
 * common: addresses and words in comments, labels, sections. */
#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"

/* A piece of the listing. */
struct piece {
    const char *at;
    size_t length;
};

static struct piece trimmed(struct piece p)
{
    while (p.length && isspace((unsigned char)p.at[0])) {
        p.at++;
        p.length--;
    }
    while (p.length && isspace((unsigned char)p.at[p.length - 1]))
        p.length--;
    return p;
}

static bool begins(struct piece p, const char *with)
{
    size_t length = strlen(with);
    return p.length >= length && memcmp(p.at, with, length) == 0;
}

static bool ends(struct piece p, const char *with)
{
    size_t length = strlen(with);
    return p.length >= length && memcmp(p.at + p.length - length, with, length) == 0;
}

/* Hexadecimal digits alone, as many as a number has. */
static bool number_of(struct piece p, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < p.length; i++) {
        int c = tolower((unsigned char)p.at[i]);
        if (!isxdigit(c))
            return false;
        *value = *value << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    return p.length > 0 && p.length <= 16;
}

/* Takes the comment with the address off a line's head. */
static bool take_address(struct piece *line, uint64_t *address)
{
    const char *end = begins(*line, "/*") ? memchr(line->at, '/', line->length) : NULL;
    for (end = end ? end + 1 : NULL; end && end < line->at + line->length && *end != '/'; end++)
        ;
    if (!end || end >= line->at + line->length || end[-1] != '*' || end - line->at < 5 ||
        !number_of((struct piece){line->at + 2, (size_t)(end - line->at) - 3}, address))
        return false;
    *line = trimmed((struct piece){end + 1, line->length - (size_t)(end + 1 - line->at)});
    return true;
}

/* Takes the comment with the word off a line's end. */
static bool take_word(struct piece *line, struct piece *word)
{
    uint64_t value;
    size_t at = line->length;
    if (!ends(*line, "*/"))
        return false;
    while (at > 0 && !begins((struct piece){line->at + at - 1, line->length - at + 1}, "/*"))
        at--;
    if (at == 0)
        return false;
    *word = trimmed((struct piece){line->at + at + 1, line->length - at - 3});
    if (!begins(*word, "0x") || !number_of((struct piece){word->at + 2, word->length - 2}, &value))
        return false;
    *line = trimmed((struct piece){line->at, at - 1});
    return true;
}

/* The section that a directive begins; others leave it as it is. */
static struct piece section_of(struct piece line, struct piece before)
{
    if (!begins(line, ".section") || line.length < 9 || !isspace((unsigned char)line.at[8]))
        return before;
    struct piece name = trimmed((struct piece){line.at + 8, line.length - 8});
    const char *comma = memchr(name.at, ',', name.length);
    return comma ? (struct piece){name.at, (size_t)(comma - name.at)} : name;
}

static void put(struct json *json, const char *name, struct piece p)
{
    if (p.length)
        json_bytes(json, name, p.at, p.length);
}

static void put_line(struct json *json, struct piece line, struct piece section)
{
    struct piece word = {NULL, 0};
    uint64_t address;
    json_open(json, NULL, '{');
    put(json, "section", section);
    if (take_address(&line, &address))
        json_number(json, "address", address);
    if (take_word(&line, &word))
        put(json, "word", word);
    if (ends(line, ":") && !memchr(line.at, ' ', line.length))
        put(json, "label", (struct piece){line.at, line.length - 1});
    else
        put(json, "text", line);
    json_close(json, '}');
}

bool dis_json(const char *path, const char *text, size_t length, struct text *out)
{
    struct json json;
    struct piece section = {NULL, 0};
    json_begin(&json, out, "disassembly");
    json_string(&json, "file", path);
    json_open(&json, "lines", '[');
    for (const char *at = text, *next; at < text + length; at = next) {
        const char *end = memchr(at, '\n', (size_t)(text + length - at));
        next = end ? end + 1 : text + length;
        struct piece line = trimmed((struct piece){at, (size_t)(next - at)});
        section = section_of(line, section);
        if (line.length && !begins(line, "//"))
            put_line(&json, line, section);
    }
    json_close(&json, ']');
    json_end(&json);
    return text_ok(out);
}

/* Scheduling annotations to text and back. */
#include "isa/sass/control.h"
#include "base/chars.h"

#include "isa/sass/code.h"

#include <string.h>

enum { SAFE = 0x7ef }; /* no scoreboard, no wait, stall 15 */

void control_print(uint32_t control, bool reuse, struct text *out)
{
    unsigned wait = control >> SASS_WAIT & 63, rd = control >> SASS_RD & 7, wr = control >> SASS_WR & 7;
    if (wait) {
        text_puts(out, " &req={");
        for (unsigned n = 0, more = 0; n < SASS_SCOREBOARDS; n++)
            if (wait >> n & 1)
                text_printf(out, more++ ? ",%u" : "%u", n);
        text_puts(out, "}");
    }
    if (rd != 7)
        text_printf(out, " &rd=%u", rd);
    if (wr != 7)
        text_printf(out, " &wr=%u", wr);
    if (reuse && control >> SASS_REUSE)
        text_printf(out, " &reuse=0x%x", control >> SASS_REUSE & 15);
    text_printf(out, " ?%c%u", control >> SASS_YIELD & 1 ? 'W' : 'Y', control & 15);
}

size_t control_find(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool start =
            text[i] == '&' ||
            (text[i] == '?' && i + 1 < length && text[i + 1] != '?' &&
             (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t' || text[i - 1] == '{' || text[i - 1] == '}'));
        if (start)
            return i > 0 && text[i - 1] == '{' ? i - 1 : i;
    }
    return length;
}

struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

static bool number(struct cursor *c, unsigned most, unsigned *value)
{
    bool hex = take(c, "0x");
    const char *start = c->at;
    struct digits digits;
    c->at = digits_read(c->at, c->end, hex ? 16 : 10, &digits);
    *value = (unsigned)digits.value;
    return c->at > start && !digits.large && digits.value <= most;
}

/* "{0,3}", "{}", or a mask */
static bool wait_set(struct cursor *c, unsigned *mask)
{
    if (!take(c, "{"))
        return number(c, 63, mask);
    for (*mask = 0; !take(c, "}");) {
        unsigned n;
        if (!number(c, SASS_SCOREBOARDS - 1, &n))
            return false;
        *mask |= 1u << n;
        take(c, ",");
    }
    return true;
}

/* Sets a field that nothing has set before. */
static bool set(uint32_t *control, uint32_t *said, unsigned low, unsigned width, unsigned value)
{
    uint32_t mask = ((1u << width) - 1) << low;
    bool again = *said & mask;
    *said |= mask;
    *control = (*control & ~mask) | value << low;
    return !again;
}

static bool annotation(struct cursor *c, uint32_t *control, uint32_t *said)
{
    unsigned value;
    if (take(c, "&req")) {
        if (!take(c, "="))
            take(c, "_");
        return wait_set(c, &value) && set(control, said, SASS_WAIT, 6, value);
    }
    if (take(c, "&reuse="))
        return number(c, 15, &value) && set(control, said, SASS_REUSE, 4, value);
    if (take(c, "&rd") || take(c, "&wr")) {
        unsigned low = c->at[-1] == 'd' ? SASS_RD : SASS_WR;
        take(c, "=");
        return number(c, 7, &value) && set(control, said, low, 3, value);
    }
    if (take(c, "?sched"))
        return set(control, said, SASS_STALL, 4, 15);
    if (!take(c, "?W") && !take(c, "?Y"))
        return false;
    unsigned yield = c->at[-1] == 'W';
    return number(c, 15, &value) && set(control, said, SASS_STALL, 4, value) &&
           set(control, said, SASS_YIELD, 1, yield);
}

bool control_parse(const char *text, size_t length, uint32_t *control, size_t *at)
{
    struct cursor c = {text, text + length};
    uint32_t said = 0;
    *control = (*control & 15u << SASS_REUSE) | SAFE;
    while (c.at < c.end) {
        if (*c.at == ' ' || *c.at == '\t') {
            c.at++;
            continue;
        }
        bool braces = take(&c, "{");
        *at = (size_t)(c.at - text);
        if (!annotation(&c, control, &said))
            return false;
        *at = (size_t)(c.at - text);
        if (braces && !take(&c, "}"))
            return false;
    }
    return true;
}

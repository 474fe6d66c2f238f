/* sampler:WORD,...: what a sampler does, as the 16 bytes that kernels find. */
#include "cli/argument.h"

#include <string.h>

#include "mem/sampler.h"

static const struct sampler_state usual = {.bound = 1, .wrap = {SAMPLER_EDGE, SAMPLER_EDGE, SAMPLER_EDGE}};

enum part { FILTER, MIP, NORMALIZED, COMPARE, WRAP, BORDER, PARTS };
static const struct {
    const char *word;
    uint8_t part, value;
} words[] = {
    {"nearest", FILTER, SAMPLER_NEAREST},
    {"linear", FILTER, SAMPLER_LINEAR},
    {"mip-nearest", MIP, SAMPLER_MIP_NEAREST},
    {"mip-linear", MIP, SAMPLER_MIP_LINEAR},
    {"unnormalized", NORMALIZED, 0},
    {"normalized", NORMALIZED, 1},
    {"repeat", WRAP, SAMPLER_REPEAT},
    {"mirror", WRAP, SAMPLER_MIRROR},
    {"clamp", WRAP, SAMPLER_EDGE},
    {"border", WRAP, SAMPLER_BORDER},
    {"mirror-once", WRAP, SAMPLER_MIRROR_ONCE},
    {"never", COMPARE, SAMPLER_NEVER},
    {"less", COMPARE, SAMPLER_LESS},
    {"equal", COMPARE, SAMPLER_EQUAL},
    {"less-equal", COMPARE, SAMPLER_LESS_EQUAL},
    {"greater", COMPARE, SAMPLER_GREATER},
    {"not-equal", COMPARE, SAMPLER_NOT_EQUAL},
    {"greater-equal", COMPARE, SAMPLER_GREATER_EQUAL},
    {"always", COMPARE, SAMPLER_ALWAYS},
    {"transparent", BORDER, SAMPLER_ZERO},
    {"black", BORDER, SAMPLER_OPAQUE_BLACK},
    {"white", BORDER, SAMPLER_OPAQUE_WHITE},
};

static void set(struct sampler_state *state, enum part part, uint8_t value, unsigned wraps)
{
    uint8_t *const places[PARTS] = {[FILTER] = &state->filter,
                                    [MIP] = &state->mip,
                                    [NORMALIZED] = &state->normalized,
                                    [COMPARE] = &state->compare,
                                    [BORDER] = &state->border};
    if (part != WRAP)
        *places[part] = value;
    for (unsigned i = wraps; part == WRAP && i < 3; i++) /* the last one is of the axes behind it, too */
        state->wrap[i] = value;
}

void sampler_usual(unsigned char state[SAMPLER_BYTES])
{
    memcpy(state, &usual, SAMPLER_BYTES);
}

bool sampler_parse(const char *text, unsigned char out[SAMPLER_BYTES], struct atoll_error *error)
{
    struct sampler_state state = usual;
    unsigned wraps = 0;
    _Static_assert(sizeof state == SAMPLER_BYTES, "the bytes of a sampler");
    for (const char *at = text; *text; at += *at == ',') {
        size_t length = strcspn(at, ","), i = 0, count = sizeof words / sizeof *words;
        while (i < count && (strlen(words[i].word) != length || memcmp(words[i].word, at, length) != 0))
            i++;
        if (i == count || (words[i].part == WRAP && wraps == 3))
            return error_set(error, ATOLL_USAGE,
                             "'%.*s': wanted nearest, linear, mip-nearest, mip-linear, normalized, unnormalized, up to "
                             "three of repeat, mirror, clamp, border, mirror-once, a comparison (less-equal), or "
                             "transparent, black, white",
                             (int)(length < 40 ? length : 40), at);
        set(&state, (enum part)words[i].part, words[i].value, wraps);
        wraps += words[i].part == WRAP;
        at += length;
        if (*at == 0)
            break;
    }
    memcpy(out, &state, SAMPLER_BYTES);
    return true;
}

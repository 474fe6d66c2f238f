/* Instructions from rows: enumerates the words that a pattern allows and writes operands by its notation. */
#include "isa/ptx/sample.h"
#include "isa/ptx/check_mods.h"

#include <string.h>

const char ptx_sample_module[] =
    ".global .align 16 .b8 G[64];\n.shared .align 16 .b8 S[64];\n.const .align 16 .b8 C[64];";
const char ptx_sample_function[] =
    ".reg .pred %p<9>; .reg .b8 %b<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b128 %rq<9>;\n"
    ".reg .f32 %f<9>; .reg .f64 %fd<9>; .param .align 16 .b8 out[64];";

enum { MAX_SLOTS = 24 };

/* ---- words --------------------------------------------------------------------------------------------------- */

static unsigned count_words(const struct ptx_slot *slot)
{
    struct ptx_word word;
    unsigned count = 0;
    for (const char *at = slot->words; ptx_next_word(slot, &at, &word);)
        count++;
    return count;
}

static uint16_t nth_word(const struct ptx_slot *slot, uint64_t n)
{
    struct ptx_word word = {0};
    for (const char *at = slot->words; ptx_next_word(slot, &at, &word);)
        if (n-- == 0)
            break;
    return word.keyword;
}

bool ptx_sample_choice(const struct ptx_pattern *pattern, uint64_t number, uint16_t *mods, unsigned *nmods)
{
    struct ptx_slot slot;
    *nmods = 0;
    for (const char *at = pattern->mods; ptx_next_slot(&at, &slot);) {
        unsigned words = count_words(&slot), choices = words + slot.optional;
        uint64_t choice = number % choices;
        number /= choices;
        if (choice < words && *nmods < INSN_MODS)
            mods[(*nmods)++] = nth_word(&slot, choice);
    }
    return number == 0;
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static const char *register_prefix(uint16_t type)
{
    if (type == PTX_f32)
        return "f";
    if (type == PTX_f64)
        return "fd";
    switch (ptx_type_bits(type)) {
    case 1:
        return "p";
    case 8:
        return "b";
    case 16:
        return "rs";
    case 32:
        return "r";
    case 128:
        return "rq";
    default:
        return "rd";
    }
}

static void data_text(struct text *out, uint16_t type, unsigned vec, unsigned first)
{
    if (vec == 1) {
        text_printf(out, "%%%s%u", register_prefix(type), first);
        return;
    }
    for (unsigned i = 0; i < vec; i++)
        text_printf(out, "%s%%%s%u", i == 0 ? "{" : ", ", register_prefix(type), i + 1);
    text_puts(out, "}");
}

static const char *address_text(const struct ptx_form *form)
{
    if (form->space == PTX_param)
        return form->row == &ptx_row_st ? "[out]" : "[param]";
    return form->space == PTX_const ? "[C]" : "[%rd7]";
}

/* A line of a cache has 128 bytes; setmaxnreg counts from 24; anything does for the others. */
static const char *immediate_text(const struct ptx_token *token)
{
    if (strncmp(token->name, "size", 4) == 0)
        return "128";
    return strncmp(token->name, "count", 5) == 0 ? "64" : "8";
}

static void token_text(struct text *out, const struct ptx_token *token, const struct ptx_form *form, unsigned index)
{
    switch (token->letter) {
    case 'm':
        text_puts(out, address_text(form));
        break;
    case 'l':
        text_puts(out, "LB");
        break;
    case 'x':
        data_text(out, form->types[0], form->vec, index);
        break;
    case '*':
        data_text(out, form->types[0], 1, index);
        break;
    default:
        if (token->immediate)
            text_puts(out, immediate_text(token));
        else
            data_text(out, ptx_token_type(token, form), 1, index);
        if (token->pipe && token->dest && token->sink && token->letter != 'p')
            text_puts(out, "|%p8");
        break;
    }
}

static bool wanted(const struct ptx_token *token, const struct ptx_form *form)
{
    if (!token->optional)
        return true;
    if (token->letter == '8')
        return ptx_form_has(form, PTX_L2__cache_hint);
    return token->letter == 'p' && form->op != 0;
}

bool ptx_sample(const struct ptx_row *row, const struct ptx_pattern *pattern, const uint16_t *mods, unsigned nmods,
                struct text *out)
{
    struct arena arena = {0};
    struct ptx_matcher matcher = PTX_MATCHER(&arena);
    struct insn insn = {.row = row, .nmods = (uint8_t)nmods};
    memcpy(insn.mods, mods, nmods * sizeof(mods[0]));
    const struct ptx_form *form = ptx_match(&matcher, &insn);
    bool ok = form != NULL && pattern->operands != NULL;
    if (ok) {
        text_puts(out, row->name);
        for (unsigned i = 0; i < nmods; i++)
            text_printf(out, ".%s", ptx_keyword_text((enum ptx_keyword)mods[i]));
        struct ptx_token token;
        unsigned index = 1;
        for (const char *at = pattern->operands; ptx_next_token(&at, &token);) {
            if (!wanted(&token, form))
                continue;
            text_puts(out, index == 1 ? " " : ", ");
            token_text(out, &token, form, index++);
        }
        text_puts(out, ";");
    }
    arena_free(&arena);
    return ok;
}

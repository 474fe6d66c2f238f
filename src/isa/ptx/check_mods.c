/* Fits modifiers to a row's patterns, checks version and target gates, and when nothing fits says why: a word the
 * instruction does not have, a missing one, a type, or words that do not go together. */
#include "isa/ptx/check_mods.h"
#include "base/bitset.h"
#include "base/nearest.h"
#include "base/text.h"
#include "isa/ptx/check.h"
#include "isa/ptx/tuple.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is_type(uint16_t keyword)
{
    return keyword != PTX_UNKNOWN && ptx_keyword_class((enum ptx_keyword)keyword) == 'T';
}

/* The pattern number `index` of an instruction's row; NULL past the end (or without memory). */
static const struct ptx_slots *pattern_at(struct checker *c, const struct insn *insn, unsigned index)
{
    return index < insn->row->npatterns ? ptx_slots_of(&c->matcher, &insn->row->patterns[index]) : NULL;
}

/* ---- text of patterns -------------------------------------------------------------------------------- */

static void slot_text(const struct ptx_slot *slot, struct text *out)
{
    struct ptx_word word;
    bool choice = memchr(slot->words, '|', slot->length) != NULL, first = true;
    text_puts(out, choice || slot->optional ? (slot->optional ? "{" : ".{") : "");
    for (const char *at = slot->words; ptx_next_word(slot, &at, &word); first = false)
        text_printf(out, "%s%s%s", first ? "" : ",", choice && !slot->optional ? "" : ".",
                    ptx_keyword_text((enum ptx_keyword)word.keyword));
    text_puts(out, choice || slot->optional ? "}" : "");
}

static void token_text(const struct ptx_token *token, bool first, struct text *out)
{
    bool address = strchr("mnsgc", token->letter) != NULL;
    text_printf(out, "%s%s%s%s%.*s%s%s%s", token->optional ? "{" : "", first ? " " : ", ", address ? "[" : "",
                token->negatable ? "{!}" : "", (int)token->name_length, token->name, address ? "]" : "",
                token->pipe ? "{|p}" : "", token->optional ? "}" : "");
}

void ptx_pattern_text(const struct ptx_row *row, const struct ptx_pattern *pattern, struct text *out)
{
    struct ptx_slot slot;
    text_puts(out, row->name);
    for (const char *at = pattern->mods; ptx_next_slot(&at, &slot);)
        slot_text(&slot, out);
    struct ptx_token token;
    bool first = true;
    if (pattern->operands != NULL)
        for (const char *at = pattern->operands; ptx_next_token(&at, &token); first = false)
            token_text(&token, first, out);
}

/* ---- messages ---------------------------------------------------------------------------------------- */

static void add_unique(struct text *out, uint64_t *seen, uint16_t keyword)
{
    if (bitset_has(seen, keyword))
        return;
    bitset_add(seen, keyword);
    text_printf(out, " .%s", ptx_keyword_text((enum ptx_keyword)keyword));
}

static void add_words(struct text *out, uint64_t *seen, const struct ptx_slots *slots, unsigned slot)
{
    for (unsigned i = 0; i < slots->nwords[slot]; i++)
        add_unique(out, seen, slots->words[slot][i].keyword);
}

/* The mnemonic with its modifiers as written; without types if asked. */
static void written(struct checker *c, const struct insn *insn, bool types, struct text *out)
{
    text_puts(out, insn->row->name);
    for (unsigned i = 0; i < insn->nmods; i++)
        if (types || !is_type(insn->mods[i])) {
            text_puts(out, ".");
            text_add(out, c->module->source + insn->mod_spans[i].pos, insn->mod_spans[i].length);
        }
}

static const char *shown(const struct text *text)
{
    return text->length > 0 ? text->bytes : "";
}

static struct span whole(const struct insn *insn)
{
    struct span span = insn->name;
    for (unsigned i = 0; i < insn->nmods; i++)
        if (insn->mod_spans[i].pos + insn->mod_spans[i].length > span.pos + span.length)
            span.length = insn->mod_spans[i].pos + insn->mod_spans[i].length - span.pos;
    return span;
}

enum { SEEN = (PTX_KEYWORDS + 63) / 64 };

static bool row_has(struct checker *c, const struct insn *insn, uint16_t keyword)
{
    const struct ptx_slots *slots;
    for (unsigned p = 0; (slots = pattern_at(c, insn, p)) != NULL; p++)
        for (unsigned s = 0; s < slots->count; s++)
            if (ptx_slots_word(slots, s, keyword) != NULL)
                return true;
    return false;
}

/* " (did you mean '.trap'?)": one of the words, " .b .trap"; "": none is near. */
static void word_meant(const struct checker *c, struct span span, const struct text *words,
                       char meant[NEAREST_LONGEST + 32])
{
    struct nearest nearest = nearest_to(c->module->source + span.pos, span.length);
    const char *at = words->length && !words->failed ? words->bytes : "";
    while (*at) {
        char word[NEAREST_LONGEST + 1];
        at += strspn(at, " .");
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (length < sizeof word)
            nearest_try(&nearest, word);
        at += length;
    }
    meant[0] = 0;
    if (nearest.found[0])
        snprintf(meant, NEAREST_LONGEST + 32, " (did you mean '.%s'?)", nearest.found);
}

/* A word that no pattern of the row has. */
static bool report_foreign(struct checker *c, const struct insn *insn)
{
    unsigned at = 0;
    while (at < insn->nmods && row_has(c, insn, insn->mods[at]))
        at++;
    if (at == insn->nmods)
        return false;
    struct text words = {0};
    uint64_t seen[SEEN] = {0};
    bool type = is_type(insn->mods[at]);
    const struct ptx_slots *slots;
    for (unsigned p = 0; (slots = pattern_at(c, insn, p)) != NULL; p++)
        for (unsigned s = 0; s < slots->count; s++)
            if ((slots->slot[s].class == 'T') == type)
                add_words(&words, seen, slots, s);
    char meant[NEAREST_LONGEST + 32];
    word_meant(c, insn->mod_spans[at], &words, meant);
    const char *code = insn->mods[at] == PTX_UNKNOWN ? "unknown-modifier" : type ? "illegal-type" : "illegal-modifier";
    check_error(c, insn->mod_spans[at], code, "'%s' has no %s '.%.*s'; %s%s%s", insn->row->name,
                type ? "type" : "modifier", (int)insn->mod_spans[at].length,
                c->module->source + insn->mod_spans[at].pos, words.length > 0 ? "it has" : "it has none", shown(&words),
                meant);
    text_free(&words);
    return true;
}

/* Everything written fits a pattern, but something is missing. */
static bool report_missing(struct checker *c, const struct insn *insn)
{
    struct text words = {0}, name = {0};
    uint64_t seen[SEEN] = {0};
    bool found = false, one_type = true;
    const struct ptx_slots *slots;
    for (unsigned p = 0; (slots = pattern_at(c, insn, p)) != NULL; p++) {
        struct ptx_fit fit = ptx_fit_pattern(slots, insn, true);
        if (fit.misfit >= 0 || fit.type_misfit >= 0)
            continue;
        for (unsigned s = 0; s < slots->count; s++)
            if (!(fit.filled >> s & 1) && !slots->slot[s].optional) {
                add_words(&words, seen, slots, s);
                one_type &= slots->slot[s].class == 'T';
                found = true;
                break;
            }
    }
    if (found) {
        written(c, insn, true, &name);
        check_error(c, whole(insn), "missing-modifier", "'%s' needs a %s; one of%s", shown(&name),
                    one_type ? "type" : "modifier", shown(&words));
    }
    text_free(&words);
    text_free(&name);
    return found;
}

static unsigned nth_type(const struct insn *insn, int index)
{
    unsigned n = 0;
    for (int i = 0; i < index; i++)
        n += is_type(insn->mods[i]);
    return n;
}

static void add_nth_type(struct text *out, uint64_t *seen, const struct ptx_slots *slots, unsigned n)
{
    for (unsigned s = 0; s < slots->count; s++)
        if (slots->slot[s].class == 'T' && n-- == 0)
            add_words(out, seen, slots, s);
}

/* The words go together, the types do not go with them. */
static bool report_type(struct checker *c, const struct insn *insn)
{
    struct text words = {0}, name = {0};
    uint64_t seen[SEEN] = {0};
    int place = -1;
    const struct ptx_slots *slots;
    for (unsigned p = 0; (slots = pattern_at(c, insn, p)) != NULL; p++) {
        struct ptx_fit fit = ptx_fit_pattern(slots, insn, true);
        if (fit.misfit < 0 && fit.type_misfit > place)
            place = fit.type_misfit;
    }
    if (place < 0)
        return false;
    for (unsigned p = 0; (slots = pattern_at(c, insn, p)) != NULL; p++) {
        struct ptx_fit fit = ptx_fit_pattern(slots, insn, true);
        if (fit.misfit < 0 && fit.type_misfit == place)
            add_nth_type(&words, seen, slots, nth_type(insn, place));
    }
    written(c, insn, false, &name);
    const char *type = ptx_keyword_text((enum ptx_keyword)insn->mods[place]);
    if (words.length > 0)
        check_error(c, insn->mod_spans[place], "illegal-type", "%s takes%s; .%s was written", shown(&name),
                    shown(&words), type);
    else
        check_error(c, insn->mod_spans[place], "illegal-type", "%s takes no further type; .%s was written",
                    shown(&name), type);
    text_free(&words);
    text_free(&name);
    return true;
}

/* Words that exist but do not go together: name the first that the closest pattern lacks, and show that pattern. */
static void report_closest(struct checker *c, const struct insn *insn)
{
    const struct ptx_pattern *best = NULL;
    unsigned best_score = 0;
    struct ptx_fit best_fit = {.misfit = -1};
    const struct ptx_slots *slots;
    for (unsigned p = 0; (slots = pattern_at(c, insn, p)) != NULL; p++) {
        struct ptx_fit fit = ptx_fit_pattern(slots, insn, true);
        unsigned score = 1000 + 10 * fit.words - fit.missing - (fit.type_misfit >= 0 ? 5 : 0);
        if (best == NULL || score > best_score) {
            best = &insn->row->patterns[p];
            best_score = score;
            best_fit = fit;
        }
    }
    if (best == NULL)
        return;
    struct text name = {0}, form = {0};
    written(c, insn, true, &name);
    ptx_pattern_text(insn->row, best, &form);
    int at = best_fit.misfit >= 0 ? best_fit.misfit : best_fit.type_misfit;
    struct span span = at >= 0 ? insn->mod_spans[at] : insn->name;
    check_error(c, span, "illegal-modifier", "'.%.*s' is not allowed in '%s'; the closest form is %s", (int)span.length,
                c->module->source + span.pos, shown(&name), shown(&form));
    text_free(&name);
    text_free(&form);
}

/* ---- duplicates and gates ------------------------------------------------------------------------------ */

/* Index of a modifier that was written before; 0 = none. */
static unsigned find_duplicate(const struct insn *insn)
{
    for (unsigned i = 1; i < insn->nmods; i++)
        for (unsigned j = 0; j < i; j++)
            if (insn->mods[i] == insn->mods[j] && insn->mods[i] != PTX_UNKNOWN && !is_type(insn->mods[i]))
                return i;
    return 0;
}

static bool check_duplicates(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned at = form != NULL ? 0 : find_duplicate(insn); /* two slots of a form may have one word */
    if (at == 0)
        return true;
    return check_error(c, insn->mod_spans[at], "duplicate-modifier", "modifier '.%s' is written twice",
                       ptx_keyword_text((enum ptx_keyword)insn->mods[at]));
}

/* The gate of one word, at its first place in the instruction; index -1: it is not there. */
static int find_mod(const struct insn *insn, uint16_t keyword)
{
    for (unsigned i = 0; i < insn->nmods; i++)
        if (insn->mods[i] == keyword)
            return (int)i;
    return -1;
}

static bool check_word(struct checker *c, const struct insn *insn, const struct ptx_word *word, int at)
{
    char what[64] = ".";
    struct span span = insn->mod_spans[at];
    strncat(what, ptx_keyword_text((enum ptx_keyword)word->keyword), sizeof(what) - 2);
    if (!check_gate(c, span, word->version, word->target, what))
        return false;
    return !word->lenient || check_lenient(c, span, "only-ptxas",
                                           "ptxas takes %s in this form of '%s'; the PTX ISA does not "
                                           "have it",
                                           what, insn->row->name);
}

/* A word that the PTX ISA asks for and ptxas does not. */
static bool check_left_out(struct checker *c, const struct insn *insn, const struct ptx_slot *slot)
{
    struct ptx_word word;
    for (const char *w = slot->words; ptx_next_word(slot, &w, &word);)
        if (find_mod(insn, word.keyword) >= 0)
            return true;
    const char *w = slot->words;
    ptx_next_word(slot, &w, &word);
    return check_lenient(c, insn->name, "only-ptxas", "ptxas takes '%s' without .%s; the PTX ISA wants it",
                         insn->row->name, ptx_keyword_text((enum ptx_keyword)word.keyword));
}

static bool check_word_gates(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct ptx_slot slot;
    struct ptx_word word;
    if (!form->gated)
        return true;
    for (const char *at = form->pattern->mods; ptx_next_slot(&at, &slot);) {
        if (slot.lenient && !check_left_out(c, insn, &slot))
            return false;
        for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);) {
            int mod = word.version != 0 || word.target != 0 || word.lenient ? find_mod(insn, word.keyword) : -1;
            if (mod >= 0 && !check_word(c, insn, &word, mod))
                return false;
        }
    }
    return true;
}

static bool check_only(struct checker *c, const struct insn *insn, const char *only, const char *name)
{
    const struct ptx_module *module = c->module;
    if (only == NULL || module->target == UINT_MAX || ptx_target_has(only, module->target, module->target_suffix))
        return true; /* UINT_MAX: `explain` wants no gates */
    return check_error(c, whole(insn), "needs-target", "%s needs a target with features of its own: %s; not sm_%u%.1s",
                       name, only, module->target, module->target_suffix != 0 ? &module->target_suffix : "");
}

static bool check_form_gates(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct ptx_pattern *pattern = form->pattern;
    struct text name = {0};
    if (pattern->version <= c->module->version && pattern->target <= c->module->target && pattern->only == NULL)
        return true;
    written(c, insn, true, &name);
    bool ok = check_gate(c, whole(insn), pattern->version, pattern->target, shown(&name)) &&
              check_only(c, insn, pattern->only, shown(&name));
    text_free(&name);
    return ok;
}

const struct ptx_form *check_modifiers(struct checker *c, const struct insn *insn)
{
    const struct ptx_form *form = ptx_match(&c->matcher, insn);
    if (c->matcher.failed || !check_duplicates(c, insn, form))
        return NULL;
    if (form != NULL)
        return check_form_gates(c, insn, form) && check_word_gates(c, insn, form) ? form : NULL;
    if (!report_foreign(c, insn) && !report_missing(c, insn) && !report_type(c, insn))
        report_closest(c, insn);
    return NULL;
}

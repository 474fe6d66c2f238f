/* Fits modifiers to a row's patterns, checks version and target gates, and when nothing fits says why: a word the
 * instruction does not have, a missing one, a type, or words that do not go together. */
#include "isa/ptx/check_mods.h"
#include "base/text.h"
#include "isa/ptx/check.h"

#include <string.h>

enum { MAX_SLOTS = 24 };

/* What fitting an instruction to one pattern leaves over. */
struct fit {
    unsigned slots, words, types; /* of the pattern; words and types that found a slot */
    uint32_t filled;
    bool any;   /* has "*" */
    int misfit; /* first modifier other than a type that found none, -1 = none */
    int type_misfit;
    unsigned missing; /* required slots without a word, types apart */
};

static unsigned read_slots(const struct ptx_pattern *pattern, struct ptx_slot *slots)
{
    unsigned count = 0;
    for (const char *at = pattern->mods; count < MAX_SLOTS && ptx_next_slot(&at, &slots[count]);)
        count++;
    return count;
}

static bool slot_word(const struct ptx_slot *slot, uint16_t keyword, struct ptx_word *found)
{
    for (const char *at = slot->words; ptx_next_word(slot, &at, found);)
        if (found->keyword == keyword)
            return true;
    return false;
}

static bool is_type(uint16_t keyword)
{
    return keyword != PTX_UNKNOWN && ptx_keyword_class((enum ptx_keyword)keyword) == 'T';
}

static struct fit fit_pattern(const struct ptx_pattern *pattern, const struct insn *insn)
{
    struct ptx_slot slots[MAX_SLOTS];
    struct fit fit = {.slots = read_slots(pattern, slots), .misfit = -1, .type_misfit = -1};
    struct ptx_word word;
    unsigned next_type = 0;
    for (unsigned i = 0; i < insn->nmods; i++) {
        bool type = is_type(insn->mods[i]);
        unsigned s = type ? next_type : 0;
        for (; s < fit.slots; s++)
            if (type ? slots[s].type
                     : !(fit.filled >> s & 1) && !slots[s].any && slot_word(&slots[s], insn->mods[i], &word))
                break;
        bool found = s < fit.slots && (!type || slot_word(&slots[s], insn->mods[i], &word));
        if (type)
            next_type = s < fit.slots ? s + 1 : s;
        if (s < fit.slots)
            fit.filled |= (uint32_t)1 << s;
        fit.words += found && !type;
        fit.types += found && type;
        if (!found && type && fit.type_misfit < 0)
            fit.type_misfit = (int)i;
        if (!found && !type && fit.misfit < 0)
            fit.misfit = (int)i;
    }
    for (unsigned s = 0; s < fit.slots; s++) {
        fit.any |= slots[s].any;
        fit.missing += !(fit.filled >> s & 1) && !slots[s].optional && !slots[s].any;
    }
    return fit;
}

/* ---- text of patterns -------------------------------------------------------------------------------- */

static void slot_text(const struct ptx_slot *slot, struct text *out)
{
    if (slot->any) {
        text_puts(out, "...");
        return;
    }
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
    bool address = token->letter == 'm';
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
    if (seen[keyword / 64] >> (keyword % 64) & 1)
        return;
    seen[keyword / 64] |= (uint64_t)1 << (keyword % 64);
    text_printf(out, " .%s", ptx_keyword_text((enum ptx_keyword)keyword));
}

static void add_words(struct text *out, uint64_t *seen, const struct ptx_slot *slot)
{
    struct ptx_word word;
    for (const char *at = slot->words; ptx_next_word(slot, &at, &word);)
        add_unique(out, seen, word.keyword);
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

/* A word that no pattern of the row has. */
static bool report_foreign(struct checker *c, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->nmods; i++) {
        bool known = false;
        struct text words = {0};
        uint64_t seen[SEEN] = {0};
        for (unsigned p = 0; p < insn->row->npatterns; p++) {
            struct ptx_slot slot;
            struct ptx_word word;
            for (const char *at = insn->row->patterns[p].mods; ptx_next_slot(&at, &slot);) {
                known |= slot_word(&slot, insn->mods[i], &word);
                if (slot.type == is_type(insn->mods[i]))
                    add_words(&words, seen, &slot);
            }
        }
        const char *code = insn->mods[i] == PTX_UNKNOWN ? "unknown-modifier"
                           : is_type(insn->mods[i])     ? "illegal-type"
                                                        : "illegal-modifier";
        if (!known)
            check_error(c, insn->mod_spans[i], code, "'%s' has no %s '.%.*s'; %s%s", insn->row->name,
                        is_type(insn->mods[i]) ? "type" : "modifier", (int)insn->mod_spans[i].length,
                        c->module->source + insn->mod_spans[i].pos, words.length > 0 ? "it has" : "it has none",
                        shown(&words));
        text_free(&words);
        if (!known)
            return true;
    }
    return false;
}

/* Everything written fits a pattern, but something is missing. */
static bool report_missing(struct checker *c, const struct insn *insn)
{
    struct text words = {0}, name = {0};
    uint64_t seen[SEEN] = {0};
    bool found = false, one_type = true;
    for (unsigned p = 0; p < insn->row->npatterns; p++) {
        struct fit fit = fit_pattern(&insn->row->patterns[p], insn);
        if (fit.misfit >= 0 || fit.type_misfit >= 0 || fit.any)
            continue;
        struct ptx_slot slots[MAX_SLOTS];
        read_slots(&insn->row->patterns[p], slots);
        for (unsigned s = 0; s < fit.slots; s++)
            if (!(fit.filled >> s & 1) && !slots[s].optional) {
                add_words(&words, seen, &slots[s]);
                one_type &= slots[s].type;
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

static void add_nth_type(struct text *out, uint64_t *seen, const struct ptx_pattern *pattern, unsigned n)
{
    struct ptx_slot slot;
    for (const char *at = pattern->mods; ptx_next_slot(&at, &slot);)
        if (slot.type && n-- == 0)
            add_words(out, seen, &slot);
}

/* The words go together, the types do not go with them. */
static bool report_type(struct checker *c, const struct insn *insn)
{
    struct text words = {0}, name = {0};
    uint64_t seen[SEEN] = {0};
    int place = -1;
    for (unsigned p = 0; p < insn->row->npatterns; p++) {
        struct fit fit = fit_pattern(&insn->row->patterns[p], insn);
        if (fit.misfit < 0 && fit.type_misfit > place)
            place = fit.type_misfit;
    }
    if (place < 0)
        return false;
    for (unsigned p = 0; p < insn->row->npatterns; p++) {
        struct fit fit = fit_pattern(&insn->row->patterns[p], insn);
        if (fit.misfit < 0 && fit.type_misfit == place)
            add_nth_type(&words, seen, &insn->row->patterns[p], nth_type(insn, place));
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
    struct fit best_fit = {.misfit = -1};
    for (unsigned p = 0; p < insn->row->npatterns; p++) {
        struct fit fit = fit_pattern(&insn->row->patterns[p], insn);
        unsigned score = 1000 + 10 * (fit.words + fit.types) - fit.missing - (fit.type_misfit >= 0 ? 5 : 0);
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

static bool lenient(const struct insn *insn)
{
    for (unsigned p = 0; p < insn->row->npatterns; p++)
        if (fit_pattern(&insn->row->patterns[p], insn).any)
            return true;
    return false;
}

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
    unsigned at = find_duplicate(insn);
    if (at == 0 || (form != NULL && strchr(form->pattern->mods, '*') != NULL) || lenient(insn))
        return true;
    return check_error(c, insn->mod_spans[at], "duplicate-modifier", "modifier '.%s' is written twice",
                       ptx_keyword_text((enum ptx_keyword)insn->mods[at]));
}

static bool check_word_gates(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct ptx_slot slot;
    struct ptx_word word;
    if (!form->gated)
        return true;
    for (const char *at = form->pattern->mods; ptx_next_slot(&at, &slot);)
        for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);)
            for (unsigned i = 0; (word.version | word.target) != 0 && i < insn->nmods; i++)
                if (insn->mods[i] == word.keyword) {
                    char what[64] = ".";
                    strncat(what, ptx_keyword_text((enum ptx_keyword)word.keyword), sizeof(what) - 2);
                    if (!check_gate(c, insn->mod_spans[i], word.version, word.target, what))
                        return false;
                }
    return true;
}

static bool check_form_gates(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    const struct ptx_pattern *pattern = form->pattern;
    struct text name = {0};
    bool ok = true;
    if (pattern->version > c->module->version || pattern->target > c->module->target ||
        (pattern->suffix != 0 && c->module->target_suffix == 0)) {
        written(c, insn, true, &name);
        ok = check_gate(c, whole(insn), pattern->version, pattern->target, shown(&name));
        if (ok)
            ok = check_error(c, whole(insn), "needs-target", "%s needs an architecture-specific target such as sm_%u%c",
                             shown(&name), pattern->target, pattern->suffix);
    }
    text_free(&name);
    return ok;
}

const struct ptx_form *check_modifiers(struct checker *c, const struct insn *insn)
{
    const struct ptx_form *form = ptx_match(&c->matcher, insn);
    if (!check_duplicates(c, insn, form))
        return NULL;
    if (form != NULL)
        return check_form_gates(c, insn, form) && check_word_gates(c, insn, form) ? form : NULL;
    if (!report_foreign(c, insn) && !report_missing(c, insn) && !report_type(c, insn))
        report_closest(c, insn);
    return NULL;
}

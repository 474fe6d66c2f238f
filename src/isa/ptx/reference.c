/* Lists of instructions, from the rows. The Markdown list of surface and atomic instructions is the reference that
 * docs/ptx.md carries; a test holds the two together. */
#include "base/json.h"
#include "isa/ptx/explain.h"
#include "isa/ptx/family.h"

#include <string.h>

/* An instruction of the reference and the form whose facts stand for all. */
static const struct entry {
    const struct ptx_row *row;
    const char *examples[4]; /* explained in full */
    const char *notes;       /* paragraphs */
} entries[] = {
    {&ptx_row_suld,
     {"suld.b.2d.v4.b8.clamp", "suld.b.a1d.b32.zero"},
     "- The PTX ISA text has examples without a clamp word; ptxas refuses them, and so does Atoll.\n"
     "- `.1d_buffer` and its other name `.4d` are not in the text. 128 bits are the most: there is no `.v4.b64`.\n"
     "- Modifiers behind `suld.b` stand in any order. Coordinates are a vector of 1, 2 or 4; surplus ones are "
     "ignored.\n"
     "- With `--strict`: one register as the coordinate of more than one dimension, floats among coordinates, a "
     "vector\n"
     "  without `.v2` or `.v4`, special registers as destinations and words of ptxas alone are errors instead of "
     "warnings.\n"},
    {&ptx_row_sust,
     {"sust.b.3d.b32.trap", "sust.p.2d.v4.b32.zero"},
     "- `sust.p` also takes array geometries and cache words, which the text does not say: `--strict` refuses them.\n"},
    {&ptx_row_sured,
     {"sured.b.min.1d.s32.trap", "sured.p.add.2d.b32.clamp"},
     "- `.b` takes exactly add: u32 s32 u64; min, max: u32 s32 u64 s64; and, or: b32. `.p` takes b32, and b64 with "
     "min\n"
     "  and max. The text's example `sured.p.min.1d.u32.trap` is refused.\n"
     "- `.xor`, `.inc`, `.dec` and `.exch` make ptxas 11.8 and 13.0 crash; they are errors here, as are `.cas` and "
     "arrays.\n"},
    {&ptx_row_suq,
     {"suq.width.b32"},
     "- Without a bound surface the values of the `.surfref`'s initialiser are given.\n"},
    {&ptx_row_atom,
     {"atom.global.add.f32", "atom.shared.cas.b16", "atom.global.v4.f32.add"},
     "- Types are exactly those of the forms: no add.s64, add.b32, and.u32, exch.u32. Halves need `.noftz`; f32 and "
     "f64\n"
     "  refuse it. There is no `.ftz`.\n"
     "- sem without scope and scope without sem are fine. Vectors exist on global and generic addresses only.\n"
     "- In vectors of halves ptxas takes some constants, depending on their place; they are refused here.\n"},
    {&ptx_row_red,
     {"red.shared.inc.u32", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"},
     "- As atom without a result, without `.exch`, `.cas`, `.acquire` and `.acq_rel`.\n"
     "- `red.async` is done at once. Its barrier counts the bytes as complete; `mbarrier` is what waits for them.\n"},
    {&ptx_row_mbarrier,
     {"mbarrier.arrive.expect_tx.shared::cta.b64", "mbarrier.try_wait.parity.shared::cta.b64"},
     "- The object's 64 bits are opaque in the text; Atoll's layout is a choice of its own (src/mem/mbarrier.h).\n"
     "- What the text leaves undefined stops the launch: no object, counts out of range, more arrivals than are "
     "pending,\n"
     "  a phase completed by `.noComplete`, an address outside of shared memory.\n"
     "- `.sem` and `.scope` come together; the operation's own words come first.\n"},
};

static void forms(const struct ptx_row *row, struct text *out)
{
    text_puts(out, "| form | gate |\n|---|---|\n");
    for (unsigned i = 0; i < row->npatterns; i++) {
        const struct ptx_pattern *pattern = &row->patterns[i];
        text_puts(out, "| `");
        ptx_form_text(row, pattern, out);
        text_puts(out, "` | ");
        struct text gates = {0};
        ptx_gates_text(row, pattern, "; ", &gates);
        text_puts(out, gates.length > 2 ? gates.bytes + 2 : "");
        out->failed |= gates.failed;
        text_free(&gates);
        text_puts(out, " |\n");
    }
}

static void word_row(const struct ptx_row *row, const struct ptx_word *word, struct text *out)
{
    const char *meaning = ptx_word_meaning(row, word->keyword);
    text_printf(out, "| `.%s` | %s |", ptx_keyword_text((enum ptx_keyword)word->keyword),
                meaning != NULL ? meaning : "");
    text_puts(out, "\n");
}

/* Every word of the row once; gates are with the forms. */
static void words(const struct ptx_row *row, struct text *out)
{
    bool seen[PTX_KEYWORDS] = {false};
    text_puts(out, "\n| word | meaning |\n|---|---|\n");
    for (unsigned i = 0; i < row->npatterns; i++) {
        struct ptx_slot slot;
        struct ptx_word word;
        for (const char *at = row->patterns[i].mods; ptx_next_slot(&at, &slot);)
            for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);)
                if (!seen[word.keyword]) {
                    seen[word.keyword] = true;
                    word_row(row, &word, out);
                }
    }
}

static void example(const char *instruction, struct text *out)
{
    struct atoll_error error;
    text_puts(out, "\n```\n");
    if (!family_explain(&ptx_family, instruction, FAMILY_ANY, out, &error))
        out->failed = true;
    text_puts(out, "```\n");
}

/* ptx_list for the instructions above, as Markdown. */
static void reference(struct text *out)
{
    text_puts(
        out,
        "## Surface and atomic instructions\n\n"
        "Made from the rows that the checker, the lowering and `atoll explain` use.\n"
        "A gate is the oldest PTX version and target that has a form or a word of it; what is only in ptxas, not in "
        "the "
        "text of the PTX ISA, says so, and `--strict` refuses it. `{...}` may be left out, `.{a,b}` wants one of its "
        "words.\n");
    for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        const struct entry *entry = &entries[i];
        text_printf(out, "\n### %s - %s\n\n", entry->row->name, entry->row->summary);
        forms(entry->row, out);
        words(entry->row, out);
        text_printf(out, "\n%s", entry->notes);
        for (unsigned j = 0; j < 4 && entry->examples[j] != NULL; j++)
            example(entry->examples[j], out);
    }
}

static bool in_reference(const struct ptx_row *row)
{
    for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (entries[i].row == row)
            return true;
    return false;
}

static void list_json(bool surface, struct text *out)
{
    const struct ptx_row *row;
    struct json json = {.out = out};
    json_open(&json, NULL, '[');
    for (unsigned i = 0; (row = ptx_row_at(i)) != NULL; i++) {
        if (surface && !in_reference(row))
            continue;
        json_open(&json, NULL, '{');
        json_string(&json, "name", row->name);
        json_number(&json, "forms", row->npatterns);
        json_string(&json, "summary", row->summary);
        json_close(&json, '}');
    }
    json_close(&json, ']');
}

void ptx_list(unsigned flags, struct text *out)
{
    const struct ptx_row *row;
    bool surface = flags & ATOLL_LIST_SURFACE, markdown = flags & ATOLL_LIST_MARKDOWN;
    if (flags & ATOLL_LIST_JSON) {
        list_json(surface, out);
        return;
    }
    if (surface && markdown) {
        reference(out);
        return;
    }
    text_puts(out,
              markdown ? "| instruction | forms | what |\n|---|---|---|\n" : "instruction           forms  what\n");
    for (unsigned i = 0; (row = ptx_row_at(i)) != NULL; i++)
        if (!surface || in_reference(row))
            text_printf(out, markdown ? "| `%s` | %u | %s |\n" : "%-20s  %5u  %s\n", row->name, row->npatterns,
                        row->summary);
}

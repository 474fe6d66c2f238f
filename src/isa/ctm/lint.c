/* Proofs of the rows of R580's words: every bit of a word is a field's or is known to be reserved, and no two fields
 * share one; operations are told apart by their names; every bit shows in the text, and what is made of noise reads
 * back. */
#include "isa/ctm/explain.h"
#include "isa/ctm/parse.h"
#include "isa/ctm/text.h"

#include "base/text.h"

#include <string.h>

enum { NOISE = 5000 /* words of each type and density */ };

static unsigned lint_bits(struct text *out)
{
    unsigned breaks = 0;
    for (unsigned type = 0; type < 4; type++)
        for (unsigned word = 0; word < CTM_WORDS; word++) {
            uint32_t named = 0, twice = 0;
            for (unsigned f = 0; f < CTM_FIELDS; f++) {
                uint32_t bits = UINT32_MAX >> (31 - ctm_fields[f].high + ctm_fields[f].low) << ctm_fields[f].low;
                if (ctm_fields[f].word != word || !ctm_field_of((enum ctm_field)f, (enum ctm_type)type))
                    continue;
                twice |= named & bits;
                named |= bits;
            }
            uint32_t reserved = ctm_reserved_bits((enum ctm_type)type, word);
            if (twice || (named ^ reserved) != UINT32_MAX || named & reserved) {
                text_printf(out, "%s W%u: bits 0x%08x are named twice, 0x%08x not at all, 0x%08x though reserved\n",
                            ctm_type_names[type], word, twice, ~(named | reserved), named & reserved);
                breaks++;
            }
        }
    for (unsigned f = 0; f < CTM_FIELDS; f++)
        if (!*ctm_field_means((enum ctm_field)f)) {
            text_printf(out, "%s: nothing says what it is\n", ctm_fields[f].name);
            breaks++;
        }
    return breaks;
}

static unsigned lint_names(const struct ctm_op_row *rows, unsigned count, struct text *out)
{
    unsigned breaks = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *names[] = {rows[i].name, rows[i].guide};
        for (unsigned n = 0; n < 2 && names[n]; n++)
            if (ctm_op_find(rows, count, names[n], strlen(names[n])) != i) {
                text_printf(out, "%s: another operation has this name\n", names[n]);
                breaks++;
            }
    }
    return breaks;
}

/* Whether a word reads back from its text; the text is in `line`. */
static bool comes_back(const struct ctm_inst *inst, char line[ISA_TEXT])
{
    struct ctm_inst read;
    size_t length = ctm_print_inst(inst, line);
    return length < ISA_TEXT - 1 && ctm_parse_inst(line, length, &read, NULL) && memcmp(&read, inst, sizeof read) == 0;
}

static unsigned tell(struct text *out, const struct ctm_inst *inst, const char *line, const char *what)
{
    text_printf(out, "%08x %08x %08x %08x %08x %08x: '%s' %s\n", inst->word[0], inst->word[1], inst->word[2],
                inst->word[3], inst->word[4], inst->word[5], line, what);
    return 1;
}

/* Each bit of a plain word changes its text. */
static unsigned lint_flips(const struct ctm_inst *plain, struct text *out)
{
    char usual[ISA_TEXT], line[ISA_TEXT];
    unsigned breaks = !comes_back(plain, usual) ? tell(out, plain, usual, "reads otherwise") : 0;
    for (unsigned bit = 0; bit < 32 * CTM_WORDS; bit++) {
        struct ctm_inst inst = *plain;
        inst.word[bit / 32] ^= UINT32_C(1) << bit % 32;
        if (!comes_back(&inst, line))
            breaks += tell(out, &inst, line, "reads otherwise");
        else if (strcmp(line, usual) == 0)
            breaks += tell(out, &inst, line, "hides a bit");
    }
    return breaks;
}

/* A plain word of each operation: its name is in the text and needs no annotation. */
static unsigned lint_operations(struct text *out)
{
    static const char *const plain[] = {"r1.rgb = r2 * c3 + r4 | r5.a = rcp(r6.a)",
                                        "out1 = max(r1, c2)",
                                        "r1 = TEXLD(s2, r3)",
                                        "KILL_LT_0(r1.rg)",
                                        "TEX_INST_NOP acquire",
                                        "FC JUMP func=0x0f b0=incr addr=3",
                                        "_ | _ = r0.a + 1",
                                        "ALU",
                                        "OUTPUT wait"};
    struct ctm_inst inst;
    char line[ISA_TEXT];
    unsigned breaks = 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (ctm_parse_inst(plain[i], strlen(plain[i]), &inst, NULL)) {
            breaks += lint_flips(&inst, out);
        } else {
            text_printf(out, "'%s' does not read\n", plain[i]);
            breaks++;
        }
    for (unsigned op = 0; op < CTM_OPS * CTM_UNITS; op++) {
        ctm_parse_inst(plain[0], strlen(plain[0]), &inst, NULL);
        ctm_set(&inst, op < CTM_OPS ? CTM_RGB_OP : CTM_ALPHA_OP, op % CTM_OPS);
        if (!comes_back(&inst, line) || strstr(line, " !"))
            breaks += tell(out, &inst, line, "needs more than its row");
    }
    return breaks;
}

static unsigned lint_noise(struct text *out)
{
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    char line[ISA_TEXT];
    unsigned breaks = 0;
    for (unsigned i = 0; i < 12 * NOISE && breaks < 20; i++) {
        struct ctm_inst inst;
        for (unsigned n = 0; n < CTM_WORDS * 3; n++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            uint32_t bits = (uint32_t)(seed >> 20), *word = &inst.word[n % CTM_WORDS];
            *word = n < CTM_WORDS ? bits : n / CTM_WORDS <= i / 4 % 3 ? *word & bits : *word;
        }
        ctm_set(&inst, CTM_TYPE, i & 3);
        if (!comes_back(&inst, line))
            breaks += tell(out, &inst, line, "reads otherwise");
    }
    return breaks;
}

unsigned ctm_lint(const void *rows, struct text *out, unsigned *breaks)
{
    (void)rows;
    *breaks = lint_bits(out) + lint_names(ctm_rgb_ops, CTM_OPS, out) + lint_names(ctm_alpha_ops, CTM_OPS, out) +
              lint_names(ctm_tex_ops, CTM_TEX_OPS, out) + lint_names(ctm_fc_ops, CTM_FC_OPS, out) +
              lint_operations(out) + lint_noise(out);
    return CTM_FIELDS + 2 * CTM_OPS + CTM_TEX_OPS + CTM_FC_OPS;
}

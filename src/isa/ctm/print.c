/* Instructions of CTM as text. What is written is read back; where that gives other words, annotations say what they
 * are, so that nothing is lost whatever the words are. */
#include "isa/ctm/print.h"

#include "isa/ctm/text.h"

#include <stdio.h>
#include <string.h>

/* ---- pieces ----------------------------------------------------------------------------------------------- */

void ctm_print_inline(struct isa_writer *w, unsigned bits)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%.9f", (double)ctm_inline_value(bits));
    while (length > 0 && text[length - 1] == '0')
        length--;
    if (length > 0 && text[length - 1] == '.')
        length--;
    writer_put(w, text, (size_t)length);
}

void ctm_print_address(struct isa_writer *w, unsigned address, bool whole)
{
    bool relative = address & CTM_ADDRESS_REL, constant = address & CTM_ADDRESS_CONST;
    unsigned number = address & 255u;
    if (!constant && address & CTM_ADDRESS_INLINE) {
        double value = (double)ctm_inline_value(number & 127u);
        bool braces = !whole || relative || value == 0 || value == 0.5 || value == 1; /* bare, these are letters */
        writer_text(w, relative ? "{aL+" : braces ? "{" : "");
        ctm_print_inline(w, number & 127u);
        writer_text(w, braces ? "}" : "");
        return;
    }
    writer_char(w, constant ? 'c' : 'r');
    writer_text(w, relative ? "[aL+" : "");
    writer_decimal(w, number);
    writer_text(w, relative ? "]" : "");
}

static void put_predicate(struct isa_writer *w, const struct ctm_inst *inst, unsigned unit)
{
    writer_text(w, ctm_get(inst, ctm_units[unit].pred_inv) ? "!" : "");
    writer_text(w, ctm_pred_names[ctm_get(inst, ctm_units[unit].pred_sel)]);
}

void ctm_print_predicates(struct isa_writer *w, const struct ctm_inst *inst)
{
    unsigned rgb = ctm_get(inst, CTM_RGB_PRED_SEL) | ctm_get(inst, CTM_RGB_PRED_INV) << 3;
    unsigned alpha = ctm_get(inst, CTM_ALPHA_PRED_SEL) | ctm_get(inst, CTM_ALPHA_PRED_INV) << 3;
    if (!rgb && !alpha)
        return;
    writer_char(w, '(');
    put_predicate(w, inst, CTM_RGB);
    if (rgb != alpha && (alpha || ctm_get(inst, CTM_TYPE) != CTM_TYPE_FC)) {
        writer_text(w, " | ");
        put_predicate(w, inst, CTM_ALPHA);
    }
    writer_text(w, ") ");
}

static void put_mask(struct isa_writer *w, unsigned mask)
{
    writer_char(w, '.');
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        if (mask >> c & 1)
            writer_char(w, CTM_LETTERS[c]);
    if (!mask)
        writer_char(w, '_');
}

void ctm_print_flags(struct isa_writer *w, const struct ctm_inst *inst)
{
    unsigned type = ctm_get(inst, CTM_TYPE);
    for (const struct ctm_flag_row *f = ctm_flags; f->word; f++)
        if (f->types >> type & 1 && ctm_get(inst, f->field)) {
            writer_char(w, ' ');
            writer_text(w, f->word);
        }
    if (ctm_get(inst, CTM_STAT_WE)) {
        writer_text(w, " stat");
        put_mask(w, ctm_get(inst, CTM_STAT_WE));
    }
}

static void put_hex(struct isa_writer *w, uint32_t value)
{
    writer_text(w, "=0x");
    char text[12];
    snprintf(text, sizeof text, "%x", value);
    writer_text(w, text);
}

/* Fields of a word that differ, where these are few and nothing else differs; else false. */
static bool put_fields(struct isa_writer *w, const struct ctm_inst *inst, const struct ctm_inst *read, unsigned word)
{
    uint32_t rest = inst->word[word] ^ read->word[word];
    unsigned fields[2], count = 0, type = ctm_get(inst, CTM_TYPE);
    for (unsigned f = 0; f < CTM_FIELDS && rest; f++) {
        if (ctm_fields[f].word != word || !ctm_field_of((enum ctm_field)f, (enum ctm_type)type) ||
            ctm_get(inst, (enum ctm_field)f) == ctm_get(read, (enum ctm_field)f))
            continue;
        if (count == 2)
            return false;
        fields[count++] = f;
        rest &= ~(UINT32_MAX >> (31 - ctm_fields[f].high + ctm_fields[f].low) << ctm_fields[f].low);
    }
    for (unsigned i = 0; i < count && !rest; i++) {
        writer_text(w, " !");
        writer_text(w, ctm_fields[fields[i]].name);
        put_hex(w, ctm_get(inst, (enum ctm_field)fields[i]));
    }
    return !rest;
}

void ctm_print_annotations(struct isa_writer *w, const struct ctm_inst *inst, const struct ctm_inst *read)
{
    for (unsigned i = 0; i < CTM_WORDS; i++) {
        if (inst->word[i] == read->word[i] || put_fields(w, inst, read, i))
            continue;
        writer_text(w, " !W");
        writer_decimal(w, i);
        put_hex(w, inst->word[i]);
    }
}

/* ---- TEX -------------------------------------------------------------------------------------------------- */

static void put_temp(struct isa_writer *w, unsigned number, unsigned relative)
{
    ctm_print_address(w, number | (relative ? CTM_ADDRESS_REL : 0u), true);
}

/* The four letters from bit `low` on of a word; nothing where they are rgba. */
static void put_swizzle(struct isa_writer *w, uint32_t word, unsigned low)
{
    unsigned bits = word >> low & 255u;
    if (bits == 0xe4)
        return;
    writer_char(w, '.');
    bool same = bits == (bits & 3) * 0x55;
    for (unsigned c = 0; c < (same ? 1 : CTM_CHANNELS); c++)
        writer_char(w, CTM_LETTERS[bits >> 2 * c & 3]);
}

static unsigned tex_mask(const struct ctm_inst *inst)
{
    return ctm_get(inst, CTM_RGB_WMASK) | ctm_get(inst, CTM_ALPHA_WMASK) << 3;
}

/* Short ways of what reads no input; false: there is none. */
static bool put_short_tex(struct isa_writer *w, const struct ctm_inst *inst)
{
    unsigned op = ctm_get(inst, CTM_TEX_INST), mask = tex_mask(inst);
    if (op != CTM_TEX_NOP && (op != CTM_TEX_KILL || !mask))
        return false;
    ctm_print_predicates(w, inst);
    writer_text(w, op == CTM_TEX_NOP ? ctm_tex_ops[op].guide : ctm_tex_ops[op].name);
    if (op == CTM_TEX_KILL) {
        writer_char(w, '(');
        put_temp(w, ctm_get(inst, CTM_SRC_ADDR), ctm_get(inst, CTM_SRC_ADDR_REL));
        if (mask != 15)
            put_mask(w, mask);
        writer_char(w, ')');
    }
    ctm_print_flags(w, inst);
    return true;
}

static void put_tex(struct isa_writer *w, const struct ctm_inst *inst)
{
    unsigned mask = tex_mask(inst);
    ctm_print_predicates(w, inst);
    put_temp(w, ctm_get(inst, CTM_DST_ADDR), ctm_get(inst, CTM_DST_ADDR_REL));
    if (mask != 15)
        put_mask(w, mask);
    writer_text(w, " = ");
    writer_text(w, ctm_tex_ops[ctm_get(inst, CTM_TEX_INST)].name);
    writer_text(w, "(s");
    writer_decimal(w, ctm_get(inst, CTM_TEX_ID));
    writer_text(w, ", ");
    put_temp(w, ctm_get(inst, CTM_SRC_ADDR), ctm_get(inst, CTM_SRC_ADDR_REL));
    put_swizzle(w, inst->word[2], 8);
    if (inst->word[3]) {
        writer_text(w, ", ");
        put_temp(w, ctm_get(inst, CTM_DX_ADDR), ctm_get(inst, CTM_DX_ADDR_REL));
        put_swizzle(w, inst->word[3], 8);
        writer_text(w, ", ");
        put_temp(w, ctm_get(inst, CTM_DY_ADDR), ctm_get(inst, CTM_DY_ADDR_REL));
        put_swizzle(w, inst->word[3], 24);
    }
    writer_char(w, ')');
    put_swizzle(w, inst->word[2], 24);
    ctm_print_flags(w, inst);
}

/* ---- FC --------------------------------------------------------------------------------------------------- */

static void put_fc(struct isa_writer *w, const struct ctm_inst *inst, bool labels)
{
    ctm_print_predicates(w, inst);
    writer_text(w, "FC ");
    writer_text(w, ctm_fc_ops[ctm_get(inst, CTM_FC_OP)].name);
    for (const struct ctm_setting_row *row = ctm_settings; row->word; row++) {
        unsigned value = ctm_get(inst, row->field);
        if (!value && row->field != CTM_JUMP_FUNC && row->field != CTM_JUMP_ADDR)
            continue;
        writer_char(w, ' ');
        writer_text(w, row->word);
        if (!row->most)
            continue;
        writer_char(w, '=');
        if (row->names[0]) {
            writer_text(w, row->names[value]);
        } else if (row->field == CTM_JUMP_FUNC) {
            char text[8];
            snprintf(text, sizeof text, "0x%02x", value & 255u);
            writer_text(w, text);
        } else {
            writer_text(w, labels && row->field == CTM_JUMP_ADDR ? "L" : "");
            writer_decimal(w, value);
        }
    }
    ctm_print_flags(w, inst);
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

/* One of the ways to write a word; false: it is none for this word. */
static bool put_way(struct isa_writer *w, const struct ctm_inst *inst, unsigned way, const struct ctm_print_as *as)
{
    switch ((enum ctm_type)ctm_get(inst, CTM_TYPE)) {
    case CTM_TYPE_TEX:
        if (way == 0)
            return put_short_tex(w, inst);
        put_tex(w, inst);
        return true;
    case CTM_TYPE_FC:
        put_fc(w, inst, as->labels);
        return true;
    case CTM_TYPE_ALU:
    case CTM_TYPE_OUTPUT:
        break;
    }
    return ctm_print_alu(w, inst, way, as->uncached);
}

static unsigned differences(const struct ctm_inst *inst, const struct ctm_inst *read)
{
    unsigned count = 0;
    for (unsigned i = 0; i < CTM_WORDS; i++)
        count += inst->word[i] != read->word[i];
    return count;
}

/* What a way to write the word is read as; false: it is none. */
static bool try_way(const struct ctm_inst *inst, unsigned way, const struct ctm_print_as *as, struct ctm_inst *read)
{
    char text[ISA_TEXT];
    struct isa_writer w = {.at = text, .end = text + sizeof text - 1};
    const struct ctm_print_as numbers = {.uncached = as->uncached};
    return put_way(&w, inst, way, &numbers) && w.at < w.end && ctm_parse_inst(text, (size_t)(w.at - text), read, NULL);
}

size_t ctm_print_as(const struct ctm_inst *inst, const struct ctm_print_as *as, char *out, size_t size)
{
    struct isa_writer w = {.at = out, .end = out + size - 1};
    struct ctm_inst read, best = {{0}};
    unsigned least = CTM_WORDS + 1, chosen = 0;
    for (unsigned way = 0; way < CTM_PLAIN_WAYS && least; way++)
        if (try_way(inst, way, as, &read) && differences(inst, &read) < least) {
            least = differences(inst, &read);
            chosen = way;
            best = read;
        }
    if (least > CTM_WORDS) { /* no text reads: all of it is annotations */
        for (unsigned i = 0; i < CTM_WORDS; i++)
            best.word[i] = ~inst->word[i];
        writer_text(&w, "ALU");
    } else {
        put_way(&w, inst, chosen, as);
    }
    ctm_print_annotations(&w, inst, &best);
    *w.at = 0;
    return (size_t)(w.at - out);
}

size_t ctm_print_inst(const struct ctm_inst *inst, char out[ISA_TEXT])
{
    return ctm_print_as(inst, &(struct ctm_print_as){0}, out, ISA_TEXT);
}

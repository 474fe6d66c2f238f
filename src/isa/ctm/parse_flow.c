/* FC instructions of CTM's text: all fields by their names, and statements with their conditions. */
#include "isa/ctm/parse.h"

#include "base/chars.h"

#include <string.h>

const char *const ctm_statement_names[CTM_STATEMENTS] = {
    "FC", "IF", "ELSE", "ENDIF", "LOOP", "ENDLOOP", "REP", "ENDREP", "BREAK", "CONTINUE", "CALL", "RETURN",
};

/* ---- all fields ------------------------------------------------------------------------------------------- */

static bool take_label(struct ctm_parser *p, struct ctm_line *line)
{
    const char *name;
    size_t length = ctm_name(p, &name);
    if (!length || !p->inside)
        return false;
    line->label = name;
    line->label_length = (uint32_t)length;
    line->label_at = ctm_place(p);
    p->at += length;
    return true;
}

static bool parse_setting(struct ctm_parser *p, const struct ctm_setting_row *row, struct ctm_line *line)
{
    uint32_t value = 0;
    if (!ctm_byte(p, '='))
        return ctm_wanted(p, "'='");
    if (row->field == CTM_JUMP_ADDR && take_label(p, line))
        return true;
    if (row->names[0]) {
        while (value < 4 && !ctm_word(p, row->names[value]) && !(value == 3 && ctm_byte(p, '3')))
            value++;
        if (value == 4)
            return ctm_wanted(p, row->field == CTM_A_OP ? "none, pop or push" : "none, decr or incr");
    } else if (!ctm_number(p, row->most, "a number", &value)) {
        return false;
    }
    ctm_set(&line->inst, row->field, value);
    return true;
}

bool ctm_parse_fc(struct ctm_parser *p, struct ctm_line *line)
{
    const char *name;
    size_t length = ctm_name(p, &name);
    unsigned op = ctm_op_find(ctm_fc_ops, CTM_FC_OPS, name, length);
    if (op == CTM_FC_OPS)
        return ctm_wanted(p, "JUMP, LOOP, ENDLOOP, REP, ENDREP, BREAKLOOP, BREAKREP or CONTINUE");
    p->at += length;
    ctm_set(&line->inst, CTM_FC_OP, op);
    for (;;) {
        const struct ctm_setting_row *row = ctm_settings;
        while (row->word && !ctm_word(p, row->word))
            row++;
        if (!row->word)
            return true;
        if (!row->most)
            ctm_set(&line->inst, row->field, 1);
        else if (!parse_setting(p, row, line))
            return false;
    }
}

/* ---- statements ------------------------------------------------------------------------------------------- */

/* i3, b3: the number after the letter. */
static bool take_constant(struct ctm_parser *p, char letter, uint32_t *number)
{
    ctm_blanks(p);
    const char *at = p->at;
    if (p->end - at < 2 || (at[0] | 0x20) != letter || at[1] < '0' || at[1] > '9')
        return false;
    p->at++;
    return ctm_number(p, 31, letter == 'i' ? "an integer constant i0 to i31" : "a boolean constant b0 to b31", number);
}

static bool parse_predicate(struct ctm_parser *p, struct ctm_line *line)
{
    uint8_t letter[CTM_CHANNELS];
    if (p->at == p->end || *p->at != '.')
        return ctm_wanted(p, "one predicate: p.r, p.g, p.b or p.a");
    p->at++;
    if (ctm_parse_letters(p, letter, "rgba") != 1)
        return ctm_wanted(p, "one predicate: p.r, p.g, p.b or p.a");
    ctm_set(&line->inst, CTM_RGB_PRED_SEL, CTM_PRED_RRRR + letter[0]);
    line->func = CTM_FUNC_PRED;
    return true;
}

/* alu, p.r, b3, with '!' before it. */
static bool parse_condition(struct ctm_parser *p, struct ctm_line *line)
{
    uint32_t number;
    bool inverted = ctm_byte(p, '!');
    if (ctm_word(p, "alu")) {
        line->func = CTM_FUNC_ALU;
    } else if (ctm_word(p, "p")) {
        if (!parse_predicate(p, line))
            return false;
    } else if (take_constant(p, 'b', &number)) {
        ctm_set(&line->inst, CTM_BOOL_ADDR, number);
        line->func = CTM_FUNC_BOOL;
    } else {
        return p->bad ? false : ctm_wanted(p, "a condition: alu, p.r, p.g, p.b, p.a or b0 to b31");
    }
    if (inverted)
        line->func = (uint8_t)~line->func;
    return true;
}

static bool parse_count(struct ctm_parser *p, struct ctm_line *line)
{
    uint32_t number;
    if (!take_constant(p, 'i', &number))
        return p->bad ? false : ctm_wanted(p, "an integer constant i0 to i31");
    ctm_set(&line->inst, CTM_INT_ADDR, number);
    return true;
}

bool ctm_parse_statement(struct ctm_parser *p, enum ctm_statement statement, struct ctm_line *line)
{
    if (!p->inside)
        return ctm_wrong(p, ctm_place(p), 0, "a statement needs its program: a single word is written as FC");
    line->func = CTM_FUNC_ALWAYS;
    ctm_set(&line->inst, CTM_ALU_WAIT, 1);
    if (statement == CTM_IF)
        return parse_condition(p, line);
    if (statement == CTM_LOOP || statement == CTM_REP)
        return parse_count(p, line);
    if (statement == CTM_CALL && !take_label(p, line))
        return ctm_wanted(p, "a label");
    if (statement == CTM_CALL || statement == CTM_BREAK || statement == CTM_CONTINUE)
        return !ctm_word(p, "IF") || parse_condition(p, line);
    return true;
}

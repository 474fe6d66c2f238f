/* Instructions of vISA's text: the mnemonic says the row, the row's text what comes. */
#include "isa/visa/parse_inner.h"

#include <stdio.h>
#include <string.h>

/* ---- the row's text --------------------------------------------------------------------------------------- */

/* Signs of the text; a dot belongs to the number after it. */
static bool literal(struct visa_parser *p, const struct visa_form *form, unsigned piece)
{
    const struct visa_piece *own = &form->pieces[piece];
    bool sized = piece + 1 < form->npieces && form->pieces[piece + 1].code == VISA_PIECE_FIELD &&
                 strstr(form->fields[form->pieces[piece + 1].field].kind->name, "owords");
    for (unsigned i = 0; i < own->length; i++) {
        char c = own->text[i];
        if (c == '.' || (c == '(' && sized))
            continue;
        if (c == ')' && piece && form->pieces[piece - 1].code == VISA_PIECE_FIELD &&
            strstr(form->fields[form->pieces[piece - 1].field].kind->name, "owords"))
            continue;
        if (!visa_expect(p, c))
            return false;
    }
    return true;
}

/* Where a word may stand that says nothing: .mod of stores. */
static void skip_modified(struct visa_parser *p, const struct visa_reading *r, bool behind_exec)
{
    enum visa_row_id row = visa_row_id(r->form->row);
    if (visa_is_dotted(p, VISA_DOT_MOD) && row == (behind_exec ? VISA_ROW_scatter : VISA_ROW_oword_st))
        visa_next(p);
}

static bool composite(struct visa_parser *p, struct visa_reading *r, const struct visa_piece *piece,
                      struct visa_inst *inst)
{
    if (*piece->text == 'P')
        return true;
    if (*piece->text == 'E')
        return visa_read_exec(p, &inst->exec);
    if (memcmp(piece->text, "sat", 3) != 0) {
        p->inst = inst;
        return visa_read_lsc(p, r->form, piece);
    }
    r->saturate = visa_is_dotted(p, VISA_DOT_SAT);
    if (r->saturate)
        visa_next(p);
    return true;
}

static bool pieces(struct visa_parser *p, struct visa_reading *r, struct visa_inst *inst)
{
    const struct visa_form *form = r->form;
    bool named = false, dotted = false;
    for (unsigned i = 0; i < form->npieces; i++) {
        const struct visa_piece *piece = &form->pieces[i];
        bool good = true;
        if (piece->code == VISA_PIECE_LITERAL && !named) {
            /* the mnemonic, which was read */
        } else if (piece->code == VISA_PIECE_LITERAL) {
            good = literal(p, form, i);
        } else if (piece->code == VISA_PIECE_FIELD) {
            /* raw_sendsc has no function's number */
            bool left_out = r->mnemonic->preset & 1 && strcmp(form->fields[piece->field].kind->name, "ffid") == 0;
            good = left_out || visa_read_field(p, r, &form->fields[piece->field], dotted, inst);
        } else if (piece->code == VISA_PIECE_OWN) {
            good = composite(p, r, piece, inst);
        }
        if (!good)
            return false;
        if (!named || piece->code == VISA_PIECE_FIELD)
            skip_modified(p, r, named);
        named = named || piece->code == VISA_PIECE_LITERAL || piece->code == VISA_PIECE_FIELD;
        dotted = piece->code == VISA_PIECE_LITERAL && piece->text[piece->length - 1] == '.';
    }
    return true;
}

/* ---- what holds for the whole ----------------------------------------------------------------------------- */

static bool no_saturation(enum visa_row_id row)
{
    static const enum visa_row_id rows[] = {VISA_ROW_and,  VISA_ROW_or,  VISA_ROW_xor, VISA_ROW_not,
                                            VISA_ROW_cbit, VISA_ROW_fbh, VISA_ROW_fbl, VISA_ROW_bfrev,
                                            VISA_ROW_bfe,  VISA_ROW_bfi, VISA_ROW_rol, VISA_ROW_ror};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i] == row)
            return true;
    return false;
}

/* Where the text says no execution size, or Intel's tool does not heed it: one channel, with the mask or without. */
static void settle_exec(const struct visa_reading *r, bool of_predicates, struct visa_inst *inst)
{
    enum visa_row_id row = visa_row_id(r->form->row);
    if (row == VISA_ROW_jmp || row == VISA_ROW_switchjmp)
        inst->exec = 0;
    if (row == VISA_ROW_lsc_fence || row == VISA_ROW_lsc_typed_read_state_info ||
        (row == VISA_ROW_mov && of_predicates))
        inst->exec = VISA_NO_MASK;
}

/* Instructions of predicates know neither saturation nor a predicate: Intel's tool drops both. */
static bool whole(struct visa_parser *p, struct visa_reading *r, uint16_t predicate, struct visa_inst *inst)
{
    enum visa_row_id row = visa_row_id(r->form->row);
    bool of_predicates = (r->form->row->is & VISA_IS_LOGIC && inst->ops[0].class == VISA_PREDICATE) ||
                         (row == VISA_ROW_mov && inst->ops[1].class == VISA_PREDICATE);
    bool dropped = of_predicates || !r->predicated;
    settle_exec(r, of_predicates, inst);
    if (predicate && dropped)
        visa_warn(p, "dropped", r->word.pos, r->word.length,
                  "the predicate of this form is dropped, as Intel's tool does");
    else
        inst->predicate = predicate;
    if (r->saturate && !of_predicates && no_saturation(row))
        return visa_wrong_at(p, "saturation", r->word.pos, r->word.length, "'%.*s' does not saturate",
                             (int)r->word.length, visa_text_of(p, &r->word));
    if (r->saturate && !of_predicates)
        inst->ops[0].modifier = VISA_SATURATE;
    return true;
}

/* Whether a predicate may stand before it: where bytes have none, min and max take one that counts for nothing. */
static bool may_have_predicate(const struct visa_form *form, bool *kept)
{
    *kept = false;
    for (unsigned i = 0; i < form->npieces && !*kept; i++)
        *kept = form->pieces[i].code == VISA_PIECE_OWN && *form->pieces[i].text == 'P';
    enum visa_row_id row = visa_row_id(form->row);
    return *kept || row == VISA_ROW_min || row == VISA_ROW_max || row == VISA_ROW_srnd;
}

static const struct visa_form *form_of(struct visa_parser *p, struct visa_reading *r)
{
    const struct visa_mnemonic *m = r->mnemonic;
    bool typed = visa_is_dotted(p, VISA_DOT_TYPED) && m->typed;
    if (!typed)
        return m->form ? m->form : m->typed;
    visa_next(p);
    return m->typed;
}

/* Typed forms that Intel's tool has in bytes only. */
static bool own_row(enum visa_row_id row)
{
    return row == VISA_ROW_lsc_typed_load || row == VISA_ROW_lsc_typed_store || row == VISA_ROW_lsc_typed_load_status;
}

/* The mnemonic; false: there is none. */
static bool mnemonic(struct visa_parser *p, struct visa_reading *r)
{
    static const struct visa_mnemonic plain = {0};
    struct visa_token t = p->token;
    r->word = t;
    r->mnemonic = NULL;
    if (t.kind == VISA_TOKEN_MNEMONIC) {
        r->mnemonic = visa_mnemonic_at(p->lexer.words, t.value);
    } else if (t.kind == VISA_TOKEN_NAME) {
        r->mnemonic = visa_mnemonic_own(p->lexer.words, visa_text_of(p, &t), t.length);
        if (r->mnemonic)
            p->spelling = r->mnemonic->preset ? VISA_SPELLED_PAGE : VISA_SPELLED_OWN;
    } else if (t.kind == VISA_TOKEN_DOTTED && t.class == VISA_DOT_DIRECTIVE) {
        r->mnemonic = &plain;
        r->form = visa_form(p->table, &visa_rows[t.value == VISA_DIRECTIVE_FILE ? VISA_ROW_file : VISA_ROW_loc]);
        visa_next(p);
        return true;
    }
    if (!r->mnemonic) {
        if (t.kind != VISA_TOKEN_NAME)
            return visa_wanted(p, "an instruction");
        char hint[NEAREST_HINT], what[NEAREST_HINT + 24];
        struct nearest nearest = visa_mnemonic_nearest(p->lexer.words, visa_text_of(p, &t), t.length);
        nearest_hint(&nearest, hint);
        snprintf(what, sizeof what, "is no instruction%s", hint);
        return visa_wrong_name(p, &t, "unknown-opcode", what);
    }
    visa_next(p);
    r->form = form_of(p, r);
    return true;
}

bool visa_read_inst(struct visa_parser *p)
{
    struct visa_reading r = {0};
    struct visa_token first = p->token;
    uint16_t predicate = 0;
    p->spelling = VISA_SPELLED_TOOL;
    if (!visa_read_predicate(p, &predicate) || !mnemonic(p, &r))
        return false;
    if (!may_have_predicate(r.form, &r.predicated) && predicate)
        return visa_wrong_at(p, "syntax", first.pos, r.word.pos - first.pos,
                             "a predicate before '%.*s', which takes none", (int)r.word.length,
                             visa_text_of(p, &r.word));
    struct visa_inst *inst = visa_inst_add(p, r.form, &first);
    bool ok = inst && pieces(p, &r, inst) && whole(p, &r, predicate, inst);
    if (!inst)
        return false;
    if (!ok) {
        p->object->ninsts--;
        return false;
    }
    inst->length = p->previous - first.pos;
    inst->spelling = own_row(visa_row_id(r.form->row)) ? VISA_SPELLED_OWN : p->spelling;
    return true;
}

/* What R580's instruction words can say, as rows: operations with their names, operands and meaning, and where each of
 * the two units of an ALU word keeps its fields. Text, explain and the reference read these; the bits are in
 * fields.inc. */
#ifndef ATOLL_ISA_CTM_ROWS_H
#define ATOLL_ISA_CTM_ROWS_H

#include "isa/ctm/ctm.h"

/* One value of a field that names an operation. */
struct ctm_op_row {
    const char *name;  /* as the text has it: "MAD"; reserved ones by their number: "OP6" */
    const char *guide; /* "OP_RGB_MAD"; NULL: reserved */
    uint8_t args;      /* operands that it reads */
    const char *means;
};

enum { CTM_OPS = 16, CTM_TEX_OPS = 8, CTM_FC_OPS = 8 };
extern const struct ctm_op_row ctm_rgb_ops[CTM_OPS], ctm_alpha_ops[CTM_OPS];
extern const struct ctm_op_row ctm_tex_ops[CTM_TEX_OPS], ctm_fc_ops[CTM_FC_OPS];

/* The number of the row with this name, or the guide's, in any case; `count`: there is none. */
unsigned ctm_op_find(const struct ctm_op_row *rows, unsigned count, const char *name, size_t length);

/* The two units of ALU and OUTPUT words. */
enum { CTM_RGB, CTM_ALPHA, CTM_UNITS };
enum { CTM_ARGS = 3, CTM_SLOTS_OF_UNIT = 3 };
struct ctm_unit {
    const struct ctm_op_row *ops;
    uint8_t channels; /* mask of those it computes */
    enum ctm_field op, addrd, addrd_rel, sel[CTM_ARGS], mod[CTM_ARGS], swizzle[CTM_ARGS][CTM_CHANNELS];
    enum ctm_field omod, target, clamp, pred_sel, pred_inv, wmask, omask, srcp;
};
extern const struct ctm_unit ctm_units[CTM_UNITS];

/* The address of a unit's source, as the word has it: ADDR, CONST, REL. */
enum { CTM_ADDRESS_CONST = 1 << 8, CTM_ADDRESS_REL = 1 << 9, CTM_ADDRESS_INLINE = 1 << 7, CTM_ADDRESS_UNUSED = 0x80 };
unsigned ctm_address(const struct ctm_inst *inst, unsigned unit, unsigned slot);
void ctm_set_address(struct ctm_inst *inst, unsigned unit, unsigned slot, unsigned address);

/* The value of an inline constant (7 bits); and the one with exactly this value, or -1. */
float ctm_inline_value(unsigned bits);
int ctm_inline_bits(double value);

/* Names of values. */
extern const char *const ctm_type_names[4];    /* "ALU" */
extern const char *const ctm_pred_names[8];    /* "", "p", "p.r" ... */
extern const char *const ctm_omod_names[8];    /* "mul1" ... "exact" */
extern const char *const ctm_compare_names[4]; /* "==0" ... */
extern const char *const ctm_umrt_names[4];    /* outputs of programs with uncached outputs */
/* Letters of swizzles; channels are the first four. */
#define CTM_LETTERS "rgba0h1_"

/* Words after an instruction that set a bit, by the types that have it; NULL at the end. */
struct ctm_flag_row {
    const char *word;
    enum ctm_field field;
    uint8_t types; /* a bit each */
};
extern const struct ctm_flag_row ctm_flags[];

/* Fields of FC by their words: "func=0x0f", "any"; NULL at the end. */
struct ctm_setting_row {
    const char *word;
    enum ctm_field field;
    uint16_t most;        /* 0: the word alone sets the bit */
    const char *names[4]; /* of values, from 0 on; NULL: numbers */
};
extern const struct ctm_setting_row ctm_settings[];

/* Whether a field is of words of this type. */
bool ctm_field_of(enum ctm_field field, enum ctm_type type);

#endif

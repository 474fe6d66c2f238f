/* Programs of ATI's CTM device (R580, 2006) as they are written: instructions of six words, and what comes with them in
 * an executable. Sources: docs/ctm.md. */
#ifndef ATOLL_ISA_CTM_CTM_H
#define ATOLL_ISA_CTM_CTM_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CTM_WORDS = 6,   /* of an instruction, 32 bits each */
    CTM_SLOTS = 512, /* instructions of a program, at most */
    CTM_TEMPS = 128,
    CTM_FLOATS = 256, /* constants: float4 */
    CTM_INTS = 32,
    CTM_BOOLS = 32,
    CTM_INPUTS = 16,
    CTM_OUTPUTS = 4,
    CTM_CHANNELS = 4, /* red, green, blue, alpha */
    CTM_INFO_WORDS = 16,
};

/* Depths of flow control (docs/ctm.md, "Depths"). Partial flow control has neither loops nor calls. */
enum {
    CTM_ADDRESS_STACK = 4,
    CTM_LOOP_STACK = 4,
    CTM_BRANCHES = 32, /* values of a branch counter: 0 is the innermost branch that made it inactive */
    CTM_BRANCHES_PARTIAL = 6
};

struct ctm_inst {
    uint32_t word[CTM_WORDS];
};

/* ---- fields ----------------------------------------------------------------------------------------------- */

enum ctm_field {
#define CTM_FIELD(name, word, high, low) CTM_##name,
#include "isa/ctm/fields.inc"
#undef CTM_FIELD
    CTM_FIELDS
};

struct ctm_field_row {
    const char *name; /* "RGB_WMASK" */
    uint8_t word, high, low;
};
extern const struct ctm_field_row ctm_fields[CTM_FIELDS];

uint32_t ctm_get(const struct ctm_inst *inst, enum ctm_field field);
/* Bits of the value above the field's width are lost. */
void ctm_set(struct ctm_inst *inst, enum ctm_field field, uint32_t value);

/* Values of fields. */
enum ctm_type { CTM_TYPE_ALU, CTM_TYPE_OUTPUT, CTM_TYPE_FC, CTM_TYPE_TEX };
enum ctm_pred { CTM_PRED_NONE, CTM_PRED_RGBA, CTM_PRED_RRRR, CTM_PRED_GGGG, CTM_PRED_BBBB, CTM_PRED_AAAA };
enum ctm_srcp { CTM_SRCP_BIAS, CTM_SRCP_SUB, CTM_SRCP_ADD, CTM_SRCP_INV };
enum { CTM_SEL_SRCP = 3 }; /* of RGB_SEL_A and the like; 0 to 2 are the sources */
enum ctm_swizzle {
    CTM_SWIZ_R,
    CTM_SWIZ_G,
    CTM_SWIZ_B,
    CTM_SWIZ_A,
    CTM_SWIZ_ZERO,
    CTM_SWIZ_HALF,
    CTM_SWIZ_ONE,
    CTM_SWIZ_UNUSED
};
enum ctm_imod { CTM_IMOD_OFF, CTM_IMOD_NEG, CTM_IMOD_ABS, CTM_IMOD_NAB };
enum ctm_omod {
    CTM_OMOD_U1,
    CTM_OMOD_U2,
    CTM_OMOD_U4,
    CTM_OMOD_U8,
    CTM_OMOD_D2,
    CTM_OMOD_D4,
    CTM_OMOD_D8,
    CTM_OMOD_DISABLED
};
enum ctm_compare { CTM_EQUAL, CTM_LESS, CTM_GREATER_EQUAL, CTM_NOT_EQUAL };                 /* ALU_RESULT_OP */
enum ctm_test { CTM_TEST_EQ, CTM_TEST_LT, CTM_TEST_GE, CTM_TEST_NE };                       /* TARGET of predicates */
enum ctm_umrt { CTM_UMRT_SAME, CTM_UMRT_SAME_ACQUIRE, CTM_UMRT_OWN, CTM_UMRT_OWN_ACQUIRE }; /* uncached outputs */
enum ctm_rgb_op {
    CTM_RGB_MAD,
    CTM_RGB_DP3,
    CTM_RGB_DP4,
    CTM_RGB_D2A,
    CTM_RGB_MIN,
    CTM_RGB_MAX,
    CTM_RGB_CND = 7,
    CTM_RGB_CMP,
    CTM_RGB_FRC,
    CTM_RGB_SOP,
    CTM_RGB_MDH,
    CTM_RGB_MDV
};
static inline bool ctm_is_dot(uint32_t rgb_op)
{
    return rgb_op == CTM_RGB_DP3 || rgb_op == CTM_RGB_DP4 || rgb_op == CTM_RGB_D2A;
}

enum ctm_alpha_op {
    CTM_ALPHA_MAD,
    CTM_ALPHA_DP,
    CTM_ALPHA_MIN,
    CTM_ALPHA_MAX,
    CTM_ALPHA_CND = 5,
    CTM_ALPHA_CMP,
    CTM_ALPHA_FRC,
    CTM_ALPHA_EX2,
    CTM_ALPHA_LN2,
    CTM_ALPHA_RCP,
    CTM_ALPHA_RSQ,
    CTM_ALPHA_SIN,
    CTM_ALPHA_COS,
    CTM_ALPHA_MDH,
    CTM_ALPHA_MDV
};
enum ctm_tex_inst {
    CTM_TEX_NOP,
    CTM_TEX_LOOKUP,
    CTM_TEX_KILL,
    CTM_TEX_PROJ,
    CTM_TEX_LODBIAS,
    CTM_TEX_LOD,
    CTM_TEX_DXDY,
    CTM_TEX_UNCACHED
};
enum ctm_fc_op {
    CTM_FC_JUMP,
    CTM_FC_LOOP,
    CTM_FC_ENDLOOP,
    CTM_FC_REP,
    CTM_FC_ENDREP,
    CTM_FC_BREAKLOOP,
    CTM_FC_BREAKREP,
    CTM_FC_CONTINUE
};
enum ctm_a_op { CTM_A_NONE, CTM_A_POP, CTM_A_PUSH };
enum ctm_b_op { CTM_B_NONE, CTM_B_DECR, CTM_B_INCR };

/* ---- programs --------------------------------------------------------------------------------------------- */

/* A set of numbers below 256. */
struct ctm_set {
    uint64_t bits[4];
};
static inline bool ctm_has(const struct ctm_set *set, unsigned number)
{
    return bitset_has(set->bits, number);
}
static inline void ctm_add(struct ctm_set *set, unsigned number)
{
    bitset_add(set->bits, number);
}

/* Words of the program information (note 1), in their order: values of the loader's registers. */
enum ctm_info {
    CTM_INFO_ONE, /* reserved, 1 */
    CTM_INFO_FG_DEPTH_SRC,
    CTM_INFO_US_CONFIG,
    CTM_INFO_US_PIXSIZE,
    CTM_INFO_US_FC_CTRL,
    CTM_INFO_US_CODE_ADDR,
    CTM_INFO_US_CODE_RANGE,
    CTM_INFO_US_CODE_OFFSET,
    CTM_INFO_US_W_FMT,
    CTM_INFO_UMRT
};

/* A program, from text or from an executable. What refers to instructions counts from 0. */
struct ctm_program {
    const char *name;       /* "main": CTM has one program a file, and no names */
    struct ctm_inst *insts; /* of .text, in its order */
    uint32_t ninsts;
    uint32_t *lines; /* of the text, of each instruction; NULL: it came in bytes */
    uint32_t info[CTM_INFO_WORDS];
    struct ctm_set inputs, outputs, floats, ints; /* notes 2, 3, 5, 6 */
    bool condout;                                 /* note 4: a conditional output value is written */
    bool early_exit;                              /* note 7 */
};

/* Of the program information. */
bool ctm_zero_times(const struct ctm_program *program); /* 0 * anything = 0 in products */
bool ctm_full_flow(const struct ctm_program *program);  /* full flow control, not partial */
bool ctm_uncached(const struct ctm_program *program);   /* outputs are uncached writes */
bool ctm_own_cond(const struct ctm_program *program);   /* the conditional value is the program's */
uint32_t ctm_start(const struct ctm_program *program);  /* first instruction */
uint32_t ctm_end(const struct ctm_program *program);    /* the one after which a processor halts */

#endif

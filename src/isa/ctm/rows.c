/* Operations of R580, and where the two units of a word have their fields: docs/ctm.md, "Instruction words". */
#include "isa/ctm/rows.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define RESERVED(name)            \
    {                             \
        name, NULL, 0, "reserved" \
    }

const struct ctm_op_row ctm_rgb_ops[CTM_OPS] = {
    {"MAD", "OP_RGB_MAD", 3, "A * B + C"},
    {"DP3", "OP_RGB_DP3", 2, "Ar*Br + Ag*Bg + Ab*Bb, in all channels"},
    {"DP4", "OP_RGB_DP4", 2, "Ar*Br + Ag*Bg + Ab*Bb + Aa*Ba, in all channels; Aa and Ba are A and B of alpha"},
    {"D2A", "OP_RGB_D2A", 3, "Ar*Br + Ag*Bg + Cb, in all channels"},
    {"MIN", "OP_RGB_MIN", 2, "A < B ? A : B; B where one is NaN"},
    {"MAX", "OP_RGB_MAX", 2, "A >= B ? A : B; B where one is NaN, and of two zeros"},
    RESERVED("OP6"),
    {"CND", "OP_RGB_CND", 3, "C > 0.5 ? A : B"},
    {"CMP", "OP_RGB_CMP", 3, "C >= 0 ? A : B"},
    {"FRC", "OP_RGB_FRC", 1, "A - floor(A)"},
    {"SOP", "OP_RGB_SOP", 0, "the result of alpha, which is one of EX2 LN2 RCP RSQ SIN COS, in all channels"},
    {"MDH", "OP_RGB_MDH", 3, "A * B + C for a quad: A is src0 of its top left processor, C that of its top right one"},
    {"MDV", "OP_RGB_MDV", 3,
     "A * B + C for a quad: A is src0 of its top left processor, C that of its bottom left one"},
    RESERVED("OP13"),
    RESERVED("OP14"),
    RESERVED("OP15"),
};

const struct ctm_op_row ctm_alpha_ops[CTM_OPS] = {
    {"MAD", "OP_ALPHA_MAD", 3, "A * B + C"},
    {"DP", "OP_ALPHA_DP", 0, "the result of RGB, which is one of DP3 DP4 D2A; A and B are the fourth factors of DP4"},
    {"MIN", "OP_ALPHA_MIN", 2, "A < B ? A : B; B where one is NaN"},
    {"MAX", "OP_ALPHA_MAX", 2, "A >= B ? A : B; B where one is NaN, and of two zeros"},
    RESERVED("OP4"),
    {"CND", "OP_ALPHA_CND", 3, "C > 0.5 ? A : B"},
    {"CMP", "OP_ALPHA_CMP", 3, "C >= 0 ? A : B"},
    {"FRC", "OP_ALPHA_FRC", 1, "A - floor(A)"},
    {"EX2", "OP_ALPHA_EX2", 1, "2^A"},
    {"LN2", "OP_ALPHA_LN2", 1, "log2(A)"},
    {"RCP", "OP_ALPHA_RCP", 1, "1 / A"},
    {"RSQ", "OP_ALPHA_RSQ", 1, "1 / sqrt(A)"},
    {"SIN", "OP_ALPHA_SIN", 1, "sin(2 pi A)"},
    {"COS", "OP_ALPHA_COS", 1, "cos(2 pi A)"},
    {"MDH", "OP_ALPHA_MDH", 3,
     "A * B + C for a quad: A is src0 of its top left processor, C that of its top right one"},
    {"MDV", "OP_ALPHA_MDV", 3,
     "A * B + C for a quad: A is src0 of its top left processor, C that of its bottom left one"},
};

const struct ctm_op_row ctm_tex_ops[CTM_TEX_OPS] = {
    {"TEXNOP", "TEX_INST_NOP", 0, "reads and writes nothing; may acquire the semaphore"},
    {"TEXLD", "TEX_INST_LOOKUP", 1, "reads an input at (S, T) into a temporary"},
    {"KILL_LT_0", "TEX_INST_KILL_LT_0", 1, "ends processors of which a channel in the masks is below 0"},
    {"LOOKUP_PROJ", "TEX_INST_LOOKUP_PROJ", 1, "reads an input at (S / Q, T / Q)"},
    {"LODBIAS", "TEX_INST_LODBIAS", 1, "as TEX_INST_LOOKUP: there are no levels (choice)"},
    {"LOD", "TEX_INST_LOD", 1, "as TEX_INST_LOOKUP: there are no levels (choice)"},
    {"DXDY", "TEX_INST_DXDY", 3, "as TEX_INST_LOOKUP: there are no levels (choice)"},
    {"LOOKUP_UNCACHED", "TEX_INST_LOOKUP_UNCACHED", 1,
     "as TEX_INST_LOOKUP past the input cache: sees what uncached outputs wrote"},
};

const struct ctm_op_row ctm_fc_ops[CTM_FC_OPS] = {
    {"JUMP", "FC_OP_JUMP", 0, "a jump: if, else, endif, call, return"},
    {"LOOP", "FC_OP_LOOP", 0, "begins a loop: counter and aL from an integer constant; a count of 0 always jumps"},
    {"ENDLOOP", "FC_OP_ENDLOOP", 0, "the next iteration where it jumps, with aL stepped; else leaves the loop"},
    {"REP", "FC_OP_REP", 0, "as LOOP, aL stays"},
    {"ENDREP", "FC_OP_ENDREP", 0, "as ENDLOOP, aL stays"},
    {"BREAKLOOP", "FC_OP_BREAKLOOP", 0, "processors that want to jump leave the LOOP"},
    {"BREAKREP", "FC_OP_BREAKREP", 0, "processors that want to jump leave the REP"},
    {"CONTINUE", "FC_OP_CONTINUE", 0, "processors that want to jump wait for the end of the loop's body"},
};

/* Most differ in their first letter. */
static bool is_named(const char *row, const char *name, size_t length)
{
    return length && !((*row ^ *name) & ~0x20) && strlen(row) == length && strncasecmp(row, name, length) == 0;
}

unsigned ctm_op_find(const struct ctm_op_row *rows, unsigned count, const char *name, size_t length)
{
    for (unsigned i = 0; i < count; i++)
        if (is_named(rows[i].name, name, length) || (rows[i].guide && is_named(rows[i].guide, name, length)))
            return i;
    return count;
}

/* ---- units ------------------------------------------------------------------------------------------------ */

/* Where a unit has no field for a channel. */
#define NO CTM_FIELDS

const struct ctm_unit ctm_units[CTM_UNITS] = {
    {
        .ops = ctm_rgb_ops,
        .channels = 7,
        .op = CTM_RGB_OP,
        .addrd = CTM_RGB_ADDRD,
        .addrd_rel = CTM_RGB_ADDRD_REL,
        .sel = {CTM_RGB_SEL_A, CTM_RGB_SEL_B, CTM_RGB_SEL_C},
        .mod = {CTM_RGB_MOD_A, CTM_RGB_MOD_B, CTM_RGB_MOD_C},
        .swizzle = {{CTM_RED_SWIZ_A, CTM_GREEN_SWIZ_A, CTM_BLUE_SWIZ_A, NO},
                    {CTM_RED_SWIZ_B, CTM_GREEN_SWIZ_B, CTM_BLUE_SWIZ_B, NO},
                    {CTM_RED_SWIZ_C, CTM_GREEN_SWIZ_C, CTM_BLUE_SWIZ_C, NO}},
        .omod = CTM_RGB_OMOD,
        .target = CTM_RGB_TARGET,
        .clamp = CTM_RGB_CLAMP,
        .pred_sel = CTM_RGB_PRED_SEL,
        .pred_inv = CTM_RGB_PRED_INV,
        .wmask = CTM_RGB_WMASK,
        .omask = CTM_RGB_OMASK,
        .srcp = CTM_RGB_SRCP_OP,
    },
    {
        .ops = ctm_alpha_ops,
        .channels = 8,
        .op = CTM_ALPHA_OP,
        .addrd = CTM_ALPHA_ADDRD,
        .addrd_rel = CTM_ALPHA_ADDRD_REL,
        .sel = {CTM_ALPHA_SEL_A, CTM_ALPHA_SEL_B, CTM_ALPHA_SEL_C},
        .mod = {CTM_ALPHA_MOD_A, CTM_ALPHA_MOD_B, CTM_ALPHA_MOD_C},
        .swizzle = {{NO, NO, NO, CTM_ALPHA_SWIZ_A}, {NO, NO, NO, CTM_ALPHA_SWIZ_B}, {NO, NO, NO, CTM_ALPHA_SWIZ_C}},
        .omod = CTM_ALPHA_OMOD,
        .target = CTM_ALPHA_TARGET,
        .clamp = CTM_ALPHA_CLAMP,
        .pred_sel = CTM_ALPHA_PRED_SEL,
        .pred_inv = CTM_ALPHA_PRED_INV,
        .wmask = CTM_ALPHA_WMASK,
        .omask = CTM_ALPHA_OMASK,
        .srcp = CTM_ALPHA_SRCP_OP,
    },
};

enum { ADDRESS_BITS = 10, ADDRESS_ONES = (1 << ADDRESS_BITS) - 1 };

unsigned ctm_address(const struct ctm_inst *inst, unsigned unit, unsigned slot)
{
    return inst->word[1 + unit] >> ADDRESS_BITS * slot & ADDRESS_ONES;
}

void ctm_set_address(struct ctm_inst *inst, unsigned unit, unsigned slot, unsigned address)
{
    uint32_t *word = &inst->word[1 + unit];
    *word = (*word & ~((uint32_t)ADDRESS_ONES << ADDRESS_BITS * slot)) | (uint32_t)address << ADDRESS_BITS * slot;
}

/* Bits 6-3 the exponent with a bias of 7, bits 2-0 the fraction; an exponent of 0 has no leading one; no infinity, no
 * NaN (R5xx register US_ALU_RGB_ADDR). */
float ctm_inline_value(unsigned bits)
{
    int exponent = (int)(bits >> 3 & 15), fraction = (int)(bits & 7);
    return exponent ? ldexpf((float)(8 + fraction), exponent - 10) : ldexpf((float)fraction, -9);
}

int ctm_inline_bits(double value)
{
    for (unsigned bits = 0; bits < 128; bits++)
        if ((double)ctm_inline_value(bits) == value)
            return (int)bits;
    return -1;
}

/* ---- names ------------------------------------------------------------------------------------------------ */

const char *const ctm_type_names[4] = {"ALU", "OUTPUT", "FC", "TEX"};
const char *const ctm_pred_names[8] = {"", "p", "p.r", "p.g", "p.b", "p.a", "p.6", "p.7"};
const char *const ctm_omod_names[8] = {"mul1", "mul2", "mul4", "mul8", "div2", "div4", "div8", "exact"};
const char *const ctm_compare_names[4] = {"==0", "<0", ">=0", "!=0"};
const char *const ctm_umrt_names[4] = {"umrt_same", "umrt_same_acquire", "umrt_own", "umrt_own_acquire"};

const struct ctm_flag_row ctm_flags[] = {
    {"wait", CTM_TEX_SEM_WAIT, 15},
    {"alu_wait", CTM_ALU_WAIT, 15},
    {"nop", CTM_NOP, 15},
    {"last", CTM_LAST, 15},
    {"write_inactive", CTM_WRITE_INACTIVE, 15},
    {"acquire", CTM_TEX_SEM_ACQUIRE, 1 << CTM_TYPE_TEX},
    {"unscaled", CTM_TEX_UNSCALED, 1 << CTM_TYPE_TEX},
    {"ignore_uncovered", CTM_TEX_IGNORE_UNCOVERED, 1 << CTM_TYPE_TEX},
    {"ignore_uncovered", CTM_FC_IGNORE_UNCOVERED, 1 << CTM_TYPE_FC},
    /* Without effect, but drivers set them on lookups. */
    {"rgb_clamp", CTM_RGB_CLAMP, 1 << CTM_TYPE_TEX | 1 << CTM_TYPE_FC},
    {"alpha_clamp", CTM_ALPHA_CLAMP, 1 << CTM_TYPE_TEX | 1 << CTM_TYPE_FC},
    {0},
};

const struct ctm_setting_row ctm_settings[] = {
    {"func", CTM_JUMP_FUNC, 255, {NULL}},
    {"any", CTM_JUMP_ANY, 0, {NULL}},
    {"else", CTM_B_ELSE, 0, {NULL}},
    {"a", CTM_A_OP, 3, {"none", "pop", "push", "3"}},
    {"b0", CTM_B_OP0, 3, {"none", "decr", "incr", "3"}},
    {"b1", CTM_B_OP1, 3, {"none", "decr", "incr", "3"}},
    {"pop", CTM_B_POP_CNT, 31, {NULL}},
    {"int", CTM_INT_ADDR, 31, {NULL}},
    {"bool", CTM_BOOL_ADDR, 31, {NULL}},
    {"addr", CTM_JUMP_ADDR, 511, {NULL}},
    {"global", CTM_JUMP_GLOBAL, 0, {NULL}},
    {0},
};

bool ctm_field_of(enum ctm_field field, enum ctm_type type)
{
    if (field <= CTM_STAT_WE)
        return true;
    if (field <= CTM_ALPHA_MOD_C)
        return type == CTM_TYPE_ALU || type == CTM_TYPE_OUTPUT;
    return field <= CTM_DY_Q_SWIZ ? type == CTM_TYPE_TEX : type == CTM_TYPE_FC;
}

/* Fields of R580's words in words: what each is, what its values are called, and which choices stand behind. Sources:
 * docs/ctm.md, "Instruction words". */
#include "isa/ctm/explain.h"

#include <string.h>

static const char *const type_values[] = {"INST_TYPE_ALU", "INST_TYPE_OUTPUT", "INST_TYPE_FC", "INST_TYPE_TEX", NULL};
static const char *const pred_values[] = {"NONE", "RGBA",       "RRRR",       "GGGG", "BBBB",
                                          "AAAA", "unassigned", "unassigned", NULL};
static const char *const compare_values[] = {"ALU_RESULT_OP_EQUAL", "ALU_RESULT_OP_LESS", "ALU_RESULT_OP_GREATER_EQUAL",
                                             "ALU_RESULT_OP_NOT_EQUAL", NULL};
static const char *const result_values[] = {"ALU_RESULT_SEL_RED", "ALU_RESULT_SEL_ALPHA", NULL};
static const char *const srcp_values[] = {"SRCP_OP_BIAS (1 - 2*src0)", "SRCP_OP_SUB (src1 - src0)",
                                          "SRCP_OP_ADD (src1 + src0)", "SRCP_OP_INV (1 - src0)", NULL};
static const char *const sel_values[] = {"src0", "src1", "src2", "srcp", NULL};
static const char *const swizzle_values[] = {"R", "G", "B", "A", "0", "0.5", "1", "unused", NULL};
static const char *const mod_values[] = {"IMOD_OFF", "IMOD_NEG", "IMOD_ABS", "IMOD_NAB", NULL};
static const char *const omod_values[] = {"OMOD_U1", "OMOD_U2", "OMOD_U4",       "OMOD_U8", "OMOD_D2",
                                          "OMOD_D4", "OMOD_D8", "OMOD_DISABLED", NULL};
static const char *const a_values[] = {"FC_A_OP_NONE", "FC_A_OP_POP", "FC_A_OP_PUSH", "unassigned", NULL};
static const char *const b_values[] = {"FC_B_OP_NONE", "FC_B_OP_DECR", "FC_B_OP_INCR", "unassigned", NULL};
static const char *const target_values[] = {
    "RNDR_TGT_A or UMRT_SAME_IDX; predicates == 0", "RNDR_TGT_B or UMRT_SAME_IDX_TEX_SEM_ACQUIRE; < 0",
    "RNDR_TGT_C or UMRT_PER_PROCESSOR_IDX; >= 0", "RNDR_TGT_D or UMRT_PER_PROCESSOR_IDX_TEX_SEM_ACQUIRE; != 0", NULL};

static const struct {
    enum ctm_field field;
    const char *means;
    const char *const *values;
} fields[] = {
    {CTM_TYPE, "what the word is", type_values},
    {CTM_TEX_SEM_WAIT, "waits until the texture semaphore is free", NULL},
    {CTM_RGB_PRED_SEL, "the predicate of r, g and b; of flow instructions as a whole", pred_values},
    {CTM_RGB_PRED_INV, "inverts it", NULL},
    {CTM_WRITE_INACTIVE, "processors that flow control holds write, too", NULL},
    {CTM_LAST, "the program ends here where all active processors agree", NULL},
    {CTM_NOP, "a bubble after the instruction", NULL},
    {CTM_ALU_WAIT, "waits for results of the ALU", NULL},
    {CTM_RGB_WMASK, "channels r, g, b of the temporary that are written; of a kill: that are looked at", NULL},
    {CTM_ALPHA_WMASK, "the same for a", NULL},
    {CTM_RGB_OMASK, "OUTPUT: channels r, g, b of the output; ALU: predicates that are set", NULL},
    {CTM_ALPHA_OMASK, "the same for a", NULL},
    {CTM_RGB_CLAMP, "clamps the result to 0 to 1", NULL},
    {CTM_ALPHA_CLAMP, "the same for alpha", NULL},
    {CTM_ALU_RESULT_SEL, "the channel of the ALU result", result_values},
    {CTM_ALPHA_PRED_INV, "inverts alpha's predicate", NULL},
    {CTM_ALU_RESULT_OP, "how the ALU result compares with 0", compare_values},
    {CTM_ALPHA_PRED_SEL, "the predicate of a", pred_values},
    {CTM_STAT_WE, "statistics; without effect", NULL},
    {CTM_RGB_SRCP_OP, "presubtract of the sources of RGB", srcp_values},
    {CTM_ALPHA_SRCP_OP, "presubtract of the sources of alpha", srcp_values},
    {CTM_RGB_OMOD, "scales the result; DISABLED keeps its bits", omod_values},
    {CTM_ALPHA_OMOD, "scales the result; DISABLED keeps its bits", omod_values},
    {CTM_RGB_TARGET, "OUTPUT: which output; ALU: how predicates compare with 0", target_values},
    {CTM_ALPHA_TARGET, "the same for alpha; without effect on uncached outputs", target_values},
    {CTM_ALU_WMASK, "writes the ALU result", NULL},
    {CTM_W_OMASK, "OUTPUT: writes alpha's result to the conditional output value", NULL},
    {CTM_RGB_OP, "what RGB computes", NULL},
    {CTM_ALPHA_OP, "what alpha computes", NULL},
    {CTM_RGB_ADDRD, "the temporary that RGB writes", NULL},
    {CTM_ALPHA_ADDRD, "the temporary that alpha writes", NULL},
    {CTM_TEX_ID, "the input", NULL},
    {CTM_TEX_INST, "what kind of lookup", NULL},
    {CTM_TEX_SEM_ACQUIRE, "holds the semaphore until this and all earlier lookups are done", NULL},
    {CTM_TEX_IGNORE_UNCOVERED, "no lookup for processors outside of the domain", NULL},
    {CTM_TEX_UNSCALED, "coordinates are elements; else 0 to 1", NULL},
    {CTM_SRC_ADDR, "the temporary with the coordinates", NULL},
    {CTM_DST_ADDR, "the temporary that is written", NULL},
    {CTM_DX_ADDR, "the temporary with the derivatives to the right", NULL},
    {CTM_DY_ADDR, "the temporary with the derivatives downwards", NULL},
    {CTM_FC_OP, "what kind of flow instruction", NULL},
    {CTM_B_ELSE, "first changes the active processors with those that wait with counter 0", NULL},
    {CTM_JUMP_ANY, "0: jumps if all active processors want to; 1: if any does", NULL},
    {CTM_A_OP, "address stack, when it jumps", a_values},
    {CTM_JUMP_FUNC, "who wants to jump: bit 4 * ALU result + 2 * predicate + boolean", NULL},
    {CTM_B_POP_CNT, "what DECR subtracts from branch counters", NULL},
    {CTM_B_OP0, "branch counters when it stays", b_values},
    {CTM_B_OP1, "branch counters when it jumps", b_values},
    {CTM_FC_IGNORE_UNCOVERED, "processors outside of the domain take no part", NULL},
    {CTM_BOOL_ADDR, "the boolean constant", NULL},
    {CTM_INT_ADDR, "the integer constant of a loop", NULL},
    {CTM_JUMP_ADDR, "where it jumps to", NULL},
    {CTM_JUMP_GLOBAL, "the address counts from instruction 0, not from the program's first", NULL},
};

/* The others are alike in each word: by how their names end. */
static const struct {
    const char *end, *means;
    const char *const *values;
} endings[] = {
    {"_CONST", "the source is a constant", NULL},
    {"_REL", "aL is added to the address", NULL},
    {"ADDR0", "source 0: a temporary, a constant, or with bit 7 an inline constant", NULL},
    {"ADDR1", "source 1", NULL},
    {"ADDR2", "source 2", NULL},
    {"_SEL_A", "the source of operand A", sel_values},
    {"_SEL_B", "the source of operand B", sel_values},
    {"_SEL_C", "the source of operand C", sel_values},
    {"_MOD_A", "the sign of operand A", mod_values},
    {"_MOD_B", "the sign of operand B", mod_values},
    {"_MOD_C", "the sign of operand C", mod_values},
    {"_SWIZ_A", "the channel of operand A", swizzle_values},
    {"_SWIZ_B", "the channel of operand B", swizzle_values},
    {"_SWIZ_C", "the channel of operand C", swizzle_values},
    {"_SWIZ", "a channel: R, G, B, A", swizzle_values},
};

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

const char *ctm_field_means(enum ctm_field field)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].field == field)
            return fields[i].means;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(ctm_fields[field].name, endings[i].end))
            return endings[i].means;
    return "";
}

const char *const *ctm_field_values(enum ctm_field field)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].field == field)
            return fields[i].values;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(ctm_fields[field].name, endings[i].end))
            return endings[i].values;
    return NULL;
}

uint32_t ctm_reserved_bits(enum ctm_type type, unsigned word)
{
    static const uint32_t none[] = {0, 0, 0, 0, 0, 0};
    static const uint32_t flow[] = {0, UINT32_MAX, 0xe0e00008, 0x7e00e0e0, UINT32_MAX, UINT32_MAX};
    static const uint32_t lookup[] = {0, 0xf030ffff, 0, 0, UINT32_MAX, UINT32_MAX};
    const uint32_t *bits = type == CTM_TYPE_FC ? flow : type == CTM_TYPE_TEX ? lookup : none;
    return bits[word];
}

/* Where the sources of a row leave something open (docs/ctm.md, "Choices"). */
static const struct {
    const char *names, *choice;
} choices[] = {
    {"OP_RGB_CND OP_RGB_CMP OP_ALPHA_CND OP_ALPHA_CMP", "where A, B or C is NaN the result is B (low)"},
    {"OP_RGB_MAD OP_ALPHA_MAD OP_RGB_DP3 OP_RGB_DP4 OP_RGB_D2A OP_ALPHA_DP",
     "each product and each sum is rounded to nearest even; the guide says within a bit (medium)"},
    {"OP_ALPHA_EX2 OP_ALPHA_LN2 OP_ALPHA_RCP OP_ALPHA_RSQ OP_ALPHA_SIN OP_ALPHA_COS",
     "results are rounded correctly (medium)"},
    {"RGB_TARGET ALPHA_TARGET", "codes of uncached outputs are in the order of the guide's list (medium)"},
    {"TEX_INST_LOOKUP_UNCACHED", "code 7, the only one that is free (medium to high)"},
    {"TEX_INST_LODBIAS TEX_INST_LOD TEX_INST_DXDY", "not in the guide; inputs have no levels (medium)"},
    {"TEX_INST_KILL_LT_0", "NaN, -0, subnormals and inactive processors stay (medium)"},
    {"FC_OP_LOOP FC_OP_REP LOOP REP", "JUMP_ANY is 0 as in the guide's rows; R5xx's text says 1 (high)"},
    {"FC_OP_BREAKLOOP FC_OP_BREAKREP FC_OP_CONTINUE BREAK CONTINUE",
     "jumps once nobody needs the code jumped over: the program means what it means for each alone (medium)"},
    {"CALL RETURN", "words from the guide's text on subroutines; it has no rows for them (medium)"},
    {"ELSE", "words from Mesa, the address from the guide (high)"},
    {"JUMP_GLOBAL", "makes no difference: programs begin at 0 (medium)"},
    {"LAST", "ends the program if no processor alive is inactive (medium)"},
    {"RGB_PRED_SEL", "of a flow instruction NONE is true (medium); 6 and 7 stop the program (low)"},
    {"RGB_CLAMP ALPHA_CLAMP", "NaN becomes 0, -0 becomes +0 (low)"},
    {"W_OMASK", "of an ALU instruction without effect (low)"},
};

const char *ctm_choice(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (const char *at = strstr(choices[i].names, name); at; at = strstr(at + 1, name))
            if ((at == choices[i].names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
                return choices[i].choice;
    return NULL;
}

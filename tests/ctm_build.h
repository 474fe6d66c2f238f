/* Programs of R580 made of words, for tests. */
#ifndef ATOLL_TESTS_CTM_BUILD_H
#define ATOLL_TESTS_CTM_BUILD_H

#include "isa/ctm/text.h"

enum { BUILD_MOST = 64 };

struct build {
    struct ctm_inst insts[BUILD_MOST];
    uint32_t lines[BUILD_MOST];
    struct ctm_program program;
};

static inline struct ctm_inst *build_add(struct build *b, enum ctm_type type)
{
    struct ctm_inst *inst = &b->insts[b->program.ninsts++];
    *inst = (struct ctm_inst){0};
    ctm_set(inst, CTM_TYPE, type);
    if (type == CTM_TYPE_ALU || type == CTM_TYPE_OUTPUT)
        inst->word[1] = inst->word[2] = 0x80 | 0x80 << 10 | 0x80 << 20; /* no sources */
    return inst;
}

/* rD = input(rS.rg), masks RGBA. */
static inline struct ctm_inst *build_lookup(struct build *b, unsigned dst, unsigned src, unsigned input)
{
    struct ctm_inst *inst = build_add(b, CTM_TYPE_TEX);
    ctm_set(inst, CTM_TEX_INST, CTM_TEX_LOOKUP);
    ctm_set(inst, CTM_TEX_ID, input);
    ctm_set(inst, CTM_SRC_ADDR, src);
    ctm_set(inst, CTM_SRC_T_SWIZ, 1);
    ctm_set(inst, CTM_DST_ADDR, dst);
    ctm_set(inst, CTM_RGB_WMASK, 7);
    ctm_set(inst, CTM_ALPHA_WMASK, 1);
    return inst;
}

/* MAD: rD.rgba = rS * 1 + 0, of an ALU word; an OUTPUT takes no rD. */
static inline struct ctm_inst *build_move(struct build *b, enum ctm_type type, unsigned dst, unsigned src)
{
    struct ctm_inst *inst = build_add(b, type);
    ctm_set(inst, CTM_RGB_ADDR0, src);
    ctm_set(inst, CTM_ALPHA_ADDR0, src);
    ctm_set(inst, CTM_GREEN_SWIZ_A, CTM_SWIZ_G);
    ctm_set(inst, CTM_BLUE_SWIZ_A, CTM_SWIZ_B);
    ctm_set(inst, CTM_ALPHA_SWIZ_A, CTM_SWIZ_A);
    static const enum ctm_field ones[] = {CTM_RED_SWIZ_B, CTM_GREEN_SWIZ_B, CTM_BLUE_SWIZ_B, CTM_ALPHA_SWIZ_B};
    static const enum ctm_field zeros[] = {CTM_RED_SWIZ_C, CTM_GREEN_SWIZ_C, CTM_BLUE_SWIZ_C, CTM_ALPHA_SWIZ_C};
    for (unsigned i = 0; i < 4; i++) {
        ctm_set(inst, ones[i], CTM_SWIZ_ONE);
        ctm_set(inst, zeros[i], CTM_SWIZ_ZERO);
    }
    ctm_set(inst, type == CTM_TYPE_OUTPUT ? CTM_RGB_OMASK : CTM_RGB_WMASK, 7);
    ctm_set(inst, type == CTM_TYPE_OUTPUT ? CTM_ALPHA_OMASK : CTM_ALPHA_WMASK, 1);
    if (type == CTM_TYPE_ALU) {
        ctm_set(inst, CTM_RGB_ADDRD, dst);
        ctm_set(inst, CTM_ALPHA_ADDRD, dst);
    } else {
        ctm_set(inst, CTM_TEX_SEM_WAIT, 1);
    }
    return inst;
}

/* A row of the statement table (docs/ctm.md, "Flow control"). */
struct build_fc {
    uint8_t func, any, op, a, b0, b1, pop, otherwise;
    uint16_t to;
};

static inline struct ctm_inst *build_flow(struct build *b, struct build_fc row)
{
    struct ctm_inst *inst = build_add(b, CTM_TYPE_FC);
    ctm_set(inst, CTM_JUMP_FUNC, row.func);
    ctm_set(inst, CTM_JUMP_ANY, row.any);
    ctm_set(inst, CTM_FC_OP, row.op);
    ctm_set(inst, CTM_A_OP, row.a);
    ctm_set(inst, CTM_B_OP0, row.b0);
    ctm_set(inst, CTM_B_OP1, row.b1);
    ctm_set(inst, CTM_B_POP_CNT, row.pop);
    ctm_set(inst, CTM_B_ELSE, row.otherwise);
    ctm_set(inst, CTM_JUMP_ADDR, row.to);
    return inst;
}

#define BUILD_IF(func, to)      ((struct build_fc){func, 0, CTM_FC_JUMP, 0, CTM_B_INCR, 0, 0, 0, to})
#define BUILD_IF_ELSE(func, to) ((struct build_fc){func, 0, CTM_FC_JUMP, 0, CTM_B_INCR, CTM_B_INCR, 0, 0, to})
#define BUILD_ELSE(to)          ((struct build_fc){0, 0, CTM_FC_JUMP, 0, 0, CTM_B_DECR, 1, 1, to})
#define BUILD_ENDIF             ((struct build_fc){0, 1, CTM_FC_JUMP, 0, CTM_B_DECR, 0, 1, 0, 0})
#define BUILD_LOOP(to)          ((struct build_fc){0, 0, CTM_FC_LOOP, 0, 0, 0, 0, 0, to})
#define BUILD_ENDLOOP(to)       ((struct build_fc){0xff, 1, CTM_FC_ENDLOOP, 0, 0, 0, 0, 0, to})
#define BUILD_BREAK(depth, to)  ((struct build_fc){0xff, 0, CTM_FC_BREAKLOOP, 0, 0, CTM_B_DECR, depth, 0, to})
#define BUILD_CALL(to)          ((struct build_fc){0xff, 1, CTM_FC_JUMP, CTM_A_PUSH, 0, 0, 0, 0, to})
#define BUILD_RETURN            ((struct build_fc){0xff, 0, CTM_FC_JUMP, CTM_A_POP, 0, 0, 0, 0, 0})

/* Information and notes as they follow; the program ends at instruction `end`. */
static inline struct ctm_program *build_end(struct build *b, uint32_t end)
{
    b->program.name = "main";
    b->program.insts = b->insts;
    ctm_derive(&b->program);
    b->program.info[CTM_INFO_US_CODE_ADDR] = end << 16;
    return &b->program;
}

#endif

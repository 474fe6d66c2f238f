/* The parts of the verifier of vISA: the walk (check.c), declarations (check_decl.c), operands (check_operand.c), what
 * rows ask for (check_rows.c), computing (check_alu.c), messages (check_memory.c, check_lsc.c), doubts and the rules of
 * the documentation (check_strict.c). */
#ifndef ATOLL_ISA_VISA_CHECK_INNER_H
#define ATOLL_ISA_VISA_CHECK_INNER_H

#include "isa/visa/check.h"
#include "isa/visa/rows.h"

#include <string.h>

struct visa_checker;

/* What instructions of a kind have in common for the rules of their operands. */
enum visa_group {
    VISA_GROUP_OTHER,
    VISA_GROUP_MOVE,
    VISA_GROUP_ARITH,
    VISA_GROUP_LOGIC,
    VISA_GROUP_COMPARE,
    VISA_GROUP_ADDRESS,
    VISA_GROUP_MESSAGE, /* of the data port: its vector operands have no rules of regions */
    VISA_GROUP_SVM,
    VISA_GROUP_MATRIX /* operands have rules of their own */
};

enum visa_rule_flags {
    VISA_RULE_DOUBLE = 1,        /* df */
    VISA_RULE_NO_SATURATION = 2, /* .sat */
    VISA_RULE_FLOAT_SATURATION = 4,
    VISA_RULE_NO_MODIFIER = 8, /* of sources */
    VISA_RULE_IEEE32 = 16,     /* is of IEEE in single and double precision */
    VISA_RULE_IEEE64 = 32,     /* in double precision */
    VISA_RULE_INT_DIVISION = 64,
    VISA_RULE_SAD = 128,
    VISA_RULE_BF = 256,        /* bf and f may be mixed */
    VISA_RULE_NO_TARGET = 512, /* no rule of destinations holds for its destination */
    VISA_RULE_ROTATE = 1024,
    VISA_RULE_SHIFT = 2048,    /* has arithmetic modifiers though it is logic */
    VISA_RULE_NO_WIDTH = 4096, /* its channels and mask are not looked at */
};

/* What a row asks for. The types of sources hold beside the rule that floats do not mix. */
struct visa_rule {
    uint8_t group;  /* enum visa_group */
    uint8_t first;  /* enum visa_platform */
    uint8_t target; /* the destination among the operands */
    uint8_t targets, sources;
    uint16_t flags;
    uint16_t to, from, from2; /* sets of types: of the destination, of sources; from2: of the third source, 0 = from */
    void (*check)(struct visa_checker *c);
};
const struct visa_rule *visa_rule(const struct visa_row *row);

static inline bool visa_type_in(uint32_t set, unsigned type)
{
    return set >> type & 1;
}
enum {
    VISA_SET_INTS = 1 << VISA_UD | 1 << VISA_D | 1 << VISA_UW | 1 << VISA_W | 1 << VISA_UB | 1 << VISA_B |
                    1 << VISA_UQ | 1 << VISA_Q,
    VISA_SET_INT64 = 1 << VISA_UQ | 1 << VISA_Q,
    VISA_SET_FLOATS = 1 << VISA_F | 1 << VISA_DF | 1 << VISA_HF,
    VISA_SET_PACKED = 1 << VISA_V | 1 << VISA_UV,
    VISA_SET_ANY = 0xFFFF,
};

struct visa_checker {
    const struct visa_object *object;
    enum visa_platform platform;
    const struct visa_platform_row *row;
    const struct visa_table *table;
    struct diag *diag;
    const struct visa_inst *inst;
    const struct visa_form *form;
    const struct visa_rule *rule;
    uint32_t number; /* of the instruction */
    uint8_t *labels; /* per label: enum visa_label_seen */
    bool strict;
};
enum visa_label_seen { VISA_LABEL_USED = 1, VISA_LABEL_DEFINED = 2 };

/* Reports about an operand of the instruction; NULL: about the instruction. */
void visa_refuse(struct visa_checker *c, const struct visa_operand *op, const char *code, const char *format, ...)
    PRINTF_LIKE(4, 5);
void visa_doubt(struct visa_checker *c, const struct visa_operand *op, const char *code, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Reports about a declaration; NULL: about the object. */
void visa_refuse_var(struct visa_checker *c, const struct visa_var *var, const char *code, const char *format, ...)
    PRINTF_LIKE(4, 5);

static inline bool visa_lacks(const struct visa_checker *c, enum visa_lack lack)
{
    return c->row->lacks & lack;
}
static inline const char *visa_op_name(const struct visa_checker *c)
{
    return c->inst->row->name;
}
static inline unsigned visa_channels(const struct visa_checker *c)
{
    return visa_exec_channels(c->inst->exec);
}

/* The operand of a role; NULL: the row has none. */
const struct visa_operand *visa_role(const struct visa_checker *c, const char *role);
/* The number that a role has; 0 where it is absent. */
uint64_t visa_role_value(const struct visa_checker *c, const char *role);

const char *visa_type_name(unsigned type);
/* A value from registers or the instruction: general, indirect, immediate. */
static inline bool visa_is_value(const struct visa_operand *op)
{
    return op->class == VISA_GENERAL || op->class == VISA_INDIRECT || op->class == VISA_IMMEDIATE;
}

void visa_check_operands(struct visa_checker *c);
void visa_check_raw_type(struct visa_checker *c, const struct visa_operand *op, uint32_t types);
void visa_check_declarations(struct visa_checker *c);
void visa_check_bf(struct visa_checker *c);
bool visa_check_uses(const struct visa_checker *c, unsigned type);
void visa_check_doubts(struct visa_checker *c);
void visa_check_page(struct visa_checker *c);

/* Of rows (check_rows.c). */
void visa_check_mov(struct visa_checker *c);
void visa_check_movs(struct visa_checker *c);
void visa_check_setp(struct visa_checker *c);
void visa_check_sel(struct visa_checker *c);
void visa_check_fcvt(struct visa_checker *c);
void visa_check_srnd(struct visa_checker *c);
void visa_check_arith(struct visa_checker *c);
void visa_check_logic(struct visa_checker *c);
void visa_check_cmp(struct visa_checker *c);
void visa_check_addr_add(struct visa_checker *c);
void visa_check_flow(struct visa_checker *c);
void visa_check_label(struct visa_checker *c);
void visa_check_switch(struct visa_checker *c);
void visa_check_media(struct visa_checker *c);
void visa_check_oword(struct visa_checker *c);
void visa_check_gather(struct visa_checker *c);
void visa_check_typed(struct visa_checker *c);
void visa_check_dword_atomic(struct visa_checker *c);
void visa_check_sampler(struct visa_checker *c);
void visa_check_old_sampler(struct visa_checker *c);
void visa_check_send(struct visa_checker *c);
void visa_check_sends(struct visa_checker *c);
void visa_check_urb(struct visa_checker *c);
void visa_check_dpas(struct visa_checker *c);
void visa_check_lsc(struct visa_checker *c);

#endif

/* Lowering of Maxwell SASS to the lane program.
 *
 * A kernel and everything it may call become one lane function with one register file: caller and callee share their
 * registers (CAL and RET are moves of the flow, not calls). R0..R254 are lane registers of 32 bits, P0..P6 and the four
 * condition codes Z S C O are predicates; all are made when first named. An instruction is a few lane operations: those
 * that compute into unnamed registers run unguarded, the ones that write a named register or have another effect carry
 * the guard.
 *
 * The rows (rows_*.c) name the function that lowers them, SASS_LOWER(name); operands are read by their place in the
 * text or by role, names and flags by role. */
#ifndef ATOLL_ISA_SASS_LOWER_H
#define ATOLL_ISA_SASS_LOWER_H

#include "isa/sass/code.h"
#include "lane/lane.h"

enum { SASS_OPERANDS = 8 };

struct sass_linked; /* link.h */
struct sass_flow;   /* lower_flow.c */

struct sass_lowerer {
    struct lane_builder b;
    const struct isa_table *table;
    struct sass_linked *linked;
    const struct sass_function *function; /* the kernel */
    struct arena *arena;                  /* until the module is lowered */
    struct atoll_error *error;

    /* The instruction. */
    const struct isa_form *form;
    struct isa_word word;
    uint64_t address; /* in the code of the whole module (link.h) */
    struct isa_operand op[SASS_OPERANDS];
    unsigned nops;
    struct lane_operand guard; /* LANE_NONE: always */
    bool guard_not;
    uint8_t wanted; /* condition codes that something may read after this instruction */

    /* What stands for the machine's state. */
    uint8_t *numbers; /* by register of the lane program: the machine's number, from 1; 0 = none */
    uint32_t nnumbers;
    struct lane_operand regs[SASS_RZ], preds[SASS_PT], flags[SASS_FLAGS];
    struct lane_operand pairs[SASS_RZ]; /* 64-bit registers that hold Rn, Rn + 1 at this point of the block */
    struct {
        bool known;
        unsigned n;    /* register */
        uint32_t inst; /* of the lane program */
        struct lane_operand a, b;
    } carry;                                         /* the last sum that gave one (lower_wide.c) */
    struct lane_operand barrier_count, barrier_vote; /* of BAR.RED, read by B2R.RESULT */
    struct lane_operand more_carries;                /* of IADD3 beyond the one in CC, read by IADD3.X */
    struct sass_flow *flow;
};

/* NOP, and what has no effect here. */
sass_lower_fn sass_lower_nothing;
/* The head of a function that rows name by DOES. */
#define SASS_LOWER(name)             \
    sass_lower_fn sass_lower_##name; \
    void sass_lower_##name(struct sass_lowerer *l)

/* ---- the instruction -------------------------------------------------------------------------------- */

/* Whether flag ".X" is in the word. */
static inline bool sass_has(const struct sass_lowerer *l, enum sass_role flag)
{
    return isa_has(l->table, l->form, &l->word, flag);
}
/* Value and text of the names labelled `label`. */
static inline unsigned sass_value(const struct sass_lowerer *l, enum sass_role label, unsigned otherwise)
{
    return isa_value(l->table, l->form, &l->word, label, otherwise);
}
const char *sass_spelling(const struct sass_lowerer *l, enum sass_role label);
/* The same to be read alone: where nothing is written, as it may be. */
const char *sass_called(const struct sass_lowerer *l, enum sass_role label);
/* Number of the register or predicate in a role of the form. */
static inline unsigned sass_role(const struct sass_lowerer *l, enum sass_role role, unsigned otherwise)
{
    const struct isa_element *e = isa_role(l->table, l->form, role);
    return e ? isa_number(e, &l->word) : otherwise;
}
/* The register number of operand i. */
static inline unsigned sass_number(const struct sass_lowerer *l, unsigned i)
{
    return l->op[i].reg;
}
/* A known gap: the launch stops with this message and the place when a lane comes here. */
void sass_cannot(struct sass_lowerer *l, const char *format, ...) PRINTF_LIKE(2, 3);
/* Of a load or store: .CV and .WT go past the caches, other threads see them whole and at once. Others are weak. */
void sass_find_order(const struct sass_lowerer *l, struct lane_access *access);

/* ---- operations ------------------------------------------------------------------------------------- */

/* Emits one operation with one destination (kind LANE_NONE: none) and up to four sources; a source of kind LANE_NONE
 * ends the list. It is guarded when it writes a named register or has an effect beside its result. */
struct lane_inst *sass_emit(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand dst,
                            struct lane_operand a, struct lane_operand b, struct lane_operand c, struct lane_operand d);
/* The same with lists. */
struct lane_inst *sass_emit_list(struct sass_lowerer *l, enum lane_op op, enum lane_type type, unsigned ndst,
                                 const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src);
#define SASS_NOTHING ((struct lane_operand){LANE_NONE, 0})
static inline struct lane_inst *sass_emit1(struct sass_lowerer *l, enum lane_op op, enum lane_type type,
                                           struct lane_operand dst, struct lane_operand a)
{
    return sass_emit(l, op, type, dst, a, SASS_NOTHING, SASS_NOTHING, SASS_NOTHING);
}
static inline struct lane_inst *sass_emit2(struct sass_lowerer *l, enum lane_op op, enum lane_type type,
                                           struct lane_operand dst, struct lane_operand a, struct lane_operand b)
{
    return sass_emit(l, op, type, dst, a, b, SASS_NOTHING, SASS_NOTHING);
}
static inline struct lane_inst *sass_emit3(struct sass_lowerer *l, enum lane_op op, enum lane_type type,
                                           struct lane_operand dst, struct lane_operand a, struct lane_operand b,
                                           struct lane_operand c)
{
    return sass_emit(l, op, type, dst, a, b, c, SASS_NOTHING);
}
/* An unnamed register. */
struct lane_operand sass_temp(struct sass_lowerer *l, unsigned width);
struct lane_operand sass_imm(struct sass_lowerer *l, uint32_t value);
struct lane_operand sass_bool(struct sass_lowerer *l, bool value);
/* Emits into a new unnamed register of the type's width and returns it. */
struct lane_operand sass_op1(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand a);
struct lane_operand sass_op2(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                             struct lane_operand b);
struct lane_operand sass_op3(struct sass_lowerer *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                             struct lane_operand b, struct lane_operand c);
/* a cmp b as a new predicate. */
struct lane_operand sass_compare(struct sass_lowerer *l, enum lane_cmp cmp, enum lane_type type, struct lane_operand a,
                                 struct lane_operand b);
struct lane_operand sass_convert(struct sass_lowerer *l, enum lane_type to, enum lane_type from, struct lane_operand a);
bool sass_is_const(const struct sass_lowerer *l, struct lane_operand value, uint64_t *known);

/* ---- operands --------------------------------------------------------------------------------------- */

/* Register n as a source (RZ: 0) and as the destination of an operation (RZ: an unnamed register). */
struct lane_operand sass_register(struct sass_lowerer *l, unsigned n);
struct lane_operand sass_result(struct sass_lowerer *l, unsigned n);
/* Writes register n, under the guard. 64 bits: registers n and n + 1. */
void sass_set(struct sass_lowerer *l, unsigned n, struct lane_operand value);
void sass_set_pair(struct sass_lowerer *l, unsigned n, struct lane_operand value);
/* A block begins: nothing is known of the registers. */
void sass_forget_pairs(struct sass_lowerer *l);
/* Registers n, n + 1 as 64 bits; low and high as one. */
struct lane_operand sass_pair(struct sass_lowerer *l, unsigned n);
struct lane_operand sass_join(struct sass_lowerer *l, struct lane_operand low, struct lane_operand high);

/* Operand i as 32 bits - register, constant, immediate - without signs, inversions and part suffixes. */
struct lane_operand sass_raw(struct sass_lowerer *l, unsigned i);
/* The same with them, as integers: the part (.H0 .H1 .B0-.B3) zero-extended, then |x|, then ~x, then -x. */
struct lane_operand sass_source(struct sass_lowerer *l, unsigned i);
/* ... without minus and inversion: the sum rule needs them apart. */
struct lane_operand sass_magnitude(struct sass_lowerer *l, unsigned i);
/* The sum a + b of register n, which was emitted last, gives a carry. */
void sass_wide_low(struct sass_lowerer *l, unsigned n, struct lane_operand a, struct lane_operand b);
/* The sum a + b and that carry, of register n, is about to be emitted: a 64-bit value that is what both registers have
 * then; LANE_NONE: it is not known to be worth it. */
struct lane_operand sass_wide_high(struct sass_lowerer *l, unsigned n, struct lane_operand a, struct lane_operand b);

/* 64 bits: a pair of registers, a constant of 8 bytes, an immediate (g: the bits of a double). No signs. */
struct lane_operand sass_raw64(struct sass_lowerer *l, unsigned i);

/* Predicate operand i with its '!', as a source; PT is a constant. */
struct lane_operand sass_predicate(struct sass_lowerer *l, unsigned i);
struct lane_operand sass_predicate_register(struct sass_lowerer *l, unsigned n);
/* Writes predicate operand i (PT: nothing), under the guard as it was before the instruction. */
void sass_set_predicate(struct sass_lowerer *l, unsigned i, struct lane_operand value);
void sass_set_predicate_register(struct sass_lowerer *l, unsigned n, struct lane_operand value);
/* Before the first of several writes that may change the guard itself (bit n: predicate n is written). */
void sass_hold_guard(struct sass_lowerer *l, unsigned predicates);
/* From here on only the lanes run of which the predicate is true. */
void sass_narrow(struct sass_lowerer *l, struct lane_operand predicate);
struct lane_operand sass_not(struct sass_lowerer *l, struct lane_operand predicate);
/* a bop b, `bop` as the rows' names: AND OR XOR */
struct lane_operand sass_combine(struct sass_lowerer *l, unsigned bop, struct lane_operand a, struct lane_operand b);
/* Pd = t bop Pc, Pq = !t bop Pc: the tail of xSETP; operands `first`, first + 1 and `with`. */
void sass_set_both(struct sass_lowerer *l, unsigned first, unsigned with, unsigned bop, struct lane_operand t);

/* ---- condition codes -------------------------------------------------------------------------------- */

struct lane_operand sass_flag(struct sass_lowerer *l, enum sass_flag flag);
void sass_set_flag(struct sass_lowerer *l, enum sass_flag flag, struct lane_operand value);
/* Those that this instruction has to write: none without .CC, else what is wanted. */
unsigned sass_flags_due(const struct sass_lowerer *l);
/* Z and S from a 32-bit result, C = O = 0 (logic, conversions, FSET). */
void sass_set_logic_flags(struct sass_lowerer *l, struct lane_operand result);
/* The CC test, enum sass_test, as a predicate. */
struct lane_operand sass_test(struct sass_lowerer *l, unsigned test);

/* ---- constants and memory --------------------------------------------------------------------------- */

/* bytes (4 or 8) of c[bank][offset]. */
struct lane_operand sass_constant(struct sass_lowerer *l, unsigned bank, int64_t offset, unsigned bytes);
/* The word that a constant operand names, with an index register or without: read under the guard. */
struct lane_operand sass_constant_of(struct sass_lowerer *l, const struct isa_operand *op);
/* The section of a bank as code at `address` sees it: its function's own, as compilers leave it; its kernel's, where a
 * linker has joined them; the module's. 0: none. */
uint32_t sass_bank_section(const struct sass_lowerer *l, uint64_t address, unsigned bank);

/* enum lane_atomic of the names atomop, atomsop and redop. */
extern const uint8_t sass_atomics[SASS_OPERATION_COUNT];

#endif

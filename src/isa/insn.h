/* The upper half of the waist: one instruction as it was written, loss-free, printable. */
#ifndef ATOLL_ISA_INSN_H
#define ATOLL_ISA_INSN_H

#include <stdbool.h>
#include <stdint.h>

struct ptx_decl;
struct ptx_row;

/* A piece of the source text. */
struct span {
    uint32_t pos, length;
};

enum insn_kind {
    INSN_NONE,
    INSN_REG,    /* register: decl, number (of %r<N>; 0 for a single one), part; `minus`: written -%r1 (video) */
    INSN_SREG,   /* special register: value = what ptx_sreg_find gives */
    INSN_SYMBOL, /* variable, parameter, function, prototype, label: decl; value = addend in bytes (sym+8) */
    INSN_INT,    /* value; `minus`: written with a minus sign (value is already negated); `is_unsigned`: U suffix or >
                    INT64_MAX */
    INSN_F32,    /* 0f........: value = the 32 bits */
    INSN_F64,    /* 0d................ or a decimal: value = the 64 bits; `decimal` set for a decimal */
    INSN_TUPLE,  /* {child, child, ...} */
    INSN_ARGS,   /* (child, child, ...) of call */
    INSN_MEM,    /* [child0 + value] or [child0, child1]: child1 = coordinates, mbarrier ... ; texture: [t, s, {..}] */
    INSN_PIPE,   /* child0|child1 */
    INSN_NOT,    /* !child0 */
    INSN_SINK,   /* _ */
    INSN_BAD,    /* could not be parsed or resolved; already reported */
};

/* What is selected of a register. Vector parts are also written .r .g .b .a; video selectors as in vadd %r1, %r2.b0. */
enum insn_part {
    PART_WHOLE,
    PART_X,
    PART_Y,
    PART_Z,
    PART_W,
    PART_B0,
    PART_B1,
    PART_B2,
    PART_B3,
    PART_H0,
    PART_H1,
    PART_BYTES, /* .b3210: `count` digits (1..4), in `index`: the last one in the lowest nibble */
    PART_HALVES /* .h10: the same with two digits */
};

struct insn_operand {
    uint8_t kind; /* enum insn_kind */
    uint8_t part; /* enum insn_part */
    bool minus, is_unsigned, decimal;
    uint8_t count;  /* children (digits of PART_BYTES and PART_HALVES) */
    uint16_t index; /* of PART_BYTES and PART_HALVES, else 0 */
    struct span span;
    struct ptx_decl *decl;
    union {
        uint64_t value;
        uint64_t number; /* of a register in its %r<N> */
    };
    struct insn_operand *children;
};

enum { INSN_MODS = 16, INSN_OPERANDS = 16 };

struct insn {
    const struct ptx_row *row; /* NULL: unknown mnemonic, already reported */
    struct span name;          /* the mnemonic without modifiers */
    uint8_t nmods, noperands;
    bool guard_not;
    uint16_t mods[INSN_MODS];     /* enum ptx_keyword, in written order; 0 = unknown word */
    const struct span *mod_spans; /* nmods of them, without the dot */
    struct insn_operand *guard;   /* NULL = none */
    struct insn_operand *operands;
};

#endif

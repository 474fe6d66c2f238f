/* The atomic operations of vISA, one row each: what they are called, what they do and of which operands. Checks,
 * lowering, text and `explain` read it. Source: docs/visa.md, "Atomics". */
#ifndef ATOLL_ISA_VISA_ATOMICS_H
#define ATOLL_ISA_VISA_ATOMICS_H

#include "isa/visa/rows.h"
#include "isa/visa/visa.h"
#include "lane/lane.h"

/* As what an operation takes the bits in memory. */
enum visa_atomic_kind { VISA_ATOMIC_UNSIGNED, VISA_ATOMIC_SIGNED, VISA_ATOMIC_FLOAT, VISA_ATOMIC_KINDS };

enum { VISA_ATOMICS = 32 }; /* codes: 5 bits */

struct visa_atomic {
    const char *name;    /* in text, without "lsc_atomic_"; NULL: a reserved code, all else is 0 then */
    const char *page;    /* the documentation's name where it is another; NULL */
    uint8_t lane;        /* enum lane_atomic */
    uint8_t kind;        /* enum visa_atomic_kind */
    uint8_t constant;    /* without `data`: the operand */
    bool gives_new;      /* dst is what was stored, not what was there */
    const char *data;    /* role of the operand; of those that compare, of what is stored. NULL: `constant` */
    const char *compare; /* role of what is compared with; NULL: nothing is */
    const char *formula; /* what is stored, of `old` and the roles */
};

/* By the code of typed_atomic, dword_atomic and svm_atomic; by the sub-opcode of LSC. */
extern const struct visa_atomic visa_atomics[VISA_ATOMICS], visa_lsc_atomics[VISA_ATOMICS];

/* The operation of an instruction that is VISA_IS_ATOMIC; NULL: its code is reserved. */
const struct visa_atomic *visa_atomic_of(const struct visa_form *form, const struct visa_inst *inst);
/* Bits of the value in memory: 16, 32, 64; 0: there are none of this size. Operands have as many but where memory has
 * 16: then they are the lower halves of dwords. */
unsigned visa_atomic_bits(const struct visa_form *form, const struct visa_inst *inst);
/* As what memory is seen. */
enum lane_type visa_atomic_type(const struct visa_atomic *atomic, unsigned bits);
/* How many sources it has. */
static inline unsigned visa_atomic_sources(const struct visa_atomic *atomic)
{
    return (atomic->data ? 1u : 0u) + (atomic->compare ? 1u : 0u);
}
/* The operation of a name, the documentation's too, in a table; VISA_ATOMICS: none. fold: upper case is as good. */
unsigned visa_atomic_named(const struct visa_atomic *table, const char *name, size_t length, bool fold);

#endif

/* What the rows of ALU operations share: the operand forms of an operation are written down once.
 *
 *   B is   a register   (bits 20-27)            opcode 5c.. 5b.. 5a.. 59.. 58..
 *          a constant   (word 20-33, bank 34-38)       4c.. 4b.. 4a.. 49.. 48..
 *          an immediate (bits 20-38, top bit 56)       38.. 36.. 34.. 32.. 30..
 *   C is   a register   (bits 39-46); "rc" forms: a constant, with the register B at 39-46: 53.. 52.. 51..
 *
 * Opcodes and masks are given as the upper 16 bits of the word, of the register form. Attributes of operands begin with
 * a blank. "Ignored" is what all forms ignore; bits 28-38 of the register form are added here. */
#ifndef ATOLL_ISA_SASS_ROWS_ALU_H
#define ATOLL_ISA_SASS_ROWS_ALU_H

#include "isa/sass/rows_bits.h"

#define ROW(does, text, mask16, value16, ignored, flags)                                        \
    {                                                                                           \
        (text), TOP(mask16), TOP(value16), (ignored), SASS_ALL, SASS_TIMED(flags), &does_##does \
    }

/* Two sources. `kind`: letter of the immediate; `immediate`: opcode of that form. */
#define ALU2(does, mask, opcode, immediate, kind, before, b, after, ignored, flags)            \
    ROW(does, "@" before "{Rb@20" b "}" after, mask, opcode, (ignored) | BITS(28, 38), flags), \
        ROW(does, "@" before "{c@20-38" b "}" after, mask, (opcode)-0x1000, ignored, flags),   \
        ROW(does, "@" before "{" kind "@20-38,56" b "}" after, (mask)&0xfeff, immediate, ignored, flags)

/* The same with opcodes 5c.. (13 bits): the third hexadecimal digit and the next bit tell the operation. */
#define ALU(does, opcode, kind, before, b, after, ignored, flags) \
    ALU2(does, 0xfff8, 0x5c00 | (opcode), 0x3800 | (opcode), kind, before, b, after, ignored, flags)

/* Three sources; `c`: attributes of C. */
#define ALU3(does, mask, opcode, rc, immediate, kind, before, b, c, ignored, flags)         \
    ALU2(does, mask, opcode, immediate, kind, before, b, ", {Rc@39" c "}", ignored, flags), \
        ROW(does, "@" before "{Rc@39" b "}, {c@20-38" c "}", mask, rc, ignored, flags)

#endif

/* SUATOM, SULD, SUST, SURED (docs/maxwell.md, "Surfaces").
 *
 * Each comes with the handle as a word index into the bound constant bank (13 bits, 36-48) or in a register (Rc,
 * 39-46). From SM52 on, SUATOM and SULD can write a predicate Ps that is true where the page is not valid; SM50 has
 * none: it refuses the field in SUATOM and ignores it in SULD. */
#include "isa/sass/rows_bits.h"

#define ROW(does, class, archs, mask, value, more, ignored, text)                                     \
    {                                                                                                 \
        text, TOP(mask) | (more), TOP(value), ignored, archs, SASS_IS_SURFACE | (class), &does_##does \
    }

#define ATOMIC SASS_IS_ATOMIC
#define SWAP   (SASS_IS_ATOMIC | SASS_IS_SWAP)

#define IMM   "{Header:x@36-48}"
#define REG   "{Rc@39}"
#define COORD "{Ra:I@8}"

/* .D: typed by the instruction. `size` names the list; its bits lie at 51 with a bound handle, at 36 with a register.
 */
#define SUATOM_D(size, bits)   "@SUATOM.D{.BA@28}{dim:sudim@33}{op:atomsop@29-32}{" size "@" bits "}{clamp@49} "
#define SUATOM_CAS(size, bits) "@SUATOM.D{.BA@28}{dim:sudim@33}.CAS{" size "@" bits "}{clamp@49} "
#define SUATOM_P               "@SUATOM.P{dim:sudim@33}{op:atomsop@29-32}{clamp@49} "
#define SUATOM_PCAS            "@SUATOM.P{dim:sudim@33}{pcas@29-32}{clamp@49} "

/* Bits 30-32 hold Ps, inverted: refused unless PT on SM50, printed unless PT after. */
#define CAS50 BITS(30, 32)

#define SULD_D        "@SULD.D{.BA@23}{dim:sudim@33}{ldcache@24}{size:lssize@20}{clamp@49} "
#define SULD_P        "@SULD.P{dim:sudim@33}{ldcache@24}{rgba@20-23}{clamp@49} "
#define SUST_D        "@SUST.D{.BA@23}{dim:sudim@33}{stcache@24}{size:lssize@20}{clamp@49} "
#define SUST_P        "@SUST.P{dim:sudim@33}{stcache@24}{rgba@20-23}{clamp@49} "
#define SURED_D(size) "@SURED.D{.BA@23}{dim:sudim@33}{op:redop@24}{" size "@20}{clamp@49} "
#define SURED_P       "@SURED.P{dim:sudim@33}{op:redop@24}{clamp@49} "
#define PS            "<{Ps:p@30}, >"

#define RC_IDLE (BITS(36, 38) | BITS(47, 48))

DOES(SUATOM, suatom, "atomic operation on a surface that returns the old value",
     "old = texel[address]; texel[address] = op(old, b); d = old\n"
     "ADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; DEC old == 0 || old > b ? b : old - 1;\n"
     "AND, OR, XOR bitwise; EXCH b; CAS old == compare ? swap : old",
     "Surfaces");
DOES(SULD, suld, "surface load",
     ".D: d = the bits at the address; .U8, .U16 zero-extended, .S8, .S16 sign-extended; .64, .128 into 2, 4 "
     "registers\n"
     ".P: d.. = the components of the mask, converted from the surface's format",
     "Surfaces");
DOES(SURED, sured, "atomic operation on a surface without a result",
     "texel[address] = op(old, data)\nADD old + data; MIN, MAX by the type's sign; INC old >= data ? 0 : old + 1; "
     "DEC old == 0 || old > data ? data : old - 1;\nAND, OR, XOR bitwise",
     "Surfaces");
DOES(SUST, sust, "surface store",
     ".D: the bits at the address = data; .64, .128 from 2, 4 registers\n"
     ".P: texel = the components of the mask, converted to the surface's format; components that are not named are 0",
     "Surfaces");

const struct isa_row sass_rows_surface[] = {
    ROW(SUATOM, ATOMIC, SASS_SM50, 0xffc0, 0xea00, 0, 0,
        SUATOM_D("size:suatomsize", "51-53") "{Rd@0}, " COORD ", {Rb@20}, " IMM),
    ROW(SUATOM, ATOMIC, SASS_SPARSE, 0xffc0, 0xea00, 0, 0,
        SUATOM_D("size:suatomsize52", "51-53") "{Rd@0}, " COORD ", {Rb@20}, " IMM),
    ROW(SUATOM, ATOMIC, SASS_SM50, 0xfff8, 0xea70, 0, BITS(47, 48),
        SUATOM_D("size:suatomsize", "36-38") "{Rd@0}, " COORD ", {Rb@20}, " REG),
    ROW(SUATOM, ATOMIC, SASS_SPARSE, 0xfff8, 0xea70, 0, BITS(47, 48),
        SUATOM_D("size:suatomsize52", "36-38") "{Rd@0}, " COORD ", {Rb@20}, " REG),
    ROW(SUATOM, ATOMIC, SASS_SPARSE, 0xffc0, 0xeb80, 0, BITS(47, 48),
        SUATOM_D("size:suatomsize52", "36-38") "{Ps:p@51}, {Rd@0}, " COORD ", {Rb@20}, " REG),
    ROW(SUATOM, SWAP, SASS_SM50, 0xffc0, 0xea80, CAS50, BITS(29, 29),
        SUATOM_CAS("size:suatomsize", "51-53") "{Rd@0}, " COORD ", {Rb@20}, " IMM),
    ROW(SUATOM, SWAP, SASS_SPARSE, 0xffc0, 0xea80, 0, BITS(29, 29),
        SUATOM_CAS("size:suatomsize52", "51-53") PS "{Rd@0}, " COORD ", {Rb@20}, " IMM),
    ROW(SUATOM, SWAP, SASS_SM50, 0xfff8, 0xead0, CAS50, BITS(29, 29) | BITS(47, 48),
        SUATOM_CAS("size:suatomsize", "36-38") "{Rd@0}, " COORD ", {Rb@20}, " REG),
    ROW(SUATOM, SWAP, SASS_SPARSE, 0xfff8, 0xead0, 0, BITS(29, 29) | BITS(47, 48),
        SUATOM_CAS("size:suatomsize52", "36-38") PS "{Rd@0}, " COORD ", {Rb@20}, " REG),
    ROW(SUATOM, ATOMIC, SASS_ALL, 0xfff8, 0xea60, 0, BITS(28, 28) | RC_IDLE,
        SUATOM_P "{Rd@0}, " COORD ", {Rb@20}, " REG),
    ROW(SUATOM, ATOMIC, SASS_ALL, 0xfff8, 0xea68, 0, BITS(28, 28), SUATOM_P "{Rd@0}, " COORD ", {Rb@20}, " IMM),
    ROW(SUATOM, SWAP, SASS_ALL, 0xfff8, 0xeac0, 0, BITS(28, 28) | RC_IDLE,
        SUATOM_PCAS "{Rd@0}, " COORD ", {Rb@20}, " REG),
    ROW(SUATOM, SWAP, SASS_ALL, 0xfff8, 0xeac8, 0, BITS(28, 28), SUATOM_PCAS "{Rd@0}, " COORD ", {Rb@20}, " IMM),

    ROW(SULD, 0, SASS_SM50, 0xfff8, 0xeb10, 0, BITS(26, 32) | RC_IDLE, SULD_D "{Rd@0}, " COORD ", " REG),
    ROW(SULD, 0, SASS_SPARSE, 0xfff8, 0xeb10, 0, BITS(26, 29) | RC_IDLE, SULD_D PS "{Rd@0}, " COORD ", " REG),
    ROW(SULD, 0, SASS_SM50, 0xfff8, 0xeb18, 0, BITS(26, 32), SULD_D "{Rd@0}, " COORD ", " IMM),
    ROW(SULD, 0, SASS_SPARSE, 0xfff8, 0xeb18, 0, BITS(26, 29), SULD_D PS "{Rd@0}, " COORD ", " IMM),
    ROW(SULD, 0, SASS_SM50, 0xfff8, 0xeb00, 0, BITS(26, 32) | RC_IDLE, SULD_P "{Rd@0}, " COORD ", " REG),
    ROW(SULD, 0, SASS_SPARSE, 0xfff8, 0xeb00, 0, BITS(26, 29) | RC_IDLE, SULD_P PS "{Rd@0}, " COORD ", " REG),
    ROW(SULD, 0, SASS_SM50, 0xfff8, 0xeb08, 0, BITS(26, 32), SULD_P "{Rd@0}, " COORD ", " IMM),
    ROW(SULD, 0, SASS_SPARSE, 0xfff8, 0xeb08, 0, BITS(26, 29), SULD_P PS "{Rd@0}, " COORD ", " IMM),

    ROW(SUST, 0, SASS_ALL, 0xfff8, 0xeb30, 0, BITS(26, 32) | RC_IDLE, SUST_D COORD ", {Rs@0}, " REG),
    ROW(SUST, 0, SASS_ALL, 0xfff8, 0xeb38, 0, BITS(26, 32), SUST_D COORD ", {Rs@0}, " IMM),
    ROW(SUST, 0, SASS_ALL, 0xfff8, 0xeb20, 0, BITS(26, 32) | RC_IDLE, SUST_P COORD ", {Rs@0}, " REG),
    ROW(SUST, 0, SASS_ALL, 0xfff8, 0xeb28, 0, BITS(26, 32), SUST_P COORD ", {Rs@0}, " IMM),

    ROW(SURED, ATOMIC, SASS_SM50, 0xfff8, 0xeb50, 0, BITS(27, 32) | RC_IDLE,
        SURED_D("size:suatomsize") COORD ", {Rs@0}, " REG),
    ROW(SURED, ATOMIC, SASS_SPARSE, 0xfff8, 0xeb50, 0, BITS(27, 32) | RC_IDLE,
        SURED_D("size:suatomsize52") COORD ", {Rs@0}, " REG),
    ROW(SURED, ATOMIC, SASS_SM50, 0xfff8, 0xeb58, 0, BITS(27, 32), SURED_D("size:suatomsize") COORD ", {Rs@0}, " IMM),
    ROW(SURED, ATOMIC, SASS_SPARSE, 0xfff8, 0xeb58, 0, BITS(27, 32),
        SURED_D("size:suatomsize52") COORD ", {Rs@0}, " IMM),
    ROW(SURED, ATOMIC, SASS_ALL, 0xfff8, 0xeb40, 0, BITS(20, 23) | BITS(27, 32) | RC_IDLE,
        SURED_P COORD ", {Rs@0}, " REG),
    ROW(SURED, ATOMIC, SASS_ALL, 0xfff8, 0xeb48, 0, BITS(20, 23) | BITS(27, 32), SURED_P COORD ", {Rs@0}, " IMM),
};
const unsigned sass_nrows_surface = sizeof sass_rows_surface / sizeof sass_rows_surface[0];

/* SUATOM, SULD, SUST, SURED (docs/maxwell.md, "Surfaces").
 *
 * Each comes with the handle as a word index into the bound constant bank (13 bits, 36-48) or in a register (Rc,
 * 39-46). From SM52 on, SUATOM and SULD can write a predicate Ps that is true where the page is not valid; SM50 has
 * none: it refuses the field in SUATOM and ignores it in SULD. */
#include "isa/sass/rows_bits.h"

#define ROW(archs, mask, value, more, ignored, text)            \
    {                                                           \
        text, TOP(mask) | (more), TOP(value), ignored, archs, 0 \
    }

#define IMM   "{x@36-48}"
#define REG   "{R@39}"
#define COORD "{I@8}"

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
#define PS            "<{p@30}, >"

#define RC_IDLE (BITS(36, 38) | BITS(47, 48))

const struct isa_row sass_rows_surface[] = {
    ROW(SASS_SM50, 0xffc0, 0xea00, 0, 0, SUATOM_D("size:suatomsize", "51-53") "{R@0}, " COORD ", {R@20}, " IMM),
    ROW(SASS_SPARSE, 0xffc0, 0xea00, 0, 0, SUATOM_D("size:suatomsize52", "51-53") "{R@0}, " COORD ", {R@20}, " IMM),
    ROW(SASS_SM50, 0xfff8, 0xea70, 0, BITS(47, 48),
        SUATOM_D("size:suatomsize", "36-38") "{R@0}, " COORD ", {R@20}, " REG),
    ROW(SASS_SPARSE, 0xfff8, 0xea70, 0, BITS(47, 48),
        SUATOM_D("size:suatomsize52", "36-38") "{R@0}, " COORD ", {R@20}, " REG),
    ROW(SASS_SPARSE, 0xffc0, 0xeb80, 0, BITS(47, 48),
        SUATOM_D("size:suatomsize52", "36-38") "{p@51}, {R@0}, " COORD ", {R@20}, " REG),
    ROW(SASS_SM50, 0xffc0, 0xea80, CAS50, BITS(29, 29),
        SUATOM_CAS("size:suatomsize", "51-53") "{R@0}, " COORD ", {R@20}, " IMM),
    ROW(SASS_SPARSE, 0xffc0, 0xea80, 0, BITS(29, 29),
        SUATOM_CAS("size:suatomsize52", "51-53") PS "{R@0}, " COORD ", {R@20}, " IMM),
    ROW(SASS_SM50, 0xfff8, 0xead0, CAS50, BITS(29, 29) | BITS(47, 48),
        SUATOM_CAS("size:suatomsize", "36-38") "{R@0}, " COORD ", {R@20}, " REG),
    ROW(SASS_SPARSE, 0xfff8, 0xead0, 0, BITS(29, 29) | BITS(47, 48),
        SUATOM_CAS("size:suatomsize52", "36-38") PS "{R@0}, " COORD ", {R@20}, " REG),
    ROW(SASS_ALL, 0xfff8, 0xea60, 0, BITS(28, 28) | RC_IDLE, SUATOM_P "{R@0}, " COORD ", {R@20}, " REG),
    ROW(SASS_ALL, 0xfff8, 0xea68, 0, BITS(28, 28), SUATOM_P "{R@0}, " COORD ", {R@20}, " IMM),
    ROW(SASS_ALL, 0xfff8, 0xeac0, 0, BITS(28, 28) | RC_IDLE, SUATOM_PCAS "{R@0}, " COORD ", {R@20}, " REG),
    ROW(SASS_ALL, 0xfff8, 0xeac8, 0, BITS(28, 28), SUATOM_PCAS "{R@0}, " COORD ", {R@20}, " IMM),

    ROW(SASS_SM50, 0xfff8, 0xeb10, 0, BITS(26, 32) | RC_IDLE, SULD_D "{R@0}, " COORD ", " REG),
    ROW(SASS_SPARSE, 0xfff8, 0xeb10, 0, BITS(26, 29) | RC_IDLE, SULD_D PS "{R@0}, " COORD ", " REG),
    ROW(SASS_SM50, 0xfff8, 0xeb18, 0, BITS(26, 32), SULD_D "{R@0}, " COORD ", " IMM),
    ROW(SASS_SPARSE, 0xfff8, 0xeb18, 0, BITS(26, 29), SULD_D PS "{R@0}, " COORD ", " IMM),
    ROW(SASS_SM50, 0xfff8, 0xeb00, 0, BITS(26, 32) | RC_IDLE, SULD_P "{R@0}, " COORD ", " REG),
    ROW(SASS_SPARSE, 0xfff8, 0xeb00, 0, BITS(26, 29) | RC_IDLE, SULD_P PS "{R@0}, " COORD ", " REG),
    ROW(SASS_SM50, 0xfff8, 0xeb08, 0, BITS(26, 32), SULD_P "{R@0}, " COORD ", " IMM),
    ROW(SASS_SPARSE, 0xfff8, 0xeb08, 0, BITS(26, 29), SULD_P PS "{R@0}, " COORD ", " IMM),

    ROW(SASS_ALL, 0xfff8, 0xeb30, 0, BITS(26, 32) | RC_IDLE, SUST_D COORD ", {R@0}, " REG),
    ROW(SASS_ALL, 0xfff8, 0xeb38, 0, BITS(26, 32), SUST_D COORD ", {R@0}, " IMM),
    ROW(SASS_ALL, 0xfff8, 0xeb20, 0, BITS(26, 32) | RC_IDLE, SUST_P COORD ", {R@0}, " REG),
    ROW(SASS_ALL, 0xfff8, 0xeb28, 0, BITS(26, 32), SUST_P COORD ", {R@0}, " IMM),

    ROW(SASS_SM50, 0xfff8, 0xeb50, 0, BITS(27, 32) | RC_IDLE, SURED_D("size:suatomsize") COORD ", {R@0}, " REG),
    ROW(SASS_SPARSE, 0xfff8, 0xeb50, 0, BITS(27, 32) | RC_IDLE, SURED_D("size:suatomsize52") COORD ", {R@0}, " REG),
    ROW(SASS_SM50, 0xfff8, 0xeb58, 0, BITS(27, 32), SURED_D("size:suatomsize") COORD ", {R@0}, " IMM),
    ROW(SASS_SPARSE, 0xfff8, 0xeb58, 0, BITS(27, 32), SURED_D("size:suatomsize52") COORD ", {R@0}, " IMM),
    ROW(SASS_ALL, 0xfff8, 0xeb40, 0, BITS(20, 23) | BITS(27, 32) | RC_IDLE, SURED_P COORD ", {R@0}, " REG),
    ROW(SASS_ALL, 0xfff8, 0xeb48, 0, BITS(20, 23) | BITS(27, 32), SURED_P COORD ", {R@0}, " IMM),
};
const unsigned sass_nrows_surface = sizeof sass_rows_surface / sizeof sass_rows_surface[0];

/* Loads, stores, atomics on global, shared and local memory, constants, caches (docs/maxwell.md, "Shared atomics",
 * "Other memory instructions"). */
#include "isa/sass/rows_bits.h"

#define ROW_OF(does, class, archs, mask, value, ignored, text)           \
    {                                                                    \
        text, TOP(mask), TOP(value), ignored, archs, class, &does_##does \
    }
#define ROW(does, class, mask, value, ignored, text) ROW_OF(does, class, SASS_ALL, mask, value, ignored, text)
#define SHARED_ATOMIC                                (SASS_IS_SHARED | SASS_IS_ATOMIC)
#define ATOMIC                                       (SASS_IS_GENERIC | SASS_IS_ATOMIC)
/* A row whose condition is in further bits of the mask: the pair of registers of a compare and swap. */
#define ROW_PAIR(mask, value, low, select, ignored, text)                                                  \
    {                                                                                                      \
        text, TOP(mask) | BITS(low, (low) + 1), TOP(value) | UINT64_C(select) << (low), ignored, SASS_ALL, \
            SHARED_ATOMIC | SASS_IS_SWAP, &does_ATOMS                                                      \
    }

/* ATOMS.CAS and ATOM.CAS: 28-29 or 50-51 say which of compare and swap value is RZ; the other one, or both, are Rb and
 * the register after it (two after for 64 bits). The size is a bit of the row; the labels as.32 and as.64 tell it. */
#define ATOMS_PAIR(mask, value, kind, size, second)                                                          \
    ROW_PAIR(mask, value, 28, 0, 0,                                                                          \
             "@ATOMS{" kind "}" size " {Rd@0}, {Ra:A@8 +30-51 *4}, {Rb:Q@20}, {Rx:Q@20 ^" second "}"),       \
        ROW_PAIR(mask, value, 28, 1, 0, "@ATOMS{" kind "}" size " {Rd@0}, {Ra:A@8 +30-51 *4}, {Rb@20}, RZ"), \
        ROW_PAIR(mask, value, 28, 2, 0, "@ATOMS{" kind "}" size " {Rd@0}, {Ra:A@8 +30-51 *4}, RZ, {Rx:Q@20}")
#define ATOMS_CAS(value, size, second)                         \
    ATOMS_PAIR(0xffd0, value, "castkind@53?54", size, second), \
        ATOMS_PAIR(0xfff0, (value) | 0x40, "castkind@?53-54", size, second)
#define ATOM_CAS(archs, value, size, second, idle, place)                                                     \
    ATOM_PAIR(archs, value, 0, idle, "@ATOM{.E@48}.CAS" size " " place ", {Rb:Q@20}, {Rx:Q@20 ^" second "}"), \
        ATOM_PAIR(archs, value, 1, idle, "@ATOM{.E@48}.CAS" size " " place ", {Rb@20}, RZ"),                  \
        ATOM_PAIR(archs, value, 2, idle, "@ATOM{.E@48}.CAS" size " " place ", RZ, {Rx:Q@20}")
#define ATOM_PAIR(archs, value, select, idle, text)                                                                \
    {                                                                                                              \
        text, TOP(0xfff2) | BITS(50, 51), TOP(value) | UINT64_C(select) << 50, idle, archs, ATOMIC | SASS_IS_SWAP, \
            &does_ATOM                                                                                             \
    }
/* Where an atomic goes: SM 5.2 and 5.3 have forms with a sparse predicate, which have no offset. */
#define PLACE        "{Rd@0}, {Ra:A@8 +28-47}"
#define SPARSE_PLACE "{Ps:p@41}, {Rd@0}, {Ra:J@8}"

#define ATOM_TEXT(size) "@ATOM{.E@48}{op:atomop@52-55}{" size "@49} {Rd@0}, {Ra:A@8 +28-47}, {Rb@20}"
#define RED_TEXT(size)  "@RED{.E@48}{op:redop@23}{" size "@20} {Ra:A@8 +28-47}, {Rs@0}"

/* Attributes of a vertex, in bytes: .P is of the patch or primitive, .PHYS a physical address in Ra. */
#define ATTRIBUTE(does, value, head, before, behind, idle)                                                             \
    {head ".P{alsize@47} " before "a{Ra:A@8 +20-30}" behind "<, {Rc@39 =255}>",                                        \
     TOP(0xfff8) | BIT(31),                                                                                            \
     TOP(value) | BIT(31),                                                                                             \
     (idle) | BITS(49, 50),                                                                                            \
     SASS_ALL,                                                                                                         \
     0,                                                                                                                \
     &does_##does},                                                                                                    \
        {head ".PHYS{alsize@47} " before "a{Ra:I@8}" behind "<, {Rc@39 =255}>",                                        \
         TOP(0xfff8) | BITS(20, 31),                                                                                   \
         TOP(value),                                                                                                   \
         (idle) | BITS(49, 50),                                                                                        \
         SASS_ALL,                                                                                                     \
         0,                                                                                                            \
         &does_##does},                                                                                                \
        {head "{.P@31}{alsize@47} " before "a[{x@20-29}]" behind "<, {Rc@39 =255}>",                                   \
         TOP(0xfff8) | BITS(8, 15),                                                                                    \
         TOP(value) | BITS(8, 15),                                                                                     \
         (idle) | BIT(30) | BITS(49, 50),                                                                              \
         SASS_ALL,                                                                                                     \
         ISA_OVER,                                                                                                     \
         &does_##does},                                                                                                \
    {                                                                                                                  \
        head "{.P@31}{alsize@47} " before "a[RZ]" behind "<, {Rc@39 =255}>", TOP(0xfff8) | BITS(8, 15) | BITS(20, 29), \
            TOP(value) | BITS(8, 15), (idle) | BIT(30) | BITS(49, 50), SASS_ALL, ISA_OVER, &does_##does                \
    }

/* Interpolation of an attribute: at a byte offset, or .IDX at Ra, where the predicate is always written. */
#define INTERPOLATE(mask, value, idle, index, where, predicate)                                             \
    {                                                                                                       \
        "@IPA" index "{ipaop@54}{msi@52}{.SAT@51} {Rd@0}, a[" where "], {Rb@20}<, {Rc@39 =255}>" predicate, \
            TOP(0xff00) | (mask), TOP(0xe000) | (value), idle, SASS_ALL, 0, &does_IPA                       \
    }

STOPS(AL2P, "graphics: attribute address to physical address", "d = physical address of the attribute at a + offset",
      DOC_FIELDS);
STOPS(ALD, "graphics: load of attributes", "d.. = attributes at a + offset of vertex c", DOC_FIELDS);
STOPS(AST, "graphics: store of attributes", "attributes at a + offset of vertex c = d..", DOC_FIELDS);
DOES(ATOM, atom, "atomic operation on global memory (generic address) that returns the old value",
     "old = M[address]; M[address] = op(old, b); d = old\n"
     "ADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; DEC old == 0 || old > b ? b : old - 1;\n"
     "AND, OR, XOR bitwise; EXCH b; CAS old == compare ? swap : old; Ps = a page is not valid: false here",
     "Other memory instructions");
DOES(ATOMS, atoms, "atomic operation on shared memory",
     "old = S[address]; S[address] = op(old, b); d = old\n"
     "ADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; DEC old == 0 || old > b ? b : old - 1;\n"
     "AND, OR, XOR bitwise; EXCH b; CAS old == compare ? swap : old\n"
     "CAST: as CAS, but d = 1 where the swap was made, else 0, in a pair for .64; the old value is not told\n"
     "CAST.SPIN: as CAST for one lane of those whose addresses lie in one bank; the others get 0 and do not touch "
     "memory",
     "Shared atomics");
DOES(CCTL, nothing, "cache control", "no effect: caches cannot be seen", DOC_WARPS);
DOES(CCTLL, nothing, "cache control, local memory", "no effect: caches cannot be seen", DOC_WARPS);
STOPS(IPA, "graphics: interpolation of an attribute", "d = attribute at the pixel, times b", DOC_FIELDS);
STOPS(ISBERD, "graphics: read of an internal buffer", "d = buffer[a]", DOC_FIELDS);
DOES(LD, ld, "load from a generic address",
     "d = M[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest\n"
     ".U8, .U16 are zero-extended, .S8, .S16 sign-extended; the predicate has no effect",
     "Other memory instructions, Constant bank 0");
DOES(LDC, ldc, "load from a constant bank",
     "d = c[bank][a + offset]\n"
     ".IS: c[bank + (a >> 16)][(a & 0xffff) + offset]; .IL, .ISL: the same of the sum a + offset (named choices)",
     "Other memory instructions, Constant bank 0");
DOES(LDG, ldg, "load from global memory",
     "d = G[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest\n"
     ".U8, .U16 are zero-extended, .S8, .S16 sign-extended; Ps = a page is not valid: false here",
     "Other memory instructions");
DOES(LDL, ldl, "load from local memory",
     "d = L[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest",
     "Other memory instructions");
DOES(LDS, lds, "load from shared memory",
     "d = S[address], .64 and .128 into 2 and 4 registers, the lowest address in the lowest",
     "Other memory instructions");
DOES(MEMBAR, membar, "memory fence", "orders the thread's accesses for the threads of the scope", DOC_WARPS);
STOPS(PIXLD, "graphics: pixel data", "d = data of the pixel", DOC_FIELDS);
DOES(RED, red, "atomic operation on global memory without a result",
     "M[address] = op(M[address], b)\nADD old + b; MIN, MAX by the type's sign; INC old >= b ? 0 : old + 1; "
     "DEC old == 0 || old > b ? b : old - 1;\nAND, OR, XOR bitwise",
     "Other memory instructions");
DOES(ST, st, "store to a generic address",
     "M[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros; the predicate has no effect",
     "Other memory instructions, Constant bank 0");
DOES(STG, stg, "store to global memory", "G[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros",
     "Other memory instructions");
DOES(STL, stl, "store to local memory", "L[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros",
     "Other memory instructions");
STOPS(STP, "graphics: stop", "-", DOC_FIELDS);
DOES(STS, sts, "store to shared memory", "S[address] = data; .64 and .128 from 2 and 4 registers; from RZ zeros",
     "Other memory instructions");

const struct isa_row sass_rows_memory[] = {
    ROW(ATOMS, SHARED_ATOMIC, 0xff00, 0xec00, 0,
        "@ATOMS{op:atomsop@52-55}{size:atomssize@28} {Rd@0}, {Ra:A@8 +30-51 *4}, {Rb@20}"),
    ATOMS_CAS(0xee00, "{size:casbit@?52}", "1"),
    ATOMS_CAS(0xee10, "{size:casbit@?52}", "2"),

    ROW_OF(ATOM, ATOMIC, SASS_SM50, 0xff00, 0xed00, 0, ATOM_TEXT("size:atomsize")),
    ROW_OF(ATOM, ATOMIC, SASS_SPARSE, 0xff00, 0xed00, 0, ATOM_TEXT("size:atomsize52")),
    ATOM_CAS(SASS_ALL, 0xeef0, "{size:casbit@?49}", "1", 0, PLACE),
    ATOM_CAS(SASS_ALL, 0xeef2, "{size:casbit@?49}", "2", 0, PLACE),
    ROW_OF(ATOM, ATOMIC, SASS_SPARSE, 0xfff0, 0xee60, BITS(28, 40),
           "@ATOM{.E@48}{op:atomop@44-47}{size:atomsize52@49} " SPARSE_PLACE ", {Rb@20}"),
    ATOM_CAS(SASS_SPARSE, 0xee70, "{size:casbit@?49}", "1", BITS(28, 40) | BITS(44, 47), SPARSE_PLACE),
    ATOM_CAS(SASS_SPARSE, 0xee72, "{size:casbit@?49}", "2", BITS(28, 40) | BITS(44, 47), SPARSE_PLACE),
    ROW_OF(RED, ATOMIC, SASS_SM50, 0xfff8, 0xebf8, BITS(26, 27) | BITS(49, 50), RED_TEXT("size:atomsize")),
    ROW_OF(RED, ATOMIC, SASS_SPARSE, 0xfff8, 0xebf8, BITS(26, 27) | BITS(49, 50), RED_TEXT("size:atomsize52")),

    ROW(LD, SASS_IS_GENERIC, 0xe000, 0x8000, 0,
        "@LD{.E@52}{ldcache@56}{size:ldsize@53} {Rd@0}, {Ra:A@8 +20-51}<, {Pr@58 =7}>"),
    ROW(ST, SASS_IS_GENERIC, 0xe000, 0xa000, 0,
        "@ST{.E@52}{stcache@56}{size:lssize@53} {Ra:A@8 +20-51}, {Rs@0}<, {Pr@58 =7}>"),
    ROW(LDG, SASS_IS_GLOBAL, 0xfff8, 0xeed0, BITS(44, 44),
        "@LDG{.E@45}{ldcache@46}{size:ldsize@48} {Rd@0}, {Ra:A@8 +20-43}"),
    ROW_OF(LDG, SASS_IS_GLOBAL, SASS_SPARSE, 0xfff8, 0xeec8, BITS(40, 40) | BITS(44, 44),
           "@LDG{.E@45}{ldcache@46}{size:ldsize@48} {Ps:p@41}, {Rd@0}, {Ra:A@8 +20-39}"),
    ROW(STG, SASS_IS_GLOBAL, 0xfff8, 0xeed8, BITS(44, 44),
        "@STG{.E@45}{stcache@46}{size:lssize@48} {Ra:A@8 +20-43}, {Rs@0}"),
    ROW(LDL, SASS_IS_LOCAL, 0xfff8, 0xef40, BITS(46, 47), "@LDL{ldlcache@44}{size:lssize@48} {Rd@0}, {Ra:A@8 +20-43}"),
    ROW(STL, SASS_IS_LOCAL, 0xfff8, 0xef50, BITS(46, 47), "@STL{stcache@44}{size:lssize@48} {Ra:A@8 +20-43}, {Rs@0}"),
    ROW(LDS, SASS_IS_SHARED, 0xfff8, 0xef48, BITS(45, 47), "@LDS{size:ldssize@48-50,44} {Rd@0}, {Ra:A@8 +20-43}"),
    ROW(STS, SASS_IS_SHARED, 0xfff8, 0xef58, BITS(44, 47), "@STS{size:lssize@48} {Ra:A@8 +20-43}, {Rs@0}"),
    ROW(LDC, SASS_IS_BANK, 0xfff8, 0xef90, BITS(41, 43) | BITS(46, 47),
        "@LDC{size:ldcsize@48}{mode:ldcmode@44} {Rd@0}, {b@20-35,36-40 +8}"),

    ROW(CCTL, 0, 0xffe0, 0xef60, BITS(7, 7) | BITS(20, 21),
        "@CCTL{.E@52}{cctlcache@4}{op:cctlop@0-3}{Ra:A@8 +22-51 *4}"),
    ROW(CCTLL, 0, 0xfff8, 0xef80, BITS(6, 7) | BITS(20, 21) | BITS(44, 50),
        "@CCTLL{cctllcache@4}{op:cctllop@0-3}{Ra:A@8 +22-43 *4}"),
    ROW(MEMBAR, 0, 0xfff8, 0xef98, BITS(2, 7) | BITS(10, 15) | BITS(20, 50), "@MEMBAR{membar@8}{ivall@0}"),

    {"STP{.WAIT@31}{phase@81-82} {x@20-27}", TOP(0xfff8), TOP(0xeea0), BITS(0, 19) | BITS(28, 30) | BITS(32, 50),
     SASS_ALL, SASS_FIXED, &does_STP},
    ROW(AL2P, 0, 0xfff8, 0xefa0, BITS(31, 31) | BITS(33, 43) | BITS(49, 50),
        "@AL2P{.O@32}{alsize@47} <{Ps@44 =7}, >{Rd@0}, {Ra@8}<, {s@20-30}>"),
    {"@AL2P{.O@32}{alsize@47} <{Ps@44 =7}, >{Rd@0}<, {x@20-29}>", TOP(0xfff8) | BITS(8, 15), TOP(0xefa0) | BITS(8, 15),
     BITS(30, 31) | BITS(33, 43) | BITS(49, 50), SASS_ALL, ISA_OVER, &does_AL2P},
    ATTRIBUTE(ALD, 0xefd8, "@ALD{.O@32}", "{Rd@0}, ", "", BITS(33, 38)),
    ATTRIBUTE(AST, 0xeff0, "@AST", "", ", {Rs@0}", BITS(32, 38)),
    INTERPOLATE(BIT(38), BIT(38), BITS(28, 37), ".IDX", "{Ra@8}", ", {Pr@47 !50}"),
    INTERPOLATE(BIT(38) | BITS(8, 15), BITS(8, 15), 0, "", "{x@28-37}", "<, {Pr@47 !50 =7}>"),
    ROW(ISBERD, 0, 0xfff8, 0xefd0, BITS(20, 30) | BITS(35, 46) | BITS(49, 50),
        "@ISBERD{.O@32}{ibase@33}{.SKEW@31}{isize@47} {Rd@0}, {Ra:I@8}"),
    ROW(PIXLD, 0, 0xfff8, 0xefe8, BITS(28, 30) | BITS(34, 44) | BITS(48, 50),
        "@PIXLD{pixmode@31} {Rd@0}, <{Ps@45 =7}, >{Ra:A@8 +20-27}"),
};
const unsigned sass_nrows_memory = sizeof sass_rows_memory / sizeof sass_rows_memory[0];

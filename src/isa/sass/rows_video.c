/* Rows of video operations: scalar parts of registers with types (docs/maxwell.md, "Field values").
 *
 * Bit 50 tells whether B is the register 20-27 (with its part at 28-30) or a 16-bit immediate at 20-35. The bits that
 * choose a part also tell the type: 0-3 bytes, 4-5 halves, 6 the word; their sign is a bit of its own. Types are not
 * written when both sources are signed words; an immediate counts as a word there. */
#include "isa/sass/rows_alu.h"

#define VIDEO(does, text, mask16, value16, mask, value, ignored, flags)                                            \
    {                                                                                                              \
        (text), TOP(mask16) | (mask), TOP(value16) | (value), (ignored), SASS_ALL, SASS_TIMED(flags), &does_##does \
    }

#define TYPE_A "{ta:vtype@36-38,48}"
#define PART_A " .vpart@36-38"
#define PART_B " .vpart@28-30"

/* `before`, `after`: modifiers before and after the types; `d`: destinations; `a`, `b`: signs; `c`: after B;
 * `number`: the immediate with its signs. Bits 31-35 mean nothing when B is a register. */
#define SIGNED_PAIR(name, mask16, value16, before, after, d, a, b, c, number, idle, flags)                         \
    VIDEO(name,                                                                                                    \
          "@" #name before TYPE_A "{tb:vtype@28-30,49}" after " " d ", {Ra@8" a PART_A "}, {Rb@20" b PART_B "}" c, \
          mask16, value16, BIT(50), BIT(50), BITS(31, 35) | (idle), flags),                                        \
        VIDEO(name, "@" #name before after " " d ", {Ra@8" a "}, {Rb@20" b "}" c, mask16, value16,                 \
              BITS(28, 30) | BITS(36, 38) | BITS(48, 50), BITS(29, 30) | BITS(37, 38) | BITS(48, 50),              \
              BITS(31, 35) | (idle), (flags) | ISA_OVER),                                                          \
        VIDEO(name, "@" #name before TYPE_A ".U16" after " " d ", {Ra@8" a PART_A "}, " number("u") c, mask16,     \
              value16, BITS(49, 50), 0, idle, (flags) | SASS_UNSIGNED_B),                                          \
        VIDEO(name, "@" #name before TYPE_A ".S16" after " " d ", {Ra@8" a PART_A "}, " number("i") c, mask16,     \
              value16, BITS(49, 50), BIT(49), idle, flags)
/* The immediate without types, when A is a signed word; VSETP writes them all the same. */
#define SIGNED_IMMEDIATE(name, mask16, value16, before, after, d, a, c, number, idle, flags)   \
    VIDEO(name, "@" #name before after " " d ", {Ra@8" a "}, " number("i") c, mask16, value16, \
          BITS(36, 38) | BITS(48, 50), BITS(37, 38) | BITS(48, 49), idle, (flags) | ISA_OVER)
#define SIGNED_ALL(name, mask16, value16, before, after, d, a, b, c, number, idle, flags) \
    SIGNED_PAIR(name, mask16, value16, before, after, d, a, b, c, number, idle, flags),   \
        SIGNED_IMMEDIATE(name, mask16, value16, before, after, d, a, c, number, idle, flags)

/* Shifts: the amount has no sign; bit 49 is .W. A signed word shifted by a word or an immediate is written without
 * types. */
#define SHIFT_TAIL "{.W@49}{.SAT@55}{vop@51-53} {Rd@0}{.CC@47}, "
#define SHIFT(name, value16)                                                                                           \
    VIDEO(name,                                                                                                        \
          "@" #name "{.UD@!54}" TYPE_A "{tb:vshtype@28-30}" SHIFT_TAIL "{Ra@8" PART_A "}, {Rb@20" PART_B "}, {Rc@39}", \
          0xff00, value16, BIT(50), BIT(50), BITS(31, 35), SASS_FIXED),                                                \
        VIDEO(name, "@" #name "{.UD@!54}" SHIFT_TAIL "{Ra@8}, {Rb@20}, {Rc@39}", 0xff00, value16,                      \
              BITS(28, 30) | BITS(36, 38) | BIT(48) | BIT(50), BITS(29, 30) | BITS(37, 38) | BIT(48) | BIT(50),        \
              BITS(31, 35), SASS_FIXED | ISA_OVER | SASS_UNSIGNED_B),                                                  \
        VIDEO(name, "@" #name "{.UD@!54}" TYPE_A ".U16" SHIFT_TAIL "{Ra@8" PART_A "}, {u@20-35}, {Rc@39}", 0xff00,     \
              value16, BIT(50), 0, 0, SASS_FIXED | SASS_UNSIGNED_B),                                                   \
        VIDEO(name, "@" #name "{.UD@!54}" SHIFT_TAIL "{Ra@8}, {u@20-35}, {Rc@39}", 0xff00, value16,                    \
              BITS(36, 38) | BIT(48) | BIT(50), BITS(37, 38) | BIT(48), 0, SASS_FIXED | ISA_OVER | SASS_UNSIGNED_B)

/* How an immediate is written: with the sign of its type; without; with the minus of the operation in front. */
#define PLAIN(letter)    "{" letter "@20-35}"
#define UNSIGNED(letter) "{u@20-35}"
#define NEGATED(letter)  "{x@20-35 -56}"
#define RD               "{Rd@0}{.CC@47}"
#define RC               ", {Rc@39}"

/* VMAD of bytes and halves has a fixed latency, with words it has none. `over`: ISA_OVER or 0. */
#define WORD_A BITS(37, 38)
#define WORD_B BITS(29, 30)
#define VMAD_REGISTER(mask16, value16, after, a, c, mask, flags)                                                       \
    VIDEO(VMAD, "@VMAD" TYPE_A "{tb:vtype@28-30,49}" after " " RD ", {Ra@8" a PART_A "}, {Rb@20" PART_B "}" c, mask16, \
          value16, BIT(50) | (mask), BIT(50) | (mask), BITS(31, 35), flags)
#define VMAD_NUMBER(mask16, value16, type, after, a, c, mask, value, flags)                            \
    VIDEO(VMAD, "@VMAD" TYPE_A type after " " RD ", {Ra@8" a PART_A "}, {u@20-35}" c, mask16, value16, \
          BITS(49, 50) | (mask), (mask) | (value), 0, flags)
#define VMAD(mask16, value16, after, a, c, over)                                                           \
    VMAD_REGISTER(mask16, value16, after, a, c, 0, SASS_FIXED | (over)),                                   \
        VMAD_REGISTER(mask16, value16, after, a, c, WORD_A, ISA_OVER | (over)),                            \
        VMAD_REGISTER(mask16, value16, after, a, c, WORD_B, ISA_OVER | (over)),                            \
        VMAD_REGISTER(mask16, value16, after, a, c, WORD_A | WORD_B, ISA_OVER | (over)),                   \
        VIDEO(VMAD, "@VMAD" after " " RD ", {Ra@8" a "}, {Rb@20}" c, mask16, value16,                      \
              BITS(28, 30) | BITS(36, 38) | BITS(48, 50), WORD_A | WORD_B | BITS(48, 50), BITS(31, 35),    \
              ISA_OVER | (over)),                                                                          \
        VMAD_NUMBER(mask16, value16, ".U16", after, a, c, 0, 0, SASS_FIXED | (over) | SASS_UNSIGNED_B),    \
        VMAD_NUMBER(mask16, value16, ".U16", after, a, c, WORD_A, 0, ISA_OVER | (over) | SASS_UNSIGNED_B), \
        VMAD_NUMBER(mask16, value16, ".S16", after, a, c, 0, BIT(49), SASS_FIXED | (over)),                \
        VMAD_NUMBER(mask16, value16, ".S16", after, a, c, WORD_A, BIT(49), ISA_OVER | (over)),             \
        SIGNED_IMMEDIATE(VMAD, mask16, value16, "", after, RD, a, c, UNSIGNED, 0, over)

#define ABSDIFF4(b, mask, value, flags)                                                     \
    VIDEO(VABSDIFF4,                                                                        \
          "@VABSDIFF4{.SD@38}{v4type@48-49}{.SAT@50}{v4red@53-54}{v4lanes@51-52,36-37} " RD \
          ", {Ra@8 .v4a@32-35}, " b RC,                                                     \
          0xff80, 0x5000, mask, value, 0, SASS_FIXED | (flags))

DOES(VABSDIFF, vabsdiff, "absolute difference of parts", "d = |a - b|; third operand: added, min, max, or merged into",
     DOC_VIDEO);
DOES(VABSDIFF4, vabsdiff4, "absolute differences of bytes",
     "d = |a_i - b_i| for the bytes of the mask; .ACC: their sum + c", DOC_VIDEO);
DOES(VADD, vadd, "sum of parts", "d = +-a +- b; .PO: + 1; .SAT limits; third operand: added, min, max, or merged into",
     DOC_VIDEO);
DOES(VMAD, vmad, "multiply-add of parts", "d = +-(a * b) +- c; .SHR_7, .SHR_15: shifted right; .PO: + 1; .SAT limits",
     DOC_VIDEO);
DOES(VMNMX, vmnmx, "minimum or maximum of parts",
     "d = min(a, b), .MX: max(a, b); .SAT limits; third operand: added, min, max, or merged into", DOC_VIDEO);
DOES(VSET, vset, "comparison of parts to register",
     "d = (a cmp b) ? 1 : 0; third operand: added, min, max, or merged into", DOC_VIDEO);
DOES(VSETP, vsetp, "comparison of parts to predicates", "p = (a cmp b) bop r; q = !(a cmp b) bop r", DOC_VIDEO);
DOES(VSHL, vshl, "shift left of parts", "d = a << b; .W: b & 31, else at most 32; .SAT limits; third operand as VADD",
     DOC_VIDEO);
DOES(VSHR, vshr, "shift right of parts", "d = a >> b; .W: b & 31, else at most 32; .SAT limits; third operand as VADD",
     DOC_VIDEO);

const struct isa_row sass_rows_video[] = {
    SIGNED_ALL(VABSDIFF, 0xff00, 0x5400, "{.SD@54}", "{.SAT@55}{vop@51-53}", RD, "", "", RC, PLAIN, 0, SASS_FIXED),
    SIGNED_ALL(VMNMX, 0xfe00, 0x3a00, "{.UD@!54}", "{.MX@56}{.SAT@55}{vop@51-53}", RD, "", "", RC, PLAIN, 0,
               SASS_FIXED),
    SIGNED_ALL(VADD, 0xfc00, 0x2000, "{.UD@!54}", "{.SAT@55}{vop@51-53}", RD, " -57", " -56", RC, NEGATED, 0,
               SASS_FIXED),
    SIGNED_ALL(VADD, 0xff00, 0x2300, "{.UD@!54}", ".PO{.SAT@55}{vop@51-53}", RD, "", "", RC, UNSIGNED, 0,
               SASS_FIXED | ISA_OVER | SASS_PLUS_ONE),
    VMAD(0xff00, 0x5f00, "{vscale@51-52}{.SAT@55}", " -54", ", {Rc@39 -53}", 0),
    VMAD(0xff60, 0x5f60, ".PO{vscale@51-52}{.SAT@55}", "", RC, ISA_OVER | SASS_PLUS_ONE),
    SHIFT(VSHL, 0x5700),
    SHIFT(VSHR, 0x5600),
    SIGNED_ALL(VSET, 0xfe00, 0x4000, "{cmp:cmp3@54-56}", "{vop@51-53}", RD, "", "", RC, PLAIN, 0, SASS_FIXED),
    SIGNED_PAIR(VSETP, 0xfff8, 0x50f0, "{cmp:cmp3@43-44,47}", "{bop@45-46}", "{Pd@3}, {Pq@0}", "", "", ", {Pc@39 !42}",
                PLAIN, BITS(6, 7), SASS_FIXED),
    ABSDIFF4("{Rb@20 .v4b@28-31}", 0, 0, 0),
    /* part 15 of B: an immediate of the type's sign */
    ABSDIFF4("{u@20-27}", BITS(28, 31) | BIT(49), BITS(28, 31), ISA_OVER),
    ABSDIFF4("{i@20-27}", BITS(28, 31) | BIT(49), BITS(28, 31) | BIT(49), ISA_OVER),
};

const unsigned sass_nrows_video = sizeof sass_rows_video / sizeof sass_rows_video[0];

/* Branches and the divergence stack, barriers, votes and shuffles, special registers, and what fits nowhere else
 * (docs/maxwell.md, "Field values", "Divergence"). */
#include "isa/sass/rows_bits.h"
#include "lane/modes.h"

/* `more` and `set` extend mask and value: the condition of a form. */
#define ROW(does, mask, value, more, set, ignored, flags, text)                              \
    {                                                                                        \
        text, TOP(mask) | (more), TOP(value) | (set), ignored, SASS_ALL, flags, &does_##does \
    }

#define FLOWS (SASS_FIXED | SASS_IS_FLOW)
/* What kind of flow, by which token. */
#define KIND(flow)    (FLOWS | SASS_FLOW_##flow << SASS_FLOW_AT)
#define PUSHES(token) (KIND(PUSH) | (LANE_TOKEN_##token + 1) << SASS_TOKEN_AT)
#define POPS(token)   (KIND(LEAVE) | (LANE_TOKEN_##token + 1) << SASS_TOKEN_AT)
#define CC            "<{cctest@0-4 =15}, >" /* before an operand */
#define ONLY_CC       "< {cctest@0-4 =15}>"
#define CONST         "{b@20-35,36-40}"

/* Flow with a target: bit 5 tells a relative target from one in a constant. */
#define FLOW(does, flags, value, head, cc, ignored)                                                \
    ROW(does, 0xfff0, value, BIT(5), 0, (ignored) | BITS(44, 51), flags, head " " cc "{t@20-43}"), \
        ROW(does, 0xfff0, value, BIT(5), BIT(5), (ignored) | BITS(41, 51), flags, head " " cc CONST)
/* Flow without one: guard and CC test only. */
#define LEAVE(does, token, value, text) ROW(does, 0xfff0, value, 0, 0, BITS(5, 15) | BITS(20, 51), POPS(token), text)

/* BAR: barrier number in Ra (bit 44 clear) or 8-15, count in Rb (bit 43 clear) or 20-31. */
#define BAR_FORMS(does, kind, set, more, ignored, head, tail)                                                     \
    ROW(does, 0xfff8, 0xf0a8, kind | BITS(43, 44), (set) | BITS(43, 44), ignored, 0, head " {x@8-15}" more tail), \
        ROW(does, 0xfff8, 0xf0a8, kind | BITS(43, 44), (set) | BIT(43), ignored, 0, head " {Ra@8}" more tail),    \
        ROW(does, 0xfff8, 0xf0a8, kind | BITS(43, 44), set, (ignored) | BITS(28, 31), 0,                          \
            head " {Ra@8}, {Rb@20}" tail),                                                                        \
        ROW(does, 0xfff8, 0xf0a8, kind | BITS(43, 44), (set) | BIT(44), (ignored) | BITS(28, 31), 0,              \
            head " {x@8-15}, {Rb@20}" tail)
#define BAR_IDLE (BITS(0, 7) | BITS(37, 38) | BITS(45, 50))
#define BAR_OP   BITS(32, 34)

#define SHFL(b, c, set, ignored)                                                                      \
    ROW(SHFL, 0xfff8, 0xef10, BITS(28, 29), set, BITS(32, 33) | BIT(47) | (ignored), SASS_IS_SHUFFLE, \
        "@SHFL{mode:shfl@30} {Ps@48}, {Rd@0}, {Ra@8}, " b ", " c)

#define SREG(does, archs, value, flags, text)                                                 \
    {                                                                                         \
        text, TOP(0xfff8), TOP(value), BITS(8, 15) | BITS(28, 50), archs, flags, &does_##does \
    }

DOES(B2R, b2r, "barrier result to register", "d, p = count and truth of the last BAR.RED", "Field values");
#define BAR_DOES                                                                                            \
    "block barrier",                                                                                        \
        "SYNC: waits until `count` threads (all, if not given) have come; ARV: comes and does not wait\n"   \
        "RED: as SYNC and reduces a predicate over the threads: POPC counts, AND, OR; read by B2R.RESULT\n" \
        "warps count whole: 32 each; the launch stops at SCAN",                                             \
        "Field values, Divergence"
DOES(BAR_SYNC, bar_sync, BAR_DOES);
DOES(BAR_ARV, bar_arrive, BAR_DOES);
DOES(BAR_RED, bar_reduce, BAR_DOES);
DOES(BAR_SCAN, bar_scan, BAR_DOES);
DOES(BAR_SYNCALL, bar_all, BAR_DOES);
DOES(BPT, bpt, "breakpoint or trap", "TRAP: the launch stops; PAUSE, INT: brkpt; at other kinds it stops as well",
     "Field values");
DOES(BRA, bra, "branch",
     "threads whose guard and CC test hold go to the target; when others stay, a token for them is pushed", DOC_FLOW);
DOES(BRK, pop, "leave the loop that the innermost PBK opened", "threads wait for the others at PBK's target", DOC_FLOW);
DOES(BRX, brx, "branch to an address in a register",
     "pc = address of the next instruction + offset + a, or + c[bank][a + offset]", DOC_FLOW);
DOES(CAL, cal, "call", "pushes the address behind it for RET; pc = target", DOC_FLOW);
DOES(CONT, pop, "go to the next turn of the loop that the innermost PCNT opened",
     "threads wait for the others at PCNT's target", DOC_FLOW);
DOES(CS2R, s2r, "special register to register", "d = special register", "Constant bank 0");
DOES(DEPBAR, nothing, "wait for scoreboards", "no effect: results are there at once", DOC_WARPS);
DOES(EXIT, exit, "end of the thread", "threads whose guard and CC test hold end, and leave every token", DOC_FLOW);
STOPS(GETCRSPTR, "pointer of the call and return stack", "d = stack pointer of the warp", DOC_FIELDS);
STOPS(GETLMEMBASE, "base of local memory", "d = base", DOC_FIELDS);
DOES(IDE, nothing, "interrupts on or off", "no effect", DOC_FIELDS);
DOES(JCAL, cal, "call of an absolute address", "pushes the address behind it for RET; pc = address", DOC_FLOW);
DOES(JMP, bra, "jump to an absolute address", "pc = address", DOC_FLOW);
DOES(JMX, brx, "jump to an absolute address in a register", "pc = a + offset, or c[bank][a + offset]", DOC_FLOW);
DOES(KIL, exit, "end of the thread, of a pixel", "threads whose guard and CC test hold end, as by EXIT", DOC_FLOW);
DOES(LEPC, lepc, "program counter", "d = address of this instruction", DOC_FIELDS);
DOES(LONGJMP, pop, "leave to the innermost PLONGJMP", "threads wait for the others at its target", DOC_FLOW);
DOES(NOP, nothing, "nothing", "no effect", DOC_WARPS);
STOPS(OUT, "graphics: emit a vertex", "d = next output handle", DOC_FIELDS);
DOES(PBK, push, "open a loop that BRK leaves", "pushes a token with the active threads and the target", DOC_FLOW);
DOES(PCNT, push, "open a loop turn that CONT ends", "pushes a token with the active threads and the target", DOC_FLOW);
DOES(PEXIT, push, "where to go when all have ended", "pushes a token with the active threads and the target", DOC_FLOW);
DOES(PLONGJMP, push, "open what LONGJMP leaves", "pushes a token with the active threads and the target", DOC_FLOW);
DOES(PRET, push, "set the address that RET goes to", "pushes a return token with the active threads and the target",
     DOC_FLOW);
STOPS(R2B, "register to barrier state", "barrier state = b", DOC_FIELDS);
DOES(RAM, nothing, "restore the active threads", "no effect: brackets code for quads around SHFL and FSWZADD",
     DOC_FLOW);
DOES(RET, pop, "return", "threads go to the address of the innermost CAL, JCAL or PRET", DOC_FLOW);
STOPS(RTT, "return from a trap", "ends the trap handler", DOC_FIELDS);
DOES(S2R, s2r, "special register to register", "d = special register; those of graphics and of the machine are 0",
     "Constant bank 0");
DOES(SAM, nothing, "save the active threads", "no effect: brackets code for quads around SHFL and FSWZADD", DOC_FLOW);
STOPS(SETCRSPTR, "set the pointer of the call and return stack", "stack pointer of the warp = a", DOC_FIELDS);
STOPS(SETLMEMBASE, "set the base of local memory", "base = a", DOC_FIELDS);
DOES(SHFL, shfl, "shuffle between lanes",
     "seg = c >> 8 & 0x1f, clamp = c & 0x1f; low = lane & seg; high = low | (clamp & ~seg)\n"
     "UP j = lane - b, valid where j >= high; DOWN j = lane + b; BFLY j = lane ^ b; IDX j = low | (b & ~seg): where j "
     "<= high\n"
     "d = a of lane j; not valid: own a; p = valid",
     DOC_WARPS);
DOES(SSY, push, "set the place where threads come together",
     "pushes a token with the active threads and the target, for SYNC", DOC_FLOW);
DOES(SYNC, pop, "come together", "threads wait for the others at the target of the innermost SSY", DOC_FLOW);
DOES(VOTE, vote, "vote of the warp",
     "d = mask of the active threads whose predicate holds; p = ALL, ANY, EQ (all alike); the launch stops at .VTG",
     DOC_WARPS);

const struct isa_row sass_rows_flow[] = {
    FLOW(BRA, KIND(GO), 0xe240, "@BRA{.U@7}{.LMT@6}", CC, BITS(8, 15)),
    ROW(BRX, 0xfff0, 0xe250, BIT(5), 0, BIT(7) | BITS(44, 51), KIND(VALUE), "@BRX{.LMT@6} " CC "{Ra@8}< {s@20-43 =0}>"),
    ROW(BRX, 0xfff0, 0xe250, BIT(5), BIT(5), BIT(7) | BITS(41, 51), KIND(VALUE),
        "@BRX{.LMT@6} " CC "{B@20-35,36-40 +8}"),
    ROW(JMP, 0xfff0, 0xe210, BIT(5), 0, BITS(8, 15), SASS_IS_ABSOLUTE | KIND(GO), "@JMP{.U@7}{.LMT@6} " CC "{x@20-51}"),
    ROW(JMP, 0xfff0, 0xe210, BIT(5), BIT(5), BITS(8, 15) | BITS(41, 51), SASS_IS_ABSOLUTE | KIND(GO),
        "@JMP{.U@7}{.LMT@6} " CC CONST),
    ROW(JMX, 0xfff0, 0xe200, BIT(5), 0, BIT(7), SASS_IS_ABSOLUTE | KIND(VALUE),
        "@JMX{.LMT@6} " CC "{Ra@8}< {s@20-51 =0}>"),
    ROW(JMX, 0xfff0, 0xe200, BIT(5), BIT(5), BIT(7) | BITS(41, 51), SASS_IS_ABSOLUTE | KIND(VALUE),
        "@JMX{.LMT@6} " CC "{B@20-35,36-40 +8}"),
    FLOW(CAL, KIND(CALL), 0xe260, "CAL{.NOINC@!6}", "", BITS(0, 4) | BITS(7, 19)),
    ROW(JCAL, 0xfff0, 0xe220, BIT(5), 0, BITS(0, 4) | BITS(7, 19), SASS_IS_ABSOLUTE | KIND(CALL),
        "JCAL{.NOINC@!6} {x@20-51}"),
    ROW(JCAL, 0xfff0, 0xe220, BIT(5), BIT(5), BITS(0, 4) | BITS(7, 19) | BITS(41, 51), SASS_IS_ABSOLUTE | KIND(CALL),
        "JCAL{.NOINC@!6} " CONST),
    FLOW(PRET, PUSHES(RETURN), 0xe270, "PRET{.NOINC@!6}", "", BITS(0, 4) | BITS(7, 19)),
    FLOW(SSY, PUSHES(SYNC), 0xe290, "SSY", "", BITS(0, 4) | BITS(6, 19)),
    FLOW(PBK, PUSHES(BREAK), 0xe2a0, "PBK", "", BITS(0, 4) | BITS(6, 19)),
    FLOW(PCNT, PUSHES(CONTINUE), 0xe2b0, "PCNT", "", BITS(0, 4) | BITS(6, 19)),
    FLOW(PLONGJMP, PUSHES(JUMP), 0xe280, "PLONGJMP", "", BITS(0, 4) | BITS(6, 19)),
    ROW(PEXIT, 0xfff0, 0xe230, 0, 0, BITS(0, 19) | BITS(44, 51), PUSHES(EXIT), "PEXIT {t@20-43}"),
    ROW(EXIT, 0xfff0, 0xe300, 0, 0, BITS(6, 15) | BITS(20, 51), POPS(EXIT), "@EXIT{.KEEPREFCOUNT@5}" ONLY_CC),
    LEAVE(LONGJMP, JUMP, 0xe310, "@LONGJMP" ONLY_CC),
    LEAVE(RET, RETURN, 0xe320, "@RET" ONLY_CC),
    ROW(KIL, 0xfff0, 0xe330, 0, 0, BITS(5, 15) | BITS(20, 51), KIND(LEAVE), "@KIL" ONLY_CC),
    LEAVE(BRK, BREAK, 0xe340, "@BRK" ONLY_CC),
    LEAVE(CONT, CONTINUE, 0xe350, "@CONT" ONLY_CC),
    ROW(SYNC, 0xfff8, 0xf0f8, 0, 0, BITS(5, 15) | BITS(20, 50), POPS(SYNC), "@SYNC" ONLY_CC),
    ROW(RTT, 0xfff0, 0xe360, 0, 0, BITS(2, 51), FLOWS, "RTT{rtt@0}"),
    ROW(SAM, 0xfff0, 0xe370, 0, 0, BITS(0, 51), FLOWS | SASS_GOES_ON, "SAM"),
    ROW(RAM, 0xfff0, 0xe380, 0, 0, BITS(0, 51), FLOWS | SASS_GOES_ON, "RAM"),
    ROW(IDE, 0xfff0, 0xe390, 0, 0, BITS(0, 4) | BITS(6, 19) | BITS(36, 51), SASS_IS_FLOW, "IDE{.EN@!5} {x@20-35}"),
    ROW(BPT, 0xfff0, 0xe3a0, 0, 0, BITS(0, 5) | BITS(9, 19) | BITS(40, 51), FLOWS, "BPT{bpt@6}< {x@20-39 =0}>"),
    ROW(GETCRSPTR, 0xfff0, 0xe2c0, 0, 0, BITS(8, 51), 0, "GETCRSPTR {Rd@0}"),
    ROW(GETLMEMBASE, 0xfff0, 0xe2d0, 0, 0, BITS(8, 51), 0, "GETLMEMBASE {Rd@0}"),
    ROW(SETCRSPTR, 0xfff0, 0xe2e0, 0, 0, BITS(0, 7) | BITS(16, 51), 0, "SETCRSPTR {Ra@8}"),
    ROW(SETLMEMBASE, 0xfff0, 0xe2f0, 0, 0, BITS(0, 7) | BITS(16, 51), 0, "SETLMEMBASE {Ra@8}"),
    ROW(LEPC, 0xfff8, 0x50d0, 0, 0, BITS(8, 15) | BITS(20, 50), SASS_FIXED | SASS_STRICT, "@LEPC {Rd@0}"),

    ROW(NOP, 0xfff8, 0x50b0, BITS(8, 12), BITS(8, 11), BITS(0, 7) | BITS(14, 15) | BITS(36, 50),
        SASS_FIXED | SASS_STRICT | ISA_OVER, "@NOP{.TRIG@13}< {x@20-35}>"),
    ROW(NOP, 0xfff8, 0x50b0, 0, 0, BITS(0, 7) | BITS(14, 15) | BITS(36, 50), SASS_FIXED | SASS_STRICT,
        "@NOP{.TRIG@13} {cctest@8-12}<, {x@20-35}>"),
    ROW(DEPBAR, 0xfff8, 0xf0f0, BIT(29), 0, BITS(6, 15) | BITS(20, 28) | BITS(30, 50), SASS_FIXED,
        "@DEPBAR< {boards:S@0-5}>"),
    ROW(DEPBAR, 0xfff8, 0xf0f0, BIT(29), BIT(29), BITS(6, 15) | BITS(30, 50), SASS_FIXED,
        "@DEPBAR.LE {scoreboard@26-28}, {count:x@20-25}<, {boards:S@0-5}>"),

    /* SYNC 0, ARV 1: no reduction, predicate field PT. RED 2: 35-36 = POPC AND OR. SCAN 3. */
    ROW(BAR_SYNCALL, 0xfff8, 0xf0a8, BAR_OP | BITS(20, 27) | BITS(39, 42), BIT(34) | BITS(20, 27) | BITS(39, 41),
        BITS(0, 19) | BITS(28, 31) | BITS(35, 38) | BITS(43, 50), 0, "BAR.SYNCALL"),
    BAR_FORMS(BAR_SYNC, BAR_OP | BITS(39, 42), BITS(39, 41), "<, {x@20-31}>", BAR_IDLE | BITS(35, 36), "@BAR.SYNC", ""),
    BAR_FORMS(BAR_ARV, BAR_OP | BITS(39, 42), BITS(39, 41) | BIT(32), ", {x@20-31}", BAR_IDLE | BITS(35, 36),
              "@BAR.ARV", ""),
    BAR_FORMS(BAR_RED, BAR_OP, BIT(33), "<, {x@20-31}>", BAR_IDLE, "@BAR.RED{barred@35-36}", ", {Pc@39 !42}"),
    BAR_FORMS(BAR_SCAN, BAR_OP, BITS(32, 33), ", {x@20-31}", BAR_IDLE | BITS(35, 36), "@BAR.SCAN", ", {Pc@39 !42}"),
    ROW(B2R, 0xfff8, 0xf0b8, BITS(32, 33), 0, BITS(20, 31) | BITS(34, 50), 0, "@B2R {Rd@0}, {x@8-15}"),
    ROW(B2R, 0xfff8, 0xf0b8, BITS(32, 33) | BITS(8, 15), BIT(32) | BITS(8, 15),
        BITS(20, 31) | BITS(34, 44) | BITS(48, 50), 0, "@B2R.RESULT {Rd@0}<, {Ps@45 =7}>"),
    ROW(B2R, 0xfff8, 0xf0b8, BITS(32, 33) | BITS(8, 15), BIT(33) | BITS(8, 15), BITS(20, 31) | BITS(34, 50), 0,
        "@B2R.WARP {Rd@0}"),
    ROW(B2R, 0xfff8, 0xf0b8, BITS(32, 33), BITS(32, 33), BITS(20, 31) | BITS(34, 50), 0,
        "@B2R.INVALID {Rd@0}, {x@8-15}"),
    ROW(R2B, 0xfff8, 0xf0c0, 0, 0, BITS(0, 15) | BITS(34, 50), 0, "@R2B{r2b@32} {x@28-31}, {Rb@20}"),

    SHFL("{Rb@20}", "{Rc@39}", 0, BITS(34, 38)),
    SHFL("{x@20-24}", "{Rc@39}", BIT(28), BITS(25, 27) | BITS(34, 38)),
    SHFL("{Rb@20}", "{x@34-46}", BIT(29), 0),
    SHFL("{x@20-24}", "{x@34-46}", BITS(28, 29), BITS(25, 27)),
    ROW(VOTE, 0xfff8, 0x50d8, 0, 0, BITS(8, 15) | BITS(20, 38) | BITS(43, 44) | BIT(50), SASS_FIXED | SASS_STRICT,
        "@VOTE{mode:vote@48} <{Rd@0 =255}, >{Ps@45}, {Pc@39 !42}"),
    ROW(VOTE, 0xfff8, 0x50e0, 0, 0, BITS(0, 15) | BIT(50), SASS_FIXED | SASS_STRICT, "@VOTE.VTG{vtg@48} {x@20-47}"),
    SREG(S2R, SASS_SM50, 0xf0c8, 0, "@S2R {Rd@0}, {sreg@20-27}"),
    SREG(S2R, SASS_SPARSE, 0xf0c8, 0, "@S2R {Rd@0}, {sreg:sreg52@20-27}"),
    SREG(CS2R, SASS_SM50, 0x50c8, SASS_FIXED | SASS_STRICT, "@CS2R {Rd@0}, {sreg@20-27}"),
    SREG(CS2R, SASS_SPARSE, 0x50c8, SASS_FIXED | SASS_STRICT, "@CS2R {Rd@0}, {sreg:sreg52@20-27}"),

    ROW(OUT, 0xfff8, 0xfbe0, 0, 0, BITS(28, 38) | BITS(41, 50), 0, "@OUT{outtype@39} {Rd@0}, {Ra@8}, {Rb@20}"),
    ROW(OUT, 0xfef8, 0xf6e0, 0, 0, BITS(41, 50), 0, "@OUT{outtype@39} {Rd@0}, {Ra@8}, {i@20-38,56}"),
    ROW(OUT, 0xfff8, 0xebe0, 0, 0, BITS(41, 50), 0, "@OUT{outtype@39} {Rd@0}, {Ra@8}, {c@20-33,34-38}"),
};
const unsigned sass_nrows_flow = sizeof sass_rows_flow / sizeof sass_rows_flow[0];

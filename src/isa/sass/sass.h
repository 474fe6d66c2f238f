/* Maxwell SASS: the family's table and what its readers share. */
#ifndef ATOLL_ISA_SASS_SASS_H
#define ATOLL_ISA_SASS_SASS_H

#include "isa/table.h"

/* `arch` of isa_find and isa_parse. */
enum sass_arch { SASS_ARCH_50, SASS_ARCH_52, SASS_ARCH_53, SASS_ARCHS };

/* The register that reads as zero, the predicate that is true. */
enum { SASS_RZ = 255, SASS_PT = 7 };

extern const struct isa_kind_row sass_kinds[]; /* kinds.c */
extern const unsigned sass_nkinds;
/* The bit of .reuse of a row's last element so far: slots are counted by place in the text, so that the last field
 * holds the second source when nothing is at the second field before it. */
uint8_t sass_reuse_bit(const struct isa_row *row, const struct isa_element *e, unsigned count);

/* Bits of part 1 of a word: the instruction's 21-bit control slot. Neutral: no barrier, no wait, stall 0. */
enum { SASS_CONTROL_NEUTRAL = 0x7e0, SASS_CONTROL_BITS = 21 };

/* clang-format off */
/* Operands of the templates. Those up to Ps are results, the others are read. Shown as others: Rs, data in the field of
 * Rd; Rx, what a compare and swap writes, as Rb is what it compares with; Pr, read where Ps is written. Pg is the
 * guard, Header the number of the constant that says which header. */
#define SASS_OPERAND_ROLES(R)                                                                                          \
    R(Rd) R(Rd2) R(Pd) R(Pq) R(Ps) R(Rs) R(Ra) R(Rb) R(Rx) R(Rc) R(Pa) R(Pb) R(Pc) R(Pr) R(Pg) R(Header)
/* Fields that code asks for, by their labels. size: of an element in memory; words: which of longer shifts; mask,
 * count, boards: numbers. */
#define SASS_LABELS(R)                                                                                                 \
    R(ab) R(barred) R(boards) R(bop) R(bpt) R(byte) R(castkind) R(cc) R(ccpr) R(cctest) R(chk) R(clamp) R(cmp) R(count) R(dim)            \
    R(fmz) R(from) R(ldcache) R(lod) R(lop) R(lrs) R(mask) R(membar) R(minmaxx) R(mode) R(mufu) R(ofmt) R(op) R(pcas)          \
    R(pn) R(predop) R(prmt) R(query) R(rgba) R(round) R(scale) R(scoreboard) R(sign) R(size) R(spa) R(spb) R(spc) R(sreg)            \
    R(stcache) R(ta) R(tb) R(texdim) R(tld4off) R(tldlod) R(to) R(v4lanes) R(v4red) R(v4type) R(vop) R(vscale) R(width) R(wmask) R(wmask1) R(words)
/* Flags that code asks for, {.X@43}. */
#define SASS_MODIFIERS(R)                                                                                              \
    R(AOFFI) R(BA) R(BF) R(BREV) R(CC) R(CL) R(DC) R(E) R(FTZ) R(HI) R(H_AND) R(LC) R(MRG) R(MS) R(MX) R(PSL)          \
    R(SAT) R(SD) R(SH) R(U) R(U32) R(UD) R(W) R(X)
/* clang-format on */
enum sass_role {
    SASS_NO_ROLE,
#define ROLE(name) SASS_ROLE_##name,
    SASS_OPERAND_ROLES(ROLE) SASS_LABELS(ROLE)
#undef ROLE
#define MODIFIER(name) SASS_MOD_##name,
        SASS_MODIFIERS(MODIFIER)
#undef MODIFIER
            SASS_ROLES_END
};

static inline bool sass_is_result(unsigned role)
{
    return role && role <= SASS_ROLE_Ps;
}

/* clang-format off */
/* Values of lists of names that code asks for, with their texts; names_list.h has the others. */
#define SASS_CLAMP(X)    X(CLAMP_IGN, ".IGN") X(CLAMP_NEAR, "") X(CLAMP_TRAP, ".TRAP")
#define SASS_CCPR(X)     X(CCPR_PR, "PR") X(CCPR_CC, "CC")
#define SASS_CASTKIND(X) X(CAST, ".CAST") X(CAST_SPIN, ".CAST.SPIN") X(CAS, ".CAS")
#define SASS_REDUCTIONS(X)                                                                                             \
    X(OP_ADD, ".ADD") X(OP_MIN, ".MIN") X(OP_MAX, ".MAX") X(OP_INC, ".INC")                                            \
    X(OP_DEC, ".DEC") X(OP_AND, ".AND") X(OP_OR, ".OR") X(OP_XOR, ".XOR")
#define SASS_OPERATIONS(X) SASS_REDUCTIONS(X) X(OP_EXCH, ".EXCH")
/* fourth: F16x2; SM 5.0 reserves it */
#define SASS_SUATOMTYPES(X, fourth)                                                                                    \
    X(TYPE_U32, "") X(TYPE_S32, ".S32") X(TYPE_U64, ".U64") X(TYPE_F32, ".F32.FTZ.RN")                    \
    X(TYPE_F16X2, fourth) X(TYPE_S64, ".S64") X(TYPE_SD32, ".SD32") X(TYPE_SD64, ".SD64")
#define SASS_BPT(X)                                                                                                    \
    X(BPT_DRAIN_ILLEGAL, ".DRAIN_ILLEGAL") X(BPT_CAL, ".CAL") X(BPT_PAUSE, ".PAUSE") X(BPT_TRAP, ".TRAP")              \
    X(BPT_INT, ".INT") X(BPT_DRAIN, ".DRAIN")
/* comparisons; FCMP does not write GT. Integers have the first seven and T. */
#define SASS_COMPARES(X, gt)                                                                                           \
    X(CMP_F, ".F") X(CMP_LT, ".LT") X(CMP_EQ, ".EQ") X(CMP_LE, ".LE") X(CMP_GT, gt) X(CMP_NE, ".NE") X(CMP_GE, ".GE")
#define SASS_FLOAT_COMPARES(X, gt)                                                                                     \
    SASS_COMPARES(X, gt) X(CMP_NUM, ".NUM") X(CMP_NAN, ".NAN") X(CMP_LTU, ".LTU") X(CMP_EQU, ".EQU")                   \
    X(CMP_LEU, ".LEU") X(CMP_GTU, ".GTU") X(CMP_NEU, ".NEU") X(CMP_GEU, ".GEU") X(CMP_T, ".T")
#define SASS_FMZ(X, reserved) X(FMZ_NONE, "") X(FMZ_FTZ, ".FTZ") X(FMZ_FMZ, ".FMZ") X(FMZ_RESERVED, reserved)
#define SASS_OFMT(X)     X(OFMT_PAIR, "") X(OFMT_F32, ".F32") X(OFMT_LOW, ".MRG_H0") X(OFMT_HIGH, ".MRG_H1")
#define SASS_HSW(X)      X(HSW_PAIR, "") X(HSW_F32, ".F32") X(HSW_LOW, ".H0_H0") X(HSW_HIGH, ".H1_H1")
#define SASS_LDCACHE(X)  X(LDCACHE_NONE, "") X(LDCACHE_CG, ".CG") X(LDCACHE_CI, ".CI") X(LDCACHE_CV, ".CV")
#define SASS_STCACHE(X)  X(STCACHE_NONE, "") X(STCACHE_CG, ".CG") X(STCACHE_CS, ".CS") X(STCACHE_WT, ".WT")
#define SASS_QUERIES(X)  X(QUERY_NONE, NULL) X(QUERY_DIMENSION, "TEX_HEADER_DIMENSION")
/* tests of CC; `dot`: what the list writes before them */
#define SASS_TESTS(X, dot)                                                                                             \
    X(TEST_F, dot "F") X(TEST_LT, dot "LT") X(TEST_EQ, dot "EQ") X(TEST_LE, dot "LE") X(TEST_GT, dot "GT")             \
    X(TEST_NE, dot "NE") X(TEST_GE, dot "GE") X(TEST_NUM, dot "NUM") X(TEST_NAN, dot "NAN")                            \
    X(TEST_LTU, dot "LTU") X(TEST_EQU, dot "EQU") X(TEST_LEU, dot "LEU") X(TEST_GTU, dot "GTU")                        \
    X(TEST_NEU, dot "NEU") X(TEST_GEU, dot "GEU") X(TEST_T, dot "T") X(TEST_OFF, dot "OFF") X(TEST_LO, dot "LO")       \
    X(TEST_SFF, dot "SFF") X(TEST_LS, dot "LS") X(TEST_HI, dot "HI") X(TEST_SFT, dot "SFT") X(TEST_HS, dot "HS")       \
    X(TEST_OFT, dot "OFT") X(TEST_CSM_TA, dot "CSM_TA") X(TEST_CSM_TR, dot "CSM_TR")                                   \
    X(TEST_CSM_MX, dot "CSM_MX") X(TEST_FCSM_TA, dot "FCSM_TA") X(TEST_FCSM_TR, dot "FCSM_TR")                         \
    X(TEST_FCSM_MX, dot "FCSM_MX") X(TEST_RLE, dot "RLE") X(TEST_RGT, dot "RGT")
/* special registers; SM 5.0 has none at 15 */
#define SASS_SREGS(X, r15)                                                                                             \
    X(SR_LANEID, "SR_LANEID") X(SR_CLOCK, "SR_CLOCK") X(SR_VIRTCFG, "SR_VIRTCFG") X(SR_VIRTID, "SR_VIRTID")            \
    X(SR_PM0, "SR_PM0") X(SR_PM1, "SR_PM1") X(SR_PM2, "SR_PM2") X(SR_PM3, "SR_PM3") X(SR_PM4, "SR_PM4")                \
    X(SR_PM5, "SR_PM5") X(SR_PM6, "SR_PM6") X(SR_PM7, "SR_PM7") X(SR_12, "SR12") X(SR_13, "SR13")                      \
    X(SR_14, "SR14") X(SR_15, r15) X(SR_PRIM_TYPE, "SR_PRIM_TYPE") X(SR_INVOCATION_ID, "SR_INVOCATION_ID")             \
    X(SR_Y_DIRECTION, "SR_Y_DIRECTION") X(SR_THREAD_KILL, "SR_THREAD_KILL") X(SR_SHADER_TYPE, "SM_SHADER_TYPE")        \
    X(SR_DIRECTCBEWRITEADDRESSLOW, "SR_DIRECTCBEWRITEADDRESSLOW")                                                      \
    X(SR_DIRECTCBEWRITEADDRESSHIGH, "SR_DIRECTCBEWRITEADDRESSHIGH")                                                    \
    X(SR_DIRECTCBEWRITEENABLED, "SR_DIRECTCBEWRITEENABLED") X(SR_MACHINE_ID_0, "SR_MACHINE_ID_0")                      \
    X(SR_MACHINE_ID_1, "SR_MACHINE_ID_1") X(SR_MACHINE_ID_2, "SR_MACHINE_ID_2")                                        \
    X(SR_MACHINE_ID_3, "SR_MACHINE_ID_3") X(SR_AFFINITY, "SR_AFFINITY")                                                \
    X(SR_INVOCATION_INFO, "SR_INVOCATION_INFO") X(SR_WSCALEFACTOR_XY, "SR_WSCALEFACTOR_XY")                            \
    X(SR_WSCALEFACTOR_Z, "SR_WSCALEFACTOR_Z") X(SR_TID, "SR_TID") X(SR_TID_X, "SR_TID.X")                              \
    X(SR_TID_Y, "SR_TID.Y") X(SR_TID_Z, "SR_TID.Z") X(SR_CTA_PARAM, "SR_CTA_PARAM") X(SR_CTAID_X, "SR_CTAID.X")        \
    X(SR_CTAID_Y, "SR_CTAID.Y") X(SR_CTAID_Z, "SR_CTAID.Z") X(SR_NTID, "SR_NTID")                                      \
    X(SR_CirQueueIncrMinusOne, "SR_CirQueueIncrMinusOne") X(SR_NLATC, "SR_NLATC") X(SR_43, "SR43")                     \
    X(SR_44, "SR44") X(SR_45, "SR45") X(SR_46, "SR46") X(SR_47, "SR47") X(SR_SWINLO, "SR_SWINLO")                      \
    X(SR_SWINSZ, "SR_SWINSZ") X(SR_SMEMSZ, "SR_SMEMSZ") X(SR_SMEMBANKS, "SR_SMEMBANKS")                                \
    X(SR_LWINLO, "SR_LWINLO") X(SR_LWINSZ, "SR_LWINSZ") X(SR_LMEMLOSZ, "SR_LMEMLOSZ")                                  \
    X(SR_LMEMHIOFF, "SR_LMEMHIOFF") X(SR_EQMASK, "SR_EQMASK") X(SR_LTMASK, "SR_LTMASK")                                \
    X(SR_LEMASK, "SR_LEMASK") X(SR_GTMASK, "SR_GTMASK") X(SR_GEMASK, "SR_GEMASK") X(SR_REGALLOC, "SR_REGALLOC")        \
    X(SR_CTXADDR, "SR_CTXADDR") X(SR_63, "SR63") X(SR_GLOBALERRORSTATUS, "SR_GLOBALERRORSTATUS")                       \
    X(SR_65, "SR65") X(SR_WARPERRORSTATUS, "SR_WARPERRORSTATUS")                                                       \
    X(SR_WARPERRORSTATUSCLEAR, "SR_WARPERRORSTATUSCLEAR") X(SR_68, "SR68") X(SR_69, "SR69") X(SR_70, "SR70")           \
    X(SR_71, "SR71") X(SR_PM_HI0, "SR_PM_HI0") X(SR_PM_HI1, "SR_PM_HI1") X(SR_PM_HI2, "SR_PM_HI2")                     \
    X(SR_PM_HI3, "SR_PM_HI3") X(SR_PM_HI4, "SR_PM_HI4") X(SR_PM_HI5, "SR_PM_HI5") X(SR_PM_HI6, "SR_PM_HI6")            \
    X(SR_PM_HI7, "SR_PM_HI7") X(SR_CLOCKLO, "SR_CLOCKLO") X(SR_CLOCKHI, "SR_CLOCKHI")                                  \
    X(SR_GLOBALTIMERLO, "SR_GLOBALTIMERLO") X(SR_GLOBALTIMERHI, "SR_GLOBALTIMERHI") X(SR_84, "SR84")                   \
    X(SR_85, "SR85") X(SR_86, "SR86") X(SR_87, "SR87") X(SR_88, "SR88") X(SR_89, "SR89") X(SR_90, "SR90")              \
    X(SR_91, "SR91") X(SR_92, "SR92") X(SR_93, "SR93") X(SR_94, "SR94") X(SR_95, "SR95")                               \
    X(SR_HWTASKID, "SR_HWTASKID") X(SR_CIRCULARQUEUEENTRYINDEX, "SR_CIRCULARQUEUEENTRYINDEX")                          \
    X(SR_CIRCULARQUEUEENTRYADDRESSLOW, "SR_CIRCULARQUEUEENTRYADDRESSLOW")                                              \
    X(SR_CIRCULARQUEUEENTRYADDRESSHIGH, "SR_CIRCULARQUEUEENTRYADDRESSHIGH")
/* clang-format on */
#define SASS_ID(id, text)   SASS_##id,
#define SASS_TEXT(id, text) text,
enum sass_clamp { SASS_CLAMP(SASS_ID) };
enum sass_ccpr { SASS_CCPR(SASS_ID) };
enum sass_castkind { SASS_CASTKIND(SASS_ID) };
enum sass_bpt { SASS_BPT(SASS_ID) };
enum sass_compare { SASS_FLOAT_COMPARES(SASS_ID, ) SASS_CMP3_T = SASS_CMP_GE + 1 /* of integers */ };
enum sass_fmz { SASS_FMZ(SASS_ID, ) };
enum sass_ofmt { SASS_OFMT(SASS_ID) };
enum sass_hsw { SASS_HSW(SASS_ID) };
enum sass_ldcache { SASS_LDCACHE(SASS_ID) };
enum sass_stcache { SASS_STCACHE(SASS_ID) };
enum sass_query { SASS_QUERIES(SASS_ID) };
enum sass_test { SASS_TESTS(SASS_ID, ) };
enum sass_sreg { SASS_SREGS(SASS_ID, ) SASS_SREG_COUNT };
enum sass_operation { SASS_OPERATIONS(SASS_ID) SASS_OPERATION_COUNT };
enum sass_suatomtype { SASS_SUATOMTYPES(SASS_ID, ) SASS_SUATOMTYPE_COUNT };

/* isa_row.flags: what an instruction is. */
enum sass_class {
    SASS_IS_SURFACE = ISA_CLASS << 0,
    SASS_IS_TEXTURE = ISA_CLASS << 1,
    SASS_IS_SHARED = ISA_CLASS << 2,
    SASS_IS_GLOBAL = ISA_CLASS << 3,
    SASS_IS_LOCAL = ISA_CLASS << 4,
    SASS_IS_GENERIC = ISA_CLASS << 5,
    SASS_IS_BANK = ISA_CLASS << 6,    /* reads constants */
    SASS_IS_ATOMIC = ISA_CLASS << 7,  /* on a surface or memory */
    SASS_IS_SWAP = ISA_CLASS << 8,    /* compare and swap; atomic */
    SASS_IS_SHORT = ISA_CLASS << 9,   /* texture: results in Rd and Rd2 */
    SASS_IS_HALVES = ISA_CLASS << 10, /* texture: results are halves */
    SASS_IS_DOUBLE = ISA_CLASS << 11,
    SASS_IS_NARROW = ISA_CLASS << 12,  /* double: the result is a word */
    SASS_IS_CONVERT = ISA_CLASS << 13, /* from the type `from` to the type `to` */
    SASS_IS_SPECIAL = ISA_CLASS << 14, /* done by the unit of special functions, as conversions are */
    SASS_IS_SHUFFLE = ISA_CLASS << 15,
    SASS_IS_FLOW = ISA_CLASS << 16,          /* may change where the warp goes on, or end it */
    SASS_MOVES_PREDICATES = ISA_CLASS << 17, /* moves all of them that a mask says */
    SASS_READS_CC = ISA_CLASS << 18,         /* always */
    SASS_REUSABLE = ISA_CLASS << 19,         /* registers carry .reuse */
    SASS_STRICT = ISA_CLASS << 20,           /* bit 20 of the control bits must be clear */
    SASS_FIXED = ISA_CLASS << 21,            /* fixed latency; no scoreboard in the control bits */
    /* Flow: three bits of enum sass_flow_kind, three of the token, and whether the target is an absolute address.
     */
    SASS_FLOW_AT = 23,
    SASS_TOKEN_AT = 26,
    SASS_IS_ABSOLUTE = 1 << 29,
    SASS_PLUS_ONE = 1 << 30, /* .PO: one more than the sum */
    SASS_IS_MEMORY = SASS_IS_SHARED | SASS_IS_GLOBAL | SASS_IS_LOCAL | SASS_IS_GENERIC | SASS_IS_BANK,
};

/* The same, above what an enum holds. */
#define SASS_GOES_ON    (UINT64_C(1) << 32) /* flow, but what is after it follows */
#define SASS_UNSIGNED_B (UINT64_C(1) << 33) /* video: B has no sign where the text says no type of it */
#define SASS_GRADIENTS  (UINT64_C(1) << 34) /* texture: Rb begins two derivatives a coordinate */
/* Texture: registers that Ra and Rb begin, where the row says it: three bits each. */
#define SASS_TAKES(ra, rb) (UINT64_C(1) * ((ra) | (rb) << 3) << 35)
static inline unsigned sass_taken(const struct isa_form *form, enum sass_role role)
{
    return (unsigned)(form->row->flags >> (role == SASS_ROLE_Ra ? 35 : 38)) & 7;
}

enum sass_flow_kind {
    SASS_FLOW_NONE,
    SASS_FLOW_GO,    /* to the target, else on */
    SASS_FLOW_CALL,  /* to the target, and later on */
    SASS_FLOW_VALUE, /* where a register or constant says */
    SASS_FLOW_PUSH,  /* a token: somebody may come to the target */
    SASS_FLOW_LEAVE, /* where a token says, if it has one */
};
static inline enum sass_flow_kind sass_flow_kind(const struct isa_form *form)
{
    return (enum sass_flow_kind)(form->row->flags >> SASS_FLOW_AT & 7);
}

/* What pushes and pops are of: enum lane_token plus 1; 0 = none. */
static inline unsigned sass_token(const struct isa_form *form)
{
    return (unsigned)(form->row->flags >> SASS_TOKEN_AT) & 7;
}

/* JCAL: a call of an absolute address. BRX: a branch by a register or constant, relative to itself. */
static inline bool sass_calls_address(const struct isa_form *form)
{
    return sass_flow_kind(form) == SASS_FLOW_CALL && isa_any(form, SASS_IS_ABSOLUTE);
}
static inline bool sass_branches_by_value(const struct isa_form *form)
{
    return sass_flow_kind(form) == SASS_FLOW_VALUE && !isa_any(form, SASS_IS_ABSOLUTE);
}

/* Condition codes. The numbers are the bits of P2R and R2P (INFERRED: the order in which the sources list them). */
enum sass_flag { SASS_Z, SASS_S, SASS_C, SASS_O, SASS_FLAGS };
enum { SASS_BIT_Z = 1, SASS_BIT_S = 2, SASS_BIT_C = 4, SASS_BIT_O = 8, SASS_BITS_ALL = 15 };

/* What an instruction does (isa_row.does). */
struct sass_lowerer;
typedef void sass_lower_fn(struct sass_lowerer *l);
struct sass_does {
    sass_lower_fn *lower; /* NULL: assembled and disassembled, but a launch that reaches it stops */
    const char *summary;
    const char *effect; /* formulas and rules, lines with '\n' between them */
    const char *source; /* headings of docs/maxwell.md */
    uint8_t codes;      /* condition codes that .X, and words after the first, read; 0: Z and C */
};
static inline const struct sass_does *sass_does(const struct isa_form *form)
{
    return form->row->does;
}

/* The table of all rows. Compiles all templates, about a millisecond; close with isa_close. */
bool sass_open(struct isa_table *table, struct atoll_error *error);
/* The same, compiled once per process. NULL: no memory. */
const struct isa_table *sass_table(struct atoll_error *error);

/* Where the header index that a surface or texture instruction names by number lies: byte *offset of its constant bank.
 * False: it names none. */
bool sass_bound_header(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                       uint32_t *offset);

/* The guard: a predicate, and 8 where it is inverted; 7 = always. */
unsigned sass_guard(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word);

/* Bytes of an element in memory, by the name in the role `size`; 4 where there is none or it is reserved. */
unsigned sass_element_bytes(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word);

/* Registers of the data: of an element, or of the components that .P names. */
uint8_t sass_data_registers(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word);

/* Registers of a surface's coordinates, by the value of the names sudim, which is enum lane_dim. */
uint8_t sass_coordinates(unsigned dim);

/* "Rd": what a role is called in explanations. */
const char *sass_role_name(unsigned role);

/* Why nvdisasm would refuse the control bits of an instruction of this form, or NULL: scoreboards on instructions of
 * fixed latency, the unused bit of the reuse field. */
const char *sass_control_refused(const struct isa_form *form, const struct isa_word *word);

#endif

/* The tables of the lane program: operation rows (from ops.h), types, and the names of every enum that the text form
 * writes. */
#include "lane/lane.h"

#include "lane/form.h"
#include "lane/names.h"

const struct lane_row lane_rows[LANE_OPS] = {
#define LANE_OP(name, dst, src, types, uses, is) [LANE_OP_##name] = {#name, dst, src, types, uses, is},
#include "lane/ops.h"
#undef LANE_OP
};

bool lane_shares(const struct lane_func *func, const struct lane_inst *inst)
{
    if (!lane_is(inst->op, LANE_SHARES) || !lane_uses(&lane_rows[inst->op], 'a'))
        return lane_is(inst->op, LANE_SHARES);
    unsigned space = func->accesses[inst->aux].space;
    return space != LANE_LOCAL && space != LANE_REGFILE && space != LANE_PARAM && space != LANE_CONSTANT;
}

static const struct {
    const char *name;
    uint8_t bits;
    bool is_signed, is_float;
} types[] = {
    [LANE_VOID] = {"void", 0, false, false},     [LANE_PRED] = {"pred", 1, false, false},
    [LANE_B8] = {"b8", 8, false, false},         [LANE_B16] = {"b16", 16, false, false},
    [LANE_B32] = {"b32", 32, false, false},      [LANE_B64] = {"b64", 64, false, false},
    [LANE_B128] = {"b128", 128, false, false},   [LANE_U8] = {"u8", 8, false, false},
    [LANE_U16] = {"u16", 16, false, false},      [LANE_U32] = {"u32", 32, false, false},
    [LANE_U64] = {"u64", 64, false, false},      [LANE_S8] = {"s8", 8, true, false},
    [LANE_S16] = {"s16", 16, true, false},       [LANE_S32] = {"s32", 32, true, false},
    [LANE_S64] = {"s64", 64, true, false},       [LANE_F16] = {"f16", 16, false, true},
    [LANE_BF16] = {"bf16", 16, false, true},     [LANE_F32] = {"f32", 32, false, true},
    [LANE_F64] = {"f64", 64, false, true},       [LANE_F16X2] = {"f16x2", 32, false, true},
    [LANE_BF16X2] = {"bf16x2", 32, false, true}, [LANE_U16X2] = {"u16x2", 32, false, false},
    [LANE_S16X2] = {"s16x2", 32, false, false},  [LANE_TF32] = {"tf32", 32, false, true},
    [LANE_E4M3X2] = {"e4m3x2", 16, false, true}, [LANE_E5M2X2] = {"e5m2x2", 16, false, true},
    [LANE_E2M3X2] = {"e2m3x2", 16, false, true}, [LANE_E3M2X2] = {"e3m2x2", 16, false, true},
    [LANE_E2M1X2] = {"e2m1x2", 8, false, true},  [LANE_UE8M0X2] = {"ue8m0x2", 16, false, true},
};
_Static_assert(sizeof types / sizeof *types == LANE_TYPES, "a type has no row");

unsigned lane_type_bits(enum lane_type type)
{
    return (unsigned)type < LANE_TYPES ? types[type].bits : 0;
}

enum lane_type lane_bits_type(unsigned bits)
{
    enum lane_type type = LANE_PRED;
    while (type < LANE_B128 && types[type].bits < bits)
        type++;
    return type;
}

const char *lane_type_name(enum lane_type type)
{
    return (unsigned)type < LANE_TYPES ? types[type].name : "?";
}

bool lane_type_signed(enum lane_type type)
{
    return (unsigned)type < LANE_TYPES && types[type].is_signed;
}

bool lane_type_float(enum lane_type type)
{
    return (unsigned)type < LANE_TYPES && types[type].is_float;
}

/* ---- names of enums ---------------------------------------------------------------------------- */

static const char *const round_names[] = {
    [LANE_RN] = "rn",   [LANE_RZ] = "rz",   [LANE_RM] = "rm",   [LANE_RP] = "rp",   [LANE_RNI] = "rni",
    [LANE_RZI] = "rzi", [LANE_RMI] = "rmi", [LANE_RPI] = "rpi", [LANE_RNA] = "rna",
};
_Static_assert(sizeof round_names / sizeof *round_names == LANE_ROUNDS, "a rounding has no name");

static const char *const cmp_names[] = {
    [LANE_EQ] = "eq",   [LANE_NE] = "ne",   [LANE_LT] = "lt",   [LANE_LE] = "le",    [LANE_GT] = "gt",
    [LANE_GE] = "ge",   [LANE_EQU] = "equ", [LANE_NEU] = "neu", [LANE_LTU] = "ltu",  [LANE_LEU] = "leu",
    [LANE_GTU] = "gtu", [LANE_GEU] = "geu", [LANE_NUM] = "num", [LANE_NANS] = "nan",
};
_Static_assert(sizeof cmp_names / sizeof *cmp_names == LANE_CMPS, "a comparison has no name");

/* Bit n of the flags. */
static const char *const flag_names[] = {"ftz", "sat", "approx", "relu", "nan", "abs", "clamp", "uni", "whole"};

static const char *const space_names[] = {
    [LANE_GENERIC] = "generic",   [LANE_GLOBAL] = "global", [LANE_SHARED] = "shared",   [LANE_LOCAL] = "local",
    [LANE_CONSTANT] = "constant", [LANE_PARAM] = "param",   [LANE_REGFILE] = "regfile", [LANE_SURFACE] = "surface",
};
_Static_assert(sizeof space_names / sizeof *space_names == LANE_SPACES, "a space has no name");

static const char *const atomic_names[] = {
    [LANE_ATOMIC_ADD] = "add",       [LANE_ATOMIC_MIN] = "min", [LANE_ATOMIC_MAX] = "max",
    [LANE_ATOMIC_AND] = "and",       [LANE_ATOMIC_OR] = "or",   [LANE_ATOMIC_XOR] = "xor",
    [LANE_ATOMIC_EXCH] = "exch",     [LANE_ATOMIC_CAS] = "cas", [LANE_ATOMIC_INC] = "inc",
    [LANE_ATOMIC_DEC] = "dec",       [LANE_ATOMIC_SUB] = "sub", [LANE_ATOMIC_FCAS] = "fcas",
    [LANE_ATOMIC_PREDEC] = "predec",
};
_Static_assert(sizeof atomic_names / sizeof *atomic_names == LANE_ATOMICS, "an atomic has no name");

static const char *const order_names[] = {
    [LANE_WEAK] = "weak",       [LANE_VOLATILE] = "volatile", [LANE_RELAXED] = "relaxed", [LANE_ACQUIRE] = "acquire",
    [LANE_RELEASE] = "release", [LANE_ACQ_REL] = "acq_rel",   [LANE_SC] = "sc",
};

static const char *const scope_names[] = {
    [LANE_SCOPE_NONE] = "none", [LANE_SCOPE_CTA] = "cta", [LANE_SCOPE_CLUSTER] = "cluster",
    [LANE_SCOPE_GPU] = "gpu",   [LANE_SCOPE_SYS] = "sys",
};

static const char *const fence_names[] = {
    [LANE_SCOPE_NONE] = "none",
    [LANE_SCOPE_CTA] = "cta",
    [LANE_SCOPE_CLUSTER] = "cluster",
    [LANE_SCOPE_GPU] = "gpu",
    [LANE_SCOPE_SYS] = "sys",
    [LANE_FENCE_PROXY] = "proxy",
    [LANE_FENCE_LIGHT + LANE_SCOPE_CTA] = "light_cta",
    [LANE_FENCE_LIGHT + LANE_SCOPE_CLUSTER] = "light_cluster",
    [LANE_FENCE_LIGHT + LANE_SCOPE_GPU] = "light_gpu",
    [LANE_FENCE_LIGHT + LANE_SCOPE_SYS] = "light_sys",
};

static const char *const dim_names[] = {
    [LANE_DIM_1D] = "1d",   [LANE_DIM_1D_BUFFER] = "1dbuffer", [LANE_DIM_1D_ARRAY] = "1darray",
    [LANE_DIM_2D] = "2d",   [LANE_DIM_2D_ARRAY] = "2darray",   [LANE_DIM_3D] = "3d",
    [LANE_DIM_ANY] = "any",
};
_Static_assert(sizeof dim_names / sizeof *dim_names == LANE_ACCESS_DIMS, "a dimension has no name");

const struct lane_geometry lane_geometries[LANE_ACCESS_DIMS] = {
    [LANE_DIM_1D] = {"1D", 1, {LANE_AXIS_NONE}},
    [LANE_DIM_1D_BUFFER] = {"1D buffer", 1, {LANE_AXIS_NONE}},
    [LANE_DIM_1D_ARRAY] = {"1D array", 2, {LANE_AXIS_LAYER}},
    [LANE_DIM_2D] = {"2D", 2, {LANE_AXIS_ROW}},
    [LANE_DIM_2D_ARRAY] = {"2D array", 3, {LANE_AXIS_ROW, LANE_AXIS_LAYER}},
    [LANE_DIM_3D] = {"3D", 3, {LANE_AXIS_ROW, LANE_AXIS_SLICE}},
    [LANE_DIM_ANY] = {"any", 3, {LANE_AXIS_NONE}},
};

bool lane_has_axis(unsigned dim, enum lane_axis axis)
{
    return dim < LANE_DIMS && (lane_geometries[dim].axes[0] == axis || lane_geometries[dim].axes[1] == axis);
}

static const char *const clamp_names[] = {
    [LANE_CLAMP_TRAP] = "trap",
    [LANE_CLAMP_NEAR] = "near",
    [LANE_CLAMP_ZERO] = "zero",
    [LANE_CLAMP_BORDER] = "border",
};

static const char *const unit_names[] = {[LANE_UNIT_BYTE] = "byte", [LANE_UNIT_SAMPLE] = "sample"};

static const char *const symbol_names[] = {
    [LANE_SYMBOL_GLOBAL] = "global",
    [LANE_SYMBOL_SHARED] = "shared",
    [LANE_SYMBOL_SURFREF] = "surfref",
    [LANE_SYMBOL_FUNCTION] = "function",
};

static const char *const token_names[] = {
    [LANE_TOKEN_SYNC] = "sync",     [LANE_TOKEN_BREAK] = "break", [LANE_TOKEN_CONTINUE] = "continue",
    [LANE_TOKEN_RETURN] = "return", [LANE_TOKEN_EXIT] = "exit",   [LANE_TOKEN_JUMP] = "jump",
};
_Static_assert(sizeof token_names / sizeof *token_names == LANE_TOKENS, "a token has no name");

static const char *const fault_names[] = {
    [LANE_FAULT_OVERFLOW] = "overflow",       [LANE_FAULT_UNDERFLOW] = "underflow", [LANE_FAULT_JUMP] = "jump",
    [LANE_FAULT_INSTRUCTION] = "instruction", [LANE_FAULT_UNBOUND] = "unbound",
};
_Static_assert(sizeof fault_names / sizeof *fault_names == LANE_FAULTS, "a fault has no name");

static const char *const word_names[] = {
    [LANE_WORD_SHARED] = "shared",       [LANE_WORD_LOCAL] = "local",
    [LANE_WORD_STACK] = "stack",         [LANE_WORD_NTID_X] = "ntid_x",
    [LANE_WORD_NTID_Y] = "ntid_y",       [LANE_WORD_NTID_Z] = "ntid_z",
    [LANE_WORD_NCTAID_X] = "nctaid_x",   [LANE_WORD_NCTAID_Y] = "nctaid_y",
    [LANE_WORD_NCTAID_Z] = "nctaid_z",   [LANE_WORD_DYNAMIC] = "dynamic",
    [LANE_WORD_ADDRESS] = "address",     [LANE_WORD_SURFACES] = "surfaces",
    [LANE_WORD_WORKSPACE] = "workspace", [LANE_WORD_WORKSPACE_HIGH] = "workspace_high",
    [LANE_WORD_THREADS_X] = "threads_x", [LANE_WORD_THREADS_Y] = "threads_y",
    [LANE_WORD_THREADS_Z] = "threads_z", [LANE_WORD_DIMENSIONS] = "dimensions",
    [LANE_WORD_SEED] = "seed",           [LANE_WORD_SURFACE] = "surface",
    [LANE_WORD_VALUE] = "value",
};
_Static_assert(sizeof word_names / sizeof *word_names == LANE_WORDS, "a word of the launch has no name");

#define NAMES(array)                                    \
    {                                                   \
        array, (unsigned)(sizeof array / sizeof *array) \
    }

const struct lane_names lane_round_names = NAMES(round_names), lane_cmp_names = NAMES(cmp_names),
                        lane_flag_names = NAMES(flag_names), lane_space_names = NAMES(space_names),
                        lane_atomic_names = NAMES(atomic_names), lane_order_names = NAMES(order_names),
                        lane_scope_names = NAMES(scope_names), lane_dim_names = NAMES(dim_names),
                        lane_clamp_names = NAMES(clamp_names), lane_unit_names = NAMES(unit_names),
                        lane_symbol_names = NAMES(symbol_names), lane_token_names = NAMES(token_names),
                        lane_word_names = NAMES(word_names);

/* ---- modes -------------------------------------------------------------------------------------- */

static const char *const sreg_names[] = {
#define LANE_SREG(name, text, is) [LANE_SREG_##name] = text,
#include "lane/sregs.h"
#undef LANE_SREG
};

static const uint8_t sreg_is[] = {
#define LANE_SREG(name, text, is) [LANE_SREG_##name] = is,
#include "lane/sregs.h"
#undef LANE_SREG
};

bool lane_sreg_is(unsigned sreg, unsigned properties)
{
    return sreg < LANE_SREGS && (sreg_is[sreg] & properties);
}

uint32_t lane_reserved(unsigned sreg)
{
    return sreg == LANE_SREG_RESERVED_END ? LANE_RESERVED_BYTES
           : sreg == LANE_SREG_RESERVED_1 ? LANE_RESERVED_BYTES / 2
                                          : 0;
}

static const char *const prmt_names[] = {
    [LANE_PRMT_IDX] = "idx", [LANE_PRMT_F4E] = "f4e", [LANE_PRMT_B4E] = "b4e",   [LANE_PRMT_RC8] = "rc8",
    [LANE_PRMT_ECL] = "ecl", [LANE_PRMT_ECR] = "ecr", [LANE_PRMT_RC16] = "rc16",
};
_Static_assert(sizeof prmt_names / sizeof *prmt_names == LANE_PRMTS, "a prmt mode has no name");

static const char *const testp_names[] = {
    [LANE_TESTP_FINITE] = "finite",         [LANE_TESTP_INFINITE] = "infinite", [LANE_TESTP_NUMBER] = "number",
    [LANE_TESTP_NOTANUMBER] = "notanumber", [LANE_TESTP_NORMAL] = "normal",     [LANE_TESTP_SUBNORMAL] = "subnormal",
};
_Static_assert(sizeof testp_names / sizeof *testp_names == LANE_TESTPS, "a testp mode has no name");

static const char *const suq_names[] = {
    [LANE_SUQ_FIRST] = "first",
    [LANE_SUQ_SECOND] = "second",
    [LANE_SUQ_THIRD] = "third",
    [LANE_SUQ_CHANNEL_DATA_TYPE] = "channel_data_type",
    [LANE_SUQ_CHANNEL_ORDER] = "channel_order",
    [LANE_SUQ_ARRAY_SIZE] = "array_size",
    [LANE_SUQ_MEMORY_LAYOUT] = "memory_layout",
};
_Static_assert(sizeof suq_names / sizeof *suq_names == LANE_SUQS, "a suq mode has no name");

static const char *const suql_names[] = {
    [LANE_SUQL_FIRST] = "first",   [LANE_SUQL_SECOND] = "second",   [LANE_SUQL_THIRD] = "third",
    [LANE_SUQL_LEVELS] = "levels", [LANE_SUQL_SAMPLES] = "samples",
};
_Static_assert(sizeof suql_names / sizeof *suql_names == LANE_SUQLS, "a suql mode has no name");

static const char *const sample_names[] = {
    [LANE_SAMPLE_LOD] = "lod",       [LANE_SAMPLE_LOD_C] = "lod_c",   [LANE_SAMPLE_GRAD] = "grad",
    [LANE_SAMPLE_GRAD_C] = "grad_c", [LANE_SAMPLE_GATHER] = "gather", [LANE_SAMPLE_GATHER_C] = "gather_c",
};
_Static_assert(sizeof sample_names / sizeof *sample_names == LANE_SAMPLES, "a way to sample has no name");

static const char *const shfl_names[] = {
    [LANE_SHFL_UP] = "up",
    [LANE_SHFL_DOWN] = "down",
    [LANE_SHFL_BFLY] = "bfly",
    [LANE_SHFL_IDX] = "idx",
};
_Static_assert(sizeof shfl_names / sizeof *shfl_names == LANE_SHFLS, "a shfl mode has no name");

static const char *const vote_names[] = {[LANE_VOTE_ALL] = "all", [LANE_VOTE_ANY] = "any", [LANE_VOTE_UNI] = "uni"};
_Static_assert(sizeof vote_names / sizeof *vote_names == LANE_VOTES, "a vote mode has no name");

static const char *const syscall_names[] = {
    [LANE_SYSCALL_VPRINTF] = "vprintf",
    [LANE_SYSCALL_MALLOC] = "malloc",
    [LANE_SYSCALL_FREE] = "free",
    [LANE_SYSCALL_ASSERTFAIL] = "assertfail",
};
_Static_assert(sizeof syscall_names / sizeof *syscall_names == LANE_SYSCALLS, "a syscall has no name");

static const char *const mbartx_names[] = {[LANE_MBARTX_EXPECT] = "expect", [LANE_MBARTX_COMPLETE] = "complete"};
_Static_assert(sizeof mbartx_names / sizeof *mbartx_names == LANE_MBARTXS, "an mbartx mode has no name");

static const char *const mbararrive_names[] = {
    [LANE_MBAR_ARRIVE] = "arrive",
    [LANE_MBAR_ARRIVE_KEEP] = "arrive_keep",
    [LANE_MBAR_DROP] = "drop",
    [LANE_MBAR_DROP_KEEP] = "drop_keep",
};
_Static_assert(sizeof mbararrive_names / sizeof *mbararrive_names == LANE_MBAR_ARRIVES, "an arrival has no name");

static const char *const mbarwait_names[] = {
    [LANE_MBAR_TEST] = "test",
    [LANE_MBAR_TEST_PARITY] = "test_parity",
    [LANE_MBAR_TRY] = "try",
    [LANE_MBAR_TRY_PARITY] = "try_parity",
};
_Static_assert(sizeof mbarwait_names / sizeof *mbarwait_names == LANE_MBAR_WAITS, "an mbarwait mode has no name");

static const char *const half_names[] = {"lo", "hi"};
static const char *const funnel_names[] = {"l", "r"};
static const char *const value_names[] = {"float", "mask"};
static const char *const match_names[] = {"any", "all"};
static const char *const bar_names[] = {"sync", "arrive", "wait"};
static const char *const barred_names[] = {"popc", "and", "or"};
/* The number of packed lanes itself is the mode: only these two have names. */
static const char *const video_names[] = {NULL, NULL, "x2", NULL, "x4"};

static const struct {
    enum lane_op op;
    struct lane_names names;
} mode_rows[] = {
    {LANE_OP_sreg, NAMES(sreg_names)},         {LANE_OP_mul24, NAMES(half_names)},
    {LANE_OP_mad24, NAMES(half_names)},        {LANE_OP_madc, NAMES(half_names)},
    {LANE_OP_dp2a, NAMES(half_names)},         {LANE_OP_shf, NAMES(funnel_names)},
    {LANE_OP_prmt, NAMES(prmt_names)},         {LANE_OP_testp, NAMES(testp_names)},
    {LANE_OP_set2, NAMES(value_names)},        {LANE_OP_vabsdiff, NAMES(video_names)},
    {LANE_OP_suq, NAMES(suq_names)},           {LANE_OP_fence, NAMES(fence_names)},
    {LANE_OP_isspacep, NAMES(space_names)},    {LANE_OP_shfl, NAMES(shfl_names)},
    {LANE_OP_vote, NAMES(vote_names)},         {LANE_OP_match, NAMES(match_names)},
    {LANE_OP_redux, NAMES(atomic_names)},      {LANE_OP_bar, NAMES(bar_names)},
    {LANE_OP_barred, NAMES(barred_names)},     {LANE_OP_syscall, NAMES(syscall_names)},
    {LANE_OP_mbartx, NAMES(mbartx_names)},     {LANE_OP_mbararrive, NAMES(mbararrive_names)},
    {LANE_OP_mbarwait, NAMES(mbarwait_names)}, {LANE_OP_push, NAMES(token_names)},
    {LANE_OP_pop, NAMES(token_names)},         {LANE_OP_suql, NAMES(suql_names)},
    {LANE_OP_sample, NAMES(sample_names)},     {LANE_OP_fault, NAMES(fault_names)},
};

const struct lane_names *lane_mode_names(enum lane_op op)
{
    for (size_t i = 0; i < sizeof mode_rows / sizeof *mode_rows; i++)
        if (mode_rows[i].op == op)
            return &mode_rows[i].names;
    return NULL;
}

const char *lane_name(const struct lane_names *names, unsigned value)
{
    return value < names->count ? names->names[value] : NULL;
}

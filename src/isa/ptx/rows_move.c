/* Rows of moves, conversions, loads, stores and address instructions. Notation: row.h. */
#include "isa/ptx/lower.h"
#include "isa/ptx/rows.h"

#define RND   "rn|rz|rm|rp"
#define RNDI  "rni|rzi|rmi|rpi"
#define INT   "u8|u16|u32|u64|s8|s16|s32|s64"
#define UNARY "d>t~ a:u~"

static const struct ptx_pattern mov_forms[] = {
    {"u16|u32|u64|s16|s32|s64|b16|b32|b64|b128@83/70|f32|f64|pred", "d>* a:*", .op = LANE_OP_mov},
    {"v2|v4 u16|u32|u64|s16|s32|s64|b16|b32|b64|f32|f64", "d>* a:*", .check = check_mov_vector,
     .lower = lower_mov_vector},
};
DEFINE(mov, "mov", "moves, packs, unpacks, or takes an address", check_mov, lower_mov)

static const struct ptx_pattern cvt_forms[] = {
    ANY("sat? " INT " " INT, UNARY),
    ANY(RND " ftz? sat? f32 " INT, UNARY),
    ANY(RND " sat? f16|f64 " INT, UNARY),
    {RND " bf16 " INT, UNARY, .version = 78, .target = 90},
    ANY(RNDI " ftz? sat? " INT " f32", UNARY),
    ANY(RNDI " sat? " INT " f16|f64", UNARY),
    {RNDI " " INT " bf16", UNARY, .version = 78, .target = 90},
    ANY(RND " ftz? sat? f32 f64", UNARY),
    ANY(RND " ftz? sat? f16 f32", UNARY),
    ANY(RND " sat? f16 f64", UNARY),
    {RND " bf16 f16|f64", UNARY, .version = 78, .target = 90},
    {"rn|rz relu satfinite@81? f16 f32", UNARY, .version = 70, .target = 80},
    {"rn|rz satfinite f16 f32", UNARY, .version = 81},
    {"rn|rz relu? satfinite@81? bf16 f32", UNARY, .version = 70, .target = 80},
    {"rm|rp bf16 f32", UNARY, .version = 70, .target = 80},
    ANY("ftz? sat? f32 f16", UNARY),
    {"f32 bf16", UNARY, .version = 71, .target = 80},
    {RND " f32 bf16", UNARY, .version = 71, .target = 80},
    ANY("ftz? sat? f64 f32", UNARY),
    ANY("sat? f64 f16", UNARY),
    {"f64 bf16", UNARY, .version = 78, .target = 90},
    {RND "? f16 bf16", UNARY, .version = 78, .target = 90},
    ANY(RNDI "? ftz? sat? f32 f32", UNARY),
    ANY(RNDI "? sat? f64 f64", UNARY),
    ANY(RNDI "? sat? f16 f16", UNARY),
    {RNDI "? bf16 bf16", UNARY, .version = 78, .target = 90},
    {"rn|rz relu? satfinite@81? f16x2|bf16x2 f32", "d>t a:u b:u", .version = 70, .target = 80, .lower = lower_cvt_pair},
    {"rna satfinite@81? tf32 f32", "d>t a:u", .version = 70, .target = 80},
    {"rn|rz relu? satfinite@86/100? tf32 f32", "d>t a:u", .version = 78, .target = 90},
    {"pack sat u16|s16 s32", "d>4~ a:u~ b:u~", .version = 65, .target = 72, .check = check_cvt_pack,
     .lower = lower_cvt_pair},
    {"pack sat u8|s8 s32 b32", "d>4~ a:u~ b:u~ c:v~", .version = 65, .target = 72, .check = check_cvt_pack,
     .lower = lower_cvt_pack},
    {"pack sat u4|s4|u2|s2 s32 b32", "d>4~ a:u~ b:u~ c:v~", .version = 65, .target = 75, .check = check_cvt_pack,
     .lower = lower_cvt_pack},
    {"rn satfinite relu? e4m3x2|e5m2x2 f32", "d>t a:u b:u", .version = 78, .target = 89, .check = check_cvt_fp8,
     .lower = lower_cvt_pair},
    {"rn satfinite relu? e4m3x2|e5m2x2 f16x2", "d>t a:u", .version = 78, .target = 89, .check = check_cvt_fp8},
    {"rn relu? f16x2 e4m3x2|e5m2x2", "d>t a:u", .version = 78, .target = 89, .check = check_cvt_fp8},
    {"rn satfinite relu? e2m3x2|e3m2x2|e2m1x2 f32", "d>t a:u b:u", .version = 86, .target = 100,
     .only = "100f 110f 120f", .lower = lower_cvt_pair},
    {"rn satfinite relu? e2m1x2 f16x2", "d>t a:u", .version = 86, .target = 100, .only = "100f 110f 120f"},
    {"rn relu? f16x2 e2m3x2|e3m2x2|e2m1x2", "d>t a:u", .version = 86, .target = 100, .only = "100f 110f 120f"},
    {"rz|rp satfinite? ue8m0x2 f32", "d>t a:u b:u", .version = 86, .target = 100, .only = "100f 110f 120f",
     .lower = lower_cvt_pair},
    {"rz|rp satfinite? ue8m0x2 bf16x2", "d>t a:*", .version = 86, .target = 100, .only = "100f 110f 120f",
     .check = check_cvt_ue8m0},
    {"rn bf16x2 ue8m0x2", "d>* a:u", .version = 86, .target = 100, .only = "100f 110f 120f", .check = check_cvt_ue8m0},
    {"rs relu? satfinite? f16x2|bf16x2 f32", "d>t a:u b:u rbits:4%", .version = 87, .target = 100, .only = "100a 103a",
     .check = check_cvt_random, .lower = lower_cvt_random},
    {"rs relu? satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32", NULL, .version = 87, .target = 100,
     .only = "100a 103a", .check = check_cvt_random4, .lower = lower_cvt_random4},
};
DEFINE(cvt, "cvt", "converts between types", check_cvt, lower_cvt)

/* -- memory -- */
#define SHARED   "shared|shared::cta@78|shared::cluster@78/90"
#define LD_SPACE "const|global|local|param|param::entry@83|param::func@83|" SHARED
#define ST_SPACE "global|local|param|param::func@83|" SHARED
#define SYNC     "global|" SHARED
#define SCOPE    "cta|cluster@78/90|gpu|sys"
#define TYPE     "b8|b16|b32|b64|b128@83/70|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define EVICT                                                                                                         \
    "L1::evict_normal@74/70|L1::evict_unchanged@74/70|L1::evict_first@74/70|L1::evict_last@74/70|L1::no_allocate@74/" \
    "70"
#define EVICT2 "L2::evict_last@88/100|L2::evict_normal@88/100|L2::evict_first@88/100"
#define L2SIZE "L2::64B@74/75|L2::128B@74/75|L2::256B@74/80"
#define HINT   "L2::cache_hint@74/80"
#define VEC    "v2|v4|v8@88/100?"
#define LD     "d>x a:m policy:8?"
#define ST     "a:m b:x policy:8?"

/* Prefetch sizes and cache policies go with global memory (or generic addresses) only, evictions from L2 with 256-bit
 * accesses only. */
static const struct ptx_pattern ld_forms[] = {
    ANY("weak@60/70? " LD_SPACE "? ca|cg|cs|lu|cv? " VEC " " TYPE, LD),
    ANY("weak@60/70? global? ca|cg|cs|lu|cv? " L2SIZE "? " HINT "? " VEC " " TYPE, LD),
    ANY("weak@60/70? global? " EVICT " " L2SIZE "? " HINT "? " VEC " " TYPE, LD),
    ANY("weak? global? " EVICT "? " EVICT2 " " L2SIZE "? " HINT "? v8 b32|u32|s32|f32", LD),
    ANY("weak? global? " EVICT "? " EVICT2 " " L2SIZE "? " HINT "? v4 b64|u64|s64|f64", LD),
    ANY("volatile " SYNC "? " VEC " " TYPE, LD),
    ANY("volatile global? " L2SIZE " " VEC " " TYPE, LD),
    {"relaxed|acquire " SCOPE " " SYNC "? " VEC " " TYPE, LD, .version = 60, .target = 70},
    {"relaxed|acquire " SCOPE " global? " EVICT "? " L2SIZE "? " HINT "? " VEC " " TYPE, LD, .version = 60,
     .target = 70},
    {"mmio relaxed sys global? " TYPE, LD, .version = 82, .target = 70},
    {"global ca|cg|cs? nc " L2SIZE "? " HINT "? " VEC " " TYPE, LD, .version = 31, .target = 32},
    {"global nc " EVICT " " L2SIZE "? " HINT "? " VEC " " TYPE, LD, .version = 31, .target = 32},
    ANY("global nc " EVICT "? " EVICT2 " " L2SIZE "? " HINT "? v8 b32|u32|s32|f32", LD),
    ANY("global nc " EVICT "? " EVICT2 " " L2SIZE "? " HINT "? v4 b64|u64|s64|f64", LD),
};
DEFINE(ld, "ld", "loads from memory", check_ld, lower_ld)
static const struct ptx_pattern ldu_forms[] = {ANY("global? v2|v4? " TYPE, "d>x a:m")};
DEFINE(ldu, "ldu", "loads from read-only memory", check_ld, lower_ld)

/* The types of st.async to shared memory; to global memory it takes narrower ones too. */
#define ASYNC_TYPE "b32|b64|u32|u64|s32|s64|f32|f64"
#define ASYNC(version_, target_, mods, operands)                                                                 \
    {                                                                                                            \
        mods, operands, .version = version_, .target = target_, .check = check_st_async, .lower = lower_st_async \
    }
static const struct ptx_pattern st_forms[] = {
    ANY("weak@60/70? " ST_SPACE "? wb|cg|cs|wt? " VEC " " TYPE, ST),
    ANY("weak@60/70? global? wb|cg|cs|wt? " HINT " " VEC " " TYPE, ST),
    ANY("weak@60/70? global? " EVICT " " HINT "? " VEC " " TYPE, ST),
    ANY("weak? global? " EVICT "? " EVICT2 " " HINT "? v8 b32|u32|s32|f32", ST),
    ANY("weak? global? " EVICT "? " EVICT2 " " HINT "? v4 b64|u64|s64|f64", ST),
    ANY("volatile " SYNC "? " VEC " " TYPE, ST),
    {"relaxed|release " SCOPE " " SYNC "? " VEC " " TYPE, ST, .version = 60, .target = 70},
    {"relaxed|release " SCOPE " global? " EVICT "? " HINT "? " VEC " " TYPE, ST, .version = 60, .target = 70},
    {"mmio relaxed sys global? " TYPE, ST, .version = 82, .target = 70},
    ASYNC(81, 90, "async! weak? shared|shared::cta|shared::cluster? mbarrier::complete_tx::bytes v2|v4? " ASYNC_TYPE,
          "a:m b:y bar:m"),
    ASYNC(87, 100, "async! mmio? release gpu|sys global? b8|b16|u8|u16|s8|s16|" ASYNC_TYPE, "a:m b:t"),
    {"bulk! weak? shared::cta?", "a:m size:* value:4#", .version = 86, .target = 100, .check = check_st_bulk,
     .lower = ptx_lower_unsupported},
};
DEFINE(st, "st", "stores to memory", check_st, lower_st)

static const struct ptx_pattern prefetch_forms[] = {
    ANY("global|local? L1|L2", "a:m"),
    {"global? L2::evict_last|L2::evict_normal", "a:m", .version = 74, .target = 80},
    {"const|param? tensormap", "a:m", .version = 80, .target = 90},
};
DEFINE(prefetch, "prefetch", "brings a line into a cache", NULL, ptx_lower_nothing)
static const struct ptx_pattern prefetchu_forms[] = {ANY("L1", "a:m")};
DEFINE(prefetchu, "prefetchu", "brings a line into the uniform cache", NULL, ptx_lower_nothing)
static const struct ptx_pattern discard_forms[] = {{"global? L2", "a:m size:4#", .version = 74, .target = 80}};
DEFINE(discard, "discard", "drops a line of a cache", check_line_size, ptx_lower_nothing)
static const struct ptx_pattern applypriority_forms[] = {
    {"global? L2::evict_normal", "a:m size:4#", .version = 74, .target = 80}};
DEFINE(applypriority, "applypriority", "changes the eviction priority of a line", check_line_size, ptx_lower_nothing)
#define POLICY \
    "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? b64"
static const struct ptx_pattern createpolicy_forms[] = {
    {"fractional! " POLICY, "d>t fraction:*?", .version = 74, .target = 80, .check = check_fraction},
    SINCE(74, 80, "range! global? " POLICY, "d>t a:m primary:4 total:4"),
    SINCE(74, 80, "cvt! L2 b64", "d>t a:t"),
};
DEFINE(createpolicy, "createpolicy", "makes a cache policy; here always 0", NULL, lower_zero)

/* -- addresses -- */
static const struct ptx_pattern cvta_forms[] = {
    ANY("to? const|global|local|" SHARED "|param@77/70|param::entry@83/70 u32|u64", "d>t a:*")};
DEFINE(cvta, "cvta", "converts between generic addresses and those of a space", check_cvta, lower_cvta)
static const struct ptx_pattern isspacep_forms[] = {
    ANY("const@31|global|local|" SHARED "|param@77/70|param::entry@83/70", "p>p a:*")};
DEFINE(isspacep, "isspacep", "does a generic address fall into a space?", check_isspacep, lower_isspacep)
static const struct ptx_pattern istypep_forms[] = {
    {"texref|samplerref|surfref", "p>p a:8", .version = 40, .target = 30}};
DEFINE(istypep, "istypep", "does an address name an opaque object?", NULL, ptx_lower_unsupported)

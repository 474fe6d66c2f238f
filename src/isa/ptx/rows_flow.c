/* Rows of control flow, barriers, fences and warp instructions. Notation: row.h. */
#include "isa/ptx/lower.h"
#include "isa/ptx/rows.h"

static const struct ptx_pattern bra_forms[] = {ANY("uni?", "target:l")};
DEFINE(bra, "bra", "branches to a label", NULL, lower_bra)
static const struct ptx_pattern brx_forms[] = {SINCE(60, 30, "idx uni?", "index:4 targets:*")};
DEFINE(brx, "brx", "branches to a label of a list", check_brx, lower_brx)
static const struct ptx_pattern call_forms[] = {ANY("uni?", NULL)};
DEFINE(call, "call", "calls a function", check_call, lower_call)
static const struct ptx_pattern ret_forms[] = {ANY("uni?", "")};
DEFINE(ret, "ret", "returns from a function; ends a kernel's thread", NULL, lower_ret)
static const struct ptx_pattern exit_forms[] = {ANY("", "")};
DEFINE(exit, "exit", "ends the thread", NULL, lower_exit)
static const struct ptx_pattern trap_forms[] = {{"", "", .op = LANE_OP_trap}};
DEFINE(trap, "trap", "stops the launch with an error", NULL, NULL)
static const struct ptx_pattern brkpt_forms[] = {{"", "", .op = LANE_OP_brkpt}};
DEFINE(brkpt, "brkpt", "breakpoint", NULL, NULL)
static const struct ptx_pattern nanosleep_forms[] = {
    {"u32", "t:t", .version = 63, .target = 70, .op = LANE_OP_nanosleep}};
DEFINE(nanosleep, "nanosleep", "lets other warps run for a while", NULL, NULL)
static const struct ptx_pattern pmevent_forms[] = {ANY("", "a:4#"), SINCE(30, 20, "mask", "a:4#")};
DEFINE(pmevent, "pmevent", "triggers performance events", check_pmevent, ptx_lower_nothing)

/* -- barriers and fences -- */
static const struct ptx_pattern bar_forms[] = {
    ANY("cta@78? sync", "a:4 b:4?"),
    ANY("cta@78? arrive", "a:4 b:4"),
    ANY("cta@78? red popc u32", "d>4 a:4 b:4? p:p!"),
    ANY("cta@78? red and|or pred", "d>p a:4 b:4? p:p!"),
    {"warp sync", "members:4", .version = 60, .target = 30, .op = LANE_OP_barwarp, .lower = ptx_lower_simple},
};
DEFINE(bar, "bar", "barrier of the block, or of a warp", check_bar, lower_bar)
static const struct ptx_pattern barrier_forms[] = {
    SINCE(60, 30, "cta@78? sync aligned?", "a:4 b:4?"),
    SINCE(60, 30, "cta@78? arrive aligned?", "a:4 b:4"),
    SINCE(60, 30, "cta@78? red popc aligned? u32", "d>4 a:4 b:4? p:p!"),
    SINCE(60, 30, "cta@78? red and|or aligned? pred", "d>p a:4 b:4? p:p!"),
    {"cluster arrive release@80|relaxed@80? aligned?", "", .version = 78, .target = 90, .lower = ptx_lower_unsupported},
    {"cluster wait acquire@80? aligned?", "", .version = 78, .target = 90, .lower = ptx_lower_unsupported},
};
DEFINE(barrier, "barrier", "barrier of the block", check_bar, lower_bar)
static const struct ptx_pattern membar_forms[] = {
    ANY("cta|gl|sys", ""),
    {"proxy! alias", "", .version = 75, .target = 70, .lower = lower_proxy_fence},
};
DEFINE(membar, "membar", "orders memory accesses", NULL, lower_membar)
/* There is one proxy here: what orders two of them has nothing to do. Checks want to know of the one for aliases. */
#define PROXY(version_, target_, mods)                                               \
    {                                                                                \
        mods, "", .version = version_, .target = target_, .lower = ptx_lower_nothing \
    }
static const struct ptx_pattern fence_forms[] = {
    SINCE(60, 70, "sc|acq_rel? cta|cluster@78/90|gpu|sys", ""),
    SINCE(60, 70, "acquire|release cta|cluster@78/90|gpu|sys", ""),
    {"mbarrier_init release cluster", "", .version = 80, .target = 90, .lower = ptx_lower_nothing},
    SINCE(86, 90, "acquire sync_restrict::shared::cluster cluster", ""),
    SINCE(86, 90, "release sync_restrict::shared::cta cluster", ""),
    {"proxy! alias", "", .version = 75, .target = 70, .lower = lower_proxy_fence},
    PROXY(80, 90, "proxy! async global|shared::cta|shared::cluster?"),
    PROXY(86, 90, "proxy! async::generic acquire sync_restrict::shared::cluster cluster"),
    PROXY(86, 90, "proxy! async::generic release sync_restrict::shared::cta cluster"),
    PROXY(83, 90, "proxy! tensormap::generic release cta|cluster|gpu|sys"),
    {"proxy! tensormap::generic acquire cta|cluster|gpu|sys", "a:g size:4#", .version = 83, .target = 90,
     .check = check_line_size, .lower = ptx_lower_nothing},
};
DEFINE(fence, "fence", "orders memory accesses", NULL, lower_fence)

/* -- warp -- */
static const struct ptx_pattern vote_forms[] = {
    SINCE(60, 30, "sync all|any|uni pred", "d>p a:p! members:4"),
    SINCE(60, 30, "sync ballot b32", "d>t a:p! members:4"),
    {"all|any|uni pred", "d>p a:p!", .check = check_no_sync},
    {"ballot b32", "d>t a:p!", .check = check_no_sync},
};
DEFINE(vote, "vote", "asks all lanes about a predicate", NULL, lower_vote)
static const struct ptx_pattern shfl_forms[] = {
    SINCE(60, 30, "sync up|down|bfly|idx b32", "d>t| a:t b:4 c:4 members:4"),
    {"up|down|bfly|idx b32", "d>t| a:t b:4 c:4", .version = 30, .target = 30, .check = check_no_sync},
};
DEFINE(shfl, "shfl", "reads another lane's register", NULL, lower_shfl)
static const struct ptx_pattern match_forms[] = {
    SINCE(60, 70, "any sync b32|b64", "d>4 a:t members:4"),
    SINCE(60, 70, "all sync b32|b64", "d>4| a:t members:4"),
};
DEFINE(match, "match", "finds lanes with the same value", NULL, lower_match)
static const struct ptx_pattern activemask_forms[] = {
    {"b32", "d>t", .version = 62, .target = 30, .op = LANE_OP_activemask}};
DEFINE(activemask, "activemask", "which lanes run together", NULL, NULL)
static const struct ptx_pattern redux_forms[] = {
    SINCE(70, 80, "sync add|min|max u32|s32", "d>t a:t members:4"),
    SINCE(70, 80, "sync and|or|xor b32", "d>t a:t members:4"),
    {"sync min|max abs? NaN? f32", "d>t a:t members:4", .version = 86, .target = 100, .only = "100f"},
};
DEFINE(redux, "redux", "reduces a value over lanes", NULL, lower_redux)
static const struct ptx_pattern elect_forms[] = {SINCE(80, 90, "sync", "d>4|_ members:4")};
DEFINE(elect, "elect", "elects one lane", check_pipe, lower_elect)

static const struct ptx_pattern griddepcontrol_forms[] = {SINCE(78, 90, "launch_dependents|wait", "")};
DEFINE(griddepcontrol, "griddepcontrol", "controls dependent launches; no effect", NULL, ptx_lower_nothing)
static const struct ptx_pattern setmaxnreg_forms[] = {
    {"inc|dec sync aligned u32", "count:4#", .version = 80, .target = 90, .only = "90a 100f 110f 120f"}};
DEFINE(setmaxnreg, "setmaxnreg", "changes the register budget; no effect", check_setmaxnreg, ptx_lower_nothing)

static const struct ptx_pattern alloca_forms[] = {{"u32|u64", "p>t size:t align:4?#", .version = 73, .target = 52}};
DEFINE(alloca, "alloca", "takes stack memory", NULL, ptx_lower_unsupported)
static const struct ptx_pattern stacksave_forms[] = {{"u32|u64", "d>t", .version = 73, .target = 52}};
DEFINE(stacksave, "stacksave", "reads the stack pointer", NULL, ptx_lower_unsupported)
static const struct ptx_pattern stackrestore_forms[] = {{"u32|u64", "a:t", .version = 73, .target = 52}};
DEFINE(stackrestore, "stackrestore", "sets the stack pointer", NULL, ptx_lower_unsupported)

/* Special registers: name, what it means in a lane program, type. (PTX ISA 10; widths as ptxas takes them.)
 * Of a vector (%tid) the whole and its parts .x .y .z .w are entries of their own, in this order; .w reads as zero. */
#include "isa/ptx/ast.h"
#include "lane/modes.h"

#include <string.h>

struct sreg {
    const char *name;
    uint8_t length, width;
    uint16_t lane, type;
};

#define SREG(name, lane, type)                                  \
    {                                                           \
        name, sizeof(name) - 1, 1, LANE_SREG_##lane, PTX_##type \
    }
#define VECTOR(name, x, y, z)                                                                              \
    {name, sizeof(name) - 1, 4, LANE_SREG_##x, PTX_u32}, SREG(name ".x", x, u32), SREG(name ".y", y, u32), \
        SREG(name ".z", z, u32), SREG(name ".w", ZERO, u32)
#define EIGHT(name, suffix, type)                                                                                \
    SREG(name "0" suffix, ZERO, type), SREG(name "1" suffix, ZERO, type), SREG(name "2" suffix, ZERO, type),     \
        SREG(name "3" suffix, ZERO, type), SREG(name "4" suffix, ZERO, type), SREG(name "5" suffix, ZERO, type), \
        SREG(name "6" suffix, ZERO, type), SREG(name "7" suffix, ZERO, type)
#define TEN(name) EIGHT(name, "", u32), SREG(name "8", ZERO, u32), SREG(name "9", ZERO, u32)

static const struct sreg sregs[] = {
    VECTOR("tid", TID_X, TID_Y, TID_Z),
    VECTOR("ntid", NTID_X, NTID_Y, NTID_Z),
    VECTOR("ctaid", CTAID_X, CTAID_Y, CTAID_Z),
    VECTOR("nctaid", NCTAID_X, NCTAID_Y, NCTAID_Z),
    VECTOR("clusterid", ZERO, ZERO, ZERO),
    VECTOR("nclusterid", ONE, ONE, ONE),
    VECTOR("cluster_ctaid", ZERO, ZERO, ZERO),
    VECTOR("cluster_nctaid", ONE, ONE, ONE),
    SREG("cluster_ctarank", ZERO, u32),
    SREG("cluster_nctarank", ONE, u32),
    SREG("is_explicit_cluster", ZERO, pred),
    SREG("laneid", LANEID, u32),
    SREG("warpid", WARPID, u32),
    SREG("nwarpid", NWARPID, u32),
    SREG("smid", SMID, u32),
    SREG("nsmid", NSMID, u32),
    SREG("gridid", GRIDID, u64),
    SREG("lanemask_eq", LANEMASK_EQ, u32),
    SREG("lanemask_le", LANEMASK_LE, u32),
    SREG("lanemask_lt", LANEMASK_LT, u32),
    SREG("lanemask_ge", LANEMASK_GE, u32),
    SREG("lanemask_gt", LANEMASK_GT, u32),
    SREG("clock", CLOCK, u32),
    SREG("clock_hi", CLOCK_HI, u32),
    SREG("clock64", CLOCK64, u64),
    SREG("globaltimer", GLOBALTIMER, u64),
    SREG("globaltimer_lo", GLOBALTIMER_LO, u32),
    SREG("globaltimer_hi", GLOBALTIMER_HI, u32),
    SREG("dynamic_smem_size", DYNAMIC_SMEM, u32),
    SREG("total_smem_size", TOTAL_SMEM, u32),
    SREG("aggr_smem_size", AGGR_SMEM, u32),
    SREG("reserved_smem_offset_begin", RESERVED_BEGIN, u32),
    SREG("reserved_smem_offset_end", RESERVED_END, u32),
    SREG("reserved_smem_offset_cap", RESERVED_END, u32),
    SREG("reserved_smem_offset_0", RESERVED_0, u32),
    SREG("reserved_smem_offset_1", RESERVED_1, u32),
    SREG("current_graph_exec", ZERO, u64),
    EIGHT("pm", "", u32),
    EIGHT("pm", "_64", u64),
    SREG("envreg0", ZERO, u32),
    SREG("envreg1", WORKSPACE_HIGH, u32), /* as CUDA's cooperative_groups/details/driver_abi.h reads it */
    SREG("envreg2", WORKSPACE, u32),
    SREG("envreg3", ZERO, u32),
    SREG("envreg4", ZERO, u32),
    SREG("envreg5", ZERO, u32),
    SREG("envreg6", ZERO, u32),
    SREG("envreg7", ZERO, u32),
    SREG("envreg8", ZERO, u32),
    SREG("envreg9", ZERO, u32),
    TEN("envreg1"),
    TEN("envreg2"),
    SREG("envreg30", ZERO, u32),
    SREG("envreg31", ZERO, u32),
};

enum { SREGS = sizeof sregs / sizeof *sregs };

unsigned ptx_sreg_find(const char *name, size_t length)
{
    for (unsigned i = 0; i < SREGS; i++)
        if (sregs[i].length == length && memcmp(sregs[i].name, name, length) == 0)
            return i;
    return PTX_SREG_UNKNOWN;
}

const char *ptx_sreg_name(unsigned sreg)
{
    return sreg < SREGS ? sregs[sreg].name : "";
}

unsigned ptx_sreg_lane(unsigned sreg)
{
    return sreg < SREGS ? sregs[sreg].lane : LANE_SREG_ZERO;
}

unsigned ptx_sreg_type(unsigned sreg)
{
    return sreg < SREGS ? sregs[sreg].type : PTX_u32;
}

unsigned ptx_sreg_width(unsigned sreg)
{
    return sreg < SREGS ? sregs[sreg].width : 1;
}

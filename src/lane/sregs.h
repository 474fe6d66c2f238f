/* The special registers, one row each. Include with LANE_SREG defined; no include guard on purpose.
 *
 * LANE_SREG(name, text, is): text as the lane program writes it; is: enum lane_sreg_property.
 */

/* clang-format off */
LANE_SREG(TID_X, "tid.x", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(TID_Y, "tid.y", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(TID_Z, "tid.z", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(NTID_X, "ntid.x", LANE_SREG_FIXED)
LANE_SREG(NTID_Y, "ntid.y", LANE_SREG_FIXED)
LANE_SREG(NTID_Z, "ntid.z", LANE_SREG_FIXED)
LANE_SREG(CTAID_X, "ctaid.x", 0)
LANE_SREG(CTAID_Y, "ctaid.y", 0)
LANE_SREG(CTAID_Z, "ctaid.z", 0)
LANE_SREG(NCTAID_X, "nctaid.x", LANE_SREG_FIXED)
LANE_SREG(NCTAID_Y, "nctaid.y", LANE_SREG_FIXED)
LANE_SREG(NCTAID_Z, "nctaid.z", LANE_SREG_FIXED)
LANE_SREG(LANEID, "laneid", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(WARPID, "warpid", LANE_SREG_FIXED)
LANE_SREG(NWARPID, "nwarpid", LANE_SREG_FIXED)
LANE_SREG(SMID, "smid", LANE_SREG_FIXED)
LANE_SREG(NSMID, "nsmid", LANE_SREG_FIXED)
LANE_SREG(GRIDID, "gridid", LANE_SREG_FIXED)
LANE_SREG(LANEMASK_EQ, "lanemask_eq", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(LANEMASK_LE, "lanemask_le", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(LANEMASK_LT, "lanemask_lt", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(LANEMASK_GE, "lanemask_ge", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(LANEMASK_GT, "lanemask_gt", LANE_SREG_FIXED | LANE_SREG_LANES)
LANE_SREG(CLOCK, "clock", LANE_SREG_CLOCKS)
LANE_SREG(CLOCK_HI, "clock_hi", LANE_SREG_CLOCKS)
LANE_SREG(CLOCK64, "clock64", LANE_SREG_CLOCKS)
LANE_SREG(GLOBALTIMER, "globaltimer", LANE_SREG_CLOCKS)
LANE_SREG(GLOBALTIMER_LO, "globaltimer_lo", LANE_SREG_CLOCKS)
LANE_SREG(GLOBALTIMER_HI, "globaltimer_hi", LANE_SREG_CLOCKS)
LANE_SREG(DYNAMIC_SMEM, "dynamic_smem", LANE_SREG_FIXED)
LANE_SREG(TOTAL_SMEM, "total_smem", LANE_SREG_FIXED)
LANE_SREG(HELPERS, "helpers", LANE_SREG_FIXED) /* mask of the warp's helper lanes, as the launch says */
LANE_SREG(ZERO, "zero", LANE_SREG_FIXED) /* registers that have no meaning here: %pm, %clusterid ... */
LANE_SREG(ONE, "one", LANE_SREG_FIXED) /* %nclusterid, %cluster_nctaid: a cluster of one */
/* the address of the workspace of a cooperative launch, its lower and upper half; 0 in other launches */
LANE_SREG(WORKSPACE, "workspace", LANE_SREG_FIXED)
LANE_SREG(WORKSPACE_HIGH, "workspace_high", LANE_SREG_FIXED)
/* Shared memory that the system keeps for itself (%reserved_smem_offset_*), and all of the block's with it. */
LANE_SREG(RESERVED_BEGIN, "reserved_begin", LANE_SREG_FIXED | LANE_SREG_RESERVED)
LANE_SREG(RESERVED_END, "reserved_end", LANE_SREG_FIXED | LANE_SREG_RESERVED)
LANE_SREG(RESERVED_0, "reserved_0", LANE_SREG_FIXED | LANE_SREG_RESERVED)
LANE_SREG(RESERVED_1, "reserved_1", LANE_SREG_FIXED | LANE_SREG_RESERVED)
LANE_SREG(AGGR_SMEM, "aggr_smem", LANE_SREG_FIXED | LANE_SREG_RESERVED)

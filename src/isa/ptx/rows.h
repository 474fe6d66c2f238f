/* How rows_*.c write their tables. Notation of modifiers and operands: row.h. */
#ifndef ATOLL_ISA_PTX_ROWS_H
#define ATOLL_ISA_PTX_ROWS_H

#include "isa/ptx/check.h"

/* A row of the forms id_forms. */
#define DEFINE(id, text, summary_, check_, lower_) \
    const struct ptx_row ptx_row_##id = {text, summary_, PTX_PATTERNS(id##_forms), check_, lower_};
/* The same of an instruction that is checked, not executed. */
#define DEFINE_KNOWN(id, summary_) DEFINE(id, #id, summary_, NULL, ptx_lower_unsupported)

/* Forms that are one operation of the lane program: from some version and target on; in a mode. */
#define FORM(mods, operands, op_)           \
    {                                       \
        mods, operands, .op = LANE_OP_##op_ \
    }
#define GATED(version_, target_, mods, operands, op_)                               \
    {                                                                               \
        mods, operands, .version = version_, .target = target_, .op = LANE_OP_##op_ \
    }
#define MODE(mods, operands, op_, mode_)                   \
    {                                                      \
        mods, operands, .op = LANE_OP_##op_, .mode = mode_ \
    }

/* Forms that the row's own function lowers. */
#define ANY(mods, operands)          \
    {                                \
        mods, operands, .version = 0 \
    }
#define SINCE(version_, target_, mods, operands)               \
    {                                                          \
        mods, operands, .version = version_, .target = target_ \
    }

/* Forms that are checked, not executed; of some targets only. */
#define KNOWN(version_, target_, check_, mods, operands)                                                        \
    {                                                                                                           \
        mods, operands, .version = version_, .target = target_, .check = check_, .lower = ptx_lower_unsupported \
    }
#define ONLY(version_, targets, check_, mods, operands)                                                       \
    {                                                                                                         \
        mods, operands, .version = version_, .only = targets, .check = check_, .lower = ptx_lower_unsupported \
    }

#endif

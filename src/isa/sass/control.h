/* Scheduling annotations:  &req={0,3} &rd=2 &wr=1 &reuse=0x1 ?W6
 * &req: wait for these scoreboards; &rd, &wr: scoreboard released when the sources are read, the result is written;
 * ?W6: stall 6 cycles and stay with this warp, ?Y6: may switch to another one (yield). Each may be in braces.
 *
 * The instruction reference writes {&req_6}{&rdN}{&wrN}{?sched}; no public text says how its assembler spells the
 * values. Named choice: &req_9 is the mask of six bits (scoreboards 0 and 3), &rd2 and &wr1 are numbers, ?sched is the
 * safe stall of 15 cycles. */
#ifndef ATOLL_ISA_SASS_CONTROL_H
#define ATOLL_ISA_SASS_CONTROL_H

#include "base/text.h"

#include <stdint.h>

/* Adds " &req={0} ?W6"; reuse bits are said only where `reuse`. */
void control_print(uint32_t control, bool reuse, struct text *out);

/* Where annotations start in an instruction's text, or `length`. */
size_t control_find(const char *text, size_t length);

/* Reads annotations, each at most once. Bits that none names are those of "no scoreboard, no wait, stall 15". Reuse
 * bits stay. On failure *at is the offset of the mistake, and CONTROL_WANTED what was wanted there. */
#define CONTROL_WANTED "scheduling as &req={0,3} &rd=2 &wr=1 &reuse=0x1 ?W6, each once"
bool control_parse(const char *text, size_t length, uint32_t *control, size_t *at);

#endif

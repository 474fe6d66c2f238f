/* Instructions as bytes, read and written by the same walk over their rows. */
#ifndef ATOLL_ISA_VISA_STREAM_H
#define ATOLL_ISA_VISA_STREAM_H

#include "base/wire.h"
#include "isa/visa/rows.h"

struct visa_stream {
    struct wire *wire;
    struct arena *arena;              /* of what is read */
    const struct visa_object *object; /* whose indexes operands have; NULL: they are not looked at */
    unsigned version;                 /* 10 * major + minor of what is read; VISA_VERSION of what is written */
    const struct visa_table *table;
};

enum { VISA_VERSION = 41 };

/* One instruction. Reading: inst->ops lie in the arena, inst->pos and length are bytes of the wire. False: wire->reason
 * says why. */
bool visa_move_inst(struct visa_stream *s, struct visa_inst *inst);
/* Moves an index of 4 bytes, 2 before version 3.4. */
void visa_move_index(struct visa_stream *s, uint32_t *index);

#endif

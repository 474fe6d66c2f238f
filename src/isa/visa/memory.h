/* Memory that messages of vISA name: buffers by binding-table index, shared local memory, scratch, addresses. */
#ifndef ATOLL_ISA_VISA_MEMORY_H
#define ATOLL_ISA_VISA_MEMORY_H

#include "isa/visa/lower.h"

/* Reserved indexes (docs/visa.md, "Running"). */
enum { VISA_BTI_BINDLESS = 251, VISA_BTI_BSS = 252, VISA_BTI_SLM = 254, VISA_BTI_STATELESS = 255 };

struct visa_buffer {
    uint8_t space; /* enum lane_space */
    bool bounded;  /* `size` bytes from `address` on; nothing is done past them */
    uint32_t from; /* byte of the space that offset 0 means */
    uint16_t slot; /* its index; VISA_BTIS: known only when it runs, then `size` is */
    struct lane_operand address, size;
};

/* What a surface operand means; offsets into it have 32 bits. False: it was said why it cannot be. */
bool visa_buffer_of(struct visa_lower *l, const struct visa_operand *surface, struct visa_buffer *buffer);
bool visa_buffer_at(struct visa_lower *l, struct lane_operand index, struct visa_buffer *buffer);
/* Addresses of 64 bits. */
struct visa_buffer visa_flat(const struct visa_lower *l);
/* Whether places in it are 64-bit addresses. */
static inline bool visa_is_flat(const struct visa_buffer *buffer)
{
    return (buffer->space == LANE_GLOBAL || buffer->space == LANE_GENERIC) && !buffer->bounded;
}

/* Address and size of a slot: those of one that nothing is bound to become such that an access says so. */
void visa_slot_bound(struct visa_lower *l, struct lane_operand words[2]);

/* The handle of a surface; LANE_NONE: it was said why there is none. kind: 's' for the sampler, 't' texels. */
struct lane_operand visa_handle_of(struct visa_lower *l, const struct visa_operand *surface, char kind);
struct lane_operand visa_handle_at(struct visa_lower *l, struct lane_operand index, char kind);

/* `bytes` bytes at offset (or address) + more, in a register of as many; 0 past the end of a buffer. Of one channel in
 * all lanes. */
struct lane_operand visa_memory_load(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand offset,
                                     uint32_t more, unsigned bytes);
void visa_memory_store(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand offset,
                       uint32_t more, unsigned bytes, struct lane_operand value);
/* An atomic operation; returns what was there, 0 past the end; of one channel in all lanes. LANE_NONE for `old` not
 * wanted. data: the operand, or compare and new. */
struct lane_operand visa_atomic_at(struct visa_lower *l, const struct visa_buffer *buffer, struct lane_operand offset,
                                   uint32_t more, enum lane_atomic op, enum lane_type type, unsigned ndata,
                                   const struct lane_operand *data, bool wanted);

/* An operand that all channels share, in all lanes. */
struct visa_value visa_uniform(struct visa_lower *l, const struct visa_operand *op);
/* From here on the instruction moves `count` elements, one a lane, whichever lanes run. */
void visa_as_block(struct visa_lower *l, unsigned count);
/* Which channels R, G, B, A of a mask there are, in order; returns how many. */
unsigned visa_channels_of(uint64_t mask, uint8_t out[4]);
/* Bytes from one component's registers to the next: as many elements of 4 bytes as there are channels, but whole
 * registers. */
uint32_t visa_component(const struct visa_lower *l, unsigned bytes);

/* LSC (lsc.c): where an instruction's channels go, by the raw operand in a role; the handle of its surface. */
bool visa_lsc_place(struct visa_lower *l, const char *role, struct visa_buffer *buffer, struct lane_operand *at);
struct lane_operand visa_lsc_handle(struct visa_lower *l);

#endif

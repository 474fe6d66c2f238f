/* Operands of instructions that are known, not executed: vectors of registers, tensors and Tensor Memory. */
#ifndef ATOLL_ISA_PTX_VECTOR_H
#define ATOLL_ISA_PTX_VECTOR_H

#include "isa/ptx/row.h"

/* A vector { } of exactly `count` registers that fit `type`; as a source constants too, as a destination '_' too. */
bool check_vector(struct checker *c, const struct insn_operand *op, unsigned count, uint16_t type, bool dest);
/* [map, {c0, ...}]: a tensor map by its generic address, and `count` coordinates of 32 bits. */
bool check_tensor(struct checker *c, const struct insn_operand *op, unsigned count);
/* [address] in Tensor Memory: a register of 32 bits, plus a constant. */
bool check_tensor_memory(struct checker *c, const struct insn_operand *op);

#endif

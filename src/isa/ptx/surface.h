/* What is known about the geometries of surfaces, for checking, lowering and explaining. */
#ifndef ATOLL_ISA_PTX_SURFACE_H
#define ATOLL_ISA_PTX_SURFACE_H

#include "isa/ptx/row.h"

/* PTX writes the layer first; the lane program has coordinates in the order x, y, z or layer. */
struct geometry {
    uint16_t keyword;
    uint8_t dim;         /* enum lane_dim */
    uint8_t least;       /* elements that a coordinate vector must have */
    uint8_t coordinates; /* that mean something */
    uint8_t from[3];     /* element of the vector behind each coordinate of the lane program */
    const char *vector;  /* as PTX writes them; '_' = ignored */
};

/* The geometry of a word of class G that suld has. */
const struct geometry *geometry_find(uint16_t keyword);

/* Handles in registers instead of names (PTX ISA, "Indirect access to surfaces"). */
enum { SURFACE_HANDLE_VERSION = 31, SURFACE_HANDLE_TARGET = 20 };

/* What the patterns of suld, sust and sured cannot say about modifiers: the unit comes first. */
bool surface_check_form(struct checker *c, const struct insn *insn, const struct ptx_form *form);

#endif

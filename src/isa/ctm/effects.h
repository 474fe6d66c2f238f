/* What an instruction of R580 reads and writes, channel by channel: of operands that take part in what it keeps. */
#ifndef ATOLL_ISA_CTM_EFFECTS_H
#define ATOLL_ISA_CTM_EFFECTS_H

#include "isa/ctm/rows.h"

enum ctm_place { CTM_PLACE_TEMP, CTM_PLACE_FLOAT, CTM_PLACE_INLINE };

/* One address: of sources src0 to src2 of a unit, or of a lookup. */
struct ctm_access {
    enum ctm_place place;
    uint8_t number;   /* of an inline constant its bits */
    bool relative;    /* aL is added */
    uint8_t channels; /* a bit each; 0: it is not used */
    uint8_t early;    /* those of `channels` that are read before the others: by the presubtract, or by MDH and MDV */
};

enum { CTM_READS = CTM_UNITS * CTM_SLOTS_OF_UNIT };
struct ctm_effects {
    struct ctm_access reads[CTM_READS];  /* ALU, OUTPUT: src0 to src2 of RGB, then of alpha; TEX: source, DX, DY */
    struct ctm_access writes[CTM_UNITS]; /* temporaries; TEX: the first */
    uint8_t kept[CTM_UNITS];             /* channels of results that something keeps; the other unit's copy is one */
    bool unused_swizzle;                 /* such a channel has a swizzle of no meaning */
};

/* All addresses that a word has are there, with those that nothing comes of: these have no channels. */
void ctm_effects(const struct ctm_inst *inst, struct ctm_effects *effects);

/* src0 to src2 of a unit, without channels. */
struct ctm_access ctm_source(const struct ctm_inst *inst, unsigned unit, unsigned slot);
/* Some address of the word has aL added, in use or not; `temps`: one of a temporary. */
bool ctm_adds_al(const struct ctm_inst *inst, bool temps);

/* Does it read a neighbour's source? */
bool ctm_asks_quad(const struct ctm_inst *inst);
/* A lookup that writes a temporary. */
bool ctm_is_lookup(const struct ctm_inst *inst);
/* Of FC: whether the decision depends on the ALU result, the predicate. */
bool ctm_asks_alu_result(const struct ctm_inst *inst);
bool ctm_asks_predicate(const struct ctm_inst *inst);

/* Where a processor that is alone goes on, as it is active at every instruction it comes to (docs/ctm.md, "Flow
 * control"): at most CTM_NEXT instructions, all of the program. CTM_RETURNS: behind every call, too. */
enum { CTM_NEXT = 2 };
struct ctm_ways {
    uint32_t next[CTM_NEXT];
    unsigned count;
    bool returns;
};
void ctm_ways(const struct ctm_program *program, uint32_t at, struct ctm_ways *ways);

#endif

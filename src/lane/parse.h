/* What the files of the parser share. */
#ifndef ATOLL_LANE_PARSE_H
#define ATOLL_LANE_PARSE_H

#include "base/namemap.h"
#include "lane/lane.h"
#include "lane/scan.h"

struct parser {
    struct scan scan;
    struct lane_module *module;
    struct lane_builder build;
    struct namemap symbols, funcs, regs;
    uint32_t surfrefs; /* elements of all surface references so far */
};

/* A reference to a thing by word or #number; what = "symbol" ... (for messages). */
bool parse_reference(struct parser *p, const struct namemap *map, uint32_t count, const char *what, uint32_t *index);
/* local:size:align */
bool parse_slot(struct parser *p, struct lane_slot *slot);
/* One instruction line (parse_inst.c). */
bool parse_inst(struct parser *p);

#endif

/* Lines of a launch's trace with what an instruction gives. */
#ifndef ATOLL_ENGINE_WARP_TRACE_H
#define ATOLL_ENGINE_WARP_TRACE_H

#include "base/text.h"
#include "engine/run.h"

/* The line of an instruction that is carried out between the two calls. */
struct traced {
    const struct decoded *at; /* NULL: there is none */
    uint32_t lanes;
    struct text line;
};
void traced_begin(struct traced *traced, struct warp *warp, const struct decoded *at);
/* `went`: the warp goes straight on, with its registers in the same frame. */
void traced_end(struct traced *traced, struct warp *warp, bool went);

#endif

/* atoll.h: which engines there are. */
#include "engine/engine.h"

#include <string.h>

const char *atoll_engine_name(enum atoll_engine engine)
{
    static const char *const names[] = {
        [ATOLL_ENGINE_AUTO] = "auto", [ATOLL_ENGINE_INTERPRETER] = "interp", [ATOLL_ENGINE_JIT] = "jit"};
    return (unsigned)engine <= ATOLL_ENGINE_JIT ? names[engine] : NULL;
}

bool atoll_engine_find(const char *name, enum atoll_engine *engine, struct atoll_error *error)
{
    const char *one;
    for (*engine = ATOLL_ENGINE_AUTO; (one = atoll_engine_name(*engine)); *engine = (enum atoll_engine)(*engine + 1))
        if (strcmp(name, one) == 0)
            return true;
    return error_set(error, ATOLL_USAGE, "there is no engine '%.100s': wanted auto, interp or jit", name);
}

bool atoll_engine_available(enum atoll_engine engine, struct atoll_error *error)
{
    const char *why;
    if (!atoll_engine_name(engine))
        return error_set(error, ATOLL_USAGE, "there is no engine %u", (unsigned)engine);
    return engine != ATOLL_ENGINE_JIT || engine_jit_available(&why) ||
           error_set(error, ATOLL_UNSUPPORTED, "kernels cannot be compiled here: %s", why);
}

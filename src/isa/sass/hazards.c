/* Hazards: registers and predicates that are used before they are ready. */
#include "isa/sass/code.h"

unsigned sass_hazards(const struct sass_code *code, const char *name, struct text *report)
{
    (void)code, (void)name, (void)report;
    return 0;
}

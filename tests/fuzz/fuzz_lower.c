/* Fuzzes the lowering: what the checks of the PTX front end let through becomes a lane program that the verifier
 * accepts, or a named gap. */
#include "fuzz.h"
#include "isa/ptx/ast.h"
#include "lane/lane.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag diag = {.source = (const char *)data, .size = size};
    struct arena arena = {.limit = (size_t)256 << 20};
    struct ptx_module *module;
    struct lane_module lanes = {.arena = {.limit = (size_t)256 << 20}};
    struct atoll_error error = {0};
    if (ptx_parse(&arena, &diag, &module) && ptx_check(module, &diag) && diag.errors == 0) {
        module->fmad = size % 2;
        if (!ptx_lower(module, &lanes, &error))
            fuzz_check(error.status == ATOLL_MEMORY || error.status == ATOLL_UNSUPPORTED ||
                       error.status == ATOLL_LIMIT);
        else if (!lane_verify(&lanes, &error)) {
            fprintf(stderr, "%.*s\n%s\n", (int)size, (const char *)data, error.message);
            fuzz_check(false);
        }
    }
    lane_module_free(&lanes);
    arena_free(&arena);
    return 0;
}

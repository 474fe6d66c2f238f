/* Texts about instructions. */
#include "isa/ptx/explain.h"

bool atoll_explain(const char *instruction, char **text, size_t *size, struct atoll_error *error)
{
    struct text out = {0};
    bool ok = true;
    *text = NULL;
    *size = 0;
    text_puts(&out, "");
    if (instruction)
        ok = ptx_explain(instruction, &out, error);
    else
        ptx_reference(&out);
    if (ok && !text_ok(&out))
        ok = error_memory(error);
    if (!ok) {
        text_free(&out);
        return false;
    }
    *text = out.bytes;
    *size = out.length;
    return true;
}

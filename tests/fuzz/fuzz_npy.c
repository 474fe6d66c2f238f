/* Fuzzes NPY files: what is read must be written again and read the same. */
#include <string.h>

#include "file/npy.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct array array, again;
    struct atoll_error error = {0};
    struct text out = {0};
    void *elements, *copy;
    if (!npy_read(data, size, &array, &elements, &error)) {
        fuzz_check(error.status != ATOLL_OK && error.message[0] && !elements);
        return 0;
    }
    fuzz_check(array.count * array.bytes <= size);
    npy_write(&array, elements, &out);
    fuzz_check(text_ok(&out));
    fuzz_check(npy_read(out.bytes, out.length, &again, &copy, &error));
    fuzz_check(again.kind == array.kind && again.bytes == array.bytes && again.ndims == array.ndims);
    fuzz_check(memcmp(again.dims, array.dims, sizeof array.dims) == 0);
    fuzz_check(memcmp(copy, elements, (size_t)(array.count * array.bytes)) == 0);
    text_free(&out);
    free(elements);
    free(copy);
    return 0;
}

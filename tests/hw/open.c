/* Opens records, packed by gzip or not. Apart from result.c: recording needs no zlib. */
#include "hw.h"

#include <zlib.h>

static bool unpack(gzFile from, FILE *to)
{
    char bytes[16384];
    int size;
    while ((size = gzread(from, bytes, sizeof bytes)) > 0)
        if (fwrite(bytes, 1, (size_t)size, to) != (size_t)size)
            return false;
    return size == 0;
}

FILE *hw_results_open(const char *path)
{
    gzFile from = gzopen(path, "rb");
    FILE *to = from ? tmpfile() : NULL;
    bool ok = to && unpack(from, to);
    if (from)
        ok = gzclose(from) == Z_OK && ok;
    if (to && !ok)
        fclose(to);
    if (!ok)
        return NULL;
    rewind(to);
    return to;
}

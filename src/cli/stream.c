/* Command streams of CTM: to text, and from it. */
#include "machine/stream.h"
#include "cli/cli.h"
#include "file/file.h"

#define STREAM_LARGEST (UINT64_C(1) << 30) /* bytes, of a stream or its text */

/* What stands before a mistake is printed too. */
int cli_stream_print(const char *path, const char *output)
{
    struct atoll_error error = {0}, unwritten;
    struct blob blob = {0};
    struct text out = {0};
    struct stream stream;
    bool ok = file_read(path, STREAM_LARGEST, &blob, &error) &&
              ((stream_open(blob.bytes, blob.size, &stream, &error) && stream_print(&stream, &out, &error)) ||
               error_in(path, &error));
    bool written = !text_ok(&out) || (!ok && !out.length) ||
                   file_write(output ? output : "-", out.bytes ? out.bytes : "", out.length, &unwritten);
    blob_free(&blob);
    text_free(&out);
    if (!written)
        return cli_fail(&unwritten);
    return ok ? EXIT_OK : cli_fail(&error);
}

int cli_stream_assemble(const char *path, const char *output)
{
    struct atoll_error error = {0};
    struct blob blob = {0};
    struct text out = {0};
    bool ok = file_read(path, STREAM_LARGEST, &blob, &error) &&
              (stream_parse((const char *)blob.bytes, blob.size, &out, &error) || error_in(path, &error)) &&
              file_write(output ? output : "-", out.bytes ? out.bytes : "", out.length, &error);
    blob_free(&blob);
    text_free(&out);
    return ok ? EXIT_OK : cli_fail(&error);
}

/* Fuzzes command streams: what is printed reads back to the same words; text that is read is printed and reads back. */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "machine/stream.h"

/* Prints a stream and reads the text again. */
static void there_and_back(const void *bytes, size_t size)
{
    struct text text = {0}, again = {0};
    struct atoll_error error = {0};
    struct stream stream;
    if (stream_open(bytes, size, &stream, &error) && stream_print(&stream, &text, &error)) {
        fuzz_check(stream_parse(text.bytes ? text.bytes : "", text.length, &again, &error));
        fuzz_check(again.length == size && (!size || memcmp(again.bytes, bytes, size) == 0));
    } else
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    text_free(&text);
    text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text bytes = {0};
    struct atoll_error error = {0};
    there_and_back(data, size);
    if (stream_parse((const char *)data, size, &bytes, &error))
        there_and_back(bytes.bytes ? bytes.bytes : "", bytes.length);
    else
        fuzz_check(error.line > 0 && error.column > 0 && error.message[0]);
    text_free(&bytes);
    return 0;
}

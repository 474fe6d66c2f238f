/* Fuzzes command streams: what is printed reads back to the same words; text that is read is printed and reads back. A
 * stream that is run ends, within its limits, or says why not, and reaches nothing but the machine's memory. */
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "isa/ctm/elf.h"
#include "machine/machine.h"
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

/* out0 = r0, by MIN of it and itself, at the beginning of the memory. */
static void program_put(void *memory, size_t room)
{
    struct ctm_inst inst = {{0x00078005, 0x08020000, 0x08020000, 0x1c440220, 0x1c60c003, 0x00000005}};
    struct ctm_program program = {.name = "main", .insts = &inst, .ninsts = 1, .info = {1, [CTM_INFO_US_PIXSIZE] = 1}};
    struct text elf = {0};
    ctm_add(&program.outputs, 0);
    fuzz_check(ctm_elf_write(&program, &elf, NULL) && elf.length <= room);
    memcpy(memory, elf.bytes, elf.length);
    text_free(&elf);
}

/* In the seeded order where the number of words is odd. */
static void run(const void *bytes, size_t size)
{
    enum { ROOM = 1 << 16 };
    struct machine_options options = {.instruction_limit = 20000,
                                      .time_limit = 5,
                                      .threads = 1,
                                      .seed = size,
                                      .order = size / 4 % 2 ? ATOLL_ORDER_SEEDED : ATOLL_ORDER_DETERMINISTIC};
    struct atoll_device *device;
    struct machine *machine = NULL;
    struct atoll_error error = {0};
    void *memory;
    fuzz_check(atoll_device_create(NULL, &device, &error) && machine_create(device, &options, &machine, &error) &&
               machine_memory(machine, 0, ROOM, &memory, &error));
    program_put(memory, ROOM);
    if (!machine_run(machine, bytes, size, NULL, &error))
        fuzz_check(error.status != ATOLL_OK && error.message[0]);
    machine_destroy(machine);
    atoll_device_destroy(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text bytes = {0};
    struct atoll_error error = {0};
    there_and_back(data, size);
    run(data, size);
    if (stream_parse((const char *)data, size, &bytes, &error))
        there_and_back(bytes.bytes ? bytes.bytes : "", bytes.length);
    else
        fuzz_check(error.line > 0 && error.column > 0 && error.message[0]);
    text_free(&bytes);
    return 0;
}

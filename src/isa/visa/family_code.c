/* vISA in bytes: one instruction at a time, and whole modules. */
#include "isa/visa/family.h"

#include "base/text.h"
#include "isa/diag.h"
#include "isa/visa/parse.h"
#include "isa/visa/stream.h"

#include <string.h>

/* Variables of an instruction alone have no names but their numbers. */
static const struct visa_object nameless;

static bool decode(const struct family_machine *m, const void *bytes, size_t size, uint64_t address, char *text,
                   size_t *used, struct atoll_error *error)
{
    struct arena arena = {0};
    struct text out = {0};
    struct wire wire = {.bytes = bytes, .size = size};
    struct visa_stream stream = {.wire = &wire, .arena = &arena, .version = VISA_VERSION, .table = m->rows};
    struct visa_inst inst = {0};
    (void)address;
    bool ok = visa_move_inst(&stream, &inst);
    if (ok) {
        visa_print_inst(&nameless, &inst, &out);
        *used = wire.at;
    }
    if (ok && (!text_ok(&out) || out.length >= ATOLL_INSTRUCTION_TEXT))
        ok = error_set(error, ATOLL_INPUT, "an instruction of more than %d characters", ATOLL_INSTRUCTION_TEXT - 1);
    else if (ok)
        memcpy(text, out.bytes, out.length + 1);
    else
        error_set(error, ATOLL_INPUT, "byte %zu: %s", wire.at, wire.reason);
    text_free(&out);
    arena_free(&arena);
    return ok;
}

static bool to_bytes(const struct visa_table *table, struct arena *arena, const struct visa_inst *given, void *bytes,
                     size_t room, size_t *used, struct atoll_error *error)
{
    struct text out = {0};
    struct wire wire = {.out = &out};
    struct visa_stream stream = {.wire = &wire, .arena = arena, .version = VISA_VERSION, .table = table};
    struct visa_inst inst = *given;
    bool ok = visa_move_inst(&stream, &inst) && text_ok(&out);
    if (!ok)
        error_memory(error);
    else if (out.length > room)
        ok =
            error_set(error, ATOLL_INPUT, "an instruction of %zu bytes, where there is room for %zu", out.length, room);
    else
        memcpy(bytes, out.bytes, *used = out.length);
    text_free(&out);
    return ok;
}

static bool encode(const struct family_machine *m, const char *text, size_t length, uint64_t address, bool rules,
                   void *bytes, size_t room, size_t *used, struct atoll_error *error)
{
    struct arena arena = {0};
    struct visa_object object = {0};
    struct atoll_error first = {0};
    struct diag diag = {.source = text, .size = length, .first = &first};
    (void)address, (void)rules;
    bool ok = visa_parse_line(&arena, &diag, &object) || error_memory(error);
    if (ok && (diag.errors || object.ninsts != 1))
        ok = error_at(error, ATOLL_INPUT, first.line, first.column, "%s",
                      diag.errors ? first.message : "wanted one instruction");
    ok = ok && to_bytes(m->rows, &arena, &object.insts[0], bytes, room, used, error);
    arena_free(&arena);
    return ok;
}

/* ---- modules ---------------------------------------------------------------------------------------------- */

/* Instructions without a container, one a line. */
static bool list_raw(const struct family_machine *m, const void *bytes, size_t size, struct text *out,
                     struct atoll_error *error)
{
    struct arena arena = {0};
    struct wire wire = {.bytes = bytes, .size = size};
    struct visa_stream stream = {.wire = &wire, .arena = &arena, .version = VISA_VERSION, .table = m->rows};
    bool ok = true;
    while (ok && wire.at < wire.size) {
        struct visa_inst inst = {0};
        ok = visa_move_inst(&stream, &inst);
        if (ok)
            visa_print_inst(&nameless, &inst, out);
        text_puts(out, "\n");
    }
    arena_free(&arena);
    return ok || error_set(error, ATOLL_INPUT, "byte %zu: %s", wire.at, wire.reason);
}

static bool disassemble(const struct family_machine *m, bool raw, const void *bytes, size_t size,
                        const struct atoll_listing_options *options, struct text *out, struct atoll_error *error)
{
    struct arena arena = {0};
    struct visa_module module;
    (void)options;
    if (raw)
        return list_raw(m, bytes, size, out, error);
    bool ok = visa_load(&arena, bytes, size, NULL, &module, error);
    if (ok)
        visa_print(&module, out);
    arena_free(&arena);
    return ok;
}

static bool assemble(const struct family_machine *m, const char *text, size_t length,
                     const struct atoll_module_options *options, struct text *out, struct atoll_error *error)
{
    struct arena arena = {0};
    struct visa_module module;
    (void)m;
    bool ok = visa_load(&arena, text, length, options, &module, error) && visa_write(&module, out, error);
    arena_free(&arena);
    return ok;
}

static const void *rows(struct atoll_error *error)
{
    return visa_table(error);
}

static unsigned lint(const void *table, struct text *out, unsigned *breaks)
{
    *breaks = visa_lint(table, out);
    return VISA_ROWS;
}

const struct family_code visa_family_code = {
    .hex = {1, 0, 0, "the bytes of an instruction, in hexadecimal"},
    .rows = rows,
    .lint = lint,
    .decode = decode,
    .encode = encode,
    .disassemble = disassemble,
    .assemble = assemble,
};

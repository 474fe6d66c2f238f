/* Source lines: .loc and .file of PTX, line tables of cubins, and what a trap tells of them. tests/data/lines has what
 * nvcc 11.8 and 13 make of one file. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "atoll.h"
#include "isa/dwarf.h"

/* ---- traps ------------------------------------------------------------------------------------------------- */

struct rig {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_trap trap;
    struct atoll_error error;
    unsigned warnings;
};

static void diagnose(void *user, const struct atoll_diagnostic *d)
{
    struct rig *rig = user;
    rig->warnings += d->severity == ATOLL_WARNING;
}

static void load(struct rig *rig, const char *text, size_t size)
{
    struct atoll_module_options options = {.file = "k.ptx", .diagnose = diagnose, .user = rig};
    *rig = (struct rig){0};
    assert_true(atoll_device_create(NULL, &rig->device, &rig->error));
    if (!atoll_module_load(rig->device, text, size, &options, &rig->module, &rig->error))
        fail_msg("%s", rig->error.message);
}

static char *file_read(const char *name, size_t *size)
{
    char path[600];
    snprintf(path, sizeof path, "%s/lines/%s", DATA_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void load_file(struct rig *rig, const char *name)
{
    size_t size;
    char *bytes = file_read(name, &size);
    load(rig, bytes, size);
    free(bytes);
}

/* Launches a kernel that is to trap. */
static void run(struct rig *rig, const char *name, const void *parameters, size_t bytes, unsigned threads)
{
    struct atoll_kernel *kernel;
    struct atoll_launch_options launch = {.block = {threads, 1, 1},
                                          .parameters = parameters,
                                          .parameter_bytes = bytes,
                                          .order = ATOLL_ORDER_DETERMINISTIC};
    assert_true(atoll_module_kernel(rig->module, name, &kernel, &rig->error));
    assert_false(atoll_launch(kernel, &launch, NULL, &rig->trap, &rig->error));
    assert_int_equal(rig->error.status, ATOLL_TRAP);
}

static void end(struct rig *rig)
{
    atoll_device_destroy(rig->device);
}

static void is_place(const struct atoll_place *place, const char *file, uint32_t line, const char *function)
{
    const char *slash = strrchr(place->file, '/');
    assert_string_equal(slash ? slash + 1 : place->file, file);
    assert_int_equal(place->line, line);
    assert_string_equal(place->function, function);
}

static const char *const made[] = {"fault.ptx", "fault13.ptx", "fault.sm_50.cubin"};

static void a_trap_has_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct rig rig;
        struct {
            uint64_t out;
            int32_t n, value;
        } parameters = {0, 31, 3};
        load_file(&rig, made[i]);
        assert_true(atoll_memory_alloc(rig.device, 31 * 4, &parameters.out, &rig.error));
        run(&rig, "fill<int>", &parameters, sizeof parameters, 32);
        assert_int_equal(rig.trap.nplaces, 1);
        is_place(&rig.trap.places[0], "fault.cu", 9, "");
        assert_string_equal(rig.trap.kernel, "_Z4fillIiEvPT_iS0_");
        assert_non_null(strstr(rig.error.message, "kernel 'fill<int>' trapped at fault.cu:9, k.ptx"));
        assert_int_equal(rig.warnings, 0);
        end(&rig);
    }
}

static void a_trap_has_the_calls_that_were_inlined(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct rig rig;
        struct {
            uint64_t out, in;
            int32_t n;
        } parameters = {0, 0, 32};
        load_file(&rig, made[i]);
        assert_true(atoll_memory_alloc(rig.device, 128, &parameters.out, &rig.error));
        assert_true(atoll_memory_alloc(rig.device, 64, &parameters.in, &rig.error));
        run(&rig, "gather", &parameters, sizeof parameters - 4, 32);
        assert_int_equal(rig.trap.nplaces, 3);
        is_place(&rig.trap.places[0], "clamp.cuh", 4, "element");
        is_place(&rig.trap.places[1], "clamp.cuh", 9, "twice");
        is_place(&rig.trap.places[2], "fault.cu", 18, "");
        assert_non_null(strstr(rig.error.message,
                               "clamp.cuh:4 (element, inlined at clamp.cuh:9; twice, inlined at fault.cu:18), k.ptx"));
        end(&rig);
    }
}

/* ---- addresses --------------------------------------------------------------------------------------------- */

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

static const char reads[] =
    HEAD ".global .align 4 .b32 table[4];\n.visible .entry k(.param .u64 in, .param .s64 at)\n{\n"
         ".reg .b64 %d<3>;\n.reg .b32 %r;\nld.param.u64 %d0, [in];\nld.param.s64 %d1, [at];\n"
         "add.s64 %d0, %d0, %d1;\nld.global.u32 %r, [%d0];\nret;\n}\n";

struct reading {
    uint64_t in;
    int64_t at;
};

static void read_at(struct rig *rig, uint64_t in, int64_t at, const char *cause, const char *wanted)
{
    struct reading parameters = {in, at};
    run(rig, "k", &parameters, sizeof parameters, 1);
    assert_string_equal(rig->trap.cause, cause);
    if (!strstr(rig->error.message, wanted))
        fail_msg("%s", rig->error.message);
}

static void an_address_is_told_by_its_allocation(void **state)
{
    (void)state;
    struct rig rig;
    uint64_t named, plain, table, size;
    load(&rig, reads, sizeof reads - 1);
    assert_true(atoll_memory_alloc(rig.device, 1024, &named, &rig.error));
    assert_true(atoll_memory_alloc(rig.device, 1024, &plain, &rig.error));
    assert_true(atoll_memory_name(rig.device, named, "out", "s32", 4, &rig.error));
    assert_true(atoll_module_variable(rig.module, "table", &table, &size, &rig.error));
    read_at(&rig, named, 1024, "out-of-bounds",
            "not allocated: element 256 of 'out' (256 x s32), 0 bytes past its end;");
    read_at(&rig, named, 1032, "out-of-bounds", ": element 258 of 'out' (256 x s32), 8 bytes past its end;");
    read_at(&rig, named, -4, "out-of-bounds", ": element -1 of 'out' (256 x s32), 4 bytes before its start;");
    read_at(&rig, plain, 1024, "out-of-bounds", ": byte 1024 of 'in' (1024 bytes), 0 bytes past its end;");
    read_at(&rig, plain, -8, "out-of-bounds", ": byte -8 of 'in' (1024 bytes), 8 bytes before its start;");
    read_at(&rig, table, 16, "out-of-bounds", ": byte 16 of 'table' (16 bytes), 0 bytes past its end;");
    read_at(&rig, 65536, 0, "out-of-bounds", "are not allocated");
    read_at(&rig, UINT64_MAX - 65535, 0, "out-of-bounds", "are not allocated");
    assert_true(atoll_memory_name(rig.device, named, "in", NULL, 0, &rig.error)); /* another name */
    read_at(&rig, named, 1024, "out-of-bounds", ": byte 1024 of 'in' (1024 bytes), 0 bytes past its end;");
    assert_false(atoll_memory_name(rig.device, named + 4, "out", NULL, 0, &rig.error));
    assert_int_equal(rig.error.status, ATOLL_USAGE);
    assert_false(atoll_memory_name(rig.device, named, NULL, NULL, 0, &rig.error));
    assert_false(atoll_memory_name(rig.device, named, "out", "s32", 0, &rig.error));
    assert_false(atoll_memory_name(NULL, named, "out", "s32", 4, &rig.error));
    end(&rig);
}

static void freed_memory_is_told_as_freed(void **state)
{
    (void)state;
    struct rig rig;
    uint64_t named, plain, other;
    load(&rig, reads, sizeof reads - 1);
    assert_true(atoll_memory_alloc(rig.device, 1024, &named, &rig.error));
    assert_true(atoll_memory_alloc(rig.device, 64, &plain, &rig.error));
    assert_true(atoll_memory_alloc(rig.device, 64, &other, &rig.error));
    assert_true(atoll_memory_name(rig.device, named, "out", "s32", 4, &rig.error));
    assert_true(atoll_memory_free(rig.device, named, &rig.error));
    assert_true(atoll_memory_free(rig.device, plain, &rig.error));
    read_at(&rig, named, 12, "freed", "c were freed: element 3 of 'out' (256 x s32);");
    read_at(&rig, plain, 12, "freed", "were freed: byte 12 of the allocation 0x");
    read_at(&rig, named, 1024, "out-of-bounds", "are not allocated");
    for (int i = 0; i < 3000; i++) { /* the last ones are kept */
        uint64_t address;
        assert_true(atoll_memory_alloc(rig.device, 16, &address, &rig.error));
        assert_true(atoll_memory_free(rig.device, address, &rig.error));
        other = address;
    }
    read_at(&rig, other, 0, "freed", "were freed");
    end(&rig);
}

/* Frees memory of malloc, and then what lies `at` bytes behind `in`; where `in` is 0 behind that memory. */
static const char frees[] =
    HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n"
         ".visible .entry k(.param .u64 in, .param .s64 at)\n{\n"
         ".reg .b64 %d<4>;\n.reg .pred %p;\nld.param.u64 %d0, [in];\nld.param.s64 %d1, [at];\n"
         "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 64;\ncall (r), malloc, (n);\n"
         "ld.param.b64 %d2, [r];\n}\nsetp.eq.u64 %p, %d0, 0;\n@%p mov.u64 %d0, %d2;\nadd.u64 %d0, %d0, %d1;\n"
         "setp.eq.u64 %p, %d0, %d2;\n@!%p bra LAST;\n"
         "{\n.param .b64 p;\nst.param.b64 [p], %d2;\ncall free, (p);\n}\n"
         "LAST:\n{\n.param .b64 p;\nst.param.b64 [p], %d0;\ncall free, (p);\n}\nret;\n}\n";

static void what_cannot_be_freed_is_told(void **state)
{
    (void)state;
    struct rig rig;
    uint64_t named, gone;
    load(&rig, frees, sizeof frees - 1);
    assert_true(atoll_memory_alloc(rig.device, 1024, &named, &rig.error));
    assert_true(atoll_memory_alloc(rig.device, 4096, &gone, &rig.error));
    assert_true(atoll_memory_name(rig.device, named, "out", "s32", 4, &rig.error));
    assert_true(atoll_memory_free(rig.device, gone, &rig.error));
    read_at(&rig, 0, 0, "bad-free", ", which was freed already: byte 0 of the allocation 0x");
    read_at(&rig, 0, 8, "bad-free", ", which malloc did not return: byte 8 of the allocation 0x");
    read_at(&rig, named, 8, "bad-free", ", which malloc did not return: element 2 of 'out' (256 x s32);");
    read_at(&rig, gone, 2000, "bad-free",
            ", which was freed, and malloc did not return: byte 2000 of the allocation 0x");
    read_at(&rig, 65536, 0, "bad-free", "free of 0x10000, which malloc did not return;");
    end(&rig);
}

/* ---- .loc -------------------------------------------------------------------------------------------------- */

#define ENTRY ".visible .entry k()\n{\n"
#define FILES ".file 1 \"/src/a.cu\"\n.file 7 \"C:\\\\b\\\\c.cu\"\n"
#define STR   ".section .debug_str\n{\nA:\n.b8 95,90,50,105,110,118,0\nB:\n.b8 109,0\n}\n"

/* The places of the trap of kernel k. */
static uint32_t places(struct rig *rig, const char *text)
{
    load(rig, text, strlen(text));
    run(rig, "k", NULL, 0, 1);
    return rig->trap.nplaces;
}

static void what_no_file_has_is_no_place(void **state)
{
    (void)state;
    static const char *const none[] = {
        HEAD ENTRY "trap;\n}\n",
        HEAD FILES ENTRY "trap;\n}\n",
        HEAD FILES ENTRY ".loc 2 5 1\ntrap;\n}\n",                           /* there is no file 2 */
        HEAD FILES ENTRY ".loc 1 0 1\ntrap;\n}\n",                           /* nothing stands before it */
        HEAD FILES ENTRY "trap;\n.loc 1 5 1\n}\n",                           /* of what follows */
        HEAD ENTRY ".loc 1 5 1\ntrap;\n}\n",                                 /* no .file at all */
        HEAD FILES ".func f()\n{\n.loc 1 5 1\nret;\n}\n" ENTRY "trap;\n}\n", /* of another function */
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct rig rig;
        assert_int_equal(places(&rig, none[i]), 0);
        assert_non_null(strstr(rig.error.message, "kernel 'k' trapped at k.ptx:"));
        end(&rig);
    }
}

static void loc_holds_until_the_next(void **state)
{
    (void)state;
    struct rig rig;
    assert_int_equal(
        places(&rig, HEAD ENTRY ".loc 1 5 1\nbar.sync 0;\nL:\n.loc 7 8 2\n{\ntrap;\n}\n.loc 1 6 1\nret;\n}\n" FILES),
        1);
    assert_string_equal(rig.trap.places[0].file, "C:\\b\\c.cu");
    assert_int_equal(rig.trap.places[0].line, 8);
    assert_int_equal(rig.trap.places[0].column, 2);
    end(&rig);
    assert_int_equal(places(&rig, HEAD FILES ENTRY ".loc 1 5 1 trap;\n}\n"), 1); /* on one line with it */
    is_place(&rig.trap.places[0], "a.cu", 5, "");
    end(&rig);
    assert_int_equal(places(&rig, HEAD FILES ENTRY ".loc 1 5 1\n.loc 7 0 1\ntrap;\n}\n"), 1); /* of no line */
    is_place(&rig.trap.places[0], "a.cu", 5, "");
    end(&rig);
}

static void functions_are_labels_of_debug_str(void **state)
{
    (void)state;
    static const struct {
        const char *name, *want;
    } tried[] = {{"A", "in"}, {"B", "m"},    {"A+7", "m"},         {".debug_str", "in"},          {".debug_str+7", "m"},
                 {"A+6", ""}, {"A+100", ""}, {"B+4294967295", ""}, {"A+18446744073709551615", ""}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        char text[1000];
        struct rig rig;
        snprintf(text, sizeof text,
                 HEAD FILES ENTRY ".loc 1 5 1\n.loc 7 3 3, function_name %s, inlined_at 1 5 1\ntrap;\n}\n" STR,
                 tried[i].name);
        assert_int_equal(places(&rig, text), 2);
        is_place(&rig.trap.places[0], "C:\\b\\c.cu", 3, tried[i].want);
        is_place(&rig.trap.places[1], "a.cu", 5, "");
        end(&rig);
    }
}

/* A recursion that was inlined: each call at the same place, further down. */
static void many_inlined_calls_end(void **state)
{
    (void)state;
    static char text[10000];
    struct rig rig;
    size_t n = (size_t)snprintf(text, sizeof text, HEAD FILES ENTRY ".loc 1 1 1\n");
    for (int i = 2; i <= 40; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ".loc 1 %d 1, function_name B, inlined_at 1 %d 1\n", i, i - 1);
    snprintf(text + n, sizeof text - n, ".loc 1 40 1, function_name B, inlined_at 1 40 1\ntrap;\n}\n" STR);
    assert_int_equal(places(&rig, text), ATOLL_INLINED);
    is_place(&rig.trap.places[0], "a.cu", 40, "m");
    is_place(&rig.trap.places[1], "a.cu", 40, "m");
    is_place(&rig.trap.places[2], "a.cu", 39, "m");
    is_place(&rig.trap.places[ATOLL_INLINED - 1], "a.cu", 1, "");
    assert_non_null(strstr(rig.error.message, "; ...; m, inlined at a.cu:1)"));
    end(&rig);
}

/* ---- line tables ------------------------------------------------------------------------------------------- */

struct rows {
    struct dwarf_row rows[64];
    unsigned count, most;
};

static bool on_row(void *user, const struct dwarf_row *row)
{
    struct rows *rows = user;
    if (rows->count < 64)
        rows->rows[rows->count] = *row;
    return ++rows->count < rows->most;
}

static enum dwarf_verdict read(const uint8_t *bytes, size_t size, struct rows *rows)
{
    static const uint8_t strings[] = "_Z1fv\0/long/folder";
    struct dwarf_section lines = {bytes, size}, str = {strings, sizeof strings};
    *rows = (struct rows){.most = UINT32_MAX};
    return dwarf_lines(&lines, &str, &str, on_row, rows);
}

static const uint8_t version2[] = {
    61,  0, 0,    0,   2,   0,   27, 0, 0, 0, /* unit, version, header */
    4,   1, 0xff, 4,   10, /* bytes an instruction, is_stmt, line base -1, range 4, first special opcode 10 */
    0,   1, 1,    1,   1,   0,   0,  0, 1,            /* operands of opcodes 1 to 9 */
    'd', 0, 0,    'a', '.', 'c', 0,  1, 0, 0, 0, 0, 0 /* here 2 of the 4 bytes of nvcc's: too few */
};

static void version_2(void **state)
{
    (void)state;
    static const uint8_t program[] = {
        0,
        9,
        2,
        0x10,
        0,
        0,
        0,
        0,
        0,
        0,
        0, /* address 0x10 */
        3,
        0x7f, /* line 1 - 1 = 0 */
        3,
        0x80,
        0x01, /* + 128 */
        5,
        7,
        1, /* column 7, copy */
        10 + 4 * 2 + 3,
        8, /* special: 2 instructions, 2 lines; const_add_pc: 61 instructions */
        0,
        1,
        1, /* end */
    };
    uint8_t bytes[sizeof version2 + sizeof program];
    struct rows r;
    memcpy(bytes, version2, sizeof version2);
    memcpy(bytes + sizeof version2, program, sizeof program);
    bytes[0] = (uint8_t)(sizeof bytes - 4);
    assert_int_equal(read(bytes, sizeof bytes, &r), DWARF_READ);
    assert_int_equal(r.count, 3);
    assert_int_equal(r.rows[0].address, 0x10);
    assert_int_equal(r.rows[0].address_at, sizeof version2 + 3);
    assert_int_equal(r.rows[0].line, 128);
    assert_int_equal(r.rows[0].column, 7);
    assert_string_equal(r.rows[0].file, "a.c");
    assert_string_equal(r.rows[0].directory, "d");
    assert_int_equal(r.rows[1].address, 0x18);
    assert_int_equal(r.rows[1].line, 130);
    assert_true(r.rows[2].end);
    assert_int_equal(r.rows[2].address, 0x18 + 61 * 4);
    for (size_t size = 1; size < sizeof bytes; size++) /* cut anywhere */
        assert_int_equal(read(bytes, size, &r), DWARF_BROKEN);
}

static void version_5(void **state)
{
    (void)state;
    static uint8_t bytes[] = {
        0,   0, 0,    0,    5,    0,   8,   0, 42, 0, 0, 0, /* unit, version, sizes of addresses, header */
        1,   1, 1,    0xfb, 14,   10,                    /* one operation an instruction; line base -5, range 14, 10 */
        0,   1, 1,    1,    1,    0,   0,   0, 1,        /* operands */
        1,   1, 0x1f, 1,    6,    0,   0,   0,           /* directories: a path in .debug_line_str, one of them */
        2,   1, 0x08, 2,    0x0b, 2,                     /* files: a string and a byte for the directory; two */
        'a', 0, 0,    'b',  '.',  'c', 'u', 0, 0,        /* */
        0,   0, 0,    0,                                 /* nvcc's: names from .debug_str + 0 */
        0,   9, 2,    0,    0,    0,   0,   0, 0,  0, 0, /* address 0 */
        4,   1, 1,                                       /* file 1, copy */
        4,   0, 0,    3,    0x90, 1,   0,   1,           /* file 0, inlined at row 1: _Z1fv; copy */
        0,   3, 0x90, 9,    0,    1,                     /* at row 9, which is not there yet */
        0,   3, 0x90, 1,    99,   1,                     /* a name past the end */
        0,   1, 1,
    };
    struct rows r;
    bytes[0] = (uint8_t)(sizeof bytes - 4);
    assert_int_equal(read(bytes, sizeof bytes, &r), DWARF_READ);
    assert_int_equal(r.count, 5);
    assert_string_equal(r.rows[0].file, "b.cu");
    assert_string_equal(r.rows[0].directory, "/long/folder");
    assert_null(r.rows[0].function);
    assert_string_equal(r.rows[1].file, "a");
    assert_int_equal(r.rows[1].caller, 1);
    assert_string_equal(r.rows[1].function, "_Z1fv");
    assert_int_equal(r.rows[2].caller, 0);
    assert_null(r.rows[2].function);
    assert_int_equal(r.rows[3].caller, 1);
    assert_null(r.rows[3].function);
    for (size_t size = 1; size < sizeof bytes; size++)
        assert_int_equal(read(bytes, size, &r), DWARF_BROKEN);
    r.most = 2;
    struct dwarf_section lines = {bytes, sizeof bytes}, str = {NULL, 0};
    r.count = 0;
    assert_int_equal(dwarf_lines(&lines, &str, &str, on_row, &r), DWARF_STOPPED);
    for (size_t i = 4; i < sizeof bytes; i++) { /* any byte may be any: it ends */
        uint8_t was = bytes[i];
        for (unsigned value = 0; value < 256; value++) {
            bytes[i] = (uint8_t)value;
            read(bytes, sizeof bytes, &r);
        }
        bytes[i] = was;
    }
}

/* Line tables that cannot be read are left out, and a warning says so. The code runs. */
static void a_broken_table_is_left_out(void **state)
{
    (void)state;
    size_t size;
    char *bytes = file_read("fault.sm_50.cubin", &size), *at = NULL;
    for (char *p = bytes; p + 5 < bytes + size && !at; p++)
        if (memcmp(p, "\x01\x01\xfb\x0e\x0a", 5) == 0) /* the end of a header's fixed part */
            at = p;
    assert_non_null(at);
    at[-7] = 9; /* version 9 */
    struct rig rig;
    struct {
        uint64_t out;
        int32_t n, value;
    } parameters = {0, 31, 3};
    load(&rig, bytes, size);
    free(bytes);
    assert_int_equal(rig.warnings, 1);
    assert_true(atoll_memory_alloc(rig.device, 31 * 4, &parameters.out, &rig.error));
    run(&rig, "fill<int>", &parameters, sizeof parameters, 32);
    assert_int_equal(rig.trap.nplaces, 0);
    assert_non_null(strstr(rig.error.message, "kernel 'fill<int>' trapped at k.ptx: fill<int> /*"));
    end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trap_has_its_line),
        cmocka_unit_test(a_trap_has_the_calls_that_were_inlined),
        cmocka_unit_test(an_address_is_told_by_its_allocation),
        cmocka_unit_test(freed_memory_is_told_as_freed),
        cmocka_unit_test(what_cannot_be_freed_is_told),
        cmocka_unit_test(what_no_file_has_is_no_place),
        cmocka_unit_test(loc_holds_until_the_next),
        cmocka_unit_test(functions_are_labels_of_debug_str),
        cmocka_unit_test(many_inlined_calls_end),
        cmocka_unit_test(version_2),
        cmocka_unit_test(version_5),
        cmocka_unit_test(a_broken_table_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

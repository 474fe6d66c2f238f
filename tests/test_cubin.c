/* Cubins of ptxas 11.8 and 12.4: read, written back to the byte, their attributes; and damaged copies of them. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <elf.h>
#include <stdlib.h>

#include "cubins.h"
#include "isa/sass/cubin.h"

static void read_good(const char *name, struct sass_module *module)
{
    struct blob blob = cubin_load(name);
    struct atoll_error error = {0};
    if (!sass_read(blob.bytes, blob.size, module, &error))
        fail_msg("%s: %s", name, error.message);
    blob_free(&blob);
}

static void round_trip(void *context, const char *name, const struct blob *blob)
{
    (void)context;
    struct sass_module module;
    struct text out = {0};
    struct atoll_error error = {0};
    if (!sass_read(blob->bytes, blob->size, &module, &error) || !sass_write(&module, &out, &error))
        fail_msg("%s: %s", name, error.message);
    unsigned kernels = 0;
    for (unsigned i = 0; i < module.nfunctions; i++)
        kernels += module.functions[i].entry && module.functions[i].nattributes > 0 && module.functions[i].registers;
    assert_true(kernels > 0);
    assert_int_equal(out.length, blob->size);
    if (memcmp(out.bytes, blob->bytes, blob->size) != 0)
        fail_msg("%s: comes back changed", name);
    text_free(&out);
    sass_free(&module);
}

static void test_round_trip(void **state)
{
    (void)state;
    cubin_each(round_trip, NULL);
}

static void test_saxpy(void **state)
{
    (void)state;
    struct sass_module m;
    read_good("saxpy.sm_50.cubin", &m);
    assert_int_equal(m.arch, 50);
    assert_int_equal(m.toolkit, 118);
    assert_false(m.relocatable);
    const struct sass_function *f = sass_find_function(&m, "_Z5saxpyifPKfPf");
    assert_non_null(f);
    assert_int_equal(f->size, 320);
    assert_int_equal(f->registers, 10);
    assert_int_equal(f->cbank_offset, 0x140);
    assert_int_equal(f->cbank_size, 0x18);
    assert_int_equal(f->max_registers, 255);
    assert_int_equal(f->crs_stack, 0x210);
    assert_int_equal(f->nexits, 2);
    assert_int_equal(f->exits[0], 0x58);
    assert_int_equal(f->exits[1], 0x110);
    static const uint32_t wanted[4][2] = {{0, 4}, {4, 4}, {8, 8}, {16, 8}}; /* offset, size */
    assert_int_equal(f->nparameters, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(f->parameters[i].offset, wanted[i][0]);
        assert_int_equal(f->parameters[i].size, wanted[i][1]);
        assert_int_equal(f->parameters[i].bank, 0x1f);
    }
    assert_int_equal(m.sections[f->constant[0]].size, 0x158);
    sass_free(&m);
}

static void test_memory(void **state)
{
    (void)state;
    struct sass_module m;
    read_good("spaces.sm_50.cubin", &m);
    const struct sass_function *f = sass_find_function(&m, "spaces");
    assert_non_null(f);
    assert_int_equal(f->shared_size, 0x2000);
    assert_int_equal(f->registers, 47);
    assert_true(f->barriers >= 1);
    assert_int_equal(m.sections[m.constant3].size, 0x480);
    sass_free(&m);
}

static void test_relocations(void **state)
{
    (void)state;
    struct sass_module m;
    read_good("vprintf.sm_50.cubin", &m);
    static const struct {
        uint64_t offset;
        uint32_t type;
        const char *symbol;
    } wanted[] = {{0xc8, SASS_R_ABS32_20, "free"},
                  {0x98, SASS_R_ABS32_20, "malloc"},
                  {0x78, SASS_R_ABS32_20, "vprintf"},
                  {0x50, SASS_R_ABS32_HI_20, "fmt"},
                  {0x38, SASS_R_ABS32_LO_20, "fmt"}};
    assert_int_equal(m.nrelocations, 5);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(m.relocations[i].offset, wanted[i].offset);
        assert_int_equal(m.relocations[i].type, wanted[i].type);
        assert_string_equal(m.symbols[m.relocations[i].symbol].name, wanted[i].symbol);
    }
    sass_free(&m);
    read_good("surf_ref.sm_50.cubin", &m);
    assert_int_equal(m.nrelocations, 2);
    assert_int_equal(m.relocations[1].type, SASS_R_SURF_HEADER);
    assert_int_equal(m.relocations[1].offset, 0x158);
    assert_int_equal(m.symbols[m.relocations[1].symbol].info & 15, SASS_SURFACE);
    sass_free(&m);
}

static void test_relocate(void **state)
{
    (void)state;
    struct atoll_error error = {0};
    uint8_t bytes[16] = {0};
    struct sass_relocation r = {.type = SASS_R_ABS32_HI_20, .offset = 8};
    assert_true(sass_relocate(&r, UINT64_C(0x1234567812345678), bytes, sizeof bytes, &error));
    assert_int_equal(bytes_u64(bytes + 8), UINT64_C(0x12345678) << 20);
    r = (struct sass_relocation){.type = SASS_R_SURF_HEADER, .offset = 4};
    bytes[7] = 0xff;
    assert_true(sass_relocate(&r, 5, bytes, sizeof bytes, &error));
    assert_int_equal(bytes_u32(bytes + 4), 0xff000005);
    r = (struct sass_relocation){.type = SASS_R_64, .offset = 9};
    assert_false(sass_relocate(&r, 5, bytes, sizeof bytes, &error));
    assert_int_equal(error.status, ATOLL_INPUT);
    r = (struct sass_relocation){.type = 50, .offset = 0};
    assert_false(sass_relocate(&r, 5, bytes, sizeof bytes, &error));
    assert_int_equal(error.status, ATOLL_UNSUPPORTED);
    assert_non_null(strstr(error.message, "R_CUDA_CONST_FIELD19_20"));
}

/* CUDA 12 keeps functions' addresses in bank 4 and says where system calls are made. */
static void test_toolkit12(void **state)
{
    (void)state;
    struct sass_module m;
    read_good("vprintf.sm_52.cubin", &m);
    assert_int_equal(m.arch, 52);
    assert_int_equal(m.toolkit, 124);
    assert_true(m.constant4 != 0);
    const struct sass_function *f = sass_find_function(&m, "vprintfk");
    assert_non_null(f);
    unsigned calls = 0;
    for (unsigned i = 0; i < f->nattributes; i++)
        calls += f->attributes[i].code == 0x46;
    assert_int_equal(calls, 1);
    sass_free(&m);
    read_good("saxpy_rel.sm_50.cubin", &m);
    assert_true(m.relocatable);
    assert_int_equal(m.sections[m.functions[0].constant[0]].type, SASS_CONSTANT);
    sass_free(&m);
}

/* ---- damage ------------------------------------------------------------------------------------------ */

/* A damaged file is refused with a reason, or it is still sound: then it can be written. */
static bool try_read(const uint8_t *bytes, size_t size)
{
    struct sass_module m;
    struct text out = {0};
    struct atoll_error error = {0};
    uint8_t *exact = malloc(size ? size : 1); /* so that a sanitizer sees every overread */
    assert_non_null(exact);
    if (size)
        memcpy(exact, bytes, size);
    bool good = sass_read(exact, size, &m, &error);
    if (good)
        assert_true(sass_write(&m, &out, &error));
    else
        assert_true(error.status != ATOLL_OK && error.message[0]);
    assert_true(m.arena.total < 64 * size + (1 << 20));
    text_free(&out);
    sass_free(&m);
    free(exact);
    return good;
}

static void test_truncation(void **state)
{
    (void)state;
    struct blob blob = cubin_load("vprintf.sm_50.cubin");
    for (size_t size = 0; size < blob.size; size++)
        assert_false(try_read(blob.bytes, size));
    blob_free(&blob);
}

static const uint64_t poisons[] = {0, 1, 7, 0x7f, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, UINT64_MAX};
enum { POISONS = sizeof poisons / sizeof poisons[0] };

static void poison(const struct blob *blob, size_t at, size_t size)
{
    uint8_t *copy = malloc(blob->size);
    assert_non_null(copy);
    for (unsigned i = 0; i < POISONS; i++) {
        memcpy(copy, blob->bytes, blob->size);
        memcpy(copy + at, &poisons[i], size);
        try_read(copy, blob->size);
    }
    free(copy);
}

/* Every field of every section header, program header, symbol and of the header itself. */
static void damage_fields(const char *name)
{
    static const uint8_t section[] = {4, 4, 8, 8, 8, 8, 4, 4, 8, 8}, symbol[] = {4, 1, 1, 2, 8, 8},
                         header[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                     1, 2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2};
    struct blob blob = cubin_load(name);
    Elf64_Ehdr h;
    memcpy(&h, blob.bytes, sizeof h);
    size_t at = 0;
    for (unsigned i = 0; i < sizeof header; at += header[i++])
        poison(&blob, at, header[i]);
    assert_int_equal(at, sizeof h);
    at = h.e_shoff;
    for (unsigned s = 0; s < h.e_shnum; s++)
        for (unsigned i = 0; i < sizeof section; at += section[i++])
            poison(&blob, at, section[i]);
    struct sass_module m;
    read_good(name, &m);
    at = m.sections[m.symtab].offset;
    for (unsigned s = 0; s < m.nsymbols; s++)
        for (unsigned i = 0; i < sizeof symbol; at += symbol[i++])
            poison(&blob, at, symbol[i]);
    sass_free(&m);
    blob_free(&blob);
}

static void test_fields(void **state)
{
    (void)state;
    damage_fields("vprintf.sm_50.cubin");
    damage_fields("surf_ref.sm_52.cubin");
    damage_fields("saxpy_rel.sm_50.cubin");
}

static void test_random(void **state)
{
    (void)state;
    struct blob blob = cubin_load("spaces.sm_50.cubin");
    uint8_t *copy = malloc(blob.size);
    uint64_t seed = 1;
    assert_non_null(copy);
    for (int round = 0; round < 5000; round++) {
        memcpy(copy, blob.bytes, blob.size);
        for (int n = 0; n < 3; n++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            copy[(seed >> 33) % blob.size] = (uint8_t)(seed >> 24);
        }
        try_read(copy, blob.size);
    }
    free(copy);
    blob_free(&blob);
}

static struct atoll_error refused(const char *name, size_t at, uint64_t value, size_t size)
{
    struct blob blob = cubin_load(name);
    struct sass_module m;
    struct atoll_error error = {0};
    memcpy(blob.bytes + at, &value, size);
    assert_false(sass_read(blob.bytes, blob.size, &m, &error));
    sass_free(&m);
    blob_free(&blob);
    return error;
}

static void test_messages(void **state)
{
    (void)state;
    struct blob blob = cubin_load("saxpy.sm_50.cubin");
    Elf64_Ehdr h;
    memcpy(&h, blob.bytes, sizeof h);
    blob_free(&blob);
    struct atoll_error e = refused("saxpy.sm_50.cubin", 48, 0x004b054b, 4); /* sm_75 */
    assert_int_equal(e.status, ATOLL_UNSUPPORTED);
    assert_non_null(strstr(e.message, "sm_75"));
    e = refused("saxpy.sm_50.cubin", 18, 62, 2);
    assert_non_null(strstr(e.message, "machine 62"));
    size_t text = h.e_shoff + 8 * sizeof(Elf64_Shdr);
    e = refused("saxpy.sm_50.cubin", text + 32, UINT64_MAX / 2, 8); /* sh_size */
    assert_non_null(strstr(e.message, "section 8"));
    assert_non_null(strstr(e.message, "past the end"));
    e = refused("saxpy.sm_50.cubin", text + 24, 0x3a0, 8); /* sh_offset: into constant0 */
    assert_non_null(strstr(e.message, "overlaps"));
    e = refused("saxpy.sm_50.cubin", 0x228, 9, 1); /* the first attribute's format */
    assert_non_null(strstr(e.message, ".nv.info"));
    assert_non_null(strstr(e.message, "0x228"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_saxpy),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_relocations), cmocka_unit_test(test_relocate), cmocka_unit_test(test_toolkit12),
        cmocka_unit_test(test_truncation),  cmocka_unit_test(test_fields),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

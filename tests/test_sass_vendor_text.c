/* The text of nvdisasm, where it is found (on the PATH, or named by ATOLL_NVDISASM), assembles to the instructions that
 * it was written for; and nvdisasm reads what was assembled from listings whose control bits were chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cubins.h"
#include "differential/tools.h"
#include "isa/sass/code.h"
#include "skip.h"

static void code_compare(const struct isa_table *table, unsigned arch, const char *name, const struct sass_section *s,
                         const struct sass_section *t)
{
    assert_int_equal(s->size, t->size);
    for (uint64_t i = 0; i < s->size / SASS_BUNDLE * 3; i++) {
        struct isa_word word = {{bytes_u64(s->bytes + sass_address(i)), SASS_CONTROL_NEUTRAL}};
        const struct isa_form *form = isa_find(table, &word, arch, NULL);
        uint64_t differs = word.part[0] ^ bytes_u64(t->bytes + sass_address(i));
        if (differs & ~(form ? form->row->ignored : 0))
            fail_msg("%s, %s at 0x%llx: 0x%016llx is not 0x%016llx", name, s->name, (unsigned long long)sass_address(i),
                     (unsigned long long)bytes_u64(t->bytes + sass_address(i)), (unsigned long long)word.part[0]);
    }
}

/* All sections of code of one file are in the other and hold the same instructions. */
static void same_code(const char *name, const struct blob *wanted, const struct blob *got)
{
    struct sass_module a, b;
    struct isa_table table;
    struct atoll_error error = {0};
    unsigned arch, compared = 0;
    assert_true(sass_open(&table, &error));
    assert_true(sass_read(wanted->bytes, wanted->size, &a, &error));
    if (!sass_read(got->bytes, got->size, &b, &error))
        fail_msg("%s: %s", name, error.message);
    assert_true(sass_arch_of(a.arch, &arch));
    for (uint32_t i = 1; i < a.nsections; i++) {
        if (strncmp(a.sections[i].name, ".text.", 6) != 0)
            continue;
        uint32_t other = sass_find_section(&b, a.sections[i].name);
        assert_true(other != 0);
        code_compare(&table, arch, name, &a.sections[i], &b.sections[other]);
        compared++;
    }
    assert_true(compared > 0);
    sass_free(&a);
    sass_free(&b);
    isa_close(&table);
}

static void through_vendor(const struct tools *tools, const char *name, const struct blob *cubin)
{
    struct text text = {0};
    if (!tools_disassemble(tools, cubin->bytes, cubin->size, &text))
        fail_msg("%s: nvdisasm does not read it", name);
    struct blob again = cubin_assemble(name, text.bytes, text.length);
    same_code(name, cubin, &again);
    blob_free(&again);
    text_free(&text);
}

static void check_file(void *tools, const char *name, const struct blob *blob)
{
    struct atoll_listing_options options = {.isa = NULL};
    struct atoll_error error = {0};
    char *listing;
    size_t length;
    through_vendor(tools, name, blob);
    assert_true(atoll_disassemble(blob->bytes, blob->size, &options, &listing, &length, &error));
    struct blob ours = cubin_assemble(name, listing, length);
    same_code(name, blob, &ours);
    through_vendor(tools, name, &ours);
    blob_free(&ours);
    atoll_text_free(listing);
}

static const struct tools *tools_or_skip(void **state)
{
    const struct tools *tools = *state;
    if (!tools->nvdisasm) {
        skip_because("no nvdisasm; ATOLL_NVDISASM names one");
    }
    return tools;
}

static void test_files(void **state)
{
    const struct tools *tools = tools_or_skip(state);
    cubin_each(check_file, (void *)(uintptr_t)tools);
}

static void test_example(void **state)
{
    const struct tools *tools = tools_or_skip(state);
    struct blob text = blob_load(EXAMPLES_DIR, "spin.sass");
    struct blob cubin = cubin_assemble("spin.sass", (const char *)text.bytes, text.size);
    through_vendor(tools, "spin.sass", &cubin);
    blob_free(&cubin);
    blob_free(&text);
}

int main(void)
{
    struct tools tools;
    tools_open(&tools);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_files, &tools),
        cmocka_unit_test_prestate(test_example, &tools),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tools_close(&tools);
    return failed;
}

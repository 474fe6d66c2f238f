/* The reader of vISA's text against recorded verdicts and files of Intel's tool: texts that it takes become the bytes
 * of its kernel objects; texts that it refuses for their syntax are refused; bytes become text that becomes the bytes
 * again. The files lie beside the source tree (../shared/corpora/visa); without them a sample in data/visa is read.
 * ATOLL_VISA_DIR names another place. Run with ATOLL_VISA_SHOW=N to see N breaks a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "given.h"
#include "isa/visa/parse.h"
#include "visa_tables.h"
#include <cmocka.h>

struct count {
    unsigned rows, shown;
    unsigned taken, accepts;   /* texts that the tool takes */
    unsigned same, files;      /* of them with bytes */
    unsigned refused, rejects; /* texts that it refuses for their syntax */
    unsigned back, containers; /* bytes, text, bytes */
};

static void show(struct count *count, const char *what, const char *name, const char *got)
{
    if (count->shown++ < given("ATOLL_VISA_SHOW", 3, 0))
        print_message("  %s: %s | %s\n", name, what, got);
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

static bool parse(struct arena *arena, const char *text, size_t length, struct visa_module *module,
                  struct atoll_error *error)
{
    struct diag diag = {.source = text, .size = length, .first = error};
    assert_true(visa_parse(arena, &diag, module));
    return diag.errors == 0;
}

/* The bytes of a text; *error says why there are none. */
static bool assemble(const char *text, size_t length, struct text *bytes, struct atoll_error *error)
{
    struct arena arena = {0};
    struct visa_module module;
    bool ok = parse(&arena, text, length, &module, error) && visa_write(&module, bytes, error);
    arena_free(&arena);
    return ok;
}

/* The container without machine code, as Atoll writes it. */
static bool plain(const uint8_t *isa, size_t size, struct text *bytes, struct text *text)
{
    struct arena arena = {0};
    struct visa_module module;
    struct atoll_error error = {0};
    bool ok = visa_read(&arena, isa, size, &module, &error);
    if (ok && text)
        visa_print(&module, text);
    ok = ok && visa_write(&module, bytes, &error);
    arena_free(&arena);
    return ok;
}

static bool equal(const struct text *a, const struct text *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static void difference(const struct text *a, const struct text *b, char out[80])
{
    size_t at = 0;
    while (at < a->length && at < b->length && a->bytes[at] == b->bytes[at])
        at++;
    snprintf(out, 80, "byte %zu of %zu and %zu: %02x, wanted %02x", at, a->length, b->length,
             at < a->length ? (uint8_t)a->bytes[at] : 0, at < b->length ? (uint8_t)b->bytes[at] : 0);
}

/* Bytes to text to bytes. */
static void round_trip(struct count *count, const char *name, const uint8_t *isa, size_t size)
{
    struct text wanted = {0}, text = {0}, again = {0};
    struct atoll_error error = {0};
    char got[240] = "";
    if (plain(isa, size, &wanted, &text)) {
        count->containers++;
        bool ok = assemble(text.bytes, text.length, &again, &error);
        if (ok && equal(&again, &wanted))
            count->back++;
        else if (ok)
            difference(&again, &wanted, got);
        else
            snprintf(got, sizeof got, "%u:%u %.200s", error.line, error.column, error.message);
        if (*got)
            show(count, "text of bytes", name, got);
        if (*got && getenv("ATOLL_VISA_TEXT"))
            print_message("%s\n", text.bytes);
    }
    text_free(&wanted);
    text_free(&text);
    text_free(&again);
}

/* ---- the tables ------------------------------------------------------------------------------------------- */

/* What the tool refuses while it reads text; what it refuses later a verifier must. */
static bool of_syntax(const char *message)
{
    static const char *const later[] = {"verifier: ", "[vISA Finalizer Messages] | Spill"};
    for (unsigned i = 0; i < sizeof later / sizeof *later; i++)
        if (strncmp(message, later[i], strlen(later[i])) == 0)
            return false;
    return strstr(message, "near line") || strstr(message, "Invalid OpCode") || strstr(message, "Invalid Data Type") ||
           strstr(message, "lexical error");
}

static void accepted(struct count *count, char **column, const uint8_t *isa, size_t size)
{
    struct text bytes = {0}, wanted = {0};
    struct atoll_error error = {0};
    char got[240] = "";
    size_t length = table_unescape(column[6]);
    count->accepts++;
    bool ok = assemble(column[6], length, &bytes, &error);
    count->taken += ok;
    if (!ok)
        snprintf(got, sizeof got, "%u:%u %.200s", error.line, error.column, error.message);
    if (size && plain(isa, size, &wanted, NULL)) {
        count->files++;
        if (ok && equal(&bytes, &wanted))
            count->same++;
        else if (ok)
            difference(&bytes, &wanted, got);
    }
    if (*got)
        show(count, "text", column[0], got);
    text_free(&bytes);
    text_free(&wanted);
}

/* Words of Atoll's own are read but are none of the tool's. */
static bool refuses(const char *text, size_t length)
{
    struct arena arena = {0};
    struct visa_module module;
    struct atoll_error error = {0};
    bool ok = parse(&arena, text, length, &module, &error);
    for (unsigned k = 0; ok && k < module.nkernels; k++)
        for (uint32_t i = 0; i < module.kernels[k].ninsts; i++)
            ok = ok && module.kernels[k].insts[i].spelling == VISA_SPELLED_TOOL;
    arena_free(&arena);
    return !ok;
}

static void row(struct count *count, char **column, uint8_t *isa)
{
    size_t size = table_base64(column[7], isa);
    count->rows++;
    if (strcmp(column[2], "accept") == 0)
        accepted(count, column, isa, size);
    if (strcmp(column[2], "reject") == 0 && (of_syntax(column[3]) || !*column[6])) {
        count->rejects++;
        bool ok = refuses(column[6], table_unescape(column[6]));
        count->refused += ok;
        if (!ok)
            show(count, column[3], column[0], "taken");
    }
    if (size)
        round_trip(count, column[0], isa, size);
}

static double percent(unsigned some, unsigned all)
{
    return all ? 100.0 * some / all : 100.0;
}

static void report(const char *name, const struct count *c)
{
    print_message("%-20s %5u rows: %.2f %% of %u taken, %.2f %% of %u the same bytes, %.2f %% of %u refused, "
                  "%.2f %% of %u back from text\n",
                  name, c->rows, percent(c->taken, c->accepts), c->accepts, percent(c->same, c->files), c->files,
                  percent(c->refused, c->rejects), c->rejects, percent(c->back, c->containers), c->containers);
    assert_int_equal(c->taken, c->accepts);
    assert_int_equal(c->same, c->files);
    assert_int_equal(c->refused, c->rejects);
    assert_int_equal(c->back, c->containers);
}

static void table_test(const char *name)
{
    static char line[TABLE_LINE];
    char *column[TABLE_COLUMNS];
    struct count count = {0};
    char path[64];
    snprintf(path, sizeof path, "%s.tsv.gz", name);
    gzFile file = table_open(path);
    if (!file)
        skip();
    uint8_t *isa = malloc(TABLE_LINE);
    assert_non_null(isa);
    gzgets(file, line, sizeof line);
    while (gzgets(file, line, sizeof line))
        if (table_split(line, column) == TABLE_COLUMNS)
            row(&count, column, isa);
    gzclose(file);
    free(isa);
    report(name, &count);
}

static void test_typed_atomic(void **state)
{
    (void)state;
    table_test("typed_atomic");
}

static void test_other_insts(void **state)
{
    (void)state;
    table_test("other_insts");
}

/* Files that were altered: those that can be read at all. */
static void test_binary_only(void **state)
{
    static char line[TABLE_LINE];
    char *column[TABLE_COLUMNS];
    struct count count = {0};
    (void)state;
    gzFile file = table_open("binary_only.tsv.gz");
    if (!file)
        skip();
    uint8_t *isa = malloc(TABLE_LINE);
    assert_non_null(isa);
    gzgets(file, line, sizeof line);
    while (gzgets(file, line, sizeof line)) {
        assert_int_equal(table_split(line, column), 7);
        count.rows++;
        round_trip(&count, column[0], isa, table_base64(column[6], isa));
    }
    gzclose(file);
    free(isa);
    report("binary_only", &count);
}

/* ---- kernels of a compiler -------------------------------------------------------------------------------- */

static const char *const kernels[] = {
    "01_hist_local.%s.simd32",      "02_image_copy.%s.simd32",  "04_reduce_float.%s.simd32",
    "05_transpose.%s.simd32",       "07_atomics_all.%s.simd32", "09_divergent.%s.simd16",
    "12_image_rw_uint3d.%s.simd32", "13_subgroup.%s.simd16",    "15_typed_atomic_inline.%s.simd8",
};
static const char *const devices[] = {"skl", "tgllp", "acm-g10"};

/* Text, bytes, text, bytes. */
static void kernel_test(struct count *count, const char *name, const char *text, size_t length)
{
    struct text bytes = {0};
    struct atoll_error error = {0};
    char got[240];
    count->rows++;
    count->accepts++;
    if (assemble(text, length, &bytes, &error)) {
        count->taken++;
        round_trip(count, name, (const uint8_t *)bytes.bytes, bytes.length);
    } else {
        snprintf(got, sizeof got, "%u:%u %.200s", error.line, error.column, error.message);
        show(count, "text", name, got);
    }
    text_free(&bytes);
}

static void test_kernels(void **state)
{
    static char text[TABLE_LINE];
    struct count count = {0};
    (void)state;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (unsigned k = 0; k < 3; k++) {
            char name[80], path[120];
            snprintf(name, sizeof name, kernels[i], devices[k]);
            snprintf(path, sizeof path, "ocl/%s.visaasm", name);
            gzFile file = table_open(path);
            if (!file)
                continue;
            int length = gzread(file, text, sizeof text);
            gzclose(file);
            assert_true(length > 0);
            kernel_test(&count, name, text, (size_t)length);
        }
    if (!count.rows)
        skip();
    report("OpenCL kernels", &count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed_atomic),
        cmocka_unit_test(test_other_insts),
        cmocka_unit_test(test_binary_only),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

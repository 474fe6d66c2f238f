/* Random kernels from PTX and from the machine code that ptxas makes of them at its four levels for three
 * architectures: the same inputs must leave the same bytes in memory and surfaces. Recorded pairs always run; new ones
 * where there is a ptxas that knows sm_50 (on the PATH, or named by ATOLL_PTXAS). Where there is nvdisasm (PATH,
 * ATOLL_NVDISASM) it must list what was disassembled and assembled again as Atoll does.
 *
 *   test_sass_differential                      the test
 *   test_sass_differential SEED COUNT [FOLDER]  that many kernels from a seed on; pairs that differ are kept in FOLDER
 *   test_sass_differential pair K.ptx K.cubin   one pair
 *   test_sass_differential record COUNT FILE    a new file of recorded pairs */
#include "differential/inputs.h"
#include "differential/tools.h"
#include "ref/rig.h"

#include "file/file.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/hard.h"
#include "skip.h"

enum {
    OUT_BYTES = DIFFERENTIAL_OUT,
    SCRATCH_BYTES = DIFFERENTIAL_SCRATCHES,
    SURFACES = DIFFERENTIAL_SURFACES,
    SURFACE_BYTES = 4096,
    FIRST = 10006, /* seed of new kernels in a normal run */
    COUNT = 134,
    SECONDS = 25
};

struct outcome {
    bool ok;
    struct atoll_error error;
    uint8_t out[OUT_BYTES], scratch[SCRATCH_BYTES], texels[SURFACES][SURFACE_BYTES];
};

static void run(const struct blob *module, uint32_t seed, struct outcome *outcome)
{
    static uint8_t in[DIFFERENTIAL_BYTES];
    struct rig rig = {.mode = rig_modes[1]};
    struct rig_args args = {0};
    struct atoll_surface *surfaces[SURFACES];
    memset(outcome, 0, sizeof *outcome);
    differential_fill(in, seed);
    assert_true(atoll_device_create(NULL, &rig.device, &outcome->error));
    if (!atoll_module_load(rig.device, (const char *)module->bytes, module->size, NULL, &rig.module, &outcome->error)) {
        atoll_device_destroy(rig.device);
        return;
    }
    rig_u64(&args, rig_buffer(&rig, in, sizeof in));
    uint64_t out = rig_buffer(&rig, NULL, OUT_BYTES), scratch = rig_buffer(&rig, in, SCRATCH_BYTES);
    rig_u64(&args, out);
    rig_u64(&args, scratch);
    for (unsigned i = 0; i < SURFACES; i++) {
        const struct differential_surface *made = &differential_surfaces[i];
        surfaces[i] = rig_surface(&rig, made->dimension, made->format, made->width, made->height, made->depth, NULL);
        uint64_t size = atoll_surface_size(surfaces[i]);
        assert_true(size <= DIFFERENTIAL_BYTES);
        assert_true(atoll_surface_write(surfaces[i], in, size, &outcome->error));
        rig_u64(&args, atoll_surface_handle(surfaces[i]));
    }
    for (unsigned i = 0; i < SURFACES; i++) { /* the same by reference, in kernels that have references */
        char name[] = "ref1";
        name[3] = (char)('1' + i);
        atoll_module_bind_surface(rig.module, name, 0, surfaces[i], &outcome->error);
    }
    const struct differential_words words = differential_words(seed);
    rig_u32(&args, words.words[0]);
    rig_u32(&args, words.words[1]);
    rig_f64(&args, words.real);
    struct rig_shape shape = {{DIFFERENTIAL_BLOCKS, 1, 1}, {0, 1, 1}, 0};
    struct atoll_kernel_info info;
    atoll_kernel_describe(atoll_module_kernel_at(rig.module, 0), &info);
    shape.block[0] = info.required_block[0];
    if (shape.block[0] < DIFFERENTIAL_THREADS) /* a single warp, for what has no order between warps */
        shape.grid[0] = 1;
    outcome->ok = rig_try(&rig, "kernel", shape, &args, NULL, &outcome->error);
    rig_fetch(&rig, out, outcome->out, OUT_BYTES);
    rig_fetch(&rig, scratch, outcome->scratch, SCRATCH_BYTES);
    for (unsigned i = 0; i < SURFACES; i++) {
        static uint8_t all[DIFFERENTIAL_BYTES];
        uint64_t size = atoll_surface_size(surfaces[i]);
        rig_surface_fetch(surfaces[i], all, size);
        for (uint64_t at = 0; at < size; at++) /* folded: texels differ in a place where they differ */
            outcome->texels[i][at % SURFACE_BYTES] = (uint8_t)(outcome->texels[i][at % SURFACE_BYTES] * 31 + all[at]);
    }
    rig_close(&rig);
}

static const char *place(size_t byte)
{
    static const char names[] = "rdfghpmyz";
    static char text[32];
    size_t at = byte % DIFFERENTIAL_RESULT, from[] = {0, 32, 64, 80, 112, 120, 124, 128, 144},
           width[] = {4, 8, 4, 8, 2, 1, 4, 4, 8};
    for (int i = 8; i >= 0; i--)
        if (at >= from[i]) {
            snprintf(text, sizeof text, "%c%zu", names[i], (at - from[i]) / width[i]);
            break;
        }
    return text;
}

static bool report(const char *name, const char *what, const uint8_t *a, const uint8_t *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint64_t x, y;
        if (a[i] == b[i])
            continue;
        memcpy(&x, a + (i & ~(size_t)7), 8);
        memcpy(&y, b + (i & ~(size_t)7), 8);
        printf("%s: %s", name, what);
        if (*what == 'o')
            printf(", thread %zu, %s", i / DIFFERENTIAL_RESULT, place(i));
        printf(", byte %zu: %016llx from PTX, %016llx from machine code\n", i, (unsigned long long)x,
               (unsigned long long)y);
        return false;
    }
    return true;
}

static bool compare(const char *name, const struct outcome *ptx, const struct outcome *code)
{
    if (!ptx->ok || !code->ok) {
        printf("%s: PTX %s; machine code %s\n", name, ptx->ok ? "ran" : ptx->error.message,
               code->ok ? "ran" : code->error.message);
        return false;
    }
    return report(name, "out", ptx->out, code->out, OUT_BYTES) &&
           report(name, "scratch", ptx->scratch, code->scratch, SCRATCH_BYTES) &&
           report(name, "texels", ptx->texels[0], code->texels[0], sizeof ptx->texels);
}

/* What is listed assembles to the same bytes. */
static bool comes_back(const char *name, const struct blob *cubin)
{
    struct atoll_listing_options options = {.control = true};
    struct atoll_error error = {0};
    char *text = NULL, *bytes = NULL;
    size_t length, size = 0;
    bool ok = atoll_disassemble(cubin->bytes, cubin->size, &options, &text, &length, &error) &&
              atoll_assemble(text, length, NULL, NULL, &bytes, &size, &error);
    if (!ok)
        printf("%s: listing line %u: %s\n", name, error.line, error.message);
    else if (size != cubin->size || memcmp(bytes, cubin->bytes, size) != 0)
        ok = !printf("%s: its listing assembles to other bytes\n", name);
    atoll_text_free(text);
    atoll_text_free(bytes);
    return ok;
}

static bool pair(const char *name, const struct blob *ptx, const struct blob *cubin, uint32_t inputs)
{
    struct outcome *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    bool same = comes_back(name, cubin);
    assert_true(a && b);
    for (uint32_t i = 0; same && i < inputs; i++) {
        run(ptx, DIFFERENTIAL_FIRST + i, a);
        run(cubin, DIFFERENTIAL_FIRST + i, b);
        same = compare(name, a, b);
    }
    free(a);
    free(b);
    return same;
}

/* ---- new kernels ------------------------------------------------------- */

static void keep(const char *folder, const char *name, const char *ending, const void *bytes, size_t size)
{
    char path[500];
    struct atoll_error error;
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    file_write(path, bytes, size, &error);
}

/* A label of a listing, and the address of the instruction after it. */
struct label {
    const char *name;
    size_t length;
    unsigned long address;
};
enum { LABELS = 4096 };

/* The address in a line of code, ULONG_MAX in others. */
static unsigned long address_of(const char *line)
{
    line += strspn(line, " \t");
    return strncmp(line, "/*", 2) == 0 ? strtoul(line + 2, NULL, 16) : ULONG_MAX;
}

static size_t find_labels(const char *listing, struct label *labels)
{
    size_t count = 0, open = 0;
    for (const char *at = listing, *end; *at && count < LABELS; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        unsigned long address = address_of(at);
        if (end > at && end[-1] == ':')
            labels[count++] = (struct label){at, (size_t)(end - at) - 1, ULONG_MAX};
        for (; address != ULONG_MAX && open < count; open++)
            labels[open].address = address;
    }
    return count;
}

/* Names of places count as their addresses: each disassembler has its own order of numbers, and its own choice where a
 * place has two names. */
static const char *add_place(const struct label *labels, size_t count, const char *at, struct text *out)
{
    size_t length = strcspn(at, ")");
    for (size_t i = 0; i < count; i++)
        if (labels[i].length == length && memcmp(labels[i].name, at, length) == 0) {
            text_printf(out, "0x%lx", labels[i].address);
            return at + length;
        }
    text_add(out, at, length);
    return at + length;
}

/* What a relocation fills in is in the word as 0: `32@lo(name)` of the vendor's listing. */
static const char *add_relocated(const char *at, struct text *out)
{
    text_puts(out, "0x0");
    at += strcspn(at, ")\n");
    return *at == ')' ? at + 1 : at;
}

/* Notes on where a branch goes: what each follows from the data flow is its own. */
static const char *past_note(const char *at)
{
    const char *end = strstr(at, "*)");
    return end ? end + 2 : at + 2;
}

/* The instructions of a listing, one a line, without braces of dual issue, blanks and notes; sections of data left out.
 */
static void instructions(const char *listing, struct text *out)
{
    struct label *labels = calloc(LABELS, sizeof *labels);
    bool code = false;
    assert_non_null(labels);
    size_t count = find_labels(listing, labels);
    for (const char *at = listing, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        if (strncmp(at, "\t.section\t", 10) == 0)
            code = strncmp(at + 10, ".text.", 6) == 0;
        if (!code || address_of(at) == ULONG_MAX)
            continue;
        for (const char *c = at; c < end;)
            if (strncmp(c, "`(", 2) == 0)
                c = add_place(labels, count, c + 2, out);
            else if (strncmp(c, "(*", 2) == 0)
                c = past_note(c);
            else if (strncmp(c, "32@", 3) == 0)
                c = add_relocated(c, out);
            else if (strchr(" \t{};", *c))
                c++;
            else
                text_add(out, c++, 1);
        text_puts(out, "\n");
    }
    free(labels);
}

/* What is listed, without its control bits, and assembled with new ones is to the vendor's disassembler what it is to
 * Atoll. */
static bool disassembles(const struct tools *tools, const char *name, const struct blob *cubin)
{
    struct atoll_listing_options options = {0};
    struct atoll_error error = {0};
    struct text theirs = {0}, a = {0}, b = {0};
    char *text = NULL, *bytes = NULL, *again = NULL;
    size_t length, size;
    bool same = false;
    if (!tools->nvdisasm)
        return true;
    if (!atoll_disassemble(cubin->bytes, cubin->size, &options, &text, &length, &error) ||
        !atoll_assemble(text, length, NULL, NULL, &bytes, &size, &error) ||
        !atoll_disassemble(bytes, size, &options, &again, &length, &error))
        printf("%s: listing line %u: %s\n", name, error.line, error.message);
    else if (!tools_disassemble(tools, bytes, size, &theirs))
        printf("%s: the vendor's disassembler refuses what was assembled\n", name);
    else {
        instructions(again, &a);
        instructions(theirs.bytes, &b);
        assert_true(text_ok(&a) && text_ok(&b));
        same = a.length > 0 && strcmp(a.bytes, b.bytes) == 0;
        if (!same)
            printf("%s: the vendor's disassembler lists what was assembled in another way\n", name);
    }
    text_free(&theirs);
    text_free(&a);
    text_free(&b);
    atoll_text_free(text);
    atoll_text_free(bytes);
    atoll_text_free(again);
    return same;
}

/* One kernel for one architecture at one level; false where the runs differ. */
static bool try_one(const struct tools *tools, uint32_t seed, const struct blob *source, unsigned sm, unsigned level,
                    const char *folder, gzFile record)
{
    struct blob cubin = {0};
    char name[64];
    snprintf(name, sizeof name, "%u.O%u.sm_%u", seed, level, sm);
    enum tools_verdict verdict = tools_compile(tools, source, sm, level, &cubin);
    if (verdict != TOOLS_DONE)
        printf("%s: ptxas %s\n", name, verdict == TOOLS_CRASHED ? "crashes" : "refuses it");
    bool ok = verdict == TOOLS_CRASHED ||
              (verdict == TOOLS_DONE && pair(name, source, &cubin, 2) && disassembles(tools, name, &cubin));
    if (!ok && folder) {
        keep(folder, name, ".ptx", source->bytes, source->size);
        keep(folder, name, ".cubin", cubin.bytes, cubin.size);
    }
    if (ok && record && cubin.size) {
        gzprintf(record, "%s %zu %zu\n", name, source->size, cubin.size);
        gzwrite(record, source->bytes, (unsigned)source->size);
        gzwrite(record, cubin.bytes, (unsigned)cubin.size);
    }
    blob_free(&cubin);
    return ok;
}

/* One seed at the levels of a mask. How many runs differ. */
static unsigned try_seed(const struct tools *tools, uint32_t seed, unsigned levels, const char *folder, gzFile record)
{
    static const unsigned architectures[] = {50, 52, 53};
    struct text ptx = {0};
    unsigned differ = 0, sm = architectures[seed / DIFFERENTIAL_KINDS % 3];
    differential_generate(seed, &ptx);
    assert_true(text_ok(&ptx));
    struct blob source = {(unsigned char *)ptx.bytes, ptx.length};
    for (unsigned level = 0; level <= 3; level++)
        if (levels & 1u << level)
            differ += !try_one(tools, seed, &source, differential_kind(seed) == DIFFERENTIAL_HALF ? 53 : sm, level,
                               folder, record);
    text_free(&ptx);
    return differ;
}

/* ---- the tests --------------------------------------------------------- */

static void test_recorded(void **state)
{
    char line[200], name[64];
    size_t ptx_size, cubin_size;
    unsigned count = 0, failed = 0;
    (void)state;
    /* Lanes of a warp share texels, and ask who is there: in the hard build they change at every branch. */
    const bool apart = HARD(false, true);
    gzFile file = gzopen(DATA_DIR "/differential.gz", "rb");
    assert_non_null(file);
    while (gzgets(file, line, sizeof line)) {
        assert_int_equal(sscanf(line, "%63s %zu %zu", name, &ptx_size, &cubin_size), 3);
        assert_true(ptx_size < 1 << 20 && cubin_size < 1 << 20);
        struct blob ptx = {malloc(ptx_size + 1), ptx_size}, cubin = {malloc(cubin_size + 1), cubin_size};
        assert_true(ptx.bytes && cubin.bytes);
        assert_int_equal(gzread(file, ptx.bytes, (unsigned)ptx_size), (int)ptx_size);
        assert_int_equal(gzread(file, cubin.bytes, (unsigned)cubin_size), (int)cubin_size);
        enum differential_kind kind = differential_kind((uint32_t)strtoul(name, NULL, 10));
        if (!apart || (kind != DIFFERENTIAL_SURFACE && kind != DIFFERENTIAL_WARP))
            failed += !pair(name, &ptx, &cubin, 1);
        count++;
        blob_free(&ptx);
        blob_free(&cubin);
    }
    gzclose(file);
    assert_true(count >= 50);
    assert_int_equal(failed, 0);
}

static void test_new(void **state)
{
    struct tools tools;
    unsigned failed = 0;
    (void)state;
    tools_open(&tools);
    if (!tools.ptxas) {
        skip_because("no ptxas that knows sm_50; ATOLL_PTXAS names one");
    }
    /* Always the same, so that faults of ptxas itself stop nobody. */
    time_t end = time(NULL) + SECONDS;
    for (uint32_t seed = FIRST; seed < FIRST + COUNT && time(NULL) < end; seed++)
        failed += try_seed(&tools, seed, seed & 1 ? 1u << 0 | 1u << 3 : 1u << 1 | 1u << 2, NULL, NULL);
    tools_close(&tools);
    assert_int_equal(failed, 0);
}

static int many(uint32_t seed, uint32_t count, const char *folder, const char *record)
{
    struct tools tools;
    gzFile file = record ? gzopen(record, "wb9") : NULL;
    unsigned failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    tools_open(&tools);
    if (!tools.ptxas)
        return fputs("no ptxas that knows sm_50\n", stderr), 2;
    for (uint32_t i = 0; i < count; i++)
        failed += try_seed(&tools, seed + i, file ? 1u << (seed + i) % 4 : 15, folder, file);
    printf("%u kernels from %u, %u differ\n", count, seed, failed);
    tools_close(&tools);
    return (file && gzclose(file) != Z_OK) || failed;
}

int main(int argc, char **argv)
{
    struct atoll_error error;
    struct blob ptx, cubin;
    if (argc == 4 && strcmp(argv[1], "pair") == 0)
        return !file_read(argv[2], 1 << 24, &ptx, &error) || !file_read(argv[3], 1 << 24, &cubin, &error) ||
               !pair("pair", &ptx, &cubin, 2);
    if (argc == 4 && strcmp(argv[1], "record") == 0)
        return many(1, (uint32_t)atoi(argv[2]), NULL, argv[3]);
    if (argc >= 3)
        return many((uint32_t)strtoul(argv[1], NULL, 0), (uint32_t)atoi(argv[2]), argc > 3 ? argv[3] : NULL, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded), cmocka_unit_test(test_new)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

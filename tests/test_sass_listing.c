/* Listings of code are those of nvdisasm 11.8, byte for byte: recorded ones of a few cubins, and all cubins of the tree
 * where that release is found (on the PATH, or named by ATOLL_NVDISASM). */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

#include "cubins.h"
#include "differential/tools.h"
#include "skip.h"

/* Options of both disassemblers. */
static const struct mode {
    const char *name, *theirs;
    struct atoll_listing_options ours;
} modes[] = {
    {"code", "-c -ndf", {.code = true, .no_dataflow = true}},
    {"targets", "-c", {.code = true}},
    {"hex", "-c -ndf -hex", {.code = true, .no_dataflow = true, .hex = true}},
    {"novliw", "-c -ndf -novliw", {.code = true, .no_dataflow = true, .no_vliw = true}},
    {"all", "-c -hex -novliw", {.code = true, .hex = true, .no_vliw = true}},
    {"both", "-c -hex", {.code = true, .hex = true}},
};
enum { MODES = sizeof modes / sizeof modes[0] };

static void compare(const char *name, const struct mode *mode, const struct blob *cubin, const char *wanted,
                    size_t length)
{
    struct atoll_error error = {0};
    char *text;
    size_t have, same = 0, line = 1;
    if (!atoll_disassemble(cubin->bytes, cubin->size, &mode->ours, &text, &have, &error))
        fail_msg("%s: %s", name, error.message);
    if (have != length || memcmp(text, wanted, length) != 0) {
        for (; same < have && same < length && text[same] == wanted[same]; same++)
            line += text[same] == '\n';
        while (same > 0 && text[same - 1] != '\n')
            same--;
        fail_msg("%s, %s, line %zu:\n%.*s\nwanted\n%.*s", name, mode->theirs, line, (int)strcspn(text + same, "\n"),
                 text + same, (int)strcspn(wanted + same, "\n"), wanted + same);
    }
    atoll_text_free(text);
}

/* data/sass/listing/NAME.MODE.txt is `nvdisasm 11.8 OPTIONS data/kernels/NAME.cubin`. labels_notype has what the
 * vendor's other assembler leaves in its files (cuBLAS): symbols without a type as labels and at the end of a function,
 * a section symbol without a name, flags of the header. */
static void test_recorded(void **state)
{
    (void)state;
    DIR *folder = opendir(DATA_DIR "/sass/listing");
    unsigned count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[300];
        for (unsigned i = 0; i < MODES; i++) {
            char end[32];
            size_t length = strlen(entry->d_name), tail = (size_t)snprintf(end, sizeof end, ".%s.txt", modes[i].name);
            if (length <= tail || length > 250 || strcmp(entry->d_name + length - tail, end) != 0)
                continue;
            snprintf(name, sizeof name, "%.*s.cubin", (int)(length - tail), entry->d_name);
            struct blob cubin = cubin_load(name), listing = blob_load(DATA_DIR "/sass/listing", entry->d_name);
            compare(name, &modes[i], &cubin, (const char *)listing.bytes, listing.size);
            blob_free(&cubin);
            blob_free(&listing);
            count++;
        }
    }
    closedir(folder);
    assert_true(count >= 10);
}

static bool run(const char *tool, const char *options, const char *path, struct text *out)
{
    char command[3000], part[4096];
    size_t got;
    snprintf(command, sizeof command, "'%s' %s '%s' 2>/dev/null", tool, options, path);
    out->length = 0;
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while ((got = fread(part, 1, sizeof part, pipe)) > 0)
        text_add(out, part, got);
    assert_true(text_ok(out));
    return pclose(pipe) == 0 && out->length;
}

struct vendor {
    const char *nvdisasm;
    struct text text;
    unsigned count, refused;
};

/* In every mode; what nvdisasm itself refuses is counted and passed over. */
static void vendor_check(void *context, const char *name, const struct blob *cubin)
{
    struct vendor *v = context;
    char path[1000];
    snprintf(path, sizeof path, DATA_DIR "/kernels/%s", name);
    for (unsigned i = 0; i < MODES; i++, v->count++)
        if (run(v->nvdisasm, modes[i].theirs, path, &v->text))
            compare(name, &modes[i], cubin, v->text.bytes, v->text.length);
        else
            v->refused++;
}

static void test_vendor(void **state)
{
    (void)state;
    struct tools tools;
    struct vendor v = {0};
    tools_open(&tools);
    v.nvdisasm = tools.nvdisasm;
    bool found =
        v.nvdisasm && run(v.nvdisasm, "--version", "/dev/null", &v.text) && strstr(v.text.bytes, "release 11.8");
    if (found)
        cubin_each(vendor_check, &v);
    text_free(&v.text);
    tools_close(&tools);
    if (!found) {
        skip_because("no nvdisasm 11.8; ATOLL_NVDISASM names one");
    }
    print_message("%u listings compared, %u refused\n", v.count - v.refused, v.refused);
    assert_true(v.count - v.refused > v.refused);
}

/* A blank is left after special numbers that end a line; what reads listings takes it. */
static void test_special_numbers(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "                   DADD R0, R2, +INF  ;",     "               @P0 FADD R0, R1, -QNAN  ;",
        "                   FADD R0, R1, -INF .NEG ;", "                   FFMA R0, R1, +INF , R2 ;",
        "                   FMUL32I R0, R1, -0.0  ;",  "                   FADD R0, R1, 1 ;",
    };
    struct atoll_error error = {0};
    struct text text = {0};
    char *cubin, *listing;
    size_t size, length;
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        text_printf(&text, "%s\n", lines[i]);
    text_puts(&text, "EXIT ;\n");
    for (unsigned turn = 0; turn < 2; turn++) { /* the text, then its listing */
        struct atoll_listing_options options = {.code = true};
        if (!atoll_assemble(text.bytes, text.length, "SM50", NULL, &cubin, &size, &error) ||
            !atoll_disassemble(cubin, size, &options, &listing, &length, &error))
            fail_msg("%u: %s", error.line, error.message);
        for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
            if (!strstr(listing, lines[i]))
                fail_msg("no '%s' in\n%s", lines[i], listing);
        text.length = 0;
        text_add(&text, listing, length);
        atoll_text_free(listing);
        options = (struct atoll_listing_options){.control = true};
        assert_true(atoll_disassemble(cubin, size, &options, &listing, &length, &error));
        assert_non_null(strstr(listing, "DADD R0, R2, +INF &"));
        atoll_text_free(listing);
        atoll_text_free(cubin);
    }
    text_free(&text);
}

/* Raw code has numbers for targets, a header of its own, and addresses from where it is said to be. */
static void test_raw(void **state)
{
    (void)state;
    /* MOV R1, R2 | @!P0 BRA 0x100 | BRA 0x8; LDG and MOV issue together; padding */
    static const uint64_t words[] = {0x001fbc00fde007ef, 0x5c98078000270001, 0xe24000000e88000f, 0xe2400ffffe87000f,
                                     0x001fbc00fe0007ef, 0x50b0000000070f00, 0xeed4200000070200, 0x5c98078000170000,
                                     0x001f8000fde007f0, 0x50b0000000070f00, 0x50b0000000070f00, 0x50b0000000070f00};
    static const char wanted[] = "\t.headerflags    @\"EF_CUDA_SM50 EF_CUDA_PTX_SM(EF_CUDA_SM50)\"\n"
                                 "                                                       /* 0x001fbc00fde007ef */\n"
                                 "        /*0108*/                   MOV R1, R2 ;        /* 0x5c98078000270001 */\n"
                                 "        /*0110*/              @!P0 BRA 0x200 ;         /* 0xe24000000e88000f */\n"
                                 "        /*0118*/                   BRA 0x108 ;         /* 0xe2400ffffe87000f */\n"
                                 "                                                       /* 0x001fbc00fe0007ef */\n"
                                 "        /*0128*/                   NOP ;               /* 0x50b0000000070f00 */\n"
                                 "        /*0130*/         {         LDG.E R0, [R2] ;    /* 0xeed4200000070200 */\n"
                                 "        /*0138*/                   MOV R0, R1         }\n"
                                 "                                                       /* 0x5c98078000170000 */\n"
                                 "                                                       /* 0x001f8000fde007f0 */\n"
                                 "        /*0148*/         {         NOP ;               /* 0x50b0000000070f00 */\n"
                                 "        /*0150*/                   NOP         }\n"
                                 "                                                       /* 0x50b0000000070f00 */\n"
                                 "        /*0158*/                   NOP;                /* 0x50b0000000070f00 */\n";
    struct mode mode = {"raw", "-hex -base 0x100 -b SM50", {.isa = "SM50", .hex = true, .base = 0x100}};
    struct blob code = {(unsigned char *)(uintptr_t)words, sizeof words};
    compare("raw", &mode, &code, wanted, sizeof wanted - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_special_numbers),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_vendor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

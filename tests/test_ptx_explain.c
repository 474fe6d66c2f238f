/* atoll explain: every form of every row has a text; mistakes are named; docs/ptx.md says what the rows say. */
#include "ptx_text.h"

#include "isa/family.h"
#include "isa/ptx/explain.h"
#include "isa/ptx/family.h"
#include "isa/ptx/sample.h"

static void mnemonic_with(const struct ptx_row *row, const uint16_t *mods, unsigned nmods, struct text *out)
{
    text_puts(out, row->name);
    for (unsigned i = 0; i < nmods; i++)
        text_printf(out, ".%s", ptx_keyword_text((enum ptx_keyword)mods[i]));
}

/* Some choices of words of each pattern; those with 256 bits in a surface access are refused, as they are by check. */
static void every_form(void **state)
{
    (void)state;
    unsigned explained = 0;
    const struct ptx_row *row;
    for (unsigned r = 0; (row = ptx_row_at(r)) != NULL; r++)
        for (unsigned p = 0; p < row->npatterns; p++)
            for (uint64_t choice = 0; choice < 1000; choice += 37) {
                uint16_t mods[INSN_MODS];
                unsigned nmods;
                struct text name = {0}, out = {0};
                struct atoll_error error = {0};
                ptx_sample_choice(&row->patterns[p], choice, mods, &nmods);
                mnemonic_with(row, mods, nmods, &name);
                bool ok = family_explain(&ptx_family, name.bytes, FAMILY_ANY, &out, &error);
                if (!ok)
                    assert_true(error.message[0] != 0);
                else
                    assert_memory_equal(out.bytes, row->name, strlen(row->name));
                explained += ok;
                text_free(&name);
                text_free(&out);
            }
    assert_true(explained > 1000);
}

static void expect_error(const char *instruction, uint32_t column, const char *message)
{
    struct text out = {0};
    struct atoll_error error = {0};
    assert_false(family_explain(&ptx_family, instruction, FAMILY_ANY, &out, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.column, column);
    text_free(&out);
}

static void mistakes(void **state)
{
    (void)state;
    expect_error("foo.b32", 1, "'foo' is no instruction of PTX");
    expect_error("", 1, "'' is no instruction of PTX");
    expect_error("@p sured.b.min.1d.b32.zero [S, {x}], y;", 19,
                 "sured.b.min.1d.zero takes .u32 .s32 .u64 .s64; .b32 was written");
    expect_error("suld.b.1d.v4.b64.trap", 14, "suld.b.1d.v4.trap takes .b8 .b16 .b32; .b64 was written");
    expect_error("suld.1d.b.b64.trap", 6, "'suld' must be followed by .b or .p at once");
}

static void expect_part(const char *instruction, const char *part)
{
    struct text out = {0};
    struct atoll_error error = {0};
    if (!family_explain(&ptx_family, instruction, FAMILY_ANY, &out, &error))
        fail_msg("%s", error.message);
    if (strstr(out.bytes, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, out.bytes);
    text_free(&out);
}

static void parts(void **state)
{
    (void)state;
    expect_part("suld.b.2d.v4.b8.clamp", "x must be a multiple of 4;");
    expect_part("suld.b.a2d.b32.zero", "address = texels + layer * slice_pitch + y * pitch + x");
    expect_part("sust.b.v2.b16.1d_buffer.zero", "needs\n  PTX 4.3, sm_20\n");
    expect_part("sured.p.min.b64.1d.zero", "needs\n  PTX 8.1, sm_50\n  with a handle for a: PTX 8.1, sm_50\n");
    expect_part("atom.dec.u32", "u32[a] = old == 0 || old > b ? b : old - 1; d = old");
    expect_part("red.global.add.noftz.v8.f16", "needs\n  PTX 8.1, sm_90\n");
    expect_part("suq.width.b32", "width in texels");
    expect_part("add", "forms\n");
    expect_part("suld.b.1d.b32.trap", "needs\n  PTX 1.5\n  with a handle for a: PTX 3.1, sm_20\n");
    expect_part("suld", ".3d .a1d .a2d: PTX 3.0, sm_20\n");
    expect_part("suld", ".1d_buffer .4d: PTX 4.3, ptxas only\n");
    expect_part("sust", ".a1d .a2d: PTX 4.1, ptxas only\n");
    expect_part("sured", ".u64 .s64: PTX 8.1, sm_50\n");
    expect_part("suq", ".array_size: PTX 4.1\n");
    expect_part("suq", "a surface by its handle: PTX 3.1, sm_20\n");
    expect_part("wgmma", "PTX 8.0, only 90a\n");
}

/* Noise is refused or explained, not followed. */
static void noise(void **state)
{
    (void)state;
    struct text out = {0};
    struct atoll_error error;
    uint32_t seed = 1;
    for (unsigned i = 0; i < 3000; i++) {
        char text[40] = "suld.b.";
        for (unsigned j = i % 8; j < 30; j++) {
            seed = seed * 1664525 + 1013904223;
            text[j] = "sulda.b.v4 2d@%!.:_\n\t\xff"[seed >> 16 & 15];
        }
        family_explain(&ptx_family, text, FAMILY_ANY, &out, &error);
    }
    text_free(&out);
}

/* The text between the marks of the page, without them. */
static const char *carried(struct text *page, size_t *length)
{
    static const char begin[] = "<!-- begin: atoll list ptx --surface --markdown -->\n", end[] = "<!-- end -->\n";
    const char *from = strstr(page->bytes, begin), *to = from != NULL ? strstr(from, end) : NULL;
    if (to == NULL)
        fail_msg("docs/ptx.md has no marks");
    from += strlen(begin);
    *length = (size_t)(to - from);
    return from;
}

static void reference_is_current(void **state)
{
    (void)state;
    struct text out = {0}, have = {0};
    char piece[4096];
    ptx_list(ATOLL_LIST_SURFACE | ATOLL_LIST_MARKDOWN, &out);
    assert_true(text_ok(&out));
    FILE *file = fopen(DOCS_DIR "/ptx.md", "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(piece, 1, sizeof(piece), file)) > 0;)
        text_add(&have, piece, got);
    fclose(file);
    assert_true(text_ok(&have));
    size_t length;
    const char *text = carried(&have, &length);
    if (length != out.length || memcmp(text, out.bytes, length) != 0)
        fail_msg("docs/ptx.md differs: run scripts/remake-reference");
    text_free(&out);
    text_free(&have);
}

/* Every row is in the plain list; the list of surface and atomic instructions is a part of it. */
static void lists(void **state)
{
    (void)state;
    struct text all = {0}, surface = {0}, table = {0};
    const struct ptx_row *row;
    ptx_list(0, &all);
    ptx_list(ATOLL_LIST_SURFACE, &surface);
    ptx_list(ATOLL_LIST_MARKDOWN, &table);
    assert_true(text_ok(&all) && text_ok(&surface) && text_ok(&table));
    for (unsigned i = 0; (row = ptx_row_at(i)) != NULL; i++) {
        char line[60], cell[60];
        snprintf(line, sizeof line, "\n%s ", row->name);
        snprintf(cell, sizeof cell, "\n| `%s` |", row->name);
        assert_non_null(strstr(all.bytes, line));
        assert_non_null(strstr(table.bytes, cell));
    }
    assert_non_null(strstr(surface.bytes, "\nsured "));
    assert_null(strstr(surface.bytes, "\nadd "));
    text_free(&all);
    text_free(&surface);
    text_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(parts),
        cmocka_unit_test(noise),
        cmocka_unit_test(reference_is_current),
        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

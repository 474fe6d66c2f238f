/* atoll explain for Maxwell: every form of every row has a text, every mnemonic a meaning, mistakes are named. */
#include "atoll.h"
#include "base/text.h"
#include "isa/family.h"
#include "isa/sass/family.h"
#include "isa/sass/lower.h"
#include "isa/sass/meaning.h"
#include "isa/sass/sass.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the tables belong together ------------------------------------------------------------------------------- */

static void every_form_has_a_meaning(void **state)
{
    (void)state;
    struct isa_table table;
    struct atoll_error error;
    assert_true(sass_open(&table, &error));
    for (unsigned i = 0; i < table.nforms; i++) {
        const struct isa_form *form = &table.forms[i];
        const struct sass_does *does = sass_does(form);
        if (!does || !does->summary || !does->effect || !does->source)
            fail_msg("%.*s does nothing that is told", form->mnemonic_length, form->mnemonic);
        const struct isa_form *next = &table.forms[table.by_name[i]],
                              *last = i ? &table.forms[table.by_name[i - 1]] : next;
        if (isa_mnemonic_compare(last, next->mnemonic, next->mnemonic_length) == 0)
            assert_string_equal(sass_does(last)->summary, sass_does(next)->summary);
    }
    isa_close(&table);
}

static bool explained(const char *text, struct text *out)
{
    struct atoll_error error = {0};
    bool ok = family_explain(&sass_family, text, FAMILY_ANY, out, &error);
    if (!ok)
        assert_true(error.message[0] != 0);
    return ok;
}

/* Words of every row with a few fillings of the fields: as a word, as text, as text without operands, as a mnemonic. */
static void every_form_has_a_text(void **state)
{
    (void)state;
    struct isa_table table;
    struct atoll_error error;
    unsigned words = 0, texts = 0, heads = 0;
    assert_true(sass_open(&table, &error));
    for (unsigned i = 0; i < table.nforms; i++)
        for (unsigned filling = 0; filling < 3; filling++) {
            static const uint64_t fillings[] = {0, UINT64_C(0x70000), UINT64_C(0x1249249249278249)};
            const struct isa_form *form = &table.forms[i];
            struct isa_word word = {{(fillings[filling] & ~form->row->mask) | form->row->value, 0x7e0}};
            struct text out = {0};
            char hex[20], text[ISA_TEXT], name[64];
            snprintf(hex, sizeof hex, "%016" PRIx64, word.part[0]);
            bool ok = explained(hex, &out);
            words += ok;
            if (ok) {
                form = isa_find(&table, &word, SASS_ARCH_53, NULL);
                form = form ? form : isa_find(&table, &word, SASS_ARCH_50, NULL);
                assert_non_null(form);
                isa_print(&table, form, &word, 8, text);
                texts += explained(text, &out);
                char *head = text[0] == '@' ? strchr(text, ' ') + 1 : text;
                head[strcspn(head, " [")] = 0;
                heads += explained(head, &out);
                snprintf(name, sizeof name, "%.*s", form->mnemonic_length, form->mnemonic);
                assert_true(explained(name, &out));
            }
            text_free(&out);
        }
    assert_true(words > 2 * table.nforms);
    assert_true(texts * 10 > words * 9);
    assert_true(heads * 10 > words * 9);
    isa_close(&table);
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

/* tests/data/explain/NAME holds what is said. ATOLL_REMAKE=1 writes the files anew. */
static void expect_text(const char *name, const char *isa, const char *instruction)
{
    char path[500], kept[16384], *text = NULL;
    size_t size = 0, length = 0;
    struct atoll_error error = {0};
    snprintf(path, sizeof path, "%s/explain/%s.txt", DATA_DIR, name);
    if (!atoll_explain_in(isa, instruction, &text, &size, &error))
        fail_msg("%s: %s", instruction, error.message);
    if (getenv("ATOLL_REMAKE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, size, file), size);
        fclose(file);
    }
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("no file %s", path);
    length = fread(kept, 1, sizeof kept, file);
    fclose(file);
    if (length != size || memcmp(kept, text, size) != 0)
        fail_msg("explain %s is not what %s holds:\n%s", instruction, path, text);
    atoll_text_free(text);
}

static void texts(void **state)
{
    (void)state;
    expect_text("atoms_cast_spin", NULL, "ATOMS.CAST.SPIN");
    expect_text("atoms_cas_64", NULL, "@!P1 ATOMS.CAS.64 R2, [R4+0x10], R8, R10;");
    expect_text("suatom_u64_trap", NULL, "SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100");
    expect_text("suatom_word", NULL, "ea020a0600470210");
    expect_text("suatom_sparse", "SM52", "ead20a0640470210");
    expect_text("suatom", NULL, "SUATOM");
    expect_text("suld_p", NULL, "SULD.P.2D_ARRAY.RG.IGN R0, [R4], R8");
    expect_text("xmad", NULL, "XMAD");
    expect_text("xmad_csfu", NULL, "XMAD.S16.S16.CSFU R0, R1, R2, R3");
    expect_text("isetp", NULL, "ISETP.GE.U32.AND P0, PT, R1, R2, !P3");
    expect_text("ldg", NULL, "LDG.E.128 R4, [R2+-0x10] {&req_6}{&rd2}{&wr1}{?W6}");
    expect_text("atoms_add_64", NULL, "ATOMS.ADD.U64 R0, [R2], R4"); /* the assembler refuses it */
    expect_text("bra", NULL, "BRA CC.NEU, 0x40");
}

static void expect_mistake(const char *isa, const char *instruction, uint32_t column, const char *message)
{
    char *text = NULL;
    size_t size = 0;
    struct atoll_error error = {0};
    assert_false(atoll_explain_in(isa, instruction, &text, &size, &error));
    assert_null(text);
    if (!strstr(error.message, message))
        fail_msg("'%s': %s", instruction, error.message);
    assert_int_equal(error.column, column);
}

static void mistakes(void **state)
{
    (void)state;
    char large[2000];
    expect_mistake(NULL, "FOO.BAR", 1, "'FOO' is no instruction of Maxwell");
    expect_mistake(NULL, "  @P0 FOO R1", 7, "'FOO' is no instruction of Maxwell");
    expect_mistake("SM50", "HADD2", 1, "'HADD2' is no instruction of Maxwell on this architecture");
    expect_mistake("SM50", "5d10000000370201", 0, "is no instruction of Maxwell");
    expect_mistake(NULL, "ATOMS.FOO", 6, "wanted one of");
    expect_mistake(NULL, "ATOMS.FOO", 6, ".CAST.SPIN .CAS, not '.FOO'");
    expect_mistake(NULL, "SULD.P", 7, "wanted one of .1D .1D_BUFFER");
    expect_mistake(NULL, "SULD.P", 7, ", not the end");
    expect_mistake(NULL, "SUATOM.D.BA.1D.U64.TRAP", 15, "wanted one of .ADD");
    expect_mistake(NULL, "ATOMS.ADD R1, R2, R3", 15, "wanted an address");
    expect_mistake(NULL, "IADD R1, R2, R3 {&wr9}", 18, "each once, not '&wr9}'");
    expect_mistake(NULL, "ffffffffffffffff", 0, "is no instruction of Maxwell");
    expect_mistake("SM60", "IADD", 0, "no instruction set 'SM60'");
    expect_mistake("PTX", "IADD", 1, "'IADD' is no instruction of PTX");
    expect_mistake(NULL, "", 1, "is no instruction of PTX");
    memset(large, 'A', sizeof large - 1);
    large[sizeof large - 1] = 0;
    expect_mistake(NULL, large, 0, "longer than any instruction");
}

/* A row for each value that can be cut off anywhere. */
static void cut_texts(void **state)
{
    (void)state;
    static const char text[] = "@!P1 ATOMS.CAST.SPIN.64 RZ, [R4+-0x10], R8, R10 &req={0,3} &wr=1 ?W6;";
    for (size_t length = 0; length <= strlen(text); length++) {
        char part[sizeof text];
        struct text out = {0};
        memcpy(part, text, length);
        part[length] = 0;
        explained(part, &out);
        text_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_has_a_meaning),
        cmocka_unit_test(every_form_has_a_text),
        cmocka_unit_test(texts),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(cut_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

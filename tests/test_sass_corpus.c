/* The rows of Maxwell SASS against the recorded texts of the vendor's disassembler: every word of every corpus file
 * prints the recorded text, and the text assembles to the word's bits that matter. The files lie beside the source tree
 * (../shared/corpora/sass); without them a sample in data/sass is read. ATOLL_SASS_DIR names another place.
 * Run with ATOLL_SASS_SHOW=N to see N breaks a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "given.h"
#include "isa/sass/sass.h"

enum { THIRD_NONE, THIRD_ADDRESS, THIRD_CONTROL };

static const struct {
    const char *name;
    uint8_t arch, third;
    bool rejects;
} corpora[] = {
    {"allforms_sm50", SASS_ARCH_50, 0, false},
    {"allforms_sm53_extra", SASS_ARCH_53, 0, false},
    {"atom_cas_sm50", SASS_ARCH_50, 0, false},
    {"atom_sm50", SASS_ARCH_50, 0, false},
    {"atoms_cas_sm50", SASS_ARCH_50, 0, false},
    {"atoms_sm50", SASS_ARCH_50, 0, false},
    {"atoms_sm50_illegalsize", SASS_ARCH_50, 0, false},
    {"atoms_sm50_reserved", SASS_ARCH_50, 0, false},
    {"harvest_own_branches", SASS_ARCH_53, THIRD_ADDRESS, false},
    {"harvest_own_unique", SASS_ARCH_53, 0, false},
    {"harvest_own_withctl", SASS_ARCH_53, THIRD_CONTROL, false},
    {"ld_st_generic_sm50", SASS_ARCH_50, 0, false},
    {"ldc_sm50", SASS_ARCH_50, 0, false},
    {"ldg_stg_sm50", SASS_ARCH_50, 0, false},
    {"lds_sts_ldl_stl_sm50", SASS_ARCH_50, 0, false},
    {"mutated_sm50", SASS_ARCH_50, 0, false},
    {"mutated_sm50_rejects", SASS_ARCH_50, 0, true},
    {"red_sm50", SASS_ARCH_50, 0, false},
    {"suatom_p_sm50", SASS_ARCH_50, 0, false},
    {"suatom_sm50_imm", SASS_ARCH_50, 0, false},
    {"suatom_sm50_reg", SASS_ARCH_50, 0, false},
    {"suatom_sm50_reserved", SASS_ARCH_50, 0, false},
    {"suatom_sm52_f16x2", SASS_ARCH_52, 0, false},
    {"suatom_sm52_sparse", SASS_ARCH_52, 0, false},
    {"suld_d_sm50", SASS_ARCH_50, 0, false},
    {"suld_p_sm50", SASS_ARCH_50, 0, false},
    {"suld_sm52_sparse", SASS_ARCH_52, 0, false},
    {"sured_d_sm50", SASS_ARCH_50, 0, false},
    {"sured_d_sm50_illegalsize", SASS_ARCH_50, 0, false},
    {"sured_p_sm50", SASS_ARCH_50, 0, false},
    {"sust_d_sm50", SASS_ARCH_50, 0, false},
    {"sust_p_sm50", SASS_ARCH_50, 0, false},
};

struct count {
    unsigned rows, printed, assembled, aliases, shown;
};

static gzFile corpus_open(const char *name)
{
    const char *places[] = {getenv("ATOLL_SASS_DIR"), SHARED_DIR "/sass", DATA_DIR "/sass"};
    for (unsigned i = 0; i < 3; i++) {
        char path[1000];
        if (!places[i])
            continue;
        snprintf(path, sizeof path, "%s/%s.tsv.gz", places[i], name);
        gzFile file = gzopen(path, "rb");
        if (file)
            return file;
    }
    return NULL;
}

static void show(struct count *count, const char *what, const char *line, const char *got)
{
    if (count->shown++ < given("ATOLL_SASS_SHOW", 3, 0))
        print_message("  %s: wanted %s | got %s\n", what, line, got);
}

/* The vendor's text does not tell NaNs apart: such a word need not come back. */
static bool tells_bits(const char *text)
{
    return !strstr(text, "QNAN") && !strstr(text, "???255");
}

/* Several encodings with one text: a barrier's count as RZ or as 0; F2F's .PASS, which stands for three roundings. The
 * counts are small, and shown. */
static bool alias(const struct isa_table *table, const struct isa_form *form, const struct isa_word *word,
                  uint64_t address, const char *wanted)
{
    char text[ISA_TEXT];
    isa_print(table, form, word, address, text);
    bool many = strstr(wanted, ".PASS") || (form->mnemonic_length == 3 && memcmp(form->mnemonic, "BAR", 3) == 0);
    return many && strcmp(text, wanted) == 0;
}

static void row_test(const struct isa_table *table, unsigned which, const char *line, struct count *count)
{
    char text[ISA_TEXT], wanted[ISA_TEXT], third[32] = "";
    unsigned long long bits;
    unsigned arch = corpora[which].arch;
    assert_int_equal(sscanf(line, "%llx", &bits), 1);
    const char *tab = strchr(line, '\t');
    assert_non_null(tab);
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(tab + 1, "\t\n"), tab + 1);
    const char *next = strchr(tab + 1, '\t');
    if (next)
        snprintf(third, sizeof third, "%.*s", (int)strcspn(next + 1, "\n"), next + 1);
    struct isa_word word = {{bits, SASS_CONTROL_NEUTRAL}}, back = word;
    uint64_t address = 8;
    if (corpora[which].third == THIRD_ADDRESS)
        address = strtoull(third, NULL, 16);
    if (corpora[which].third == THIRD_CONTROL)
        word.part[1] = back.part[1] = strtoull(third, NULL, 16);
    count->rows++;
    const struct isa_form *form = isa_find(table, &word, arch, NULL);
    if (corpora[which].rejects) {
        count->printed += !form;
        count->assembled += !form;
        if (form) {
            isa_print(table, form, &word, address, text);
            show(count, "reject", line, text);
        }
        return;
    }
    if (!form) {
        show(count, "decode", line, "nothing");
        return;
    }
    isa_print(table, form, &word, address, text);
    if (strcmp(text, wanted) == 0)
        count->printed++;
    else
        show(count, "print", line, text);
    struct isa_mistake mistake;
    const struct isa_form *read = isa_parse(table, wanted, strlen(wanted), arch, address, &back, &mistake);
    bool same =
        read && (back.part[0] & ~read->row->ignored) == (bits & ~form->row->ignored) && back.part[1] == word.part[1];
    if (same || (read == form && !tells_bits(wanted))) {
        count->assembled++;
    } else if (read && alias(table, read, &back, address, wanted)) {
        count->assembled++;
        count->aliases++;
    } else {
        char got[200];
        snprintf(got, sizeof got, "%016llx, wanted at %zu: %.150s", (unsigned long long)back.part[0], mistake.at,
                 mistake.wanted);
        show(count, "assemble", line, got);
    }
}

static void test_corpora(void **state)
{
    struct isa_table table;
    struct atoll_error error;
    unsigned breaks = 0, files = 0;
    (void)state;
    if (!sass_open(&table, &error))
        fail_msg("%s", error.message);
    for (unsigned i = 0; i < sizeof corpora / sizeof corpora[0]; i++) {
        char line[1024];
        struct count count = {0};
        gzFile file = corpus_open(corpora[i].name);
        if (!file)
            continue;
        files++;
        while (gzgets(file, line, sizeof line)) {
            line[strcspn(line, "\n")] = 0;
            row_test(&table, i, line, &count);
        }
        gzclose(file);
        breaks += 2 * count.rows - count.printed - count.assembled;
        print_message("%-26s %6u rows  %6.2f %% printed  %6.2f %% assembled\n", corpora[i].name, count.rows,
                      100.0 * count.printed / count.rows, 100.0 * count.assembled / count.rows);
    }
    isa_close(&table);
    assert_int_not_equal(files, 0);
    assert_int_equal(breaks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpora)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

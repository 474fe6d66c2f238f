/* Every instruction form that nvcc was seen to emit for public CUDA programs (data/ptx/census.txt: cuda-samples,
 * rodinia, parboil, shoc, polybench, llm.c, HeCBench, and what is new with compute_90) is accepted and lowered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "isa/ptx/sample.h"
#include "lane/lane.h"

#define R2 "{%r1, %r2}"
#define R4 "{%r1, %r2, %r3, %r4}"
#define R8 "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}"
#define F4 "{%f1, %f2, %f3, %f4}"
#define F8 "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}"
#define D1 "{%fd1}"
#define D2 "{%fd1, %fd2}"

/* Operands of rows that have no notation, by the beginning of the form and a part of it. */
static const struct {
    const char *prefix, *part, *operands;
} operands[] = {
    {"call", "", "(%r1), callee, (%r2)"},
    {"tex.1d.v4.f32.s32", "", F4 ", [%rd1, {%r1}]"},
    {"tex.1d.v4.u32.s32", "", R4 ", [%rd1, {%r1}]"},
    {"tex.1d", "", F4 ", [%rd1, {%f5}]"},
    {"tex.level", "", F4 ", [%rd1, {%f5, %f6}], %f7"},
    {"tex.2d.v4.u32", "", R4 ", [%rd1, {%f5, %f6}]"},
    {"tex.a2d", "", F4 ", [%rd1, {%r5, %f6, %f7, %f7}]"},
    {"tex", "", F4 ", [%rd1, {%f5, %f6, %f7, %f7}]"},
    {"wmma.load.c", ".f32", F8 ", [%rd1], %r5"},
    {"wmma.load.c", ".s32", R8 ", [%rd1], %r5"},
    {"wmma.load.c", ".f64", D2 ", [%rd1], %r5"},
    {"wmma.load", ".bf16", R4 ", [%rd1], %r5"},
    {"wmma.load", ".tf32", R4 ", [%rd1], %r5"},
    {"wmma.load", ".u8", R2 ", [%rd1], %r5"},
    {"wmma.load", ".f64", D1 ", [%rd1], %r5"},
    {"wmma.load", "", R8 ", [%rd1], %r5"},
    {"wmma.store", ".f32", "[%rd1], " F8 ", %r5"},
    {"wmma.store", ".s32", "[%rd1], " R8 ", %r5"},
    {"wmma.store", "", "[%rd1], " D2 ", %r5"},
    {"wmma.mma", ".f32.f32", F8 ", " R8 ", " R8 ", " F8},
    {"wmma.mma", ".bf16", F8 ", " R4 ", " R4 ", " F8},
    {"wmma.mma", ".tf32", F8 ", " R4 ", " R4 ", " F8},
    {"wmma.mma", ".u8", R8 ", " R2 ", " R2 ", " R8},
    {"wmma.mma", "", D2 ", " D1 ", " D1 ", " D2},
    {"cp.async.bulk", "", "[%r1], [%rd1], %r2, [%r3]"},
    {"cp.async.commit_group", "", ""},
    {"cp.async.wait_group", "", "0"},
    {"cp.async.mbarrier", "", "[%r1]"},
    {"cp.async", "", "[%r1], [%rd1], 16"},
};

static const char *fixed_operands(const char *form)
{
    for (unsigned i = 0; i < sizeof(operands) / sizeof(operands[0]); i++)
        if (strncmp(form, operands[i].prefix, strlen(operands[i].prefix)) == 0 &&
            strstr(form, operands[i].part) != NULL)
            return operands[i].operands;
    return NULL;
}

static const char *register_of(const char *form)
{
    const char *type = strrchr(form, '.');
    if (type != NULL && strcmp(type, ".f32") == 0)
        return "f";
    if (type != NULL && strcmp(type, ".f64") == 0)
        return "fd";
    return type != NULL && strstr(type, "64") != NULL ? "rd" : "r";
}

/* Coordinates as many as the geometry has; data as the form's vector says. */
static void surface_operands(const char *form, struct text *out)
{
    bool wide = strstr(form, ".v4") != NULL, byte = strstr(form, ".b8") != NULL;
    const char *at = strstr(form, ".1d") != NULL   ? "{%r5}"
                     : strstr(form, ".2d") != NULL ? "{%r5, %r6}"
                                                   : "{%r5, %r6, %r7, %r8}";
    const char *data =
        byte ? (wide ? "{%rs1, %rs2, %rs3, %rs4}" : "{%rs1}") : (wide ? "{%r1, %r2, %r3, %r4}" : "{%r1}");
    if (strncmp(form, "suld", 4) == 0)
        text_printf(out, " %s, [%%rd1, %s];\n", data, at);
    else
        text_printf(out, " [%%rd1, %s], %s;\n", at, data);
}

static void atomic_operands(const char *form, struct text *out)
{
    const char *reg = register_of(form);
    if (strncmp(form, "red", 3) == 0)
        text_printf(out, " [%%rd1], %%%s1;\n", reg);
    else
        text_printf(out, " %%%s1, [%%rd1], %%%s2%s%s%s;\n", reg, reg, strstr(form, ".cas.") != NULL ? ", %" : "",
                    strstr(form, ".cas.") != NULL ? reg : "", strstr(form, ".cas.") != NULL ? "3" : "");
}

/* Splits a form into its row and words; false for an unknown mnemonic. */
static bool read_form(const char *form, struct insn *insn)
{
    size_t length = strcspn(form, ".");
    *insn = (struct insn){.row = ptx_row_find(form, length)};
    for (const char *at = form + length; *at == '.' && insn->nmods < INSN_MODS; at += length) {
        at++;
        length = strcspn(at, ".");
        insn->mods[insn->nmods++] = (uint16_t)ptx_keyword_find(at, length);
    }
    return insn->row != NULL;
}

static void add_instruction(const char *form, struct text *out)
{
    struct insn insn;
    const char *fixed = fixed_operands(form);
    assert_true(read_form(form, &insn));
    if (fixed != NULL) {
        text_printf(out, "%s %s;\n", form, fixed);
        return;
    }
    if (strncmp(form, "su", 2) == 0 && strncmp(form, "sub", 3) != 0) {
        text_puts(out, form);
        surface_operands(form, out);
        return;
    }
    if (strncmp(form, "atom.", 5) == 0 || strncmp(form, "red.", 4) == 0) {
        text_puts(out, form);
        atomic_operands(form, out);
        return;
    }
    struct arena arena = {0};
    struct ptx_matcher matcher = PTX_MATCHER(&arena);
    const struct ptx_form *match = ptx_match(&matcher, &insn);
    if (match == NULL || !ptx_sample(insn.row, match->pattern, insn.mods, insn.nmods, out))
        fail_msg("no form of a row fits %s", form);
    text_puts(out, "\n");
    arena_free(&arena);
}

static void print_diagnostic(void *user, const struct atoll_diagnostic *d)
{
    (void)user;
    print_error("%u: %s: %s\n    %.*s\n", d->line, d->code, d->message, (int)d->line_length, d->line_text);
}

static void start_module(struct text *out)
{
    text_printf(out,
                ".version 8.8\n.target sm_100a\n.address_size 64\n%s\n"
                ".func (.reg .b32 r) callee(.reg .b32 a)\n{\nmov.b32 r, a;\nret;\n}\n"
                ".visible .entry k(.param .align 16 .b8 param[64])\n{\n%s\n",
                ptx_sample_module, ptx_sample_function);
}

static unsigned read_census(struct text *out)
{
    FILE *file = fopen(DATA_DIR "/ptx/census.txt", "r");
    char line[200];
    unsigned forms = 0;
    assert_non_null(file);
    for (; fgets(line, sizeof(line), file) != NULL; forms++) {
        line[strcspn(line, "\r\n")] = 0;
        add_instruction(line, out);
    }
    fclose(file);
    return forms;
}

static void every_form_is_accepted_and_lowered(void **state)
{
    (void)state;
    struct text text = {0};
    start_module(&text);
    assert_true(read_census(&text) > 600);
    text_puts(&text, "LB:\nret;\n}\n");
    assert_true(text_ok(&text));

    struct atoll_module_options options = {.file = "census", .diagnose = print_diagnostic};
    struct diag diag = {.source = text.bytes, .size = text.length, .options = &options};
    struct arena arena = {0};
    struct ptx_module *module;
    struct lane_module lanes = {0};
    struct atoll_error error = {0};
    assert_true(ptx_parse(&arena, &diag, &module));
    ptx_check(module, &diag);
    assert_int_equal(diag.errors, 0);
    if (!ptx_lower(module, &lanes, &error) || !lane_verify(&lanes, &error))
        fail_msg("%s", error.message);
    lane_module_free(&lanes);
    arena_free(&arena);
    text_free(&text);
}

/* Rows are found by name, and the list is sorted as the search wants it. */
static void every_row_is_found(void **state)
{
    (void)state;
    for (unsigned i = 0; ptx_row_at(i) != NULL; i++) {
        const char *name = ptx_row_name(ptx_row_at(i));
        assert_ptr_equal(ptx_row_find(name, strlen(name)), ptx_row_at(i));
    }
    assert_null(ptx_row_find("ad", 2));
    assert_null(ptx_row_find("addx", 4));
}

/* Every word of every pattern is a keyword: a misspelt one could never match. */
static void every_word_is_known(void **state)
{
    (void)state;
    for (unsigned i = 0; ptx_row_at(i) != NULL; i++)
        for (unsigned p = 0; p < ptx_row_at(i)->npatterns; p++) {
            struct ptx_slot slot;
            struct ptx_word word;
            for (const char *at = ptx_row_at(i)->patterns[p].mods; ptx_next_slot(&at, &slot);)
                for (const char *w = slot.words; ptx_next_word(&slot, &w, &word);)
                    if (word.keyword == PTX_UNKNOWN)
                        fail_msg("%s: %s", ptx_row_at(i)->name, ptx_row_at(i)->patterns[p].mods);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_accepted_and_lowered),
        cmocka_unit_test(every_row_is_found),
        cmocka_unit_test(every_word_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The hardware cases without hardware: generation, files, Atoll against the documented rules, replay of records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#include "hw.h"

static int generate(void **state)
{
    struct hw_cases *cases = calloc(1, sizeof *cases);
    assert_non_null(cases);
    hw_generate(cases);
    *state = cases;
    return 0;
}

static int discard(void **state)
{
    hw_cases_free(*state);
    free(*state);
    return 0;
}

static const struct hw_case *find(const struct hw_cases *cases, const char *name)
{
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->at[i].name, name) == 0)
            return &cases->at[i];
    fail_msg("no case %s", name);
    return NULL;
}

static FILE *temporary(void)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    return file;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct hw_case *const *)a)->name, (*(const struct hw_case *const *)b)->name);
}

static void test_names_differ(void **state)
{
    const struct hw_cases *cases = *state;
    const struct hw_case **sorted = calloc(cases->count, sizeof *sorted);
    assert_non_null(sorted);
    for (size_t i = 0; i < cases->count; i++)
        sorted[i] = &cases->at[i];
    qsort(sorted, cases->count, sizeof *sorted, by_name);
    for (size_t i = 1; i < cases->count; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            fail_msg("two cases are called %s", sorted[i]->name);
    free(sorted);
}

static void test_generation_is_deterministic(void **state)
{
    const struct hw_cases *cases = *state;
    struct hw_cases again = {0};
    hw_generate(&again);
    assert_int_equal(cases->count, again.count);
    for (size_t i = 0; i < again.count; i++)
        assert_true(hw_case_digest(&cases->at[i]) == hw_case_digest(&again.at[i]));
    hw_cases_free(&again);
}

static void test_cases_survive_their_file(void **state)
{
    const struct hw_cases *cases = *state;
    struct hw_cases again = {0};
    char message[256] = "";
    FILE *file = temporary();
    hw_cases_write(file, cases);
    rewind(file);
    if (!hw_cases_read(file, &again, message))
        fail_msg("%s", message);
    fclose(file);
    assert_int_equal(cases->count, again.count);
    for (size_t i = 0; i < again.count; i++) {
        assert_true(hw_case_digest(&cases->at[i]) == hw_case_digest(&again.at[i]));
        assert_int_equal(cases->at[i].class, again.at[i].class);
    }
    hw_cases_free(&again);
}

static bool read_text(const char *text)
{
    struct hw_cases cases = {0};
    struct hw_results results = {0};
    char message[256];
    FILE *file = temporary();
    fputs(text, file);
    rewind(file);
    bool ok = hw_cases_read(file, &cases, message);
    rewind(file);
    ok = hw_results_read(file, &results, message) || ok;
    hw_cases_free(&cases);
    hw_results_free(&results);
    fclose(file);
    return ok;
}

static void test_bad_files_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "atoll-hw-cases 2\n",
        "atoll-hw-cases 1\ncase a\n",
        "atoll-hw-cases 1\ncase a\nin 0\n|x\nend\n",
        "atoll-hw-cases 1\ncase a\nlaunch 1 0 0 0\n|x\nend\n",
        "atoll-hw-cases 1\ncase a\nlaunch 1 1 4 0\nin 00\n|x\nend\n",
        "atoll-hw-cases 1\ncase a\nsurface 2d 1 1 1 1 r9uint\n|x\nend\n",
        "atoll-hw-results 2\n",
        "atoll-hw-results 1\ncase a\nend\n",
        "atoll-hw-results 1\ncase a 0\nstatus odd 0\nend\n",
        "atoll-hw-results 1\ncase a 0\nout 00\nout 00\nend\n",
        "atoll-hw-results 1\nend\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (read_text(bad[i]))
            fail_msg("read: %s", bad[i]);
}

static void test_every_case_runs(void **state)
{
    const struct hw_cases *cases = *state;
    unsigned failed = 0;
    for (size_t i = 0; i < cases->count; i++) {
        struct hw_result result;
        hw_run(&cases->at[i], &result);
        if (result.status != HW_RAN && result.status != HW_FAULT) {
            print_error("%s: %s %s\n", result.name, hw_status_name(result.status), result.detail);
            failed++;
        }
        hw_result_free(&result);
    }
    assert_int_equal(failed, 0);
}

/* Written as source "atoll" into a temporary file: never a record of hardware. */
static void test_results_survive_their_file(void **state)
{
    const struct hw_cases *cases = *state;
    struct hw_results header = {.origin = {"atoll", "Atoll", "-", "-"}}, again = {0};
    struct hw_text text = {0};
    char message[256] = "";
    FILE *file = temporary();
    hw_results_header(&text, &header);
    for (size_t i = 0; i < cases->count; i += 5) {
        struct hw_result result;
        hw_run(&cases->at[i], &result);
        hw_result_text(&text, &result);
        hw_result_free(&result);
    }
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
    rewind(file);
    if (!hw_results_read(file, &again, message))
        fail_msg("%s", message);
    fclose(file);
    assert_string_equal(again.origin.source, "atoll");
    for (size_t i = 0; i < cases->count; i += 5) {
        struct hw_result result;
        const struct hw_result *found = hw_results_find(&again, cases->at[i].name);
        assert_non_null(found);
        hw_run(&cases->at[i], &result);
        assert_true(found->digest == result.digest && hw_result_same(found, &result));
        assert_string_equal(found->detail, result.detail);
        hw_result_free(&result);
    }
    hw_results_free(&again);
}

static void test_atoll_follows_the_rules(void **state)
{
    const struct hw_cases *cases = *state;
    unsigned compared = 0, failed = 0;
    for (size_t i = 0; i < cases->count; i++) {
        struct hw_result rule, atoll;
        if (!hw_model(&cases->at[i], &rule))
            continue;
        hw_run(&cases->at[i], &atoll);
        compared++;
        if (!hw_result_same(&rule, &atoll) && failed++ < 10)
            print_error("%s: rule %s %u %.100s %.100s\n    atoll %s %u %.100s %.100s\n", rule.name,
                        hw_status_name(rule.status), rule.shot, rule.out.size ? rule.out.data : "",
                        rule.surface.size ? rule.surface.data : "", hw_status_name(atoll.status), atoll.shot,
                        atoll.out.size ? atoll.out.data : "", atoll.surface.size ? atoll.surface.data : "");
        hw_result_free(&rule);
        hw_result_free(&atoll);
    }
    print_message("%u of %zu cases have a rule\n", compared, cases->count);
    assert_int_equal(failed, 0);
    assert_true(compared > 1500);
}

/* One load of a named form from a row whose byte i is i + 1; the result in hexadecimal. */
static void load_row(const struct hw_cases *cases, const char *name, uint32_t row, int32_t x, const char *want)
{
    struct hw_case c = *find(cases, name);
    struct hw_result result;
    c.in = c.texels = (struct hw_text){0};
    c.width = row;
    c.out_bytes /= c.threads;
    c.in_bytes /= c.threads;
    c.threads = 1;
    for (uint32_t i = 0; i < row; i++)
        hw_put(&c.texels, &(unsigned char){(unsigned char)(i + 1)}, 1);
    hw_put(&c.in, (int32_t[4]){x}, 16);
    hw_run(&c, &result);
    assert_int_equal(result.status, HW_RAN);
    assert_memory_equal(result.out.data, want, strlen(want));
    hw_result_free(&result);
    hw_free(&c.in);
    hw_free(&c.texels);
}

/* RTX 3060 measurements, spelt out. */
static void test_measured_clamps(void **state)
{
    static const char first16[] = "0102030405060708090a0b0c0d0e0f10";
    load_row(*state, "suld.b.1d.b8.clamp/row-17", 32, 32, "2000");
    load_row(*state, "suld.b.1d.v4.b32.clamp/row-17", 24, 16, first16);
    load_row(*state, "suld.b.1d.v4.b32.clamp/row-17", 24, 32, first16);
    load_row(*state, "suld.b.1d.v4.b32.clamp/row-17", 24, -16, first16);
    load_row(*state, "suld.b.1d.v4.b32.zero/row-17", 24, 16, "00000000000000000000000000000000");
    load_row(*state, "suld.b.1d.b32.clamp/row-17", 24, 24, "15161718");
}

/* ---- instructions on registers: generate_pure.c ---- */

/* What a case returns, as bytes; its operands are c->in. */
static struct hw_text run_bytes(const struct hw_case *c)
{
    struct hw_result result;
    struct hw_text bytes = {0};
    hw_run(c, &result);
    if (result.status != HW_RAN)
        fail_msg("%s: %s %s", c->name, hw_status_name(result.status), result.detail);
    assert_true(hw_unhex(result.out.data, &bytes));
    hw_result_free(&result);
    assert_int_equal(bytes.size, c->out_bytes);
    return bytes;
}

static void test_integers(void **state)
{
    const struct hw_case *c = find(*state, "{add,sub,mul.lo,mul.hi,min,max}.s32/edges");
    struct hw_text out = run_bytes(c);
    for (unsigned thread = 0; thread < c->threads; thread++) {
        int32_t in[2], got[6];
        memcpy(in, c->in.data + (size_t)thread * c->in_bytes / c->threads, sizeof in);
        memcpy(got, out.data + thread * sizeof got, sizeof got);
        int64_t a = in[0], b = in[1];
        int32_t want[6] = {(int32_t)(a + b),       (int32_t)(a - b),         (int32_t)(a * b),
                           (int32_t)(a * b >> 32), (int32_t)(a < b ? a : b), (int32_t)(a > b ? a : b)};
        assert_memory_equal(got, want, sizeof want);
    }
    hw_free(&out);
}

static void test_doubles(void **state)
{
    const struct hw_case *c = find(*state, "{add,sub,mul,div}{.rn,.rz,.rm,.rp}.f64/random");
    struct hw_text out = run_bytes(c);
    for (unsigned thread = 0; thread < c->threads; thread++) {
        double in[2], got[16];
        memcpy(in, c->in.data + (size_t)thread * c->in_bytes / c->threads, sizeof in);
        memcpy(got, out.data + thread * sizeof got, sizeof got);
        double want[4] = {in[0] + in[1], in[0] - in[1], in[0] * in[1], in[0] / in[1]};
        for (unsigned i = 0; i < 4; i++)
            assert_memory_equal(&got[4 * (size_t)i], &want[i], sizeof want[i]);
    }
    hw_free(&out);
}

/* Every form of a case writes: no result is what the memory held before. */
static void test_every_form_writes(void **state)
{
    const struct hw_case *c = find(*state, "setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.f64/nans");
    struct hw_text out = run_bytes(c);
    assert_int_equal(out.size, 14 * (size_t)c->threads);
    for (size_t i = 0; i < out.size; i++)
        assert_in_range((unsigned char)out.data[i], 0, 1);
    hw_free(&out);
}

static unsigned replay(const struct hw_cases *cases, const char *path)
{
    struct hw_results recorded = {0};
    char message[256] = "cannot be read";
    FILE *file = hw_results_open(path);
    unsigned failed = 0, open = 0;
    if (!file || !hw_results_read(file, &recorded, message))
        fail_msg("%s: %s", path, message);
    fclose(file);
    assert_string_equal(recorded.origin.source, "gpu"); /* what Atoll wrote is no evidence */
    for (size_t i = 0; i < cases->count; i++) {
        const struct hw_case *c = &cases->at[i];
        const struct hw_result *hardware = hw_results_find(&recorded, c->name);
        struct hw_result atoll;
        if (!hardware || hardware->digest != hw_case_digest(c) || hardware->status > HW_FAULT)
            continue;
        hw_run(c, &atoll);
        bool same = hw_result_same(hardware, &atoll);
        hw_result_free(&atoll);
        if (!same && c->class <= HW_MEASURED)
            print_error("%s differs from %s\n", c->name, recorded.origin.device);
        failed += !same && c->class <= HW_MEASURED;
        open += !same && c->class > HW_MEASURED;
    }
    print_message("%s: %u differences, %u in choices and open questions\n", recorded.origin.device, failed, open);
    hw_results_free(&recorded);
    return failed;
}

static void test_recorded_results(void **state)
{
    glob_t found;
    unsigned failed = 0;
    if (glob(RESULTS_DIR "/*.txt.gz", 0, NULL, &found) != 0) {
        print_message("not recorded yet\n");
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!strstr(found.gl_pathv[i], ".litmus.txt")) /* test_litmus.c has these */
            failed += replay(*state, found.gl_pathv[i]);
    globfree(&found);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_differ),
        cmocka_unit_test(test_generation_is_deterministic),
        cmocka_unit_test(test_cases_survive_their_file),
        cmocka_unit_test(test_bad_files_are_refused),
        cmocka_unit_test(test_every_case_runs),
        cmocka_unit_test(test_results_survive_their_file),
        cmocka_unit_test(test_atoll_follows_the_rules),
        cmocka_unit_test(test_measured_clamps),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_every_form_writes),
        cmocka_unit_test(test_recorded_results),
    };
    return cmocka_run_group_tests(tests, generate, discard);
}

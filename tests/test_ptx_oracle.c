/* Random surface and atomic instructions, right and wrong: the verdict equals that of ptxas 13.0. Skipped where there
 * is no ptxas of that release (ATOLL_PTXAS names it). ATOLL_ORACLE_LINES sets how many instructions, ATOLL_ORACLE_SEED
 * which. */
#include "ptxas.h"
#include "skip.h"

enum { SHOWN = 30 };

static unsigned compare(const char *ptxas, struct forms *forms, unsigned count, const char *version, const char *target)
{
    struct lines lines = {.at = calloc(count, sizeof(struct text)), .count = count, .verdict = malloc(count + 1)};
    unsigned wrong = 0, accepted = 0, crashed = 0;
    assert_true(lines.at != NULL && lines.verdict != NULL);
    memset(lines.verdict, '1', count);
    for (unsigned i = 0; i < count; i++)
        forms_next(forms, &lines.at[i]);
    char *ours = our_verdicts(&lines, version, target);
    ask_all(ptxas, &lines, 0, count, version, target);
    for (unsigned i = 0; i < count; i++) {
        accepted += lines.verdict[i] == '1';
        crashed += lines.verdict[i] == 'c';
        if (lines.verdict[i] == 'c' || lines.verdict[i] == ours[i])
            continue;
        if (wrong++ < SHOWN)
            fprintf(stderr, "%s: ptxas %s %s\n", target, lines.verdict[i] == '1' ? "accepts" : "refuses",
                    lines.at[i].bytes);
    }
    fprintf(stderr, "%s, PTX %s: %u instructions, %u accepted, %u crashes, %u verdicts differ\n", target, version,
            count, accepted, crashed, wrong);
    for (unsigned i = 0; i < count; i++)
        text_free(&lines.at[i]);
    free(lines.at);
    free(lines.verdict);
    free(ours);
    return wrong;
}

static void same_verdicts(void **state)
{
    (void)state;
    const char *ptxas = find_ptxas(), *lines = getenv("ATOLL_ORACLE_LINES"), *seed = getenv("ATOLL_ORACLE_SEED");
    if (ptxas == NULL || !right_release(ptxas)) {
        skip_because("no ptxas of the release that is followed (docs/conformance.md); ATOLL_PTXAS names one");
        return;
    }
    unsigned count = lines != NULL ? (unsigned)atoi(lines) : 800, wrong = 0;
    struct forms forms = {.state = 1 + (seed != NULL ? strtoull(seed, NULL, 10) : 20), .mistakes = 4};
    for (unsigned i = 0; i < 20; i++)
        forms_random(&forms, 2);
    wrong += compare(ptxas, &forms, count, "9.0", "sm_90");
    wrong += compare(ptxas, &forms, count, "8.7", "sm_100");
    forms.mistakes = 1;
    wrong += compare(ptxas, &forms, count, "9.0", "sm_90");
    wrong += compare(ptxas, &forms, count, "8.3", "sm_75");
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

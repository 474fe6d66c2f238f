/* Random surface and atomic instructions, right and wrong: the verdict equals that of ptxas 13.0. Skipped where there
 * is no ptxas of that release (ATOLL_PTXAS names it). ATOLL_ORACLE_LINES sets how many instructions, ATOLL_ORACLE_SEED
 * which. */
#include "ptx_text.h"

#include "ptx_forms.h"

enum { SHOWN = 30 };

struct lines {
    struct text *at;
    unsigned count;
    char *verdict; /* '1' accepted, '0' refused, 'c' ptxas crashed */
};

static const char *find_ptxas(void)
{
    static const char *const places[] = {"/usr/local/cuda/bin/ptxas", "/usr/local/cuda-13.0/bin/ptxas",
                                         "/usr/bin/ptxas"};
    const char *named = getenv("ATOLL_PTXAS");
    if (named != NULL)
        return named;
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        FILE *file = fopen(places[i], "rb");
        if (file != NULL) {
            fclose(file);
            return places[i];
        }
    }
    return NULL;
}

static bool right_release(const char *ptxas)
{
    char command[600], line[300];
    bool found = false;
    snprintf(command, sizeof(command), "%s --version 2>/dev/null", ptxas);
    FILE *pipe = popen(command, "r");
    while (pipe != NULL && fgets(line, sizeof(line), pipe) != NULL)
        found |= strstr(line, "release 13.0") != NULL;
    if (pipe != NULL)
        pclose(pipe);
    return found;
}

static void module_text(const struct lines *lines, unsigned from, unsigned to, const char *version, const char *target,
                        struct text *out)
{
    forms_heading(out, version, target);
    for (unsigned i = from; i < to; i++)
        text_printf(out, "%s\n", lines->verdict[i] == '0' ? "" : lines->at[i].bytes);
    text_puts(out, "ret; }\n");
    assert_true(text_ok(out));
}

/* One run: marks the lines it refuses; returns their number, -1 when it gave no line (a crash, usually). */
static int ask(const char *ptxas, struct lines *lines, unsigned from, unsigned to, const char *version,
               const char *target)
{
    char path[] = "atoll-oracle-XXXXXX", command[700], line[2000];
    struct text source = {0};
    module_text(lines, from, to, version, target, &source);
    int handle = mkstemp(path), found = 0;
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(source.bytes, 1, source.length, file), source.length);
    fclose(file);
    text_free(&source);
    snprintf(command, sizeof(command), "%s -O0 -arch=%s -o /dev/null %s 2>&1", ptxas, target, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof(line), pipe) != NULL) {
        const char *at = strstr(line, ", line ");
        unsigned number = at != NULL ? (unsigned)atoi(at + 7) : 0, first = FORMS_HEADING_LINES + 1;
        if (strstr(line, "warning") != NULL || number < first || number >= first + (to - from))
            continue;
        unsigned index = from + number - first;
        found += lines->verdict[index] != '0';
        lines->verdict[index] = '0';
    }
    int status = pclose(pipe);
    remove(path);
    return found == 0 && status != 0 ? -1 : found;
}

/* Runs again without what was refused until nothing is; halves when ptxas crashes. */
static void ask_all(const char *ptxas, struct lines *lines, unsigned from, unsigned to, const char *version,
                    const char *target)
{
    int found = 1;
    while (found > 0)
        found = ask(ptxas, lines, from, to, version, target);
    if (found == 0)
        return;
    unsigned middle = from + (to - from) / 2;
    if (to - from == 1) {
        lines->verdict[from] = 'c';
        return;
    }
    ask_all(ptxas, lines, from, middle, version, target);
    ask_all(ptxas, lines, middle, to, version, target);
}

static char *our_verdicts(const struct lines *lines, const char *version, const char *target)
{
    struct text source = {0};
    struct parsed p;
    char *ours = malloc(lines->count + 1);
    assert_non_null(ours);
    memset(ours, '1', lines->count);
    module_text(&(struct lines){lines->at, lines->count, ours}, 0, lines->count, version, target, &source);
    parse_bytes(&p, source.bytes, source.length);
    ptx_check(p.module, &p.diag);
    for (const char *at = p.messages.bytes; *at != 0; at = strchr(at, '\n') + 1) {
        unsigned line = (unsigned)atoi(at);
        assert_true(line > FORMS_HEADING_LINES);
        if (strncmp(strchr(at, ' ') + 1, "warning", 7) != 0 && line - FORMS_HEADING_LINES <= lines->count)
            ours[line - FORMS_HEADING_LINES - 1] = '0';
    }
    parsed_free(&p);
    text_free(&source);
    return ours;
}

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
        skip();
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

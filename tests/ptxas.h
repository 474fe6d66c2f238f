/* The verdicts of ptxas on lines of instructions, and Atoll's on the same lines. The lines are in the kernel that
 * forms_heading (ptx_forms.h) opens. */
#ifndef ATOLL_TESTS_PTXAS_H
#define ATOLL_TESTS_PTXAS_H

#include "ptx_text.h"

#include "ptx_forms.h"

struct lines {
    struct text *at;
    unsigned count;
    char *verdict; /* '1' accepted, '0' refused, 'c' ptxas crashed */
};

static inline const char *find_ptxas(void)
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

static inline bool right_release(const char *ptxas)
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

static inline void module_text(const struct lines *lines, unsigned from, unsigned to, const char *version,
                               const char *target, struct text *out)
{
    forms_heading(out, version, target);
    for (unsigned i = from; i < to; i++)
        text_printf(out, "%s\n", lines->verdict[i] == '0' ? "" : lines->at[i].bytes);
    text_puts(out, "ret; }\n");
    assert_true(text_ok(out));
}

/* One run: marks the lines it refuses; returns their number, -1 when it gave no line (a crash, usually). */
static inline int ask(const char *ptxas, struct lines *lines, unsigned from, unsigned to, const char *version,
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
static inline void ask_all(const char *ptxas, struct lines *lines, unsigned from, unsigned to, const char *version,
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

static inline char *our_verdicts(const struct lines *lines, const char *version, const char *target)
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

#endif

/* The files of litmus tests on hardware: cases, and what was seen. */
#include "litmus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const wheres[] = {"result", "memory", "surface"};

static void *one_more(void *at, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return at;
    *room = 2 * *room + 64;
    at = realloc(at, *room * size);
    if (!at) {
        fputs("no memory left\n", stderr);
        exit(2);
    }
    return at;
}

/* ---- cases ---------------------------------------------------------------------------------------------------- */

struct hwl_case *hwl_case_new(struct hwl_cases *cases)
{
    cases->at = one_more(cases->at, cases->count, &cases->room, sizeof *cases->at);
    struct hwl_case *c = &cases->at[cases->count++];
    *c = (struct hwl_case){0};
    return c;
}

void hwl_cases_free(struct hwl_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        hw_free(&cases->at[i].ptx);
    free(cases->at);
    *cases = (struct hwl_cases){0};
}

void hwl_case_text(struct hw_text *text, const struct hwl_case *c)
{
    hw_add(text, "test %s %016" PRIx64 "\nlaunch %u %u %u %d %d\n", c->name, c->digest, c->blocks, c->threads, c->lanes,
           c->surface, c->aliased);
    for (unsigned i = 0; i < c->nplaces; i++)
        hw_add(text, "place %" PRIx64 "\n", c->initial[i]);
    for (unsigned i = 0; i < c->nvalues; i++)
        hw_add(text, "value %s %u %u\n", wheres[c->values[i].where], c->values[i].place, c->values[i].bits);
    for (const char *line = c->ptx.data; line && *line;) {
        size_t size = strcspn(line, "\n");
        hw_add(text, "|%.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    }
    hw_add(text, "end\n");
}

bool hwl_cases_write(const char *path, const struct hwl_cases *cases)
{
    struct hw_text text = {0};
    FILE *file = fopen(path, "w");
    hw_add(&text, "atoll-hw-litmus-cases %d\n", HWL_VERSION);
    for (size_t i = 0; i < cases->count; i++)
        hwl_case_text(&text, &cases->at[i]);
    bool ok = file && fwrite(text.data, 1, text.size, file) == text.size;
    ok = file && fclose(file) == 0 && ok;
    if (!ok)
        perror(path);
    hw_free(&text);
    return ok;
}

static bool read_value(struct hwl_case *c, const char *words)
{
    char where[16];
    struct hwl_value *v = &c->values[c->nvalues];
    if (c->nvalues == HWL_VALUES || sscanf(words, "%15s %u %u", where, &v->place, &v->bits) != 3)
        return false;
    unsigned i = 0;
    while (i < HWL_WHERES && strcmp(where, wheres[i]) != 0)
        i++;
    v->where = (enum hwl_where)i;
    c->nvalues++;
    return i < HWL_WHERES && v->place < HWL_PLACES && v->bits >= 1 && v->bits <= 64;
}

static bool read_launch(struct hwl_case *c, const char *words)
{
    int surface, aliased;
    if (sscanf(words, "%u %u %u %d %d", &c->blocks, &c->threads, &c->lanes, &surface, &aliased) != 5)
        return false;
    c->surface = surface;
    c->aliased = aliased;
    return c->blocks >= 1 && c->blocks <= 8 && c->threads >= 1 && c->threads <= HW_MOST_THREADS;
}

static bool read_case_line(struct hwl_case *c, char *line)
{
    char *words = strchr(line, ' ');
    if (line[0] == '|') {
        hw_add(&c->ptx, "%s\n", line + 1);
        return true;
    }
    if (!words)
        return false;
    *words++ = 0;
    if (strcmp(line, "launch") == 0)
        return read_launch(c, words);
    if (strcmp(line, "value") == 0)
        return read_value(c, words);
    return strcmp(line, "place") == 0 && c->nplaces < HWL_PLACES &&
           sscanf(words, "%" SCNx64, &c->initial[c->nplaces++]) == 1;
}

/* ---- lines of a file ------------------------------------------------------------------------------------------ */

/* Calls `take` for each line behind the first one, which names format and version. */
static bool read_lines(const char *path, const char *format, bool (*take)(void *user, char *line), void *user)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, format_size = strlen(format);
    unsigned number = 0;
    ssize_t size;
    bool ok = file != NULL;
    while (ok && (size = getline(&line, &room, file)) >= 0) {
        if (size && line[size - 1] == '\n')
            line[size - 1] = 0;
        if (++number == 1)
            ok = strncmp(line, format, format_size) == 0 && atoi(line + format_size) == HWL_VERSION;
        else
            ok = take(user, line);
    }
    if (!file)
        perror(path);
    else if (!ok || !number)
        fprintf(stderr, "%s:%u: not%s of version %d\n", path, number, format, HWL_VERSION);
    if (file)
        fclose(file);
    free(line);
    return ok && number;
}

struct case_reader {
    struct hwl_cases *cases;
    bool open;
};

static bool take_case_line(void *user, char *line)
{
    struct case_reader *r = user;
    if (r->open && strcmp(line, "end") == 0) {
        r->open = false;
        return true;
    }
    if (r->open)
        return read_case_line(&r->cases->at[r->cases->count - 1], line);
    r->open = true;
    struct hwl_case *c = hwl_case_new(r->cases);
    return sscanf(line, "test %127s %" SCNx64, c->name, &c->digest) == 2;
}

bool hwl_cases_read(const char *path, struct hwl_cases *cases)
{
    struct case_reader r = {.cases = cases};
    return read_lines(path, "atoll-hw-litmus-cases", take_case_line, &r) && !r.open;
}

/* ---- results --------------------------------------------------------------------------------------------------- */

struct hwl_result *hwl_result_new(struct hwl_results *results)
{
    results->at = one_more(results->at, results->count, &results->room, sizeof *results->at);
    struct hwl_result *r = &results->at[results->count++];
    *r = (struct hwl_result){0};
    return r;
}

void hwl_results_free(struct hwl_results *results)
{
    free(results->at);
    *results = (struct hwl_results){0};
}

void hwl_results_header(struct hw_text *text, const struct hwl_results *results)
{
    hw_add(text, "atoll-hw-litmus-results %d\n", HWL_VERSION);
    hw_origin_text(text, &results->origin);
}

void hwl_result_text(struct hw_text *text, const struct hwl_result *r)
{
    hw_add(text, "test %s %016" PRIx64 "\nstatus %s%s%s\nran %" PRIu64 " %" PRIu64 "\n", r->name, r->digest,
           hw_status_name(r->status), r->detail[0] ? " " : "", r->detail, r->launches, r->instances);
    for (unsigned i = 0; i < r->count; i++) {
        hw_add(text, "outcome %" PRIu64, r->outcomes[i].times);
        for (unsigned k = 0; k < r->nvalues; k++)
            hw_add(text, " %" PRIu64, r->outcomes[i].values[k]);
        hw_add(text, "\n");
    }
    hw_add(text, "end\n");
}

static bool read_status(struct hwl_result *r, char *words)
{
    char *detail = strchr(words, ' ');
    if (detail)
        *detail++ = 0;
    unsigned i = 0;
    while (i < HW_STATUSES && strcmp(words, hw_status_name((enum hw_status)i)) != 0)
        i++;
    r->status = (enum hw_status)i;
    return i < HW_STATUSES && hw_keep(r->detail, sizeof r->detail, detail ? detail : "");
}

static bool read_outcome(struct hwl_result *r, char *words)
{
    struct hwl_outcome *o = &r->outcomes[r->count];
    if (r->count == HWL_OUTCOMES)
        return false;
    r->count++;
    o->times = strtoull(words, &words, 10);
    for (r->nvalues = 0; *words && r->nvalues < HWL_VALUES; r->nvalues++)
        o->values[r->nvalues] = strtoull(words, &words, 10);
    return !*words;
}

struct result_reader {
    struct hwl_results *results;
    struct hwl_result *open;
};

static bool take_result_line(void *user, char *line)
{
    struct result_reader *r = user;
    if (r->open && strcmp(line, "end") == 0) {
        r->open = NULL;
        return true;
    }
    char *words = strchr(line, ' ');
    if (!words)
        return false;
    *words++ = 0;
    if (!r->open && strcmp(line, "test") == 0) {
        r->open = hwl_result_new(r->results);
        return sscanf(words, "%127s %" SCNx64, r->open->name, &r->open->digest) == 2;
    }
    if (!r->open)
        return hw_origin_read(&r->results->origin, line, words);
    if (strcmp(line, "status") == 0)
        return read_status(r->open, words);
    if (strcmp(line, "ran") == 0)
        return sscanf(words, "%" SCNu64 " %" SCNu64, &r->open->launches, &r->open->instances) == 2;
    return strcmp(line, "outcome") == 0 && read_outcome(r->open, words);
}

/* A record whose end is missing, for the one that wrote it was stopped, holds what came before. */
bool hwl_results_read(const char *path, struct hwl_results *results)
{
    struct result_reader r = {.results = results};
    bool ok = read_lines(path, "atoll-hw-litmus-results", take_result_line, &r);
    if (r.open)
        results->count--;
    return ok;
}

/* Results: what cases left, and the file that carries it. */
#include "hw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[HW_STATUSES] = {"ran", "fault", "skip", "error", "hang"};

const char *hw_status_name(enum hw_status status)
{
    return (unsigned)status < HW_STATUSES ? status_names[status] : "?";
}

void hw_result_begin(struct hw_result *result, const struct hw_case *c)
{
    *result = (struct hw_result){.status = HW_RAN, .digest = hw_case_digest(c)};
    memcpy(result->name, c->name, sizeof result->name);
}

void hw_result_free(struct hw_result *result)
{
    hw_free(&result->out);
    hw_free(&result->surface);
}

static void add_changes(struct hw_text *text, const unsigned char *before, const unsigned char *after, size_t size)
{
    bool any = false;
    for (size_t i = 0; i < size;) {
        size_t end = i;
        while (end < size && before[end] != after[end])
            end++;
        if (end > i) {
            hw_add(text, "%s%zx:", any ? "," : "", i);
            hw_hex(text, after + i, end - i);
            any = true;
        }
        i = end > i ? end : i + 1;
    }
    if (!any)
        hw_add(text, "-");
}

void hw_result_shot(struct hw_result *result, const struct hw_case *c, const void *out, const void *texels)
{
    if (c->out_bytes)
        hw_hex(&result->out, out, c->out_bytes);
    if (!c->has_surface)
        return;
    if (result->surface.size)
        hw_add(&result->surface, " ");
    add_changes(&result->surface, (const unsigned char *)c->texels.data, texels, c->texels.size);
}

static bool same_text(const struct hw_text *a, const struct hw_text *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* How a fault is named is the business of each runner; that there is one, and in which shot, is not. */
bool hw_result_same(const struct hw_result *a, const struct hw_result *b)
{
    return a->status == b->status && a->shot == b->shot && same_text(&a->out, &b->out) &&
           same_text(&a->surface, &b->surface);
}

/* ---- the file ------------------------------------------------------------------------------------------------ */

void hw_results_header(struct hw_text *text, const struct hw_results *results)
{
    hw_add(text, "atoll-hw-results %d\n", HW_VERSION);
    hw_origin_text(text, &results->origin);
}

void hw_result_text(struct hw_text *text, const struct hw_result *result)
{
    hw_add(text, "case %s %016" PRIx64 "\nstatus %s %u %s\n", result->name, result->digest,
           hw_status_name(result->status), result->shot, result->detail);
    if (result->out.size)
        hw_add(text, "out %s\n", result->out.data);
    if (result->surface.size)
        hw_add(text, "surface %s\n", result->surface.data);
    hw_add(text, "end\n");
}

void hw_results_free(struct hw_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        hw_result_free(&results->at[i]);
    free(results->at);
    *results = (struct hw_results){0};
}

static struct hw_result *result_new(struct hw_results *results)
{
    if (results->count == results->room) {
        size_t room = 2 * results->room + 64;
        struct hw_result *at = realloc(results->at, room * sizeof *at);
        if (!at) {
            fputs("no memory left\n", stderr);
            exit(2);
        }
        results->at = at;
        results->room = room;
    }
    struct hw_result *result = &results->at[results->count++];
    *result = (struct hw_result){0};
    return result;
}

bool hw_keep(char *to, size_t room, const char *text)
{
    if (strlen(text) >= room)
        return false;
    strcpy(to, text);
    return true;
}

static bool read_status(struct hw_result *r, const char *words)
{
    char name[16];
    int at = 0;
    if (sscanf(words, "%15s %u%n", name, &r->shot, &at) != 2 || r->shot > HW_MOST_SHOTS)
        return false;
    unsigned i = 0;
    while (i < HW_STATUSES && strcmp(name, status_names[i]) != 0)
        i++;
    r->status = (enum hw_status)i;
    return i < HW_STATUSES && hw_keep(r->detail, sizeof r->detail, words[at] ? words + at + 1 : "");
}

void hw_origin_text(struct hw_text *text, const struct hw_origin *origin)
{
    hw_add(text, "source %s\ndevice %s\ndriver %s\ncompute %s\n", origin->source, origin->device, origin->driver,
           origin->compute);
}

bool hw_origin_read(struct hw_origin *origin, const char *key, const char *words)
{
    if (strcmp(key, "source") == 0)
        return hw_keep(origin->source, sizeof origin->source, words);
    if (strcmp(key, "device") == 0)
        return hw_keep(origin->device, sizeof origin->device, words);
    if (strcmp(key, "driver") == 0)
        return hw_keep(origin->driver, sizeof origin->driver, words);
    return strcmp(key, "compute") == 0 && hw_keep(origin->compute, sizeof origin->compute, words);
}

static bool read_line(struct hw_results *results, bool *open, char *line)
{
    if (*open && strcmp(line, "end") == 0) {
        *open = false;
        return true;
    }
    char *words = strchr(line, ' ');
    if (!words)
        return false;
    *words++ = 0;
    if (!*open && strcmp(line, "case") == 0) {
        struct hw_result *r = result_new(results);
        *open = true;
        return sscanf(words, "%127s %" SCNx64, r->name, &r->digest) == 2;
    }
    if (!*open)
        return hw_origin_read(&results->origin, line, words);
    struct hw_result *r = &results->at[results->count - 1];
    if (strcmp(line, "status") == 0)
        return read_status(r, words);
    struct hw_text *text = strcmp(line, "out") == 0 ? &r->out : strcmp(line, "surface") == 0 ? &r->surface : NULL;
    if (!text || text->size)
        return false;
    hw_add(text, "%s", words);
    return true;
}

bool hw_results_read(FILE *file, struct hw_results *results, char message[256])
{
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool ok = true, open = false;
    ssize_t size;
    while (ok && (size = getline(&line, &room, file)) >= 0) {
        int version;
        if (size && line[size - 1] == '\n')
            line[size - 1] = 0;
        if (++number == 1)
            ok = sscanf(line, "atoll-hw-results %d", &version) == 1 && version == HW_VERSION;
        else
            ok = read_line(results, &open, line);
    }
    ok = ok && number && !open;
    if (!ok)
        snprintf(message, 256, "line %u: not a file of results of version %d", number, HW_VERSION);
    free(line);
    return ok;
}

const struct hw_result *hw_results_find(const struct hw_results *results, const char *name)
{
    for (size_t i = 0; i < results->count; i++)
        if (strcmp(results->at[i].name, name) == 0)
            return &results->at[i];
    return NULL;
}

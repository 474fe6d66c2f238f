/* Where a report says that something is: which place of a chain of inlined calls, and which file its name means. */
#include "cli/reports.h"

#include <string.h>
#include <sys/stat.h>

/* Whether `file` lies in the first n bytes of `folder`, or in a folder there. */
static bool below(const char *file, const char *folder, size_t n)
{
    return n > 1 && strncmp(file, folder, n) == 0 && file[n] == '/' && file[n + 1];
}

/* Paths below the folder where atoll runs are told from there: so repositories know them. */
static const char *near(const struct report *report, const char *file)
{
    size_t n = report->folder ? strlen(report->folder) : 0;
    while (strncmp(file, "./", 2) == 0 && file[2])
        file += 2;
    return n && below(file, report->folder, n) ? file + n + 1 : file;
}

/* Pipes and devices that debug information names are left alone. */
static bool is_file(const char *path)
{
    struct stat status;
    return path && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* `file` in the folder of the module; NULL: no memory. */
static const char *beside(const struct report *report, const char *file)
{
    const char *slash = strrchr(report->module, '/');
    struct text path = {0};
    text_printf(&path, "%.*s%s", slash ? (int)(slash - report->module) + 1 : 0, report->module, file);
    const char *kept = text_ok(&path) ? arena_text(report->arena, path.bytes, path.length) : NULL;
    text_free(&path);
    return kept;
}

/* A file as it is named, where there is one; else beside the module, with the folders of a relative name or without. */
static const char *resolved(const struct report *report, const char *file)
{
    const char *base = strrchr(file, '/');
    if (is_file(file))
        return file;
    const char *path = file[0] == '/' ? NULL : beside(report, file);
    if (!is_file(path))
        path = beside(report, base ? base + 1 : file);
    return is_file(path) ? path : file;
}

uint32_t report_chosen(const struct report *report, const struct atoll_finding_side *side)
{
    uint32_t last = side->nplaces - 1;
    const char *outer = side->places[last].file, *slash = outer ? strrchr(outer, '/') : NULL;
    for (uint32_t i = 0; i < last; i++) {
        const char *file = side->places[i].file;
        if (file && (file[0] != '/' || (slash && below(file, outer, (size_t)(slash - outer))) ||
                     (report->folder && below(file, report->folder, strlen(report->folder)))))
            return i;
    }
    return last;
}

bool report_source(const struct report *report, const struct atoll_place *at, struct report_place *place)
{
    if (!at->file || strcmp(at->file, "<stdin>") == 0)
        return false;
    *place =
        (struct report_place){.file = near(report, resolved(report, at->file)), .line = at->line, .column = at->column};
    return place->line > 0;
}

bool report_place(const struct report *report, const struct atoll_finding_side *side, struct report_place *place)
{
    const struct atoll_place module = {.file = side->file, .line = side->line};
    uint32_t chosen = side->nplaces ? report_chosen(report, side) : 0;
    return report_source(report, side->nplaces && side->places[chosen].file ? &side->places[chosen] : &module, place);
}

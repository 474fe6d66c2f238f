/* Proofs on the tables of instructions. */
#include "api/api.h"

#include "base/text.h"
#include "isa/sass/sass.h"

#include <string.h>

static const struct {
    const char *name;
    bool (*open)(struct isa_table *table, struct atoll_error *error);
} tables[] = {
    {"sass", sass_open},
};

enum { TABLES = sizeof tables / sizeof tables[0] };

static bool lint_table(unsigned index, struct text *out, struct atoll_lint_counts *counts, struct atoll_error *error)
{
    struct isa_table table;
    if (!tables[index].open(&table, error))
        return false;
    counts->rows = table.nforms;
    counts->breaks = isa_lint(&table, out);
    isa_close(&table);
    return true;
}

bool atoll_lint(const char *family, char **report, size_t *size, struct atoll_lint_counts *counts,
                struct atoll_error *error)
{
    struct text out = {0};
    struct atoll_lint_counts found = {0};
    *report = NULL;
    *size = 0;
    for (unsigned i = 0; i < TABLES; i++) {
        if (!family || strcmp(family, tables[i].name) != 0)
            continue;
        bool ok = lint_table(i, &out, &found, error);
        if (counts)
            *counts = found;
        return api_give(&out, ok, report, size, error);
    }
    return error_set(error, ATOLL_USAGE, "'%.100s' is no family of instructions with a binary form",
                     family ? family : "");
}

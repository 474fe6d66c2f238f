/* hw_compare: the cases in Atoll against recorded results.
 *
 *   hw_compare RESULTS...           compares; differences by case, then counts by class
 *   hw_compare --record RESULTS     writes what Atoll returns, as source "atoll"
 *   hw_compare --cases FILE ...     cases of a file instead of the generated ones
 *   hw_compare --verbose ...        the full results of both sides
 *
 * Exit status: 0 equal but for choices and open questions, 1 differences in what is fixed, 2 cannot. */
#include "hw.h"

#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned same[HW_CLASSES], different[HW_CLASSES], skipped, missing, stale, failed;
};

static size_t first_difference(const struct hw_text *a, const struct hw_text *b)
{
    size_t i = 0;
    while (i < a->size && i < b->size && a->data[i] == b->data[i])
        i++;
    return i;
}

static void show_text(const char *what, const struct hw_text *hardware, const struct hw_text *atoll, bool verbose)
{
    size_t at = first_difference(hardware, atoll), from = verbose || at < 16 ? 0 : at - 16;
    int length = verbose ? 1 << 20 : 64;
    if (at == hardware->size && at == atoll->size)
        return;
    printf("    %s, digit %zu: hardware %.*s\n", what, at, length, hardware->size ? hardware->data + from : "-");
    printf("    %s, digit %zu: atoll    %.*s\n", what, at, length, atoll->size ? atoll->data + from : "-");
}

static void show(const struct hw_case *c, const struct hw_result *hardware, const struct hw_result *atoll, bool verbose)
{
    printf("%s %s\n", c->class <= HW_MEASURED ? "DIFFERS" : hw_class_name(c->class), c->name);
    if (hardware->status != atoll->status || hardware->shot != atoll->shot)
        printf("    hardware %s %u %s; atoll %s %u %s\n", hw_status_name(hardware->status), hardware->shot,
               hardware->detail, hw_status_name(atoll->status), atoll->shot, atoll->detail);
    show_text("out", &hardware->out, &atoll->out, verbose);
    show_text("surface", &hardware->surface, &atoll->surface, verbose);
}

static void compare_case(const struct hw_case *c, const struct hw_results *recorded, bool verbose,
                         struct counts *counts)
{
    const struct hw_result *hardware = hw_results_find(recorded, c->name);
    if (!hardware) {
        counts->missing++;
        return;
    }
    if (hardware->digest != hw_case_digest(c)) {
        counts->stale++;
        return;
    }
    if (hardware->status == HW_SKIP) {
        counts->skipped++;
        return;
    }
    if (hardware->status == HW_ERROR || hardware->status == HW_HANG) {
        printf("%s %s: %s\n", hw_status_name(hardware->status), c->name, hardware->detail);
        counts->failed++;
        return;
    }
    struct hw_result atoll;
    hw_run(c, &atoll);
    bool same = hw_result_same(hardware, &atoll);
    counts->same[c->class] += same;
    counts->different[c->class] += !same;
    if (!same)
        show(c, hardware, &atoll, verbose);
    hw_result_free(&atoll);
}

static int compare(const struct hw_cases *cases, const char *path, bool verbose)
{
    struct hw_results recorded = {0};
    struct counts counts = {0};
    char message[256];
    FILE *file = hw_results_open(path);
    if (!file || !hw_results_read(file, &recorded, message)) {
        fprintf(stderr, "%s: %s\n", path, file ? message : "cannot be read");
        if (file)
            fclose(file);
        hw_results_free(&recorded);
        return 2;
    }
    fclose(file);
    printf("%s: %s, %s, compute %s, driver %s\n", path, recorded.origin.source, recorded.origin.device,
           recorded.origin.compute, recorded.origin.driver);
    for (size_t i = 0; i < cases->count; i++)
        compare_case(&cases->at[i], &recorded, verbose, &counts);
    hw_results_free(&recorded);
    printf("%-10s %8s %8s\n", "class", "same", "differ");
    for (unsigned i = 0; i < HW_CLASSES; i++)
        printf("%-10s %8u %8u\n", hw_class_name((enum hw_class)i), counts.same[i], counts.different[i]);
    printf("%u skipped by the device, %u not recorded, %u recorded with another case, %u failed there\n",
           counts.skipped, counts.missing, counts.stale, counts.failed);
    return counts.different[HW_ISA] || counts.different[HW_MEASURED];
}

static int record(const struct hw_cases *cases, const char *path)
{
    struct hw_results header = {.origin = {.source = "atoll", .device = "Atoll", .compute = "-"}};
    struct hw_text text = {0};
    snprintf(header.origin.driver, sizeof header.origin.driver, "%s", ATOLL_VERSION);
    hw_results_header(&text, &header);
    for (size_t i = 0; i < cases->count; i++) {
        struct hw_result result;
        hw_run(&cases->at[i], &result);
        hw_result_text(&text, &result);
        hw_result_free(&result);
    }
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(text.data, 1, text.size, file) == text.size;
    ok = file && fclose(file) == 0 && ok;
    hw_free(&text);
    if (!ok)
        perror(path);
    return ok ? 0 : 2;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *to = NULL;
    bool verbose = false;
    int at = 1, status = 0;
    for (; at < argc && argv[at][0] == '-'; at++) {
        bool more = at + 1 < argc;
        if (strcmp(argv[at], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[at], "--cases") == 0 && more)
            path = argv[++at];
        else if (strcmp(argv[at], "--record") == 0 && more)
            to = argv[++at];
        else
            break;
    }
    if ((at == argc) == !to || (at < argc && argv[at][0] == '-')) {
        fputs("usage: hw_compare [--cases FILE] [--verbose] RESULTS...\n"
              "       hw_compare [--cases FILE] --record RESULTS\n",
              stderr);
        return 2;
    }
    struct hw_cases cases = {0};
    if (!hw_cases_take(&cases, path))
        status = 2;
    else if (to)
        status = record(&cases, to);
    for (; status < 2 && at < argc; at++) {
        int one = compare(&cases, argv[at], verbose);
        status = one > status ? one : status;
    }
    hw_cases_free(&cases);
    return status;
}

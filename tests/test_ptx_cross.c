/* The full cross product of modifiers of suld, sust, sured, suq, atom, red, red.async and mbarrier: every combination
 * of at most one word of each kind, also words that belong to other instructions. Each combination has a verdict:
 *   - those that the accept tables have (../shared/corpora/ptx, else data/accept) get the table's
 *   - ptxas, where it is found in release 13.0, is asked about all that Atoll accepts, and in the time that is left
 *     about as many as possible of the others, spread over the product
 * ATOLL_CROSS_SECONDS: the time for ptxas (20). ATOLL_CROSS_SEED: where the walk through the others begins.
 * ATOLL_CROSS_TARGET, ATOLL_CROSS_VERSION: sm_90, 9.0. ATOLL_CROSS_ONLY: one mnemonic. */
#include "given.h"
#include "ptxas.h"

#include <time.h>
#include <zlib.h>

enum { SLOTS = 10, CHUNK = 20000, BATCH = 2500, PROBE = 211, SHOWN = 20, WORDS = 24 };

#define TYPES      "|b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64"
#define GEOMETRIES "|1d|2d|3d|a1d|a2d|1d_buffer|4d|cube|acube|2dms|a2dms"
#define CACHES     "|ca|cg|cs|cv|lu|wb|wt"
#define CLAMPS     "|trap|clamp|zero"
#define VECTORS    "|v2|v4|v8"
#define OPERATIONS "|add|min|max|and|or|xor|inc|dec|exch|cas|popc"
#define SPACES     "|global|shared|shared::cta|shared::cluster|local|const|param"
#define BARRIERS   "|init|inval|arrive|arrive_drop|test_wait|try_wait|pending_count"
#define BARRIERS2  "|expect_tx|complete_tx|noComplete|parity"
#define SCOPES     "|cta|cluster|gpu|sys"

/* A product. Slots hold words with '|' between; an empty word leaves the slot out. */
struct walk {
    const char *name;  /* mnemonic with the words that all have */
    const char *table; /* of accept rows, NULL: none; "red.async" and "red" share a mnemonic: `name` decides */
    const char *slots[SLOTS];
    unsigned counts[SLOTS];
    uint64_t size;
    char words[SLOTS][WORDS][32];
    uint16_t keywords[SLOTS][WORDS];
    char *rows; /* verdict of the table: '0', '1', 'x' rows that contradict each other; 0 none */
    char *ours; /* '0', '1' */
    uint64_t accepted, judged, forms, compared, against, asked[2], wrong;
};

static struct walk walks[] = {
    {.name = "suld", .table = "accept_surf_core", .slots = {"b|p", GEOMETRIES, CACHES, VECTORS, TYPES, CLAMPS}},
    {.name = "sust", .table = "accept_surf_core", .slots = {"b|p", GEOMETRIES, CACHES, VECTORS, TYPES, CLAMPS}},
    {.name = "sured",
     .table = "accept_surf_core",
     .slots = {"b|p", OPERATIONS, GEOMETRIES, "|ca|cg|wb", "|v2", TYPES, CLAMPS}},
    {.name = "suq",
     .table = "accept_surf_core",
     .slots =
         {"|width|height|depth|channel_data_type|channel_order|array_size|memory_layout|normalized_coords|num_samples|"
          "num_mipmap_levels|filter_mode|addr_mode_0|force_unnormalized_coords",
          GEOMETRIES, TYPES, CLAMPS}},
    {.name = "atom",
     .table = "accept_atom",
     .slots = {"|relaxed|acquire|release|acq_rel|sc|weak|volatile|mmio", SCOPES, SPACES, OPERATIONS, "|noftz|ftz",
               "|L2::cache_hint", VECTORS, TYPES}},
    {.name = "red",
     .table = "accept_atom",
     .slots = {"|relaxed|acquire|release|acq_rel|sc|weak|volatile|mmio", SCOPES, SPACES, OPERATIONS, "|noftz|ftz",
               "|L2::cache_hint", VECTORS, TYPES}},
    {.name = "red.async",
     .table = "accept_redasync",
     .slots = {"|mmio", "|relaxed|acquire|release|weak", SCOPES, "|global|shared|shared::cta|shared::cluster",
               "|mbarrier::complete_tx::bytes", OPERATIONS, "|v2", TYPES}},
    {.name = "mbarrier",
     .slots = {BARRIERS, BARRIERS2, "|relaxed|acquire|release|acq_rel|weak", SCOPES, SPACES, "|b32|b64|u64|s64"}},
};
enum { WALKS = sizeof walks / sizeof walks[0] };

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}
#define version setting("ATOLL_CROSS_VERSION", "9.0")
#define target  setting("ATOLL_CROSS_TARGET", "sm_90")

/* ---- products --------------------------------------------------------------------------------------------- */

/* Empty unless its name is `only`. */
static void walk_open(struct walk *w, const char *only)
{
    w->size = strcmp(w->name, only) == 0;
    for (unsigned s = 0; s < SLOTS && w->slots[s]; s++) {
        const char *at = w->slots[s];
        for (;; at++) {
            size_t length = strcspn(at, "|");
            assert_true(w->counts[s] < WORDS && length < sizeof w->words[0][0]);
            memcpy(w->words[s][w->counts[s]], at, length);
            w->keywords[s][w->counts[s]++] = length ? (uint16_t)ptx_keyword_find(at, length) : PTX_UNKNOWN;
            at += length;
            if (*at == 0)
                break;
        }
        w->size *= w->counts[s];
    }
    w->rows = calloc(w->size + 1, 1);
    w->ours = calloc(w->size + 1, 1);
    assert_true(w->rows && w->ours);
}

static const char *chosen(const struct walk *w, uint64_t index, const char *of)
{
    for (unsigned s = 0; s < SLOTS && w->slots[s]; s++) {
        const char *word = w->words[s][index % w->counts[s]];
        index /= w->counts[s];
        if (strcmp(w->slots[s], of) == 0)
            return word;
    }
    return "";
}

static void data(struct text *out, const char *type, const char *vector)
{
    static const char *const names[] = {"h", "r", "rd", "q"};
    unsigned bits = type[0] ? ptx_type_bits((uint16_t)ptx_keyword_find(type, strlen(type))) : 32;
    unsigned count = vector[0] ? (unsigned)(vector[1] - '0') : 1;
    const char *name = names[bits <= 16 ? 0 : bits == 32 ? 1 : bits == 64 ? 2 : 3];
    if (count == 1)
        text_printf(out, "%%%s1", name);
    for (unsigned i = 0; count > 1 && i < count; i++)
        text_printf(out, "%s%%%s%u%s", i ? "," : "{", name, bits > 64 ? i % 4 : i + 1, i + 1 < count ? "" : "}");
}

static void barrier_operands(const struct walk *w, uint64_t index, struct text *out)
{
    const char *first = chosen(w, index, BARRIERS), *second = chosen(w, index, BARRIERS2);
    bool cluster = strcmp(chosen(w, index, SPACES), "shared::cluster") == 0;
    if (strcmp(first, "pending_count") == 0)
        text_puts(out, "%r1, %rd1;");
    else if (strcmp(first, "inval") == 0)
        text_puts(out, "[%rd8];");
    else if (strncmp(first, "arrive", 6) == 0)
        text_puts(out, cluster ? "_, [%rd8], %r1;" : "%rd1, [%rd8], %r1;");
    else if (strstr(first, "wait"))
        text_puts(out, strcmp(second, "parity") == 0 ? "%p1, [%rd8], %r1;" : "%p1, [%rd8], %rd1;");
    else
        text_puts(out, "[%rd8], %r1;");
}

static void operands(const struct walk *w, uint64_t index, struct text *out)
{
    const char *type = chosen(w, index, TYPES), *vector = chosen(w, index, VECTORS);
    const char *operation = chosen(w, index, OPERATIONS), *space = chosen(w, index, SPACES);
    bool async = strcmp(w->name, "red.async") == 0, barrier = false;
    if (async) {
        barrier = chosen(w, index, "|mbarrier::complete_tx::bytes")[0] != 0;
        text_puts(out, barrier ? "[%r19], " : "[%rd9], ");
        data(out, type, chosen(w, index, "|v2"));
        text_puts(out, barrier ? ", [%r18];" : ";");
    } else if (strcmp(w->name, "atom") == 0 || strcmp(w->name, "red") == 0) {
        if (w->name[0] == 'a') {
            data(out, type, vector);
            text_puts(out, ", ");
        }
        text_puts(out, strncmp(space, "shared", 6) == 0 ? "[%rd8], " : "[%rd9], ");
        data(out, type, vector);
        if (strcmp(operation, "cas") == 0) {
            text_puts(out, ", ");
            data(out, type, vector);
        }
        text_puts(out, chosen(w, index, "|L2::cache_hint")[0] ? ", %rd5;" : ";");
    } else if (strcmp(w->name, "mbarrier") == 0) {
        barrier_operands(w, index, out);
    } else if (strcmp(w->name, "suq") == 0) {
        data(out, type, "");
        text_puts(out, ", [S];");
    } else {
        if (strcmp(w->name, "suld") == 0) {
            data(out, type, vector);
            text_puts(out, ", ");
        }
        text_puts(out, "[S, {%r1,%r2,%r3,%r4}]");
        if (strcmp(w->name, "suld") != 0) {
            text_puts(out, ", ");
            data(out, type, w->name[2] == 'r' ? chosen(w, index, "|v2") : vector);
        }
        text_puts(out, ";");
    }
}

static void instruction(const struct walk *w, uint64_t index, struct text *out)
{
    uint64_t rest = index;
    text_puts(out, w->name);
    for (unsigned s = 0; s < SLOTS && w->slots[s]; s++) {
        const char *word = w->words[s][rest % w->counts[s]];
        rest /= w->counts[s];
        text_printf(out, word[0] ? ".%s" : "%s", word);
    }
    text_puts(out, " ");
    operands(w, index, out);
}

/* ---- Atoll's verdicts -------------------------------------------------------------------------------------- */

struct judged {
    char *verdicts;
    unsigned count;
};

static void note(void *user, const struct atoll_diagnostic *d)
{
    struct judged *judged = user;
    if (d->severity == ATOLL_ERROR && d->line > FORMS_HEADING_LINES && d->line - FORMS_HEADING_LINES <= judged->count)
        judged->verdicts[d->line - FORMS_HEADING_LINES - 1] = '0';
}

/* The combination that these words are; false if there is none. */
static bool index_of(const struct walk *w, const uint16_t *mods, unsigned nmods, uint64_t *index)
{
    uint64_t scale = 1;
    unsigned found = w->name[strcspn(w->name, ".")] != 0; /* async */
    *index = 0;
    for (unsigned s = 0; s < SLOTS && w->slots[s]; s++) {
        for (unsigned i = 0; i < w->counts[s]; i++)
            for (unsigned m = 0; m < nmods && w->words[s][i][0]; m++)
                if (w->keywords[s][i] == mods[m]) {
                    *index += i * scale;
                    found++;
                }
        scale *= w->counts[s];
    }
    return found == nmods;
}

/* Marks in `forms` what the row's patterns allow. The product has every word of theirs. */
static void mark_forms(struct walk *w, char *forms)
{
    const struct ptx_row *row = ptx_row_find(w->name, strcspn(w->name, "."));
    bool wants_async = strstr(w->name, "async") != NULL;
    for (unsigned p = 0; p < row->npatterns; p++) {
        uint16_t mods[INSN_MODS];
        unsigned nmods;
        if ((strncmp(row->patterns[p].mods, "async", 5) == 0) != wants_async)
            continue;
        for (uint64_t choice = 0; ptx_sample_choice(&row->patterns[p], choice, mods, &nmods); choice++) {
            uint64_t index;
            assert_true(index_of(w, mods, nmods, &index));
            w->forms += forms[index] == 0;
            forms[index] = 1;
        }
    }
}

/* Verdicts of the combinations indexes[0 .. count). */
static void judge(struct walk *w, const uint64_t *indexes, unsigned count)
{
    static char verdicts[CHUNK];
    struct judged judged = {verdicts, count};
    struct atoll_module_options options = {.diagnose = note, .user = &judged};
    struct text source = {0};
    struct arena arena = {0};
    struct ptx_module *module;
    memset(verdicts, '1', count);
    forms_heading(&source, version, target);
    for (unsigned i = 0; i < count; i++) {
        instruction(w, indexes[i], &source);
        text_puts(&source, "\n");
    }
    text_puts(&source, "ret; }\n");
    assert_true(text_ok(&source));
    struct diag diag = {.source = source.bytes, .size = source.length, .options = &options};
    assert_true(ptx_parse(&arena, &diag, &module));
    ptx_check(module, &diag);
    for (unsigned i = 0; i < count; i++) {
        assert_true(verdicts[i] == '0' || w->ours[indexes[i]] == 0);
        w->ours[indexes[i]] = verdicts[i];
        w->accepted += verdicts[i] == '1';
    }
    w->judged += count;
    arena_free(&arena);
    text_free(&source);
}

/* Combinations that no pattern allows are refused; the checker itself is asked about those that some pattern allows,
 * and about some of the others to see that this is so: its messages take their time. */
static void judge_all(struct walk *w)
{
    static uint64_t indexes[CHUNK];
    unsigned count = 0;
    char *forms = calloc(w->size + 1, 1);
    assert_non_null(forms);
    if (w->size > 0)
        mark_forms(w, forms);
    for (uint64_t at = 0; at < w->size; at++) {
        if (!forms[at])
            w->ours[at] = '0';
        if (forms[at] || at % PROBE == 0)
            indexes[count++] = at;
        if (count == CHUNK || at + 1 == w->size) {
            judge(w, indexes, count);
            count = 0;
        }
    }
    free(forms);
}

/* ---- tables ------------------------------------------------------------------------------------------------ */

/* The combination that a row's modifiers are; false if it has words twice or others. */
static bool find_combination(const struct walk *w, char *text, uint64_t *index)
{
    unsigned choice[SLOTS] = {0};
    size_t length = strlen(w->name);
    char *save = NULL;
    text[strcspn(text, " \t")] = 0;
    if (strncmp(text, w->name, length) != 0 || (text[length] != '.' && text[length] != 0))
        return false;
    if (strcmp(w->name, "red") == 0 && strncmp(text, "red.async", 9) == 0)
        return false;
    for (char *word = strtok_r(text + length, ".", &save); word; word = strtok_r(NULL, ".", &save)) {
        bool found = false;
        for (unsigned s = 0; s < SLOTS && w->slots[s] && !found; s++)
            for (unsigned i = 0; i < w->counts[s] && !found; i++)
                if (strcmp(word, w->words[s][i]) == 0 && (choice[s] == 0 || s == 0)) {
                    choice[s] = i;
                    found = true;
                }
        if (!found)
            return false;
    }
    uint64_t scale = 1;
    *index = 0;
    for (unsigned s = 0; s < SLOTS && w->slots[s]; s++) {
        *index += choice[s] * scale;
        scale *= w->counts[s];
    }
    return true;
}

static gzFile open_table(const char *name)
{
    const char *places[] = {getenv("ATOLL_ACCEPT_DIR"), SHARED_DIR "/ptx", DATA_DIR "/accept"};
    for (unsigned i = 0; i < 3; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s_%s.tsv.gz", places[i] ? places[i] : "", name, target);
        gzFile file = places[i] ? gzopen(path, "rb") : NULL;
        if (file)
            return file;
    }
    return NULL;
}

static void read_rows(struct walk *w)
{
    char line[2000];
    gzFile file = w->table && w->size > 0 ? open_table(w->table) : NULL;
    if (!file)
        return;
    while (gzgets(file, line, sizeof line)) {
        uint64_t index;
        char *tab = strchr(line, '\t'), *verdict = tab ? strchr(tab + 1, '\t') : NULL;
        char given = verdict ? verdict[1] : 0;
        if ((given != '0' && given != '1') || !find_combination(w, line, &index))
            continue;
        char *row = &w->rows[index];
        *row = *row == 0 || *row == given ? given : 'x'; /* operands decided */
    }
    gzclose(file);
}

static void compare_rows(struct walk *w)
{
    for (uint64_t i = 0; i < w->size; i++) {
        if (w->rows[i] != '0' && w->rows[i] != '1')
            continue;
        w->compared++;
        if (w->rows[i] == w->ours[i])
            continue;
        struct text line = {0};
        instruction(w, i, &line);
        if (w->against++ < SHOWN)
            fprintf(stderr, "the table %s %s\n", w->rows[i] == '1' ? "accepts" : "refuses", line.bytes);
        text_free(&line);
    }
}

/* ---- ptxas -------------------------------------------------------------------------------------------------- */

/* What makes ptxas crash: facts of the accept tables. Errors here. */
static bool crashes(const struct walk *w, uint64_t index)
{
    static const char *const words[] = {"xor", "inc", "dec", "exch"};
    for (unsigned i = 0; strcmp(w->name, "sured") == 0 && i < 4; i++)
        if (strcmp(chosen(w, index, OPERATIONS), words[i]) == 0)
            return true;
    return false;
}

static void ask_batch(const char *ptxas, struct walk *w, const uint64_t *indexes, unsigned count)
{
    struct lines lines = {.at = calloc(count, sizeof(struct text)), .count = count, .verdict = malloc(count + 1)};
    assert_true(lines.at && lines.verdict);
    memset(lines.verdict, '1', count);
    for (unsigned i = 0; i < count; i++)
        instruction(w, indexes[i], &lines.at[i]);
    ask_all(ptxas, &lines, 0, count, version, target);
    for (unsigned i = 0; i < count; i++) {
        char ours = w->ours[indexes[i]];
        w->asked[ours == '1']++;
        if (lines.verdict[i] != ours && !(lines.verdict[i] == 'c' && ours == '0') && w->wrong++ < SHOWN)
            fprintf(stderr, "ptxas %s %s\n",
                    lines.verdict[i] == '1'   ? "accepts"
                    : lines.verdict[i] == '0' ? "refuses"
                                              : "crashes on",
                    lines.at[i].bytes);
        text_free(&lines.at[i]);
    }
    free(lines.at);
    free(lines.verdict);
}

/* The next combinations of a verdict after *at (in steps through the whole product); false when all were given. */
static unsigned next_batch(const struct walk *w, char verdict, uint64_t step, uint64_t first, uint64_t *at,
                           uint64_t *indexes)
{
    unsigned count = 0;
    for (; *at < w->size && count < BATCH; ++*at) {
        uint64_t index = (first + *at * step) % w->size;
        if (w->ours[index] == verdict && !crashes(w, index))
            indexes[count++] = index;
    }
    return count;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

static void ask_for(const char *ptxas, double seconds, uint64_t seed)
{
    static uint64_t indexes[BATCH];
    time_t end = time(NULL) + (time_t)seconds;
    bool more = true;
    for (unsigned i = 0; i < WALKS; i++) {
        uint64_t at = 0;
        for (unsigned count; (count = next_batch(&walks[i], '1', 1, 0, &at, indexes)) > 0 && time(NULL) < end;)
            ask_batch(ptxas, &walks[i], indexes, count);
    }
    uint64_t at[WALKS] = {0};
    while (more && time(NULL) < end) {
        more = false;
        for (unsigned i = 0; i < WALKS && time(NULL) < end; i++) {
            uint64_t step = (uint64_t)((double)walks[i].size * 0.6180339887) | 1;
            while (walks[i].size > 0 && common_divisor(step, walks[i].size) != 1)
                step += 2;
            unsigned count = next_batch(&walks[i], '0', step, seed * 7919, &at[i], indexes);
            if (count)
                ask_batch(ptxas, &walks[i], indexes, count);
            more |= count > 0;
        }
    }
}

/* ---- the test ----------------------------------------------------------------------------------------------- */

static void full_product(void **state)
{
    (void)state;
    const char *ptxas = find_ptxas();
    uint64_t wrong = 0;
    for (unsigned i = 0; i < WALKS; i++) {
        walk_open(&walks[i], setting("ATOLL_CROSS_ONLY", walks[i].name));
        judge_all(&walks[i]);
        read_rows(&walks[i]);
        compare_rows(&walks[i]);
    }
    if (ptxas && right_release(ptxas))
        ask_for(ptxas, given_seconds("ATOLL_CROSS_SECONDS", 20), given("ATOLL_CROSS_SEED", 1, 0));
    else
        print_message("skipped: forms beyond the tables: no ptxas 13.0; ATOLL_PTXAS names one\n");
    for (unsigned i = 0; i < WALKS; i++) {
        struct walk *w = &walks[i];
        fprintf(stderr,
                "%-9s %7llu combinations, %6llu with a form, %6llu accepted; table: %5llu rows, %llu differ; ptxas: "
                "%6llu accepted and %6llu refused ones asked, %llu differ\n",
                w->name, (unsigned long long)w->size, (unsigned long long)w->forms, (unsigned long long)w->accepted,
                (unsigned long long)w->compared, (unsigned long long)w->against, (unsigned long long)w->asked[1],
                (unsigned long long)w->asked[0], (unsigned long long)w->wrong);
        wrong += w->against + w->wrong;
        free(w->rows);
        free(w->ours);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

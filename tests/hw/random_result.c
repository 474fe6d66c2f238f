/* Records of random kernels, and the kernels: random.h. */
#include "random.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Replaces a word by another wherever it stands. */
static void replace(struct text *text, const char *word, const char *by)
{
    struct text made = {0};
    const char *from = text->bytes;
    for (const char *at; (at = strstr(from, word)); from = at + strlen(word)) {
        text_add(&made, from, (size_t)(at - from));
        text_puts(&made, by);
    }
    text_puts(&made, from);
    text_free(text);
    *text = made;
}

/* shfl and vote without .sync are not there any more from sm_70 on. */
static void synchronise(struct text *text)
{
    static const char *const words[] = {"shfl.up.",  "shfl.down.", "shfl.bfly.",  "shfl.idx.",
                                        "vote.all.", "vote.any.",  "vote.ballot", "vote.uni."};
    struct text made = {0};
    for (const char *at = text->bytes, *end; *at; at = end + 1) {
        const char *word = NULL;
        end = strchr(at, '\n'); /* each line of the generator ends with one */
        assert(end);
        for (unsigned i = 0; i < sizeof words / sizeof *words && !word; i++) {
            const char *found = strstr(at, words[i]);
            word = found && found < end ? found : NULL;
        }
        if (word) {
            const char *last = strchr(word, ';');
            assert(last && last < end);
            text_add(&made, at, (size_t)(word - at) + 4);
            text_puts(&made, ".sync");
            text_add(&made, word + 4, (size_t)(last - word) - 4);
            text_puts(&made, ", -1");
            text_add(&made, last, (size_t)(end + 1 - last));
        } else {
            text_add(&made, at, (size_t)(end + 1 - at));
        }
    }
    text_free(text);
    *text = made;
}

/* For old targets the text says that lanes come together at barriers and shuffles, which an assembler for newer ones
 * does not see to. And lanes that have come back from different depths of a function that calls itself stay apart on an
 * H100: what ptxas (13.0) makes of it keeps the lanes that are waited for in a register of the warp, and shuffles are
 * not told to wait. */
struct text hwr_text(uint32_t seed)
{
    struct text text = {0};
    differential_generate(seed & ~HWR_FUSED, &text);
    if (!text_ok(&text)) {
        fputs("no memory left\n", stderr);
        exit(2);
    }
    replace(&text, ".target sm_50", ".target sm_70");
    replace(&text, ".target sm_53", ".target sm_70");
    replace(&text, "call (o), again", "call (o), deep");
    replace(&text, "%pe, again", "%pe, deep");
    synchronise(&text);
    if (seed & HWR_FUSED) {
        replace(&text, "add.rn", "add");
        replace(&text, "sub.rn", "sub");
        replace(&text, "mul.rn", "mul");
    }
    return text;
}

bool hwr_wanted(uint32_t seed)
{
    enum differential_kind kind = differential_kind(seed & ~HWR_FUSED);
    if (seed & HWR_FUSED)
        return kind == DIFFERENTIAL_FLOAT || kind == DIFFERENTIAL_HALF || kind == DIFFERENTIAL_MIXED;
    return kind != DIFFERENTIAL_VIDEO;
}

const char *hwr_known(uint32_t seed)
{
    static const struct {
        uint32_t seed;
        const char *why;
    } known[] = {
        {447, "slct.f32 of abs(x): a NaN is taken for not negative"},
        {2031, "setp.ftz of a number >= 0 and a subnormal below 0: they are taken for different"},
        {6283, "cnot xor set: 1 where it is -1"},
        {6901, "neg and cvt.rzi.u32.f16 in one: rounded to nearest"},
        {8748, "slct.s32 of abs(x): the least integer is taken for not negative"},
        {1417, "setp.ne.f32 x, x; not found out"},
        {3297, "lop3 whose table ignores an operand, then xor: the xor is lost"},
        {8124, "not found out"},
        {5973, "a misaligned address; not found out"},
        {6558, "an illegal address; not found out"},
        {HWR_FUSED | 447, "as 447"},
        {HWR_FUSED | 2031, "as 2031"},
        {HWR_FUSED | 4678, "products of halves are fused across a branch"},
        {HWR_FUSED | 4714, "products of halves are fused across a branch"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].seed == seed)
            return known[i].why;
    return NULL;
}

void hwr_result_begin(struct hwr_result *r, uint32_t seed)
{
    struct text text = hwr_text(seed);
    *r = (struct hwr_result){.seed = seed, .digest = hw_digest(0, text.bytes, text.length)};
    text_free(&text);
}

struct hwr_result *hwr_result_new(struct hwr_results *results)
{
    if (results->count == results->room) {
        size_t room = 2 * results->room + 64;
        struct hwr_result *at = realloc(results->at, room * sizeof *at);
        if (!at) {
            fputs("no memory left\n", stderr);
            exit(2);
        }
        results->at = at;
        results->room = room;
    }
    struct hwr_result *result = &results->at[results->count++];
    *result = (struct hwr_result){0};
    return result;
}

void hwr_head(const struct hw_origin *origin, FILE *file)
{
    struct hw_text text = {0};
    hw_add(&text, "atoll-hw-random-results %d\n", HWR_VERSION);
    hw_origin_text(&text, origin);
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
}

void hwr_result_write(const struct hwr_result *r, FILE *file)
{
    fprintf(file, "%" PRIu32 " %016" PRIx64 " %s", r->seed, r->digest, hw_status_name(r->status));
    for (unsigned i = 0; i < HWR_INPUTS && r->status == HW_RAN; i++)
        fprintf(file, " %016" PRIx64, r->left[i]);
    fprintf(file, "%s%s\n", r->detail[0] ? " " : "", r->detail);
}

static enum hw_status status_of(const char *name)
{
    unsigned i = 0;
    while (i < HW_STATUSES && strcmp(hw_status_name((enum hw_status)i), name) != 0)
        i++;
    return (enum hw_status)i;
}

static bool read_result(struct hwr_results *results, const char *line)
{
    struct hwr_result *r = hwr_result_new(results);
    char status[16];
    int at = 0;
    if (sscanf(line, "%" SCNu32 " %" SCNx64 " %15s%n", &r->seed, &r->digest, status, &at) != 3)
        return false;
    r->status = status_of(status);
    for (unsigned i = 0; i < HWR_INPUTS && r->status == HW_RAN; i++) {
        int more = 0;
        if (sscanf(line + at, " %" SCNx64 "%n", &r->left[i], &more) != 1)
            return false;
        at += more;
    }
    return r->status < HW_STATUSES && hw_keep(r->detail, sizeof r->detail, line[at] ? line + at + 1 : "");
}

static bool read_line(struct hwr_results *results, char *line)
{
    if (strncmp(line, "left ", 5) == 0)
        return true;
    if (line[0] >= '0' && line[0] <= '9')
        return read_result(results, line);
    char *words = strchr(line, ' ');
    if (!words)
        return false;
    *words++ = 0;
    return hw_origin_read(&results->origin, line, words);
}

bool hwr_results_read(FILE *file, struct hwr_results *results, char message[256])
{
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool ok = true;
    ssize_t size;
    while (ok && (size = getline(&line, &room, file)) >= 0) {
        int version;
        if (size && line[size - 1] == '\n')
            line[size - 1] = 0;
        if (++number == 1)
            ok = sscanf(line, "atoll-hw-random-results %d", &version) == 1 && version == HWR_VERSION;
        else
            ok = read_line(results, line);
    }
    ok = ok && number && !ferror(file);
    if (!ok)
        snprintf(message, 256, "line %u: not a file of results of random kernels of version %d", number, HWR_VERSION);
    free(line);
    return ok;
}

void hwr_results_free(struct hwr_results *results)
{
    free(results->at);
    *results = (struct hwr_results){0};
}

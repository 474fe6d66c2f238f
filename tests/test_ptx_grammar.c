/* What the parser accepts is what ptxas accepts: recorded verdicts on small modules (data/ptx/grammar.tsv: accepted,
 * module-scope text, body of a kernel, message), and the named exceptions. Verdicts that depend on the meaning of an
 * instruction are not in the table. */
#include "ptx_text.h"

enum { SHOWN = 20 };

static bool split(char *line, char *cells[4])
{
    for (unsigned i = 0; i < 4; i++) {
        cells[i] = line;
        line = line ? strchr(line, '\t') : NULL;
        if (line)
            *line++ = 0;
    }
    return cells[2] != NULL;
}

static bool row_agrees(char *cells[4])
{
    struct parsed p;
    parse_around(&p, cells[1], cells[2]);
    bool accepted = p.diag.errors == 0, agrees = accepted == (cells[0][0] == '1');
    if (!agrees)
        fprintf(stderr, "%s: %s @@ %s\n    ours: %s    ptxas: %s\n", accepted ? "accepted" : "refused", cells[1],
                cells[2], p.texts.bytes, cells[3] ? cells[3] : "");
    parsed_free(&p);
    return agrees;
}

static void recorded_verdicts(void **state)
{
    (void)state;
    FILE *file = fopen(DATA_DIR "/ptx/grammar.tsv", "r");
    if (!file) {
        fail_msg("no " DATA_DIR "/ptx/grammar.tsv");
        return;
    }
    char line[4000], *cells[4];
    unsigned rows = 0, wrong = 0;
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        rows++;
        assert_true(split(line, cells));
        wrong += !row_agrees(cells);
    }
    fclose(file);
    assert_true(rows > 300);
    assert_int_equal(wrong, 0);
}

static void expect(const char *globals, const char *body, const char *messages)
{
    struct parsed p;
    parse_around(&p, globals, body);
    if (strcmp(p.messages.bytes, messages) != 0)
        fprintf(stderr, "%s @@ %s: %s", globals, body, p.texts.bytes);
    assert_string_equal(p.messages.bytes, messages);
    parsed_free(&p);
}

/* Where the parser differs on purpose. */
static void exceptions(void **state)
{
    (void)state;
    /* [a-4] has one meaning; ptxas wants [a+-4] */
    expect("", "ld.global.u32 %r1, [%rd1-4];", "6:25 warning negative-offset\n");
    expect(".global .u32 S[4];", "mov.u64 %rd1, S-4;", "6:16 warning negative-offset\n");
    expect(".global .u32 S; .global .u64 a = S-4;", "ret;", "4:35 warning negative-offset\n");
    /* a constant expression has one meaning as a size too */
    expect(".global .u32 a[2*3+1];", "ret;", "");
    /* a part that a vector does not have is no value */
    expect("", ".reg .v2 .f32 %v; mov.f32 %f1, %v.z;", "6:34 bad-part\n");
    /* 65 bits: dropped with a warning, as ptxas drops them silently */
    expect("", "mov.u64 %rd1, 18446744073709551616;", "6:15 warning integer-overflow\n");
    /* forms of PTX 1.x, without brackets */
    expect(".global .u32 S[4];", "ld.global.u32 %r1, S[1];", "6:21 syntax\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_verdicts),
        cmocka_unit_test(exceptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

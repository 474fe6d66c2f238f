/* Instructions that are checked, most of them not executed - copies, matrices, textures, Tensor Memory - and fences,
 * policies and video instructions: verdicts equal to ptxas 13.0 on 28 pairs of version and target
 * (data/accept/known.tsv.gz: version, target, 1 accepted or 0, instruction). The instructions are forms of the PTX ISA
 * text, and mutated ones: words dropped, moved, doubled or foreign, operands dropped, added or of other kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/text.h"
#include "isa/ptx/ast.h"

enum { ROWS_MOST = 4000, SHOWN = 200 };

/* The rows of one version and target. */
struct batch {
    char version[8], target[12];
    struct text source;
    unsigned lines; /* before the first instruction */
    unsigned count;
    char want[ROWS_MOST], got[ROWS_MOST];
};

static void note(void *user, const struct atoll_diagnostic *d)
{
    struct batch *b = user;
    if (d->severity == ATOLL_ERROR && d->line > b->lines && d->line - b->lines <= b->count)
        b->got[d->line - b->lines - 1] = '0';
    else if (d->severity == ATOLL_ERROR)
        fail_msg("%s %s, line %u: %s", b->version, b->target, d->line, d->message);
}

static void start(struct batch *b, const char *version, const char *target)
{
    *b = (struct batch){.lines = 9};
    snprintf(b->version, sizeof b->version, "%s", version);
    snprintf(b->target, sizeof b->target, "%s", target);
    text_printf(&b->source, ".version %s\n.target %s\n.address_size 64\n", version, target);
    text_puts(&b->source,
              ".global .surfref S;\n.global .texref TX;\n.shared .align 128 .b8 sh[4096];\n"
              ".global .align 128 .b8 gl[4096];\n.visible .entry k(.param .u64 o) {\n"
              ".reg .pred %p<10>; .reg .b16 %h<40>; .reg .b32 %r<300>; .reg .b64 %rd<40>; .reg .f32 %f<300>; ");
    text_printf(&b->source, ".reg .f64 %%fd<80>; %s\n", strcmp(version, "8.3") >= 0 ? ".reg .b128 %q<8>;" : "");
}

static const char *line_of(const struct batch *b, unsigned index)
{
    const char *at = b->source.bytes;
    for (unsigned i = 0; i < b->lines + index; i++)
        at = strchr(at, '\n') + 1;
    return at;
}

/* How many verdicts differ. */
static unsigned finish(struct batch *b)
{
    struct arena arena = {0};
    struct ptx_module *module;
    struct atoll_module_options options = {.diagnose = note, .user = b};
    unsigned wrong = 0;
    if (b->count > 0) {
        text_puts(&b->source, "ret; }\n");
        assert_true(text_ok(&b->source));
        struct diag diag = {.source = b->source.bytes, .size = b->source.length, .options = &options};
        assert_true(ptx_parse(&arena, &diag, &module));
        ptx_check(module, &diag);
    }
    for (unsigned i = 0; i < b->count; i++)
        if (b->want[i] != b->got[i] && wrong++ < SHOWN) {
            const char *line = line_of(b, i);
            print_error("%s %s: ptxas %s %.*s\n", b->version, b->target, b->want[i] == '1' ? "accepts" : "refuses",
                        (int)strcspn(line, "\n"), line);
        }
    arena_free(&arena);
    text_free(&b->source);
    return wrong;
}

static void verdicts_equal_those_of_ptxas(void **state)
{
    static struct batch batch;
    char line[4000];
    unsigned wrong = 0, rows = 0;
    gzFile file = gzopen(DATA_DIR "/accept/known.tsv.gz", "rb");
    (void)state;
    assert_non_null(file);
    for (; gzgets(file, line, sizeof line); rows++) {
        char *save, *version = strtok_r(line, "\t", &save), *target = strtok_r(NULL, "\t", &save);
        char *verdict = strtok_r(NULL, "\t", &save), *instruction = strtok_r(NULL, "\n", &save);
        assert_non_null(instruction);
        if (strcmp(version, batch.version) != 0 || strcmp(target, batch.target) != 0) {
            wrong += finish(&batch);
            start(&batch, version, target);
        }
        assert_true(batch.count < ROWS_MOST);
        batch.want[batch.count] = verdict[0];
        batch.got[batch.count++] = '1';
        text_printf(&batch.source, "%s\n", instruction);
    }
    wrong += finish(&batch);
    gzclose(file);
    print_message("%u verdicts, %u differ\n", rows, wrong);
    assert_true(rows > 20000);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_equal_those_of_ptxas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

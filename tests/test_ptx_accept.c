/* The verdict on surface and atomic instructions equals that of ptxas, row by row of the accept tables: instruction,
 * tool/target/version, accepted 0/1, message. The tables lie beside the source tree (../shared/corpora/ptx); without
 * them a sample in data/accept is read. ATOLL_ACCEPT_DIR names another place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skip.h"
#include <zlib.h>

#include "base/text.h"
#include "isa/ptx/ast.h"

enum { COLUMNS = 8, SHOWN = 40 };

/* A table in memory: lines cut into columns. */
struct table {
    char *bytes;
    unsigned rows;
    char *(*cells)[COLUMNS];
};

static gzFile open_table(const char *name)
{
    const char *places[] = {getenv("ATOLL_ACCEPT_DIR"), SHARED_DIR "/ptx", DATA_DIR "/accept"};
    for (unsigned i = 0; i < 3; i++) {
        char path[1000];
        if (places[i] == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s.tsv.gz", places[i], name);
        gzFile file = gzopen(path, "rb");
        if (file != NULL)
            return file;
    }
    return NULL;
}

static char *read_all(gzFile file, size_t *size)
{
    struct text text = {0};
    char piece[1 << 16];
    for (int got; (got = gzread(file, piece, sizeof(piece))) > 0;)
        text_add(&text, piece, (size_t)got);
    gzclose(file);
    assert_true(text_ok(&text));
    *size = text.length;
    return text.bytes;
}

static void cut(char *line, char **cells)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        cells[i] = line;
        char *tab = line != NULL ? strchr(line, '\t') : NULL;
        if (tab != NULL)
            *tab = 0;
        line = tab != NULL ? tab + 1 : NULL;
    }
}

/* False when the table is nowhere. */
static bool read_table(const char *name, struct table *table)
{
    gzFile file = open_table(name);
    size_t size, lines = 0;
    if (file == NULL)
        return false;
    *table = (struct table){.bytes = read_all(file, &size)};
    for (size_t i = 0; i < size; i++)
        lines += table->bytes[i] == '\n';
    table->cells = calloc(lines + 1, sizeof(table->cells[0]));
    assert_non_null(table->cells);
    char *at = strchr(table->bytes, '\n'); /* the heading */
    while (at != NULL && at[1] != 0) {
        char *line = at + 1;
        at = strchr(line, '\n');
        if (at != NULL)
            *at = 0;
        cut(line, table->cells[table->rows++]);
    }
    return true;
}

static void free_table(struct table *table)
{
    free(table->bytes);
    free(table->cells);
}

/* ---- verdicts ---------------------------------------------------------------------------------------- */

/* Lines of a module with errors. */
struct verdicts {
    bool *wrong;
    char (*messages)[200];
    unsigned lines;
};

static void collect(void *user, const struct atoll_diagnostic *diagnostic)
{
    struct verdicts *verdicts = user;
    if (diagnostic->severity != ATOLL_ERROR || diagnostic->line >= verdicts->lines)
        return;
    if (!verdicts->wrong[diagnostic->line])
        snprintf(verdicts->messages[diagnostic->line], sizeof(verdicts->messages[0]), "%s", diagnostic->message);
    verdicts->wrong[diagnostic->line] = true;
    assert_null(strchr(diagnostic->message, '\n'));
}

/* Errors by line (from 1) of a module; line 0 holds errors without a place. */
static struct verdicts judge(const char *source, size_t size)
{
    struct verdicts verdicts = {.lines = 2};
    for (size_t i = 0; i < size; i++)
        verdicts.lines += source[i] == '\n';
    verdicts.wrong = calloc(verdicts.lines, sizeof(bool));
    verdicts.messages = calloc(verdicts.lines, sizeof(verdicts.messages[0]));
    assert_true(verdicts.wrong != NULL && verdicts.messages != NULL);
    struct atoll_module_options options = {.diagnose = collect, .user = &verdicts};
    struct diag diag = {.source = source, .size = size, .options = &options};
    struct arena arena = {0};
    struct ptx_module *module = NULL;
    assert_true(ptx_parse(&arena, &diag, &module));
    ptx_check(module, &diag);
    arena_free(&arena);
    return verdicts;
}

static void free_verdicts(struct verdicts *verdicts)
{
    free(verdicts->wrong);
    free(verdicts->messages);
}

/* "ptxas13.0/sm_75/ptx9.0" -> "sm_75" and "9.0" */
static void target_of(const char *tool, char target[16], char version[16])
{
    assert_int_equal(sscanf(tool, "%*[^/]/%15[^/]/ptx%15s", target, version), 2);
}

static const char surface_registers[] =
    ".reg .b16 %h<8>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .f64 %fd<10>; .reg .b32 %x<8>; ";
static const char operand_registers[] =
    ".reg .b8 %c<8>; .reg .u32 %u<8>; .reg .s32 %s<8>; .reg .u16 %us<8>; .reg .s16 %ss<8>; .reg .u8 %uc<8>; "
    ".reg .u64 %ud<8>; .reg .s64 %sd<8>; .reg .pred %p<3>; .reg .v2 .b32 %v2_<4>; .reg .v4 .b32 %v4_<4>; "
    ".reg .v2 .u32 %w2_<4>; .reg .v4 .f32 %vf4_<4>; .reg .v4 .b8 %vb4_<4>; .reg .v2 .b64 %vd2_<2>; .reg .f16 %hf<4>; "
    ".reg .f16x2 %hx<4>; ";
static const char atom_registers[] =
    ".reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>; ";

struct context {
    const char *globals;
    const char *registers[3]; /* the second and third may be NULL */
    const char *body;
    bool b128; /* with %q on sm_75 and later */
};

/* Lines of the module before the first row. */
static const unsigned heading_lines = 8;

static void heading(struct text *out, const struct context *context, const char *target, const char *version)
{
    text_printf(out, ".version %s\n.target %s\n.address_size 64\n%s\n", version, target, context->globals);
    text_printf(out, ".visible .entry k(.param .u64 p) {\n");
    for (unsigned i = 0; i < 3 && context->registers[i] != NULL; i++)
        text_puts(out, context->registers[i]);
    text_printf(out, "\n%s\n", context->b128 && atoi(target + 3) >= 75 ? ".reg .b128 %q<10>;" : "");
    text_printf(out, "ld.param.u64 %%rd9,[p]; %s\n", context->body);
}

static void show(unsigned *wrong, const char *row, bool expected, const char *ours, const char *theirs)
{
    if ((*wrong)++ < SHOWN)
        fprintf(stderr, "%s %s\n    ours: %s\n    ptxas: %s\n", expected ? "refused " : "accepted", row, ours, theirs);
}

/* All rows of a table as lines of one module. */
static void check_table(const char *name, const struct context *context)
{
    struct table table;
    if (!read_table(name, &table) || table.rows == 0) {
        skip_because("no table %s", name);
        return;
    }
    struct text source = {0};
    char target[16], version[16];
    target_of(table.cells[0][1], target, version);
    heading(&source, context, target, version);
    for (unsigned i = 0; i < table.rows; i++)
        text_printf(&source, "%s\n", table.cells[i][0]);
    text_puts(&source, "ret; }\n");
    assert_true(text_ok(&source));
    struct verdicts verdicts = judge(source.bytes, source.length);
    unsigned wrong = 0;
    for (unsigned i = 0; i <= heading_lines; i++)
        if (verdicts.wrong[i])
            fail_msg("line %u: %s", i, verdicts.messages[i]);
    for (unsigned i = 0; i < table.rows; i++) {
        unsigned line = heading_lines + 1 + i;
        bool accepted = table.cells[i][2][0] == '1';
        if (accepted == verdicts.wrong[line])
            show(&wrong, table.cells[i][0], accepted, verdicts.messages[line], table.cells[i][3]);
    }
    fprintf(stderr, "%s: %u of %u rows agree\n", name, table.rows - wrong, table.rows);
    free_verdicts(&verdicts);
    text_free(&source);
    free_table(&table);
    assert_int_equal(wrong, 0);
}

static const struct context surface_context = {
    .globals = ".global .surfref S;", .registers = {surface_registers}, .body = "", .b128 = true};
static const struct context operand_context = {
    .globals = ".global .surfref S; .global .surfref SA[4]; .global .texref T; .global .b32 G[4];",
    .registers = {surface_registers, operand_registers},
    .body = "",
    .b128 = true};
static const struct context atom_context = {
    .globals = ".global .align 32 .b8 G[64];",
    .registers = {atom_registers, ".reg .pred %p<2>; .shared .align 32 .b8 SH[64]; .local .align 16 .b8 LO[32]; "},
    .body = "mov.u64 %rd8,SH; mov.u32 %r19,SH;",
    .b128 = true};

static void surf_core_sm_50(void **state)
{
    (void)state;
    check_table("accept_surf_core_sm_50", &surface_context);
}

static void surf_core_sm_75(void **state)
{
    (void)state;
    check_table("accept_surf_core_sm_75", &surface_context);
}

static void surf_core_sm_90(void **state)
{
    (void)state;
    check_table("accept_surf_core_sm_90", &surface_context);
}

static void surf_operands(void **state)
{
    (void)state;
    check_table("accept_surf_operands_sm_75", &operand_context);
}

static void atom_sm_50(void **state)
{
    (void)state;
    check_table("accept_atom_sm_50", &atom_context);
}

static void atom_sm_70(void **state)
{
    (void)state;
    check_table("accept_atom_sm_70", &atom_context);
}

static void atom_sm_75(void **state)
{
    (void)state;
    check_table("accept_atom_sm_75", &atom_context);
}

static void atom_sm_90(void **state)
{
    (void)state;
    check_table("accept_atom_sm_90", &atom_context);
}

static void atom_sm_100(void **state)
{
    (void)state;
    check_table("accept_atom_sm_100", &atom_context);
}

static void red_async(void **state)
{
    (void)state;
    check_table("accept_redasync_sm_90", &atom_context);
}

/* ---- modules of their own ------------------------------------------------------------------------------ */

static bool module_accepted(const struct text *source, char *message, size_t size)
{
    assert_true(text_ok(source));
    struct verdicts verdicts = judge(source->bytes, source->length);
    bool accepted = true;
    message[0] = 0;
    for (unsigned i = 0; i < verdicts.lines; i++)
        if (verdicts.wrong[i] && accepted) {
            snprintf(message, size, "%s", verdicts.messages[i]);
            accepted = false;
        }
    free_verdicts(&verdicts);
    return accepted;
}

/* globals, params, body, target option, ptxas/target, accepted, message */
static void declarations(void **state)
{
    (void)state;
    struct table table;
    if (!read_table("accept_decl", &table)) {
        skip_because("no table accept_decl");
        return;
    }
    unsigned wrong = 0;
    for (unsigned i = 0; i < table.rows; i++) {
        char **cells = table.cells[i], message[200];
        const char *target = strchr(cells[4], '/') + 1;
        struct text source = {0};
        text_printf(&source, ".version %s\n.target %s%s%s\n.address_size 64\n%s\n",
                    strncmp(cells[4], "11.8", 4) ? "9.0" : "7.8", target, cells[3][0] != 0 ? ", " : "", cells[3],
                    cells[0]);
        text_printf(&source, ".visible .entry k(%s) {\n%s\n%s\nret; }\n", cells[2 - 1], surface_registers, cells[2]);
        bool accepted = cells[5][0] == '1';
        if (module_accepted(&source, message, sizeof(message)) != accepted)
            show(&wrong, source.bytes, accepted, message, cells[6]);
        text_free(&source);
    }
    fprintf(stderr, "accept_decl: %u of %u rows agree\n", table.rows - wrong, table.rows);
    free_table(&table);
    assert_int_equal(wrong, 0);
}

/* Releases of PTX, oldest first. */
static const char *const releases[] = {"3.1", "3.2", "4.0", "4.1", "4.2", "4.3", "5.0", "6.0", "6.1", "6.2", "6.3",
                                       "6.4", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8",
                                       "8.0", "8.1", "8.2", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8", "9.0"};

static bool gate_accepted(char **cells, const char *version, char *message, size_t size)
{
    struct text source = {0};
    bool wide = strstr(cells[0], "%q") != NULL;
    text_printf(&source, ".version %s\n.target %s\n.address_size 64\n.global .surfref S;\n", version, cells[1]);
    text_printf(&source, ".visible .entry k(.param .u64 p) {\n%s%s\n%s\nret; }\n", atom_registers,
                wide ? ".reg .b128 %q<10>;" : "", cells[0]);
    bool accepted = module_accepted(&source, message, size);
    text_free(&source);
    return accepted;
}

/* instruction, target, lowest version accepted or None, message just below it (empty: the target itself is too new) */
static void version_gates(void **state)
{
    (void)state;
    struct table table;
    if (!read_table("accept_version_gates", &table)) {
        skip_because("no table accept_version_gates");
        return;
    }
    unsigned wrong = 0;
    for (unsigned i = 0; i < table.rows; i++) {
        char **cells = table.cells[i], message[200];
        unsigned at = 0, count = sizeof(releases) / sizeof(releases[0]);
        while (at < count && strcmp(releases[at], cells[2]) != 0)
            at++;
        if (at < count && !gate_accepted(cells, releases[at], message, sizeof(message)))
            show(&wrong, cells[0], true, message, cells[2]);
        bool below = at > 0 && strcmp(cells[2], "3.1") != 0;
        if (below && gate_accepted(cells, releases[at - 1], message, sizeof(message)))
            show(&wrong, cells[0], false, releases[at - 1], cells[3]);
    }
    fprintf(stderr, "accept_version_gates: %u rows, %u disagree\n", table.rows, wrong);
    free_table(&table);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surf_core_sm_50), cmocka_unit_test(surf_core_sm_75), cmocka_unit_test(surf_core_sm_90),
        cmocka_unit_test(surf_operands),   cmocka_unit_test(atom_sm_50),      cmocka_unit_test(atom_sm_70),
        cmocka_unit_test(atom_sm_75),      cmocka_unit_test(atom_sm_90),      cmocka_unit_test(atom_sm_100),
        cmocka_unit_test(red_async),       cmocka_unit_test(declarations),    cmocka_unit_test(version_gates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

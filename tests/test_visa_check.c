/* The verifier of vISA: each message; recorded verdicts of Intel's tool; and, where the tool is installed, its verdicts
 * on random instructions. Run with ATOLL_VISA_SHOW=N to see N breaks a table, ATOLL_VISA_RANDOM=N for N random texts,
 * ATOLL_VISA_SEED for others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "given.h"
#include "isa/visa/check.h"
#include "isa/visa/parse.h"
#include "isa/visa/rows.h"
#include "skip.h"
#include "visa_tables.h"

/* ---- messages --------------------------------------------------------------------------------------------- */

#define HEAD ".version 4.1\n.kernel \"k\"\n"
#define DECLARED                                             \
    HEAD ".decl V v_type=G type=ud num_elts=16 align=GRF\n"  \
         ".decl I v_type=G type=d num_elts=16 align=GRF\n"   \
         ".decl F v_type=G type=f num_elts=16 align=GRF\n"   \
         ".decl H v_type=G type=hf num_elts=16 align=GRF\n"  \
         ".decl D v_type=G type=df num_elts=16 align=GRF\n"  \
         ".decl Q v_type=G type=uq num_elts=16 align=GRF\n"  \
         ".decl W v_type=G type=uw num_elts=16 align=GRF\n"  \
         ".decl B v_type=G type=ub num_elts=32 align=GRF\n"  \
         ".decl BF v_type=G type=bf num_elts=16 align=GRF\n" \
         ".decl A0 v_type=A num_elts=16\n"                   \
         ".decl P1 v_type=P num_elts=8\n"                    \
         ".decl S0 v_type=S num_elts=1\n"                    \
         ".decl T6 v_type=T num_elts=1\n"
enum { FIRST = 16 }; /* the line after DECLARED */

struct checked {
    char messages[4000];
    unsigned errors, warnings;
    bool read;
};

static void note(void *user, const struct atoll_diagnostic *d)
{
    struct checked *r = user;
    size_t used = strlen(r->messages);
    snprintf(r->messages + used, sizeof r->messages - used, "%s%s%u:%u-%u %s: %s", used ? "\n" : "",
             d->severity == ATOLL_WARNING ? "warning " : "", d->line, d->column, d->length, d->code, d->message);
}

static void check_text(struct checked *r, const char *text, size_t size, enum visa_platform platform, bool strict)
{
    struct arena arena = {0};
    struct visa_module module;
    struct atoll_module_options options = {.diagnose = note, .user = r, .max_errors = 100};
    struct diag diag = {.source = text, .size = size, .options = &options};
    *r = (struct checked){0};
    assert_true(visa_parse(&arena, &diag, &module));
    r->read = diag.errors == 0;
    if (diag.errors == 0)
        assert_true(visa_check(&module, platform, strict, &diag));
    r->errors = diag.errors;
    r->warnings = diag.warnings;
    arena_free(&arena);
}

/* A line after the declarations, and its messages without their line. */
static void says(const char *line, enum visa_platform platform, bool strict, const char *wanted)
{
    struct checked r;
    char text[8000], *out = text + sizeof text / 2;
    snprintf(text, sizeof text / 2, DECLARED "%s\n", line);
    check_text(&r, text, strlen(text), platform, strict);
    char place[16];
    snprintf(place, sizeof place, "%u:", FIRST);
    size_t length = 0;
    *out = 0;
    for (char *at = r.messages, *next; *at; at = next) {
        next = strstr(at, place);
        size_t before = next ? (size_t)(next - at) : strlen(at);
        memcpy(out + length, at, before);
        out[length += before] = 0;
        next = next ? next + strlen(place) : at + before;
    }
    assert_string_equal(out, wanted);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *line, *wanted;
        enum visa_platform platform;
        bool strict;
    } cases[] = {
        {"add (M1, 8) V(0,0)<1> I(0,0)<1;1,0> 0x1:ud", "", VISA_SKL, false},
        {"TYPED_ATOMIC.IMIN (8) T6 V.0 V.0 %null.0 %null.0 I.0 %null.0 I.0",
         "1-64 spelling: Intel's tool wants 'typed_atomic' in lower case, and minsint, maxsint for IMIN, IMAX",
         VISA_SKL, false},
        {"TYPED_ATOMIC.IMIN (8) T6 V.0 V.0 %null.0 %null.0 I.0 %null.0 I.0", "", VISA_PLATFORMS, true},
        {"typed_atomic.predec (M1, 8) T6 V.0 V.0 %null.0 %null.0 %null.0 %null.0 V.0",
         "1-74 spelling: this spelling of 'typed_atomic' is Atoll's: Intel's tool reads it from bytes only", VISA_SKL,
         false},

        {"rol (M1, 8) V(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>", "1-49 platform: 'rol' needs ICLLP or later, not SKL",
         VISA_SKL, false},
        {"rol (M1, 8) V(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>", "", VISA_TGLLP, false},
        {"rol (M1, 8) Q(0,0)<1> Q(0,0)<1;1,0> Q(0,0)<1;1,0>",
         "13-9 platform: TGLLP rotates no 64 bits\n23-13 platform: TGLLP rotates no 64 bits\n37-13 platform: TGLLP "
         "rotates no 64 bits",
         VISA_TGLLP, false},
        {"add (M8, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1:ud", "1-42 exec-mask: 8 channels from channel 28 on: there are 32",
         VISA_SKL, false},
        {"add (M2, 8) V(0,0)<1> V(0,0)<1;1,0> 0x1:ud",
         "warning 1-42 exec-group: 8 channels do not begin at M2: Intel's tool takes M1 and drops _NM", VISA_SKL,
         false},
        {"add (M1, 8) V(0,0)<0> V(0,0)<1;1,0> 0x1:ud", "13-9 region: a destination's stride is 1, 2 or 4, not 0",
         VISA_SKL, false},
        {"add (M1, 8) V(0,0)<1> V(0,0)<16;16,1> 0x1:ud", "23-15 region: width 16 is more than the 8 channels", VISA_SKL,
         false},
        {"add (M1, 8) V(0,0)<1> (~)V(0,0)<1;1,0> 0x1:ud",
         "23-16 modifier: (~) is of logic instructions, and 'add' is none", VISA_SKL, false},
        {"and (M1, 8) V(0,0)<1> (-)V(0,0)<1;1,0> 0x1:ud",
         "23-16 modifier: 'and' has no arithmetic modifiers: (-), (abs), (-abs), .sat", VISA_SKL, false},
        {"and (M1, 8) V(0,0)<1> F(0,0)<1;1,0> 0x1:ud", "23-13 operand-type: 'and' takes no f", VISA_SKL, false},
        {"add (M1, 8) V(0,0)<1> F(0,0)<1;1,0> 0x1:ud",
         "23-13 operand-type: a source of type f does not go with a destination of type ud", VISA_SKL, false},
        {"mul (M1, 8) V(0,0)<1> Q(0,0)<1;1,0> V(0,0)<1;1,0>", "23-13 operand-type: 'mul' takes no uq here", VISA_SKL,
         false},
        {"sin (M1, 8) D(0,0)<1> D(0,0)<1;1,0>",
         "13-9 operand-type: 'sin' writes no df\n23-13 operand-type: 'sin' has no double precision", VISA_SKL, false},
        {"frc.sat (M1, 8) F(0,0)<1> F(0,0)<1;1,0>", "17-9 saturation: 'frc' of f has no .sat", VISA_SKL, false},
        {"div.sat (M1, 8) V(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>", "17-9 saturation: 'div' of ud has no .sat", VISA_SKL,
         false},
        {"div (M1, 8) V(0,0)<1> V(0,0)<1;1,0> V(0,0)<1;1,0>", "1-49 platform: DG2 divides no integers", VISA_DG2,
         false},
        {"sqrtm (M1, 8) F(0,0)<1> F(0,0)<1;1,0>", "1-37 platform: DG2 has no 'sqrtm' of f", VISA_DG2, false},
        {"mov (M1, 8) BF(0,0)<1> F(0,0)<1;1,0>", "1-36 platform: SKL has no operands of type bf", VISA_SKL, false},
        {"add (M1, 8) BF(0,0)<1> H(0,0)<1;1,0> F(0,0)<1;1,0>",
         "24-13 operand-type: beside bf stand bf and f only, not hf", VISA_PVC, false},
        {"inv (M1, 8) BF(0,0)<1> BF(0,0)<1;1,0>", "1-37 operand-type: 'inv' takes no bf", VISA_PVC, false},
        {"sad2 (M1, 8) W(0,0)<1> B(0,0)<1;1,0> B(0,0)<1;1,0>", "1-50 platform: TGLLP has no 'sad2'", VISA_TGLLP, false},
        {"sad2 (M1, 8) W(0,0)<1> B(0,0)<1;1,0> 0x123:w", "38-7 operand-type: 'sad2' takes no w here", VISA_SKL, false},
        {"mov (M1, 8) V(0,0)<1> P1", "", VISA_SKL, false},
        {"mov (M1, 1) F(0,0)<1> P1", "13-9 operand-type: mov of a predicate wants an integer of at most 32 bits, not f",
         VISA_SKL, false},
        {"(P1) and (M1, 8) P1 P1 P1",
         "warning 6-3 dropped: the predicate of this form is dropped, as Intel's tool does", VISA_SKL, false},
        {"mov (M1, 8) %r0(0,0)<1> V(0,0)<1;1,0>", "13-11 read-only: '%r0' is not to be written", VISA_SKL, false},
        {"mov (M1, 8) V(0,0)<1> 0x1:bool", "23-8 immediate-type: a number has no type bool", VISA_SKL, false},
        {"addr_add (M1, 1) A0(0)<1> &%r0 0x10:uw", "27-4 operand-kind: what is predefined has no address", VISA_SKL,
         false},
        {"addr_add (M1, 1) A0(0)<1> &V 0x10:ud", "30-7 operand-type: addr_add adds a b, ub, w or uw, not ud", VISA_SKL,
         false},
        {"srnd (M1, 8) H(0,0)<1> F(0,0)<1;1,0> W(0,0)<1;1,0>", "1-50 needs-no-mask: srnd wants a mask with _NM",
         VISA_PVC, false},
        {"fcvt (M1, 8) B(0,0)<1> F(0,0)<1;1,0>",
         "1-36 operand-type: fcvt converts hf to ub, ub to hf, f to ud or ud to f, not f to ub\n1-36 needs-no-mask: "
         "fcvt to ub wants a mask with _NM",
         VISA_PVC, false},
        {"goto (M1, 8) nowhere", "14-7 undefined-label: label 'nowhere' is jumped to but stands nowhere", VISA_SKL,
         false},
        {"a:\na:", "17:1-1 label-twice: label 'a' stands twice", VISA_SKL, false},
        {"switchjmp (M1, 1) V(0,0)<0;1,0> (a, a)\na:", "1-38 platform: TGLLP has no 'switchjmp'", VISA_TGLLP, false},
        {"oword_ld (4) %slm 0x0:ud V.0", "1-28 surface: 'oword_ld' does not go to %slm", VISA_SKL, false},
        {"oword_ld (4) %slm 0x0:ud V.0", "", VISA_ICLLP, false},
        {"media_ld.nomod (64,8) T6 0 0x0:ud 0x0:ud V.0",
         "1-44 block-size: a block of 64 x 8: wanted at most 4 rows of 64 bytes, and 256 bytes", VISA_SKL, false},
        {"gather4_typed.R (M1, 8) %scratch V.0 V.0 %null.0 %null.0 V.0",
         "1-60 surface: 'gather4_typed' does not go to %scratch", VISA_SKL, false},
        {"dword_atomic.add (M1, 8) T6 V.0 F.0 V.0 V.0",
         "33-3 operand-type: 'F' has type f, which 'dword_atomic' does not take here\n37-3 operand-null: this "
         "operation has no second source: wanted %null.0",
         VISA_SKL, false},
        {"dword_atomic.inc (M1, 8) T6 V.0 V.0 %null.0 V.0",
         "33-3 operand-null: this operation has no sources: wanted %null.0", VISA_SKL, false},
        {"typed_atomic.add (M1, 8) T6 V.4 V.0 %null.0 %null.0 V.0 %null.0 V.0",
         "29-3 raw-offset: a raw operand at byte 4 of its variable: wanted a multiple of 32", VISA_SKL, false},
        {"typed_atomic.fmax.16 (M1, 16) T6 V.0 V.0 %null.0 %null.0 V.0 %null.0 V.0",
         "warning 1-72 atomic-float: typed atomics have no floats on any machine: Intel's tool makes this "
         "'and'\nwarning 1-72 atomic-half: SKL has no 16-bit typed atomics: they came with TGLLP\nwarning 1-72 "
         "atomic-width: a typed atomic has at most 8 channels: of 16, Intel's tool gets one register back",
         VISA_SKL, false},
        {"typed_atomic.add (M2, 8) T6 %null.0 F.0 %null.0 %null.0 %null.0 V.0 V.0",
         "1-71 page-mask: 8 channels begin at a multiple of 8, not at 4\n29-7 page-operand: every surface has u: "
         "wanted a variable, not %null\n37-3 operand-type: 'F' has type f, which 'typed_atomic' does not take "
         "here\n57-7 page-operand: this operation has src0: wanted a variable, not %null\n65-3 page-operand: this "
         "operation has no src1: wanted %null.0",
         VISA_SKL, true},
        {"typed_atomic.minsint (M1, 8) T6 V.0 V.0 %null.0 %null.0 I.0 %null.0 I.0", "", VISA_SKL, true},
        {"typed_atomic.fadd (M1, 4) T6 V.0 V.0 %null.0 %null.0 V.0 %null.0 V.0",
         "warning 1-68 atomic-float: typed atomics have no floats on any machine: Intel's tool makes this 'xchg'\n1-68 "
         "page-operation: typed_atomic has no operation 19\n1-68 page-width: typed_atomic has 8 channels, not 4",
         VISA_SKL, true},
        {"sample_l.cps.R (M1, 4) 0x0:uw S0 T6 V.0 V.0",
         "1-43 exec-size: .cps has 8 or 16 channels, not 4\n1-43 sampler-option: 'sample_l' has no .cps", VISA_SKL,
         false},
        {"raw_send (M1, 8) 0x5 16 1 0x2110000:ud V.0 V.0", "1-46 message-size: 16 registers are sent: wanted 1 to 15",
         VISA_SKL, false},
        {"raw_send (M1, 8) 0x5 1 0 0x2110000:ud V.0 V.0",
         "26-12 message-size: the descriptor sends 1 and gets 1 registers, the instruction 1 and 0", VISA_SKL, false},
        {"lsc_load.ugm (M1, 8) V:d32 flat[V]:a32", "1-38 platform: 'lsc_load' needs DG2 or later, not SKL", VISA_SKL,
         false},
        {"lsc_load.ugm.wb.wb (M1, 8) V:d32 flat[V]:a32",
         "1-44 lsc-cache: these cache options do not go with 'lsc_load'", VISA_DG2, false},
        {"lsc_load.ugm (M1, 8) V:d32x8t flat[V]:a32", "1-41 exec-size: what is transposed has 1 channel, not 8",
         VISA_DG2, false},
        {"lsc_load.ugm (M1, 8) V:d8x2 flat[V]:a16",
         "1-39 lsc-shape: only d32 and d64 come as vectors\n1-39 lsc-address: :a16 is of .slm", VISA_DG2, false},
        {"lsc_store_quad.ugm (M1, 8) flat[V]:a32 V:d32.y",
         "1-46 lsc-shape: lsc_store_quad stores .x, .xy, .xyz or .xyzw", VISA_DG2, false},
        {"lsc_atomic_iadd.ugm (M1, 8) V:d32 flat[3*V]:a32 V V",
         "1-51 lsc-address: scale 3: wanted a power of two\n51-1 operand-null: 'lsc_atomic_iadd' has no src2: wanted "
         "%null",
         VISA_DG2, false},
        {"lsc_load.slm (M1, 8) V:d32 bti(1)[V]:a64",
         "1-40 lsc-address: .tgm and .slm have no :a64\n1-40 lsc-address: .slm has flat addresses only", VISA_DG2,
         false},
        {"lsc_fence.slm.evict.gpu", "1-23 lsc-fence: a fence of .slm is .none.group", VISA_DG2, false},
        {"dpas.s8.s8.8.8 (M1, 8) V.0 V.0 V.0 V(0,0)", "1-41 exec-size: 'dpas' has 16 channels on PVC, not 8", VISA_PVC,
         false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        says(cases[i].line, cases[i].platform, cases[i].strict, cases[i].wanted);
}

/* ---- recorded verdicts ------------------------------------------------------------------------------------ */

struct count {
    unsigned rows, same, shown;
};

static void show(struct count *count, const char *name, const char *wanted, const char *got)
{
    if (count->shown++ < given("ATOLL_VISA_SHOW", 3, 0))
        print_message("  %s: %s | %s\n", name, wanted, got);
}

/* Rows on which the tool crashed or hung need a verdict only. */
static void compare(struct count *count, char **column, bool taken, const char *messages)
{
    bool accept = strcmp(column[2], "accept") == 0, reject = strcmp(column[2], "reject") == 0;
    bool same = accept ? taken : reject ? !taken : true;
    count->rows++;
    count->same += same;
    if (same)
        return;
    char name[200];
    snprintf(name, sizeof name, "%.150s (%.20s)", column[0], column[1]);
    show(count, name, *column[3] ? column[3] : column[2], taken ? "taken" : messages);
}

static void report(const char *name, const struct count *c)
{
    print_message("%-14s %5u of %5u verdicts (%.2f %%)\n", name, c->same, c->rows,
                  c->rows ? 100.0 * c->same / c->rows : 100.0);
    assert_int_equal(c->same, c->rows);
}

static void table_test(const char *name)
{
    static char line[TABLE_LINE];
    char *column[TABLE_COLUMNS], path[64];
    struct count count = {0};
    snprintf(path, sizeof path, "%s.tsv.gz", name);
    gzFile file = table_open(path);
    if (!file)
        skip_because("no table of verdicts");
    gzgets(file, line, sizeof line);
    while (gzgets(file, line, sizeof line)) {
        struct checked r;
        if (table_split(line, column) != TABLE_COLUMNS || (!*column[6] && *column[7]))
            continue;
        enum visa_platform platform = visa_platform_find(column[1]);
        assert_true(platform < VISA_PLATFORMS);
        check_text(&r, column[6], table_unescape(column[6]), platform, false);
        compare(&count, column, r.read && r.errors == 0, r.messages);
    }
    gzclose(file);
    report(name, &count);
}

static void test_typed_atomic(void **state)
{
    (void)state;
    table_test("typed_atomic");
}

static void test_other_insts(void **state)
{
    (void)state;
    table_test("other_insts");
}

/* Files that text cannot say. */
static bool check_bytes(const uint8_t *isa, size_t size, enum visa_platform platform, struct checked *r)
{
    struct arena arena = {0};
    struct visa_module module;
    struct atoll_error error = {0};
    struct atoll_module_options options = {.diagnose = note, .user = r, .max_errors = 100};
    struct diag diag = {.source = "", .options = &options};
    *r = (struct checked){0};
    bool ok = visa_read(&arena, isa, size, &module, &error);
    if (!ok)
        snprintf(r->messages, sizeof r->messages, "%.200s", error.message);
    else
        assert_true(visa_check(&module, platform, false, &diag));
    arena_free(&arena);
    return ok && diag.errors == 0;
}

static void test_binary_only(void **state)
{
    static char line[TABLE_LINE];
    static uint8_t isa[TABLE_LINE];
    char *column[TABLE_COLUMNS];
    struct count count = {0};
    (void)state;
    gzFile file = table_open("binary_only.tsv.gz");
    if (!file)
        skip_because("no table of verdicts");
    gzgets(file, line, sizeof line);
    while (gzgets(file, line, sizeof line)) {
        struct checked r;
        assert_int_equal(table_split(line, column), 7);
        /* The tool does not look at the mark of the file, which is all that tells it from others. */
        if (strcmp(column[0], "magic") == 0)
            continue;
        bool taken = check_bytes(isa, table_base64(column[6], isa), visa_platform_find(column[1]), &r);
        compare(&count, column, taken, r.messages);
    }
    gzclose(file);
    report("binary_only", &count);
}

/* ---- random instructions ---------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}
#define PICK(seed, list) (list)[draw(seed, sizeof(list) / sizeof *(list))]

static const char *const types[] = {"ud", "d", "uw", "w", "ub", "b", "f", "f", "hf", "df", "uq", "q", "bf"};
static const char *const ones[] = {"mov",  "not", "cbit",  "fbl",   "fbh", "bfrev", "lzd", "frc", "rndd", "rnde",
                                   "sqrt", "inv", "rsqrt", "sqrtm", "exp", "log",   "sin", "cos", "mov",  "mov"};
static const char *const twos[] = {"add",  "mul", "avg",  "div", "mod", "mulh", "pow", "and",
                                   "or",   "xor", "shl",  "shr", "asr", "rol",  "ror", "sel",
                                   "line", "dp4", "sad2", "min", "max", "cmp",  "divm"};
static const char *const threes[] = {"mad", "lrp", "bfe", "add3", "madw", "dp4a", "sad2add", "bfn.x6A"};
static const char *const masks[] = {"M1", "M1", "M1", "M1", "M1_NM", "M2", "M3", "M5", "M5_NM", "M7", "M8", "NoMask"};
static const char *const sizes[] = {"1", "2", "4", "8", "8", "16", "16", "32"};
static const char *const regions[] = {"1;1,0", "1;1,0", "0;1,0", "8;8,1", "16;16,1", "16;8,2", "4;4,1",
                                      "2;2,1", "4;1,0", "0;4,1", "1;2,0", "32;8,4",  "8;0,1"};
static const char *const modifiers[] = {"", "", "", "", "", "", "(-)", "(abs)", "(-abs)", "(~)"};
static const char *const numbers[] = {"0x5:ud",  "0x7f:w",        "0x1234:uw", "0x3c00:hf", "0x3f800000:f", "0x12:v",
                                      "0x12:uv", "0x30303030:vf", "0x11:ub",   "0x7:uq",    "1.5:df"};

static void add(char *text, const char *format, ...)
{
    va_list args;
    size_t used = strlen(text);
    va_start(args, format);
    vsnprintf(text + used, 4000 - used, format, args);
    va_end(args);
}

/* Words of templates. */
static const char *const raws[] = {"V32.0",  "V33.0",  "V34.0", "V35.0",   "V33.0",   "V34.0",
                                   "V32.32", "V33.64", "V34.4", "%null.0", "%null.0", "W.0"};
static const char *const surfaces[] = {"T6", "T6", "T6", "%slm", "%bss", "%scratch", "T1", "TSS"};
static const char *const atomics[] = {"add", "sub",     "inc",  "dec",    "min",  "max",    "xchg",       "cmpxchg",
                                      "and", "minsint", "fmax", "fcmpwr", "fadd", "add.16", "minsint.16", "inc.16"};
static const char *const channels[] = {"R", "RG", "RGBA", "A"};
static const char *const sfids[] = {"ugm", "ugm", "ugm", "ugml", "slm"};
static const char *const caches[] = {"", "", "", ".uc.uc", ".ca.ca", ".wb.wb", ".uc.wb", ".st.uc", ".ri.ca", ".df.df"};
static const char *const shapes[] = {"d32",     "d32",    "d32",    "d64",      "d8",    "d16",
                                     "d8c32",   "d16c32", "d32x2",  "d32x3",    "d32x8", "d32x16t",
                                     "d32x64t", "d64x4",  "d64x8t", "d16c32x2", "d32x4"};
static const char *const quads[] = {"d32.x", "d32.xy", "d32.xyz", "d32.xyzw", "d32.y", "d64.xw", "d16c32.x"};
static const char *const addresses[] = {"flat[%]:a32",   "flat[%]:a64",    "flat[%]:a64",
                                        "bti(1)[%]:a32", "ss(V35)[%]:a32", "flat[4*%+16]:a32",
                                        "flat[3*%]:a32", "flat[%]:a16",    "bss(0x10)[%]:a32"};
static const char *const values[] = {"V32(0,0)<0;1,0>", "0x10:ud", "V33(0,0)<0;1,0>", "0x10:uw", "V34(0,0)<1;1,0>"};
static const char *const extents[] = {"1", "2", "4", "5", "8", "16", "32", "33", "64"};
static const char *const aligns[] = {"", "", " align=GRF", " align=dword", " align=word", " align=byte", " align=2GRF"};

/* ~ and a letter: a word of that kind. */
static const char *const templates[] = {
    "gather4_typed.~C ~X ~T ~R ~R ~R ~R ~R",
    "scatter4_typed.~C ~X ~T ~R ~R ~R ~R ~R",
    "typed_atomic.~O ~X ~T ~R ~R ~R ~R ~R ~R ~R",
    "dword_atomic.~O ~X ~T ~R ~R ~R ~R",
    "gather4_scaled.~C ~X ~T ~V ~R ~R",
    "scatter4_scaled.~C ~X ~T ~V ~R ~R",
    "gather_scaled.1 ~X ~T ~V ~R ~R",
    "oword_ld (4) ~T ~V ~R",
    "oword_st (2) ~T ~V ~R",
    "oword_ld_unaligned (1) ~T ~V ~R",
    "media_ld.nomod (~E,~E) ~T 0 ~V ~V ~R",
    "media_st.nomod (~E,~E) ~T 0 ~V ~V ~R",
    "svm_block_ld (4) ~V ~R",
    "svm_gather.4.1 ~X ~R ~R",
    "svm_atomic.~O ~X ~R ~R ~R ~R",
    "sample_3d.~C ~X 0x0:uw S0 ~T ~R ~R ~R",
    "sample_lz.cps.~C ~X 0x0:uw S0 ~T ~R ~R ~R",
    "sample_b.cps.~C ~X 0x0:uw S0 ~T ~R ~R ~R",
    "load_3d.~C ~X 0x0:uw ~T ~R ~R ~R",
    "resinfo.~C ~X ~T ~R ~R",
    "lsc_load.~F~H ~X V32:~S ~A",
    "lsc_load.~F~H ~X V32:~S ~A",
    "lsc_store.~F~H ~X ~A V32:~S",
    "lsc_load_quad.~F~H ~X V32:~Q ~A",
    "lsc_store_quad.~F~H ~X ~A V32:~Q",
    "lsc_atomic_iadd.~F~H ~X V32:~S ~A V33 V34",
    "lsc_atomic_icas.~F~H ~X V32:~S ~A V33 V34",
    "lsc_atomic_iinc.~F~H ~X V32:~S ~A %null %null",
    "lsc_atomic_fadd.~F~H ~X V32:~S ~A V33 %null",
    "lsc_load_quad.tgm~H ~X V32:~Q bti(1)[V33,V34]:a32",
    "setp ~X P1 ~V",
    "mov ~X ~W P1",
    "mov ~X ~W ~V",
    "addc ~X ~W ~W ~V ~V",
    "movs ~X T6(0) ~V",
    "addr_add ~X A0(0)<1> &V32 ~V",
    "and ~X ~W P1 ~V",
    "and ~X P1 P1 P2",
    "fcvt ~X ~W ~V",
    "srnd ~X ~W ~V ~V",
    "raw_send ~X 0x5 1 1 0x2110000:ud ~R ~R",
    "raw_send ~X 0x5 1 1 ~V ~R ~R",
    "dpas.s8.s8.8.8 ~X ~R ~R ~R V33(0,0)",
    "switchjmp ~X ~V (a, a)\na:",
    "goto ~X a\na:",
    "goto ~X b\na:",
    "qw_gather.1 ~X ~T ~R ~R",
    "wait ~V",
    "nbarrier.signal ~V ~V",
    "lsc_fence.~F.none.group",
    "lsc_fence.~F.evict.gpu",
};

/* A place for an address is % in the word; it is V33 here. */
static void add_address(char *text, const char *word)
{
    for (; *word; word++)
        if (*word == '%')
            add(text, "V33");
        else
            add(text, "%c", *word);
}

static void add_word(char *text, uint64_t *seed, char kind)
{
    switch (kind) {
    case 'R':
        add(text, "%s", PICK(seed, raws));
        break;
    case 'T':
        add(text, "%s", PICK(seed, surfaces));
        break;
    case 'O':
        add(text, "%s", PICK(seed, atomics));
        break;
    case 'C':
        add(text, "%s", PICK(seed, channels));
        break;
    case 'F':
        add(text, "%s", PICK(seed, sfids));
        break;
    case 'H':
        add(text, "%s", PICK(seed, caches));
        break;
    case 'S':
        add(text, "%s", PICK(seed, shapes));
        break;
    case 'Q':
        add(text, "%s", PICK(seed, quads));
        break;
    case 'A':
        add_address(text, PICK(seed, addresses));
        break;
    case 'V':
        add(text, "%s", PICK(seed, values));
        break;
    case 'E':
        add(text, "%s", PICK(seed, extents));
        break;
    case 'W':
        add(text, "V%u(0,0)<1>", 32 + draw(seed, 4));
        break;
    case 'X':
        add(text, "(%s, %s)", PICK(seed, masks), PICK(seed, sizes));
        break;
    }
}

/* Variables of one type or of several, and what else templates name. */
static void declare(char *text, uint64_t *seed)
{
    static const char *const some[] = {"ud", "ud", "ud", "d", "f", "uw", "ub", "hf"};
    const char *same = draw(seed, 2) ? PICK(seed, some) : NULL;
    add(text, HEAD);
    for (unsigned i = 0; i < 4; i++)
        add(text, ".decl V%u v_type=G type=%s num_elts=128 align=GRF\n", 32 + i, same ? same : PICK(seed, some));
    add(text, ".decl W v_type=G type=ud num_elts=8 alias=<V32, %u>\n", 16 * draw(seed, 3));
    add(text, ".decl A0 v_type=A num_elts=4\n.decl P1 v_type=P num_elts=32\n.decl P2 v_type=P num_elts=32\n"
              ".decl S0 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1\n");
}

static void random_message(char *text, uint64_t *seed)
{
    declare(text, seed);
    for (const char *at = PICK(seed, templates); *at; at++)
        if (*at == '~')
            add_word(text, seed, *++at);
        else
            add(text, "%c", *at);
    add(text, "\nret (M1, 1)\n");
}

static void random_declarations(char *text, uint64_t *seed)
{
    static const unsigned elements[] = {1, 2, 4, 8, 8, 16, 64, 3};
    static const unsigned offsets[] = {0, 4, 16, 28, 32, 32, 64, 96, 8000};
    unsigned count = 2 + draw(seed, 3);
    add(text, HEAD);
    for (unsigned i = 0; i < count; i++) {
        add(text, ".decl V%u v_type=G type=%s num_elts=%u%s", 32 + i, PICK(seed, types), PICK(seed, elements),
            PICK(seed, aligns));
        if (i && draw(seed, 3) == 0)
            add(text, " alias=<V%u, %u>", 32 + draw(seed, i), PICK(seed, elements));
        add(text, "\n");
    }
    if (draw(seed, 4) == 0)
        add(text, ".decl P1 v_type=P num_elts=%u\n", PICK(seed, elements));
    for (unsigned i = 0; i < count; i++)
        if (draw(seed, 3) == 0) {
            add(text, ".input V%u offset=%u", 32 + i, PICK(seed, offsets));
            add(text, draw(seed, 3) ? "\n" : " size=%u\n", 4 * PICK(seed, elements));
        }
    add(text, "ret (M1, 1)\n");
}

static void add_source(char *text, uint64_t *seed, unsigned variable)
{
    static const char *const legal[] = {"1;1,0", "1;1,0", "0;1,0", "2;1,0"};
    const char *region = draw(seed, 3) ? PICK(seed, legal) : PICK(seed, regions);
    const char *modifier = draw(seed, 3) ? "" : PICK(seed, modifiers);
    if (draw(seed, 6) == 0)
        add(text, " %s", PICK(seed, numbers));
    else
        add(text, " %sV%u(%u,0)<%s>", modifier, variable, draw(seed, 2), region);
}

/* Most texts have one type for all. */
static void random_alu(char *text, uint64_t *seed)
{
    static const char *const strides[] = {"1", "1", "1", "1", "2", "4", "0"};
    const char *same = draw(seed, 4) ? PICK(seed, types) : NULL;
    unsigned sources = 1 + draw(seed, 3);
    const char *name = sources == 1 ? PICK(seed, ones) : sources == 2 ? PICK(seed, twos) : PICK(seed, threes);
    add(text, HEAD);
    for (unsigned i = 0; i < 4; i++)
        add(text, ".decl V%u v_type=G type=%s num_elts=128 align=GRF\n", 32 + i, same ? same : PICK(seed, types));
    add(text, ".decl P1 v_type=P num_elts=32\n");
    bool compares = strcmp(name, "cmp") == 0, extreme = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
    if (draw(seed, 6) == 0 && !compares && !extreme)
        add(text, "(P1) ");
    add(text, "%s%s%s (%s, %s)", name, compares ? ".lt" : "", !compares && draw(seed, 8) == 0 ? ".sat" : "",
        PICK(seed, masks), PICK(seed, sizes));
    add(text, compares && draw(seed, 2) ? " P1" : " V32(0,0)<%s>", PICK(seed, strides));
    for (unsigned i = 0; i < sources; i++)
        add_source(text, seed, 33 + i);
    add(text, "\nret (M1, 1)\n");
}

static void random_text(char *text, uint64_t *seed)
{
    *text = 0;
    unsigned kind = draw(seed, 8);
    if (kind < 4)
        random_alu(text, seed);
    else if (kind < 7)
        random_message(text, seed);
    else
        random_declarations(text, seed);
}

/* What the tool says of a text: 1 yes, 0 no, -1 it crashed or hung. */
static int ask(const char *directory, const char *text, enum visa_platform platform)
{
    char path[300], command[900];
    snprintf(path, sizeof path, "%s/a.visaasm", directory);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command,
             "cd %s && rm -f *.errors.txt && timeout 5 GenX_IR a.visaasm -platform %s -output -binary >o 2>&1; rc=$?; "
             "[ $rc -ge 124 ] && exit 3; [ $rc -eq 0 ] || exit 1; ls *.errors.txt >o2 2>&1 && exit 1; exit 0",
             directory, visa_platforms[platform].name);
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0 ? 1 : WEXITSTATUS(status) == 1 ? 0 : -1;
}

static void test_random(void **state)
{
    (void)state;
    if (system("command -v GenX_IR >/dev/null 2>&1") != 0)
        skip_because("GenX_IR is not installed (libigc-tools)");
    char directory[] = "/tmp/atoll-visa-XXXXXX", text[4000], command[100];
    assert_non_null(mkdtemp(directory));
    uint64_t texts = given("ATOLL_VISA_RANDOM", 500, 1), seed = given("ATOLL_VISA_SEED", 1, 0);
    struct count count = {0};
    unsigned taken = 0;
    for (uint64_t i = 0; i < texts; i++) {
        struct checked r;
        enum visa_platform platform = (enum visa_platform)draw(&seed, VISA_PLATFORMS);
        random_text(text, &seed);
        int wanted = ask(directory, text, platform);
        if (wanted < 0)
            continue;
        check_text(&r, text, strlen(text), platform, false);
        bool same = (wanted == 1) == (r.errors == 0);
        count.rows++;
        count.same += same;
        taken += wanted == 1;
        if (!same)
            show(&count, visa_platforms[platform].name, wanted ? r.messages : "refused", text);
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0);
    print_message("random: the tool takes %u of them\n", taken);
    report("random", &count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),    cmocka_unit_test(test_typed_atomic), cmocka_unit_test(test_other_insts),
        cmocka_unit_test(test_binary_only), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The reader of vISA's text: what becomes of words, numbers, operands, declarations; each mistake's place and message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/visa/parse.h"
#include "isa/visa/rows.h"

#define HEAD ".version 4.1\n.kernel \"k\"\n"
#define DECLARED                                           \
    HEAD ".decl V v_type=G type=ud num_elts=8 align=GRF\n" \
         ".decl F v_type=G type=f num_elts=8 align=GRF\n"  \
         ".decl A0 v_type=A num_elts=4\n"                  \
         ".decl P1 v_type=P num_elts=8\n"                  \
         ".decl P2 v_type=P num_elts=8\n"                  \
         ".decl S0 v_type=S num_elts=1\n"                  \
         ".decl T6 v_type=T num_elts=1\n"
enum { FIRST = 10 }; /* the line after DECLARED */

/* A text that was read, with its messages. */
struct read {
    struct arena arena;
    struct visa_module module;
    struct diag diag;
    struct atoll_module_options options;
    char messages[4000];
    bool codes;
};

static void note(void *user, const struct atoll_diagnostic *d)
{
    struct read *r = user;
    size_t used = strlen(r->messages);
    snprintf(r->messages + used, sizeof r->messages - used, "%s%s%u:%u-%u %s: %s", used ? "\n" : "",
             d->severity == ATOLL_WARNING ? "warning " : "", d->line, d->column, d->length, d->code, d->message);
}

static void read_text(struct read *r, const char *text)
{
    *r = (struct read){0};
    r->options.diagnose = note;
    r->options.user = r;
    r->diag = (struct diag){.source = text, .size = strlen(text), .options = &r->options};
    assert_true(visa_parse(&r->arena, &r->diag, &r->module));
}

static void read_end(struct read *r)
{
    arena_free(&r->arena);
}

/* One line after the declarations. */
static void read_line(struct read *r, const char *line, char **text)
{
    *text = malloc(strlen(DECLARED) + strlen(line) + 2);
    assert_non_null(*text);
    sprintf(*text, "%s%s\n", DECLARED, line);
    read_text(r, *text);
}

static const struct visa_inst *last_inst(const struct read *r)
{
    if (r->diag.errors)
        print_message("%s\n", r->messages);
    assert_int_equal(r->diag.errors, 0);
    const struct visa_object *o = &r->module.kernels[r->module.nkernels - 1];
    return &o->insts[o->ninsts - 1];
}

/* The bytes of an instruction as they stand at the end of a file. */
static void inst_bytes(const char *line, char *hex, size_t size)
{
    struct read r;
    char *text;
    struct text with = {0}, without = {0};
    struct atoll_error error = {0};
    read_line(&r, line, &text);
    last_inst(&r);
    assert_true(visa_write(&r.module, &with, &error));
    r.module.kernels[0].ninsts--;
    assert_true(visa_write(&r.module, &without, &error));
    size_t length = with.length - without.length;
    hex[0] = 0;
    for (size_t i = 0; i < length; i++)
        snprintf(hex + 2 * i, size - 2 * i, "%02x", (uint8_t)with.bytes[without.length + i]);
    text_free(&with);
    text_free(&without);
    read_end(&r);
    free(text);
}

/* ---- bytes ------------------------------------------------------------------------------------------------ */

/* docs/visa.md, "Operands in bytes" */
static void test_bytes(void **state)
{
    static const struct {
        const char *text, *bytes;
    } cases[] = {
        {"(!P1.any) typed_atomic.add (M3, 8) T6 V.0 F.0 %null.0 %null.0 V.0 %null.0 F.0",
         "73002301a00620000000000021000000000000000000000000000000000020000000000000000000000021000000"
         "0000"},
        {"ret (M1, 1)", "34000000"},
        {"mov (M1, 8) V(0,0)<1> 0x3:ud", "29030000002000000000000002050003000000"},
        {"mov.sat (M5_NM, 16) V(1,2)<2> (-abs)F(0,0)<8;8,1>", "29c40000202000000001020003182100000000005502"},
        {"mov (M1, 1) A0(1)<2> &V[36]", "290000000100000101002000000001012101"},
        {"(P2) jmp (M1, 8) x", "320002000000"},
        {"cmp.lt (M1, 8) P1 V(0,0)<0;1,0> -1:d", "2c03040201000020000000000021010501ffffffff"},
        {"movs (M1_NM, 1) T6(0) 0x1:ud", "2d80060006000005"
                                         "0001000000"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char hex[400];
        inst_bytes(cases[i].text, hex, sizeof hex);
        assert_string_equal(hex, cases[i].bytes);
    }
}

static void test_whole_file(void **state)
{
    static const char text[] = ".version 4.1\n.kernel \"k\"\n"
                               ".decl U v_type=G type=ud num_elts=8 align=GRF\n"
                               ".decl V v_type=G type=ud num_elts=8 align=GRF\n"
                               ".decl X v_type=G type=ud num_elts=8 align=GRF\n"
                               ".decl D v_type=G type=ud num_elts=8 align=GRF\n"
                               ".decl T6 v_type=T num_elts=1\n"
                               ".kernel_attr Target=\"3d\"\n"
                               "movs (M1_NM, 1) T6(0) 0x1:ud\n"
                               "typed_atomic.add.16 (M1, 8) T6 U.0 V.0 %null.0 %null.0 X.0 %null.0 D.0\n"
                               "ret (M1, 1)\n";
    static char wanted[4096];
    struct read r;
    struct text bytes = {0};
    struct atoll_error error = {0};
    struct visa_module from;
    (void)state;
    FILE *file = fopen(DATA_DIR "/visa/typed_atomic.isa", "rb");
    assert_non_null(file);
    size_t size = fread(wanted, 1, sizeof wanted, file);
    fclose(file);
    read_text(&r, text);
    assert_string_equal(r.messages, "");
    assert_true(visa_write(&r.module, &bytes, &error));
    /* the file has machine code after the kernel, which is not written */
    struct arena arena = {0};
    struct text plain = {0};
    assert_true(visa_read(&arena, wanted, size, &from, &error));
    assert_true(visa_write(&from, &plain, &error));
    assert_int_equal(bytes.length, plain.length);
    assert_memory_equal(bytes.bytes, plain.bytes, plain.length);
    arena_free(&arena);
    text_free(&plain);
    text_free(&bytes);
    read_end(&r);
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        unsigned value;
    } cases[] = {
        {"077", 77},         {"0x1F", 31},
        {"2+3*4", 14},       {"(2+3)*4", 20},
        {"7 % 4", 3},        {"7/2", 3},
        {"-1+3", 2},         {"~0 + 2", 1},
        {"!5", 0},           {"!!5", 1},
        {"1<<4", 16},        {"1<<2+2", 16},
        {"256>>4", 16},      {"(-1)>>>60", 15},
        {"-16>>2+8 & 1", 1}, {"3|4^5&6", 2},
        {"1?2:3", 2},        {"0?2:1?4:5", 4},
        {"2<3", 1},          {"3<=2", 0},
        {"2==2", 1},         {"2!=2", 0},
        {"%sizeof V", 32},   {"%sizeof(A0)", 8},
        {"%sizeof GRF", 32}, {"99999999999 & 0xFFFF", 0xE7FF},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[120], *text;
        struct read r;
        snprintf(line, sizeof line, ".decl X v_type=G type=ud num_elts=%s", cases[i].text);
        read_line(&r, line, &text);
        if (*r.messages)
            print_message("%s: %s\n", cases[i].text, r.messages);
        assert_string_equal(r.messages, "");
        assert_int_equal(r.module.kernels[0].vars[VISA_G][2].elements, cases[i].value);
        read_end(&r);
        free(text);
    }
}

static void test_immediates(void **state)
{
    static const struct {
        const char *text;
        unsigned type;
        uint64_t value;
    } cases[] = {
        {"-1:uw", VISA_UW, 0xFFFFFFFF},
        {"300:ub", VISA_UB, 300},
        {"0xffffffffff:ud", VISA_UD, 0xFFFFFFFF},
        {"0xffffffffff:uq", VISA_UQ, 0xFFFFFFFFFF},
        {"-2:q", VISA_Q, 0xFFFFFFFFFFFFFFFE},
        {"(1+2):d", VISA_D, 3},
        {"~0:d", VISA_D, 0xFFFFFFFF},
        {"0x76543210:v", VISA_V, 0x76543210},
        {"0x30:vf", VISA_VF, 0x30},
        {"0x12:uv", VISA_UV, 0x12},
        {"0x3c00:hf", VISA_HF, 0x3C00},
        {"1.5:f", VISA_F, 0x3FC00000},
        {"-1.5:f", VISA_F, 0xBFC00000},
        {"1e+3:f", VISA_F, 0x447A0000},
        {"0.1:f", VISA_F, 0x3DCCCCCD},
        {"1:f", VISA_F, 1},
        {"0x3f800000:F", VISA_F, 0x3F800000},
        {"-0x3f800000:f", VISA_F, 0xBF800000},
        {"2.0:df", VISA_DF, 0x4000000000000000},
        {"0x7ff0000000000000:df", VISA_DF, 0x7FF0000000000000},
        {"1:DF", VISA_DF, 1},
        {"5:BOOL", VISA_BOOL, 5},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[120], *text;
        struct read r;
        snprintf(line, sizeof line, "mov (M1, 8) V<1> %s", cases[i].text);
        read_line(&r, line, &text);
        const struct visa_operand *op = &last_inst(&r)->ops[1];
        assert_int_equal(op->class, VISA_IMMEDIATE);
        assert_int_equal(op->type, cases[i].type);
        assert_true(op->value == cases[i].value);
        assert_int_equal(op->length, strlen(cases[i].text));
        read_end(&r);
        free(text);
    }
}

/* ---- declarations ----------------------------------------------------------------------------------------- */

static void test_declarations(void **state)
{
    struct read r;
    (void)state;
    read_text(&r, "/* a comment */\n\n" HEAD ".decl V33 v_type=G type = UQ num_elts = 2 align=2GRF\n"
                  ".decl V32 v_type=G type=w num_elts=0x10 align=64 alias=<V33, 2*2> attrs={Output, Scope=3}\n"
                  ".decl R v_type=G type=ud num_elts=1 alias=<%r0,4>\n"
                  ".decl S v_type=T num_elts=1 v_name=X\n"
                  ".input V33 offset=32 size=16\n.input V32 offset=64\n.parameter V33 size=16\n"
                  ".implicit_UNDEFINED_7 V32 offset=96 size=32\n.implicit_LOCAL_SIZE V32 size=32\n"
                  ".input S offset=4 size=4\n"
                  ".kernel_attr SimdSize=8\n.kernel_attr OutputAsmPath=\"a\\x41\\101\\n\"\n"
                  ".decl N v_type=G type=d num_elts=%DispatchSimd\n.funcdecl \"f\"\nret (M1, 1)");
    assert_string_equal(r.messages, "");
    const struct visa_object *o = &r.module.kernels[0];
    assert_int_equal(o->nvars[VISA_G], 4);
    const struct visa_var *v = o->vars[VISA_G];
    assert_string_equal(visa_name(o, VISA_G, 32), "V33");
    assert_true(v[0].type == VISA_UQ && v[0].elements == 2 && v[0].align == 6 && !v[0].alias);
    assert_true(v[1].type == VISA_W && v[1].elements == 16 && v[1].align == 8 && v[1].alias == 32);
    assert_int_equal(v[1].alias_bytes, 4);
    assert_int_equal(v[1].nattributes, 2);
    assert_int_equal(v[1].attributes[0].size, 0);
    assert_int_equal(visa_attribute_value(&v[1].attributes[1]), 3);
    assert_true(v[2].alias == VISA_R0 && v[2].alias_bytes == 4 && v[2].align == 0);
    assert_int_equal(v[3].elements, 8);
    assert_int_equal(o->ninputs, 6);
    static const struct visa_input inputs[] = {{0, 32, 32, 16},      {0, 33, 64, 32},     {0, 32, 0, 16},
                                               {7 << 3, 33, 96, 32}, {5 << 3, 33, 0, 32}, {2, 6, 4, 4}};
    for (unsigned i = 0; i < 6; i++)
        assert_memory_equal(&o->inputs[i], &inputs[i], sizeof inputs[i]);
    assert_int_equal(o->nattributes, 3);
    assert_int_equal(visa_attribute_value(&o->attributes[0]), 8);
    assert_int_equal(o->attributes[1].size, 4);
    assert_memory_equal(o->attributes[1].value, "aAA\n", 4);
    assert_true(o->target_implied);
    /* strings: the kernel's name, predefined ones, then as they came */
    static const char *const last[] = {"S31", "V33",      "V32",           "Output", "Scope", "R",
                                       "S",   "SimdSize", "OutputAsmPath", "N",      "Target"};
    assert_string_equal(o->strings[0], "k");
    assert_string_equal(o->strings[1], "%null");
    assert_string_equal(o->strings[21], "%msg0");
    for (unsigned i = 0; i < sizeof last / sizeof *last; i++)
        assert_string_equal(o->strings[28 + i], last[i]);
    assert_int_equal(o->nstrings, 39);
    read_end(&r);
}

/* Braces hide names until they close; numbers go on. */
static void test_scopes(void **state)
{
    struct read r;
    (void)state;
    read_text(&r, DECLARED "{\n.decl V v_type=G type=d num_elts=8\n{mov (M1, 8) V<1> 1:d}\n}\nmov (M1, 8) V<1> 2:d\n");
    assert_string_equal(r.messages, "");
    const struct visa_object *o = &r.module.kernels[0];
    assert_int_equal(o->nvars[VISA_G], 3);
    assert_int_equal(o->insts[0].ops[0].id, 34);
    assert_int_equal(o->insts[1].ops[0].id, 32);
    assert_int_equal(o->insts[1].line, FIRST + 4);
    read_end(&r);
}

/* Each kernel has names, strings and attributes of its own. */
static void test_kernels(void **state)
{
    struct read r;
    (void)state;
    read_text(&r, HEAD ".decl V v_type=G type=d num_elts=1\n.kernel_attr SLMSize=4\nret (M1, 1)\n"
                       ".kernel \"j k\"\n.kernel_attr Target=\"cm\"\n.kernel_attr SLMSize=5\n.kernel_attr SimdSize=8\n"
                       ".global_function f\n.decl V v_type=A num_elts=1\nfret (M1, 1)\n");
    assert_string_equal(r.messages, "");
    assert_int_equal(r.module.nkernels, 2);
    assert_int_equal(r.module.nfunctions, 1);
    const struct visa_object *k = r.module.kernels, *f = r.module.functions;
    assert_string_equal(k[1].name, "j k");
    assert_true(k[0].target_implied && !k[1].target_implied && f->target_implied && f->function);
    assert_int_equal(k[0].nattributes, 2);
    assert_int_equal(k[1].nattributes, 3);
    assert_int_equal(visa_attribute_value(visa_attribute(&k[1], k[1].attributes, 3, "SLMSize")), 5);
    assert_int_equal(visa_attribute_value(visa_attribute(&k[1], k[1].attributes, 3, "Target")), 0);
    assert_int_equal(f->nvars[VISA_A], 1);
    read_end(&r);
}

/* Labels, functions: names of their own; what a call names is a subroutine, and its label says nothing more. */
static void test_labels(void **state)
{
    struct read r;
    (void)state;
    read_text(&r, DECLARED "goto (M1, 8) \"a-1\"\na-1:\ncall (M1, 8) f\nfccall (M1, 8) g\nret (M1, 8)\n"
                           ".function \"f\"\nf:\nf1:\nswitchjmp (M1, 1) 0:ud (f1,, f1 V)\nV:\n");
    assert_string_equal(r.messages, "");
    const struct visa_object *o = &r.module.kernels[0];
    static const uint8_t kinds[] = {VISA_LABEL_BLOCK, VISA_LABEL_SUBROUTINE, VISA_LABEL_FC, VISA_LABEL_BLOCK,
                                    VISA_LABEL_BLOCK};
    assert_int_equal(o->nvars[VISA_L], 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(o->vars[VISA_L][i].kind, kinds[i]);
    assert_string_equal(visa_name(o, VISA_L, 0), "a-1");
    assert_int_equal(o->ninsts, 9);
    assert_ptr_equal(o->insts[5].row, &visa_rows[VISA_ROW_subroutine]);
    assert_int_equal(o->insts[5].ops[0].id, 1);
    assert_ptr_equal(o->insts[6].row, &visa_rows[VISA_ROW_label]);
    const struct visa_operand *list = &o->insts[7].ops[1];
    assert_int_equal(list->value, 3);
    assert_int_equal(list->list[2].id, 4);
    read_end(&r);
}

/* ---- places ----------------------------------------------------------------------------------------------- */

static void test_places(void **state)
{
    static const char line[] = "  (P1) add (M1, 8) V(0,0)<1> \\\n  V(0,0)<1;1,0> -1:d // end";
    struct read r;
    char *text;
    (void)state;
    read_line(&r, line, &text);
    const struct visa_inst *inst = last_inst(&r);
    const char *begin = text + strlen(DECLARED);
    assert_ptr_equal(text + inst->pos, begin + 2);
    assert_int_equal(inst->length, strstr(begin, " // end") - begin - 2);
    assert_int_equal(inst->line, FIRST);
    assert_ptr_equal(text + inst->ops[0].pos, strstr(begin, "V(0"));
    assert_int_equal(inst->ops[0].length, 9);
    assert_ptr_equal(text + inst->ops[2].pos, strstr(begin, "-1:d"));
    assert_int_equal(inst->ops[2].length, 4);
    read_end(&r);
    free(text);
}

/* ---- words of the documentation and of Atoll -------------------------------------------------------------- */

static void test_spellings(void **state)
{
    static const struct {
        const char *text;
        unsigned spelling, op;
    } cases[] = {
        {"typed_atomic.minsint (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_TOOL, 11},
        {"TYPED_ATOMIC.IMIN (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_PAGE, 11},
        {"TYPED_ATOMIC.IMAX.16 (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_PAGE, 12 + 32},
        {"(P1) TYPED_ATOMIC.PREDEC (M1, 8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_PAGE, 13},
        {"TYPED_ATOMIC.ADD (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_PAGE, 0},
        {"TYPED_ATOMIC.FCMPWR (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_PAGE, 18},
        {"typed_atomic.imin (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_PAGE, 11},
        {"typed_atomic.predec (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_OWN, 13},
        {"typed_atomic.op14.16 (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_OWN, 14 + 32},
        {"typed_atomic.op31.width3 (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_OWN, 31 + 96},
        {"typed_atomic.add.64 (8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", VISA_SPELLED_OWN, 64},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;
        char *text;
        read_line(&r, cases[i].text, &text);
        const struct visa_inst *inst = last_inst(&r);
        assert_int_equal(inst->spelling, cases[i].spelling);
        assert_int_equal(inst->ops[0].value, cases[i].op);
        assert_int_equal(inst->ops[1].class, VISA_SURFACE);
        read_end(&r);
        free(text);
    }
}

/* A line of its own: names are numbers. */
static void test_line(void **state)
{
    static const char text[] = "(P2) TYPED_ATOMIC.IMIN (8) T7 V32.0 V40.0 V0.0 V0.0 X.0 V0.0 V33.0";
    struct arena arena = {0};
    struct diag diag = {.source = text, .size = strlen(text)};
    struct visa_object o;
    (void)state;
    assert_true(visa_parse_line(&arena, &diag, &o));
    assert_int_equal(diag.errors, 0);
    assert_int_equal(o.ninsts, 1);
    const struct visa_operand *ops = o.insts[0].ops;
    assert_int_equal(o.insts[0].predicate, 2);
    assert_int_equal(ops[1].id, 7);
    assert_int_equal(ops[2].id, 32);
    assert_int_equal(ops[3].id, 40);
    assert_int_equal(ops[4].id, 0);
    assert_int_equal(ops[6].id, 41);
    assert_int_equal(ops[8].id, 33);
    assert_string_equal(visa_name(&o, VISA_G, 39), "V39");
    assert_string_equal(visa_name(&o, VISA_G, 41), "X");
    arena_free(&arena);
}

/* ---- mistakes --------------------------------------------------------------------------------------------- */

/* A line after the declarations and what is said about it; lines and columns count from the line itself. */
static const struct {
    const char *line, *message;
} mistakes[] = {
    {"foo (M1, 8) V<1> V(0,0)<1;1,0>", "1:1-3 unknown-opcode: 'foo' is no instruction"},
    {"typed_atomc (M1, 8) V<1> V(0,0)<1;1,0>",
     "1:1-11 unknown-opcode: 'typed_atomc' is no instruction (did you mean 'typed_atomic'?)"},
    {"mov (M1, 8) X<1> 1:d", "1:13-1 undefined: 'X' is not declared"},
    {"mov (M1, 8) T6<1> 1:d", "1:13-2 wrong-kind: 'T6' is no general variable"},
    {"mov (M1, 3) V<1> 1:d", "1:10-1 exec-size: an execution size of 3: 1, 2, 4, 8, 16 or 32"},
    {"mov (M9, 8) V<1> 1:d", "1:6-2 exec-mask: 'M9' is no mask: M1 to M8, M1_NM to M8_NM or NoMask"},
    {"mov (M1 8) V<1> 1:d", "1:9-1 syntax: wanted ',', not '8'"},
    {"mov V<1> 1:d", "1:5-1 syntax: wanted '(', not 'V'"},
    {"mov (M1, 8) V<3> 1:d", "1:15-1 region: a horizontal stride of 3: 0, 1, 2, 4"},
    {"mov (M1, 8) V<1> V(0,0)<1;3,0>", "1:27-1 region: a width of 3: 0, 1, 2, 4, 8 or 16"},
    {"mov (M1, 8) V<1> V(0,0)<3;1,0>", "1:25-1 region: a vertical stride of 3: 0, 1, 2, 4, 8, 16 or 32"},
    {"mov (M1, 8) V<1> V(0,0)<1>", "1:26-1 syntax: wanted ';' of a region <v;w,h>, not '>'"},
    {"mov (M1, 8) V<1> V(0)<1;1,0>", "1:18-1 wrong-kind: 'V' is no address variable"},
    {"mov (M1, 8) V<1> 0x3", "1:21-1 syntax: wanted ':' with the type of an integer, not the end"},
    {"mov (M1, 8) V<1> 1.0f:f", "1:19-1 syntax: wanted ':' with the type of an integer, not '.0f'"},
    {"mov (M1, 8) V<1> 5:hf", "1:19-3 syntax: wanted ':' with the type of an integer, not ':'"},
    {"mov (M1, 8) V<1> 0x3c000:hf", "1:18-7 range: a half float of more than 16 bits"},
    {"mov (M1, 8) V<1> 0x10000000000000000:uq", "1:18-1 syntax: a hexadecimal number of more than 16 digits"},
    {"mov (M1, 8) V<1> (1/0):d", "1:21-1 number: a division by 0"},
    {"mov (M1, 8) V<1> 1:d;", "1:21-1 syntax: wanted the end of the line, not ';'"},
    {"mov (M1, 8) V<1> 1:d\r", "1:21-1 syntax: wanted the end of the line, not the end"},
    {"add (M1, 8) V<1> V(0,0)<1;1,0>", "1:31-1 syntax: wanted a source: V32(0,0) with a region or r[A0(0),0] with a "
                                       "region and a type or an immediate, not "
                                       "the end"},
    {"add (M1, 8) V<1> &V 1:d", "1:18-1 syntax: wanted a source: V32(0,0) with a region or r[A0(0),0] with a region "
                                "and a type or an immediate, not "
                                "'&V'"},
    {"not.sat (M1, 8) V<1> 3:ud", "1:1-3 saturation: 'not' does not saturate"},
    {"(P1) barrier", "1:1-5 syntax: a predicate before 'barrier', which takes none"},
    {"(P3) ret (M1, 1)", "1:2-2 undefined: 'P3' is not declared"},
    {"(V) ret (M1, 1)", "1:2-1 wrong-kind: 'V' is no predicate"},
    {"cmp.EQ (M1, 8) P1 1:d 1:d", "1:4-3 syntax: relations are written in lower case"},
    {"cmp (M1, 8) P1 1:d 1:d", "1:5-1 syntax: wanted a relation: .eq, .ne, .gt, .ge, .lt or .le, not '('"},
    {"typed_atomic.add (M1, 8) T5 V.0 V.0 V.0 V.0 V.0 V.0 V.0", "1:26-2 undefined: 'T5' is not declared"},
    {"typed_atomic.add (M1, 8) V V.0 V.0 V.0 V.0 V.0 V.0 V.0", "1:26-1 wrong-kind: 'V' is no surface"},
    {"typed_atomic.umin (M1, 8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0",
     "1:13-1 syntax: wanted an operation: .add, .sub, .inc, .dec, .min, .max, .xchg, .cmpxchg, .and, .or, .xor, "
     ".minsint, "
     ".maxsint, .fmax, .fmin, .fcmpwr, .fadd or .fsub, not '.umin'"},
    {"typed_atomic.add.8 (M1, 8) T6 V.0 V.0 V.0 V.0 V.0 V.0 V.0", "1:18-1 syntax: wanted 16 bits, not '8'"},
    {"typed_atomic.add (M1, 8) T6 V.0 V.0",
     "1:36-1 syntax: wanted a variable with its offset, V32.0, or %null.0, not the end"},
    {"typed_atomic.add (M1, 8) T6 V V.0", "1:31-1 syntax: wanted '.', not 'V'"},
    {"typed_atomic.add (M1, 8) T6 %null.4", "1:35-1 range: %null has the offset 0 only"},
    {"typed_atomic.add (M1, 8) T6 V.-1", "1:31-1 syntax: wanted an offset in bytes, or '(', not '-1'"},
    {"typed_atomic.add (M1, 8) T6 V.70000", "1:31-5 range: offset 70000: 0 to 65535"},
    {"sample4.RG (M1, 8) 0x0:uw S0 T6 V.0 V.0", "1:8-3 syntax: several channels: one of .R, .G, .B and .A"},
    {"gather.4 (M1, 4) T6 0:ud V.0 V.0", "1:10-7 exec-size: an execution size of 4: 1, 8 or 16"},
    {"media_ld (8,8) T6 0:d 0:d V.0",
     "1:10-1 syntax: wanted a mode: .nomod, .modified, .top, .bottom, .top_mod or .bottom_mod, not '('"},
    {"lsc_load.ugm (M1, 16) V:d32 flat[V]",
     "1:36-1 syntax: wanted the address' size: ':a16', ':a32' or ':a64', not the end"},
    {"lsc_load_quad.tgm (M1, 8) V:d32.x flat[V]:a32",
     "1:35-4 syntax: wanted bti, ss or bss with a surface, not 'flat'"},
    {".decl V v_type=G type=ud num_elts=8", "1:7-1 redeclared: 'V' is declared already"},
    {".decl T1 v_type=T num_elts=1", "1:7-2 redeclared: 'T1' is predefined"},
    {".decl add v_type=T num_elts=1", "1:7-3 syntax: wanted a variable's name, not 'add'"},
    {".decl X v_type=G num_elts=8", "1:18-9 syntax: wanted 'type=' with a type, not 'num_elts'"},
    {".decl X v_type=G type=ud num_elts=8 align=3",
     "1:43-1 range: an alignment of 3 bytes: 1, 2, 4, 8, 16, 32, 64 or 128"},
    {".decl X v_type=G type=ud num_elts=8 align=none",
     "1:43-4 syntax: wanted an alignment: byte, word, dword, qword, oword, GRF, GRFx2, hword, wordx32 or wordx64, not "
     "'none'"},
    {".decl X v_type=G type=ud num_elts=8 alias=<ZZ,0>", "1:44-2 undefined: 'ZZ' is not declared"},
    {".decl X v_type=G type=ud num_elts=8 attrs={Foo}", "1:44-3 attribute: 'Foo' is no attribute"},
    {".decl X v_type=G type=ud num_elts=70000", "1:35-5 range: num_elts 70000: 0 to 65535"},
    {".kernel_attr Target=\"gl\"", "1:14-6 attribute: Target: wanted \"cm\" or \"3d\""},
    {".input A0 offset=4", "1:8-2 wrong-kind: 'A0' is no general variable, sampler or surface"},
    {".input T6 offset=4", "1:19-1 syntax: wanted 'size=', not the end"},
    {".version 4.1", "1:1-8 syntax: a second '.version'"},
    {"\"x\\q\"", "1:1-5 syntax: wanted an instruction, not '\"'"},
    {"FILE \"x\\q\"", "1:8-1 syntax: an escape that there is not"},
    {"FILE \"x", "1:6-1 syntax: a string without its closing quote"},
    {"}", "1:1-1 syntax: wanted an instruction, not '}'"},
    {"{", "1:1-1 syntax: a brace that is not closed"},
    {"/* x", "1:1-1 syntax: a comment without its end"},
    /* what Intel's tool takes and drops */
    {"(P1) min (M1, 8) V<1> 1:d 2:d",
     "warning 1:6-3 dropped: the predicate of this form is dropped, as Intel's tool does"},
    {"mov (M1, 8) V(300,0)<1> 1:d", "warning 1:15-3 range: row 300 does not fit a byte: it is taken as 44"},
    {".kernel_attr Foo=3", "warning 1:14-3 attribute: 'Foo': no attribute that Intel's tool knows; it is left out"},
    {"typed_atomic.add (M1, 8) S0 V.0 V.0 V.0 V.0 V.0 V.0 V.0",
     "warning 1:26-2 wrong-kind: 'S0' is no surface: its number, 0, is taken for one"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct read r;
        char *text, wanted[600], *number = strchr(mistakes[i].message, ':');
        read_line(&r, mistakes[i].line, &text);
        bool warning = strncmp(mistakes[i].message, "warning ", 8) == 0;
        snprintf(wanted, sizeof wanted, "%s%d%s", warning ? "warning " : "", FIRST, number);
        assert_string_equal(r.messages, wanted);
        assert_int_equal(r.diag.errors, !warning);
        read_end(&r);
        free(text);
    }
}

static void test_files(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "1:1-0 syntax: wanted '.version' with the version's number first, '.version 4.1', not the end"},
        {".kernel k\n",
         "1:1-7 syntax: wanted '.version' with the version's number first, '.version 4.1', not '.kernel'"},
        {".version 4\n.kernel k\nret (M1, 1)\n", "1:11-1 syntax: wanted '.', not the end"},
        {".version 4.1\n", "2:1-0 syntax: no '.kernel' in the text"},
        {".version 4.1\nret (M1, 1)\n", "2:1-3 syntax: wanted '.kernel' with a kernel's name first, not 'ret'"},
        {".version 4.1\n{\n.kernel k\n}\n", "2:1-1 syntax: wanted '.kernel' with a kernel's name first, not '{'\n4:1-1 "
                                            "syntax: wanted an instruction, not '}'"},
        {".version 4.1 .kernel k\nret (M1, 1)", ""},
        {".version 999.255\n.kernel k",
         "warning 1:10-7 range: a version's numbers have 8 bits: it is taken as 231.255"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;
        read_text(&r, cases[i].text);
        assert_string_equal(r.messages, cases[i].message);
        read_end(&r);
    }
}

/* Every line's first mistake, in one run. */
static void test_all_mistakes(void **state)
{
    struct read r;
    (void)state;
    read_text(&r, DECLARED "foo\nmov (M1, 8) V<1> 1:d\nmov (M1, 8) X<1> Y(0,0)<1;1,0>\nbar\n");
    assert_int_equal(r.diag.errors, 3);
    assert_int_equal(r.module.kernels[0].ninsts, 1);
    assert_string_equal(r.messages, "10:1-3 unknown-opcode: 'foo' is no instruction\n"
                                    "12:13-1 undefined: 'X' is not declared\n"
                                    "13:1-3 unknown-opcode: 'bar' is no instruction");
    read_end(&r);
}

/* ---- hostile texts ---------------------------------------------------------------------------------------- */

static void repeated(const char *head, const char *part, unsigned times, const char *tail, const char *message)
{
    size_t length = strlen(part);
    char *text = malloc(strlen(head) + times * length + strlen(tail) + 1), *at = text + strlen(head);
    struct read r;
    assert_non_null(text);
    strcpy(text, head);
    for (unsigned i = 0; i < times; i++, at += length)
        memcpy(at, part, length);
    strcpy(at, tail);
    read_text(&r, text);
    if (message)
        assert_non_null(strstr(r.messages, message));
    else
        assert_string_equal(r.messages, "");
    read_end(&r);
    free(text);
}

static void test_hostile(void **state)
{
    (void)state;
    repeated(DECLARED "mov (M1, 8) V<1> ", "(", 100000, "1:d", "nested deeper than 200");
    repeated(DECLARED "mov (M1, 8) V<1> ", "-", 100000, "1:d", "nested deeper than 200");
    repeated(DECLARED "mov (M1, 8) V<1> (", "1?1:", 100000, "1):d", "nested deeper than 200");
    repeated(DECLARED "mov (M1, 8) V<1> (", "1+", 100000, "1):d", NULL);
    repeated(DECLARED, "{", 100000, "", "more than 4096 braces");
    repeated(DECLARED, "{\n", 4096, "", "a brace that is not closed");
    repeated(DECLARED "mov (M1, 8) V<1> ", "9", 100000, ":d", NULL);
    repeated(DECLARED "mov (M1, 8) V<1> 0x", "9", 100000, ":d", "more than 16 digits");
    repeated(DECLARED "mov (M1, 8) V<1> 1.", "9", 100000, ":f", NULL);
    repeated(DECLARED "FILE \"", "x", 100000, "\"", "a string of more than 4095 bytes");
    repeated(DECLARED, "\n", 300000, " \\\n\nret (M1, 1)\n", NULL);
    repeated(DECLARED, " \n", 300000, "ret (M1, 1)\n", NULL);
    repeated(DECLARED, "x", 300000, ":\n", NULL);
    repeated(DECLARED "sample_3d.R (M1, 8) 0x0:uw S0 T6 V.0 ", "V.0 ", 100000, "\n", "more than 16 operands");
    repeated(DECLARED "{.decl A v_type=G type=d num_elts=1\n", "{.decl A v_type=G type=d num_elts=1\n}\n", 100000, "}",
             NULL);
    repeated(DECLARED, "ret (M1, 1)\n", 100000, "", NULL);
    repeated(".version 4.1\n", ".kernel k\n", 70000, "", "more than 65535 kernels");
}

/* Memory that ends at every place. */
static void test_no_memory(void **state)
{
    static const char text[] = DECLARED "a-1:\nswitchjmp (M1, 1) 0:ud (x y)\n{\n.decl V v_type=G type=d num_elts=1\n}\n"
                                        "FILE \"x\"\nmov (M1, 8) F<1> 1.5:f\nsample_3d.R (M1, 8) 0:uw S0 T6 V.0 V.0\n";
    bool ok = false;
    (void)state;
    for (size_t limit = 1; !ok; limit += 64) {
        struct arena arena = {.limit = limit};
        struct visa_module module;
        struct diag diag = {.source = text, .size = strlen(text)};
        ok = visa_parse(&arena, &diag, &module);
        assert_int_equal(diag.errors, 0);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),      cmocka_unit_test(test_whole_file),   cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_immediates), cmocka_unit_test(test_declarations), cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_labels),     cmocka_unit_test(test_kernels),      cmocka_unit_test(test_places),
        cmocka_unit_test(test_spellings),  cmocka_unit_test(test_line),         cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_files),      cmocka_unit_test(test_all_mistakes), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

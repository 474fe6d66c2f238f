/* The text of CTM: what is written reads back, for lines that people write, for words that drivers make and for noise.
 */
#include "base/text.h"
#include "isa/ctm/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void comes_back(const struct ctm_inst *inst)
{
    char out[ISA_TEXT];
    struct ctm_inst read;
    struct atoll_error error = {0};
    size_t length = ctm_print_inst(inst, out);
    if (length >= ISA_TEXT - 1 || !ctm_parse_inst(out, length, &read, &error))
        fail_msg("'%s': %u: %s", out, error.column, error.message);
    if (memcmp(&read, inst, sizeof read) != 0)
        fail_msg("'%s' is not what was printed", out);
}

static void noise_comes_back(void **state)
{
    uint64_t seed = 0x2545f4914f6cdd1d;
    (void)state;
    for (unsigned i = 0; i < 120000; i++) {
        struct ctm_inst inst;
        for (unsigned w = 0; w < CTM_WORDS; w++) {
            inst.word[w] = (uint32_t)(next(&seed) >> 20);
            for (unsigned sparse = i % 3; sparse; sparse--)
                inst.word[w] &= (uint32_t)(next(&seed) >> 20);
        }
        ctm_set(&inst, CTM_TYPE, i & 3);
        comes_back(&inst);
    }
}

/* Lines as they are printed, and their words. */
static const struct {
    const char *text;
    uint32_t word[CTM_WORDS];
} lines[] = {
    {"r4 = TEXLD(s0, r1)", {0x00007803, 0x00400000, 0xe404e401}},
    {"r6 = TEXLD(s2, r3) wait acquire", {0x00007807, 0x02420000, 0xe406e403}},
    {"r1 = r1 + 1", {0x00007800, 0x08020001, 0x08020001, 0x00db0220, 0x00c0c010, 0x306d8010}},
    {"r0.rgb = r1 * c2 - r3.bgr | r0.a = rcp(r1.a)",
     {0x00007800, 0x00340801, 0x08020001, 0x00442220, 0x0000c00a, 0x0082a000}},
    {"r0 = r1 * c0 + r2", {0x00007800, 0x00240001, 0x00240001, 0x00442220, 0x0068c000, 0x1c222000}},
    {"out0 = r0 wait last", {0x00078105, 0x08020000, 0x08020000, 0x1c440220, 0x1c60c003, 0x00000005}},
    {"r0 = dp3(r1, c3)", {0x00007800, 0x08040c01, 0x08040c01, 0x00442220, 0x0068c001, 0x00000001}},
    {"r0.rgb = dp4(r1, c3)", {0x00003800, 0x08040c01, 0x08040c01, 0x00442220, 0x0068c001, 0x00000002}},
    {"r0 = rcp(r1.g)", {0x00007800, 0x08020001, 0x08020080, 0x00000000, 0x0000400a, 0x0000000a}},
    {"r0.rgb = (1 - r0) * c1 | r0.a = |r1.a| + 2.5",
     {0x00007800, 0xc8040400, 0x08030801, 0x00442223, 0x00c4c000, 0x1a490000}},
    {"r3.rg, p.rg<0, alu.r>=0 = r1 - r2", {0x01019800, 0x08000801, 0x08020080, 0xa0db0220, 0x00000000, 0x00a21030}},
    {"alu.a<0 = r0.r - c0.r", {0x00a00000, 0x08040000, 0x08020080, 0x80000000, 0x00c00000, 0x42000000}},
    {"cond = cmp(1, 0, r4.a)", {0x00000001, 0x08020080, 0x08020004, 0x00000000, 0x80818006, 0x18000000}},
    {"(p.r) r0 = r1", {0x04007810, 0x08020001, 0x08020001, 0x1c440220, 0x1c60c003, 0x00000005}},
    {"KILL_LT_0(r1.rg)", {0x00001803, 0x00800000, 0xe400e401}},
    {"TEX_INST_NOP acquire", {0x00000003, 0x02000000}},
    {"OUTPUT wait", {0x00000005, 0x08020080, 0x08020080}},
    {"FC JUMP func=0xff any a=push addr=7 alu_wait", {0x00000402, 0, 0x0000ffa0, 0x00070000}},
    {"ALU src(r0, r0, r0)", {0}},
    /* As drivers make them: flags without effect, sources that nobody reads, channels that are not used, destinations
     * without a mask, a dot product without an alpha of its own. */
    {"r0 = TEXLD(s0, r0.rgrr) wait acquire ignore_uncovered rgb_clamp alpha_clamp",
     {0x00187807, 0x06400000, 0xe4000400}},
    {"out0 = r0 * 1 + 0 clamp src(r0, c0, c0) wait last",
     {0x001f8105, 0x10040000, 0x10040000, 0x00db0220, 0x00c0c000, 0x20490000}},
    {"r2.rg = r1.rg_ + c3.rr_", {0x00001800, 0x08040c01, 0x08020080, 0x00db0720, 0x00000000, 0x00701020}},
    {"r5._, out0.rgb = r1 * r2 src(r2, r1)", {0x00038001, 0x08000402, 0x08000402, 0x00440221, 0x00000000, 0x00490050}},
    {"r0.rgb = dp3(r1, r2) | r0.a = dp(r1.a)",
     {0x00007800, 0x08000801, 0x08020001, 0x00442220, 0x0000c001, 0x00000001}},
    {"r3.rgb = rsq(|r1.r|)", {0x00003800, 0x08020001, 0x08020080, 0, 0x0004000b, 0x0000003a}},
};

static void lines_are_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char out[ISA_TEXT];
        struct ctm_inst inst;
        struct atoll_error error = {0};
        if (!ctm_parse_inst(lines[i].text, strlen(lines[i].text), &inst, &error))
            fail_msg("'%s': %u: %s", lines[i].text, error.column, error.message);
        for (unsigned w = 0; w < CTM_WORDS; w++)
            if (inst.word[w] != lines[i].word[w])
                fail_msg("'%s': W%u is 0x%08x", lines[i].text, w, inst.word[w]);
        ctm_print_inst(&inst, out);
        assert_string_equal(out, lines[i].text);
    }
}

static void numbers_of_instructions_are_skipped(void **state)
{
    static const char *const texts[] = {"3: r4 = TEXLD(s0, r1)", " 511 : r4 = TEXLD(s0, r1)"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ctm_inst inst;
        struct atoll_error error = {0};
        if (!ctm_parse_inst(texts[i], strlen(texts[i]), &inst, &error))
            fail_msg("'%s': %u: %s", texts[i], error.column, error.message);
        assert_memory_equal(inst.word, lines[0].word, sizeof inst.word);
    }
    struct ctm_inst inst;
    assert_false(ctm_parse_inst("3 r4 = r1", 9, &inst, NULL));
    assert_false(ctm_parse_inst(": r4 = r1", 9, &inst, NULL));
    assert_false(ctm_parse_inst("3:", 2, &inst, NULL));
}

/* ---- programs --------------------------------------------------------------------------------------------- */

static const char structured[] = ".dpp\n"
                                 "    r1 = TEXLD(s3, r0) wait acquire unscaled\n"
                                 "    IF alu\n"
                                 "        r0 = r1\n"
                                 "    ELSE\n"
                                 "        r0 = r2\n"
                                 "    ENDIF\n"
                                 "    LOOP i3\n"
                                 "        IF !p.g\n"
                                 "            BREAK\n"
                                 "        ENDIF\n"
                                 "        CONTINUE IF b2\n"
                                 "        r[aL+4].rgb = c7 * 0.5\n"
                                 "    ENDLOOP\n"
                                 "    REP i1\n"
                                 "        BREAK IF p.a\n"
                                 "    ENDREP\n"
                                 "    CALL L18 IF b3\n"
                                 "    FC JUMP func=0xff addr=L20 alu_wait\n"
                                 "L18:\n"
                                 "    r7 = cmp(r1, -|r2|, 2.5)\n"
                                 "    RETURN\n"
                                 "L20:\n"
                                 "    out0 = r0 wait last\n";

static bool assemble(struct arena *arena, const char *text, struct ctm_program *program, struct atoll_error *error)
{
    return ctm_assemble(arena, text, strlen(text), NULL, program, error);
}

static void same(const struct ctm_program *a, const struct ctm_program *b)
{
    assert_int_equal(a->ninsts, b->ninsts);
    assert_memory_equal(a->insts, b->insts, a->ninsts * sizeof *a->insts);
    assert_memory_equal(a->info, b->info, sizeof a->info);
    assert_memory_equal(&a->inputs, &b->inputs, sizeof a->inputs);
    assert_memory_equal(&a->outputs, &b->outputs, sizeof a->outputs);
    assert_memory_equal(&a->floats, &b->floats, sizeof a->floats);
    assert_memory_equal(&a->ints, &b->ints, sizeof a->ints);
    assert_true(a->condout == b->condout && a->early_exit == b->early_exit);
}

/* Its text, which reads to the same program. */
static void print_again(const struct ctm_program *program, struct text *out)
{
    struct arena arena = {0};
    struct ctm_program again;
    struct atoll_error error = {0};
    ctm_print(program, out);
    assert_true(text_ok(out));
    if (!assemble(&arena, out->bytes, &again, &error))
        fail_msg("%u:%u: %s\n%s", error.line, error.column, error.message, out->bytes);
    same(program, &again);
    arena_free(&arena);
}

static void statements_come_back(void **state)
{
    struct arena arena = {0};
    struct ctm_program program;
    struct text out = {0};
    struct atoll_error error = {0};
    (void)state;
    if (!assemble(&arena, structured, &program, &error))
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    print_again(&program, &out);
    assert_string_equal(out.bytes, structured);
    /* IF with ELSE, as the statement table has it. */
    assert_int_equal(program.insts[1].word[2], 0x0a000f00);
    assert_int_equal(program.insts[1].word[3], 4 << 16);
    /* What follows from the code. */
    assert_true(ctm_full_flow(&program));
    assert_true(ctm_has(&program.inputs, 3) && ctm_has(&program.ints, 3) && ctm_has(&program.floats, 7));
    assert_int_equal(ctm_end(&program), program.ninsts - 1);
    assert_int_equal(program.info[CTM_INFO_US_PIXSIZE], CTM_TEMPS - 1);
    assert_false(program.early_exit || program.condout);
    text_free(&out);
    arena_free(&arena);
}

/* Words of a driver: its ENDIF and LOOP jump elsewhere, ALU_WAIT is not everywhere, uncovered pixels are left out. */
static void other_words_of_statements_come_back(void **state)
{
    static const char text[] = "FC JUMP func=0x0f b0=incr b1=incr addr=3 ignore_uncovered alu_wait\n"
                               "r1 = r2\n"
                               "FC JUMP func=0 else b1=decr pop=1 addr=5\n"
                               "r1 = r3\n"
                               "FC JUMP func=0 any b0=decr pop=1 addr=5\n"
                               "FC LOOP func=0 int=2 addr=7\n"
                               "FC BREAKLOOP func=0xff addr=8\n"
                               "FC ENDLOOP func=0xff any int=2 addr=6\n"
                               "FC ENDREP func=0xff any int=2 addr=6\n"
                               "FC JUMP func=0x0f b0=incr addr=300\n"
                               "OUTPUT wait\n";
    struct arena arena = {0};
    struct ctm_program program;
    struct text out = {0};
    struct atoll_error error = {0};
    (void)state;
    assert_true(assemble(&arena, text, &program, &error));
    print_again(&program, &out);
    assert_non_null(strstr(out.bytes, "    IF alu ignore_uncovered\n"));
    assert_non_null(strstr(out.bytes, "    ELSE !ALU_WAIT=0x0\n"));
    assert_non_null(strstr(out.bytes, "    ENDIF !ALU_WAIT=0x0 !JUMP_ADDR=0x5\n"));
    assert_non_null(strstr(out.bytes, "    LOOP i2 !ALU_WAIT=0x0 !JUMP_ADDR=0x7\n"));
    assert_non_null(strstr(out.bytes, "    FC ENDREP func=0xff any int=2 addr=L6\n"));
    text_free(&out);
    arena_free(&arena);
}

static void noise_in_programs_comes_back(void **state)
{
    uint64_t seed = 0x123456789abcdef;
    (void)state;
    for (unsigned n = 0; n < 400; n++) {
        struct ctm_inst insts[40];
        struct ctm_program program = {.name = "main", .insts = insts, .ninsts = 1 + n % 40};
        struct text out = {0};
        for (unsigned i = 0; i < program.ninsts; i++) {
            for (unsigned w = 0; w < CTM_WORDS; w++)
                insts[i].word[w] = (uint32_t)(next(&seed) >> 20 & next(&seed) >> 20);
            ctm_set(&insts[i], CTM_TYPE, n & 1 ? CTM_TYPE_FC : (unsigned)next(&seed) & 3);
            if (n & 2)
                ctm_set(&insts[i], CTM_JUMP_ADDR, (unsigned)next(&seed) % (program.ninsts + 1));
        }
        program.info[CTM_INFO_UMRT] = n >> 3 & 1;
        ctm_derive(&program);
        for (unsigned i = 0; i < CTM_INFO_WORDS && n & 4; i++)
            program.info[i] ^= (uint32_t)(next(&seed) >> 24 & next(&seed) >> 24 & next(&seed) >> 24);
        program.condout ^= n >> 4 & 1;
        program.early_exit ^= n >> 5 & 1;
        program.inputs.bits[0] ^= n & 64;
        program.floats.bits[2] ^= n & 32;
        print_again(&program, &out);
        text_free(&out);
    }
}

static void directives_say_the_rest(void **state)
{
    static const char text[] = ".dpp twice\n.inputs s1, s3-s5\n.outputs none\n.floats c200\n.condout 0\n.early_exit 1\n"
                               ".zero_times\n.temps 9\n.flow full\n.info 7 0x12\n.uncached\n"
                               "    umrt_own, cond = r0\n";
    struct arena arena = {0};
    struct ctm_program program;
    struct text out = {0};
    (void)state;
    assert_true(assemble(&arena, text, &program, NULL));
    assert_string_equal(program.name, "twice");
    assert_int_equal(program.inputs.bits[0], 0x3a);
    assert_int_equal(program.outputs.bits[0], 0);
    assert_true(ctm_has(&program.floats, 200) && !program.condout && program.early_exit && ctm_zero_times(&program));
    assert_true(ctm_uncached(&program) && ctm_full_flow(&program) && program.info[CTM_INFO_US_PIXSIZE] == 8);
    assert_int_equal(program.info[7], 0x12);
    assert_int_equal(ctm_get(&program.insts[0], CTM_RGB_TARGET), CTM_UMRT_OWN);
    print_again(&program, &out);
    assert_string_equal(out.bytes, text);
    text_free(&out);
    arena_free(&arena);
}

/* ---- mistakes --------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    unsigned line, column;
    const char *message;
} mistakes[] = {
    {"", 1, 1, "at least one instruction"},
    {"r0 = r1 +", 1, 10, "wanted an operand"},
    {"r0 = r128", 1, 7, "at most 127, not '128'"},
    {"r0 = c256 * r1", 1, 7, "at most 255"},
    {"r0 = r1 * 2.3", 1, 11, "2.3 is no inline constant"},
    {"r0.rgb = r1.rg", 1, 15, "wanted a swizzle of 1, 3 or 4 letters"},
    {"r0.rgb = r1.rgba", 1, 10, "wanted a swizzle of 1 or 3 letters"},
    {"r0 = r1.rgb", 1, 6, "wanted a swizzle of 1 or 4 letters"},
    {"r0.a = r1.rgb", 1, 8, "wanted a swizzle of 1 letter here"},
    {"r0 = mad(r1, r2)", 1, 6, "MAD has 3 operands, not 2"},
    {"r0 = foo(r1)", 1, 6, "wanted an operand"},
    {"r0 = r1 * r2 + r3 + r4", 1, 19, "wanted a flag or the end of the line, not '+'"},
    {"r0.rgb = ex2(r1.r) | r0.a = sin(r1.r)", 1, 10, "RGB has no ex2"},
    {"r0 = r1 * r2 | r1.a = r3.a", 1, 6, "the operation before '|' writes r, g, b alone"},
    {"r0.rgb = r1 * r2 + r3 | r0.a = r4.g", 1, 32, "no room for a source"},
    {"r0.rgb = (r1 - r0) * (r0 - r1)", 1, 22, "presubtract reads src0 and src1"},
    {"r0.rgb = (1 - r0) * (1 - 2*r0)", 1, 21, "a unit has one presubtract"},
    {"out0.rgb = r1 | p.a<0 = r2.a", 1, 12, "outputs or predicates, not both"},
    {"r0 = r1 src(r2)", 1, 6, "a source is not in src(...)"},
    {"_ = r1", 1, 5, "no channel is written"},
    {"r0 = TEXLD(s16, r1)", 1, 13, "at most 15, not '16'"},
    {"out0 = TEXLD(s1, r1)", 1, 13, "a lookup writes a temporary alone"},
    {"r0 = r1\numrt_own = r1", 2, 1, "an uncached output in a program without .uncached: wanted out0 to out3"},
    {"r0.rgb = r1 | UMRT_SAME.a = r2.a last", 1, 15, "an uncached output in a program without .uncached"},
    {"umrt_same = r1\n.info 9 2", 1, 1, "an uncached output in a program without .uncached"},
    {".uncached\numrt_same = r1\n  r2, out3 = r0", 3, 7, "outputs are uncached (.uncached): wanted umrt_same, "},
    {"out0 = r1\n.info 9 1", 1, 1, "outputs are uncached (.uncached)"},
    {".uncached\nout1.rgb = r1 | umrt_same.a = r2.a", 2, 1, "outputs are uncached"},
    {"LOD(s0, r1)", 1, 4, "LOD wants a destination"},
    {"r0 = r1 acquire", 1, 9, "wanted a flag or the end of the line, not 'acquire'"},
    {"r0 = r1 !W6=1", 1, 10, "wanted W0 to W5 or the name of a field"},
    {"r0 = r1 !RGB_WMASK=8", 1, 20, "at most 7, not '8'"},
    {"r0 = --r1", 1, 7, "wanted an operand"},
    {"r0 = r1 - -r2", 1, 11, "two minus signs"},
    {"r0, r1 = r2", 1, 5, "a temporary is written twice"},
    {"(p.q) r0 = r1", 1, 4, "a channel of the predicate"},
    {"p.r<1 = r0.r", 1, 5, "wanted 0"},
    {"CALL nowhere", 1, 6, "no label 'nowhere'"},
    {"ELSE", 1, 1, "ELSE without IF"},
    {"r0 = r0\nIF alu\nOUTPUT", 2, 1, "IF without its end"},
    {"IF alu\nELSE\nELSE\nENDIF", 3, 1, "ELSE after another ELSE"},
    {"LOOP i0\nENDREP", 1, 1, "LOOP without its end"},
    {"r0 = r1\nENDREP", 2, 1, "ENDREP without REP"},
    {"BREAK", 1, 1, "BREAK outside of LOOP and REP"},
    {"RETURN", 1, 1, "RETURN of no subroutine"},
    {"IF p", 1, 5, "wanted one predicate"},
    {"LOOP 3", 1, 6, "an integer constant i0 to i31"},
    {"FC HOP", 1, 4, "wanted JUMP, LOOP"},
    {"FC JUMP pop=32", 1, 13, "at most 31, not '32'"},
    {"a: r0 = r1\na: r1 = r0", 2, 1, "label 'a' is there twice"},
    {"1: r0 = r1", 1, 1, "this is instruction 0, not 1"},
    {".inputs s3-s1", 1, 14, "a range that goes up"},
    {".temps 0", 1, 9, "at least 1"},
    {".temps 1\n.temps 2", 2, 7, "written twice"},
    {".bss", 1, 2, "wanted one of .dpp"},
};

static void mistakes_have_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct arena arena = {0};
        struct ctm_program program;
        struct atoll_error error = {0};
        if (assemble(&arena, mistakes[i].text, &program, &error))
            fail_msg("'%s' assembles", mistakes[i].text);
        if (error.line != mistakes[i].line || error.column != mistakes[i].column ||
            !strstr(error.message, mistakes[i].message))
            fail_msg("'%s': %u:%u: %s", mistakes[i].text, error.line, error.column, error.message);
        arena_free(&arena);
    }
}

static void count_message(void *user, const struct atoll_diagnostic *d)
{
    unsigned *told = user;
    assert_int_equal(d->line, *told + 1);
    ++*told;
}

static void all_mistakes_are_told(void **state)
{
    static const char text[] = "r0 = foo\nr1 = r2 +\nBREAK\nr0 = r300\n";
    unsigned told = 0;
    const struct atoll_module_options options = {.diagnose = count_message, .user = &told};
    struct arena arena = {0};
    struct ctm_program program;
    (void)state;
    assert_false(ctm_assemble(&arena, text, strlen(text), &options, &program, NULL));
    assert_int_equal(told, 4);
    arena_free(&arena);
}

static void programs_have_512_instructions(void **state)
{
    struct arena arena = {0};
    struct ctm_program program;
    struct text text = {0};
    struct atoll_error error = {0};
    (void)state;
    for (unsigned i = 0; i < CTM_SLOTS; i++)
        text_puts(&text, "r0 = r1 # more\n");
    assert_true(assemble(&arena, text.bytes, &program, &error));
    text_puts(&text, "r0 = r1\nr0 = r1\n");
    assert_false(assemble(&arena, text.bytes, &program, &error));
    assert_int_equal(error.line, CTM_SLOTS + 1);
    assert_non_null(strstr(error.message, "at most 512 instructions"));
    text_free(&text);
    arena_free(&arena);
}

static void texts_are_told_apart(void **state)
{
    static const char *const ours[] = {".dpp",
                                       "// hello\n.dpp fast\n",
                                       "r4 = TEXLD(s0, r1)",
                                       "0: r4 = TEXLD(s0, r1)",
                                       "/* a */ out0.rgb = r1",
                                       "r1.rg, out0 = r2",
                                       "FC JUMP func=0xff",
                                       "KILL_LT_0(r1)"};
    static const char *const others[] = {"",
                                         ".version 7.8",
                                         ".dppx",
                                         "MOV R0, R1;",
                                         "/*0000*/ MOV R1, c[0x0][0x20];",
                                         "r1",
                                         "mov (M1, 16) V1 V2",
                                         ".kernel k",
                                         "FC",
                                         "0x1234",
                                         "R2UR UR4, R2 ;",
                                         "add.u32 %r1, %r2, 1;"};
    (void)state;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!ctm_takes_text(ours[i], strlen(ours[i])))
            fail_msg("'%s' is not taken", ours[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ctm_takes_text(others[i], strlen(others[i])))
            fail_msg("'%s' is taken", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_words),
        cmocka_unit_test(numbers_of_instructions_are_skipped),
        cmocka_unit_test(noise_comes_back),
        cmocka_unit_test(statements_come_back),
        cmocka_unit_test(other_words_of_statements_come_back),
        cmocka_unit_test(noise_in_programs_comes_back),
        cmocka_unit_test(directives_say_the_rest),
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(all_mistakes_are_told),
        cmocka_unit_test(programs_have_512_instructions),
        cmocka_unit_test(texts_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

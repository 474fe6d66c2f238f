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
    {"(p.r) r0 = r1", {0x04007810, 0x08020001, 0x08020001, 0x1c440220, 0x1c60c003, 0x00000005}},
    {"KILL_LT_0(r1.rg)", {0x00001803, 0x00800000, 0xe400e401}},
    {"TEX_INST_NOP acquire", {0x00000003, 0x02000000}},
    {"OUTPUT wait", {0x00000005, 0x08020080, 0x08020080}},
    {"FC JUMP func=0xff any a=push addr=7 alu_wait", {0x00000402, 0, 0x0000ffa0, 0x00070000}},
    {"ALU src(r0, r0, r0)", {0}},
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_words), cmocka_unit_test(noise_comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Warp operations where not all lanes take part: exited, in another branch, guarded out. */
#define ENGINE_TARGET  "sm_80"
#define ENGINE_VERSION "8.0"
#include "engine_text.h"

static const char *const modes[] = {"up", "down", "bfly", "idx"};

/* PTX ISA, shfl: source lane, and whether it is in range. */
static uint32_t source(unsigned mode, uint32_t lane, uint32_t by, uint32_t c, bool *in)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31, low = lane & segment, high = low | (clamp & ~segment);
    int from = mode == 0   ? (int)lane - (int)by
               : mode == 1 ? (int)(lane + by)
               : mode == 2 ? (int)(lane ^ by)
                           : (int)(low | (by & ~segment));
    *in = mode == 0 ? from >= (int)high : from <= (int)high;
    return (uint32_t)from;
}

/* Who runs: how the others are kept away, and whether lane l runs. */
static const struct absence {
    const char *before, *guard;
} absences[] = {
    {"setp.ge.u32 %p0, %r0, 20; @%p0 exit;", ""},
    {"setp.ge.u32 %p0, %r0, 20; @%p0 bra OUT;", ""},
    {"setp.lt.u32 %p0, %r0, 20;", "@%p0 "},
};

static void check_shfl(struct engine *e, unsigned mode, uint32_t by, uint32_t c)
{
    for (uint32_t l = 0; l < 32; l++) {
        bool in;
        uint32_t from = source(mode, l, by, c, &in), want = !in ? l + 100 : from < 20 ? from + 100 : 0;
        if (l >= 20)
            continue;
        if (e->words[l] != want || e->words[64 + l] != (in ? 1 : 2))
            fail_msg("shfl.%s %u, 0x%x, lane %u: %u %u, wanted %u %u", modes[mode], by, c, l, e->words[l],
                     e->words[64 + l], want, in ? 1 : 2);
    }
}

static void try_shfl(unsigned mode, const struct absence *absent, const char *sync, const char *mask)
{
    static const uint32_t amounts[] = {0, 1, 3, 16, 31}, bounds[] = {31, 0, 0x181f, 0x1018};
    for (unsigned i = 0; i < 20; i++) {
        char body[900];
        struct engine e;
        snprintf(body, sizeof body,
                 "add.u32 %%r2, %%r0, 100; mov.u32 %%r3, 7; setp.eq.u32 %%p1, %%r0, 99; %s\n"
                 "%sshfl%s.%s.b32 %%r3|%%p1, %%r2, %u, %u%s;\n"
                 "selp.u32 %%r4, 1, 2, %%p1; st.global.u32 [%%rd0], %%r3; st.global.u32 [%%rd0+256], %%r4; OUT:",
                 absent->before, absent->guard, sync, modes[mode], amounts[i % 5], bounds[i / 5], mask);
        engine_open(&e, "", body);
        engine_must_run(&e, 0);
        check_shfl(&e, mode, amounts[i % 5], bounds[i / 5]);
        engine_close(&e);
    }
}

/* Named choice: a source lane that does not run gives 0. */
static void shfl_from_absent_lanes(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 4; mode++)
        for (unsigned i = 0; i < 3; i++)
            try_shfl(mode, &absences[i], ".sync", ", 0xfffff");
}

/* The sum of 8 lanes as NVIDIA's reductions write it: the steps by 16 and by 8 read lanes that are not there. */
static void reduction_of_few_lanes(void **state)
{
    (void)state;
    struct engine e;
    engine_open(&e, "",
                "mov.u32 %r2, 1; setp.ge.u32 %p0, %r0, 8; @%p0 bra E; mov.u32 %r3, 16;\n"
                "L: shfl.sync.down.b32 %r4, %r2, %r3, 31, 0xff; add.u32 %r2, %r2, %r4; shr.u32 %r3, %r3, 1;\n"
                "setp.ne.u32 %p1, %r3, 0; @%p1 bra L; E: st.global.u32 [%rd0], %r2;");
    for (int order = 0; order < 3; order++) {
        e.launch.order = (enum atoll_order)order;
        engine_must_run(&e, 0);
        assert_int_equal(e.words[0], 8);
        assert_int_equal(e.words[8], 1);
    }
    engine_close(&e);
}

/* Absent lanes contribute nothing to votes, matches, reductions and masks of active lanes. */
static void other_operations(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        char body[1200];
        struct engine e;
        const char *g = absences[i].guard;
        snprintf(
            body, sizeof body,
            "add.u32 %%r2, %%r0, 1; setp.ge.u32 %%p1, %%r0, 5; and.b32 %%r3, %%r0, 1; %s\n"
            "%svote.sync.ballot.b32 %%r4, %%p1, 0xfffff; %svote.sync.all.pred %%p2, %%p1, 0xfffff;\n"
            "%smatch.any.sync.b32 %%r5, %%r3, 0xfffff; %sredux.sync.add.u32 %%r6, %%r2, 0xfffff;\n"
            "%sredux.sync.max.u32 %%r7, %%r2, 0xfffff; %sactivemask.b32 %%r8;\n"
            "%sst.global.u32 [%%rd0], %%r4; %sst.global.u32 [%%rd0+128], %%r5; %sst.global.u32 [%%rd0+256], %%r6;\n"
            "%sst.global.u32 [%%rd0+384], %%r7; %sst.global.u32 [%%rd0+512], %%r8; OUT:",
            absences[i].before, g, g, g, g, g, g, g, g, g, g, g);
        engine_open(&e, "", body);
        engine_must_run(&e, 0);
        for (uint32_t l = 0; l < 32; l++) {
            bool in = l < 20;
            assert_int_equal(e.words[l], in ? 0xfffe0 : 0);
            assert_int_equal(e.words[32 + l], !in ? 0 : l % 2 ? 0xaaaaa : 0x55555);
            assert_int_equal(e.words[64 + l], in ? 210 : 0);
            assert_int_equal(e.words[96 + l], in ? 20 : 0);
            assert_int_equal(e.words[128 + l], in ? 0xfffff : 0);
        }
        engine_close(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shfl_from_absent_lanes),
        cmocka_unit_test(reduction_of_few_lanes),
        cmocka_unit_test(other_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Running one kernel on 32 lanes, for the kernel tests: in every instruction set that this host has, which must agree
 * bit for bit, and once more with the destination being the first source where that is allowed. */
#ifndef ATOLL_TESTS_KERNELS_RUN_H
#define ATOLL_TESTS_KERNELS_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/meaning/kernel.h"
#include "lane/form.h"

/* The frame of a test: one slot per operand, wide enough for 32 lanes of 128 bits. */
enum { KERNEL_D, KERNEL_D2, KERNEL_A, KERNEL_B, KERNEL_C, KERNEL_E, KERNEL_SLOTS };
enum { KERNEL_SLOT_BYTES = 512 };

struct kernel_lanes {
    _Alignas(64) unsigned char slot[KERNEL_SLOTS][KERNEL_SLOT_BYTES];
};

#define KERNEL_SLOT(lanes, type, which) ((type *)(void *)(lanes)->slot[which])

typedef const struct meaning *kernel_finder(const struct lane_inst *);

static inline unsigned kernel_sets(kernel_finder *sets[3])
{
    unsigned n = 0;
    sets[n++] = meaning_find_base;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        sets[n++] = meaning_find_v3;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        sets[n++] = meaning_find_v4;
#endif
    return n;
}

static inline void kernel_call(kernel_fn *kernel, const struct lane_inst *inst, struct kernel_lanes *lanes, unsigned d)
{
    struct frame f = {lanes->slot[0], UINT32_MAX};
    struct kernel_operands s = {.d = d * KERNEL_SLOT_BYTES,
                                .d2 = KERNEL_D2 * KERNEL_SLOT_BYTES,
                                .a = KERNEL_A * KERNEL_SLOT_BYTES,
                                .b = KERNEL_B * KERNEL_SLOT_BYTES,
                                .c = KERNEL_C * KERNEL_SLOT_BYTES,
                                .e = KERNEL_E * KERNEL_SLOT_BYTES,
                                .aux = inst->aux};
    kernel(&f, &s);
}

/* "fma.f32 (type2 void) round 1 flags 3 cmp 0 mode 0" */
static inline const char *kernel_describe(const struct lane_inst *inst)
{
    static char text[160];
    snprintf(text, sizeof text, "%s.%s (type2 %s) round %u flags %u cmp %u mode %u aux %u", lane_rows[inst->op].name,
             lane_type_name(inst->type), lane_type_name(inst->type2), inst->round, inst->flags, inst->cmp, inst->mode,
             inst->aux);
    return text;
}

/* Fails the test, naming instruction and lane, unless the destinations of both are equal. */
static inline void kernel_expect_same(const struct lane_inst *inst, const struct kernel_lanes *got, unsigned got_slot,
                                      const struct kernel_lanes *want, const char *what)
{
    bool same = memcmp(got->slot[got_slot], want->slot[KERNEL_D], KERNEL_SLOT_BYTES) == 0 &&
                memcmp(got->slot[KERNEL_D2], want->slot[KERNEL_D2], KERNEL_SLOT_BYTES) == 0;
    if (same)
        return;
    unsigned bytes = lane_letter_width(inst, lane_rows[inst->op].dst[0]) / 8, at = 0;
    while (at < KERNEL_SLOT_BYTES - 1 && got->slot[got_slot][at] == want->slot[KERNEL_D][at])
        at++;
    unsigned lane = bytes ? at / bytes : 0;
    uint64_t g = 0, w = 0;
    memcpy(&g, &got->slot[got_slot][lane * bytes], bytes <= 8 ? bytes : 8);
    memcpy(&w, &want->slot[KERNEL_D][lane * bytes], bytes <= 8 ? bytes : 8);
    fail_msg("%s: %s: lane %u is %#llx, not %#llx", kernel_describe(inst), what, lane, (unsigned long long)g,
             (unsigned long long)w);
}

/* Runs in every set; the destinations of `lanes` (cleared before) hold the result. */
static inline void kernel_run(const struct lane_inst *inst, struct kernel_lanes *lanes)
{
    static const char *const names[] = {"base", "second set", "third set"};
    kernel_finder *sets[3];
    unsigned n = kernel_sets(sets);
    const struct lane_row *row = &lane_rows[inst->op];
    /* A register of the same width may be source and destination at once. */
    bool in_place =
        row->dst[0] && row->src[0] && lane_letter_width(inst, row->dst[0]) == lane_letter_width(inst, row->src[0]);
    memset(lanes->slot[KERNEL_D], 0, 2 * KERNEL_SLOT_BYTES);
    struct kernel_lanes before = *lanes;
    for (unsigned i = 0; i < n; i++) {
        const struct meaning *meaning = sets[i](inst);
        if (!meaning)
            fail_msg("%s: no kernel in %s", kernel_describe(inst), names[i]);
        struct kernel_lanes mine = before;
        kernel_call(meaning->run, inst, i == 0 ? lanes : &mine, KERNEL_D);
        if (i > 0)
            kernel_expect_same(inst, &mine, KERNEL_D, lanes, names[i]);
        if (!in_place)
            continue;
        mine = before;
        kernel_call(meaning->run, inst, &mine, KERNEL_A);
        unsigned bytes = lane_letter_width(inst, row->dst[0]) * 32 / 8;
        memset(mine.slot[KERNEL_A] + bytes, 0, KERNEL_SLOT_BYTES - bytes);
        kernel_expect_same(inst, &mine, KERNEL_A, lanes, "in place");
    }
}

/* xorshift64: reproducible inputs. */
static inline uint64_t kernel_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif

/* Running small vISA kernels: operands A and B of each channel from a table, the result R compared. */
#ifndef ATOLL_TESTS_VISA_RUN_H
#define ATOLL_TESTS_VISA_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"

/* Names that bodies may use: A B C R (d) with aliases UA UB UC UR (ud), FA FB FC FR (f), QR (q) DR (df) of their own,
 * WA WB (w) and BA BB (b, elements of A and B), HA HB HR (hf); X (scalar d), P1 to P3; L (channel's number, w), T6 (BTI
 * 1). A, B, C are loaded from the words in[0..n), in[n..2n), in[2n..3n) of the work item, R is stored. */
static const char visa_frame[] =
    ".version 4.1\n.kernel \"k\"\n"
    ".decl IN v_type=G type=uq num_elts=1 align=qword\n.decl OUT v_type=G type=uq num_elts=1 align=qword\n"
    ".decl N v_type=G type=ud num_elts=1 align=dword\n.decl X v_type=G type=d num_elts=1 align=dword\n"
    ".decl Y v_type=G type=d num_elts=1 align=dword\n"
    ".decl A v_type=G type=d num_elts=%u align=GRF\n.decl B v_type=G type=d num_elts=%u align=GRF\n"
    ".decl C v_type=G type=d num_elts=%u align=GRF\n.decl R v_type=G type=d num_elts=%u align=GRF\n"
    ".decl QR v_type=G type=q num_elts=%u align=GRF\n.decl DR v_type=G type=df num_elts=%u align=GRF\n"
    ".decl L v_type=G type=w num_elts=32 align=GRF\n.decl I v_type=G type=d num_elts=%u align=GRF\n"
    ".decl HA v_type=G type=hf num_elts=32 align=GRF\n.decl HB v_type=G type=hf num_elts=32 align=GRF\n"
    ".decl HR v_type=G type=hf num_elts=32 align=GRF\n"
    ".decl ADDR v_type=G type=uq num_elts=%u align=GRF\n"
    ".decl UA v_type=G type=ud num_elts=%u align=GRF alias=<A, 0>\n"
    ".decl UB v_type=G type=ud num_elts=%u align=GRF alias=<B, 0>\n"
    ".decl UC v_type=G type=ud num_elts=%u align=GRF alias=<C, 0>\n"
    ".decl UR v_type=G type=ud num_elts=%u align=GRF alias=<R, 0>\n"
    ".decl FA v_type=G type=f num_elts=%u align=GRF alias=<A, 0>\n"
    ".decl FB v_type=G type=f num_elts=%u align=GRF alias=<B, 0>\n"
    ".decl FC v_type=G type=f num_elts=%u align=GRF alias=<C, 0>\n"
    ".decl FR v_type=G type=f num_elts=%u align=GRF alias=<R, 0>\n"
    ".decl WA v_type=G type=w num_elts=%u align=GRF alias=<A, 0>\n"
    ".decl WB v_type=G type=w num_elts=%u align=GRF alias=<B, 0>\n"
    ".decl BA v_type=G type=b num_elts=%u align=GRF alias=<A, 0>\n"
    ".decl BB v_type=G type=b num_elts=%u align=GRF alias=<B, 0>\n"
    ".decl UBA v_type=G type=ub num_elts=%u align=GRF alias=<A, 0>\n"
    ".decl UWA v_type=G type=uw num_elts=%u align=GRF alias=<A, 0>\n"
    ".decl P1 v_type=P num_elts=32\n.decl P2 v_type=P num_elts=32\n.decl P3 v_type=P num_elts=32\n"
    ".decl A0 v_type=A num_elts=16\n.decl T6 v_type=T num_elts=1\n"
    ".input IN offset=32 size=8\n.input OUT offset=40 size=8\n.input N offset=48 size=4\n"
    ".kernel_attr SimdSize=%u\n.function \"k_main\"\nk_main:\n"
    "or (M1_NM, 1) %%cr0(0,0)<1> %%cr0(0,0)<0;1,0> 0x4c0:ud\n"
    "%s"
    "mov (M1, %u) I(0,0)<1> L(0,0)<1;1,0>\n"
    "mad (M1, %u) I(0,0)<1> %%group_id_x(0,0)<0;1,0> 0x%x:ud I(0,0)<1;1,0>\n"
    "mad (M1, %u) I(0,0)<1> %%r0(0,2)<0;1,0> 0x%x:ud I(0,0)<1;1,0>\n"
    "shl (M1, %u) ADDR(0,0)<1> I(0,0)<1;1,0> 0x2:d\n"
    "mov (M1_NM, 1) X(0,0)<1> N(0,0)<0;1,0>\nshl (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x2:d\n"
    "add (M1, %u) ADDR(0,0)<1> ADDR(0,0)<1;1,0> IN(0,0)<0;1,0>\n"
    "%s"
    "mov (M1, %u) R(0,0)<1> 0x0:d\n"
    "%.*s\n"
    "shl (M1, %u) ADDR(0,0)<1> I(0,0)<1;1,0> 0x2:d\n"
    "add (M1, %u) ADDR(0,0)<1> ADDR(0,0)<1;1,0> OUT(0,0)<0;1,0>\n"
    "%s"
    "ret (M1, 1)\n%s";

/* A load or store of dwords, 16 channels at a time. */
static inline void visa_access(char *out, size_t room, unsigned simd, bool store, const char *name)
{
    size_t used = 0;
    unsigned width = simd < 16 ? simd : 16;
    for (unsigned first = 0; first < simd; first += width) {
        int more = snprintf(out + used, room - used, "%s.4.1 (M%u, %u) ADDR.%u %s.%u\n",
                            store ? "svm_scatter" : "svm_gather", first / 4 + 1, width, first * 8, name, first * 4);
        used += (size_t)more;
    }
}

static inline char *visa_text(unsigned simd, unsigned group, const char *body)
{
    size_t room = sizeof visa_frame + strlen(body) + 8192;
    char *text = malloc(room), loads[2048] = "", store[512], one[512], ids[512];
    static const char *const names[] = {"A", "B", "C"};
    assert_non_null(text);
    for (unsigned i = 0; i < 3; i++) {
        visa_access(one, sizeof one, simd, false, names[i]);
        strcat(loads, one);
        if (i < 2) {
            snprintf(one, sizeof one, "add (M1, %u) ADDR(0,0)<1> ADDR(0,0)<1;1,0> X(0,0)<0;1,0>\n", simd);
            strcat(loads, one);
        }
    }
    visa_access(store, sizeof store, simd, true, "R");
    for (unsigned first = 0, used = 0; first < simd; first += 8) /* each channel its own element */
        used += (unsigned)snprintf(ids + used, sizeof ids - used,
                                   "mov (M%u_NM, 8) L(0,%u)<1> 0x76543210:v\nadd (M%u_NM, 8) L(0,%u)<1> "
                                   "L(0,%u)<1;1,0> %u:w\n",
                                   first / 4 + 1, first, first / 4 + 1, first, first, first);
    unsigned n = simd;
    const char *after = strchr(body, '\f'); /* subroutines and functions, after the kernel's end */
    int length = after ? (int)(after - body) : (int)strlen(body);
    snprintf(text, room, visa_frame, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, 2 * n, 2 * n, 4 * n, 4 * n, 4 * n,
             2 * n, n, ids, n, n, group, n, n, n, n, loads, n, length, body, n, n, store, after ? after + 1 : "");
    return text;
}

/* The execution size in place of '#'. */
static inline char *sized(const char *text, unsigned simd)
{
    char *out = calloc(1, 2 * strlen(text) + 1), *to = out;
    assert_non_null(out);
    for (; *text; text++)
        to += *text == '#' ? sprintf(to, "%u", simd) : sprintf(to, "%c", *text);
    return out;
}

struct visa_run {
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_kernel *kernel;
    uint64_t in, out;
    uint32_t count; /* work items, a multiple of 32 */
    uint32_t group; /* of them, in a group */
    struct atoll_error error;
    struct atoll_trap trap;
};

/* Groups of several threads, which may be packed. */
static inline void visa_open_groups(struct visa_run *t, unsigned simd, unsigned group, const char *body,
                                    const uint32_t *in, uint32_t count)
{
    char *text = visa_text(simd, group, body);
    struct atoll_module_options options = {.file = "k.visaasm"};
    *t = (struct visa_run){.count = count, .group = group};
    if (!atoll_device_create(NULL, &t->device, &t->error) ||
        !atoll_module_load(t->device, text, strlen(text), &options, &t->module, &t->error) ||
        !atoll_module_kernel(t->module, "k", &t->kernel, &t->error) ||
        !atoll_memory_alloc(t->device, 12 * (uint64_t)count, &t->in, &t->error) ||
        !atoll_memory_alloc(t->device, 4 * (uint64_t)count, &t->out, &t->error) ||
        !atoll_memory_write(t->device, t->in, in, 12 * (uint64_t)count, &t->error))
        fail_msg("%u:%u: %s\n%s", t->error.line, t->error.column, t->error.message, text);
    free(text);
}

/* A thread is a group. */
static inline void visa_open(struct visa_run *t, unsigned simd, const char *body, const uint32_t *in, uint32_t count)
{
    visa_open_groups(t, simd, simd, body, in, count);
}

static inline bool visa_launch_it(struct visa_run *t, uint32_t *out)
{
    unsigned char block[64] = {0};
    struct atoll_parameter_info p;
    const uint64_t values[3] = {t->in, t->out, t->count};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(atoll_kernel_parameter(t->kernel, i, &p, &t->error));
        memcpy(block + p.offset, &values[i], p.size);
    }
    struct atoll_kernel_info info;
    atoll_kernel_describe(t->kernel, &info);
    struct atoll_launch_options launch = {.grid = {t->count / t->group, 1, 1},
                                          .block = {t->group, 1, 1},
                                          .parameters = block,
                                          .parameter_bytes = info.parameter_bytes,
                                          .instruction_limit = 100000000,
                                          .order = ATOLL_ORDER_DETERMINISTIC};
    return atoll_launch(t->kernel, &launch, NULL, &t->trap, &t->error) &&
           atoll_memory_read(t->device, t->out, out, 4 * (uint64_t)t->count, &t->error);
}

static inline void visa_close(struct visa_run *t)
{
    atoll_module_destroy(t->module);
    atoll_device_destroy(t->device);
}

#endif

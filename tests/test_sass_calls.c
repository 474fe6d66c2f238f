/* Recursion, pointers to functions, tables of them and jump tables: the kernels of calls.ptx from PTX and from what
 * ptxas made of it (11.8 for sm_50, 12.4 for sm_53), against the same in C; and how much stack they get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ref/rig.h"

enum { THREADS = 64 };

static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint32_t leaf(uint32_t n)
{
    return n + 3;
}

static uint32_t twice(uint32_t n)
{
    return n + n;
}

typedef uint32_t number(uint32_t n);

static uint32_t indirect(uint32_t tid)
{
    return (tid % 8 < 4 ? leaf : fib)(tid % 8);
}

static uint32_t from_global(uint32_t tid)
{
    static number *const table[] = {leaf, fib, twice};
    return table[tid % 3](tid % 8);
}

static uint32_t from_const(uint32_t tid)
{
    static number *const table[] = {twice, leaf, fib};
    return table[tid % 3](tid % 8);
}

static uint32_t switched(uint32_t tid)
{
    switch (tid % 8) {
    case 0:
    case 5:
        return 101;
    case 1:
    case 6:
        return tid * 7 ^ tid;
    case 2:
        return 100 ^ tid;
    case 3:
        return 400;
    case 4:
        return (uint32_t)__builtin_popcount(tid);
    default:
        return fib(7);
    }
}

static const struct {
    const char *kernel;
    number *want;
    unsigned threads; /* that store */
    uint32_t stack;   /* bytes a thread from machine code */
} kernels[] = {
    {"rec", fib, 8, 1 << 19},           {"flat", leaf, 8, 1024},
    {"ind", indirect, 8, 1 << 19},      {"virt", from_global, 64, 1 << 19},
    {"virtc", from_const, 64, 1 << 19}, {"sw", switched, 64, 1 << 19},
};

static void run(const struct rig_mode *mode, unsigned which)
{
    struct rig rig;
    struct rig_args args = {0};
    uint32_t got[THREADS];
    rig_open(&rig, mode, DATA_DIR "/kernels", "calls");
    uint64_t address = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, address);
    rig_launch(&rig, kernels[which].kernel, (struct rig_shape){{1, 1, 1}, {THREADS, 1, 1}, 0}, &args);
    rig_fetch(&rig, address, got, sizeof got);
    for (unsigned i = 0; i < kernels[which].threads; i++)
        if (got[i] != kernels[which].want(i))
            fail_msg("%s%s: thread %u: %u, not %u", kernels[which].kernel, mode->suffix ? mode->suffix : ".ptx", i,
                     got[i], kernels[which].want(i));
    rig_close(&rig);
}

/* From the code of ptxas 11.8, of 12.4, and as nvlink 11.8 links the former. */
static const char *const suffixes[] = {".sm_50.cubin", ".sm_53.cubin", ".linked.sm_50.cubin"};
enum { CODES = sizeof suffixes / sizeof *suffixes };

static void same_numbers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct rig_mode machine = rig_cubin_modes[1];
        run(&rig_modes[1], i);
        for (unsigned s = 0; s < CODES; s++) {
            machine.suffix = suffixes[s];
            run(&machine, i);
        }
    }
}

/* Only what calls itself or something unknown gets a stack of unknown depth. */
static void stacks(void **state)
{
    (void)state;
    for (unsigned s = 0; s < CODES; s++) {
        struct rig rig;
        struct rig_mode machine = rig_cubin_modes[1];
        struct atoll_error error = {0};
        machine.suffix = suffixes[s];
        rig_open(&rig, &machine, DATA_DIR "/kernels", "calls");
        for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
            struct atoll_kernel *kernel = NULL;
            struct atoll_kernel_info info;
            assert_true(atoll_module_kernel(rig.module, kernels[i].kernel, &kernel, &error));
            atoll_kernel_describe(kernel, &info);
            assert_int_equal(info.local_bytes, kernels[i].stack);
        }
        rig_close(&rig);
    }
}

/* objects.linked: two files joined by nvlink 11.8. Kernel k turns round shared words, 3 * tid each, calls a function of
 * the other file with tid and the word, multiplies by a constant of the other file and adds tid. The function keeps the
 * word in shared memory of its own, divides f64 by a routine of the compiler with constants of its own, and adds the
 * word. */
static void two_objects(void **state)
{
    (void)state;
    struct rig rig;
    struct rig_args args = {0};
    struct rig_mode machine = rig_cubin_modes[1];
    uint32_t got[32];
    machine.suffix = ".linked.sm_50.cubin";
    rig_open(&rig, &machine, DATA_DIR "/kernels", "objects");
    uint64_t address = rig_buffer(&rig, NULL, sizeof got);
    rig_u64(&args, address);
    rig_launch(&rig, "k", (struct rig_shape){{1, 1, 1}, {32, 1, 1}, 0}, &args);
    rig_fetch(&rig, address, got, sizeof got);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t word = 3 * (31 - i);
        double quotient = (word + 0x1.9000000000001p+1) / (i + 1.0) * 0x1.f400000000001p+9;
        assert_int_equal(got[i], 7 * ((uint32_t)quotient + word) + i);
    }
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(same_numbers), cmocka_unit_test(two_objects),
                                     cmocka_unit_test(stacks)};
    return cmocka_run_group_tests(all, NULL, NULL);
}

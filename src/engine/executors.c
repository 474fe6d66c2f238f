/* The list of engines: no other file outside of an engine's folder knows one. The interpreter is compiled for several
 * instruction sets of the host, which give the same bits. */
#include "engine/compiler.h"
#include "engine/engine.h"
#include "engine/interp/interp.h"
#ifdef ATOLL_JIT
#include "engine/jit/jit.h"
#endif

#if defined(__x86_64__)
#include <cpuid.h>

/* The parts of x86-64-v3 that the compiler's own query does not name everywhere: f16c, movbe, lzcnt. */
static bool has_rest_of_v3(void)
{
    unsigned a, b, c, d;
    bool ok = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) && (c & bit_MOVBE);
    return ok && __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma") && has_rest_of_v3();
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const struct executor *executor_best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (has_v4())
        return &interp_v4;
    if (has_v3())
        return &interp_v3;
#endif
    return &interp_base;
}

const struct executor *executor_portable(void)
{
    return &interp_base;
}

const struct compiler *compiler_find(void)
{
#ifdef ATOLL_JIT
    return &compiler_llvm;
#else
    return NULL;
#endif
}

bool engine_jit_available(const char **why)
{
    const struct compiler *compiler = compiler_find();
    *why = "it was built without LLVM";
    return compiler && compiler->available(why);
}

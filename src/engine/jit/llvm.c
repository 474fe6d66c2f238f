/* Opening libLLVM. */
#include "engine/jit/llvm.h"

#include "base/once.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names that Debian and LLVM itself give the library. */
static const char *const names[] = {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"};

struct opened {
    struct llvm llvm;
    char *host_cpu, *host_features; /* LLVM's */
    char features[400];             /* of a processor that is not the host's own */
    const char *why;                /* NULL: it is open */
};

static const struct function {
    const char *name;
    size_t at;
} functions[] = {
#define LLVM_ENTRY(name) {"LLVM" #name, offsetof(struct llvm, name)},
    LLVM_FUNCTIONS(LLVM_ENTRY)
#undef LLVM_ENTRY
};

static const char *find_functions(struct llvm *llvm)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(llvm->library, functions[i].name);
        if (!found)
            return functions[i].name;
        __builtin_memcpy((char *)llvm + functions[i].at, &found, sizeof found);
    }
    return NULL;
}

/* What LLVM makes code for: functions of their own for each target, which the headers hide behind macros. */
static bool start_target(const struct llvm *llvm)
{
#if defined(__x86_64__)
#define JIT_TARGET "X86"
#elif defined(__aarch64__)
#define JIT_TARGET "AArch64"
#else
    (void)llvm;
    return false;
#endif
#ifdef JIT_TARGET
    static const char *const starts[] = {"LLVMInitialize" JIT_TARGET "TargetInfo", "LLVMInitialize" JIT_TARGET "Target",
                                         "LLVMInitialize" JIT_TARGET "TargetMC",
                                         "LLVMInitialize" JIT_TARGET "AsmPrinter"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        void (*start)(void);
        void *found = dlsym(llvm->library, starts[i]);
        if (!found)
            return false;
        __builtin_memcpy(&start, &found, sizeof start);
        start();
    }
    return true;
#endif
}

/* Processors that code can be made for in the place of the host's own: each has what those before it have. Of their
 * features those are named that emitting asks for. */
static const struct host {
    const char *cpu, *features;
} hosts[] = {
    {"x86-64", "+sse2"},
    {"x86-64-v2", "+cx16,+popcnt,+sse4.1,+sse4.2,+ssse3"},
    {"x86-64-v3", "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"},
    {"x86-64-v4", "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"},
};
enum { HOSTS = sizeof hosts / sizeof *hosts };

/* Are all of these among those? */
static bool has_all(const char *features, const char *among)
{
    for (size_t n; *features; features += n + (features[n] == ',')) {
        char name[24];
        n = strcspn(features, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, features);
        const char *found = strstr(among, name);
        while (found && found[strlen(name)] && found[strlen(name)] != ',')
            found = strstr(found + 1, name);
        if (!found)
            return false;
    }
    return true;
}

/* The variable ATOLL_CPU names one of them. */
static const char *take_host(struct opened *opened)
{
    struct llvm *llvm = &opened->llvm;
    char *features = opened->features;
    const char *wanted = getenv("ATOLL_CPU");
    size_t used = 0;
    for (unsigned i = 0; wanted && *wanted && i < HOSTS; i++) {
        if (!has_all(hosts[i].features, llvm->features))
            return "this is no processor as ATOLL_CPU names it";
        used +=
            (size_t)snprintf(features + used, sizeof opened->features - used, "%s%s", i ? "," : "", hosts[i].features);
        if (strcmp(hosts[i].cpu, wanted) != 0)
            continue;
        snprintf(features + used, sizeof opened->features - used, ","); /* as LLVM's own list, whose names all end so */
        llvm->DisposeMessage(opened->host_cpu);
        llvm->DisposeMessage(opened->host_features);
        llvm->cpu = hosts[i].cpu;
        llvm->features = features;
        return NULL;
    }
    return wanted && *wanted ? "ATOLL_CPU: wanted x86-64, x86-64-v2, x86-64-v3 or x86-64-v4" : NULL;
}

static void open_library(struct opened *opened)
{
    struct llvm *llvm = &opened->llvm;
    for (size_t i = 0; i < sizeof names / sizeof *names && !llvm->library; i++)
        llvm->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!llvm->library)
        opened->why = "libLLVM 19 is not installed";
    else if (find_functions(llvm))
        opened->why = "libLLVM lacks functions of version 19";
    else if (!start_target(llvm))
        opened->why = "libLLVM has no target for this host";
    if (opened->why)
        return;
    llvm->triple = llvm->GetDefaultTargetTriple();
    llvm->cpu = opened->host_cpu = llvm->GetHostCPUName();
    llvm->features = opened->host_features = llvm->GetHostCPUFeatures();
    opened->why = take_host(opened);
    const char *tight = getenv("ATOLL_TIGHT");
    llvm->tight = tight && *tight;
}

MADE_ONCE(const struct opened) library;

static void open_once(void)
{
    struct opened *made = calloc(1, sizeof *made);
    if (made)
        open_library(made);
    atomic_store(&library, made);
}

const struct llvm *llvm_open(const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* LLVM's list of targets is not made for two threads */
    pthread_once(&once, open_once);
    const struct opened *opened = once_get(library);
    *why = opened ? opened->why : "out of memory";
    return *why ? NULL : &opened->llvm;
}

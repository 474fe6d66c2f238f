/* From a decoded kernel to code of the host. */
#include "base/sha256.h"
#include "engine/interp/step.h"
#include "engine/jit/ahead.h"
#include "engine/jit/blocks.h"
#include "engine/jit/cache.h"
#include "engine/jit/formats.h"
#include <llvm/Config/llvm-config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what compiled code calls ---------------------------------------------------------------------------------------
 */

static bool call_step(struct warp *w, struct jit_code *code, uint32_t index)
{
    const struct step *s = &code->steps[index % JIT_MORE], *last = s + index / JIT_MORE;
    bool went = true;
    w->worker->stepped += 1 + index / JIT_MORE;
    w->pc = NULL;
    for (; went && s <= last; s++)
        if (s->go)
            went = s->go(w, s) == s + 1;
        else
            s->run[w->frame.exec != ALL_LANES](&w->frame, &s->at);
    w->pc = NULL;
    return went;
}

static void call_kernel(struct warp *w, struct jit_code *code, uint32_t index)
{
    w->worker->stepped++;
    code->steps[index].kernel(&w->frame, &code->steps[index].at);
}

static void call_finish(struct warp *w, struct jit_code *code)
{
    loose_finish_frame(w->frame.regs, code->loose, code->nloose, code->daz);
}

static void call_exit(struct warp *w, uint32_t lanes)
{
    w->frame.exec = w->live;
    warp_exit(w, lanes);
}

static void call_unwind(struct warp *w, uint32_t lanes, uint32_t kind)
{
    tokens_unwind(w, lanes, kind);
}

static void call_update(struct jit_code *code, uint32_t how, uint32_t lanes, struct jit_places *places)
{
    const struct decoded *at = &code->func->decoded[how % JIT_OWNED];
    const struct lane_access *access = at->access;
    enum lane_type type = how >> JIT_TYPE;
    const struct atomic_row *row = type == LANE_VOID ? at->atomic : atomic_find(access->atomic, type);
    (how & JIT_OWNED ? row->plain_warp : row->shared_warp)(places->target, at->ndst && at->bits[0] ? places->old : NULL,
                                                           places->b, places->c, lanes, atomic_flushes(access),
                                                           lane_is(at->op, LANE_TEXELS) ? LANE_RELAXED : access->order);
}

/* ---- subnormals as zero, sources and results: while code runs, and not in what it calls ----------------------------
 */

#if defined(__x86_64__)
enum { DAZ = 1 << 6 | 1 << 15 }; /* of MXCSR, FTZ too */

static unsigned set_daz(bool daz)
{
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(daz ? before | DAZ : before & ~(unsigned)DAZ);
    return before;
}

static void restore(unsigned before)
{
    __builtin_ia32_ldmxcsr(before);
}
#else
static unsigned set_daz(bool daz)
{
    (void)daz;
    return 0;
}

static void restore(unsigned before)
{
    (void)before;
}
#endif

static uint32_t run_daz(struct warp *w, struct jit_code *code, uint32_t entry, struct jit_call *call)
{
    unsigned before = set_daz(true);
    uint32_t how = code->daz_run(w, code, entry, call);
    restore(before);
    return how;
}

static bool call_step_daz(struct warp *w, struct jit_code *code, uint32_t index)
{
    unsigned before = set_daz(false);
    bool went = call_step(w, code, index);
    restore(before);
    return went;
}

static void call_kernel_daz(struct warp *w, struct jit_code *code, uint32_t index)
{
    unsigned before = set_daz(false);
    call_kernel(w, code, index);
    restore(before);
}

static void call_finish_daz(struct warp *w, struct jit_code *code)
{
    unsigned before = set_daz(false);
    call_finish(w, code);
    restore(before);
}

static void call_update_daz(struct jit_code *code, uint32_t how, uint32_t lanes, struct jit_places *places)
{
    unsigned before = set_daz(false);
    call_update(code, how, lanes, places);
    restore(before);
}

/* Somebody may be told of the launch's progress there. */
static bool call_round_daz(struct block *block)
{
    unsigned before = set_daz(false);
    bool on = jit_round(block);
    restore(before);
    return on;
}

static void use_daz(struct jit_code *code)
{
    code->daz_run = code->run;
    code->run = run_daz;
    code->step = call_step_daz;
    code->kernel = call_kernel_daz;
    code->finish = call_finish_daz;
    code->round = call_round_daz;
    code->update = call_update_daz;
}

/* ---- the module -----------------------------------------------------------------------------------------------------
 */

static void make_types(struct emit *e)
{
    e->i1 = e->llvm->Int1TypeInContext(e->context);
    e->i8 = e->llvm->Int8TypeInContext(e->context);
    e->i16 = e->llvm->Int16TypeInContext(e->context);
    e->i32 = e->llvm->Int32TypeInContext(e->context);
    e->i64 = e->llvm->Int64TypeInContext(e->context);
    e->i128 = e->llvm->IntTypeInContext(e->context, 128);
    e->f32 = e->llvm->FloatTypeInContext(e->context);
    e->f64 = e->llvm->DoubleTypeInContext(e->context);
    e->ptr = e->llvm->PointerTypeInContext(e->context, 0);
    e->nothing = e->llvm->VoidTypeInContext(e->context);
}

static bool has_feature(const struct llvm *llvm, const char *feature)
{
    return strstr(llvm->features, feature) != NULL;
}

/* Processors that are known to load elements from anywhere at once more quickly than one by one, and to store them so:
 * Intel's whose gathers need no mitigation ("Gather Data Sampling"; measured on the second of them, taken for granted
 * of its neighbours), and AMD's Zen 4, where it was measured to be so of memory, but not of tables that lie in the
 * cache. */
static void find_gathers(struct emit *e)
{
    static const struct {
        const char *cpu;
        bool tables;
    } known[] = {{"sapphirerapids", true}, {"emeraldrapids", true}, {"graniterapids", true}, {"znver4", false}};
    for (unsigned i = 0; i < sizeof known / sizeof *known && e->vector_bits == 512; i++)
        if (strncmp(e->llvm->cpu, known[i].cpu, strlen(known[i].cpu)) == 0) {
            e->gathers = true;
            e->gathers_tables = known[i].tables;
        }
}

static void find_host(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    e->vector_bits = 128;
    e->has_fma = true;
    if (!JIT_X86)
        return;
    e->vector_bits = has_feature(llvm, "+avx512vl") && has_feature(llvm, "+avx512bw") ? 512
                     : has_feature(llvm, "+avx2")                                     ? 256
                                                                                      : 128;
    e->has_fma = has_feature(llvm, "+fma,");
    e->has_upper = has_feature(llvm, "+avx,");
    e->swaps_wide = has_feature(llvm, "+cx16");
    find_gathers(e);
}

/* In the order in which they run, with our own between the two and behind them. The code is SSA but for the variables
 * of slots; what is left is what the emitter repeats: masks, addresses, invariants in loops. */
#define VALUES     "function(mem2reg)"
#define PASSES     "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),early-cse,adce)"
#define FEW_PASSES "function(early-cse,adce)" /* none that joins blocks */

static bool run_passes(struct emit *e, LLVMTargetMachineRef machine, const char *passes, const char **why)
{
    LLVMPassBuilderOptionsRef options = e->llvm->CreatePassBuilderOptions();
    LLVMErrorRef failed = e->llvm->RunPasses(e->module, passes, machine, options);
    e->llvm->DisposePassBuilderOptions(options);
    if (failed) {
        e->llvm->DisposeErrorMessage(e->llvm->GetErrorMessage(failed));
        *why = "LLVM's passes failed";
    }
    return !failed;
}

static bool improve(struct emit *e, LLVMTargetMachineRef machine, const char **why)
{
    if (!run_passes(e, machine, VALUES, why))
        return false;
    if (!pure_relax(e)) {
        *why = "out of memory";
        return false;
    }
    apart_all(e);
    narrow_all(e);
    if (!run_passes(e, machine, jit_is_large(e->flow) ? FEW_PASSES : PASSES, why))
        return false;
    merges_part(e);
    sums_hide(e);
    masks_expand(e);
    return true;
}

static bool verify(struct emit *e, const char **why)
{
#ifndef NDEBUG
    char *message = NULL;
    if (e->llvm->VerifyModule(e->module, LLVMReturnStatusAction, &message))
        *why = "internal error: the module is not sound";
    e->llvm->DisposeMessage(message);
    return !*why;
#else
    (void)e;
    (void)why;
    return true;
#endif
}

static LLVMTargetMachineRef make_machine(const struct llvm *llvm, const char **why)
{
    LLVMTargetRef target;
    char *message = NULL;
    if (llvm->GetTargetFromTriple(llvm->triple, &target, &message)) {
        llvm->DisposeMessage(message);
        *why = "LLVM has no target for this host";
        return NULL;
    }
    char features[8192];
    snprintf(features, sizeof features, "%s%s", JIT_X86 ? "-vzeroupper," : "", llvm->features); /* emit_clear_upper */
    return llvm->CreateTargetMachine(target, llvm->triple, llvm->cpu, features, LLVMCodeGenLevelLess, LLVMRelocPIC,
                                     LLVMCodeModelDefault);
}

static void set_target(struct emit *e, LLVMTargetMachineRef machine)
{
    LLVMTargetDataRef layout = e->llvm->CreateTargetDataLayout(machine);
    e->llvm->SetModuleDataLayout(e->module, layout);
    e->llvm->DisposeTargetData(layout);
    e->llvm->SetTarget(e->module, e->llvm->triple);
}

/* Looked at between what takes long: whoever closes a program waits for this thread. */
static bool closing(const struct program *program, const char **why)
{
    bool stop = __atomic_load_n(&program->closing, __ATOMIC_RELAXED);
    *why = stop ? "its module was closed" : *why;
    return stop;
}

/* The module as an object file. */
static LLVMMemoryBufferRef make_object(struct emit *e, LLVMTargetMachineRef machine, const char **why)
{
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    if (!verify(e, why) || closing(e->program, why) || !improve(e, machine, why) || !verify(e, why) ||
        closing(e->program, why))
        return NULL;
    if (e->llvm->TargetMachineEmitToMemoryBuffer(machine, e->module, LLVMObjectFile, &message, &object)) {
        e->llvm->DisposeMessage(message);
        *why = "LLVM made no code of the module";
        return NULL;
    }
    return object;
}

/* What the object depends on: the module, and how and for which host code is made of it. */
static void make_key(const struct emit *e, uint8_t key[CACHE_KEY])
{
    struct sha256 sha;
    LLVMMemoryBufferRef bits = e->llvm->WriteBitcodeToMemoryBuffer(e->module);
    sha256_begin(&sha);
    static const char passes[] = VALUES " relaxed, hidden sides, apart, narrow, merges, sums, parted, upper " PASSES;
    sha256_add(&sha, passes, sizeof passes);
    sha256_add(&sha, LLVM_VERSION_STRING, sizeof LLVM_VERSION_STRING);
    sha256_add(&sha, e->llvm->cpu, strlen(e->llvm->cpu) + 1);
    sha256_add(&sha, e->llvm->features, strlen(e->llvm->features) + 1);
    sha256_add(&sha, e->llvm->GetBufferStart(bits), e->llvm->GetBufferSize(bits));
    sha256_end(&sha, key);
    e->llvm->DisposeMemoryBuffer(bits);
}

static LLVMMemoryBufferRef find_object(const struct emit *e, const uint8_t key[CACHE_KEY])
{
    LLVMMemoryBufferRef object = NULL;
    void *bytes;
    size_t size;
    if (!cache_find(key, &bytes, &size))
        return NULL;
    object = e->llvm->CreateMemoryBufferWithMemoryRangeCopy(bytes, size, "kernel");
    free(bytes);
    return object;
}

static LLVMMemoryBufferRef find_or_make_object(struct emit *e, LLVMTargetMachineRef machine, struct jit_code *code,
                                               const char **why)
{
    uint8_t key[CACHE_KEY];
    set_target(e, machine);
    if (!code->caches || !cache_has_place())
        return make_object(e, machine, why);
    make_key(e, key);
    LLVMMemoryBufferRef object = find_object(e, key);
    code->cached = object != NULL;
    if (object)
        return object;
    object = make_object(e, machine, why);
    if (object)
        cache_store(key, e->llvm->GetBufferStart(object), e->llvm->GetBufferSize(object));
    return object;
}

/* Does it load or store a variable? Those become values: they take no code. */
static bool is_variable(const struct emit *e, LLVMValueRef value)
{
    LLVMOpcode op = e->llvm->GetInstructionOpcode(value);
    if (op != LLVMLoad && op != LLVMStore)
        return false;
    LLVMValueRef place = e->llvm->GetOperand(value, op == LLVMStore);
    return e->llvm->IsAInstruction(place) && e->llvm->GetInstructionOpcode(place) == LLVMAlloca;
}

/* How much code a value takes: vectors are made of a host's, and what bytes cost masks cost, too. All hosts are taken
 * for one with vectors of 256 bits, so that they compile nearly the same kernels. */
static uint64_t weigh_value(const struct emit *e, LLVMValueRef value)
{
    enum { HOST_BITS = 256 };
    LLVMTypeRef type = e->llvm->TypeOf(value);
    if (is_variable(e, value))
        return 0;
    unsigned bits = emit_bits(e, type);
    bits = !bits ? 64 : bits < 8 ? 8 : bits; /* of pointers there are none */
    return 1 + emit_elements(e, type) * bits / HOST_BITS;
}

uint64_t emit_weight(const struct emit *e)
{
    uint64_t weight = 0;
    for (LLVMBasicBlockRef b = e->llvm->GetFirstBasicBlock(e->function); b; b = e->llvm->GetNextBasicBlock(b))
        for (LLVMValueRef v = e->llvm->GetFirstInstruction(b); v; v = e->llvm->GetNextInstruction(v))
            weight += weigh_value(e, v);
    return weight;
}

static const char too_much[] = "more code than is compiled"; /* for which tight code may be the way out */

/* Why it takes LLVM too long; NULL: it does not. */
static const char *find_excess(const struct emit *e)
{
    uint64_t blocks = 0, weight = emit_weight(e), slots = e->flow->nslots;
    uint64_t most = e->flow->many ? JIT_WEIGHT_MANY : e->tight ? JIT_WEIGHT_TIGHT : JIT_WEIGHT;
    for (LLVMBasicBlockRef b = e->llvm->GetFirstBasicBlock(e->function); b; b = e->llvm->GetNextBasicBlock(b))
        blocks++;
    if (weight > most / 2 * 3) /* tight code weighs a third less at most */
        return "far more code than is compiled";
    bool much = weight > most || blocks * slots > JIT_SPREAD || (e->flow->many && weight * slots > JIT_TANGLE);
    return much || (!e->tight && e->llvm->tight) ? too_much : NULL;
}

/* ---- loading --------------------------------------------------------------------------------------------------------
 */

static bool llvm_failed(const struct llvm *llvm, LLVMErrorRef error)
{
    if (error)
        llvm->DisposeErrorMessage(llvm->GetErrorMessage(error));
    return error != NULL;
}

/* Takes the object. */
static bool load_object(const struct llvm *llvm, struct jit_code *code, LLVMMemoryBufferRef object)
{
    LLVMOrcLLJITRef jit = NULL;
    LLVMOrcExecutorAddress address = 0;
    LLVMOrcDefinitionGeneratorRef process = NULL;
    if (llvm_failed(llvm, llvm->OrcCreateLLJIT(&jit, NULL))) {
        llvm->DisposeMemoryBuffer(object);
        return false;
    }
    code->jit = jit;
    LLVMOrcJITDylibRef dylib = llvm->OrcLLJITGetMainJITDylib(jit);
    if (!llvm_failed(llvm, llvm->OrcCreateDynamicLibrarySearchGeneratorForProcess(
                               &process, llvm->OrcLLJITGetGlobalPrefix(jit), NULL, NULL)))
        llvm->OrcJITDylibAddGenerator(dylib, process);
    if (llvm_failed(llvm, llvm->OrcLLJITAddObjectFile(jit, dylib, object)) ||
        llvm_failed(llvm, llvm->OrcLLJITLookup(jit, &address, "run")))
        return false;
    uintptr_t found = (uintptr_t)address;
    memcpy(&code->run, &found, sizeof code->run);
    return true;
}

/* ---- a kernel -------------------------------------------------------------------------------------------------------
 */

static bool compile(const struct llvm *llvm, const struct program *program, struct jit_code *code,
                    const struct setting *setting, const char **why)
{
    struct emit e = {.llvm = llvm,
                     .program = program,
                     .func = code->func,
                     .flow = &code->flow,
                     .lanes = LANES,
                     .tight = code->tight,
                     .kinds = formats_kinds(setting->formats)};
    e.context = llvm->ContextCreate();
    e.module = llvm->ModuleCreateWithNameInContext("kernel", e.context);
    e.builder = llvm->CreateBuilderInContext(e.context);
    make_types(&e);
    find_host(&e);
    LLVMTargetMachineRef machine = make_machine(llvm, why);
    LLVMMemoryBufferRef object = NULL;
    if (machine && !blocks_emit(&e, code))
        *why = "out of memory";
    else if (machine)
        *why = find_excess(&e);
    if (machine && !*why)
        object = find_or_make_object(&e, machine, code, why);
    if (machine)
        llvm->DisposeTargetMachine(machine);
    llvm->DisposeBuilder(e.builder);
    llvm->DisposeModule(e.module);
    llvm->ContextDispose(e.context);
    if (object && !load_object(llvm, code, object))
        *why = "LLVM cannot load the code";
    if (code->run && code->daz)
        use_daz(code);
    return object && code->run;
}

static struct jit_code *new_code(const struct program *program, bool caches, bool tight)
{
    struct jit_code *code = calloc(1, sizeof *code);
    if (!code)
        return NULL;
    code->func = &program->funcs[program->kernel];
    code->steps = func_point(code->func, 0);
    code->steps = code->steps->real ? code->steps->real : code->steps; /* code for other launches may be there */
    code->step = call_step;
    code->kernel = call_kernel;
    code->exit = call_exit;
    code->round = jit_round;
    code->again = jit_again;
    code->caches = caches;
    code->tight = tight;
    code->unwind = call_unwind;
    code->resume = tokens_resume;
    code->update = call_update;
    code->finish = call_finish;
    ahead_find(code);
    code->generation = space_generation_at(device_space(program->device));
    return code;
}

static struct jit_code *make_code(const struct llvm *llvm, const struct program *program, const struct setting *setting,
                                  bool caches, bool tight, const char **why)
{
    struct jit_code *code = new_code(program, caches, tight);
    *why = code ? NULL : "out of memory";
    if (!code || closing(program, why) || !flow_make(&code->arena, code->func, &setting->tids, &code->flow, why) ||
        !compile(llvm, program, code, setting, why)) {
        *why = *why ? *why : "out of memory";
        jit_free(code);
        return NULL;
    }
    return code;
}

struct jit_code *jit_compile(const struct program *program, const struct setting *setting, bool caches,
                             const char **why)
{
    double start = host_seconds();
    const struct llvm *llvm = llvm_open(why);
    struct jit_code *code = llvm ? make_code(llvm, program, setting, caches, false, why) : NULL;
    if (llvm && !code && *why == too_much)
        code = make_code(llvm, program, setting, caches, true, why);
    if (code)
        code->seconds = host_seconds() - start;
    return code;
}

void jit_free(struct jit_code *code)
{
    const char *why;
    if (!code)
        return;
    const struct llvm *llvm = llvm_open(&why);
    if (code->jit)
        llvm_failed(llvm, llvm->OrcDisposeLLJIT(code->jit));
    arena_free(&code->arena);
    free(code);
}

/* The compiled forms of pure operations against the interpreter's kernels, row by row of the table of meanings: special
 * and random values, all lanes and some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/interp/step.h"
#include "engine/jit/emit.h"
#include "engine/jit/flow.h"
#include "engine/jit/jit.h"
#include "engine/meaning/kernel.h"
#include "lane/form.h"
#include "mem/space.h"
#include "skip.h"

enum {
    SLOT = 512,
    OPERANDS = 32,                        /* destinations first */
    CONSTANTS_AT = (OPERANDS + 1) * SLOT, /* of sources, as many; slot OPERANDS is the guard */
    FRAME = CONSTANTS_AT + OPERANDS * SLOT,
    BATCH = 48, /* functions of a module */
    ROUNDS = 60,
};

/* interp/machine.c, of the base instruction set. */
kernel_fn *machine_find_base(const struct lane_inst *inst);

typedef void compiled_fn(struct warp *, unsigned char *regs, struct jit_code *, struct jit_call *);

/* ---- one instruction ------------------------------------------------------------------------------------------------
 */

struct one {
    struct lane_inst inst;
    kernel_fn *kernel;
    struct decoded decoded;
    uint32_t offsets[OPERANDS];
    uint8_t bits[OPERANDS];
    const struct one *after; /* the same function goes on with it; NULL: none */
    LLVMValueRef function;
    unsigned number;
    int constant;
    uint64_t value; /* of the constant */
    bool once;      /* all lanes have the same, and it is carried out for one */
    compiled_fn *run;
};

static const char *describe(const struct lane_inst *inst)
{
    static char text[200];
    snprintf(text, sizeof text, "%s.%s (type2 %s) round %u flags %u cmp %u mode %u aux %u", lane_rows[inst->op].name,
             lane_type_name(inst->type), lane_type_name(inst->type2), inst->round, inst->flags, inst->cmp, inst->mode,
             inst->aux);
    return text;
}

/* How many operands a row's letters stand for; parts of pack and unpack are as many as fit. */
static unsigned operands(const struct lane_inst *inst, const char *letters)
{
    if (strchr(letters, '*'))
        return lane_type_bits(inst->type) / lane_type_bits(inst->type2);
    return (unsigned)strlen(letters);
}

/* `constant`: number of the source that is one; `absent`: optional operands are not there. */
static void make(struct one *one, const struct func *func, const struct lane_inst *inst, int constant, bool absent)
{
    const struct lane_row *form = &lane_rows[inst->op];
    unsigned ndst = operands(inst, form->dst), nsrc = operands(inst, form->src);
    memset(one, 0, sizeof *one);
    one->inst = *inst;
    one->inst.ndst = (uint8_t)ndst;
    one->inst.nsrc = (uint8_t)nsrc;
    const struct meaning *row = meaning_find_base(inst);
    one->kernel = row ? row->run : machine_find_base(inst);
    for (unsigned k = 0; k < ndst + nsrc; k++) {
        char letter = k < ndst ? lane_letter(form->dst, k) : lane_letter(form->src, k - ndst);
        bool none = letter == 'o' && absent;
        bool is_constant = constant >= 0 && k == ndst + (unsigned)constant;
        one->bits[k] = (uint8_t)(none ? 0 : lane_letter_width(inst, letter));
        one->offsets[k] = none ? KERNEL_NONE : k * SLOT + (is_constant ? CONSTANTS_AT : 0);
    }
    one->decoded = (struct decoded){.inst = &one->inst,
                                    .func = func,
                                    .offsets = one->offsets,
                                    .bits = one->bits,
                                    .op = inst->op,
                                    .flags = inst->flags,
                                    .ndst = (uint8_t)ndst,
                                    .nsrc = (uint8_t)nsrc,
                                    .guard = KERNEL_NONE};
    one->constant = constant;
}

/* The constant of an instruction, in all lanes. */
static void place_constant(const struct one *one, unsigned char *constants)
{
    unsigned k = one->decoded.ndst + (unsigned)one->constant, bytes = one->bits[k] / 8u;
    uint32_t word = one->value & 1 ? ALL_LANES : 0;
    if (one->constant < 0)
        return;
    if (one->bits[k] == 1)
        memcpy(constants + k * SLOT, &word, 4);
    for (unsigned at = 0; bytes && at < SLOT; at += bytes)
        memcpy(constants + k * SLOT + at, &one->value, bytes < 8 ? bytes : 8);
}

/* ---- compiling ------------------------------------------------------------------------------------------------------
 */

static void open_types(struct emit *e)
{
    const struct llvm *llvm = e->llvm;
    e->i1 = llvm->Int1TypeInContext(e->context);
    e->i8 = llvm->Int8TypeInContext(e->context);
    e->i16 = llvm->Int16TypeInContext(e->context);
    e->i32 = llvm->Int32TypeInContext(e->context);
    e->i64 = llvm->Int64TypeInContext(e->context);
    e->i128 = llvm->IntTypeInContext(e->context, 128);
    e->f32 = llvm->FloatTypeInContext(e->context);
    e->f64 = llvm->DoubleTypeInContext(e->context);
    e->ptr = llvm->PointerTypeInContext(e->context, 0);
    e->nothing = llvm->VoidTypeInContext(e->context);
}

struct rig {
    const struct llvm *llvm;
    LLVMTargetMachineRef machine;
    LLVMOrcLLJITRef jit;
    const char *cpu, *features;
    bool has_fma;
    unsigned vector_bits;
    struct func func;
    struct flow flow;
    uint8_t form; /* of all slots */
    uint64_t kept;
    struct emit emit;
    struct warp warp;
    struct block block;
    struct worker worker;
    struct run run;
    struct program program;
    struct atoll_launch_options launch;
    struct jit_code code;
    struct jit_call call;
    const struct one *one; /* that runs */
    unsigned char constants[OPERANDS * SLOT];
    unsigned functions, steps, count[LANE_OPS][2];
};

/* "add_u32_void_12" */
static void name_of(const struct one *one, char name[64])
{
    snprintf(name, 64, "%s_%s_%s_%u", lane_rows[one->inst.op].name, lane_type_name(one->inst.type),
             lane_type_name(one->inst.type2), one->number);
}

static bool compile_one(struct rig *rig, struct one *one)
{
    struct emit *e = &rig->emit;
    char name[64];
    one->number = rig->functions++;
    name_of(one, name);
    LLVMTypeRef params[] = {e->ptr, e->ptr, e->ptr, e->ptr};
    e->function = e->llvm->AddFunction(e->module, name, e->llvm->FunctionType(e->nothing, params, 4, false));
    one->function = e->function;
    for (unsigned i = 0; i < 2; i++) {
        static const char *const names[] = {"target-cpu", "target-features"};
        const char *text = i ? rig->features : rig->cpu;
        e->llvm->AddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                     e->llvm->CreateStringAttribute(e->context, names[i], (unsigned)strlen(names[i]),
                                                                    text, (unsigned)strlen(text)));
    }
    e->llvm->AddAttributeAtIndex(e->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 e->llvm->CreateStringAttribute(e->context, "prefer-vector-width", 19, "512", 3));
    LLVMBasicBlockRef entry = emit_block(e, ""), body = emit_block(e, "");
    e->stopped = emit_block(e, "");
    emit_begin(e, e->stopped);
    e->llvm->BuildRet(e->builder, NULL);
    e->llvm->PositionBuilderAtEnd(e->entry_builder, entry);
    emit_begin(e, body);
    e->warp = e->llvm->GetParam(e->function, 0);
    e->regs = e->llvm->GetParam(e->function, 1);
    e->code = e->llvm->GetParam(e->function, 2);
    e->call = e->llvm->GetParam(e->function, 3);
    e->warp_builder = e->block_builder = e->part_builder = e->entry_builder; /* there is but one warp */
    e->given = e->warp;
    e->given_regs = e->regs;
    e->worker = e->block = NULL;
    rig->func.decoded = &one->decoded;
    e->exec = emit_field(e, e->warp, offsetof(struct warp, frame.exec), e->i32);
    memset(e->variables, 0, FRAME / 4 * sizeof *e->variables);
    rig->form = one->once ? FORM_SAME : FORM_NONE;
    rig->kept = one->once ? 0 : UINT64_MAX;
    for (const struct one *o = one; o; o = o->after)
        for (unsigned k = 0; k < (unsigned)o->decoded.ndst + o->decoded.nsrc; k++)
            if (o->bits[k] && o->offsets[k] < CONSTANTS_AT)
                emit_fill(e, o->offsets[k], o->bits[k], e->exec);
    place_constant(one, rig->constants);
    bool taken = true;
    e->lanes = one->once ? 1 : LANES;
    for (const struct one *o = one; o; o = o->after)
        taken = taken && emit_pure(e, &o->decoded);
    e->lanes = LANES;
    for (const struct one *o = one; o; o = o->after)
        for (unsigned k = 0; k < o->decoded.ndst; k++)
            if (o->bits[k])
                emit_spill(e, o->offsets[k], o->bits[k]);
    e->llvm->BuildBr(e->entry_builder, body);
    e->llvm->BuildRet(e->builder, NULL);
    return taken;
}

/* If one is open. */
static void end_module(struct rig *rig)
{
    struct emit *e = &rig->emit;
    if (!e->context)
        return;
    rig->llvm->DisposeBuilder(e->builder);
    rig->llvm->DisposeBuilder(e->entry_builder);
    rig->llvm->DisposeModule(e->module);
    rig->llvm->ContextDispose(e->context);
    e->context = NULL;
}

static void finish_module(struct rig *rig, const struct one *ones, unsigned n)
{
    struct emit *e = &rig->emit;
    const struct llvm *llvm = rig->llvm;
    char *message = NULL;
    if (getenv("JIT_PURE_IR"))
        fputs(llvm->PrintModuleToString(e->module), stderr);
    if (llvm->VerifyModule(e->module, LLVMReturnStatusAction, &message))
        fail_msg("%s", message);
    llvm->DisposeMessage(message);
    LLVMPassBuilderOptionsRef options = llvm->CreatePassBuilderOptions();
    assert_null(llvm->RunPasses(e->module, "function(mem2reg)", rig->machine, options));
    for (unsigned i = 0; i < n; i++) {
        e->function = ones[i].function;
        pure_relax(e);
    }
    assert_null(llvm->RunPasses(
        e->module, "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,early-cse,adce)",
        rig->machine, options));
    llvm->DisposePassBuilderOptions(options);
    LLVMMemoryBufferRef object = NULL;
    if (getenv("JIT_PURE_ASM")) {
        assert_false(
            llvm->TargetMachineEmitToMemoryBuffer(rig->machine, e->module, LLVMAssemblyFile, &message, &object));
        fwrite(llvm->GetBufferStart(object), 1, llvm->GetBufferSize(object), stderr);
    }
    assert_false(llvm->TargetMachineEmitToMemoryBuffer(rig->machine, e->module, LLVMObjectFile, &message, &object));
    assert_null(llvm->OrcLLJITAddObjectFile(rig->jit, llvm->OrcLLJITGetMainJITDylib(rig->jit), object));
    end_module(rig);
}

static void begin_module(struct rig *rig)
{
    struct emit *e = &rig->emit;
    const struct llvm *llvm = rig->llvm;
    struct variable *variables = e->variables;
    end_module(rig);
    *e = (struct emit){.llvm = llvm,
                       .program = &rig->program,
                       .func = &rig->func,
                       .flow = &rig->flow,
                       .variables = variables,
                       .lanes = LANES};
    e->forms = &rig->form;
    e->has_fma = rig->has_fma;
    e->vector_bits = rig->vector_bits;
    e->gathers = rig->vector_bits == 512;
    e->context = llvm->ContextCreate();
    e->module = llvm->ModuleCreateWithNameInContext("m", e->context);
    llvm->SetTarget(e->module, llvm->triple);
    LLVMTargetDataRef data = llvm->CreateTargetDataLayout(rig->machine);
    llvm->SetModuleDataLayout(e->module, data);
    llvm->DisposeTargetData(data);
    e->builder = llvm->CreateBuilderInContext(e->context);
    e->entry_builder = llvm->CreateBuilderInContext(e->context);
    open_types(e);
}

/* ---- values ---------------------------------------------------------------------------------------------------------
 */

static uint64_t random64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t draw(uint64_t *state, unsigned bits)
{
    static const uint64_t special[] = {
        0,
        1,
        2,
        3,
        0x7f,
        0x80,
        0x81,
        0xff,
        0x100,
        0x7ffe,
        0x7fff,
        0x8000,
        0x8001,
        0xffff,
        0x10000,
        0x33b8aa3b, /* ex2, lg2: near the middle of two f32 */
        0x36879cf7,
        0x3c02a9ad,
        0xc3160000,
        0x40207ab9,
        0x0b114a90,
        0x3c00,
        0xbc00,
        0x7c00,
        0xfc00,
        0x7c01,
        0x7e00,
        0xfe01,
        0x03ff,
        0x0400,
        0x8400,
        0x83ff,
        0x7bff,
        0x3f80,
        0xbf80,
        0x7f80,
        0xff80,
        0x7f81,
        0x0080,
        0x007f,
        0x7f7f,
        0x7fffffff,
        0x80000000,
        0x80000001,
        0xffffffff,
        0xfffffffe,
        0x7f800000,
        0xff800000,
        0x7f800001,
        0x7fc00000,
        0xffc00001,
        0x00800000,
        0x807fffff,
        0x007fffff,
        0x00000001,
        0x3f800000,
        0xbf800000,
        0x3f000000,
        0x3effffff,
        0x3fc00000,
        0x40200000,
        0x4effffff,
        0x4f000000,
        0x4f7fffff,
        0x4f800000,
        0xcf000000,
        0xcf000001,
        0x5f000000,
        0x5effffff,
        0x5f800000,
        0x5f7fffff,
        0xdf000000,
        0xdf000001,
        0x47000000,
        0x477fff00,
        0x43000000,
        0x437f0000,
        0xc3000000,
        0x7f7fffff,
        0x33000000,
        0x33000001,
        0x38800000,
        0x387fffff,
        0x477fefff,
        0x477ff000,
        0x7f7f8000,
        0x7fffffffffffffff,
        0x8000000000000000,
        0x8000000000000001,
        0xffffffffffffffff,
        0x7ff0000000000000,
        0xfff0000000000000,
        0x7ff0000000000001,
        0x7ff8000000000000,
        0xfff8000000000001,
        0x0010000000000000,
        0x000fffffffffffff,
        0x800fffffffffffff,
        0x3ff0000000000000,
        0xbff0000000000000,
        0x3fe0000000000000,
        0x3fdfffffffffffff,
        0x41dfffffffc00000,
        0x41dfffffffe00000,
        0x41e0000000000000,
        0xc1e0000000000000,
        0xc1e0000000200000,
        0x41efffffffe00000,
        0x41f0000000000000,
        0x43e0000000000000,
        0x43dfffffffffffff,
        0x43f0000000000000,
        0x43efffffffffffff,
        0xc3e0000000000000,
        0xc3e0000000000001,
        0x47efffffe0000000,
        0x47efffffefffffff,
        0x47effffff0000000,
        0x36a0000000000000,
        0x36a0000000000001,
        0x3690000000000000,
        0x3690000000000001,
        0x380fffffffffffff,
        0x3810000000000000,
        0x7fefffffffffffff,
        0x0000000100000000,
        0x001fffffffffffff,
        0x0020000000000001,
        0x40d0000000000000,
        0xc0e0000000000000,
    };
    uint64_t r = random64(state), kind = r & 15;
    r = random64(state);
    if (kind < 6)
        r = special[r % (sizeof special / sizeof *special)];
    else if (kind < 7)
        r = r & 1 ? 0 - (r >> 1 & 127) : r >> 1 & 127;
    else if (kind < 8) /* near a power of two */
        r = (UINT64_C(1) << (r & 63)) + (r >> 6 & 7) - 3;
    else if (kind < 9 && bits >= 32) { /* small floats */
        float f = (float)(int32_t)(r & 0xffff) / 64 - 400;
        double d = f;
        memcpy(&r, bits == 32 ? (void *)&f : (void *)&d, bits / 8);
    }
    return bits < 64 ? r & ((UINT64_C(1) << bits) - 1) : r;
}

/* Operands whose products, quotients and sums are near the least normal number; conversions to it. */
static uint64_t draw_least(uint64_t *state, unsigned bits)
{
    static const uint32_t singles[] = {0x00800000, 0x3f7fffff, 0x00ffffff, 0x40000000,
                                       0x20000001, 0x1ffffffe, 0x1a000000, 0x19800000};
    static const uint16_t halves[] = {0x0400, 0x3bff, 0x07ff, 0x4000, 0x2001, 0x1ffe, 0x0800, 0x0080, 0x3f7f, 0x00ff};
    static const uint64_t doubles[] = {0x380fffffe0000000, 0x380fffffefffffff, 0x380ffffff0000000, 0x380fffffffffffff};
    uint64_t r = random64(state), sign = r >> 63 << (bits - 1);
    r >>= 8;
    return sign | (bits == 64   ? doubles[r % 4]
                   : bits == 32 ? singles[r % 8]
                                : halves[r % (sizeof halves / sizeof *halves)]);
}

static uint64_t draw_any(uint64_t *state, unsigned bits, bool least)
{
    bits = bits > 64 ? 64 : bits;
    return least && bits >= 16 ? draw_least(state, bits) : draw(state, bits);
}

static void fill(uint64_t *state, unsigned char *slot, unsigned bits, bool same, bool least)
{
    unsigned bytes = bits == 1 ? 0 : bits / 8;
    uint32_t word = (uint32_t)random64(state);
    word = same && word & 1 ? ALL_LANES : same ? 0 : word;
    if (bits == 1)
        memcpy(slot, &word, 4);
    uint64_t x = bits > 1 ? draw_any(state, bits, least) : 0;
    for (unsigned l = 0; bytes && l < LANES; l++) {
        for (unsigned part = 0; part < bytes; part += 8) {
            x = same && bits <= 64 ? x : draw_any(state, bits, least);
            memcpy(slot + l * bytes + part, &x, bytes < 8 ? bytes : 8);
        }
    }
}

/* ---- comparing ------------------------------------------------------------------------------------------------------
 */

static void run_kernel(const struct one *one, struct warp *warp, unsigned char *regs)
{
    const uint32_t *dst = one->offsets, *src = one->offsets + one->decoded.ndst;
    unsigned ndst = one->decoded.ndst, nsrc = one->decoded.nsrc;
    struct step step = {.info = &one->decoded};
    step.at = (struct kernel_operands){.d = dst[0],
                                       .d2 = ndst > 1 ? dst[1] : KERNEL_NONE,
                                       .a = nsrc > 0 ? src[0] : KERNEL_NONE,
                                       .b = nsrc > 1 ? src[1] : KERNEL_NONE,
                                       .c = nsrc > 2 ? src[2] : KERNEL_NONE,
                                       .e = nsrc > 3 ? src[3] : KERNEL_NONE,
                                       .aux = one->inst.aux,
                                       .more = one->offsets};
    warp->frame.regs = regs;
    one->kernel(&warp->frame, &step.at);
}

static void blend(const struct one *one, unsigned char *now, const unsigned char *before, uint32_t exec)
{
    for (unsigned k = 0; k < one->decoded.ndst; k++) {
        unsigned char *to = now + one->offsets[k];
        const unsigned char *from = before + one->offsets[k];
        unsigned bytes = one->bits[k] / 8;
        uint32_t is, was;
        if (one->bits[k] == 1) {
            memcpy(&is, to, 4);
            memcpy(&was, from, 4);
            is = (is & exec) | (was & ~exec);
            memcpy(to, &is, 4);
        }
        for (unsigned l = 0; bytes && l < LANES; l++)
            if (!(exec >> l & 1))
                memcpy(to + l * bytes, from + l * bytes, bytes);
    }
}

static void show(char *text, size_t size, const struct one *one, const unsigned char *regs, unsigned k, unsigned lane)
{
    unsigned bytes = one->bits[k] / 8;
    uint64_t x[2] = {0};
    if (one->bits[k] == 1) {
        memcpy(x, regs + one->offsets[k], 4);
        x[0] = x[0] >> lane & 1;
    } else {
        memcpy(x, regs + one->offsets[k] + lane * bytes, bytes);
    }
    snprintf(text + strlen(text), size - strlen(text), " %llx", (unsigned long long)x[0]);
}

static unsigned lane_of(const struct one *one, unsigned k, const unsigned char *a, const unsigned char *b)
{
    uint32_t x, y;
    memcpy(&x, a + one->offsets[k], 4);
    memcpy(&y, b + one->offsets[k], 4);
    if (one->bits[k] == 1)
        return (unsigned)__builtin_ctz(x ^ y);
    unsigned at = 0;
    while (a[one->offsets[k] + at] == b[one->offsets[k] + at])
        at++;
    return at / (one->bits[k] / 8u);
}

static bool check_results(const struct one *one, const unsigned char *got, const unsigned char *want,
                          const unsigned char *before)
{
    for (unsigned k = 0; k < one->decoded.ndst; k++) {
        size_t bytes = one->bits[k] == 1 ? 4 : one->bits[k] * LANES / 8u;
        if (!one->bits[k] || !memcmp(got + one->offsets[k], want + one->offsets[k], bytes))
            continue;
        char text[600] = "";
        unsigned lane = lane_of(one, k, got, want);
        show(text, sizeof text, one, got, k, lane);
        snprintf(text + strlen(text), sizeof text - strlen(text), ", not");
        show(text, sizeof text, one, want, k, lane);
        snprintf(text + strlen(text), sizeof text - strlen(text), "; sources");
        for (unsigned s = one->decoded.ndst; s < (unsigned)one->decoded.ndst + one->decoded.nsrc; s++)
            if (one->bits[s])
                show(text, sizeof text, one, before, s, lane);
        print_message("%s: result %u, lane %u:%s\n", describe(&one->inst), k, lane, text);
        return false;
    }
    return true;
}

/* The interpreter's step, which compiled code calls where it has no other way. */
static bool call_step(struct warp *warp, struct jit_code *code, uint32_t index)
{
    static _Alignas(64) unsigned char before[FRAME];
    struct rig *rig = (struct rig *)(void *)((char *)code - offsetof(struct rig, code));
    unsigned char *regs = warp->frame.regs;
    assert_int_equal(index, 0);
    memcpy(before, regs, FRAME);
    run_kernel(rig->one, warp, regs);
    blend(rig->one, regs, before, warp->frame.exec);
    rig->steps++;
    return true;
}

static bool check_one(struct rig *rig, const struct one *one, uint64_t *state)
{
    static _Alignas(64) unsigned char before[FRAME], got[FRAME], want[FRAME];
    place_constant(one, rig->constants);
    memcpy(before + CONSTANTS_AT, rig->constants, sizeof rig->constants);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (const struct one *o = one; o; o = o->after)
            for (unsigned k = 0; k < (unsigned)o->decoded.ndst + o->decoded.nsrc; k++)
                if (o->bits[k] && o->offsets[k] < CONSTANTS_AT)
                    fill(state, before + o->offsets[k], o->bits[k], one->once, round % 8 == 3);
        uint32_t exec = round % 4 || one->once ? ALL_LANES : (uint32_t)random64(state);
        memcpy(got, before, FRAME);
        memcpy(want, before, FRAME);
        for (const struct one *o = one; o; o = o->after) {
            static _Alignas(64) unsigned char was[FRAME];
            memcpy(was, want, FRAME);
            run_kernel(o, &rig->warp, want);
            blend(o, want, was, exec);
        }
        rig->warp.frame.exec = exec;
        rig->warp.frame.regs = got;
        rig->one = one;
        one->run(&rig->warp, got, &rig->code, &rig->call);
        for (const struct one *o = one; o; o = o->after)
            if (!check_results(o, got, want, before))
                return false;
    }
    return true;
}

/* ---- all rows -------------------------------------------------------------------------------------------------------
 */

struct batch {
    struct one ones[BATCH];
    unsigned count, total, failed;
};

static void check_batch(struct rig *rig, struct batch *batch, uint64_t *state)
{
    if (!batch->count)
        return;
    finish_module(rig, batch->ones, batch->count);
    for (unsigned i = 0; i < batch->count; i++) {
        char name[64];
        LLVMOrcExecutorAddress address = 0;
        name_of(&batch->ones[i], name);
        LLVMErrorRef error = rig->llvm->OrcLLJITLookup(rig->jit, &address, name);
        if (error)
            fail_msg("%s", rig->llvm->GetErrorMessage(error));
        memcpy(&batch->ones[i].run, &address, sizeof address);
        batch->failed += !check_one(rig, &batch->ones[i], state);
    }
    batch->total += batch->count;
    batch->count = 0;
    begin_module(rig);
}

static void take(struct rig *rig, struct batch *batch, const struct lane_inst *inst, int constant, bool absent,
                 bool once, uint64_t *state)
{
    struct one *one = &batch->ones[batch->count];
    make(one, &rig->func, inst, constant, absent);
    one->once = once;
    static const uint64_t useful[] = {0, 1, 5, 8, 16, 31, 32, 33, 0x3210, 0x5410, 0x7632, 0x4321, 0x8891, 0x0123, 255};
    one->value = useful[random64(state) % (sizeof useful / sizeof *useful)];
    if (lane_is(inst->op, LANE_TRAPS))
        one->value = rig->functions % 3 ? 0 - one->value : random64(state);
    if (!one->kernel) /* no instruction has this row alone */
        return;
    bool taken = compile_one(rig, one);
    if (constant < 0 && !absent && !once)
        rig->count[inst->op][taken]++;
    if (!taken) {
        if (getenv("JIT_PURE_LEFT"))
            print_message("left: %s\n", describe(inst));
        return;
    }
    if (++batch->count == BATCH)
        check_batch(rig, batch, state);
}

static bool goes_once(const struct one *one)
{
    for (unsigned k = 0; k < (unsigned)one->decoded.ndst + one->decoded.nsrc; k++)
        if (one->bits[k] > 64)
            return false;
    return one->kernel && pure_goes_once(&one->decoded);
}

/* Lane by lane, and once for all lanes. */
static void take_both(struct rig *rig, struct batch *batch, const struct lane_inst *inst, int constant, bool absent,
                      uint64_t *state)
{
    struct one one;
    make(&one, &rig->func, inst, constant, absent);
    take(rig, batch, inst, constant, absent, false, state);
    if (goes_once(&one))
        take(rig, batch, inst, constant, absent, true, state);
}

static void take_row(struct rig *rig, struct batch *batch, const struct meaning *row, uint64_t *state)
{
    const struct lane_row *form = &lane_rows[row->op];
    for (unsigned round = 0; round < LANE_ROUNDS; round++) {
        if (row->rounds ? !(row->rounds >> round & 1) : round != LANE_RN)
            continue;
        struct lane_inst inst = {.op = row->op,
                                 .type = row->type,
                                 .type2 = (uint8_t)(row->type2 ? row->type2 - 1 : LANE_VOID),
                                 .round = (uint8_t)round,
                                 .flags = row->flags,
                                 .cmp = (uint8_t)(row->cmp ? row->cmp - 1 : 0),
                                 .mode = (uint8_t)(row->mode ? row->mode - 1 : 0),
                                 .aux = row->aux ? row->aux - 1 : (uint32_t)random64(state) & 511};
        take_both(rig, batch, &inst, -1, false, state);
        if (strchr(form->src, 'o') || strchr(form->dst, 'o'))
            take_both(rig, batch, &inst, -1, true, state);
        if ((strchr(form->src, '4') && !row->cmp) || lane_is(row->op, LANE_TRAPS))
            for (int constant = 0; constant < (int)strlen(form->src); constant++)
                take_both(rig, batch, &inst, constant, false, state);
    }
}

/* Chains of f32 operations, where NaNs in between need not be canonical (pure_nan.c). */
static void take_chains(struct rig *rig, struct batch *batch, uint64_t *state)
{
    static const struct lane_inst insts[] = {
        {.op = LANE_OP_add, .type = LANE_F32},
        {.op = LANE_OP_sub, .type = LANE_F32},
        {.op = LANE_OP_mul, .type = LANE_F32},
        {.op = LANE_OP_div, .type = LANE_F32},
        {.op = LANE_OP_sqrt, .type = LANE_F32},
        {.op = LANE_OP_neg, .type = LANE_F32},
        {.op = LANE_OP_neg, .type = LANE_F32, .flags = LANE_NAN},
        {.op = LANE_OP_abs, .type = LANE_F32, .flags = LANE_NAN | LANE_FTZ},
        {.op = LANE_OP_min, .type = LANE_F32},
        {.op = LANE_OP_mov, .type = LANE_B32},
        {.op = LANE_OP_add, .type = LANE_F32, .flags = LANE_FTZ},
        {.op = LANE_OP_mul, .type = LANE_F32, .flags = LANE_SAT},
        {.op = LANE_OP_cvt, .type = LANE_S32, .type2 = LANE_F32, .round = LANE_RZI},
        {.op = LANE_OP_cvt, .type = LANE_F32, .type2 = LANE_F32, .round = LANE_RN},
        {.op = LANE_OP_rsqrt, .type = LANE_F32},
    };
    enum { LENGTH = 6, REGISTERS = 4, CHAINS = 40 };
    static struct one links[CHAINS][LENGTH];
    for (unsigned i = 0; i < CHAINS; i++) {
        for (unsigned j = 0; j < LENGTH; j++) {
            struct one *one = &links[i][j];
            make(one, &rig->func, &insts[random64(state) % (sizeof insts / sizeof *insts)], -1, false);
            for (unsigned k = 0; k < (unsigned)one->decoded.ndst + one->decoded.nsrc; k++)
                one->offsets[k] = (uint32_t)(random64(state) >> 20) % REGISTERS * SLOT;
            one->after = j + 1 < LENGTH ? &links[i][j + 1] : NULL;
        }
        struct one *head = &batch->ones[batch->count];
        *head = links[i][0];
        head->decoded.inst = &head->inst;
        head->decoded.offsets = head->offsets;
        head->decoded.bits = head->bits;
        assert_true(compile_one(rig, head));
        if (++batch->count == BATCH)
            check_batch(rig, batch, state);
    }
    check_batch(rig, batch, state);
}

/* What the machine has to say, of a launch that never was: each thing another number. */
static void take_machine(struct rig *rig, struct batch *batch, uint64_t *state)
{
    rig->warp = (struct warp){.block = &rig->block, .worker = &rig->worker, .number = 3, .local = 0xfffffff0};
    rig->worker.run = &rig->run;
    rig->run.launch = &rig->launch;
    rig->run.program = &rig->program;
    rig->program.reserved_bytes = 1024;
    rig->run.thread_lanes = rig->func.thread_lanes;
    rig->block.shared_bytes = 4711;
    rig->launch.order = ATOLL_ORDER_PARALLEL;
    for (unsigned i = 0; i < 3; i++) {
        rig->run.grid[i] = 100 + i;
        rig->run.block[i] = 200 + i;
        rig->block.id[i] = 300 + i;
        for (unsigned l = 0; l < LANES; l++)
            rig->warp.tid[i][l] = (i + 1) * 1000 + l;
    }
    for (unsigned mode = 0; mode < LANE_SREGS; mode++) {
        struct lane_inst inst = {.op = LANE_OP_sreg, .type = LANE_B32, .mode = (uint8_t)mode};
        take_both(rig, batch, &inst, -1, false, state);
        inst.type = LANE_B64;
        if (!lane_sreg_is(mode, LANE_SREG_LANES) && mode != LANE_SREG_WARPID)
            take_both(rig, batch, &inst, -1, false, state);
    }
    for (unsigned type = LANE_B32; type <= LANE_B64; type++) {
        struct lane_inst inst = {.op = LANE_OP_frame, .type = (uint8_t)type, .aux = 0x1234};
        take_both(rig, batch, &inst, -1, false, state);
    }
    for (unsigned mode = 0; mode < LANE_SPACES; mode++) {
        struct lane_inst inst = {.op = LANE_OP_isspacep, .mode = (uint8_t)mode};
        take_both(rig, batch, &inst, -1, false, state);
    }
    check_batch(rig, batch, state);
}

/* On a host, as far as it is one that this one can be. */
static void check_rows(const char *cpu, const char *features, bool has_fma, unsigned vector_bits)
{
    static struct rig rig;
    static struct batch batch;
    const char *why = NULL, *wanted = getenv("JIT_PURE_OP");
    memset(&batch, 0, sizeof batch);
    memset(&rig, 0, sizeof rig);
    rig.llvm = llvm_open(&why);
    if (!rig.llvm) {
        print_message("%s\n", why);
        skip();
    }
    char *message = NULL;
    LLVMTargetRef target;
    LLVMOrcLLJITBuilderRef builder = rig.llvm->OrcCreateLLJITBuilder();
    assert_null(rig.llvm->OrcCreateLLJIT(&rig.jit, builder));
    assert_false(rig.llvm->GetTargetFromTriple(rig.llvm->triple, &target, &message));
    rig.cpu = cpu ? cpu : rig.llvm->cpu;
    rig.features = features ? features : rig.llvm->features;
    rig.machine = rig.llvm->CreateTargetMachine(target, rig.llvm->triple, rig.cpu, rig.features, LLVMCodeGenLevelLess,
                                                LLVMRelocPIC, LLVMCodeModelDefault);
    rig.has_fma = has_fma;
    rig.vector_bits = vector_bits;
    rig.code.step = call_step;
    rig.func = (struct func){.thread_lanes = LANES, .every = ALL_LANES, .constants_at = CONSTANTS_AT};
    rig.func.constants = rig.constants;
    static uint8_t fixed[FRAME / 4];
    static uint32_t slot_of[FRAME / 4];
    rig.flow = (struct flow){.func = &rig.func, .fixed = fixed, .slot_of = slot_of, .kept = &rig.kept, .slot_words = 1};
    uint64_t state = 88172645463325252u;
    rig.emit.variables = calloc(FRAME / 4, sizeof *rig.emit.variables);
    begin_module(&rig);
    const struct meaning *row;
    for (size_t i = 0; (row = meaning_row_base(i)); i++)
        if (!wanted || !strcmp(wanted, lane_rows[row->op].name))
            take_row(&rig, &batch, row, &state);
    check_batch(&rig, &batch, &state);
    take_chains(&rig, &batch, &state);
    for (unsigned lanes = 8; lanes <= LANES; lanes *= 2) {
        rig.func.thread_lanes = lanes;
        take_machine(&rig, &batch, &state);
    }
    for (unsigned op = 0; getenv("JIT_PURE_COUNT") && op < LANE_OPS; op++)
        if (rig.count[op][0] + rig.count[op][1])
            print_message("%-10s %4u of %4u\n", lane_rows[op].name, rig.count[op][1],
                          rig.count[op][0] + rig.count[op][1]);
    print_message("%u functions, %u wrong, %u steps\n", batch.total, batch.failed, rig.steps);
    end_module(&rig);
    free(rig.emit.variables);
    rig.llvm->OrcDisposeLLJIT(rig.jit);
    rig.llvm->DisposeTargetMachine(rig.machine);
    assert_int_equal(batch.failed, 0);
}

static void on_this_host(void **state)
{
    (void)state;
#if defined(__x86_64__)
    bool has_fma = __builtin_cpu_supports("fma");
    check_rows(NULL, NULL, has_fma,
               __builtin_cpu_supports("avx512bw") ? 512
               : __builtin_cpu_supports("avx2")   ? 256
                                                  : 128);
#else
    check_rows(NULL, NULL, true, 128);
#endif
}

#if defined(__x86_64__)
/* The oldest x86: no instruction for fma, for rounding to integral values, for f16. */
static void on_oldest_host(void **state)
{
    (void)state;
    check_rows("x86-64", "", false, 128);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_this_host),
#if defined(__x86_64__)
        cmocka_unit_test(on_oldest_host),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Cases of atom and red. A thread has a slot of 16 bytes in the space under test.
 *
 *   input of a thread:   slot before (16) | b (16) | c (16)
 *   output of a thread:  what atom returned (16) | slot after (16)
 */
#include "generate.h"

#include <string.h>

enum { IN_STEP = 48, OUT_STEP = 32, B = 16, C = 32, SLOT = 16, REG_D = 8, MOST_PAIRS = 256 };

/* ---- values --------------------------------------------------------------------------------------------------- */

/* set: what a list of values is about; every pair of the list makes a thread. */
struct values {
    const char *set;
    enum hw_class class;
    unsigned count;
    uint64_t at[12];
};

static const struct values integers32[] = {
    {"edges", HW_ISA, 10, {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x12345678, 0x80000001, 7}}, {0}};
static const struct values integers64[] = {{"edges",
                                            HW_ISA,
                                            10,
                                            {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
                                             0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffffffe}},
                                           {0}};
static const struct values integers16[] = {{"edges", HW_ISA, 6, {0, 1, 0x7fff, 0x8000, 0xffff, 0x1234}}, {0}};
static const struct values floats32[] = {
    {"numbers",
     HW_ISA,
     10,
     {0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x4b800000, 0x3dcccccd, 0x7f7fffff, 0xff7fffff, 0x33800000}},
    {"subnormals",
     HW_ISA,
     9,
     {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001}},
    {"nans",
     HW_MEASURED,
     8,
     {0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f812345, 0xff812345, 0x7f800000, 0xff800000, 0x3f800000}},
    {0}};
static const struct values floats64[] = {
    {"numbers",
     HW_ISA,
     8,
     {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fb999999999999a,
      0x7fefffffffffffff, 0xffefffffffffffff}},
    {"subnormals", HW_ISA, 6, {0, 0x8000000000000000, 1, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000}},
    {"nans",
     HW_MEASURED,
     7,
     {0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000012345678, 0x7ff0000012345678, 0x7ff0000000000000,
      0xfff0000000000000, 0x3ff0000000000000}},
    {0}};
static const struct values halves[] = {
    {"numbers", HW_ISA, 9, {0, 0x3c00, 0xbc00, 0x3c01, 0x6800, 0x2e66, 0x7bff, 0xfbff, 0x1000}},
    {"subnormals", HW_ISA, 7, {0, 1, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400}},
    {"zeros", HW_MEASURED, 2, {0, 0x8000}},
    {"nans", HW_MEASURED, 8, {0x7e00, 0xfe00, 0x7e55, 0x7c55, 0xfc55, 0x7c00, 0xfc00, 0x3c00}},
    {0}};
static const struct values bhalves[] = {
    {"numbers", HW_ISA, 9, {0, 0x3f80, 0xbf80, 0x3f81, 0x4380, 0x3dcd, 0x7f7f, 0xff7f, 0x3400}},
    {"subnormals", HW_ISA, 7, {0, 1, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080}},
    {"zeros", HW_MEASURED, 2, {0, 0x8000}},
    {"nans", HW_MEASURED, 8, {0x7fc0, 0xffc0, 0x7fd5, 0x7f95, 0xff95, 0x7f80, 0xff80, 0x3f80}},
    {0}};

static const struct values *values_of(const struct hw_type *type)
{
    if (type->kind == 'g')
        return bhalves;
    unsigned bytes = type->bytes / type->packed;
    if (type->kind == 'f')
        return bytes == 2 ? halves : bytes == 4 ? floats32 : floats64;
    return bytes == 2 ? integers16 : bytes == 4 ? integers32 : integers64;
}

/* Number `part` of an operand of pair `pair`: which = 0 for the slot, 1 for b, 2 for c. */
static uint64_t value(const struct values *v, unsigned pair, unsigned part, unsigned which)
{
    unsigned i = (pair + 7 * part) % (v->count * v->count);
    unsigned index = which == 0   ? i / v->count
                     : which == 1 ? i % v->count
                                  : (i / v->count + i % v->count + 1) % v->count;
    return v->at[index];
}

static void put_operand(struct hw_case *c, const struct values *v, unsigned pair, unsigned which)
{
    const struct hw_type *type = c->spec.type;
    unsigned bytes = type->bytes / type->packed, parts = type->packed * c->spec.vec;
    if (bytes == 16) { /* two halves: equal in both often enough for cas */
        bytes = 8;
        parts = 2;
    }
    if (which == 0) /* neighbours of the slot's value */
        for (unsigned i = 0; i < c->spec.at; i++)
            hw_word(&c->in, 0x5a, 1);
    for (unsigned part = 0; part < parts; part++)
        hw_word(&c->in, value(v, pair, type->bytes == 16 ? 0 : part, which), bytes);
    hw_pad(&c->in, 16);
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *modifier, *access; /* of cases; of atom; of loads and stores of the slot */
} spaces[HW_SPACES] = {{"global", ".global", ".global"},
                       {"shared", ".shared", ".shared"},
                       {"generic-global", "", ""},
                       {"generic-shared", "", ""},
                       {"generic-local", "", ""}};

/* %rd4 = the slot. */
static void place_slot(struct hw_text *t, enum hw_space space)
{
    static const char generic[][128] = {"cvta.shared.u64 %rd4, %rd4;\n", "cvta.local.u64 %rd4, %rd4;\n"};
    if (space == HW_GLOBAL || space == HW_GENERIC_GLOBAL) {
        hw_add(t, "add.u64 %%rd4, %%rd0, %d;\n", SLOT);
        return;
    }
    bool local = space == HW_GENERIC_LOCAL;
    hw_add(t, "%s .align 16 .b8 slots[%d];\nmov.u64 %%rd4, slots;\n", local ? ".local" : ".shared",
           local ? 16 : 16 * MOST_PAIRS);
    if (!local)
        hw_add(t, "mul.wide.u32 %%rd5, %%r0, 16; add.u64 %%rd4, %%rd4, %%rd5;\n");
    if (space != HW_SHARED)
        hw_add(t, "%s", local ? generic[1] : generic[0]);
}

/* atom.relaxed.gpu.global.add.noftz.v2.f16 */
static void instruction(struct hw_text *text, const struct hw_spec *spec, const char *order)
{
    bool noftz = spec->type->kind == 'g' || (spec->type->kind == 'f' && spec->type->bytes / spec->type->packed == 2);
    hw_add(text, "%s%s%s.%s", spec->op == HW_ATOM ? "atom" : "red", order, spaces[spec->space].modifier, spec->atomic);
    if (noftz)
        hw_add(text, ".noftz");
    if (spec->vec > 1)
        hw_add(text, ".v%u", spec->vec);
    hw_add(text, ".%s", spec->type->name);
}

/* d in registers REG_D.., b and c in REG_D + vec.. */
static void operate(struct hw_case *c, const char *order)
{
    const struct hw_spec *s = &c->spec;
    unsigned bytes = s->type->bytes, b = REG_D + s->vec;
    bool cas = strcmp(s->atomic, "cas") == 0;
    hw_fetch(&c->ptx, ".global", bytes, b, s->vec, "%rd1", B);
    if (cas)
        hw_fetch(&c->ptx, ".global", bytes, b + 1, 1, "%rd1", C);
    instruction(&c->ptx, s, order);
    hw_add(&c->ptx, " ");
    if (s->op == HW_ATOM) {
        hw_tuple(&c->ptx, bytes, REG_D, s->vec, s->vec > 1);
        hw_add(&c->ptx, ", ");
    }
    hw_add(&c->ptx, "[%%rd4+%u], ", s->at);
    hw_tuple(&c->ptx, bytes, b, s->vec, s->vec > 1);
    if (cas)
        hw_add(&c->ptx, ", %s", hw_register(bytes, b + 1).name);
    hw_add(&c->ptx, ";\n");
    if (s->op == HW_ATOM)
        hw_store(&c->ptx, ".global", bytes, REG_D, s->vec, "%rd0", 0);
}

static unsigned version_of(const struct hw_spec *s)
{
    return s->type->bytes == 16 ? 83 : s->vec > 1 ? 81 : s->type->kind == 'g' ? 78 : 64;
}

static void kernel(struct hw_case *c, const char *order, unsigned version)
{
    const char *access = spaces[c->spec.space].access;
    hw_kernel(c, version, IN_STEP, OUT_STEP);
    place_slot(&c->ptx, c->spec.space);
    hw_add(&c->ptx, "ld.global.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%rd1];\nst%s.v4.b32 [%%rd4], {%%r4,%%r5,%%r6,%%r7};\n",
           access);
    operate(c, order);
    if (c->spec.space != HW_GLOBAL && c->spec.space != HW_GENERIC_GLOBAL)
        hw_add(&c->ptx,
               "ld%s.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%rd4];\nst.global.v4.b32 [%%rd0+%d], {%%r4,%%r5,%%r6,%%r7};\n",
               access, SLOT);
    hw_kernel_end(c);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* Which cases are questions: the old value that a flushing add returns, generic atomics on local memory. */
static enum hw_class classify(const struct hw_spec *s, const struct values *v)
{
    bool flushes = s->type->kind == 'f' && s->type->bytes == 4 && s->type->packed == 1 && strcmp(s->atomic, "add") == 0;
    if (s->space == HW_GENERIC_LOCAL)
        return HW_OPEN;
    if (flushes && s->op == HW_ATOM && s->space != HW_SHARED && strcmp(v->set, "subnormals") == 0)
        return HW_OPEN;
    return v->class;
}

static struct hw_case *emit(struct hw_cases *cases, const struct hw_spec *spec, unsigned sm, const struct values *v,
                            const char *order)
{
    struct hw_case *c = hw_case_new(cases);
    struct hw_text text = {0};
    c->spec = *spec;
    c->sm = sm;
    c->class = classify(spec, v);
    instruction(&text, spec, order);
    snprintf(c->name, sizeof c->name, "%.60s/%s-%s%s", text.data, spaces[spec->space].name, v->set,
             spec->at ? "-high" : "");
    hw_free(&text);
    c->threads = v->count * v->count;
    for (unsigned pair = 0; pair < c->threads; pair++)
        for (unsigned which = 0; which < 3; which++)
            put_operand(c, v, pair, which);
    c->in_bytes = IN_STEP * c->threads;
    c->out_bytes = OUT_STEP * c->threads;
    kernel(c, order, *order ? 78 : version_of(spec));
    return c;
}

static const struct row {
    const char *atomic, *types;
    const char *vecs; /* digits */
    bool both;        /* red too */
    unsigned sm;
} rows[] = {
    {"add", "u32 s32 u64 f32 f64 f16x2 f16", "1", true, 75},
    {"add", "bf16 bf16x2", "1", true, 90},
    {"min", "u32 s32 u64 s64", "1", true, 75},
    {"max", "u32 s32 u64 s64", "1", true, 75},
    {"and", "b32 b64", "1", true, 75},
    {"or", "b32 b64", "1", true, 75},
    {"xor", "b32 b64", "1", true, 75},
    {"inc", "u32", "1", true, 75},
    {"dec", "u32", "1", true, 75},
    {"exch", "b32 b64", "1", false, 75},
    {"exch", "b128", "1", false, 90},
    {"cas", "b16 b32 b64", "1", false, 75},
    {"cas", "b128", "1", false, 90},
    {"add", "f32", "24", true, 90},
    {"add", "f16 bf16", "248", true, 90},
    {"add", "f16x2 bf16x2", "24", true, 90},
    {"min", "f16 bf16", "248", true, 90},
    {"min", "f16x2 bf16x2", "24", true, 90},
    {"max", "f16 bf16", "248", true, 90},
    {"max", "f16x2 bf16x2", "24", true, 90},
};

/* Vectors exist on global memory only; a generic one must point there. */
static void spaces_of(struct hw_cases *cases, struct hw_spec *spec, unsigned sm)
{
    for (unsigned space = 0; space < HW_SPACES; space++) {
        if (spec->vec > 1 && space != HW_GLOBAL && space != HW_GENERIC_GLOBAL)
            continue;
        spec->space = (enum hw_space)space;
        unsigned bytes = spec->type->bytes;
        for (spec->at = 0; spec->at <= bytes && bytes * spec->vec + spec->at <= 16; spec->at += bytes)
            for (const struct values *v = values_of(spec->type); v->set && (!spec->at || spec->vec == 1); v++)
                emit(cases, spec, sm, v, "");
        spec->at = 0;
    }
}

static void row_cases(struct hw_cases *cases, const struct row *row)
{
    char types[64], *rest = types;
    snprintf(types, sizeof types, "%s", row->types);
    for (char *type; (type = strsep(&rest, " "));)
        for (const char *vec = row->vecs; *vec; vec++)
            for (unsigned red = 0; red <= row->both; red++) {
                struct hw_spec spec = {.op = red ? HW_RED : HW_ATOM, .type = hw_type(type), .atomic = row->atomic};
                spec.vec = (unsigned)(*vec - '0');
                spaces_of(cases, &spec, row->sm);
            }
}

/* Orders and scopes change nothing that one thread sees. */
static void orders(struct hw_cases *cases)
{
    static const char *const words[] = {".relaxed", ".acquire", ".release", ".acq_rel"};
    static const char *const scopes[] = {".cta", ".gpu", ".sys"};
    struct hw_spec spec = {.op = HW_ATOM, .type = hw_type("u32"), .vec = 1, .atomic = "add"};
    for (size_t w = 0; w < HW_COUNT(words); w++)
        for (size_t s = 0; s < HW_COUNT(scopes); s++)
            for (unsigned red = 0; red < 2; red++) {
                char order[32];
                snprintf(order, sizeof order, "%s%s", words[w], scopes[s]);
                spec.op = red ? HW_RED : HW_ATOM;
                if (!red || w % 2 == 0)
                    emit(cases, &spec, 75, integers32, order);
            }
}

/* A vector that is aligned to its element only. */
static void misaligned(struct hw_cases *cases)
{
    struct hw_spec spec = {.op = HW_ATOM, .type = hw_type("f32"), .vec = 2, .atomic = "add", .at = 4};
    struct hw_case *c = emit(cases, &spec, 90, floats32, "");
    snprintf(c->name, sizeof c->name, "atom.global.add.v2.f32/misaligned-4");
    c->class = HW_OPEN;
}

/* 256 threads on one word, 100 before: only the word is recorded. */
static void contention(struct hw_cases *cases)
{
    static const struct {
        const char *instruction, *type;
        uint32_t value;
    } all[] = {{"add", "u32", 3},   {"max", "s32", 7}, {"min", "s32", 0xfffffff0}, {"inc", "u32", 200},
               {"dec", "u32", 200}, {"xor", "b32", 5}, {"or", "b32", 0x80},        {"add", "f32", 0x3f800000}};
    for (size_t i = 0; i < HW_COUNT(all); i++) {
        struct hw_case *c = hw_case_new(cases);
        c->class = HW_ISA;
        snprintf(c->name, sizeof c->name, "red.global.%s.%s/contention", all[i].instruction, all[i].type);
        c->threads = 256;
        c->in_bytes = 16;
        c->out_bytes = 16;
        hw_word(&c->in, all[i].value, 4);
        hw_pad(&c->in, 16);
        hw_kernel(c, 64, 0, 0);
        hw_add(&c->ptx, "ld.global.b32 %%r8, [%%rd1];\nmov.b32 %%r9, %u;\n",
               strcmp(all[i].type, "f32") ? 100 : 0x42c80000);
        hw_add(&c->ptx, "st.global.b32 [%%rd0], %%r9;\nbar.sync 0;\nred.global.%s.%s [%%rd0], %%r8;\n",
               all[i].instruction, all[i].type);
        hw_kernel_end(c);
    }
}

void hw_generate_atomics(struct hw_cases *cases)
{
    for (size_t i = 0; i < HW_COUNT(rows); i++)
        row_cases(cases, &rows[i]);
    orders(cases);
    misaligned(cases);
    contention(cases);
}

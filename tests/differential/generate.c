/* The generator of random kernels: a walk over templates (templates.c). */
#include "generate.h"
#include "templates.h"

#include "../ref/noise.h"

#include <string.h>

/* Parts in 16 that a kind of kernel takes from each list. */
static const uint8_t shares[DIFFERENTIAL_KINDS][TEMPLATES] = {
    [DIFFERENTIAL_INTEGER] = {16, 0, 0, 0, 0, 0, 0, 0}, [DIFFERENTIAL_FLOAT] = {3, 11, 2, 0, 0, 0, 0, 0},
    [DIFFERENTIAL_CONVERT] = {3, 3, 10, 0, 0, 0, 0, 0}, [DIFFERENTIAL_MEMORY] = {5, 0, 0, 11, 0, 0, 0, 0},
    [DIFFERENTIAL_WARP] = {5, 1, 1, 3, 6, 0, 0, 0},     [DIFFERENTIAL_SURFACE] = {5, 0, 0, 0, 0, 11, 0, 0},
    [DIFFERENTIAL_MIXED] = {6, 3, 2, 3, 2, 0, 0, 0},    [DIFFERENTIAL_HALF] = {3, 2, 2, 0, 0, 0, 0, 9},
    [DIFFERENTIAL_VIDEO] = {5, 0, 0, 0, 0, 0, 11, 0},
};

struct walk {
    struct text *out;
    uint32_t random;
    enum differential_kind kind;
    unsigned labels, depth, budget;
    unsigned tested; /* predicates that branches around this place tested, a bit each */
    bool apart;      /* lanes may have parted: nothing that needs all of them */
    bool function;   /* no parameters, no memory bases here */
};

static uint32_t below(struct walk *w, uint32_t bound)
{
    return rig_random(&w->random) % bound;
}

static uint64_t value(struct walk *w)
{
    static const uint64_t special[] = {0,    1,      0x7fffffff, 0x80000000,         0xffffffff,
                                       0xff, 0x8000, 0xffff,     0x7fffffffffffffff, 0x8000000000000000};
    uint64_t word = (uint64_t)rig_random(&w->random) << 32 | rig_random(&w->random);
    switch (below(w, 4)) {
    case 0:
        return special[below(w, sizeof special / sizeof *special)];
    case 1:
        return word % 64;
    case 2:
        return -(word % 64);
    default:
        return word;
    }
}

static void immediate(struct walk *w, char kind)
{
    static const uint32_t singles[] = {0,          0x80000000, 0x3f800000, 0xbfc00000,
                                       0x00400000, 0x7f7fffff, 0x4b000001, 0x7f800000};
    static const uint64_t doubles[] = {0,
                                       0x8000000000000000,
                                       0x3ff0000000000000,
                                       0xbff8000000000000,
                                       0x0008000000000000,
                                       0x7fefffffffffffff,
                                       0x4330000000000001,
                                       0x7ff0000000000000};
    uint64_t v = value(w);
    if (kind == 'R')
        text_printf(w->out, "%d", (int)(uint32_t)v);
    else if (kind == 'D')
        text_printf(w->out, "0x%llx", (unsigned long long)v);
    else if (kind == 'H')
        text_printf(w->out, "%d", (int)(int16_t)v);
    else if (kind == 'F')
        text_printf(w->out, "0f%08x", singles[below(w, 8)] + below(w, 2) * below(w, 3) * 4097);
    else
        text_printf(w->out, "0d%016llx",
                    (unsigned long long)(doubles[below(w, 8)] + below(w, 2) * below(w, 3) * 4097ull));
}

static void operand(struct walk *w, char kind)
{
    static const char wide[] = "RDHFG", narrow[] = "rdhfg";
    const char *immediates = strchr(wide, kind);
    if (kind >= '0' && kind <= '9') {
        text_printf(w->out, "%u", below(w, 4u << (kind - '0')));
    } else if (kind == 's') {
        if (below(w, 3))
            text_printf(w->out, "%u", below(w, 32));
        else
            text_printf(w->out, "%%k%u", below(w, 2));
    } else if (kind == 'Q') {
        text_printf(w->out, "%s%%p%u", below(w, 2) ? "!" : "", below(w, 4));
    } else if (immediates && *immediates && w->kind != DIFFERENTIAL_VIDEO && below(w, 3) == 0) {
        immediate(w, kind);
    } else {
        if (immediates && *immediates)
            kind = narrow[immediates - wide];
        text_printf(w->out, "%%%c%u", kind, below(w, kind == 'r' ? 8 : 4));
    }
}

/* Past the bar or brace that ends the alternative at `at`, nested ones skipped. */
static const char *past(const char *at)
{
    int depth = 0;
    for (; *at && (depth || (*at != '|' && *at != '}')); at++)
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    return at;
}

/* Braces that hold bars are a choice; others stand for themselves, {{ and }} for one. */
static bool is_choice(const char *at)
{
    const char *bar = past(at + 1);
    return *bar == '|';
}

static void expand(struct walk *w, const char *at, const char *end);

static const char *choose(struct walk *w, const char *at)
{
    unsigned count = 1;
    const char *last = past(at + 1);
    for (; *last == '|'; last = past(last + 1))
        count++;
    unsigned pick = below(w, count);
    const char *from = at + 1, *to = past(from);
    for (; pick; pick--) {
        from = to + 1;
        to = past(from);
    }
    expand(w, from, to);
    return last + 1;
}

static void expand(struct walk *w, const char *at, const char *end)
{
    while (at < end) {
        if (*at == '$') {
            operand(w, at[1]);
            at += 2;
        } else if ((at[0] == '{' && at[1] == '{') || (at[0] == '}' && at[1] == '}' && at + 1 < end)) {
            text_add(w->out, at, 1);
            at += 2;
        } else if (*at == '{' && is_choice(at)) {
            at = choose(w, at);
        } else {
            text_add(w->out, at++, 1);
        }
    }
}

static const char *pick_template(struct walk *w)
{
    for (;;) {
        uint32_t part = below(w, 16);
        unsigned list = 0;
        while (part >= shares[w->kind][list])
            part -= shares[w->kind][list++];
        if ((list == WARPS && (w->apart || w->function)) || (list == SURFACES && w->apart) ||
            ((list == MEMORIES || list == SURFACES) && w->function))
            continue;
        return differential_templates[list].at[below(w, (uint32_t)differential_templates[list].count)];
    }
}

static void statement(struct walk *w);

static void line(struct walk *w)
{
    const char *pattern = pick_template(w);
    bool whole = (pattern[0] == '{' && pattern[1] == '{') || strncmp(pattern, "testp", 5) == 0 ||
                 strncmp(pattern, "set.", 4) == 0;
    for (size_t i = 0; i < differential_templates[WARPS].count; i++)
        whole |= pattern == differential_templates[WARPS].at[i];
    text_puts(w->out, "    ");
    if (!whole && below(w, 6) == 0 && strchr(pattern, ';') == pattern + strlen(pattern) - 1)
        text_printf(w->out, "@%s%%p%u ", below(w, 2) ? "!" : "", below(w, 4));
    expand(w, pattern, pattern + strlen(pattern));
    text_puts(w->out, "\n");
}

static void block(struct walk *w, unsigned count)
{
    w->depth++;
    while (count-- && w->budget) {
        w->budget--;
        statement(w);
    }
    w->depth--;
}

static void branch(struct walk *w)
{
    unsigned label = w->labels++, tested = w->tested, p = below(w, 4);
    bool apart = w->apart;
    w->apart = true;
    w->tested |= 1u << p;
    text_printf(w->out, "    @%s%%p%u bra E%u;\n", below(w, 2) ? "!" : "", p, label);
    block(w, 1 + below(w, 5));
    if (below(w, 2)) {
        text_printf(w->out, "    bra D%u;\nE%u:\n", label, label);
        w->tested = tested | 1u << p;
        block(w, 1 + below(w, 5));
        text_printf(w->out, "D%u:\n", label);
    } else {
        text_printf(w->out, "E%u:\n", label);
    }
    w->apart = apart;
    w->tested = tested;
}

/* Predicates as they are, by a way that the assembler does not see through. */
static void forget_tested(struct walk *w)
{
    for (unsigned i = 0; i < 4; i++)
        if (w->tested & 1u << i)
            text_printf(w->out,
                        "    selp.b32 %%t0, 1, 0, %%p%u;\n    add.u32 %%t0, %%t0, %%zero;\n    setp.ne.u32 %%p%u, "
                        "%%t0, 0;\n",
                        i, i);
    w->tested = 0;
}

/* A loop of up to 4 rounds, the same for all lanes or not, with or without a way out of its middle. */
static void loop(struct walk *w)
{
    unsigned label = w->labels++, counter = w->depth;
    bool apart = w->apart, same = below(w, 2);
    forget_tested(w);
    if (same)
        text_printf(w->out, "    mov.u32 %%c%u, %u;\n", counter, 1 + below(w, 3));
    else
        text_printf(w->out, "    and.b32 %%c%u, %%r%u, 3;\n", counter, below(w, 8));
    text_printf(w->out, "L%u:\n", label);
    bool leaves = below(w, 3) == 0;
    w->apart |= !same || leaves;
    block(w, 1 + below(w, 4));
    if (leaves) {
        unsigned p = below(w, 4);
        text_printf(w->out, "    @%%p%u bra X%u;\n", p, label);
        w->tested |= 1u << p;
        block(w, 1 + below(w, 3));
    }
    text_printf(w->out, "    sub.u32 %%c%u, %%c%u, 1;\n    setp.gt.s32 %%pc, %%c%u, 0;\n    @%%pc bra L%u;\nX%u:\n",
                counter, counter, counter, label, label);
    w->apart = apart;
    w->tested = 0;
}

static void jump_table(struct walk *w)
{
    unsigned label = w->labels++, tested = w->tested;
    bool apart = w->apart;
    w->apart = true;
    text_printf(w->out, "    and.b32 %%t0, %%r%u, 3;\n    {\n    T%u: .branchtargets S%u_0, S%u_1, S%u_2, S%u_3;\n",
                below(w, 8), label, label, label, label, label);
    text_printf(w->out, "    brx.idx %%t0, T%u;\n    }\n", label);
    for (unsigned i = 0; i < 4; i++) {
        text_printf(w->out, "S%u_%u:\n", label, i);
        w->tested = tested;
        block(w, 1 + below(w, 3));
        if (below(w, 4))
            text_printf(w->out, "    bra D%u;\n", label);
    }
    text_printf(w->out, "D%u:\n", label);
    w->apart = apart;
    w->tested = tested;
}

static void call(struct walk *w)
{
    static const char *const names[] = {"plain", "deep", "again"};
    bool indirect = below(w, 4) == 0;
    const char *name = names[below(w, 3)];
    text_puts(w->out, "    {\n    .param .b32 a; .param .b64 b; .param .f32 c; .param .b32 o;\n");
    text_printf(w->out, "    st.param.b32 [a], %%r%u;\n    st.param.b64 [b], %%d%u;\n    st.param.f32 [c], %%f%u;\n",
                below(w, 8), below(w, 4), below(w, 4));
    if (indirect) {
        text_printf(w->out, "    selp.b64 %%u0, %%pd, %%pe, %%p%u;\n", below(w, 4));
        text_puts(w->out, "    F: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _, .param .f32 _);\n"
                          "    call (o), %u0, (a, b, c), F;\n");
    } else {
        text_printf(w->out, "    call (o), %s, (a, b, c);\n", name);
    }
    text_printf(w->out, "    ld.param.b32 %%r%u, [o];\n    }\n", below(w, 8));
    if (indirect && !w->apart) /* shuffles without .sync do not wait for lanes that are still in their function */
        text_puts(w->out, "    bar.warp.sync -1;\n");
}

static void statement(struct walk *w)
{
    uint32_t what = below(w, 40);
    if (w->depth > 3 || what > 4)
        line(w);
    else if (what < 2)
        branch(w);
    else if (what == 2)
        loop(w);
    else if (what == 3 && !w->function)
        jump_table(w);
    else if (what == 4 && !w->function && w->kind != DIFFERENTIAL_SURFACE)
        call(w);
    else
        line(w);
}

static const char registers[] = "    .reg .b32 %k<2>, %zero, %r<8>, %t<4>, %c<8>, %x<3>, %o<3>, %xb, %ob, %oq, %ss, "
                                "%sl;\n    .reg .b64 %d<4>, %u<4>, %zero64;\n"
                                "    .reg .b16 %h<4>, %y<4>;\n    .reg .b32 %z<4>;\n    .reg .f32 %f<4>;\n    .reg "
                                ".f64 %g<4>;\n    .reg .pred %p<4>, %pc;\n";

static void functions(struct walk *w)
{
    static const char head[] =
        ".func (.param .b32 o) %s (.param .b32 a, .param .b64 b, .param .f32 c)\n{\n%s"
        "    ld.param.b32 %%r0, [a];\n    ld.param.b64 %%d0, [b];\n    ld.param.f32 %%f0, [c];\n";
    static const char spread[] =
        "    mov.u32 %zero, %tid.y;\n    cvt.u64.u32 %zero64, %zero;\n    mov.b32 %k0, 5;\n    and.b32 %k1, %r0, "
        "127;\n    mov.b32 %r1, %r0;\n    not.b32 %r2, %r0;\n    add.u32 %r3, %r0, 77;\n    add.u32 %r4, %zero, 5;\n   "
        " sub.u32 %r5, %zero, 1;\n    mov.b32 %r6, %zero;\n    add.u32 %r7, %zero, 3;\n    not.b64 %d1, %d0;\n    "
        "mov.b64 %d2, 9;\n    mov.b64 %d3, %d0;\n    mov.f32 %f1, %f0;\n    mov.f32 %f2, 0f3f800000;\n    mov.f32 %f3, "
        "0f40490fdb;\n    mov.f64 %g0, 0d3ff8000000000000;\n    mov.f64 %g1, %g0;\n    mov.f64 %g2, %g0;\n    mov.f64 "
        "%g3, 0d4008000000000000;\n    mov.b16 %h0, 12;\n    mov.b16 %h1, -7;\n    mov.b16 %h2, %h0;\n    mov.b16 %h3, "
        "%h1;\n    setp.eq.s32 %p0, %r0, 0;\n    cvt.u16.u32 %y0, %r0;\n    mov.b16 %y1, 0x3c00;\n    mov.b16 %y2, "
        "0x8001;\n    mov.b16 %y3, 0x4321;\n    mov.b32 %z0, %r0;\n    mov.b32 %z1, 0x3c003800;\n    mov.b32 %z2, "
        "0x0001c000;\n    mov.b32 %z3, %r1;\n    setp.lt.s32 %p1, %r0, 0;\n    setp.ne.s32 %p2, %r0, 5;\n    "
        "setp.gt.u32 %p3, %r0, 999;\n";
    static const char *const names[] = {"plain", "deep"};
    w->function = w->apart = true;
    for (unsigned i = 0; i < 2; i++) {
        text_printf(w->out, head, names[i], registers);
        text_puts(w->out, spread);
        w->budget = 12;
        block(w, 3 + below(w, 8));
        if (i == 1)
            text_puts(
                w->out,
                "    {\n    .param .b32 x; .param .b64 y; .param .f32 z; .param .b32 v;\n    st.param.b32 [x], "
                "%r2;\n    st.param.b64 [y], %d1;\n    st.param.f32 [z], %f0;\n    call (v), plain, (x, y, z);\n    "
                "ld.param.b32 %r3, [v];\n    xor.b32 %r0, %r0, %r3;\n    }\n");
        text_puts(
            w->out,
            "    xor.b32 %r0, %r0, %r1;\n    cvt.u32.u64 %t0, %d1;\n    add.u32 %r0, %r0, %t0;\n    st.param.b32 [o], "
            "%r0;\n    ret;\n}\n");
    }
    /* Calls itself as often as the low bits of its argument say. */
    text_printf(w->out, head, "again", registers);
    text_puts(w->out,
              "    and.b32 %r1, %r0, 3;\n    setp.eq.u32 %p0, %r1, 0;\n    mov.b32 %r2, %r0;\n    @%p0 bra OUT;\n"
              "    sub.u32 %r3, %r0, 1;\n    {\n    .param .b32 x; .param .b64 y; .param .f32 z; .param .b32 v;\n"
              "    st.param.b32 [x], %r3;\n    st.param.b64 [y], %d0;\n    st.param.f32 [z], %f0;\n"
              "    call (v), again, (x, y, z);\n    ld.param.b32 %r4, [v];\n    }\n    mad.lo.u32 %r2, %r4, 31, %r0;\n"
              "OUT:\n    cvt.u32.u64 %r5, %d0;\n    xor.b32 %r2, %r2, %r5;\n    st.param.b32 [o], %r2;\n    ret;\n}\n");
    w->function = w->apart = false;
}

static void heading(struct walk *w)
{
    text_printf(w->out, ".version 7.8\n.target %s\n.address_size 64\n.const .align 8 .b32 table[16] = {",
                w->kind == DIFFERENTIAL_HALF ? "sm_53" : "sm_50");
    for (unsigned i = 0; i < 16; i++)
        text_printf(w->out, "%s%u", i ? ", " : "", (uint32_t)value(w));
    text_puts(w->out, "};\n.global .align 8 .b32 constants[8] = {");
    for (unsigned i = 0; i < 8; i++)
        text_printf(w->out, "%s%u", i ? ", " : "", (uint32_t)value(w));
    text_puts(w->out, "};\n");
    for (unsigned i = 1; w->kind == DIFFERENTIAL_SURFACE && i <= 5; i++)
        text_printf(w->out, ".global .surfref ref%u;\n", i);
    functions(w);
    text_puts(
        w->out,
        ".visible .entry kernel(.param .u64 in, .param .u64 out, .param .u64 scratch, .param .u64 p1, .param .u64 p2,\n"
        "    .param .u64 p3, .param .u64 p4, .param .u64 p5, .param .align 8 .b8 words[8], .param .f64 double)\n");
    text_printf(w->out, "    .reqntid %u\n{\n", w->kind == DIFFERENTIAL_SURFACE ? 32 : DIFFERENTIAL_THREADS);
    text_puts(w->out, registers);
    text_puts(
        w->out,
        "    .reg .b64 %in, %out, %sg, %gs, %gl, %base, %common, %s<6>, y64, %pd, %pe;\n    .reg .b32 %gid, %me;\n"
        "    .shared .align 16 .b8 mine[2048];\n    .shared .align 8 .b32 shared_common[4];\n"
        "    .local .align 16 .b8 own[32];\n"
        "    ld.param.u64 %base, [in];\n    ld.param.u64 %out, [out];\n    ld.param.u64 %sg, [scratch];\n"
        "    cvta.to.global.u64 %base, %base;\n    cvta.to.global.u64 %out, %out;\n    cvta.to.global.u64 %sg, %sg;\n"
        "    add.s64 %common, %sg, 8192;\n"
        "    ld.param.u64 %s1, [p1];\n    ld.param.u64 %s2, [p2];\n    ld.param.u64 %s3, [p3];\n"
        "    ld.param.u64 %s4, [p4];\n    ld.param.u64 %s5, [p5];\n"
        "    mov.u32 %t0, %ctaid.x;\n    mov.u32 %me, %tid.x;\n    mad.lo.u32 %gid, %t0, 64, %me;\n"
        "    mad.wide.u32 %out, %gid, 256, %out;\n    mad.wide.u32 %in, %gid, 64, %base;\n"
        "    mad.wide.u32 %sg, %gid, 64, %sg;\n"
        "    mov.u32 %ss, mine;\n    mad.lo.u32 %ss, %me, 32, %ss;\n    mov.u32 %sl, own;\n"
        "    cvt.u64.u32 %gs, %ss;\n    cvta.shared.u64 %gs, %gs;\n    cvt.u64.u32 %gl, %sl;\n    cvta.local.u64 %gl, "
        "%gl;\n"
        "    mov.u64 %pd, plain;\n    mov.u64 %pe, again;\n");
    if (w->kind == DIFFERENTIAL_SURFACE)
        text_puts(
            w->out,
            "    and.b32 %t0, %me, 7;\n    mov.u32 %x0, %t0;\n    shr.u32 %x1, %me, 3;\n    and.b32 %x1, %x1, 3;\n"
            "    shr.u32 %x2, %me, 5;\n    shl.b32 %xb, %x0, 3;\n    ld.global.b32 %t1, [%in+60];\n"
            "    and.b32 %o0, %t1, 63;\n    sub.s32 %o0, %o0, 16;\n    shl.b32 %ob, %o0, 3;\n    shl.b32 %oq, %o0, 4;\n"
            "    shr.u32 %o1, %t1, 8;\n    and.b32 %o1, %o1, 31;\n    sub.s32 %o1, %o1, 8;\n    shr.u32 %o2, %t1, 16;\n"
            "    and.b32 %o2, %o2, 15;\n    sub.s32 %o2, %o2, 4;\n");
    for (unsigned i = 0; i < 8; i++)
        text_printf(w->out,
                    "    ld.global.b32 %%r%u, [%%in+%u];\n    st.local.b32 [own+%u], %%r%u;\n    st.shared.b32 "
                    "[%%ss+%u], %%r%u;\n",
                    i, 4 * i, 4 * i, i, 4 * i, i);
    for (unsigned i = 0; i < 4; i++)
        text_printf(w->out,
                    "    ld.global.b64 %%d%u, [%%base+%u];\n    ld.global.f32 %%f%u, [%%in+%u];\n    ld.global.f64 "
                    "%%g%u, [%%in+%u];\n"
                    "    ld.global.b16 %%h%u, [%%in+%u];\n    mov.b16 %%y%u, %%h%u;\n    mov.b32 %%z%u, %%r%u;\n    "
                    "setp.lt.s32 %%p%u, %%r%u, 0;\n",
                    i, 8 * i, i, 8 + 4 * i, i, 8 + 16 * i % 56, i, 30 + 6 * i, i, i, i, i, i, i + 2);
    text_puts(
        w->out,
        "    mov.u32 %zero, %tid.y;\n    cvt.u64.u32 %zero64, %zero;\n    and.b32 %k0, %r3, 127;\n    and.b32 %k1, "
        "%r6, 31;\n    mov.b64 %d0, {%r1, %r2};\n    mov.b64 %d1, {%r5, %r0};\n    setp.ne.s32 %pc, %me, 0;\n"
        "    @%pc bra READY;\n    mov.u32 %t0, 0;\n    st.shared.v4.b32 [shared_common], {%t0, %t0, %t0, %t0};\n"
        "READY:\n    bar.sync 0;\n");
}

/* Stores, with every NaN as the same one. */
static void store_float(struct walk *w, const char *type, char name, unsigned number, unsigned offset)
{
    text_printf(
        w->out,
        "    testp.notanumber.%s %%pc, %%%c%u;\n    @%%pc mov.%s %%%c%u, %s;\n    st.global.%s [%%out+%u], %%%c%u;\n",
        type, name, number, type, name, number, type[1] == '3' ? "0f7fffffff" : "0d7fffffffffffffff", type, offset,
        name, number);
}

static void ending(struct walk *w)
{
    text_puts(w->out, "    bar.sync 0;\n");
    for (unsigned i = 0; i < 8; i++)
        text_printf(w->out, "    st.global.b32 [%%out+%u], %%r%u;\n", 4 * i, i);
    for (unsigned i = 0; i < 4; i++) {
        text_printf(w->out,
                    "    st.global.b64 [%%out+%u], %%d%u;\n    st.global.b16 [%%out+%u], %%h%u;\n"
                    "    selp.b32 %%t0, 1, 0, %%p%u;\n    st.global.u8 [%%out+%u], %%t0;\n",
                    32 + 8 * i, i, 112 + 2 * i, i, i, 120 + i);
        store_float(w, "f32", 'f', i, 64 + 4 * i);
        store_float(w, "f64", 'g', i, 80 + 8 * i);
        text_printf(w->out, "    cvt.f32.f16 %%f%u, %%y%u;\n", i, i);
        store_float(w, "f32", 'f', i, 128 + 4 * i);
        for (unsigned half = 0; half < 2; half++) {
            text_printf(w->out, "    mov.b32 {%%y0, %%y1}, %%z%u;\n    cvt.f32.f16 %%f%u, %%y%u;\n", i, i, half);
            store_float(w, "f32", 'f', i, 144 + 8 * i + 4 * half);
        }
    }
    text_puts(
        w->out,
        "    ld.shared.b32 %t0, [%ss];\n    ld.local.b32 %t1, [%sl+4];\n    ld.shared.b32 %t2, [shared_common];\n"
        "    xor.b32 %t0, %t0, %t1;\n    xor.b32 %t0, %t0, %t2;\n    st.global.b32 [%out+124], %t0;\n    ret;\n}\n");
}

enum differential_kind differential_kind(uint32_t seed)
{
    return (enum differential_kind)(seed % DIFFERENTIAL_KINDS);
}

void differential_generate(uint32_t seed, struct text *out)
{
    struct walk w = {.out = out, .random = seed, .kind = differential_kind(seed)};
    heading(&w);
    w.budget = 30 + below(&w, 40);
    block(&w, w.budget);
    ending(&w);
}

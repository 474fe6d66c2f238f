/* The same random integer kernel in PTX and in vISA gives the same memory. ATOLL_VISA_PAIRS=COUNT runs more than a
 * thousand, ATOLL_VISA_SEED=N begins with another seed; a mismatch shows both texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "atoll.h"
#include "base/text.h"
#include "given.h"

enum { ITEMS = 64, IN_WORDS = 256, OUT_WORDS = 32, COUNTERS = 16, VARS = 4, PREDS = 3, LOOPS = 2, FUNCTIONS = 2 };
enum { MEMORY = 4 * (IN_WORDS + OUT_WORDS * ITEMS + COUNTERS) };

struct pair {
    uint64_t random;
    struct text ptx, visa;
    unsigned simd, labels, depth, loops;
    unsigned threads; /* of a group of vISA's; PTX's blocks are one each */
    bool quiet;       /* the vISA text has this already */
    bool in_function;
    uint64_t bodies; /* what subroutines' bodies begin with */
};

static unsigned pick(struct pair *p, unsigned n)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(p->random >> 33) % n;
}

/* ---- operations ----------------------------------------------------------------------------------------------------
 */

/* Types of the destination and of sources: d s u U, w W, q Q: signed and unsigned of 32, 16, 64 bits; 'p' a predicate.
 * A sign before one is its modifier; '!': no source is an immediate. In PTX $d $a $b $c are they, $g is the guard. */
struct operation {
    const char *visa, *types, *ptx;
};

static const struct operation operations[] = {
    {"add", "ddd", "$g add.u32 $d, $a, $b;"},
    {"add", "dd-d", "$g sub.u32 $d, $a, $b;"},
    {"add", "d-dd", "$g sub.u32 $d, $b, $a;"},
    {"add", "!d|dd", "abs.s32 %t0, $a; $g add.u32 $d, %t0, $b;"},
    {"add.sat", "ddd", "$g add.sat.s32 $d, $a, $b;"},
    {"add.sat", "!dd-d", "$g sub.sat.s32 $d, $a, $b;"},
    {"mul", "ddd", "$g mul.lo.s32 $d, $a, $b;"},
    {"mulh", "ddd", "$g mul.hi.s32 $d, $a, $b;"},
    {"mulh", "uuu", "$g mul.hi.u32 $d, $a, $b;"},
    {"mad", "dddd", "$g mad.lo.s32 $d, $a, $b, $c;"},
    {"add3", "dddd", "add.u32 %t0, $a, $b; $g add.u32 $d, %t0, $c;"},
    {"and", "ddd", "$g and.b32 $d, $a, $b;"},
    {"or", "uuu", "$g or.b32 $d, $a, $b;"},
    {"xor", "ddd", "$g xor.b32 $d, $a, $b;"},
    {"and", "!dd~d", "not.b32 %t0, $b; $g and.b32 $d, $a, %t0;"},
    {"not", "dd", "$g not.b32 $d, $a;"},
    {"shl", "ddd", "and.b32 %t0, $b, 31; $g shl.b32 $d, $a, %t0;"},
    {"shr", "uuu", "and.b32 %t0, $b, 31; $g shr.u32 $d, $a, %t0;"},
    {"asr", "ddd", "and.b32 %t0, $b, 31; $g shr.s32 $d, $a, %t0;"},
    {"rol", "!uuu", "$g shf.l.wrap.b32 $d, $a, $a, $b;"},
    {"ror", "!uuu", "$g shf.r.wrap.b32 $d, $a, $a, $b;"},
    {"min", "ddd", "$g min.s32 $d, $a, $b;"},
    {"max", "ddd", "$g max.s32 $d, $a, $b;"},
    {"min", "uuu", "$g min.u32 $d, $a, $b;"},
    {"max", "uuu", "$g max.u32 $d, $a, $b;"},
    {"min", "!ddu", "cvt.s64.s32 %x0, $a; cvt.u64.u32 %x1, $b; min.s64 %x0, %x0, %x1; $g cvt.u32.u64 $d, %x0;"},
    {"cbit", "uu", "$g popc.b32 $d, $a;"},
    {"lzd", "uu", "$g clz.b32 $d, $a;"},
    {"bfrev", "uu", "$g brev.b32 $d, $a;"},
    {"fbh", "uu", "$g bfind.shiftamt.u32 $d, $a;"},
    {"fbh", "ud", "$g bfind.shiftamt.s32 $d, $a;"},
    {"fbl", "uu", "neg.s32 %t0, $a; and.b32 %t0, %t0, $a; $g bfind.u32 $d, %t0;"},
    {"bfn.xe4", "!uuuu", "$g lop3.b32 $d, $c, $b, $a, 0xe4;"},
    {"bfn.x96", "!uuuu", "$g lop3.b32 $d, $c, $b, $a, 0x96;"},
    {"bfn.x1d", "!uuuu", "$g lop3.b32 $d, $c, $b, $a, 0x1d;"},
    {"dp4a", "!dddd", "$g dp4a.s32.s32 $d, $b, $c, $a;"},
    {"div", "!ddd", "$g div.s32 $d, $a, $b;"},
    {"div", "!uuu", "$g div.u32 $d, $a, $b;"},
    {"mod", "!ddd", "$g rem.s32 $d, $a, $b;"},
    {"mod", "!uuu", "$g rem.u32 $d, $a, $b;"},
    {"mov", "dd", "$g mov.b32 $d, $a;"},
    {"mov", "d-d", "$g neg.s32 $d, $a;"},
    {"mov", "d|d", "$g abs.s32 $d, $a;"},
    {"mov.sat", "ud", "$g cvt.sat.u32.s32 $d, $a;"},
    {"mov.sat", "du", "$g cvt.sat.s32.u32 $d, $a;"},
    /* 16 bits */
    {"add", "www", "$g add.u16 $d, $a, $b;"},
    {"add", "ww-w", "$g sub.u16 $d, $a, $b;"},
    {"mul", "www", "$g mul.lo.s16 $d, $a, $b;"},
    {"min", "www", "$g min.s16 $d, $a, $b;"},
    {"max", "WWW", "$g max.u16 $d, $a, $b;"},
    {"xor", "www", "$g xor.b16 $d, $a, $b;"},
    {"and", "WWW", "$g and.b16 $d, $a, $b;"},
    {"not", "WW", "$g not.b16 $d, $a;"},
    {"add", "!dww", "cvt.s32.s16 %t0, $a; cvt.s32.s16 %t1, $b; $g add.u32 $d, %t0, %t1;"},
    {"add", "!dwW", "cvt.s32.s16 %t0, $a; cvt.u32.u16 %t1, $b; $g add.u32 $d, %t0, %t1;"},
    {"mul", "!dww", "$g mul.wide.s16 $d, $a, $b;"},
    {"mul", "!uWW", "$g mul.wide.u16 $d, $a, $b;"},
    {"mad", "!dwwd", "$g mad.wide.s16 $d, $a, $b, $c;"},
    {"add", "!wdd", "add.u32 %t0, $a, $b; $g cvt.u16.u32 $d, %t0;"},
    {"add", "!ddw", "cvt.s32.s16 %t0, $b; $g add.u32 $d, $a, %t0;"},
    {"shl", "!wwd", "cvt.s32.s16 %t0, $a; and.b32 %t1, $b, 31; shl.b32 %t0, %t0, %t1; $g cvt.u16.u32 $d, %t0;"},
    {"asr", "!wwd", "cvt.s32.s16 %t0, $a; and.b32 %t1, $b, 31; shr.s32 %t0, %t0, %t1; $g cvt.u16.u32 $d, %t0;"},
    {"shr", "!WWu", "cvt.u32.u16 %t0, $a; and.b32 %t1, $b, 31; shr.u32 %t0, %t0, %t1; $g cvt.u16.u32 $d, %t0;"},
    {"mov", "!dw", "$g cvt.s32.s16 $d, $a;"},
    {"mov", "!dW", "$g cvt.u32.u16 $d, $a;"},
    {"mov", "!wd", "$g cvt.u16.u32 $d, $a;"},
    {"mov.sat", "!wd", "$g cvt.sat.s16.s32 $d, $a;"},
    {"mov.sat", "!Wd", "$g cvt.sat.u16.s32 $d, $a;"},
    {"add.sat", "!www", "cvt.s32.s16 %t0, $a; cvt.s32.s16 %t1, $b; add.s32 %t0, %t0, %t1; $g cvt.sat.s16.s32 $d, %t0;"},
    /* 64 bits */
    {"add", "qqq", "$g add.u64 $d, $a, $b;"},
    {"add", "qq-q", "$g sub.u64 $d, $a, $b;"},
    {"mul", "!qqq", "$g mul.lo.s64 $d, $a, $b;"},
    {"mul", "!qdd", "$g mul.wide.s32 $d, $a, $b;"},
    {"mul", "!Quu", "$g mul.wide.u32 $d, $a, $b;"},
    {"mad", "!qddq", "$g mad.wide.s32 $d, $a, $b, $c;"},
    {"and", "QQQ", "$g and.b64 $d, $a, $b;"},
    {"or", "qqq", "$g or.b64 $d, $a, $b;"},
    {"xor", "qqq", "$g xor.b64 $d, $a, $b;"},
    {"not", "QQ", "$g not.b64 $d, $a;"},
    {"shl", "!qqu", "and.b32 %t0, $b, 63; $g shl.b64 $d, $a, %t0;"},
    {"shr", "!QQu", "and.b32 %t0, $b, 63; $g shr.u64 $d, $a, %t0;"},
    {"asr", "!qqu", "and.b32 %t0, $b, 63; $g shr.s64 $d, $a, %t0;"},
    {"min", "qqq", "$g min.s64 $d, $a, $b;"},
    {"max", "QQQ", "$g max.u64 $d, $a, $b;"},
    {"add", "!qqd", "cvt.s64.s32 %x0, $b; $g add.u64 $d, $a, %x0;"},
    {"add", "!qqu", "cvt.u64.u32 %x0, $b; $g add.u64 $d, $a, %x0;"},
    {"mov", "!qd", "$g cvt.s64.s32 $d, $a;"},
    {"mov", "!Qu", "$g cvt.u64.u32 $d, $a;"},
    {"mov", "!dq", "$g cvt.u32.u64 $d, $a;"},
    {"mov", "!qw", "$g cvt.s64.s16 $d, $a;"},
    {"mov.sat", "!dq", "$g cvt.sat.s32.s64 $d, $a;"},
    {"mov.sat", "!uq", "$g cvt.sat.u32.s64 $d, $a;"},
    {"mov", "q-q", "$g neg.s64 $d, $a;"},
    {"mov", "q|q", "$g abs.s64 $d, $a;"},
    /* parts of others: b B bytes, h H words of a dword, l a dword of a qword */
    {"mov", "!db", "$g bfe.s32 $d, $a;"},
    {"mov", "!dB", "$g bfe.u32 $d, $a;"},
    {"mov", "!dh", "$g bfe.s32 $d, $a;"},
    {"mov", "!dH", "$g bfe.u32 $d, $a;"},
    {"add", "!dbB", "bfe.s32 %t0, $a; bfe.u32 %t1, $b; $g add.s32 $d, %t0, %t1;"},
    {"mul", "!dhb", "bfe.s32 %t0, $a; bfe.s32 %t1, $b; $g mul.lo.s32 $d, %t0, %t1;"},
    {"mov", "!bd", "$g bfi.b32 $d;"},
    {"mov", "!Hd", "$g bfi.b32 $d;"},
    {"mov.sat", "!Bd", "cvt.sat.u8.s32 %t0, $a; $g bfi.b32 $d;"},
    {"mov.sat", "!bd", "cvt.sat.s8.s32 %t0, $a; $g bfi.b32 $d;"},
    /* predicates, chosen by a third of them */
    {"cmp.lt", "pdd", "$g setp.lt.s32 $d, $a, $b;"},
    {"cmp.ge", "puu", "$g setp.ge.u32 $d, $a, $b;"},
    {"cmp.eq", "pdd", "$g setp.eq.s32 $d, $a, $b;"},
    {"cmp.ne", "pww", "$g setp.ne.s16 $d, $a, $b;"},
    {"cmp.gt", "pWW", "$g setp.gt.u16 $d, $a, $b;"},
    {"cmp.le", "pqq", "$g setp.le.s64 $d, $a, $b;"},
    {"cmp.gt", "pQQ", "$g setp.gt.u64 $d, $a, $b;"},
    {"cmp.lt", "!pdu", "cvt.s64.s32 %x0, $a; cvt.u64.u32 %x1, $b; $g setp.lt.s64 $d, %x0, %x1;"},
    {"cmp.lt", "!uuu", "$g set.lt.u32.u32 $d, $a, $b;"},
    {"cmp.gt", "!ddd", "$g set.gt.u32.s32 $d, $a, $b;"},
    {"and", "!ppp", "$g and.pred $d, $a, $b;"},
    {"or", "!ppp", "$g or.pred $d, $a, $b;"},
    {"xor", "!ppp", "$g xor.pred $d, $a, $b;"},
    {"not", "!pp", "$g not.pred $d, $a;"},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* ---- operands
 * -------------------------------------------------------------------------------------------------------- */

struct operand {
    char type, modifier; /* modifier 0: none */
    unsigned var, part;  /* part: of a larger variable */
    unsigned region;     /* how a row of elements is written */
    bool constant, scalar;
    int64_t value;
};

static unsigned bytes_of(char type)
{
    return strchr("bB", type) ? 1 : strchr("wWhH", type) ? 2 : strchr("qQ", type) ? 8 : 4;
}

/* Elements from one channel's to the next. */
static unsigned stride_of(char type)
{
    return strchr("bB", type) ? 4 : strchr("hHl", type) ? 2 : 1;
}

static struct operand operand(struct pair *p, char type, bool constants)
{
    struct operand o = {.type = type, .var = pick(p, type == 'p' ? PREDS : VARS), .region = pick(p, 4)};
    o.part = pick(p, stride_of(type));
    o.constant = constants && type != 'p' && pick(p, 4) == 0;
    o.scalar = constants && !o.constant && bytes_of(type) == 4 && stride_of(type) == 1 && pick(p, 6) == 0;
    static const int64_t values[] = {0, 1, 2, 7, -1, 31, 0x7f, -128, 0x7fff, 255};
    o.value = values[pick(p, 10)];
    if (strchr("uUWQ", type) && o.value < 0)
        o.value = 3;
    return o;
}

static void visa_constant(struct text *out, const struct operand *o)
{
    unsigned bits = 8 * bytes_of(o->type);
    uint64_t value = (uint64_t)o->value & (UINT64_MAX >> (64 - bits));
    const char *type = o->type == 'u'   ? "ud"
                       : o->type == 'w' ? "w"
                       : o->type == 'W' ? "uw"
                       : o->type == 'q' ? "q"
                       : o->type == 'Q' ? "uq"
                                        : "d";
    text_printf(out, " 0x%llx:%s", (unsigned long long)value, type);
}

static const char *visa_name(char type)
{
    static const char types[] = "duwWqQbBhHl";
    static const char *const names[] = {"R", "UR", "H", "UH", "W", "UW", "BR", "UBR", "HR", "UHR", "DW"};
    return names[strchr(types, type) - types];
}

/* Channels from `first` on. */
static void visa_operand(struct text *out, const struct operand *o, unsigned first, unsigned count, bool target)
{
    if (o->type == 'p') {
        text_printf(out, " P%u", o->var + 1);
        return;
    }
    if (o->constant) {
        visa_constant(out, o);
        return;
    }
    unsigned bytes = bytes_of(o->type), stride = stride_of(o->type), at = (first * stride + o->part) * bytes;
    text_puts(out, " ");
    if (o->modifier)
        text_puts(out, o->modifier == '|' ? "(abs)" : o->modifier == '-' ? "(-)" : "(~)");
    if (o->scalar) {
        text_printf(out, "%s(0,%u)<0;1,0>", o->type == 'u' ? "N" : "SN", o->var);
        return;
    }
    text_printf(out, "%s%u(%u,%u)", visa_name(o->type), o->var, at / 32, at % 32 / bytes);
    if (target)
        text_printf(out, "<%u>", stride);
    else if (o->region == 0 && count >= 4)
        text_printf(out, "<%u;4,%u>", 4 * stride, stride);
    else if (o->region == 1 && count >= 8 && stride == 1)
        text_puts(out, "<8;8,1>");
    else
        text_printf(out, "<%u;1,0>", stride);
}

static void ptx_operand(struct text *out, const struct operand *o)
{
    unsigned bits = 8 * bytes_of(o->type);
    if (o->constant)
        text_printf(out, "%lld", (long long)o->value);
    else if (o->scalar)
        text_printf(out, "%%n%u", o->var);
    else if (o->type == 'p')
        text_printf(out, "%%p%u", o->var);
    else if (stride_of(o->type) > 1)
        text_printf(out, "%%r%u, %u, %u", o->var, o->part * bits, bits);
    else
        text_printf(out, "%%%c%u", bits == 64 ? 'w' : bits == 16 ? 'h' : 'r', o->var);
}

/* ---- statements
 * -------------------------------------------------------------------------------------------------------- */

struct guard {
    unsigned pred; /* 0: none, else its number + 1 */
    bool not ;
};

static struct guard guard(struct pair *p, bool wanted)
{
    struct guard g = {wanted && pick(p, 4) == 0 ? 1 + pick(p, PREDS) : 0, pick(p, 2)};
    return g;
}

static void visa_exec(struct pair *p, const struct guard *g, const char *name, unsigned first, unsigned count, bool all)
{
    if (g->pred)
        text_printf(&p->visa, "(%sP%u) ", g->not ? "!" : "", g->pred);
    text_printf(&p->visa, "%s (M%u%s, %u)", name, first / 4 + 1, all ? "_NM" : "", count);
}

struct statement {
    const struct operation *op;
    struct guard guard;
    struct operand operands[4];
    unsigned count;
};
enum { PERIOD = 3 };

static void visa_piece(struct pair *p, const struct statement *s, unsigned first, unsigned width, bool all)
{
    visa_exec(p, &s->guard, s->op->visa, first, width, all);
    for (unsigned k = 0; k < s->count; k++)
        visa_operand(&p->visa, &s->operands[k], first, width, k == 0);
    text_puts(&p->visa, "\n");
}

/* In one piece or in several, which together are all channels: each has all statements. */
static void visa_statements(struct pair *p, const struct statement *s, unsigned count)
{
    unsigned width = p->simd >> pick(p, 3), all = p->depth == 0 && !p->in_function && pick(p, 4) == 0;
    width = width < 8 || (count == 1 && pick(p, 2)) ? p->simd : width;
    unsigned pieces = p->simd / width, backwards = pick(p, 4) == 0;
    for (unsigned i = 0; i < pieces && !p->quiet; i++)
        for (unsigned k = 0; k < count; k++)
            visa_piece(p, &s[k], width * (backwards ? pieces - 1 - i : i), width, all);
}

static void ptx_guard(struct pair *p, const struct guard *g)
{
    if (g->pred)
        text_printf(&p->ptx, "@%s%%p%u", g->not ? "!" : "", g->pred - 1);
}

static void ptx_statement(struct pair *p, const struct operation *op, const struct guard *g, const struct operand *o)
{
    for (const char *c = op->ptx; *c; c++)
        if (*c != '$')
            text_printf(&p->ptx, "%c", *c);
        else if (*++c == 'g')
            ptx_guard(p, g);
        else if (*c == 'd' && stride_of(o->type) > 1) { /* of bfi: what, into what, where */
            text_printf(&p->ptx, "%%r%u, ", o->var);
            if (strncmp(op->visa, "mov.sat", 7) == 0)
                text_puts(&p->ptx, "%t0");
            else
                ptx_operand(&p->ptx, &o[1]);
            text_puts(&p->ptx, ", ");
            ptx_operand(&p->ptx, o);
        } else
            ptx_operand(&p->ptx, &o[*c == 'd' ? 0 : *c - 'a' + 1]);
    text_puts(&p->ptx, "\n");
}

static struct statement statement(struct pair *p)
{
    struct statement s = {.op = &operations[pick(p, OPERATIONS)]};
    const char *t = s.op->types, *name = s.op->visa;
    bool constants = *t != '!';
    for (t += !constants; *t; t++) {
        char modifier = strchr("-|~", *t) ? *t++ : 0;
        s.operands[s.count] = operand(p, *t, constants && !t[1] && !modifier && s.count >= 2);
        s.operands[s.count++].modifier = modifier;
    }
    bool plain = s.operands[0].type != 'p' && strncmp(name, "cmp", 3) != 0;
    s.guard = guard(p, plain && strcmp(name, "min") != 0 && strcmp(name, "max") != 0); /* min and max have none */
    return s;
}

static void compute(struct pair *p)
{
    struct statement s[PERIOD];
    unsigned count = pick(p, 4) ? 1 : 1 + pick(p, PERIOD);
    for (unsigned i = 0; i < count; i++) {
        s[i] = statement(p);
        ptx_statement(p, s[i].op, &s[i].guard, s[i].operands);
    }
    visa_statements(p, s, count);
}

/* The predicate chooses. */
static void choose(struct pair *p)
{
    static const char types[] = "dwq";
    char type = types[pick(p, 3)], ptx[64];
    struct statement s = {.count = 3};
    struct guard g = {1 + pick(p, PREDS), pick(p, 2)}, none = {0};
    for (unsigned i = 0; i < 3; i++)
        s.operands[i] = operand(p, type, false);
    snprintf(ptx, sizeof ptx, "selp.b%u $d, $%c, $%c, %%p%u;", 8 * bytes_of(type), g.not ? 'b' : 'a', g.not ? 'a' : 'b',
             g.pred - 1);
    struct operation op = {"sel", "", ptx};
    s.op = &op;
    s.guard = g;
    visa_statements(p, &s, 1);
    ptx_statement(p, &op, &none, s.operands);
}

/* ---- memory
 * ------------------------------------------------------------------------------------------------------------ */

static void visa_message(struct pair *p, const struct guard *g, const char *name, unsigned var, const char *kind)
{
    unsigned width = p->simd < 16 ? 8 : 16;
    static const struct guard none = {0};
    for (unsigned first = 0; first < p->simd && !p->quiet; first += width) {
        visa_exec(p, g ? g : &none, name, first, width, false);
        text_printf(&p->visa, " ADDR.%u", first * 8);
        if (*kind == 'a')
            text_printf(&p->visa, " %%null.0 R%u.%u %%null.0\n", var, first * 4);
        else
            text_printf(&p->visa, " %s%u.%u\n", kind, var, first * (*kind == 'W' ? 8 : 4));
    }
}

static void load(struct pair *p)
{
    unsigned d = pick(p, VARS), a = pick(p, VARS);
    struct guard g = guard(p, true);
    if (!p->quiet)
        text_printf(&p->visa,
                    "and (M1, %u) UT(0,0)<1> UR%u(0,0)<1;1,0> 0x%x:ud\nshl (M1, %u) UT(0,0)<1> UT(0,0)<1;1,0> 0x2:ud\n"
                    "add (M1, %u) ADDR(0,0)<1> UT(0,0)<1;1,0> IN(0,0)<0;1,0>\n",
                    p->simd, a, IN_WORDS - 1, p->simd, p->simd);
    visa_message(p, &g, "svm_gather.4.1", d, "R");
    text_printf(&p->ptx, "and.b32 %%t0, %%r%u, %u; mul.wide.u32 %%x0, %%t0, 4; add.u64 %%x0, %%x0, %%in; ", a,
                IN_WORDS - 1);
    ptx_guard(p, &g);
    text_printf(&p->ptx, " ld.global.b32 %%r%u, [%%x0];\n", d);
}

static void store(struct pair *p, unsigned place, unsigned var, char type)
{
    bool wide = type == 'q';
    struct guard g = guard(p, place < 4);
    if (!p->quiet)
        text_printf(&p->visa, "add (M1, %u) ADDR(0,0)<1> OWN(0,0)<1;1,0> 0x%x:uq\n", p->simd, place * 4);
    visa_message(p, &g, wide ? "svm_scatter.8.1" : "svm_scatter.4.1", var, wide ? "W" : "R");
    ptx_guard(p, &g);
    text_printf(&p->ptx, " st.global.b%u [%%own+%u], %%%c%u;\n", wide ? 64 : 32, place * 4, wide ? 'w' : 'r', var);
}

static void reduce(struct pair *p)
{
    static const struct {
        const char *visa, *ptx;
    } kinds[] = {{"add", "add.u32"}, {"imin", "min.s32"}, {"imax", "max.s32"}, {"xor", "xor.b32"},
                 {"min", "min.u32"}, {"max", "max.u32"},  {"and", "and.b32"},  {"or", "or.b32"}};
    unsigned kind = pick(p, 8), var = pick(p, VARS);
    struct guard g = guard(p, true);
    char name[32];
    snprintf(name, sizeof name, "svm_atomic.%s", kinds[kind].visa);
    if (!p->quiet)
        text_printf(&p->visa,
                    "mov (M1, %u) ADDR(0,0)<1> SUM(0,0)<0;1,0>\nadd (M1, %u) ADDR(0,0)<1> ADDR(0,0)<1;1,0> 0x%x:uq\n",
                    p->simd, p->simd, 4 * kind);
    visa_message(p, &g, name, var, "a");
    ptx_guard(p, &g);
    text_printf(&p->ptx, " red.global.%s [%%sum+%u], %%r%u;\n", kinds[kind].ptx, 4 * kind, var);
}

/* ---- elements of other channels: where all run
 * ---------------------------------------------------------------------------- */

static void cross(struct pair *p)
{
    unsigned d = pick(p, VARS), a = pick(p, VARS), lane = pick(p, 8),
             mask = p->simd == 32 ? UINT32_MAX : (1u << p->simd) - 1;
    if (pick(p, 2)) {
        text_printf(&p->visa, "add (M1, %u) R%u(0,0)<1> R%u(0,%u)<0;1,0> 0x5:d\n", p->simd, d, a, lane);
        text_printf(&p->ptx, "mov.u32 %%t0, %u;", lane);
    } else {
        text_printf(&p->visa, "add (M1, %u) R%u(0,0)<1> R%u(0,0)<0;4,1> 0x5:d\n", p->simd, d, a);
        text_puts(&p->ptx, "mov.u32 %t0, %tid.x; and.b32 %t0, %t0, 3;");
    }
    text_printf(&p->ptx, " shfl.sync.idx.b32 %%t1, %%r%u, %%t0, 31, %u; add.u32 %%r%u, %%t1, 5;\n", a, mask, d);
}

static void vote(struct pair *p)
{
    unsigned d = pick(p, VARS), a = pick(p, VARS), pred = pick(p, PREDS), any = pick(p, 2), not = pick(p, 2);
    unsigned mask = p->simd == 32 ? UINT32_MAX : (1u << p->simd) - 1;
    text_printf(&p->visa, "(%sP%u.%s) mov (M1, %u) R%u(0,0)<1> R%u(0,0)<1;1,0>\n", not ? "!" : "", pred + 1,
                any ? "any" : "all", p->simd, d, a);
    text_printf(&p->ptx, "vote.sync.%s.pred %%p9, %%p%u, %u; @%s%%p9 mov.b32 %%r%u, %%r%u;\n", any ? "any" : "all",
                pred, mask, not ? "!" : "", d, a);
}

/* ---- flow
 * ------------------------------------------------------------------------------------------------------------------ */

static void statements(struct pair *p, unsigned count);

/* PTX's labels, of bodies that it has several times, all differ. */
static void label(struct pair *p, unsigned visa, unsigned ptx)
{
    if (!p->quiet)
        text_printf(&p->visa, "L%u:\n", visa);
    text_printf(&p->ptx, "L%u:\n", ptx);
}

static void jump(struct pair *p, const struct guard *g, unsigned visa, unsigned ptx)
{
    if (!p->quiet) {
        visa_exec(p, g, "goto", 0, p->simd, false);
        text_printf(&p->visa, " L%u\n", visa);
    }
    ptx_guard(p, g);
    text_printf(&p->ptx, " bra L%u;\n", ptx);
}

static void branch(struct pair *p)
{
    struct guard g = {1 + pick(p, PREDS), pick(p, 2)}, always = {0};
    unsigned skip = p->labels++, end = p->labels++;
    bool both = pick(p, 2);
    p->depth++;
    jump(p, &g, skip, skip);
    statements(p, 1 + pick(p, 4));
    if (both)
        jump(p, &always, end, end);
    label(p, skip, skip);
    if (both) {
        statements(p, 1 + pick(p, 4));
        label(p, end, end);
    }
    p->depth--;
}

/* As often as the low bits of a variable say, and once more. */
static void loop(struct pair *p)
{
    unsigned c = p->loops++, var = pick(p, VARS), head = p->labels++;
    struct guard again = {4, false};
    p->depth++;
    text_printf(&p->visa, "and (M1, %u) C%u(0,0)<1> R%u(0,0)<1;1,0> 0x3:d\n", p->simd, c, var);
    text_printf(&p->ptx, "and.b32 %%c%u, %%r%u, 3;\n", c, var);
    label(p, head, head);
    statements(p, 1 + pick(p, 4));
    text_printf(&p->visa, "add (M1, %u) C%u(0,0)<1> C%u(0,0)<1;1,0> -1:d\ncmp.ge (M1, %u) P4 C%u(0,0)<1;1,0> 0x0:d\n",
                p->simd, c, c, p->simd, c);
    text_printf(&p->ptx, "add.s32 %%c%u, %%c%u, -1; setp.ge.s32 %%p3, %%c%u, 0;\n", c, c, c);
    jump(p, &again, head, head);
    p->depth--;
    p->loops--;
}

static void body(struct pair *p, unsigned function);

/* Of the next subroutine, which the text has later. */
static void inner_call(struct pair *p)
{
    bool quiet = p->quiet;
    if (!quiet)
        text_printf(&p->visa, "call (M1, %u) F1\n", p->simd);
    p->quiet = true;
    body(p, 1);
    p->quiet = quiet;
}

/* A subroutine is the same code each time; in PTX it stands where it is called. */
static void body(struct pair *p, unsigned function)
{
    uint64_t random = p->random;
    p->random = p->bodies + function;
    for (unsigned i = 0; i < 6; i++) {
        compute(p);
        if (i == 2 && function == 0)
            inner_call(p);
    }
    p->random = random;
}

static void call(struct pair *p)
{
    struct guard g = guard(p, true), skip = {g.pred, !g.not };
    unsigned function = pick(p, FUNCTIONS), past = p->labels++;
    visa_exec(p, &g, "call", 0, p->simd, false);
    text_printf(&p->visa, " F%u\n", function);
    if (g.pred) {
        ptx_guard(p, &skip);
        text_printf(&p->ptx, " bra L%u;\n", past);
    }
    p->quiet = p->in_function = true;
    body(p, function);
    p->quiet = p->in_function = false;
    text_printf(&p->ptx, "L%u:\n", past);
}

static void statements(struct pair *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = pick(p, 24);
        if (kind == 0 && p->depth < 3)
            branch(p);
        else if (kind == 1 && p->loops < LOOPS)
            loop(p);
        else if (kind == 2)
            load(p);
        else if (kind == 3)
            store(p, pick(p, 4), pick(p, VARS), 'd');
        else if (kind == 4)
            reduce(p);
        else if (kind == 5 && p->depth == 0)
            cross(p);
        else if (kind == 6 && p->depth == 0)
            vote(p);
        else if (kind == 7)
            call(p);
        else if (kind < 10)
            choose(p);
        else
            compute(p);
    }
}

/* ---- kernels
 * -------------------------------------------------------------------------------------------------------------- */

static void visa_declare(struct pair *p)
{
    static const struct {
        const char *name, *type, *of;
        unsigned each;
    } kinds[] = {{"R", "d", NULL, 1}, {"UR", "ud", "R", 1},  {"H", "w", NULL, 1}, {"UH", "uw", "H", 1},
                 {"W", "q", NULL, 1}, {"UW", "uq", "W", 1},  {"BR", "b", "R", 4}, {"UBR", "ub", "R", 4},
                 {"HR", "w", "R", 2}, {"UHR", "uw", "R", 2}, {"C", "d", NULL, 1}};
    text_puts(&p->visa, ".version 4.1\n.kernel \"k\"\n");
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned i = 0; i < VARS; i++) {
            text_printf(&p->visa, ".decl %s%u v_type=G type=%s num_elts=%u align=GRF", kinds[k].name, i, kinds[k].type,
                        p->simd * kinds[k].each);
            if (kinds[k].of)
                text_printf(&p->visa, " alias=<%s%u, 0>", kinds[k].of, i);
            text_puts(&p->visa, "\n");
        }
    static const char *const scalars[] = {"IN", "OUT", "SUM"};
    for (unsigned i = 0; i < 3; i++)
        text_printf(&p->visa, ".decl %s v_type=G type=uq num_elts=1 align=qword\n", scalars[i]);
    text_printf(
        &p->visa,
        ".decl N v_type=G type=ud num_elts=4 align=GRF\n.decl SN v_type=G type=d num_elts=4 align=GRF alias=<N, 0>\n"
        ".decl UT v_type=G type=ud num_elts=%u align=GRF\n.decl ADDR v_type=G type=uq num_elts=%u align=GRF\n"
        ".decl OWN v_type=G type=uq num_elts=%u align=GRF\n.decl L v_type=G type=w num_elts=32 align=GRF\n"
        ".decl P1 v_type=P num_elts=32\n.decl P2 v_type=P num_elts=32\n.decl P3 v_type=P num_elts=32\n"
        ".decl P4 v_type=P num_elts=32\n.input IN offset=32 size=8\n.input OUT offset=40 size=8\n"
        ".input SUM offset=48 size=8\n.input N offset=64 size=16\n.kernel_attr SimdSize=%u\n"
        ".function \"k_main\"\nk_main:\n",
        p->simd, p->simd, p->simd, p->simd);
}

static void begin(struct pair *p)
{
    unsigned s = p->simd;
    visa_declare(p);
    for (unsigned first = 0; first < s; first += 8) /* each channel its own element */
        text_printf(&p->visa,
                    "mov (M%u_NM, 8) L(0,%u)<1> 0x76543210:v\nadd (M%u_NM, 8) L(0,%u)<1> L(0,%u)<1;1,0> %u:w\n",
                    first / 4 + 1, first, first / 4 + 1, first, first, first);
    text_printf(
        &p->visa,
        "mov (M1, %u) UT(0,0)<1> L(0,0)<1;1,0>\n"
        "mad (M1, %u) UT(0,0)<1> %%group_id_x(0,0)<0;1,0> 0x%x:ud UT(0,0)<1;1,0>\n"
        "mad (M1, %u) UT(0,0)<1> %%r0(0,2)<0;1,0> 0x%x:ud UT(0,0)<1;1,0>\n"
        "mul (M1, %u) OWN(0,0)<1> UT(0,0)<1;1,0> 0x%x:ud\nadd (M1, %u) OWN(0,0)<1> OWN(0,0)<1;1,0> OUT(0,0)<0;1,0>\n",
        s, s, s * p->threads, s, s, s, 4 * OUT_WORDS, s);
    text_puts(&p->ptx,
              ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
              ".param .u64 sum, .param .align 4 .b8 n[16])\n{\n.reg .b32 %r<9>, %t<4>, %n<4>, %c<4>;\n.reg .b64 %w<9>, "
              "%x<4>, %in, %own, %sum;\n.reg .b16 %h<9>;\n.reg .pred %p<10>;\nld.param.u64 %in, [in];\n"
              "ld.param.u64 %own, [out];\nld.param.u64 %sum, [sum];\n");
    for (unsigned i = 0; i < 4; i++)
        text_printf(&p->ptx, "ld.param.u32 %%n%u, [n+%u];\n", i, 4 * i);
    text_printf(&p->ptx,
                "mov.u32 %%t0, %%tid.x; mov.u32 %%t1, %%ctaid.x; mad.lo.u32 %%t0, %%t1, %u, %%t0;\n"
                "mad.wide.u32 %%own, %%t0, %u, %%own;\n",
                s, 4 * OUT_WORDS);
    static const unsigned factors[VARS] = {1, 0x9e3779b1, 0x85ebca6b, 0x10101};
    for (unsigned i = 0; i < VARS; i++) {
        text_printf(
            &p->visa,
            "mul (M1, %u) UR%u(0,0)<1> UT(0,0)<1;1,0> 0x%x:ud\nmul (M1, %u) UW%u(0,0)<1> UR%u(0,0)<1;1,0> 0x%x:ud\n"
            "mov (M1, %u) H%u(0,0)<1> R%u(0,0)<1;1,0>\n",
            s, i, factors[i], s, i, i, factors[VARS - 1 - i], s, i, i);
        text_printf(&p->ptx, "mul.lo.u32 %%r%u, %%t0, %u; mul.wide.u32 %%w%u, %%r%u, %u; cvt.u16.u32 %%h%u, %%r%u;\n",
                    i, factors[i], i, i, factors[VARS - 1 - i], i, i);
    }
    for (unsigned i = 0; i < PREDS; i++) {
        text_printf(&p->visa,
                    "and (M1, %u) UT(0,0)<1> UR%u(0,0)<1;1,0> 0x%x:ud\ncmp.ne (M1, %u) P%u UT(0,0)<1;1,0> 0x0:ud\n", s,
                    i, 1u << i, s, i + 1);
        text_printf(&p->ptx, "and.b32 %%t1, %%r%u, %u; setp.ne.u32 %%p%u, %%t1, 0;\n", i, 1u << i, i);
    }
}

/* All variables to memory, and the subroutines. */
static void finish(struct pair *p)
{
    for (unsigned i = 0; i < VARS; i++)
        store(p, 4 + i, i, 'd');
    for (unsigned i = 0; i < VARS; i++)
        store(p, 8 + 2 * i, i, 'q');
    for (unsigned i = 0; i < VARS; i++) {
        text_printf(&p->visa, "mov (M1, %u) R%u(0,0)<1> H%u(0,0)<1;1,0>\n", p->simd, i, i);
        text_printf(&p->ptx, "cvt.s32.s16 %%r%u, %%h%u;\n", i, i);
        store(p, 16 + i, i, 'd');
    }
    for (unsigned i = 0; i < PREDS; i++) {
        text_printf(&p->visa, "mov (M1, %u) R%u(0,0)<1> 0x0:d\n(P%u) mov (M1, %u) R%u(0,0)<1> 0x1:d\n", p->simd, i,
                    i + 1, p->simd, i);
        text_printf(&p->ptx, "selp.b32 %%r%u, 1, 0, %%p%u;\n", i, i);
        store(p, 20 + i, i, 'd');
    }
    text_puts(&p->visa, "ret (M1, 1)\n");
    text_puts(&p->ptx, "ret;\n}\n");
    struct text ptx = p->ptx;
    p->ptx = (struct text){0};
    p->in_function = true;
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        text_printf(&p->visa, ".function \"F%u\"\nF%u:\n", f, f);
        body(p, f);
        text_printf(&p->visa, "ret (M1, %u)\n", p->simd);
    }
    text_free(&p->ptx);
    p->ptx = ptx;
}

static void generate(struct pair *p, uint64_t seed)
{
    *p = (struct pair){.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
    pick(p, 2);
    p->simd = 8u << pick(p, 3);
    p->threads = 1 + (unsigned)(seed % (ITEMS / p->simd));
    p->threads = 1u << (31 - __builtin_clz(p->threads));
    p->bodies = p->random;
    begin(p);
    statements(p, 10 + pick(p, 30));
    finish(p);
}

/* ---- running
 * ---------------------------------------------------------------------------------------------------------------- */

/* seed: of the order; 0: the usual one */
static bool run(struct atoll_device *device, const struct text *text, unsigned block, uint64_t seed,
                unsigned char memory[MEMORY], struct atoll_error *error)
{
    struct atoll_module *module = NULL;
    struct atoll_kernel *kernel;
    struct atoll_kernel_info info;
    uint64_t at;
    struct {
        uint64_t in, out, sum;
        uint32_t n[4];
    } parameters = {.n = {1, 0xfffffff0, 77, 0x80000001}};
    if (!atoll_memory_alloc(device, MEMORY, &at, error))
        return false;
    bool ok = atoll_memory_write(device, at, memory, MEMORY, error) &&
              atoll_module_load(device, text->bytes, text->length, NULL, &module, error) &&
              atoll_module_kernel(module, "k", &kernel, error);
    parameters.in = at;
    parameters.out = at + 4 * IN_WORDS;
    parameters.sum = parameters.out + 4 * OUT_WORDS * ITEMS;
    struct atoll_launch_options launch = {.grid = {ITEMS / block, 1, 1},
                                          .block = {block, 1, 1},
                                          .parameters = &parameters,
                                          .instruction_limit = 10000000,
                                          .seed = seed,
                                          .order = seed ? ATOLL_ORDER_SEEDED : ATOLL_ORDER_DETERMINISTIC};
    if (ok) {
        atoll_kernel_describe(kernel, &info);
        launch.parameter_bytes = info.parameter_bytes;
        ok = info.parameter_bytes <= sizeof parameters && atoll_launch(kernel, &launch, NULL, NULL, error) &&
             atoll_memory_read(device, at, memory, MEMORY, error);
    }
    atoll_module_destroy(module);
    return atoll_memory_free(device, at, error) && ok;
}

static void show(const struct pair *p, uint64_t seed, const struct atoll_error *error)
{
    fprintf(stderr, "%s\n---\n%s\nseed %llu: %s %u:%u\n", p->ptx.bytes, p->visa.bytes, (unsigned long long)seed,
            error->message, error->line, error->column);
}

static void compare(struct atoll_device *device, uint64_t seed)
{
    static unsigned char ptx[MEMORY], visa[MEMORY];
    struct pair p;
    struct atoll_error error = {0};
    generate(&p, seed);
    assert_true(text_ok(&p.ptx) && text_ok(&p.visa));
    memset(ptx, 0, sizeof ptx);
    for (unsigned i = 0; i < IN_WORDS; i++)
        memcpy(ptx + 4 * i, &(uint32_t){i * 0x9e3779b1u}, 4);
    memcpy(visa, ptx, sizeof visa);
    bool ok = run(device, &p.ptx, p.simd, 0, ptx, &error) &&
              run(device, &p.visa, p.simd * p.threads, seed % 2 ? seed : 0, visa, &error);
    for (unsigned i = 0; ok && i < MEMORY; i++)
        if (ptx[i] != visa[i]) {
            int word = (int)(i / 4) - IN_WORDS;
            snprintf(error.message, sizeof error.message, "word %d of item %d: %02x in PTX, %02x in vISA (byte %u)",
                     word % OUT_WORDS, word / OUT_WORDS, ptx[i], visa[i], i % 4);
            ok = false;
        }
    if (!ok) {
        show(&p, seed, &error);
        fail();
    }
    text_free(&p.ptx);
    text_free(&p.visa);
}

static void same_memory(void **state)
{
    uint64_t seed = given("ATOLL_VISA_SEED", 1, 0), count = given("ATOLL_VISA_PAIRS", 1000, 1);
    struct atoll_device *device;
    struct atoll_error error;
    (void)state;
    assert_true(atoll_device_create(NULL, &device, &error));
    for (uint64_t i = 0; i < count; i++)
        compare(device, seed + i);
    atoll_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

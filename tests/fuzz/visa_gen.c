/* The generator of fuzz_visa_run's kernels: each decision takes a byte of the input; when they run out, all further
 * decisions are 0 and the kernel ends. */
#include "visa_gen.h"

#include <string.h>

struct gen {
    const uint8_t *data;
    size_t size, at;
    struct text *out;
    unsigned labels; /* placed so far */
};

static unsigned take(struct gen *g, unsigned n)
{
    return g->at < g->size ? g->data[g->at++] % n : 0;
}

#define PICK(g, table) ((table)[take(g, sizeof(table) / sizeof *(table))])

/* ---- what all kernels declare ------------------------------------------------------------------------------------ */

static const char *const types[] = {"ud", "d", "uw", "w", "ub", "b", "f", "uq", "q", "hf", "df"};
enum { TYPES = sizeof types / sizeof *types, VARS = 2 * TYPES, LABELS = 6 };

static const char declared[] =
    ".decl P1 v_type=P num_elts=32\n.decl P2 v_type=P num_elts=16\n.decl P3 v_type=P num_elts=1\n"
    ".decl A0 v_type=A num_elts=16\n.decl A1 v_type=A num_elts=1\n.decl T6 v_type=T num_elts=1\n"
    ".decl T7 v_type=T num_elts=1\n.decl S5 v_type=S num_elts=1\n"
    ".decl Q v_type=G type=uq num_elts=32 align=GRF\n.decl O v_type=G type=ud num_elts=32 align=GRF\n"
    ".decl IN v_type=G type=uq num_elts=1 align=qword\n.decl N v_type=G type=ud num_elts=4 align=GRF\n"
    ".input IN offset=32 size=8\n.input N offset=64 size=16\n";

/* Variables of each type, and aliases of others' bytes. */
static void declare(struct gen *g)
{
    text_puts(g->out, ".version 4.1\n.kernel \"k\"\n");
    for (unsigned i = 0; i < TYPES; i++)
        text_printf(g->out, ".decl G%u v_type=G type=%s num_elts=%u align=GRF\n", i, types[i], 8u << take(g, 4));
    for (unsigned i = 0; i < TYPES; i++)
        text_printf(g->out, ".decl G%u v_type=G type=%s num_elts=%u align=GRF alias=<G%u, %u>\n", TYPES + i, types[i],
                    1 + take(g, 16), take(g, TYPES), take(g, 4) * 8);
    text_puts(g->out, declared);
    static const char *const simd[] = {"8", "16", "32"};
    text_printf(g->out, ".kernel_attr SimdSize=%s\n.kernel_attr SLMSize=1\n.function \"k_main\"\n", PICK(g, simd));
    text_puts(g->out, "mov (M1, 32) O(0,0)<1> 0x76543210:uv\nshl (M1, 32) O(0,0)<1> O(0,0)<1;1,0> 0x2:ud\n"
                      "add (M1, 32) Q(0,0)<1> IN(0,0)<0;1,0> O(0,0)<1;1,0>\n");
}

/* ---- operands ------------------------------------------------------------------------------------------------------
 */

static void exec(struct gen *g)
{
    static const char *const sizes[] = {"M1, 8", "M1, 16", "M1, 32",   "M5, 16",    "M1_NM, 1",  "M1, 1", "M3, 8",
                                        "M2, 4", "M1, 2",  "M5_NM, 8", "M1_NM, 16", "M1_NM, 32", "M8, 4", "M7_NM, 2"};
    text_printf(g->out, "(%s)", PICK(g, sizes));
}

static void variable(struct gen *g)
{
    unsigned v = take(g, VARS + 4);
    static const char *const others[] = {"O", "N", "%r0", "Q"};
    if (v < VARS)
        text_printf(g->out, "G%u", v);
    else
        text_puts(g->out, others[v - VARS]);
}

static void place(struct gen *g)
{
    static const unsigned columns[] = {0, 0, 0, 0, 1, 2, 3, 4, 8};
    variable(g);
    text_printf(g->out, "(%u,%u)", take(g, 6) == 5, PICK(g, columns));
}

static void target(struct gen *g)
{
    static const char *const strides[] = {"1", "1", "1", "2", "4"};
    switch (take(g, 24)) {
    case 20:
        text_puts(g->out, "r[A1(0), 8]<1>:d");
        return;
    case 22:
        text_puts(g->out, "%null(0,0)<1>");
        return;
    case 23:
        text_puts(g->out, "%cr0(0,0)<1>");
        return;
    default:
        place(g);
        text_printf(g->out, "<%s>", PICK(g, strides));
    }
}

static void source(struct gen *g)
{
    static const char *const regions[] = {"<1;1,0>", "<0;1,0>", "<1;1,0>", "<2;1,0>",
                                          "<4;4,1>", "<8;4,2>", "<0;8,1>", "<1;2,0>"};
    static const char *const constants[] = {
        "0x1:d",        "0x0:ud",        "0xffffffff:ud",         "0x7fff:w", "0x76543210:v", "0x1:uw",
        "0x3f800000:f", "0x40302010:vf", "0x8000000000000000:uq", "0x1f:ud"};
    static const char *const others[] = {"r[A1(0), 0]<1;1,0>:ud", "r[A0(0), 4]<1,0>:w", "%ce0(0,0)<0;1,0>",
                                         "%group_id_x(0,0)<0;1,0>"};
    static const char *const modifiers[] = {"", "", "", "", "(-)", "(abs)", "(-abs)", "(~)"};
    unsigned kind = take(g, 16);
    if (kind < 3) {
        text_puts(g->out, PICK(g, constants));
        return;
    }
    if (kind == 3) {
        text_puts(g->out, PICK(g, others));
        return;
    }
    text_puts(g->out, PICK(g, modifiers));
    place(g);
    text_puts(g->out, PICK(g, regions));
}

static void raw(struct gen *g)
{
    static const unsigned bytes[] = {0, 0, 0, 0, 4, 32, 64};
    if (take(g, 12) == 11)
        text_puts(g->out, "%null.0");
    else {
        variable(g);
        text_printf(g->out, ".%u", PICK(g, bytes));
    }
}

/* ---- instructions ---------------------------------------------------------------------------------------------------
 */

/* E execution size, P predicate or none, d target, s source, r raw, p predicate variable, L label, T surface, # a name
 * of the list after. */
static const char *const lists[] = {"add mul min max avg mulh and or xor shl shr asr rol ror div mod",
                                    "mov not lzd cbit bfrev fbl fbh rndd rnde inv sqrt log exp sin frc rndz rsqrt",
                                    "mad add3 dp4a bfe lrp sad2add madw"};

static const char *const kinds[] = {
    "%Padd %E %d %s %s",
    "%Pmul %E %d %s %s",
    "%Padd.sat %E %d %s %s",
    "%Pmov %E %d %s",
    "%Pmov.sat %E %d %s",
    "%P%0 %E %d %s %s",
    "%P%0 %E %d %s %s",
    "%P%1 %E %d %s",
    "%P%2 %E %d %s %s %s",
    "%Pbfi %E %d %s %s %s %s",
    "%Pbfn.x96 %E %d %s %s %s",
    "%Paddc %E %d %d %s %s",
    "cmp.lt %E %p %s %s",
    "cmp.ne %E %d %s %s",
    "%Psel %E %d %s %s",
    "setp %E %p %s",
    "mov %E %d %p",
    "and %E %p %p %p",
    "not %E %p %p",
    "movs (M1_NM, 1) T6(0) %s",
    "movs (M1_NM, 1) T6(0) 0x1:ud",
    "movs (M1_NM, 1) %d T7(0)",
    "addr_add (M1_NM, 1) A1(0)<1> &G1 0x8:uw",
    "addr_add (M1, 8) A0(0)<1> &G2 G2(0,0)<1;1,0>",
    "addr_add (M1_NM, 8) A0(0)<1> &G0[8] G2(0,0)<1;1,0>",
    "addr_add (M1_NM, 1) A1(0)<1> A1(0)<1> 0x4:uw",
    "%Pgoto %E L%L",
    "%Pjmp (M1, 1) L%L",
    "call (M1, 8) F%F",
    "%Pcall (M1, 1) F%F",
    "%Pret %E",
    "switchjmp (M1, 1) %s (L%L, L%L)",
    "barrier",
    "sbarrier.signal",
    "sbarrier.wait",
    "fence_global",
    "lsc_fence.ugm.none.group",
    "gather.4 (M1, 8) T6 %s O.0 %r",
    "scatter.1 (M1, 16) T6 0x0:ud O.0 %r",
    "%Pgather_scaled.1 %E %T 0x0:ud O.0 %r",
    "%Pscatter_scaled.4 %E %T 0x4:ud O.0 %r",
    "%Pgather4_scaled.%R %E %T %s O.0 %r",
    "%Pscatter4_scaled.%R %E %T 0x0:ud %r %r",
    "oword_ld (4) %T 0x0:ud %r",
    "oword_st (2) %T %s %r",
    "oword_ld_unaligned (8) %T 0x4:ud %r",
    "svm_block_ld (4) IN(0,0)<0;1,0> %r",
    "svm_block_st (8) IN(0,0)<0;1,0> %r",
    "%Psvm_gather.4.1 %E Q.0 %r",
    "%Psvm_scatter.4.1 %E Q.0 %r",
    "%Psvm_gather.1.4 %E Q.0 %r",
    "%Psvm_gather.8.2 %E Q.0 %r",
    "%Psvm_scatter.4.4 %E Q.0 %r",
    "%Psvm_atomic.%A %E Q.0 %r %r %r",
    "%Psvm_gather4scaled.%R %E IN(0,0)<0;1,0> Q.0 %r",
    "%Pqw_gather.2 %E %T O.0 %r",
    "media_ld.nomod (16,4) %T 0 %s 0x0:d %r",
    "media_st.nomod (8,8) %T 0 0x0:d %s %r",
    "%Pdword_atomic.%A %E %T O.0 %r %r %r",
    "%Pgather4_typed.%R %E %T O.0 %r %r %null.0 %r",
    "%Pscatter4_typed.%R %E %T O.0 %r %r %null.0 %r",
    "%Ptyped_atomic.%A %E %T O.0 %r %r %null.0 %r %r %r",
    "%Psample_3d.%R %E 0x0:uw S5 %T %r %r %r",
    "%Psample_l.%R %E 0x0:uw S5 %T %r %r %r %r",
    "%Psample_d.%R %E 0x0:uw S5 %T %r %r %r %r %r %r %r",
    "%Psample_c.%R %E 0x0:uw S5 %T %r %r %r %r",
    "%Psample4.R %E 0x0:uw S5 %T %r %r %r",
    "%Pload_3d.%R %E 0x0:uw %T %r %r %r %r",
    "resinfo.RGBA %E %T %r %r",
    "sampleinfo.R %E %T %r",
    "%Plsc_load.ugm %E %V:d32 flat[Q]:a64",
    "%Plsc_load.ugm %E %V:d32x4 bti(0x2)[O]:a32",
    "%Plsc_load.slm %E %V:d8c32 flat[O]:a32",
    "lsc_load.ugm (M1_NM, 1) %V:d32x8t flat[IN]:a64",
    "%Plsc_load_quad.slm %E %V:d32.%X flat[O]:a32",
    "%Plsc_store.ugm %E flat[Q]:a64 %V:d32x2",
    "%Plsc_store.slm %E flat[O]:a32 %V:d64",
    "%Plsc_atomic_iadd.ugm %E %V:d32 flat[Q]:a64 %V %null",
    "%Plsc_atomic_icas.slm %E %V:d32 flat[O]:a32 %V %V",
    "%Plsc_load_quad.tgm %E %V:d32.%X bti(0x2)[O,%V]:a32",
    "%Plsc_store_quad.tgm %E bti(0x2)[O,%V]:a32 %V:d32.%X",
    "%Pplane %E %d %s %s",
    "dp4 %E %d %s %s",
    "lifetime.start G3",
    "yield",
};

static void word_of(struct gen *g, const char *list)
{
    unsigned words = 1, pick;
    for (const char *p = list; *p; p++)
        words += *p == ' ';
    for (pick = take(g, words); pick; list++)
        pick -= *list == ' ';
    while (*list && *list != ' ')
        text_printf(g->out, "%c", *list++);
}

static void piece(struct gen *g, char kind)
{
    static const char *const guards[] = {"", "", "", "", "(P1) ", "(!P2) ", "(P1.any) ", "(!P2.all) ", "(P3) "};
    switch (kind) {
    case 'E':
        exec(g);
        break;
    case 'P':
        text_puts(g->out, PICK(g, guards));
        break;
    case 'd':
        target(g);
        break;
    case 's':
        source(g);
        break;
    case 'r':
        raw(g);
        break;
    case 'V':
        variable(g);
        break;
    case 'p':
        text_printf(g->out, "P%u", 1 + take(g, 3));
        break;
    case 'L':
        text_printf(g->out, "%u", take(g, LABELS));
        break;
    case 'F':
        text_printf(g->out, "%u", take(g, 3));
        break;
    case 'T':
        word_of(g, "T6 T7 T6 %slm");
        break;
    case 'R':
        word_of(g, "RGBA R RG G RA BA");
        break;
    case 'X':
        word_of(g, "xyzw x xy xyz y");
        break;
    case 'A':
        word_of(g, "add sub inc dec min max xchg cmpxchg and or xor minsint maxsint fmin fcmpwr predec");
        break;
    default:
        word_of(g, lists[kind - '0']);
    }
}

static void instruction(struct gen *g)
{
    const char *p = PICK(g, kinds);
    for (; *p; p++)
        if (*p == '%' && p[1] && strchr("EPdsrVpLFTRAX012", p[1]) && !(p[1] == 's' && p[2] == 'l'))
            piece(g, *++p);
        else
            text_printf(g->out, "%c", *p);
    text_puts(g->out, "\n");
}

/* A stretch of instructions, with the labels from `first` to `end` between them. */
static void stretch(struct gen *g, unsigned first, unsigned end)
{
    for (unsigned l = first; l < end; l++) {
        for (unsigned n = take(g, 12); n > 0 && g->at < g->size; n--)
            instruction(g);
        text_printf(g->out, "L%u:\n", l);
    }
    for (unsigned n = take(g, 24); n > 0 && g->at < g->size; n--)
        instruction(g);
    text_puts(g->out, "ret (M1, 1)\n");
}

void visa_generate(const uint8_t *data, size_t size, struct text *out)
{
    struct gen g = {.data = data, .size = size, .out = out};
    declare(&g);
    stretch(&g, 0, LABELS);
    for (unsigned f = 0; f < 3; f++) {
        text_printf(out, ".function \"F%u\"\nF%u:\n", f, f);
        stretch(&g, 0, 0);
    }
}

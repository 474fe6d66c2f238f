/* Atomic messages of vISA on buffers, addresses and shared memory: every operation against plain C, in all widths, with
 * masks, predicates, waiting channels, bounds. Source: docs/visa.md, "Atomics", "Running". */
#include "visa_atomic_ref.h"
#include "visa_message.h"

/* How messages write the operations of visa_atomic_ref.h. */
static const struct {
    const char *ref, *lsc;
} lsc_names[] = {{"inc", "iinc"},     {"dec", "idec"},     {"xchg", "store"}, {"add", "iadd"},  {"sub", "isub"},
                 {"minsint", "smin"}, {"maxsint", "smax"}, {"min", "umin"},   {"max", "umax"},  {"cmpxchg", "icas"},
                 {"fadd", "fadd"},    {"fsub", "fsub"},    {"fmin", "fmin"},  {"fmax", "fmax"}, {"fcmpwr", "fcas"},
                 {"and", "and"},      {"or", "or"},        {"xor", "xor"},    {"load", "load"}};

struct swap {
    const char *op; /* of the reference; "load": nothing is stored */
    char text[160];
    unsigned bits;
    bool flat;
};

enum { SRC0_AT = 512, SRC1_AT = 1024 }; /* bytes of the register S: one element a channel, 4 bytes at least */

/* Numbers that all widths have as floats: k / 4. */
static uint64_t number(unsigned k, unsigned bits)
{
    return ref_bits(((double)k - 8) / 4, bits);
}

/* What memory and S have: floats for the float operations; some that agree with what is compared. */
static uint64_t memory_of(const struct swap *w, unsigned i)
{
    static const uint64_t ints[8] = {0, 1, 5, 0x7FFF, 0x80000000, 0xFFFFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000};
    return ref_is_float(w->op) ? number(i % 16, w->bits) : ints[i % 8];
}

static uint64_t source_of(const struct swap *w, unsigned which, unsigned i)
{
    static const uint64_t ints[6] = {3, 1, 5, 0x8000000000000001, 0xFFFFFFFFFFFFFFF0, 0x7FFFF};
    if (i % 3 == 0)
        return memory_of(w, i);
    return ref_is_float(w->op) ? number((i * 7 + which * 3) % 16, w->bits) : ints[(i + which) % 6];
}

static void fill(const struct swap *w, struct shot *s)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        s->in[i] = i * 5 % 32 * 64;
        s->in[2 * ITEMS + i] = i * 7 % 3;
    }
    (void)w;
}

/* Memory at first: the buffer's elements by channel, and S. */
static void prepare(const struct swap *w, const struct shot *s, unsigned char *memory)
{
    unsigned bytes = w->bits / 8, held = bytes < 4 ? 4 : bytes;
    for (unsigned i = 0; i < ITEMS; i++) {
        uint64_t v = memory_of(w, i);
        memcpy(memory + s->in[i], &v, bytes);
    }
    for (unsigned c = 0; c < 32; c++)
        for (unsigned which = 0; which < 2; which++) {
            uint64_t v = source_of(w, which, c);
            memcpy(memory + FILE_AT + (which ? SRC1_AT : SRC0_AT) + c * held, &v, bytes);
        }
}

static void model(const struct swap *w, const struct shot *s, const struct shot_run *r, unsigned char *want)
{
    unsigned bytes = w->bits / 8, held = bytes < 4 ? 4 : bytes;
    shot_begin(r, want);
    for (unsigned item = 0; item < ITEMS; item++) {
        unsigned thread = item / s->simd, lane = item % s->simd, i = lane - s->first;
        if (lane < s->first || i >= s->n || !carries(s, thread, lane))
            continue;
        uint64_t old = 0, a = 0, b = 0, now, at = s->in[item];
        bool inside = w->flat || at + bytes <= BOUND;
        memcpy(&a, r->before + FILE_AT + SRC0_AT + i * held, bytes);
        memcpy(&b, r->before + FILE_AT + SRC1_AT + i * held, bytes);
        if (inside) {
            memcpy(&old, want + at, bytes);
            now = strcmp(w->op, "load") == 0 ? old : ref_stored(w->op, old, a, b, w->bits);
            memcpy(want + at, &now, bytes);
            if (strcmp(w->op, "predec") == 0)
                old = now;
        }
        memcpy(want + DUMP_AT + thread * FILE_BYTES + i * held, &old, held);
    }
}

static void run_swap(const struct swap *w)
{
    static struct shot_run r;
    static unsigned char want[MEMORY];
    for (unsigned k = 0; k < COUNT(widths); k++) {
        unsigned who = (k + w->bits / 16) % WHOS;
        struct shot s = {.simd = widths[k].simd,
                         .n = widths[k].n,
                         .first = widths[k].first,
                         .who = (enum who)who,
                         .text = w->text,
                         .bytes = 1280};
        fill(w, &s);
        s.prepared = true;
        prepare(w, &s, r.before);
        shoot(&r, &s);
        model(w, &s, &r, want);
        shot_check(&s, &r, want);
    }
}

/* The operands that an operation needs, cmpxchg with what is stored first; LSC has them the other way round. */
static const char *source(const char *op, unsigned which, bool lsc)
{
    bool two = ref_has_two(op), turned = lsc && strcmp(op, "cmpxchg") == 0;
    if (ref_is_alone(op) || strcmp(op, "load") == 0 || (which == 1 && !two))
        return lsc ? "%null" : "%null.0";
    return (which == 1) != turned ? "S.1024" : "S.512";
}

static void dword_messages_do_what_the_page_says(void **state)
{
    (void)state;
    for (unsigned o = 0; o < REF_OPERATIONS; o++)
        for (unsigned bits = 16; bits <= 32; bits += 16) {
            struct swap w = {.op = ref_operations[o], .bits = bits};
            snprintf(w.text, sizeof w.text, "dword_atomic.%s%s {E} T6 {A} %s %s D.0", w.op, bits == 16 ? ".16" : "",
                     source(w.op, 0, false), source(w.op, 1, false));
            run_swap(&w);
        }
}

static void svm_messages_do_what_the_page_says(void **state)
{
    (void)state;
    for (unsigned o = 0; o < REF_OPERATIONS; o++)
        for (unsigned bits = 16; bits <= 64; bits *= 2) {
            struct swap w = {.op = ref_operations[o], .bits = bits, .flat = true};
            snprintf(w.text, sizeof w.text, "svm_atomic.%s%s {E} {Q} D.0 %s %s", w.op,
                     bits == 16   ? ".16"
                     : bits == 32 ? ""
                                  : ".64",
                     source(w.op, 0, false), source(w.op, 1, false));
            run_swap(&w);
        }
}

static void lsc_messages_do_what_the_page_says(void **state)
{
    static const char *const sizes[] = {"", "d16c32", "d32", "", "d64"};
    (void)state;
    for (unsigned o = 0; o < COUNT(lsc_names); o++)
        for (unsigned bits = 16; bits <= 64; bits *= 2)
            for (unsigned flat = 0; flat < 2; flat++) {
                struct swap w = {.op = lsc_names[o].ref, .bits = bits, .flat = flat};
                snprintf(w.text, sizeof w.text, "lsc_atomic_%s.ugm {E} D:%s %s %s %s", lsc_names[o].lsc,
                         sizes[bits / 16], flat ? "flat[{Q}]:a64" : "bti(0x1)[{A}]:a32", source(w.op, 0, true),
                         source(w.op, 1, true));
                run_swap(&w);
            }
}

/* Nobody wants what was there. */
static void results_may_be_null(void **state)
{
    struct swap w = {.op = "add", .bits = 32, .text = "dword_atomic.add {E} T6 {A} S.512 %null.0 %null.0"};
    static struct shot_run r;
    static unsigned char want[MEMORY];
    struct shot s = {.simd = 16, .n = 16, .text = w.text, .bytes = 1280, .prepared = true};
    (void)state;
    fill(&w, &s);
    prepare(&w, &s, r.before);
    shoot(&r, &s);
    model(&w, &s, &r, want);
    for (unsigned t = 0; t < 2; t++)
        memcpy(want + DUMP_AT + t * FILE_BYTES, r.before + FILE_AT, 64);
    shot_check(&s, &r, want);
}

/* Channels on one element go one after the other; shared memory counts from 0. */
static void shared_memory_counts(void **state)
{
    static const char *const texts[][2] = {
        {"dword_atomic.add {E} %slm ZERO.0 TWO.0 %null.0 D.0", "gather_scaled.4 (M1, 16) %slm 0x0:ud ZERO.0 D.64"},
        {"lsc_atomic_iadd.slm {E} D:d32 flat[ZERO]:a32 TWO %null", "lsc_load.slm (M1, 16) D.64:d32 flat[ZERO]:a32"},
        {"dword_atomic.add {E} %slm TAG.0 TWO.0 %null.0 D.0", "gather_scaled.4 (M1, 16) %slm 0x0:ud ZERO.0 D.64"}};
    static struct shot_run r;
    static unsigned char want[MEMORY];
    (void)state;
    for (unsigned i = 0; i < COUNT(texts); i++) {
        char text[300];
        snprintf(text, sizeof text, "%s\n%s", texts[i][0], texts[i][1]);
        struct shot s = {.simd = 16,
                         .n = 16,
                         .text = text,
                         .bytes = 128,
                         .slm = 64,
                         .setup =
                             ".decl ZERO v_type=G type=ud num_elts=16 align=GRF\n.decl TWO v_type=G type=ud "
                             "num_elts=16 align=GRF\n.decl TAG v_type=G type=ud num_elts=16 align=GRF\n"
                             "mov (M1, 16) ZERO(0,0)<1> 0x0:ud\nmov (M1, 16) TAG(0,0)<1> 0x10000000:ud\n"
                             "mov (M1, 16) TWO(0,0)<1> 0x2:ud\nscatter_scaled.4 (M1, 16) %slm 0x0:ud ZERO.0 ZERO.0\n"};
        shoot(&r, &s);
        shot_begin(&r, want);
        for (unsigned t = 0; t < 2; t++)
            for (uint32_t c = 0; c < 16; c++) {
                uint32_t old = 2 * c, all = 32;
                memcpy(want + DUMP_AT + t * FILE_BYTES + 4 * c, &old, 4);
                memcpy(want + DUMP_AT + t * FILE_BYTES + 64 + 4 * c, &all, 4);
            }
        shot_check(&s, &r, want);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(dword_messages_do_what_the_page_says),
        cmocka_unit_test(svm_messages_do_what_the_page_says),
        cmocka_unit_test(lsc_messages_do_what_the_page_says),
        cmocka_unit_test(results_may_be_null),
        cmocka_unit_test(shared_memory_counts),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}

/* Random surface and atomic instructions, for tests: words from the rows' patterns, operands of many shapes, and on
 * request mistakes in both. The registers are declared by forms_heading. */
#ifndef ATOLL_TESTS_PTX_FORMS_H
#define ATOLL_TESTS_PTX_FORMS_H

#include <string.h>

#include "isa/ptx/sample.h"

struct forms {
    uint64_t state;    /* of the random numbers; not 0 */
    unsigned mistakes; /* per cent of words and operands that are out of place */
    bool registers;    /* no constants among the mistakes */
};

static inline unsigned forms_random(struct forms *f, unsigned count)
{
    f->state ^= f->state << 13;
    f->state ^= f->state >> 7;
    f->state ^= f->state << 17;
    return (unsigned)((f->state >> 20) % count);
}

static inline bool forms_slip(struct forms *f)
{
    return forms_random(f, 100) < f->mistakes;
}

/* Lines before the first instruction. */
enum { FORMS_HEADING_LINES = 9 };

static inline void forms_heading(struct text *out, const char *version, const char *target)
{
    text_printf(out, ".version %s\n.target %s\n.address_size 64\n", version, target);
    text_puts(out,
              ".global .surfref S; .global .surfref SA[4]; .global .texref T; .global .align 32 .b8 G[64];\n"
              ".visible .entry k(.param .u64 p, .param .surfref ps) {\n"
              ".reg .pred %p<3>; .reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>;\n"
              ".reg .f64 %fd<20>; .reg .b128 %q<4>; .reg .b8 %c<4>; .reg .u32 %u<4>; .reg .s32 %s<4>; .reg .u16 "
              "%us<4>; .reg .u64 %ud<4>; .reg .f16 %hf<4>; .reg .f16x2 %hx<4>; .reg .v2 .b32 %v2_<4>; .reg .v4 .b32 "
              "%v4_<4>; .reg .v4 .f32 %vf4_<4>;\n"
              ".shared .align 32 .b8 SH[64];\n"
              "ld.param.u64 %rd9,[p]; mov.u64 %rd8,SH; mov.u32 %r19,SH;\n");
}

static inline const char *forms_pick(struct forms *f, const char *const *words, unsigned count)
{
    return words[forms_random(f, count)];
}

#define FORMS_PICK(f, ...)                            \
    forms_pick(f, (const char *const[]){__VA_ARGS__}, \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof((const char *const[]){__VA_ARGS__}[0]))

static inline const char *forms_register(struct forms *f, unsigned bits)
{
    if (forms_slip(f))
        return f->registers
                   ? FORMS_PICK(f, "%c1", "%h1", "%r1", "%rd1", "%q1", "%f1", "%fd1", "%us1", "%hx1", "_", "%laneid")
                   : FORMS_PICK(f, "%c1", "%h1", "%r1", "%rd1", "%q1", "%f1", "%fd1", "%us1", "%hx1", "1", "-1", "_",
                                "%tid.x", "0f3F800000");
    switch (bits) {
    case 8:
        return FORMS_PICK(f, "%c1", "%h2", "%r3", "%rd4");
    case 16:
        return FORMS_PICK(f, "%h1", "%h2", "%h3", "%us1");
    case 32:
        return FORMS_PICK(f, "%r1", "%r2", "%r3", "%f1", "%v4_1.y", "%u1", "%s1");
    case 64:
        return FORMS_PICK(f, "%rd1", "%rd2", "%rd3", "%fd1", "%ud1");
    default:
        return FORMS_PICK(f, "%q1", "%q2");
    }
}

/* A vector of registers of one kind, now and then mixed. */
static inline void forms_tuple(struct forms *f, unsigned bits, unsigned count, struct text *out)
{
    const char *kind = forms_register(f, bits);
    for (unsigned i = 0; i < count; i++)
        text_printf(out, "%s%s", i == 0 ? "{" : ",", forms_random(f, 4) != 0 ? kind : forms_register(f, bits));
    text_puts(out, "}");
}

static inline void forms_data(struct forms *f, const struct ptx_form *form, bool surface, struct text *out)
{
    unsigned bits = ptx_type_bits(form->types[0]), vec = form->vec;
    if (ptx_form_has(form, PTX_async) && !ptx_form_has(form, PTX_mbarrier__complete_tx__bytes)) {
        text_puts(out, bits == 64 ? "%rd1" : "%r1"); /* ptxas reports the others on wrong lines */
        return;
    }
    if (surface && vec == 1 && form->row != &ptx_row_sured && forms_random(f, 3) == 0)
        vec = 1U << forms_random(f, 3);
    else if (vec == 1) {
        text_puts(out, forms_register(f, bits));
        return;
    }
    forms_tuple(f, bits, forms_slip(f) ? 1 + forms_random(f, 4) : vec, out);
}

static inline void forms_coordinates(struct forms *f, const struct ptx_form *form, struct text *out)
{
    unsigned least = form->geom == PTX__3d || form->geom == PTX_a2d   ? 4
                     : form->geom == PTX__2d || form->geom == PTX_a1d ? 2
                                                                      : 1;
    if (forms_random(f, 8) == 0) {
        text_puts(out, FORMS_PICK(f, "%r1", "%u1", "%s1", "%v4_1", "%v2_1", "%f1", "%rd1", "%vf4_1"));
        return;
    }
    unsigned count = forms_slip(f) ? 1 + forms_random(f, 5) : least < 4 && forms_random(f, 2) ? 2 * least : least;
    for (unsigned i = 0; i < count; i++)
        text_printf(out, "%s%s", i == 0 ? "{" : ",",
                    forms_slip(f) ? FORMS_PICK(f, "%f1", "%h1", "%rd1", "_", "%hx1")
                                  : FORMS_PICK(f, "%r1", "%u2", "%s3", "%r4", "7", "-1"));
    text_puts(out, "}");
}

static inline void forms_place(struct forms *f, const struct ptx_form *form, struct text *out)
{
    text_printf(out, "[%s, ",
                forms_slip(f) ? FORMS_PICK(f, "SA", "T", "G", "%r1", "%fd1")
                              : FORMS_PICK(f, "S", "%rd9", "%ud1", "ps"));
    forms_coordinates(f, form, out);
    text_puts(out, "]");
}

static inline void forms_address(struct forms *f, const struct ptx_form *form, struct text *out)
{
    bool shared = (form->space != 0 && form->space != PTX_global) || form->scope == PTX_cluster;
    const char *base = shared ? FORMS_PICK(f, "%rd8", "%r19", "SH", "SH+8", "%r19+16")
                              : FORMS_PICK(f, "%rd9", "G", "G+16", "%rd9+32", "%rd9+-32");
    text_printf(out, "[%s]", forms_slip(f) ? FORMS_PICK(f, "SH", "G", "%f1", "16") : base);
}

static inline void forms_surface(struct forms *f, const struct ptx_form *form, struct text *out)
{
    if (form->row == &ptx_row_suq) {
        text_printf(out, "%s, [%s]", forms_register(f, 32), FORMS_PICK(f, "S", "%rd9", "ps"));
        return;
    }
    if (form->row == &ptx_row_suld) {
        forms_data(f, form, true, out);
        text_puts(out, ", ");
    }
    forms_place(f, form, out);
    if (form->row != &ptx_row_suld) {
        text_puts(out, ", ");
        forms_data(f, form, true, out);
    }
}

static inline void forms_atomic(struct forms *f, const struct ptx_form *form, struct text *out)
{
    bool sink = form->types[0] != PTX_bf16 && form->types[0] != PTX_bf16x2; /* ptxas crashes on these */
    if (form->row == &ptx_row_atom) {
        if (sink && forms_random(f, 6) == 0)
            text_puts(out, "_");
        else
            forms_data(f, form, false, out);
        text_puts(out, ", ");
    }
    forms_address(f, form, out);
    for (unsigned i = 0; i < (form->op == PTX_cas ? 2U : 1U); i++) {
        text_puts(out, ", ");
        forms_data(f, form, false, out);
    }
    if (ptx_form_has(form, PTX_L2__cache_hint))
        text_puts(out, ", %rd5");
    if (ptx_form_has(form, PTX_mbarrier__complete_tx__bytes))
        text_puts(out, ", [%r18]");
}

/* Words that ptxas knows and does not crash on; sured.xor and its like are not among them. */
static inline uint16_t forms_stray(struct forms *f)
{
    static const uint16_t words[] = {
        PTX_b32,   PTX_b64,     PTX_u32,     PTX_s64,  PTX_f32,           PTX_f16,    PTX_b128, PTX_b8,
        PTX__2d,   PTX_a1d,     PTX_cube,    PTX_trap, PTX_clamp,         PTX_ca,     PTX_wb,   PTX_cg,
        PTX_cv,    PTX_relaxed, PTX_acquire, PTX_weak, PTX_global,        PTX_shared, PTX_cta,  PTX_gpu,
        PTX_noftz, PTX_cluster, PTX_min,     PTX_max,  PTX_L2__cache_hint};
    return words[forms_random(f, sizeof(words) / sizeof(words[0]))];
}

/* The words of a pattern in any order (the unit of a surface access, and async, stay first), now and then with one
 * dropped, replaced or added. */
static inline unsigned forms_words(struct forms *f, const struct ptx_pattern *pattern, uint16_t *mods)
{
    unsigned count;
    ptx_sample_choice(pattern, (uint64_t)forms_random(f, 1U << 30) << 20 | forms_random(f, 1U << 20), mods, &count);
    unsigned fixed = mods[0] == PTX_b || mods[0] == PTX_p || mods[0] == PTX_async;
    for (unsigned i = count; i > fixed + 1; i--) {
        unsigned other = fixed + forms_random(f, i - fixed);
        uint16_t swap = mods[i - 1];
        mods[i - 1] = mods[other];
        mods[other] = swap;
    }
    if (forms_slip(f) && count > fixed)
        mods[fixed + forms_random(f, count - fixed)] = forms_stray(f);
    if (forms_slip(f) && count < INSN_MODS)
        mods[count++] = forms_stray(f);
    return count - (forms_slip(f) && count > fixed + 1);
}

/* One instruction with its ';'. The pattern it came from, for operands that fit it. */
static inline void forms_next(struct forms *f, struct text *out)
{
    static const struct ptx_row *const rows[] = {&ptx_row_suld, &ptx_row_sust, &ptx_row_sured,
                                                 &ptx_row_suq,  &ptx_row_suld, &ptx_row_sust,
                                                 &ptx_row_atom, &ptx_row_atom, &ptx_row_red};
    const struct ptx_row *row = rows[forms_random(f, sizeof(rows) / sizeof(rows[0]))];
    const struct ptx_pattern *pattern = &row->patterns[forms_random(f, row->npatterns)];
    struct arena arena = {0};
    struct ptx_matcher matcher = PTX_MATCHER(&arena);
    struct insn insn = {.row = row};
    uint64_t before = f->state;
    unsigned mistakes = f->mistakes;
    f->mistakes = 0;
    insn.nmods = (uint8_t)forms_words(f, pattern, insn.mods);
    const struct ptx_form *form = ptx_match(&matcher, &insn);
    f->state = before;
    f->mistakes = mistakes;
    insn.nmods = (uint8_t)forms_words(f, pattern, insn.mods);
    text_puts(out, row->name);
    for (unsigned i = 0; i < insn.nmods; i++)
        text_printf(out, ".%s", ptx_keyword_text((enum ptx_keyword)insn.mods[i]));
    text_puts(out, " ");
    f->registers = form->vec > 1 && (row == &ptx_row_atom || row == &ptx_row_red);
    if (row == &ptx_row_atom || row == &ptx_row_red)
        forms_atomic(f, form, out);
    else
        forms_surface(f, form, out);
    text_puts(out, ";");
    arena_free(&arena);
}

#endif

/* What a straight program computes twice, and what nobody reads: taken out of the lane program (src/isa/ctm/tidy.c),
 * where nothing between changes an operand or says who writes. */
#include "ctm_tex.h"

enum { W = CTM_BLOCK_X, H = CTM_BLOCK_Y };

/* channels of rD = r0 * rS.swizzle of itself: rD = rS * rS + 0. */
static struct ctm_inst square(unsigned dst, unsigned src, unsigned channels)
{
    struct ctm_inst inst = copy_temp(dst, src, channels, NULL);
    static const uint8_t zero[] = {CTM_RED_SWIZ_C, CTM_GREEN_SWIZ_C, CTM_BLUE_SWIZ_C, CTM_ALPHA_SWIZ_C};
    for (unsigned c = 0; c < CTM_CHANNELS; c++)
        ctm_set(&inst, (enum ctm_field)zero[c], CTM_SWIZ_ZERO);
    ctm_set(&inst, CTM_RGB_OP, CTM_RGB_MAD);
    ctm_set(&inst, CTM_ALPHA_OP, CTM_ALPHA_MAD);
    ctm_set(&inst, CTM_RGB_OMOD, CTM_OMOD_U1);
    ctm_set(&inst, CTM_ALPHA_OMOD, CTM_OMOD_U1);
    return inst;
}

/* Predicates where r0 < 0 after r0 - 2, that is of i < 2 and j < 2. */
static struct ctm_inst predicates(void)
{
    struct ctm_inst inst = square(0, 0, 0);
    static const uint8_t b[] = {CTM_RED_SWIZ_B, CTM_GREEN_SWIZ_B, CTM_BLUE_SWIZ_B, CTM_ALPHA_SWIZ_B};
    static const uint8_t c[] = {CTM_RED_SWIZ_C, CTM_GREEN_SWIZ_C, CTM_BLUE_SWIZ_C, CTM_ALPHA_SWIZ_C};
    for (unsigned k = 0; k < CTM_CHANNELS; k++) {
        ctm_set(&inst, (enum ctm_field)b[k], CTM_SWIZ_ONE);
        ctm_set(&inst, (enum ctm_field)c[k], k == 3 ? 3 : 0);
    }
    ctm_set(&inst, CTM_RGB_SEL_C, 1);
    ctm_set(&inst, CTM_ALPHA_SEL_C, 1);
    ctm_set(&inst, CTM_RGB_ADDR1, 0x80 | 8 << 3); /* inline: 2 */
    ctm_set(&inst, CTM_ALPHA_ADDR1, 0x80 | 8 << 3);
    ctm_set(&inst, CTM_RGB_MOD_C, CTM_IMOD_NEG);
    ctm_set(&inst, CTM_ALPHA_MOD_C, CTM_IMOD_NEG);
    ctm_set(&inst, CTM_RGB_OMASK, 7);
    ctm_set(&inst, CTM_RGB_TARGET, CTM_TEST_LT);
    return inst;
}

static unsigned count(const struct ctm_run *t, enum lane_op op, enum lane_type type)
{
    const struct lane_func *f = &t->lanes.funcs[0];
    unsigned n = 0;
    for (uint32_t i = 0; i < f->ninsts; i++)
        n += f->insts[i].op == op && f->insts[i].type == type;
    return n;
}

static void run(struct ctm_run *t, const struct ctm_inst *insts, unsigned n, float texels[H][W][4])
{
    ctm_run_begin(t);
    struct surface *out = ctm_run_surface(t, CTM_PARAM_OUTPUTS, "rgba32float", W, H);
    for (unsigned i = 0; i < n; i++)
        ctm_run_add(t, insts[i]);
    if (!ctm_run_go(t))
        fail_msg("%s", t->error.message);
    ctm_run_texels(out, texels);
}

#define RUN(t, insts, texels) run(t, insts, sizeof(insts) / sizeof *(insts), texels)

/* r1 = r0 * r0, r2 = r0 * r0, and r3 that nobody reads. */
static void the_same_is_computed_once(void **state)
{
    static const uint8_t other[] = {R, R, G, A};
    const struct ctm_inst insts[] = {square(1, 0, 3), square(2, 0, 3), square(3, 2, 1), copy_temp(1, 2, 4, other),
                                     ctm_copy_out(1, 0)};
    static struct ctm_run t;
    float texels[H][W][4];
    (void)state;
    RUN(&t, insts, texels);
    assert_int_equal(count(&t, LANE_OP_mul, LANE_F32), 2 * 2); /* for plain launches, and for any */
    for (unsigned i = 0; i < W * H; i++) {
        float x = (float)(i % W), y = (float)(i / W);
        const float want[] = {x * x, y * y, y * y, 0};
        assert_memory_equal(texels[i / W][i % W], want, sizeof want);
    }
    ctm_run_end(&t);
}

/* r1.r = r0.r * r0.r, r0.r = r0.g, r1.g = r0.r * r0.r: of another r0. */
static void another_operand_is_not_the_same(void **state)
{
    static const uint8_t green[] = {G, G, G, G}, first[] = {R, R, B, A};
    const struct ctm_inst insts[] = {square(1, 0, 1), copy_temp(0, 0, 1, green), square(2, 0, 1),
                                     copy_temp(1, 2, 2, first), ctm_copy_out(1, 0)};
    static struct ctm_run t;
    float texels[H][W][4];
    (void)state;
    RUN(&t, insts, texels);
    for (unsigned i = 0; i < W * H; i++) {
        float x = (float)(i % W), y = (float)(i / W);
        const float want[] = {x * x, y * y, 0, 0};
        assert_memory_equal(texels[i / W][i % W], want, sizeof want);
    }
    ctm_run_end(&t);
}

/* r1 = r0; where i < 2 r0.r = 0; r2.r = r0.r * r0.r before and after; the predicate's write is a choice. */
static void predicates_choose(void **state)
{
    static const uint8_t blue[] = {B, B, B, A}, first[] = {R, R, B, A};
    struct ctm_inst chosen = copy_temp(0, 0, 1, blue);
    ctm_set(&chosen, CTM_RGB_PRED_SEL, CTM_PRED_RGBA);
    const struct ctm_inst insts[] = {predicates(),    square(1, 0, 1),           chosen,
                                     square(2, 0, 1), copy_temp(1, 2, 2, first), ctm_copy_out(1, 0)};
    static struct ctm_run t;
    float texels[H][W][4];
    (void)state;
    RUN(&t, insts, texels);
    for (unsigned i = 0; i < W * H; i++) {
        float x = (float)(i % W);
        const float want[] = {x * x, x < 2 ? 0 : x * x, 0, 0};
        assert_memory_equal(texels[i / W][i % W], want, sizeof want);
    }
    ctm_run_end(&t);
}

/* TEX_INST_KILL_LT_0 in between starts another block: what is behind it is right, too. */
static void kills_are_no_hindrance(void **state)
{
    static const uint8_t first[] = {R, R, B, A};
    const struct ctm_inst insts[] = {square(1, 0, 1), masked(tex(CTM_TEX_KILL, 0, 0, 0), 1), square(2, 0, 1),
                                     copy_temp(1, 2, 2, first), ctm_copy_out(1, 0)};
    static struct ctm_run t;
    float texels[H][W][4];
    (void)state;
    RUN(&t, insts, texels);
    for (unsigned i = 0; i < W * H; i++) {
        float x = (float)(i % W);
        const float want[] = {x * x, x * x, 0, 0};
        assert_memory_equal(texels[i / W][i % W], want, sizeof want);
    }
    ctm_run_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_computed_once),
        cmocka_unit_test(another_operand_is_not_the_same),
        cmocka_unit_test(predicates_choose),
        cmocka_unit_test(kills_are_no_hindrance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

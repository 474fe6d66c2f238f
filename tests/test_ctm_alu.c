/* ALU and OUTPUT instructions of CTM. */
#include "ctm_run.h"

static void test_index(void **state)
{
    struct ctm_run t;
    float texels[CTM_BLOCK_Y][CTM_BLOCK_X][4];
    (void)state;
    ctm_run_begin(&t);
    struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", CTM_BLOCK_X, CTM_BLOCK_Y);
    ctm_run_add(&t, ctm_copy_out(0, 0));
    if (!ctm_run_go(&t))
        fail_msg("%s", t.error.message);
    if (getenv("DUMP")) {
        struct text x = {0};
        lane_print(&t.lanes, &x);
        puts(x.bytes);
    }
    ctm_run_texels(out, texels);
    for (unsigned y = 0; y < CTM_BLOCK_Y; y++)
        for (unsigned x = 0; x < CTM_BLOCK_X; x++) {
            const float want[4] = {(float)x, (float)y, 0, 1};
            assert_memory_equal(texels[y][x], want, sizeof want);
        }
    ctm_run_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What each modifier of PTX means. One list; a word that means something else on one instruction has a line of its own
 * that names it. */
#include "isa/ptx/explain.h"

static const struct meaning {
    uint16_t keyword;
    const struct ptx_row *row; /* NULL = everywhere else */
    const char *text;
} meanings[] = {
    /* surfaces */
    {PTX_b, NULL, "unformatted: x counts bytes; elements are moved bit for bit"},
    {PTX_p, &ptx_row_sust, "formatted: x counts texels; values are converted to the surface's format"},
    {PTX_p, &ptx_row_sured,
     "formatted: x counts elements of the type; the surface's format says whether they are signed"},
    {PTX__1d, NULL, "one-dimensional: {x}"},
    {PTX__2d, NULL, "two-dimensional: {x, y}"},
    {PTX__3d, NULL, "three-dimensional: {x, y, z, _}"},
    {PTX_a1d, NULL, "array of one-dimensional layers: {layer, x}"},
    {PTX_a2d, NULL, "array of two-dimensional layers: {layer, x, y, _}; cubes too: layer = face, or 6 * layer + face"},
    {PTX__1d_buffer, NULL, "one-dimensional buffer: {x}"},
    {PTX__4d, NULL, "another name of .1d_buffer, which ptxas has; not in the PTX ISA text"},
    {PTX_trap, NULL, "an access out of bounds stops the launch"},
    {PTX_clamp, &ptx_row_suld, "an access out of bounds is moved to the nearest one within"},
    {PTX_clamp, &ptx_row_sust, "an access out of bounds is moved to the nearest one within"},
    {PTX_clamp, &ptx_row_sured, "an access out of bounds is moved to the nearest one within"},
    {PTX_zero, NULL, "an access out of bounds reads zeros, or writes nothing"},
    {PTX_width, NULL, "width in texels"},
    {PTX_height, NULL, "height in texels; 0 or 1 where there is none"},
    {PTX_depth, NULL, "depth in texels"},
    {PTX_channel_data_type, NULL, "type of a channel, as OpenCL numbers it (0x10d0 ...)"},
    {PTX_channel_order, NULL, "order of the channels, as OpenCL numbers it (0x10b0 ...)"},
    {PTX_array_size, NULL, "number of layers; 0 where it is no array"},
    {PTX_memory_layout, NULL, "1 for a linear layout, else 0"},
    /* vectors and types */
    {PTX_v2, NULL, "2 elements"},
    {PTX_v4, NULL, "4 elements"},
    {PTX_v8, NULL, "8 elements"},
    {PTX_b8, NULL, "8 bits without a type"},
    {PTX_b16, NULL, "16 bits without a type"},
    {PTX_b32, NULL, "32 bits without a type"},
    {PTX_b64, NULL, "64 bits without a type"},
    {PTX_b128, NULL, "128 bits without a type"},
    {PTX_u8, NULL, "unsigned 8-bit integer"},
    {PTX_u16, NULL, "unsigned 16-bit integer"},
    {PTX_u32, NULL, "unsigned 32-bit integer"},
    {PTX_u64, NULL, "unsigned 64-bit integer"},
    {PTX_s8, NULL, "signed 8-bit integer"},
    {PTX_s16, NULL, "signed 16-bit integer"},
    {PTX_s32, NULL, "signed 32-bit integer"},
    {PTX_s64, NULL, "signed 64-bit integer"},
    {PTX_f16, NULL, "IEEE half"},
    {PTX_bf16, NULL, "bfloat16"},
    {PTX_f16x2, NULL, "two IEEE halves in 32 bits, each on its own"},
    {PTX_bf16x2, NULL, "two bfloat16 in 32 bits, each on its own"},
    {PTX_f32, NULL, "IEEE single"},
    {PTX_f64, NULL, "IEEE double"},
    {PTX_f32x2, NULL, "two IEEE singles in 64 bits, each on its own"},
    {PTX_pred, NULL, "predicate"},
    /* cache words: no effect on what is computed */
    {PTX_ca, NULL, "hint: cache at all levels"},
    {PTX_cg, NULL, "hint: cache at the level all of the GPU shares"},
    {PTX_cs, NULL, "hint: likely used once"},
    {PTX_cv, NULL, "hint: do not trust cached lines"},
    {PTX_lu, NULL, "hint: last use"},
    {PTX_wb, NULL, "hint: write back"},
    {PTX_wt, NULL, "hint: write through"},
    {PTX_L2__cache_hint, NULL, "hint: the last operand is a cache policy; it has no effect here"},
    /* spaces */
    {PTX_global, NULL, "address in global memory"},
    {PTX_shared, NULL, "address in the block's shared memory"},
    {PTX_shared__cta, NULL, "address in the block's shared memory"},
    {PTX_shared__cluster, NULL, "address in the shared memory of the cluster; a cluster is one block here"},
    {PTX_local, NULL, "address in the thread's local memory"},
    {PTX_param, NULL, "address in parameter memory"},
    {PTX_const, NULL, "address in constant memory"},
    /* order and scope */
    {PTX_weak, NULL, "no order with other threads"},
    {PTX_volatile, NULL, "relaxed, at system scope; not optimised away"},
    {PTX_relaxed, NULL, "indivisible, no order with other addresses"},
    {PTX_acquire, NULL, "what follows stays behind it"},
    {PTX_release, NULL, "what precedes stays before it"},
    {PTX_acq_rel, NULL, "acquire and release"},
    {PTX_cta, NULL, "indivisible for the threads of the block"},
    {PTX_cluster, NULL, "indivisible for the threads of the cluster"},
    {PTX_gpu, NULL, "indivisible for all threads of the GPU"},
    {PTX_sys, NULL, "indivisible for all of the system, the host too"},
    {PTX_mmio, NULL, "memory-mapped I/O: performed exactly once"},
    {PTX_async, NULL, "performed some time later; the barrier then counts the bytes"},
    {PTX_mbarrier__complete_tx__bytes, NULL, "the barrier of the last operand is told the number of bytes done"},
    /* operations */
    {PTX_add, &ptx_row_atom, "new value: old + b"},
    {PTX_add, &ptx_row_red, "new value: old + b"},
    {PTX_add, &ptx_row_sured, "new value: old + b"},
    {PTX_min, NULL, "the smaller of both"},
    {PTX_max, NULL, "the larger of both"},
    {PTX_and, NULL, "bitwise and"},
    {PTX_or, NULL, "bitwise or"},
    {PTX_xor, NULL, "bitwise exclusive or"},
    {PTX_inc, NULL, "new value: old >= b ? 0 : old + 1"},
    {PTX_dec, NULL, "new value: old == 0 or old > b ? b : old - 1"},
    {PTX_exch, NULL, "new value: b"},
    {PTX_cas, NULL, "new value: old == b ? c : old; the bits are compared, also of floats"},
    /* floats */
    {PTX_noftz, NULL, "subnormals are kept"},
    {PTX_ftz, NULL, "subnormal inputs and results become zeros of their sign"},
    {PTX_sat, NULL, "the result is limited: floats to [0, 1] with NaN as 0, integers to the range of the type"},
    {PTX_rn, NULL, "rounds to nearest, ties to even"},
    {PTX_rz, NULL, "rounds towards zero"},
    {PTX_rm, NULL, "rounds towards minus infinity"},
    {PTX_rp, NULL, "rounds towards plus infinity"},
    {PTX_rni, NULL, "rounds to the nearest integer, ties to even"},
    {PTX_rzi, NULL, "rounds to an integer towards zero"},
    {PTX_rmi, NULL, "rounds to an integer towards minus infinity"},
    {PTX_rpi, NULL, "rounds to an integer towards plus infinity"},
    {PTX_approx, NULL, "an approximation on the hardware; the correctly rounded result here"},
    {PTX_full, NULL, "an approximation of the full range on the hardware; the correctly rounded result here"},
    {PTX_NaN, NULL, "NaN if an input is NaN"},
    {PTX_relu, NULL, "negative results become 0"},
    {PTX_abs, NULL, "of magnitudes"},
    {PTX_lo, NULL, "the low half of the product; as a comparison: lower, unsigned"},
    {PTX_hi, NULL, "the high half of the product; as a comparison: higher, unsigned"},
    {PTX_wide, NULL, "the whole product, twice as wide"},
    {PTX_cc, NULL, "the carry is kept for the next extended addition"},
    {PTX_uni, NULL, "all running threads agree (a hint)"},
    {PTX_sync, NULL, "waits for the threads of the mask"},
    {PTX_eq, NULL, "equal"},
    {PTX_ne, NULL, "not equal"},
    {PTX_lt, NULL, "less"},
    {PTX_le, NULL, "less or equal"},
    {PTX_gt, NULL, "greater"},
    {PTX_ge, NULL, "greater or equal"},
    {PTX_equ, NULL, "equal, or unordered"},
    {PTX_neu, NULL, "not equal, or unordered"},
    {PTX_ltu, NULL, "less, or unordered"},
    {PTX_leu, NULL, "less or equal, or unordered"},
    {PTX_gtu, NULL, "greater, or unordered"},
    {PTX_geu, NULL, "greater or equal, or unordered"},
    {PTX_num, NULL, "both are numbers"},
    {PTX_nan, NULL, "one is NaN"},
    {PTX_ls, NULL, "lower or same, unsigned"},
    {PTX_hs, NULL, "higher or same, unsigned"},
};

const char *ptx_word_meaning(const struct ptx_row *row, uint16_t keyword)
{
    const char *general = NULL;
    for (unsigned i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].keyword != keyword)
            continue;
        if (meanings[i].row == row)
            return meanings[i].text;
        if (meanings[i].row == NULL)
            general = meanings[i].text;
    }
    return general;
}

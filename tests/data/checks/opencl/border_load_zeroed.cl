// border/load_zeroed.cu
// arguments: zeros zero-texels
const sampler_t zero = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void wrong(global uint *a, read_only image2d_t s)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[i] = read_imageui(s, zero, (int2)((int)t - 1, get_group_id(0))).x;
}

kernel void right(global uint *a, read_only image2d_t s)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[i] = read_imageui(s, zero, (int2)(t, get_group_id(0))).x;
}

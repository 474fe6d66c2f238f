// init/texels.cu
// arguments: zeros texels
// an image cannot be written and read by one kernel: another one writes before
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

kernel void before(global uint *a, write_only image2d_t s)
{
    uint t = get_local_id(0);
    write_imageui(s, (int2)(t % 32, 2 * get_group_id(0) + t / 32), (uint4)(t));
}

kernel void wrong(global uint *a, read_only image2d_t s)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint it = read_imageui(s, nearest, (int2)(t % 32 + 1, 2 * get_group_id(0) + t / 32)).x;
    a[i] = it + 1;
}

kernel void right(global uint *a, read_only image2d_t s)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint it = read_imageui(s, nearest, (int2)(t % 32, 2 * get_group_id(0) + t / 32)).x;
    a[i] = it + 1;
}

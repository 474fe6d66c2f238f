// memory/texel_out.cu
// arguments: zeros texels

kernel void wrong(global uint *a, write_only image2d_t s)
{
    uint t = get_local_id(0), i = get_global_id(0);
    write_imageui(s, (int2)(t, 63 + get_group_id(0)), (uint4)(i));
}

kernel void right(global uint *a, write_only image2d_t s)
{
    uint t = get_local_id(0), i = get_global_id(0);
    write_imageui(s, (int2)(t, 62 + get_group_id(0)), (uint4)(i));
}

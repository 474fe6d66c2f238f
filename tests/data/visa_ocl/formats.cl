// images of other kinds: integers, 1D, arrays
kernel void formats(read_only image2d_t u, read_only image2d_t i, read_only image1d_t f, read_only image2d_array_t r,
                    write_only image2d_t ou, write_only image1d_t of, sampler_t s)
{
    int x = get_global_id(0), y = get_global_id(1);
    uint4 a = read_imageui(u, (int2)(x, y));
    int4 b = read_imagei(i, s, (int2)(x + 1, y - 1));
    float4 c = read_imagef(f, x);
    uint4 d = read_imageui(r, (int4)(x, y, y & 1, 0));
    write_imageui(ou, (int2)(x, y), a + as_uint4(b) + d);
    if (y == 0)
        write_imagef(of, x, c * 0.5f + 0.25f);
}

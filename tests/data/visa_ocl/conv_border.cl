// the same with a border of zeros, no check of the size
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void conv_border(read_only image2d_t a, write_only image2d_t b, constant float *w)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = (float4)(0);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum = mad(read_imagef(a, s, p + (int2)(i - 1, j - 1)), (float4)(w[j * 3 + i]), sum);
    write_imagef(b, p, clamp(sum, 0.0f, 1.0f));
}

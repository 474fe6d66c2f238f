// 3x3 convolution of a picture, weights by a constant pointer, borders clamped
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void conv3x3(read_only image2d_t in, write_only image2d_t out, constant float *weights, float scale)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(out) || y >= get_image_height(out))
        return;
    float4 sum = 0.0f;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += weights[(j + 1) * 3 + i + 1] * read_imagef(in, edge, (int2)(x + i, y + j));
    write_imagef(out, (int2)(x, y), sum * scale);
}

// a sampler argument, linear and normalized; 3D; sizes of images
kernel void image3d(read_only image3d_t v, sampler_t s, global float4 *o, float z)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    float4 p = (float4)((x + 0.5f) / w, (y + 0.25f) / get_global_size(1), z, 0);
    float4 t = read_imagef(v, s, p);
    t.x += get_image_width(v) + get_image_depth(v) * 0.5f;
    o[y * w + x] = t;
}

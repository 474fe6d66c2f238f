// value/convert.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    float x = (float)(a[i] + 3) * 1e9f;
    b[i] = (uint)(int)x;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    float x = (float)(a[i] + 3) * 1e9f;
    b[i] = x < 2147483648.0f ? (uint)(int)x : 0x7fffffffu;
}

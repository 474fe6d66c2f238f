// value/zero_by_zero.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    float x = a[i], y = a[i + 1];
    b[i] = as_uint(x / y + 1.0f);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    float x = a[i], y = a[i + 1], ratio = x / y;
    b[i] = as_uint(y != 0 ? ratio : 0.0f);
}

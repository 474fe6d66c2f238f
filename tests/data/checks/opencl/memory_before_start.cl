// memory/before_start.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[i] = a[(int)i - 1] + a[i + 1];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[i] = (i ? a[i - 1] : 0) + a[i + 1];
}

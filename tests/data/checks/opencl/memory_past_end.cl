// memory/past_end.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[i * 64] = i;
    b[i + 4000] = a[i];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[i * 32] = i;
    b[i] = a[i * 32];
}

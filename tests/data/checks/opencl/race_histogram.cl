// race/histogram.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[b[i] % 4 + t % 2]++;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    atomic_inc(&a[b[i] % 4 + t % 2]);
}

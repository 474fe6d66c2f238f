// memory/atomic_out.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    atomic_inc(&a[(i & 63) * 66]);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    atomic_inc(&a[(i & 63) * 64]);
}

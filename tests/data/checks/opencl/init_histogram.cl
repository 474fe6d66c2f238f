// init/histogram.cu
// arguments: zeros unwritten

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    atomic_inc(&b[a[t] % 16]);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (get_group_id(0) == 0) {
        if (t < 16)
            b[t] = 0;
        barrier(CLK_GLOBAL_MEM_FENCE);
        atomic_inc(&b[a[t] % 16]);
    }
}

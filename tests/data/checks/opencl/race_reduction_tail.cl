// race/reduction_tail.cu
// arguments: zeros zeros
// there are no warps: the barrier of the work-group stands for that of the warp

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint sums[64];
    sums[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = 32; n; n /= 2) {
        if (t < n)
            sums[t] += sums[t + n];
    }
    if (t == 0)
        b[get_group_id(0)] = sums[0];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint sums[64];
    sums[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = 32; n; n /= 2) {
        if (t < n)
            sums[t] += sums[t + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        b[get_group_id(0)] = sums[0];
}

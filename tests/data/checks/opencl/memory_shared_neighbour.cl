// memory/shared_neighbour.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint left[64], right[64];
    left[t] = a[t];
    right[t] = a[t + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = left[t + 1] + right[t];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint left[65], right[64];
    left[t] = a[t];
    if (t == 0)
        left[64] = a[64];
    right[t] = a[t + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = left[t + 1] + right[t];
}

// memory/shared_before.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint first[64], second[64];
    first[t] = a[t];
    second[t] = a[t + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = first[63 - t] + second[(int)t - 1];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint first[64], second[64];
    first[t] = a[t];
    second[t] = a[t + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = first[63 - t] + second[t ? t - 1 : 0];
}

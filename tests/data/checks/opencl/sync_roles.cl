// sync/roles.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[32];
    if (t < 32) {
        tile[t] = a[t];
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        b[i] = tile[t ^ 32];
    }
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[32];
    if (t < 32)
        tile[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t >= 32)
        b[i] = tile[t ^ 32];
}

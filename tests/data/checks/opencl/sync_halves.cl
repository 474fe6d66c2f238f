// sync/halves.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    if (t % 32 < 16) {
        tile[t] = a[t];
        barrier(CLK_LOCAL_MEM_FENCE);
        b[i] = tile[t ^ 32];
    } else {
        tile[t] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        b[i] = tile[t ^ 32] + 1;
    }
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    tile[t] = t % 32 < 16 ? a[t] : 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = t % 32 < 16 ? tile[t ^ 32] : tile[t ^ 32] + 1;
}

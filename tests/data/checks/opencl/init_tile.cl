// init/tile.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    if (t < 32)
        tile[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint next = tile[(t + 1) % 64];
    b[i] = next + a[t];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    tile[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint next = tile[(t + 1) % 64];
    b[i] = next + a[t];
}

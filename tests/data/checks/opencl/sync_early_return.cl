// sync/early_return.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    tile[t] = a[t];
    if (t >= 40) {
        b[i] = 1;
        return;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = tile[39 - t];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    tile[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = t >= 40 ? 1 : tile[39 - t];
}

// race/tile_again.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    uint sum = 0;
    for (uint k = 0; k < 4; k++) {
        tile[t] = a[k * 64 + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[63 - t];
    }
    b[i] = sum;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    uint sum = 0;
    for (uint k = 0; k < 4; k++) {
        tile[t] = a[k * 64 + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[63 - t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[i] = sum;
}

// init/doubled.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    if (a[t] == 1)
        tile[t] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint v = tile[63 - t];
    b[i] = v * 2;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uchar4 tile[64];
    tile[t].x = t;
    tile[t].z = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar4 v = tile[63 - t];
    b[i] = v.x | v.y << 8 | v.z << 16 | (uint)v.w << 24;
}

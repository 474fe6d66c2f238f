// race/warp_no_sync.cu
// arguments: zeros zeros
// there are no warps: the barrier of the work-group stands for that of the warp

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    tile[t] = a[t];
    b[i] = tile[t ^ 1];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint tile[64];
    tile[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = tile[t ^ 1];
}

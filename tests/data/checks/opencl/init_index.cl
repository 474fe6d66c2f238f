// init/index.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint order[64];
    if (t % 2 == 0)
        order[t] = 63 - t;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = order[63 - t];
    a[64 + i / 64 * 64 + at % 64] = t;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint order[64];
    order[t] = 63 - t;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = order[63 - t];
    a[64 + i / 64 * 64 + at % 64] = t;
}

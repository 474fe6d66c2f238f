// race/atomic_reset.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint count;
    if (t == 32)
        count = 0;
    atomic_add(&count, t);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = count;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint count;
    if (t == 32)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&count, t);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = count;
}

// init/counter.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint counter;
    atomic_add(&counter, 1 + a[t]);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = counter;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint counter;
    if (t == 0)
        counter = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counter, 1 + a[t]);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = counter;
}

// init/operand.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint weights[64];
    if (t < 60)
        weights[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint weight = weights[t ^ 1];
    atomic_add(&a[64], weight);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint weights[64];
    weights[t] = t < 60 ? a[t] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint weight = weights[t ^ 1];
    atomic_add(&a[64], weight);
}

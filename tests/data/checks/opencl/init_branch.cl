// init/branch.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local volatile uint found;
    if (a[t] == 5)
        found = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint it = found;
    if (it)
        b[i] = 1;
    else
        a[64 + i] = 2;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local volatile uint found;
    if (t == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (a[t] == 5)
        found = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint it = found;
    if (it)
        b[i] = 1;
    else
        a[64 + i] = 2;
}

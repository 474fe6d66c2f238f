// init/divide.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint items;
    if (a[t] > 7)
        items = 8 + a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint by = items;
    b[i] = t / by;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uint items;
    if (t == 0)
        items = 8 + a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint by = items;
    b[i] = t / by;
}

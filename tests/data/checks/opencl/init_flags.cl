// init/flags.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local volatile uint flags[64];
    uint old = flags[t];
    flags[t] = old | 4;
    if (flags[t] & 2)
        b[i] = 1;
    else
        a[i] = 1;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local volatile uint flags[64];
    uint old = flags[t];
    flags[t] = old | 4;
    if (flags[t] & 4)
        b[i] = 1;
    else
        a[i] = 1;
}

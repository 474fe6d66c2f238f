// memory/local_out.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    volatile uint stack[16];
    for (uint k = 0; k < 16 + (i == 7) * 64; k++)
        stack[k] = k;
    b[i] = stack[a[i] & 15];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    volatile uint stack[16];
    for (uint k = 0; k < 16; k++)
        stack[k] = k;
    b[i] = stack[a[i] & 15];
}

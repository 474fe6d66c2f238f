// init/fields.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uchar parts[256];
    parts[4 * t] = a[t] + 1;
    parts[4 * t + 1] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint word = ((local uint *)parts)[t ^ 1];
    b[i] = (word >> 16 & 255) * 3;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local uchar parts[256];
    parts[4 * t] = a[t] + 1;
    parts[4 * t + 1] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint word = ((local uint *)parts)[t ^ 1];
    b[i] = (word >> 8 & 255) * 3 + (word & 255);
}

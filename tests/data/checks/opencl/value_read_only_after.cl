// value/read_only_after.cu
// arguments: a zeros zeros
// r is a

kernel void wrong(const global uint *restrict r, global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[i] = r[i ^ 1];
}

kernel void right(const global uint *restrict r, global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[i] = a[i ^ 1];
}

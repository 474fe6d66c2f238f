// value/read_only.cu
// arguments: a zeros zeros
// r is a

kernel void wrong(const global uint *restrict r, global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint v = r[i];
    b[i] = v;
    a[i ^ 1] = v + 1;
}

kernel void right(const global uint *restrict r, global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint v = r[i];
    b[i] = v;
    a[i + 128] = v + 1;
}

// value/index_shift.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int row = (int)(get_local_size(0) * 1024 + a[0]), at = row * 65536;
    b[i] = a[at + (int)t];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int row = (int)(get_local_size(0) * 1024 + a[0]), at = row * 65536;
    uint hash = (t + a[t] << 27) + t;
    long offset = (long)row * 65536 - 4294967296l;
    b[i] = a[offset + t] + a[hash & 63] + a[at + (int)t - row * 65536];
}

// value/remainder.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int buckets = (int)a[i];
    b[i] = (uint)((int)i % buckets);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int buckets = (int)a[i] + 1;
    b[i] = (uint)((int)i % buckets);
}

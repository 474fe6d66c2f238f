// init/global.cu
// arguments: zeros unwritten

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint old = b[i];
    b[i] = old + t;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[i] = a[t];
    uint old = b[i];
    b[i] = old + t;
}

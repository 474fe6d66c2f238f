// memory/null.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    global uint *p = (global uint *)(size_t)a[0];
    b[i] = *p;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    global uint *p = a[0] ? (global uint *)(size_t)a[0] : a;
    b[i] = *p;
}

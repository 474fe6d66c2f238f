// race/store_store.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (t == 0)
        a[0] = get_group_id(0) + 1;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (t == 0)
        a[get_group_id(0)] = get_group_id(0) + 1;
    a[100] = 5;
}

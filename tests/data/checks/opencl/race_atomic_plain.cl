// race/atomic_plain.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    atomic_inc(&a[get_group_id(0)]);
    if (t == 40)
        b[get_group_id(0)] = a[get_group_id(0)];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    atomic_inc(&a[get_group_id(0)]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (t == 40)
        b[get_group_id(0)] = a[get_group_id(0)];
}

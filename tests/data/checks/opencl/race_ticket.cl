// race/ticket.cu
// arguments: zeros zeros
// OpenCL 1.2 promises nothing between work-groups (3.3.1); fences and atomics are what works on GPUs

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (t == 0) {
        a[1 + get_group_id(0)] = get_group_id(0);
        bool last = atomic_inc(&a[0]) == get_num_groups(0) - 1;
        if (last)
            b[0] = a[1] + a[2];
    }
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (t == 0) {
        a[1 + get_group_id(0)] = get_group_id(0);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        bool last = atomic_inc(&a[0]) == get_num_groups(0) - 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (last)
            b[0] = a[1] + a[2];
    }
}

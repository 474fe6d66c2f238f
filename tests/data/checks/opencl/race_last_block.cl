// race/last_block.cu
// arguments: zeros zeros
// OpenCL 1.2 promises nothing between work-groups (3.3.1); fences and atomics are what works on GPUs

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local bool last;
    if (t == 0) {
        b[get_group_id(0)] = get_group_id(0);
        last = atomic_inc(a) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && t < get_num_groups(0))
        b[100 + t] = b[t];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local bool last;
    if (t == 0) {
        b[get_group_id(0)] = get_group_id(0);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(a) == get_num_groups(0) - 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && t < get_num_groups(0))
        b[100 + t] = b[t];
}

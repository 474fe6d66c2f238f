// race/flag_weak.cu
// arguments: zeros zeros
// OpenCL 1.2 promises nothing between work-groups (3.3.1); fences and atomics are what works on GPUs

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    volatile global uint *flag = &a[0];
    if (i == 0) {
        a[1] = 42;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        a[0] = 1;
    }
    if (i == 64 && *flag) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        b[0] = a[1];
    }
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    volatile global uint *flag = &a[0];
    if (i == 0) {
        a[1] = 42;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(flag, 1);
    }
    if (i == 64 && *flag) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        b[0] = a[1];
    }
}

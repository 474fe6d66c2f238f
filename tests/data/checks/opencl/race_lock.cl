// race/lock.cu
// arguments: zeros zeros
// OpenCL 1.2 promises nothing between work-groups (3.3.1); fences and atomics are what works on GPUs

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (t == 0) {
        while (atomic_cmpxchg(&a[0], 0, 1))
            ;
        a[1] = a[1] + 1;
        atomic_xchg(&a[0], 0);
    }
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (t == 0) {
        while (atomic_cmpxchg(&a[0], 0, 1))
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        a[1] = a[1] + 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(&a[0], 0);
    }
}

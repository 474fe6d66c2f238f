// sync/loop_break.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    for (uint k = 0; k < 4; k++) {
        if (t / 32 + k == 3) {
            b[i] = k;
            return;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[i] = k;
    }
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    for (uint k = 0; k < 4; k++) {
        bool done = t / 32 + k >= 3;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (!done)
            a[i] = k;
    }
}

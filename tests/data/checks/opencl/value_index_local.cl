// value/index_local.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int row = 70000 + (int)a[0], width = row - 1000;
    volatile int at[2];
    at[row & 1] = row * width - 535032704;
    b[i] = a[at[row & 1] + t];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int row = 70000 + (int)a[0], width = row - 1000;
    volatile int at[2];
    at[row & 1] = row * width - 535032704;
    at[row & 1] = at[row & 1] - row * width + 535032704;
    b[i] = a[at[row & 1] + t];
}

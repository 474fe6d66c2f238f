// value/convert_negative.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    double x = (double)a[i] - 1.5;
    b[i] = (uint)x;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    double x = (double)a[i] - 0.5; // -0.5 becomes 0
    b[i] = (uint)x;
}

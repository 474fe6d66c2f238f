// value/root.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    double x = 0.1 * (a[i] + 3), y = 0.3;
    double r = sqrt(y * y - x * x);
    b[i] = as_uint2(r + 1).y;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    double x = 0.1 * (a[i] + 3), y = 0.3, d = y * y - x * x;
    double r = sqrt(d > 0 ? d : 0);
    b[i] = as_uint2(r + 1).y;
}

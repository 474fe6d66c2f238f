// value/infinities.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    float most = -INFINITY;
    for (uint k = 0; k < a[i]; k++)
        most = fmax(most, (float)a[k]);
    float d = most - most * (1 + a[i]);
    b[i] = as_uint(d);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    float most = -INFINITY;
    for (uint k = 0; k < a[i]; k++)
        most = fmax(most, (float)a[k]);
    float d = most - most * (1 + a[i]);
    b[i] = isnan(d) ? 0 : 1;
}

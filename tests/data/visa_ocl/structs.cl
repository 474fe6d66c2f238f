// a struct by value, two local pointers
struct set { int a; float b; short c; uchar d; long e; int4 v; };
kernel void structs(global const int *in, global int *out, struct set s, local int *p, local int *q, uint n)
{
    int l = get_local_id(0), g = get_global_id(0), k = get_local_size(0);
    p[l] = g < n ? in[g] * s.a : 0;
    q[k - 1 - l] = g < n ? in[g] + s.c : 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n)
        out[g] = p[(l + 1) % k] + q[l] * s.d + (int)(s.e >> 3) + s.v.z + (int)(s.b * 4);
}

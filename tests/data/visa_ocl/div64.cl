// 64-bit division, which the compiler makes of its library
kernel void div64(global const ulong *a, global const ulong *b, global ulong *o, global long *p)
{
    int g = get_global_id(0);
    ulong x = a[g], y = b[g] >> (g & 31) | 1;
    o[2 * g] = x / y;
    o[2 * g + 1] = x % y;
    long u = (long)x, v = (long)y >> 3 | 1;
    p[2 * g] = u / v;
    p[2 * g + 1] = u % v;
}

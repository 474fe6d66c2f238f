#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// 16-bit floats and 64-bit integers
kernel void half_int64(global const half *h, global half *ho, global const ulong *l, global ulong *lo, global const long *s,
                       global long *so)
{
    int g = get_global_id(0);
    half x = h[g];
    ho[g] = x * x + (half)0.5f;
    ulong a = l[g];
    long b = s[g];
    lo[g * 4] = a * 0x123456789abcdefUL + (ulong)b;
    lo[g * 4 + 1] = a >> (b & 63) | a << 13;
    lo[g * 4 + 2] = a > (ulong)b ? a - b : a ^ b;
    lo[g * 4 + 3] = popcount(a) + clz(a) + mul_hi((uint)a, (uint)b);
    so[g * 4] = b >> 7;
    so[g * 4 + 1] = min(b, (long)a) - max(b, -5L);
    so[g * 4 + 2] = (long)convert_int(x * 8) * b + (b < 0 ? -1 : 1);
    so[g * 4 + 3] = (long)(float)(b >> 20);
}

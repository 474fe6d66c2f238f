// vectors of bytes and words
kernel void bytes(global const uchar4 *a, global const char4 *b, global uchar4 *o, global short8 *s, global const short8 *t,
                  uchar k)
{
    int g = get_global_id(0);
    uchar4 x = a[g];
    char4 y = b[g];
    o[2 * g] = x + convert_uchar4(y) * k;
    o[2 * g + 1] = convert_uchar4_sat(convert_short4(x) + convert_short4(y)).wzyx;
    short8 v = t[g];
    s[g] = v * (short)3 + (short8)(convert_short4(x), convert_short4(y)) - (v >> (short)2);
}

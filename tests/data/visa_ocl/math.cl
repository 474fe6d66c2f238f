// mathematical functions and bit operations
kernel void math(global const float *a, global float *b, global const int *c, global int *d)
{
    int g = get_global_id(0);
    float x = a[g];
    global float *o = b + g * 20;
    o[0] = native_sin(x);
    o[1] = native_cos(x);
    o[2] = native_exp(x);
    o[3] = native_log(fabs(x));
    o[4] = native_powr(fabs(x), 1.5f);
    o[5] = native_sqrt(fabs(x));
    o[6] = native_rsqrt(fabs(x));
    o[7] = native_recip(x);
    o[8] = clamp(x, -1.0f, 2.0f);
    o[9] = floor(x) + 0.25f * ceil(x);
    o[10] = rint(x) + trunc(x);
    o[11] = fmin(x, 1.5f) + fmax(x, -1.5f);
    o[12] = mad(x, 2.0f, 1.0f);
    o[13] = fract(x, o + 14);
    o[15] = x / 3.0f;
    o[16] = sqrt(fabs(x));
    o[17] = step(0.5f, x) + sign(x) + smoothstep(-1.0f, 1.0f, x);
    o[18] = mix(x, 2.0f, 0.25f);
    o[19] = isnan(x) ? 1.0f : copysign(3.0f, x);
    int i = c[g];
    global int *p = d + g * 16;
    p[0] = popcount(i);
    p[1] = clz(i);
    p[2] = abs(i);
    p[3] = mul_hi(i, 0x12345678);
    p[4] = rotate(i, 7);
    p[5] = min(i, 100) + max(i, -100);
    p[6] = add_sat(i, 0x70000000);
    p[7] = i % 13;
    p[8] = i / 7;
    p[9] = convert_int_sat(x * 1e9f);
    p[10] = convert_uchar_sat(i);
    p[11] = hadd(i, 5) ^ rhadd(i, 9);
    p[12] = (uint)i % (uint)(g + 3);
    p[13] = i / (g - 1000);
    p[14] = mad24(i >> 8, 3, 5);
    p[15] = bitselect(i, 0x55555555, 0x0ff00ff0);
}

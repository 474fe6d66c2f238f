/* What the OpenCL kernels of the jobs must make of their data, in plain C, written from the kernels' source. */
#include "opencl_refs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Argument i as an array. */
#define ARRAY(type, name, i) type *name = data[i]

static uint32_t number(const struct opencl_job *job, unsigned i)
{
    return job->args[i].value.u[0];
}

static uint32_t threads(const struct opencl_job *job)
{
    uint32_t count = 1;
    for (unsigned i = 0; i < 3; i++)
        count *= job->global[i] ? job->global[i] : 1;
    return count;
}

void opencl_hist(const struct opencl_job *job, void **data)
{
    ARRAY(uint8_t, in, 0);
    ARRAY(uint32_t, out, 1);
    for (uint32_t i = 0; i < number(job, 2); i++)
        out[in[i]]++;
}

void opencl_imgscale(const struct opencl_job *job, void **data)
{
    const struct opencl_arg *a = &job->args[0];
    float s = job->args[2].value.f[0];
    ARRAY(uint8_t, bytes, 0);
    ARRAY(uint8_t, out_bytes, 1);
    ARRAY(float, floats, 0);
    ARRAY(float, out, 1);
    for (uint32_t i = 0; i < 4 * a->width * a->height; i++)
        if (a->format[4] == '8')
            out_bytes[i] = (uint8_t)(int)((float)bytes[i] / 255.0f * s * 255.0f + 0.5f);
        else
            out[i] = floats[i] * s;
}

void opencl_reduce(const struct opencl_job *job, void **data)
{
    ARRAY(float, in, 0);
    ARRAY(float, out, 1);
    uint32_t local = job->local[0], n = number(job, 3);
    for (uint32_t group = 0; group < job->global[0] / local; group++) {
        float t[256];
        for (uint32_t l = 0; l < local; l++)
            t[l] = group * local + l < n ? in[group * local + l] : 0;
        for (uint32_t s = local / 2; s > 0; s /= 2)
            for (uint32_t l = 0; l < s; l++)
                t[l] += t[l + s];
        out[group] = t[0];
    }
}

void opencl_transpose(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, b, 1);
    uint32_t w = number(job, 2), h = number(job, 3);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++)
            b[x * h + y] = a[y * w + x];
}

/* The sum of what the operations gave does not depend on their order: all have the same operand. */
void opencl_atomics(const struct opencl_job *job, void **before, void **got)
{
    const uint32_t *p = before[0], *q = before[1], *end = got[0], *uend = got[1];
    const float *f = before[2], *fend = got[2];
    uint32_t n = threads(job), v = number(job, 3), sum = 0, usum = 0, have = 0, uhave = 0;
    uint32_t all[11] = {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10]};
    for (uint32_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < 11; k++)
            sum += all[k];
        all[0] += v, all[1] -= v, all[2]++, all[3]--;
        all[4] = (int32_t)v < (int32_t)all[4] ? v : all[4];
        all[5] = (int32_t)v > (int32_t)all[5] ? v : all[5];
        all[6] = v, all[8] &= v, all[9] |= v, all[10] ^= v; /* 7: what is compared is never there */
        usum += i == 0 ? q[0] + q[1] : (q[0] < v ? q[0] : v) + (q[1] > v ? q[1] : v);
        have += end[16 + i];
        uhave += uend[16 + i];
    }
    assert_memory_equal(all, end, sizeof all);
    assert_int_equal(sum, have);
    assert_int_equal(usum, uhave);
    unsigned first = 0;
    for (uint32_t i = 0; i < n; i++)
        first += memcmp(&fend[16 + i], f, 4) == 0;
    assert_true(first >= 1 && fend[0] >= (float)v && fend[0] <= (float)v);
}

void opencl_divergent(const struct opencl_job *job, void **data)
{
    ARRAY(int32_t, a, 0);
    ARRAY(int32_t, b, 1);
    for (uint32_t g = 0; g < number(job, 2); g++) {
        int32_t x = a[g], s = 0;
        while (x != 1 && s < 1000) {
            if (x & 1) {
                if (x % 5 == 0)
                    break;
                x = 3 * x + 1;
            } else
                x >>= 1;
            if (s == 17) {
                s += 3;
                continue;
            }
            s = (x & 7) == 1 ? s + 2 : (x & 7) == 3 ? s + 5 : (x & 7) == 5 ? s ^ 7 : s + 1;
        }
        b[g] = s;
    }
}

void opencl_irw(const struct opencl_job *job, void **data)
{
    const struct opencl_arg *va = &job->args[1];
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, v, 1);
    ARRAY(uint32_t, o, 2);
    uint32_t w = job->args[0].width, h = job->args[0].height, z = number(job, 3);
    for (uint32_t i = 0; i < 4 * w * h; i++) {
        uint32_t x = i / 4 % w, y = i / 4 / w, u = i % 4 == 3; /* outside: 0, 0, 0, 1 or 0: see the texels' rule */
        if (x < va->width && y < va->height)
            u = v[4 * ((z * va->height + y) * va->width + x) + i % 4];
        else
            u = 0;
        a[i] += u;
        o[4 * z * w * h + i] = u;
    }
}

void opencl_sg(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, b, 1);
    for (uint32_t g = 0; g < threads(job) / 16; g++) {
        uint32_t sum = 0;
        for (uint32_t l = 0; l < 16; l++)
            sum += a[16 * g + l];
        for (uint32_t l = 0; l < 16; l++)
            b[16 * g + l] = sum + a[16 * g + (l + 1) % 16];
    }
}

void opencl_tat(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, out, 1);
    for (uint32_t x = 0; x < threads(job); x++) {
        a[x + 100] = 0;
        out[x] = a[x];
        a[x] += 3;
    }
}

static const float *texel(const struct opencl_arg *a, const float *data, int x, int y, bool border)
{
    static const float zero[4];
    int w = (int)a->width, h = (int)a->height, x2 = x < 0 ? 0 : x >= w ? w - 1 : x, y2 = y < 0 ? 0 : y >= h ? h - 1 : y;
    return border && (x != x2 || y != y2) ? zero : data + 4 * (y2 * w + x2);
}

void opencl_conv3x3(const struct opencl_job *job, void **data)
{
    const struct opencl_arg *a = &job->args[0];
    ARRAY(float, in, 0);
    ARRAY(float, out, 1);
    ARRAY(float, weights, 2);
    for (int i = 0; i < 4 * (int)(a->width * a->height); i++) {
        int x = i / 4 % (int)a->width, y = i / 4 / (int)a->width;
        float sum = 0;
        for (int k = 0; k < 9; k++)
            sum += weights[k] * texel(a, in, x + k % 3 - 1, y + k / 3 - 1, false)[i % 4];
        out[i] = sum * job->args[3].value.f[0];
    }
}

void opencl_conv_border(const struct opencl_job *job, void **data)
{
    const struct opencl_arg *a = &job->args[0];
    ARRAY(uint8_t, bytes, 0);
    ARRAY(float, out, 1);
    ARRAY(float, weights, 2);
    static float in[65536];
    for (uint32_t i = 0; i < 4 * a->width * a->height; i++)
        in[i] = (float)bytes[i] / 255.0f;
    for (int i = 0; i < 4 * (int)(a->width * a->height); i++) {
        int x = i / 4 % (int)a->width, y = i / 4 / (int)a->width;
        float sum = 0;
        for (int k = 0; k < 9; k++)
            sum += weights[k] * texel(a, in, x + k % 3 - 1, y + k / 3 - 1, true)[i % 4];
        out[i] = sum < 0 ? 0 : sum > 1 ? 1 : sum;
    }
}

void opencl_matmul(const struct opencl_job *job, void **data)
{
    ARRAY(float, a, 0);
    ARRAY(float, b, 1);
    ARRAY(float, c, 2);
    uint32_t m = number(job, 3), n = number(job, 4), k = number(job, 5);
    for (uint32_t i = 0; i < m * n; i++) {
        double sum = 0;
        for (uint32_t t = 0; t < k; t++)
            sum += (double)a[i / n * k + t] * (double)b[t * n + i % n];
        c[i] = (float)sum;
    }
}

static int clamped(double v, double low, double high)
{
    return (int)(v < low ? low : v > high ? high : v);
}

void opencl_math(const struct opencl_job *job, void **data)
{
    ARRAY(float, a, 0);
    ARRAY(float, b, 1);
    ARRAY(int32_t, c, 2);
    ARRAY(int32_t, d, 3);
    for (uint32_t g = 0; g < threads(job); g++) {
        double x = (double)a[g], t = x < -1 ? 0 : x > 1 ? 1 : (x + 1) / 2;
        const double f[20] = {sin(x),
                              cos(x),
                              exp(x),
                              log(fabs(x)),
                              pow(fabs(x), 1.5),
                              sqrt(fabs(x)),
                              1 / sqrt(fabs(x)),
                              1 / x,
                              fmin(fmax(x, -1), 2),
                              floor(x) + 0.25 * ceil(x),
                              rint(x) + trunc(x),
                              fmin(x, 1.5) + fmax(x, -1.5),
                              2 * x + 1,
                              x - floor(x),
                              floor(x),
                              x / 3,
                              sqrt(fabs(x)),
                              (x >= 0.5 ? 1 : 0) +
                                  (x > 0   ? 1
                                   : x < 0 ? -1
                                           : 0) +
                                  t * t * (3 - 2 * t),
                              x + (2 - x) * 0.25,
                              copysign(3, x)};
        for (unsigned k = 0; k < 20; k++)
            b[20 * g + k] = (float)f[k];
        int32_t i = c[g];
        uint32_t u = (uint32_t)i;
        int64_t w = i;
        const int32_t n[16] = {__builtin_popcount(u),
                               u ? __builtin_clz(u) : 32,
                               (int32_t)(i < 0 ? 0 - u : u),
                               (int32_t)(w * 0x12345678 >> 32),
                               (int32_t)(u << 7 | u >> 25),
                               (i < 100 ? i : 100) + (i > -100 ? i : -100),
                               (int32_t)(w + 0x70000000 > INT32_MAX ? INT32_MAX : w + 0x70000000),
                               i % 13,
                               i / 7,
                               clamped((double)(a[g] * 1e9f), INT32_MIN, INT32_MAX),
                               i < 0     ? 0
                               : i > 255 ? 255
                                         : i,
                               (int32_t)((w + 5) >> 1) ^ (int32_t)((w + 10) >> 1),
                               (int32_t)(u % (g + 3)),
                               i / ((int32_t)g - 1000),
                               (i >> 8) * 3 + 5,
                               (int32_t)((u & ~0x0ff00ff0u) | (0x55555555u & 0x0ff00ff0u))};
        memcpy(d + 16 * g, n, sizeof n);
    }
}

static double half_at(const uint16_t *h)
{
    double v = (*h >> 10 & 31) ? ldexp(1024 + (*h & 1023), (*h >> 10 & 31) - 25) : ldexp(*h & 1023, -24);
    return *h & 0x8000 ? -v : v;
}

/* x: a multiple of 1/256 below 128. */
static uint16_t half_of(double x)
{
    int e;
    double m = frexp(fabs(x), &e);
    return x == 0 ? 0 : (uint16_t)((x < 0 ? 0x8000 : 0) + ((e + 13) << 10) + (int)rint(ldexp(m, 11)));
}

void opencl_half_int64(const struct opencl_job *job, void **data)
{
    ARRAY(uint16_t, h, 0);
    ARRAY(uint16_t, ho, 1);
    ARRAY(uint64_t, l, 2);
    ARRAY(uint64_t, lo, 3);
    ARRAY(uint64_t, s, 4);
    ARRAY(uint64_t, so, 5);
    for (uint32_t g = 0; g < threads(job); g++) {
        double x = half_at(h + g);
        uint64_t a = l[g], u = s[g];
        int64_t b = (int64_t)u, w = b < (int64_t)a ? b : (int64_t)a;
        ho[g] = half_of(x * x + 0.5);
        lo[4 * g] = a * 0x123456789abcdef + u;
        lo[4 * g + 1] = a >> (u & 63) | a << 13;
        lo[4 * g + 2] = a > u ? a - u : a ^ u;
        lo[4 * g + 3] = (uint64_t)__builtin_popcountll(a) + (uint64_t)(a ? __builtin_clzll(a) : 64) +
                        ((a & UINT32_MAX) * (u & UINT32_MAX) >> 32);
        so[4 * g] = (uint64_t)(b >> 7);
        so[4 * g + 1] = (uint64_t)w - (uint64_t)(b > -5 ? b : -5);
        so[4 * g + 2] = (uint64_t)(int64_t)(x * 8) * u + (b < 0 ? UINT64_MAX : 1);
        so[4 * g + 3] = (uint64_t)(int64_t)(float)(b >> 20);
    }
}

void opencl_div64(const struct opencl_job *job, void **data)
{
    ARRAY(uint64_t, a, 0);
    ARRAY(uint64_t, b, 1);
    ARRAY(uint64_t, o, 2);
    ARRAY(int64_t, p, 3);
    for (uint32_t g = 0; g < threads(job); g++) {
        uint64_t x = a[g], y = b[g] >> (g & 31) | 1;
        int64_t u = (int64_t)x, v = (int64_t)y >> 3 | 1;
        o[2 * g] = x / y;
        o[2 * g + 1] = x % y;
        p[2 * g] = u / v;
        p[2 * g + 1] = u % v;
    }
}

static int weigh(int x, int n)
{
    int s = 0;
    for (; x > 0; x /= n)
        s += x % n;
    return s;
}

void opencl_call(const struct opencl_job *job, void **data)
{
    ARRAY(int32_t, a, 0);
    ARRAY(int32_t, b, 1);
    for (int g = 0; g < (int)number(job, 2); g++) {
        int s = weigh(a[g], 7);
        b[g] = s & 1 ? s + weigh(a[g] + g, 3) : s;
    }
}

void opencl_callstack(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, b, 1);
    ARRAY(uint32_t, t, 2);
    for (uint32_t g = 0; g < threads(job); g++) {
        const uint32_t *v = a + 4 * g, n[2] = {8, (v[1] & 3) + 2};
        uint32_t w[8];
        for (unsigned i = 0; i < 8; i++)
            w[i] = t[i] + v[0];
        for (unsigned k = 0; k < 2; k++)
            for (unsigned i = 1; i < n[k]; i++)
                w[i] += w[i - 1];
        memcpy(b + 4 * g, (uint32_t[]){w[7], w[v[2] & 7], w[1], v[3]}, 16);
    }
}

void opencl_bytes(const struct opencl_job *job, void **data)
{
    ARRAY(uint8_t, a, 0);
    ARRAY(int8_t, b, 1);
    ARRAY(uint8_t, o, 2);
    ARRAY(int16_t, s, 3);
    ARRAY(int16_t, t, 4);
    for (uint32_t g = 0; g < threads(job); g++)
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t at = 4 * g + i % 4, sum = 4 * g + 3 - i % 4, w = 8 * g + i;
            int k = a[sum] + b[sum], v = t[w];
            if (i < 4)
                o[8 * g + i] = (uint8_t)(a[at] + b[at] * (int)number(job, 5));
            else
                o[8 * g + i] = (uint8_t)(k < 0 ? 0 : k > 255 ? 255 : k);
            s[w] = (int16_t)(v * 3 + (i < 4 ? a[at] : b[at]) - (v >> 2));
        }
}

void opencl_private_array(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, b, 1);
    for (uint32_t g = 0; g < threads(job); g++) {
        uint32_t t[32], s = 0;
        for (uint32_t i = 0; i < 32; i++)
            t[i] = i * g;
        for (uint32_t i = 0; i < number(job, 2); i++) {
            uint32_t j = a[(g + i) % 64] & 31;
            t[j] = t[(j + i) & 31] * 3 + i;
        }
        for (uint32_t i = 0; i < 32; i++)
            s = s * 31 + t[i];
        b[g] = s;
    }
}

void opencl_structs(const struct opencl_job *job, void **data)
{
    ARRAY(int32_t, in, 0);
    ARRAY(int32_t, out, 1);
    /* struct set: a 3, b 2.5, c -7, d 5, e 0x12345, v 7 8 9 10 */
    uint32_t n = number(job, 5), k = job->local[0];
    for (uint32_t g = 0; g < n; g++) {
        uint32_t base = g / k * k, l = g % k, p = base + (l + 1) % k, q = base + k - 1 - l;
        out[g] = (p < n ? in[p] * 3 : 0) + (q < n ? in[q] - 7 : 1) * 5 + (0x12345 >> 3) + 9 + 10;
    }
}

void opencl_image3d_nearest(const struct opencl_job *job, void **data)
{
    const struct opencl_arg *a = &job->args[0];
    ARRAY(float, v, 0);
    ARRAY(float, o, 2);
    uint32_t w = job->global[0], h = job->global[1], z = (uint32_t)(0.4f * (float)a->depth);
    for (uint32_t i = 0; i < 4 * w * h; i++) {
        uint32_t x = (uint32_t)(((float)(i / 4 % w) + 0.5f) / (float)w * (float)a->width);
        uint32_t y = (uint32_t)(((float)(i / 4 / w) + 0.25f) / (float)h * (float)a->height);
        o[i] = v[4 * ((z * a->height + y) * a->width + x) + i % 4];
        if (i % 4 == 0)
            o[i] += (float)a->width + (float)a->depth * 0.5f;
    }
}

void opencl_formats(const struct opencl_job *job, void **data)
{
    ARRAY(uint16_t, u, 0);
    ARRAY(int8_t, s, 1);
    ARRAY(uint8_t, f, 2);
    ARRAY(uint8_t, r, 3);
    ARRAY(uint32_t, ou, 4);
    ARRAY(float, of, 5);
    int w = (int)job->global[0], h = (int)job->global[1];
    for (int i = 0; i < 4 * w * h; i++) {
        int x = i / 4 % w + 1, y = i / 4 / w - 1, at = 4 * ((y < 0 ? 0 : y) * w + (x < w ? x : w - 1)) + i % 4;
        ou[i] = u[i] + (uint32_t)s[at] + r[4 * (((y + 1) & 1) * w * h) + i];
        if (i < 4 * w)
            of[i] = (float)f[i] / 255.0f * 0.5f + 0.25f;
    }
}

void opencl_workgroup(const struct opencl_job *job, void **data)
{
    ARRAY(int32_t, a, 0);
    ARRAY(int32_t, b, 1);
    int k = (int)job->local[0], groups = (int)threads(job) / k;
    for (int g = 0; g < groups * k; g++) {
        int sum = 0, most = INT32_MIN, before = 0, any = 0, all = 1, first = g / k * k;
        for (int i = 0; i < k; i++) {
            int x = a[first + i];
            sum += x;
            any |= x > 90;
            all &= x > 1;
            before += first + i < g ? x : 0;
            most = first + i <= g && x > most ? x : most;
        }
        memcpy(b + 8 * g, (int32_t[]){sum, most, a[first + 3], any, all, before, g % k, g / k * 100 + groups}, 32);
    }
}

void opencl_subgroup(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, b, 1);
    for (uint32_t g = 0; g < threads(job); g++) {
        uint32_t l = g % 16, f = g - l, sum = 0, most = 0, before = 0, any = 0, all = 1, least = UINT32_MAX;
        const uint32_t *x = a + f;
        for (uint32_t i = 0; i < 16; i++) {
            sum += x[i];
            before += i < l ? x[i] : 0;
            most = i <= l && x[i] > most ? x[i] : most;
            least = (x[i] & 1) && x[i] < least ? x[i] : least;
            any |= x[i] == 7;
            all &= x[i] < 1000;
        }
        memcpy(b + 10 * g,
               (uint32_t[]){sum, most, x[5], x[l ^ 3], l < 14 ? x[l + 2] : x[l - 14] + 1, l ? x[l - 1] + 1 : x[15],
                            x[l ^ 9], before, any + 2 * all, x[l] & 1 ? least : l},
               40);
        if (l == 0) /* shuffle_up: the last of the first operand comes in */
            b[10 * g + 5] = x[15];
    }
}

void opencl_atomics64(const struct opencl_job *job, void **data)
{
    ARRAY(uint64_t, p, 0);
    ARRAY(int64_t, q, 1);
    ARRAY(uint32_t, a, 2);
    for (uint32_t g = 0; g < threads(job); g++) {
        uint64_t x = (uint64_t)a[g] << 20 | g;
        int64_t y = (int64_t)(x << 30), z = -(int64_t)x;
        p[0] += x, p[3] ^= x, p[4] |= x, p[5] &= ~x, p[6]++;
        p[1] = x > p[1] ? x : p[1];
        p[2] = x < p[2] ? x : p[2];
        q[0] = y < q[0] ? y : q[0];
        q[1] = z > q[1] ? z : q[1];
    }
    for (uint32_t group = 0; group < threads(job); group += job->local[0]) {
        int32_t t[4] = {0, 0, 0, 0};
        for (uint32_t g = group; g < group + job->local[0]; g++) {
            t[0] += 2, t[2] ^= (int32_t)g, t[3]--;
            t[1] = (int32_t)a[g] > t[1] ? (int32_t)a[g] : t[1];
        }
        for (unsigned i = 0; i < 4; i++)
            p[8 + i] += (uint64_t)(int64_t)t[i];
    }
}

void opencl_doubles(const struct opencl_job *job, void **data)
{
    ARRAY(double, a, 0);
    ARRAY(double, b, 1);
    ARRAY(int32_t, c, 2);
    for (uint32_t g = 0; g < threads(job); g++) {
        double x = a[g], n = c[g];
        memcpy(b + 6 * g,
               (double[]){x * x + 1, x / 3, sqrt(fabs(x)), n - floor(x), x > 0 ? (double)(int64_t)(x * 1000) : x,
                          x * 2 + n},
               48);
    }
}

void opencl_threads3(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, o, 0);
    const uint32_t *n = job->global, *k = job->local;
    for (uint32_t i = 0; i < threads(job); i++) {
        uint32_t x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];
        o[4 * i] = x % k[0] + 10 * (y % k[1]) + 100 * (z % k[2]);
        o[4 * i + 1] = x / k[0] + 10 * (y / k[1]) + 100 * (z / k[2]);
        o[4 * i + 2] = n[0] / k[0] + 10 * (n[1] / k[1]) + 100 * (n[2] / k[2]);
        o[4 * i + 3] = 3 + 10 * k[1];
    }
}

void opencl_private_large(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, b, 1);
    for (uint32_t g = 0; g < threads(job); g++) {
        uint32_t t[200], s = 0;
        for (uint32_t i = 0; i < 200; i++)
            t[i] = i * 7 + g;
        for (uint32_t i = 0; i < number(job, 2); i++) {
            uint32_t j = a[(g * 3 + i) % 64] % 200;
            t[j] ^= t[(j * 5 + i) % 200] + i;
        }
        for (uint32_t i = 0; i < 200; i += 3)
            s = s * 31 + t[i];
        b[g] = s;
    }
}

/* What the cases of the switch make of s. */
static uint32_t branch(uint32_t which, uint32_t s, uint32_t x, uint32_t i)
{
    const uint32_t cases[12] = {s + 3, s ^ x, (s - i) * 3, s * 3, s, 0, ~s, s << 1, s | 5, s & 0xffff, s + 1, s + 1};
    return cases[which];
}

void opencl_branches(const struct opencl_job *job, void **data)
{
    ARRAY(uint32_t, a, 0);
    ARRAY(uint32_t, b, 1);
    for (uint32_t g = 0; g < threads(job); g++) {
        uint32_t x = a[g], s = 0;
        for (uint32_t i = 0; i < number(job, 2) + (g & 7); i++) {
            uint32_t which = (x + i) % 12;
            if (which == 4 && (int32_t)s > 100)
                break;
            s = which == 5 ? s + g : branch(which, s, x, i);
            for (uint32_t k = which == 5 ? 0 : i; k > 0 && k != 3; k >>= 1)
                s += k & x;
        }
        b[g] = s;
    }
}

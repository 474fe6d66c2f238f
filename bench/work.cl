/* The workloads in OpenCL C. Kernels ending in i use images; OpenCL has no image atomics, so W3 and W4 are buffers. */
__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void w0(__global uint *out)
{
    out[get_global_id(0)] = get_global_id(0);
}

__kernel void w1(__global const uint *src, __global uint *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        dst[y * width + x] = src[y * width + x] + 1;
}

__kernel void w1i(__read_only image2d_t src, __write_only image2d_t dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        write_imageui(dst, (int2)(x, y), read_imageui(src, edge, (int2)(x, y)) + 1);
}

__kernel void w2(__global const uint *src, __global uint *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    uint sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += src[clamp(y + j, 0, height - 1) * width + clamp(x + i, 0, width - 1)];
    dst[y * width + x] = sum / 9;
}

__kernel void w2i(__read_only image2d_t src, __write_only image2d_t dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    uint sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += read_imageui(src, edge, (int2)(x + i, y + j)).x;
    write_imageui(dst, (int2)(x, y), (uint4)(sum / 9, 0, 0, 1));
}

__kernel void w2b(__global const uchar4 *src, __global uchar4 *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    uint4 sum = 4;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += convert_uint4(src[clamp(y + j, 0, height - 1) * width + clamp(x + i, 0, width - 1)]);
    dst[y * width + x] = convert_uchar4(sum / 9);
}

__kernel void w2bi(__read_only image2d_t src, __write_only image2d_t dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float4 sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += read_imagef(src, edge, (int2)(x + i, y + j));
    write_imagef(dst, (int2)(x, y), sum / 9);
}

__kernel void w3(__global uint *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        atomic_add(&dst[y * width + x], 1u);
}

__kernel void w4(__global const uint *src, __global uint *bins, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        atomic_add(&bins[src[y * width + x] >> 16 & 255], 1u);
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void w5(__global const uint *pixels, __global uint *bins,
                                                                  uint count)
{
    __local uint words[256];
    uint rank = get_local_id(0);
    words[rank] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = get_group_id(0) * 4096 + rank;
    for (uint i = 0; i < 4096; i += 256)
        if (first + i < count)
            atomic_add(&words[pixels[first + i] >> 16 & 255], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[rank], words[rank]);
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void w6(__global uint *sums)
{
    __local uint words[32];
    uint rank = get_local_id(0);
    if (rank < 32)
        words[rank] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 64; i++) {
        volatile __local uint *word = &words[((rank >> 2) + i) & 31];
        uint old = *word, seen;
        do {
            seen = old;
            old = atomic_cmpxchg(word, seen, seen + 1);
        } while (old != seen);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (rank < 32)
        sums[get_group_id(0) * 32 + rank] = words[rank];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void w7(__global const uint *in, __global uint *out)
{
    __local uint sums[256];
    uint rank = get_local_id(0);
    sums[rank] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 128; distance > 0; distance >>= 1) {
        if (rank < distance)
            sums[rank] += sums[rank + distance];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (rank == 0)
        out[get_group_id(0)] = sums[0];
}

__kernel void w8(__global uint *out, uint rounds)
{
    uint x = get_global_id(0) + 1;
    for (uint i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x = x * 1664525u + 1013904223u;
    }
    out[get_global_id(0)] = x;
}

__kernel void w8f(__global uint *counts, int width, int height, float step, uint limit)
{
    int column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height)
        return;
    float cx = -2.25f + step * column, cy = -1.5f + step * row;
    float x = 0, y = 0, xx = 0, yy = 0;
    uint i = 0;
    while (i < limit && xx + yy <= 4.0f) {
        y = 2 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        i++;
    }
    counts[row * width + column] = i;
}

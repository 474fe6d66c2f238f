/* Plain C versions of the example kernels that work on pictures and volumes; see ref.h. */
#include "ref.h"

#include <math.h>
#include <stdlib.h>

static int clamp(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

static int pixel(const uint8_t *src, int width, int height, int x, int y, enum ref_border border)
{
    if (border == REF_CLAMP)
        return src[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
    if (x < 0 || y < 0 || x >= width || y >= height)
        return 0;
    return src[y * width + x];
}

void ref_sobel(const uint8_t *src, uint8_t *dst, int width, int height, enum ref_border border)
{
    static const int gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int sx = 0, sy = 0;
            for (int j = 0; j < 3; j++) {
                for (int i = 0; i < 3; i++) {
                    int p = pixel(src, width, height, x + i - 1, y + j - 1, border);
                    sx += gx[j][i] * p;
                    sy += gx[i][j] * p;
                }
            }
            int edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
            int value = clamp(abs(sx) + abs(sy), 0, 255);
            dst[y * width + x] = (uint8_t)(border == REF_INTERIOR && edge ? 0 : value);
        }
    }
}

void ref_layers_sum(const uint32_t *src, uint32_t *dst, int width, int height, int layers)
{
    int texels = width * height;
    for (int i = 0; i < texels; i++) {
        dst[i] = 0;
        for (int layer = 0; layer < layers; layer++)
            dst[i] += src[layer * texels + i];
    }
}

void ref_layers_shift(const uint32_t *src, uint32_t *dst, int width, int height, int layers)
{
    int texels = width * height;
    for (int layer = 0; layer < layers; layer++)
        for (int i = 0; i < texels; i++)
            dst[layer * texels + i] = src[clamp(layer + 1, 0, layers - 1) * texels + i];
}

void ref_volume_blur(const uint32_t *src, uint32_t *dst, int width, int height, int depth)
{
    static const int near[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    for (int z = 0; z < depth; z++) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                uint32_t sum = 0;
                for (int n = 0; n < 7; n++) {
                    int i = x + near[n][0], j = y + near[n][1], k = z + near[n][2];
                    if (i >= 0 && j >= 0 && k >= 0 && i < width && j < height && k < depth)
                        sum += src[(k * height + j) * width + i];
                }
                dst[(z * height + y) * width + x] = sum;
            }
        }
    }
}

void ref_volume_mip(const uint32_t *src, uint32_t *dst, int width, int height, int depth)
{
    for (int i = 0; i < width * height * depth; i++)
        dst[i] = 0;
    for (int z = 0; z < 2 * depth; z++) {
        for (int y = 0; y < 2 * height; y++) {
            for (int x = 0; x < 2 * width; x++) {
                uint32_t value = src[(z * 2 * height + y) * 2 * width + x];
                uint32_t *to = &dst[(z / 2 * height + y / 2) * width + x / 2];
                if (*to < value)
                    *to = value;
            }
        }
    }
}

void ref_cube_paint(uint32_t *dst, int size)
{
    for (int face = 0; face < 6; face++)
        for (int y = 0; y < size; y++)
            for (int x = 0; x < size; x++)
                *dst++ = (uint32_t)(65536 * face + 256 * y + x);
}

void ref_hough_vote(const uint8_t *src, uint32_t *votes, const int32_t *table, int width, int height, int angles,
                    int rows, int offset, int threshold)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            if (src[y * width + x] <= threshold)
                continue;
            for (int angle = 0; angle < angles; angle++) {
                int distance = ((x * table[2 * angle] + y * table[2 * angle + 1]) >> 12) + offset;
                if (distance >= 0 && distance < rows)
                    votes[distance * angles + angle]++;
            }
        }
    }
}

void ref_hough_draw(const uint32_t *votes, float *rgba, int count, float most)
{
    for (int i = 0; i < count; i++) {
        float red = (float)votes[i] / most;
        rgba[4 * i] = red;
        rgba[4 * i + 1] = red * red;
        rgba[4 * i + 2] = 0.0f;
        rgba[4 * i + 3] = 1.0f;
    }
}

uint64_t ref_hough_peak(const uint32_t *votes, int width, int height)
{
    uint64_t peak = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint64_t mine = (uint64_t)votes[y * width + x] << 32 | (uint64_t)y << 16 | (uint64_t)x;
            peak = mine > peak ? mine : peak;
        }
    }
    return peak;
}

uint8_t ref_unorm8(float value)
{
    double v = isnan(value) ? 0 : fmin(fmax((double)value, 0), 1);
    return (uint8_t)ceil(floor(v * 4096) * 255 / 4096 - 0.5);
}

/* The example's picture: iterations of the point of pixel (px, py), at most 256. */
static int iterations(int px, int py, int width, int height)
{
    float cx = -2.25f + 3.0f * (float)px / (float)width, cy = -1.5f + 3.0f * (float)py / (float)height;
    float x = 0, y = 0;
    int i = 0;
    while (i < 256 && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = fmaf(y, x + x, cy);
        x = t;
        i++;
    }
    return i;
}

void ref_mandelbrot(uint8_t *rgba, int width, int height)
{
    for (int i = 0; i < width * height; i++) {
        int n = iterations(i % width, i / width, width, height);
        int inside = n == 256;
        rgba[4 * i] = (uint8_t)(inside ? 0 : clamp(n * 3, 0, 255));
        rgba[4 * i + 1] = (uint8_t)(inside ? 0 : clamp(n * 8, 0, 255));
        rgba[4 * i + 2] = (uint8_t)(inside ? 0 : clamp(64 + n * 16, 0, 255));
        rgba[4 * i + 3] = 255;
    }
}

void ref_mandelbrot_gray(uint8_t *gray, int width, int height)
{
    for (int i = 0; i < width * height; i++) {
        int n = iterations(i % width, i / width, width, height);
        gray[i] = (uint8_t)(n == 256 ? 0 : clamp(n * 8, 0, 255));
    }
}

void ref_mandelbrot_at(uint32_t *counts, int width, int height, double x0, double y0, double step, uint32_t limit)
{
    for (int at = 0; at < width * height; at++) {
        double cx = fma(at % width, step, x0), cy = fma(at / width, step, y0), x = 0, y = 0;
        uint32_t i = 0;
        while (i < limit && x * x + y * y <= 4.0) {
            double t = x * x - y * y + cx;
            y = fma(y, x + x, cy);
            x = t;
            i++;
        }
        counts[at] = i;
    }
}

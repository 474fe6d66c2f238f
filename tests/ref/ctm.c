/* Plain C versions of the example programs of CTM; see ref.h. Sums are in the order in which the programs have them. */
#include "ref.h"

static float clamp01(float v)
{
    return v > 1 ? 1 : v > 0 ? v : 0;
}

int ref_ctm_rounds(float x0, float y0, int most)
{
    float x = 0, y = 0;
    int rounds = 0;
    for (; rounds < most && !(x * x + y * y - 4 >= 0); rounds++) {
        float next = x * x + x0 - y * y;
        y = 2 * (x * y + y0 / 2);
        x = next;
    }
    return rounds;
}

void ref_ctm_mandelbrot(float *rgba, int width, int height, const float view[4], const float weights[3], int most)
{
    for (int i = 0; i < width * height; i++) {
        float x0 = (float)(i % width) * view[2] + view[0], y0 = (float)(i / width) * view[2] + view[1];
        float t = (float)ref_ctm_rounds(x0, y0, most) * view[3], s = 1 - t, ts = t * s;
        const float colour[3] = {t * t * ts, ts * ts, s * s * ts};
        for (int c = 0; c < 3; c++)
            rgba[4 * i + c] = clamp01(colour[c] * weights[c]);
        rgba[4 * i + 3] = 1;
    }
}

void ref_ctm_filter(const float *src, float *dst, int width, int height, const float weights[9], float bias)
{
    for (int i = 0; i < width * height; i++) {
        for (int c = 0; c < 3; c++) {
            float sum = bias;
            for (int n = 0; n < 9; n++) {
                int x = (i % width + n % 3 - 1 + width) % width, y = (i / width + n / 3 - 1 + height) % height;
                sum = src[4 * (y * width + x) + c] * weights[n] + sum;
            }
            dst[4 * i + c] = clamp01(sum);
        }
        dst[4 * i + 3] = 1;
    }
}

void ref_ctm_halve(const float *src, float *dst, int width, int height)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const float *top = src + 4 * width * y + 2 * x, *bottom = top + 2 * width;
            dst[y * width + x] = (top[1] + bottom[0] + bottom[1] + top[0]) / 4;
        }
    }
}

void ref_ctm_life(float *cells, float *scratch, int width, int height)
{
    for (int i = 0; i < width * height; i++) {
        int neighbours = 0;
        for (int n = 0; n < 9; n++) {
            int x = (i % width + n % 3 - 1 + width) % width, y = (i / width + n / 3 - 1 + height) % height;
            neighbours += n != 4 && cells[y * width + x] > 0;
        }
        scratch[i] = neighbours == 3 || (neighbours == 2 && cells[i] > 0);
    }
    for (int i = 0; i < width * height; i++)
        cells[i] = scratch[i];
}

/* W8f: Mandelbrot iteration counts, f32, width x height points of [-2.25, 0.75] x [-1.5, 1.5], `limit` (256)
 * iterations, blocks of 16 x 16: divergent. Sums differ a little from executor to executor where multiply-adds fuse. */
extern "C" __global__ void w8f(unsigned *counts, int width, int height, float step, unsigned limit)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    float cx = -2.25f + step * column, cy = -1.5f + step * row;
    float x = 0, y = 0, xx = 0, yy = 0;
    unsigned i = 0;
#pragma unroll 1
    while (i < limit && xx + yy <= 4.0f) {
        y = 2 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        i++;
    }
    counts[row * width + column] = i;
}

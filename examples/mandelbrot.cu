/* Pictures of the Mandelbrot set.
 *
 *   mandelbrot       (dst, width, height): the whole set in colours, into an rgba8 surface
 *   mandelbrot_gray  (dst, width, height): the same as grey levels, into an r8 surface: what sobel and histogram read
 *   mandelbrot_at    (counts, width, height, x0, y0, step, limit): iteration counts as u32 in memory, f64 */

static __device__ int iterations(float cx, float cy, int limit)
{
    float x = 0, y = 0;
    int i = 0;
    while (i < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        i++;
    }
    return i;
}

static __device__ int at_pixel(int x, int y, int width, int height)
{
    float cx = -2.25f + 3.0f * x / width, cy = -1.5f + 3.0f * y / height;
    return iterations(cx, cy, 256);
}

extern "C" __global__ void mandelbrot(cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int n = at_pixel(x, y, width, height);
    uchar4 colour = make_uchar4(0, 0, 0, 255);
    if (n < 256) {
        colour.x = (unsigned char)min(255, n * 3);
        colour.y = (unsigned char)min(255, n * 8);
        colour.z = (unsigned char)min(255, 64 + n * 16);
    }
    surf2Dwrite(colour, dst, x * 4, y);
}

extern "C" __global__ void mandelbrot_gray(cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int n = at_pixel(x, y, width, height);
    surf2Dwrite((unsigned char)(n < 256 ? min(255, n * 8) : 0), dst, x, y);
}

extern "C" __global__ void mandelbrot_at(unsigned *counts, int width, int height, double x0, double y0, double step,
                                         unsigned limit)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    double cx = x0 + column * step, cy = y0 + row * step, x = 0, y = 0;
    unsigned i = 0;
    while (i < limit && x * x + y * y <= 4.0) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        i++;
    }
    counts[row * width + column] = i;
}

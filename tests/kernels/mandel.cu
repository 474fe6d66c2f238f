/* Mandelbrot set in doubles. */
extern "C" __global__ void mandel(int *out, int w, int h, int maxit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    double cx = -2.2 + 3.2 * px / w, cy = -1.4 + 2.8 * py / h, x = 0, y = 0;
    int i = 0;
    while (i < maxit && x * x + y * y <= 4.0) { double t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; i++; }
    out[py * w + px] = i;
}

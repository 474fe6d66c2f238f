/* W2b: 3 x 3 box filter with reads clamped to the edge, rgba8, 4096 x 4096, blocks of 16 x 16: each channel
 * (sum + 4) / 9. That is sum / 9 rounded to nearest, which is what float conversion gives (9 is odd: no ties). */
extern "C" __global__ void w2b(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned r = 4, g = 4, b = 4, a = 4;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            uchar4 texel = surf2Dread<uchar4>(src, (x + i) * 4, y + j, cudaBoundaryModeClamp);
            r += texel.x, g += texel.y, b += texel.z, a += texel.w;
        }
    }
    surf2Dwrite(make_uchar4(r / 9u, g / 9u, b / 9u, a / 9u), dst, x * 4, y);
}

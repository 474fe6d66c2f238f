/* W1: dst(x, y) = src(x, y) + 1 on r32uint surfaces, 4096 x 4096, blocks of 16 x 16. */
extern "C" __global__ void w1(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(surf2Dread<unsigned>(src, x * 4, y) + 1u, dst, x * 4, y);
}

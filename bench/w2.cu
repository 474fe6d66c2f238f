/* W2: 3 x 3 box filter with reads clamped to the edge, r32uint, 4096 x 4096, blocks of 16 x 16: sum / 9. */
extern "C" __global__ void w2(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += surf2Dread<unsigned>(src, (x + i) * 4, y + j, cudaBoundaryModeClamp);
    surf2Dwrite(sum / 9u, dst, x * 4, y);
}

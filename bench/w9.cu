/* W9: 5 x 5 Gaussian filter of an rgba8 picture, 4096 x 4096, reads clamped to the edge: each block brings a tile of 16 x 16
 * texels and the two around them to shared memory. Each channel is (sum + 136) / 273, 273 being the sum of the weights. */
#define TILE   16
#define BORDER 2
#define SIDE   (TILE + 2 * BORDER)

__constant__ int weights[5][5] = {
    {1, 4, 7, 4, 1}, {4, 16, 26, 16, 4}, {7, 26, 41, 26, 7}, {4, 16, 26, 16, 4}, {1, 4, 7, 4, 1},
};

static __device__ void load_tile(uchar4 tile[SIDE][SIDE], cudaSurfaceObject_t src, int left, int top)
{
    for (int y = threadIdx.y; y < SIDE; y += TILE)
        for (int x = threadIdx.x; x < SIDE; x += TILE)
            tile[y][x] = surf2Dread<uchar4>(src, (left + x) * 4, top + y, cudaBoundaryModeClamp);
}

static __device__ int4 add(int4 sum, uchar4 texel, int weight)
{
    return make_int4(sum.x + weight * texel.x, sum.y + weight * texel.y, sum.z + weight * texel.z, sum.w + weight * texel.w);
}

static __device__ unsigned char scaled(int sum)
{
    return (sum + 136) / 273;
}

static __device__ uchar4 filtered(uchar4 tile[SIDE][SIDE], int x, int y)
{
    int4 sum = make_int4(0, 0, 0, 0);
    for (int j = 0; j <= 2 * BORDER; j++)
        for (int i = 0; i <= 2 * BORDER; i++)
            sum = add(sum, tile[y + j][x + i], weights[j][i]);
    return make_uchar4(scaled(sum.x), scaled(sum.y), scaled(sum.z), scaled(sum.w));
}

extern "C" __global__ void w9(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    __shared__ uchar4 tile[SIDE][SIDE];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    load_tile(tile, src, left - BORDER, top - BORDER);
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(filtered(tile, threadIdx.x, threadIdx.y), dst, x * 4, y);
}

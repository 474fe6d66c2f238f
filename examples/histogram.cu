/* Histograms of bytes in 256 bins, three ways. All leave their counts in `bins` (added to what is there).
 *
 *   histogram          bytes in memory; counts in shared memory first, then one global add a bin and block
 *   histogram_surface  the same for an r8 surface, grid and block as for a picture
 *   histogram_global   bytes in memory, every byte one global atomic
 * Blocks may have any size. */

extern "C" __global__ void histogram(const unsigned char *bytes, int count, unsigned *bins)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        atomicAdd(&local[bytes[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i] != 0)
            atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void histogram_surface(cudaSurfaceObject_t src, int width, int height, unsigned *bins)
{
    __shared__ unsigned local[256];
    int rank = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int i = rank; i < 256; i += threads)
        local[i] = 0;
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        atomicAdd(&local[surf2Dread<unsigned char>(src, x, y)], 1u);
    __syncthreads();
    for (int i = rank; i < 256; i += threads)
        if (local[i] != 0)
            atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void histogram_global(const unsigned char *bytes, int count, unsigned *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(&bins[bytes[i]], 1u);
}

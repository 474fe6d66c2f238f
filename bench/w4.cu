/* W4: histogram of a 4096 x 4096 r32uint image of 24-bit pixels into a 1D r32uint surface of 256 texels by surface
 * atomics (contended): bin = pixel >> 16. Blocks of 16 x 16. */
extern "C" __global__ void w4(cudaSurfaceObject_t src, cudaSurfaceObject_t bins, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned bin = surf2Dread<unsigned>(src, x * 4, y) >> 16 & 255u;
    asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(bins), "r"(bin * 4), "r"(1) : "memory");
}

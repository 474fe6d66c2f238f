/* W3: surface atomic add of 1 on every texel, r32uint, 4096 x 4096, blocks of 16 x 16 (no contention). */
extern "C" __global__ void w3(cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(dst), "r"(x * 4), "r"(y), "r"(1) : "memory");
}

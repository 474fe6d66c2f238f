/* Sobel edge filter on r8 surfaces: |Gx| + |Gy|, cut at 255.
 *
 * One kernel for each rule of what lies outside the picture:
 *   sobel_trap   reads nothing outside: the border pixels become 0 (any read outside would be a fault)
 *   sobel_clamp  the border pixels repeat outwards
 *   sobel_zero   0 outside
 * `sobel` is sobel_clamp under the name that people look for. All take (src, dst, width, height), both surfaces
 * with one unsigned byte a texel, and any 2D block; x of a surface access is in bytes. */

template <cudaSurfaceBoundaryMode mode>
static __device__ int pixel(cudaSurfaceObject_t src, int x, int y)
{
    return surf2Dread<unsigned char>(src, x, y, mode);
}

template <cudaSurfaceBoundaryMode mode>
static __device__ unsigned char edge(cudaSurfaceObject_t src, int x, int y)
{
    int a = pixel<mode>(src, x - 1, y - 1), b = pixel<mode>(src, x, y - 1), c = pixel<mode>(src, x + 1, y - 1);
    int d = pixel<mode>(src, x - 1, y), f = pixel<mode>(src, x + 1, y);
    int g = pixel<mode>(src, x - 1, y + 1), h = pixel<mode>(src, x, y + 1), i = pixel<mode>(src, x + 1, y + 1);
    int gx = c + 2 * f + i - a - 2 * d - g;
    int gy = g + 2 * h + i - a - 2 * b - c;
    return (unsigned char)min(abs(gx) + abs(gy), 255);
}

template <cudaSurfaceBoundaryMode mode>
static __device__ void filter(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(edge<mode>(src, x, y), dst, x, y);
}

extern "C" __global__ void sobel(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    filter<cudaBoundaryModeClamp>(src, dst, width, height);
}

extern "C" __global__ void sobel_clamp(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    filter<cudaBoundaryModeClamp>(src, dst, width, height);
}

extern "C" __global__ void sobel_zero(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    filter<cudaBoundaryModeZero>(src, dst, width, height);
}

extern "C" __global__ void sobel_trap(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned char value = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        value = edge<cudaBoundaryModeTrap>(src, x, y);
    surf2Dwrite(value, dst, x, y);
}

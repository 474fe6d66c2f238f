/* Layered, 3D and cube surfaces, all r32uint.
 *
 *   layers_sum   dst2d(x, y) = sum over the layers of src(layer, x, y)
 *   layers_shift dst(layer, x, y) = src(layer + 1 or the last, x, y): layers clamp as an unsigned number
 *   volume_blur  dst3d = sum of the six neighbours and the voxel itself, 0 outside
 *   volume_mip   2 x 2 x 2 voxels of src (uint2 loads) become one of dst: their maximum
 *   cube_paint   writes 65536 * face + 256 * y + x into the faces of a cube (six layers) */

extern "C" __global__ void layers_sum(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height,
                                      int layers)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned sum = 0;
    for (int layer = 0; layer < layers; layer++)
        sum += surf2DLayeredread<unsigned>(src, x * 4, y, layer);
    surf2Dwrite(sum, dst, x * 4, y);
}

extern "C" __global__ void layers_shift(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int layer = blockIdx.z;
    if (x >= width || y >= height)
        return;
    unsigned value = surf2DLayeredread<unsigned>(src, x * 4, y, layer + 1, cudaBoundaryModeClamp);
    surf2DLayeredwrite(value, dst, x * 4, y, layer);
}

static __device__ unsigned voxel(cudaSurfaceObject_t src, int x, int y, int z)
{
    return surf3Dread<unsigned>(src, x * 4, y, z, cudaBoundaryModeZero);
}

extern "C" __global__ void volume_blur(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height,
                                       int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= width || y >= height || z >= depth)
        return;
    unsigned sum = voxel(src, x, y, z);
    sum += voxel(src, x - 1, y, z) + voxel(src, x + 1, y, z);
    sum += voxel(src, x, y - 1, z) + voxel(src, x, y + 1, z);
    sum += voxel(src, x, y, z - 1) + voxel(src, x, y, z + 1);
    surf3Dwrite(sum, dst, x * 4, y, z);
}

extern "C" __global__ void volume_mip(cudaSurfaceObject_t src, cudaSurfaceObject_t dst, int width, int height,
                                      int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= width || y >= height || z >= depth)
        return;
    unsigned most = 0;
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 2; j++) {
            uint2 pair = surf3Dread<uint2>(src, x * 8, 2 * y + j, 2 * z + k);
            most = max(most, max(pair.x, pair.y));
        }
    }
    surf3Dwrite(most, dst, x * 4, y, z);
}

extern "C" __global__ void cube_paint(cudaSurfaceObject_t dst, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int face = blockIdx.z;
    if (x < size && y < size)
        surfCubemapwrite(65536u * face + 256u * y + x, dst, x * 4, y, face);
}

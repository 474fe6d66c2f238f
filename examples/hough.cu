/* Hough transform for straight lines, voting with surface reductions (sured), drawn with a formatted store (sust.p).
 * CUDA C has no names for these instructions; they are written as inline PTX.
 *
 *   hough_vote       each pixel of the r8 surface `src` above `threshold` votes for the lines through it:
 *                    votes(angle, distance) += 1 in an r32uint surface, angles wide. Byte addressing (sured.b).
 *   hough_vote_texel the same with texel addressing (sured.p)
 *   hough_draw       the vote image as a picture: red = votes / most, green = its square, into any 4-channel format
 *   hough_peak       peak = the largest (votes << 32 | distance << 16 | angle) of the image, by a 64-bit atomic
 *
 * `table` holds cos and sin of each angle in 1/4096, as int2; the distance is (x cos + y sin) >> 12 plus `offset`.
 * Votes that fall outside the vote image are dropped (.zero). */

extern "C" __global__ void hough_vote(cudaSurfaceObject_t src, cudaSurfaceObject_t votes, const int2 *table, int width,
                                      int height, int angles, int offset, int threshold)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || surf2Dread<unsigned char>(src, x, y) <= threshold)
        return;
    for (int angle = 0; angle < angles; angle++) {
        int distance = ((x * table[angle].x + y * table[angle].y) >> 12) + offset;
        asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(votes), "r"(angle * 4), "r"(distance), "r"(1)
                     : "memory");
    }
}

extern "C" __global__ void hough_vote_texel(cudaSurfaceObject_t src, cudaSurfaceObject_t votes, const int2 *table,
                                            int width, int height, int angles, int offset, int threshold)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || surf2Dread<unsigned char>(src, x, y) <= threshold)
        return;
    for (int angle = 0; angle < angles; angle++) {
        int distance = ((x * table[angle].x + y * table[angle].y) >> 12) + offset;
        asm volatile("sured.p.add.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(votes), "r"(angle), "r"(distance), "r"(1)
                     : "memory");
    }
}

extern "C" __global__ void hough_draw(cudaSurfaceObject_t votes, cudaSurfaceObject_t dst, int width, int height,
                                      float most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float red = (float)surf2Dread<unsigned>(votes, x * 4, y) / most;
    asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(dst), "r"(x), "r"(y), "f"(red),
                 "f"(red * red), "f"(0.0f), "f"(1.0f)
                 : "memory");
}

extern "C" __global__ void hough_peak(cudaSurfaceObject_t votes, int width, int height, unsigned long long *peak)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned long long count = surf2Dread<unsigned>(votes, x * 4, y);
    atomicMax(peak, count << 32 | (unsigned long long)y << 16 | (unsigned long long)x);
}

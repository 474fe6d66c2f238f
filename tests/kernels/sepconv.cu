/* A row filter of 17 weights in constant memory, tile with its border in shared memory. */
#define R 8
__constant__ float K[2 * R + 1] = {.01f,.02f,.03f,.04f,.06f,.08f,.1f,.11f,.1f,.11f,.1f,.08f,.06f,.04f,.03f,.02f,.01f};
extern "C" __global__ void sepconv(const float *in, float *out, int w, int h)
{
    __shared__ float t[8][128 + 2 * R];
    int x0 = blockIdx.x * 128, y = blockIdx.y * 8 + threadIdx.y;
    for (int i = threadIdx.x; i < 128 + 2 * R; i += blockDim.x) {
        int x = x0 + i - R;
        t[threadIdx.y][i] = x >= 0 && x < w ? in[y * w + x] : 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) {
        float s = 0;
#pragma unroll
        for (int k = -R; k <= R; k++) s += K[R + k] * t[threadIdx.y][i + R + k];
        out[y * w + x0 + i] = s;
    }
}

/* Transposes by tiles in shared memory. */
#define T 32
extern "C" __global__ void transpose(const float *in, float *out, int w, int h)
{
    __shared__ float t[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    for (int j = 0; j < T; j += 8) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x; y = blockIdx.x * T + threadIdx.y;
    for (int j = 0; j < T; j += 8) out[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}

/* Blocks take items from a queue until it is empty. */
extern "C" __global__ void workqueue(const int *work, int *out, int *next, int n)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(next, 1);
        __syncthreads();
        int it = item;
        __syncthreads();
        if (it >= n) break;
        int v = it * 64 + threadIdx.x, k = work[it];
        for (int i = 0; i < k; i++) v = v * 1664525 + 1013904223;
        out[it * 64 + threadIdx.x] = v;
    }
}

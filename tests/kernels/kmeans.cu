/* A step of k-means: the nearest centre, sums and counts by atomics. */
extern "C" __global__ void kmeans(const float *pts, const float *cent, int *assign, float *sums, int *counts, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f; int at = 0;
    for (int c = 0; c < k; c++) {
        float d = 0;
        for (int j = 0; j < 4; j++) { float t = pts[i * 4 + j] - cent[c * 4 + j]; d += t * t; }
        if (d < best) { best = d; at = c; }
    }
    assign[i] = at;
    atomicAdd(&counts[at], 1);
    for (int j = 0; j < 4; j++) atomicAdd(&sums[at * 4 + j], pts[i * 4 + j]);
}

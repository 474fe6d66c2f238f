/* One level of a breadth-first search, a thread a vertex. Threads that find the same vertex store the same value. */
extern "C" __global__ void bfs(const int *ptr, const int *adj, int *level, int *changed, int n, int cur)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != cur) return;
    for (int j = ptr[v]; j < ptr[v + 1]; j++) {
        int u = adj[j];
        if (level[u] < 0) { level[u] = cur + 1; *changed = 1; }
    }
}

/* The same from a queue into the next one: their order in it is the order of the atomics. */
extern "C" __global__ void bfs_queue(const int *ptr, const int *adj, int *level, const int *q, int nq, int *qn, int *nqn, int cur)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nq) return;
    int v = q[i];
    for (int j = ptr[v]; j < ptr[v + 1]; j++) {
        int u = adj[j];
        if (atomicCAS(&level[u], -1, cur + 1) == -1) qn[atomicAdd(nqn, 1)] = u;
    }
}

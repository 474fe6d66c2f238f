/* Open addressing: where a key goes depends on who comes first. */
extern "C" __global__ void hashins(const unsigned *keys, unsigned *table, int *slots, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = keys[i], h = (k * 2654435761u) & mask;
    for (;;) {
        unsigned old = atomicCAS(&table[h], 0u, k);
        if (old == 0 || old == k) break;
        h = (h + 1) & mask;
    }
    slots[i] = 1;
}

/* Pi by random numbers: 64-bit atomics. */
extern "C" __global__ void mcpi(unsigned long long *hits, int iters)
{
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
    if (!s) s = 1;
    int c = 0;
    for (int i = 0; i < iters; i++) {
        s ^= s << 13; s ^= s >> 17; s ^= s << 5; float x = s * 2.3283064e-10f;
        s ^= s << 13; s ^= s >> 17; s ^= s << 5; float y = s * 2.3283064e-10f;
        if (x * x + y * y <= 1.0f) c++;
    }
    atomicAdd(hits, (unsigned long long)c);
}

/* W0: next to nothing, for measuring start-up: one word a thread. */
extern "C" __global__ void w0(unsigned *out)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    out[id] = id;
}

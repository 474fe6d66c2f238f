/* Seven-point stencil, planes in shared memory, a column a thread. */
extern "C" __global__ void stencil3d(const float *in, float *out, int nx, int ny, int nz)
{
    __shared__ float t[10][34];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, pl = nx * ny, i = y * nx + x;
    bool in_ = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    float below = in[i], cur = in[i + pl], above;
    for (int z = 1; z < nz - 1; z++) {
        i += pl;
        above = in[i + pl];
        __syncthreads();
        t[ty][tx] = cur;
        if (threadIdx.x == 0 && x > 0) t[ty][0] = in[i - 1];
        if (threadIdx.x == 31 && x < nx - 1) t[ty][33] = in[i + 1];
        if (threadIdx.y == 0 && y > 0) t[0][tx] = in[i - nx];
        if (threadIdx.y == 7 && y < ny - 1) t[9][tx] = in[i + nx];
        __syncthreads();
        if (in_) out[i] = 0.4f * cur + 0.1f * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] + below + above);
        below = cur; cur = above;
    }
}

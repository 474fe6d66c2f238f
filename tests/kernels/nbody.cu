/* Forces between all pairs of bodies, with rsqrtf. */
extern "C" __global__ void nbody(const float4 *pos, float4 *acc, int n)
{
    __shared__ float4 sh[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = pos[i]; float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        sh[threadIdx.x] = pos[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float4 q = sh[j]; float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f, inv = rsqrtf(d2), f = q.w * inv * inv * inv;
            ax += dx * f; ay += dy * f; az += dz * f;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0);
}

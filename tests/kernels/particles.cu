/* A step of particles, an array a member. */
extern "C" __global__ void particles(float *x, float *y, float *z, float *vx, float *vy, float *vz, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    vy[i] -= 9.81f * dt;
    x[i] += vx[i] * dt; y[i] += vy[i] * dt; z[i] += vz[i] * dt;
    if (x[i] < 0 || x[i] > 1) vx[i] = -vx[i];
    if (y[i] < 0) { y[i] = -y[i]; vy[i] = -vy[i] * 0.9f; }
    if (z[i] < 0 || z[i] > 1) vz[i] = -vz[i];
}

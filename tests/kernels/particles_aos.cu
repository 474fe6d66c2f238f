/* A step of particles, an array of structs. */
struct P { float x, y, z, vx, vy, vz, m; int alive; };
extern "C" __global__ void particles_aos(P *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !p[i].alive) return;
    P q = p[i];
    q.vy -= 9.81f * dt; q.x += q.vx * dt; q.y += q.vy * dt; q.z += q.vz * dt;
    if (q.x < 0 || q.x > 1) q.vx = -q.vx;
    if (q.y < 0) { q.y = -q.y; q.vy = -q.vy * 0.9f; }
    if (q.z < 0 || q.z > 1) q.vz = -q.vz;
    p[i] = q;
}

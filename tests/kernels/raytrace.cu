/* Spheres that reflect each other, four bounces: rsqrtf, sqrtf, divisions. */
struct S { float x, y, z, r; };
extern "C" __global__ void raytrace(const S *sp, int ns, float *out, int w, int h)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float dx = (px - w / 2) / (float)w, dy = (py - h / 2) / (float)h, dz = 1, inv = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= inv; dy *= inv; dz *= inv;
    float ox = 0, oy = 0, oz = 0, att = 1, col = 0;
    for (int bounce = 0; bounce < 4; bounce++) {
        float best = 1e20f; int hit = -1;
        for (int i = 0; i < ns; i++) {
            float lx = sp[i].x - ox, ly = sp[i].y - oy, lz = sp[i].z - oz, b = lx * dx + ly * dy + lz * dz;
            float q = b * b - (lx * lx + ly * ly + lz * lz) + sp[i].r * sp[i].r;
            if (q < 0) continue;
            float t = b - sqrtf(q);
            if (t > 1e-3f && t < best) { best = t; hit = i; }
        }
        if (hit < 0) { col += att * (0.5f + 0.5f * dy); break; }
        ox += best * dx; oy += best * dy; oz += best * dz;
        float nx = (ox - sp[hit].x) / sp[hit].r, ny = (oy - sp[hit].y) / sp[hit].r, nz = (oz - sp[hit].z) / sp[hit].r;
        float dn = 2 * (dx * nx + dy * ny + dz * nz);
        dx -= dn * nx; dy -= dn * ny; dz -= dn * nz;
        col += att * 0.1f * fmaxf(0.0f, ny); att *= 0.7f;
    }
    out[py * w + px] = col;
}

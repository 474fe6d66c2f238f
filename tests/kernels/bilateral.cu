/* Bilateral filter, 5 x 5, with __expf. */
extern "C" __global__ void bilateral(const float *in, float *out, int w, int h, float ss, float sr)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = in[y * w + x], s = 0, ws = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            float v = in[yy * w + xx], d = v - c, e = __expf(-(dx * dx + dy * dy) * ss - d * d * sr);
            s += e * v; ws += e;
        }
    out[y * w + x] = s / ws;
}

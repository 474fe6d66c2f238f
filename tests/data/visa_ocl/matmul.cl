// C = A * B by 16x16 tiles in local memory
#define T 16
kernel void matmul(global const float *a, global const float *b, global float *c, int m, int n, int k)
{
    local float ta[T][T], tb[T][T];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_group_id(0) * T + lx, y = get_group_id(1) * T + ly;
    float sum = 0;
    for (int t = 0; t < k; t += T) {
        ta[ly][lx] = y < m && t + lx < k ? a[y * k + t + lx] : 0.0f;
        tb[ly][lx] = x < n && t + ly < k ? b[(t + ly) * n + x] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < T; i++)
            sum += ta[ly][i] * tb[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < n && y < m)
        c[y * n + x] = sum;
}

/* Matrix product of bytes, packed: dp4a. */
extern "C" __global__ void mm_dp4a(const int *A, const int *Bt, int *C, int n, int k4)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    int s = 0;
    for (int k = 0; k < k4; k++) s = __dp4a(A[row * k4 + k], Bt[k * n + col], s);
    C[row * n + col] = s;
}

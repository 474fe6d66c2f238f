/* Matrix product, tiles in shared memory, 4 x 4 results a thread. */
#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
extern "C" __global__ void __launch_bounds__(256) mm_reg(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[BK][BM], Bs[BK][BN];
    int tid = threadIdx.x, tr = tid / 16, tc = tid % 16;
    A += blockIdx.y * BM * n; B += blockIdx.x * BN; C += blockIdx.y * BM * n + blockIdx.x * BN;
    float acc[TM][TN] = {0};
    for (int k0 = 0; k0 < n; k0 += BK) {
        for (int i = tid; i < BM * BK; i += 256) As[i % BK][i / BK] = A[(i / BK) * n + k0 + i % BK];
        for (int i = tid; i < BK * BN; i += 256) Bs[i / BN][i % BN] = B[(k0 + i / BN) * n + i % BN];
        __syncthreads();
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; i++) a[i] = As[k][tr * TM + i];
            for (int j = 0; j < TN; j++) b[j] = Bs[k][tc * TN + j];
            for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) C[(tr * TM + i) * n + tc * TN + j] = acc[i][j];
}

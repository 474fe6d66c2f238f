/* Sparse matrix times vector, a thread a row: rows differ in length. */
extern "C" __global__ void spmv_scalar(const int *ptr, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; j++) s += val[j] * x[col[j]];
    y[r] = s;
}

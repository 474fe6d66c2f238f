/* A table of function pointers; lanes call different ones. */
typedef int (*op)(int, int);
__device__ __noinline__ int f_add(int a, int b) { return a + b; }
__device__ __noinline__ int f_mul(int a, int b) { return a * b + 1; }
__device__ __noinline__ int f_xor(int a, int b) { return a ^ (b << 3); }
__device__ __noinline__ int f_rot(int a, int b) { return (a << (b & 15)) | ((unsigned)a >> (31 & -b)); }
__device__ op table[4] = {f_add, f_mul, f_xor, f_rot};
extern "C" __global__ void fnptr_div(const int *in, int *out, int n, int iters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i], s = i;
    for (int k = 0; k < iters; k++) { s = table[(s ^ k) & 3](s, v); v += 7; }
    out[i] = s;
}

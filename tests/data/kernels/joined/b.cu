__device__ int glob[16] = {1,2,3,4,5,6,7};
__constant__ int cst[8] = {10,20,30};
static __device__ int loc = 50;
__device__ int *gp = glob + 2;
static __constant__ int sc[3] = {70,80,90};
typedef int (*fn)(int);
__device__ int f1(int x) { return x + 1; }
__device__ int f2(int x) { return x * 2; }
__device__ fn table[2] = {f1, f2};
__constant__ fn ctable[2] = {f2, f1};
extern __shared__ int dyn[];
__device__ __noinline__ static int helper(int x) { __shared__ int w[33]; w[threadIdx.x] = x; __syncthreads(); return w[31 - threadIdx.x] + loc; }
__device__ float ext(float x, int y) { __shared__ double q[32]; q[threadIdx.x] = x; __syncthreads(); dyn[threadIdx.x] += 1; return q[31 - threadIdx.x] / 3.00000001 * 1.23456789e5 + helper(y) + sc[y % 3] + table[y&1](y) + ctable[y&1](y); }

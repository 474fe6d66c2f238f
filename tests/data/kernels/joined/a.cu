extern __device__ float ext(float, int);
extern __device__ int glob[16];
extern __constant__ int cst[8];
__device__ int mine[4] = {1,2,3,4};
static __device__ int loc = 5;
__shared__ int nothing;
static __constant__ int sc[3] = {7,8,9};
extern __shared__ int dyn[];
extern __device__ int *gp;
__device__ __noinline__ static int helper(int x) { __shared__ int w[32]; w[threadIdx.x] = x; __syncthreads(); return w[31 - threadIdx.x] + loc; }
extern "C" __global__ void k(int *out, double d) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t * 3; dyn[t] = t;
  __syncthreads();
  out[t] = helper(s[63 - t]) + (int)ext((float)t, dyn[31-t]) + glob[t & 15] + cst[t & 7] + sc[t % 3] + mine[t & 3] + (int)(d / (t + 1)*3.14159e10) + gp[0];
}
extern "C" __global__ void k2(int *out) {
  out[threadIdx.x] = (int)ext(1.5f, threadIdx.x);
}

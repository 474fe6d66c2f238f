#define G extern "C" __attribute__((global))
#define S __attribute__((shared))
#define D __attribute__((device))
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
extern const uint3 __attribute__((device_builtin)) threadIdx, blockIdx;
extern const dim3 __attribute__((device_builtin)) blockDim, gridDim;
extern "C" {
D __attribute__((device_builtin)) void __syncthreads(void);
D __attribute__((device_builtin)) void __threadfence(void);
D __attribute__((device_builtin)) unsigned __uAtomicAdd(unsigned *, unsigned);
D __attribute__((device_builtin)) unsigned __uAtomicCAS(unsigned *, unsigned, unsigned);
D __attribute__((device_builtin)) unsigned __uAtomicExch(unsigned *, unsigned);
}
static inline D unsigned up(unsigned v, unsigned by) { unsigned r; asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, -1;" : "=r"(r) : "r"(v), "r"(by)); return r; }
static inline D unsigned down(unsigned v, unsigned by) { unsigned r; asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, -1;" : "=r"(r) : "r"(v), "r"(by)); return r; }
static inline D unsigned ballot(unsigned v) { unsigned r; asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, -1; }" : "=r"(r) : "r"(v)); return r; }
static inline D unsigned popc(unsigned v) { unsigned r; asm("popc.b32 %0, %1;" : "=r"(r) : "r"(v)); return r; }
/* Hash table of open addressing: every key once, however many threads bring it. */
G void hash_insert(unsigned *table, const unsigned *keys, unsigned mask) {
    unsigned k = keys[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned i = k * 2654435761u & mask;; i = (i + 1) & mask) {
        unsigned old = __uAtomicCAS(&table[i], 0u, k);
        if (old == 0 || old == k) break;
    }
}
/* Prefix sums in one pass: blocks take numbers in the order in which they start and look back at what their
 * predecessors have published (1: their own sum, 2: the sum of all before as well). */
G void look_back(const unsigned *in, unsigned *out, volatile unsigned *state, volatile unsigned *sums, volatile unsigned *prefixes, unsigned *ticket) {
    static S unsigned part, warps[8], before;
    if (threadIdx.x == 0) part = __uAtomicAdd(ticket, 1);
    __syncthreads();
    unsigned b = part, i = b * blockDim.x + threadIdx.x, v = in[i], x = v, lane = threadIdx.x & 31;
    for (unsigned d = 1; d < 32; d *= 2) { unsigned o = up(x, d); if (lane >= d) x += o; }
    if (lane == 31) warps[threadIdx.x / 32] = x;
    __syncthreads();
    for (unsigned w = 0; w < threadIdx.x / 32; w++) x += warps[w];
    if (threadIdx.x == blockDim.x - 1) {
        sums[b] = x;
        __threadfence();
        state[b] = 1;
        unsigned sum = 0;
        for (unsigned p = b; p-- > 0;) {
            unsigned s;
            while ((s = state[p]) == 0) ;
            __threadfence();
            if (s == 2) { sum += prefixes[p]; break; }
            sum += sums[p];
        }
        prefixes[b] = sum + x;
        __threadfence();
        state[b] = 2;
        before = sum;
    }
    __syncthreads();
    out[i] = before + x;
}
/* A lock that one thread of each block takes. */
G void block_lock(unsigned *lock, volatile unsigned *count, unsigned rounds) {
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < rounds; i++) {
            while (__uAtomicCAS(lock, 0, 1)) ;
            __threadfence();
            count[0] = count[0] * 3 + 1;
            count[1] = count[1] + blockIdx.x;
            __threadfence();
            __uAtomicExch(lock, 0);
        }
}
/* One block sorts its 256 words by 4 bits a pass. */
G void radix_sort(unsigned *data) {
    static S unsigned a[256], warps[8], ones;
    unsigned t = threadIdx.x;
    a[t] = data[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned v = a[t], zero = ~(v >> bit) & 1, m = ballot(zero), rank = popc(m & ((1u << (t & 31)) - 1));
        if ((t & 31) == 0) warps[t / 32] = popc(m);
        __syncthreads();
        unsigned base = 0, all = 0;
        for (unsigned w = 0; w < 8; w++) { if (w < t / 32) base += warps[w]; all += warps[w]; }
        unsigned zeros = base + rank;
        __syncthreads();
        a[zero ? zeros : all + t - zeros] = v;
        __syncthreads();
    }
    data[blockIdx.x * 256 + t] = a[t];
}
/* Forces of all bodies on all: {x, y, z, mass}; a rounded operation at a time. */
G void nbody(const float *bodies, float *forces, unsigned n) {
    static S float tile[64 * 4];
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2], fx = 0, fy = 0, fz = 0;
    for (unsigned base = 0; base < n; base += 64) {
        for (unsigned k = 0; k < 4; k++) tile[k * 64 + threadIdx.x] = bodies[base * 4 + k * 64 + threadIdx.x];
        __syncthreads();
        for (unsigned j = 0; j < 64; j++) {
            float dx = tile[4 * j] - x, dy = tile[4 * j + 1] - y, dz = tile[4 * j + 2] - z, r = dx * dx + dy * dy + dz * dz + 0.01f, s;
            asm("sqrt.rn.f32 %0, %1;" : "=f"(s) : "f"(r));
            float f = tile[4 * j + 3] / (r * s);
            fx += dx * f; fy += dy * f; fz += dz * f;
        }
        __syncthreads();
    }
    forces[3 * i] = fx; forces[3 * i + 1] = fy; forces[3 * i + 2] = fz;
}

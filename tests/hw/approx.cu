/* Writes what a GPU gives for every argument of some binades, in the form that test_approx.c reads (packed with gzip -9n):
 *
 *   nvcc -O2 -arch=native -o approx approx.cu && ./approx && gzip -9n ex2 rcp rsqrt sqrt lg2 tanh sin cos */
#include <cstdint>
#include <cstdio>
#include <vector>

#define FUNCTION(name, form)                              \
    struct name {                                         \
        static __device__ float of(float x)               \
        {                                                 \
            float y;                                      \
            asm(form " %0, %1;" : "=f"(y) : "f"(x));      \
            return y;                                     \
        }                                                 \
    };
FUNCTION(ex2, "ex2.approx.ftz.f32")
FUNCTION(rcp, "rcp.approx.ftz.f32")
FUNCTION(rsqrt_, "rsqrt.approx.ftz.f32")
FUNCTION(sqrt_, "sqrt.approx.ftz.f32")
FUNCTION(lg2, "lg2.approx.ftz.f32")
FUNCTION(tanh_, "tanh.approx.f32")
FUNCTION(sin_, "sin.approx.ftz.f32")
FUNCTION(cos_, "cos.approx.ftz.f32")

template <class F> __global__ void fill(uint32_t *out, uint32_t first, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = __float_as_uint(F::of(__uint_as_float(first + i)));
}

/* A byte a result: see test_approx.c. */
static std::vector<uint8_t> pack(const std::vector<uint32_t> &results)
{
    std::vector<uint8_t> out;
    uint32_t last = 0;
    for (size_t i = 0; i < results.size(); i++) {
        int32_t more = (int32_t)(results[i] - last);
        uint32_t code = ((uint32_t)more << 1) ^ (uint32_t)(more >> 31);
        bool whole = i == 0 || code >= 255;
        out.push_back(whole ? 255 : (uint8_t)code);
        for (int shift = 0; whole && shift < 32; shift += 8)
            out.push_back((uint8_t)(results[i] >> shift));
        last = results[i];
    }
    return out;
}

template <class F> static void dump(const char *name, uint32_t first, uint32_t n)
{
    std::vector<uint32_t> results(n);
    uint32_t *device;
    cudaMalloc(&device, 4 * (size_t)n);
    fill<F><<<1024, 256>>>(device, first, n);
    cudaMemcpy(results.data(), device, 4 * (size_t)n, cudaMemcpyDeviceToHost);
    cudaFree(device);
    std::vector<uint8_t> bytes = pack(results);
    if (FILE *file = fopen(name, "wb")) {
        fwrite(bytes.data(), 1, bytes.size(), file);
        fclose(file);
    }
}

int main()
{
    dump<ex2>("ex2", 0x3f800000, 1u << 23);
    dump<rcp>("rcp", 0x3f800000, 1u << 23);
    dump<rsqrt_>("rsqrt", 0x3f800000, 1u << 24);
    dump<sqrt_>("sqrt", 0x3f800000, 1u << 24);
    dump<lg2>("lg2", 0x3f000000, 1u << 24);
    dump<tanh_>("tanh", 0x3d000000, 1u << 26);
    dump<sin_>("sin", 0x3f000000, 1u << 24);
    dump<cos_>("cos", 0x3f000000, 1u << 24);
    return cudaGetLastError() != cudaSuccess;
}

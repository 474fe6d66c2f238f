/* Approximated functions on a GPU.
 *
 *   nvcc -O2 -std=c++17 -arch=native -Xcompiler -O3,-march=native -I src -o approx tests/hw/approx.cu src/engine/meaning/interpolate.c
 *   ./approx       writes what it gives for every argument of some binades, in the form that test_approx.c reads; then
 *                  gzip -9n ex2 rcp rsqrt sqrt lg2 tanh tanh_low sin cos
 *   ./approx all   compares all arguments with interpolate.h: on 16 cores in some minutes */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

extern "C" {
#include "engine/meaning/interpolate.h"
}

/* What the device has for an argument, and what Atoll has. */
#define FUNCTION(name, form, in, type, given, result, model)          \
    struct name {                                                     \
        static const char *text() { return form; }                    \
        static __device__ uint32_t have(uint32_t x)                   \
        {                                                             \
            type y;                                                   \
            asm(form " %0, %1;" : "=" in(y) : in((type)(given)));     \
            return (uint32_t)(result);                                \
        }                                                             \
        static uint32_t want(uint32_t x) { return (uint32_t)(model); } \
    };
#define F32(name, form, model) FUNCTION(name, form, "r", uint32_t, x, y, model)
#define F64(name, form, model) FUNCTION(name, form, "l", uint64_t, (uint64_t)x << 32 | 0x12345678, y >> 32, (model) >> 32)
#define F16(name, form, model) FUNCTION(name, form, "h", uint16_t, x, y, model)
F32(ex2, "ex2.approx.ftz.f32", interpolated_ex2(x, true))
F32(ex2_all, "ex2.approx.f32", interpolated_ex2(x, false))
F32(rcp, "rcp.approx.ftz.f32", interpolated_rcp(x, true))
F32(rcp_all, "rcp.approx.f32", interpolated_rcp(x, false))
F32(rsqrt_, "rsqrt.approx.ftz.f32", interpolated_rsqrt(x, true))
F32(rsqrt_all, "rsqrt.approx.f32", interpolated_rsqrt(x, false))
F32(sqrt_, "sqrt.approx.ftz.f32", interpolated_sqrt(x, true))
F32(sqrt_all, "sqrt.approx.f32", interpolated_sqrt(x, false))
F32(lg2, "lg2.approx.ftz.f32", interpolated_lg2(x, true))
F32(lg2_all, "lg2.approx.f32", interpolated_lg2(x, false))
F32(sin_, "sin.approx.ftz.f32", interpolated_sin(x))
F32(sin_all, "sin.approx.f32", interpolated_sin(x))
F32(cos_, "cos.approx.ftz.f32", interpolated_cos(x))
F32(cos_all, "cos.approx.f32", interpolated_cos(x))
F32(tanh_, "tanh.approx.f32", interpolated_tanh(x))
F64(rcp_high_, "rcp.approx.ftz.f64", rcp_high((uint64_t)x << 32))
F64(rsqrt_high_, "rsqrt.approx.ftz.f64", rsqrt_high((uint64_t)x << 32))
F16(ex2_f16, "ex2.approx.f16", cut_f16(ex2_flushed(f32_bits(f16_to_f32((uint16_t)x)))))
F16(tanh_f16, "tanh.approx.f16", cut_f16(interpolated_tanh(f32_bits(f16_to_f32((uint16_t)x)))))
F16(ex2_bf16, "ex2.approx.ftz.bf16", cut_bf16(ex2_flushed(x << 16)))
F16(tanh_bf16, "tanh.approx.bf16", cut_bf16(interpolated_tanh(x << 16)))

template <class F> __global__ void fill(uint32_t *out, uint32_t first, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = F::have(first + i);
}

template <class F> static void given(std::vector<uint32_t> &results, uint32_t first)
{
    uint32_t *device;
    cudaMalloc(&device, 4 * results.size());
    fill<F><<<1024, 256>>>(device, first, (uint32_t)results.size());
    cudaMemcpy(results.data(), device, 4 * results.size(), cudaMemcpyDeviceToHost);
    cudaFree(device);
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
    given<F>(results, first);
    std::vector<uint8_t> bytes = pack(results);
    if (FILE *file = fopen(name, "wb")) {
        fwrite(bytes.data(), 1, bytes.size(), file);
        fclose(file);
    }
}

/* Of a part of the results. */
template <class F> static void compare(const uint32_t *have, uint32_t first, uint32_t n, uint32_t *differ)
{
    for (uint32_t i = 0; i < n; i++)
        *differ += have[i] != F::want(first + i);
}

template <class F> static uint64_t all(uint64_t n)
{
    const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
    const uint32_t step = (uint32_t)std::min<uint64_t>(n, 1u << 28);
    std::vector<uint32_t> results(step), differ(workers);
    for (uint64_t first = 0; first < n; first += step) {
        std::vector<std::thread> threads;
        given<F>(results, (uint32_t)first);
        for (unsigned w = 0; w < workers; w++) {
            uint32_t from = (uint32_t)((uint64_t)step * w / workers), to = (uint32_t)((uint64_t)step * (w + 1) / workers);
            threads.emplace_back(compare<F>, results.data() + from, (uint32_t)first + from, to - from, &differ[w]);
        }
        for (std::thread &thread : threads)
            thread.join();
    }
    uint64_t sum = 0;
    for (uint32_t count : differ)
        sum += count;
    printf("%s: %llu of %llu differ\n", F::text(), (unsigned long long)sum, (unsigned long long)n);
    fflush(stdout);
    return sum;
}

static void records()
{
    dump<ex2>("ex2", 0x3f800000, 1u << 23);
    dump<rcp>("rcp", 0x3f800000, 1u << 23);
    dump<rsqrt_>("rsqrt", 0x3f800000, 1u << 24);
    dump<sqrt_>("sqrt", 0x3f800000, 1u << 24);
    dump<lg2>("lg2", 0x3f000000, 1u << 24);
    dump<tanh_>("tanh", 0x3d000000, 1u << 26);
    dump<tanh_>("tanh_low", 0x3b800000, 3u << 23);
    dump<sin_>("sin", 0x3f000000, 1u << 24);
    dump<cos_>("cos", 0x3f000000, 1u << 24);
}

int main(int argc, char **)
{
    const uint64_t n = (uint64_t)1 << 32, halves = 1u << 16;
    if (argc < 2) {
        records();
        return cudaGetLastError() != cudaSuccess;
    }
    uint64_t differ = all<ex2>(n) + all<ex2_all>(n) + all<rcp>(n) + all<rcp_all>(n) + all<rsqrt_>(n) + all<rsqrt_all>(n);
    differ += all<sqrt_>(n) + all<sqrt_all>(n) + all<lg2>(n) + all<lg2_all>(n) + all<sin_>(n) + all<sin_all>(n);
    differ += all<cos_>(n) + all<cos_all>(n) + all<tanh_>(n) + all<rcp_high_>(n) + all<rsqrt_high_>(n);
    differ += all<ex2_f16>(halves) + all<tanh_f16>(halves) + all<ex2_bf16>(halves) + all<tanh_bf16>(halves);
    return differ || cudaGetLastError() != cudaSuccess;
}

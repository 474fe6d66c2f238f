// The same as embed.c in C++: what the library hands out is held by std::unique_ptr.
//
//   c++ -std=c++17 embed.cpp $(pkg-config --cflags --libs atoll) -o embed
#include <atoll.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static const char square[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry square(.param .u64 out)
{
  .reg .u32 %r<3>;
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, %r1;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

struct destroy {
    void operator()(atoll_device *device) const { atoll_device_destroy(device); }
    void operator()(atoll_module *module) const { atoll_module_destroy(module); }
};
using device_ptr = std::unique_ptr<atoll_device, destroy>;
using module_ptr = std::unique_ptr<atoll_module, destroy>;

static void must(bool good, const atoll_error &error)
{
    if (!good)
        throw std::runtime_error(error.message);
}

static device_ptr make_device()
{
    atoll_error error{};
    atoll_device *device = nullptr;
    must(atoll_device_create(nullptr, &device, &error), error);
    return device_ptr(device);
}

static module_ptr load(atoll_device *device, const char *text, size_t size)
{
    atoll_error error{};
    atoll_module *module = nullptr;
    must(atoll_module_load(device, text, size, nullptr, &module, &error), error);
    return module_ptr(module);
}

static std::vector<uint32_t> run(unsigned count)
{
    device_ptr device = make_device();
    module_ptr module = load(device.get(), square, sizeof square - 1);
    atoll_error error{};
    atoll_kernel *kernel = nullptr;
    uint64_t out = 0; // the kernel's only parameter is also its whole parameter block
    std::vector<uint32_t> results(count);
    must(atoll_module_kernel(module.get(), "square", &kernel, &error), error);
    must(atoll_memory_alloc(device.get(), count * sizeof(uint32_t), &out, &error), error);
    atoll_launch_options launch{};
    launch.block[0] = count;
    launch.parameters = &out;
    launch.parameter_bytes = sizeof out;
    must(atoll_launch(kernel, &launch, nullptr, nullptr, &error), error);
    must(atoll_memory_read(device.get(), out, results.data(), count * sizeof(uint32_t), &error), error);
    return results;
}

int main()
{
    try {
        std::vector<uint32_t> results = run(8);
        for (uint32_t value : results)
            std::printf("%u ", static_cast<unsigned>(value));
        std::printf("\n");
        return results[7] == 49 ? 0 : 1;
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}

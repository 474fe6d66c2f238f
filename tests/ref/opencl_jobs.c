/* The jobs: kernels of tests/data/visa_ocl, their arguments and their references in C; see opencl.h. */
#include "opencl_refs.h"

#define BUFFER(filled, size)                                          \
    {                                                                 \
        .kind = OPENCL_BUFFER, .fill = FILL_##filled, .bytes = (size) \
    }
#define FLOATS(filled, size, t)                                                                                 \
    {                                                                                                           \
        .kind = OPENCL_BUFFER, .fill = FILL_##filled, .bytes = (size), .compare = SAME_FLOATS, .tolerance = (t) \
    }
#define HALVES(filled, size, t)                                                                                 \
    {                                                                                                           \
        .kind = OPENCL_BUFFER, .fill = FILL_##filled, .bytes = (size), .compare = SAME_HALVES, .tolerance = (t) \
    }
#define DOUBLES(filled, size, t)                                                                                 \
    {                                                                                                            \
        .kind = OPENCL_BUFFER, .fill = FILL_##filled, .bytes = (size), .compare = SAME_DOUBLES, .tolerance = (t) \
    }
#define LOOSE(filled, size)                                                                \
    {                                                                                      \
        .kind = OPENCL_BUFFER, .fill = FILL_##filled, .bytes = (size), .compare = SAME_NOT \
    }
#define U32(v)                                              \
    {                                                       \
        .kind = OPENCL_VALUE, .bytes = 4, .value.u = {(v) } \
    }
#define U8(v)                                               \
    {                                                       \
        .kind = OPENCL_VALUE, .bytes = 1, .value.u = {(v) } \
    }
#define F32(v)                                              \
    {                                                       \
        .kind = OPENCL_VALUE, .bytes = 4, .value.f = {(v) } \
    }
#define LOCAL(size)                           \
    {                                         \
        .kind = OPENCL_LOCAL, .bytes = (size) \
    }
#define SAMPLER(f, n, w)                                               \
    {                                                                  \
        .kind = OPENCL_SAMPLER, .width = (f) | (n) << 1, .height = (w) \
    }
#define IMAGE(filled, f, dim, w, h, d)                                                                          \
    {                                                                                                           \
        .kind = OPENCL_IMAGE, .fill = FILL_##filled, .format = (f), .dimension = ATOLL_DIM_##dim, .width = (w), \
        .height = (h), .depth = (d)                                                                             \
    }
#define FLOAT_IMAGE(filled, f, dim, w, h, d, t)                                                                 \
    {                                                                                                           \
        .kind = OPENCL_IMAGE, .fill = FILL_##filled, .format = (f), .dimension = ATOLL_DIM_##dim, .width = (w), \
        .height = (h), .depth = (d), .compare = SAME_FLOATS, .tolerance = (t)                                   \
    }

const struct opencl_job opencl_jobs[] = {
    {"01_hist_local",
     "hist",
     "",
     {128},
     {64},
     {BUFFER(WORDS, 1000), BUFFER(SMALL, 1024), U32(1000)},
     .reference = opencl_hist},
    {"02_image_copy",
     "imgscale",
     "",
     {40, 12},
     {8, 4},
     {IMAGE(FLOATS, "rgba32float", 2D, 37, 11, 1), FLOAT_IMAGE(ZERO, "rgba32float", 2D, 37, 11, 1, 0), F32(0.75f)},
     .reference = opencl_imgscale},
    {"02_image_copy",
     "imgscale",
     "",
     {64, 9},
     {16, 3},
     {IMAGE(WORDS, "rgba8unorm", 2D, 64, 9, 1), IMAGE(ZERO, "rgba8unorm", 2D, 64, 9, 1), F32(0.6f)},
     .reference = opencl_imgscale},
    {"04_reduce_float",
     "reduce",
     "",
     {256},
     {64},
     {FLOATS(FLOATS, 4 * 250, 0), FLOATS(ZERO, 16, 0), LOCAL(256), U32(250)},
     .reference = opencl_reduce},
    {"05_transpose",
     "transpose",
     "",
     {64, 48},
     {16, 16},
     {BUFFER(WORDS, 4 * 53 * 37), BUFFER(ZERO, 4 * 53 * 37), U32(53), U32(37)},
     .reference = opencl_transpose},
    {"07_atomics_all",
     "atoms",
     "",
     {96},
     {32},
     {LOOSE(SMALL, 4 * 112), LOOSE(SMALL, 4 * 112), LOOSE(FLOATS, 4 * 112), U32(200)},
     .check = opencl_atomics},
    {"09_divergent",
     "dv",
     "",
     {192},
     {48},
     {BUFFER(SMALL, 4 * 177), BUFFER(ZERO, 4 * 177), U32(177)},
     .reference = opencl_divergent},
    {"12_image_rw_uint3d",
     "irw",
     "-cl-std=CL2.0",
     {24, 8},
     {8, 8},
     {IMAGE(WORDS, "rgba32uint", 2D, 24, 8, 1), IMAGE(WORDS, "rgba32uint", 3D, 20, 7, 3),
      IMAGE(ZERO, "rgba32uint", 2D_ARRAY, 24, 8, 3), U32(2)},
     .reference = opencl_irw},
    {"13_subgroup",
     "sg",
     "",
     {64},
     {16},
     {BUFFER(SMALL, 256), BUFFER(ZERO, 256)},
     .reference = opencl_sg,
     .intel = true},
    {"15_typed_atomic_inline",
     "tat",
     "-cl-std=CL2.0",
     {32, 1},
     {16, 1},
     {IMAGE(SMALL, "r32uint", 2D, 150, 4, 1), BUFFER(ZERO, 128)},
     .reference = opencl_tat,
     .intel = true},
    {"conv3x3",
     "conv3x3",
     "",
     {48, 16},
     {16, 4},
     {IMAGE(FLOATS, "rgba32float", 2D, 37, 13, 1), FLOAT_IMAGE(ZERO, "rgba32float", 2D, 37, 13, 1, 1e-5),
      BUFFER(FLOATS, 36), F32(0.25f)},
     .reference = opencl_conv3x3},
    {"conv_border",
     "conv_border",
     "",
     {40, 12},
     {8, 4},
     {IMAGE(WORDS, "rgba8unorm", 2D, 40, 12, 1), FLOAT_IMAGE(ZERO, "rgba32float", 2D, 40, 12, 1, 1e-5),
      BUFFER(FLOATS, 36)},
     .reference = opencl_conv_border},
    {"matmul",
     "matmul",
     "",
     {48, 32},
     {16, 16},
     {FLOATS(FLOATS, 4 * 19 * 35, 0), FLOATS(FLOATS, 4 * 35 * 45, 0), FLOATS(ZERO, 4 * 19 * 45, 1e-4), U32(19), U32(45),
      U32(35)},
     .reference = opencl_matmul},
    {"math",
     "math",
     "",
     {64},
     {32},
     {BUFFER(FLOATS, 256), FLOATS(ZERO, 80 * 64, 1e-5), BUFFER(WORDS, 256), BUFFER(ZERO, 64 * 64)},
     .reference = opencl_math},
    {"half_int64",
     "half_int64",
     "",
     {64},
     {32},
     {BUFFER(HALVES, 128), HALVES(ZERO, 128, 1e-3), BUFFER(POWERS, 512), BUFFER(ZERO, 2048), BUFFER(POWERS, 512),
      BUFFER(ZERO, 2048)},
     .reference = opencl_half_int64,
     .intel = true},
    {"div64",
     "div64",
     "",
     {64},
     {32},
     {BUFFER(POWERS, 512), BUFFER(POWERS, 512), BUFFER(ZERO, 1024), BUFFER(ZERO, 1024)},
     .reference = opencl_div64},
    {"call", "call", "", {64}, {16}, {BUFFER(SMALL, 256), BUFFER(ZERO, 256), U32(61)}, .reference = opencl_call},
    {"callstack",
     "callstack",
     "",
     {64},
     {16},
     {BUFFER(WORDS, 1024), BUFFER(ZERO, 1024), BUFFER(SMALL, 32)},
     .reference = opencl_callstack},
    {"bytes",
     "bytes",
     "",
     {64},
     {32},
     {BUFFER(WORDS, 256), BUFFER(WORDS, 256), BUFFER(ZERO, 512), BUFFER(ZERO, 1024), BUFFER(WORDS, 1024), U8(7)},
     .reference = opencl_bytes},
    {"private",
     "private_array",
     "",
     {96},
     {32},
     {BUFFER(SMALL, 256), BUFFER(ZERO, 384), U32(50)},
     .reference = opencl_private_array},
    {"structs",
     "structs",
     "",
     {64},
     {16},
     {BUFFER(SMALL, 256),
      BUFFER(ZERO, 256),
      {.kind = OPENCL_VALUE,
       .bytes = 48,
       .value.u = {3, 0x40200000, 0x00050000 | 0xfff9, 0, 0x12345, 0, 0, 0, 7, 8, 9, 10}},
      LOCAL(64),
      LOCAL(64),
      U32(60)},
     .reference = opencl_structs},
    {"image3d",
     "image3d",
     "",
     {16, 8},
     {8, 4},
     {IMAGE(FLOATS, "rgba32float", 3D, 7, 5, 4), SAMPLER(1, 1, 0), FLOATS(ZERO, 2048, 0.02), F32(0.4f)},
     .reference = NULL},
    {"image3d",
     "image3d",
     "",
     {16, 8},
     {8, 4},
     {IMAGE(FLOATS, "rgba32float", 3D, 7, 5, 4), SAMPLER(0, 1, 2), FLOATS(ZERO, 2048, 0), F32(0.4f)},
     .reference = opencl_image3d_nearest},
    {"formats",
     "formats",
     "",
     {32, 8},
     {8, 4},
     {IMAGE(WORDS, "rgba16uint", 2D, 32, 8, 1), IMAGE(WORDS, "rgba8sint", 2D, 32, 8, 1),
      IMAGE(WORDS, "rgba8unorm", 1D, 32, 1, 1), IMAGE(WORDS, "rgba8uint", 2D_ARRAY, 32, 8, 2),
      IMAGE(ZERO, "rgba32uint", 2D, 32, 8, 1), FLOAT_IMAGE(ZERO, "rgba32float", 1D, 32, 1, 1, 1e-6), SAMPLER(0, 0, 2)},
     .reference = opencl_formats},
    {"workgroup",
     "workgroup",
     "-cl-std=CL2.0",
     {96},
     {48},
     {BUFFER(SMALL, 384), BUFFER(ZERO, 32 * 96)},
     .reference = opencl_workgroup},
    {"subgroup",
     "subgroup",
     "-cl-std=CL2.0",
     {64},
     {32},
     {BUFFER(SMALL, 256), BUFFER(ZERO, 2560)},
     .reference = opencl_subgroup,
     .intel = true},
    {"atomics64",
     "atomics64",
     "",
     {64},
     {32},
     {BUFFER(POWERS, 96), BUFFER(POWERS, 16), BUFFER(SMALL, 256), LOCAL(16)},
     .reference = opencl_atomics64},
    {"double",
     "doubles",
     "",
     {64},
     {32},
     {BUFFER(DOUBLES, 512), DOUBLES(ZERO, 48 * 64, 1e-15), BUFFER(WORDS, 256)},
     .reference = opencl_doubles},
    {"threads3", "threads3", "", {8, 4, 6}, {4, 2, 3}, {BUFFER(ZERO, 16 * 192)}, .reference = opencl_threads3},
};
const unsigned opencl_njobs = sizeof opencl_jobs / sizeof *opencl_jobs;

/* OpenCL kernels: what Atoll makes of the vISA that Intel's compiler made of them, against their source run by PoCL,
 * where it is installed. ATOLL_OPENCL_DIR: other kernels than those in data/visa_ocl; ATOLL_OPENCL_JOB: one of them. */
#define CL_TARGET_OPENCL_VERSION 120
#include "ref/opencl.h"

#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skip.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

struct platform {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static void must(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        fail_msg("OpenCL: %s: error %d", what, (int)status);
}

static bool find(struct platform *p)
{
    cl_platform_id list[16];
    cl_uint count = 0;
    cl_int status;
    if (clGetPlatformIDs(16, list, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[200] = "";
        clGetPlatformInfo(list[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!strstr(name, "Portable") || clGetDeviceIDs(list[i], CL_DEVICE_TYPE_CPU, 1, &p->device, NULL) != CL_SUCCESS)
            continue;
        p->context = clCreateContext(NULL, 1, &p->device, NULL, NULL, &status);
        must(status, "context");
        p->queue = clCreateCommandQueue(p->context, p->device, 0, &status);
        must(status, "queue");
        return true;
    }
    return false;
}

static const char *folder(void)
{
    const char *dir = getenv("ATOLL_OPENCL_DIR");
    return dir ? dir : DATA_DIR "/visa_ocl";
}

static cl_kernel build(struct platform *p, const struct opencl_job *job)
{
    char path[1024], options[200];
    static char text[65536];
    const char *texts[] = {text};
    cl_int status;
    snprintf(path, sizeof path, "%s/%s.cl", folder(), job->file);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    cl_program program = clCreateProgramWithSource(p->context, 1, texts, &size, &status);
    must(status, "program");
    snprintf(options, sizeof options, "-w %s", job->options);
    if (clBuildProgram(program, 1, &p->device, options, NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, p->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        print_message("  %s: PoCL does not take it: %.300s\n", job->file, log);
        return NULL;
    }
    cl_kernel kernel = clCreateKernel(program, job->kernel, &status);
    must(status, job->kernel);
    return kernel;
}

static const struct image_format {
    const char *name;
    cl_image_format format;
} formats[] = {
    {"rgba32float", {CL_RGBA, CL_FLOAT}},         {"rgba8unorm", {CL_RGBA, CL_UNORM_INT8}},
    {"rgba32uint", {CL_RGBA, CL_UNSIGNED_INT32}}, {"rgba16uint", {CL_RGBA, CL_UNSIGNED_INT16}},
    {"rgba8sint", {CL_RGBA, CL_SIGNED_INT8}},     {"rgba8uint", {CL_RGBA, CL_UNSIGNED_INT8}},
    {"r32uint", {CL_R, CL_UNSIGNED_INT32}},
};

static cl_mem image(struct platform *p, const struct opencl_arg *a, void *data)
{
    static const cl_mem_object_type types[] = {[ATOLL_DIM_1D] = CL_MEM_OBJECT_IMAGE1D,
                                               [ATOLL_DIM_2D] = CL_MEM_OBJECT_IMAGE2D,
                                               [ATOLL_DIM_2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                               [ATOLL_DIM_3D] = CL_MEM_OBJECT_IMAGE3D};
    cl_image_desc desc = {.image_type = types[a->dimension], .image_width = a->width, .image_height = a->height};
    if (a->dimension == ATOLL_DIM_3D)
        desc.image_depth = a->depth;
    if (a->dimension == ATOLL_DIM_2D_ARRAY)
        desc.image_array_size = a->depth;
    if (a->dimension == ATOLL_DIM_1D)
        desc.image_height = 0;
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, a->format) == 0) {
            cl_int status;
            cl_mem m = clCreateImage(p->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &formats[i].format, &desc,
                                     data, &status);
            must(status, "image");
            return m;
        }
    fail_msg("no format %s", a->format);
    return NULL;
}

static cl_sampler sampler(struct platform *p, const struct opencl_arg *a)
{
    cl_int status;
    cl_sampler s = clCreateSampler(p->context, a->width >> 1, a->height ? CL_ADDRESS_CLAMP_TO_EDGE : CL_ADDRESS_REPEAT,
                                   a->width & 1 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &status);
    must(status, "sampler");
    return s;
}

static cl_mem argument(struct platform *p, cl_kernel kernel, unsigned i, const struct opencl_arg *a, void *data)
{
    cl_int status = CL_SUCCESS;
    cl_mem m = NULL;
    if (a->kind == OPENCL_BUFFER) {
        m = clCreateBuffer(p->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, a->bytes, data, &status);
        must(status, "buffer");
    } else if (a->kind == OPENCL_IMAGE)
        m = image(p, a, data);
    if (m)
        status = clSetKernelArg(kernel, i, sizeof m, &m);
    else if (a->kind == OPENCL_SAMPLER) {
        cl_sampler s = sampler(p, a);
        status = clSetKernelArg(kernel, i, sizeof s, &s);
    } else
        status = clSetKernelArg(kernel, i, a->bytes, a->kind == OPENCL_LOCAL ? NULL : (const void *)a->value.u);
    must(status, "argument");
    return m;
}

static void fetch(struct platform *p, const struct opencl_arg *a, cl_mem m, void *data)
{
    size_t origin[3] = {0, 0, 0}, region[3] = {a->width, a->height ? a->height : 1, a->depth ? a->depth : 1};
    if (a->kind == OPENCL_BUFFER)
        must(clEnqueueReadBuffer(p->queue, m, CL_TRUE, 0, a->bytes, data, 0, NULL, NULL), "read");
    else
        must(clEnqueueReadImage(p->queue, m, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL), "read");
    clReleaseMemObject(m);
}

static bool run(struct platform *p, const struct opencl_job *job, void **data)
{
    cl_mem memory[OPENCL_ARGS] = {0};
    size_t global[3], local[3];
    cl_uint dimensions = 1;
    cl_kernel kernel = build(p, job);
    if (!kernel)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        global[i] = job->global[i] ? job->global[i] : 1;
        local[i] = job->local[i] ? job->local[i] : 1;
        if (job->global[i])
            dimensions = i + 1;
    }
    for (unsigned i = 0; i < OPENCL_ARGS && job->args[i].kind; i++)
        memory[i] = argument(p, kernel, i, &job->args[i], data[i]);
    must(clEnqueueNDRangeKernel(p->queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL), "launch");
    must(clFinish(p->queue), "finish");
    for (unsigned i = 0; i < OPENCL_ARGS; i++)
        if (memory[i])
            fetch(p, &job->args[i], memory[i], data[i]);
    clReleaseKernel(kernel);
    return true;
}

static void compare(struct platform *p, const struct opencl_job *job)
{
    static const char *const devices[] = {"skl", "tgllp", "acm-g10"};
    void *want[OPENCL_ARGS], *got[OPENCL_ARGS];
    opencl_data(job, want);
    bool wanted = run(p, job, want);
    for (unsigned i = 0; i < 3 && wanted; i++) {
        struct opencl_mode mode = {.device = devices[i], .threads = 1, .order = ATOLL_ORDER_DETERMINISTIC};
        if (getenv("ATOLL_OPENCL_DEVICE") && strcmp(getenv("ATOLL_OPENCL_DEVICE"), devices[i]) != 0)
            continue;
        opencl_data(job, got);
        if (opencl_atoll(job, &mode, folder(), got))
            opencl_same(job, devices[i], got, want);
        opencl_free(got);
    }
    opencl_free(want);
}

static void test_jobs(void **state)
{
    struct platform p = {0};
    const char *only = getenv("ATOLL_OPENCL_JOB");
    (void)state;
    if (SANITIZED)
        skip_because("drivers are opened in a way that sanitizers do not take");
    if (!find(&p))
        skip_because("no PoCL is installed");
    for (unsigned i = 0; i < opencl_njobs; i++)
        if (only ? strcmp(only, opencl_jobs[i].file) == 0 : !opencl_jobs[i].intel)
            compare(&p, &opencl_jobs[i]);
    clReleaseCommandQueue(p.queue);
    clReleaseContext(p.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The workloads on an OpenCL platform: the one whose name contains $ATOLL_BENCH_OPENCL, else the first.
 * Variants: "buffer" (usual), "image" (w1 w2 w2b). */
#define CL_TARGET_OPENCL_VERSION 120
#include "bench.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct bench_job *job;
    cl_context context;
    cl_command_queue queue;
    cl_device_id device;
    cl_kernel kernel;
    cl_mem in, out;
    bool image;
    cl_uint dimensions, argument;
    size_t global[2], local[2];
};

static bool ok(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        fprintf(stderr, "opencl: %s: error %d\n", what, (int)status);
    return status == CL_SUCCESS;
}

static cl_platform_id find_platform(void)
{
    const char *wanted = getenv("ATOLL_BENCH_OPENCL");
    cl_platform_id list[16];
    cl_uint count = 0;
    if (!ok(clGetPlatformIDs(16, list, &count), "platforms"))
        return NULL;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[200] = "";
        clGetPlatformInfo(list[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (wanted == NULL || strstr(name, wanted) != NULL)
            return list[i];
    }
    fprintf(stderr, "opencl: no platform '%s'\n", wanted != NULL ? wanted : "");
    return NULL;
}

static bool build(struct run *run)
{
    struct bench_job source = *run->job;
    char name[32];
    size_t size;
    cl_int status;
    source.work = "work";
    char *text = bench_read(&source, ".cl", &size);
    if (text == NULL)
        return false;
    const char *texts[] = {text};
    cl_program program = clCreateProgramWithSource(run->context, 1, texts, &size, &status);
    free(text);
    if (!ok(status, "program"))
        return false;
    if (!ok(clBuildProgram(program, 1, &run->device, "", NULL, NULL), "build"))
        return false;
    snprintf(name, sizeof name, "%s%s", run->job->work, run->image ? "i" : "");
    run->kernel = clCreateKernel(program, name, &status);
    return ok(status, name);
}

static cl_mem picture(struct run *run, cl_mem_flags flags, const void *texels)
{
    cl_int status;
    cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = run->job->size, .image_height = run->job->size};
    if (bench_is(run->job, "w2b"))
        format = (cl_image_format){CL_RGBA, CL_UNORM_INT8};
    cl_mem memory = clCreateImage(run->context, flags | (texels != NULL ? CL_MEM_COPY_HOST_PTR : 0u), &format, &desc,
                                  (void *)(uintptr_t)texels, &status);
    return ok(status, "image") ? memory : NULL;
}

static cl_mem buffer(struct run *run, const void *bytes, size_t size)
{
    cl_int status;
    cl_mem memory = clCreateBuffer(run->context, CL_MEM_READ_WRITE | (bytes != NULL ? CL_MEM_COPY_HOST_PTR : 0u), size,
                                   (void *)(uintptr_t)bytes, &status);
    return ok(status, "buffer") ? memory : NULL;
}

static void argument(struct run *run, const void *value, size_t size)
{
    ok(clSetKernelArg(run->kernel, run->argument++, size, value), "argument");
}

static bool memories(struct run *run)
{
    const struct bench_job *job = run->job;
    if (job->input != NULL) {
        run->in =
            run->image ? picture(run, CL_MEM_READ_ONLY, job->input) : buffer(run, job->input, job->input_words * 4);
        if (run->in == NULL)
            return false;
        argument(run, &run->in, sizeof run->in);
    }
    run->out = run->image ? picture(run, CL_MEM_WRITE_ONLY, NULL) : buffer(run, NULL, job->output_words * 4);
    if (run->out == NULL)
        return false;
    argument(run, &run->out, sizeof run->out);
    return true;
}

static void shape(struct run *run)
{
    const struct bench_job *job = run->job;
    cl_uint n = job->size, rounds = BENCH_ROUNDS, limit = BENCH_LIMIT;
    cl_float step = bench_step(job);
    bool square = bench_square(job);
    run->dimensions = square ? 2 : 1;
    run->local[0] = square ? 16 : bench_is(job, "w6") ? 128 : bench_is(job, "w0") ? 32 : 256;
    run->local[1] = 16;
    run->global[0] = run->global[1] = n;
    if (square) {
        argument(run, &n, sizeof n);
        argument(run, &n, sizeof n);
    }
    if (bench_is(job, "w8f")) {
        argument(run, &step, sizeof step);
        argument(run, &limit, sizeof limit);
    } else if (bench_is(job, "w5")) {
        run->global[0] = n / 16;
        argument(run, &n, sizeof n);
    } else if (bench_is(job, "w6")) {
        run->global[0] = (size_t)n * 128;
    } else if (bench_is(job, "w8")) {
        argument(run, &rounds, sizeof rounds);
    }
    for (int i = 0; i < 2; i++)
        run->global[i] = (run->global[i] + run->local[i] - 1) / run->local[i] * run->local[i];
}

static void opencl_reset(void *state)
{
    struct run *run = state;
    cl_uint zero = 0;
    ok(clEnqueueFillBuffer(run->queue, run->out, &zero, 4, 0, run->job->output_words * 4, 0, NULL, NULL), "fill");
    clFinish(run->queue);
}

static void *opencl_open(const struct bench_job *job)
{
    struct run *run = calloc(1, sizeof *run);
    cl_int status;
    cl_platform_id platform = find_platform();
    if (run == NULL || platform == NULL)
        return NULL;
    run->job = job;
    run->image = strcmp(job->variant, "image") == 0;
    if (!ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &run->device, NULL), "device"))
        return NULL;
    run->context = clCreateContext(NULL, 1, &run->device, NULL, NULL, &status);
    if (!ok(status, "context"))
        return NULL;
    run->queue = clCreateCommandQueue(run->context, run->device, 0, &status);
    if (!ok(status, "queue") || !build(run) || !memories(run))
        return NULL;
    shape(run);
    return run;
}

static bool opencl_run(void *state)
{
    struct run *run = state;
    return ok(clEnqueueNDRangeKernel(run->queue, run->kernel, run->dimensions, NULL, run->global, run->local, 0, NULL,
                                     NULL),
              "launch") &&
           ok(clFinish(run->queue), "finish");
}

static bool opencl_fetch(void *state, struct bench_job *job)
{
    struct run *run = state;
    if (!run->image)
        return ok(
            clEnqueueReadBuffer(run->queue, run->out, CL_TRUE, 0, job->output_words * 4, job->output, 0, NULL, NULL),
            "read");
    size_t origin[3] = {0, 0, 0}, region[3] = {job->size, job->size, 1};
    return ok(clEnqueueReadImage(run->queue, run->out, CL_TRUE, origin, region, 0, 0, job->output, 0, NULL, NULL),
              "read");
}

static void opencl_close(void *state)
{
    struct run *run = state;
    if (run->in != NULL)
        clReleaseMemObject(run->in);
    clReleaseMemObject(run->out);
    clReleaseKernel(run->kernel);
    clReleaseCommandQueue(run->queue);
    clReleaseContext(run->context);
    free(run);
}

const struct bench_executor *bench_program(void)
{
    static const struct bench_executor executor = {"opencl",   opencl_open,  opencl_reset,
                                                   opencl_run, opencl_fetch, opencl_close};
    return &executor;
}

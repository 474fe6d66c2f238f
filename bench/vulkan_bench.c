/* The workloads on the first Vulkan device (lavapipe: set VK_ICD_FILENAMES to its file). Storage images r32ui and rgba8
 * where the workload has surfaces, storage buffers elsewhere. Shaders: folder/<work>.spv, see vulkan/<work>.comp. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

/* A buffer or an image, with its memory. */
struct resource {
    VkBuffer buffer;
    VkImage image;
    VkImageView view;
    VkDeviceMemory memory;
    void *mapped; /* of a buffer */
};

struct push {
    int32_t width, height;
    float step;
    uint32_t limit;
};

struct run {
    const struct bench_job *job;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands, once;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    struct resource in, out, stage;
    bool pictures; /* the work has surfaces */
    uint32_t groups[2];
};

static bool ok(VkResult result, const char *what)
{
    if (result != VK_SUCCESS)
        fprintf(stderr, "vulkan: %s: error %d\n", what, (int)result);
    return result == VK_SUCCESS;
}

static bool start(struct run *run)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (!ok(vkCreateInstance(&create, NULL, &run->instance), "instance"))
        return false;
    uint32_t count = 1;
    VkResult found = vkEnumeratePhysicalDevices(run->instance, &count, &run->physical);
    if (count == 0 || (found != VK_INCOMPLETE && !ok(found, "devices")))
        return false;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    if (!ok(vkCreateDevice(run->physical, &device, NULL, &run->device), "device"))
        return false;
    vkGetDeviceQueue(run->device, 0, 0, &run->queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    if (!ok(vkCreateCommandPool(run->device, &pool, NULL, &run->pool), "pool"))
        return false;
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = run->pool, .commandBufferCount = 1};
    return ok(vkAllocateCommandBuffers(run->device, &allocate, &run->commands), "commands") &&
           ok(vkAllocateCommandBuffers(run->device, &allocate, &run->once), "commands");
}

static bool allocate(struct run *run, VkMemoryRequirements need, bool visible, VkDeviceMemory *memory)
{
    VkPhysicalDeviceMemoryProperties have;
    VkMemoryPropertyFlags want =
        visible ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT : 0;
    vkGetPhysicalDeviceMemoryProperties(run->physical, &have);
    for (uint32_t i = 0; i < have.memoryTypeCount; i++) {
        if ((need.memoryTypeBits >> i & 1) == 0 || (have.memoryTypes[i].propertyFlags & want) != want)
            continue;
        VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = i};
        return ok(vkAllocateMemory(run->device, &info, NULL, memory), "memory");
    }
    return false;
}

static bool make_buffer(struct run *run, size_t size, struct resource *to)
{
    VkMemoryRequirements need;
    VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                 .size = size,
                                 .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                          VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    if (!ok(vkCreateBuffer(run->device, &create, NULL, &to->buffer), "buffer"))
        return false;
    vkGetBufferMemoryRequirements(run->device, to->buffer, &need);
    return allocate(run, need, true, &to->memory) &&
           ok(vkBindBufferMemory(run->device, to->buffer, to->memory, 0), "bind") &&
           ok(vkMapMemory(run->device, to->memory, 0, size, 0, &to->mapped), "map");
}

static bool make_image(struct run *run, bool one_dimension, uint32_t width, uint32_t height, struct resource *to)
{
    VkMemoryRequirements need;
    bool channels = bench_is(run->job, "w2b") || bench_is(run->job, "w9");
    VkFormat format = channels ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R32_UINT;
    VkImageCreateInfo create = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                .imageType = one_dimension ? VK_IMAGE_TYPE_1D : VK_IMAGE_TYPE_2D,
                                .format = format,
                                .extent = {width, height, 1},
                                .mipLevels = 1,
                                .arrayLayers = 1,
                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                         VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    if (!ok(vkCreateImage(run->device, &create, NULL, &to->image), "image"))
        return false;
    vkGetImageMemoryRequirements(run->device, to->image, &need);
    if (!allocate(run, need, false, &to->memory) ||
        !ok(vkBindImageMemory(run->device, to->image, to->memory, 0), "bind"))
        return false;
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = to->image,
                                  .viewType = one_dimension ? VK_IMAGE_VIEW_TYPE_1D : VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    return ok(vkCreateImageView(run->device, &view, NULL, &to->view), "view");
}

static bool submit(struct run *run, VkCommandBuffer commands)
{
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    return ok(vkQueueSubmit(run->queue, 1, &info, VK_NULL_HANDLE), "submit") && ok(vkQueueWaitIdle(run->queue), "wait");
}

static void begin(VkCommandBuffer commands)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ok(vkBeginCommandBuffer(commands, &info), "begin");
}

/* Copies between the staging buffer and an image; `upload` also brings the image into the general layout. */
static bool copy(struct run *run, struct resource *image, uint32_t width, uint32_t height, bool upload)
{
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {width, height, 1}};
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = upload ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image->image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    begin(run->once);
    vkCmdPipelineBarrier(run->once, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
    if (upload)
        vkCmdCopyBufferToImage(run->once, run->stage.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    else
        vkCmdCopyImageToBuffer(run->once, image->image, VK_IMAGE_LAYOUT_GENERAL, run->stage.buffer, 1, &region);
    ok(vkEndCommandBuffer(run->once), "end");
    return submit(run, run->once);
}

static uint32_t out_width(const struct run *run)
{
    return bench_is(run->job, "w4") ? 256 : run->job->size;
}

static uint32_t out_height(const struct run *run)
{
    return bench_is(run->job, "w4") ? 1 : run->job->size;
}

static void vulkan_reset(void *state)
{
    struct run *run = state;
    size_t bytes = run->job->output_words * 4;
    memset(run->pictures ? run->stage.mapped : run->out.mapped, 0, bytes);
    if (run->pictures)
        copy(run, &run->out, out_width(run), out_height(run), true);
}

static bool memories(struct run *run)
{
    const struct bench_job *job = run->job;
    size_t most = job->input_words > job->output_words ? job->input_words : job->output_words;
    if (!run->pictures) {
        if (job->input != NULL && !make_buffer(run, job->input_words * 4, &run->in))
            return false;
        if (job->input != NULL)
            memcpy(run->in.mapped, job->input, job->input_words * 4);
        return make_buffer(run, job->output_words * 4, &run->out);
    }
    if (!make_buffer(run, most * 4, &run->stage) ||
        !make_image(run, bench_is(job, "w4"), out_width(run), out_height(run), &run->out))
        return false;
    if (job->input != NULL) {
        if (!make_image(run, false, job->size, job->size, &run->in))
            return false;
        memcpy(run->stage.mapped, job->input, job->input_words * 4);
        if (!copy(run, &run->in, job->size, job->size, true))
            return false;
    }
    vulkan_reset(run);
    return true;
}

static bool descriptors(struct run *run)
{
    VkDescriptorType type = run->pictures ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    VkDescriptorSetLayoutBinding bindings[2] = {{0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
                                                {1, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    VkDescriptorSetLayoutCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    VkDescriptorPoolSize size = {type, 2};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool descriptor_pool;
    if (!ok(vkCreateDescriptorSetLayout(run->device, &create, NULL, &run->set_layout), "set layout") ||
        !ok(vkCreateDescriptorPool(run->device, &pool, NULL, &descriptor_pool), "descriptor pool"))
        return false;
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = descriptor_pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &run->set_layout};
    if (!ok(vkAllocateDescriptorSets(run->device, &allocate, &run->set), "set"))
        return false;
    struct resource *resources[2] = {run->job->input != NULL ? &run->in : &run->out, &run->out};
    for (uint32_t i = 0; i < 2; i++) {
        VkDescriptorBufferInfo buffer = {resources[i]->buffer, 0, VK_WHOLE_SIZE};
        VkDescriptorImageInfo image = {VK_NULL_HANDLE, resources[i]->view, VK_IMAGE_LAYOUT_GENERAL};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = run->set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = type,
                                      .pImageInfo = &image,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(run->device, 1, &write, 0, NULL);
    }
    return true;
}

static bool pipeline(struct run *run)
{
    size_t size;
    char *code = bench_read(run->job, ".spv", &size);
    if (code == NULL)
        return false;
    VkShaderModuleCreateInfo shader = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                       .codeSize = size,
                                       .pCode = (const uint32_t *)(void *)code};
    VkShaderModule module;
    bool made = ok(vkCreateShaderModule(run->device, &shader, NULL, &module), "shader");
    free(code);
    VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct push)};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &run->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &push};
    if (!made || !ok(vkCreatePipelineLayout(run->device, &layout, NULL, &run->layout), "layout"))
        return false;
    VkComputePipelineCreateInfo create = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                          .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                    .module = module,
                                                    .pName = "main"},
                                          .layout = run->layout};
    return ok(vkCreateComputePipelines(run->device, VK_NULL_HANDLE, 1, &create, NULL, &run->pipeline), "pipeline");
}

/* Groups of the launch and the recorded commands. */
static bool record(struct run *run)
{
    const struct bench_job *job = run->job;
    struct push push = {(int32_t)job->size, (int32_t)job->size, bench_step(job),
                        bench_is(job, "w8") ? BENCH_ROUNDS : BENCH_LIMIT};
    run->groups[1] = 1;
    if (bench_square(job))
        run->groups[0] = run->groups[1] = (job->size + 15) / 16;
    else if (bench_is(job, "w6"))
        run->groups[0] = job->size;
    else if (bench_is(job, "w5"))
        run->groups[0] = (job->size + 4095) / 4096;
    else
        run->groups[0] = bench_is(job, "w0") ? (job->size + 31) / 32 : (job->size + 255) / 256;
    for (; run->groups[0] > 65535; run->groups[0] /= 2)
        run->groups[1] *= 2;
    begin(run->commands);
    vkCmdBindPipeline(run->commands, VK_PIPELINE_BIND_POINT_COMPUTE, run->pipeline);
    vkCmdBindDescriptorSets(run->commands, VK_PIPELINE_BIND_POINT_COMPUTE, run->layout, 0, 1, &run->set, 0, NULL);
    vkCmdPushConstants(run->commands, run->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(run->commands, run->groups[0], run->groups[1], 1);
    return ok(vkEndCommandBuffer(run->commands), "end");
}

static void *vulkan_open(const struct bench_job *job)
{
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->job = job;
    run->pictures = bench_surfaces(job);
    return start(run) && memories(run) && descriptors(run) && pipeline(run) && record(run) ? run : NULL;
}

static bool vulkan_run(void *state)
{
    struct run *run = state;
    return submit(run, run->commands);
}

static bool vulkan_fetch(void *state, struct bench_job *job)
{
    struct run *run = state;
    if (run->pictures && !copy(run, &run->out, out_width(run), out_height(run), false))
        return false;
    memcpy(job->output, run->pictures ? run->stage.mapped : run->out.mapped, job->output_words * 4);
    return true;
}

static void vulkan_close(void *state)
{
    struct run *run = state; /* the process ends next: only what holds threads is taken down */
    vkDeviceWaitIdle(run->device);
    free(run);
}

const struct bench_executor *bench_program(void)
{
    static const struct bench_executor executor = {"vulkan",   vulkan_open,  vulkan_reset,
                                                   vulkan_run, vulkan_fetch, vulkan_close};
    return &executor;
}

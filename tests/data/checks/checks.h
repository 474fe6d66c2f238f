/* What the kernels here need besides CUDA: accesses with an order, named barriers, fences of ways to memory. */
#pragma once

static __device__ inline void store_release(unsigned *to, unsigned value)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

static __device__ inline unsigned load_acquire(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

static __device__ inline unsigned load_acquire_block(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

static __device__ inline unsigned load_relaxed(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

static __device__ inline void bar_sync(unsigned id, unsigned threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

static __device__ inline void bar_arrive(unsigned id, unsigned threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

static __device__ inline void proxy_fence()
{
    asm volatile("fence.proxy.alias;" ::: "memory");
}

static __device__ inline void texel_add(cudaSurfaceObject_t s, int x, int y, unsigned value)
{
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(value) : "memory");
}

// Barrier objects in shared memory.
static __device__ inline unsigned object_address(const void *object)
{
    return (unsigned)__cvta_generic_to_shared(object);
}

static __device__ inline void object_init(unsigned long long *object, unsigned threads)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(object_address(object)), "r"(threads) : "memory");
}

static __device__ inline unsigned long long object_arrive(unsigned long long *object)
{
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(object_address(object)) : "memory");
    return state;
}

static __device__ inline void object_wait(unsigned long long *object, unsigned long long state)
{
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.test_wait.shared.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
                     object_address(object)),
                 "l"(state)
                 : "memory");
}

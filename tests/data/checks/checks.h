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

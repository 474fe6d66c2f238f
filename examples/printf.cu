/* What device code may call: printf, assert, malloc and free, recursion, function pointers.
 *
 *   hello      one line a thread
 *   types      one line with every kind of argument
 *   check      assert(values[i] < limit): the kernel stops when it does not hold
 *   lists      builds a linked list on the device heap, sums it up and frees it
 *   ackermann  recursion: out[i] = A(2, i)
 *   fibonacci  recursion with two calls: out[i] = F(i)
 *   dispatch   calls through a table of functions: out[i] = table[which[i]](in[i]) */

#include <assert.h>
#include <stdio.h>

extern "C" __global__ void hello(int number)
{
    printf("hello %d from thread %d of block %d\n", number, threadIdx.x, blockIdx.x);
}

extern "C" __global__ void types(int i, unsigned u, long long l, double d, const void *p)
{
    printf("%d %5d|%-5d|%05d %u %x %08X %o %lld %llx %c %s %% %f %.3f %10.2e %g %p\n", i, i, i, i, u, u, u, u, l, l,
           'A' + i % 26, "text", d, d, d, d, p);
}

extern "C" __global__ void check(const int *values, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(values[i] < limit);
}

struct node {
    node *next;
    unsigned value;
};

extern "C" __global__ void lists(unsigned *out, unsigned length)
{
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    node *head = nullptr;
    for (unsigned i = 0; i < length; i++) {
        node *n = (node *)malloc(sizeof(node));
        if (n == nullptr)
            break;
        n->next = head;
        n->value = id * 31 + i;
        head = n;
    }
    while (head != nullptr) {
        node *next = head->next;
        sum = sum * 7 + head->value;
        free(head);
        head = next;
    }
    out[id] = sum;
}

extern "C" __device__ __noinline__ unsigned ack(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ack(m - 1, 1);
    return ack(m - 1, ack(m, n - 1));
}

extern "C" __global__ void ackermann(unsigned *out)
{
    out[threadIdx.x] = ack(2, threadIdx.x);
}

extern "C" __device__ __noinline__ unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

extern "C" __global__ void fibonacci(unsigned *out)
{
    out[threadIdx.x] = fib(threadIdx.x);
}

extern "C" __device__ __noinline__ int negate(int x)
{
    return -x;
}

extern "C" __device__ __noinline__ int square(int x)
{
    return x * x;
}

extern "C" __device__ __noinline__ int bits(int x)
{
    return __popc(x);
}

extern "C" __device__ __noinline__ int collatz(int x)
{
    int steps = 0;
    for (unsigned n = (unsigned)x; n > 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

__device__ int (*const table[4])(int) = {negate, square, bits, collatz};

extern "C" __global__ void dispatch(const int *which, const int *in, int *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = table[which[i] & 3](in[i]);
}

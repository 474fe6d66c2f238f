/* Locks built from atomics, the classic test of how an executor treats diverging, waiting threads.
 *
 *   lock_spin    every thread takes a spin lock (atomicCAS), adds to *counter plainly, and releases it. The critical
 *                section lies inside the loop, so that it also ends on hardware without independent threads.
 *   lock_wait    the naive form: `while (atomicCAS(...));` and the critical section after the loop. It hangs on
 *                hardware where a warp's threads reconverge after the loop; it ends with independent threads.
 *   lock_ticket  a ticket lock: next = atomicAdd(ticket), wait until serving == next; one thread a warp competes
 *   lock_stack   pushes each thread's number on a linked stack with atomicCAS: head and links hold number + 1
 *   float_max    *most = max by a compare-and-swap loop on the bits of a float */

extern "C" __global__ void lock_spin(int *lock, volatile int *counter)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *counter = *counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void lock_wait(int *lock, volatile int *counter)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *counter = *counter + 1;
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void lock_ticket(unsigned *ticket, volatile unsigned *serving, volatile unsigned *log)
{
    if (threadIdx.x % 32 != 0)
        return;
    unsigned mine = atomicAdd(ticket, 1u);
    while (*serving != mine)
        ;
    __threadfence();
    log[mine] = mine == 0 ? 1 : 3 * log[mine - 1] + 1;
    __threadfence();
    *serving = mine + 1;
}

extern "C" __global__ void lock_stack(unsigned *head, unsigned *link)
{
    unsigned mine = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned old = *(volatile unsigned *)head, seen;
    do {
        seen = old;
        link[mine] = seen;
        __threadfence();
        old = atomicCAS(head, seen, mine + 1);
    } while (old != seen);
}

extern "C" __global__ void float_max(const float *in, int count, int *most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int old = *(volatile int *)most;
    while (__int_as_float(old) < in[i]) {
        int seen = old;
        old = atomicCAS(most, seen, __float_as_int(in[i]));
        if (old == seen)
            break;
    }
}

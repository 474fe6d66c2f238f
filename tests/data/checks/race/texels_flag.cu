// texels are handed to another block by a flag, without a fence of ways to memory
// wrong: missing-proxy-fence A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        surf2Dwrite(42u, s, 0, 0); //@A
        store_release(&a[0], 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && load_acquire(&a[0]))
        a[1] = surf2Dread<unsigned>(s, 0, 0); //@B
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        surf2Dwrite(42u, s, 0, 0);
        proxy_fence();
        store_release(&a[0], 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && load_acquire(&a[0])) {
        proxy_fence();
        a[1] = surf2Dread<unsigned>(s, 0, 0);
    }
}

// three blocks hand data on by flags, and the one between the others has no fence
// wrong: missing-fence A B
// grid: 3
// block: 1
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    volatile unsigned *flag = a;
    if (blockIdx.x == 0) {
        a[8] = 3; //@A
        __threadfence();
        flag[0] = 1;
    } else if (blockIdx.x == 1) {
        while (!flag[0])
            ;
        flag[1] = 1;
    } else {
        while (!flag[1])
            ;
        __threadfence();
        b[0] = a[8]; //@B
    }
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    volatile unsigned *flag = a;
    if (blockIdx.x == 0) {
        a[8] = 3;
        __threadfence();
        flag[0] = 1;
    } else if (blockIdx.x == 1) {
        while (!flag[0])
            ;
        __threadfence();
        flag[1] = 1;
    } else {
        while (!flag[1])
            ;
        __threadfence();
        b[0] = a[8];
    }
}

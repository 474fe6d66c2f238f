// groups of lanes with masks of their own at one instruction, one of which names a lane that does not come
// wrong: absent-lanes A B
#include "../checks.h"

extern "C" __global__ void wrong(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, v = a[lane], mask = lane < 8 ? 0x1ff : 0xfffffe00;
    if (lane != 8)
        v += __popc(__ballot_sync(mask, v < 3)); //@A
    __syncthreads(); //@B
    b[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void right(unsigned *a, unsigned *b, cudaSurfaceObject_t s)
{
    unsigned lane = threadIdx.x % 32, key = a[lane] + lane % 3, wanted = lane % 3 < 2 ? 11 : 10, bad = 0;
    unsigned peers = __match_any_sync(~0u, key);
    bad |= peers != 0x49249249u << lane % 3;
    bad |= __popc(peers) != wanted;
    bad |= __ballot_sync(peers, lane < 6) != (peers & 0x3f);
    bad |= __any_sync(peers, lane == 4) != (lane % 3 == 1);
    bad |= __all_sync(peers, lane % 3 == 0) != (lane % 3 == 0);
    bad |= __reduce_add_sync(peers, lane) != (lane % 3 == 0 ? 165 : lane % 3 == 1 ? 176 : 155);
    bad |= __match_any_sync(peers, lane < 16 ? 1 : 2) != (peers & (lane < 16 ? 0xffff : 0xffff0000));
    bad |= __shfl_sync(peers, lane, 27 + lane % 3) % 3 != lane % 3;
    b[blockIdx.x * 64 + threadIdx.x] = 1;
    if (bad)
        b[1u << 30] = bad;
}

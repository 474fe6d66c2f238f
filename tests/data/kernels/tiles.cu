/* Tiles of cooperative groups with more threads than a warp, whose counters lie in the shared memory that the system keeps
 * for itself on sm_80 and later. nvcc 13.0 -ptx -arch=sm_80 -std=c++17; its lines that tell of nvcc itself are left out. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

/* A word of the block's own, written on one side of a tile's barrier and read on the other; sums of 64 threads. */
extern "C" __global__ void tiles(const unsigned *in, unsigned *out)
{
    __shared__ cg::block_tile_memory<256> room;
    __shared__ unsigned own[256];
    cg::thread_block block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<64>(block);
    unsigned t = threadIdx.x;
    own[t] = in[t];
    tile.sync();
    unsigned v = own[t ^ 63];
    tile.sync();
    own[t] = v + 1;
    unsigned sum = cg::reduce(tile, v, cg::plus<unsigned>());
    out[blockIdx.x * 256 + t] = sum * 1000 + tile.thread_rank() + (own[t] - v - 1);
}

/* Sizes and places of shared memory. */
extern "C" __global__ void sizes(const unsigned *in, unsigned *out)
{
    __shared__ unsigned own[64];
    own[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(out[0]));
    asm volatile("mov.u32 %0, %%aggr_smem_size;" : "=r"(out[1]));
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(out[2]));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_begin;" : "=r"(out[3]));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_end;" : "=r"(out[4]));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_cap;" : "=r"(out[5]));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_0;" : "=r"(out[6]));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(out[7]));
    out[8] = (unsigned)__cvta_generic_to_shared(own);
    out[9] = own[threadIdx.x ^ 1];
}

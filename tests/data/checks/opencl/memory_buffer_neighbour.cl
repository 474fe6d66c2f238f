// memory/buffer_neighbour.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    a[(size_t)i * 4 + 4096 * 5] = i;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[(size_t)i * 4] = i;
}

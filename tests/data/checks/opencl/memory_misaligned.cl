// memory/misaligned.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[i] = *(const global uint *)((const global char *)a + i);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[i] = *(const global uint *)((const global char *)a + i / 4 * 4);
}

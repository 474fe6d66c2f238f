// memory/variable_past_end.cu
// arguments: zeros zeros
constant uint table[64] = {1}, other[4096] = {2};

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[i] = table[t + 64];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    b[i] = table[t];
}

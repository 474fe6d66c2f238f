// init/out_parameter.cu
// arguments: zeros zeros
__attribute__((noinline)) static void find(const global uint *a, uint what, uint *place)
{
    for (uint i = 1; i < 8; i++)
        if (a[i] == what + 1)
            *place = i;
}

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint place;
    find(a, t, &place);
    uint it = place;
    b[i] = it + 1;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint place = 0;
    find(a, t, &place);
    uint it = place;
    b[i] = it + 1;
}

// init/local.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint list[16], n = a[t] + 4;
    for (uint k = 0; k < n; k++)
        list[(k * 5 + a[k]) % 16] = k;
    uint last = list[(n + a[0]) % 16];
    b[i] = last * 3 + 1;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    uint list[16], n = a[t] + 4;
    for (uint k = 0; k < 16; k++)
        list[(k * 5 + a[k]) % 16] = k;
    uint last = list[(n + a[0]) % 16];
    b[i] = last * 3 + 1;
}

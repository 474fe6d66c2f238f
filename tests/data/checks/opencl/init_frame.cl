// init/frame.cu
// arguments: zeros zeros
__attribute__((noinline)) static void fill(uint with, global uint *a)
{
    volatile uint list[8];
    for (uint i = 0; i < 8; i++)
        list[(i + a[i]) % 8] = with;
    a[128 + get_global_id(0)] = list[(with + a[0]) % 8];
}

__attribute__((noinline)) static uint sum(uint n, const global uint *a, uint filled)
{
    volatile uint list[8];
    uint all = 0;
    for (uint i = 0; i < filled; i++)
        list[(i + a[i]) % 8] = i;
    for (uint i = 0; i < n; i++) {
        uint one = list[i];
        all += one;
    }
    return all;
}

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    fill(t, a);
    b[i] = sum(4 + a[t], a, 3);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    fill(t, a);
    b[i] = sum(4 + a[t], a, 4);
}

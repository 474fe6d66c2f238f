#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void atomics64(global ulong *p, global long *q, global const uint *a, local int *t)
{
    int g = get_global_id(0), l = get_local_id(0);
    ulong x = (ulong)a[g] << 20 | g;
    atom_add(p, x);
    atom_max(p + 1, x);
    atom_min(p + 2, x);
    atom_xor(p + 3, x);
    atom_or(p + 4, x);
    atom_and(p + 5, ~x);
    atom_min(q, (long)(x << 30));
    atom_max(q + 1, -(long)x);
    atom_inc(p + 6);
    if (l < 4)
        t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(t, 2);
    atomic_max(t + 1, (int)a[g]);
    atomic_xor(t + 2, g);
    atomic_dec(t + 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        atom_add(p + 8 + l, (ulong)(long)t[l]);
}

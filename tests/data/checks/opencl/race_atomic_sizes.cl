// race/atomic_sizes.cu
// arguments: zeros zeros
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    if (get_group_id(0) == 0)
        atomic_inc(&a[0]);
    else
        atom_add((volatile global ulong *)a, 1ul);
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    atom_add((volatile global ulong *)a, 1ul);
}

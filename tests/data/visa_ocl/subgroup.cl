#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
__attribute__((intel_reqd_sub_group_size(16)))
kernel void subgroup(global const uint *a, global uint *b)
{
    uint g = get_global_id(0), x = a[g], l = get_sub_group_local_id();
    global uint *o = b + 10 * g;
    o[0] = sub_group_reduce_add(x);
    o[1] = sub_group_scan_inclusive_max(x);
    o[2] = sub_group_broadcast(x, 5);
    o[3] = intel_sub_group_shuffle(x, l ^ 3);
    o[4] = intel_sub_group_shuffle_down(x, x + 1, 2);
    o[5] = intel_sub_group_shuffle_up(x, x + 1, 1);
    o[6] = intel_sub_group_shuffle_xor(x, 9);
    o[7] = sub_group_scan_exclusive_add(x);
    o[8] = sub_group_any(x == 7) + 2 * sub_group_all(x < 1000);
    if (x & 1)
        o[9] = sub_group_reduce_min(x);
    else
        o[9] = l;
}

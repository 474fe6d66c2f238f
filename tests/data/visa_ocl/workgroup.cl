// functions of a whole group and of subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void workgroup(global const int *a, global int *b)
{
    int g = get_global_id(0), x = a[g];
    global int *o = b + 8 * g;
    o[0] = work_group_reduce_add(x);
    o[1] = work_group_scan_inclusive_max(x);
    o[2] = work_group_broadcast(x, 3);
    o[3] = work_group_any(x > 90);
    o[4] = work_group_all(x > 1);
    o[5] = work_group_scan_exclusive_add(x);
    o[6] = get_local_id(0);
    o[7] = get_group_id(0) * 100 + get_num_groups(0);
}

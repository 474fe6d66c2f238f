// three dimensions, all ids and sizes
__attribute__((reqd_work_group_size(4, 2, 3)))
kernel void threads3(global uint *o)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    o[4 * i] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2);
    o[4 * i + 1] = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2);
    o[4 * i + 2] = get_num_groups(0) + 10 * get_num_groups(1) + 100 * get_num_groups(2);
    o[4 * i + 3] = get_work_dim() + 10 * get_local_size(1);
}

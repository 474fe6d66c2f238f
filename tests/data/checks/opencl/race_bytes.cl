// race/bytes.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    global uchar *bytes = (global uchar *)a;
    if (t == 0)
        bytes[4 * get_group_id(0) + 1] = 1;
    if (t == 32)
        *(global ushort *)&bytes[4 * get_group_id(0)] = 2;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    global uchar *bytes = (global uchar *)a;
    bytes[64 * get_group_id(0) + t] = t;
}

// value/index.cu
// arguments: zeros zeros
// the overflow is put right again, so that no access leaves its buffer

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int row = (int)(a[t] + 50000), columns = 90000;
    const global uchar *from = (const global uchar *)a;
    int at = row * columns;
    b[i] = from[(long)at + 4294967296l - 4500000000l];
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    int row = (int)(a[t] + 50000), columns = 90000;
    const global uchar *from = (const global uchar *)a;
    long at = (long)row * columns;
    b[i] = from[at - 4500000000l];
}

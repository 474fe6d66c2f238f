// init/printed.cu
// arguments: zeros zeros

struct sample {
    uint count, sum;
    float mean;
};

void look(struct sample *s, global const uint *a, uint t, int all)
{
    s->count = t;
    s->sum = a[t];
    if (all)
        s->mean = (float)s->sum;
}

kernel void wrong(global uint *a, global uint *b)
{
    struct sample it;
    look(&it, a, get_local_id(0), 0);
    if (get_local_id(0) == 3)
        printf("%u %u %f\n", it.count, it.sum, it.mean);
    b[get_local_id(0)] = it.sum;
}

kernel void right(global uint *a, global uint *b)
{
    struct sample it;
    look(&it, a, get_local_id(0), 1);
    if (get_local_id(0) == 3)
        printf("%u %u %f\n", it.count, it.sum, it.mean);
    b[get_local_id(0)] = it.sum;
}

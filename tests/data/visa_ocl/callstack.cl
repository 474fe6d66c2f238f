// functions that call others and have arrays and pointers
__attribute__((noinline)) void step(int *p, int n)
{
    for (int i = 1; i < n; i++)
        p[i] += p[i - 1];
}
__attribute__((noinline)) int4 mixed(int4 v, global const int *t)
{
    int w[8];
    for (int i = 0; i < 8; i++)
        w[i] = t[i] + v.x;
    step(w, 8);
    step(w, (v.y & 3) + 2);
    return (int4)(w[7], w[v.z & 7], w[1], v.w);
}
kernel void callstack(global const int4 *a, global int4 *b, global const int *t)
{
    int g = get_global_id(0);
    b[g] = mixed(a[g], t);
}

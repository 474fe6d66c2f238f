// a function that stays one
__attribute__((noinline)) int weigh(int x, int n)
{
    int s = 0;
    while (x > 0) {
        s += x % n;
        x /= n;
    }
    return s;
}
kernel void call(global const int *a, global int *b, int n)
{
    int g = get_global_id(0);
    if (g < n) {
        int s = weigh(a[g], 7);
        if (s & 1)
            s += weigh(a[g] + g, 3);
        b[g] = s;
    }
}

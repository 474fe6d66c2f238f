#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void doubles(global const double *a, global double *b, global const int *c)
{
    int g = get_global_id(0);
    double x = a[g];
    b[6 * g] = x * x + 1.0;
    b[6 * g + 1] = x / 3.0;
    b[6 * g + 2] = sqrt(fabs(x));
    b[6 * g + 3] = (double)c[g] - floor(x);
    b[6 * g + 4] = x > 0 ? (double)(long)(x * 1000) : (double)(float)x;
    b[6 * g + 5] = fma(x, 2.0, (double)c[g]);
}

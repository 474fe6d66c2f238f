/* Counts placements of queens with a stack in local memory. */
extern "C" __global__ void queens_stack(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = i % n, b = i / n % n, c = i / n / n;
    unsigned all = (1u << n) - 1, A = 1u << a, B = 1u << b, C = 1u << c;
    if (i >= n * n * n) return;
    unsigned cols[16], l[16], r[16], fr[16]; int res = 0;
    unsigned L = A << 1, R = A >> 1, k = A;
    if (!((k | L | R) & B)) { k |= B; L = (L | B) << 1; R = (R | B) >> 1;
        if (!((k | L | R) & C)) { k |= C; L = (L | C) << 1; R = (R | C) >> 1;
            int d = 0; cols[0] = k; l[0] = L; r[0] = R; fr[0] = all & ~(k | L | R);
            while (d >= 0) {
                if (!fr[d]) { d--; continue; }
                unsigned bit = fr[d] & -fr[d]; fr[d] ^= bit;
                unsigned nc = cols[d] | bit;
                if (nc == all) { res++; continue; }
                unsigned nl = (l[d] | bit) << 1, nr = (r[d] | bit) >> 1; d++;
                cols[d] = nc; l[d] = nl; r[d] = nr; fr[d] = all & ~(nc | nl | nr);
            } } }
    out[i] = res;
}

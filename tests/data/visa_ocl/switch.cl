kernel void branches(global const int *a, global int *b, int n)
{
    int g = get_global_id(0), x = a[g], s = 0;
    for (int i = 0; i < n + (g & 7); i++) {
        switch ((x + i) % 12) {
        case 0: s += 3; break; case 1: s ^= x; break; case 2: s -= i; case 3: s *= 3; break; case 4: if (s > 100) goto out; break;
        case 5: s += g; continue; case 6: s = ~s; break; case 7: s <<= 1; break; case 8: s |= 5; break; case 9: s &= 0xffff; break; default: s++;
        }
        for (int k = i; k > 0; k >>= 1) { if (k == 3) break; s += k & x; }
    }
out:
    b[g] = s;
}

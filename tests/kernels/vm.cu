/* Each thread runs the same bytecode with its own data. */
extern "C" __global__ void vm(const unsigned char *code, const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int st[16], sp = 0, r[4] = {in[i], i, 0, 0}, pc = 0;
    for (;;) {
        unsigned char op = code[pc++], a;
        switch (op) {
        case 0: out[i] = r[0]; return;
        case 1: st[sp++] = r[code[pc++]]; break;
        case 2: r[code[pc++]] = st[--sp]; break;
        case 3: st[sp++] = (signed char)code[pc++]; break;
        case 4: sp--; st[sp - 1] += st[sp]; break;
        case 5: sp--; st[sp - 1] -= st[sp]; break;
        case 6: sp--; st[sp - 1] *= st[sp]; break;
        case 7: sp--; st[sp - 1] ^= st[sp]; break;
        case 8: sp--; st[sp - 1] &= st[sp]; break;
        case 9: sp--; st[sp - 1] = (unsigned)st[sp - 1] >> (st[sp] & 31); break;
        case 10: a = code[pc++]; if (st[--sp] != 0) pc = a; break;
        case 11: a = code[pc++]; if (st[--sp] < 0) pc = a; break;
        case 12: pc = code[pc]; break;
        case 13: st[sp] = st[sp - 1]; sp++; break;
        case 14: { int t = st[sp - 1]; st[sp - 1] = st[sp - 2]; st[sp - 2] = t; break; }
        case 15: st[sp - 1] = ~st[sp - 1]; break;
        default: out[i] = -1; return;
        }
    }
}

kernel void private_large(global const uint *a, global uint *b, uint n)
{
    uint g = get_global_id(0);
    uint t[200];
    for (uint i = 0; i < 200; i++) t[i] = i * 7 + g;
    for (uint i = 0; i < n; i++) { uint j = a[(g * 3 + i) % 64] % 200; t[j] ^= t[(j * 5 + i) % 200] + i; }
    uint s = 0;
    for (uint i = 0; i < 200; i += 3) s = s * 31 + t[i];
    b[g] = s;
}

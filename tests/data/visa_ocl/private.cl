// an array of each work item, indexed by data
kernel void private_array(global const uint *a, global uint *b, uint n)
{
    uint g = get_global_id(0), t[32];
    for (uint i = 0; i < 32; i++)
        t[i] = i * g;
    for (uint i = 0; i < n; i++) {
        uint j = a[(g + i) % 64] & 31;
        t[j] = t[(j + i) & 31] * 3 + i;
    }
    uint s = 0;
    for (uint i = 0; i < 32; i++)
        s = s * 31 + t[i];
    b[g] = s;
}

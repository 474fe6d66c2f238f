#version 450
layout(local_size_x = 128) in;
layout(std430, binding = 1) buffer Out { uint sums[]; };
shared uint words[32];
void main()
{
    uint rank = gl_LocalInvocationID.x;
    if (rank < 32u)
        words[rank] = 0u;
    barrier();
    for (uint i = 0u; i < 64u; i++) {
        uint word = ((rank >> 2) + i) & 31u, old = words[word], seen;
        do {
            seen = old;
            old = atomicCompSwap(words[word], seen, seen + 1u);
        } while (old != seen);
    }
    barrier();
    if (rank < 32u)
        sums[gl_WorkGroupID.x * 32u + rank] = words[rank];
}

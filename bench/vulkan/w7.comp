#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uint values[]; };
layout(std430, binding = 1) buffer Out { uint result[]; };
shared uint sums[256];
void main()
{
    uint rank = gl_LocalInvocationID.x;
    uint block = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; /* a dimension has at most 65535 */
    sums[rank] = values[block * 256u + rank];
    barrier();
    for (uint distance = 128u; distance > 0u; distance >>= 1) {
        if (rank < distance)
            sums[rank] += sums[rank + distance];
        barrier();
    }
    if (rank == 0u)
        result[block] = sums[0];
}

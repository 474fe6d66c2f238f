#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uint pixels[]; };
layout(std430, binding = 1) buffer Out { uint bins[]; };
layout(push_constant) uniform Push { int width; int height; float step_size; uint limit; };
shared uint words[256];
void main()
{
    uint rank = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 4096u + rank;
    words[rank] = 0u;
    barrier();
    for (uint i = 0u; i < 4096u; i += 256u)
        if (first + i < uint(width))
            atomicAdd(words[pixels[first + i] >> 16 & 255u], 1u);
    barrier();
    atomicAdd(bins[rank], words[rank]);
}

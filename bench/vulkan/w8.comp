#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 1) buffer Out { uint result[]; };
layout(push_constant) uniform Push { int width; int height; float step_size; uint limit; };
void main()
{
    uint x = gl_GlobalInvocationID.x + 1u;
    for (uint i = 0u; i < limit; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x = x * 1664525u + 1013904223u;
    }
    result[gl_GlobalInvocationID.x] = x;
}

#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 1) buffer Out { uint result[]; };
void main()
{
    result[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x;
}

#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, r32ui) uniform readonly uimage2D src;
layout(binding = 1, r32ui) uniform writeonly uimage2D dst;
layout(push_constant) uniform Push { int width; int height; float step_size; uint limit; };
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), last = ivec2(width, height) - 1;
    if (at.x >= width || at.y >= height)
        return;
    uint sum = 0u;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += imageLoad(src, clamp(at + ivec2(i, j), ivec2(0), last)).x;
    imageStore(dst, at, uvec4(sum / 9u));
}

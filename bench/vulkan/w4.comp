#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, r32ui) uniform readonly uimage2D src;
layout(binding = 1, r32ui) uniform uimage1D bins;
layout(push_constant) uniform Push { int width; int height; float step_size; uint limit; };
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x < width && at.y < height)
        imageAtomicAdd(bins, int(imageLoad(src, at).x >> 16 & 255u), 1u);
}

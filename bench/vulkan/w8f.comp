#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 1) buffer Out { uint counts[]; };
layout(push_constant) uniform Push { int width; int height; float step_size; uint limit; };
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x >= width || at.y >= height)
        return;
    float cx = -2.25 + step_size * float(at.x), cy = -1.5 + step_size * float(at.y);
    float x = 0, y = 0, xx = 0, yy = 0;
    uint i = 0u;
    while (i < limit && xx + yy <= 4.0) {
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        i++;
    }
    counts[at.y * width + at.x] = i;
}

// init/vector.cu
// arguments: zeros zeros

kernel void wrong(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local float4 points[64];
    points[t].x = a[t];
    points[t].y = t;
    points[t].z = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 point = points[t ^ 1];
    ((global float *)b)[i] = point.x + point.y * point.w;
}

kernel void right(global uint *a, global uint *b)
{
    uint t = get_local_id(0), i = get_global_id(0);
    local float4 points[64];
    points[t].x = a[t];
    points[t].y = t;
    points[t].z = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 point = points[t ^ 1];
    ((global float *)b)[i] = point.x + point.y * point.z;
}

#version 450
// One vertex: its place in the plane from one buffer, its height from another.

layout(set = 0, binding = 0) uniform Frame {
    mat4 model_view_projection;
    vec4 color;
    vec4 point_size;
} frame;

layout(location = 0) in vec2 place;
layout(location = 1) in float height;

layout(location = 0) out vec4 color;

void main() {
    gl_Position = frame.model_view_projection * vec4(place.x, height, place.y, 1.0);
    gl_PointSize = frame.point_size.x;
    color = frame.color;
}

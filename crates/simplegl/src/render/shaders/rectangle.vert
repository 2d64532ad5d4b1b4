// A rectangle in physical pixels, lower left corner first.

uniform ivec2 origin;
uniform ivec2 extent;
uniform ivec2 framebuffer;

void main() {
    ivec2 corner = ivec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 pixel = vec2(origin + corner * extent);
    gl_Position = vec4(pixel / vec2(framebuffer) * 2.0 - 1.0, 0.0, 1.0);
}

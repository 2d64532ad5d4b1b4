// A picture, one texel a pixel.

uniform ivec2 origin;
uniform ivec2 extent;
uniform sampler2D picture;

out vec4 color;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) - origin;
#ifdef TOP_FIRST
    at.y = extent.y - 1 - at.y;
#endif
    color = texelFetch(picture, at, 0);
}

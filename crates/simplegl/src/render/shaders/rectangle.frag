// A picture, one texel a pixel.

#ifdef TOP_FIRST
uniform ivec2 origin;
uniform ivec2 extent;
#endif
uniform sampler2D picture;

out vec4 color;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
#ifdef TOP_FIRST
    at -= origin;
    at.y = extent.y - 1 - at.y;
#endif
    color = texelFetch(picture, at, 0);
}

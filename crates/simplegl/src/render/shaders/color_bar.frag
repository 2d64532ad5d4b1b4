// The colour bar's picture, one texel a pixel. Row 0 of the picture is its top.

uniform ivec2 origin;
uniform ivec2 extent;
uniform sampler2D picture;

out vec4 color;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) - origin;
    color = texelFetch(picture, ivec2(at.x, extent.y - 1 - at.y), 0);
}

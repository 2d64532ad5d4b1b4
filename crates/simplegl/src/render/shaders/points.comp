// Points of one pixel in one colour, without the raster units: one invocation a vertex, which stores the colour where the
// vertex lands. All have one colour, so neither order nor depth decides anything. The arithmetic is that of the raster
// kernels (`PointView::project`), which follows this OpenGL's own rounding.
layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Mesh { vec4 vertices[]; };
layout(rgba8, binding = 0) writeonly uniform image2D picture;

uniform uint count;
// The rows of projection times view.
uniform vec4 clip_x, clip_y, clip_z, clip_w;
// In sub-pixels: half the picture's size, and what its middle rounds down from.
uniform vec2 half_extent;
uniform vec2 middle;
uniform int subpixel_bits;
uniform vec3 solid_color;

float across(vec4 row, vec4 at) {
    precise float sum = fma(row.z, at.z, fma(row.y, at.y, fma(row.x, at.x, row.w * at.w)));
    return sum;
}

void main() {
    uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (index >= count) {
        return;
    }
    vec4 at = vertices[index];
    vec4 clip = vec4(across(clip_x, at), across(clip_y, at), across(clip_z, at), across(clip_w, at));
    precise float inverse_w = 1.0 / clip.w;
    precise vec2 place = fma(clip.xy * inverse_w, half_extent, middle);
    // Written so that a NaN anywhere is out of sight.
    bool seen = clip.w > 0.0 && abs(clip.z) <= clip.w
        && all(greaterThanEqual(place, vec2(0.0))) && all(lessThan(place, 2.0 * half_extent));
    if (seen) {
        imageStore(picture, ivec2(place) >> subpixel_bits, vec4(solid_color, 1.0));
    }
}

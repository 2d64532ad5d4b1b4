// Texels from a buffer into a texture. As integers, since arithmetic on numbers may lose the smallest ones.
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Texels { uvec4 texels[]; };
layout(rgba32ui, binding = 0) writeonly uniform uimage2D picture;

void main() {
    ivec2 size = imageSize(picture);
    int index = int(gl_GlobalInvocationID.x);
    if (index < size.x * size.y) {
        imageStore(picture, ivec2(index % size.x, index / size.x), texels[index]);
    }
}

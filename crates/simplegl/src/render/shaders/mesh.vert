// One vertex of the mesh. POINTS takes it as an attribute; WIREFRAME and SURFACE take it from a buffer texture over the
// same buffer, so that rows, columns and triangle strips need no index buffer at any mesh size. PLAIN is points of one
// pixel in one colour, which hand nothing on.

uniform mat4 view;
uniform mat4 projection;
uniform ivec2 mesh_size;

#ifdef POINTS
layout(location = 0) in vec4 position;
uniform float point_size;
#else
uniform samplerBuffer mesh;
#endif
#ifdef WIREFRAME
uniform bool by_column;
#endif

#ifndef PLAIN
out vec2 uv;
out float height;
#endif
#ifdef SURFACE
out vec3 eye_position;
out vec3 eye_normal;

vec3 at(ivec2 cell) {
    cell = clamp(cell, ivec2(0), mesh_size - 1);
    return texelFetch(mesh, cell.y * mesh_size.x + cell.x).xyz;
}
#endif

void main() {
#if defined(PLAIN)
    gl_Position = projection * (view * position);
#else
#if defined(POINTS)
    ivec2 cell = ivec2(gl_VertexID % mesh_size.x, gl_VertexID / mesh_size.x);
    gl_PointSize = point_size;
#elif defined(WIREFRAME)
    ivec2 cell = by_column ? ivec2(gl_InstanceID, gl_VertexID) : ivec2(gl_VertexID, gl_InstanceID);
#else
    ivec2 cell = ivec2(gl_VertexID >> 1, gl_InstanceID + (gl_VertexID & 1));
#endif
#ifndef POINTS
    vec4 position = texelFetch(mesh, cell.y * mesh_size.x + cell.x);
#endif
    vec4 eye = view * position;
    gl_Position = projection * eye;
    uv = vec2(cell) / vec2(max(mesh_size - 1, ivec2(1)));
    height = position.y;
#ifdef SURFACE
    vec3 along_row = at(cell + ivec2(1, 0)) - at(cell - ivec2(1, 0));
    vec3 along_column = at(cell + ivec2(0, 1)) - at(cell - ivec2(0, 1));
    eye_position = eye.xyz;
    eye_normal = mat3(view) * cross(along_column, along_row);
#endif
#endif
}

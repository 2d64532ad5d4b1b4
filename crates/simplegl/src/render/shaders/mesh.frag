// The colour of a fragment: solid, by height, or from the painted texture; SURFACE adds light.

const int SOLID = 0;
const int HEIGHT = 1;

uniform int color_mode;
uniform vec3 solid_color;
uniform sampler2D color_maps;
uniform float color_map_row;
uniform float inverse_amplitude;
uniform sampler2D painted;

#ifndef PLAIN
in vec2 uv;
in float height;
#endif
#ifdef SURFACE
in vec3 eye_position;
in vec3 eye_normal;
uniform bool orthographic;
#endif

out vec4 color;

vec3 base_color() {
#ifdef PLAIN
    return vec3(COLOR);
#else
    if (color_mode == SOLID) {
        return solid_color;
    }
    if (color_mode == HEIGHT) {
        float t = clamp(0.5 * height * inverse_amplitude + 0.5, 0.0, 1.0);
        float columns = float(textureSize(color_maps, 0).x);
        return texture(color_maps, vec2((t * (columns - 1.0) + 0.5) / columns, color_map_row)).rgb;
    }
    return clamp(texture(painted, uv).rgb, 0.0, 1.0);
#endif
}

#ifdef SURFACE
// A lamp above the viewer's left shoulder, in eye space; both sides of the surface are lit.
const vec3 LAMP = vec3(-0.35, 0.65, 0.675);
const float AMBIENT = 0.28;
const float DIFFUSE = 0.72;
const float SPECULAR = 0.18;
const float SHININESS = 40.0;

vec3 lit(vec3 srgb) {
    vec3 to_viewer = orthographic ? vec3(0.0, 0.0, 1.0) : normalize(-eye_position);
    vec3 normal = normalize(eye_normal);
    normal = dot(normal, to_viewer) < 0.0 ? -normal : normal;
    vec3 lamp = normalize(LAMP);
    float diffuse = max(dot(normal, lamp), 0.0);
    float specular = diffuse > 0.0 ? pow(max(dot(normal, normalize(lamp + to_viewer)), 0.0), SHININESS) : 0.0;
    vec3 linear = pow(srgb, vec3(2.2)) * (AMBIENT + DIFFUSE * diffuse) + SPECULAR * specular;
    return pow(clamp(linear, 0.0, 1.0), vec3(1.0 / 2.2));
}
#endif

void main() {
#ifdef ROUND
    vec2 from_centre = 2.0 * gl_PointCoord - 1.0;
    if (dot(from_centre, from_centre) > 1.0) {
        discard;
    }
#endif
    vec3 base = base_color();
#ifdef SURFACE
    base = lit(base);
#endif
    color = vec4(base, 1.0);
}

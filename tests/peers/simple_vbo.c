/* The sine-wave mesh in C with OpenMP, to time the CPU backend against: the straightforward way, left to the compiler's vector
   math library. gcc -Ofast -march=native -fopenmp -shared -fPIC */
#include <math.h>
#include <stddef.h>

void simple_vbo_c(float *pos, unsigned width, unsigned height, float time) {
#pragma omp parallel for schedule(static)
    for (unsigned y = 0; y < height; y++) {
        const float v = y / (float)height * 2.0f - 1.0f;
        float *row = pos + (size_t)y * width * 4;
#pragma omp simd
        for (unsigned x = 0; x < width; x++) {
            const float u = x / (float)width * 2.0f - 1.0f;
            row[4 * x + 0] = u;
            row[4 * x + 1] = sinf(u * 4.0f + time) * cosf(v * 4.0f + time) * 0.5f;
            row[4 * x + 2] = v;
            row[4 * x + 3] = 1.0f;
        }
    }
}

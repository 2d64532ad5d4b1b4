// The kernel of kernels/src/simple_vbo.rs in CUDA C++, to time it against: the straightforward way, one vertex per
// thread, with the toolkit's own sinf and cosf. `nvcc -O3 -ptx -arch=sm_XX`.
extern "C" __global__ void simple_vbo_cpp(float4* pos, unsigned width, unsigned height, float time) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = x / static_cast<float>(width) * 2.0f - 1.0f;
    const float v = y / static_cast<float>(height) * 2.0f - 1.0f;
    const float w = sinf(u * 4.0f + time) * cosf(v * 4.0f + time) * 0.5f;
    pos[static_cast<size_t>(y) * width + x] = make_float4(u, w, v, 1.0f);
}

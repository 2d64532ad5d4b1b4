//! How fast `simple_vbo` is on a GPU: against a memset of the same bytes, and against the same kernel in CUDA C++.
//!
//! ```text
//! nvcc -O3 -ptx -arch=native -o cpp.ptx tests/peers/simple_vbo.cu
//! SIMPLEGL_CPP_PTX=cpp.ptx cargo test --release -p simplegl-tests --test kernel_speed -- --nocapture
//! ```
//!
//! Each figure is the median of several timings of a CUDA graph that repeats one launch, so that the cost of launching from
//! the host does not count. All candidates take turns within a round.

use cuda_interop::event::Event;
use cuda_interop::memory::DeviceBuffer;
use cuda_interop::module::{Function, Module};
use cudarc::driver::CudaGraph;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode, cuMemsetD32Async};
use kernels::Vertex;
use simplegl::backend::Cuda;
use simplegl::compute::Wave;
use simplegl::mesh::MeshSize;
use simplegl_tests::gpu;

const ROUNDS: usize = 21;
const CPP_BLOCKS: [(u32, u32); 7] =
    [(256, 1), (128, 1), (512, 1), (128, 2), (32, 8), (16, 16), (8, 8)];

/// A launch, repeated in a graph.
struct Candidate {
    name: String,
    graph: CudaGraph,
    repeats: usize,
    microseconds: Vec<f64>,
}

impl Candidate {
    fn new(cuda: &Cuda, name: String, repeats: usize, mut launch: impl FnMut()) -> Self {
        cuda.stream
            .begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
            .unwrap();
        for _ in 0..repeats {
            launch();
        }
        let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = cuda.stream.end_capture(flags).unwrap().unwrap();
        Self { name, graph, repeats, microseconds: Vec::new() }
    }

    fn time(&mut self, cuda: &Cuda) {
        let (start, end) = (Event::new(&cuda.context).unwrap(), Event::new(&cuda.context).unwrap());
        start.record(&cuda.stream).unwrap();
        self.graph.launch().unwrap();
        end.record(&cuda.stream).unwrap();
        end.synchronize().unwrap();
        let milliseconds = f64::from(end.elapsed_ms_since(&start).unwrap().unwrap());
        self.microseconds.push(milliseconds * 1e3 / self.repeats as f64);
    }

    fn median(&self) -> f64 {
        let mut sorted = self.microseconds[1..].to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

#[test]
fn simple_vbo_is_as_fast_as_memory() {
    let Some(cuda) = gpu::open("simple_vbo_is_as_fast_as_memory") else { return };
    let cpp = std::env::var_os("SIMPLEGL_CPP_PTX").map(|path| {
        let ptx = std::fs::read_to_string(path).unwrap();
        Module::load_ptx(&cuda.context, &ptx).unwrap().function("simple_vbo_cpp").unwrap()
    });
    if cpp.is_none() {
        println!("SIMPLEGL_CPP_PTX is not set: no comparison with CUDA C++");
    }
    for side in [256, 512, 1024, 2048, 4096, 8192] {
        compare(&cuda, cpp.as_ref(), MeshSize::new(side, side).unwrap());
    }
}

fn compare(cuda: &Cuda, cpp: Option<&Function>, mesh: MeshSize) {
    let mut buffer =
        DeviceBuffer::<Vertex>::zeroed(&cuda.stream, mesh.vertices() as usize).unwrap();
    let repeats = ((1 << 26) / mesh.vertices()).clamp(4, 200) as usize;
    let words = mesh.bytes() as usize / 4;
    let pointer = buffer.device_pointer();
    let mut candidates = vec![Candidate::new(cuda, "memset".into(), repeats, || {
        // SAFETY: the range is the buffer's own.
        unsafe { cuMemsetD32Async(pointer, 0x3f80_0000, words, cuda.stream.cu_stream()) }
            .result()
            .unwrap();
    })];
    candidates.push(Candidate::new(cuda, "rust".into(), repeats, || {
        // SAFETY: the buffer holds the mesh; all work is on one stream.
        unsafe { cuda.kernels.wave(&cuda.stream, (&mut buffer).into(), mesh, Wave::sample(1.5)) }
            .unwrap();
    }));
    for (block_x, block_y) in CPP_BLOCKS {
        let Some(cpp) = cpp else { break };
        let grid = [mesh.width().div_ceil(block_x), mesh.height().div_ceil(block_y), 1];
        candidates.push(Candidate::new(cuda, format!("c++ {block_x}x{block_y}"), repeats, || {
            let (width, height, time) = (mesh.width(), mesh.height(), 1.5_f32);
            let arguments =
                [(&mut buffer).into(), (&width).into(), (&height).into(), (&time).into()];
            // SAFETY: the buffer holds the mesh; all work is on one stream.
            unsafe { cpp.launch(&cuda.stream, grid, [block_x, block_y, 1], 0, &arguments) }
                .unwrap();
        }));
    }
    for _ in 0..=ROUNDS {
        for candidate in &mut candidates {
            candidate.time(cuda);
        }
    }
    report(mesh, &candidates);
}

fn report(mesh: MeshSize, candidates: &[Candidate]) {
    let find = |prefix: &str| {
        let found = candidates.iter().filter(|candidate| candidate.name.starts_with(prefix));
        found
            .map(|candidate| (candidate.median(), &candidate.name))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    };
    for candidate in candidates {
        println!("{mesh:>9} {:<12} {:9.3} us", candidate.name, candidate.median());
    }
    let (memset, rust) = (find("memset").unwrap().0, find("rust").unwrap().0);
    let to_memset = rust / memset;
    println!(
        "{mesh:>9} rust / memset = {to_memset:.3}, {:.0} GB/s",
        mesh.bytes() as f64 / rust / 1e3
    );
    if let Some((cpp, name)) = find("c++") {
        println!("{mesh:>9} rust / best c++ ({name}) = {:.3}", rust / cpp);
        assert!(rust <= cpp, "{mesh}: slower than CUDA C++");
    }
    if mesh.vertices() >= 1 << 26 {
        assert!(to_memset <= 1.02, "{mesh}: {to_memset} times a memset");
    }
}

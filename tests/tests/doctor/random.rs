//! Two hundred machines put together at random: whatever is wrong, the doctor ends with a valid answer.

use super::machine::{Display, LibCuda, Machine, NVIDIA_LIBRARIES, XVFB};
use super::scenarios::all;
use std::time::{Duration, Instant};

const MACHINES: usize = 200;
/// The same machines every time.
const SEED: u64 = 0x0073_696d_706c_6567;

/// Xorshift (Marsaglia).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.next().is_multiple_of(chances)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[(self.next() % choices.len() as u64) as usize]
    }
}

const VARIABLES: &[(&str, &[&str])] = &[
    ("CUDA_VISIBLE_DEVICES", &["", "-1", "0", "7", "GPU-0"]),
    ("NVIDIA_DRIVER_CAPABILITIES", &["", "all", "compute,utility", "graphics"]),
    ("NVIDIA_VISIBLE_DEVICES", &["all", "none"]),
    ("__NV_PRIME_RENDER_OFFLOAD", &["1", "0"]),
    ("__GLX_VENDOR_LIBRARY_NAME", &["nvidia", "mesa", "no-such-vendor"]),
    (
        "__EGL_VENDOR_LIBRARY_FILENAMES",
        &["", "/nonexistent", "/usr/share/glvnd/egl_vendor.d/50_mesa.json"],
    ),
    ("__EGL_VENDOR_LIBRARY_DIRS", &["", "/nonexistent"]),
    ("LIBGL_ALWAYS_SOFTWARE", &["1", "0"]),
    ("GALLIUM_DRIVER", &["llvmpipe", "softpipe", "no-such-driver"]),
    ("EGL_PLATFORM", &["surfaceless", "x11", "nonsense"]),
    ("VK_DRIVER_FILES", &["", "/nonexistent", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"]),
    ("VGL_ISACTIVE", &["1"]),
    ("WAYLAND_DISPLAY", &["wayland-9", ""]),
    ("XRDP_SESSION", &["1"]),
    ("SSH_CONNECTION", &["10.0.0.1 1 10.0.0.2 22"]),
    ("LD_PRELOAD", &["libvglfaker.so"]),
    ("force_gl_vendor", &["NVIDIA Corporation", "Intel", "Микро"]),
    ("force_gl_renderer", &["NVIDIA RTX", "Mesa Intel(R)", "{device} \"quoted\" \\ </b>"]),
    ("SIMPLEGL_STANDIN", &["no=such;setting"]),
];

const FUNCTIONS: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuModuleLoadDataEx",
    "cuGLGetDevices_v2",
    "cuGraphicsGLRegisterBuffer",
    "cuGraphicsMapResources",
    "cuGraphicsResourceGetMappedPointer_v2",
    "cuGraphicsUnmapResources",
    "cuGraphicsUnregisterResource",
    "cuMemcpyHtoDAsync_v2",
];

const CODES: &[u32] = &[
    1, 2, 3, 34, 35, 46, 100, 101, 201, 208, 209, 218, 219, 221, 222, 304, 400, 700, 709, 801, 802,
    803, 804, 999, 4711,
];

const SETTINGS: &[&str] = &[
    "devices=0",
    "devices=2",
    "devices=9",
    "gl=stale",
    "gldevice=none",
    "gldevice=1",
    "version=0",
    "version=9000",
    "version=99990",
    "attribute=20:2",
    "name=",
    "name=NVIDIA A100 MIG 1g.5gb",
    "name={braces} \"and quotes\"",
    "mappedsize=0",
    "mappedsize=-1",
];

/// A value that lives as long as the test, as the tables' values do.
fn leak<T>(list: Vec<T>) -> &'static [T] {
    Vec::leak(list)
}

fn machine(random: &mut Random) -> Machine {
    let base = random.of(&all()).machine;
    let mut variables = base.variables.to_vec();
    for (name, values) in VARIABLES {
        if random.one_in(5) {
            variables.push((name, random.of(values)));
        }
    }
    let mut settings: Vec<&'static str> = Vec::new();
    for _ in 0..random.next() % 4 {
        let fault = format!("{}={}", random.of(FUNCTIONS), random.of(CODES));
        settings.push(String::leak(fault));
    }
    if random.one_in(2) {
        settings.push(random.of(SETTINGS));
    }
    let hidden: &[&str] = if random.one_in(6) { leak(vec![random.of(FUNCTIONS)]) } else { &[] };
    let libcuda = match random.next() % 8 {
        0 => base.libcuda,
        1 => LibCuda::Missing,
        2 => random.of(&[LibCuda::Garbage, LibCuda::Cut, LibCuda::Missing]),
        _ => LibCuda::StandIn { settings: leak(settings), hidden },
    };
    let display = random.of(&[base.display, Display::None, XVFB, Display::Dead(":9598")]);
    let libraries = random.of(&[base.libraries, NVIDIA_LIBRARIES, &NVIDIA_LIBRARIES[..1], &[]]);
    Machine { variables: leak(variables), libcuda, display, libraries, ..base }
}

#[test]
fn random_machines_get_a_valid_answer_in_time() {
    let mut random = Random(SEED);
    let machines: Vec<Machine> = (0..MACHINES).map(|_| machine(&mut random)).collect();
    let answers = super::on_all_cores(&machines, |machine| {
        let start = Instant::now();
        let diagnosis = machine.doctor(&[]);
        // The time limit of the checks, an X server's start, and a busy machine.
        let took = start.elapsed();
        assert!(took < Duration::from_secs(30), "seed {SEED:#x}: {took:?}, {machine:?}");
        let status = diagnosis.status;
        assert!(matches!(status, 0 | 1 | 3), "exit status {status}, {machine:?}");
        let is_problem = |cause| super::text(cause, "severity") == "problem";
        let problem = diagnosis.causes().iter().any(is_problem);
        assert_eq!(status != 0, problem, "{machine:?}\n{}", diagnosis.report);
        (status, took)
    });
    let count = |wanted| answers.iter().filter(|(status, _)| *status == wanted).count();
    let counts = [count(0), count(1), count(3)];
    let slowest = answers.iter().map(|(_, took)| *took).max().unwrap_or_default();
    println!("{MACHINES} machines: {counts:?} with exit status 0, 1, 3; slowest {slowest:?}");
    assert!(counts.iter().all(|count| *count > 0), "too much alike: {counts:?}");
}

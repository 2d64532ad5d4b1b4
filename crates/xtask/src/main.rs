//! Development tasks: `cargo xtask help`.

mod inspect;
mod ptx;
mod ptxas;
mod spirv;
mod tools;
mod windows;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask ptx            build kernels/ptx/simplegl.ptx from the Rust kernels
cargo xtask ptx --check    rebuild and compare with the committed file, then assemble it for every
                           architecture that the ptxas on hand knows (PATH, target/ptxas/*/ptxas)
cargo xtask spirv          build the SPIR-V of the Vulkan shaders from their GLSL
cargo xtask spirv --check  rebuild and compare with the committed files
cargo xtask windows        type-check cuda-interop for Windows, with all features; nothing is built or run
cargo xtask help           this text";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["ptx"] => ptx::update(),
        ["ptx", "--check"] => ptx::check(),
        ["spirv"] => spirv::update(),
        ["spirv", "--check"] => spirv::check(),
        ["windows"] => windows::check(),
        ["help" | "--help" | "-h"] | [] => {
            println!("{HELP}");
            Ok(())
        }
        _ => {
            eprintln!("xtask: unknown task {:?}\n{HELP}", arguments.join(" "));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

//! `cargo xtask windows`: type-checks the library for Windows, on a machine that has neither Windows nor its standard library.
//!
//! A compiler that has its own sources checks the standard library too (`-Zbuild-std`). No code is generated and nothing is
//! linked, so what this finds is what types can say: entry points of the Windows driver, structures, conditional code.
//!
//! The library alone: the program's window and image crates would cost minutes.

use std::process::Command;

use anyhow::{Result, bail};

use crate::ptx::{target_folder, workspace};
use crate::tools;

const TARGET: &str = "x86_64-pc-windows-gnu";

/// Type-checks `cuda-interop` with all features; warnings are errors.
pub(crate) fn check() -> Result<()> {
    let rustc = tools::find_rustc()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(workspace())
        .args(["check", "--quiet", "--package", "cuda-interop", "--all-features"])
        .args(["--target", TARGET, "--target-dir"])
        // Of its own: another compiler than the one that builds the rest.
        .arg(target_folder().join("windows"))
        .args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features="])
        .env("RUSTC", &rustc)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", "-Zno-codegen\x1f-Dwarnings")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .status()?;
    if !status.success() {
        bail!("cuda-interop does not compile for {TARGET} ({})", rustc.display());
    }
    println!("cuda-interop type-checks for {TARGET} ({})", rustc.display());
    Ok(())
}

//! Finding a compiler that can build `core` for the GPU, and the LLVM tools that belong to it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A rustc with the sources of its own `core`, and the LLVM of the same major version.
#[derive(Debug)]
pub(crate) struct Tools {
    /// The compiler; it may be a stable one, which `RUSTC_BOOTSTRAP=1` then lets build `core`.
    pub(crate) rustc: PathBuf,
    /// Folder with `llvm-link`, `opt` and `llc`.
    pub(crate) llvm_bin: PathBuf,
    /// One line that names both, for the header of the PTX.
    pub(crate) description: String,
}

const INSTALL: &str = "\
no compiler found that can build Rust for the GPU. Install one of:
  Debian 12:  apt-get install rustc-web rust-web-src llvm-22
  rustup:     rustup toolchain install nightly --component rust-src,llvm-tools";

/// The first usable pair, Debian's before rustup's.
pub(crate) fn find() -> Result<Tools> {
    let mut reasons = Vec::new();
    for rustc in compilers() {
        match tools_of(&rustc) {
            Ok(tools) => return Ok(tools),
            Err(reason) => reasons.push(format!("  {}: {reason:#}", rustc.display())),
        }
    }
    bail!("{INSTALL}\nLooked at:\n{}", reasons.join("\n"));
}

/// The first compiler that has the sources of its whole standard library.
pub(crate) fn find_rustc() -> Result<PathBuf> {
    let mut found = compilers().into_iter();
    found.find(|rustc| sources(rustc, "std").is_ok()).context(INSTALL)
}

/// Compilers worth a look: Debian's, the nightlies of rustup, the one on the PATH.
fn compilers() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/usr/bin/rustc")];
    let toolchains = output(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    for line in toolchains.lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        if let Ok(path) =
            output(Command::new("rustup").args(["which", "--toolchain", name, "rustc"]))
        {
            found.push(PathBuf::from(path.trim()));
        }
    }
    found.push(PathBuf::from("rustc"));
    found.retain(|rustc| rustc.exists() || rustc.components().count() == 1);
    found
}

/// The compiler's system root, if the sources of that crate are in it.
fn sources(rustc: &Path, library: &str) -> Result<PathBuf> {
    let sysroot = PathBuf::from(output(Command::new(rustc).args(["--print", "sysroot"]))?.trim());
    let source = sysroot.join("lib/rustlib/src/rust/library").join(library).join("src/lib.rs");
    if !source.exists() {
        bail!("lacks its sources ({})", source.display());
    }
    Ok(sysroot)
}

fn tools_of(rustc: &Path) -> Result<Tools> {
    let sysroot = sources(rustc, "core")?;
    let version = output(Command::new(rustc).arg("-vV"))?;
    let field = |name: &str| {
        version
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
            .with_context(|| format!("rustc -vV does not say its {name}"))
    };
    let (host, release, llvm) = (field("host")?, field("release")?, field("LLVM version")?);
    let major = llvm.split('.').next().unwrap_or(llvm);
    let folders = [
        sysroot.join("lib/rustlib").join(host).join("bin"),
        PathBuf::from(format!("/usr/lib/llvm-{major}/bin")),
    ];
    let Some(llvm_bin) = folders
        .iter()
        .find(|folder| ["llvm-link", "opt", "llc"].iter().all(|tool| folder.join(tool).exists()))
    else {
        bail!("lacks llvm-link, opt and llc of LLVM {major} (looked in {folders:?})");
    };
    Ok(Tools {
        rustc: rustc.to_path_buf(),
        llvm_bin: llvm_bin.clone(),
        description: format!("rustc {release}, LLVM {llvm}"),
    })
}

/// Runs a command; its standard output, or an error that names the command and quotes its standard error.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let result = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !result.status.success() {
        bail!(
            "{command:?} failed ({}):\n{}",
            result.status,
            String::from_utf8_lossy(&result.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&result.stdout).into_owned())
}

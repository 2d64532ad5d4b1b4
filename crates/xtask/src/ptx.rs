//! `cargo xtask ptx`: from the Rust kernels to one PTX file.
//!
//! rustc emits the bitcode of each crate; LLVM links them, hides everything but the entry points, optimises the whole and
//! writes PTX. (Compiled one by one, calls between crates would stay external functions.)

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::inspect::{self, Entry};
use crate::ptxas;
use crate::tools::{self, Tools, output};

/// The oldest target and ISA that cover every GPU since 2014.
const TARGET: &str = "sm_50";
const ISA: &str = "ptx60";

const HEADER: &str = "// simplegl kernels, made by `cargo xtask ptx` with ";

/// Builds the PTX and writes it.
pub(crate) fn update() -> Result<()> {
    let ptx = build(&tools::find()?)?;
    let path = committed_path();
    std::fs::create_dir_all(path.parent().context("the PTX path has a folder")?)?;
    std::fs::write(&path, ptx).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    ptxas::assemble_everywhere(&path, &target_folder())
}

/// Rebuilds the PTX, compares it with the committed file and assembles that.
pub(crate) fn check() -> Result<()> {
    let path = committed_path();
    let committed = std::fs::read_to_string(&path).with_context(|| {
        format!("cannot read {}; make it with `cargo xtask ptx`", path.display())
    })?;
    let tools = tools::find()?;
    compare(&committed, &build(&tools)?, &tools.description)?;
    ptxas::assemble_everywhere(&path, &target_folder())
}

/// Equal text if the compiler is the recorded one, else equal promises.
fn compare(committed: &str, fresh: &str, compiler: &str) -> Result<()> {
    inspect::refuse_forbidden(committed)?;
    let recorded = committed.lines().next().and_then(|line| line.strip_prefix(HEADER));
    let recorded = recorded.context("the committed PTX does not name its compiler")?;
    if recorded == compiler {
        if let Some(line) = first_difference(committed, fresh) {
            bail!(
                "kernels/ptx/simplegl.ptx is stale: line {line} differs from a fresh build by the same \
                 compiler ({compiler}). Run `cargo xtask ptx` and commit the result."
            );
        }
        println!("PTX is up to date ({compiler})");
        return Ok(());
    }
    let (old, new) = (inspect::entries(committed), inspect::entries(fresh));
    if old != new {
        bail!(
            "the kernels' entry points changed: committed {old:?}, fresh {new:?}. Run `cargo xtask ptx`."
        );
    }
    println!(
        "PTX has the same entry points as a fresh build ({compiler}; the file is by {recorded})"
    );
    Ok(())
}

fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

fn build(tools: &Tools) -> Result<String> {
    let folder = target_folder().join("ptx");
    let bitcode = compile(tools, &folder)?;
    let names = kernel_names()?;
    let (linked, optimised) = (folder.join("linked.bc"), folder.join("optimised.bc"));
    let assembly = folder.join("simplegl.ptx");
    let llvm = |tool: &str| Command::new(tools.llvm_bin.join(tool));
    output(llvm("llvm-link").arg("--only-needed").args(&bitcode).arg("-o").arg(&linked))?;
    output(
        llvm("opt")
            .args(["-passes=internalize,default<O3>", &format!("-mcpu={TARGET}")])
            .arg(format!("-internalize-public-api-list={}", names.join(",")))
            .arg(&linked)
            .arg("-o")
            .arg(&optimised),
    )?;
    output(
        llvm("llc")
            .args(["-O3", &format!("-mcpu={TARGET}"), &format!("-mattr=+{ISA}")])
            .arg(&optimised)
            .arg("-o")
            .arg(&assembly),
    )?;
    let ptx = without_comments(&std::fs::read_to_string(&assembly)?);
    inspect::refuse_forbidden(&ptx)?;
    let found: Vec<String> =
        inspect::entries(&ptx).into_iter().map(|Entry { name, .. }| name).collect();
    if found != names {
        bail!("the kernels in the source are {names:?}, those in the PTX {found:?}");
    }
    Ok(format!("{HEADER}{}\n{ptx}", tools.description))
}

/// Compiles the kernels and all they need to bitcode; the kernels' own file comes first.
fn compile(tools: &Tools, folder: &Path) -> Result<Vec<PathBuf>> {
    let flags =
        ["--emit=llvm-bc,link", "-Cembed-bitcode=no", "-Ccodegen-units=1", "-Ctarget-cpu=sm_50"];
    let deps = folder.join("nvptx64-nvidia-cuda/release/deps");
    // A left-over file of an older build must not be linked.
    if deps.exists() {
        for file in std::fs::read_dir(&deps)? {
            let file = file?.path();
            if ["kernels-", "libkernels-", "cuda_std-", "libcuda_std-"]
                .iter()
                .any(|p| name(&file).starts_with(p))
            {
                std::fs::remove_file(file)?;
            }
        }
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    output(
        Command::new(cargo)
            .current_dir(workspace())
            .args(["build", "--release", "--package", "simplegl-kernels", "-Zbuild-std=core"])
            .args(["--target", "nvptx64-nvidia-cuda", "--target-dir"])
            .arg(folder)
            .env("RUSTC", &tools.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
            .env_remove("RUSTC_WRAPPER")
            .env_remove("RUSTC_WORKSPACE_WRAPPER"),
    )?;
    ["kernels-", "cuda_std-", "core-"].iter().map(|prefix| newest_bitcode(&deps, prefix)).collect()
}

fn newest_bitcode(folder: &Path, prefix: &str) -> Result<PathBuf> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        let path = file.path();
        if name(&path).starts_with(prefix) && path.extension().is_some_and(|e| e == "bc") {
            found.push((file.metadata()?.modified()?, path));
        }
    }
    found.sort();
    let newest = found.pop().map(|(_, path)| path);
    newest.with_context(|| format!("rustc left no bitcode {prefix}*.bc in {}", folder.display()))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The names of all functions marked `#[kernel]` in the sources, sorted.
fn kernel_names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in std::fs::read_dir(workspace().join("kernels/src"))? {
        let text = std::fs::read_to_string(file?.path())?;
        for (_, after) in
            text.match_indices("#[kernel]").map(|(at, mark)| text.split_at(at + mark.len()))
        {
            let name = after.split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
            names.push(name.context("#[kernel] stands before a function")?.0.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The text without comments (they hold mangled names that change with the build) and blank lines.
fn without_comments(ptx: &str) -> String {
    let code = ptx.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    code.filter(|line| !line.is_empty()).fold(String::new(), |text, line| text + line + "\n")
}

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

fn committed_path() -> PathBuf {
    workspace().join("kernels/ptx/simplegl.ptx")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = ".visible .entry k(\n.param .u32 p\n)\n{\nret;\n}\n";

    fn file(compiler: &str, code: &str) -> String {
        format!("{HEADER}{compiler}\n{code}")
    }

    #[test]
    fn the_same_compiler_must_give_the_same_text() {
        let committed = file("rustc 1", CODE);
        assert!(compare(&committed, &committed, "rustc 1").is_ok());
        let changed = file("rustc 1", &CODE.replace("ret;", "exit;"));
        assert!(
            compare(&committed, &changed, "rustc 1").unwrap_err().to_string().contains("line 6")
        );
    }

    #[test]
    fn another_compiler_must_keep_the_promises() {
        let committed = file("rustc 1", CODE);
        assert!(
            compare(&committed, &file("rustc 2", &CODE.replace("ret;", "exit;")), "rustc 2")
                .is_ok()
        );
        assert!(
            compare(&committed, &file("rustc 2", &CODE.replace(".u32", ".u64")), "rustc 2")
                .is_err()
        );
        assert!(
            compare(&committed, &file("rustc 2", &CODE.replace(" k(", " l(")), "rustc 2").is_err()
        );
    }

    #[test]
    fn a_file_without_its_compiler_is_refused() {
        assert!(compare(CODE, CODE, "rustc 1").is_err());
    }
}

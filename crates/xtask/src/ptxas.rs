//! Assembling the PTX with every `ptxas` on hand, for every architecture each of them knows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::tools::output;

/// Assembles for all architectures, prints registers per kernel, and fails on spills or stack. Without a ptxas it says so.
pub(crate) fn assemble_everywhere(ptx: &Path, target: &Path) -> Result<()> {
    let assemblers = assemblers(target);
    if assemblers.is_empty() {
        println!("no ptxas on hand: the PTX was not assembled (scripts/fetch-ptxas gets it)");
        return Ok(());
    }
    let mut rows: BTreeMap<u32, (PathBuf, Vec<Usage>)> = BTreeMap::new();
    for assembler in &assemblers {
        for architecture in architectures(assembler)? {
            rows.insert(architecture, (assembler.clone(), assemble(assembler, architecture, ptx)?));
        }
    }
    let total = rows.len();
    for (architecture, (_, usages)) in rows {
        let columns: Vec<String> =
            usages.iter().map(|usage| format!("{} {}", usage.kernel, usage.registers)).collect();
        println!("sm_{architecture:<4} registers: {}", columns.join(", "));
    }
    println!("{total} architectures assembled; no spills, no stack");
    Ok(())
}

/// `ptxas` of the PATH and those below `target/ptxas`.
fn assemblers(target: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(target.join("ptxas"))
        .into_iter()
        .flatten()
        .filter_map(|folder| Some(folder.ok()?.path().join("ptxas")))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    found.extend(
        std::env::split_paths(&path).map(|folder| folder.join("ptxas")).find(|p| p.exists()),
    );
    found
}

/// The plain architectures (no `a` or `f` suffix) that this ptxas lists, in quotes, as values of `--gpu-name`.
fn architectures(ptxas: &Path) -> Result<Vec<u32>> {
    let help = output(Command::new(ptxas).arg("--help"))?;
    let mut found: Vec<u32> =
        help.split('\'').filter_map(|word| word.strip_prefix("sm_")?.parse().ok()).collect();
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        bail!("{} names no architecture in its help", ptxas.display());
    }
    Ok(found)
}

/// What one kernel uses on one architecture.
#[derive(Debug, PartialEq, Eq)]
struct Usage {
    kernel: String,
    registers: u32,
}

fn assemble(ptxas: &Path, architecture: u32, ptx: &Path) -> Result<Vec<Usage>> {
    let mut command = Command::new(ptxas);
    command.args(["-v", &format!("-arch=sm_{architecture}"), "-o", "/dev/null"]).arg(ptx);
    let result = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let log = String::from_utf8_lossy(&result.stderr).into_owned()
        + &String::from_utf8_lossy(&result.stdout);
    if !result.status.success() {
        bail!("ptxas for sm_{architecture} failed:\n{log}");
    }
    usages(&log).with_context(|| format!("sm_{architecture}"))
}

/// Reads the log of `ptxas -v`; stack or spills are an error.
fn usages(log: &str) -> Result<Vec<Usage>> {
    let mut found = Vec::new();
    let mut kernel = None;
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().map(str::to_owned);
        }
        if line.contains("bytes stack frame")
            && !line.contains("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
        {
            bail!("{} uses stack or spills: {}", kernel.unwrap_or_default(), line.trim());
        }
        if let Some((_, rest)) = line.split_once("Used ") {
            let registers = rest.split_whitespace().next().and_then(|n| n.parse().ok());
            found.push(Usage {
                kernel: kernel.take().context("registers of an unnamed kernel")?,
                registers: registers.context("ptxas gives the registers as a number")?,
            });
        }
    }
    if found.is_empty() {
        bail!("ptxas reported no kernel:\n{log}");
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
        ptxas info    : Function properties for k\n\
        \x20   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Used 18 registers, used 0 barriers";

    #[test]
    fn registers_are_read() {
        assert_eq!(usages(LOG).unwrap(), [Usage { kernel: "k".into(), registers: 18 }]);
    }

    #[test]
    fn stack_and_spills_fail() {
        assert!(usages(&LOG.replace("0 bytes stack", "8 bytes stack")).is_err());
        assert!(usages(&LOG.replace("0 bytes spill loads", "4 bytes spill loads")).is_err());
        assert!(usages("").is_err());
    }
}

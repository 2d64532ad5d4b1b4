//! The SPIR-V of the Vulkan shaders, from their GLSL, by naga.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use naga::ShaderStage;
use naga::back::spv;
use naga::front::glsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};

const FOLDER: &str = "crates/simplegl/src/vulkan/shaders";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOLDER)
}

/// Every shader of the folder: its GLSL file, and the words built from it.
fn build() -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut built = Vec::new();
    let entries = fs::read_dir(folder()).context(FOLDER)?;
    let mut sources: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    sources.sort();
    for source in sources {
        let stage = match source.extension().and_then(|extension| extension.to_str()) {
            Some("vert") => ShaderStage::Vertex,
            Some("frag") => ShaderStage::Fragment,
            _ => continue,
        };
        let words = compile(&source, stage).with_context(|| source.display().to_string())?;
        let mut target = source.into_os_string();
        target.push(".spv");
        built.push((target.into(), words));
    }
    if built.is_empty() {
        bail!("{FOLDER} has no shader");
    }
    Ok(built)
}

fn compile(source: &Path, stage: ShaderStage) -> Result<Vec<u8>> {
    let text = fs::read_to_string(source)?;
    let module = glsl::Frontend::default()
        .parse(&glsl::Options::from(stage), &text)
        .map_err(|errors| anyhow::anyhow!("{}", errors.emit_to_string(&text)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::default())
        .validate(&module)
        .map_err(|error| anyhow::anyhow!("{}", error.emit_to_string(&text)))?;
    let pipeline = spv::PipelineOptions { shader_stage: stage, entry_point: "main".to_owned() };
    // The clip space is Vulkan's own: the projection takes care of it.
    let options = spv::Options { flags: spv::WriterFlags::empty(), ..spv::Options::default() };
    let words = spv::write_vec(&module, &info, &options, Some(&pipeline))?;
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// Writes the `.spv` files.
pub(crate) fn update() -> Result<()> {
    for (target, words) in build()? {
        fs::write(&target, &words).with_context(|| target.display().to_string())?;
        println!("{}: {} bytes", target.display(), words.len());
    }
    Ok(())
}

/// Fails if a committed `.spv` file is not what its GLSL gives.
pub(crate) fn check() -> Result<()> {
    for (target, words) in build()? {
        let committed = fs::read(&target).with_context(|| target.display().to_string())?;
        if committed != words {
            bail!("{} is not built from its GLSL: run `cargo xtask spirv`", target.display());
        }
        println!("{}: as built from its GLSL", target.display());
    }
    Ok(())
}

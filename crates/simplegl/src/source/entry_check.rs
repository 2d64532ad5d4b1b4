//! Reads a PTX text as far as needed to check a kernel before it is launched: its entries and their parameters. Pure.

#![deny(unsafe_code)]

use thiserror::Error;

/// An entry point and the sizes of its parameters in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its name.
    pub name: String,
    /// The sizes of its parameters in bytes, in order.
    pub parameter_sizes: Vec<usize>,
}

/// What a kernel takes: the four parameters of the sample, or two more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    /// Pointer to `float4`, width, height, time.
    Sample,
    /// The same, then frequency and amplitude.
    Wave,
}

/// Why a PTX text cannot animate the mesh.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EntryError {
    /// There is no entry at all.
    #[error(
        "there is no .entry in it: is it PTX, and is the kernel `extern \"C\" __global__` or `#[kernel]`?"
    )]
    NoEntries,
    /// The entry asked for is not there.
    #[error("there is no entry {wanted} in it; there is {}", found.join(", "))]
    NoSuchEntry {
        /// The entry asked for.
        wanted: String,
        /// Those that are there.
        found: Vec<String>,
    },
    /// Several entries, and none was asked for.
    #[error("it has several entries: {}; say which with --kernel FILE.ptx:ENTRY", found.join(", "))]
    Ambiguous {
        /// Those that are there.
        found: Vec<String>,
    },
    /// The parameters are not the sample's.
    #[error(
        "entry {entry} takes parameters of {found:?} bytes; it must take (float4 *pos, unsigned width, unsigned height, float time), that \
         is [8, 4, 4, 4] bytes, optionally followed by float frequency and float amplitude, [8, 4, 4, 4, 4, 4]"
    )]
    Parameters {
        /// The entry.
        entry: String,
        /// Its parameter sizes in bytes.
        found: Vec<usize>,
    },
}

/// Finds the entry to launch in a PTX text and checks its parameters.
///
/// # Errors
/// When it is missing, ambiguous, or takes other parameters.
pub(super) fn check(ptx: &str, wanted: Option<&str>) -> Result<(Entry, Signature), EntryError> {
    let entries = entries(ptx);
    let names = || entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
    let entry = match (wanted, entries.as_slice()) {
        (_, []) => return Err(EntryError::NoEntries),
        (Some(wanted), _) => entries
            .iter()
            .find(|entry| entry.name == wanted)
            .ok_or_else(|| EntryError::NoSuchEntry { wanted: wanted.to_owned(), found: names() })?,
        (None, [only]) => only,
        (None, _) => return Err(EntryError::Ambiguous { found: names() }),
    };
    let signature = signature(&entry.name, &entry.parameter_sizes)?;
    Ok((entry.clone(), signature))
}

/// The signature that parameter sizes make.
///
/// # Errors
/// When they make none.
pub(super) fn signature(entry: &str, sizes: &[usize]) -> Result<Signature, EntryError> {
    match sizes {
        [8, 4, 4, 4] => Ok(Signature::Sample),
        [8, 4, 4, 4, 4, 4] => Ok(Signature::Wave),
        found => Err(EntryError::Parameters { entry: entry.to_owned(), found: found.to_vec() }),
    }
}

/// All entries of a PTX text, in its order.
#[must_use]
pub(super) fn entries(ptx: &str) -> Vec<Entry> {
    let text = without_comments(ptx);
    let mut entries = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(".entry") {
        rest = &rest[at + ".entry".len()..];
        if !rest.starts_with(char::is_whitespace) {
            continue;
        }
        let name_end = rest.find(['(', '{', ';']).unwrap_or(rest.len());
        let name = rest[..name_end].trim();
        let parameters = rest[name_end..]
            .strip_prefix('(')
            .and_then(|list| list.split_once(')'))
            .map_or("", |(list, _)| list);
        let name = name.split_whitespace().next().unwrap_or_default();
        if !name.is_empty() {
            let parameters = parameters.split(',').filter_map(parameter_bytes);
            entries.push(Entry { name: name.to_owned(), parameter_sizes: parameters.collect() });
        }
    }
    entries
}

/// The size of one parameter: `.param .u64 .ptr .align 16 name`, or `.param .align 8 .b8 name[24]`.
fn parameter_bytes(declaration: &str) -> Option<usize> {
    let mut words = declaration.split_whitespace().peekable();
    if words.next()? != ".param" {
        return None;
    }
    let mut element = None;
    let mut name = "";
    while let Some(word) = words.next() {
        if word == ".align" {
            words.next();
        } else if let Some(bytes) = type_bytes(word) {
            element = element.or(Some(bytes));
        } else if !word.starts_with('.') {
            name = word;
        }
    }
    let elements = match name.split_once('[') {
        Some((_, count)) => count.trim_end_matches(']').trim().parse().unwrap_or(0),
        None => 1,
    };
    Some(element? * elements)
}

/// The size of a PTX type: `.f32` is 4.
fn type_bytes(word: &str) -> Option<usize> {
    let name = word.strip_prefix('.')?;
    let bits = name.strip_prefix(['b', 'u', 's', 'f'])?;
    match bits {
        "8" => Some(1),
        "16" => Some(2),
        "32" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        _ => None,
    }
}

/// The text with every comment replaced by a space.
fn without_comments(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    let mut rest = ptx;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        text.push_str(&rest[..at]);
        text.push(' ');
        let end = if rest[at..].starts_with("//") { "\n" } else { "*/" };
        rest = rest[at + 2..].split_once(end).map_or("", |(_, after)| after);
        if end == "\n" {
            text.push('\n');
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const NVCC: &str = "
        .version 8.5
        // .entry commented(
        /* .visible .entry also_commented() { } */
        .visible .entry simple_vbo_kernel(
            .param .u64 simple_vbo_kernel_param_0,
            .param .u32 simple_vbo_kernel_param_1,
            .param .u32 simple_vbo_kernel_param_2,
            .param .f32 simple_vbo_kernel_param_3
        )
        .maxntid 256, 1, 1
        { ret; }
    ";

    const RUSTC: &str = ".visible .entry wave(\n.param .u64 .ptr .align 16 wave_param_0,\n.param .u32 wave_param_1,\n\
        .param .u32 wave_param_2,\n.param .f32 wave_param_3,\n.param .f32 wave_param_4,\n.param .f32 wave_param_5\n)\n{ret;}\n\
        .entry other(.param .align 8 .b8 other_param_0[24]){ret;}\n.entry none(){ret;}";

    #[test]
    fn the_samples_signature_is_found() {
        let (entry, signature) = check(NVCC, None).unwrap();
        assert_eq!((entry.name.as_str(), signature), ("simple_vbo_kernel", Signature::Sample));
        let (_, signature) = check(RUSTC, Some("wave")).unwrap();
        assert_eq!(signature, Signature::Wave);
    }

    #[test]
    fn our_own_kernels_are_read() {
        let (_, signature) = check(crate::compute::cuda::PTX, Some("simple_vbo")).unwrap();
        assert_eq!(signature, Signature::Wave);
    }

    #[test]
    fn structures_and_empty_lists_have_their_sizes() {
        let sizes: Vec<Vec<usize>> =
            entries(RUSTC).into_iter().map(|e| e.parameter_sizes).collect();
        assert_eq!(sizes, [vec![8, 4, 4, 4, 4, 4], vec![24], vec![]]);
    }

    #[test]
    fn what_cannot_be_launched_is_refused_by_reason() {
        assert_eq!(check("no ptx", None), Err(EntryError::NoEntries));
        let found = vec!["wave".to_owned(), "other".to_owned(), "none".to_owned()];
        assert_eq!(check(RUSTC, None), Err(EntryError::Ambiguous { found: found.clone() }));
        let wanted = "wav".to_owned();
        assert_eq!(check(RUSTC, Some("wav")), Err(EntryError::NoSuchEntry { wanted, found }));
        let text = check(RUSTC, Some("other")).unwrap_err().to_string();
        assert!(text.contains("entry other takes parameters of [24] bytes"), "{text}");
    }

    #[test]
    fn unfinished_comments_end_the_text() {
        assert_eq!(entries("/* .entry a()"), []);
        assert_eq!(entries("// .entry a()"), []);
    }
}

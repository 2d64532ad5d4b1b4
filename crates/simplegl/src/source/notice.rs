//! Which path was taken, and why not a better one, in one line.

use super::{Path, Source, SourceError};

/// "path on device", and the reasons against the better ones, each said once.
pub(super) fn notice(source: &dyn Source, refused: &[(Path, SourceError)]) -> String {
    let mut text = match source.path() {
        Path::Cpu => source.path().to_string(),
        path => format!("{path} on {}", source.device()),
    };
    text.push_str(&reasons(refused, "; not ", " nor "));
    text
}

/// Every reason after its paths: those with the same reason share it.
pub(super) fn reasons(refused: &[(Path, SourceError)], before: &str, between: &str) -> String {
    let mut groups: Vec<(String, String)> = Vec::new();
    for (path, error) in refused {
        let (path, error) = (path.to_string(), error.to_string());
        match groups.iter_mut().find(|(_, reason)| *reason == error) {
            Some((paths, _)) => {
                paths.push_str(between);
                paths.push_str(&path);
            }
            None => groups.push((path, error)),
        }
    }
    groups.iter().flat_map(|(paths, reason)| [before, paths, ": ", reason]).collect()
}

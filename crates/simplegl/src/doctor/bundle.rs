//! The file for a bug report: everything seen, and nothing that names a person.

use super::report::Report;
use super::text;
use std::io::Write;
use std::path::Path;

/// The report with all details as text and JSON, after removing what names a person.
#[must_use]
pub fn bundle(report: &Report) -> String {
    let json = report.to_json().unwrap_or_else(|error| format!("no JSON: {error}"));
    let text = text::render(report, true);
    let whole = format!("{text}\n--- the same as JSON ---\n{json}\n");
    Names::of_this_process().remove_from(&whole)
}

/// Writes the bundle to `path`, by way of a temporary file beside it.
///
/// # Errors
///
/// When the file cannot be made or renamed.
pub fn write(report: &Report, path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or_else(|| Path::new(".")))?;
    file.write_all(bundle(report).as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// What names the person who runs this process.
#[derive(Debug, Default)]
struct Names {
    homes: Vec<String>,
    users: Vec<String>,
}

impl Names {
    fn of_this_process() -> Self {
        let get = |name: &str| std::env::var(name).ok();
        let mut homes: Vec<String> = ["HOME", "USERPROFILE"].into_iter().filter_map(get).collect();
        let mut users: Vec<String> =
            ["USER", "LOGNAME", "USERNAME", "SUDO_USER"].into_iter().filter_map(get).collect();
        users.extend(
            homes.iter().filter_map(|home| {
                Some(Path::new(home).file_name()?.to_string_lossy().into_owned())
            }),
        );
        // Short and common words are no names, and removing them would garble the report.
        homes.retain(|home| home.len() > 1);
        users.retain(|user| user.len() > 1 && user != "root");
        Self { homes, users }
    }

    fn remove_from(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for home in &self.homes {
            text = without_paths_below(&text, home);
        }
        for folder in ["/home", "/Users", "/var/home"] {
            text = without_paths_below(&text, folder);
        }
        for user in &self.users {
            text = without_word(&text, user);
        }
        text
    }
}

/// Replaces every path at or below `folder` by a mark that keeps the file's own name, for that name says which
/// library it is.
fn without_paths_below(text: &str, folder: &str) -> String {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(folder) {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let behind = &from[folder.len()..];
        let in_word = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if behind.starts_with(in_word) || before.ends_with(|c| in_word(c) || c == '/') {
            // Another folder that only begins or ends with the same letters.
            out.push_str(folder);
            rest = behind;
            continue;
        }
        let end = from.find(|c: char| c.is_whitespace() || "\",:;'()<>\\".contains(c));
        let path = &from[..end.unwrap_or(from.len())];
        let name = path[folder.len()..].rsplit('/').next().unwrap_or_default();
        let library = name.contains(".so") || name.contains(".json") || name.contains(".ptx");
        out.push_str("[home]");
        if library {
            out.push('/');
            out.push_str(name);
        }
        rest = &from[path.len()..];
    }
    out + rest
}

/// Replaces `word` where it stands alone.
fn without_word(text: &str, word: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(word) {
        let (before, from) = rest.split_at(start);
        let behind = &from[word.len()..];
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let alone = !out.ends_with(part) && !before.ends_with(part) && !behind.starts_with(part);
        out.push_str(before);
        out.push_str(if alone { "[user]" } else { word });
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names { homes: vec!["/srv/people/ada".to_owned()], users: vec!["ada".to_owned()] }
    }

    #[test]
    fn paths_of_the_home_directory_go_and_library_names_stay() {
        let text =
            "loaded /srv/people/ada/lib/libcuda.so.1, \"/home/eve/x y\" and /usr/lib/libEGL.so.1";
        let clean = names().remove_from(text);
        assert_eq!(clean, "loaded [home]/libcuda.so.1, \"[home] y\" and /usr/lib/libEGL.so.1");
    }

    #[test]
    fn the_user_goes_and_words_that_hold_the_name_stay() {
        let clean =
            names().remove_from("ada's radar: LD_LIBRARY_PATH=/srv/people/ada:/srv/people/adam");
        assert_eq!(clean, "[user]'s radar: LD_LIBRARY_PATH=[home]:/srv/people/adam");
    }

    #[test]
    fn a_folder_that_only_ends_like_home_stays() {
        assert_eq!(names().remove_from("/opt/home/x and /home"), "/opt/home/x and [home]");
    }
}

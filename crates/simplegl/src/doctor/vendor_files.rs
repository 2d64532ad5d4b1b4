//! The files by which EGL's vendor-neutral loader and the Vulkan loader find their drivers.

use super::observation::{VendorFile, VendorFiles};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// glvnd's own folders, in its order (libglvnd, `src/EGL/icd_enumeration.md`).
const EGL_FOLDERS: &[&str] = &["/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"];
/// Where NVIDIA's file has been seen without the loader looking there.
const EGL_ELSEWHERE: &[&str] = &[
    "/usr/local/share/glvnd/egl_vendor.d",
    "/usr/local/nvidia/share/glvnd/egl_vendor.d",
    "/usr/local/nvidia",
    "/run/opengl-driver/share/glvnd/egl_vendor.d",
];
/// The Vulkan loader's system folders.
const VULKAN_FOLDERS: &[&str] =
    &["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"];

/// What glvnd reads: `__EGL_VENDOR_LIBRARY_FILENAMES`, or `__EGL_VENDOR_LIBRARY_DIRS`, or its own folders.
pub(crate) fn egl(root: &Path, variables: &BTreeMap<String, String>) -> VendorFiles {
    let by_files = variables.get("__EGL_VENDOR_LIBRARY_FILENAMES");
    let by_folders = variables.get("__EGL_VENDOR_LIBRARY_DIRS");
    let mut found = if let Some(list) = by_files {
        from_files("__EGL_VENDOR_LIBRARY_FILENAMES", list)
    } else if let Some(list) = by_folders {
        let folders: Vec<&str> = list.split(':').filter(|folder| !folder.is_empty()).collect();
        VendorFiles {
            variable: Some("__EGL_VENDOR_LIBRARY_DIRS".to_owned()),
            searched: folders.iter().map(|folder| (*folder).to_owned()).collect(),
            files: folders.iter().flat_map(|folder| files_in(Path::new(folder), folder)).collect(),
            elsewhere: Vec::new(),
        }
    } else {
        from_folders(root, EGL_FOLDERS)
    };
    let mut candidates = from_folders(root, EGL_ELSEWHERE).files;
    if found.variable.is_some() {
        candidates.extend(from_folders(root, EGL_FOLDERS).files);
    }
    candidates.retain(|file| file.is_nvidia() && found.files.iter().all(|f| f.path != file.path));
    found.elsewhere = candidates;
    found
}

/// What the Vulkan loader reads: `VK_DRIVER_FILES`, or `VK_ICD_FILENAMES`, or its own folders.
pub(crate) fn vulkan(root: &Path, variables: &BTreeMap<String, String>) -> VendorFiles {
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        if let Some(list) = variables.get(name) {
            return from_files(name, list);
        }
    }
    from_folders(root, VULKAN_FOLDERS)
}

/// Files that a variable names. They are read where they are, for that is where the loader reads them.
fn from_files(variable: &str, list: &str) -> VendorFiles {
    let paths: Vec<&str> = list.split(':').filter(|path| !path.is_empty()).collect();
    VendorFiles {
        variable: Some(variable.to_owned()),
        searched: paths.iter().map(|path| (*path).to_owned()).collect(),
        files: paths.iter().map(|path| read(Path::new(path), path)).collect(),
        elsewhere: Vec::new(),
    }
}

fn from_folders(root: &Path, folders: &[&str]) -> VendorFiles {
    let inside = |folder: &&str| files_in(&root.join(folder.trim_start_matches('/')), folder);
    VendorFiles {
        variable: None,
        searched: folders.iter().map(|folder| (*folder).to_owned()).collect(),
        files: folders.iter().flat_map(inside).collect(),
        elsewhere: Vec::new(),
    }
}

fn files_in(folder: &Path, shown: &str) -> Vec<VendorFile> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            read(path, &format!("{}/{name}", shown.trim_end_matches('/')))
        })
        .collect()
}

/// Both loaders' files are JSON objects with the driver's `library_path` in an object named `ICD`.
fn read(path: &Path, shown: &str) -> VendorFile {
    let parsed = std::fs::read_to_string(path)
        .map_err(|error| error.to_string())
        .and_then(|text| {
            serde_json::from_str::<serde_json::Value>(&text).map_err(|e| e.to_string())
        })
        .and_then(|json| {
            // Without it, the loaders pass the file over.
            if json.get("file_format_version").is_none() {
                return Err("it has no file_format_version".to_owned());
            }
            let library = json.pointer("/ICD/library_path").and_then(serde_json::Value::as_str);
            library.map(str::to_owned).ok_or_else(|| "it names no ICD.library_path".to_owned())
        });
    match parsed {
        Ok(library) => VendorFile { path: shown.to_owned(), library, problem: None },
        Err(problem) => {
            VendorFile { path: shown.to_owned(), library: String::new(), problem: Some(problem) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NVIDIA: &str =
        r#"{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_nvidia.so.0"}}"#;
    const MESA: &str =
        r#"{"file_format_version":"1.0.0","ICD":{"library_path":"libEGL_mesa.so.0"}}"#;

    fn write(root: &Path, path: &str, text: &str) -> String {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    }

    #[test]
    fn the_default_folders_are_read_below_the_root() {
        let root = tempfile::tempdir().expect("a folder");
        write(root.path(), "usr/share/glvnd/egl_vendor.d/10_nvidia.json", NVIDIA);
        write(root.path(), "usr/share/glvnd/egl_vendor.d/50_mesa.json", MESA);
        let found = egl(root.path(), &BTreeMap::new());
        assert_eq!(found.files.len(), 2);
        assert_eq!(found.files[0].path, "/usr/share/glvnd/egl_vendor.d/10_nvidia.json");
        assert!(found.name_nvidia() && found.elsewhere.is_empty());
    }

    #[test]
    fn a_variable_replaces_the_folders_and_what_it_hides_is_listed() {
        let root = tempfile::tempdir().expect("a folder");
        write(root.path(), "usr/share/glvnd/egl_vendor.d/10_nvidia.json", NVIDIA);
        let mesa = write(root.path(), "mesa.json", MESA);
        let name = "__EGL_VENDOR_LIBRARY_FILENAMES".to_owned();
        let found = egl(root.path(), &BTreeMap::from([(name.clone(), mesa)]));
        assert_eq!(found.variable.as_deref(), Some(name.as_str()));
        assert!(!found.name_nvidia());
        assert_eq!(found.elsewhere[0].path, "/usr/share/glvnd/egl_vendor.d/10_nvidia.json");
    }

    #[test]
    fn a_file_where_the_loader_does_not_look_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        write(root.path(), "usr/local/nvidia/10_nvidia.json", NVIDIA);
        let found = egl(root.path(), &BTreeMap::new());
        assert!(!found.name_nvidia());
        assert_eq!(found.elsewhere[0].path, "/usr/local/nvidia/10_nvidia.json");
    }

    #[test]
    fn bad_files_say_what_is_wrong() {
        let root = tempfile::tempdir().expect("a folder");
        let broken = write(root.path(), "a.json", "{");
        let empty = write(root.path(), "b.json", "{}");
        let old = write(root.path(), "c.json", r#"{"ICD":{"library_path":"libEGL_nvidia.so.0"}}"#);
        let list = format!("{broken}:{empty}:{old}:/nonexistent.json");
        let found = egl(
            root.path(),
            &BTreeMap::from([("__EGL_VENDOR_LIBRARY_FILENAMES".to_owned(), list)]),
        );
        assert_eq!(found.files.len(), 4);
        assert!(found.files.iter().all(|file| file.problem.is_some()));
    }
}

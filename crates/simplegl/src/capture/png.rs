//! PNG files.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};

use super::{CaptureError, Picture};

/// Writes a picture. The file appears whole or not at all: it is written beside its place first.
///
/// # Errors
/// When it cannot be written.
pub fn write_png(path: &Path, picture: &Picture) -> Result<(), CaptureError> {
    let failed = |reason: String| CaptureError::Write { path: path.to_owned(), reason };
    let [width, height] = picture.size;
    write_whole(path, |file| {
        PngEncoder::new_with_quality(file, CompressionType::Fast, FilterType::Sub)
            .write_image(&picture.rgb, width, height, ExtendedColorType::Rgb8)
            .map_err(|error| error.to_string())
    })
    .map_err(failed)
}

/// Lets `write` fill a new file and then moves it to `path`.
pub(super) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), String>,
) -> Result<(), String> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let temporary = tempfile::Builder::new()
        .prefix(".simplegl-")
        .tempfile_in(folder)
        .map_err(|error| error.to_string())?;
    let (file, temporary_path) = temporary.into_parts();
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    writer.flush().map_err(|error| error.to_string())?;
    make_readable(writer.get_ref()).map_err(|error| error.to_string())?;
    temporary_path.persist(path).map_err(|error| error.error.to_string())
}

/// Temporary files are for their owner only; a result has the permissions of any new file of a usual umask.
fn make_readable(file: &File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Finds out before the first frame whether a file can be written at `path`, and leaves no trace of the attempt.
///
/// # Errors
/// When it cannot; the text names `flag`.
pub fn check_writable(flag: &'static str, path: &Path) -> Result<(), CaptureError> {
    let refused = |reason: String| CaptureError::Unwritable { flag, path: path.to_owned(), reason };
    if path.is_dir() {
        return Err(refused("this is a folder, and a file name is needed".to_owned()));
    }
    if path.exists() {
        // Opened for writing, not truncated: what is there stays until the new picture is whole.
        return OpenOptions::new()
            .write(true)
            .open(path)
            .map(drop)
            .map_err(|e| refused(e.to_string()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    check_folder(folder).map_err(refused)
}

/// Whether files can be made in a folder.
pub(super) fn check_folder(folder: &Path) -> Result<(), String> {
    if !folder.is_dir() {
        return Err(format!("the folder {} does not exist", folder.display()));
    }
    tempfile::tempfile_in(folder).map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_picture_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.png");
        let picture = Picture { size: [2, 1], rgb: vec![255, 0, 0, 1, 2, 3] };
        check_writable("--screenshot", &path).unwrap();
        assert!(!path.exists(), "checking leaves no trace");
        write_png(&path, &picture).unwrap();
        let read = image::open(&path).unwrap().to_rgb8();
        assert_eq!((read.width(), read.height()), (2, 1));
        assert_eq!(read.into_raw(), picture.rgb);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn unwritable_paths_are_named_with_their_flag() {
        let folder = tempfile::tempdir().unwrap();
        let error =
            check_writable("--screenshot", &folder.path().join("no/such/p.png")).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("--screenshot ") && text.contains("does not exist"), "{text}");
        let error = check_writable("--screenshot", folder.path()).unwrap_err();
        assert!(error.to_string().contains("this is a folder"));
    }
}

//! The real program in a real window under its own X server, with software OpenGL: keys, mouse, sizes, and every way to end.

mod input;
mod overlays;
mod pictures;
mod systems;

use std::path::Path;

use serde_json::Value;

/// `#204060`.
const BACKGROUND: [u8; 3] = [0x20, 0x40, 0x60];

/// Small, so that software draws it fast, unless `more` says otherwise; without overlays, and with a report.
fn small(more: &[&'static str]) -> Vec<&'static str> {
    let mut flags = [&["--json", "--no-hud", "--backend", "cpu"], more].concat();
    for (flag, value) in [("--mesh", "64x64"), ("--size", "320x240")] {
        if !more.contains(&flag) {
            flags.extend([flag, value]);
        }
    }
    flags
}

fn number(json: &Value, pointer: &str) -> f64 {
    json.pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no {pointer} in {json}"))
}

#[track_caller]
fn assert_close(json: &Value, pointer: &str, expected: f64) {
    let found = number(json, pointer);
    assert!((found - expected).abs() < 1e-3, "{pointer} is {found}, not {expected}");
}

#[track_caller]
fn assert_same_picture(a: &Path, b: &Path) {
    let [a, b] = [a, b].map(|path| image::open(path).unwrap().into_rgb8());
    assert_eq!(a.dimensions(), b.dimensions());
    let colours = a.pixels().collect::<std::collections::HashSet<_>>().len();
    assert!(colours > 20, "only {colours} colours: nothing was drawn");
    let different = a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    assert_eq!(different, 0, "pixels differ");
}

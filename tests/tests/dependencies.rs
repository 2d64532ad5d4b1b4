//! The rules of deny.toml, applied to `cargo metadata`: licences and sources of every dependency.

use std::process::Command;

use serde_json::Value;
use simplegl_tests::program::workspace;

/// The quoted entries of the `allow` list.
fn allowed_licences() -> Vec<String> {
    let text = std::fs::read_to_string(workspace().join("deny.toml")).unwrap();
    let list = text.split_once("allow = [").unwrap().1.split_once(']').unwrap().0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether an SPDX expression can be met with the allowed licences: AND needs both sides, OR one.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    // Crates of old write a slash for OR.
    let expression = expression.replace('/', " OR ");
    any_of(
        &mut expression.replace('(', " ( ").replace(')', " ) ").split_whitespace().peekable(),
        allowed,
    )
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut result = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        result |= all_of(words, allowed);
    }
    result
}

fn all_of(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut result = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        result &= one(words, allowed);
    }
    result
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let word = words.next().unwrap_or_default();
    if word == "(" {
        let result = any_of(words, allowed);
        return words.next() == Some(")") && result;
    }
    let mut name = word.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    allowed.contains(&name)
}

#[test]
fn expressions_are_judged_as_spdx_says() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for yes in [
        "MIT",
        "MIT OR GPL-3.0",
        "GPL-3.0/MIT",
        "MIT AND ISC",
        "(GPL-3.0 OR MIT) AND ISC",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(yes, &allowed), "{yes}");
    }
    for no in ["", "GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR LGPL-3.0) AND MIT", "Apache-2.0"] {
        assert!(!is_allowed(no, &allowed), "{no}");
    }
}

#[test]
fn dependencies_keep_the_rules() {
    let cargo = std::env::var_os("CARGO");
    if std::env::var_os("SIMPLEGL_TEST_PREBUILT").is_some() && cargo.is_none() {
        println!("skipped: needs cargo, which did not start this test");
        return;
    }
    let output = Command::new(cargo.unwrap_or_else(|| "cargo".into()))
        .current_dir(workspace())
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let allowed = allowed_licences();
    let mut checked = 0;
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = &package["name"];
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_allowed(licence, &allowed) {
            wrong.push(format!("{name}: licence {licence:?}"));
        }
        // Packages of the workspace have no source.
        let source = package["source"].as_str();
        if source.is_some_and(|s| s != "registry+https://github.com/rust-lang/crates.io-index") {
            wrong.push(format!("{name}: source {source:?}"));
        }
        checked += 1;
    }
    assert!(checked > 100, "only {checked} packages were listed");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

//! The report for people.

use super::cause::Confidence;
use super::check::{Check, Status};
use super::diagnosis::{Diagnosis, Severity};
use super::report::{Report, Verdict};
use std::fmt::Write;

/// Columns of the text that a terminal shows without wrapping.
const WIDTH: usize = 110;
/// Columns taken by a check's status and title.
const MARGIN: usize = 46;

/// The report as text. With `details`, also everything that each check found.
#[must_use]
pub fn render(report: &Report, details: bool) -> String {
    let mut text = format!("simplegl {} doctor\n\n", report.version);
    for check in &report.checks {
        text.push_str(&line(check));
        if details || check.status == Status::Problem {
            for detail in &check.details {
                text.push_str(&wrapped(detail, "            - ", "              "));
            }
        }
    }
    for (index, cause) in report.causes.iter().enumerate() {
        text.push_str(&paragraph(index + 1, cause));
    }
    text.push_str(match report.verdict {
        Verdict::Works => "\nCUDA and OpenGL share memory on this machine.\n",
        Verdict::MustBeFixed => "\nCUDA and OpenGL do not share memory yet: see 1. first.\n",
        Verdict::NoGpu => "\nNo NVIDIA GPU here; the CPU backend works.\n",
    });
    text
}

fn line(check: &Check) -> String {
    let status = match check.status {
        Status::Ok => "ok",
        Status::Warning => "warning",
        Status::Problem => "problem",
        Status::Skipped => "skipped",
    };
    let start = format!("  {status:<8}  {:<33} ", check.title);
    wrapped(&check.summary, &start, &" ".repeat(MARGIN - 1))
}

fn paragraph(number: usize, cause: &Diagnosis) -> String {
    let kind = match cause.severity {
        Severity::Problem => "",
        Severity::Warning => "warning, ",
    };
    let confidence = match cause.confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible",
    };
    let mut text = String::from("\n");
    let title = format!("{} ({kind}{confidence}) [{}]", cause.title, cause.id);
    text.push_str(&wrapped(&title, &format!("{number}. "), "   "));
    for seen in &cause.evidence {
        text.push_str(&wrapped(seen, "   seen: ", "         "));
    }
    text.push_str(&wrapped(&cause.why, "   why:  ", "         "));
    text.push_str(&wrapped(&cause.fix, "   fix:  ", "         "));
    if let Some(paste) = &cause.paste {
        let _ = writeln!(text, "\n       {paste}");
    }
    text
}

/// `text` broken at spaces, so that no line is wider than a terminal unless a single word is.
fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let mut out = String::from(first);
    let mut column = first.chars().count();
    let mut fresh = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !fresh && column + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(rest);
            column = rest.chars().count();
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
        fresh = false;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_spaces() {
        let text = wrapped(&"word ".repeat(60), "  - ", "    ");
        assert!(text.lines().count() > 1);
        assert!(text.lines().all(|line| line.len() <= WIDTH));
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")));
        assert_eq!(wrapped("", "a", "b"), "a\n");
    }
}

//! A report as text: aligned for a terminal, or as Markdown.

use std::fmt::Write as _;

use super::{Comparison, Group, Report, Row};

const HEADINGS: [&str; 6] = ["what", "median", "middle half", "per second", "GB/s", "of memset"];

/// The report for a terminal.
#[must_use]
pub(super) fn text(report: &Report) -> String {
    let mut text = format!("{}\n", report.machine);
    let _ = writeln!(text, "pictures  {}x{} pixels", report.picture[0], report.picture[1]);
    for group in groups(report) {
        let _ = writeln!(text, "\n{group}");
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        lines.extend(rows(report, group).map(cells));
        text += &aligned(&lines);
    }
    for reason in &report.left_out {
        let _ = writeln!(text, "\nleft out: {reason}");
    }
    if let Some(comparison) = &report.comparison {
        text += &compared(comparison);
    }
    text
}

/// The report as Markdown.
#[must_use]
pub(super) fn markdown(report: &Report) -> String {
    let mut text = String::new();
    for line in report.machine.to_string().lines() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        let _ = writeln!(text, "- {name}: {}", value.trim());
    }
    let _ = writeln!(text, "- pictures: {}x{} pixels", report.picture[0], report.picture[1]);
    for group in groups(report) {
        let _ = writeln!(text, "\n### {group}\n");
        text += &markdown_table(&HEADINGS, rows(report, group).map(cells));
    }
    for reason in &report.left_out {
        let _ = writeln!(text, "\nLeft out: {reason}");
    }
    if let Some(comparison) = &report.comparison {
        let _ = writeln!(text, "\n### compared with\n");
        for line in comparison.other.to_string().lines() {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            let _ = writeln!(text, "- {name}: {}", value.trim());
        }
        text.push('\n');
        text += &markdown_table(&RATIO_HEADINGS, comparison.ratios.iter().map(ratio_cells));
    }
    text
}

const RATIO_HEADINGS: [&str; 4] = ["what", "other", "this", "speed-up"];

fn ratio_cells(ratio: &super::compare::Ratio) -> [String; 4] {
    let mark = if ratio.within_spread { " (within the spread)" } else { "" };
    [
        ratio.row.clone(),
        duration(ratio.other_us),
        duration(ratio.this_us),
        format!("{:.2}{mark}", ratio.speedup),
    ]
}

fn compared(comparison: &Comparison) -> String {
    let mut text = format!("\ncompared with\n{}\n", comparison.other);
    let mut lines = vec![RATIO_HEADINGS.map(str::to_owned)];
    lines.extend(comparison.ratios.iter().map(ratio_cells));
    text += &aligned(&lines);
    if comparison.unmatched > 0 {
        let _ = writeln!(text, "{} rows are in one of the two only", comparison.unmatched);
    }
    text
}

/// The groups of a report in the order of their rows.
fn groups(report: &Report) -> Vec<Group> {
    let mut groups: Vec<Group> = report.rows.iter().map(|row| row.group).collect();
    groups.dedup();
    groups
}

fn rows(report: &Report, group: Group) -> impl Iterator<Item = &Row> {
    report.rows.iter().filter(move |row| row.group == group)
}

fn cells(row: &Row) -> [String; 6] {
    let id = row.id();
    let what = id.split_once(": ").map_or(id.as_str(), |(_, what)| what).to_owned();
    let measured = &row.measured;
    let spread = format!(
        "{} to {}",
        duration(measured.lower_quartile_us),
        duration(measured.upper_quartile_us)
    );
    [
        what,
        duration(measured.median_us),
        spread,
        significant(row.per_second()),
        row.gigabytes_per_second().map_or_else(String::new, significant),
        row.of_memset.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0)),
    ]
}

/// A time with its unit.
fn duration(microseconds: f64) -> String {
    match microseconds {
        us if us < 1e3 => format!("{} µs", significant(us)),
        us if us < 1e6 => format!("{} ms", significant(us / 1e3)),
        us => format!("{} s", significant(us / 1e6)),
    }
}

/// At least three significant digits, none beyond that after the point.
fn significant(value: f64) -> String {
    let before_the_point = if value >= 1.0 { value.log10().floor() as usize + 1 } else { 1 };
    format!("{value:.*}", 3_usize.saturating_sub(before_the_point))
}

/// Columns as wide as their widest cell; the first to the left, the others to the right.
fn aligned<const N: usize>(lines: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
    });
    lines.iter().fold(String::new(), |mut text, line| {
        let mut row = format!("  {:<width$}", line[0], width = widths[0]);
        for (cell, width) in line.iter().zip(widths).skip(1) {
            let _ = write!(row, "  {cell:>width$}");
        }
        text.push_str(row.trim_end());
        text.push('\n');
        text
    })
}

fn markdown_table<const N: usize>(
    headings: &[&str; N],
    lines: impl Iterator<Item = [String; N]>,
) -> String {
    let rule: String = std::iter::repeat_n(" ---: |", N - 1).collect();
    let mut text = format!("| {} |\n| --- |{rule}\n", headings.join(" | "));
    for line in lines {
        let _ = writeln!(text, "| {} |", line.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    fn report() -> Report {
        let mut fast = row(Group::Kernel, "simple_vbo", 1024, 4.8);
        fast.bytes = Some(16 << 20);
        fast.of_memset = Some(1.01);
        Report {
            picture: [512, 512],
            rows: vec![fast, row(Group::Mesh, "points", 256, 1234.5)],
            left_out: vec!["switch: no GPU".to_owned()],
            ..Report::default()
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0123, 1.5, 12.34, 123.4, 1234.5].map(significant);
        assert_eq!(texts, ["0.01", "1.50", "12.3", "123", "1234"]);
        assert_eq!(
            [1.5, 999.0, 2500.0, 3.2e6].map(duration),
            ["1.50 µs", "999 µs", "2.50 ms", "3.20 s"]
        );
    }

    #[test]
    fn the_text_has_a_section_per_group() {
        let text = text(&report());
        assert!(
            text.contains(
                "\nkernel\n  what                    median         middle half  per second  GB/s  of memset\n  \
                 simple_vbo, 1024x1024  4.80 µs  4.56 µs to 5.28 µs      208333  3495      101 %\n"
            ),
            "{text}"
        );
        assert!(text.contains("\nmesh\n"));
        assert!(text.contains("left out: switch: no GPU"));
    }

    #[test]
    fn markdown_is_a_table_per_group() {
        let text = markdown(&report());
        assert!(text.contains("### mesh\n\n| what | median |"), "{text}");
        assert!(
            text.contains("| points, 256x256 | 1.23 ms | 1.17 ms to 1.36 ms | 810 |  |  |"),
            "{text}"
        );
    }
}

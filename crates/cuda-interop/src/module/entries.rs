//! Reading a PTX text's entry points, as far as the driver is not asked for them.

/// The number of parameters of each `.entry` of a PTX text.
///
/// With it, the driver is asked only for parameters that exist: asking for one more is how else to find the end, and tools that
/// watch the driver (compute-sanitizer) report the refusal as an error of the program.
pub(super) fn parameter_counts(ptx: &str) -> Vec<(String, usize)> {
    let code: String =
        ptx.lines().flat_map(|line| [line.split("//").next().unwrap_or_default(), "\n"]).collect();
    code.split(".entry").skip(1).filter_map(entry).collect()
}

/// Reads ` name ( .param ..., .param ... )`, or a name with no list.
fn entry(text: &str) -> Option<(String, usize)> {
    let name: String = text.trim_start().chars().take_while(|c| is_identifier(*c)).collect();
    let rest = text.trim_start().get(name.len()..)?.trim_start();
    let count = match rest.strip_prefix('(') {
        Some(list) => list.split_once(')')?.0.matches(".param").count(),
        None => 0,
    };
    (!name.is_empty()).then_some((name, count))
}

fn is_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_by_entry() {
        let ptx = ".version 6.0\n// .entry not_this(.param .u32 x)\n.visible .entry two(\n\t.param .u64 .ptr a, // one\n\
                   \t.param .align 8 .b8 b[16]\n)\n{ ret; }\n.entry none() { ret; }\n.entry bare { ret; }\n";
        let counts = [("two", 2), ("none", 0), ("bare", 0)].map(|(n, c)| (n.to_owned(), c));
        assert_eq!(parameter_counts(ptx), counts);
    }
}

//! What a PTX file promises: its version and target, its entry points with their parameters, and what it must not contain.

use anyhow::{Result, bail};

/// One `.entry`: its name and the types of its parameters, in order.
#[derive(Debug, PartialEq, Eq, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) parameters: Vec<String>,
}

/// Text that no kernel may contain, and what it means.
const FORBIDDEN: [(&str, &str); 5] = [
    (".extern", "an unresolved symbol"),
    (".func", "a function that was not inlined"),
    ("call.", "a call"),
    (".local", "local memory"),
    (".f64", "double precision"),
];

/// The entry points of a PTX text, sorted by name.
pub(crate) fn entries(ptx: &str) -> Vec<Entry> {
    let mut found: Vec<Entry> = ptx.split(".entry ").skip(1).filter_map(entry).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Reads `name( .param .u64 name_param_0, ... )`.
fn entry(text: &str) -> Option<Entry> {
    let (name, rest) = text.split_once('(')?;
    let (parameters, _) = rest.split_once(')')?;
    let parameters = parameters
        .split(',')
        .filter_map(|parameter| {
            let mut words = parameter.split_whitespace().skip_while(|word| *word != ".param");
            words.next()?;
            // `.param .u64 .ptr .align 1 name`: the type is the first word, the rest is a hint.
            words.next().map(str::to_owned)
        })
        .collect();
    Some(Entry { name: name.trim().to_owned(), parameters })
}

/// Fails on the first forbidden thing in the text.
pub(crate) fn refuse_forbidden(ptx: &str) -> Result<()> {
    for (number, line) in ptx.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        if let Some((_, meaning)) = FORBIDDEN.iter().find(|(text, _)| code.contains(text)) {
            bail!("line {} of the PTX holds {meaning}: {}", number + 1, line.trim());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = ".version 6.0\n.visible .entry b(\n\t.param .u64 .ptr .align 1 b_param_0,\n\t.param .f32 b_param_1\n)\n{\nret;\n}\n.visible .entry a(\n)\n{\n}\n";

    #[test]
    fn entries_and_parameter_types_are_read() {
        let entry = |name: &str, parameters: &[&str]| Entry {
            name: name.to_owned(),
            parameters: parameters.iter().map(|&p| p.to_owned()).collect(),
        };
        assert_eq!(entries(SAMPLE), [entry("a", &[]), entry("b", &[".u64", ".f32"])]);
    }

    #[test]
    fn forbidden_text_is_found() {
        assert!(refuse_forbidden(SAMPLE).is_ok());
        for line in [
            ".extern .func f;",
            "call.uni f;",
            "\t.local .align 8 .b8 x[8];",
            "add.rn.f64 %a, %b, %c;",
            "st.local.b32 [%rd1], %r1;",
        ] {
            let broken = format!("{SAMPLE}{line}\n");
            assert!(refuse_forbidden(&broken).is_err(), "{line}");
        }
    }
}

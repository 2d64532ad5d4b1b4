//! The words of PTX.

use super::SyntaxError;

/// A word and the line it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) line: usize,
}

impl Token<'_> {
    /// Whether it is a name, number, register, directive or string, and no punctuation.
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| is_word(c) || c == '"')
    }

    pub(super) fn error(&self) -> SyntaxError {
        SyntaxError { line: self.line, near: self.text.into() }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '%')
}

/// Splits text into words and single punctuation characters, without its comments.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").ok_or_else(|| SyntaxError { line, near: "/*".into() })? + 2
        } else if first.is_whitespace() {
            first.len_utf8()
        } else {
            let len = match first {
                '"' => {
                    rest[1..].find('"').ok_or_else(|| SyntaxError { line, near: "\"".into() })? + 2
                }
                _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            tokens.push(Token { text: &rest[..len], line });
            len
        };
        line += rest[..len].matches('\n').count();
        rest = &rest[len..];
    }
    Ok(tokens)
}

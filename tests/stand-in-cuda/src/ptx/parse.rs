//! From words to a program.

use super::token::{Token, tokens};
use super::{Entry, Parameter, Program, SyntaxError};

/// The instructions of PTX, without their modifiers.
const INSTRUCTIONS: &str = "abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev \
    brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence \
    fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier \
    membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem \
    ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix sub subc suld suq sured sust \
    szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vadd vmad vmax vmin vset vshl vshr vsub vote wgmma wmma xor";

/// Parses PTX text.
pub(crate) fn parse(text: &str) -> Result<Program, SyntaxError> {
    let tokens = tokens(text)?;
    let end = Token { text: "end of file", line: text.lines().count() };
    let mut parser = Parser { tokens: &tokens, at: 0, end };
    parser.program()
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    end: Token<'a>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).copied().unwrap_or(self.end)
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn expect(&mut self, text: &str) -> Result<Token<'a>, SyntaxError> {
        let token = self.next();
        if token.text == text { Ok(token) } else { Err(token.error()) }
    }

    fn program(&mut self) -> Result<Program, SyntaxError> {
        self.expect(".version")?;
        let version = self.next();
        let version = version
            .text
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            .ok_or_else(|| version.error())?;
        self.expect(".target")?;
        let target = self.next();
        let digits: String = target.text.chars().skip(3).take_while(char::is_ascii_digit).collect();
        let (true, Ok(target)) = (target.text.starts_with("sm_"), digits.parse()) else {
            return Err(target.error());
        };
        while self.peek().text == "," {
            self.at += 2;
        }
        let mut entries = Vec::new();
        while !self.is_at_end() {
            entries.extend(self.item()?);
        }
        Ok(Program { version, target, entries })
    }

    /// One directive, variable or function; `Some` for an entry point.
    fn item(&mut self) -> Result<Option<Entry>, SyntaxError> {
        let first = self.peek();
        match first.text {
            ".address_size" => {
                self.at += 1;
                let bits = self.next();
                return if matches!(bits.text, "32" | "64") { Ok(None) } else { Err(bits.error()) };
            }
            ".file" => {
                self.at += 3;
                while self.peek().text == "," {
                    self.at += 2;
                }
                return Ok(None);
            }
            ";" => {
                self.at += 1;
                return Ok(None);
            }
            text if text.starts_with('.') => {}
            _ => return Err(first.error()),
        }
        let head = self.at;
        while !matches!(self.peek().text, ";" | "{" | "=") {
            if self.is_at_end() {
                return Err(self.end.error());
            }
            self.at += 1;
        }
        let head = &self.tokens[head..self.at];
        let is_code = head.iter().any(|token| matches!(token.text, ".entry" | ".func"));
        match self.peek().text {
            "{" if is_code => self.body()?,
            "{" => self.skip_braces()?,
            "=" => self.initialiser()?,
            _ => self.at += 1,
        }
        match head.iter().position(|token| token.text == ".entry") {
            Some(at) => Ok(Some(entry(&head[at + 1..], first)?)),
            None => Ok(None),
        }
    }

    fn skip_braces(&mut self) -> Result<(), SyntaxError> {
        let mut depth = 0;
        loop {
            if self.is_at_end() {
                return Err(self.end.error());
            }
            match self.next().text {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn initialiser(&mut self) -> Result<(), SyntaxError> {
        while self.peek().text != ";" {
            if self.is_at_end() {
                return Err(self.end.error());
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    /// A function's body, from its opening brace to its closing one.
    fn body(&mut self) -> Result<(), SyntaxError> {
        let mut depth = 0;
        loop {
            if self.is_at_end() {
                return Err(self.end.error());
            }
            match self.peek().text {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {
                    self.statement()?;
                    continue;
                }
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// One instruction, label or directive inside a body.
    fn statement(&mut self) -> Result<(), SyntaxError> {
        let first = self.peek();
        if first.text == ".loc" {
            while self.peek().line == first.line && !self.is_at_end() {
                self.at += 1;
            }
            return Ok(());
        }
        if self.tokens.get(self.at + 1).is_some_and(|next| next.text == ":") && first.is_word() {
            self.at += 2;
            return Ok(());
        }
        if first.text == "@" {
            self.at += 1;
            if self.peek().text == "!" {
                self.at += 1;
            }
            self.at += 1;
        }
        let operation = self.next();
        let is_directive = operation.text.starts_with('.');
        let name = operation.text.split('.').next().unwrap_or_default();
        let is_known = INSTRUCTIONS.split_whitespace().any(|known| known == name)
            || (name.starts_with('v')
                && INSTRUCTIONS.contains(name.trim_end_matches(char::is_numeric)));
        if !is_directive && !is_known {
            return Err(operation.error());
        }
        self.operands(is_directive)
    }

    /// Everything up to the semicolon. Between two operands stands a comma.
    fn operands(&mut self, is_directive: bool) -> Result<(), SyntaxError> {
        let mut depth = 0;
        let mut after_word = false;
        loop {
            if self.is_at_end() {
                return Err(self.end.error());
            }
            let token = self.next();
            match token.text {
                ";" if depth == 0 => return Ok(()),
                "{" | "[" | "(" => depth += 1,
                "}" | "]" | ")" => depth -= 1,
                _ => {}
            }
            if depth < 0 || (!is_directive && after_word && token.is_word()) {
                return Err(token.error());
            }
            after_word = token.is_word();
        }
    }
}

/// An entry point from the words after `.entry`: name, parameters in parentheses, tuning directives.
fn entry(head: &[Token<'_>], first: Token<'_>) -> Result<Entry, SyntaxError> {
    let (name, rest) = head.split_first().ok_or_else(|| first.error())?;
    if !name.is_word() || name.text.starts_with('.') {
        return Err(name.error());
    }
    let mut parameters: Vec<Parameter> = Vec::new();
    let list = match (rest.first(), rest.iter().position(|token| token.text == ")")) {
        (Some(token), Some(end)) if token.text == "(" => &rest[1..end],
        (Some(token), _) if token.text == "(" => return Err(token.error()),
        _ => &[],
    };
    for words in list.split(|token| token.text == ",").filter(|words| !words.is_empty()) {
        let end = parameters.last().map_or(0, |last| last.offset + last.size);
        parameters.push(parameter(words, end)?);
    }
    Ok(Entry { name: name.text.into(), parameters })
}

/// `.param .u64 name`, `.param .align 16 .b8 name[64]`, with pointer attributes between type and name.
fn parameter(words: &[Token<'_>], end: usize) -> Result<Parameter, SyntaxError> {
    let error = || words[0].error();
    if words[0].text != ".param" {
        return Err(error());
    }
    let type_at =
        words.iter().position(|word| element_bytes(word.text).is_some()).ok_or_else(error)?;
    let element = element_bytes(words[type_at].text).ok_or_else(error)?;
    let number_after = |text: &str| {
        let at = words.iter().position(|word| word.text == text)?;
        words.get(at + 1)?.text.parse::<usize>().ok()
    };
    // An alignment after the type is that of what a pointer points to.
    let own_alignment = words[..type_at].iter().any(|word| word.text == ".align");
    let alignment = if own_alignment { number_after(".align").ok_or_else(error)? } else { element };
    let count = number_after("[").unwrap_or(1);
    Ok(Parameter {
        kind: words[type_at].text.into(),
        offset: end.next_multiple_of(alignment.max(1)),
        size: element * count,
    })
}

fn element_bytes(kind: &str) -> Option<usize> {
    Some(match kind {
        ".b8" | ".u8" | ".s8" => 1,
        ".b16" | ".u16" | ".s16" | ".f16" => 2,
        ".b32" | ".u32" | ".s32" | ".f32" => 4,
        ".b64" | ".u64" | ".s64" | ".f64" | ".texref" | ".surfref" => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r"
//
// A comment
.version 7.1
.target sm_50, debug
.address_size 64
.global .align 4 .u32 table[2] = {1, 2};
.visible .entry scale(
    .param .u64 .ptr .global .align 16 scale_param_0,
    .param .f32 scale_param_1,
    .param .align 8 .b8 scale_param_2[24]
)
.maxntid 256, 1, 1
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .loc 1 5 0
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 8;
    @%p1 bra $L__BB0_1;
    st.global.v4.f32 [%rd1+16], {%f1, %f2, %f3, 0f3F800000};
$L__BB0_1:
    ret;
}
.visible .entry nothing() { ret; }
";

    #[test]
    fn entries_and_their_parameters() {
        let program = parse(GOOD).unwrap();
        assert_eq!((program.version, program.target), ((7, 1), 50));
        let layout: Vec<(usize, usize)> =
            program.entries[0].parameters.iter().map(|p| (p.offset, p.size)).collect();
        assert_eq!(layout, [(0, 8), (8, 4), (16, 24)]);
        assert_eq!(program.entries[1].name, "nothing");
        assert!(program.entries[1].parameters.is_empty());
    }

    #[test]
    fn nonsense_is_told_with_its_line() {
        let broken = |from: &str, to: &str| parse(&GOOD.replacen(from, to, 1)).unwrap_err();
        assert_eq!(broken("mov.u32", "mvo.u32"), SyntaxError { line: 18, near: "mvo.u32".into() });
        assert_eq!(
            broken("%tid.x;", "%tid.x"),
            SyntaxError { line: 19, near: "setp.gt.u32".into() }
        );
        assert_eq!(broken(".version", "version").line, 4);
        assert_eq!(broken("debug", "debug this").line, 5);
        assert_eq!(broken("{ ret; }", "{ ret;").near, "end of file");
        assert!(parse("").is_err() && parse("hello").is_err());
    }
}

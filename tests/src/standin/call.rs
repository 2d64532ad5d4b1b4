//! A line of the stand-in driver's log.

use std::collections::HashMap;

/// One driver call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// `main`, or `t` and a number.
    pub thread: String,
    /// The GL context that was current, numbered from 1 in the order of appearance.
    pub gl: Option<u32>,
    /// The CUDA context that was current after the call.
    pub context: Option<String>,
    /// The function's name.
    pub function: String,
    /// Arguments by name, as written in the log: numbers in decimal, handles and addresses in hexadecimal.
    pub arguments: HashMap<String, String>,
    /// The driver's answer.
    pub code: u32,
    /// Whether a fault in the settings made that answer.
    pub is_fault: bool,
    /// What the function told besides, such as the kernel and its parameters (`p0`, `p1`, ...).
    pub notes: HashMap<String, String>,
}

impl Call {
    /// Parses a line.
    ///
    /// # Panics
    /// If it is not one.
    #[must_use]
    pub fn parse(line: &str) -> Self {
        Self::try_parse(line).unwrap_or_else(|| panic!("not a line of the driver's log: {line}"))
    }

    fn try_parse(line: &str) -> Option<Self> {
        let (head, notes) = line.split_once(" | ").unwrap_or((line, ""));
        let (head, answer) = head.rsplit_once(") = ")?;
        let (head, arguments) = head.split_once('(')?;
        let mut words = head.split(' ');
        let thread = words.next()?.to_owned();
        let gl = words.next()?.strip_prefix("gl=")?;
        let context = words.next()?.strip_prefix("ctx=")?;
        let pairs = |text: &str, separator: &str| {
            text.split(separator)
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (name.trim().to_owned(), value.to_owned()))
                .collect()
        };
        Some(Self {
            thread,
            gl: gl.parse().ok(),
            context: (context != "-").then(|| context.to_owned()),
            function: words.next()?.to_owned(),
            arguments: pairs(arguments, ", "),
            code: answer.trim_end_matches('!').parse().ok()?,
            is_fault: answer.ends_with('!'),
            notes: pairs(notes, " "),
        })
    }

    /// An argument or note as a number; hexadecimal after `0x`.
    ///
    /// # Panics
    /// If there is none of that name, or it is no integer.
    #[must_use]
    pub fn number(&self, name: &str) -> u64 {
        let text = self.text(name);
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        number.unwrap_or_else(|| panic!("{}: {name}={text} is no integer", self.function))
    }

    /// An argument or note as it stands.
    ///
    /// # Panics
    /// If there is none of that name.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.arguments
            .get(name)
            .or_else(|| self.notes.get(name))
            .unwrap_or_else(|| panic!("{} has no {name}: {self:?}", self.function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_read() {
        let call = Call::parse(
            "t3 gl=1 ctx=0xc0 cuLaunchKernel(function=0x10, grid_x=2, stream=0x0) = 700! | kernel=hatch p0=0x7f p3=0.5",
        );
        assert_eq!(
            (call.thread.as_str(), call.gl, call.code, call.is_fault),
            ("t3", Some(1), 700, true)
        );
        assert_eq!((call.number("grid_x"), call.number("p0"), call.text("p3")), (2, 0x7f, "0.5"));
        assert_eq!(Call::parse("main gl=- ctx=- cuInit(flags=0) = 0").context, None);
    }
}

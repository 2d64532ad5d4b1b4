//! What `SIMPLEGL_STANDIN` asks for.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// All settings, read once.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) faults: Vec<Fault>,
    pub(crate) version: i32,
    pub(crate) devices: i32,
    pub(crate) name: String,
    pub(crate) uuid: [u8; 16],
    pub(crate) luid: Option<u32>,
    pub(crate) compute_capability: (i32, i32),
    pub(crate) memory_bytes: usize,
    pub(crate) attributes: HashMap<i32, i32>,
    pub(crate) log: Option<String>,
    pub(crate) leftovers: Option<String>,
    pub(crate) stale_gl: bool,
    pub(crate) gl_devices: Vec<i32>,
    pub(crate) mapped_size: MappedSize,
    pub(crate) jit_log: Option<String>,
    pub(crate) late: bool,
    pub(crate) closes_refused: bool,
}

/// What `cuGraphicsResourceGetMappedPointer` says about the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MappedSize {
    Honest,
    Fixed(usize),
    Less(usize),
}

/// A call that does not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) function: String,
    pub(crate) effect: Effect,
    /// The calls it strikes, counted from 1.
    pub(crate) calls: RangeInclusive<u64>,
}

/// What such a call does instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Answers this code.
    Code(u32),
    /// Claims success and writes no out value.
    Null,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            faults: Vec::new(),
            version: 13_000,
            devices: 1,
            name: "Stand-in GPU".into(),
            uuid: *b"stand-in GPU \0\0\0",
            luid: None,
            compute_capability: (9, 0),
            memory_bytes: 8 << 30,
            attributes: HashMap::new(),
            log: None,
            leftovers: None,
            stale_gl: false,
            gl_devices: vec![0],
            mapped_size: MappedSize::Honest,
            jit_log: None,
            late: true,
            closes_refused: false,
        }
    }
}

/// The settings of this process. Ends the process where they make no sense: a test whose fault is misspelt must not pass.
pub(crate) fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let text = std::env::var("SIMPLEGL_STANDIN").unwrap_or_default();
        Settings::parse(&text).unwrap_or_else(|error| {
            eprintln!("stand-in driver: SIMPLEGL_STANDIN: {error}");
            std::process::exit(97);
        })
    })
}

impl Settings {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        for item in text.split(';').map(str::trim).filter(|item| !item.is_empty()) {
            let (key, value) =
                item.split_once('=').ok_or_else(|| format!("`{item}` is not key=value"))?;
            settings.set(key, value).map_err(|error| format!("`{item}`: {error}"))?;
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "null" => {
                let (function, calls) = value.split_once('@').unwrap_or((value, "1.."));
                self.faults.push(Fault::new(function, Effect::Null, calls)?);
            }
            "version" => self.version = number(value)?,
            "devices" => self.devices = number(value)?,
            "name" => self.name = value.into(),
            "uuid" => self.uuid = uuid(value)?,
            "luid" => self.luid = Some(number(value)?),
            "cc" => {
                let (major, minor) = value.split_once('.').ok_or("write it as 9.0")?;
                self.compute_capability = (number(major)?, number(minor)?);
            }
            "memory" => self.memory_bytes = number(value)?,
            "attribute" => {
                let (attribute, value) = value.split_once(':').ok_or("write it as 20:3")?;
                self.attributes.insert(number(attribute)?, number(value)?);
            }
            "log" => self.log = Some(value.into()),
            "leftovers" => self.leftovers = Some(value.into()),
            "gl" if value == "stale" => self.stale_gl = true,
            "gldevice" if value == "none" => self.gl_devices.clear(),
            "gldevice" => {
                self.gl_devices = value.split(',').map(number).collect::<Result<_, _>>()?;
            }
            "mappedsize" => {
                self.mapped_size = match value.strip_prefix('-') {
                    Some(less) => MappedSize::Less(number(less)?),
                    None => MappedSize::Fixed(number(value)?),
                };
            }
            "jitlog" => self.jit_log = Some(value.into()),
            "refused" if value == "closed" => self.closes_refused = true,
            "refused" if value == "open" => self.closes_refused = false,
            "order" if value == "late" => self.late = true,
            "order" if value == "now" => self.late = false,
            function if function.starts_with("cu") => {
                let (code, calls) = value.split_once('@').unwrap_or((value, "1.."));
                self.faults.push(Fault::new(function, Effect::Code(number(code)?), calls)?);
            }
            _ => return Err("no such setting".into()),
        }
        Ok(())
    }
}

impl Fault {
    /// `calls` is `n`, `n..` or `n..m`, counted from 1, both ends included.
    fn new(function: &str, effect: Effect, calls: &str) -> Result<Self, String> {
        let calls = match calls.split_once("..") {
            None => number(calls)?..=number(calls)?,
            Some((first, "")) => number(first)?..=u64::MAX,
            Some((first, last)) => number(first)?..=number(last)?,
        };
        Ok(Self { function: function.into(), effect, calls })
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

fn uuid(text: &str) -> Result<[u8; 16], String> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    if digits.len() != 32 {
        return Err("a UUID has 32 hexadecimal digits".into());
    }
    Ok(std::array::from_fn(|i| (digits[2 * i] << 4 | digits[2 * i + 1]) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused() {
        for text in ["cuA", "cuA=x", "colour=red", "gl=purple", "uuid=12", "cuA=1@0x"] {
            assert!(Settings::parse(text).is_err(), "{text}");
        }
    }
}

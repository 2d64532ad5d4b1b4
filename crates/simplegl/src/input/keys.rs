//! Keys to actions: one table, which is also what the help shows.

use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// End the program.
    Quit,
    /// Stop or go on.
    TogglePause,
    /// Pause, and advance by one frame.
    SingleStep,
    /// Animate faster.
    Faster,
    /// Animate slower.
    Slower,
    /// Twice the mesh width and height.
    LargerMesh,
    /// Half the mesh width and height.
    SmallerMesh,
    /// Next draw mode.
    NextDrawMode,
    /// Next colour mode.
    NextColorMode,
    /// Next colour map.
    NextColorMap,
    /// Wait for the display's refresh, or not.
    ToggleVsync,
    /// Fill the screen, or not.
    ToggleFullscreen,
    /// Show or hide the key help.
    ToggleHelp,
    /// Show or hide the control panel.
    TogglePanel,
    /// Show or hide the numbers.
    ToggleHud,
    /// Write the picture to a PNG file.
    Screenshot,
    /// The start view.
    ResetView,
    /// Look from the front.
    FrontView,
    /// Look from the side.
    SideView,
    /// Look from the top.
    TopView,
    /// Perspective or orthographic.
    ToggleProjection,
    /// Bring the whole mesh into the window.
    FitView,
    /// Put the view on the clipboard as text.
    CopyView,
    /// Take the view from the clipboard.
    PasteView,
}

impl Action {
    /// Whether holding the key down repeats the action.
    fn repeats(self) -> bool {
        matches!(self, Self::SingleStep | Self::Faster | Self::Slower)
    }
}

/// A key, alone or with Ctrl. Letters are lower case and mean the key with or without Shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A key that types this character.
    Char(char),
    /// The same together with Ctrl (or Command).
    Ctrl(char),
    /// A key with a name.
    Named(NamedKey),
}

/// Keys that share an action, and how the help presents them.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The keys.
    pub triggers: &'static [Trigger],
    /// What they do.
    pub action: Action,
    /// The keys as the help writes them.
    pub keys: &'static str,
    /// What they do, as the help writes it.
    pub help: &'static str,
}

const fn bind(
    triggers: &'static [Trigger],
    action: Action,
    keys: &'static str,
    help: &'static str,
) -> Binding {
    Binding { triggers, action, keys, help }
}

/// All keys of the viewer.
pub const BINDINGS: &[Binding] = {
    use Action as A;
    use Trigger::{Char, Ctrl, Named};
    &[
        bind(&[Named(NamedKey::Escape), Char('q')], A::Quit, "Esc, Q", "quit"),
        bind(&[Named(NamedKey::Space), Char(' ')], A::TogglePause, "Space", "pause, go on"),
        bind(&[Char('.')], A::SingleStep, ".", "pause and advance one frame"),
        bind(&[Char('+'), Char('=')], A::Faster, "+", "faster"),
        bind(&[Char('-'), Char('_')], A::Slower, "-", "slower"),
        bind(&[Char('[')], A::SmallerMesh, "[", "half the mesh"),
        bind(&[Char(']')], A::LargerMesh, "]", "twice the mesh"),
        bind(
            &[Char('m')],
            A::NextDrawMode,
            "M",
            "draw mode: auto, wireframe, surface, points, compute, raster",
        ),
        bind(&[Char('t')], A::NextColorMode, "T", "tint: solid, height, texture"),
        bind(&[Char('c')], A::NextColorMap, "C", "colour map of the height"),
        bind(&[Char('r')], A::ResetView, "R, double-click", "start view"),
        bind(&[Char('1')], A::FrontView, "1", "front view"),
        bind(&[Char('3')], A::SideView, "3", "side view"),
        bind(&[Char('7')], A::TopView, "7", "top view"),
        bind(&[Char('o')], A::ToggleProjection, "O", "perspective, orthographic"),
        bind(&[Char('z')], A::FitView, "Z", "fit the mesh to the window"),
        bind(&[Ctrl('c')], A::CopyView, "Ctrl+C", "copy the view as text"),
        bind(&[Ctrl('v')], A::PasteView, "Ctrl+V", "paste a view"),
        bind(&[Char('v')], A::ToggleVsync, "V", "vertical sync on, off"),
        bind(&[Char('f')], A::ToggleFullscreen, "F", "full screen"),
        bind(&[Named(NamedKey::Tab)], A::TogglePanel, "Tab", "control panel"),
        bind(&[Char('i')], A::ToggleHud, "I", "numbers (HUD)"),
        bind(&[Char('s')], A::Screenshot, "S", "screenshot to a PNG file"),
        bind(&[Char('h'), Named(NamedKey::F1)], A::ToggleHelp, "H, F1", "this help"),
    ]
};

/// What the mouse does, for the help: button and effect.
pub const MOUSE_HELP: &[(&str, &str)] = &[
    ("left drag", "orbit"),
    ("right drag, wheel", "zoom"),
    ("middle drag, Shift+left", "pan"),
    ("double-click", "start view"),
];

/// The action of a key press, if it has one.
///
/// `logical` is what the key types under the user's layout. On a layout without Latin letters the letter printed
/// on the same `physical` key of a US keyboard counts. `repeat` is true for the presses that holding a key generates.
#[must_use]
pub fn action(
    logical: &Key,
    physical: PhysicalKey,
    modifiers: ModifiersState,
    repeat: bool,
) -> Option<Action> {
    if modifiers.alt_key() {
        return None;
    }
    let with_ctrl = modifiers.control_key() || modifiers.super_key();
    let trigger = trigger(logical, physical, with_ctrl)?;
    let binding = BINDINGS.iter().find(|binding| binding.triggers.contains(&trigger))?;
    (!repeat || binding.action.repeats()).then_some(binding.action)
}

fn trigger(logical: &Key, physical: PhysicalKey, with_ctrl: bool) -> Option<Trigger> {
    let typed = match logical {
        Key::Named(named) => return (!with_ctrl).then_some(Trigger::Named(*named)),
        Key::Character(text) => single_char(text),
        _ => None,
    };
    let key = match typed {
        Some(typed) if typed.is_ascii() && !typed.is_ascii_control() => typed.to_ascii_lowercase(),
        _ => us_letter(physical)?,
    };
    Some(if with_ctrl { Trigger::Ctrl(key) } else { Trigger::Char(key) })
}

fn single_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// The letter of a US keyboard on this key.
fn us_letter(physical: PhysicalKey) -> Option<char> {
    let PhysicalKey::Code(code) = physical else { return None };
    Some(match code {
        KeyCode::KeyC => 'c',
        KeyCode::KeyF => 'f',
        KeyCode::KeyH => 'h',
        KeyCode::KeyI => 'i',
        KeyCode::KeyM => 'm',
        KeyCode::KeyO => 'o',
        KeyCode::KeyQ => 'q',
        KeyCode::KeyR => 'r',
        KeyCode::KeyS => 's',
        KeyCode::KeyT => 't',
        KeyCode::KeyV => 'v',
        KeyCode::KeyZ => 'z',
        KeyCode::BracketLeft => '[',
        KeyCode::BracketRight => ']',
        KeyCode::Period => '.',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_KEY: PhysicalKey = PhysicalKey::Code(KeyCode::F35);

    fn typed(text: &str) -> Option<Action> {
        action(&Key::Character(text.into()), NO_KEY, ModifiersState::empty(), false)
    }

    fn named(key: NamedKey) -> Option<Action> {
        action(&Key::Named(key), NO_KEY, ModifiersState::empty(), false)
    }

    #[test]
    fn every_documented_key_has_its_action() {
        use Action as A;
        for (text, expected) in [
            ("q", A::Quit),
            (".", A::SingleStep),
            ("+", A::Faster),
            ("=", A::Faster),
            ("-", A::Slower),
            ("[", A::SmallerMesh),
            ("]", A::LargerMesh),
            ("m", A::NextDrawMode),
            ("t", A::NextColorMode),
            ("c", A::NextColorMap),
            ("v", A::ToggleVsync),
            ("f", A::ToggleFullscreen),
            ("h", A::ToggleHelp),
            ("i", A::ToggleHud),
            ("s", A::Screenshot),
            ("r", A::ResetView),
            ("1", A::FrontView),
            ("3", A::SideView),
            ("7", A::TopView),
            ("o", A::ToggleProjection),
            ("z", A::FitView),
        ] {
            assert_eq!(typed(text), Some(expected), "{text}");
            assert_eq!(typed(&text.to_uppercase()), Some(expected), "Shift+{text}");
        }
        for (key, expected) in [
            (NamedKey::Escape, A::Quit),
            (NamedKey::Space, A::TogglePause),
            (NamedKey::F1, A::ToggleHelp),
            (NamedKey::Tab, A::TogglePanel),
        ] {
            assert_eq!(named(key), Some(expected), "{key:?}");
        }
    }

    #[test]
    fn keys_without_a_meaning_do_nothing() {
        for text in ["w", "8", "é", "", "qq", "\u{8}"] {
            assert_eq!(typed(text), None, "{text:?}");
        }
        assert_eq!(named(NamedKey::Enter), None);
    }

    #[test]
    fn ctrl_makes_other_keys_of_the_letters() {
        let ctrl = |text: &str| {
            action(&Key::Character(text.into()), NO_KEY, ModifiersState::CONTROL, false)
        };
        assert_eq!(ctrl("c"), Some(Action::CopyView));
        assert_eq!(ctrl("v"), Some(Action::PasteView));
        assert_eq!(ctrl("q"), None);
        let alt = action(&Key::Character("q".into()), NO_KEY, ModifiersState::ALT, false);
        assert_eq!(alt, None, "Alt+letter belongs to the desktop");
    }

    #[test]
    fn held_keys_repeat_only_where_that_helps() {
        let held = |text: &str| {
            action(&Key::Character(text.into()), NO_KEY, ModifiersState::empty(), true)
        };
        assert_eq!(held("+"), Some(Action::Faster));
        assert_eq!(held("."), Some(Action::SingleStep));
        assert_eq!(held("m"), None);
        assert_eq!(held("]"), None);
    }

    #[test]
    fn other_alphabets_use_the_key_position() {
        let russian = action(
            &Key::Character("й".into()),
            PhysicalKey::Code(KeyCode::KeyQ),
            ModifiersState::empty(),
            false,
        );
        assert_eq!(russian, Some(Action::Quit));
        let french_a_on_us_q = action(
            &Key::Character("a".into()),
            PhysicalKey::Code(KeyCode::KeyQ),
            ModifiersState::empty(),
            false,
        );
        assert_eq!(french_a_on_us_q, None, "a Latin layout means what it types");
    }

    #[test]
    fn no_key_has_two_actions() {
        let all: Vec<Trigger> =
            BINDINGS.iter().flat_map(|binding| binding.triggers).copied().collect();
        for (index, trigger) in all.iter().enumerate() {
            assert!(!all[index + 1..].contains(trigger), "{trigger:?} is bound twice");
        }
    }
}

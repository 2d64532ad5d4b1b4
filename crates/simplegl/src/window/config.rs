//! Which framebuffer configurations are worth trying, best first. Pure.

#![deny(unsafe_code)]

use glutin::config::{
    ColorBufferType, Config, ConfigTemplate, ConfigTemplateBuilder, GlConfig as _,
};

/// How many configurations are tried per API before giving up: drivers list hundreds, and each try makes a window.
pub(super) const MOST_TRIES: usize = 12;

/// What matters about a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    /// Bits of red, green and blue.
    rgb_bits: [u8; 3],
    alpha_bits: u8,
    depth_bits: u8,
    samples: u8,
    srgb: bool,
    accelerated: bool,
    /// The window would let the desktop shine through.
    translucent: bool,
}

impl Traits {
    pub(super) fn of(config: &Config) -> Self {
        let rgb_bits = match config.color_buffer_type() {
            Some(ColorBufferType::Rgb { r_size, g_size, b_size }) => [r_size, g_size, b_size],
            _ => [0; 3],
        };
        Self {
            rgb_bits,
            alpha_bits: config.alpha_size(),
            depth_bits: config.depth_size(),
            samples: config.num_samples(),
            srgb: config.srgb_capable(),
            accelerated: config.hardware_accelerated(),
            translucent: config.supports_transparency() == Some(true),
        }
    }

    /// Less is better; compared from left to right. Each position is one wish, and giving it up is one step of relaxing.
    fn shortfalls(self) -> [u8; 8] {
        let class = |is_bad: bool| u8::from(is_bad);
        [
            class(!self.accelerated),
            // 8 bits a channel, then 10 or more, then fewer (16-bit displays).
            match self.rgb_bits {
                [8, 8, 8] => 0,
                [r, g, b] if r.min(g).min(b) > 8 => 1,
                _ => 2,
            },
            match self.depth_bits {
                24.. => 0,
                16.. => 1,
                1.. => 2,
                0 => 3,
            },
            // The renderer does its own multisampling: the same picture off-screen and in a window.
            self.samples,
            class(self.translucent),
            class(self.alpha_bits > 8),
            class(!self.srgb),
            // A larger depth buffer than needed costs bandwidth.
            self.depth_bits.saturating_sub(24),
        ]
    }

    /// What a report of a refusal or a choice says.
    pub(super) fn describe(self) -> String {
        let [r, g, b] = self.rgb_bits;
        let Self { alpha_bits, depth_bits, samples, .. } = self;
        let srgb = if self.srgb { " sRGB" } else { "" };
        let samples = if samples > 0 { format!(" {samples} samples") } else { String::new() };
        format!("R{r}G{g}B{b}A{alpha_bits} depth {depth_bits}{samples}{srgb}")
    }
}

/// Asks for every configuration that can show OpenGL in a window; [`ranked`] does the choosing.
pub(super) fn template() -> ConfigTemplate {
    ConfigTemplateBuilder::new()
        .with_buffer_type(ColorBufferType::Rgb { r_size: 1, g_size: 1, b_size: 1 })
        .with_alpha_size(0)
        .with_depth_size(0)
        .with_stencil_size(0)
        .with_api(glutin::config::Api::OPENGL)
        .build()
}

/// The order to try: by [`Traits::shortfalls`], and as the driver listed them among equals.
pub(super) fn ranked(traits: &[Traits]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..traits.len()).collect();
    order.sort_by_key(|&index| traits[index].shortfalls());
    order
}

/// Tries candidates in order until one works, at most [`MOST_TRIES`]. The errors of those that did not come along.
pub(super) fn first_that_works<C, T, E>(
    candidates: impl IntoIterator<Item = C>,
    mut attempt: impl FnMut(C) -> Result<T, E>,
) -> (Option<T>, Vec<E>) {
    let mut refused = Vec::new();
    for candidate in candidates.into_iter().take(MOST_TRIES) {
        match attempt(candidate) {
            Ok(works) => return (Some(works), refused),
            Err(error) => refused.push(error),
        }
    }
    (None, refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Traits = Traits {
        rgb_bits: [8, 8, 8],
        alpha_bits: 0,
        depth_bits: 24,
        samples: 0,
        srgb: true,
        accelerated: true,
        translucent: false,
    };

    #[test]
    fn wishes_are_given_up_from_the_least_important() {
        let worse_and_worse = [
            GOOD,
            Traits { depth_bits: 32, ..GOOD },
            Traits { srgb: false, ..GOOD },
            Traits { alpha_bits: 16, ..GOOD },
            Traits { alpha_bits: 8, translucent: true, ..GOOD },
            Traits { samples: 4, ..GOOD },
            Traits { samples: 16, ..GOOD },
            Traits { depth_bits: 16, ..GOOD },
            Traits { depth_bits: 0, ..GOOD },
            Traits { rgb_bits: [10, 10, 10], ..GOOD },
            Traits { rgb_bits: [5, 6, 5], depth_bits: 16, ..GOOD },
            Traits { accelerated: false, ..GOOD },
        ];
        let mut shuffled = worse_and_worse;
        shuffled.reverse();
        let order = ranked(&shuffled);
        let sorted: Vec<Traits> = order.iter().map(|&index| shuffled[index]).collect();
        assert_eq!(sorted, worse_and_worse);
    }

    #[test]
    fn equals_keep_the_drivers_order_and_nothing_is_dropped() {
        assert_eq!(ranked(&[GOOD, GOOD, GOOD]), [0, 1, 2]);
        assert_eq!(ranked(&[]), [0usize; 0]);
        let only_bad = Traits { rgb_bits: [0; 3], accelerated: false, ..GOOD };
        assert_eq!(ranked(&[only_bad]), [0]);
    }

    #[test]
    fn refused_candidates_lead_to_the_next() {
        for failures in 0..MOST_TRIES {
            let mut tried = Vec::new();
            let (found, refused) = first_that_works(0.., |candidate: usize| {
                tried.push(candidate);
                if candidate < failures { Err(candidate) } else { Ok(candidate) }
            });
            assert_eq!(found, Some(failures));
            assert_eq!(refused.len(), failures);
            assert_eq!(tried, (0..=failures).collect::<Vec<_>>());
        }
        let (found, refused) = first_that_works(0.., |candidate: usize| Err::<(), _>(candidate));
        assert_eq!((found, refused.len()), (None, MOST_TRIES));
    }
}

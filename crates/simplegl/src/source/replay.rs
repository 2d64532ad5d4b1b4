//! What the painted texture holds, from the phases that painted on it.

use kernels::hatch::Pixel;

use super::PAINTED_SIZE;
use crate::compute::cpu::Cpu;

/// The painted texture after updates at these phases, computed on the CPU.
#[must_use]
pub fn replay(history: &[f32]) -> Vec<Pixel> {
    let [width, height] = PAINTED_SIZE;
    let mut pixels = vec![[0.0; 4]; width as usize * height as usize];
    let mut cpu = Cpu::new();
    for &time in history {
        cpu.hatch(&mut pixels, width, height, time);
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replay_depends_on_the_whole_history() {
        let black = replay(&[]);
        assert!(black.iter().all(|pixel| *pixel == [0.0; 4]));
        assert_ne!(replay(&[0.0, 0.01]), replay(&[0.01]));
    }
}

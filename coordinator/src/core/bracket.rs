//! Which thresholds to ask about when more than one score of a position is possible.
//!
//! Two goals at once, ">= v" and ">= v + 2", where v is the likely value: if the first holds and
//! the second does not, v is proved. When v was wrong the pair moves: first to the next score, then
//! by doubled steps, and never past the middle of what is left.

use outflank_engine::{Score, Window};

/// The pair of goals that is being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bracket {
    guess: Score,
    step: i32,
}

impl Bracket {
    /// Starts at the even score nearest to `estimate`.
    pub(super) fn new(estimate: i32) -> Self {
        Self { guess: Score::floor(estimate), step: 2 }
    }

    /// Returns whether a goal `window` that the pair asks is expected to hold.
    pub(super) fn is_likely(self, window: Window) -> bool {
        window.upper() <= self.guess
    }

    /// Moves the pair into what is open between `low` and `high`, where `low < high`, and returns
    /// the null windows to ask: one or two.
    pub(super) fn aim(&mut self, low: Score, high: Score) -> Vec<Window> {
        let middle = Score::floor((low.discs() + high.discs()) / 2);
        if self.guess > high {
            self.guess = Score::floor(high.discs() - (self.step - 2)).max(middle);
            self.step = (2 * self.step).min(64);
        } else if self.guess < low {
            self.guess = Score::floor(low.discs() + (self.step - 2)).min(middle);
            self.step = (2 * self.step).min(64);
        }
        let pair = [self.guess, self.guess.up()];
        let mut windows: Vec<_> = pair
            .into_iter()
            .filter(|&threshold| low < threshold && threshold <= high)
            .filter_map(Window::at_least)
            .collect();
        windows.dedup();
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(discs: i32) -> Score {
        Score::new(discs).expect("even and in range")
    }

    fn thresholds(bracket: &mut Bracket, low: i32, high: i32) -> Vec<i32> {
        let windows = bracket.aim(score(low), score(high));
        windows.into_iter().map(|window| window.upper().discs()).collect()
    }

    #[test]
    fn the_pair_moves_by_growing_steps_and_then_bisects() {
        let mut bracket = Bracket::new(5);
        assert_eq!(thresholds(&mut bracket, -64, 64), [4, 6]);
        assert_eq!(thresholds(&mut bracket, 4, 64), [6]);
        assert_eq!(thresholds(&mut bracket, 6, 64), [8], "one step up");
        assert_eq!(thresholds(&mut bracket, 8, 64), [10, 12], "two steps up");
        assert_eq!(thresholds(&mut bracket, 12, 64), [18, 20], "four steps up");
        assert_eq!(thresholds(&mut bracket, 12, 16), [14, 16], "the middle");
    }

    #[test]
    fn every_value_is_found_from_every_guess() {
        for value in (-64..=64).step_by(2) {
            for estimate in -64..=64 {
                let (mut low, mut high, mut bracket) = (-64, 64, Bracket::new(estimate));
                let mut rounds = 0;
                while low < high {
                    let asked = thresholds(&mut bracket, low, high);
                    assert!(!asked.is_empty());
                    for threshold in asked {
                        if value >= threshold {
                            low = low.max(threshold);
                        } else {
                            high = high.min(threshold - 2);
                        }
                    }
                    rounds += 1;
                }
                assert_eq!(low, value);
                assert!(rounds <= 16, "{rounds} rounds from {estimate} to {value}");
            }
        }
    }
}

//! Proved bounds and the windows that are asked about.

use std::fmt;
use std::ops::Neg;

use crate::Score;

/// What is proved of a position's value: `lower <= value <= upper`.
///
/// Merging is maximum of the lowers and minimum of the uppers: commutative and idempotent, so that
/// late and repeated results are harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    lower: Score,
    upper: Score,
}

/// Two proved bounds that exclude each other: one of them is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bounds {first} and {second} contradict each other")]
pub struct Contradiction {
    /// The bound that was held.
    pub first: Bound,
    /// The bound that was to be merged into it.
    pub second: Bound,
}

impl Bound {
    /// Nothing is known: −64..=+64.
    pub const UNKNOWN: Self = Self { lower: Score::MIN, upper: Score::MAX };

    /// Returns the bound `lower..=upper`, or `None` if `lower` is above `upper`.
    #[must_use]
    pub fn new(lower: Score, upper: Score) -> Option<Self> {
        (lower <= upper).then_some(Self { lower, upper })
    }

    /// Returns the bound of a position whose value is `value`.
    #[must_use]
    pub const fn exact(value: Score) -> Self {
        Self { lower: value, upper: value }
    }

    /// Returns the bound "`value` or more".
    #[must_use]
    pub const fn at_least(value: Score) -> Self {
        Self { lower: value, upper: Score::MAX }
    }

    /// Returns the bound "`value` or less".
    #[must_use]
    pub const fn at_most(value: Score) -> Self {
        Self { lower: Score::MIN, upper: value }
    }

    /// Returns the lower bound.
    #[must_use]
    pub const fn lower(self) -> Score {
        self.lower
    }

    /// Returns the upper bound.
    #[must_use]
    pub const fn upper(self) -> Score {
        self.upper
    }

    /// Returns the value, if it is proved exactly.
    #[must_use]
    pub fn value(self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Returns whether the bound says all that `window` asks: the value itself, or on which side
    /// of the window it lies.
    #[must_use]
    pub fn answers(self, window: Window) -> bool {
        self.lower == self.upper || self.lower >= window.upper || self.upper <= window.lower
    }

    /// Returns what both bounds together prove.
    ///
    /// # Errors
    /// [`Contradiction`] if no value satisfies both.
    pub fn merge(self, other: Self) -> Result<Self, Contradiction> {
        Self::new(self.lower.max(other.lower), self.upper.min(other.upper))
            .ok_or(Contradiction { first: self, second: other })
    }

    /// Returns whether this bound excludes every value that `other` excludes.
    #[must_use]
    pub fn implies(self, other: Self) -> bool {
        self.lower >= other.lower && self.upper <= other.upper
    }
}

/// The same bound, seen by the other player.
impl Neg for Bound {
    type Output = Self;

    fn neg(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => value.fmt(f),
            None => f.pad(&format!("{}..={}", self.lower, self.upper)),
        }
    }
}

/// The question put to a search: which value, if it is between `lower` and `upper`?
///
/// All values at or below `lower` need no distinction, nor do all at or above `upper`. A null
/// window has two neighbouring scores: "is the value at least `upper`?"
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    lower: Score,
    upper: Score,
}

impl Window {
    /// The whole range: the exact value is asked.
    pub const FULL: Self = Self { lower: Score::MIN, upper: Score::MAX };

    /// Returns the window, or `None` unless `lower` is below `upper`.
    #[must_use]
    pub fn new(lower: Score, upper: Score) -> Option<Self> {
        (lower < upper).then_some(Self { lower, upper })
    }

    /// Returns the null window that asks "is the value at least `threshold`?", or `None` for
    /// −64, which is always reached.
    #[must_use]
    pub fn at_least(threshold: Score) -> Option<Self> {
        Self::new(threshold.down(), threshold)
    }

    /// Returns the lower end.
    #[must_use]
    pub const fn lower(self) -> Score {
        self.lower
    }

    /// Returns the upper end.
    #[must_use]
    pub const fn upper(self) -> Score {
        self.upper
    }

    /// Returns whether the window only separates two neighbouring scores.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.lower.up() == self.upper
    }
}

/// The same question, asked by the other player.
impl Neg for Window {
    type Output = Self;

    fn neg(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}..{}", self.lower, self.upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(discs: i32) -> Score {
        Score::new(discs).unwrap()
    }

    #[test]
    fn merging_keeps_what_both_prove_and_reports_contradictions() {
        let low = Bound::at_least(score(4));
        let high = Bound::at_most(score(6));
        assert_eq!(low.merge(high), Ok(Bound { lower: score(4), upper: score(6) }));
        assert!(low.merge(Bound::at_most(score(2))).is_err());
    }

    #[test]
    fn a_null_window_is_answered_by_either_side() {
        let window = Window::at_least(score(4)).unwrap();
        assert!(window.is_null());
        assert!(Bound::at_least(score(4)).answers(window));
        assert!(Bound::at_most(score(2)).answers(window));
        assert!(!Bound::at_least(score(2)).answers(window));
        assert_eq!(Window::at_least(Score::MIN), None);
    }
}

//! What a row asks, and when it is decided.

use std::fmt;

use outflank_engine::{Bound, Score, Window};

/// A claim about a position that somebody makes without proof: its value lies in `lower..=upper`.
///
/// It is no [`Bound`], and there is no conversion to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    lower: Score,
    upper: Score,
}

impl Hypothesis {
    /// Returns the claim, or `None` if no value satisfies it or every value does.
    #[must_use]
    pub fn new(lower: Score, upper: Score) -> Option<Self> {
        let says_something = lower > Score::MIN || upper < Score::MAX;
        (lower <= upper && says_something).then_some(Self { lower, upper })
    }

    /// Returns the lowest value that satisfies the claim.
    #[must_use]
    pub const fn lower(self) -> Score {
        self.lower
    }

    /// Returns the highest value that satisfies the claim.
    #[must_use]
    pub const fn upper(self) -> Score {
        self.upper
    }
}

impl fmt::Display for Hypothesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match (self.lower, self.upper) {
            (lower, upper) if lower == upper => format!("= {lower}"),
            (lower, Score::MAX) => format!(">= {lower}"),
            (Score::MIN, upper) => format!("<= {upper}"),
            (lower, upper) => format!("{lower}..={upper}"),
        };
        f.pad(&text)
    }
}

/// How a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its hypothesis holds.
    Proved,
    /// Its hypothesis does not hold.
    Refuted,
    /// It had none, and its question is answered.
    Solved,
}

/// What a row asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Does this hold?
    Claim(Hypothesis),
    /// Which value, inside this window?
    Value(Window),
}

impl Question {
    /// Returns how the row ended if the position's value is proved to be in `proved`, or `None` if
    /// that is not enough.
    #[must_use]
    pub fn outcome(self, proved: Bound) -> Option<Outcome> {
        match self {
            Self::Claim(Hypothesis { lower, upper }) => {
                if proved.lower() >= lower && proved.upper() <= upper {
                    Some(Outcome::Proved)
                } else if proved.upper() < lower || proved.lower() > upper {
                    Some(Outcome::Refuted)
                } else {
                    None
                }
            }
            Self::Value(window) => proved.answers(window).then_some(Outcome::Solved),
        }
    }

    /// Returns the next window to ask about if only `proved` is known; `None` if the row is decided.
    ///
    /// One side of a claim after the other: each is a null window, the cheapest question there is,
    /// and a refuted first side spares the second.
    #[must_use]
    pub fn next(self, proved: Bound) -> Option<Window> {
        if self.outcome(proved).is_some() {
            return None;
        }
        match self {
            Self::Claim(claim) if proved.lower() < claim.lower => Window::at_least(claim.lower),
            Self::Claim(claim) => Window::at_least(claim.upper.up()),
            Self::Value(window) => Some(window),
        }
    }

    /// Returns all windows that may have to be asked.
    pub(super) fn windows(self) -> impl Iterator<Item = Window> {
        let windows = match self {
            Self::Claim(Hypothesis { lower, upper }) => {
                let below = (upper < Score::MAX).then(|| Window::at_least(upper.up())).flatten();
                [Window::at_least(lower), below]
            }
            Self::Value(window) => [Some(window), None],
        };
        windows.into_iter().flatten()
    }

    /// Returns three bytes that are equal for equal questions only.
    pub(super) fn key(self) -> [u8; 3] {
        let (kind, lower, upper) = match self {
            Self::Claim(claim) => (0, claim.lower, claim.upper),
            Self::Value(window) => (1, window.lower(), window.upper()),
        };
        let byte = |score: Score| (score.discs() + 64) as u8;
        [kind, byte(lower), byte(upper)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(discs: i32) -> Score {
        Score::new(discs).unwrap()
    }

    fn claim(lower: i32, upper: i32) -> Question {
        Question::Claim(Hypothesis::new(score(lower), score(upper)).unwrap())
    }

    #[test]
    fn a_claim_is_decided_by_what_it_excludes_and_by_nothing_less() {
        let not_lost = claim(0, 64);
        assert_eq!(not_lost.outcome(Bound::at_least(score(0))), Some(Outcome::Proved));
        assert_eq!(not_lost.outcome(Bound::at_most(score(-2))), Some(Outcome::Refuted));
        assert_eq!(not_lost.outcome(Bound::at_least(score(-2))), None);
        assert_eq!(not_lost.outcome(Bound::at_most(score(0))), None);
        assert_eq!(Hypothesis::new(Score::MIN, Score::MAX), None);
    }

    #[test]
    fn a_claim_and_the_value_in_the_same_window_are_two_questions() {
        let window = Window::new(score(0), score(4)).unwrap();
        assert_ne!(claim(0, 4).key(), Question::Value(window).key());
        assert_ne!(claim(0, 4).key(), claim(0, 6).key());
        assert_ne!(claim(0, 4).key(), claim(2, 4).key());
    }

    /// Every claim about every value, asked step by step.
    #[test]
    fn the_questions_lead_to_the_right_outcome_in_at_most_two_steps() {
        let scores = || (-64..=64).step_by(2).map(score);
        for (lower, upper) in scores().flat_map(|low| scores().map(move |high| (low, high))) {
            let Some(hypothesis) = Hypothesis::new(lower, upper) else { continue };
            let question = Question::Claim(hypothesis);
            for value in scores() {
                let (mut proved, mut steps) = (Bound::UNKNOWN, 0);
                while let Some(window) = question.next(proved) {
                    assert!(window.is_null() && question.windows().any(|asked| asked == window));
                    let told = if value >= window.upper() {
                        Bound::at_least(window.upper())
                    } else {
                        Bound::at_most(window.lower())
                    };
                    proved = proved.merge(told).unwrap();
                    steps += 1;
                }
                let holds = (lower..=upper).contains(&value);
                let expected = if holds { Outcome::Proved } else { Outcome::Refuted };
                assert_eq!(question.outcome(proved), Some(expected));
                assert!(steps <= 2, "{hypothesis} {value}");
            }
        }
    }
}

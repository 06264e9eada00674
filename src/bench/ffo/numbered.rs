//! The positions, and which of them are asked for.

use std::ops::RangeInclusive;
use std::str::FromStr;

use outflank_engine::notation::{self, Problem};
use outflank_engine::{Answer, Score};

/// The positions with their values and best moves; the file names the source.
const FILE: &str = include_str!("../../../tests/data/ffo.obf");

/// How many positions there are.
const COUNT: usize = 79;

/// A position and its number in FForum's series.
#[derive(Clone, Debug)]
pub(super) struct Numbered {
    pub(super) number: usize,
    pub(super) problem: Problem,
}

impl Numbered {
    /// Returns whether the answer is the known value, by one of the moves known to reach it.
    pub(super) fn agrees(&self, answer: &Answer) -> bool {
        let is_best = |best| self.problem.expected.iter().any(|(square, _)| *square == Some(best));
        answer.bound.value() == Some(self.value()) && answer.best_move.is_some_and(is_best)
    }

    /// Returns the known value.
    pub(super) fn value(&self) -> Score {
        self.problem.expected_value().expect("the file has a value for every position")
    }

    /// Returns the moves that reach the value, with spaces between them.
    pub(super) fn best_moves(&self) -> Vec<String> {
        let moves = self.problem.expected.iter().filter_map(|&(square, _)| square);
        moves.map(|square| square.to_string()).collect()
    }
}

/// Numbers of positions in ascending order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selection(Vec<usize>);

impl Selection {
    /// Returns the positions.
    pub(super) fn positions(&self) -> Vec<Numbered> {
        let problems = notation::problems("ffo.obf", FILE);
        let all = problems.enumerate().map(|(index, problem)| Numbered {
            number: index + 1,
            problem: problem.expect("the file is well-formed, as a test shows"),
        });
        all.filter(|numbered| self.0.contains(&numbered.number)).collect()
    }
}

impl FromStr for Selection {
    type Err = String;

    /// Reads `40-59`, `45` or a list such as `1-19,45`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = Vec::new();
        for part in text.split(',') {
            numbers.extend(range(part.trim()).ok_or_else(|| {
                format!(
                    "found \"{part}\", expected numbers from 1 to {COUNT} such as 40-59 or 1-19,45"
                )
            })?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok(Self(numbers))
    }
}

fn range(text: &str) -> Option<RangeInclusive<usize>> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=COUNT).contains(number));
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = number(first)?..=number(last)?;
    (!range.is_empty()).then_some(range)
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Square};

    use super::*;

    fn selection(text: &str) -> Result<Vec<usize>, String> {
        text.parse().map(|Selection(numbers)| numbers)
    }

    #[test]
    fn selections_are_sorted_and_without_duplicates() {
        assert_eq!(selection("45"), Ok(vec![45]));
        assert_eq!(selection("40-43"), Ok(vec![40, 41, 42, 43]));
        assert_eq!(selection("7, 3-4,4-5"), Ok(vec![3, 4, 5, 7]));
        for bad in ["", "0", "80", "5-4", "a", "1-", "-3", "1,,2", "40..59"] {
            assert!(selection(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_position_has_a_value_and_its_number_in_the_comment() {
        let all: Selection = "1-79".parse().unwrap();
        let positions = all.positions();
        let lines = FILE.lines().filter(|line| line.contains("% FFO #"));
        assert_eq!((positions.len(), lines.clone().count()), (COUNT, COUNT));
        for (numbered, line) in positions.iter().zip(lines) {
            let Numbered { number, problem } = numbered;
            let comment = format!("% FFO #{number}, {} empties", problem.position.empties());
            assert!(line.ends_with(&comment), "{line}");
            let value = numbered.value();
            assert!(problem.expected.iter().all(|(_, score)| *score == value), "{line}");
        }
    }

    #[test]
    fn a_wrong_value_or_move_does_not_agree() {
        let first = &"1".parse::<Selection>().unwrap().positions()[0];
        let answer = |discs, best: &str| Answer {
            bound: Bound::exact(Score::new(discs).unwrap()),
            best_move: Some(best.parse::<Square>().unwrap()),
            line: Vec::new(),
            children: Vec::new(),
            order: Vec::new(),
            nodes: 0,
            finished: true,
        };
        assert!(first.agrees(&answer(18, "g8")));
        assert!(!first.agrees(&answer(16, "g8")) && !first.agrees(&answer(18, "h1")));
        assert!(!first.agrees(&Answer { best_move: None, ..answer(18, "g8") }));
    }
}

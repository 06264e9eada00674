//! What the reader of a proof expects it to prove: a proof of something else is none of that.
//!
//! Each line has a position, in the form of OBF: 64 squares, the side to move, and after semicolons
//! what is known of its value, for the side to move. `MOVE:SCORE` gives the score of a move, the best
//! of them is the value; `>= SCORE` and `<= SCORE` are bounds. Where nothing is given, the value must
//! be proved, whatever it is. Blank lines, and what follows `%` or `#`, are skipped.

use std::collections::HashMap;
use std::fmt;

use crate::line::Root;
use crate::printable::shortened;
use crate::rules::{self, Position, Turn};

/// What is expected, and what has been proved of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectations {
    expected: Vec<Expected>,
    /// By [`place`], what the roots so far prove.
    proved: HashMap<Position, Range>,
}

/// A line that is no expectation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: found {found:?}, expected {expected}")]
pub struct ExpectError {
    /// The line, from 1.
    pub line: usize,
    /// What stands there.
    pub found: String,
    /// What could stand there.
    pub expected: &'static str,
}

/// An expectation that no root meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unmet {
    /// Its line, from 1.
    pub line: usize,
    /// The position, what is expected of it, and what is proved.
    pub words: String,
}

#[derive(Clone, Debug)]
struct Expected {
    line: usize,
    position: Position,
    /// `None` where the value must be proved, whatever it is.
    range: Option<Range>,
}

/// Where a value lies; ±64 says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    lower: i32,
    upper: i32,
}

impl Range {
    const ANY: Self = Self { lower: -64, upper: 64 };

    fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    const fn is_empty(self) -> bool {
        self.lower > self.upper
    }

    /// Returns the range that the opponent sees.
    const fn turned(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower }
    }

    const fn is_within(self, other: Self) -> bool {
        self.lower >= other.lower && self.upper <= other.upper
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lower, self.upper) {
            (lower, upper) if lower == upper => write!(f, "{lower:+}"),
            (-64, upper) => write!(f, "at most {upper:+}"),
            (lower, 64) => write!(f, "at least {lower:+}"),
            (lower, upper) => write!(f, "{lower:+}..{upper:+}"),
        }
    }
}

impl Expectations {
    /// Reads expectations.
    ///
    /// # Errors
    /// If a line is none, or if there is none at all.
    pub(crate) fn parse(text: &str) -> Result<Self, ExpectError> {
        let mut all = Self::default();
        // Some programs put this mark at the beginning of a file.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.split(['%', '#']).next().unwrap_or_default().trim();
            if !text.is_empty() {
                let expected = expected(line, text).map_err(|(found, expected)| ExpectError {
                    line,
                    found: shortened(found),
                    expected,
                })?;
                let (place, _) = place(expected.position, Range::ANY);
                all.proved.insert(place, Range::ANY);
                all.expected.push(expected);
            }
        }
        match all.expected.is_empty() {
            true => Err(ExpectError { line: 1, found: String::new(), expected: "positions" }),
            false => Ok(all),
        }
    }

    /// Takes note of what a root proves.
    pub(crate) fn note(&mut self, root: &Root) {
        let range = Range { lower: root.lower, upper: root.upper };
        let (place, range) = place(root.position, range);
        if let Some(proved) = self.proved.get_mut(&place) {
            *proved = proved.and(range);
        }
    }

    /// Returns the number of expectations.
    #[must_use]
    pub(crate) fn count(&self) -> usize {
        self.expected.len()
    }

    /// Returns those that the roots do not meet.
    pub(crate) fn unmet(&self) -> impl Iterator<Item = Unmet> {
        self.expected.iter().filter_map(|expected| self.judge(expected))
    }

    fn judge(&self, expected: &Expected) -> Option<Unmet> {
        // What is proved is turned back to the player of the expected position.
        let (place, _) = place(expected.position, Range::ANY);
        let proved = self.proved.get(&place).copied().unwrap_or(Range::ANY);
        let (_, proved) = self::place(expected.position, proved);
        let (is_met, wanted) = match expected.range {
            Some(range) => (proved.is_within(range), range.to_string()),
            None => (proved.lower == proved.upper, "proved exactly".to_owned()),
        };
        let found = match proved {
            Range::ANY => "no root is about it".to_owned(),
            proved => format!("the roots prove {proved}"),
        };
        let words = format!("expected {} to be {wanted}, {found}", expected.position);
        (!is_met).then_some(Unmet { line: expected.line, words })
    }
}

/// Returns where what is known of a position is kept: symmetric positions, and those before and after
/// a forced pass, are the same.
fn place(position: Position, range: Range) -> (Position, Range) {
    match position.turn() {
        Turn::Pass(next) => (next.canonical(), range.turned()),
        Turn::Move(_) | Turn::Over(_) => (position.canonical(), range),
    }
}

/// What was found and what was expected instead.
type Wrong<'a> = (&'a str, &'static str);

fn expected(line: usize, text: &str) -> Result<Expected, Wrong<'_>> {
    let mut fields = text.split(';').map(str::trim);
    let board = fields.next().unwrap_or_default();
    let position = board_of(board).ok_or((board, "64 squares of X, O, - and +, then X or O"))?;
    let mut range: Option<Range> = None;
    let mut scores: HashMap<Option<u32>, i32> = HashMap::new();
    for field in fields.filter(|field| !field.is_empty()) {
        if let Some(bound) = bound(field, position)? {
            range = Some(range.unwrap_or(Range::ANY).and(bound));
        } else {
            let (square, score) = scored_move(field, position)?;
            if *scores.entry(square).or_insert(score) != score {
                return Err((field, "one score of a move"));
            }
        }
    }
    if let Some(&value) = scores.values().max() {
        range = Some(range.unwrap_or(Range::ANY).and(Range { lower: value, upper: value }));
    }
    match range {
        // No proof could meet it, and none is to blame.
        Some(range) if range.is_empty() => {
            Err((text.split_once(';').map_or("", |(_, given)| given.trim()), "what a value can be"))
        }
        range => Ok(Expected { line, position, range }),
    }
}

/// Reads a board with either side to move, in all spellings of OBF.
fn board_of(text: &str) -> Option<Position> {
    let spelled: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let (last, _) = spelled.char_indices().next_back()?;
    let (squares, side) = spelled.split_at(last);
    let is_black = match side {
        "X" | "x" | "*" => true,
        "O" | "o" | "0" => false,
        _ => return None,
    };
    let (black, white) = if is_black { ('X', 'O') } else { ('O', 'X') };
    let square = |character| match character {
        'X' | 'x' | '*' => black,
        'O' | 'o' | '0' => white,
        '.' => '-',
        other => other,
    };
    let squares: String = squares.chars().map(square).collect();
    Position::from_text(&format!("{squares} X"))
}

/// Reads a bound, or returns `None` if the field is something else.
fn bound(field: &str, position: Position) -> Result<Option<Range>, Wrong<'_>> {
    if let Some(value) = field.strip_prefix(">=") {
        Ok(Some(Range { lower: score(value, position)?, ..Range::ANY }))
    } else if let Some(value) = field.strip_prefix("<=") {
        Ok(Some(Range { upper: score(value, position)?, ..Range::ANY }))
    } else {
        Ok(None)
    }
}

/// The names of a pass.
const PASSES: [&str; 4] = ["ps", "pa", "pass", "--"];

/// Reads a legal move, or a forced pass, which is `None`, and its score.
fn scored_move(field: &str, position: Position) -> Result<(Option<u32>, i32), Wrong<'_>> {
    let not_a_field = || (field, "MOVE:SCORE, >= SCORE or <= SCORE");
    let (name, value) = field.split_once(':').ok_or_else(not_a_field)?;
    let name = name.trim().to_ascii_lowercase();
    let square = if PASSES.contains(&name.as_str()) {
        matches!(position.turn(), Turn::Pass(_)).then_some(None)
    } else {
        let square = rules::square_number(&name);
        square.filter(|&square| position.play(square).is_some()).map(Some)
    };
    let square = square.ok_or((field, "a legal move"))?;
    Ok((square, score(value, position)?))
}

fn score(text: &str, position: Position) -> Result<i32, Wrong<'_>> {
    let squares = position.squares();
    let score = text.trim().parse().ok();
    score
        .filter(|score| score % 2 == 0 && (-squares..=squares).contains(score))
        .ok_or((text, "an even number of discs that the board has"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FForum's position 1.
    const BOARD: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--";

    fn unmet(text: &str, roots: &[(Position, i32, i32)]) -> Vec<String> {
        let mut expectations = Expectations::parse(text).unwrap();
        for &(position, lower, upper) in roots {
            expectations.note(&Root { number: 1, position, lower, upper });
        }
        let ends = |unmet: Unmet| unmet.words.rsplit(" to be ").next().unwrap_or("").to_owned();
        expectations.unmet().map(ends).collect()
    }

    #[test]
    fn roots_meet_what_they_prove_and_no_more() {
        let position = board_of(&format!("{BOARD} X")).unwrap();
        let line = |rest: &str| format!("{BOARD} X{rest}");
        let mirrored = crate::symmetry::all(position)[5];
        let exact = [(mirrored, 18, 18)];
        let met = [
            "",
            ";",
            "; g8 : 18",
            "; >= 18; <= +18",
            "; G8:+18; >= -4 % FFO #1",
            "; H1:+12; G8:+18; H7:+6",
            "; G8:+18; g8:+18; <= 18",
        ];
        for met in met {
            assert_eq!(unmet(&line(met), &exact), [""; 0], "{met}");
        }
        assert_eq!(unmet(&line("; >= 20"), &exact), ["at least +20, the roots prove +18"]);
        assert_eq!(unmet(&line("; G8:+20"), &exact), ["+20, the roots prove +18"]);
        let ends = [(position, 10, 64), (mirrored, -64, 20)];
        assert_eq!(unmet(&line(""), &ends), ["proved exactly, the roots prove +10..+20"]);
        assert_eq!(unmet(&line("; >= 10; <= 20"), &ends), [""; 0]);
        assert_eq!(unmet(&line(""), &[]), ["proved exactly, no root is about it"]);
        // The same position with the colours exchanged, and in all spellings.
        let exchanged: String =
            BOARD.chars().map(|disc| if disc == 'X' { 'O' } else { 'X' }).collect();
        let exchanged: String = exchanged
            .chars()
            .zip(BOARD.chars())
            .map(|(disc, old)| if old == '-' { '.' } else { disc })
            .collect();
        for (text, side) in [
            (exchanged.clone(), 'O'),
            (exchanged.to_lowercase(), '0'),
            (BOARD.replace('X', "*").replace('O', "0"), '*'),
        ] {
            assert_eq!(unmet(&format!("{text} {side}; >= 18"), &exact), [""; 0], "{text}");
        }
        let marked = format!("\u{feff}{}\r\n", line(""));
        assert_eq!(unmet(&marked, &exact), [""; 0], "a file of some editor");
        // White to move is another position.
        let other = format!("{BOARD} O");
        assert_eq!(unmet(&other, &exact), ["proved exactly, no root is about it"]);
    }

    #[test]
    fn a_forced_pass_turns_what_is_expected() {
        let passing = "OX------".to_owned() + &"-".repeat(56);
        let next = Position { player: 0b01, opponent: 0b10 };
        assert_eq!(unmet(&format!("{passing} X; <= -4"), &[(next, 4, 64)]), [""; 0]);
        assert_eq!(unmet(&format!("{passing} X; PS:-4"), &[(next, 4, 4)]), [""; 0]);
        let turned = crate::symmetry::all(next.pass())[5];
        assert_ne!(turned, next.pass());
        assert_eq!(unmet(&format!("{passing} X; <= -4"), &[(turned, -64, -4)]), [""; 0]);
        let found = unmet(&format!("{passing} X; <= -6"), &[(next, 4, 64)]);
        assert_eq!(found, ["at most -6, the roots prove at most -4"]);
    }

    #[test]
    fn what_is_no_expectation_is_named() {
        let error = |text: &str| Expectations::parse(text).unwrap_err().to_string();
        assert_eq!(error(" % nothing"), "line 1: found \"\", expected positions");
        assert!(error("\n\nX").starts_with("line 3: found \"X\", expected 64 squares"));
        for (rest, expected) in [
            ("18", "MOVE:SCORE, >= SCORE or <= SCORE"),
            ("G8:b", "an even number of discs that the board has"),
            (">= 66", "an even number of discs that the board has"),
            (">= 17", "an even number of discs that the board has"),
            ("D4:+2", "a legal move"),
            ("PS:+2", "a legal move"),
            (">= 18; <= 10", "found \">= 18; <= 10\", expected what a value can be"),
            ("G8:+18; <= 16", "expected what a value can be"),
            (">= 20; H1:+12; G8:+18", "expected what a value can be"),
            ("G8:+18; g8:+20", "found \"g8:+20\", expected one score of a move"),
            ("H1:+2; G8:+18; H1:+4", "expected one score of a move"),
        ] {
            let found = error(&format!("{BOARD} X; {rest}"));
            assert!(found.ends_with(expected), "{found}");
        }
    }
}

//! Positions as text: boards, move lists, and files of them.
//!
//! | form | example |
//! | --- | --- |
//! | board | 64 characters a1, b1, … h8, then the side to move: `X`, `x`, `*` black, `O`, `o`, `0` white, `-`, `.` empty; blanks may stand anywhere |
//! | move list | `f5d6c3`, from the start position; a pass may be left out, or written `--`, `ps`, `pa`, `pass`; also `f5 d6`, `f5-d6`, `f5, d6` and `1. f5 2. d6`, whose numbers begin with 1 to 9, as no board does |
//! | `start` | the start position |
//! | GGF | a game from its board on, `(;GM[Othello]BO[8 … *]B[f5]W[d6];)`; the position after its last move |
//! | OBF | a board, then `; MOVE:SCORE` for moves whose score is known, seen by the side to move; `PS:SCORE` where it must pass; `>= SCORE` and `<= SCORE` are bounds of the value |
//!
//! A board smaller than 8x8 is written with 64 characters too, its walls as `+`, or, where the reader
//! was told its size, by its own squares alone; move lists and `start` then begin on that board.
//!
//! A game may be over: its position has a value as well, and no move.
//!
//! In files each line holds one position; blank lines and whatever follows `%` or `#` are skipped.
//! The module reads text and no files.

mod board;
mod error;
mod ggf;
mod moves;
mod obf;
mod segment;

use std::fmt;

use crate::{BoardSize, Bound, Position, Score, Square};

pub use error::{Fault, NotationError, Place, excerpt};
use segment::Segment;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Black, who makes the first move of a game: `X`.
    Black,
    /// White: `O`.
    White,
}

impl Side {
    /// Returns the opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// Returns the side's letter on boards: `X` or `O`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'X',
            Self::White => 'O',
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "black",
            Self::White => "white",
        })
    }
}

/// A position to solve, and what is known of it.
///
/// Displayed as an OBF line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The moves whose score is known, with the score for the side to move; `None` is a pass.
    pub expected: Vec<(Option<Square>, Score)>,
    /// What is given of the value besides: ends, where no move is known to reach it.
    pub bound: Bound,
}

impl Problem {
    /// Returns the score that is given for the move to `square`, or for a pass.
    #[must_use]
    pub fn expected_score(&self, square: Option<Square>) -> Option<Score> {
        self.expected.iter().find(|(scored, _)| *scored == square).map(|&(_, score)| score)
    }

    /// Returns the score of the best scored move: the position's value if all moves, or the best
    /// ones, are scored.
    #[must_use]
    pub fn expected_value(&self) -> Option<Score> {
        self.expected.iter().map(|&(_, score)| score).max()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&obf::format(self))
    }
}

/// Reads the positions of a text, one a line; `name` is what errors call the text.
///
/// A text without any position gives one error.
pub fn problems<'a>(
    name: &'a str,
    text: &'a str,
) -> impl Iterator<Item = Result<Problem, NotationError>> + 'a {
    problems_on(BoardSize::STANDARD, name, text)
}

/// Reads positions as [`problems`] does, on a board of this size.
pub fn problems_on<'a>(
    size: BoardSize,
    name: &'a str,
    text: &'a str,
) -> impl Iterator<Item = Result<Problem, NotationError>> + 'a {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate();
    let mut found = false;
    std::iter::from_fn(move || {
        for (index, line) in lines.by_ref() {
            let line = Segment::line(name, index + 1, line).before(&['%', '#']).trimmed();
            if !line.text.is_empty() {
                found = true;
                return Some(problem(line, size));
            }
        }
        let nothing = !std::mem::replace(&mut found, true);
        nothing.then(|| Err(Segment::line(name, 1, "").error(0, Fault::Empty)))
    })
}

/// Reads a line that is not blank.
fn problem(line: Segment<'_>, size: BoardSize) -> Result<Problem, NotationError> {
    let unscored =
        |(position, side)| Problem { position, side, expected: Vec::new(), bound: Bound::UNKNOWN };
    if ggf::is_game(line.text) {
        ggf::parse(line, size).map(unscored)
    } else if !is_move_list(line.text) {
        obf::parse(line, size)
    } else if is_start(line.text) {
        Ok(unscored((size.start(), Side::Black)))
    } else {
        moves::parse(line, size).map(unscored)
    }
}

/// Returns whether a line can be nothing but a move list, a game or `start`, which no scores can follow.
#[must_use]
pub fn takes_no_scores(line: &str) -> bool {
    is_move_list(line) || ggf::is_game(line)
}

/// Returns whether a line can be nothing but a move list or `start`.
fn is_move_list(line: &str) -> bool {
    let text = line.trim_start();
    is_start(text)
        || text.starts_with(|first| matches!(first, 'a'..='h' | 'A'..='H'))
        || moves::number(text) > 0
}

fn is_start(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("start")
}

/// Returns the board text of a position: 64 characters, walls among them as `+`, a blank, the side
/// to move.
#[must_use]
pub fn board(position: Position, side: Side) -> String {
    board::format(position, side)
}

/// Returns a move, or a pass, and its score as they stand in OBF: `F5:+2`, `PS:-4`.
#[must_use]
pub fn scored_move(square: Option<Square>, score: Score) -> String {
    obf::format_scored(square, score)
}

/// Returns the ends of a value as they stand in OBF behind a board and its semicolon: ` >= +2;`, ` <= -4;`, both or
/// nothing.
#[must_use]
pub fn bound(bound: Bound) -> String {
    obf::format_bound(bound)
}

/// Returns a line of moves in lower case with blanks between them; passes are not written.
#[must_use]
pub fn moves(line: &[Square]) -> String {
    moves::format(line)
}

#[cfg(test)]
mod tests;

//! What can be wrong with a text, and where.

use std::fmt;

use crate::{BoardSize, Bound, Score};

use super::Side;

/// The most characters of a text that errors quote.
const QUOTED: usize = 60;

/// Returns a text as errors quote it: a long one ends with an ellipsis.
#[must_use]
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text that is no position: where and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct NotationError {
    /// Where the fault is.
    pub place: Place,
    /// What was found, and what was expected.
    pub fault: Fault,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the text, as the caller gave it: a file name, say.
    pub name: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}, column {}", self.name, self.line, self.column)
    }
}

/// What was found, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text holds no position at all.
    #[error("found no position, expected a board, a move list or a game")]
    Empty,
    /// A character that cannot stand on a board.
    #[error("found {found:?} on the board, expected X (black), O (white) or - (empty)")]
    NotABoard {
        /// The character.
        found: char,
    },
    /// Too few or too many squares.
    #[error("found a board of {found} squares, expected {expected} squares and the side to move")]
    WrongLength {
        /// The number of squares.
        found: usize,
        /// The number of squares of the board that is asked for.
        expected: usize,
    },
    /// Walls that leave no board.
    #[error(
        "found walls (+) that are not those around a board of 4 to 8 columns and rows in the \
         middle of the 64 squares"
    )]
    NotWalls,
    /// A board of another size than the one that is asked for.
    #[error("found walls (+) around a board of {found}, expected one of {expected}")]
    OtherBoard {
        /// The size of the board.
        found: BoardSize,
        /// The size that is asked for.
        expected: BoardSize,
    },
    /// Nothing where the side to move must stand.
    #[error("the side to move is missing after the {squares} squares, expected X or O")]
    NoSide {
        /// The number of squares.
        squares: usize,
    },
    /// Something else where the side to move must stand.
    #[error("found {found:?} as the side to move, expected X or O")]
    NotASide {
        /// The character.
        found: char,
    },
    /// Something behind the side to move.
    #[error("found {found:?} after the side to move, expected ; or the end")]
    AfterTheSide {
        /// The character.
        found: char,
    },
    /// No move where one must stand.
    #[error("move {number}: found {found:?}, expected a square such as f5 or -- for a pass")]
    NotAMove {
        /// The number of the move, counted from 1; passes count only where they are written.
        number: usize,
        /// The text.
        found: String,
    },
    /// A move that the rules forbid.
    #[error("move {number}: {found} is illegal for {side}, expected {expected}")]
    Illegal {
        /// The number of the move, counted from 1; passes count only where they are written.
        number: usize,
        /// The move.
        found: String,
        /// Who made it.
        side: Side,
        /// The legal moves.
        expected: String,
    },
    /// No property of a game where one must stand.
    #[error(
        "found {found:?} in a game, expected a property such as BO[8 …] or B[f5], or ;) at its end"
    )]
    NotAProperty {
        /// The text.
        found: String,
    },
    /// A game without the board that it begins with.
    #[error(
        "the game has no board before its first move, expected BO[8, the squares and the side to move]"
    )]
    NoStartBoard,
    /// A game on a board of another size.
    #[error("found a game on a board of {found:?} columns, expected 8")]
    NotEightColumns {
        /// The text.
        found: String,
    },
    /// A move of the player whose turn it is not.
    #[error("move {number}: found a move of {side}, expected one of {}", side.other())]
    OutOfTurn {
        /// The number of the move, counted from 1; passes count only where they are written.
        number: usize,
        /// Who made it.
        side: Side,
    },
    /// Something behind a game.
    #[error("found {found:?} after the game, expected one game on a line")]
    AfterTheGame {
        /// The text.
        found: String,
    },
    /// No `MOVE:SCORE` where one must stand.
    #[error(
        "found {found:?}, expected a move and its score such as F5:+2, or a bound such as >= 2"
    )]
    NotAScoredMove {
        /// The text.
        found: String,
    },
    /// A scored move that the rules forbid.
    #[error("a score is given for {found}, which is illegal, expected {expected}")]
    IllegalScoredMove {
        /// The move.
        found: String,
        /// The legal moves.
        expected: String,
    },
    /// A score that no game can end with.
    #[error("found the score {found:?}, expected an even number from -64 to +64")]
    NotAScore {
        /// The text.
        found: String,
    },
    /// Two scores for one move.
    #[error("two scores are given for {found}, {first} and {second}, expected one")]
    TwoScores {
        /// The move.
        found: String,
        /// The score that was given first.
        first: Score,
        /// The other one.
        second: Score,
    },
    /// Scores or bounds that no value satisfies together.
    #[error("the value is given as {first} and as {second}, expected what can be true together")]
    NoValue {
        /// What was given first.
        first: Bound,
        /// What contradicts it.
        second: Bound,
    },
}

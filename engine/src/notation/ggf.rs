//! GGF: a game as servers keep it, `(;GM[Othello]BO[8 … *]B[f5]W[d6];)`.
//!
//! Of its properties only the board (`BO`) and the moves (`B`, `W`) are read; a move may be followed by what its player
//! thought of it and the time that it took (`B[f5/1.30/2.5]`). The position is the one after the last move. The form:
//! Generic Game Format, <https://www.skatgame.net/mburo/ggsa/ggf>.

use crate::{BoardSize, Position, Square};

use super::segment::Segment;
use super::{Fault, NotationError, Side, board, excerpt, moves};

/// How a game begins, but for the number of games that archives put before it.
const BEGIN: &str = "(;";
/// How it ends.
const END: &str = ";)";

/// Returns whether a line is meant as a game, or as several, rather than as a board.
pub(super) fn is_game(line: &str) -> bool {
    after_number(line.trim_start()).starts_with(BEGIN)
}

/// Returns a line without the number of its games.
fn after_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    rest.trim_start()
}

/// Plays a game.
pub(super) fn parse(line: Segment<'_>, size: BoardSize) -> Result<(Position, Side), NotationError> {
    let skipped = line.text.len() - after_number(line.text).len();
    let (_, mut game) = line.split_at(line.text[..skipped].chars().count() + BEGIN.len());
    let mut state = None;
    let mut number = 0;
    loop {
        game = game.trimmed();
        if let Some(after) = game.text.strip_prefix(END) {
            if !after.trim().is_empty() {
                let found = excerpt(after.trim());
                return Err(game.error(END.len(), Fault::AfterTheGame { found }));
            }
            return state.ok_or_else(|| line.error(0, Fault::NoStartBoard));
        }
        let (name, value, after) = property(game)?;
        match (name.text, state) {
            ("BO", _) => state = Some(start(value, size)?),
            ("B" | "W", Some(before)) => {
                number += 1;
                let side = if name.text == "B" { Side::Black } else { Side::White };
                state = Some(play(before, side, number, value)?);
            }
            ("B" | "W", None) => return Err(name.error(0, Fault::NoStartBoard)),
            _ => {}
        }
        game = after;
    }
}

/// Returns the name and the value of the first property, and what follows it.
fn property(game: Segment<'_>) -> Result<(Segment<'_>, Segment<'_>, Segment<'_>), NotationError> {
    let not_a_property =
        || game.error(0, Fault::NotAProperty { found: excerpt(game.text.trim_end()) });
    let (name, rest) = game.split_once('[');
    let name = name.trimmed();
    let (value, after) = rest.ok_or_else(not_a_property)?.split_once(']');
    let after = after.ok_or_else(not_a_property)?;
    if name.text.is_empty() || !name.text.chars().all(|letter| letter.is_ascii_uppercase()) {
        return Err(not_a_property());
    }
    Ok((name, value, after))
}

/// Reads the board that a game begins with, after the number of its columns.
fn start(value: Segment<'_>, size: BoardSize) -> Result<(Position, Side), NotationError> {
    let value = value.trimmed();
    let digits = value.text.chars().take_while(char::is_ascii_digit).count();
    let (columns, squares) = value.split_at(digits);
    if columns.text != "8" {
        let found = excerpt(columns.text);
        return Err(value.error(0, Fault::NotEightColumns { found }));
    }
    board::parse(squares, size)
}

/// Plays a move of `mover`, after a pass that was left out if there must be one.
fn play(
    (position, side): (Position, Side),
    mover: Side,
    number: usize,
    value: Segment<'_>,
) -> Result<(Position, Side), NotationError> {
    let (word, _) = value.split_once('/');
    let word = word.trimmed();
    if side != mover && position.must_pass() {
        return play((position.pass(), mover), mover, number, value);
    }
    if side != mover {
        return Err(value.error(0, Fault::OutOfTurn { number, side: mover }));
    }
    let after = match word.text.parse::<Square>() {
        Ok(square) => position.play(square),
        Err(_) if moves::is_pass(word.text) => position.must_pass().then(|| position.pass()),
        Err(_) => {
            let found = excerpt(word.text);
            return Err(word.error(0, Fault::NotAMove { number, found }));
        }
    };
    let illegal = || Fault::Illegal {
        number,
        found: word.text.to_owned(),
        side,
        expected: moves::legal(position),
    };
    after.map(|after| (after, side.other())).ok_or_else(|| word.error(0, illegal()))
}

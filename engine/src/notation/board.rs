//! Boards: 64 squares a1 to h8, row by row, then the side to move.

use crate::Position;

use super::segment::Segment;
use super::{Fault, NotationError, Side};

/// What one character says of a square.
enum Content {
    Disc(Side),
    Empty,
}

fn content(character: char) -> Option<Content> {
    match character {
        'X' | 'x' | '*' => Some(Content::Disc(Side::Black)),
        'O' | 'o' | '0' => Some(Content::Disc(Side::White)),
        '-' | '.' => Some(Content::Empty),
        _ => None,
    }
}

/// Reads a board and the side to move.
pub(super) fn parse(segment: Segment<'_>) -> Result<(Position, Side), NotationError> {
    let segment = segment.trimmed();
    let marks: Vec<(usize, char)> = segment.marks().collect();
    let squares = &marks[..marks.len() - usize::from(ends_with_a_side(&marks))];
    let (mut black, mut white) = (0_u64, 0_u64);
    for (number, &(at, found)) in squares.iter().enumerate() {
        let bit = 1_u64.checked_shl(number as u32).unwrap_or(0);
        match content(found) {
            Some(Content::Disc(Side::Black)) => black |= bit,
            Some(Content::Disc(Side::White)) => white |= bit,
            Some(Content::Empty) => {}
            None => return Err(segment.error(at, Fault::NotABoard { found })),
        }
    }
    if squares.len() != 64 {
        return Err(segment.error(0, Fault::WrongLength { found: squares.len() }));
    }
    let side = side(segment, marks.get(64))?;
    let (player, opponent) = match side {
        Side::Black => (black, white),
        Side::White => (white, black),
    };
    Ok((Position::new(player, opponent).expect("a square has one content"), side))
}

/// Returns whether the last mark is meant as the side to move: it is number 65, or it is a disc
/// or an unknown character that stands alone after a blank.
fn ends_with_a_side(marks: &[(usize, char)]) -> bool {
    let alone = match marks {
        [.., (before, _), (last, _)] => last - before > 1,
        _ => false,
    };
    marks.len() == 65 || alone
}

fn side(segment: Segment<'_>, mark: Option<&(usize, char)>) -> Result<Side, NotationError> {
    let Some(&(at, found)) = mark else {
        return Err(segment.error(segment.text.chars().count(), Fault::NoSide));
    };
    match content(found) {
        Some(Content::Disc(side)) => Ok(side),
        _ => Err(segment.error(at, Fault::NotASide { found })),
    }
}

/// Returns the board text of a position: 64 characters, a blank, the side to move.
pub(super) fn format(position: Position, side: Side) -> String {
    let (black, white) = match side {
        Side::Black => (position.player(), position.opponent()),
        Side::White => (position.opponent(), position.player()),
    };
    let squares = (0..64).map(|square| match ((black >> square) & 1, (white >> square) & 1) {
        (1, _) => 'X',
        (_, 1) => 'O',
        _ => '-',
    });
    let mut text: String = squares.collect();
    text.push(' ');
    text.push(side.letter());
    text
}

//! Boards: their squares row by row, then the side to move.
//!
//! A small board is written by its own squares alone where its size is known, or with all 64
//! squares and its walls, which tell the size.

use crate::{BoardSize, Position};

use super::segment::Segment;
use super::{Fault, NotationError, Side};

/// What one character says of a square.
enum Content {
    Disc(Side),
    Empty,
    Wall,
}

/// The number of squares of a board that is written with its walls.
const ALL: usize = 64;

/// More marks than a board and its side have: whatever the line is, only so many are looked at.
const MOST_MARKS: usize = ALL + 8;

fn content(character: char) -> Option<Content> {
    match character {
        'X' | 'x' | '*' => Some(Content::Disc(Side::Black)),
        'O' | 'o' | '0' => Some(Content::Disc(Side::White)),
        '-' | '.' => Some(Content::Empty),
        '+' => Some(Content::Wall),
        _ => None,
    }
}

/// Reads a board of this size, or any board with its walls if that is the usual one, and the side
/// to move.
pub(super) fn parse(
    segment: Segment<'_>,
    size: BoardSize,
) -> Result<(Position, Side), NotationError> {
    let segment = segment.trimmed();
    let marks: Vec<(usize, char)> = segment.marks().take(MOST_MARKS).collect();
    let own = size.squares() as usize;
    if marks.len() == MOST_MARKS {
        let ends_alone = segment.text.chars().nth_back(1).is_some_and(char::is_whitespace);
        let found = segment.marks().count() - usize::from(ends_alone);
        return Err(unlike_a_board(segment, &marks, found, own));
    }
    let has_side = ends_with_a_side(&marks, own);
    let (squares, rest) = marks.split_at(marks.len() - usize::from(has_side));
    let walled = squares.iter().any(|&(_, mark)| mark == '+');
    let places: Vec<u32> = match squares.len() {
        ALL if walled || own == ALL => (0..64).collect(),
        found if found == own && !walled => {
            (0..64).filter(|&square| size.walls() >> square & 1 == 0).collect()
        }
        found => return Err(unlike_a_board(segment, squares, found, own)),
    };
    let (black, white) = discs(segment, squares, &places)?;
    let (black, white) =
        if walled { (black, white) } else { (black | size.walls(), white | size.walls()) };
    let side = side(segment, rest.first(), own)?;
    let (player, opponent) = match side {
        Side::Black => (black, white),
        Side::White => (white, black),
    };
    let position =
        Position::new(player, opponent).ok_or_else(|| segment.error(0, Fault::NotWalls))?;
    let found = position.board_size();
    if own != ALL && found.squares() != size.squares() {
        return Err(segment.error(0, Fault::OtherBoard { found, expected: size }));
    }
    Ok((position, side))
}

/// Returns the error of a text with the wrong number of squares: a character that cannot stand on a
/// board says more than the number.
fn unlike_a_board(
    segment: Segment<'_>,
    marks: &[(usize, char)],
    found: usize,
    expected: usize,
) -> NotationError {
    let Some(first) = marks.iter().position(|&(_, mark)| content(mark).is_none()) else {
        return segment.error(0, Fault::WrongLength { found, expected });
    };
    // A board whose own squares are fewer may have been written with its walls.
    let squares = if first >= ALL { ALL } else { expected };
    let side = marks.get(squares).and_then(|&(_, mark)| content(mark));
    let (at, fault): (_, fn(char) -> Fault) = match side {
        _ if first == squares => (first, |found| Fault::NotASide { found }),
        Some(Content::Disc(_)) if first > squares => {
            (squares + 1, |found| Fault::AfterTheSide { found })
        }
        _ => (first, |found| Fault::NotABoard { found }),
    };
    let (at, found) = marks[at];
    segment.error(at, fault(found))
}

/// Returns the black and the white discs of the squares at these places; walls are in both.
fn discs(
    segment: Segment<'_>,
    squares: &[(usize, char)],
    places: &[u32],
) -> Result<(u64, u64), NotationError> {
    let (mut black, mut white) = (0, 0);
    for (&(at, found), place) in squares.iter().zip(places) {
        let bit = 1_u64 << place;
        match content(found) {
            Some(Content::Disc(Side::Black)) => black |= bit,
            Some(Content::Disc(Side::White)) => white |= bit,
            Some(Content::Empty) => {}
            Some(Content::Wall) => (black, white) = (black | bit, white | bit),
            None => return Err(segment.error(at, Fault::NotABoard { found })),
        }
    }
    Ok((black, white))
}

/// Returns whether the last mark is meant as the side to move: it follows the squares of the board,
/// or it is a disc or an unknown character that stands alone after a blank.
fn ends_with_a_side(marks: &[(usize, char)], squares: usize) -> bool {
    let alone = match marks {
        [.., (before, _), (last, _)] => last - before > 1,
        _ => false,
    };
    marks.len() == squares + 1 || marks.len() == ALL + 1 || alone
}

fn side(
    segment: Segment<'_>,
    mark: Option<&(usize, char)>,
    squares: usize,
) -> Result<Side, NotationError> {
    let Some(&(at, found)) = mark else {
        return Err(segment.error(segment.text.chars().count(), Fault::NoSide { squares }));
    };
    match content(found) {
        Some(Content::Disc(side)) => Ok(side),
        _ => Err(segment.error(at, Fault::NotASide { found })),
    }
}

/// Returns the board text of a position: 64 characters, walls among them, a blank, the side to move.
pub(super) fn format(position: Position, side: Side) -> String {
    let (black, white) = match side {
        Side::Black => (position.player(), position.opponent()),
        Side::White => (position.opponent(), position.player()),
    };
    let squares = (0..64).map(|square| match ((black >> square) & 1, (white >> square) & 1) {
        (1, 1) => '+',
        (1, _) => 'X',
        (_, 1) => 'O',
        _ => '-',
    });
    let mut text: String = squares.collect();
    text.push(' ');
    text.push(side.letter());
    text
}

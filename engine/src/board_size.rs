//! Boards smaller than 8x8, laid into the middle of the board of 64 squares.

use std::fmt;
use std::str::FromStr;

use crate::Position;

/// A number of columns and rows, 4 to 8 each.
///
/// A small board lies in the middle of the usual one, and its squares keep their usual names: the
/// 6x6 board goes from B2 to G7, as in published games. The squares around it are walls, which a
/// [`Position`] notes as discs of both sides. Of an odd number of columns the spare one lies on the
/// right, of rows below. The number of squares is even, so that all scores are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSize {
    columns: u8,
    rows: u8,
}

/// Fewest columns or rows: the start position needs some room.
const FEWEST: u8 = 4;

impl BoardSize {
    /// The usual board, 8x8.
    pub const STANDARD: Self = Self { columns: 8, rows: 8 };

    /// Returns the size, or `None` if a side is not 4 to 8 or the number of squares is odd.
    #[must_use]
    pub const fn new(columns: u8, rows: u8) -> Option<Self> {
        let fits = FEWEST <= columns && columns <= 8 && FEWEST <= rows && rows <= 8;
        if fits && (columns * rows).is_multiple_of(2) { Some(Self { columns, rows }) } else { None }
    }

    /// Returns the number of columns.
    #[must_use]
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// Returns the number of squares.
    #[must_use]
    pub const fn squares(self) -> u32 {
        self.columns as u32 * self.rows as u32
    }

    /// Returns the squares around the board.
    #[must_use]
    pub const fn walls(self) -> u64 {
        let row = side(self.columns, (8 - self.columns) / 2);
        let rows = side(self.rows, (8 - self.rows) / 2);
        !rectangle(row, rows)
    }

    /// Returns the start position of a game, black to move.
    #[must_use]
    pub fn start(self) -> Position {
        let (start, walls) = (Position::START, self.walls());
        Position::new(start.player() | walls, start.opponent() | walls)
            .expect("the walls are those of a board that has the four middle squares")
    }

    /// Returns the size of the board that `walls` leave, in any of its symmetric places.
    #[must_use]
    pub(crate) const fn within(walls: u64) -> Option<Self> {
        if walls == 0 {
            return Some(Self::STANDARD);
        }
        let (mut row, mut rows, mut number) = (0, 0, 0);
        while number < 8 {
            let here = (!walls >> (8 * number)) as u8;
            row |= here;
            rows |= ((here != 0) as u8) << number;
            number += 1;
        }
        let size = Self::new(row.count_ones() as u8, rows.count_ones() as u8);
        if !walls == rectangle(row, rows) && is_middle(row) && is_middle(rows) {
            size
        } else {
            None
        }
    }
}

/// Returns so many bits, after `before` others.
const fn side(length: u8, before: u8) -> u8 {
    (u8::MAX >> (8 - length)) << before
}

/// Returns the squares in the columns `row` of the rows `rows`.
const fn rectangle(row: u8, rows: u8) -> u64 {
    let (mut squares, mut number) = (0, 0);
    while number < 8 {
        if rows >> number & 1 != 0 {
            squares |= (row as u64) << (8 * number);
        }
        number += 1;
    }
    squares
}

/// Returns whether the bits are one run in the middle, or next to it if their number is odd.
const fn is_middle(bits: u8) -> bool {
    let (before, after) = (bits.trailing_zeros(), bits.leading_zeros());
    before + bits.count_ones() + after == 8 && before.abs_diff(after) <= 1
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.columns, self.rows))
    }
}

/// The text does not name a size of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a board size, expected COLUMNSxROWS such as 6x6: \
     4 to 8 each, and an even number of squares"
)]
pub struct NotABoardSize(String);

impl FromStr for BoardSize {
    type Err = NotABoardSize;

    fn from_str(text: &str) -> Result<Self, NotABoardSize> {
        let sides = text.split_once(['x', 'X']);
        sides
            .and_then(|(columns, rows)| Self::new(columns.parse().ok()?, rows.parse().ok()?))
            .ok_or_else(|| NotABoardSize(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = BoardSize> {
        (0..=9).flat_map(|columns| (0..=9).filter_map(move |rows| BoardSize::new(columns, rows)))
    }

    #[test]
    fn sizes_are_known_by_their_walls_and_their_names() {
        assert_eq!(all().count(), 25 - 4, "5 by 5 choices less those of two odd sides");
        for size in all() {
            assert_eq!(BoardSize::within(size.walls()), Some(size));
            assert_eq!(size.to_string().parse(), Ok(size));
            assert_eq!(size.walls().count_zeros(), size.squares());
            assert_eq!(size.start().empties() + 4, size.squares());
            assert_eq!(size.start().canonical().board_size().squares(), size.squares());
        }
        for bad in ["", "6", "5x5", "3x4", "9x8", "6x", "x6", "-6x6", "6x6x6", "256x6"] {
            assert!(bad.parse::<BoardSize>().is_err(), "{bad}");
        }
    }

    #[test]
    fn other_walls_are_none() {
        let six = BoardSize::new(6, 6).unwrap().walls();
        assert_eq!(six, 0xFF81_8181_8181_81FF);
        for wrong in [u64::MAX, 1, six ^ 1, six ^ 1 << 27, six << 1, !0xF0F0_F0F0, 0xFFFF] {
            assert_eq!(BoardSize::within(wrong), None, "{wrong:#018x}");
        }
    }
}

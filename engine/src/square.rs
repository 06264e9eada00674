//! Squares of the board.

use std::fmt;
use std::str::FromStr;

/// A square: A1 = 0, B1 = 1, … H8 = 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns square number `index`, or `None` if there is no such square.
    #[must_use]
    pub const fn new(index: u32) -> Option<Self> {
        if index < 64 { Some(Self(index as u8)) } else { None }
    }

    /// Returns the square of the lowest bit set in `squares`, or `None` if there is none.
    #[must_use]
    pub const fn lowest(squares: u64) -> Option<Self> {
        Self::new(squares.trailing_zeros())
    }

    /// Returns the squares of the bits set in `squares`, in ascending order.
    pub fn all(squares: u64) -> impl Iterator<Item = Self> {
        let mut rest = squares;
        std::iter::from_fn(move || {
            let square = Self::lowest(rest)?;
            rest &= rest - 1;
            Some(square)
        })
    }

    /// Returns the square's number, 0 to 63.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0 as u32
    }

    /// Returns the board that has only this square's bit set.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1_u64.rotate_left(self.0 as u32)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = char::from(b'a' + self.0 % 8);
        let rank = char::from(b'1' + self.0 / 8);
        f.pad(&format!("{file}{rank}"))
    }
}

/// The text does not name a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a square, expected a letter a to h and a digit 1 to 8")]
pub struct NotASquare(String);

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Self, NotASquare> {
        match text.as_bytes() {
            [file @ (b'a'..=b'h' | b'A'..=b'H'), rank @ b'1'..=b'8'] => {
                Ok(Self((rank - b'1') * 8 + (file.to_ascii_lowercase() - b'a')))
            }
            _ => Err(NotASquare(text.to_owned())),
        }
    }
}

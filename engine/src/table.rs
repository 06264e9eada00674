//! The transposition tables that all threads share.
//!
//! One cache line holds three entries: the two boards of each (six words) and three packs of 40 bits (two words).
//! There is no lock. The first board word is stored mixed with its entry's pack, the second with both, so that an
//! entry whose words come from two different writes belongs to no position and reads as absent; this is the idea of R.
//! Hyatt's and T. Mann's lockless hashing.
//!
//! [`Table`] holds proved bounds, [`Hints`] holds what selective searches believe. Both are lines
//! of packs; they share no type through which one could be read as the other.

mod hints;
mod lines;
mod proved;

pub use hints::SharedHint;
pub(crate) use hints::{Effort, Hint, Hints};
pub(crate) use proved::{Entry, Table};

/// Stands for "no move" in six bits: D4 is occupied in every game. Where no game leads, a move there is not remembered.
const NO_MOVE: u8 = 27;

fn square_pack(square: Option<u8>) -> u64 {
    u64::from(square.unwrap_or(NO_MOVE))
}

fn square_of(pack: u64) -> Option<u8> {
    match (pack & 0x3F) as u8 {
        NO_MOVE => None,
        square => Some(square),
    }
}

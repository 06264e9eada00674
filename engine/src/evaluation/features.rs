//! What the patterns of one position hold.

use super::patterns::LANES;

/// The contents of all patterns of one position, seen by the player to move.
///
/// Two vectors of 64 lanes are kept: the contents themselves (1 for the mover's disc, 2 for the
/// other's) and the occupied squares (1 for either). Three times the second less the first is the
/// first one seen by the other player, which makes passing a matter of arithmetic and makes tables
/// for two colours unnecessary. All sums are right modulo 2^16.
///
/// A search keeps the features of each ply and makes those of the next one from them, so that
/// nothing has to be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Features {
    pub(crate) contents: [u16; LANES],
    pub(crate) occupied: [u16; LANES],
}

impl Features {
    /// The features of the empty board.
    pub(crate) const EMPTY: Self = Self { contents: [0; LANES], occupied: [0; LANES] };
}

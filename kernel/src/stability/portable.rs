//! Edges by table, the files gathered and spread by multiplication (see [`edges`](super::edges));
//! full lines by shifts; then contact.
//!
//! 226 instructions in 50 cycles, with rotations 184 in 43.
//!
//! Source: `edax-avx-optimizations`, edge stability.

use super::edges::portable::multiplication;
use super::spread;
use crate::lines::portable::{full_lines, mixed};

/// Returns the player's discs that are certainly stable.
#[inline]
#[must_use]
pub fn stable(player: u64, opponent: u64) -> u64 {
    spread(player, multiplication(player, opponent), full_lines(player | opponent))
}

/// Returns the same, rows and columns by the shorter forms.
#[inline]
pub(super) fn stable_rotations(player: u64, opponent: u64) -> u64 {
    spread(player, multiplication(player, opponent), mixed(player | opponent))
}

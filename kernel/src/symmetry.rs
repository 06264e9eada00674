//! The eight symmetries of a board and the canonical form of a position: the smallest of its eight
//! images, compared as (player, opponent).

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod gfni;
pub mod portable;
pub mod scalar;
mod set;

pub use set::Symmetry;

crate::variants::variants! {
    /// Player, opponent → the smallest of the eight symmetric positions.
    Canonical = fn(u64, u64) -> (u64, u64), called with (player, opponent);
    scalar: ["reference": scalar::canonical, "A6 delta swaps": portable::canonical],
    avx2: ["A6 four transpositions": avx2::canonical],
    avx512: ["A6 eight images": avx512::canonical],
    neon: [],
}

/// Returns the image under the four symmetries without transposition, in the order of
/// [`scalar::transform`].
#[inline(always)]
fn mirrored(board: u64) -> [u64; 4] {
    use crate::bits::{mirror_files, mirror_ranks};
    let mirror = mirror_files(board);
    [board, mirror, mirror_ranks(board), mirror_ranks(mirror)]
}

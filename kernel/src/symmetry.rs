//! The eight symmetries of a board and the canonical form of a position: the smallest of its eight
//! images, compared as (player, opponent).

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod portable;
pub mod scalar;

/// Returns the image under the four symmetries without transposition, in the order of
/// [`scalar::transform`].
#[inline(always)]
fn mirrored(board: u64) -> [u64; 4] {
    use crate::bits::{mirror_files, mirror_ranks};
    let mirror = mirror_files(board);
    [board, mirror, mirror_ranks(board), mirror_ranks(mirror)]
}

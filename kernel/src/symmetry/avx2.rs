//! The mirrors are made by scalar code, then a register of four boards is transposed at once.
//!
//! ```text
//!   lane          0        1             2              3
//!   mirrored      board    left-right    top-bottom     both
//!   transposed    the same four, files and ranks exchanged by three delta swaps
//! ```
//! Source: `symmetry-avx2`, for a position of two boards; TECHNIQUES A6.

use core::arch::x86_64::*;

use super::mirrored;
use crate::lanes::boards;

/// Returns the smallest of the eight symmetric positions, compared as (player, opponent).
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn canonical(player: u64, opponent: u64) -> (u64, u64) {
    let (players, opponents) = (mirrored(player), mirrored(opponent));
    let transposed = transpose(players).into_iter().zip(transpose(opponents));
    players.into_iter().zip(opponents).chain(transposed).fold((player, opponent), Ord::min)
}

/// Returns the smallest of the eight images of a board.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn smallest(board: u64) -> u64 {
    let mirrored = mirrored(board);
    mirrored.into_iter().chain(transpose(mirrored)).fold(board, u64::min)
}

/// Returns the four boards transposed.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(mirrored: [u64; 4]) -> [u64; 4] {
    let [a, b, c, d] = mirrored.map(u64::cast_signed);
    let boards_in = _mm256_set_epi64x(d, c, b, a);
    let ones = delta_swap::<7>(boards_in, 0x00aa_00aa_00aa_00aa);
    let twos = delta_swap::<14>(ones, 0x0000_cccc_0000_cccc);
    boards(delta_swap::<28>(twos, 0x0000_0000_f0f0_f0f0))
}

/// Exchanges the squares of `mask` with those `DISTANCE` above.
#[inline]
#[target_feature(enable = "avx2")]
fn delta_swap<const DISTANCE: i32>(boards: __m256i, mask: i64) -> __m256i {
    let differ = _mm256_xor_si256(boards, _mm256_srli_epi64::<DISTANCE>(boards));
    let differ = _mm256_and_si256(differ, _mm256_set1_epi64x(mask));
    _mm256_xor_si256(boards, _mm256_xor_si256(differ, _mm256_slli_epi64::<DISTANCE>(differ)))
}

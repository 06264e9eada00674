//! Eight images in one 512-bit register a side, and the minimum by VPMINUQ and a mask.
//!
//! The smallest player's board is found first; a mask keeps the images that have it, and the
//! smallest opponent's board among them completes the answer.
//!
//! ```text
//!   lane       0–3 mirrored                      4–7 the same, transposed
//!   player     P0  P1  P2  P3                    P4  P5  P6  P7    -> least player
//!   mask       .   x   .   .                     .   x   .   .     lanes equal to it
//!   opponent   .   O1  .   .                     .   O5  .   .     -> least opponent of these
//! ```
//!
//! 138 instructions in 83 cycles, with the transposition by tests 143 in 90; for a board 67 and 69.
//! The first wins where there is no GFNI.
//!
//! Ours.

use core::arch::x86_64::*;

use super::mirrored;

/// Returns the smallest of the eight symmetric positions, compared as (player, opponent).
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
#[must_use]
pub(crate) fn canonical(player: u64, opponent: u64) -> (u64, u64) {
    let (players, opponents) = (images(player), images(opponent));
    let least = _mm512_reduce_min_epu64(players);
    let ties = _mm512_cmpeq_epi64_mask(players, _mm512_set1_epi64(least.cast_signed()));
    (least, _mm512_mask_reduce_min_epu64(ties, opponents))
}

/// Returns the smallest of the eight images of a board.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
#[must_use]
pub(crate) fn smallest(board: u64) -> u64 {
    _mm512_reduce_min_epu64(images(board))
}

/// Returns the eight images of a board.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
fn images(board: u64) -> __m512i {
    let [a, b, c, d] = mirrored(board).map(u64::cast_signed);
    let mirrored = _mm512_castsi256_si512(_mm256_set_epi64x(d, c, b, a));
    let ones = delta_swap::<7>(mirrored, 0x00aa_00aa_00aa_00aa);
    let twos = delta_swap::<14>(ones, 0x0000_cccc_0000_cccc);
    let transposed = delta_swap::<28>(twos, 0x0000_0000_f0f0_f0f0);
    _mm512_inserti64x4::<1>(mirrored, _mm512_castsi512_si256(transposed))
}

/// Exchanges the squares of `mask` with those `DISTANCE` above.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
fn delta_swap<const DISTANCE: u32>(boards: __m512i, mask: i64) -> __m512i {
    let differ = _mm512_xor_si512(boards, _mm512_srli_epi64::<DISTANCE>(boards));
    let differ = _mm512_and_si512(differ, _mm512_set1_epi64(mask));
    _mm512_xor_si512(boards, _mm512_xor_si512(differ, _mm512_slli_epi64::<DISTANCE>(differ)))
}

/// Returns the smallest of the eight symmetric positions, each transposition by one VPTESTMB: see
/// [`transpose`](crate::bits::transpose()).
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(crate) fn canonical_tests(player: u64, opponent: u64) -> (u64, u64) {
    use crate::bits::transpose::avx512::transpose;
    let (players, opponents) = (mirrored(player), mirrored(opponent));
    let mut least = (player, opponent);
    for (player, opponent) in players.into_iter().zip(opponents) {
        least = least.min((player, opponent)).min((transpose(player), transpose(opponent)));
    }
    least
}

/// Returns the smallest of the eight images of a board, each transposition by one VPTESTMB.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
pub(crate) fn smallest_tests(board: u64) -> u64 {
    use crate::bits::transpose::avx512::transpose;
    mirrored(board).into_iter().fold(board, |least, board| least.min(board).min(transpose(board)))
}

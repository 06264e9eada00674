//! Eight directions up: lanes 4 to 7 have the board turned by 180 degrees, and all carry.
//!
//! As in the NEON form, but in one register: GFNI reverses the bits of each byte, VPSHUFB the bytes
//! of each lane, both only in the upper half. The lanes are joined by bytes as in
//! [`one_register`](super::one_register), where the order of the permutation turns the upper lanes
//! back.
//!
//! ```text
//!   lane              0–3                    4–7
//!   board             a1 b1 … h8             h8 g8 … a1
//!   | !ray, + 1       carries to the first square that is not the opponent's
//!   & player & ray    outflank; minus one, if there is one, & ray: the discs that turn
//!   GFNI              as they are            the bits of each byte turned back
//!   VPERMB            byte n of lane k       byte 7 - n of lane k
//! ```
//! 33 instructions in 60 cycles, ten and twelve more than with leading zeros: it needs no VPLZCNTQ,
//! but every CPU with GFNI and AVX-512 has that.
//!
//! Source: ours, after NEON RBIT in `reversi-bitboard-techniques`; TECHNIQUES E10, E11, A5.

use core::arch::x86_64::*;

use super::{AND_AND, Bytes, sum_of_bytes};
use crate::masks::RAYS;

/// The bytes of the lanes with the board turned around.
const TURNED: u64 = 0xffff_ffff_0000_0000;
/// The matrix that reverses the bits of a byte.
const REVERSE: i64 = 0x8040_2010_0804_0201_u64.cast_signed();
/// `a | !b`.
const OR_NOT: i32 = 0xf3;

/// The bytes of the lanes by rank, those of the upper lanes from the other end.
static TRANSPOSE_TURNED: Bytes = Bytes({
    let mut order = [0; 64];
    let mut index = 0;
    while index < 64 {
        let (rank, lane) = (index / 8, index % 8);
        let rank = if lane < 4 { rank } else { 7 - rank };
        order[index] = (8 * lane + rank) as u8;
        index += 1;
    }
    order
});

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi,gfni")]
#[must_use]
pub(crate) fn flip(player: u64, opponent: u64, square: u32) -> u64 {
    let square = square as usize & 63;
    let rays = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(up(square)), up(63 - square));
    let player = half_turned(player);
    let opponent = half_turned(opponent);
    let one = _mm512_set1_epi64(1);
    let filled = _mm512_ternarylogic_epi64::<OR_NOT>(opponent, rays, rays);
    let carried = _mm512_add_epi64(filled, one);
    let outflank = _mm512_ternarylogic_epi64::<AND_AND>(carried, player, rays);
    let below = _mm512_sub_epi64(outflank, _mm512_min_epu64(outflank, one));
    let turned = reverse_bits(_mm512_and_si512(below, rays));
    sum_of_bytes(turned, &TRANSPOSE_TURNED)
}

/// Returns the four rays towards higher squares.
#[inline]
#[target_feature(enable = "avx2")]
fn up(square: usize) -> __m256i {
    // SAFETY: the entry has 64 bytes and is aligned to 64; this is its first half.
    unsafe { _mm256_load_si256(RAYS[square].0.as_ptr().cast()) }
}

/// Returns the board in all lanes, turned by 180 degrees in the upper four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn half_turned(board: u64) -> __m512i {
    let swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let board = reverse_bits(_mm512_set1_epi64(board.cast_signed()));
    _mm512_mask_shuffle_epi8(board, TURNED, board, swap)
}

/// Reverses the bits of each byte in the upper four lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn reverse_bits(lanes: __m512i) -> __m512i {
    let matrix = _mm512_set1_epi64(REVERSE);
    _mm512_mask_gf2p8affine_epi64_epi8::<0>(lanes, TURNED, lanes, matrix)
}

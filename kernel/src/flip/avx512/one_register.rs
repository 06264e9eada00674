//! Eight directions in one 512-bit register.
//!
//! `x = ray & !opponent` has the squares that end a run. Up the lowest bit of it counts, and
//! `x ^ (x - 1)` is that bit with all below; down the highest one, and an arithmetic shift of the
//! sign bit by the leading zeros is that bit with all above. Masked instructions give each half its
//! operands, so that one three-way operation makes the run, with its end, of either:
//!
//! ```text
//!               up: lanes 0–3           down: lanes 4–7
//!   first       x                       1…1 >> …: all bits from the nearest on
//!   second      x - 1                   0
//!   run         (first ^ second) & ray: opponents, and the square that ends them
//!   turns       run & opponent in the lanes where the run has a disc of the player's (VPTESTMQ)
//! ```
//! The union of eight lanes takes three steps of halves; with VBMI three instructions: VPERMB
//! brings the same byte of all lanes together, VPSADBW adds each eight up (no disc is in two lanes,
//! so that there are no carries), VPMOVQB packs the sums.
//!
//! ```text
//!   lanes        a7 … a1 a0 | b7 … b1 b0 | … | h7 … h1 h0      bytes of each direction
//!   VPERMB       h7 … b7 a7 | … | h1 … b1 a1 | h0 … b0 a0      by rank
//!   VPSADBW      sum 7      | … | sum 1      | sum 0
//! ```
//! 24 instructions in 49 cycles with halves, 23 in 48 with bytes, against 28 in 37 for two
//! registers of 256 bits. With bytes it does most flips in a given time where 512 bits go at once
//! (Zen 5), and is the last to answer: masks, the permutation and the sum take three to six cycles
//! each.
//!
//! Source: ours, after BLSMSK in `reversi-bitboard-techniques`; TECHNIQUES E10.

use core::arch::x86_64::*;

use super::{TRANSPOSE, XOR_AND, sum_of_bytes};
use crate::lanes::union8;
use crate::masks::RAYS;

/// The lanes that lead towards higher squares.
const UP: u8 = 0x0f;
/// The lanes that lead towards lower squares.
const DOWN: u8 = 0xf0;

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty); the lanes are
/// joined by halves.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd")]
#[must_use]
pub(crate) fn halves(player: u64, opponent: u64, square: u32) -> u64 {
    union8(turned(player, opponent, square))
}

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty); the lanes are
/// joined by bytes.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512bw,avx512vbmi")]
#[must_use]
pub(crate) fn bytes(player: u64, opponent: u64, square: u32) -> u64 {
    sum_of_bytes(turned(player, opponent, square), &TRANSPOSE)
}

/// Returns the discs turned in each direction.
#[inline]
#[target_feature(enable = "avx512f,avx512cd")]
fn turned(player: u64, opponent: u64, square: u32) -> __m512i {
    let rays: *const __m512i = RAYS[square as usize & 63].0.as_ptr().cast();
    // SAFETY: the entry has 64 bytes and is aligned to 64.
    let rays = unsafe { _mm512_load_si512(rays) };
    let player = _mm512_set1_epi64(player.cast_signed());
    let opponent = _mm512_set1_epi64(opponent.cast_signed());
    let others = _mm512_andnot_si512(opponent, rays);
    let zeros = _mm512_lzcnt_epi64(others);
    let first = _mm512_mask_srav_epi64(others, DOWN, _mm512_set1_epi64(i64::MIN), zeros);
    let second = _mm512_maskz_add_epi64(UP, others, _mm512_set1_epi64(-1));
    let run = _mm512_ternarylogic_epi64::<XOR_AND>(first, second, rays);
    _mm512_maskz_and_epi64(_mm512_test_epi64_mask(run, player), run, opponent)
}

//! Scores with AVX2: "can move" by comparing whole rays.
//!
//! ```text
//!   opponent & ray       . . . . o o o o      (the move is at the fourth place)
//!   all of the ray?      yes: nobody ends the run, the ray is erased
//!   & neighbours         . . . . o . . .      left over on any ray: the player can move
//! ```
//! Two registers of four rays; the count that may follow is the one of `last_flip/avx2.rs`.
//!
//! 47 instructions in 32 cycles for both sides, with the cuts 46 in 31: the cuts save no
//! instruction on the whole and mispredict.

use core::arch::x86_64::*;

use super::super::avx2;
use super::{answered, decided, moved, passed};
use crate::bits::NEIGHBOURS;
use crate::masks::RAYS;

/// Returns the exact score from the counts of both sides.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn both_sides(player: u64, square: u32, _alpha: i32) -> i32 {
    decided(player, avx2::last_flip_both(player, square))
}

/// Returns the score with both cuts: at most one side is counted.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn lazy(player: u64, square: u32, alpha: i32) -> i32 {
    let passed = passed(player);
    if passed <= alpha {
        let mine = avx2::last_flip(player, square);
        return if mine != 0 { moved(player, mine) } else { passed };
    }
    if can_move(player, square) {
        return moved(player, 1);
    }
    let theirs = avx2::last_flip(!player, square);
    if theirs != 0 { answered(player, theirs) } else { passed }
}

/// Returns whether the player turns anything on `square`, the only empty one.
#[inline]
#[target_feature(enable = "avx2")]
fn can_move(player: u64, square: u32) -> bool {
    let rays: *const __m256i = RAYS[square as usize & 63].0.as_ptr().cast();
    // SAFETY: the entry has 64 bytes and is aligned to 64; this is its first half.
    let up = unsafe { _mm256_load_si256(rays) };
    // SAFETY: as above, the second half.
    let down = unsafe { _mm256_load_si256(rays.wrapping_add(1)) };
    let player = _mm256_set1_epi64x(player.cast_signed());
    let near = _mm256_set1_epi64x(NEIGHBOURS[square as usize & 63].cast_signed());
    let ended = _mm256_or_si256(ended(player, up), ended(player, down));
    _mm256_testz_si256(ended, near) == 0
}

/// Returns the opponent's discs on the rays that are not all the opponent's.
#[inline]
#[target_feature(enable = "avx2")]
fn ended(player: __m256i, rays: __m256i) -> __m256i {
    let opponent = _mm256_andnot_si256(player, rays);
    _mm256_andnot_si256(_mm256_cmpeq_epi64(opponent, rays), opponent)
}

//! Scores with AVX-512: both sides by leading zeros, or "can move" by mask registers.
//!
//! VPTESTMQ tells which rays have a disc of the player's, and VPTESTMQ of the opponent's discs with
//! the neighbours of the square which begin with an opponent: a move turns something where both
//! hold. In 512 bits that is two tests for all eight directions; in 256 bits the first test masks
//! the opponent's discs of each half.
//!
//! 34 instructions in 39 cycles (256 bits) or 43 (512) for both sides, with the cuts 41 in 30. Both
//! sides in 256 bits have the best throughput of all scores alone; in the search latency decides,
//! and PEXT wins.

use core::arch::x86_64::*;

use super::super::avx512::{flipped, tested};
use super::{answered, decided, moved, passed};
use crate::bits::NEIGHBOURS;
use crate::masks::RAYS;

/// `a | !b & c`.
const OR_NOT_AND: i32 = 0xf2;

/// Returns the exact score; flips of one side after the other.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,avx512vl,popcnt")]
pub(super) fn both_256(player: u64, square: u32, _alpha: i32) -> i32 {
    decided(player, flipped::one_by_one(player, square))
}

/// Returns the exact score; flips of both sides in one register.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512cd,popcnt")]
pub(super) fn both_512(player: u64, square: u32, _alpha: i32) -> i32 {
    decided(player, flipped::at_once(player, square))
}

/// Returns the score with both cuts; whether the player can move in two registers.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,popcnt")]
pub(super) fn lazy_256(player: u64, square: u32, alpha: i32) -> i32 {
    let passed = passed(player);
    if passed <= alpha {
        let mine = tested::whole(player, square);
        return if mine != 0 { moved(player, mine) } else { passed };
    }
    let rays: *const __m256i = RAYS[square as usize & 63].0.as_ptr().cast();
    // SAFETY: the entry has 64 bytes and is aligned to 64; this is its first half.
    let up = unsafe { _mm256_load_si256(rays) };
    // SAFETY: as above, the second half.
    let down = unsafe { _mm256_load_si256(rays.wrapping_add(1)) };
    let lanes = _mm256_set1_epi64x(player.cast_signed());
    let ended = _mm256_maskz_andnot_epi64(_mm256_test_epi64_mask(lanes, up), lanes, up);
    let below = _mm256_test_epi64_mask(lanes, down);
    let ended = _mm256_mask_ternarylogic_epi64::<OR_NOT_AND>(ended, below, lanes, down);
    let near = _mm256_set1_epi64x(NEIGHBOURS[square as usize & 63].cast_signed());
    if _mm256_testz_si256(ended, near) == 0 {
        return moved(player, 1);
    }
    not_moved(player, square, passed)
}

/// Returns the score with both cuts; whether the player can move in one register.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,popcnt")]
pub(super) fn lazy_512(player: u64, square: u32, alpha: i32) -> i32 {
    let passed = passed(player);
    if passed <= alpha {
        let mine = tested::whole(player, square);
        return if mine != 0 { moved(player, mine) } else { passed };
    }
    let rays: *const __m512i = RAYS[square as usize & 63].0.as_ptr().cast();
    // SAFETY: the entry has 64 bytes and is aligned to 64.
    let rays = unsafe { _mm512_load_si512(rays) };
    let lanes = _mm512_set1_epi64(player.cast_signed());
    let near = _mm512_set1_epi64(NEIGHBOURS[square as usize & 63].cast_signed());
    let begun = _mm512_test_epi64_mask(_mm512_andnot_si512(lanes, rays), near);
    if _mm512_test_epi64_mask(lanes, rays) & begun != 0 {
        return moved(player, 1);
    }
    not_moved(player, square, passed)
}

/// Returns the score if the player cannot move.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,popcnt")]
fn not_moved(player: u64, square: u32, passed: i32) -> i32 {
    let theirs = tested::whole(!player, square);
    if theirs != 0 { answered(player, theirs) } else { passed }
}

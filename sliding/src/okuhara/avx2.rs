//! The AVX2 forms of the source: a queen with four rays in each of two registers, a bishop with
//! byte-swapped lanes, a rook with BLSMSK in general registers and a table for ranks.

use core::arch::x86_64::*;

use outflank_kernel::Avx2;
use outflank_kernel::bits::{mirror_ranks, up_to_lowest};
use outflank_kernel::lanes::{lanes2, union4};

use super::ray_lanes;
use crate::attacks::Attacks;
use crate::geometry::{along_rank, rays};

/// Okuhara's queen, rook and bishop with AVX2; tables of 4.5 KiB.
#[derive(Clone, Copy, Debug)]
pub struct OkuharaAvx2(Avx2);

impl OkuharaAvx2 {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Avx2) -> Self {
        Self(token)
    }
}

impl Attacks for OkuharaAvx2 {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        let up = rays(square).0[1];
        let up = up_to_lowest(occupied & up) & up;
        let down = rays(square ^ 56).0[1]; // upwards on the mirrored board
        let down = up_to_lowest(mirror_ranks(occupied) & down) & down;
        up | mirror_ranks(down) | along_rank(square, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { bishop(square, occupied) }
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { queen(square, occupied) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn queen(square: u8, occupied: u64) -> u64 {
    let occupied = _mm256_set1_epi64x(occupied.cast_signed());
    let (upper, lower) = ray_lanes(square);
    let up = _mm256_and_si256(lowest(_mm256_and_si256(occupied, upper)), upper);
    // Six steps away from the slider, every square behind a blocker is in its shadow.
    let blockers = _mm256_and_si256(occupied, lower);
    let shadow = _mm256_or_si256(
        _mm256_srlv_epi64(blockers, _mm256_set_epi64x(7, 9, 8, 1)),
        _mm256_srlv_epi64(blockers, _mm256_set_epi64x(14, 18, 16, 2)),
    );
    let nearer =
        _mm256_or_si256(shadow, _mm256_srlv_epi64(shadow, _mm256_set_epi64x(14, 18, 16, 2)));
    let farther = _mm256_srlv_epi64(shadow, _mm256_set_epi64x(28, 36, 32, 4));
    let down = _mm256_andnot_si256(_mm256_or_si256(nearer, farther), lower);
    union4(_mm256_or_si256(up, down))
}

#[inline]
#[target_feature(enable = "avx2")]
fn bishop(square: u8, occupied: u64) -> u64 {
    // Lanes 2 and 3 are mirrored top-bottom, so that their rays lead upwards too.
    let (bytes, same) = (0x0001_0203_0405_0607, 0x0706_0504_0302_0100);
    let occupied = _mm256_shuffle_epi8(
        _mm256_set1_epi64x(occupied.cast_signed()),
        _mm256_set_epi64x(bytes, bytes, same, same),
    );
    let (here, mirrored) = (diagonals_up(square), diagonals_up(square ^ 56));
    let rays = _mm256_set_m128i(mirrored, here);
    let attacks = _mm256_and_si256(lowest(_mm256_and_si256(occupied, rays)), rays);
    let (up, down) = (_mm256_castsi256_si128(attacks), _mm256_extracti128_si256::<1>(attacks));
    let up = _mm_or_si128(up, _mm_unpackhi_epi64(up, up));
    let down = _mm_or_si128(down, _mm_unpackhi_epi64(down, down));
    let down = _mm_shuffle_epi8(down, _mm_set_epi64x(bytes, bytes));
    _mm_cvtsi128_si64(_mm_or_si128(up, down)).cast_unsigned()
}

/// Returns the rays up-right and up-left.
#[inline]
#[target_feature(enable = "avx2")]
fn diagonals_up(square: u8) -> __m128i {
    let [_, _, right, left, ..] = rays(square).0;
    lanes2(&[right, left])
}

/// Returns, in each lane, the lowest bit and all below it: BLSMSK.
#[inline]
#[target_feature(enable = "avx2")]
fn lowest(lanes: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_add_epi64(lanes, _mm256_set1_epi64x(-1)), lanes)
}

//! Four directions in each of two registers: those towards higher squares, and their opposites.

use core::arch::x86_64::*;

use outflank_kernel::Avx2;
use outflank_kernel::lanes::union4;

use super::{NOT_1, NOT_8, NOT_A, NOT_H};
use crate::attacks::Attacks;
use crate::geometry::bit;

/// Kogge-Stone with four directions in a register, without tables.
#[derive(Clone, Copy, Debug)]
pub struct KoggeStoneAvx2(Avx2);

impl KoggeStoneAvx2 {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Avx2) -> Self {
        Self(token)
    }
}

impl Attacks for KoggeStoneAvx2 {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        self.union(bit(square), 0, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        self.union(0, bit(square), occupied)
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        self.union(bit(square), bit(square), occupied)
    }

    #[inline(always)]
    fn union(self, rooks: u64, bishops: u64, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { union(rooks, bishops, occupied) }
    }
}

/// Walks in four directions by a variable shift.
macro_rules! walk {
    ($shift:ident, $sliders:expr, $empty:expr, $arrive:expr) => {{
        let steps: [__m256i; 3] = [
            _mm256_set_epi64x(7, 9, 8, 1),
            _mm256_set_epi64x(14, 18, 16, 2),
            _mm256_set_epi64x(28, 36, 32, 4),
        ];
        let (mut reached, mut free) = ($sliders, _mm256_and_si256($empty, $arrive));
        for step in steps {
            let next = _mm256_and_si256(free, $shift(reached, step));
            reached = _mm256_or_si256(reached, next);
            free = _mm256_and_si256(free, $shift(free, step));
        }
        _mm256_and_si256($shift(reached, steps[0]), $arrive)
    }};
}

#[inline]
#[target_feature(enable = "avx2")]
fn union(rooks: u64, bishops: u64, occupied: u64) -> u64 {
    let empty = _mm256_set1_epi64x((!(occupied | rooks | bishops)).cast_signed());
    let [rooks, bishops] = [rooks, bishops].map(u64::cast_signed);
    let sliders = _mm256_set_epi64x(bishops, bishops, rooks, rooks);
    let arrive = |lanes: [u64; 4]| {
        let [a, b, c, d] = lanes.map(u64::cast_signed);
        _mm256_set_epi64x(d, c, b, a)
    };
    let above = arrive([NOT_A, NOT_1, NOT_A & NOT_1, NOT_H & NOT_1]);
    let below = arrive([NOT_H, NOT_8, NOT_H & NOT_8, NOT_A & NOT_8]);
    let up = walk!(_mm256_sllv_epi64, sliders, empty, above);
    let down = walk!(_mm256_srlv_epi64, sliders, empty, below);
    union4(_mm256_or_si256(up, down))
}

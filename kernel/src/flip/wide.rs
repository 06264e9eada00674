//! Flips one after another, from boards that stay where the flip before has left them.
//!
//! Whoever searches a few squares to the end waits for each flip before the next can begin. A flip by AVX2 or AVX-512
//! has a line of discs in each lane, and its answer is the union of the lanes. To bring that into a general register,
//! make the next two boards of it and bring these back takes two ways of five cycles or more. Here the union is made in
//! all lanes at once, with as many shuffles, so that the next boards are one operation away:
//!
//! ```text
//!   lanes               a b c d
//!   halves exchanged    c d a b     union  ac bd ac bd
//!   pairs exchanged                 union  abcd in all lanes
//! ```
//! Sets without such a flip have plain boards here; a build that has chosen another variant of it enters that one.
//!
//! Source: ours.

use crate::level::OnLevel;

/// Boards in general registers.
pub(crate) mod plain {
    use super::OnLevel;

    pub(crate) type Wide = u64;

    #[inline(always)]
    pub(crate) const fn widen(board: u64) -> Wide {
        board
    }

    #[inline(always)]
    pub(crate) const fn narrow(board: Wide) -> u64 {
        board
    }

    #[inline(always)]
    pub(crate) const fn difference(one: Wide, other: Wide) -> Wide {
        one ^ other
    }

    #[inline(always)]
    pub(crate) const fn square(square: u32) -> Wide {
        1_u64.rotate_left(square)
    }

    /// Returns the discs turned.
    ///
    /// # Safety
    /// The CPU has the features of the level.
    #[inline(always)]
    pub(crate) unsafe fn flip<K: OnLevel>(player: Wide, opponent: Wide, square: u32) -> Wide {
        // SAFETY: the caller proves the features.
        unsafe { super::super::chosen::<K>(player, opponent, square) }
    }
}

/// Boards in all four lanes of a register.
#[cfg(target_arch = "x86_64")]
pub(crate) mod lanes {
    use core::arch::x86_64::*;

    use super::OnLevel;
    use crate::choice::FLIP;
    use crate::flip::{ENTRIES, WISH, avx2, avx512, chosen};

    pub(crate) type Wide = __m256i;

    /// The squares as boards.
    static SQUARES: [u64; 64] = {
        let mut squares = [0; 64];
        let mut square = 0;
        while square < 64 {
            squares[square] = 1 << square;
            square += 1;
        }
        squares
    };

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn widen(board: u64) -> Wide {
        _mm256_set1_epi64x(board.cast_signed())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn narrow(board: Wide) -> u64 {
        _mm_cvtsi128_si64(_mm256_castsi256_si128(board)).cast_unsigned()
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn narrow_both(player: Wide, opponent: Wide) -> [u64; 2] {
        [narrow(player), narrow(opponent)]
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn difference(one: Wide, other: Wide) -> Wide {
        _mm256_xor_si256(one, other)
    }

    /// Takes the square from a table: the way from a general register would be longer.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn square(square: u32) -> Wide {
        widen(SQUARES[square as usize & 63])
    }

    /// Returns the discs turned.
    ///
    /// # Safety
    /// The CPU has the features of the level, and AVX2.
    #[inline(always)]
    pub(crate) unsafe fn flip<K: OnLevel>(player: Wide, opponent: Wide, square: u32) -> Wide {
        if const { FLIP.enters(K::LEVEL, "avx512_minima", WISH, ENTRIES) } {
            // SAFETY: the level enters this variant, so that it has the features.
            return unsafe { avx512::flip_wide(player, opponent, square) };
        }
        if const { FLIP.enters(K::LEVEL, "avx2_smart_clear", WISH, ENTRIES) } {
            // SAFETY: as above.
            return unsafe { avx2::flip_wide(player, opponent, square) };
        }
        // SAFETY: the caller proves the features.
        let [player, opponent] = unsafe { narrow_both(player, opponent) };
        // SAFETY: the same.
        let turned = unsafe { chosen::<K>(player, opponent, square) };
        // SAFETY: the same.
        unsafe { widen(turned) }
    }
}

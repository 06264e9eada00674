//! Packed addition, PEXT, and a table of 16 KiB.
//!
//! Adding `011111111` to each file carries into its highest bit if there is a pawn; PEXT collects
//! these nine bits. The highest bits alone are kept before the words are joined, as the comments
//! to the article correct it: their neighbours would interfere. Source: `shogi-pawn-drop`;
//! TECHNIQUES H2.

use core::arch::x86_64::_pext_u64;

use outflank_kernel::Avx2;

use super::super::board::{Side, Split};
use super::{LAST, one_a_file};

/// The files in the order in which PEXT collects them: the second word is put between the first's
/// bits.
const ORDER: [usize; 9] = [0, 7, 1, 8, 2, 3, 4, 5, 6];

/// The squares for each set of files with a pawn, for Black and for White.
static DROPS: [[Split; 2]; 512] = {
    let (mut drops, mut files) = ([[Split::new([0; 2]); 2]; 512], 0);
    while files < 512 {
        let (mut black, mut bit) = ([0; 2], 0);
        while bit < 9 {
            let file = ORDER[bit];
            if files >> bit & 1 == 0 {
                black[file / 7] |= 0x1fe << (9 * (file % 7));
            }
            bit += 1;
        }
        let white = [black[0] >> 1, black[1] >> 1];
        drops[files] = [Split::new(black), Split::new(white)];
        files += 1;
    }
    drops
};

/// Pawn drops by addition, PEXT and a table.
#[derive(Clone, Copy, Debug)]
pub struct Table(Avx2);

impl Table {
    /// Returns the method; the token proves that the CPU has BMI2.
    #[must_use]
    pub const fn new(token: Avx2) -> Self {
        Self(token)
    }

    /// Returns the squares where `side`, whose unpromoted pawns are given, may drop a pawn.
    ///
    /// # Panics
    /// Builds with debug assertions panic if there are two pawns on a file.
    #[inline(always)]
    #[must_use]
    pub fn drops(self, side: Side, pawns: Split) -> Split {
        debug_assert!(one_a_file(pawns), "two pawns on a file: {pawns:?}");
        // SAFETY: the token proves the features.
        let files = unsafe { files(pawns) };
        DROPS[files][side as usize]
    }
}

/// Returns the files with a pawn as the number of an entry.
#[inline]
#[target_feature(enable = "bmi2")]
fn files(pawns: Split) -> usize {
    let [low, high] = pawns.words();
    let [last_low, last_high] = LAST;
    let low = low.wrapping_add(!last_low & u64::MAX >> 1) & last_low;
    let high = high.wrapping_add(!last_high & 0x3_ffff) & last_high;
    _pext_u64(low | high << 1, last_low | last_high << 1) as usize & 0x1ff
}

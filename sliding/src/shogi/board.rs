//! Boards of 81 squares in two layouts, and the tables of each.

use core::ops::{BitAnd, BitOr, BitXor, Not};

use super::pawn_drop;

/// The side whose piece it is. Black moves towards rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The player who moves first; pawns and lances move towards lower squares.
    Black,
    /// The other player; pawns and lances move towards higher squares.
    White,
}

/// The rays of a slider as bits of a layout: two towards higher squares, then their opposites,
/// reversed as the vector forms need them.
pub(crate) type Rays = [[u128; 4]; 81];

/// A set of the 81 squares.
pub trait Layout:
    Copy
    + Eq
    + core::fmt::Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + sealed::Tables
    + 'static
{
    /// No square.
    const EMPTY: Self;
    /// All 81 squares.
    const ALL: Self;

    /// Returns the set as bits; which bit stands for which square is the layout's affair.
    #[must_use]
    fn bits(self) -> u128;

    /// Returns the set of these bits; those that stand for no square are dropped.
    #[must_use]
    fn from_bits(bits: u128) -> Self;

    /// Returns the number of the bit that stands for rank 0 of a file (0–8); the other ranks
    /// follow it.
    ///
    /// # Panics
    /// Builds with debug assertions panic if `file` is 9 or more.
    #[must_use]
    fn file_start(file: u8) -> u32;

    /// Returns whether the set contains `square` (0–80).
    ///
    /// # Panics
    /// If `square` is 81 or more.
    #[must_use]
    #[inline]
    fn contains(self, square: u8) -> bool {
        self.bits() >> Self::bit_number(square) & 1 != 0
    }

    /// Returns the set with `square` (0–80) added.
    ///
    /// # Panics
    /// If `square` is 81 or more.
    #[must_use]
    #[inline]
    fn with(self, square: u8) -> Self {
        Self::from_bits(self.bits() | 1 << Self::bit_number(square))
    }

    /// Returns the set with `square` (0–80) taken away.
    ///
    /// # Panics
    /// If `square` is 81 or more.
    #[must_use]
    #[inline]
    fn without(self, square: u8) -> Self {
        Self::from_bits(self.bits() & !(1 << Self::bit_number(square)))
    }

    /// Returns whether there is no square in the set.
    #[must_use]
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Returns the number of squares in the set.
    #[must_use]
    #[inline]
    fn count(self) -> u32 {
        self.bits().count_ones()
    }

    /// Returns the squares of the set, from the lowest to the highest.
    fn squares(self) -> impl Iterator<Item = u8> {
        (0..81).filter(move |&square| self.contains(square))
    }

    /// Returns the number of the bit that stands for `square`.
    ///
    /// # Panics
    /// If `square` is 81 or more.
    #[must_use]
    #[inline(always)]
    fn bit_number(square: u8) -> u32 {
        assert!(square < 81, "square {square} is off the board, expected 0-80");
        Self::file_start(square / 9) + u32::from(square % 9)
    }
}

/// Files 1–7 in the low 63 bits of the first word, files 8–9 in the low 18 bits of the second; the
/// other bits are always 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C, align(16))]
pub struct Split([u64; 2]);

/// All files in the low 81 bits; the other bits are always 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Contiguous(u128);

const SPLIT_BITS: u128 = u128::MAX >> 65 | (u128::MAX >> 110) << 64;
const CONTIGUOUS_BITS: u128 = (1 << 81) - 1;

impl Split {
    /// Returns the set with these words; bits that stand for no square are dropped.
    #[must_use]
    #[inline]
    pub const fn new(words: [u64; 2]) -> Self {
        Self([words[0] & SPLIT_BITS as u64, words[1] & (SPLIT_BITS >> 64) as u64])
    }

    /// Returns the two words.
    #[must_use]
    #[inline]
    pub const fn words(self) -> [u64; 2] {
        self.0
    }
}

impl Layout for Split {
    const EMPTY: Self = Self([0; 2]);
    const ALL: Self = Self::new([u64::MAX; 2]);

    #[inline(always)]
    fn bits(self) -> u128 {
        u128::from(self.0[0]) | u128::from(self.0[1]) << 64
    }

    #[inline(always)]
    fn from_bits(bits: u128) -> Self {
        Self::new([bits as u64, (bits >> 64) as u64])
    }

    #[inline(always)]
    fn file_start(file: u8) -> u32 {
        split_start(file as usize)
    }
}

impl Layout for Contiguous {
    const EMPTY: Self = Self(0);
    const ALL: Self = Self(CONTIGUOUS_BITS);

    #[inline(always)]
    fn bits(self) -> u128 {
        self.0
    }

    #[inline(always)]
    fn from_bits(bits: u128) -> Self {
        Self(bits & CONTIGUOUS_BITS)
    }

    #[inline(always)]
    fn file_start(file: u8) -> u32 {
        contiguous_start(file as usize)
    }
}

impl From<Split> for Contiguous {
    fn from(board: Split) -> Self {
        let [low, high] = board.0;
        Self(u128::from(low) | u128::from(high) << 63)
    }
}

impl From<Contiguous> for Split {
    fn from(board: Contiguous) -> Self {
        Self::new([board.0 as u64, (board.0 >> 63) as u64])
    }
}

// These have no bits but those of squares, so that nothing has to be dropped.
macro_rules! operators {
    ($($operator:ident, $method:ident, $symbol:tt;)*) => {$(
        impl $operator for Split {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ([one_low, one_high], [low, high]) = (self.0, other.0);
                Self([one_low $symbol low, one_high $symbol high])
            }
        }

        impl $operator for Contiguous {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $symbol other.0)
            }
        }
    )*};
}
operators! {
    BitAnd, bitand, &;
    BitOr, bitor, |;
    BitXor, bitxor, ^;
}

impl Not for Split {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self::from_bits(!self.bits())
    }
}

impl Not for Contiguous {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self::from_bits(!self.bits())
    }
}

const fn split_start(file: usize) -> u32 {
    debug_assert!(file < 9, "the file is off the board, expected 0-8");
    (if file < 7 { 9 * file } else { 64 + 9 * (file - 7) }) as u32
}

const fn contiguous_start(file: usize) -> u32 {
    debug_assert!(file < 9, "the file is off the board, expected 0-8");
    9 * file as u32
}

pub(crate) mod sealed {
    use super::{Rays, Side};

    /// The tables of a layout. A ray towards lower squares is kept with its 16 bytes in reverse
    /// order; the one along the file with all its bits in reverse order.
    pub trait Tables {
        /// Towards +9 (the next file), +1 (the next rank), -9, -1; 5 KiB.
        fn rook_rays() -> &'static Rays;
        /// Towards +10, +8, -10, -8; 5 KiB.
        fn bishop_rays() -> &'static Rays;
        /// The squares around each square; 1.3 KiB.
        fn neighbours() -> &'static [u128; 81];
        /// The fastest form of the pawn drops of one board.
        fn pawn_drops(side: Side, pawns: Self) -> Self;
        /// The form that the compiler makes vectors of.
        fn pawn_drops_of_several(side: Side, pawns: Self) -> Self;
    }
}

/// The bits of a ray in the layout whose files begin at `$start`.
macro_rules! ray {
    ($start:ident, $square:expr, $files:expr, $ranks:expr) => {{
        let (mut bits, mut distance) = (0_u128, 1);
        while let Some((file, rank)) = step($square, $files, $ranks, distance) {
            bits |= 1 << ($start(file) + rank);
            distance += 1;
        }
        bits
    }};
}
macro_rules! tables {
    ($layout:ty, $start:ident, $pawn_drops:path, $pawn_drops_of_several:path) => {
        impl sealed::Tables for $layout {
            #[inline(always)]
            fn rook_rays() -> &'static Rays {
                static RAYS: Aligned = Aligned({
                    let (mut rays, mut square) = ([[0; 4]; 81], 0);
                    while square < 81 {
                        rays[square as usize] = [
                            ray!($start, square, 1, 0),
                            ray!($start, square, 0, 1),
                            ray!($start, square, -1, 0).swap_bytes(),
                            ray!($start, square, 0, -1).reverse_bits(),
                        ];
                        square += 1;
                    }
                    rays
                });
                &RAYS.0
            }

            #[inline(always)]
            fn bishop_rays() -> &'static Rays {
                static RAYS: Aligned = Aligned({
                    let (mut rays, mut square) = ([[0; 4]; 81], 0);
                    while square < 81 {
                        rays[square as usize] = [
                            ray!($start, square, 1, 1),
                            ray!($start, square, 1, -1),
                            ray!($start, square, -1, -1).swap_bytes(),
                            ray!($start, square, -1, 1).swap_bytes(),
                        ];
                        square += 1;
                    }
                    rays
                });
                &RAYS.0
            }

            #[inline(always)]
            fn neighbours() -> &'static [u128; 81] {
                static NEIGHBOURS: [u128; 81] = {
                    let (mut around, mut square) = ([0; 81], 0);
                    while square < 81 {
                        let mut direction = 0;
                        while direction < 9 {
                            let (files, ranks) = (direction / 3 - 1, direction % 3 - 1);
                            if let Some((file, rank)) = step(square, files, ranks, 1)
                                && direction != 4
                            {
                                around[square as usize] |= 1 << ($start(file) + rank);
                            }
                            direction += 1;
                        }
                        square += 1;
                    }
                    around
                };
                &NEIGHBOURS
            }

            #[inline(always)]
            fn pawn_drops(side: Side, pawns: Self) -> Self {
                $pawn_drops(side, pawns)
            }

            #[inline(always)]
            fn pawn_drops_of_several(side: Side, pawns: Self) -> Self {
                $pawn_drops_of_several(side, pawns)
            }
        }
    };
}

/// A table aligned for loads of 64 bytes.
#[repr(C, align(64))]
struct Aligned(Rays);

tables!(Split, split_start, pawn_drop::of_words, pawn_drop::of_words_of_several);
tables!(Contiguous, contiguous_start, pawn_drop::as_one_number, pawn_drop::as_one_number);

/// Returns the file and the rank `distance` steps from `square`, unless that is off the board.
const fn step(square: i32, files: i32, ranks: i32, distance: i32) -> Option<(usize, u32)> {
    let (file, rank) = (square / 9 + files * distance, square % 9 + ranks * distance);
    if file < 0 || file >= 9 || rank < 0 || rank >= 9 {
        return None;
    }
    Some((file as usize, rank as u32))
}

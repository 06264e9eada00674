//! The horizontal layout, three ranks in each of three words, and the methods that belong to it.

use super::super::board::{Layout, Side, Split};

/// A board as Bonanza keeps it: bit `9 * rank + file` of the ranks 0–2, 3–5 and 6–8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Horizontal([u32; 3]);

/// Three ranks.
const THREE_RANKS: u32 = (1 << 27) - 1;

impl Horizontal {
    /// Returns the squares of a board in this layout.
    #[must_use]
    pub fn new(board: Split) -> Self {
        board.squares().fold(Self([0; 3]), |mut words, square| {
            let (file, rank) = (square / 9, square % 9);
            words.0[usize::from(rank / 3)] |= 1 << (9 * (rank % 3) + file);
            words
        })
    }

    /// Returns the squares in the split layout.
    #[must_use]
    pub fn split(self) -> Split {
        (0..81).filter(|&square| self.contains(square)).fold(Split::EMPTY, Split::with)
    }

    fn contains(self, square: u8) -> bool {
        let (file, rank) = (square / 9, square % 9);
        self.0[usize::from(rank / 3)] >> (9 * (rank % 3) + file) & 1 != 0
    }

    /// Returns the nine files as bits, each set if it has one of these pawns: three words are laid
    /// over each other, then three ranks.
    #[inline(always)]
    #[must_use]
    pub fn files(self) -> u32 {
        let [low, middle, high] = self.0;
        let ranks = low | middle | high;
        (ranks | ranks >> 9 | ranks >> 18) & 0x1ff
    }

    /// Returns the empty squares, `targets`, where `side` with these pawns may drop one: each
    /// target is looked up in a table of files, as Bonanza does.
    #[must_use]
    pub fn square_by_square(self, side: Side, targets: Self) -> Self {
        let [low, middle, high] = self.0;
        let ranks = low | middle | high;
        let files: [u32; 9] = core::array::from_fn(|file| ranks & 0x0004_0201 << file);
        let mut drops = Self([0; 3]);
        let words = drops.0.iter_mut().zip(targets.without_farthest(side).0);
        for (drops, mut targets) in words {
            while targets != 0 {
                let bit = targets.trailing_zeros();
                targets &= targets - 1;
                if files[bit as usize % 9] == 0 {
                    *drops |= 1 << bit;
                }
            }
        }
        drops
    }

    /// Returns the squares where `side` with these pawns may drop one, by laying all ranks over
    /// each other and multiplying the free files back over them.
    #[inline(always)]
    #[must_use]
    pub fn by_fold(self, side: Side) -> Self {
        let three_ranks = (!self.files() & 0x1ff) * 0x0004_0201;
        Self([three_ranks; 3]).without_farthest(side)
    }

    /// Returns the same as [`by_fold`](Self::by_fold) from a table of 512 entries, 2 KiB.
    #[inline(always)]
    #[must_use]
    pub fn by_table(self, side: Side) -> Self {
        static THREE: [u32; 512] = {
            let (mut three, mut files) = ([0; 512], 0);
            while files < 512 {
                three[files] = (!(files as u32) & 0x1ff) * 0x0004_0201;
                files += 1;
            }
            three
        };
        Self([THREE[self.files() as usize]; 3]).without_farthest(side)
    }

    /// Returns the squares that are not on the last rank of `side`.
    #[inline(always)]
    fn without_farthest(self, side: Side) -> Self {
        let [low, middle, high] = self.0;
        match side {
            Side::Black => Self([low & !0x1ff, middle, high]),
            Side::White => Self([low, middle, high & THREE_RANKS >> 9]),
        }
    }
}

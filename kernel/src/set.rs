//! The engine's kernels as one set for each instruction set, for code that is compiled once a set.

#[cfg(target_arch = "aarch64")]
use crate::Neon;
use crate::bits::count;
use crate::flip::{several, wide};
use crate::mobility::potential;
#[cfg(target_arch = "x86_64")]
use crate::{Avx2, Avx512};
use crate::{Scalar, flip, hash, last_flip, lines, mobility, stability, symmetry};

/// The kernels of one instruction set, implemented by its token.
///
/// Every method is `inline(always)` and enters the engine's choice among the variants. They become
/// part of the caller where that has the features of the set: write generic code over a
/// `KernelSet`, itself `inline(always)`, and call it from one function for each set that lists the
/// features (see [`avx2_features`](crate::avx2_features)). Elsewhere each method is a call.
///
/// Boards are 64 squares, A1 in bit 0; player and opponent never share one.
pub trait KernelSet: Copy + Send + Sync + 'static {
    /// A board as one flip leaves it for the next one: in all lanes of a vector register where the
    /// set has a flip that takes it from there.
    type Wide: Copy + core::fmt::Debug;

    /// Returns the board for [`flip_wide`](Self::flip_wide).
    fn widen(self, board: u64) -> Self::Wide;

    /// Returns the board with this square alone.
    fn widen_square(self, square: u32) -> Self::Wide;

    /// Returns the squares that are in one of the two boards.
    fn difference(self, one: Self::Wide, other: Self::Wide) -> Self::Wide;

    /// Returns the board in a general register.
    fn narrow(self, board: Self::Wide) -> u64;

    /// Returns [`flip`](Self::flip) for boards that are not in general registers. The next flip need
    /// not wait until the discs are there.
    fn flip_wide(self, player: Self::Wide, opponent: Self::Wide, square: u32) -> Self::Wide;

    /// Returns the discs turned when the player puts a disc on `square` (0–63, empty); none if the
    /// move is not legal.
    fn flip(self, player: u64, opponent: u64, square: u32) -> u64;

    /// Returns [`flip`](Self::flip) for two squares.
    fn flip_pair(self, player: u64, opponent: u64, squares: [u32; 2]) -> [u64; 2];

    /// Returns [`flip`](Self::flip) for four squares.
    fn flip_four(self, player: u64, opponent: u64, squares: [u32; 4]) -> [u64; 4];

    /// Returns [`flip`](Self::flip) for the player and for the opponent.
    fn flip_sides(self, player: u64, opponent: u64, square: u32) -> [u64; 2];

    /// Returns the squares where the player can move.
    fn moves(self, player: u64, opponent: u64) -> u64;

    /// Returns how many opponent discs turn when `square` is the only empty one and the player
    /// moves there; all squares that are not the player's are the opponent's.
    fn last_flip(self, player: u64, square: u32) -> u32;

    /// Returns [`last_flip`](Self::last_flip) for the player and for the opponent.
    fn last_flip_both(self, player: u64, square: u32) -> (u32, u32);

    /// Returns [`last_flip_both`](Self::last_flip_both) for eight positions, with the players first.
    fn last_flip_eight(self, players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2];

    /// Returns the score for the player, who is to move, when `square` is the only empty one, or a
    /// bound that decides whether it is greater than `alpha`, an even number. A disc of the player's
    /// on `square` would be counted.
    ///
    /// # Panics
    /// Builds with debug assertions panic if the player has a disc on `square`.
    fn last_score(self, player: u64, square: u32, alpha: i32) -> i32;

    /// Returns the squares whose row, column, diagonal (the direction A1–H8) and antidiagonal are
    /// full of discs.
    fn full_lines(self, discs: u64) -> [u64; 4];

    /// Returns discs of the player that can certainly never be turned; there may be more.
    fn stable(self, player: u64, opponent: u64) -> u64;

    /// Returns the hash of the position: the same in every set, usable in both halves.
    fn hash(self, player: u64, opponent: u64) -> u64;

    /// Returns the smallest of the eight symmetric positions, compared as (player, opponent).
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64);

    /// Returns the number of squares in the board.
    fn count(self, board: u64) -> u32;

    /// Returns the empty squares next to an opponent's disc: where a move may become possible.
    fn potential_moves(self, player: u64, opponent: u64) -> u64;
}

/// Implements [`KernelSet`] by entering the variant that [`choice`](crate::choice) names for the
/// token's level.
macro_rules! kernel_set {
    ($token:ty, $wide:ident) => {
        #[allow(unused_unsafe, reason = "plain boards need no features")]
        impl KernelSet for $token {
            type Wide = wide::$wide::Wide;

            #[inline(always)]
            fn widen(self, board: u64) -> Self::Wide {
                // SAFETY: the token proves the features.
                unsafe { wide::$wide::widen(board) }
            }

            #[inline(always)]
            fn widen_square(self, square: u32) -> Self::Wide {
                // SAFETY: the token proves the features.
                unsafe { wide::$wide::square(square) }
            }

            #[inline(always)]
            fn difference(self, one: Self::Wide, other: Self::Wide) -> Self::Wide {
                // SAFETY: the token proves the features.
                unsafe { wide::$wide::difference(one, other) }
            }

            #[inline(always)]
            fn narrow(self, board: Self::Wide) -> u64 {
                // SAFETY: the token proves the features.
                unsafe { wide::$wide::narrow(board) }
            }

            #[inline(always)]
            fn flip_wide(
                self,
                player: Self::Wide,
                opponent: Self::Wide,
                square: u32,
            ) -> Self::Wide {
                // SAFETY: the token proves the features.
                unsafe { wide::$wide::flip::<Self>(player, opponent, square) }
            }

            #[inline(always)]
            fn flip(self, player: u64, opponent: u64, square: u32) -> u64 {
                // SAFETY: the token proves the features.
                unsafe { flip::chosen::<Self>(player, opponent, square) }
            }

            #[inline(always)]
            fn flip_pair(self, player: u64, opponent: u64, squares: [u32; 2]) -> [u64; 2] {
                // SAFETY: the token proves the features.
                unsafe { several::pair::chosen::<Self>(player, opponent, squares) }
            }

            #[inline(always)]
            fn flip_four(self, player: u64, opponent: u64, squares: [u32; 4]) -> [u64; 4] {
                // SAFETY: the token proves the features.
                unsafe { several::four::chosen::<Self>(player, opponent, squares) }
            }

            #[inline(always)]
            fn flip_sides(self, player: u64, opponent: u64, square: u32) -> [u64; 2] {
                // SAFETY: the token proves the features.
                unsafe { several::sides::chosen::<Self>(player, opponent, square) }
            }

            #[inline(always)]
            fn moves(self, player: u64, opponent: u64) -> u64 {
                // SAFETY: the token proves the features.
                unsafe { mobility::chosen::<Self>(player, opponent) }
            }

            #[inline(always)]
            fn last_flip(self, player: u64, square: u32) -> u32 {
                // SAFETY: the token proves the features.
                unsafe { last_flip::one::chosen::<Self>(player, square) }
            }

            #[inline(always)]
            fn last_flip_both(self, player: u64, square: u32) -> (u32, u32) {
                // SAFETY: the token proves the features.
                unsafe { last_flip::both::chosen::<Self>(player, square) }
            }

            #[inline(always)]
            fn last_flip_eight(self, players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2] {
                // SAFETY: the token proves the features.
                unsafe { last_flip::leaves::chosen::<Self>(players, squares) }
            }

            #[inline(always)]
            fn last_score(self, player: u64, square: u32, alpha: i32) -> i32 {
                debug_assert!(player >> square & 1 == 0, "a disc on the empty square {square}");
                // SAFETY: the token proves the features.
                unsafe { last_flip::score::chosen::<Self>(player, square, alpha) }
            }

            #[inline(always)]
            fn full_lines(self, discs: u64) -> [u64; 4] {
                // SAFETY: the token proves the features.
                unsafe { lines::chosen::<Self>(discs) }
            }

            #[inline(always)]
            fn stable(self, player: u64, opponent: u64) -> u64 {
                // SAFETY: the token proves the features.
                unsafe { stability::chosen::<Self>(player, opponent) }
            }

            #[inline(always)]
            fn hash(self, player: u64, opponent: u64) -> u64 {
                // SAFETY: the token proves the features.
                unsafe { hash::chosen::<Self>(player, opponent) }
            }

            #[inline(always)]
            fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
                // SAFETY: the token proves the features.
                unsafe { symmetry::chosen::<Self>(player, opponent) }
            }

            #[inline(always)]
            fn count(self, board: u64) -> u32 {
                // SAFETY: the token proves the features.
                unsafe { count::chosen::<Self>(board) }
            }

            #[inline(always)]
            fn potential_moves(self, player: u64, opponent: u64) -> u64 {
                // SAFETY: the token proves the features.
                unsafe { potential::chosen::<Self>(player, opponent) }
            }
        }
    };
}

kernel_set!(Scalar, plain);
#[cfg(target_arch = "x86_64")]
kernel_set!(Avx2, lanes);
#[cfg(target_arch = "x86_64")]
kernel_set!(Avx512, lanes);
#[cfg(target_arch = "aarch64")]
kernel_set!(Neon, plain);

//! The best generator of each instruction set, as an implementation by the set's token; and the
//! best for the set that the crate is compiled for.
//!
//! The choice rests on single queries and batches on Zen 4 and Zen 5 (docs/log/sliding.md). Batches with GFNI
//! are tuned for processors whose units have all 512 bits; on Zen 4, which takes two turns, they are still the
//! best: in registers of 256 bits the same takes 10 % longer.

#[cfg(target_arch = "aarch64")]
use outflank_kernel::Neon;
use outflank_kernel::Scalar;
#[cfg(target_arch = "x86_64")]
use outflank_kernel::{Avx2, Avx512, Avx512Gfni, Ssse3};

use crate::attacks::Attacks;
#[cfg(not(target_arch = "aarch64"))]
use crate::hyperbola::Hyperbola;
#[cfg(target_arch = "x86_64")]
use crate::hyperbola::{HyperbolaAvx2, HyperbolaGfni, HyperbolaSsse3};
#[cfg(target_arch = "aarch64")]
use crate::hyperbola::{HyperbolaNeon, HyperbolaReverse};
#[cfg(target_arch = "aarch64")]
use crate::kogge_stone::KoggeStoneNeon;
#[cfg(target_arch = "x86_64")]
use crate::kogge_stone::{KoggeStoneAvx2, KoggeStoneGfni, union_avx512};
#[cfg(target_arch = "x86_64")]
use crate::obstruction::ObstructionDifference;
#[cfg(target_arch = "x86_64")]
use crate::okuhara::OkuharaAvx512;

/// The best portable code: every aarch64 CPU reverses 64 bits by one instruction.
#[cfg(target_arch = "aarch64")]
const PORTABLE: HyperbolaReverse = HyperbolaReverse;
/// The best portable code.
#[cfg(not(target_arch = "aarch64"))]
const PORTABLE: Hyperbola = Hyperbola;

/// Hands each method to the back-end that is measured to be the best for it.
macro_rules! best {
    ($(#[$attribute:meta])* $token:ty, $self:ident: $(
        $method:ident($($argument:ident: $type:ty),*) -> $result:ty = $call:expr;
    )+) => {
        $(#[$attribute])*
        impl Attacks for $token {
            $(
                #[inline(always)]
                fn $method($self, $($argument: $type),*) -> $result {
                    $call
                }
            )+
        }
    };
}

best! {
    Scalar, self:
    rook(square: u8, occupied: u64) -> u64 = PORTABLE.rook(square, occupied);
    bishop(square: u8, occupied: u64) -> u64 = PORTABLE.bishop(square, occupied);
}
best! {
    #[cfg(target_arch = "aarch64")]
    Neon, self:
    rook(square: u8, occupied: u64) -> u64 = PORTABLE.rook(square, occupied);
    bishop(square: u8, occupied: u64) -> u64 = PORTABLE.bishop(square, occupied);
    rooks8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] =
        HyperbolaNeon::new(self).rooks8(squares, occupied);
    bishops8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] =
        HyperbolaNeon::new(self).bishops8(squares, occupied);
    queens8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] =
        HyperbolaNeon::new(self).queens8(squares, occupied);
    union(rooks: u64, bishops: u64, occupied: u64) -> u64 =
        KoggeStoneNeon::new(self).union(rooks, bishops, occupied);
}
best! {
    #[cfg(target_arch = "x86_64")]
    Ssse3, self:
    rook(square: u8, occupied: u64) -> u64 = Hyperbola.rook(square, occupied);
    bishop(square: u8, occupied: u64) -> u64 = HyperbolaSsse3::new(self).bishop(square, occupied);
}
best! {
    #[cfg(target_arch = "x86_64")]
    Avx2, self:
    rook(square: u8, occupied: u64) -> u64 = Hyperbola.rook(square, occupied);
    bishop(square: u8, occupied: u64) -> u64 = self.ssse3().bishop(square, occupied);
    queen(square: u8, occupied: u64) -> u64 = HyperbolaAvx2::new(self).queen(square, occupied);
    both(square: u8, occupied: u64) -> (u64, u64) = HyperbolaAvx2::new(self).both(square, occupied);
    rooks8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] =
        Hyperbola.rooks8(squares, occupied); // LLVM makes vectors of it
    queens8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] =
        Hyperbola.queens8(squares, occupied);
    union(rooks: u64, bishops: u64, occupied: u64) -> u64 =
        KoggeStoneAvx2::new(self).union(rooks, bishops, occupied);
}
best! {
    #[cfg(target_arch = "x86_64")]
    Avx512, self:
    rook(square: u8, occupied: u64) -> u64 = OkuharaAvx512::new(self).rook(square, occupied);
    bishop(square: u8, occupied: u64) -> u64 = self.avx2().ssse3().bishop(square, occupied);
    queen(square: u8, occupied: u64) -> u64 = OkuharaAvx512::new(self).queen(square, occupied);
    both(square: u8, occupied: u64) -> (u64, u64) = OkuharaAvx512::new(self).both(square, occupied);
    rooks8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] =
        ObstructionDifference.rooks8(squares, occupied); // LLVM makes vectors of it
    union(rooks: u64, bishops: u64, occupied: u64) -> u64 =
        // SAFETY: the token proves the features.
        unsafe { union_avx512(rooks, bishops, occupied) };
}

#[cfg(target_arch = "x86_64")]
impl Attacks for Avx512Gfni {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        self.avx512().rook(square, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        self.avx512().bishop(square, occupied)
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        self.avx512().queen(square, occupied)
    }

    #[inline(always)]
    fn both(self, square: u8, occupied: u64) -> (u64, u64) {
        self.avx512().both(square, occupied)
    }

    #[inline(always)]
    fn rooks8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        HyperbolaGfni::new(self).rooks8(squares, occupied)
    }

    #[inline(always)]
    fn bishops8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        HyperbolaGfni::new(self).bishops8(squares, occupied)
    }

    #[inline(always)]
    fn queens8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        HyperbolaGfni::new(self).queens8(squares, occupied)
    }

    #[inline(always)]
    fn union(self, rooks: u64, bishops: u64, occupied: u64) -> u64 {
        KoggeStoneGfni::new(self).union(rooks, bishops, occupied)
    }

    #[inline(always)]
    fn each(self, rooks: u64, bishops: u64, occupied: u64, visit: impl FnMut(u8, u64)) {
        HyperbolaGfni::new(self).each(rooks, bishops, occupied, visit);
    }
}

/// The best generator for the instruction set that the crate is compiled for, which the free
/// functions use too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

/// Returns the call for the highest set that the crate is compiled for.
macro_rules! native {
    ($set:ident => $call:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            if let Some($set) = const { outflank_kernel::Avx512Gfni::compiled() } {
                return $call;
            }
            if let Some($set) = const { outflank_kernel::Avx512::compiled() } {
                return $call;
            }
            if let Some($set) = const { outflank_kernel::Avx2::compiled() } {
                return $call;
            }
            if let Some($set) = const { outflank_kernel::Ssse3::compiled() } {
                return $call;
            }
        }
        #[cfg(target_arch = "aarch64")]
        if let Some($set) = const { outflank_kernel::Neon::compiled() } {
            return $call;
        }
        let $set = const { outflank_kernel::Scalar::new() };
        $call
    }};
}
pub(crate) use native;

/// Implements methods, and free functions of the same names, by the highest set.
macro_rules! native_methods {
    ($(
        $(#[$about:meta])*
        $name:ident($($argument:ident: $type:ty),*) -> $result:ty;
    )+) => {
        impl Attacks for Native {
            $(
                #[inline(always)]
                fn $name(self, $($argument: $type),*) -> $result {
                    native!(set => set.$name($($argument),*))
                }
            )+

            #[inline(always)]
            fn each(self, rooks: u64, bishops: u64, occupied: u64, visit: impl FnMut(u8, u64)) {
                native!(set => set.each(rooks, bishops, occupied, visit))
            }
        }

        $(
            $(#[$about])*
            ///
            /// # Panics
            /// Builds with debug assertions panic if a square is 64 or more.
            #[inline]
            #[must_use]
            pub fn $name($($argument: $type),*) -> $result {
                Native.$name($($argument),*)
            }
        )+
    };
}

native_methods! {
    /// Returns the squares that a rook on `square` attacks.
    rook(square: u8, occupied: u64) -> u64;

    /// Returns the squares that a bishop on `square` attacks.
    ///
    /// ```
    /// // A bishop in the corner a1, blocked on c3.
    /// assert_eq!(sliding::bishop(0, 1 << 18), 1 << 9 | 1 << 18);
    /// ```
    bishop(square: u8, occupied: u64) -> u64;

    /// Returns the squares that a queen on `square` attacks: those of a rook and of a bishop.
    ///
    /// ```
    /// // On an empty board a queen on d4 attacks 27 squares.
    /// assert_eq!(sliding::queen(27, 0).count_ones(), 27);
    /// ```
    queen(square: u8, occupied: u64) -> u64;

    /// Returns the squares that a rook and that a bishop on `square` attack, for little more than
    /// the price of a queen: from a king's square, where checks and pins can come from.
    ///
    /// ```
    /// let occupied = 0x00ff_0000_0000_ff00;
    /// assert_eq!(sliding::both(4, occupied), (sliding::rook(4, occupied), sliding::bishop(4, occupied)));
    /// ```
    both(square: u8, occupied: u64) -> (u64, u64);

    /// Returns the attacks of eight rooks, each on a board of its own; repeat one board to ask
    /// about eight rooks of one position.
    ///
    /// ```
    /// let attacks = sliding::rooks8([0, 1, 2, 3, 4, 5, 6, 7], [0; 8]);
    /// assert!(attacks.iter().all(|squares| squares.count_ones() == 14));
    /// ```
    rooks8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8];

    /// Returns the attacks of eight bishops; see [`rooks8`].
    bishops8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8];

    /// Returns the attacks of eight queens; see [`rooks8`].
    queens8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8];

    /// Returns the squares that any of the sliders attacks. A queen is in both sets. Every slider
    /// counts as occupied.
    ///
    /// ```
    /// let (rooks, bishops) = (1 << 0 | 1 << 3, 1 << 2 | 1 << 3); // rook a1, bishop c1, queen d1
    /// let attacked = sliding::union(rooks, bishops, rooks | bishops);
    /// let one_by_one = sliding::rook(0, rooks | bishops)
    ///     | sliding::bishop(2, rooks | bishops)
    ///     | sliding::queen(3, rooks | bishops);
    /// assert_eq!(attacked, one_by_one);
    /// ```
    union(rooks: u64, bishops: u64, occupied: u64) -> u64;

    /// Returns the attacks of a rook from each square of one board.
    all_rooks(occupied: u64) -> [u64; 64];

    /// Returns the attacks of a bishop from each square of one board.
    all_bishops(occupied: u64) -> [u64; 64];

    /// Returns the attacks of a queen from each square of one board.
    all_queens(occupied: u64) -> [u64; 64];

    /// Returns what a rook attacks in addition once the `blockers` that it attacks are taken away:
    /// what it sees through them.
    ///
    /// ```
    /// // A rook on a1 behind an own pawn on a2; the enemy's king is on a8.
    /// let (a1, a2, a8) = (0, 1 << 8, 1 << 56);
    /// assert_eq!(sliding::rook_xray(a1, a2 | a8, a2) & a8, a8);
    /// ```
    rook_xray(square: u8, occupied: u64, blockers: u64) -> u64;

    /// Returns what a bishop sees through the `blockers`; see [`rook_xray`].
    bishop_xray(square: u8, occupied: u64, blockers: u64) -> u64;
}

/// Calls `visit` with the square and the attacks of each slider, from the lowest square to the
/// highest. A queen is in both sets and visited once. Every slider counts as occupied.
///
/// ```
/// let (rooks, bishops) = (1 << 0 | 1 << 3, 1 << 2 | 1 << 3); // rook a1, bishop c1, queen d1
/// let mut moves = 0;
/// sliding::each(rooks, bishops, 0xffff, |_square, attacks| {
///     moves += (attacks & !0xffff).count_ones();
/// });
/// assert_eq!(moves, 0); // the second rank is closed
/// ```
#[inline]
pub fn each(rooks: u64, bishops: u64, occupied: u64, visit: impl FnMut(u8, u64)) {
    Native.each(rooks, bishops, occupied, visit);
}

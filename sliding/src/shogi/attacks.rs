//! The trait of the back-ends, which are the tokens of the instruction sets, and the best as
//! compiled.

#[cfg(target_arch = "aarch64")]
use outflank_kernel::Neon;
use outflank_kernel::Scalar;
#[cfg(target_arch = "x86_64")]
use outflank_kernel::{Avx2, Avx512, Avx512Gfni, Ssse3};

use super::board::{Layout, Side};
use super::portable;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::Native;
use crate::best::native;
use crate::sealed::BackEnd;

/// A way to generate the attacks of shogi's sliders, implemented by the tokens of instruction sets.
///
/// Attacks contain the first occupied square in each direction and not the slider's own, which may
/// be among the occupied ones or not.
///
/// The trait is sealed, as [`sliding::Attacks`](crate::Attacks) is. That one has the same name and methods of
/// the same names, so that with both in scope `Native.rook(…)` is ambiguous: import one of the two, or write
/// `shogi::Attacks::rook(Native, …)`; or call the free functions, [`shogi::rook`](rook) and its like.
///
/// # Panics
/// If a square is 81 or more.
pub trait Attacks: BackEnd + Copy + Send + Sync + 'static {
    /// Returns the squares that a lance attacks: ahead on its file.
    #[inline(always)]
    fn lance<L: Layout>(self, side: Side, square: u8, occupied: L) -> L {
        assert!(square < 81, "square {square} is off the board, expected 0-80");
        portable::lance(side, square, occupied)
    }

    /// Returns the squares that a bishop attacks.
    fn bishop<L: Layout>(self, square: u8, occupied: L) -> L;

    /// Returns the squares that a rook attacks.
    fn rook<L: Layout>(self, square: u8, occupied: L) -> L;

    /// Returns the squares that a horse, the promoted bishop, attacks.
    #[inline(always)]
    fn horse<L: Layout>(self, square: u8, occupied: L) -> L {
        self.bishop(square, occupied) | L::from_bits(L::neighbours()[usize::from(square)])
    }

    /// Returns the squares that a dragon, the promoted rook, attacks.
    #[inline(always)]
    fn dragon<L: Layout>(self, square: u8, occupied: L) -> L {
        self.rook(square, occupied) | L::from_bits(L::neighbours()[usize::from(square)])
    }
}

impl Attacks for Scalar {
    #[inline(always)]
    fn bishop<L: Layout>(self, square: u8, occupied: L) -> L {
        portable::bishop(square, occupied)
    }

    #[inline(always)]
    fn rook<L: Layout>(self, square: u8, occupied: L) -> L {
        portable::rook(square, occupied)
    }
}

/// Implements the trait by entering the functions of a module.
#[cfg(target_arch = "x86_64")]
macro_rules! entered {
    ($token:ty, $module:ident) => {
        impl Attacks for $token {
            #[inline(always)]
            fn bishop<L: Layout>(self, square: u8, occupied: L) -> L {
                // SAFETY: the token proves the features.
                unsafe { $module::bishop(square, occupied) }
            }

            #[inline(always)]
            fn rook<L: Layout>(self, square: u8, occupied: L) -> L {
                // SAFETY: the token proves the features.
                unsafe { $module::rook(square, occupied) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
entered!(Avx2, avx2);
#[cfg(target_arch = "x86_64")]
entered!(Avx512Gfni, avx512);

/// Implements the trait for a set without a form of its own, by a set that it contains.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! contained {
    ($token:ty, $self:ident => $set:expr) => {
        impl Attacks for $token {
            #[inline(always)]
            fn bishop<L: Layout>($self, square: u8, occupied: L) -> L {
                $set.bishop(square, occupied)
            }

            #[inline(always)]
            fn rook<L: Layout>($self, square: u8, occupied: L) -> L {
                $set.rook(square, occupied)
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
contained!(Ssse3, self => Scalar::new());
#[cfg(target_arch = "x86_64")]
contained!(Avx512, self => self.avx2());
#[cfg(target_arch = "aarch64")]
contained!(Neon, self => Scalar::new());

impl Attacks for Native {
    #[inline(always)]
    fn bishop<L: Layout>(self, square: u8, occupied: L) -> L {
        native!(set => set.bishop(square, occupied))
    }

    #[inline(always)]
    fn rook<L: Layout>(self, square: u8, occupied: L) -> L {
        native!(set => set.rook(square, occupied))
    }
}

/// Returns the squares that a lance of `side` on `square` attacks.
///
/// # Panics
/// If `square` is 81 or more.
#[inline]
#[must_use]
pub fn lance<L: Layout>(side: Side, square: u8, occupied: L) -> L {
    Native.lance(side, square, occupied)
}

/// Defines the free functions of the pieces that have no direction.
macro_rules! free {
    ($($piece:ident: $text:literal),+) => {$(
        #[doc = concat!("Returns the squares that a ", $text, " on `square` attacks.")]
        ///
        /// # Panics
        /// If `square` is 81 or more.
        #[inline]
        #[must_use]
        pub fn $piece<L: Layout>(square: u8, occupied: L) -> L {
            Attacks::$piece(Native, square, occupied)
        }
    )+};
}
free! {
    bishop: "bishop",
    rook: "rook",
    horse: "horse (promoted bishop)",
    dragon: "dragon (promoted rook)"
}

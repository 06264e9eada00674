//! Attacks of sliding pieces on an 8×8 board, without big tables.
//!
//! [`rook`], [`bishop`] and [`queen`] take the square of the piece and the occupied squares, and
//! return the squares it attacks: all up to the first occupied one in each direction, that one
//! included. Squares are numbered a1 = 0, b1 = 1, … h8 = 63; bit `n` of a board is square `n`.
//! Whether the piece's own square is among the occupied ones makes no difference.
//!
//! ```
//! // A rook on d4; blockers on d6, d1 and f4.
//! //
//! //   8  . . . . . . . .      8  . . . . . . . .
//! //   7  . . . . . . . .      7  . . . . . . . .
//! //   6  . . . # . . . .      6  . . . x . . . .
//! //   5  . . . . . . . .      5  . . . x . . . .
//! //   4  . . . R . # . .      4  x x x R x x . .
//! //   3  . . . . . . . .      3  . . . x . . . .
//! //   2  . . . . . . . .      2  . . . x . . . .
//! //   1  . . . # . . . .      1  . . . x . . . .
//! //      a b c d e f g h         a b c d e f g h
//! let (d4, d6, d1, f4) = (27, 43, 3, 29);
//! let occupied = 1 << d6 | 1 << d1 | 1 << f4;
//! let attacks = sliding::rook(d4, occupied);
//! assert_eq!(attacks, 0x0000_0808_3708_0808);
//! assert_eq!(attacks, sliding::rook(d4, occupied | 1 << d4));
//! ```
#![no_std]
#![allow(
    unsafe_code,
    reason = "entering an instruction set is unsafe; tokens of the kernel crate prove it sound"
)]

#[cfg(feature = "std")]
extern crate std;

mod attacks;
mod best;
pub mod canonical;
pub mod catalogue;
pub mod constant;
mod geometry;
mod hyperbola;
mod kogge_stone;
#[cfg(feature = "magic")]
mod magic;
mod obstruction;
#[cfg(target_arch = "x86_64")]
mod okuhara;
#[cfg(all(feature = "pext", target_arch = "x86_64"))]
mod pext;
mod rays;
mod set_wise;
pub mod shogi;
#[cfg(any(feature = "magic", feature = "pext"))]
mod table;

pub use attacks::Attacks;
pub use best::{
    Native, all_bishops, all_queens, all_rooks, bishop, bishop_xray, bishops8, both, each, queen,
    queens8, rook, rook_xray, rooks8, union,
};
pub use constant::{between, line};
pub use hyperbola::{Hyperbola, HyperbolaReverse, LowLatency};
#[cfg(target_arch = "x86_64")]
pub use hyperbola::{HyperbolaAvx2, HyperbolaGfni, HyperbolaSsse3};
pub use kogge_stone::KoggeStone;
#[cfg(target_arch = "x86_64")]
pub use kogge_stone::{KoggeStoneAvx2, KoggeStoneGfni};
#[cfg(feature = "magic")]
pub use magic::FancyMagic;
pub use obstruction::ObstructionDifference;
#[cfg(target_arch = "x86_64")]
pub use okuhara::{OkuharaAvx2, OkuharaAvx512};
#[cfg(target_arch = "aarch64")]
pub use outflank_kernel::Neon;
pub use outflank_kernel::Scalar;
#[cfg(target_arch = "x86_64")]
pub use outflank_kernel::{Avx2, Avx512, Avx512Gfni, Ssse3};
#[cfg(all(feature = "pext", target_arch = "x86_64"))]
pub use pext::{Pext, PextPdep};
pub use rays::RayLoop;
pub use set_wise::SetWise;

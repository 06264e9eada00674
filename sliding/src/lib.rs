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
//!
//! The crate is on no registry. In `Cargo.toml` a program names a checkout of the repository, or the repository:
//!
//! ```toml
//! [dependencies]
//! sliding = { path = "../outflank/sliding", features = ["std"] }    # or git = "…" in place of the path
//! ```
//!
//! [`tricks`] shows with diagrams how the generators work; `docs/sliding.md` of the repository says how good they
//! are, and `docs/log/sliding.md` has all that was measured.
//!
//! # Which function?
//! | you have | take |
//! | --- | --- |
//! | one piece | [`rook`], [`bishop`], [`queen`] |
//! | a king's square, and want checks or pins | [`both`], [`rook_xray`], [`bishop_xray`], [`between`] |
//! | a piece, and want one line only | [`along`] |
//! | a side's sliders, and want all they attack together | [`union`]: the time does not depend on their number |
//! | a side's sliders, and want each one's attacks | [`each`] |
//! | eight pieces, on one board or on eight | [`rooks8`], [`bishops8`], [`queens8`] |
//! | a board, and want the attacks from every square | [`all_rooks`], [`all_bishops`], [`all_queens`] |
//! | queries that wait for each other's results | [`LowLatency`] |
//! | a constant | [`constant`] |
//! | squares and boards of cozy-chess or shogi_core | features `cozy-chess`, `shogi_core` |
//! | a shogi board | [`shogi`] |
//! | symmetric boards that should be one | [`canonical`] |
//!
//! Batches on x86-64 are tuned for processors with full 512-bit units and GFNI, such as Zen 5; Zen 4 takes
//! twice the time, which is still less than that of single queries. Without GFNI they are eight
//! queries, by the generator of which LLVM makes the best vectors.
//!
//! The functions have a high *throughput*: many independent queries in a short time. Their vector
//! forms take 4.5 to 7 ns until the result can be used, since boards have to move between registers. Where
//! the next query depends on the last result, [`LowLatency`] answers in two fifths to three quarters of
//! that time, and makes a third to two thirds as many queries in all. That is so where the occupied squares
//! depend on it (0.56 to 0.73 of the time on Zen 4, less on Zen 5) and where the square does (0.64 to 0.73).
//! Beside tables it makes a difference: by PEXT whose part of the table is in the first level of the cache a
//! query that waits for the occupied squares is answered in 0.75 to 0.89 of `LowLatency`'s time, since what
//! is known of the square is loaded in advance; one that waits for the square in 1.06 (queen), 1.14 (rook)
//! and 0.97 (bishop). From the second level any piece takes longer, 1.16 to 2.2 times.
//!
//! ## The moves of a side
//! ```
//! /// Calls `visit` with each move of a side's sliders, as squares.
//! fn moves(rooks: u64, bishops: u64, own: u64, other: u64, mut visit: impl FnMut(u8, u8)) {
//!     sliding::each(rooks, bishops, own | other, |from, attacks| {
//!         let mut targets = attacks & !own;
//!         while targets != 0 {
//!             visit(from, targets.trailing_zeros() as u8);
//!             targets &= targets - 1;
//!         }
//!     });
//! }
//!
//! // White: rook a1, king e1. Black: rook a8.
//! let mut count = 0;
//! moves(1 << 0, 0, 1 << 0 | 1 << 4, 1 << 56, |_from, _to| count += 1);
//! assert_eq!(count, 7 + 3);
//! ```
//!
//! ## Mobility of all sliders at once
//! ```
//! // Black's bishop f8 and rook h8 stand behind their pawns; White's queen is on d4.
//! let (own, white) = (0xa0ff_0000_0000_0000_u64, 1_u64 << 27);
//! let occupied = own | white;
//! let attacked = sliding::union(1 << 63, 1 << 61, occupied);
//! assert_eq!((attacked & !own).count_ones(), 1); // only the rook's g8 is free
//! // The queen has 25 moves; only on g7 could one of the two take her.
//! let moves = sliding::queen(27, occupied);
//! assert_eq!((moves.count_ones(), moves & attacked), (25, 1 << 54));
//! ```
//!
//! ## A pawn drop in shogi
//! ```
//! use sliding::shogi::{self, Layout, Side, Split};
//!
//! // Black has a pawn on 7七: there is no second one to be dropped on the seventh file.
//! let pawns = Split::EMPTY.with(9 * 6 + 6);
//! let occupied = pawns.with(44);
//! let drops = shogi::pawn_drop::onto(Side::Black, pawns, !occupied);
//! assert!(!drops.contains(9 * 6 + 4));
//! assert!(!drops.contains(44) && drops.contains(43));
//! ```
//!
//! # Back-ends
//! The functions are the best for the instruction set that the crate is compiled for, as [`Native`]
//! is. Every generator is a type without size that implements [`Attacks`]; those that need
//! instructions are made from a token, which only detection gives out. A program for several
//! processors has its whole loop compiled for each set, since a choice at each query costs more than
//! the query. It needs the feature `std`, which is not a default: without it `detect` cannot ask the CPU, and
//! returns a token only if the crate is compiled for its set.
//!
//! ```
//! use sliding::Attacks;
//!
//! #[inline(always)]
//! fn mobility<A: Attacks>(attacks: A, occupied: u64) -> u32 {
//!     attacks.all_queens(occupied).iter().map(|squares| squares.count_ones()).sum()
//! }
//!
//! # #[cfg(target_arch = "x86_64")]
//! #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
//! fn mobility_avx2(token: sliding::Avx2, occupied: u64) -> u32 {
//!     mobility(token, occupied)
//! }
//!
//! fn any(occupied: u64) -> u32 {
//!     # #[cfg(target_arch = "x86_64")]
//!     if let Some(token) = sliding::Avx2::detect() {
//!         // SAFETY: the token proves the features.
//!         return unsafe { mobility_avx2(token, occupied) };
//!     }
//!     mobility(sliding::Scalar::new(), occupied)
//! }
//! assert_eq!(any(0), 1456);
//! ```
//!
//! | type | method | needs |
//! | --- | --- | --- |
//! | [`RayLoop`] | a step at a time, the reference | |
//! | [`Hyperbola`] | Hyperbola Quintessence with a rank table | |
//! | [`HyperbolaReverse`] | the same by bit reversal (RBIT on aarch64) | |
//! | [`HyperbolaDiagonal`] | the same, ranks by way of a diagonal | |
//! | [`LowLatency`] | the same with a rank table, kept in general registers | |
//! | `HyperbolaSsse3`, `HyperbolaAvx2`, `HyperbolaGfni` | two, three and four lines a register; batches | SSSE3, AVX2, AVX-512 and GFNI |
//! | `HyperbolaNeon` | two lines a register; batches | NEON |
//! | `OkuharaAvx2`, `OkuharaAvx512` | rays by lowest and highest blocker | AVX2, AVX-512 |
//! | [`KoggeStone`], `KoggeStoneAvx2`, `KoggeStoneGfni`, `KoggeStoneNeon` | parallel prefix of whole sets | –, AVX2, AVX-512 and GFNI, NEON |
//! | [`ClassicalRays`] | rays less the ray of their first blocker | |
//! | [`ObstructionDifference`] | one subtraction a line | |
//! | [`SetWise`] | o^(o-2r) of whole sets | |
//! | `FancyMagic`, `BlackMagic`, `Pext`, `PextPdep` | big tables, the baselines | features below; BMI2 |
//!
//! # Cargo features
//! | feature | what it adds |
//! | --- | --- |
//! | none | everything above but the tables; `no_std`, no allocation; a program that uses every function of this module links at most 6 KiB of tables |
//! | `std` | detection of instructions at run time; without it, a token exists if the crate is compiled for its set |
//! | `magic` | `FancyMagic` (841 KiB) and `BlackMagic` (898 KiB), filled at first use |
//! | `cozy-chess` | [`cozy_chess`](https://docs.rs/cozy-chess): the functions with the types and names of that crate |
//! | `shogi_core` | conversions between [`shogi`]'s boards and those of [`shogi_core`](https://docs.rs/shogi_core) |
//! | `pext` | `Pext` (841 KiB) and `PextPdep` (210 KiB), filled at first use; pawn drops by PEXT and a table |
//!
//! The minimum supported Rust version is 1.90, as in `Cargo.toml`; raising it is a minor change of version.
#![no_std]
#![cfg_attr(
    not(any(target_feature = "sse2", target_arch = "aarch64")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "targets without vector registers leave the vector forms out"
    )
)]
#![allow(
    unsafe_code,
    reason = "entering an instruction set is unsafe; tokens of the kernel crate prove it sound"
)]

#[cfg(feature = "std")]
extern crate std;

mod attacks;
mod best;
#[cfg(feature = "magic")]
mod black_magic;
pub mod canonical;
#[doc(hidden)] // for the tests and benchmarks of this repository
pub mod catalogue;
mod classical;
pub mod constant;
#[cfg(feature = "cozy-chess")]
pub mod cozy_chess;
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
mod sealed;
mod set_wise;
pub mod shogi;
#[cfg(any(feature = "magic", all(feature = "pext", target_arch = "x86_64")))]
mod table;
#[doc = include_str!("tricks.md")]
pub mod tricks {}

pub use attacks::Attacks;
pub use best::{
    Native, all_bishops, all_queens, all_rooks, bishop, bishop_xray, bishops8, both, each, queen,
    queens8, rook, rook_xray, rooks8, union,
};
#[cfg(feature = "magic")]
pub use black_magic::BlackMagic;
pub use classical::ClassicalRays;
pub use constant::{along, between, line};
#[cfg(target_arch = "aarch64")]
pub use hyperbola::HyperbolaNeon;
pub use hyperbola::{Hyperbola, HyperbolaDiagonal, HyperbolaReverse, LowLatency};
#[cfg(target_arch = "x86_64")]
pub use hyperbola::{HyperbolaAvx2, HyperbolaGfni, HyperbolaSsse3};
pub use kogge_stone::KoggeStone;
#[cfg(target_arch = "aarch64")]
pub use kogge_stone::KoggeStoneNeon;
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

//! Shogi: 81 squares in two layouts, attacks of the sliding pieces, and where a pawn may be dropped.
//!
//! Square `9 * file + rank` counts files from the right of the usual diagram and ranks from the
//! top, both from 0: 1一 is 0, 1九 is 8, 9九 is 80. Black moves towards rank 0.
//!
//! ```text
//!   file (as printed)     9  8  7  6  5  4  3  2  1
//!   rank 一 (0)          72 63 54 45 36 27 18  9  0
//!        二 (1)          73 64 55 46 37 28 19 10  1
//!         ⋮
//!        九 (8)          80 71 62 53 44 35 26 17  8
//! ```
//! [`Split`] keeps files 1–7 in the low 63 bits of one word and files 8–9 in the low 18 bits of
//! another, as Apery, YaneuraOu and `shogi_core` do; [`Contiguous`] keeps all in the low 81 bits of
//! a `u128`. Every function takes either.
//!
//! ```
//! use sliding::shogi::{self, Contiguous, Layout, Side, Split};
//!
//! // A rook in the middle of an empty board sees the rest of its file and of its rank.
//! let attacks = shogi::rook(40, Split::EMPTY);
//! assert_eq!(attacks.count(), 16);
//! assert_eq!(Contiguous::from(attacks), shogi::rook(40, Contiguous::EMPTY));
//!
//! // Black has pawns on all files but the fifth, and may drop one there, except on rank 一.
//! let pawns = (0..9).filter(|&file| file != 4).fold(Split::EMPTY, |pawns, file| {
//!     pawns.with(9 * file + 6)
//! });
//! let drops = shogi::pawn_drops(Side::Black, pawns);
//! assert_eq!(drops.squares().collect::<Vec<_>>(), (37..45).collect::<Vec<_>>());
//! ```

mod attacks;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod board;
#[cfg(feature = "shogi_core")]
mod core_types;
pub mod pawn_drop;
mod portable;

pub use attacks::{Attacks, bishop, dragon, horse, lance, rook};
pub use board::{Contiguous, Layout, Side, Split};
#[cfg(feature = "shogi_core")]
pub use core_types::square_number;
pub use pawn_drop::pawn_drops;

//! Two lines in one register: REV64 reverses the bytes of both lanes, RBIT the bits of each byte.
//!
//! ```text
//!   lane      0            1              reversed by
//!   rook      file         rank           REV64 and RBIT
//!   bishop    diagonal     antidiagonal   REV64
//! ```
//! A single query in general registers needs no more instructions and no way there and back; two
//! sliders share the way back, so that the form is for batches. Ours; TECHNIQUES G4, G5.

use core::arch::aarch64::*;

use outflank_kernel::Neon;

use crate::attacks::Attacks;
use crate::geometry::{bit, diagonals, file, rank};

/// Hyperbola Quintessence with two lines in one NEON register; the table has 1 KiB.
#[derive(Clone, Copy, Debug)]
pub struct HyperbolaNeon(Neon);

impl HyperbolaNeon {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Neon) -> Self {
        Self(token)
    }
}

/// Defines a batch of eight, two sliders after the other.
macro_rules! batch {
    ($batch:ident by $pair:ident) => {
        #[inline(always)]
        fn $batch(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
            let mut attacks = [0; 8];
            for (i, attacks) in attacks.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let (squares, occupied) = (&squares[2 * i..], &occupied[2 * i..]);
                // SAFETY: the token proves the features.
                *attacks = unsafe { $pair([squares[0], squares[1]], [occupied[0], occupied[1]]) };
            }
            attacks
        }
    };
}

impl Attacks for HyperbolaNeon {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { rook(square, occupied) }
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { bishop(square, occupied) }
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { queen(square, occupied) }
    }

    batch!(rooks8 by two_rooks);
    batch!(bishops8 by two_bishops);
    batch!(queens8 by two_queens);
}

#[inline]
#[target_feature(enable = "neon")]
fn rook(square: u8, occupied: u64) -> u64 {
    union(rook_lines(square, occupied))
}

#[inline]
#[target_feature(enable = "neon")]
fn bishop(square: u8, occupied: u64) -> u64 {
    union(bishop_lines(square, occupied))
}

#[inline]
#[target_feature(enable = "neon")]
fn queen(square: u8, occupied: u64) -> u64 {
    union(vorrq_u64(rook_lines(square, occupied), bishop_lines(square, occupied)))
}

#[inline]
#[target_feature(enable = "neon")]
fn two_rooks(squares: [u8; 2], [a, b]: [u64; 2]) -> [u64; 2] {
    unions(rook_lines(squares[0], a), rook_lines(squares[1], b))
}

#[inline]
#[target_feature(enable = "neon")]
fn two_bishops(squares: [u8; 2], [a, b]: [u64; 2]) -> [u64; 2] {
    unions(bishop_lines(squares[0], a), bishop_lines(squares[1], b))
}

#[inline]
#[target_feature(enable = "neon")]
fn two_queens(squares: [u8; 2], [a, b]: [u64; 2]) -> [u64; 2] {
    unions(
        vorrq_u64(rook_lines(squares[0], a), bishop_lines(squares[0], a)),
        vorrq_u64(rook_lines(squares[1], b), bishop_lines(squares[1], b)),
    )
}

/// Returns the attacks along file and rank.
#[inline]
#[target_feature(enable = "neon")]
fn rook_lines(square: u8, occupied: u64) -> uint64x2_t {
    let lines = vcombine_u64(vcreate_u64(file(square)), vcreate_u64(rank(square)));
    let blockers = vandq_u64(vdupq_n_u64(occupied), lines);
    let above = vsubq_u64(blockers, vdupq_n_u64(bit(square)));
    let mirrored = vdupq_n_u64(bit(square ^ 63));
    let below = bits_reversed(vsubq_u64(bits_reversed(blockers), mirrored));
    vandq_u64(veorq_u64(above, below), lines)
}

/// Returns the attacks along both diagonals.
#[inline]
#[target_feature(enable = "neon")]
fn bishop_lines(square: u8, occupied: u64) -> uint64x2_t {
    let lines = diagonals(square);
    let lines = vcombine_u64(vcreate_u64(lines.diagonal), vcreate_u64(lines.antidiagonal));
    let blockers = vandq_u64(vdupq_n_u64(occupied), lines);
    let above = vsubq_u64(blockers, vdupq_n_u64(bit(square)));
    let mirrored = vdupq_n_u64(bit(square ^ 56));
    let below = bytes_reversed(vsubq_u64(bytes_reversed(blockers), mirrored));
    vandq_u64(veorq_u64(above, below), lines)
}

/// Returns each lane with its bytes in reverse order.
#[inline]
#[target_feature(enable = "neon")]
fn bytes_reversed(lanes: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(lanes)))
}

/// Returns each lane with its bits in reverse order.
#[inline]
#[target_feature(enable = "neon")]
fn bits_reversed(lanes: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vrev64q_u8(vrbitq_u8(vreinterpretq_u8_u64(lanes))))
}

/// Returns the union of the two lanes.
#[inline]
#[target_feature(enable = "neon")]
fn union(lanes: uint64x2_t) -> u64 {
    vgetq_lane_u64::<0>(lanes) | vgetq_lane_u64::<1>(lanes)
}

/// Returns the union of the lanes of each register.
#[inline]
#[target_feature(enable = "neon")]
fn unions(a: uint64x2_t, b: uint64x2_t) -> [u64; 2] {
    let unions = vorrq_u64(vzip1q_u64(a, b), vzip2q_u64(a, b));
    [vgetq_lane_u64::<0>(unions), vgetq_lane_u64::<1>(unions)]
}

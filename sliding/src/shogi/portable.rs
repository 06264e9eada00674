//! Sliders in portable code: rays towards higher squares by the lowest blocker, those towards lower
//! squares the same way on the reversed board, and files by their nine bits alone.
//!
//! No two squares of a rank or a diagonal are in the same byte (they are 8, 9 or 10 bits apart), so
//! that a byte swap reverses these rays.
//!
//! Source of the idea: Qugiy (WCSC31); TECHNIQUES H1.

use super::board::{Layout, Side};

/// Returns the attacks of a lance.
#[inline(always)]
pub(crate) fn lance<L: Layout>(side: Side, square: u8, occupied: L) -> L {
    let (start, rank) = (L::file_start(square / 9), square % 9);
    let file = (occupied.bits() >> start) as u32;
    let attacks = match side {
        Side::Black => towards_low(file, rank),
        Side::White => towards_high(file, rank),
    };
    L::from_bits(u128::from(attacks) << start)
}

/// Returns the attacks along the file, as bits of the layout.
#[inline(always)]
pub(crate) fn file<L: Layout>(square: u8, occupied: L) -> u128 {
    let (start, rank) = (L::file_start(square / 9), square % 9);
    let file = (occupied.bits() >> start) as u32;
    u128::from(towards_low(file, rank) | towards_high(file, rank)) << start
}

/// Returns the squares of a file that are attacked towards rank 0.
#[inline(always)]
fn towards_low(file: u32, rank: u8) -> u32 {
    let ray = (1 << rank) - 1;
    let nearest = 31 - (file & ray | 1).leading_zeros(); // rank 0 if nothing is in the way
    ray & u32::MAX << nearest
}

/// Returns the squares of a file that are attacked towards rank 8.
#[inline(always)]
fn towards_high(file: u32, rank: u8) -> u32 {
    let ray = 0x1fe << rank & 0x1ff;
    let blockers = file & ray;
    (blockers ^ blockers.wrapping_sub(1)) & ray
}

/// Returns the attacks of a rook.
#[inline(always)]
pub(crate) fn rook<L: Layout>(square: u8, occupied: L) -> L {
    let [left, _, right, _] = L::rook_rays()[usize::from(square)];
    let bits = occupied.bits();
    let right = along(bits.swap_bytes(), right).swap_bytes();
    L::from_bits(along(bits, left) | right | file(square, occupied))
}

/// Returns the attacks of a bishop.
#[inline(always)]
pub(crate) fn bishop<L: Layout>(square: u8, occupied: L) -> L {
    let [a, b, c, d] = L::bishop_rays()[usize::from(square)];
    let bits = occupied.bits();
    let swapped = bits.swap_bytes();
    let low = along(swapped, c) | along(swapped, d);
    L::from_bits(along(bits, a) | along(bits, b) | low.swap_bytes())
}

/// Returns the attacked squares of a ray towards higher bits.
#[inline(always)]
fn along(occupied: u128, ray: u128) -> u128 {
    let blockers = occupied & ray;
    (blockers ^ blockers.wrapping_sub(1)) & ray
}

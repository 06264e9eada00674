//! All 64 lanes in eight registers of eight. NEON has no gather: the weights are loaded one by one.
#![allow(unsafe_code, reason = "loads and stores of vectors")]

use core::arch::aarch64::*;

use super::features::Features;
use super::patterns::{DIGITS, LANES};

/// The number of registers.
const PARTS: usize = LANES / 8;

/// The lanes as eight registers.
type Parts = [uint16x8_t; PARTS];

#[inline]
#[target_feature(enable = "neon")]
fn load(lanes: &[u16; LANES]) -> Parts {
    let mut parts = [vdupq_n_u16(0); PARTS];
    for (part, register) in parts.iter_mut().enumerate() {
        // SAFETY: the array has eight times eight lanes; each group is read once.
        *register = unsafe { vld1q_u16(lanes.as_ptr().wrapping_add(8 * part)) };
    }
    parts
}

#[inline]
#[target_feature(enable = "neon")]
fn store(contents: Parts, occupied: Parts) -> Features {
    let mut features = Features::EMPTY;
    for (lanes, parts) in [(&mut features.contents, contents), (&mut features.occupied, occupied)] {
        for (part, register) in parts.into_iter().enumerate() {
            // SAFETY: the array has eight times eight lanes; each group is written once.
            unsafe { vst1q_u16(lanes.as_mut_ptr().wrapping_add(8 * part), register) };
        }
    }
    features
}

#[inline]
#[target_feature(enable = "neon")]
fn other_view(contents: Parts, occupied: Parts) -> Parts {
    let mut view = contents;
    for part in 0..PARTS {
        let twice = vaddq_u16(occupied[part], occupied[part]);
        view[part] = vaddq_u16(twice, vsubq_u16(occupied[part], contents[part]));
    }
    view
}

/// Returns the features after a move on `square` that turns `flipped`.
#[inline]
#[target_feature(enable = "neon")]
#[must_use]
pub(crate) fn after_move(features: &Features, square: u32, flipped: u64) -> Features {
    let (mut contents, mut occupied) = (load(&features.contents), load(&features.occupied));
    let placed = load(&DIGITS[square as usize & 63].0);
    for part in 0..PARTS {
        contents[part] = vaddq_u16(contents[part], placed[part]);
        occupied[part] = vaddq_u16(occupied[part], placed[part]);
    }
    let mut rest = flipped;
    while rest != 0 {
        let turned = load(&DIGITS[rest.trailing_zeros() as usize & 63].0);
        rest &= rest - 1;
        for part in 0..PARTS {
            contents[part] = vsubq_u16(contents[part], turned[part]);
        }
    }
    store(other_view(contents, occupied), occupied)
}

/// Returns the features of the same board, seen by the other player.
#[inline]
#[target_feature(enable = "neon")]
#[must_use]
pub(crate) fn after_pass(features: &Features) -> Features {
    let (contents, occupied) = (load(&features.contents), load(&features.occupied));
    store(other_view(contents, occupied), occupied)
}

//! Corner stability: the player's corners, and the player's discs next to them along the edges.
//!
//! ```text
//!   # # . .      the corner and its two neighbours, if all are the player's: 3
//!   # . . .
//! ```
//! A cheap share of the stable discs, for move ordering.
//!
//! 20 instructions in 9 cycles.
//!
//! Source: `edax-avx-optimizations`, move ordering.

use super::CORNERS;

crate::catalogue::family! {
    /// Player → discs in corners and next to them along the edges.
    CornerStability = fn(player: u64) -> u64;
    portable {
        "reference" "B2" [] reference,
        "shifted_corners" "B2" [] shifted_corners,
    }
    x86_64 {}
    aarch64 {}
}

/// For each corner and its neighbours on the edges.
const PLACES: [(u32, [u32; 2]); 4] = [(0, [1, 8]), (7, [6, 15]), (56, [57, 48]), (63, [62, 55])];

fn reference(player: u64) -> u64 {
    let has = |square: u32| player >> square & 1 != 0;
    let mut stable = 0;
    for (corner, beside) in PLACES {
        if has(corner) {
            let found = beside.into_iter().filter(|&square| has(square));
            stable |= found.fold(1 << corner, |found, square| found | 1 << square);
        }
    }
    stable
}

/// Returns the player's corners, and the player's discs next to them along the edges.
#[inline(always)]
#[must_use]
pub const fn shifted_corners(player: u64) -> u64 {
    /// Corners with a square to their right, left, above and below.
    const TOWARDS: [u64; 4] =
        [0x0100_0000_0000_0001, 0x8000_0000_0000_0080, 0x81, 0x8100_0000_0000_0000];
    let beside = (player & TOWARDS[0]) << 1
        | (player & TOWARDS[1]) >> 1
        | (player & TOWARDS[2]) << 8
        | (player & TOWARDS[3]) >> 8;
    player & (CORNERS | beside)
}

//! The eight rays gathered into the eight bytes of a word by VPSHUFBITQMB.
//!
//! The instruction picks any 64 bits of a word. Picked ray by ray, the nearest square first, they
//! turn all directions into one: eight additions of one in the bytes of a general register carry
//! through the runs of opponents. The same instruction puts the discs that turn back.
//!
//! ```text
//!   board                       byte for up-right: nearest square in bit 0
//!   . . . . . # . .
//!   . . . . o . . .             opponent  . . . o o      0 0 0 1 1
//!   . . . o . . . .             + 1                      0 0 1 0 0    & player: outflank
//!   . . @ . . . . .             turned                   0 0 0 1 1    opponent & !(opponent + 1)
//! ```
//! A ray has seven squares at most, so that no byte carries into the next; places beyond the edge
//! pick the square of the move, which is empty. 28 instructions in 37 cycles, with two tables of
//! 4 KiB; the ways to a mask register and back take most of it.
//!
//! Source: ours; TECHNIQUES E2, E10.

use core::arch::x86_64::*;

use crate::masks::RAYS;

/// Which bit each of 64 comes from.
#[repr(C, align(64))]
pub(crate) struct Places([u8; 64]);

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// For each square, the squares of its rays: a byte a ray, the nearest in its lowest bit.
pub(crate) static GATHER: [Places; 64] = {
    let mut all = [const { Places([0; 64]) }; 64];
    let mut square = 0;
    while square < 64 {
        all[square] = Places([square as u8; 64]);
        let mut direction = 0;
        while direction < 8 {
            let mut ray = RAYS[square].0[direction];
            let mut place = 8 * direction;
            while ray != 0 {
                let nearest = if direction < 4 { ray.trailing_zeros() } else { ray.ilog2() };
                all[square].0[place] = nearest as u8;
                ray ^= 1 << nearest;
                place += 1;
            }
            direction += 1;
        }
        square += 1;
    }
    all
};

/// For each square, the places in the gathered word of the board's squares; those on no ray take
/// bit 7, beyond the seventh square of a ray, where nothing turns.
static SCATTER: [Places; 64] = {
    let mut all = [const { Places([7; 64]) }; 64];
    let mut square = 0;
    while square < 64 {
        let mut place = 0;
        while place < 64 {
            let from = GATHER[square].0[place] as usize;
            if from != square {
                all[square].0[from] = place as u8;
            }
            place += 1;
        }
        square += 1;
    }
    all
};

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
#[must_use]
pub(crate) fn flip(player: u64, opponent: u64, square: u32) -> u64 {
    let gather = &GATHER[square as usize & 63];
    let turned = turned(pick(player, gather), pick(opponent, gather));
    pick(turned, &SCATTER[square as usize & 63])
}

/// Returns the chosen bits of the board.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
pub(crate) fn pick(board: u64, places: &Places) -> u64 {
    // SAFETY: the type has 64 bytes and is aligned to 64.
    let places = unsafe { _mm512_load_si512(places.0.as_ptr().cast()) };
    _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(board.cast_signed()), places)
}

/// Returns the discs turned on eight rays of seven squares, one in each byte.
#[inline]
pub(crate) fn turned(player: u64, opponent: u64) -> u64 {
    let carried = opponent + ONES;
    let outflank = carried & player;
    // the highest bit of each byte that has an outflanking disc, then the seven below it
    let turns = (outflank + 0x7f * ONES) & (0x80 * ONES);
    opponent & !carried & (turns - (turns >> 7))
}

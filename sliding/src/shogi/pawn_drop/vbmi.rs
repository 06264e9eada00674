//! Two permutations of bits, for want of a byte that is a file.
//!
//! VPMULTISHIFTQB takes eight bits from any place of a word for each byte. The first one puts the
//! eight ranks on which a pawn can be, of each file, into a byte; a comparison with zero fills the
//! bytes of free files. The second one stretches bytes of eight equal bits to files of nine: a
//! window that ends a file late has bits of two files, in the place where one follows the other.
//!
//! ```text
//!   pawns, nine bits a file       … 000000000  000010000  000000000
//!   ranks 1-8, a byte a file      …   00000000   00001000   00000000
//!   compared with zero            …   11111111   00000000   11111111
//!   stretched                     … 111111111  000000000  111111111
//! ```
//! The ninth rank, the farthest, has no pawns and is no target. Four operations with the
//! intersection, where arithmetic takes five. Ours; TECHNIQUES H2.

use core::arch::x86_64::*;

use outflank_kernel::Avx512Gfni;

use super::super::board::{Layout, Side, Split};
use super::{LAST, none_on_last_rank};

/// Returns the same as [`pawn_drops`](super::pawn_drops) for [`Split`]; the token proves that the
/// CPU has VBMI.
///
/// # Panics
/// Builds with debug assertions panic if there is a pawn on the last rank.
#[inline(always)]
#[must_use]
pub fn by_vbmi(_token: Avx512Gfni, side: Side, pawns: Split) -> Split {
    debug_assert!(none_on_last_rank(side, pawns), "a pawn on the last rank: {pawns:?}");
    // SAFETY: the token proves the features.
    unsafe { drops(side, pawns) }
}

#[inline]
#[target_feature(enable = "avx512vl,avx512vbmi")]
fn drops(side: Side, pawns: Split) -> Split {
    let (ranks, allowed) = match side {
        Side::Black => (const { ranks(1) }, const { except(LAST[0] >> 8, LAST[1] >> 8) }),
        Side::White => (const { ranks(0) }, const { except(LAST[0], LAST[1]) }),
    };
    // SAFETY: `Split` is 16 bytes, aligned to 16.
    let pawns = unsafe { _mm_load_si128(core::ptr::from_ref(&pawns).cast()) };
    let files = _mm_multishift_epi64_epi8(register(ranks), pawns);
    let free = _mm_cmpeq_epi8(files, _mm_setzero_si128());
    let free = _mm_multishift_epi64_epi8(register(const { stretched() }), free);
    let drops = _mm_and_si128(free, register(allowed));
    let mut result = Split::EMPTY;
    // SAFETY: as above; `allowed` has no bits that stand for no square, as `Split` needs it.
    unsafe { _mm_store_si128(core::ptr::from_mut(&mut result).cast(), drops) };
    result
}

/// Returns where the byte of each file begins: at its rank `first`, of which seven files are in a
/// word. The eighth byte repeats the seventh; of the second word, two bytes count.
const fn ranks(first: u8) -> [u8; 16] {
    let (mut places, mut byte) = ([0; 16], 0);
    while byte < 16 {
        let file = if byte % 8 < 7 { byte as u8 % 8 } else { 6 };
        places[byte] = 9 * file + first;
        byte += 1;
    }
    places
}

/// Returns where each byte of the board is in a word that has eight bits a file. Byte `b` begins in
/// file `f = 8 b / 9`; the next begins `9 f + 9 - 8 b` bits later, at bit `8 f + 8` of that word.
const fn stretched() -> [u8; 16] {
    let (mut places, mut byte) = ([0; 16], 0);
    while byte < 16 {
        let first = 8 * (byte as u8 % 8);
        places[byte] = first.saturating_sub(first / 9 + 1);
        byte += 1;
    }
    places
}

/// Returns the squares but these, as bytes.
const fn except(low: u64, high: u64) -> [u8; 16] {
    let [low, high] = Split::new([!low, !high]).words();
    (low as u128 | (high as u128) << 64).to_le_bytes()
}

#[inline]
#[target_feature(enable = "sse2")]
fn register(bytes: [u8; 16]) -> __m128i {
    // SAFETY: the array has 16 bytes, and the load needs no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

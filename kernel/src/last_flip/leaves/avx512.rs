//! A leaf in each lane of 512 bits, one direction after the other.
//!
//! The rays of a square are one register; eight of them transposed give each direction of all
//! leaves. As for a single leaf (`last_flip/avx512/flipped.rs`) the nearest disc of a side decides,
//! and VPOPCNTQ counts what turns in each lane, so that no lanes have to be joined:
//!
//! ```text
//!   leaf 0      right up … down-right           right        of leaf 0, 1, …, 7
//!   leaf 1      right up … down-right    ->     up           of leaf 0, 1, …, 7
//!   …                                           …
//!   leaf 7      right up … down-right           down-right   of leaf 0, 1, …, 7
//! ```
//! 24 instructions to transpose, 13 for each direction and both sides: 17 a leaf, and no table but
//! the rays. On Zen 5 that takes a third longer than PEXT with its tables, one leaf after the
//! other.
//!
//! Source: ours; TECHNIQUES D6.

use core::arch::x86_64::*;

use crate::lanes::{boards8, lanes8};
use crate::masks::RAYS;

/// `!a & b & c`.
const NOT_AND_AND: i32 = 0x08;
/// `!a & b`.
const NOT_AND: i32 = 0x0c;

/// Counts for all eight positions at once.
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq")]
pub(super) fn lanes(players: [u64; 8], squares: [u32; 8]) -> [[u64; 8]; 2] {
    let rays = transposed(squares.map(|square| rays(square)));
    let player = lanes8(&players);
    let (mut mine, mut theirs) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for ray in &rays[..4] {
        let discs = _mm512_and_si512(player, *ray);
        let others = _mm512_andnot_si512(player, *ray);
        mine = _mm512_add_epi64(mine, upwards(discs, *ray));
        theirs = _mm512_add_epi64(theirs, upwards(others, *ray));
    }
    for ray in &rays[4..] {
        let discs = _mm512_and_si512(player, *ray);
        let others = _mm512_andnot_si512(player, *ray);
        mine = _mm512_add_epi64(mine, downwards(discs, others));
        theirs = _mm512_add_epi64(theirs, downwards(others, discs));
    }
    [boards8(mine), boards8(theirs)]
}

/// Returns the number of squares before the first of `discs` on a ray towards higher squares.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn upwards(discs: __m512i, ray: __m512i) -> __m512i {
    let ends = _mm512_test_epi64_mask(discs, discs);
    let below = _mm512_add_epi64(discs, _mm512_set1_epi64(-1));
    let turned = _mm512_maskz_ternarylogic_epi64::<NOT_AND_AND>(ends, discs, below, ray);
    _mm512_popcnt_epi64(turned)
}

/// Returns the number of `others` above the highest of `discs`; none without one: then the top bit stays, which is no
/// square of a ray towards lower ones.
#[inline]
#[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq")]
fn downwards(discs: __m512i, others: __m512i) -> __m512i {
    let nearest = _mm512_rorv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(discs));
    let below = _mm512_add_epi64(nearest, _mm512_set1_epi64(-1));
    _mm512_popcnt_epi64(_mm512_ternarylogic_epi64::<NOT_AND>(below, others, others))
}

/// Returns the eight rays of a square.
#[inline]
#[target_feature(enable = "avx512f")]
fn rays(square: u32) -> __m512i {
    // SAFETY: the entry has 64 bytes and is aligned to 64.
    unsafe { _mm512_load_si512(RAYS[square as usize & 63].0.as_ptr().cast()) }
}

/// Returns the lanes of eight registers by lane: pairs, then pairs of pairs, then halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
    let quarters = |a, b, c, d| {
        let (low, high) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let (low_2, high_2) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
        let even = |x, y| _mm512_shuffle_i64x2::<0b10_00_10_00>(x, y);
        let odd = |x, y| _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y);
        // lanes 0 and 4, 2 and 6, 1 and 5, 3 and 7 of the four registers
        [even(low, low_2), odd(low, low_2), even(high, high_2), odd(high, high_2)]
    };
    let [first_04, first_26, first_15, first_37] = quarters(a, b, c, d);
    let [second_04, second_26, second_15, second_37] = quarters(e, f, g, h);
    let even = |x, y| _mm512_shuffle_i64x2::<0b10_00_10_00>(x, y);
    let odd = |x, y| _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y);
    [
        even(first_04, second_04),
        even(first_15, second_15),
        even(first_26, second_26),
        even(first_37, second_37),
        odd(first_04, second_04),
        odd(first_15, second_15),
        odd(first_26, second_26),
        odd(first_37, second_37),
    ]
}

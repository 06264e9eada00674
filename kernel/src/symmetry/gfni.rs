//! GFNI multiplies the board, eight bytes of eight bits, by a matrix of bits: one instruction
//! mirrors or turns it.
//!
//! ```text
//!   VGF2P8AFFINEQB(x, A)              with b the board and v the board mirrored top-bottom
//!     x = b, v    A = antidiagonal    mirrored left-right; turned by 180 degrees
//!     x = antidiagonal, A = b, v      turned by 90 degrees; mirrored at one diagonal
//!     x = diagonal,     A = b, v      mirrored at the other diagonal; turned by 270 degrees
//! ```
//! A single board takes two registers of four images; in a batch each lane is a board and each
//! register one of the eight images, so that the minimum needs no movement between lanes.
//!
//! Positions are compared as (player, opponent): first the smallest player, then, in the lanes
//! whose player is that, the smallest opponent. Ours.
//!
//! 31 instructions in 48 cycles for a position, 15 for a board: it wins wherever it can run.

use core::arch::x86_64::*;

use crate::lanes::{boards8, lanes8};

/// Reverses the bits of each byte, as a matrix; as data, byte `i` is `1 << i`.
const ANTIDIAGONAL: i64 = 0x8040_2010_0804_0201_u64.cast_signed();
/// Leaves each byte as it is, as a matrix; as data, byte `i` is `128 >> i`.
const DIAGONAL: i64 = 0x0102_0408_1020_4080;
/// The order of the bytes of a board mirrored top-bottom.
const SWAPPED: i64 = 0x0001_0203_0405_0607;
/// The order of the bytes of the upper board in a register, mirrored.
const SWAPPED_UPPER: i64 = 0x0809_0a0b_0c0d_0e0f;

/// Returns the eight images of a board in two registers.
#[inline]
#[target_feature(enable = "avx2,gfni")]
fn images(board: u64) -> [__m256i; 2] {
    let same_upper = 0x0f0e_0d0c_0b0a_0908;
    let order = _mm256_set_epi64x(SWAPPED, same_upper, SWAPPED, same_upper);
    // Both boards of a register are alike, so that either may give the bytes.
    let pairs = _mm256_shuffle_epi8(_mm256_set1_epi64x(board.cast_signed()), order);
    let constant = _mm256_set_epi64x(ANTIDIAGONAL, ANTIDIAGONAL, DIAGONAL, DIAGONAL);
    [
        _mm256_gf2p8affine_epi64_epi8::<0>(pairs, constant),
        _mm256_gf2p8affine_epi64_epi8::<0>(constant, pairs),
    ]
}

/// Returns a register with the smallest of the lanes in every lane.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl")]
fn least(lanes: __m256i) -> __m256i {
    let halves = _mm256_min_epu64(lanes, _mm256_permute4x64_epi64::<0b0100_1110>(lanes));
    _mm256_min_epu64(halves, _mm256_shuffle_epi32::<0b0100_1110>(halves))
}

/// Returns the lowest lane.
#[inline]
#[target_feature(enable = "avx2")]
fn first(lanes: __m256i) -> u64 {
    _mm_cvtsi128_si64(_mm256_castsi256_si128(lanes)).cast_unsigned()
}

/// Returns the smallest of the eight images of a board.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,gfni")]
#[must_use]
pub(crate) fn smallest(board: u64) -> u64 {
    let [one, other] = images(board);
    first(least(_mm256_min_epu64(one, other)))
}

/// Returns the smallest of the eight symmetric positions, compared as (player, opponent).
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,gfni")]
#[must_use]
pub(crate) fn canonical(player: u64, opponent: u64) -> (u64, u64) {
    let [one, other] = images(player);
    let player = least(_mm256_min_epu64(one, other));
    let (ties, other_ties) =
        (_mm256_cmpeq_epi64_mask(one, player), _mm256_cmpeq_epi64_mask(other, player));
    let [one, other] = images(opponent);
    let none = _mm256_set1_epi64x(-1);
    let opponent = _mm256_mask_mov_epi64(none, ties, one);
    let opponent = least(_mm256_mask_min_epu64(opponent, other_ties, opponent, other));
    (first(player), first(opponent))
}

/// Returns the eight images of each of eight boards, an image in each register.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn images8(boards: __m512i) -> [__m512i; 8] {
    let order = _mm512_broadcast_i32x4(_mm_set_epi64x(SWAPPED_UPPER, SWAPPED));
    let mirrored = _mm512_shuffle_epi8(boards, order);
    let (diagonal, antidiagonal) = (_mm512_set1_epi64(DIAGONAL), _mm512_set1_epi64(ANTIDIAGONAL));
    [
        boards,
        mirrored,
        _mm512_gf2p8affine_epi64_epi8::<0>(boards, antidiagonal),
        _mm512_gf2p8affine_epi64_epi8::<0>(mirrored, antidiagonal),
        _mm512_gf2p8affine_epi64_epi8::<0>(diagonal, boards),
        _mm512_gf2p8affine_epi64_epi8::<0>(diagonal, mirrored),
        _mm512_gf2p8affine_epi64_epi8::<0>(antidiagonal, boards),
        _mm512_gf2p8affine_epi64_epi8::<0>(antidiagonal, mirrored),
    ]
}

/// Returns the smallest of eight registers, lane by lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn least8([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> __m512i {
    let (ab, cd) = (_mm512_min_epu64(a, b), _mm512_min_epu64(c, d));
    let (ef, gh) = (_mm512_min_epu64(e, f), _mm512_min_epu64(g, h));
    _mm512_min_epu64(_mm512_min_epu64(ab, cd), _mm512_min_epu64(ef, gh))
}

/// Returns the smallest image of each board.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
#[must_use]
pub(crate) fn smallest8(boards: [u64; 8]) -> [u64; 8] {
    boards8(least8(images8(lanes8(&boards))))
}

/// Returns the smallest image of each position, compared as (player, opponent).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
#[must_use]
pub(crate) fn canonical8(players: [u64; 8], opponents: [u64; 8]) -> ([u64; 8], [u64; 8]) {
    let images = images8(lanes8(&players));
    let player = least8(images);
    let mut opponent = _mm512_set1_epi64(-1);
    for (image, player_image) in images8(lanes8(&opponents)).into_iter().zip(images) {
        let ties = _mm512_cmpeq_epi64_mask(player_image, player);
        opponent = _mm512_mask_min_epu64(opponent, ties, opponent, image);
    }
    (boards8(player), boards8(opponent))
}

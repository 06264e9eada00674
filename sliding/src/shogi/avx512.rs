//! All four rays in one register of 512 bits.
//!
//! VPSHUFB reverses the bytes of the two lanes whose rays lead to lower squares; along the file,
//! where eight squares share a byte, VGF2P8AFFINEQB reverses the bits too. The upper half of a lane
//! is decremented only where the lower half has no blocker, by a mask. Ours; TECHNIQUES H1.

use core::arch::x86_64::*;

use super::avx2::{bits_of, load};
use super::board::Layout;

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,gfni")]
pub(crate) fn bishop<L: Layout>(square: u8, occupied: L) -> L {
    let board = _mm512_broadcast_i32x4(load(occupied.bits()));
    let attacks = along(bytes_reversed(board), rays(&L::bishop_rays()[usize::from(square)]));
    store(bytes_reversed(attacks))
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512bw,gfni")]
pub(crate) fn rook<L: Layout>(square: u8, occupied: L) -> L {
    let board = _mm512_broadcast_i32x4(load(occupied.bits()));
    let board = file_reversed(bytes_reversed(board));
    let attacks = along(board, rays(&L::rook_rays()[usize::from(square)]));
    store(bytes_reversed(file_reversed(attacks)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn rays(rays: &[u128; 4]) -> __m512i {
    // SAFETY: the array has 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(rays.as_ptr().cast()) }
}

/// Returns the attacks along the four rays towards higher bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn along(occupied: __m512i, rays: __m512i) -> __m512i {
    let blockers = _mm512_and_si512(occupied, rays);
    let low = _mm512_unpacklo_epi64(blockers, blockers);
    let upper_halves = _mm512_set_epi64(-1, 0, -1, 0, -1, 0, -1, 0);
    let minus = _mm512_testn_epi64_mask(low, upper_halves);
    let less = _mm512_mask_add_epi64(blockers, minus, blockers, _mm512_set1_epi64(-1));
    _mm512_ternarylogic_epi64::<0x28>(blockers, less, rays) // (a ^ b) & c
}

/// Returns lanes 2 and 3 with their bytes in reverse order.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn bytes_reversed(lanes: __m512i) -> __m512i {
    let (low, high) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908);
    let (reversed_low, reversed_high) = (0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
    let order = _mm512_set_epi64(
        reversed_high,
        reversed_low,
        reversed_high,
        reversed_low,
        high,
        low,
        high,
        low,
    );
    _mm512_shuffle_epi8(lanes, order)
}

/// Returns lane 3, the ray along the file, with the bits of each byte in reverse order.
#[inline]
#[target_feature(enable = "avx512f,gfni")]
fn file_reversed(lanes: __m512i) -> __m512i {
    let (same, reversed) = (0x0102_0408_1020_4080, 0x8040_2010_0804_0201_u64.cast_signed());
    let matrix = _mm512_set_epi64(reversed, reversed, same, same, same, same, same, same);
    _mm512_gf2p8affine_epi64_epi8::<0>(lanes, matrix)
}

/// Returns the union of the four lanes.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
fn store<L: Layout>(lanes: __m512i) -> L {
    let high = _mm512_extracti64x4_epi64::<1>(lanes);
    let two = _mm256_or_si256(_mm512_castsi512_si256(lanes), high);
    let high = _mm256_extracti128_si256::<1>(two);
    L::from_bits(bits_of(_mm_or_si128(_mm256_castsi256_si128(two), high)))
}

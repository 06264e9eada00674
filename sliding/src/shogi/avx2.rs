//! Two rays of 128 bits in each register.
//!
//! A register has no subtraction of 128 bits: the upper half is decremented only where the lower
//! half has no blocker, which a comparison tells.
//!
//! ```text
//!   half        low            high
//!   blockers    o0             o1
//!   minus       1              1 if o0 = 0, else 0
//!   attacks     (o ^ (o - minus)) & ray
//! ```
//! Source: Qugiy (WCSC31); TECHNIQUES H1.

use core::arch::x86_64::*;

use super::board::Layout;
use super::portable;

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn bishop<L: Layout>(square: u8, occupied: L) -> L {
    let rays = &L::bishop_rays()[usize::from(square)];
    let occupied = _mm256_broadcastsi128_si256(load(occupied.bits()));
    let up = along(occupied, pair(&rays[..2]));
    let down = reversed(along(reversed(occupied), pair(&rays[2..])));
    store(_mm256_or_si256(up, down))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn rook<L: Layout>(square: u8, occupied: L) -> L {
    let rays = &L::rook_rays()[usize::from(square)];
    let file = portable::file(square, occupied);
    // Lane 0 looks at the board as it is, lane 1 at the reversed board.
    let bits = load(occupied.bits());
    let both =
        _mm256_set_m128i(_mm256_castsi256_si128(reversed(_mm256_castsi128_si256(bits))), bits);
    let attacks = along(both, _mm256_set_m128i(load(rays[2]), load(rays[0])));
    let down = reversed(_mm256_castsi128_si256(_mm256_extracti128_si256::<1>(attacks)));
    let union = _mm_or_si128(_mm256_castsi256_si128(attacks), _mm256_castsi256_si128(down));
    L::from_bits(file | bits_of(union))
}

/// Returns the attacks along the two rays towards higher bits.
#[inline]
#[target_feature(enable = "avx2")]
fn along(occupied: __m256i, rays: __m256i) -> __m256i {
    let blockers = _mm256_and_si256(occupied, rays);
    let low = _mm256_unpacklo_epi64(blockers, blockers);
    let carry = _mm256_cmpeq_epi64(low, _mm256_setzero_si256());
    let minus = _mm256_or_si256(carry, _mm256_set_epi64x(0, -1, 0, -1));
    let less = _mm256_add_epi64(blockers, minus);
    _mm256_and_si256(_mm256_xor_si256(blockers, less), rays)
}

/// Returns each lane of 128 bits with its bytes in reverse order.
#[inline]
#[target_feature(enable = "avx2")]
fn reversed(lanes: __m256i) -> __m256i {
    let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    _mm256_shuffle_epi8(lanes, _mm256_broadcastsi128_si256(order))
}

/// Returns the union of the two lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn store<L: Layout>(lanes: __m256i) -> L {
    let high = _mm256_extracti128_si256::<1>(lanes);
    L::from_bits(bits_of(_mm_or_si128(_mm256_castsi256_si128(lanes), high)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn pair(rays: &[u128]) -> __m256i {
    _mm256_set_m128i(load(rays[1]), load(rays[0]))
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn load(bits: u128) -> __m128i {
    _mm_set_epi64x((bits >> 64) as i64, bits as i64)
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn bits_of(lane: __m128i) -> u128 {
    let low = _mm_cvtsi128_si64(lane).cast_unsigned();
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(lane, lane)).cast_unsigned();
    u128::from(low) | u128::from(high) << 64
}

//! Four boards in a register, one image of each at a time, so that the minimum needs no movement
//! between lanes.
//!
//! ```text
//!   image         operations for four boards
//!   left-right    6: both nibbles of each byte by PSHUFB
//!   top-bottom    1: the bytes by PSHUFB
//!   transposed    15: three delta swaps
//! ```
//! Players are kept with the top bit inverted, since AVX2 compares signed numbers. Ours.

use core::arch::x86_64::*;

use super::transpose;
use crate::lanes::{boards, lanes4};

/// Returns the smallest image of each of four positions, compared as (player, opponent).
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn canonical4(players: &[u64; 4], opponents: &[u64; 4]) -> ([u64; 4], [u64; 4]) {
    let (players, opponents) = (lanes4(players), lanes4(opponents));
    let mut least = Least { players: inverted(players), opponents: inverted(opponents) };
    for (player, opponent) in mirrors(players).into_iter().zip(mirrors(opponents)) {
        least = least.or(player, opponent).or(transpose(player), transpose(opponent));
    }
    (boards(inverted(least.players)), boards(inverted(least.opponents)))
}

/// Returns the smallest image of each of four boards.
#[inline]
#[target_feature(enable = "avx2")]
#[must_use]
pub(crate) fn smallest4(given: &[u64; 4]) -> [u64; 4] {
    let given = lanes4(given);
    let mut least = inverted(given);
    for image in mirrors(given) {
        for image in [inverted(image), inverted(transpose(image))] {
            least = _mm256_blendv_epi8(least, image, _mm256_cmpgt_epi64(least, image));
        }
    }
    boards(inverted(least))
}

/// The smallest images so far, with the top bits inverted.
#[derive(Clone, Copy)]
struct Least {
    players: __m256i,
    opponents: __m256i,
}

impl Least {
    /// Returns the smaller ones of these and of the images given, lane by lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn or(self, player: __m256i, opponent: __m256i) -> Self {
        let (player, opponent) = (inverted(player), inverted(opponent));
        let tied = _mm256_cmpeq_epi64(self.players, player);
        let by_opponent = _mm256_and_si256(tied, _mm256_cmpgt_epi64(self.opponents, opponent));
        let less = _mm256_or_si256(_mm256_cmpgt_epi64(self.players, player), by_opponent);
        Self {
            players: _mm256_blendv_epi8(self.players, player, less),
            opponents: _mm256_blendv_epi8(self.opponents, opponent, less),
        }
    }
}

/// Returns the lanes with the top bit inverted: their order as signed numbers is then that of the
/// lanes as unsigned ones.
#[inline]
#[target_feature(enable = "avx2")]
fn inverted(lanes: __m256i) -> __m256i {
    _mm256_xor_si256(lanes, _mm256_set1_epi64x(i64::MIN))
}

/// Returns the boards as they are, mirrored left-right, top-bottom, and both.
#[inline]
#[target_feature(enable = "avx2")]
fn mirrors(boards: __m256i) -> [__m256i; 4] {
    let files = files_mirrored(boards);
    [boards, files, ranks_mirrored(boards), ranks_mirrored(files)]
}

/// Returns the boards mirrored left-right: see `mirror_files`.
#[inline]
#[target_feature(enable = "avx2")]
fn files_mirrored(boards: __m256i) -> __m256i {
    let low = _mm256_set1_epi8(0x0f);
    let mirrored = _mm_set_epi8(15, 7, 11, 3, 13, 5, 9, 1, 14, 6, 10, 2, 12, 4, 8, 0);
    let upper = _mm256_broadcastsi128_si256(mirrored);
    let lower = _mm256_broadcastsi128_si256(_mm_slli_epi64::<4>(mirrored));
    _mm256_or_si256(
        _mm256_shuffle_epi8(upper, _mm256_and_si256(_mm256_srli_epi64::<4>(boards), low)),
        _mm256_shuffle_epi8(lower, _mm256_and_si256(boards, low)),
    )
}

/// Returns the boards mirrored top-bottom.
#[inline]
#[target_feature(enable = "avx2")]
fn ranks_mirrored(boards: __m256i) -> __m256i {
    let order = _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_shuffle_epi8(boards, _mm256_broadcastsi128_si256(order))
}

//! The eight symmetric images and their minimum, single and batched, by the token of a set.

use super::{mirrored, portable};
use crate::Scalar;
use crate::bits::transpose;

/// The symmetries of boards, implemented by the tokens of the instruction sets.
///
/// Every method is `inline(always)` and enters the best variant of the set; see
/// [`KernelSet`](crate::KernelSet) for what that means to callers.
pub trait Symmetry: Copy + Send + Sync + 'static {
    /// Returns the eight images of a board, itself among them, in an order that the sets share.
    #[inline(always)]
    fn images(self, board: u64) -> [u64; 8] {
        let [a, b, c, d] = mirrored(board);
        [a, b, c, d, transpose(a), transpose(b), transpose(c), transpose(d)]
    }

    /// Returns the smallest of the eight images of a board.
    #[inline(always)]
    fn smallest(self, board: u64) -> u64 {
        self.images(board).into_iter().fold(board, u64::min)
    }

    /// Returns the smallest of the eight symmetric positions, compared as (player, opponent).
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64);

    /// Returns the smallest image of each of eight boards.
    #[inline(always)]
    fn smallest8(self, mut boards: [u64; 8]) -> [u64; 8] {
        // A loop: the function behind `map` has not the features of the caller.
        for board in &mut boards {
            *board = self.smallest(*board);
        }
        boards
    }

    /// Returns the players and opponents of the smallest image of each of eight positions.
    #[inline(always)]
    fn canonical8(self, players: [u64; 8], opponents: [u64; 8]) -> ([u64; 8], [u64; 8]) {
        let mut least = (players, opponents);
        for i in 0..8 {
            (least.0[i], least.1[i]) = self.canonical(players[i], opponents[i]);
        }
        least
    }
}

impl Symmetry for Scalar {
    #[inline(always)]
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
        portable::canonical(player, opponent)
    }
}

/// Defines the batches of eight by batches of fewer.
macro_rules! in_parts {
    ($smallest:path, $canonical:path) => {
        #[inline(always)]
        fn smallest8(self, mut boards: [u64; 8]) -> [u64; 8] {
            for part in boards.as_chunks_mut().0 {
                // SAFETY: the token proves the features.
                *part = unsafe { $smallest(part) };
            }
            boards
        }

        #[inline(always)]
        fn canonical8(
            self,
            mut players: [u64; 8],
            mut opponents: [u64; 8],
        ) -> ([u64; 8], [u64; 8]) {
            let parts = players.as_chunks_mut().0.iter_mut().zip(opponents.as_chunks_mut().0);
            for (players, opponents) in parts {
                // SAFETY: the token proves the features.
                let least = unsafe { $canonical(players, opponents) };
                (*players, *opponents) = least;
            }
            (players, opponents)
        }
    };
}

#[cfg(target_arch = "aarch64")]
impl Symmetry for crate::Neon {
    #[inline(always)]
    fn smallest(self, board: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { super::neon::smallest(board) }
    }

    #[inline(always)]
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
        // SAFETY: the token proves the features.
        unsafe { super::neon::canonical(player, opponent) }
    }

    in_parts!(super::neon::smallest2, super::neon::canonical2);
}

#[cfg(target_arch = "x86_64")]
impl Symmetry for crate::Ssse3 {
    #[inline(always)]
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
        portable::canonical(player, opponent)
    }
}

#[cfg(target_arch = "x86_64")]
impl Symmetry for crate::Avx2 {
    #[inline(always)]
    fn smallest(self, board: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { super::avx2::smallest(board) }
    }

    #[inline(always)]
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
        // SAFETY: the token proves the features.
        unsafe { super::avx2::canonical(player, opponent) }
    }

    in_parts!(super::avx2::smallest4, super::avx2::canonical4);
}

#[cfg(target_arch = "x86_64")]
impl Symmetry for crate::Avx512 {
    #[inline(always)]
    fn smallest(self, board: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { super::avx512::smallest(board) }
    }

    #[inline(always)]
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
        // SAFETY: the token proves the features.
        unsafe { super::avx512::canonical(player, opponent) }
    }

    in_parts!(super::avx2::smallest4, super::avx2::canonical4);
}

#[cfg(target_arch = "x86_64")]
impl Symmetry for crate::Avx512Gfni {
    #[inline(always)]
    fn smallest(self, board: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { super::gfni::smallest(board) }
    }

    #[inline(always)]
    fn canonical(self, player: u64, opponent: u64) -> (u64, u64) {
        // SAFETY: the token proves the features.
        unsafe { super::gfni::canonical(player, opponent) }
    }

    #[inline(always)]
    fn smallest8(self, boards: [u64; 8]) -> [u64; 8] {
        // SAFETY: the token proves the features.
        unsafe { super::gfni::smallest8(boards) }
    }

    #[inline(always)]
    fn canonical8(self, players: [u64; 8], opponents: [u64; 8]) -> ([u64; 8], [u64; 8]) {
        // SAFETY: the token proves the features.
        unsafe { super::gfni::canonical8(players, opponents) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symmetry::scalar;

    fn boards() -> impl Iterator<Item = [u64; 8]> {
        let mut state = 0x0123_4567_89ab_cdef_u64;
        let symmetric = [0, u64::MAX, 0x0000_0018_1800_0000, 0x8142_2418_1824_4281, 1, 1 << 63];
        (0..3_000_usize).map(move |i| {
            core::array::from_fn(|lane| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                // Few bits make many ties between the player's images.
                match lane % 4 {
                    0 => symmetric[(i + lane) % symmetric.len()],
                    1 => state & state.rotate_left(20) & state.rotate_left(41),
                    _ => state,
                }
            })
        })
    }

    fn check<S: Symmetry>(set: S) {
        let (mut players, mut tested) = ([0; 8], 0);
        for opponents in boards() {
            let expected = players.map(|b| (0..8).map(|s| scalar::transform(b, s)).min());
            let found = set.smallest8(players);
            for lane in 0..8 {
                let (player, opponent) = (players[lane], opponents[lane]);
                assert_eq!(Some(found[lane]), expected[lane], "{player:#x}");
                assert_eq!(set.smallest(player), found[lane], "{player:#x}");
                let mut images = set.images(player);
                images.sort_unstable();
                let mut transformed: [u64; 8] =
                    core::array::from_fn(|s| scalar::transform(player, s as u32));
                transformed.sort_unstable();
                assert_eq!(images, transformed);
                let expected = scalar::canonical(player, opponent);
                assert_eq!(set.canonical(player, opponent), expected, "{player:#x} {opponent:#x}");
                let (least_players, least_opponents) = set.canonical8(players, opponents);
                assert_eq!((least_players[lane], least_opponents[lane]), expected);
                tested += 1;
            }
            players = opponents;
        }
        assert_eq!(tested, 24_000);
    }

    #[test]
    fn every_set_finds_the_smallest_images() {
        check(Scalar::new());
        #[cfg(target_arch = "aarch64")]
        crate::Neon::detect().into_iter().for_each(check);
        #[cfg(target_arch = "x86_64")]
        {
            crate::Ssse3::detect().into_iter().for_each(check);
            crate::Avx2::detect().into_iter().for_each(check);
            crate::Avx512::detect().into_iter().for_each(check);
            crate::Avx512Gfni::detect().into_iter().for_each(check);
        }
    }
}

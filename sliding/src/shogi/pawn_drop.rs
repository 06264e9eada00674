//! Where a pawn may be dropped: on files without a pawn of the same side, and not on the last rank.
//!
//! The methods of the literature, each as a function; [`pawn_drops`] is the fastest for one board
//! and [`pawn_drops8`] for eight. All take the unpromoted pawns of the side that drops: at most one
//! on a file, and none on the last rank, where the rules allow none. Whether the square is empty is
//! the caller's affair: intersect with the empty squares. So is whether the drop would be mate, which the
//! rules forbid, too (uchifuzume): it takes a look at the moves of the opponent's king and pieces.
//!
//! | what would break the rules | [`pawn_drops`], [`pawn_drops8`], [`onto`], [`both`] | `by_vbmi` | [`by_words`], [`as_one_number`], [`qugiy`], `by_sse2`, `Table` | [`pawn_by_pawn`], [`Horizontal`] |
//! | --- | --- | --- | --- | --- |
//! | two pawns on a file | refused | taken | refused | taken |
//! | a pawn on the last rank | refused | refused | taken | taken |
//!
//! What is taken, is answered as the rules would: the file is closed. What is refused, panics in
//! builds with debug assertions, and has a wrong answer in others.
//!
//! # How
//! In the vertical layouts a file has nine bits, and `L` has the highest of each. `L - pawns`
//! borrows from that bit wherever the file has a pawn, so `m = (L - pawns) & L` marks the files
//! without one. A second subtraction spreads each mark over its file:
//!
//! ```text
//!   one file       rank 8 … 0         with a pawn      without
//!   pawns                             000010000        000000000
//!   L - pawns                         011110000        100000000
//!   m                                 000000000        100000000
//!   m - (m >> 8)                      000000000        011111111     White: ranks 0-7
//!   (m << 1) - (m >> 7)               000000000        111111110     Black: ranks 1-8
//! ```
//! The last two lines are ours; Qugiy spreads the marks by `L ^ (L - t)`, one operation more. With
//! VBMI two permutations of bits do without arithmetic: `by_vbmi`.
//!
//! Source: `shogi-pawn-drop`.

use outflank_kernel::bits::take_lowest;

use super::board::{Layout, Side, Split};

mod horizontal;
#[cfg(all(feature = "pext", target_arch = "x86_64"))]
mod table;
#[cfg(target_arch = "x86_64")]
mod vbmi;

pub use horizontal::Horizontal;
#[cfg(all(feature = "pext", target_arch = "x86_64"))]
pub use table::Table;
#[cfg(target_arch = "x86_64")]
pub use vbmi::by_vbmi;

/// The highest rank of each file, White's last, in the words of [`Split`].
const LAST: [u64; 2] = [0x4020_1008_0402_0100, 0x0002_0100];

/// Returns the squares where `side`, whose unpromoted pawns are given, may drop a pawn, occupied or
/// not: the fastest of the methods. A drop on one of them may be mate, which the rules forbid: that is
/// the caller's affair.
///
/// # Panics
/// Builds with debug assertions panic if there are two pawns on a file or one on the last rank.
#[inline(always)]
#[must_use]
pub fn pawn_drops<L: Layout>(side: Side, pawns: L) -> L {
    debug_assert!(one_a_file(pawns), "two pawns on a file: {pawns:?}");
    debug_assert!(none_on_last_rank(side, pawns), "a pawn on the last rank: {pawns:?}");
    L::pawn_drops(side, pawns)
}

/// Returns the same as [`pawn_drops`] for eight boards: arithmetic without branches, of which the
/// compiler makes vectors of several boards.
///
/// # Panics
/// As [`pawn_drops`].
#[inline(always)]
#[must_use]
pub fn pawn_drops8<L: Layout>(side: Side, mut pawns: [L; 8]) -> [L; 8] {
    debug_assert!(pawns.into_iter().all(one_a_file), "two pawns on a file: {pawns:?}");
    let allowed = pawns.into_iter().all(|pawns| none_on_last_rank(side, pawns));
    debug_assert!(allowed, "a pawn on the last rank: {pawns:?}");
    // A loop: the function behind `map` has not the features of the caller.
    for board in &mut pawns {
        *board = L::pawn_drops_of_several(side, *board);
    }
    pawns
}

/// Returns the empty squares, `targets`, where `side` may drop a pawn.
///
/// # Panics
/// As [`pawn_drops`].
#[inline(always)]
#[must_use]
pub fn onto<L: Layout>(side: Side, pawns: L, targets: L) -> L {
    pawn_drops(side, pawns) & targets
}

/// Returns the squares where Black and where White may drop a pawn.
///
/// # Panics
/// As [`pawn_drops`].
#[inline(always)]
#[must_use]
pub fn both<L: Layout>(black: L, white: L) -> (L, L) {
    (pawn_drops(Side::Black, black), pawn_drops(Side::White, white))
}

/// Returns the same as [`pawn_drops`], with the board as one number.
///
/// # Panics
/// Builds with debug assertions panic if there are two pawns on a file.
#[inline(always)]
#[must_use]
pub fn as_one_number<L: Layout>(side: Side, pawns: L) -> L {
    debug_assert!(one_a_file(pawns), "two pawns on a file: {pawns:?}");
    let last = last_ranks::<L>();
    let free = last.wrapping_sub(pawns.bits()) & last;
    L::from_bits(match side {
        Side::Black => (free << 1).wrapping_sub(free >> 7),
        Side::White => free.wrapping_sub(free >> 8),
    })
}

/// Returns the same as [`pawn_drops`] for [`Split`], with both words in general registers: the
/// shortest latency where the boards are there already.
///
/// # Panics
/// As [`as_one_number`].
#[inline(always)]
#[must_use]
pub fn by_words(side: Side, pawns: Split) -> Split {
    debug_assert!(one_a_file(pawns), "two pawns on a file: {pawns:?}");
    let mut words = pawns.words();
    for (word, last) in words.iter_mut().zip(LAST) {
        let free = last.wrapping_sub(*word) & last;
        *word = match side {
            Side::Black => (free << 1).wrapping_sub(free >> 7),
            Side::White => free.wrapping_sub(free >> 8),
        };
    }
    Split::new(words)
}

/// Returns the same as [`pawn_drops`] for [`Split`], with both words in one SSE2 register: the
/// highest throughput of the arithmetic forms, since no operation crosses a word.
///
/// # Panics
/// As [`as_one_number`].
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
#[must_use]
pub fn by_sse2(side: Side, pawns: Split) -> Split {
    debug_assert!(one_a_file(pawns), "two pawns on a file: {pawns:?}");
    // SAFETY: the crate is compiled for SSE2.
    unsafe { in_register(side, pawns) }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline]
#[target_feature(enable = "sse2")]
fn in_register(side: Side, pawns: Split) -> Split {
    use core::arch::x86_64::*;

    // SAFETY: `Split` is 16 bytes, aligned to 16.
    let pawns = unsafe { _mm_load_si128(core::ptr::from_ref(&pawns).cast()) };
    let last = _mm_set_epi64x(LAST[1].cast_signed(), LAST[0].cast_signed());
    let free = _mm_and_si128(_mm_sub_epi64(last, pawns), last);
    let drops = match side {
        // The same as in the others; AVX-512 joins the union with an intersection of the caller.
        Side::Black => _mm_or_si128(free, _mm_sub_epi64(free, _mm_srli_epi64::<7>(free))),
        Side::White => _mm_sub_epi64(free, _mm_srli_epi64::<8>(free)),
    };
    let mut result = Split::EMPTY;
    // SAFETY: as above; the bits that stand for no square are 0, as `Split` needs them.
    unsafe { _mm_store_si128(core::ptr::from_mut(&mut result).cast(), drops) };
    result
}

/// Returns the same as [`pawn_drops`] by Qugiy's form, the best before.
///
/// # Panics
/// As [`as_one_number`].
#[inline(always)]
#[must_use]
pub fn qugiy(side: Side, pawns: Split) -> Split {
    debug_assert!(one_a_file(pawns), "two pawns on a file: {pawns:?}");
    let mut words = pawns.words();
    for (word, last) in words.iter_mut().zip(LAST) {
        let free = last.wrapping_sub(*word) & last;
        *word = match side {
            Side::Black => last ^ last.wrapping_sub(free >> 7),
            Side::White => !last & last.wrapping_sub(free >> 8),
        };
    }
    Split::new(words)
}

/// Returns the same as [`pawn_drops`] by taking away the file of each pawn, as Apery does: a pawn
/// touches only the word that it is in. The table has 0.5 KiB.
#[inline(always)]
#[must_use]
pub fn pawn_by_pawn(side: Side, pawns: Split) -> Split {
    static FILES: [u64; 64] = {
        let (mut files, mut bit) = ([0; 64], 0);
        while bit < 64 {
            files[bit] = 0x1ff << (bit / 9 * 9);
            bit += 1;
        }
        files
    };
    let farthest = match side {
        Side::Black => LAST.map(|last| last >> 8),
        Side::White => LAST,
    };
    let mut drops = (!Split::new(farthest)).words();
    for (drops, mut pawns) in drops.iter_mut().zip(pawns.words()) {
        while pawns != 0 {
            *drops &= !FILES[usize::from(take_lowest(&mut pawns) & 63)];
        }
    }
    Split::new(drops)
}

/// Returns the same as [`pawn_drops`] by the fastest form of the set that the crate is compiled for.
#[inline(always)]
pub(super) fn of_words(side: Side, pawns: Split) -> Split {
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = const { outflank_kernel::Avx512Gfni::compiled() } {
        return by_vbmi(token, side, pawns);
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return by_sse2(side, pawns);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    by_words(side, pawns)
}

/// Returns the same as [`pawn_drops`] by the form that is fastest where the compiler joins several.
#[inline(always)]
pub(super) fn of_words_of_several(side: Side, pawns: Split) -> Split {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return by_sse2(side, pawns);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    by_words(side, pawns)
}

/// Returns the highest rank of each file: White's last.
#[inline(always)]
fn last_ranks<L: Layout>() -> u128 {
    let ([low, high], start) = (LAST, L::file_start(7));
    u128::from(low) | u128::from(high) << start
}

/// Returns whether no pawn is on the rank where it would have no move.
fn none_on_last_rank<L: Layout>(side: Side, pawns: L) -> bool {
    let last = match side {
        Side::Black => last_ranks::<L>() >> 8,
        Side::White => last_ranks::<L>(),
    };
    pawns.bits() & last == 0
}

/// Returns whether no file has two pawns.
fn one_a_file<L: Layout>(pawns: L) -> bool {
    (0..9).all(|file| (pawns.bits() >> L::file_start(file) & 0x1ff).count_ones() <= 1)
}

//! Which families there are, and how a call of each is made from a position.

use outflank_kernel::bits::{
    count, flip_mask, highest, mirror_files, mirror_ranks, reverse, squares, transpose,
};
use outflank_kernel::flip::several;
use outflank_kernel::last_flip::{leaves, score};
use outflank_kernel::lines::{columns, diagonals, rows};
use outflank_kernel::mobility::{both, corners, frontier, potential, weighted};
use outflank_kernel::stability::{edge_count, edges, solid};
use outflank_kernel::symmetry::smallest;
use outflank_kernel::{flip, hash, last_flip, lines, mobility, stability, symmetry};

use super::runner::{Runner, runners};

/// Returns all variants of all families that this CPU can run, family by family.
pub(super) fn all() -> Vec<Runner> {
    bits().chain(boards()).chain(moves()).chain(flips()).chain(discs()).collect()
}

/// Adds up a short array.
fn sum<const N: usize>(boards: [u64; N]) -> u64 {
    boards.into_iter().fold(0, u64::wrapping_add)
}

/// Labels A1, A7 and A8: small numbers and masks.
fn bits() -> impl Iterator<Item = Runner> {
    runners("count", count::VARIANTS, Some(count::engine_choice), |f, s| f(s.player).into())
        .chain(runners("count8", count::eight::VARIANTS, None, |f, s| {
            sum(f([s.player, s.opponent, !s.player, !s.opponent, s.player, 0, 1, s.opponent]))
        }))
        .chain(runners("squares", squares::VARIANTS, None, |f, s| {
            let mut list = [0; 64];
            let count = f(!(s.player | s.opponent), &mut list);
            u64::from(count) + u64::from(list[0])
        }))
        .chain(runners("highest_words", highest::words::VARIANTS, None, |f, s| {
            let halves = f([s.player as u32 & 0x7e7e, 2, (s.player >> 40) as u32, 1]);
            halves.into_iter().fold(0, |sum, half| sum + u64::from(half))
        }))
        .chain(runners("highest_boards", highest::boards::VARIANTS, None, |f, s| {
            sum(f([s.player >> 12, s.player & 0x7e7e]))
        }))
        .chain(runners("flip_mask", flip_mask::boards::VARIANTS, None, |f, s| f(1 << s.square)))
        .chain(runners("row_flip_mask", flip_mask::rows::VARIANTS, None, |f, s| {
            f(s.player & 0x0402_4020_0110_0810)
        }))
}

/// Rows A2 to A6: mirrors, turns and symmetries.
fn boards() -> impl Iterator<Item = Runner> {
    runners("mirror_files", mirror_files::VARIANTS, None, |f, s| f(s.player))
        .chain(runners("mirror_ranks", mirror_ranks::VARIANTS, None, |f, s| f(s.player)))
        .chain(runners("transpose", transpose::VARIANTS, None, |f, s| f(s.player)))
        .chain(runners("reverse", reverse::VARIANTS, None, |f, s| f(s.player)))
        .chain(runners("smallest", smallest::VARIANTS, None, |f, s| f(s.player)))
        .chain(runners("symmetry", symmetry::VARIANTS, Some(symmetry::engine_choice), |f, s| {
            let (player, opponent) = f(s.player, s.opponent);
            player ^ opponent
        }))
}

/// Row B: moves and what move ordering counts.
fn moves() -> impl Iterator<Item = Runner> {
    runners("mobility", mobility::VARIANTS, Some(mobility::engine_choice), |f, s| {
        f(s.player, s.opponent)
    })
    .chain(runners("moves_of_both", both::VARIANTS, None, |f, s| {
        let (player, opponent) = f(s.player, s.opponent);
        player ^ opponent
    }))
    .chain(runners("potential", potential::VARIANTS, Some(potential::engine_choice), |f, s| {
        f(s.player, s.opponent)
    }))
    .chain(runners("frontier", frontier::VARIANTS, None, |f, s| f(s.player, s.opponent)))
    .chain(runners("weighted", weighted::VARIANTS, None, |f, s| f(s.player).into()))
    .chain(runners("corners", corners::VARIANTS, None, |f, s| f(s.player)))
}

/// Rows D and E: what moves turn.
fn flips() -> impl Iterator<Item = Runner> {
    runners("flip", flip::VARIANTS, Some(flip::engine_choice), |f, s| {
        f(s.player, s.opponent, s.square)
    })
    .chain(runners(
        "flip_pair",
        several::pair::VARIANTS,
        Some(several::pair::engine_choice),
        |f, s| sum(f(s.player, s.opponent, [s.square, s.another()])),
    ))
    .chain(runners(
        "flip_four",
        several::four::VARIANTS,
        Some(several::four::engine_choice),
        |f, s| {
            let another = s.another();
            sum(f(s.player, s.opponent, [s.square, another, s.square, another]))
        },
    ))
    .chain(runners(
        "flip_sides",
        several::sides::VARIANTS,
        Some(several::sides::engine_choice),
        |f, s| sum(f(s.player, s.opponent, s.square)),
    ))
    .chain(runners(
        "last_flip",
        last_flip::one::VARIANTS,
        Some(last_flip::one::engine_choice),
        |f, s| f(s.player, s.square).into(),
    ))
    .chain(runners(
        "last_flip_both",
        last_flip::both::VARIANTS,
        Some(last_flip::both::engine_choice),
        |f, s| {
            let (player, opponent) = f(s.player, s.square);
            u64::from(player + opponent)
        },
    ))
    .chain(runners("last_flip_eight", leaves::VARIANTS, Some(leaves::engine_choice), |f, s| {
        let players: [u64; 8] = std::array::from_fn(|turn| s.player.rotate_left(turn as u32));
        let [mine, theirs] = f(players, [s.square; 8]);
        sum(mine).wrapping_add(sum(theirs))
    }))
    .chain(runners("last_score", score::VARIANTS, Some(score::engine_choice), |f, s| {
        // a window round the score before the move, where both answers are close
        let alpha = 2 * s.player.count_ones().cast_signed() - 64;
        i64::from(f(s.player & !(1 << s.square), s.square, alpha)).cast_unsigned()
    }))
}

/// Rows C and F4: lines, stability, hash.
fn discs() -> impl Iterator<Item = Runner> {
    runners("rows", rows::VARIANTS, None, |f, s| f(s.player | s.opponent))
        .chain(runners("columns", columns::VARIANTS, None, |f, s| f(s.player | s.opponent)))
        .chain(runners("diagonals", diagonals::VARIANTS, None, |f, s| {
            sum(f(s.player | s.opponent))
        }))
        .chain(runners("lines", lines::VARIANTS, Some(lines::engine_choice), |f, s| {
            sum(f(s.player | s.opponent))
        }))
        .chain(runners("edges", edges::VARIANTS, None, |f, s| f(s.player, s.opponent)))
        .chain(runners("edge_count", edge_count::VARIANTS, None, |f, s| {
            f(s.player, s.opponent).into()
        }))
        .chain(runners("stability", stability::VARIANTS, Some(stability::engine_choice), |f, s| {
            f(s.player, s.opponent)
        }))
        .chain(runners("stable_and_solid", solid::VARIANTS, None, |f, s| {
            let [stable, solid] = f(s.player, s.opponent);
            stable ^ solid
        }))
        .chain(runners("hash", hash::VARIANTS, Some(hash::engine_choice), |f, s| {
            f(s.player, s.opponent)
        }))
}

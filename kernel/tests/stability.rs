//! Stability is sound: what a proof relies on is tried against all that can happen on the board.

mod common;

use common::{Random, START, each_set};
use outflank_kernel::stability::solid;
use outflank_kernel::{KernelSet, Scalar};

/// Returns the edge discs of `player` that no sequence of moves along the edge turns, by walking
/// through all of them. Edges are arrays of 0 (empty), 1 (player), 2 (opponent).
fn surviving(edge: [u8; 8], known: &mut [Option<u8>]) -> u8 {
    let key = edge.iter().fold(0_usize, |key, &side| 3 * key + usize::from(side));
    if let Some(found) = known[key] {
        return found;
    }
    let discs = |edge: &[u8; 8]| {
        (0..8).filter(|&place| edge[place] == 1).fold(0_u8, |discs, place| discs | 1 << place)
    };
    let mut safe = discs(&edge);
    for place in (0..8).filter(|&place| edge[place] == 0) {
        for mover in [1, 2] {
            let after = play(edge, place, mover);
            safe &= surviving(after, known);
        }
    }
    known[key] = Some(safe);
    safe
}

/// Returns the edge after `mover` has put a disc at `place`, turning what it encloses.
fn play(mut edge: [u8; 8], place: usize, mover: u8) -> [u8; 8] {
    let above: Vec<usize> = (place + 1..8).collect();
    let below: Vec<usize> = (0..place).rev().collect();
    for ray in [above, below] {
        let run = ray.iter().take_while(|&&at| edge[at] == 3 - mover).count();
        if ray.get(run).is_some_and(|&at| edge[at] == mover) {
            for &at in &ray[..run] {
                edge[at] = mover;
            }
        }
    }
    edge[place] = mover;
    edge
}

/// All 6,561 patterns on each of the four edges.
#[test]
fn edges_are_exactly_those_that_survive_all_moves() {
    let mut known = vec![None; 6561];
    let spread = |bits: u64, step: usize, first: usize| {
        (0..8).fold(0_u64, |board, place| board | (bits >> place & 1) << (first + step * place))
    };
    for key in 0..6561_usize {
        let edge: [u8; 8] =
            std::array::from_fn(|place| (key / 3_usize.pow(7 - place as u32) % 3) as u8);
        let safe = u64::from(surviving(edge, &mut known));
        let side = |side: u8| {
            (0..8).filter(|&at| edge[at] == side).fold(0_u64, |discs, at| discs | 1 << at)
        };
        for (step, first) in [(1, 0), (1, 56), (8, 0), (8, 7)] {
            let player = spread(side(1), step, first);
            let opponent = spread(side(2), step, first);
            let line = spread(0xff, step, first);
            // the corners are the ends of two edges, and safe on the crossing one
            let expected = spread(safe, step, first) | player & 0x8100_0000_0000_0081;
            each_set!(|kernels, name| {
                let found = kernels.stable(player, opponent) & line;
                assert_eq!(found, expected, "{name}: edge {edge:?} at {first} by {step}");
            });
        }
    }
}

/// Plays out all games from a position; returns the boards' discs that were ever turned.
fn ever_turned(player: u64, opponent: u64, passed: bool) -> u64 {
    let kernels = Scalar::new();
    let mut moves = kernels.moves(player, opponent);
    if moves == 0 {
        return if passed { 0 } else { ever_turned(opponent, player, true) };
    }
    let mut turned = 0;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flipped = kernels.flip(player, opponent, square);
        let moved = player | flipped | 1 << square;
        turned |= flipped | ever_turned(opponent & !flipped, moved, false);
    }
    turned
}

/// Returns positions of random games with at most `most` empty squares, each with some moves left.
fn late_positions(games: u64, most: u32) -> Vec<(u64, u64)> {
    let positions = common::game_positions(games);
    positions.into_iter().filter(|(a, b)| (a | b).count_zeros() <= most).collect()
}

#[test]
fn no_stable_disc_is_turned_in_any_continuation() {
    let positions = late_positions(4_000, 6);
    let mut found = 0;
    for &(player, opponent) in &positions {
        let turned = ever_turned(player, opponent, false);
        each_set!(|kernels, name| {
            for (side, other) in [(player, opponent), (opponent, player)] {
                let stable = kernels.stable(side, other);
                assert_eq!(stable & !side, 0, "{name}: not a disc, {side:#x} {other:#x}");
                assert_eq!(stable & turned, 0, "{name}: turned, {side:#x} {other:#x}");
                found += stable.count_ones();
            }
        });
    }
    println!("{} positions, {found} stable discs in all sets", positions.len());
    assert!(found > 10 * positions.len() as u32, "the test must see stable discs");
}

/// In earlier positions all continuations are too many: each is followed by random games.
#[test]
fn no_stable_disc_is_turned_in_random_continuations() {
    let kernels = Scalar::new();
    let mut random = Random(5);
    for (player, opponent) in common::game_positions(60) {
        let stable = [kernels.stable(player, opponent), kernels.stable(opponent, player)];
        if stable == [0, 0] {
            continue;
        }
        for _ in 0..10 {
            let (mut sides, mut mover, mut passes) = ([player, opponent], 0, 0);
            while passes < 2 {
                let moves = kernels.moves(sides[mover], sides[1 - mover]);
                passes += 1;
                if moves != 0 {
                    passes = 0;
                    let square = random.square(moves);
                    let flipped = kernels.flip(sides[mover], sides[1 - mover], square);
                    sides[mover] |= flipped | 1 << square;
                    sides[1 - mover] &= !flipped;
                }
                mover = 1 - mover;
            }
            for side in 0..2 {
                assert_eq!(stable[side] & !sides[side], 0, "{player:#x} {opponent:#x}");
            }
        }
    }
}

/// Asserts that both positions have the same moves, now and after all that can follow; returns the
/// number of positions seen.
fn assert_same_games(given: [u64; 2], turned: [u64; 2], passed: bool) -> u64 {
    let kernels = Scalar::new();
    let mut moves = kernels.moves(given[0], given[1]);
    assert_eq!(kernels.moves(turned[0], turned[1]), moves, "{given:#x?} {turned:#x?}");
    if moves == 0 {
        let swapped = |[player, opponent]: [u64; 2]| [opponent, player];
        return if passed {
            1
        } else {
            1 + assert_same_games(swapped(given), swapped(turned), true)
        };
    }
    let mut seen = 1;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flipped = kernels.flip(given[0], given[1], square);
        assert_eq!(kernels.flip(turned[0], turned[1], square), flipped, "{given:#x?} {turned:#x?}");
        let after =
            |[player, opponent]: [u64; 2]| [opponent & !flipped, player | flipped | 1 << square];
        seen += assert_same_games(after(given), after(turned), false);
    }
    seen
}

#[test]
fn solid_discs_change_hands_without_any_move_being_another() {
    let (mut turned, mut seen) = (0, 0);
    for (player, opponent) in late_positions(2_000, 6) {
        let [_, all] = solid::stable_and_solid(opponent, player);
        // All of them, and a few.
        for some in [all, all & 0x5a96_c33c_6996_a55a] {
            let (after, raise) = solid::handed_over(player, opponent, some);
            turned += some.count_ones();
            assert_eq!(raise, 2 * some.count_ones());
            assert_eq!(after, [player ^ some, opponent ^ some], "each disc has one side");
            seen += assert_same_games([player, opponent], after, false);
        }
    }
    assert!(turned > 10_000 && seen > 100_000, "{turned} discs, {seen} positions");
}

#[test]
fn the_start_position_has_no_stable_disc_and_a_full_board_only_stable_ones() {
    each_set!(|kernels, name| {
        assert_eq!(kernels.stable(START.0, START.1), 0, "{name}");
        for player in [!0, 0, 0x0123_4567_89ab_cdef, 0x5555_aaaa_3333_cccc] {
            assert_eq!(kernels.stable(player, !player), player, "{name}: {player:#x}");
        }
    });
}

//! Every set that this CPU has agrees with the scalar references, on boards of all kinds.

mod common;

use common::{each_set, game_positions, square_sets};
use outflank_kernel::{KernelSet, flip, hash, last_flip, lines, mobility, stability, symmetry};
use proptest::prelude::*;

/// Checks a flip of boards that are not in general registers, and the one after it, which takes them
/// as the first has left them.
fn check_wide<K: KernelSet>(
    kernels: K,
    (player, opponent): (u64, u64),
    square: u32,
    next: u32,
    at: &impl Fn() -> String,
) {
    let flipped = flip::scalar::flip(player, opponent, square);
    let [wide_player, wide_opponent] = [player, opponent].map(|board| kernels.widen(board));
    let wide = kernels.flip_wide(wide_player, wide_opponent, square);
    assert_eq!(kernels.narrow(wide), flipped, "wide {square}, {}", at());
    let changed = kernels.difference(wide, kernels.widen_square(square));
    let wide_player = kernels.difference(wide_player, changed);
    let wide_opponent = kernels.difference(wide_opponent, wide);
    let (player, opponent) = (player ^ flipped ^ 1 << square, opponent ^ flipped);
    assert_eq!(kernels.narrow(wide_player), player, "player after {square}, {}", at());
    assert_eq!(kernels.narrow(wide_opponent), opponent, "opponent after {square}, {}", at());
    if next != square {
        let reply = kernels.narrow(kernels.flip_wide(wide_opponent, wide_player, next));
        let expected = flip::scalar::flip(opponent, player, next);
        assert_eq!(reply, expected, "wide {square} {next}, {}", at());
    }
}

/// Checks all kernels of a set on one board.
fn check_board<K: KernelSet>(kernels: K, name: &str, player: u64, opponent: u64) {
    let at = || format!("{name}: player {player:#018x}, opponent {opponent:#018x}");
    let empty = !(player | opponent);
    let moves = mobility::scalar::moves(player, opponent);
    assert_eq!(kernels.moves(player, opponent), moves, "moves, {}", at());
    for square in (0..64).filter(|square| empty >> square & 1 != 0) {
        let flipped = flip::scalar::flip(player, opponent, square);
        assert_eq!(kernels.flip(player, opponent, square), flipped, "flip {square}, {}", at());
        let theirs = flip::scalar::flip(opponent, player, square);
        let sides = kernels.flip_sides(player, opponent, square);
        assert_eq!(sides, [flipped, theirs], "both sides {square}, {}", at());
        let next = (empty.rotate_right(square + 1).trailing_zeros() + square + 1) % 64;
        let other = flip::scalar::flip(player, opponent, next);
        check_wide(kernels, (player, opponent), square, next, &at);
        let pair = kernels.flip_pair(player, opponent, [square, next]);
        assert_eq!(pair, [flipped, other], "pair {square} {next}, {}", at());
        let four = kernels.flip_four(player, opponent, [next, square, square, next]);
        assert_eq!(four, [other, flipped, flipped, other], "four {square} {next}, {}", at());
    }
    let full = lines::scalar::full_lines(player | opponent);
    assert_eq!(kernels.full_lines(player | opponent), full, "full lines, {}", at());
    let stable = stability::scalar::stable(player, opponent);
    assert_eq!(kernels.stable(player, opponent), stable, "stable, {}", at());
    let hash = hash::scalar::hash(player, opponent);
    assert_eq!(kernels.hash(player, opponent), hash, "hash, {}", at());
    let canonical = symmetry::scalar::canonical(player, opponent);
    assert_eq!(kernels.canonical(player, opponent), canonical, "canonical, {}", at());
    assert_eq!(kernels.count(player), player.count_ones(), "count, {}", at());
    let touching = (0..64)
        .filter(|square| empty >> square & 1 != 0 && touches(*square, opponent))
        .fold(0_u64, |squares, square| squares | 1 << square);
    assert_eq!(kernels.potential_moves(player, opponent), touching, "potential, {}", at());
}

/// Returns whether a square of `board` is next to `square`.
fn touches(square: i32, board: u64) -> bool {
    (0..64).any(|other: i32| {
        let (right, up) = ((square % 8 - other % 8).abs(), (square / 8 - other / 8).abs());
        board >> other & 1 != 0 && right.max(up) == 1
    })
}

/// Checks the last flip of a set for one board and square.
fn check_last<K: KernelSet>(kernels: K, name: &str, player: u64, square: u32) {
    let expected = last_flip::scalar::last_flip_both(player, square);
    let at = || format!("{name}: player {player:#018x}, square {square}");
    assert_eq!(kernels.last_flip_both(player, square), expected, "both, {}", at());
    assert_eq!(kernels.last_flip(player, square), expected.0, "one, {}", at());
    let mut counts = [[0; 8]; 2];
    let players: [u64; 8] = std::array::from_fn(|leaf| player.rotate_left(8 * leaf as u32));
    for leaf in 0..8 {
        let (mine, theirs) = last_flip::scalar::last_flip_both(players[leaf], square);
        (counts[0][leaf], counts[1][leaf]) = (mine.into(), theirs.into());
    }
    assert_eq!(kernels.last_flip_eight(players, [square; 8]), counts, "eight, {}", at());
    let score = last_flip::score::VARIANTS[0].function().expect("the reference needs no features");
    let player = player & !(1 << square);
    let exact = score(player, square, 0);
    for alpha in [exact - 2, exact] {
        let found = kernels.last_score(player, square, alpha);
        assert_eq!(found > alpha, exact > alpha, "score {found} at {alpha}, {}", at());
    }
}

/// Random boards: each square is empty, the player's or the opponent's, in varying shares.
fn board() -> impl Strategy<Value = (u64, u64)> {
    let bits = any::<[u64; 4]>();
    (bits, 0..4_u32).prop_map(|([a, b, c, side], density)| {
        let discs = match density {
            0 => a & b,
            1 => a,
            2 => a | b,
            _ => a | b | c,
        };
        (discs & side, discs & !side)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_boards((player, opponent) in board()) {
        each_set!(|kernels, name| check_board(kernels, name, player, opponent));
    }

    #[test]
    fn random_last_moves(player: u64, more: u64, square in 0..64_u32) {
        for player in [player, player & more, player | more] {
            each_set!(|kernels, name| check_last(kernels, name, player, square));
        }
    }
}

#[test]
fn positions_of_random_games() {
    let positions = game_positions(100);
    each_set!(|kernels, name| {
        println!("{name}: {} positions", positions.len());
        for &(player, opponent) in &positions {
            check_board(kernels, name, player, opponent);
        }
    });
}

#[test]
fn edge_cases() {
    let boards = square_sets();
    each_set!(|kernels, name| {
        for &board in &boards {
            for &other in &boards {
                check_board(kernels, name, board & !other, other);
            }
            for square in 0..64 {
                check_last(kernels, name, board, square);
            }
        }
    });
}

/// Runs of every length in every direction from every square, ended by the player, by an empty
/// square, by the edge, or by the other side of the board where a shift would wrap.
#[test]
fn runs_from_every_square() {
    each_set!(|kernels, name| {
        for square in 0..64 {
            for (right, up) in common::STEPS {
                for length in 0..8 {
                    let run = common::walk(square, right, up, length);
                    let end = common::walk(square, right, up, length + 1) & !run;
                    let rest = !(run | end | 1 << square);
                    for (player, opponent) in
                        [(end, run), (0, run), (rest, run), (rest | end, run), (end, run | rest)]
                    {
                        let expected = flip::scalar::flip(player, opponent, square as u32);
                        let found = kernels.flip(player, opponent, square as u32);
                        assert_eq!(found, expected, "{name}: {square} {right} {up} {length}");
                        check_board(kernels, name, player, opponent);
                    }
                }
            }
        }
    });
}

/// All patterns of every line through every square, the rest of the board being the player's, the
/// opponent's, or a fixed mixture.
#[test]
fn every_line_of_last_moves() {
    each_set!(|kernels, name| {
        for square in 0..64 {
            for (right, up) in &common::STEPS[..4] {
                let line =
                    common::walk(square, *right, *up, 7) | common::walk(square, -right, -up, 7);
                for background in [0, !0, 0x5a96_c33c_6996_a55a] {
                    let mut pattern = 0_u64;
                    loop {
                        let player = background & !line | pattern;
                        check_last(kernels, name, player, square as u32);
                        pattern = pattern.wrapping_sub(line) & line;
                        if pattern == 0 {
                            break;
                        }
                    }
                }
            }
        }
    });
}

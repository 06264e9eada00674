//! Discs turned by a move.

use outflank_kernel::flip::{VARIANTS, scalar, several};

use crate::common::{STEPS, subsets, walk};
use crate::run::{check, each_of, each_position, runnable};

/// Returns one of the empty squares, another for another position; none of a full board.
fn empty_square(player: u64, opponent: u64) -> Option<u32> {
    let empty = !(player | opponent);
    let turn = player.wrapping_mul(0x9e37_79b9_7f4a_7c15) as u32 >> 26;
    (empty != 0).then(|| (empty.rotate_right(turn).trailing_zeros() + turn) % 64)
}

#[test]
fn flips_on_an_empty_square() {
    let variants = runnable("flip", VARIANTS);
    each_position(|player, opponent| {
        if let Some(square) = empty_square(player, opponent) {
            let expected = scalar::flip(player, opponent, square);
            let input = (player, opponent, square);
            check(&variants, &expected, input, |flip| flip(player, opponent, square));
        }
    });
}

#[test]
fn flips_on_every_empty_square() {
    let variants = runnable("flip", VARIANTS);
    each_of(100_000, |player, opponent| {
        for square in (0..64).filter(|square| (player | opponent) >> square & 1 == 0) {
            let expected = scalar::flip(player, opponent, square);
            let input = (player, opponent, square);
            check(&variants, &expected, input, |flip| flip(player, opponent, square));
        }
    });
}

/// Every pattern of the ray, three states a square, from every square in every direction; the rest
/// of the board is empty, or belongs to one side, or to both in turns.
#[test]
fn flips_along_every_ray() {
    let variants = runnable("flip", VARIANTS);
    let pair = runnable("flip pair", several::pair::VARIANTS);
    let four = runnable("flip four", several::four::VARIANTS);
    let sides = runnable("flip sides", several::sides::VARIANTS);
    let (squares, patterns) = if cfg!(miri) { (9, 977) } else { (1, 1) };
    for square in (0..64).step_by(squares) {
        for (right, up) in STEPS {
            let ray = walk(square, right, up, 7);
            for (mine, theirs) in ends_of_ray(ray).step_by(patterns) {
                let rest = !(ray | 1 << square);
                for background in [0, !0, 0x5a96_c33c_6996_a55a] {
                    let player = mine | rest & background;
                    for opponent in [theirs, theirs | rest & !background] {
                        let square = square as u32;
                        let input = (player, opponent, square);
                        let expected = scalar::flip(player, opponent, square);
                        check(&variants, &expected, input, |flip| flip(player, opponent, square));
                        check(&pair, &[expected; 2], input, |p| p(player, opponent, [square; 2]));
                        check(&four, &[expected; 4], input, |f| f(player, opponent, [square; 4]));
                        let both = [expected, scalar::flip(opponent, player, square)];
                        check(&sides, &both, input, |sides| sides(player, opponent, square));
                    }
                }
            }
        }
    }
}

/// Returns all ways to give the squares of `ray` to one side, to the other, or to nobody.
fn ends_of_ray(ray: u64) -> impl Iterator<Item = (u64, u64)> {
    subsets(ray).flat_map(move |mine| subsets(ray & !mine).map(move |theirs| (mine, theirs)))
}

#[test]
fn several_flips_at_once() {
    let pair = runnable("flip pair", several::pair::VARIANTS);
    let four = runnable("flip four", several::four::VARIANTS);
    let sides = runnable("flip sides", several::sides::VARIANTS);
    each_position(|player, opponent| {
        let empty = !(player | opponent);
        if empty == 0 {
            return;
        }
        // four empty squares, some of them equal where there are fewer
        let squares =
            [0, 17, 34, 51].map(|turn| (empty.rotate_right(turn).trailing_zeros() + turn) % 64);
        let flip = |square| scalar::flip(player, opponent, square);
        let input = (player, opponent, squares);
        check(&four, &squares.map(flip), input, |four| four(player, opponent, squares));
        let [a, b, ..] = squares;
        check(&pair, &[flip(a), flip(b)], input, |pair| pair(player, opponent, [a, b]));
        let both = [flip(a), scalar::flip(opponent, player, a)];
        check(&sides, &both, input, |sides| sides(player, opponent, a));
    });
}

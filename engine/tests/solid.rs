//! What the values of positions that differ in the colours of solid discs have to do with each
//! other, by brute force.

use outflank_engine::{Position, Square, brute_force};
use outflank_kernel::stability::solid::{handed_over, stable_and_solid};
use proptest::prelude::*;

/// Returns a placement of discs that leaves `empty` squares out, with more discs of one side the
/// further `bias` is from 2.
fn position(empty: u64, bits: [u64; 3], bias: u32) -> Position {
    let [a, b, c] = bits;
    let player = match bias {
        0 => a & b & c,
        1 => a & b,
        2 => a,
        3 => a | b,
        _ => a | b | c,
    };
    Position::new(player & !empty, !player & !empty).expect("the boards share no square")
}

/// Any discs around two to seven empty squares; wipe-outs and games that end early abound where
/// one side has most of them.
fn positions() -> impl Strategy<Value = Position> {
    let squares = prop::collection::btree_set(0..64_u32, 2..8);
    (squares, any::<[u64; 3]>(), 0..5_u32).prop_map(|(squares, bits, bias)| {
        position(squares.into_iter().fold(0, |empty, square| empty | 1 << square), bits, bias)
    })
}

/// Returns the position with the opponent's solid discs as the player's, and by how much that
/// raises its value.
fn turned(position: Position) -> (Position, i32) {
    let (player, opponent) = (position.player(), position.opponent());
    let [_, solid] = stable_and_solid(opponent, player);
    let ([player, opponent], raise) = handed_over(player, opponent, solid);
    (Position::new(player, opponent).expect("discs have changed hands"), raise as i32)
}

/// Returns the position at the end of one game with best play by both.
fn best_end(mut position: Position) -> Position {
    while !position.is_over() {
        let moves = Square::all(position.moves()).filter_map(|square| position.play(square));
        position = moves.min_by_key(|&after| brute_force::value(after)).unwrap_or(position.pass());
    }
    position
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn from_the_empty_squares_on_windows_are_raised_by_two_for_each_solid_disc(
        position in positions()
    ) {
        let (turned, raise) = turned(position);
        let value = brute_force::value(position).discs();
        let raised = brute_force::value(turned).discs();
        for alpha in position.empties() as i32..=64 {
            prop_assert_eq!(value > alpha, raised > alpha + raise, "{:?} {}", position, alpha);
        }
    }
}

/// The law is not that values are raised, and what it says is not said of full boards alone.
#[test]
fn below_the_empty_squares_values_are_raised_by_another_amount() {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state ^ state >> 29
    };
    let (mut with_empties, mut otherwise) = (0, 0);
    for bias in (0..5).cycle().take(20_000) {
        let empty = (0..3).fold(0, |empty, _| empty | 1 << (next() % 64));
        let position = position(empty, [next(), next(), next()], bias);
        let (turned, raise) = turned(position);
        let value = brute_force::value(position).discs();
        let raised = brute_force::value(turned).discs();
        let above = value > position.empties() as i32;
        with_empties += u32::from(raise > 0 && above && best_end(position).empties() > 0);
        otherwise += u32::from(raised != value + raise);
        assert!(!above || raised == value + raise, "{position:?}");
    }
    assert!(with_empties > 0 && otherwise > 0, "{with_empties} {otherwise}");
}

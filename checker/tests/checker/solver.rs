//! The checker's search against brute force.

use std::collections::HashMap;

use outflank_checker::rules::{Position, Turn, squares};
use outflank_checker::solve::Solver;
use outflank_checker::symmetry;

use crate::support::{Random, TWICE};

/// The walls of small boards, among them those where passes are frequent.
const WALLS: [u64; 7] = [
    0xffff_c3c3_c3c3_ffff, // 4x4
    0xffff_8383_8383_ffff, // 5x4
    0xffc3_c3c3_c3c3_ffff, // 4x5
    0xffff_8181_8181_ffff, // 6x4
    0xffc3_c3c3_c3c3_c3ff, // 4x6
    0xffff_0000_0000_ffff, // 8x4
    0xff81_8181_8181_81ff, // 6x6
];

/// Visits the whole game, each large position once.
fn value(position: Position, known: &mut HashMap<Position, i32>) -> i32 {
    if let Some(&value) = known.get(&position) {
        return value;
    }
    let found = match position.turn() {
        Turn::Over(score) => score,
        Turn::Pass(next) => -value(next, known),
        Turn::Move(_) => squares(position.moves())
            .filter_map(|square| position.play(square))
            .map(|next| -value(next, known))
            .max()
            .expect("there is a move"),
    };
    // Smaller ones are found again faster than they are looked up.
    if position.empties() > 5 {
        known.insert(position, found);
    }
    found
}

/// Returns a position that no game needs to reach: discs anywhere, `empties` squares left.
fn scattered(random: &mut Random, walls: u64, empties: u32) -> Position {
    let mut position = Position { player: walls, opponent: walls };
    // From no disc of one side to none of the other: where few are left passes are frequent.
    let share = random.below(11);
    while position.empties() > empties {
        let free: Vec<u32> = squares(position.empty()).collect();
        let disc = 1 << random.one_of(&free);
        match random.below(10) < share {
            true => position.player |= disc,
            false => position.opponent |= disc,
        }
    }
    position
}

/// Asks about every threshold.
fn assert_worth(value: i32, solver: &mut Solver, position: Position) {
    for threshold in (-66..=66).step_by(2) {
        let found = solver.is_at_least(position, threshold);
        assert_eq!(found, value >= threshold, "{position} is {value}, asked about {threshold}");
    }
}

#[test]
fn every_threshold_is_answered_as_by_brute_force_however_odd_the_position() {
    let mut random = Random(3);
    let mut solver = Solver::new(14);
    for _ in 0..1000 {
        let walls = *random.one_of(&WALLS);
        let most = walls.count_zeros() / 2;
        let empties = 7 + random.below(4) as u32;
        let position = scattered(&mut random, walls, empties.min(most));
        assert_worth(value(position, &mut HashMap::new()), &mut solver, position);
    }
}

/// Returns `position` with one or two of its squares changed.
fn changed(random: &mut Random, mut position: Position) -> Position {
    let board: Vec<u32> = squares(!position.walls()).collect();
    for _ in 0..=random.below(2) {
        let disc = 1 << random.one_of(&board);
        (position.player, position.opponent) = (position.player & !disc, position.opponent & !disc);
        match random.below(3) {
            0 => position.player |= disc,
            1 => position.opponent |= disc,
            _ => {}
        }
    }
    position
}

/// Passes lead to the same player and opponent with either colour to move: every fourth position like
/// [`TWICE`] got a wrong answer when entries of the table did not tell the two questions apart.
#[test]
fn a_position_reached_with_either_colour_to_move_is_asked_both_questions() {
    let twice = Position::from_text(TWICE).expect("a board of 4x6");
    let mut random = Random(1);
    let mut solver = Solver::new(14);
    symmetry::all(twice).into_iter().for_each(|form| assert_worth(24, &mut solver, form));
    let changed = std::iter::repeat_with(|| changed(&mut random, twice));
    // Brute force takes seconds with more empty squares.
    let is_quick = |position: &Position| *position != twice && position.empties() < 18;
    for position in changed.filter(is_quick).take(2) {
        assert_worth(value(position, &mut HashMap::new()), &mut solver, position);
    }
}

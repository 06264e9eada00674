//! Small boards, solved by the same core.

use std::rc::Rc;

use outflank_engine::{BoardSize, Bound, Position, Square, Window};

use crate::oracle::Oracle;
use crate::random::Random;
use crate::world::{Faults, World, tiny};

fn start(columns: u8, rows: u8) -> Position {
    BoardSize::new(columns, rows).expect("it is a size").start()
}

/// Returns the position of a random game on a 6x6 board with ten empty squares.
fn six_by_six(random: &mut Random) -> Position {
    loop {
        let mut position = start(6, 6);
        while position.empties() > 10 && !position.is_over() {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = match moves.len() as u64 {
                0 => position.pass(),
                count => position.play(moves[random.below(count) as usize]).unwrap(),
            };
        }
        if !position.is_over() {
            return position;
        }
    }
}

#[test]
fn small_boards_are_split_and_solved_whatever_gets_lost() {
    let oracle = Rc::new(Oracle::default());
    let (four, mut jobs, mut restarts) = (start(4, 4), 0, 0);
    assert_eq!(oracle.value(four).discs(), -10);
    for seed in 0..60 {
        let mut random = Random(seed);
        let faults =
            Faults { lost: 5, repeated: 10, late: 5, failed: 5, churn: 15, ..Faults::default() };
        let mut world = World::new(seed, &oracle, tiny(), faults);
        for _ in 0..2 + random.below(3) {
            world.join(1 + random.below(2) as u32);
        }
        // Different boards at once: what is proved of one is nothing to the other.
        let asked =
            [four, six_by_six(&mut random)].map(|root| (root, world.submit(root, Window::FULL)));
        world.run();
        for (root, solve) in asked {
            let solution = &world.outcome.solved[&solve];
            assert_eq!(solution.bound, Bound::exact(oracle.value(root)), "seed {seed}");
        }
        jobs += world.outcome.jobs;
        restarts += world.outcome.happened.restarts;
    }
    assert!(jobs > 60 * 10, "{jobs} jobs: the roots are not split");
    assert!(restarts > 5, "{restarts} restarts are too few to prove anything");
}

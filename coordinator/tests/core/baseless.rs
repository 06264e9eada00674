//! False inferences whose grounds are gone: damage has lost what they were inferred from.

use std::rc::Rc;

use outflank_coordinator::core::Config;
use outflank_engine::{Bound, Position, Score, Square, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::world::{Faults, World, in_turn};

/// So long requests may take, in milliseconds.
const LONGEST: u64 = 30 * 60_000;

/// The number of seeds.
const SEEDS: u64 = 24;

/// Returns a bound of a position that is so false that searches contradict it, from below or from above.
fn wrong(oracle: &Oracle, position: Position, is_lower: bool) -> Bound {
    const BY: i32 = 20;
    let value = oracle.value(position).discs();
    let beside = |by: i32| Score::new(value + by);
    match (is_lower, beside(BY), beside(-BY)) {
        (true, Some(above), _) | (false, Some(above), None) => Bound::at_least(above),
        (_, _, Some(under)) => Bound::at_most(under),
        (_, None, None) => panic!("one of them is a score"),
    }
}

/// The largest jobs: judges can search positions of eight empties, or, of seven, only whether their values are so large.
const LONGEST_JOBS: [f64; 2] = [1e5, 40.0];

/// Returns a cluster of honest workers on a store in which a position has a false bound that nothing stands behind.
fn cluster(
    seed: u64,
    longest_job: f64,
    oracle: &Rc<Oracle>,
    about: Position,
    bound: Bound,
) -> World {
    let config = Config { audit_seed: seed, longest_job, ..in_turn(seed) };
    let mut world = World::new(seed, oracle, config, Faults::default()).with_few();
    world.leave_baseless(about, bound);
    (0..4).for_each(|_| world.join(2));
    world
}

/// Every search contradicted it, those who were asked upheld that, nobody had made it, and all began again.
#[test]
fn a_false_inference_is_taken_back_when_nothing_is_left_that_it_could_follow_from() {
    LONGEST_JOBS.into_iter().for_each(are_taken_back);
}

fn are_taken_back(longest_job: f64) {
    let oracle = Rc::new(Oracle::default());
    let mut random = Random(3);
    let mut retracted = 0;
    for seed in 0..SEEDS {
        let root = position(&mut random, 8);
        let is_deeper = seed % 3 == 2;
        let below = Square::lowest(root.moves()).and_then(|square| root.play(square));
        let about = below.filter(|below| is_deeper && !below.is_over()).unwrap_or(root).canonical();
        let bound = wrong(&oracle, about, seed % 2 == 0);
        let mut world = cluster(seed, longest_job, &oracle, about, bound);
        if seed % 4 >= 2 {
            // Some of the grounds are left, and true.
            for square in Square::all(about.moves()).take(2) {
                let child = about.play(square).expect("it is legal").canonical();
                if !child.is_over() {
                    world.leave_baseless(child, Bound::exact(oracle.value(child)));
                }
            }
        }
        let solve = world.submit(root, Window::FULL);
        let has_ended = world.run_until(LONGEST, |world| world.open() == 0);
        assert!(has_ended, "seed {seed}: {:?}", world.core);
        let outcome = &world.outcome;
        let solution = outcome.solved.get(&solve);
        let solution = solution.unwrap_or_else(|| panic!("seed {seed} has no answer"));
        // What no search has contradicted nobody has looked into.
        let is_true = solution.bound == Bound::exact(oracle.value(root));
        assert!(is_true || outcome.retracted == 0, "seed {seed}: {}", solution.bound);
        assert_eq!((outcome.convicted.as_slice(), outcome.pardoned), (&[][..], 0), "seed {seed}");
        retracted += outcome.retracted.min(1);
    }
    // Where jobs are small less is asked than what would contradict it.
    assert!(retracted >= SEEDS / 3, "{retracted} of {SEEDS}");
}

//! Hundreds of seeded runs of whole clusters.

use std::rc::Rc;

use outflank_coordinator::core::{Config, Source};
use outflank_engine::{Bound, Position, Score, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::world::{Faults, NEVER, World, in_turn, steered, tiny};

/// Returns positions of 8 to 11 empties.
fn roots() -> Vec<Position> {
    let mut random = Random(2024);
    let empties = [8, 9, 8, 10, 9, 8, 10, 9, 8, 11, 9, 10];
    empties.into_iter().map(|empties| position(&mut random, empties)).collect()
}

fn window(random: &mut Random, value: Score) -> Window {
    match random.below(4) {
        0 => Window::at_least(Score::DRAW).unwrap(),
        1 => Window::new(value.down().down(), value.up()).unwrap_or(Window::FULL),
        _ => Window::FULL,
    }
}

fn workers(world: &mut World, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        world.join(1 + random.below(4) as u32);
    }
}

fn quiet() -> Config {
    Config { backup_after: NEVER, ..tiny() }
}

#[test]
fn an_undisturbed_cluster_finds_every_value_and_a_whole_line() {
    let oracle = Rc::new(Oracle::default());
    let (roots, mut jobs) = (roots(), 0);
    for seed in 0..150 {
        let mut random = Random(seed);
        let root = roots[seed as usize % roots.len()];
        let mut world = World::new(seed, &oracle, quiet(), Faults::default());
        workers(&mut world, &mut random);
        let solve = world.submit(root, window(&mut random, oracle.value(root)));
        world.run();
        let solution = &world.outcome.solved[&solve];
        assert_eq!(solution.source, Source::Search);
        world.drain();
        let status = world.core.status();
        assert_eq!((status.questions, status.positions, status.solves), (0, 0, 0), "seed {seed}");
        jobs += world.outcome.jobs;
    }
    assert!(jobs > 150 * 10, "{jobs} jobs: the roots are not split");
}

#[test]
fn a_cluster_that_asks_goals_of_the_root_finds_every_value() {
    let oracle = Rc::new(Oracle::default());
    let (roots, mut jobs) = (roots(), 0);
    for seed in 0..60 {
        let mut random = Random(seed);
        let root = roots[seed as usize % roots.len()];
        let faults = Faults { lost: random.below(5), churn: random.below(10), ..Faults::default() };
        let mut world = World::new(seed, &oracle, steered(), faults);
        workers(&mut world, &mut random);
        world.join(2);
        let value = oracle.value(root);
        let asked = window(&mut random, value);
        let solve = world.submit(root, asked);
        world.run();
        let bound = world.outcome.solved[&solve].bound;
        assert!(bound.answers(asked), "seed {seed}: {bound}");
        assert!(bound.lower() <= value && value <= bound.upper(), "seed {seed}: {bound}");
        jobs += world.outcome.jobs;
    }
    assert!(jobs > 120 * 8, "{jobs} jobs: the roots are not split");
}

#[test]
fn whatever_gets_lost_the_value_is_right_and_nothing_runs_for_ever() {
    let oracle = Rc::new(Oracle::default());
    let (roots, mut restarts) = (roots(), 0);
    for seed in 1_000..1_150 {
        let mut random = Random(seed);
        let faults = Faults {
            lost: random.below(15),
            repeated: random.below(20),
            late: random.below(15),
            failed: random.below(15),
            wrong: 0,
            churn: random.below(25),
            slow_disk: random.below(3) * 40,
            ..Faults::default()
        };
        let mut world = World::new(seed, &oracle, in_turn(seed), faults);
        workers(&mut world, &mut random);
        for _ in 0..1 + random.below(3) {
            let root = roots[random.below(roots.len() as u64) as usize];
            world.submit(root, window(&mut random, oracle.value(root)));
        }
        world.run();
        restarts += world.outcome.happened.restarts;
        assert_eq!((world.core.status().solves, world.core.status().questions), (0, 0));
    }
    assert!(restarts > 10, "{restarts} restarts are too few to prove anything");
}

#[test]
fn a_second_request_is_answered_from_the_store() {
    let oracle = Rc::new(Oracle::default());
    for (seed, root) in roots().into_iter().enumerate() {
        let mut world = World::new(seed as u64, &oracle, quiet(), Faults::default());
        world.join(2);
        world.join(1);
        let first = world.submit(root, Window::FULL);
        world.run();
        let second = world.submit(root, Window::FULL);
        world.run();
        let (first, second) = (&world.outcome.solved[&first], &world.outcome.solved[&second]);
        assert_eq!(second.source, Source::Store);
        assert_eq!((first.bound, second.bound), (Bound::exact(oracle.value(root)), first.bound));
    }
}

#[test]
fn a_false_claim_is_never_merged_into_a_contradiction() {
    let oracle = Rc::new(Oracle::default());
    let roots = roots();
    let (mut caught, mut ended) = (0, 0);
    for seed in 2_000..2_150 {
        let mut random = Random(seed);
        let faults = Faults { wrong: 1 + random.below(20), ..Faults::default() };
        let mut world = World::new(seed, &oracle, in_turn(seed), faults);
        workers(&mut world, &mut random);
        let solve = world.submit(roots[seed as usize % roots.len()], Window::FULL);
        world.run();
        world.drain();
        let outcome = &world.outcome;
        if outcome.contradicted.contains(&solve) {
            assert!(!outcome.quarantined.is_empty());
        }
        caught += u64::from(!(outcome.contradicted.is_empty() && outcome.convicted.is_empty()));
        ended += 1;
    }
    assert!(caught > 50, "only {caught} of {ended} runs met a contradiction");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let oracle = Rc::new(Oracle::default());
    let run = |seed| {
        let faults = Faults { lost: 5, late: 5, churn: 10, ..Faults::default() };
        let mut world = World::new(seed, &oracle, tiny(), faults);
        world.join(2);
        world.join(3);
        world.submit(roots()[3], Window::FULL);
        world.run();
        (world.outcome.events, world.outcome.jobs, world.outcome.cancelled, world.store.kept.0)
    };
    assert_eq!(run(7), run(7));
}
